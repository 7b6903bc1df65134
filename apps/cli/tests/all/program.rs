//! Runs the program as a user does, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes away at the end of the test.
pub struct Folder(PathBuf);

/// What the program answered.
#[derive(Debug)]
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Folder {
    pub fn new() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trunnion-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        let output = self.command(arguments).output().unwrap();
        let answer = Answer {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!answer.err.contains("panicked"), "{arguments:?}: {}", answer.err);
        answer
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_trunnion")));
        command.args(arguments).current_dir(&self.0);
        command
    }

    /// Runs what has to succeed.
    pub fn good(&self, arguments: &[&str]) -> String {
        let answer = self.run(arguments);
        assert_eq!(answer.code, 0, "{arguments:?}: {}{}", answer.out, answer.err);
        answer.out
    }

    /// Runs what has to fail with this code, saying all of `words`.
    pub fn bad(&self, arguments: &[&str], code: i32, words: &[&str]) -> Answer {
        let answer = self.run(arguments);
        assert_eq!(answer.code, code, "{arguments:?}: {}{}", answer.out, answer.err);
        for word in words {
            assert!(answer.err.contains(word), "{arguments:?} does not say `{word}`: {}", answer.err);
        }
        answer
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// All model files below a folder.
pub fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("parts") {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml")
            && !path.to_string_lossy().ends_with(".expect.toml")
        {
            found.push(path);
        }
    }
}

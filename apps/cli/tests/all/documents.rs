//! Every command in the documents runs as it stands: each page in a folder of its own, from top to bottom.
//!
//! A page may use what its earlier blocks have made, and the models it shows: a `toml` block is the file that the paragraph before it names
//! last. What cannot run here says so where the reader sees it, in the fence of its block or in a comment of its line.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::program::Folder;

/// What marks a block or a line that is left out.
const MARK: &str = "not run by the tests";

/// A fenced block: what stands after ```, its lines, and the text before it since the last block.
struct Block<'a> {
    info: &'a str,
    text: String,
    before: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut found, mut before, mut open): (Vec<Block>, String, Option<Block>) =
        (vec![], String::new(), None);
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let before = std::mem::take(&mut before);
                open = Some(Block { info: info.trim(), text: String::new(), before });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => before += &format!("{line}\n"),
        }
    }
    found
}

/// "strut.toml", if the paragraph before a block names a model last.
fn file_name(before: &str) -> Option<&str> {
    let paragraph = before.trim_end().rsplit("\n\n").next()?;
    let quoted = paragraph.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.ends_with(".toml") && !word.contains(['/', ' '])).last()
}

/// Commands run and left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    run: usize,
    left_out: usize,
}

fn commands(block: &str) -> impl Iterator<Item = &str> {
    block.lines().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#'))
}

fn run_page(path: &Path) -> Count {
    let page = fs::read_to_string(path).unwrap();
    let (folder, mut count) = (Folder::new(), Count::default());
    // A home as shells that complete commands have it, and the program where it is found.
    for inner in ["bin", ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(folder.path(inner)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_trunnion"), folder.path("bin/trunnion")).unwrap();
    let search = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    for block in blocks(&page) {
        if let (Some(name), "toml") = (file_name(&block.before), block.info) {
            folder.write(name, &block.text);
        }
        if block.info.split(' ').next() != Some("sh") {
            continue;
        }
        if block.info != "sh" {
            assert!(block.info.contains(MARK), "{}: `{}`", path.display(), block.info);
            count.left_out += commands(&block.text).count();
            continue;
        }
        for line in commands(&block.text) {
            if line.contains(MARK) {
                count.left_out += 1;
                continue;
            }
            let mut shell = std::process::Command::new("sh");
            shell.args(["-e", "-c", line]).current_dir(folder.path("")).stdin(std::process::Stdio::null());
            let done = shell.env("PATH", &search).env("HOME", folder.path("")).output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}: {line}\n{said}", path.display());
            count.run += 1;
        }
    }
    count
}

pub fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => pages(&path, found),
            false if path.extension().is_some_and(|e| e == "md") => found.push(path),
            false => {}
        }
    }
}

/// Fewer commands would mean that blocks are no longer found, more left out that the mark is used where it need not.
const LEAST_RUN: usize = 50;
const MOST_LEFT_OUT: usize = 14;

#[test]
#[cfg(unix)]
fn every_command_in_the_documents_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = vec![root.join("README.md")];
    pages(&root.join("docs"), &mut all);
    let counts: Vec<Count> = thread::scope(|scope| {
        let workers: Vec<_> = all.iter().map(|page| scope.spawn(|| run_page(page))).collect();
        workers.into_iter().map(|w| w.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    let run: usize = counts.iter().map(|c| c.run).sum();
    let left_out: usize = counts.iter().map(|c| c.left_out).sum();
    println!("{run} commands of {} pages were run, {left_out} are marked as not run", all.len());
    assert!(run >= LEAST_RUN && left_out <= MOST_LEFT_OUT, "{run} run, {left_out} left out");
}

#[test]
fn blocks_and_the_files_they_are_for_are_found() {
    let page =
        "Write `a.toml`:\n\n```toml\nx = 1\n```\n\ntext\n\n```sh (not run by the tests: why)\ny\n```\n";
    let found = blocks(page);
    let infos: Vec<&str> = found.iter().map(|b| b.info).collect();
    assert_eq!(infos, ["toml", "sh (not run by the tests: why)"]);
    assert_eq!((file_name(&found[0].before), found[0].text.as_str()), (Some("a.toml"), "x = 1\n"));
    assert_eq!(file_name(&found[1].before), None);
}

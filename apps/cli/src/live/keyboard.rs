//! Keys as they are pressed: a terminal that hands over every character at once, and a thread that reads it.
//!
//! The terminal is switched by `stty`, and back when the keyboard is dropped. Signals stay on: Ctrl-C ends a run.

use std::io::{self, IsTerminal, Read};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Keys that wait for the next period; more at once are dropped.
const WAITING: usize = 256;

pub struct Keyboard {
    keys: Receiver<String>,
    /// What `stty` restores.
    before: String,
    done: Arc<AtomicBool>,
}

impl Keyboard {
    /// None where no terminal is connected, or it cannot be switched.
    pub fn open() -> Option<Self> {
        if !io::stdin().is_terminal() {
            return None;
        }
        let before = stty(&["-g"])?;
        // A read comes back after a tenth of a second, with nothing if nothing was pressed.
        stty(&["-icanon", "-echo", "min", "0", "time", "1"])?;
        let (send, keys) = sync_channel(WAITING);
        let done = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&done);
        thread::spawn(move || listen(&send, &stop));
        Some(Keyboard { keys, before: before.trim().to_string(), done })
    }

    /// The next key that was pressed, if there is one.
    pub fn next(&self) -> Option<String> {
        self.keys.try_recv().ok()
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let _ = stty(&[&self.before]);
    }
}

/// What `stty` says of the terminal at standard input.
fn stty(arguments: &[&str]) -> Option<String> {
    let output = Command::new("stty").args(arguments).stdin(Stdio::inherit()).stderr(Stdio::null()).output();
    let output = output.ok().filter(|o| o.status.success())?;
    String::from_utf8(output.stdout).ok()
}

fn listen(keys: &SyncSender<String>, stop: &AtomicBool) {
    let mut waiting = Vec::new();
    let mut bytes = [0; 64];
    while !stop.load(Ordering::Relaxed) {
        let Ok(n) = io::stdin().read(&mut bytes) else { return };
        waiting.extend_from_slice(&bytes[..n]);
        for key in decode(&mut waiting) {
            let _ = keys.try_send(key);
        }
    }
}

/// Takes whole keys from the front; the beginning of one stays.
fn decode(bytes: &mut Vec<u8>) -> Vec<String> {
    let mut keys = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (key, length) = match rest {
            [0x1b, b'[' | b'O', last, ..] => (arrow(*last), 3),
            // An escape alone, or the beginning of an arrow.
            [] | [0x1b] | [0x1b, b'[' | b'O'] => break,
            [0x1b, ..] => (None, 1),
            [b' ', ..] => (Some("space".to_string()), 1),
            [b'\r' | b'\n', ..] => (Some("enter".to_string()), 1),
            [b'\t', ..] => (Some("tab".to_string()), 1),
            [byte, ..] => {
                let length = [(0xc0, 1), (0xe0, 2), (0xf0, 3), (0xf8, 4)];
                let length = length.iter().find(|(below, _)| byte < below).map_or(1, |(_, n)| *n);
                match rest.get(..length) {
                    Some(character) => (std::str::from_utf8(character).ok().map(String::from), length),
                    None => break,
                }
            }
        };
        keys.extend(key.filter(|key| !key.chars().all(char::is_control)));
        at += length;
    }
    bytes.drain(..at);
    keys
}

fn arrow(last: u8) -> Option<String> {
    let name = match last {
        b'A' => "up",
        b'B' => "down",
        b'C' => "right",
        b'D' => "left",
        _ => return None,
    };
    Some(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_keys() {
        let check = |bytes: &[u8], expected: &[&str], left: usize| {
            let mut bytes = bytes.to_vec();
            assert_eq!(
                (decode(&mut bytes), bytes.len()),
                (expected.iter().map(|k| k.to_string()).collect(), left)
            );
        };
        check(b"qa ", &["q", "a", "space"], 0);
        check("ö\r\t".as_bytes(), &["ö", "enter", "tab"], 0);
        check(b"\x1b[A\x1bOD\x1b[Zx", &["up", "left", "x"], 0);
        check(b"a\x1b[", &["a"], 2);
        check(&[b'a', 0xc3], &["a"], 1);
        check(&[0x01, 0xff, b'b'], &["b"], 0);
    }
}

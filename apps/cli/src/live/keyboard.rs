//! Keys as they are pressed: a terminal that hands over every key at once, and a thread that reads it.
//!
//! The terminal is switched to raw mode, and back when the keyboard is dropped. Raw mode keeps Ctrl-C from becoming a signal: the
//! thread that reads does what the signal would.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use trunnion_study::Cancel;

use crate::session::interrupt;

/// Keys that wait for the next period; more at once are dropped.
const WAITING: usize = 256;
/// Time between two looks whether the keyboard is still wanted.
const LOOK: Duration = Duration::from_millis(50);

pub struct Keyboard {
    keys: Receiver<String>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keyboard {
    /// None where no terminal is connected, or it cannot be switched.
    pub fn open(cancel: Cancel) -> Option<Self> {
        if !io::stdin().is_terminal() || enable_raw_mode().is_err() {
            return None;
        }
        let (send, keys) = sync_channel(WAITING);
        let done = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&done);
        let thread = thread::spawn(move || {
            listen(&send, &stop, &cancel);
            // Also where the terminal has gone: Ctrl-C is a signal again.
            let _ = disable_raw_mode();
        });
        Some(Keyboard { keys, done, thread: Some(thread) })
    }

    /// The next key that was pressed, if there is one.
    pub fn next(&self) -> Option<String> {
        self.keys.try_recv().ok()
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn listen(keys: &SyncSender<String>, stop: &AtomicBool, cancel: &Cancel) {
    while !stop.load(Ordering::Relaxed) {
        let event = match poll(LOOK) {
            Ok(true) => read(),
            Ok(false) => continue,
            Err(_) => return,
        };
        match event {
            Ok(Event::Key(key)) if is_interrupt(&key) => interrupt(cancel),
            Ok(Event::Key(key)) => drop(name(&key).map(|key| keys.try_send(key))),
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

fn is_interrupt(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c')
}

/// What a key is called in [live]; None: one that no model can name, as F5.
fn name(key: &KeyEvent) -> Option<String> {
    let others = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META;
    if key.kind == KeyEventKind::Release || key.modifiers.intersects(others) {
        return None;
    }
    let name = match key.code {
        KeyCode::Up => "up",
        KeyCode::Down => "down",
        KeyCode::Left => "left",
        KeyCode::Right => "right",
        KeyCode::Enter => "enter",
        KeyCode::Tab => "tab",
        KeyCode::Char(' ') => "space",
        KeyCode::Char(c) if !c.is_control() => return Some(c.to_string()),
        _ => return None,
    };
    Some(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_names_of_models() {
        let plain = |code| name(&KeyEvent::new(code, KeyModifiers::NONE));
        for (code, expected) in [
            (KeyCode::Char('q'), Some("q")),
            (KeyCode::Char('ö'), Some("ö")),
            (KeyCode::Char(' '), Some("space")),
            (KeyCode::Enter, Some("enter")),
            (KeyCode::Left, Some("left")),
            (KeyCode::F(5), None),
            (KeyCode::PageUp, None),
            (KeyCode::Esc, None),
        ] {
            assert_eq!(plain(code).as_deref(), expected, "{code:?}");
        }
        assert_eq!(name(&KeyEvent::new(KeyCode::Char('Q'), KeyModifiers::SHIFT)).as_deref(), Some("Q"));
        let with = |modifiers| KeyEvent::new(KeyCode::Char('c'), modifiers);
        assert_eq!(name(&with(KeyModifiers::ALT)), None);
        assert!(is_interrupt(&with(KeyModifiers::CONTROL)) && !is_interrupt(&with(KeyModifiers::NONE)));
    }
}

//! The line that shows how a live run fares, written by a thread of its own: a slow terminal delays no period.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunnion_model::diagnostic::visible;

use super::keyboard::Keyboard;
use crate::commands::run::seconds;
use trunnion_num::text::with_unit;
use trunnion_study::live::pilot::{Operator, Status};

/// Time between two pictures of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// The thread that shows it.
pub struct Screen {
    shared: Arc<Mutex<Status>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A keyboard and a line of the terminal.
pub struct Terminal {
    pub keyboard: Option<Keyboard>,
    pub screen: Screen,
}

impl Operator for Terminal {
    fn key(&mut self) -> Option<String> {
        self.keyboard.as_ref().and_then(Keyboard::next)
    }

    fn watches(&self) -> bool {
        self.screen.thread.is_some()
    }

    /// Unless it is just being read.
    fn show(&mut self, change: &mut dyn FnMut(&mut Status)) {
        if let Ok(mut status) = self.screen.shared.try_lock() {
            change(&mut status);
        }
    }
}

impl Screen {
    /// `labels`: name and unit of each value. Nothing is shown where standard error is no terminal.
    pub fn open(labels: Vec<(String, String)>, quiet: bool) -> Self {
        let values = vec![0.0; labels.len()];
        let shared = Arc::new(Mutex::new(Status { values, ..Status::default() }));
        let shown = !quiet && std::io::stderr().is_terminal();
        let done = Arc::new(AtomicBool::new(false));
        let (from, end) = (Arc::clone(&shared), Arc::clone(&done));
        let thread = shown.then(|| thread::spawn(move || show(&from, &end, &labels)));
        Screen { shared, done, thread }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
            eprint!("\r\x1b[2K");
        }
    }
}

fn show(shared: &Mutex<Status>, done: &AtomicBool, labels: &[(String, String)]) {
    loop {
        thread::sleep(INTERVAL);
        let status = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if done.load(Ordering::Relaxed) {
            return;
        }
        eprint!("\r\x1b[2K{}", visible(&line(&status, labels)));
        let _ = std::io::stderr().flush();
    }
}

fn line(status: &Status, labels: &[(String, String)]) -> String {
    let [median, most] = [0.5, 0.999].map(|share| seconds(status.times.share(share)));
    let mut line = format!(
        "t = {:.2} s  {:.3} × real time  median {median}, 99.9 % {most}, worst {}  {} missed",
        status.t,
        status.factor,
        seconds(status.times.worst),
        status.missed
    );
    if status.overruns > 0 {
        let _ = write!(line, ", {} overruns", status.overruns);
    }
    for ((name, unit), value) in labels.iter().zip(&status.values) {
        let _ = write!(line, "  {name} {}", with_unit(*value, unit, 4));
    }
    if status.paused {
        line += "  paused";
    }
    if !status.note.is_empty() {
        let _ = write!(line, "  {}", status.note);
    }
    line
}

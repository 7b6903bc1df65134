//! The line that shows how a live run fares, written by a thread of its own: a slow terminal delays no period.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunnion_model::diagnostic::visible;

use crate::commands::run::seconds;
use trunnion_num::text::with_unit;
use trunnion_study::live::times::Times;

/// Time between two pictures of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// What is shown.
#[derive(Clone, Default)]
pub struct Status {
    pub t: f64,
    /// Simulated over real time.
    pub factor: f64,
    pub times: Times,
    pub missed: u64,
    pub overruns: u64,
    /// Values to show, as they are shown.
    pub values: Vec<f64>,
    pub paused: bool,
    /// A word about what was just done.
    pub note: String,
    done: bool,
}

/// The thread that shows it.
pub struct Screen {
    shared: Arc<Mutex<Status>>,
    thread: Option<JoinHandle<()>>,
}

impl Screen {
    /// `labels`: name and unit of each value. Nothing is shown where standard error is no terminal.
    pub fn open(labels: Vec<(String, String)>, quiet: bool) -> Self {
        let values = vec![0.0; labels.len()];
        let shared = Arc::new(Mutex::new(Status { values, ..Status::default() }));
        let shown = !quiet && std::io::stderr().is_terminal();
        let from = Arc::clone(&shared);
        let thread = shown.then(|| thread::spawn(move || show(&from, &labels)));
        Screen { shared, thread }
    }

    pub fn is_shown(&self) -> bool {
        self.thread.is_some()
    }

    /// Changes what is shown, unless it is just being read.
    pub fn update(&self, change: impl FnOnce(&mut Status)) {
        if let Ok(mut status) = self.shared.try_lock() {
            change(&mut status);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).done = true;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
            eprint!("\r\x1b[2K");
        }
    }
}

fn show(shared: &Mutex<Status>, labels: &[(String, String)]) {
    loop {
        thread::sleep(INTERVAL);
        let status = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if status.done {
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

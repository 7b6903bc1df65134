//! The line that shows how a live run fares, written by a thread of its own: a slow terminal delays no period.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunnion_model::diagnostic::visible;

use super::keyboard::Keyboard;
use crate::commands::run::seconds;
use trunnion_num::text::with_unit;
use trunnion_study::live::pilot::{LiveOperator, Status};

/// Time between two pictures of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// Columns of a terminal that does not tell.
const WIDTH: usize = 80;

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

impl LiveOperator for Terminal {
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
        eprint!("\r\x1b[2K{}", visible(&line(&status, labels, width())));
        let _ = std::io::stderr().flush();
    }
}

/// Columns of the terminal but the last, where some begin a new line.
fn width() -> usize {
    crossterm::terminal::size().map_or(WIDTH, |(columns, _)| usize::from(columns)).max(2) - 1
}

/// As much as fits: what is asked for by the model before how long periods take.
fn line(status: &Status, labels: &[(String, String)], width: usize) -> String {
    let mut line = format!("t = {:.2} s  {:.3} × real time", status.t, status.factor);
    let mut add = |piece: &str| {
        if !piece.is_empty() && line.chars().count() + 2 + piece.chars().count() <= width {
            line += "  ";
            line += piece;
        }
    };
    if status.paused {
        add("paused");
    }
    add(&status.note);
    if status.missed > 0 {
        add(&format!("{} missed", status.missed));
    }
    if status.overruns > 0 {
        add(&format!("{} overruns", status.overruns));
    }
    for ((name, unit), value) in labels.iter().zip(&status.values) {
        add(&format!("{name} {}", with_unit(*value, unit, 4)));
    }
    add(&format!("median {}", seconds(status.times.share(0.5))));
    add(&format!("worst {}", seconds(status.times.worst)));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_the_terminal() {
        let label = |name: &str, unit: &str| (name.to_string(), unit.to_string());
        let labels = [label("boom.cylinder.p_a", "bar"), label("stick.phi", "deg"), label("tip.v", "m/s")];
        let values = vec![123.456, -45.25, 1e-3];
        let status =
            Status { t: 1234.5, factor: 1.0, missed: 3, values, note: "saved".into(), ..Status::default() };
        let full = line(&status, &labels, 200);
        assert!(full.contains("tip.v 0.001 m/s") && full.contains("worst"), "{full}");
        for width in [40, 60, 80, 100] {
            let cut = line(&status, &labels, width);
            assert!(cut.chars().count() <= width && cut.starts_with("t = 1234.50 s"), "{width}: {cut}");
        }
        assert!(line(&status, &labels, 80).contains("boom.cylinder.p_a 123.5 bar"));
        assert!(!line(&status, &labels, 80).contains("median"));
    }
}

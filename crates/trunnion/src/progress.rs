//! The line that shows how far a run is: simulated time, speed against real time, events.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between two pictures of the line.
const PERIOD: Duration = Duration::from_millis(100);

pub struct ProgressLine {
    t_0: f64,
    t_end: f64,
    start: Instant,
    last: Instant,
    shown: bool,
    enabled: bool,
    /// Looking at the clock costs more than a small step: only every so many calls.
    calls: u32,
}

impl ProgressLine {
    pub fn new(t_0: f64, t_end: f64, quiet: bool) -> Self {
        let now = Instant::now();
        let enabled = !quiet && std::io::stderr().is_terminal();
        ProgressLine { t_0, t_end, start: now, last: now, shown: false, enabled, calls: 0 }
    }

    pub fn update(&mut self, t: f64, events: u64) {
        self.calls = self.calls.wrapping_add(1);
        if !self.enabled || !self.calls.is_multiple_of(64) || self.last.elapsed() < PERIOD {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let share = ((t - self.t_0) / (self.t_end - self.t_0)).clamp(0.0, 1.0);
        let speed = (t - self.t_0) / self.start.elapsed().as_secs_f64();
        let filled = (share * 30.0) as usize;
        let bar: String = (0..30).map(|i| if i < filled { '━' } else { '╌' }).collect();
        let events = if events == 1 { "1 event".into() } else { format!("{events} events") };
        eprint!("\r\x1b[2K{bar} {:>3.0} %  t = {t:.4} s  {speed:.3} × real time  {events}", 100.0 * share);
        let _ = std::io::stderr().flush();
    }

    pub fn clear(&mut self) {
        if self.shown {
            eprint!("\r\x1b[2K");
            self.shown = false;
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

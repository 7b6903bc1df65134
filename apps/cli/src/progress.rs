//! The line that shows how far work is: simulated time, speed against real time, events; or pieces that are done.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunnion_study::monitor::{Progress, RunProgress};

/// Time between two pictures of the line.
const PERIOD: Duration = Duration::from_millis(100);

/// On standard error, where that is a terminal.
pub struct ProgressLine {
    enabled: bool,
    /// When the line was shown last, since it was cleared.
    shown: Mutex<Option<Instant>>,
}

impl ProgressLine {
    pub fn shared() -> Arc<Self> {
        Arc::new(ProgressLine { enabled: std::io::stderr().is_terminal(), shown: Mutex::default() })
    }

    fn show(&self, line: &str) {
        eprint!("\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
    }
}

impl Progress for ProgressLine {
    fn run(&self, at: RunProgress) {
        if !self.enabled || at.wall < PERIOD {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_some_and(|last| last.elapsed() < PERIOD) {
            return;
        }
        *shown = Some(Instant::now());
        let RunProgress { t, t_0, t_end, events, wall } = at;
        let share = ((t - t_0) / (t_end - t_0)).clamp(0.0, 1.0);
        let speed = (t - t_0) / wall.as_secs_f64();
        let filled = (share * 30.0) as usize;
        let bar: String = (0..30).map(|i| if i < filled { '━' } else { '╌' }).collect();
        let events = if events == 1 { "1 event".into() } else { format!("{events} events") };
        self.show(&format!("{bar} {:>3.0} %  t = {t:.4} s  {speed:.3} × real time  {events}", 100.0 * share));
    }

    fn pieces(&self, done: usize, n: usize, what: &str) {
        if self.enabled && n > 1 {
            *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            self.show(&format!("{done} of {n} {what}"));
        }
    }

    fn end(&self) {
        if self.shown.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            self.show("");
        }
    }
}

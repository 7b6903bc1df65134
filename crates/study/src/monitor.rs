//! How work goes on: whether it is to end early, and who is told how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use trunnion_engine::PartWatch;

/// Asks work to end. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Ends all work that watches this one or a clone of it. True if that was asked for before.
    pub fn cancel(&self) -> bool {
        self.flag.swap(true, Ordering::SeqCst)
    }

    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.deadline.is_some_and(|end| Instant::now() > end)
    }

    /// The same, and work ends as if cancelled after `limit` from now.
    pub fn within(&self, limit: Duration) -> Cancel {
        Cancel { flag: self.flag.clone(), deadline: Instant::now().checked_add(limit) }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct RunProgress {
    pub t: f64,
    pub t_0: f64,
    pub t_end: f64,
    pub events: u64,
    /// Since the run began.
    pub wall: Duration,
}

/// Told now and then; nothing has to be done with it.
pub trait Progress: Send + Sync {
    fn run(&self, _: RunProgress) {}
    /// So many of `n` pieces of work are done; `what` they are.
    fn pieces(&self, _done: usize, _n: usize, _what: &str) {}
    /// What was told last is over.
    fn end(&self) {}
}

/// Reports to no one.
struct NoProgress;

impl Progress for NoProgress {}

#[derive(Clone)]
pub struct Monitor {
    pub cancel: Cancel,
    pub progress: Arc<dyn Progress>,
}

impl Default for Monitor {
    fn default() -> Self {
        Monitor { cancel: Cancel::default(), progress: Arc::new(NoProgress) }
    }
}

impl Monitor {
    /// Ends with the other one, and reports nothing.
    pub fn quiet(&self) -> Monitor {
        Monitor { cancel: self.cancel.clone(), ..Monitor::default() }
    }

    /// The same, for work that ends after `limit` as if cancelled.
    pub fn within(&self, limit: Duration) -> Monitor {
        Monitor { cancel: self.cancel.within(limit), progress: self.progress.clone() }
    }

    /// Tells the stages of the reduction of elastic parts, and ends it where work is cancelled.
    pub fn reduction(&self) -> PartWatch {
        let monitor = self.clone();
        Arc::new(move |body, stage, n| {
            match stage < n {
                true => monitor.progress.pieces(stage, n, &format!("stages of the reduction of `{body}`")),
                false => monitor.progress.end(),
            }
            !monitor.is_cancelled()
        })
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Tells how far a run is. Looking at the clock costs more than a small step: only every so many calls.
pub(crate) struct ProgressPace<'a> {
    monitor: &'a Monitor,
    start: Instant,
    span: (f64, f64),
    calls: u32,
}

const CALLS: u32 = 64;

impl<'a> ProgressPace<'a> {
    pub fn new(monitor: &'a Monitor, span: (f64, f64)) -> Self {
        ProgressPace { monitor, start: Instant::now(), span, calls: 0 }
    }

    pub fn tell(&mut self, t: f64, events: u64) {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(CALLS) {
            let ((t_0, t_end), wall) = (self.span, self.elapsed());
            self.monitor.progress.run(RunProgress { t, t_0, t_end, events, wall });
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.monitor.is_cancelled()
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_cancelled_together_and_deadlines_alone() {
        let cancel = Cancel::default();
        let (clone, hurried) = (cancel.clone(), cancel.within(Duration::ZERO));
        std::thread::sleep(Duration::from_millis(2));
        assert!(hurried.is_cancelled() && !clone.is_cancelled());
        assert!(!cancel.cancel() && clone.is_cancelled() && cancel.cancel());
    }
}

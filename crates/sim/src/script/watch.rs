//! Calls that do not return. The engine looks at its limits between steps of a program, not inside a built-in; a watchdog from
//! another thread sees that the count of a script stands still while it is inside.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Counts the beginnings and ends of a script's calls: odd while it is inside one.
#[derive(Debug)]
pub struct CallCount {
    /// The file or the controller.
    pub name: String,
    /// How long a call may take.
    pub limit: Duration,
    count: AtomicU64,
}

static ALL: Mutex<Vec<Weak<CallCount>>> = Mutex::new(vec![]);

/// All scripts there are.
pub fn calls() -> Vec<Arc<CallCount>> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|count| count.strong_count() > 0);
    all.iter().filter_map(Weak::upgrade).collect()
}

impl CallCount {
    pub(super) fn register(name: &str, limit: Duration) -> Arc<CallCount> {
        let count = Arc::new(CallCount { name: name.into(), limit, count: AtomicU64::new(0) });
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|count| count.strong_count() > 0);
        all.push(Arc::downgrade(&count));
        count
    }

    /// The number of the call it is inside of, if it is inside one.
    pub fn inside(&self) -> Option<u64> {
        Some(self.count.load(Ordering::Relaxed)).filter(|count| count % 2 == 1)
    }

    /// A call begins; it ends when the answer goes.
    pub(super) fn enter(&self) -> Inside<'_> {
        // Asked for an explanation, or a snapshot, a call may make another: the outer one counts.
        let outer = self.count.fetch_or(1, Ordering::Relaxed).is_multiple_of(2);
        Inside { count: self, outer }
    }
}

pub(super) struct Inside<'a> {
    count: &'a CallCount,
    outer: bool,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        if self.outer {
            self.count.count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

//! The last firings of a guard, and whether they come ever faster.

use trunnion_num::Archive;

/// Firings of one guard that make a burst.
pub(crate) const BURST: usize = 20;
/// Intervals shrink if the later half of those remembered takes less than this share of the earlier half …
const SHRINKING: f64 = 0.97;
/// … of at least so many each.
const FEWEST: usize = 4;

/// Firings of one guard.
#[derive(Clone, Copy, Debug)]
pub struct History {
    /// The last times, a ring.
    times: [f64; BURST],
    pub count: usize,
    /// Sign after the last.
    pub heading: i8,
    /// How often in a row it fired by leaving zero, where its event had put it.
    pub put_back: usize,
    pub put_back_since: f64,
}

impl Default for History {
    fn default() -> Self {
        History { times: [f64::NEG_INFINITY; BURST], count: 0, heading: 0, put_back: 0, put_back_since: 0.0 }
    }
}

impl History {
    pub fn add(&mut self, t: f64, heading: i8) {
        self.times[self.count % BURST] = t;
        self.count += 1;
        self.heading = heading;
    }

    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.times);
        archive.count(&mut self.count);
        archive.sign(&mut self.heading);
        archive.count(&mut self.put_back);
        archive.number(&mut self.put_back_since);
    }

    /// The time of the firing before the last `back`; −∞ if there was none or it is forgotten.
    pub fn time(&self, back: usize) -> f64 {
        if back < self.count.min(BURST) {
            self.times[(self.count - 1 - back) % BURST]
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Time that all firings to come will take if their intervals go on shrinking as they have; ∞ if they do not shrink.
    pub(crate) fn remaining_time(&self) -> f64 {
        let half = (self.count.min(BURST) - 1) / 2;
        let (later, both) = (self.time(0) - self.time(half), self.time(0) - self.time(2 * half));
        let ratio = later / (both - later);
        if half >= FEWEST && ratio < SHRINKING { later * ratio / (1.0 - ratio) } else { f64::INFINITY }
    }
}

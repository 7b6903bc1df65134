//! Step ends of fixed-step solvers: t_k = t_start + k h, without drift.
//!
//! A limit that falls between two step ends cuts the step there; the one after it ends at t_k again.

use trunnion_num::Archive;

/// A step end closer to the limit than this share of h is the limit.
const SNAP: f64 = 1e-6;
/// Step of a fixed-step solver whose user gave none (s): fits mechanisms and fluid power, not acoustics.
pub(crate) const DEFAULT_STEP: f64 = 1e-3;

#[derive(Clone, Debug, Default)]
pub struct FixedSteps {
    start: f64,
    h: f64,
    k: u64,
}

impl FixedSteps {
    pub fn new(start: f64, h: f64) -> Self {
        FixedSteps { start, h, k: 0 }
    }

    pub fn remember(&mut self, archive: &mut Archive) {
        archive.number(&mut self.start);
        archive.number(&mut self.h);
        archive.word(&mut self.k);
    }

    /// End of the step that begins at `t`: later than `t`, at or before `limit`.
    pub fn next(&mut self, t: f64, limit: f64) -> f64 {
        let mut end = self.start + self.k as f64 * self.h;
        while end - t <= SNAP * self.h {
            self.k += 1;
            // Steps below the resolution of time end at the limit.
            if self.start + self.k as f64 * self.h <= end {
                return limit;
            }
            end = self.start + self.k as f64 * self.h;
        }
        if end + SNAP * self.h >= limit { limit } else { end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_drift_and_limits_cut_one_step_only() {
        let mut steps = FixedSteps::new(0.0, 0.1);
        let mut t = 0.0;
        let mut ends = vec![];
        for limit in [0.25, 1.0] {
            while t < limit {
                t = steps.next(t, limit);
                ends.push(t);
            }
        }
        assert_eq!(ends[..4], [0.1, 0.2, 0.25, 3.0 * 0.1]);
        assert_eq!((ends.len(), t), (11, 1.0));
    }
}

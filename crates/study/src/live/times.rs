//! How long periods take: a histogram on a logarithmic scale, so that hours need no more memory than seconds.

use std::time::Duration;

/// Bins per factor e: each is 1 % wide.
const BINS_PER_E: f64 = 100.0;
/// The shortest time told apart (s): e^(15) of it are 0.3 s, and the last bin takes what is longer.
const SHORTEST: f64 = 1e-7;
const BINS: usize = 1700;

#[derive(Clone)]
pub struct TimeHistogram {
    bins: Vec<u32>,
    count: u64,
    /// All together, and the longest (s).
    pub sum: f64,
    pub worst: f64,
}

impl Default for TimeHistogram {
    fn default() -> Self {
        TimeHistogram { bins: vec![0; BINS], count: 0, sum: 0.0, worst: 0.0 }
    }
}

impl TimeHistogram {
    pub fn add(&mut self, time: Duration) {
        let s = time.as_secs_f64();
        let bin = (BINS_PER_E * (s / SHORTEST).ln()).clamp(0.0, (BINS - 1) as f64);
        self.bins[bin as usize] += 1;
        self.count += 1;
        self.sum += s;
        self.worst = self.worst.max(s);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time that this share of periods keeps (s), to 1 %.
    pub fn share(&self, share: f64) -> f64 {
        let wanted = share * self.count as f64;
        let mut seen = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            seen += u64::from(*count);
            if seen as f64 >= wanted && seen > 0 {
                return (SHORTEST * ((bin + 1) as f64 / BINS_PER_E).exp()).min(self.worst);
            }
        }
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_known_to_a_hundredth() {
        let mut times = TimeHistogram::default();
        (1..=1000).for_each(|k| times.add(Duration::from_nanos(10 * 1000 + 10 * k)));
        times.add(Duration::from_secs(2));
        for (share, expected) in [(0.5, 15e-6), (0.99, 19.9e-6), (1.0, 2.0)] {
            let found = times.share(share);
            assert!((found / expected - 1.0).abs() < 0.011, "{share}: {found}");
        }
        assert_eq!((times.count(), times.worst), (1001, 2.0));
        assert_eq!(TimeHistogram::default().share(0.5), 0.0);
    }
}

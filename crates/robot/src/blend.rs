//! Via points without a stop: the next motion begins before the one before has ended, and both are added.
//!
//!   q(t) = q_0 + Σ_k Δ_k s_k(t − t_k),   t_{k+1} = t_k + T_k − τ_k                                      (1)
//!
//! τ_k is the overlap: at most half of either motion, so that one only brakes while the other only accelerates, and so short
//! that the path leaves and rejoins the straight pieces within the zone around the via point. Sums of C² laws are C².
//! Acceleration and jerk hold by construction, because the laws beside a via point are planned with a share of the limits;
//! speed holds because the overlap is shortened until its peak fits.

use crate::time_law::TimeLaw;

/// Motions one after the other, with their overlaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LawChain {
    pub laws: Vec<TimeLaw>,
    pub starts: Vec<f64>,
    pub duration: f64,
}

impl LawChain {
    /// (1): `overlap(k)` is the one between law k and the next.
    pub fn new(laws: Vec<TimeLaw>, overlap: impl Fn(usize) -> f64) -> LawChain {
        let mut starts = vec![];
        let mut t = 0.0;
        for (k, law) in laws.iter().enumerate() {
            starts.push(t);
            t += law.duration - if k + 1 < laws.len() { overlap(k) } else { 0.0 };
        }
        LawChain { laws, starts, duration: t }
    }

    /// Motions that have begun and not ended at t; the last ended one if none has.
    pub fn active(&self, t: f64) -> std::ops::Range<usize> {
        let begun = self.starts.partition_point(|s| *s <= t).max(1);
        let two = begun >= 2 && t < self.starts[begun - 2] + self.laws[begun - 2].duration;
        begun - if two { 2 } else { 1 }..begun
    }

    /// Which motion, and how much of it: what is told to the user.
    pub fn place(&self, t: f64) -> (usize, f64) {
        let k = self.active(t).start;
        let law = &self.laws[k];
        let share = if law.length > 0.0 { law.at(t - self.starts[k]).x / law.length } else { 1.0 };
        (k, share)
    }
}

/// The longest overlap for a zone that is so large a share of either motion.
pub(crate) fn longest_overlap(first: &TimeLaw, second: &TimeLaw, shares: [f64; 2]) -> f64 {
    let leaving = first.duration - first.time_at((1.0 - shares[0].clamp(0.0, 0.5)) * first.length);
    let joining = second.time_at(shares[1].clamp(0.0, 0.5) * second.length);
    // Half of the way is half of the time: laws are symmetric.
    leaving.min(joining)
}

/// The longest overlap up to `most` that passes; without any there is a stop, which always does.
pub(crate) fn shortened(most: f64, fits: impl Fn(f64) -> bool) -> f64 {
    if most <= 0.0 || fits(most) {
        return most.max(0.0);
    }
    let (mut low, mut high) = (0.0, most);
    // A millionth of the overlap is not worth more.
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

/// Largest |c_1 v_1 + c_2 v_2| while both move. Between knots the sum is a polynomial: each piece is divided and a parabola laid
/// through three points of every part, which is exact for all laws but the quintic (1e-4 there, which `margin` covers).
pub(crate) fn peak_speed(first: &TimeLaw, second: &TimeLaw, overlap: f64, c: [f64; 2]) -> f64 {
    let from = first.duration - overlap;
    let speed = |t: f64| c[0] * first.at(t).v + c[1] * second.at(t - from).v;
    let mut knots: Vec<f64> = first.knots().chain(second.knots().map(|k| k + from)).collect();
    knots.retain(|k| *k > from && *k < first.duration);
    knots.extend([from, first.duration]);
    knots.sort_by(f64::total_cmp);
    const PARTS: usize = 16;
    let mut peak = 0.0_f64;
    for pair in knots.windows(2) {
        let h = (pair[1] - pair[0]) / PARTS as f64;
        for i in 0..PARTS {
            let t = pair[0] + h * i as f64;
            let [a, b, d] = [speed(t), speed(t + 0.5 * h), speed(t + h)];
            peak = peak.max(a.abs()).max(b.abs()).max(d.abs());
            let curvature = a - 2.0 * b + d;
            let shift = if curvature == 0.0 { 0.0 } else { (a - d) / (2.0 * curvature) };
            if shift.abs() < 1.0 {
                peak = peak.max((b - 0.25 * (a - d) * shift).abs());
            }
        }
    }
    peak
}

/// What a peak may be: rounding, and the quintic's interpolation.
pub(crate) fn margin(quintic: bool) -> f64 {
    if quintic { 1.0 - 1e-4 } else { 1.0 + 1e-9 }
}

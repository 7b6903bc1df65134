//! Rainflow counting, S–N line and linear damage.
//!
//! Counting: of the three last reversals with ranges Y (older) and X, if X ≥ Y then Y is a cycle, or half of one when it holds the first
//! reversal; what is left at the end counts as halves.                                                              (1)  [ASTM E1049-85, §5.4.4]
//!
//!   N(S) = N_k (S_k/S)^m,  m above the knee, m_2 below it, no damage below the cut-off                               (2)
//!   D = Σ n/N                                                                                                    (3)  [Palmgren, Miner]

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RainflowCycle {
    pub range: f64,
    pub mean: f64,
    /// 1, or ½.
    pub count: f64,
}

/// Ranges of stress against cycles to failure, straight in logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnLine {
    pub knee_range: f64,
    pub knee_cycles: f64,
    pub slope: f64,
    /// Below the knee; the same for one straight line.
    pub slope_below: f64,
    /// Ranges below this do no damage.
    pub cut_off: f64,
}

impl SnLine {
    /// (2)
    pub(crate) fn cycles_to_failure(&self, range: f64) -> f64 {
        if range <= 0.0 || range < self.cut_off {
            return f64::INFINITY;
        }
        let slope = if range >= self.knee_range { self.slope } else { self.slope_below };
        self.knee_cycles * (self.knee_range / range).powf(slope)
    }

    /// (3)
    pub fn damage(&self, cycles: &[RainflowCycle]) -> f64 {
        cycles.iter().map(|c| c.count / self.cycles_to_failure(c.range)).sum()
    }
}

/// First and last value and every turn between them.
fn reversals(history: &[f64]) -> Vec<f64> {
    let mut turns: Vec<f64> = vec![];
    for &value in history {
        match turns[..] {
            [.., last] if last == value => {}
            // Goes on in the same direction: the turn moves.
            [.., before, last] if (last - before) * (value - last) > 0.0 => {
                turns.pop();
                turns.push(value);
            }
            _ => turns.push(value),
        }
    }
    turns
}

/// Cycles of a history, in the order in which they close.
pub fn rainflow(history: &[f64]) -> Vec<RainflowCycle> {
    let cycle =
        |a: f64, b: f64, count: f64| RainflowCycle { range: (a - b).abs(), mean: (a + b) / 2.0, count };
    let mut cycles = vec![];
    let mut stack: Vec<f64> = vec![];
    for value in reversals(history) {
        stack.push(value);
        while let [.., a, b, c] = stack[..] {
            if (c - b).abs() < (b - a).abs() {
                break;
            }
            if stack.len() == 3 {
                cycles.push(cycle(a, b, 0.5)); // Holds the first reversal, which is dropped.
                stack.remove(0);
            } else {
                cycles.push(cycle(a, b, 1.0));
                stack.truncate(stack.len() - 3);
                stack.push(c);
            }
        }
    }
    cycles.extend(stack.windows(2).map(|w| cycle(w[0], w[1], 0.5)));
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ASTM E1049-85, figure 6: −2, 1, −3, 5, −1, 3, −4, 4, −2.
    #[test]
    fn the_example_of_the_standard_is_counted() {
        let history = [-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0];
        let expected = [(3.0, 0.5), (4.0, 1.5), (6.0, 0.5), (8.0, 1.0), (9.0, 0.5)];
        let check = |history: &[f64]| {
            let found = rainflow(history);
            let total = |range: f64| found.iter().filter(|c| c.range == range).map(|c| c.count).sum::<f64>();
            for (range, count) in expected {
                assert_eq!(total(range), count, "range {range}");
            }
            assert_eq!(found.iter().map(|c| c.count).sum::<f64>(), 4.0);
            let closed: Vec<_> = found.iter().filter(|c| c.count == 1.0).collect();
            assert_eq!((closed.len(), closed[0].range, closed[0].mean), (1, 4.0, 1.0));
        };
        check(&history);
        // Points on the way and repeated ones change nothing.
        check(&[-2.0, -1.0, 1.0, 1.0, -3.0, 0.0, 2.0, 5.0, -1.0, 3.0, -4.0, 4.0, 0.0, -2.0]);
    }

    #[test]
    fn damage_is_the_sum_of_shares_of_life() {
        let line =
            SnLine { knee_range: 100e6, knee_cycles: 2e6, slope: 3.0, slope_below: 5.0, cut_off: 40e6 };
        assert_eq!(line.cycles_to_failure(100e6), 2e6);
        assert!((line.cycles_to_failure(200e6) / 2.5e5 - 1.0).abs() < 1e-12);
        assert!((line.cycles_to_failure(50e6) / 6.4e7 - 1.0).abs() < 1e-12);
        assert_eq!(line.cycles_to_failure(39e6), f64::INFINITY);
        let of = |range, count| RainflowCycle { range, mean: 0.0, count };
        let damage = line.damage(&[of(200e6, 1.0), of(100e6, 0.5), of(10e6, 1.0)]);
        assert!((damage - (1.0 / 2.5e5 + 0.5 / 2e6)).abs() < 1e-18);
    }

    #[test]
    fn a_constant_history_has_no_cycles() {
        assert!(rainflow(&[]).is_empty() && rainflow(&[3.0, 3.0, 3.0]).is_empty());
        assert_eq!(rainflow(&[0.0, 2.0]), [RainflowCycle { range: 2.0, mean: 1.0, count: 0.5 }]);
    }
}

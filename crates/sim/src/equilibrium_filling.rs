//! Amounts that fill or drain at a constant rate, followed to where a relation changes its side: a pump fills a volume until the relief valve opens.
//!
//!   y_i(τ) = y_i + r_i τ                                                                              (1)
//!
//! for the states of such amounts, others as they are. Of all τ the smallest is sought at which some relation has changed its side: doubled until one has,
//! then bisected.

use crate::equilibrium_problem::EquilibriumProblem;
use crate::problem::{Hybrid, Problem};

/// The first change, and the last, in sizes of the unknown that changes fastest.
const FIRST: f64 = 1e-9;
const LAST: f64 = 1e9;
/// Halvings: a relation changes its side within this share of the way.
const HALVINGS: usize = 40;
/// A little beyond the place where a relation changes its side, where its slope counts.
const BEYOND: f64 = 1e-6;

impl EquilibriumProblem<'_> {
    /// Moves what fills to where a relation changes its side; false: none does.
    pub(crate) fn fill(&mut self, t: f64, y: &mut [f64], filling: &[(usize, f64)]) -> bool {
        let layout = self.machine.layout().clone();
        let fastest = filling.iter().map(|&(i, rate)| rate.abs() / layout.nominal[i]).fold(0.0, f64::max);
        let start = y.to_vec();
        let sides = self.sides(t, &start);
        let at = |tau: f64, y: &mut [f64]| {
            y.copy_from_slice(&start);
            filling.iter().for_each(|&(i, rate)| y[i] += rate * tau); // (1)
        };
        let (mut below, mut above) = (0.0, FIRST / fastest);
        loop {
            at(above, y);
            if self.sides(t, y) != sides {
                break;
            }
            (below, above) = (above, 2.0 * above);
            if above * fastest > LAST || above.is_nan() {
                y.copy_from_slice(&start);
                return false;
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (below + above);
            at(middle, y);
            *(if self.sides(t, y) == sides { &mut below } else { &mut above }) = middle;
        }
        at(above * (1.0 + BEYOND), y);
        self.sides(t, y);
        y.iter().all(|x| x.is_finite())
    }

    /// The sides of all relations at a point.
    fn sides(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.machine.guards(t, y, &mut self.g);
        self.machine.settle(t, y, &self.g);
        self.machine.slow_values().to_vec()
    }
}

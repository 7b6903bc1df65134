//! States whose whole course lies within the tolerance they were given: results say nothing of them, and the user is told.
//! Tolerances that are not given follow the course, down to rounding.
//!
//! A state that is zero but for rounding is no such case. Its rate is what is left of large terms that cancel:
//!
//!   |s_i| ≤ 1e-6 Σ_{j≠i} |J_ij y_j|,   s_i = y_i' − J_ii y_i,   J = ∂f/∂y                               (1)
//!
//! at every row looked at, or it is driven by such a state alone (the position of such a speed). The rows are the 1st, 2nd, 4th, 8th …

use trunnion_equations::System;
use trunnion_model::{Diagnostic, Sources};
use trunnion_sim::machine::Machine;
use trunnion_sim::problem::{Layout, Problem};
use trunnion_sim::stepper::Tolerance;

use crate::listing::with_unit;

const UNSEEN: &str = "M0407";
/// A course of fewer tolerances than this is known to less than a digit.
const LEAST: f64 = 10.0;
/// What remains of cancelling terms and is no signal: a balance is found to a part of 1e-9, and then it moves.
const CANCELLED: f64 = 1e-6;

/// A state that never left its tolerance.
#[derive(Clone, Copy, Debug)]
pub struct Unseen {
    unknown: usize,
    largest: f64,
    atol: f64,
    rtol: f64,
}

/// What is learnt in a run of what drives small states.
pub struct Signals {
    /// States with a tolerance that does not follow them.
    given: Vec<usize>,
    rows: u64,
    /// States that something drives, cancelling terms aside.
    driven: Vec<bool>,
    found: Vec<Unseen>,
    f: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Signals {
    pub fn new(layout: &Layout, atol: Option<f64>) -> Self {
        let n = layout.n();
        let given = |i: &usize| atol.or(layout.atol_of(*i)).is_some() || !layout.learns[*i];
        let given = (0..n).filter(|&i| layout.differential[i]).filter(given).collect();
        let (f, jacobian) = (vec![0.0; n], vec![0.0; layout.pattern.nnz()]);
        Signals { given, rows: 0, driven: vec![false; n], found: vec![], f, jacobian }
    }

    /// A row of the results.
    pub fn look(&mut self, machine: &mut Machine, t: f64, y: &[f64]) {
        self.rows += 1;
        if !self.rows.is_power_of_two() || self.given.iter().all(|&i| self.driven[i]) {
            return;
        }
        machine.residual(t, y, &mut self.f);
        machine.jacobian(t, y, &mut self.jacobian);
        let (mut source, mut terms) = (self.f.clone(), vec![0.0; y.len()]);
        let layout = machine.layout();
        for (i, j, place) in layout.pattern.entries() {
            let term = self.jacobian[place] * y[j];
            if i == j {
                source[i] -= term;
            } else {
                terms[i] += term.abs();
            }
        }
        for i in (0..y.len()).filter(|&i| layout.differential[i]) {
            self.driven[i] |= source[i].abs() > CANCELLED * terms[i]; // (1)
        }
        // A position is driven if its speed is.
        for &(position, speed) in &layout.second_order {
            self.driven[position] = self.driven[speed];
        }
    }

    /// The end of the run.
    pub fn hold_against(&mut self, tolerance: &Tolerance) {
        let course = tolerance.largest().iter().zip(tolerance.atol()).enumerate();
        let unseen = course.filter(|(i, (largest, atol))| {
            tolerance.is_given(*i) && self.driven[*i] && **largest > 0.0 && **largest < LEAST * **atol
        });
        let rtol = tolerance.rtol();
        self.found =
            unseen.map(|(unknown, (&largest, &atol))| Unseen { unknown, largest, atol, rtol }).collect();
    }

    pub fn unseen(self) -> Vec<Unseen> {
        self.found
    }
}

/// What is said of them.
pub fn warnings(system: &System, sources: &Sources, unseen: &[Unseen]) -> Vec<Diagnostic> {
    let warning = |of: &Unseen| {
        let q = system.quantity(system.unknowns[of.unknown]);
        let shown = |si: f64, digits| with_unit(si / q.unit.factor, &q.unit.text, digits);
        let text = if of.largest <= of.atol {
            format!(
                "`{}` never left its tolerance of {}: results say nothing of it",
                q.name,
                shown(of.atol, 2)
            )
        } else {
            let (largest, atol) = (shown(of.largest, 2), shown(of.atol, 2));
            format!("`{}` reached {largest}, with a tolerance of {atol}: results say little of it", q.name)
        };
        let (size, atol) = (shown(of.largest, 1), shown(of.rtol * of.largest, 1));
        let own = if q.origin.component.is_empty() {
            format!("nominal = \"{size}\" with it, or ")
        } else {
            String::new()
        };
        Diagnostic::warning(UNSEEN, text)
            .at_origin(sources, &q.origin, format!("the largest value was {}", shown(of.largest, 3)))
            .hint(format!("write {own}atol = {{ \"{}\" = \"{atol}\" }} in [run]", q.name))
    };
    unseen.iter().map(warning).collect()
}

//! States whose whole history lies within their tolerance: results say nothing of them, and the user is told.
//! Tolerances that are not given follow the history, but not below rounding of the size their unit suggests.
//!
//! A state that is zero but for rounding is no such case. Its rate is what is left of large terms that cancel:
//!
//!   |s_i| ≤ 1e-6 Σ_{j≠i} |J_ij y_j|,   s_i = y_i' − J_ii y_i,   J = ∂f/∂y                               (1)
//!
//! at every row looked at, or it is driven by such a state alone (the position of such a speed). The rows are the 1st, 2nd, 4th, 8th …
//! Nor is one that is less than a rounding of others, in the sizes u that their units suggest, unless its tolerance is given:
//!
//!   largest |y_i| / u_i < 1e-12 max_j |z_j| / u_j,   z: all that is recorded at the rows looked at         (2)

use std::collections::HashMap;

use trunnion_equations::System;
use trunnion_model::{Diagnostic, Sources};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::problem::Problem;
use trunnion_sim::stepper::{SolverOptions, Tolerance};

use trunnion_num::text::with_unit;

const UNSEEN: &str = "M0407";
/// A history of fewer tolerances than this is known to less than a digit.
const GIVEN: f64 = 10.0;
/// The same of a tolerance that should follow the history and cannot: less than the two digits it should have.
const LEARNT: f64 = 100.0;
/// What remains of cancelling terms and is no signal: a balance is found to a part of 1e-9, and then it moves.
const CANCELLED: f64 = 1e-6;
/// Some thousand roundings, as in sums over a model.
const ROUNDING: f64 = 1e-12;

/// A state that never left its tolerance.
#[derive(Clone, Copy, Debug)]
pub struct UnresolvedState {
    unknown: usize,
    largest: f64,
    atol: f64,
    rtol: f64,
}

/// What is learnt in a run of what drives small states.
pub struct SmallStates {
    /// States, and the size below which they may be told.
    small: Vec<(usize, f64)>,
    /// The sizes their units suggest, of unknowns (SI) and of columns (as shown).
    nominal: Vec<f64>,
    sizes: Vec<f64>,
    /// The right side of (2) without its factor.
    most: f64,
    rows: u64,
    /// States that something drives, cancelling terms aside.
    driven: Vec<bool>,
    found: Vec<UnresolvedState>,
    f: Vec<f64>,
    jacobian: Vec<f64>,
}

impl SmallStates {
    pub fn new(prepared: &Prepared, rtol: f64, atol: Option<f64>) -> Self {
        let (layout, system) = (&prepared.layout, &prepared.system);
        let nominal = system.quantities.iter().filter_map(|q| Some((q.name.as_str(), q.nominal?.size)));
        let nominal: HashMap<&str, f64> = nominal.collect();
        let size = |name: &str| nominal.get(name).copied().unwrap_or(f64::INFINITY);
        let sizes = prepared.columns.iter().map(|c| size(&c.name) / c.unit.factor).collect();
        let n = layout.n();
        let tolerance = Tolerance::new(layout, &SolverOptions { rtol, atol, ..SolverOptions::default() });
        let small = |i: usize| (i, digits(&tolerance, i) * tolerance.atol()[i]);
        let small = (0..n).filter(|&i| layout.differential[i]).map(small).collect();
        let (f, jacobian) = (vec![0.0; n], vec![0.0; layout.pattern.nnz()]);
        let nominal = layout.nominal.clone();
        SmallStates {
            small,
            nominal,
            sizes,
            most: 0.0,
            rows: 0,
            driven: vec![false; n],
            found: vec![],
            f,
            jacobian,
        }
    }

    /// A row of the results, and all columns there.
    pub fn look(&mut self, machine: &mut Machine, t: f64, y: &[f64], columns: &[f64]) {
        self.rows += 1;
        self.small.retain(|&(i, size)| !self.driven[i] && y[i].abs() < size);
        if !self.rows.is_power_of_two() || self.small.iter().all(|&(i, _)| y[i] == 0.0) {
            return;
        }
        let shares = columns.iter().zip(&self.sizes).map(|(z, size)| z.abs() / size);
        self.most = shares.fold(self.most, f64::max);
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
    pub(crate) fn hold_against(&mut self, tolerance: &Tolerance) {
        let sizes = tolerance.largest().iter().zip(tolerance.atol()).enumerate();
        let share = |i: usize| tolerance.largest()[i] / self.nominal[i];
        let unseen = sizes.filter(|(i, (largest, atol))| {
            let small = **largest > 0.0 && **largest < digits(tolerance, *i) * **atol;
            let signal = tolerance.is_given(*i) || share(*i) >= ROUNDING * self.most; // (2)
            small && signal && self.driven[*i] && tolerance.is_least(*i)
        });
        let rtol = tolerance.rtol();
        self.found = unseen
            .map(|(unknown, (&largest, &atol))| UnresolvedState { unknown, largest, atol, rtol })
            .collect();
    }

    pub fn unresolved(self) -> Vec<UnresolvedState> {
        self.found
    }
}

/// Tolerances that the history of state i has to have.
fn digits(tolerance: &Tolerance, i: usize) -> f64 {
    if tolerance.is_given(i) { GIVEN } else { LEARNT }
}

/// What is said of them.
pub fn warnings(system: &System, sources: &Sources, unseen: &[UnresolvedState]) -> Vec<Diagnostic> {
    let warning = |of: &UnresolvedState| {
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

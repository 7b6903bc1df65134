//! The smallest change of states that closes gaps: (3) of `constraints.rs`.

use trunnion_equations::Entries;
use trunnion_num::Semidefinite;

/// Shift of (3) after a step. Near a pose where constraints lose rank they say little about one direction, and what they say is mostly
/// the error of the step, enlarged: a correction there would kick the machine. With this shift it is held back where the constraint
/// is worth less than a thirtieth of what it is elsewhere.
const PROJECTION_SHIFT: f64 = 1e-3;

/// (3) for gaps or for their rates. Who evaluates them fills `gap` and `slopes`.
pub struct Projection {
    pub entries: Entries,
    pub gap: Vec<f64>,
    /// By `entries`.
    pub slopes: Vec<f64>,
    /// size² of each state; 0 where it may not move.
    pub weight: Vec<f64>,
    pub gram: Semidefinite,
    /// Pairs of entries in one column, in the order of the entries of `gram`.
    pairs: Vec<(usize, usize, usize)>,
    values: Vec<f64>,
    right: Vec<f64>,
    /// Δy of the last `direction`.
    step: Vec<f64>,
}

impl Projection {
    pub fn new(m: usize, entries: &Entries, size: &[f64]) -> Self {
        let mut by_column: Vec<Vec<usize>> = vec![vec![]; size.len()];
        entries.iter().enumerate().for_each(|(k, &(_, j))| by_column[j].push(k));
        let mut pairs = vec![];
        for (j, list) in by_column.iter().enumerate() {
            pairs.extend(list.iter().flat_map(|&a| list.iter().map(move |&b| (a, b, j))));
        }
        let places: Entries = pairs.iter().map(|&(a, b, _)| (entries[a].0, entries[b].0)).collect();
        Projection {
            entries: entries.clone(),
            gap: vec![0.0; m],
            slopes: vec![0.0; entries.len()],
            weight: size.iter().map(|s| s * s).collect(),
            gram: Semidefinite::new(m, &places),
            values: vec![0.0; pairs.len()],
            pairs,
            right: vec![0.0; m],
            step: vec![0.0; size.len()],
        }
    }

    /// −W Gᵀ x into `step`, x in `right`.
    fn weighted_transpose(&mut self) {
        self.step.fill(0.0);
        for (&(i, j), g) in self.entries.iter().zip(&self.slopes) {
            self.step[j] -= self.weight[j] * g * self.right[i];
        }
    }

    /// (3), exact or held back; the largest correction relative to the size of its state. NaN if there is none.
    pub(crate) fn correct(&mut self, y: &mut [f64], exact: bool) -> f64 {
        if self.gap.iter().all(|g| *g == 0.0) {
            return 0.0;
        }
        let shift = if exact { None } else { Some(PROJECTION_SHIFT) };
        if self.direction(shift) { self.advance(y) } else { f64::NAN }
    }

    /// y ← y + step; the largest change relative to the size of its state.
    pub fn advance(&self, y: &mut [f64]) -> f64 {
        let mut largest = 0.0_f64;
        for (j, step) in self.step.iter().enumerate().filter(|(_, s)| **s != 0.0) {
            let size = self.weight[j].sqrt().max(y[j].abs());
            y[j] += step;
            largest = largest.max((step / size).abs());
        }
        largest
    }

    /// Δy of (3) into `step`; with a shift that of Levenberg and Marquardt. False if the matrix has no finite value.
    pub fn direction(&mut self, shift: Option<f64>) -> bool {
        for (value, &(a, b, j)) in self.values.iter_mut().zip(&self.pairs) {
            *value = self.slopes[a] * self.weight[j] * self.slopes[b];
        }
        self.right.copy_from_slice(&self.gap);
        let values = self.values.iter().copied();
        let solved = match shift {
            None => self.gram.factor(values).map(|()| self.gram.solve(&mut self.right)),
            Some(shift) => {
                self.gram.factor_shifted(values, shift).map(|()| self.gram.solve_once(&mut self.right))
            }
        };
        self.weighted_transpose();
        solved.is_ok()
    }
}

/// Places of w, x, y, z of a unit quaternion among the states.
pub type QuaternionPlaces = [usize; 4];

/// Makes it one; true if it was not.
pub(crate) fn normalise(quaternion: &QuaternionPlaces, y: &mut [f64]) -> bool {
    let length = quaternion.iter().map(|&i| y[i] * y[i]).sum::<f64>().sqrt();
    // Rounding of the sum: a second pass would not come nearer.
    if (length - 1.0).abs() <= 2.0 * f64::EPSILON || length == 0.0 {
        return false;
    }
    quaternion.iter().for_each(|&i| y[i] /= length);
    true
}

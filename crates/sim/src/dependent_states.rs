//! States that closed loops and quaternions tie together, and those that are independent.
//!
//!   G δx = 0,   G = ∂(g, ½ |q|², ġ)/∂x                                                            (1)
//!   δx = T δz,   z = S x,   S T = 1:  some of the states                                          (2)  [Wehage1982]
//!
//! z is chosen by elimination, the largest column next: it follows from the others best. States that the user gave or holds stay in z if
//! that is possible, and velocities go with their positions. At a point where constraints lose rank there are more directions in T
//! than the mechanism can move in.

use std::ops::Range;

use trunnion_equations::{Compiled, Entries, EvaluationEngine, TieProgram};
use trunnion_num::Matrix;

use crate::linear::solve;
use crate::machine::Machine;

/// What is left of a column of length one: below the first it follows from others too poorly to be the best choice, below the
/// second it is rounding.
const POOR: f64 = 1e-3;
const ROUNDING: f64 = 1e-9;

/// Values and derivatives of what ties states together.
pub struct DependentStateRows {
    compiled: Compiled,
    pub entries: Entries,
    n_positions: usize,
    n: usize,
    scratch: Vec<f64>,
    k: Vec<f64>,
    /// Values of the ties, then of the entries; written by `evaluate`.
    out: Vec<f64>,
}

impl DependentStateRows {
    /// None where all states are independent.
    pub fn new(machine: &Machine) -> Option<Self> {
        let ties = &machine.loaded().image.ties;
        (!ties.entries.is_empty()).then(|| DependentStateRows::of(ties))
    }

    pub fn of(program: &TieProgram) -> Self {
        let TieProgram { n_positions, n, entries, programs, .. } = program.clone();
        let compiled = Compiled::new(programs, EvaluationEngine::Interpreter);
        DependentStateRows {
            scratch: vec![0.0; compiled.scratch()],
            k: vec![0.0; compiled.n_slow()],
            out: vec![0.0; compiled.program(0).n_out],
            n,
            n_positions,
            entries,
            compiled,
        }
    }

    pub fn evaluate(&mut self, slow: &[f64], t: f64, y: &[f64]) {
        self.compiled.prepare(slow, &mut self.scratch, &mut self.k);
        self.compiled.run(0, t, y, &self.k, &mut self.scratch, &mut self.out);
    }

    pub fn values(&self) -> &[f64] {
        &self.out[..self.n]
    }

    pub fn slopes(&self) -> &[f64] {
        &self.out[self.n..]
    }
}

/// Which states follow from which, at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct DependentStates {
    /// Ties that are independent, and the state that each is taken to determine.
    pub ties: Vec<usize>,
    pub dependent: Vec<usize>,
    /// The other states.
    pub free: Vec<usize>,
}

/// z of (2) at (t, y); states in `keep` are independent if they can be.
pub fn choose(
    machine: &Machine,
    ties: &mut DependentStateRows,
    t: f64,
    y: &[f64],
    keep: &[usize],
) -> DependentStates {
    let loaded = machine.loaded();
    let (image, layout) = (&loaded.image, &loaded.layout);
    ties.evaluate(machine.slow_values(), t, y);
    let given: Vec<usize> = image.held.iter().filter_map(|&s| image.y_place(s)).collect();
    let pushed: Vec<bool> =
        (0..image.n_states).map(|j| image.constraint_layout.b.iter().any(|e| e.0 == j)).collect();
    let mut choice = DependentStates { ties: vec![], dependent: vec![], free: vec![] };
    for velocities in [false, true] {
        let rows = if velocities { ties.n_positions..ties.n } else { 0..ties.n_positions };
        let goes = |j: usize| {
            let with = layout.second_order.iter().find(|pair| pair.1 == j);
            velocities && with.is_some_and(|pair| choice.dependent.contains(&pair.0))
        };
        // The lower, the sooner it is taken as dependent.
        let class = |j: usize| match j {
            j if keep.contains(&j) => 3,
            j if goes(j) => 0,
            j if velocities || !given.contains(&j) => 1,
            _ => 2,
        };
        let columns = columns(ties, rows.clone(), &layout.nominal, |j| pushed[j] == velocities);
        let classes: Vec<usize> = columns.iter().map(|c| class(c.0)).collect();
        let vectors: Vec<Vec<f64>> = columns.iter().map(|c| c.1.clone()).collect();
        let picked = independent(vectors.clone(), &classes);
        // Of the ties those that the picked states determine best.
        let transposed = (0..rows.len()).map(|i| picked.iter().map(|&k| vectors[k][i]).collect()).collect();
        let chosen = independent(transposed, &vec![0; rows.len()]);
        choice.ties.extend(chosen.iter().map(|i| rows.start + i));
        choice.dependent.extend(picked.iter().take(chosen.len()).map(|&k| columns[k].0));
    }
    choice.free = (0..image.n_states).filter(|j| !choice.dependent.contains(j)).collect();
    choice
}

/// The columns of some rows of G that `may` allows, by state: rows as large as their largest entry, columns in sizes of their state.
fn columns(
    ties: &DependentStateRows,
    rows: Range<usize>,
    size: &[f64],
    may: impl Fn(usize) -> bool,
) -> Vec<(usize, Vec<f64>)> {
    let mut columns: Vec<(usize, Vec<f64>)> = vec![];
    let mut largest = vec![f64::MIN_POSITIVE; rows.len()];
    for (&(i, j), slope) in ties.entries.iter().zip(ties.slopes()) {
        if !rows.contains(&i) || !may(j) {
            continue;
        }
        let (row, slope) = (i - rows.start, slope * size[j]);
        largest[row] = largest[row].max(slope.abs());
        match columns.iter_mut().find(|c| c.0 == j) {
            Some((_, column)) => column[row] = slope,
            None => {
                let mut column = vec![0.0; rows.len()];
                column[row] = slope;
                columns.push((j, column));
            }
        }
    }
    columns.sort_by_key(|c| c.0);
    for (_, column) in &mut columns {
        column.iter_mut().zip(&largest).for_each(|(x, l)| *x /= l);
    }
    columns
}

/// Numbers of vectors that span what all do, of low classes first: elimination with the longest remainder next, by Gram and Schmidt.
fn independent(mut vectors: Vec<Vec<f64>>, classes: &[usize]) -> Vec<usize> {
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = vectors.iter().map(|v| length(v)).fold(0.0, f64::max);
    let mut picked: Vec<usize> = vec![];
    let top = classes.iter().copied().max().unwrap_or(0);
    let passes = (0..=top).map(|class| (class, POOR)).chain([(top, ROUNDING)]);
    for (class, limit) in passes {
        loop {
            let open = (0..vectors.len()).filter(|k| classes[*k] <= class && !picked.contains(k));
            // Of equally long ones the last: joints nearer to the ground stay independent.
            let longest = open.map(|k| (k, length(&vectors[k]))).fold((0, 0.0), |best, (k, l)| {
                if l >= best.1 * (1.0 - 1e-9) && l > 0.0 { (k, l) } else { best }
            });
            if longest.1 <= limit * scale {
                break;
            }
            picked.push(longest.0);
            let q: Vec<f64> = vectors[longest.0].iter().map(|x| x / longest.1).collect();
            for (_, v) in vectors.iter_mut().enumerate().filter(|(k, _)| !picked.contains(k)) {
                // Twice is enough. [Parlett1980, §6.9]
                for _ in 0..2 {
                    let along: f64 = q.iter().zip(&*v).map(|(q, x)| q * x).sum();
                    v.iter_mut().zip(&q).for_each(|(x, q)| *x -= along * q);
                }
            }
        }
    }
    picked
}

/// T of (2), n_x × z.
pub fn tangent(ties: &DependentStateRows, choice: &DependentStates) -> Option<Matrix> {
    let n = choice.dependent.len();
    let mut dependent = Matrix::zeros(n, n);
    let mut free = Matrix::zeros(n, choice.free.len());
    for (&(i, j), slope) in ties.entries.iter().zip(ties.slopes()) {
        let Some(row) = choice.ties.iter().position(|&k| k == i) else { continue };
        match choice.dependent.iter().position(|&k| k == j) {
            Some(column) => dependent[(row, column)] = *slope,
            None => {
                let column = choice.free.binary_search(&j).expect("a state is either free or not");
                free[(row, column)] = -slope;
            }
        }
    }
    let followed = solve(&dependent, &free)?;
    let mut t = Matrix::zeros(n + choice.free.len(), choice.free.len());
    choice.free.iter().enumerate().for_each(|(k, &j)| t[(j, k)] = 1.0);
    for (row, &j) in choice.dependent.iter().enumerate() {
        (0..choice.free.len()).for_each(|k| t[(j, k)] = followed[(row, k)]);
    }
    Some(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_low_classes_are_taken_first() {
        let vectors = vec![vec![3.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0], vec![0.0, 0.0]];
        assert_eq!(independent(vectors.clone(), &[0, 0, 0, 0]), [0, 2]);
        assert_eq!(independent(vectors.clone(), &[1, 0, 0, 0]), [2, 1]);
        // One that adds nothing to those before it is left out whatever its class.
        assert_eq!(independent(vec![vec![1.0, 2.0], vec![2.0, 4.0]], &[0, 1]), [0]);
        assert!(independent(vec![vec![0.0]], &[0]).is_empty());
    }
}

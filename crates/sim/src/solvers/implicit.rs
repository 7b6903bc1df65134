//! The matrix of all implicit steps, with its factors:
//!
//!   W = M − hγ J  in differential rows,   W = −J  in algebraic rows,   J = ∂f/∂y                    (1)
//!
//! Algebraic rows are left unscaled by hγ, so that W stays well scaled as h → 0.

use super::one_step::StepRefusal;
use crate::problem::{Layout, Problem};
use trunnion_num::{Archive, FactorFault, Lu, Pattern};

#[derive(Clone, Debug)]
pub struct IterationMatrix {
    /// 1 in differential rows, 0 in algebraic ones.
    pub mass: Vec<f64>,
    /// ∂f/∂y, written by `evaluate`.
    pub jacobian: Vec<f64>,
    /// Row of each of its entries.
    row: Vec<usize>,
    /// −1 at entries of J in differential rows, else 0; and the same for algebraic rows.
    differential: Vec<f64>,
    algebraic: Vec<f64>,
    /// Place in `values` of each entry of J, where it is not the same; of M's entries.
    place: Option<Vec<usize>>,
    diagonal: Vec<usize>,
    values: Vec<f64>,
    lu: Lu,
}

impl IterationMatrix {
    pub fn new(layout: &Layout) -> Self {
        let (n, j) = (layout.n(), &layout.pattern);
        let mass = mass(layout);
        let differential_rows = (0..n).filter(|i| layout.differential[*i]);
        let entries = j.entries().map(|(row, column, _)| (row, column));
        let pattern = Pattern::from_entries(n, entries.chain(differential_rows.clone().map(|i| (i, i))));
        let place = |i, k| pattern.find(i, k).expect("the union holds every entry");
        IterationMatrix {
            jacobian: vec![0.0; j.nnz()],
            row: j.row.clone(),
            differential: j.row.iter().map(|i| -mass[*i]).collect(),
            algebraic: j.row.iter().map(|i| mass[*i] - 1.0).collect(),
            place: (pattern != *j).then(|| j.entries().map(|(row, column, _)| place(row, column)).collect()),
            diagonal: differential_rows.map(|i| place(i, i)).collect(),
            values: vec![0.0; pattern.nnz()],
            lu: Lu::new(&pattern),
            mass,
        }
    }

    /// As `Lu::reserve`.
    pub fn reserve(&mut self) {
        self.lu.reserve();
    }

    /// What the next step takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.jacobian);
        self.lu.remember(archive);
    }

    pub fn evaluate(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        problem.jacobian(t, y, &mut self.jacobian);
    }

    /// Factorise (1). The fault of a Jacobian that is not finite lies at the start of the step.
    pub fn factor(&mut self, h_gamma: f64) -> Result<(), StepRefusal> {
        let entry = |k: usize| self.jacobian[k] * (h_gamma * self.differential[k] + self.algebraic[k]);
        match &self.place {
            None => (0..self.jacobian.len()).for_each(|k| self.values[k] = entry(k)),
            Some(place) => {
                self.values.fill(0.0);
                for (k, to) in place.iter().enumerate() {
                    self.values[*to] = entry(k);
                }
            }
        }
        for place in &self.diagonal {
            self.values[*place] += 1.0;
        }
        self.lu.refactor(&self.values).map_err(|fault| match fault {
            FactorFault::Singular { column } => StepRefusal::Singular { unknown: column },
            FactorFault::NotFinite => match self.jacobian.iter().position(|v| !v.is_finite()) {
                Some(k) => StepRefusal::NotFiniteAtStart { row: self.row[k] },
                None => StepRefusal::NotFinite { row: 0 },
            },
        })
    }

    /// Solve W x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.lu.solve(b);
    }

    /// y' at a consistent point, algebraic unknowns too: y_d' = f_d, J_a y' = −∂f_a/∂t.
    ///
    /// On entry `y_dot` holds f in differential rows and ∂f/∂t in algebraic ones. Leaves the factors of h = 0.
    pub fn derivative(&mut self, y_dot: &mut [f64]) -> Result<(), StepRefusal> {
        self.factor(0.0)?;
        self.solve(y_dot);
        Ok(())
    }
}

/// Rows with M = 1, as numbers: 1 where differential, 0 where algebraic.
pub fn mass(layout: &Layout) -> Vec<f64> {
    layout.differential.iter().map(|d| if *d { 1.0 } else { 0.0 }).collect()
}

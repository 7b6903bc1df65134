//! Derivatives of expressions that were cut: numbers do what symbols would do too often.
//!
//!   dz/dx_j = ∂z/∂x_j + Σ (∂z/∂z') (dz'/dx_j),   dr/dx_j = ∂r/∂x_j + Σ (∂r/∂z) (dz/dx_j)                 (1)
//!
//! for one column j after the other: O(entries · columns) operations, O(z) memory.

use trunnion_equations::Image;

pub struct Cuts {
    /// Columns and rows that stay, and the expressions cut.
    n: usize,
    /// Of `ProgramKind::Jacobian`.
    pub entries: Vec<f64>,
    /// By column: (row, place) of the entries; rows of expressions count from n.
    columns: Vec<Vec<(usize, usize)>>,
    /// By expression, then by row that stays: (expression, place) of the entries in columns of expressions.
    middle: Vec<Vec<(usize, usize)>>,
    rows: Vec<Vec<(usize, usize)>>,
    /// By column: (row, place) in the result.
    result: Vec<Vec<(usize, usize)>>,
    // Scratch: dz/dx_j, and the entries of the column that come from x_j itself.
    z: Vec<f64>,
    direct: Vec<f64>,
}

impl Cuts {
    pub fn new(image: &Image) -> Option<Self> {
        if image.n_cut == 0 {
            return None;
        }
        let n = image.joined.n();
        let mut cuts = Cuts {
            n,
            entries: vec![0.0; image.extended.nnz()],
            columns: vec![vec![]; n],
            middle: vec![vec![]; image.n_cut],
            rows: vec![vec![]; n],
            result: vec![vec![]; n],
            z: vec![0.0; image.n_cut],
            direct: vec![0.0; n],
        };
        for (i, j, place) in image.extended.entries() {
            if j < n {
                cuts.columns[j].push((i, place));
            } else if i < n {
                cuts.rows[i].push((j - n, place));
            } else {
                cuts.middle[i - n].push((j - n, place));
            }
        }
        for (i, j, place) in image.joined.entries() {
            cuts.result[j].push((i, place));
        }
        Some(cuts)
    }

    /// (1) from `entries` into `values`, in the order of `Image::joined`.
    pub fn eliminate(&mut self, values: &mut [f64]) {
        let Cuts { n, entries, columns, middle, rows, result, z, direct } = self;
        let n = *n;
        for (column, result) in columns.iter().zip(result) {
            z.fill(0.0);
            direct.fill(0.0);
            for &(i, place) in column {
                let to = if i < n { &mut direct[i] } else { &mut z[i - n] };
                *to = entries[place];
            }
            for i in 0..z.len() {
                let sum: f64 = middle[i].iter().map(|&(k, place)| entries[place] * z[k]).sum();
                z[i] += sum;
            }
            for &(i, place) in result.iter() {
                let sum: f64 = rows[i].iter().map(|&(k, place)| entries[place] * z[k]).sum();
                values[place] = direct[i] + sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use trunnion_equations::flat::{DisplayUnit, Equation, Origin, Quantity, QuantityRole};
    use trunnion_equations::{EvaluationEngine, Flat, analyse};

    use crate::machine::{Machine, Prepared};
    use crate::problem::Problem;

    /// x_k' = z_k,   z_k = sin(z_(k−1) + x_k):   ∂z_k/∂x_j = Π_{i=j..k} cos(z_(i−1) + x_i).
    #[test]
    fn a_long_chain_has_the_derivatives_of_its_closed_form() {
        const N: usize = 400;
        let mut flat = Flat::default();
        let mut starts = vec![];
        for k in 0..N {
            starts.push(0.1 + 0.001 * k as f64);
            let start = flat.graph.constant(starts[k]).id;
            let (unit, doc, origin) = (DisplayUnit::default(), String::new(), Origin::default());
            let (name, kind) = (format!("x{k}"), QuantityRole::Unknown { start });
            flat.add(Quantity { name, unit, doc, origin, kind, nominal: None, range: (0.0, 0.0) });
        }
        let mut z = flat.graph.constant(0.0).id;
        for k in 0..N {
            let x = flat.find(&format!("x{k}")).unwrap();
            z = (flat.graph.at(z) + flat.ex(x)).sin().id;
            let lhs = flat.graph.derivative(x).id;
            flat.equations.push(Equation { name: format!("e{k}"), origin: Origin::default(), lhs, rhs: z });
        }
        let system = analyse(flat).unwrap();
        assert!(system.n_cut > 0);
        let prepared = Arc::new(Prepared::new(system, EvaluationEngine::Interpreter));
        let (mut machine, y) = Machine::start(prepared, &HashMap::new(), 0.0).unwrap();
        let pattern = machine.layout().pattern.clone();
        assert_eq!(pattern.nnz(), N * (N + 1) / 2);
        let mut values = vec![0.0; pattern.nnz()];
        machine.jacobian(0.0, &y, &mut values);
        let mut slopes = vec![];
        let mut z = 0.0;
        for k in 0..N {
            slopes.push(f64::cos(z + starts[k]));
            z = f64::sin(z + starts[k]);
        }
        for (i, j, place) in pattern.entries() {
            let expected: f64 = slopes[j..=i].iter().product();
            assert!((values[place] - expected).abs() <= 1e-13 * expected.abs(), "∂f{i}/∂x{j}");
        }
    }
}

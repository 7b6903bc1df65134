//! The linear model at one point, its poles and its frequency response.
//!
//!   ẋ = f(x, z, u),  0 = g(x, z, u),  y = h(x, z, u)
//!   A = f_x − f_z g_z⁻¹ g_x,   B = f_u − f_z g_z⁻¹ g_u,   C = h_x − h_z g_z⁻¹ g_x,   D = h_u − h_z g_z⁻¹ g_u      (1)
//!   G(jω) = C (jωI − A)⁻¹ B + D                                                                                   (2)
//!
//! x are the states, z the other unknowns; the index of the equations is one, so g_z is regular. Multipliers of closed loops follow from x, z
//! and u; where loops or quaternions tie states together the model is one of those that are independent, A ← S A T, B ← S B, C ← C T with S and
//! T of `dependent_states.rs`: this holds along a motion too. (2) works on the balanced
//! Hessenberg form of A, O(n²) a frequency. [Laub1981]
//!
//! Assumes a point at which the equations are smooth; modes keep their values. The point need not be one of rest: then
//! the model describes small deviations for a short time. Inputs push: one that changes the size of a closed loop is taken to leave it as it is.

use std::cmp::Ordering;

use num_complex::Complex64;
use trunnion_equations::{Compiled, EvaluationEngine, Expr, Symbol};
use trunnion_num::eigen::{self, Graded};
use trunnion_num::{DenseLu, Matrix, hessenberg, null_vector};

use crate::dependent_states::{DependentStateRows, choose, tangent};
use crate::machine::{Machine, Prepared};
use crate::newton::NewtonBlock;
use crate::problem::Problem;
use crate::stepper::StepFailure;

/// ẋ = A x + B u, y = C x + D u, in SI.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
}

/// The linear model (1) at (t, y), and its states by their place in y. Inputs are parameters, inputs or modes; outputs are columns.
pub fn linearise(
    machine: &mut Machine,
    t: f64,
    y: &[f64],
    inputs: &[Symbol],
    outputs: &[usize],
) -> Result<(LinearModel, Vec<usize>), StepFailure> {
    let prepared = machine.prepared().ok_or(StepFailure::NoSymbols)?.clone();
    let system = &prepared.system;
    let (n, n_x) = (system.n(), system.n_states);
    let gradients = gradients(&prepared, machine, t, y, inputs, outputs);
    for m in [&gradients.f_y, &gradients.f_u] {
        if let Some(row) = (0..n).find(|&i| m.row(i).iter().any(|v| !v.is_finite())) {
            return Err(StepFailure::NotFinite { t, row });
        }
    }
    let Some(model) = eliminate(n_x, &gradients) else {
        let free = NewtonBlock::algebraic(&prepared.layout).undetermined(machine, t, y);
        return Err(StepFailure::Singular { t, unknown: free.unwrap_or(n_x) });
    };
    let Some(mut ties) = DependentStateRows::new(machine) else { return Ok((model, (0..n_x).collect())) };
    let choice = choose(machine, &mut ties, t, y, &[]);
    let unknown = choice.dependent.first().copied().unwrap_or(0);
    let along = tangent(&ties, &choice).ok_or(StepFailure::Singular { t, unknown })?;
    let free = |m: &Matrix| Matrix::from_fn(choice.free.len(), m.columns(), |i, j| m[(choice.free[i], j)]);
    let LinearModel { a, b, c, d } = model;
    let model = LinearModel { a: free(&a.times(&along)), b: free(&b), c: c.times(&along), d };
    Ok((model, choice.free))
}

/// Derivatives of f and of outputs h, multipliers eliminated.
struct Gradients {
    f_y: Matrix,
    f_u: Matrix,
    h_y: Matrix,
    h_u: Matrix,
}

fn gradients(
    prepared: &Prepared,
    machine: &mut Machine,
    t: f64,
    y: &[f64],
    inputs: &[Symbol],
    outputs: &[usize],
) -> Gradients {
    let system = &prepared.system;
    let (n, m) = (system.n(), system.constraints.len());
    let mut f_y = Matrix::zeros(n, n);
    let mut values = vec![0.0; system.pattern.nnz()];
    machine.jacobian(t, y, &mut values);
    for (i, j, place) in system.pattern.entries() {
        f_y[(i, j)] = values[place];
    }
    let shown: Vec<Expr> = outputs.iter().map(|&column| prepared.column_expression(column)).collect();
    let compiled = Compiled::new(system.input_programs(inputs, &shown), EvaluationEngine::Interpreter);
    let mut scratch = vec![0.0; compiled.scratch()];
    let mut k = vec![0.0; compiled.n_slow()];
    compiled.prepare(machine.slow_values(), &mut scratch, &mut k);
    let extended = machine.loops().map_or(y.to_vec(), |loops| loops.extended.clone());
    let mut dense = |program: usize, rows: usize, columns: usize| {
        let mut out = vec![0.0; rows * columns];
        compiled.run(program, t, &extended, &k, &mut scratch, &mut out);
        Matrix::from_fn(rows, columns, |i, j| out[i * columns + j])
    };
    let f_u = dense(0, n + m, inputs.len());
    let h_y = dense(1, shown.len(), n + m);
    let h_u = dense(2, shown.len(), inputs.len());
    let Some(loops) = machine.loops() else { return Gradients { f_y, f_u, h_y, h_u } };
    let (f_u, by_u) = loops.eliminate_inputs(&f_u);
    let through = h_y.block((0, n), shown.len(), m);
    let h_y = h_y.left(n).plus(1.0, &through.times(&loops.multipliers_by_y()));
    Gradients { f_y, f_u, h_y, h_u: h_u.plus(1.0, &through.times(&by_u)) }
}

/// (1); None if g_z is singular.
fn eliminate(n_x: usize, gradients: &Gradients) -> Option<LinearModel> {
    let Gradients { f_y, f_u, h_y, h_u } = gradients;
    let (n, n_u) = (f_y.rows(), f_u.columns());
    let n_z = n - n_x;
    let g_z = Matrix::from_fn(n_z, n_z, |i, j| f_y[(n_x + i, n_x + j)]);
    let g_xu = Matrix::from_fn(n_z, n_x + n_u, |i, j| match j.checked_sub(n_x) {
        None => f_y[(n_x + i, j)],
        Some(k) => f_u[(n_x + i, k)],
    });
    let z = solve(&g_z, &g_xu)?;
    let through = |m: &Matrix, i: usize, j: usize| (0..n_z).map(|k| m[(i, n_x + k)] * z[(k, j)]).sum::<f64>();
    Some(LinearModel {
        a: Matrix::from_fn(n_x, n_x, |i, j| f_y[(i, j)] - through(f_y, i, j)),
        b: Matrix::from_fn(n_x, n_u, |i, j| f_u[(i, j)] - through(f_y, i, n_x + j)),
        c: Matrix::from_fn(h_y.rows(), n_x, |i, j| h_y[(i, j)] - through(h_y, i, j)),
        d: Matrix::from_fn(h_y.rows(), n_u, |i, j| h_u[(i, j)] - through(h_y, i, n_x + j)),
    })
}

/// A⁻¹ B; None if A is singular up to rounding. Rows and columns are scaled first: units differ.
pub(crate) fn solve(a: &Matrix, b: &Matrix) -> Option<Matrix> {
    let n = a.rows();
    let one_over = |largest: f64| if largest > 0.0 { 1.0 / largest } else { 1.0 };
    let row: Vec<f64> =
        (0..n).map(|i| one_over((0..n).fold(0.0, |m: f64, j| m.max(a[(i, j)].abs())))).collect();
    let column: Vec<f64> =
        (0..n).map(|j| one_over((0..n).fold(0.0, |m: f64, i| m.max((row[i] * a[(i, j)]).abs())))).collect();
    let scaled = Matrix::from_fn(n, n, |i, j| row[i] * a[(i, j)] * column[j]);
    if null_vector(scaled.values().to_vec(), n, 4.0 * n as f64 * f64::EPSILON).is_some() {
        return None;
    }
    let mut lu = DenseLu::new(n);
    lu.factor(scaled.values()).ok()?;
    let mut x = Matrix::zeros(n, b.columns());
    let mut work = vec![0.0; n];
    for j in 0..b.columns() {
        (0..n).for_each(|i| work[i] = row[i] * b[(i, j)]);
        lu.solve(&mut work);
        (0..n).for_each(|i| x[(i, j)] = column[i] * work[i]);
    }
    Some(x)
}

/// An eigenvalue of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pole {
    pub re: f64,
    pub im: f64,
}

impl Pole {
    /// |s|, in 1/s.
    pub fn size(&self) -> f64 {
        self.re.hypot(self.im)
    }

    pub fn distance(&self, other: &Pole) -> f64 {
        (self.re - other.re).hypot(self.im - other.im)
    }

    /// Slowest first; of a conjugate pair the one with the positive imaginary part first.
    pub fn order(&self, other: &Pole) -> Ordering {
        let key = |p: &Pole| (p.size(), p.re, -p.im);
        let (a, b) = (key(self), key(other));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    }

    /// Of the undamped oscillation, in Hz: |s| / 2π.
    pub fn natural_frequency(self) -> f64 {
        self.size() / std::f64::consts::TAU
    }

    /// −Re s / |s|: 0 without damping, 1 from critical damping on, negative if unstable; NaN at s = 0.
    pub fn damping_ratio(self) -> f64 {
        -self.re / self.size()
    }
}

impl LinearModel {
    /// In the order of `Pole::order`.
    pub fn poles(&self) -> Result<Vec<Pole>, eigen::EigenFailure> {
        let mut poles: Vec<Pole> =
            eigen::eigenvalues(&self.a)?.into_iter().map(|(re, im)| Pole { re, im }).collect();
        poles.sort_by(Pole::order);
        Ok(poles)
    }

    /// D − C A⁻¹ B: outputs at rest for constant inputs; None where A is singular.
    pub fn static_gain(&self) -> Option<Matrix> {
        let x = solve(&self.a, &self.b)?;
        let inner = self.c.times(&x);
        Some(Matrix::from_fn(self.d.rows(), self.d.columns(), |i, j| self.d[(i, j)] - inner[(i, j)]))
    }

    pub fn frequency_response(&self) -> FrequencyResponse {
        // Largest entries first: reflections do not round small ones away.
        let Graded { a: mut h, order, scale } = Graded::new(&self.a);
        let q = hessenberg(&mut h);
        let (n, n_u) = (h.rows(), self.b.columns());
        let b = Matrix::from_fn(n, n_u, |i, j| self.b[(order[i], j)] / scale[i]);
        let c = Matrix::from_fn(self.c.rows(), n, |i, j| self.c[(i, order[j])] * scale[j]);
        FrequencyResponse {
            b: q.transposed().times(&b),
            c: c.times(&q),
            d: self.d.clone(),
            matrix: vec![Complex64::ZERO; n * n],
            x: vec![Complex64::ZERO; n * n_u],
            h,
        }
    }
}

/// (2), in the coordinates of the Hessenberg form.
#[derive(Clone, Debug)]
pub struct FrequencyResponse {
    h: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
    // Written by `at`: jωI − H, and its solution for the columns of B.
    matrix: Vec<Complex64>,
    x: Vec<Complex64>,
}

impl FrequencyResponse {
    /// G(jω) by rows, one row an output; infinite where jω is a pole.
    pub fn at(&mut self, omega: f64, g: &mut [Complex64]) {
        let (n, n_u) = (self.h.rows(), self.b.columns());
        let (m, x) = (&mut self.matrix, &mut self.x);
        for i in 0..n {
            for j in 0..n {
                m[i * n + j] = Complex64::new(-self.h[(i, j)], if i == j { omega } else { 0.0 });
            }
            (0..n_u).for_each(|j| x[i * n_u + j] = self.b[(i, j)].into());
        }
        // Only the entry below each pivot has to go.
        for k in 0..n.saturating_sub(1) {
            if m[(k + 1) * n + k].l1_norm() > m[k * n + k].l1_norm() {
                (k..n).for_each(|j| m.swap(k * n + j, (k + 1) * n + j));
                (0..n_u).for_each(|j| x.swap(k * n_u + j, (k + 1) * n_u + j));
            }
            let pivot = m[k * n + k];
            if pivot == Complex64::ZERO {
                continue;
            }
            let factor = m[(k + 1) * n + k] / pivot;
            for j in k..n {
                let upper = m[k * n + j];
                m[(k + 1) * n + j] -= factor * upper;
            }
            for j in 0..n_u {
                let upper = x[k * n_u + j];
                x[(k + 1) * n_u + j] -= factor * upper;
            }
        }
        for i in (0..n).rev() {
            for j in 0..n_u {
                let sum: Complex64 = (i + 1..n).map(|k| m[i * n + k] * x[k * n_u + j]).sum();
                x[i * n_u + j] = (x[i * n_u + j] - sum) / m[i * n + i];
            }
        }
        for i in 0..self.c.rows() {
            for j in 0..n_u {
                let sum: Complex64 = (0..n).map(|k| x[k * n_u + j] * self.c[(i, k)]).sum();
                g[i * n_u + j] = sum + self.d[(i, j)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::f64::consts::{FRAC_PI_2, TAU};
    use std::sync::Arc;
    use trunnion_equations::flat::{DisplayUnit, Equation, Origin, Quantity, QuantityRole};
    use trunnion_equations::{Flat, analyse};

    fn quantity(flat: &mut Flat, name: &str, value: f64, unknown: bool) -> Symbol {
        let e = flat.graph.constant(value).id;
        flat.add(Quantity {
            name: name.into(),
            unit: DisplayUnit::default(),
            doc: String::new(),
            origin: Origin::default(),
            kind: if unknown {
                QuantityRole::Unknown { start: e }
            } else {
                QuantityRole::Parameter { value: e }
            },
            nominal: None,
            range: (f64::NEG_INFINITY, f64::INFINITY),
        })
    }

    fn equation(flat: &mut Flat, lhs: Expr, rhs: Expr) {
        let name = format!("e{}", flat.equations.len());
        flat.equations.push(Equation { name, origin: Origin::default(), lhs, rhs });
    }

    fn machine(flat: Flat) -> (Machine, Vec<f64>) {
        let prepared = Arc::new(Prepared::new(analyse(flat).unwrap(), EvaluationEngine::Interpreter));
        Machine::start(prepared, &HashMap::new(), 0.0).unwrap()
    }

    fn model(flat: Flat, input: &str, output: &str) -> LinearModel {
        let (mut machine, y) = machine(flat);
        let system = &machine.prepared().unwrap().system;
        let input = system.find(input).unwrap();
        let output = machine.loaded().column(output).unwrap();
        linearise(&mut machine, 0.0, &y, &[input], &[output]).unwrap().0
    }

    /// m ẍ + c ẋ + k x = F.
    fn oscillator(m: f64, c: f64, k: f64) -> LinearModel {
        let mut flat = Flat::default();
        let (x, v) = (quantity(&mut flat, "x", 0.0, true), quantity(&mut flat, "v", 0.0, true));
        let force = quantity(&mut flat, "F", 0.0, false);
        let (dx, dv) = (flat.graph.derivative(x).id, flat.graph.derivative(v).id);
        let acceleration = ((flat.ex(force) - c * flat.ex(v) - k * flat.ex(x)) / m).id;
        let v = flat.ex(v).id;
        equation(&mut flat, dx, v);
        equation(&mut flat, dv, acceleration);
        model(flat, "F", "x")
    }

    #[test]
    fn an_oscillator_has_its_closed_form() {
        let (m, c, k): (f64, f64, f64) = (2.0, 4.0, 200.0);
        let linear = oscillator(m, c, k);
        assert_eq!(linear.a.values(), [0.0, 1.0, -k / m, -c / m]);
        assert_eq!(
            (linear.b.values(), linear.c.values(), linear.d.values()),
            (&[0.0, 0.5][..], &[1.0, 0.0][..], &[0.0][..])
        );
        let (w_0, zeta) = ((k / m).sqrt(), c / (2.0 * (k * m).sqrt()));
        let poles = linear.poles().unwrap();
        for (pole, sign) in poles.iter().zip([1.0, -1.0]) {
            assert!((pole.re + zeta * w_0).abs() < 1e-13);
            assert!((pole.im - sign * w_0 * (1.0 - zeta * zeta).sqrt()).abs() < 1e-13);
            assert!((pole.natural_frequency() - w_0 / TAU).abs() < 1e-14);
            assert!((pole.damping_ratio() - zeta).abs() < 1e-15);
        }
        // At ω₀ stiffness and inertia cancel: G = 1 / (j c ω₀).
        let mut g = [Complex64::ZERO];
        linear.frequency_response().at(w_0, &mut g);
        assert!((g[0].norm() - 1.0 / (c * w_0)).abs() < 1e-15 && (g[0].arg() + FRAC_PI_2).abs() < 1e-13);
        linear.frequency_response().at(0.0, &mut g);
        assert!((g[0] - 1.0 / k).norm() < 1e-17);
        assert!((linear.static_gain().unwrap()[(0, 0)] - 1.0 / k).abs() < 1e-17);
        assert!(oscillator(m, 0.0, 0.0).static_gain().is_none());
    }

    #[test]
    fn algebraic_unknowns_are_eliminated() {
        // ẋ = −x + z, 0 = z³ + z − x − u at x = 2, u = 0: z = 1, dz = (dx + du) / 4; y = z² dx-free.
        let mut flat = Flat::default();
        let (x, z) = (quantity(&mut flat, "x", 2.0, true), quantity(&mut flat, "z", 1.0, true));
        let u = quantity(&mut flat, "u", 0.0, false);
        let dx = flat.graph.derivative(x).id;
        let rate = (flat.ex(z) - flat.ex(x)).id;
        let left = (flat.ex(z) * flat.ex(z) * flat.ex(z) + flat.ex(z)).id;
        let right = (flat.ex(x) + flat.ex(u)).id;
        equation(&mut flat, dx, rate);
        equation(&mut flat, left, right);
        let linear = model(flat, "u", "z");
        assert_eq!(linear.a.values(), [-0.75]);
        assert_eq!(
            (linear.b.values(), linear.c.values(), linear.d.values()),
            (&[0.25][..], &[0.25][..], &[0.25][..])
        );
    }

    #[test]
    fn a_low_pass_has_its_transfer_function() {
        // Two coupled RC stages; G = 1 / (1 + 3 s τ + s² τ²) with τ = R C.
        let (r, c) = (1e3, 1e-6);
        let mut flat = Flat::default();
        let (a, b) = (quantity(&mut flat, "u_1", 0.0, true), quantity(&mut flat, "u_2", 0.0, true));
        let (i_1, i_2) = (quantity(&mut flat, "i_1", 0.0, true), quantity(&mut flat, "i_2", 0.0, true));
        let u = quantity(&mut flat, "u", 0.0, false);
        let sides = {
            let ex = |s| flat.ex(s);
            let der = |s| flat.graph.derivative(s);
            [
                (r * ex(i_1), ex(u) - ex(a)),
                (r * ex(i_2), ex(a) - ex(b)),
                (c * der(a), ex(i_1) - ex(i_2)),
                (c * der(b), ex(i_2)),
            ]
            .map(|(lhs, rhs)| (lhs.id, rhs.id))
        };
        sides.into_iter().for_each(|(lhs, rhs)| equation(&mut flat, lhs, rhs));
        let linear = model(flat, "u", "u_2");
        let tau = r * c;
        let mut response = linear.frequency_response();
        for omega in [1.0, 300.0, 1e3, 7e3, 1e6] {
            let mut g = [Complex64::ZERO];
            response.at(omega, &mut g);
            let s = Complex64::new(0.0, omega * tau);
            let expected = 1.0 / (1.0 + 3.0 * s + s * s);
            assert!((g[0] - expected).norm() < 1e-12 * expected.norm(), "{} for {expected}", g[0]);
        }
    }

    #[test]
    fn the_hessenberg_form_gives_what_elimination_gives() {
        let n = 7;
        let a = Matrix::from_fn(n, n, |i, j| {
            ((5 * i + 3 * j + i * j) % 11) as f64 - 5.0 - if i == j { 9.0 } else { 0.0 }
        });
        let b = Matrix::from_fn(n, 2, |i, j| (i + 2 * j) as f64 - 3.0);
        let c = Matrix::from_fn(3, n, |i, j| ((i + 1) * j) as f64 - 4.0);
        let d = Matrix::from_fn(3, 2, |i, j| (i + j) as f64);
        let linear = LinearModel { a, b, c, d };
        let mut g = [Complex64::ZERO; 6];
        linear.frequency_response().at(0.0, &mut g);
        let gain = linear.static_gain().unwrap();
        for (found, expected) in g.iter().zip(gain.values()) {
            assert!((found - expected).norm() < 1e-12 * expected.abs().max(1.0), "{found} for {expected}");
        }
    }
}

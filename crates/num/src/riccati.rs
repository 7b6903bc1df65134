//! The algebraic Riccati equation of optimal state feedback.
//!
//!   Aᵀ X + X A − (X B + N) R⁻¹ (Bᵀ X + Nᵀ) + Q = 0,   K = R⁻¹ (Bᵀ X + Nᵀ),   A − B K stable      (1)  [Anderson1990, ch. 2, 3]
//!   H = [Ā −G; −Q̄ −Āᵀ],   Ā = A − B R⁻¹ Nᵀ,  G = B R⁻¹ Bᵀ,  Q̄ = Q − N R⁻¹ Nᵀ                     (2)
//!   Z ← ½ (c Z + (c Z)⁻¹) from H to S = sign H,   (S + I) [I; X] = 0                               (3)  [Roberts1980; Byers1987]
//!   A_cᵀ D + D A_c = −residual of (1),   X ← X + D,   A_c = A − B K                                (4)  [Kleinman1968]
//!
//! (3) finds the solution from any start, (4) brings it to rounding. States are scaled first, so that rows and columns of A have
//! about the same size, and X so that Q and G have: pascals stand beside metres.
//!
//! Limits: dense, O(n³) a step. There is no solution where H has eigenvalues on the imaginary axis.

use crate::{Matrix, Qr, eigen};

/// Steps of (3) and of its relatives. About ten are usual; each halves the logarithm of how far eigenvalues are apart.
const STEPS: usize = 100;
/// Below this change the next step of (3), which squares it, is the last.
const NEARLY: f64 = 1e-7;
/// Steps of (4). Each squares the error until rounding is reached.
const REFINEMENTS: usize = 12;

/// Why there is no feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RiccatiFailure {
    /// R is singular or not positive: some combination of inputs costs nothing.
    FreeEffort,
    /// A motion that neither dies out nor costs anything, or that no input reaches.
    Unstable,
    NotFinite,
}

/// The matrices of (1).
#[derive(Clone, Debug)]
pub struct RiccatiProblem {
    pub a: Matrix,
    pub b: Matrix,
    pub q: Matrix,
    pub r: Matrix,
    pub n: Matrix,
}

#[derive(Clone, Debug)]
pub struct RiccatiSolution {
    pub x: Matrix,
    pub gain: Matrix,
    /// ‖residual of (1)‖ / (‖Q‖ + ‖X A‖) in scaled states.
    pub residual: f64,
}

/// The stabilising solution of (1).
pub fn riccati(problem: &RiccatiProblem) -> Result<RiccatiSolution, RiccatiFailure> {
    let parts = [&problem.a, &problem.b, &problem.q, &problem.r, &problem.n];
    if parts.iter().any(|m| m.values().iter().any(|v| !v.is_finite())) {
        return Err(RiccatiFailure::NotFinite);
    }
    if !positive(&problem.r) {
        return Err(RiccatiFailure::FreeEffort);
    }
    let scale = eigen::balance(&mut problem.a.clone());
    let scaled = problem.scaled(&scale);
    let mut x = scaled.by_sign()?;
    let mut residual = scaled.residual(&x)?;
    for _ in 0..REFINEMENTS {
        let closed = scaled.a.plus(-1.0, &scaled.b.times(&scaled.gain(&x)?));
        let Some(step) = lyapunov(&closed, &residual) else { break };
        let next = x.plus(1.0, &step);
        let left = scaled.residual(&next)?;
        if left.norm() >= residual.norm() || left.norm().is_nan() {
            break;
        }
        (x, residual) = (next, left);
    }
    let gain = scaled.gain(&x)?;
    let closed = scaled.a.plus(-1.0, &scaled.b.times(&gain));
    let stable = eigen::eigenvalues(&closed).is_ok_and(|found| found.iter().all(|s| s.0 < 0.0));
    let size = (scaled.q.norm() + x.times(&scaled.a).norm()).max(f64::MIN_POSITIVE);
    if !stable {
        return Err(RiccatiFailure::Unstable);
    }
    let n = scale.len();
    Ok(RiccatiSolution {
        residual: residual.norm() / size,
        gain: Matrix::from_fn(gain.rows(), n, |i, j| gain[(i, j)] / scale[j]),
        x: Matrix::from_fn(n, n, |i, j| x[(i, j)] / (scale[i] * scale[j])),
    })
}

impl RiccatiProblem {
    /// The same for states x = D x̃.
    fn scaled(&self, d: &[f64]) -> RiccatiProblem {
        RiccatiProblem {
            a: Matrix::from_fn(d.len(), d.len(), |i, j| self.a[(i, j)] / d[i] * d[j]),
            b: Matrix::from_fn(d.len(), self.b.columns(), |i, j| self.b[(i, j)] / d[i]),
            q: Matrix::from_fn(d.len(), d.len(), |i, j| self.q[(i, j)] * d[i] * d[j]),
            n: Matrix::from_fn(d.len(), self.n.columns(), |i, j| self.n[(i, j)] * d[i]),
            r: self.r.clone(),
        }
    }

    fn gain(&self, x: &Matrix) -> Result<Matrix, RiccatiFailure> {
        let force = self.b.transposed().times(x).plus(1.0, &self.n.transposed());
        self.r.solve(&force).map_err(|_| RiccatiFailure::FreeEffort)
    }

    /// The left side of (1).
    fn residual(&self, x: &Matrix) -> Result<Matrix, RiccatiFailure> {
        let xa = x.times(&self.a);
        let effort = x.times(&self.b).plus(1.0, &self.n).times(&self.gain(x)?);
        Ok(xa.plus(1.0, &xa.transposed()).plus(-1.0, &effort).plus(1.0, &self.q))
    }

    /// (2), (3).
    fn by_sign(&self) -> Result<Matrix, RiccatiFailure> {
        let n = self.a.rows();
        let solve = |m: &Matrix| self.r.solve(m).map_err(|_| RiccatiFailure::FreeEffort);
        let across = solve(&self.n.transposed())?;
        let a = self.a.plus(-1.0, &self.b.times(&across));
        let q = self.q.plus(-1.0, &self.n.times(&across));
        let g = self.b.times(&solve(&self.b.transposed())?);
        // X = ρ X̃ turns G into ρ G and Q into Q/ρ.
        let rho = match (q.norm(), g.norm()) {
            (q, g) if q > 0.0 && g > 0.0 => (q / g).sqrt(),
            _ => 1.0,
        };
        let h = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
            (true, true) => a[(i, j)],
            (true, false) => -rho * g[(i, j - n)],
            (false, true) => -q[(i - n, j)] / rho,
            (false, false) => -a[(j - n, i - n)],
        });
        let s = sign(h).ok_or(RiccatiFailure::Unstable)?.plus(1.0, &Matrix::identity(2 * n));
        let (left, right) = (s.block((0, 0), 2 * n, n), s.block((0, n), 2 * n, n));
        let x = Qr::new(&right).solve(&Matrix::zeros(2 * n, n).plus(-1.0, &left), 0.0);
        Ok(Matrix::from_fn(n, n, |i, j| 0.5 * rho * (x[(i, j)] + x[(j, i)])))
    }
}

/// Symmetric with positive pivots.
fn positive(r: &Matrix) -> bool {
    let mut l = r.clone();
    for k in 0..l.rows() {
        if l[(k, k)].is_nan() || l[(k, k)] <= 1e-14 * r[(k, k)] {
            return false;
        }
        for i in k + 1..l.rows() {
            let factor = l[(i, k)] / l[(k, k)];
            (k..l.rows()).for_each(|j| l[(i, j)] -= factor * l[(k, j)]);
        }
    }
    true
}

/// sign Z (3); None with an eigenvalue on the imaginary axis.
fn sign(mut z: Matrix) -> Option<Matrix> {
    let identity = Matrix::identity(z.rows());
    let mut last = false;
    for _ in 0..STEPS {
        let inverse = z.solve(&identity).ok()?;
        // Scaling by norms: both ends of the spectrum come to one. [Higham2008, §5.5]
        let c = if last { 1.0 } else { (inverse.norm() / z.norm()).sqrt() };
        let next = Matrix::from_fn(z.rows(), z.rows(), |i, j| 0.5 * (c * z[(i, j)] + inverse[(i, j)] / c));
        let change = next.plus(-1.0, &z).norm() / next.norm();
        z = next;
        if last {
            return Some(z);
        }
        if !change.is_finite() {
            return None;
        }
        last = change < NEARLY;
    }
    None
}

/// D with Aᵀ D + D A = −C for a stable A, C symmetric; None if A is not stable.
///
///   Aₖ₊₁ = ½ (c Aₖ + (c Aₖ)⁻¹),  Cₖ₊₁ = ½ (c Cₖ + Aₖ⁻ᵀ Cₖ Aₖ⁻¹ / c),  D = ½ C_∞                   [Roberts1980]
pub(crate) fn lyapunov(a: &Matrix, c: &Matrix) -> Option<Matrix> {
    let (mut z, mut c) = (a.clone(), c.clone());
    let identity = Matrix::identity(a.rows());
    for _ in 0..STEPS {
        let inverse = z.solve(&identity).ok()?;
        let away = z.plus(1.0, &identity).norm() / (a.rows() as f64).sqrt();
        let s = if away < NEARLY { 1.0 } else { (inverse.norm() / z.norm()).sqrt() };
        let turned = inverse.transposed().times(&c).times(&inverse);
        c = Matrix::from_fn(c.rows(), c.rows(), |i, j| 0.5 * (s * c[(i, j)] + turned[(i, j)] / s));
        z = Matrix::from_fn(z.rows(), z.rows(), |i, j| 0.5 * (s * z[(i, j)] + inverse[(i, j)] / s));
        if away < NEARLY {
            return Some(Matrix::from_fn(c.rows(), c.rows(), |i, j| 0.25 * (c[(i, j)] + c[(j, i)])));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix<const N: usize, const M: usize>(rows: [[f64; M]; N]) -> Matrix {
        Matrix::from_fn(N, M, |i, j| rows[i][j])
    }

    fn solved(a: Matrix, b: Matrix, q: Matrix, r: f64) -> RiccatiSolution {
        let n = Matrix::zeros(a.rows(), 1);
        riccati(&RiccatiProblem { a, b, q, r: matrix([[r]]), n }).unwrap()
    }

    #[test]
    fn one_state_has_a_closed_form() {
        // 2 a x − b² x²/r + q = 0: x = r (a + √(a² + b² q/r)) / b².
        for (a, b, q, r) in [(1.0, 2.0, 3.0, 0.5), (-4.0, 1e-3, 1e6, 2.0), (0.0, 1.0, 1.0, 1e-8)] {
            let expected = r * (a + f64::sqrt(a * a + b * b * q / r)) / (b * b);
            let found = solved(matrix([[a]]), matrix([[b]]), matrix([[q]]), r);
            assert!((found.x[(0, 0)] / expected - 1.0).abs() < 1e-13, "{:?} for {expected}", found.x);
        }
    }

    #[test]
    fn the_double_integrator_has_its_closed_form() {
        // ẍ = u, ∫ q x² + r u²: K = (√(q/r), √2 (q/r)^¼), damping ratio 1/√2. In units far apart as well.
        for (q, r) in [(1.0, 1.0), (1e9, 3.0), (2.0, 1e7)] {
            let found = solved(
                matrix([[0.0, 1.0], [0.0, 0.0]]),
                matrix([[0.0], [1.0]]),
                matrix([[q, 0.0], [0.0, 0.0]]),
                r,
            );
            let w = f64::powf(q / r, 0.25);
            assert!((found.gain[(0, 0)] / (w * w) - 1.0).abs() < 1e-12, "{:?}", found.gain);
            assert!((found.gain[(0, 1)] / (2.0_f64.sqrt() * w) - 1.0).abs() < 1e-12, "{:?}", found.gain);
        }
    }

    #[test]
    fn a_cross_weight_is_a_change_of_input() {
        // u = w − s x makes (x, u) cost q x² + 2 n x u + r u² one in (x, w): K grows by s = n/r.
        let (a, b, q, r, n) = (0.7, 1.3, 5.0, 2.0, 1.5);
        let problem = |q: f64, n: f64, a: f64| RiccatiProblem {
            a: matrix([[a]]),
            b: matrix([[b]]),
            q: matrix([[q]]),
            r: matrix([[r]]),
            n: matrix([[n]]),
        };
        let direct = riccati(&problem(q, n, a)).unwrap();
        let changed = riccati(&problem(q - n * n / r, 0.0, a - b * n / r)).unwrap();
        assert!((direct.gain[(0, 0)] - changed.gain[(0, 0)] - n / r).abs() < 1e-13);
        assert!((direct.x[(0, 0)] - changed.x[(0, 0)]).abs() < 1e-12);
    }

    #[test]
    fn random_systems_are_stabilised_with_no_residual() {
        let mut seed = 11_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for n in [2, 5, 12, 30] {
            let mut random = |rows: usize, columns: usize| {
                let values: Vec<f64> = (0..rows * columns).map(|_| next()).collect();
                Matrix::from_fn(rows, columns, |i, j| values[i * columns + j])
            };
            let (a, b, c) = (random(n, n), random(n, 2), random(3, n));
            let q = c.transposed().times(&c);
            let (r, cross) = (Matrix::identity(2), Matrix::zeros(n, 2));
            let found = riccati(&RiccatiProblem { a: a.clone(), b: b.clone(), q, r, n: cross }).unwrap();
            assert!(found.residual < 1e-11, "residual {} of {n}", found.residual);
            let closed = a.plus(-1.0, &b.times(&found.gain));
            assert!(eigen::eigenvalues(&closed).unwrap().iter().all(|s| s.0 < 0.0));
            // The cost is never negative.
            let x = random(n, 1);
            assert!(x.transposed().times(&found.x).times(&x)[(0, 0)] >= 0.0);
        }
    }

    #[test]
    fn what_cannot_be_stabilised_is_refused() {
        let (a, q) = (matrix([[0.0, 0.0], [0.0, -1.0]]), Matrix::identity(2));
        let problem = |b: Matrix, q: Matrix, r: f64| RiccatiProblem {
            a: a.clone(),
            b,
            q,
            r: matrix([[r]]),
            n: Matrix::zeros(2, 1),
        };
        let beside = matrix([[0.0], [1.0]]);
        assert_eq!(riccati(&problem(beside, q.clone(), 1.0)).err(), Some(RiccatiFailure::Unstable));
        let costs_nothing = matrix([[0.0, 0.0], [0.0, 1.0]]);
        let both = matrix([[1.0], [1.0]]);
        assert_eq!(riccati(&problem(both.clone(), costs_nothing, 1.0)).err(), Some(RiccatiFailure::Unstable));
        assert_eq!(riccati(&problem(both, q, 0.0)).err(), Some(RiccatiFailure::FreeEffort));
    }

    #[test]
    fn the_lyapunov_equation_holds() {
        let a = matrix([[-1.0, 200.0, 0.0], [-3.0, -0.1, 1.0], [0.0, 0.0, -50.0]]);
        let c = matrix([[1.0, 2.0, 0.0], [2.0, -1.0, 3.0], [0.0, 3.0, 8.0]]);
        let d = lyapunov(&a, &c).unwrap();
        let left = a.transposed().times(&d).plus(1.0, &d.times(&a)).plus(1.0, &c);
        assert!(left.norm() < 1e-12 * d.norm() * a.norm(), "{left:?}");
        assert!(lyapunov(&matrix([[1.0]]), &matrix([[1.0]])).is_none());
    }
}

//! Optimal state feedback of a linear model.
//!
//!   J = ∫ Σ w_i y_i² + Σ r_j u_j² dt  is least with  u = −K x                                     (1)  [Anderson1990, ch. 2]
//!   Q = Cᵀ W C,  N = Cᵀ W D,  R = diag r + Dᵀ W D                                                  (2)
//!   A [V W] = [V W] [A_r A_ru; 0 A_u],  B in the span of V                                         (3)
//!   K_r from the Riccati equation of A_r;   A_cᵀ X + X A_u + X_r A_ru + Q_ru − K_rᵀ N_uᵀ = 0,
//!   K_u = R⁻¹ (B_rᵀ X + N_uᵀ),  A_c = A_r − B_r K_r,  K = [K_r K_u] [V W]ᵀ                          (4)
//!
//! What no input reaches (A_u) is followed, not moved: a road profile, or two states that say the same. It may stand still or
//! oscillate without decay, in which case (4) is the limit of ever weaker discounting, but it may not grow.

use num_complex::Complex64;
use trunnion_num::riccati::{RiccatiFailure, RiccatiProblem, riccati};
use trunnion_num::{Matrix, Qr, eigen, reachable};

use crate::linear::{LinearModel, Pole};

/// A direction of states is reached if it is more than this share of what A does elsewhere: physics couples by more.
const REACHED: f64 = 1e-10;
/// A pole is on the imaginary axis within this share of the fastest one: a double zero is found to √ε.
const MARGINAL: f64 = 1e-7;
/// Unknowns of (4) that a dense solution takes at most.
const MOST_UNKNOWNS: usize = 2000;

/// w and r of (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub outputs: Vec<f64>,
    pub inputs: Vec<f64>,
}

/// A motion that the feedback cannot change.
#[derive(Clone, Debug, PartialEq)]
pub struct UncontrollableMode {
    pub pole: Pole,
    /// For a real pole: Σ c_k x_k moves with it alone. Else the size of each state in it.
    pub combination: Vec<f64>,
}

#[derive(Clone, Debug)]
pub struct Regulator {
    /// K of u = −K x, a row an input; a column a state, or a signal that was asked for.
    pub gain: Matrix,
    /// Of A − B K.
    pub poles: Vec<Pole>,
    pub untouched: Vec<UncontrollableMode>,
    /// What is left of the Riccati equation, relative to its terms.
    pub residual: f64,
}

/// Why there is no feedback.
#[derive(Clone, Debug, PartialEq)]
pub enum RegulatorFailure {
    /// Inputs move no state.
    NoInfluence,
    /// A combination of inputs has no weight.
    FreeEffort,
    /// A growing motion that no input reaches.
    OutOfReach(UncontrollableMode),
    /// A motion that does not die out and that the cost does not see; the share of each state in it.
    Unseen { pole: Pole, shares: Vec<f64> },
    /// These signals do not say enough; what K x lacks at most, as a share.
    TooFewSignals { missing: f64 },
    /// Values that are not finite, or too many states out of reach.
    Unsolved,
}

impl LinearModel {
    /// The feedback (1); from the signals C x alone where C is given: they have to determine all that inputs reach.
    pub fn regulator(
        &self,
        weights: &Weights,
        signals: Option<&Matrix>,
    ) -> Result<Regulator, RegulatorFailure> {
        let n = self.a.rows();
        let scale = eigen::balance(&mut self.a.clone());
        let a = Matrix::from_fn(n, n, |i, j| self.a[(i, j)] / scale[i] * scale[j]);
        let b = Matrix::from_fn(n, self.b.columns(), |i, j| self.b[(i, j)] / scale[i]);
        let c = Matrix::from_fn(self.c.rows(), n, |i, j| self.c[(i, j)] * scale[j]);
        let (t, rank) = reachable(&a, &b, REACHED);
        if rank == 0 {
            return Err(RegulatorFailure::NoInfluence);
        }
        let parts = RegulatorMatrices::new(&a, &b, &c, &self.d, weights, &t, rank);
        let untouched = parts.uncontrollable(&t, &scale)?;
        parts.find_unobservable(&t)?;
        let (gain, residual) = parts.gain()?;
        let gain = gain.times(&t.transposed());
        let mut gain = Matrix::from_fn(gain.rows(), n, |i, j| gain[(i, j)] / scale[j]);
        let mut whole = gain.clone();
        if let Some(signals) = signals {
            let v = Matrix::from_fn(n, rank, |i, j| t[(i, j)] * scale[i]);
            gain = from_signals(&gain, &v, signals)?;
            whole = gain.times(signals);
        }
        let closed = LinearModel { a: self.a.plus(-1.0, &self.b.times(&whole)), ..self.clone() };
        let poles = closed.poles().map_err(|_| RegulatorFailure::Unsolved)?;
        Ok(Regulator { gain, poles, untouched, residual })
    }
}

/// Gains of the signals C x that do the same as K on the columns of V.
fn from_signals(gain: &Matrix, v: &Matrix, signals: &Matrix) -> Result<Matrix, RegulatorFailure> {
    let seen = signals.times(v);
    // Units differ: every signal counts in its largest part of V.
    let size = |k: usize| seen.row(k).iter().fold(0.0, |m: f64, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    let chosen = Matrix::from_fn(v.columns(), signals.rows(), |i, j| seen[(j, i)] / size(j));
    let wanted = gain.times(v).transposed();
    let found = Qr::new(&chosen).solve(&wanted, REACHED);
    let missing = chosen.times(&found).plus(-1.0, &wanted).norm() / wanted.norm().max(f64::MIN_POSITIVE);
    if missing > 1e-6 {
        return Err(RegulatorFailure::TooFewSignals { missing });
    }
    Ok(Matrix::from_fn(gain.rows(), signals.rows(), |i, j| found[(j, i)] / size(j)))
}

/// Everything in the coordinates of (3).
struct RegulatorMatrices {
    rank: usize,
    a: Matrix,
    b: Matrix,
    q: Matrix,
    r: Matrix,
    n: Matrix,
}

impl RegulatorMatrices {
    fn new(
        a: &Matrix,
        b: &Matrix,
        c: &Matrix,
        d: &Matrix,
        weights: &Weights,
        t: &Matrix,
        rank: usize,
    ) -> Self {
        let c = c.times(t);
        let weigh =
            |m: &Matrix| Matrix::from_fn(m.rows(), m.columns(), |i, j| weights.outputs[i] * m[(i, j)]);
        let effort = |i: usize, j: usize| if i == j { weights.inputs[i] } else { 0.0 };
        let through = d.transposed().times(&weigh(d));
        RegulatorMatrices {
            rank,
            a: t.transposed().times(a).times(t),
            b: t.transposed().times(b),
            q: c.transposed().times(&weigh(&c)), // (2)
            n: c.transposed().times(&weigh(d)),
            r: Matrix::from_fn(d.columns(), d.columns(), |i, j| effort(i, j) + through[(i, j)]),
        }
    }

    /// Motions of A_u, in states as given; one that grows cannot be left alone.
    fn uncontrollable(&self, t: &Matrix, scale: &[f64]) -> Result<Vec<UncontrollableMode>, RegulatorFailure> {
        let (n, rank) = (t.rows(), self.rank);
        let a_u = self.a.block((rank, rank), n - rank, n - rank);
        let limit = MARGINAL * self.a.norm();
        let mut list = constants(&a_u, t, scale, limit);
        for eigen::EigenPair { value, left, .. } in
            eigen::pairs(&a_u).map_err(|_| RegulatorFailure::Unsolved)?
        {
            if value.norm() <= limit {
                continue;
            }
            let entry = |k: usize| -> Complex64 { (0..n - rank).map(|j| left[j] * t[(k, rank + j)]).sum() };
            let Complex64 { re, im } = value;
            let combination = match im == 0.0 {
                true => normalised((0..n).map(|k| entry(k).re).collect(), scale),
                false => (0..n).map(|k| entry(k).norm()).collect(),
            };
            let one = UncontrollableMode { pole: Pole { re, im }, combination };
            if re > limit {
                return Err(RegulatorFailure::OutOfReach(one));
            }
            list.push(one);
        }
        list.retain(|u| u.pole.im >= 0.0);
        list.dedup();
        Ok(list)
    }

    /// Motions on the imaginary axis that cost nothing: the Riccati equation has no solution with them.
    fn find_unobservable(&self, t: &Matrix) -> Result<(), RegulatorFailure> {
        let (n, rank) = (t.rows(), self.rank);
        let [a, b, q, cross] =
            [&self.a, &self.b, &self.q, &self.n].map(|m| m.block((0, 0), rank, m.columns().min(rank)));
        let across = self.r.solve(&cross.transposed()).map_err(|_| RegulatorFailure::FreeEffort)?;
        let a = a.plus(-1.0, &b.times(&across));
        let q = q.plus(-1.0, &cross.times(&across));
        let (seen, n_seen) = reachable(&a.transposed(), &q, REACHED);
        let inside = seen.transposed().times(&a).times(&seen);
        let hidden = inside.block((n_seen, n_seen), rank - n_seen, rank - n_seen);
        let limit = MARGINAL * self.a.norm();
        for eigen::EigenPair { value, right, .. } in
            eigen::pairs(&hidden).map_err(|_| RegulatorFailure::Unsolved)?
        {
            let Complex64 { re, im } = value;
            if re.abs() > limit {
                continue;
            }
            // Back to states: the vector of the hidden part, and what its coordinates are made of.
            let basis = t.left(rank).times(&seen.block((0, n_seen), rank, rank - n_seen));
            let part = |k: usize| right.iter().zip(basis.row(k)).map(|(v, b)| v * b).sum::<Complex64>();
            let sizes: Vec<f64> = (0..n).map(|k| part(k).norm()).collect();
            let sum: f64 = sizes.iter().sum();
            return Err(RegulatorFailure::Unseen {
                pole: Pole { re, im },
                shares: sizes.into_iter().map(|s| s / sum).collect(),
            });
        }
        Ok(())
    }

    /// (4), and the residual of the Riccati equation.
    fn gain(&self) -> Result<(Matrix, f64), RegulatorFailure> {
        let (n, rank) = (self.a.rows(), self.rank);
        let (rest, n_u) = (n - rank, self.b.columns());
        let problem = RiccatiProblem {
            a: self.a.block((0, 0), rank, rank),
            b: self.b.block((0, 0), rank, n_u),
            q: self.q.block((0, 0), rank, rank),
            r: self.r.clone(),
            n: self.n.block((0, 0), rank, n_u),
        };
        let solution = riccati(&problem).map_err(|e| match e {
            RiccatiFailure::FreeEffort => RegulatorFailure::FreeEffort,
            RiccatiFailure::Unstable | RiccatiFailure::NotFinite => RegulatorFailure::Unsolved,
        })?;
        if rest == 0 {
            return Ok((solution.gain, solution.residual));
        }
        let k_r = &solution.gain;
        let closed = problem.a.plus(-1.0, &problem.b.times(k_r));
        let n_u = self.n.block((rank, 0), rest, n_u);
        let right = solution.x.times(&self.a.block((0, rank), rank, rest));
        let right = right.plus(1.0, &self.q.block((0, rank), rank, rest));
        let right = right.plus(-1.0, &k_r.transposed().times(&n_u.transposed()));
        let x = sylvester(&closed.transposed(), &self.a.block((rank, rank), rest, rest), &right)?;
        let force = problem.b.transposed().times(&x).plus(1.0, &n_u.transposed());
        let k_u = self.r.solve(&force).map_err(|_| RegulatorFailure::FreeEffort)?;
        Ok((k_r.beside(&k_u), solution.residual))
    }
}

/// What never changes: combinations l with lᵀ A_u = 0, as few states in each as can be.
fn constants(a_u: &Matrix, t: &Matrix, scale: &[f64], limit: f64) -> Vec<UncontrollableMode> {
    let (n, rest) = (t.rows(), a_u.rows());
    let qr = Qr::new(a_u);
    let null = rest - qr.rank(limit);
    // Rows are combinations of balanced states.
    let basis = qr.q.block((0, rest - null), rest, null);
    let mut rows = t.block((0, n - rest), n, rest).times(&basis).transposed();
    for k in 0..null {
        let all = (k..null).flat_map(|i| (0..n).map(move |j| (i, j)));
        let Some((i, j)) = all.max_by(|&p, &q| rows[p].abs().total_cmp(&rows[q].abs())) else { break };
        for l in 0..n {
            (rows[(k, l)], rows[(i, l)]) = (rows[(i, l)], rows[(k, l)]);
        }
        let pivot = rows[(k, j)];
        for i in (0..null).filter(|&i| i != k) {
            let factor = rows[(i, j)] / pivot;
            (0..n).for_each(|l| rows[(i, l)] -= factor * rows[(k, l)]);
        }
    }
    let pole = Pole { re: 0.0, im: 0.0 };
    (0..null)
        .map(|k| UncontrollableMode { pole, combination: normalised(rows.row(k).to_vec(), scale) })
        .collect()
}

/// X of A X + X B + C = 0, all entries at once.
fn sylvester(a: &Matrix, b: &Matrix, c: &Matrix) -> Result<Matrix, RegulatorFailure> {
    let (m, n) = (a.rows(), b.rows());
    if m * n > MOST_UNKNOWNS {
        return Err(RegulatorFailure::Unsolved);
    }
    // Entry (i, j) of X has the number i n + j.
    let all = Matrix::from_fn(m * n, m * n, |row, column| {
        let ((i, j), (k, l)) = ((row / n, row % n), (column / n, column % n));
        (if j == l { a[(i, k)] } else { 0.0 }) + if i == k { b[(l, j)] } else { 0.0 }
    });
    let right = Matrix::from_fn(m * n, 1, |row, _| -c[(row / n, row % n)]);
    let x = all.solve(&right).map_err(|_| RegulatorFailure::Unsolved)?;
    Ok(Matrix::from_fn(m, n, |i, j| x[(i * n + j, 0)]))
}

/// Coefficients of a combination of states as given from those of balanced ones: the largest is one, rounding is zero.
fn normalised(balanced: Vec<f64>, scale: &[f64]) -> Vec<f64> {
    let largest = balanced.iter().fold(0.0, |m: f64, v| if v.abs() > f64::abs(m) { *v } else { m });
    let kept = balanced.iter().map(|v| if v.abs() < 1e-9 * largest.abs() { 0.0 } else { *v });
    let own: Vec<f64> = kept.zip(scale).map(|(v, d)| v / d).collect();
    let first = own.iter().copied().find(|v| *v != 0.0).unwrap_or(1.0);
    own.into_iter().map(|v| v / first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix<const N: usize, const M: usize>(rows: [[f64; M]; N]) -> Matrix {
        Matrix::from_fn(N, M, |i, j| rows[i][j])
    }

    /// Quarter car of [Thompson1976]: force F between body and wheel, tyre deflection and travel weighed.
    /// States v_b, v_w, q_t = z_road − z_w, z_b, z_w; q_t and z_w say the same while the road is flat.
    fn quarter_car() -> (LinearModel, Weights) {
        let (m_b, m_w, k) = (288.9, 28.58, 1.0 / 6.414e-6);
        let a = matrix([
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, k / m_w, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
        ]);
        let b = matrix([[1.0 / m_b], [-1.0 / m_w], [0.0], [0.0], [0.0]]);
        let c = matrix([[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, -1.0]]);
        let linear = LinearModel { a, b, c, d: Matrix::zeros(2, 1) };
        (linear, Weights { outputs: vec![10.0, 1.0], inputs: vec![0.8e-9] })
    }

    #[test]
    fn the_published_suspension_is_found() {
        let (linear, weights) = quarter_car();
        let found = linear.regulator(&weights, Some(&picked(&[4, 3, 1, 0]))).unwrap();
        // F = K₁ z_w + K₂ z_b + K₃ v_w + K₄ v_b with 57240, −35355, 1385.7, −4827.0 as published.
        for (k, published) in [57240.0, -35355.0, 1385.7, -4827.0].into_iter().enumerate() {
            let gain = -found.gain[(0, k)];
            assert!((gain / published - 1.0).abs() < 2e-4, "{gain} for {published}");
        }
        assert!(found.residual < 1e-12);
        // √(q₂/r) exactly, from the lowest coefficient of the Kalman identity.
        assert!((found.gain[(0, 1)] / f64::sqrt(1.0 / 0.8e-9) - 1.0).abs() < 1e-10);
    }

    /// The C of some of the five states.
    fn picked(states: &[usize]) -> Matrix {
        Matrix::from_fn(states.len(), 5, |i, j| if states[i] == j { 1.0 } else { 0.0 })
    }

    #[test]
    fn states_that_say_the_same_are_named() {
        let (linear, weights) = quarter_car();
        let found = linear.regulator(&weights, None).unwrap();
        let [one] = &found.untouched[..] else { panic!("{:?}", found.untouched) };
        assert!(one.pole.re.abs() < 1e-9);
        let expected = [0.0, 0.0, 1.0, 0.0, 1.0];
        assert!(one.combination.iter().zip(expected).all(|(c, e)| (c - e).abs() < 1e-12), "{one:?}");
        // On a road that is higher by h, z_w = z_b = h and q_t = 0 is rest: no force.
        let force = found.gain[(0, 3)] + found.gain[(0, 4)];
        assert!(force.abs() < 1e-9 * found.gain[(0, 3)].abs(), "{force}");
        let stable = found.poles.iter().filter(|p| p.re < -1.0).count();
        assert_eq!(stable, 4, "{:?}", found.poles);
    }

    #[test]
    fn what_is_reached_does_not_depend_on_what_is_chosen() {
        let (linear, weights) = quarter_car();
        let full = linear.regulator(&weights, None).unwrap();
        for states in [[0, 1, 2, 3], [4, 3, 1, 0]] {
            let part = linear.regulator(&weights, Some(&picked(&states))).unwrap();
            for (p, q) in part.poles.iter().zip(&full.poles) {
                assert!((p.re - q.re).hypot(p.im - q.im) < 1e-6, "{p:?} for {q:?}");
            }
        }
        let few = linear.regulator(&weights, Some(&picked(&[0, 1, 3]))).unwrap_err();
        assert!(matches!(few, RegulatorFailure::TooFewSignals { missing } if missing > 0.01), "{few:?}");
    }

    #[test]
    fn an_acceleration_in_the_cost_is_feed_through() {
        // m v̇ = u: w v̇² + r u² = (w/m² + r) u², so K = √(q / (r + w/m²)).
        let (m, q, w, r) = (2.0, 3.0, 5.0, 0.7);
        let linear = LinearModel {
            a: matrix([[0.0]]),
            b: matrix([[1.0 / m]]),
            c: matrix([[1.0], [0.0]]),
            d: matrix([[0.0], [1.0 / m]]),
        };
        let found = linear.regulator(&Weights { outputs: vec![q, w], inputs: vec![r] }, None).unwrap();
        assert!((found.gain[(0, 0)] - f64::sqrt(q / (r + w / (m * m)))).abs() < 1e-13);
        // Damped, ẋ = −x + u, y = x + u, ∫ y² + r u²: cross terms; K from 2 (a − b n/R) x … by hand.
        let linear =
            LinearModel { a: matrix([[-1.0]]), b: matrix([[1.0]]), c: matrix([[1.0]]), d: matrix([[1.0]]) };
        let found = linear.regulator(&Weights { outputs: vec![1.0], inputs: vec![1.0] }, None).unwrap();
        // R = 2, N = 1, Q = 1: −2x − (x + 1)²/2 + 1 = 0, x = −3 + √10, K = (x + 1)/2.
        assert!((found.gain[(0, 0)] - 0.5 * (10.0_f64.sqrt() - 2.0)).abs() < 1e-13);
    }

    #[test]
    fn a_filtered_disturbance_is_fed_forward() {
        // ẋ = u + d, ḋ = −d: the full Riccati equation has a closed form: K = (1, ½) for q = r = 1.
        let linear = LinearModel {
            a: matrix([[0.0, 1.0], [0.0, -1.0]]),
            b: matrix([[1.0], [0.0]]),
            c: matrix([[1.0, 0.0]]),
            d: matrix([[0.0]]),
        };
        let weights = Weights { outputs: vec![1.0], inputs: vec![1.0] };
        let found = linear.regulator(&weights, None).unwrap();
        assert!((found.gain[(0, 0)] - 1.0).abs() < 1e-12 && (found.gain[(0, 1)] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn refusals_name_the_motion() {
        let model = |a: Matrix, b: Matrix| LinearModel { a, b, c: matrix([[0.0, 1.0]]), d: matrix([[0.0]]) };
        let weights = Weights { outputs: vec![1.0], inputs: vec![1.0] };
        // A position that nothing weighs.
        let free = model(matrix([[0.0, 1.0], [0.0, 0.0]]), matrix([[0.0], [1.0]]));
        let Err(RegulatorFailure::Unseen { pole, shares }) = free.regulator(&weights, None) else { panic!() };
        assert!(pole.re.abs() < 1e-9 && shares[0] > 0.99, "{pole:?} {shares:?}");
        // A growing state that no input moves.
        let grows = model(matrix([[2.0, 0.0], [0.0, -1.0]]), matrix([[0.0], [1.0]]));
        let Err(RegulatorFailure::OutOfReach(one)) = grows.regulator(&weights, None) else { panic!() };
        assert!((one.pole.re - 2.0).abs() < 1e-12 && one.combination == [1.0, 0.0], "{one:?}");
        let still = model(matrix([[-1.0, 0.0], [0.0, -1.0]]), matrix([[0.0], [0.0]]));
        assert_eq!(still.regulator(&weights, None).err(), Some(RegulatorFailure::NoInfluence));
        let free = Weights { outputs: vec![1.0], inputs: vec![0.0] };
        assert_eq!(grows_not().regulator(&free, None).err(), Some(RegulatorFailure::FreeEffort));
    }

    fn grows_not() -> LinearModel {
        LinearModel { a: matrix([[-1.0]]), b: matrix([[1.0]]), c: matrix([[1.0]]), d: matrix([[0.0]]) }
    }
}

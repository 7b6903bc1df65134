//! Newton homotopy, followed by arclength, so that it passes the folds where Newton's method gets stuck.
//!
//!   H(x, λ) = f(x) − (1 − λ) f(x₀) = 0,   from (x₀, 0) to λ = 1                      (1)  [Allgower2003, §1.1]
//!   [ J  f(x₀) ] [ẋ]   [0]
//!   [   cᵀ     ] [λ̇] = [1],   c the last tangent                                     (2)  [Allgower2003, §2.1]
//!
//! Euler predictor along the tangent, Newton corrector in the plane across it. The curve is followed forwards first
//! (λ grows), then backwards: it may bend round and reach λ = 1 from there. Unknowns are scaled by their size.

use crate::newton::{NewtonBlock, NewtonFailure, largest};
use crate::problem::Problem;
use trunnion_num::{Lu, Pattern};

/// Points on one branch before it is given up.
const POINTS: usize = 400;
/// Correctors per point; more means that the predictor went too far.
const CORRECTORS: usize = 5;
const SMALLEST: f64 = 1e-6;
const LARGEST: f64 = 1.0;
/// Where a branch is taken to run off to infinity: |λ|, and unknowns over their size at the start.
const FAR: f64 = 1e6;

/// Solve f = 0 on the part from `y`, both ways along the curve (1).
pub fn solve(
    part: &mut NewtonBlock,
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
) -> Result<(), NewtonFailure> {
    let start = y.to_vec();
    let mut why = NewtonFailure::NoConvergence;
    for forwards in [1.0, -1.0] {
        y.copy_from_slice(&start);
        match follow(part, problem, t, y, forwards) {
            Ok(()) => return Ok(()),
            Err(e) => why = e,
        }
    }
    Err(why)
}

struct Curve {
    /// f(x₀), local rows.
    f_0: Vec<f64>,
    /// Sizes by which unknowns are scaled along the whole curve.
    size: Vec<f64>,
    /// The matrix of (2): its pattern, values and factors.
    pattern: Pattern,
    values: Vec<f64>,
    bordered: Lu,
    tangent: Vec<f64>,
}

fn follow(
    part: &mut NewtonBlock,
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
    forwards: f64,
) -> Result<(), NewtonFailure> {
    let m = part.m();
    part.evaluate(problem, t, y)?;
    let f_0: Vec<f64> = part.rows.iter().map(|&i| part.f[i]).collect();
    // Being singular here is no harm: (2) need not be.
    let _ = part.linearise(problem, t, y);
    let border = (0..=m).flat_map(|k| [(k, m), (m, k)]);
    let pattern = Pattern::from_entries(m + 1, part.scaled_entries().map(|(i, j, _)| (i, j)).chain(border));
    let mut curve = Curve {
        f_0,
        size: part.size().to_vec(),
        bordered: Lu::new(&pattern),
        values: vec![0.0; pattern.nnz()],
        pattern,
        tangent: vec![0.0; m + 1],
    };
    curve.tangent[m] = forwards;
    let (mut lambda, mut ds) = (0.0, 0.05);
    let mut at = y.to_vec();
    for _ in 0..POINTS {
        curve.turn(part, problem, t, y)?;
        loop {
            at.copy_from_slice(y);
            let mut there = lambda;
            if let Some(rounds) = curve.advance(part, problem, t, &mut at, &mut there, ds) {
                if there >= 1.0 {
                    // Chord to λ = 1, then Newton.
                    let w = (1.0 - lambda) / (there - lambda);
                    for &i in &part.columns {
                        at[i] = y[i] + w * (at[i] - y[i]);
                    }
                    if part.newton(problem, t, &mut at).is_ok() {
                        y.copy_from_slice(&at);
                        return Ok(());
                    }
                } else {
                    y.copy_from_slice(&at);
                    lambda = there;
                    ds = if rounds <= 2 { f64::min(2.0 * ds, LARGEST) } else { ds };
                    break;
                }
            }
            ds /= 2.0;
            if ds < SMALLEST {
                return Err(NewtonFailure::NoConvergence);
            }
        }
        let far = part.columns.iter().zip(&curve.size).any(|(&i, size)| y[i].abs() > FAR * size);
        if far || lambda.abs() > FAR {
            return Err(NewtonFailure::NoConvergence);
        }
        // Far out the curve is long: let the steps grow with it.
        let reach = part.columns.iter().zip(&curve.size).fold(1.0, |r: f64, (&i, s)| r.max(y[i].abs() / s));
        ds = f64::min(ds * 1.1, LARGEST * reach);
    }
    Err(NewtonFailure::NoConvergence)
}

impl Curve {
    /// Factor the matrix of (2) at y with the tangent at hand as its last row.
    fn factor(
        &mut self,
        part: &mut NewtonBlock,
        problem: &mut dyn Problem,
        t: f64,
        y: &[f64],
    ) -> Result<(), NewtonFailure> {
        let m = part.m();
        let _ = part.linearise(problem, t, y);
        self.values.fill(0.0);
        let mut put = |i, j, value: f64| {
            if let Some(place) = self.pattern.find(i, j) {
                self.values[place] = value;
            }
        };
        for (i, j, value) in part.scaled_entries() {
            put(i, j, value / part.size()[j] * self.size[j]);
        }
        for k in 0..=m {
            put(m, k, self.tangent[k]);
            if k < m {
                put(k, m, self.f_0[k]);
            }
        }
        self.bordered.refactor(&self.values).map_err(|_| NewtonFailure::Singular)
    }

    /// The next tangent (2), of length one, in the direction of the last.
    fn turn(
        &mut self,
        part: &mut NewtonBlock,
        problem: &mut dyn Problem,
        t: f64,
        y: &[f64],
    ) -> Result<(), NewtonFailure> {
        self.factor(part, problem, t, y)?;
        self.tangent.fill(0.0);
        *self.tangent.last_mut().unwrap() = 1.0;
        self.bordered.solve(&mut self.tangent);
        let length = self.tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.tangent.iter_mut().for_each(|x| *x /= length);
        if length.is_finite() { Ok(()) } else { Err(NewtonFailure::Singular) }
    }

    /// Predictor of length ds and correctors; the number of these, or None if they do not converge.
    fn advance(
        &mut self,
        part: &mut NewtonBlock,
        problem: &mut dyn Problem,
        t: f64,
        y: &mut [f64],
        lambda: &mut f64,
        ds: f64,
    ) -> Option<usize> {
        let m = part.m();
        for k in 0..m {
            y[part.columns[k]] += ds * self.tangent[k] * self.size[k];
        }
        *lambda += ds * self.tangent[m];
        let mut last = f64::INFINITY;
        let mut step = vec![0.0; m + 1];
        for round in 0..CORRECTORS {
            part.evaluate(problem, t, y).ok()?;
            self.factor(part, problem, t, y).ok()?;
            for k in 0..m {
                step[k] = -(part.f[part.rows[k]] - (1.0 - *lambda) * self.f_0[k]); // (1)
            }
            step[m] = 0.0;
            self.bordered.solve(&mut step);
            let norm = largest(&step);
            if norm.is_nan() || norm > ds.max(SMALLEST) || norm > 0.5 * last {
                return None;
            }
            for k in 0..m {
                y[part.columns[k]] += step[k] * self.size[k];
            }
            *lambda += step[m];
            // On the curve well enough to go on; the end is polished by Newton's method.
            if norm <= 1e-3 * ds {
                return Some(round);
            }
            last = norm;
        }
        None
    }
}

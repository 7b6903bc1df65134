//! Natural modes of a linear model, and how much each state takes part in them.
//!
//!   P = R (Lᵀ R)⁻¹ Lᵀ,   p_k = |P_kk| / Σ |P_jj|                                             (1)  [PerezArriaga1982]
//!   a = Σ p_k |A|_k,   |A|_k the length of row and column k in balanced states                (2)
//!
//! R and L are the right and left vectors of an eigenvalue, one for each time it occurs; P projects on what belongs to it. Shares do not depend
//! on units, and stay what they are where there are too few eigenvectors (a mass without a spring), which is left to `invariant_shares`, or
//! too many (four equal wheels).
//!
//! Parts of the model that do not act on each other are taken by themselves: P of a block triangular A has those of the blocks on its
//! diagonal. (2) is how large the entries are that act in a mode, so rounding is a small share of it, however fast other modes are.

use num_complex::Complex64;
use trunnion_num::eigen::{self, Graded};
use trunnion_num::{Matrix, invariant_shares, irreducible};

use crate::linear::{LinearModel, Pole};

/// Eigenvalues nearer to each other than this share of their size, or of (2) at zero, are one: a double one is found to √ε, far above
/// zero only with luck.
const SAME: f64 = 1e-6;
const ZERO: f64 = 1e-10;
/// Rates in 1/s that no machine has: of this size, and of rounding beside the fastest one, is what is left where rates cancel.
const NEVER: f64 = 1e-12;
/// Vectors are independent if (Lᵀ R)⁻¹ is below this, in lengths of Σ |l_k r_k| = 1.
const INDEPENDENT: f64 = 1e3;

#[derive(Clone, Debug)]
pub struct Mode {
    /// Of a conjugate pair the one with the positive imaginary part.
    pub pole: Pole,
    /// How often it occurs.
    pub count: usize,
    /// Of the states, with a sum of one.
    pub shares: Vec<f64>,
    /// (2), in 1/s: real and imaginary part are known to a small share of it.
    pub size: f64,
}

/// One eigenvalue of one part.
struct PartEigenvalue {
    pole: Pole,
    part: usize,
    /// With Σ |l_k r_k| = 1 over the states of the part.
    right: Vec<Complex64>,
    left: Vec<Complex64>,
    size: f64,
}

/// States that all act on each other, and the matrix of them.
struct StateBlock {
    states: Vec<usize>,
    a: Matrix,
}

/// Slowest first.
pub fn modes(linear: &LinearModel) -> Result<Vec<Mode>, eigen::EigenFailure> {
    let parts = irreducible(&linear.a).into_iter();
    let parts: Vec<StateBlock> =
        parts.map(|states| StateBlock { a: linear.a.picked(&states), states }).collect();
    let mut all = vec![];
    for (k, part) in parts.iter().enumerate() {
        all.extend(found(part, k)?);
    }
    let fastest = all.iter().map(|f: &PartEigenvalue| f.pole.size()).fold(0.0, f64::max);
    let rounding = (f64::EPSILON * fastest).min(NEVER);
    all.iter_mut().for_each(|f| f.size = f.size.max(rounding / ZERO));
    all.sort_by(|p, q| p.pole.order(&q.pole));
    let zero = |f: &PartEigenvalue| f.pole.size() <= ZERO * f.size;
    let same = |p: &PartEigenvalue, q: &PartEigenvalue| {
        p.pole.distance(&q.pole) <= SAME * p.pole.size().max(q.pole.size()) || (zero(p) && zero(q))
    };
    let mut groups: Vec<Vec<&PartEigenvalue>> = vec![];
    for one in all.iter().filter(|f| f.pole.im >= 0.0 || zero(f)) {
        match groups.iter_mut().find(|g| same(g[0], one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    Ok(groups.iter().map(|group| mode(&parts, &all, group, linear.a.rows())).collect())
}

/// Eigenvalues of a part, each with its vectors and its size.
fn found(part: &StateBlock, k: usize) -> Result<Vec<PartEigenvalue>, eigen::EigenFailure> {
    let n = part.states.len();
    let Graded { a, order, .. } = Graded::new(&part.a);
    let mut length = vec![0.0; n];
    for (i, &state) in order.iter().enumerate() {
        length[state] = (0..n).fold(0.0, |sum: f64, j| sum.hypot(a[(i, j)]).hypot(a[(j, i)]));
    }
    let one = |eigen::EigenPair { value, mut right, left }: eigen::EigenPair| {
        let products = || left.iter().zip(&right).map(|(l, r)| (l * r).norm());
        let sum = products().sum::<f64>().max(f64::MIN_POSITIVE);
        let size = products().zip(&length).map(|(p, a)| p / sum * a).sum(); // (2)
        right.iter_mut().for_each(|r| *r /= sum);
        PartEigenvalue { pole: Pole { re: value.re, im: value.im }, part: k, right, left, size }
    };
    Ok(eigen::pairs(&part.a)?.into_iter().map(one).collect())
}

/// |P_kk| of (1) by the vectors of one part; None if they depend on each other.
fn projected(group: &[&PartEigenvalue]) -> Option<Vec<f64>> {
    let m = group.len();
    let dot = |i: usize, j: usize| -> Complex64 {
        group[i].left.iter().zip(&group[j].right).map(|(l, r)| l * r).sum()
    };
    let g: Vec<Complex64> = (0..m * m).map(|k| dot(k / m, k % m)).collect();
    // (a + i b)⁻¹ by the real matrix [a −b; b a].
    let inverse = Matrix::from_fn(2 * m, 2 * m, |i, j| {
        let z = g[i % m * m + j % m];
        match (i < m, j < m) {
            (true, false) => -z.im,
            (false, true) => z.im,
            _ => z.re,
        }
    });
    let inverse = inverse.solve(&Matrix::identity(2 * m)).ok()?;
    let entry = |i: usize, j: usize| Complex64::new(inverse[(i, j)], inverse[(m + i, j)]);
    let diagonal = |k: usize| {
        let row = |i: usize| (0..m).map(|j| entry(i, j) * group[j].left[k]).sum::<Complex64>();
        (0..m).map(|i| group[i].right[k] * row(i)).sum::<Complex64>().norm()
    };
    (inverse.norm() < INDEPENDENT).then(|| (0..group[0].right.len()).map(diagonal).collect())
}

/// (1) of those of all eigenvalues that count as one.
fn mode(parts: &[StateBlock], all: &[PartEigenvalue], group: &[&PartEigenvalue], n: usize) -> Mode {
    let mut sizes = vec![0.0; n];
    for (k, part) in parts.iter().enumerate() {
        let own: Vec<&PartEigenvalue> = group.iter().copied().filter(|f| f.part == k).collect();
        let Some(first) = own.first() else { continue };
        let projected = projected(&own).or_else(|| {
            let others = all.iter().filter(|f| f.part == k && !own.iter().any(|g| std::ptr::eq(*g, *f)));
            let gap = others.map(|f| f.pole.distance(&first.pole)).fold(f64::INFINITY, f64::min);
            invariant_shares(&part.a, Complex64::new(first.pole.re, first.pole.im), own.len(), gap)
        });
        // Equal shares if the vectors are not found.
        let projected = projected.unwrap_or_else(|| vec![1.0; part.states.len()]);
        part.states.iter().zip(projected).for_each(|(&state, p)| sizes[state] = p);
    }
    let sum: f64 = sizes.iter().sum();
    Mode {
        pole: group[0].pole,
        count: group.len(),
        shares: sizes.into_iter().map(|s| s / sum).collect(),
        size: group.iter().map(|f| f.size).fold(0.0, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn of<const N: usize>(rows: [[f64; N]; N]) -> Vec<Mode> {
        let none = Matrix::zeros(0, 0);
        let a = Matrix::from_fn(N, N, |i, j| rows[i][j]);
        modes(&LinearModel { a, b: none.clone(), c: none.clone(), d: none }).unwrap()
    }

    fn check(mode: &Mode, frequency: f64, count: usize, shares: &[f64]) {
        assert!((mode.pole.natural_frequency() - frequency).abs() < 1e-6 * frequency.max(1.0), "{mode:?}");
        assert_eq!(mode.count, count, "{mode:?}");
        assert!(mode.shares.iter().zip(shares).all(|(s, e)| (s - e).abs() < 1e-6), "{mode:?} for {shares:?}");
    }

    #[test]
    fn oscillators_side_by_side_keep_to_themselves() {
        // Each mode is half position, half velocity, in units of their own.
        let modes = of([
            [0.0, 1e6, 0.0, 0.0],
            [-100e-6, -0.1, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, -9.0, 0.0],
        ]);
        check(&modes[0], 3.0 / TAU, 1, &[0.0, 0.0, 0.5, 0.5]);
        check(&modes[1], 10.0 / TAU, 1, &[0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_slow_oscillation_is_one_beside_a_fast_current() {
        for fast in [1e3, 1e9, 1e12, 1e16] {
            // Apart; driven by the current; and a motor whose current is as fast.
            let k = 1e-3;
            let cases = [
                [[-fast, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
                [[-fast, 0.0, 0.0], [0.0, 0.0, 1.0], [7.0, -1.0, 0.0]],
                [[-fast, 0.0, -k * fast], [0.0, 0.0, 1.0], [k, -1.0, 0.0]],
            ];
            for rows in cases {
                let modes = of(rows);
                assert_eq!(modes.len(), 2, "{modes:?}");
                check(&modes[0], 1.0 / TAU, 1, &[0.0, 0.5, 0.5]);
                // Rates below 1e-9 of what acts in a mode count as none: this one is far from that.
                assert!(modes[0].pole.im > 1e-6 * modes[0].size, "{modes:?}");
                check(&modes[1], fast / TAU, 1, &[1.0, 0.0, 0.0]);
            }
        }
    }

    #[test]
    fn what_is_left_of_rates_that_cancel_is_free() {
        let modes = of([[1.9e-17, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -40.0]]);
        check(&modes[0], 0.0, 2, &[0.5, 0.5, 0.0]);
        assert_eq!(modes.len(), 2);
    }

    #[test]
    fn equal_ones_are_counted() {
        let modes =
            of([[0.0, 1.0, 0.0, 0.0], [-4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -4.0, 0.0]]);
        assert_eq!(modes.len(), 1);
        check(&modes[0], 2.0 / TAU, 2, &[0.25; 4]);
    }

    #[test]
    fn a_free_mass_has_one_mode_of_two_states() {
        check(&of([[0.0, 1.0], [0.0, 0.0]])[0], 0.0, 2, &[0.5, 0.5]);
        // Tyre and wheel (states 1, 2) beside a free body (0, 3) and a redundant position (4).
        let k = 1.0 / 6.414e-6 / 28.58;
        let modes = of([
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, k, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
        ]);
        check(&modes[0], 0.0, 3, &[1.0 / 3.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        check(&modes[1], k.sqrt() / TAU, 1, &[0.0, 0.5, 0.5, 0.0, 0.0]);
    }
}

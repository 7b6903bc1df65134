//! The largest eigenvalues μ of A⁻¹B with A symmetric positive definite, B symmetric: block Lanczos iteration with full
//! reorthogonalisation and thick restarts, in the inner product of A.
//!
//!   B x = μ A x;   V ᵀA V = 1,   T = VᵀB V,   T y = μ y,   x = V y                                          (1)
//!   residual  ‖A⁻¹B x − μ x‖_A = ‖W y_last‖_A,   W: the next block before it is normalised                  (2)  [Grimes, Lewis, Simon 1994]
//!
//! A block finds as many equal eigenvalues as it has columns; callers count eigenvalues by the inertia of B − σA and ask again.
//! A V is carried along with V, so that products with A are not needed.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};

use crate::factor::SparseFactor;
use crate::sparse::SymSparse;

/// Columns of a block: what a product with a sparse matrix serves in one pass.
const BLOCK: usize = 4;
/// Relative residual (2) of an accepted pair; its eigenvalue is then exact to about the square of this.
const TOLERANCE: f64 = 1e-9;
/// Restarts before giving up.
const MOST_RESTARTS: usize = 60;
/// Below this size all eigenvalues come from dense matrices.
const DENSE: usize = 150;

pub(crate) struct PencilPairs {
    /// Descending.
    pub mu: Vec<f64>,
    /// Columns, xᵀA x = 1.
    pub x: Mat<f64>,
    /// Of how many of them (2) is small enough.
    pub converged: usize,
}

/// Deterministic numbers in (−½, ½).
struct StartNoise(u64);

impl StartNoise {
    fn block(&mut self, n: usize, columns: usize) -> Mat<f64> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut block = Mat::zeros(n, columns);
        for j in 0..columns {
            for i in 0..n {
                block[(i, j)] = next();
            }
        }
        block
    }
}

struct SubspaceBasis {
    v: Mat<f64>,
    av: Mat<f64>,
    t: Mat<f64>,
    size: usize,
}

fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    matmul(c.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    c
}

fn subtract(from: &mut Mat<f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(from.as_mut(), Accum::Add, a, b, -1.0, Par::Seq);
}

/// Eigenvalues ascending, vectors in columns; the lower triangle is read.
pub(crate) fn symmetric_eigen(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    if a.nrows() == 0 {
        return Some((vec![], Mat::zeros(0, 0)));
    }
    let spectrum = a.self_adjoint_eigen(Side::Lower).ok()?;
    Some(((0..a.nrows()).map(|i| spectrum.S()[i]).collect(), spectrum.U().to_owned()))
}

impl SubspaceBasis {
    fn new(n: usize, most: usize) -> Self {
        SubspaceBasis { v: Mat::zeros(n, most), av: Mat::zeros(n, most), t: Mat::zeros(most, most), size: 0 }
    }

    /// Makes W orthogonal to the basis, twice; AW likewise.
    fn orthogonalise(&self, w: &mut Mat<f64>, aw: &mut Mat<f64>) {
        let (v, av) = (self.v.subcols(0, self.size), self.av.subcols(0, self.size));
        for _ in 0..2 {
            let c = times(av.transpose(), w.as_ref());
            subtract(w, v, c.as_ref());
            subtract(aw, av, c.as_ref());
        }
    }

    /// Appends an orthogonal block; T gets its products with the whole basis. Gives B times the block.
    fn append(&mut self, w: &Mat<f64>, aw: &Mat<f64>, b: &SymSparse) -> Mat<f64> {
        let (from, count) = (self.size, w.ncols());
        for j in 0..count {
            self.v.col_mut(from + j).copy_from(w.col(j));
            self.av.col_mut(from + j).copy_from(aw.col(j));
        }
        self.size += count;
        let bw = b.times(w.as_ref());
        let t = times(self.v.subcols(0, self.size).transpose(), bw.as_ref());
        for j in 0..count {
            for i in 0..self.size {
                self.t[(i, from + j)] = t[(i, j)];
                self.t[(from + j, i)] = t[(i, j)];
            }
        }
        bw
    }

    /// The basis becomes the Ritz vectors Y.
    fn restart(&mut self, y: MatRef<'_, f64>, mu: &[f64]) {
        let v = times(self.v.subcols(0, self.size), y);
        let av = times(self.av.subcols(0, self.size), y);
        self.size = mu.len();
        self.t.fill(0.0);
        for j in 0..mu.len() {
            self.v.col_mut(j).copy_from(v.col(j));
            self.av.col_mut(j).copy_from(av.col(j));
            self.t[(j, j)] = mu[j];
        }
    }
}

/// Orthonormal columns of W in the inner product of A; columns that are rounding of `size` are dropped.
fn normalised(w: &Mat<f64>, aw: &Mat<f64>, size: f64) -> Option<(Mat<f64>, Mat<f64>)> {
    let (mut w, mut aw) = (w.clone(), aw.clone());
    for pass in 0..2 {
        let gram = times(w.transpose(), aw.as_ref());
        let (values, q) = symmetric_eigen(gram.as_ref())?;
        let least = if pass == 0 { 1e-26 * size } else { 0.0 };
        let kept: Vec<usize> = (0..values.len()).filter(|&i| values[i] > least).collect();
        let scaled = Mat::from_fn(values.len(), kept.len(), |i, j| q[(i, kept[j])] / values[kept[j]].sqrt());
        w = times(w.as_ref(), scaled.as_ref());
        aw = times(aw.as_ref(), scaled.as_ref());
    }
    Some((w, aw))
}

fn trace_of_gram(w: &Mat<f64>, aw: &Mat<f64>) -> f64 {
    (0..w.ncols()).map(|j| (0..w.nrows()).map(|i| w[(i, j)] * aw[(i, j)]).sum::<f64>()).sum()
}

/// `known` pairs, if any, are kept in the basis, beside a new random block: what they missed is found then.
pub(crate) fn largest(
    factor: &SparseFactor,
    a: &SymSparse,
    b: &SymSparse,
    count: usize,
    known: Option<&PencilPairs>,
    seed: u64,
) -> Option<PencilPairs> {
    let n = a.n;
    if n <= DENSE {
        return dense(a, b, count);
    }
    let most = (2 * count + 4 * BLOCK).max(count + 8 * BLOCK).min(n);
    let mut basis = SubspaceBasis::new(n, most + BLOCK);
    let mut noise = StartNoise(seed);
    if let Some(known) = known {
        let av = a.times(known.x.as_ref());
        basis.append(&known.x, &av, b);
    }
    let (mut restarts, mut aw) = (0, b.times(noise.block(n, BLOCK).as_ref()));
    let mut refills = 0;
    loop {
        let mut w = factor.solved(aw.clone());
        let size = trace_of_gram(&w, &aw);
        basis.orthogonalise(&mut w, &mut aw);
        let last = aw.ncols();
        let gram = times(w.transpose(), aw.as_ref());
        let (next, a_next) = normalised(&w, &aw, size)?;
        let ended = next.ncols() == 0;
        let full = ended || basis.size + next.ncols() > most;
        // Pairs may have converged before the basis is full: their residuals cost little.
        if full || basis.size >= count + BLOCK {
            let ritz = Ritz::new(&basis, count, last, &gram)?;
            let given_up = (ended && refills > 0) || restarts >= MOST_RESTARTS;
            if ritz.converged >= count || given_up {
                return Some(ritz.pairs(&basis));
            }
            if full {
                restarts += 1;
                basis.restart(ritz.y.as_ref(), &ritz.mu);
            }
        }
        if ended {
            // An invariant subspace: what is not in it needs a new start.
            refills += 1;
            aw = b.times(noise.block(n, BLOCK).as_ref());
            continue;
        }
        aw = basis.append(&next, &a_next, b);
    }
}

struct Ritz {
    mu: Vec<f64>,
    y: Mat<f64>,
    converged: usize,
    count: usize,
}

impl Ritz {
    fn new(basis: &SubspaceBasis, count: usize, last: usize, gram: &Mat<f64>) -> Option<Ritz> {
        let p = basis.size;
        let (values, vectors) = symmetric_eigen(basis.t.submatrix(0, 0, p, p))?;
        let kept = (count + BLOCK).min(p);
        let y = Mat::from_fn(p, kept, |i, j| vectors[(i, p - 1 - j)]);
        let mu: Vec<f64> = (0..kept).map(|j| values[p - 1 - j]).collect();
        let last = last.min(p);
        let residual = |j: usize| {
            let part = |i: usize| y[(p - last + i, j)];
            let sum: f64 = (0..last)
                .flat_map(|i| (0..last).map(move |k| (i, k)))
                .map(|(i, k)| part(i) * gram[(i, k)] * part(k))
                .sum();
            sum.max(0.0).sqrt()
        };
        // Rounding of the largest eigenvalue is in all residuals.
        let small = |j: usize| residual(j) <= (TOLERANCE * mu[j].abs()).max(1e-14 * mu[0].abs());
        let converged = (0..kept).take_while(|&j| small(j)).count();
        Some(Ritz { mu, y, converged, count })
    }

    fn pairs(&self, basis: &SubspaceBasis) -> PencilPairs {
        let count = self.count.min(self.mu.len());
        let x = times(basis.v.subcols(0, basis.size), self.y.subcols(0, count));
        PencilPairs { mu: self.mu[..count].to_vec(), x, converged: self.converged.min(count) }
    }
}

fn dense(a: &SymSparse, b: &SymSparse, count: usize) -> Option<PencilPairs> {
    let full = |s: &SymSparse| {
        let mut m = Mat::<f64>::zeros(s.n, s.n);
        for j in 0..s.n {
            for p in s.column(j) {
                m[(s.rows[p] as usize, j)] = s.values[p];
                m[(j, s.rows[p] as usize)] = s.values[p];
            }
        }
        m
    };
    dense_pairs(full(a), full(b), count)
}

/// All pairs by A = L Lᵀ, C = L⁻¹ B L⁻ᵀ, x = L⁻ᵀ y, after both are scaled to a unit diagonal of A.
pub(crate) fn dense_pairs(a: Mat<f64>, b: Mat<f64>, count: usize) -> Option<PencilPairs> {
    let n = a.nrows();
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / a[(i, i)].sqrt()).collect();
    let scaled =
        |m: &Mat<f64>| Mat::from_fn(n, n, |i, j| 0.5 * scale[i] * scale[j] * (m[(i, j)] + m[(j, i)]));
    let factor = scaled(&a).llt(Side::Lower).ok()?;
    let l = factor.L();
    let mut c = scaled(&b);
    l.solve_lower_triangular_in_place(&mut c);
    let mut c = c.transpose().to_owned();
    l.solve_lower_triangular_in_place(&mut c);
    let (values, y) = symmetric_eigen(c.as_ref())?;
    let count = count.min(n);
    let mut x = Mat::from_fn(n, count, |i, j| y[(i, n - 1 - j)]);
    l.transpose().solve_upper_triangular_in_place(&mut x);
    let x = Mat::from_fn(n, count, |i, j| scale[i] * x[(i, j)]);
    let mu: Vec<f64> = (0..count).map(|j| values[n - 1 - j]).collect();
    Some(PencilPairs { converged: mu.len(), mu, x })
}

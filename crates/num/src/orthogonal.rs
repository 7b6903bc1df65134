//! Orthogonal bases: QR with column pivoting, least squares, and what an input can reach.
//!
//!   A P = Q R,  |r₁₁| ≥ |r₂₂| ≥ …, by Householder reflections                                   (1)  [Golub2013, alg. 5.4.1]
//!   reachable(A, B) = span(B, A B, A² B, …) = V,   A [V W] = [V W] [A_r A_ru; 0 A_u]             (2)  [Kailath1980, §2.4]
//!
//! (2) grows block by block, new directions made orthogonal to old ones twice, so that no power of A is formed.

use crate::Matrix;

/// (1).
#[derive(Clone, Debug)]
pub struct Qr {
    /// m × m.
    pub q: Matrix,
    /// m × n.
    pub r: Matrix,
    /// Column of A at each column of R.
    pub order: Vec<usize>,
}

impl Qr {
    pub fn new(a: &Matrix) -> Self {
        let (m, n) = (a.rows(), a.columns());
        let (mut r, mut q) = (a.clone(), Matrix::identity(m));
        let mut order: Vec<usize> = (0..n).collect();
        let mut v = vec![0.0; m];
        for k in 0..m.min(n) {
            let length = |r: &Matrix, j: usize| (k..m).fold(0.0, |s: f64, i| s.hypot(r[(i, j)]));
            let next = (k..n).fold(k, |best, j| if length(&r, j) > length(&r, best) { j } else { best });
            for i in 0..m {
                (r[(i, k)], r[(i, next)]) = (r[(i, next)], r[(i, k)]);
            }
            order.swap(k, next);
            let norm = length(&r, k);
            if norm == 0.0 {
                break;
            }
            (k..m).for_each(|i| v[i] = r[(i, k)] / norm);
            v[k] += 1.0_f64.copysign(v[k]);
            let beta = 2.0 / (k..m).map(|i| v[i] * v[i]).sum::<f64>();
            for j in k..n {
                let dot: f64 = (k..m).map(|i| v[i] * r[(i, j)]).sum();
                (k..m).for_each(|i| r[(i, j)] -= beta * dot * v[i]);
            }
            for i in 0..m {
                let dot: f64 = (k..m).map(|j| q[(i, j)] * v[j]).sum();
                (k..m).for_each(|j| q[(i, j)] -= beta * dot * v[j]);
            }
            (k + 1..m).for_each(|i| r[(i, k)] = 0.0);
        }
        Qr { q, r, order }
    }

    /// Diagonal entries of R above `tolerance`.
    pub fn rank(&self, tolerance: f64) -> usize {
        let short = self.r.rows().min(self.r.columns());
        (0..short).take_while(|&k| self.r[(k, k)].abs() > tolerance).count()
    }

    /// x with least |A x − b| for every column of B; zero where a column of A depends on those before it.
    pub fn solve(&self, b: &Matrix, tolerance: f64) -> Matrix {
        let rank = self.rank(tolerance);
        let c = self.q.transposed().times(b);
        let mut x = Matrix::zeros(self.r.columns(), b.columns());
        for j in 0..b.columns() {
            for i in (0..rank).rev() {
                let sum: f64 = (i + 1..rank).map(|k| self.r[(i, k)] * x[(self.order[k], j)]).sum();
                x[(self.order[i], j)] = (c[(i, j)] - sum) / self.r[(i, i)];
            }
        }
        x
    }
}

/// An orthogonal matrix [V W] and the number of columns of V (2). `tolerance` is relative to ‖A‖.
pub fn reachable(a: &Matrix, b: &Matrix, tolerance: f64) -> (Matrix, usize) {
    let n = a.rows();
    let size = a.norm();
    // Inputs count however small they are: only their directions matter.
    let lengths: Vec<f64> = (0..b.columns()).map(|j| b.column(j).norm()).collect();
    let used: Vec<usize> = (0..b.columns()).filter(|&j| lengths[j] > 0.0).collect();
    let mut fresh = Matrix::from_fn(n, used.len(), |i, j| b[(i, used[j])] / lengths[used[j]]);
    let mut limit = tolerance;
    let mut v = Matrix::zeros(n, 0);
    loop {
        let qr = Qr::new(&without(&fresh, &v));
        let new = qr.rank(limit).min(n - v.columns());
        if new == 0 {
            break;
        }
        // Once more: what is left of a nearly dependent direction is not quite orthogonal.
        let directions = without(&qr.q.left(new), &v);
        let directions = Qr::new(&directions).q.left(new);
        v = v.beside(&directions);
        fresh = a.times(&directions);
        limit = tolerance * size;
    }
    let rank = v.columns();
    let rest = Qr::new(&without(&Matrix::identity(n), &v)).q.left(n - rank);
    (v.beside(&rest), rank)
}

/// A − V Vᵀ A, twice.
fn without(a: &Matrix, v: &Matrix) -> Matrix {
    let once = |a: &Matrix| a.plus(-1.0, &v.times(&v.transposed().times(a)));
    if v.columns() == 0 { a.clone() } else { once(&once(a)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &Matrix, b: &Matrix, tolerance: f64) {
        assert!(a.plus(-1.0, b).norm() <= tolerance, "{a:?} for {b:?}");
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        let a = Matrix::from_fn(5, 3, |i, j| ((3 * i + 7 * j * j) % 5) as f64 - 1.5);
        let qr = Qr::new(&a);
        let permuted = Matrix::from_fn(5, 3, |i, j| a[(i, qr.order[j])]);
        close(&qr.q.times(&qr.r), &permuted, 1e-14);
        close(&qr.q.transposed().times(&qr.q), &Matrix::identity(5), 1e-14);
        assert_eq!(qr.rank(1e-12), 3);
        let x = Matrix::from_fn(3, 1, |i, _| i as f64 - 0.7);
        close(&qr.solve(&a.times(&x), 1e-12), &x, 1e-13);
    }

    #[test]
    fn a_dependent_column_gets_nothing() {
        // The third column is the sum of the others, which are longer.
        let a = Matrix::from_fn(3, 3, |i, j| [[4.0, -3.0, 1.0], [0.0, 3.0, 3.0], [4.0, 0.0, 4.0]][i][j]);
        let qr = Qr::new(&a);
        assert_eq!(qr.rank(1e-12), 2);
        let b = Matrix::from_fn(3, 1, |i, _| [5.0, 3.0, 8.0][i]);
        close(&a.times(&qr.solve(&b, 1e-12)), &b, 1e-13);
    }

    #[test]
    fn a_chain_of_integrators_is_reached_from_its_end_only() {
        let chain = Matrix::from_fn(4, 4, |i, j| if j == i + 1 { 1.0 } else { 0.0 });
        let unit = |k: usize| Matrix::from_fn(4, 1, |i, _| if i == k { 1e-8 } else { 0.0 });
        for k in 0..4 {
            let (basis, rank) = reachable(&chain, &unit(k), 1e-10);
            assert_eq!(rank, k + 1);
            close(&basis.transposed().times(&basis), &Matrix::identity(4), 1e-14);
            // (2): nothing leads out of V.
            let inside = basis.transposed().times(&chain).times(&basis);
            let leak = (rank..4).flat_map(|i| (0..rank).map(move |j| (i, j)));
            assert!(leak.map(|at| inside[at].abs()).fold(0.0, f64::max) < 1e-14);
        }
        assert_eq!(reachable(&chain, &Matrix::zeros(4, 1), 1e-10).1, 0);
    }
}

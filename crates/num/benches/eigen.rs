//! Dense linear algebra against the library faer, both in one run: which of them to write by hand.
//!
//! Times in µs; a ratio above one is for ours.

use std::hint::black_box;
use std::time::Instant;

use faer::Mat;
use faer::linalg::solvers::Solve;
use num_complex::Complex64;
use trunnion_num::riccati::{RiccatiProblem, riccati};
use trunnion_num::{DenseLu, Lu, Matrix, Pattern, eigen, hessenberg};

/// Of seven repetitions the best, each of at least a millisecond.
fn best(mut run: impl FnMut()) -> f64 {
    let mut once = || {
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed().as_secs_f64() < 1e-3 {
            run();
            count += 1;
        }
        1e6 * start.elapsed().as_secs_f64() / count as f64
    };
    (0..7).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn show(name: &str, n: usize, ours: f64, theirs: f64) {
    println!("{name:30} {n:4} | ours {ours:10.2} | faer {theirs:10.2} | {:6.2}", theirs / ours);
}

fn main() {
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for n in [5, 10, 20, 40, 100, 200] {
        let values: Vec<f64> = (0..n * n).map(|_| next()).collect();
        let ours = Matrix::from_fn(n, n, |i, j| values[i * n + j]);
        let theirs = Mat::from_fn(n, n, |i, j| values[i * n + j]);
        show(
            "product",
            n,
            best(|| drop(black_box(ours.times(&ours)))),
            best(|| drop(black_box(&theirs * &theirs))),
        );
        let mut lu = DenseLu::new(n);
        show(
            "dense factors",
            n,
            best(|| lu.factor(black_box(&values)).unwrap()),
            best(|| drop(black_box(theirs.partial_piv_lu()))),
        );
        // One frequency of a response: (jω − A) x = b, on the Hessenberg form or by factors.
        let mut h = ours.clone();
        hessenberg(&mut h);
        let linear =
            Mat::from_fn(n, n, |i, j| Complex64::new(values[i * n + j], if i == j { 1.0 } else { 0.0 }));
        let right = Mat::from_fn(n, 1, |_, _| Complex64::new(1.0, 0.0));
        show(
            "a frequency",
            n,
            best(|| drop(black_box(by_hessenberg(&h)))),
            best(|| drop(black_box(linear.partial_piv_lu().solve(&right)))),
        );
        let whole = best(|| drop(black_box(eigen::pairs(&ours).unwrap())));
        show("eigenvectors (with balancing)", n, whole, best(|| drop(black_box(theirs.eigen().unwrap()))));
        let values = best(|| drop(black_box(eigen::eigenvalues(&ours).unwrap())));
        show(
            "eigenvalues (with balancing)",
            n,
            values,
            best(|| drop(black_box(theirs.eigenvalues().unwrap()))),
        );
        if n <= 40 {
            let identity = Matrix::identity(n);
            let b = ours.left(1);
            let problem = RiccatiProblem {
                a: ours.clone(),
                b,
                q: identity,
                r: Matrix::identity(1),
                n: Matrix::zeros(n, 1),
            };
            // What a solution by vectors of the Hamiltonian matrix would need at least; faer has none.
            let hamiltonian = Mat::from_fn(2 * n, 2 * n, |i, j| theirs[(i % n, j % n)]);
            show(
                "Riccati",
                n,
                best(|| drop(black_box(riccati(&problem).unwrap()))),
                best(|| drop(black_box(hamiltonian.eigen().unwrap()))),
            );
        }
    }
    for (n, per_row) in [(6, 6), (18, 3), (18, 6), (40, 5)] {
        let near = (0..n).flat_map(|i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]);
        let far = (0..n).flat_map(|i| (0..per_row - 3).map(move |k| (i, (i * 7 + k * 11 + 3) % n)));
        let pattern = Pattern::from_entries(n, near.chain(far));
        let values: Vec<f64> =
            pattern.entries().map(|(i, j, k)| if i == j { 4.0 } else { (k as f64 * 0.7).sin() }).collect();
        let mut dense = Mat::zeros(n, n);
        pattern.entries().for_each(|(i, j, k)| dense[(i, j)] = values[k]);
        let mut lu = Lu::new(&pattern);
        lu.refactor(&values).unwrap();
        show(
            "sparse factors (faer: dense)",
            n,
            best(|| lu.refactor(black_box(&values)).unwrap()),
            best(|| drop(black_box(dense.partial_piv_lu()))),
        );
    }
}

/// (jω − H) x = 1 by one elimination below the diagonal, as `trunnion-sim` does for responses.
fn by_hessenberg(h: &Matrix) -> Vec<Complex64> {
    let n = h.rows();
    let mut m: Vec<Complex64> = h.values().iter().map(|v| Complex64::new(-v, 0.0)).collect();
    (0..n).for_each(|i| m[i * n + i].im += 1.0);
    let mut x = vec![Complex64::new(1.0, 0.0); n];
    for k in 0..n - 1 {
        if m[(k + 1) * n + k].l1_norm() > m[k * n + k].l1_norm() {
            (k..n).for_each(|j| m.swap(k * n + j, (k + 1) * n + j));
            x.swap(k, k + 1);
        }
        let factor = m[(k + 1) * n + k] / m[k * n + k];
        for j in k..n {
            let upper = m[k * n + j];
            m[(k + 1) * n + j] -= factor * upper;
        }
        let upper = x[k];
        x[k + 1] -= factor * upper;
    }
    for i in (0..n).rev() {
        let sum: Complex64 = (i + 1..n).map(|k| m[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / m[i * n + i];
    }
    x
}

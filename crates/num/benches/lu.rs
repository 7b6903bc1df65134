//! Sparse against dense factors: time per factorisation and per solve, and the ratio.

use std::hint::black_box;
use std::time::Instant;
use trunnion_num::{DenseLu, Lu, Pattern};

fn best(mut run: impl FnMut()) -> f64 {
    let repeats = 2000;
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| run());
        start.elapsed().as_secs_f64() / repeats as f64
    };
    (0..15).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Diagonal, a band of one and some far couplings: what machines look like.
fn machine(n: usize, per_row: usize) -> Pattern {
    let near = (0..n).flat_map(move |i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]);
    let far =
        (0..n).flat_map(move |i| (0..per_row.saturating_sub(3)).map(move |k| (i, (i * 7 + k * 11 + 3) % n)));
    Pattern::from_entries(n, near.chain(far))
}

fn main() {
    println!("   n   nnz  fill   ops | sparse: refactor  solve (µs) | dense: factor  solve (µs) | ratio");
    for (n, per_row) in [(3, 3), (6, 6), (12, 5), (18, 3), (18, 6), (40, 5), (100, 4), (300, 4)] {
        let pattern = machine(n, per_row);
        let values: Vec<f64> =
            pattern.entries().map(|(i, j, k)| if i == j { 4.0 } else { (k as f64 * 0.7).sin() }).collect();
        let mut a = vec![0.0; n * n];
        pattern.entries().for_each(|(i, j, k)| a[i * n + j] = values[k]);
        let (mut lu, mut dense) = (Lu::new(&pattern), DenseLu::new(n));
        lu.refactor(&values).unwrap();
        dense.factor(&a).unwrap();
        let mut b = vec![1.0; n];
        let times = [
            best(|| lu.refactor(black_box(&values)).unwrap()),
            best(|| {
                b.fill(1.0);
                lu.solve(black_box(&mut b));
            }),
            best(|| dense.factor(black_box(&a)).unwrap()),
            best(|| {
                b.fill(1.0);
                dense.solve(black_box(&mut b));
            }),
        ]
        .map(|s| s * 1e6);
        let ratio = (times[2] + times[3]) / (times[0] + times[1]);
        println!(
            "{n:4} {:5} {:5} {:5} | {:16.3} {:11.3} | {:13.3} {:11.3} | {ratio:5.1}",
            pattern.nnz(),
            lu.fill(),
            lu.operations(),
            times[0],
            times[1],
            times[2],
            times[3]
        );
    }
}

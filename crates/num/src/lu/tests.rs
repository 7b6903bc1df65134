use super::*;
use crate::DenseLu;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A reproducible stream of numbers in (−1, 1). [Knuth's MMIX generator]
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A random pattern with a full diagonal, shuffled by rows so that pivots are off the diagonal.
fn random_pattern(n: usize, density: f64, noise: &mut Noise) -> Pattern {
    let mut row: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        row.swap(i, ((noise.next() + 1.0) / 2.0 * (i + 1) as f64) as usize);
    }
    let mut entries: Vec<_> = (0..n).map(|j| (row[j], j)).collect();
    for i in 0..n {
        for j in 0..n {
            if noise.next().abs() < density {
                entries.push((i, j));
            }
        }
    }
    Pattern::from_entries(n, entries)
}

fn dense(pattern: &Pattern, values: &[f64]) -> Vec<f64> {
    let n = pattern.n();
    let mut a = vec![0.0; n * n];
    pattern.entries().for_each(|(i, j, k)| a[i * n + j] = values[k]);
    a
}

/// Largest |A x − b| over the largest |A| |x| it could have been.
fn residual(pattern: &Pattern, values: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let n = pattern.n();
    let (mut r, mut size) = (b.to_vec(), b.iter().map(|v| v.abs()).collect::<Vec<_>>());
    for (i, j, k) in pattern.entries() {
        r[i] -= values[k] * x[j];
        size[i] += (values[k] * x[j]).abs();
    }
    (0..n).map(|i| r[i].abs() / size[i].max(f64::MIN_POSITIVE)).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Backward stable on the first and on every later matrix of the pattern, rows of any unit.
    #[test]
    fn solves_random_matrices(seed in any::<u64>(), n in 1usize..40, density in 0.0..0.5) {
        let mut noise = Noise(seed);
        let pattern = random_pattern(n, density, &mut noise);
        let units: Vec<f64> = (0..n).map(|_| (10.0 * noise.next()).exp2().powi(3)).collect();
        let mut lu = Lu::new(&pattern);
        for _ in 0..4 {
            let values: Vec<f64> = pattern.row.iter().map(|i| noise.next() * units[*i]).collect();
            let b: Vec<f64> = (0..n).map(|i| noise.next() * units[i]).collect();
            if lu.refactor(&values).is_err() {
                // Only where the dense factors are no better off.
                let mut plain = DenseLu::new(n);
                if plain.factor(&dense(&pattern, &values)).is_ok() {
                    let mut x = vec![1.0; n];
                    plain.solve(&mut x);
                    prop_assert!(x.iter().any(|v| v.abs() > 1e10));
                }
                continue;
            }
            let mut x = b.clone();
            lu.solve(&mut x);
            prop_assert!(residual(&pattern, &values, &x, &b) < 1e-10);
        }
    }
}

#[test]
fn agrees_with_dense_factors() {
    let mut noise = Noise(7);
    for n in [1, 2, 5, 18, 60, 150] {
        let pattern = random_pattern(n, 3.0 / n as f64, &mut noise);
        let mut values: Vec<f64> = (0..pattern.nnz()).map(|_| noise.next()).collect();
        // The shuffled diagonal is made large, so that the matrix is well conditioned.
        let first: Vec<usize> = (0..n).map(|j| pattern.start[j]).collect();
        first.iter().for_each(|k| values[*k] += 10.0_f64.copysign(values[*k]));
        let (mut lu, mut plain) = (Lu::new(&pattern), DenseLu::new(n));
        if plain.factor(&dense(&pattern, &values)).is_err() {
            continue;
        }
        lu.refactor(&values).unwrap();
        let mut x: Vec<f64> = (0..n).map(|_| noise.next()).collect();
        let mut y = x.clone();
        lu.solve(&mut x);
        plain.solve(&mut y);
        let size = y.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        x.iter().zip(&y).for_each(|(x, y)| assert!((x - y).abs() < 1e-9 * size, "{x} {y}"));
    }
}

#[test]
fn an_arrow_fills_nothing() {
    // Full first row and column: eliminated last, without fill.
    let n = 30;
    let entries = (0..n).flat_map(|i| [(i, i), (0, i), (i, 0)]);
    let pattern = Pattern::from_entries(n, entries);
    let values: Vec<f64> = pattern.entries().map(|(i, j, _)| if i == j { 4.0 } else { 1.0 }).collect();
    let mut lu = Lu::new(&pattern);
    lu.refactor(&values).unwrap();
    assert_eq!(lu.fill(), pattern.nnz());
}

#[test]
fn a_vanished_pivot_is_replaced() {
    let pattern = Pattern::dense(2);
    let mut lu = Lu::new(&pattern);
    lu.refactor(&[1.0, 0.5, 0.5, 1.0]).unwrap();
    lu.refactor(&[1e-12, 1.0, 1.0, 1e-12]).unwrap();
    let mut b = [2.0, 3.0];
    lu.solve(&mut b);
    assert!((b[0] - 3.0).abs() < 1e-11 && (b[1] - 2.0).abs() < 1e-11);
    lu.refactor(&[1.0, 0.5, 0.5, 1.0]).unwrap();
}

#[test]
fn factors_with_remembered_pivots_have_the_same_bits() {
    let mut noise = Noise(7);
    let pattern = random_pattern(40, 0.1, &mut noise);
    let mut draw = |size: f64| -> Vec<f64> {
        (pattern.entries()).map(|(i, j, _)| noise.next() + if i == j { size } else { 0.0 }).collect()
    };
    let (first, second) = (draw(10.0), draw(1.0));
    let mut lu = Lu::new(&pattern);
    lu.refactor(&first).unwrap();
    let mut archive = Archive::to_write();
    lu.remember(&mut archive);
    let mut other = Lu::new(&pattern);
    let mut archive = Archive::to_read(archive.finish().unwrap());
    other.remember(&mut archive);
    assert!(archive.finish().is_some());
    for lu in [&mut lu, &mut other] {
        lu.refactor(&second).unwrap();
    }
    let [mut x, mut y] = [vec![1.0; 40], vec![1.0; 40]];
    lu.solve(&mut x);
    other.solve(&mut y);
    assert_eq!(x, y);
}

#[test]
fn a_singular_matrix_names_the_unknown() {
    // y = x and 2 y = 2 x: nothing determines z beyond its own row, nor x and y.
    let pattern = Pattern::from_entries(3, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]);
    let mut lu = Lu::new(&pattern);
    assert!(matches!(
        lu.refactor(&[1.0, 2.0, -1.0, -2.0, 1.0]),
        Err(FactorFault::Singular { column: 0 | 1 })
    ));
    assert_eq!(lu.refactor(&[1.0, 0.0, 0.0, 1.0, 0.0]), Err(FactorFault::Singular { column: 2 }));
    assert_eq!(lu.refactor(&[1.0, 0.0, 0.0, f64::NAN, 1.0]), Err(FactorFault::NotFinite));
    lu.refactor(&[1.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
}

#[test]
fn an_empty_column_is_singular() {
    let pattern = Pattern::from_entries(2, [(0, 0), (1, 0)]);
    assert_eq!(Lu::new(&pattern).refactor(&[1.0, 1.0]), Err(FactorFault::Singular { column: 1 }));
}

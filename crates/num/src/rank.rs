//! Which unknown a singular matrix leaves free, by Gaussian elimination with complete pivoting.
//!
//! P A Q = L [U₁₁ u …; 0 0]: the columns behind the rank depend on those before, and x = (−U₁₁⁻¹ u, 1, 0 …) is in the null
//! space. [Golub2013, §3.4.8] O(n³), for messages only.

/// A vector x ≠ 0 with A x ≈ 0 (A by rows), found with complete pivoting; None if A is regular.
/// `tolerance` is relative to the largest entry.
pub fn null_vector(mut a: Vec<f64>, n: usize, tolerance: f64) -> Option<Vec<f64>> {
    let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut column: Vec<usize> = (0..n).collect();
    let mut rank = n;
    for k in 0..n {
        let (mut p, mut q, mut best) = (k, k, 0.0);
        for i in k..n {
            for j in k..n {
                if a[i * n + j].abs() > best {
                    (p, q, best) = (i, j, a[i * n + j].abs());
                }
            }
        }
        if best <= tolerance * largest {
            rank = k;
            break;
        }
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
        }
        for i in 0..n {
            a.swap(i * n + k, i * n + q);
        }
        column.swap(k, q);
        for i in k + 1..n {
            let l = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= l * a[k * n + j];
            }
        }
    }
    if rank == n {
        return None;
    }
    // U₁₁ x₁ = −u for the first dependent column, whose own entry is one.
    let mut x = vec![0.0; n];
    x[column[rank]] = 1.0;
    for i in (0..rank).rev() {
        let sum: f64 = (i + 1..=rank).map(|j| a[i * n + j] * x[column[j]]).sum();
        x[column[i]] = -sum / a[i * n + i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_column_is_found() {
        // Column 2 = column 0 + column 1.
        let a = vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 8.0, 15.0];
        let x = null_vector(a, 3, 1e-12).unwrap();
        assert!((x[0] / x[2] + 1.0).abs() < 1e-12 && (x[1] / x[2] + 1.0).abs() < 1e-12, "{x:?}");
        assert!(null_vector(vec![2.0, 1.0, 0.0, 1.0], 2, 1e-12).is_none());
    }
}

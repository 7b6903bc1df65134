//! Dense LU with partial pivoting, P A = L U, for small systems and for diagnosis.
//!
//! Rows are chosen by their entry relative to the largest of the row (implicit equilibration), so that rows in
//! other units do not mislead the choice. [Golub2013, §3.4 and §3.5.2]

/// An n × n matrix stored by rows, factored in place.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    n: usize,
    a: Vec<f64>,
    /// Row that took part as pivot k.
    pivot: Vec<usize>,
    /// 1 / largest entry of each row.
    scale: Vec<f64>,
}

impl Dense {
    pub fn new(n: usize) -> Self {
        Dense { n, a: vec![0.0; n * n], pivot: vec![0; n], scale: vec![0.0; n] }
    }

    /// Set all entries to zero, to be filled by `add`.
    pub fn clear(&mut self) {
        self.a.fill(0.0);
    }

    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.a[i * self.n + j] += value;
    }

    /// Factor what was filled in. Err: the column for which no pivot was left (also when an entry is not finite).
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.n;
        for i in 0..n {
            let largest = self.a[i * n..(i + 1) * n].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            self.scale[i] = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        }
        // A pivot that is only rounding of its row says that the column depends on those before it.
        let smallest = 4.0 * n as f64 * f64::EPSILON;
        for k in 0..n {
            let (mut p, mut best) = (k, -1.0);
            for i in k..n {
                let size = (self.a[i * n + k] * self.scale[i]).abs();
                if size.is_nan() {
                    return Err(k);
                }
                if size > best {
                    (p, best) = (i, size);
                }
            }
            if best <= smallest || !best.is_finite() {
                return Err(k);
            }
            self.pivot[k] = p;
            if p != k {
                for j in 0..n {
                    self.a.swap(k * n + j, p * n + j);
                }
                self.scale.swap(k, p);
            }
            let (upper, lower) = self.a.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                let l = row[k] / pivot_row[k];
                row[k] = l;
                if l != 0.0 {
                    for j in k + 1..n {
                        row[j] -= l * pivot_row[j];
                    }
                }
            }
        }
        Ok(())
    }

    /// Solve A x = b after `factor`; x replaces b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.pivot[k]);
        }
        for i in 0..n {
            let row = &self.a[i * n..i * n + i];
            b[i] -= row.iter().zip(&*b).map(|(l, x)| l * x).sum::<f64>();
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&b[i + 1..]).map(|(u, x)| u * x).sum();
            b[i] = (b[i] - sum) / row[i];
        }
    }
}

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
    fn solves_rows_of_very_different_size() {
        let rows = [[0.0, 2.0, 1.0], [1e9, 1e9, 0.0], [1e-9, 0.0, 3e-9]];
        let x = [1.0, -2.0, 0.5];
        let mut lu = Dense::new(3);
        let mut b = [0.0; 3];
        for i in 0..3 {
            for j in 0..3 {
                lu.add(i, j, rows[i][j]);
                b[i] += rows[i][j] * x[j];
            }
        }
        lu.factor().unwrap();
        lu.solve(&mut b);
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
    }

    #[test]
    fn a_dependent_column_is_found() {
        // Column 2 = column 0 + column 1.
        let a = vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 8.0, 15.0];
        let mut lu = Dense::new(3);
        for k in 0..9 {
            lu.add(k / 3, k % 3, a[k]);
        }
        assert_eq!(lu.factor(), Err(2));
        let x = null_vector(a, 3, 1e-12).unwrap();
        assert!((x[0] / x[2] + 1.0).abs() < 1e-12 && (x[1] / x[2] + 1.0).abs() < 1e-12, "{x:?}");
        assert!(null_vector(vec![2.0, 1.0, 0.0, 1.0], 2, 1e-12).is_none());
    }

    #[test]
    fn not_a_number_is_no_pivot() {
        let mut lu = Dense::new(1);
        lu.add(0, 0, f64::NAN);
        assert_eq!(lu.factor(), Err(0));
    }
}

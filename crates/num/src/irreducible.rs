//! Parts of a matrix that all act on each other: the strongly connected components of its graph.
//!
//! Depth-first, in one pass; a part is complete when nothing found after its first state leads back before it. [Tarjan1972]

use crate::Matrix;

/// States of each part, in ascending order; what drives others comes before them.
pub fn irreducible(a: &Matrix) -> Vec<Vec<usize>> {
    let n = a.rows();
    const NEW: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    // When a state was found, the earliest one it leads back to, and the next neighbour to look at.
    let (mut found, mut back, mut next) = (vec![NEW; n], vec![0; n], vec![0; n]);
    let (mut path, mut open, mut parts) = (vec![], vec![], vec![]);
    let mut count = 0;
    for root in 0..n {
        if found[root] != NEW {
            continue;
        }
        path.push(root);
        while let Some(&i) = path.last() {
            if found[i] == NEW {
                (found[i], back[i]) = (count, count);
                count += 1;
                open.push(i);
            }
            // Along row i: the states that drive it.
            match (next[i]..n).find(|&j| a[(i, j)] != 0.0 && found[j] != DONE) {
                Some(j) if found[j] == NEW => {
                    next[i] = j;
                    path.push(j);
                }
                Some(j) => {
                    next[i] = j + 1;
                    back[i] = back[i].min(back[j]);
                }
                None => {
                    path.pop();
                    if back[i] < found[i] {
                        continue;
                    }
                    let first = open.iter().rposition(|&j| j == i).unwrap_or(0);
                    let mut part = open.split_off(first);
                    part.sort_unstable();
                    part.iter().for_each(|&j| found[j] = DONE);
                    parts.push(part);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_that_reach_each_other() {
        let mut seed = 5_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for case in 0..300 {
            let n = case % 12;
            let values: Vec<f64> =
                (0..n * n).map(|_| if next() < 1.2 / n as f64 { 1.0 } else { 0.0 }).collect();
            let a = Matrix::from_fn(n, n, |i, j| values[i * n + j]);
            // Warshall's closure.
            let mut reach = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { a[(i, j)] });
            for (k, i, j) in (0..n * n * n).map(|m| (m / n / n, m / n % n, m % n)) {
                reach[(i, j)] = f64::max(reach[(i, j)], reach[(i, k)] * reach[(k, j)]);
            }
            let parts = irreducible(&a);
            let part = |i: usize| parts.iter().position(|p| p.contains(&i)).unwrap();
            assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), n);
            for (i, j) in (0..n * n).map(|m| (m / n, m % n)) {
                assert_eq!(part(i) == part(j), reach[(i, j)] * reach[(j, i)] == 1.0, "{a:?}");
                assert!(reach[(i, j)] == 0.0 || part(j) <= part(i), "{a:?}");
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 3000;
        let mut chain = Matrix::zeros(n, n);
        (1..n).for_each(|i| chain[(i - 1, i)] = 1.0);
        assert_eq!(irreducible(&chain).len(), n);
        chain[(n - 1, 0)] = 1.0;
        assert_eq!(irreducible(&chain).len(), 1);
    }
}

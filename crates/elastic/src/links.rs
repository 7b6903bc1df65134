//! Rigid and averaging links as linear equations between components.
//!
//!   rigid (RBE2):      u_i = u_r + θ_r × (x_i − x_r),  θ_i = θ_r                                           (1)
//!   averaging (RBE3):  θ_r = T⁻¹ Σ w_i r_i × u_i,  u_r = Σ w_i u_i + θ_r × (x_r − x̄)                        (2)
//!                      Σ w_i = 1,  x̄ = Σ w_i x_i,  r_i = x_i − x̄,  T = Σ w_i (r_i² 1 − r_i r_iᵀ)
//!
//! By virtual work, (2) spreads a force F and moment M at the reference as w_i (F + (T⁻¹ M') × r_i), which is in balance with them.
//! Where the reference of (2) has to stay an unknown, six components of its nodes are eliminated instead.

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point};

use crate::error::FeError;
use crate::model::{FeLink, FeModel};

/// One component follows others: 6 node + component = Σ factor · (6 node + component).
#[derive(Clone, Debug)]
pub(crate) struct LinkEquation {
    pub dependent: usize,
    pub terms: Vec<(usize, f64)>,
}

/// Equations of a link; `keeps` says whether the reference of an averaging link stays an unknown, `movable` which components may be
/// eliminated.
pub(crate) fn equations(
    model: &FeModel,
    link: &FeLink,
    keeps: bool,
    movable: impl Fn(usize) -> bool,
) -> Result<Vec<LinkEquation>, FeError> {
    match link {
        FeLink::Rigid { number, reference, nodes, components } => {
            rigid(model, *number, *reference, nodes, components)
        }
        FeLink::Averaging { number, reference, nodes } => {
            let average = averaging(model, *number, *reference, nodes)?;
            if !keeps {
                return Ok(average);
            }
            exchanged(*number, *reference, &average, movable)
        }
    }
}

fn position(model: &FeModel, node: usize, user: u32) -> Result<Point, FeError> {
    model.nodes.get(node).map(|n| n.at).ok_or(FeError::NoSuchNode { user })
}

fn axis(k: usize) -> Point {
    let mut e = [0.0; 3];
    e[k] = 1.0;
    e
}

fn rigid(
    model: &FeModel,
    number: u32,
    reference: usize,
    nodes: &[usize],
    components: &[bool; 6],
) -> Result<Vec<LinkEquation>, FeError> {
    let x_r = position(model, reference, number)?;
    let mut equations = vec![];
    for &node in nodes {
        let r = space::minus(position(model, node, number)?, x_r);
        for c in (0..6).filter(|&c| components[c]) {
            let mut terms = vec![(6 * reference + c, 1.0)];
            if c < 3 {
                let turns = (0..3).map(|k| (6 * reference + 3 + k, space::cross(axis(k), r)[c]));
                terms.extend(turns.filter(|t| t.1 != 0.0)); // (1)
            }
            equations.push(LinkEquation { dependent: 6 * node + c, terms });
        }
    }
    Ok(equations)
}

fn averaging(
    model: &FeModel,
    number: u32,
    reference: usize,
    nodes: &[(usize, f64)],
) -> Result<Vec<LinkEquation>, FeError> {
    let collinear = FeError::CollinearLink { link: number };
    let sum: f64 = nodes.iter().map(|n| n.1).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(FeError::BadValue { owner: number, what: "sum of the weights", value: sum });
    }
    let at = nodes.iter().map(|&(n, w)| Ok((position(model, n, number)?, w / sum)));
    let at: Vec<(Point, f64)> = at.collect::<Result<_, FeError>>()?;
    let centre = at.iter().fold([0.0; 3], |c, (x, w)| space::plus(c, space::times(*w, *x)));
    let mut t = Matrix::zeros(3, 3);
    for (x, w) in &at {
        let r = space::minus(*x, centre);
        for i in 0..3 {
            for j in 0..3 {
                t[(i, j)] += w * (if i == j { space::dot(r, r) } else { 0.0 } - r[i] * r[j]);
            }
        }
    }
    let size = t[(0, 0)] + t[(1, 1)] + t[(2, 2)];
    let inverse = t.solve(&Matrix::identity(3)).map_err(|_| collinear.clone())?;
    // Nodes within 1e-6 of their extent from a line determine no rotation about it.
    let condition = inverse.norm() * size;
    if condition.is_nan() || condition >= 1e12 {
        return Err(collinear);
    }
    let arm = space::minus(position(model, reference, number)?, centre);
    let mut equations: Vec<LinkEquation> =
        (0..6).map(|c| LinkEquation { dependent: 6 * reference + c, terms: vec![] }).collect();
    for (&(node, _), (x, w)) in nodes.iter().zip(&at) {
        let r = space::minus(*x, centre);
        for k in 0..3 {
            let moment = space::cross(r, axis(k));
            let turn = [0, 1, 2]
                .map(|i| w * space::dot([inverse[(i, 0)], inverse[(i, 1)], inverse[(i, 2)]], moment));
            let carried = space::cross(turn, arm);
            for c in 0..3 {
                let shift = carried[c] + if c == k { *w } else { 0.0 };
                equations[c].terms.push((6 * node + k, shift));
                equations[3 + c].terms.push((6 * node + k, turn[c])); // (2)
            }
        }
    }
    Ok(equations)
}

/// The same six equations solved for six components of the nodes: Gauss–Jordan elimination with complete pivoting.
fn exchanged(
    number: u32,
    reference: usize,
    average: &[LinkEquation],
    movable: impl Fn(usize) -> bool,
) -> Result<Vec<LinkEquation>, FeError> {
    let mut columns: Vec<usize> = average.iter().flat_map(|e| e.terms.iter().map(|t| t.0)).collect();
    columns.sort_unstable();
    columns.dedup();
    let m = columns.len();
    // Rows: Σ a u = u_ref, the right side as six more columns. Rotations are weighed by the extent, in which all entries are alike.
    let mut a = vec![vec![0.0; m + 6]; 6];
    for (row, equation) in average.iter().enumerate() {
        for &(dof, factor) in &equation.terms {
            a[row][columns.partition_point(|&c| c < dof)] += factor;
        }
        a[row][m + row] = 1.0;
        let largest = a[row][..m].iter().fold(0.0_f64, |l, v| l.max(v.abs()));
        a[row].iter_mut().for_each(|v| *v /= largest);
    }
    let eligible: Vec<bool> = columns.iter().map(|&c| movable(c)).collect();
    let mut pivot_of = [usize::MAX; 6];
    for _ in 0..6 {
        let free = (0..6).filter(|&r| pivot_of[r] == usize::MAX);
        let places = free
            .flat_map(|r| (0..m).map(move |c| (r, c)))
            .filter(|&(_, c)| eligible[c] && !pivot_of.contains(&c));
        let best = places.max_by(|&(r, c), &(s, d)| a[r][c].abs().total_cmp(&a[s][d].abs()));
        let (row, column) =
            best.filter(|&(r, c)| a[r][c].abs() > 1e-9).ok_or(FeError::CollinearLink { link: number })?;
        pivot_of[row] = column;
        let pivot = a[row][column];
        a[row].iter_mut().for_each(|v| *v /= pivot);
        let pivot_row = a[row].clone();
        for other in (0..6).filter(|&r| r != row) {
            let factor = a[other][column];
            a[other].iter_mut().zip(&pivot_row).for_each(|(v, p)| *v -= factor * p);
        }
    }
    let equation = |row: usize| {
        let others = (0..m).filter(|c| !pivot_of.contains(c)).map(|c| (columns[c], -a[row][c]));
        let right = (0..6).map(|c| (6 * reference + c, a[row][m + c]));
        let terms = others.chain(right).filter(|t| t.1 != 0.0).collect();
        LinkEquation { dependent: columns[pivot_of[row]], terms }
    };
    Ok((0..6).map(equation).collect())
}

//! The programs from which constraints are solved.
//!
//!   y' = f(t, y, λ),   0 = g̈(t, y, λ),   both linear in λ                                          (1)
//!   ∂g̈/∂λ = S = J M⁻¹ Jᵀ,   ∂f/∂λ = B                                                           (2)
//!   ∂f/∂y with λ eliminated = f_y − B S⁻¹ g̈_y                                                    (3)
//!
//! S is symmetric and not negative; constraints that say the same, or lose their independence in a pose, make it singular.

use trunnion_num::Pattern;

use crate::derivative::{Gradient, slopes};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Expr, ExprNode, Symbol};
use crate::system::SystemParts;

/// Entry (row, column) of a matrix, in the order in which values come.
pub type Entries = Vec<(usize, usize)>;

#[derive(Debug, Default)]
pub struct ConstraintPrograms {
    /// Number of constraints.
    pub m: usize,
    /// f and g̈ depend on λ linearly: true of all mechanisms whose forces do not depend on reactions.
    pub linear: bool,
    /// Values of `ProgramKind::ConstraintPrograms`: f (n), g̈ (m), then the entries of S and of B.
    pub s: Entries,
    pub b: Entries,
    /// Values of `ProgramKind::Gaps`: g and ġ (m each; 0 where g is not known), then the entries of ∂g/∂y, and of ∂ġ/∂y by the states that
    /// multipliers push.
    pub by_position: Entries,
    pub by_velocity: Entries,
    pub(crate) forces: Vec<Expr>,
    pub(crate) gaps: Vec<Expr>,
}

impl ConstraintPrograms {
    /// `values`: f, then g̈; `place`: of y, then λ.
    pub(crate) fn new(
        parts: &SystemParts<Graph>,
        defaults: &Map<Symbol, f64>,
        values: &[Expr],
        place: &Map<Symbol, u32>,
    ) -> Self {
        let (n, m) = (parts.unknowns.len(), parts.constraints.len());
        if m == 0 {
            return ConstraintPrograms { linear: true, ..ConstraintPrograms::default() };
        }
        let graph = &parts.graph;
        let is_multiplier = |s: Symbol| place.get(&s).map(|&i| i as usize).filter(|&i| i >= n).map(|i| i - n);
        let by_multipliers = slopes(graph, defaults, values, |node| match node {
            ExprNode::Symbol(s) => is_multiplier(s).map(|k| k as u32),
            _ => None,
        });
        let by_multiplier = |rows: &[Gradient]| {
            let list =
                rows.iter().enumerate().flat_map(|(i, g)| g.iter().map(move |&(k, e)| ((i, k as usize), e)));
            list.unzip::<_, _, Entries, Vec<Expr>>()
        };
        let (f, g) = by_multipliers.split_at(n);
        let ((s, s_values), (b, b_values)) = (by_multiplier(g), by_multiplier(f));
        let coefficients: Vec<Expr> = s_values.iter().chain(&b_values).copied().collect();
        let depends = graph.dependence(
            &coefficients,
            |leaf| matches!(leaf, ExprNode::Symbol(s) if is_multiplier(s).is_some()),
        );
        let linear = !coefficients.iter().any(|e| depends[e]);
        let pushed: Set<usize> = b.iter().map(|&(i, _)| i).collect();

        let zero = graph.constant(0.0).id;
        let positions: Vec<Expr> = parts.constraints.iter().map(|c| c.position.unwrap_or(zero)).collect();
        let velocities: Vec<Expr> = parts.constraints.iter().map(|c| c.velocity).collect();
        let by_state = |roots: &[Expr], counts: &dyn Fn(usize) -> bool| {
            let all = slopes(graph, defaults, roots, |node| match node {
                ExprNode::Symbol(s) => place.get(&s).copied().filter(|&j| counts(j as usize)),
                _ => None,
            });
            let list = all
                .into_iter()
                .enumerate()
                .flat_map(|(i, g)| g.into_iter().map(move |(j, e)| ((i, j as usize), e)));
            list.unzip::<_, _, Entries, Vec<Expr>>()
        };
        let (by_position, position_values) = by_state(&positions, &|j| j < parts.n_states);
        let (by_velocity, velocity_values) = by_state(&velocities, &|j| pushed.contains(&j));
        ConstraintPrograms {
            m,
            linear,
            s,
            b,
            by_position,
            by_velocity,
            forces: [values, &s_values, &b_values].concat(),
            gaps: [positions, velocities, position_values, velocity_values].concat(),
        }
    }

    /// Pattern of (3) from that of the derivatives of f and g̈ by y and λ.
    pub(crate) fn eliminated(&self, extended: &Pattern, n: usize) -> Pattern {
        if self.m == 0 {
            return extended.clone();
        }
        let direct = extended.entries().map(|(i, j, _)| (i, j)).filter(|&(i, j)| i < n && j < n);
        let rows: Set<usize> = self.b.iter().map(|&(i, _)| i).collect();
        let columns: Set<usize> =
            extended.entries().filter(|&(i, j, _)| i >= n && j < n).map(|(_, j, _)| j).collect();
        let across = rows.iter().flat_map(|&i| columns.iter().map(move |&j| (i, j)));
        Pattern::from_entries(n, direct.chain(across))
    }
}

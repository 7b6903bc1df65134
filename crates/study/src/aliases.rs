//! Columns of results that are one quantity under several names, and columns that change at instants only.
//!
//! Names are one where they show one expression in one unit: connections and components give a flow, a speed, a pressure many names. A constant is no
//! quantity: two zeros are two columns. The name that stands for all is the one a user looks for: least deep in components, then shortest.

use std::collections::HashMap;

use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{Expr, ExprNode};
use trunnion_results::Column;
use trunnion_sim::machine::Prepared;

/// Marks the columns that follow time, each by its place among those of the model.
pub fn mark(prepared: &Prepared, places: &[usize], columns: &mut [Column]) {
    let graph = &prepared.system.graph;
    let expressions: Vec<Expr> = places.iter().map(|&place| prepared.column_expression(place)).collect();
    let mut names: HashMap<(Expr, &str), Vec<usize>> = HashMap::new();
    for (k, (&place, &expression)) in places.iter().zip(&expressions).enumerate() {
        if !matches!(graph.node(expression), ExprNode::Const(_)) {
            let unit = prepared.columns[place].unit.text.as_str();
            names.entry((expression, unit)).or_default().push(k);
        }
    }
    for alike in names.values().filter(|alike| alike.len() > 1) {
        let depth = |k: &usize| columns[*k].name.matches('.').count();
        let Some(&main) = alike.iter().min_by_key(|k| (depth(k), columns[**k].name.len(), **k)) else {
            continue;
        };
        for &k in alike.iter().filter(|&&k| k != main) {
            columns[k].same_as = Some(columns[main].name.clone());
        }
    }
    let moves = graph.dependence(&expressions, |leaf| moves(prepared, leaf));
    let switched = graph.dependence(&expressions, |leaf| is_switched(prepared, leaf));
    for (column, expression) in columns.iter_mut().zip(&expressions) {
        column.held = !moves[expression] && switched[expression];
    }
}

/// Changes between instants: time, unknowns and their rates, multipliers.
fn moves(prepared: &Prepared, leaf: ExprNode) -> bool {
    match leaf {
        ExprNode::Symbol(s) => {
            matches!(
                prepared.system.quantity(s).kind,
                QuantityRole::Unknown { .. } | QuantityRole::Multiplier
            )
        }
        _ => true,
    }
}

/// Changed by events, sampled tasks or from outside.
fn is_switched(prepared: &Prepared, leaf: ExprNode) -> bool {
    let kind = |s| &prepared.system.quantity(s).kind;
    matches!(leaf, ExprNode::Symbol(s) if matches!(kind(s), QuantityRole::Mode { .. } | QuantityRole::Input { .. }))
}

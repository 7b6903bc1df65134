//! Values at the beginning of a run.

use std::collections::{HashMap, HashSet};

use super::{System, SystemParts};
use crate::frozen::Expressions;
use crate::node::{Expr, ExprNode, Symbol};
use crate::start::evaluate;
use crate::structure::Reduction;

/// Values at the beginning of a run.
pub struct StartValues<'a> {
    pub(super) system: &'a System,
    pub(super) values: Vec<f64>,
}

impl StartValues<'_> {
    /// Parameters, inputs and modes in the order of the slow inputs.
    pub fn slow(&self) -> Vec<f64> {
        self.system.slow.iter().map(|s| self.values[s.index()]).collect()
    }

    pub fn y(&self) -> Vec<f64> {
        self.system.unknowns.iter().map(|s| self.values[s.index()]).collect()
    }

    pub fn value(&self, s: Symbol) -> f64 {
        self.values[s.index()]
    }

    /// States that were given up although a start other than 0 was given for them, which does not fit what they follow
    /// from: (reduction, start given, start that follows).
    pub fn conflicts(&self) -> Vec<(&Reduction, f64, f64)> {
        let SystemParts { outputs, reduced, .. } = &**self.system;
        let value: HashMap<&str, Expr> = outputs.iter().map(|o| (o.name.as_str(), o.value)).collect();
        let mut found = vec![];
        for reduction in reduced {
            let given = self.value(reduction.given_up);
            let name = self.system.quantity(reduction.given_up).name.as_str();
            let actual = value.get(name).map_or(given, |&e| self.evaluate(e));
            // Rounding of a start that was computed to fit; what depends on time has no value here.
            if given != 0.0 && (actual - given).abs() > 1e-6 * given.abs() {
                found.push((reduction, given, actual));
            }
        }
        found
    }

    /// Puts the modes of the relations that these expressions depend on where the start values say. A relation whose guard has no value yet, one of time, keeps its mode.
    pub fn settle_relations(&mut self, roots: &[Expr]) {
        let SystemParts { graph, relations, .. } = &**self.system;
        // A guard may depend on further modes: each pass settles those behind the ones before.
        for _ in 0..=relations.len() {
            let mut changed = false;
            let mut seen: HashSet<Symbol> = symbols(graph, roots).collect();
            let mut open: Vec<_> = relations.iter().filter(|r| r.step == 0.0).collect();
            while let Some(k) = open.iter().position(|r| seen.contains(&r.mode)) {
                let relation = open.swap_remove(k);
                seen.extend(symbols(graph, &[relation.guard]));
                let guard = self.evaluate(relation.guard);
                if guard.is_nan() {
                    continue;
                }
                let holds = f64::from(u8::from(guard > 0.0 || (relation.closed && guard == 0.0)));
                changed |= std::mem::replace(&mut self.values[relation.mode.index()], holds) != holds;
            }
            if !changed {
                break;
            }
        }
    }

    /// Value of an expression of parameters.
    pub fn evaluate(&self, e: Expr) -> f64 {
        evaluate(&self.system.graph, e, |s| self.values[s.index()])
    }
}

fn symbols(graph: &impl Expressions, roots: &[Expr]) -> impl Iterator<Item = Symbol> {
    let found = graph.under(roots).into_iter().filter_map(|e| match graph.node(e) {
        ExprNode::Symbol(s) => Some(s),
        _ => None,
    });
    found.collect::<Vec<_>>().into_iter()
}

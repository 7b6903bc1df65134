//! Values at the beginning of a run.

use std::collections::HashMap;

use super::{System, SystemParts};
use crate::node::{Expr, Symbol};
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

    /// Value of an expression of parameters.
    pub fn evaluate(&self, e: Expr) -> f64 {
        evaluate(&self.system.graph, e, |s| self.values[s.index()])
    }
}

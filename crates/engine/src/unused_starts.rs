//! Start values that nothing starts from: the variable is no state, but follows from others at every instant.

use std::collections::HashMap;

use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{Symbol, System};
use trunnion_model::{Diagnostic, Span, UNUSED_VALUE};

/// But for rounding of the conversion of units.
const SAME: f64 = 1e-9;

/// Notes on the start values that a model gives: full name and place of each.
pub(crate) fn unused_starts(system: &System, given: &[(String, Span)]) -> Vec<Diagnostic> {
    let start = system.start(&HashMap::new());
    let in_vain = |s: Symbol| {
        let QuantityRole::Unknown { start: wanted } = system.quantity(s).kind else { return false };
        // Of states that were given up the start is compared with the one they get.
        if system.y_place(s).is_some() || system.reduced.iter().any(|r| r.given_up == s) {
            return false;
        }
        let alias = system.aliases.iter().find(|a| a.symbol == s);
        let Some((other, negative)) = alias.and_then(|a| system.graph.signed(a.value)) else { return true };
        let QuantityRole::Unknown { start: actual } = system.quantity(other).kind else { return true };
        let (wanted, actual) = (start.evaluate(wanted), start.evaluate(actual));
        let actual = if negative { -actual } else { actual };
        system.y_place(other).is_none() || (wanted - actual).abs() > SAME * wanted.abs().max(actual.abs())
    };
    let unused = given.iter().filter(|(name, _)| system.find(name).is_some_and(in_vain));
    let told = unused.map(|(name, place)| {
        Diagnostic::note(UNUSED_VALUE, format!("the start value of `{name}` has no effect"))
            .at(place, "it follows from other quantities at every instant")
            .hint("give start values to the states it follows from")
    });
    told.collect()
}

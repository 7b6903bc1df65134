//! Mechanisms in joint coordinates: a tree, its articulated-body recursion as equations, loops closed by constraints.

use trunnion_equations::Flat;
use trunnion_model::Diagnostic;
use trunnion_model::Sources;
use trunnion_model::mechanism::Mechanism;

/// Write the equations of a mechanism. Errors name the body or joint and say what to do.
pub fn emit(flat: &mut Flat, mechanism: &Mechanism, sources: &Sources) -> Result<(), Vec<Diagnostic>> {
    let _ = (flat, mechanism, sources);
    Ok(())
}

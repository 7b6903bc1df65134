//! Impulses that results do not show: a source takes a store that has no state of its own (a mass on a motion source, a capacitor
//! across a voltage source) from one value to another at an instant. The effort or flow that does it is infinite for no time,
//!
//!   ∫ f dt = p(t+) − p(t−)                                                                           (1)
//!
//! and neither side of the instant has any of it. Equations that were differentiated say nothing of jumps.
//!
//! Looked at are states that were given up and depend on time, inputs or modes by themselves. What jumps because an event sets the
//! state it follows from is what the event asks for: (1) is taken with the states from before.

use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{ExprNode, Symbol};
use trunnion_model::{Diagnostic, Sources};
use trunnion_sim::integrate::StepPiece;
use trunnion_sim::machine::{Machine, Prepared};

use trunnion_num::text::{number, with_unit};

const LOST_IMPULSE: &str = "M0413";
/// What of the tolerance of states a jump has to be more than, as where a bend is located.
const UNCERTAIN: f64 = 1e-3;
/// Part of the values below which a jump is a matter of rounding.
const ROUNDING: f64 = 1e-9;

/// A jump, in the unit it is recorded in.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    column: usize,
    /// Among the states given up.
    reduction: usize,
    t: f64,
    before: f64,
    after: f64,
}

impl Jump {
    fn size(&self) -> f64 {
        (self.after - self.before).abs()
    }
}

/// What is watched in a run.
pub struct Jumps {
    /// (column, number of the state given up).
    watched: Vec<(usize, usize)>,
    rtol: f64,
    /// Values at the end of the piece before, where there is one, and the unknowns there.
    before: Option<Vec<f64>>,
    y_before: Vec<f64>,
    y: Vec<f64>,
    all: Vec<f64>,
    /// Largest value, and largest jump, of each.
    largest: Vec<f64>,
    found: Vec<Option<Jump>>,
}

impl Jumps {
    pub fn new(prepared: &Prepared, rtol: f64) -> Self {
        let system = &prepared.system;
        let changes = |s: Symbol| {
            matches!(system.quantity(s).kind, QuantityRole::Input { .. } | QuantityRole::Mode { .. })
        };
        let watched = system.reduced.iter().enumerate().filter_map(|(k, reduction)| {
            let name = &system.quantity(reduction.given_up).name;
            let column = prepared.columns.iter().position(|c| !c.measured && c.name == *name)?;
            let roots = [prepared.column_expression(column), reduction.constraint];
            let by_itself = system.graph.reachable(roots).into_iter().any(|e| match system.graph.node(e) {
                ExprNode::Time => true,
                ExprNode::Symbol(s) => changes(s),
                _ => false,
            });
            by_itself.then_some((column, k))
        });
        let watched: Vec<(usize, usize)> = watched.collect();
        Jumps {
            rtol,
            before: None,
            y_before: vec![0.0; system.n()],
            y: vec![0.0; system.n()],
            all: vec![0.0; prepared.columns.len()],
            largest: vec![0.0; watched.len()],
            found: vec![None; watched.len()],
            watched,
        }
    }

    /// A piece of the solution, with inputs and modes as they are in it.
    pub fn follow(&mut self, machine: &mut Machine, piece: StepPiece<'_>) {
        if self.watched.is_empty() {
            return;
        }
        if !piece.joined
            && let Some(before) = self.before.take()
        {
            piece.curve.at(piece.from, &mut self.y);
            self.compare(machine, piece.from, &before);
        }
        piece.curve.at(piece.to, &mut self.y_before);
        // A value that is not finite is told by others.
        let finite = machine.record(piece.to, &self.y_before, &mut self.all).is_ok();
        let values: Vec<f64> = self.watched.iter().map(|w| self.all[w.0]).collect();
        for (largest, value) in self.largest.iter_mut().zip(&values) {
            *largest = largest.max(value.abs());
        }
        self.before = finite.then_some(values);
    }

    fn compare(&mut self, machine: &mut Machine, t: f64, before: &[f64]) {
        let layout = &machine.loaded().layout;
        for i in (0..self.y.len()).filter(|&i| layout.differential[i]) {
            self.y[i] = self.y_before[i];
        }
        let share = UNCERTAIN * self.rtol;
        let sizes = self.y.iter().zip(&layout.nominal);
        let of: Vec<f64> = sizes.map(|(y, size)| share * size.max(y.abs())).collect();
        if machine.record(t, &self.y, &mut self.all).is_err() {
            return;
        }
        let after: Vec<f64> = self.watched.iter().map(|w| self.all[w.0]).collect();
        if after == before {
            return;
        }
        machine.column_noise(t, &self.y, &of, share, &mut self.all);
        for (k, &(column, reduction)) in self.watched.iter().enumerate() {
            let jump = Jump { column, reduction, t, before: before[k], after: after[k] };
            self.largest[k] = self.largest[k].max(jump.after.abs());
            let most = self.found[k].map_or(self.all[column], |found| found.size().max(self.all[column]));
            if jump.size() > most {
                self.found[k] = Some(jump);
            }
        }
    }

    /// The largest jump of each.
    pub fn found(self) -> Vec<Jump> {
        let seen = self.found.into_iter().zip(self.largest);
        seen.filter_map(|(jump, largest)| jump.filter(|j| j.size() > ROUNDING * largest)).collect()
    }
}

/// What is said of them.
pub fn warnings(prepared: &Prepared, sources: &Sources, jumps: &[Jump]) -> Vec<Diagnostic> {
    let system = &prepared.system;
    let warning = |jump: &Jump| {
        let (column, reduction) = (&prepared.columns[jump.column], &system.reduced[jump.reduction]);
        let [before, after, by] = [jump.before, jump.after, jump.after - jump.before]
            .map(|value| with_unit(value, &column.unit.text, 4));
        let text = format!(
            "`{}` is taken from {before} to {after} at t = {} s: the impulse that does it, {by}, is not in the results",
            column.name,
            number(jump.t, 5)
        );
        let q = system.quantity(reduction.given_up);
        Diagnostic::warning(LOST_IMPULSE, text)
            .at_origin(sources, &q.origin, "a store without a state of its own: a source determines it")
            .hint("let the source rise within a time, or put a spring, damper or resistor between it and the store")
    };
    jumps.iter().map(warning).collect()
}

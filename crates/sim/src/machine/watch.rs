//! Values that are no finite numbers: which, and why.

use trunnion_equations::cause::{self, Cause};
use trunnion_equations::{Binary, Expr, Node, System};

use super::{Machine, Source};
use crate::run_error::RunError;

/// Events whose condition is one relation; of several, one may keep the others from being asked for.
pub(super) fn plain_guards(system: &System) -> Vec<usize> {
    let joined = |e: Expr| matches!(system.graph.node(e), Node::Binary(Binary::Min | Binary::Max, ..));
    (0..system.events.len()).filter(|&k| !joined(system.events[k].guard)).collect()
}

impl Machine {
    /// A condition that is no number never comes true: it is told with the next row.
    pub(super) fn judge_guards(&mut self, t: f64, y: &[f64], g: &[f64]) {
        let Some(&k) = self.prepared.plain_guards.iter().find(|&&k| g[k].is_nan()) else { return };
        if self.lost_guard.is_none() {
            let event = &self.prepared.system.events[k];
            let (name, cause) = (event.name.clone(), self.cause(t, y, event.guard).map(Box::new));
            self.lost_guard = Some(RunError::NotFinite { name, t, cause });
        }
    }

    /// Why a column has no finite value at (t, y), where it was just recorded.
    pub fn not_finite(&self, t: f64, y: &[f64], column: usize) -> RunError {
        let system = &self.prepared.system;
        let name = &self.prepared.columns[column].name;
        let own = system.outputs.len() - system.as_written.outputs.len();
        let written = match self.prepared.columns[column].source {
            Source::Output(i) if i >= own => system.as_written.outputs[i - own].value,
            Source::Output(_) => system
                .find(name)
                .map_or(self.prepared.column_expression(column), |s| system.graph.symbol(s).id),
            _ => self.prepared.column_expression(column),
        };
        let cause = self.cause(t, y, written);
        let cause = cause.or_else(|| self.cause(t, y, self.prepared.column_expression(column)));
        RunError::NotFinite { name: name.clone(), t, cause: cause.map(Box::new) }
    }

    /// Which operation keeps an expression from having a finite value at (t, y), with multipliers as they were last found.
    pub fn cause(&self, t: f64, y: &[f64], e: Expr) -> Option<Cause> {
        let system = &self.prepared.system;
        let leaf = |node: Node| match node {
            Node::Time => Some(t),
            Node::Symbol(s) => {
                let slow = system.slow_place(s).map(|i| self.slow[i]);
                slow.or_else(|| system.y_place(s).map(|i| y[i])).or_else(|| {
                    let number = system.constraints.iter().position(|c| c.multiplier == s)?;
                    self.loops.as_ref().map(|l| l.extended[y.len() + number])
                })
            }
            _ => None,
        };
        cause::find(system, e, leaf)
    }
}

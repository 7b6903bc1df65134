//! Values that are no finite numbers: which, and why.

use trunnion_equations::cause::{self, Cause};
use trunnion_equations::{Binary, Expr, Node, Part, System};

use super::{Machine, Source};
use crate::output_watch::OutputWatch;
use crate::plan::Piece;
use crate::run_error::RunError;
use crate::time_watch::At;

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

    /// How far each column moves, in the unit it is shown in, if unknowns are uncertain by `of` and multipliers by the share `multipliers` of the
    /// largest of them, rounding included.
    pub fn column_noise(&mut self, t: f64, y: &[f64], of: &[f64], multipliers: f64, noise: &mut [f64]) {
        self.find_multipliers(t, y);
        let Machine { prepared, k, scratch, bounds, loops, readings, .. } = self;
        let y = loops.as_ref().map_or(y, |l| &l.extended);
        let largest = y[of.len()..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut uncertain = of.to_vec();
        uncertain.resize(y.len(), multipliers * largest);
        let mut rounding = vec![0.0; prepared.system.outputs.len()];
        let mut outputs = rounding.clone();
        let (part, at) = (Part::Outputs as usize, (t, y, &k[..]));
        prepared.compiled.rounding(
            part,
            at,
            [&[], &uncertain],
            scratch,
            bounds,
            [&mut rounding, &mut outputs],
        );
        for (noise, (source, unit)) in noise.iter_mut().zip(readings) {
            let si = match *source {
                Source::Unknown(i) => uncertain[i],
                Source::Multiplier(i) => uncertain[of.len() + i],
                Source::Output(i) => outputs[i],
                Source::Slow(_) => 0.0,
            };
            *noise = unit.map_or(si, |(factor, _)| (si / factor).abs());
        }
    }

    /// Times within a piece of the solution at which `watch` wants its outputs read.
    pub fn times_to_read<'w>(&mut self, watch: &'w mut OutputWatch, piece: &Piece<'_>) -> &'w [f64] {
        let Machine { prepared, k, scratch, .. } = self;
        let mut at = At { compiled: &prepared.compiled, k, scratch };
        watch.times(&mut at, piece.curve, piece.from, piece.to)
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

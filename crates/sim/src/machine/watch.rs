//! Values that are no finite numbers: which, and why.

use trunnion_equations::cause::{self, NonFiniteCause};
use trunnion_equations::{Expr, ExprNode, ProgramKind};

use super::{ColumnSource, Machine, Prepared};
use crate::output_watch::OutputWatch;
use crate::plan::StepPiece;
use crate::run_error::RunError;
use crate::time_watch::TimeProgram;

impl Machine {
    /// A condition that is no number never comes true: it is reported with the next row.
    pub(super) fn judge_guards(&mut self, t: f64, y: &[f64], g: &[f64]) {
        let events = &self.model.image.events;
        let Some(k) = (0..events.len()).find(|&k| events[k].plain && g[k].is_nan()) else { return };
        if self.lost_guard.is_none() {
            let cause = self.cause_of(t, y, |prepared| prepared.system.events[k].guard);
            let (name, cause) = (events[k].name.clone(), cause.map(Box::new));
            self.lost_guard = Some(RunError::NotFinite { name, t, cause });
        }
    }

    /// How far each column moves, in the unit it is shown in, if unknowns are uncertain by `of` and multipliers by the share `multipliers` of the
    /// largest of them, rounding included.
    pub fn column_noise(&mut self, t: f64, y: &[f64], of: &[f64], multipliers: f64, noise: &mut [f64]) {
        self.find_multipliers(t, y);
        let Machine { model, k, scratch, bounds, loops, readings, .. } = self;
        let y = loops.as_ref().map_or(y, |l| &l.extended);
        let largest = y[of.len()..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut uncertain = of.to_vec();
        uncertain.resize(y.len(), multipliers * largest);
        let mut rounding = vec![0.0; model.compiled.program(ProgramKind::Outputs as usize).n_out];
        let mut outputs = rounding.clone();
        let (part, at) = (ProgramKind::Outputs as usize, (t, y, &k[..]));
        model.compiled.rounding(part, at, [&[], &uncertain], scratch, bounds, [&mut rounding, &mut outputs]);
        for (noise, (source, unit)) in noise.iter_mut().zip(readings) {
            let si = match *source {
                ColumnSource::Unknown(i) => uncertain[i],
                ColumnSource::Multiplier(i) => uncertain[of.len() + i],
                ColumnSource::Output(i) => outputs[i],
                ColumnSource::Slow(_) => 0.0,
            };
            *noise = unit.map_or(si, |(factor, _)| (si / factor).abs());
        }
    }

    /// Times within a piece of the solution at which `watch` wants its outputs read.
    pub fn times_to_read<'w>(&mut self, watch: &'w mut OutputWatch, piece: &StepPiece<'_>) -> &'w [f64] {
        let Machine { model, k, scratch, .. } = self;
        let mut at = TimeProgram { compiled: &model.compiled, k, scratch };
        watch.times(&mut at, piece.curve, piece.from, piece.to)
    }

    /// Why a column has no finite value at (t, y), where it was just recorded.
    pub fn not_finite(&self, t: f64, y: &[f64], column: usize) -> RunError {
        let name = &self.model.columns[column].name;
        let written = |prepared: &Prepared| {
            let system = &prepared.system;
            let own = system.outputs.len() - system.as_written.outputs.len();
            match prepared.columns[column].source {
                ColumnSource::Output(i) if i >= own => system.as_written.outputs[i - own].value,
                ColumnSource::Output(_) => {
                    system.find(name).map_or(prepared.column_expression(column), |s| system.expression(s))
                }
                _ => prepared.column_expression(column),
            }
        };
        let cause = self.cause_of(t, y, written);
        let cause = cause.or_else(|| self.cause_of(t, y, |prepared| prepared.column_expression(column)));
        RunError::NotFinite { name: name.clone(), t, cause: cause.map(Box::new) }
    }

    /// `cause` of an expression of the analysed model; an image has none.
    pub(super) fn cause_of(
        &self,
        t: f64,
        y: &[f64],
        expression: impl FnOnce(&Prepared) -> Expr,
    ) -> Option<NonFiniteCause> {
        self.cause(t, y, expression(self.prepared()?))
    }

    /// Which operation keeps an expression from having a finite value at (t, y), with multipliers as they were last found. None too where
    /// the machine runs an image.
    pub fn cause(&self, t: f64, y: &[f64], e: Expr) -> Option<NonFiniteCause> {
        let system = &self.prepared()?.system;
        let leaf = |node: ExprNode| match node {
            ExprNode::Time => Some(t),
            ExprNode::Symbol(s) => {
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

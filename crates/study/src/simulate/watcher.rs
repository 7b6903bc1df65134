//! Watches a run: rows for the sink, extremes and rows between them, states within their tolerance, lost impulses, progress.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use trunnion_sim::integrate::{IntegrationProgress, Moment, Observer, RunError, StepPiece};
use trunnion_sim::machine::Machine;
use trunnion_sim::output_watch::OutputWatch;
use trunnion_sim::stepper::{Segment, Tolerance};

use super::RowSink;
use crate::extremes::{DenseSignals, ExtremeTracker};
use crate::jumps::Jumps;
use crate::monitor::ProgressPace;
use crate::unresolved_states::SmallStates;
use trunnion_engine::Failure;

pub(super) struct Watcher<'a> {
    pub reader: ColumnReader<'a>,
    pub row: Vec<f64>,
    pub follower: ExtremeTracker,
    pub sink: &'a mut RowSink<'a>,
    pub failed: Option<Failure>,
    /// A value between rows that is not finite, and the time by which rows before it have come.
    pub late: Option<(f64, RunError)>,
    pub signals: SmallStates,
    pub jumps: Jumps,
    /// What lies between the ends of steps, and rows there that are still to be sent if they are asked for.
    pub outputs: Option<OutputWatch>,
    pub between: Option<VecDeque<Vec<f64>>>,
    pub pace: ProgressPace<'a>,
}

/// Reads the recorded columns of a machine.
pub(super) struct ColumnReader<'a> {
    pub columns: &'a [usize],
    pub all: Vec<f64>,
    pub y: Vec<f64>,
    pub rtol: f64,
    pub not_finite: Option<RunError>,
    /// Measured expressions that had no finite value, and where first.
    pub measured: HashMap<usize, RunError>,
}

impl ColumnReader<'_> {
    fn read(&mut self, machine: &mut Machine, t: f64, y: &[f64], row: &mut [f64]) -> ControlFlow<()> {
        if let Err(error) = machine.record(t, y, &mut self.all) {
            self.not_finite = Some(error);
            return ControlFlow::Break(());
        }
        for (value, &c) in row.iter_mut().zip(self.columns) {
            *value = self.all[c];
            if !value.is_finite() {
                self.measured.entry(c).or_insert_with(|| machine.not_finite(t, y, c));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Of the tolerance of states: a signal that never moves by more than this makes of it is not looked at between rows.
const UNSEEN: f64 = 1e-3;

/// Recorded columns along one piece of the solution.
struct Columns<'a, 'b> {
    reader: &'a mut ColumnReader<'b>,
    machine: &'a mut Machine,
    curve: &'a Segment,
}

impl DenseSignals for Columns<'_, '_> {
    fn read(&mut self, t: f64, row: &mut [f64]) -> ControlFlow<()> {
        let mut y = std::mem::take(&mut self.reader.y);
        self.curve.at(t, &mut y);
        let done = self.reader.read(self.machine, t, &y, row);
        self.reader.y = y;
        done
    }

    fn noise(&mut self, t: f64, noise: &mut [f64]) {
        let ColumnReader { columns, all, y, rtol, .. } = &mut *self.reader;
        self.curve.at(t, y);
        let share = UNSEEN * *rtol;
        let nominal = &self.machine.loaded().layout.nominal;
        let of: Vec<f64> = y.iter().zip(nominal).map(|(y, size)| share * size.max(y.abs())).collect();
        self.machine.column_noise(t, y, &of, share, all);
        noise.iter_mut().zip(*columns).for_each(|(noise, &c)| *noise = all[c]);
    }
}

impl Watcher<'_> {
    fn send(&mut self) -> ControlFlow<()> {
        match (self.sink)(&self.row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failed = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    /// Rows between the ends of steps, up to t.
    fn send_between(&mut self, t: f64) -> ControlFlow<()> {
        while let Some(row) = self.between.as_mut().and_then(|rows| rows.pop_front_if(|row| row[0] < t)) {
            self.row = row;
            self.send()?;
        }
        ControlFlow::Continue(())
    }

    /// Extremes along a piece, divided where an output hides something in it.
    fn follow_outputs(&mut self, machine: &mut Machine, piece: StepPiece<'_>) -> ControlFlow<()> {
        let times = self.outputs.as_mut().map_or(&[][..], |watch| machine.times_to_read(watch, &piece));
        let mut from = piece.from;
        for &to in times.iter().chain([&piece.to]) {
            let reader = &mut self.reader;
            let part = StepPiece { from, to, joined: piece.joined || from > piece.from, ..piece };
            self.follower.follow(part, &mut Columns { reader, machine, curve: piece.curve })?;
            if let Some(rows) = &mut self.between
                && to < piece.to
            {
                rows.push_back([&[to], self.follower.last()].concat());
            }
            from = to;
        }
        ControlFlow::Continue(())
    }
}

impl Observer<Machine> for Watcher<'_> {
    fn observe(&mut self, machine: &mut Machine, t: f64, y: &[f64], _: Moment) -> ControlFlow<()> {
        self.send_between(t)?;
        self.row[0] = t;
        self.reader.read(machine, t, y, &mut self.row[1..])?;
        if self.late.as_ref().is_some_and(|late| t >= late.0) {
            self.reader.not_finite = self.late.take().map(|late| late.1);
            return ControlFlow::Break(());
        }
        self.signals.look(machine, t, y, &self.reader.all);
        self.follower.push(t, &self.row[1..]);
        self.send()
    }

    fn tolerance(&mut self, tolerance: &Tolerance) {
        self.signals.hold_against(tolerance);
    }

    fn follow(&mut self, machine: &mut Machine, piece: StepPiece<'_>) -> ControlFlow<()> {
        self.jumps.follow(machine, piece);
        let done = self.follow_outputs(machine, piece);
        if done.is_break() && self.late.is_none() {
            // A row before may have no finite value either.
            self.late = self.reader.not_finite.take().map(|error| (piece.to, error));
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, at: IntegrationProgress) -> ControlFlow<()> {
        self.pace.tell(at.t, at.events);
        if self.pace.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

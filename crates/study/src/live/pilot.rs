//! The loop of a live run: keys, inputs, one period, results, and waiting for the clock.
//!
//! Period k begins when the clock has reached k h, and is to be finished before (k + 1) h; later it has missed its deadline. What a
//! period computes does not depend on that.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunnion_equations::DisplayUnit;
use trunnion_sim::integrate::{Ended, RunError};
use trunnion_sim::live::LiveRun;

use crate::Cancel;
use crate::live::drive::KeyDrive;
use crate::live::inputs::{InputChange, InputChanges, Recording};
use crate::live::recorder::Recorder;
use crate::live::snapshot;
use crate::live::times::TimeHistogram;
use crate::request_error::LiveRequestError;
use trunnion_engine::Failure;
use trunnion_engine::project::Project;

/// A sleeping thread wakes late by about this much; the rest is waited out awake.
const WAKE_LATENCY: Duration = Duration::from_micros(200);
/// A clock that is so many periods ahead is set back: the program was stopped for a while.
const LONGEST_DELAY: u32 = 1000;
/// Time between two looks at the screen, and at the keyboard during a pause.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(50);

/// What is shown.
#[derive(Clone, Default)]
pub struct Status {
    pub t: f64,
    /// Simulated over real time.
    pub factor: f64,
    pub times: TimeHistogram,
    pub missed: u64,
    pub overruns: u64,
    /// Values to show, as they are shown.
    pub values: Vec<f64>,
    pub paused: bool,
    /// A word about what was just done.
    pub note: String,
}

/// Who drives the run: keys come from there, and what it does is shown there.
pub trait LiveOperator {
    /// The next key pressed since it was asked last.
    fn key(&mut self) -> Option<String>;
    /// Somebody looks at what is shown.
    fn watches(&self) -> bool;
    fn show(&mut self, change: &mut dyn FnMut(&mut Status));
}

pub struct Pilot<'a> {
    pub project: &'a Project,
    pub live: LiveRun,
    pub period: f64,
    /// Wait for the clock.
    pub paced: bool,
    /// The period after which the run ends.
    pub end: Option<u64>,
    pub drive: KeyDrive,
    /// Changes to repeat, and the next of them; keys move nothing then.
    pub replay: Option<(InputChanges, usize)>,
    pub recorder: Option<Recorder>,
    /// Where changes of inputs go.
    pub inputs: Option<Recording>,
    /// Columns to record, and to show, these with the unit they are recorded and the one they are shown in.
    pub recorded: Vec<usize>,
    pub shown: Vec<(usize, DisplayUnit, DisplayUnit)>,
    /// None: no display and no keyboard.
    pub operator: Option<Box<dyn LiveOperator>>,
    pub snapshot_to: PathBuf,
    pub cancel: Cancel,
    pub state: State,
}

/// What the loop keeps count of.
#[derive(Default)]
pub struct State {
    pub times: TimeHistogram,
    pub missed: u64,
    /// Real time spent, pauses aside (s).
    pub wall: f64,
    row: Vec<f64>,
    paused: bool,
    glanced: Option<Instant>,
    saving: Vec<JoinHandle<Result<(), Failure>>>,
}

impl Pilot<'_> {
    /// Until the end, Ctrl-C, an error or the model's own end.
    pub fn run(&mut self) -> Result<Ended, RunError> {
        self.state.row = vec![0.0; self.project.prepared.columns.len()];
        let h = Duration::from_secs_f64(self.period);
        let (t_begin, mut start, mut worked) = (self.live.t(), Instant::now(), Duration::ZERO);
        let mut deadline = start + h;
        self.record()?;
        while self.end.is_none_or(|end| self.live.periods() < end) {
            if self.cancel.is_cancelled() {
                return Ok(Ended::Cancelled);
            }
            let now = Instant::now();
            self.listen(now);
            if self.state.paused {
                worked += now.saturating_duration_since(start);
                thread::sleep(DISPLAY_INTERVAL);
                start = Instant::now();
                deadline = start + h;
                self.refresh_display(Instant::now(), 0.0)?;
                continue;
            }
            self.apply();
            let ended = self.live.advance();
            let recorded = self.record();
            let done = Instant::now();
            self.state.times.add(done - now);
            self.state.wall = (worked + (done - start)).as_secs_f64();
            let shown = self.refresh_display(done, (self.live.t() - t_begin) / self.state.wall);
            let ended = ended?;
            recorded.and(shown)?;
            if let Some(ended) = ended {
                return Ok(ended);
            }
            if self.paced {
                self.state.missed += u64::from(done > deadline);
                if done > deadline + LONGEST_DELAY * h {
                    deadline = done;
                }
                wait(deadline);
                deadline += h;
            }
        }
        self.state.wall = (worked + start.elapsed()).as_secs_f64();
        Ok(Ended::Completed)
    }

    /// Keys pressed since the last period.
    fn listen(&mut self, now: Instant) {
        while let Some(key) = self.operator.as_mut().and_then(|o| o.key()) {
            match key.as_str() {
                "p" => self.state.paused = !self.state.paused,
                "s" => self.save(),
                "space" => self.drive.zero(),
                key => drop(self.drive.press(key, now)),
            }
        }
        self.drive.release(now);
    }

    /// Inputs of the period to come.
    fn apply(&mut self) {
        let period = self.live.periods();
        if let Some((changes, next)) = &mut self.replay {
            while let Some(change) = changes.list.get(*next).filter(|change| change.period <= period) {
                // Those before a snapshot was taken are part of it.
                if change.period == period {
                    self.live.set(change.place, change.value);
                    self.inputs.iter().for_each(|inputs| inputs.push(*change));
                }
                *next += 1;
            }
            return;
        }
        for (_, place, value) in self.drive.values() {
            if self.live.machine().slow(place).to_bits() != value.to_bits() {
                self.live.set(place, value);
                self.inputs.iter().for_each(|inputs| inputs.push(InputChange { period, place, value }));
            }
        }
    }

    fn record(&mut self) -> Result<(), RunError> {
        if let Some(recorder) = &mut self.recorder {
            self.live.record(&mut self.state.row)?;
            let (t, row) = (self.live.t(), &self.state.row);
            recorder.push([t].into_iter().chain(self.recorded.iter().map(|&c| row[c])));
        }
        Ok(())
    }

    /// What the screen shows, now and then.
    fn refresh_display(&mut self, now: Instant, factor: f64) -> Result<(), RunError> {
        let due = self.state.glanced.is_none_or(|last| now - last >= DISPLAY_INTERVAL);
        if !due || !self.operator.as_ref().is_some_and(|o| o.watches()) {
            return Ok(());
        }
        self.state.glanced = Some(now);
        if !self.shown.is_empty() {
            self.live.record(&mut self.state.row)?;
        }
        let (state, live, shown) = (&self.state, &self.live, &self.shown);
        let Some(operator) = &mut self.operator else { return Ok(()) };
        operator.show(&mut |status| {
            status.t = live.t();
            status.factor = factor;
            status.times.clone_from(&state.times);
            (status.missed, status.overruns, status.paused) = (state.missed, live.overruns, state.paused);
            for (to, (column, own, unit)) in status.values.iter_mut().zip(shown) {
                *to = unit.shown(state.row[*column] * own.factor + own.offset);
            }
        });
        Ok(())
    }

    /// A snapshot now, written by another thread.
    fn save(&mut self) {
        let path = self.snapshot_to.clone();
        let note = match snapshot::take(&mut self.live, self.project, self.period) {
            Ok(bytes) => {
                let note = format!("snapshot at {:.3} s in {}", self.live.t(), path.display());
                self.state.saving.push(thread::spawn(move || snapshot::write(&path, &bytes)));
                note
            }
            Err(failure) => failure.reason(),
        };
        if let Some(operator) = &mut self.operator {
            operator.show(&mut |status| status.note.clone_from(&note));
        }
    }

    /// Waits for the snapshots on their way.
    pub(crate) fn saved(&mut self) -> Result<(), Failure> {
        let lost = || Failure::from(LiveRequestError::SnapshotLost);
        self.state.saving.drain(..).try_for_each(|thread| thread.join().map_err(|_| lost())?)
    }
}

fn wait(until: Instant) {
    let left = until.saturating_duration_since(Instant::now());
    if left > WAKE_LATENCY {
        thread::sleep(left - WAKE_LATENCY);
    }
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

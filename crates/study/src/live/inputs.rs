//! Inputs of a live run as a file: a line for every change, so that the run can be repeated to the last bit.
//!
//! ```text
//! # trunnion inputs 1, model_hash 0f3c…, period 0.001 s; values are in SI
//! time,input,value
//! 1.25,boom.u,0.5
//! # end 20.0
//! ```
//! A change counts from the period that begins at its time. Numbers are written with as many digits as their bits need.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use trunnion_equations::System;

use super::drive::input_place;
use crate::request_error::{InputLineFault, LiveRequestError};
use trunnion_engine::Failure;
use trunnion_engine::files::Disk;
use trunnion_files::output::{self, GrowingFile, OverwriteRefusal};
use trunnion_model::Files;
use trunnion_results::nearest;

/// A change of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputChange {
    /// The period before which it was made, counted from 0.
    pub period: u64,
    /// Among the slow values.
    pub place: usize,
    pub value: f64,
}

/// All changes, and the period after which the run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputChanges {
    pub list: Vec<InputChange>,
    pub end: Option<u64>,
}

/// When period k begins.
#[derive(Clone, Copy, Debug)]
pub struct PeriodClock {
    pub t_0: f64,
    pub period: f64,
}

impl PeriodClock {
    pub fn time(&self, k: u64) -> f64 {
        self.t_0 + k as f64 * self.period
    }

    fn number(&self, t: f64) -> Option<u64> {
        let k = ((t - self.t_0) / self.period).round();
        let near = (t - self.t_0 - k * self.period).abs() <= 1e-6 * self.period;
        (near && k >= 0.0).then_some(k as u64)
    }
}

/// Changes on their way to a file, written by another thread as they come: a killed run leaves them in `<path>.partial`.
pub struct Recording {
    path: PathBuf,
    to_write: SyncSender<InputChange>,
    thread: JoinHandle<io::Result<GrowingFile>>,
    clock: PeriodClock,
}

/// Changes that may wait for the disk.
const WAITING: usize = 1 << 12;

impl Recording {
    /// Opens the file at once, so that one that cannot be written is refused before the run.
    pub fn open(path: &Path, system: &System, hash: &str, clock: PeriodClock) -> Result<Self, Failure> {
        let failed = |cause: io::Error| match output::refusal(&cause) {
            Some(OverwriteRefusal::Leftover | OverwriteRefusal::Busy) => {
                unwritten(output::partial_path(path), cause)
            }
            _ => unwritten(path.to_owned(), cause),
        };
        let mut growing = GrowingFile::open(path, has_no_change).map_err(failed)?;
        let period = clock.period;
        let head = format!(
            "# trunnion inputs 1, model_hash {hash}, period {period} s; values are in SI\n{COLUMNS}\n"
        );
        growing.file.write_all(head.as_bytes()).map_err(failed)?;
        let names: Vec<String> = system.slow.iter().map(|&s| system.quantity(s).name.clone()).collect();
        let (to_write, changes) = sync_channel::<InputChange>(WAITING);
        let thread = thread::spawn(move || {
            for change in changes {
                let line =
                    format!("{},{},{}\n", clock.time(change.period), names[change.place], change.value);
                growing.file.write_all(line.as_bytes())?;
            }
            Ok(growing)
        });
        Ok(Recording { path: path.to_owned(), to_write, thread, clock })
    }

    pub fn push(&self, change: InputChange) {
        // A thread that has failed takes nothing; `finish` tells why.
        let _ = self.to_write.send(change);
    }

    /// `end`: the period after which the run ended.
    pub fn finish(self, end: u64) -> Result<(), Failure> {
        drop(self.to_write);
        let written = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the recording was lost")));
        let publish = |mut growing: GrowingFile| {
            growing.file.write_all(format!("# end {}\n", self.clock.time(end)).as_bytes())?;
            growing.publish()
        };
        written.and_then(publish).map_err(|cause| unwritten(self.path.clone(), cause))
    }
}

const COLUMNS: &str = "time,input,value";

/// Whether a recording holds nothing but its head.
fn has_no_change(path: &Path) -> bool {
    let text = Disk.read(&path.to_string_lossy());
    text.is_ok_and(|text| text.lines().all(|line| line.starts_with('#') || line == COLUMNS))
}

pub fn read(path: &Path, system: &System, clock: PeriodClock) -> Result<InputChanges, Failure> {
    let shown = path.display().to_string();
    let file = |reason: String| Failure::File(trunnion_files::FileError::read(&shown, reason));
    let mut text = Disk.read(&shown).map_err(file)?;
    if shown.ends_with(".partial") {
        // A killed run may have cut its last line.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    }
    let mut changes = InputChanges::default();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{shown}:{}", number + 1);
        let line = line.trim();
        if let Some(end) = line.strip_prefix("# end ") {
            changes.end = Some(period(end, clock, &place)?);
        } else if !(line.is_empty() || line.starts_with('#') || line == COLUMNS) {
            changes.list.push(change(line, system, clock, &place)?);
        }
    }
    // Those of one period stay in their order.
    changes.list.sort_by_key(|change| change.period);
    Ok(changes)
}

fn change(line: &str, system: &System, clock: PeriodClock, place: &str) -> Result<InputChange, Failure> {
    let [time, name, value] = line.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
        return Err(refused(place, InputLineFault::NotAChange { line: line.into() }));
    };
    let period = period(time, clock, place)?;
    let value = value.parse().ok().filter(|v: &f64| v.is_finite());
    let value = value.ok_or_else(|| refused(place, InputLineFault::NotANumber { input: name.into() }))?;
    let input = input_place(system, name).ok_or_else(|| {
        let names = system.slow.iter().map(|&s| system.quantity(s).name.as_str());
        let near = nearest(name, names).first().map(|near| near.to_string());
        refused(place, InputLineFault::UnknownInput { name: name.into(), near })
    })?;
    Ok(InputChange { period, place: input, value })
}

fn period(time: &str, clock: PeriodClock, place: &str) -> Result<u64, Failure> {
    let t: Option<f64> = time.parse().ok();
    t.and_then(|t| clock.number(t)).ok_or_else(|| {
        let (first, second) = (clock.t_0, clock.t_0 + clock.period);
        refused(place, InputLineFault::BetweenPeriods { time: time.into(), first, second })
    })
}

fn refused(place: &str, fault: InputLineFault) -> Failure {
    LiveRequestError::Inputs { place: place.into(), fault }.into()
}

fn unwritten(path: PathBuf, cause: io::Error) -> Failure {
    Failure::File(trunnion_files::FileError::Write { path, cause })
}

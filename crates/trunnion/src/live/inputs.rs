//! Inputs of a live run as a file: a line for every change, so that the run can be repeated to the last bit.
//!
//! ```text
//! # trunnion inputs 1, model_hash 0f3c…, period 0.001 s; values are in SI
//! time,input,value
//! 1.25,boom.u,0.5
//! # end 20.0
//! ```
//! A change counts from the period that begins at its time. Numbers are written with as many digits as their bits need.

use std::path::Path;

use trunnion_equations::System;

use super::drive::input_place;
use crate::failure::Failure;
use crate::files::{Disk, write_whole};
use crate::results::nearest;
use trunnion_model::Files;

/// A change of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The period before which it was made, counted from 0.
    pub period: u64,
    /// Among the slow values.
    pub place: usize,
    pub value: f64,
}

/// All changes, and the period after which the run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub list: Vec<Change>,
    pub end: Option<u64>,
}

/// When period k begins.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub t_0: f64,
    pub period: f64,
}

impl Clock {
    pub fn time(&self, k: u64) -> f64 {
        self.t_0 + k as f64 * self.period
    }

    fn number(&self, t: f64) -> Option<u64> {
        let k = ((t - self.t_0) / self.period).round();
        let near = (t - self.t_0 - k * self.period).abs() <= 1e-6 * self.period;
        (near && k >= 0.0).then_some(k as u64)
    }
}

pub fn write(
    path: &Path,
    changes: &Changes,
    system: &System,
    hash: &str,
    clock: Clock,
) -> Result<(), Failure> {
    let period = clock.period;
    let mut text = format!("# trunnion inputs 1, model_hash {hash}, period {period} s; values are in SI\n");
    text += "time,input,value\n";
    for change in &changes.list {
        let name = &system.quantity(system.slow[change.place]).name;
        text += &format!("{},{name},{}\n", clock.time(change.period), change.value);
    }
    if let Some(end) = changes.end {
        text += &format!("# end {}\n", clock.time(end));
    }
    write_whole(path, text.as_bytes())
}

pub fn read(path: &Path, system: &System, clock: Clock) -> Result<Changes, Failure> {
    let shown = path.display().to_string();
    let file = |reason| Failure::File { path: shown.clone(), action: "read", reason };
    let text = Disk.read(&shown).map_err(file)?;
    let mut changes = Changes::default();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{shown}:{}", number + 1);
        let line = line.trim();
        if let Some(end) = line.strip_prefix("# end ") {
            changes.end = Some(period(end, clock, &place)?);
        } else if !(line.is_empty() || line.starts_with('#') || line == "time,input,value") {
            changes.list.push(change(line, system, clock, &place)?);
        }
    }
    // Those of one period stay in their order.
    changes.list.sort_by_key(|change| change.period);
    Ok(changes)
}

fn change(line: &str, system: &System, clock: Clock, place: &str) -> Result<Change, Failure> {
    let [time, name, value] = line.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
        return Err(Failure::usage_hint(
            format!("{place}: `{line}` is no change of an input"),
            "a line is `time,input,value`, in SI: 1.25,boom.u,0.5",
        ));
    };
    let period = period(time, clock, place)?;
    let value = value.parse().ok().filter(|v: &f64| v.is_finite());
    let value =
        value.ok_or_else(|| Failure::usage(format!("{place}: the value of `{name}` has to be a number")))?;
    let input = input_place(system, name).ok_or_else(|| {
        let names = system.slow.iter().map(|&s| system.quantity(s).name.as_str());
        let near = nearest(name, names).first().map(|near| format!("did you mean `{near}`?"));
        Failure::Usage { message: format!("{place}: the model has no input `{name}`"), hint: near }
    })?;
    Ok(Change { period, place: input, value })
}

fn period(time: &str, clock: Clock, place: &str) -> Result<u64, Failure> {
    let t: Option<f64> = time.parse().ok();
    t.and_then(|t| clock.number(t)).ok_or_else(|| {
        let Clock { t_0, period } = clock;
        Failure::usage_hint(
            format!("{place}: `{time}` is no time at which a period begins"),
            format!(
                "periods begin at {t_0} s, {} s and so on; replay with the rate of the recording",
                t_0 + period
            ),
        )
    })
}

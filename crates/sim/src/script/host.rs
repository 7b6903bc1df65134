//! What a program finds besides the language: `console.log`, `model.set`, a repeatable `Math.random`, and objects that refuse
//! names they do not have.

use super::error::suggest;
use crate::offer::{RefusedChange, Requests};
use rquickjs::{Ctx, Exception, Function, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Prepares the globals, and gives the function that makes an object of numbers from its kind and its names.
pub(crate) fn install<'js>(
    ctx: &Ctx<'js>,
    log: &Arc<Mutex<Log>>,
    state: &Arc<AtomicU64>,
    requests: &Arc<Mutex<Requests>>,
) -> rquickjs::Result<Function<'js>> {
    let log = log.clone();
    let print = Function::new(ctx.clone(), move |line: String| {
        log.lock().unwrap_or_else(PoisonError::into_inner).add(line)
    })?;
    let state = state.clone();
    let random = Function::new(ctx.clone(), move || uniform(&state))?.with_name("random")?;
    let refuse = Function::new(ctx.clone(), refuse)?;
    let requests = requests.clone();
    let change = Function::new(ctx.clone(), move |ctx: Ctx<'js>, name: String, value: Value<'js>| {
        change(ctx, &requests, &name, &value)
    })?;
    let host: Function = ctx.eval(include_str!("host.js"))?;
    host.call((print, random, refuse, change))
}

fn refuse(ctx: Ctx<'_>, kind: String, name: String, known: Vec<String>) -> rquickjs::Result<()> {
    let error = Exception::from_message(ctx, &format!("there is no {kind} `{name}`"))?;
    error.as_object().set("hint", suggest(&name, &known, &format!("{kind}s")))?;
    Err(error.throw())
}

/// `model.set(name, value)`: a parameter or input of the model, in SI.
fn change<'js>(
    ctx: Ctx<'js>,
    requests: &Mutex<Requests>,
    name: &str,
    value: &Value<'js>,
) -> rquickjs::Result<()> {
    let number = value.as_number().unwrap_or(f64::NAN);
    let asked = requests.lock().unwrap_or_else(PoisonError::into_inner).ask(name, number);
    let (message, hint) = match asked {
        Ok(()) => return Ok(()),
        Err(RefusedChange::Unknown(known)) => return refuse(ctx, "parameter".into(), name.into(), known),
        Err(RefusedChange::TooEarly) => (
            "`model.set` is called before the model begins".to_string(),
            "call it in `step`; values at the start stand in the model file".to_string(),
        ),
        Err(RefusedChange::NotFinite) => {
            (format!("the value for `{name}` is no finite number"), "give a number in SI units".to_string())
        }
        Err(RefusedChange::OutOfRange(low, high)) => (
            format!("`{name}` = {number} is out of range"),
            format!("it lies between {low} and {high}, in SI units"),
        ),
    };
    let error = Exception::from_message(ctx, &message)?;
    error.as_object().set("hint", hint)?;
    Err(error.throw())
}

/// Any number: every run of every program draws the same sequence.
pub(crate) const SEED: u64 = 20_260_101;

/// Evenly spread over 0 ≤ x < 1 in steps of 2⁻⁵³, by SplitMix64. [Steele2014, fig. 17]
fn uniform(state: &AtomicU64) -> f64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut z = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 53) as f64
}

/// Lines written by `console.log`, up to a size in bytes; further ones are counted.
pub struct Log {
    lines: Vec<String>,
    room: usize,
    limit: usize,
    dropped: usize,
}

impl Log {
    pub fn new(limit: usize) -> Log {
        Log { lines: Vec::new(), room: limit, limit, dropped: 0 }
    }

    fn add(&mut self, line: String) {
        // Once full it stays full, so that no later short line slips in among dropped ones.
        if self.dropped > 0 || line.len() >= self.room {
            self.dropped += 1;
        } else {
            self.room -= line.len() + 1;
            self.lines.push(line);
        }
    }

    pub fn take(&mut self) -> Vec<String> {
        let log = std::mem::replace(self, Log::new(self.limit));
        let mut lines = log.lines;
        match log.dropped {
            0 => {}
            1 => lines.push("… 1 more line".into()),
            n => lines.push(format!("… {n} more lines")),
        }
        lines
    }
}

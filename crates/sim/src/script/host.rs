//! What a program finds besides the language: `console.log`, a repeatable `Math.random`, and objects that refuse
//! names they do not have.

use super::error::suggest;
use rquickjs::{Ctx, Exception, Function};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Prepares the globals, and gives the function that makes an object of numbers from its kind and its names.
pub fn install<'js>(ctx: &Ctx<'js>, log: &Rc<RefCell<Log>>) -> rquickjs::Result<Function<'js>> {
    let log = log.clone();
    let print = Function::new(ctx.clone(), move |line: String| log.borrow_mut().add(&line))?;
    let state = Cell::new(SEED);
    let random = Function::new(ctx.clone(), move || uniform(&state))?.with_name("random")?;
    let refuse = Function::new(ctx.clone(), refuse)?;
    let host: Function = ctx.eval(include_str!("host.js"))?;
    host.call((print, random, refuse))
}

fn refuse(ctx: Ctx<'_>, kind: String, name: String, known: Vec<String>) -> rquickjs::Result<()> {
    let error = Exception::from_message(ctx, &format!("there is no {kind} `{name}`"))?;
    error.as_object().set("hint", suggest(&name, &known, &format!("{kind}s")))?;
    Err(error.throw())
}

/// Any number: every run of every program draws the same sequence.
const SEED: u64 = 20_260_101;

/// Evenly spread over 0 ≤ x < 1 in steps of 2⁻⁵³, by SplitMix64. [Steele2014, fig. 17]
fn uniform(state: &Cell<u64>) -> f64 {
    state.set(state.get().wrapping_add(0x9E37_79B9_7F4A_7C15));
    let mut z = state.get();
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 53) as f64
}

/// Lines written by `console.log`, up to a size; further ones are counted.
pub struct Log {
    text: String,
    limit: usize,
    dropped: usize,
}

impl Log {
    pub fn new(limit: usize) -> Log {
        Log { text: String::new(), limit, dropped: 0 }
    }

    fn add(&mut self, line: &str) {
        // Once full it stays full, so that no later short line slips in among dropped ones.
        if self.dropped > 0 || self.text.len() + line.len() >= self.limit {
            self.dropped += 1;
        } else {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    pub fn take(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        match std::mem::take(&mut self.dropped) {
            0 => {}
            1 => text.push_str("… 1 more line\n"),
            n => text.push_str(&format!("… {n} more lines\n")),
        }
        text
    }
}

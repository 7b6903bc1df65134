//! Robot programs: a small language, and a task that runs it. docs/reference/robot-language.md has the grammar.

mod code;
mod compile;
mod compile_blocks;
mod compile_formula;
mod evaluate;
mod memory;
mod message;
mod motion;
mod parse;
mod parse_blocks;
mod parse_formula;
mod pause;
mod rehearse;
mod syntax;
mod task;
mod token;
mod unit;

use std::collections::BTreeSet;

use crate::arm::Arm;
use compile::CompiledProgram;
pub use message::{RobotMessage, TextSpan};
pub use rehearse::Rehearsal;
pub use task::{RobotTask, TaskDefaults, TaskOutput, TaskStatus, WrongAxes};

/// Characters of a program.
const LONGEST: usize = 1 << 20;

/// Messages that are told at once.
const MOST_MESSAGES: usize = 50;

/// A program that has been examined.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotProgram {
    source: String,
    code: CompiledProgram,
    /// Of the robot that it was examined for.
    axes: usize,
}

impl RobotProgram {
    /// Examine and translate a program for a robot; everything that is wrong is told, in order of its place.
    pub fn compile(source: &str, arm: &Arm) -> Result<RobotProgram, Vec<RobotMessage>> {
        if source.len() > LONGEST {
            let message = format!("the program has more than {LONGEST} bytes");
            return Err(vec![RobotMessage::new("R12", TextSpan::default(), message, "too long")]);
        }
        let (tokens, mut errors) = token::tokens(source);
        let parsed = parse::parsed(tokens);
        errors.extend(parsed.errors);
        let (code, wrong) = compile::compiled(&parsed.statements, arm);
        let ends: Vec<usize> = source.match_indices('\n').map(|(at, _)| at).collect();
        let line = |e: &RobotMessage| ends.partition_point(|at| *at < e.span.start);
        let unknown: BTreeSet<String> = parsed.broken.iter().map(|name| unknown(name)).collect();
        let unread: BTreeSet<usize> = errors.iter().map(line).collect();
        // One message for one slip: nothing more about a line that could not be read, nor about names that it declares.
        let echo =
            |e: &RobotMessage| unread.contains(&line(e)) || (e.code == "R04" && unknown.contains(&e.message));
        errors.extend(wrong.into_iter().filter(|e| !echo(e)));
        if errors.is_empty() {
            return Ok(RobotProgram { source: source.to_string(), code, axes: arm.n() });
        }
        errors.sort_by_key(|e| e.span.start);
        errors.dedup_by_key(|e| (e.code, line(e)));
        errors.truncate(MOST_MESSAGES);
        Err(errors)
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Names of the signals in, in the order in which a step takes them.
    pub fn inputs(&self) -> &[String] {
        &self.code.inputs
    }

    /// Names of the signals out, in the order in which a step gives them.
    pub fn outputs(&self) -> &[String] {
        &self.code.outputs
    }
}

/// What is said of a name that is not known.
fn unknown(name: &str) -> String {
    format!("`{name}` is not known")
}

//! A program run ahead of time, as far as it does not depend on inputs: what is wrong with its motions is known before the robot moves.

use super::code::{Instruction, NumberCode, PlaceBase, PlaceCode};
use super::message::RobotMessage;
use super::task::{RobotTask, TaskStatus};

/// Steps of one rehearsal at most; longer programs are sampled more coarsely, which changes nothing but the samples.
const MOST_STEPS: f64 = 10_000.0;

/// How a rehearsal ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Rehearsal {
    /// The program ends at this time.
    Ends {
        t: f64,
    },
    /// From here on inputs decide.
    AsksInput {
        t: f64,
        line: usize,
    },
    /// It goes on longer than was asked.
    GoesOn,
    Fails {
        t: f64,
        line: usize,
        message: RobotMessage,
    },
}

impl RobotTask {
    /// What the task would do from `t_0` up to `t_end`, in steps of `period` or longer ones.
    pub fn rehearse(&self, t_0: f64, t_end: f64, period: f64) -> Rehearsal {
        let mut task = self.clone();
        task.rehearsing = true;
        let blank = vec![0.0; task.inputs.len()];
        let step = period.max((t_end - t_0) / MOST_STEPS);
        let steps = ((t_end - t_0) / step).ceil().clamp(0.0, MOST_STEPS) as u32;
        for k in 0..=steps {
            let t = (t_0 + f64::from(k) * step).min(t_end);
            let status = task.step(t, &blank).status;
            let line = task.source_line();
            match status {
                TaskStatus::Failed => {
                    let Some(message) = task.error().cloned() else { break };
                    return Rehearsal::Fails { t: task.now, line, message };
                }
                TaskStatus::Done if task.asks_input => return Rehearsal::AsksInput { t: task.now, line },
                TaskStatus::Done => return Rehearsal::Ends { t: task.now },
                _ => {}
            }
        }
        Rehearsal::GoesOn
    }
}

impl PlaceCode {
    fn asks_input(&self) -> bool {
        let base = match &self.base {
            PlaceBase::Here | PlaceBase::Point(_) => false,
            PlaceBase::Joints(all) | PlaceBase::Pose(all) => all.iter().any(NumberCode::reads_input),
        };
        base || self.shifts.iter().any(|(_, by)| by.iter().any(NumberCode::reads_input))
    }
}

impl Instruction {
    /// Whether inputs decide what it does.
    pub(crate) fn asks_input(&self) -> bool {
        match self {
            Instruction::SetNumber(_, value)
            | Instruction::SetOutput(_, value)
            | Instruction::Limit(_, _, value)
            | Instruction::Wait(value)
            | Instruction::JumpUnless(value, _) => value.reads_input(),
            Instruction::WaitUntil(condition, timeout) => {
                condition.reads_input() || timeout.as_ref().is_some_and(NumberCode::reads_input)
            }
            Instruction::SetPoint(_, place) => place.asks_input(),
            Instruction::DefineFrame(_, values) => values.iter().any(NumberCode::reads_input),
            Instruction::Move(m) => {
                let numbers = m.blend.iter().chain(&m.time).chain(m.speed.iter().map(|(_, value)| value));
                let places = std::iter::once(&m.to).chain(&m.via);
                numbers.into_iter().any(NumberCode::reads_input)
                    || places.into_iter().any(PlaceCode::asks_input)
            }
            Instruction::Call { numbers, points, .. } => {
                numbers.iter().any(|(_, n)| n.reads_input()) || points.iter().any(|(_, p)| p.asks_input())
            }
            Instruction::Profile(_)
            | Instruction::UseTool(_)
            | Instruction::UseWork(_)
            | Instruction::Jump(_)
            | Instruction::Return
            | Instruction::Stop => false,
        }
    }
}

//! A program as it runs: instructions with jumps, names resolved to numbered places.

use super::message::TextSpan;
use super::syntax::{BinarySign, SettingName};
use crate::time_law::LawKind;

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueSlot {
    Global(usize),
    /// Of the procedure that runs.
    Local(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sqrt,
    Abs,
    Min,
    Max,
    Round,
    Floor,
}

/// A number to be computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NumberCode {
    Constant(f64),
    Variable(ValueSlot),
    Input(usize),
    Output(usize),
    /// 1 if the last `wait until` ended by its timeout.
    TimedOut,
    Function(BuiltIn, Vec<NumberCode>),
    Negative(Box<NumberCode>),
    Not(Box<NumberCode>),
    Binary(BinarySign, Box<NumberCode>, Box<NumberCode>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlaceBase {
    Point(ValueSlot),
    Joints(Vec<NumberCode>),
    /// Six numbers.
    Pose(Vec<NumberCode>),
    Here,
}

/// A place to be computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceCode {
    pub base: PlaceBase,
    /// In the axes of the tool (true) or of the work frame.
    pub shifts: Vec<(bool, [NumberCode; 3])>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitTarget {
    /// A share of the limits of the joints.
    Joints,
    Tool,
    Turn,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MoveCode {
    /// By the joints (true) or along a path of the tool.
    pub joint: bool,
    pub via: Option<PlaceCode>,
    pub to: PlaceCode,
    pub blend: Option<NumberCode>,
    pub speed: Option<(LimitTarget, NumberCode)>,
    pub time: Option<NumberCode>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instruction {
    SetNumber(ValueSlot, NumberCode),
    SetPoint(ValueSlot, PlaceCode),
    SetOutput(usize, NumberCode),
    DefineFrame(usize, Vec<NumberCode>),
    Limit(SettingName, LimitTarget, NumberCode),
    Profile(LawKind),
    UseTool(Option<usize>),
    UseWork(Option<usize>),
    Move(Box<MoveCode>),
    Wait(NumberCode),
    WaitUntil(NumberCode, Option<NumberCode>),
    Jump(usize),
    /// To where, unless the number is true.
    JumpUnless(NumberCode, usize),
    Call {
        procedure: usize,
        numbers: Vec<(usize, NumberCode)>,
        points: Vec<(usize, PlaceCode)>,
    },
    Return,
    Stop,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeLine {
    pub instruction: Instruction,
    pub span: TextSpan,
    /// Motions that were begun must be over before.
    pub after_motion: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProcedureCode {
    pub start: usize,
    pub numbers: usize,
    pub points: usize,
}

impl NumberCode {
    /// Reads what the world says: only a robot that stands where it should may ask.
    pub(crate) fn reads_input(&self) -> bool {
        match self {
            NumberCode::Input(_) | NumberCode::TimedOut => true,
            NumberCode::Constant(_) | NumberCode::Variable(_) | NumberCode::Output(_) => false,
            NumberCode::Function(_, all) => all.iter().any(NumberCode::reads_input),
            NumberCode::Negative(a) | NumberCode::Not(a) => a.reads_input(),
            NumberCode::Binary(_, a, b) => a.reads_input() || b.reads_input(),
        }
    }
}

impl PlaceCode {
    fn reads(&self) -> bool {
        let base = match &self.base {
            PlaceBase::Here => true,
            PlaceBase::Point(_) => false,
            PlaceBase::Joints(all) | PlaceBase::Pose(all) => all.iter().any(NumberCode::reads_input),
        };
        base || self.shifts.iter().any(|(_, by)| by.iter().any(NumberCode::reads_input))
    }
}

impl Instruction {
    /// Whether what comes before it must be over: it is felt outside, or asks for what is outside.
    pub(crate) fn after_motion(&self) -> bool {
        match self {
            Instruction::SetOutput(..)
            | Instruction::Wait(_)
            | Instruction::WaitUntil(..)
            | Instruction::UseTool(_)
            | Instruction::UseWork(_)
            | Instruction::Stop => true,
            Instruction::SetNumber(_, value)
            | Instruction::Limit(_, _, value)
            | Instruction::JumpUnless(value, _) => value.reads_input(),
            Instruction::SetPoint(_, place) => place.reads(),
            Instruction::DefineFrame(_, values) => values.iter().any(NumberCode::reads_input),
            Instruction::Move(m) => m.to.reads() || m.via.as_ref().is_some_and(PlaceCode::reads),
            Instruction::Call { numbers, points, .. } => {
                numbers.iter().any(|(_, n)| n.reads_input()) || points.iter().any(|(_, p)| p.reads())
            }
            Instruction::Profile(_) | Instruction::Jump(_) | Instruction::Return => false,
        }
    }
}

//! A program as it is written: statements, expressions, places to go to.

use super::message::TextSpan;
use super::unit::MotionDimension;
use crate::time_law::LawKind;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedAt {
    pub name: String,
    pub span: TextSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinarySign {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FormulaKind {
    Number { value: f64, dimension: MotionDimension, bare: bool },
    Name(String),
    Call(NamedAt, Vec<NumberFormula>),
    Negative(Box<NumberFormula>),
    Not(Box<NumberFormula>),
    Binary(BinarySign, Box<NumberFormula>, Box<NumberFormula>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberFormula {
    pub kind: FormulaKind,
    pub span: TextSpan,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DestinationKind {
    Name(String),
    Joints(Vec<NumberFormula>),
    /// Three or six numbers.
    Pose(Vec<NumberFormula>),
    Here,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Destination {
    pub kind: DestinationKind,
    pub span: TextSpan,
    /// In the axes of the tool (true) or of the work frame, three numbers each.
    pub shifts: Vec<(bool, Vec<NumberFormula>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MoveShape {
    Joint,
    Linear,
    Circular { via: Box<Destination> },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MoveOptions {
    pub blend: Option<NumberFormula>,
    pub speed: Option<NumberFormula>,
    pub time: Option<NumberFormula>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingName {
    Speed,
    Acceleration,
    Jerk,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParameterKind {
    Number(MotionDimension),
    Point,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallArgument {
    /// A name, which may be a point or a number.
    Name(NamedAt),
    NumberFormula(NumberFormula),
    Destination(Destination),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StatementKind {
    Input(NamedAt, MotionDimension),
    Output(NamedAt, MotionDimension, Option<NumberFormula>),
    /// Tool (true) or work frame.
    Frame {
        tool: bool,
        name: NamedAt,
        values: Vec<NumberFormula>,
    },
    Point(NamedAt, Destination),
    Variable(NamedAt, NumberFormula),
    Procedure {
        name: NamedAt,
        parameters: Vec<(NamedAt, ParameterKind)>,
        body: Vec<Statement>,
    },
    Assign(NamedAt, CallArgument),
    Set(NamedAt, NumberFormula),
    Setting(SettingName, NumberFormula),
    Profile(LawKind),
    Use {
        tool: bool,
        name: Option<NamedAt>,
    },
    Move {
        shape: MoveShape,
        to: Destination,
        options: Box<MoveOptions>,
    },
    Wait(NumberFormula),
    WaitUntil(NumberFormula, Option<NumberFormula>),
    If {
        branches: Vec<(NumberFormula, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    Repeat(Option<NumberFormula>, Vec<Statement>),
    While(NumberFormula, Vec<Statement>),
    Call(NamedAt, Vec<CallArgument>),
    Break,
    Return,
    Stop,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub kind: StatementKind,
    pub span: TextSpan,
}

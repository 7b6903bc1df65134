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
    Call(NamedAt, Vec<Formula>),
    Negative(Box<Formula>),
    Not(Box<Formula>),
    Binary(BinarySign, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    pub kind: FormulaKind,
    pub span: TextSpan,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DestinationKind {
    Name(String),
    Joints(Vec<Formula>),
    /// Three or six numbers.
    Pose(Vec<Formula>),
    Here,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Destination {
    pub kind: DestinationKind,
    pub span: TextSpan,
    /// In the axes of the tool (true) or of the work frame, three numbers each.
    pub shifts: Vec<(bool, Vec<Formula>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MoveShape {
    Joint,
    Linear,
    Circular { via: Box<Destination> },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MoveOptions {
    pub blend: Option<Formula>,
    pub speed: Option<Formula>,
    pub time: Option<Formula>,
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
pub(crate) enum Argument {
    /// A name, which may be a point or a number.
    Name(NamedAt),
    Formula(Formula),
    Destination(Destination),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StatementKind {
    Input(NamedAt, MotionDimension),
    Output(NamedAt, MotionDimension, Option<Formula>),
    /// Tool (true) or work frame.
    Frame {
        tool: bool,
        name: NamedAt,
        values: Vec<Formula>,
    },
    Point(NamedAt, Destination),
    Variable(NamedAt, Formula),
    Procedure {
        name: NamedAt,
        parameters: Vec<(NamedAt, ParameterKind)>,
        body: Vec<Statement>,
    },
    Assign(NamedAt, Argument),
    Set(NamedAt, Formula),
    Setting(SettingName, Formula),
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
    Wait(Formula),
    WaitUntil(Formula, Option<Formula>),
    If {
        branches: Vec<(Formula, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    Repeat(Option<Formula>, Vec<Statement>),
    While(Formula, Vec<Statement>),
    Call(NamedAt, Vec<Argument>),
    Break,
    Return,
    Stop,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub kind: StatementKind,
    pub span: TextSpan,
}

//! Names, dimensions and kinds of expressions and places.

use super::code::{BuiltIn, NumberCode, PlaceBase, PlaceCode};
use super::compile::{Checked, ProgramCompiler, SymbolKind};
use super::message::{RobotMessage, TextSpan};
use super::syntax::{BinarySign, Destination, DestinationKind, FormulaKind, NamedAt, NumberFormula};
use super::unit::{ANGLE, LENGTH, MotionDimension, PLAIN};
use crate::arm::AxisMotion;

/// A number, its dimension, and whether it is a bare 0, which fits every dimension.
pub(crate) struct TypedNumber {
    pub code: NumberCode,
    pub dimension: MotionDimension,
    zero: bool,
}

impl TypedNumber {
    fn new(code: NumberCode, dimension: MotionDimension) -> TypedNumber {
        TypedNumber { code, dimension, zero: false }
    }

    pub(crate) fn is(&self, dimension: MotionDimension) -> bool {
        self.zero || self.dimension == dimension
    }
}

const FUNCTIONS: [(&str, BuiltIn); 13] = [
    ("sin", BuiltIn::Sin),
    ("cos", BuiltIn::Cos),
    ("tan", BuiltIn::Tan),
    ("asin", BuiltIn::Asin),
    ("acos", BuiltIn::Acos),
    ("atan", BuiltIn::Atan),
    ("atan2", BuiltIn::Atan2),
    ("sqrt", BuiltIn::Sqrt),
    ("abs", BuiltIn::Abs),
    ("min", BuiltIn::Min),
    ("max", BuiltIn::Max),
    ("round", BuiltIn::Round),
    ("floor", BuiltIn::Floor),
];

pub(crate) fn wrong(span: TextSpan, wanted: &str, found: &TypedNumber) -> RobotMessage {
    let message = format!("expected {wanted}, found {}", found.dimension.named());
    let error = RobotMessage::new("R06", span, message, format!("this is {}", found.dimension.named()));
    match (found.dimension == PLAIN, wanted) {
        (true, "a length") => error.hint("numbers have units: `20 mm`"),
        (true, "an angle") => error.hint("numbers have units: `30 deg`"),
        (true, "a time") => error.hint("numbers have units: `0.5 s`"),
        _ => error,
    }
}

impl ProgramCompiler<'_> {
    /// A number of one dimension.
    pub(crate) fn number(&self, formula: &NumberFormula, dimension: MotionDimension) -> Checked<NumberCode> {
        let typed = self.typed(formula)?;
        if typed.is(dimension) {
            Ok(typed.code)
        } else {
            Err(wrong(formula.span, &dimension.named(), &typed))
        }
    }

    pub(crate) fn typed(&self, formula: &NumberFormula) -> Checked<TypedNumber> {
        match &formula.kind {
            FormulaKind::Number { value, dimension, bare } => {
                let zero = *bare && *value == 0.0;
                Ok(TypedNumber { code: NumberCode::Constant(*value), dimension: *dimension, zero })
            }
            FormulaKind::Name(name) => self.named(name, formula.span),
            FormulaKind::Call(name, arguments) => self.function(name, arguments, formula.span),
            FormulaKind::Negative(inner) => {
                let inner = self.typed(inner)?;
                Ok(TypedNumber { code: NumberCode::Negative(Box::new(inner.code)), ..inner })
            }
            FormulaKind::Not(inner) => {
                let inner = self.number(inner, PLAIN)?;
                Ok(TypedNumber::new(NumberCode::Not(Box::new(inner)), PLAIN))
            }
            FormulaKind::Binary(sign, left, right) => self.binary(*sign, left, right, formula.span),
        }
    }

    fn named(&self, name: &str, span: TextSpan) -> Checked<TypedNumber> {
        match name {
            "pi" => return Ok(TypedNumber::new(NumberCode::Constant(std::f64::consts::PI), PLAIN)),
            "true" | "on" => return Ok(TypedNumber::new(NumberCode::Constant(1.0), PLAIN)),
            "false" | "off" => return Ok(TypedNumber::new(NumberCode::Constant(0.0), PLAIN)),
            "timed_out" => return Ok(TypedNumber::new(NumberCode::TimedOut, PLAIN)),
            _ => {}
        }
        let symbol = self.symbol(name, span)?;
        match symbol.kind {
            SymbolKind::Number(slot, dimension) => {
                Ok(TypedNumber::new(NumberCode::Variable(slot), dimension))
            }
            SymbolKind::Input(index, dimension) => Ok(TypedNumber::new(NumberCode::Input(index), dimension)),
            SymbolKind::Output(index, dimension) => {
                Ok(TypedNumber::new(NumberCode::Output(index), dimension))
            }
            _ => {
                let message = format!("`{name}` is {}, not a number", symbol.kind.named());
                Err(RobotMessage::new("R08", span, message, "expected a number"))
            }
        }
    }

    fn binary(
        &self,
        sign: BinarySign,
        left: &NumberFormula,
        right: &NumberFormula,
        span: TextSpan,
    ) -> Checked<TypedNumber> {
        let (a, b) = (self.typed(left)?, self.typed(right)?);
        let dimension = match sign {
            BinarySign::And | BinarySign::Or => {
                for (side, typed) in [(left, &a), (right, &b)] {
                    if !typed.is(PLAIN) {
                        return Err(wrong(side.span, "a condition", typed));
                    }
                }
                PLAIN
            }
            BinarySign::Multiply | BinarySign::Divide => {
                let power = if sign == BinarySign::Multiply { 1 } else { -1 };
                let error = || {
                    RobotMessage::new("R06", span, "the dimension of this is too high", "too many factors")
                };
                a.dimension.times(b.dimension, power).ok_or_else(error)?
            }
            _ => {
                let common = if a.zero { b.dimension } else { a.dimension };
                if !b.is(common) {
                    let (one, other) = (a.dimension.named(), b.dimension.named());
                    let message = format!("{one} and {other} cannot be added or compared");
                    return Err(RobotMessage::new(
                        "R06",
                        span,
                        message,
                        format!("{one} here, {other} there"),
                    ));
                }
                match sign {
                    BinarySign::Add | BinarySign::Subtract | BinarySign::Modulo => common,
                    _ => PLAIN,
                }
            }
        };
        Ok(TypedNumber::new(NumberCode::Binary(sign, Box::new(a.code), Box::new(b.code)), dimension))
    }

    fn function(&self, name: &NamedAt, arguments: &[NumberFormula], span: TextSpan) -> Checked<TypedNumber> {
        let Some((_, function)) = FUNCTIONS.iter().find(|(n, _)| *n == name.name) else {
            let message = format!("there is no function `{}`", name.name);
            let hint = super::message::nearest(&name.name, FUNCTIONS.iter().map(|(n, _)| *n));
            let error = RobotMessage::new("R04", name.span, message, "not known");
            return Err(error.hint("procedures are called by `call`, as a statement").hint_if(hint));
        };
        let wanted = match function {
            BuiltIn::Atan2 | BuiltIn::Min | BuiltIn::Max => 2,
            _ => 1,
        };
        if arguments.len() != wanted {
            let message = format!("`{}` takes {wanted}, not {}", name.name, arguments.len());
            return Err(RobotMessage::new("R09", span, message, "wrong number of values"));
        }
        let mut all = vec![];
        for argument in arguments {
            all.push((self.typed(argument)?, argument.span));
        }
        let (first, at) = (&all[0].0, all[0].1);
        let dimension = match function {
            BuiltIn::Sin | BuiltIn::Cos | BuiltIn::Tan if first.is(ANGLE) || first.is(PLAIN) => PLAIN,
            BuiltIn::Sin | BuiltIn::Cos | BuiltIn::Tan => return Err(wrong(at, "an angle", first)),
            BuiltIn::Asin | BuiltIn::Acos | BuiltIn::Atan | BuiltIn::Round | BuiltIn::Floor
                if !first.is(PLAIN) =>
            {
                return Err(wrong(at, "a plain number", first).hint("divide by a unit: `x/(1 mm)`"));
            }
            BuiltIn::Asin | BuiltIn::Acos | BuiltIn::Atan => ANGLE,
            BuiltIn::Round | BuiltIn::Floor => PLAIN,
            BuiltIn::Sqrt => first.dimension.root().ok_or_else(|| wrong(at, "an even power", first))?,
            BuiltIn::Abs => first.dimension,
            BuiltIn::Atan2 | BuiltIn::Min | BuiltIn::Max => {
                let common = if first.zero { all[1].0.dimension } else { first.dimension };
                if !all[1].0.is(common) {
                    return Err(wrong(all[1].1, &common.named(), &all[1].0));
                }
                if *function == BuiltIn::Atan2 { ANGLE } else { common }
            }
        };
        Ok(TypedNumber::new(
            NumberCode::Function(*function, all.into_iter().map(|(t, _)| t.code).collect()),
            dimension,
        ))
    }

    pub(crate) fn place(&self, to: &Destination) -> Checked<PlaceCode> {
        let base = match &to.kind {
            DestinationKind::Here => PlaceBase::Here,
            DestinationKind::Name(name) => {
                let symbol = self.symbol(name, to.span)?;
                match symbol.kind {
                    SymbolKind::Point(slot) => PlaceBase::Point(slot),
                    _ => {
                        let message = format!("`{name}` is {}, not a point", symbol.kind.named());
                        let error = RobotMessage::new("R08", to.span, message, "expected a place");
                        return Err(error.hint("a place is a point, `joints(…)`, `pose(…)` or `here`"));
                    }
                }
            }
            DestinationKind::Joints(values) => PlaceBase::Joints(self.joints(values, to.span)?),
            DestinationKind::Pose(values) => PlaceBase::Pose(self.six_numbers(values)?),
        };
        let mut shifts = vec![];
        for (tool, values) in &to.shifts {
            let mut by = vec![];
            for value in values {
                by.push(self.number(value, LENGTH)?);
            }
            let by: [NumberCode; 3] = by.try_into().unwrap_or([const { NumberCode::Constant(0.0) }; 3]);
            shifts.push((*tool, by));
        }
        Ok(PlaceCode { base, shifts })
    }

    /// Three lengths, three angles; angles that are left out are 0.
    pub(crate) fn six_numbers(&self, values: &[NumberFormula]) -> Checked<Vec<NumberCode>> {
        let mut all = vec![];
        for (i, value) in values.iter().enumerate() {
            all.push(self.number(value, if i < 3 { LENGTH } else { ANGLE })?);
        }
        all.resize(6, NumberCode::Constant(0.0));
        Ok(all)
    }

    fn joints(&self, values: &[NumberFormula], span: TextSpan) -> Checked<Vec<NumberCode>> {
        if values.len() != self.arm.n() {
            let message = format!("`joints` has {} values, the robot {} axes", values.len(), self.arm.n());
            let names: Vec<&str> = (0..self.arm.n()).map(|k| self.arm.axis(k).name.as_str()).collect();
            let error = RobotMessage::new("R09", span, message, "one value for every axis");
            return Err(error.hint(format!("the axes are {}", names.join(", "))));
        }
        let mut all = vec![];
        for (k, value) in values.iter().enumerate() {
            let slides = self.arm.axis(k).motion == AxisMotion::Prismatic;
            all.push(self.number(value, if slides { LENGTH } else { ANGLE })?);
        }
        Ok(all)
    }
}

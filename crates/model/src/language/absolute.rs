//! Absolute values and differences in units whose zero is shifted.
//!
//! 20 °C is θ₀ + 20 K. How often an expression holds θ₀, its count n, follows from its parts:
//!
//!   n(20 °C) = 1,   n(a ± b) = n(a) ± n(b),   n(c·a) = c·n(a) for a number c                       (1)
//!
//! An absolute value has n = 1, a difference n = 0, and nothing else has a meaning: 20 °C + 10 °C has n = 2, the mean
//! (20 °C + 10 °C)/2 has n = 1. What is written or declared in K may be either: 0 ≤ n ≤ 1. Sides of an equation and of
//! a relation, and branches, have one count. Products with variables hold SI values and any count.

use std::ops::Range;

use super::Scope;
use super::ast::{AND, Ast, AstKind, COMPARISON, ChainOperator, OR, PRODUCT, SUM};
use super::error::{self, LangError};
use super::functions::{self, DimensionRule};
use crate::units::{Dimension, Unit};

/// The counts an expression may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    low: f64,
    high: f64,
    /// It holds a number written in an offset unit.
    literal: bool,
    /// What the unit with the offset measures.
    of: Option<Dimension>,
}

/// Either an absolute value or a difference.
const EITHER: Count = Count { low: 0.0, high: 1.0, literal: false, of: None };
const FREE: Count = Count { low: f64::NEG_INFINITY, high: f64::INFINITY, literal: false, of: None };

/// Rounding of weights such as 1/3 + 2/3.
const ROUNDING: f64 = 1e-9;

impl Count {
    fn absolute(of: Dimension, literal: bool) -> Count {
        Count { low: 1.0, high: 1.0, literal, of: Some(of) }
    }

    pub(crate) fn may_be(self, n: f64) -> bool {
        self.low <= n + ROUNDING && n <= self.high + ROUNDING
    }

    fn times(self, factor: f64) -> Count {
        if factor == 0.0 {
            return Count { low: 0.0, high: 0.0, ..self };
        }
        let (a, b) = (self.low * factor, self.high * factor);
        Count { low: a.min(b), high: a.max(b), ..self }
    }

    fn plus(self, other: Count) -> Count {
        Count { low: self.low + other.low, high: self.high + other.high, ..self.with(other) }
    }

    /// What both may be; None if there is nothing.
    fn and(self, other: Count) -> Option<Count> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high + ROUNDING).then(|| Count { low, high, ..self.with(other) })
    }

    fn with(self, other: Count) -> Count {
        Count { literal: self.literal || other.literal, of: self.of.or(other.of), ..self }
    }

    fn noun(self) -> &'static str {
        match self.of {
            Some(Dimension::TEMPERATURE) => "temperature",
            _ => "pressure",
        }
    }

    /// The SI unit, in which differences can be written.
    fn unit(self) -> Dimension {
        self.of.unwrap_or(Dimension::TEMPERATURE)
    }

    /// What to say where `wanted`, an absolute value (1), a difference (0) or one of them (None), is expected.
    pub fn unfit(self, wanted: Option<f64>, span: &Range<usize>) -> Option<LangError> {
        let (noun, unit) = (self.noun(), self.unit());
        let fits = wanted.map_or(self.may_be(0.0) || self.may_be(1.0), |n| self.may_be(n));
        if fits {
            return None;
        }
        let (message, hint) = if wanted == Some(1.0) && self.may_be(0.0) {
            (format!("a difference of {noun}s is no {noun}"), format!("declare a difference in {unit}"))
        } else if wanted == Some(0.0) && self.may_be(1.0) {
            (format!("expected a difference, found an absolute {noun}"), format!("write it in {unit}"))
        } else {
            (
                format!("absolute {noun}s do not add up to a {noun}"),
                format!("write what is a difference in {unit}; a mean is (a + b)/2"),
            )
        };
        Some(LangError::new(error::ABSOLUTE, span, message).hint(hint))
    }
}

/// A number in an offset unit that stands alone, as the difference it is in a place for differences.
pub(crate) fn as_difference(ast: &Ast) -> Option<Ast> {
    match &ast.kind {
        AstKind::Number(number, Some(unit)) if unit.offset != 0.0 => {
            let unit = Unit { offset: 0.0, ..unit.clone() };
            Some(Ast { kind: AstKind::Number(*number, Some(unit)), span: ast.span.clone() })
        }
        _ => None,
    }
}

/// The count of an expression, and what is wrong inside it.
pub fn count(ast: &Ast, scope: &dyn Scope) -> (Count, Vec<LangError>) {
    let mut pass = Pass { scope, errors: vec![] };
    let count = pass.count(ast);
    (count, pass.errors)
}

/// What is wrong with an expression as the value of something.
pub(super) fn check_value(ast: &Ast, scope: &dyn Scope) -> Vec<LangError> {
    let (count, mut errors) = count(ast, scope);
    if errors.is_empty() {
        errors.extend(count.unfit(None, &ast.span));
    }
    errors
}

/// What is wrong with two sides that are set equal or compared.
pub(super) fn check_sides(left: &Ast, right: &Ast, scope: &dyn Scope) -> Vec<LangError> {
    let mut pass = Pass { scope, errors: vec![] };
    let sides = [(left, pass.count(left)), (right, pass.count(right))];
    if pass.errors.is_empty() {
        pass.agree(&sides);
    }
    pass.errors
}

/// What is wrong with the condition of an event.
pub(super) fn check_condition(ast: &Ast, scope: &dyn Scope) -> Vec<LangError> {
    match &ast.kind {
        AstKind::Call(function, _, arguments) if function == "crosses" => match &arguments[..] {
            [a, b] => check_sides(a, b, scope),
            _ => vec![],
        },
        _ => count(ast, scope).1,
    }
}

struct Pass<'s> {
    scope: &'s dyn Scope,
    errors: Vec<LangError>,
}

impl Pass<'_> {
    fn count(&mut self, ast: &Ast) -> Count {
        match &ast.kind {
            AstKind::Number(_, Some(unit)) if unit.offset != 0.0 => Count::absolute(unit.dimension, true),
            AstKind::Number(..) => EITHER,
            AstKind::Name(name) => self.scope.absolute(name).map_or(EITHER, |of| Count::absolute(of, false)),
            AstKind::Negate(a) => self.count(a).times(-1.0),
            AstKind::Not(a) => {
                self.count(a);
                FREE
            }
            AstKind::Chain(first, rest) => match ast.chain_rank() {
                Some(OR | AND) => {
                    self.count(first);
                    for (_, a) in rest {
                        self.count(a);
                    }
                    FREE
                }
                Some(COMPARISON) => {
                    let members = self.counts(std::iter::once(&**first).chain(rest.iter().map(|(_, a)| a)));
                    self.agree(&members);
                    FREE
                }
                Some(SUM) => rest.iter().fold(self.count(first), |total, (operator, a)| {
                    let sign = if *operator == ChainOperator::Add { 1.0 } else { -1.0 };
                    total.plus(self.count(a).times(sign)) // (1)
                }),
                Some(PRODUCT) => self.product(first, rest),
                _ => self.count(first),
            },
            AstKind::Power(base, exponent) => {
                self.factor(base);
                self.factor(exponent);
                FREE
            }
            AstKind::Call(function, _, arguments) => self.call(function, arguments),
            AstKind::If(condition, a, b) => {
                self.count(condition);
                let members = self.counts([&**a, &**b]);
                self.agree(&members)
            }
        }
    }

    fn counts<'a>(&mut self, members: impl IntoIterator<Item = &'a Ast>) -> Vec<(&'a Ast, Count)> {
        members.into_iter().map(|a| (a, self.count(a))).collect()
    }

    fn product(&mut self, first: &Ast, rest: &[(ChainOperator, Ast)]) -> Count {
        let mut number = constant(first);
        // The one factor that is no number, while there is only one.
        let mut quantity = number.is_none().then_some((first, true));
        for (operator, a) in rest {
            match constant(a) {
                Some(c) => {
                    let c = if *operator == ChainOperator::Multiply { c } else { 1.0 / c };
                    number = Some(number.unwrap_or(1.0) * c);
                }
                None if quantity.is_none() => quantity = Some((a, *operator == ChainOperator::Multiply)),
                None => return self.factors(first, rest),
            }
        }
        match quantity {
            Some((a, true)) => {
                let count = self.count(a);
                // T_2 = 2 T_1 is an equation in SI values.
                if count.literal { count.times(number.unwrap_or(1.0)) } else { FREE } // (1)
            }
            Some((a, false)) => {
                self.factor(a);
                FREE
            }
            None => EITHER,
        }
    }

    fn factors(&mut self, first: &Ast, rest: &[(ChainOperator, Ast)]) -> Count {
        self.factor(first);
        rest.iter().for_each(|(_, a)| self.factor(a));
        FREE
    }

    /// A factor beside variables: a number in an offset unit there may have been meant as a difference.
    fn factor(&mut self, ast: &Ast) {
        let count = self.count(ast);
        if count.literal && !count.may_be(0.0) {
            let noun = count.noun();
            let message = format!("an absolute {noun} in a product can be read in two ways");
            let hint = match &ast.kind {
                AstKind::Number(number, Some(unit)) => {
                    let (si, of) = (unit.to_si(*number), unit.dimension);
                    let rounded: f64 = format!("{si:.9e}").parse().unwrap_or(si);
                    let difference: f64 =
                        format!("{:.9e}", si - unit.offset).parse().unwrap_or(si - unit.offset);
                    format!("write {rounded} {of} for the {noun}, {difference} {of} for a difference")
                }
                _ => format!("write it in {}, or give it a name in [parameters]", count.unit()),
            };
            self.errors.push(LangError::new(error::ABSOLUTE, &ast.span, message).hint(hint));
        }
    }

    fn call(&mut self, function: &str, arguments: &[Ast]) -> Count {
        let known = functions::find(function);
        let rule = known.map(|f| f.rule);
        if matches!(rule, Some(DimensionRule::Root | DimensionRule::Square | DimensionRule::Power)) {
            arguments.iter().for_each(|a| self.factor(a));
            return FREE;
        }
        let width = known.and_then(|f| f.width()).filter(|&w| w < arguments.len());
        let others = arguments.iter().enumerate().filter(|(i, _)| Some(*i) != width).map(|(_, a)| a);
        let members = self.counts(others);
        if let Some(width) = width.map(|w| &arguments[w]).filter(|w| as_difference(w).is_none()) {
            let count = self.count(width);
            self.errors.extend(count.unfit(Some(0.0), &width.span));
        }
        match (rule, function) {
            (Some(DimensionRule::Same), "min" | "max" | "clip" | "smooth_max" | "smooth_min") => {
                self.agree(&members)
            }
            _ => FREE,
        }
    }

    /// The count that all members have.
    fn agree(&mut self, members: &[(&Ast, Count)]) -> Count {
        let mut common = FREE;
        for (ast, count) in members {
            match common.and(*count) {
                Some(both) => common = both,
                None => {
                    let (noun, unit) = (count.with(common).noun(), count.with(common).unit());
                    let message = if common.may_be(0.0) && count.may_be(1.0) {
                        format!("expected a difference, found an absolute {noun}")
                    } else if common.may_be(1.0) && count.may_be(0.0) {
                        format!("expected an absolute {noun}, found a difference")
                    } else {
                        format!("absolute {noun}s do not add up to a {noun}")
                    };
                    let hint = format!("write what is a difference in {unit}, and declare it so");
                    self.errors.push(LangError::new(error::ABSOLUTE, &ast.span, message).hint(hint));
                    return FREE;
                }
            }
        }
        common
    }
}

/// The value of an expression of plain numbers.
fn constant(ast: &Ast) -> Option<f64> {
    match &ast.kind {
        AstKind::Number(number, None) => Some(*number),
        AstKind::Number(number, Some(unit)) => {
            (unit.dimension == Dimension::ONE).then(|| unit.to_si(*number))
        }
        AstKind::Name(name) => (name == "pi").then_some(std::f64::consts::PI),
        AstKind::Negate(a) => constant(a).map(|v| -v),
        AstKind::Power(a, b) => Some(constant(a)?.powf(constant(b)?)),
        AstKind::Chain(first, rest) => rest.iter().try_fold(constant(first)?, |total, (operator, a)| {
            let value = constant(a)?;
            match operator {
                ChainOperator::Add => Some(total + value),
                ChainOperator::Subtract => Some(total - value),
                ChainOperator::Multiply => Some(total * value),
                ChainOperator::Divide => Some(total / value),
                _ => None,
            }
        }),
        _ => None,
    }
}

//! What can be wrong with an expression. docs/reference/expressions.md explains every code.

use std::ops::Range;

use crate::units::{Dimension, UnitError};

pub(super) const CHARACTER: &str = "L01";
pub(super) const NUMBER: &str = "L02";
pub(super) const UNIT: &str = "L03";
pub(super) const SYNTAX: &str = "L04";
pub(super) const MISSING_OPERATOR: &str = "L05";
pub(super) const TOO_DEEP: &str = "L06";
pub(super) const EQUATION: &str = "L07";
pub(super) const CHAINED: &str = "L08";
pub(super) const NAME: &str = "L09";
pub(super) const FUNCTION: &str = "L10";
pub(super) const ARGUMENTS: &str = "L11";
pub(super) const DERIVATIVE: &str = "L12";
pub(crate) const DIMENSION: &str = "L13";
pub(super) const EXPONENT: &str = "L14";
pub(super) const CONDITION: &str = "L15";
pub(super) const NOT_FINITE: &str = "L16";
pub(super) const ABSOLUTE: &str = "L17";

/// More cannot be read; garbage has one per character.
pub(super) const MOST_ERRORS: usize = 50;

/// What is wrong with an expression; the span counts bytes of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct LangError {
    /// `L01` and on.
    pub code: &'static str,
    pub message: String,
    pub span: Range<usize>,
    /// Stands beside the caret; may be empty.
    pub label: String,
    pub hint: Option<String>,
}

impl LangError {
    pub(super) fn new(code: &'static str, span: &Range<usize>, message: impl Into<String>) -> LangError {
        LangError { code, message: message.into(), span: span.clone(), label: String::new(), hint: None }
    }

    pub(super) fn label(self, label: impl Into<String>) -> LangError {
        LangError { label: label.into(), ..self }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> LangError {
        LangError { hint: Some(hint.into()), ..self }
    }

    pub(super) fn maybe_hint(self, hint: Option<String>) -> LangError {
        LangError { hint, ..self }
    }

    /// A unit error found at `offset` of the expression.
    pub(super) fn in_unit(error: UnitError, offset: usize) -> LangError {
        let span = offset + error.span.start..offset + error.span.end;
        LangError::new(UNIT, &span, error.message).maybe_hint(error.hint)
    }

    pub(super) fn dimension(span: &Range<usize>, expected: Dimension, found: Dimension) -> LangError {
        let message = format!("expected {}, found {}", expected.quantity(), found.quantity());
        LangError::new(DIMENSION, span, message)
    }
}

//! Statements that hold others, up to their `end`.

use super::message::{RobotMessage, TextSpan};
use super::parse::{DEEPEST, ParseResult, ProgramParser};
use super::syntax::{FormulaKind, NamedAt, NumberFormula, ParameterKind, Statement, StatementKind};
use super::token::RobotToken;
use super::unit::PLAIN;

impl ProgramParser {
    /// The head of a block. Where it is wrong the block is read all the same, so that its `end` closes something.
    pub(crate) fn head<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> Option<T> {
        let ended = |parser: &mut Self, value: T| match parser.token() {
            RobotToken::NewLine | RobotToken::End => Ok(value),
            _ => Err(parser.unexpected("the end of the line")),
        };
        match read(self).and_then(|value| ended(self, value)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error);
                while !matches!(self.token(), RobotToken::NewLine | RobotToken::End) {
                    self.advance();
                }
                None
            }
        }
    }

    pub(crate) fn condition(&mut self) -> NumberFormula {
        let span = self.span();
        let nothing = FormulaKind::Number { value: 0.0, dimension: PLAIN, bare: true };
        self.head(Self::formula).unwrap_or(NumberFormula { kind: nothing, span })
    }

    /// The inside of a block, and the `end` that closes it.
    pub(crate) fn closed_block(&mut self, opened: TextSpan, word: &str) -> ParseResult<Vec<Statement>> {
        let body = self.inner_block(opened)?;
        self.close(opened, word)?;
        Ok(body)
    }

    pub(crate) fn inner_block(&mut self, opened: TextSpan) -> ParseResult<Vec<Statement>> {
        if self.depth >= DEEPEST {
            let message = format!("more than {DEEPEST} blocks within each other");
            return Err(RobotMessage::new("R12", opened, message, "this one is too deep")
                .hint("move a part into a procedure"));
        }
        self.depth += 1;
        let body = self.block();
        self.depth -= 1;
        Ok(body)
    }

    pub(crate) fn close(&mut self, opened: TextSpan, word: &str) -> ParseResult<()> {
        if self.eat_word("end") {
            return Ok(());
        }
        if self.is_word("else") {
            let error = RobotMessage::new(
                "R03",
                self.span(),
                format!("`else` within `{word}`"),
                "no `if` is open here",
            );
            return Err(error.hint(format!("close the `{word}` with `end` first")));
        }
        let error = RobotMessage::new("R03", opened, format!("this `{word}` is never closed"), "opened here");
        Err(error.hint("write `end` on a line of its own behind its last statement"))
    }

    pub(crate) fn branches(&mut self, opened: TextSpan) -> ParseResult<StatementKind> {
        let condition = self.condition();
        let mut branches = vec![(condition, self.inner_block(opened)?)];
        let mut otherwise = vec![];
        while self.is_word("else") {
            self.advance();
            if self.eat_word("if") {
                let condition = self.condition();
                branches.push((condition, self.inner_block(opened)?));
            } else {
                otherwise = self.inner_block(opened)?;
                break;
            }
        }
        self.close(opened, "if")?;
        Ok(StatementKind::If { branches, otherwise })
    }

    pub(crate) fn repeat(&mut self, opened: TextSpan) -> ParseResult<StatementKind> {
        let count = match self.token() {
            RobotToken::NewLine | RobotToken::End => None,
            _ => {
                let span = self.span();
                let count = self.head(|parser| {
                    let count = parser.formula()?;
                    parser.expect_word("times", "behind the number of rounds")?;
                    Ok(count)
                });
                let nothing = FormulaKind::Number { value: 0.0, dimension: PLAIN, bare: true };
                Some(count.unwrap_or(NumberFormula { kind: nothing, span }))
            }
        };
        Ok(StatementKind::Repeat(count, self.closed_block(opened, "repeat")?))
    }

    pub(crate) fn procedure(&mut self, opened: TextSpan) -> ParseResult<StatementKind> {
        let first = self.at - 1;
        let head = self.head(Self::procedure_head);
        if head.is_none() {
            self.broken.extend(self.declared_at(first));
        }
        let body = self.closed_block(opened, "procedure")?;
        let unnamed = || (NamedAt { name: String::new(), span: opened }, vec![]);
        let (name, parameters) = head.unwrap_or_else(unnamed);
        Ok(StatementKind::Procedure { name, parameters, body })
    }

    pub(crate) fn procedure_head(&mut self) -> ParseResult<(NamedAt, Vec<(NamedAt, ParameterKind)>)> {
        let name = self.name("the name of a procedure")?;
        self.expect("(", "and parameters, which may be none")?;
        let mut parameters = vec![];
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.expect(",", "between parameters")?;
            }
            let is_point = self.eat_word("point");
            let parameter = self.name("the name of a parameter")?;
            let kind = if is_point { ParameterKind::Point } else { ParameterKind::Number(self.in_unit()?) };
            parameters.push((parameter, kind));
        }
        Ok((name, parameters))
    }
}

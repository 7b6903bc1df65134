//! Tokens to tree, by operator precedence.

use std::ops::Range;

use super::ast::{Ast, AstKind, COMPARISON, ChainOperator, OR};
use super::error::{self, LangError};
use super::lex::{Spanned, Token, tokens};
use crate::units::shortened;

/// Nesting a person would still read; keeps recursion far from the end of the stack.
const DEEPEST: usize = 200;

type Parsed = Result<Ast, LangError>;

pub fn parse_expression(text: &str) -> Result<Ast, Vec<LangError>> {
    let mut parser = Parser::new(text)?;
    parser.expression().and_then(|ast| parser.end().map(|()| ast)).map_err(|e| vec![e])
}

/// Reads `left = right`.
pub fn parse_equation(text: &str) -> Result<(Ast, Ast), Vec<LangError>> {
    let mut parser = Parser::new(text)?;
    parser.equation().map_err(|e| vec![e])
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Spanned<'a>>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, Vec<LangError>> {
        Ok(Parser { text, tokens: tokens(text)?, at: 0, depth: 0 })
    }

    fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// Steps over the current token and gives its span; the end stays the end.
    fn advance(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, token: &Token, text: &str) -> Result<Range<usize>, LangError> {
        let unclosed = *token == Token::Close && *self.peek() == Token::End;
        let error = |e: LangError| if unclosed { e.hint("close the parenthesis with `)`") } else { e };
        if self.peek() == token { Ok(self.advance()) } else { Err(error(self.expected(text))) }
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end".into(),
            _ => format!("`{}`", shortened(&self.text[self.span()])),
        }
    }

    fn expected(&self, what: &str) -> LangError {
        if let Some(error) = self.missing_operator() {
            return error;
        }
        LangError::new(error::SYNTAX, &self.span(), format!("expected {what}, found {}", self.found()))
    }

    /// Two operands side by side, seen from the second one.
    fn missing_operator(&self) -> Option<LangError> {
        let ends_operand = |token: &Token| matches!(token, Token::Number(..) | Token::Name(_) | Token::Close);
        let after_operand = self.at > 0 && ends_operand(&self.tokens[self.at - 1].0);
        let starts_operand = matches!(self.peek(), Token::Number(..) | Token::Name(_) | Token::Open);
        (after_operand && starts_operand).then(|| {
            let message = format!("an operator is missing before {}", self.found());
            LangError::new(error::MISSING_OPERATOR, &self.span(), message).hint("to multiply, write `*`")
        })
    }

    fn end(&mut self) -> Result<(), LangError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Equals => Err(LangError::new(error::EQUATION, &self.span(), "an expression has no `=`")
                .hint("to compare, write `==`")),
            Token::Comma => {
                Err(self.expected("an operator or the end").hint("decimals are written with a point"))
            }
            _ => Err(self.expected("an operator or the end")),
        }
    }

    fn equation(&mut self) -> Result<(Ast, Ast), LangError> {
        let left = self.expression()?;
        if *self.peek() == Token::End {
            let error = LangError::new(error::EQUATION, &left.span, "an equation needs a `=`");
            let compares = matches!(&left.kind, AstKind::Chain(_, rest) if rest[0].0 == ChainOperator::Equal);
            let hint = if compares { "write `=` instead of `==`" } else { "write `left = right`" };
            return Err(error.hint(hint));
        }
        self.expect(&Token::Equals, "an operator or `=`")?;
        let right = self.expression()?;
        if *self.peek() == Token::Equals {
            return Err(LangError::new(error::EQUATION, &self.span(), "an equation has only one `=`"));
        }
        self.end()?;
        Ok((left, right))
    }

    fn expression(&mut self) -> Parsed {
        let first = self.prefix()?;
        self.operators(first, OR)
    }

    /// Operators of at least `rank` after `left`.
    fn operators(&mut self, mut left: Ast, rank: u8) -> Parsed {
        while let Token::Operator(operator) = *self.peek()
            && operator.rank() >= rank
        {
            let chain = operator.rank();
            let mut rest = Vec::new();
            while let Token::Operator(operator) = *self.peek()
                && operator.rank() == chain
            {
                if chain == COMPARISON && !rest.is_empty() {
                    return Err(LangError::new(
                        error::CHAINED,
                        &self.span(),
                        "comparisons cannot be chained",
                    )
                    .hint("write `a < b and b < c`"));
                }
                self.advance();
                let right = self.prefix()?;
                rest.push((operator, self.operators(right, chain + 1)?));
            }
            let end = rest.last().map_or(left.span.end, |(_, last)| last.span.end);
            left = Ast { span: left.span.start..end, kind: AstKind::Chain(Box::new(left), rest) };
        }
        Ok(left)
    }

    /// A power with signs or `not` before it. All recursion passes here.
    fn prefix(&mut self) -> Parsed {
        if self.depth == DEEPEST {
            let message = format!("nested more than {DEEPEST} levels deep");
            return Err(LangError::new(error::TOO_DEEP, &self.span(), message)
                .hint("split the expression into several with names"));
        }
        self.depth += 1;
        let start = self.span().start;
        let parsed = match *self.peek() {
            Token::Operator(ChainOperator::Add) => {
                self.advance();
                self.prefix()
            }
            // -5 °C is five degrees below zero, not the negative of 5 °C.
            Token::Operator(ChainOperator::Subtract) if self.shifted_number() => {
                self.advance();
                self.primary().map(|a| {
                    let kind = match a.kind {
                        AstKind::Number(number, unit) => AstKind::Number(-number, unit),
                        other => other,
                    };
                    Ast { span: start..a.span.end, kind }
                })
            }
            Token::Operator(ChainOperator::Subtract) => {
                self.advance();
                self.prefix().map(|a| Ast { span: start..a.span.end, kind: AstKind::Negate(Box::new(a)) })
            }
            Token::Keyword("not") => {
                self.advance();
                let operand = self.prefix().and_then(|a| self.operators(a, COMPARISON));
                operand.map(|a| Ast { span: start..a.span.end, kind: AstKind::Not(Box::new(a)) })
            }
            _ => self.primary().and_then(|base| self.power(base)),
        };
        self.depth -= 1;
        parsed
    }

    /// Whether a number in a unit with a shifted zero follows the current token, and is not the base of a power.
    fn shifted_number(&self) -> bool {
        let next = |ahead: usize| self.tokens.get(self.at + ahead).map(|(token, _)| token);
        matches!(next(1), Some(Token::Number(_, Some(unit))) if unit.offset != 0.0)
            && next(2) != Some(&Token::Caret)
    }

    /// `base`, or a power of it if `^` follows.
    fn power(&mut self, base: Ast) -> Parsed {
        if !self.take(&Token::Caret) {
            return Ok(base);
        }
        let exponent = self.prefix()?;
        let span = base.span.start..exponent.span.end;
        Ok(Ast { span, kind: AstKind::Power(Box::new(base), Box::new(exponent)) })
    }

    fn primary(&mut self) -> Parsed {
        let span = self.span();
        match self.peek().clone() {
            Token::Number(number, unit) => {
                self.advance();
                Ok(Ast { kind: AstKind::Number(number, unit), span })
            }
            Token::Name(name) => {
                self.advance();
                if *self.peek() != Token::Open {
                    return Ok(Ast { kind: AstKind::Name(name.into()), span });
                }
                self.advance();
                let (arguments, end) = self.arguments()?;
                Ok(Ast { span: span.start..end, kind: AstKind::Call(name.into(), span, arguments) })
            }
            Token::Open => {
                self.advance();
                let inner = self.expression()?;
                let end = self.expect(&Token::Close, "an operator or `)`")?.end;
                Ok(Ast { span: span.start..end, ..inner })
            }
            Token::Keyword("if") => self.choice(),
            _ => Err(self.expected("a number, a name or `(`")),
        }
    }

    /// What stands in the parentheses of a call, and where they end.
    fn arguments(&mut self) -> Result<(Vec<Ast>, usize), LangError> {
        let mut arguments = Vec::new();
        if *self.peek() == Token::Close {
            return Ok((arguments, self.advance().end));
        }
        loop {
            arguments.push(self.expression()?);
            if *self.peek() == Token::Close {
                return Ok((arguments, self.advance().end));
            }
            self.expect(&Token::Comma, "an operator, `,` or `)`")?;
        }
    }

    /// `if(c, a, b)` or `if c then a else b`. After `if (` only what follows the first expression tells them apart.
    fn choice(&mut self) -> Parsed {
        let start = self.advance().start;
        let open = self.span().start;
        let condition = if self.take(&Token::Open) {
            let first = self.expression()?;
            if self.take(&Token::Comma) {
                let a = self.expression()?;
                self.expect(&Token::Comma, "an operator or `,`").map_err(two_branches)?;
                let b = self.expression()?;
                let end = self.expect(&Token::Close, "an operator or `)`")?.end;
                let kind = AstKind::If(Box::new(first), Box::new(a), Box::new(b));
                return Ok(Ast { kind, span: start..end });
            }
            let end = self.expect(&Token::Close, "an operator, `,` or `)`")?.end;
            let base = self.power(Ast { span: open..end, ..first })?;
            self.operators(base, OR)?
        } else {
            self.expression()?
        };
        self.expect(&Token::Keyword("then"), "an operator or `then`")?;
        let a = self.expression()?;
        self.expect(&Token::Keyword("else"), "an operator or `else`").map_err(two_branches)?;
        let b = self.expression()?;
        let span = start..b.span.end;
        Ok(Ast { kind: AstKind::If(Box::new(condition), Box::new(a), Box::new(b)), span })
    }
}

fn two_branches(error: LangError) -> LangError {
    if error.code == error::SYNTAX { error.hint("an `if` needs a value for both cases") } else { error }
}

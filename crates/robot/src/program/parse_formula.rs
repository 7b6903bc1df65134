//! Expressions and places to go to.
//!
//! From loose to tight: `or`, `and`, `not`, comparisons, `+ −`, `* / mod`, sign.

use super::message::RobotMessage;
use super::parse::{DEEPEST, ParseResult, ProgramParser, is_reserved};
use super::syntax::{
    BinarySign, CallArgument, Destination, DestinationKind, FormulaKind, NamedAt, NumberFormula,
};
use super::token::RobotToken;

impl ProgramParser {
    pub(crate) fn formula(&mut self) -> ParseResult<NumberFormula> {
        if self.depth >= DEEPEST {
            let message = format!("more than {DEEPEST} brackets within each other");
            return Err(RobotMessage::new("R12", self.span(), message, "this one is too deep")
                .hint("use a variable for a part"));
        }
        self.depth += 1;
        let found = self.alternatives();
        self.depth -= 1;
        found
    }

    fn alternatives(&mut self) -> ParseResult<NumberFormula> {
        let mut left = self.conjunction()?;
        while self.eat_word("or") {
            let right = self.conjunction()?;
            left = self.joined(BinarySign::Or, left, right)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> ParseResult<NumberFormula> {
        let mut left = self.negation()?;
        while self.eat_word("and") {
            let right = self.negation()?;
            left = self.joined(BinarySign::And, left, right)?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> ParseResult<NumberFormula> {
        let start = self.span();
        let mut count = 0_usize;
        while self.eat_word("not") {
            count += 1;
        }
        let mut inner = self.comparison()?;
        // Two negations are none, but the result is 0 or 1.
        for _ in 0..count.min(2 - count % 2) {
            let span = start.to(inner.span);
            inner = NumberFormula { kind: FormulaKind::Not(Box::new(inner)), span };
        }
        Ok(inner)
    }

    fn comparison(&mut self) -> ParseResult<NumberFormula> {
        let left = self.sum()?;
        let signs = [
            ("<=", BinarySign::LessEqual),
            (">=", BinarySign::GreaterEqual),
            ("<", BinarySign::Less),
            (">", BinarySign::Greater),
            ("==", BinarySign::Equal),
            ("!=", BinarySign::Unequal),
            ("<>", BinarySign::Unequal),
        ];
        if let RobotToken::Sign("=") = self.token() {
            let error = RobotMessage::new(
                "R02",
                self.span(),
                "`=` gives a value, it does not compare",
                "expected `==`",
            );
            return Err(error.hint("two values are compared by `==`"));
        }
        match signs.into_iter().find(|(sign, _)| self.eat(sign)) {
            Some((_, sign)) => {
                let right = self.sum()?;
                self.joined(sign, left, right)
            }
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> ParseResult<NumberFormula> {
        let mut left = self.product()?;
        loop {
            let sign = if self.eat("+") {
                BinarySign::Add
            } else if self.eat("-") {
                BinarySign::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.joined(sign, left, right)?;
        }
    }

    fn product(&mut self) -> ParseResult<NumberFormula> {
        let mut left = self.signed()?;
        loop {
            let sign = if self.eat("*") {
                BinarySign::Multiply
            } else if self.eat("/") {
                BinarySign::Divide
            } else if self.eat_word("mod") {
                BinarySign::Modulo
            } else {
                return Ok(left);
            };
            let right = self.signed()?;
            left = self.joined(sign, left, right)?;
        }
    }

    fn signed(&mut self) -> ParseResult<NumberFormula> {
        let start = self.span();
        let mut negative = false;
        while self.eat("-") {
            negative = !negative;
        }
        let inner = self.primary()?;
        let span = start.to(inner.span);
        Ok(if negative {
            NumberFormula { kind: FormulaKind::Negative(Box::new(inner)), span }
        } else {
            inner
        })
    }

    fn primary(&mut self) -> ParseResult<NumberFormula> {
        let start = self.span();
        let kind = match self.token().clone() {
            RobotToken::Number { value, dimension, bare } => {
                self.advance();
                FormulaKind::Number { value, dimension, bare }
            }
            RobotToken::Sign("(") => {
                self.advance();
                let inner = self.formula()?;
                self.expect(")", "behind what stands in brackets")?;
                inner.kind
            }
            RobotToken::Word(name) if !is_reserved(&name) => {
                self.advance();
                let at = NamedAt { name: name.clone(), span: start };
                if self.eat("(") { FormulaKind::Call(at, self.listed(")")?) } else { FormulaKind::Name(name) }
            }
            RobotToken::Word(word) if word == "joints" || word == "pose" || word == "here" => {
                let message = format!("`{word}` is a place, not a number");
                return Err(RobotMessage::new("R08", start, message, "expected a number"));
            }
            _ => return Err(self.unexpected("a value")),
        };
        Ok(NumberFormula { kind, span: start.to(self.last_span()) })
    }

    /// Values up to a sign, which is read as well.
    fn listed(&mut self, close: &str) -> ParseResult<Vec<NumberFormula>> {
        let mut all = vec![];
        while !self.eat(close) {
            if !all.is_empty() {
                self.expect(",", "between values")?;
            }
            all.push(self.formula()?);
        }
        Ok(all)
    }

    /// `(x, y, z)` or `(x, y, z; roll, pitch, yaw)`.
    pub(crate) fn six(&mut self, what: &str) -> ParseResult<Vec<NumberFormula>> {
        let start = self.span();
        self.expect("(", &format!("behind `{what}`"))?;
        let mut all = vec![self.formula()?];
        while !self.eat(")") {
            let semicolon = all.len() == 3 && self.eat(";");
            if !semicolon {
                let between =
                    if all.len() == 3 { "`;` or `)` behind three values" } else { "`,` between values" };
                if all.len() == 3 || !self.eat(",") {
                    return Err(self.unexpected(between).hint("x, y, z; roll, pitch, yaw"));
                }
            }
            all.push(self.formula()?);
        }
        match all.len() {
            3 | 6 => Ok(all),
            n => {
                let message = format!("`{what}` has {n} values, not three or six");
                let error = RobotMessage::new(
                    "R09",
                    start.to(self.last_span()),
                    message,
                    "x, y, z; roll, pitch, yaw",
                );
                Err(error.hint("the angles may be left out together"))
            }
        }
    }

    /// Whether a place is certain to stand here; a name may be one.
    pub(crate) fn is_destination(&self) -> bool {
        ["joints", "pose", "here"].iter().any(|w| self.is_word(w))
    }

    pub(crate) fn destination(&mut self) -> ParseResult<Destination> {
        let start = self.span();
        let kind = if self.eat_word("here") {
            DestinationKind::Here
        } else if self.eat_word("joints") {
            self.expect("(", "behind `joints`")?;
            DestinationKind::Joints(self.listed(")")?)
        } else if self.eat_word("pose") {
            DestinationKind::Pose(self.six("pose")?)
        } else if matches!(self.token(), RobotToken::Word(_)) {
            DestinationKind::Name(self.name("a place")?.name)
        } else {
            return Err(self.unexpected("a point, `joints(…)`, `pose(…)` or `here`"));
        };
        let shifts = self.shifts()?;
        Ok(Destination { kind, span: start.to(self.last_span()), shifts })
    }

    fn shifts(&mut self) -> ParseResult<Vec<(bool, Vec<NumberFormula>)>> {
        let mut shifts = vec![];
        while self.eat_word("shifted") {
            let tool = self.eat_word("tool");
            let span = self.span();
            let values = self.six("shifted")?;
            if values.len() != 3 {
                let message = "a shift has three values";
                return Err(RobotMessage::new("R09", span.to(self.last_span()), message, "x, y, z"));
            }
            shifts.push((tool, values));
        }
        Ok(shifts)
    }

    /// What a procedure is called with; nothing may stand for `()`.
    pub(crate) fn arguments(&mut self) -> ParseResult<Vec<CallArgument>> {
        let mut all = vec![];
        if !self.eat("(") {
            return Ok(all);
        }
        while !self.eat(")") {
            if !all.is_empty() {
                self.expect(",", "between arguments")?;
            }
            all.push(match self.is_destination() {
                true => CallArgument::Destination(self.destination()?),
                false => self.number_or_name()?,
            });
        }
        Ok(all)
    }

    /// A value, or a name that may be a point, shifted or not.
    pub(crate) fn number_or_name(&mut self) -> ParseResult<CallArgument> {
        let formula = self.formula()?;
        let FormulaKind::Name(name) = &formula.kind else { return Ok(CallArgument::NumberFormula(formula)) };
        let name = NamedAt { name: name.clone(), span: formula.span };
        let shifts = self.shifts()?;
        if shifts.is_empty() {
            return Ok(CallArgument::Name(name));
        }
        let span = name.span.to(self.last_span());
        Ok(CallArgument::Destination(Destination { kind: DestinationKind::Name(name.name), span, shifts }))
    }

    /// Two values joined. Formulas of any length would be trees of any depth.
    fn joined(
        &mut self,
        sign: BinarySign,
        left: NumberFormula,
        right: NumberFormula,
    ) -> ParseResult<NumberFormula> {
        self.terms += 1;
        let span = left.span.to(right.span);
        if self.terms > MOST_TERMS {
            let message = format!("more than {MOST_TERMS} terms in a statement");
            return Err(RobotMessage::new("R12", span, message, "too long").hint("use variables for parts"));
        }
        Ok(NumberFormula { kind: FormulaKind::Binary(sign, Box::new(left), Box::new(right)), span })
    }
}

/// Terms in one statement.
const MOST_TERMS: usize = 500;

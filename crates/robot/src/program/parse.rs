//! From tokens to statements. The grammar is in docs/reference/robot-language.md.
//!
//! A statement ends with its line. After an error the rest of the line is left out and reading goes on, so that several errors are told at
//! once.

use super::message::{RobotMessage, TextSpan, nearest};
use super::syntax::{
    CallArgument, Destination, MoveOptions, MoveShape, NamedAt, SettingName, Statement, StatementKind,
};
use super::token::{PlacedToken, RobotToken};
use super::unit::{MotionDimension, PLAIN, known};
use crate::time_law::LawKind;

/// Blocks and brackets within each other.
pub(crate) const DEEPEST: usize = 64;

/// Words that begin a statement; none of them can be a name.
const BEGINNINGS: [&str; 23] = [
    "input",
    "output",
    "tool",
    "work",
    "point",
    "var",
    "procedure",
    "set",
    "speed",
    "acceleration",
    "jerk",
    "profile",
    "use",
    "move",
    "wait",
    "if",
    "repeat",
    "while",
    "call",
    "break",
    "return",
    "stop",
    "end",
];

/// Other words that cannot be names.
const RESERVED: [&str; 19] = [
    "else", "in", "to", "via", "until", "timeout", "blend", "time", "shifted", "and", "or", "not", "mod",
    "joints", "pose", "frame", "here", "times", "none",
];

pub(crate) type ParseResult<T> = Result<T, RobotMessage>;

pub(crate) struct ProgramParser {
    tokens: Vec<PlacedToken>,
    pub(crate) at: usize,
    pub(crate) depth: usize,
    /// Of the statement that is read.
    pub(crate) terms: usize,
    pub(crate) errors: Vec<RobotMessage>,
    pub(crate) broken: Vec<String>,
}

/// A program as far as its form is right.
pub(crate) struct ParsedProgram {
    pub statements: Vec<Statement>,
    pub errors: Vec<RobotMessage>,
    /// Names whose declarations could not be read: that they are not known is no news.
    pub broken: Vec<String>,
}

pub(crate) fn parsed(tokens: Vec<PlacedToken>) -> ParsedProgram {
    let mut parser = ProgramParser {
        tokens: outside_brackets(tokens),
        at: 0,
        depth: 0,
        terms: 0,
        errors: vec![],
        broken: vec![],
    };
    let mut all = vec![];
    while *parser.token() != RobotToken::End {
        let start = parser.span();
        all.extend(parser.block());
        // A block at top level ends at the end, or at an `else` or `end` that closes nothing.
        if let RobotToken::Word(word) = parser.token().clone() {
            let error = RobotMessage::new(
                "R03",
                parser.span(),
                format!("`{word}` closes nothing"),
                "no block is open here",
            );
            parser.errors.push(error.hint("blocks are opened by `if`, `repeat`, `while` and `procedure`"));
            parser.skip_line();
        } else if *parser.token() != RobotToken::End && parser.span() == start {
            parser.skip_line();
        }
    }
    ParsedProgram { statements: all, errors: parser.errors, broken: parser.broken }
}

/// New lines within round brackets do not count.
fn outside_brackets(tokens: Vec<PlacedToken>) -> Vec<PlacedToken> {
    let mut kept: Vec<PlacedToken> = vec![];
    let (mut depth, mut index) = (0_usize, 0);
    while index < tokens.len() {
        let token = &tokens[index];
        match token.token {
            RobotToken::Sign("(") => depth += 1,
            RobotToken::Sign(")") => depth = depth.saturating_sub(1),
            // A bracket that is never closed must not swallow the program: a line that begins a statement ends it.
            RobotToken::NewLine if depth > 0 => {
                let run = tokens[index..].iter().take_while(|t| t.token == RobotToken::NewLine).count();
                let begins = tokens.get(index + run).is_some_and(|t| match &t.token {
                    RobotToken::Word(word) => BEGINNINGS.contains(&word.as_str()),
                    other => *other == RobotToken::End,
                });
                if !begins {
                    index += run;
                    continue;
                }
                depth = 0;
            }
            _ => {}
        }
        kept.push(token.clone());
        index += 1;
    }
    kept
}

impl ProgramParser {
    pub(crate) fn token(&self) -> &RobotToken {
        &self.tokens[self.at.min(self.tokens.len() - 1)].token
    }

    pub(crate) fn span(&self) -> TextSpan {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    pub(crate) fn last_span(&self) -> TextSpan {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), RobotToken::Word(w) if w == word)
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.token(), RobotToken::Sign(s) if *s == sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str, after: &str) -> ParseResult<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}` {after}"))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str, after: &str) -> ParseResult<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}` {after}"))) }
    }

    /// What stands here, and what should.
    pub(crate) fn unexpected(&self, wanted: &str) -> RobotMessage {
        let found = match self.token() {
            RobotToken::Word(word) => format!("`{word}`"),
            RobotToken::Number { .. } => "a number".to_string(),
            RobotToken::Sign(sign) => format!("`{sign}`"),
            RobotToken::NewLine | RobotToken::End => "the end of the line".to_string(),
        };
        RobotMessage::new(
            "R02",
            self.span(),
            format!("expected {wanted}, found {found}"),
            format!("expected {wanted}"),
        )
    }

    /// One of these words should stand here.
    fn choice(&self, words: &[&str]) -> RobotMessage {
        let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
        let (last, first) =
            quoted.split_last().map_or((String::new(), vec![]), |(l, f)| (l.clone(), f.to_vec()));
        let error = self.unexpected(&format!("{} or {last}", first.join(", ")));
        let RobotToken::Word(word) = self.token() else { return error };
        error.hint_if(nearest(word, words.iter().copied()))
    }

    pub(crate) fn name(&mut self, what: &str) -> ParseResult<NamedAt> {
        let span = self.span();
        match self.token().clone() {
            RobotToken::Word(name) if !is_reserved(&name) => {
                self.advance();
                Ok(NamedAt { name, span })
            }
            RobotToken::Word(word) => Err(RobotMessage::new(
                "R02",
                span,
                format!("`{word}` is a word of the language and cannot be {what}"),
                "take another name",
            )),
            _ => Err(self.unexpected(what)),
        }
    }

    fn skip_line(&mut self) {
        while !matches!(self.token(), RobotToken::NewLine | RobotToken::End) {
            self.advance();
        }
        self.advance();
    }

    /// Statements up to `end`, `else` or the end of the text, which stay.
    pub(crate) fn block(&mut self) -> Vec<Statement> {
        let mut all = vec![];
        loop {
            match self.token() {
                RobotToken::NewLine => self.advance(),
                RobotToken::End => return all,
                RobotToken::Word(word) if word == "end" || word == "else" => return all,
                _ => {
                    let (start, first) = (self.span(), self.at);
                    match self.statement().and_then(|kind| self.ended(kind)) {
                        Ok(kind) => all.push(Statement { kind, span: start.to(self.last_span()) }),
                        Err(error) => {
                            self.errors.push(error);
                            self.broken.extend(self.declared_at(first));
                            self.skip_line();
                        }
                    }
                }
            }
        }
    }

    /// The name that the statement at this token would declare.
    pub(crate) fn declared_at(&self, first: usize) -> Option<String> {
        let declares = ["input", "output", "tool", "work", "point", "var", "procedure"];
        match (&self.tokens[first].token, self.tokens.get(first + 1).map(|t| &t.token)) {
            (RobotToken::Word(word), Some(RobotToken::Word(name))) if declares.contains(&word.as_str()) => {
                Some(name.clone())
            }
            _ => None,
        }
    }

    fn ended(&mut self, kind: StatementKind) -> ParseResult<StatementKind> {
        match self.token() {
            RobotToken::NewLine | RobotToken::End => Ok(kind),
            _ => {
                let error = self.unexpected("the end of the line");
                Err(error.hint("one statement stands on one line"))
            }
        }
    }

    fn statement(&mut self) -> ParseResult<StatementKind> {
        self.terms = 0;
        let opened = self.span();
        let RobotToken::Word(word) = self.token().clone() else { return Err(self.unexpected("a statement")) };
        if !BEGINNINGS.contains(&word.as_str()) {
            return self.assignment(&word);
        }
        self.advance();
        match word.as_str() {
            "input" => {
                let name = self.name("the name of an input")?;
                Ok(StatementKind::Input(name, self.in_unit()?))
            }
            "output" => {
                let name = self.name("the name of an output")?;
                let dimension = self.in_unit()?;
                let value = if self.eat("=") { Some(self.formula()?) } else { None };
                Ok(StatementKind::Output(name, dimension, value))
            }
            "tool" | "work" => self.frame(word == "tool"),
            "point" => {
                let name = self.name("the name of a point")?;
                self.expect("=", "and a place")?;
                Ok(StatementKind::Point(name, self.destination()?))
            }
            "var" => {
                let name = self.name("the name of a variable")?;
                self.expect("=", "and a value")?;
                Ok(StatementKind::Variable(name, self.formula()?))
            }
            "procedure" => self.procedure(opened),
            "set" => {
                let name = self.name("the name of an output")?;
                self.expect("=", "and a value")?;
                Ok(StatementKind::Set(name, self.formula()?))
            }
            "speed" => Ok(StatementKind::Setting(SettingName::Speed, self.formula()?)),
            "acceleration" => Ok(StatementKind::Setting(SettingName::Acceleration, self.formula()?)),
            "jerk" => Ok(StatementKind::Setting(SettingName::Jerk, self.formula()?)),
            "profile" => self.profile(),
            "use" => self.use_frame(),
            "move" => self.motion(),
            "wait" => self.wait(),
            "if" => self.branches(opened),
            "repeat" => self.repeat(opened),
            "while" => {
                let condition = self.condition();
                Ok(StatementKind::While(condition, self.closed_block(opened, "while")?))
            }
            "call" => {
                let name = self.name("the name of a procedure")?;
                Ok(StatementKind::Call(name, self.arguments()?))
            }
            "break" => Ok(StatementKind::Break),
            "return" => Ok(StatementKind::Return),
            _ => Ok(StatementKind::Stop),
        }
    }

    fn assignment(&mut self, word: &str) -> ParseResult<StatementKind> {
        let next = self.tokens.get(self.at + 1).map(|t| &t.token);
        if next != Some(&RobotToken::Sign("=")) {
            let hint = match next {
                Some(RobotToken::Sign("(")) => Some(format!("procedures are called by `call {word}(…)`")),
                _ => nearest(word, BEGINNINGS),
            };
            let message = format!("`{word}` does not begin a statement");
            let error = RobotMessage::new("R02", self.span(), message, "expected a statement");
            return Err(error.hint("variables change by `name = value`").hint_if(hint));
        }
        let name = self.name("the name of a variable")?;
        self.advance();
        let value = match self.is_destination() {
            true => CallArgument::Destination(self.destination()?),
            false => self.number_or_name()?,
        };
        Ok(StatementKind::Assign(name, value))
    }

    fn frame(&mut self, tool: bool) -> ParseResult<StatementKind> {
        let name = self.name("the name of a frame")?;
        self.expect("=", "and `frame(…)`")?;
        self.expect_word("frame", "with its numbers")?;
        let values = self.six("frame")?;
        Ok(StatementKind::Frame { tool, name, values })
    }

    fn profile(&mut self) -> ParseResult<StatementKind> {
        let kinds =
            [("trapezoid", LawKind::Trapezoid), ("scurve", LawKind::SCurve), ("quintic", LawKind::Quintic)];
        match kinds.into_iter().find(|(word, _)| self.eat_word(word)) {
            Some((_, kind)) => Ok(StatementKind::Profile(kind)),
            None => Err(self.choice(&["trapezoid", "scurve", "quintic"])),
        }
    }

    fn use_frame(&mut self) -> ParseResult<StatementKind> {
        let tool = self.is_word("tool");
        if !tool && !self.is_word("work") {
            return Err(self.choice(&["tool", "work"]));
        }
        self.advance();
        let name =
            if self.eat_word("none") { None } else { Some(self.name("the name of a frame, or `none`")?) };
        Ok(StatementKind::Use { tool, name })
    }

    fn motion(&mut self) -> ParseResult<StatementKind> {
        let (shape, to): (MoveShape, Destination) = if self.eat_word("joint") {
            (MoveShape::Joint, self.destination()?)
        } else if self.eat_word("linear") {
            (MoveShape::Linear, self.destination()?)
        } else if self.eat_word("circular") {
            self.expect_word("via", "and a point on the circle")?;
            let via = self.destination()?;
            self.expect_word("to", "and the end of the arc")?;
            (MoveShape::Circular { via: Box::new(via) }, self.destination()?)
        } else {
            return Err(self.choice(&["joint", "linear", "circular"]));
        };
        let mut options = MoveOptions::default();
        for _ in 0..3 {
            let word = match self.token() {
                RobotToken::Word(word) => word.clone(),
                _ => break,
            };
            let taken = match word.as_str() {
                "blend" => options.blend.is_some(),
                "speed" => options.speed.is_some(),
                "time" => options.time.is_some(),
                _ => break,
            };
            if taken {
                return Err(self.unexpected("each option once"));
            }
            self.advance();
            let value = Some(self.formula()?);
            match word.as_str() {
                "blend" => options.blend = value,
                "speed" => options.speed = value,
                _ => options.time = value,
            }
        }
        Ok(StatementKind::Move { shape, to, options: Box::new(options) })
    }

    fn wait(&mut self) -> ParseResult<StatementKind> {
        if !self.eat_word("until") {
            return Ok(StatementKind::Wait(self.formula()?));
        }
        let condition = self.formula()?;
        let timeout = if self.eat_word("timeout") { Some(self.formula()?) } else { None };
        Ok(StatementKind::WaitUntil(condition, timeout))
    }

    /// `in mm`, `in mm/s`, or nothing for a plain number.
    pub(crate) fn in_unit(&mut self) -> ParseResult<MotionDimension> {
        if !self.eat_word("in") {
            return Ok(PLAIN);
        }
        let mut dimension = PLAIN;
        let mut power = 1;
        loop {
            let span = self.span();
            let RobotToken::Word(word) = self.token().clone() else { return Err(self.unexpected("a unit")) };
            let Some((_, of)) = known(&word) else {
                let error =
                    RobotMessage::new("R07", span, format!("`{word}` is not a unit"), "expected a unit");
                return Err(error.hint("known are m, cm, mm, um, rad, mrad, deg, rev, s, ms, min and rpm"));
            };
            self.advance();
            dimension = dimension.times(of, power).unwrap_or(dimension);
            if !self.eat("/") {
                return Ok(dimension);
            }
            power = -1;
        }
    }
}

pub(crate) fn is_reserved(word: &str) -> bool {
    BEGINNINGS.contains(&word) || RESERVED.contains(&word)
}

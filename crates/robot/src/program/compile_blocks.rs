//! Branches, loops and calls: jumps, and what is handed over.

use trunnion_num::text;

use super::code::{Instruction, NumberCode, PlaceCode};
use super::compile::{Checked, ProgramCompiler, SymbolKind, as_formula};
use super::message::{RobotMessage, TextSpan};
use super::pause::is_endless;
use super::syntax::{
    BinarySign, CallArgument, Destination, DestinationKind, FormulaKind, NamedAt, NumberFormula,
    ParameterKind, Statement,
};
use super::unit::PLAIN;

impl<'a> ProgramCompiler<'a> {
    /// A condition; where it is wrong, the statements inside are examined all the same.
    fn condition(&mut self, formula: &NumberFormula) -> NumberCode {
        self.number(formula, PLAIN).unwrap_or_else(|error| {
            self.errors.push(error);
            NumberCode::Constant(0.0)
        })
    }

    pub(crate) fn branches(
        &mut self,
        branches: &'a [(NumberFormula, Vec<Statement>)],
        otherwise: &'a [Statement],
    ) {
        let mut ends = vec![];
        for (condition, body) in branches {
            let code = self.condition(condition);
            let skip = self.emit(Instruction::JumpUnless(code, 0), condition.span);
            self.block(body);
            ends.push(self.emit(Instruction::Jump(0), condition.span));
            let next = self.here();
            self.fill(skip, next);
        }
        self.block(otherwise);
        let end = self.here();
        ends.into_iter().for_each(|at| self.fill(at, end));
    }

    fn endless(&self, body: &[Statement], span: TextSpan) -> Checked<()> {
        if !is_endless(body, &self.bodies) {
            return Ok(());
        }
        let error = RobotMessage::new(
            "R10",
            span,
            "this loop never ends and never waits",
            "would run forever at one instant",
        );
        Err(error.hint("put a `wait`, a `move`, or a `break` under a condition into it"))
    }

    pub(crate) fn repeat(
        &mut self,
        count: Option<&'a NumberFormula>,
        body: &'a [Statement],
        span: TextSpan,
    ) -> Checked<()> {
        let head =
            TextSpan { start: span.start, end: count.map_or(span.start + "repeat".len(), |c| c.span.end) };
        let Some(count) = count else {
            self.endless(body, head)?;
            let start = self.here();
            self.round(body, start, None, head);
            return Ok(());
        };
        let rounds = self.condition(count);
        let slot = self.new_number();
        let left = || Box::new(NumberCode::Variable(slot));
        self.emit(Instruction::SetNumber(slot, rounds), head);
        let start = self.here();
        let half = || Box::new(NumberCode::Constant(0.5));
        let more = NumberCode::Binary(BinarySign::Greater, left(), half());
        let leave = self.emit(Instruction::JumpUnless(more, 0), head);
        let fewer = NumberCode::Binary(BinarySign::Subtract, left(), Box::new(NumberCode::Constant(1.0)));
        self.emit(Instruction::SetNumber(slot, fewer), head);
        self.round(body, start, Some(leave), head);
        Ok(())
    }

    pub(crate) fn while_loop(
        &mut self,
        condition: &'a NumberFormula,
        body: &'a [Statement],
        span: TextSpan,
    ) -> Checked<()> {
        let head = TextSpan { start: span.start, end: condition.span.end };
        if matches!(condition.kind, FormulaKind::Number { value, .. } if value > 0.5) {
            self.endless(body, head)?;
        }
        let code = self.condition(condition);
        let start = self.here();
        let leave = self.emit(Instruction::JumpUnless(code, 0), head);
        self.round(body, start, Some(leave), head);
        Ok(())
    }

    /// The inside of a loop, the jump back, and where `break` leads.
    fn round(&mut self, body: &'a [Statement], start: usize, leave: Option<usize>, span: TextSpan) {
        self.breaks.push(vec![]);
        self.block(body);
        self.emit(Instruction::Jump(start), span);
        let end = self.here();
        let breaks = self.breaks.pop().unwrap_or_default();
        breaks.into_iter().chain(leave).for_each(|at| self.fill(at, end));
    }

    pub(crate) fn leave(&mut self, span: TextSpan) -> Checked<()> {
        if self.breaks.is_empty() {
            let error = RobotMessage::new("R11", span, "`break` outside of a loop", "nothing to leave");
            return Err(error.hint("`repeat` and `while` are loops"));
        }
        let at = self.emit(Instruction::Jump(0), span);
        if let Some(breaks) = self.breaks.last_mut() {
            breaks.push(at);
        }
        Ok(())
    }

    pub(crate) fn place_of(&self, value: &CallArgument) -> Checked<PlaceCode> {
        match value {
            CallArgument::Destination(place) => self.place(place),
            CallArgument::Name(name) => {
                let kind = DestinationKind::Name(name.name.clone());
                self.place(&Destination { kind, span: name.span, shifts: vec![] })
            }
            CallArgument::NumberFormula(formula) => {
                let error = RobotMessage::new(
                    "R08",
                    formula.span,
                    "this is a number, not a point",
                    "expected a place",
                );
                Err(error.hint("a place is a point, `joints(…)`, `pose(…)` or `here`"))
            }
        }
    }

    pub(crate) fn call(&mut self, name: &NamedAt, arguments: &[CallArgument], span: TextSpan) -> Checked<()> {
        let symbol = self.symbol(&name.name, name.span)?;
        let SymbolKind::Procedure(procedure) = symbol.kind else {
            let message = format!("`{}` is {}, not a procedure", name.name, symbol.kind.named());
            return Err(RobotMessage::new("R08", name.span, message, "cannot be called"));
        };
        let wanted = self.parameters[procedure].clone();
        if wanted.len() != arguments.len() {
            let message = format!(
                "`{}` takes {}, not {}",
                name.name,
                text::count(wanted.len(), "argument"),
                arguments.len()
            );
            return Err(RobotMessage::new("R09", span, message, "wrong number of arguments"));
        }
        let (mut numbers, mut points) = (vec![], vec![]);
        for (kind, argument) in wanted.iter().zip(arguments) {
            match (kind, argument) {
                (ParameterKind::Point, _) => points.push((points.len(), self.place_of(argument)?)),
                (ParameterKind::Number(dimension), CallArgument::NumberFormula(formula)) => {
                    numbers.push((numbers.len(), self.number(formula, *dimension)?));
                }
                (ParameterKind::Number(dimension), CallArgument::Name(name)) => {
                    numbers.push((numbers.len(), self.number(&as_formula(name), *dimension)?));
                }
                (ParameterKind::Number(_), CallArgument::Destination(place)) => {
                    return Err(RobotMessage::new(
                        "R08",
                        place.span,
                        "this is a place, not a number",
                        "expected a number",
                    ));
                }
            }
        }
        self.emit(Instruction::Call { procedure, numbers, points }, span);
        Ok(())
    }
}

//! From statements to instructions: names, dimensions, jumps. All that is wrong is told at once.

use std::collections::BTreeMap;

use super::code::{CodeLine, Instruction, LimitTarget, MoveCode, NumberCode, ProcedureCode, ValueSlot};
use super::compile_formula::wrong;
use super::message::{RobotMessage, TextSpan, nearest};
use super::syntax::{
    CallArgument, Destination, FormulaKind, MoveOptions, MoveShape, NamedAt, NumberFormula, ParameterKind,
    SettingName, Statement, StatementKind,
};
use super::unit::{ANGLE, LENGTH, MotionDimension, PLAIN, TIME};
use crate::arm::Arm;

pub(super) type Checked<T> = Result<T, RobotMessage>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SymbolKind {
    Input(usize, MotionDimension),
    Output(usize, MotionDimension),
    Tool(usize),
    Work(usize),
    Point(ValueSlot),
    Number(ValueSlot, MotionDimension),
    Procedure(usize),
}

impl SymbolKind {
    pub(crate) fn named(&self) -> &'static str {
        match self {
            SymbolKind::Input(..) => "an input",
            SymbolKind::Output(..) => "an output",
            SymbolKind::Tool(_) => "a tool",
            SymbolKind::Work(_) => "a work frame",
            SymbolKind::Point(_) => "a point",
            SymbolKind::Number(..) => "a variable",
            SymbolKind::Procedure(_) => "a procedure",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SymbolEntry {
    pub kind: SymbolKind,
    span: TextSpan,
}

/// What a program needs besides its instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CompiledProgram {
    pub lines: Vec<CodeLine>,
    pub procedures: Vec<ProcedureCode>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub frames: usize,
    pub numbers: usize,
    pub points: usize,
}

/// Names and counts of a procedure while it is compiled.
#[derive(Default)]
struct LocalScope {
    names: BTreeMap<String, SymbolEntry>,
    numbers: usize,
    points: usize,
}

pub(crate) struct ProgramCompiler<'a> {
    pub(crate) arm: &'a Arm,
    program: CompiledProgram,
    names: BTreeMap<String, SymbolEntry>,
    pub(crate) parameters: Vec<Vec<ParameterKind>>,
    pub(crate) bodies: BTreeMap<String, &'a [Statement]>,
    local: Option<LocalScope>,
    /// Jumps out of the loops around, to be filled in.
    pub(crate) breaks: Vec<Vec<usize>>,
    pub(crate) errors: Vec<RobotMessage>,
}

/// Instructions of one program.
const MOST_LINES: usize = 100_000;

pub(crate) fn compiled(statements: &[Statement], arm: &Arm) -> (CompiledProgram, Vec<RobotMessage>) {
    let mut compiler = ProgramCompiler {
        arm,
        program: CompiledProgram::default(),
        names: BTreeMap::new(),
        parameters: vec![],
        bodies: BTreeMap::new(),
        local: None,
        breaks: vec![],
        errors: vec![],
    };
    compiler.declare_procedures(statements);
    compiler.block(statements);
    let end = TextSpan { start: usize::MAX, end: usize::MAX };
    compiler.emit(Instruction::Stop, statements.last().map_or(end, |s| s.span));
    compiler.procedure_bodies(statements);
    (compiler.program, compiler.errors)
}

impl<'a> ProgramCompiler<'a> {
    pub(crate) fn emit(&mut self, instruction: Instruction, span: TextSpan) -> usize {
        let after_motion = instruction.after_motion();
        if self.program.lines.len() == MOST_LINES {
            let message = format!("the program has more than {MOST_LINES} instructions");
            self.errors.push(RobotMessage::new("R12", span, message, "too long"));
        }
        self.program.lines.push(CodeLine { instruction, span, after_motion });
        self.program.lines.len() - 1
    }

    pub(crate) fn here(&self) -> usize {
        self.program.lines.len()
    }

    pub(crate) fn fill(&mut self, at: usize, target: usize) {
        match &mut self.program.lines[at].instruction {
            Instruction::Jump(to) | Instruction::JumpUnless(_, to) => *to = target,
            _ => {}
        }
    }

    pub(crate) fn symbol(&self, name: &str, span: TextSpan) -> Checked<SymbolEntry> {
        let local = self.local.as_ref().and_then(|l| l.names.get(name));
        if let Some(entry) = local.or_else(|| self.names.get(name)) {
            return Ok(entry.clone());
        }
        let own = self.local.iter().flat_map(|l| l.names.keys());
        let hint = nearest(name, own.chain(self.names.keys()).map(String::as_str));
        let error = RobotMessage::new(
            "R04",
            span,
            super::unknown(name),
            "no point, variable or signal has this name",
        );
        Err(error.hint("declare it above, with `point`, `var`, `input` or `output`").hint_if(hint))
    }

    fn declare(&mut self, name: &NamedAt, kind: SymbolKind) -> Checked<()> {
        let entry = SymbolEntry { kind, span: name.span };
        let names = self.local.as_mut().map_or(&mut self.names, |l| &mut l.names);
        if let Some(first) = names.get(&name.name) {
            let message = format!("`{}` is {} already", name.name, first.kind.named());
            let error = RobotMessage::new("R05", name.span, message, "the same name twice");
            return Err(error.hint("variables and points change by `name = …`, without `var` or `point`"));
        }
        names.insert(name.name.clone(), entry);
        Ok(())
    }

    pub(crate) fn new_number(&mut self) -> ValueSlot {
        let (count, local) = match &mut self.local {
            Some(local) => (&mut local.numbers, true),
            None => (&mut self.program.numbers, false),
        };
        *count += 1;
        if local { ValueSlot::Local(*count - 1) } else { ValueSlot::Global(*count - 1) }
    }

    fn new_point(&mut self) -> ValueSlot {
        let (count, local) = match &mut self.local {
            Some(local) => (&mut local.points, true),
            None => (&mut self.program.points, false),
        };
        *count += 1;
        if local { ValueSlot::Local(*count - 1) } else { ValueSlot::Global(*count - 1) }
    }

    fn declare_procedures(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            if let StatementKind::Procedure { name, parameters, body } = &statement.kind {
                let index = self.parameters.len();
                match self.declare(name, SymbolKind::Procedure(index)) {
                    Ok(()) => {
                        self.parameters.push(parameters.iter().map(|(_, kind)| kind.clone()).collect());
                        self.program.procedures.push(ProcedureCode::default());
                        self.bodies.insert(name.name.clone(), body);
                    }
                    Err(error) => self.errors.push(error),
                }
            }
        }
    }

    fn procedure_bodies(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            let StatementKind::Procedure { name, parameters, body } = &statement.kind else { continue };
            let Some(SymbolEntry { kind: SymbolKind::Procedure(index), span }) =
                self.names.get(&name.name).cloned()
            else {
                continue;
            };
            // The second of two with one name has been told.
            if span != name.span {
                continue;
            }
            self.local = Some(LocalScope::default());
            for (parameter, kind) in parameters {
                let kind = match kind {
                    ParameterKind::Number(dimension) => SymbolKind::Number(self.new_number(), *dimension),
                    ParameterKind::Point => SymbolKind::Point(self.new_point()),
                };
                if let Err(error) = self.declare(parameter, kind) {
                    self.errors.push(error);
                }
            }
            let start = self.here();
            self.block(body);
            self.emit(Instruction::Return, name.span);
            let scope = self.local.take().unwrap_or_default();
            self.program.procedures[index] =
                ProcedureCode { start, numbers: scope.numbers, points: scope.points };
        }
    }

    pub(crate) fn block(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            if let Err(error) = self.statement(statement) {
                self.errors.push(error);
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement) -> Checked<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Procedure { .. }
            | StatementKind::Input(..)
            | StatementKind::Output(..)
            | StatementKind::Frame { .. }
                if self.local.is_some() || !self.breaks.is_empty() =>
            {
                let message = "this belongs outside of loops and procedures";
                let error = RobotMessage::new("R11", span, message, "declared here");
                Err(error
                    .hint("inputs, outputs, frames and procedures are declared once, at the left margin"))
            }
            StatementKind::Procedure { .. } => Ok(()),
            StatementKind::Input(name, dimension) => {
                self.declare(name, SymbolKind::Input(self.program.inputs.len(), *dimension))?;
                self.program.inputs.push(name.name.clone());
                Ok(())
            }
            StatementKind::Output(name, dimension, value) => {
                self.output(name, *dimension, value.as_ref(), span)
            }
            StatementKind::Frame { tool, name, values } => {
                let values = self.six_numbers(values);
                let index = self.program.frames;
                self.program.frames += 1;
                self.declare(name, if *tool { SymbolKind::Tool(index) } else { SymbolKind::Work(index) })?;
                self.emit(Instruction::DefineFrame(index, values?), span);
                Ok(())
            }
            StatementKind::Point(name, to) => {
                let place = self.place(to);
                let slot = self.new_point();
                self.declare(name, SymbolKind::Point(slot))?;
                self.emit(Instruction::SetPoint(slot, place?), span);
                Ok(())
            }
            StatementKind::Variable(name, value) => {
                let typed = self.typed(value);
                let slot = self.new_number();
                let dimension = typed.as_ref().map_or(PLAIN, |t| t.dimension);
                self.declare(name, SymbolKind::Number(slot, dimension))?;
                self.emit(Instruction::SetNumber(slot, typed?.code), span);
                Ok(())
            }
            _ => self.action(statement),
        }
    }

    fn output(
        &mut self,
        name: &NamedAt,
        dimension: MotionDimension,
        value: Option<&NumberFormula>,
        span: TextSpan,
    ) -> Checked<()> {
        let index = self.program.outputs.len();
        self.declare(name, SymbolKind::Output(index, dimension))?;
        self.program.outputs.push(name.name.clone());
        if let Some(value) = value {
            let value = self.number(value, dimension)?;
            self.emit(Instruction::SetOutput(index, value), span);
        }
        Ok(())
    }

    fn action(&mut self, statement: &'a Statement) -> Checked<()> {
        let span = statement.span;
        let instruction = match &statement.kind {
            StatementKind::Assign(name, value) => return self.assign(name, value, span),
            StatementKind::Set(name, value) => return self.set(name, value, span),
            StatementKind::Setting(setting, value) => {
                let (room, value) = self.limit(*setting, value)?;
                Instruction::Limit(*setting, room, value)
            }
            StatementKind::Profile(kind) => Instruction::Profile(*kind),
            StatementKind::Use { tool, name } => return self.use_frame(*tool, name.as_ref(), span),
            StatementKind::Move { shape, to, options } => return self.motion(shape, to, options, span),
            StatementKind::Wait(value) => Instruction::Wait(self.number(value, TIME)?),
            StatementKind::WaitUntil(condition, timeout) => {
                let condition = self.number(condition, PLAIN)?;
                Instruction::WaitUntil(condition, timeout.as_ref().map(|t| self.number(t, TIME)).transpose()?)
            }
            StatementKind::If { branches, otherwise } => {
                self.branches(branches, otherwise);
                return Ok(());
            }
            StatementKind::Repeat(count, body) => return self.repeat(count.as_ref(), body, span),
            StatementKind::While(condition, body) => return self.while_loop(condition, body, span),
            StatementKind::Call(name, arguments) => return self.call(name, arguments, span),
            StatementKind::Break => return self.leave(span),
            StatementKind::Return if self.local.is_none() => {
                let error = RobotMessage::new(
                    "R11",
                    span,
                    "`return` outside of a procedure",
                    "nothing to return from",
                );
                return Err(error.hint("`stop` ends the program"));
            }
            StatementKind::Return => Instruction::Return,
            _ => Instruction::Stop,
        };
        self.emit(instruction, span);
        Ok(())
    }

    fn assign(&mut self, name: &NamedAt, value: &CallArgument, span: TextSpan) -> Checked<()> {
        let symbol = self.symbol(&name.name, name.span)?;
        let instruction = match (symbol.kind, value) {
            (SymbolKind::Point(slot), _) => Instruction::SetPoint(slot, self.place_of(value)?),
            (SymbolKind::Number(slot, dimension), CallArgument::NumberFormula(formula)) => {
                Instruction::SetNumber(slot, self.number(formula, dimension)?)
            }
            (SymbolKind::Number(slot, dimension), CallArgument::Name(other)) => {
                Instruction::SetNumber(slot, self.number(&as_formula(other), dimension)?)
            }
            (SymbolKind::Number(..), CallArgument::Destination(place)) => {
                let message = format!("`{}` is a variable, not a point", name.name);
                return Err(RobotMessage::new("R08", place.span, message, "expected a number"));
            }
            (kind, _) => {
                let message = format!("`{}` is {} and does not change by `=`", name.name, kind.named());
                let hint = match kind {
                    SymbolKind::Output(..) => format!("outputs change by `set {} = …`", name.name),
                    _ => "only variables and points change".to_string(),
                };
                return Err(
                    RobotMessage::new("R08", name.span, message, "cannot be given a value").hint(hint)
                );
            }
        };
        self.emit(instruction, span);
        Ok(())
    }

    fn set(&mut self, name: &NamedAt, value: &NumberFormula, span: TextSpan) -> Checked<()> {
        let symbol = self.symbol(&name.name, name.span)?;
        let SymbolKind::Output(index, dimension) = symbol.kind else {
            let message = format!("`{}` is {}, not an output", name.name, symbol.kind.named());
            return Err(RobotMessage::new("R08", name.span, message, "cannot be set")
                .hint("declare it with `output`"));
        };
        let value = self.number(value, dimension)?;
        self.emit(Instruction::SetOutput(index, value), span);
        Ok(())
    }

    /// What a speed, an acceleration or a jerk limits follows from its dimension.
    fn limit(&self, setting: SettingName, value: &NumberFormula) -> Checked<(LimitTarget, NumberCode)> {
        let typed = self.typed(value)?;
        let order = match setting {
            SettingName::Speed => -1,
            SettingName::Acceleration => -2,
            SettingName::Jerk => -3,
        };
        let room = match typed.dimension {
            d if d == PLAIN => LimitTarget::Joints,
            d if Some(d) == LENGTH.times(TIME, order) => LimitTarget::Tool,
            d if Some(d) == ANGLE.times(TIME, order) => LimitTarget::Turn,
            _ => {
                let (word, units) = match setting {
                    SettingName::Speed => (
                        "a speed",
                        "`250 mm/s` for the tool, `90 deg/s` for its orientation, `50 %` for the joints",
                    ),
                    SettingName::Acceleration => {
                        ("an acceleration", "`2 m/s^2` for the tool, `50 %` for the joints")
                    }
                    SettingName::Jerk => ("a jerk", "`20 m/s^3` for the tool, `50 %` for the joints"),
                };
                return Err(wrong(value.span, word, &typed).hint(units));
            }
        };
        Ok((room, typed.code))
    }

    fn use_frame(&mut self, tool: bool, name: Option<&NamedAt>, span: TextSpan) -> Checked<()> {
        let index = match name {
            None => None,
            Some(name) => match (self.symbol(&name.name, name.span)?.kind, tool) {
                (SymbolKind::Tool(index), true) | (SymbolKind::Work(index), false) => Some(index),
                (kind, _) => {
                    let wanted = if tool { "a tool" } else { "a work frame" };
                    let message = format!("`{}` is {}, not {wanted}", name.name, kind.named());
                    return Err(RobotMessage::new("R08", name.span, message, format!("expected {wanted}")));
                }
            },
        };
        self.emit(if tool { Instruction::UseTool(index) } else { Instruction::UseWork(index) }, span);
        Ok(())
    }

    fn motion(
        &mut self,
        shape: &MoveShape,
        to: &Destination,
        options: &MoveOptions,
        span: TextSpan,
    ) -> Checked<()> {
        let joint = *shape == MoveShape::Joint;
        let via = match shape {
            MoveShape::Circular { via } => Some(self.place(via)?),
            _ => None,
        };
        let blend = match &options.blend {
            None => None,
            Some(value) => {
                let typed = self.typed(value)?;
                let fits = typed.is(LENGTH) || (joint && typed.is(ANGLE));
                if !fits {
                    return Err(wrong(value.span, if joint { "an angle" } else { "a length" }, &typed));
                }
                Some(typed.code)
            }
        };
        let speed = options.speed.as_ref().map(|v| self.limit(SettingName::Speed, v)).transpose()?;
        if let (Some((room, _)), Some(value)) = (&speed, &options.speed)
            && (*room == LimitTarget::Joints) != joint
        {
            let hint = if joint {
                "`50 %` of what the joints can do"
            } else {
                "`250 mm/s`, or `90 deg/s` for the orientation"
            };
            let message = if joint {
                "joints move by a share of their speed"
            } else {
                "the tool moves by a speed, not by a share"
            };
            return Err(RobotMessage::new("R06", value.span, message, "of the wrong kind").hint(hint));
        }
        let time = options.time.as_ref().map(|t| self.number(t, TIME)).transpose()?;
        let code = MoveCode { joint, via, to: self.place(to)?, blend, speed, time };
        self.emit(Instruction::Move(Box::new(code)), span);
        Ok(())
    }
}

pub(crate) fn as_formula(name: &NamedAt) -> NumberFormula {
    NumberFormula { kind: FormulaKind::Name(name.name.clone()), span: name.span }
}

//! A program under way: a sampled task with bounded work per step.
//!
//! Instructions take no time. `now` is the instant of the program, at most that of the step: a wait or a motion that ends between two steps is
//! followed at the instant at which it ended, so that times do not depend on the period. Inputs are read at steps.
//!
//! A clone is a snapshot: it goes on as the original would.

use std::sync::Arc;

use trunnion_num::space::{Pose, from_rpy};

use super::RobotProgram;
use super::code::{Instruction, NumberCode, PlaceCode, ValueSlot};
use super::evaluate::KeptPlace;
use super::message::{RobotMessage, TextSpan};
use super::motion::{MotionChain, TaskLimits};
use crate::arm::Arm;
use crate::follow::ToolFollower;
use crate::joint_path::{JointPath, JointPoint};
use crate::path_check::PathCheck;
use crate::time_law::{LawKind, MotionLimits};
use crate::tool_path::{ToolLimits, ToolPath};

/// Instructions in one step; the next step goes on.
const MOST_IN_A_STEP: usize = 2_000;

/// Instructions without any time passing between them: more is an endless loop.
const MOST_AT_AN_INSTANT: usize = 200_000;

/// Procedures that call each other.
const DEEPEST_CALL: usize = 64;

/// What holds until a program says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskDefaults {
    /// Of axes without limits of their own.
    pub joint: MotionLimits,
    pub tool: ToolLimits,
}

/// A program, a robot and a pose that do not belong together: their numbers of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongAxes {
    pub program: usize,
    pub arm: usize,
    pub pose: usize,
}

impl std::fmt::Display for WrongAxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let WrongAxes { program, arm, pose } = self;
        write!(f, "the program is for {program} axes, the robot has {arm} and its pose {pose}")
    }
}

impl std::error::Error for WrongAxes {}

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    Running,
    Moving,
    Waiting,
    Done,
    Failed,
}

/// What a step gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskOutput<'a> {
    pub references: &'a JointPoint,
    pub outputs: &'a [f64],
    pub status: TaskStatus,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TaskActivity {
    Idle,
    Waiting { until: f64 },
    WaitingFor { deadline: f64 },
    Checking { path: ToolPath, check: PathCheck, spans: Vec<TextSpan> },
    MovingJoints { path: JointPath, start: f64, spans: Vec<TextSpan> },
    MovingTool { path: ToolPath, start: f64, spans: Vec<TextSpan> },
    Done,
    Failed,
}

/// Values of variables and points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueStore {
    pub numbers: Vec<f64>,
    pub points: Vec<Option<KeptPlace>>,
}

impl ValueStore {
    pub fn new(numbers: usize, points: usize) -> Self {
        ValueStore { numbers: vec![f64::NAN; numbers], points: vec![None; points] }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallEntry {
    pub back: usize,
    pub values: ValueStore,
}

/// A program, a robot, and how far they are.
#[derive(Clone, Debug)]
pub struct RobotTask {
    pub(crate) program: Arc<RobotProgram>,
    pub(crate) arm: Arm,
    /// Where tools are mounted.
    flange: Pose,
    pub(crate) defaults: TaskDefaults,
    pub(crate) follower: ToolFollower,
    pub(crate) limits: TaskLimits,
    pub(crate) work: Pose,
    pub(crate) frames: Vec<Pose>,
    pub(crate) globals: ValueStore,
    pub(crate) calls: Vec<CallEntry>,
    pub(crate) inputs: Vec<f64>,
    pub(crate) outputs: Vec<f64>,
    pub(crate) timed_out: bool,
    pub(crate) line: usize,
    pub(crate) at_this_instant: usize,
    pub(crate) now: f64,
    /// Time of the last step.
    pub(crate) last: f64,
    pub(crate) started: bool,
    pub(crate) chain: Option<MotionChain>,
    /// What the motions under way were planned from, and the joints where they began.
    pub(crate) planned: Option<(Option<MotionChain>, Vec<f64>)>,
    pub(crate) activity: TaskActivity,
    pub(crate) reference: JointPoint,
    /// Run ahead of time: it ends where inputs would decide, and `asks_input` is set.
    pub(crate) rehearsing: bool,
    pub(crate) asks_input: bool,
    error: Option<RobotMessage>,
}

impl RobotTask {
    /// `start`: where the joints are.
    pub fn new(
        program: Arc<RobotProgram>,
        arm: &Arm,
        start: &[f64],
        defaults: TaskDefaults,
    ) -> Result<RobotTask, WrongAxes> {
        if program.axes != arm.n() || start.len() != arm.n() {
            return Err(WrongAxes { program: program.axes, arm: arm.n(), pose: start.len() });
        }
        let rest = vec![0.0; arm.n()];
        let code = &program.code;
        Ok(RobotTask {
            arm: arm.clone(),
            flange: arm.tool,
            defaults,
            follower: ToolFollower::new(arm),
            limits: TaskLimits {
                joints: MotionLimits { speed: 1.0, acceleration: 1.0, jerk: 1.0 },
                tool: defaults.tool,
                law: LawKind::SCurve,
            },
            work: Pose::HOME,
            frames: vec![Pose::HOME; code.frames],
            globals: ValueStore::new(code.numbers, code.points),
            calls: vec![],
            inputs: vec![0.0; code.inputs.len()],
            outputs: vec![0.0; code.outputs.len()],
            timed_out: false,
            line: 0,
            at_this_instant: 0,
            now: 0.0,
            last: 0.0,
            started: false,
            chain: None,
            planned: None,
            activity: TaskActivity::Idle,
            reference: JointPoint { q: start.to_vec(), v: rest.clone(), a: rest },
            rehearsing: false,
            asks_input: false,
            error: None,
            program,
        })
    }

    /// Axes that motions of the tool leave where they are, such as those of a gantry.
    pub fn hold_axes(&mut self, held: &[bool]) {
        self.follower.held = (0..self.arm.n()).map(|k| held.get(k).copied().unwrap_or(false)).collect();
    }

    /// Why the program stopped, if it failed.
    pub fn error(&self) -> Option<&RobotMessage> {
        self.error.as_ref()
    }

    /// What is under way.
    fn span(&self) -> TextSpan {
        match &self.activity {
            TaskActivity::Checking { spans, .. } => spans[0],
            TaskActivity::MovingJoints { path, start, spans } => spans[path.place(self.last - start).0],
            TaskActivity::MovingTool { path, start, spans } => spans[path.place(self.last - start).0],
            TaskActivity::Waiting { .. } => self.program.code.lines[self.line.saturating_sub(1)].span,
            _ => self.program.code.lines[self.line].span,
        }
    }

    /// The line of the program that is under way, from 1.
    pub fn source_line(&self) -> usize {
        let before = self.program.source.get(..self.span().start).unwrap_or(&self.program.source);
        before.matches('\n').count() + 1
    }

    /// The program up to time t, which grows from step to step. Work is bounded whatever the program is.
    pub fn step(&mut self, t: f64, inputs: &[f64]) -> TaskOutput<'_> {
        if !self.started {
            (self.now, self.started) = (t, true);
        }
        self.last = t;
        if let Err(error) = self.taken(inputs).and_then(|()| self.advance(t)) {
            self.activity = TaskActivity::Failed;
            self.error = Some(error);
            self.rest();
        }
        let status = match self.activity {
            TaskActivity::Idle | TaskActivity::Checking { .. } => TaskStatus::Running,
            TaskActivity::Waiting { .. } | TaskActivity::WaitingFor { .. } => TaskStatus::Waiting,
            TaskActivity::MovingJoints { .. } | TaskActivity::MovingTool { .. } => TaskStatus::Moving,
            TaskActivity::Done => TaskStatus::Done,
            TaskActivity::Failed => TaskStatus::Failed,
        };
        TaskOutput { references: &self.reference, outputs: &self.outputs, status }
    }

    fn taken(&mut self, inputs: &[f64]) -> Result<(), RobotMessage> {
        if matches!(self.activity, TaskActivity::Done | TaskActivity::Failed) {
            return Ok(());
        }
        let span = self.span();
        if inputs.len() != self.inputs.len() || inputs.iter().any(|x| !x.is_finite()) {
            let names = self.program.code.inputs.join(", ");
            let error = RobotMessage::new(
                "R28",
                span,
                "an input is missing or is not a finite number",
                "while this ran",
            );
            return Err(error.hint(format!("the inputs are, in this order: {names}")));
        }
        self.inputs.copy_from_slice(inputs);
        Ok(())
    }

    fn rest(&mut self) {
        self.reference.v.fill(0.0);
        self.reference.a.fill(0.0);
    }

    fn advance(&mut self, t: f64) -> Result<(), RobotMessage> {
        let mut left = MOST_IN_A_STEP;
        loop {
            match &self.activity {
                TaskActivity::Idle if left == 0 => {
                    self.now = t;
                    return Ok(());
                }
                TaskActivity::Idle => {
                    left -= 1;
                    self.execute()?;
                }
                TaskActivity::Waiting { until } => match *until <= t {
                    true => self.go_on(*until),
                    false => return Ok(()),
                },
                TaskActivity::WaitingFor { deadline } => {
                    let deadline = *deadline;
                    if !self.waited_for(t, deadline)? {
                        return Ok(());
                    }
                }
                TaskActivity::Checking { .. } => {
                    if !self.walk()? {
                        self.now = t;
                        return Ok(());
                    }
                }
                TaskActivity::MovingJoints { path, start, .. } => {
                    let (point, end) = (path.at(t - start), start + path.duration());
                    self.reference = point;
                    if end > t {
                        return Ok(());
                    }
                    self.rest();
                    self.go_on(end);
                }
                TaskActivity::MovingTool { path, start, .. } => {
                    let (point, end) = (path.at(t - start), start + path.duration());
                    let (followed, _) = self
                        .follower
                        .joints(&self.arm, &point, &self.reference.q)
                        .map_err(|e| self.lost(&e))?;
                    self.reference = followed;
                    if end > t {
                        return Ok(());
                    }
                    self.rest();
                    self.go_on(end);
                }
                TaskActivity::Done | TaskActivity::Failed => return Ok(()),
            }
        }
    }

    /// The walk before has seen samples of the path only.
    fn lost(&self, error: &crate::inverse::InverseError) -> RobotMessage {
        RobotMessage::new(
            "R25",
            self.span(),
            format!("the way was lost: {error}"),
            "on the way of this motion",
        )
    }

    /// From an instant on with the next instruction.
    fn go_on(&mut self, at: f64) {
        if at > self.now {
            self.at_this_instant = 0;
        }
        self.now = at;
        self.activity = TaskActivity::Idle;
    }

    fn waited_for(&mut self, t: f64, deadline: f64) -> Result<bool, RobotMessage> {
        let program = Arc::clone(&self.program);
        let line = &program.code.lines[self.line];
        let Instruction::WaitUntil(condition, _) = &line.instruction else { return Ok(true) };
        if self.holds(condition, line.span)? {
            (self.timed_out, self.line) = (false, self.line + 1);
            self.go_on(t.min(deadline).max(self.now));
        } else if deadline <= t {
            (self.timed_out, self.line) = (true, self.line + 1);
            self.go_on(deadline);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn execute(&mut self) -> Result<(), RobotMessage> {
        let program = Arc::clone(&self.program);
        let line = &program.code.lines[self.line];
        let span = line.span;
        if line.after_motion && self.chain.is_some() {
            return self.start_chain();
        }
        if self.rehearsing && line.instruction.asks_input() {
            (self.activity, self.asks_input) = (TaskActivity::Done, true);
            return Ok(());
        }
        self.at_this_instant += 1;
        if self.at_this_instant > MOST_AT_AN_INSTANT {
            let message = format!("{MOST_AT_AN_INSTANT} instructions without a wait or a motion");
            let error = RobotMessage::new("R21", span, message, "in a loop that does not end");
            return Err(error.hint("put a `wait` into the loop, or use `wait until`"));
        }
        self.line += 1;
        match &line.instruction {
            Instruction::Move(m) => match self.add_motion(m, span)? {
                // The motions gathered so far are of the other kind: they run first, then this again.
                None => {
                    self.line -= 1;
                    self.start_chain()?;
                }
                Some(true) => self.start_chain()?,
                Some(false) => {}
            },
            Instruction::Wait(value) => self.wait(value, span)?,
            Instruction::WaitUntil(_, timeout) => {
                let timeout = timeout.as_ref().map(|v| self.value(v, span)).transpose()?;
                self.line -= 1;
                self.activity =
                    TaskActivity::WaitingFor { deadline: timeout.map_or(f64::INFINITY, |d| self.now + d) };
            }
            Instruction::Jump(to) => self.line = *to,
            Instruction::JumpUnless(condition, to) => {
                if !self.holds(condition, span)? {
                    self.line = *to;
                }
            }
            Instruction::Call { procedure, numbers, points } => {
                self.call(*procedure, numbers, points, span)?
            }
            Instruction::Return => {
                if let Some(entry) = self.calls.pop() {
                    self.line = entry.back;
                }
            }
            Instruction::Stop => {
                self.line -= 1;
                self.activity = TaskActivity::Done;
            }
            setting => self.change(setting, span)?,
        }
        Ok(())
    }

    /// Instructions that change what the task keeps, and nothing else.
    fn change(&mut self, instruction: &Instruction, span: TextSpan) -> Result<(), RobotMessage> {
        match instruction {
            Instruction::SetNumber(slot, value) => {
                let value = self.value(value, span)?;
                self.keep_number(*slot, value);
            }
            Instruction::SetPoint(slot, place) => {
                let place = self.place(place, span)?;
                self.keep_point(*slot, place);
            }
            Instruction::SetOutput(index, value) => self.outputs[*index] = self.value(value, span)?,
            Instruction::DefineFrame(index, values) => {
                let v = values.iter().map(|v| self.value(v, span)).collect::<Result<Vec<f64>, _>>()?;
                self.frames[*index] = Pose { p: [v[0], v[1], v[2]], r: from_rpy([v[3], v[4], v[5]]) };
            }
            Instruction::Limit(setting, room, value) => {
                let value = self.value(value, span)?;
                self.set_limit(*setting, *room, value, span)?;
            }
            Instruction::Profile(law) => self.limits.law = *law,
            Instruction::UseTool(index) => {
                let tool = index.map_or(Pose::HOME, |i| self.frames[i]);
                self.arm.tool = self.flange.then(tool);
            }
            Instruction::UseWork(index) => self.work = index.map_or(Pose::HOME, |i| self.frames[i]),
            _ => {}
        }
        Ok(())
    }

    fn wait(&mut self, value: &NumberCode, span: TextSpan) -> Result<(), RobotMessage> {
        let time = self.value(value, span)?;
        if time < 0.0 {
            return Err(RobotMessage::new("R27", span, "a time to wait must not be below 0", "out of range"));
        }
        self.activity = TaskActivity::Waiting { until: self.now + time };
        Ok(())
    }

    fn call(
        &mut self,
        procedure: usize,
        numbers: &[(usize, NumberCode)],
        points: &[(usize, PlaceCode)],
        span: TextSpan,
    ) -> Result<(), RobotMessage> {
        if self.calls.len() >= DEEPEST_CALL {
            let message = format!("more than {DEEPEST_CALL} procedures call each other");
            let error = RobotMessage::new("R22", span, message, "this call is too deep");
            return Err(error.hint(
                "a procedure that calls itself needs an `if` that ends it; loops are `repeat` and `while`",
            ));
        }
        let code = &self.program.code.procedures[procedure];
        let (start, mut values) = (code.start, ValueStore::new(code.numbers, code.points));
        for (slot, value) in numbers {
            values.numbers[*slot] = self.value(value, span)?;
        }
        for (slot, place) in points {
            values.points[*slot] = Some(self.place(place, span)?);
        }
        self.calls.push(CallEntry { back: self.line, values });
        self.line = start;
        Ok(())
    }

    pub(crate) fn locals(&self) -> Option<&ValueStore> {
        self.calls.last().map(|c| &c.values)
    }

    fn keep_number(&mut self, slot: ValueSlot, value: f64) {
        match (slot, self.calls.last_mut()) {
            (ValueSlot::Local(i), Some(entry)) => entry.values.numbers[i] = value,
            (ValueSlot::Local(_), None) => {}
            (ValueSlot::Global(i), _) => self.globals.numbers[i] = value,
        }
    }

    fn keep_point(&mut self, slot: ValueSlot, place: KeptPlace) {
        match (slot, self.calls.last_mut()) {
            (ValueSlot::Local(i), Some(entry)) => entry.values.points[i] = Some(place),
            (ValueSlot::Local(_), None) => {}
            (ValueSlot::Global(i), _) => self.globals.points[i] = Some(place),
        }
    }
}

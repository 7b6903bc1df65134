//! Robot programs as sampled tasks: references of the axes and signals at every sample.
//!
//! Inputs: positions of the axes, then signals. The program begins where the axes are at its first sample, and does not look at
//! them again: servos of the model follow the references. Outputs: x, v, a of every axis, the line, 1 when it is over, then signals.

use std::sync::Arc;

use trunnion_equations::flat::{RobotJointMotion, RobotOutline};
use trunnion_num::Archive;
use trunnion_num::space::Pose;
use trunnion_robot::program::{RobotMessage, RobotProgram, RobotTask, TaskDefaults, TaskStatus};
use trunnion_robot::{Arm, ArmError, ArmJoint, AxisLimits, AxisMotion, LinkMass, MotionLimits, ToolLimits};

use crate::script_error::ScriptError;

/// The robot of an outline, from the numbers that set it up.
pub fn arm_of(outline: &RobotOutline, setup: &[f64]) -> Result<Arm, ArmError> {
    let joint = |(i, j): (usize, &trunnion_equations::flat::RobotJointOutline)| {
        let at = RobotOutline::OF_TOOL + i * RobotOutline::OF_JOINT;
        let x = &setup[at..at + RobotOutline::OF_JOINT];
        ArmJoint {
            name: j.name.clone(),
            parent: i.checked_sub(1),
            frame: pose(&x[..12]),
            axis: j.axis,
            motion: match j.motion {
                RobotJointMotion::Fixed => AxisMotion::Fixed,
                RobotJointMotion::Turn => AxisMotion::Revolute,
                RobotJointMotion::Slide => AxisMotion::Prismatic,
                RobotJointMotion::Screw => AxisMotion::Screw { lead: x[12] },
            },
            limits: AxisLimits { low: x[13], high: x[14], speed: x[15], acceleration: x[16], jerk: x[17] },
            mass: LinkMass::NONE,
        }
    };
    let joints: Vec<ArmJoint> = outline.joints.iter().enumerate().map(joint).collect();
    let tip = joints.len().saturating_sub(1);
    Arm::new(joints, tip, pose(&setup[6..18]))
}

/// Limits of motions of the tool until a program says otherwise.
pub fn defaults_of(setup: &[f64]) -> TaskDefaults {
    let limits = |x: &[f64]| MotionLimits { speed: x[0], acceleration: x[1], jerk: x[2] };
    // Every axis has limits of its own.
    let joint = limits(&setup[..3]);
    TaskDefaults { joint, tool: ToolLimits { linear: limits(&setup[..3]), angular: limits(&setup[3..6]) } }
}

fn pose(x: &[f64]) -> Pose {
    let row = |k: usize| [x[k], x[k + 1], x[k + 2]];
    Pose { p: row(0), r: [row(3), row(6), row(9)] }
}

/// A signal that only one of both has, the model or the program.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalMismatch {
    pub name: String,
    pub is_input: bool,
    /// The program has it, and the model does not.
    pub in_program: bool,
}

impl SignalMismatch {
    pub fn message(&self) -> String {
        let (kind, name) = (if self.is_input { "input" } else { "output" }, &self.name);
        match self.in_program {
            true => format!("the program has an {kind} `{name}`, which the model does not give it"),
            false => format!("the program has no {kind} `{name}`"),
        }
    }

    pub fn hint(&self) -> String {
        let (name, list) = (&self.name, if self.is_input { "inputs" } else { "outputs" });
        match (self.in_program, self.is_input) {
            (true, true) => format!("add {list} = {{ {name} = \"…\" }} to the robot"),
            (true, false) => format!("add {list} = {{ {name} = \"1\" }} to the robot"),
            (false, true) => format!("declare it in the program: input {name}"),
            (false, false) => format!("declare it in the program: output {name}"),
        }
    }
}

/// Places in `given` of the names of a program, in its order, and names that only one side has.
fn matched(names: &[String], given: &[String], is_input: bool) -> (Vec<usize>, Vec<SignalMismatch>) {
    let (mut places, mut wrong) = (vec![], vec![]);
    for name in names {
        match given.iter().position(|g| g == name) {
            Some(k) => places.push(k),
            None => wrong.push(SignalMismatch { name: name.clone(), is_input, in_program: true }),
        }
    }
    let unknown = given.iter().filter(|g| !names.contains(g));
    wrong.extend(unknown.map(|name| SignalMismatch { name: name.clone(), is_input, in_program: false }));
    (places, wrong)
}

/// How the signals of a program are joined to those of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalPlaces {
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

/// `inputs` and `outputs`: all names of the task, those of the axes and of its state first.
pub fn signal_places(
    program: &RobotProgram,
    axes: usize,
    inputs: &[String],
    outputs: &[String],
) -> Result<SignalPlaces, Vec<SignalMismatch>> {
    let (places_in, mut wrong) = matched(program.inputs(), &inputs[axes..], true);
    let (places_out, more) = matched(program.outputs(), &outputs[3 * axes + RobotOutline::OF_STATE..], false);
    wrong.extend(more);
    if wrong.is_empty() { Ok(SignalPlaces { inputs: places_in, outputs: places_out }) } else { Err(wrong) }
}

/// A robot program in a run.
pub struct RobotRunner {
    name: String,
    program: Arc<RobotProgram>,
    arm: Arm,
    held: Vec<bool>,
    defaults: TaskDefaults,
    places: SignalPlaces,
    signals: Vec<f64>,
    /// None until the first sample.
    task: Option<RobotTask>,
}

impl RobotRunner {
    pub fn new(
        name: &str,
        outline: &RobotOutline,
        source: &str,
        setup: &[f64],
        inputs: &[String],
        outputs: &[String],
    ) -> Result<RobotRunner, ScriptError> {
        let failure = |message: String, hint: Option<String>| ScriptError {
            name: name.to_string(),
            line: None,
            column: None,
            message,
            hint,
        };
        let arm = arm_of(outline, setup).map_err(|e| failure(e.to_string(), None))?;
        let program =
            RobotProgram::compile(source, &arm).map_err(|errors| located(name, source, &errors[0]))?;
        let places = signal_places(&program, arm.n(), inputs, outputs)
            .map_err(|wrong| failure(wrong[0].message(), Some(wrong[0].hint())))?;
        let moving = outline.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed);
        Ok(RobotRunner {
            name: name.to_string(),
            signals: vec![0.0; program.inputs().len()],
            program: Arc::new(program),
            held: moving.map(|j| j.held).collect(),
            arm,
            defaults: defaults_of(setup),
            places,
            task: None,
        })
    }

    fn begun(&self, start: &[f64]) -> Result<RobotTask, ScriptError> {
        let task = RobotTask::new(Arc::clone(&self.program), &self.arm, start, self.defaults);
        let mut task = task.map_err(|e| ScriptError {
            name: self.name.clone(),
            line: None,
            column: None,
            message: e.to_string(),
            hint: None,
        })?;
        task.hold_axes(&self.held);
        Ok(task)
    }

    pub fn step(&mut self, t: f64, inputs: &[f64], outputs: &mut [f64]) -> Result<(), ScriptError> {
        let n = self.arm.n();
        let mut task = match self.task.take() {
            Some(task) => task,
            None => self.begun(&inputs[..n])?,
        };
        for (signal, &place) in self.signals.iter_mut().zip(&self.places.inputs) {
            *signal = inputs[n + place];
        }
        let made = task.step(t, &self.signals);
        for k in 0..n {
            let x = made.references;
            outputs[3 * k..3 * k + 3].copy_from_slice(&[x.q[k], x.v[k], x.a[k]]);
        }
        let (state, signals) = outputs[3 * n..].split_at_mut(RobotOutline::OF_STATE);
        for (&value, &place) in made.outputs.iter().zip(&self.places.outputs) {
            signals[place] = value;
        }
        let done = made.status == TaskStatus::Done;
        state.copy_from_slice(&[task.source_line() as f64, f64::from(done)]);
        let failure = task.error().map(|error| located(&self.name, self.program.source(), error));
        self.task = Some(task);
        failure.map_or(Ok(()), Err)
    }

    /// Writes or reads all that the steps to come depend on.
    pub fn remember(&mut self, archive: &mut Archive) {
        let mut begun = self.task.is_some();
        archive.flag(&mut begun);
        if archive.reads() {
            self.task = if begun { self.begun(&vec![0.0; self.arm.n()]).ok() } else { None };
        }
        if let Some(task) = &mut self.task {
            task.remember(archive);
        }
    }
}

/// A message of a program as an error of its task.
fn located(name: &str, source: &str, error: &RobotMessage) -> ScriptError {
    let (line, column) = error.place(source);
    ScriptError {
        name: name.to_string(),
        line: u32::try_from(line).ok(),
        column: u32::try_from(column).ok(),
        message: format!("{} ({})", error.message, error.code),
        hint: error.hint.clone(),
    }
}

//! Robot programs before a run: their text, their signals, and their motions as far as no input decides.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::System;
use trunnion_equations::flat::{Action, RobotJointMotion, RobotOutline, ScriptLanguage};
use trunnion_equations::image::{ImageAction, ImageTask};
use trunnion_model::file::{Span, TomlText};
use trunnion_model::{Diagnostic, Sources};
use trunnion_num::text::number;
use trunnion_robot::Arm;
use trunnion_robot::program::{Rehearsal, RobotMessage, RobotProgram, RobotTask};
use trunnion_sim::robot::{arm_of, defaults_of, signal_places};

use crate::Failure;

const NO_ROBOT: &str = "M0555";
const SIGNALS: &str = "M0556";

/// A robot of a model at the values of its parameters.
pub struct ModelRobot {
    pub name: String,
    pub arm: Arm,
    pub outline: RobotOutline,
    /// Where its axes are at the start.
    pub start: Vec<f64>,
}

struct RobotOfTask<'a> {
    task: usize,
    image: &'a ImageTask,
    outline: &'a RobotOutline,
    source: &'a str,
    names: (&'a [String], Vec<String>),
    setup: Vec<f64>,
    start: Vec<f64>,
    period: f64,
}

fn of_tasks(system: &System) -> Vec<RobotOfTask<'_>> {
    let image = &*system.image;
    let values = image.start_values(&HashMap::new());
    let at_start = system.start(&HashMap::new());
    let robot = |(task, of): (usize, &'_ ImageTask)| {
        let ImageAction::Script {
            language: ScriptLanguage::Robot(outline),
            source,
            setup,
            inputs,
            outputs,
            ..
        } = &image.tasks[task].action
        else {
            return None;
        };
        let read = match &system.tasks[task].action {
            Action::Script { inputs, .. } => inputs.as_slice(),
            Action::Set(_) => &[],
        };
        Some(RobotOfTask {
            task,
            image: &image.tasks[task],
            outline,
            source,
            names: (inputs, outputs.iter().map(|(name, _)| name.clone()).collect()),
            setup: setup.iter().map(|v| v.evaluate(&image.programs, &values)).collect(),
            start: read.iter().take(outline.axes()).map(|(_, e)| at_start.evaluate(*e)).collect(),
            period: of.period.evaluate(&image.programs, &values),
        })
    };
    image.tasks.iter().enumerate().filter_map(robot).collect()
}

/// All robots of a model.
pub fn robots(system: &System) -> Vec<ModelRobot> {
    let made = of_tasks(system).into_iter().filter_map(|r| {
        let arm = arm_of(r.outline, &r.setup).ok()?;
        Some(ModelRobot { name: r.image.name.clone(), arm, outline: r.outline.clone(), start: r.start })
    });
    made.collect()
}

/// What is wrong with programs before they run.
pub(crate) fn examine(system: &System, sources: &Sources, span: (f64, f64)) -> Result<(), Failure> {
    let all = of_tasks(system);
    let faults = all.iter().filter_map(|robot| examined(system, sources, robot, span).err());
    let errors: Vec<Diagnostic> = faults.flatten().collect();
    if errors.is_empty() { Ok(()) } else { Err(Failure::Model(errors)) }
}

fn examined(
    system: &System,
    sources: &Sources,
    robot: &RobotOfTask<'_>,
    (t_0, t_end): (f64, f64),
) -> Result<(), Vec<Diagnostic>> {
    let name = &robot.image.name;
    let whole = |error: Diagnostic| match program_span(system, sources, robot, 0..0) {
        Some(span) => error.at(&span, "its program"),
        None => error,
    };
    let arm = arm_of(robot.outline, &robot.setup)
        .map_err(|e| vec![whole(Diagnostic::error(NO_ROBOT, format!("`{name}` is no robot: {e}")))])?;
    if robot.outline.levers.is_some() {
        return Ok(());
    }
    let program = RobotProgram::compile(robot.source, &arm).map_err(|list| -> Vec<Diagnostic> {
        list.iter().map(|m| told(system, sources, robot, m, m.message.clone())).collect()
    })?;
    let (inputs, outputs) = (robot.names.0, &robot.names.1);
    signal_places(&program, arm.n(), inputs, outputs).map_err(|wrong| -> Vec<Diagnostic> {
        let tell = |w: &trunnion_sim::robot::SignalMismatch| {
            whole(Diagnostic::error(SIGNALS, format!("`{name}`: {}", w.message())).hint(w.hint()))
        };
        wrong.iter().map(tell).collect()
    })?;
    let task = RobotTask::new(Arc::new(program), &arm, &robot.start, defaults_of(&robot.setup));
    let Ok(mut task) = task else { return Ok(()) };
    let moving = robot.outline.joints.iter().filter(|j| j.motion != RobotJointMotion::Fixed);
    task.hold_axes(&moving.map(|j| j.held).collect::<Vec<_>>());
    match task.rehearse(t_0, t_end, robot.period) {
        Rehearsal::Fails { t, message, .. } => {
            let text = format!("`{name}` would stop at t = {} s: {}", number(t, 4), message.message);
            Err(vec![told(system, sources, robot, &message, text)])
        }
        Rehearsal::AsksInput { .. } | Rehearsal::Ends { .. } | Rehearsal::GoesOn => Ok(()),
    }
}

/// A message of a program with its place in the file.
fn told(
    system: &System,
    sources: &Sources,
    robot: &RobotOfTask<'_>,
    message: &RobotMessage,
    text: String,
) -> Diagnostic {
    let error = Diagnostic::error(message.code, text).hint_if(message.hint.clone());
    let end = robot.source.len();
    let range = message.span.start.min(end)..message.span.end.min(end);
    match program_span(system, sources, robot, range) {
        Some(span) => error.at(&span, message.label.clone()),
        None => error,
    }
}

/// Bytes of a program, in its file or in the text of the model.
fn program_span(
    system: &System,
    sources: &Sources,
    robot: &RobotOfTask<'_>,
    range: std::ops::Range<usize>,
) -> Option<Span> {
    let origin = &system.tasks.get(robot.task)?.origin;
    let file = sources.get(&origin.file)?;
    let whole = Span::new(file, origin.span.0..origin.span.1);
    Some(match whole.text() == robot.source {
        true => Span::new(file, range),
        false => TomlText { text: robot.source.to_string(), span: whole }.at(&range),
    })
}

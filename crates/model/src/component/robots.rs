//! Robots: a program that moves the axes of a mechanism.

use super::events::{read_clock, read_program, read_signals};
use super::sections::{entries, fields_of, read_mode, scalar, table_of};
use super::{Controller, Reading, Scalar, read_scalar};
use crate::file::{Data, Fields, TomlEntry, TomlText};

/// What a robot has beside its program.
#[derive(Clone, Debug)]
pub struct RobotDefinition {
    /// The frame that poses are seen from; None: the world.
    pub base: Option<TomlText>,
    /// The frame that is moved.
    pub tool: Option<TomlText>,
    /// Joints from the base to the tool.
    pub axes: Vec<TomlText>,
    /// Components that drive the axes, one for each; none where servos are not designed.
    pub drives: Vec<TomlText>,
    /// Axes that motions of the tool leave where they are.
    pub hold: Vec<TomlText>,
    /// Speed, acceleration and jerk of the axes: one for all or one for each.
    pub limits: [Vec<Scalar>; 3],
    /// Likewise of the tool point, and of its orientation.
    pub tool_limits: [Option<Scalar>; 6],
}

/// Keys of `tool_limits` with their units and what holds where they are left out: the reduced speed of ISO 10218-1, and what a
/// middle-sized arm does with ease.
pub const TOOL_LIMITS: [(&str, &str, f64); 6] = [
    ("tool_speed", "m/s", 0.25),
    ("tool_acceleration", "m/s^2", 2.0),
    ("tool_jerk", "m/s^3", 20.0),
    ("turn_speed", "rad/s", 1.5),
    ("turn_acceleration", "rad/s^2", 5.0),
    ("turn_jerk", "rad/s^3", 50.0),
];

fn read_robot(entry: &TomlEntry, reading: &Reading<'_>) -> Option<Controller> {
    let problems = reading.problems;
    let table = table_of(
        entry,
        "a table with `period`, `program` or `script`, `tool`, `axes` and `speed`",
        problems,
    )?;
    let f = fields_of(table, "robot", &entry.key, problems);
    let clock = read_clock(&f);
    let script = read_program(&f, "program", &[".robot"], "robot program", reading);
    let inputs = read_signals(&f);
    let outputs = entries(&f, "outputs", problems, |e| read_mode(e, "output", problems));
    let robot = read_definition(&f);
    f.text("doc");
    f.finish();
    Some(Controller { key: entry.key.clone(), clock, script, inputs, outputs, robot: Some(robot) })
}

fn read_definition(f: &Fields<'_>) -> RobotDefinition {
    let required = |key: &'static str, hint: &str| {
        if f.value(key).is_none() {
            f.missing(key, hint);
        }
    };
    required("tool", "the frame that it moves, as in tool = \"hand.tip\"");
    required("axes", "its joints from the base to the tool, as in axes = [\"swing\", \"lift\"]");
    required("speed", "largest speed of all axes, or a list, as in speed = \"120 deg/s\"");
    let list = |key: &'static str| match f.value(key).map(|v| &v.data) {
        Some(Data::List(list)) => list.iter().map(|v| read_scalar(v, key, f.problems)).collect(),
        _ => scalar(f, key).into_iter().collect(),
    };
    RobotDefinition {
        base: f.text("base"),
        tool: f.text("tool"),
        axes: f.texts("axes"),
        drives: f.texts("drives"),
        hold: f.texts("hold"),
        limits: ["speed", "acceleration", "jerk"].map(list),
        tool_limits: TOOL_LIMITS.map(|(key, _, _)| scalar(f, key)),
    }
}

/// The robots of a model.
pub(crate) fn read_robots(fields: &Fields<'_>, reading: &Reading<'_>) -> Vec<Controller> {
    entries(fields, "robots", reading.problems, |e| read_robot(e, reading))
}

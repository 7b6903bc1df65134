//! Robots: a program that moves the axes of a mechanism.

use super::events::{read_clock, read_program, read_signals};
use super::read::formula;
use super::sections::{entries, fields_of, read_mode, scalar, table_of};
use super::{Controller, Formula, Reading, Scalar, read_scalar};
use crate::diagnostic::Diagnostic;
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
    /// Speeds of the tool along two directions, in place of a program; none: a program.
    pub levers: Vec<Formula>,
    /// The two directions, in the axes of the base; None where they could not be read, which has been reported.
    pub plane: Option<[[f64; 3]; 2]>,
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
    let has_levers = f.value("levers").is_some();
    f.exclude("levers", "program", "levers move the tool, or a program does");
    f.exclude("levers", "script", "levers move the tool, or a program does");
    let script = match has_levers {
        true => Some(TomlText { text: String::new(), span: entry.key.span.clone() }),
        false => read_program(&f, "program", &[".robot"], "robot program", reading),
    };
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
        levers: read_levers(f),
        plane: read_plane(f),
        drives: f.texts("drives"),
        hold: f.texts("hold"),
        limits: ["speed", "acceleration", "jerk"].map(list),
        tool_limits: TOOL_LIMITS.map(|(key, _, _)| scalar(f, key)),
    }
}

fn read_levers(f: &Fields<'_>) -> Vec<Formula> {
    let texts = f.texts("levers");
    if let (Some(value), false) = (f.value("levers"), [0, 2].contains(&texts.len())) {
        let found = format!("this has {}", texts.len());
        let error = Diagnostic::error("M0507", "`levers` has to be two speeds of the tool");
        f.problems.add(error.at(&value.span, found).hint("levers = [\"lever_r\", \"lever_z\"]"));
    }
    texts.into_iter().filter_map(|text| formula(text, f.problems)).collect()
}

/// Words for two different axes of the base; x and z if nothing is said.
fn read_plane(f: &Fields<'_>) -> Option<[[f64; 3]; 2]> {
    let Some(value) = f.value("plane") else { return Some([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) };
    let direction = |text: &TomlText| {
        let (sign, word) = text.text.strip_prefix('-').map_or((1.0, text.text.as_str()), |w| (-1.0, w));
        let place = ["x", "y", "z"].iter().position(|w| *w == word)?;
        Some((place, sign))
    };
    let found: Vec<_> = f.texts("plane").iter().map(direction).collect();
    if let [Some((i, a)), Some((k, b))] = found[..]
        && i != k
    {
        let along = |place: usize, sign: f64| [0, 1, 2].map(|n| if n == place { sign } else { 0.0 });
        return Some([along(i, a), along(k, b)]);
    }
    let error = Diagnostic::error("M0508", "`plane` has to be two different axes of the base");
    f.problems.add(error.at(&value.span, "as in [\"x\", \"z\"]"));
    None
}

/// The robots of a model.
pub(crate) fn read_robots(fields: &Fields<'_>, reading: &Reading<'_>) -> Vec<Controller> {
    entries(fields, "robots", reading.problems, |e| read_robot(e, reading))
}

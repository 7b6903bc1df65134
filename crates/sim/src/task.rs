//! Sampled tasks: when each is due, and the programs behind them.
//!
//!   t_k = offset + k · period,  k = 0, 1, …   computed from k, so that instants do not drift       (1)

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use trunnion_equations::flat::ScriptLanguage;
use trunnion_equations::image::{ImageAction, ImageTask};
use trunnion_equations::{Image, Symbol};
use trunnion_num::Archive;

use crate::levers::LeverRunner;
#[cfg(feature = "script")]
use crate::offer::Offer;
use crate::robot::RobotRunner;
#[cfg(feature = "script")]
use crate::script::{Limits, Script};
use crate::script_error::{ScriptError, TaskError};

#[cfg(not(feature = "script"))]
use without::{Limits, Offer, Script};

/// A build without JavaScript refuses scripts when a run starts.
#[cfg(not(feature = "script"))]
mod without {
    use std::sync::Arc;

    use trunnion_equations::{Image, Symbol};
    use trunnion_num::Archive;

    use super::ScriptError;

    #[derive(Default)]
    pub struct Limits {}

    /// Nothing is offered where no controller runs.
    #[derive(Default)]
    pub struct Offer {}

    impl Offer {
        pub fn of(_: &Image) -> Self {
            Offer {}
        }
        pub fn symbol(&self, _: usize) -> Option<Symbol> {
            None
        }
    }

    pub enum Script {}

    impl Script {
        pub fn new(name: &str, _: &str, _: &[String], _: &[String], _: Limits) -> Result<Self, ScriptError> {
            let message = "a JavaScript controller, but this program was built without JavaScript";
            let (name, message) = (name.to_string(), message.to_string());
            Err(ScriptError { name, line: None, column: None, message, hint: None })
        }
        pub fn init(&mut self, _: f64, _: &[(String, f64)]) -> Result<(), ScriptError> {
            match *self {}
        }
        pub fn step(&mut self, _: f64, _: &[f64], _: &mut [f64]) -> Result<(), ScriptError> {
            match *self {}
        }
        pub(crate) fn offer(&mut self, _: Arc<Offer>) {
            match *self {}
        }
        pub(crate) fn take_changes(&mut self) -> Vec<(usize, f64)> {
            match *self {}
        }
        pub fn take_log(&mut self) -> Vec<String> {
            match *self {}
        }
        pub fn remember(&mut self, _: &mut Archive) -> Result<(), String> {
            match *self {}
        }
    }
}

/// The shortest period (s): a run of a second would never see its end.
const SHORTEST: f64 = 1e-12;

/// What a task runs, in its language.
enum TaskProgram {
    JavaScript(Box<Script>),
    Robot(Box<RobotRunner>),
    Levers(Box<LeverRunner>),
}

impl TaskProgram {
    fn step(&mut self, t: f64, inputs: &[f64], outputs: &mut [f64]) -> Result<(), ScriptError> {
        match self {
            TaskProgram::JavaScript(script) => script.step(t, inputs, outputs),
            TaskProgram::Robot(robot) => robot.step(t, inputs, outputs),
            TaskProgram::Levers(levers) => {
                levers.step(inputs, outputs);
                Ok(())
            }
        }
    }

    fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        match self {
            TaskProgram::JavaScript(script) => script.remember(archive).map_err(|e| e.to_string())?,
            TaskProgram::Robot(robot) => robot.remember(archive),
            TaskProgram::Levers(levers) => levers.remember(archive),
        }
        Ok(())
    }

    fn script(&mut self) -> Option<&mut Script> {
        match self {
            TaskProgram::JavaScript(script) => Some(&mut **script),
            TaskProgram::Robot(_) | TaskProgram::Levers(_) => None,
        }
    }
}

struct Due {
    name: String,
    period: f64,
    offset: f64,
    after: bool,
    /// Number of the next instant.
    k: u64,
    program: Option<TaskProgram>,
    outputs: Vec<f64>,
    /// Parameters that the controller has changed, by their place in the offer. Every controller has them: what it may reach through
    /// `model` is known only when it does.
    changed: BTreeMap<usize, f64>,
}

impl Due {
    fn next(&self) -> f64 {
        self.offset + self.k as f64 * self.period // (1)
    }
}

/// All tasks of one run.
pub struct Tasks {
    list: Vec<Due>,
    /// What controllers may change.
    offer: Arc<Offer>,
}

/// The program of a task, of a script its top level and `init` run; None for a task without one. `start`: values of all quantities.
fn begun(
    image: &Image,
    start: &[f64],
    task: &ImageTask,
    period: f64,
    t_0: f64,
) -> Result<Option<TaskProgram>, ScriptError> {
    let ImageAction::Script { language, source, setup, inputs, outputs, parameters } = &task.action else {
        return Ok(None);
    };
    let names: Vec<String> = outputs.iter().map(|(n, _)| n.clone()).collect();
    if let ScriptLanguage::Robot(outline) = language {
        let setup: Vec<f64> = setup.iter().map(|v| v.evaluate(&image.programs, start)).collect();
        if let Some(plane) = outline.levers {
            let levers = LeverRunner::new(&task.name, outline, plane, &setup, period)?;
            return Ok(Some(TaskProgram::Levers(Box::new(levers))));
        }
        let robot = RobotRunner::new(&task.name, outline, source, &setup, inputs, &names)?;
        return Ok(Some(TaskProgram::Robot(Box::new(robot))));
    }
    let mut script = Script::new(&task.name, source, inputs, &names, Limits::default())?;
    let value = |s: &Option<Symbol>| s.map_or(period, |s| start[s.index()]);
    let parameters: Vec<(String, f64)> = parameters.iter().map(|(n, s)| (n.clone(), value(s))).collect();
    script.init(t_0, &parameters)?;
    Ok(Some(TaskProgram::JavaScript(Box::new(script))))
}

/// What is wrong with controllers before any sample: the number of the task, and why its program cannot be read or begin. All of them
/// are run up to the end of `init`.
pub fn script_faults(image: &Image, given: &HashMap<Symbol, f64>, t_0: f64) -> Vec<(usize, ScriptError)> {
    let start = image.start_values(given);
    let fault = |(k, task): (usize, &ImageTask)| {
        let period = task.period.evaluate(&image.programs, &start);
        begun(image, &start, task, period, t_0).err().map(|error| (k, error))
    };
    image.tasks.iter().enumerate().filter_map(fault).collect()
}

fn remember_changes(changed: &mut BTreeMap<usize, f64>, archive: &mut Archive) {
    let mut n = changed.len();
    archive.count(&mut n);
    let mut pairs: Vec<(usize, f64)> = changed.iter().map(|(&place, &value)| (place, value)).collect();
    if archive.reads() {
        pairs.clear();
    }
    for k in 0..n {
        let (mut place, mut value) = pairs.get(k).copied().unwrap_or_default();
        archive.count(&mut place);
        archive.number(&mut value);
        if archive.reads() {
            pairs.push((place, value));
        } else if pairs.len() <= k {
            // The archive ended early, and says so itself.
            return;
        }
    }
    *changed = pairs.into_iter().collect();
}

impl Tasks {
    pub fn new(image: &Image, start: &[f64], t_0: f64) -> Result<Self, TaskError> {
        let mut list = Vec::new();
        let is_script = |task: &ImageTask| {
            matches!(task.action, ImageAction::Script { language: ScriptLanguage::JavaScript, .. })
        };
        let any = image.tasks.iter().any(is_script);
        let offer = Arc::new(if any { Offer::of(image) } else { Offer::default() });
        for task in &image.tasks {
            let period = task.period.evaluate(&image.programs, start);
            let offset = task.offset.evaluate(&image.programs, start);
            if !(period >= SHORTEST && period.is_finite() && offset.is_finite()) {
                return Err(format!(
                    "the period of `{}` must be a time of at least {SHORTEST:e} s, but it is {period} s with offset {offset} s",
                    task.name
                )
                .into());
            }
            let k = ((t_0 - offset) / period).ceil().max(0.0) as u64;
            let mut program = begun(image, start, task, period, t_0)?;
            if let Some(script) = program.as_mut().and_then(TaskProgram::script) {
                script.offer(Arc::clone(&offer));
            }
            let outputs = match &task.action {
                ImageAction::Set(_) => Vec::new(),
                ImageAction::Script { outputs, .. } => vec![0.0; outputs.len()],
            };
            let (name, after) = (task.name.clone(), task.after);
            list.push(Due { name, period, offset, after, k, program, outputs, changed: BTreeMap::new() });
        }
        Ok(Tasks { list, offer })
    }

    /// ∞ without tasks.
    pub fn next_instant(&self) -> f64 {
        self.list.iter().map(Due::next).fold(f64::INFINITY, f64::min)
    }

    /// Whether only those tasks are due at t that wait for the others of the instant.
    pub(crate) fn others_done(&self, t: f64) -> bool {
        self.list.iter().all(|task| task.after || task.next() > t)
    }

    /// True if task `number` is due at t, among those that wait for others or those that do not; it is then scheduled
    /// again.
    pub(crate) fn take_due(&mut self, number: usize, t: f64, after: bool) -> bool {
        let task = &mut self.list[number];
        let due = task.next() <= t && task.after == after;
        while due && task.next() <= t {
            task.k += 1;
        }
        due
    }

    /// Run a controller; `output` then gives what it returned.
    pub(crate) fn run_script(&mut self, number: usize, t: f64, inputs: &[f64]) -> Result<(), ScriptError> {
        let task = &mut self.list[number];
        let Some(program) = &mut task.program else { return Ok(()) };
        program.step(t, inputs, &mut task.outputs)
    }

    /// What a controller asked to change at its last sample: parameters or inputs, and their values (SI).
    pub(crate) fn take_changes(&mut self, number: usize) -> Vec<(Symbol, f64)> {
        let Due { program: Some(program), changed, .. } = &mut self.list[number] else { return vec![] };
        let asked = program.script().map(Script::take_changes).unwrap_or_default();
        changed.extend(asked.iter().copied());
        asked.into_iter().filter_map(|(place, value)| Some((self.offer.symbol(place)?, value))).collect()
    }

    /// All that controllers have changed since the start.
    pub fn changes(&self) -> impl Iterator<Item = (Symbol, f64)> {
        let made = self.list.iter().flat_map(|task| &task.changed);
        made.filter_map(|(&place, &value)| Some((self.offer.symbol(place)?, value)))
    }

    /// Output k of a controller at its last sample.
    pub fn output(&self, number: usize, k: usize) -> f64 {
        self.list[number].outputs[k]
    }

    /// Clocks, last outputs and the memory of controllers.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        for task in &mut self.list {
            archive.word(&mut task.k);
            archive.numbers(&mut task.outputs);
            if let Some(program) = &mut task.program {
                program.remember(archive)?;
                if program.script().is_some() {
                    remember_changes(&mut task.changed, archive);
                }
            }
        }
        Ok(())
    }

    pub fn take_log(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for task in &mut self.list {
            if let Some(script) = task.program.as_mut().and_then(TaskProgram::script) {
                lines.extend(script.take_log().into_iter().map(|l| format!("{}: {l}", task.name)));
            }
        }
        lines
    }
}

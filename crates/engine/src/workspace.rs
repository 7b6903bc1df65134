//! Where models are opened: what they may read, the units a user prefers, and who answers what they leave open.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use trunnion_equations::EvaluationEngine;
use trunnion_model::display::Display;
use trunnion_model::energy::Account;
use trunnion_model::{Deferred, Diagnostic, Model, Severity, load, load_asking};

use crate::Failure;
use crate::elastic_bodies::{ReductionSettings, complete};
use crate::files::{Confined, library};
use crate::given::{shown, split, split_all, typed};
use crate::project::{Project, accounts_of};

/// The message of a parameter without a value.
const MISSING: &str = "M0302";

/// Gives a value to what a model leaves open, or None for what the model proposes.
pub type Answers = Arc<dyn Fn(&Deferred) -> Option<String> + Send + Sync>;

#[derive(Clone, Default)]
pub struct Workspace {
    /// Folders, as they really are.
    allowed: Vec<PathBuf>,
    /// Units for results of models and files that name none.
    pub units: Display,
    pub answers: Option<Answers>,
    /// How elastic parts are reduced.
    pub reduction: ReductionSettings,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("allowed", &self.allowed).field("units", &self.units).finish()
    }
}

/// Values for a model, and those among them that the model proposed itself.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    pub values: Vec<String>,
    pub proposed: Vec<String>,
}

impl Workspace {
    /// Lets all models read below this folder too.
    pub fn allow(&mut self, folder: &std::path::Path) -> std::io::Result<()> {
        self.allowed.push(folder.canonicalize()?);
        Ok(())
    }

    /// The disk as models, components, or folders of them, that the user names may see it.
    pub fn confined(&self, paths: &[String]) -> Confined {
        Confined::to(paths, &self.allowed)
    }

    fn of_model(&self, path: &str, values: &[(String, String)]) -> Confined {
        self.confined(&[path.to_string()]).with_defaults(values)
    }

    /// A model, compiled, with results in the units in which they are to be shown. `values` are changes, each as "path=value".
    pub fn open(&self, path: &str, values: &[String]) -> Result<Project, Failure> {
        self.open_with(path, values, EvaluationEngine::Native)
    }

    pub fn open_with(
        &self,
        path: &str,
        values: &[String],
        engine: EvaluationEngine,
    ) -> Result<Project, Failure> {
        Ok(self.build(path, values, engine)?.shown())
    }

    /// With results in the units of the model's quantities, as they are kept in files.
    pub fn open_stored(&self, path: &str, values: &[String]) -> Result<Project, Failure> {
        self.build(path, values, EvaluationEngine::Native)
    }

    fn build(&self, path: &str, values: &[String], engine: EvaluationEngine) -> Result<Project, Failure> {
        let (model, proposed) = self.reduced_model(path, values)?;
        let project = Project::of_model(model, engine, &self.units, |_, _, _| ())?;
        Ok(Project { proposed, ..project })
    }

    /// With the shapes of its elastic parts.
    fn reduced_model(&self, path: &str, values: &[String]) -> Result<(Model, Vec<String>), Failure> {
        let (mut model, proposed) = self.ask_model(path, values)?;
        let found = complete(&mut model, &self.reduction)?;
        model.warnings.extend(found);
        Ok((model, proposed))
    }

    /// With an account of the energy of every element beside the model's own signals.
    pub fn open_with_energy(
        &self,
        path: &str,
        values: &[String],
    ) -> Result<(Project, Vec<Account>), Failure> {
        let mut accounts = vec![];
        let (model, proposed) = self.reduced_model(path, values)?;
        let project =
            Project::of_model(model, EvaluationEngine::Native, &self.units, |flat, network, mechanism| {
                accounts = accounts_of(flat, network, mechanism);
            })?;
        Ok((Project { proposed, ..project }, accounts))
    }

    /// The model as it is written, without compiling it.
    pub fn read(&self, path: &str, values: &[String]) -> Result<Model, Failure> {
        let values = split_all(values)?;
        load(&self.of_model(path, &values), path, &values, library()).map_err(Failure::Model)
    }

    /// The model with answers to what it leaves open, and what it proposed itself; it has something to simulate.
    pub fn ask_model(&self, path: &str, values: &[String]) -> Result<(Model, Vec<String>), Failure> {
        let given = split_all(values)?;
        let (model, proposed) = match load_asking(&self.of_model(path, &given), path, &given, library()) {
            (model, open) if open.is_empty() => (model.map_err(Failure::Model)?, vec![]),
            _ => {
                let answered = self.answered(path, values)?;
                (self.read(path, &answered.values)?, answered.proposed)
            }
        };
        match model.nothing_to_simulate(path) {
            Some(nothing) => Err(Failure::Model(vec![nothing])),
            None => Ok((model, proposed)),
        }
    }

    /// The values, completed by answers to what the model leaves open.
    pub fn answered(&self, path: &str, values: &[String]) -> Result<Answered, Failure> {
        let mut all = Answered { values: values.to_vec(), proposed: vec![] };
        for open in &self.left_open(path, values)? {
            let answer = self.answers.as_ref().and_then(|ask| ask(open));
            if let (None, Some(si)) = (&answer, open.default) {
                all.proposed.push(format!("{} = {}", open.name, shown(si, open)));
            }
            // Without an answer and a proposal the reader of models says what is missing.
            let value = answer.or(open.default.map(|si| typed(si, open)));
            all.values.extend(value.map(|value| format!("{}={value}", open.name)));
        }
        if self.answers.is_some() {
            // Whoever was asked has seen them.
            all.proposed.clear();
        }
        Ok(all)
    }

    /// The values, completed by those of `known` that the model leaves open.
    pub fn completed(&self, path: &str, values: &[String], known: &[String]) -> Result<Vec<String>, Failure> {
        let open = self.left_open(path, values)?;
        let wanted = |one: &&String| open.iter().any(|d| split(one).is_ok_and(|(name, _)| name == d.name));
        Ok(values.iter().chain(known.iter().filter(wanted)).cloned().collect())
    }

    /// The values completed by some that fit, for looking at a model without running it; and what they stand for.
    pub fn stand_ins(&self, path: &str, values: &[String]) -> Result<(Vec<String>, Vec<Deferred>), Failure> {
        let deferred = self.left_open(path, values)?;
        let mut values = values.to_vec();
        for open in &deferred {
            let (low, high) = open.range;
            let si = open.default.unwrap_or(match (low.is_finite(), high.is_finite()) {
                (true, true) => 0.5 * (low + high),
                (true, false) => low + low.abs().max(1.0),
                (false, true) => high - high.abs().max(1.0),
                (false, false) => 1.0,
            });
            values.push(format!("{}={}", open.name, typed(si, open)));
        }
        Ok((values, deferred))
    }

    /// Values that are not given yet. A model with other errors leaves nothing open: they come first.
    fn left_open(&self, path: &str, values: &[String]) -> Result<Vec<Deferred>, Failure> {
        let values = split_all(values)?;
        let (model, deferred) = load_asking(&self.of_model(path, &values), path, &values, library());
        let other = |d: &Diagnostic| d.severity == Severity::Error && d.code != MISSING;
        Ok(if model.is_err_and(|list| list.iter().any(other)) { vec![] } else { deferred })
    }
}

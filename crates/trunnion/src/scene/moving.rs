//! A mechanism that moves: from results and the model they are of, or from a model that is run for it.

use std::collections::HashMap;
use std::path::Path;

use super::{Poses, Scene};
use crate::failure::Failure;
use crate::output::tell;
use crate::project::Project;
use crate::signals::{is_model, run_project};
use crate::simulate::Overrides;
use trunnion_num::space::{minus, norm};

pub struct Moving {
    /// Of the model.
    pub name: String,
    pub scene: Scene,
    pub poses: Poses,
}

/// Rows that are looked at for the shortest length of a line.
const LOOKS: usize = 200;

impl Moving {
    /// `model` says what results are of; `at` are times a run is to stop at.
    pub fn open(file: &str, model: Option<&str>, sets: &[String], at: &[f64]) -> Result<Moving, Failure> {
        let path = match (is_model(file), model) {
            (true, _) => file,
            (false, Some(model)) => model,
            (false, None) => {
                return Err(Failure::usage_hint(
                    format!("`{file}` does not say what the bodies look like"),
                    "name the model it is of with --model MODEL.toml, or give the model itself",
                ));
            }
        };
        let project = Project::open(path, sets)?;
        if project.mechanism.is_empty() {
            return Err(Failure::usage_hint(
                format!("`{path}` has no bodies to be drawn"),
                "they stand in [bodies]; without --view, `plot` draws signals",
            ));
        }
        let table = match is_model(file) {
            true => run_project(&project, path, &Overrides::default(), at)?.0,
            false => trunnion_results::read(Path::new(file))?,
        };
        if table.metadata.get("model_hash").is_some_and(|hash| *hash != project.hash) {
            tell(format_args!(
                "warning: `{path}` was changed since the run, or is another model than that of `{file}`"
            ));
        }
        let start = project.prepared.system.start(&HashMap::new());
        // Without a spring of its own it is a cylinder, or the like.
        let system = &project.prepared.system;
        let coil =
            |line: &trunnion_model::mechanism::Line| system.find(&format!("{}.k", line.name)).is_some();
        let scene = Scene::of(&project.mechanism, |e| start.evaluate(e), coil);
        let poses = Poses::of(&scene, &table)?;
        Ok(Moving { name: project.name, scene, poses })
    }

    /// The shortest length of every line.
    pub fn shortest(&self) -> Vec<f64> {
        let times = &self.poses.times;
        let mut shortest = vec![f64::INFINITY; self.scene.lines.len()];
        for t in times.iter().step_by((times.len() / LOOKS).max(1)) {
            let poses = self.poses.at(*t);
            for (k, line) in self.scene.lines.iter().enumerate() {
                let [a, b] = line.ends.map(|spot| poses[spot.body].of(spot.p));
                shortest[k] = shortest[k].min(norm(minus(b, a)));
            }
        }
        shortest
    }
}

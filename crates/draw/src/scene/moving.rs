//! A mechanism that moves: a model and results of it.

use std::collections::HashMap;

use trunnion_engine::{Failure, Project};
use trunnion_model::mechanism::Line;
use trunnion_num::space::{minus, norm};
use trunnion_results::Table;

use super::{Poses, Scene};

pub struct Moving {
    /// Of the model.
    pub name: String,
    pub scene: Scene,
    pub poses: Poses,
}

/// Rows that are looked at for the shortest length of a line.
const LOOKS: usize = 200;

impl Moving {
    pub fn new(project: &Project, table: &Table) -> Result<Moving, Failure> {
        let system = &project.prepared.system;
        let start = system.start(&HashMap::new());
        // Without a spring of its own it is a cylinder, or the like.
        let coil = |line: &Line| system.find(&format!("{}.k", line.name)).is_some();
        let scene = Scene::of(&project.mechanism, |e| start.evaluate(e), coil);
        let poses = Poses::of(&scene, table)?;
        Ok(Moving { name: project.name.clone(), scene, poses })
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

//! A mechanism that moves: a model and results of it.

use std::collections::HashMap;

use trunnion_engine::{Failure, Project};
use trunnion_model::mechanism::ForceLine;
use trunnion_num::space::{Point, minus, norm};
use trunnion_results::Table;

use super::{Poses, Scene};

pub struct Moving {
    /// Of the model.
    pub name: String,
    pub scene: Scene,
    pub poses: Poses,
}

/// Times that are looked at for poses that differ, and rows for the shortest length of a line.
const LOOKS: usize = 200;
/// Poses nearer to each other than this share of the largest displacement are one.
const SAME_POSE: f64 = 0.02;
/// A mechanism that moves by less than this share of its extent rests.
const ROUNDING: f64 = 1e-9;

impl Moving {
    pub fn new(project: &Project, table: &Table) -> Result<Moving, Failure> {
        let system = &project.prepared.system;
        let start = system.start(&HashMap::new());
        // Without a spring of its own it is a cylinder, or the like.
        let coil = |line: &ForceLine| system.find(&format!("{}.k", line.name)).is_some();
        let scene = Scene::of(&project.mechanism, |e| start.evaluate(e), coil);
        let poses = Poses::of(&scene, table)?;
        Ok(Moving { name: project.name.clone(), scene, poses })
    }

    /// So many times, or fewer, at which the poses differ most: each next one has the pose farthest from all before. In their order.
    pub fn distinct_times(&self, from: f64, to: f64, n: usize) -> Vec<f64> {
        // To three digits of the stretch, so that they read well.
        let step = 10_f64.powi((to - from).max(f64::MIN_POSITIVE).log10().floor() as i32 - 2);
        let rounded = |t: f64| ((t / step).round() * step).clamp(from, to);
        let times: Vec<f64> =
            (0..=LOOKS).map(|k| rounded(from + (to - from) * k as f64 / LOOKS as f64)).collect();
        let spots = self.scene.spots();
        let place = |t: &f64| -> Vec<Point> {
            let poses = self.poses.at(*t);
            spots.iter().map(|spot| poses[spot.body].of(spot.p)).collect()
        };
        let places: Vec<Vec<Point>> = times.iter().map(place).collect();
        let apart = |a: usize, b: usize| {
            let gaps = places[a].iter().zip(&places[b]).map(|(&p, &q)| norm(minus(p, q)));
            gaps.fold(0.0, f64::max)
        };
        let mut chosen = vec![0];
        let mut nearest: Vec<f64> = (0..times.len()).map(|k| apart(k, 0)).collect();
        let farthest = nearest.iter().copied().fold(0.0, f64::max);
        let extent = places[0].iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let least = (SAME_POSE * farthest).max(ROUNDING * extent);
        while chosen.len() < n {
            // Of equal ones the last: the end of a run rather than a time before it.
            let best = (0..times.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b])).unwrap_or(0);
            if nearest[best] <= least {
                break;
            }
            chosen.push(best);
            (0..times.len()).for_each(|k| nearest[k] = nearest[k].min(apart(k, best)));
        }
        chosen.sort_unstable();
        chosen.into_iter().map(|k| times[k]).collect()
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

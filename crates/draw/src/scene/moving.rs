//! A mechanism that moves: a model and results of it.

use std::collections::HashMap;

use trunnion_engine::{Failure, Project};
use trunnion_model::mechanism::{ForceLine, ModalInterface};
use trunnion_num::space::{Point, Pose, from_quaternion, minus, norm};
use trunnion_results::{Table, nearest};

use super::follow::{BodyPlacement, followed};
use super::{BodyPoint, DeformationView, PoseSnapshot, Poses, Scene, ScenePicture, SceneSkin, ViewDirection};
use crate::request_error::DrawingError;

pub struct Moving {
    /// Of the model.
    pub name: String,
    pub scene: Scene,
    pub poses: Poses,
    pub look: DeformationView,
}

/// Times that are looked at for poses that differ, and rows for the shortest length of a line.
const LOOKS: usize = 200;
/// Poses nearer to each other than this share of the largest displacement are one.
const SAME_POSE: f64 = 0.02;
/// A mechanism that moves by less than this share of its extent rests.
const ROUNDING: f64 = 1e-9;
/// An amplitude in which any motion is linear, and far above rounding.
const SMALL: f64 = 1e-6;
/// Points of a path that are drawn at most.
const MOST_POINTS: usize = 4000;

impl Moving {
    pub fn new(project: &Project, table: &Table, look: DeformationView) -> Result<Moving, Failure> {
        if !look.exaggeration.is_finite() {
            return Err(DrawingError::Exaggeration.into());
        }
        let system = &project.prepared.system;
        let start = system.start(&HashMap::new());
        // Without a spring of its own it is a cylinder, or the like.
        let coil = |line: &ForceLine| system.find(&format!("{}.k", line.name)).is_some();
        let mut scene = Scene::of(&project.mechanism, |e| start.evaluate(e), coil);
        let mut poses = Poses::of(&scene, table)?;
        for part in &project.elastic_parts() {
            let body = &mut scene.bodies[part.body];
            // Shapes of its own show a body as its file wants it.
            if project.mechanism.bodies[part.body].shapes.len() > part.drawn {
                continue;
            }
            let skin = part.skin().map_err(|error| Failure::Picture {
                message: format!("`{}` cannot be drawn: {error}", body.name),
                hint: None,
            })?;
            poses.shapes.push(part.coordinates(&body.name, table)?);
            body.parts.clear();
            let modal = project.mechanism.bodies[part.body].inertia.modal();
            let interfaces = modal.map_or(vec![], |modal| {
                let columns = |at: &ModalInterface| {
                    at.translation.iter().copied().zip(at.rotation.iter().copied()).collect()
                };
                modal.data.interfaces.iter().map(columns).collect()
            });
            scene.skins.push(SceneSkin { body: part.body, skin, interfaces });
        }
        Ok(Moving { name: project.name.clone(), scene, poses, look })
    }

    /// Whether bodies are drawn elsewhere than they are.
    pub(super) fn follows(&self) -> bool {
        !self.scene.skins.is_empty() && self.look.exaggeration != 1.0
    }

    /// Where all bodies are drawn, the world first.
    pub(super) fn placements(&self, t: f64) -> Vec<BodyPlacement> {
        let of = |body: usize| {
            let (p, q) = self.poses.of_body(body, t);
            BodyPlacement { p, q }
        };
        let world = BodyPlacement { p: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0] };
        let real: Vec<BodyPlacement> =
            std::iter::once(world).chain((1..self.scene.bodies.len()).map(of)).collect();
        if !self.follows() {
            return real;
        }
        let shapes: Vec<Vec<f64>> = (0..self.scene.skins.len()).map(|k| self.poses.shape_at(k, t)).collect();
        followed(&self.scene, &real, &shapes, self.look.exaggeration)
    }

    /// All bodies and what moves with elastic ones, without their surfaces.
    pub(crate) fn frames(&self, t: f64) -> PoseSnapshot {
        let mut moved = vec![];
        for (k, skin) in self.scene.skins.iter().enumerate() {
            let q = self.poses.shape_at(k, t);
            let one = |i: usize| (skin.body, i, skin.interface(i, &q, self.look.exaggeration).0);
            moved.extend((0..skin.interfaces.len()).map(one));
        }
        let pose = |at: BodyPlacement| Pose { p: at.p, r: from_quaternion(at.q) };
        let poses = self.placements(t).into_iter().map(pose).collect();
        PoseSnapshot { t, poses, bent: vec![], moved }
    }

    /// Everything at one instant.
    pub fn snapshot(&self, t: f64) -> PoseSnapshot {
        let bent =
            |(k, skin): (usize, &SceneSkin)| skin.bent(&self.poses.shape_at(k, t), self.look.exaggeration);
        PoseSnapshot { bent: self.scene.skins.iter().enumerate().map(bent).collect(), ..self.frames(t) }
    }

    /// A picture of these times, with paths of points.
    pub fn picture(
        &self,
        view: ViewDirection,
        times: &[f64],
        traces: Vec<(String, Vec<Point>)>,
    ) -> ScenePicture<'_> {
        ScenePicture {
            scene: &self.scene,
            view: if self.scene.planar { view.of_plane() } else { view },
            title: self.name.clone(),
            shots: times.iter().map(|&t| self.snapshot(t)).collect(),
            traces,
            shortest: self.shortest(),
            stress: self.look.stress,
            caption: None,
        }
    }

    /// Where a point, by its name, goes between two times.
    pub fn path(&self, name: &str, from: f64, to: f64) -> Result<Vec<Point>, Failure> {
        let spot: BodyPoint = self.scene.point(name).ok_or_else(|| {
            let known = self.scene.point_names();
            let near = nearest(name, known.iter().copied());
            DrawingError::UnknownPoint {
                name: name.into(),
                near: near.iter().map(|n| n.to_string()).collect(),
                known: known.iter().map(|n| n.to_string()).collect(),
            }
        })?;
        let rows: Vec<f64> = self.poses.times.iter().copied().filter(|t| (from..=to).contains(t)).collect();
        let times = rows.iter().step_by((rows.len() / MOST_POINTS).max(1)).chain(rows.last());
        Ok(times.map(|&t| self.frames(t).place(spot)).collect())
    }

    /// From one time to another, as far as there are results.
    pub fn stretch(&self, from: Option<f64>, to: Option<f64>) -> (f64, f64) {
        let (first, last) = (self.poses.first(), self.poses.last());
        let from = from.unwrap_or(first).clamp(first, last);
        (from, to.unwrap_or(last).clamp(from, last))
    }

    /// These times, or so many at which poses differ most, or the first; in their order.
    pub fn chosen_times(
        &self,
        at: &[f64],
        frames: Option<usize>,
        from: f64,
        to: f64,
    ) -> Result<Vec<f64>, Failure> {
        let mut times = match frames {
            Some(0) => return Err(DrawingError::Poses.into()),
            Some(n) => self.distinct_times(from, to, n),
            None if at.is_empty() => vec![from],
            None => at.to_vec(),
        };
        times.sort_by(f64::total_cmp);
        let (first, last) = (self.poses.first(), self.poses.last());
        match times.iter().find(|t| !(first..=last).contains(*t)) {
            Some(&t) => Err(DrawingError::Time { t, first, last }.into()),
            None => Ok(times),
        }
    }

    /// So many times, or fewer, at which the poses differ most: each next one has the pose farthest from all before. In their order.
    pub(super) fn distinct_times(&self, from: f64, to: f64, n: usize) -> Vec<f64> {
        // To three digits of the stretch, so that they read well.
        let step = 10_f64.powi((to - from).max(f64::MIN_POSITIVE).log10().floor() as i32 - 2);
        let rounded = |t: f64| ((t / step).round() * step).clamp(from, to);
        let times: Vec<f64> =
            (0..=LOOKS).map(|k| rounded(from + (to - from) * k as f64 / LOOKS as f64)).collect();
        let spots = self.scene.spots();
        let place = |t: &f64| -> Vec<Point> {
            let shot = self.frames(*t);
            spots.iter().map(|&spot| shot.place(spot)).collect()
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

    /// A motion whose amplitude is free: `table` gives it, and so large it is that points move by this share of the extent between two times.
    pub fn of_size(
        project: &Project,
        table: impl Fn(f64) -> Table,
        share: f64,
        [from, to]: [f64; 2],
    ) -> Result<Moving, Failure> {
        let moving = |amplitude: f64| Moving::new(project, &table(amplitude), DeformationView::default());
        let reach = moving(SMALL)?.reach(from, to);
        if reach < ROUNDING * SMALL {
            return Err(DrawingError::NothingMoves.into());
        }
        moving(SMALL * share / reach)
    }

    /// The largest displacement of any point between two times, as a share of the extent of the mechanism.
    fn reach(&self, from: f64, to: f64) -> f64 {
        let spots = self.scene.spots();
        let places = |t: f64| -> Vec<Point> {
            let shot = self.snapshot(t);
            let bodies = shot.poses.iter().map(|pose| pose.p);
            let bent =
                shot.bent.iter().flat_map(|b| b.solid.corners.iter().map(|&p| shot.poses[b.body].of(p)));
            bodies.chain(bent).chain(spots.iter().map(|&spot| shot.place(spot))).collect()
        };
        let (a, b) = (places(from), places(to));
        let extent = a.iter().map(|&p| norm(minus(p, a[0]))).fold(f64::MIN_POSITIVE, f64::max);
        a.iter().zip(&b).map(|(&p, &q)| norm(minus(p, q))).fold(0.0, f64::max) / extent
    }

    /// The shortest length of every line.
    pub fn shortest(&self) -> Vec<f64> {
        let times = &self.poses.times;
        let mut shortest = vec![f64::INFINITY; self.scene.lines.len()];
        for t in times.iter().step_by((times.len() / LOOKS).max(1)) {
            let shot = self.frames(*t);
            for (k, line) in self.scene.lines.iter().enumerate() {
                let [a, b] = line.ends.map(|spot| shot.place(spot));
                shortest[k] = shortest[k].min(norm(minus(b, a)));
            }
        }
        shortest
    }
}

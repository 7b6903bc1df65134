//! A mechanism to look at: shapes with numbers in them, where joints and lines are, and how all of it moves.

mod coloured_face;
mod follow;
mod glb;
mod glb_skin;
mod moving;
mod order;
mod picture;
mod poses;
mod skin;
mod solid;
mod stage;
mod view;

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::Expr;
use trunnion_model::mechanism::{self as given, JointMark, Mechanism};

use trunnion_exchange::mesh::Triangle;
use trunnion_num::space::{Point, Pose, cross, minus, norm, unit};

pub use glb::glb;
pub use moving::Moving;
pub use picture::{PoseSnapshot, ScenePicture};
pub use poses::Poses;
pub use skin::{BentBody, DeformationView, SceneSkin};
pub use view::ViewDirection;

#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// All of it lies in the xy plane.
    pub planar: bool,
    /// The first one is the world.
    pub bodies: Vec<SceneBody>,
    pub joints: Vec<JointSymbol>,
    pub lines: Vec<Strut>,
    /// Elastic bodies; their surface stands for their parts.
    pub skins: Vec<SceneSkin>,
    /// Where joints join bodies.
    links: Vec<[BodyPoint; 2]>,
    /// Every point that has a name.
    points: HashMap<String, BodyPoint>,
}

#[derive(Clone, Debug)]
pub struct SceneBody {
    pub name: String,
    pub parts: Vec<ScenePart>,
}

#[derive(Clone, Debug)]
pub struct ScenePart {
    pub form: SceneGeometry,
    /// Seen from the body.
    pub pose: Pose,
    pub colour: Option<[u8; 3]>,
}

#[derive(Clone, Debug)]
pub enum SceneGeometry {
    Box(Point),
    Cylinder {
        radius: f64,
        length: f64,
    },
    Sphere(f64),
    /// From the origin along x.
    Rod(f64),
    Mesh(Arc<Vec<Triangle>>),
}

/// A point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    pub body: usize,
    pub p: Point,
    /// The interface of an elastic body that it moves with.
    pub interface: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct JointSymbol {
    pub spot: BodyPoint,
    /// A square for what slides, a circle for what turns.
    pub slides: bool,
}

#[derive(Clone, Debug)]
pub struct Strut {
    pub name: String,
    pub ends: [BodyPoint; 2],
    /// Drawn as a coil; otherwise as a cylinder with its rod.
    pub coil: bool,
}

impl Scene {
    /// `value` gives an expression of parameters its number; `coil` says which lines are springs.
    pub fn of(
        mechanism: &Mechanism,
        value: impl Fn(Expr) -> f64,
        coil: impl Fn(&given::ForceLine) -> bool,
    ) -> Scene {
        let point = |p: &[Expr; 3]| p.map(&value);
        let pose = |f: &given::Frame| Pose { p: point(&f.p), r: f.r.map(|row| row.map(&value)) };
        let spot = |f: &given::Frame| BodyPoint { body: f.body, p: point(&f.p), interface: f.interface };
        let form = |form: &given::BodyGeometry| match form {
            given::BodyGeometry::Box(size) => SceneGeometry::Box(point(size)),
            given::BodyGeometry::Cylinder(radius, length) => {
                SceneGeometry::Cylinder { radius: value(*radius), length: value(*length) }
            }
            given::BodyGeometry::Sphere(radius) => SceneGeometry::Sphere(value(*radius)),
            given::BodyGeometry::Rod(length) => SceneGeometry::Rod(value(*length)),
            given::BodyGeometry::Mesh { triangles, .. } => SceneGeometry::Mesh(triangles.clone()),
        };
        let part = |s: &given::BodyShape| ScenePart {
            form: form(&s.form),
            pose: pose(&s.frame),
            colour: s.color.as_deref().and_then(colour),
        };
        let mut scene = Scene { planar: mechanism.planar, ..Scene::default() };
        for body in &mechanism.bodies {
            let mut parts: Vec<ScenePart> = body.shapes.iter().map(part).collect();
            // Beside other shapes the rod only says how the mass is spread.
            if parts.iter().any(|p| !matches!(p.form, SceneGeometry::Rod(_))) {
                parts.retain(|p| !matches!(p.form, SceneGeometry::Rod(_)));
            }
            scene.bodies.push(SceneBody { name: body.name.clone(), parts });
        }
        for joint in mechanism.joints.iter().filter(|j| j.kind.mark != JointMark::None) {
            let slides = joint.kind.mark == JointMark::Slide;
            scene.joints.push(JointSymbol { spot: spot(&joint.child), slides });
        }
        scene.links = mechanism.joints.iter().map(|j| [spot(&j.parent), spot(&j.child)]).collect();
        for line in &mechanism.lines {
            let ends = [spot(&line.from), spot(&line.to)];
            scene.lines.push(Strut { name: line.name.clone(), ends, coil: coil(line) });
        }
        for frame in &mechanism.frames {
            scene.points.insert(frame.name.clone(), spot(frame));
        }
        for sensor in &mechanism.sensors {
            scene.points.entry(sensor.name.clone()).or_insert(spot(&sensor.of));
        }
        let center = |inertia: &given::BodyInertia| match inertia {
            given::BodyInertia::Rigid(rigid) => point(&rigid.center),
            given::BodyInertia::Modal(modal) => modal.data.center(),
        };
        let centers: Vec<Point> = mechanism.bodies.iter().map(|b| center(&b.inertia)).collect();
        scene
            .complete(mechanism.joints.iter().map(|j| [spot(&j.child), spot(&j.parent)]).collect(), &centers);
        scene
    }

    /// Bodies without shapes become rods between the points where something is joined to them.
    fn complete(&mut self, joints: Vec<[BodyPoint; 2]>, centers: &[Point]) {
        let spots = joints.iter().flatten().chain(self.lines.iter().flat_map(|l| &l.ends));
        let mut on: Vec<Vec<Point>> = vec![vec![]; self.bodies.len()];
        for spot in spots {
            let near = |q: &Point| norm(minus(*q, spot.p)) <= 1e-9 * (1.0 + norm(*q));
            if let Some(list) = on.get_mut(spot.body).filter(|list| !list.iter().any(near)) {
                list.push(spot.p);
            }
        }
        for (k, body) in self.bodies.iter_mut().enumerate().skip(1).filter(|(_, b)| b.parts.is_empty()) {
            let ends = match &on[k][..] {
                [only] => vec![*only, centers[k]],
                several => several.to_vec(),
            };
            let rods = ends.iter().skip(1).filter_map(|&end| rod(ends[0], end));
            body.parts.extend(rods);
        }
    }

    /// A point by the name of a body, a frame or a sensor.
    pub fn point(&self, name: &str) -> Option<BodyPoint> {
        self.points.get(name).copied()
    }

    /// Where bodies are joined, where lines end, and all that has a name.
    fn spots(&self) -> Vec<BodyPoint> {
        let joints = self.joints.iter().map(|joint| joint.spot);
        let mut all: Vec<BodyPoint> = joints
            .chain(self.lines.iter().flat_map(|line| line.ends))
            .chain(self.points.values().copied())
            .collect();
        all.retain(|spot| spot.body > 0);
        all
    }

    pub(crate) fn point_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.points.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

fn rod(from: Point, to: Point) -> Option<ScenePart> {
    let along = minus(to, from);
    let x = unit(along)?;
    // Any axis that is not along it gives the others.
    let least = if x[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    let y = unit(cross(least, x))?;
    let z = cross(x, y);
    let r = [0, 1, 2].map(|i| [x[i], y[i], z[i]]);
    Some(ScenePart { form: SceneGeometry::Rod(norm(along)), pose: Pose { p: from, r }, colour: None })
}

/// Of "#rrggbb".
fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
    let byte = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok();
    Some([byte(0)?, byte(1)?, byte(2)?])
}

#[cfg(test)]
mod tests;

//! A scene at one instant as pieces to be painted, in the axes of a view.

use super::coloured_face::ColouredFace;
use super::order::PaintedFace;
use super::solid::SolidMesh;
use super::view::ViewDirection;
use super::{BodyPoint, PoseSnapshot, Scene, SceneGeometry};
use crate::plot::colour::PALETTE;
use trunnion_num::space::{Point, Pose, apply, between, dot, minus, norm, plus, product, times, unit};

/// Radius of rods, as a share of the size of the scene.
pub(crate) const ROD: f64 = 0.0085;
/// From the upper left, before the scene.
const LIGHT: Point = [-0.35, 0.55, 0.76];
const WORLD: [u8; 3] = [0xc3, 0xc8, 0xd0];
const STEEL: [u8; 3] = [0x4a, 0x50, 0x5a];
const BARREL: [u8; 3] = [0x9a, 0xa3, 0xb0];
/// Bends of a coil.
const BENDS: usize = 14;

/// How pieces are painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// None: only strokes.
    pub fill: Option<[u8; 3]>,
    pub line: [u8; 3],
}

pub struct Stage<'a> {
    scene: &'a Scene,
    view: ViewDirection,
    /// For every body, for every part.
    solids: Vec<Vec<SolidMesh>>,
    /// Of rods.
    radius: f64,
    /// Shortest length of every line at any time: what its cylinder can be.
    shortest: &'a [f64],
    /// The highest stress of the colours; None: bodies have their own.
    highest: Option<f64>,
}

/// Lowest and highest place to the right, up and towards the viewer.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub low: Point,
    pub high: Point,
}

impl Extent {
    fn of(points: impl Iterator<Item = Point>) -> Extent {
        let start = Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        points.fold(start, |e, p| Extent {
            low: [0, 1, 2].map(|i| e.low[i].min(p[i])),
            high: [0, 1, 2].map(|i| e.high[i].max(p[i])),
        })
    }

    pub fn size(&self) -> f64 {
        let size = norm(minus(self.high, self.low));
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }
}

impl<'a> Stage<'a> {
    /// With the extent of all there is to see at these poses and on the way.
    pub fn new(
        scene: &'a Scene,
        view: ViewDirection,
        shots: &[&PoseSnapshot],
        way: &[Point],
        shortest: &'a [f64],
        highest: Option<f64>,
    ) -> (Self, Extent) {
        let solids = |radius: f64| -> Vec<Vec<SolidMesh>> {
            let one =
                |body: &super::SceneBody| body.parts.iter().map(|p| SolidMesh::of(&p.form, radius)).collect();
            scene.bodies.iter().map(one).collect()
        };
        let mut stage = Stage { scene, view, solids: solids(0.0), radius: 0.0, shortest, highest };
        let corners = shots.iter().flat_map(|shot| stage.corners(shot));
        let extent = Extent::of(corners.chain(way.iter().copied()).map(|p| view.of(p)));
        stage.radius = ROD * extent.size();
        stage.solids = solids(stage.radius);
        (stage, extent)
    }

    fn corners(&self, shot: &PoseSnapshot) -> Vec<Point> {
        let mut all = vec![];
        let poses = &shot.poses;
        for bent in &shot.bent {
            all.extend(bent.solid.corners.iter().map(|&p| poses[bent.body].of(p)));
        }
        for (k, body) in self.scene.bodies.iter().enumerate() {
            for (part, solid) in body.parts.iter().zip(&self.solids[k]) {
                let pose = poses[k].then(part.pose);
                all.extend(solid.corners.iter().map(|&p| pose.of(p)));
            }
        }
        let spots =
            self.scene.lines.iter().flat_map(|l| l.ends).chain(self.scene.joints.iter().map(|j| j.spot));
        all.extend(spots.map(|spot| shot.place(spot)));
        all
    }

    /// Where a point of a body is in the view.
    pub fn place(&self, shot: &PoseSnapshot, spot: BodyPoint) -> Point {
        self.view.of(shot.place(spot))
    }

    /// The world, or all the rest.
    pub fn pieces(&self, shot: &PoseSnapshot, world: bool, paints: &mut Vec<Paint>) -> Vec<PaintedFace> {
        let mut pieces = vec![];
        let poses = &shot.poses;
        for (k, body) in self.scene.bodies.iter().enumerate().filter(|(k, _)| (*k == 0) == world) {
            for (part, solid) in body.parts.iter().zip(&self.solids[k]) {
                let base = part.colour.unwrap_or_else(|| own_colour(k));
                let pose = poses[k].then(part.pose);
                match part.form {
                    SceneGeometry::Rod(length) => {
                        let ends = [[0.0; 3], [length, 0.0, 0.0]].map(|p| self.view.of(pose.of(p)));
                        // Later bodies lie above earlier ones where rods of a plane cross.
                        let raise = self.radius * (1.0 + 0.02 * k as f64);
                        let paint = put(paints, Paint { fill: Some(base), line: mixed(base, [0; 3], 0.55) });
                        pieces.extend(bar(ends, self.radius, raise, paint));
                    }
                    _ => self.faces(solid, pose, base, None, paints, &mut pieces),
                }
            }
        }
        if !world {
            for bent in &shot.bent {
                let stress = self.highest.map(|highest| (&bent.stress[..], highest));
                self.faces(&bent.solid, poses[bent.body], own_colour(bent.body), stress, paints, &mut pieces);
            }
            for k in 0..self.scene.lines.len() {
                self.strut(k, shot, paints, &mut pieces);
            }
        }
        pieces
    }

    /// Faces that look at the viewer; of what is open, all. Their colour is `base`, or that of the stress at corners beside the highest one.
    fn faces(
        &self,
        solid: &SolidMesh,
        pose: Pose,
        base: [u8; 3],
        stress: Option<(&[f64], f64)>,
        paints: &mut Vec<Paint>,
        pieces: &mut Vec<PaintedFace>,
    ) {
        let turn = product(self.view.turn(), pose.r);
        let corners: Vec<Point> = solid.corners.iter().map(|&p| self.view.of(pose.of(p))).collect();
        let normals: Vec<Point> = solid.normals.iter().map(|&n| apply(turn, n)).collect();
        // Edge-on faces cover nothing.
        let front = |k: usize| normals[k][2] > 1e-9;
        for (k, face) in solid.faces.iter().enumerate() {
            if solid.closed && !front(k) {
                continue;
            }
            let normal = if front(k) { normals[k] } else { times(-1.0, normals[k]) };
            let outline = |i: usize| solid.beyond[k][i].is_some_and(|other| front(k) != front(other));
            let whole = ColouredFace {
                points: face.iter().map(|&c| corners[c]).collect(),
                edges: (0..face.len()).map(|i| solid.sharp(k, i) || outline(i)).collect(),
                shares: stress.map(|(all, highest)| face.iter().map(|&c| all[c] / highest).collect()),
            };
            for part in whole.divided() {
                let own = part.colour().unwrap_or(base);
                let fill = Some(shaded(own, normal));
                let paint = put(paints, Paint { fill, line: mixed(own, [0; 3], 0.6) });
                pieces.push(PaintedFace { points: part.points, edges: part.edges, paint });
            }
        }
    }

    fn strut(&self, k: usize, shot: &PoseSnapshot, paints: &mut Vec<Paint>, pieces: &mut Vec<PaintedFace>) {
        let strut = &self.scene.lines[k];
        let ends = strut.ends.map(|spot| self.place(shot, spot));
        let [a, b] = ends.map(|p| plus(p, [0.0, 0.0, 1.5 * self.radius]));
        let Some(across) = unit([a[1] - b[1], b[0] - a[0], 0.0]) else { return };
        if strut.coil {
            let paint = put(paints, Paint { fill: None, line: STEEL });
            let point = |i: usize| {
                let side = [0.0, 1.0, -1.0][if i == 0 || i > BENDS { 0 } else { 1 + i % 2 }];
                let share = 0.15 + 0.7 * (i as f64 - 0.5) / BENDS as f64;
                plus(between(a, b, share.clamp(0.15, 0.85)), times(2.0 * side * self.radius, across))
            };
            let path: Vec<Point> = [a].into_iter().chain((0..=BENDS + 1).map(point)).chain([b]).collect();
            let stroke =
                |pair: &[Point]| PaintedFace { points: pair.to_vec(), edges: vec![true, false], paint };
            pieces.extend(path.windows(2).map(stroke));
            return;
        }
        let length = norm(minus(b, a));
        let full = norm(minus(shot.place(strut.ends[1]), shot.place(strut.ends[0])));
        // A little of the rod is always seen.
        let barrel =
            0.82 * self.shortest.get(k).copied().unwrap_or(full).min(full) * length / full.max(1e-300);
        let end = between(a, b, if length > 0.0 { barrel / length } else { 0.0 });
        let rod = put(paints, Paint { fill: Some([0xe4, 0xe7, 0xec]), line: STEEL });
        let case = put(paints, Paint { fill: Some(BARREL), line: STEEL });
        pieces.extend(bar([end, b], 0.55 * self.radius, 0.0, rod));
        pieces.extend(bar([a, end], 1.25 * self.radius, 0.3 * self.radius, case));
    }
}

/// The number of a paint.
fn put(paints: &mut Vec<Paint>, paint: Paint) -> usize {
    // Neighbouring faces often have the same one.
    if paints.last() != Some(&paint) {
        paints.push(paint);
    }
    paints.len() - 1
}

/// A bar with round ends that lies flat before the viewer, raised towards him.
fn bar([a, b]: [Point; 2], radius: f64, raise: f64, paint: usize) -> Option<PaintedFace> {
    let up = [0.0, 0.0, raise];
    let (a, b) = (plus(a, up), plus(b, up));
    let along = unit(minus(b, a))?;
    // Seen from its end a bar is a disc.
    let across = unit([-along[1], along[0], 0.0]).unwrap_or([1.0, 0.0, 0.0]);
    let along = if along[2].abs() > 0.999 { [0.0, 1.0, 0.0] } else { along };
    let half = |centre: Point, from: f64| {
        (0..=12).map(move |k| {
            let (s, c) = (from + std::f64::consts::PI * k as f64 / 12.0).sin_cos();
            plus(centre, plus(times(radius * c, across), times(radius * s, along)))
        })
    };
    let points: Vec<Point> = half(b, 0.0).chain(half(a, std::f64::consts::PI)).collect();
    Some(PaintedFace { edges: vec![true; points.len()], points, paint })
}

/// Colours of the charts, lighter, so that edges stay visible on them.
pub(crate) fn own_colour(body: usize) -> [u8; 3] {
    match body {
        0 => WORLD,
        k => mixed(super::colour(PALETTE[(k - 1) % PALETTE.len()]).unwrap_or(WORLD), [255; 3], 0.42),
    }
}

/// Between a (0) and b (1).
fn mixed(a: [u8; 3], b: [u8; 3], share: f64) -> [u8; 3] {
    [0, 1, 2].map(|i| ((1.0 - share) * f64::from(a[i]) + share * f64::from(b[i])).round() as u8)
}

/// Darker where a face turns away from the light, lighter where it looks into it.
fn shaded(base: [u8; 3], normal: Point) -> [u8; 3] {
    let light = dot(normal, LIGHT);
    match light < 0.7 {
        true => mixed(base, [0; 3], 0.42 * (0.7 - light) / 1.7),
        false => mixed(base, [255; 3], 0.5 * (light - 0.7)),
    }
}

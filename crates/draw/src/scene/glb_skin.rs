//! Elastic bodies in glTF: a morph target for each elastic coordinate, weighted over time by its value.
//!
//!   x = x_0 + Σ_a w_a(t) Φ_a,   w_a = s q_a                 s: exaggeration                                       (1)
//!
//! With colours by stress each corner has that of its highest stress of the run.

use serde_json::{Value, json};

use super::Moving;
use super::glb::GlbWriter;
use super::skin::stress_colour;
use super::solid::SolidMesh;
use super::stage::own_colour;
use trunnion_num::space::Point;

/// Times that are looked at for the highest stress.
const LOOKS: usize = 500;

impl GlbWriter {
    /// The surface of one of the elastic bodies, undeformed, with its morph targets.
    pub(super) fn skin_mesh(&mut self, name: &str, moving: &Moving, skin: usize) -> Option<usize> {
        let of = &moving.scene.skins[skin];
        let rest = of.skin.points.iter().map(|p| p.at).collect();
        let solid = SolidMesh::new(rest, of.skin.faces.clone());
        if solid.faces.is_empty() {
            return None;
        }
        let (mut corners, mut normals, mut order) = (vec![], vec![], vec![]);
        for (face, at_corners) in solid.faces.iter().zip(solid.smooth_normals()) {
            let first = corners.len() as u32;
            corners.extend(face.iter().copied());
            normals.extend(at_corners);
            order.extend((1..face.len() as u32 - 1).flat_map(|k| [first, first + k, first + k + 1]));
        }
        let places: Vec<Point> = corners.iter().map(|&c| solid.corners[c]).collect();
        let (position, normal) = (self.accessor(&places, true), self.accessor(&normals, false));
        let indices = self.indices(&order);
        let modes = of.skin.points.first().map_or(0, |p| p.motion.columns());
        let target = |file: &mut Self, a: usize| -> Value {
            let motion = |&c: &usize| -> Point { [0, 1, 2].map(|i| of.skin.points[c].motion[(i, a)]) };
            let moves: Vec<Point> = corners.iter().map(motion).collect();
            json!({ "POSITION": file.accessor(&moves, true) })
        };
        let targets: Vec<Value> = (0..modes).map(|a| target(self, a)).collect();
        let mut attributes = json!({ "POSITION": position, "NORMAL": normal });
        let mut base = own_colour(of.body);
        if moving.look.stress {
            let colours = worst_colours(moving, skin);
            let rows: Vec<[f64; 3]> = corners.iter().map(|&c| colours[c]).collect();
            attributes["COLOR_0"] = self.accessor(&rows, false).into();
            base = [255; 3];
        }
        let mut primitive = json!({
            "attributes": attributes,
            "indices": indices,
            "material": self.material(base, !solid.closed),
        });
        let mut mesh = json!({ "name": name });
        // Empty lists are not allowed.
        if modes > 0 {
            primitive["targets"] = targets.into();
            mesh["weights"] = weights(moving, skin, moving.poses.first()).into();
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        Some(self.meshes.len() - 1)
    }

    /// Adds how weights change to the animation.
    pub(super) fn bend(&mut self, moving: &Moving, times: &[f64]) {
        if self.animations.is_empty() {
            return;
        }
        for (k, skin) in moving.scene.skins.iter().enumerate() {
            if skin.skin.faces.is_empty() || weights(moving, k, times[0]).is_empty() {
                continue;
            }
            let all: Vec<[f64; 1]> = times.iter().flat_map(|&t| weights(moving, k, t)).map(|w| [w]).collect();
            let output = self.accessor(&all, false);
            let animation = &mut self.animations[0];
            let input = animation["samplers"][0]["input"].clone();
            let samplers = animation["samplers"].as_array_mut();
            let number = samplers.map_or(0, |list| {
                list.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
                list.len() - 1
            });
            if let Some(channels) = animation["channels"].as_array_mut() {
                let target = json!({ "node": skin.body, "path": "weights" });
                channels.push(json!({ "sampler": number, "target": target }));
            }
        }
    }
}

/// (1)
fn weights(moving: &Moving, skin: usize, t: f64) -> Vec<f64> {
    moving.poses.shape_at(skin, t).into_iter().map(|q| moving.look.exaggeration * q).collect()
}

/// For every point, as amounts of light.
fn worst_colours(moving: &Moving, skin: usize) -> Vec<[f64; 3]> {
    let times = &moving.poses.times;
    let looks = || times.iter().step_by((times.len() / LOOKS).max(1)).chain(times.last());
    let mut highest = 0.0_f64;
    let mut worst: Vec<f64> = vec![];
    for (k, one) in moving.scene.skins.iter().enumerate() {
        let mut own = vec![0.0_f64; one.skin.points.len()];
        for &t in looks() {
            let now = one.stress(&moving.poses.shape_at(k, t));
            own.iter_mut().zip(now).for_each(|(w, s)| *w = w.max(s));
        }
        highest = own.iter().copied().fold(highest, f64::max);
        if k == skin {
            worst = own;
        }
    }
    let light = |byte: u8| (f64::from(byte) / 255.0).powf(2.2);
    let highest = highest.max(f64::MIN_POSITIVE);
    worst.iter().map(|s| stress_colour(s / highest).map(light)).collect()
}

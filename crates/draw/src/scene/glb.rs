//! A moving mechanism as glTF 2.0 binary: a node for every body, with its shapes, its way and its turns.
//!
//! The node of the world turns z up into y up, (x, y, z) ↦ (x, z, −y), and holds all others; a mechanism of the xy plane stands as it is. Lines are cylinders of length 1 along z, scaled by
//! how long they are. Places and turns are given at even times and interpolated between them; signs of quaternions are chosen so that
//! this goes the shortest way.

use serde_json::{Value, json};

use super::poses::nearer;
use super::solid::SolidMesh;
use super::stage::{ROD, Stage, own_colour};
use super::{Moving, SceneGeometry, ViewDirection};
use trunnion_num::space::{Point, Quaternion, between, minus, norm, turn_of_z};

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
/// Longer animations are given at fewer times.
const MOST_TIMES: usize = 20_000;

/// The file; `rate` is the number of times per second.
pub fn glb(moving: &Moving, rate: f64) -> Vec<u8> {
    let (scene, poses) = (&moving.scene, &moving.poses);
    let start = moving.snapshot(poses.first());
    let (_, extent) = Stage::new(scene, ViewDirection::Iso, &[&start], &[], &[], None);
    let radius = ROD * extent.size();
    let mut file = GlbWriter::default();
    for (k, body) in scene.bodies.iter().enumerate() {
        let parts = body.parts.iter().map(|part| {
            let mut solid = SolidMesh::of(&part.form, radius);
            solid.normals.iter_mut().for_each(|n| *n = trunnion_num::space::apply(part.pose.r, *n));
            solid.corners.iter_mut().for_each(|p| *p = part.pose.of(*p));
            (solid, part.colour.unwrap_or_else(|| own_colour(k)))
        });
        let mesh = match scene.skins.iter().position(|skin| skin.body == k) {
            Some(skin) => file.skin_mesh(&body.name, moving, skin),
            None => file.mesh(&body.name, parts.collect()),
        };
        file.node(&body.name, mesh);
    }
    for line in &scene.lines {
        let rod = SolidMesh::of(&SceneGeometry::Cylinder { radius: 0.8 * radius, length: 1.0 }, radius);
        let mesh = file.mesh(&line.name, vec![(rod, [0x9a, 0xa3, 0xb0])]);
        file.node(&line.name, mesh);
    }
    let half = 0.5_f64.sqrt();
    let upright = if scene.planar { [0.0, 0.0, 0.0, 1.0] } else { [-half, 0.0, 0.0, half] };
    file.nodes[0]["rotation"] = json!(upright);
    file.nodes[0]["children"] = (1..file.nodes.len()).collect();
    let times = times(poses.first(), poses.last(), rate);
    let ways = (1..scene.bodies.len()).map(|body| NodeMotion::of_body(moving, body, &times));
    let lines = (0..scene.lines.len()).map(|line| NodeMotion::of_line(moving, line, &times));
    let ways: Vec<NodeMotion> = ways.chain(lines).collect();
    file.animate(&times, &ways);
    file.bend(moving, &times);
    file.finish()
}

/// Even times from the first to the last, both among them.
fn times(first: f64, last: f64, rate: f64) -> Vec<f64> {
    let steps = (((last - first) * rate).ceil() as usize).clamp(1, MOST_TIMES);
    let n = if last > first { steps } else { 0 };
    (0..=n).map(|k| first + (last - first) * k as f64 / n.max(1) as f64).collect()
}

/// How a node moves.
struct NodeMotion {
    places: Vec<Point>,
    turns: Vec<Quaternion>,
    scales: Option<Vec<Point>>,
}

impl NodeMotion {
    fn new(moves: Vec<(Point, Quaternion)>, scales: Option<Vec<Point>>) -> NodeMotion {
        let (places, mut turns): (Vec<_>, Vec<Quaternion>) = moves.into_iter().unzip();
        for k in 1..turns.len() {
            turns[k] = nearer(turns[k - 1], turns[k]);
        }
        NodeMotion { places, turns, scales }
    }

    fn of_body(moving: &Moving, body: usize, times: &[f64]) -> NodeMotion {
        let at = |&t: &f64| match moving.follows() {
            true => moving.placements(t)[body].into(),
            false => moving.poses.of_body(body, t),
        };
        NodeMotion::new(times.iter().map(at).collect(), None)
    }

    fn of_line(moving: &Moving, line: usize, times: &[f64]) -> NodeMotion {
        let ends = |t: f64| {
            let shot = moving.frames(t);
            moving.scene.lines[line].ends.map(|spot| shot.place(spot))
        };
        let all: Vec<[Point; 2]> = times.iter().map(|&t| ends(t)).collect();
        let moves = all.iter().map(|&[a, b]| (between(a, b, 0.5), turn_of_z(minus(b, a)))).collect();
        let scales = all.iter().map(|&[a, b]| [1.0, 1.0, norm(minus(b, a))]).collect();
        NodeMotion::new(moves, Some(scales))
    }
}

#[derive(Default)]
pub(super) struct GlbWriter {
    data: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<([u8; 3], bool)>,
    pub(super) meshes: Vec<Value>,
    pub(super) nodes: Vec<Value>,
    pub(super) animations: Vec<Value>,
}

impl GlbWriter {
    /// Numbers of so many components each; the number of the accessor.
    pub(super) fn accessor<const N: usize>(&mut self, rows: &[[f64; N]], bounded: bool) -> usize {
        let start = self.data.len();
        rows.iter().flatten().for_each(|x| self.data.extend((*x as f32).to_le_bytes()));
        let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let mut accessor = json!({ "componentType": FLOAT, "type": shape, "count": rows.len() });
        if bounded {
            let extreme = |pick: fn(f32, f32) -> f32| -> Value {
                (0..N).map(|i| rows.iter().map(|r| r[i] as f32).reduce(pick).unwrap_or(0.0)).collect()
            };
            accessor["min"] = extreme(f32::min);
            accessor["max"] = extreme(f32::max);
        }
        self.put(accessor, start)
    }

    pub(super) fn indices(&mut self, order: &[u32]) -> usize {
        let start = self.data.len();
        order.iter().for_each(|k| self.data.extend(k.to_le_bytes()));
        self.put(json!({ "componentType": UNSIGNED, "type": "SCALAR", "count": order.len() }), start)
    }

    fn put(&mut self, mut accessor: Value, start: usize) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": self.data.len() - start }));
        accessor["bufferView"] = (self.views.len() - 1).into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// None: nothing to be seen.
    fn mesh(&mut self, name: &str, parts: Vec<(SolidMesh, [u8; 3])>) -> Option<usize> {
        let mut primitives = vec![];
        for (solid, colour) in parts.into_iter().filter(|(solid, _)| !solid.faces.is_empty()) {
            let (mut places, mut normals, mut order) = (vec![], vec![], vec![]);
            for (face, at_corners) in solid.faces.iter().zip(solid.smooth_normals()) {
                let first = places.len() as u32;
                places.extend(face.iter().map(|&c| solid.corners[c]));
                normals.extend(at_corners);
                order.extend((1..face.len() as u32 - 1).flat_map(|k| [first, first + k, first + k + 1]));
            }
            let (position, normal) = (self.accessor(&places, true), self.accessor(&normals, false));
            let indices = self.indices(&order);
            primitives.push(json!({
                "attributes": { "POSITION": position, "NORMAL": normal },
                "indices": indices,
                "material": self.material(colour, !solid.closed),
            }));
        }
        (!primitives.is_empty()).then(|| {
            self.meshes.push(json!({ "name": name, "primitives": primitives }));
            self.meshes.len() - 1
        })
    }

    pub(super) fn material(&mut self, colour: [u8; 3], open: bool) -> usize {
        let found = self.materials.iter().position(|m| *m == (colour, open));
        found.unwrap_or_else(|| {
            self.materials.push((colour, open));
            self.materials.len() - 1
        })
    }

    fn node(&mut self, name: &str, mesh: Option<usize>) {
        let mut node = json!({ "name": name });
        if let Some(mesh) = mesh {
            node["mesh"] = mesh.into();
        }
        self.nodes.push(node);
    }

    /// The nodes after the first follow these ways; at rest they stand where they begin.
    fn animate(&mut self, times: &[f64], ways: &[NodeMotion]) {
        let moves = times.len() > 1;
        let since: Vec<[f64; 1]> = times.iter().map(|t| [t - times[0]]).collect();
        let input = if moves { self.accessor(&since, true) } else { 0 };
        let (mut samplers, mut channels) = (vec![], vec![]);
        for (k, way) in ways.iter().enumerate() {
            let turns: Vec<[f64; 4]> = way.turns.iter().map(|&[w, x, y, z]| [x, y, z, w]).collect();
            self.nodes[k + 1]["translation"] = json!(way.places[0]);
            self.nodes[k + 1]["rotation"] = json!(turns[0]);
            if let Some(scales) = &way.scales {
                self.nodes[k + 1]["scale"] = json!(scales[0]);
            }
            if !moves {
                continue;
            }
            let mut channel = |path: &str, output: usize| {
                channels
                    .push(json!({ "sampler": samplers.len(), "target": { "node": k + 1, "path": path } }));
                samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            };
            channel("translation", self.accessor(&way.places, false));
            channel("rotation", self.accessor(&turns, false));
            if let Some(scales) = &way.scales {
                channel("scale", self.accessor(scales, false));
            }
        }
        if !channels.is_empty() {
            self.animations.push(json!({ "name": "run", "samplers": samplers, "channels": channels }));
        }
    }

    fn finish(self) -> Vec<u8> {
        // Colours of the screen to amounts of light.
        let light = |byte: u8| (f64::from(byte) / 255.0).powf(2.2);
        let material = |&([r, g, b], open): &([u8; 3], bool)| {
            let colour = [light(r), light(g), light(b), 1.0];
            json!({
                "pbrMetallicRoughness": { "baseColorFactor": colour, "metallicFactor": 0.1, "roughnessFactor": 0.6 },
                "doubleSided": open,
            })
        };
        let mut json = json!({
            "asset": { "version": "2.0", "generator": concat!("trunnion ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": self.nodes,
        });
        // Empty lists are not allowed.
        let materials: Vec<Value> = self.materials.iter().map(material).collect();
        let buffers =
            if self.data.is_empty() { vec![] } else { vec![json!({ "byteLength": self.data.len() })] };
        for (key, list) in [
            ("meshes", self.meshes),
            ("materials", materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
            ("buffers", buffers),
            ("animations", self.animations),
        ] {
            if !list.is_empty() {
                json[key] = list.into();
            }
        }
        packed(json.to_string().into_bytes(), self.data)
    }
}

/// Head, JSON padded with blanks, data padded with zeros.
fn packed(mut json: Vec<u8>, mut data: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + if data.is_empty() { 0 } else { 8 + data.len() };
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &data)] {
        if !chunk.is_empty() {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
    }
    file
}

//! glTF 2.0: JSON with buffers beside it (`.gltf`) or both in one file (`.glb`).
//!
//! glTF is y up and looks along z, a mechanism is z up: (x, y, z) ↦ (x, −z, y). Triangles of all nodes of the scene, each moved by its
//! node and those above it. A node with det A < 0 mirrors: its triangles are turned, so that they run counter-clockwise seen from outside
//! as before [glTF 2.0, section 3.7.4]. Skins, morphs and materials are left out; compressed geometry is refused.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use serde_json::Value;

use super::{MOST_TRIANGLES, MeshFault, Triangle, f32_at, text, u32_at};
use trunnion_num::space::{Point, Pose, apply, cross, dot, from_quaternion, plus};

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BINARY: u32 = 0x004E_4942;
/// Deeper than any model.
const DEEPEST: usize = 64;
/// Corners that are looked at, whether triangles use them or not.
const MOST_CORNERS: usize = 3 * MOST_TRIANGLES;

type Loader<'a> = dyn Fn(&str) -> Result<Vec<u8>, MeshFault> + 'a;

/// `load` reads a file beside the one at hand.
pub fn parse(bytes: &[u8], load: &Loader) -> Result<Vec<Triangle>, MeshFault> {
    let (json, binary) = if bytes.starts_with(MAGIC) { chunks(bytes)? } else { (bytes, None) };
    let json: Value = serde_json::from_str(text(json)?).map_err(MeshFault::Json)?;
    if let Some(name) = json["extensionsRequired"].get(0) {
        return Err(part(name.as_str().unwrap_or("extensionsRequired"), "is an extension that is not known"));
    }
    let buffers = buffers(&json, binary, load)?;
    let mut reader =
        AccessorReader { json: &json, buffers, triangles: vec![], placed: HashSet::new(), corners: 0 };
    let scene = json["scene"].as_u64().unwrap_or(0);
    match json["scenes"].get(scene as usize) {
        Some(scene) => reader.nodes(&scene["nodes"], &Affine::Y_UP, 0)?,
        None => {
            for k in 0..list(&json, "meshes").len() {
                reader.mesh(k, &Affine::Y_UP)?;
            }
        }
    }
    Ok(reader.triangles)
}

fn part(name: impl Into<String>, reason: &'static str) -> MeshFault {
    MeshFault::Part { part: name.into(), reason }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// JSON and binary part of a `.glb`.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshFault> {
    let short = |needed: u64| MeshFault::Short { needed, found: bytes.len() };
    if u32_at(bytes, 4) != Some(2) {
        return Err(part("version", "is not 2"));
    }
    let (mut json, mut binary, mut at) = (None, None, 12);
    while at < bytes.len() {
        let (Some(length), Some(kind)) = (u32_at(bytes, at), u32_at(bytes, at + 4)) else {
            return Err(short(at as u64 + 8));
        };
        let end = at + 8 + length as usize;
        let chunk = bytes.get(at + 8..end).ok_or_else(|| short(end as u64))?;
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BINARY if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at = end;
    }
    Ok((json.ok_or_else(|| short(20))?, binary))
}

/// Bytes of a buffer, shared by all that name the same file.
type Buffer<'a> = Rc<Cow<'a, [u8]>>;

/// The binary part of a `.glb` is the first buffer, and no other.
fn buffers<'a>(json: &Value, binary: Option<&'a [u8]>, load: &Loader) -> Result<Vec<Buffer<'a>>, MeshFault> {
    let mut read: HashMap<&str, Buffer> = HashMap::new();
    let mut all = vec![];
    for (k, buffer) in list(json, "buffers").iter().enumerate() {
        let bytes = match buffer["uri"].as_str() {
            None => {
                let own = binary.filter(|_| k == 0).map(|bytes| Rc::new(Cow::Borrowed(bytes)));
                own.ok_or_else(|| part(format!("buffers[{k}]"), "has no data"))?
            }
            Some(uri) => match (read.get(uri), uri.strip_prefix("data:")) {
                (Some(known), _) => known.clone(),
                (None, Some(data)) => (data.split_once(";base64,").and_then(|(_, text)| from_base64(text)))
                    .map(|bytes| Rc::new(Cow::Owned(bytes)))
                    .ok_or_else(|| part(format!("buffers[{k}].uri"), "is not base64"))?,
                (None, None) => Rc::new(Cow::Owned(load(&unescaped(uri))?)),
            },
        };
        if let Some(uri) = buffer["uri"].as_str() {
            read.insert(uri, bytes.clone());
        }
        all.push(bytes);
    }
    Ok(all)
}

/// Either alphabet, with or without padding.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let engine =
        GeneralPurpose::new(&STANDARD, NO_PAD.with_decode_padding_mode(DecodePaddingMode::Indifferent));
    engine.decode(text.replace('-', "+").replace('_', "/")).ok()
}

/// `%20` and the like.
fn unescaped(uri: &str) -> String {
    let mut bytes = vec![];
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// x ↦ p + A x; A may scale and mirror.
#[derive(Clone, Copy)]
struct Affine(Pose);

impl Affine {
    /// det A < 0.
    fn mirrors(&self) -> bool {
        let [a, b, c] = self.0.r;
        dot(a, cross(b, c)) < 0.0
    }

    const Y_UP: Affine =
        Affine(Pose { p: [0.0; 3], r: [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]] });

    /// Of a node: `matrix`, or `translation`, `rotation` and `scale`.
    fn of(node: &Value) -> Option<Affine> {
        let numbers = |key: &str, n: usize| -> Option<Option<Vec<f64>>> {
            match &node[key] {
                Value::Null => Some(None),
                value => {
                    let all: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
                    all.filter(|all| all.len() == n).map(Some)
                }
            }
        };
        if let Some(m) = numbers("matrix", 16)? {
            // Columns.
            let r = [0, 1, 2].map(|i| [m[i], m[4 + i], m[8 + i]]);
            return Some(Affine(Pose { p: [m[12], m[13], m[14]], r }));
        }
        let p = numbers("translation", 3)?.map_or([0.0; 3], |t| [t[0], t[1], t[2]]);
        let q = numbers("rotation", 4)?.map_or([1.0, 0.0, 0.0, 0.0], |q| [q[3], q[0], q[1], q[2]]);
        let s = numbers("scale", 3)?.unwrap_or(vec![1.0; 3]);
        let r = from_quaternion(q).map(|row| [row[0] * s[0], row[1] * s[1], row[2] * s[2]]);
        Some(Affine(Pose { p, r }))
    }
}

struct AccessorReader<'a> {
    json: &'a Value,
    buffers: Vec<Buffer<'a>>,
    triangles: Vec<Triangle>,
    /// Nodes that were met; each has one place.
    placed: HashSet<u64>,
    /// How many were looked at.
    corners: usize,
}

impl AccessorReader<'_> {
    fn nodes(&mut self, nodes: &Value, above: &Affine, depth: usize) -> Result<(), MeshFault> {
        for k in nodes.as_array().map_or(&[][..], Vec::as_slice) {
            let name = format!("nodes[{k}]");
            let node = k.as_u64().and_then(|k| self.json["nodes"].get(k as usize));
            let node = node.ok_or_else(|| part(&name, "is not there"))?;
            if depth > DEEPEST {
                return Err(part(name, "lies too deep"));
            }
            // glTF asks for trees; shared nodes could unfold without end.
            if !k.as_u64().is_some_and(|k| self.placed.insert(k)) {
                return Err(part(name, "lies in a circle, or has two nodes above it"));
            }
            let own = Affine::of(node).ok_or_else(|| part(&name, "has a wrong place"))?;
            let place = Affine(above.0.then(own.0));
            if let Some(mesh) = node["mesh"].as_u64() {
                self.mesh(mesh as usize, &place)?;
            }
            self.nodes(&node["children"], &place, depth + 1)?;
        }
        Ok(())
    }

    fn mesh(&mut self, k: usize, place: &Affine) -> Result<(), MeshFault> {
        let name = format!("meshes[{k}]");
        let mesh = self.json["meshes"].get(k).ok_or_else(|| part(&name, "is not there"))?;
        for primitive in list(mesh, "primitives") {
            if primitive["mode"].as_u64().unwrap_or(4) != 4 {
                return Err(part(name, "is no list of triangles"));
            }
            let positions = self.positions(&primitive["attributes"]["POSITION"])?;
            self.corners += positions.len();
            if self.corners > MOST_CORNERS {
                return Err(MeshFault::TooManyTriangles);
            }
            let corners: Vec<Point> =
                positions.iter().map(|&x| plus(place.0.p, apply(place.0.r, x))).collect();
            let order = match &primitive["indices"] {
                Value::Null => (0..corners.len()).collect(),
                accessor => self.indices(accessor)?,
            };
            if self.triangles.len() + order.len() / 3 > MOST_TRIANGLES {
                return Err(MeshFault::TooManyTriangles);
            }
            for three in order.as_chunks::<3>().0 {
                let corner = |i: usize| corners.get(three[i]).copied();
                let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else {
                    return Err(part(name, "uses a corner that is not there"));
                };
                self.triangles.push(if place.mirrors() { [a, c, b] } else { [a, b, c] });
            }
        }
        Ok(())
    }

    fn positions(&self, accessor: &Value) -> Result<Vec<Point>, MeshFault> {
        let view = self.view(accessor, "VEC3", &[(5126, 12)])?;
        Ok(view.items().map(|at| [0, 4, 8].map(|i| f32_at(view.bytes, at + i).unwrap_or(f64::NAN))).collect())
    }

    fn indices(&self, accessor: &Value) -> Result<Vec<usize>, MeshFault> {
        let view = self.view(accessor, "SCALAR", &[(5121, 1), (5123, 2), (5125, 4)])?;
        let number =
            |at: usize| (0..view.size).rev().fold(0, |n, i| n << 8 | usize::from(view.bytes[at + i]));
        Ok(view.items().map(number).collect())
    }

    /// The bytes of an accessor; `kinds` are the component types it may have, with the bytes of an item.
    fn view(
        &self,
        accessor: &Value,
        shape: &str,
        kinds: &[(u64, usize)],
    ) -> Result<BufferView<'_>, MeshFault> {
        let name = format!("accessors[{accessor}]");
        let wrong = |reason: &'static str| part(&name, reason);
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let found = accessor.as_u64().and_then(|k| self.json["accessors"].get(k as usize));
        let accessor = found.ok_or_else(|| wrong("is not there"))?;
        let kind = kinds.iter().find(|(code, _)| accessor["componentType"].as_u64() == Some(*code));
        let Some(&(_, size)) = kind.filter(|_| accessor["type"] == shape) else {
            return Err(wrong("has another type than expected"));
        };
        if !accessor["sparse"].is_null() {
            return Err(wrong("is sparse, which is not supported"));
        }
        let view = accessor["bufferView"].as_u64().and_then(|k| self.json["bufferViews"].get(k as usize));
        let view = view.ok_or_else(|| wrong("has no bufferView"))?;
        let buffer = self.buffers.get(number(&view["buffer"])).ok_or_else(|| wrong("has no buffer"))?;
        let (start, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
        let end = start.checked_add(length).filter(|end| *end <= buffer.len());
        let bytes = &buffer[start.min(buffer.len())..end.ok_or_else(|| wrong("ends beyond its buffer"))?];
        let stride = Some(number(&view["byteStride"])).filter(|s| *s > 0).unwrap_or(size);
        let (offset, count) = (number(&accessor["byteOffset"]), number(&accessor["count"]));
        let last = count.checked_sub(1).map_or(Some(0), |n| n.checked_mul(stride)?.checked_add(size));
        match last.and_then(|last| last.checked_add(offset)) {
            Some(needed) if needed <= bytes.len() => Ok(BufferView { bytes, offset, stride, size, count }),
            _ => Err(wrong("ends beyond its bufferView")),
        }
    }
}

struct BufferView<'a> {
    bytes: &'a [u8],
    offset: usize,
    stride: usize,
    size: usize,
    count: usize,
}

impl BufferView<'_> {
    /// Where each item begins.
    fn items(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).map(|k| self.offset + k * self.stride)
    }
}

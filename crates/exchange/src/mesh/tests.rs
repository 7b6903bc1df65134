//! The same tetrahedron in every format; then all of them cut and garbled.

use base64::Engine;
use serde_json::{Value, json};

use super::*;
use trunnion_num::noise::Noise;
use trunnion_num::space::{Point, cross, dot};

/// Corners (0,0,0), (1,0,0), (0,2,0), (0,0,3), outward.
const CORNERS: [Point; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn expected() -> Vec<Triangle> {
    FACES.map(|face| face.map(|k| CORNERS[k])).to_vec()
}

fn stl_text() -> Vec<u8> {
    let mut text = String::from("solid tetrahedron\n");
    for t in expected() {
        text += "  facet normal 0 0 0\n    outer loop\n";
        t.iter().for_each(|[x, y, z]| text += &format!("      vertex {x} {y:e} {z}\n"));
        text += "    endloop\n  endfacet\n";
    }
    (text + "endsolid tetrahedron\n").into_bytes()
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..5].copy_from_slice(b"solid");
    bytes.extend(4_u32.to_le_bytes());
    for t in expected() {
        let numbers = [0.0; 3].into_iter().chain(t.into_iter().flatten());
        numbers.for_each(|x| bytes.extend((x as f32).to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

const OBJ: &str = "# one quad folded\no it\nv 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nv 0 2 0\nv 0 0 3\n\
                   f 1//1 3//1 2//1\nf -4 -3 -1\nf 2/1 3/2 4/3\nf 1 4 3 # last\n";

/// Corners in the axes of glTF, where y is up; the second half of a node's turn is in a node above it.
fn gltf(uri: Option<&str>) -> (Value, Vec<u8>) {
    let mut data = vec![];
    for [x, y, z] in CORNERS {
        // Moved by −1 along y and scaled by 2: the nodes undo it. glTF has (x, z, −y).
        [2.0 * x, 2.0 * z - 2.0, -2.0 * y].iter().for_each(|v| data.extend((*v as f32).to_le_bytes()));
    }
    FACES.iter().flatten().for_each(|k| data.extend((*k as u16).to_le_bytes()));
    let mut buffer = json!({ "byteLength": data.len() });
    if let Some(uri) = uri {
        buffer["uri"] = uri.into();
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [1] }],
        "nodes": [
            { "mesh": 0, "scale": [0.5, 0.5, 0.5], "rotation": [0.0, 1.0, 0.0, 0.0] },
            { "children": [0], "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 1, 0, 1] },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "buffers": [buffer],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48, "byteStride": 12 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 24 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
            { "bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 12 },
        ],
    });
    (json, data)
}

fn glb() -> Vec<u8> {
    let (json, data) = gltf(None);
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    let mut put = |n: u32| bytes.extend(n.to_le_bytes());
    put(2);
    put((12 + 8 + json.len() + 8 + data.len()) as u32);
    put(json.len() as u32);
    put(0x4E4F_534A);
    bytes.extend(&json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(0x004E_4942_u32.to_le_bytes());
    bytes.extend(&data);
    bytes
}

fn nothing_beside(_: &str) -> Result<Vec<u8>, MeshFault> {
    Err(MeshFault::Unreadable(std::io::Error::from(std::io::ErrorKind::NotFound).into()))
}

#[test]
fn every_format_gives_the_same_triangles() {
    assert_eq!(stl::parse(&stl_text()).unwrap(), expected());
    assert_eq!(stl::parse(&stl_binary()).unwrap(), expected());
    assert_eq!(obj::parse(OBJ.as_bytes()).unwrap(), expected());
    assert_eq!(gltf::parse(&glb(), &nothing_beside).unwrap(), expected());
    let (_, data) = gltf(None);
    let (inline, _) = gltf(Some(&format!(
        "data:application/octet-stream;base64,{}",
        base64::prelude::BASE64_STANDARD.encode(&data)
    )));
    assert_eq!(gltf::parse(inline.to_string().as_bytes(), &nothing_beside).unwrap(), expected());
    let (beside, _) = gltf(Some("the%20data.bin"));
    let load = |name: &str| {
        assert_eq!(name, "the data.bin");
        Ok(data.clone())
    };
    assert_eq!(gltf::parse(beside.to_string().as_bytes(), &load).unwrap(), expected());
}

/// Σ a · (b × c)/6: the volume inside, if triangles run counter-clockwise seen from outside.
fn volume(triangles: &[Triangle]) -> f64 {
    triangles.iter().map(|&[a, b, c]| dot(a, cross(b, c)) / 6.0).sum()
}

#[test]
fn mirrored_nodes_enclose_their_volume() {
    // The tetrahedron has 1·2·3/6 = 1; a place with A has |det A|, mirrored by scale, by matrix, or by a node above.
    let check = |nodes: Value, expected: f64| {
        let (mut json, data) = gltf(Some("x.bin"));
        json["scenes"] = json!([{ "nodes": [0] }]);
        json["nodes"] = nodes;
        // Corners of the file are twice as far apart.
        let triangles = gltf::parse(json.to_string().as_bytes(), &move |_| Ok(data.clone())).unwrap();
        let found = volume(&triangles) / 8.0;
        assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
    };
    check(json!([{ "mesh": 0 }]), 1.0);
    check(json!([{ "mesh": 0, "scale": [-1, 1, 1] }]), 1.0);
    check(json!([{ "mesh": 0, "scale": [-2, -1, 1], "translation": [5, 6, 7] }]), 2.0);
    check(json!([{ "mesh": 0, "matrix": [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 9, 9, 9, 1] }]), 3.0);
    // A part and its mirror image, as a machine with two sides has: not 1 − 1.
    check(json!([{ "mesh": 0, "children": [1] }, { "mesh": 0, "scale": [1, 1, -1] }]), 2.0);
    // Mirrored twice is not mirrored.
    let twice = json!([{ "scale": [1, -1, 1], "children": [1] }, { "mesh": 0, "scale": [1, 1, -1] }]);
    check(twice, 1.0);
}

#[test]
fn a_polygon_is_fanned() {
    let text = "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n";
    let area = |t: &Triangle| 0.5 * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
    let triangles = obj::parse(text.as_bytes()).unwrap();
    assert_eq!(triangles.len(), 3);
    assert_eq!(triangles.iter().map(area).sum::<f64>(), 2.5);
}

#[test]
fn what_is_wrong_is_said() {
    let check = |found: Result<Vec<Triangle>, MeshFault>, message: &str| {
        assert_eq!(found.unwrap_err().to_string(), message);
    };
    check(stl::parse(&stl_binary()[..100]), "it ends after 100 bytes of 284");
    check(stl::parse(b"solid\nfacette"), "line 2: expected `facet`, `vertex` or `endsolid`");
    check(stl::parse(&[0; 90]).and_then(checked), "there are no triangles in it");
    check(stl::parse(&[1; 90]), "it ends after 90 bytes of 842150534");
    check(obj::parse(b"v 0 0 0\nf 1 2 3"), "line 2: there is no corner 2 among 1");
    check(obj::parse(b"v 0 0 0\nf 0 1 1"), "line 2: there is no corner 0 among 1");
    check(obj::parse(b"v 0 nine 0"), "line 1: expected `v x y z`");
    check(obj::parse(b"v 0 nan 0\nf 1 1 1").and_then(checked), "triangle 0 has a corner that is no number");
    check(read(Path::new("a.step")), "`.step` is no mesh that can be read: .stl, .obj, .gltf and .glb can");
    check(read(Path::new("nowhere.stl")), "there is no such file");
    let changed = |pointer: &str, value: Value| {
        let (mut json, data) = gltf(Some("x.bin"));
        *json.pointer_mut(pointer).unwrap() = value;
        gltf::parse(json.to_string().as_bytes(), &move |_| Ok(data.clone()))
    };
    check(changed("/accessors/0/count", json!(5)), "`accessors[0]` ends beyond its bufferView");
    check(changed("/bufferViews/1/byteOffset", json!(1_u64 << 60)), "`accessors[1]` ends beyond its buffer");
    check(changed("/nodes/0/mesh", json!(7)), "`meshes[7]` is not there");
    check(changed("/nodes/1/children/0", json!(1)), "`nodes[1]` lies in a circle, or has two nodes above it");
    check(changed("/nodes/0/rotation", json!([1, 0])), "`nodes[0]` has a wrong place");
    check(changed("/meshes/0/primitives/0", json!({ "mode": 1 })), "`meshes[0]` is no list of triangles");
}

#[test]
fn no_bytes_bring_it_down() {
    let (json, data) = gltf(Some("x.bin"));
    let json = json.to_string().into_bytes();
    let load = |_: &str| Ok(data.clone());
    let mut noise = Noise::new(1);
    let mut below = |n: usize| ((noise.next().abs() * 1e6) as usize) % n;
    let files = [stl_text(), stl_binary(), OBJ.into(), glb(), json];
    for (kind, whole) in files.iter().enumerate() {
        let parse = |bytes: &[u8]| match kind {
            0 | 1 => stl::parse(bytes),
            2 => obj::parse(bytes),
            _ => gltf::parse(bytes, &load),
        };
        for end in 0..whole.len() {
            let _ = parse(&whole[..end]);
        }
        for _ in 0..2000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + below(4) {
                let at = below(bytes.len());
                bytes[at] = below(256) as u8;
            }
            let _ = parse(&bytes).and_then(checked);
        }
    }
}

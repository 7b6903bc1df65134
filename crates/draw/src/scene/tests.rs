//! A link that turns about y while it slides along x, with a spring to the world.

use serde_json::Value;

use super::*;
use trunnion_exchange::mesh::{self, Triangle};
use trunnion_num::space::times;
use trunnion_results::{Column, Table};

fn column(name: &str, unit: &str, values: Vec<f64>) -> Column {
    Column { values, ..Column::new(name, unit, "") }
}

fn spot(body: usize, p: Point) -> BodyPoint {
    BodyPoint { body, p, interface: None }
}

fn scene() -> Scene {
    let part = |form: SceneGeometry, colour| ScenePart {
        form,
        pose: Pose { p: [0.5, 0.0, 0.0], ..Pose::HOME },
        colour,
    };
    let bodies = vec![
        SceneBody { name: "world".into(), parts: vec![part(SceneGeometry::Box([1.0, 2.0, 0.1]), None)] },
        SceneBody {
            name: "link".into(),
            parts: vec![
                part(SceneGeometry::Cylinder { radius: 0.1, length: 1.0 }, Some([255, 0, 0])),
                part(SceneGeometry::Sphere(0.2), None),
                part(SceneGeometry::Rod(0.4), None),
            ],
        },
    ];
    let spots = [spot(0, [0.0, 0.0, 3.0]), spot(1, [1.0, 0.0, 0.0])];
    let mut scene = Scene {
        bodies,
        joints: vec![JointSymbol { spot: spot(1, [0.0; 3]), slides: false }],
        lines: vec![Strut { name: "spring".into(), ends: spots, coil: true }],
        ..Scene::default()
    };
    scene.points.insert("link.tip".into(), spots[1]);
    scene
}

/// x = 100 mm · t, two turns about y in 4 s, in rows 0.4 s apart; the sign of the quaternion changes at random, as it may.
fn table() -> Table {
    let t: Vec<f64> = (0..=10).map(|k| 0.4 * f64::from(k)).collect();
    let sign = |k: usize| if k % 3 == 1 { -1.0 } else { 1.0 };
    let half = |k: usize| 0.5 * std::f64::consts::PI * t[k];
    let of = |f: &dyn Fn(usize) -> f64| (0..t.len()).map(f).collect::<Vec<f64>>();
    let columns = vec![
        column("time", "s", t.clone()),
        column("link.x", "mm", of(&|k| 100.0 * t[k])),
        column("link.y", "m", of(&|_| 0.0)),
        column("link.z", "m", of(&|_| 1.0)),
        column("link.qw", "", of(&|k| sign(k) * half(k).cos())),
        column("link.qx", "", of(&|_| 0.0)),
        column("link.qy", "", of(&|k| sign(k) * half(k).sin())),
        column("link.qz", "", of(&|_| 0.0)),
    ];
    Table { columns, ..Table::default() }
}

fn moving() -> Moving {
    let scene = scene();
    let poses = Poses::of(&scene, &table()).unwrap();
    Moving { name: "link".into(), scene, poses, look: DeformationView::default() }
}

#[test]
fn poses_follow_the_columns_in_their_units() {
    let moving = moving();
    let close = |a: Point, b: Point| assert!(norm(minus(a, b)) < 1e-12, "{a:?} is not {b:?}");
    close(moving.snapshot(2.0).poses[1].p, [0.2, 0.0, 1.0]);
    // Between rows half way, and a turn by 90° about y brings x to −z.
    close(moving.snapshot(0.2).poses[1].p, [0.02, 0.0, 1.0]);
    let turned = moving.snapshot(0.4).poses[1];
    let angle = 0.4 * std::f64::consts::PI;
    close(minus(turned.of([1.0, 0.0, 0.0]), turned.p), [angle.cos(), 0.0, -angle.sin()]);
    // Half way between two rows the shortest arc gives half the angle, whatever their signs.
    let between = moving.snapshot(0.2).poses[1];
    close(minus(between.of([1.0, 0.0, 0.0]), between.p), [(0.5 * angle).cos(), 0.0, -(0.5 * angle).sin()]);
    close(moving.snapshot(-1.0).poses[1].p, [0.0, 0.0, 1.0]);
    close(moving.snapshot(9.0).poses[1].p, [0.4, 0.0, 1.0]);
}

#[test]
fn results_without_a_body_are_refused() {
    let mut table = table();
    table.columns.remove(4);
    let failure = Poses::of(&scene(), &table).unwrap_err();
    assert!(failure.reason().contains("link.qw"), "{}", failure.reason());
    table = self::table();
    table.columns[2].values[3] = f64::NAN;
    assert!(Poses::of(&scene(), &table).unwrap_err().reason().contains("t = 1.2"), "a place that is none");
}

#[test]
fn pictures_are_xml_with_every_part() {
    let moving = moving();
    for view in [ViewDirection::Side, ViewDirection::Front, ViewDirection::Top, ViewDirection::Iso] {
        for n in [1, 4] {
            let shot = |k: usize| moving.snapshot(k as f64);
            let picture = ScenePicture {
                scene: &moving.scene,
                view,
                title: "a < b & c".into(),
                shots: (0..n).map(shot).collect(),
                traces: vec![("link.tip".into(), vec![[0.0; 3], [1.0; 3]])],
                shortest: moving.shortest(),
                stress: false,
                caption: None,
            };
            let svg = picture.svg();
            let document = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
            let count = |tag: &str| document.descendants().filter(|x| x.has_tag_name(tag)).count();
            // A knob for every pose, beside those of the axes.
            assert!(count("circle") >= n && count("path") > 50, "{view:?}");
            assert!(svg.contains("path of link.tip") && !svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}

#[test]
fn a_body_without_shapes_is_drawn_between_its_joints() {
    let mut scene = scene();
    scene.bodies[1].parts.clear();
    let joint = |p: Point| [spot(1, p), spot(0, [0.0; 3])];
    scene.complete(vec![joint([0.0; 3]), joint([0.0, 2.0, 0.0])], &[[0.0; 3]; 2]);
    // To the other joint, and to the end of the line.
    let lengths: Vec<f64> = (scene.bodies[1].parts.iter())
        .map(|p| if let SceneGeometry::Rod(length) = p.form { length } else { f64::NAN })
        .collect();
    assert_eq!(lengths, [2.0, 1.0]);
    let end = scene.bodies[1].parts[0].pose.of([2.0, 0.0, 0.0]);
    assert!(norm(minus(end, [0.0, 2.0, 0.0])) < 1e-15);
}

/// JSON and data of a `.glb`.
fn unpacked(file: &[u8]) -> (Value, &[u8]) {
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], number(4), number(8)), (&b"glTF"[..], 2, file.len()));
    let json = number(12);
    assert_eq!((&file[16..20], json % 4, number(20 + json) % 4), (&b"JSON"[..], 0, 0));
    assert_eq!(&file[24 + json..28 + json], b"BIN\0");
    let data = &file[28 + json..];
    assert_eq!(data.len(), number(20 + json));
    (serde_json::from_slice(&file[20..20 + json]).unwrap(), data)
}

/// The rows of an accessor, which has to lie within its view, and that within the buffer.
fn rows(json: &Value, data: &[u8], accessor: &Value) -> Vec<Vec<f32>> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let view = &json["bufferViews"][number(&accessor["bufferView"])];
    let (start, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    assert_eq!(length, 4 * width * number(&accessor["count"]));
    assert!(start % 4 == 0 && start + length <= number(&json["buffers"][0]["byteLength"]));
    let floats =
        data[start..start + length].as_chunks::<4>().0.iter().map(|b| {
            match accessor["componentType"].as_u64() {
                Some(5125) => u32::from_le_bytes(*b) as f32,
                _ => f32::from_le_bytes(*b),
            }
        });
    let floats: Vec<f32> = floats.collect();
    let rows: Vec<Vec<f32>> = floats.chunks_exact(width).map(<[f32]>::to_vec).collect();
    for (key, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
        for (i, bound) in accessor[key].as_array().into_iter().flatten().enumerate() {
            let found = rows.iter().map(|r| r[i]).reduce(pick).unwrap();
            assert_eq!(bound.as_f64().unwrap() as f32, found);
        }
    }
    rows
}

#[test]
fn an_animation_reads_back() {
    let file = glb(&moving(), 10.0);
    let (json, data) = unpacked(&file);
    let names: Vec<&str> =
        json["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["world", "link", "spring"]);
    for mesh in json["meshes"].as_array().unwrap() {
        for primitive in mesh["primitives"].as_array().unwrap() {
            let corners = rows(&json, data, &primitive["attributes"]["POSITION"]);
            let normals = rows(&json, data, &primitive["attributes"]["NORMAL"]);
            let order = rows(&json, data, &primitive["indices"]);
            assert_eq!(corners.len(), normals.len());
            assert!(order.iter().all(|k| (k[0] as usize) < corners.len()));
            assert!(normals.iter().all(|n| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5));
            assert!(
                primitive["material"].as_u64().unwrap() < json["materials"].as_array().unwrap().len() as u64
            );
        }
    }
    let animation = &json["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 5);
    for channel in channels {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let t = rows(&json, data, &sampler["input"]);
        let values = rows(&json, data, &sampler["output"]);
        assert_eq!((t.len(), values.len(), t[0][0], t[40][0]), (41, 41, 0.0, 4.0));
        assert!(t.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        if channel["target"]["path"] == "rotation" {
            let product = |a: &[f32], b: &[f32]| (0..4).map(|i| a[i] * b[i]).sum::<f32>();
            assert!(values.iter().all(|q| (product(q, q) - 1.0).abs() < 1e-6));
            assert!(values.windows(2).all(|pair| product(&pair[0], &pair[1]) > 0.0), "not the shortest way");
        }
    }
}

#[test]
fn our_own_reader_finds_the_bodies_where_they_are() {
    let moving = moving();
    let folder = std::env::temp_dir().join(format!("trunnion-glb-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.glb"), glb(&moving, 10.0)).unwrap();
    let triangles = mesh::read(&folder.join("a.glb")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    // z is up again: the box of the world lies where it was, the ball of the link at x = 0.5, z = 1.
    let box_middle = middle(&triangles[..12]);
    assert!(norm(minus(box_middle, [0.5, 0.0, 0.0])) < 1e-6, "{box_middle:?}");
    let at = |p: Point| triangles.iter().flatten().any(|q| norm(minus(*q, p)) < 1e-6);
    assert!(at([0.5, 0.0, 1.2]) && at([0.5, 0.0, 0.8]), "the poles of the ball");
}

fn middle(triangles: &[Triangle]) -> Point {
    let sum = triangles.iter().flatten().fold([0.0; 3], |sum, p| trunnion_num::space::plus(sum, *p));
    times(1.0 / (3 * triangles.len()) as f64, sum)
}

/// A link in the plane that rests, turns by 90° between 3 s and 4 s, and rests again.
fn turning_once() -> Moving {
    let scene = Scene { planar: true, ..scene() };
    let still = || vec![0.0; 4];
    let right = std::f64::consts::FRAC_PI_2;
    let columns = vec![
        column("time", "s", vec![0.0, 3.0, 4.0, 10.0]),
        column("link.x", "m", still()),
        column("link.y", "m", still()),
        column("link.phi", "rad", vec![0.0, 0.0, right, right]),
    ];
    let poses = Poses::of(&scene, &Table { columns, ..Table::default() }).unwrap();
    Moving { name: "turn".into(), scene, poses, look: DeformationView::default() }
}

#[test]
fn frames_are_poses_that_differ() {
    let moving = turning_once();
    let angles = |times: Vec<f64>| -> Vec<f64> {
        let tip = |t: f64| moving.snapshot(t).poses[1].of([1.0, 0.0, 0.0]);
        times.into_iter().map(|t| tip(t)[1].atan2(tip(t)[0]).to_degrees()).collect()
    };
    let found = angles(moving.distinct_times(0.0, 10.0, 5));
    assert_eq!(found.len(), 5);
    // Even times would give 0°, 0°, 90°, 90°, 90°; 90°/4 is best, times are 0.1 s or 9° apart.
    assert!(found.windows(2).all(|pair| pair[1] - pair[0] > 13.0), "{found:?}");
    // While nothing moves there is one pose.
    assert_eq!(moving.distinct_times(5.0, 10.0, 4), [5.0]);
}

#[test]
fn animations_have_up_where_the_mechanism_has_it() {
    // glTF has y up: that of a plane stays, z of space is turned into it, by −90° about x.
    let rotation = |moving: &Moving| unpacked(&glb(moving, 10.0)).0["nodes"][0]["rotation"].clone();
    assert_eq!(rotation(&turning_once()), serde_json::json!([0.0, 0.0, 0.0, 1.0]));
    let half = 0.5_f64.sqrt();
    assert_eq!(rotation(&moving()), serde_json::json!([-half, 0.0, 0.0, half]));
}

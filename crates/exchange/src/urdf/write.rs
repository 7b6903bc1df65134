//! A robot as a model file.

use std::fmt::Write;

use trunnion_model::units::parse_unit;

use super::names::{UrdfNames, WORLD};
use super::robot::{Inertial, Link, Robot, UrdfGeometry, UrdfJoint, UrdfJointKind, UrdfOrigin, Visual};
use trunnion_num::space::{Point, cross, unit};

pub fn model(robot: &Robot, root: usize, names: &UrdfNames) -> String {
    let mut text =
        format!("[model]\nname = {}\n\n[mechanism]\ngravity = \"9.81 m/s^2\"\n", quoted(&robot.name));
    for (k, link) in robot.links.iter().enumerate() {
        text += &body(link, k, robot, names);
    }
    text += "\n[joints]\n";
    if let Some(anchor) = &names.anchor {
        let child = &names.links[root];
        text += &format!("{anchor} = {{ type = \"weld\", parent = \"{WORLD}\", child = \"{child}\" }}\n");
    }
    for k in 0..robot.joints.len() {
        text += &joint(k, robot, names);
    }
    let couplings: String = (0..robot.joints.len()).filter_map(|k| coupling(k, robot, names)).collect();
    if !couplings.is_empty() {
        text += &format!("\n[couplings]\n{couplings}");
    }
    text + "\n[run]\nt_end = \"2 s\"\n"
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// As short as it reads back equal.
fn number(x: f64) -> String {
    let plain = format!("{}", x + 0.0);
    let power = format!("{:e}", x + 0.0);
    if plain.len() <= power.len().max(6) { plain } else { power }
}

fn value(x: f64, unit: &str) -> String {
    if x == 0.0 { "0".into() } else { format!("\"{} {unit}\"", number(x)) }
}

/// In degrees where these are round and mean the same.
fn angle(x: f64) -> String {
    let degrees = (x.to_degrees() * 1e6).round() / 1e6;
    match parse_unit("deg") {
        Ok(unit) if unit.to_si(degrees) == x => value(degrees, "deg"),
        _ => value(x, "rad"),
    }
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn lengths(p: Point) -> String {
    list(p.map(|x| value(x, "m")))
}

/// `at` and `rotate`, as far as they say something; each begins with a comma.
fn placed(origin: &UrdfOrigin) -> String {
    let mut text = String::new();
    if origin.xyz != [0.0; 3] {
        text += &format!(", at = {}", lengths(origin.xyz));
    }
    if origin.rpy != [0.0; 3] {
        text += &format!(", rotate = {}", list(origin.rpy.map(angle)));
    }
    text
}

fn body(link: &Link, k: usize, robot: &Robot, names: &UrdfNames) -> String {
    let mut text = format!("\n[bodies.{}]\n", names.links[k]);
    if let Some(inertial) = &link.inertial {
        text += &heavy(inertial);
    }
    let frames =
        robot.joints.iter().enumerate().filter(|(_, j)| j.parent == k && j.origin != UrdfOrigin::default());
    let frames: Vec<String> =
        frames.map(|(n, j)| format!("{} = {}", names.frame(n), frame(&j.origin))).collect();
    if !frames.is_empty() {
        let _ = writeln!(text, "frames = {{ {} }}", frames.join(", "));
    }
    if !link.visuals.is_empty() {
        text += "shapes = [\n";
        link.visuals.iter().for_each(|visual| text += &shape(visual));
        text += "]\n";
    }
    text
}

fn heavy(inertial: &Inertial) -> String {
    let mut text = format!("m = {}\n", value(inertial.mass, "kg"));
    if inertial.center != [0.0; 3] {
        let _ = writeln!(text, "center = {}", lengths(inertial.center));
    }
    let across = inertial.inertia[3..].iter().any(|x| *x != 0.0);
    let shown = &inertial.inertia[..if across { 6 } else { 3 }];
    let _ = writeln!(text, "inertia = {}", list(shown.iter().map(|x| value(*x, "kg m^2"))));
    text
}

fn frame(origin: &UrdfOrigin) -> String {
    match origin.rpy == [0.0; 3] {
        true => lengths(origin.xyz),
        false => format!("{{ at = {}, rotate = {} }}", lengths(origin.xyz), list(origin.rpy.map(angle))),
    }
}

fn shape(visual: &Visual) -> String {
    let form = match &visual.form {
        UrdfGeometry::Box(size) => format!("box = {}", lengths(*size)),
        UrdfGeometry::Cylinder { radius, length } => {
            format!("cylinder = {}", list([radius, length].map(|x| value(*x, "m"))))
        }
        UrdfGeometry::Sphere(radius) => format!("sphere = {}", value(*radius, "m")),
        UrdfGeometry::Mesh { file, scale } if *scale == 1.0 => format!("mesh = {}", quoted(file)),
        UrdfGeometry::Mesh { file, scale } => format!("mesh = {}, scale = {}", quoted(file), number(*scale)),
    };
    let colour = visual.colour.as_ref().map(|c| format!(", color = \"{c}\"")).unwrap_or_default();
    format!("    {{ {form}{}{colour} }},\n", placed(&visual.origin))
}

fn joint(k: usize, robot: &Robot, names: &UrdfNames) -> String {
    let joint = &robot.joints[k];
    let kind = match joint.kind {
        UrdfJointKind::Revolute | UrdfJointKind::Continuous => "revolute",
        UrdfJointKind::Prismatic => "prismatic",
        UrdfJointKind::Fixed => "weld",
        UrdfJointKind::Floating => "free",
        UrdfJointKind::Planar => "planar",
    };
    let mut parent = names.links[joint.parent].clone();
    if joint.origin != UrdfOrigin::default() {
        parent += &format!(".{}", names.frame(k));
    }
    let (name, child) = (&names.joints[k], &names.links[joint.child]);
    let mut text = format!("{name} = {{ type = \"{kind}\", parent = \"{parent}\", child = \"{child}\"");
    match joint.kind {
        UrdfJointKind::Fixed | UrdfJointKind::Floating => {}
        UrdfJointKind::Planar => text += &format!(", axes = {}", list(across(joint.axis).map(axis))),
        _ => text += &format!(", axis = {}{}", axis(joint.axis), single(joint)),
    }
    text + " }\n"
}

/// What a joint of one coordinate has beside its axis.
fn single(joint: &UrdfJoint) -> String {
    let turns = joint.kind.turns();
    let position = |x: f64| if turns { angle(x) } else { value(x, "m") };
    let mut text = String::new();
    let mut put = |key: &str, value: String| text += &format!(", {key} = {value}");
    if let Some(mimic) = joint.mimic.filter(|m| m.offset != 0.0) {
        put(if turns { "phi0" } else { "x0" }, position(mimic.offset));
    }
    if let Some((lower, upper)) = joint.limits {
        put("lower", position(lower));
        put("upper", position(upper));
    }
    if joint.damping != 0.0 {
        put("c", value(joint.damping, if turns { "N m s/rad" } else { "N s/m" }));
    }
    if joint.friction != 0.0 {
        put("friction", value(joint.friction, if turns { "N m" } else { "N" }));
    }
    text
}

/// `"x"`, `"-y"`, or three numbers.
fn axis(a: Point) -> String {
    for (k, name) in ["x", "y", "z"].iter().enumerate() {
        let along = (0..3).all(|i| i == k || a[i] == 0.0);
        if along {
            return format!("\"{}{name}\"", if a[k] < 0.0 { "-" } else { "" });
        }
    }
    list(a.map(number))
}

/// Two directions with this one as their normal.
fn across(normal: Point) -> [Point; 2] {
    // The next axis in turn where there is one, so that z gives x and y.
    let largest = (0..3).max_by(|&i, &j| normal[i].abs().total_cmp(&normal[j].abs())).unwrap_or(2);
    let mut first = [0.0; 3];
    first[(largest + 1) % 3] = 1.0;
    let second = unit(cross(normal, first)).unwrap_or(first);
    let first = cross(second, normal);
    // 0 − 0 may be −0.
    [first, second].map(|v| v.map(|x| x + 0.0))
}

/// q − factor · q of the other = offset, which the start values say.
fn coupling(k: usize, robot: &Robot, names: &UrdfNames) -> Option<String> {
    let joint = &robot.joints[k];
    let mimic = joint.mimic?;
    let other = &robot.joints[mimic.joint];
    if !joint.kind.single() || !other.kind.single() {
        return None;
    }
    let coordinate = |turns: bool| if turns { "phi" } else { "x" };
    let (own, others) = (coordinate(joint.kind.turns()), coordinate(other.kind.turns()));
    let factor = match (joint.kind.turns(), other.kind.turns()) {
        (true, false) => value(-mimic.factor, "rad/m"),
        (false, true) => value(-mimic.factor, "m/rad"),
        _ => number(-mimic.factor),
    };
    let (name, other) = (&names.joints[k], &names.joints[mimic.joint]);
    let terms = format!("{{ \"{name}.{own}\" = 1, \"{other}.{others}\" = {factor} }}");
    Some(format!("{name}_follows = {{ type = \"linear\", terms = {terms} }}\n"))
}

//! Components between two frames or on a joint.
//!
//! `lift = { type = "cylinder", from = "turret.base", to = "boom.pin" }` stands for the component, a line `lift.line` from one
//! frame to the other whose flange meets the component's `to` port, and a ground that holds its `from` port. With
//! `on = "joint"` the `to` port meets the joint's flange.
//!
//! A component that acts in all directions, a contact or a grip, gets a joint `foot.joint` instead that leaves all freedoms and closes no loop: its coordinates are
//! measured, and what is connected to its ports acts on both bodies.

use super::sections::{MechanismPart, Sections, joint};
use super::{CoordinateNames, JointKind};
use crate::component::{
    Child, ComponentDefinition, ComponentSections, Connection, GROUND, JOINT, LINE, Library, Mount,
    PoseMount, Section,
};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Span, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue, wrong_type};

/// Where a component is mounted; the entry of the far end comes last.
enum MountPlace {
    Between(TomlEntry, TomlEntry),
    On(TomlText),
}

/// Puts the mounted components of a model in their places.
pub fn mount(
    root: &mut ComponentDefinition,
    sections: &mut Sections,
    library: &Library,
    problems: &Problems,
) {
    let bodies = std::iter::once(&mut root.body).chain(root.when.iter_mut().map(|w| &mut w.body));
    for body in bodies {
        for k in 0..body.components.len() {
            mount_child(body, k, sections, library, problems);
        }
    }
}

fn mount_child(
    body: &mut ComponentSections,
    k: usize,
    sections: &mut Sections,
    library: &Library,
    problems: &Problems,
) {
    let child = &mut body.components[k];
    let Some(definition) = child.kind.as_ref().and_then(|kind| library.find(&kind.text)) else { return };
    let taken = take_place(child, definition);
    let Some(first) = taken.first().map(|e| e.key.clone()) else { return };
    if let Some(pose) = &definition.pose {
        if let Some(place) = read_place(child, &taken, problems) {
            mount_pose(body, k, (definition, pose), place, sections, problems);
        }
        return;
    }
    let Some(mount) = &definition.mount else {
        problems.add(
            Diagnostic::error("M0517", format!("`{}` cannot be mounted", definition.name))
                .at(&first.span, "its file has no [mount]")
                .hint("connect one of its ports to a joint, or to the `flange` of a line, in [connect]"),
        );
        return;
    };
    let Some(place) = read_place(child, &taken, problems) else { return };
    let Some(end) = fasten(child, mount, &place, sections, problems) else { return };
    if let Some(length) = mount.length.as_ref().filter(|l| !gives(child, &l.text)) {
        let value = TomlValue { data: Data::Text(end.length), span: end.span.clone() };
        child.arguments.push((TomlKey { name: length.text.clone(), span: end.span.clone() }, value));
    }
    if definition.options.iter().any(|o| o.key.name == "mounted") && !gives(child, "mounted") {
        let key = TomlKey { name: "mounted".into(), span: end.span.clone() };
        child.arguments.push((key, TomlValue { data: Data::Boolean(true), span: end.span.clone() }));
    }
    let name = child.key.name.clone();
    let made = |suffix: &str, kind: &str, section| Child {
        key: TomlKey { name: format!("{name}.{suffix}"), span: child.key.span.clone() },
        kind: Some(TomlText { text: kind.into(), span: end.span.clone() }),
        arguments: vec![],
        definition: None,
        section,
    };
    let (line, ground) = (
        made(LINE, "point_line", Some(Section::Lines)),
        made(GROUND, if mount.turns() { "rotational_ground" } else { "ground" }, None),
    );
    let join = |a: String, b: String| {
        let key = |name| TomlKey { name, span: end.span.clone() };
        Connection { ends: vec![key(a), key(b)] }
    };
    body.connections.push(join(end.port, format!("{name}.{}", mount.to.text)));
    if let Some(from) = &mount.from {
        body.connections.push(join(format!("{name}.{GROUND}.flange"), format!("{name}.{}", from.text)));
        body.components.push(ground);
    }
    if let MountPlace::Between(..) = place {
        body.components.push(line);
    }
}

/// A component that acts in all directions between two frames.
fn mount_pose(
    body: &mut ComponentSections,
    k: usize,
    (definition, pose): (&ComponentDefinition, &PoseMount),
    place: MountPlace,
    sections: &mut Sections,
    problems: &Problems,
) {
    let child = &mut body.components[k];
    let (kind, pairs, dimensions) = pose.of(sections.planar());
    let (from, to) = match place {
        MountPlace::Between(from, to) if !pairs.is_empty() => (from, to),
        MountPlace::Between(_, to) => {
            let error =
                Diagnostic::error("M0519", format!("`{}` has no [mount] in {dimensions}", definition.name));
            problems.add(error.at(&to.value.span, format!("the mechanism is in {dimensions}")));
            return;
        }
        MountPlace::On(text) => {
            problems.add(
                Diagnostic::error("M0519", format!("`{}` acts in all directions", child.key.name))
                    .at(&text.span, "a joint has its own")
                    .hint("mount it between two frames, with `from` and `to`"),
            );
            return;
        }
    };
    let span = to.value.span.clone();
    let said = |name: &str, data: Data| TomlEntry {
        key: TomlKey { name: name.into(), span: span.clone() },
        value: TomlValue { data, span: span.clone() },
    };
    let word = kind.word;
    let mut entries = vec![
        said("type", Data::Text(word.into())),
        TomlEntry { value: from.value, ..said("parent", Data::Boolean(true)) },
        TomlEntry { value: to.value, ..said("child", Data::Boolean(true)) },
        said("cut", Data::Boolean(true)),
    ];
    if kind == JointKind::FREE {
        entries.push(said("ports", Data::Boolean(true)));
    }
    let name = child.key.name.clone();
    let key = TomlKey { name: format!("{name}.{JOINT}"), span: child.key.span.clone() };
    let part = MechanismPart { table: TomlTable { entries, span: child.key.span.clone() }, key };
    if definition.options.iter().any(|o| o.key.name == "dimensions") && !gives(child, "dimensions") {
        let TomlEntry { key, value } = said("dimensions", Data::Text(dimensions.into()));
        child.arguments.push((key, value));
    }
    for (of_joint, own) in pairs {
        let there = format!("{}.{}", part.key.name, of_joint.name);
        if kind.pose_ports.contains(&of_joint.name.as_str()) {
            let key = |name| TomlKey { name, span: span.clone() };
            let ends = vec![key(there), key(format!("{name}.{}", own.text))];
            body.connections.push(Connection { ends });
        } else if !gives(&body.components[k], &own.text) {
            let TomlEntry { key, value } = said(&own.text, Data::Text(there));
            body.components[k].arguments.push((key, value));
        }
    }
    body.components.push(joint(&part, problems));
    sections.mounted_joints.push(part);
}

fn gives(child: &Child, name: &str) -> bool {
    child.arguments.iter().any(|(key, _)| key.name == name)
}

/// Takes `from`, `to` and `on` from the values of a component, unless it has something of this name itself.
fn take_place(child: &mut Child, definition: &ComponentDefinition) -> Vec<TomlEntry> {
    let own = |name: &str| {
        let named = |b: &ComponentSections| {
            b.parameters.iter().any(|p| p.key.name == name) || b.ports.iter().any(|p| p.key.name == name)
        };
        definition.bodies().any(named) || definition.options.iter().any(|o| o.key.name == name)
    };
    let places = ["from", "to", "on"].into_iter().filter(|name| !own(name)).collect::<Vec<_>>();
    let (taken, kept) = std::mem::take(&mut child.arguments)
        .into_iter()
        .partition(|(key, _): &(TomlKey, TomlValue)| places.contains(&key.name.as_str()));
    child.arguments = kept;
    taken.into_iter().map(|(key, value)| TomlEntry { key, value }).collect()
}

fn read_place(child: &Child, taken: &[TomlEntry], problems: &Problems) -> Option<MountPlace> {
    let find = |name: &str| taken.iter().find(|e| e.key.name == name);
    let name = &child.key.name;
    match (find("from"), find("to"), find("on")) {
        (None, None, Some(on)) => match on.value.as_text() {
            Some(text) => Some(MountPlace::On(text)),
            None => {
                problems.add(wrong_type(&on.value, "on", "a joint, as in on = \"swing\""));
                None
            }
        },
        (Some(from), Some(to), None) => Some(MountPlace::Between(from.clone(), to.clone())),
        (end, other, Some(on)) => {
            let end = end.or(other)?;
            problems.add(
                Diagnostic::error("M0518", format!("`{name}` is mounted in two ways"))
                    .at(&end.key.span, "between two frames")
                    .at(&on.key.span, "on a joint")
                    .hint("keep `from` and `to`, or `on`"),
            );
            None
        }
        (end, other, None) => {
            let (end, missing) = if end.is_some() { (end, "to") } else { (other, "from") };
            problems.add(
                Diagnostic::error("M0518", format!("`{name}` is mounted at one end only"))
                    .at(&end?.key.span, format!("`{missing}` is missing"))
                    .hint(format!(
                        "add {missing} = \"…\": a body or a frame on one; on a joint it is on = \"joint\""
                    )),
            );
            None
        }
    }
}

/// What the far end of a component is connected to.
struct FarEnd {
    /// "lift.line.flange", "swing.flange".
    port: String,
    /// "lift.line.l", "swing.phi".
    length: String,
    span: Span,
}

fn fasten(
    child: &Child,
    mount: &Mount,
    place: &MountPlace,
    sections: &mut Sections,
    problems: &Problems,
) -> Option<FarEnd> {
    match place {
        MountPlace::Between(from, to) => {
            if mount.turns() {
                problems.add(
                    Diagnostic::error("M0519", format!("`{}` turns", child.key.name))
                        .at(&to.value.span, "a line between two frames pushes and pulls")
                        .hint("mount it on a joint that turns: on = \"…\""),
                );
                return None;
            }
            let key = TomlKey { name: format!("{}.{LINE}", child.key.name), span: child.key.span.clone() };
            let (port, length) = (format!("{}.flange", key.name), format!("{}.l", key.name));
            let table = TomlTable { entries: vec![from.clone(), to.clone()], span: child.key.span.clone() };
            sections.mounted.push(MechanismPart { key, table });
            Some(FarEnd { port, length, span: to.value.span.clone() })
        }
        MountPlace::On(text) => {
            let (joint, kind, k) = coordinate(text, sections, problems)?;
            let coordinate: &CoordinateNames = &kind.coordinates[k];
            if coordinate.turns != mount.turns() {
                let (is, does) = match mount.turns() {
                    true => ("turns", "slides"),
                    false => ("pushes and pulls", "turns"),
                };
                problems.add(
                    Diagnostic::error("M0519", format!("`{}` {is}", child.key.name))
                        .at(&text.span, format!("`{}.{}` {does}", joint, coordinate.position))
                        .hint("mount it on another joint or coordinate, or join them by a `rack`"),
                );
                return None;
            }
            let (port, length) =
                (format!("{joint}.{}", kind.ports[k]), format!("{joint}.{}", coordinate.position));
            Some(FarEnd { port, length, span: text.span.clone() })
        }
    }
}

/// The joint that a text names, its kind and the number of the coordinate: "pin", "pin.phi", "pin.rotation".
fn coordinate(
    text: &TomlText,
    sections: &Sections,
    problems: &Problems,
) -> Option<(String, &'static JointKind, usize)> {
    let (name, part) = text.text.split_once('.').unwrap_or((&text.text, ""));
    let joints = sections.of(Section::Joints);
    let Some(joint) = joints.iter().find(|j| j.key.name == name) else {
        problems.add(
            Diagnostic::error("M0520", format!("there is no joint `{name}`"))
                .at(&text.span, "not among [joints]")
                .hint_if(did_you_mean(name, joints.iter().map(|j| j.key.name.as_str()))),
        );
        return None;
    };
    // An unknown kind is reported with the joint.
    let kind = super::sections::joint_kind(joint)?;
    let ports = kind.ports;
    let named = |k: usize| kind.coordinates[k].position == part || ports[k] == part;
    let found = match (part, ports) {
        ("", [_]) => Some(0),
        _ => (0..ports.len()).find(|&k| named(k)),
    };
    if found.is_none() {
        let message = match (part, ports) {
            (_, []) => format!("nothing can be mounted on `{name}`"),
            ("", _) => format!("which coordinate of `{name}`?"),
            _ => format!("`{name}` has no coordinate `{part}`"),
        };
        let paths: Vec<String> =
            kind.coordinates.iter().take(ports.len()).map(|c| format!("{name}.{}", c.position)).collect();
        problems.add(Diagnostic::error("M0520", message).at(&text.span, "no coordinate").hint(
            match ports.is_empty() {
                true => "joints of this type have no port".to_string(),
                false => format!("it can be {}", one_of(paths.iter().map(String::as_str))),
            },
        ));
    }
    Some((name.to_string(), kind, found?))
}

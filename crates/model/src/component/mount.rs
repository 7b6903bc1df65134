//! `[mount]`: how a component is put between two frames or on a joint.
//!
//! `to`, with `from` and `length`: it acts along a line, or along one coordinate. `space` and `plane`: it acts in all directions between two frames;
//! each names quantities and ports of a joint that leaves all freedoms, `free` or `planar`, and what of the component they meet.

use super::{ComponentDefinition, ComponentSections, Port, SignalDirection};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::domain::Domain;
use crate::file::{Fields, TomlKey, TomlText, wrong_type};
use crate::mechanism::JointKind;

/// Names of what a mounted component gets beside its own.
pub const LINE: &str = "line";
pub const GROUND: &str = "ground";
pub const JOINT: &str = "joint";

#[derive(Clone, Debug)]
pub struct Mount {
    /// Port at the `from` end, which is held; None: the component acts against the ground by itself.
    pub from: Option<TomlText>,
    /// Port at the `to` end.
    pub to: TomlText,
    /// Signal input that is given the distance of the ends, or the joint's coordinate.
    pub length: Option<TomlText>,
    /// Of both ports.
    pub domain: &'static Domain,
}

impl Mount {
    pub fn turns(&self) -> bool {
        self.domain.name == "rotational"
    }
}

/// A component that acts in all directions between two frames.
#[derive(Clone, Debug, Default)]
pub struct PoseMount {
    /// What of the joint `free` meets what of the component; empty: it cannot be mounted in space.
    pub space: Vec<(TomlKey, TomlText)>,
    /// The same with `planar`, in a plane.
    pub plane: Vec<(TomlKey, TomlText)>,
}

impl PoseMount {
    /// The joint between the frames, what meets it, and the choice of the option `dimensions`.
    pub fn of(&self, planar: bool) -> (&'static JointKind, &[(TomlKey, TomlText)], &'static str) {
        match planar {
            true => (JointKind::PLANAR, &self.plane, "plane"),
            false => (JointKind::FREE, &self.space, "space"),
        }
    }

    /// The port of the joint that moves at the rate of this coordinate; None for parts of an orientation, and for ports.
    pub fn port_of(kind: &'static JointKind, coordinate: &str) -> Option<&'static str> {
        let k = kind.coordinates.iter().position(|c| c.position == coordinate)?;
        kind.pose_ports.get(k).copied()
    }
}

/// `space` and `plane` of [mount]; None where it has neither.
pub(crate) fn read_pose(fields: &Fields<'_>, definition: &ComponentDefinition) -> Option<PoseMount> {
    let entry = fields.entry("mount")?;
    let f = Fields::new(fields.table("mount")?, "[mount]", &entry.key.span, fields.problems);
    f.value("space").or(f.value("plane"))?;
    let mut pose = PoseMount::default();
    for (word, planar) in [("space", false), ("plane", true)] {
        let kind = pose.of(planar).0;
        let pairs = f.entries(word).iter().filter_map(|e| {
            let text = e.value.as_text().or_else(|| {
                fields.problems.add(wrong_type(
                    &e.value,
                    &e.key.name,
                    "a port or a signal input of the component",
                ));
                None
            })?;
            check_pair(kind, &e.key, &text, definition, fields.problems).then(|| (e.key.clone(), text))
        });
        let pairs = pairs.collect();
        *(if planar { &mut pose.plane } else { &mut pose.space }) = pairs;
    }
    f.finish();
    Some(pose)
}

/// Whether a name of the joint and one of the component can meet.
fn check_pair(
    kind: &'static JointKind,
    key: &TomlKey,
    text: &TomlText,
    definition: &ComponentDefinition,
    problems: &Problems,
) -> bool {
    let ports_of_joint = kind.pose_ports;
    let orientation: &[&str] = if kind.has_orientation() { &["qw", "qx", "qy", "qz"] } else { &[] };
    let measured = kind.coordinates.iter().map(|c| c.position).chain(orientation.iter().copied());
    let known: Vec<&str> = ports_of_joint.iter().copied().chain(measured).collect();
    if !known.contains(&key.name.as_str()) {
        problems.add(
            Diagnostic::error("M0516", format!("two frames have no `{}` between them", key.name))
                .at(&key.span, "unknown name")
                .hint(format!("it can be {}", one_of(known.iter().copied())))
                .hint_if(did_you_mean(&key.name, known.iter().copied())),
        );
        return false;
    }
    if ports_of_joint.contains(&key.name.as_str()) {
        return mechanical(text, definition, problems).is_some();
    }
    let found =
        ports(definition).any(|p| p.causality == Some(SignalDirection::In) && p.key.name == text.text);
    if !found {
        let error = Diagnostic::error("M0516", format!("there is no signal input `{}`", text.text));
        problems.add(error.at(&text.span, format!("takes `{}`", key.name)).hint("add it to [ports]"));
    }
    found
}

/// The section of a component file; what is wrong is said.
pub(crate) fn read_mount(fields: &Fields<'_>, definition: &ComponentDefinition) -> Option<Mount> {
    let entry = fields.entry("mount")?;
    let problems = fields.problems;
    let f = Fields::new(fields.table("mount")?, "[mount]", &entry.key.span, problems);
    let (from, to, length) = (f.text("from"), f.text("to"), f.text("length"));
    if f.value("to").is_none() {
        f.missing("to", "the port at the far end, as in to = \"rod\"");
    }
    f.finish();
    let domain = mechanical(to.as_ref()?, definition, problems)?;
    if let Some(from) = &from {
        let other = mechanical(from, definition, problems)?;
        if other.name != domain.name {
            let error = Diagnostic::error("M0516", "the ends of [mount] do not belong together");
            problems.add(error.at(&from.span, format!("{}, the other end is {}", other.name, domain.name)));
            return None;
        }
    }
    if let Some(length) = &length {
        let mut inputs = ports(definition).filter(|p| p.causality == Some(SignalDirection::In));
        if !inputs.any(|p| p.key.name == length.text) {
            let error = Diagnostic::error("M0516", format!("there is no signal input `{}`", length.text));
            problems.add(error.at(&length.span, "takes the distance of the ends").hint("add it to [ports]"));
            return None;
        }
    }
    let taken = |b: &ComponentSections| {
        let mut names = b.components.iter().map(|c| &c.key).chain(b.ports.iter().map(|p| &p.key));
        names.find(|k| k.name == LINE || k.name == GROUND).cloned()
    };
    if let Some(key) = definition.bodies().find_map(taken) {
        let error =
            Diagnostic::error("M0516", format!("a component that is mounted cannot have a `{}`", key.name));
        problems.add(error.at(&key.span, "the mount makes one of this name"));
        return None;
    }
    Some(Mount { from, to: to?, length, domain })
}

fn ports(definition: &ComponentDefinition) -> impl Iterator<Item = &Port> {
    definition.bodies().flat_map(|b| &b.ports)
}

fn mechanical(
    text: &TomlText,
    definition: &ComponentDefinition,
    problems: &Problems,
) -> Option<&'static Domain> {
    let fits = |d: &Domain| matches!(d.name, "translational" | "rotational");
    let names = || ports(definition).filter(|p| p.domain.is_some_and(fits)).map(|p| p.key.name.as_str());
    let port = ports(definition).find(|p| p.key.name == text.text);
    let found = port.and_then(|p| p.domain).filter(|d| fits(d));
    if found.is_none() && port.is_none_or(|p| p.domain.is_some()) {
        let listed = (names().count() > 0).then(|| format!("it can be {}", one_of(names())));
        problems.add(
            Diagnostic::error("M0516", format!("`{}` is no translational or rotational port", text.text))
                .at(&text.span, "cannot be an end of a mount")
                .hint_if(listed)
                .hint_if(did_you_mean(&text.text, names())),
        );
    }
    found
}

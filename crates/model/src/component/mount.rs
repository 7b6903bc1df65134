//! `[mount]`: how a component is put between two frames or on a joint.

use super::{Body, Causality, Definition, Port};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::domain::Domain;
use crate::file::{Fields, Text};

/// Names of what a mounted component gets beside its own.
pub const LINE: &str = "line";
pub const GROUND: &str = "ground";

#[derive(Clone, Debug)]
pub struct Mount {
    /// Port at the `from` end, which is held; None: the component acts against the ground by itself.
    pub from: Option<Text>,
    /// Port at the `to` end.
    pub to: Text,
    /// Signal input that is given the distance of the ends, or the joint's coordinate.
    pub length: Option<Text>,
    /// Of both ports.
    pub domain: &'static Domain,
}

impl Mount {
    pub fn turns(&self) -> bool {
        self.domain.name == "rotational"
    }
}

/// The section of a component file; what is wrong is said.
pub fn read_mount(fields: &Fields<'_>, definition: &Definition) -> Option<Mount> {
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
        let mut inputs = ports(definition).filter(|p| p.causality == Some(Causality::In));
        if !inputs.any(|p| p.key.name == length.text) {
            let error = Diagnostic::error("M0516", format!("there is no signal input `{}`", length.text));
            problems.add(error.at(&length.span, "takes the distance of the ends").hint("add it to [ports]"));
            return None;
        }
    }
    let taken = |b: &Body| {
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

fn ports(definition: &Definition) -> impl Iterator<Item = &Port> {
    definition.bodies().flat_map(|b| &b.ports)
}

fn mechanical(text: &Text, definition: &Definition, problems: &Problems) -> Option<&'static Domain> {
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

//! Names as expressions can use them. Links and joints share one space here, so a joint that is called as a link is gets `_joint`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use trunnion_model::language::is_reserved;
use trunnion_model::{Diagnostic, Source, Span};

use super::Findings;
use super::robot::Robot;
use trunnion_num::text::count;

pub const WORLD: &str = "world";
/// What a body shows of itself: its frames are called otherwise.
const SHOWN: [&str; 8] = ["x", "y", "z", "phi", "qw", "qx", "qy", "qz"];

pub struct UrdfNames {
    pub links: Vec<String>,
    pub joints: Vec<String>,
    /// The joint that holds the root; None where the root is the world itself.
    pub anchor: Option<String>,
}

impl UrdfNames {
    pub fn of(robot: &Robot, root: usize, source: &Arc<Source>, findings: &Findings) -> UrdfNames {
        let mut taken: HashSet<String> = [WORLD.to_string()].into();
        let mut changed = vec![];
        let mut told = |old: &str, new: &str, place: &Range<usize>| {
            if old != new {
                changed.push((Span::new(source, place.clone()), format!("is now `{new}`")));
            }
        };
        // A root without mass that is called world is the world.
        let is_world = robot.links[root].name == WORLD && robot.links[root].inertial.is_none();
        let mut links = vec![];
        for (k, link) in robot.links.iter().enumerate() {
            let name = match is_world && k == root {
                true => WORLD.to_string(),
                false => free(&link.name, "link", &mut taken),
            };
            told(&link.name, &name, &link.place);
            links.push(name);
        }
        let mut joints = vec![];
        for joint in &robot.joints {
            let name = free(&joint.name, "joint", &mut taken);
            told(&joint.name, &name, &joint.place);
            joints.push(name);
        }
        if !changed.is_empty() {
            let message = format!("{} changed, to be used in expressions", count(changed.len(), "name"));
            let note = Diagnostic::note("I0014", message);
            findings.add(changed.into_iter().fold(note, |note, (span, text)| note.at(&span, text)));
        }
        let anchor = (!is_world).then(|| free("anchor", "joint", &mut taken));
        UrdfNames { links, joints, anchor }
    }

    /// The frame on the parent where a joint sits.
    pub fn frame(&self, joint: usize) -> String {
        let name = &self.joints[joint];
        if SHOWN.contains(&name.as_str()) { format!("{name}_joint") } else { name.clone() }
    }
}

/// Letters, digits and `_`, beginning with a letter; not a word of the language, not used before.
fn free(name: &str, what: &str, taken: &mut HashSet<String>) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let first = plain.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut plain = if first { plain } else { format!("{what}_{plain}") };
    if is_reserved(&plain) || taken.contains(&plain) {
        plain = format!("{plain}_{what}");
    }
    let mut candidates = std::iter::once(plain.clone()).chain((2..).map(|n| format!("{plain}_{n}")));
    let name = candidates.find(|c| !taken.contains(c)).unwrap_or(plain);
    taken.insert(name.clone());
    name
}

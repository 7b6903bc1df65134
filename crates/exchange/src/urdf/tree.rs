//! The tree of links: one root, every other link on one joint, and something with mass on all that moves.

use std::sync::Arc;

use trunnion_model::{Diagnostic, Source, Span};

use super::Findings;
use super::robot::{Robot, UrdfJointKind};

/// The link without a parent; None if there is not exactly one, which is said.
pub fn root(robot: &Robot, source: &Arc<Source>, findings: &Findings) -> Option<usize> {
    let span = |place: &std::ops::Range<usize>| Span::new(source, place.clone());
    for (k, joint) in robot.joints.iter().enumerate() {
        if let Some(other) = robot.joints[..k].iter().find(|other| other.child == joint.child) {
            let link = &robot.links[joint.child].name;
            findings.add(
                Diagnostic::error("I0013", format!("`{link}` hangs on two joints"))
                    .at(&span(&joint.place), "is one of them")
                    .at(&span(&other.place), "is the other")
                    .hint("URDF knows trees only; close the loop in the model file, with a joint of its own"),
            );
        }
    }
    let child = |k: usize| robot.joints.iter().any(|j| j.child == k);
    let roots: Vec<usize> = (0..robot.links.len()).filter(|&k| !child(k)).collect();
    if findings.failed() {
        return None;
    }
    let apart = unreached(robot, &roots);
    if let ([root], None) = (&roots[..], apart) {
        massless(robot, source, findings);
        return Some(*root);
    }
    let names: Vec<String> = roots.iter().map(|&k| format!("`{}`", robot.links[k].name)).collect();
    let message = match &names[..] {
        [] | [_] => "joints form a circle".into(),
        [first, second] => format!("neither {first} nor {second} hangs on a joint"),
        [first, .., last] => format!("{} links from {first} to {last} hang on no joint", names.len()),
    };
    let place = &robot.links[apart.or(roots.last().copied()).unwrap_or(0)].place;
    findings.add(
        Diagnostic::error("I0013", message)
            .at(&span(place), "is not joined to the root")
            .hint("a robot has one root, from which joints lead to all other links"),
    );
    None
}

/// The first link to which no joints lead from the roots.
fn unreached(robot: &Robot, roots: &[usize]) -> Option<usize> {
    let mut order = roots.to_vec();
    let mut next = 0;
    while let Some(&link) = order.get(next) {
        order.extend(robot.joints.iter().filter(|j| j.parent == link).map(|j| j.child));
        next += 1;
    }
    (0..robot.links.len()).find(|k| !order.contains(k))
}

/// Warns of joints that move nothing: no mass on them and on what is fixed to it, and no joint beyond.
fn massless(robot: &Robot, source: &Arc<Source>, findings: &Findings) {
    for joint in robot.joints.iter().filter(|j| j.kind != UrdfJointKind::Fixed) {
        let (mut group, mut next, mut leaf) = (vec![joint.child], 0, true);
        while let Some(&link) = group.get(next) {
            for outer in robot.joints.iter().filter(|j| j.parent == link) {
                match outer.kind {
                    UrdfJointKind::Fixed => group.push(outer.child),
                    _ => leaf = false,
                }
            }
            next += 1;
        }
        let heavy = |&k: &usize| robot.links[k].inertial.is_some_and(|i| i.mass > 0.0);
        if leaf && !group.iter().any(heavy) {
            let link = &robot.links[joint.child];
            findings.add(
                Diagnostic::warning("I0012", format!("`{}` moves nothing that has a mass", joint.name))
                    .at(&Span::new(source, link.place.clone()), "has no <inertial>")
                    .hint("give the link a mass, or make the joint fixed: it cannot be simulated like this"),
            );
        }
    }
}

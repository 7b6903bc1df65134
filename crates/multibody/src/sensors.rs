//! What sensors and reactions show.
//!
//!   acceleration in W of a point at x of N:  a + α × x + ω × (ω × x) + g,  the base of the recursion having −g     (1)
//!   reaction: wrench through the joint without its parts along the coordinates, on the child at C, in F's axes    (2)

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::{Joint, Mechanism, SensedQuantity, Sensor};

use crate::articulated::Recursion;
use crate::loops::{Closing, coordinates};
use crate::node::TreeNodes;
use crate::primitive::PrimitiveKind;
use crate::relative::Relative;
use crate::spatial::{Spatial, Vec3};
use crate::tree::Tree;
use crate::writer::EquationWriter;

pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    recursion: &Recursion<'g>,
    gravity: Vec3<'g>,
) {
    for sensor in &mechanism.sensors {
        let relative = Relative::new(nodes, &sensor.from, &sensor.of);
        for &(measured, symbol) in &sensor.shows {
            let value = value(nodes, recursion, gravity, sensor, &relative, measured);
            writer.give(symbol, &sensor.origin, value);
        }
    }
}

fn value<'g>(
    nodes: &TreeNodes<'g>,
    recursion: &Recursion<'g>,
    gravity: Vec3<'g>,
    sensor: &Sensor,
    relative: &Relative<'g>,
    measured: SensedQuantity,
) -> Ex<'g> {
    let graph: &'g Graph = nodes.graph;
    let point = || relative.point(nodes);
    match measured {
        SensedQuantity::Position(i) => point().x[i],
        SensedQuantity::Velocity(i) => point().v[i],
        SensedQuantity::AngularVelocity(i) => relative.turning(nodes).0[i],
        SensedQuantity::Distance => point().x.dot(point().x).sqrt(),
        SensedQuantity::Angle => {
            let x = relative.direction(nodes, Vec3::along(0, graph.constant(1.0))).x;
            x[1].atan2(x[0])
        }
        SensedQuantity::Acceleration(i) => {
            // (1)
            let at = nodes.place(&sensor.of);
            let of = recursion.acceleration(at.node);
            let w = recursion.omega[at.node];
            let a = of.linear + of.angular.cross(at.p) + w.cross(w.cross(at.p));
            let from = nodes.place(&sensor.from);
            let fall = from.r.transpose() * nodes.seen_in(from.node, gravity);
            (relative.inward(nodes, a) + fall)[i]
        }
    }
}

/// (2) for every joint that asks for it.
pub fn reactions<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    tree: &Tree,
    nodes: &TreeNodes<'g>,
    recursion: &Recursion<'g>,
    closings: &[Closing<'g>],
) {
    for (j, joint) in mechanism.joints.iter().enumerate() {
        let Some(symbols) = joint.reactions else { continue };
        let on_child = match closings.iter().find(|c| c.joint == j) {
            Some(closing) => closing.reaction,
            None => through(mechanism, tree, nodes, recursion, j),
        };
        let values = on_child.linear.0.into_iter().chain(on_child.angular.0);
        symbols.iter().zip(values).for_each(|(&s, value)| writer.give(s, &joint.origin, value));
    }
}

/// (2) for joint j of the tree.
fn through<'g>(
    mechanism: &Mechanism,
    tree: &Tree,
    nodes: &TreeNodes<'g>,
    recursion: &Recursion<'g>,
    j: usize,
) -> Spatial<'g> {
    let joint: &Joint = &mechanism.joints[j];
    let reversed = tree.edges.iter().any(|e| e.joint == j && e.reversed);
    let own: Vec<usize> = (1..nodes.list.len()).filter(|&i| nodes.list[i].joint == j).collect();
    let [.., last] = own[..] else { return Spatial::zero(nodes.graph) };
    let wrench = recursion.transmitted(last);
    let relative = Relative::new(nodes, &joint.parent, &joint.child);
    let p = relative.point(nodes);
    let mut on_child = if reversed {
        // N's origin is F, the wrench acts on the parent: the opposite, about C.
        let r = nodes.place(&joint.parent).r.transpose();
        let (force, moment) = (-(r * wrench.linear), -(r * wrench.angular));
        Spatial { angular: moment - p.x.cross(force), linear: force }
    } else {
        // N's origin is C.
        let [angular, linear] = [wrench.angular, wrench.linear].map(|v| relative.inward(nodes, v));
        Spatial { angular, linear }
    };
    let coordinates = coordinates(nodes, joint, &relative, p);
    for node in own.iter().map(|&i| &nodes.list[i]).filter(|n| n.kind == PrimitiveKind::Spherical) {
        // Along N, which is along C, or F if backwards.
        let torque = if reversed { -node.force } else { relative.rotation(nodes) * node.force };
        on_child.angular = on_child.angular - torque;
    }
    for &i in own.iter().filter(|&&i| nodes.list[i].has_axis()) {
        let node = &nodes.list[i];
        let along = if node.driven { recursion.along(nodes, i) } else { node.force[node.axis] };
        on_child = on_child - coordinates[node.freedom].unit * (node.sign * along);
    }
    on_child
}

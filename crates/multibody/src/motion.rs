//! Equations of motion of the joints in the tree.
//!
//!   q' = v,  v' = q̈;      driven: q = q(t), v = q'(t), effort = Sᵀ F − τ                                (1)
//!   quaternion' = ½ quaternion ⊗ (0, ω)                                                               (2)

use trunnion_equations::flat::Origin;
use trunnion_equations::{Ex, Expr, Graph};
use trunnion_model::mechanism::{Freedom, Joint, Mechanism, Orientation};

use crate::articulated::Recursion;
use crate::error::MechanismError;
use crate::gauges;
use crate::node::{TreeNode, TreeNodes, rate};
use crate::primitive::PrimitiveKind;
use crate::spatial::Vec3;
use crate::writer::{EquationWriter, at_start};

pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    recursion: &Recursion<'g>,
) {
    for (i, node) in nodes.list.iter().enumerate().skip(1) {
        if node.kind == PrimitiveKind::Modal {
            modes(writer, mechanism, nodes, i, recursion);
        }
        let Some(joint) = mechanism.joints.get(node.joint) else { continue };
        match node.kind {
            PrimitiveKind::Fixed | PrimitiveKind::Modal | PrimitiveKind::Interface => {}
            PrimitiveKind::Spherical => {
                let Some(ball) = &joint.orientation else { continue };
                spherical(writer, nodes.graph, joint, ball, node, recursion.joint[i]);
            }
            _ => {
                let freedom = &joint.freedoms[node.freedom];
                if node.driven {
                    let effort = node.sign * (recursion.along(nodes, i) - node.force[node.axis]);
                    driven(writer, nodes.graph, &joint.origin, freedom, effort);
                } else {
                    let q_dot_dot = node.sign * recursion.joint[i][node.axis];
                    free(writer, nodes.graph, &joint.origin, freedom, q_dot_dot);
                }
            }
        }
    }
}

/// (1) of elastic coordinates, and the energy of deformation.
fn modes<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    i: usize,
    recursion: &Recursion<'g>,
) {
    let found = &recursion.modal[i];
    let Some(modal) = &nodes.modal[i] else { return };
    let body = &mechanism.bodies[modal.body];
    let Some(given) = body.inertia.modal() else { return };
    for (a, (&q, &v)) in given.coordinates.iter().zip(&given.rates).enumerate() {
        let [position, velocity] = [q, v].map(|s| writer.quantity(s).name.clone());
        writer.equation(position, &body.origin, nodes.graph.derivative(q), modal.rate[a]);
        writer.equation(velocity, &body.origin, nodes.graph.derivative(v), found[a]);
        // Where loops have to be closed at the start, joints move and bodies stay as they are.
        writer.held.extend([q, v]);
    }
    writer.give(given.strain, &body.origin, modal.strain);
    for gauge in &given.gauges {
        let motion = (recursion.acceleration(i), recursion.omega[i]);
        gauges::emit(writer, &body.origin, gauge, &modal.q, motion, found);
    }
}

/// (1) of a coordinate that forces move.
fn free<'g>(
    writer: &mut EquationWriter<'_>,
    graph: &'g Graph,
    origin: &Origin,
    freedom: &Freedom,
    acceleration: Ex<'g>,
) {
    let (q, v) = (freedom.position, freedom.velocity);
    let [position, velocity] = [q, v].map(|s| writer.quantity(s).name.clone());
    writer.equation(position, origin, graph.derivative(q), graph.symbol(v));
    writer.equation(velocity, origin, graph.derivative(v), acceleration);
    let holds = [(q, freedom.holds.0), (v, freedom.holds.1)];
    writer.held.extend(holds.iter().filter(|h| h.1).map(|h| h.0));
}

/// (1) of a coordinate whose motion is given.
fn driven<'g>(
    writer: &mut EquationWriter<'_>,
    graph: &'g Graph,
    origin: &Origin,
    freedom: &Freedom,
    effort: Ex<'g>,
) {
    let Some(motion) = &freedom.motion else { return };
    let position = graph.at(motion.position);
    writer.give(freedom.position, origin, position);
    writer.give(freedom.velocity, origin, rate(position));
    writer.give(motion.effort, origin, effort);
}

/// (2), and ω' from the acceleration in the node's axes.
fn spherical<'g>(
    writer: &mut EquationWriter<'_>,
    graph: &'g Graph,
    joint: &Joint,
    ball: &Orientation,
    node: &TreeNode<'g>,
    acceleration: Vec3<'g>,
) {
    let w_dot = match node.backwards {
        None => acceleration,
        Some(r_FC) => -(r_FC.transpose() * acceleration),
    };
    let [w, x, y, z] = ball.quaternion.map(|s| graph.symbol(s));
    let o = ball.velocity.map(|s| graph.symbol(s) * 0.5);
    let q_dot = [
        -(x * o[0] + y * o[1] + z * o[2]),
        w * o[0] + y * o[2] - z * o[1],
        w * o[1] + z * o[0] - x * o[2],
        w * o[2] + x * o[1] - y * o[0],
    ];
    let states = ball.quaternion.iter().zip(q_dot).chain(ball.velocity.iter().zip(w_dot.0));
    for (&s, value) in states {
        let name = writer.quantity(s).name.clone();
        writer.equation(name, &joint.origin, graph.derivative(s), value);
    }
    writer.quaternions.push(ball.quaternion);
    if ball.holds.0 {
        writer.held.extend(ball.quaternion);
    }
    if ball.holds.1 {
        writer.held.extend(ball.velocity);
    }
}

/// Every coordinate has to move something.
pub fn check(
    writer: &EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'_>,
    recursion: &Recursion<'_>,
) -> Vec<MechanismError> {
    // What is left of an inertia after eliminations that should leave nothing: some roundings.
    const NOTHING: f64 = 1e-13;
    let start = writer.start(nodes.graph);
    let mut errors = vec![];
    let roots: Vec<Expr> = recursion.diagonals.iter().flat_map(|d| [d.1.id, d.2.id]).collect();
    let values = at_start(nodes.graph, &start, &roots);
    for (&(i, ..), value) in recursion.diagonals.iter().zip(values.chunks(2)).rev() {
        if value[0] <= NOTHING * value[1] {
            let node = &nodes.list[i];
            if let Some(modal) = &nodes.modal[i] {
                errors.push(MechanismError::MasslessMode { body: modal.body });
                continue;
            }
            let joint = &mechanism.joints[node.joint];
            let symbol = match &joint.orientation {
                Some(ball) if node.kind == PrimitiveKind::Spherical => ball.velocity[0],
                _ => joint.freedoms[node.freedom].position,
            };
            errors.push(MechanismError::Massless {
                joint: node.joint,
                name: writer.quantity(symbol).name.clone(),
            });
        }
    }
    errors.dedup();
    errors
}

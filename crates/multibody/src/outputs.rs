//! What is shown of a mechanism: where its bodies are, and its energies. O(n).
//!
//!   R_WN = R_WP R_PN,  p_WN = p_WP + R_WP r,  q_WN = q_WP ⊗ q_PN                                       (1)
//!   T = ½ Σ Vᵀ I V (and what modes add),  U = −g · Σ (m p_WN + R_WN h)                                                      (2)

use trunnion_equations::flat::Origin;
use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::Mechanism;

use crate::inverse_dynamics::velocities;
use crate::node::{TreeNode, TreeNodes};
use crate::quaternion::SymbolicQuaternion;
use crate::spatial::{Inertia, Mat3, Vec3};
use crate::writer::EquationWriter;

/// Where a node is in W.
#[derive(Clone, Copy)]
pub struct NodePose<'g> {
    pub p: Vec3<'g>,
    pub r: Mat3<'g>,
    pub quaternion: SymbolicQuaternion<'g>,
    /// Sum of the angles about z: beyond ±π too.
    angle: Ex<'g>,
}

/// (1) for every node.
pub fn poses<'g>(nodes: &TreeNodes<'g>) -> Vec<NodePose<'g>> {
    let graph: &'g Graph = nodes.graph;
    let mut all = vec![NodePose {
        p: Vec3::zero(graph),
        r: Mat3::identity(graph),
        quaternion: SymbolicQuaternion::identity(graph),
        angle: graph.constant(0.0),
    }];
    for node in nodes.list.iter().skip(1) {
        let from: NodePose<'g> = all[node.parent];
        all.push(NodePose {
            p: from.p + from.r * node.r,
            r: turned(from.r, node),
            quaternion: from.quaternion.times(node.quaternion),
            angle: from.angle + node.angle,
        });
    }
    all
}

/// R_WP R_PN; each row is turned on its own.
fn turned<'g>(r_WP: Mat3<'g>, node: &TreeNode<'g>) -> Mat3<'g> {
    Mat3([0, 1, 2].map(|i| node.to_child(r_WP.row(i)).0))
}

pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    gravity: Vec3<'g>,
) {
    let poses = poses(nodes);
    for (body, place) in mechanism.bodies.iter().zip(&nodes.bodies).skip(1) {
        let pose = poses[place.node];
        let p = pose.p + pose.r * place.p;
        let mut shown = p.0.to_vec();
        if mechanism.planar {
            shown[2] = pose.angle + place.r.0[1][0].atan2(place.r.0[0][0]);
        } else {
            shown.extend(pose.quaternion.times(SymbolicQuaternion::of(place.r)).0);
        }
        for (&symbol, value) in body.pose.iter().zip(shown) {
            writer.give(symbol, &body.origin, value);
        }
    }
    let Some([kinetic, potential]) = mechanism.energy else { return };
    // (2)
    let zero = nodes.graph.constant(0.0);
    let (mut twice, mut height) = (zero, zero);
    let velocities = velocities(nodes);
    for ((rigid, pose), &v) in nodes.rigid.iter().zip(&poses).zip(&velocities) {
        twice = twice + v.dot(Inertia::rigid(rigid.m, rigid.h, rigid.j).times(v));
        height = height - gravity.dot(pose.p * rigid.m + pose.r * rigid.h);
    }
    let mut motion = 0.5 * twice;
    for (modal, &v) in nodes.modal.iter().zip(&velocities) {
        motion = modal.iter().fold(motion, |sum, m| sum + m.kinetic(v));
    }
    writer.give(kinetic, &Origin::default(), motion);
    writer.give(potential, &Origin::default(), height);
}

//! The nodes of an elastic body: its frame B, and one for each interface that its shapes move.
//!
//! Where a joint leads to an interface that moves, B is beyond it and moves by the body's coordinates against it.

use trunnion_equations::Graph;
use trunnion_model::mechanism::{Frame, ModalBody};

use crate::interface::{inward, outward};
use crate::modal::Modal;
use crate::node::{FramePlace, TreeNode, TreeNodes, fixed};
use crate::primitive::PrimitiveKind;
use crate::quaternion::SymbolicQuaternion;
use crate::spatial::{Mat3, PlaneRotation, Vec3};

impl<'g> TreeNodes<'g> {
    /// Frame `far` of the body has come to lie on G.
    pub(crate) fn add_elastic(&mut self, far: &Frame, body: &ModalBody, g: FramePlace<'g>) {
        let graph = self.graph;
        let modal = Modal::new(graph, far.body, body);
        let interfaces = &body.data.interfaces;
        let entry = far.interface.filter(|&k| interfaces[k].moves());
        let r_FB = Mat3::of(graph, &far.r).transpose();
        let from = entry.map_or([0.0; 3], |k| interfaces[k].position);
        let offset = Vec3::of(graph, &far.p) - Vec3::numbers(graph, from);
        let seat = g.then(-(r_FB * offset), r_FB);
        let origin = |node: usize| FramePlace { node, p: Vec3::zero(graph), r: Mat3::identity(graph) };
        let beside = |node: usize, k: usize| FramePlace {
            p: -Vec3::numbers(graph, interfaces[k].position),
            ..origin(node)
        };
        let mut node = seated(graph, seat);
        if let Some(k) = entry {
            let carrier = self.push(node);
            self.interfaces.insert((far.body, k), beside(carrier, k));
            node = inward(graph, fixed(graph, carrier), &interfaces[k], &modal);
        }
        node.kind = PrimitiveKind::Modal;
        let b = self.push(node);
        self.bodies[far.body] = origin(b);
        for (k, at) in interfaces.iter().enumerate().filter(|(k, _)| Some(*k) != entry) {
            let place = if at.moves() {
                beside(self.push(outward(graph, fixed(graph, b), at, &modal)), k)
            } else {
                origin(b)
            };
            self.interfaces.insert((far.body, k), place);
        }
        self.rigid[b] = modal.rigid;
        self.modal[b] = Some(modal);
    }
}

/// A node at rest on another one.
fn seated<'g>(graph: &'g Graph, at: FramePlace<'g>) -> TreeNode<'g> {
    let turned = at.r != Mat3::identity(graph);
    TreeNode {
        r: at.p,
        turns: if turned { vec![PlaneRotation::Matrix(at.r)] } else { vec![] },
        quaternion: if turned { SymbolicQuaternion::of(at.r) } else { SymbolicQuaternion::identity(graph) },
        angle: if turned { at.r.0[1][0].atan2(at.r.0[0][0]) } else { graph.constant(0.0) },
        ..fixed(graph, at.node)
    }
}

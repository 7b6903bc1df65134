//! The tree as nodes: one primitive joint each, with the frame N beyond it on which the recursions work.
//!
//!   R_PN = T₁ T₂ … ,  p_PN = r                       P: the parent node's frame                        (1)
//!
//! N sits on its joint and has the joint's axis as a coordinate axis, so the turn by q is elementary. Its direction about that axis is
//! free: it is chosen so that the next joint's axis, or the way to it, lies along a coordinate axis too, and most constant turns
//! between joints vanish. Welded bodies share a node; between the primitives of one joint nodes have no mass.

use std::collections::HashMap;

use trunnion_equations::derivative::derivative;
use trunnion_equations::{Ex, Expr, Graph, Symbol};
use trunnion_model::mechanism::{BodyInertia, Frame, Joint, Mechanism, RigidInertia};

use crate::modal::Modal;
use crate::primitive::{Primitive, PrimitiveKind, primitives};
use crate::quaternion::SymbolicQuaternion;
use crate::spatial::{Mat3, PlaneRotation, Spatial, Vec3};
use crate::tree::{Edge, Tree, merges};

#[derive(Clone)]
pub struct TreeNode<'g> {
    pub parent: usize,
    /// None of the mechanism's where N belongs to an elastic body.
    pub joint: usize,
    pub kind: PrimitiveKind,
    /// Number of its coordinate in the joint.
    pub freedom: usize,
    /// Coordinate axis of N that the joint turns about or slides along.
    pub axis: usize,
    /// −1 where that axis is opposite to the joint's: N's coordinate is the opposite of the joint's.
    pub sign: f64,
    pub turns: Vec<PlaneRotation<'g>>,
    pub r: Vec3<'g>,
    pub pitch: Ex<'g>,
    /// Velocity of N against P in N's axes; derivative of its angular part seen in N, second derivative of `r` in N's axes.
    pub rate: Spatial<'g>,
    pub rate_dot: Spatial<'g>,
    /// What acts along its coordinate; the torque in N's axes of a spherical joint.
    pub force: Vec3<'g>,
    /// Motion of N against P per unit of the rate of each elastic coordinate, in the axes of the body they belong to: P's for an interface,
    /// N's for a body. What `rate_dot` has without their accelerations.
    pub modes: Vec<Spatial<'g>>,
    pub bias_dot: Spatial<'g>,
    /// Acceleration is given, not found.
    pub driven: bool,
    /// The turn as a quaternion, and as an angle where it is about the axis.
    pub quaternion: SymbolicQuaternion<'g>,
    pub angle: Ex<'g>,
    /// A spherical joint followed backwards: R_FC of its quaternion. N is along F then.
    pub backwards: Option<Mat3<'g>>,
}

impl<'g> TreeNode<'g> {
    pub(crate) fn to_parent(&self, v: Vec3<'g>) -> Vec3<'g> {
        self.turns.iter().rev().fold(v, |v, t| t.apply(v))
    }

    pub(crate) fn to_child(&self, v: Vec3<'g>) -> Vec3<'g> {
        self.turns.iter().fold(v, |v, t| t.inverse().apply(v))
    }

    pub(crate) fn has_axis(&self) -> bool {
        matches!(self.kind, PrimitiveKind::Revolute | PrimitiveKind::Prismatic | PrimitiveKind::Screw)
    }

    /// A velocity or acceleration of P as that of N if the joint stood still.
    pub fn carry(&self, v: Spatial<'g>) -> Spatial<'g> {
        Spatial {
            angular: self.to_child(v.angular),
            linear: self.to_child(v.linear + v.angular.cross(self.r)),
        }
    }

    /// A motion that elastic coordinates make, Σ modes x, in N's axes.
    pub fn moved(&self, x: &[Ex<'g>]) -> Spatial<'g> {
        let zero = Spatial::zero(self.pitch.graph());
        let sum = self.modes.iter().zip(x).fold(zero, |sum, (&t, &x)| sum + t * x);
        self.seen(sum)
    }

    /// A mode in N's axes.
    pub fn seen(&self, mode: Spatial<'g>) -> Spatial<'g> {
        match self.kind {
            PrimitiveKind::Interface => {
                Spatial { angular: self.to_child(mode.angular), linear: self.to_child(mode.linear) }
            }
            _ => mode,
        }
    }

    /// A wrench on N as one on P.
    pub fn pass(&self, w: Spatial<'g>) -> Spatial<'g> {
        let force = self.to_parent(w.linear);
        Spatial { angular: self.to_parent(w.angular) + self.r.cross(force), linear: force }
    }

    /// The joint's coordinates as velocities and the motion of N that a unit of each is.
    pub fn columns(&self, mechanism: &Mechanism) -> Vec<(Symbol, Spatial<'g>)> {
        let Some(joint) = mechanism.joints.get(self.joint) else { return vec![] };
        let graph: &'g Graph = self.pitch.graph();
        let zero = Vec3::zero(graph);
        let along = |x: Ex<'g>| Vec3::along(self.axis, x * self.sign);
        let one = graph.constant(1.0);
        let velocity = || joint.freedoms[self.freedom].velocity;
        match (self.kind, &joint.orientation) {
            (PrimitiveKind::Fixed, _) => vec![],
            (PrimitiveKind::Spherical, Some(ball)) => {
                let axes = self.backwards.unwrap_or(Mat3::identity(graph));
                let sign = if self.backwards.is_some() { -one } else { one };
                let column = |i: usize| Spatial { angular: axes.column(i) * sign, linear: zero };
                (0..3).map(|i| (ball.velocity[i], column(i))).collect()
            }
            (PrimitiveKind::Prismatic, _) => {
                vec![(velocity(), Spatial { angular: zero, linear: along(one) })]
            }
            _ => vec![(velocity(), Spatial { angular: along(one), linear: along(self.pitch) })],
        }
    }
}

/// Mass, m c and ∫ x xᵀ dm about N's origin, in N's axes.
#[derive(Clone, Copy)]
pub struct Rigid<'g> {
    pub m: Ex<'g>,
    pub h: Vec3<'g>,
    pub j: Mat3<'g>,
}

/// Where a body or one of its frames is fixed: p_NF and R_NF.
#[derive(Clone, Copy)]
pub struct FramePlace<'g> {
    pub node: usize,
    pub p: Vec3<'g>,
    pub r: Mat3<'g>,
}

impl<'g> FramePlace<'g> {
    pub fn then(&self, p: Vec3<'g>, r: Mat3<'g>) -> Self {
        FramePlace { node: self.node, p: self.p + self.r * p, r: self.r.then(r) }
    }
}

#[derive(Clone)]
pub struct TreeNodes<'g> {
    pub graph: &'g Graph,
    /// Parents first; the first one is the world.
    pub list: Vec<TreeNode<'g>>,
    pub rigid: Vec<Rigid<'g>>,
    /// Of the nodes that are frames of elastic bodies.
    pub modal: Vec<Option<Modal<'g>>>,
    /// Interfaces of elastic bodies by body and number: B as it would be if the body were rigid and moved with the interface.
    pub interfaces: HashMap<(usize, usize), FramePlace<'g>>,
    pub bodies: Vec<FramePlace<'g>>,
}

impl<'g> TreeNodes<'g> {
    pub fn new(graph: &'g Graph, mechanism: &Mechanism, tree: &Tree) -> Self {
        let origin = FramePlace { node: 0, p: Vec3::zero(graph), r: Mat3::identity(graph) };
        let mut nodes = TreeNodes {
            graph,
            list: vec![fixed(graph, 0)],
            rigid: vec![no_mass(graph)],
            modal: vec![None],
            interfaces: HashMap::new(),
            bodies: vec![origin; mechanism.bodies.len()],
        };
        let edges = Outgoing::new(mechanism, tree);
        for (body, at) in edges.group(graph, mechanism, Mechanism::WORLD, origin) {
            nodes.bodies[body] = at;
        }
        for &edge in tree.edges.iter().filter(|e| !merges(mechanism, &mechanism.joints[e.joint])) {
            nodes.add_joint(mechanism, &edges, edge);
        }
        nodes
    }

    pub fn place(&self, frame: &Frame) -> FramePlace<'g> {
        let interface = frame.interface.and_then(|k| self.interfaces.get(&(frame.body, k)));
        interface
            .unwrap_or(&self.bodies[frame.body])
            .then(Vec3::of(self.graph, &frame.p), Mat3::of(self.graph, &frame.r))
    }

    /// A vector of the world in a node's axes.
    pub(crate) fn seen_in(&self, node: usize, v: Vec3<'g>) -> Vec3<'g> {
        let mut way = vec![];
        let mut at = node;
        while at != 0 {
            way.push(at);
            at = self.list[at].parent;
        }
        way.iter().rev().fold(v, |v, &n| self.list[n].to_child(v))
    }

    fn add_joint(&mut self, mechanism: &Mechanism, edges: &Outgoing, edge: Edge) {
        let graph = self.graph;
        let joint = &mechanism.joints[edge.joint];
        let (near, far) = edge.ends(mechanism);
        // The frame that moves along the joint, G, seen from the last node.
        let mut g = self.place(near);
        let list = primitives(joint, edge.reversed);
        // Bodies beyond the joint, seen from G.
        let r = Mat3::of(graph, &far.r).transpose();
        let seat = FramePlace { node: 0, p: -(r * Vec3::of(graph, &far.p)), r };
        let group = edges.group(graph, mechanism, far.body, seat);
        for (i, &primitive) in list.iter().enumerate() {
            let last = i + 1 == list.len();
            let outlook = if last { edges.outlook(graph, mechanism, &group) } else { vec![] };
            g = self.add_primitive(joint, edge, primitive, g, &outlook);
        }
        if let Some(modal) = mechanism.bodies[far.body].inertia.modal() {
            return self.add_elastic(far, modal, g);
        }
        for (body, at) in group {
            let BodyInertia::Rigid(inertia) = &mechanism.bodies[body].inertia else { continue };
            let place = g.then(at.p, at.r);
            self.bodies[body] = place;
            self.rigid[place.node] = plus(self.rigid[place.node], rigid(graph, inertia, place));
        }
    }

    /// A node beyond one primitive, and where G is on it. `outlook`: see `Outgoing`.
    fn add_primitive(
        &mut self,
        joint: &Joint,
        edge: Edge,
        primitive: Primitive,
        g: FramePlace<'g>,
        outlook: &[Vec3<'g>],
    ) -> FramePlace<'g> {
        let graph = self.graph;
        let mut node = TreeNode {
            joint: edge.joint,
            kind: primitive.kind,
            freedom: primitive.freedom,
            r: g.p,
            ..fixed(graph, g.node)
        };
        let r_NG = match primitive.kind {
            PrimitiveKind::Fixed => g.r,
            PrimitiveKind::Spherical => {
                spherical(graph, &mut node, joint, edge.reversed, g.r);
                Mat3::identity(graph)
            }
            _ => one_axis(graph, &mut node, joint, primitive, g.r, outlook),
        };
        FramePlace { node: self.push(node), p: Vec3::zero(graph), r: r_NG }
    }

    pub fn push(&mut self, node: TreeNode<'g>) -> usize {
        self.list.push(node);
        self.rigid.push(no_mass(self.graph));
        self.modal.push(None);
        self.list.len() - 1
    }
}

fn spherical<'g>(graph: &'g Graph, node: &mut TreeNode<'g>, joint: &Joint, reversed: bool, r_PF: Mat3<'g>) {
    let Some(ball) = &joint.orientation else { unreachable!("a spherical joint has an orientation") };
    let r_FC = Mat3::of_quaternion(ball.quaternion.map(|s| graph.symbol(s)));
    let [w, w_dot, torque] = [
        ball.velocity.map(|s| graph.symbol(s)),
        ball.velocity.map(|s| graph.derivative(s)),
        ball.torque.map(|s| graph.symbol(s)),
    ]
    .map(Vec3);
    let turn = |v: Vec3<'g>| if reversed { -(r_FC * v) } else { v };
    (node.rate.angular, node.rate_dot.angular, node.force) = (turn(w), turn(w_dot), turn(torque));
    node.turns = vec![PlaneRotation::Matrix(r_PF * if reversed { r_FC.transpose() } else { r_FC })];
    let own = SymbolicQuaternion(ball.quaternion.map(|s| graph.symbol(s)));
    node.quaternion = SymbolicQuaternion::of(r_PF).times(if reversed { own.conjugate() } else { own });
    node.backwards = reversed.then_some(r_FC);
}

/// Returns R_NG at q = 0.
fn one_axis<'g>(
    graph: &'g Graph,
    node: &mut TreeNode<'g>,
    joint: &Joint,
    primitive: Primitive,
    r_PG: Mat3<'g>,
    outlook: &[Vec3<'g>],
) -> Mat3<'g> {
    let a_P = (r_PG * Vec3::numbers(graph, primitive.axis)).values();
    let (k, sign, fixed) = match a_P {
        Some(a) => align(graph, a),
        None => {
            let (k, sign, turns) = align(graph, primitive.axis);
            (k, sign, vec![PlaneRotation::Matrix(turns.iter().fold(r_PG, |r, t| r.then(t.matrix())))])
        }
    };
    let r_PN = fixed.iter().fold(Mat3::identity(graph), |r, t| r.then(t.matrix()));
    let mut r_NG = r_PN.transpose().then(r_PG);
    let freedom = &joint.freedoms[primitive.freedom];
    let signed = |x: Ex<'g>| sign * x;
    let q = graph.symbol(freedom.position);
    node.turns = fixed;
    node.quaternion = SymbolicQuaternion::of(r_PN);
    if primitive.kind != PrimitiveKind::Prismatic {
        let ahead = heading(k, r_NG, outlook);
        let angle = q + sign * ahead;
        node.turns.push(PlaneRotation::About(k, angle.cos(), signed(angle.sin())));
        node.quaternion = node.quaternion.times(SymbolicQuaternion::about(k, signed(angle)));
        node.angle = signed(angle);
        r_NG = Mat3::turn(graph, k, -ahead).then(r_NG);
    }
    let pitch = joint.pitch.map_or(graph.constant(0.0), |p| graph.at(p));
    let per_angle = if primitive.kind == PrimitiveKind::Prismatic { graph.constant(1.0) } else { pitch };
    let slide = |x: Ex<'g>| Vec3::along(k, per_angle * signed(x));
    let angle = |x: Ex<'g>| {
        if primitive.kind == PrimitiveKind::Prismatic { Vec3::zero(graph) } else { Vec3::along(k, signed(x)) }
    };
    let v = graph.symbol(freedom.velocity);
    let a = match &freedom.motion {
        Some(motion) => rate(rate(graph.at(motion.position))),
        None => graph.derivative(freedom.velocity),
    };
    node.r = node.r + r_PN * slide(q);
    node.rate = Spatial { angular: angle(v), linear: slide(v) };
    node.rate_dot = Spatial { angular: angle(a), linear: slide(a) };
    node.driven = freedom.motion.is_some();
    (node.axis, node.sign, node.pitch) = (k, sign, pitch);
    node.force = Vec3::along(k, signed(graph.symbol(freedom.force)));
    r_NG
}

/// d/dt of an expression of time; all else in it is constant between events.
pub fn rate(e: Ex<'_>) -> Ex<'_> {
    derivative(e, trunnion_equations::ExprNode::Time)
}

/// Coordinate axis k, sign and constant turns T so that T e_k = ± a: none, one or two elementary ones.
fn align<'g>(graph: &'g Graph, a: [f64; 3]) -> (usize, f64, Vec<PlaneRotation<'g>>) {
    let about = |k: usize, c: f64, s: f64| PlaneRotation::About(k, graph.constant(c), graph.constant(s));
    let [x, y, z] = a.map(|v| if v.abs() < 1e-15 { 0.0 } else { v });
    match [x, y, z].map(|v| v != 0.0) {
        [true, false, false] => (0, x.signum(), vec![]),
        [false, true, false] => (1, y.signum(), vec![]),
        [false, false, true] => (2, z.signum(), vec![]),
        [true, true, false] => (0, 1.0, vec![about(2, x, y)]),
        [false, true, true] => (1, 1.0, vec![about(0, y, z)]),
        [true, false, true] => (2, 1.0, vec![about(1, z, x)]),
        _ => {
            let level = x.hypot(y);
            (0, 1.0, vec![about(2, x / level, y / level), about(1, level, -z)])
        }
    }
}

/// The angle about axis k at which N looks best: the first direction of the outlook that is not along k comes to lie in a
/// coordinate plane. 0 if it does already or is not a number.
fn heading<'g>(k: usize, r_NG: Mat3<'g>, outlook: &[Vec3<'g>]) -> f64 {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    for &d in outlook {
        let Some(d) = (r_NG * d).values() else { return 0.0 };
        let size = d.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let small = |x: f64| x.abs() <= 1e-14 * size;
        match (small(d[i]), small(d[j])) {
            (true, true) => continue,
            (false, false) => return d[j].atan2(d[i]),
            _ => return 0.0,
        }
    }
    0.0
}

/// What the tree holds beyond each body.
struct Outgoing {
    welds: Vec<Vec<Edge>>,
    joints: Vec<Vec<Edge>>,
}

impl Outgoing {
    fn new(mechanism: &Mechanism, tree: &Tree) -> Self {
        let mut out = Outgoing {
            welds: vec![vec![]; mechanism.bodies.len()],
            joints: vec![vec![]; mechanism.bodies.len()],
        };
        for &edge in &tree.edges {
            let list = if merges(mechanism, &mechanism.joints[edge.joint]) {
                &mut out.welds
            } else {
                &mut out.joints
            };
            list[edge.ends(mechanism).0.body].push(edge);
        }
        out
    }

    /// The body and all that is welded to it, placed from where the body itself is.
    fn group<'g>(
        &self,
        graph: &'g Graph,
        mechanism: &Mechanism,
        body: usize,
        at: FramePlace<'g>,
    ) -> Vec<(usize, FramePlace<'g>)> {
        let mut group = vec![(body, at)];
        let mut next = 0;
        while let Some(&(b, at)) = group.get(next) {
            next += 1;
            for &edge in &self.welds[b] {
                let (near, far) = edge.ends(mechanism);
                let frame = at.then(Vec3::of(graph, &near.p), Mat3::of(graph, &near.r));
                let r = Mat3::of(graph, &far.r).transpose();
                group.push((far.body, frame.then(-(r * Vec3::of(graph, &far.p)), r)));
            }
        }
        group
    }

    /// Directions worth a coordinate axis: the axes of the joints that follow, ways to them, the centre of mass.
    fn outlook<'g>(
        &self,
        graph: &'g Graph,
        mechanism: &Mechanism,
        group: &[(usize, FramePlace<'g>)],
    ) -> Vec<Vec3<'g>> {
        let (mut axes, mut ways, mut centers) = (vec![], vec![], vec![]);
        for (b, at) in group {
            for &edge in &self.joints[*b] {
                let near = edge.ends(mechanism).0;
                let frame = at.then(Vec3::of(graph, &near.p), Mat3::of(graph, &near.r));
                if let Some(axis) = mechanism.joints[edge.joint].axes.first() {
                    axes.push(frame.r * Vec3::numbers(graph, *axis));
                }
                ways.push(frame.p);
            }
            match &mechanism.bodies[*b].inertia {
                BodyInertia::Rigid(rigid) => {
                    centers.push(at.then(Vec3::of(graph, &rigid.center), Mat3::identity(graph)).p);
                }
                // Its integrals are in its own axes.
                BodyInertia::Modal(_) => return [0, 1, 2].map(|k| at.r.column(k)).to_vec(),
            }
        }
        axes.into_iter().chain(ways).chain(centers).collect()
    }
}

/// A node along another one, at its place.
pub fn fixed<'g>(graph: &'g Graph, parent: usize) -> TreeNode<'g> {
    let still = Spatial::zero(graph);
    TreeNode {
        parent,
        joint: usize::MAX,
        kind: PrimitiveKind::Fixed,
        freedom: 0,
        axis: 0,
        sign: 1.0,
        turns: vec![],
        r: Vec3::zero(graph),
        pitch: graph.constant(0.0),
        rate: still,
        rate_dot: still,
        force: Vec3::zero(graph),
        modes: vec![],
        bias_dot: still,
        driven: false,
        quaternion: SymbolicQuaternion::identity(graph),
        angle: graph.constant(0.0),
        backwards: None,
    }
}

fn no_mass(graph: &Graph) -> Rigid<'_> {
    let zero = graph.constant(0.0);
    Rigid { m: zero, h: Vec3::zero(graph), j: Mat3([[zero; 3]; 3]) }
}

fn plus<'g>(a: Rigid<'g>, b: Rigid<'g>) -> Rigid<'g> {
    Rigid { m: a.m + b.m, h: a.h + b.h, j: Mat3::build(|i, k| a.j.0[i][k] + b.j.0[i][k]) }
}

/// J_N = R (½ tr(I) − I) Rᵀ + m c cᵀ.
fn rigid<'g>(graph: &'g Graph, body: &RigidInertia, at: FramePlace<'g>) -> Rigid<'g> {
    let m = graph.at(body.mass);
    let c = at.p + at.r * Vec3::of(graph, &body.center);
    let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|e: Expr| graph.at(e));
    let half = 0.5 * (xx + yy + zz);
    let j_B = Mat3([[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]);
    let j_C = at.r * j_B * at.r.transpose();
    let j = Mat3::build(|i, k| {
        let (i, k) = (i.min(k), i.max(k));
        j_C.0[i][k] + m * c[i] * c[k]
    });
    Rigid { m, h: c * m, j }
}

//! How one frame moves seen from another, along the path of joints between them.
//!
//! A point x of N, with its velocity and acceleration seen in N, is seen in the parent P as (w, s: turn and slide of the joint)
//!
//!   x_P = r + R x,   ẋ_P = R (ẋ + w × x + s),   ẍ_P = R (ẍ + 2 w × ẋ + ẇ × x + w × (w × x) + ṡ)         (1)
//!
//! and the other way round; directions alike without r and s. Only joints of the path take part, so ẋ is exactly J v.
//! A force along x acts on one body and its opposite on the other, both at the same point: its power is f · ẋ.    (2)

use trunnion_model::mechanism::Frame;

use crate::node::{FramePlace, TreeNode, TreeNodes};
use crate::quaternion::SymbolicQuaternion;
use crate::spatial::{Mat3, Spatial, Vec3};

/// A vector with its first and second derivative.
#[derive(Clone, Copy)]
pub struct Jet<'g> {
    pub x: Vec3<'g>,
    pub v: Vec3<'g>,
    pub a: Vec3<'g>,
}

impl<'g> Jet<'g> {
    fn constant(x: Vec3<'g>) -> Self {
        let zero = Vec3::zero(x[0].graph());
        Jet { x, v: zero, a: zero }
    }

    /// (1) from N to P.
    fn up(self, node: &TreeNode<'g>, point: bool) -> Self {
        let Spatial { angular: w, linear: s } = node.rate;
        let (w_dot, s_dot) = (node.rate_dot.angular, node.rate_dot.linear);
        let wx = w.cross(self.x);
        let twice = (w + w).cross(self.v);
        let (mut v, mut a) = (self.v + wx, self.a + twice + w_dot.cross(self.x) + w.cross(wx));
        if point {
            (v, a) = (v + s, a + s_dot);
        }
        let x = node.to_parent(self.x);
        Jet { x: if point { x + node.r } else { x }, v: node.to_parent(v), a: node.to_parent(a) }
    }

    /// (1) from P to N.
    fn down(self, node: &TreeNode<'g>, point: bool) -> Self {
        let Spatial { angular: w, linear: s } = node.rate;
        let (w_dot, s_dot) = (node.rate_dot.angular, node.rate_dot.linear);
        let x = node.to_child(if point { self.x - node.r } else { self.x });
        let (mut v, mut a) = (node.to_child(self.v), node.to_child(self.a));
        if point {
            (v, a) = (v - s, a - s_dot);
        }
        let wx = w.cross(x);
        v = v - wx;
        a = a - (w + w).cross(v) - w_dot.cross(x) - w.cross(wx);
        Jet { x, v, a }
    }

    /// In the axes of a frame fixed to the node.
    fn into_frame(self, at: &FramePlace<'g>, point: bool) -> Self {
        let r = at.r.transpose();
        let x = if point { self.x - at.p } else { self.x };
        Jet { x: r * x, v: r * self.v, a: r * self.a }
    }
}

/// Frame C of one body seen from frame F of another.
pub struct Relative<'g> {
    near: FramePlace<'g>,
    far: FramePlace<'g>,
    /// Nodes from C's body up to the common ancestor, without it; then those down to F's body.
    up: Vec<usize>,
    down: Vec<usize>,
}

impl<'g> Relative<'g> {
    pub fn new(nodes: &TreeNodes<'g>, from: &Frame, of: &Frame) -> Self {
        let (near, far) = (nodes.place(from), nodes.place(of));
        let (mut a, mut b) = (far.node, near.node);
        let (mut up, mut down) = (vec![], vec![]);
        // Parents have smaller numbers.
        while a != b {
            if a > b {
                up.push(a);
                a = nodes.list[a].parent;
            } else {
                down.push(b);
                b = nodes.list[b].parent;
            }
        }
        down.reverse();
        Relative { near, far, up, down }
    }

    fn along(&self, nodes: &TreeNodes<'g>, start: Vec3<'g>, point: bool) -> Jet<'g> {
        let jet = self.up.iter().fold(Jet::constant(start), |j, &n| j.up(&nodes.list[n], point));
        let jet = self.down.iter().fold(jet, |j, &n| j.down(&nodes.list[n], point));
        jet.into_frame(&self.near, point)
    }

    /// C's origin in F.
    pub fn point(&self, nodes: &TreeNodes<'g>) -> Jet<'g> {
        self.along(nodes, self.far.p, true)
    }

    /// A direction fixed to C, in F's axes.
    pub fn direction(&self, nodes: &TreeNodes<'g>, d_C: Vec3<'g>) -> Jet<'g> {
        self.along(nodes, self.far.r * d_C, false)
    }

    /// R_FC.
    pub fn rotation(&self, nodes: &TreeNodes<'g>) -> Mat3<'g> {
        let columns = [0, 1, 2].map(|k| {
            let unit = Vec3::along(k, nodes.graph.constant(1.0));
            self.direction(nodes, unit).x
        });
        Mat3::build(|i, j| columns[j][i])
    }

    /// Angular velocity of C against F in F's axes, and its derivative seen in F.
    pub fn turning(&self, nodes: &TreeNodes<'g>) -> (Vec3<'g>, Vec3<'g>) {
        let zero = Vec3::zero(nodes.graph);
        let (mut w, mut w_dot) = (zero, zero);
        for node in self.up.iter().map(|&n| &nodes.list[n]) {
            let sum = w + node.rate.angular;
            w_dot = node.to_parent(w_dot + node.rate_dot.angular + node.rate.angular.cross(sum));
            w = node.to_parent(sum);
        }
        for node in self.down.iter().map(|&n| &nodes.list[n]) {
            w = node.to_child(w);
            w_dot = node.to_child(w_dot) - node.rate.angular.cross(w) - node.rate_dot.angular;
            w = w - node.rate.angular;
        }
        let r = self.near.r.transpose();
        (r * w, r * w_dot)
    }

    /// Orientation of C in F.
    pub fn quaternion(&self, nodes: &TreeNodes<'g>) -> SymbolicQuaternion<'g> {
        let own = SymbolicQuaternion::of(self.far.r);
        let at = self.up.iter().fold(own, |q, &n| nodes.list[n].quaternion.times(q));
        let at = self.down.iter().fold(at, |q, &n| nodes.list[n].quaternion.conjugate().times(q));
        SymbolicQuaternion::of(self.near.r).conjugate().times(at)
    }

    /// A vector in F's axes turned into those of C's node.
    fn outward(&self, nodes: &TreeNodes<'g>, v_F: Vec3<'g>) -> Vec3<'g> {
        let v = self.down.iter().rev().fold(self.near.r * v_F, |v, &n| nodes.list[n].to_parent(v));
        self.up.iter().rev().fold(v, |v, &n| nodes.list[n].to_child(v))
    }

    /// A vector in the axes of C's node turned into those of F.
    pub fn inward(&self, nodes: &TreeNodes<'g>, v: Vec3<'g>) -> Vec3<'g> {
        let v = self.up.iter().fold(v, |v, &n| nodes.list[n].to_parent(v));
        let v = self.down.iter().fold(v, |v, &n| nodes.list[n].to_child(v));
        self.near.r.transpose() * v
    }

    /// (2): a force and a torque (F's axes) on C's body at C, their opposites on F's body at `p`, C's place in F; None: at F.
    pub fn apply(
        &self,
        nodes: &TreeNodes<'g>,
        applied: &mut [Spatial<'g>],
        p: Option<Vec3<'g>>,
        force: Vec3<'g>,
        torque: Vec3<'g>,
    ) {
        let (f, n) = (self.outward(nodes, force), self.outward(nodes, torque));
        let far = Spatial { angular: n + self.far.p.cross(f), linear: f };
        applied[self.far.node] = applied[self.far.node] + far;
        let (f, n) = (self.near.r * force, self.near.r * torque);
        let arm = p.map_or(self.near.p, |p| self.near.p + self.near.r * p);
        let near = Spatial { angular: n + arm.cross(f), linear: f };
        applied[self.near.node] = applied[self.near.node] - near;
    }
}

//! Accelerations of a tree, tips to base and back, O(n).
//!
//! Forward, with any q̈ and the base accelerated by −g, in the axes of each node N (P its parent):
//!
//!   ω = R_NP ω_P + w,   α = R_NP α_P + ω × w + …,   a = R_NP (a_P + K_P r) + 2 ω × s + …                       (1)
//!   K = [α] + ω ωᵀ − ω² 1:  a point at x of N has the acceleration a + K x                             (2)
//!   f = m a + K h,   n = h × a + vee(K J),   vee(A)_x = A_zy − A_yz                                    (3)
//!
//! w, s: angular and sliding velocity of the joint. What the q̈ sought adds to (α, a) is δ; it needs no velocities:
//!
//!   backward  U = I S, D = Sᵀ U, u = τ − Sᵀ p;  I − U D⁻¹ Uᵀ and p + U D⁻¹ u go to the parent           (4)  [Featherstone2008, eq. 7.36-7.40]
//!   forward   q̈ = D⁻¹ (u − Uᵀ δ_P),  δ = δ_P + S q̈                                                     (5)
//!
//! An elastic body adds rows for its modes to (3) and (4), see [`modal_rows`](crate::modal_rows).
//!
//! S is a unit vector, so (4) is one step of Gaussian elimination on row k, which then is zero; a spherical joint takes three
//! steps. A screw is a turn in coordinates sheared by its pitch. Driven joints put their q̈ into (1) and keep I and p.

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::Mechanism;

use crate::modal_rows::{ModalPivot, ModalRows, accelerations};
use crate::node::{TreeNode, TreeNodes};
use crate::primitive::PrimitiveKind;
use crate::regroup::{LengthUnit, regrouped};
use crate::spatial::{Inertia, Mat3, Spatial, Vec3};

/// One step of elimination: row k, its other entries divided by the diagonal, u/D.
struct Pivot<'g> {
    k: usize,
    diagonal: Ex<'g>,
    scaled: Spatial<'g>,
    u: Ex<'g>,
}

pub struct Recursion<'g> {
    nodes: TreeNodes<'g>,
    unit: LengthUnit<'g>,
    /// Bias motion (1) of every node.
    pub omega: Vec<Vec3<'g>>,
    bias: Vec<Spatial<'g>>,
    /// δ of (5).
    added: Vec<Spatial<'g>>,
    inertia: Vec<Inertia<'g>>,
    wrench: Vec<Spatial<'g>>,
    /// Of the frames of elastic bodies.
    rows: Vec<Option<ModalRows<'g>>>,
    modal_pivots: Vec<Vec<ModalPivot<'g>>>,
    /// q̈ of their elastic coordinates.
    pub modal: Vec<Vec<Ex<'g>>>,
    /// q̈ along the node's axis, or the angular acceleration of a spherical joint in N's axes.
    pub joint: Vec<Vec3<'g>>,
    /// Diagonal of the elimination: (node, D, the inertia it is to be compared with).
    pub diagonals: Vec<(usize, Ex<'g>, Ex<'g>)>,
}

impl<'g> Recursion<'g> {
    /// `applied`: wrench on each node from outside, about its origin and in its axes.
    pub fn new(
        mechanism: &Mechanism,
        nodes: &TreeNodes<'g>,
        gravity: Vec3<'g>,
        applied: &[Spatial<'g>],
    ) -> Self {
        let unit = LengthUnit::new(nodes, applied);
        let nodes = regrouped(mechanism, nodes, unit);
        let zero = Spatial::zero(nodes.graph);
        let n = nodes.list.len();
        let mut at = Recursion {
            omega: vec![Vec3::zero(nodes.graph); n],
            bias: vec![zero; n],
            added: vec![zero; n],
            inertia: nodes.rigid.iter().map(|b| Inertia::rigid(b.m, b.h, b.j)).collect(),
            wrench: vec![zero; n],
            rows: nodes.list.iter().map(|_| None).collect(),
            modal_pivots: nodes.list.iter().map(|_| vec![]).collect(),
            modal: vec![vec![]; n],
            joint: vec![Vec3::zero(nodes.graph); n],
            diagonals: vec![],
            nodes,
            unit,
        };
        at.bias[0].linear = -unit.vector(gravity);
        at.forward();
        for (w, &a) in at.wrench.iter_mut().zip(applied) {
            *w = *w - unit.wrench(a);
        }
        let pivots = at.backward();
        at.outward(&pivots);
        at
    }

    /// (1) to (3).
    fn forward(&mut self) {
        let mut rotation: Vec<Mat3<'g>> = vec![];
        for (i, node) in self.nodes.list.iter().enumerate() {
            if i > 0 {
                let p = node.parent;
                let Spatial { angular: w, linear: s } = node.rate;
                let omega = node.to_child(self.omega[p]) + w;
                let mut alpha = node.to_child(self.bias[p].angular) + omega.cross(w);
                let two = self.nodes.graph.constant(2.0);
                let mut a = node.to_child(self.bias[p].linear + rotation[p] * node.r) + omega.cross(s) * two;
                if matches!(node.kind, PrimitiveKind::Modal | PrimitiveKind::Interface) {
                    // s is not along w: 2 (ω − w) × s.
                    a = a - w.cross(s) * two + node.bias_dot.linear;
                    alpha = alpha + node.bias_dot.angular;
                }
                if node.driven {
                    alpha = alpha + node.rate_dot.angular;
                    a = a + node.rate_dot.linear;
                }
                self.omega[i] = omega;
                self.bias[i] = Spatial { angular: alpha, linear: a };
                self.joint[i] = reference(node, &mut self.bias[i]);
            }
            let k = RotationProducts::new(self.omega[i], self.bias[i].angular);
            rotation.push(k.matrix);
            let body = &self.nodes.rigid[i];
            self.wrench[i] = Spatial {
                angular: body.h.cross(self.bias[i].linear) + k.moment(body.j),
                linear: self.bias[i].linear * body.m + k.matrix * body.h,
            };
            if let Some(modal) = &self.nodes.modal[i] {
                self.wrench[i] = self.wrench[i] + modal.wrench(self.omega[i]);
                let forces = modal.forces(self.omega[i], self.bias[i], k.matrix);
                self.rows[i] = Some(ModalRows::new(modal, forces));
            }
        }
    }

    /// (4).
    fn backward(&mut self) -> Vec<Vec<Pivot<'g>>> {
        let mut pivots: Vec<Vec<Pivot<'g>>> = self.nodes.list.iter().map(|_| vec![]).collect();
        for (i, node) in self.nodes.list.iter().enumerate().skip(1).rev() {
            if let Some(mut rows) = self.rows[i].take() {
                rows.hang(&node.modes, &self.inertia[i], self.wrench[i]);
                let pivots = rows.eliminate(&mut self.inertia[i], &mut self.wrench[i]);
                self.diagonals.extend(pivots.iter().map(|p| (i, p.diagonal, p.scale)));
                self.modal_pivots[i] = pivots;
            }
            let mut inertia = self.inertia[i].clone();
            let mut wrench = self.wrench[i];
            for k in rows(node) {
                let pitch = if node.kind == PrimitiveKind::Screw {
                    node.pitch
                } else {
                    self.nodes.graph.constant(0.0)
                };
                shear(&mut inertia, &mut wrench, k, pitch);
                let force = node.force[k % 3];
                let block = (k / 3) * 3;
                let scale = inertia.0[block][block]
                    + inertia.0[block + 1][block + 1]
                    + inertia.0[block + 2][block + 2];
                let pivot = eliminate(&mut inertia, &mut wrench, k, force);
                self.diagonals.push((i, pivot.diagonal, scale));
                pivots[i].push(pivot);
                shear(&mut inertia, &mut wrench, k, -pitch);
            }
            if node.parent == 0 {
                continue;
            }
            for &turn in node.turns.iter().rev() {
                inertia = inertia.turned(turn);
            }
            if let Some(rows) =
                self.rows[node.parent].as_mut().filter(|_| node.kind == PrimitiveKind::Interface)
            {
                let [angular, linear] = [wrench.angular, wrench.linear].map(|v| node.to_parent(v));
                rows.carry(node, &inertia, Spatial { angular, linear });
            }
            self.inertia[node.parent] = self.inertia[node.parent].plus(&inertia.shifted(node.r));
            self.wrench[node.parent] = self.wrench[node.parent] + node.pass(wrench);
        }
        pivots
    }

    /// (5).
    fn outward(&mut self, pivots: &[Vec<Pivot<'g>>]) {
        for (i, node) in self.nodes.list.iter().enumerate().skip(1) {
            let mut d = node.carry(self.added[node.parent]);
            if node.kind == PrimitiveKind::Modal {
                self.modal[i] = accelerations(&self.modal_pivots[i], d, self.nodes.graph.constant(0.0));
            }
            let of = if node.kind == PrimitiveKind::Interface { node.parent } else { i };
            if !node.modes.is_empty() {
                d = d + node.moved(&self.modal[of]);
            }
            for pivot in pivots[i].iter().rev() {
                let k = pivot.k;
                let before = d.get(k);
                if node.kind == PrimitiveKind::Screw {
                    d.set(k + 3, d.get(k + 3) - node.pitch * before);
                }
                let sum = pivot.scaled.angular.dot(d.angular) + pivot.scaled.linear.dot(d.linear);
                let after = pivot.u - sum;
                d.set(k, after);
                if node.kind == PrimitiveKind::Screw {
                    d.set(k + 3, d.get(k + 3) + node.pitch * after);
                }
                self.joint[i].0[k % 3] = self.joint[i][k % 3] + after - before;
            }
            self.added[i] = d;
            if node.kind == PrimitiveKind::Prismatic {
                self.joint[i] = self.unit.acceleration_in_si(Spatial { linear: self.joint[i], ..d }).linear;
            }
        }
    }

    /// Acceleration (angular, of the origin) of a node against the world accelerated by −g, in the node's axes.
    pub fn acceleration(&self, node: usize) -> Spatial<'g> {
        self.unit.acceleration_in_si(self.bias[node] + self.added[node])
    }

    /// What the parent exerts on a node through its joint, about N's origin in N's axes.
    pub(crate) fn transmitted(&self, node: usize) -> Spatial<'g> {
        self.unit.wrench_in_si(self.inertia[node].times(self.added[node]) + self.wrench[node])
    }

    /// Its part along the axis of a joint that has one.
    pub fn along(&self, nodes: &TreeNodes<'g>, i: usize) -> Ex<'g> {
        let node = &nodes.list[i];
        let wrench = self.transmitted(i);
        match node.kind {
            PrimitiveKind::Prismatic => wrench.linear[node.axis],
            _ => wrench.angular[node.axis] + node.pitch * wrench.linear[node.axis],
        }
    }
}

/// The q̈ of (1) may be anything: it is chosen so that the acceleration along the joint vanishes, and most of what would be computed from
/// it. Returns that q̈.
fn reference<'g>(node: &TreeNode<'g>, bias: &mut Spatial<'g>) -> Vec3<'g> {
    let zero = node.pitch.graph().constant(0.0);
    let mut q_dot_dot = Vec3::zero(node.pitch.graph());
    for k in rows(node) {
        let a = -bias.get(k);
        bias.set(k, zero);
        if node.kind == PrimitiveKind::Screw {
            bias.set(k + 3, bias.get(k + 3) + node.pitch * a);
        }
        q_dot_dot.0[k % 3] = a;
    }
    q_dot_dot
}

/// Rows that a node's joint leaves free.
fn rows(node: &TreeNode<'_>) -> Vec<usize> {
    match node.kind {
        _ if node.driven => vec![],
        PrimitiveKind::Fixed | PrimitiveKind::Modal | PrimitiveKind::Interface => vec![],
        PrimitiveKind::Revolute | PrimitiveKind::Screw => vec![node.axis],
        PrimitiveKind::Prismatic => vec![node.axis + 3],
        PrimitiveKind::Spherical => vec![0, 1, 2],
    }
}

/// Coordinates in which a screw of pitch h is a turn: row k += h · row k + 3, columns alike.
fn shear<'g>(inertia: &mut Inertia<'g>, wrench: &mut Spatial<'g>, k: usize, pitch: Ex<'g>) {
    if pitch.value() == Some(0.0) {
        return;
    }
    let m = &mut inertia.0;
    for j in 0..6 {
        m[k][j] = m[k][j] + pitch * m[k + 3][j];
    }
    for row in m.iter_mut() {
        row[k] = row[k] + pitch * row[k + 3];
    }
    for j in 0..6 {
        m[j][k] = m[k][j];
    }
    wrench.set(k, wrench.get(k) + pitch * wrench.get(k + 3));
}

/// (4) for row k: the row becomes zero, and what acts along it is `force`.
fn eliminate<'g>(inertia: &mut Inertia<'g>, wrench: &mut Spatial<'g>, k: usize, force: Ex<'g>) -> Pivot<'g> {
    let graph: &'g Graph = force.graph();
    let zero = graph.constant(0.0);
    let column = inertia.0[k];
    let diagonal = column[k];
    let inverse = 1.0 / diagonal;
    let mut scaled = Spatial::zero(graph);
    for i in (0..6).filter(|&i| i != k) {
        scaled.set(i, column[i] * inverse);
    }
    let open = force - wrench.get(k);
    for i in 0..6 {
        for j in i..6 {
            let left = if i == k || j == k { zero } else { inertia.0[i][j] - scaled.get(i) * column[j] };
            inertia.0[i][j] = left;
            inertia.0[j][i] = left;
        }
        wrench.set(i, if i == k { force } else { wrench.get(i) + scaled.get(i) * open });
    }
    Pivot { k, diagonal, scaled, u: open * inverse }
}

/// K of (2) and the products it is made of.
pub struct RotationProducts<'g> {
    alpha: Vec3<'g>,
    /// ω_y ω_z, ω_z ω_x, ω_x ω_y.
    mixed: [Ex<'g>; 3],
    square: [Ex<'g>; 3],
    pub matrix: Mat3<'g>,
}

impl<'g> RotationProducts<'g> {
    pub fn new(omega: Vec3<'g>, alpha: Vec3<'g>) -> Self {
        let mixed = [0, 1, 2].map(|i| omega[(i + 1) % 3] * omega[(i + 2) % 3]);
        let square = [0, 1, 2].map(|i| omega[i] * omega[i]);
        let matrix = Mat3::build(|i, j| {
            let other = (6 - i - j) % 3;
            match (j + 3 - i) % 3 {
                0 => -(square[(i + 1) % 3] + square[(i + 2) % 3]),
                1 => mixed[other] - alpha[other],
                _ => mixed[other] + alpha[other],
            }
        });
        RotationProducts { alpha, mixed, square, matrix }
    }

    /// vee(K J) of (3); about x: (J_yy + J_zz) α_x + (J_yy − J_zz) ω_y ω_z + J_yz (ω_z² − ω_y²) + J_xy K_zx − J_xz K_yx.
    fn moment(&self, j: Mat3<'g>) -> Vec3<'g> {
        let zero = |x: Ex<'g>| x.value() == Some(0.0);
        Vec3([0, 1, 2].map(|x| {
            let (y, z) = ((x + 1) % 3, (x + 2) % 3);
            let (j_yy, j_zz) = (j.0[y][y], j.0[z][z]);
            // A slender body needs one entry of K only.
            let own = if zero(j_yy) {
                -(j_zz * self.matrix.0[y][z])
            } else if zero(j_zz) {
                j_yy * self.matrix.0[z][y]
            } else {
                (j_yy + j_zz) * self.alpha[x] + (j_yy - j_zz) * self.mixed[x]
            };
            let across = j.0[y][z] * (self.square[z] - self.square[y]);
            own + across + j.0[x][y] * self.matrix.0[z][x] - j.0[x][z] * self.matrix.0[y][x]
        }))
    }
}

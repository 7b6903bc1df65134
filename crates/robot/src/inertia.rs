//! Inertia that the axes of an arm feel, in two ways.
//!
//! Virtual work over all masses i, with the columns of the Jacobian of each [docs/explanation/references/elastic-manipulator.md, D.2]:
//!
//!   M = Σ_i J_iᵀ diag(I_i, m_i) J_i,   J_low,j = M_jj                                               (1)
//!
//! Composite bodies, tip to base: S_j about the origin, I_j^c the sum over all that joint j carries:
//!
//!   M_jk = S_jᵀ I_k^c S_k,   j carries k                                                           (2)  [Featherstone2008, §6.2]

use trunnion_num::Matrix;
use trunnion_num::space::{
    Point, Pose, RotationMatrix, apply, cross, dot, minus, plus, product, times, transposed,
};

use crate::arm::{Arm, AxisMotion};

/// A mass somewhere on a link: a body, or a node of an elastic one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassNode {
    /// Index of the joint whose link carries it.
    pub link: usize,
    /// In the axes of the link.
    pub point: Point,
    pub mass: f64,
    /// About `point`, in the axes of the link.
    pub inertia: RotationMatrix,
}

/// The masses of the links.
pub fn link_nodes(arm: &Arm) -> Vec<MassNode> {
    let node = |(link, joint): (usize, &crate::arm::ArmJoint)| MassNode {
        link,
        point: joint.mass.centre,
        mass: joint.mass.mass,
        inertia: joint.mass.inertia,
    };
    arm.joints().iter().enumerate().map(node).collect()
}

/// (1), the whole matrix.
pub fn mass_matrix_by_virtual_work(arm: &Arm, q: &[f64], nodes: &[MassNode]) -> Matrix {
    let links = arm.links(q);
    let n = arm.n();
    let mut matrix = Matrix::zeros(n, n);
    for node in nodes {
        let link = links[node.link];
        let jacobian = arm.jacobian_at(&links, node.link, link.of(node.point));
        let inertia = in_base(node.inertia, link);
        let column = |k: usize, from: usize| [0, 1, 2].map(|i| jacobian[(from + i, k)]);
        for j in 0..n {
            let (w, v) = (apply(inertia, column(j, 0)), times(node.mass, column(j, 3)));
            for k in 0..n {
                matrix[(j, k)] += dot(w, column(k, 0)) + dot(v, column(k, 3));
            }
        }
    }
    matrix
}

/// J_low of every axis, (1): the diagonal alone.
pub fn axis_inertias(arm: &Arm, q: &[f64], nodes: &[MassNode]) -> Vec<f64> {
    let links = arm.links(q);
    let mut sums = vec![0.0; arm.n()];
    for node in nodes {
        let link = links[node.link];
        let jacobian = arm.jacobian_at(&links, node.link, link.of(node.point));
        let inertia = in_base(node.inertia, link);
        for (k, sum) in sums.iter_mut().enumerate() {
            let column = |from: usize| [0, 1, 2].map(|i| jacobian[(from + i, k)]);
            let (w, v) = (column(0), column(3));
            *sum += dot(w, apply(inertia, w)) + node.mass * dot(v, v);
        }
    }
    sums
}

/// Mass, first moment and inertia about the origin.
#[derive(Clone, Copy, Debug)]
struct CompositeBody {
    mass: f64,
    moment: Point,
    inertia: RotationMatrix,
}

/// (2)
pub fn mass_matrix(arm: &Arm, q: &[f64]) -> Matrix {
    let links = arm.links(q);
    let mut bodies: Vec<CompositeBody> = links
        .iter()
        .zip(arm.joints())
        .map(|(link, joint)| {
            let (m, c) = (joint.mass.mass, link.of(joint.mass.centre));
            let own = in_base(joint.mass.inertia, *link);
            // Steiner: I_o = I_c + m (c² 1 − c cᵀ).
            let steiner = |i: usize, k: usize| m * (if i == k { dot(c, c) } else { 0.0 } - c[i] * c[k]);
            let inertia = [0, 1, 2].map(|i| [0, 1, 2].map(|k| own[i][k] + steiner(i, k)));
            CompositeBody { mass: m, moment: times(m, c), inertia }
        })
        .collect();
    for i in (0..bodies.len()).rev() {
        if let Some(p) = arm.joints()[i].parent {
            let child = bodies[i];
            bodies[p].mass += child.mass;
            bodies[p].moment = plus(bodies[p].moment, child.moment);
            for k in 0..9 {
                bodies[p].inertia[k / 3][k % 3] += child.inertia[k / 3][k % 3];
            }
        }
    }
    let axes: Vec<(Point, Point)> = (0..arm.n()).map(|k| axis_about_origin(arm, &links, k)).collect();
    Matrix::from_fn(arm.n(), arm.n(), |j, k| {
        let (j_link, k_link) = (arm.joint_of(j), arm.joint_of(k));
        let (outer, inner) = match (arm.carries(j, k_link), arm.carries(k, j_link)) {
            (true, _) => (k, j),
            (_, true) => (j, k),
            _ => return 0.0,
        };
        let (body, (w, v)) = (&bodies[arm.joint_of(outer)], axes[outer]);
        let angular = plus(apply(body.inertia, w), cross(body.moment, v));
        let linear = plus(times(body.mass, v), cross(w, body.moment));
        dot(axes[inner].0, angular) + dot(axes[inner].1, linear)
    })
}

/// S of (2): rates at the origin for a unit rate of coordinate k.
fn axis_about_origin(arm: &Arm, links: &[Pose], k: usize) -> (Point, Point) {
    let own = links[arm.joint_of(k)];
    let a = apply(own.r, arm.axis(k).axis);
    let swept = cross(own.p, a);
    match arm.axis(k).motion {
        AxisMotion::Prismatic => ([0.0; 3], a),
        AxisMotion::Screw { lead } => (a, plus(swept, times(lead, a))),
        AxisMotion::Revolute | AxisMotion::Fixed => (a, swept),
    }
}

fn in_base(inertia: RotationMatrix, link: Pose) -> RotationMatrix {
    product(link.r, product(inertia, transposed(link.r)))
}

/// A slender uniform rod from `a` to `b`, for arms that are described by points.
pub fn rod(mass: f64, a: Point, b: Point) -> crate::arm::LinkMass {
    let along = minus(b, a);
    let square = dot(along, along);
    let entry = |i: usize, k: usize| mass / 12.0 * (if i == k { square } else { 0.0 } - along[i] * along[k]);
    crate::arm::LinkMass {
        mass,
        centre: times(0.5, plus(a, b)),
        inertia: [0, 1, 2].map(|i| [0, 1, 2].map(|k| entry(i, k))),
    }
}

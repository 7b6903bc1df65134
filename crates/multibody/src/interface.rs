//! How the frame at an interface of an elastic body moves against the body's frame B, and B against such a frame.
//!
//!   r = x + Φ q + ½ qᵀ Φ₂ q,   θ = Ψ q,   R = 1 + s ([θ] + ½ [θ]²),   s = 1 / (1 + ¼ θ²)                     (1)
//!   ω_B = s (θ̇ + ½ θ × θ̇),   ω_I = s (θ̇ − ½ θ × θ̇)                 of the interface I, in B's and I's axes       (2)
//!
//! R is the Rodrigues (Cayley) form of the small rotation θ: orthogonal for any θ, and (2) is exact for it, so what hangs at an interface gets
//! exactly the power that the modes lose. B against I:
//!
//!   r_IB = −Rᵀ r,   in B's axes  ṙ_IB = −ṙ + ω × r,   r̈_IB = −r̈ + 2 ω × ṙ − ω × (ω × r) + ω̇ × r               (3)

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::ModalInterface;

use crate::modal::{Modal, sum};
use crate::node::TreeNode;
use crate::primitive::PrimitiveKind;
use crate::quaternion::SymbolicQuaternion;
use crate::spatial::{Mat3, PlaneRotation, Spatial, Vec3};

/// (1) and its rates, in B's axes.
struct InterfaceMotion<'g> {
    r: Vec3<'g>,
    r_dot: Vec3<'g>,
    /// ∂r/∂q for each mode.
    slopes: Vec<Vec3<'g>>,
    /// What r̈ has besides Σ slopes q̈.
    r_bias: Vec3<'g>,
    theta: Vec3<'g>,
    theta_dot: Vec3<'g>,
    psi: Vec<Vec3<'g>>,
    s: Ex<'g>,
    s_dot: Ex<'g>,
}

impl<'g> InterfaceMotion<'g> {
    fn new(graph: &'g Graph, at: &ModalInterface, modal: &Modal<'g>) -> Self {
        let n = modal.q.len();
        let second = |j: usize, x: &[Ex<'g>], a: usize| match &at.second {
            Some(second) => sum(graph, x, |b| second[j][a][b]),
            None => graph.constant(0.0),
        };
        let vector = |x: &[Ex<'g>], of: &[[f64; 3]]| Vec3([0, 1, 2].map(|j| sum(graph, x, |a| of[a][j])));
        let weighted = |x: &[Ex<'g>], rows: &dyn Fn(usize, usize) -> Ex<'g>| {
            Vec3([0, 1, 2].map(|j| (0..n).fold(graph.constant(0.0), |sum, a| sum + rows(j, a) * x[a])))
        };
        let slope = |j: usize, a: usize| graph.constant(at.translation[a][j]) + second(j, &modal.q, a);
        let half = weighted(&modal.q, &|j, a| 0.5 * second(j, &modal.q, a));
        let theta = vector(&modal.q, &at.rotation);
        let theta_dot = vector(&modal.rate, &at.rotation);
        let s = if theta.is_zero() { graph.constant(1.0) } else { 1.0 / (1.0 + 0.25 * theta.dot(theta)) };
        InterfaceMotion {
            r: Vec3::numbers(graph, at.position) + vector(&modal.q, &at.translation) + half,
            r_dot: weighted(&modal.rate, &slope),
            slopes: (0..n).map(|a| Vec3([0, 1, 2].map(|j| slope(j, a)))).collect(),
            r_bias: weighted(&modal.rate, &|j, a| second(j, &modal.rate, a)),
            psi: at.rotation.iter().map(|&v| Vec3::numbers(graph, v)).collect(),
            s,
            s_dot: -(0.5 * s * s * theta.dot(theta_dot)),
            theta,
            theta_dot,
        }
    }

    /// R_BI.
    fn rotation(&self) -> Mat3<'g> {
        let cross = Mat3::cross(self.theta);
        let square = cross * cross;
        let one = Mat3::identity(self.s.graph());
        Mat3::build(|i, j| one.0[i][j] + self.s * (cross.0[i][j] + 0.5 * square.0[i][j]))
    }

    fn quaternion(&self) -> SymbolicQuaternion<'g> {
        let w = self.s.sqrt();
        let [x, y, z] = (self.theta * (0.5 * w)).0;
        SymbolicQuaternion([w, x, y, z])
    }

    /// About z.
    fn angle(&self) -> Ex<'g> {
        2.0 * (0.5 * self.theta[2]).atan2(self.s.graph().constant(1.0))
    }

    /// s (v ± ½ θ × v): (2) with sign 1 in B's, −1 in I's axes.
    fn turned(&self, v: Vec3<'g>, sign: f64) -> Vec3<'g> {
        let half = self.s.graph().constant(0.5 * sign);
        (v + self.theta.cross(v) * half) * self.s
    }

    /// What the derivative of (2) has besides that of θ̇.
    fn turning_bias(&self, sign: f64) -> Vec3<'g> {
        let half = self.s.graph().constant(0.5 * sign);
        (self.theta_dot + self.theta.cross(self.theta_dot) * half) * self.s_dot
    }
}

/// Node I beyond B, which is `node.parent`.
pub(crate) fn outward<'g>(
    graph: &'g Graph,
    mut node: TreeNode<'g>,
    at: &ModalInterface,
    modal: &Modal<'g>,
) -> TreeNode<'g> {
    let m = InterfaceMotion::new(graph, at, modal);
    let turns = !m.theta.is_zero();
    let r_IB = if turns { m.rotation().transpose() } else { Mat3::identity(graph) };
    if turns {
        node.turns = vec![PlaneRotation::Matrix(r_IB.transpose())];
        (node.quaternion, node.angle) = (m.quaternion(), m.angle());
    }
    node.r = m.r;
    node.rate = Spatial { angular: m.turned(m.theta_dot, -1.0), linear: r_IB * m.r_dot };
    node.bias_dot = Spatial { angular: m.turning_bias(-1.0), linear: r_IB * m.r_bias };
    let mode = |(&t, &psi): (&Vec3<'g>, &Vec3<'g>)| Spatial { angular: m.turned(psi, 1.0), linear: t };
    node.modes = m.slopes.iter().zip(&m.psi).map(mode).collect();
    finish(node, modal, PrimitiveKind::Interface)
}

/// Node B beyond I, which is `node.parent`: (3).
pub fn inward<'g>(
    graph: &'g Graph,
    mut node: TreeNode<'g>,
    at: &ModalInterface,
    modal: &Modal<'g>,
) -> TreeNode<'g> {
    let m = InterfaceMotion::new(graph, at, modal);
    let omega = m.turned(m.theta_dot, 1.0);
    let turns = !m.theta.is_zero();
    let r_IB = if turns { m.rotation().transpose() } else { Mat3::identity(graph) };
    if turns {
        node.turns = vec![PlaneRotation::Matrix(r_IB)];
        (node.quaternion, node.angle) = (m.quaternion().conjugate(), -m.angle());
    }
    node.r = -(r_IB * m.r);
    node.rate = Spatial { angular: -omega, linear: omega.cross(m.r) - m.r_dot };
    let turning = m.turning_bias(1.0);
    let two = graph.constant(2.0);
    let bias = omega.cross(m.r_dot) * two - m.r_bias - omega.cross(omega.cross(m.r)) + turning.cross(m.r);
    node.bias_dot = Spatial { angular: -turning, linear: bias };
    let mode = |(&t, &psi): (&Vec3<'g>, &Vec3<'g>)| {
        let turned = m.turned(psi, 1.0);
        Spatial { angular: -turned, linear: turned.cross(m.r) - t }
    };
    node.modes = m.slopes.iter().zip(&m.psi).map(mode).collect();
    finish(node, modal, PrimitiveKind::Modal)
}

fn finish<'g>(mut node: TreeNode<'g>, modal: &Modal<'g>, kind: PrimitiveKind) -> TreeNode<'g> {
    node.kind = kind;
    node.rate_dot = node.bias_dot + node.moved(&modal.rate_dot);
    node
}

//! What a modal body in a floating frame needs, after the standard input data of [Schwertassek, Wallrapp 1999, §6.4].
//!
//! Body frame: origin at [`ReducedBody::origin`] of the model, axes of the model. A point at R (from the origin) is at R + Σ φ_i(R) q_i.
//! All integrals are over the mass. Rows and columns of modal matrices are modes; triples of a vector are x, y, z. Pairs of rates of rotation
//! are in the order [`RATE_PAIRS`]: ωx², ωy², ωz², ωxωy, ωyωz, ωzωx.
//!
//! Equations of motion with the acceleration a of the origin (less gravity), rotation ω, α = ω̇, all in body axes, δ = generalised forces:
//!
//!   m a + (h0 + h1 q)~ᵀ α + h1 q̈ + 2 ω × h1 q̇ + ω × (ω × (h0 + h1 q)) = F                                         (1)
//!   (h0 + h1 q)~ a + J α + C_rᵀ q̈ + Σ q̇_i (G_r,i + Σ G_r1,ji q_j) ω + ω × J ω = M                                (2)
//!   C_t a + C_r α + M_e q̈ + Σ q̇_j G_e,j ω + O_e (ω ω) + (K_e + K_geo) q = δ                                       (3)
//!
//!   J = J0 + Σ J1_i q_i + Σ J2_ij q_i q_j,  C_t = C_t0,  C_r = C_r0 + Σ C_r1,j q_j,  O_e = O_e0 + Σ O_e1,j q_j       (4)
//!   K_geo = Σ stiffening matrices × present loads ([`StiffeningMatrices`])                                                (5)

use trunnion_num::Matrix;
use trunnion_num::space::{Point, RotationMatrix};

use crate::shape_integrals::ShapeIntegrals;
use crate::stiffening::StiffeningMatrices;

/// Components of ω that a column of a centrifugal matrix multiplies.
pub const RATE_PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// How an interface node moves with the modes.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceShape {
    /// The user's number of the node.
    pub node: u32,
    /// From the origin of the body frame.
    pub at: Point,
    /// Displacement: 3 rows, a column a mode.
    pub phi: Matrix,
    /// Small rotation: 3 rows, a column a mode.
    pub psi: Matrix,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReducedBody {
    /// Where the body frame is in the model.
    pub origin: Point,
    pub mass: f64,
    /// ∫ R dm.
    pub h0: Point,
    /// ∫ φ dm: 3 rows.
    pub h1: Matrix,
    /// About the origin.
    pub j0: RotationMatrix,
    /// For each mode.
    pub j1: Vec<RotationMatrix>,
    /// [i][j], symmetric in i and j; the sum in (4) is over all i and j.
    pub j2: Vec<Vec<RotationMatrix>>,
    /// n × 3, the transpose of h1.
    pub c_t0: Matrix,
    /// n × 3: row i is ∫ R × φ_i.
    pub c_r0: Matrix,
    /// For each mode j an n × 3 matrix: row i is ∫ φ_j × φ_i.
    pub c_r1: Vec<Matrix>,
    /// For each mode a 3 × 3 matrix: −2 ∫ R~ φ~_i.
    pub g_r: Vec<RotationMatrix>,
    /// [j][i]: −2 ∫ φ~_j φ~_i.
    pub g_r1: Vec<Vec<RotationMatrix>>,
    /// For each mode j an n × 3 matrix: 2 C_r1,j.
    pub g_e: Vec<Matrix>,
    /// 3 × 6: ω × J0 ω.
    pub o_r0: Matrix,
    /// For each mode 3 × 6: ω × J1_i ω.
    pub o_r1: Vec<Matrix>,
    /// n × 6: row i is ∫ φ_iᵀ ω~ω~ R.
    pub o_e0: Matrix,
    /// For each mode j an n × 6 matrix: row i is ∫ φ_iᵀ ω~ω~ φ_j.
    pub o_e1: Vec<Matrix>,
    /// The identity up to rounding.
    pub mass_e: Matrix,
    /// Diagonal up to rounding: squares of the circular frequencies.
    pub stiffness_e: Matrix,
    pub stiffening: StiffeningMatrices,
    pub interfaces: Vec<InterfaceShape>,
    /// Nodal displacements of the modes: 6 rows a node, in the order of the nodes of the model.
    pub shapes: Matrix,
    pub report: ReductionReport,
}

/// What the reduction kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionReport {
    pub unknowns: usize,
    /// Hz, all interfaces held.
    pub fixed_interface_frequencies: Vec<f64>,
    /// Hz, of the reduced body in its frame.
    pub frequencies: Vec<f64>,
    /// Hz, of the reduced body when it is free, without its six rigid motions.
    pub free_frequencies: Vec<f64>,
    /// Static shapes without mass that were left out.
    pub massless: usize,
    pub centre_of_mass: Point,
    /// About the centre of mass.
    pub central_inertia: RotationMatrix,
    /// Largest relative difference between the rigid-body mass matrix of the reduced model and mass, centre and inertia of the part.
    pub inertia_mismatch: f64,
    /// Largest strain energy of a rigid motion, as a share of the stiffness that resists it at the interfaces.
    pub rigid_energy: f64,
}

/// ω × J ω as a 3 × 6 matrix of the pairs of rates.
fn gyroscopic(j: &RotationMatrix) -> Matrix {
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = *j;
    let rows = [
        [0.0, yz, -yz, xz, zz - yy, -xy],
        [-xz, 0.0, xz, -yz, xy, xx - zz],
        [xy, -xy, 0.0, yy - xx, -xz, yz],
    ];
    Matrix::from_fn(3, 6, |i, k| rows[i][k])
}

/// φᵀ ω~ω~ R = Σ column · pair, of moments p[a][b] = ∫ R_a φ_b.
fn centrifugal(p: impl Fn(usize, usize) -> f64, pair: usize) -> f64 {
    match RATE_PAIRS[pair] {
        (a, b) if a == b => p(a, a) - (p(0, 0) + p(1, 1) + p(2, 2)),
        (a, b) => p(a, b) + p(b, a),
    }
}

pub(crate) struct BodyParts {
    pub origin: Point,
    pub integrals: ShapeIntegrals,
    pub stiffness_e: Matrix,
    pub stiffening: StiffeningMatrices,
    pub interfaces: Vec<InterfaceShape>,
    pub shapes: Matrix,
    pub report: ReductionReport,
}

impl ReducedBody {
    pub(crate) fn new(parts: BodyParts) -> Self {
        let s = &parts.integrals;
        let n = s.modes();
        let cross = |p: &dyn Fn(usize, usize) -> f64, k: usize| {
            p((k + 1) % 3, (k + 2) % 3) - p((k + 2) % 3, (k + 1) % 3)
        };
        // ∫ φ_j,a φ_i,b as moments with φ_j in the place of R.
        let second = |j: usize, i: usize| move |a: usize, b: usize| s.w[a][b][(j, i)];
        let first = |i: usize| move |a: usize, b: usize| s.v[a][b][i];
        let c_r1: Vec<Matrix> =
            (0..n).map(|j| Matrix::from_fn(n, 3, |i, k| cross(&second(j, i), k))).collect();
        let j0 = s.inertia();
        let j1: Vec<RotationMatrix> = (0..n).map(|i| moment_of(first(i), 2.0)).collect();
        ReducedBody {
            origin: parts.origin,
            mass: s.mass,
            h0: s.first,
            h1: Matrix::from_fn(3, n, |k, i| s.s[k][i]),
            j0,
            j2: (0..n).map(|i| (0..n).map(|j| moment_of(second(i, j), 1.0)).collect()).collect(),
            c_t0: Matrix::from_fn(n, 3, |i, k| s.s[k][i]),
            c_r0: Matrix::from_fn(n, 3, |i, k| cross(&first(i), k)),
            g_e: c_r1.iter().map(|c| Matrix::from_fn(n, 3, |i, k| 2.0 * c[(i, k)])).collect(),
            c_r1,
            g_r: (0..n).map(|i| coriolis_of(first(i))).collect(),
            g_r1: (0..n).map(|j| (0..n).map(|i| coriolis_of(second(j, i))).collect()).collect(),
            o_r0: gyroscopic(&j0),
            o_r1: j1.iter().map(gyroscopic).collect(),
            j1,
            o_e0: Matrix::from_fn(n, 6, |i, k| centrifugal(first(i), k)),
            o_e1: (0..n).map(|j| Matrix::from_fn(n, 6, |i, k| centrifugal(second(j, i), k))).collect(),
            mass_e: Matrix::from_fn(n, n, |i, j| (0..3).map(|k| s.w[k][k][(i, j)]).sum()),
            stiffness_e: parts.stiffness_e,
            stiffening: parts.stiffening,
            interfaces: parts.interfaces,
            shapes: parts.shapes,
            report: parts.report,
        }
    }

    pub fn modes(&self) -> usize {
        self.stiffness_e.rows()
    }
}

/// factor · (tr p 1 − ½(p + pᵀ)): the inertia of moments p[a][b] = ∫ R_a φ_b.
fn moment_of(p: impl Fn(usize, usize) -> f64, factor: f64) -> RotationMatrix {
    let trace = p(0, 0) + p(1, 1) + p(2, 2);
    let entry = |a: usize, b: usize| (if a == b { trace } else { 0.0 }) - 0.5 * (p(a, b) + p(b, a));
    [0, 1, 2].map(|a| [0, 1, 2].map(|b| factor * entry(a, b)))
}

/// −2 ∫ R~ φ~ = 2 ∫ (R·φ 1 − φ Rᵀ).
fn coriolis_of(p: impl Fn(usize, usize) -> f64) -> RotationMatrix {
    let trace = p(0, 0) + p(1, 1) + p(2, 2);
    [0, 1, 2].map(|a| [0, 1, 2].map(|b| 2.0 * (if a == b { trace } else { 0.0 } - p(b, a))))
}

//! What resists acceleration in a body: a rigid mass, or a mass whose points move by shapes.
//!
//!   u(x) = Σ_a Φ_a(x) q_a + ½ Σ_ab Φ_ab(x) q_a q_b         displacement of the point at x, seen in B                (1)
//!   θ_k  = Σ_a Ψ_a(x_k) q_a                                small rotation of the frame at interface k              (2)
//!
//! q: the elastic coordinates. Φ_ab is the displacement of second order that keeps lengths, such as the shortening of a bent beam; it
//! stiffens what is pulled and softens what is pressed. [Schwertassek1999, ch. 5], [Wallrapp1994], [Shabana2020, ch. 5]
//!
//! Only integrals of the shapes over the mass are needed, see [`ModalData`]. B may be any frame; where no shape moves B's origin and its axes, B
//! is fixed to the material there.

use std::sync::Arc;

use trunnion_equations::{Expr, Graph, Symbol};

use super::{FatigueLine, StressGauge, Vector};

#[derive(Clone, Debug)]
pub enum BodyInertia {
    Rigid(RigidInertia),
    Modal(Box<ModalBody>),
}

#[derive(Clone, Debug)]
pub struct RigidInertia {
    pub mass: Expr,
    /// p_BC: centre of mass.
    pub center: Vector,
    /// About the centre of mass, in B's axes: xx, yy, zz, xy, xz, yz with I_xy = −∫xy dm.
    pub inertia: [Expr; 6],
}

impl RigidInertia {
    pub fn none(graph: &Graph) -> Self {
        let zero = graph.constant(0.0).id;
        RigidInertia { mass: zero, center: [zero; 3], inertia: [zero; 6] }
    }
}

impl BodyInertia {
    pub fn rigid(&self) -> Option<&RigidInertia> {
        match self {
            BodyInertia::Rigid(rigid) => Some(rigid),
            BodyInertia::Modal(_) => None,
        }
    }

    pub fn modal(&self) -> Option<&ModalBody> {
        match self {
            BodyInertia::Rigid(_) => None,
            BodyInertia::Modal(modal) => Some(modal),
        }
    }
}

/// A body that deforms by shapes, with the states of its coordinates.
#[derive(Clone, Debug)]
pub struct ModalBody {
    pub data: Arc<ModalData>,
    /// α₁ and α₂: the damping of the data plus α₁ M + α₂ K.
    pub rayleigh: [Expr; 2],
    /// q of (1) and their rates.
    pub coordinates: Vec<Symbol>,
    pub rates: Vec<Symbol>,
    /// The quantity to be given the energy of deformation, ½ qᵀ K q.
    pub strain: Symbol,
    /// Places whose displacement, forces or stress are signals.
    pub gauges: Vec<StressGauge>,
    pub fatigue: Option<FatigueLine>,
}

/// Rows of a matrix with a row and a column for each shape.
pub type ModalMatrix = Vec<Vec<f64>>;

/// Integrals over the mass of a body with n shapes, in SI and in B's axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModalData {
    pub mass: f64,
    /// ∫ x dm.
    pub first: [f64; 3],
    /// ∫ x xᵀ dm.
    pub second: [[f64; 3]; 3],
    /// ∫ Φ_a dm for each shape.
    pub shift: Vec<[f64; 3]>,
    /// [i][j]: ∫ x_i Φ_ja dm for each shape.
    pub moment: Vec<[[f64; 3]; 3]>,
    /// Angular momentum of each shape beyond ∫ x × Φ_a dm: of rotary inertia in its elements.
    pub rotary: Vec<[f64; 3]>,
    /// [i][j][a][b]: ∫ Φ_ia Φ_jb dm. None: inertia to first order in q.
    pub product: Option<[[ModalMatrix; 3]; 3]>,
    /// ∫ Φ_a · Φ_b dm, and what rotary inertia adds to it.
    pub mass_matrix: ModalMatrix,
    pub stiffness: ModalMatrix,
    pub damping: ModalMatrix,
    pub stiffening: Option<Stiffening>,
    pub interfaces: Vec<ModalInterface>,
}

/// Integrals of the displacement of second order in (1). By virtual work they are geometric stiffness matrices under unit loads, with the
/// opposite sign: −`shift[j]` is that of the load ρ e_j, −`moment[i][j]` that of ρ x_i e_j.
#[derive(Clone, Debug, PartialEq)]
pub struct Stiffening {
    /// [j][a][b]: ∫ Φ_j,ab dm.
    pub shift: [ModalMatrix; 3],
    /// [i][j][a][b]: ∫ x_i Φ_j,ab dm.
    pub moment: [[ModalMatrix; 3]; 3],
}

/// A place where joints, lines, loads and sensors may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModalInterface {
    pub name: String,
    /// x_k of the undeformed body.
    pub position: [f64; 3],
    /// Φ_a(x_k) for each shape.
    pub translation: Vec<[f64; 3]>,
    /// Ψ_a(x_k) for each shape.
    pub rotation: Vec<[f64; 3]>,
    /// [j][a][b]: Φ_j,ab(x_k), the opposite of the geometric stiffness under a unit force there.
    pub second: Option<[ModalMatrix; 3]>,
}

impl ModalInterface {
    /// Whether any shape moves it against B.
    pub fn moves(&self) -> bool {
        let shapes = self.translation.iter().chain(&self.rotation).flatten();
        let second = self.second.iter().flatten().flatten().flatten();
        shapes.chain(second).any(|x| *x != 0.0)
    }
}

/// A mass at a point that moves by Φ_a(x).
#[derive(Clone, Debug)]
pub struct ModalPoint {
    pub mass: f64,
    pub position: [f64; 3],
    pub shapes: Vec<[f64; 3]>,
}

impl ModalData {
    /// Centre of mass of the undeformed body.
    pub fn center(&self) -> [f64; 3] {
        self.first.map(|x| if self.mass > 0.0 { x / self.mass } else { 0.0 })
    }

    /// How many shapes it has.
    pub fn size(&self) -> usize {
        self.shift.len()
    }

    /// The first field whose size is not that of `n` shapes.
    pub fn misfit(&self, n: usize) -> Option<&'static str> {
        let square = |m: &ModalMatrix| m.len() == n && m.iter().all(|row| row.len() == n);
        let interface = |i: &ModalInterface| {
            let second = i.second.iter().flatten().all(square);
            i.translation.len() == n && i.rotation.len() == n && second
        };
        let stiffening =
            self.stiffening.iter().all(|s| s.shift.iter().chain(s.moment.iter().flatten()).all(square));
        let fields = [
            ("shift", self.shift.len() == n),
            ("moment", self.moment.len() == n),
            ("rotary", self.rotary.len() == n),
            ("product", self.product.iter().flatten().flatten().all(square)),
            ("mass_matrix", square(&self.mass_matrix)),
            ("stiffness", square(&self.stiffness)),
            ("damping", square(&self.damping)),
            ("stiffening", stiffening),
            ("interfaces", self.interfaces.iter().all(interface)),
        ];
        fields.into_iter().find(|(_, fits)| !fits).map(|(name, _)| name)
    }

    /// The integrals of point masses, exact to second order; no stiffness, no interfaces.
    pub fn of_points(n: usize, points: &[ModalPoint]) -> Self {
        let square = || vec![vec![0.0; n]; n];
        let mut product = [0, 1, 2].map(|_| [0, 1, 2].map(|_| square()));
        let mut data = ModalData {
            shift: vec![[0.0; 3]; n],
            moment: vec![[[0.0; 3]; 3]; n],
            rotary: vec![[0.0; 3]; n],
            mass_matrix: square(),
            stiffness: square(),
            damping: square(),
            ..ModalData::default()
        };
        for ModalPoint { mass: m, position: x, shapes } in points {
            data.mass += m;
            for i in 0..3 {
                data.first[i] += m * x[i];
                for j in 0..3 {
                    data.second[i][j] += m * x[i] * x[j];
                }
            }
            for (a, phi) in shapes.iter().enumerate() {
                for j in 0..3 {
                    data.shift[a][j] += m * phi[j];
                    (0..3).for_each(|i| data.moment[a][i][j] += m * x[i] * phi[j]);
                }
                for (b, other) in shapes.iter().enumerate() {
                    for i in 0..3 {
                        data.mass_matrix[a][b] += m * phi[i] * other[i];
                        (0..3).for_each(|j| product[i][j][a][b] += m * phi[i] * other[j]);
                    }
                }
            }
        }
        data.product = Some(product);
        data
    }
}

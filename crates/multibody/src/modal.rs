//! A body whose points move by shapes: its inertia at q, and what its motion takes. B's axes throughout.
//!
//! With r = x + u the place of a point and E = ∫ r u̇ᵀ dm, D_a = ∫ r (∂u/∂q_a)ᵀ dm:
//!
//!   h = ∫ r dm,  S = ∫ r rᵀ dm,  C_a = (∫ r × ∂u/∂q_a dm, ∫ ∂u/∂q_a dm)                                        (1)
//!   T = ½ Vᵀ I(h, S) V + Vᵀ C q̇ + ½ q̇ᵀ M q̇                                                                    (2)
//!
//! Lagrange's equations of (2) in the velocities of B, a: acceleration of its origin, K = [α] + ω ωᵀ − ω² 1:
//!
//!   force   m a + K h + C_t q̈ + 2 ω × C_t q̇ + ∫ q̇ᵀ Φ₂ q̇                                                        (3)
//!   moment  h × a + vee(K S) + C_r q̈ + 2 (tr E ω − Eᵀ ω) + ω × c q̇ + ∫ x × q̇ᵀ Φ₂ q̇                               (4)
//!   mode a  C_ta · a + Σ K_ji D_a,ij + c_a · α + M q̈ + 2 ω · ∫ u̇ × … + K q + D q̇                                  (5)
//!
//! c: what rotary inertia adds to C_r. D, h and S hold displacements of second order (Φ₂), so (3) to (5) have geometric stiffening by
//! accelerations and by ω_i ω_j, and keep energy and momentum as they stand. [Schwertassek1999, ch. 6], [Shabana2020, ch. 5]

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::{ModalBody, ModalData, ModalMatrix};

use crate::modal_rounding::cleaned;
use crate::node::Rigid;
use crate::spatial::{Mat3, Spatial, Vec3};

#[derive(Clone)]
pub struct Modal<'g> {
    pub body: usize,
    pub q: Vec<Ex<'g>>,
    pub rate: Vec<Ex<'g>>,
    /// q̈ as a derivative of the model.
    pub rate_dot: Vec<Ex<'g>>,
    /// h and S of (1).
    pub rigid: Rigid<'g>,
    /// C of (1).
    pub coupling: Vec<Spatial<'g>>,
    pub mass: Vec<Vec<Ex<'g>>>,
    /// D of (1).
    moment: Vec<Mat3<'g>>,
    /// c of (4).
    rotary: Vec<Vec3<'g>>,
    /// ∂/∂ω of the gyroscopic term of (5).
    gyroscopic: Vec<Vec3<'g>>,
    /// ∫ q̇ᵀ Φ₂ q̇ and its moment.
    second: Spatial<'g>,
    /// K q + D q̇ of (5).
    elastic: Vec<Ex<'g>>,
    /// ½ qᵀ K q, and q̇ᵀ D q̇.
    pub strain: Ex<'g>,
    pub loss: Ex<'g>,
}

/// Integrals of a body at its coordinates.
struct Integrals<'a, 'g> {
    graph: &'g Graph,
    data: &'a ModalData,
    q: &'a [Ex<'g>],
    rate: &'a [Ex<'g>],
}

impl<'g> Integrals<'_, 'g> {
    fn product(&self, i: usize, j: usize, a: usize, b: usize) -> f64 {
        self.data.product.as_ref().map_or(0.0, |p| p[i][j][a][b])
    }

    /// D_a without ∫ x Φ_aᵀ: ∂D_ij/∂q_b = ∫ Φ_ib Φ_ja dm + ∫ x_i Φ_j,ab dm.
    fn moment(&self, a: usize) -> Mat3<'g> {
        let second = |i: usize, j: usize, b: usize| match &self.data.stiffening {
            Some(stiff) => stiff.moment[i][j][a][b],
            None => 0.0,
        };
        Mat3::build(|i, j| sum(self.graph, self.q, |b| self.product(i, j, b, a) + second(i, j, b)))
    }

    /// ∫ ∂u/∂q_a dm.
    fn shift(&self, a: usize) -> Vec3<'g> {
        let once = Vec3::numbers(self.graph, self.data.shift[a]);
        match &self.data.stiffening {
            Some(stiff) => once + Vec3([0, 1, 2].map(|j| sum(self.graph, self.q, |b| stiff.shift[j][a][b]))),
            None => once,
        }
    }

    /// h and S of (1); `moment`: D without ∫ x Φ_aᵀ.
    fn rigid(&self, moment: &[Mat3<'g>], shift: &[Vec3<'g>]) -> Rigid<'g> {
        let ModalData { mass, first, second, .. } = self.data;
        let number = |x: f64| self.graph.constant(x);
        let terms = || self.q.iter().enumerate();
        let h = |i: usize| {
            let mean = |a: usize| 0.5 * (number(self.data.shift[a][i]) + shift[a][i]);
            terms().fold(number(first[i]), |h, (a, &q)| h + mean(a) * q)
        };
        let s = |i: usize, j: usize| {
            let once = |a: usize| self.data.moment[a][i][j] + self.data.moment[a][j][i];
            let twice = |a: usize| 0.5 * (moment[a].0[i][j] + moment[a].0[j][i]);
            terms().fold(number(second[i][j]), |s, (a, &q)| s + (once(a) + twice(a)) * q)
        };
        let j = Mat3::build(|i, j| s(i.min(j), i.max(j)));
        Rigid { m: number(*mass), h: Vec3([0, 1, 2].map(h)), j }
    }

    /// 2 ∫ u̇ × Φ_a dm.
    fn gyroscopic(&self, a: usize) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let factor = |b: usize| 2.0 * (self.product(j, i, a, b) - self.product(i, j, a, b));
            sum(self.graph, self.rate, factor)
        }))
    }

    /// ∫ q̇ᵀ Φ₂ q̇ dm and its moment.
    fn second(&self) -> Spatial<'g> {
        let Some(stiff) = &self.data.stiffening else { return Spatial::zero(self.graph) };
        let square = |m: &ModalMatrix| dot(self.graph, self.rate, &product(self.graph, m, self.rate));
        Spatial {
            angular: vee(Mat3::build(|i, j| square(&stiff.moment[i][j]))),
            linear: Vec3([0, 1, 2].map(|j| square(&stiff.shift[j]))),
        }
    }

    /// D q̇ with D of the data and of `rayleigh`.
    fn resisted(&self, rayleigh: [Ex<'g>; 2]) -> Vec<Ex<'g>> {
        let of = |m: &ModalMatrix| product(self.graph, m, self.rate);
        let (own, mass, stiffness) =
            (of(&self.data.damping), of(&self.data.mass_matrix), of(&self.data.stiffness));
        (0..self.q.len()).map(|a| own[a] + rayleigh[0] * mass[a] + rayleigh[1] * stiffness[a]).collect()
    }
}

impl<'g> Modal<'g> {
    pub fn new(graph: &'g Graph, body: usize, modal: &ModalBody) -> Self {
        let data = &cleaned(&modal.data);
        let n = data.size();
        let q: Vec<Ex<'g>> = modal.coordinates.iter().map(|&s| graph.symbol(s)).collect();
        let rate: Vec<Ex<'g>> = modal.rates.iter().map(|&s| graph.symbol(s)).collect();
        let at = Integrals { graph, data, q: &q, rate: &rate };
        let part: Vec<Mat3<'g>> = (0..n).map(|a| at.moment(a)).collect();
        let shift: Vec<Vec3<'g>> = (0..n).map(|a| at.shift(a)).collect();
        let rotary: Vec<Vec3<'g>> = data.rotary.iter().map(|&c| Vec3::numbers(graph, c)).collect();
        let whole = |a: usize| Mat3::build(|i, j| graph.constant(data.moment[a][i][j]) + part[a].0[i][j]);
        let moment: Vec<Mat3<'g>> = (0..n).map(whole).collect();
        let coupling = |a: usize| Spatial { angular: vee(moment[a]) + rotary[a], linear: shift[a] };
        let restored = product(graph, &data.stiffness, &q);
        let resisted = at.resisted(modal.rayleigh.map(|e| graph.at(e)));
        Modal {
            body,
            rate_dot: modal.rates.iter().map(|&s| graph.derivative(s)).collect(),
            rigid: at.rigid(&part, &shift),
            coupling: (0..n).map(coupling).collect(),
            mass: data
                .mass_matrix
                .iter()
                .map(|row| row.iter().map(|&x| graph.constant(x)).collect())
                .collect(),
            gyroscopic: (0..n).map(|a| at.gyroscopic(a)).collect(),
            second: at.second(),
            strain: 0.5 * dot(graph, &q, &restored),
            loss: dot(graph, &rate, &resisted),
            elastic: restored.iter().zip(&resisted).map(|(&k, &d)| k + d).collect(),
            moment,
            rotary,
            q,
            rate,
        }
    }

    fn graph(&self) -> &'g Graph {
        self.strain.graph()
    }

    /// Σ C_a x_a.
    pub(crate) fn coupled(&self, x: &[Ex<'g>]) -> Spatial<'g> {
        let zero = Spatial::zero(self.graph());
        self.coupling.iter().zip(x).fold(zero, |sum, (&c, &x)| sum + c * x)
    }

    /// What (3) and (4) have beyond a rigid body of h and S, without q̈.
    pub fn wrench(&self, omega: Vec3<'g>) -> Spatial<'g> {
        let graph = self.graph();
        let two = graph.constant(2.0);
        let zero = Vec3::zero(graph);
        // E.
        let e = Mat3::build(|i, j| {
            self.moment.iter().zip(&self.rate).fold(graph.constant(0.0), |sum, (d, &v)| sum + d.0[i][j] * v)
        });
        let trace = e.0[0][0] + e.0[1][1] + e.0[2][2];
        let rotary = self.rotary.iter().zip(&self.rate).fold(zero, |sum, (&c, &v)| sum + c * v);
        let shift = self.coupled(&self.rate).linear;
        let turned = (omega * trace - e.transpose() * omega) * two;
        Spatial {
            angular: turned + omega.cross(rotary) + self.second.angular,
            linear: omega.cross(shift) * two + self.second.linear,
        }
    }

    /// (5) without q̈. `k`: K.
    pub fn forces(&self, omega: Vec3<'g>, bias: Spatial<'g>, k: Mat3<'g>) -> Vec<Ex<'g>> {
        let mode = |a: usize| {
            let mut sum = self.coupling[a].linear.dot(bias.linear) + self.rotary[a].dot(bias.angular);
            for i in 0..3 {
                sum = sum + self.moment[a].row(i).dot(k.column(i));
            }
            sum + omega.dot(self.gyroscopic[a]) + self.elastic[a]
        };
        (0..self.q.len()).map(mode).collect()
    }

    /// What (2) has beyond a rigid body of h and S.
    pub fn kinetic(&self, v: Spatial<'g>) -> Ex<'g> {
        let rows: Vec<Ex<'g>> = self.mass.iter().map(|row| dot(self.graph(), row, &self.rate)).collect();
        v.dot(self.coupled(&self.rate)) + 0.5 * dot(self.graph(), &self.rate, &rows)
    }
}

/// Σ factor(b) x_b.
pub fn sum<'g>(graph: &'g Graph, x: &[Ex<'g>], factor: impl Fn(usize) -> f64) -> Ex<'g> {
    let terms = x.iter().enumerate().map(|(b, &x)| (factor(b), x)).filter(|t| t.0 != 0.0);
    terms.fold(graph.constant(0.0), |sum, (f, x)| sum + f * x)
}

fn dot<'g>(graph: &'g Graph, a: &[Ex<'g>], b: &[Ex<'g>]) -> Ex<'g> {
    a.iter().zip(b).fold(graph.constant(0.0), |sum, (&a, &b)| sum + a * b)
}

fn product<'g>(graph: &'g Graph, m: &ModalMatrix, x: &[Ex<'g>]) -> Vec<Ex<'g>> {
    m.iter().map(|row| sum(graph, x, |b| row[b])).collect()
}

/// ∫ r × v dm of ∫ r vᵀ dm.
fn vee<'g>(m: Mat3<'g>) -> Vec3<'g> {
    Vec3([0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        m.0[i][j] - m.0[j][i]
    }))
}

//! Reduction of a part to static shapes of its interfaces and modes with the interfaces held, then to modes of a floating frame.
//!
//!   u = (Φ, Ψ) (η, u_b),  Ψ = (−K_ii⁻¹ K_ib; 1),  K_ii φ = λ M_ii φ                                              (1)  [Craig, Bampton 1968]
//!   K_r y = λ M_r y in the frame:  q = modal coordinates, M_e = 1, K_e = diag λ                                   (2)
//!
//! Clamped frame: the six coordinates of the reference interface are zero. Mean axes: the six rigid motions of the free body are left out, which
//! makes the modes orthogonal to them. Every static deflection under forces at interfaces is kept exactly.

use faer::{Mat, MatRef, Scale, Side};
use trunnion_num::Matrix;
use trunnion_num::space::{self, Point, RotationMatrix};

use crate::assembly::{Assembled, body_forces};
use crate::error::FeError;
use crate::factor::{SparseFactor, SymbolicFactor};
use crate::model::FeModel;
use crate::modes::lowest;
use crate::pencil::{PencilPairs, dense_pairs, symmetric_eigen};
use crate::reduced_body::{BodyParts, InterfaceShape, ReducedBody, ReductionReport};
use crate::shape_integrals::ShapeIntegrals;
use crate::singular::holding_factor;
use crate::stiffening::{StiffeningMatrices, body_loads, projected};
use crate::unknowns::Unknowns;

/// What the body frame follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFrame {
    /// The interface of this index: displacement and rotation of its node are zero in the frame, which has its origin there.
    Clamped(usize),
    /// The mean motion: origin at the centre of mass.
    MeanAxes,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReductionOptions {
    /// The user's numbers of the nodes where the part meets others; at least one.
    pub interfaces: Vec<u32>,
    /// Modes with all interfaces held.
    pub modes: usize,
    pub frame: BodyFrame,
}

/// M-orthonormal shapes whose μ is below this share of the largest have no mass that counts: 3·10⁶ times the lowest frequency.
const MASSLESS: f64 = 1e-13;
/// Smallest eigenvalue of a reduced stiffness of unit diagonal that holds; rounding of one that does not is below 1e-14.
const HOLDING: f64 = 1e-12;
/// Share of the stiffness at the interfaces that rounding may give to a rigid motion; more is a spring to the ground.
const GROUNDED: f64 = 1e-7;

struct ModalReduction<'a> {
    model: &'a FeModel,
    interfaces: Vec<usize>,
    assembled: Assembled,
    factor: SparseFactor,
    /// Unknowns × (interface coordinates, then fixed-interface modes).
    basis: Mat<f64>,
    fixed: Vec<f64>,
    k_r: Mat<f64>,
    m_r: Mat<f64>,
}

/// What a reduction is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionStage {
    Assembly,
    Factorisation,
    HeldModes,
    StaticShapes,
    BodyModes,
    Stiffening,
}

impl ReductionStage {
    pub const ALL: [ReductionStage; 6] = [
        ReductionStage::Assembly,
        ReductionStage::Factorisation,
        ReductionStage::HeldModes,
        ReductionStage::StaticShapes,
        ReductionStage::BodyModes,
        ReductionStage::Stiffening,
    ];
}

/// Asked before each stage whether to go on.
pub type ReductionWatch<'a> = &'a dyn Fn(ReductionStage) -> bool;

fn go_on(watch: ReductionWatch<'_>, stage: ReductionStage) -> Result<(), FeError> {
    if watch(stage) { Ok(()) } else { Err(FeError::Cancelled) }
}

/// Reduces a part without supports.
pub fn reduce(model: &FeModel, options: &ReductionOptions) -> Result<ReducedBody, FeError> {
    reduce_watched(model, options, &|_| true)
}

/// The same, ended between two stages where `watch` says so.
pub fn reduce_watched(
    model: &FeModel,
    options: &ReductionOptions,
    watch: ReductionWatch<'_>,
) -> Result<ReducedBody, FeError> {
    go_on(watch, ReductionStage::Assembly)?;
    if let Some(support) = model.supports.first() {
        let node = model.nodes.get(support.node).map_or(0, |n| n.number);
        return Err(FeError::SupportedBody { node });
    }
    let reduction = ModalReduction::new(model, options, watch)?;
    let reference = match options.frame {
        BodyFrame::Clamped(index) if index < reduction.interfaces.len() => index,
        BodyFrame::Clamped(index) => return Err(FeError::NoInterfaceNode { node: index as u32 }),
        BodyFrame::MeanAxes => 0,
    };
    go_on(watch, ReductionStage::BodyModes)?;
    let free = reduction.free_modes()?;
    let rigid = ShapeIntegrals::new(model, &Matrix::zeros(6 * model.nodes.len(), 0), [0.0; 3])?;
    let centre = space::times(1.0 / rigid.mass, rigid.first);
    let (origin, modes) = match options.frame {
        BodyFrame::Clamped(_) => {
            (model.nodes[reduction.interfaces[reference]].at, reduction.clamped_modes(reference)?)
        }
        BodyFrame::MeanAxes => (centre, free.clone()),
    };
    let on_unknowns = times(reduction.basis.as_ref(), modes.y.as_ref());
    let shapes = reduction.nodal(&on_unknowns);
    let integrals = ShapeIntegrals::new(model, &shapes, origin)?;
    let n = modes.lambda.len();
    go_on(watch, ReductionStage::Stiffening)?;
    let report = reduction.report(&modes, &free, &rigid, reference)?;
    Ok(ReducedBody::new(BodyParts {
        origin,
        integrals,
        stiffness_e: Matrix::from_fn(n, n, |i, j| if i == j { modes.lambda[i] } else { 0.0 }),
        stiffening: reduction.stiffening(&shapes, origin, reference)?,
        interfaces: reduction
            .interfaces
            .iter()
            .map(|&node| interface(model, node, origin, &shapes))
            .collect(),
        shapes,
        report,
    }))
}

fn interface(model: &FeModel, node: usize, origin: Point, shapes: &Matrix) -> InterfaceShape {
    InterfaceShape {
        node: model.nodes[node].number,
        at: space::minus(model.nodes[node].at, origin),
        phi: shapes.block((6 * node, 0), 3, shapes.columns()),
        psi: shapes.block((6 * node + 3, 0), 3, shapes.columns()),
    }
}

fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    a * b
}

/// Modes of the reduced model, ascending.
#[derive(Clone)]
struct FrameModes {
    lambda: Vec<f64>,
    /// In the coordinates of the reduction.
    y: Mat<f64>,
    massless: usize,
}

impl FrameModes {
    /// Of (2) by M y = (1/λ) K y; `places` are the coordinates that take part.
    fn new(k: &Mat<f64>, m: &Mat<f64>, places: &[usize]) -> Option<FrameModes> {
        let n = places.len();
        let part = |a: &Mat<f64>| Mat::from_fn(n, n, |i, j| a[(places[i], places[j])]);
        let PencilPairs { mu, x, .. } = dense_pairs(part(k), part(m), n)?;
        let kept = mu.iter().take_while(|v| **v > MASSLESS * mu[0]).count();
        let lambda: Vec<f64> = mu[..kept].iter().map(|v| 1.0 / v).collect();
        let mut y = Mat::zeros(k.nrows(), kept);
        for j in 0..kept {
            for i in 0..n {
                y[(places[i], j)] = x[(i, j)] / mu[j].sqrt();
            }
        }
        Some(FrameModes { lambda, y, massless: n - kept })
    }

    fn frequencies(&self) -> Vec<f64> {
        self.lambda.iter().map(|l| l.sqrt() / (2.0 * std::f64::consts::PI)).collect()
    }
}

impl<'a> ModalReduction<'a> {
    fn new(
        model: &'a FeModel,
        options: &ReductionOptions,
        watch: ReductionWatch<'_>,
    ) -> Result<Self, FeError> {
        let find = |&number: &u32| model.node_index(number).ok_or(FeError::NoInterfaceNode { node: number });
        let interfaces: Vec<usize> = options.interfaces.iter().map(find).collect::<Result<_, _>>()?;
        if interfaces.is_empty() {
            return Err(FeError::NoInterfaceNode { node: 0 });
        }
        for (i, &node) in interfaces.iter().enumerate() {
            if interfaces[..i].contains(&node) {
                return Err(FeError::Overdetermined { node: model.nodes[node].number, component: 0 });
            }
        }
        let unknowns = Unknowns::new(model, &interfaces, &[])?;
        let (n, inner) = (unknowns.count(), unknowns.interior);
        let node_of = unknowns.node_of();
        let assembled = Assembled::consistent(model, unknowns)?;
        let (k_ii, m_ii) = (assembled.k.leading(inner), assembled.m.leading(inner));
        go_on(watch, ReductionStage::Factorisation)?;
        let symbolic = SymbolicFactor::new(&k_ii, &node_of[..inner])?;
        let factor = holding_factor(model, &assembled.unknowns, &k_ii, &symbolic)?;
        go_on(watch, ReductionStage::HeldModes)?;
        let fixed = lowest(&k_ii, &m_ii, &symbolic, Some(&factor), options.modes)?;
        go_on(watch, ReductionStage::StaticShapes)?;
        let boundary = n - inner;
        let mut psi = Mat::<f64>::zeros(inner, boundary);
        for j in 0..inner {
            for p in assembled.k.column(j).filter(|&p| assembled.k.rows[p] as usize >= inner) {
                psi[(j, assembled.k.rows[p] as usize - inner)] = -assembled.k.values[p];
            }
        }
        factor.solve(psi.as_mut());
        let count = boundary + fixed.lambda.len();
        let basis = Mat::from_fn(n, count, |i, j| match (i < inner, j < boundary) {
            (true, true) => psi[(i, j)],
            (true, false) => fixed.phi[(i, j - boundary)],
            (false, true) => f64::from(u8::from(i - inner == j)),
            (false, false) => 0.0,
        });
        let k_r = times(basis.transpose(), assembled.k.times(basis.as_ref()).as_ref());
        let m_r = times(basis.transpose(), assembled.m.times(basis.as_ref()).as_ref());
        Ok(ModalReduction { model, interfaces, assembled, factor, basis, fixed: fixed.lambda, k_r, m_r })
    }

    fn boundary(&self) -> usize {
        6 * self.interfaces.len()
    }

    fn without(&self, reference: usize) -> Vec<usize> {
        (0..self.k_r.nrows()).filter(|i| !(6 * reference..6 * reference + 6).contains(i)).collect()
    }

    fn clamped_modes(&self, reference: usize) -> Result<FrameModes, FeError> {
        let places = self.without(reference);
        if places.is_empty() {
            return Ok(FrameModes { lambda: vec![], y: Mat::zeros(6, 0), massless: 0 });
        }
        self.frame_modes(&self.k_r, &places)
    }

    /// Elastic modes of the free body: K + s M R Rᵀ M moves the rigid motions R (RᵀM R = 1) from zero to s and nothing else.
    fn free_modes(&self) -> Result<FrameModes, FeError> {
        let n = self.k_r.nrows();
        let motion = self.rigid_motions(self.model.nodes[self.interfaces[0]].at);
        let gram = times(motion.transpose(), times(self.m_r.as_ref(), motion.as_ref()).as_ref());
        let lower = gram.llt(Side::Lower).map_err(|_| FeError::NoMass)?;
        let mut rigid = motion.transpose().to_owned();
        lower.L().solve_lower_triangular_in_place(&mut rigid);
        let rigid_mass = times(self.m_r.as_ref(), rigid.transpose());
        let ratios = (0..n).map(|i| self.k_r[(i, i)] / self.m_r[(i, i)]).filter(|r| r.is_finite());
        let shift = ratios.fold(0.0, f64::max);
        let raised = &self.k_r + Scale(shift) * times(rigid_mass.as_ref(), rigid_mass.transpose());
        let places: Vec<usize> = (0..n).collect();
        let modes = self.frame_modes(&raised, &places)?;
        let in_rigid = times(rigid_mass.transpose(), modes.y.as_ref());
        let is_elastic = |j: &usize| (0..6).map(|k| in_rigid[(k, *j)].powi(2)).sum::<f64>() < 0.5;
        let kept: Vec<usize> = (0..modes.lambda.len()).filter(is_elastic).collect();
        Ok(FrameModes {
            lambda: kept.iter().map(|&j| modes.lambda[j]).collect(),
            y: Mat::from_fn(n, kept.len(), |i, j| modes.y[(i, kept[j])]),
            massless: modes.massless,
        })
    }

    /// Modes of a stiffness that holds on these coordinates, or the motion that it lets go.
    fn frame_modes(&self, k: &Mat<f64>, places: &[usize]) -> Result<FrameModes, FeError> {
        let size = |i: usize| k[(places[i], places[i])].sqrt();
        // A released end that nothing else holds.
        if let Some(free) = places.iter().find(|&&p| k[(p, p)].is_nan() || k[(p, p)] <= 0.0) {
            return Err(self.mechanism(1, *free));
        }
        let scaled =
            Mat::from_fn(places.len(), places.len(), |i, j| k[(places[i], places[j])] / (size(i) * size(j)));
        let none = FeError::ModesNotFound { found: 0, wanted: places.len() };
        let (values, vectors) = symmetric_eigen(scaled.as_ref()).ok_or(none.clone())?;
        let loose = values.iter().filter(|v| v.is_nan() || **v <= HOLDING).count();
        if loose > 0 {
            let moves = |i: &usize| vectors[(*i, loose - 1)].abs();
            let largest = (0..places.len()).max_by(|i, j| moves(i).total_cmp(&moves(j))).unwrap_or(0);
            return Err(self.mechanism(loose, places[largest]));
        }
        FrameModes::new(k, &self.m_r, places).ok_or(none)
    }

    /// Motions without deformation beyond those of a rigid body, largest at a coordinate.
    fn mechanism(&self, loose: usize, coordinate: usize) -> FeError {
        let place = coordinate.min(self.boundary() - 1);
        let node = self.model.nodes[self.interfaces[place / 6]].number;
        FeError::Mechanism { modes: 6 + loose, node, component: place % 6 }
    }

    /// Nodal displacements, 6 rows a node, of columns of unknowns.
    fn nodal(&self, q: &Mat<f64>) -> Matrix {
        let mut nodal = Matrix::zeros(6 * self.model.nodes.len(), q.ncols());
        for dof in 0..nodal.rows() {
            for &(u, factor) in self.assembled.unknowns.row(dof) {
                for j in 0..q.ncols() {
                    nodal[(dof, j)] += factor * q[(u as usize, j)];
                }
            }
        }
        nodal
    }

    /// Exact static deflections with the reference held, for loads on the unknowns: K_ii⁻¹ f_i and the interfaces as they then move.
    fn held_deflections(&self, mut f: Mat<f64>, reference: usize) -> Result<Mat<f64>, FeError> {
        let (n, inner, boundary) = (f.nrows(), f.nrows() - self.boundary(), self.boundary());
        let static_shapes = self.basis.subcols(0, boundary);
        let on_boundary = times(static_shapes.transpose(), f.as_ref());
        self.factor.solve(f.as_mut().subrows_mut(0, inner));
        f.as_mut().subrows_mut(inner, n - inner).fill(0.0);
        let places: Vec<usize> = self.without(reference).into_iter().filter(|&i| i < boundary).collect();
        if places.is_empty() {
            return Ok(f);
        }
        let k = Matrix::from_fn(places.len(), places.len(), |i, j| self.k_r[(places[i], places[j])]);
        let right = Matrix::from_fn(places.len(), f.ncols(), |i, j| on_boundary[(places[i], j)]);
        let moved = k.solve(&right).map_err(|_| FeError::NoMass)?;
        let mut u_b = Mat::zeros(boundary, f.ncols());
        for (i, &place) in places.iter().enumerate() {
            (0..f.ncols()).for_each(|j| u_b[(place, j)] = moved[(i, j)]);
        }
        Ok(f + times(static_shapes, u_b.as_ref()))
    }

    fn stiffening(
        &self,
        shapes: &Matrix,
        origin: Point,
        reference: usize,
    ) -> Result<StiffeningMatrices, FeError> {
        let unknowns = &self.assembled.unknowns;
        let (n, inner) = (unknowns.count(), unknowns.interior);
        let loads = body_forces(self.model, unknowns, &body_loads(origin))?;
        let others: Vec<usize> = (0..self.interfaces.len()).filter(|&i| i != reference).collect();
        let count = loads.len() + 6 * others.len();
        let mut f = Mat::<f64>::zeros(n, count);
        for (l, load) in loads.iter().enumerate() {
            (0..n).for_each(|i| f[(i, l)] = load[i]);
        }
        for (o, &index) in others.iter().enumerate() {
            (0..6).for_each(|c| f[(inner + 6 * index + c, loads.len() + 6 * o + c)] = 1.0);
        }
        let deflections = self.nodal(&self.held_deflections(f, reference)?);
        let mut all = projected(self.model, shapes, &deflections)?.into_iter();
        let mut take = |count: usize| all.by_ref().take(count).collect::<Vec<Matrix>>();
        Ok(StiffeningMatrices {
            rates: take(6),
            acceleration: take(3),
            angular_acceleration: take(3),
            interfaces: (0..self.interfaces.len())
                .map(|i| if i == reference { vec![] } else { take(6) })
                .collect(),
        })
    }

    fn report(
        &self,
        modes: &FrameModes,
        free: &FrameModes,
        rigid: &ShapeIntegrals,
        reference: usize,
    ) -> Result<ReductionReport, FeError> {
        let x = self.model.nodes[self.interfaces[reference]].at;
        let motion = self.rigid_motions(x);
        let mass = times(motion.transpose(), times(self.m_r.as_ref(), motion.as_ref()).as_ref());
        let energy = times(motion.transpose(), times(self.k_r.as_ref(), motion.as_ref()).as_ref());
        let expected = rigid_mass(rigid, x);
        let size = |i: usize, j: usize| (expected[i][i] * expected[j][j]).sqrt();
        let off =
            |i: usize, j: usize| (mass[(i, j)] - expected[i][j]).abs() / size(i, j).max(f64::MIN_POSITIVE);
        let all = || (0..6).flat_map(|i| (0..6).map(move |j| (i, j)));
        let resist =
            |i: usize| (0..self.boundary()).map(|k| self.resistance(k) * motion[(k, i)].powi(2)).sum::<f64>();
        let centre = space::times(1.0 / rigid.mass, rigid.first);
        let rigid_energy = (0..6).map(|i| energy[(i, i)].abs() / resist(i)).fold(0.0, f64::max);
        if rigid_energy > GROUNDED {
            return Err(FeError::SupportedBody { node: self.model.nodes[self.interfaces[reference]].number });
        }
        Ok(ReductionReport {
            unknowns: self.assembled.unknowns.count(),
            fixed_interface_frequencies: self
                .fixed
                .iter()
                .map(|l| l.sqrt() / (2.0 * std::f64::consts::PI))
                .collect(),
            frequencies: modes.frequencies(),
            free_frequencies: free.frequencies(),
            massless: modes.massless,
            centre_of_mass: centre,
            central_inertia: shifted(rigid.inertia(), rigid.mass, centre),
            inertia_mismatch: all().map(|(i, j)| off(i, j)).fold(0.0, f64::max),
            rigid_energy,
        })
    }

    /// Stiffness at an interface coordinate that a rigid motion is compared with. A single interface has none in the reduced model: its
    /// static shapes are rigid motions.
    fn resistance(&self, place: usize) -> f64 {
        if self.interfaces.len() > 1 {
            return self.k_r[(place, place)].abs();
        }
        let (k, unknown) = (&self.assembled.k, self.assembled.unknowns.interior + place);
        let own = k.column(unknown).find(|&p| k.rows[p] as usize == unknown);
        own.map_or(0.0, |p| k.values[p].abs())
    }

    /// The six rigid motions about x in the coordinates of the reduction.
    fn rigid_motions(&self, x: Point) -> Mat<f64> {
        let mut motion = Mat::zeros(self.k_r.nrows(), 6);
        for (index, &node) in self.interfaces.iter().enumerate() {
            let r = space::minus(self.model.nodes[node].at, x);
            for k in 0..3 {
                let mut axis = [0.0; 3];
                axis[k] = 1.0;
                let carried = space::cross(axis, r);
                motion[(6 * index + k, k)] = 1.0;
                motion[(6 * index + 3 + k, 3 + k)] = 1.0;
                (0..3).for_each(|c| motion[(6 * index + c, 3 + k)] = carried[c]);
            }
        }
        motion
    }
}

/// J about a point of J about the origin: less the mass at the centre when `r` is the centre of mass.
fn shifted(j: RotationMatrix, mass: f64, r: Point) -> RotationMatrix {
    let square = space::dot(r, r);
    [0, 1, 2].map(|a| [0, 1, 2].map(|b| j[a][b] - mass * (if a == b { square } else { 0.0 } - r[a] * r[b])))
}

/// 6 × 6 mass matrix of the rigid part about x.
fn rigid_mass(rigid: &ShapeIntegrals, x: Point) -> [[f64; 6]; 6] {
    let m = rigid.mass;
    let centre = space::times(1.0 / m, rigid.first);
    let arm = space::minus(centre, x);
    let central = shifted(rigid.inertia(), m, centre);
    let about = shifted(central, -m, arm);
    let mut all = [[0.0; 6]; 6];
    for k in 0..3 {
        all[k][k] = m;
        let mut axis = [0.0; 3];
        axis[k] = 1.0;
        // Momentum of a unit rotation about x.
        let momentum = space::times(m, space::cross(axis, arm));
        for c in 0..3 {
            all[c][3 + k] = momentum[c];
            all[3 + k][c] = momentum[c];
            all[3 + k][3 + c] = about[k][c];
        }
    }
    all
}

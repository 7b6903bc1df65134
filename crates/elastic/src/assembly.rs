//! Stiffness, mass and loads of a whole model on its unknowns.
//!
//!   K = Σ T_eᵀ K_e T_e,  M likewise,  f = Σ T_eᵀ f_e                                                        (1)

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point};

use crate::elements::{ElementInput, MassPoint, geometric_matrix, input, kernel, lumped, mass_matrix};
use crate::error::FeError;
use crate::model::{ElementProperty, FeElement, FeLoad, FeModel, PointMass};
use crate::point_mass;
use crate::pressure::pressure_force;
use crate::sparse::SymSparse;
use crate::unknowns::Unknowns;

/// Components 6 node + component of the unknowns of an element, in its order.
pub(crate) fn components(element: &FeElement) -> Vec<usize> {
    let count = kernel(element.kind).layout().components;
    element.nodes.iter().flat_map(|&n| (0..count).map(move |c| 6 * n + c)).collect()
}

/// Unknowns that an element touches (ascending), and its rows of T on them.
pub(crate) struct Gathered {
    pub at: Vec<u32>,
    /// Row by row: place in `at` and factor.
    rows: Vec<Vec<(usize, f64)>>,
    /// Every row has at most one entry of factor one, and none is shared.
    plain: bool,
}

impl Gathered {
    pub fn new(unknowns: &Unknowns, components: &[usize]) -> Self {
        let mut at: Vec<u32> = components.iter().flat_map(|&d| unknowns.row(d).iter().map(|e| e.0)).collect();
        let total = at.len();
        at.sort_unstable();
        at.dedup();
        let row = |&d: &usize| {
            unknowns.row(d).iter().map(|&(u, f)| (at.partition_point(|&a| a < u), f)).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<(usize, f64)>> = components.iter().map(row).collect();
        let plain = total == at.len() && rows.iter().all(|r| r.len() <= 1 && r.iter().all(|e| e.1 == 1.0));
        Gathered { at, rows, plain }
    }

    /// Tᵀ A T.
    pub fn square(&self, a: &Matrix) -> Vec<f64> {
        let m = self.at.len();
        let mut sum = vec![0.0; m * m];
        for (i, row) in self.rows.iter().enumerate() {
            for &(p, f) in row {
                for (j, column) in self.rows.iter().enumerate() {
                    match (self.plain, column.first()) {
                        (true, Some(&(q, _))) => sum[p * m + q] = a[(i, j)],
                        _ => column.iter().for_each(|&(q, g)| sum[p * m + q] += f * g * a[(i, j)]),
                    }
                }
            }
        }
        sum
    }

    /// Adds Tᵀ f.
    pub(crate) fn add_force(&self, force: &[f64], into: &mut [f64]) {
        for (row, f) in self.rows.iter().zip(force) {
            for &(p, factor) in row {
                into[self.at[p] as usize] += factor * f;
            }
        }
    }
}

pub(crate) struct Assembled {
    pub unknowns: Unknowns,
    pub k: SymSparse,
    pub m: SymSparse,
}

impl Assembled {
    pub fn new(model: &FeModel, unknowns: Unknowns) -> Result<Self, FeError> {
        Self::of(model, unknowns, model.lumped_mass)
    }

    /// With consistent masses, whatever the model says: what inertia integrals agree with.
    pub fn consistent(model: &FeModel, unknowns: Unknowns) -> Result<Self, FeError> {
        Self::of(model, unknowns, false)
    }

    fn of(model: &FeModel, unknowns: Unknowns, lump: bool) -> Result<Self, FeError> {
        let of_elements = model.elements.iter().map(components);
        let of_masses = model.masses.iter().map(point_mass::components);
        let parts: Vec<Gathered> =
            of_elements.chain(of_masses).map(|c| Gathered::new(&unknowns, &c)).collect();
        let groups: Vec<Vec<u32>> = parts.iter().map(|p| p.at.clone()).collect();
        let mut k = SymSparse::from_groups(unknowns.count(), &groups);
        let mut m = k.clone();
        let (bodies, points) = parts.split_at(model.elements.len());
        for (element, part) in model.elements.iter().zip(bodies) {
            let data = input(model, element)?;
            k.add(&part.at, &part.square(&kernel(element.kind).stiffness(&data)?));
            m.add(&part.at, &part.square(&element_mass(element, &data, lump)?));
        }
        for (mass, part) in model.masses.iter().zip(points) {
            m.add(&part.at, &part.square(&mass_matrix(&mass_points_of(model, mass)?, 6)));
        }
        Ok(Assembled { unknowns, k, m })
    }

    /// Geometric stiffness of nodal displacements `u_0` (6 per node), on the pattern of K.
    pub fn geometric(&self, model: &FeModel, u_0: &[f64]) -> Result<SymSparse, FeError> {
        let mut k_g = self.k.clone();
        k_g.values.fill(0.0);
        for element in &model.elements {
            let parts = components(element);
            let u: Vec<f64> = parts.iter().map(|&d| u_0[d]).collect();
            let points = kernel(element.kind).prestress_points(&input(model, element)?)?;
            let part = Gathered::new(&self.unknowns, &parts);
            k_g.add(&part.at, &part.square(&geometric_matrix(&points, &u)));
        }
        Ok(k_g)
    }

    /// All loads of the model.
    pub fn loads(&self, model: &FeModel) -> Result<Vec<f64>, FeError> {
        let mut f = vec![0.0; self.unknowns.count()];
        let mut fields: Vec<BodyField> = vec![];
        for load in &model.loads {
            match load {
                FeLoad::Nodal { node, force } => {
                    let all: Vec<usize> = (6 * node..6 * node + 6).collect();
                    if let Some(c) = (0..6).find(|&c| force[c] != 0.0 && !self.unknowns.exists(all[c])) {
                        return Err(FeError::NothingToLoad { node: model.nodes[*node].number, component: c });
                    }
                    Gathered::new(&self.unknowns, &all).add_force(force, &mut f);
                }
                FeLoad::Gravity { acceleration } => {
                    let a = *acceleration;
                    fields.push(Box::new(move |_| a));
                }
                FeLoad::Spin { rate, centre } => {
                    let (rate, centre) = (*rate, *centre);
                    fields.push(Box::new(move |x| {
                        let r = space::minus(x, centre);
                        space::times(-1.0, space::cross(rate, space::cross(rate, r)))
                    }));
                }
                FeLoad::Pressure { element, pressure } => {
                    let index = *element;
                    let element = model.elements.get(index).ok_or(FeError::NoSuchElement { index })?;
                    if !matches!(model.properties.get(element.property), Some(ElementProperty::Shell { .. }))
                    {
                        return Err(FeError::MissingProperty { element: element.number });
                    }
                    let force = pressure_force(&input(model, element)?, *pressure)?;
                    Gathered::new(&self.unknowns, &components(element)).add_force(&force, &mut f);
                }
            }
        }
        for part in body_forces(model, &self.unknowns, &fields)? {
            f.iter_mut().zip(part).for_each(|(f, p)| *f += p);
        }
        Ok(f)
    }

    /// Displacements of all nodes, 6 per node.
    pub(crate) fn nodal(&self, model: &FeModel, q: impl Fn(usize) -> f64) -> Vec<f64> {
        let value = |dof| self.unknowns.row(dof).iter().map(|&(u, f)| f * q(u as usize)).sum();
        (0..6 * model.nodes.len()).map(value).collect()
    }
}

fn element_mass(element: &FeElement, data: &ElementInput, lump: bool) -> Result<Matrix, FeError> {
    let kernel = kernel(element.kind);
    let points = kernel.mass_points(data)?;
    let layout = kernel.layout();
    let consistent = mass_matrix(&points, layout.unknowns());
    Ok(match lump {
        true => lumped(&consistent, layout, points.iter().map(|p| p.mass).sum()),
        false => consistent,
    })
}

fn mass_points_of(model: &FeModel, mass: &PointMass) -> Result<Vec<MassPoint>, FeError> {
    let node = model.nodes.get(mass.node).ok_or(FeError::NoSuchNode { user: 0 })?;
    point_mass::mass_points(mass, node)
}

/// Calls `visit` with the components and mass points of every element and mass.
pub(crate) fn for_mass_points(
    model: &FeModel,
    mut visit: impl FnMut(&[usize], &[MassPoint]),
) -> Result<(), FeError> {
    for element in &model.elements {
        let points = kernel(element.kind).mass_points(&input(model, element)?)?;
        if !points.is_empty() {
            visit(&components(element), &points);
        }
    }
    for mass in &model.masses {
        visit(&point_mass::components(mass), &mass_points_of(model, mass)?);
    }
    Ok(())
}

/// A force per unit of mass at a place.
pub(crate) type BodyField = Box<dyn Fn(Point) -> Point>;

/// Σ m_p N_pᵀ a(x_p) for several fields a, in one pass over the mass.
pub(crate) fn body_forces(
    model: &FeModel,
    unknowns: &Unknowns,
    fields: &[BodyField],
) -> Result<Vec<Vec<f64>>, FeError> {
    let mut sums = vec![vec![0.0; unknowns.count()]; fields.len()];
    for_mass_points(model, |parts, points| {
        let gathered = Gathered::new(unknowns, parts);
        for (field, sum) in fields.iter().zip(&mut sums) {
            let mut force = vec![0.0; parts.len()];
            for point in points {
                let a = field(point.at);
                for k in (0..3).filter(|&k| a[k] != 0.0) {
                    let factor = point.mass * a[k];
                    force.iter_mut().zip(point.shape.row(k)).for_each(|(f, n)| *f += factor * n);
                }
            }
            gathered.add_force(&force, sum);
        }
    })?;
    Ok(sums)
}

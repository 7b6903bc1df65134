//! Beam of two nodes by the force method: exact for loads at its ends, for any section, with or without shear deformation and taper.
//!
//!   ε(x) = C(x) P(L−x)ᵀ F_2                       strains of the reference line, C = section compliance    (1)
//!   u(x) = P(x) u_1 + ∫_0^x P(x−s) ε(s) ds        P(d): rigid motion carried over the distance d           (2)
//!   K = Gᵀ f⁻¹ G,  G = (−P(L), 1),  f = ∫_0^L P(L−s) C(s) P(L−s)ᵀ ds                                        (3)  [Przemieniecki1968, §5.6, 6.6]
//!   N(x) = (P(x) − g f⁻¹ P(L), g f⁻¹),  g(x) = ∫_0^x P(x−s) C(s) P(L−s)ᵀ ds                                 (4)
//!
//! A prismatic slender beam gives Hermite's cubics, one with shear the element of Timoshenko without locking. Strains and forces in the
//! order (axial, shear y, shear z, torsion, bending y, bending z):
//!
//!   centroid: ε_c = γ_x + z_c κ_y − y_c κ_z;  shear centre: γ_ys = γ_y − z_s κ_x, γ_zs = γ_z + y_s κ_x       (5)
//!   σ = E (ε_c + (z−z_c) κ_y − (y−y_c) κ_z)                                                                (6)
//!
//! Geometric stiffness is that of the axial force, N ∫ v_c'² + w_c'² + (I_p/A) θ_x'² dx; bending moments and torque do not enter.
//! Limits: warping free. Stress of transverse shear is not recovered; torsion gives its largest value at every stress point.

use trunnion_num::Matrix;
use trunnion_num::space::{self, Point, RotationMatrix};

use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint, gauss};
use crate::assembly::BodyField;
use crate::beam_section::{BeamSection, SectionConstants};
use crate::error::FeError;
use crate::model::{ElementProperty, IsotropicMaterial};

pub(super) struct Beam2Kernel;

struct Beam<'a> {
    length: f64,
    /// End 1 of the reference line.
    origin: Point,
    /// Rows are the local axes.
    axes: RotationMatrix,
    section: &'a BeamSection,
    material: &'a IsotropicMaterial,
    /// G: displacement of end 2 beyond the rigid motion of end 1.
    relative: Matrix,
    /// f⁻¹ G: F_2 of local end displacements.
    end_force: Matrix,
    flexibility_inverse: Matrix,
    /// Local end displacements of the element displacements: axes, offsets and releases.
    to_ends: Matrix,
}

impl<'a> Beam<'a> {
    fn new(element: &ElementInput<'a>) -> Result<Self, FeError> {
        let ElementProperty::Beam(section) = element.property else {
            return Err(FeError::MissingProperty { element: element.number });
        };
        let material = element.material()?;
        let placement = element.placement.ok_or(FeError::MissingProperty { element: element.number })?;
        let origin = space::plus(element.x[0], placement.offsets[0]);
        let along = space::minus(space::plus(element.x[1], placement.offsets[1]), origin);
        let (length, axes) = frame(along, placement.orientation).ok_or_else(|| element.degenerate())?;
        let mut f = Matrix::zeros(6, 6);
        for (s, ds) in stations(section, length, length, 3) {
            let p = carried(length - s);
            f = f.plus(ds, &p.times(&compliance(&section.at(s / length), material)).times(&p.transposed()));
        }
        let flexibility_inverse = f
            .solve(&Matrix::identity(6))
            .map_err(|_| FeError::MissingProperty { element: element.number })?;
        let g = Matrix::from_fn(6, 12, |i, j| match j {
            0..6 => -carried(length)[(i, j)],
            _ => f64::from(u8::from(i == j - 6)),
        });
        let end_force = flexibility_inverse.times(&g);
        let ends = Matrix::from_fn(12, 12, |i, j| {
            let (node, other) = (i / 6, j / 6);
            if node != other { 0.0 } else { end_motion(axes, placement.offsets[node], i % 6, j % 6) }
        });
        let k = g.transposed().times(&end_force);
        let to_ends = released(&k, placement.releases, element.number)?.times(&ends);
        Ok(Beam {
            length,
            origin,
            axes,
            section,
            material,
            relative: g,
            end_force,
            flexibility_inverse,
            to_ends,
        })
    }

    fn constants(&self, x: f64) -> SectionConstants {
        self.section.at(x / self.length)
    }

    /// F_2 of element displacements.
    fn end_force(&self) -> Matrix {
        self.end_force.times(&self.to_ends)
    }

    /// Internal forces at x, on the reference line.
    fn forces(&self, x: f64) -> Matrix {
        carried(self.length - x).transposed().times(&self.end_force())
    }

    /// (4) for element displacements, local axes.
    fn shape(&self, x: f64) -> Matrix {
        self.end_shape(x).times(&self.to_ends)
    }

    /// (4) for local end displacements.
    fn end_shape(&self, x: f64) -> Matrix {
        let mut g = Matrix::zeros(6, 6);
        for (s, ds) in stations(self.section, self.length, x, 3) {
            let c = compliance(&self.section.at(s / self.length), self.material);
            g = g.plus(ds, &carried(x - s).times(&c).times(&carried(self.length - s).transposed()));
        }
        let second = g.times(&self.flexibility_inverse);
        let first = carried(x).plus(-1.0, &second.times(&carried(self.length)));
        first.beside(&second)
    }

    /// Displacement in model axes of the point at (y, z) of a section that moves by `n` in local ones.
    fn moved(&self, n: &Matrix, [y, z]: [f64; 2]) -> Matrix {
        let local = Matrix::from_fn(3, 12, |i, j| match i {
            0 => n[(0, j)] + z * n[(4, j)] - y * n[(5, j)],
            1 => n[(1, j)] - z * n[(3, j)],
            _ => n[(2, j)] + y * n[(3, j)],
        });
        Matrix::from_fn(3, 12, |i, j| (0..3).map(|k| self.axes[k][i] * local[(k, j)]).sum())
    }

    /// (6) and torsion at (y, z), of forces at the centres.
    fn stress(&self, c: &SectionConstants, forces: &Matrix, [y, z]: [f64; 2]) -> Matrix {
        let e = self.material.youngs_modulus;
        let strain = uncoupled(c, self.material).times(forces);
        let ([yc, zc], [ys, zs]) = (c.centroid, c.shear_centre);
        let arm = (y - ys).hypot(z - zs);
        let twist = if arm > 0.0 { 1.0 / (arm * c.torsion_modulus) } else { 0.0 };
        Matrix::from_fn(6, 12, |i, j| match i {
            0 => e * (strain[(0, j)] + (z - zc) * strain[(4, j)] - (y - yc) * strain[(5, j)]), // (6)
            3 => -twist * (z - zs) * forces[(3, j)],
            5 => twist * (y - ys) * forces[(3, j)],
            _ => 0.0,
        })
    }

    /// Points of the section with the same mass, first and second moments: ±√2 times the radii of gyration.
    fn section_points(&self, x: f64) -> [[f64; 2]; 4] {
        let c = self.constants(x);
        let (yy, zz, yz) = (c.i_zz / c.area, c.i_yy / c.area, c.i_yz / c.area);
        let angle = 0.5 * (2.0 * yz).atan2(yy - zz);
        let (sin, cos) = angle.sin_cos();
        let first = yy * cos * cos + zz * sin * sin + 2.0 * yz * sin * cos;
        let (r_1, r_2) = ((2.0 * first).max(0.0).sqrt(), (2.0 * (yy + zz - first)).max(0.0).sqrt());
        let [y, z] = c.centroid;
        [
            [y + r_1 * cos, z + r_1 * sin],
            [y - r_1 * cos, z - r_1 * sin],
            [y - r_2 * sin, z + r_2 * cos],
            [y + r_2 * sin, z - r_2 * cos],
        ]
    }
}

impl ElementKernel for Beam2Kernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: 2, components: 6 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let beam = Beam::new(element)?;
        let force = beam.end_force();
        Ok(beam.relative.times(&beam.to_ends).transposed().times(&force)) // (3)
    }

    fn mass_points(&self, element: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        let beam = Beam::new(element)?;
        let mut points = vec![];
        for (x, dx) in stations(beam.section, beam.length, beam.length, 4) {
            let n = beam.shape(x);
            let mass = beam.material.density * beam.constants(x).area * dx / 4.0;
            for [y, z] in beam.section_points(x) {
                let shape = beam.moved(&n, [y, z]);
                let at = space::apply(space::transposed(beam.axes), [x, y, z]);
                points.push(MassPoint { at: space::plus(beam.origin, at), mass, shape });
            }
        }
        Ok(points)
    }

    fn prestress_points(&self, element: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        let beam = Beam::new(element)?;
        let axial = beam.end_force();
        let point = |(x, dx): (f64, f64)| {
            let c = beam.constants(x);
            let (n, strain) = (beam.shape(x), compliance(&c, beam.material).times(&beam.forces(x)));
            let [y, z] = c.centroid;
            let radius = ((c.i_yy + c.i_zz) / c.area).sqrt();
            let gradient = Matrix::from_fn(3, 12, |k, j| match k {
                0 => strain[(1, j)] + n[(5, j)] - z * strain[(3, j)],
                1 => strain[(2, j)] - n[(4, j)] + y * strain[(3, j)],
                _ => radius * strain[(3, j)],
            });
            let stress = Matrix::from_fn(1, 12, |_, j| dx * axial[(0, j)]);
            PrestressPoint { directions: 1, stress, gradient }
        };
        Ok(stations(beam.section, beam.length, beam.length, 4).into_iter().map(point).collect())
    }

    fn stress_points(&self, element: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        let beam = Beam::new(element)?;
        let mut points = vec![];
        for (node, x) in [(0, 0.0), (1, beam.length)] {
            let c = beam.constants(x);
            let forces = at_centres(&c).times(&beam.forces(x));
            for (layer, &at) in c.stress_points.iter().enumerate() {
                let rows = beam.stress(&c, &forces, at);
                points.push(StressPoint { node, layer, axes: beam.axes, rows });
            }
        }
        Ok(points)
    }
}

/// Internal forces (N, V_y, V_z, T, M_y, M_z) at both ends of a beam, of element displacements: N and bending moments about the centroid,
/// T about the shear centre, local axes, those that the part beyond the section exerts on the part before it. With the sections.
pub(crate) fn section_forces(element: &ElementInput) -> Result<[(SectionConstants, Matrix); 2], FeError> {
    let beam = Beam::new(element)?;
    Ok([0.0, beam.length].map(|x| {
        let section = beam.constants(x);
        let forces = at_centres(&section).times(&beam.forces(x));
        (section, forces)
    }))
}

/// What body forces per unit of mass, and accelerations of element displacements `u`, add to the forces of [`section_forces`], a column a
/// field, then a column of `u`: with both ends held,
///
///   F_1 = ∫ N_1ᵀ a dm,  F_2 = −∫ N_2ᵀ a dm                                                                      (7)
pub(crate) fn held_section_forces(
    element: &ElementInput,
    fields: &[BodyField],
    u: &Matrix,
) -> Result<[Matrix; 2], FeError> {
    let beam = Beam::new(element)?;
    let mut ends = Matrix::zeros(12, fields.len() + u.columns());
    for (x, dx) in stations(beam.section, beam.length, beam.length, 4) {
        let n = beam.end_shape(x);
        let mass = beam.material.density * beam.constants(x).area * dx / 4.0;
        for at in beam.section_points(x) {
            let shape = beam.moved(&n, at);
            let place = space::apply(space::transposed(beam.axes), [x, at[0], at[1]]);
            let place = space::plus(beam.origin, place);
            let moved = shape.times(&beam.to_ends).times(u);
            let accelerations = (0..u.columns()).map(|j| [0, 1, 2].map(|k| -moved[(k, j)]));
            for (l, a) in fields.iter().map(|field| field(place)).chain(accelerations).enumerate() {
                for i in 0..12 {
                    ends[(i, l)] += mass * (0..3).map(|k| shape[(k, i)] * a[k]).sum::<f64>();
                }
            }
        }
    }
    let end = |first: usize, sign: f64, x: f64| {
        let force = Matrix::from_fn(6, ends.columns(), |i, l| sign * ends[(first + i, l)]);
        at_centres(&beam.constants(x)).times(&force)
    };
    Ok([end(0, 1.0, 0.0), end(6, -1.0, beam.length)])
}

/// A cross-section of a beam: points of its surface, how they move and what stress they have.
pub(crate) struct BeamStation {
    pub axes: RotationMatrix,
    /// For each point: where it is, its displacement (3 rows) and its stress (6 rows, in `axes`) of element displacements.
    pub points: Vec<(Point, Matrix, Matrix)>,
}

/// Cross-sections at equal distances from end to end, with points at (y, z) from the reference line.
pub(crate) fn beam_stations(
    element: &ElementInput,
    pieces: usize,
    outline: impl Fn(&SectionConstants) -> Vec<[f64; 2]>,
) -> Result<Vec<BeamStation>, FeError> {
    let beam = Beam::new(element)?;
    let station = |i: usize| {
        let x = beam.length * i as f64 / pieces as f64;
        let (c, n) = (beam.constants(x), beam.shape(x));
        let forces = at_centres(&c).times(&beam.forces(x));
        let point = |[y, z]: [f64; 2]| {
            let at = space::plus(beam.origin, space::apply(space::transposed(beam.axes), [x, y, z]));
            (at, beam.moved(&n, [y, z]), beam.stress(&c, &forces, [y, z]))
        };
        BeamStation { axes: beam.axes, points: outline(&c).into_iter().map(point).collect() }
    };
    Ok((0..=pieces).map(station).collect())
}

/// Length and axes of a line with its local y axis towards a vector; None if either is undetermined.
fn frame(along: Point, orientation: Point) -> Option<(f64, RotationMatrix)> {
    let e_x = space::unit(along)?;
    let across = space::minus(orientation, space::times(space::dot(orientation, e_x), e_x));
    // An orientation within 1e-6 rad of the axis is no orientation.
    if space::norm(across) < 1e-6 * space::norm(orientation) {
        return None;
    }
    let e_y = space::unit(across)?;
    Some((space::norm(along), [e_x, e_y, space::cross(e_x, e_y)]))
}

/// P(d).
fn carried(d: f64) -> Matrix {
    let mut p = Matrix::identity(6);
    p[(1, 5)] = d;
    p[(2, 4)] = -d;
    p
}

/// Component i of a local end of component j of its node, at `offset` from it.
fn end_motion(axes: RotationMatrix, offset: Point, i: usize, j: usize) -> f64 {
    match (i / 3, j / 3) {
        (0, 0) | (1, 1) => axes[i % 3][j % 3],
        (0, 1) => {
            let mut turn = [0.0; 3];
            turn[j - 3] = 1.0;
            space::dot(axes[i], space::cross(turn, offset))
        }
        _ => 0.0,
    }
}

/// Released end displacements follow those that are transmitted: u_r = −K_rr⁻¹ K_rt u_t.
fn released(k: &Matrix, releases: [[bool; 6]; 2], number: u32) -> Result<Matrix, FeError> {
    let free: Vec<usize> = (0..12).filter(|&i| releases[i / 6][i % 6]).collect();
    let mut to = Matrix::identity(12);
    if free.is_empty() {
        return Ok(to);
    }
    let kept: Vec<usize> = (0..12).filter(|i| !free.contains(i)).collect();
    let k_rr = k.picked(&free);
    let k_rt = Matrix::from_fn(free.len(), kept.len(), |i, j| k[(free[i], kept[j])]);
    let follow = k_rr.solve(&k_rt).map_err(|_| FeError::ReleasedTwice { element: number })?;
    // A motion that nothing resists makes the solution huge: exactly singular blocks rarely give a zero pivot.
    if !follow.values().iter().all(|v| v.abs() < 1e10) {
        return Err(FeError::ReleasedTwice { element: number });
    }
    for (i, &row) in free.iter().enumerate() {
        to[(row, row)] = 0.0;
        for (j, &column) in kept.iter().enumerate() {
            to[(row, column)] = -follow[(i, j)];
        }
    }
    Ok(to)
}

/// Forces at centroid and shear centre of those on the reference line: the inverse transpose of (5).
fn at_centres(c: &SectionConstants) -> Matrix {
    let mut to = Matrix::identity(6);
    let ([yc, zc], [ys, zs]) = (c.centroid, c.shear_centre);
    to[(4, 0)] = -zc;
    to[(5, 0)] = yc;
    to[(3, 1)] = zs;
    to[(3, 2)] = -ys;
    to
}

/// Strains at the centres of forces at the centres.
fn uncoupled(c: &SectionConstants, material: &IsotropicMaterial) -> Matrix {
    let (e, g) = (material.youngs_modulus, material.shear_modulus());
    let mut s = Matrix::zeros(6, 6);
    s[(0, 0)] = 1.0 / (e * c.area);
    if let Some([y, z]) = c.shear_areas {
        s[(1, 1)] = 1.0 / (g * y);
        s[(2, 2)] = 1.0 / (g * z);
    }
    s[(3, 3)] = 1.0 / (g * c.torsion);
    let determinant = e * (c.i_yy * c.i_zz - c.i_yz * c.i_yz);
    s[(4, 4)] = c.i_zz / determinant;
    s[(5, 5)] = c.i_yy / determinant;
    s[(4, 5)] = c.i_yz / determinant;
    s[(5, 4)] = c.i_yz / determinant;
    s
}

/// C: strains of the reference line of forces on it.
fn compliance(c: &SectionConstants, material: &IsotropicMaterial) -> Matrix {
    let to = at_centres(c);
    to.transposed().times(&uncoupled(c, material)).times(&to)
}

/// Integration points from 0 to `end` of a beam of this length, with weights: exact for prismatic beams, five points between stations else.
fn stations(section: &BeamSection, length: f64, end: f64, prismatic: usize) -> Vec<(f64, f64)> {
    let count = if section.stations.len() == 1 { prismatic } else { 5 };
    let inner = section.stations.iter().map(|(s, _)| s * length).filter(|x| *x > 0.0 && *x < end);
    let knots: Vec<f64> = std::iter::once(0.0).chain(inner).chain([end]).collect();
    let piece = |w: &[f64]| {
        let (middle, half) = ((w[0] + w[1]) / 2.0, (w[1] - w[0]) / 2.0);
        gauss(count).iter().map(move |(x, weight)| (middle + half * x, half * weight))
    };
    knots.windows(2).flat_map(piece).collect()
}

//! What gauges of elastic bodies show, as functions of the elastic coordinates q and of the loads p of inertia.
//!
//!   u = U (q, p),  F = Σ_a F_a q_a + Σ_l F_l p_l,   p = (ω_i ω_j, a_o, α, q̈)                                     (1)
//!   a_o = a + α × o + ω × (ω × o)                           a less gravity, o: the reference of the body          (4)
//!   beam:  σ_v = √(max σ² + 3 τ²),  σ_1,3 = ½ σ ± √(¼ σ² + τ²) with the highest and the lowest σ of the section         (2)
//!   else:  σ_v = √(½ Σ (σ_i − σ_j)² + 3 Σ τ_ij²),  principal stresses by the angle of the cubic                        (3)  [Smith1961]
//!
//! Maxima are written by roots, max(a, b) = ½ (a + b + √(a − b)²): a signal that only shows makes no events.

use trunnion_equations::Ex;
use trunnion_equations::flat::Origin;
use trunnion_model::mechanism::{GaugeSignal, SectionFibres, SectionRows, StressGauge};

use crate::modal::sum;
use crate::spatial::{Spatial, Vec3};
use crate::writer::EquationWriter;

/// Products of rates among the loads, in their order.
const RATE_PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// Gives the signals of a gauge their values. `motion`: acceleration less gravity and rotation of B, in its axes.
pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    origin: &Origin,
    gauge: &StressGauge,
    q: &[Ex<'g>],
    (acceleration, omega): (Spatial<'g>, Vec3<'g>),
    q_dot_dot: &[Ex<'g>],
) {
    let Some(graph) = q.first().map(|q| q.graph()) else { return };
    let o = Vec3::numbers(graph, gauge.recovery.reference);
    // (4)
    let at = acceleration.linear + acceleration.angular.cross(o) + omega.cross(omega.cross(o));
    let rates = RATE_PAIRS.map(|(i, j)| omega[i] * omega[j]);
    let basis: Vec<Ex<'g>> = q
        .iter()
        .copied()
        .chain(rates)
        .chain(at.0)
        .chain(acceleration.angular.0)
        .chain(q_dot_dot.iter().copied())
        .collect();
    let row = |row: &[f64]| sum(graph, &basis, |a| row.get(a).copied().unwrap_or(0.0));
    let given = &gauge.recovery;
    let sections: Vec<[Ex<'g>; 6]> =
        given.sections.iter().map(|s| [0, 1, 2, 3, 4, 5].map(|k| row(&s.forces[k]))).collect();
    let mut places: Vec<PlaceStress<'g>> = given
        .sections
        .iter()
        .zip(&sections)
        .map(|(section, forces)| PlaceStress::of_section(section, forces))
        .collect();
    let points = given.points.iter().map(|rows| [0, 1, 2, 3, 4, 5].map(|k| row(&rows[k])));
    places.extend(points.map(PlaceStress::of_point));
    let zero = graph.constant(0.0);
    let highest = |of: fn(&PlaceStress<'g>) -> Ex<'g>| places.iter().map(of).reduce(larger).unwrap_or(zero);
    for &(signal, symbol) in &gauge.shows {
        let value = match signal {
            GaugeSignal::Displacement(k) => row(&given.displacement[k]),
            GaugeSignal::SectionForce(k) => {
                let total = sections.iter().fold(zero, |total, forces| total + forces[k]);
                total / sections.len().max(1) as f64
            }
            GaugeSignal::VonMises => highest(|p| p.von_mises),
            GaugeSignal::PrincipalMax => highest(|p| p.first),
            GaugeSignal::PrincipalMin => -highest(|p| -p.third),
        };
        writer.give(symbol, origin, value);
    }
}

/// Stress at one point, or the extremes of one section.
struct PlaceStress<'g> {
    von_mises: Ex<'g>,
    first: Ex<'g>,
    third: Ex<'g>,
}

impl<'g> PlaceStress<'g> {
    /// (2)
    fn of_section(section: &SectionRows, &[n, _, _, t, m_y, m_z]: &[Ex<'g>; 6]) -> Self {
        let (high, low) = match &section.fibres {
            SectionFibres::Round { axial, bending } => {
                let (mean, bent) = (*axial * n, *bending * (m_y * m_y + m_z * m_z).sqrt());
                (mean + bent, mean - bent)
            }
            SectionFibres::Points(points) => {
                let zero = n.graph().constant(0.0);
                let fibres = || points.iter().map(|[a, b, c]| *a * n + *b * m_y + *c * m_z);
                let low = fibres().map(|s| -s).reduce(larger).map_or(zero, |s| -s);
                (fibres().reduce(larger).unwrap_or(zero), low)
            }
        };
        let shear = section.shear * t;
        let square = larger(high * high, low * low);
        let reach = |s: Ex<'g>| (0.25 * (s * s) + shear * shear).sqrt();
        PlaceStress {
            von_mises: (square + 3.0 * (shear * shear)).sqrt(),
            first: 0.5 * high + reach(high),
            third: 0.5 * low - reach(low),
        }
    }

    /// (3)
    fn of_point([x, y, z, xy, yz, zx]: [Ex<'g>; 6]) -> Self {
        let square = |e: Ex<'g>| e * e;
        let shear = square(xy) + square(yz) + square(zx);
        let von_mises = (0.5 * (square(x - y) + square(y - z) + square(z - x)) + 3.0 * shear).sqrt();
        let mean = (x + y + z) / 3.0;
        let (a, b, c) = (x - mean, y - mean, z - mean);
        let size = von_mises / 3.0;
        let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx);
        // cos 3φ = det / 2 p³; what rounding leaves of sin² may be negative.
        let rest = square(2.0 * (size * size * size)) - square(determinant);
        let angle = magnitude(rest).sqrt().atan2(determinant) / 3.0;
        let turn = 2.0 * std::f64::consts::PI / 3.0;
        let root = |angle: Ex<'g>| mean + 2.0 * size * angle.cos();
        PlaceStress { von_mises, first: root(angle), third: root(angle + turn) }
    }
}

fn magnitude(a: Ex<'_>) -> Ex<'_> {
    (a * a).sqrt()
}

fn larger<'g>(a: Ex<'g>, b: Ex<'g>) -> Ex<'g> {
    if a == b { a } else { 0.5 * (a + b + magnitude(a - b)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_equations::Graph;

    fn near(found: Ex<'_>, expected: f64) {
        let found = found.value().unwrap_or(f64::NAN);
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    /// A stress with given principal values in turned axes, in Pa: R diag(σ) Rᵀ for R about z and then x.
    fn turned(values: [f64; 3], (a, b): (f64, f64)) -> [f64; 6] {
        let (s, c) = a.sin_cos();
        let (t, d) = b.sin_cos();
        let r = [[c, -s, 0.0], [d * s, d * c, -t], [t * s, t * c, d]];
        let at = |i: usize, j: usize| (0..3).map(|k| r[i][k] * values[k] * r[j][k]).sum();
        [at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(1, 2), at(2, 0)]
    }

    #[test]
    fn stress_of_a_point_does_not_depend_on_axes() {
        let graph = Graph::new();
        let states =
            [[3.0, 1.0, -2.0], [5.0, 5.0, -1.0], [4.0, 0.0, 0.0], [2.0, -2.0, 0.0], [-1.0, -1.0, -7.0]];
        for values in states {
            let [x, y, z]: [f64; 3] = values;
            let expected = (0.5 * ((x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2))).sqrt();
            for angles in [(0.0, 0.0), (0.4, 1.1), (-2.0, 0.3)] {
                let found = PlaceStress::of_point(turned(values, angles).map(|v| graph.constant(v)));
                near(found.von_mises, expected);
                near(found.first, values.into_iter().fold(f64::MIN, f64::max));
                near(found.third, values.into_iter().fold(f64::MAX, f64::min));
            }
        }
    }

    /// A square of side 2 with N, both moments and T: σ at its worst corner, τ everywhere.
    #[test]
    fn stress_of_a_section_is_that_of_its_worst_fibre() {
        let graph = Graph::new();
        let corner = |y: f64, z: f64| [0.25, 0.75 * z, -0.75 * y];
        let fibres = vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
        let row = || [0; 6].map(|_| vec![]);
        let section = SectionRows { forces: row(), fibres: SectionFibres::Points(fibres), shear: 0.5 };
        let found =
            PlaceStress::of_section(&section, &[8.0, 0.0, 0.0, 4.0, -4.0, 2.0].map(|v| graph.constant(v)));
        // σ = 2 ± 3 ± 1.5, τ = 2.
        near(found.von_mises, (6.5_f64.powi(2) + 12.0).sqrt());
        near(found.first, 3.25 + (3.25_f64.powi(2) + 4.0).sqrt());
        near(found.third, -1.25 - (1.25_f64.powi(2) + 4.0).sqrt());
    }
}

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

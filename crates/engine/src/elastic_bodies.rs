//! Bodies described by beams: finite elements, reduced to shapes in the frame of the body, as `multibody` needs them.
//!
//! The reduction gives integrals about the reference interface at o and shapes with unit modal mass. Here they are about the body's origin,
//! and each shape is scaled so that its coordinate is a length, the largest motion of any node (u, or L θ with the size L of the body):
//!
//!   x = R + o,   Φ_a = φ_a / max(|u|, L |θ|)                                                                       (1)
//!   ∫ R R ᵀ = ½ tr J0 − J0,   ∫ R_b φ_a = ¼ tr G δ_ab − ½ G_ab  with G = −2 ∫ R~ φ~                               (2)
//!   D_aa = ½ (Ω_bb + Ω_cc − Ω_aa),   D_ab, D_ba = ½ (−Ω_ab ∓ A_c)   for a, b, c in cyclic order                       (3)
//!
//! D_ij is the geometric stiffness under ρ x_i e_j, Ω those of pairs of rates, A those of angular accelerations.

use std::sync::Arc;

use trunnion_elastic::{
    BeamSection, BodyFrame, ElementProperty, FeError, FeModel, IsotropicMaterial, ReducedBody,
    ReductionOptions, SectionShape, reduce,
};
use trunnion_model::mechanism::{
    BeamFrame, BeamProfile, BodyDamping, BodyInertia, ModalData, ModalInterface, ModalMatrix, RigidInertia,
    Stiffening,
};
use trunnion_model::{Diagnostic, Model};
use trunnion_num::Matrix;
use trunnion_num::space::{RotationMatrix, cross, dot, minus};
use trunnion_num::text::number;

use crate::Failure;
use crate::elastic_gauges;
use crate::elastic_part::ElasticPart;

const NOT_REDUCED: &str = "B0015";
const KEPT: &str = "B0016";
/// Frequencies that a note lists.
const LISTED: usize = 4;

/// Gives every described body its inertia; notes on what was kept, and the finite elements of elastic ones.
pub fn complete(model: &mut Model) -> Result<(Vec<Diagnostic>, Vec<ElasticPart>), Failure> {
    let (mut wrong, mut notes, mut parts) = (vec![], vec![], vec![]);
    for described in &model.mechanism.described {
        let body = &mut model.mechanism.bodies[described.body];
        let reduced = match reduced(&described.frame) {
            Ok(reduced) => reduced,
            Err(error) => {
                wrong.push(refusal(&body.name, &described.frame, error.to_string(), error.hint()));
                continue;
            }
        };
        match &mut body.inertia {
            BodyInertia::Modal(modal) if modal.coordinates.len() == reduced.modes() => {
                modal.data = Arc::new(modal_data(&reduced, &described.frame));
                notes.push(kept(&body.name, &described.frame, &reduced));
                let part = elastic_part(described.body, &reduced, &described.frame);
                let beams = described.frame.beams.len();
                wrong.extend(elastic_gauges::fill(&part, beams, &mut modal.gauges));
                parts.push(part);
            }
            BodyInertia::Modal(modal) => {
                let text = format!("{} of {} shapes have mass", reduced.modes(), modal.coordinates.len());
                let hint = "ask for fewer modes, or leave out frames";
                wrong.push(refusal(&body.name, &described.frame, text, hint));
            }
            BodyInertia::Rigid(rigid) => {
                let constant = |x: f64| model.flat.graph.constant(x).id;
                let i = reduced.report.central_inertia;
                let inertia = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]];
                *rigid = RigidInertia {
                    mass: constant(reduced.mass),
                    center: reduced.report.centre_of_mass.map(constant),
                    inertia: inertia.map(constant),
                };
            }
        }
    }
    if wrong.is_empty() { Ok((notes, parts)) } else { Err(Failure::Model(wrong)) }
}

/// The finite elements with shapes that are scaled as the coordinates are.
fn elastic_part(body: usize, reduced: &ReducedBody, frame: &BeamFrame) -> ElasticPart {
    let size = sizes(reduced, frame);
    let shapes = &reduced.shapes;
    ElasticPart {
        body,
        model: finite_elements(frame),
        outlines: frame.beams.iter().map(|beam| Some(shape(&beam.profile).outline())).collect(),
        shapes: Matrix::from_fn(shapes.rows(), shapes.columns(), |i, a| shapes[(i, a)] / size[a]),
        reference: frame.interfaces[0],
    }
}

fn refusal(body: &str, frame: &BeamFrame, reason: String, hint: &str) -> Diagnostic {
    Diagnostic::error(NOT_REDUCED, format!("`{body}` cannot be reduced to shapes: {reason}"))
        .at(&frame.span, "its beams")
        .hint(hint)
}

fn kept(body: &str, frame: &BeamFrame, reduced: &ReducedBody) -> Diagnostic {
    let list = |all: &[f64]| {
        let shown: Vec<String> = all.iter().take(LISTED).map(|f| number(*f, 4)).collect();
        shown.join(", ") + if all.len() > LISTED { " … Hz" } else { " Hz" }
    };
    let report = &reduced.report;
    let text = format!(
        "`{body}` has {} shapes of {} unknowns, {} in its frame",
        reduced.modes(),
        report.unknowns,
        list(&report.frequencies)
    );
    let held = match report.fixed_interface_frequencies.as_slice() {
        [] => String::new(),
        some => format!("; {} with all interfaces held", list(some)),
    };
    // Without what rounding leaves of a zero.
    let [x, y, z] = report.centre_of_mass.map(|c| number((c * 1e9).round() * 1e-9, 4));
    Diagnostic::note(KEPT, text)
        .at(&frame.span, format!("{} kg, centre at [{x}, {y}, {z}] m{held}", number(reduced.mass, 5)))
}

fn shape(profile: &BeamProfile) -> SectionShape {
    match *profile {
        BeamProfile::Circle { diameter } => SectionShape::Circle { radius: 0.5 * diameter },
        BeamProfile::Tube { diameter, wall } => {
            SectionShape::Tube { outer_radius: 0.5 * diameter, inner_radius: 0.5 * diameter - wall }
        }
        BeamProfile::Rectangle { width, height } => SectionShape::Rectangle { width, height },
        BeamProfile::Box { width, height, wall } => {
            SectionShape::Box { width, height, side: wall, cover: wall }
        }
        BeamProfile::I { width, height, web, flange } => SectionShape::I { width, height, web, flange },
        BeamProfile::L { width, height, thickness } => SectionShape::L { width, height, thickness },
    }
}

fn finite_elements(frame: &BeamFrame) -> FeModel {
    let mut model = FeModel::default();
    let material = &frame.material;
    model.materials.push(IsotropicMaterial {
        youngs_modulus: material.youngs_modulus,
        poissons_ratio: material.poissons_ratio,
        density: material.density,
    });
    for &at in &frame.nodes {
        model.node(at);
    }
    for (k, beam) in frame.beams.iter().enumerate() {
        let constants = shape(&beam.profile).constants();
        let constants = if beam.shear { constants } else { constants.slender() };
        model.properties.push(ElementProperty::Beam(BeamSection::prismatic(constants)));
        for pair in beam.nodes.windows(2) {
            let axis = minus(frame.nodes[pair[1]], frame.nodes[pair[0]]);
            // Height along z of the section, so its y is across it and the axis.
            model.beam([pair[0], pair[1]], 0, k, cross(beam.up, axis));
        }
    }
    model
}

fn reduced(frame: &BeamFrame) -> Result<ReducedBody, FeError> {
    // The reduction of a part with a single interface needs a mode; a rigid body does not use it.
    let least = usize::from(frame.interfaces.len() == 1);
    let model = finite_elements(frame);
    let options = ReductionOptions {
        interfaces: frame.interfaces.iter().map(|&node| model.nodes[node].number).collect(),
        modes: if frame.elastic { frame.modes } else { least },
        frame: BodyFrame::Clamped(0),
    };
    reduce(&model, &options)
}

/// (1): what each shape is divided by.
fn sizes(body: &ReducedBody, frame: &BeamFrame) -> Vec<f64> {
    let from_origin = |n: &[f64; 3]| {
        let r = minus(*n, body.origin);
        dot(r, r).sqrt()
    };
    let length = frame.nodes.iter().map(from_origin).fold(0.0, f64::max);
    let largest = |a: usize| {
        let part =
            |node: usize, k: usize| (0..3).map(|c| body.shapes[(6 * node + k + c, a)].powi(2)).sum::<f64>();
        let nodes = 0..frame.nodes.len();
        nodes.map(|n| part(n, 0).sqrt().max(length * part(n, 3).sqrt())).fold(0.0, f64::max)
    };
    (0..body.modes()).map(largest).collect()
}

/// (2): [b][a] = ∫ R_b φ_a.
fn moments(g: &RotationMatrix) -> [[f64; 3]; 3] {
    let trace = g[0][0] + g[1][1] + g[2][2];
    [0, 1, 2].map(|b| [0, 1, 2].map(|a| if a == b { 0.25 * trace } else { 0.0 } - 0.5 * g[a][b]))
}

struct ScaledShapes {
    size: Vec<f64>,
}

impl ScaledShapes {
    fn matrix(&self, at: impl Fn(usize, usize) -> f64) -> ModalMatrix {
        let n = self.size.len();
        (0..n).map(|a| (0..n).map(|b| at(a, b) / (self.size[a] * self.size[b])).collect()).collect()
    }

    fn vectors(&self, columns: &Matrix) -> Vec<[f64; 3]> {
        let column = |(a, size): (usize, &f64)| [0, 1, 2].map(|k| columns[(k, a)] / size);
        self.size.iter().enumerate().map(column).collect()
    }
}

fn modal_data(body: &ReducedBody, frame: &BeamFrame) -> ModalData {
    let scaled = ScaledShapes { size: sizes(body, frame) };
    let (n, o, m) = (body.modes(), body.origin, body.mass);
    let axes = [0, 1, 2];
    let half_trace = 0.5 * (body.j0[0][0] + body.j0[1][1] + body.j0[2][2]);
    let about = |i: usize, j: usize| if i == j { half_trace } else { 0.0 } - body.j0[i][j];
    let h = body.h0;
    let shift = scaled.vectors(&body.h1);
    let moment = |a: usize| {
        let p = moments(&body.g_r[a]);
        axes.map(|i| axes.map(|j| p[i][j] / scaled.size[a] + o[i] * shift[a][j]))
    };
    let product = |i: usize, j: usize| scaled.matrix(|a, b| moments(&body.g_r1[a][b])[i][j]);
    let ratio = match frame.damping {
        BodyDamping::Ratio(ratio) => ratio,
        BodyDamping::Rayleigh { .. } => 0.0,
    };
    let critical = |a: usize| 2.0 * body.stiffness_e[(a, a)].sqrt();
    ModalData {
        mass: m,
        first: axes.map(|i| h[i] + m * o[i]),
        second: axes.map(|i| axes.map(|j| about(i, j) + o[i] * h[j] + h[i] * o[j] + m * o[i] * o[j])),
        moment: (0..n).map(moment).collect(),
        rotary: vec![[0.0; 3]; n],
        product: Some(axes.map(|i| axes.map(|j| product(i, j)))),
        mass_matrix: scaled.matrix(|a, b| body.mass_e[(a, b)]),
        stiffness: scaled.matrix(|a, b| body.stiffness_e[(a, b)]),
        damping: scaled.matrix(|a, b| if a == b { ratio * critical(a) } else { 0.0 }),
        stiffening: Some(stiffening(body, &scaled)),
        interfaces: interfaces(body, frame, &scaled),
        shift,
    }
}

/// (3), with the opposite sign and about the origin of the body.
fn stiffening(body: &ReducedBody, scaled: &ScaledShapes) -> Stiffening {
    let s = &body.stiffening;
    let o = body.origin;
    let d = |i: usize, j: usize, a: usize, b: usize| {
        let rate = |k: usize| s.rates[k][(a, b)];
        if i == j {
            return 0.5 * (rate((i + 1) % 3) + rate((i + 2) % 3) - rate(i));
        }
        // The pairs of rates are xy, yz, zx: that of i and j is at 3 + the first of them in cyclic order.
        let first = if j == (i + 1) % 3 { i } else { j };
        let turn = s.angular_acceleration[(first + 2) % 3][(a, b)];
        0.5 * (-rate(3 + first) + if first == i { -turn } else { turn })
    };
    let shift = |j: usize, a: usize, b: usize| s.acceleration[j][(a, b)];
    Stiffening {
        shift: [0, 1, 2].map(|j| scaled.matrix(|a, b| shift(j, a, b))),
        moment: [0, 1, 2]
            .map(|i| [0, 1, 2].map(|j| scaled.matrix(|a, b| o[i] * shift(j, a, b) - d(i, j, a, b)))),
    }
}

/// All but the reference, which does not move.
fn interfaces(body: &ReducedBody, frame: &BeamFrame, scaled: &ScaledShapes) -> Vec<ModalInterface> {
    let one = |k: usize| {
        let node = frame.interfaces[k];
        let named = frame.named.iter().find(|(_, n)| *n == node);
        let forces = &body.stiffening.interfaces[k];
        ModalInterface {
            name: named.map(|(name, _)| name.clone()).unwrap_or_default(),
            position: frame.nodes[node],
            translation: scaled.vectors(&body.interfaces[k].phi),
            rotation: scaled.vectors(&body.interfaces[k].psi),
            second: Some([0, 1, 2].map(|j| scaled.matrix(|a, b| -forces[j][(a, b)]))),
        }
    };
    (1..frame.interfaces.len()).map(one).collect()
}

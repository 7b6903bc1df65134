//! Bodies of finite elements, reduced to shapes in the frame of the body, as `multibody` needs them.
//!
//! The reduction gives integrals about the reference interface at o and shapes with unit modal mass. Here they are about the body's origin,
//! and each shape is scaled so that its coordinate is a length, the largest motion of any node (u, or L θ with the size L of the body):
//!
//!   x = R + o,   Φ_a = φ_a / max(|u|, L |θ|)                                                                       (1)
//!   ∫ R R ᵀ = ½ tr J0 − J0,   ∫ R_b φ_a = ¼ tr G δ_ab − ½ G_ab  with G = −2 ∫ R~ φ~                               (2)
//!   D_aa = ½ (Ω_bb + Ω_cc − Ω_aa),   D_ab, D_ba = ½ (−Ω_ab ∓ A_c)   for a, b, c in cyclic order                       (3)
//!
//! D_ij is the geometric stiffness under ρ x_i e_j, Ω those of pairs of rates, A those of angular accelerations.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use trunnion_elastic::{
    BodyFrame, FeError, ReducedBody, ReductionOptions, ReductionStage, check_model, reduce_watched,
};
use trunnion_model::mechanism::{
    BodyDamping, BodyInertia, ElasticPart, MeshNode, ModalData, ModalInterface, ModalMatrix, RigidInertia,
    Stiffening,
};
use trunnion_model::{Diagnostic, Model};
use trunnion_num::Matrix;
use trunnion_num::space::{RotationMatrix, dot, minus};
use trunnion_num::text::number;

use crate::Failure;
use crate::elastic_gauges;
use crate::fe_model::finite_elements;
use crate::part_shapes::PartShapes;
use crate::reduced_part::{ReducedPart, SMALLEST, cached, keep};

const NOT_REDUCED: &str = "B0015";
const KEPT: &str = "B0016";
const LEFT_OUT: &str = "B0017";
/// Frequencies that a note lists.
const LISTED: usize = 4;

/// Told which body is about to be at which of how many stages, and when all of them are done; false ends the work.
pub type PartWatch = Arc<dyn Fn(&str, usize, usize) -> bool + Send + Sync>;

/// How elastic parts are reduced.
#[derive(Clone, Default)]
pub struct ReductionSettings {
    /// A folder where reduced parts are kept; None: each is reduced again.
    pub cache: Option<PathBuf>,
    pub watch: Option<PartWatch>,
}

impl ReductionSettings {
    /// Where reduced parts of a user are kept: what the variable TRUNNION_CACHE names, nowhere if that is empty, else in the user's folder for caches.
    pub fn user_cache(environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let folder = |name: &str| environment(name).filter(|text| !text.is_empty()).map(PathBuf::from);
        if environment("TRUNNION_CACHE").is_some() {
            return folder("TRUNNION_CACHE");
        }
        let caches = match std::env::consts::OS {
            "windows" => folder("LOCALAPPDATA"),
            "macos" => folder("HOME").map(|home| home.join("Library/Caches")),
            _ => folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache"))),
        };
        caches.map(|caches| caches.join("trunnion"))
    }
}

/// Gives every described body its inertia; warnings and notes on what was kept.
pub fn complete(model: &mut Model, settings: &ReductionSettings) -> Result<Vec<Diagnostic>, Failure> {
    let (mut wrong, mut notes) = (vec![], vec![]);
    for described in model.mechanism.described.iter_mut().filter(|d| !d.complete) {
        let body = &mut model.mechanism.bodies[described.body];
        notes.extend(left_out(&body.name, &described.part));
        let reduced = match reduced(&body.name, &described.part, settings) {
            Ok(reduced) => reduced,
            Err(errors) if errors.contains(&FeError::Cancelled) => return Err(Failure::Cancelled),
            Err(errors) => {
                wrong.extend(errors.iter().map(|e| refused(&body.name, &described.part, e)));
                continue;
            }
        };
        match &mut body.inertia {
            BodyInertia::Modal(modal) if modal.coordinates.len() == reduced.data.size() => {
                notes.push(kept(&body.name, &described.part, &reduced));
                modal.data = Arc::new(reduced.data);
                described.shapes = reduced.shapes;
                if !modal.gauges.is_empty() {
                    let shapes = PartShapes::new(described);
                    wrong.extend(elastic_gauges::fill(&shapes, &described.part, &mut modal.gauges));
                }
            }
            BodyInertia::Modal(modal) => {
                let text = format!("{} of {} shapes have mass", reduced.data.size(), modal.coordinates.len());
                let hint = "ask for fewer modes, or leave out frames";
                wrong.push(refusal(&body.name, &described.part, text, hint));
            }
            BodyInertia::Rigid(rigid) => {
                let constant = |x: f64| model.flat.graph.constant(x).id;
                *rigid = RigidInertia {
                    mass: constant(reduced.mass),
                    center: reduced.center.map(constant),
                    inertia: reduced.inertia.map(constant),
                };
            }
        }
        described.complete = true;
    }
    if wrong.is_empty() { Ok(notes) } else { Err(Failure::Model(wrong)) }
}

fn refusal(body: &str, part: &ElasticPart, reason: String, hint: &str) -> Diagnostic {
    Diagnostic::error(NOT_REDUCED, format!("`{body}` cannot be reduced to shapes: {reason}"))
        .at(&part.span, "its finite elements")
        .hint(hint)
}

/// With the line of the mesh file where an element is to blame.
fn refused(body: &str, part: &ElasticPart, error: &FeError) -> Diagnostic {
    let element = match error {
        FeError::NodeCount { element, .. }
        | FeError::MissingProperty { element }
        | FeError::Degenerate { element }
        | FeError::Inverted { element }
        | FeError::ReleasedTwice { element } => Some(*element),
        _ => None,
    };
    let node = match error {
        FeError::CollinearLink { link: node }
        | FeError::InterfaceWithoutRotation { node }
        | FeError::Mechanism { node, .. }
        | FeError::Overdetermined { node, .. } => Some(*node),
        _ => None,
    };
    // Nodes of frames may have numbers that no file has.
    let frame = |number: u32| part.named.iter().find(|(_, n)| part.mesh.nodes[*n].number == number);
    let frame = node.and_then(frame).map(|(name, _)| format!("at frame `{name}`"));
    let place = element.and_then(|number| part.mesh.place_of(number)).or(frame);
    let reason = place.map_or(error.to_string(), |place| format!("{error}, {place}"));
    refusal(body, part, reason, error.hint())
}

/// What the file says and does not act, so that it is not expected to.
fn left_out(body: &str, part: &ElasticPart) -> Option<Diagnostic> {
    let list: Vec<String> =
        part.mesh.left_out.iter().map(|(what, count)| format!("{what} ({count})")).collect();
    (!list.is_empty()).then(|| {
        Diagnostic::warning(LEFT_OUT, format!("not all that the mesh of `{body}` says is used"))
            .at(&part.span, format!("without effect: {}", list.join(", ")))
            .hint("joints hold a body, and loads and damping act on it, as the model file says")
    })
}

fn kept(body: &str, part: &ElasticPart, reduced: &ReducedPart) -> Diagnostic {
    let list = |all: &[f64]| {
        let shown: Vec<String> = all.iter().take(LISTED).map(|f| number(*f, 4)).collect();
        shown.join(", ") + if all.len() > LISTED { " … Hz" } else { " Hz" }
    };
    let text = format!(
        "`{body}` has {} shapes of {} unknowns, {} in its frame",
        reduced.data.size(),
        reduced.unknowns,
        list(&reduced.frequencies)
    );
    let held = match reduced.held_frequencies.as_slice() {
        [] => String::new(),
        some => format!("; {} with all interfaces held", list(some)),
    };
    // Without what rounding leaves of a zero.
    let [x, y, z] = reduced.center.map(|c| number((c * 1e9).round() * 1e-9, 4));
    Diagnostic::note(KEPT, text)
        .at(&part.span, format!("{} kg, centre at [{x}, {y}, {z}] m{held}", number(reduced.mass, 5)))
}

/// Errors that are listed.
const MOST_ERRORS: usize = 10;

/// The reduced part; of wrong elements each.
fn reduced(
    body: &str,
    part: &ElasticPart,
    settings: &ReductionSettings,
) -> Result<ReducedPart, Vec<FeError>> {
    if let Some(found) = settings.cache.as_ref().and_then(|folder| cached(folder, part)) {
        return Ok(found);
    }
    // The reduction of a part with a single interface needs a mode; a rigid body does not use it.
    let least = usize::from(part.interfaces.len() == 1);
    let model = finite_elements(&part.mesh);
    let options = ReductionOptions {
        interfaces: part.interfaces.iter().map(|&node| model.nodes[node].number).collect(),
        modes: if part.elastic { part.modes } else { least },
        frame: BodyFrame::Clamped(0),
    };
    // Small parts take no time to speak of.
    let watched = settings.watch.as_ref().filter(|_| part.mesh.nodes.len() >= SMALLEST);
    let watch = |stage: ReductionStage| {
        let place = ReductionStage::ALL.iter().position(|s| *s == stage).unwrap_or(0);
        watched.is_none_or(|told| told(body, place, ReductionStage::ALL.len()))
    };
    let found = reduce_watched(&model, &options, &watch);
    if let Some(told) = watched {
        told(body, ReductionStage::ALL.len(), ReductionStage::ALL.len());
    }
    let found = found.map_err(|first| {
        let mut all = check_model(&model);
        all.truncate(MOST_ERRORS);
        if all.contains(&first) { all } else { vec![first] }
    })?;
    let report = &found.report;
    let i = report.central_inertia;
    let part_found = ReducedPart {
        data: if part.elastic { modal_data(&found, part) } else { ModalData::default() },
        shapes: if part.elastic { scaled_shapes(&found, part) } else { Matrix::default() },
        mass: found.mass,
        center: report.centre_of_mass,
        inertia: [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]],
        unknowns: report.unknowns,
        frequencies: report.frequencies.clone(),
        held_frequencies: report.fixed_interface_frequencies.clone(),
    };
    if let Some(folder) = &settings.cache {
        keep(folder, part, &part_found);
    }
    Ok(part_found)
}

/// (1): what each shape is divided by.
fn sizes(body: &ReducedBody, part: &ElasticPart) -> Vec<f64> {
    let from_origin = |n: &MeshNode| {
        let r = minus(n.at, body.origin);
        dot(r, r).sqrt()
    };
    let length = part.mesh.nodes.iter().map(from_origin).fold(0.0, f64::max);
    let largest = |a: usize| {
        let size =
            |node: usize, k: usize| (0..3).map(|c| body.shapes[(6 * node + k + c, a)].powi(2)).sum::<f64>();
        let nodes = 0..part.mesh.nodes.len();
        nodes.map(|n| size(n, 0).sqrt().max(length * size(n, 3).sqrt())).fold(0.0, f64::max)
    };
    (0..body.modes()).map(largest).collect()
}

/// (1): six rows a node.
fn scaled_shapes(body: &ReducedBody, part: &ElasticPart) -> Matrix {
    let size = sizes(body, part);
    Matrix::from_fn(body.shapes.rows(), body.shapes.columns(), |i, a| body.shapes[(i, a)] / size[a])
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

fn modal_data(body: &ReducedBody, part: &ElasticPart) -> ModalData {
    let scaled = ScaledShapes { size: sizes(body, part) };
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
    let ratio = match part.damping {
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
        interfaces: interfaces(body, part, &scaled),
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
fn interfaces(body: &ReducedBody, part: &ElasticPart, scaled: &ScaledShapes) -> Vec<ModalInterface> {
    let one = |k: usize| {
        let node = part.interfaces[k];
        let named = part.named.iter().find(|(_, n)| *n == node);
        let forces = &body.stiffening.interfaces[k];
        ModalInterface {
            name: named.map(|(name, _)| name.clone()).unwrap_or_default(),
            position: part.mesh.nodes[node].at,
            translation: scaled.vectors(&body.interfaces[k].phi),
            rotation: scaled.vectors(&body.interfaces[k].psi),
            second: Some([0, 1, 2].map(|j| scaled.matrix(|a, b| -forces[j][(a, b)]))),
        }
    };
    (1..part.interfaces.len()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variable first; empty, there is no cache.
    #[test]
    fn the_cache_of_a_user_is_where_the_environment_says() {
        let with = |list: &'static [(&str, &str)]| {
            ReductionSettings::user_cache(move |name| {
                list.iter().find(|(n, _)| *n == name).map(|(_, text)| text.into())
            })
        };
        assert_eq!(with(&[("TRUNNION_CACHE", "/parts"), ("HOME", "/home/a")]), Some("/parts".into()));
        assert_eq!(with(&[("TRUNNION_CACHE", ""), ("HOME", "/home/a")]), None);
        assert_eq!(with(&[]), None);
        #[cfg(target_os = "linux")]
        {
            assert_eq!(with(&[("HOME", "/home/a")]), Some("/home/a/.cache/trunnion".into()));
            assert_eq!(with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/home/a")]), Some("/c/trunnion".into()));
        }
    }
}

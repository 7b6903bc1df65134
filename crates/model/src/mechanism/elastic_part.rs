//! A body whose inertia follows from finite elements: described in the model file, or of a mesh file. Plain numbers in SI and in the body's axes.
//!
//! What is decided here: the elements, which nodes are interfaces, and so how many coordinates the body has. They are reduced above this crate.
//!
//!   n = 6 (interfaces − 1) + modes                       the reference interface is fixed to the body's frame B       (1)

use std::ops::Range;
use std::sync::Arc;

use trunnion_num::Matrix;

use super::bodies::BodyParameters;
use super::elastic_nodes::{cross, minus, norm};
use super::elastic_reader::{DrawnLine, ElasticReader, shape_with_mass};
use super::fatigue::read_fatigue;
use super::fe_mesh::FeMesh;
use super::gauges::read_gauges;
use super::mesh_surface::surface;
use super::sections::{MechanismPart, Sections};
use super::shapes::MassProperties;
use super::{BodyGeometry, BodyInertia, BodyShape, Frame, ModalBody, ModalData};
use crate::component::{Scalar, ScalarForm as Given};
use crate::diagnostic::Problems;
use crate::file::Span;
use crate::instantiate::ModelBuilder;

/// Keys that say what a body is made of.
pub(crate) const FORMS: [&str; 3] = ["mesh", "beams", "plates"];
/// Keys of such a body beside those of any.
pub(crate) const KEYS: [&str; 13] = [
    "mesh",
    "beams",
    "plates",
    "material",
    "model",
    "modes",
    "damping",
    "scale",
    "thickness",
    "groups",
    "point_masses",
    "gauges",
    "fatigue",
];

/// A body of a mechanism that still has to be given its inertia.
#[derive(Clone, Debug)]
pub struct DescribedBody {
    /// Index among the bodies.
    pub body: usize,
    pub part: ElasticPart,
    /// The body has its inertia.
    pub complete: bool,
    /// How nodes move with the coordinates, once the body has its inertia: six rows a node; empty of a rigid body.
    pub shapes: Matrix,
    /// How many shapes of the body show its elements undeformed; others are the file's own.
    pub drawn: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyDamping {
    /// Share of critical damping of every mode of the body in its frame.
    Ratio(f64),
    /// α₁ M + α₂ K.
    Rayleigh { mass: f64, stiffness: f64 },
}

#[derive(Clone, Debug)]
pub struct ElasticPart {
    /// Otherwise rigid, with the mass of the same elements.
    pub elastic: bool,
    /// With the links of the interfaces.
    pub mesh: Arc<FeMesh>,
    /// Nodes, the reference first.
    pub interfaces: Vec<usize>,
    /// Nodes of the frames that the file names.
    pub named: Vec<(String, usize)>,
    /// With all interfaces held.
    pub modes: usize,
    pub damping: BodyDamping,
    pub span: Span,
    pub(super) lines: Vec<DrawnLine>,
}

impl ElasticPart {
    /// (1); none of a rigid body.
    pub fn coordinates(&self) -> usize {
        if self.elastic { 6 * (self.interfaces.len() - 1) + self.modes } else { 0 }
    }

    /// How many beams the model file describes.
    pub fn beams(&self) -> usize {
        self.lines.len()
    }

    /// Numbers of the elements of one of them.
    pub fn beam_elements(&self, beam: usize) -> Option<Range<u32>> {
        Some(self.lines.get(beam)?.elements.clone())
    }

    /// Where the node of a frame is.
    pub(crate) fn place_of(&self, frame: &str) -> Option<[f64; 3]> {
        let node = self.named.iter().find(|(name, _)| name == frame)?.1;
        Some(self.mesh.nodes[node].at)
    }

    /// Which of the interfaces that move a frame is fixed to; None: B.
    pub(crate) fn interface_of(&self, frame: &str) -> Option<usize> {
        let node = self.named.iter().find(|(name, _)| name == frame)?.1;
        let place = self.interfaces.iter().position(|&n| n == node)?;
        if self.elastic { place.checked_sub(1) } else { None }
    }
}

/// Whether a body is made of finite elements.
pub(crate) fn is_described(part: &MechanismPart) -> bool {
    FORMS.iter().any(|key| part.table.get(key).is_some())
}

/// What the keys of a body say, if it is made of finite elements; what is wrong is said.
pub(crate) fn described(
    part: &MechanismPart,
    planar: bool,
    sections: &Sections,
    problems: &Problems,
) -> Option<ElasticPart> {
    if !is_described(part) {
        return None;
    }
    ElasticReader::new(part, sections, problems).read(planar)
}

impl BodyParameters {
    /// Coordinates of the shapes of an elastic body, at rest at the start.
    pub(super) fn add_shapes(&mut self, frame: &ElasticPart, part: &MechanismPart, problems: &Problems) {
        let (span, gauges) = (&part.key.span, read_gauges(part, problems));
        let zero = || Some(Scalar { form: Given::Number(0.0), span: span.clone() });
        for k in 1..=frame.coordinates() {
            self.variable(&format!("q{k}"), "m", "Coordinate of a shape", span, zero());
            self.variable(&format!("v{k}"), "m/s", "Its rate", span, zero());
        }
        if frame.elastic {
            self.show("strain", "J", "Energy of deformation", span);
            let signals = gauges.iter().flat_map(|gauge| &gauge.signals);
            signals.for_each(|(name, unit, what)| self.show(name, unit, what.doc(), span));
        }
    }
}

impl ModelBuilder<'_> {
    /// A body of finite elements: its states, and the description that its inertia follows from.
    pub(super) fn describe_body(
        &mut self,
        index: usize,
        part: &MechanismPart,
        described: ElasticPart,
        inertials: &[MassProperties],
    ) {
        if !inertials.is_empty() && part.table.get("shapes").is_some() {
            self.problems.add(shape_with_mass(&part.key.name, &part.key.span));
        }
        if let Some(strain) = self.symbol_of(part, "strain").filter(|_| described.elastic) {
            let all = |letter: &str| {
                let names = (1..=described.coordinates()).map(|k| format!("{letter}{k}"));
                names.filter_map(|name| self.symbol_of(part, &name)).collect()
            };
            let rayleigh = match described.damping {
                BodyDamping::Ratio(_) => [0.0; 2],
                BodyDamping::Rayleigh { mass, stiffness } => [mass, stiffness],
            };
            self.mechanism.bodies[index].inertia = BodyInertia::Modal(Box::new(ModalBody {
                data: Arc::new(ModalData::default()),
                rayleigh: rayleigh.map(|x| self.graph().constant(x).id),
                coordinates: all("q"),
                rates: all("v"),
                strain,
                gauges: self.gauges(part),
                fatigue: read_fatigue(part, &Problems::default()),
            }));
        }
        let own = self.mechanism.bodies[index].shapes.len();
        self.draw_lines(index, &described);
        self.draw_surface(index, &described);
        let drawn = self.mechanism.bodies[index].shapes.len() - own;
        self.mechanism.described.push(DescribedBody {
            body: index,
            part: described,
            complete: false,
            shapes: Matrix::default(),
            drawn,
        });
    }

    /// A line for each beam, fixed to B.
    fn draw_lines(&mut self, index: usize, part: &ElasticPart) {
        for line in &part.lines {
            let axis = minus(line.to, line.from);
            let unit = |v: [f64; 3]| v.map(|x| x / norm(v));
            let (x, y) = (unit(axis), unit(cross(line.up, axis)));
            let columns = [x, y, cross(x, y)];
            let g = self.graph();
            let shape = BodyShape {
                form: BodyGeometry::Rod(g.constant(norm(axis)).id),
                frame: Frame {
                    body: index,
                    interface: None,
                    name: self.mechanism.bodies[index].name.clone(),
                    p: line.from.map(|v| g.constant(v).id),
                    r: [0, 1, 2].map(|i| [0, 1, 2].map(|j| g.constant(columns[j][i]).id)),
                },
                color: None,
            };
            self.mechanism.bodies[index].shapes.push(shape);
        }
    }

    /// Shells and the outside of solids, fixed to B.
    fn draw_surface(&mut self, index: usize, part: &ElasticPart) {
        let triangles = surface(&part.mesh);
        if triangles.is_empty() {
            return;
        }
        let g = self.graph();
        let [zero, one] = [0.0, 1.0].map(|x| g.constant(x).id);
        let frame = Frame {
            body: index,
            interface: None,
            name: self.mechanism.bodies[index].name.clone(),
            p: [zero; 3],
            r: [0, 1, 2].map(|i| [0, 1, 2].map(|j| if i == j { one } else { zero })),
        };
        let file = part.mesh.files.first().cloned().unwrap_or_default();
        let form = BodyGeometry::Mesh { file, triangles: Arc::new(triangles) };
        self.mechanism.bodies[index].shapes.push(BodyShape { form, frame, color: None });
    }
}

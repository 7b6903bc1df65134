//! A body that is described by beams: points, sections and a material, as plain numbers in SI and in the body's axes.
//!
//! The finite elements are built of it above this crate. What is decided here: the nodes, which of them are interfaces, and so how many
//! coordinates the body has.
//!
//!   n = 6 (interfaces − 1) + modes                       the reference interface is fixed to the body's frame B       (1)

use std::sync::Arc;

use super::beam_frame_reader::{FrameReader, cross, minus, norm, shape_with_mass};
use super::fatigue::read_fatigue;
use super::sections::MechanismPart;
use super::shapes::MassProperties;
use super::{BodyGeometry, BodyInertia, BodyShape, Frame, ModalBody, ModalData};
use crate::diagnostic::Problems;
use crate::file::Span;
use crate::instantiate::ModelBuilder;

/// A body of a mechanism that still has to be given its inertia.
#[derive(Clone, Debug)]
pub struct DescribedBody {
    /// Index among the bodies.
    pub body: usize,
    pub frame: BeamFrame,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BeamMaterial {
    pub youngs_modulus: f64,
    pub poissons_ratio: f64,
    pub density: f64,
}

/// Width along the section's y, height along its z.
#[derive(Clone, Debug, PartialEq)]
pub enum BeamProfile {
    Circle { diameter: f64 },
    Tube { diameter: f64, wall: f64 },
    Rectangle { width: f64, height: f64 },
    Box { width: f64, height: f64, wall: f64 },
    I { width: f64, height: f64, web: f64, flange: f64 },
    L { width: f64, height: f64, thickness: f64 },
}

#[derive(Clone, Debug)]
pub struct FrameBeam {
    /// Along the beam, from end to end.
    pub nodes: Vec<usize>,
    pub profile: BeamProfile,
    /// Direction of the section's height.
    pub up: [f64; 3],
    /// Deforms in shear too (Timoshenko).
    pub shear: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyDamping {
    /// Share of critical damping of every mode of the body in its frame.
    Ratio(f64),
    /// α₁ M + α₂ K.
    Rayleigh { mass: f64, stiffness: f64 },
}

#[derive(Clone, Debug)]
pub struct BeamFrame {
    /// Otherwise rigid, with the mass of the same beams.
    pub elastic: bool,
    pub material: BeamMaterial,
    pub nodes: Vec<[f64; 3]>,
    pub beams: Vec<FrameBeam>,
    /// Nodes, the reference first.
    pub interfaces: Vec<usize>,
    /// Nodes of the frames that the file names.
    pub named: Vec<(String, usize)>,
    /// With all interfaces held.
    pub modes: usize,
    pub damping: BodyDamping,
    pub span: Span,
}

impl BeamFrame {
    /// (1); none of a rigid body.
    pub fn coordinates(&self) -> usize {
        if self.elastic { 6 * (self.interfaces.len() - 1) + self.modes } else { 0 }
    }

    /// Which of the interfaces that move a frame is fixed to; None: B.
    pub(crate) fn interface_of(&self, frame: &str) -> Option<usize> {
        let node = self.named.iter().find(|(name, _)| name == frame)?.1;
        let place = self.interfaces.iter().position(|&n| n == node)?;
        if self.elastic { place.checked_sub(1) } else { None }
    }
}

/// What the keys of a body say, if it has beams; what is wrong is said.
pub(crate) fn described(part: &MechanismPart, planar: bool, problems: &Problems) -> Option<BeamFrame> {
    part.table.get("beams")?;
    FrameReader::new(part, problems).read(planar)
}

impl ModelBuilder<'_> {
    /// A body of beams: its states, and the description that its inertia follows from.
    pub(super) fn describe_body(
        &mut self,
        index: usize,
        part: &MechanismPart,
        frame: BeamFrame,
        inertials: &[MassProperties],
    ) {
        if !inertials.is_empty() && part.table.get("shapes").is_some() {
            self.problems.add(shape_with_mass(&part.key.name, &part.key.span));
        }
        if let Some(strain) = self.symbol_of(part, "strain").filter(|_| frame.elastic) {
            let all = |letter: &str| {
                let names = (1..=frame.coordinates()).map(|k| format!("{letter}{k}"));
                names.filter_map(|name| self.symbol_of(part, &name)).collect()
            };
            let rayleigh = match frame.damping {
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
        self.draw_beams(index, &frame);
        self.mechanism.described.push(DescribedBody { body: index, frame });
    }

    /// A line for each beam, fixed to B.
    fn draw_beams(&mut self, index: usize, frame: &BeamFrame) {
        for beam in &frame.beams {
            let [from, to] = [beam.nodes[0], beam.nodes[beam.nodes.len() - 1]].map(|n| frame.nodes[n]);
            let axis = minus(to, from);
            let unit = |v: [f64; 3]| v.map(|x| x / norm(v));
            let (x, y) = (unit(axis), unit(cross(beam.up, axis)));
            let columns = [x, y, cross(x, y)];
            let g = self.graph();
            let shape = BodyShape {
                form: BodyGeometry::Rod(g.constant(norm(axis)).id),
                frame: Frame {
                    body: index,
                    interface: None,
                    name: self.mechanism.bodies[index].name.clone(),
                    p: from.map(|v| g.constant(v).id),
                    r: [0, 1, 2].map(|i| [0, 1, 2].map(|j| g.constant(columns[j][i]).id)),
                },
                color: None,
            };
            self.mechanism.bodies[index].shapes.push(shape);
        }
    }
}

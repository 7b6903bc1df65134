//! A mechanism as the files say it: bodies, joints and what acts between them, before a tree is chosen.
//!
//! Values are expressions of parameters in SI. Each coordinate of a joint, each line and each sensor has its quantities in the
//! `Flat` already; `multibody` writes the equations that tie them together.
//!
//! Frames: W is the world, B a body's own frame, F a frame fixed to it. `p_BF` is F's origin seen from B, in B's axes;
//! `R_BF` turns components in F into components in B.

mod acting;
mod beam_reader;
mod bodies;
mod body_inertia;
mod elastic_nodes;
mod elastic_part;
mod elastic_reader;
mod elastic_values;
mod fatigue;
mod fe_mesh;
mod gauges;
mod joint_kinds;
mod joints;
mod mesh_frames;
mod mesh_part;
mod mesh_surface;
mod mount;
mod pieces;
mod places;
mod plate_reader;
mod point_masses;
mod sections;
mod shapes;
mod solid;

use trunnion_equations::flat::Origin;
use trunnion_equations::{Expr, Symbol};

use crate::diagnostic::Diagnostic;
use crate::file::TomlValue;

pub use body_inertia::{
    BodyInertia, ModalBody, ModalData, ModalInterface, ModalMatrix, ModalPoint, RigidInertia, Stiffening,
};
pub use elastic_part::{BodyDamping, DescribedBody, ElasticPart};
pub use fatigue::FatigueLine;
pub use fe_mesh::{
    BeamProfile, ElasticMaterial, FeMesh, MeshBeamPlacement, MeshElement, MeshElementKind, MeshGroup,
    MeshLink, MeshMass, MeshNode, MeshPlace, MeshProperty, MeshPropertyForm, MeshSection,
};
pub use gauges::{GaugeRecovery, GaugeSide, GaugeSignal, SectionFibres, SectionRows, StressGauge};
pub use joint_kinds::{CoordinateNames, JointAxes, JointDirection, JointKind, JointMark, PrimitiveJoint};
pub use mount::mount;
pub use sections::Sections;
pub use solid::{SolidProperties, solid};

/// Three corners.
pub type Triangle = [[f64; 3]; 3];
pub type Vector = [Expr; 3];
/// Rows.
pub type Rotation = [[Expr; 3]; 3];

#[derive(Clone, Debug, Default)]
pub struct Mechanism {
    /// Acceleration of free fall in W; None: no mechanism.
    pub gravity: Option<Vector>,
    /// Everything moves parallel to W's xy plane: only x, y and the angle about z are shown.
    pub planar: bool,
    /// Quantities to be given the kinetic energy and that in the field of gravity.
    pub energy: Option<[Symbol; 2]>,
    /// The first one is the world.
    pub bodies: Vec<Body>,
    /// Bodies whose inertia follows from a description by finite elements, to be filled in before equations are written.
    pub described: Vec<DescribedBody>,
    /// Every frame that has a name, those of the bodies themselves among them.
    pub frames: Vec<Frame>,
    pub joints: Vec<Joint>,
    pub couplings: Vec<Coupling>,
    pub lines: Vec<ForceLine>,
    pub loads: Vec<Load>,
    pub sensors: Vec<Sensor>,
}

impl Mechanism {
    pub const WORLD: usize = 0;

    pub fn is_empty(&self) -> bool {
        self.bodies.len() <= 1
    }

    /// Positions and velocities of all joints and elastic bodies.
    pub fn states(&self) -> impl Iterator<Item = Symbol> + '_ {
        let modes = self.bodies.iter().filter_map(|b| b.inertia.modal());
        let modes = modes.flat_map(|m| m.coordinates.iter().chain(&m.rates).copied());
        let freedoms = self.joints.iter().flat_map(|j| &j.freedoms).flat_map(|f| [f.position, f.velocity]);
        let turns = self.joints.iter().filter_map(|j| j.orientation.as_ref());
        freedoms.chain(turns.flat_map(|o| o.quaternion.into_iter().chain(o.velocity))).chain(modes)
    }
}

#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    pub origin: Origin,
    pub inertia: BodyInertia,
    pub shapes: Vec<BodyShape>,
    /// Quantities to be given B's place in W: x, y, z, and the quaternion; in a plane x, y, angle. Empty: not wanted.
    pub pose: Vec<Symbol>,
}

/// What is drawn. Its frame is fixed to the body.
#[derive(Clone, Debug)]
pub struct BodyShape {
    pub form: BodyGeometry,
    pub frame: Frame,
    /// "#rrggbb"; None: chosen by whoever draws.
    pub color: Option<String>,
}

#[derive(Clone, Debug)]
pub enum BodyGeometry {
    /// Edges along x, y, z; the frame is at its middle.
    Box(Vector),
    /// Radius and length along z; the frame is at its middle.
    Cylinder(Expr, Expr),
    Sphere(Expr),
    /// A line from the frame along x.
    Rod(Expr),
    /// Triangles of a file, each three corners, scaled already.
    Mesh {
        file: String,
        triangles: std::sync::Arc<Vec<Triangle>>,
    },
}

/// A frame fixed to a body, or to an interface of an elastic one.
#[derive(Clone, Debug)]
pub struct Frame {
    pub body: usize,
    /// The interface of an elastic body that it is fixed to; None: its frame B.
    pub interface: Option<usize>,
    /// As it is written: "boom.tip".
    pub name: String,
    /// In B, as long as the body is not deformed.
    pub p: Vector,
    pub r: Rotation,
}

#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub origin: Origin,
    pub kind: &'static JointKind,
    pub parent: Frame,
    pub child: Frame,
    /// Unit vectors in the parent's frame (where all coordinates are 0 both frames coincide): one for kinds with an axis,
    /// two for universal and planar.
    pub axes: Vec<[f64; 3]>,
    pub pitch: Option<Expr>,
    /// In the order of the kind; those of `Free` are its slides.
    pub freedoms: Vec<Freedom>,
    pub orientation: Option<Orientation>,
    /// Asked to close a loop rather than to be in the tree.
    pub cut: bool,
    /// Six quantities fx, fy, fz, mx, my, mz to be given the reaction: force and moment on the child at its frame, in
    /// the parent's frame's axes, without what acts along the freedoms.
    pub reactions: Option<[Symbol; 6]>,
}

/// One coordinate: q' = v, driven by a force or moved as prescribed.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// An angle, not a length.
    pub turns: bool,
    pub position: Symbol,
    pub velocity: Symbol,
    /// What springs, dampers, stops, friction and the port exert along it, as a quantity with an equation of its own.
    pub force: Symbol,
    /// Prescribed position over time, with what it takes to keep it there: a quantity to be given its value.
    pub motion: Option<Motion>,
    /// The file gives its position, its velocity at the start: assembly keeps them if it can.
    pub holds: (bool, bool),
}

#[derive(Clone, Debug)]
pub struct Motion {
    /// Of time and parameters.
    pub position: Expr,
    /// Force or torque of the drive.
    pub effort: Symbol,
}

#[derive(Clone, Debug)]
pub struct Orientation {
    /// w, x, y, z.
    pub quaternion: [Symbol; 4],
    /// Angular velocity of the child against the parent, in the child's axes.
    pub velocity: [Symbol; 3],
    /// Torque of damping, in the child's axes, as quantities with equations of their own.
    pub torque: [Symbol; 3],
    pub holds: (bool, bool),
}

/// An equation between coordinates, kept by a force: Σ factor · q = constant, the constant from the start.
#[derive(Clone, Debug)]
pub struct Coupling {
    pub name: String,
    pub origin: Origin,
    pub form: CouplingForm,
    /// The quantity that is given the multiplier: torque on the first coordinate per its factor, or force in the rod.
    pub force: Symbol,
}

#[derive(Clone, Debug)]
pub enum CouplingForm {
    /// (joint, number of its freedom, factor)
    Linear(Vec<(usize, usize, Expr)>),
    /// Two points at a constant distance; None: that of the start.
    Rod { from: Frame, to: Frame, length: Option<Expr> },
}

/// A straight line between two points that exerts a force along itself.
#[derive(Clone, Debug)]
pub struct ForceLine {
    pub name: String,
    pub origin: Origin,
    pub from: Frame,
    pub to: Frame,
    /// Given by the mechanism.
    pub length: Symbol,
    pub rate: Symbol,
    /// Pushes the ends apart where positive; has an equation of its own.
    pub force: Symbol,
}

/// A force and a torque that the world exerts on a body at a frame's origin; expressions of anything.
#[derive(Clone, Debug)]
pub struct Load {
    pub name: String,
    pub origin: Origin,
    pub at: Frame,
    /// Components in the frame's own axes; otherwise in W.
    pub turns_along: bool,
    pub force: Vector,
    pub torque: Vector,
}

/// What one frame does, seen from another: quantities to be given their values. Components in the axes of `from`.
#[derive(Clone, Debug)]
pub struct Sensor {
    pub name: String,
    pub origin: Origin,
    pub of: Frame,
    pub from: Frame,
    /// Those that are asked for.
    pub shows: Vec<(SensedQuantity, Symbol)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensedQuantity {
    /// Component 0 to 2 of the position of `of`'s origin.
    Position(usize),
    Velocity(usize),
    /// Second derivative of the position as seen from W, in the axes of `from`; without gravity.
    Acceleration(usize),
    AngularVelocity(usize),
    /// Turn about z of `from`: atan2 of the x axis.
    Angle,
    Distance,
}

/// What is wrong with a vector that is none, or of another length.
fn wrong_length(value: &TomlValue, key: &str, expected: &str) -> Diagnostic {
    let found = match &value.data {
        crate::file::Data::List(list) => format!("this has {}", list.len()),
        _ => format!("this is {}", value.kind()),
    };
    Diagnostic::error("M0507", format!("`{key}` has to be {expected}")).at(&value.span, found)
}

//! What can be wrong with a mechanism as a whole.

use trunnion_equations::flat::Origin;
use trunnion_model::mechanism::Mechanism;
use trunnion_model::{Diagnostic, Sources};

#[derive(Clone, Debug, PartialEq)]
pub enum MechanismError {
    /// No chain of joints leads from the world to the body and to `with` others joined to it.
    Unconnected {
        body: usize,
        with: usize,
    },
    JoinsItself {
        joint: usize,
    },
    /// A screw would have to close a loop.
    CutScrew {
        joint: usize,
        asked: bool,
    },
    /// Coordinate `name` of the joint moves nothing that has inertia.
    Massless {
        joint: usize,
        name: String,
    },
    /// An elastic coordinate of the body moves nothing that has inertia.
    MasslessMode {
        body: usize,
    },
    /// A field of the modal data of the body is not of the size of its coordinates.
    ModalSize {
        body: usize,
        field: &'static str,
    },
    /// Both ends of the line are at the same place at the start.
    ZeroLength {
        line: usize,
    },
    /// Rod of length zero at the start.
    ZeroRod {
        coupling: usize,
    },
    /// No motion of the tree brings the ends of the joint together.
    CannotClose {
        joint: usize,
        gap: f64,
        unit: &'static str,
    },
    /// The ends of the joint meet with an axis reversed, and no motion of the tree changes that.
    TurnedOver {
        joint: usize,
    },
}

impl MechanismError {
    pub fn diagnostic(&self, mechanism: &Mechanism, sources: &Sources) -> Diagnostic {
        let (code, origin, message, label, hint) = self.parts(mechanism);
        Diagnostic::from_origin(sources, code, origin, message, label, Some(hint))
    }

    fn parts<'m>(&self, m: &'m Mechanism) -> (&'static str, &'m Origin, String, String, String) {
        let joint = |j: usize| (&m.joints[j].origin, &m.joints[j].name);
        match self {
            MechanismError::Unconnected { body, with } => {
                let name = &m.bodies[*body].name;
                let others = match with {
                    0 => String::new(),
                    1 => " and the body joined to it".into(),
                    n => format!(" and {n} bodies joined to it"),
                };
                let message = format!("`{name}`{others} cannot be reached from the world");
                let hint = "let a joint lead to it; a body that flies needs `type = \"free\"`".into();
                ("B0001", &m.bodies[*body].origin, message, "no chain of joints ends here".into(), hint)
            }
            MechanismError::JoinsItself { joint: j } => {
                let (origin, name) = joint(*j);
                let body = &m.bodies[m.joints[*j].child.body].name;
                let message = format!("joint `{name}` joins `{body}` to itself");
                let hint = "`parent` and `child` have to be frames of two bodies".into();
                ("B0002", origin, message, "both ends are on one body".into(), hint)
            }
            MechanismError::CutScrew { joint: j, asked } => {
                let (origin, name) = joint(*j);
                let message = format!("the screw `{name}` cannot close a loop");
                let label =
                    if *asked { "`cut` is set" } else { "all ways round the loop are screws or driven" };
                let hint = "cut another joint of the loop".into();
                ("B0003", origin, message, label.into(), hint)
            }
            MechanismError::Massless { joint: j, name } => {
                let (origin, of) = joint(*j);
                let message = format!("coordinate `{name}` of joint `{of}` moves no inertia");
                let label = "any force would accelerate it without bound".into();
                let hint =
                    "give mass or inertia to the bodies beyond the joint, weld it or prescribe its `motion`"
                        .into();
                ("B0004", origin, message, label, hint)
            }
            MechanismError::MasslessMode { body } => {
                let body = &m.bodies[*body];
                let message =
                    format!("the shapes of the elastic body `{}` move no inertia of their own", body.name);
                let hint = "leave out shapes without mass, and one of shapes that are alike".into();
                ("B0014", &body.origin, message, "its modal mass matrix is singular".into(), hint)
            }
            MechanismError::ModalSize { body, field } => {
                let body = &m.bodies[*body];
                let message =
                    format!("`{field}` of the elastic body `{}` does not fit its shapes", body.name);
                let hint = "each field of its modal data has an entry for every coordinate, matrices a row and a column; \
                            frames name interfaces that it has"
                    .into();
                ("B0018", &body.origin, message, "its modal data are of another size".into(), hint)
            }
            MechanismError::ZeroLength { line } => {
                let line = &m.lines[*line];
                let message = format!("the ends of line `{}` are at the same place at the start", line.name);
                let hint = "a line of length zero has no direction: start apart or move a frame".into();
                ("B0005", &line.origin, message, "length 0".into(), hint)
            }
            MechanismError::ZeroRod { coupling } => {
                let rod = &m.couplings[*coupling];
                let message = format!("the rod `{}` has no length", rod.name);
                let hint = "use a `spherical` joint where two points coincide".into();
                ("B0006", &rod.origin, message, "length 0".into(), hint)
            }
            MechanismError::CannotClose { joint: j, gap, unit } => {
                let (origin, name) = joint(*j);
                let message =
                    format!("joint `{name}` cannot be closed: nothing can change a gap of {gap:.3e} {unit}");
                let hint = "check the places and axes of the joints of this loop".into();
                ("B0007", origin, message, "the ends do not meet".into(), hint)
            }
            MechanismError::TurnedOver { joint: j } => {
                let (origin, name) = joint(*j);
                let message = format!("joint `{name}` cannot be closed: its frames face opposite ways");
                let hint = "turn one of its frames by 180 deg: their axes have to point the same way".into();
                ("B0007", origin, message, "an axis of one end is the reverse of the other's".into(), hint)
            }
        }
    }
}

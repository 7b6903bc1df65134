//! What may be wrong with a finite element model. Numbers are those of the user's nodes and elements.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum FeError {
    /// An element has another number of nodes than its kind.
    NodeCount { element: u32, expected: usize, found: usize },
    /// An element or link uses a node index that is not in the model.
    NoSuchNode { user: u32 },
    /// A load or an output names an element index that is not in the model.
    NoSuchElement { index: usize },
    /// A force acts on a component that the node does not have: a moment on a node of solids.
    NothingToLoad { node: u32, component: usize },
    /// Material or property of an element is absent or of another kind.
    MissingProperty { element: u32 },
    /// A material constant or a dimension is outside its range.
    BadValue { owner: u32, what: &'static str, value: f64 },
    /// Zero length, area or volume, or an orientation vector along the axis of a beam.
    Degenerate { element: u32 },
    /// The Jacobian determinant is negative at an integration point: numbering or shape of the element.
    Inverted { element: u32 },
    /// No element, mass or link touches the node.
    Unconnected { node: u32 },
    /// Releases leave an end of the beam without any stiffness.
    ReleasedTwice { element: u32 },
    /// The nodes of an averaging link lie on a line: rotations are undetermined.
    CollinearLink { link: u32 },
    /// Two links, or a link and a support, determine the same degree of freedom.
    Overdetermined { node: u32, component: usize },
    /// Links depend on each other in a circle.
    CircularLinks { node: u32 },
    /// A motion without deformation energy remains: the node and direction that move most.
    ZeroEnergyMode { node: u32, component: usize },
    /// More motions without deformation energy than the six of a free body.
    Mechanism { modes: usize, node: u32, component: usize },
    /// A part that moves has a support.
    SupportedBody { node: u32 },
    /// The part has no mass, or none off a line.
    NoMass,
    /// The node chosen as interface is not in the model.
    NoInterfaceNode { node: u32 },
    /// The interface node has no rotations: it belongs to solids only and needs a link to a face.
    InterfaceWithoutRotation { node: u32 },
    /// The mode search ended before all wanted modes were found.
    ModesNotFound { found: usize, wanted: usize },
    /// The inertia tensor of a point mass is not that of any distribution of mass.
    ImpossibleInertia { node: u32 },
    /// Nothing is in the model, or nothing of it can move.
    Empty,
    /// The factors do not fit into memory or into the index type.
    TooLarge { unknowns: usize },
    /// A load case that buckles needs compression somewhere.
    NoBuckling,
    /// Whoever watches asked for an end.
    Cancelled,
}

const COMPONENTS: [&str; 6] = [
    "displacement in x",
    "displacement in y",
    "displacement in z",
    "rotation about x",
    "rotation about y",
    "rotation about z",
];

fn component_name(component: usize) -> &'static str {
    COMPONENTS.get(component).copied().unwrap_or("unknown component")
}

impl fmt::Display for FeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FeError::*;
        match self {
            NodeCount { element, expected, found } => {
                write!(f, "element {element} has {found} nodes instead of {expected}")
            }
            NoSuchNode { user } => write!(f, "element or link {user} uses a node that is not in the model"),
            NoSuchElement { index } => write!(f, "there is no element of index {index}"),
            NothingToLoad { node, component } => {
                write!(f, "node {node} has no {} that a load could act on", component_name(*component))
            }
            MissingProperty { element } => {
                write!(f, "element {element} has no material or property that fits it")
            }
            BadValue { owner, what, value } => write!(f, "{what} of {owner} is {value}"),
            Degenerate { element } => write!(f, "element {element} is degenerate"),
            Inverted { element } => write!(f, "element {element} is inverted"),
            Unconnected { node } => write!(f, "nothing is connected to node {node}"),
            ReleasedTwice { element } => {
                write!(f, "the end releases of element {element} leave a motion free")
            }
            CollinearLink { link } => write!(f, "the nodes of averaging link {link} lie on a line"),
            Overdetermined { node, component } => {
                write!(f, "{} of node {node} is determined twice", component_name(*component))
            }
            CircularLinks { node } => write!(f, "links at node {node} depend on each other"),
            ZeroEnergyMode { node, component } => {
                let name = component_name(*component);
                write!(f, "a motion without deformation remains, largest at node {node}, {name}")
            }
            Mechanism { modes, node, component } => {
                let name = component_name(*component);
                write!(
                    f,
                    "{modes} motions without deformation instead of 6, the last largest at node {node}, {name}"
                )
            }
            SupportedBody { node } => write!(f, "node {node} of a moving part is held"),
            NoMass => write!(f, "the part has no mass, or none off a line"),
            NoInterfaceNode { node } => write!(f, "interface node {node} is not in the model"),
            InterfaceWithoutRotation { node } => write!(f, "interface node {node} has no rotations"),
            ModesNotFound { found, wanted } => write!(f, "{found} of {wanted} modes were found"),
            ImpossibleInertia { node } => {
                write!(f, "the inertia tensor of the mass at node {node} is impossible")
            }
            Empty => write!(f, "nothing in the model can move"),
            TooLarge { unknowns } => write!(f, "the factors of {unknowns} unknowns do not fit into memory"),
            NoBuckling => write!(f, "this load does not buckle the structure"),
            Cancelled => write!(f, "cancelled"),
        }
    }
}

impl std::error::Error for FeError {}

impl FeError {
    /// What the user may do about it.
    pub fn hint(&self) -> &'static str {
        use FeError::*;
        match self {
            NodeCount { .. } | NoSuchNode { .. } => "check the node list",
            NoSuchElement { .. } => "name an element of the model",
            NothingToLoad { .. } => "use forces instead of moments, or a link to a node with rotations",
            MissingProperty { .. } => "give it a material, and a section, thickness or stiffness",
            BadValue { .. } => "give a value that a real material or part can have",
            Degenerate { .. } => "merge or move nodes; turn the orientation vector of a beam off its axis",
            Inverted { .. } => "reverse the order of its nodes or repair the mesh",
            Unconnected { .. } => "connect the node to an element or remove it",
            ReleasedTwice { .. } => "release each motion at one end only",
            CollinearLink { .. } => "take nodes that span a plane",
            Overdetermined { .. } => "let one link or support determine it",
            CircularLinks { .. } => "make one of the links depend on nodes outside the circle",
            ZeroEnergyMode { .. } => "add a support or connect the loose part",
            Mechanism { .. } => "connect loose parts and replace hinges that nothing holds",
            SupportedBody { .. } => "remove its supports; joints at interfaces hold the part",
            NoMass => "give its material a density",
            NoInterfaceNode { .. } => "name a node of this part",
            InterfaceWithoutRotation { .. } => "connect it to the face by a rigid or averaging link",
            ModesNotFound { .. } => "ask for fewer modes",
            ImpossibleInertia { .. } => "each principal moment must be at most the sum of the other two",
            Empty => "add elements and leave some node free",
            TooLarge { .. } => "use a coarser mesh",
            NoBuckling => "reverse the load, or check that it compresses a member",
            Cancelled => "let it go on",
        }
    }
}

//! A finite element model as data. Nodes are referred to by their index; `number` is the user's name of a node or element.
//!
//! Components of a node: 0, 1, 2 displacement in x, y, z; 3, 4, 5 rotation about x, y, z; all in the axes of the model. SI units.

use trunnion_num::space::{Point, RotationMatrix};

use crate::beam_section::BeamSection;

#[derive(Clone, Debug, PartialEq)]
pub struct FeNode {
    pub number: u32,
    pub at: Point,
}

/// Linear, isotropic.
#[derive(Clone, Debug, PartialEq)]
pub struct IsotropicMaterial {
    pub youngs_modulus: f64,
    pub poissons_ratio: f64,
    pub density: f64,
}

impl IsotropicMaterial {
    /// G = E / 2(1 + ν)
    pub fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))
    }
}

/// What an element has beside its nodes and its material.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementProperty {
    Rod {
        area: f64,
    },
    Beam(BeamSection),
    Shell {
        thickness: f64,
    },
    Solid,
    /// Stiffness along the line between two nodes.
    Spring {
        stiffness: f64,
    },
    /// Stiffness of relative displacement and rotation in the axes that are the rows of `axes`.
    Bushing {
        axes: RotationMatrix,
        stiffness: [f64; 6],
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    Rod2,
    Beam2,
    Triangle3,
    Quad4,
    Tetra4,
    Tetra10,
    Hexa8,
    Hexa20,
    Wedge6,
    Wedge15,
    Spring2,
    Bushing2,
    /// Between a node and the ground.
    Bushing1,
}

/// Where a beam lies between its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamPlacement {
    /// A vector in the local x–y plane of the section.
    pub orientation: Point,
    /// From each node to the end of the reference line, in model axes.
    pub offsets: [Point; 2],
    /// Local components that an end does not transmit.
    pub releases: [[bool; 6]; 2],
}

impl BeamPlacement {
    pub fn along(orientation: Point) -> Self {
        BeamPlacement { orientation, offsets: [[0.0; 3]; 2], releases: [[false; 6]; 2] }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct FeElement {
    pub number: u32,
    pub kind: ElementKind,
    pub nodes: Vec<usize>,
    /// Index into `materials`; springs and bushings need none.
    pub material: Option<usize>,
    /// Index into `properties`.
    pub property: usize,
    /// Beams only.
    pub placement: Option<BeamPlacement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    pub node: usize,
    pub mass: f64,
    /// From the node to the centre of mass.
    pub offset: Point,
    /// About the centre of mass.
    pub inertia: RotationMatrix,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FeLink {
    /// RBE2: `nodes` move with `reference` as one rigid body, in the components named.
    Rigid { number: u32, reference: usize, nodes: Vec<usize>, components: [bool; 6] },
    /// RBE3: `reference` follows the weighted mean motion of `nodes`, which stay flexible.
    Averaging { number: u32, reference: usize, nodes: Vec<(usize, f64)> },
}

/// Components of a node that do not move.
#[derive(Clone, Debug, PartialEq)]
pub struct FeSupport {
    pub node: usize,
    pub components: [bool; 6],
}

#[derive(Clone, Debug, PartialEq)]
pub enum FeLoad {
    /// Force and moment.
    Nodal { node: usize, force: [f64; 6] },
    /// The body force of an acceleration field: gravity is `[0, 0, −9.81]`.
    Gravity { acceleration: Point },
    /// The centrifugal force of a rotation about an axis through `centre`.
    Spin { rate: Point, centre: Point },
    /// Pressure on a shell element against its normal.
    Pressure { element: usize, pressure: f64 },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeModel {
    pub nodes: Vec<FeNode>,
    pub materials: Vec<IsotropicMaterial>,
    pub properties: Vec<ElementProperty>,
    pub elements: Vec<FeElement>,
    pub masses: Vec<PointMass>,
    pub links: Vec<FeLink>,
    pub supports: Vec<FeSupport>,
    pub loads: Vec<FeLoad>,
    /// Diagonal element masses instead of consistent ones.
    pub lumped_mass: bool,
}

impl FeModel {
    /// Adds a node numbered from 1 on; its index.
    pub fn node(&mut self, at: Point) -> usize {
        self.nodes.push(FeNode { number: self.nodes.len() as u32 + 1, at });
        self.nodes.len() - 1
    }

    /// Adds an element numbered from 1 on; its index.
    pub fn element(
        &mut self,
        kind: ElementKind,
        nodes: &[usize],
        material: Option<usize>,
        property: usize,
    ) -> usize {
        let number = self.elements.len() as u32 + 1;
        self.elements.push(FeElement {
            number,
            kind,
            nodes: nodes.to_vec(),
            material,
            property,
            placement: None,
        });
        self.elements.len() - 1
    }

    /// Adds a beam whose local y axis lies towards `orientation`; its index.
    pub fn beam(&mut self, nodes: [usize; 2], material: usize, property: usize, orientation: Point) -> usize {
        let index = self.element(ElementKind::Beam2, &nodes, Some(material), property);
        self.elements[index].placement = Some(BeamPlacement::along(orientation));
        index
    }

    pub fn fix(&mut self, node: usize, components: [bool; 6]) {
        self.supports.push(FeSupport { node, components });
    }

    pub fn clamp(&mut self, node: usize) {
        self.fix(node, [true; 6]);
    }

    pub fn node_index(&self, number: u32) -> Option<usize> {
        self.nodes.iter().position(|n| n.number == number)
    }
}

//! Finite elements of a part as plain data: what a mesh file says, or what a model file describes. Nodes, materials and properties are referred to by index.
//!
//! Lengths, forces and masses of a file are in its own units. With L metres and F newtons a unit, and time in seconds:
//!
//!   mass F/L,  density F/L⁴,  modulus F/L²,  stiffness F/L and F L,  moment of inertia F L                       (1)

use std::fmt::Write as _;

use crate::file::ContentHash;

/// Where something stands in the files of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshPlace {
    /// Index into `FeMesh::files`.
    pub file: usize,
    /// From 1; 0: in no file.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeshNode {
    /// The user's.
    pub number: u32,
    pub at: [f64; 3],
}

/// Linear, isotropic.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticMaterial {
    pub youngs_modulus: f64,
    pub poissons_ratio: f64,
    pub density: f64,
}

/// Width along the section's y, height along its z.
#[derive(Clone, Debug, PartialEq)]
pub enum BeamProfile {
    Circle {
        diameter: f64,
    },
    Tube {
        diameter: f64,
        wall: f64,
    },
    Rectangle {
        width: f64,
        height: f64,
    },
    /// `side`: thickness of the walls along the height, `cover`: of those along the width.
    Box {
        width: f64,
        height: f64,
        side: f64,
        cover: f64,
    },
    I {
        width: f64,
        height: f64,
        web: f64,
        flange: f64,
    },
    L {
        width: f64,
        height: f64,
        thickness: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum MeshSection {
    /// `turned`: its height is along the section's y.
    Profile { profile: BeamProfile, turned: bool, shear: bool },
    /// About the centroid: i_yy = ∫ z² dA, i_zz = ∫ y² dA, i_yz = ∫ y z dA.
    Constants {
        area: f64,
        i_yy: f64,
        i_zz: f64,
        i_yz: f64,
        torsion: f64,
        /// Along y and z; None: no shear deformation.
        shear_areas: Option<[f64; 2]>,
        /// (y, z) from the shear centre, which is on the line between the nodes.
        centroid: [f64; 2],
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum MeshPropertyForm {
    Rod {
        area: f64,
    },
    /// Stations along the beam, shares of its length.
    Beam(Vec<(f64, MeshSection)>),
    Shell {
        thickness: f64,
    },
    Solid,
    /// Along the line between two nodes.
    Spring {
        stiffness: f64,
    },
    /// Rows of `axes` are directions; stiffness of displacement, then of rotation.
    Bushing {
        axes: [[f64; 3]; 3],
        stiffness: [f64; 6],
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeshProperty {
    pub form: MeshPropertyForm,
    /// None of bushings.
    pub material: Option<usize>,
    /// Mass beside that of the material, a length of a beam or an area of a shell.
    pub added_mass: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshElementKind {
    Rod,
    Beam,
    Triangle3,
    Quad4,
    Tetra4,
    Tetra10,
    Hexa8,
    Hexa20,
    Wedge6,
    Wedge15,
    Spring,
    Bushing,
    GroundedBushing,
}

impl MeshElementKind {
    /// 1: lines, 2: surfaces, 3: volumes.
    pub fn dimension(self) -> usize {
        use MeshElementKind::*;
        match self {
            Rod | Beam | Spring | Bushing | GroundedBushing => 1,
            Triangle3 | Quad4 => 2,
            Tetra4 | Tetra10 | Hexa8 | Hexa20 | Wedge6 | Wedge15 => 3,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeshBeamPlacement {
    /// A vector in the plane of the section's y and the beam.
    pub orientation: [f64; 3],
    /// From each node to the end of the beam.
    pub offsets: [[f64; 3]; 2],
    /// Components in the axes of the beam that an end does not transmit.
    pub releases: [[bool; 6]; 2],
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeshElement {
    /// The user's.
    pub number: u32,
    pub kind: MeshElementKind,
    /// Corners, then middles of edges, in the order of Nastran.
    pub nodes: Vec<usize>,
    /// None: the file does not say, as those of Gmsh.
    pub property: Option<usize>,
    pub placement: Option<MeshBeamPlacement>,
    pub place: MeshPlace,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeshMass {
    pub node: usize,
    pub mass: f64,
    /// From the node to the centre of mass.
    pub offset: [f64; 3],
    /// About the centre of mass, with −∫ x y dm beside the diagonal.
    pub inertia: [[f64; 3]; 3],
}

#[derive(Clone, Debug, PartialEq)]
pub enum MeshLink {
    /// The nodes move with the reference as one rigid body, in these components.
    Rigid { number: u32, reference: usize, nodes: Vec<usize>, components: [bool; 6] },
    /// The reference follows the weighted mean motion of the nodes.
    Averaging { number: u32, reference: usize, nodes: Vec<(usize, f64)> },
}

/// Nodes and elements with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshGroup {
    pub name: String,
    pub dimension: usize,
    /// Each with its share of the length or area of the group; 1 where it has none.
    pub nodes: Vec<(usize, f64)>,
    /// Those that may carry load.
    pub elements: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeMesh {
    pub files: Vec<String>,
    pub nodes: Vec<MeshNode>,
    pub materials: Vec<ElasticMaterial>,
    pub properties: Vec<MeshProperty>,
    pub elements: Vec<MeshElement>,
    pub masses: Vec<MeshMass>,
    pub links: Vec<MeshLink>,
    pub groups: Vec<MeshGroup>,
    /// What the file says and has no effect on a moving body, such as supports; with a count.
    pub left_out: Vec<(String, usize)>,
}

impl FeMesh {
    /// Counts something that has no effect.
    pub fn leave_out(&mut self, what: &str) {
        match self.left_out.iter_mut().find(|(name, _)| name == what) {
            Some((_, count)) => *count += 1,
            None => self.left_out.push((what.to_string(), 1)),
        }
    }

    /// The same for the same mesh, wherever its files are.
    pub fn content(&self) -> ContentHash {
        let FeMesh { files: _, nodes, materials, properties, elements, masses, links, groups, left_out } =
            self;
        let mut hash = ContentHash::EMPTY;
        // Numbers are written with all their digits.
        let all = (nodes, materials, properties, elements, masses, links, groups, left_out);
        let written = write!(hash, "{all:?}");
        debug_assert!(written.is_ok());
        hash
    }

    /// "arm.bdf:204" of an element.
    pub fn place_of(&self, element: u32) -> Option<String> {
        let MeshPlace { file, line } = self.elements.iter().find(|e| e.number == element)?.place;
        (line > 0).then(|| Some(format!("{}:{line}", self.files.get(file)?))).flatten()
    }

    /// (1): the same in SI.
    pub fn in_si(mut self, length: f64, force: f64) -> FeMesh {
        let (l, f) = (length, force);
        let lengths = |v: &mut [f64]| v.iter_mut().for_each(|x| *x *= l);
        self.nodes.iter_mut().for_each(|n| lengths(&mut n.at));
        for material in &mut self.materials {
            material.youngs_modulus *= f / (l * l);
            material.density *= f / l.powi(4);
        }
        for property in &mut self.properties {
            match &mut property.form {
                MeshPropertyForm::Rod { area } => *area *= l * l,
                MeshPropertyForm::Beam(stations) => stations.iter_mut().for_each(|s| s.1.scale(l)),
                MeshPropertyForm::Shell { thickness } => *thickness *= l,
                MeshPropertyForm::Solid => {}
                MeshPropertyForm::Spring { stiffness } => *stiffness *= f / l,
                MeshPropertyForm::Bushing { stiffness, .. } => {
                    let factor = |k: usize| if k < 3 { f / l } else { f * l };
                    stiffness.iter_mut().enumerate().for_each(|(k, s)| *s *= factor(k));
                }
            }
            let across = if matches!(property.form, MeshPropertyForm::Shell { .. }) { l * l } else { l };
            property.added_mass *= f / l / across;
        }
        for placement in self.elements.iter_mut().filter_map(|e| e.placement.as_mut()) {
            placement.offsets.iter_mut().for_each(|o| lengths(o));
        }
        for mass in &mut self.masses {
            mass.mass *= f / l;
            lengths(&mut mass.offset);
            mass.inertia.iter_mut().flatten().for_each(|i| *i *= f * l);
        }
        self
    }
}

impl MeshSection {
    fn scale(&mut self, l: f64) {
        match self {
            MeshSection::Profile { profile, .. } => profile.scale(l),
            MeshSection::Constants { area, i_yy, i_zz, i_yz, torsion, shear_areas, centroid } => {
                *area *= l * l;
                [i_yy, i_zz, i_yz, torsion].into_iter().for_each(|i| *i *= l.powi(4));
                shear_areas.iter_mut().flatten().for_each(|a| *a *= l * l);
                centroid.iter_mut().for_each(|c| *c *= l);
            }
        }
    }
}

impl BeamProfile {
    /// A share of the way from this section to another one of its kind.
    pub fn between(&self, other: &BeamProfile, share: f64) -> BeamProfile {
        let (mut found, mut end) = (self.clone(), other.clone());
        for (x, y) in found.sizes().into_iter().zip(end.sizes()) {
            *x += share * (*y - *x);
        }
        found
    }

    fn scale(&mut self, l: f64) {
        self.sizes().into_iter().for_each(|x| *x *= l);
    }

    fn sizes(&mut self) -> Vec<&mut f64> {
        match self {
            BeamProfile::Circle { diameter } => vec![diameter],
            BeamProfile::Tube { diameter, wall } => vec![diameter, wall],
            BeamProfile::Rectangle { width, height } => vec![width, height],
            BeamProfile::Box { width, height, side, cover } => vec![width, height, side, cover],
            BeamProfile::I { width, height, web, flange } => vec![width, height, web, flange],
            BeamProfile::L { width, height, thickness } => vec![width, height, thickness],
        }
    }
}

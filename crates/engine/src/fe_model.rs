//! Finite elements as the reduction computes with them, of those that files say.

use trunnion_elastic::{
    BeamPlacement, BeamSection, ElementKind, ElementProperty, FeElement, FeLink, FeModel, FeNode,
    IsotropicMaterial, PointMass, SectionConstants, SectionShape,
};
use trunnion_model::mechanism::{
    BeamProfile, ElasticMaterial, FeMesh, MeshElement, MeshElementKind, MeshLink, MeshProperty,
    MeshPropertyForm, MeshSection,
};

fn kind(kind: MeshElementKind) -> ElementKind {
    match kind {
        MeshElementKind::Rod => ElementKind::Rod2,
        MeshElementKind::Beam => ElementKind::Beam2,
        MeshElementKind::Triangle3 => ElementKind::Triangle3,
        MeshElementKind::Quad4 => ElementKind::Quad4,
        MeshElementKind::Tetra4 => ElementKind::Tetra4,
        MeshElementKind::Tetra10 => ElementKind::Tetra10,
        MeshElementKind::Hexa8 => ElementKind::Hexa8,
        MeshElementKind::Hexa20 => ElementKind::Hexa20,
        MeshElementKind::Wedge6 => ElementKind::Wedge6,
        MeshElementKind::Wedge15 => ElementKind::Wedge15,
        MeshElementKind::Spring => ElementKind::Spring2,
        MeshElementKind::Bushing => ElementKind::Bushing2,
        MeshElementKind::GroundedBushing => ElementKind::Bushing1,
    }
}

pub(crate) fn shape(profile: &BeamProfile) -> SectionShape {
    match *profile {
        BeamProfile::Circle { diameter } => SectionShape::Circle { radius: 0.5 * diameter },
        BeamProfile::Tube { diameter, wall } => {
            SectionShape::Tube { outer_radius: 0.5 * diameter, inner_radius: 0.5 * diameter - wall }
        }
        BeamProfile::Rectangle { width, height } => SectionShape::Rectangle { width, height },
        BeamProfile::Box { width, height, side, cover } => SectionShape::Box { width, height, side, cover },
        BeamProfile::I { width, height, web, flange } => SectionShape::I { width, height, web, flange },
        BeamProfile::L { width, height, thickness } => SectionShape::L { width, height, thickness },
    }
}

/// y and z of the section exchanged.
fn turned(c: SectionConstants) -> SectionConstants {
    let swapped = |[y, z]: [f64; 2]| [z, y];
    SectionConstants {
        i_yy: c.i_zz,
        i_zz: c.i_yy,
        shear_areas: c.shear_areas.map(swapped),
        centroid: swapped(c.centroid),
        shear_centre: swapped(c.shear_centre),
        stress_points: c.stress_points.into_iter().map(swapped).collect(),
        ..c
    }
}

fn constants(section: &MeshSection) -> SectionConstants {
    match section {
        MeshSection::Profile { profile, turned: is_turned, shear } => {
            let constants = shape(profile).constants();
            let constants = if *shear { constants } else { constants.slender() };
            if *is_turned { turned(constants) } else { constants }
        }
        MeshSection::Constants { area, i_yy, i_zz, i_yz, torsion, shear_areas, centroid } => {
            SectionConstants {
                area: *area,
                i_yy: *i_yy,
                i_zz: *i_zz,
                i_yz: *i_yz,
                torsion: *torsion,
                // The stress of torsion is not known without the outline: that of a round section of this torsion constant.
                torsion_modulus: torsion / (2.0 * torsion / std::f64::consts::PI).powf(0.25),
                shear_areas: *shear_areas,
                centroid: *centroid,
                shear_centre: [0.0; 2],
                stress_points: vec![],
            }
        }
    }
}

fn property(form: &MeshPropertyForm) -> ElementProperty {
    match form {
        MeshPropertyForm::Rod { area } => ElementProperty::Rod { area: *area },
        MeshPropertyForm::Beam(stations) => ElementProperty::Beam(BeamSection {
            stations: stations.iter().map(|(share, section)| (*share, constants(section))).collect(),
        }),
        MeshPropertyForm::Shell { thickness } => ElementProperty::Shell { thickness: *thickness },
        MeshPropertyForm::Solid => ElementProperty::Solid,
        MeshPropertyForm::Spring { stiffness } => ElementProperty::Spring { stiffness: *stiffness },
        MeshPropertyForm::Bushing { axes, stiffness } => {
            ElementProperty::Bushing { axes: *axes, stiffness: *stiffness }
        }
    }
}

/// The density that carries the mass beside that of the material too.
fn raised_density(material: &ElasticMaterial, property: &MeshProperty) -> f64 {
    let across = match &property.form {
        MeshPropertyForm::Rod { area } => *area,
        MeshPropertyForm::Shell { thickness } => *thickness,
        MeshPropertyForm::Beam(stations) => {
            stations.first().map_or(1.0, |(_, section)| constants(section).area)
        }
        _ => 1.0,
    };
    material.density + property.added_mass / across
}

fn isotropic(material: &ElasticMaterial, density: f64) -> IsotropicMaterial {
    let ElasticMaterial { youngs_modulus, poissons_ratio, .. } = *material;
    IsotropicMaterial { youngs_modulus, poissons_ratio, density }
}

fn element(e: &MeshElement, material_of: &[Option<usize>]) -> FeElement {
    let property = e.property.unwrap_or(usize::MAX);
    FeElement {
        number: e.number,
        kind: kind(e.kind),
        nodes: e.nodes.clone(),
        material: material_of.get(property).copied().flatten(),
        property,
        placement: e.placement.as_ref().map(|p| BeamPlacement {
            orientation: p.orientation,
            offsets: p.offsets,
            releases: p.releases,
        }),
    }
}

pub(crate) fn finite_elements(mesh: &FeMesh) -> FeModel {
    let mut model = FeModel {
        nodes: mesh.nodes.iter().map(|n| FeNode { number: n.number, at: n.at }).collect(),
        materials: mesh.materials.iter().map(|m| isotropic(m, m.density)).collect(),
        properties: mesh.properties.iter().map(|p| property(&p.form)).collect(),
        ..FeModel::default()
    };
    let mut material_of: Vec<Option<usize>> = vec![];
    for property in &mesh.properties {
        let own =
            property.material.filter(|_| property.added_mass != 0.0).and_then(|k| mesh.materials.get(k));
        material_of.push(match own {
            Some(material) => {
                model.materials.push(isotropic(material, raised_density(material, property)));
                Some(model.materials.len() - 1)
            }
            None => property.material,
        });
    }
    model.elements = mesh.elements.iter().map(|e| element(e, &material_of)).collect();
    model.masses = mesh
        .masses
        .iter()
        .map(|m| PointMass { node: m.node, mass: m.mass, offset: m.offset, inertia: m.inertia })
        .collect();
    model.links = mesh
        .links
        .iter()
        .map(|link| match link.clone() {
            MeshLink::Rigid { number, reference, nodes, components } => {
                FeLink::Rigid { number, reference, nodes, components }
            }
            MeshLink::Averaging { number, reference, nodes } => {
                FeLink::Averaging { number, reference, nodes }
            }
        })
        .collect();
    model
}

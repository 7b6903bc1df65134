//! What must hold of a model before anything is computed: values in range, indices that exist, elements of a possible shape.

use crate::beam_section::{BeamSection, SectionConstants};
use crate::elements::{input, kernel};
use crate::error::FeError;
use crate::model::{ElementProperty, FeLink, FeLoad, FeModel, IsotropicMaterial};
use crate::unknowns::Unknowns;

/// Everything that is wrong with a model, elements one by one; empty if it may be computed.
pub fn check_model(model: &FeModel) -> Vec<FeError> {
    let mut errors: Vec<FeError> = value_errors(model).collect();
    if errors.is_empty() {
        let of = |element| input(model, element).and_then(|data| kernel(element.kind).stiffness(&data));
        errors.extend(model.elements.iter().filter_map(|e| of(e).err()));
        errors.extend(Unknowns::new(model, &[], &[]).err());
    }
    errors
}

/// The first wrong value or index.
pub(crate) fn check_values(model: &FeModel) -> Result<(), FeError> {
    value_errors(model).next().map_or(Ok(()), Err)
}

fn value_errors(model: &FeModel) -> impl Iterator<Item = FeError> {
    let materials = model.materials.iter().enumerate().flat_map(|(i, m)| of_material(i as u32 + 1, m));
    let properties = model.properties.iter().enumerate().flat_map(|(i, p)| of_property(i as u32 + 1, p));
    let nodes = model.nodes.iter().filter(|n| n.at.iter().any(|x| !x.is_finite()));
    let nodes =
        nodes.map(|n| FeError::BadValue { owner: n.number, what: "position of node", value: f64::NAN });
    let count = model.nodes.len();
    let used = model.supports.iter().map(|s| s.node).chain(model.masses.iter().map(|m| m.node));
    let loaded = model.loads.iter().filter_map(|l| match l {
        FeLoad::Nodal { node, .. } => Some(*node),
        _ => None,
    });
    let unknown = used.chain(loaded).filter(move |n| *n >= count).map(|_| FeError::NoSuchNode { user: 0 });
    let links = model.links.iter().filter_map(move |link| {
        let (number, worst) = match link {
            FeLink::Rigid { number, reference, nodes, .. } => {
                (number, nodes.iter().copied().chain([*reference]).max())
            }
            FeLink::Averaging { number, reference, nodes } => {
                (number, nodes.iter().map(|n| n.0).chain([*reference]).max())
            }
        };
        (worst >= Some(count)).then_some(FeError::NoSuchNode { user: *number })
    });
    let loads = model.loads.iter().enumerate().filter_map(|(i, load)| {
        let wrong = load_values(load).into_iter().find(|v| !v.is_finite());
        wrong.map(|value| FeError::BadValue { owner: i as u32 + 1, what: "value of load", value })
    });
    materials.chain(properties).chain(nodes).chain(unknown).chain(links).chain(loads)
}

fn load_values(load: &FeLoad) -> Vec<f64> {
    match load {
        FeLoad::Nodal { force, .. } => force.to_vec(),
        FeLoad::Gravity { acceleration } => acceleration.to_vec(),
        FeLoad::Spin { rate, centre } => [*rate, *centre].concat(),
        FeLoad::Pressure { pressure, .. } => vec![*pressure],
    }
}

fn bad(owner: u32, what: &'static str, value: f64, good: bool) -> Option<FeError> {
    (!good).then_some(FeError::BadValue { owner, what, value })
}

fn of_material(owner: u32, m: &IsotropicMaterial) -> Vec<FeError> {
    let nu = m.poissons_ratio;
    let checks = [
        bad(
            owner,
            "Young's modulus of material",
            m.youngs_modulus,
            m.youngs_modulus > 0.0 && m.youngs_modulus.is_finite(),
        ),
        bad(owner, "Poisson's ratio of material", nu, nu > -1.0 && nu < 0.5),
        bad(owner, "density of material", m.density, m.density >= 0.0 && m.density.is_finite()),
    ];
    checks.into_iter().flatten().collect()
}

fn of_property(owner: u32, property: &ElementProperty) -> Vec<FeError> {
    let positive = |what: &'static str, value: f64| bad(owner, what, value, value > 0.0 && value.is_finite());
    let not_negative =
        |what: &'static str, value: f64| bad(owner, what, value, value >= 0.0 && value.is_finite());
    match property {
        ElementProperty::Rod { area } => positive("area of property", *area).into_iter().collect(),
        ElementProperty::Shell { thickness } => {
            positive("thickness of property", *thickness).into_iter().collect()
        }
        ElementProperty::Solid => vec![],
        ElementProperty::Spring { stiffness } => {
            not_negative("stiffness of property", *stiffness).into_iter().collect()
        }
        ElementProperty::Bushing { stiffness, .. } => {
            stiffness.iter().filter_map(|k| not_negative("stiffness of property", *k)).collect()
        }
        ElementProperty::Beam(section) => of_section(owner, section),
    }
}

fn of_section(owner: u32, section: &BeamSection) -> Vec<FeError> {
    let shares: Vec<f64> = section.stations.iter().map(|s| s.0).collect();
    let ascending = shares.windows(2).all(|w| w[0] < w[1]) && shares.iter().all(|s| (0.0..=1.0).contains(s));
    if shares.is_empty() || !ascending {
        return vec![FeError::BadValue { owner, what: "stations of property", value: shares.len() as f64 }];
    }
    section.stations.iter().flat_map(|(_, c)| of_constants(owner, c)).collect()
}

fn of_constants(owner: u32, c: &SectionConstants) -> Vec<FeError> {
    let positive = |what: &'static str, value: f64| bad(owner, what, value, value > 0.0 && value.is_finite());
    let shear = c.shear_areas.unwrap_or([1.0; 2]);
    let checks = [
        positive("area of property", c.area),
        positive("bending moment of area of property", c.i_yy.min(c.i_zz)),
        positive("smaller principal moment of area of property", c.i_yy * c.i_zz - c.i_yz * c.i_yz),
        positive("torsion constant of property", c.torsion),
        positive("torsion modulus of property", c.torsion_modulus),
        positive("shear area of property", shear[0].min(shear[1])),
    ];
    checks.into_iter().flatten().collect()
}

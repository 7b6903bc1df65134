//! Models and comparisons that several tests share.

use trunnion_elastic::*;

pub fn near(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "{found} instead of {expected}, off by {:.2e}",
        found / expected - 1.0
    );
}

pub const STEEL: IsotropicMaterial =
    IsotropicMaterial { youngs_modulus: 2.1e11, poissons_ratio: 0.3, density: 7850.0 };

/// A straight line of equal beams along a direction, from `start`; no supports.
pub fn line_of_beams(
    count: usize,
    start: [f64; 3],
    span: [f64; 3],
    section: SectionConstants,
    material: IsotropicMaterial,
    orientation: [f64; 3],
) -> FeModel {
    let mut model = FeModel::default();
    model.materials.push(material);
    model.properties.push(ElementProperty::Beam(BeamSection::prismatic(section)));
    for i in 0..=count {
        let share = i as f64 / count as f64;
        model.node(std::array::from_fn(|k| start[k] + share * span[k]));
    }
    for i in 0..count {
        model.beam([i, i + 1], 0, 0, orientation);
    }
    model
}

/// So slender that rotary inertia does not show in eight digits: r/L = 1e-5.
pub fn slender_section() -> SectionConstants {
    SectionShape::Rectangle { width: 1e-5 * 12_f64.sqrt(), height: 2e-5 * 12_f64.sqrt() }
        .constants()
        .slender()
}

/// Columns are a right-handed frame that is aligned with nothing.
pub fn oblique() -> [[f64; 3]; 3] {
    trunnion_num::space::from_rpy([0.3, -0.7, 1.1])
}

pub fn rotated(model: &FeModel) -> FeModel {
    use trunnion_num::space::apply;
    let r = oblique();
    let mut turned = model.clone();
    for node in &mut turned.nodes {
        node.at = apply(r, node.at);
    }
    for element in &mut turned.elements {
        if let Some(p) = &mut element.placement {
            p.orientation = apply(r, p.orientation);
            p.offsets = p.offsets.map(|o| apply(r, o));
        }
    }
    turned
}

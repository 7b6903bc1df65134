//! Finite elements of elastic parts: statics, natural modes, buckling, reduction to a modal body, recovery of stress.
//!
//! Everything here is numbers, computed before a run. A part is an [`FeModel`].
//!
//! ```
//! use trunnion_elastic::*;
//!
//! let mut model = FeModel::default();
//! model.materials.push(IsotropicMaterial { youngs_modulus: 2.1e11, poissons_ratio: 0.3, density: 7850.0 });
//! let tube = SectionShape::Tube { outer_radius: 0.05, inner_radius: 0.045 }.constants().slender();
//! let bending = 2.1e11 * tube.i_yy;
//! model.properties.push(ElementProperty::Beam(BeamSection::prismatic(tube)));
//! let [root, tip] = [0.0, 2.0].map(|x| model.node([x, 0.0, 0.0]));
//! model.beam([root, tip], 0, 0, [0.0, 1.0, 0.0]);
//! model.clamp(root);
//! model.loads.push(FeLoad::Nodal { node: tip, force: [0.0, 0.0, -100.0, 0.0, 0.0, 0.0] });
//! let sag = static_deflection(&model)?.at(tip)[2];
//! assert!((sag / (-100.0 * 2.0_f64.powi(3) / (3.0 * bending)) - 1.0).abs() < 1e-9);
//! # Ok::<(), FeError>(())
//! ```

mod assembly;
mod beam_section;
mod buckling;
mod check;
mod craig_bampton;
mod elements;
mod error;
mod factor;
mod links;
mod mode_acceleration;
mod model;
mod modes;
mod pencil;
mod point_mass;
mod pressure;
mod rainflow;
mod recovery;
mod reduced_body;
mod section_outline;
mod shape_integrals;
mod singular;
mod skin;
mod sparse;
mod statics;
mod stiffening;
mod stressed;
mod unknowns;

pub use beam_section::{BeamSection, SectionConstants, SectionShape};
pub use buckling::{BucklingModes, buckling_modes};
pub use check::check_model;
pub use craig_bampton::{
    BodyFrame, ReductionOptions, ReductionStage, ReductionWatch, reduce, reduce_watched,
};
pub use error::FeError;
pub use mode_acceleration::load_residuals;
pub use model::{
    BeamPlacement, ElementKind, ElementProperty, FeElement, FeLink, FeLoad, FeModel, FeNode, FeSupport,
    IsotropicMaterial, PointMass,
};
pub use modes::{NaturalModes, natural_modes};
pub use rainflow::{RainflowCycle, SnLine, rainflow};
pub use recovery::{
    SectionForceRecovery, StressRecovery, averaged_stress, displacement_recovery, principal_stresses,
    section_force_recovery, section_load_recovery, stress_recovery, von_mises,
};
pub use reduced_body::{InterfaceShape, RATE_PAIRS, ReducedBody, ReductionReport};
pub use section_outline::SectionOutline;
pub use skin::{BodySkin, SkinPoint, body_skin};
pub use statics::{StaticResult, static_deflection};
pub use stiffening::StiffeningMatrices;
pub use stressed::stressed_modes;

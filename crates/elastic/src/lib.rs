//! Finite elements of elastic parts: statics, natural modes, buckling, reduction to a modal body, recovery of stress.
//!
//! Everything here is numbers, computed before a run. A part is an [`FeModel`].

mod assembly;
mod beam_section;
mod buckling;
mod check;
mod craig_bampton;
mod elements;
mod error;
mod factor;
mod links;
mod model;
mod modes;
mod pencil;
mod point_mass;
mod pressure;
mod rainflow;
mod recovery;
mod reduced_body;
mod shape_integrals;
mod singular;
mod sparse;
mod statics;
mod stiffening;
mod stressed;
mod unknowns;

pub use beam_section::{BeamSection, SectionConstants, SectionShape};
pub use buckling::{BucklingModes, buckling_modes};
pub use check::check_model;
pub use craig_bampton::{BodyFrame, ReductionOptions, reduce};
pub use error::FeError;
pub use model::{
    BeamPlacement, ElementKind, ElementProperty, FeElement, FeLink, FeLoad, FeModel, FeNode, FeSupport,
    IsotropicMaterial, PointMass,
};
pub use modes::{NaturalModes, natural_modes};
pub use rainflow::{RainflowCycle, SnLine, rainflow};
pub use recovery::{
    SectionForceRecovery, StressRecovery, averaged_stress, displacement_recovery, principal_stresses,
    section_force_recovery, stress_recovery, von_mises,
};
pub use reduced_body::{InterfaceShape, RATE_PAIRS, ReducedBody, ReductionReport};
pub use statics::{StaticResult, static_deflection};
pub use stiffening::StiffeningMatrices;
pub use stressed::stressed_modes;

//! Files of other tools: robot descriptions, meshes, finite elements.

pub mod fe;
pub mod mesh;
pub mod urdf;

//! Files of other tools: robot descriptions, meshes.

pub mod mesh;
pub mod urdf;

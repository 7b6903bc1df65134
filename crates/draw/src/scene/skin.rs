//! Elastic bodies as they are bent: their surface at elastic coordinates q, with the stress there.
//!
//!   x = x_0 + s Φ q                            s: exaggeration                                                    (1)
//!
//! Only deformations are exaggerated; what is joined to a body follows it (`follow.rs`).

use trunnion_elastic::{BodySkin, von_mises};
use trunnion_num::space::{Point, plus, times};

use super::solid::SolidMesh;

/// How deformations are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeformationView {
    /// s of (1).
    pub exaggeration: f64,
    /// Colours by the stress of von Mises.
    pub stress: bool,
}

impl Default for DeformationView {
    fn default() -> Self {
        DeformationView { exaggeration: 1.0, stress: false }
    }
}

/// The surface of an elastic body.
#[derive(Clone, Debug)]
pub struct SceneSkin {
    pub body: usize,
    pub(crate) skin: BodySkin,
    /// Displacement and turn of each interface by each coordinate.
    pub(crate) interfaces: Vec<Vec<(Point, Point)>>,
}

/// The surface at one instant, in the axes of its body.
#[derive(Clone, Debug)]
pub struct BentBody {
    pub body: usize,
    pub(crate) solid: SolidMesh,
    /// Of von Mises, at every corner, in Pa.
    pub(crate) stress: Vec<f64>,
}

impl SceneSkin {
    /// (1)
    fn corners(&self, q: &[f64], exaggeration: f64) -> Vec<Point> {
        let moved = |point: &trunnion_elastic::SkinPoint| {
            let u: Point = [0, 1, 2].map(|i| point.motion.row(i).iter().zip(q).map(|(a, b)| a * b).sum());
            plus(point.at, times(exaggeration, u))
        };
        self.skin.points.iter().map(moved).collect()
    }

    /// Highest of the elements and layers at each point.
    pub(crate) fn stress(&self, q: &[f64]) -> Vec<f64> {
        let of = |rows: &trunnion_num::Matrix| {
            von_mises(std::array::from_fn(|i| rows.row(i).iter().zip(q).map(|(a, b)| a * b).sum()))
        };
        self.skin.points.iter().map(|p| p.stress.iter().map(of).fold(0.0, f64::max)).collect()
    }

    pub(crate) fn bent(&self, q: &[f64], exaggeration: f64) -> BentBody {
        let solid = SolidMesh::new(self.corners(q, exaggeration), self.skin.faces.clone());
        BentBody { body: self.body, solid, stress: self.stress(q) }
    }

    /// Displacement and turn of an interface.
    pub(crate) fn interface(&self, k: usize, q: &[f64], exaggeration: f64) -> (Point, Point) {
        let columns = self.interfaces.get(k).map_or(&[][..], Vec::as_slice);
        columns.iter().zip(q).fold(([0.0; 3], [0.0; 3]), |(u, theta), (&(phi, psi), &q)| {
            let q = exaggeration * q;
            (plus(u, times(q, phi)), plus(theta, times(q, psi)))
        })
    }
}

/// From no stress to the highest: blue, green, yellow, red.
const SCALE: [[u8; 3]; 5] =
    [[0x35, 0x4a, 0x9e], [0x2c, 0x97, 0xa8], [0x7c, 0xc0, 0x6a], [0xf4, 0xc9, 0x4b], [0xcc, 0x37, 0x31]];

/// The colour of a share of the highest stress.
pub(crate) fn stress_colour(share: f64) -> [u8; 3] {
    let place = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let k = (place as usize).min(SCALE.len() - 2);
    let rest = place - k as f64;
    let mix = |i: usize| (1.0 - rest) * f64::from(SCALE[k][i]) + rest * f64::from(SCALE[k + 1][i]);
    [0, 1, 2].map(|i| mix(i).round() as u8)
}

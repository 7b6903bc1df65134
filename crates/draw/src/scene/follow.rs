//! Bodies that are joined to elastic ones follow their exaggerated deformation.
//!
//! A frame at an interface is at F = X_B · (x + u, θ), and drawn at F' = X'_B · (x + s u, s θ) with the exaggeration s. What is fixed to it is moved by
//!
//!   C = F' F⁻¹,   X'_C = C X_C                                                                                    (1)
//!
//! and an elastic body that hangs on an interface of its own so that this one comes to lie on C G: X'_C = C G (x + s u, s θ)⁻¹. Joints are followed
//! from the world on, each body once: where a loop closes, its ends part.

use super::{BodyPoint, Scene};
use trunnion_num::space::{
    Point, Quaternion, apply, from_quaternion, norm, normalised, plus, times, transposed,
};

/// A place and a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyPlacement {
    pub p: Point,
    pub q: Quaternion,
}

impl BodyPlacement {
    fn then(self, inner: BodyPlacement) -> BodyPlacement {
        let p = plus(self.p, apply(from_quaternion(self.q), inner.p));
        BodyPlacement { p, q: normalised(times_quaternion(self.q, inner.q)) }
    }

    fn inverse(self) -> BodyPlacement {
        let [w, x, y, z] = self.q;
        let p = times(-1.0, apply(transposed(from_quaternion(self.q)), self.p));
        BodyPlacement { p, q: [w, -x, -y, -z] }
    }
}

impl From<BodyPlacement> for (Point, Quaternion) {
    fn from(at: BodyPlacement) -> Self {
        (at.p, at.q)
    }
}

fn times_quaternion([a, b, c, d]: Quaternion, [w, x, y, z]: Quaternion) -> Quaternion {
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}

/// A turn by a vector.
fn turn(theta: Point) -> Quaternion {
    let angle = norm(theta);
    if angle == 0.0 {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let [x, y, z] = times((0.5 * angle).sin() / angle, theta);
    [(0.5 * angle).cos(), x, y, z]
}

/// Placements of all bodies (the world first) as they are drawn; `shapes` are the elastic coordinates of the skins.
pub(super) fn followed(
    scene: &Scene,
    real: &[BodyPlacement],
    shapes: &[Vec<f64>],
    s: f64,
) -> Vec<BodyPlacement> {
    let frame = |spot: BodyPoint, scale: f64| {
        let skin = scene.skins.iter().position(|skin| skin.body == spot.body);
        let (u, theta) = match (skin, spot.interface) {
            (Some(k), Some(i)) => scene.skins[k].interface(i, &shapes[k], scale),
            _ => ([0.0; 3], [0.0; 3]),
        };
        BodyPlacement { p: plus(spot.p, u), q: turn(theta) }
    };
    let mut drawn: Vec<Option<BodyPlacement>> = vec![None; real.len()];
    drawn[0] = Some(real[0]);
    loop {
        let next = scene.links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).find_map(|[from, to]| {
            let parent = drawn[from.body].filter(|_| drawn[to.body].is_none())?;
            Some((parent, from, to))
        });
        let Some((parent, from, to)) = next else { break };
        // (1)
        let moved = parent.then(frame(from, s));
        let correction = moved.then(real[from.body].then(frame(from, 1.0)).inverse());
        let own = correction.then(real[to.body]).then(frame(to, 1.0));
        drawn[to.body] = Some(own.then(frame(to, s).inverse()));
    }
    drawn.iter().zip(real).map(|(drawn, real)| drawn.unwrap_or(*real)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{SceneBody, SceneSkin};
    use trunnion_num::space::minus;

    /// An elastic body at x = 1 m, whose interface at its x = 2 m rises by q and turns by −q/2 about y, with a load welded to it; and a second elastic body
    /// that hangs on an interface of its own.
    fn scene() -> Scene {
        let name = |n: &str| SceneBody { name: n.into(), parts: vec![] };
        let at = |body, p, interface| BodyPoint { body, p, interface };
        let skin = |body| SceneSkin {
            body,
            skin: Default::default(),
            interfaces: vec![vec![([0.0, 0.0, 1.0], [0.0, -0.5, 0.0])]],
        };
        Scene {
            bodies: ["world", "arm", "load", "hung"].map(name).to_vec(),
            skins: vec![skin(1), skin(3)],
            links: vec![
                [at(1, [2.0, 0.0, 0.0], Some(0)), at(2, [0.0; 3], None)],
                [at(0, [1.0, 0.0, 0.0], None), at(1, [0.0; 3], None)],
                [at(2, [0.0; 3], None), at(3, [2.0, 0.0, 0.0], Some(0))],
            ],
            ..Scene::default()
        }
    }

    fn placed(p: Point, theta: Point) -> BodyPlacement {
        BodyPlacement { p, q: turn(theta) }
    }

    fn close(a: BodyPlacement, b: BodyPlacement) {
        let turned: f64 = (0..4).map(|i| (a.q[i] - b.q[i]).abs()).sum();
        assert!(norm(minus(a.p, b.p)) < 1e-12 && turned < 1e-12, "{a:?} {b:?}");
    }

    #[test]
    fn bodies_follow_an_exaggerated_deformation() {
        let scene = scene();
        let q = 0.1;
        let tip = |s: f64| placed([3.0, 0.0, s * q], [0.0, -0.5 * s * q, 0.0]);
        let hanging = |s: f64| tip(s).then(placed([2.0, 0.0, s * q], [0.0, -0.5 * s * q, 0.0]).inverse());
        let home = placed([0.0; 3], [0.0; 3]);
        let real = [home, placed([1.0, 0.0, 0.0], [0.0; 3]), tip(1.0), hanging(1.0)];
        for s in [0.0, 1.0, 5.0] {
            let drawn = followed(&scene, &real, &[vec![q], vec![q]], s);
            close(drawn[1], real[1]);
            close(drawn[2], tip(s));
            close(drawn[3], hanging(s));
        }
    }
}

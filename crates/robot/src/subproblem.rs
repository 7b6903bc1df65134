//! Angles of rotations that bring points to places. [Murray1994, §3.2, subproblems of Paden and Kahan]
//!
//!   a cos θ + b sin θ = c   ⇒   θ = atan2(b, a) ± acos(c/ρ),   ρ = √(a² + b²)                          (1)
//!   n · R(a, θ) p = d       with  R p = (a·p) a + cos θ p⊥ + sin θ (a × p)                             (2)
//!   |R(a, θ) p − q| = δ   ⇔   q · R(a, θ) p = ½ (p² + q² − δ²)                                         (3)
//!   R(a, θ) R(b, φ) p = q   ⇒   a · R(b, φ) p = a · q, then θ from R(b, φ) p to q                        (4)
//!
//! Where |c| > ρ the nearest angle is answered: who calls compares what was reached with what was wanted.

use std::f64::consts::PI;

use trunnion_num::space::{Point, cross, dot, minus, norm, plus, times};

use crate::rotation::angle_about;

/// Two answers closer than this (rad) are one: rates of the joints are 10⁴ times those of the tip there.
pub(crate) const SINGULAR_ANGLE: f64 = 1e-4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwoAngles {
    /// With + and with − in (1).
    pub both: [f64; 2],
    /// The two answers meet, or any angle will do.
    pub singular: bool,
}

/// (1); `scale` is the size of a, b and c that counts as one, `near` the angle where any will do.
pub(crate) fn trigonometric(a: f64, b: f64, c: f64, scale: f64, near: f64) -> TwoAngles {
    let rho = a.hypot(b);
    if rho <= 1e-10 * scale {
        return TwoAngles { both: [near, near], singular: true };
    }
    let half = (c / rho).clamp(-1.0, 1.0).acos();
    let middle = b.atan2(a);
    let apart = 0.5 * SINGULAR_ANGLE..=PI - 0.5 * SINGULAR_ANGLE;
    let singular = !apart.contains(&half) || rho <= 1e-5 * scale;
    TwoAngles { both: [middle + half, middle - half], singular }
}

/// (2)
pub(crate) fn to_plane(axis: Point, p: Point, n: Point, d: f64, scale: f64, near: f64) -> TwoAngles {
    let along = dot(axis, p);
    let across = minus(p, times(along, axis));
    let (a, b) = (dot(n, across), dot(n, cross(axis, p)));
    trigonometric(a, b, d - along * dot(n, axis), scale, near)
}

/// (3)
pub(crate) fn to_distance(axis: Point, p: Point, q: Point, distance: f64, near: f64) -> TwoAngles {
    let d = 0.5 * (dot(p, p) + dot(q, q) - distance * distance);
    let scale = dot(p, p).max(dot(q, q));
    to_plane(axis, p, q, d, scale, near)
}

/// What two axes through one point answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwoPairs {
    /// (θ, φ), with + and − as in (1) for φ.
    pub both: [[f64; 2]; 2],
    pub singular: bool,
}

/// (4). The point between both turns, z = R(b, φ) p = R(a, −θ) q, is written in a, b across a, and a × b: no angle is taken from its
/// cosine, so that small ones keep their digits.
pub(crate) fn two_axes(a: Point, b: Point, p: Point, q: Point, near: [f64; 2]) -> TwoPairs {
    let scale = dot(p, p).max(dot(q, q)).sqrt();
    let normal = cross(a, b);
    let sine = norm(normal);
    let along = dot(a, q);
    let e_1 = times(1.0 / sine, minus(b, times(dot(a, b), a)));
    let e_2 = times(1.0 / sine, normal);
    let across = norm(cross(a, q));
    let m = (dot(b, p) - dot(a, b) * along) / sine;
    let rest = ((across - m.abs()) * (across + m.abs())).max(0.0).sqrt();
    let between = |side: f64| plus(times(along, a), plus(times(m, e_1), times(side * rest, e_2)));
    let both = [-1.0, 1.0].map(|side| {
        let z = between(side);
        let free = [across, norm(cross(b, p))].map(|r| r <= 1e-10 * scale);
        let theta = if free[0] { near[0] } else { angle_about(a, z, q) };
        let phi = if free[1] { near[1] } else { angle_about(b, p, z) };
        [theta, phi]
    });
    TwoPairs {
        both,
        singular: rest <= 0.5 * SINGULAR_ANGLE * scale || across <= 0.5 * SINGULAR_ANGLE * scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::about;
    use trunnion_num::noise::Noise;
    use trunnion_num::space::{apply, unit};

    #[test]
    fn every_angle_does_what_was_asked() {
        let mut noise = Noise::new(11);
        let mut vector = || [noise.next(), noise.next(), noise.next()];
        for _ in 0..500 {
            let (a, b) = (unit(vector()).unwrap(), unit(vector()).unwrap());
            let (p, q) = (vector(), vector());
            let reached = apply(about(a, 0.7), p);
            let there = to_distance(a, p, q, norm(minus(reached, q)), 0.0);
            for angle in there.both {
                let distance = norm(minus(apply(about(a, angle), p), q));
                assert!((distance - norm(minus(reached, q))).abs() < 1e-12);
            }
            let q = apply(about(a, -1.2), apply(about(b, 2.1), p));
            let pairs = two_axes(a, b, p, q, [0.0; 2]).both;
            for [theta, phi] in pairs {
                let there = apply(about(a, theta), apply(about(b, phi), p));
                assert!(norm(minus(there, q)) < 1e-12, "{there:?} {q:?}");
            }
            assert!(pairs.iter().any(|[_, phi]| ((phi - 2.1).sin()).abs() < 1e-6));
        }
    }
}

//! Lines and arcs in space, with the orientation turned evenly along them.
//!
//!   line:  p(s) = p_0 + s Δ                                                                       (1)
//!   arc:   p(s) = c + r (u cos(s α) + v sin(s α)),   through three points                           (2)
//!   R(s) = R_0 exp(s φ),   φ = log(R_0ᵀ R_1)                                                         (3)
//!
//! 0 ≤ s ≤ 1.

use std::f64::consts::TAU;

use trunnion_num::space::{
    Point, Pose, RotationMatrix, cross, dot, minus, norm, plus, product, times, transposed, unit,
};

use crate::rotation::logarithm;

#[derive(Clone, Copy, Debug, PartialEq)]
enum CurveShape {
    Line { by: Point },
    Arc { radius: f64, u: Point, v: Point, angle: f64 },
}

/// (1) or (2), with (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ToolCurve {
    pub start: Pose,
    shape: CurveShape,
    /// φ of (3), in the axes of the tool at the start.
    pub turn: Point,
}

/// Displacement from the start, with its derivatives by s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CurvePoint {
    pub p: Point,
    pub dp: Point,
    pub ddp: Point,
}

impl ToolCurve {
    pub fn line(start: Pose, end: Pose) -> ToolCurve {
        ToolCurve {
            start,
            shape: CurveShape::Line { by: minus(end.p, start.p) },
            turn: between(start.r, end.r),
        }
    }

    /// Through `via`; None: the three points are on a line.
    pub fn arc(start: Pose, via: Point, end: Pose) -> Option<ToolCurve> {
        let (a, b) = (minus(via, start.p), minus(end.p, start.p));
        let normal = cross(a, b);
        // Points this close to a line have no radius to speak of.
        let size = norm(a).max(norm(b));
        if norm(normal) <= 1e-9 * size * size {
            return None;
        }
        let centre = times(
            1.0 / (2.0 * dot(normal, normal)),
            cross(normal, minus(times(dot(b, b), a), times(dot(a, a), b))),
        );
        let radius = norm(centre);
        let u = unit(times(-1.0, centre))?;
        let v = cross(unit(normal)?, u);
        let at = |p: Point| {
            let r = minus(p, centre);
            dot(r, v).atan2(dot(r, u)).rem_euclid(TAU)
        };
        // The normal is chosen so that the via point comes before the end.
        let shape = CurveShape::Arc { radius, u, v, angle: at(b) };
        Some(ToolCurve { start, shape, turn: between(start.r, end.r) })
    }

    pub fn length(&self) -> f64 {
        match self.shape {
            CurveShape::Line { by } => norm(by),
            CurveShape::Arc { radius, angle, .. } => radius * angle,
        }
    }

    /// Infinite for lines.
    pub fn radius(&self) -> f64 {
        match self.shape {
            CurveShape::Line { .. } => f64::INFINITY,
            CurveShape::Arc { radius, .. } => radius,
        }
    }

    pub fn at(&self, s: f64) -> CurvePoint {
        match self.shape {
            CurveShape::Line { by } => CurvePoint { p: times(s, by), dp: by, ddp: [0.0; 3] },
            CurveShape::Arc { radius, u, v, angle } => {
                let (sine, cosine) = (s * angle).sin_cos();
                let radial = plus(times(cosine, u), times(sine, v));
                let tangent = minus(times(cosine, v), times(sine, u));
                CurvePoint {
                    p: times(radius, minus(radial, u)),
                    dp: times(radius * angle, tangent),
                    ddp: times(-radius * angle * angle, radial),
                }
            }
        }
    }
}

fn between(a: RotationMatrix, b: RotationMatrix) -> Point {
    logarithm(product(transposed(a), b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use trunnion_num::space::UNTURNED;

    #[test]
    fn arcs_pass_through_their_points() {
        let pose = |p: Point| Pose { p, r: UNTURNED };
        let (c, r) = ([0.3, -0.2, 0.7], 0.4);
        let (u, v) = ([0.6, 0.8, 0.0], [0.0, 0.0, 1.0]);
        let on = |angle: f64| plus(c, plus(times(r * angle.cos(), u), times(r * angle.sin(), v)));
        for (via, end) in [(0.5, 1.0), (2.0, 4.0), (5.0, 6.0), (-1.0, -3.5), (PI, 3.0 * PI / 2.0)] {
            let arc = ToolCurve::arc(pose(on(0.2)), on(0.2 + via), pose(on(0.2 + end))).unwrap();
            assert!((arc.radius() - r).abs() < 1e-14 && (arc.length() - r * f64::abs(end)).abs() < 1e-13);
            for share in [0.0, via / end, 0.9, 1.0] {
                let p = plus(arc.start.p, arc.at(share).p);
                assert!(norm(minus(p, on(0.2 + share * end))) < 1e-14, "{via} {end} {share}");
            }
        }
        assert!(ToolCurve::arc(pose([0.0; 3]), [1.0, 0.0, 0.0], pose([3.0, 0.0, 0.0])).is_none());
    }
}

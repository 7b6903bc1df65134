//! Wedges: a triangle in L_1 = 1 − ξ − η, L_2 = ξ, L_3 = η, times a line in ζ from −1 to 1.
//!
//!   6:  N = ½ L_a (1+ζζ_a)                                                                                     (1)
//!   15: corners N = ½ L_a (1+ζζ_a)(2L_a − 2 + ζζ_a), edges of triangles N = 2 L_a L_b (1+ζζ_a), others N = L_a (1−ζ²)  (2)  [Zienkiewicz2000, §8.13]
//!
//! Nodes: 1–3 at ζ = −1, 4–6 above them; 7–9 on the edges 1-2, 2-3, 3-1; 10–12 on 1-4, 2-5, 3-6; 13–15 on 4-5, 5-6, 6-4.

use trunnion_num::space::Point;

use super::gauss;
use super::solid::SolidKernel;

#[rustfmt::skip]
const NODES: [Point; 15] = [
    [0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0],
    [0.5, 0.0, -1.0], [0.5, 0.5, -1.0], [0.0, 0.5, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0],
    [0.5, 0.0, 1.0], [0.5, 0.5, 1.0], [0.0, 0.5, 1.0],
];
const CORNERS: [Point; 6] = [NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5]];

fn linear(xi: Point) -> [(f64, [f64; 2]); 3] {
    [(1.0 - xi[0] - xi[1], [-1.0, -1.0]), (xi[0], [1.0, 0.0]), (xi[1], [0.0, 1.0])]
}

fn functions_6(xi: Point) -> Vec<(f64, Point)> {
    let l = linear(xi);
    let of_node = |a: usize| {
        let (v, d) = l[a % 3];
        let (z, dz) = if a < 3 { ((1.0 - xi[2]) / 2.0, -0.5) } else { ((1.0 + xi[2]) / 2.0, 0.5) };
        (v * z, [d[0] * z, d[1] * z, v * dz])
    };
    (0..6).map(of_node).collect()
}

fn functions_15(xi: Point) -> Vec<(f64, Point)> {
    let (l, z) = (linear(xi), xi[2]);
    let side = |a: usize| if a < 3 { -1.0 } else { 1.0 };
    let corner = |a: usize| {
        let ((v, d), s) = (l[a % 3], side(a));
        let (up, factor) = (1.0 + z * s, 2.0 * v - 2.0 + z * s);
        let slope = 0.5 * up * (factor + 2.0 * v);
        (0.5 * v * up * factor, [slope * d[0], slope * d[1], 0.5 * v * s * (factor + up)])
    };
    let edge = |a: usize| {
        let ((v, d), (w, e), s) = (l[a % 3], l[(a + 1) % 3], side(a));
        let up = 2.0 * (1.0 + z * s);
        (v * w * up, [up * (d[0] * w + v * e[0]), up * (d[1] * w + v * e[1]), 2.0 * s * v * w])
    };
    let upright = |a: usize| {
        let (v, d) = l[a];
        let bubble = 1.0 - z * z;
        (v * bubble, [d[0] * bubble, d[1] * bubble, -2.0 * z * v])
    };
    (0..6).map(corner).chain((0..3).map(edge)).chain((0..3).map(upright)).chain((3..6).map(edge)).collect()
}

/// Points of a triangle of area ½: three, exact for quadratics, or six, exact for degree 4 [Dunavant 1985].
pub(super) fn triangle_rule(count: usize) -> Vec<([f64; 2], f64)> {
    if count == 3 {
        return [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]]
            .map(|p| (p, 1.0 / 6.0))
            .to_vec();
    }
    let ten = 10_f64.sqrt();
    let root = (38.0 - 44.0 * (2.0_f64 / 5.0).sqrt()).sqrt();
    let weight = (213_125.0 - 53_320.0 * ten).sqrt();
    let group = |a: f64, w: f64| [[a, a], [1.0 - 2.0 * a, a], [a, 1.0 - 2.0 * a]].map(|p| (p, w / 2.0));
    let first = group((8.0 - ten + root) / 18.0, (620.0 + weight) / 3720.0);
    let second = group((8.0 - ten - root) / 18.0, (620.0 - weight) / 3720.0);
    [first, second].concat()
}

fn rule(triangle: usize, line: usize) -> Vec<(Point, f64)> {
    let flat = triangle_rule(triangle);
    let all = flat.iter().flat_map(|p| gauss(line).iter().map(move |z| ([p.0[0], p.0[1], z.0], p.1 * z.1)));
    all.collect()
}

pub(super) const WEDGE6: SolidKernel = SolidKernel {
    nodes: &CORNERS,
    functions: functions_6,
    stiffness_rule: || rule(3, 2),
    mass_rule: || rule(3, 2),
    incompatible: false,
    extrapolated: false,
};

pub(super) const WEDGE15: SolidKernel = SolidKernel {
    nodes: &NODES,
    functions: functions_15,
    stiffness_rule: || rule(6, 3),
    mass_rule: || rule(6, 3),
    incompatible: false,
    extrapolated: false,
};

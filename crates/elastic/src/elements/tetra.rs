//! Tetrahedra in volume coordinates L_1 = 1 − ξ − η − ζ, L_2 = ξ, L_3 = η, L_4 = ζ.
//!
//!   4:  N_a = L_a: constant strain, stiff in bending; a mesh of them wants many elements                         (1)
//!   10: corners N_a = L_a (2 L_a − 1), edges N = 4 L_a L_b                                                       (2)  [Zienkiewicz2000, §8.12]
//!
//! Nodes: 1–4 with 1-2-3 seen against the clock from outside reversed, that is (x_2−x_1) × (x_3−x_1) points to node 4;
//! 5–10 on the edges 1-2, 2-3, 3-1, 1-4, 2-4, 3-4. Mass is integrated by a conical product of Gauss points.

use trunnion_num::space::Point;

use super::gauss;
use super::solid::SolidKernel;

#[rustfmt::skip]
const NODES: [Point; 10] = [
    [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5],
];
const CORNERS: [Point; 4] = [NODES[0], NODES[1], NODES[2], NODES[3]];
const EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];

/// Values and slopes of L.
fn linear(xi: Point) -> [(f64, Point); 4] {
    [
        (1.0 - xi[0] - xi[1] - xi[2], [-1.0; 3]),
        (xi[0], [1.0, 0.0, 0.0]),
        (xi[1], [0.0, 1.0, 0.0]),
        (xi[2], [0.0, 0.0, 1.0]),
    ]
}

fn functions_4(xi: Point) -> Vec<(f64, Point)> {
    linear(xi).to_vec()
}

fn functions_10(xi: Point) -> Vec<(f64, Point)> {
    let l = linear(xi);
    let corner = l.iter().map(|(v, d)| (v * (2.0 * v - 1.0), d.map(|d| (4.0 * v - 1.0) * d)));
    let edge = EDGES.iter().map(|&(a, b)| {
        let slope = [0, 1, 2].map(|k| 4.0 * (l[a].1[k] * l[b].0 + l[a].0 * l[b].1[k]));
        (4.0 * l[a].0 * l[b].0, slope)
    });
    corner.chain(edge).collect()
}

/// Exact for quadratics.
fn four_points() -> Vec<(Point, f64)> {
    let (a, b) = ((5.0 - 5_f64.sqrt()) / 20.0, (5.0 + 3.0 * 5_f64.sqrt()) / 20.0);
    [[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|p| (p, 1.0 / 24.0)).to_vec()
}

/// ξ = u, η = v(1−u), ζ = w(1−u)(1−v): exact for degree 5.
fn conical() -> Vec<(Point, f64)> {
    let line: Vec<(f64, f64)> = gauss(4).iter().map(|(x, w)| ((1.0 + x) / 2.0, w / 2.0)).collect();
    let mut points = vec![];
    for &(u, a) in &line {
        for &(v, b) in &line {
            for &(w, c) in &line {
                let left = (1.0 - u, (1.0 - u) * (1.0 - v));
                points.push(([u, v * left.0, w * left.1], a * b * c * left.0 * left.1));
            }
        }
    }
    points
}

pub(super) const TETRA4: SolidKernel = SolidKernel {
    nodes: &CORNERS,
    functions: functions_4,
    stiffness_rule: || vec![([0.25; 3], 1.0 / 6.0)],
    mass_rule: four_points,
    incompatible: false,
    extrapolated: false,
};

pub(super) const TETRA10: SolidKernel = SolidKernel {
    nodes: &NODES,
    functions: functions_10,
    stiffness_rule: four_points,
    mass_rule: conical,
    incompatible: false,
    extrapolated: false,
};

//! Hexahedra on [−1, 1]³: 8 nodes with incompatible modes, 20 nodes of the serendipity family.
//!
//!   8:  N = ⅛ (1+ξξ_a)(1+ηη_a)(1+ζζ_a)                                                                         (1)
//!   20: corners N = ⅛ Π(1+ξξ_a) (Σ ξξ_a − 2), edges N = ¼ (1−ξ²)(1+ηη_a)(1+ζζ_a)                                (2)  [Zienkiewicz2000, §8.6]
//!
//! Nodes: 1–4 around ζ = −1, 5–8 above them; 9–12 on the edges 1-2, 2-3, 3-4, 4-1; 13–16 on 1-5, 2-6, 3-7, 4-8; 17–20 on 5-6, 6-7, 7-8, 8-5.

use trunnion_num::space::Point;

use super::gauss;
use super::solid::SolidKernel;

#[rustfmt::skip]
const NODES: [Point; 20] = [
    [-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [-1.0, 0.0, -1.0],
    [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0],
    [0.0, -1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [-1.0, 0.0, 1.0],
];
const CORNERS: [Point; 8] = {
    let mut c = [[0.0; 3]; 8];
    let mut i = 0;
    while i < 8 {
        c[i] = NODES[i];
        i += 1;
    }
    c
};

fn rule(count: usize) -> Vec<(Point, f64)> {
    let line = gauss(count);
    let all = line.iter().flat_map(|x| line.iter().flat_map(move |y| line.iter().map(move |z| (x, y, z))));
    all.map(|(x, y, z)| ([x.0, y.0, z.0], x.1 * y.1 * z.1)).collect()
}

/// A product of three functions of one coordinate each, (value, slope).
fn product(f: [(f64, f64); 3]) -> (f64, Point) {
    let d = [0, 1, 2].map(|k| f[k].1 * f[(k + 1) % 3].0 * f[(k + 2) % 3].0);
    (f[0].0 * f[1].0 * f[2].0, d)
}

fn functions_8(xi: Point) -> Vec<(f64, Point)> {
    CORNERS.iter().map(|c| product([0, 1, 2].map(|k| ((1.0 + xi[k] * c[k]) / 2.0, c[k] / 2.0)))).collect()
}

fn functions_20(xi: Point) -> Vec<(f64, Point)> {
    let of_node = |c: &Point| {
        let (n, d) = product([0, 1, 2].map(|k| match c[k] {
            0.0 => (1.0 - xi[k] * xi[k], -2.0 * xi[k]),
            c => ((1.0 + xi[k] * c) / 2.0, c / 2.0),
        }));
        if c.contains(&0.0) {
            return (n, d);
        }
        let sum = (0..3).map(|k| xi[k] * c[k]).sum::<f64>() - 2.0;
        (n * sum, [0, 1, 2].map(|k| d[k] * sum + n * c[k]))
    };
    NODES.iter().map(of_node).collect()
}

pub(super) const HEXA8: SolidKernel = SolidKernel {
    nodes: &CORNERS,
    functions: functions_8,
    stiffness_rule: || rule(2),
    mass_rule: || rule(2),
    incompatible: true,
    extrapolated: false,
};

pub(super) const HEXA20: SolidKernel = SolidKernel {
    nodes: &NODES,
    functions: functions_20,
    stiffness_rule: || rule(3),
    mass_rule: || rule(3),
    incompatible: false,
    extrapolated: true,
};

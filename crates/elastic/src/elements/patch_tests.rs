//! Patch tests: a displacement that is linear in space gives constant stress and no force at inner nodes, in meshes of any shape.
//! [Irons, Razzaque 1972]

use trunnion_num::space::Point;

use super::{input, kernel, mass_matrix, product};
use crate::assembly::components;
use crate::model::{ElementKind, ElementProperty, FeModel, IsotropicMaterial};

const MATERIAL: IsotropicMaterial =
    IsotropicMaterial { youngs_modulus: 70.0, poissons_ratio: 0.3, density: 2.0 };
/// u = G x.
const G: [[f64; 3]; 3] = [[1e-3, 2e-4, -3e-4], [5e-4, -7e-4, 1e-4], [2e-4, 6e-4, 4e-4]];

/// 2 × 2 × 2 cells of the unit cube, every node moved off its place.
fn distorted() -> (Vec<Point>, Vec<[usize; 8]>) {
    let mut nodes = vec![];
    for k in 0..27 {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| i as f64 / 2.0);
        nodes.push([0, 1, 2].map(|c| at[c] + 0.09 * ((7 * k + 5 * c + 1) as f64 * 1.7).sin()));
    }
    let cell = |i: usize, j: usize, k: usize| i + 3 * j + 9 * k;
    let cells = (0..8).map(|c| {
        let (i, j, k) = (c % 2, c / 2 % 2, c / 4);
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
            .map(|(a, b, d)| cell(i + a, j + b, k + d))
    });
    (nodes, cells.collect())
}

/// Cells as elements of the kind; nodes on edges lie in the middle.
fn mesh(kind: ElementKind) -> FeModel {
    let (nodes, cells) = distorted();
    let mut model = FeModel::default();
    model.materials.push(MATERIAL);
    model.properties.push(ElementProperty::Solid);
    for x in nodes {
        model.node(x);
    }
    // All tetrahedra around the diagonal 0-6, both wedges along the plane 0-2-6-4.
    let parts: &[&[usize]] = match kind {
        ElementKind::Tetra4 | ElementKind::Tetra10 => {
            &[&[0, 1, 2, 6], &[0, 2, 3, 6], &[0, 3, 7, 6], &[0, 7, 4, 6], &[0, 4, 5, 6], &[0, 5, 1, 6]]
        }
        ElementKind::Wedge6 | ElementKind::Wedge15 => &[&[0, 1, 2, 4, 5, 6], &[0, 2, 3, 4, 6, 7]],
        _ => &[&[0, 1, 2, 3, 4, 5, 6, 7]],
    };
    let edges: &[(usize, usize)] = match kind {
        ElementKind::Tetra10 => &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        ElementKind::Wedge15 => &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)],
        ElementKind::Hexa20 => {
            &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
        }
        _ => &[],
    };
    let mut middle = std::collections::BTreeMap::new();
    for cell in cells {
        for part in parts {
            let mut of: Vec<usize> = part.iter().map(|&c| cell[c]).collect();
            for &(a, b) in edges {
                let key = (of[a].min(of[b]), of[a].max(of[b]));
                let at = |model: &FeModel| {
                    trunnion_num::space::between(model.nodes[key.0].at, model.nodes[key.1].at, 0.5)
                };
                let place = *middle.entry(key).or_insert_with(|| {
                    let at = at(&model);
                    model.node(at)
                });
                of.push(place);
            }
            model.element(kind, &of, Some(0), 0);
        }
    }
    model
}

fn moved(x: Point) -> Point {
    G.map(|row| trunnion_num::space::dot(row, x))
}

fn check(kind: ElementKind) {
    let model = mesh(kind);
    let (e, nu) = (MATERIAL.youngs_modulus, MATERIAL.poissons_ratio);
    let (lambda, mu) = (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), MATERIAL.shear_modulus());
    let trace = G[0][0] + G[1][1] + G[2][2];
    let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];
    let sigma = pairs.map(|(i, j)| mu * (G[i][j] + G[j][i]) + if i == j { lambda * trace } else { 0.0 });
    let density: f64 = 0.5
        * pairs
            .iter()
            .zip(sigma)
            .map(|(&(i, j), s)| s * (G[i][j] + if i == j { 0.0 } else { G[j][i] }))
            .sum::<f64>();
    let u: Vec<f64> = model
        .nodes
        .iter()
        .flat_map(|n| {
            let d = moved(n.at);
            [d[0], d[1], d[2], 0.0, 0.0, 0.0]
        })
        .collect();
    let mut force = vec![0.0; u.len()];
    let (mut energy, mut volume, mut mass) = (0.0, 0.0, 0.0);
    for element in &model.elements {
        let (data, kernel, parts) = (input(&model, element).unwrap(), kernel(kind), components(element));
        let u_e: Vec<f64> = parts.iter().map(|&d| u[d]).collect();
        let f = product(&kernel.stiffness(&data).unwrap(), &u_e);
        parts.iter().zip(&f).for_each(|(&d, f)| force[d] += f);
        energy += 0.5 * f.iter().zip(&u_e).map(|(f, u)| f * u).sum::<f64>();
        for point in kernel.stress_points(&data).unwrap() {
            for (found, expected) in product(&point.rows, &u_e).iter().zip(sigma) {
                assert!((found - expected).abs() < 1e-13, "{kind:?}: {found} {expected}");
            }
        }
        let points = kernel.mass_points(&data).unwrap();
        volume += points.iter().map(|p| p.mass).sum::<f64>() / MATERIAL.density;
        // A unit acceleration along x has the mass as its inertia.
        let m = mass_matrix(&points, parts.len());
        let along: Vec<f64> = (0..parts.len()).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        mass += product(&m, &along).iter().zip(&along).map(|(f, a)| f * a).sum::<f64>();
        let prestress = kernel.prestress_points(&data).unwrap();
        for point in prestress {
            let g = product(&point.gradient, &u_e);
            (0..9).for_each(|r| assert!((g[r] - G[r % 3][r / 3]).abs() < 1e-13, "{kind:?}"));
        }
    }
    let inner = |n: &usize| is_inner(&model, *n);
    let largest = force.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
    for node in (0..model.nodes.len()).filter(inner) {
        (0..3).for_each(|c| assert!(force[6 * node + c].abs() < 1e-12 * largest, "{kind:?}, node {node}"));
    }
    assert!((energy / (density * volume) - 1.0).abs() < 1e-12, "{kind:?}");
    assert!((mass / (MATERIAL.density * volume) - 1.0).abs() < 1e-12, "{kind:?}");
}

/// Node 13 of the grid is the only one inside the cube; nodes on edges to it are inside as well.
fn is_inner(model: &FeModel, node: usize) -> bool {
    let centre = model.nodes[13].at;
    let of_edge = |other: usize| {
        let middle = trunnion_num::space::between(centre, model.nodes[other].at, 0.5);
        trunnion_num::space::norm(trunnion_num::space::minus(middle, model.nodes[node].at)) < 1e-12
    };
    node == 13 || (node >= 27 && (0..27).any(of_edge))
}

#[test]
fn solids_pass_the_patch_test() {
    for kind in [
        ElementKind::Tetra4,
        ElementKind::Tetra10,
        ElementKind::Hexa8,
        ElementKind::Hexa20,
        ElementKind::Wedge6,
        ElementKind::Wedge15,
    ] {
        check(kind);
    }
}

//! Patch tests of shells in an oblique plane: constant membrane strain, constant curvature, rigid motions.

use trunnion_num::space::{self, Point};

use super::{input, kernel, product};
use crate::assembly::components;
use crate::model::{ElementKind, ElementProperty, FeModel, IsotropicMaterial};

const MATERIAL: IsotropicMaterial =
    IsotropicMaterial { youngs_modulus: 70.0, poissons_ratio: 0.3, density: 2.0 };
const THICKNESS: f64 = 0.05;

/// 3 × 3 distorted quadrilaterals, or each cut into two triangles; places in the plane beside the model.
fn mesh(kind: ElementKind) -> (FeModel, Vec<[f64; 2]>, [Point; 3]) {
    let axes = space::transposed(space::from_rpy([0.4, -0.8, 0.3]));
    let mut model = FeModel::default();
    model.materials.push(MATERIAL);
    model.properties.push(ElementProperty::Shell { thickness: THICKNESS });
    let mut places = vec![];
    for k in 0..16 {
        let place = [0, 1].map(|c| {
            let at = if c == 0 { k % 4 } else { k / 4 } as f64 / 3.0;
            at + 0.07 * ((5 * k + 3 * c + 1) as f64 * 1.3).sin()
        });
        places.push(place);
        model.node(space::plus(space::times(place[0], axes[0]), space::times(place[1], axes[1])));
    }
    for k in 0..9 {
        let first = k % 3 + 4 * (k / 3);
        let [a, b, c, d] = [first, first + 1, first + 5, first + 4];
        if kind == ElementKind::Quad4 {
            model.element(kind, &[a, b, c, d], Some(0), 0);
        } else {
            model.element(kind, &[a, b, c], Some(0), 0);
            model.element(kind, &[a, c, d], Some(0), 0);
        }
    }
    (model, places, axes)
}

/// Local displacement and rotation of the plane become nodal ones of the model.
fn nodal(places: &[[f64; 2]], axes: [Point; 3], field: impl Fn([f64; 2]) -> [f64; 6]) -> Vec<f64> {
    let turn = |v: [f64; 3]| (0..3).fold([0.0; 3], |s, k| space::plus(s, space::times(v[k], axes[k])));
    let of = |p: &[f64; 2]| {
        let f = field(*p);
        [turn([f[0], f[1], f[2]]), turn([f[3], f[4], f[5]])].concat()
    };
    places.iter().flat_map(of).collect()
}

/// Forces at inner nodes as a share of the largest at all, the energy, and the stresses of both layers in the plane's axes.
fn response(kind: ElementKind, field: impl Fn([f64; 2]) -> [f64; 6]) -> (f64, f64, Vec<[f64; 3]>, f64) {
    let (model, places, axes) = mesh(kind);
    let u = nodal(&places, axes, field);
    let mut force = vec![0.0; u.len()];
    let (mut energy, mut area, mut stresses) = (0.0, 0.0, vec![]);
    for element in &model.elements {
        let (data, kernel, parts) = (input(&model, element).unwrap(), kernel(kind), components(element));
        let u_e: Vec<f64> = parts.iter().map(|&d| u[d]).collect();
        let f = product(&kernel.stiffness(&data).unwrap(), &u_e);
        parts.iter().zip(&f).for_each(|(&d, f)| force[d] += f);
        energy += 0.5 * f.iter().zip(&u_e).map(|(f, u)| f * u).sum::<f64>();
        area += kernel.mass_points(&data).unwrap().iter().map(|p| p.mass).sum::<f64>() / (2.0 * THICKNESS);
        for point in kernel.stress_points(&data).unwrap() {
            let s = product(&point.rows, &u_e);
            // From the axes of the element to those of the plane.
            let r: Vec<[f64; 2]> =
                (0..2).map(|k| [0, 1].map(|j| space::dot(axes[k], point.axes[j]))).collect();
            let full = [[s[0], s[3]], [s[3], s[1]]];
            let turned = |a: usize, b: usize| {
                (0..4).map(|k| r[a][k / 2] * full[k / 2][k % 2] * r[b][k % 2]).sum::<f64>()
            };
            stresses.push([turned(0, 0), turned(1, 1), turned(0, 1)]);
        }
    }
    let largest = force.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
    let inner =
        [5, 6, 9, 10].iter().flat_map(|n| 6 * n..6 * n + 6).fold(0.0_f64, |m, d| m.max(force[d].abs()));
    (inner / largest.max(f64::MIN_POSITIVE), energy, stresses, area)
}

const KINDS: [ElementKind; 2] = [ElementKind::Quad4, ElementKind::Triangle3];

/// σ of a plane strain.
fn plane_stress([xx, yy, xy]: [f64; 3]) -> [f64; 3] {
    let (e, nu) = (MATERIAL.youngs_modulus, MATERIAL.poissons_ratio);
    let c = e / (1.0 - nu * nu);
    [c * (xx + nu * yy), c * (yy + nu * xx), c * (1.0 - nu) / 2.0 * xy]
}

#[test]
fn shells_pass_the_membrane_patch_test() {
    let g = [[1e-3, 4e-4], [-2e-4, 6e-4]];
    let sigma = plane_stress([g[0][0], g[1][1], g[0][1] + g[1][0]]);
    let density = 0.5 * (sigma[0] * g[0][0] + sigma[1] * g[1][1] + sigma[2] * (g[0][1] + g[1][0]));
    for kind in KINDS {
        let (inner, energy, stresses, area) = response(kind, |[x, y]| {
            [g[0][0] * x + g[0][1] * y, g[1][0] * x + g[1][1] * y, 0.0, 0.0, 0.0, (g[1][0] - g[0][1]) / 2.0]
        });
        assert!(inner < 1e-12, "{kind:?}: {inner}");
        assert!((energy / (density * area * THICKNESS) - 1.0).abs() < 1e-12, "{kind:?}");
        stresses
            .iter()
            .for_each(|s| (0..3).for_each(|k| assert!((s[k] - sigma[k]).abs() < 1e-13, "{kind:?}")));
    }
}

#[test]
fn shells_pass_the_bending_patch_test() {
    // w = ½ (a x² + b y²) + c x y: curvatures of the surface (β_x,x …) are −a, −b, −2c.
    let (a, b, c) = (0.3, -0.2, 0.15);
    let kappa = [-a, -b, -2.0 * c];
    let moment = plane_stress(kappa);
    let density: f64 = 0.5 * (0..3).map(|k| moment[k] * kappa[k]).sum::<f64>() * THICKNESS.powi(3) / 12.0;
    for kind in KINDS {
        let (inner, energy, stresses, area) = response(kind, |[x, y]| {
            let w = 0.5 * (a * x * x + b * y * y) + c * x * y;
            [0.0, 0.0, w, b * y + c * x, -(a * x + c * y), 0.0]
        });
        assert!(inner < 1e-11, "{kind:?}: {inner}");
        assert!((energy / (density * area) - 1.0).abs() < 1e-11, "{kind:?}: {energy} {}", density * area);
        for (point, s) in stresses.iter().enumerate() {
            let z = if point % 2 == 0 { -0.5 } else { 0.5 } * THICKNESS;
            (0..3).for_each(|k| assert!((s[k] - z * moment[k]).abs() < 1e-12, "{kind:?}"));
        }
    }
}

#[test]
fn rigid_motions_strain_no_shell() {
    for kind in KINDS {
        let (_, energy, _, area) =
            response(kind, |[x, y]| [0.1 - 0.3 * y, 0.2 + 0.3 * x, 0.5 * y - 0.7 * x, 0.5, 0.7, 0.3]);
        assert!(energy.abs() < 1e-14 * MATERIAL.youngs_modulus * area, "{kind:?}: {energy}");
    }
}

/// Pure bending in the plane of a rectangle of two triangles of any aspect: the optimal membrane has the energy ½ E I κ² of the beam.
/// [Felippa 2003, §6]
#[test]
fn two_triangles_bend_exactly() {
    let (nu, kappa) = (MATERIAL.poissons_ratio, 0.02);
    for (long, high) in [(1.0, 1.0), (2.0, 1.0), (6.0, 1.0)] {
        let mut model = FeModel::default();
        model.materials.push(MATERIAL);
        model.properties.push(ElementProperty::Shell { thickness: THICKNESS });
        for [x, y] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
            model.node([x * long / 2.0, y * high / 2.0, 0.0]);
        }
        let mut energy = 0.0;
        for nodes in [[0, 1, 2], [0, 2, 3]] {
            let index = model.element(ElementKind::Triangle3, &nodes, Some(0), 0);
            let k = kernel(ElementKind::Triangle3)
                .stiffness(&input(&model, &model.elements[index]).unwrap())
                .unwrap();
            let of = |n: &usize| {
                let [x, y, _] = model.nodes[*n].at;
                [-kappa * x * y, 0.5 * kappa * (x * x + nu * y * y), 0.0, 0.0, 0.0, kappa * x]
            };
            let u: Vec<f64> = nodes.iter().flat_map(of).collect();
            energy += 0.5 * product(&k, &u).iter().zip(&u).map(|(f, u)| f * u).sum::<f64>();
        }
        let inertia = THICKNESS * f64::powi(high, 3) / 12.0;
        let expected = 0.5 * MATERIAL.youngs_modulus * inertia * kappa * kappa * long;
        assert!((energy / expected - 1.0).abs() < 1e-12, "{long}: {}", energy / expected);
    }
}

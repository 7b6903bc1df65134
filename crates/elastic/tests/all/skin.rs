//! The surface of parts: closed, moving as the part does, with its stress.

use std::collections::HashMap;

use trunnion_elastic::*;
use trunnion_num::Matrix;
use trunnion_num::space::{cross, dot, plus};

/// Every edge belongs to two faces, in opposite directions.
fn is_closed(skin: &BodySkin) -> bool {
    let mut edges: HashMap<(usize, usize), i32> = HashMap::new();
    for face in &skin.faces {
        for i in 0..face.len() {
            *edges.entry((face[i], face[(i + 1) % face.len()])).or_default() += 1;
        }
    }
    edges.iter().all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1))
}

/// Enclosed volume: positive where faces look outwards.
fn volume(skin: &BodySkin) -> f64 {
    let mut sum = 0.0;
    for face in &skin.faces {
        let p = |i: usize| skin.points[face[i]].at;
        for i in 1..face.len() - 1 {
            sum += dot(p(0), cross(p(i), p(i + 1))) / 6.0;
        }
    }
    sum
}

fn highest(skin: &BodySkin) -> f64 {
    let of = |rows: &Matrix| von_mises(std::array::from_fn(|i| rows[(i, 0)]));
    skin.points.iter().flat_map(|p| &p.stress).map(of).fold(0.0, f64::max)
}

fn steel() -> IsotropicMaterial {
    IsotropicMaterial { youngs_modulus: 210e9, poissons_ratio: 0.3, density: 7850.0 }
}

/// A beam of 2 m along x with a force at its end; its skin in the deflection.
fn cantilever(shape: SectionShape, force: [f64; 6]) -> BodySkin {
    let mut model = FeModel::default();
    model.materials.push(steel());
    model.properties.push(ElementProperty::Beam(BeamSection::prismatic(shape.constants())));
    let nodes: Vec<usize> = (0..=5).map(|i| model.node([0.4 * f64::from(i), 0.0, 0.0])).collect();
    for pair in nodes.windows(2) {
        model.beam([pair[0], pair[1]], 0, 0, [0.0, 1.0, 0.0]);
    }
    model.clamp(nodes[0]);
    model.loads.push(FeLoad::Nodal { node: nodes[5], force });
    let u = static_deflection(&model).unwrap().displacements;
    let u = Matrix::from_fn(u.len(), 1, |i, _| u[i]);
    body_skin(&model, &u, &[Some(shape.outline())]).unwrap()
}

/// Closed, with the volume of the outline, and the stress M c / I at the clamp.
#[test]
fn beams_are_swept_outlines() {
    let force = [0.0, 0.0, -100.0, 0.0, 0.0, 0.0];
    let (w, h) = (0.06, 0.02);
    let cases = [
        (SectionShape::Rectangle { width: w, height: h }, w * h * 2.0),
        (
            SectionShape::I { width: w, height: 0.08, web: 0.005, flange: 0.006 },
            (2.0 * 0.06 * 0.006 + 0.068 * 0.005) * 2.0,
        ),
        (SectionShape::L { width: w, height: 0.04, thickness: 0.004 }, (0.06 + 0.036) * 0.004 * 2.0),
    ];
    for (shape, expected) in cases {
        let skin = cantilever(shape, force);
        assert!(is_closed(&skin), "{shape:?}");
        assert!((volume(&skin) / expected - 1.0).abs() < 1e-9, "{shape:?} {}", volume(&skin));
    }
    let skin = cantilever(cases[0].0, force);
    let stress = 200.0 * 0.5 * h / (w * h.powi(3) / 12.0);
    assert!((highest(&skin) / stress - 1.0).abs() < 1e-8, "{}", highest(&skin));
    // The end sinks by F L³/3 E I and more by shear.
    let lowest = skin.points.iter().map(|p| p.motion[(2, 0)]).fold(0.0, f64::min);
    let bent = -100.0 * 8.0 / (3.0 * 210e9 * (w * h.powi(3) / 12.0));
    assert!((lowest / bent - 1.0).abs() < 1e-3, "{lowest} {bent}");
}

/// τ = T r / J all round a twisted tube.
#[test]
fn a_twisted_tube_has_one_stress() {
    let shape = SectionShape::Tube { outer_radius: 0.03, inner_radius: 0.027 };
    let skin = cantilever(shape, [0.0, 0.0, 0.0, 200.0, 0.0, 0.0]);
    let tau = 200.0 * 0.03 / shape.constants().torsion;
    for rows in skin.points.iter().flat_map(|p| &p.stress) {
        let [first, second, third] = principal_stresses(std::array::from_fn(|i| rows[(i, 0)]));
        assert!((first / tau - 1.0).abs() < 1e-8 && (third / tau + 1.0).abs() < 1e-8, "{first} {third}");
        assert!(second.abs() < 1e-6 * tau);
    }
}

/// A block of bricks pulled along x: its outer faces alone, with σ = F / A at every point.
#[test]
fn solids_show_their_outer_faces() {
    let mut model = FeModel::default();
    model.materials.push(steel());
    model.properties.push(ElementProperty::Solid);
    let mut at = HashMap::new();
    for (i, j, k) in (0..27).map(|n| (n / 9, n / 3 % 3, n % 3)) {
        at.insert((i, j, k), model.node([0.2 * f64::from(i), 0.1 * f64::from(j), 0.1 * f64::from(k)]));
    }
    for (i, j, k) in (0..8).map(|n| (n / 4, n / 2 % 2, n % 2)) {
        let ring = |k: i32| [(i, j, k), (i + 1, j, k), (i + 1, j + 1, k), (i, j + 1, k)].map(|p| at[&p]);
        let nodes = [ring(k), ring(k + 1)].concat();
        model.element(ElementKind::Hexa8, &nodes, Some(0), 0);
    }
    // Uniform strain ε along x with free contraction.
    let u = Matrix::from_fn(6 * model.nodes.len(), 1, |row, _| {
        let [x, y, z] = model.nodes[row / 6].at;
        [1e-3 * x, -0.3e-3 * y, -0.3e-3 * z, 0.0, 0.0, 0.0][row % 6]
    });
    let skin = body_skin(&model, &u, &[]).unwrap();
    assert_eq!((skin.points.len(), skin.faces.len()), (26, 24));
    assert!(is_closed(&skin));
    assert!((volume(&skin) / 0.016 - 1.0).abs() < 1e-12);
    assert!((highest(&skin) / 210e6 - 1.0).abs() < 1e-9, "{}", highest(&skin));
    let moved = |p: &SkinPoint| plus(p.at, [0, 1, 2].map(|i| p.motion[(i, 0)]));
    let far = skin.points.iter().map(|p| moved(p)[0]).fold(0.0, f64::max);
    assert!((far - 0.4004).abs() < 1e-12);
}

/// The mode acceleration method: with no modes but the static ones, a clamped beam under gravity has its exact deflection and section forces.
#[test]
fn residuals_complete_a_reduced_body() {
    let mut model = FeModel::default();
    model.materials.push(steel());
    let shape = SectionShape::Rectangle { width: 0.06, height: 0.02 };
    model.properties.push(ElementProperty::Beam(BeamSection::prismatic(shape.constants().slender())));
    let nodes: Vec<usize> = (0..=8).map(|i| model.node([0.25 * f64::from(i), 0.0, 0.0])).collect();
    for pair in nodes.windows(2) {
        model.beam([pair[0], pair[1]], 0, 0, [0.0, 1.0, 0.0]);
    }
    let options = ReductionOptions { interfaces: vec![1, 9], modes: 0, frame: BodyFrame::Clamped(0) };
    let body = reduce(&model, &options).unwrap();
    let residuals = load_residuals(&model, &body.shapes, nodes[0]).unwrap();
    // At rest a − g = 9.81 m/s² along z: column 8. The coordinates of the body are those of (3) in its documentation, without rates.
    let q: Vec<f64> =
        (0..body.modes()).map(|a| -9.81 * body.c_t0[(a, 2)] / body.stiffness_e[(a, a)]).collect();
    let (rows, columns) = (6 * model.nodes.len(), body.modes());
    let u = Matrix::from_fn(rows, 1, |i, _| {
        (0..columns).map(|a| body.shapes[(i, a)] * q[a]).sum::<f64>() + 9.81 * residuals[(i, 8)]
    });
    let load = 7850.0 * 9.81 * 0.06 * 0.02;
    let e_i = 210e9 * 0.06 * 0.02_f64.powi(3) / 12.0;
    for (i, &node) in nodes.iter().enumerate() {
        let x = 0.25 * i as f64;
        let sag = -load * x * x * (24.0 - 8.0 * x + x * x) / (24.0 * e_i);
        assert!((u[(6 * node + 2, 0)] - sag).abs() < 1e-9 * load / e_i, "{x}");
    }
    let all: Vec<usize> = (0..8).collect();
    let forces = section_force_recovery(&model, &u, &all).unwrap();
    let within = section_load_recovery(&model, &body.shapes, &all, [0.0; 3]).unwrap();
    for (section, loads) in forces.iter().zip(&within) {
        let x = 0.25 * (section.node - 1) as f64;
        let moment = section.rows[(4, 0)] + 9.81 * loads[(4, 8)];
        let shear = section.rows[(2, 0)] + 9.81 * loads[(2, 8)];
        assert!((moment - 0.5 * load * (2.0 - x).powi(2)).abs() < 1e-8 * load, "{x} {moment}");
        assert!((shear + load * (2.0 - x)).abs() < 1e-8 * load, "{x} {shear}");
    }
}

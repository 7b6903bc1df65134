//! Stress and section forces against closed forms; links, masses, springs and bushings in balance.

use std::f64::consts::PI;

use trunnion_elastic::*;
use trunnion_num::Matrix;

use crate::shells::surface;
use crate::solids::brick_bar;
use crate::support::*;

fn column(result: &StaticResult) -> Matrix {
    Matrix::from_fn(result.displacements.len(), 1, |i, _| result.displacements[i])
}

/// A bent and twisted tube: σ = M r/I at the outer fibre, τ = T r/J everywhere, σ_v = √(σ² + 3τ²).
#[test]
fn a_tube_under_bending_and_torque_has_the_stress_of_theory() {
    let (radius, length, force, torque) = (0.05, 2.0, 400.0, 300.0);
    let c = SectionShape::Tube { outer_radius: radius, inner_radius: 0.045 }.constants();
    let mut model = line_of_beams(4, [0.0; 3], [length, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
    model.clamp(0);
    model.loads.push(FeLoad::Nodal { node: 4, force: [0.0, 0.0, -force, torque, 0.0, 0.0] });
    let u = column(&static_deflection(&model).unwrap());
    let root: Vec<_> =
        stress_recovery(&model, &u, &[0]).unwrap().into_iter().filter(|s| s.node == 1).collect();
    assert_eq!(root.len(), 4);
    let bending = force * length * radius / c.i_yy;
    let twist = torque * radius / c.torsion;
    // Points at +y, +z, −y, −z: pulled above, pressed below.
    for (point, sigma) in root.iter().zip([0.0, bending, 0.0, -bending]) {
        let s = point.at(&[1.0]);
        assert!((s[0] - sigma).abs() < 1e-9 * bending, "{s:?}");
        near(s[3].hypot(s[5]), twist, 1e-9);
        near(von_mises(s), (sigma * sigma + 3.0 * twist * twist).sqrt(), 1e-9);
        let p = principal_stresses(s);
        near(p[0], sigma / 2.0 + (sigma * sigma / 4.0 + twist * twist).sqrt(), 1e-9);
        near(p[2], sigma / 2.0 - (sigma * sigma / 4.0 + twist * twist).sqrt(), 1e-9);
    }
    let forces = section_force_recovery(&model, &u, &[0, 3]).unwrap();
    let expected = [[0.0, 0.0, -force, torque, force * length, 0.0], [0.0, 0.0, -force, torque, 0.0, 0.0]];
    for (found, expected) in [(&forces[0], expected[0]), (&forces[3], expected[1])] {
        for k in 0..6 {
            assert!((found.rows[(k, 0)] - expected[k]).abs() < 1e-6, "{k}: {}", found.rows[(k, 0)]);
        }
    }
}

/// A cantilever of 20-node bricks under a tip force: σ = F (L − x) z/I away from the ends, averaged at nodes.
#[test]
fn a_bent_block_has_the_stress_of_beam_theory() {
    let (length, side, force) = (1.0, 0.1_f64, 1e4);
    for kind in [ElementKind::Hexa20, ElementKind::Hexa8] {
        let mut bar = brick_bar(kind, [10, 2, 2], [length, side, side], STEEL);
        bar.left.iter().for_each(|&n| bar.model.clamp(n));
        let share = force / bar.right.len() as f64;
        for &node in &bar.right {
            bar.model.loads.push(FeLoad::Nodal { node, force: [0.0, 0.0, -share, 0.0, 0.0, 0.0] });
        }
        let u = column(&static_deflection(&bar.model).unwrap());
        let all: Vec<usize> = (0..bar.model.elements.len()).collect();
        let mean = averaged_stress(&stress_recovery(&bar.model, &u, &all).unwrap());
        let inertia = side.powi(4) / 12.0;
        let mut seen = 0;
        for (number, _, rows) in mean {
            let at = bar.model.nodes[bar.model.node_index(number).unwrap()].at;
            if at[0] > 0.39 && at[0] < 0.61 && at[2].abs() > 0.049 {
                let expected = force * (length - at[0]) * at[2] / inertia;
                near(rows[(0, 0)], expected, 0.01);
                seen += 1;
            }
        }
        assert!(seen > 10);
    }
}

/// A square plate under pressure, simply supported: M = 0.0479 q L² at its centre [Timoshenko1959, table 8], σ = 6 M/t².
#[test]
fn a_plate_under_pressure_has_the_stress_of_the_table() {
    let (side, thickness, pressure, n) = (1.0, 0.01_f64, 5000.0, 16);
    for kind in [ElementKind::Quad4, ElementKind::Triangle3] {
        let mut model = surface(kind, [n, n], thickness, STEEL, |s, t| [side * s, side * t, 0.0]);
        for i in 0..model.nodes.len() {
            let [x, y, _] = model.nodes[i].at;
            let edge = [x, side - x, y, side - y].iter().any(|d| d.abs() < 1e-9);
            model.fix(i, [true, true, edge, false, false, true]);
        }
        for element in 0..model.elements.len() {
            model.loads.push(FeLoad::Pressure { element, pressure });
        }
        let u = column(&static_deflection(&model).unwrap());
        let all: Vec<usize> = (0..model.elements.len()).collect();
        let centre = model.nodes[(n / 2) * (n + 1) + n / 2].number;
        let expected = 6.0 * 0.0479 * pressure * side * side / (thickness * thickness);
        for (node, layer, rows) in averaged_stress(&stress_recovery(&model, &u, &all).unwrap()) {
            if node == centre {
                // Pressed from above: pulled below.
                let sign = if layer == 0 { 1.0 } else { -1.0 };
                near(rows[(0, 0)], sign * expected, 0.02);
                near(rows[(1, 0)], sign * expected, 0.02);
            }
        }
    }
}

/// Stress of modal coordinates is the stress of the shape they make.
#[test]
fn recovery_is_linear_in_modal_coordinates() {
    let section = SectionShape::I { width: 0.08, height: 0.1, web: 0.006, flange: 0.008 }.constants();
    let model = line_of_beams(4, [0.0; 3], [1.0, 0.4, 0.0], section, STEEL, [0.0, 0.0, 1.0]);
    let options = ReductionOptions { interfaces: vec![1, 5], modes: 3, frame: BodyFrame::Clamped(0) };
    let body = reduce(&model, &options).unwrap();
    let q: Vec<f64> = (0..body.modes()).map(|i| 1e-3 * (1.0 + i as f64).sin()).collect();
    let shape = body.shapes.times(&Matrix::from_fn(q.len(), 1, |i, _| q[i]));
    let (a, b) = (
        stress_recovery(&model, &body.shapes, &[1]).unwrap(),
        stress_recovery(&model, &shape, &[1]).unwrap(),
    );
    for (a, b) in a.iter().zip(&b) {
        near(von_mises(a.at(&q)), von_mises(b.at(&[1.0])), 1e-9);
        // Neither invariant depends on the axes.
        let turned = StressRecovery { rows: a.in_model_axes(), ..a.clone() };
        near(von_mises(turned.at(&q)), von_mises(a.at(&q)), 1e-9);
    }
    assert_eq!(displacement_recovery(&body.shapes, 0).norm(), 0.0);
}

/// The reaction of a spring-held frame: what an averaging link spreads is in balance with what acts on it.
#[test]
fn an_averaging_link_is_in_balance() {
    let mut model = FeModel::default();
    model.properties.push(ElementProperty::Bushing {
        axes: trunnion_num::space::UNTURNED,
        stiffness: [1e5, 2e5, 3e5, 0.0, 0.0, 0.0],
    });
    let places = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.3, 0.1], [1.1, 0.9, -0.3], [0.4, 0.5, 0.8]];
    for at in places {
        let node = model.node(at);
        model.element(ElementKind::Bushing1, &[node], None, 0);
        model.fix(node, [false, false, false, true, true, true]);
    }
    let reference = model.node([0.7, -0.4, 0.6]);
    let nodes = (0..5).map(|n| (n, 1.0 + n as f64)).collect();
    model.links.push(FeLink::Averaging { number: 1, reference, nodes });
    let load = [30.0, -20.0, 50.0, 7.0, -11.0, 13.0];
    model.loads.push(FeLoad::Nodal { node: reference, force: load });
    let result = static_deflection(&model).unwrap();
    let mut sum = [0.0; 6];
    for (n, at) in places.iter().enumerate() {
        let u = result.at(n);
        let f = [1e5 * u[0], 2e5 * u[1], 3e5 * u[2]];
        let moment = trunnion_num::space::cross(trunnion_num::space::minus(*at, [0.7, -0.4, 0.6]), f);
        (0..3).for_each(|k| {
            sum[k] += f[k];
            sum[3 + k] += moment[k];
        });
    }
    (0..6).for_each(|k| near(sum[k], load[k], 1e-9));
    // A support at the reference instead: its nodes are then what follows.
    let mut held = model.clone();
    held.clamp(reference);
    held.loads = vec![FeLoad::Nodal { node: 0, force: load }];
    let result = static_deflection(&held).unwrap();
    assert!(result.at(reference).iter().all(|u| *u == 0.0));
    let mean: [f64; 3] = std::array::from_fn(|k| (0..5).map(|n| (1.0 + n as f64) * result.at(n)[k]).sum());
    assert!(mean.iter().all(|m| m.abs() < 1e-12), "{mean:?}");
}

/// A mass on two springs in a row, carried by a rigid link off its centre: √(k/2m)/2π.
#[test]
fn springs_masses_and_rigid_links_vibrate() {
    let mut model = FeModel::default();
    model.properties.push(ElementProperty::Spring { stiffness: 800.0 });
    let ends = [0.0, 1.0, 2.0, 3.0].map(|x| model.node([x, 0.0, 0.0]));
    model.element(ElementKind::Spring2, &[ends[0], ends[1]], None, 0);
    model.element(ElementKind::Spring2, &[ends[1], ends[2]], None, 0);
    let along = [false, true, true, true, true, true];
    model.fix(ends[1], along);
    model.clamp(ends[0]);
    model.links.push(FeLink::Rigid {
        number: 1,
        reference: ends[3],
        nodes: vec![ends[2]],
        components: [true; 6],
    });
    model.fix(ends[3], along);
    model.masses.push(PointMass {
        node: ends[3],
        mass: 2.0,
        offset: [0.0, 0.3, 0.0],
        inertia: [[0.0; 3]; 3],
    });
    let modes = natural_modes(&model, 5).unwrap();
    assert_eq!(modes.eigenvalues.len(), 1);
    near(modes.frequencies()[0], (400.0_f64 / 2.0).sqrt() / (2.0 * PI), 1e-10);
    near(modes.shapes[0][6 * ends[2]], modes.shapes[0][6 * ends[3]], 1e-12);
}

/// Rods: a three-legged stand, against the sum of the legs' axial stiffness; and a string of rods under tension.
#[test]
fn rods_carry_axial_force_only() {
    let mut model = FeModel::default();
    model.materials.push(STEEL);
    model.properties.push(ElementProperty::Rod { area: 1e-4 });
    let top = model.node([0.0, 0.0, 1.0]);
    let mut stiffness = 0.0;
    for k in 0..3 {
        let (sin, cos) = (f64::from(k) * 2.0 * PI / 3.0).sin_cos();
        let foot = model.node([0.5 * cos, 0.5 * sin, 0.0]);
        model.fix(foot, [true; 6]);
        model.element(ElementKind::Rod2, &[foot, top], Some(0), 0);
        let length = 1.25_f64.sqrt();
        stiffness += STEEL.youngs_modulus * 1e-4 / length * (1.0 / length).powi(2);
    }
    model.loads.push(FeLoad::Nodal { node: top, force: [0.0, 0.0, -1000.0, 0.0, 0.0, 0.0] });
    let result = static_deflection(&model).unwrap();
    near(result.at(top)[2], -1000.0 / stiffness, 1e-10);
    let stress = stress_recovery(&model, &column(&result), &[0]).unwrap();
    near(stress[0].at(&[1.0])[0], -1000.0 / 3.0 * 1.25_f64.sqrt() / 1e-4, 1e-10);
}

#[test]
fn wrong_values_are_named_all_at_once() {
    let section = SectionShape::Circle { radius: 0.02 }.constants();
    let mut model = line_of_beams(3, [0.0; 3], [1.0, 0.0, 0.0], section, STEEL, [0.0, 1.0, 0.0]);
    assert!(check_model(&model).is_empty());
    model.elements[0].placement.as_mut().unwrap().orientation = [1.0, 0.0, 0.0];
    model.nodes[3].at = model.nodes[2].at;
    assert_eq!(check_model(&model), [FeError::Degenerate { element: 1 }, FeError::Degenerate { element: 3 }]);
    model.materials[0].poissons_ratio = 0.5;
    model.materials[0].youngs_modulus = f64::NAN;
    model.loads.push(FeLoad::Nodal { node: 99, force: [0.0; 6] });
    assert_eq!(check_model(&model).len(), 3);
    assert!(matches!(static_deflection(&model), Err(FeError::BadValue { owner: 1, .. })));
    model.materials[0] = STEEL;
    assert_eq!(static_deflection(&model), Err(FeError::NoSuchNode { user: 0 }));
    model.loads = vec![FeLoad::Gravity { acceleration: [0.0, f64::INFINITY, 0.0] }];
    assert!(matches!(
        static_deflection(&model),
        Err(FeError::BadValue { owner: 1, what: "value of load", .. })
    ));
    for shape in [
        SectionShape::Tube { outer_radius: 0.1, inner_radius: 0.1 },
        SectionShape::Box { width: 0.1, height: 0.1, side: 0.05, cover: 0.01 },
        SectionShape::L { width: 0.1, height: 0.1, thickness: -0.01 },
    ] {
        assert!(!shape.is_possible());
    }
}

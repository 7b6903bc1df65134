//! Shells: plates against Navier's series, a cylindrical roof, buckling, in-plane bending.

use std::f64::consts::PI;

use trunnion_elastic::*;

use crate::support::*;

/// A grid of quadrilaterals, or each cut into two triangles, on a surface given by shares of both directions.
pub fn surface(
    kind: ElementKind,
    counts: [usize; 2],
    thickness: f64,
    material: IsotropicMaterial,
    at: impl Fn(f64, f64) -> [f64; 3],
) -> FeModel {
    let mut model = FeModel::default();
    model.materials.push(material);
    model.properties.push(ElementProperty::Shell { thickness });
    for j in 0..=counts[1] {
        for i in 0..=counts[0] {
            model.node(at(i as f64 / counts[0] as f64, j as f64 / counts[1] as f64));
        }
    }
    for k in 0..counts[0] * counts[1] {
        let first = k % counts[0] + (counts[0] + 1) * (k / counts[0]);
        let [a, b, c, d] = [first, first + 1, first + counts[0] + 2, first + counts[0] + 1];
        if kind == ElementKind::Quad4 {
            model.element(kind, &[a, b, c, d], Some(0), 0);
        } else {
            model.element(kind, &[a, b, c], Some(0), 0);
            model.element(kind, &[a, c, d], Some(0), 0);
        }
    }
    model
}

const KINDS: [ElementKind; 2] = [ElementKind::Quad4, ElementKind::Triangle3];

fn where_at(model: &FeModel, test: impl Fn([f64; 3]) -> bool) -> Vec<usize> {
    model.nodes.iter().enumerate().filter(|(_, n)| test(n.at)).map(|(i, _)| i).collect()
}

/// A quarter of a square plate of side 2a, simply supported along x = a and y = a, symmetric about the other edges.
fn quarter_plate(kind: ElementKind, n: usize, a: f64, thickness: f64) -> FeModel {
    let mut model = surface(kind, [n, n], thickness, STEEL, |s, t| [a * s, a * t, 0.0]);
    let edge = |x: f64, value: f64| (x - value).abs() < 1e-9;
    for i in 0..model.nodes.len() {
        let at = model.nodes[i].at;
        let mut fixed = [true, true, false, false, false, true];
        // Hard support: no rotation about the normal of the edge.
        fixed[2] = edge(at[0], a) || edge(at[1], a);
        fixed[3] = edge(at[1], 0.0) || edge(at[0], a);
        fixed[4] = edge(at[0], 0.0) || edge(at[1], a);
        model.fix(i, fixed);
    }
    model
}

fn rigidity(thickness: f64) -> f64 {
    STEEL.youngs_modulus * thickness.powi(3) / (12.0 * (1.0 - STEEL.poissons_ratio.powi(2)))
}

/// Navier's series at the centre: w = 16 q L⁴/(π⁶ D) Σ (−1)^((m+n)/2−1)/(m n (m²+n²)²), odd m, n.
#[test]
fn a_plate_under_pressure_deflects_as_navier_found() {
    let (a, thickness, pressure) = (0.5_f64, 0.002, 1000.0);
    let mut series = 0.0;
    for m in (1..60).step_by(2) {
        for n in (1..60).step_by(2) {
            let sign = if (m + n) / 2 % 2 == 1 { 1.0 } else { -1.0 };
            let (m, n) = (f64::from(m), f64::from(n));
            series += sign / (m * n * (m * m + n * n).powi(2));
        }
    }
    let expected = 16.0 * pressure * (2.0 * a).powi(4) / (PI.powi(6) * rigidity(thickness)) * series;
    for kind in KINDS {
        let error = |n: usize| {
            let mut model = quarter_plate(kind, n, a, thickness);
            for element in 0..model.elements.len() {
                model.loads.push(FeLoad::Pressure { element, pressure });
            }
            let w = static_deflection(&model).unwrap().at(0)[2];
            assert!(w < 0.0, "pressure acts against the normal");
            -w / expected - 1.0
        };
        let (coarse, fine) = (error(6), error(12));
        assert!(fine.abs() < 6e-4, "{kind:?}: {coarse} {fine}");
        // Triangles are closer still, and not yet at their order.
        if kind == ElementKind::Quad4 {
            near((coarse / fine).log2(), 2.0, 0.05);
        }
    }
}

/// ω = π² (m² + n²)/L² √(D/ρt); doubly symmetric modes have odd m and n: 2, 10, 10, 18.
#[test]
fn a_plate_vibrates_as_navier_found() {
    let (a, thickness) = (0.5, 0.002);
    let unit = PI * PI / (4.0 * a * a) * (rigidity(thickness) / (STEEL.density * thickness)).sqrt();
    for kind in KINDS {
        let errors = |n: usize| {
            let modes = natural_modes(&quarter_plate(kind, n, a, thickness), 4).unwrap().eigenvalues;
            let numbers = [2.0, 10.0, 10.0, 18.0];
            modes
                .into_iter()
                .zip(numbers)
                .map(|(l, number)| l.sqrt() / (number * unit) - 1.0)
                .collect::<Vec<_>>()
        };
        let (coarse, fine) = (errors(8), errors(16));
        for k in 0..4 {
            assert!(fine[k] > 0.0 && fine[k] < [1.1e-3, 1e-2, 1e-2, 1.1e-2][k], "{kind:?}: {fine:?}");
            near((coarse[k] / fine[k]).log2(), 2.0, 0.1);
        }
    }
}

/// Compressed along x: N = 4 π² D/L².
#[test]
fn a_plate_buckles_at_the_classical_load() {
    let (a, thickness) = (0.5, 0.004);
    for kind in KINDS {
        let n = 10;
        let mut model = quarter_plate(kind, n, a, thickness);
        for (support, node) in model.supports.iter_mut().zip(&model.nodes) {
            support.components[0] = node.at[0].abs() < 1e-9;
            support.components[1] = node.at[1].abs() < 1e-9;
        }
        for node in where_at(&model, |x| (x[0] - a).abs() < 1e-9) {
            let y = model.nodes[node].at[1];
            let share = if y < 1e-9 || (y - a).abs() < 1e-9 { 0.5 } else { 1.0 };
            model.loads.push(FeLoad::Nodal { node, force: [-share * a / n as f64, 0.0, 0.0, 0.0, 0.0, 0.0] });
        }
        let found = buckling_modes(&model, 2).unwrap().factors[0];
        near(found, 4.0 * PI * PI * rigidity(thickness) / (4.0 * a * a), 1e-2);
    }
}

/// The roof of Scordelis and Lo: R = 25, L = 50, 80°, t = 0.25, E = 4.32e8, ν = 0, 90 per area; 0.3024 at the middle of the free edge
/// [MacNeal, Harder 1985].
#[test]
fn the_roof_of_scordelis_and_lo_sags_as_published() {
    let (radius, half, thickness) = (25.0, 25.0, 0.25);
    let material = IsotropicMaterial { youngs_modulus: 4.32e8, poissons_ratio: 0.0, density: 1.0 };
    for kind in KINDS {
        let n = 14;
        let mut model = surface(kind, [n, n], thickness, material.clone(), |s, t| {
            let angle = s * 40_f64.to_radians();
            [radius * angle.sin(), half * t, radius * angle.cos()]
        });
        for i in 0..model.nodes.len() {
            let [x, y, _] = model.nodes[i].at;
            let (diaphragm, middle, crown) = (y.abs() < 1e-9, (y - half).abs() < 1e-9, x.abs() < 1e-9);
            model.fix(i, [diaphragm || crown, middle, diaphragm, middle, crown, middle || crown]);
        }
        model.loads.push(FeLoad::Gravity { acceleration: [0.0, 0.0, -90.0 / thickness] });
        let sag = -static_deflection(&model).unwrap().at((n + 1) * (n + 1) - 1)[2];
        near(sag, 0.3024, 0.02);
    }
}

/// In-plane bending of a strip one element high: incompatible modes and rotations about the normal keep it from locking.
#[test]
fn a_strip_bends_in_its_plane() {
    let (length, height, thickness, force) = (1.0_f64, 0.1_f64, 0.01, 100.0);
    let inertia = thickness * height.powi(3) / 12.0;
    let shear = 1.2 * force * length / (STEEL.shear_modulus() * thickness * height);
    let expected = force * length.powi(3) / (3.0 * STEEL.youngs_modulus * inertia) + shear;
    for kind in KINDS {
        let mut model = surface(kind, [10, 1], thickness, STEEL, |s, t| [length * s, height * t, 0.0]);
        where_at(&model, |x| x[0] < 1e-9).into_iter().for_each(|n| model.clamp(n));
        for node in where_at(&model, |x| x[0] > length - 1e-9) {
            model.loads.push(FeLoad::Nodal { node, force: [0.0, force / 2.0, 0.0, 0.0, 0.0, 0.0] });
        }
        let tip = static_deflection(&model).unwrap().at(10)[1];
        near(tip, expected, 0.03);
    }
}

#[test]
fn free_shells_have_six_rigid_body_modes_in_any_direction() {
    for kind in KINDS {
        // A twisted, curved strip: its quadrilaterals are warped.
        let model = surface(kind, [8, 2], 0.01, STEEL, |s, t| {
            let angle = 0.5 * s;
            [s, (t - 0.5) * 0.3 * angle.cos(), (t - 0.5) * 0.3 * angle.sin() + 0.2 * s * s]
        });
        let (a, b) = (natural_modes(&model, 12).unwrap(), natural_modes(&rotated(&model), 12).unwrap());
        assert_eq!((a.rigid, b.rigid), (6, 6), "{kind:?}");
        (6..12).for_each(|i| near(a.eigenvalues[i], b.eigenvalues[i], 1e-7));
    }
}

/// A cantilever strip a fifth as thick as long, ν = 0: bending F L³/3EI and shear 6/5 F L/GA, of which the second is 2.4 per cent.
#[test]
fn a_thick_strip_deflects_by_shear() {
    let material = IsotropicMaterial { poissons_ratio: 0.0, ..STEEL };
    let (length, width, thickness, n) = (1.0, 0.1, 0.2_f64, 40);
    let mut model =
        surface(ElementKind::Quad4, [n, 1], thickness, material.clone(), |s, t| [length * s, width * t, 0.0]);
    where_at(&model, |x| x[0] < 1e-9).into_iter().for_each(|k| model.clamp(k));
    for node in where_at(&model, |x| x[0] > length - 1e-9) {
        model.loads.push(FeLoad::Nodal { node, force: [0.0, 0.0, 500.0, 0.0, 0.0, 0.0] });
    }
    let bending = 4.0 * 1e3 * length.powi(3) / (material.youngs_modulus * width * thickness.powi(3));
    let shear = 1.2 * 1e3 * length / (material.shear_modulus() * width * thickness);
    near(static_deflection(&model).unwrap().at(n)[2], bending + shear, 3e-4);
}

/// Mass, centre and inertia of a bent plate, thickness included, are those of its reduced model.
#[test]
fn a_reduced_shell_keeps_its_inertia() {
    for kind in KINDS {
        let model =
            surface(kind, [4, 2], 0.05, STEEL, |s, t| [s, 0.4 * t, if s > 0.5 { s - 0.5 } else { 0.0 }]);
        let options = ReductionOptions { interfaces: vec![1, 15], modes: 3, frame: BodyFrame::Clamped(0) };
        let report = reduce(&model, &options).unwrap().report;
        assert!(report.inertia_mismatch < 1e-9 && report.rigid_energy < 1e-9, "{kind:?}: {report:?}");
    }
}

//! Beams: tip deflection, frequencies, rigid-body modes, sections, offsets, releases, taper, tension, buckling.
//! Numbers without another source are closed forms of beam theory [Timoshenko1955, Blevins1979].

use std::f64::consts::PI;

use trunnion_elastic::*;

use crate::support::*;

/// (βL)² of a cantilever: cos βL cosh βL = −1.
pub const CANTILEVER: [f64; 6] =
    [3.5160152685, 22.0344915647, 61.6972144135, 120.9019160523, 199.8595301168, 298.5555309677];

/// Flexible direction of [`slender_section`] is local y: EI_zz.
fn cantilever(count: usize) -> FeModel {
    let mut model =
        line_of_beams(count, [0.0; 3], [1.0, 0.0, 0.0], slender_section(), STEEL, [0.0, 1.0, 0.0]);
    model.clamp(0);
    model
}

/// ω/(√(EI/mL⁴)) of bending in local y.
fn bending_numbers(model: &FeModel, count: usize) -> Vec<f64> {
    let c = slender_section();
    let unit = (STEEL.youngs_modulus * c.i_zz / (STEEL.density * c.area)).sqrt();
    let modes = natural_modes(model, count).unwrap();
    let in_plane = |s: &Vec<f64>| {
        let part = |c: usize| s.iter().skip(c).step_by(6).map(|v| v * v).sum::<f64>();
        part(1) > part(2) + part(0)
    };
    let found = modes.eigenvalues.iter().zip(&modes.shapes).filter(|(_, s)| in_plane(s));
    found.map(|(l, _)| l.sqrt() / unit).collect()
}

/// Own computation with Hermite's cubics, errors of modes 1 to 3 in per cent.
#[test]
fn hermite_elements_converge_as_in_the_table() {
    let table: [(usize, &[f64]); 5] = [
        (1, &[0.475, 58.0]),
        (2, &[0.0483, 0.849, 21.8]),
        (4, &[3.3e-3, 0.117, 0.774]),
        (8, &[2.1e-4, 8.0e-3, 0.0608]),
        (16, &[1.3e-5, 5.1e-4, 4.0e-3]),
    ];
    for (count, errors) in table {
        let found = bending_numbers(&cantilever(count), if count == 1 { 4 } else { 6 });
        for (k, error) in errors.iter().enumerate() {
            let off = 100.0 * (found[k] / CANTILEVER[k] - 1.0);
            // The table has two digits.
            assert!((off - error).abs() < 0.04 * error, "{count} elements, mode {}: {off} %", k + 1);
        }
    }
}

#[test]
fn frequencies_of_a_cantilever_are_those_of_theory() {
    let found = bending_numbers(&cantilever(80), 14);
    for (found, expected) in found.iter().zip(CANTILEVER) {
        near(*found, expected, 3e-6);
    }
    assert!(found.len() >= 6);
}

#[test]
fn a_free_beam_has_six_rigid_body_modes() {
    let section = SectionShape::Tube { outer_radius: 0.05, inner_radius: 0.045 }.constants();
    let model = line_of_beams(12, [0.2, 0.1, -0.3], [1.0, 2.0, 0.5], section, STEEL, [0.0, 0.0, 1.0]);
    for lumped_mass in [false, true] {
        let modes = natural_modes(&FeModel { lumped_mass, ..model.clone() }, 12).unwrap();
        assert_eq!(modes.rigid, 6);
        // A tube bends alike in both directions: pairs.
        let f = modes.frequencies();
        near(f[6], f[7], 1e-7);
        near(f[8], f[9], 1e-7);
    }
}

/// cosh βL cos βL = 1: βL = 4.730040744863. Lumped masses tend to it with the square of the element length.
#[test]
fn a_free_beam_has_the_frequency_of_theory() {
    let c = slender_section();
    let expected =
        4.730040744863_f64.powi(2) * (STEEL.youngs_modulus * c.i_zz / (STEEL.density * c.area)).sqrt();
    let first = |count: usize, lumped_mass: bool| {
        let model = line_of_beams(count, [0.0; 3], [1.0, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
        natural_modes(&FeModel { lumped_mass, ..model }, 8).unwrap().eigenvalues[6].sqrt()
    };
    near(first(40, false), expected, 1e-5);
    let error = |count| (first(count, true) / expected - 1.0).abs();
    near((error(10) / error(20)).log2(), 2.0, 0.05);
}

/// FEDEM's cantilever pipe: 0.343424 m without shear, 0.345020 m with a shear factor of 2.
#[test]
fn the_cantilever_pipe_bends_as_published() {
    let mut section = SectionShape::Tube { outer_radius: 0.25, inner_radius: 0.24 }.constants();
    let material = IsotropicMaterial { youngs_modulus: 2.1e11, poissons_ratio: 0.29, density: 7850.0 };
    section.shear_areas = Some([section.area / 2.0; 2]);
    for (section, expected) in [(section.clone().slender(), 0.343424), (section, 0.345020)] {
        let mut model =
            line_of_beams(5, [0.0; 3], [0.0, 0.0, 10.0], section, material.clone(), [0.0, 1.0, 0.0]);
        model.clamp(0);
        model.loads.push(FeLoad::Nodal { node: 5, force: [1e5, 0.0, 0.0, 0.0, 0.0, 0.0] });
        let found = static_deflection(&model).unwrap();
        assert!((found.at(5)[0] - expected).abs() < 5e-7, "{}", found.at(5)[0]);
        near(found.strain_energy, 0.5e5 * found.at(5)[0], 1e-9);
        // The published deflection at three fifths of the length, 0.086555 at 0.2 of the tip, is with shear.
        if expected > 0.345 {
            near(found.at(3)[0] / found.at(5)[0], 0.086555 / 0.2, 6e-6);
        }
    }
}

/// FEDEM's tensioned beam: f_n = n/2L √(T/m) √(1 + n²π²EI/(TL²)).
#[test]
fn a_tensioned_beam_vibrates_as_published() {
    let (length, tension) = (100.0, 5.46e7);
    let section = SectionShape::Circle { radius: 0.15 }.constants().slender();
    let material = IsotropicMaterial { youngs_modulus: 2.11e11, poissons_ratio: 0.2866, density: 7874.0 };
    let mut model = line_of_beams(40, [0.0; 3], [length, 0.0, 0.0], section, material, [0.0, 1.0, 0.0]);
    model.fix(0, [true, true, true, true, false, false]);
    model.fix(40, [false, true, true, false, false, false]);
    model.loads.push(FeLoad::Nodal { node: 40, force: [tension, 0.0, 0.0, 0.0, 0.0, 0.0] });
    let modes = stressed_modes(&model, 10).unwrap().frequencies();
    let published = [1.56722547, 3.14156220, 4.73006800, 6.33969545, 7.97724331];
    for (n, expected) in published.iter().enumerate() {
        near(modes[2 * n], *expected, 2e-4);
        near(modes[2 * n + 1], *expected, 2e-4);
    }
}

#[test]
fn columns_buckle_at_the_loads_of_euler() {
    let section = SectionShape::Rectangle { width: 0.01, height: 0.02 }.constants().slender();
    let euler = PI * PI * STEEL.youngs_modulus * section.i_zz;
    let column = |last: [bool; 6], first: [bool; 6]| {
        let mut model = line_of_beams(8, [0.0; 3], [0.0, 0.0, 1.0], section.clone(), STEEL, [1.0, 0.0, 0.0]);
        model.fix(0, first);
        model.fix(8, last);
        model.loads.push(FeLoad::Nodal { node: 8, force: [0.0, 0.0, -1.0, 0.0, 0.0, 0.0] });
        buckling_modes(&model, 3).unwrap().factors[0]
    };
    let clamped = [true; 6];
    near(column([false; 6], clamped), euler / 4.0, 1e-5);
    near(
        column([true, true, false, false, false, false], [true, true, true, false, false, true]),
        euler,
        1e-4,
    );
    near(column([true, true, false, true, true, true], clamped), 4.0 * euler, 2e-3);
    // tan kL = kL: kL = 4.493409457909.
    near(
        column([true, true, false, false, false, false], clamped),
        (4.493409457909 / PI).powi(2) * euler,
        1e-3,
    );
}

#[test]
fn tension_alone_does_not_buckle() {
    let mut model = cantilever(4);
    model.loads.push(FeLoad::Nodal { node: 4, force: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0] });
    assert_eq!(buckling_modes(&model, 2), Err(FeError::NoBuckling));
}

/// The tip of an L section moves obliquely: u = F L³/3E (I⁻¹), with the load through the shear centre.
#[test]
fn an_unsymmetric_section_bends_obliquely_and_twists_about_its_shear_centre() {
    let c = SectionShape::L { width: 0.1, height: 0.06, thickness: 0.006 }.constants().slender();
    let (length, force) = (1.5, 200.0);
    let mut model = line_of_beams(3, [0.0; 3], [length, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
    model.clamp(0);
    let [ys, _] = c.shear_centre;
    // Moment about x that moves the force from the centroid to the shear centre.
    model.loads.push(FeLoad::Nodal { node: 3, force: [0.0, 0.0, force, ys * force, 0.0, 0.0] });
    let tip = static_deflection(&model).unwrap().at(3);
    let factor = force * length.powi(3) / (3.0 * STEEL.youngs_modulus * (c.i_yy * c.i_zz - c.i_yz.powi(2)));
    assert!(tip[3].abs() < 1e-12);
    near(tip[2], factor * c.i_zz, 1e-9);
    near(tip[1], -factor * c.i_yz, 1e-9);
    // Through the centroid it twists.
    model.loads = vec![FeLoad::Nodal { node: 3, force: [0.0, 0.0, force, 0.0, 0.0, 0.0] }];
    let tip = static_deflection(&model).unwrap().at(3);
    near(tip[3], -ys * force * length / (STEEL.shear_modulus() * c.torsion), 1e-9);
}

/// A load on an arm of a rigid offset is a load and a moment; the node moves with the beam end.
#[test]
fn offsets_are_rigid_arms() {
    let c = SectionShape::Tube { outer_radius: 0.03, inner_radius: 0.025 }.constants().slender();
    let mut model = line_of_beams(1, [0.0; 3], [1.0, 0.0, 0.0], c.clone(), STEEL, [0.0, 0.0, 1.0]);
    model.clamp(0);
    let arm = 0.2;
    model.nodes[1].at = [1.0, arm, 0.0];
    model.elements[0].placement.as_mut().unwrap().offsets[1] = [0.0, -arm, 0.0];
    model.loads.push(FeLoad::Nodal { node: 1, force: [0.0, 0.0, -100.0, 0.0, 0.0, 0.0] });
    let tip = static_deflection(&model).unwrap().at(1);
    let ei = STEEL.youngs_modulus * c.i_yy;
    let gj = STEEL.shear_modulus() * c.torsion;
    near(tip[2], -100.0 / (3.0 * ei) - 100.0 * arm * arm / gj, 1e-9);
}

/// Both ends clamped, a hinge at the middle: two cantilevers of half length share the load.
#[test]
fn a_released_end_is_a_hinge() {
    let c = SectionShape::Rectangle { width: 0.02, height: 0.04 }.constants().slender();
    let mut model = line_of_beams(2, [0.0; 3], [2.0, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
    model.clamp(0);
    model.clamp(2);
    model.elements[0].placement.as_mut().unwrap().releases[1] = [false, false, false, false, true, true];
    model.loads.push(FeLoad::Nodal { node: 1, force: [0.0, 0.0, -50.0, 0.0, 0.0, 0.0] });
    let middle = static_deflection(&model).unwrap().at(1);
    near(middle[2], -25.0 / (3.0 * STEEL.youngs_modulus * c.i_yy), 1e-9);
    let twice = &mut model.elements[0].placement.as_mut().unwrap().releases;
    *twice = [[false, false, false, true, false, false]; 2];
    assert_eq!(static_deflection(&model), Err(FeError::ReleasedTwice { element: 1 }));
}

/// A cone from radius 2r to r: axial stretch F L/(E π r₁ r₂), tip deflection F L³/(3E) · 4/(π r₁³ r₂).
#[test]
fn a_tapered_beam_is_that_of_the_cone() {
    let (r_1, r_2, length) = (0.04, 0.02, 1.0);
    let at = |s: f64| SectionShape::Circle { radius: r_1 + s * (r_2 - r_1) }.constants().slender();
    let mut model = line_of_beams(1, [0.0; 3], [length, 0.0, 0.0], at(0.0), STEEL, [0.0, 1.0, 0.0]);
    model.properties[0] = ElementProperty::Beam(BeamSection::tapered(40, at));
    model.clamp(0);
    model.loads.push(FeLoad::Nodal { node: 1, force: [1e3, 0.0, 1e3, 0.0, 0.0, 0.0] });
    let tip = static_deflection(&model).unwrap().at(1);
    let e = STEEL.youngs_modulus;
    near(tip[0], 1e3 * length / (e * PI * r_1 * r_2), 2e-3);
    near(tip[2], 4e3 * length.powi(3) / (3.0 * e * PI * r_1.powi(3) * r_2), 2e-3);
}

#[test]
fn a_rotated_frame_has_the_same_frequencies() {
    let c = SectionShape::L { width: 0.1, height: 0.06, thickness: 0.006 }.constants();
    let mut model = line_of_beams(4, [0.0; 3], [1.0, 0.0, 0.0], c, STEEL, [0.0, 1.0, 0.0]);
    let top = model.node([1.0, 0.0, 0.8]);
    model.beam([4, top], 0, 0, [0.0, 1.0, 0.0]);
    model.clamp(0);
    let inertia = [[0.4, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]];
    model.masses.push(PointMass { node: top, mass: 3.0, offset: [0.0; 3], inertia });
    for lumped_mass in [false, true] {
        let model = FeModel { lumped_mass, ..model.clone() };
        let a = natural_modes(&model, 8).unwrap().eigenvalues;
        let b = natural_modes(&rotated(&model), 8).unwrap().eigenvalues;
        a.iter().zip(&b).for_each(|(a, b)| near(*a, *b, 1e-8));
    }
}

/// Timoshenko's beam, simply supported: ω of [Timoshenko1955, art. 48] is the root of a quadratic in ω². Shear strain is constant in an
/// element, so the error falls with the square of its length; what is left after extrapolation is of higher order.
#[test]
fn a_stubby_beam_follows_timoshenko() {
    let length = 1.0;
    let c = SectionShape::Rectangle { width: 0.1, height: 0.2 }.constants();
    let found = |n: usize| {
        let mut model = line_of_beams(n, [0.0; 3], [length, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
        model.fix(0, [true, true, true, true, false, true]);
        model.fix(n, [true, true, true, true, false, true]);
        (1..n).for_each(|i| model.fix(i, [true, true, false, true, false, true]));
        natural_modes(&model, 3).unwrap().eigenvalues
    };
    let (coarse, fine) = (found(20), found(40));
    let (e, rho, shear) =
        (STEEL.youngs_modulus, STEEL.density, STEEL.shear_modulus() * c.shear_areas.unwrap()[1]);
    for k in 0..3 {
        let p = (k + 1) as f64 * PI / length;
        // (ρA)(ρI)/S λ² − (ρA + (ρA·EI/S + ρI) p²) λ + EI p⁴ = 0
        let (ra, ri, ei) = (rho * c.area, rho * c.i_yy, e * c.i_yy);
        let (a, b, q) = (ra * ri / shear, ra + (ra * ei / shear + ri) * p * p, ei * p.powi(4));
        let exact = 2.0 * q / (b + (b * b - 4.0 * a * q).sqrt());
        near(((coarse[k] - exact) / (fine[k] - exact)).log2(), 2.0, 0.02);
        near((4.0 * fine[k] - coarse[k]) / 3.0, exact, 1e-5);
    }
}

#[test]
fn faults_are_named() {
    let check = |change: &dyn Fn(&mut FeModel), expected: FeError| {
        let mut model = cantilever(3);
        change(&mut model);
        assert_eq!(static_deflection(&model), Err(expected.clone()));
        assert!(!expected.to_string().is_empty() && !expected.hint().is_empty());
    };
    check(&|m| m.nodes[2].at = m.nodes[1].at, FeError::Degenerate { element: 2 });
    check(&|m| m.nodes.push(FeNode { number: 5, at: [5.0, 0.0, 0.0] }), FeError::Unconnected { node: 5 });
    check(&|m| m.elements[1].material = None, FeError::MissingProperty { element: 2 });
    check(&|m| m.elements[1].property = 7, FeError::MissingProperty { element: 2 });
    check(&|m| m.elements[1].nodes = vec![1], FeError::NodeCount { element: 2, expected: 2, found: 1 });
    check(&|m| m.elements[1].nodes = vec![1, 99], FeError::NoSuchNode { user: 2 });
    check(
        &|m| m.supports.clear(),
        static_deflection(&FeModel { supports: vec![], ..cantilever(3) }).unwrap_err(),
    );
    let loose = static_deflection(&FeModel { supports: vec![], ..cantilever(3) });
    assert!(matches!(loose, Err(FeError::ZeroEnergyMode { .. })), "{loose:?}");
}

/// Six equal square bars that only the ground joins: every bending frequency twelve times, more often than the block of the search has
/// columns. None is missed.
#[test]
fn equal_frequencies_are_all_found() {
    let section = SectionShape::Rectangle { width: 0.02, height: 0.02 }.constants();
    let mut model = FeModel::default();
    model.materials.push(STEEL);
    model.properties.push(ElementProperty::Beam(BeamSection::prismatic(section)));
    for bar in 0..6 {
        let at = |i: usize| [0.1 * i as f64, f64::from(bar), 0.0];
        let nodes: Vec<usize> = (0..=8).map(|i| model.node(at(i))).collect();
        for w in nodes.windows(2) {
            model.beam([w[0], w[1]], 0, 0, [0.0, 1.0, 0.0]);
        }
        model.clamp(nodes[0]);
    }
    let found = natural_modes(&model, 24).unwrap().eigenvalues;
    assert_eq!(found.len(), 24);
    let ratio = (CANTILEVER[1] / CANTILEVER[0]).powi(2);
    for k in 0..12 {
        near(found[k], found[0], 1e-9);
        near(found[12 + k], found[12], 1e-9);
        near(found[12 + k] / found[k], ratio, 2e-2);
    }
}

/// Tension stiffens torsion: GJ + N I_p/A in the place of GJ.
#[test]
fn tension_stiffens_torsion() {
    let c = SectionShape::Rectangle { width: 0.1, height: 0.002 }.constants();
    let tension = 3e4;
    let mut model = line_of_beams(6, [0.0; 3], [1.0, 0.0, 0.0], c.clone(), STEEL, [0.0, 1.0, 0.0]);
    (0..7).for_each(|i| model.fix(i, [i == 0, true, true, i == 0, true, true]));
    model.loads.push(FeLoad::Nodal { node: 6, force: [tension, 0.0, 0.0, 0.0, 0.0, 0.0] });
    let (free, tight) = (natural_modes(&model, 1).unwrap(), stressed_modes(&model, 1).unwrap());
    let expected = 1.0 + tension * (c.i_yy + c.i_zz) / (c.area * STEEL.shear_modulus() * c.torsion);
    assert!(expected > 1.5);
    near(tight.eigenvalues[0] / free.eigenvalues[0], expected, 1e-9);
}

/// Two beams that a bushing joins over a gap: a free body still, and a frame that turns as one.
#[test]
fn a_bushing_over_a_gap_lets_the_body_turn() {
    let section = SectionShape::Circle { radius: 0.02 }.constants();
    let mut model = line_of_beams(2, [0.0; 3], [1.0, 0.0, 0.0], section, STEEL, [0.0, 1.0, 0.0]);
    let (first, last) = (model.node([1.2, 0.3, -0.1]), model.node([1.9, 0.8, 0.4]));
    model.beam([first, last], 0, 0, [0.0, 0.0, 1.0]);
    let stiffness = [1e7, 2e7, 3e7, 1e4, 2e4, 3e4];
    model.properties.push(ElementProperty::Bushing { axes: oblique(), stiffness });
    model.element(ElementKind::Bushing2, &[2, first], None, 1);
    assert_eq!(natural_modes(&model, 9).unwrap().rigid, 6);
}

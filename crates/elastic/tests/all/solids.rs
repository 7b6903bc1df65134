//! Solids: bricks against closed forms, rigid-body modes, convergence, faces held by links.

use trunnion_elastic::*;

use crate::support::*;

/// A bar of bricks along x with its end faces; nodes of 20-node bricks are numbered as they come.
pub struct BrickBar {
    pub model: FeModel,
    pub left: Vec<usize>,
    pub right: Vec<usize>,
}

pub fn brick_bar(
    kind: ElementKind,
    counts: [usize; 3],
    size: [f64; 3],
    material: IsotropicMaterial,
) -> BrickBar {
    let mut model = FeModel::default();
    model.materials.push(material);
    model.properties.push(ElementProperty::Solid);
    let quadratic = kind == ElementKind::Hexa20;
    let step = if quadratic { 2 } else { 1 };
    let grid = counts.map(|c| step * c + 1);
    let mut index = vec![usize::MAX; grid[0] * grid[1] * grid[2]];
    let place = |i: usize, j: usize, k: usize| i + grid[0] * (j + grid[1] * k);
    for k in 0..grid[2] {
        for j in 0..grid[1] {
            for i in 0..grid[0] {
                // A 20-node brick has no nodes inside faces.
                if !quadratic || (i % 2) + (j % 2) + (k % 2) < 2 {
                    let share = |a: usize, d: usize| size[d] * a as f64 / (grid[d] - 1) as f64;
                    let at = [share(i, 0), share(j, 1) - size[1] / 2.0, share(k, 2) - size[2] / 2.0];
                    index[place(i, j, k)] = model.node(at);
                }
            }
        }
    }
    #[rustfmt::skip]
    let offsets: [[usize; 3]; 20] = [
        [0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2],
        [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1],
        [1, 0, 2], [2, 1, 2], [1, 2, 2], [0, 1, 2],
    ];
    for c in 0..counts[0] * counts[1] * counts[2] {
        let cell = [c % counts[0], c / counts[0] % counts[1], c / counts[0] / counts[1]];
        let nodes = &offsets[..if quadratic { 20 } else { 8 }];
        let at = |o: &[usize; 3]| {
            let [i, j, k] = [0, 1, 2].map(|d| step * cell[d] + o[d] * step / 2);
            index[place(i, j, k)]
        };
        let nodes: Vec<usize> = nodes.iter().map(at).collect();
        model.element(kind, &nodes, Some(0), 0);
    }
    let on = |x: f64| {
        let found = model.nodes.iter().enumerate().filter(|(_, n)| (n.at[0] - x).abs() < 1e-9);
        found.map(|(i, _)| i).collect::<Vec<usize>>()
    };
    let (left, right) = (on(0.0), on(size[0]));
    BrickBar { model, left, right }
}

/// Adds a node at the middle of each end face with a link to it; the two nodes.
pub fn with_interfaces(bar: &mut BrickBar, averaging: bool) -> [usize; 2] {
    let middle = |model: &FeModel, face: &[usize]| {
        let sum = face.iter().fold([0.0; 3], |s, &n| std::array::from_fn(|k| s[k] + model.nodes[n].at[k]));
        sum.map(|s| s / face.len() as f64)
    };
    [bar.left.clone(), bar.right.clone()].map(|face| {
        let at = middle(&bar.model, &face);
        let reference = bar.model.node(at);
        let number = bar.model.links.len() as u32 + 1;
        bar.model.links.push(match averaging {
            true => FeLink::Averaging { number, reference, nodes: face.iter().map(|&n| (n, 1.0)).collect() },
            false => FeLink::Rigid {
                number,
                reference,
                nodes: face,
                components: [true, true, true, false, false, false],
            },
        });
        reference
    })
}

/// Pure bending of a bar of 8-node bricks, one through the height: incompatible modes make it exact at ν = 0.
#[test]
fn one_brick_through_the_height_bends() {
    let material = IsotropicMaterial { poissons_ratio: 0.0, ..STEEL };
    let (length, side) = (1.0, 0.1);
    let mut bar = brick_bar(ElementKind::Hexa8, [5, 1, 1], [length, side, side], material.clone());
    for &n in &bar.left {
        bar.model.clamp(n);
    }
    // A moment: σ = ± over the edges, in balance on the face.
    let force = 1000.0;
    for &n in &bar.right {
        let sign = bar.model.nodes[n].at[2].signum();
        bar.model.loads.push(FeLoad::Nodal { node: n, force: [sign * force, 0.0, 0.0, 0.0, 0.0, 0.0] });
    }
    let moment = 4.0 * force * side / 2.0;
    let result = static_deflection(&bar.model).unwrap();
    let inertia = side.powi(4) / 12.0;
    let expected = -moment * length * length / (2.0 * material.youngs_modulus * inertia);
    near(result.at(bar.right[0])[2], expected, 1e-6);
}

#[test]
fn free_bricks_have_six_rigid_body_modes() {
    for kind in [ElementKind::Hexa8, ElementKind::Hexa20] {
        let bar = brick_bar(kind, [4, 2, 1], [0.6, 0.2, 0.1], STEEL);
        let a = natural_modes(&bar.model, 12).unwrap();
        assert_eq!(a.rigid, 6, "{kind:?}");
        let b = natural_modes(&rotated(&bar.model), 12).unwrap();
        (6..12).for_each(|i| near(a.eigenvalues[i], b.eigenvalues[i], 1e-9));
    }
}

/// A slim arm of 20-node bricks, one face held: at ν = 0 the held face strains nothing, and the solid is a Timoshenko beam.
#[test]
fn a_slim_arm_vibrates_as_a_beam() {
    let material = IsotropicMaterial { poissons_ratio: 0.0, ..STEEL };
    let (length, side) = (2.0, 0.08);
    let mut bar = brick_bar(ElementKind::Hexa20, [40, 1, 1], [length, side, side], material.clone());
    bar.left.iter().for_each(|&n| bar.model.clamp(n));
    let solid = natural_modes(&bar.model, 4).unwrap().frequencies();
    let section = SectionShape::Rectangle { width: side, height: side }.constants();
    let mut beam = line_of_beams(40, [0.0; 3], [length, 0.0, 0.0], section, material, [0.0, 1.0, 0.0]);
    beam.clamp(0);
    let beam = natural_modes(&beam, 4).unwrap().frequencies();
    (0..4).for_each(|i| near(solid[i], beam[i], 1e-3));
}

/// Mass integrals of a brick: m = ρabc, J = m(b²+c²)/12 …, and of its stretching.
#[test]
fn integrals_of_a_brick_are_closed_forms() {
    let size = [0.8, 0.2, 0.1];
    let mut bar = brick_bar(ElementKind::Hexa20, [4, 1, 1], size, STEEL);
    let ends = with_interfaces(&mut bar, false).map(|n| bar.model.nodes[n].number);
    let options = ReductionOptions { interfaces: ends.to_vec(), modes: 4, frame: BodyFrame::MeanAxes };
    let body = reduce(&bar.model, &options).unwrap();
    let m = STEEL.density * size[0] * size[1] * size[2];
    near(body.mass, m, 1e-12);
    for k in 0..3 {
        let (b, c) = (size[(k + 1) % 3], size[(k + 2) % 3]);
        near(body.j0[k][k], m * (b * b + c * c) / 12.0, 1e-11);
        assert!(body.h0[k].abs() < 1e-12 * m && (body.origin[k] - [0.4, 0.0, 0.0][k]).abs() < 1e-12);
    }
    assert!(body.report.inertia_mismatch < 1e-9, "{}", body.report.inertia_mismatch);
    let n = body.modes();
    assert_eq!(n, 10);
    for i in 0..n {
        (0..n).for_each(|j| assert!((body.mass_e[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-8));
    }
}

/// A force at an averaging link spreads evenly: a bar in tension keeps uniform stress, so its stretch is F L/EA at ν = 0.
#[test]
fn an_averaging_link_leaves_the_face_flexible() {
    let material = IsotropicMaterial { poissons_ratio: 0.0, ..STEEL };
    let size = [1.0, 0.1, 0.1];
    let mut bar = brick_bar(ElementKind::Hexa8, [4, 1, 1], size, material);
    let [_, right] = with_interfaces(&mut bar, true);
    bar.model.links.remove(0);
    bar.model.nodes.remove(bar.model.nodes.len() - 2);
    // The left reference is gone: indices behind it move down by one.
    let right = right - 1;
    let FeLink::Averaging { reference, .. } = &mut bar.model.links[0] else { unreachable!() };
    *reference = right;
    bar.left.iter().for_each(|&n| bar.model.clamp(n));
    bar.model.loads.push(FeLoad::Nodal { node: right, force: [1e4, 0.0, 0.0, 20.0, 0.0, 0.0] });
    let result = static_deflection(&bar.model).unwrap();
    near(result.at(right)[0], 1e4 / (STEEL.youngs_modulus * 0.01), 1e-9);
    assert!(result.at(right)[3] > 0.0);
}

/// A wide frame of reduction by links to faces: both kinds of link leave a free body, and a rigid face is the stiffer.
#[test]
fn both_links_make_interfaces() {
    let mut frequencies = vec![];
    for averaging in [true, false] {
        let mut bar = brick_bar(ElementKind::Hexa8, [6, 2, 2], [0.6, 0.1, 0.1], STEEL);
        let ends = with_interfaces(&mut bar, averaging).map(|n| bar.model.nodes[n].number);
        let options = ReductionOptions { interfaces: ends.to_vec(), modes: 6, frame: BodyFrame::Clamped(0) };
        let body = reduce(&bar.model, &options).unwrap();
        assert!(body.report.inertia_mismatch < 1e-9 && body.report.rigid_energy < 1e-9, "{:?}", body.report);
        frequencies.push(body.report.frequencies.clone());
    }
    for k in 0..4 {
        assert!(frequencies[0][k] < frequencies[1][k] && frequencies[0][k] > 0.9 * frequencies[1][k]);
    }
}

/// Displacement of a bar under its own weight converges with the square of the element size for 8-node bricks, where the clamped face
/// with ν = 0 leaves the solution u = ρ g (L x − x²/2)/E exact at nodes for linear elements.
#[test]
fn a_hanging_bar_stretches_by_its_weight() {
    let material = IsotropicMaterial { poissons_ratio: 0.0, ..STEEL };
    for kind in [ElementKind::Hexa8, ElementKind::Hexa20] {
        let mut bar = brick_bar(kind, [4, 1, 1], [2.0, 0.1, 0.1], material.clone());
        bar.left.iter().for_each(|&n| bar.model.clamp(n));
        bar.model.loads.push(FeLoad::Gravity { acceleration: [9.81, 0.0, 0.0] });
        let result = static_deflection(&bar.model).unwrap();
        let expected = STEEL.density * 9.81 * 2.0 / STEEL.youngs_modulus;
        near(result.at(bar.right[0])[0], expected, 1e-9);
    }
}

/// Two corners of a quadratic brick exchanged, its middles left: every integration point is fine, but not its corners.
#[test]
fn a_quadratic_brick_that_is_turned_over_at_its_corners_is_named() {
    let mut bar = brick_bar(ElementKind::Hexa20, [2, 1, 1], [2.0, 1.0, 1.0], STEEL).model;
    let nodes = &mut bar.elements[1].nodes;
    nodes.swap(0, 1);
    nodes.swap(2, 3);
    assert_eq!(check_model(&bar), [FeError::Inverted { element: 2 }]);
}

#[test]
fn faulty_bricks_are_named() {
    let bar = brick_bar(ElementKind::Hexa8, [2, 1, 1], [2.0, 1.0, 1.0], STEEL);
    let mut inverted = bar.model.clone();
    inverted.elements[1].nodes.rotate_left(4);
    assert_eq!(natural_modes(&inverted, 3), Err(FeError::Inverted { element: 2 }));
    let mut flat = bar.model.clone();
    flat.nodes.iter_mut().for_each(|n| n.at[2] = 0.0);
    assert_eq!(natural_modes(&flat, 3), Err(FeError::Degenerate { element: 1 }));
    let mut loaded = bar.model.clone();
    bar.left.iter().for_each(|&n| loaded.clamp(n));
    loaded.loads = vec![FeLoad::Nodal { node: bar.right[0], force: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0] }];
    let number = loaded.nodes[bar.right[0]].number;
    assert_eq!(static_deflection(&loaded), Err(FeError::NothingToLoad { node: number, component: 3 }));
    loaded.loads = vec![FeLoad::Pressure { element: 0, pressure: 1.0 }];
    assert_eq!(static_deflection(&loaded), Err(FeError::MissingProperty { element: 1 }));
    loaded.loads = vec![FeLoad::Pressure { element: 9, pressure: 1.0 }];
    assert_eq!(static_deflection(&loaded), Err(FeError::NoSuchElement { index: 9 }));
    let options = ReductionOptions { interfaces: vec![1], modes: 2, frame: BodyFrame::Clamped(0) };
    assert_eq!(reduce(&bar.model, &options), Err(FeError::InterfaceWithoutRotation { node: 1 }));
}

//! Craig–Bampton reduction, inertia integrals and stiffening against closed forms of beams.

use trunnion_elastic::*;
use trunnion_num::Matrix;

use crate::beams::CANTILEVER;
use crate::support::*;

const LENGTH: f64 = 1.0;

/// A square bar along x: bending modes come in pairs. r/L = 1e-4.
fn bar(count: usize) -> FeModel {
    let side = 1e-4 * 12_f64.sqrt();
    let section = SectionShape::Rectangle { width: side, height: side }.constants().slender();
    line_of_beams(count, [0.0; 3], [LENGTH, 0.0, 0.0], section, STEEL, [0.0, 1.0, 0.0])
}

fn unit_of_frequency() -> f64 {
    let r = 1e-4;
    r * (STEEL.youngs_modulus / STEEL.density).sqrt() / (2.0 * std::f64::consts::PI)
}

fn reduced(model: &FeModel, modes: usize, frame: BodyFrame) -> ReducedBody {
    let last = model.nodes.last().unwrap().number;
    reduce(model, &ReductionOptions { interfaces: vec![1, last], modes, frame }).unwrap()
}

/// Own computation: 50 elements, both end nodes kept, one end then clamped; errors of f1 to f4 in per cent.
#[test]
fn reduced_beams_converge_as_in_the_table() {
    let table: [(usize, &[f64]); 7] = [
        (0, &[0.475, 58.0]),
        (1, &[0.0347, 0.417, 89.7]),
        (2, &[5.84e-3, 0.109, 0.370, 108.0]),
        (3, &[1.55e-3, 0.0357, 0.157, 0.297]),
        (4, &[5.41e-4, 0.0140, 0.0710, 0.163]),
        (6, &[1.07e-4, 3.17e-3, 0.0186, 0.0514]),
        (8, &[3.17e-5, 1.00e-3, 6.34e-3, 0.0192]),
    ];
    let model = bar(50);
    for (modes, errors) in table {
        // Each mode in both planes.
        let body = reduced(&model, 2 * modes, BodyFrame::Clamped(0));
        for (k, error) in errors.iter().enumerate() {
            for plane in 0..2 {
                let found = body.report.frequencies[2 * k + plane] / unit_of_frequency();
                let off = 100.0 * (found / CANTILEVER[k] - 1.0);
                // Three digits of the table, and rotary inertia at r/L = 1e-4: about 2e-6 (1, 7, 19, 38) per cent.
                assert!((off - error).abs() < 0.006 * error + 9e-5, "{modes} modes, f{}: {off} %", k + 1);
            }
        }
    }
}

#[test]
fn mass_and_inertia_survive_the_reduction() {
    let section =
        SectionShape::L { width: 0.1, height: 0.06, thickness: 0.006 }.constants().moved([0.02, -0.01]);
    let mut model = line_of_beams(6, [0.1, 0.2, 0.3], [1.0, 0.5, -0.4], section, STEEL, [0.0, 0.0, 1.0]);
    let inertia = [[0.03, 0.002, 0.0], [0.002, 0.02, 0.001], [0.0, 0.001, 0.025]];
    model.masses.push(PointMass { node: 3, mass: 2.5, offset: [0.05, 0.0, 0.1], inertia });
    for frame in [BodyFrame::Clamped(0), BodyFrame::Clamped(1), BodyFrame::MeanAxes] {
        let body = reduced(&model, 6, frame);
        assert!(body.report.inertia_mismatch < 1e-10, "{}", body.report.inertia_mismatch);
        assert!(body.report.rigid_energy < 1e-10, "{}", body.report.rigid_energy);
        let n = body.modes();
        assert_eq!(n, 12);
        let off = body.mass_e.plus(-1.0, &Matrix::identity(n)).norm();
        assert!(off < 1e-9, "{off}");
        near(body.mass, 2.5 + STEEL.density * 1.41_f64.sqrt() * (0.1 + 0.054) * 0.006, 1e-12);
        // h0 about the origin is the mass at the centre.
        for k in 0..3 {
            let expected = body.mass * (body.report.centre_of_mass[k] - body.origin[k]);
            assert!((body.h0[k] - expected).abs() < 1e-12);
        }
    }
}

/// The reduced free body has the frequencies of the full one, the lower the better, never below.
#[test]
fn frequencies_of_the_free_body_are_those_of_the_full_model() {
    let section = SectionShape::Tube { outer_radius: 0.05, inner_radius: 0.045 }.constants();
    let mut model = line_of_beams(16, [0.0; 3], [2.0, 0.0, 0.0], section, STEEL, [0.0, 1.0, 0.0]);
    let tip = model.node([2.0, 0.0, 1.0]);
    model.beam([16, tip], 0, 0, [0.0, 1.0, 0.0]);
    let full = natural_modes(&model, 12).unwrap().frequencies();
    let body = reduced(&model, 24, BodyFrame::MeanAxes);
    for k in 0..6 {
        let (full, found) = (full[6 + k], body.report.free_frequencies[k]);
        assert!(found >= full * (1.0 - 1e-9) && found < full * 1.001, "{found} {full}");
    }
    assert_eq!(body.report.free_frequencies, body.report.frequencies);
    // Mean axes: no momentum and no moment of momentum in any mode.
    let size = body.mass.sqrt();
    assert!(body.h1.norm() < 1e-7 * size, "{}", body.h1.norm());
    assert!(body.c_r0.norm() < 1e-7 * size, "{}", body.c_r0.norm());
}

/// A load at an interface deflects the reduced body as it deflects the full one.
#[test]
fn static_deflection_is_kept() {
    let section = SectionShape::Box { width: 0.1, height: 0.06, side: 0.004, cover: 0.003 }.constants();
    let model = line_of_beams(5, [0.0; 3], [1.0, 0.2, 0.0], section, STEEL, [0.0, 0.0, 1.0]);
    let body = reduced(&model, 2, BodyFrame::Clamped(0));
    let force = [100.0, -50.0, 70.0, 5.0, -4.0, 3.0];
    let mut full = model.clone();
    full.clamp(0);
    full.loads.push(FeLoad::Nodal { node: 5, force });
    let expected = static_deflection(&full).unwrap().at(5);
    let tip = &body.interfaces[1];
    let n = body.modes();
    let load = Matrix::from_fn(n, 1, |i, _| {
        (0..3).map(|k| tip.phi[(k, i)] * force[k] + tip.psi[(k, i)] * force[3 + k]).sum()
    });
    let q = body.stiffness_e.solve(&load).unwrap();
    for k in 0..3 {
        near(tip.phi.times(&q)[(k, 0)], expected[k], 1e-8);
        near(tip.psi.times(&q)[(k, 0)], expected[3 + k], 1e-8);
    }
}

/// Mode of a cantilever of modal mass 1: φ = (cosh βx − cos βx − σ(sinh βx − sin βx))/√m, and its slope.
fn mode(beta: f64, mass: f64) -> impl Fn(f64) -> (f64, f64) {
    let sigma = (beta.cosh() + beta.cos()) / (beta.sinh() + beta.sin());
    move |x| {
        let b = beta * x;
        let value = b.cosh() - b.cos() - sigma * (b.sinh() - b.sin());
        let slope = beta * (b.sinh() + b.sin() - sigma * (b.cosh() - b.cos()));
        (value / mass.sqrt(), slope / mass.sqrt())
    }
}

fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let h = 1.0 / n as f64;
    (0..n).map(|i| h * f((i as f64 + 0.5) * h)).sum()
}

/// A uniform rod clamped at its end: rigid integrals, and those of its modes over the exact mode functions.
#[test]
fn integrals_of_a_uniform_rod_are_closed_forms() {
    let body = reduced(&bar(40), 20, BodyFrame::Clamped(0));
    let m = body.mass;
    near(body.h0[0], m / 2.0, 1e-9);
    near(body.j0[1][1], m / 3.0, 1e-7);
    near(body.j0[2][2], m / 3.0, 1e-7);
    for (pair, beta) in [1.875104068712, 4.694091132974].into_iter().enumerate() {
        // 2σ/β and 2/β² [Blevins1979, table 8-1].
        let sigma = (f64::cosh(beta) + f64::cos(beta)) / (f64::sinh(beta) + f64::sin(beta));
        let sum = |f: &dyn Fn(usize) -> f64| (0..2).map(|k| f(2 * pair + k).powi(2)).sum::<f64>().sqrt();
        // Both modes of a pair lie in planes that are not determined: the length of the vector is.
        let moved = sum(&|i| body.c_t0[(i, 1)]).hypot(sum(&|i| body.c_t0[(i, 2)])) / 2_f64.sqrt();
        near(moved, m.sqrt() * 2.0 * sigma / beta, 1e-4);
        let turned = sum(&|i| body.c_r0[(i, 1)]).hypot(sum(&|i| body.c_r0[(i, 2)])) / 2_f64.sqrt();
        near(turned, m.sqrt() * 2.0 / (beta * beta), 1e-4);
        for i in [2 * pair, 2 * pair + 1] {
            // Lateral modes shift the moment about x alone by their square: ∫ φ² = 1.
            near(body.j2[i][i][0][0], 1.0, 1e-6);
            assert!(body.j1[i][1][1].abs() < 1e-9 && body.j1[i][0][0].abs() < 1e-3);
            // (ω ω) of ωx²: −∫ φ².
            near(body.o_e1[i][(i, 0)], -1.0, 1e-6);
            assert!(body.c_r1[i].row(i).iter().all(|v| v.abs() < 1e-12));
        }
    }
}

/// Rotation about z stiffens bending by ∫ ½ρA(L²−x²) φ'², axial acceleration by the weight beyond x, a tip force by itself.
#[test]
fn stiffening_of_a_cantilever_is_that_of_its_axial_force() {
    let body = reduced(&bar(40), 8, BodyFrame::Clamped(0));
    let phi = mode(1.875104068712, body.mass);
    let spun = integral(|x| 0.5 * body.mass * (1.0 - x * x) * phi(x).1.powi(2));
    let hung = integral(|x| body.mass * (1.0 - x) * phi(x).1.powi(2));
    let pulled = integral(|x| phi(x).1.powi(2));
    for i in 0..2 {
        // ωy² and ωz² pull along x, ωx² does not.
        near(body.stiffening.rates[1][(i, i)], spun, 1e-3);
        near(body.stiffening.rates[2][(i, i)], spun, 1e-3);
        assert!(body.stiffening.rates[0][(i, i)].abs() < 1e-9 * spun);
        near(body.stiffening.acceleration[0][(i, i)], -hung, 1e-3);
        near(body.stiffening.interfaces[1][0][(i, i)], pulled, 1e-3);
    }
    // Southwell's coefficient of the first flapping mode, 1.193 [Southwell, Gough 1921].
    near(spun, 1.193, 1e-3);
    assert!(body.stiffening.interfaces[0].is_empty());
}

/// A turned part has turned integrals: vectors and tensors by the rotation, scalars alike.
#[test]
fn integrals_turn_with_the_part() {
    use trunnion_num::space::{apply, product, transposed};
    let section = SectionShape::L { width: 0.1, height: 0.06, thickness: 0.006 }.constants();
    let model = line_of_beams(4, [0.0; 3], [1.0, 0.3, 0.0], section, STEEL, [0.0, 0.0, 1.0]);
    let (one, other) =
        (reduced(&model, 4, BodyFrame::Clamped(0)), reduced(&rotated(&model), 4, BodyFrame::Clamped(0)));
    let r = oblique();
    let turned = apply(r, one.h0);
    (0..3).for_each(|k| assert!((turned[k] - other.h0[k]).abs() < 1e-12));
    let j = product(product(r, one.j0), transposed(r));
    (0..9).for_each(|k| assert!((j[k / 3][k % 3] - other.j0[k / 3][k % 3]).abs() < 1e-9));
    for i in 0..one.modes() {
        near(one.stiffness_e[(i, i)], other.stiffness_e[(i, i)], 1e-7);
        let trace = |t: &[[f64; 3]; 3]| t[0][0] + t[1][1] + t[2][2];
        near(trace(&one.j2[i][i]), trace(&other.j2[i][i]), 1e-7);
    }
}

#[test]
fn faults_of_a_reduction_are_named() {
    let model = bar(4);
    // One beam has no nodes but its interfaces.
    assert_eq!(reduced(&bar(1), 4, BodyFrame::Clamped(0)).modes(), 6);
    let ask = |interfaces: &[u32]| ReductionOptions {
        interfaces: interfaces.to_vec(),
        modes: 2,
        frame: BodyFrame::Clamped(0),
    };
    assert_eq!(reduce(&model, &ask(&[5, 5])), Err(FeError::Overdetermined { node: 5, component: 0 }));
    assert_eq!(reduce(&model, &ask(&[1, 77])), Err(FeError::NoInterfaceNode { node: 77 }));
    let mut held = model.clone();
    held.clamp(2);
    assert_eq!(reduce(&held, &ask(&[1])), Err(FeError::SupportedBody { node: 3 }));
    // Two bars that nothing joins.
    let mut apart = model.clone();
    apart.elements.remove(1);
    let found = reduce(&apart, &ask(&[1, 5]));
    assert!(matches!(found, Err(FeError::Mechanism { modes: 12, .. })), "{found:?}");
    // A hinge in the middle that nothing holds when both ends are held.
    let mut loose = model;
    for (element, end) in [(1, 1), (2, 0)] {
        loose.elements[element].placement.as_mut().unwrap().releases[end] =
            [false, false, false, true, true, true];
    }
    let found = reduce(&loose, &ask(&[1, 5]));
    assert!(matches!(found, Err(FeError::ZeroEnergyMode { node: 3, component: 3..6 })), "{found:?}");
}

/// Coriolis and centrifugal terms follow from the kinetic energy: G_r ω = J1 ω + ω × C_r0, O_e0 (ω ω) = −½ ωᵀ J1 ω, and so in the next order.
#[test]
fn integrals_belong_to_one_kinetic_energy() {
    use trunnion_num::space::{apply, cross, dot, plus, times};
    let section = SectionShape::L { width: 0.1, height: 0.06, thickness: 0.006 }.constants();
    let model = line_of_beams(5, [0.2, 0.0, 0.1], [1.0, 0.3, -0.2], section, STEEL, [0.0, 0.0, 1.0]);
    let body = reduced(&model, 6, BodyFrame::Clamped(0));
    let w = [0.7, -1.1, 0.4];
    let pairs: Vec<f64> = RATE_PAIRS.iter().map(|&(a, b)| w[a] * w[b]).collect();
    let row = |m: &Matrix, i: usize| [m[(i, 0)], m[(i, 1)], m[(i, 2)]];
    let along = |m: &Matrix, i: usize| m.row(i).iter().zip(&pairs).map(|(m, p)| m * p).sum::<f64>();
    let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    for i in 0..body.modes() {
        let expected = plus(apply(body.j1[i], w), cross(w, row(&body.c_r0, i)));
        (0..3).for_each(|k| same(apply(body.g_r[i], w)[k], expected[k]));
        same(along(&body.o_e0, i), -0.5 * dot(w, apply(body.j1[i], w)));
        let turning = cross(w, apply(body.j1[i], w));
        (0..3).for_each(|k| same(along(&body.o_r1[i], k), turning[k]));
        for j in 0..body.modes() {
            let expected = plus(times(2.0, apply(body.j2[i][j], w)), cross(w, row(&body.c_r1[j], i)));
            (0..3).for_each(|k| same(apply(body.g_r1[j][i], w)[k], expected[k]));
            same(along(&body.o_e1[j], i), -dot(w, apply(body.j2[i][j], w)));
            (0..3).for_each(|k| same(body.g_e[j][(i, k)], 2.0 * body.c_r1[j][(i, k)]));
        }
    }
    let turning = cross(w, apply(body.j0, w));
    (0..3).for_each(|k| same(along(&body.o_r0, k), turning[k]));
}

/// Nearly all mass at the tip of an L: every inertial load is a force there, −m (a + α × R + ω × (ω × R)) with R = (1, 1, 0).
#[test]
fn inertial_stiffening_is_that_of_the_force_on_the_mass() {
    let section = SectionShape::Tube { outer_radius: 0.02, inner_radius: 0.018 }.constants();
    let material = IsotropicMaterial { density: 1e-3, ..STEEL };
    let mut model = line_of_beams(3, [0.0; 3], [1.0, 0.0, 0.0], section, material, [0.0, 0.0, 1.0]);
    let mut last = 3;
    for k in 1..=3 {
        let next = model.node([1.0, f64::from(k) / 3.0, 0.0]);
        model.beam([last, next], 0, 0, [0.0, 0.0, 1.0]);
        last = next;
    }
    let inertia = [[1e-2, 0.0, 0.0], [0.0, 1e-2, 0.0], [0.0, 0.0, 1e-2]];
    let mass = 4.0;
    model.masses.push(PointMass { node: last, mass, offset: [0.0; 3], inertia });
    let body = reduced(&model, 2, BodyFrame::Clamped(0));
    let s = &body.stiffening;
    let force = &s.interfaces[1];
    let check = |found: &Matrix, f: [f64; 3]| {
        let sum =
            (0..3).fold(Matrix::zeros(found.rows(), found.rows()), |sum, k| sum.plus(mass * f[k], &force[k]));
        let size = force[0].norm() + force[1].norm() + force[2].norm();
        assert!(
            found.plus(-1.0, &sum).norm() < 1e-5 * mass * size,
            "{f:?}: {}",
            found.plus(-1.0, &sum).norm() / size
        );
    };
    check(&s.acceleration[0], [-1.0, 0.0, 0.0]);
    check(&s.acceleration[1], [0.0, -1.0, 0.0]);
    check(&s.acceleration[2], [0.0, 0.0, -1.0]);
    check(&s.angular_acceleration[0], [0.0, 0.0, -1.0]);
    check(&s.angular_acceleration[1], [0.0, 0.0, 1.0]);
    check(&s.angular_acceleration[2], [1.0, -1.0, 0.0]);
    check(&s.rates[0], [0.0, 1.0, 0.0]);
    check(&s.rates[1], [1.0, 0.0, 0.0]);
    check(&s.rates[2], [1.0, 1.0, 0.0]);
    check(&s.rates[3], [-1.0, -1.0, 0.0]);
    check(&s.rates[4], [0.0, 0.0, -1.0]);
    check(&s.rates[5], [0.0, 0.0, -1.0]);
}

/// A part that is held at one interface only: its fixed-interface modes are those of the cantilever.
#[test]
fn a_single_interface_is_enough() {
    let model = bar(20);
    let options = ReductionOptions { interfaces: vec![1], modes: 4, frame: BodyFrame::Clamped(0) };
    let body = reduce(&model, &options).unwrap();
    for (k, f) in body.report.frequencies.iter().enumerate() {
        let off = f / (unit_of_frequency() * CANTILEVER[k / 2]) - 1.0;
        // Error of the Hermite beam (β h)⁴/720 of the second mode at h = L/20, and rotary inertia.
        assert!(off.abs() < 5e-6, "f{}: {off}", k + 1);
    }
    let mut grounded = model;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    grounded.properties.push(ElementProperty::Bushing { axes, stiffness: [1e-3; 6] });
    let property = grounded.properties.len() - 1;
    grounded.element(ElementKind::Bushing1, &[10], None, property);
    assert_eq!(reduce(&grounded, &options), Err(FeError::SupportedBody { node: 1 }));
}

/// Stages are told in order; an end that is asked for before one of them comes there.
#[test]
fn a_reduction_ends_between_stages() {
    let model = bar(4);
    let options = ReductionOptions { interfaces: vec![1, 5], modes: 2, frame: BodyFrame::Clamped(0) };
    let seen = std::cell::RefCell::new(vec![]);
    let all = reduce_watched(&model, &options, &|stage| {
        seen.borrow_mut().push(stage);
        true
    });
    assert_eq!(all, reduce(&model, &options));
    assert_eq!(seen.take(), ReductionStage::ALL);
    for (k, last) in ReductionStage::ALL.into_iter().enumerate() {
        let asked = std::cell::Cell::new(0);
        let ended = reduce_watched(&model, &options, &|stage| {
            asked.set(asked.get() + 1);
            stage != last
        });
        assert_eq!((ended, asked.get()), (Err(FeError::Cancelled), k + 1));
    }
}

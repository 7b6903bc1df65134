//! Beams as elastic bodies, through analysis, code and solver: frequencies, conservation, spin-up, flexible slider-crank.

mod build;

use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::sync::Arc;

use build::beam::{Beam, arm, cantilever_shapes, polynomial_shapes};
use build::elastic::mixed_tree;
use build::{IDENTITY, Model, Random, Values, close, operations, rotation, times};
use trunnion_equations::flat::{Equation, Origin};
use trunnion_equations::{EvaluationEngine, Expr, Symbol, analyse};
use trunnion_model::Sources;
use trunnion_model::mechanism::{BodyInertia, JointKind, ModalData, ModalInterface};
use trunnion_multibody::energy::account;
use trunnion_sim::integrate::{Moment, OutputTimes};
use trunnion_sim::linear::linearise;
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::{Settings, run};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

const Z: [f64; 3] = [0.0, 0.0, 1.0];

fn settings(t_end: f64, output: OutputTimes, rtol: f64) -> Settings {
    Settings {
        t_0: 0.0,
        t_end,
        output,
        at: vec![],
        rtol,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    }
}

/// The equations, with no force along the coordinates of joints.
fn prepared(model: &Model) -> Arc<Prepared> {
    let joints = &model.mechanism.joints;
    let balls = joints.iter().filter_map(|j| j.orientation.as_ref()).flat_map(|b| b.torque);
    let forces: Vec<Symbol> =
        joints.iter().flat_map(|j| j.freedoms.iter().map(|f| f.force)).chain(balls).collect();
    let mut flat = model.flat.clone();
    let zero = flat.graph.constant(0.0).id;
    for force in forces {
        let lhs = flat.ex(force).id;
        flat.equations.push(Equation {
            name: format!("no force {}", force.0),
            origin: Origin::default(),
            lhs,
            rhs: zero,
        });
    }
    Arc::new(Prepared::new(analyse(flat).unwrap(), EvaluationEngine::Native))
}

/// Values of the columns over time.
fn simulate(
    prepared: &Arc<Prepared>,
    start: &HashMap<Symbol, f64>,
    solver: &str,
    settings: &Settings,
    columns: &[&str],
) -> Vec<(f64, Vec<f64>)> {
    let place = |name: &str| {
        prepared.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no {name}"))
    };
    let places: Vec<usize> = columns.iter().map(|c| place(c)).collect();
    let mut rows = vec![];
    let mut watch = |machine: &mut Machine, t: f64, y: &[f64], _: Moment| {
        let mut row = vec![0.0; machine.loaded().columns.len()];
        machine.record(t, y, &mut row).unwrap();
        rows.push((t, places.iter().map(|&p| row[p]).collect()));
        ControlFlow::Continue(())
    };
    run(prepared, start, find(solver).unwrap(), settings, &mut watch).unwrap().result.unwrap();
    rows
}

/// (β L)² of a clamped beam, and of one whose end carries the mass of the beam: roots of 1 + cos cosh = (β L) (sin cosh − cos sinh) μ.
fn roots(mu: f64, n: usize) -> Vec<f64> {
    // Divided by cosh, so that large arguments do not overflow.
    let f = |x: f64| 1.0 / x.cosh() + x.cos() - mu * x * (x.sin() - x.cos() * x.tanh());
    let mut found = vec![];
    let (mut x, step) = (0.1, 0.01);
    while found.len() < n {
        if f(x) * f(x + step) < 0.0 {
            let (mut low, mut high) = (x, x + step);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if f(low) * f(middle) <= 0.0 { high = middle } else { low = middle }
            }
            found.push(low * low);
        }
        x += step;
    }
    found
}

/// All polynomials of degree 2 to 9 that are clamped by B; with and without a mass on the interface at its end.
#[test]
fn frequencies_of_a_cantilever() {
    let beam = Beam { length: 2.0, rho_a: 1.5, e_i: 300.0 };
    let unit = (beam.e_i / beam.rho_a).sqrt() / beam.length.powi(2);
    for mu in [0.0, 1.0] {
        let mut model = Model::new([0.0; 3]);
        let body = model.elastic_body("beam", beam.data(&polynomial_shapes(8), false));
        let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
        model.joint(JointKind::WELD, near, far, &[]);
        if mu > 0.0 {
            let mass = model.body("mass", mu * beam.rho_a * beam.length, [0.0; 3], [0.0; 6]);
            let (near, far) =
                (model.interface(body, 0, [0.0; 3], IDENTITY), model.frame(mass, [0.0; 3], IDENTITY));
            model.joint(JointKind::WELD, near, far, &[]);
        }
        model.emit();
        let prepared = prepared(&model);
        let (mut machine, y) = Machine::start(prepared, &HashMap::new(), 0.0).unwrap();
        let (linear, _) = linearise(&mut machine, 0.0, &y, &[], &[]).unwrap();
        let mut found: Vec<f64> = linear.poles().unwrap().iter().map(|p| p.im).filter(|w| *w > 0.0).collect();
        found.sort_by(f64::total_cmp);
        for (i, (w, expected)) in found.iter().zip(roots(mu, 4)).enumerate() {
            // What eight polynomials reach.
            let reach = [1e-9, 1e-8, 1e-5, 1e-3][i];
            close(w / (unit * expected), 1.0, reach, "frequency");
        }
    }
}

/// Total energy, P and L in the axes of the base's frame on the world, L about its origin.
fn kept(model: &Model, at: &Values) -> (f64, [f64; 3], [f64; 3]) {
    let energy =
        model.output(at, "mechanism.kinetic") + model.output(at, "mechanism.potential") + model.strain(at);
    let graph = &model.flat.graph;
    let matrix = trunnion_multibody::mass_matrix(graph, &model.mechanism, &Sources::default()).unwrap();
    let mut momentum: HashMap<Symbol, f64> = HashMap::new();
    for (i, j, e) in matrix {
        let m = model.eval(at, &[e])[0];
        *momentum.entry(i).or_default() += m * at.symbols[&j];
        if i != j {
            *momentum.entry(j).or_default() += m * at.symbols[&i];
        }
    }
    let base = &model.mechanism.joints[0];
    let ball = base.orientation.as_ref().unwrap();
    let linear = [0, 1, 2].map(|i| momentum[&base.freedoms[i].velocity]);
    let p = [0, 1, 2].map(|i| at.symbols[&base.freedoms[i].position]);
    let own = times(rotation(ball.quaternion.map(|s| at.symbols[&s])), ball.velocity.map(|s| momentum[&s]));
    let cross = |i: usize| p[(i + 1) % 3] * linear[(i + 2) % 3] - p[(i + 2) % 3] * linear[(i + 1) % 3];
    (energy, linear, [0, 1, 2].map(|i| cross(i) + own[i]))
}

/// Elastic and rigid bodies joined at interfaces, none of them damped.
#[test]
fn elastic_trees_in_free_flight_keep_energy_and_momentum() {
    for (seed, n) in [(11, 1), (14, 1), (12, 2), (13, 3), (16, 4)] {
        let mut model = mixed_tree(&mut Random(seed), n, [0.0; 3], Some(JointKind::FREE), false);
        model.emit();
        let start = model.random_state(&mut Random(seed + 50));
        let prepared = prepared(&model);
        let mut ignore = |_: &mut Machine, _: f64, _: &[f64], _: Moment| ControlFlow::Continue(());
        let set = settings(1.0, OutputTimes::Start, 1e-12);
        let finished = run(&prepared, &start.symbols, find("tsit45").unwrap(), &set, &mut ignore).unwrap();
        finished.result.unwrap();
        let mut end = Values::default();
        end.symbols.extend(prepared.system.unknowns.iter().copied().zip(finished.y));
        let (before, after) = (kept(&model, &start), kept(&model, &end));
        let size = 1.0 + before.0.abs();
        assert!((before.0 - after.0).abs() < 1e-8 * size, "energy {} and {}", before.0, after.0);
        for i in 0..3 {
            assert!((before.1[i] - after.1[i]).abs() < 1e-8 * size, "{:?} and {:?}", before.1, after.1);
            assert!((before.2[i] - after.2[i]).abs() < 1e-8 * size, "{:?} and {:?}", before.2, after.2);
        }
    }
}

/// A damped beam let go, with the accounts of the mechanism: what it stores and what it has lost stays what it was.
#[test]
fn accounts_of_a_damped_beam_close() {
    let beam = Beam { length: 2.0, rho_a: 1.5, e_i: 300.0 };
    let mut model = Model::new([0.0, -9.81, 0.0]);
    let body = model.elastic_body("beam", beam.data(&polynomial_shapes(3), true));
    let alpha = [0.3, 1e-3].map(|x| model.flat.graph.constant(x).id);
    if let BodyInertia::Modal(modal) = &mut model.mechanism.bodies[body].inertia {
        modal.rayleigh = alpha;
    }
    let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
    model.joint(JointKind::REVOLUTE, near, far, &[Z]);
    model.emit();
    let accounts = account(&mut model.flat, &model.mechanism, |_, _| None);
    let signals: Vec<&str> = accounts.iter().map(|a| a.signal.as_str()).collect();
    assert_eq!(signals, ["mechanism.kinetic", "mechanism.potential", "beam.strain", "energy.beam.damping"]);
    let set = settings(1.0, OutputTimes::Interval(0.1), 1e-10);
    let start = HashMap::from([(model.symbol("beam.q0"), 0.2)]);
    let rows = simulate(&prepared(&model), &start, "rodas5p", &set, &signals);
    let all: f64 = rows[0].1.iter().sum();
    let lost = rows.last().unwrap().1[3];
    assert!(lost > 0.1 * all, "{lost} of {all} is lost");
    for (t, row) in rows {
        assert!((row.iter().sum::<f64>() - all).abs() < 1e-8 * all, "{row:?} at {t}");
    }
}

/// [Kane1987]: a beam of 10 m brought to 6 rad/s in 15 s. Reference: a linear beam with stiffening of first order, solved on its own.
#[test]
fn spin_up_of_a_beam() {
    let beam = Beam { length: 10.0, rho_a: 1.2, e_i: 1.4e4 };
    let spin_up = |n: usize, stiffened: bool, t_end: f64| {
        let shapes = cantilever_shapes(n);
        let mut model = Model::new([0.0; 3]);
        let data = beam.data(&shapes, stiffened);
        let tip: Vec<f64> = data.interfaces[0].translation.iter().map(|t| t[1]).collect();
        let body = model.elastic_body("beam", data);
        let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
        let joint = model.joint(JointKind::REVOLUTE, near, far, &[Z]);
        let g = &model.flat.graph;
        let t = g.time();
        let (end, w) = (15.0, 2.0 * PI / 15.0);
        let during = (6.0 / end) * (0.5 * t * t + ((w * t).cos() - 1.0) / (w * w));
        let psi: Expr = g.select(t.le(g.constant(end)), during, 6.0 * t - 45.0).id;
        model.drive(joint, psi);
        model.emit();
        let prepared = prepared(&model);
        let names: Vec<String> = (0..n).map(|a| format!("beam.q{a}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let set = settings(t_end, OutputTimes::Interval(0.01), 1e-9);
        let rows = simulate(&prepared, &HashMap::new(), "rodas5p", &set, &names);
        let v = |q: &[f64]| q.iter().zip(&tip).map(|(q, phi)| q * phi).sum::<f64>();
        rows.iter().map(|(t, q)| (*t, v(q))).collect::<Vec<(f64, f64)>>()
    };
    for (n, largest) in [(1, -0.57826), (2, -0.57355), (3, -0.57444), (8, -0.57437)] {
        let rows = spin_up(n, true, if n == 8 { 20.0 } else { 8.0 });
        let (t, v) = rows.iter().fold((0.0, 0.0), |m, &r| if r.1 < m.1 { r } else { m });
        assert!((v - largest).abs() < 1e-5, "{n} modes: {v}, not {largest}");
        if n == 8 {
            assert!((t - 6.76).abs() < 0.011, "largest at {t}");
            let left = rows.iter().filter(|r| r.0 > 15.0).fold(0.0, |m: f64, r| m.max(r.1.abs()));
            assert!((left - 3.65e-3).abs() < 2e-5, "{left} is left");
        }
    }
    // Without stiffening the centrifugal force tears it away.
    let rows = spin_up(8, false, 9.0);
    for (t, expected) in [(5.0, -0.522), (6.0, -0.727), (7.0, -1.110), (8.0, -2.127), (9.0, -7.447)] {
        let v = rows.iter().find(|r| (r.0 - t).abs() < 1e-6).unwrap().1;
        assert!((v - expected).abs() < 2e-3 * expected.abs() + 5e-4, "{v} at {t}, not {expected}");
    }
}

/// [Simeon1996]: the connecting rod of a slider-crank bends in two sine modes and stretches in a quadratic. Its matrices as published.
fn connecting_rod() -> ModalData {
    let (l, e, b, rho) = (0.3, 2.0e11, 0.008, 7870.0);
    // As many digits of π as the source has.
    let pi: f64 = 31_415_927.0 / 1e7;
    let (fm, fk, fb) = (rho * b * b * l, e * b * b / l, b * b * l);
    let n = 4;
    let zero = || vec![vec![0.0; n]; n];
    let mut mass = zero();
    (mass[0][0], mass[1][1], mass[2][2], mass[3][3]) = (0.5 * fm, 0.5 * fm, 8.0 * fm, 2.0 * fm);
    (mass[2][3], mass[3][2]) = (fm, fm);
    let mut stiffness = zero();
    let slender = (b / l) * (b / l);
    (stiffness[0][0], stiffness[1][1]) =
        (fk * pi.powi(4) / 24.0 * slender, fk * pi.powi(4) * 2.0 / 3.0 * slender);
    (stiffness[2][2], stiffness[3][3]) = (fk * 16.0 / 3.0, fk * 7.0 / 3.0);
    (stiffness[2][3], stiffness[3][2]) = (-fk * 8.0 / 3.0, -fk * 8.0 / 3.0);
    let mut product = [0, 1, 2].map(|_| [0, 1, 2].map(|_| zero()));
    for a in 0..2 {
        product[1][1][a][a] = mass[a][a];
        for c in 0..2 {
            product[0][0][2 + a][2 + c] = mass[2 + a][2 + c];
        }
    }
    // B of the source: ∫ Φ_xa Φ_yb for a in (q3, q4), b in (q1, q2).
    let axial = [
        (2, 0, 16.0 * fb / pi.powi(3)),
        (3, 0, -fb * (8.0 / pi.powi(3) - 1.0 / pi)),
        (3, 1, -fb / (2.0 * pi)),
    ];
    for (a, c, x) in axial {
        product[0][1][a][c] = rho * x;
        product[1][0][c][a] = rho * x;
    }
    let [c1, c2] =
        [[0.0, 0.0, 2.0 / 3.0, 1.0 / 6.0], [2.0 / pi, 0.0, 0.0, 0.0]].map(|c| c.map(|x| x * fb * rho));
    let c12 = [0.0, 0.0, 1.0 / 3.0, 1.0 / 6.0].map(|x| x * l * fb * rho);
    let c21 = [1.0 / pi, -1.0 / (2.0 * pi), 0.0, 0.0].map(|x| x * l * fb * rho);
    let m = 0.151104;
    ModalData {
        mass: m,
        first: [0.5 * m * l, 0.0, 0.0],
        second: [[0.0045339259, 0.0, 0.0], [0.0; 3], [0.0; 3]],
        shift: (0..n).map(|a| [c1[a], c2[a], 0.0]).collect(),
        moment: (0..n).map(|a| [[c12[a], c21[a], 0.0], [0.0; 3], [0.0; 3]]).collect(),
        rotary: vec![[0.0; 3]; n],
        product: Some(product),
        mass_matrix: mass,
        stiffness,
        damping: zero(),
        stiffening: None,
        interfaces: vec![ModalInterface {
            name: "pin".into(),
            position: [l, 0.0, 0.0],
            translation: vec![[0.0; 3], [0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]],
            rotation: vec![[0.0; 3]; n],
            second: None,
        }],
    }
}

#[test]
fn slider_crank_with_a_flexible_rod() {
    let (omega, l1, x3) = (150.0, 0.15, 0.450016933);
    let mut model = Model::new([0.0; 3]);
    let crank = model.body("crank", 0.36, [0.0; 3], [0.0, 0.0, 0.002727, 0.0, 0.0, 0.0]);
    let rod = model.elastic_body("rod", connecting_rod());
    let slider = model.body("slider", 0.075552, [0.0; 3], [0.0, 0.0, 1e-5, 0.0, 0.0, 0.0]);
    let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(crank, [0.0; 3], IDENTITY));
    let turn = model.joint(JointKind::REVOLUTE, near, far, &[Z]);
    let psi = (omega * model.flat.graph.time()).id;
    model.drive(turn, psi);
    let (near, far) = (model.frame(crank, [l1, 0.0, 0.0], IDENTITY), model.frame(rod, [0.0; 3], IDENTITY));
    model.joint(JointKind::REVOLUTE, near, far, &[Z]);
    let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(slider, [0.0; 3], IDENTITY));
    model.joint(JointKind::PRISMATIC, near, far, &[[1.0, 0.0, 0.0]]);
    let (near, far) = (model.interface(rod, 0, [0.0; 3], IDENTITY), model.frame(slider, [0.0; 3], IDENTITY));
    let pin = model.joint(JointKind::REVOLUTE, near, far, &[Z]);
    model.mechanism.joints[pin].cut = true;
    model.emit();
    let prepared = prepared(&model);
    let start = [
        ("j1.v0", -74.9957670 - omega),
        ("j2.q0", x3),
        ("j2.v0", -2.68938672e-6),
        ("rod.q2", 1.03339863e-5),
        ("rod.q3", 1.69327969e-5),
        ("rod.v0", 0.444896105),
        ("rod.v1", 4.63434311e-3),
        ("rod.v2", -1.78591076e-6),
        ("rod.v3", -2.68938672e-6),
    ];
    let start: HashMap<Symbol, f64> = start.iter().map(|&(name, x)| (model.symbol(name), x)).collect();
    let columns = ["j1.q0", "j2.q0", "rod.q0", "rod.q1", "rod.q2", "rod.q3", "j2.v0"];
    let set = settings(0.1, OutputTimes::Interval(0.1), 1e-13);
    let rows = simulate(&prepared, &start, "tsit45", &set, &columns);
    let (t, end) = rows.last().unwrap();
    assert!((t - 0.1).abs() < 1e-12);
    // The reference, to as many digits as initial values of nine digits carry: 7 of the shapes, which are 1e-5 of the rod.
    let expected = [
        -0.331_173_498_825_626 - 15.0,
        0.169_737_332_842_786,
        1.893192899613509e-4,
        2.375751249879174e-5,
        -5.323896770569702e-6,
        -8.363313279112129e-6,
        -8.753116326670527,
    ];
    for ((found, expected), name) in end.iter().zip(expected).zip(columns) {
        assert!((found / expected - 1.0).abs() < 1e-7, "{name}: {found}, not {expected}");
    }
}

/// Work of one evaluation of all accelerations, linear in the number of bodies.
#[test]
fn work_grows_linearly_with_the_number_of_elastic_bodies() {
    let work = |bodies: usize, modes: usize| {
        let mut model = arm(bodies, modes);
        model.emit();
        operations(&model)
    };
    let counts: Vec<usize> = [1, 2, 3, 4].iter().map(|&n| work(n, 6)).collect();
    let steps: Vec<usize> = counts.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(steps[2] as f64 <= 1.05 * steps[1] as f64, "{counts:?}");
}

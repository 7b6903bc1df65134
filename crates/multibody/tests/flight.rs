//! What whole runs keep: energy, momentum, and their coordinates whichever way the world is turned.
//!
//!   P = ∂T/∂v,   H = ∂T/∂ω  of a free base;   L = p × P + R H                                          (1)
//!   P(t) = P(0) + m g t,   L_c = L − c × P = const                                                       (2)

mod build;

use std::collections::HashMap;
use std::sync::Arc;

use build::{Model, Random, Values, mass_center, random_tree, rotation, times, turn_world};
use trunnion_equations::flat::{Equation, Origin};
use trunnion_equations::{EvaluationEngine, Expr, Symbol, analyse};
use trunnion_model::Sources;
use trunnion_model::mechanism::{JointKind, Mechanism};
use trunnion_sim::integrate::{Moment, OutputTimes};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::{Settings, run};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

const GRAVITY: [f64; 3] = [0.3, -0.4, -9.81];

/// A tree in free flight whose base is a joint from the world, not to it.
fn flying(seed: u64, n: usize, gravity: [f64; 3]) -> Model {
    let mut model = random_tree(&mut Random(seed), n, gravity, Some(JointKind::FREE));
    let base = &mut model.mechanism.joints[0];
    if base.parent.body != Mechanism::WORLD {
        std::mem::swap(&mut base.parent, &mut base.child);
    }
    model
}

/// States after `t` seconds without forces along the coordinates, beginning at random.
fn after(model: &mut Model, seed: u64, t: f64) -> [Values; 2] {
    model.emit();
    let start = model.random_state(&mut Random(seed));
    let joints = &model.mechanism.joints;
    let balls = joints.iter().filter_map(|j| j.orientation.as_ref());
    let forces = joints.iter().flat_map(|j| j.freedoms.iter().map(|f| f.force));
    let forces: Vec<Symbol> = forces.chain(balls.flat_map(|b| b.torque)).collect();
    let zero = model.flat.graph.constant(0.0).id;
    let mut flat = model.flat.clone();
    for &force in &forces {
        let (name, lhs) = (format!("no force {}", force.0), flat.ex(force).id);
        flat.equations.push(Equation { name, origin: Origin::default(), lhs, rhs: zero });
    }
    let prepared = Arc::new(Prepared::new(analyse(flat).unwrap(), EvaluationEngine::Native));
    let settings = Settings {
        t_0: 0.0,
        t_end: t,
        output: OutputTimes::Start,
        at: vec![],
        rtol: 1e-13,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let mut ignore = |_: &mut Machine, _: f64, _: &[f64], _: Moment| std::ops::ControlFlow::Continue(());
    let solver = find("tsit45").unwrap();
    let finished = run(&prepared, &start.symbols, solver, &settings, &mut ignore).unwrap();
    finished.result.unwrap();
    let mut end = Values::default();
    end.symbols.extend(prepared.system.unknowns.iter().copied().zip(finished.y));
    [start, end]
}

/// Energy, P and L of (1) in the axes of the base's frame on the world, L about its origin.
fn kept(model: &Model, at: &Values) -> (f64, [f64; 3], [f64; 3]) {
    let energy = model.output(at, "mechanism.kinetic") + model.output(at, "mechanism.potential");
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
    let place = [0, 1, 2].map(|i| at.symbols[&base.freedoms[i].position]);
    let turn = rotation(ball.quaternion.map(|s| at.symbols[&s]));
    let angular = plus(cross(place, linear), times(turn, ball.velocity.map(|s| momentum[&s])));
    (energy, linear, angular)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Mass and its centre, in the axes and from the origin of the base's frame on the world.
fn center(model: &Model, at: &Values) -> (f64, [f64; 3]) {
    let base = &model.mechanism.joints[0].parent;
    let number = |e: Expr| model.eval(at, &[e])[0];
    let (p, r) = (base.p.map(number), base.r.map(|row| row.map(number)));
    let c = mass_center(model, at);
    let from = [c[0] - p[0], c[1] - p[1], c[2] - p[2]];
    let m = model.mechanism.bodies.iter().map(|b| number(b.inertia.rigid().unwrap().mass)).sum();
    (m, [0, 1, 2].map(|j| (0..3).map(|i| r[i][j] * from[i]).sum()))
}

fn near(a: [f64; 3], b: [f64; 3], what: &str) {
    let size = a.iter().chain(&b).fold(1.0, |m: f64, x| m.max(x.abs()));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9 * size), "{what}: {a:?} and {b:?}");
}

#[test]
fn a_tree_in_free_flight_keeps_energy_and_momentum() {
    for (seed, n) in [(11, 1), (12, 2), (13, 3), (14, 4), (15, 6)] {
        let mut model = flying(seed, n, [0.0; 3]);
        let [start, end] = after(&mut model, seed, 1.0);
        let (before, after) = (kept(&model, &start), kept(&model, &end));
        near([before.0; 3], [after.0; 3], "energy");
        near(before.1, after.1, "momentum");
        near(before.2, after.2, "angular momentum");
    }
}

#[test]
fn a_falling_tree_keeps_energy_and_angular_momentum_about_its_centre() {
    let t = 1.0;
    for (seed, n) in [(21, 2), (22, 3), (23, 5)] {
        let mut model = flying(seed, n, GRAVITY);
        let [start, end] = after(&mut model, seed, t);
        let (before, after) = (kept(&model, &start), kept(&model, &end));
        near([before.0; 3], [after.0; 3], "energy");
        let ((m, c), (_, c_end)) = (center(&model, &start), center(&model, &end));
        let r = model.mechanism.joints[0].parent.r.map(|row| row.map(|e| model.eval(&start, &[e])[0]));
        let g = [0, 1, 2].map(|j| (0..3).map(|i| r[i][j] * GRAVITY[i]).sum::<f64>());
        near(plus(before.1, g.map(|g| m * g * t)), after.1, "momentum"); // (2)
        let own = |p, l, c| plus(l, cross(c, p).map(|x: f64| -x));
        near(own(before.1, before.2, c), own(after.1, after.2, c_end), "angular momentum"); // (2)
        let fall = [0, 1, 2].map(|i| c[i] + before.1[i] / m * t + 0.5 * g[i] * t * t);
        near(fall, c_end, "centre of mass");
    }
}

#[test]
fn motions_do_not_depend_on_the_world_axes() {
    for (seed, n) in [(31, 3), (32, 4), (33, 5)] {
        let r = Random(seed).rotation();
        let mut plain = random_tree(&mut Random(seed), n, GRAVITY, None);
        let mut turned = random_tree(&mut Random(seed), n, times(r, GRAVITY), None);
        turn_world(&mut turned, r);
        let [a, b] = [&mut plain, &mut turned].map(|model| after(model, seed, 0.5)[1].clone());
        for (s, value) in &a.symbols {
            let other = b.symbols[s];
            assert!((value - other).abs() <= 1e-10 * value.abs().max(1.0), "{}: {value}, {other}", s.0);
        }
    }
}

//! Accelerations of trees: two ways agree, closed forms, invariants.

mod build;

use std::collections::HashMap;

use build::{IDENTITY, Model, Random, close, mass_center, random_tree, times, turn_world};
use trunnion_equations::{Expr, Symbol};
use trunnion_model::Sources;
use trunnion_model::mechanism::{BodyInertia, JointKind};

const GRAVITY: [f64; 3] = [0.3, -0.4, -9.81];

/// Forces by velocity, as the state says them.
fn forces(model: &Model, at: &build::Values) -> HashMap<Symbol, f64> {
    let mut all = HashMap::new();
    for joint in &model.mechanism.joints {
        all.extend(joint.freedoms.iter().map(|f| (f.velocity, at.symbols[&f.force])));
        if let Some(ball) = &joint.orientation {
            all.extend(ball.velocity.iter().zip(&ball.torque).map(|(&v, t)| (v, at.symbols[t])));
        }
    }
    all
}

#[test]
fn articulated_bodies_agree_with_mass_matrix_and_inverse_dynamics() {
    let mut random = Random(1);
    for n in (1..9).cycle().take(60) {
        let mut model = random_tree(&mut random, n, GRAVITY, None);
        model.emit();
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        let wanted = forces(&model, &at);
        let graph = &model.flat.graph;
        let sources = Sources::default();
        let given = |s: Symbol| graph.derivative(s);
        let back = trunnion_multibody::inverse_dynamics(graph, &model.mechanism, &sources, given).unwrap();
        for (v, tau) in back {
            close(model.eval(&at, &[tau])[0], wanted[&v], 1e-10, "inverse dynamics");
        }
        // M q̈ + (forces at q̈ = 0) = τ.
        let rest = |_: Symbol| graph.constant(0.0);
        let bias = trunnion_multibody::inverse_dynamics(graph, &model.mechanism, &sources, rest).unwrap();
        let mut sum: HashMap<Symbol, f64> =
            bias.iter().map(|&(v, tau)| (v, model.eval(&at, &[tau])[0])).collect();
        let matrix = trunnion_multibody::mass_matrix(graph, &model.mechanism, &sources).unwrap();
        for (i, j, e) in matrix {
            let m = model.eval(&at, &[e])[0];
            *sum.get_mut(&i).unwrap() += m * at.rates[&j];
            if i != j {
                *sum.get_mut(&j).unwrap() += m * at.rates[&i];
            }
        }
        for (v, tau) in sum {
            close(tau, wanted[&v], 1e-10, "mass matrix");
        }
    }
}

/// One link: closed forms of physical pendulum, slider, screw.
#[test]
fn one_joint() {
    let (m, c, j, g) = (2.0, 0.7, 0.3, 9.81);
    let run = |kind: &'static JointKind, axis: [f64; 3], q: f64, f: f64| {
        let mut model = Model::new([0.0, -g, 0.0]);
        let body = model.body("arm", m, [c, 0.0, 0.0], [0.1, j, j, 0.0, 0.0, 0.0]);
        let (near, far) = (model.frame(0, [0.2, 0.1, 0.3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
        model.joint(kind, near, far, &[axis]);
        model.emit();
        let mut at = build::Values::default();
        for (name, value) in [("j0.q0", q), ("j0.v0", 0.4), ("j0.f0", f)] {
            at.symbols.insert(model.symbol(name), value);
        }
        model.solve(&mut at);
        at.rates[&model.symbol("j0.v0")]
    };
    let pendulum = |q: f64, f: f64| (f - m * g * c * q.cos()) / (j + m * c * c);
    for q in [0.0, 0.3, 2.0, -4.0] {
        close(run(JointKind::REVOLUTE, [0.0, 0.0, 1.0], q, 0.5), pendulum(q, 0.5), 1e-14, "pendulum");
        close(run(JointKind::REVOLUTE, [0.0, 0.0, -1.0], -q, -0.5), -pendulum(q, 0.5), 1e-14, "turned over");
        close(run(JointKind::PRISMATIC, [0.0, 1.0, 0.0], q, 3.0), 3.0 / m - g, 1e-14, "slider");
        let h = 0.07;
        let screw = (0.5 - m * g * c * 0.0 - m * g * h) / (j + m * c * c + m * h * h);
        close(run(JointKind::SCREW, [0.0, 1.0, 0.0], q, 0.5), screw, 1e-14, "screw");
    }
}

/// Two bars in a plane: the textbook's mass matrix.
#[test]
fn double_pendulum() {
    let (m, l, c, j, g) = ([1.3, 0.8], 1.1, [0.5, 0.4], [0.09, 0.05], 9.81);
    let mut model = Model::new([0.0, -g, 0.0]);
    for i in 0..2 {
        let body = model.body(&format!("b{i}"), m[i], [c[i], 0.0, 0.0], [0.0, j[i], j[i], 0.0, 0.0, 0.0]);
        let near = model.frame(body - 1, [l * i as f64, 0.0, 0.0], IDENTITY);
        let far = model.frame(body, [0.0; 3], IDENTITY);
        model.joint(JointKind::REVOLUTE, near, far, &[[0.0, 0.0, 1.0]]);
    }
    model.emit();
    let mut random = Random(7);
    for _ in 0..10 {
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        let [q1, q2, v1, v2, f1, f2] =
            ["j0.q0", "j1.q0", "j0.v0", "j1.v0", "j0.f0", "j1.f0"].map(|n| at.symbols[&model.symbol(n)]);
        let (s, k) = (q2.sin(), q2.cos());
        let m22 = j[1] + m[1] * c[1] * c[1];
        let m12 = m22 + m[1] * l * c[1] * k;
        let m11 = j[0] + m[0] * c[0] * c[0] + m[1] * l * l + 2.0 * m[1] * l * c[1] * k + m22;
        let p = m[1] * l * c[1] * s;
        let g2 = m[1] * g * c[1] * (q1 + q2).cos();
        let r1 = f1 + p * (2.0 * v1 * v2 + v2 * v2) - (m[0] * c[0] + m[1] * l) * g * q1.cos() - g2;
        let r2 = f2 - p * v1 * v1 - g2;
        let det = m11 * m22 - m12 * m12;
        close(at.rates[&model.symbol("j0.v0")], (m22 * r1 - m12 * r2) / det, 1e-12, "first");
        close(at.rates[&model.symbol("j1.v0")], (m11 * r2 - m12 * r1) / det, 1e-12, "second");
    }
}

/// d/dt along the motion, of an output: central differences of states moved by their rates.
fn rate_of(model: &Model, at: &build::Values, output: &str) -> f64 {
    let h = 1e-4;
    let value = |h: f64| {
        let mut moved = at.clone();
        for (s, rate) in &at.rates {
            *moved.symbols.get_mut(s).unwrap() += h * rate;
        }
        model.output(&moved, output)
    };
    // Fourth order.
    (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h)
}

/// Power in = change of energy, whatever the joints.
#[test]
fn energy_changes_by_the_power_of_the_forces() {
    let mut random = Random(2);
    for n in (1..7).cycle().take(40) {
        let mut model = random_tree(&mut random, n, GRAVITY, None);
        model.emit();
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        let power: f64 = forces(&model, &at).iter().map(|(v, f)| f * at.symbols[v]).sum();
        let change = rate_of(&model, &at, "mechanism.kinetic") + rate_of(&model, &at, "mechanism.potential");
        close(change, power, 1e-7, "power");
    }
}

/// Place of every body against composing the joints by hand is seen through velocities: d/dt of the place of the
/// centre of mass of a tree in free flight is uniform, its second derivative is g.
#[test]
fn in_free_flight_the_centre_of_mass_falls() {
    let mut random = Random(3);
    for n in (1..7).cycle().take(30) {
        let mut model = random_tree(&mut random, n, GRAVITY, Some(JointKind::FREE));
        model.emit();
        let mut at = model.random_state(&mut random);
        let base = &model.mechanism.joints[0];
        let none =
            base.freedoms.iter().map(|f| f.force).chain(base.orientation.iter().flat_map(|o| o.torque));
        at.symbols.extend(none.map(|s| (s, 0.0)));
        model.solve(&mut at);
        // Position at t + h to second order in h: q + h q' + ½ h² q''.
        let center = |h: f64| -> [f64; 3] {
            let mut moved = at.clone();
            for (s, rate) in &at.rates {
                *moved.symbols.get_mut(s).unwrap() += h * rate;
            }
            let mut half = at.clone();
            for (s, rate) in &at.rates {
                *half.symbols.get_mut(s).unwrap() += 0.5 * h * rate;
            }
            model.solve(&mut half);
            let mut end = at.clone();
            for (s, rate) in &half.rates {
                *end.symbols.get_mut(s).unwrap() += h * rate;
            }
            mass_center(&model, &end)
        };
        let h = 2e-4;
        let (a, b, c) = (center(-h), center(0.0), center(h));
        for i in 0..3 {
            close((a[i] - 2.0 * b[i] + c[i]) / (h * h), GRAVITY[i], 1e-5, "fall");
        }
    }
}

/// Turning the whole model, gravity too, changes nothing along the coordinates.
#[test]
fn accelerations_do_not_depend_on_the_world_axes() {
    let mut random = Random(4);
    for n in (1..7).cycle().take(30) {
        let seed = random.next();
        let r = random.rotation();
        let rates = |turn: Option<[[f64; 3]; 3]>| {
            let gravity = turn.map_or(GRAVITY, |r| times(r, GRAVITY));
            let mut model = random_tree(&mut Random(seed), n, gravity, None);
            if let Some(r) = turn {
                turn_world(&mut model, r);
            }
            model.emit();
            let mut at = model.random_state(&mut Random(seed + 1));
            model.solve(&mut at);
            let mut all: Vec<(Symbol, f64)> = at.rates.into_iter().collect();
            all.sort_by_key(|r| r.0);
            all
        };
        for (a, b) in rates(None).iter().zip(rates(Some(r))) {
            close(a.1, b.1, 1e-10, "turned world");
        }
    }
}

/// Numbers as parameters: nothing folds, the values are the same.
#[test]
fn parameters_give_the_same_as_numbers() {
    let mut random = Random(5);
    for n in (1..6).cycle().take(20) {
        let seed = random.next();
        let mut plain = random_tree(&mut Random(seed), n, GRAVITY, None);
        let mut model = random_tree(&mut Random(seed), n, GRAVITY, None);
        hide_numbers(&mut model);
        plain.emit();
        model.emit();
        let mut at = plain.random_state(&mut Random(seed + 1));
        let mut other = at.clone();
        other.symbols.insert(model.symbol("one"), 1.0);
        plain.solve(&mut at);
        model.solve(&mut other);
        for (s, rate) in &at.rates {
            close(*rate, other.rates[s], 1e-10, "parameters");
        }
        for name in plain.shown() {
            let [a, b] = [plain.output(&at, &name), model.output(&other, &name)];
            // A quaternion and its opposite are the same turn.
            let (a, b) = if name.contains(".q") { (a.abs(), b.abs()) } else { (a, b) };
            close(a, b, 1e-10, &name);
        }
    }
}

/// Every number x of frames and bodies becomes x · one.
fn hide_numbers(model: &mut Model) {
    let one = model.unknown("one", 1.0);
    let Model { flat, mechanism } = model;
    let graph = &flat.graph;
    let hide = |e: &mut Expr| *e = (graph.at(*e) * graph.symbol(one)).id;
    for joint in &mut mechanism.joints {
        for frame in [&mut joint.parent, &mut joint.child] {
            frame.p.iter_mut().chain(frame.r.iter_mut().flatten()).for_each(hide);
        }
    }
    for body in &mut mechanism.bodies {
        let BodyInertia::Rigid(rigid) = &mut body.inertia else { continue };
        rigid.center.iter_mut().chain(&mut rigid.inertia).chain([&mut rigid.mass]).for_each(hide);
    }
}

/// A joint written the other way round, with its axes negated, has the same coordinate.
#[test]
fn joints_may_be_written_either_way() {
    for kind in [JointKind::REVOLUTE, JointKind::PRISMATIC, JointKind::SCREW, JointKind::CYLINDRICAL] {
        let rates = |swapped: bool| {
            let mut random = Random(6);
            let mut model = random_tree(&mut random, 4, GRAVITY, Some(kind));
            for joint in model.mechanism.joints.iter_mut().filter(|_| swapped) {
                let one_axis = joint.axes.len() == 1;
                if one_axis {
                    std::mem::swap(&mut joint.parent, &mut joint.child);
                    joint.axes[0] = joint.axes[0].map(|x| -x);
                }
            }
            model.emit();
            let mut at = model.random_state(&mut random);
            model.solve(&mut at);
            let mut all: Vec<(Symbol, f64)> = at.rates.into_iter().collect();
            all.sort_by_key(|r| r.0);
            all
        };
        for (a, b) in rates(false).iter().zip(rates(true)) {
            close(a.1, b.1, 1e-11, "either way");
        }
    }
}

/// A driven hinge moves the rest as if its coordinate were given, and its effort is what inverse dynamics asks for.
#[test]
fn a_driven_joint_exerts_what_its_motion_takes() {
    let mut random = Random(8);
    for _ in 0..10 {
        let mut model = random_tree(&mut random, 5, GRAVITY, Some(JointKind::REVOLUTE));
        let t = model.flat.graph.time();
        let motion = (0.3 * (2.0 * t).sin()).id;
        model.drive(0, motion);
        model.emit();
        let mut at = model.random_state(&mut random);
        at.time = 0.4;
        model.solve(&mut at);
        model.solve(&mut at);
        close(at.symbols[&model.symbol("j0.q0")], 0.3 * 0.8f64.sin(), 1e-14, "position");
        close(at.symbols[&model.symbol("j0.v0")], 0.6 * 0.8f64.cos(), 1e-14, "velocity");
        at.rates.insert(model.symbol("j0.v0"), -1.2 * 0.8f64.sin());
        let graph = &model.flat.graph;
        let given = |s: Symbol| graph.derivative(s);
        let back = trunnion_multibody::inverse_dynamics(graph, &model.mechanism, &Sources::default(), given)
            .unwrap();
        let wanted = forces(&model, &at);
        for (v, tau) in back {
            let drive = if v == model.symbol("j0.v0") { at.symbols[&model.symbol("j0.effort")] } else { 0.0 };
            close(model.eval(&at, &[tau])[0], wanted[&v] + drive, 1e-10, "effort");
        }
    }
}

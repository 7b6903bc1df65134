//! Elastic bodies: two ways agree, point masses one by one, kinematics of interfaces, closed forms.

mod build;

use std::collections::HashMap;
use std::sync::Arc;

use build::elastic::{mixed_tree, random_data, random_points, symmetric};
use build::{IDENTITY, Matrix, Model, Random, Values, close, rotation, times, turn_world};
use trunnion_equations::Symbol;
use trunnion_equations::flat::Origin;
use trunnion_model::Sources;
use trunnion_model::mechanism::{
    BodyInertia, ForceLine, JointKind, Load, ModalData, ModalInterface, SensedQuantity, Sensor,
};

const GRAVITY: [f64; 3] = [0.3, -0.4, -9.81];

/// Forces by velocity, as the state says them; none along elastic coordinates.
fn forces(model: &Model, at: &Values) -> HashMap<Symbol, f64> {
    let mut all = HashMap::new();
    for joint in &model.mechanism.joints {
        all.extend(joint.freedoms.iter().map(|f| (f.velocity, at.symbols[&f.force])));
        if let Some(ball) = &joint.orientation {
            all.extend(ball.velocity.iter().zip(&ball.torque).map(|(&v, t)| (v, at.symbols[t])));
        }
    }
    let modal = model.mechanism.bodies.iter().filter_map(|b| b.inertia.modal());
    all.extend(modal.flat_map(|m| m.rates.iter().map(|&s| (s, 0.0))));
    all
}

#[test]
fn articulated_bodies_agree_with_mass_matrix_and_inverse_dynamics() {
    let mut random = Random(1);
    for n in (1..7).cycle().take(48) {
        let mut model = mixed_tree(&mut random, n, GRAVITY, None, true);
        model.emit();
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        let wanted = forces(&model, &at);
        let graph = &model.flat.graph;
        let sources = Sources::default();
        let given = |s: Symbol| graph.derivative(s);
        let back = trunnion_multibody::inverse_dynamics(graph, &model.mechanism, &sources, given).unwrap();
        assert_eq!(back.len(), wanted.len());
        for (v, tau) in back {
            close(model.eval(&at, &[tau])[0], wanted[&v], 1e-10, "inverse dynamics");
        }
        // M q̈ + (forces at q̈ = 0) = τ.
        let rest = |_: Symbol| graph.constant(0.0);
        let bias = trunnion_multibody::inverse_dynamics(graph, &model.mechanism, &sources, rest).unwrap();
        let mut sum: HashMap<Symbol, f64> =
            bias.iter().map(|&(v, tau)| (v, model.eval(&at, &[tau])[0])).collect();
        let matrix = trunnion_multibody::mass_matrix(graph, &model.mechanism, &sources).unwrap();
        let mut kinetic = 0.0;
        for (i, j, e) in matrix {
            let m = model.eval(&at, &[e])[0];
            *sum.get_mut(&i).unwrap() += m * at.rates[&j];
            kinetic += if i == j { 0.5 } else { 1.0 } * m * at.symbols[&i] * at.symbols[&j];
            if i != j {
                *sum.get_mut(&j).unwrap() += m * at.rates[&i];
            }
        }
        for (v, tau) in sum {
            close(tau, wanted[&v], 1e-10, "mass matrix");
        }
        close(model.output(&at, "mechanism.kinetic"), kinetic, 1e-11, "kinetic energy");
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn scaled(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| x * s)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Newton's law for every point mass of a body in flight: what is left of m (a − g) along each freedom of the body is K q + D q̇ alone.
#[test]
fn a_body_in_flight_obeys_the_law_of_its_points() {
    for (seed, n) in [(3, 1), (4, 2), (5, 4), (6, 6)] {
        let mut random = Random(seed);
        let points = random_points(&mut random, n);
        let mut data = ModalData::of_points(n, &points);
        data.stiffness = symmetric(&mut random, n, 8.0, true);
        data.damping = symmetric(&mut random, n, 0.3, true);
        let (k, d) = (data.stiffness.clone(), data.damping.clone());
        let mut model = Model::new(GRAVITY);
        let body = model.elastic_body("part", data);
        let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
        model.joint(JointKind::FREE, near, far, &[]);
        model.emit();
        let mut at = model.random_state(&mut random);
        for i in 0..3 {
            at.symbols.insert(model.symbol(&format!("j0.f{i}")), 0.0);
            at.symbols.insert(model.symbol(&format!("j0.m{i}")), 0.0);
        }
        model.solve(&mut at);
        let value = |name: String| at.symbols[&model.symbol(&name)];
        let rate = |name: String| at.rates[&model.symbol(&name)];
        let three = |of: &dyn Fn(String) -> f64, name: &str| [0, 1, 2].map(|i| of(format!("j0.{name}{i}")));
        let e = [0, 1, 2, 3].map(|i| value(format!("j0.e{i}")));
        let turn = rotation(e);
        let back: Matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| turn[j][i]));
        let (w, alpha) = (three(&value, "w"), three(&rate, "w"));
        let origin = times(back, plus(three(&rate, "v"), scaled(GRAVITY, -1.0)));
        let mut along = vec![0.0; n];
        let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
        for p in &points {
            let sum = |of: &dyn Fn(usize) -> f64| {
                p.shapes.iter().enumerate().fold([0.0; 3], |s, (a, &phi)| plus(s, scaled(phi, of(a))))
            };
            let r = plus(p.position, sum(&|a| value(format!("part.q{a}"))));
            let u_dot = sum(&|a| value(format!("part.v{a}")));
            let u_dot_dot = sum(&|a| rate(format!("part.v{a}")));
            let turning = plus(cross(alpha, r), cross(w, plus(cross(w, r), scaled(u_dot, 2.0))));
            let f = scaled(plus(plus(origin, turning), u_dot_dot), p.mass);
            force = plus(force, f);
            moment = plus(moment, cross(r, f));
            p.shapes.iter().enumerate().for_each(|(a, &phi)| along[a] += dot(phi, f));
        }
        for i in 0..3 {
            close(force[i], 0.0, 1e-11, "force");
            close(moment[i], 0.0, 1e-11, "moment");
        }
        for a in 0..n {
            let elastic: f64 = (0..n)
                .map(|b| k[a][b] * value(format!("part.q{b}")) + d[a][b] * value(format!("part.v{b}")))
                .sum();
            close(along[a] + elastic, 0.0, 1e-11, "mode");
        }
    }
}

/// d/dt along the motion, of an output: central differences of states moved by their rates.
fn rate_of(model: &Model, at: &Values, output: &str) -> f64 {
    let h = 1e-5;
    let value = |h: f64| {
        let mut moved = at.clone();
        for (s, rate) in &at.rates {
            *moved.symbols.get_mut(s).unwrap() += h * rate;
        }
        model.output(&moved, output)
    };
    (value(h) - value(-h)) / (2.0 * h)
}

/// A sensor at an interface: its velocity is the rate of its position, its acceleration that of its velocity.
#[test]
fn frames_at_interfaces_move_as_their_derivatives_say() {
    let mut random = Random(9);
    for n in (1..5).cycle().take(16) {
        let mut model = mixed_tree(&mut random, n, GRAVITY, None, true);
        let data = random_data(&mut random, 2, true);
        let tip = model.elastic_body("tip", data);
        let last = model.frame(tip - 1, random.vector(0.4), IDENTITY);
        let entry = model.interface(tip, 1, [0.0; 3], IDENTITY);
        model.joint(JointKind::SPHERICAL, last, entry, &[]);
        let names: Vec<(SensedQuantity, String)> = (0..3)
            .flat_map(|i| {
                let of = [
                    (SensedQuantity::Position(i), "p"),
                    (SensedQuantity::Velocity(i), "v"),
                    (SensedQuantity::Acceleration(i), "a"),
                ];
                of.map(|(m, name)| (m, format!("s.{name}{i}")))
            })
            .collect();
        let shows = names.iter().map(|(m, name)| (*m, model.unknown(name, 0.0))).collect();
        let of = model.interface(tip, 2, random.vector(0.2), IDENTITY);
        let from = model.frame(0, [0.1, 0.2, 0.3], IDENTITY);
        model.mechanism.sensors.push(Sensor { name: "s".into(), origin: Origin::default(), of, from, shows });
        model.emit();
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        for i in 0..3 {
            let [v, a] = ["v", "a"].map(|name| model.output(&at, &format!("s.{name}{i}")));
            close(rate_of(&model, &at, &format!("s.p{i}")), v, 1e-7, "velocity");
            close(rate_of(&model, &at, &format!("s.v{i}")), a, 1e-6, "acceleration");
        }
    }
}

/// A line from the world and a load, both at interfaces of a last elastic body: rate and force of the line, power of the load.
fn act(model: &mut Model, random: &mut Random) -> (Symbol, Symbol, impl Fn(&Model, &Values) -> f64 + use<>) {
    let data = random_data(random, 2, false);
    let tip = model.elastic_body("tip", data);
    let last = model.frame(tip - 1, random.vector(0.4), IDENTITY);
    let entry = model.interface(tip, random.below(3), [0.0; 3], IDENTITY);
    model.joint(JointKind::SPHERICAL, last, entry, &[]);
    let [length, rate, force] = ["l", "r", "f"].map(|s| model.unknown(&format!("line.{s}"), 0.0));
    let (from, to) = (model.frame(0, [2.0, 0.3, 0.1], IDENTITY), model.interface(tip, 1, [0.0; 3], IDENTITY));
    let origin = Origin::default();
    model.mechanism.lines.push(ForceLine { name: "line".into(), origin, from, to, length, rate, force });
    let pushed = random.vector(5.0);
    let at = model.interface(tip, 2, [0.1, 0.0, 0.2], IDENTITY);
    let (pushes, torque) = (model.vector(pushed), model.vector([0.0; 3]));
    model.mechanism.loads.push(Load {
        name: "load".into(),
        origin: Origin::default(),
        at: at.clone(),
        turns_along: false,
        force: pushes,
        torque,
    });
    let shows =
        [0, 1, 2].map(|i| (SensedQuantity::Velocity(i), model.unknown(&format!("s.v{i}"), 0.0))).to_vec();
    let from = model.frame(0, [0.0; 3], IDENTITY);
    model.mechanism.sensors.push(Sensor { name: "s".into(), origin: Origin::default(), of: at, from, shows });
    let power = move |model: &Model, at: &Values| {
        (0..3).map(|i| pushed[i] * model.output(at, &format!("s.v{i}"))).sum::<f64>()
    };
    (rate, force, power)
}

/// T + U + strain changes by the power of what acts along coordinates, of a line and of a load.
#[test]
fn power_is_what_energy_changes_by() {
    let mut random = Random(17);
    for n in (1..7).cycle().take(30) {
        let mut model = mixed_tree(&mut random, n, GRAVITY, None, false);
        let (line_rate, line_force, load_power) = act(&mut model, &mut random);
        model.emit();
        let mut at = model.random_state(&mut random);
        at.symbols.insert(line_force, 3.7);
        model.solve(&mut at);
        let along: f64 = forces(&model, &at).iter().map(|(v, f)| at.symbols[v] * f).sum();
        let given = along + 3.7 * at.symbols[&line_rate] + load_power(&model, &at);
        let elastic = model.mechanism.bodies.iter().filter(|b| b.inertia.modal().is_some());
        let stored = ["mechanism.kinetic".to_string(), "mechanism.potential".to_string()].into_iter();
        let stored = stored.chain(elastic.map(|b| format!("{}.strain", b.name)));
        let rates: Vec<f64> = stored.map(|name| rate_of(&model, &at, &name)).collect();
        let size = rates.iter().map(|r| r.abs()).sum::<f64>();
        let change: f64 = rates.iter().sum();
        assert!((change - given).abs() <= 1e-7 * (1.0 + size), "{n}: {change} and {given} of {size}");
    }
}

#[test]
fn accelerations_do_not_depend_on_the_world_axes() {
    for (seed, n) in [(31, 3), (32, 4), (33, 5)] {
        let r = Random(seed).rotation();
        let mut plain = mixed_tree(&mut Random(seed), n, GRAVITY, None, true);
        let mut turned = mixed_tree(&mut Random(seed), n, times(r, GRAVITY), None, true);
        turn_world(&mut turned, r);
        let [a, b] = [&mut plain, &mut turned].map(|model| {
            model.emit();
            let mut at = model.random_state(&mut Random(seed + 100));
            model.solve(&mut at);
            at
        });
        for (s, rate) in &a.rates {
            close(*rate, b.rates[s], 1e-9, "rate");
        }
    }
}

/// Two shapes alike have no accelerations of their own.
#[test]
fn shapes_that_are_alike_are_refused() {
    let mut random = Random(51);
    let mut points = random_points(&mut random, 2);
    points.iter_mut().for_each(|p| p.shapes[1] = p.shapes[0]);
    let mut model = Model::new(GRAVITY);
    let body = model.elastic_body("part", ModalData::of_points(2, &points));
    let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
    model.joint(JointKind::REVOLUTE, near, far, &[[0.0, 0.0, 1.0]]);
    let made = trunnion_multibody::emit(&mut model.flat, &model.mechanism, &Sources::default());
    let errors = made.unwrap_err();
    assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), ["B0014"]);
}

/// Two links, the first one elastic or rigid with the same mass, the second one at its interface.
fn two_links(data: &ModalData, elastic: bool) -> Model {
    let m = data.mass;
    let c = data.center();
    let s = |i: usize, j: usize| data.second[i][j] - m * c[i] * c[j];
    let trace = s(0, 0) + s(1, 1) + s(2, 2);
    let inertia = [trace - s(0, 0), trace - s(1, 1), trace - s(2, 2), -s(0, 1), -s(0, 2), -s(1, 2)];
    let mut model = Model::new(GRAVITY);
    let first = match elastic {
        true => model.elastic_body("a", data.clone()),
        false => model.body("a", m, c, inertia),
    };
    let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(first, [0.0; 3], IDENTITY));
    model.joint(JointKind::UNIVERSAL, near, far, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let second = model.body("b", 0.7, [0.2, 0.1, 0.0], [0.3, 0.4, 0.5, 0.0, 0.0, 0.0]);
    let near = match elastic {
        true => model.interface(first, 0, [0.0; 3], IDENTITY),
        false => model.frame(first, data.interfaces[0].position, IDENTITY),
    };
    let far = model.frame(second, [0.0; 3], IDENTITY);
    model.joint(JointKind::REVOLUTE, near, far, &[[0.0, 0.0, 1.0]]);
    model.emit();
    model
}

/// What has to act along the shapes for the motion of the rigid links, none of the shapes moving.
fn along_shapes(elastic: &Model, rigid: &Model, still: &mut Values, motion: &Values, n: usize) -> Vec<f64> {
    for (s, rate) in &motion.rates {
        still.rates.insert(elastic.symbol(&rigid.flat.quantity(*s).name), *rate);
    }
    let shapes: Vec<Symbol> = (0..n).map(|a| elastic.symbol(&format!("a.v{a}"))).collect();
    still.rates.extend(shapes.iter().map(|&s| (s, 0.0)));
    let graph = &elastic.flat.graph;
    let given = |s: Symbol| graph.derivative(s);
    let taken = trunnion_multibody::inverse_dynamics(graph, &elastic.mechanism, &Sources::default(), given);
    let taken: HashMap<Symbol, _> = taken.unwrap().into_iter().collect();
    shapes.iter().map(|s| elastic.eval(still, &[taken[s]])[0]).collect()
}

/// Very stiff shapes follow their load by q = −f/K and nothing else moves: what is left is the rigid body.
#[test]
fn a_body_with_very_stiff_shapes_moves_like_a_rigid_one() {
    let mut random = Random(41);
    let (n, stiff) = (3, 1e14);
    let points = random_points(&mut random, n);
    let mut data = ModalData::of_points(n, &points);
    (0..n).for_each(|a| data.stiffness[a][a] = stiff);
    data.interfaces = vec![ModalInterface {
        position: [0.3, 0.1, -0.2],
        translation: (0..n).map(|_| random.vector(0.5)).collect(),
        rotation: (0..n).map(|_| random.vector(0.5)).collect(),
        ..ModalInterface::default()
    }];
    let (elastic, rigid) = (two_links(&data, true), two_links(&data, false));
    let names = ["j0.q0", "j0.q1", "j1.q0", "j0.v0", "j0.v1", "j1.v0", "j0.f0", "j0.f1", "j1.f0"];
    let values: Vec<f64> = names.iter().map(|_| random.within(1.0)).collect();
    let solve = |model: &Model, deformed: &[f64]| {
        let mut at = Values::default();
        at.symbols.extend(names.iter().zip(&values).map(|(n, v)| (model.symbol(n), *v)));
        for (a, &q) in deformed.iter().enumerate() {
            at.symbols.insert(model.symbol(&format!("a.q{a}")), q);
            at.symbols.insert(model.symbol(&format!("a.v{a}")), 0.0);
        }
        model.solve(&mut at);
        at
    };
    let reference = solve(&rigid, &[]);
    let mut still = solve(&elastic, &vec![0.0; n]);
    let taken = along_shapes(&elastic, &rigid, &mut still, &reference, n);
    let found = solve(&elastic, &taken.iter().map(|f| -f / stiff).collect::<Vec<_>>());
    for name in ["j0.v0", "j0.v1", "j1.v0"] {
        let (a, b) = (found.rates[&elastic.symbol(name)], reference.rates[&rigid.symbol(name)]);
        close(a, b, 1e-9, name);
    }
}

/// Each field of modal data cut short, and a frame at an interface that is not there.
#[test]
fn modal_data_of_a_wrong_size_are_refused() {
    type Change = fn(&mut ModalData);
    let changes: [(&str, Change); 7] = [
        ("shift", |d| d.shift.truncate(1)),
        ("moment", |d| d.moment.truncate(1)),
        ("rotary", |d| d.rotary.truncate(1)),
        ("mass_matrix", |d| d.mass_matrix[0].truncate(1)),
        ("stiffness", |d| d.stiffness.truncate(1)),
        ("damping", |d| d.damping.push(vec![])),
        ("interfaces", |d| d.interfaces.clear()),
    ];
    for (field, change) in changes {
        let mut random = Random(3);
        let mut model = Model::new([0.0; 3]);
        let body = model.elastic_body("soft", random_data(&mut random, 2, true));
        let (near, far) = (model.frame(0, [0.0; 3], IDENTITY), model.interface(body, 0, [0.0; 3], IDENTITY));
        model.joint(JointKind::WELD, near, far, &[]);
        if let BodyInertia::Modal(modal) = &mut model.mechanism.bodies[body].inertia {
            change(Arc::make_mut(&mut modal.data));
        }
        let made = trunnion_multibody::emit(&mut model.flat, &model.mechanism, &Sources::default());
        let errors = made.unwrap_err();
        assert_eq!(errors[0].code, "B0018");
        assert!(errors[0].message.contains(&format!("`{field}`")), "{}", errors[0]);
    }
}

//! Loops, couplings, lines, sensors: derivatives are derivatives, multipliers do the work they should, cut joints are joints.

mod build;

use build::{IDENTITY, KINDS, Model, Random, Values, axes, close, random_tree};
use trunnion_equations::flat::Origin;
use trunnion_equations::{Expr, Symbol};
use trunnion_model::mechanism::{Coupling, CouplingForm, ForceLine, JointKind, Load, SensedQuantity, Sensor};

const GRAVITY: [f64; 3] = [0.3, -0.4, -9.81];

fn frame(model: &Model, random: &mut Random, body: usize) -> trunnion_model::mechanism::Frame {
    let r = if random.below(2) == 0 { random.rotation() } else { IDENTITY };
    model.frame(body, random.vector(0.5), r)
}

/// A tree with some of everything that acts between its bodies, joints that fit.
fn random_mechanism(random: &mut Random, n: usize) -> Model {
    loop {
        let mut model = attempt(random, n);
        if trunnion_multibody::emit(&mut model.flat, &model.mechanism, &Default::default()).is_ok() {
            return model;
        }
    }
}

fn attempt(random: &mut Random, n: usize) -> Model {
    let mut model = random_tree(random, n, GRAVITY, None);
    for _ in 0..3 {
        let kind = KINDS[random.below(KINDS.len())];
        let (a, b) = (random.below(n + 1), random.below(n + 1));
        if kind == JointKind::SCREW || a == b {
            continue;
        }
        let (near, far) = (frame(&model, random, a), frame(&model, random, b));
        let axes = axes(random, kind);
        let j = model.joint(kind, near, far, &axes);
        model.mechanism.joints[j].cut = true;
    }
    for i in 0..2 {
        let (from, to) = (frame(&model, random, random_body(n, i)), frame(&model, random, n));
        let [length, rate, force] = ["l", "r", "f"].map(|s| model.unknown(&format!("line{i}.{s}"), 0.0));
        let name = format!("line{i}");
        model.mechanism.lines.push(ForceLine {
            name,
            origin: Origin::default(),
            from,
            to,
            length,
            rate,
            force,
        });
    }
    let (from, to) = (frame(&model, random, 0), frame(&model, random, n));
    couple(&mut model, "rod", CouplingForm::Rod { from, to, length: None });
    let joints = model.mechanism.joints.iter().enumerate();
    let coordinates = joints.flat_map(|(j, joint)| (0..joint.freedoms.len()).map(move |i| (j, i)));
    let terms: Vec<(usize, usize)> = coordinates.take(4).collect();
    let terms: Vec<(usize, usize, Expr)> =
        terms.into_iter().map(|(j, i)| (j, i, model.flat.graph.constant(random.within(2.0)).id)).collect();
    if !terms.is_empty() {
        couple(&mut model, "gear", CouplingForm::Linear(terms));
    }
    model
}

fn random_body(n: usize, i: usize) -> usize {
    i.min(n - 1)
}

fn couple(model: &mut Model, name: &str, form: CouplingForm) {
    let force = model.unknown(&format!("{name}.force"), 0.0);
    model.mechanism.couplings.push(Coupling { name: name.into(), origin: Origin::default(), form, force });
}

fn multipliers(model: &Model) -> Vec<Symbol> {
    model.flat.constraints.iter().map(|c| c.multiplier).collect()
}

fn random_state(model: &Model, random: &mut Random) -> Values {
    let mut at = model.random_state(random);
    at.symbols.extend(multipliers(model).iter().map(|&s| (s, random.within(2.0))));
    at.symbols.extend(model.mechanism.lines.iter().map(|l| (l.force, random.within(2.0))));
    model.solve(&mut at);
    at
}

/// d/dt along the motion by central differences of fourth order.
fn rate_of(model: &Model, at: &Values, e: Expr) -> f64 {
    let h = 3e-4;
    let value = |h: f64| {
        let mut moved = at.clone();
        for (s, rate) in &at.rates {
            *moved.symbols.get_mut(s).unwrap() += h * rate;
        }
        model.eval(&moved, &[e])[0]
    };
    (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h)
}

#[test]
fn gaps_and_their_derivatives_agree() {
    let mut random = Random(11);
    for n in (2..7).cycle().take(40) {
        let model = random_mechanism(&mut random, n);
        let at = random_state(&model, &mut random);
        assert!(!model.flat.constraints.is_empty());
        for c in &model.flat.constraints {
            let [v, a] = [model.eval(&at, &[c.velocity])[0], model.eval(&at, &[c.acceleration])[0]];
            // The angle of a cut joint is one only where its gaps are closed.
            if c.name != "gear" {
                close(rate_of(&model, &at, c.position.unwrap()), v, 1e-7, &format!("velocity of {}", c.name));
            }
            close(rate_of(&model, &at, c.velocity), a, 1e-6, &format!("acceleration of {}", c.name));
        }
        for line in &model.mechanism.lines {
            let equation = |s: Symbol| {
                let name = &model.flat.quantity(s).name;
                model.flat.equations.iter().find(|e| e.name == *name).unwrap().rhs
            };
            close(rate_of(&model, &at, equation(line.length)), at.symbols[&line.rate], 1e-7, "line");
        }
    }
}

/// Energy changes by the power of forces, lines and multipliers: λ · ġ.
#[test]
fn multipliers_and_lines_exert_their_power() {
    let mut random = Random(12);
    for n in (2..7).cycle().take(40) {
        let model = random_mechanism(&mut random, n);
        let at = random_state(&model, &mut random);
        let mut power = 0.0;
        for joint in &model.mechanism.joints {
            power +=
                joint.freedoms.iter().map(|f| at.symbols[&f.force] * at.symbols[&f.velocity]).sum::<f64>();
            if let Some(ball) = &joint.orientation {
                let pairs = ball.torque.iter().zip(&ball.velocity);
                power += pairs.map(|(m, w)| at.symbols[m] * at.symbols[w]).sum::<f64>();
            }
        }
        power +=
            model.mechanism.lines.iter().map(|l| at.symbols[&l.force] * at.symbols[&l.rate]).sum::<f64>();
        for c in &model.flat.constraints {
            power += at.symbols[&c.multiplier] * model.eval(&at, &[c.velocity])[0];
        }
        let energy =
            ["mechanism.kinetic", "mechanism.potential"].map(|name| rate_of(&model, &at, model.given(name)));
        close(energy[0] + energy[1], power, 1e-6, "power");
    }
}

/// g̈ for given multipliers.
fn accelerations(model: &Model, at: &Values, lambda: &[f64]) -> (Vec<f64>, Values) {
    let mut at = at.clone();
    at.symbols.extend(multipliers(model).into_iter().zip(lambda.iter().copied()));
    model.solve(&mut at);
    let roots: Vec<Expr> = model.flat.constraints.iter().map(|c| c.acceleration).collect();
    (model.eval(&at, &roots), at)
}

/// g̈ = a + S λ.
fn response(model: &Model, at: &Values) -> (Vec<f64>, Vec<Vec<f64>>) {
    let m = model.flat.constraints.len();
    let none = accelerations(model, at, &vec![0.0; m]).0;
    let columns = (0..m).map(|j| {
        let unit: Vec<f64> = (0..m).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        let with = accelerations(model, at, &unit).0;
        with.iter().zip(&none).map(|(a, b)| a - b).collect()
    });
    (none.clone(), columns.collect())
}

#[test]
fn multipliers_act_symmetrically_and_never_pull_back() {
    let mut random = Random(13);
    for n in (2..7).cycle().take(20) {
        let model = random_mechanism(&mut random, n);
        let at = random_state(&model, &mut random);
        let (_, s) = response(&model, &at);
        let m = s.len();
        for i in 0..m {
            for j in 0..m {
                close(s[i][j], s[j][i], 1e-9, "symmetry");
            }
        }
        for _ in 0..10 {
            let x: Vec<f64> = (0..m).map(|_| random.within(1.0)).collect();
            let form: f64 = (0..m).map(|i| (0..m).map(|j| x[i] * s[i][j] * x[j]).sum::<f64>()).sum();
            assert!(form > -1e-9, "{form}");
        }
    }
}

/// S λ = −a by elimination with pivots.
fn solve(mut s: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| s[i][k].abs().total_cmp(&s[j][k].abs())).unwrap();
        s.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = s[i][k] / s[k][k];
            for j in k..n {
                s[i][j] -= factor * s[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| s[k][j] * b[j]).sum::<f64>()) / s[k][k];
    }
    b
}

/// world – hinge – arm – joint – tool, the joint in the tree; or the tool flying and the joint cut.
fn arm_and_tool(kind: &'static JointKind, swapped: bool, cut: bool, random: &mut Random) -> Model {
    let mut model = Model::new(GRAVITY);
    let arm = model.body("arm", 1.2, [0.3, 0.1, 0.0], [0.2, 0.3, 0.4, 0.01, 0.02, 0.0]);
    let tool = model.body("tool", 0.7, [0.1, 0.0, 0.2], [0.1, 0.2, 0.15, 0.0, 0.02, 0.01]);
    let (w, b) = (model.frame(0, [0.1, 0.2, 0.3], IDENTITY), model.frame(arm, [0.0; 3], IDENTITY));
    model.joint(JointKind::REVOLUTE, w, b, &[[0.0, 0.6, 0.8]]);
    let (near, far) = (frame(&model, random, arm), frame(&model, random, tool));
    let axes = axes(random, kind);
    let j = if swapped { model.joint(kind, far, near, &axes) } else { model.joint(kind, near, far, &axes) };
    let symbols = ["fx", "fy", "fz", "mx", "my", "mz"].map(|s| model.unknown(&format!("j1.{s}"), 0.0));
    model.mechanism.joints[j].reactions = Some(symbols);
    if cut {
        model.mechanism.joints[j].cut = true;
        let (w, b) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(tool, [0.0; 3], IDENTITY));
        model.joint(JointKind::FREE, w, b, &[]);
    }
    model.emit();
    model
}

/// A joint means the same in the tree and cut: coordinates, velocities, reactions.
#[test]
fn a_cut_joint_is_the_joint() {
    for (number, &kind) in KINDS.iter().enumerate().filter(|k| *k.1 != JointKind::SCREW) {
        for swapped in [false, true] {
            let mut random = Random(100 + number as u64);
            let seed = random.next();
            let tree = arm_and_tool(kind, swapped, false, &mut Random(seed));
            let cut = arm_and_tool(kind, swapped, true, &mut Random(seed));
            let at = random_state(&tree, &mut random);
            let wanted = match kind {
                JointKind::WELD => 6,
                JointKind::REVOLUTE | JointKind::PRISMATIC => 5,
                JointKind::CYLINDRICAL | JointKind::UNIVERSAL => 4,
                JointKind::PLANAR | JointKind::SPHERICAL => 3,
                _ => 0,
            };
            assert_eq!(cut.flat.constraints.len(), wanted, "{kind:?}");
            let flying = placed_alike(&tree, &at, &cut);
            for c in &cut.flat.constraints {
                close(cut.eval(&flying, &[c.position.unwrap()])[0], 0.0, 1e-12, "gap");
                close(cut.eval(&flying, &[c.velocity])[0], 0.0, 1e-9, "gap velocity");
            }
            let (a, s) = response(&cut, &flying);
            let lambda = solve(s, a.iter().map(|x| -x).collect());
            let moving = accelerations(&cut, &flying, &lambda).1;
            let joint = &tree.mechanism.joints[1];
            for f in &joint.freedoms {
                close(at.symbols[&f.position], moving.symbols[&f.position], 1e-9, "coordinate");
                close(at.symbols[&f.velocity], moving.symbols[&f.velocity], 1e-9, "velocity");
            }
            if let Some(ball) = &joint.orientation {
                let same: f64 = ball.quaternion.iter().map(|s| at.symbols[s] * moving.symbols[s]).sum();
                close(same.abs(), 1.0, 1e-12, "orientation");
                for w in &ball.velocity {
                    close(at.symbols[w], moving.symbols[w], 1e-9, "angular velocity");
                }
            }
            for s in joint.reactions.unwrap() {
                let what = format!("{kind:?} {swapped} {}", tree.flat.quantity(s).name);
                close(at.symbols[&s], moving.symbols[&s], 1e-8, &what);
            }
            let v = tree.symbol("j0.v0");
            close(at.rates[&v], moving.rates[&v], 1e-8, "acceleration of the arm");
        }
    }
}

/// The state of the model with the flying tool in which all bodies move as in the other one.
fn placed_alike(tree: &Model, at: &Values, cut: &Model) -> Values {
    let mut state = at.clone();
    let output = |name: &str| tree.given(&format!("tool.{name}"));
    let free = &cut.mechanism.joints[2];
    for (f, name) in free.freedoms.iter().zip(["x", "y", "z"]) {
        state.symbols.insert(f.position, tree.eval(at, &[output(name)])[0]);
        state.symbols.insert(f.velocity, rate_of(tree, at, output(name)));
        state.symbols.insert(f.force, 0.0);
    }
    let ball = free.orientation.as_ref().unwrap();
    let names = ["qw", "qx", "qy", "qz"];
    let q = names.map(|n| tree.eval(at, &[output(n)])[0]);
    let d = names.map(|n| rate_of(tree, at, output(n)));
    // ω = 2 q* ⊗ q'.
    let w = [
        2.0 * (q[0] * d[1] - q[1] * d[0] - q[2] * d[3] + q[3] * d[2]),
        2.0 * (q[0] * d[2] + q[1] * d[3] - q[2] * d[0] - q[3] * d[1]),
        2.0 * (q[0] * d[3] - q[1] * d[2] + q[2] * d[1] - q[3] * d[0]),
    ];
    state.symbols.extend(ball.quaternion.iter().copied().zip(q));
    state.symbols.extend(ball.velocity.iter().copied().zip(w));
    state.symbols.extend(ball.torque.iter().map(|&s| (s, 0.0)));
    state
}

/// Velocities are rates of positions, accelerations rates of velocities; free fall reads g.
#[test]
fn sensors_show_derivatives() {
    let mut random = Random(14);
    for n in (1..6).cycle().take(15) {
        let mut model = random_tree(&mut random, n, GRAVITY, None);
        let of = frame(&model, &mut random, n);
        let still = frame(&model, &mut random, 0);
        let moving = frame(&model, &mut random, n / 2);
        for (name, from) in [("still", still), ("moving", moving)] {
            let mut shows = vec![];
            for i in 0..3 {
                for (m, letter) in [
                    (SensedQuantity::Position(i), 'x'),
                    (SensedQuantity::Velocity(i), 'v'),
                    (SensedQuantity::Acceleration(i), 'a'),
                ] {
                    shows.push((m, model.unknown(&format!("{name}.{letter}{i}"), 0.0)));
                }
            }
            let (name, origin, of) = (name.to_string(), Origin::default(), of.clone());
            model.mechanism.sensors.push(Sensor { name, origin, of, from, shows });
        }
        model.emit();
        let mut at = model.random_state(&mut random);
        model.solve(&mut at);
        let equation = |name: &str| model.flat.equations.iter().find(|e| e.name == name).unwrap().rhs;
        for name in ["still", "moving"] {
            for i in 0..3 {
                let [x, v, a] = ["x", "v", "a"].map(|letter| equation(&format!("{name}.{letter}{i}")));
                close(rate_of(&model, &at, x), model.eval(&at, &[v])[0], 1e-7, "velocity");
                if name == "still" {
                    close(rate_of(&model, &at, v), model.eval(&at, &[a])[0], 1e-6, "acceleration");
                }
            }
        }
    }
}

/// A load in the world's axes at a point does the work F · v of that point.
#[test]
fn loads_do_work() {
    let mut random = Random(15);
    for along in [false, true] {
        let mut model = random_tree(&mut random, 4, [0.0; 3], Some(JointKind::SPHERICAL));
        let at_frame = frame(&model, &mut random, 4);
        let (force, torque) = (model.vector([1.0, 2.0, -0.5]), model.vector([0.2, -0.1, 0.4]));
        let shows: Vec<(SensedQuantity, Symbol)> = (0..6)
            .map(|i| {
                let measured =
                    if i < 3 { SensedQuantity::Velocity(i) } else { SensedQuantity::AngularVelocity(i - 3) };
                (measured, model.unknown(&format!("tip.{i}"), 0.0))
            })
            .collect();
        // Velocities in W, in the axes that the load is said in.
        let from = model.frame(0, [0.0; 3], IDENTITY);
        let (of, origin) = (at_frame.clone(), Origin::default());
        model.mechanism.sensors.push(Sensor { name: "tip".into(), origin: origin.clone(), of, from, shows });
        let name = "wind".to_string();
        model.mechanism.loads.push(Load { name, origin, at: at_frame, turns_along: along, force, torque });
        model.emit();
        let mut at = model.random_state(&mut random);
        for joint in &model.mechanism.joints {
            at.symbols.extend(joint.freedoms.iter().map(|f| (f.force, 0.0)));
            at.symbols.extend(joint.orientation.iter().flat_map(|o| o.torque).map(|s| (s, 0.0)));
        }
        model.solve(&mut at);
        let kinetic = model.given("mechanism.kinetic");
        if !along {
            let wrench = [1.0, 2.0, -0.5, 0.2, -0.1, 0.4];
            let power: f64 = (0..6).map(|i| wrench[i] * at.symbols[&model.symbol(&format!("tip.{i}"))]).sum();
            close(rate_of(&model, &at, kinetic), power, 1e-7, "power");
        } else {
            assert!(rate_of(&model, &at, kinetic).abs() > 1e-3);
        }
    }
}

/// Bars of a four-bar linkage from the world's hinges at 0 and 4: crank, coupler, rocker.
fn four_bar() -> Model {
    let mut model = Model::new([0.0, -9.81, 0.0]);
    for name in ["crank", "coupler", "rocker"] {
        model.body(name, 1.0, [0.5, 0.0, 0.0], [0.01, 0.1, 0.1, 0.0, 0.0, 0.0]);
    }
    let z = [[0.0, 0.0, 1.0]];
    let ends = [((0, 0.0), (1, 0.0)), ((1, 1.0), (2, 0.0)), ((2, 3.0), (3, 2.0)), ((0, 4.0), (3, 0.0))];
    for ((a, x), (b, y)) in ends {
        let (near, far) = (model.frame(a, [x, 0.0, 0.0], IDENTITY), model.frame(b, [y, 0.0, 0.0], IDENTITY));
        model.joint(JointKind::REVOLUTE, near, far, &z);
    }
    model
}

#[test]
fn a_planar_loop_has_two_constraints_far_from_the_world() {
    let mut model = four_bar();
    model.emit();
    let names: Vec<&str> = model.flat.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["j2", "j2"]);
}

#[test]
fn a_driven_joint_is_in_the_tree() {
    let mut model = four_bar();
    let motion = model.flat.graph.time().id;
    model.drive(2, motion);
    model.emit();
    assert!(model.flat.constraints.iter().all(|c| c.name == "j1"), "{:?}", model.flat.constraints);
}

#[test]
fn a_cut_joint_may_be_driven() {
    let mut model = four_bar();
    let motion = (0.3 * model.flat.graph.time()).id;
    model.drive(2, motion);
    model.mechanism.joints[2].cut = true;
    model.emit();
    assert_eq!(model.flat.constraints.len(), 3);
    let mut at = random_state(&model, &mut Random(16));
    at.time = 0.2;
    let drive = &model.flat.constraints[2];
    assert_eq!(model.flat.quantity(drive.multiplier).unit.text, "N m");
    close(rate_of(&model, &at, drive.velocity), model.eval(&at, &[drive.acceleration])[0], 1e-7, "drive");
}

fn codes(model: &mut Model) -> Vec<&'static str> {
    let made = trunnion_multibody::emit(&mut model.flat, &model.mechanism, &Default::default());
    made.err().into_iter().flatten().map(|d| d.code).collect()
}

#[test]
fn what_cannot_be_is_refused() {
    // A body that nothing holds, another joined to it, and one joined to itself.
    let mut model = Model::new(GRAVITY);
    let [a, b] = ["a", "b"].map(|n| model.body(n, 1.0, [0.0; 3], [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]));
    let at = |model: &Model, body: usize| model.frame(body, [0.1, 0.0, 0.0], IDENTITY);
    let (fa, fb) = (at(&model, a), at(&model, b));
    model.joint(JointKind::REVOLUTE, fa.clone(), fb.clone(), &[[0.0, 0.0, 1.0]]);
    model.joint(JointKind::WELD, fa.clone(), fa.clone(), &[]);
    assert_eq!(codes(&mut model), ["B0002", "B0001"]);

    // A screw that is cut.
    let mut model = Model::new(GRAVITY);
    let a = model.body("a", 1.0, [0.0; 3], [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
    let (w, fa) = (at(&model, 0), at(&model, a));
    model.joint(JointKind::FREE, w.clone(), fa.clone(), &[]);
    let screw = model.joint(JointKind::SCREW, w.clone(), fa.clone(), &[[0.0, 0.0, 1.0]]);
    model.mechanism.joints[screw].cut = true;
    assert_eq!(codes(&mut model), ["B0003"]);

    // A slender rod that turns about itself, and the same without mass.
    for m in [1.0, 0.0] {
        let mut model = Model::new(GRAVITY);
        let a = model.body("a", m, [0.5, 0.0, 0.0], [0.0, 0.1 * m, 0.1 * m, 0.0, 0.0, 0.0]);
        let (w, fa) = (model.frame(0, [0.0; 3], IDENTITY), model.frame(a, [0.0; 3], IDENTITY));
        model.joint(JointKind::REVOLUTE, w, fa, &[[1.0, 0.0, 0.0]]);
        assert_eq!(codes(&mut model), ["B0004"]);
    }
}

#[test]
fn lengths_of_zero_and_gaps_for_ever_are_refused() {
    let mut model = four_bar();
    let (from, to) = (model.frame(0, [1.0, 0.0, 0.0], IDENTITY), model.frame(1, [1.0, 0.0, 0.0], IDENTITY));
    let [length, rate, force] = ["l", "r", "f"].map(|s| model.unknown(&format!("line.{s}"), 0.0));
    let line = ForceLine {
        name: "line".into(),
        origin: Origin::default(),
        from: from.clone(),
        to: to.clone(),
        length,
        rate,
        force,
    };
    model.mechanism.lines.push(line);
    assert_eq!(codes(&mut model), ["B0005"]);

    let mut model = four_bar();
    couple(&mut model, "rod", CouplingForm::Rod { from, to, length: None });
    assert_eq!(codes(&mut model), ["B0006"]);

    // The rocker's hinge above the plane of the others.
    let mut model = four_bar();
    model.mechanism.joints[3].parent = model.frame(0, [4.0, 0.0, 0.1], IDENTITY);
    assert_eq!(codes(&mut model), ["B0007"]);
}

//! Mechanisms made at random: joints of all kinds in trees and loops, frames turned, start values right, rough or guessed. Each is refused
//! with a reason, or runs with every joint closed, every quaternion of unit length, and energy accounted for:
//!
//!   T + V − W = const,   Ẇ = Σ force · velocity along the coordinates + effort · velocity of prescribed ones            (1)
//!
//! Joints are looked at from outside, in the poses of the bodies as they are shown: p = p_FC and R = R_FC of the frames of each joint.
//! `TRUNNION_MECHANISMS` sets how many are tried.

mod build;

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use build::{IDENTITY, KINDS, Matrix, Model, Random, Values, axes, product, random_tree, rotation, times};
use trunnion_equations::flat::{Equation, Origin, QuantityRole};
use trunnion_equations::{EvaluationEngine, Expr, Symbol, analyse};
use trunnion_model::Sources;
use trunnion_model::mechanism::{Coupling, CouplingForm, Frame, Joint, JointKind, Mechanism};
use trunnion_sim::integrate::{Moment, OutputTimes};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::{Settings, run_on};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

const GRAVITY: [f64; 3] = [0.3, -0.4, -9.81];
const RTOL: f64 = 1e-9;
/// What a run of this tolerance may leave of a gap (m, or of a unit vector), and of the energy relative to what is moved about.
const GAP: f64 = 1e-7;
const ENERGY: f64 = 1e-6;

/// Place and axes in the world.
type Pose = ([f64; 3], Matrix);

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn scaled(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| x * s)
}

fn transposed(r: Matrix) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| r[j][i]))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn then((p, r): Pose, (q, s): Pose) -> Pose {
    (plus(p, times(r, q)), product(r, s))
}

fn back((p, r): Pose) -> Pose {
    let r = transposed(r);
    (scaled(times(r, p), -1.0), r)
}

fn about(axis: [f64; 3], angle: f64) -> Matrix {
    let s = (0.5 * angle).sin();
    rotation([(0.5 * angle).cos(), s * axis[0], s * axis[1], s * axis[2]])
}

/// A pose of C in F that the joint allows.
fn allowed(joint: &'static JointKind, axes: &[[f64; 3]], random: &mut Random) -> Pose {
    let (x, y, angle) = (random.within(0.3), random.within(0.3), random.within(3.0));
    let none = [0.0; 3];
    match joint {
        JointKind::WELD => (none, IDENTITY),
        JointKind::REVOLUTE => (none, about(axes[0], angle)),
        JointKind::PRISMATIC => (scaled(axes[0], x), IDENTITY),
        JointKind::CYLINDRICAL => (scaled(axes[0], x), about(axes[0], angle)),
        JointKind::UNIVERSAL => (none, product(about(axes[0], angle), about(axes[1], random.within(1.2)))),
        JointKind::PLANAR => {
            let n = cross(axes[0], axes[1]);
            (plus(scaled(axes[0], x), scaled(axes[1], y)), about(n, angle))
        }
        JointKind::SPHERICAL => (none, random.rotation()),
        JointKind::FREE | JointKind::SCREW => (random.vector(0.5), random.rotation()),
        kind => panic!("nothing is said here of {}", kind.word),
    }
}

/// How far (p, R) of C in F is from what the joint allows.
fn gap(joint: &Joint, pitch: f64, (p, r): Pose) -> f64 {
    let largest = |v: [f64; 3]| v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let minus = |a: [f64; 3], b: [f64; 3]| plus(a, scaled(b, -1.0));
    let across = |v: [f64; 3], a: [f64; 3]| largest(minus(v, scaled(a, dot(v, a))));
    let kept = |a: [f64; 3]| largest(minus(times(r, a), a));
    let turned = || (0..3).fold(0.0, |m: f64, k| m.max(kept([0, 1, 2].map(|i| IDENTITY[i][k]))));
    let axes = &joint.axes;
    match joint.kind {
        JointKind::WELD => largest(p).max(turned()),
        JointKind::REVOLUTE => largest(p).max(kept(axes[0])),
        JointKind::PRISMATIC => across(p, axes[0]).max(turned()),
        JointKind::CYLINDRICAL => across(p, axes[0]).max(kept(axes[0])),
        JointKind::UNIVERSAL => {
            largest(p).max((dot(axes[0], times(r, axes[1])) - dot(axes[0], axes[1])).abs())
        }
        JointKind::PLANAR => {
            let n = cross(axes[0], axes[1]);
            dot(p, n).abs().max(kept(n))
        }
        JointKind::SPHERICAL => largest(p),
        JointKind::FREE => 0.0,
        JointKind::SCREW => {
            // R = turn(a, φ), p = pitch φ a: φ modulo a turn.
            let a = axes[0];
            let e = if a[0].abs() < 0.8 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
            let e1 = minus(e, scaled(a, dot(e, a)));
            let phi = dot(a, cross(e1, times(r, e1))).atan2(dot(e1, times(r, e1)));
            let advance = (dot(p, a) / pitch - phi) / std::f64::consts::TAU;
            across(p, a).max(kept(a)).max((advance - advance.round()).abs())
        }
        kind => panic!("nothing is said here of {}", kind.word),
    }
}

/// Where the bodies are, as shown.
fn poses(mechanism: &Mechanism, value: impl Fn(Symbol) -> f64) -> Vec<Pose> {
    let of = |s: &[Symbol]| match *s {
        [x, y, z, a, b, c, d] => ([x, y, z].map(&value), rotation([a, b, c, d].map(&value))),
        _ => ([0.0; 3], IDENTITY),
    };
    mechanism.bodies.iter().map(|b| of(&b.pose)).collect()
}

struct Case {
    model: Model,
    /// (joint, p_FC, R_FC) are looked at with these.
    pitch: f64,
}

/// Adds joints that close loops, so that they fit in the pose `at` of the tree, or not at all.
fn close(model: &mut Model, random: &mut Random, at: &[Pose]) {
    let n = at.len();
    for _ in 0..random.below(3) {
        let kind = KINDS[random.below(KINDS.len())];
        let (a, b) = (random.below(n), random.below(n));
        if a == b {
            continue;
        }
        let axes = axes(random, kind);
        let f: Pose = (random.vector(0.5), if random.below(2) == 0 { random.rotation() } else { IDENTITY });
        let c = match random.below(5) {
            0 => (random.vector(0.5), random.rotation()),
            _ => then(back(at[b]), then(then(at[a], f), allowed(kind, &axes, random))),
        };
        let (near, far) = (model.frame(a, f.0, f.1), model.frame(b, c.0, c.1));
        let j = model.joint(kind, near, far, &axes);
        model.mechanism.joints[j].cut = kind != JointKind::SCREW && random.below(2) == 0;
    }
}

fn couple(model: &mut Model, random: &mut Random) {
    let n = model.mechanism.bodies.len();
    let add = |model: &mut Model, name: &str, form: CouplingForm| {
        let force = model.unknown(&format!("{name}.force"), 0.0);
        model.mechanism.couplings.push(Coupling {
            name: name.into(),
            origin: Origin::default(),
            form,
            force,
        });
    };
    if random.below(4) == 0 {
        let (from, to) =
            (model.frame(0, random.vector(0.8), IDENTITY), model.frame(n - 1, random.vector(0.5), IDENTITY));
        add(model, "rod", CouplingForm::Rod { from, to, length: None });
    }
    let joints = model.mechanism.joints.iter().enumerate();
    let coordinates: Vec<(usize, usize)> =
        joints.flat_map(|(j, joint)| (0..joint.freedoms.len()).map(move |i| (j, i))).take(3).collect();
    if random.below(4) == 0 && coordinates.len() > 1 {
        let factor = |r: &mut Random| model.flat.graph.constant(0.5 + r.within(0.4)).id;
        let terms: Vec<(usize, usize, Expr)> =
            coordinates.into_iter().map(|(j, i)| (j, i, factor(random))).collect();
        add(model, "gear", CouplingForm::Linear(terms));
    }
    if random.below(5) == 0 {
        let driven = model.mechanism.joints.iter().position(|j| !j.freedoms.is_empty());
        let g = &model.flat.graph;
        let motion = (random.within(0.5) * (2.0 * g.time()).sin() + 0.1 * g.time()).id;
        if let Some(joint) = driven {
            model.drive(joint, motion);
        }
    }
}

/// Start values: those of `truth`, moved by `reach`; velocities at random.
fn begin(model: &mut Model, random: &mut Random, truth: &Values) {
    let (rough, held) = match random.below(4) {
        0 => (Some(0.0), true),
        1 => (Some(0.0), false),
        2 => (Some(0.4), false),
        _ => (None, false),
    };
    let mut starts: Vec<(Symbol, f64)> = vec![];
    for joint in &mut model.mechanism.joints {
        let mut from = |s: Symbol, by_default: f64| match (rough, truth.symbols.get(&s)) {
            (Some(rough), Some(value)) => value + random.within(1.0) * rough,
            _ => by_default,
        };
        for f in &mut joint.freedoms {
            starts.push((f.position, from(f.position, 0.0)));
            starts.push((f.velocity, 0.0));
            f.holds.0 = held;
        }
        if let Some(ball) = &mut joint.orientation {
            let q: Vec<f64> =
                (0..4).map(|i| from(ball.quaternion[i], if i == 0 { 1.0 } else { 0.0 })).collect();
            let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            starts.extend(ball.quaternion.iter().zip(q).map(|(&s, x)| (s, x / size)));
            ball.holds.0 = held;
        }
    }
    for joint in &model.mechanism.joints {
        let speeds = joint.freedoms.iter().map(|f| f.velocity);
        let turns = joint.orientation.iter().flat_map(|b| b.velocity);
        starts.extend(speeds.chain(turns).map(|s| (s, random.within(1.0))));
    }
    for (s, value) in starts {
        let start = model.flat.graph.constant(value).id;
        model.flat.quantities[s.index()].kind = QuantityRole::Unknown { start };
    }
}

fn random_case(seed: u64) -> Result<Case, String> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9));
    let n = 1 + random.below(4);
    let mut model = random_tree(&mut random, n, GRAVITY, None);
    let mut bare = Model { flat: model.flat.clone(), mechanism: model.mechanism.clone() };
    let told = |errors: Vec<trunnion_model::Diagnostic>| errors[0].message.clone();
    trunnion_multibody::emit(&mut bare.flat, &bare.mechanism, &Sources::default()).map_err(told)?;
    let mut truth = bare.random_state(&mut random);
    bare.solve(&mut truth);
    let at = poses(&bare.mechanism, |s| truth.symbols[&s]);
    close(&mut model, &mut random, &at);
    couple(&mut model, &mut random);
    begin(&mut model, &mut random, &truth);
    forces(&mut model, &mut random);
    trunnion_multibody::emit(&mut model.flat, &model.mechanism, &Sources::default()).map_err(told)?;
    Ok(Case { model, pitch: 0.07 })
}

/// Springs and dampers along coordinates, or nothing; and W of (1).
fn forces(model: &mut Model, random: &mut Random) {
    let work = model.unknown("work", 0.0);
    let Model { flat, mechanism } = model;
    let g = &flat.graph;
    let (k, d) = if random.below(2) == 0 { (0.0, 0.0) } else { (3.0, 0.2) };
    let mut power = g.constant(0.0);
    let mut equations: Vec<(Expr, Expr)> = vec![];
    for joint in &mechanism.joints {
        for f in &joint.freedoms {
            let [q, v, force] = [f.position, f.velocity, f.force].map(|s| g.symbol(s));
            // An angle that is measured is one of many: its spring would jump.
            let spring = if f.turns { g.constant(0.0) } else { k * q };
            equations.push((force.id, (-(spring + d * v)).id));
            power = power + force * v;
            if let Some(motion) = &f.motion {
                power = power + g.symbol(motion.effort) * v;
            }
        }
        if let Some(ball) = &joint.orientation {
            for (&torque, &w) in ball.torque.iter().zip(&ball.velocity) {
                equations.push((g.symbol(torque).id, (-d * g.symbol(w)).id));
                power = power + g.symbol(torque) * g.symbol(w);
            }
        }
    }
    equations.push((g.derivative(work).id, power.id));
    for (i, (lhs, rhs)) in equations.into_iter().enumerate() {
        let name = format!("force {i}");
        flat.equations.push(Equation { name, origin: Origin::default(), lhs, rhs });
    }
}

/// What became of a mechanism.
#[derive(Debug)]
enum Fate {
    Refused(String),
    /// It ran to its end; whether it has constraints.
    Ran(bool),
    Ended(String),
    /// Near a dead point, where forces are uncertain: told as a warning.
    Warned,
}

/// Err: what is silently wrong.
fn check(seed: u64) -> Result<Fate, String> {
    let Case { model, pitch } = match random_case(seed) {
        Ok(case) => case,
        Err(reason) => return Ok(Fate::Refused(reason)),
    };
    let Model { flat, mechanism } = model;
    let frame = |f: &Frame| {
        let number = |e: Expr| flat.graph.at(e).value().unwrap();
        (f.body, (f.p.map(number), f.r.map(|row| row.map(number))))
    };
    let ends: Vec<_> = mechanism.joints.iter().map(|j| (frame(&j.parent), frame(&j.child))).collect();
    let names: HashMap<Symbol, String> = (0..flat.quantities.len() as u32)
        .map(|i| (Symbol(i), flat.quantity(Symbol(i)).name.clone()))
        .collect();
    let system = match analyse(flat) {
        Ok(system) => system,
        Err(errors) => return Ok(Fate::Refused(format!("{:?}", errors[0]))),
    };
    let prepared = Arc::new(Prepared::new(system, EvaluationEngine::Interpreter));
    let (mut machine, mut y) = match Machine::start(prepared.clone(), &HashMap::new(), 0.0) {
        Ok(started) => started,
        Err(error) => return Ok(Fate::Refused(error.to_string())),
    };
    if !machine.weak.is_empty() {
        return Ok(Fate::Warned);
    }
    let column: HashMap<&str, usize> =
        prepared.columns.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
    let constrained = !prepared.system.constraints.is_empty();
    let mut rows: Vec<(f64, Vec<f64>)> = vec![];
    let mut watch = |machine: &mut Machine, t: f64, y: &[f64], _: Moment| {
        let mut row = vec![0.0; prepared.columns.len()];
        machine.record(t, y, &mut row).expect("values are finite");
        rows.push((t, row));
        ControlFlow::Continue(())
    };
    let settings = Settings {
        t_0: 0.0,
        t_end: 0.6,
        output: OutputTimes::Interval(0.1),
        at: vec![],
        rtol: RTOL,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let solver = find(["tsit45", "auto", "rodas5p"][seed as usize % 3]).unwrap();
    let result = run_on(&mut machine, &mut y, solver, &settings, false, &mut watch);
    let value = |row: &[f64], name: &str| row[column[name]];
    let energy = |row: &[f64]| {
        let [t, v, w] = ["mechanism.kinetic", "mechanism.potential", "work"].map(|n| value(row, n));
        (t, v, w)
    };
    let (t0, v0, _) = energy(&rows[0].1);
    let mut moved = t0.abs().max(1.0);
    for (t, row) in &rows {
        if let Some(i) = row.iter().position(|x| !x.is_finite()) {
            return Err(format!("{} is {} at {t}", prepared.columns[i].name, row[i]));
        }
        for joint in &mechanism.joints {
            if let Some(ball) = &joint.orientation {
                let q = ball.quaternion.map(|s| value(row, &names[&s]));
                let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                if (size - 1.0).abs() > GAP {
                    return Err(format!("quaternion of {} is {size} long at {t}", joint.name));
                }
            }
        }
        let at = poses(&mechanism, |s| value(row, &names[&s]));
        for (joint, (near, far)) in mechanism.joints.iter().zip(&ends) {
            let seen = then(back(then(at[near.0], near.1)), then(at[far.0], far.1));
            let open = gap(joint, pitch, seen);
            let size = 1.0 + at[far.0].0.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if open > GAP * size {
                return Err(format!("{:?} {} is open by {open:.3e} at {t}", joint.kind, joint.name));
            }
        }
        let (kinetic, v, w) = energy(row);
        moved = moved.max(kinetic.abs()).max((v - v0).abs()).max(w.abs());
        let change = kinetic + v - w - t0 - v0;
        if change.abs() > ENERGY * moved {
            return Err(format!("energy {change:.3e} of {moved:.3e} unaccounted for at {t}"));
        }
    }
    match result {
        Ok(_) => Ok(Fate::Ran(constrained)),
        Err(error) => Ok(Fate::Ended(error.to_string())),
    }
}

#[test]
fn random_mechanisms_are_right_or_refused() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(or);
    let count = number("TRUNNION_MECHANISMS", 300);
    let first = number("TRUNNION_FIRST_MECHANISM", 0);
    let (mut ran, mut loops, mut warned, mut ended) = (0, 0, 0, vec![]);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = vec![];
    for seed in first..first + count {
        match check(seed) {
            Ok(Fate::Ran(constrained)) => {
                ran += 1;
                loops += constrained as usize;
            }
            Ok(Fate::Refused(reason)) => {
                assert!(!reason.is_empty() && !reason.contains("NaN"), "{seed}: {reason}");
                let kind = reason.split_whitespace().filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
                *refused.entry(kind.collect::<Vec<_>>().join(" ")).or_default() += 1;
            }
            Ok(Fate::Warned) => warned += 1,
            Ok(Fate::Ended(reason)) => ended.push(format!("{seed}: {reason}")),
            Err(what) => wrong.push(format!("{seed}: {what}")),
        }
    }
    println!(
        "{ran} ran, {loops} of them with constraints; {warned} warned; ended: {ended:#?}; refused: {refused:#?}"
    );
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(loops as f64 > 0.2 * count as f64, "few loops: {loops} of {count}");
    assert!(warned as f64 <= 0.02 * count as f64, "{warned} of {count} near a dead point");
    assert!(ended.len() as f64 <= 0.01 * count as f64, "{ended:#?}");
}

//! Mechanisms for tests: built by hand or at random, and evaluated expression by expression.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod beam;
pub mod elastic;

use std::collections::HashMap;

use trunnion_equations::flat::{Origin, Quantity, QuantityRole};
use trunnion_equations::{DisplayUnit, Expr, ExprNode, Flat, Symbol};
use trunnion_model::Sources;
use trunnion_model::mechanism::{
    Body, BodyInertia, Frame, Freedom, Joint, JointKind, Mechanism, Motion, Orientation, RigidInertia,
    Rotation,
};

pub type Matrix = [[f64; 3]; 3];

pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A model under construction.
pub struct Model {
    pub flat: Flat,
    pub mechanism: Mechanism,
}

impl Model {
    pub fn new(gravity: [f64; 3]) -> Self {
        let flat = Flat::default();
        let gravity = Some(gravity.map(|x| flat.graph.constant(x).id));
        let mechanism = Mechanism { gravity, ..Mechanism::default() };
        let mut model = Model { flat, mechanism };
        model.body("world", 0.0, [0.0; 3], [0.0; 6]);
        model
    }

    pub fn vector(&self, v: [f64; 3]) -> [Expr; 3] {
        v.map(|x| self.flat.graph.constant(x).id)
    }

    pub fn body(&mut self, name: &str, m: f64, center: [f64; 3], inertia: [f64; 6]) -> usize {
        let number = |x: f64| self.flat.graph.constant(x).id;
        let mut body = Body {
            name: name.into(),
            origin: Origin::default(),
            inertia: BodyInertia::Rigid(RigidInertia {
                mass: number(m),
                center: center.map(number),
                inertia: inertia.map(number),
            }),
            shapes: vec![],
            pose: vec![],
        };
        if self.mechanism.bodies.is_empty() {
            let names = ["mechanism.kinetic", "mechanism.potential"];
            self.mechanism.energy = Some(names.map(|name| self.unknown(name, 0.0)));
        } else {
            let names = ["x", "y", "z", "qw", "qx", "qy", "qz"];
            body.pose = names.iter().map(|n| self.unknown(&format!("{name}.{n}"), 0.0)).collect();
        }
        self.mechanism.bodies.push(body);
        self.mechanism.bodies.len() - 1
    }

    pub fn frame(&self, body: usize, p: [f64; 3], r: Matrix) -> Frame {
        let name = self.mechanism.bodies[body].name.clone();
        let r: Rotation = r.map(|row| self.vector(row));
        Frame { body, interface: None, name, p: self.vector(p), r }
    }

    pub fn unknown(&mut self, name: &str, start: f64) -> Symbol {
        let start = self.flat.graph.constant(start).id;
        self.flat.add(Quantity {
            name: name.into(),
            unit: DisplayUnit::default(),
            doc: String::new(),
            origin: Origin::default(),
            kind: QuantityRole::Unknown { start },
            nominal: None,
            range: (f64::NEG_INFINITY, f64::INFINITY),
        })
    }

    /// A joint with all its quantities; its number.
    pub fn joint(
        &mut self,
        kind: &'static JointKind,
        parent: Frame,
        child: Frame,
        axes: &[[f64; 3]],
    ) -> usize {
        let n = self.mechanism.joints.len();
        let name = format!("j{n}");
        let freedoms = kind.coordinates.iter().enumerate().map(|(i, c)| Freedom {
            turns: c.turns,
            position: self.unknown(&format!("{name}.q{i}"), 0.0),
            velocity: self.unknown(&format!("{name}.v{i}"), 0.0),
            force: self.unknown(&format!("{name}.f{i}"), 0.0),
            motion: None,
            holds: (false, false),
        });
        let freedoms = freedoms.collect();
        let orientation = kind.has_orientation().then(|| Orientation {
            quaternion: [0, 1, 2, 3]
                .map(|i| self.unknown(&format!("{name}.e{i}"), if i == 0 { 1.0 } else { 0.0 })),
            velocity: [0, 1, 2].map(|i| self.unknown(&format!("{name}.w{i}"), 0.0)),
            torque: [0, 1, 2].map(|i| self.unknown(&format!("{name}.m{i}"), 0.0)),
            holds: (false, false),
        });
        let pitch = kind.is_screw().then(|| self.flat.graph.constant(0.07).id);
        self.mechanism.joints.push(Joint {
            name,
            origin: Origin::default(),
            kind,
            parent,
            child,
            axes: axes.to_vec(),
            pitch,
            freedoms,
            orientation,
            cut: false,
            reactions: None,
        });
        n
    }

    pub fn drive(&mut self, joint: usize, position: Expr) {
        let effort = self.unknown(&format!("j{joint}.effort"), 0.0);
        self.mechanism.joints[joint].freedoms[0].motion = Some(Motion { position, effort });
    }

    pub fn emit(&mut self) {
        let made = trunnion_multibody::emit(&mut self.flat, &self.mechanism, &Sources::default());
        if let Err(errors) = made {
            panic!("{errors:?}");
        }
    }

    pub fn symbol(&self, name: &str) -> Symbol {
        self.flat.find(name).unwrap_or_else(|| panic!("no `{name}`"))
    }

    /// All coordinates, velocities and forces at random; unit quaternions.
    pub fn random_state(&self, random: &mut Random) -> Values {
        let mut at = Values::default();
        for joint in &self.mechanism.joints {
            for f in &joint.freedoms {
                for s in [f.position, f.velocity, f.force] {
                    at.symbols.insert(s, random.within(1.5));
                }
            }
            if let Some(ball) = &joint.orientation {
                let q = random.quaternion();
                for (&s, v) in ball.quaternion.iter().zip(q) {
                    at.symbols.insert(s, v);
                }
                for s in ball.velocity.iter().chain(&ball.torque) {
                    at.symbols.insert(*s, random.within(1.5));
                }
            }
        }
        for modal in self.mechanism.bodies.iter().filter_map(|b| b.inertia.modal()) {
            for (&q, &v) in modal.coordinates.iter().zip(&modal.rates) {
                at.symbols.insert(q, random.within(0.3));
                at.symbols.insert(v, random.within(1.0));
            }
        }
        at
    }

    /// Derivatives of the states from their equations, with quantities that equations give first.
    pub fn solve(&self, at: &mut Values) {
        let graph = &self.flat.graph;
        for equation in &self.flat.equations {
            if let ExprNode::Symbol(s) = graph.node(equation.lhs)
                && let Some(v) = Some(self.eval(at, &[equation.rhs])[0]).filter(|v| v.is_finite())
            {
                at.symbols.insert(s, v);
            }
        }
        let derivative = |e: Expr| match graph.node(e) {
            ExprNode::Derivative(s) => Some(s),
            _ => None,
        };
        let open: Vec<(Symbol, Expr)> =
            self.flat.equations.iter().filter_map(|e| Some((derivative(e.lhs)?, e.rhs))).collect();
        let values = self.eval(at, &open.iter().map(|o| o.1).collect::<Vec<_>>());
        at.rates.extend(open.iter().map(|o| o.0).zip(values));
    }

    pub fn eval(&self, at: &Values, roots: &[Expr]) -> Vec<f64> {
        let graph = &self.flat.graph;
        let mut values: HashMap<Expr, f64> = HashMap::new();
        for e in graph.reachable(roots.iter().copied()) {
            let value = match graph.node(e) {
                ExprNode::Symbol(s) => at.symbols.get(&s).copied().unwrap_or(f64::NAN),
                ExprNode::Derivative(s) => at.rates.get(&s).copied().unwrap_or(f64::NAN),
                ExprNode::Time => at.time,
                node => graph.evaluate_node(node, |c| values[&c]),
            };
            values.insert(e, value);
        }
        roots.iter().map(|e| values[e]).collect()
    }

    /// What is shown of bodies and energies.
    pub fn shown(&self) -> Vec<String> {
        let poses = self.mechanism.bodies.iter().flat_map(|b| &b.pose);
        let all = poses.chain(self.mechanism.energy.iter().flatten());
        all.map(|&s| self.flat.quantity(s).name.clone()).collect()
    }

    /// What a quantity that is given outright is given.
    pub fn given(&self, name: &str) -> Expr {
        let lhs = self.flat.ex(self.symbol(name)).id;
        let equation = self.flat.equations.iter().find(|e| e.lhs == lhs);
        equation.unwrap_or_else(|| panic!("no `{name}`")).rhs
    }

    pub fn output(&self, at: &Values, name: &str) -> f64 {
        self.eval(at, &[self.given(name)])[0]
    }
}

#[derive(Clone, Debug, Default)]
pub struct Values {
    pub symbols: HashMap<Symbol, f64>,
    pub rates: HashMap<Symbol, f64>,
    pub time: f64,
}

/// splitmix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Between −size and size.
    pub fn within(&mut self, size: f64) -> f64 {
        ((self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * size
    }

    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [0, 1, 2].map(|_| self.within(size))
    }

    pub fn unit(&mut self) -> [f64; 3] {
        let v = self.vector(1.0);
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size < 0.1 { self.unit() } else { v.map(|x| x / size) }
    }

    pub fn quaternion(&mut self) -> [f64; 4] {
        let v = [0, 1, 2, 3].map(|_| self.within(1.0));
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size < 0.1 { self.quaternion() } else { v.map(|x| x / size) }
    }

    pub fn rotation(&mut self) -> Matrix {
        rotation(self.quaternion())
    }
}

pub fn rotation([w, x, y, z]: [f64; 4]) -> Matrix {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

pub fn times(a: Matrix, v: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| (0..3).map(|j| a[i][j] * v[j]).sum())
}

pub fn product(a: Matrix, b: Matrix) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

pub const KINDS: &[&JointKind] = JointKind::ALL;

/// Axes that the kind wants: random, or along coordinate axes.
pub fn axes(random: &mut Random, kind: &'static JointKind) -> Vec<[f64; 3]> {
    let r = if random.below(2) == 0 { random.rotation() } else { IDENTITY };
    let k = random.below(3);
    let column = |k: usize| [0, 1, 2].map(|i| r[i][k % 3]);
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    match kind.axes.count() {
        0 => vec![],
        1 => vec![column(k).map(|x| sign * x)],
        _ => vec![column(k), column(k + 1)],
    }
}

/// A tree with joints of all kinds, some written from child to parent, some frames turned.
pub fn random_tree(
    random: &mut Random,
    n: usize,
    gravity: [f64; 3],
    base: Option<&'static JointKind>,
) -> Model {
    let mut model = Model::new(gravity);
    for i in 0..n {
        let j = random.vector(0.3).map(|x| x.abs() + 0.5);
        let off = random.vector(0.1);
        let (m, center) = (0.5 + random.within(0.4).abs(), random.vector(0.4));
        let body = model.body(&format!("b{i}"), m, center, [j[0], j[1], j[2], off[0], off[1], off[2]]);
        let parent = if base.is_some() && i > 0 { 1 + random.below(body - 1) } else { random.below(body) };
        let kind = match base {
            Some(kind) if i == 0 => kind,
            _ => KINDS[random.below(KINDS.len())],
        };
        let turned = |r: &mut Random| if r.below(3) == 0 { r.rotation() } else { IDENTITY };
        let (r1, r2) = (turned(random), turned(random));
        let near = model.frame(parent, random.vector(0.5), r1);
        let far = model.frame(body, random.vector(0.5), r2);
        let axes = axes(random, kind);
        if random.below(3) == 0 {
            model.joint(kind, far, near, &axes);
        } else {
            model.joint(kind, near, far, &axes);
        }
    }
    model
}

/// Of all bodies together.
pub fn mass_center(model: &Model, at: &Values) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut all = 0.0;
    for body in model.mechanism.bodies.iter().skip(1) {
        let [x, y, z, w, a, b, c] =
            ["x", "y", "z", "qw", "qx", "qy", "qz"].map(|n| model.output(at, &format!("{}.{n}", body.name)));
        let rigid = body.inertia.rigid().expect("a rigid body");
        let center = model.eval(at, &rigid.center);
        let m = model.eval(at, &[rigid.mass])[0];
        let c = times(rotation([w, a, b, c]), [center[0], center[1], center[2]]);
        sum = [sum[0] + m * (x + c[0]), sum[1] + m * (y + c[1]), sum[2] + m * (z + c[2])];
        all += m;
    }
    sum.map(|s| s / all)
}

/// Frames on the world turned by r.
pub fn turn_world(model: &mut Model, r: Matrix) {
    let Model { flat, mechanism } = model;
    let number = |e: Expr| flat.graph.at(e).value().unwrap();
    for joint in &mut mechanism.joints {
        for frame in [&mut joint.parent, &mut joint.child] {
            if frame.body == Mechanism::WORLD {
                let p = times(r, frame.p.map(number));
                let axes = product(r, frame.r.map(|row| row.map(number)));
                frame.p = p.map(|x| flat.graph.constant(x).id);
                frame.r = axes.map(|row| row.map(|x| flat.graph.constant(x).id));
            }
        }
    }
}

pub fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs())), "{what}: {a} and {b}");
}

/// Operations to compute all accelerations of the tree without forces along its coordinates, all else in place.
pub fn operations(model: &Model) -> usize {
    use trunnion_equations::program::{LeafPlace, Programs};
    let graph = &model.flat.graph;
    let rates = model.flat.equations.iter().filter(|e| matches!(graph.node(e.lhs), ExprNode::Derivative(_)));
    let roots: Vec<Expr> = rates.map(|e| e.rhs).collect();
    let forces: Vec<Symbol> =
        model.mechanism.joints.iter().flat_map(|j| j.freedoms.iter().map(|f| f.force)).collect();
    let zero = graph.constant(0.0).id;
    let roots = graph.rewrite(&roots, |node| match node {
        ExprNode::Symbol(s) if forces.contains(&s) => Some(zero),
        _ => None,
    });
    let place = |node: ExprNode| match node {
        ExprNode::Symbol(s) => Some(LeafPlace::Unknown(s.0)),
        ExprNode::Time => Some(LeafPlace::Time),
        _ => None,
    };
    Programs::build(graph, &[roots], place).fast[0].work()
}

/// Hinges about x and y in turn; square bars of 1 kg, 0.5 m along −z, 0.05 m wide.
pub fn chain(n: usize) -> Model {
    let (l, w) = (0.5, 0.05);
    let (across, along) = ((l * l + w * w) / 12.0, 2.0 * w * w / 12.0);
    let mut model = Model::new([0.0, 0.0, -9.81]);
    for i in 0..n {
        let inertia = [across, across, along, 0.0, 0.0, 0.0];
        let body = model.body(&format!("b{i}"), 1.0, [0.0, 0.0, -0.5 * l], inertia);
        let p = if i == 0 { [0.0; 3] } else { [0.0, 0.0, -l] };
        let (near, far) = (model.frame(body - 1, p, IDENTITY), model.frame(body, [0.0; 3], IDENTITY));
        let axis = if i % 2 == 0 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        model.joint(JointKind::REVOLUTE, near, far, &[axis]);
    }
    model
}

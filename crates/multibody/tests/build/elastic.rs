//! Elastic bodies for tests: point masses at random that move by shapes at random, and trees that mix them with rigid bodies.

use std::sync::Arc;

use trunnion_model::mechanism::{
    BodyInertia, Frame, JointKind, ModalBody, ModalData, ModalInterface, ModalMatrix, ModalPoint, Stiffening,
};

use super::{IDENTITY, KINDS, Matrix, Model, Random, axes};

impl Model {
    pub fn elastic_body(&mut self, name: &str, data: ModalData) -> usize {
        let body = self.body(name, 0.0, [0.0; 3], [0.0; 6]);
        let zero = self.flat.graph.constant(0.0).id;
        let n = data.size();
        let modal = ModalBody {
            data: Arc::new(data),
            rayleigh: [zero; 2],
            coordinates: (0..n).map(|a| self.unknown(&format!("{name}.q{a}"), 0.0)).collect(),
            rates: (0..n).map(|a| self.unknown(&format!("{name}.v{a}"), 0.0)).collect(),
            strain: self.unknown(&format!("{name}.strain"), 0.0),
            gauges: vec![],
            fatigue: None,
        };
        self.mechanism.bodies[body].inertia = BodyInertia::Modal(Box::new(modal));
        body
    }

    /// A frame at an interface of an elastic body, moved by `p`.
    pub fn interface(&self, body: usize, k: usize, p: [f64; 3], r: Matrix) -> Frame {
        let x = self.mechanism.bodies[body].inertia.modal().unwrap().data.interfaces[k].position;
        let frame = self.frame(body, [0, 1, 2].map(|i| x[i] + p[i]), r);
        Frame { interface: Some(k), ..frame }
    }

    /// Energy of deformation of all bodies.
    pub fn strain(&self, at: &super::Values) -> f64 {
        let elastic = self.mechanism.bodies.iter().filter(|b| b.inertia.modal().is_some());
        elastic.map(|b| self.output(at, &format!("{}.strain", b.name))).sum()
    }
}

pub fn random_points(random: &mut Random, n: usize) -> Vec<ModalPoint> {
    let mut point = || ModalPoint {
        mass: 0.1 + random.within(0.1).abs(),
        position: random.vector(0.7),
        shapes: (0..n).map(|_| random.vector(0.5)).collect(),
    };
    (0..8).map(|_| point()).collect()
}

/// Symmetric; positive definite if `large`.
pub fn symmetric(random: &mut Random, n: usize, size: f64, large: bool) -> ModalMatrix {
    let mut m = vec![vec![0.0; n]; n];
    for a in 0..n {
        for b in 0..=a {
            m[a][b] = random.within(size);
            m[b][a] = m[a][b];
        }
        if large {
            m[a][a] = size * (n as f64 + random.within(0.5));
        }
    }
    m
}

/// Interface 0 is fixed to B's origin, two others move.
pub fn random_data(random: &mut Random, n: usize, damped: bool) -> ModalData {
    let points = random_points(random, n);
    let mut data = ModalData::of_points(n, &points);
    data.stiffness = symmetric(random, n, 8.0, true);
    if damped {
        data.damping = symmetric(random, n, 0.3, true);
    }
    let stiffened = random.below(2) == 0;
    let three = |random: &mut Random| [0, 1, 2].map(|_| symmetric(random, n, 0.05, false));
    if stiffened {
        data.stiffening = Some(Stiffening { shift: three(random), moment: [0, 1, 2].map(|_| three(random)) });
        data.rotary = (0..n).map(|_| random.vector(0.02)).collect();
    }
    let fixed = ModalInterface {
        translation: vec![[0.0; 3]; n],
        rotation: vec![[0.0; 3]; n],
        ..ModalInterface::default()
    };
    let mut moving = || ModalInterface {
        name: String::new(),
        position: random.vector(0.6),
        translation: (0..n).map(|_| random.vector(0.5)).collect(),
        rotation: (0..n).map(|_| random.vector(0.8)).collect(),
        second: stiffened.then(|| three(random)),
    };
    data.interfaces = vec![fixed, moving(), moving()];
    data
}

/// Joints of all kinds between bodies of which every second one or so is elastic, joined at any interface.
pub fn mixed_tree(
    random: &mut Random,
    n: usize,
    gravity: [f64; 3],
    base: Option<&'static JointKind>,
    damped: bool,
) -> Model {
    let mut model = Model::new(gravity);
    for i in 0..n {
        let name = format!("b{i}");
        let body = if random.below(2) == 0 {
            let size = 1 + random.below(3);
            let data = random_data(random, size, damped);
            model.elastic_body(&name, data)
        } else {
            let j = random.vector(0.3).map(|x| x.abs() + 0.5);
            model.body(&name, 0.9, random.vector(0.4), [j[0], j[1], j[2], 0.05, -0.03, 0.02])
        };
        let parent = if base.is_some() && i > 0 { 1 + random.below(body - 1) } else { random.below(body) };
        let kind = base.filter(|_| i == 0).unwrap_or(KINDS[random.below(KINDS.len())]);
        let mut frame = |body: usize| {
            let r = if random.below(3) == 0 { random.rotation() } else { IDENTITY };
            match (model.mechanism.bodies[body].inertia.modal(), random.below(4)) {
                (Some(_), k @ 0..3) => model.interface(body, k, random.vector(0.3), r),
                _ => model.frame(body, random.vector(0.5), r),
            }
        };
        let (near, far) = (frame(parent), frame(body));
        let axes = axes(random, kind);
        if random.below(3) == 0 && base.is_none() {
            model.joint(kind, far, near, &axes);
        } else {
            model.joint(kind, near, far, &axes);
        }
    }
    model
}

//! Uniform beams along x by shapes of bending, integrated by Gauss–Legendre quadrature.
//!
//!   u_y = Σ φ_a(x) q_a,   u_x = −½ ∫₀ˣ (Σ φ_a' q_a)² dx                                                (1)

use trunnion_model::mechanism::{JointKind, Mechanism, ModalData, ModalInterface, ModalPoint, Stiffening};

use super::{IDENTITY, Model};

pub struct Beam {
    pub length: f64,
    pub rho_a: f64,
    pub e_i: f64,
}

/// φ, φ' and φ'' at ξ = x/L, derivatives by ξ.
pub type BeamShape = Box<dyn Fn(f64) -> [f64; 3]>;

/// ξ² P_k(2 ξ − 1), P_k the polynomials of Legendre: all polynomials that are clamped at 0, in a basis that keeps its digits.
pub fn polynomial_shapes(n: usize) -> Vec<BeamShape> {
    let shape = |k: usize| -> BeamShape {
        Box::new(move |x| {
            let y = 2.0 * x - 1.0;
            // P, P', P'' by (k + 1) P_(k+1) = (2 k + 1) y P_k − k P_(k−1) and its derivatives by ξ.
            let (mut last, mut p) = ([0.0; 3], [1.0, 0.0, 0.0]);
            for m in 0..k {
                let (a, b) = (m as f64, (m + 1) as f64);
                let times_y = [y * p[0], y * p[1] + 2.0 * p[0], y * p[2] + 4.0 * p[1]];
                let next = [0, 1, 2].map(|i| ((a + b) * times_y[i] - a * last[i]) / b);
                (last, p) = (p, next);
            }
            [x * x * p[0], x * x * p[1] + 2.0 * x * p[0], x * x * p[2] + 4.0 * x * p[1] + 2.0 * p[0]]
        })
    };
    (0..n).map(shape).collect()
}

/// Modes of a clamped beam, 2 at the end: cosh − cos − σ (sinh − sin), cos β cosh β = −1.
pub fn cantilever_shapes(n: usize) -> Vec<BeamShape> {
    let mode = |a: usize| -> BeamShape {
        let mut b = (a as f64 + 0.5) * std::f64::consts::PI;
        // Newton's method on cos β + 1/cosh β.
        for _ in 0..50 {
            b -= (b.cos() + 1.0 / b.cosh()) / (-b.sin() - b.tanh() / b.cosh());
        }
        // σ − 1 with all its digits: cosh − σ sinh = e^−βξ − (σ − 1) sinh does not cancel then.
        let less = ((-b).exp() + b.cos() - b.sin()) / (b.sinh() + b.sin());
        let sigma = 1.0 + less;
        Box::new(move |x| {
            let (s, c) = (b * x).sin_cos();
            let (e, sinh) = ((-b * x).exp(), (b * x).sinh());
            let cosh = e + sinh;
            // cosh − σ sinh and sinh − σ cosh.
            let (p, q) = (e - less * sinh, -e - less * cosh);
            [p - c + sigma * s, b * (q + s + sigma * c), b * b * (p + c - sigma * s)]
        })
    };
    (0..n).map(mode).collect()
}

impl Beam {
    /// Points and weights of 40 panels of five points on 0 … 1.
    fn quadrature() -> Vec<(f64, f64)> {
        let five = [
            (0.0, 0.568_888_888_888_888_9),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
            (0.906_179_845_938_664, 0.236_926_885_056_189_08),
        ];
        let panels = 40;
        let h = 1.0 / f64::from(panels);
        let mut all = vec![];
        for p in 0..panels {
            for (x, w) in five {
                for sign in if x == 0.0 { vec![1.0] } else { vec![-1.0, 1.0] } {
                    all.push((h * (f64::from(p) + 0.5 + 0.5 * sign * x), 0.5 * h * w));
                }
            }
        }
        all
    }

    /// Bending along y, clamped at B; interface 0 is the end.
    pub fn data(&self, shapes: &[BeamShape], stiffened: bool) -> ModalData {
        let directions: Vec<(usize, &BeamShape)> = shapes.iter().map(|s| (1, s)).collect();
        self.integrals(&directions, stiffened)
    }

    /// As many shapes along y as along z.
    pub fn spatial(&self, n: usize) -> ModalData {
        let shapes = cantilever_shapes(n);
        let directions: Vec<(usize, &BeamShape)> =
            [1, 2].iter().flat_map(|&k| shapes.iter().map(move |s| (k, s))).collect();
        self.integrals(&directions, true)
    }

    fn integrals(&self, shapes: &[(usize, &BeamShape)], stiffened: bool) -> ModalData {
        let n = shapes.len();
        let l = self.length;
        let along = |k: usize, x: f64| {
            let mut v = [0.0; 3];
            v[k] = x;
            v
        };
        let points: Vec<ModalPoint> = Self::quadrature()
            .iter()
            .map(|&(x, w)| ModalPoint {
                mass: self.rho_a * l * w,
                position: [l * x, 0.0, 0.0],
                shapes: shapes.iter().map(|(k, s)| along(*k, s(x)[0])).collect(),
            })
            .collect();
        let mut data = ModalData::of_points(n, &points);
        let zero = || vec![vec![0.0; n]; n];
        let (mut shift, mut moment, mut tip) = (zero(), zero(), zero());
        for a in 0..n {
            for b in (0..n).filter(|&b| shapes[a].0 == shapes[b].0) {
                for (x, w) in Self::quadrature() {
                    let ([_, da, dda], [_, db, ddb]) = (shapes[a].1(x), shapes[b].1(x));
                    data.stiffness[a][b] += self.e_i / l.powi(3) * w * dda * ddb;
                    // ∫ of −∫₀ˣ φ' φ' over the mass beyond x, and with the lever.
                    let slope = w * da * db / l;
                    tip[a][b] -= slope;
                    shift[a][b] -= self.rho_a * l * (1.0 - x) * slope;
                    moment[a][b] -= self.rho_a * l * l * 0.5 * (1.0 - x * x) * slope;
                }
            }
        }
        let end = |k: usize, s: &BeamShape| (along(k, s(1.0)[0]), s(1.0)[1] / l);
        data.interfaces = vec![ModalInterface {
            name: "end".into(),
            position: [l, 0.0, 0.0],
            translation: shapes.iter().map(|(k, s)| end(*k, s).0).collect(),
            // A slope of u_y turns about z, one of u_z about −y.
            rotation: shapes
                .iter()
                .map(|(k, s)| if *k == 1 { along(2, end(*k, s).1) } else { along(1, -end(*k, s).1) })
                .collect(),
            second: stiffened.then(|| [tip, zero(), zero()]),
        }];
        if stiffened {
            let mut moments = [0, 1, 2].map(|_| [0, 1, 2].map(|_| zero()));
            moments[0][0] = moment;
            data.stiffening = Some(Stiffening { shift: [shift, zero(), zero()], moment: moments });
        }
        data
    }
}

/// Links that bend in y and z, with hinges about z and y in turn, each at the end of the link before.
pub fn arm(bodies: usize, modes: usize) -> Model {
    let beam = Beam { length: 1.0, rho_a: 1.0, e_i: 100.0 };
    let mut model = Model::new([0.0, -9.81, 0.0]);
    let mut near = model.frame(Mechanism::WORLD, [0.0; 3], IDENTITY);
    for i in 0..bodies {
        let body = model.elastic_body(&format!("b{i}"), beam.spatial(modes / 2));
        let far = model.frame(body, [0.0; 3], IDENTITY);
        let axis = if i % 2 == 0 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
        model.joint(JointKind::REVOLUTE, near, far, &[axis]);
        near = model.interface(body, 0, [0.0; 3], IDENTITY);
    }
    model
}

//! A hydraulic circuit of three axes, as large and stiff as a small machine.

use std::f64::consts::TAU;

use super::{ResidualFunction, TestProblem, written};

/// Three cylinders on one supply, 18 states, stiff by oil and line inertance; 10 s. No closed answer: `end` is empty.
///
/// Per axis: position x, velocity v, chamber pressures p_A, p_B, line flows q_A, q_B. The valve follows a sine
/// through smoothed metering edges; end stops keep x in range.
pub fn hydraulic_circuit() -> TestProblem {
    const COUPLED: [(usize, usize); 15] = [
        (1, 0),
        (2, 0),
        (3, 0),
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
        (1, 2),
        (4, 2),
        (1, 3),
        (5, 3),
        (2, 4),
        (4, 4),
        (3, 5),
        (5, 5),
    ];
    let residual = |t, y: &[f64], f: &mut [f64]| {
        for (axis, (y, f)) in
            AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(f.as_chunks_mut::<6>().0.iter_mut()))
        {
            axis.residual(t, y, f);
        }
    };
    let jacobian = |t, y: &[f64], j: &mut [f64]| {
        for (axis, (y, j)) in
            AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(j.as_chunks_mut::<15>().0.iter_mut()))
        {
            axis.jacobian(t, y, j);
        }
    };
    let time_gradient: ResidualFunction = |t, y, f_t| {
        for (axis, (y, f_t)) in
            AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(f_t.as_chunks_mut::<6>().0.iter_mut()))
        {
            axis.time_gradient(t, y, f_t);
        }
    };
    let entries: Vec<_> = (0..3).flat_map(|k| COUPLED.map(|(i, j)| (6 * k + i, 6 * k + j))).collect();
    let size = [0.1, 0.1, 1e6, 1e6, 1e-4, 1e-4].repeat(3);
    let start: Vec<f64> = AXES.iter().flat_map(HydraulicAxis::start).collect();
    let problem = written(&size, 0, &entries, residual, jacobian, 10.0, &start, &[]);
    TestProblem { time_gradient, ..problem }
}

pub struct HydraulicAxis {
    m: f64,
    area_a: f64,
    area_b: f64,
    frequency: f64,
    phase: f64,
    k: f64,
}
pub const AXES: [HydraulicAxis; 3] = [
    HydraulicAxis { m: 400.0, area_a: 5.0e-3, area_b: 3.3e-3, frequency: 0.35, phase: 0.0, k: 4e4 },
    HydraulicAxis { m: 250.0, area_a: 3.8e-3, area_b: 2.5e-3, frequency: 0.50, phase: 0.7, k: 3e4 },
    HydraulicAxis { m: 120.0, area_a: 2.0e-3, area_b: 1.3e-3, frequency: 0.80, phase: 1.9, k: 2e4 },
];
const BULK: f64 = 1.4e9;
const P_SUPPLY: f64 = 20e6;
const P_TANK: f64 = 1e5;
const STROKE: f64 = 0.8;
const V_DEAD: f64 = 1e-4;
const VALVE: f64 = 3e-7;
const INERTANCE: f64 = 8e6;
const LAMINAR: f64 = 5e8;
const TURBULENT: f64 = 4e11;
const DAMPING: f64 = 2e3;
const K_STOP: f64 = 2e7;
const D_STOP: f64 = 2e4;
const GRAVITY: f64 = 9.81 * 0.3;

/// Smoothed max(z, 0) and its slope.
fn positive(z: f64) -> (f64, f64) {
    let s = (z * z + 1e-10).sqrt();
    (0.5 * (z + s), 0.5 * (1.0 + z / s))
}

/// Smoothed q |q| and its slope.
fn square(q: f64, smooth: f64) -> (f64, f64) {
    let s = (q * q + smooth).sqrt();
    (q * s, (2.0 * q * q + smooth) / s)
}

/// Valve at one instant: pressures behind the edges A and B, loss factor; and their rates.
struct Valve {
    source: [f64; 2],
    loss: f64,
    source_dot: f64,
    loss_dot: f64,
}

impl HydraulicAxis {
    pub fn start(&self) -> [f64; 6] {
        let p_b = 5e6;
        [0.4, 0.0, (self.area_b * p_b + self.m * GRAVITY) / self.area_a, p_b, 0.0, 0.0]
    }

    fn valve(&self, t: f64) -> Valve {
        let (sin, cos) = (TAU * self.frequency * t + self.phase).sin_cos();
        let (u, u_dot) = (0.8 * sin, 0.8 * TAU * self.frequency * cos);
        let r_square = u * u + 1e-6;
        let r = r_square.sqrt();
        let (mean, half) = (0.5 * (P_SUPPLY + P_TANK), 0.5 * (P_SUPPLY - P_TANK));
        let loss = 1.0 / (VALVE * VALVE * r_square);
        Valve {
            source: [mean + half * u / r, mean - half * u / r],
            loss,
            source_dot: half * u_dot * 1e-6 / (r_square * r),
            loss_dot: -loss * 2.0 * u * u_dot / r_square,
        }
    }

    pub fn residual(&self, t: f64, y: &[f64], f: &mut [f64]) {
        let &[x, v, p_a, p_b, q_a, q_b] = y else { unreachable!("six states") };
        let valve = self.valve(t);
        let line = |source: f64, p: f64, q: f64| {
            let drop = valve.loss * square(q, 1e-14).0 + LAMINAR * q + TURBULENT * square(q, 1e-12).0;
            (source - p - drop) / INERTANCE
        };
        let volume_a = V_DEAD + self.area_a * positive(x).0;
        let volume_b = V_DEAD + self.area_b * positive(STROKE - x).0;
        let (low, high) = (positive(0.02 - x).0, positive(x - (STROKE - 0.02)).0);
        let stop = K_STOP * (low - high) - D_STOP * v * (low + high) / 0.01;
        let force =
            self.area_a * p_a - self.area_b * p_b - DAMPING * v - self.k * (x - 0.4) - self.m * GRAVITY;
        f[0] = v;
        f[1] = (force + stop) / self.m;
        f[2] = BULK / volume_a * (q_a - self.area_a * v);
        f[3] = BULK / volume_b * (q_b + self.area_b * v);
        f[4] = line(valve.source[0], p_a, q_a);
        f[5] = line(valve.source[1], p_b, q_b);
    }

    pub fn jacobian(&self, t: f64, y: &[f64], j: &mut [f64]) {
        let &[x, v, _, _, q_a, q_b] = y else { unreachable!("six states") };
        let valve = self.valve(t);
        let line = |q: f64| {
            -(valve.loss * square(q, 1e-14).1 + LAMINAR + TURBULENT * square(q, 1e-12).1) / INERTANCE
        };
        let (room_a, slope_a) = positive(x);
        let (room_b, slope_b) = positive(STROKE - x);
        let (volume_a, volume_b) = (V_DEAD + self.area_a * room_a, V_DEAD + self.area_b * room_b);
        let (low, low_x) = positive(0.02 - x);
        let (high, high_x) = positive(x - (STROKE - 0.02));
        let stop_x = -K_STOP * (low_x + high_x) - D_STOP * v * (high_x - low_x) / 0.01;
        let stop_v = -D_STOP * (low + high) / 0.01;
        let (beta_a, beta_b) = (BULK / volume_a, BULK / volume_b);
        j[0] = (stop_x - self.k) / self.m;
        j[1] = -beta_a / volume_a * self.area_a * slope_a * (q_a - self.area_a * v);
        j[2] = beta_b / volume_b * self.area_b * slope_b * (q_b + self.area_b * v);
        j[3] = 1.0;
        j[4] = (stop_v - DAMPING) / self.m;
        j[5] = -beta_a * self.area_a;
        j[6] = beta_b * self.area_b;
        j[7] = self.area_a / self.m;
        j[8] = -1.0 / INERTANCE;
        j[9] = -self.area_b / self.m;
        j[10] = -1.0 / INERTANCE;
        j[11] = beta_a;
        j[12] = line(q_a);
        j[13] = beta_b;
        j[14] = line(q_b);
    }

    pub fn time_gradient(&self, t: f64, y: &[f64], f_t: &mut [f64]) {
        let valve = self.valve(t);
        f_t[..4].fill(0.0);
        f_t[4] = (valve.source_dot - valve.loss_dot * square(y[4], 1e-14).0) / INERTANCE;
        f_t[5] = (-valve.source_dot - valve.loss_dot * square(y[5], 1e-14).0) / INERTANCE;
    }
}

//! Problems with known answers, written out by hand with their exact derivatives: tests and benches use them.

use crate::problem::{Layout, Problem};
#[cfg(test)]
use std::f64::consts::PI;
use trunnion_num::Pattern;

pub type ResidualFunction = fn(f64, &[f64], &mut [f64]);

/// A problem given by plain functions. `time_gradient` defaults to zero.
pub struct TestProblem {
    pub layout: Layout,
    pub residual: ResidualFunction,
    /// ∂f/∂y in the order of the pattern.
    pub jacobian: ResidualFunction,
    pub time_gradient: ResidualFunction,
    pub t_end: f64,
    pub start: Vec<f64>,
    /// Values at `t_end`.
    pub end: Vec<f64>,
}

impl Problem for TestProblem {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        (self.residual)(t, y, f);
    }
    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        (self.jacobian)(t, y, values);
    }
    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        (self.time_gradient)(t, y, f_t);
    }
}

/// `nominal` gives the number of unknowns and the largest size of each over the run; the last
/// `algebraic` of them are algebraic. `entries` are (row, column), sorted by column, then row.
fn written(
    nominal: &[f64],
    algebraic: usize,
    entries: &[(usize, usize)],
    residual: ResidualFunction,
    jacobian: ResidualFunction,
    t_end: f64,
    start: &[f64],
    end: &[f64],
) -> TestProblem {
    let n = nominal.len();
    let layout = Layout {
        names: (1..=n).map(|i| format!("y{i}")).collect(),
        differential: (0..n).map(|i| i < n - algebraic).collect(),
        nominal: nominal.to_vec(),
        pattern: Pattern::from_entries(n, entries.iter().copied()),
        ..Layout::default()
    };
    debug_assert!(entries.is_sorted_by_key(|(i, j)| (*j, *i)));
    let time_gradient = |_, _: &[f64], f_t: &mut [f64]| f_t.fill(0.0);
    TestProblem { layout, residual, jacobian, time_gradient, t_end, start: start.to_vec(), end: end.to_vec() }
}

/// All unknowns with derivatives, a full Jacobian, no time in it.
#[cfg(test)]
pub fn dense(
    nominal: Vec<f64>,
    residual: ResidualFunction,
    jacobian: ResidualFunction,
    t_end: f64,
    start: Vec<f64>,
) -> TestProblem {
    let n = nominal.len();
    let all = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let layout = Layout {
        names: (0..n).map(|i| format!("y{i}")).collect(),
        differential: vec![true; n],
        nominal,
        pattern: Pattern::from_entries(n, all),
        ..Layout::default()
    };
    let time_gradient: ResidualFunction = |_, _, f_t| f_t.fill(0.0);
    TestProblem { layout, residual, jacobian, time_gradient, t_end, start, end: vec![] }
}

/// ∂f/∂y by differences, good to 1e-8 of its size.
#[cfg(test)]
pub fn differences(residual: ResidualFunction, t: f64, y: &[f64], j: &mut [f64]) {
    let n = y.len();
    let (mut y, mut a, mut b) = (y.to_vec(), vec![0.0; n], vec![0.0; n]);
    for column in 0..n {
        let (at, d) = (y[column], 1e-6 * y[column].abs().max(1e-3));
        y[column] = at + d;
        residual(t, &y, &mut a);
        y[column] = at - d;
        residual(t, &y, &mut b);
        y[column] = at;
        (0..n).for_each(|row| j[column * n + row] = (a[row] - b[row]) / (2.0 * d));
    }
}

/// x'' = −x: x = cos t, over one period and a bit.
pub fn oscillator() -> TestProblem {
    let residual = |_, y: &[f64], f: &mut [f64]| f.copy_from_slice(&[y[1], -y[0]]);
    let jacobian = |_, _: &[f64], j: &mut [f64]| j.copy_from_slice(&[-1.0, 1.0]);
    let end = [7f64.cos(), -7f64.sin()];
    written(&[1.0; 2], 0, &[(1, 0), (0, 1)], residual, jacobian, 7.0, &[1.0, 0.0], &end)
}

/// y' = −y³: y = 1/√(1 + 2 t). Nonlinear, smooth. (RODAS3 solves y' = −y² to rounding, which shows no order.)
#[cfg(test)]
pub(crate) fn hyperbola() -> TestProblem {
    let residual = |_, y: &[f64], f: &mut [f64]| f[0] = -y[0].powi(3);
    let jacobian = |_, y: &[f64], j: &mut [f64]| j[0] = -3.0 * y[0] * y[0];
    written(&[1.0], 0, &[(0, 0)], residual, jacobian, 1.0, &[1.0], &[1.0 / 3f64.sqrt()])
}

/// Prothero–Robinson: y' = −10⁶ (y − sin t) + cos t, y = sin t: stiff order without transient.
#[cfg(test)]
pub(crate) fn prothero_robinson() -> TestProblem {
    const STIFF: f64 = 1e6;
    let residual = |t: f64, y: &[f64], f: &mut [f64]| f[0] = -STIFF * (y[0] - t.sin()) + t.cos();
    let jacobian = |_, _: &[f64], j: &mut [f64]| j[0] = -STIFF;
    let time_gradient: ResidualFunction = |t, _, f_t| f_t[0] = STIFF * t.cos() - t.sin();
    let pr = written(&[1.0], 0, &[(0, 0)], residual, jacobian, 3.0, &[0.0], &[3f64.sin()]);
    TestProblem { time_gradient, ..pr }
}

/// y' = −y z,   0 = z + z³ − g(t) + y − e^{−t − sin t},   g = (1 + cos t) + (1 + cos t)³.
///
/// Nonlinear, index 1, with y = e^{−t − sin t} and z = 1 + cos t.
pub fn index_one() -> TestProblem {
    fn q(t: f64) -> (f64, f64) {
        ((1.0 + t.cos()), (-t - t.sin()).exp())
    }
    let residual = |t, y: &[f64], f: &mut [f64]| {
        let (z, e) = q(t);
        f[0] = -y[0] * y[1];
        f[1] = y[1] + y[1].powi(3) - z - z.powi(3) + y[0] - e;
    };
    let jacobian =
        |_, y: &[f64], j: &mut [f64]| j.copy_from_slice(&[-y[1], 1.0, -y[0], 1.0 + 3.0 * y[1] * y[1]]);
    let time_gradient: ResidualFunction = |t, _, f_t| {
        let (z, e) = q(t);
        f_t[0] = 0.0;
        f_t[1] = (1.0 + 3.0 * z * z) * t.sin() + e * z;
    };
    let (z, e) = q(2.0);
    let all = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let problem = written(&[1.0, 2.0], 1, &all, residual, jacobian, 2.0, &[1.0, 2.0], &[e, z]);
    TestProblem { time_gradient, ..problem }
}

/// Robertson's reactions to t = 10¹¹.
#[cfg(test)]
pub(crate) fn robertson() -> TestProblem {
    let residual = |_, y: &[f64], f: &mut [f64]| {
        f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        f[2] = 3e7 * y[1] * y[1];
        f[1] = -f[0] - f[2];
    };
    let jacobian = |_, y: &[f64], j: &mut [f64]| {
        j.copy_from_slice(&[
            -0.04,
            0.04,
            1e4 * y[2],
            -1e4 * y[2] - 6e7 * y[1],
            6e7 * y[1],
            1e4 * y[1],
            -1e4 * y[1],
        ]);
    };
    let entries = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2)];
    let end = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505];
    written(&[1.0, 3.65e-5, 1.0], 0, &entries, residual, jacobian, 1e11, &[1.0, 0.0, 0.0], &end)
}

/// HIRES: eight reactions of plant physiology.
pub fn hires() -> TestProblem {
    let residual = |_, y: &[f64], f: &mut [f64]| {
        let r = 280.0 * y[5] * y[7];
        f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        f[1] = 1.71 * y[0] - 8.75 * y[1];
        f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        f[5] = -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        f[6] = r - 1.81 * y[6];
        f[7] = -f[6];
    };
    let jacobian = |_, y: &[f64], j: &mut [f64]| {
        let (a, b) = (280.0 * y[7], 280.0 * y[5]);
        #[rustfmt::skip]
        j.copy_from_slice(&[
            -1.71, 1.71,
            0.43, -8.75, 8.32,
            8.32, -10.03, 1.71,
            0.43, -1.12, 0.69,
            0.035, -1.745, 1.71,
            0.43, -a - 0.43, a, -a,
            0.43, 0.69, -1.81, 1.81,
            -b, b, -b,
        ]);
    };
    #[rustfmt::skip]
    let entries = [
        (0, 0), (1, 0), (0, 1), (1, 1), (3, 1), (0, 2), (2, 2), (3, 2), (2, 3), (3, 3), (5, 3), (2, 4), (4, 4), (5, 4),
        (4, 5), (5, 5), (6, 5), (7, 5), (4, 6), (5, 6), (6, 6), (7, 6), (5, 7), (6, 7), (7, 7),
    ];
    let end = [
        0.7371312573325668e-3,
        0.1442485726316185e-3,
        0.5888729740967575e-4,
        0.1175651343283149e-2,
        0.2386356198831331e-2,
        0.6238968252742796e-2,
        0.2849998395185769e-2,
        0.2850001604814231e-2,
    ];
    let start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let size = [1.0, 0.159, 0.023, 0.504, 0.111, 0.464, 5.64e-3, 5.7e-3];
    written(&size, 0, &entries, residual, jacobian, 321.8122, &start, &end)
}

/// Van der Pol, μ = 1000, to t = 2000: two slow branches, two jumps.
#[cfg(test)]
pub(crate) fn van_der_pol() -> TestProblem {
    let residual = |_, y: &[f64], f: &mut [f64]| {
        f.copy_from_slice(&[y[1], 1e3 * (1.0 - y[0] * y[0]) * y[1] - y[0]]);
    };
    let jacobian = |_, y: &[f64], j: &mut [f64]| {
        j.copy_from_slice(&[-2e3 * y[0] * y[1] - 1.0, 1.0, 1e3 * (1.0 - y[0] * y[0])]);
    };
    let end = [1.706167732170469, -0.8928097010248125e-3];
    written(&[2.0, 1.34e3], 0, &[(1, 0), (0, 1), (1, 1)], residual, jacobian, 2000.0, &[2.0, 0.0], &end)
}

/// The transistor amplifier, index 1. Differential: the capacitor voltages
/// (y1 − y2, y3, y4 − y5, y6, y7 − y8); algebraic: y2, y5, y8.
///
/// With a = y1 − y2, b = y4 − y5, c = y7 − y8 the sums of each pair of equations are algebraic:
/// 0 = (y1 − Ue)/R0 + y2/R1 + (y2 − Ub)/R2 + (1 − α) g1, and alike for the other two.
#[cfg(test)]
pub(crate) fn transistor_amplifier() -> TestProblem {
    const UB: f64 = 6.0;
    const UF: f64 = 0.026;
    const ALPHA: f64 = 0.99;
    const BETA: f64 = 1e-6;
    const R0: f64 = 1e3;
    const R: f64 = 9e3;
    fn g(x: f64) -> f64 {
        BETA * ((x / UF).exp() - 1.0)
    }
    fn g_dot(x: f64) -> f64 {
        BETA / UF * (x / UF).exp()
    }
    let residual = |t: f64, y: &[f64], f: &mut [f64]| {
        let &[a, y3, b, y6, c, y2, y5, y8] = y else { unreachable!("eight unknowns") };
        let (y1, y4, y7) = (a + y2, b + y5, c + y8);
        let ue = 0.1 * (200.0 * PI * t).sin();
        let (g1, g2) = (g(y2 - y3), g(y5 - y6));
        f[0] = -(y1 - ue) / R0 / 1e-6;
        f[1] = -(y3 / R - g1) / 2e-6;
        f[2] = -((y4 - UB) / R + ALPHA * g1) / 3e-6;
        f[3] = -(y6 / R - g2) / 4e-6;
        f[4] = -((y7 - UB) / R + ALPHA * g2) / 5e-6;
        f[5] = (y1 - ue) / R0 + y2 / R + (y2 - UB) / R + (1.0 - ALPHA) * g1;
        f[6] = (y4 - UB) / R + ALPHA * g1 + y5 / R + (y5 - UB) / R + (1.0 - ALPHA) * g2;
        f[7] = (y7 - UB) / R + ALPHA * g2 + y8 / R;
    };
    let jacobian = |_, y: &[f64], j: &mut [f64]| {
        let &[_, y3, _, y6, _, y2, y5, _] = y else { unreachable!("eight unknowns") };
        let (d1, d2) = (g_dot(y2 - y3), g_dot(y5 - y6));
        j.copy_from_slice(&[
            -1.0 / R0 / 1e-6,
            1.0 / R0,
            // y3
            -(1.0 / R + d1) / 2e-6,
            ALPHA * d1 / 3e-6,
            -(1.0 - ALPHA) * d1,
            -ALPHA * d1,
            // b
            -1.0 / R / 3e-6,
            1.0 / R,
            // y6
            -(1.0 / R + d2) / 4e-6,
            ALPHA * d2 / 5e-6,
            -(1.0 - ALPHA) * d2,
            -ALPHA * d2,
            // c
            -1.0 / R / 5e-6,
            1.0 / R,
            // y2
            -1.0 / R0 / 1e-6,
            d1 / 2e-6,
            -ALPHA * d1 / 3e-6,
            1.0 / R0 + 2.0 / R + (1.0 - ALPHA) * d1,
            ALPHA * d1,
            // y5
            -1.0 / R / 3e-6,
            d2 / 4e-6,
            -ALPHA * d2 / 5e-6,
            3.0 / R + (1.0 - ALPHA) * d2,
            ALPHA * d2,
            // y8
            -1.0 / R / 5e-6,
            2.0 / R,
        ]);
    };
    let time_gradient: ResidualFunction = |t, _, f_t| {
        let ue_dot = 0.1 * 200.0 * PI * (200.0 * PI * t).cos();
        f_t.fill(0.0);
        f_t[0] = ue_dot / R0 / 1e-6;
        f_t[5] = -ue_dot / R0;
    };
    #[rustfmt::skip]
    let entries = [
        (0, 0), (5, 0), (1, 1), (2, 1), (5, 1), (6, 1), (2, 2), (6, 2), (3, 3), (4, 3), (6, 3), (7, 3), (4, 4), (7, 4),
        (0, 5), (1, 5), (2, 5), (5, 5), (6, 5), (2, 6), (3, 6), (4, 6), (6, 6), (7, 6), (4, 7), (7, 7),
    ];
    let y = [
        -0.5562145012262709e-2,
        3.006522471903042,
        2.849958788608128,
        2.926422536206241,
        2.704617865010554,
        2.761837778393145,
        4.770927631616772,
        1.236995868091548,
    ];
    let end = [y[0] - y[1], y[2], y[3] - y[4], y[5], y[6] - y[7], y[1], y[4], y[7]];
    let start = [-3.0, 3.0, 3.0, 3.0, 6.0, 3.0, 3.0, 0.0];
    let size = [3.1, 3.0, 3.0, 3.0, 6.0, 3.1, 3.1, 3.0];
    let problem = written(&size, 3, &entries, residual, jacobian, 0.2, &start, &end);
    TestProblem { time_gradient, ..problem }
}

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
            circuit::AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(f.as_chunks_mut::<6>().0.iter_mut()))
        {
            axis.residual(t, y, f);
        }
    };
    let jacobian = |t, y: &[f64], j: &mut [f64]| {
        for (axis, (y, j)) in
            circuit::AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(j.as_chunks_mut::<15>().0.iter_mut()))
        {
            axis.jacobian(t, y, j);
        }
    };
    let time_gradient: ResidualFunction = |t, y, f_t| {
        for (axis, (y, f_t)) in
            circuit::AXES.iter().zip(y.as_chunks::<6>().0.iter().zip(f_t.as_chunks_mut::<6>().0.iter_mut()))
        {
            axis.time_gradient(t, y, f_t);
        }
    };
    let entries: Vec<_> = (0..3).flat_map(|k| COUPLED.map(|(i, j)| (6 * k + i, 6 * k + j))).collect();
    let size = [0.1, 0.1, 1e6, 1e6, 1e-4, 1e-4].repeat(3);
    let start: Vec<f64> = circuit::AXES.iter().flat_map(circuit::HydraulicAxis::start).collect();
    let problem = written(&size, 0, &entries, residual, jacobian, 10.0, &start, &[]);
    TestProblem { time_gradient, ..problem }
}

mod circuit {
    use std::f64::consts::TAU;

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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences of f in y and t match the derivatives written out.
    fn check_derivatives(name: &str, mut problem: TestProblem, t: f64) {
        let n = problem.layout.n();
        let y: Vec<f64> = (0..n).map(|i| problem.start[i] + 0.01 * problem.layout.nominal[i]).collect();
        let pattern = problem.layout.pattern.clone();
        let mut values = vec![0.0; pattern.nnz()];
        problem.jacobian(t, &y, &mut values);
        let difference = |problem: &mut TestProblem, t: [f64; 2], y: [&[f64]; 2], width: f64| {
            let mut f = [vec![0.0; n], vec![0.0; n]];
            (0..2).for_each(|k| problem.residual(t[k], y[k], &mut f[k]));
            (0..n).map(|i| (f[1][i] - f[0][i]) / width).collect::<Vec<_>>()
        };
        for j in 0..n {
            let step = 1e-5 * problem.layout.nominal[j];
            let (mut low, mut high) = (y.clone(), y.clone());
            low[j] -= step;
            high[j] += step;
            let slope = difference(&mut problem, [t, t], [&low, &high], high[j] - low[j]);
            let size = slope.iter().fold(1e-12_f64, |m, v| m.max(v.abs()));
            for i in 0..n {
                let exact = pattern.find(i, j).map_or(0.0, |k| values[k]);
                assert!((exact - slope[i]).abs() < 1e-5 * size, "{name} ({i}, {j}): {exact} {}", slope[i]);
            }
        }
        let mut f_t = vec![0.0; n];
        problem.time_gradient(t, &y, &mut f_t);
        let step = 1e-6;
        let slope = difference(&mut problem, [t - step, t + step], [&y, &y], 2.0 * step);
        for i in 0..n {
            assert!(
                (f_t[i] - slope[i]).abs() < 1e-5 * (1.0 + slope[i].abs()),
                "{name} {i}: {} {}",
                f_t[i],
                slope[i]
            );
        }
    }

    #[test]
    fn derivatives_written_out_match_differences() {
        check_derivatives("oscillator", oscillator(), 0.3);
        check_derivatives("hyperbola", hyperbola(), 0.3);
        check_derivatives("Prothero-Robinson", prothero_robinson(), 0.3);
        check_derivatives("index one", index_one(), 0.3);
        check_derivatives("Robertson", robertson(), 0.3);
        check_derivatives("HIRES", hires(), 0.3);
        check_derivatives("Van der Pol", van_der_pol(), 0.3);
        check_derivatives("amplifier", transistor_amplifier(), 0.003);
        check_derivatives("circuit", hydraulic_circuit(), 0.1);
    }
}

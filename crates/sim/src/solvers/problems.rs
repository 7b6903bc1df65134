//! Problems with known answers, written out by hand with their exact derivatives: tests and benches use them.

mod hydraulic_circuit;

pub use hydraulic_circuit::hydraulic_circuit;

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

//! Diagonally implicit Runge–Kutta methods with an explicit first stage (ESDIRK), stiffly accurate.
//!
//!   Y_i = y0 + h Σ_{j<i} a_ij k_j + hγ k_i,   M k_i = f(t + c_i h, Y_i)                              (1)
//!   W e = M h Σ d_i k_i,   d = b − b̂                                                               (2)
//!   y1 = Y_s − e₁,   W e₁ = M e                                                                      (3)
//!
//! Stages are solved by simplified Newton iterations on W = M − hγ J. W in (2) keeps the estimate bounded for stiff parts and carries it to the algebraic unknowns
//! [Hosea, Shampine 1996]. e is the error of Y_s, so its errors would add up step by step where nothing damps them; (3) takes it off and goes on with the
//! embedded order. On y' = λ y, R(z) = R_s(z) − E(z)/(1 − γz)²: |R| ≤ 1 on the imaginary axis and R(∞) = 0, for both methods below, so they stay L-stable; with one
//! factor less they would not. The last stage, moved along with y1, is the first of the next step: k_s − J e₁, J e₁ = (e₁ − e)/hγ.

use super::error::Tolerance;
use super::newton::Newton;
use super::one_step::{OneStep, OneStepMethod, StepRefusal, StepSpan};
use crate::problem::{Layout, Problem};
use crate::stepper::{Segment, SolverOptions, SolverWork};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use trunnion_num::DenseLu;

pub struct EsdirkTableau {
    pub order: usize,
    pub estimate_order: usize,
    /// Diagonal of a, but for the first stage.
    pub gamma: f64,
    pub c: &'static [f64],
    /// Strictly lower triangle.
    pub a: &'static [&'static [f64]],
    /// b − b̂.
    pub d: &'static [f64],
    /// Part of the tolerance one step may use: errors of many steps add up.
    pub share: f64,
}

/// TR-BDF2: order 2, 3 with (3), 3 stages, L-stable. [Hosea, Shampine 1996]
pub(crate) const TR_BDF2: EsdirkTableau = EsdirkTableau {
    order: 3,
    estimate_order: 2,
    gamma: 1.0 - FRAC_1_SQRT_2,
    c: &[0.0, 2.0 - SQRT_2, 1.0],
    a: &[&[], &[1.0 - FRAC_1_SQRT_2], &[SQRT_2 / 4.0, SQRT_2 / 4.0]],
    // b = (w, w, γ), b̂ = (1 − w, 3w + 1, γ) / 3, w = √2/4.
    d: &[(SQRT_2 - 1.0) / 3.0, -1.0 / 3.0, (2.0 - SQRT_2) / 3.0],
    share: 0.2,
};

/// ESDIRK34: order 3, 4 with (3), 4 stages, L-stable. [Jørgensen, Kristensen, Thomsen 2018]
pub(crate) const ESDIRK34: EsdirkTableau = EsdirkTableau {
    order: 4,
    estimate_order: 3,
    gamma: 0.435866521508459,
    c: &[0.0, 0.871733043016918, 0.4682387448518444, 1.0],
    a: &[
        &[],
        &[0.435866521508459],
        &[0.1407377747247062, -0.1083655513813208],
        &[0.102399400619911, -0.3768784522555561, 0.8386125301271861],
    ],
    d: &[-0.05462549724041394, -0.49420889362599496, 0.22193449973506466, 0.32689989113134427],
    share: 0.1,
};

/// Of the tolerance, what stages may be off; times that of `Newton`. They feed the estimate, and (3) does not take it off.
const STAGES: f64 = 0.1;
/// Steps that grow as fast as they may are not predicted by the previous one; values then start from y0.
const FAR: f64 = 1.9;

/// Adaptive TR-BDF2.
pub fn trbdf2(layout: &Layout, options: &SolverOptions) -> OneStep<Esdirk> {
    OneStep::adaptive(Esdirk::new(&TR_BDF2, layout, options), layout, options)
}

/// Adaptive ESDIRK34.
pub fn esdirk34(layout: &Layout, options: &SolverOptions) -> OneStep<Esdirk> {
    OneStep::adaptive(Esdirk::new(&ESDIRK34, layout, options), layout, options)
}

/// Weights that follow from the nodes c alone.
#[derive(Clone)]
struct NodeWeights {
    /// ∫₀^{c_i} of the polynomial through k_j, j < i.
    integral: Vec<Vec<f64>>,
    /// Value at c_i of the polynomial through Y_j, j < i.
    value: Vec<Vec<f64>>,
    /// Coefficient k of the polynomial through all Y_j: row k.
    coefficients: Vec<Vec<f64>>,
    /// The node nearest to the middle of the step.
    middle: usize,
}

#[derive(Clone)]
pub struct Esdirk {
    tableau: &'static EsdirkTableau,
    nodes: NodeWeights,
    tolerance: Tolerance,
    newton: Newton,
    algebraic: Vec<usize>,

    // State between steps.
    /// Size of the last step; of the step before and its k_1, none after a restart.
    h: f64,
    before: Option<f64>,
    k_before: Vec<f64>,
    /// k_s of the last step is to become k_1.
    shift: bool,
    /// `stages` still holds the step before.
    stages_are_old: bool,

    // Written by `attempt`.
    k: Vec<f64>,
    stages: Vec<f64>,
    base: Vec<f64>,
}

/// After a step so many times longer than the one before its slope is not taken over.
const NOISY: f64 = 1e3;

impl Esdirk {
    pub fn new(tableau: &'static EsdirkTableau, layout: &Layout, options: &SolverOptions) -> Self {
        let (n, s) = (layout.n(), tableau.c.len());
        Esdirk {
            tableau,
            nodes: NodeWeights::new(tableau.c),
            tolerance: Tolerance::new(layout, options),
            newton: Newton::new(layout, STAGES),
            algebraic: (0..n).filter(|i| !layout.differential[*i]).collect(),
            h: 0.0,
            before: None,
            k_before: vec![0.0; n],
            shift: false,
            stages_are_old: false,
            k: vec![0.0; s * n],
            stages: vec![0.0; s * n],
            base: vec![0.0; n],
        }
    }

    /// A first guess of stage i, in its place. Where there are algebraic unknowns all follow curves of one kind: what is a small difference of
    /// theirs, as the drop of an open valve, is predicted as well.
    fn predict(&mut self, i: usize, h: f64, y0: &[f64]) {
        let n = y0.len();
        let (c, k) = (self.tableau.c, &self.k);
        let values = !self.algebraic.is_empty();
        if i == 1 {
            let x = c[1] * h;
            let before =
                self.before.filter(|h_before| h <= FAR * h_before && (self.stages_are_old || !values));
            let (first, rest) = self.stages.split_at_mut(n);
            let (middle, last) = ((self.nodes.middle - 1) * n, (c.len() - 2) * n);
            match before {
                // The quadratic of the step before.
                Some(h_before) if values => {
                    let [p, q, r] = quadratic_weights(c[self.nodes.middle], 1.0 + x / h_before);
                    (0..n).for_each(|j| rest[j] = p * first[j] + q * rest[middle + j] + r * rest[last + j]);
                }
                // Slopes go on changing as they did over the step before.
                Some(h_before) => {
                    let bend = 0.5 * x * x / h_before;
                    (0..n).for_each(|j| rest[j] = y0[j] + x * k[j] + bend * (k[j] - self.k_before[j]));
                }
                None => rest[..n].copy_from_slice(y0),
            }
            first.copy_from_slice(y0);
            self.stages_are_old = false;
            return;
        }
        let (done, rest) = self.stages.split_at_mut(i * n);
        let y = &mut rest[..n];
        if values {
            y.fill(0.0);
            for (w, stage) in self.nodes.value[i].iter().zip(done.chunks_exact(n)) {
                y.iter_mut().zip(stage).for_each(|(y, v)| *y += w * v);
            }
            return;
        }
        y.copy_from_slice(y0);
        for (w, k) in self.nodes.integral[i].iter().zip(k.chunks_exact(n.max(1))) {
            y.iter_mut().zip(k).for_each(|(y, k)| *y += h * w * k);
        }
    }

    /// All stages with the present factors.
    fn solve_stages(
        &mut self,
        problem: &mut dyn Problem,
        span: StepSpan,
        y0: &[f64],
        work: &mut SolverWork,
    ) -> Result<(), StepRefusal> {
        let (n, s) = (y0.len(), self.tableau.c.len());
        let h_gamma = span.h * self.tableau.gamma;
        for i in 1..s {
            self.predict(i, span.h, y0);
            self.base.copy_from_slice(y0);
            for (a, k) in self.tableau.a[i].iter().zip(self.k.chunks_exact(n.max(1))) {
                self.base.iter_mut().zip(k).for_each(|(b, k)| *b += span.h * a * k);
            }
            let t = if i == s - 1 { span.t1 } else { span.t + self.tableau.c[i] * span.h };
            let (k, y) = (&mut self.k[i * n..(i + 1) * n], &mut self.stages[i * n..(i + 1) * n]);
            self.newton.solve(problem, t, h_gamma, &self.base, y, work)?;
            for j in 0..n {
                k[j] = self.newton.matrix.mass[j] * (y[j] - self.base[j]) / h_gamma; // (1)
            }
        }
        Ok(())
    }
}

impl OneStepMethod for Esdirk {
    fn orders(&self) -> (usize, usize) {
        (self.tableau.order, self.tableau.estimate_order)
    }

    fn restart(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        h: f64,
        y: &[f64],
        f: &[f64],
        work: &mut SolverWork,
    ) {
        for j in 0..y.len() {
            self.k[j] = self.newton.matrix.mass[j] * f[j];
        }
        self.before = None;
        self.shift = false;
        self.stages_are_old = false;
        self.newton.restart(problem, t, y, work);
        self.newton.choose_pivots(h * self.tableau.gamma);
    }

    fn attempt(
        &mut self,
        problem: &mut dyn Problem,
        span: StepSpan,
        y0: &[f64],
        y1: &mut [f64],
        error: &mut [f64],
        work: &mut SolverWork,
    ) -> Result<(), StepRefusal> {
        let (n, s) = (y0.len(), self.tableau.c.len());
        let h_gamma = span.h * self.tableau.gamma;
        if self.shift {
            self.k_before.copy_from_slice(&self.k[..n]);
            self.k.copy_within((s - 1) * n.., 0);
            self.shift = false;
            self.before = Some(self.h);
            self.stages_are_old = true;
            self.newton.next_step(problem, span.t, y0, work);
            if span.h > NOISY * self.h {
                // k_s of a step cut short is a small difference of large values.
                problem.residual(span.t, y0, &mut self.base);
                work.residuals += 1;
                for j in 0..n {
                    self.k[j] = self.newton.matrix.mass[j] * self.base[j];
                }
            }
        }
        self.tolerance.learn(y0);
        loop {
            self.newton.prepare(h_gamma, &self.tolerance, y0, work)?;
            match self.solve_stages(problem, span, y0, work) {
                Err(refusal) if !self.newton.recover(problem, span.t, y0, work) => return Err(refusal),
                Err(_) => {}
                Ok(()) => break,
            }
        }
        y1.copy_from_slice(&self.stages[(s - 1) * n..]);
        error.fill(0.0);
        for (d, k) in self.tableau.d.iter().zip(self.k.chunks_exact(n.max(1))) {
            error.iter_mut().zip(k).for_each(|(e, k)| *e += span.h * d * k);
        }
        self.newton.matrix.solve(error); // (2)
        let (k, stage) = (&mut self.k[(s - 1) * n..], &mut self.stages[(s - 1) * n..]);
        let correction = &mut self.base;
        (0..n).for_each(|i| correction[i] = self.newton.matrix.mass[i] * error[i]);
        self.newton.matrix.solve(correction);
        for i in 0..n {
            y1[i] -= correction[i]; // (3)
            k[i] -= self.newton.matrix.mass[i] * (correction[i] - error[i]) / h_gamma;
            error[i] /= self.tableau.share;
        }
        stage.copy_from_slice(y1);
        self.h = span.h;
        Ok(())
    }

    fn accept(&mut self) {
        self.shift = true;
    }

    fn correct_defect(&mut self, h: f64, off: &mut [f64]) {
        self.newton.correct_defect(h * self.tableau.gamma, off);
    }

    fn segment(&self, span: StepSpan, y0: &[f64], y1: &[f64], segment: &mut Segment) {
        let (n, s) = (y0.len(), self.tableau.c.len());
        segment.degree = 3;
        segment.coefficients.clear();
        segment.coefficients.resize(4 * n, 0.0);
        let c = &mut segment.coefficients;
        let (k0, k1) = (&self.k[..n], &self.k[(s - 1) * n..]);
        for i in 0..n {
            // Cubic through both ends with their slopes.
            let (rise, s0, s1) = (y1[i] - y0[i], span.h * k0[i], span.h * k1[i]);
            c[i] = y0[i];
            c[n + i] = s0;
            c[2 * n + i] = 3.0 * rise - 2.0 * s0 - s1;
            c[3 * n + i] = s0 + s1 - 2.0 * rise;
        }
        for &a in &self.algebraic {
            (s..4).for_each(|k| c[k * n + a] = 0.0);
            for (k, row) in self.nodes.coefficients.iter().enumerate() {
                c[k * n + a] =
                    row.iter().zip(self.stages.chunks_exact(n.max(1))).map(|(w, stage)| w * stage[a]).sum();
            }
        }
    }
}

/// Weights at the nodes 0, c, 1 of the quadratic through them, at θ.
fn quadratic_weights(c: f64, theta: f64) -> [f64; 3] {
    [
        (theta - c) * (theta - 1.0) / c,
        theta * (theta - 1.0) / (c * (c - 1.0)),
        theta * (theta - c) / (1.0 - c),
    ]
}

impl NodeWeights {
    fn new(c: &[f64]) -> Self {
        let s = c.len();
        // Weights w_j at the first `count` nodes with Σ w_j c_j^m = moment(m), m < count.
        let weights = |count: usize, moment: &dyn Fn(i32) -> f64| {
            let mut w: Vec<f64> = (0..count as i32).map(moment).collect();
            let powers: Vec<f64> =
                (0..count).flat_map(|m| c[..count].iter().map(move |c| c.powi(m as i32))).collect();
            let mut lu = DenseLu::new(count);
            lu.factor(&powers).expect("nodes are distinct");
            lu.solve(&mut w);
            w
        };
        let at_end = |k: usize| weights(s, &|m| if m as usize == k { 1.0 } else { 0.0 });
        // Coefficient k of the interpolant is e_kᵀ V⁻ᵀ, V_mj = c_j^m: column k of V⁻¹ transposed.
        let columns: Vec<Vec<f64>> = (0..s).map(at_end).collect();
        let off_middle = |i: &usize| (c[*i] - 0.5).abs();
        NodeWeights {
            integral: (0..s).map(|i| weights(i, &|m| c[i].powi(m + 1) / (m + 1) as f64)).collect(),
            value: (0..s).map(|i| weights(i, &|m| c[i].powi(m))).collect(),
            coefficients: columns,
            middle: (1..s - 1).min_by(|a, b| off_middle(a).total_cmp(&off_middle(b))).unwrap_or(1),
        }
    }
}

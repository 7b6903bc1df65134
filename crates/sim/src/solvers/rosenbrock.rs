//! Linearly implicit (Rosenbrock) methods: one matrix, no iteration, s stages.
//!
//!   W U_i = hγ f(t + α_i h, y0 + Σ_j a_ij U_j) + γ M Σ_j c_ij U_j + γ γ_i h² ∂f/∂t,   j < i          (1)
//!   y1 = y0 + Σ m_i U_i,   error = Σ e_i U_i                                                        (2)
//!   y(t + θ h) = (1 − θ) y0 + θ (y1 + (1 − θ)(D_0 + θ (D_1 + θ D_2))),   D_k = Σ h_ki U_i            (3)
//!
//! [Hairer, Wanner 1996, eqs. IV.7.25, VI.4.9], with W = M − hγ J. Algebraic rows of (1) are divided by hγ.
//! J and ∂f/∂t are exact and taken at the start of every step. Non-stiff order in algebraic unknowns too.

use super::fixed::DEFAULT_STEP;
use super::implicit::IterationMatrix;
use super::one_step::{OneStep, OneStepMethod, StepRefusal, StepSpan};
use crate::problem::{Layout, Problem};
use crate::stepper::{Segment, SolverOptions, SolverWork};
use trunnion_num::Archive;

pub struct RosenbrockTableau {
    pub order: usize,
    pub estimate_order: usize,
    pub gamma: f64,
    pub alpha: &'static [f64],
    pub gamma_i: &'static [f64],
    pub a: &'static [&'static [f64]],
    pub c: &'static [&'static [f64]],
    pub m: &'static [f64],
    /// Weights of the error; empty without estimate.
    pub e: &'static [f64],
    /// Rows h_k of the dense output.
    pub dense: &'static [&'static [f64]],
}

/// RODAS5P: order 5(4), 8 stages, L-stable, stiffly accurate, dense output of order 4. [Steinebach 2023]
pub(crate) const RODAS5P: RosenbrockTableau = RosenbrockTableau {
    order: 5,
    estimate_order: 4,
    gamma: 0.21193756319429014,
    alpha: &[
        0.0,
        0.6358126895828704,
        0.4095798393397535,
        0.9769306725060716,
        0.4288403609558664,
        1.0,
        1.0,
        1.0,
    ],
    gamma_i: &[
        0.21193756319429014,
        -0.42387512638858027,
        -0.3384627126235924,
        1.8046452872882734,
        2.325825639765069,
        0.0,
        0.0,
        0.0,
    ],
    a: &[
        &[],
        &[3.0],
        &[2.849394379747939, 0.45842242204463923],
        &[-6.954028509809101, 2.489845061869568, -10.358996098473584],
        &[2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
        &[A61, A62, A63, A64, A65],
        &[A61, A62, A63, A64, A65, 1.0],
        &[A61, A62, A63, A64, A65, 1.0, 1.0],
    ],
    c: &[
        &[],
        &[-14.155112264123755],
        &[-17.97296035885952, -2.859693295451294],
        &[147.12150275711716, -1.41221402718213, 71.68940251302358],
        &[165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
        &[24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
        &[
            30.91273214028599,
            -3.1208243349937974,
            77.79954646070892,
            34.28646028294783,
            -19.097331116725623,
            -28.087943162872662,
        ],
        &[
            37.80277123390563,
            -3.2571969029072276,
            112.26918849496327,
            66.9347231244047,
            -40.06618937091002,
            -54.66780262877968,
            -9.48861652309627,
        ],
    ],
    m: &[A61, A62, A63, A64, A65, 1.0, 1.0, 1.0],
    e: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    dense: &[
        &[
            25.948786856663858,
            -2.5579724845846235,
            10.433815404888879,
            -2.3679251022685204,
            0.524948541321073,
            1.1241088310450404,
            0.4272876194431874,
            -0.17202221070155493,
        ],
        &[
            -9.91568850695171,
            -0.9689944594115154,
            3.0438037242978453,
            -24.495224566215796,
            20.176138334709044,
            15.98066361424651,
            -6.789040303419874,
            -6.710236069923372,
        ],
        &[
            11.419903575922262,
            2.8879645146136994,
            72.92137995996029,
            80.12511834622643,
            -52.072871366152654,
            -59.78993625266729,
            -0.15582684282751913,
            4.883087185713722,
        ],
    ],
};
const A61: f64 = -7.502846399306121;
const A62: f64 = 2.561846144803919;
const A63: f64 = -11.627539656261098;
const A64: f64 = -0.18268767659942256;
const A65: f64 = 0.030198172008377946;

/// RODAS3: order 3(2), also in algebraic unknowns, 4 stages, 3 of them with residuals of their own, L-stable, stiffly
/// accurate. [Sandu 1997, table 1]
///
/// The quadratic with Σ b_i(θ) = θ, Σ b_i(θ) β_i = θ²/2 and, for algebraic unknowns, Σ b_i(θ) ω_ij α_j² = θ² gives D_0.
pub(crate) const RODAS3: RosenbrockTableau = RosenbrockTableau {
    order: 3,
    estimate_order: 2,
    gamma: 0.5,
    alpha: &[0.0, 0.0, 1.0, 1.0],
    gamma_i: &[0.5, 1.5, 0.0, 0.0],
    a: &[&[], &[0.0], &[2.0, 0.0], &[2.0, 0.0, 1.0]],
    c: &[&[], &[4.0], &[1.0, -1.0], &[1.0, -1.0, -8.0 / 3.0]],
    m: &[2.0, 0.0, 1.0, 1.0],
    e: &[0.0, 0.0, 0.0, 1.0],
    dense: &[&[3.0, -1.0, -1.0, 0.0]],
};

/// Adaptive RODAS5P.
pub fn rodas5p(layout: &Layout, options: &SolverOptions) -> OneStep<Rosenbrock> {
    OneStep::adaptive(Rosenbrock::new(&RODAS5P, layout), layout, options)
}

/// RODAS3 in steps that end at the multiples of `options.h` (1 ms unless given), divided where the tolerance asks for it.
pub fn realtime(layout: &Layout, options: &SolverOptions) -> OneStep<Rosenbrock> {
    let period = options.h.unwrap_or(DEFAULT_STEP);
    let mut method = Rosenbrock::new(&RODAS3, layout);
    method.matrix.reserve();
    OneStep::in_periods(method, layout, options, period)
}

#[derive(Clone)]
pub struct Rosenbrock {
    tableau: &'static RosenbrockTableau,
    /// Row i of `a` begins with row i − 1: the stage adds one term to the one before.
    continues: Vec<bool>,
    matrix: IterationMatrix,
    /// What was evaluated at the start of the step: f, ∂f/∂t (and J); false after `accept`.
    at_start: bool,
    f0: Vec<f64>,
    f_t: Vec<f64>,
    /// Stages U_i, written by `attempt`.
    u: Vec<f64>,
    y: Vec<f64>,
}

impl Rosenbrock {
    pub fn new(tableau: &'static RosenbrockTableau, layout: &Layout) -> Self {
        let (n, s) = (layout.n(), tableau.m.len());
        let rows: Vec<&[f64]> = tableau.a.iter().copied().chain([tableau.m]).collect();
        Rosenbrock {
            tableau,
            continues: (0..=s).map(|i| i > 0 && rows[i][..i - 1] == *rows[i - 1]).collect(),
            matrix: IterationMatrix::new(layout),
            at_start: false,
            f0: vec![0.0; n],
            f_t: vec![0.0; n],
            u: vec![0.0; s * n],
            y: vec![0.0; n],
        }
    }

    fn evaluate(&mut self, problem: &mut dyn Problem, t: f64, y0: &[f64], work: &mut SolverWork) {
        problem.residual(t, y0, &mut self.f0);
        problem.time_gradient(t, y0, &mut self.f_t);
        self.matrix.evaluate(problem, t, y0);
        work.residuals += 1;
        work.jacobians += 1;
        self.at_start = true;
    }
}

impl OneStepMethod for Rosenbrock {
    fn orders(&self) -> (usize, usize) {
        (self.tableau.order, self.tableau.estimate_order)
    }

    fn restart(
        &mut self,
        problem: &mut dyn Problem,
        t: f64,
        h: f64,
        y: &[f64],
        _f: &[f64],
        work: &mut SolverWork,
    ) {
        self.evaluate(problem, t, y, work);
        // Pivots are chosen here, where allocation is allowed. A fault is found again, and reported, by `attempt`.
        let _ = self.matrix.factor(h * self.tableau.gamma);
    }

    /// All is evaluated where the step starts.
    fn resume(&mut self, _: &mut dyn Problem, _: f64, _: f64, _: &[f64], _: &mut [f64], _: &mut SolverWork) {
        self.at_start = false;
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
        let (n, h) = (y0.len(), span.h);
        let RosenbrockTableau { gamma, alpha, gamma_i, a, c, m, e, .. } = *self.tableau;
        if !self.at_start {
            self.evaluate(problem, span.t, y0, work);
        }
        if let Some(row) = self.f0.iter().position(|v| !v.is_finite()) {
            return Err(StepRefusal::NotFiniteAtStart { row });
        }
        work.factorisations += 1;
        self.matrix.factor(h * gamma)?;
        let y = &mut self.y[..];
        for i in 0..m.len() {
            let (before, rest) = self.u.split_at_mut(i * n);
            let u_i = &mut rest[..n];
            if i == 0 {
                u_i.copy_from_slice(&self.f0);
                y.copy_from_slice(y0);
            } else {
                let last = &before[(i - 1) * n..];
                if self.continues[i] {
                    add(y, a[i][i - 1], last);
                } else {
                    y.copy_from_slice(y0);
                    combine(y, a[i], before);
                }
                let t = if alpha[i] == 1.0 { span.t1 } else { span.t + alpha[i] * h };
                problem.residual(t, y, u_i);
                work.residuals += 1;
            }
            // (1): algebraic rows read f + γ_i h ∂f/∂t.
            let history = &mut *error;
            history.fill(0.0);
            combine(history, c[i], before);
            let (h_gamma, g) = (h * gamma, h * gamma_i[i]);
            for k in 0..n {
                let slope = u_i[k] + g * self.f_t[k];
                let differential = h_gamma * slope + gamma * history[k];
                u_i[k] = if self.matrix.mass[k] == 0.0 { slope } else { differential };
            }
            self.matrix.solve(u_i);
        }
        // (2)
        let (before, last) = (&self.u[..], &self.u[(m.len() - 1) * n..]);
        if self.continues[m.len()] {
            y1.copy_from_slice(y);
            add(y1, m[m.len() - 1], last);
        } else {
            y1.copy_from_slice(y0);
            combine(y1, m, before);
        }
        error.fill(0.0);
        combine(error, e, before);
        Ok(())
    }

    fn accept(&mut self) {
        self.at_start = false;
    }

    fn correct_defect(&mut self, h: f64, off: &mut [f64]) {
        let h_gamma = h * self.tableau.gamma;
        off.iter_mut().zip(&self.matrix.mass).for_each(|(x, m)| *x *= if *m == 0.0 { 1.0 } else { h_gamma });
        self.matrix.solve(off);
    }

    fn remember(&mut self, archive: &mut Archive) -> bool {
        archive.flag(&mut self.at_start);
        archive.numbers(&mut self.f0);
        archive.numbers(&mut self.f_t);
        self.matrix.remember(archive);
        true
    }

    fn segment(&self, _span: StepSpan, y0: &[f64], y1: &[f64], segment: &mut Segment) {
        let n = y0.len();
        let rows = self.tableau.dense;
        segment.degree = rows.len() + 1;
        segment.coefficients.clear();
        segment.coefficients.resize((rows.len() + 2) * n, 0.0);
        let (ends, bends) = segment.coefficients.split_at_mut(2 * n);
        ends[..n].copy_from_slice(y0);
        (0..n).for_each(|i| ends[n + i] = y1[i] - y0[i]);
        // (3), multiplied out: θ(1 − θ) θ^k D_k adds to the coefficients k + 1 and k + 2.
        for (k, row) in rows.iter().enumerate() {
            for (weight, u) in row.iter().zip(self.u.chunks_exact(n.max(1))) {
                if k == 0 {
                    add(&mut ends[n..], *weight, u);
                } else {
                    add(&mut bends[(k - 1) * n..k * n], *weight, u);
                }
                add(&mut bends[k * n..(k + 1) * n], -*weight, u);
            }
        }
    }
}

/// y += w x.
fn add(y: &mut [f64], w: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += w * x;
    }
}

/// y += Σ w_j x_j, the x_j one after another.
fn combine(y: &mut [f64], w: &[f64], x: &[f64]) {
    for (w, x) in w.iter().zip(x.chunks_exact(y.len().max(1))) {
        if *w != 0.0 {
            add(y, *w, x);
        }
    }
}

//! What a solver sees of a model: M y' = f(t, y) with M = diag(0 or 1), guards, and sampled instants.
//!
//! Rows with M = 1 are differential, rows with M = 0 are algebraic: 0 = f. The problem has index 1:
//! ∂f_algebraic/∂y_algebraic is regular.

use crate::script_error::TaskError;
use crate::stepper::Segment;
pub use crate::time_watch::Corner;
pub use trunnion_equations::flat::Direction;
pub use trunnion_equations::{GraphTable, GuardRole};
use trunnion_num::Pattern;

/// The fixed shape of a problem.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Name of each unknown, for messages.
    pub names: Vec<String>,
    /// Diagonal of M: true where the row is differential.
    pub differential: Vec<bool>,
    /// Typical size of each unknown, > 0: the absolute tolerance is rtol · nominal unless the user sets it.
    pub nominal: Vec<f64>,
    /// Unknowns whose size is a guess from the unit, to be learnt from their history; none where empty.
    pub learns: Vec<bool>,
    /// Absolute tolerances the user gave to single unknowns; none where empty.
    pub atol: Vec<Option<f64>>,
    /// Pattern of ∂f/∂y.
    pub pattern: Pattern,
    /// (position, velocity): row `position` reads y'[position] = y[velocity] exactly, both differential.
    pub second_order: Vec<(usize, usize)>,
    /// Name and direction of each guard.
    pub guards: Vec<Guard>,
    /// Tables whose arguments stand among the guards, from this one on.
    pub tables: Vec<(usize, GraphTable)>,
    /// States have to fulfil constraints, and are brought back to them after every step.
    pub constrained: bool,
}

impl Layout {
    /// Number of unknowns, and of rows.
    pub fn n(&self) -> usize {
        self.differential.len()
    }

    /// The absolute tolerance given to unknown i by itself.
    pub fn atol_of(&self, i: usize) -> Option<f64> {
        self.atol.get(i).copied().flatten()
    }
}

#[derive(Clone, Debug)]
pub struct Guard {
    pub name: String,
    pub direction: Direction,
    pub role: GuardRole,
    /// It reads algebraic unknowns.
    pub algebraic: bool,
}

/// The continuous part. A value that cannot be computed comes out as NaN or ±∞; solvers check.
pub trait Problem {
    fn layout(&self) -> &Layout;
    /// f(t, y).
    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]);
    /// ∂f/∂y, values in the order of `layout().pattern`.
    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]);
    /// ∂f/∂t.
    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]);
}

/// A guard that crossed zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    pub guard: usize,
    /// true: from negative to positive.
    pub rising: bool,
}

/// What an event or a sampled task did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Unknowns, modes or inputs changed: the solver has to restart from consistent values.
    pub changed: bool,
    /// The run ends here, as the model asked.
    pub terminate: bool,
}

/// The discrete part.
///
/// At a located instant the run loop calls `fire` with everything that crossed there, makes the algebraic
/// unknowns consistent, and calls `settle` with fresh guard values until nothing changes any more.
pub trait Hybrid: Problem {
    /// Guard functions; a guard crosses when its value changes sign.
    fn guards(&mut self, t: f64, y: &[f64], g: &mut [f64]);
    /// Whether a guard costs far more than others, as that of sticking friction, which needs its force.
    fn is_costly(&self, guard: usize) -> bool {
        let _ = guard;
        false
    }
    /// All guards but the costly ones, which keep what `g` has.
    fn cheap_guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.guards(t, y, g);
    }
    /// How far rounding of time, unknowns and terms may have moved each guard. By default: what a relative change of some roundings
    /// makes of it.
    fn rounding(&mut self, t: f64, y: &[f64], noise: &mut [f64]) {
        let mut g = vec![0.0; noise.len()];
        self.guards(t, y, &mut g);
        noise.fill(0.0);
        let (mut moved, mut near) = (y.to_vec(), g.clone());
        for pattern in [1, -1] {
            for (i, value) in moved.iter_mut().enumerate() {
                let sign = if i % 2 == 0 { 1.0 } else { pattern as f64 };
                *value = y[i] * (1.0 + sign * f64::EPSILON);
            }
            self.guards(t * (1.0 + f64::EPSILON), &moved, &mut near);
            for i in 0..g.len() {
                let d = (near[i] - g[i]).abs();
                noise[i] = noise[i].max(if d.is_finite() { d } else { 0.0 });
            }
        }
    }
    /// `rounding`, and how far each guard moves if the unknowns are uncertain by `of`, rounding included.
    fn uncertainty(&mut self, t: f64, y: &[f64], of: &[f64], noise: &mut [f64], out: &mut [f64]) {
        let _ = of;
        self.rounding(t, y, noise);
        out.copy_from_slice(noise);
    }
    /// Whether a guard that is beyond zero at the start counts as having crossed.
    fn at_start(&self, guard: usize) -> bool {
        let _ = guard;
        false
    }
    /// Carry out the actions of guards that crossed at t together, all from the values just before, up to the first that sets what one
    /// before it has set: it and the rest come next, from the values then. Tells how many were carried out. Guards that read what was
    /// assigned are marked in `touched`. May change `y`.
    fn fire(
        &mut self,
        t: f64,
        y: &mut [f64],
        crossings: &[Crossing],
        touched: &mut [bool],
    ) -> Result<(Effect, usize), String>;
    /// The event of a guard has just fired once more and would fire again at once: true if from now on it holds what it has set.
    fn hold(&mut self, t: f64, y: &[f64], guard: usize) -> bool {
        let _ = (t, y, guard);
        false
    }
    /// Bring modes that mirror a relation into line with the guard values `g`; true if one changed. A mode whose guard has no value stays.
    fn settle(&mut self, t: f64, y: &[f64], g: &[f64]) -> bool;
    /// The side on which the mode that mirrors this guard takes it to be; 0: there is none.
    fn mirrored(&self, guard: usize) -> i8 {
        let _ = guard;
        0
    }
    /// The mode of this guard is an integer part that moves on.
    fn counts_on(&self, guard: usize) -> bool {
        let _ = guard;
        false
    }
    /// The other guard of a mode that counts, which begins to matter where this one has crossed.
    fn sibling(&self, guard: usize) -> Option<usize> {
        let _ = guard;
        None
    }
    /// The side on which that mode takes it to be where it stays at zero.
    fn at_zero(&self, guard: usize) -> i8 {
        let _ = guard;
        0
    }
    /// While `on`, kinks take the branch of the values at which equations are evaluated, for finding values and branches together.
    fn follow_kinks(&mut self, on: bool) {
        let _ = on;
    }
    /// f at (t, y) by the other branch of the kink of this guard; false: there is none.
    fn other_branch(&mut self, t: f64, y: &[f64], guard: usize, f: &mut [f64]) -> bool {
        let _ = (t, y, guard, f);
        false
    }
    /// The first instant after t, up to `horizon`, at which something that depends on time alone has a corner or a guard of it crosses.
    fn next_corner(&mut self, t: f64, horizon: f64) -> Corner {
        let _ = (t, horizon);
        Corner { t: f64::INFINITY, jumps: false }
    }
    /// Where a step of about h from t is to end at the latest, so that it does not pass over what depends on time alone: inputs leave their values by no more
    /// than a share of their ranges.
    fn time_limit(&mut self, t: f64, h: f64, horizon: f64, share: f64) -> f64 {
        let _ = (t, h, horizon, share);
        f64::INFINITY
    }
    /// The share of a step between two times and values that is to be made again, where it passes over what a function of the states does in
    /// between.
    fn passes_over(&mut self, start: (f64, &[f64]), end: (f64, &[f64])) -> Option<f64> {
        let _ = (start, end);
        None
    }
    /// A place along `curve` up to which crossings are to be searched for first: some guard is beyond zero there, perhaps not at the end.
    fn hidden_crossing(&mut self, curve: &Segment, from: f64, to: f64) -> Option<f64> {
        let _ = (curve, from, to);
        None
    }
    /// The longest step to be tried next.
    fn longest_step(&self) -> f64 {
        f64::INFINITY
    }
    /// A guard whose crossings are corners.
    fn is_timed(&self, guard: usize) -> bool {
        let _ = guard;
        false
    }
    /// The next sampled instant after or at the current one; ∞ if there is none.
    fn next_instant(&self) -> f64;
    /// Bring states that left what they have to fulfil back to it; true if one moved.
    fn project(&mut self, t: f64, y: &mut [f64]) -> bool {
        let _ = (t, y);
        false
    }
    /// Run the tasks due at `t` and schedule their next instant. Guards that read what was assigned are marked in `touched`. May change `y`.
    fn sample(&mut self, t: f64, y: &mut [f64], touched: &mut [bool]) -> Result<Effect, TaskError>;
}

//! A machine whose input is driven from outside with held samples: u(t) = u_k for t_k ≤ t < t_k + T.

use trunnion_equations::Symbol;

use crate::machine::Machine;
use crate::problem::{Corner, Crossing, Effect, Hybrid, Layout, Problem};
use crate::script_error::TaskError;

pub struct SampledInput {
    pub machine: Machine,
    place: usize,
    /// t_0 and T.
    t_0: f64,
    hold: f64,
    /// In SI; the last one stays.
    samples: Vec<f64>,
    next: usize,
}

impl SampledInput {
    /// None if the input is no parameter, input or mode.
    pub fn new(machine: Machine, input: Symbol, (t_0, hold): (f64, f64), samples: Vec<f64>) -> Option<Self> {
        let place = machine.loaded().image.slow_place(input)?;
        Some(SampledInput { machine, place, t_0, hold, samples, next: 0 })
    }

    /// Computed from the number, so that instants do not drift.
    fn instant(&self) -> f64 {
        match self.next < self.samples.len() {
            true => self.t_0 + self.next as f64 * self.hold,
            false => f64::INFINITY,
        }
    }
}

impl Problem for SampledInput {
    fn layout(&self) -> &Layout {
        self.machine.layout()
    }

    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.machine.residual(t, y, f);
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.machine.jacobian(t, y, values);
    }

    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        self.machine.time_gradient(t, y, f_t);
    }
}

impl Hybrid for SampledInput {
    fn guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.machine.guards(t, y, g);
    }

    fn rounding(&mut self, t: f64, y: &[f64], noise: &mut [f64]) {
        self.machine.rounding(t, y, noise);
    }

    fn is_costly(&self, guard: usize) -> bool {
        self.machine.is_costly(guard)
    }

    fn cheap_guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.machine.cheap_guards(t, y, g);
    }

    fn uncertainty(&mut self, t: f64, y: &[f64], of: &[f64], noise: &mut [f64], out: &mut [f64]) {
        self.machine.uncertainty(t, y, of, noise, out);
    }

    fn fire(
        &mut self,
        t: f64,
        y: &mut [f64],
        crossings: &[Crossing],
        touched: &mut [bool],
    ) -> Result<(Effect, usize), String> {
        self.machine.fire(t, y, crossings, touched)
    }

    fn hold(&mut self, t: f64, y: &[f64], guard: usize) -> bool {
        self.machine.hold(t, y, guard)
    }

    fn at_start(&self, guard: usize) -> bool {
        self.machine.at_start(guard)
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> bool {
        self.machine.project(t, y)
    }

    fn other_branch(&mut self, t: f64, y: &[f64], guard: usize, f: &mut [f64]) -> bool {
        self.machine.other_branch(t, y, guard, f)
    }

    fn settle(&mut self, t: f64, y: &[f64], g: &[f64]) -> bool {
        self.machine.settle(t, y, g)
    }

    fn follow_kinks(&mut self, on: bool) {
        self.machine.follow_kinks(on);
    }

    fn next_corner(&mut self, t: f64, horizon: f64) -> Corner {
        self.machine.next_corner(t, horizon)
    }

    fn time_limit(&mut self, t: f64, h: f64, horizon: f64, share: f64) -> f64 {
        self.machine.time_limit(t, h, horizon, share)
    }

    fn is_timed(&self, guard: usize) -> bool {
        self.machine.is_timed(guard)
    }

    fn mirrored(&self, guard: usize) -> i8 {
        self.machine.mirrored(guard)
    }

    fn sibling(&self, guard: usize) -> Option<usize> {
        self.machine.sibling(guard)
    }

    fn at_zero(&self, guard: usize) -> i8 {
        self.machine.at_zero(guard)
    }

    fn next_instant(&self) -> f64 {
        self.machine.next_instant().min(self.instant())
    }

    fn sample(&mut self, t: f64, y: &mut [f64], touched: &mut [bool]) -> Result<Effect, TaskError> {
        let due = self.machine.next_instant() <= t;
        let mut effect = if due { self.machine.sample(t, y, touched)? } else { Effect::default() };
        while self.instant() <= t {
            self.machine.set_slow(self.place, self.samples[self.next]);
            self.next += 1;
            effect.changed = true;
        }
        Ok(effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::{Moment, OutputTimes, RunPlan, integrate};
    use crate::machine::Prepared;
    use crate::solvers::choose::{MethodNumbers, find};
    use crate::stepper::SolverOptions;
    use std::collections::HashMap;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use trunnion_equations::flat::{DisplayUnit, Equation, Origin, Quantity, QuantityRole};
    use trunnion_equations::{EvaluationEngine, Flat, analyse};

    #[test]
    fn held_samples_add_up() {
        // ẋ = u with u = 1, −2, 4 for half a second each: x is a polygon, exact for any solver.
        let mut flat = Flat::default();
        let mut add = |name: &str, unknown: bool| {
            let zero = flat.graph.constant(0.0).id;
            flat.add(Quantity {
                name: name.into(),
                unit: DisplayUnit::default(),
                doc: String::new(),
                origin: Origin::default(),
                kind: if unknown {
                    QuantityRole::Unknown { start: zero }
                } else {
                    QuantityRole::Input { start: zero }
                },
                nominal: None,
                range: (f64::NEG_INFINITY, f64::INFINITY),
            })
        };
        let (x, u) = (add("x", true), add("u", false));
        let (lhs, rhs) = (flat.graph.derivative(x).id, flat.ex(u).id);
        flat.equations.push(Equation { name: "e".into(), origin: Origin::default(), lhs, rhs });
        let prepared = Arc::new(Prepared::new(analyse(flat).unwrap(), EvaluationEngine::Interpreter));
        let (machine, mut y) = Machine::start(prepared.clone(), &HashMap::new(), 0.0).unwrap();
        let mut driven = SampledInput::new(machine, u, (0.0, 0.5), vec![1.0, -2.0, 4.0]).unwrap();
        let options = SolverOptions { rtol: 1e-6, atol: None, h_max: f64::INFINITY, h: None };
        let mut stepper =
            find("auto").unwrap().stepper(&prepared.layout, &options, &MethodNumbers::default());
        let plan = RunPlan { both_sides: false, ..RunPlan::new(0.0, 2.0, OutputTimes::Interval(0.25)) };
        let mut rows = vec![];
        let mut watch = |_: &mut SampledInput, t: f64, y: &[f64], _: Moment| {
            rows.push((t, y[0]));
            ControlFlow::Continue(())
        };
        integrate(&mut driven, &mut y, stepper.as_mut(), &plan, &mut watch).unwrap();
        let expected = [0.0, 0.25, 0.5, 0.0, -0.5, 0.5, 1.5, 2.5, 3.5];
        assert_eq!(rows.len(), expected.len(), "{rows:?}");
        for ((t, x), e) in rows.iter().zip(expected) {
            assert!((x - e).abs() < 1e-12, "{x} for {e} at {t}");
        }
    }
}

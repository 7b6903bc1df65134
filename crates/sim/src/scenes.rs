//! Small hybrid problems put together from closures, for tests. Derivatives by central differences.

use crate::problem::{Crossing, Direction, Effect, Guard, GuardRole, Hybrid, Layout, Problem};
use crate::script_error::TaskError;
use trunnion_num::Pattern;

type Residual = dyn Fn(f64, &[f64], &[bool], &mut [f64]);
type GuardValue = dyn Fn(f64, &[f64], &[bool]) -> f64;
type Action = dyn FnMut(f64, &mut [f64], &mut [bool], Crossing) -> Effect;
type Task = dyn FnMut(f64, &mut [f64], &mut [bool]) -> Effect;

pub struct Scene {
    layout: Layout,
    f: Box<Residual>,
    guards: Vec<Box<GuardValue>>,
    actions: Vec<Box<Action>>,
    /// (mode, guard): the mode mirrors guard > 0.
    relations: Vec<(usize, usize)>,
    /// Guards whose action sets what they read, whether or not that changes a value.
    resets: Vec<usize>,
    pub modes: Vec<bool>,
    task: Option<(f64, u64, Box<Task>)>,
    /// (t, crossings) of every `fire`.
    pub fired: Vec<(f64, Vec<Crossing>)>,
    pub sampled: Vec<f64>,
    /// Guards that are costly, and how often they were evaluated.
    costly: Vec<usize>,
    pub looks: usize,
}

impl Scene {
    pub fn new(names: &[&str], f: impl Fn(f64, &[f64], &[bool], &mut [f64]) + 'static) -> Self {
        let n = names.len();
        let layout = Layout {
            names: names.iter().map(|s| s.to_string()).collect(),
            differential: vec![true; n],
            nominal: vec![1.0; n],
            pattern: Pattern::dense(n),
            ..Layout::default()
        };
        Scene {
            layout,
            f: Box::new(f),
            guards: vec![],
            actions: vec![],
            relations: vec![],
            resets: vec![],
            modes: vec![],
            task: None,
            fired: vec![],
            sampled: vec![],
            costly: vec![],
            looks: 0,
        }
    }

    pub fn algebraic(mut self, unknowns: &[usize]) -> Self {
        unknowns.iter().for_each(|&i| self.layout.differential[i] = false);
        self
    }

    pub fn second_order(mut self, pairs: &[(usize, usize)]) -> Self {
        self.layout.second_order = pairs.to_vec();
        self
    }

    pub fn modes(mut self, modes: &[bool]) -> Self {
        self.modes = modes.to_vec();
        self
    }

    pub fn guard(
        mut self,
        name: &str,
        direction: Direction,
        g: impl Fn(f64, &[f64], &[bool]) -> f64 + 'static,
        action: impl FnMut(f64, &mut [f64], &mut [bool], Crossing) -> Effect + 'static,
    ) -> Self {
        self.layout.guards.push(Guard {
            name: name.into(),
            direction,
            role: GuardRole::Switch,
            algebraic: false,
        });
        self.guards.push(Box::new(g));
        self.actions.push(Box::new(action));
        self
    }

    /// The last guard is a costly one.
    pub fn costly(mut self) -> Self {
        self.costly.push(self.guards.len() - 1);
        self
    }

    /// The action of the last guard sets what the guard reads.
    pub fn resets(mut self) -> Self {
        self.resets.push(self.guards.len() - 1);
        self
    }

    /// A mode that mirrors g > 0.
    pub fn relation(
        self,
        name: &str,
        mode: usize,
        g: impl Fn(f64, &[f64], &[bool]) -> f64 + 'static,
    ) -> Self {
        let mut scene = self.guard(name, Direction::Both, g, |_, _, _, _| Effect::default());
        scene.relations.push((mode, scene.guards.len() - 1));
        scene
    }

    pub fn task(
        mut self,
        period: f64,
        run: impl FnMut(f64, &mut [f64], &mut [bool]) -> Effect + 'static,
    ) -> Self {
        self.task = Some((period, 0, Box::new(run)));
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Times of all fired crossings of a guard.
    pub fn times(&self, guard: usize) -> Vec<f64> {
        self.fired.iter().filter(|(_, c)| c.iter().any(|c| c.guard == guard)).map(|(t, _)| *t).collect()
    }
}

impl Problem for Scene {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        (self.f)(t, y, &self.modes, f);
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        let n = y.len();
        let (mut y, mut high, mut low) = (y.to_vec(), vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let (at, d) = (y[j], 6e-6 * y[j].abs().max(self.layout.nominal[j]));
            y[j] = at + d;
            (self.f)(t, &y, &self.modes, &mut high);
            y[j] = at - d;
            (self.f)(t, &y, &self.modes, &mut low);
            y[j] = at;
            for i in 0..n {
                values[j * n + i] = (high[i] - low[i]) / (2.0 * d);
            }
        }
    }

    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        let mut low = f_t.to_vec();
        let d = 6e-6;
        (self.f)(t + d, y, &self.modes, f_t);
        (self.f)(t - d, y, &self.modes, &mut low);
        for i in 0..y.len() {
            f_t[i] = (f_t[i] - low[i]) / (2.0 * d);
        }
    }
}

impl Hybrid for Scene {
    fn guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        for i in 0..g.len() {
            g[i] = (self.guards[i])(t, y, &self.modes);
        }
        self.looks += self.costly.len();
    }

    fn is_costly(&self, guard: usize) -> bool {
        self.costly.contains(&guard)
    }

    fn cheap_guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        for i in (0..g.len()).filter(|i| !self.costly.contains(i)) {
            g[i] = (self.guards[i])(t, y, &self.modes);
        }
    }

    fn fire(
        &mut self,
        t: f64,
        y: &mut [f64],
        crossings: &[Crossing],
        touched: &mut [bool],
    ) -> Result<(Effect, usize), String> {
        self.fired.push((t, crossings.to_vec()));
        let values = |scene: &Self, y: &[f64]| -> Vec<f64> {
            scene.guards.iter().map(|g| g(t, y, &scene.modes)).collect()
        };
        let before = values(self, y);
        let mut all = Effect::default();
        for &c in crossings {
            let effect = (self.actions[c.guard])(t, y, &mut self.modes, c);
            all.changed |= effect.changed;
            all.terminate |= effect.terminate;
            touched[c.guard] |= self.resets.contains(&c.guard);
        }
        let after = values(self, y);
        (0..touched.len()).for_each(|i| touched[i] |= before[i] != after[i]);
        Ok((all, crossings.len()))
    }

    fn settle(&mut self, _t: f64, _y: &[f64], g: &[f64]) -> bool {
        let mut changed = false;
        for &(mode, guard) in &self.relations {
            changed |= self.modes[mode] != (g[guard] > 0.0);
            self.modes[mode] = g[guard] > 0.0;
        }
        changed
    }

    fn next_instant(&self) -> f64 {
        self.task.as_ref().map_or(f64::INFINITY, |(period, k, _)| *k as f64 * period)
    }

    fn sample(&mut self, t: f64, y: &mut [f64], _: &mut [bool]) -> Result<Effect, TaskError> {
        self.sampled.push(t);
        let Some((_, k, run)) = &mut self.task else { return Ok(Effect::default()) };
        *k += 1;
        Ok(run(t, y, &mut self.modes))
    }
}

#[track_caller]
pub fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{value:.12e} is not {expected:.12e} within {tolerance:e}"
    );
}

/// Slope of log error over log h between the two smallest steps.
pub fn observed_order(h: &[f64], error: impl Fn(f64) -> f64) -> f64 {
    let n = h.len();
    (error(h[n - 2]) / error(h[n - 1])).ln() / (h[n - 2] / h[n - 1]).ln()
}

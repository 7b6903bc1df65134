//! The machine as the run loop sees it: guards, events, modes and sampled tasks.

use trunnion_equations::ProgramKind;
use trunnion_equations::image::ImageAction;

use super::Machine;
use crate::problem::{Corner, Crossing, Effect, GuardRole, Hybrid, Problem};
use crate::script_error::TaskError;
use crate::state_watch::StateWatch;
use crate::stepper::Segment;
use crate::time_watch::TimeProgram;

/// Rounds in which all modes that do not fit change together.
const TOGETHER_ROUNDS: usize = 6;

impl Hybrid for Machine {
    fn project(&mut self, t: f64, y: &mut [f64]) -> bool {
        let mut moved = self.normalise(y);
        if let Machine { model, k, scratch, loops: Some(loops), .. } = self {
            let compiled = &model.compiled;
            moved |=
                loops.project(y, |y, gaps| compiled.run(ProgramKind::Gaps as usize, t, y, k, scratch, gaps));
        }
        moved
    }

    fn guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        // Sliding friction does not need the force that would hold it.
        let open = !self.model.image.guards_read && !self.frictions.any_sticks(&self.slow);
        let (g, of_holds) = g.split_at_mut(self.model.plain());
        match &mut self.loops {
            Some(loops) if open => {
                loops.extended[..y.len()].copy_from_slice(y);
                self.closed = None;
                self.run(ProgramKind::Guards, t, y, g);
            }
            _ => self.part(ProgramKind::Guards, t, y, g),
        }
        self.judge_guards(t, y, g);
        self.guards_of_holds(t, y, of_holds);
    }

    fn is_costly(&self, guard: usize) -> bool {
        let friction = guard.checked_sub(self.first_friction());
        let asks = self.loops.is_some() && !self.model.image.guards_read;
        asks && friction.is_some_and(|k| self.frictions.sticks(k, &self.slow))
    }

    fn cheap_guards(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let first = self.first_friction();
        let Some(loops) = self.loops.as_mut().filter(|_| !self.model.image.guards_read) else {
            return self.guards(t, y, g);
        };
        loops.extended[..y.len()].copy_from_slice(y);
        self.closed = None;
        self.frictions.keep(&g[first..]);
        self.run(ProgramKind::Guards, t, y, g);
        self.frictions.give_back(&self.slow, &mut g[first..]);
        self.judge_guards(t, y, g);
    }

    fn at_start(&self, guard: usize) -> bool {
        self.model.image.events.get(guard).is_some_and(|e| e.at_start)
    }

    fn rounding(&mut self, t: f64, y: &[f64], noise: &mut [f64]) {
        let mut out = std::mem::take(&mut self.guard_values);
        self.uncertainty(t, y, &[], noise, &mut out);
        self.guard_values = out;
    }

    fn uncertainty(&mut self, t: f64, y: &[f64], of: &[f64], noise: &mut [f64], out: &mut [f64]) {
        let part = ProgramKind::Guards as usize;
        let (out, of_holds) = out.split_at_mut(self.model.plain());
        of_holds.fill(0.0);
        if self.model.reads_multipliers[part] {
            self.find_multipliers(t, y);
        }
        let Machine { model, k, scratch, bounds, loops, .. } = self;
        let y = loops.as_ref().map_or(y, |l| &l.extended);
        model.compiled.rounding(part, (t, y, k), [&[], of], scratch, bounds, [noise, out]);
    }

    fn fire(
        &mut self,
        t: f64,
        y: &mut [f64],
        crossings: &[Crossing],
        touched: &mut [bool],
    ) -> Result<(Effect, usize), String> {
        let model = self.model.clone();
        let image = &*model.image;
        let (n_events, n_relations) = (image.events.len(), image.relations.len());
        if crossings.iter().any(|c| c.guard < n_events) {
            self.compute_actions(t, y);
        }
        if crossings.iter().any(|c| c.guard >= n_events + n_relations) {
            self.read_frictions(t, y);
        }
        let n_plain = model.plain();
        let mut effect = Effect::default();
        let mut done = 0;
        for &Crossing { guard, rising } in crossings {
            if let Some(event) = image.events.get(guard) {
                let before = crossings[..done].iter().filter_map(|c| image.events.get(c.guard));
                if before.flat_map(|e| &e.targets).any(|a| event.targets.contains(a)) {
                    break;
                }
                let first = image.events[..guard].iter().map(|e| e.targets.len()).sum();
                effect.changed |= self.assign((&event.name, &event.targets), first, t, y)?;
                event.touches.iter().for_each(|&g| touched[g] = true);
                self.fired.push((guard, t));
                if let Some(message) = &event.terminate {
                    effect.terminate = true;
                    self.ended_by = Some(message.clone());
                }
            } else if guard >= n_plain {
                self.held.order[guard - n_plain] = 0;
                effect.changed = true;
            } else if guard >= n_events + n_relations {
                effect.changed |= self.frictions.fire(guard - n_events - n_relations, &mut self.slow);
            } else {
                let relation = &image.relations[guard - n_events];
                let now = image.slow_place(relation.mode).map_or(0.0, |i| self.slow[i]);
                let beyond = if rising { f64::MIN_POSITIVE } else { -f64::MIN_POSITIVE };
                effect.changed |= self.put(relation.mode, relation.settled(now, beyond), y);
            }
            done += 1;
        }
        if effect.changed {
            self.prepare();
            self.refit(t, y);
            if crossings.iter().any(|c| c.guard < n_events) {
                self.recount(t, y);
            }
        }
        Ok((effect, done))
    }

    fn settle(&mut self, t: f64, y: &[f64], g: &[f64]) -> bool {
        let model = self.model.clone();
        let image = &*model.image;
        let n_events = image.events.len();
        let mut changed = false;
        self.settling = if self.settling.0 == t { (t, self.settling.1 + 1) } else { (t, 0) };
        // Kinks that depend on each other: the first that does not fit changes alone [Murty1974], which ends for every network
        // that takes up power.
        let one_by_one = self.settling.1 > TOGETHER_ROUNDS;
        let mut kink_changed = false;
        for (number, relation) in image.relations.iter().enumerate() {
            let value = g[n_events + number];
            let kink = relation.role != GuardRole::Switch;
            if value.is_nan() || (kink && one_by_one && kink_changed) {
                continue;
            }
            let Some(place) = image.slow_place(relation.mode) else { continue };
            let new = relation.settled(self.slow[place], value);
            if self.slow[place] != new {
                self.slow[place] = new;
                changed = true;
                kink_changed |= kink;
            }
        }
        if changed {
            self.prepare();
        }
        self.stick(t, y) || changed
    }

    fn mirrored(&self, guard: usize) -> i8 {
        let image = &self.model.image;
        let relation = image.relation(guard);
        if relation.is_some_and(|r| r.step != 0.0) {
            return 1;
        }
        let relation = relation.filter(|r| r.role != GuardRole::Argument);
        let Some(place) = relation.and_then(|r| image.slow_place(r.mode)) else { return 0 };
        if self.slow[place] != 0.0 { 1 } else { -1 }
    }

    fn counts_on(&self, guard: usize) -> bool {
        self.model.image.relation(guard).is_some_and(|r| r.step != 0.0)
    }

    fn sibling(&self, guard: usize) -> Option<usize> {
        match self.model.image.relation(guard)?.step {
            0.0 => None,
            step => guard.checked_add_signed(-step as isize),
        }
    }

    fn at_zero(&self, guard: usize) -> i8 {
        self.model.image.relation(guard).map_or(0, |r| if r.closed { 1 } else { -1 })
    }

    fn follow_kinks(&mut self, on: bool) {
        self.following = on && self.model.image.relations.iter().any(|r| r.role == GuardRole::Kink);
    }

    fn hold(&mut self, t: f64, y: &[f64], guard: usize) -> bool {
        guard < self.model.image.events.len() && self.begin_hold(t, y, guard)
    }

    fn other_branch(&mut self, t: f64, y: &[f64], guard: usize, f: &mut [f64]) -> bool {
        let image = &self.model.image;
        let relation = image.relation(guard).filter(|r| r.role == GuardRole::Kink && !self.following);
        let Some(relation) = relation else { return false };
        let Some(place) = image.slow_place(relation.mode) else { return false };
        let mode = self.slow[place];
        let beyond = if mode == 0.0 && relation.step == 0.0 { f64::MIN_POSITIVE } else { -f64::MIN_POSITIVE };
        self.slow[place] = relation.settled(mode, beyond);
        self.prepare();
        self.residual(t, y, f);
        self.slow[place] = mode;
        self.prepare();
        true
    }

    fn next_corner(&mut self, t: f64, horizon: f64) -> Corner {
        let Machine { model, k, scratch, time_watch: Some(watch), .. } = self else {
            return Corner { t: f64::INFINITY, jumps: false };
        };
        watch.next(TimeProgram { compiled: &model.compiled, k, scratch }, t, horizon)
    }

    fn time_limit(&mut self, t: f64, h: f64, horizon: f64, share: f64) -> f64 {
        let Machine { model, k, scratch, time_watch: Some(watch), .. } = self else {
            return f64::INFINITY;
        };
        watch.limit(TimeProgram { compiled: &model.compiled, k, scratch }, t, h, horizon, share)
    }

    fn passes_over(&mut self, start: (f64, &[f64]), end: (f64, &[f64])) -> Option<f64> {
        let Machine { model, k, scratch, state_watch: Some(watch), .. } = self else { return None };
        watch.passes_over(&mut TimeProgram { compiled: &model.compiled, k, scratch }, start, end)
    }

    fn hidden_crossing(&mut self, curve: &Segment, from: f64, to: f64) -> Option<f64> {
        let Machine { model, k, scratch, state_watch: Some(watch), .. } = self else { return None };
        watch.crossing(&mut TimeProgram { compiled: &model.compiled, k, scratch }, curve, from, to)
    }

    fn longest_step(&self) -> f64 {
        self.state_watch.as_ref().map_or(f64::INFINITY, StateWatch::longest)
    }

    fn is_timed(&self, guard: usize) -> bool {
        self.time_watch.as_ref().is_some_and(|watch| watch.watches(guard))
    }

    fn next_instant(&self) -> f64 {
        self.tasks.next_instant()
    }

    fn sample(&mut self, t: f64, y: &mut [f64], touched: &mut [bool]) -> Result<Effect, TaskError> {
        let model = self.model.clone();
        let image = &*model.image;
        self.compute_actions(t, y);
        let mut first: usize = image.events.iter().map(|e| e.targets.len()).sum();
        let mut changed = false;
        let after = self.tasks.others_done(t);
        for (number, task) in image.tasks.iter().enumerate() {
            let due = self.tasks.take_due(number, t, after);
            if due {
                task.touches.iter().for_each(|&g| touched[g] = true);
            }
            match &task.action {
                ImageAction::Set(targets) => {
                    if due {
                        changed |= self.assign((&task.name, targets), first, t, y)?;
                    }
                    first += targets.len();
                }
                ImageAction::Script { inputs, outputs, .. } => {
                    if due {
                        self.tasks.run_script(number, t, &self.actions[first..first + inputs.len()])?;
                        for (k, &(_, target)) in outputs.iter().enumerate() {
                            changed |= self.put(target, self.tasks.output(number, k), y);
                        }
                        changed |= self.change_parameters(number, t, y, touched);
                    }
                    first += inputs.len();
                }
            }
        }
        if changed {
            self.prepare();
            self.refit(t, y);
            self.recount(t, y);
        }
        Ok(Effect { changed, terminate: false })
    }
}

impl Machine {
    /// Parameters that a controller asked to change at this instant; guards that move with them are marked.
    fn change_parameters(&mut self, task: usize, t: f64, y: &[f64], touched: &mut [bool]) -> bool {
        let asked = self.tasks.take_changes(task);
        if asked.is_empty() {
            return false;
        }
        let (mut before, mut after) = (vec![0.0; touched.len()], vec![0.0; touched.len()]);
        self.guards(t, y, &mut before);
        let changes = asked.into_iter().filter(|&(symbol, value)| self.set_parameter(symbol, value));
        if changes.count() == 0 {
            return false;
        }
        self.guards(t, y, &mut after);
        for ((touched, before), after) in touched.iter_mut().zip(&before).zip(&after) {
            *touched |= before.to_bits() != after.to_bits();
        }
        true
    }
}

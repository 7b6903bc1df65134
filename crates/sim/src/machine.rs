//! A model ready to run: compiled equations with their present parameters, inputs and modes.
//!
//! [`Loaded`], and [`Prepared`] around it, are immutable and shared; each run has its own [`Machine`].

mod clamp;
mod hybrid;
mod integer_parts;
mod loaded;
mod start;
mod watch;

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::image::QuantityKind;
pub use trunnion_equations::image::{ColumnSource, ImageColumn};
use trunnion_equations::{Compiled, Image, ProgramKind, SlowValues, Symbol};
use trunnion_num::Archive;

use crate::constraints::{ClosedLoops, QuaternionPlaces, normalise};
use crate::cuts::Cuts;
use crate::equilibrium::Equilibrium;
use crate::friction::Frictions;
use crate::problem::{GuardRole, Hybrid, Layout, Problem};
use crate::run_error::RunError;
use crate::state_watch::StateWatch;
use crate::task::Tasks;
use crate::time_watch::TimeWatch;
use clamp::ActiveClamps;
use loaded::LoadedModel;
pub use loaded::{Loaded, Prepared};

/// One run of a model.
pub struct Machine {
    /// Parameters, inputs and start values from outside.
    given: HashMap<Symbol, f64>,
    model: LoadedModel,
    /// Parameters, inputs and modes.
    slow: Vec<f64>,
    /// Those for which k was found.
    known: SlowValues,
    k: Vec<f64>,
    scratch: Vec<f64>,
    /// Of `rounding`.
    bounds: Vec<[f64; 2]>,
    /// Written by `compute_actions`.
    actions: Vec<f64>,
    outputs: Vec<f64>,
    loops: Option<ClosedLoops>,
    quaternions: Vec<QuaternionPlaces>,
    /// By state: loops or a quaternion tie it to others.
    tied: Vec<bool>,
    /// One of them was set.
    unfit: bool,
    /// The time at which multipliers were last found, with the values of today.
    closed: Option<f64>,
    cuts: Option<Cuts>,
    /// Start values that had to move to close the loops, with the value given.
    pub moved: Vec<(Symbol, f64)>,
    /// Constraints that follow from others at the start.
    pub redundant: Vec<usize>,
    /// Those that almost do.
    pub weak: Vec<usize>,
    /// How it rests at the start, where the model asks for that.
    pub equilibrium: Equilibrium,
    tasks: Tasks,
    frictions: Frictions,
    /// Why the model ended the run.
    pub ended_by: Option<String>,
    /// Number and time of every event so far.
    pub fired: Vec<(usize, f64)>,
    /// By column: where it comes from, factor and offset of its unit unless it is in SI.
    readings: Vec<(ColumnSource, Option<(f64, f64)>)>,
    /// The first condition of an event that could not be judged.
    lost_guard: Option<RunError>,
    /// Time and number of the last round of `settle`.
    settling: (f64, usize),
    /// Kinks take the branch of the values asked for; with their guards.
    following: bool,
    guard_values: Vec<f64>,
    held: ActiveClamps,
    time_watch: Option<TimeWatch>,
    state_watch: Option<StateWatch>,
}

impl Machine {
    /// Quaternions of unit length; true if one was not.
    fn normalise(&self, y: &mut [f64]) -> bool {
        let mut changed = false;
        for q in &self.quaternions {
            changed |= normalise(q, y);
        }
        changed
    }

    /// Multipliers at (t, y), and f in the buffers of `loops`.
    fn close(&mut self, t: f64, y: &[f64]) {
        let Machine { model, k, scratch, loops: Some(loops), closed, .. } = self else { return };
        if *closed == Some(t) && loops.extended[..y.len()] == *y {
            return;
        }
        let compiled = &model.compiled;
        loops.solve_multipliers(y, |extended, out| {
            compiled.run(ProgramKind::Constraints as usize, t, extended, k, scratch, out)
        });
        loops.store_multipliers(t);
        *closed = Some(t);
    }

    /// Multipliers at (t, y) alone.
    fn find_multipliers(&mut self, t: f64, y: &[f64]) {
        let Machine { loops: Some(loops), closed, .. } = self else { return };
        let is_closed = *closed == Some(t) && loops.extended[..y.len()] == *y;
        if !is_closed && loops.recall_multipliers(t, y) {
            *closed = None;
            return;
        }
        self.close(t, y);
    }

    /// Bring `y` back to closed loops and unit quaternions, to rounding.
    pub fn restore(&mut self, t: f64, y: &mut [f64]) {
        self.normalise(y);
        if let Machine { model, k, scratch, loops: Some(loops), .. } = self {
            let compiled = &model.compiled;
            loops.restore(y, |y, gaps| compiled.run(ProgramKind::Gaps as usize, t, y, k, scratch, gaps));
        }
    }

    /// What was set may not fit the loops.
    fn refit(&mut self, t: f64, y: &mut [f64]) {
        if std::mem::take(&mut self.unfit) {
            self.restore(t, y);
        }
    }

    /// All that the steps to come take over from those before, the values of the unknowns aside. Err: why a controller's memory
    /// cannot be kept, or taken up.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), String> {
        archive.numbers(&mut self.slow);
        if let Some(loops) = &mut self.loops {
            loops.remember(archive);
        }
        self.held.order.iter_mut().for_each(|order| archive.count(order));
        archive.numbers(&mut self.held.least);
        self.tasks.remember(archive)?;
        self.given.extend(self.tasks.changes());
        self.prepare();
        Ok(())
    }

    /// Native code of every part, made now; and room for what steps may need.
    pub fn warm_up(&mut self, t: f64, y: &[f64]) {
        let compiled = &self.model.compiled;
        (0..compiled.len()).for_each(|part| _ = compiled.warm_up(part));
        let n = y.len();
        let (mut f, mut j) = (vec![0.0; n], vec![0.0; self.model.layout.pattern.nnz()]);
        self.residual(t, y, &mut f);
        self.jacobian(t, y, &mut j);
        self.time_gradient(t, y, &mut f);
        self.guards(t, y, &mut vec![0.0; self.model.layout.guards.len()]);
        self.compute_actions(t, y);
        self.read_frictions(t, y);
        // What is not finite is reported when it is recorded in the run.
        let _ = self.record(t, y, &mut vec![0.0; self.model.columns.len()]);
        self.project(t, &mut y.to_vec());
        self.fired.reserve(256);
        let image = &self.model.image;
        let varies = |s: Symbol| image.quantity(s).kind != QuantityKind::Parameter;
        let places = image.slow.iter().enumerate().filter(|&(_, &s)| varies(s));
        places.for_each(|(place, _)| self.model.compiled.expect_change(place));
        if let Some(loops) = &mut self.loops {
            loops.reserve();
        }
    }

    /// The closed loops as the last evaluation left them.
    pub(crate) fn loops(&mut self) -> Option<&mut ClosedLoops> {
        self.loops.as_mut()
    }

    /// The analysed model; None of a machine that runs an image.
    pub fn prepared(&self) -> Option<&Arc<Prepared>> {
        match &self.model {
            LoadedModel::Analysed(prepared) => Some(prepared),
            LoadedModel::Image(_) => None,
        }
    }

    pub fn loaded(&self) -> &Loaded {
        &self.model
    }

    pub(crate) fn image(&self) -> Arc<Image> {
        Arc::clone(&self.model.image)
    }

    /// Derivatives of the outputs that are kept at the rest the run begins with.
    pub(crate) fn rest_outputs(&self) -> Option<Arc<Compiled>> {
        self.model.rest_outputs.clone()
    }

    /// Lines the controllers wrote since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        self.tasks.take_log()
    }

    /// Event and time of every beginning of a hold.
    pub fn holds(&self) -> &[(usize, f64)] {
        &self.held.log
    }

    /// Present value of a parameter, input or mode.
    pub fn slow(&self, place: usize) -> f64 {
        self.slow[place]
    }

    /// Present values of all parameters, inputs and modes.
    pub fn slow_values(&self) -> &[f64] {
        &self.slow
    }

    /// Change a parameter, input or mode between steps.
    pub(crate) fn set_slow(&mut self, place: usize, value: f64) {
        self.slow[place] = value;
        self.prepare();
    }

    /// Changes a parameter or input (SI), and the parameters that follow from it; false: nothing is different.
    pub fn set_parameter(&mut self, symbol: Symbol, value: f64) -> bool {
        let image = &self.model.image;
        let before = image.slow_values(&image.start_values(&self.given));
        self.given.insert(symbol, value);
        let after = image.slow_values(&image.start_values(&self.given));
        let settable =
            |s: Symbol| matches!(image.quantity(s).kind, QuantityKind::Parameter | QuantityKind::Input);
        let mut changed = false;
        for (place, &s) in image.slow.iter().enumerate() {
            // An input may have been moved by other means since.
            let wanted = s == symbol || before[place].to_bits() != after[place].to_bits();
            if wanted && settable(s) && self.slow[place].to_bits() != after[place].to_bits() {
                self.slow[place] = after[place];
                changed = true;
            }
        }
        if changed {
            self.prepare();
        }
        changed
    }

    /// What was given from outside, at the start and since.
    pub fn given(&self) -> &HashMap<Symbol, f64> {
        &self.given
    }

    /// The same, of another run: its values come with its memory.
    pub(crate) fn take_given(&mut self, given: HashMap<Symbol, f64>) {
        self.given = given;
    }

    /// All columns at (t, y), in the units they are shown in. Err: one of them is no finite number; `row` is filled all the same.
    pub fn record(&mut self, t: f64, y: &[f64], row: &mut [f64]) -> Result<(), RunError> {
        let mut outputs = std::mem::take(&mut self.outputs);
        self.find_multipliers(t, y);
        self.run(ProgramKind::Outputs, t, y, &mut outputs);
        self.outputs = outputs;
        let Machine { readings, outputs, slow, loops, .. } = self;
        let mut all_finite = true;
        for (value, (source, unit)) in row.iter_mut().zip(readings) {
            let si = match *source {
                ColumnSource::Unknown(i) => y[i],
                ColumnSource::Multiplier(i) => loops.as_ref().map_or(0.0, |l| l.extended[y.len() + i]),
                ColumnSource::Output(i) => outputs[i],
                ColumnSource::Slow(i) => slow[i],
            };
            *value = unit.map_or(si, |(factor, offset)| (si - offset) / factor);
            all_finite &= value.is_finite();
        }
        if let Some(lost) = self.lost_guard.take() {
            return Err(lost);
        }
        if all_finite {
            return Ok(());
        }
        let columns = &self.model.columns;
        match row.iter().zip(columns).position(|(value, column)| !value.is_finite() && !column.measured) {
            None => Ok(()),
            Some(column) => Err(self.not_finite(t, y, column)),
        }
    }

    /// k follows the slow inputs.
    fn prepare(&mut self) {
        self.closed = None;
        if let Some(loops) = &mut self.loops {
            loops.discard_multipliers();
        }
        self.model.compiled.update(&self.slow, &mut self.known, &mut self.k);
    }

    /// Multipliers are found first where the part reads them.
    fn part(&mut self, part: ProgramKind, t: f64, y: &[f64], out: &mut [f64]) {
        if self.model.reads_multipliers[part as usize] {
            self.find_multipliers(t, y);
            return self.run(part, t, y, out);
        }
        let Machine { model, k, scratch, .. } = self;
        model.compiled.run(part as usize, t, y, k, scratch, out);
    }

    /// With the multipliers of the last `solve_multipliers`.
    fn run(&mut self, part: ProgramKind, t: f64, y: &[f64], out: &mut [f64]) {
        let Machine { model, k, scratch, loops, .. } = self;
        let y = loops.as_ref().map_or(y, |l| &l.extended);
        model.compiled.run(part as usize, t, y, k, scratch, out);
    }

    /// Let friction stick or slide as speeds and forces require, until all are consistent; true if anything changed.
    fn stick(&mut self, t: f64, y: &[f64]) -> bool {
        let mut changed = false;
        // Each may be decided anew once the others are.
        for _ in 0..=2 * self.frictions.len() {
            self.read_frictions(t, y);
            if !self.frictions.settle(&mut self.slow) {
                break;
            }
            self.prepare();
            changed = true;
        }
        changed
    }

    /// Speeds, limits and holding forces of all frictions at (t, y).
    fn read_frictions(&mut self, t: f64, y: &[f64]) {
        if self.frictions.len() > 0 {
            let mut values = std::mem::take(&mut self.frictions.values);
            self.part(ProgramKind::Frictions, t, y, &mut values);
            self.frictions.values = values;
        }
    }

    /// Number of the first guard of friction.
    fn first_friction(&self) -> usize {
        self.model.image.events.len() + self.model.image.relations.len()
    }

    fn compute_actions(&mut self, t: f64, y: &[f64]) {
        let mut actions = std::mem::take(&mut self.actions);
        self.part(ProgramKind::Actions, t, y, &mut actions);
        self.actions = actions;
    }

    /// Give the computed values to their targets; true if anything changed.
    fn assign(
        &mut self,
        (name, targets): (&str, &[Symbol]),
        first: usize,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, String> {
        let bad = |k: &usize| !self.actions[first + k].is_finite();
        if let Some(k) = (0..targets.len()).find(bad) {
            let target = &self.model.image.quantity(targets[k]).name;
            let cause = self.cause_of(t, y, |prepared| prepared.system.actions[first + k]);
            let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
            let value = self.actions[first + k];
            return Err(format!("`{name}` sets `{target}` to {value}, which is no finite value{cause}"));
        }
        let mut changed = false;
        for (k, &target) in targets.iter().enumerate() {
            changed |= self.put(target, self.actions[first + k], y);
        }
        Ok(changed)
    }

    /// The branches of all kinks at (t, y), where they are followed.
    fn choose_branches(&mut self, t: f64, y: &[f64]) {
        if !self.following {
            return;
        }
        let image = &*self.image();
        let mut g = std::mem::take(&mut self.guard_values);
        // A branch may decide about the next.
        for _ in 0..4 {
            self.guards(t, y, &mut g);
            let mut changed = false;
            for (relation, &value) in image.relations.iter().zip(&g[image.events.len()..]) {
                if relation.role == GuardRole::Kink && value != 0.0 && !value.is_nan() {
                    let now = image.slow_place(relation.mode).map_or(0.0, |i| self.slow[i]);
                    changed |= self.put(relation.mode, relation.settled(now, value), &mut []);
                }
            }
            if !changed {
                break;
            }
            self.prepare();
        }
        self.guard_values = g;
    }

    fn put(&mut self, target: Symbol, value: f64, y: &mut [f64]) -> bool {
        let place = match self.model.image.slow_place(target) {
            Some(i) => &mut self.slow[i],
            None => match self.model.image.y_place(target) {
                Some(i) => {
                    self.unfit |= self.tied[i];
                    if y[i] != value {
                        self.release(i);
                    }
                    &mut y[i]
                }
                None => return false,
            },
        };
        let changed = place.to_bits() != value.to_bits();
        *place = value;
        changed
    }
}

impl Problem for Machine {
    fn layout(&self) -> &Layout {
        &self.model.layout
    }

    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.choose_branches(t, y);
        if self.loops.is_none() {
            self.run(ProgramKind::Residual, t, y, f);
            return self.hold_rows(f);
        }
        self.close(t, y);
        if let Some(loops) = &self.loops {
            f.copy_from_slice(&loops.forces[..f.len()]);
        }
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.choose_branches(t, y);
        self.close(t, y);
        let Machine { model, k, scratch, loops, cuts, .. } = self;
        let mut run = |y: &[f64], out: &mut [f64]| match cuts {
            None => model.compiled.run(ProgramKind::Jacobian as usize, t, y, k, scratch, out),
            Some(cuts) => {
                model.compiled.run(ProgramKind::Jacobian as usize, t, y, k, scratch, &mut cuts.entries);
                cuts.eliminate(out);
            }
        };
        match loops {
            None => run(y, values),
            Some(loops) => {
                run(&loops.extended, &mut loops.jacobian);
                loops.eliminate(values);
            }
        }
        self.hold_entries(values);
    }

    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        if self.loops.is_none() {
            self.run(ProgramKind::TimeGradient, t, y, f_t);
            return self.hold_rows(f_t);
        }
        self.close(t, y);
        let Machine { model, k, scratch, loops: Some(loops), .. } = self else { return };
        let compiled = &model.compiled;
        compiled.run(ProgramKind::TimeGradient as usize, t, &loops.extended, k, scratch, &mut loops.f_t);
        loops.eliminate_time();
        f_t.copy_from_slice(&loops.f_t[..f_t.len()]);
    }
}

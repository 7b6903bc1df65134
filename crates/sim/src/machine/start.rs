//! A machine at its start: values, tasks, buffers, a pose that closes the loops, and rest where the model asks for it.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::{DisplayUnit, Image, ProgramKind, SlowValues, Symbol};

use super::clamp::ActiveClamps;
use super::loaded::LoadedModel;
use super::{Loaded, Machine, Prepared};
use crate::constraints::{Assembly, ClosedLoops};
use crate::cuts::Cuts;
use crate::equilibrium::{Equilibrium, find_equilibrium};
use crate::friction::Frictions;
use crate::start_error::StartError;
use crate::state_watch::StateWatch;
use crate::task::Tasks;
use crate::time_watch::TimeWatch;

/// By unknown: whether loops or a quaternion tie it to others.
fn tied(image: &Image) -> Vec<bool> {
    let mut tied = vec![false; image.n()];
    let layout = &image.constraint_layout;
    layout.by_position.iter().chain(&layout.by_velocity).for_each(|e| tied[e.1] = true);
    image.quaternions.iter().flatten().for_each(|&i| tied[i] = true);
    tied
}

/// Factor and offset of a unit that is not SI.
fn factors(unit: &DisplayUnit) -> Option<(f64, f64)> {
    ((unit.factor, unit.offset) != (1.0, 0.0)).then_some((unit.factor, unit.offset))
}

impl Machine {
    /// A machine at its start, and the unknowns there. `given` overrides parameters, inputs and start values (SI).
    pub fn start(
        prepared: Arc<Prepared>,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
    ) -> Result<(Self, Vec<f64>), StartError> {
        Self::begin(LoadedModel::Analysed(prepared), given, t_0)
    }

    /// The same of an image, without equations in symbols.
    pub fn start_image(
        loaded: Arc<Loaded>,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
    ) -> Result<(Self, Vec<f64>), StartError> {
        Self::begin(LoadedModel::Image(loaded), given, t_0)
    }

    fn begin(
        model: LoadedModel,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
    ) -> Result<(Self, Vec<f64>), StartError> {
        let held = model.image.held.clone();
        let (mut machine, mut y) = Self::begin_holding(model, given, t_0, &held)?;
        if let Some(hold) = machine.model.rest.clone() {
            machine.equilibrium = find_equilibrium(&mut machine, t_0, &mut y, &hold)
                .map_err(|no_rest| StartError::no_equilibrium(&machine.model, t_0, &no_rest))?;
        }
        Ok((machine, y))
    }

    /// The same with other states that closing the loops is not to move.
    pub fn start_holding(
        prepared: Arc<Prepared>,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
        held: &[Symbol],
    ) -> Result<(Self, Vec<f64>), StartError> {
        Self::begin_holding(LoadedModel::Analysed(prepared), given, t_0, held)
    }

    fn begin_holding(
        model: LoadedModel,
        given: &HashMap<Symbol, f64>,
        t_0: f64,
        held: &[Symbol],
    ) -> Result<(Self, Vec<f64>), StartError> {
        let image = &*Arc::clone(&model.image);
        let start = image.start_values(given);
        let (slow, mut y) = (image.slow_values(&start), image.y_values(&start));
        let tasks = Tasks::new(image, &start, t_0).map_err(StartError::Task)?;
        let compiled = &model.compiled;
        let time_watch = TimeWatch::new(image, compiled);
        let state_watch = StateWatch::new(image, compiled);
        let n_guards = compiled.program(ProgramKind::Guards as usize).n_out;
        let sized = |part: ProgramKind| vec![0.0; compiled.program(part as usize).n_out];
        let held_by_events = ActiveClamps::new(model.clamps.len(), image.n(), n_guards);
        let mut machine = Machine {
            given: given.clone(),
            held: held_by_events,
            known: SlowValues::default(),
            k: vec![0.0; compiled.n_slow()],
            scratch: vec![0.0; compiled.scratch()],
            bounds: vec![[0.0; 2]; compiled.scratch()],
            actions: sized(ProgramKind::Actions),
            outputs: sized(ProgramKind::Outputs),
            loops: ClosedLoops::new(image),
            quaternions: image.quaternions.clone(),
            tied: tied(image),
            unfit: false,
            closed: None,
            cuts: Cuts::new(image),
            moved: vec![],
            redundant: vec![],
            weak: vec![],
            equilibrium: Equilibrium::default(),
            tasks,
            frictions: Frictions::new(image),
            readings: image.columns.iter().map(|c| (c.source, factors(&c.unit))).collect(),
            slow,
            model,
            ended_by: None,
            fired: Vec::new(),
            lost_guard: None,
            settling: (f64::NAN, 0),
            following: false,
            time_watch,
            state_watch,
            guard_values: vec![0.0; n_guards],
        };
        machine.prepare();
        machine.assemble(t_0, held, &mut y)?;
        machine.recount(t_0, &y);
        machine.stick(t_0, &y);
        Ok((machine, y))
    }

    /// A pose that closes the loops.
    fn assemble(&mut self, t: f64, held: &[Symbol], y: &mut [f64]) -> Result<(), StartError> {
        self.normalise(y);
        let Machine { model, k, scratch, loops: Some(loops), slow, .. } = self else { return Ok(()) };
        let Loaded { image, compiled, .. } = &**model;
        let run =
            |y: &[f64], gaps: &mut [f64]| compiled.run(ProgramKind::Gaps as usize, t, y, k, scratch, gaps);
        let done = Assembly::new(loops, image, slow, t, run).assemble(held, y);
        self.moved = done.map_err(|open| StartError::open(image, open))?;
        self.close(t, y);
        (self.redundant, self.weak) =
            self.loops.as_ref().map_or_else(Default::default, ClosedLoops::dependent);
        let constraints = &self.model.image.constraints;
        for list in [&mut self.redundant, &mut self.weak] {
            list.retain(|&k| !constraints[k].switched);
        }
        Ok(())
    }
}

//! Static equilibrium of a machine: switches follow, loops stay closed, trapped oil stays trapped, what is held is held.
//!
//! Whatever is found is looked at before it is given back: every row that is not left to a support is fulfilled, no position is far from its
//! start, and no event that warns or ends a run is true there (a piston beyond its stroke, an accumulator without oil). Whether the equilibrium
//! is stable follows from the poles of the linear model.

use trunnion_equations::Image;

use crate::balance::{EquilibriumFailure, furthest, partner, search};
use crate::equilibrium_problem::{ConstrainedRows, EquilibriumProblem, Outputs};
use crate::equilibrium_rows::{Selection, SelectionPoint, linearised, select};
use crate::linear::{Pole, linearise};
use crate::machine::{Loaded, Machine};
use crate::modes::modes;
use crate::problem::{Direction, Hybrid, Layout, Problem};
use crate::stepper::{SolverWork, StepFailure};

/// Choices of independent states that are tried.
const CHOICES: usize = 2;
/// Relations that change their side by turns are given up after so many rounds.
const ROUNDS: usize = 20;
/// Above so many unknowns no rows are selected: the work grows with the third power.
const LARGEST: usize = 800;
/// A row is fulfilled to this share of what its unknowns contribute.
const FULFILLED: f64 = 1e-8;
/// Iterations in which trapped amounts are taken at the midpoint between start and equilibrium.
const MIDDLES: usize = 3;
/// Poles are not looked at above so many unknowns.
const MOST_POLES: usize = 400;
/// A double pole at zero is found to √ε of what acts in its mode.
const ZERO_POLE: f64 = 1e-7;

/// How far a state leaves a place where a law is flat, in its sizes.
const FLAT: f64 = 1e-3;
/// Oil that is gone in less than this time (s) carries nothing.
const SLOW: f64 = 0.1;
/// Units of places.
const LENGTHS: [&str; 5] = ["m", "mm", "cm", "km", "µm"];
const ANGLES: [&str; 3] = ["rad", "deg", "rev"];

/// What keeps its value while the equilibrium is sought: unknowns by their place in y, and any other recorded signal by its column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldValues {
    pub unknowns: Vec<usize>,
    pub outputs: Vec<usize>,
}

/// An equilibrium that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equilibrium {
    pub work: SolverWork,
    /// Held unknowns that something else has to carry: the row, and what it would be if they were let go (SI).
    pub supported: Vec<(usize, usize, f64)>,
    /// States that are not at rest, because of what is held or because nothing depends on them: the row, and its rate (SI).
    pub moving: Vec<(usize, f64)>,
    /// States whose trapped amount stayed, and those whose amount was chosen so that it is an equilibrium.
    pub kept: Vec<usize>,
    pub released: Vec<usize>,
}

/// An equilibrium from which a small push leads away.
#[derive(Clone, Debug, PartialEq)]
pub struct UnstableMode {
    /// The state that takes part most.
    pub state: usize,
    pub pole: Pole,
}

/// Find the equilibrium of a machine, its switching relations following the values. Where that does not lead to rest the relations
/// keep their side until the others are at rest. Events do not fire, tasks are not run. On failure `y` is as before.
pub fn find_equilibrium(
    machine: &mut Machine,
    t: f64,
    y: &mut [f64],
    hold: &HeldValues,
) -> Result<Equilibrium, EquilibriumFailure> {
    let start = y.to_vec();
    let slow = machine.slow_values().to_vec();
    let found = search_machine(machine, t, y, hold).and_then(|rest| {
        machine.restore(t, y);
        plausible(machine, t, &start, y, hold).map(|()| rest)
    });
    if found.is_err() {
        y.copy_from_slice(&start);
        slow.iter().enumerate().for_each(|(place, &value)| machine.set_slow(place, value));
    }
    found
}

fn search_machine(
    machine: &mut Machine,
    t: f64,
    y: &mut [f64],
    hold: &HeldValues,
) -> Result<Equilibrium, EquilibriumFailure> {
    let mut first = None;
    let mut left_out = vec![];
    for _ in 0..CHOICES {
        let tied = ConstrainedRows::new(machine, t, y, &hold.unknowns, &left_out);
        let g = vec![0.0; machine.layout().guards.len()];
        let mut at = EquilibriumProblem { g, follows: true, machine, tied, replaced: None };
        match at.find(t, y, hold) {
            Ok(rest) => return Ok(rest),
            Err(failure) => {
                let Some(tied) = &at.tied else { return Err(failure) };
                // Another choice of independent states may lead on: that where the search ended was poor.
                left_out.extend(&tied.choice.dependent);
                first.get_or_insert(failure);
            }
        }
    }
    Err(first.unwrap_or(EquilibriumFailure::Solver(StepFailure::Singular { t, unknown: 0 })))
}

impl EquilibriumProblem<'_> {
    fn find(&mut self, t: f64, y: &mut [f64], hold: &HeldValues) -> Result<Equilibrium, EquilibriumFailure> {
        let (start, slow) = (y.to_vec(), self.machine.slow_values().to_vec());
        let found = self.find_with(t, y, hold, false);
        if hold.unknowns.is_empty() || found.as_ref().is_ok_and(|rest| rest.supported.is_empty()) {
            return found;
        }
        // Nothing that is trapped carries the load, but oil that leaks slowly may.
        let (first, first_slow) = (y.to_vec(), self.machine.slow_values().to_vec());
        y.copy_from_slice(&start);
        slow.iter().enumerate().for_each(|(place, &value)| self.machine.set_slow(place, value));
        if let Ok(carried) = self.find_with(t, y, hold, true) {
            let known = |i: usize| found.as_ref().is_ok_and(|rest| rest.moving.iter().any(|m| m.0 == i));
            let slowly = |m: &(usize, f64)| m.1.abs() * SLOW <= (y[m.0] - start[m.0]).abs() || known(m.0);
            if carried.supported.is_empty() && carried.moving.iter().all(slowly) {
                return Ok(carried);
            }
        }
        y.copy_from_slice(&first);
        first_slow.iter().enumerate().for_each(|(place, &value)| self.machine.set_slow(place, value));
        found
    }

    /// What fills is led to where a relation changes its side, if it does not rest where it is.
    fn find_with(
        &mut self,
        t: f64,
        y: &mut [f64],
        hold: &HeldValues,
        carry: bool,
    ) -> Result<Equilibrium, EquilibriumFailure> {
        let (mut first, mut at) = (None, y.to_vec());
        for _ in 0..ROUNDS {
            let slow = self.machine.slow_values().to_vec();
            y.copy_from_slice(&at);
            let mut filling = vec![];
            let found = self.find_near(t, y, hold, carry, &mut filling);
            let Some(&(unknown, rate)) = filling.first().filter(|_| found.is_err()) else { return found };
            first.get_or_insert(EquilibriumFailure::Filling { unknown, rate });
            slow.iter().enumerate().for_each(|(place, &value)| self.machine.set_slow(place, value));
            if !self.fill(t, &mut at, &filling) {
                break;
            }
        }
        Err(first.unwrap_or(EquilibriumFailure::Solver(StepFailure::Singular { t, unknown: 0 })))
    }

    fn find_near(
        &mut self,
        t: f64,
        y: &mut [f64],
        hold: &HeldValues,
        carry: bool,
        filling: &mut Vec<(usize, f64)>,
    ) -> Result<Equilibrium, EquilibriumFailure> {
        let own = released_rows(self.machine, t, y, &hold.unknowns);
        let outputs = Outputs::new(self.machine, &hold.outputs);
        let plain = Selection { left_out: own.clone(), ..Selection::default() };
        let start = y.to_vec();
        if carry {
            self.leave_stationary_points(t, y);
        }
        let selection = self.select(t, y, hold, (&own, carry), &outputs).unwrap_or(plain);
        filling.clone_from(&selection.filling);
        let mut work = self.settle_at(t, y, &start, hold, &selection, &outputs)?;
        let mut taken = selection;
        for _ in 0..MIDDLES {
            if taken.kept.is_empty() {
                break;
            }
            // Amounts change with the pose: those of the midpoint are correct to third order.
            let middle: Vec<f64> = start.iter().zip(&*y).map(|(a, b)| 0.5 * (a + b)).collect();
            let Some(better) = self.select(t, &middle, hold, (&own, carry), &outputs) else { break };
            // Rates on the way say nothing of the rows.
            let better = Selection { filling: taken.filling.clone(), ..better };
            if sorted(&better.kept) != sorted(&taken.kept) || better == taken {
                break;
            }
            let mut trial = y.to_vec();
            let Ok(more) = self.settle_at(t, &mut trial, &start, hold, &better, &outputs) else { break };
            y.copy_from_slice(&trial);
            (work, taken) = (more, better);
        }
        self.replaced = None;
        self.account(t, y, hold, &own, taken, work)
    }

    /// A square law has no slope at zero, where a search would take it for nothing.
    fn leave_stationary_points(&mut self, t: f64, y: &mut [f64]) {
        let (_, jacobian) = linearised(self, t, y);
        let layout = self.layout().clone();
        for (i, j, place) in layout.pattern.entries() {
            if i == j && y[i] == 0.0 && jacobian[place] == 0.0 && layout.differential[i] {
                y[i] = FLAT * layout.nominal[i];
            }
        }
    }

    /// Rows for the equilibrium at this point; None where f = 0 with the rows of what is held left out does, or nothing better is known.
    fn select(
        &mut self,
        t: f64,
        y: &[f64],
        hold: &HeldValues,
        (own, carry): (&[usize], bool),
        outputs: &Outputs,
    ) -> Option<Selection> {
        if y.len() > LARGEST {
            return None;
        }
        self.replaced = None;
        let gradients = outputs.gradients(self.machine, t, y);
        let (f, jacobian) = linearised(self, t, y);
        let layout = self.layout().clone();
        let image = &*self.machine.image();
        let turns: Vec<usize> =
            (0..layout.n()).filter(|&j| is_turn(image, j) || is_length(image, j)).collect();
        let spins = image.pattern.entries().filter(|e| is_turn(image, e.0) && !is_turn(image, e.1));
        let spins: Vec<usize> = spins.map(|e| e.1).collect();
        let at = SelectionPoint {
            layout: &layout,
            jacobian: &jacobian,
            f: &f,
            hold: &hold.unknowns,
            own_rows: own,
            outputs: &gradients,
            turns: &turns,
            spins: &spins,
            carry,
        };
        select(&at).filter(|s| !s.replaced.is_empty() || s.left_out != own)
    }

    fn settle_at(
        &mut self,
        t: f64,
        y: &mut [f64],
        start: &[f64],
        hold: &HeldValues,
        selection: &Selection,
        outputs: &Outputs,
    ) -> Result<SolverWork, EquilibriumFailure> {
        self.replaced = None;
        if !selection.replaced.is_empty() {
            self.replace(&selection.replaced, outputs, t, start);
        }
        let before = y.to_vec();
        let slow = self.machine.slow_values().to_vec();
        let (image, layout) = (self.machine.image(), self.layout().clone());
        let may_stay = |i: usize| {
            let position = layout.second_order.iter().any(|pair| pair.0 == i);
            !position && !is_turn(&image, i) && !is_length(&image, i)
        };
        self.follows = true;
        let first = match search(self, t, y, &hold.unknowns, &selection.left_out, &may_stay) {
            Ok(work) => return Ok(work),
            Err(failure) => failure,
        };
        slow.iter().enumerate().for_each(|(place, &value)| self.machine.set_slow(place, value));
        self.follows = false;
        for _ in 0..ROUNDS {
            if search(self, t, y, &hold.unknowns, &selection.left_out, &may_stay).is_err() {
                break;
            }
            self.machine.guards(t, y, &mut self.g);
            if !self.machine.settle(t, y, &self.g) {
                return Ok(SolverWork::default());
            }
        }
        y.copy_from_slice(&before);
        Err(first)
    }

    /// Which rows are not fulfilled, and why.
    fn account(
        &mut self,
        t: f64,
        y: &[f64],
        hold: &HeldValues,
        own: &[usize],
        selection: Selection,
        work: SolverWork,
    ) -> Result<Equilibrium, EquilibriumFailure> {
        let (f, jacobian) = linearised(self, t, y);
        let layout = self.layout().clone();
        let mut share = vec![0.0; f.len()];
        for (i, j, place) in layout.pattern.entries() {
            share[i] += jacobian[place].abs() * layout.nominal[j].max(y[j].abs());
        }
        let open = |i: usize| f[i].abs() > FULFILLED * share[i] || f[i].is_nan();
        let Selection { kept, released, watching, filling, .. } = selection;
        let mut rest = Equilibrium { work, kept, released, ..Equilibrium::default() };
        for i in (0..f.len()).filter(|&i| open(i)) {
            match own.iter().position(|&row| row == i) {
                Some(k) => rest.supported.push((hold.unknowns[k], i, f[i])),
                None if watching.contains(&i) => rest.moving.push((i, f[i])),
                None if filling.iter().any(|a| a.0 == i) => {
                    return Err(EquilibriumFailure::Filling { unknown: i, rate: f[i] });
                }
                None if layout.differential[i] && *hold != HeldValues::default() => {
                    rest.moving.push((i, f[i]))
                }
                None => return Err(StepFailure::Inconsistent { t, row: i, residual: f[i] }.into()),
            }
        }
        Ok(rest)
    }
}

fn sorted(list: &[usize]) -> Vec<usize> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// An equilibrium that is plausible.
fn plausible(
    machine: &mut Machine,
    t: f64,
    start: &[f64],
    y: &[f64],
    hold: &HeldValues,
) -> Result<(), EquilibriumFailure> {
    let layout = machine.layout().clone();
    if let Some(unknown) = furthest(&layout, start, y)
        && !hold.unknowns.contains(&unknown)
        && is_angle(&machine.image(), unknown)
    {
        return Err(EquilibriumFailure::Far { unknown, value: y[unknown] });
    }
    let image = machine.image();
    let mut g = vec![0.0; layout.guards.len()];
    machine.guards(t, y, &mut g);
    let told = |e: &usize| {
        let event = &image.events[*e];
        let holds = match image.guards[*e].direction {
            Direction::Rising => g[*e] > 0.0,
            Direction::Falling => g[*e] < 0.0,
            Direction::Both => false,
        };
        holds && (event.warn.is_some() || event.terminate.is_some())
    };
    (0..image.events.len()).find(told).map_or(Ok(()), |event| Err(EquilibriumFailure::Refused { event }))
}

fn is_angle(image: &Image, unknown: usize) -> bool {
    ANGLES.contains(&image.quantity(image.unknowns[unknown]).unit.text.as_str())
}

/// A length or an angle: a place, not an amount of anything.
fn is_length(image: &Image, unknown: usize) -> bool {
    let unit = image.quantity(image.unknowns[unknown]).unit.text.as_str();
    unknown < image.n_states && (LENGTHS.contains(&unit) || ANGLES.contains(&unit))
}

/// Why there is no equilibrium, and what to do, in the user's names. `hold` is how one says that something is held.
pub fn reason(
    loaded: &Loaded,
    t: f64,
    no_rest: &EquilibriumFailure,
    hold: impl Fn(&str) -> String,
) -> (String, String) {
    let image = &loaded.image;
    let shown = |i: usize, value: f64| {
        let unit = &image.quantity(image.unknowns[i]).unit;
        format!("{:.6} {}", unit.shown(value), unit.text).trim_end().to_string()
    };
    let name = |i: usize| loaded.layout.names.get(i).map_or("", String::as_str);
    let row = |i: usize| image.rows.get(i).map_or("", String::as_str);
    let nearer =
        |held: &str| format!("start nearer to rest, {held}, or check that the model can rest at all");
    match no_rest {
        EquilibriumFailure::Solver(StepFailure::Singular { unknown, .. }) => {
            let x = name(*unknown);
            let message = format!("at rest nothing determines `{x}`: every value of `{x}` would do, or none");
            (message, format!("hold it where it starts with {}", hold(x)))
        }
        EquilibriumFailure::Solver(StepFailure::Inconsistent { row: i, residual, .. }) => {
            let message = format!(
                "no equilibrium was found at t = {t} s: `{}` is off by {residual:.3e} at best",
                row(*i)
            );
            (message, nearer(&format!("hold an unknown with {}", hold("…"))))
        }
        EquilibriumFailure::Solver(failure) => {
            (format!("no equilibrium was found at t = {t} s: {failure:?}"), nearer("hold an unknown"))
        }
        EquilibriumFailure::Far { unknown, value } => {
            let x = name(*unknown);
            let message = format!(
                "the only equilibrium found has `{x}` at {}, far from its start",
                shown(*unknown, *value)
            );
            (message, nearer(&format!("hold it where it starts with {}", hold(x))))
        }
        EquilibriumFailure::Filling { unknown, rate } => {
            let (x, verb) = (name(*unknown), if *rate > 0.0 { "grows" } else { "shrinks" });
            let message = format!(
                "`{x}` cannot rest: it {verb} by {:.3e} (SI) every second, whatever its value, and nothing that switches stops it",
                rate.abs()
            );
            (
                message,
                format!(
                    "give what flows in somewhere to go (a relief valve, a leak), stop it, or hold it with {}",
                    hold(x)
                ),
            )
        }
        EquilibriumFailure::Refused { event } => {
            let event = &image.events[*event];
            let text = event.warn.as_ref().or(event.terminate.as_ref()).map_or("", String::as_str);
            let message = format!("the equilibrium is refused, because of `{}` there: {text}", event.name);
            (message, "start where the machine can stand, or hold another pose or other pressures".into())
        }
    }
}

/// Whether a small push leads away from this equilibrium; what is supported stays where it is held.
pub fn unstable(machine: &mut Machine, t: f64, y: &[f64], rest: &Equilibrium) -> Option<UnstableMode> {
    if y.len() > MOST_POLES {
        return None;
    }
    let (mut model, states) = linearise(machine, t, y, &[], &[]).ok()?;
    let layout = machine.layout().clone();
    let fixed = |state: usize| rest.supported.iter().any(|s| s.0 == state || partner(&layout, s.0) == state);
    let free: Vec<usize> = (0..states.len()).filter(|&k| !fixed(states[k])).collect();
    model.a = model.a.picked(&free);
    let worst = modes(&model).ok()?.into_iter().filter(|m| m.pole.re > ZERO_POLE * m.size);
    let worst = worst.max_by(|a, b| a.pole.re.total_cmp(&b.pole.re))?;
    let share = |k: usize| worst.shares[k];
    let most = (0..free.len()).max_by(|&i, &j| share(i).total_cmp(&share(j)))?;
    Some(UnstableMode { state: states[free[most]], pole: worst.pole })
}

/// The row given up for each held unknown: what holds it acts there. A part of a quaternion has the speed that turns it most, a length whose
/// rate is that of one other state (a mass by its momentum) the row of that.
pub(crate) fn released_rows(machine: &mut Machine, t: f64, y: &[f64], hold: &[usize]) -> Vec<usize> {
    let layout = machine.layout().clone();
    let image = &*machine.image();
    let mut values = vec![0.0; layout.pattern.nnz()];
    machine.jacobian(t, y, &mut values);
    let mut rows = vec![];
    for &held in hold {
        let turns = is_turn(image, held);
        let speeds = layout.pattern.entries().filter(|&(i, j, _)| turns && i == held && !is_turn(image, j));
        let speed = speeds.filter(|e| !rows.contains(&e.1)).max_by(|a, b| {
            let size = |e: &(usize, usize, usize)| values[e.2].abs();
            size(a).total_cmp(&size(b))
        });
        let own = match partner(&layout, held) {
            row if row == held && is_length(image, held) => moved_by(&layout, held).unwrap_or(held),
            row => row,
        };
        rows.push(speed.map_or(own, |e| e.1));
    }
    rows
}

/// The one state that the rate of this one depends on.
fn moved_by(layout: &Layout, held: usize) -> Option<usize> {
    let mut others = layout.pattern.entries().filter(|e| e.0 == held && e.1 != held).map(|e| e.1);
    let only = others.next()?;
    (others.next().is_none() && layout.differential[only]).then_some(only)
}

fn is_turn(image: &Image, j: usize) -> bool {
    image.is_turn(j)
}

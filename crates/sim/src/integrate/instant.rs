//! Event handling at one instant: events one after the other, modes updated, until nothing changes.
//!
//! Every guard has a side, −1 or 1, or 0 as long as it rests at zero and has not left it. At an instant:
//!   1. events whose guards cross are carried out together, from the values just before. If two of them set the same quantity they act one
//!      after the other, in the order of the file: the later one sees what the earlier has set, algebraic unknowns made consistent;
//!   2. relations take the value that their guards have now; a guard that rests where it crossed counts as being on the side
//!      it heads for;
//!   3. a guard that is now clear of zero on its other side has crossed by a jump: back to 1. So an event may fire several
//!      times at one instant, as often as its condition becomes true again.
//!
//! **Resting.** A guard rests while it is no farther from zero than its noise: rounding of its terms, what it changes within
//! the resolution of time, and at a located instant the difference between the curve and the consistent values.
//!
//! **Again.** A guard that has fired and rests at zero may fire once more when it leaves zero towards the far side of its direction if
//! the event put it there (a reset onto its own threshold), or if after its event it headed back and another event of the
//! same instant turned it again (a body hit from both sides). Otherwise it only goes on.

mod guards;

use super::{Integration, LoopExit, ROUNDS};
use crate::events::sign;
use crate::history::{BURST, History};
use crate::integrate::{Ended, Moment};
use crate::problem::{Corner, Crossing, Hybrid};
use crate::run_error::RunError;
use trunnion_num::Archive;

/// Of every guard at the instant at hand.
#[derive(Clone, Default)]
pub(super) struct GuardsAtInstant {
    /// Guard values and their noise, and what location adds to it.
    pub g: Vec<f64>,
    noise: Vec<f64>,
    pub located: Vec<f64>,
    side: Vec<i8>,
    /// Direction in which it crossed or left zero here; 0: neither.
    pub heading: Vec<i8>,
    fired: Vec<bool>,
    /// What it reads was assigned.
    pub touched: Vec<bool>,
    /// After its event it went back towards its old side.
    turned_back: Vec<bool>,
    /// The side it heads for has been evaluated.
    probed: Vec<bool>,
    /// Time at which it was last passed, as a kink.
    pub passed: Vec<f64>,
    /// Time of the last instant at which things were settled.
    last: f64,
    // Of `look_ahead`: values and guards a little later.
    pub y: Vec<f64>,
    pub f: Vec<f64>,
    pub later: Vec<f64>,
}

impl GuardsAtInstant {
    pub fn new(n: usize, m: usize) -> Self {
        GuardsAtInstant {
            g: vec![0.0; m],
            noise: vec![0.0; m],
            located: vec![0.0; m],
            side: vec![0; m],
            heading: vec![0; m],
            fired: vec![false; m],
            touched: vec![false; m],
            turned_back: vec![false; m],
            probed: vec![false; m],
            passed: vec![f64::NEG_INFINITY; m],
            last: f64::NAN,
            y: vec![0.0; n],
            f: vec![0.0; n],
            later: vec![0.0; m],
        }
    }

    /// What the next instant takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.passed);
        archive.number(&mut self.last);
    }

    /// Sign of a guard, 0 while it rests.
    fn clear(&self, guard: usize) -> i8 {
        if self.g[guard].abs() <= self.noise[guard] { 0 } else { sign(self.g[guard]) }
    }
}

/// Rounds of modes alone: more than ever were needed for a network of ideal switches that has a solution.
const MOST_RELATION_ROUNDS: usize = 100;
/// After so many rounds modes are not found one after the other: kinks and algebraic unknowns are tried together.
const KINK_ROUNDS: usize = 5;
/// Share of the run in which a guard that is put back again and again gets nowhere.
const ACCUMULATION_TIME: f64 = 1e-5;
/// Times in a row that an event puts its guard back to zero before it is checked whether it holds it there.
const RESETS_BEFORE_HOLD: usize = 2;
/// Roundings of time within which the instant of a crossing is known.
pub(super) const INSTANT_ROUNDINGS: f64 = 4.0;

impl<P: Hybrid> Integration<'_, P> {
    /// Handles all events at `self.state.t`, on `self.state.y`, beginning with `self.state.crossings` and the guards that only left zero
    /// (`heading`); true if the solver has to restart. `changed`: something has changed already.
    pub(super) fn handle_events(&mut self, mut changed: bool) -> Result<bool, LoopExit> {
        self.state.at.fired.fill(false);
        self.state.at.turned_back.fill(false);
        self.state.at.probed.fill(false);
        for guard in 0..self.state.locator.len() {
            self.state.at.side[guard] = self.state.locator.side(guard);
        }
        changed |= self.kinks_first()?;
        changed |= self.whole_numbers_first()?;
        let (mut any_fired, mut terminate, mut settled) = (false, false, false);
        let mut settlings = 0;
        for _ in 0..ROUNDS {
            if !self.state.crossings.is_empty() {
                // Kinks alone are no event.
                if !any_fired && self.state.crossings.iter().any(|c| !self.state.locator.is_kink(c.guard)) {
                    self.begin_event()?;
                    any_fired = true;
                }
                let (has_changed, ends) = self.fire_all()?;
                changed |= has_changed;
                terminate |= ends;
            }
            self.read_guards();
            if self.update_relations() {
                changed = true;
                settlings += 1;
                if settlings > MOST_RELATION_ROUNDS {
                    break;
                }
                if !(settlings % KINK_ROUNDS == 0 && self.make_consistent_with_kinks()) {
                    self.make_consistent()?;
                }
                continue;
            }
            self.find_jumps();
            if self.state.crossings.is_empty() {
                settled = true;
                break;
            }
        }
        if !settled {
            return Err(self.chattering_error().into());
        }
        self.update_guard_sides(changed);
        self.state.at.last = self.state.t;
        self.state.at.heading.fill(0);
        self.state.at.touched.fill(false);
        self.state.at.located.fill(0.0);
        if any_fired && self.plan.both_sides {
            self.report(self.state.t, Moment::AfterEvent)?;
        }
        if terminate {
            self.report(self.state.t, Moment::End)?;
            return Err(LoopExit::Ended(Ended::Terminated));
        }
        Ok(changed)
    }

    /// A relation that crosses together with a kink may do so only by the branch that ends there, as `max(x, 0) >= 0`: the kink is passed, and what
    /// goes on otherwise by the new branch is left to the curve to come. True if anything changed.
    fn kinks_first(&mut self) -> Result<bool, LoopExit> {
        let in_doubt = |at: &Self, guard: usize| {
            let passes = at.state.locator.is_kink(guard) || at.state.locator.is_timed(guard);
            !passes && at.problem.mirrored(guard) != 0
        };
        let mut all = std::mem::take(&mut self.state.crossings);
        let (kinks, locator) = (&mut self.state.crossings, &self.state.locator);
        kinks.extend(all.iter().filter(|c| locator.is_kink(c.guard)));
        if self.state.crossings.is_empty() || !all.iter().any(|c| in_doubt(self, c.guard)) {
            self.state.crossings = all;
            return Ok(false);
        }
        self.look_ahead();
        self.state.at.noise.copy_from_slice(&self.state.at.later);
        let (changed, _) = self.fire_all()?;
        self.look_ahead();
        all.retain(|c| !self.state.locator.is_kink(c.guard));
        let crosses = |at: &Self, c: &Crossing| {
            let (before, later, g) =
                (at.state.at.noise[c.guard], at.state.at.later[c.guard], at.state.at.g[c.guard]);
            let towards = if later == g { at.problem.at_zero(c.guard) } else { sign(later - g) };
            later.to_bits() == before.to_bits() || (towards > 0) == c.rising
        };
        all.retain(|c| {
            let stays = !in_doubt(self, c.guard) || crosses(self, c);
            self.state.at.heading[c.guard] *= i8::from(stays);
            stays
        });
        self.state.crossings = all;
        Ok(changed)
    }

    /// Conditions are read with integer parts as they are now: `x > 3 and floor(x) < 3` never comes true. True if anything changed.
    fn whole_numbers_first(&mut self) -> Result<bool, LoopExit> {
        let counts = |at: &Self, c: &Crossing| at.problem.counts_on(c.guard);
        let wholes = self.state.crossings.iter().filter(|c| counts(self, c)).count();
        if wholes == 0 || wholes == self.state.crossings.len() {
            return Ok(false);
        }
        let mut all = std::mem::take(&mut self.state.crossings);
        self.state.crossings.extend(all.iter().filter(|c| self.problem.counts_on(c.guard)));
        let (changed, _) = self.fire_all()?;
        self.read_guards();
        all.retain(|c| {
            let heading = if c.rising { 1 } else { -1 };
            let stays = !counts(self, c) && self.state.at.clear(c.guard) != -heading;
            self.state.at.heading[c.guard] *= i8::from(stays);
            stays
        });
        self.state.crossings = all;
        Ok(changed)
    }

    /// The solver goes on where equations have bent.
    pub(super) fn resume(&mut self) -> Result<(), LoopExit> {
        self.state.joined = false;
        let done = self.stepper.resume(self.problem, self.state.t, &self.state.y);
        done.map_err(|failure| self.solver_error(failure).into())
    }

    /// At a corner of time: guards of time that cross there, and a new beginning where equations jump.
    pub(super) fn pass_corner(&mut self, corner: Corner) -> Result<(), LoopExit> {
        let before = self.state.t;
        self.move_to(corner.t);
        self.state.crossings.clear();
        self.find_timed();
        let only_kinks = self.state.crossings.iter().all(|c| self.state.locator.is_kink(c.guard));
        if self.state.crossings.is_empty() && self.state.at.heading.iter().all(|&h| h == 0) && !corner.jumps {
            return if before < corner.t { self.resume() } else { Ok(()) };
        }
        let changed = self.handle_events(corner.jumps)?;
        if only_kinks && !corner.jumps && changed {
            self.state.kinks += 1;
            return self.resume();
        }
        if changed || before < corner.t { self.restart() } else { Ok(()) }
    }

    /// Whether it counts that a guard has gone from a side, or from zero, to the sign s.
    fn counts(&self, guard: usize, side: i8, s: i8) -> bool {
        if side == 0 {
            self.state.locator.counts_from_zero(guard, s)
        } else {
            self.state.locator.counts(guard, s)
        }
    }

    fn begin_event(&mut self) -> Result<(), LoopExit> {
        self.state.events += 1;
        if self.plan.both_sides {
            self.report(self.state.t, Moment::BeforeEvent)?;
        }
        Ok(())
    }

    /// Carry out `self.state.crossings` in the order of the guards; whether anything changed, and whether the run ends.
    fn fire_all(&mut self) -> Result<(bool, bool), LoopExit> {
        let (t, mut changed, mut ends) = (self.state.t, false, false);
        self.state.crossings.sort_unstable_by_key(|c| c.guard);
        let mut next = 0;
        while next < self.state.crossings.len() {
            if self.state.at.fired.iter().any(|&f| f) {
                self.note_turning();
            }
            for Crossing { guard, .. } in &self.state.crossings[next..] {
                (self.state.at.touched[*guard], self.state.at.turned_back[*guard]) = (false, false);
            }
            let done = self.problem.fire(
                t,
                &mut self.state.y,
                &self.state.crossings[next..],
                &mut self.state.at.touched,
            );
            let (effect, done) = done.map_err(|message| RunError::Action { t, message })?;
            for k in next..next + done.max(1) {
                let Crossing { guard, rising } = self.state.crossings[k];
                self.state.at.fired[guard] = !self.state.locator.is_kink(guard);
                self.state.at.heading[guard] = if rising { 1 } else { -1 };
                self.state.at.side[guard] = self.state.at.heading[guard];
                changed |= self.note_firing(guard)?;
            }
            next += done.max(1);
            ends |= effect.terminate;
            if effect.changed {
                changed = true;
                self.make_consistent()?;
            }
        }
        self.state.crossings.clear();
        Ok((changed, ends))
    }

    /// Note a firing; too many in too little time are an error, unless the event comes to hold what it sets: true.
    fn note_firing(&mut self, guard: usize) -> Result<bool, LoopExit> {
        let t = self.state.t;
        if self.state.locator.is_kink(guard) {
            return Ok(false);
        }
        self.state.crossings_total += 1;
        let from_rest = self.state.locator.side(guard) == 0 && self.state.locator.may_fire(guard);
        let history = &mut self.state.history[guard];
        // A chain at one instant counts once: rounds are bounded elsewhere.
        if history.time(0) != t {
            history.add(t, self.state.at.heading[guard]);
        }
        history.put_back = if from_rest { history.put_back + 1 } else { 0 };
        if !from_rest {
            history.put_back_since = t;
        }
        let (within, put_back, since) =
            (t - history.time(BURST - 1), history.put_back, history.put_back_since);
        let stands = t - since <= ACCUMULATION_TIME * self.plan.length();
        if put_back >= RESETS_BEFORE_HOLD && stands && self.problem.hold(t, &self.state.y, guard) {
            self.state.history[guard] = History::default();
            return Ok(true);
        }
        if within <= self.vanishing() || (put_back >= BURST && stands) {
            // Put back again and again: time only seems to pass.
            let (t, within) = if put_back >= BURST && stands { (since, t - since) } else { (t, within) };
            return Err(RunError::Zeno { guard: self.guard_name(guard), t, count: BURST, within }.into());
        }
        if self.plan.max_events.is_some_and(|most| self.state.events > most) {
            let guard = self.guard_name(guard);
            return Err(RunError::TooManyEvents { guard, t, count: self.state.events }.into());
        }
        Ok(false)
    }

    /// One round more tells who goes to and fro.
    fn chattering_error(&mut self) -> RunError {
        let m = self.state.locator.len();
        self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.later);
        let before: Vec<f64> = self.state.at.later.clone();
        let _ = self.problem.settle(self.state.t, &self.state.y, &before);
        self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.g);
        for guard in 0..m {
            self.state.at.fired[guard] |= (self.state.at.g[guard] > 0.0) != (before[guard] > 0.0);
        }
        self.state.at.heading.fill(0);
        self.chattering()
    }

    /// Names the guards that fired or are about zero here; if there are none, all.
    pub(super) fn chattering(&self) -> RunError {
        let fired = |i: &usize| self.state.at.heading[*i] != 0 || self.state.at.fired[*i];
        let mut guards: Vec<usize> = (0..self.state.locator.len()).filter(fired).collect();
        if guards.is_empty() {
            guards = (0..self.state.locator.len()).filter(|&i| self.state.locator.side(i) == 0).collect();
        }
        if guards.is_empty() {
            guards = (0..self.state.locator.len()).collect();
        }
        RunError::Chattering {
            guards: guards.into_iter().map(|i| self.guard_name(i)).collect(),
            t: self.state.t,
        }
    }
}

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

use super::{Integration, LoopExit, ROUNDS};
use crate::events::{resolution, sign};
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
    /// Where it heads for was asked.
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
/// Times in a row that an event puts its guard back to zero before it is asked whether it holds it there.
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

    /// Guards of time that cross at `self.state.t`: into `self.state.crossings` if that counts. It is seen a little later: at the instant itself a guard may
    /// be zero.
    pub(super) fn find_timed(&mut self) {
        let later = self.state.t + INSTANT_ROUNDINGS * resolution(self.state.t);
        self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.g);
        self.problem.guards(later, &self.state.y, &mut self.state.at.later);
        for guard in 0..self.state.locator.len() {
            let (side, s) = (self.state.locator.side(guard), sign(self.state.at.later[guard]));
            // What is still on its side will jump a little later, at a corner of its own.
            let still = side != 0 && sign(self.state.at.g[guard]) == side;
            if !self.state.locator.is_timed(guard) || s == 0 || s == side || still {
                continue;
            }
            self.state.at.heading[guard] = s;
            if self.counts(guard, side, s) && !self.state.locator.passes(guard) {
                self.state.crossings.push(Crossing { guard, rising: s > 0 });
            }
        }
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

    /// The noise of guards that a search located at `self.state.t`: what they change in the resolution of time on the curve before it, and from the
    /// curve to the consistent values in `self.state.y`.
    pub(super) fn measure_location(&mut self) {
        let (t, step) = (self.state.t, INSTANT_ROUNDINGS * resolution(self.state.t));
        let m = self.state.locator.len();
        // Before the instant, lest a value that jumps there counts as noise.
        for back in [2.0, 1.0] {
            self.stepper.segment().at(t - back * step, &mut self.state.at.y);
            self.problem.guards(t - back * step, &self.state.at.y, &mut self.state.at.later);
            let (later, located) = (&self.state.at.later, &mut self.state.at.located);
            for i in 0..m {
                located[i] = if back == 2.0 { later[i] } else { (later[i] - located[i]).abs() };
            }
        }
        self.stepper.segment().at(t, &mut self.state.at.y);
        self.problem.guards(t, &self.state.at.y, &mut self.state.at.later);
        self.problem.guards(t, &self.state.y, &mut self.state.at.g);
        let GuardsAtInstant { located, later, g, .. } = &mut self.state.at;
        for i in 0..m {
            let d = located[i] + (later[i] - g[i]).abs();
            located[i] = if d.is_finite() { d } else { 0.0 };
        }
    }

    fn read_guards(&mut self) {
        self.problem.guards(self.state.t, &self.state.y, &mut self.state.at.g);
        self.state.locator.read_noise(self.problem, self.state.t, &self.state.y);
        let GuardsAtInstant { noise, located, heading, fired, last, .. } = &mut self.state.at;
        for i in 0..noise.len() {
            noise[i] = self.state.locator.rounding(i) + located[i];
            if self.state.locator.is_kink(i) {
                noise[i] = noise[i].max(self.state.locator.band(i));
            }
            if *last == self.state.t || heading[i] != 0 && !fired[i] {
                // It has rested at zero ever since: uncertain as it was when it came there.
                noise[i] = noise[i].max(self.state.locator.rests_within(i));
            }
        }
    }

    /// Relations that rest at zero without having crossed there, as after a reset onto their threshold, take the side they head for. Once
    /// at each instant: where that turns them round, leaving zero decides.
    fn find_headings(&mut self) {
        let rests = |at: &Self, i: usize| {
            let put = at.state.at.touched[i] || at.state.at.side[i] == 0;
            let asked =
                put && at.state.at.heading[i] == 0 && !at.state.at.probed[i] && at.state.at.clear(i) == 0;
            asked
                && !at.state.locator.is_kink(i)
                && !at.state.locator.is_timed(i)
                && at.problem.mirrored(i) != 0
        };
        if !(0..self.state.locator.len()).any(|i| rests(self, i)) {
            return;
        }
        self.look_ahead();
        for i in 0..self.state.locator.len() {
            if rests(self, i) {
                let d = self.state.at.later[i] - self.state.at.g[i];
                self.state.at.probed[i] = true;
                self.state.at.heading[i] = if d.abs() > 10.0 * self.state.at.noise[i] { sign(d) } else { 0 };
            }
        }
    }

    /// Relations take their values; true if one changed.
    fn update_relations(&mut self) -> bool {
        self.find_headings();
        let GuardsAtInstant { g, noise, side, heading, touched, later, .. } = &mut self.state.at;
        for i in 0..g.len() {
            let rests = g[i].abs() <= noise[i];
            later[i] = match rests {
                // Either branch will do.
                true if self.state.locator.is_kink(i) && !self.state.locator.is_timed(i) => f64::NAN,
                true if heading[i] != 0 => heading[i] as f64 * f64::MIN_POSITIVE,
                // It has passed its corner, or not.
                true if self.state.locator.is_timed(i) && side[i] != 0 => side[i] as f64 * f64::MIN_POSITIVE,
                // It has not left its side.
                true if side[i] != 0 && !touched[i] => f64::NAN,
                _ if self.state.locator.passes(i) => f64::NAN,
                _ => g[i],
            };
        }
        self.problem.settle(self.state.t, &self.state.y, later)
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

    /// Which conditions do not hold, as things are between two events of the instant: they may become true again.
    fn note_turning(&mut self) {
        self.read_guards();
        self.look_ahead();
        for i in 0..self.state.locator.len() {
            let back = self.state.at.fired[i]
                && sign(self.state.at.later[i] - self.state.at.g[i]) == -self.state.at.heading[i];
            self.state.at.turned_back[i] |= back;
            let (s, away) = (self.state.at.clear(i), self.state.locator.inactive_side(i));
            if s == away || s == 0 && (self.state.at.touched[i] || back) && away != 0 {
                self.state.at.side[i] = away;
            }
        }
    }

    /// Guards now and a little later, as things are.
    pub(super) fn look_ahead(&mut self) {
        let GuardsAtInstant { f, g, .. } = &mut self.state.at;
        self.problem.residual(self.state.t, &self.state.y, f);
        self.problem.guards(self.state.t, &self.state.y, g);
        let layout = self.problem.layout();
        // Far enough to be seen beside the values, near enough to be a tangent.
        let reach = |i: usize| {
            let size = layout.nominal[i].max(self.state.y[i].abs());
            if layout.differential[i] && f[i] != 0.0 { 1e-4 * size / f[i].abs() } else { f64::INFINITY }
        };
        // Time alone may move a guard too: no farther than a part of the step at hand.
        let pace = self.stepper.pace();
        let most = if pace.is_finite() && pace > 0.0 { 0.01 * pace } else { 1.0 };
        let dt = (0..self.state.y.len()).map(reach).fold(most, f64::min);
        self.guards_after(dt);
    }

    /// Guards after dt, along the rates in `self.state.at.f`: into `self.state.at.later`.
    pub(super) fn guards_after(&mut self, dt: f64) {
        let GuardsAtInstant { y, f, later, .. } = &mut self.state.at;
        let differential = &self.problem.layout().differential;
        for i in 0..y.len() {
            y[i] = self.state.y[i] + if differential[i] { dt * f[i] } else { 0.0 };
        }
        self.problem.guards(self.state.t + dt, y, later);
    }

    /// Guards that a jump put on their other side: into `self.state.crossings` if that counts.
    fn find_jumps(&mut self) {
        for guard in 0..self.state.locator.len() {
            let (side, s) = (self.state.at.side[guard], self.state.at.clear(guard));
            if s == 0 && self.state.at.touched[guard] && self.state.locator.inactive_side(guard) != 0 {
                // Put there: its condition does not hold.
                self.state.at.side[guard] = self.state.locator.inactive_side(guard);
            }
            if s == 0 || s == side || self.state.locator.passes(guard) {
                continue;
            }
            let counts = self.counts(guard, side, s);
            (self.state.at.side[guard], self.state.at.heading[guard]) = (s, 0);
            if counts {
                self.state.crossings.push(Crossing { guard, rising: s > 0 });
            }
        }
    }

    /// Sides of all guards after the instant.
    fn update_guard_sides(&mut self, changed: bool) {
        let in_doubt =
            |i: usize| self.state.at.fired[i] && self.state.at.clear(i) == 0 && !self.state.at.touched[i];
        if self.problem.next_instant() <= self.state.t && (0..self.state.locator.len()).any(in_doubt) {
            // Whoever has fired and turns back may fire again if the tasks of this instant turn it once more.
            self.note_turning();
        }
        for guard in 0..self.state.locator.len() {
            let s = self.state.at.clear(guard);
            let (side, heading, noise) =
                (self.state.at.side[guard], self.state.at.heading[guard], self.state.at.noise[guard]);
            let timed = if heading != 0 { heading } else { side };
            if s != 0 {
                self.state.locator.set_side(guard, s);
            } else if self.state.locator.is_timed(guard) && timed != 0 {
                self.state.locator.set_side(guard, timed);
            } else if self.state.locator.is_kink(guard) && self.problem.mirrored(guard) != 0 {
                // Its mode may have changed and changed back while others settled.
                self.state.locator.set_side_within_noise(guard, self.problem.mirrored(guard), noise);
            } else if heading != 0
                && !changed
                && !(self.state.at.fired[guard] && self.state.at.touched[guard])
            {
                // On along the same curve.
                self.state.locator.set_side_within_noise(guard, heading, noise);
            } else if self.state.at.fired[guard] {
                let again = self.state.at.touched[guard] || self.state.at.turned_back[guard];
                self.state.locator.clear_side(guard, again, noise);
            } else if side == 0 || heading != 0 {
                // On its way to where its condition does not hold it may be turned round.
                let turned = heading != 0 && heading == self.state.locator.inactive_side(guard);
                self.state.locator.clear_side(guard, turned || self.state.locator.may_fire(guard), noise);
            } else if self.state.at.touched[guard] {
                // Put there: its condition does not hold, and may begin to.
                self.state.locator.clear_side(guard, true, noise);
            } else {
                // At zero, but it has not left its side yet.
                self.state.locator.set_side_within_noise(guard, side, noise);
            }
        }
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

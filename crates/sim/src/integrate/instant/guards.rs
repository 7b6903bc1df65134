//! Guards at an instant: their values and noise, the sides they are on, where they head for.

use super::{GuardsAtInstant, INSTANT_ROUNDINGS};
use crate::events::{resolution, sign};
use crate::integrate::Integration;
use crate::problem::{Crossing, Hybrid};

impl<P: Hybrid> Integration<'_, P> {
    /// Guards of time that cross at `self.state.t`: into `self.state.crossings` if that counts. It is seen a little later: at the instant itself a guard may
    /// be zero.
    pub(in crate::integrate) fn find_timed(&mut self) {
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

    /// The noise of guards that a search located at `self.state.t`: what they change in the resolution of time on the curve before it, and from the
    /// curve to the consistent values in `self.state.y`.
    pub(in crate::integrate) fn measure_location(&mut self) {
        let (t, step) = (self.state.t, INSTANT_ROUNDINGS * resolution(self.state.t));
        let m = self.state.locator.len();
        // Before the instant, so that a value that jumps there does not count as noise.
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

    pub(super) fn read_guards(&mut self) {
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
    pub(super) fn find_headings(&mut self) {
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
    pub(super) fn update_relations(&mut self) -> bool {
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

    /// Which conditions do not hold, as things are between two events of the instant: they may become true again.
    pub(super) fn note_turning(&mut self) {
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
    pub(in crate::integrate) fn look_ahead(&mut self) {
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
    pub(in crate::integrate) fn guards_after(&mut self, dt: f64) {
        let GuardsAtInstant { y, f, later, .. } = &mut self.state.at;
        let differential = &self.problem.layout().differential;
        for i in 0..y.len() {
            y[i] = self.state.y[i] + if differential[i] { dt * f[i] } else { 0.0 };
        }
        self.problem.guards(self.state.t + dt, y, later);
    }

    /// Guards that a jump put on their other side: into `self.state.crossings` if that counts.
    pub(super) fn find_jumps(&mut self) {
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
    pub(super) fn update_guard_sides(&mut self, changed: bool) {
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
                // While it heads for the side where its condition does not hold, another event may reverse it.
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
}

//! A step passes over no peak of a function of the states.
//!
//! Error control sees what equations do at a few places of a step. Where states run evenly, as the angle of a shaft, steps grow, and what a
//! function of them does in between is not seen: a tooth that closes a switch, the peak of a table, sliding that begins. After each step
//!
//!   no angle has turned by more than `TURN`,
//!   no function f(b) of one linear combination b of the states lies outside its values at both ends by more than a `SHARE` of its range so far,
//!
//! or the step is made again, shorter: what differs at the ends is seen. The second is decided by bounds of f over the range of b; where these are too wide the
//! range is divided, until bounds are close or a value beyond is found. [Moore2009, ch. 8]
//!
//! A guard that crosses zero and comes back, as "x > a and x < b" does, is found in the same way: the step is searched up to the first place beyond zero first.
//!
//! Bounds over more than a step do for the steps to come: as long as a base stays within, and its functions are calm there, nothing is bounded anew.
//!
//! Limits: functions of several quantities are looked at in their parts of one; a division that does not end finds nothing.

use trunnion_equations::{Compiled, Enclosed, Image, Interval, ProgramKind};

use crate::events::sign;
use crate::stepper::Segment;
use crate::time_watch::TimeProgram;

/// Radians an angle may turn in a step, and for which a step is chosen.
const TURN: f64 = 2.0;
const CHOSEN: f64 = 1.5;
/// Of the range of a function in the run, and of its size: less is not worth a look.
const SHARE: f64 = 0.1;
const ROUNDING: f64 = 1e-9;
/// Bounds evaluated to find out about one function.
const LOOKS: usize = 200;
/// No smaller part of a step is looked at.
const LEAST: f64 = 1e-12;
/// Crossings are distinguished to this share of a step.
const FINE: f64 = 1e-6;
/// What is kept of a step that passes over something.
const KEPT: f64 = 0.3;

/// Bounds are found for so many lengths of a step to both sides of it; where that was too much to tell, not for so many steps.
const AHEAD: f64 = 4.0;
const PAUSE: u32 = 16;

const BASES_PROGRAM: usize = ProgramKind::StateBases as usize;
const FUNCTIONS_PROGRAM: usize = ProgramKind::OfStates as usize;

pub struct StateWatch {
    /// Base of each function.
    of: Vec<usize>,
    n_bases: usize,
    /// Bases and angles at the start and at the end of a step.
    bases_at: [Vec<f64>; 2],
    /// Range of each function so far.
    known: Vec<Interval>,
    /// The longest step for which angles turn as chosen, at their present pace.
    longest: f64,
    // Scratch.
    y: Vec<f64>,
    /// Ranges of bases: those that bounds were evaluated for, and those of the step.
    ranges: Vec<Interval>,
    whole: Vec<Interval>,
    /// Steps in which a base is not to be bounded ahead.
    pause: Vec<u32>,
    enclosed: Enclosed,
    bases: Vec<f64>,
    point: Vec<f64>,
    ends: Vec<Interval>,
    rounding: Vec<f64>,
    doubts: Vec<[f64; 1]>,
    stack: Vec<Interval>,
}

/// From ∞ to −∞: of no value yet.
pub(crate) const NONE: Interval = (f64::INFINITY, f64::NEG_INFINITY);

fn include(range: &mut Interval, value: f64) {
    *range = (range.0.min(value), range.1.max(value));
}

fn is_finite(range: Interval) -> bool {
    range.0.is_finite() && range.1.is_finite()
}

impl StateWatch {
    pub fn new(image: &Image, compiled: &Compiled) -> Option<Self> {
        let of = &image.of_states;
        let (m, n_bases) = (of.functions.len() + of.n_guards, of.n_bases);
        let n_values = compiled.program(BASES_PROGRAM).n_out;
        (n_values > 0).then(|| StateWatch {
            of: of.functions.clone(),
            n_bases,
            bases_at: std::array::from_fn(|_| vec![0.0; n_values]),
            known: vec![NONE; m],
            longest: f64::INFINITY,
            y: vec![0.0; image.n()],
            ranges: vec![NONE; n_bases],
            whole: vec![NONE; n_bases],
            pause: vec![0; n_bases],
            enclosed: compiled.program(FUNCTIONS_PROGRAM).enclosed(),
            bases: vec![0.0; n_bases],
            point: vec![0.0; m],
            ends: vec![NONE; m],
            rounding: vec![0.0; m],
            doubts: vec![[0.0]; compiled.scratch()],
            stack: Vec::with_capacity(2 * LOOKS + 2),
        })
    }

    /// Bases and angles at t.
    fn read(&mut self, at: &mut TimeProgram<'_>, curve: &Segment, t: f64, into: usize) {
        curve.at(t, &mut self.y);
        at.compiled.run(BASES_PROGRAM, t, &self.y, at.k, at.scratch, &mut self.bases_at[into]);
    }

    /// Functions and guards where the bases were read.
    fn evaluate(&mut self, at: &mut TimeProgram<'_>, at_base: usize) {
        self.bases.copy_from_slice(&self.bases_at[at_base][..self.n_bases]);
        at.compiled.run(FUNCTIONS_PROGRAM, 0.0, &self.bases, at.k, at.scratch, &mut self.point);
    }

    /// A place from `from` to `to` where a guard is beyond zero, and before which none is but for a small part of the step; none if
    /// looking at the ends does.
    pub fn crossing(&mut self, at: &mut TimeProgram<'_>, curve: &Segment, from: f64, to: f64) -> Option<f64> {
        if self.of.len() == self.point.len() {
            return None;
        }
        self.read(at, curve, from, 0);
        self.read(at, curve, to, 1);
        self.range_between();
        self.enclose_ahead(at);
        self.evaluate(at, 0);
        for (ends, &value) in self.ends.iter_mut().zip(&self.point) {
            *ends = (value, value);
        }
        let mut first = to;
        for guard in self.of.len()..self.point.len() {
            let side = sign(self.ends[guard].0);
            if side == 0 || self.stays(guard, side) {
                continue;
            }
            self.enclose_whole(at);
            if self.stays(guard, side) {
                continue;
            }
            if self.has_bounds(at, guard)
                && let Some(t) = self.leaves(at, curve, (guard, side), (from, first), to - from)
            {
                first = t;
            }
            self.read(at, curve, from, 0);
            self.read(at, curve, to, 1);
            self.enclose_between(at);
        }
        (first < to).then_some(first)
    }

    /// Bounds of the bases between its two places, which are near to each other.
    fn enclose_between(&mut self, at: &mut TimeProgram<'_>) {
        self.range_between();
        self.enclose_whole(at);
    }

    fn range_between(&mut self) {
        for (b, range) in self.whole.iter_mut().enumerate() {
            *range = NONE;
            include(range, self.bases_at[0][b]);
            include(range, self.bases_at[1][b]);
        }
    }

    /// Bounds over the step.
    fn enclose_whole(&mut self, at: &mut TimeProgram<'_>) {
        self.ranges.copy_from_slice(&self.whole);
        self.enclose(at);
    }

    /// Bounds over the step or more: over what they were found for last, for each base that is still within.
    fn enclose_ahead(&mut self, at: &mut TimeProgram<'_>) {
        for (b, &(low, high)) in self.whole.iter().enumerate() {
            let range = &mut self.ranges[b];
            if range.0 <= low && high <= range.1 && self.pause[b] == 0 {
                continue;
            }
            let more = if self.pause[b] == 0 { AHEAD * (high - low) } else { 0.0 };
            *range = (low - more, high + more);
        }
        self.enclose(at);
    }

    /// By the bounds at hand a guard is on one side throughout.
    fn stays(&self, guard: usize, side: i8) -> bool {
        let (low, high) = self.enclosed.bounds[guard];
        if side > 0 { low > 0.0 } else { high < 0.0 }
    }

    /// Whether bounds of a guard are finite at the first place; others say nothing anywhere.
    fn has_bounds(&mut self, at: &mut TimeProgram<'_>, guard: usize) -> bool {
        for (range, &b) in self.ranges.iter_mut().zip(&self.bases_at[0]) {
            *range = (b, b);
        }
        self.enclose(at);
        is_finite(self.enclosed.bounds[guard])
    }

    /// The first place where a guard is not on its side.
    fn leaves(
        &mut self,
        at: &mut TimeProgram<'_>,
        curve: &Segment,
        (guard, side): (usize, i8),
        (from, to): (f64, f64),
        h: f64,
    ) -> Option<f64> {
        self.stack.clear();
        self.stack.push((from, to));
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop()
            && looks < LOOKS
        {
            looks += 1;
            self.read(at, curve, a, 0);
            self.read(at, curve, b, 1);
            self.enclose_between(at);
            if self.stays(guard, side) {
                continue;
            }
            self.evaluate(at, 1);
            let left = sign(self.point[guard]) == -side;
            if left && b - a <= FINE * h {
                return Some(b);
            }
            if b - a > LEAST * h {
                let middle = 0.5 * (a + b);
                self.stack.extend([(middle, b), (a, middle)]);
            }
        }
        None
    }

    /// The longest step that the angles allow, by how they turned in the last one.
    pub fn longest(&self) -> f64 {
        self.longest
    }

    /// The share of a step that is to be made again, if it passes over something.
    pub(crate) fn passes_over(
        &mut self,
        at: &mut TimeProgram<'_>,
        start: (f64, &[f64]),
        end: (f64, &[f64]),
    ) -> Option<f64> {
        let (from, to) = (start.0, end.0);
        at.compiled.run(BASES_PROGRAM, from, start.1, at.k, at.scratch, &mut self.bases_at[0]);
        at.compiled.run(BASES_PROGRAM, to, end.1, at.k, at.scratch, &mut self.bases_at[1]);
        let [a, b] = &self.bases_at;
        let turned = |i: usize| (b[i] - a[i]).abs();
        let most = (self.n_bases..a.len()).map(turned).fold(0.0, f64::max);
        self.longest = if most > 0.0 { CHOSEN / most * (to - from) } else { f64::INFINITY };
        if most > TURN {
            return Some(CHOSEN / most);
        }
        self.hides(at).then_some(KEPT)
    }

    /// Whether a function has values in the step that nothing saw.
    fn hides(&mut self, at: &mut TimeProgram<'_>) -> bool {
        if self.of.is_empty() {
            return false;
        }
        self.ends.fill(NONE);
        self.range_between();
        for place in 0..self.bases_at.len() {
            self.evaluate(at, place);
            self.ends.iter_mut().zip(&self.point).for_each(|(ends, &value)| include(ends, value));
        }
        for (known, ends) in self.known.iter_mut().zip(&self.ends) {
            include(known, ends.0);
            include(known, ends.1);
        }
        self.pause.iter_mut().for_each(|steps| *steps = steps.saturating_sub(1));
        self.enclose_ahead(at);
        self.rounding.fill(0.0);
        let mut tells = true;
        for f in 0..self.of.len() {
            let base = self.of[f];
            let is_calm = is_finite(self.enclosed.bounds[f]) && self.is_close(f);
            if !is_calm && self.ranges[base] != self.whole[base] {
                (self.ranges[base], self.pause[base]) = (self.whole[base], PAUSE);
                tells = false;
            }
        }
        if !tells {
            self.enclose(at);
        }
        if (0..self.of.len()).all(|f| self.is_close(f)) {
            return false;
        }
        let (values, out) = ([&[][..]], [&mut self.rounding[..]]);
        at.compiled.rounding(
            FUNCTIONS_PROGRAM,
            (0.0, &self.bases, at.k),
            values,
            at.scratch,
            &mut self.doubts,
            out,
        );
        for f in 0..self.of.len() {
            if self.is_close(f) {
                continue;
            }
            if self.finds(at, f) {
                return true;
            }
            self.ranges[self.of[f]] = self.whole[self.of[f]];
            self.enclose(at);
        }
        false
    }

    fn enclose(&mut self, at: &mut TimeProgram<'_>) {
        at.compiled.enclose_again(FUNCTIONS_PROGRAM, &self.ranges, at.k, &mut self.enclosed);
    }

    /// The values of f that are nothing new.
    fn expected(&self, f: usize) -> Interval {
        let ((low, high), known) = (self.ends[f], self.known[f]);
        let rounding = (ROUNDING * low.abs().max(high.abs())).max(10.0 * self.rounding[f]);
        let margin = rounding.max(SHARE * (known.1 - known.0));
        (low - margin, high + margin)
    }

    /// The bounds at hand are close to the values at the ends; those that are not finite say nothing.
    fn is_close(&self, f: usize) -> bool {
        let (expected, bound) = (self.expected(f), self.enclosed.bounds[f]);
        !is_finite(bound) || !is_finite(expected) || (bound.0 >= expected.0 && bound.1 <= expected.1)
    }

    /// Whether f has values that are new, by dividing the range of its base.
    fn finds(&mut self, at: &mut TimeProgram<'_>, f: usize) -> bool {
        let base = self.of[f];
        let range = self.whole[base];
        self.stack.clear();
        self.stack.push(range);
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop()
            && looks < LOOKS
        {
            looks += 1;
            self.ranges[base] = (a, b);
            self.enclose(at);
            if self.is_close(f) {
                continue;
            }
            let middle = 0.5 * (a + b);
            self.bases[base] = middle;
            at.compiled.run(FUNCTIONS_PROGRAM, 0.0, &self.bases, at.k, at.scratch, &mut self.point);
            let (value, expected) = (self.point[f], self.expected(f));
            if value < expected.0 || value > expected.1 {
                include(&mut self.known[f], value);
                return true;
            }
            if b - a > 1e-9 * (range.1 - range.0) {
                self.stack.extend([(middle, b), (a, middle)]);
            }
        }
        false
    }
}

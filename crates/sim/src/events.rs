//! Finding where guards cross zero on the curve over one step.
//!
//! A guard g_i(t) = g_i(t, y(t)) has a side: the sign it had last. It crosses where it leaves its side and comes out on
//! the other; a guard that only touches zero has not crossed. A crossing counts if its direction is requested.
//!
//! **All crossings of a step.** Every guard is sampled at Chebyshev points (dense at both ends). A change of sign brackets
//! a root. Where three neighbours bend towards zero without reaching it, the lowest point between them is sought, so that
//! two crossings between two samples are found as well. The earliest root wins; guards whose roots lie within
//! `TOGETHER` of it cross together. What comes later is found again after the event, or on the rest of this curve if the
//! event changed nothing.
//!
//! **Root.** Regula falsi (Illinois) with bisection when it is slow [Dowell1971], until the bracket is two roundings of
//! time wide. The end of the bracket on the far side is the instant: there the guard is zero or has crossed.
//!
//! **Zero.** A guard that is exactly zero at the start, or that has just fired and still rests at zero, has no side. It
//! takes the sign with which it leaves zero, looked for from the resolution of time upwards. Then:
//! - it fires at the instant it leaves if it leaves towards the far side of its direction (Falling: downwards, Rising:
//!   upwards): a ball put on the floor with v < 0 bounces at once, one with v > 0 does not;
//! - except if it has just fired there: then it goes on, or comes back, without firing again, unless the event put it there
//!   (`integrate/instant.rs`); if it does so without end, that is reported;
//! - a guard of direction Both fires only when it comes from a side; leaving zero it fires nothing, but modes that
//!   mirror it are updated (`Hybrid::settle`). The same holds for the others when they do not fire;
//! - as long as it stays zero, nothing happens.
//!
//! **Jumps.** If an event or a sampled task puts a guard from one side to the other, it crosses at that instant, once. Put
//! from one side to zero, it keeps its side until it comes out on the other. Put from zero to a side, it fires as if it left
//! zero there.
//!
//! **Costly guards** are looked at in four places of a step first. If they stay clear of zero there by far more than they change, they
//! are left out of all other samples.
//!
//! Limits: a pair of crossings that the samples and the parabola through them do not hint at is missed; the maximum step
//! is the remedy. Guards that are not finite somewhere have no sign there.

use crate::problem::{Direction, GraphTable, GuardRole, Hybrid, Layout};
use crate::stepper::Segment;
use trunnion_num::Archive;

/// Roots closer than this, relative to 1 + |t|, cross together: what integration leaves uncertain in any case.
const TOGETHER: f64 = 1e-12;
/// θ of the samples: ½ (1 − cos(π j / 10)).
const SAMPLES: [f64; 11] = [
    0.0,
    0.024471741852423234,
    0.09549150281252627,
    0.20610737385376343,
    0.3454915028125263,
    0.5,
    0.6545084971874737,
    0.7938926261462366,
    0.9045084971874737,
    0.9755282581475768,
    1.0,
];
/// Samples within this share of the step count as its start.
const AT_ONCE: f64 = 1e-6;
/// Roundings of time for which the noise of algebraic unknowns at a kink is taken to be the same.
const MERGED_ROUNDINGS: f64 = 1e6;

/// A zero crossing of a guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocatedCrossing {
    pub t: f64,
    pub guard: usize,
    /// Towards positive values.
    pub rising: bool,
    /// false: it only left zero.
    pub fires: bool,
}

/// Sides of all guards, and the search over a step.
#[derive(Clone)]
pub struct Locator {
    directions: Vec<Direction>,
    /// Only a kink: nothing jumps there.
    kinks: Vec<bool>,
    /// A kink that is not frozen.
    watched: Vec<bool>,
    /// No guard, but an argument of a table (`events/points.rs`).
    arguments: Vec<bool>,
    tables: Vec<(usize, GraphTable)>,
    passed: Vec<points::PassedBreakpoint>,
    /// Kinks are passed without a look.
    passes_kinks: bool,
    /// Kinks that only the curve at hand passes.
    overlooked: Vec<bool>,
    /// Guards of time, whose crossings are known without a search.
    timed: Vec<bool>,
    /// Tolerance of the unknowns, relative and absolute, and of a kink: it is not distinguished within. Evaluated when first needed in a search.
    tolerance: (f64, Vec<f64>),
    band: Vec<f64>,
    soft: Vec<f64>,
    band_is_known: bool,
    uncertain: Vec<f64>,
    /// Algebraic unknowns may jump where branches differ by next to nothing, as the pressure behind a valve that closes: a kink of
    /// theirs is distinguished to rounding.
    sharp: Vec<bool>,
    /// What rounding does to each guard, where noise was last read.
    rounding: Vec<f64>,
    bluntness: Vec<f64>,
    blunt_at: f64,
    /// Sign of each guard; 0: it has none yet.
    side: Vec<i8>,
    /// At or near zero at the beginning of the curve: signs there are rounding.
    resting: Vec<bool>,
    /// Both as they were before the search.
    kept: (Vec<i8>, Vec<bool>),
    /// Their noise there.
    level: Vec<f64>,
    /// Of those without side: may fire when they leave zero.
    may_fire: Vec<bool>,
    // Of `sample`: times, values [point][guard], and what rounding does to each guard at the start.
    times: Vec<f64>,
    values: Vec<f64>,
    noise: Vec<f64>,
    /// The last of them is beyond the curve.
    looks_beyond: bool,
    /// Costly guards stay clear of zero: they are left out.
    skips_costly: bool,
    /// Their bounds, and guards that stay well clear of zero.
    low: Vec<f64>,
    high: Vec<f64>,
    is_clear: Vec<bool>,
    /// What `search` found, at one instant.
    found: Vec<LocatedCrossing>,
    y: Vec<f64>,
    g: Vec<f64>,
    // Of `limit_blur` and `matters`: values and guards close by, rows of f by both branches.
    near: Vec<f64>,
    other: Vec<f64>,
    moved: Vec<f64>,
    most: Vec<f64>,
}

/// Bounds that hold further values too; what is no number does not count.
fn widen(low: &mut [f64], high: &mut [f64], values: &[f64]) {
    for ((low, high), &g) in low.iter_mut().zip(high).zip(values) {
        *low = if g < *low { g } else { *low };
        *high = if g > *high { g } else { *high };
    }
}

pub fn sign(x: f64) -> i8 {
    (x > 0.0) as i8 - (x < 0.0) as i8
}

/// Whether an event at `later`, not before t, coincides with one at t.
pub(crate) fn coincides(t: f64, later: f64) -> bool {
    later - t <= TOGETHER * (1.0 + t.abs())
}

/// One rounding of time around t.
pub(crate) fn resolution(t: f64) -> f64 {
    f64::EPSILON * t.abs().max(f64::MIN_POSITIVE / f64::EPSILON)
}

impl Locator {
    pub fn new(layout: &Layout, tolerance: (f64, Vec<f64>)) -> Self {
        let (n, guards) = (layout.n(), &layout.guards);
        let m = guards.len();
        // 16 decades of θ, three per eighth and decade.
        let points = SAMPLES.len() + 20;
        Locator {
            directions: guards.iter().map(|g| g.direction).collect(),
            kinks: guards
                .iter()
                .map(|g| !matches!(g.role, GuardRole::Switch | GuardRole::Argument))
                .collect(),
            arguments: guards.iter().map(|g| g.role == GuardRole::Argument).collect(),
            tables: layout.tables.clone(),
            passed: Vec::new(),
            watched: guards.iter().map(|g| g.role == GuardRole::Watched).collect(),
            passes_kinks: false,
            sharp: guards.iter().map(|g| g.role == GuardRole::Kink && g.algebraic).collect(),
            rounding: vec![0.0; m],
            bluntness: vec![0.0; m],
            blunt_at: f64::NEG_INFINITY,
            overlooked: vec![false; m],
            timed: vec![false; m],
            tolerance,
            band: vec![0.0; m],
            soft: vec![0.0; m],
            band_is_known: false,
            uncertain: vec![0.0; n],
            side: vec![0; m],
            resting: vec![false; m],
            kept: (vec![0; m], vec![false; m]),
            level: vec![0.0; m],
            may_fire: vec![true; m],
            times: Vec::with_capacity(points),
            values: Vec::with_capacity(points * m),
            noise: vec![0.0; m],
            looks_beyond: false,
            skips_costly: false,
            low: vec![0.0; m],
            high: vec![0.0; m],
            is_clear: vec![false; m],
            found: Vec::with_capacity(m),
            y: vec![0.0; n],
            g: vec![0.0; m],
            near: vec![0.0; n],
            other: vec![0.0; n],
            moved: vec![0.0; m],
            most: vec![0.0; m],
        }
    }

    /// What the next search takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.signs(&mut self.side);
        archive.flags(&mut self.resting);
        archive.numbers(&mut self.level);
        archive.flags(&mut self.may_fire);
        archive.numbers(&mut self.bluntness);
        archive.number(&mut self.blunt_at);
    }

    pub fn len(&self) -> usize {
        self.directions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.directions.is_empty()
    }

    /// All that `search` found at its instant.
    pub fn found(&self) -> &[LocatedCrossing] {
        &self.found
    }

    pub fn is_kink(&self, guard: usize) -> bool {
        self.kinks[guard]
    }

    /// A kink of algebraic unknowns.
    pub(crate) fn is_sharp(&self, guard: usize) -> bool {
        self.sharp[guard]
    }

    pub(crate) fn watch_kinks(&mut self, watch: bool) {
        self.passes_kinks = !watch;
    }

    pub(crate) fn passes_kinks(&self) -> bool {
        self.passes_kinks
    }

    /// Guards that are not to be searched for.
    pub(crate) fn leave_out(&mut self, timed: &[usize]) {
        timed.iter().for_each(|&g| self.timed[g] = true);
    }

    pub(crate) fn is_timed(&self, guard: usize) -> bool {
        self.timed[guard]
    }

    /// A kink that is not watched, or a guard that cannot cross.
    pub fn passes(&self, guard: usize) -> bool {
        self.arguments[guard] || self.passes_kinks && self.kinks[guard]
    }

    /// For a search that is made again, on another curve.
    pub(crate) fn save_sides(&mut self) {
        self.kept.0.copy_from_slice(&self.side);
        self.kept.1.copy_from_slice(&self.resting);
    }

    pub(crate) fn restore_sides(&mut self) {
        self.side.copy_from_slice(&self.kept.0);
        self.resting.copy_from_slice(&self.kept.1);
    }

    pub fn side(&self, guard: usize) -> i8 {
        self.side[guard]
    }

    pub(crate) fn may_fire(&self, guard: usize) -> bool {
        self.may_fire[guard]
    }

    pub fn rests(&self, guard: usize) -> bool {
        self.resting[guard]
    }

    /// The noise of a guard that rests at zero; 0 for others.
    pub(crate) fn rests_within(&self, guard: usize) -> f64 {
        if self.resting[guard] { self.level[guard] } else { 0.0 }
    }

    /// Put a guard on a side, well clear of zero.
    pub(crate) fn set_side(&mut self, guard: usize, side: i8) {
        self.side[guard] = side;
        self.resting[guard] = false;
        self.may_fire[guard] = true;
    }

    /// Put a guard on a side although its value is still within `level`, its noise.
    pub(crate) fn set_side_within_noise(&mut self, guard: usize, side: i8, level: f64) {
        self.set_side(guard, side);
        self.resting[guard] = true;
        self.level[guard] = level;
    }

    /// Take the side from a guard whose value is within `level`, its noise.
    pub(crate) fn clear_side(&mut self, guard: usize, may_fire: bool, level: f64) {
        self.set_side_within_noise(guard, 0, level);
        self.may_fire[guard] = may_fire;
    }

    /// Does a change to this sign count?
    pub fn counts(&self, guard: usize, sign: i8) -> bool {
        match self.directions[guard] {
            Direction::Both => true,
            Direction::Rising => sign > 0,
            Direction::Falling => sign < 0,
        }
    }

    /// The side on which the condition of an event does not hold; 0: it has none.
    pub(crate) fn inactive_side(&self, guard: usize) -> i8 {
        match self.directions[guard] {
            Direction::Both => 0,
            Direction::Rising => -1,
            Direction::Falling => 1,
        }
    }

    /// Does a guard without side that a jump puts to this sign fire? As it would by leaving zero.
    pub(crate) fn counts_from_zero(&self, guard: usize, sign: i8) -> bool {
        self.resting[guard]
            && self.may_fire[guard]
            && self.directions[guard] != Direction::Both
            && self.counts(guard, sign)
    }

    /// The earliest instant in (from, to], or at `from` if a guard leaves zero there, at which something is found.
    /// `ends_there`: an event is at `to`, and guards that cross within `TOGETHER` of it cross there.
    pub fn search<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        from: f64,
        to: f64,
        ends_there: bool,
    ) -> Option<f64> {
        self.found.clear();
        self.band_is_known = false;
        if from - self.blunt_at > MERGED_ROUNDINGS * resolution(from) {
            self.bluntness.fill(0.0);
        }
        if to <= from || self.timed.iter().all(|&t| t) {
            return None;
        }
        self.sample(problem, curve, from, to);
        self.looks_beyond = ends_there;
        if ends_there {
            self.times.push(to + TOGETHER * (1.0 + to.abs()));
            self.evaluate(problem, curve, *self.times.last().unwrap_or(&to));
            self.values.extend_from_slice(&self.g);
        }
        self.measure_noise(problem, curve, from);
        self.exclude_by_parabola();
        let mut earliest = f64::INFINITY;
        for guard in 0..self.len() {
            if self.is_clear[guard] || self.passes(guard) || self.timed[guard] || self.overlooked[guard] {
                continue;
            }
            if let Some(found) = self.first(problem, curve, guard, earliest) {
                self.found.push(found);
                earliest = earliest.min(found.t);
            }
        }
        if self.found.is_empty() {
            // Beyond this curve no guard rests at its start any more; those without side are still at zero.
            for guard in 0..self.len() {
                if !self.is_clear[guard] {
                    self.resting[guard] = self.side[guard] == 0;
                    self.pass(guard);
                }
            }
            return None;
        }
        self.found.retain(|f| coincides(earliest, f.t));
        let at = self.found.iter().fold(earliest, |t, f| t.max(f.t)).min(to);
        self.update_sides(problem, curve, at);
        Some(at)
    }

    /// Tells guards that stay on their side: no parabola through three samples comes nearer to zero than the lowest of them
    /// by more than a quarter of their spread.
    fn exclude_by_parabola(&mut self) {
        let m = self.len();
        self.low.fill(f64::INFINITY);
        self.high.fill(f64::NEG_INFINITY);
        for row in self.values.chunks_exact(m) {
            widen(&mut self.low, &mut self.high, row);
        }
        for i in 0..m {
            let spread = self.high[i] - self.low[i];
            self.is_clear[i] = self.side[i] != 0 && !self.resting[i] && self.clearance(i) > 2.0 * spread;
        }
    }

    /// Guards that are on their other side at `to`, without asking since when: the work of two evaluations.
    pub(crate) fn crossings_at_end<P: Hybrid>(
        &mut self,
        problem: &mut P,
        curve: &Segment,
        from: f64,
        to: f64,
    ) -> Option<f64> {
        self.found.clear();
        if self.is_empty() || to <= from {
            return None;
        }
        self.skips_costly = false;
        self.evaluate(problem, curve, to);
        for guard in 0..self.len() {
            self.resting[guard] &= self.g[guard].abs() <= 2.0 * self.level[guard];
        }
        self.update_sides(problem, curve, to);
        for guard in 0..self.len() {
            let s = sign(self.g[guard]);
            if self.side[guard] == 0 && s != 0 && !self.resting[guard] {
                let fires = self.may_fire[guard] && self.directions[guard] != Direction::Both;
                let fires = fires && self.counts(guard, s);
                self.found.push(LocatedCrossing { t: to, guard, rising: s > 0, fires });
            }
        }
        (!self.found.is_empty()).then_some(to)
    }

    /// The side of a guard at the end of the curve, crossings that did not count included.
    fn pass(&mut self, guard: usize) {
        let m = self.len();
        if self.side[guard] != 0 {
            let on_the_curve = (self.times.len() - self.looks_beyond as usize) * m;
            let values = self.values[guard..on_the_curve].iter().step_by(m).rev();
            let last = values.map(|&g| sign(g)).find(|&s| s != 0);
            // A kink whose other side was not worth a change stays where it is.
            if !self.kinks[guard] && !self.timed[guard] {
                self.side[guard] = last.unwrap_or(self.side[guard]);
            }
        }
    }

    /// Sides at the instant `at` of those that were not found.
    fn update_sides<P: Hybrid>(&mut self, problem: &mut P, curve: &Segment, at: f64) {
        self.evaluate(problem, curve, at);
        for guard in 0..self.len() {
            let s = sign(self.g[guard]);
            let rests = self.resting[guard] && self.g[guard].abs() <= 2.0 * self.level[guard];
            let changes = s != 0 && self.side[guard] != 0 && s != self.side[guard] && !rests;
            let changes = changes && !self.passes(guard) && !self.timed[guard];
            if !changes || self.overlooked[guard] || self.found.iter().any(|f| f.guard == guard) {
                continue;
            }
            if self.kinks[guard] && self.is_within_band(problem, curve, guard, self.g[guard], at) {
                continue;
            }
            if self.counts(guard, s) {
                self.found.push(LocatedCrossing { t: at, guard, rising: s > 0, fires: true });
            } else {
                self.side[guard] = s;
            }
        }
    }
}

mod crossing;
mod kinks;
mod points;
mod samples;

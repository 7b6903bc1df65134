//! Inputs of time that are functions of one wave, f(b) with b = sin(…).
//!
//! What f does between −1 and 1 is found once and serves every period: the values of b are divided into cells, where they are needed. Over a cell
//! values of f change by a `FINE` part of what a step allows, and its bounds go beyond them by little. A step may pass through the
//! cells next to its own as long as their bounds are near enough to the value of f it starts with, and f does not turn and come back.

use trunnion_equations::{Compiled, Enclosed, Image, Interval, ProgramKind};

use super::{HIDDEN, RANGE_LOOKS, TimeProgram, is_constant};
use crate::state_watch::NONE;

const WAVES_PROGRAM: usize = ProgramKind::OfWaves as usize;
const FINE: f64 = 0.125;
const CLOSE: f64 = 0.2;
/// Parts of a cell for which bounds are tried.
const LOOKS: usize = 32;
/// No narrower cell is divided.
const NARROW: f64 = 1e-9;
/// Cells that a step may pass through to either side.
const MOST_CELLS: usize = 64;

/// Values of a wave, bounds of its functions there, and values that were seen.
struct WaveCell {
    range: Interval,
    bounds: Vec<Interval>,
    seen: Vec<Interval>,
}

pub struct PeriodicFunctions {
    /// Functions of each wave.
    members: Vec<Vec<usize>>,
    /// Lowest and highest value of each function in the run, as far as found.
    ranges: Vec<Interval>,
    /// By waves, in order, none twice.
    cells: Vec<Vec<WaveCell>>,
    /// By which functions may leave their values, of their ranges.
    share: f64,
    // Scratch: where bounds and values are evaluated, and values and bounds that functions have in a cell.
    waves: Vec<Interval>,
    enclosed: Enclosed,
    place: Vec<f64>,
    point: Vec<f64>,
    start: Vec<f64>,
    passed: Vec<Interval>,
    taken: Vec<Interval>,
    reached: Vec<Interval>,
    stack: Vec<Interval>,
}

impl PeriodicFunctions {
    pub fn new(image: &Image, compiled: &Compiled) -> Self {
        let (n, functions) = (image.of_time.n_waves, &image.of_time.functions);
        let members = |wave: usize| (0..functions.len()).filter(|&f| functions[f] == wave).collect();
        PeriodicFunctions {
            members: (0..n).map(members).collect(),
            ranges: vec![NONE; functions.len()],
            cells: (0..n).map(|_| vec![]).collect(),
            share: f64::NAN,
            waves: vec![(0.0, 0.0); n],
            enclosed: compiled.program(WAVES_PROGRAM).enclosed(),
            place: vec![0.0; n],
            point: vec![0.0; functions.len()],
            start: vec![0.0; functions.len()],
            passed: vec![NONE; functions.len()],
            taken: vec![NONE; functions.len()],
            reached: vec![NONE; functions.len()],
            stack: vec![],
        }
    }

    /// Begin anew for other slow values; `waves` are the ranges of the waves in the run.
    pub(crate) fn refresh(&mut self, at: &mut TimeProgram<'_>, waves: &[Interval]) {
        self.cells.iter_mut().for_each(Vec::clear);
        self.ranges.fill(NONE);
        at.compiled.enclose_again(WAVES_PROGRAM, &self.waves, at.k, &mut self.enclosed);
        for (wave, &range) in waves.iter().enumerate() {
            self.find_ranges(at, wave, range);
        }
    }

    /// Ranges of the functions of a wave, as those of inputs are found.
    fn find_ranges(&mut self, at: &mut TimeProgram<'_>, wave: usize, range: Interval) {
        self.see(at, wave, range.0);
        self.see(at, wave, range.1);
        self.stack.clear();
        self.stack.push(range);
        let mut looks = 0;
        while looks < self.stack.len().min(RANGE_LOOKS) {
            let (a, b) = self.stack[looks];
            looks += 1;
            let middle = 0.5 * (a + b);
            self.see(at, wave, middle);
            self.enclose(at, wave, (a, b));
            let beyond = |&f: &usize| {
                let (range, bound) = (self.ranges[f], self.enclosed.bounds[f]);
                let width = range.1 - range.0;
                let finite = bound.0 < f64::INFINITY && bound.1 > f64::NEG_INFINITY;
                let outside = bound.0 < range.0 - width || bound.1 > range.1 + width;
                finite && width.is_finite() && outside
            };
            if self.members[wave].iter().any(beyond) && b - a > NARROW {
                self.stack.extend([(a, middle), (middle, b)]);
            }
        }
    }

    fn evaluate(&mut self, at: &mut TimeProgram<'_>, wave: usize, value: f64) {
        self.place[wave] = value;
        at.compiled.run(WAVES_PROGRAM, 0.0, &self.place, at.k, at.scratch, &mut self.point);
    }

    /// Values at a value of the wave are within the ranges.
    fn see(&mut self, at: &mut TimeProgram<'_>, wave: usize, value: f64) {
        self.evaluate(at, wave, value);
        for &f in &self.members[wave] {
            if self.point[f].is_finite() {
                self.ranges[f] = hull(self.ranges[f], self.point[f]);
            }
        }
    }

    fn enclose(&mut self, at: &mut TimeProgram<'_>, wave: usize, range: Interval) {
        self.waves[wave] = range;
        at.compiled.enclose_cone(WAVES_PROGRAM, wave, &self.waves, at.k, &mut self.enclosed);
    }

    /// Where a wave may go to from a value in a step.
    pub fn window(&mut self, at: &mut TimeProgram<'_>, (wave, value): (usize, f64), share: f64) -> Interval {
        if self.share != share {
            self.share = share;
            self.cells.iter_mut().for_each(Vec::clear);
        }
        self.evaluate(at, wave, value);
        self.start.copy_from_slice(&self.point);
        let own = self.cell(at, wave, value);
        let (mut low, mut high) = self.cells[wave][own].range;
        self.begin_at(wave, own);
        for _ in 0..MOST_CELLS {
            let next = self.cell(at, wave, low.next_down());
            if low <= -1.0 || !self.is_near(wave, next) || self.turns(wave, next) {
                break;
            }
            low = self.cells[wave][next].range.0;
        }
        let own = self.cell(at, wave, value);
        self.begin_at(wave, own);
        for _ in 0..MOST_CELLS {
            let next = self.cell(at, wave, high);
            if high >= 1.0 || !self.is_near(wave, next) || self.turns(wave, next) {
                break;
            }
            high = self.cells[wave][next].range.1;
        }
        // Bounds of a wave may lie beyond 1 by rounding.
        (if low <= -1.0 { f64::NEG_INFINITY } else { low }, if high >= 1.0 { f64::INFINITY } else { high })
    }

    /// Functions are near their values at the start throughout a cell.
    fn is_near(&self, wave: usize, cell: usize) -> bool {
        self.members[wave].iter().zip(&self.cells[wave][cell].bounds).all(|(&f, bound)| {
            let (start, most) = (self.start[f], self.most(f));
            !start.is_finite() || (bound.0 >= start - most && bound.1 <= start + most)
        })
    }

    fn begin_at(&mut self, wave: usize, cell: usize) {
        for (&f, &seen) in self.members[wave].iter().zip(&self.cells[wave][cell].seen) {
            self.passed[f] = hull(seen, self.start[f]);
        }
    }

    /// A function that has gone up or down comes back in the next cell.
    fn turns(&mut self, wave: usize, next: usize) -> bool {
        let mut turns = false;
        for (&f, &seen) in self.members[wave].iter().zip(&self.cells[wave][next].seen) {
            let (start, most) = (self.start[f], HIDDEN / self.share * self.most(f));
            let passed = hull(hull(self.passed[f], seen.0), seen.1);
            turns |= passed.1 - seen.1.max(start) > most || seen.0.min(start) - passed.0 > most;
            self.passed[f] = passed;
        }
        turns
    }

    /// The number of the cell of a value.
    fn cell(&mut self, at: &mut TimeProgram<'_>, wave: usize, value: f64) -> usize {
        let value = value.clamp(-1.0, 1.0_f64.next_down());
        let place = self.cells[wave].partition_point(|c| c.range.1 <= value);
        if self.cells[wave].get(place).is_some_and(|c| c.range.0 <= value) {
            return place;
        }
        let mut range = (-1.0, 1.0);
        while !self.is_nearly_constant(at, wave, range) && range.1 - range.0 > NARROW {
            let middle = 0.5 * (range.0 + range.1);
            range = if value < middle { (range.0, middle) } else { (middle, range.1) };
        }
        let of_members = |of: &[Interval]| self.members[wave].iter().map(|&f| of[f]).collect();
        let cell = WaveCell { range, bounds: of_members(&self.reached), seen: of_members(&self.taken) };
        self.cells[wave].insert(place, cell);
        place
    }

    /// Every function of the wave changes little over a cell, by its values and by bounds over parts of it.
    fn is_nearly_constant(&mut self, at: &mut TimeProgram<'_>, wave: usize, cell: Interval) -> bool {
        self.taken.fill(NONE);
        self.reached.fill(NONE);
        if !self.takes(at, wave, cell.0) || !self.takes(at, wave, cell.1) {
            return false;
        }
        self.stack.clear();
        self.stack.push(cell);
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop() {
            self.enclose(at, wave, (a, b));
            if self.members[wave].iter().all(|&f| self.is_close(f)) {
                for &f in &self.members[wave] {
                    let bound = self.enclosed.bounds[f];
                    self.reached[f] = hull(hull(self.reached[f], bound.0), bound.1);
                }
                continue;
            }
            looks += 1;
            let middle = 0.5 * (a + b);
            if looks > LOOKS || !self.takes(at, wave, middle) {
                return false;
            }
            self.stack.extend([(middle, b), (a, middle)]);
        }
        true
    }

    /// Take values at a place in; false: they change too much for a cell.
    fn takes(&mut self, at: &mut TimeProgram<'_>, wave: usize, value: f64) -> bool {
        self.evaluate(at, wave, value);
        for &f in &self.members[wave] {
            self.taken[f] = hull(self.taken[f], self.point[f]);
            self.reached[f] = hull(self.reached[f], self.point[f]);
        }
        let change = |f: usize| self.taken[f].1 - self.taken[f].0;
        self.members[wave].iter().all(|&f| change(f) <= FINE * self.most(f))
    }

    /// The bounds at hand are close to the values taken so far.
    fn is_close(&self, f: usize) -> bool {
        let (taken, bound, margin) = (self.taken[f], self.enclosed.bounds[f], CLOSE * self.most(f));
        taken.0 - bound.0 <= margin && bound.1 - taken.1 <= margin
    }

    /// By which a function may leave its value in a step.
    fn most(&self, f: usize) -> f64 {
        let width = self.ranges[f].1 - self.ranges[f].0;
        let any = is_constant(self.ranges[f]) || !width.is_finite();
        if any { f64::INFINITY } else { self.share * width }
    }
}

fn hull(range: Interval, value: f64) -> Interval {
    (range.0.min(value), range.1.max(value))
}

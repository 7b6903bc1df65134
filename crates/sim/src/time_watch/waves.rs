//! Inputs of time that are functions of one wave, f(b) with b = sin(…).
//!
//! What f does between −1 and 1 is found once and serves every period: the values of b are divided into cells, where they are needed. Over those that
//! a step may pass through, its own and `BESIDE` more to either side, values of f change by half of what a step allows; its bounds go beyond them by no
//! more than the other half.

use trunnion_equations::{Compiled, Enclosed, Interval, Part, System};

use super::{At, RANGE_LOOKS, is_constant};

const PART: usize = Part::OfWaves as usize;
const BESIDE: usize = 3;
/// Parts of a cell for which bounds are tried.
const LOOKS: usize = 32;
/// No narrower cell is divided.
const NARROW: f64 = 1e-9;

pub struct Waves {
    /// Wave of each function.
    of: Vec<usize>,
    /// Lowest and highest value of each function in the run, as far as found.
    ranges: Vec<Interval>,
    /// By waves, in order, none twice.
    cells: Vec<Vec<Interval>>,
    /// By which functions may leave their values, of their ranges.
    share: f64,
    // Scratch.
    waves: Vec<Interval>,
    enclosed: Enclosed,
    place: Vec<f64>,
    point: Vec<f64>,
    /// Values that functions take in a cell.
    taken: Vec<Interval>,
    stack: Vec<Interval>,
}

impl Waves {
    pub fn new(system: &System, compiled: &Compiled) -> Self {
        let (n, functions) = (system.of_time.waves.len(), &system.of_time.functions);
        Waves {
            of: functions.iter().map(|f| f.0).collect(),
            ranges: vec![(0.0, 0.0); functions.len()],
            cells: vec![vec![]; n],
            share: f64::NAN,
            waves: vec![(0.0, 0.0); n],
            enclosed: compiled.program(PART).enclosed(),
            place: vec![0.0; n],
            point: vec![0.0; functions.len()],
            taken: vec![(0.0, 0.0); functions.len()],
            stack: vec![],
        }
    }

    /// Begin anew for other slow values; `waves` are the ranges of the waves in the run.
    pub fn refresh(&mut self, at: &mut At<'_>, waves: &[Interval]) {
        self.cells.iter_mut().for_each(Vec::clear);
        self.ranges.fill((f64::INFINITY, f64::NEG_INFINITY));
        at.compiled.enclose_again(PART, &self.waves, at.k, &mut self.enclosed);
        for (wave, &range) in waves.iter().enumerate() {
            self.find_ranges(at, wave, range);
        }
    }

    /// Ranges of the functions of a wave, as those of inputs are found.
    fn find_ranges(&mut self, at: &mut At<'_>, wave: usize, range: Interval) {
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
            let beyond = |f: usize| {
                let (range, bound) = (self.ranges[f], self.enclosed.bounds[f]);
                let width = range.1 - range.0;
                let finite = bound.0 < f64::INFINITY && bound.1 > f64::NEG_INFINITY;
                let outside = bound.0 < range.0 - width || bound.1 > range.1 + width;
                self.of[f] == wave && finite && width.is_finite() && outside
            };
            if (0..self.of.len()).any(beyond) && b - a > NARROW {
                self.stack.extend([(a, middle), (middle, b)]);
            }
        }
    }

    /// Values at a value of the wave are within the ranges.
    fn see(&mut self, at: &mut At<'_>, wave: usize, value: f64) {
        self.place[wave] = value;
        at.compiled.run(PART, 0.0, &self.place, at.k, at.scratch, &mut self.point);
        for (f, &value) in self.point.iter().enumerate() {
            let range = &mut self.ranges[f];
            if self.of[f] == wave && value.is_finite() {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
    }

    fn enclose(&mut self, at: &mut At<'_>, wave: usize, range: Interval) {
        self.waves[wave] = range;
        at.compiled.enclose_cone(PART, wave, &self.waves, at.k, &mut self.enclosed);
    }

    /// Where a wave may go to from a value in a step.
    pub fn window(&mut self, at: &mut At<'_>, (wave, value): (usize, f64), share: f64) -> Interval {
        if self.share != share {
            self.share = share;
            self.cells.iter_mut().for_each(Vec::clear);
        }
        let (mut low, mut high) = self.cell(at, wave, value);
        for _ in 0..BESIDE {
            low = self.cell(at, wave, low.next_down()).0;
            high = self.cell(at, wave, high).1;
        }
        // Bounds of a wave may lie beyond 1 by rounding.
        (if low <= -1.0 { f64::NEG_INFINITY } else { low }, if high >= 1.0 { f64::INFINITY } else { high })
    }

    /// The cell of a value.
    fn cell(&mut self, at: &mut At<'_>, wave: usize, value: f64) -> Interval {
        let value = value.clamp(-1.0, 1.0_f64.next_down());
        let place = self.cells[wave].partition_point(|c| c.1 <= value);
        if let Some(&cell) = self.cells[wave].get(place).filter(|c| c.0 <= value) {
            return cell;
        }
        let mut cell = (-1.0, 1.0);
        while cell.1 - cell.0 > NARROW && !self.is_calm(at, wave, cell) {
            let middle = 0.5 * (cell.0 + cell.1);
            cell = if value < middle { (cell.0, middle) } else { (middle, cell.1) };
        }
        self.cells[wave].insert(place, cell);
        cell
    }

    /// Every function of the wave changes little over the cell, by its values and by bounds over parts of it.
    fn is_calm(&mut self, at: &mut At<'_>, wave: usize, cell: Interval) -> bool {
        self.taken.fill((f64::INFINITY, f64::NEG_INFINITY));
        if !self.takes(at, wave, cell.0) || !self.takes(at, wave, cell.1) {
            return false;
        }
        self.stack.clear();
        self.stack.push(cell);
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop() {
            self.enclose(at, wave, (a, b));
            if (0..self.of.len()).all(|f| self.of[f] != wave || self.is_close(f)) {
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
    fn takes(&mut self, at: &mut At<'_>, wave: usize, value: f64) -> bool {
        self.place[wave] = value;
        at.compiled.run(PART, 0.0, &self.place, at.k, at.scratch, &mut self.point);
        for (taken, &value) in self.taken.iter_mut().zip(&self.point) {
            *taken = (taken.0.min(value), taken.1.max(value));
        }
        let changes = |f: usize| (self.taken[f].1 - self.taken[f].0) * (BESIDE + 1) as f64;
        (0..self.of.len()).all(|f| self.of[f] != wave || changes(f) <= 0.5 * self.most(f))
    }

    /// The bounds at hand are close to the values taken so far.
    fn is_close(&self, f: usize) -> bool {
        let (taken, bound, margin) = (self.taken[f], self.enclosed.bounds[f], 0.5 * self.most(f));
        taken.0 - bound.0 <= margin && bound.1 - taken.1 <= margin
    }

    /// By which a function may leave its value in a step.
    fn most(&self, f: usize) -> f64 {
        let width = self.ranges[f].1 - self.ranges[f].0;
        let any = is_constant(self.ranges[f]) || !width.is_finite();
        if any { f64::INFINITY } else { self.share * width }
    }
}

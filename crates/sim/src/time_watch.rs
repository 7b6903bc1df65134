//! What depends on time alone cannot be slept through.
//!
//! Guards of time, corners of tables and integer parts that `floor` and `mod` pass change at instants that are known in advance. They are found
//! by bounds over intervals of time: an interval over which no bound leaves its piece holds no corner, for certain; others are
//! halved, the earlier half first, down to the resolution of time. [Moore2009, ch. 8]
//!
//! Between them a step may be so long that no input of time leaves its value at the start by more than a share of its range, nor goes up and comes
//! down again by more than a small part of it: a solver that looks at the ends of such a step sees the change and divides it. The range is that of the values the input takes in the run, found by dividing
//! the intervals whose bounds lie beyond the values known so far: bounds over long intervals may be far too wide, x² exp(−x) for
//! 0 < x < 1e5 seems to reach 1e10. Where bounds over a short time are too wide, as those of terms that cancel, they are found from the rate of the input,
//!
//!   u(t) = u(m) + u' (t − m)   with some u' between the bounds of the rate, m in the middle             (1)  [Moore2009, ch. 6]
//!
//! An input that is a function of a wave is limited by what the wave may do ([`waves`]): its bounds as a function of time are wider and cost more.
//!
//! Limits: an expression without bounds (a tangent across its pole, a table of two variables) is looked at along the solver's curve like any other. Where
//! a search does not end, as along a curve that touches zero again and again, the step ends where it got to.

mod limits;
mod waves;

use trunnion_equations::program::Op;
use trunnion_equations::{Compiled, Image, Interval, ProgramKind};

use crate::events::{resolution, sign};
use waves::PeriodicFunctions;

/// Bounds evaluated in one search: it goes on from where it got to.
const MOST_LOOKS: usize = 4_000;
/// Bounds evaluated to find the ranges of inputs.
const RANGE_LOOKS: usize = 500;
/// Of the range of an input: it may go up and come down by this unseen within a step.
const HIDDEN: f64 = 0.05;
/// Of the size of an input: changes below are rounding.
const CONSTANT: f64 = 1e-12;

/// Times looked at between two that are four roundings apart.
const CORNER_SAMPLES: usize = 16;
/// The piece of a guard that is about to leave zero.
const LEAVING: i64 = i64::MIN;

/// How an expression is divided into pieces.
#[derive(Clone, Debug)]
enum Pieces {
    Sign,
    /// true: what jumps from cell to cell, as a slope does.
    Cells(Vec<f64>, bool),
    Whole,
}

impl Pieces {
    fn of(&self, value: f64) -> i64 {
        match self {
            Pieces::Sign => sign(value) as i64,
            Pieces::Cells(x, _) => x.partition_point(|&x| x <= value) as i64,
            Pieces::Whole => value.floor() as i64,
        }
    }

    fn jumps(&self) -> bool {
        matches!(self, Pieces::Whole | Pieces::Cells(_, true))
    }
}

/// An instant at which a piece ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    pub t: f64,
    /// Equations may jump there, not only guards cross.
    pub jumps: bool,
}

pub struct TimeWatch {
    pieces: Vec<Pieces>,
    /// Guard numbers of the first of them.
    guards: Vec<usize>,
    /// Without bounds: not watched here.
    unbounded: Vec<bool>,
    /// Lowest and highest value known of each input, then of each wave; not finite: without bounds.
    ranges: Vec<Interval>,
    /// Its value where a step starts.
    start: Vec<f64>,
    waves: PeriodicFunctions,
    /// Where waves may go to in the step.
    windows: Vec<Interval>,
    // Of inputs: values passed since the start, and at the ends of an interval.
    passed: Vec<Interval>,
    left: Vec<f64>,
    right: Vec<f64>,
    // Scratch, and results of programs: bounds of rates, points and bounds.
    rate_values: Vec<Interval>,
    rates: Vec<Interval>,
    values: Vec<Interval>,
    bounds: Vec<Interval>,
    point: Vec<f64>,
    stack: Vec<Interval>,
    now: Vec<i64>,
    /// Places among the slow values that count, and the values for which things were found.
    reads: Vec<usize>,
    known_for: Vec<f64>,
    next: Option<Corner>,
    /// Steps from the first to the second of these times need no limit.
    calm: Interval,
    /// By which inputs may leave their values, of their ranges.
    share: f64,
    horizon: f64,
}

/// What only rounding moves, as sin² + cos².
fn is_constant(range: Interval) -> bool {
    range.1 - range.0 <= CONSTANT * range.0.abs().max(range.1.abs())
}

/// The program and the slow values it reads.
pub struct TimeProgram<'a> {
    pub compiled: &'a Compiled,
    pub k: &'a [f64],
    pub scratch: &'a mut [f64],
}

const TIME_PROGRAM: usize = ProgramKind::OfTime as usize;
const RATES: usize = ProgramKind::Rates as usize;

impl TimeWatch {
    pub fn new(image: &Image, compiled: &Compiled) -> Option<Self> {
        let of_time = &image.of_time;
        let program = compiled.program(TIME_PROGRAM);
        if program.n_out == 0 {
            return None;
        }
        let signs = of_time.guards.iter().map(|_| Pieces::Sign);
        let cells = of_time.corners.iter().map(|(x, slope)| Pieces::Cells(x.clone(), *slope));
        let wholes = (0..of_time.n_jumps).map(|_| Pieces::Whole);
        let pieces: Vec<Pieces> = signs.chain(cells).chain(wholes).collect();
        let m = pieces.len();
        let inputs = of_time.n_inputs + of_time.n_waves;
        let slow = |op: &Op| if let Op::Slow(i) = op { Some(*i as usize) } else { None };
        let rates = compiled.program(RATES);
        let others = rates.ops.iter().chain(&compiled.program(ProgramKind::OfWaves as usize).ops);
        let mut reads: Vec<usize> = program.ops.iter().chain(others).filter_map(slow).collect();
        reads.sort_unstable();
        reads.dedup();
        Some(TimeWatch {
            guards: of_time.guards.clone(),
            unbounded: vec![false; m],
            ranges: vec![(0.0, 0.0); inputs],
            start: vec![0.0; inputs],
            waves: PeriodicFunctions::new(image, compiled),
            windows: vec![(0.0, 0.0); of_time.n_waves],
            passed: vec![(0.0, 0.0); of_time.n_inputs],
            left: vec![0.0; of_time.n_inputs],
            right: vec![0.0; of_time.n_inputs],
            rate_values: vec![(0.0, 0.0); rates.ops.len()],
            rates: vec![(0.0, 0.0); rates.n_out],
            values: vec![(0.0, 0.0); program.ops.len()],
            bounds: vec![(0.0, 0.0); program.n_out],
            point: vec![0.0; program.n_out],
            stack: Vec::with_capacity(2 * RANGE_LOOKS + 2),
            now: vec![0; m],
            pieces,
            known_for: vec![f64::NAN; reads.len()],
            reads,
            next: None,
            calm: (f64::NAN, f64::NAN),
            share: f64::NAN,
            horizon: f64::NAN,
        })
    }

    /// Guards that are watched here, not along the curve.
    pub fn watches(&self, guard: usize) -> bool {
        self.guards.iter().position(|&g| g == guard).is_some_and(|k| !self.unbounded[k])
    }

    fn enclose(&mut self, at: &TimeProgram<'_>, time: Interval) {
        at.compiled.enclose(TIME_PROGRAM, (time, &[]), at.k, &mut self.values, &mut self.bounds);
    }

    fn evaluate(&mut self, at: &mut TimeProgram<'_>, t: f64) {
        at.compiled.run(TIME_PROGRAM, t, &[], at.k, at.scratch, &mut self.point);
    }

    /// Forget what was found if slow values are others than those it was found for.
    fn refresh(&mut self, at: &mut TimeProgram<'_>, t: f64, horizon: f64) {
        let same = self.reads.iter().zip(&self.known_for).all(|(&i, x)| at.k[i].to_bits() == x.to_bits());
        if same && self.horizon == horizon {
            return;
        }
        self.known_for.iter_mut().zip(&self.reads).for_each(|(x, &i)| *x = at.k[i]);
        self.horizon = horizon;
        self.next = None;
        self.calm = (f64::NAN, f64::NAN);
        let near = (t, t + 4.0 * resolution(t));
        self.enclose(at, near);
        for k in 0..self.pieces.len() {
            let (low, high) = self.bounds[k];
            self.unbounded[k] = !(low.is_finite() && high.is_finite());
        }
        for (range, &bound) in self.ranges.iter_mut().zip(&self.bounds[self.pieces.len()..]) {
            *range = bound;
        }
        self.find_ranges(at, t, horizon);
        self.waves.refresh(at, &self.ranges[self.first_wave()..]);
    }

    fn first_wave(&self) -> usize {
        self.ranges.len() - self.windows.len()
    }

    /// Lowest and highest values from t to `horizon`, to a factor of three of what lies between them.
    fn find_ranges(&mut self, at: &mut TimeProgram<'_>, t: f64, horizon: f64) {
        if self.ranges.is_empty() || horizon <= t {
            return;
        }
        self.see(at, horizon);
        self.stack.clear();
        self.stack.push((t, horizon));
        // The widest first.
        let mut looks = 0;
        while looks < self.stack.len().min(RANGE_LOOKS) {
            let (a, b) = self.stack[looks];
            looks += 1;
            let middle = 0.5 * (a + b);
            self.see(at, middle);
            self.enclose(at, (a, b));
            let bounds = &self.bounds[self.pieces.len()..];
            let beyond = |(range, bound): (&Interval, &Interval)| {
                let width = range.1 - range.0;
                // Where it is infinite throughout there is nothing to find.
                let finite = bound.0 < f64::INFINITY && bound.1 > f64::NEG_INFINITY;
                let outside = bound.0 < range.0 - width || bound.1 > range.1 + width;
                finite && width.is_finite() && outside
            };
            if self.ranges.iter().zip(bounds).any(beyond) && b - a > 4.0 * resolution(b) {
                self.stack.extend([(a, middle), (middle, b)]);
            }
        }
    }

    /// Values at t are within the ranges.
    fn see(&mut self, at: &mut TimeProgram<'_>, t: f64) {
        self.evaluate(at, t);
        for (range, &value) in self.ranges.iter_mut().zip(&self.point[self.pieces.len()..]) {
            // An infinite value would hide all others.
            if value.is_finite() {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
    }

    /// The first corner after t, up to `horizon`.
    pub fn next(&mut self, mut at: TimeProgram<'_>, t: f64, horizon: f64) -> Corner {
        self.refresh(&mut at, t, horizon);
        if let Some(next) = self.next.filter(|c| c.t > t) {
            return next;
        }
        let next = self.search(&mut at, t, horizon);
        self.next = Some(next);
        next
    }

    fn search(&mut self, at: &mut TimeProgram<'_>, t: f64, horizon: f64) -> Corner {
        let none = Corner { t: f64::INFINITY, jumps: false };
        let start = t + 4.0 * resolution(t);
        if self.pieces.is_empty() || start >= horizon {
            return none;
        }
        self.read_pieces(at, t);
        for k in 0..self.pieces.len() {
            // A guard at zero has been dealt with: it is on the side it goes to.
            if self.now[k] == 0 && matches!(self.pieces[k], Pieces::Sign) {
                self.now[k] = LEAVING;
            }
        }
        if let Some(corner) = self.locate_corner(at, t.next_up(), start) {
            return corner;
        }
        self.read_pieces(at, start);
        self.stack.clear();
        self.stack.push((start, horizon));
        let mut looks = 0;
        while let Some((a, b)) = self.stack.pop() {
            self.enclose(at, (a, b));
            let stays = |k: usize| {
                let (low, high) = self.bounds[k];
                self.unbounded[k]
                    || (self.pieces[k].of(low) == self.now[k] && self.pieces[k].of(high) == self.now[k])
            };
            if (0..self.pieces.len()).all(stays) {
                continue;
            }
            looks += 1;
            let middle = 0.5 * (a + b);
            if b - a > 2.0 * resolution(b) && middle > a && middle < b {
                if looks > MOST_LOOKS {
                    return Corner { t: middle, jumps: false };
                }
                self.stack.extend([(middle, b), (a, middle)]);
                continue;
            }
            if let Some(corner) = self.locate_corner(at, a, b) {
                return corner;
            }
        }
        none
    }

    fn read_pieces(&mut self, at: &mut TimeProgram<'_>, t: f64) {
        self.evaluate(at, t);
        for k in 0..self.pieces.len() {
            self.now[k] = self.pieces[k].of(self.point[k]);
        }
    }

    /// A corner from a to b, some roundings apart: at b, or where something jumps at the first time at which it has, just before which it has not.
    fn locate_corner(&mut self, at: &mut TimeProgram<'_>, a: f64, b: f64) -> Option<Corner> {
        let ended = |watch: &Self, jumps: bool| {
            let left = |k: usize| {
                let asked = !watch.unbounded[k] && watch.now[k] != LEAVING;
                asked && watch.pieces[k].of(watch.point[k]) != watch.now[k]
            };
            (0..watch.pieces.len()).any(|k| left(k) && (!jumps || watch.pieces[k].jumps()))
        };
        self.evaluate(at, b);
        if !ended(self, false) {
            return None;
        }
        if !ended(self, true) {
            return Some(Corner { t: b, jumps: false });
        }
        let mut t = a;
        // Near zero time has more roundings than it is worth to look at.
        for _ in 0..CORNER_SAMPLES {
            self.evaluate(at, t);
            if t >= b || ended(self, true) {
                return Some(Corner { t: t.min(b), jumps: true });
            }
            t = t.next_up();
        }
        Some(Corner { t: b, jumps: true })
    }
}

//! Lowest and highest values of signals over a run, between its rows too.
//!
//! Every step gives a curve. Signals are read off it where it ends; with the end before, or the middle where there is none, a parabola
//!
//!   x(s) = x_0 + d (s − t_0) + c (s − t_0)(s − t_1),   |x − chord| ≤ ¼ |c| h²,   x' = 0 within where |d| < |c| h         (1), (2)
//!
//! tells whether a signal turns in the step, beyond what was found so far. If it may, with a margin for what a parabola does not see, the curve is
//! read at `FINE` points, and at the vertices of parabolas through three of them. So an extreme is a value that the signal has. Where an output that nothing
//! integrates hides something in a step, the piece comes in parts (`OutputWatch`).

use std::ops::ControlFlow;

use trunnion_results::Extremes;
use trunnion_sim::integrate::StepPiece;

/// Points in a step that is looked at closely.
const FINE: usize = 8;
/// Bends may be so many times those of (1), turns as many times farther out than in (2).
const MARGIN: f64 = 2.0;
/// What adds less than this share of a signal's size is not looked for: far below what solvers promise.
const NEGLIGIBLE: f64 = 1e-9;

/// Whether values as far out as `low` or `high` would be worth knowing of a signal with this noise.
fn may_grow(found: &Extremes, low: f64, high: f64, noise: f64) -> bool {
    if high.max(found.max.1) - low.min(found.min.1) <= noise {
        return false;
    }
    let little = NEGLIGIBLE * found.max.1.abs().max(found.min.1.abs());
    high > found.max.1 + little || low < found.min.1 - little
}

/// The signals along one piece of the solution.
pub trait DenseSignals {
    /// All of them at a time.
    fn read(&mut self, t: f64, row: &mut [f64]) -> ControlFlow<()>;
    /// What each is uncertain by there: one that never moved by more is not looked at closely.
    fn noise(&mut self, t: f64, noise: &mut [f64]);
}

/// Values of all signals at one time.
type SignalRow = (f64, Vec<f64>);

/// Follows signals along a run.
pub struct ExtremeTracker {
    found: Vec<Extremes>,
    /// At the beginning of the last piece, or within it, if that is known; at its end; what is read.
    before: SignalRow,
    has_before: bool,
    last: SignalRow,
    end: SignalRow,
    fine: Vec<SignalRow>,
    turning: Vec<usize>,
    /// Noise of the signals, asked for at the first close look, the second, the fourth, and so on: it changes as slowly as their size.
    noise: Vec<f64>,
    looks: u64,
}

impl ExtremeTracker {
    pub fn new(signals: usize) -> Self {
        let row = || (f64::NAN, vec![0.0; signals]);
        ExtremeTracker {
            found: vec![Extremes::default(); signals],
            before: row(),
            has_before: false,
            last: row(),
            end: row(),
            fine: vec![row(); FINE + 2],
            turning: Vec::with_capacity(signals),
            noise: vec![0.0; signals],
            looks: 0,
        }
    }

    pub fn found(self) -> Vec<Extremes> {
        self.found
    }

    /// Values at the end of the last piece.
    pub fn last(&self) -> &[f64] {
        &self.last.1
    }

    /// Values that a row of the results has.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        for (found, &x) in self.found.iter_mut().zip(values) {
            found.push(t, x);
        }
    }

    /// Along the next piece of the solution.
    pub fn follow(&mut self, piece: StepPiece<'_>, read: &mut dyn DenseSignals) -> ControlFlow<()> {
        let StepPiece { from, to, joined, .. } = piece;
        if !joined || self.last.0 != from {
            self.has_before = false;
            self.take(from, read)?;
            std::mem::swap(&mut self.last, &mut self.end);
        }
        if !self.has_before {
            self.take(from + 0.5 * (to - from), read)?;
            std::mem::swap(&mut self.before, &mut self.end);
        }
        self.take(to, read)?;
        self.find_turning();
        if !self.turning.is_empty() {
            self.looks += 1;
            if self.looks.is_power_of_two() {
                read.noise(to, &mut self.noise);
                self.find_turning();
            }
        }
        if !self.turning.is_empty() {
            self.look_closely(read)?;
        }
        std::mem::swap(&mut self.before, &mut self.last);
        std::mem::swap(&mut self.last, &mut self.end);
        self.has_before = true;
        ControlFlow::Continue(())
    }

    /// Reads `end`, and sees what is there.
    fn take(&mut self, t: f64, read: &mut dyn DenseSignals) -> ControlFlow<()> {
        self.end.0 = t;
        read.read(t, &mut self.end.1)?;
        for (found, &x) in self.found.iter_mut().zip(&self.end.1) {
            found.push(t, x);
        }
        ControlFlow::Continue(())
    }

    /// Signals that may turn between `last` and `end`.
    fn find_turning(&mut self) {
        let (third, t_0, t_1) = (&self.before, self.last.0, self.end.0);
        let h = t_1 - t_0;
        let (to_third, all) = (1.0 / (third.0 - t_0), 1.0 / (third.0 - t_1));
        self.turning.clear();
        for (k, found) in self.found.iter().enumerate() {
            let (x_0, x_1) = (self.last.1[k], self.end.1[k]);
            let d = (x_1 - x_0) / h;
            let c = ((third.1[k] - x_0) * to_third - d) * all;
            let beyond = MARGIN * 0.25 * c.abs() * h * h; // (1)
            let turns = d.abs() <= MARGIN * c.abs() * h; // (2)
            if turns && may_grow(found, x_0.min(x_1) - beyond, x_0.max(x_1) + beyond, self.noise[k]) {
                self.turning.push(k);
            }
        }
    }

    /// Reads the curve between `last` and `end` at many points.
    fn look_closely(&mut self, read: &mut dyn DenseSignals) -> ControlFlow<()> {
        let (t_0, h) = (self.last.0, self.end.0 - self.last.0);
        let mut fine = std::mem::take(&mut self.fine);
        fine[0].clone_from(&self.last);
        fine[FINE].clone_from(&self.end);
        let mut done = ControlFlow::Continue(());
        for (i, row) in fine[1..FINE].iter_mut().enumerate() {
            row.0 = t_0 + (i + 1) as f64 / FINE as f64 * h;
            done = read.read(row.0, &mut row.1);
            if done.is_break() {
                break;
            }
            self.push(row.0, &row.1);
        }
        for place in 0..self.turning.len() * 2 {
            let (k, sign) = (self.turning[place / 2], if place % 2 == 0 { 1.0 } else { -1.0 });
            let Some((t, top)) = vertex(&fine[..=FINE], k, sign).filter(|_| done.is_continue()) else {
                continue;
            };
            let [low, high] = if sign > 0.0 { [f64::INFINITY, top] } else { [top, f64::NEG_INFINITY] };
            if may_grow(&self.found[k], low, high, self.noise[k]) {
                let row = &mut fine[FINE + 1].1;
                done = read.read(t, row);
                self.push(t, row);
            }
        }
        self.fine = fine;
        done
    }
}

/// Vertex of the parabola through the highest point of `sign · x` and its neighbours.
fn vertex(fine: &[SignalRow], k: usize, sign: f64) -> Option<(f64, f64)> {
    let at = |i: usize| sign * fine[i].1[k];
    let top = (0..fine.len()).fold(0, |best, i| if at(i) > at(best) { i } else { best });
    let i = top.clamp(1, fine.len() - 2);
    let (rise, fall) = (at(i) - at(i - 1), at(i) - at(i + 1));
    let share = 0.5 * (rise - fall) / (rise + fall);
    let t = fine[i].0 + share * (fine[i].0 - fine[i - 1].0);
    let value = at(i) + 0.25 * share * (rise - fall);
    (rise + fall > 0.0 && share.abs() < 1.0).then_some((t, sign * value))
}

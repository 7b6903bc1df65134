//! Where to read outputs between the ends of a step.
//!
//! Nothing integrates what only shows, so steps do not follow it: a pulse of time, or of a state that runs evenly, may lie within one step. Its
//! parts f(b), functions of time or of one linear combination b of unknowns, are bounded over the step; where bounds are too far from values that are known, the stretch
//! of time is halved, the longest first. [Moore2009, ch. 8]
//!
//!   for extremes   f is within its values at both ends, a `SHARE` of its range aside, and within its extremes so far, but for `BEYOND`
//!   for means      f changes by less than `CHANGE` of its range, and then ∫ |f| dt by less than `AREA` of what it is so far by any place between two
//!
//! A new extreme between the ends is then found to `EXACT` by golden section. Steps stay as they are: only places to read are found.
//!
//! Limits: bases are taken to be monotone between three places of a stretch; bounds that are not finite say nothing; a division that does not end leaves
//! what it has not seen.

use std::collections::{HashMap, HashSet};

use trunnion_equations::{Expr, ExprNode, Interval, ProgramKind};

use crate::machine::Prepared;
use crate::state_watch::NONE;
use crate::stepper::Segment;
use crate::time_watch::TimeProgram;

const SHARE: f64 = 0.1;
const BEYOND: f64 = 1e-3;
const CHANGE: f64 = 0.03;
const AREA: f64 = 1e-4;
const EXACT: f64 = 1e-10;
/// Of the size of a function, and what rounding makes of its terms so many times: less is not worth a look.
const ROUNDING: f64 = 1e-9;
const ROUNDINGS: f64 = 10.0;
/// Bisections for the extremes in one piece, and unsuccessful ones for one function besides one in so many pieces: bounds may remain too wide. For means in
/// a whole run, of which one piece takes a part.
const LOOKS: usize = 400;
const PIECES: usize = 16;
const ALL_LOOKS: usize = 400_000;
const PART_OF_LOOKS: usize = 4;
/// A function that changes by so much of its range between samples, for this share of the time, is reported as unresolved.
const UNRESOLVED_CHANGE: f64 = 0.3;
const UNRESOLVED_SHARE: f64 = 1e-2;
/// No smaller share of a piece is looked at.
const LEAST: f64 = 1e-12;

const BASES_PROGRAM: usize = ProgramKind::OutputBases as usize;
const FUNCTIONS_PROGRAM: usize = ProgramKind::OutputFunctions as usize;
const GOLDEN: f64 = 0.618_033_988_749_894_8;

fn include(range: &mut Interval, value: f64) {
    if value.is_finite() {
        *range = (range.0.min(value), range.1.max(value));
    }
}

/// Functions that columns are made of; not those within others, as sin² + cos² is constant.
fn largest(prepared: &Prepared, columns: &[usize]) -> Vec<usize> {
    let (graph, functions) = (&prepared.system.graph, &prepared.system.shown.functions);
    let numbers: HashMap<Expr, usize> = functions.iter().enumerate().map(|(k, f)| (f.2, k)).collect();
    let mut left: Vec<Expr> = columns.iter().map(|&c| prepared.column_expression(c)).collect();
    let (mut seen, mut found) = (HashSet::new(), vec![]);
    while let Some(e) = left.pop() {
        if !seen.insert(e) {
            continue;
        }
        match numbers.get(&e) {
            Some(&f) => found.push(f),
            None => left.extend(graph.node(e).children()),
        }
    }
    found.sort_unstable();
    found
}

pub struct OutputWatch {
    /// Functions that are requested.
    asked: Vec<usize>,
    /// Some of their bases are more than time.
    reads_unknowns: bool,
    /// Means are requested, and how many evaluations are left for them.
    for_means: bool,
    left: usize,
    /// Unsuccessful bisections left to each requested function, times `PIECES`.
    credit: Vec<usize>,
    /// Values of each function so far, and before the present piece.
    known: Vec<Interval>,
    earlier: Vec<Interval>,
    /// What rounding makes of each function: currents that add up to nothing are not nothing.
    noise: Vec<f64>,
    /// How long each function changed more than it was read for, and how long all was watched.
    unread: Vec<f64>,
    watched: f64,
    /// ∫ |f| dt of each function so far, from below.
    areas: Vec<f64>,
    // Of one piece: places with bases and the values of the requested functions, intervals between two of them, and what is found.
    places: Vec<f64>,
    seen_bases: Vec<f64>,
    samples: Vec<f64>,
    stretches: Vec<(usize, usize)>,
    times: Vec<f64>,
    // Of one stretch: values at its ends, bounds, and scratch.
    ends: Vec<Interval>,
    bounds: Vec<Interval>,
    y: Vec<f64>,
    bases: Vec<f64>,
    point: Vec<f64>,
    doubts: Vec<[f64; 1]>,
    rounding: Vec<f64>,
    ranges: Vec<Interval>,
    values: Vec<Interval>,
}

impl OutputWatch {
    /// None: there is nothing to watch in these columns.
    pub fn new(prepared: &Prepared, columns: &[usize], for_means: bool) -> Option<Self> {
        let (system, compiled) = (&prepared.system, &prepared.compiled);
        let shown = &system.shown;
        if shown.functions.is_empty() {
            return None;
        }
        let asked = largest(prepared, columns);
        let (m, n) = (shown.functions.len(), shown.bases.len());
        let of_time = |f: &usize| system.graph.node(shown.bases[shown.functions[*f].0]) == ExprNode::Time;
        (!asked.is_empty()).then(|| OutputWatch {
            reads_unknowns: !asked.iter().all(of_time),
            for_means,
            left: ALL_LOOKS,
            credit: vec![LOOKS * PIECES; asked.len()],
            known: vec![NONE; m],
            earlier: vec![NONE; m],
            noise: vec![0.0; m],
            unread: vec![0.0; asked.len()],
            watched: 0.0,
            areas: vec![0.0; asked.len()],
            asked,
            places: vec![],
            seen_bases: vec![],
            samples: vec![],
            stretches: vec![],
            times: vec![],
            ends: vec![NONE; m],
            bounds: vec![NONE; m],
            y: vec![0.0; system.n()],
            bases: vec![0.0; n],
            point: vec![0.0; m],
            doubts: vec![[0.0]; compiled.program(FUNCTIONS_PROGRAM).ops.len()],
            rounding: vec![0.0; m],
            ranges: vec![NONE; n],
            values: vec![NONE; compiled.program(FUNCTIONS_PROGRAM).ops.len()],
        })
    }

    /// Those of `columns` that change faster than they were read for means.
    pub fn unread(&self, prepared: &Prepared, columns: &[usize]) -> Vec<usize> {
        let is_unread = |f: &usize| {
            let place = self.asked.iter().position(|asked| asked == f);
            place.is_some_and(|place| self.unread[place] > UNRESOLVED_SHARE * self.watched)
        };
        let any = self.for_means && self.asked.iter().any(is_unread);
        columns.iter().copied().filter(|&c| any && largest(prepared, &[c]).iter().any(is_unread)).collect()
    }

    /// Times between `from` and `to` at which outputs are to be read, in order.
    pub(crate) fn times(&mut self, at: &mut TimeProgram<'_>, curve: &Segment, from: f64, to: f64) -> &[f64] {
        self.times.clear();
        self.places.clear();
        self.seen_bases.clear();
        self.samples.clear();
        self.stretches.clear();
        self.earlier.copy_from_slice(&self.known);
        self.watched += to - from;
        for t in [from, to] {
            self.evaluate(at, curve, t);
            self.sample(t);
        }
        self.stretches.push((0, 1));
        let most = if self.for_means { self.left / PART_OF_LOOKS } else { LOOKS };
        self.credit.iter_mut().for_each(|c| *c = (LOOKS * PIECES).min(*c + 1));
        let mut next = 0;
        while let Some(&(i, j)) = self.stretches.get(next) {
            next += 1;
            let (a, b) = (self.places[i], self.places[j]);
            let middle = 0.5 * (a + b);
            self.evaluate(at, curve, middle);
            self.enclose(at, i, j);
            let divisible = middle > a && middle < b && b - a > LEAST * (to - from);
            if !divisible || !self.is_any_asked() {
                continue;
            }
            if next == 1 {
                self.measure_noise(at);
                if !self.is_any_asked() {
                    continue;
                }
            }
            self.sample(middle);
            self.charge_work();
            if self.times.len() < most {
                self.times.push(middle);
                let new = self.places.len() - 1;
                self.stretches.extend([(i, new), (new, j)]);
            } else {
                self.note_unread(b - a);
            }
        }
        if self.for_means {
            self.even_out(at, curve, most, LEAST * (to - from));
            self.left -= self.times.len().min(self.left);
        }
        self.sharpen(at, curve);
        self.times.sort_by(f64::total_cmp);
        self.times.dedup();
        &self.times
    }

    /// All functions at t.
    fn evaluate(&mut self, at: &mut TimeProgram<'_>, curve: &Segment, t: f64) {
        if self.reads_unknowns {
            curve.at(t, &mut self.y);
        }
        at.compiled.run(BASES_PROGRAM, t, &self.y, at.k, at.scratch, &mut self.bases);
        at.compiled.run(FUNCTIONS_PROGRAM, 0.0, &self.bases, at.k, at.scratch, &mut self.point);
    }

    /// Keep what was evaluated at t.
    fn sample(&mut self, t: f64) {
        self.places.push(t);
        self.seen_bases.extend_from_slice(&self.bases);
        for &f in &self.asked {
            self.samples.push(self.point[f]);
            include(&mut self.known[f], self.point[f]);
        }
    }

    /// Values at two places, and bounds between them by these and by what was evaluated last, in their middle.
    fn enclose(&mut self, at: &mut TimeProgram<'_>, i: usize, j: usize) {
        let (n, m) = (self.bases.len(), self.asked.len());
        for (b, range) in self.ranges.iter_mut().enumerate() {
            *range = NONE;
            [self.seen_bases[i * n + b], self.seen_bases[j * n + b], self.bases[b]]
                .iter()
                .for_each(|&x| include(range, x));
        }
        for (place, &f) in self.asked.iter().enumerate() {
            self.ends[f] = NONE;
            include(&mut self.ends[f], self.samples[i * m + place]);
            include(&mut self.ends[f], self.samples[j * m + place]);
        }
        let time = (0.0, 0.0);
        at.compiled.enclose(
            FUNCTIONS_PROGRAM,
            (time, &self.ranges),
            at.k,
            &mut self.values,
            &mut self.bounds,
        );
    }

    fn negligible(&self, f: usize) -> f64 {
        let size = self.known[f].0.abs().max(self.known[f].1.abs());
        (ROUNDING * size).max(ROUNDINGS * self.noise[f])
    }

    /// What rounding makes of the functions at the last place, if that is more than before.
    fn measure_noise(&mut self, at: &mut TimeProgram<'_>) {
        let out: [&mut [f64]; 1] = [&mut self.rounding];
        at.compiled.rounding(
            FUNCTIONS_PROGRAM,
            (0.0, &self.bases, at.k),
            [&[]],
            at.scratch,
            &mut self.doubts,
            out,
        );
        for (noise, &new) in self.noise.iter_mut().zip(&self.rounding) {
            *noise = if new.is_finite() { noise.max(new) } else { *noise };
        }
    }

    fn range(&self, f: usize) -> f64 {
        self.known[f].1 - self.known[f].0
    }

    /// What f may do between the ends without being looked at.
    fn expected(&self, f: usize) -> Interval {
        let margin = (SHARE * self.range(f)).max(self.negligible(f));
        (self.ends[f].0 - margin, self.ends[f].1 + margin)
    }

    /// The bounds at hand tell enough; those that are not finite tell nothing.
    fn is_close(&self, f: usize) -> bool {
        let ((low, high), little, range) = (self.bounds[f], self.negligible(f), self.range(f));
        // What is the same at so many places is constant, whatever its bounds.
        let constant = range <= little && self.places.len() > LOOKS;
        if constant || !(low.is_finite() && high.is_finite() && range.is_finite()) {
            return true;
        }
        if self.for_means && high - low > (CHANGE * range).max(little) {
            return false;
        }
        let (expected, beyond) = (self.expected(f), (BEYOND * range).max(little));
        let known = (self.known[f].0 - beyond, self.known[f].1 + beyond);
        low >= expected.0.max(known.0) && high <= expected.1.min(known.1)
    }

    /// Whether the stretch at hand is divided for this function.
    fn is_asked(&self, place: usize) -> bool {
        (self.for_means || self.credit[place] >= PIECES) && !self.is_close(self.asked[place])
    }

    fn is_any_asked(&self) -> bool {
        (0..self.asked.len()).any(|place| self.is_asked(place))
    }

    /// Those for which the stretch at hand was divided: has its middle shown what its ends do not?
    fn charge_work(&mut self) {
        for place in 0..self.asked.len() {
            let f = self.asked[place];
            let (value, expected) = (self.point[f], self.expected(f));
            if value < expected.0 || value > expected.1 {
                self.credit[place] = LOOKS * PIECES;
            } else if self.is_asked(place) {
                self.credit[place] = self.credit[place].saturating_sub(PIECES);
            }
        }
    }

    /// The stretch at hand, whose middle was sampled last, is divided no more.
    fn note_unread(&mut self, length: f64) {
        for place in 0..self.asked.len() {
            let f = self.asked[place];
            let mut seen = self.ends[f];
            include(&mut seen, self.point[f]);
            if seen.1 - seen.0 > (UNRESOLVED_CHANGE * self.range(f)).max(self.negligible(f)) {
                self.unread[place] += length;
            }
        }
    }

    /// The places sampled, in order of time.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|&i, &j| self.places[i].total_cmp(&self.places[j]));
        order
    }

    /// Divides what is long between two places and not level, as the foot of a pulse may be: by its area, not by its height.
    fn even_out(&mut self, at: &mut TimeProgram<'_>, curve: &Segment, most: usize, least: f64) {
        let (order, m) = (self.in_order(), self.asked.len());
        let pairs = order.windows(2).map(|pair| (pair[0], pair[1]));
        let mut pairs: Vec<(usize, usize)> = pairs.collect();
        for &(i, j) in &pairs {
            let dt = self.places[j] - self.places[i];
            for place in 0..m {
                // From below: otherwise a long foot would count for more than its pulse.
                let least = self.samples[i * m + place].abs().min(self.samples[j * m + place].abs());
                self.areas[place] += if least.is_finite() { dt * least } else { 0.0 };
            }
        }
        while let Some((i, j)) = pairs.pop() {
            let dt = self.places[j] - self.places[i];
            let uneven = |place: usize| {
                let change = (self.samples[j * m + place] - self.samples[i * m + place]).abs();
                change > self.negligible(self.asked[place]) && change * dt > AREA * self.areas[place]
            };
            let middle = 0.5 * (self.places[i] + self.places[j]);
            if self.times.len() < 2 * most && dt > least && (0..m).any(uneven) {
                self.evaluate(at, curve, middle);
                self.sample(middle);
                self.times.push(middle);
                let new = self.places.len() - 1;
                pairs.extend([(i, new), (new, j)]);
            }
        }
    }

    /// Extremes beyond all earlier ones, between the places where they were seen.
    fn sharpen(&mut self, at: &mut TimeProgram<'_>, curve: &Segment) {
        if self.times.is_empty() {
            return;
        }
        let (order, m) = (self.in_order(), self.asked.len());
        for place in 0..self.asked.len() {
            let f = self.asked[place];
            for sign in [1.0, -1.0] {
                let value = |i: usize| sign * self.samples[order[i] * m + place];
                let best = (0..order.len()).fold(0, |best, i| if value(i) > value(best) { i } else { best });
                let earlier = if sign > 0.0 { self.earlier[f].1 } else { -self.earlier[f].0 };
                let inside = best > 0 && best + 1 < order.len();
                if inside && value(best) > earlier + self.negligible(f) {
                    let around = (self.places[order[best - 1]], self.places[order[best + 1]]);
                    let t = self.highest(at, curve, (f, sign), around);
                    self.times.push(t);
                }
            }
        }
    }

    /// Where sign · f is highest between two times, by golden section. [Kiefer1953]
    fn highest(
        &mut self,
        at: &mut TimeProgram<'_>,
        curve: &Segment,
        (f, sign): (usize, f64),
        (mut a, mut b): Interval,
    ) -> f64 {
        let least = EXACT * (b - a);
        let mut value = |t: f64| {
            self.evaluate(at, curve, t);
            sign * self.point[f]
        };
        let (mut c, mut d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        let (mut at_c, mut at_d) = (value(c), value(d));
        while b - a > least && a < c && c < d && d < b {
            if at_c >= at_d {
                (b, d, at_d) = (d, c, at_c);
                c = b - GOLDEN * (b - a);
                at_c = value(c);
            } else {
                (a, c, at_c) = (c, d, at_d);
                d = a + GOLDEN * (b - a);
                at_d = value(d);
            }
        }
        if at_c >= at_d { c } else { d }
    }
}

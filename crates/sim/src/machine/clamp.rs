//! Events that hold what they set.
//!
//! A ball that is laid on the floor, `when x < 0 set x = 0, v = 0`, falls again at once: the event would fire without end while time stands still. What
//! it comes to is an equilibrium: the states that it sets keep the values they are given, as long as the equations would drive its condition
//! true again. That shows in the first of the rates of change of the guard g along the equations that is not zero,
//!   L₁ = ∂g/∂t + ∇g · f,   L₂ = ∂L₁/∂t + ∇L₁ · f.                                  (1)
//! While an event holds, the rows of its states are zero and a guard of its own, ± L₁ or ± L₂, tells when it ends.
//!
//! Limits: all that the event sets are states with values that follow from parameters and modes, not tied by closed loops, in models without
//! algebraic unknowns. For others such an event is reported (Zeno).

use super::Machine;
use crate::problem::Hybrid;
use trunnion_equations::flat::Direction;
use trunnion_equations::image::ImageEvent;
use trunnion_equations::{Image, ProgramKind};

/// Of the size of an unknown: how far differences of (1) reach.
const REACH: f64 = 1e-4;
/// The longest time for them (s).
const LONGEST: f64 = 1e-4;
/// Of what drives it at the beginning.
const LEAST: f64 = 1e-10;
/// Roundings of a guard by which a difference is no rounding.
const CLEAR: f64 = 1e3;

/// An event that may hold.
#[derive(Debug)]
pub struct Clamp {
    pub event: usize,
    /// Rows of the states it sets, and their entries in the Jacobian.
    rows: Vec<usize>,
    entries: Vec<usize>,
    /// Of its guard where the condition is true.
    sign: f64,
}

/// All events that may hold.
pub fn clamps(image: &Image) -> Vec<Clamp> {
    let of = |(number, event): (usize, &ImageEvent)| {
        let rows: Option<Vec<usize>> = event.targets.iter().map(|&s| image.y_place(s)).collect();
        let rows = rows.filter(|_| event.may_hold)?;
        let sign = match image.guards[number].direction {
            Direction::Falling => -1.0,
            Direction::Rising => 1.0,
            Direction::Both => return None,
        };
        let entries = image.pattern.entries().filter(|(i, _, _)| rows.contains(i)).map(|(_, _, place)| place);
        Some(Clamp { event: number, entries: entries.collect(), rows, sign })
    };
    image.events.iter().enumerate().filter_map(of).collect()
}

/// Which of them hold, and room for (1).
#[derive(Default)]
pub(super) struct ActiveClamps {
    /// 1 or 2: which of (1) tells; 0: it does not hold.
    pub order: Vec<usize>,
    /// It ends where they drive in the opposite direction by more than this: by less, rounding would decide what comes next.
    pub least: Vec<f64>,
    /// Event and time of every beginning.
    pub log: Vec<(usize, f64)>,
    y: [Vec<f64>; 2],
    f: [Vec<f64>; 2],
    g: Vec<f64>,
}

impl ActiveClamps {
    pub fn new(count: usize, n: usize, guards: usize) -> Self {
        let pair = || [vec![0.0; n], vec![0.0; n]];
        ActiveClamps {
            order: vec![0; count],
            least: vec![0.0; count],
            log: vec![],
            y: pair(),
            f: pair(),
            g: vec![0.0; guards],
        }
    }
}

impl Machine {
    /// Guards of the ends of holding, after all others.
    pub(super) fn guards_of_holds(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        for (k, value) in g.iter_mut().enumerate() {
            *value = match self.held.order[k] {
                0 => 1.0,
                order => self.drive(k, order, t, y) + self.held.least[k],
            };
        }
    }

    /// Rows of held states in f, and of its derivatives.
    pub(super) fn hold_rows(&self, f: &mut [f64]) {
        for (hold, _) in self.model.clamps.iter().zip(&self.held.order).filter(|(_, order)| **order > 0) {
            hold.rows.iter().for_each(|&i| f[i] = 0.0);
        }
    }

    pub(super) fn hold_entries(&self, values: &mut [f64]) {
        for (hold, _) in self.model.clamps.iter().zip(&self.held.order).filter(|(_, order)| **order > 0) {
            hold.entries.iter().for_each(|&place| values[place] = 0.0);
        }
    }

    /// Begin to hold what an event has just set, if it would fire again at once.
    pub(super) fn begin_hold(&mut self, t: f64, y: &[f64], event: usize) -> bool {
        let Some(k) = self.model.clamps.iter().position(|h| h.event == event) else { return false };
        if self.held.order[k] > 0 {
            return false;
        }
        let mut noise = vec![0.0; self.model.layout.guards.len()];
        self.rounding(t, y, &mut noise);
        let mut g = std::mem::take(&mut self.held.g);
        self.run(ProgramKind::Guards, t, y, &mut g);
        let rests = g[event].abs() <= noise[event];
        self.held.g = g;
        if !rests {
            return false;
        }
        let (first, dt) = (self.drive(k, 1, t, y), self.reach(t, y));
        let order = if (first * dt).abs() > CLEAR * noise[event] { 1 } else { 2 };
        let drive = self.drive(k, order, t, y);
        if drive <= 0.0 {
            return false;
        }
        (self.held.order[k], self.held.least[k]) = (order, LEAST * drive);
        self.held.log.push((event, t));
        true
    }

    /// End the holding of whatever holds the state at this place.
    pub(super) fn release(&mut self, place: usize) {
        for (hold, order) in self.model.clamps.iter().zip(&mut self.held.order) {
            if hold.rows.contains(&place) {
                *order = 0;
            }
        }
    }

    /// How the equations drive the condition of an event that may hold: positive if it would become true.
    fn drive(&mut self, k: usize, order: usize, t: f64, y: &[f64]) -> f64 {
        let sign = self.model.clamps[k].sign;
        let dt = self.reach(t, y);
        if order == 1 {
            return sign * self.rate(k, t, y, dt);
        }
        let mut near = std::mem::take(&mut self.held.y[1]);
        let mut f = std::mem::take(&mut self.held.f[1]);
        self.run(ProgramKind::Residual, t, y, &mut f);
        let mut rates = [0.0; 2];
        for (rate, step) in rates.iter_mut().zip([-dt, dt]) {
            (0..y.len()).for_each(|i| near[i] = y[i] + step * f[i]);
            *rate = self.rate(k, t + step, &near, dt);
        }
        (self.held.y[1], self.held.f[1]) = (near, f);
        sign * (rates[1] - rates[0]) / (2.0 * dt)
    }

    /// L₁ of (1), by differences.
    fn rate(&mut self, k: usize, t: f64, y: &[f64], dt: f64) -> f64 {
        let event = self.model.clamps[k].event;
        let mut near = std::mem::take(&mut self.held.y[0]);
        let mut f = std::mem::take(&mut self.held.f[0]);
        let mut g = std::mem::take(&mut self.held.g);
        self.run(ProgramKind::Residual, t, y, &mut f);
        let mut values = [0.0; 2];
        for (value, step) in values.iter_mut().zip([-dt, dt]) {
            (0..y.len()).for_each(|i| near[i] = y[i] + step * f[i]);
            self.run(ProgramKind::Guards, t + step, &near, &mut g);
            *value = g[event];
        }
        (self.held.y[0], self.held.f[0], self.held.g) = (near, f, g);
        (values[1] - values[0]) / (2.0 * dt)
    }

    /// A time in which no unknown changes by more than a little.
    fn reach(&mut self, t: f64, y: &[f64]) -> f64 {
        let mut f = std::mem::take(&mut self.held.f[0]);
        self.run(ProgramKind::Residual, t, y, &mut f);
        let nominal = &self.model.layout.nominal;
        let time = |i: usize| REACH * nominal[i].max(y[i].abs()) / f[i].abs().max(f64::MIN_POSITIVE);
        let reach = (0..y.len()).map(time).fold(LONGEST, f64::min);
        self.held.f[0] = f;
        reach
    }
}

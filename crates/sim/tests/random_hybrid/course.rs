//! The course of such a system as it must be, in integers.

use crate::spec::{Assignments, Guard, Law, Level, Rate, Spec, Target, Value};
use crate::{ENDLESS, MOST, T_END};

/// What cannot be decided, or would not be worth it.
pub enum Unfit {
    /// Numbers outgrow the integers, or too much happens.
    Numbers,
    /// A condition that held is at its threshold when something else happens: it may or may not begin to hold anew.
    Touch,
}

/// The course as it must be.
pub struct Course<'a> {
    pub spec: &'a Spec,
    pub t: i128,
    pub x: Vec<i128>,
    pub rates: Vec<Rate>,
    pub references: Vec<i128>,
    /// Numbers of the file at this instant: nothing is rounded. For references: or the value of this state.
    pub exact: Vec<bool>,
    pub exact_references: Vec<(bool, Option<usize>)>,
    /// Whether the condition of each event holds, as far as it has been dealt with.
    pub holds: Vec<bool>,
    pub fired: Vec<(usize, i128)>,
    /// At one instant without end.
    pub endless: Option<i128>,
}

impl<'a> Course<'a> {
    pub fn of(spec: &'a Spec) -> Result<Self, Unfit> {
        let mut course = Course {
            spec,
            t: 0,
            x: spec.starts.clone(),
            rates: spec.rates.clone(),
            references: spec.references.clone(),
            exact: vec![true; spec.starts.len()],
            exact_references: vec![(true, None); 2],
            holds: vec![],
            fired: vec![],
            endless: None,
        };
        course.holds = (0..spec.events.len()).map(|e| course.guard(e).0 > 0).collect();
        let mut next_task = spec.task.as_ref().map_or(i128::MAX, |t| t.1);
        loop {
            // What rests at its threshold leaves it after the tasks of the instant.
            if course.t == next_task
                && let Some((period, _, set)) = &spec.task
            {
                course.happen((course.t > 0) as usize)?;
                if (0..course.holds.len())
                    .any(|e| course.holds[e] && course.guard(e).0 == 0 && course.guard(e).1 < 0)
                {
                    return Err(Unfit::Touch);
                }
                next_task += period;
                course.assign(&[set]);
                course.forget(&[set])?;
            }
            course.happen(usize::MAX)?;
            if course.endless.is_some() || course.t >= T_END {
                return Ok(course);
            }
            if course.fired.len() > MOST {
                return Err(Unfit::Numbers);
            }
            let next = course.next_instant()?.min(next_task).min(T_END);
            course.advance(next)?;
        }
    }

    pub fn rate(&self, i: usize) -> i128 {
        match self.spec.laws[i] {
            Law::Constant(r) => r.0,
            Law::Mode(j) => self.rates[j].0,
            Law::If(j, c, a, b) => {
                let above = (self.x[j] - c).signum();
                let above = if above == 0 { self.rate(j).signum() } else { above };
                if above > 0 { a.0 } else { b.0 }
            }
        }
    }

    pub fn level(&self, level: Level) -> i128 {
        match level {
            Level::Fixed(c) => c,
            Level::Reference(k) => self.references[k],
        }
    }

    /// Value of a guard and its slope, in halves per second.
    pub fn guard(&self, event: usize) -> (i128, i128) {
        match self.spec.events[event].0 {
            Guard::Above(i, at) => (self.x[i] - self.level(at), self.rate(i)),
            Guard::Below(i, at) => (self.level(at) - self.x[i], -self.rate(i)),
            Guard::Time(t) => (self.t - t, 2),
        }
    }

    /// Carries out what several set, all from the values now.
    pub fn assign(&mut self, sets: &[&Assignments]) {
        let (x, rates, references) = (self.x.clone(), self.rates.clone(), self.references.clone());
        for (target, value) in sets.iter().copied().flatten() {
            let old = match *target {
                Target::State(i) => x[i],
                Target::Rate(j) => rates[j].0,
                Target::Reference(k) => references[k],
            };
            let new = match *value {
                Value::Fixed(c) => c,
                Value::More(c) => old + c,
                Value::Opposite => -old,
                Value::Of(i) => x[i],
            };
            let exact = matches!(value, Value::Fixed(_));
            match *target {
                Target::State(i) => {
                    (self.x[i], self.exact[i]) = (new, exact);
                    self.exact_references.iter_mut().filter(|r| r.1 == Some(i)).for_each(|r| r.1 = None);
                }
                Target::Rate(j) => self.rates[j] = Rate(new),
                Target::Reference(k) => {
                    self.references[k] = new;
                    let same = if let Value::Of(i) = *value { Some(i) } else { None };
                    self.exact_references[k] = (exact, same);
                }
            }
        }
    }

    /// Whether computers see a guard at zero too.
    pub fn is_exact(&self, event: usize) -> bool {
        let (Guard::Above(i, at) | Guard::Below(i, at)) = self.spec.events[event].0 else { return true };
        match at {
            Level::Fixed(_) => self.exact[i],
            Level::Reference(k) => {
                let (fixed, same) = self.exact_references[k];
                same == Some(i) || fixed && self.exact[i]
            }
        }
    }

    pub fn reads(&self, event: usize, target: Target) -> bool {
        match (self.spec.events[event].0, target) {
            (Guard::Above(i, _) | Guard::Below(i, _), Target::State(j)) if i == j => true,
            (Guard::Above(_, Level::Reference(k)) | Guard::Below(_, Level::Reference(k)), t) => {
                t == Target::Reference(k)
            }
            _ => false,
        }
    }

    /// Conditions that no longer hold after `sets`.
    pub fn forget(&mut self, sets: &[&Assignments]) -> Result<(), Unfit> {
        for e in 0..self.holds.len() {
            let (g, slope) = self.guard(e);
            let touched = sets.iter().copied().flatten().any(|&(t, _)| self.reads(e, t));
            if g == 0 && touched && !self.is_exact(e) {
                return Err(Unfit::Touch);
            }
            if g < 0 || g == 0 && (touched || slope <= 0) {
                self.holds[e] = false;
            }
        }
        Ok(())
    }

    /// What happens at the present instant; conditions that begin to hold as time goes on are asked for so many times.
    pub fn happen(&mut self, mut times: usize) -> Result<(), Unfit> {
        let mut rounds = 0;
        let mut first = true;
        loop {
            let events = 0..self.holds.len();
            let jumped = |e: &usize| !self.holds[*e] && self.guard(*e).0 > 0;
            let leaves = |e: &usize| !self.holds[*e] && self.guard(*e).0 == 0 && self.guard(*e).1 > 0;
            let mut now: Vec<usize> = events.clone().filter(jumped).collect();
            if now.is_empty() && times > 0 {
                times -= 1;
                now = events.clone().filter(leaves).collect();
            }
            if now.is_empty() {
                return Ok(());
            }
            // Came down to its threshold at the very instant.
            if first && events.clone().any(|e| self.holds[e] && self.guard(e).0 == 0) {
                return Err(Unfit::Touch);
            }
            first = false;
            rounds += 1;
            if rounds > ENDLESS {
                self.endless = Some(self.t);
                return Ok(());
            }
            let mut rest = &now[..];
            while !rest.is_empty() {
                let mut targets: Vec<Target> = vec![];
                let mut count = 0;
                for &e in rest {
                    let set = &self.spec.events[e].1;
                    if set.iter().any(|(t, _)| targets.contains(t)) {
                        break;
                    }
                    targets.extend(set.iter().map(|(t, _)| *t));
                    count += 1;
                }
                let spec = self.spec;
                let sets: Vec<&Assignments> = rest[..count].iter().map(|&e| &spec.events[e].1).collect();
                self.assign(&sets);
                for &e in &rest[..count] {
                    self.holds[e] = true;
                    self.fired.push((e, self.t));
                }
                self.forget(&sets)?;
                rest = &rest[count..];
            }
        }
    }

    /// Time that a distance takes at a rate in halves per second.
    pub fn time_for(distance: i128, rate: i128) -> Result<i128, Unfit> {
        let twice = 2 * distance;
        if twice % rate != 0 { Err(Unfit::Numbers) } else { Ok(twice / rate) }
    }

    pub fn next_instant(&self) -> Result<i128, Unfit> {
        let mut next = i128::MAX;
        for e in 0..self.holds.len() {
            let (g, slope) = self.guard(e);
            if g * slope < 0 {
                next = next.min(self.t + Self::time_for(-g, slope)?);
            }
        }
        for law in &self.spec.laws {
            if let Law::If(j, c, ..) = *law {
                let (g, slope) = (self.x[j] - c, self.rate(j));
                if g * slope < 0 {
                    next = next.min(self.t + Self::time_for(-g, slope)?);
                }
            }
        }
        Ok(next)
    }

    pub fn advance(&mut self, t: i128) -> Result<(), Unfit> {
        let rates: Vec<i128> = (0..self.x.len()).map(|i| self.rate(i)).collect();
        let rising: Vec<bool> = (0..self.holds.len()).map(|e| self.guard(e).1 > 0).collect();
        let dt = t - self.t;
        if dt > 0 {
            self.exact.fill(false);
            self.exact_references.iter_mut().for_each(|r| r.1 = None);
        }
        for (x, rate) in self.x.iter_mut().zip(&rates) {
            if dt * rate % 2 != 0 {
                return Err(Unfit::Numbers);
            }
            *x += dt * rate / 2;
        }
        self.t = t;
        for e in 0..self.holds.len() {
            let (g, slope) = self.guard(e);
            if g < 0 {
                self.holds[e] = false;
            }
            // A relation turns it round at the very instant.
            let turned = if self.holds[e] { slope > 0 } else { rising[e] && slope <= 0 };
            if g == 0 && dt > 0 && turned {
                return Err(Unfit::Touch);
            }
        }
        Ok(())
    }
}

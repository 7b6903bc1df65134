//! Hybrid systems made at random whose events come at times known exactly, run with every adaptive solver.
//!
//! Between events states are straight lines, ẋ = r with r = ±½, ±1, ±2 or ±4, switched by relations and modes; events and a sampled task set states,
//! rates and the thresholds of guards. Times and values are whole multiples of 0.1/2⁴⁰ and are computed in integers, so that events of one
//! instant are known to be so; the model file has the same numbers as decimals, which computers round.
//!
//! The rule that is checked: an event fires whenever its condition, as it is right after the present moment, becomes true. A condition x > c with
//! x = c is true right after if x rises. Events that become true together act together, from the values before, unless they set the
//! same quantity: then one after the other.
//!
//! `TRUNNION_HYBRIDS` sets how many systems are tried.
#![cfg(feature = "script")]

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use trunnion_equations::{EvaluationEngine, analyse};
use trunnion_model::{Files, Library, load};
use trunnion_sim::integrate::{Moment, OutputTimes, RunError};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::{Settings, run_on};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];
const TOLERANCE: f64 = 1e-9;
/// A tenth, in the units of all values and times.
const TENTH: i128 = 1 << 40;
/// Shortly before an instant at which much would happen.
const T_END: i128 = 100 * TENTH - TENTH / 64;
/// Firings at one instant that count as endless, and those of a system that is worth trying.
const ENDLESS: usize = 60;
const MOST: usize = 120;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Tenths between −n and n.
    fn tenths(&mut self, n: usize) -> i128 {
        (self.below(2 * n + 1) as i128 - n as i128) * TENTH
    }

    fn rate(&mut self) -> Rate {
        Rate([1, 2, 4, 8][self.below(4)] * if self.below(2) == 0 { 1 } else { -1 })
    }
}

/// In halves per second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate(i128);

/// How a state moves.
#[derive(Clone, Copy, Debug)]
enum Law {
    Constant(Rate),
    /// A mode is the rate.
    Mode(usize),
    /// One rate while an earlier state is above a value, another else.
    If(usize, i128, Rate, Rate),
}

#[derive(Clone, Copy, Debug)]
enum Level {
    Fixed(i128),
    Reference(usize),
}

#[derive(Clone, Copy, Debug)]
enum Guard {
    Above(usize, Level),
    Below(usize, Level),
    Time(i128),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    State(usize),
    Rate(usize),
    Reference(usize),
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Fixed(i128),
    More(i128),
    Opposite,
    Of(usize),
}

type Assignments = Vec<(Target, Value)>;

#[derive(Debug)]
struct Spec {
    starts: Vec<i128>,
    laws: Vec<Law>,
    rates: Vec<Rate>,
    references: Vec<i128>,
    events: Vec<(Guard, Assignments)>,
    /// Period, offset and what is set.
    task: Option<(i128, i128, Assignments)>,
}

fn assignments(random: &mut Random, n: usize, most: usize) -> Assignments {
    let mut set: Assignments = vec![];
    while set.is_empty() || random.below(most) > 0 && set.len() < most {
        let target = match random.below(6) {
            0..=2 => Target::State(random.below(n)),
            3 => Target::Rate(random.below(2)),
            4 => Target::Rate(0),
            _ => Target::Reference(random.below(2)),
        };
        let value = match (target, random.below(5)) {
            (Target::Rate(_), 0..=2) => Value::Opposite,
            (Target::Rate(_), _) => Value::Fixed(random.rate().0),
            (_, 0 | 1) => Value::More(random.tenths(20)),
            (_, 2) => Value::Of(random.below(n)),
            _ => Value::Fixed(random.tenths(20)),
        };
        // Set to what it is, a state at its threshold may or may not count as put there.
        let idle = matches!(value, Value::More(0))
            || matches!((target, value), (Target::State(i), Value::Of(j)) if i == j);
        if !idle && set.iter().all(|(t, _)| *t != target) {
            set.push((target, value));
        }
    }
    set
}

impl Spec {
    fn random(random: &mut Random) -> Spec {
        let n = 1 + random.below(3);
        let law = |random: &mut Random, i: usize| match random.below(4) {
            0 | 1 => Law::Mode(random.below(2)),
            2 if i > 0 => Law::If(random.below(i), random.tenths(20), random.rate(), random.rate()),
            _ => Law::Constant(random.rate()),
        };
        let level = |random: &mut Random| match random.below(3) {
            0 => Level::Reference(random.below(2)),
            _ => Level::Fixed(random.tenths(20)),
        };
        let mut events: Vec<(Guard, Assignments)> = vec![];
        for _ in 0..1 + random.below(4) {
            let guard = match (random.below(8), events.last()) {
                (0, _) => Guard::Time((1 + random.below(90)) as i128 * TENTH),
                // Thermostats: two events that share a threshold.
                (1, Some(&(Guard::Above(i, at), _))) => Guard::Below(i, at),
                (1 | 2, Some(&(Guard::Below(i, at), _))) => Guard::Above(i, at),
                (2..=4, _) => Guard::Below(random.below(n), level(random)),
                _ => Guard::Above(random.below(n), level(random)),
            };
            let mut set = assignments(random, n, 2);
            // Onto its own threshold.
            if let (Guard::Above(i, Level::Fixed(c)) | Guard::Below(i, Level::Fixed(c)), 0) =
                (guard, random.below(6))
            {
                set.retain(|(t, _)| *t != Target::State(i));
                set.push((Target::State(i), Value::Fixed(c)));
            }
            events.push((guard, set));
        }
        let task = (random.below(3) == 0).then(|| {
            let period = (3 + random.below(30)) as i128 * TENTH;
            let mut set = assignments(random, n, 2);
            // States are for events.
            while set.iter().any(|(t, _)| matches!(t, Target::State(_))) {
                set = assignments(random, n, 2);
            }
            (period, random.below(20) as i128 * TENTH, set)
        });
        Spec {
            starts: (0..n).map(|_| random.tenths(20)).collect(),
            laws: (0..n).map(|i| law(random, i)).collect(),
            rates: vec![random.rate(), random.rate()],
            references: vec![random.tenths(20), random.tenths(20)],
            events,
            task,
        }
    }

    fn text(&self) -> String {
        let number = |v: i128| format!("{:.1}", v as f64 / TENTH as f64 / 10.0);
        let rate = |r: Rate| format!("{:.1}", r.0 as f64 / 2.0);
        let level = |l: Level| match l {
            Level::Fixed(c) => number(c),
            Level::Reference(k) => format!("ref{k}"),
        };
        let set = |set: &Assignments| {
            let one = |&(target, value): &(Target, Value)| {
                let name = match target {
                    Target::State(i) => format!("x{i}"),
                    Target::Rate(j) => format!("rate{j}"),
                    Target::Reference(k) => format!("ref{k}"),
                };
                let value = match value {
                    Value::Fixed(c) if matches!(target, Target::Rate(_)) => rate(Rate(c)),
                    Value::Fixed(c) => number(c),
                    Value::More(c) => format!("{name} + ({})", number(c)),
                    Value::Opposite => format!("-{name}"),
                    Value::Of(i) => format!("x{i}"),
                };
                format!("{name} = \"{value}\"")
            };
            set.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::from("[modes]\n");
        for (j, r) in self.rates.iter().enumerate() {
            let _ = writeln!(text, "rate{j} = {}", rate(*r));
        }
        for (k, r) in self.references.iter().enumerate() {
            let _ = writeln!(text, "ref{k} = {}", number(*r));
        }
        text.push_str("[variables]\n");
        for (i, x) in self.starts.iter().enumerate() {
            let _ = writeln!(text, "x{i} = {{ start = {} }}", number(*x));
        }
        text.push_str("[equations]\n");
        for (i, law) in self.laws.iter().enumerate() {
            let law = match *law {
                Law::Constant(r) => rate(r),
                Law::Mode(j) => format!("rate{j}"),
                Law::If(j, c, a, b) => format!("if x{j} > {} then {} else {}", number(c), rate(a), rate(b)),
            };
            let _ = writeln!(text, "d{i} = \"der(x{i})*1 s = {law}\"");
        }
        for (e, (guard, assignments)) in self.events.iter().enumerate() {
            let when = match *guard {
                Guard::Above(i, at) => format!("x{i} > {}", level(at)),
                Guard::Below(i, at) => format!("x{i} < {}", level(at)),
                Guard::Time(t) => format!("time > {} s", number(t)),
            };
            let _ = writeln!(text, "[events.e{e}]\nwhen = \"{when}\"\nset = {{ {} }}", set(assignments));
        }
        if let Some((period, offset, assignments)) = &self.task {
            let (p, o) = (number(*period), number(*offset));
            let _ = writeln!(
                text,
                "[tasks.s]\nperiod = \"{p} s\"\noffset = \"{o} s\"\nset = {{ {} }}",
                set(assignments)
            );
        }
        text
    }
}

/// What cannot be decided, or would not be worth it.
enum Unfit {
    /// Numbers outgrow the integers, or too much happens.
    Numbers,
    /// A condition that held is at its threshold when something else happens: it may or may not begin to hold anew.
    Touch,
}

/// The course as it must be.
struct Course<'a> {
    spec: &'a Spec,
    t: i128,
    x: Vec<i128>,
    rates: Vec<Rate>,
    references: Vec<i128>,
    /// Numbers of the file at this instant: nothing is rounded. For references: or the value of this state.
    exact: Vec<bool>,
    exact_references: Vec<(bool, Option<usize>)>,
    /// Whether the condition of each event holds, as far as it has been dealt with.
    holds: Vec<bool>,
    fired: Vec<(usize, i128)>,
    /// At one instant without end.
    endless: Option<i128>,
}

impl<'a> Course<'a> {
    fn of(spec: &'a Spec) -> Result<Self, Unfit> {
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

    fn rate(&self, i: usize) -> i128 {
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

    fn level(&self, level: Level) -> i128 {
        match level {
            Level::Fixed(c) => c,
            Level::Reference(k) => self.references[k],
        }
    }

    /// Value of a guard and its slope, in halves per second.
    fn guard(&self, event: usize) -> (i128, i128) {
        match self.spec.events[event].0 {
            Guard::Above(i, at) => (self.x[i] - self.level(at), self.rate(i)),
            Guard::Below(i, at) => (self.level(at) - self.x[i], -self.rate(i)),
            Guard::Time(t) => (self.t - t, 2),
        }
    }

    /// Carries out what several set, all from the values now.
    fn assign(&mut self, sets: &[&Assignments]) {
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
    fn is_exact(&self, event: usize) -> bool {
        let (Guard::Above(i, at) | Guard::Below(i, at)) = self.spec.events[event].0 else { return true };
        match at {
            Level::Fixed(_) => self.exact[i],
            Level::Reference(k) => {
                let (fixed, same) = self.exact_references[k];
                same == Some(i) || fixed && self.exact[i]
            }
        }
    }

    fn reads(&self, event: usize, target: Target) -> bool {
        match (self.spec.events[event].0, target) {
            (Guard::Above(i, _) | Guard::Below(i, _), Target::State(j)) if i == j => true,
            (Guard::Above(_, Level::Reference(k)) | Guard::Below(_, Level::Reference(k)), t) => {
                t == Target::Reference(k)
            }
            _ => false,
        }
    }

    /// Conditions that no longer hold after `sets`.
    fn forget(&mut self, sets: &[&Assignments]) -> Result<(), Unfit> {
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
    fn happen(&mut self, mut times: usize) -> Result<(), Unfit> {
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
    fn time_for(distance: i128, rate: i128) -> Result<i128, Unfit> {
        let twice = 2 * distance;
        if twice % rate != 0 { Err(Unfit::Numbers) } else { Ok(twice / rate) }
    }

    fn next_instant(&self) -> Result<i128, Unfit> {
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

    fn advance(&mut self, t: i128) -> Result<(), Unfit> {
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

struct Text(String);

impl Files for Text {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
    fn list(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(vec![])
    }
}

fn seconds(t: i128) -> f64 {
    t as f64 / TENTH as f64 / 10.0
}

/// Events of one instant in any order, to compare.
fn by_instant(fired: &[(usize, f64)]) -> Vec<(f64, Vec<usize>)> {
    let mut instants: Vec<(f64, Vec<usize>)> = vec![];
    for &(e, t) in fired {
        match instants.last_mut() {
            Some((at, events)) if (t - *at).abs() <= TOLERANCE => events.push(e),
            _ => instants.push((t, vec![e])),
        }
    }
    instants.iter_mut().for_each(|(_, events)| events.sort_unstable());
    instants
}

/// What is wrong with the run of one solver.
fn compare(prepared: &Arc<Prepared>, course: &Course, solver: &str) -> Result<(), String> {
    let (mut machine, mut y) = Machine::start(Arc::clone(prepared), &HashMap::new(), 0.0).unwrap();
    let settings = Settings {
        t_0: 0.0,
        t_end: seconds(T_END),
        output: OutputTimes::Interval(1.0),
        at: vec![],
        rtol: 1e-6,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let mut row = vec![0.0; prepared.columns.len()];
    let mut watch = |m: &mut Machine, t: f64, y: &[f64], moment: Moment| {
        if moment == Moment::End {
            m.record(t, y, &mut row).unwrap();
        }
        ControlFlow::Continue(())
    };
    let result = run_on(&mut machine, &mut y, find(solver).unwrap(), &settings, false, &mut watch);
    let right: Vec<(usize, f64)> = course.fired.iter().map(|&(e, t)| (e, seconds(t))).collect();
    let (found, right) = (by_instant(&machine.fired), by_instant(&right));
    if let Some(endless) = course.endless {
        let before = |list: &[(f64, Vec<usize>)]| -> Vec<(f64, Vec<usize>)> {
            list.iter().filter(|(t, _)| *t < seconds(endless) - TOLERANCE).cloned().collect()
        };
        same(&before(&found), &before(&right))?;
        // What is put back for ever is held there, and the run goes on.
        let held = machine.holds().iter().any(|(_, t)| (t - seconds(endless)).abs() < 1e-6);
        return match result {
            _ if held => Ok(()),
            Err(RunError::Zeno { t, .. } | RunError::Chattering { t, .. })
                if (t - seconds(endless)).abs() < 1e-6 =>
            {
                Ok(())
            }
            Err(error) => Err(format!("another error: {error}")),
            Ok(_) => Err(format!("endless at {}, and not told", seconds(endless))),
        };
    }
    same(&found, &right)?;
    if let Err(error) = result {
        return Err(format!("{error}"));
    }
    for (i, x) in course.x.iter().enumerate() {
        let (found, right) = (row[prepared.column(&format!("x{i}")).unwrap()], seconds(*x));
        if (found - right).abs() > 1e-8 {
            return Err(format!("x{i} ends at {found}, not {right}"));
        }
    }
    Ok(())
}

fn same(found: &[(f64, Vec<usize>)], right: &[(f64, Vec<usize>)]) -> Result<(), String> {
    for k in 0..found.len().max(right.len()) {
        let same = match (found.get(k), right.get(k)) {
            (Some(f), Some(r)) => (f.0 - r.0).abs() <= TOLERANCE && f.1 == r.1,
            _ => false,
        };
        if !same {
            return Err(format!("instant {k}: {:?}, not {:?}", found.get(k), right.get(k)));
        }
    }
    Ok(())
}

#[test]
fn events_come_when_their_conditions_become_true() {
    let count: usize = std::env::var("TRUNNION_HYBRIDS").map_or(1000, |n| n.parse().unwrap());
    let first: u64 = std::env::var("TRUNNION_HYBRIDS_FROM").map_or(0, |n| n.parse().unwrap());
    let (mut tried, mut firings, mut endless, mut together) = (0, 0, 0, 0);
    let mut faults: Vec<String> = vec![];
    for seed in first.. {
        if tried == count {
            break;
        }
        let spec = Spec::random(&mut Random(seed));
        let Ok(course) = Course::of(&spec) else { continue };
        if course.fired.is_empty() {
            continue;
        }
        tried += 1;
        firings += course.fired.len();
        endless += course.endless.is_some() as usize;
        together += course.fired.windows(2).filter(|w| w[0].1 == w[1].1).count();
        let text = spec.text();
        let model = load(&Text(text.clone()), "model.toml", &[], &Library::default());
        let model = model.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(false)));
        let system = analyse(model.flat).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let prepared = Arc::new(Prepared::new(system, EvaluationEngine::Interpreter));
        for solver in SOLVERS {
            if let Err(fault) = compare(&prepared, &course, solver) {
                faults.push(format!("seed {seed}, {solver}: {fault}"));
            }
        }
    }
    println!("{tried} systems, {firings} firings, {together} at the instant of another, {endless} endless");
    let shown: Vec<&str> = faults.iter().map(String::as_str).take(20).collect();
    assert!(faults.is_empty(), "{} of {} runs:\n{}", faults.len(), 5 * tried, shown.join("\n"));
}

/// `TRUNNION_HYBRID=seed` writes one of the systems.
#[test]
fn a_system_can_be_looked_at() {
    let seed = std::env::var("TRUNNION_HYBRID").map_or(1, |n| n.parse().unwrap());
    let spec = Spec::random(&mut Random(seed));
    let text = spec.text();
    println!("{text}[run]\nt_end = \"{} s\"\n", seconds(T_END));
    if let Ok(course) = Course::of(&spec) {
        println!("# {:?}", course.fired.iter().map(|&(e, t)| (e, seconds(t))).collect::<Vec<_>>());
        println!(
            "# endless {:?} x {:?}",
            course.endless,
            course.x.iter().map(|&x| seconds(x)).collect::<Vec<_>>()
        );
    }
    assert!(text.contains("[events.e0]"));
}

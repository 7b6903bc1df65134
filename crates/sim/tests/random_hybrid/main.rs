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

mod course;
mod spec;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use trunnion_equations::{EvaluationEngine, analyse};
use trunnion_model::{Files, Library, load};
use trunnion_sim::integrate::{Moment, OutputTimes, RunError};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::{Settings, run_on};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

use course::Course;
use spec::{Random, Spec};

const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];
const TOLERANCE: f64 = 1e-9;
/// A tenth, in the units of all values and times.
const TENTH: i128 = 1 << 40;
/// Shortly before an instant at which much would happen.
const T_END: i128 = 100 * TENTH - TENTH / 64;
/// Firings at one instant that count as endless, and those of a system that is worth trying.
const ENDLESS: usize = 60;
const MOST: usize = 120;

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

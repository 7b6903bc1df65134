//! Machines in real time: exact events, bounded work, the same bits after being taken up again, no allocation.
#![cfg(feature = "script")]

mod counting;
mod systems;

use counting::allocations;
use std::collections::HashMap;
use std::sync::Arc;
use systems::{BELT, EVERYTHING, TURNS, prepared};
use trunnion_num::Archive;
use trunnion_sim::integrate::Ended;
use trunnion_sim::live::{LiveRun, RealTimeSettings};
use trunnion_sim::machine::{Machine, Prepared};

fn shared(text: &'static str) -> Arc<Prepared> {
    Arc::new(prepared(text))
}

fn started(prepared: &Arc<Prepared>, pace: RealTimeSettings) -> LiveRun {
    let (machine, y) = Machine::start(Arc::clone(prepared), &HashMap::new(), 0.0).unwrap();
    LiveRun::new(machine, &y, 0.0, pace).unwrap()
}

fn advance(live: &mut LiveRun, periods: usize) {
    for _ in 0..periods {
        assert_eq!(live.advance().unwrap(), None);
    }
}

fn bits(live: &mut LiveRun) -> Vec<u64> {
    let mut row = vec![0.0; live.machine().loaded().columns.len()];
    live.record(&mut row).unwrap();
    row.iter().map(|x| x.to_bits()).collect()
}

const BALL: &str = r#"
    [parameters]
    g = "9.81 m/s^2"
    [variables]
    h = { unit = "m", start = "1 m" }
    v = { unit = "m/s" }
    [equations]
    a = "der(h) = v"
    b = "der(v) = -g"
    [events.bounce]
    when = "h < 0"
    set  = { v = "-0.8*v" }
"#;

/// Van der Pol's oscillator, driven by an input: periods of 10 ms are long against its jumps.
const JUMPS: &str = r#"
    [inputs]
    u = { start = 0 }
    [parameters]
    tau = "1 s"
    [variables]
    x = { start = 2 }
    y = { start = 0 }
    [equations]
    a = "tau*der(x) = y"
    b = "tau*der(y) = 300*((1 - x^2)*y - x/30 + u)"
"#;

/// A relay without hysteresis keeps x at zero by switching for ever.
const RELAY: &str = r#"
    [parameters]
    tau = "1 s"
    [variables]
    x = { start = 0.2 }
    [equations]
    a = "tau*der(x) = 0.1 - sign(x)"
"#;

#[test]
fn bounces_come_at_their_instants() {
    let model = shared(BALL);
    let mut live = started(&model, RealTimeSettings::default());
    advance(&mut live, 1000);
    let t_1 = (2.0_f64 / 9.81).sqrt();
    let (event, t) = live.fired()[0];
    assert!(event == 0 && (t - t_1).abs() < 1e-12, "{t}");
    // Free fall is a polynomial that the solver follows exactly: from bounce to bounce in closed form.
    let (v_1, t_2) = (0.8 * 9.81 * t_1, t_1 + 1.6 * t_1);
    assert!(t_2 > 1.0);
    let left = 1.0 - t_1;
    let h = v_1 * left - 0.5 * 9.81 * left * left;
    assert!((live.y()[0] - h).abs() < 1e-10, "{} {h}", live.y()[0]);
    assert_eq!((live.events(), live.overruns, live.t()), (1, 0, 1.0));
}

#[test]
fn what_sticks_slips_at_its_instant() {
    let model = shared(BELT);
    let mut live = started(&model, RealTimeSettings::default());
    // It slides until it keeps up with the belt, and then goes with it until the spring pulls with 5 N.
    let mut stuck = vec![];
    for _ in 0..1000 {
        advance(&mut live, 1);
        if live.y()[1] == 0.1 {
            stuck.push(live.y()[0]);
        }
    }
    let last = stuck.iter().fold(0.0, |a: f64, x| a.max(*x));
    assert!(stuck.len() > 100 && (0.0498..=0.05).contains(&last), "{} {last}", stuck.len());
    assert_eq!(live.overruns, 0);
}

#[test]
fn unfinished_work_is_carried_on() {
    let model = shared(JUMPS);
    let slow = RealTimeSettings { period: 0.01, rtol: 1e-6, ..RealTimeSettings::default() };
    let (mut free, mut tight) = (
        started(&model, RealTimeSettings { attempts: 1000, ..slow }),
        started(&model, RealTimeSettings { attempts: 8, ..slow }),
    );
    let (mut behind, mut equal) = (0.0_f64, 0);
    for _ in 0..400 {
        advance(&mut free, 1);
        advance(&mut tight, 1);
        // A step is given up after two attempts and taken up again.
        assert!(tight.attempts <= 8 + 1, "{}", tight.attempts);
        behind = behind.max(tight.due() - tight.t());
        if tight.t() == free.t() {
            assert_eq!(bits(&mut free), bits(&mut tight));
            equal += 1;
        }
    }
    assert!(tight.overruns > 0 && behind > 0.0 && equal > 200, "{} {behind} {equal}", tight.overruns);
    assert_eq!(free.overruns, 0);
}

#[test]
fn endless_switching_is_no_hang() {
    let model = shared(RELAY);
    let mut live = started(&model, RealTimeSettings::default());
    for k in 0..1000 {
        advance(&mut live, 1);
        assert!(live.attempts <= RealTimeSettings::default().attempts + 1);
        // Down at 0.9 a second, then about zero, within what one period moves it.
        let expected = (0.2 - 0.9 * (k + 1) as f64 * 1e-3).max(0.0);
        assert!((live.y()[0] - expected).abs() < 1.2e-3, "{} after {k}", live.y()[0]);
    }
    assert_eq!(live.overruns, 0);
}

#[test]
fn inputs_count_from_the_next_period_on() {
    let model = shared(EVERYTHING);
    let place = model.system.slow.iter().position(|&s| model.system.quantity(s).name == "push").unwrap();
    let run = |at: usize| {
        let mut live = started(&model, RealTimeSettings::default());
        advance(&mut live, at);
        let before = bits(&mut live);
        live.set(place, 5.0);
        advance(&mut live, 300 - at);
        (before, bits(&mut live))
    };
    assert_eq!(run(100), run(100));
    assert_ne!(run(100).1, run(101).1);
}

#[test]
fn a_run_taken_up_again_goes_on_with_the_same_bits() {
    for text in [BALL, JUMPS, RELAY, BELT, TURNS, EVERYTHING] {
        let model = shared(text);
        for pace in
            [RealTimeSettings::default(), RealTimeSettings { attempts: 1, ..RealTimeSettings::default() }]
        {
            let mut whole = started(&model, pace);
            for periods in [1, 157, 451] {
                advance(&mut whole, periods);
                let mut archive = Archive::to_write();
                whole.remember(&mut archive).unwrap();
                let mut other = started(&model, pace);
                let mut archive = Archive::to_read(archive.finish().unwrap());
                other.remember(&mut archive).unwrap();
                assert!(archive.finish().is_some());
                advance(&mut whole, 203);
                advance(&mut other, 203);
                assert_eq!(bits(&mut whole), bits(&mut other), "{text}");
                assert_eq!(
                    (whole.t(), whole.overruns, whole.events()),
                    (other.t(), other.overruns, other.events())
                );
            }
        }
    }
}

#[test]
fn a_period_allocates_nothing() {
    for text in [BALL, JUMPS, RELAY, BELT] {
        let model = shared(text);
        let mut live = started(&model, RealTimeSettings::default());
        let before = allocations();
        for k in 0..2000 {
            if text == JUMPS && k % 100 == 0 {
                let place = model.system.slow.iter().position(|&s| model.system.quantity(s).name == "u");
                live.set(place.unwrap(), k as f64 * 1e-4);
            }
            advance(&mut live, 1);
        }
        assert_eq!(allocations() - before, 0, "{text}");
    }
}

const ENDS: &str = r#"
    [variables]
    x = { unit = "s", start = 0 }
    [equations]
    a = "der(x) = 1"
    [events.done]
    when = "x > 10.5 ms"
    terminate = "there"
"#;

#[test]
fn the_model_ends_the_run() {
    let model = shared(ENDS);
    let mut live = started(&model, RealTimeSettings::default());
    advance(&mut live, 10);
    assert_eq!(live.advance().unwrap(), Some(Ended::Terminated));
    assert!((live.t() - 0.0105).abs() < 1e-12);
    assert_eq!(live.advance().unwrap(), Some(Ended::Terminated));
    assert_eq!(live.machine().ended_by.as_deref(), Some("there"));
}

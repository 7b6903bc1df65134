//! Hybrid problems with closed-form answers, for every adaptive solver.

mod instants;

use super::*;
use crate::problem::{Direction, Effect, Layout};
use crate::scenes::{Scene, assert_near};
use crate::solvers::bdf::bdf;
use crate::solvers::esdirk::{esdirk34, trbdf2};
use crate::solvers::explicit::Explicit;
use crate::solvers::rosenbrock::rodas5p;
use crate::stepper::SolverOptions;
use proptest::prelude::*;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Every adaptive solver, for a relative tolerance.
type Make = fn(&Layout, &SolverOptions) -> Box<dyn Stepper>;
/// With the relative tolerance that brings event times to 1e-9: the lower the order, the more steps add up.
const ADAPTIVE: [(&str, f64, Make); 5] = [
    ("tsit45", 1e-11, |_, options| Box::new(Explicit::tsit45(options.clone()))),
    ("trbdf2", 1e-13, |layout, options| Box::new(trbdf2(layout, options))),
    ("esdirk34", 1e-12, |layout, options| Box::new(esdirk34(layout, options))),
    ("rodas5p", 1e-11, |layout, options| Box::new(rodas5p(layout, options))),
    ("bdf", 1e-13, |layout, options| Box::new(bdf(layout, options))),
];

fn tsit45(rtol: f64) -> Box<dyn Stepper> {
    Box::new(Explicit::tsit45(SolverOptions { rtol, ..SolverOptions::default() }))
}

const TIMES: f64 = 1e-9;

const NOTHING: Effect = Effect { changed: false, terminate: false };
const CHANGED: Effect = Effect { changed: true, terminate: false };

type Row = (f64, Vec<f64>, Moment);

/// A run with all its rows.
fn run(
    scene: &mut Scene,
    y: &[f64],
    stepper: &mut dyn Stepper,
    plan: &RunPlan,
) -> (Result<Summary, RunError>, Vec<Row>) {
    let mut rows = vec![];
    let mut y = y.to_vec();
    let mut observer = |_: &mut Scene, t: f64, y: &[f64], moment: Moment| {
        rows.push((t, y.to_vec(), moment));
        ControlFlow::Continue(())
    };
    let ended = integrate(scene, &mut y, stepper, plan, &mut observer);
    (ended, rows)
}

/// The same scene with every adaptive solver.
fn for_all(
    make: impl Fn() -> Scene,
    y: &[f64],
    plan: &RunPlan,
    check: impl Fn(&Scene, Result<Summary, RunError>, &[Row]),
) {
    for_each(make, y, plan, |_, scene, ended, rows| check(scene, ended, rows));
}

/// With the name of the solver.
fn for_each(
    make: impl Fn() -> Scene,
    y: &[f64],
    plan: &RunPlan,
    check: impl Fn(&str, &Scene, Result<Summary, RunError>, &[Row]),
) {
    for (name, rtol, stepper) in ADAPTIVE {
        println!("{name}");
        let mut scene = make();
        let options = SolverOptions { rtol, ..SolverOptions::default() };
        let mut stepper = stepper(scene.layout(), &options);
        let (ended, rows) = run(&mut scene, y, &mut *stepper, plan);
        println!("{:?}", ended);
        check(name, &scene, ended, &rows);
    }
}

#[track_caller]
fn assert_times(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} are not {expected:?}");
    for (&a, &b) in found.iter().zip(expected) {
        assert_near(a, b, TIMES);
    }
}

const GRAVITY: f64 = 9.81;

/// A ball above a floor at `floor`.
fn ball(floor: f64, restitution: f64) -> Scene {
    Scene::new(&["h", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -GRAVITY)).guard(
        "floor",
        Direction::Falling,
        move |_, y, _| y[0] - floor,
        move |_, y, _, _| {
            y[1] *= -restitution;
            CHANGED
        },
    )
}

#[test]
fn a_ball_bounces_six_times() {
    // First contact at √(2 h/g), then flights of 2 v/g with v shrinking by 0.8.
    let fall = (2.0 / GRAVITY).sqrt();
    let mut times = vec![fall];
    for k in 1..6 {
        times.push(times[k - 1] + 2.0 * fall * 0.8_f64.powi(k as i32));
    }
    let plan = RunPlan::new(0.0, times[5] + 0.1, OutputTimes::Interval(0.01));
    for_all(
        || ball(0.0, 0.8),
        &[1.0, 0.0],
        &plan,
        |scene, ended, rows| {
            assert_eq!(ended.unwrap().events, 6);
            assert_times(&scene.times(0), &times);
            // Grid values across the bounces.
            for (t, y, moment) in rows {
                let k = times.iter().filter(|&&s| s <= *t - 1e-7).count();
                if *moment == Moment::Grid {
                    let (since, v) = match k {
                        0 => (*t, 0.0),
                        k => (t - times[k - 1], GRAVITY * fall * 0.8_f64.powi(k as i32)),
                    };
                    let start = if k == 0 { 1.0 } else { 0.0 };
                    assert_near(y[0], start + v * since - 0.5 * GRAVITY * since * since, 1e-8);
                }
            }
            // Both sides of the first: same height, velocity turned round.
            let before = rows.iter().position(|r| r.2 == Moment::BeforeEvent).unwrap();
            let (a, b) = (&rows[before], &rows[before + 1]);
            assert_eq!((a.0, b.2, a.1[0]), (b.0, Moment::AfterEvent, b.1[0]));
            assert_near(b.1[1], -0.8 * a.1[1], 1e-15);
            // The grid does not drift and ends at the end.
            for (k, row) in rows.iter().filter(|r| r.2 == Moment::Grid).enumerate() {
                assert_eq!(row.0, k as f64 * 0.01);
            }
            assert_eq!(rows.last().map(|r| (r.0, r.2)), Some((plan.t_end, Moment::End)));
        },
    );
}

#[test]
fn a_zeno_ball_is_reported_near_its_limit() {
    for floor in [0.0, 1.0, 1e3] {
        for restitution in [0.5, 0.8, 0.95] {
            // t∞ = √(2 h/g) (1 + e)/(1 − e).
            let limit = (2.0 / GRAVITY).sqrt() * (1.0 + restitution) / (1.0 - restitution);
            let plan = RunPlan::new(0.0, 30.0, OutputTimes::Start);
            for_each(
                || ball(floor, restitution),
                &[floor + 1.0, 0.0],
                &plan,
                |solver, scene, ended, rows| {
                    let Err(RunError::Zeno { guard, t, count, within }) = ended else { panic!("{ended:?}") };
                    assert_eq!(guard, "floor");
                    assert!(count >= 8 && within < 1.0, "{count} in {within}");
                    // Flights too low for the height to resolve are lost: Δh = ½ g (Δt/2)². BDF begins each of them
                    // with order one, so its tolerance of 1e-13 counts, some ten times a flight.
                    let resolved = floor.max(1.0) * if solver == "bdf" { 1e-12 } else { f64::EPSILON };
                    let lost = 4.0 * (8.0 * resolved / GRAVITY).sqrt() / (1.0 - restitution);
                    assert_near(t, limit, 1e-8 + lost);
                    // What was computed is kept, down to the last bounce.
                    assert!(rows.len() > 10 && scene.fired.len() < 3000);
                },
            );
        }
    }
}

#[test]
fn a_ball_put_back_on_the_floor_for_ever_is_reported() {
    // The model forgets to say that the ball rests: put to h = 0 with v = 0 it falls again at once.
    let make = || {
        Scene::new(&["h", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -GRAVITY))
            .guard(
                "floor",
                Direction::Falling,
                |_, y, _| y[0] - 1e-3,
                |_, y, _, _| {
                    (y[0], y[1]) = (1e-3, 0.0);
                    CHANGED
                },
            )
            .resets()
    };
    for_all(make, &[1.0, 0.0], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |_, ended, _| {
        let Err(RunError::Zeno { t, count, .. }) = ended else { panic!("{ended:?}") };
        assert_near(t, (2.0 * 0.999 / GRAVITY).sqrt(), TIMES);
        assert_eq!(count, BURST);
    });
}

#[test]
fn a_guard_that_starts_at_zero_fires_only_towards_its_side() {
    let plan = RunPlan::new(0.0, 0.3, OutputTimes::Start);
    // Thrown upwards from the floor: the first contact is 2 v/g later.
    for_all(
        || ball(0.0, 0.8),
        &[0.0, 1.0],
        &plan,
        |scene, ended, _| {
            ended.unwrap();
            assert_times(&scene.times(0)[..1], &[2.0 / GRAVITY]);
        },
    );
    // Thrown downwards from the floor: at once, exactly.
    for_all(
        || ball(0.0, 1.0),
        &[0.0, -1.0],
        &plan,
        |scene, ended, rows| {
            ended.unwrap();
            assert_eq!(scene.fired[0].0, 0.0);
            assert_times(&scene.times(0), &[0.0, 2.0 / GRAVITY]);
            assert_eq!(rows.iter().filter(|r| r.0 == 0.0).count(), 3);
        },
    );
    // At rest on the floor and no gravity: nothing ever.
    let still = || {
        Scene::new(&["h", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], 0.0)).guard(
            "floor",
            Direction::Falling,
            |_, y, _| y[0],
            |_, _, _, _| CHANGED,
        )
    };
    for_all(still, &[0.0, 0.0], &plan, |scene, ended, _| {
        assert_eq!((ended.unwrap().events, scene.fired.len()), (0, 0));
    });
    // A guard that stays at zero and leaves it later: max(0, t − 0.1).
    let late = || {
        Scene::new(&["x"], |_, _, _, f| f[0] = 1.0).guard(
            "late",
            Direction::Rising,
            |t, _, _| (t - 0.1).max(0.0),
            |_, _, _, _| CHANGED,
        )
    };
    for_all(late, &[0.0], &plan, |scene, ended, _| {
        ended.unwrap();
        assert_times(&scene.times(0), &[0.1]);
    });
}

#[test]
fn two_guards_cross_together() {
    // Two clocks that meet at t = 0.7 by different arithmetic, and a third that follows 1e-6 later.
    let make = || {
        Scene::new(&["a", "b"], |_, _, _, f| (f[0], f[1]) = (1.0, 3.0))
            .guard("a", Direction::Rising, |_, y, _| y[0] - 0.7, |_, _, _, _| CHANGED)
            .guard("b", Direction::Falling, |_, y, _| 2.1 - y[1], |_, _, _, _| CHANGED)
            .guard("c", Direction::Rising, |t, _, _| t - 0.700001, |_, _, _, _| CHANGED)
    };
    for_all(make, &[0.0, 0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Start), |scene, ended, _| {
        let summary = ended.unwrap();
        assert_eq!((summary.events, summary.crossings), (2, 3));
        let both = [Crossing { guard: 0, rising: true }, Crossing { guard: 1, rising: false }];
        assert_near(scene.fired[0].0, 0.7, TIMES);
        assert_eq!(scene.fired[0].1, both);
        assert_times(&scene.times(2), &[0.700001]);
    });
}

#[test]
fn two_crossings_inside_one_natural_step_are_found() {
    // A parabola that dips below zero by 1e-6 for 2 ms in a run of 10 s which the solver would take in a few steps.
    let dip = |t: f64| (t - 3.3) * (t - 3.3) - 1e-6;
    for direction in [Direction::Falling, Direction::Rising, Direction::Both] {
        for moves in [false, true] {
            let make = || {
                Scene::new(&["x"], |_, _, _, f| f[0] = 1.0).guard(
                    "dip",
                    direction,
                    move |_, y, _| dip(y[0]),
                    move |_, _, _, _| Effect { changed: moves, terminate: false },
                )
            };
            let expected: &[f64] = match direction {
                Direction::Falling => &[3.299],
                Direction::Rising => &[3.301],
                Direction::Both => &[3.299, 3.301],
            };
            for_all(make, &[0.0], &RunPlan::new(0.0, 10.0, OutputTimes::Start), |scene, ended, _| {
                // BDF starts anew with order one after the event.
                assert!(ended.unwrap().steps < 200);
                assert_times(&scene.times(0), expected);
            });
        }
    }
    // One that only comes close, and one that touches.
    for above in [1e-9, 0.0] {
        let make = || {
            Scene::new(&["x"], |_, _, _, f| f[0] = 1.0).guard(
                "near",
                Direction::Both,
                move |t, _, _| (t - 0.5).powi(2) + above,
                |_, _, _, _| CHANGED,
            )
        };
        for_all(make, &[0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Start), |_, ended, _| {
            assert_eq!(ended.unwrap().events, 0);
        });
    }
}

#[test]
fn a_relay_with_hysteresis_switches_on_time() {
    // x' = (u − x), u = 1 until x rises through 0.7, then 0 until x falls through 0.3:
    // ln(1/0.3) up at first, then ln(0.7/0.3) down and up in turn.
    let make = || {
        Scene::new(&["x"], |_, y, on, f| f[0] = on[0] as i32 as f64 - y[0])
            .modes(&[true])
            .guard(
                "high",
                Direction::Rising,
                |_, y, _| y[0] - 0.7,
                |_, _, on, _| {
                    on[0] = false;
                    CHANGED
                },
            )
            .guard(
                "low",
                Direction::Falling,
                |_, y, _| y[0] - 0.3,
                |_, _, on, _| {
                    on[0] = true;
                    CHANGED
                },
            )
    };
    let (first, period) = ((1.0_f64 / 0.3).ln(), (7.0_f64 / 3.0).ln());
    let high: Vec<f64> = (0..3).map(|k| first + 2.0 * k as f64 * period).collect();
    let low: Vec<f64> = (0..2).map(|k| first + (2.0 * k as f64 + 1.0) * period).collect();
    let plan = RunPlan::new(0.0, high[2] + 0.1, OutputTimes::Start);
    for_all(make, &[0.0], &plan, |scene, ended, _| {
        ended.unwrap();
        assert_times(&scene.times(0), &high);
        assert_times(&scene.times(1), &low);
    });
}

#[test]
fn a_long_burst_of_events_is_no_zeno() {
    // A relay without any plant: x runs between 0 and 0.5 ms at ±1, 2000 switches a second for 5 s.
    let make = || {
        Scene::new(&["x"], |_, _, up, f| f[0] = if up[0] { 1.0 } else { -1.0 })
            .modes(&[true])
            .guard(
                "top",
                Direction::Rising,
                |_, y, _| y[0] - 5e-4,
                |_, _, up, _| {
                    up[0] = false;
                    CHANGED
                },
            )
            .guard(
                "bottom",
                Direction::Falling,
                |_, y, _| y[0],
                |_, _, up, _| {
                    up[0] = true;
                    CHANGED
                },
            )
    };
    for_all(make, &[1e-4], &RunPlan::new(0.0, 5.0, OutputTimes::Start), |scene, ended, _| {
        let summary = ended.unwrap();
        assert_eq!((summary.ended, summary.events), (Ended::Completed, 10_000));
        assert_near(scene.fired[9999].0, 9999.0 * 5e-4 + 4e-4, 1e-9);
    });
    // A chirp counted by a reset: ever shorter intervals, but no end of time in sight.
    let chirp = || {
        Scene::new(&["n"], |_, _, _, f| f[0] = 0.0).guard(
            "up",
            Direction::Rising,
            |t, _, _| (t * t).sin(),
            |_, y, _, _| {
                y[0] += 1.0;
                CHANGED
            },
        )
    };
    let mut stepper = Explicit::tsit45(SolverOptions { h_max: 0.02, ..SolverOptions::default() });
    let mut scene = chirp();
    run(&mut scene, &[0.0], &mut stepper, &RunPlan::new(0.5, 15.0, OutputTimes::Start)).0.unwrap();
    let expected: Vec<f64> = (1..=35).map(|k| (2.0 * std::f64::consts::PI * k as f64).sqrt()).collect();
    assert_times(&scene.times(0), &expected);
}

#[test]
fn an_oscillator_crosses_zero_every_half_period() {
    let make = |direction| {
        Scene::new(&["x", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -y[0])).guard(
            "x",
            direction,
            |_, y, _| y[0],
            |_, _, _, _| NOTHING,
        )
    };
    let pi = std::f64::consts::PI;
    let all: Vec<f64> = (0..3).map(|k| (k as f64 + 0.5) * pi).collect();
    let falling: Vec<f64> = all.iter().copied().step_by(2).collect();
    let rising: Vec<f64> = all.iter().copied().skip(1).step_by(2).collect();
    let plan = RunPlan::new(0.0, 3.0 * pi, OutputTimes::Start);
    for (direction, expected) in
        [(Direction::Both, all), (Direction::Falling, falling), (Direction::Rising, rising)]
    {
        for_all(
            || make(direction),
            &[1.0, 0.0],
            &plan,
            |scene, ended, _| {
                let summary = ended.unwrap();
                // An event that changes nothing does not restart the solver.
                assert_eq!(summary.restarts, 1);
                assert_times(&scene.times(0), &expected);
            },
        );
    }
}

#[test]
fn a_time_guard_fires_at_its_very_instant() {
    for t in [0.5, 0.3, 1.0 / 3.0] {
        let make = || {
            Scene::new(&["x"], |_, _, on, f| f[0] = on[0] as i32 as f64).modes(&[false]).guard(
                "on",
                Direction::Rising,
                move |now, _, _| now - t,
                |_, _, on, _| {
                    on[0] = true;
                    CHANGED
                },
            )
        };
        for_all(make, &[0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Count(5)), |scene, ended, rows| {
            ended.unwrap();
            assert_near(scene.fired[0].0, t, 2.0 * f64::EPSILON);
            assert_near(rows.last().unwrap().1[0], 1.0 - t, 1e-12);
            let grid: Vec<f64> = rows.iter().filter(|r| r.2 == Moment::Grid).map(|r| r.0).collect();
            assert_eq!(grid, [0.0, 0.25, 0.5, 0.75]);
        });
    }
}

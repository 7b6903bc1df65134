//! What happens at one instant, in hybrid problems with closed-form answers: modes, jumps, sampled tasks, ends and errors.

use super::*;

#[test]
fn modes_mirror_relations_from_the_start() {
    // |x|' = 1 through the relation x > 0; from x = −1 with slope 1 the kink is at t = 1.
    let make = || {
        Scene::new(&["x", "s"], |_, _, positive, f| {
            (f[0], f[1]) = (1.0, if positive[0] { 1.0 } else { -1.0 });
        })
        .modes(&[true])
        .relation("x > 0", 0, |_, y, _| y[0])
    };
    // s runs like |x|: down before the kink, up after it.
    for (start, s) in [(-1.0, 0.0), (0.0, 2.0), (0.5, 2.0)] {
        for_all(make, &[start, 0.0], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |scene, ended, rows| {
            ended.unwrap();
            assert!(scene.modes[0]);
            assert_near(rows.last().unwrap().1[1], s, TIMES);
        });
    }
}

#[test]
fn chattering_is_reported_by_name() {
    // Sliding: x' = −sign(x) by a relation without hysteresis.
    let sliding = || {
        Scene::new(&["x"], |_, _, positive, f| f[0] = if positive[0] { -1.0 } else { 1.0 })
            .modes(&[false])
            .relation("x > 0", 0, |_, y, _| y[0])
    };
    for_all(sliding, &[1.0], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |_, ended, rows| {
        let Err(RunError::Chattering { guards, t }) = ended else { panic!("{ended:?}") };
        assert_eq!(guards, ["x > 0"]);
        assert_near(t, 1.0, TIMES);
        assert!(!rows.is_empty());
    });
    // Steps of a few roundings, as after a jump into something fast: time advances, but by next to nothing.
    for h in [1e-15, 3e-15, 1e-13] {
        let mut stepper =
            Explicit::tsit45(SolverOptions { rtol: 1e-9, h: Some(h), ..SolverOptions::default() });
        let (ended, rows) =
            run(&mut sliding(), &[1.0], &mut stepper, &RunPlan::new(0.0, 2.0, OutputTimes::Start));
        let Err(RunError::Chattering { t, .. } | RunError::Zeno { t, .. }) = ended else {
            panic!("{ended:?}")
        };
        assert_near(t, 1.0, TIMES);
        assert!(rows.len() < 2 * ROUNDS);
    }
    // A relation that contradicts itself.
    let contradiction = || {
        Scene::new(&["x"], |_, _, _, f| f[0] = 1.0)
            .modes(&[false])
            .relation("x < 1", 0, |_, y, m| if m[0] { -1.0 } else { 0.5 - y[0] })
            .relation("quiet", 1, |_, _, _| 1.0)
    };
    let with_two = || {
        let mut scene = contradiction();
        scene.modes = vec![false, false];
        scene
    };
    for_all(with_two, &[0.0], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |_, ended, _| {
        let Err(error @ RunError::Chattering { .. }) = ended else { panic!("{ended:?}") };
        assert_eq!(error.to_string(), "modes change for ever at t = 0 s; `x < 1` goes to and fro");
    });
    // At rest on its zero a relation is no trouble.
    let resting =
        || Scene::new(&["x"], |_, _, _, f| f[0] = 0.0).modes(&[true]).relation("x > 0", 0, |_, y, _| y[0]);
    for_all(resting, &[0.0], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |scene, ended, _| {
        assert_eq!(ended.unwrap().ended, Ended::Completed);
        assert!(!scene.modes[0]);
    });
}

#[test]
fn a_jump_across_zero_fires_too() {
    // At t = ½ the task of the first guard lifts x over the second guard's threshold.
    let make = || {
        Scene::new(&["x"], |_, _, _, f| f[0] = 0.0)
            .guard(
                "lift",
                Direction::Rising,
                |t, _, _| t - 0.5,
                |_, y, _, _| {
                    y[0] += 1.0;
                    CHANGED
                },
            )
            .guard("over", Direction::Rising, |_, y, _| y[0] - 0.4, |_, _, _, _| NOTHING)
            .guard("under", Direction::Falling, |_, y, _| y[0] - 0.4, |_, _, _, _| NOTHING)
    };
    for_all(make, &[0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Start), |scene, ended, _| {
        assert_eq!(ended.unwrap().events, 1);
        assert_eq!(scene.times(1), scene.times(0));
        assert!(scene.times(2).is_empty());
    });
}

#[test]
fn a_jump_from_zero_fires_too() {
    // The second guard rests at zero until the first one lifts it.
    let make = || {
        Scene::new(&["x"], |_, _, _, f| f[0] = 0.0)
            .guard(
                "lift",
                Direction::Rising,
                |t, _, _| t - 0.5,
                |_, y, _, _| {
                    y[0] += 1.0;
                    CHANGED
                },
            )
            .guard("up", Direction::Rising, |_, y, _| y[0], |_, _, _, _| NOTHING)
            .guard("down", Direction::Falling, |_, y, _| y[0], |_, _, _, _| NOTHING)
    };
    for_all(make, &[0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Start), |scene, ended, _| {
        assert_eq!(ended.unwrap().events, 1);
        assert_eq!(scene.times(1), scene.times(0));
        assert!(scene.times(2).is_empty());
    });
}

#[test]
fn tasks_are_sampled_at_exact_instants() {
    // A held input u = −k x sampled at 0.1 s: x_{j+1} = x_j (1 − 0.1 k).
    let make = || {
        Scene::new(&["x", "u"], |_, y, _, f| (f[0], f[1]) = (y[1], 0.0))
            .task(0.1, |_, y, _| {
                y[1] = -2.0 * y[0];
                CHANGED
            })
            .guard("half", Direction::Falling, |_, y, _| y[0] - 0.5, |_, _, _, _| NOTHING)
    };
    for_all(make, &[1.0, 0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Interval(0.1)), |scene, ended, rows| {
        let summary = ended.unwrap();
        let exact: Vec<f64> = (0..=10).map(|k| k as f64 * 0.1).collect();
        assert_eq!(scene.sampled, exact);
        assert_eq!(summary.samples, 11);
        for (k, row) in rows.iter().filter(|r| matches!(r.2, Moment::Grid | Moment::End)).enumerate() {
            // Reported after the task.
            assert_near(row.1[0], 0.8_f64.powi(k as i32), 1e-12);
            assert_near(row.1[1], -2.0 * row.1[0], 1e-15);
        }
        // 0.512 at 0.3 s, then down at 1.024: half at 0.3 + 0.012/1.024.
        assert_times(&scene.times(0), &[0.3 + 0.012 / 1.024]);
    });
    // A task that changes nothing does not restart the solver.
    let quiet = || Scene::new(&["x"], |_, y, _, f| f[0] = -y[0]).task(0.01, |_, _, _| NOTHING);
    for_all(quiet, &[1.0], &RunPlan::new(0.0, 1.0, OutputTimes::Start), |scene, ended, rows| {
        assert_eq!((ended.unwrap().restarts, scene.sampled.len()), (1, 101));
        assert_near(rows.last().unwrap().1[0], (-1.0_f64).exp(), 1e-10);
    });
}

#[test]
fn event_comes_before_task_at_one_instant() {
    let order = Rc::new(RefCell::new(vec![]));
    let (a, b) = (order.clone(), order.clone());
    let mut scene = Scene::new(&["x"], |_, _, _, f| f[0] = 1.0)
        .guard(
            "at 0.5",
            Direction::Rising,
            |t, _, _| t - 0.5,
            move |_, _, _, _| {
                a.borrow_mut().push("event");
                CHANGED
            },
        )
        .task(0.5, move |_, _, _| {
            b.borrow_mut().push("task");
            CHANGED
        });
    let plan = RunPlan::new(0.0, 0.9, OutputTimes::Start);
    run(&mut scene, &[0.0], &mut *tsit45(1e-6), &plan).0.unwrap();
    assert_eq!(*order.borrow(), ["task", "event", "task"]);
}

#[test]
fn the_model_and_the_observer_can_end_a_run() {
    let make = || {
        Scene::new(&["x"], |_, _, _, f| f[0] = 1.0).guard(
            "enough",
            Direction::Rising,
            |_, y, _| y[0] - 0.25,
            |_, _, _, _| Effect { changed: false, terminate: true },
        )
    };
    for_all(make, &[0.0], &RunPlan::new(0.0, 1.0, OutputTimes::Interval(0.1)), |_, ended, rows| {
        let summary = ended.unwrap();
        assert_eq!(summary.ended, Ended::Terminated);
        assert_near(summary.t, 0.25, TIMES);
        assert_eq!(rows.last().unwrap().2, Moment::End);
        assert_eq!(rows.iter().filter(|r| r.2 == Moment::Grid).count(), 3);
    });
    struct Impatient(u64);
    impl Observer<Scene> for Impatient {
        fn observe(&mut self, _: &mut Scene, _: f64, _: &[f64], _: Moment) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn progress(&mut self, at: IntegrationProgress) -> ControlFlow<()> {
            if at.steps == self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let mut scene = Scene::new(&["x", "v"], |_, y, _, f| (f[0], f[1]) = (y[1], -y[0]));
    let mut y = [1.0, 0.0];
    let plan = RunPlan::new(0.0, 1e6, OutputTimes::Start);
    let summary = integrate(&mut scene, &mut y, &mut *tsit45(1e-6), &plan, &mut Impatient(7)).unwrap();
    assert_eq!((summary.ended, summary.steps), (Ended::Cancelled, 7));
    assert_near(y[0], summary.t.cos(), 1e-4);
}

#[test]
fn errors_speak_in_the_users_names() {
    let plan = RunPlan::new(0.0, 2.0, OutputTimes::Interval(0.1));
    let mut scene = Scene::new(&["boom.cyl.p_a"], |t, _, _, f| f[0] = (0.5 - t).sqrt());
    let (ended, rows) = run(&mut scene, &[1.0], &mut *tsit45(1e-6), &plan);
    let message = ended.unwrap_err().to_string();
    assert!(message.contains("at t = 0.49") || message.contains("at t = 0.5"), "{message}");
    assert!(message.ends_with("`boom.cyl.p_a` has no finite value beyond"), "{message}");
    assert!(rows.len() >= 4);
    let mut scene =
        Scene::new(&["x", "z"], |_, y, _, f| (f[0], f[1]) = (1.0, y[1] * y[1] + 1.0)).algebraic(&[1]);
    let message = run(&mut scene, &[0.0, 1.0], &mut *tsit45(1e-6), &plan).0.unwrap_err().to_string();
    assert!(
        message.starts_with("no consistent values at t = 0 s: the equation of `z` is off by"),
        "{message}"
    );
    let nonsense = RunPlan::new(0.0, f64::NAN, OutputTimes::Start);
    assert!(matches!(
        run(&mut scene, &[0.0, 0.0], &mut *tsit45(1e-6), &nonsense).0,
        Err(RunError::Plan { .. })
    ));
    let mut ball = ball(0.0, 1.0);
    let few = RunPlan { max_events: Some(3), ..RunPlan::new(0.0, 100.0, OutputTimes::Start) };
    let error = run(&mut ball, &[1.0, 0.0], &mut *tsit45(1e-6), &few).0.unwrap_err();
    assert!(matches!(error, RunError::TooManyEvents { count: 4, .. }), "{error}");
}

#[test]
fn algebraic_unknowns_are_consistent_across_events() {
    // 0 = z − m x³ with the mode's factor m, x' = −z; the event doubles m when z falls through ½.
    let make = || {
        Scene::new(&["x", "z"], |_, y, twice, f| {
            (f[0], f[1]) = (-y[1], y[1] - if twice[0] { 2.0 } else { 1.0 } * y[0].powi(3));
        })
        .algebraic(&[1])
        .modes(&[false])
        .guard(
            "z",
            Direction::Falling,
            |_, y, _| y[1] - 0.5,
            |_, _, twice, _| {
                twice[0] = true;
                CHANGED
            },
        )
    };
    // x = (1 + 2 t)^(−½), z = x³ = ½ at t = (2^(2/3) − 1)/2; afterwards x^(−2) grows at 4.
    let t_1 = 0.5 * (2.0_f64.powf(2.0 / 3.0) - 1.0);
    // z jumps to 1 and falls through ½ again: 2 x³ = ½.
    let t_2 = t_1 + 0.25 * (4.0_f64.powf(2.0 / 3.0) - 2.0_f64.powf(2.0 / 3.0));
    for_all(make, &[1.0, 0.3], &RunPlan::new(0.0, 2.0, OutputTimes::Start), |scene, ended, rows| {
        ended.unwrap();
        assert_times(&scene.times(0), &[t_1, t_2]);
        let after = rows.iter().find(|r| r.2 == Moment::AfterEvent).unwrap();
        assert_near(after.1[1], 1.0, 1e-9);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Sums of sines: every crossing that the sign of g at all extrema demands is found, and no other.
    #[test]
    fn crossings_of_sums_of_sines(
        terms in prop::collection::vec((0.2..2.0_f64, 0.5..12.0_f64, 0.0..6.3_f64), 1..5),
        offset in -1.0..1.0_f64,
        changes in any::<bool>(),
    ) {
        let g = { let terms = terms.clone(); move |t: f64| offset + terms.iter().map(|(a, w, p)| a * (w * t + p).sin()).sum::<f64>() };
        let slope = { let terms = terms.clone(); move |t: f64| terms.iter().map(|(a, w, p)| a * w * (w * t + p).cos()).sum::<f64>() };
        let bisect = |f: &dyn Fn(f64) -> f64, mut a: f64, mut b: f64| {
            let up = f(b) > 0.0;
            for _ in 0..80 {
                let x = 0.5 * (a + b);
                if (f(x) > 0.0) == up { b = x } else { a = x }
            }
            b
        };
        // Monotone pieces between the extrema: one crossing where the signs of their ends differ.
        let mut knots = vec![0.0];
        let fine = 20_000;
        for k in 0..fine {
            let (a, b) = (5.0 * k as f64 / fine as f64, 5.0 * (k + 1) as f64 / fine as f64);
            if slope(a) * slope(b) < 0.0 { knots.push(bisect(&slope, a, b)); }
        }
        knots.push(5.0);
        // A touch within rounding is anybody's guess.
        prop_assume!(knots.iter().all(|&t| g(t).abs() > 1e-11));
        let expected: Vec<f64> = knots.windows(2).filter(|w| g(w[0]) * g(w[1]) < 0.0).map(|w| bisect(&g, w[0], w[1])).collect();

        let (inner, rate) = (g.clone(), slope.clone());
        let mut scene = Scene::new(&["x"], move |t, _, _, f| f[0] = rate(t))
            .guard("g", Direction::Both, move |t, _, _| inner(t), move |_, _, _, _| Effect { changed: changes, terminate: false });
        for (_, _, stepper) in ADAPTIVE {
            scene.fired.clear();
            let mut stepper = stepper(scene.layout(), &SolverOptions::default());
            run(&mut scene, &[g(0.0)], &mut *stepper, &RunPlan::new(0.0, 5.0, OutputTimes::Start)).0.unwrap();
            let found = scene.times(0);
            prop_assert_eq!(found.len(), expected.len(), "{:?} are not {:?}", found, &expected);
            for (a, b) in found.iter().zip(&expected) {
                // Near a touch the root is as uncertain as the root of rounding.
                prop_assert!((a - b).abs() < 1e-9 + 1e-14 / slope(*b).abs(), "{} is not {}", a, b);
            }
        }
    }
}

#[test]
fn a_second_run_gives_the_same_bits() {
    let rows = || {
        run(
            &mut ball(0.0, 0.8),
            &[1.0, 0.0],
            &mut *tsit45(1e-8),
            &RunPlan::new(0.0, 2.0, OutputTimes::Count(50)),
        )
        .1
    };
    let (first, second) = (rows(), rows());
    assert_eq!(first.len(), second.len());
    for (a, b) in first.iter().zip(&second) {
        assert!(
            a.0.to_bits() == b.0.to_bits() && a.1.iter().zip(&b.1).all(|(x, y)| x.to_bits() == y.to_bits())
        );
    }
}

#[test]
fn fixed_steps_meet_events_and_grid_too() {
    let mut stepper = Explicit::rk4(SolverOptions { h: Some(0.01), ..SolverOptions::default() });
    let mut scene = ball(0.0, 0.8);
    let plan = RunPlan::new(0.0, 1.0, OutputTimes::Steps(1));
    let (ended, rows) = run(&mut scene, &[1.0, 0.0], &mut stepper, &plan);
    assert_eq!(ended.unwrap().events, 1);
    assert_times(&scene.times(0), &[(2.0 / GRAVITY).sqrt()]);
    // A row a step: 46 up to the bounce, which cuts the last short, 55 after it, the last of them as the end.
    assert_eq!(rows.iter().filter(|r| r.2 == Moment::Grid).count(), 1 + 46 + 54);
}

#[test]
fn further_times_and_points_within_steps_are_reported() {
    let fall = (2.0 / GRAVITY).sqrt();
    let at = vec![-1.0, 0.0, 0.1, 0.2, 0.2, 0.7, 1.0, 5.0];
    for (output, expected) in [
        (OutputTimes::Start, vec![0.0, 0.1, 0.2, 0.7, 1.0]),
        (OutputTimes::Interval(0.25), vec![0.0, 0.1, 0.2, 0.25, 0.5, 0.7, 0.75]),
    ] {
        let plan = RunPlan { at: at.clone(), ..RunPlan::new(0.0, 1.0, output) };
        let (_, rows) = run(
            &mut ball(0.0, 0.8),
            &[1.0, 0.0],
            &mut Explicit::tsit45(SolverOptions { rtol: 1e-10, ..SolverOptions::default() }),
            &plan,
        );
        let times: Vec<f64> = rows
            .iter()
            .filter(|r| r.2 != Moment::BeforeEvent && r.2 != Moment::AfterEvent)
            .map(|r| r.0)
            .collect();
        assert_eq!(&times[..expected.len()], expected);
        assert_eq!(times.last(), Some(&1.0));
        let (t, y, _) = rows.iter().find(|r| r.0 == 0.2).unwrap();
        assert_near(y[0], 1.0 - 0.5 * GRAVITY * t * t, 1e-9);
    }
    // Eight rows a step of 10 ms, also in the one that the bounce cuts short.
    let mut stepper = Explicit::rk4(SolverOptions { h: Some(0.01), ..SolverOptions::default() });
    let plan = RunPlan::new(0.0, 1.0, OutputTimes::Steps(8));
    let (_, rows) = run(&mut ball(0.0, 0.8), &[1.0, 0.0], &mut stepper, &plan);
    assert!(rows.windows(2).all(|w| w[1].0 >= w[0].0 && w[1].0 - w[0].0 < 0.01 / 8.0 + 1e-12));
    let before = rows.iter().filter(|r| r.0 < fall && r.2 == Moment::Grid).count();
    assert_eq!(before, 1 + (fall / (0.01 / 8.0)) as usize);
}

//! Runs that somebody holds: paused, carried to other threads, taken up again from snapshots, changed on the way.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;

use trunnion_engine::Project;
use trunnion_sim::integrate::Ended;
use trunnion_sim::live::LiveRun;
use trunnion_study::request_error::{NameKind, RunRequestError, UnknownName};
use trunnion_study::simulate::{Overrides, settings, simulate};
use trunnion_study::{Monitor, Run, Snapshot};

fn project(example: &str, sets: &[&str]) -> Arc<Project> {
    let path = format!("{}/../../examples/{example}.toml", env!("CARGO_MANIFEST_DIR"));
    let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
    Arc::new(Project::open(&path, &sets).unwrap_or_else(|f| panic!("{f}")))
}

fn with(solver: &str, t_end: f64) -> Overrides {
    Overrides { solver: Some(solver.into()), t_end: Some(t_end), rtol: None }
}

fn bits(run: &Run) -> Vec<u64> {
    run.y().iter().map(|y| y.to_bits()).collect()
}

/// The values at the end of a run like any other.
fn plain(project: &Project, overrides: &Overrides) -> Vec<u64> {
    let (solver, settings) = settings(&project.run, overrides).unwrap();
    let (monitor, given) = (Monitor::default(), HashMap::new());
    let outcome = simulate(project, &given, (solver, &settings), &[], &monitor, &mut |_| Ok(())).unwrap();
    outcome.check().unwrap();
    outcome.y.iter().map(|y| y.to_bits()).collect()
}

#[test]
fn runs_can_be_held_by_anybody() {
    fn held<T: Send + 'static>() {}
    held::<Run>();
    held::<LiveRun>();
    held::<Snapshot>();
    held::<Project>();
}

#[test]
fn pauses_threads_and_snapshots_change_no_bit() {
    let cases = [
        ("domains/mechanics/oscillator", 2.0),
        ("language/events/bouncing_ball", 2.0),
        ("language/events/stick_slip", 2.0),
        ("domains/mechanisms/squeezer", 0.02),
        ("language/control/pid_position", 0.5),
        ("domains/hydraulic/hydro_gas_strut", 1.0),
    ];
    for (example, t_end) in cases {
        let project = project(example, &[]);
        for solver in ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"] {
            let overrides = with(solver, t_end);
            let mut run = Run::new(&project, &overrides).unwrap();
            for piece in 1..8 {
                let until = t_end * f64::from(piece) / 7.0;
                // Each piece in a thread of its own; every second one by a new run that begins at a snapshot.
                let (of, overrides) = (project.clone(), overrides.clone());
                run = thread::spawn(move || {
                    if piece % 2 == 0 {
                        let snapshot = run.snapshot().unwrap();
                        run = Run::new(&of, &overrides).unwrap();
                        run.restore(&snapshot).unwrap();
                    }
                    run.advance(until, &Monitor::default()).unwrap();
                    run
                })
                .join()
                .unwrap();
            }
            let ended = run.advance(f64::INFINITY, &Monitor::default()).unwrap();
            assert_eq!(ended, Some(Ended::Completed), "{example} {solver}");
            assert_eq!(bits(&run), plain(&project, &overrides), "{example} {solver}");
        }
    }
}

#[test]
fn a_snapshot_is_a_place_to_go_back_to() {
    let project = project("domains/mechanics/oscillator", &[]);
    let mut run = Run::new(&project, &Overrides::default()).unwrap();
    let monitor = Monitor::default();
    run.advance(1.0, &monitor).unwrap();
    let (at, x, snapshot) = (run.t(), run.value("body.x").unwrap(), run.snapshot().unwrap());
    let mut after = |damping: &str| {
        run.restore(&snapshot).unwrap();
        assert_eq!((run.t(), run.value("body.x").unwrap().to_bits()), (at, x.to_bits()));
        run.set("B", damping).unwrap();
        run.advance(f64::INFINITY, &monitor).unwrap();
        run.value("body.x").unwrap()
    };
    let (free, damped, again) = (after("0 N s/m"), after("3000 N s/m"), after("0 N s/m"));
    assert_eq!(free.to_bits(), again.to_bits());
    // Strongly damped it has come to rest: −m g C.
    assert!((damped + 0.14715).abs() < 1e-4 && (free - damped).abs() > 0.01, "{free} {damped}");
}

#[test]
fn a_cancelled_run_is_paused_and_wrong_names_are_refused() {
    let project = project("domains/mechanics/oscillator", &[]);
    let mut run = Run::new(&project, &Overrides::default()).unwrap();
    let monitor = Monitor::default();
    monitor.cancel.cancel();
    assert_eq!(run.advance(f64::INFINITY, &monitor).unwrap(), Some(Ended::Cancelled));
    assert!(run.t() > 0.0 && run.t() < 1.0);
    run.advance(f64::INFINITY, &Monitor::default()).unwrap();
    assert_eq!(bits(&run), plain(&project, &Overrides::default()));
    for (name, value, reason) in [
        ("b", "1 N s/m", "no parameter"),
        ("B", "1 kg", "is"),
        ("B", "x", "B"),
        ("B", "-1 N s/m", "out of range"),
    ] {
        let failure = run.set(name, value).unwrap_err();
        assert!(failure.to_string().contains(reason), "{failure}");
    }
    let refused = run.value("body.z").unwrap_err();
    let unknown: &UnknownName = refused.request().unwrap();
    assert_eq!((unknown.kind, unknown.name.as_str()), (NameKind::Signal, "body.z"));
    assert!(unknown.near.contains(&"body.x".to_string()), "{unknown:?}");
    let refused = run.set("B", "-1 N s/m").unwrap_err();
    assert!(matches!(refused.request(), Some(RunRequestError::OutOfRange { .. })), "{refused}");
    assert_eq!(refused.request::<UnknownName>(), None);
}

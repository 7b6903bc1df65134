//! The forestry crane against independent numbers: frequencies of trapped oil, the ring test, full against reduced, closed valves without their own equations.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use trunnion_engine::project::Project;
use trunnion_num::spectrum::{Window, spectrum};
use trunnion_results::Table;
use trunnion_sim::linear::linearise;
use trunnion_sim::modes::modes;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, RunOutcome, point, settings, simulate_to_table};

fn open(sets: &[&str]) -> Project {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/machines/forestry/crane.toml");
    let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
    Project::open(&path.to_string_lossy(), &sets).unwrap_or_else(|f| panic!("{}", f))
}

/// A run, with results every `dt` seconds.
fn run(sets: &[&str], dt: &str) -> (Table, RunOutcome) {
    let dt = format!("run.dt={dt}");
    let sets: Vec<&str> = sets.iter().copied().chain([dt.as_str()]).collect();
    let project = open(&sets);
    let (solver, settings) =
        settings(&project.run, &Overrides::default()).unwrap_or_else(|_| panic!("settings"));
    let ran = simulate_to_table(&project, &HashMap::new(), (solver, &settings), &Monitor::default());
    ran.unwrap_or_else(|f| panic!("{}", f))
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    &table.column(name).unwrap_or_else(|_| panic!("no `{name}`")).values
}

/// Rows in which time lies in the range, one for each instant.
fn during(table: &Table, time: Range<f64>) -> Vec<usize> {
    let t = column(table, "time");
    (0..t.len()).filter(|&i| time.contains(&t[i]) && (i == 0 || t[i] > t[i - 1])).collect()
}

fn at(table: &Table, name: &str, rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&i| column(table, name)[i]).collect()
}

/// Frequency in Hz and damping ratio of every oscillation at an instant.
fn oscillations(sets: &[&str], time: Option<f64>) -> Vec<(f64, f64)> {
    let project = open(sets);
    let Ok(mut here) = point(&project, &Overrides::default(), time, &Monitor::default()) else {
        panic!("no point")
    };
    let (linear, _) = linearise(&mut here.machine, here.t, &here.y, &[], &[]).unwrap();
    let all = modes(&linear).unwrap();
    let swings = all.iter().filter(|m| m.pole.im > 0.0);
    swings.map(|m| (m.pole.natural_frequency(), m.pole.damping_ratio())).collect()
}

fn near(found: f64, expected: f64, share: f64, what: &str) {
    assert!((found - expected).abs() <= share * expected.abs(), "{what}: {found}, expected {expected}");
}

#[test]
fn closed_valves_ring_at_the_frequencies_of_their_oil() {
    let cases: [(&[&str], &[f64]); 4] = [
        (&[], &[6.654, 20.15]),
        (&["m_p=800 kg"], &[3.57, 9.83]),
        (&["fold.motion=-1 rad"], &[6.846]),
        (&["lift.motion=0.6 rad"], &[16.42]),
    ];
    for (sets, expected) in cases {
        // The slowest is the swing.
        let found: Vec<f64> = oscillations(sets, None).into_iter().map(|o| o.0).skip(1).collect();
        assert_eq!(found.len(), expected.len(), "{sets:?}: {found:?}");
        found.iter().zip(expected).for_each(|(f, e)| near(*f, *e, 5e-3, &format!("{sets:?}")));
    }
}

#[test]
fn the_stick_swings_on_its_hoses_while_its_valve_is_open() {
    for time in [3.0, 5.0, 7.0, 12.0, 15.0, 17.0] {
        let (f, damping) = oscillations(&[], Some(time)).into_iter().last().unwrap();
        assert!((0.95 * 17.8..1.05 * 20.4).contains(&f), "{f} Hz at {time} s");
        assert!((0.7 * 0.018..1.3 * 0.054).contains(&damping), "{damping} at {time} s");
    }
}

#[test]
fn a_valve_that_shuts_lets_the_oil_springs_ring() {
    let (table, _) = run(&["motion=ring", "run.t_end=10.5 s"], "1 ms");
    let rows = during(&table, 0.5..10.5);
    let swing = |name: &str| {
        let x = at(&table, name, &rows);
        let (low, high) = x.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        (high - low, x.iter().sum::<f64>() / x.len() as f64)
    };
    // Peak to peak, and mean where it is given.
    let expected = [
        ("reach.p_2", 1.60e6, Some(9.40e6)),
        ("raise.p_1", 1.54e6, Some(4.08e6)),
        ("fold.phi", 1.26e-3, None),
        ("lift.phi", 0.85e-3, None),
    ];
    for (name, peaks, mean) in expected {
        let found = swing(name);
        near(found.0, peaks, 0.03, name);
        mean.into_iter().for_each(|mean| near(found.1, mean, 0.03, name));
    }
    let (t, p) = (at(&table, "time", &rows), at(&table, "reach.p_2", &rows));
    let peaks = spectrum(&t, &p, Window::Hann).unwrap_or_else(|_| panic!("spectrum")).peaks(2);
    let mut found: Vec<f64> = peaks.iter().map(|p| p.frequency).collect();
    found.sort_by(f64::total_cmp);
    near(found[0], 6.69, 0.03, "boom");
    near(found[1], 20.06, 0.03, "stick");
}

/// Largest and root mean square difference of a signal between two runs, over common instants outside `hidden`.
fn difference(a: &Table, b: &Table, name: &str, hidden: &[Range<f64>]) -> (f64, f64) {
    let (rows_a, rows_b) = (during(a, 5.0..40.0), during(b, 5.0..40.0));
    let other: HashMap<i64, usize> =
        rows_b.iter().map(|&i| ((column(b, "time")[i] * 1e6).round() as i64, i)).collect();
    let (mut most, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
    for i in rows_a {
        let t = column(a, "time")[i];
        let Some(&j) = other.get(&((t * 1e6).round() as i64)) else { continue };
        if hidden.iter().any(|h| h.contains(&t)) {
            continue;
        }
        let d = column(a, name)[i] - column(b, name)[j];
        (most, sum, count) = (most.max(d.abs()), sum + d * d, count + 1.0);
    }
    assert!(count > 1000.0, "few instants in common");
    (most, (sum / count).sqrt())
}

#[test]
fn the_reduced_model_follows_the_full_one() {
    let (full, of_full) = run(&[], "5 ms");
    let (reduced, of_reduced) = run(&["hydraulics=reduced"], "5 ms");
    assert!(difference(&full, &reduced, "e", &[]).0 < 5e-4);
    assert!(difference(&full, &reduced, "u_sk", &[]).0 < 0.1);
    // The full model needs a moment to build up pressure once a valve opens.
    let reversals = [10.0..13.5, 20.0..23.5, 30.0..33.5];
    assert!(difference(&full, &reduced, "reach.p_2", &reversals).1 < 0.05e6);
    for name in ["raise.p_1", "raise.p_2"] {
        assert!(difference(&full, &reduced, name, &[]).1 < 0.02e6, "{name}");
    }
    // No spikes at valve events, at no row: the range of a locked cylinder is that of the full model without its ringing.
    for head in ["m_p=0 kg", "m_p=400 kg"] {
        let (full, _) = run(&[head], "5 ms");
        let (reduced, _) = run(&[head, "hydraulics=reduced"], "5 ms");
        let range = |table: &Table, name: &str| {
            let x = column(table, name);
            let ends = |pick: fn(f64, f64) -> f64| x.iter().copied().reduce(pick).unwrap();
            [ends(f64::min), ends(f64::max)]
        };
        for name in ["raise.p_1", "raise.p_2"] {
            let ([a, b], [c, d]) = (range(&full, name), range(&reduced, name));
            assert!(
                a <= c && d <= b && c - a < 0.1 * (b - a) && b - d < 0.1 * (b - a),
                "{name} {head}: {a} {c} {d} {b}"
            );
        }
    }
    let relaxed = ["C_Rmax=1e16 kg/m^7"];
    let (full_16, _) = run(&relaxed, "5 ms");
    let (reduced_16, _) = run(&[relaxed[0], "hydraulics=reduced"], "5 ms");
    assert!(difference(&full_16, &reduced_16, "e", &[]).0 < 2e-3);
    assert!(difference(&full_16, &reduced_16, "u_sk", &[]).0 < 0.1);

    let (full, reduced) = (of_full.summary.unwrap(), of_reduced.summary.unwrap());
    assert!((8..=16).contains(&full.events), "{} switches", full.events);
    assert!(
        full.work.residuals > 5 * reduced.work.residuals,
        "{} and {}",
        full.work.residuals,
        reduced.work.residuals
    );
}

/// What of x, sampled every `dt`, lies between two frequencies.
fn band(x: &[f64], dt: f64, frequencies: Range<f64>) -> Vec<f64> {
    let n = x.len();
    let unit = std::f64::consts::TAU / n as f64;
    let slope = (x[n - 1] - x[0]) / (n - 1) as f64;
    let lines = (frequencies.start * n as f64 * dt) as usize..(frequencies.end * n as f64 * dt) as usize;
    let mut out = vec![0.0; n];
    for line in lines {
        let turn = |i: usize| (unit * ((line * i) % n) as f64).sin_cos();
        let (mut s, mut c) = (0.0, 0.0);
        for (i, x) in x.iter().enumerate() {
            let (sin, cos) = turn(i);
            let rest = x - slope * i as f64;
            (s, c) = (s + rest * sin, c + rest * cos);
        }
        for (i, out) in out.iter_mut().enumerate() {
            let (sin, cos) = turn(i);
            *out += 2.0 / n as f64 * (s * sin + c * cos);
        }
    }
    out
}

#[test]
fn pressure_rings_in_bursts_after_reversals() {
    let dt = 0.01;
    let (table, _) = run(&[], "10 ms");
    let t = column(&table, "time");
    // Rows of events lie between those of the grid.
    let rows: Vec<usize> = during(&table, 0.0..40.0)
        .into_iter()
        .filter(|&i| ((t[i] / dt).round() * dt - t[i]).abs() < 1e-9)
        .collect();
    assert_eq!(rows.len(), 4000);
    let rings = band(&at(&table, "reach.p_2", &rows), dt, 12.0..40.0);
    let largest =
        |from: usize, to: usize| rings[from * 100..to * 100].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (burst, size) in [(0, 0.005e6), (10, 0.012e6), (20, 0.005e6), (30, 0.012e6)] {
        let found = largest(burst, burst + 3);
        assert!((0.5 * size..2.0 * size).contains(&found), "{found} Pa after {burst} s");
        assert!(largest(burst + 4, burst + 9) < 0.1 * found, "it does not end");
    }
}

#[test]
fn without_equations_of_their_own_closed_valves_creep() {
    let run_with = |sets: &[&str]| {
        let (table, outcome) = run(sets, "50 ms");
        let last = |name: &str| *column(&table, name).last().unwrap();
        (last("lift.phi") - 0.6, last("swing.phi"), outcome.summary.unwrap())
    };
    let (lift, swing, _) = run_with(&[]);
    assert!(lift.abs() < 1e-5 && swing.abs() < 1e-9, "{lift} {swing}");
    // What leaks has no rest: the pressures that carry the pose are given.
    let leaks =
        ["closing=resistance", "start.balance=none", "raise.P0_h=4077395 Pa", "reach.P0_r=5136897 Pa"];
    let (lift, swing, _) = run_with(&leaks);
    assert!(lift.abs() > 5e-3 && swing.abs() > 0.03, "{lift} {swing}");
    // The more it leaks, the more often flow jumps to and fro around u = 0, and the shorter steps are.
    let relaxed = "C_Rmax=1e16 kg/m^7";
    let (.., switched) = run_with(&[relaxed]);
    let (lift, _, leaking) = run_with(&[&[relaxed][..], &leaks[..]].concat());
    assert!(lift.abs() > 0.05, "{lift}");
    assert!(leaking.steps > switched.steps, "{} and {} steps", leaking.steps, switched.steps);
    assert!(leaking.events > 2 * switched.events, "{} and {} events", leaking.events, switched.events);
}

//! Models in real time: how long a period of 1 ms takes to compute, over 60 s simulated as fast as possible.
//!
//! Periods are the same bits whenever they are computed, so each is computed several times and its shortest time counts: what else the machine
//! does meanwhile drops out, and the worst period is the model's own.
//!
//! Beside it TORX, with its controllers, as `trunnion run` computes it: adaptive steps, all columns, extremes between rows.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use trunnion_engine::project::Project;
use trunnion_sim::live::{LiveRun, RealTimeSettings};
use trunnion_sim::machine::Machine;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, recorded, settings, simulate};

const SECONDS: f64 = 60.0;
const ROUNDS: usize = 5;
const MODELS: &[&str] = &[
    "examples/domains/hydraulic/stiff_circuit.toml",
    "examples/domains/hydraulic/hydro_gas_strut.toml",
    "examples/domains/hydraulic/open_loop.toml",
    "examples/domains/mechanisms/driven_arm.toml",
    "examples/domains/mechanisms/four_bars_2.toml",
    "examples/machines/forestry/crane.toml",
    "examples/machines/torx/torx.toml",
];

fn main() {
    let [a, b, c] = ["median", "99.9 %", "worst"];
    println!("60 s in periods of 1 ms");
    println!(
        "{:<40} {:>6} {a:>9} {b:>9} {c:>9} {:>5} {:>6} {:>8} {:>11}",
        "model", "states", "mean", "most", "overruns", "× real time"
    );
    for model in MODELS {
        let path = format!("{}/../../{model}", env!("CARGO_MANIFEST_DIR"));
        if Path::new(&path).exists() {
            measure(model, &path);
        }
    }
    println!("mean, most: steps tried in a period");
    run_whole("examples/machines/torx/torx.toml");
}

/// The shortest of several runs to the end; the first one, which compiles, does not count.
fn run_whole(model: &str) {
    let path = format!("{}/../../{model}", env!("CARGO_MANIFEST_DIR"));
    let project = Project::open(&path, &[]).unwrap_or_else(|f| panic!("{model}: {}", f));
    let (solver, settings) =
        settings(&project.run, &Overrides::default()).unwrap_or_else(|f| panic!("{}", f));
    let columns = recorded(&project.prepared, &[]);
    let mut best = f64::INFINITY;
    for round in 0..=2 * ROUNDS {
        let mut sink = |_: &[f64]| Ok(());
        let start = Instant::now();
        simulate(&project, &HashMap::new(), (solver, &settings), &columns, &Monitor::default(), &mut sink)
            .unwrap_or_else(|f| panic!("{model}: {}", f));
        if round > 0 {
            best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let length = settings.t_end - settings.t_0;
    println!("{model}, adaptive: {length} s in {:.0} ms, {:.1} × real time", 1e3 * best, length / best);
}

/// What 60 s took: the time of each period (µs), steps tried in all and in the worst period, overruns.
#[derive(Default)]
struct Run {
    times: Vec<f64>,
    all: u64,
    most: u64,
    overruns: u64,
}

fn measure(name: &str, path: &str) {
    let project = Project::open(path, &[]).unwrap_or_else(|f| panic!("{name}: {}", f));
    let mut best = run(name, &project);
    for _ in 1..ROUNDS {
        let again = run(name, &project);
        best.times.iter_mut().zip(&again.times).for_each(|(best, time)| *best = best.min(*time));
    }
    let Run { mut times, all, most, overruns } = best;
    let sum: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name:<40} {:>6} {:>6.1} µs {:>6.1} µs {:>6.1} µs {:>5.2} {most:>6} {overruns:>8} {:>11.0}",
        project.prepared.system.n_states,
        at(0.5),
        at(0.999),
        at(1.0),
        all as f64 / times.len() as f64,
        times.len() as f64 * RealTimeSettings::default().period * 1e6 / sum,
    );
}

fn run(name: &str, project: &Project) -> Run {
    let t_0 = project.run.t_start;
    let wanted = &project.live;
    let steps = wanted.steps.map_or(RealTimeSettings::default().attempts, |steps| steps as u64);
    let pace = RealTimeSettings {
        attempts: steps,
        rtol: wanted.rtol.unwrap_or(RealTimeSettings::default().rtol),
        ..RealTimeSettings::default()
    };
    let (machine, y) = Machine::start(Arc::clone(&project.prepared), &HashMap::new(), t_0)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut live = LiveRun::new(machine, &y, t_0, pace).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut run = Run::default();
    for _ in 0..(SECONDS / pace.period).round() as usize {
        let begin = Instant::now();
        let ended = live.advance().unwrap_or_else(|e| panic!("{name}: {e}"));
        run.times.push(begin.elapsed().as_secs_f64() * 1e6);
        run.most = run.most.max(live.attempts);
        run.all += live.attempts;
        if ended.is_some() {
            break;
        }
    }
    Run { overruns: live.overruns, ..run }
}

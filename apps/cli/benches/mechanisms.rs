//! Mechanisms against other tools in one run: forward dynamics of chains, four-bars, Andrews' squeezer.
//!
//! With TRUNNION_PEER_PYTHON set to a Python that has MuJoCo, Pinocchio and Exudyn, and TRUNNION_PEERS to the folder of chain.py and mechanisms.py,
//! their times stand beside ours; otherwise ours alone are shown.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use trunnion_engine::project::Project;
use trunnion_equations::ProgramKind;
use trunnion_sim::integrate::{Moment, OutputTimes};
use trunnion_sim::machine::Machine;
use trunnion_sim::run::{Settings, run};
use trunnion_sim::solvers::choose::{MethodNumbers, find};

fn open(path: &str) -> Project {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    Project::open(&path, &[]).unwrap_or_else(|f| panic!("{path}: {}", f))
}

/// Time of a whole run, best of a few, and the columns asked for at its end.
fn timed(project: &Project, t_end: f64, rtol: f64, columns: &[&str]) -> (f64, Vec<f64>) {
    let prepared = &project.prepared;
    let places: Vec<usize> =
        columns.iter().map(|c| prepared.column(c).unwrap_or_else(|| panic!("no {c}"))).collect();
    let settings = Settings {
        t_0: 0.0,
        t_end,
        output: OutputTimes::Start,
        at: vec![],
        rtol,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let solver = find("tsit45").unwrap_or_else(|| panic!("tsit45 is in the list"));
    let mut best = f64::INFINITY;
    let mut end = vec![];
    for _ in 0..5 {
        let begin = Instant::now();
        let mut observe = |_: &mut Machine, _: f64, _: &[f64], _: Moment| ControlFlow::Continue(());
        let finished = run(&Arc::clone(prepared), &HashMap::new(), solver, &settings, &mut observe);
        best = best.min(begin.elapsed().as_secs_f64());
        let mut finished = finished.unwrap_or_else(|e| panic!("{e}"));
        let mut row = vec![0.0; prepared.columns.len()];
        finished.machine.record(t_end, &finished.y, &mut row).expect("finite values");
        end = places.iter().map(|&p| row[p]).collect();
    }
    (best, end)
}

/// The loosest tolerance that reaches an error, its time and its error.
fn reach(project: &Project, t_end: f64, wanted: f64, columns: &[&str], exact: &[f64]) -> (f64, f64, f64) {
    for k in 8..=26 {
        let rtol = 10_f64.powf(-0.5 * k as f64);
        let (seconds, end) = timed(project, t_end, rtol, columns);
        let error = end.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if error <= wanted {
            return (rtol, seconds, error);
        }
    }
    (f64::NAN, f64::NAN, f64::NAN)
}

fn chain(n: usize) -> f64 {
    let text = format!(
        "[bodies]\n\"b#\" = {{ count = {n}, m = \"1 kg\", center = [0, 0, \"-0.25 m\"], inertia = [{0:?}, {0:?}, {1:?}], frames = {{ end = [0, 0, \"-0.5 m\"] }} }}\n\
         [joints]\nfirst = {{ type = \"revolute\", parent = \"world\", child = \"b1\", axis = \"x\" }}\n{2}",
        (0.25 + 0.0025) / 12.0,
        0.005 / 12.0,
        (2..=n)
            .map(|k| format!(
                "j{k} = {{ type = \"revolute\", parent = \"b{}.end\", child = \"b{k}\", axis = \"{}\" }}\n",
                k - 1,
                if k % 2 == 1 { "x" } else { "y" }
            ))
            .collect::<String>()
    );
    let path = std::env::temp_dir().join(format!("trunnion_chain_{n}.toml"));
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    let project = Project::open(&path.to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{}", f));
    let (system, compiled) = (&project.prepared.system, &project.prepared.compiled);
    let y: Vec<f64> = (0..system.n()).map(|i| 0.5 * (i as f64 * 1.7).sin()).collect();
    let start = system.start(&HashMap::new());
    let (mut k, mut scratch) = (vec![0.0; compiled.n_slow()], vec![0.0; compiled.scratch()]);
    compiled.prepare(&start.slow(), &mut scratch, &mut k);
    let mut out = vec![0.0; compiled.program(ProgramKind::Residual as usize).n_out];
    let mut best = f64::INFINITY;
    let rounds = 20_000 / n;
    for _ in 0..30 {
        let begin = Instant::now();
        for _ in 0..rounds {
            compiled.run(
                ProgramKind::Residual as usize,
                0.0,
                std::hint::black_box(&y),
                &k,
                &mut scratch,
                &mut out,
            );
        }
        best = best.min(begin.elapsed().as_secs_f64() / rounds as f64);
    }
    best
}

/// The last line of a peer script, which is JSON.
fn peer(script: &str) -> Option<serde_json::Value> {
    let python = std::env::var("TRUNNION_PEER_PYTHON").ok()?;
    let folder = std::env::var("TRUNNION_PEERS").ok()?;
    let output = Command::new(python).arg(format!("{folder}/{script}")).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last()?).ok()
}

fn main() {
    let ours = [5, 20, 100].map(|n| (n, 1e6 * chain(n)));
    let four_bars = open("tests/models/mechanisms/four_bars_40.toml");
    let a02 = reach(&four_bars, 10.0, 1.5e-4, &["B0.x", "B0.y"], &[0.180512226681, 0.983572740583]);
    let squeezer = open("examples/domains/mechanisms/squeezer.toml");
    let names = ["beta.phi", "Theta.phi", "gamma.phi", "Phi.phi", "delta.phi", "Omega.phi", "epsilon.phi"];
    let exact = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ];
    let a03 = reach(&squeezer, 0.03, 8e-7, &names, &exact);

    let peers = peer("chain.py");
    let time = |tool: &str, key: &str, n: usize| -> Option<f64> {
        peers.as_ref()?["hinge"][tool][n.to_string()][key].as_f64()
    };
    println!("forward dynamics, µs an evaluation");
    println!(
        "{:>7} {:>9} {:>9} {:>10} {:>9} {:>22}",
        "hinges", "Trunnion", "MuJoCo", "Pinocchio", "Exudyn", "fastest peer / ours"
    );
    for (n, t) in ours {
        let others = [
            time("mujoco", "mj_forward_us", n)
                .into_iter()
                .chain(time("mujoco", "mj_step_batch_us", n))
                .reduce(f64::min),
            time("pinocchio", "aba_us", n),
            time("exudyn", "kinematic_tree_explicit_euler_step_us", n),
        ];
        let fastest = others.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let show = |t: Option<f64>| t.map_or("–".into(), |t| format!("{t:.2}"));
        println!(
            "{n:>7} {t:>9.3} {:>9} {:>10} {:>9} {:>22.1}",
            show(others[0]),
            show(others[1]),
            show(others[2]),
            fastest / t
        );
    }
    for (name, (rtol, seconds, error)) in
        [("A02, 40 four-bars, 10 s, 1.5e-4 m", a02), ("A03, squeezer, 0.03 s, 8e-7 rad", a03)]
    {
        println!("{name}: {:.2} ms at rtol {rtol:.1e}, error {error:.1e}", 1e3 * seconds);
    }
    if let Some(mechanisms) = peer("mechanisms.py") {
        println!("{}", serde_json::to_string_pretty(&mechanisms).unwrap_or_default());
    }
}

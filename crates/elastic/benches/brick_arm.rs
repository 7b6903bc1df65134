//! Modes and reduction of a steel arm of 20-node bricks, 2.0 × 0.08 × 0.08 m: seconds, of them seconds of the processor, and the memory that
//! the process had at most.
//!
//! `cargo bench -p trunnion-elastic -- 300` adds the arm of 300 000 unknowns.

use std::time::Instant;

use trunnion_elastic::{
    BodyFrame, ElementKind, ElementProperty, FeLink, FeModel, IsotropicMaterial, ReductionOptions,
    natural_modes, reduce,
};

const SIZE: [f64; 3] = [2.0, 0.08, 0.08];

/// The arm, and the nodes of its two end faces.
fn arm(counts: [usize; 3]) -> (FeModel, [Vec<usize>; 2]) {
    let mut model = FeModel::default();
    model.materials.push(IsotropicMaterial { youngs_modulus: 2.1e11, poissons_ratio: 0.3, density: 7850.0 });
    model.properties.push(ElementProperty::Solid);
    let grid = counts.map(|c| 2 * c + 1);
    let place = |at: [usize; 3]| at[0] + grid[0] * (at[1] + grid[1] * at[2]);
    let mut index = vec![usize::MAX; grid[0] * grid[1] * grid[2]];
    for p in 0..index.len() {
        let at = [p % grid[0], p / grid[0] % grid[1], p / grid[0] / grid[1]];
        if at.iter().map(|i| i % 2).sum::<usize>() < 2 {
            index[p] = model.node(std::array::from_fn(|d| {
                let middle = if d == 0 { 0.0 } else { SIZE[d] / 2.0 };
                SIZE[d] * at[d] as f64 / (grid[d] - 1) as f64 - middle
            }));
        }
    }
    #[rustfmt::skip]
    let offsets: [[usize; 3]; 20] = [
        [0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2],
        [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1],
        [1, 0, 2], [2, 1, 2], [1, 2, 2], [0, 1, 2],
    ];
    for c in 0..counts.iter().product() {
        let cell = [c % counts[0], c / counts[0] % counts[1], c / counts[0] / counts[1]];
        let nodes = offsets.map(|o| index[place(std::array::from_fn(|d| 2 * cell[d] + o[d]))]);
        model.element(ElementKind::Hexa20, &nodes, Some(0), 0);
    }
    let on = |x: f64| (0..model.nodes.len()).filter(|&n| (model.nodes[n].at[0] - x).abs() < 1e-9).collect();
    let faces = [on(0.0), on(SIZE[0])];
    (model, faces)
}

/// In GB, where the system says so.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).and_then(|l| l.split_whitespace().nth(1));
    line.and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e6
}

/// Seconds of the processor so far, where the system says so: ticks of 10 ms.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks =
        |k: usize| stat.split_whitespace().nth(k).and_then(|t| t.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(13) + ticks(14)) / 100.0
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let (start, before) = (Instant::now(), processor());
    let result = run();
    let (wall, used) = (start.elapsed().as_secs_f64(), processor() - before);
    println!("{what:52} {wall:8.2} s {used:8.2} s   {:6.2} GB", peak_memory());
    result
}

fn modes(counts: [usize; 3]) {
    let (mut model, [left, _]) = arm(counts);
    let unknowns = 3 * (model.nodes.len() - left.len());
    left.into_iter().for_each(|n| model.clamp(n));
    let found =
        timed(&format!("10 modes of {unknowns} unknowns, one face held"), || natural_modes(&model, 10));
    println!("    {:.4?} Hz", found.unwrap().frequencies());
}

fn reduction(counts: [usize; 3], modes: usize) {
    let (mut model, faces) = arm(counts);
    let unknowns = 3 * model.nodes.len();
    let mut ends = vec![];
    for (face, x) in faces.into_iter().zip([0.0, SIZE[0]]) {
        let reference = model.node([x, 0.0, 0.0]);
        ends.push(model.nodes[reference].number);
        let components = [true, true, true, false, false, false];
        model.links.push(FeLink::Rigid { number: ends.len() as u32, reference, nodes: face, components });
    }
    let options = ReductionOptions { interfaces: ends, modes, frame: BodyFrame::Clamped(0) };
    let body =
        timed(&format!("reduction of {unknowns} unknowns, 6 + {modes} modes"), || reduce(&model, &options))
            .unwrap();
    println!(
        "    {:.4?} Hz, inertia off by {:.1e}",
        &body.report.frequencies[..6],
        body.report.inertia_mismatch
    );
}

fn main() {
    modes([75, 5, 5]);
    reduction([100, 5, 5], 8);
    if std::env::args().any(|a| a == "300") {
        modes([215, 10, 10]);
        reduction([215, 10, 10], 8);
    }
}

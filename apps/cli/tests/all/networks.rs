//! Networks in three phases, structure, equations, results, on the machines of the examples; and their energy.

use crate::program::{Folder, models};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_model::network::BondNodeKind;
use trunnion_sim::linear::{Pole, linearise};
use trunnion_study::Monitor;
use trunnion_study::energy::balance_of;
use trunnion_study::measure::{MeasureKind, Probe};
use trunnion_study::simulate::{Overrides, point, settings};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn open(example: &str, sets: &[&str]) -> Project {
    let path = examples().join(example);
    let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
    Project::open(&path.to_string_lossy(), &sets).unwrap_or_else(|f| panic!("{example}: {}", f))
}

fn poles(example: &str, sets: &[&str]) -> Vec<Pole> {
    let project = open(example, sets);
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("{example} has no start")
    };
    let (model, _) = linearise(&mut at.machine, at.t, &at.y, &[], &[]).unwrap();
    model.poles().unwrap()
}

/// Whether some pole is this one, to so many of its own size.
fn assert_pole(poles: &[Pole], re: f64, im: f64, share: f64) {
    let near = |p: &Pole| (p.re - re).hypot(p.im - im) <= share * re.hypot(im);
    assert!(poles.iter().any(near), "{re} ± {im} j is not among {poles:?}");
}

/// Frequencies of the oscillations, in Hz, slowest first.
fn frequencies(poles: &[Pole]) -> Vec<f64> {
    poles.iter().filter(|p| p.im > 1e-3).map(|p| p.natural_frequency()).collect()
}

/// Reference cases, C.4 and C.10.
#[test]
fn poles_of_linear_machines() {
    let radar = poles("domains/bond_graph/radar_pedestal.toml", &[]);
    assert_pole(&radar, -0.2802, 0.3767, 2e-4);
    assert_pole(&radar, -0.3960, 26.087, 2e-4);
    assert_pole(&radar, -50.0, 0.0, 2e-4);
    let car = poles("studies/optimal.toml", &[]);
    assert_pole(&car, -6.3055, 7.6248, 2e-5);
    assert_pole(&car, -26.291, 78.282, 2e-5);
}

/// Reference cases, C.6, C.7 and C.9: the gas springs at rest. No flow, so that the laminar end of a restrictor is all the
/// damping there is; it is turned off by its size.
#[test]
fn natural_frequencies_of_gas_springs() {
    let one = |example: &str, sets: &[&str], expected: f64| {
        let found = frequencies(&poles(example, sets));
        assert_eq!(found.len(), 1, "{example}: {found:?}");
        assert!((found[0] / expected - 1.0).abs() < 3e-4, "{example}: {} Hz, not {expected}", found[0]);
    };
    one("domains/hydraulic/hydro_gas_strut.toml", &["v_0=0", "R=1"], 1.0 / 0.50024);
    one("domains/hydraulic/open_loop.toml", &["stroke=0", "R=1"], 2.3996);
    one("domains/hydraulic/open_loop.toml", &["stroke=0", "R=1", "V0=7.59e-5"], 3.000);
    let roll = |r: f64| 0.8131 * (r + 1.0) / (r - 1.0);
    let mut cases = vec![("machines/suspension/crane_independent.toml", "R=1".to_string(), 0.8131)];
    for r in [2.0, 3.0, 4.0] {
        cases.push(("machines/suspension/crane_linked.toml", format!("r={r}"), roll(r)));
    }
    for (example, set, expected) in cases {
        let found = frequencies(&poles(example, &["R=1", &set]));
        let near = |f: f64| found.iter().any(|g| (g / f - 1.0).abs() < 3e-4);
        assert!(found.len() == 2 && near(1.500) && near(expected), "{example} {set}: {found:?}");
    }
}

/// Reference cases, C.8 (b): a noisy force shakes the soft and the stiff suspension; the spectrum of the motion peaks at the
/// natural frequency. A record of 60 s resolves 0.017 Hz, and the lightly damped peak is a few of these wide.
#[test]
fn noise_finds_the_natural_frequency() {
    for (volume, expected) in [("V0=1.186e-4", 2.400), ("V0=7.59e-5", 2.999)] {
        let project = open("machines/suspension/formula_one.toml", &["load=noise", "run.t_end=60 s", volume]);
        let Ok(wanted) = MeasureKind::parse("peak_frequency(body.x)") else { panic!() };
        let Ok(probe) = Probe::new(&project, vec![wanted]) else { panic!("{volume}") };
        let Ok((solver, settings)) = settings(&project.run, &Overrides::default()) else { panic!() };
        let Ok((found, _)) = probe.run(&project, &HashMap::new(), (solver, &settings), &Monitor::default())
        else {
            panic!()
        };
        let found = found.values[0];
        assert!((found - expected).abs() < 0.05, "{volume}: {found} Hz");
    }
}

/// Reference cases, C.10: the gains found are the published ones to 0.02 %, and the model runs with them.
#[test]
fn optimal_gains_are_the_published_ones() {
    let folder = Folder::new();
    let path = examples().join("studies/optimal.toml");
    let model = path.to_string_lossy();
    let zero = ["K1=0", "K2=0", "K3=0", "K4=0"].map(|set| ["--set", set]).concat();
    let mut command =
        vec!["lqr", &model, "-i", "F_0", "-w", "tyre.dx=10", "-w", "body.x - wheel.x=1", "-e", "0.8e-9"];
    command.extend(zero);
    command.extend(["--from", "wheel.x,body.x,wheel.v,body.v", "--names", "K1,K2,K3,K4", "-o", "gains.toml"]);
    folder.good(&command);
    let text = folder.read("gains.toml");
    for (name, published) in [("K1", 57240.0), ("K2", -35355.0), ("K3", 1385.7), ("K4", -4827.0)] {
        let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        let digits: String =
            line.split('=').nth(1).unwrap_or_default().chars().skip_while(|c| " \"".contains(*c)).collect();
        let number = digits.split([' ', '"']).next().unwrap_or_default();
        let found: f64 = number.parse().unwrap_or_else(|_| panic!("{line}"));
        assert!((found / published - 1.0).abs() < 2e-4, "{line}");
    }
    folder.good(&["run", &model, "--defaults", "gains.toml", "-o", "run.csv"]);
}

/// The published listing has the same five state equations: momentum, gas inflow, spool, body displacement, extension.
#[test]
fn the_formula_one_equations_read_like_the_published_ones() {
    let folder = Folder::new();
    let path = examples().join("machines/suspension/formula_one.toml");
    let text = folder.good(&["equations", &path.to_string_lossy(), "--set", "load=none"]);
    let from = text.find("Definitions").expect("a list of definitions");
    let to = text.find("Also known as").unwrap_or(text.len());
    insta::assert_snapshot!(&text[from..to]);
}

/// Reference cases, C.9: the four-degree-of-freedom crane with linked struts.
#[test]
fn the_crane_with_axle_has_the_expected_bond_graph() {
    let project = open("machines/suspension/crane_four_dof.toml", &[]);
    let count = |kind: BondNodeKind| {
        project.network.nodes.iter().filter(move |n| n.kind == kind && !n.connection).map(|n| n.name.as_str())
    };
    // Bounce and roll of two bodies; two gas springs, two tyres; two valves, two tyre dampers.
    assert_eq!(
        count(BondNodeKind::I).collect::<Vec<_>>(),
        ["body.mass", "body.inertia", "axle.mass", "axle.inertia"]
    );
    assert_eq!(
        count(BondNodeKind::C).collect::<Vec<_>>(),
        ["gas_l.gas", "gas_r.gas", "tyre_l.spring", "tyre_r.spring"]
    );
    assert_eq!(
        count(BondNodeKind::R).collect::<Vec<_>>(),
        ["valve_l.loss", "valve_r.loss", "tyre_l.loss", "tyre_r.loss"]
    );
    // An arm for every attachment, two areas for every strut; weights and roads.
    assert_eq!(count(BondNodeKind::Tf).count(), 2 + 4 + 2 * 2);
    assert_eq!(count(BondNodeKind::Se).count(), 2);
    assert_eq!(count(BondNodeKind::Sf).count(), 2);
    let causality = &project.causality;
    assert!(causality.derivative.is_empty() && causality.conflicts.is_empty() && causality.loops.is_empty());
    for (b, bond) in project.network.bonds.iter().enumerate() {
        let node = &project.network.nodes[bond.to];
        let gives_effort = !causality.from_gives_effort[b];
        match node.kind {
            BondNodeKind::C => assert!(gives_effort, "{}", node.name),
            BondNodeKind::I => assert!(!gives_effort, "{}", node.name),
            _ => {}
        }
    }
    // Four momenta, two volumes, two deflections, and the displacements that bodies and roads keep.
    assert_eq!(project.prepared.system.n_states, 8 + 6);
    assert_eq!(project.prepared.system.n(), project.prepared.system.n_states);
}

/// stored + lost − supplied = 0, to 1e-6 of what moved, in every example and all its variants.
#[test]
fn the_energy_of_every_example_adds_up() {
    let mut paths = vec![];
    models(&examples(), &mut paths);
    models(&examples().join("../tests/models"), &mut paths);
    paths.sort();
    let mut counted = 0;
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let opened = |r: Result<_, Failure>| r.unwrap_or_else(|f| panic!("{name}: {}", f));
        let (project, _) = opened(trunnion_engine::Workspace::default().open_with_energy(&name, &[]));
        let mut variants: Vec<Vec<String>> = vec![vec![]];
        for expect in &project.expect {
            if !variants.contains(&expect.sets) {
                variants.push(expect.sets.clone());
            }
        }
        for sets in variants {
            let (project, accounts) =
                opened(trunnion_engine::Workspace::default().open_with_energy(&name, &sets));
            if accounts.is_empty() {
                continue;
            }
            let overrides = Overrides { t_end: None, solver: Some("auto".into()), rtol: Some(1e-8) };
            let balance = balance_of(&project, accounts, &overrides, &Monitor::default());
            let balance = balance.unwrap_or_else(|f| panic!("{name} {sets:?}: {}", f));
            let relative = balance.relative();
            // Where no energy moves at all rounding is left.
            assert!(
                relative < 1e-6 || balance.rest.abs() < 1e-8,
                "{name} {sets:?}: {} J of {} J",
                balance.rest,
                balance.scale
            );
            counted += 1;
        }
    }
    assert!(counted > 20, "{counted}");
}

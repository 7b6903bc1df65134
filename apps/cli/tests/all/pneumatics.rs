//! Gas: its energy, the controller of a cylinder in two languages, accounts that components keep themselves.

use std::collections::HashMap;
use std::path::Path;

use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_results::Table;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, settings, simulate_to_table};

fn run(project: &Project, rtol: f64) -> Table {
    let overrides = Overrides { rtol: Some(rtol), ..Overrides::default() };
    let (solver, settings) = settings(&project.run, &overrides).unwrap_or_else(|f| panic!("{}", f));
    let run = simulate_to_table(project, &HashMap::new(), (solver, &settings), &Monitor::default());
    run.unwrap_or_else(|f| panic!("{}", f)).0
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    &table.column(name).unwrap_or_else(|e| panic!("{e}")).values
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).to_string_lossy().into_owned()
}

/// The rates that `energy` sums up lead to U = m c_v (T − T_0), a function of the state.
#[test]
fn inner_energy_follows_from_the_state() {
    let text = std::fs::read_to_string(example("domains/pneumatic/air_cylinder.toml")).unwrap();
    let folder = Folder::new();
    for (gas, t_0) in [("gas = \"heat\", hA = 0.5", 293.15), ("n = 1.3", 293.15)] {
        folder.write("m.toml", text.replace("n = \"n\"", gas));
        let path = folder.path("m.toml").to_string_lossy().into_owned();
        let (project, _) = trunnion_engine::Workspace::default()
            .open_with_energy(&path, &[])
            .unwrap_or_else(|f| panic!("{}", f));
        let table = run(&project, 1e-9);
        let c_v = 1e5 / 1.185 / (t_0 * 0.4);
        for side in ["side_a", "side_b"] {
            let of = |what: &str| column(&table, &format!("cylinder.{side}.{what}"));
            let (m, temp) = (of("m"), of("temp"));
            let summed = column(&table, &format!("energy.cylinder.{side}.inner"));
            let inner = |k: usize| c_v * m[k] * (temp[k] - t_0);
            let largest = (0..m.len()).map(|k| inner(k).abs()).fold(0.0, f64::max);
            for k in 0..m.len() {
                let off = inner(k) - inner(0) - (summed[k] - summed[0]);
                assert!(off.abs() < 1e-6 * largest, "{gas} {side}: {off} J of {largest} J");
            }
        }
    }
}

#[test]
fn a_program_and_a_task_control_alike() {
    let model = example("domains/pneumatic/air_position_control.toml");
    let folder = Folder::new();
    folder.good(&["compare", &model, "--set-b", "control=task", "-y", "cylinder.s,u", "--tol", "1e-6"]);
}

const LAMP: &str = "[ports]\np = { domain = \"electric\" }\n\n[parameters]\nR = { unit = \"Ohm\", default = 10 }\n\n\
    [equations]\nlaw = \"p.u = R*p.i\"\n\n[outputs]\nlight = { value = \"LIGHT\", energy = \"lost\" }\n";
const CIRCUIT: &str = "[model]\nlibraries = [\"lib\"]\n\n[components]\nlamp = \"lamp\"\ns = { type = \"voltage_source\", U = 5 }\n\
    gnd = \"electric_ground\"\n\n[connect]\n\"s.p\" = \"lamp\"\n\"s.n\" = \"gnd\"\n";

/// 5 V on 10 Ω for 1 s are 2.5 J.
#[test]
fn a_component_is_taken_at_its_word() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("lib")).unwrap();
    folder.write("m.toml", CIRCUIT);
    folder.write("lib/lamp.toml", LAMP.replace("LIGHT", "R*p.i^2"));
    let told = folder.good(&["energy", "m.toml"]);
    assert!(told.contains("lamp.light") && told.contains("2.5 "), "{told}");
    // Half of it is forgotten.
    folder.write("lib/lamp.toml", LAMP.replace("LIGHT", "0.5*R*p.i^2"));
    let told = folder.good(&["energy", "m.toml"]);
    assert!(told.contains("stored + lost − supplied = -1.25 J"), "{told}");
    folder.write("lib/lamp.toml", LAMP.replace("LIGHT", "R*p.i"));
    folder.bad(&["energy", "m.toml"], 1, &["M0107", "the account `light` of `lamp`"]);
}

#[test]
fn a_cylinder_that_does_not_fit_its_mounting_is_named() {
    let folder = Folder::new();
    let text = "[mechanism]\n\n[bodies]\nbox = { m = \"1 kg\" }\n\n[joints]\n\
        slide = { type = \"prismatic\", parent = \"world\", child = \"box\", axis = \"x\", x0 = \"2 m\" }\n\n\
        [components]\ncyl = { type = \"air_cylinder\", on = \"slide\", l_min = 0 }\nair = { type = \"air_supply\" }\n\n\
        [connect]\n\"air\" = [\"cyl.a\", \"cyl.b\"]\n";
    folder.write("m.toml", text);
    let told = folder.good(&["run", "m.toml", "-o", "x.csv"]);
    assert!(told.contains("`cyl` does not fit its mounting"), "{told}");
}

/// A supply of other air than the cylinder behind it, whose account of energy cannot close, is named; air of the same P_0/ρ_0 is not.
#[test]
fn two_airs_in_one_circuit_are_named() {
    let folder = Folder::new();
    let text = |supply: &str| {
        format!(
            "[components]\nair = {{ type = \"air_supply\"{supply} }}\ngap = \"air_restriction\"\n\
             tank = {{ type = \"air_volume\", P_0 = \"2 bar\", rho_0 = 2.37 }}\n\n\
             [connect]\n\"air\" = \"gap.a\"\n\"gap.b\" = \"tank\"\n"
        )
    };
    folder.write("same.toml", text(""));
    assert!(!folder.run(&["check", "same.toml"]).err.contains("N0104"));
    folder.write("other.toml", text(", rho_0 = 1.3"));
    let told = folder.run(&["check", "other.toml"]).err;
    assert!(told.contains("N0104") && told.contains("`air`") && told.contains("`tank"), "{told}");
}

//! Rest of machines: pressures that hold a pose, the pose that pressures hold, and what is refused.

use crate::program::Folder;

/// A boom on a cylinder behind a closed valve; `more` stands beside the cylinder's sizes.
fn boom(more: &str, rest: &str) -> String {
    format!(
        r#"
        [model]
        name = "boom"
        [mechanism]
        plane   = "xy"
        gravity = "9.81 m/s^2"
        [bodies]
        world = {{ frames = {{ foot = [0, "-0.8 m"] }} }}
        boom  = {{ m = "400 kg", rod = "2 m", frames = {{ pin = ["0.6 m", 0] }} }}
        [joints]
        hinge = {{ type = "revolute", parent = "world", child = "boom", phi0 = "20 deg", c = "2 kN m s/rad" }}
        [components]
        lift  = {{ type = "cylinder", from = "world.foot", to = "boom.pin", stroke = "0.6 m", l_min = "0.7 m", P0_h = "5 bar", P0_r = "5 bar"{more} }}
        valve = {{ type = "valve_4_3", lap = 0.05 }}
        pump  = {{ type = "reservoir", P = "200 bar" }}
        tank  = {{ type = "reservoir", P = "2 bar" }}
        [connect]
        "valve.p" = "pump"
        "valve.t" = "tank"
        "valve.a" = "lift.head"
        "valve.b" = "lift.annulus"
        [run]
        t_end = "20 s"
        {rest}
        "#
    )
}

/// All that a command says.
fn told(folder: &Folder, arguments: &[&str]) -> String {
    let answer = folder.run(arguments);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer.out + &answer.err
}

fn value(text: &str, name: &str, column: usize) -> f64 {
    let line = text.lines().find(|l| l.split_whitespace().next() == Some(name));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in {text}"));
    line.split_whitespace().nth(column).unwrap().parse().unwrap()
}

/// Force of the cylinder by statics: m g L l/(2 a b).
fn force(phi: f64) -> f64 {
    let l = (0.64 + 0.36 + 0.96 * phi.sin()).sqrt();
    400.0 * 9.81 * 2.0 * l / 0.96
}

const A_H: f64 = 0.25 * std::f64::consts::PI * 0.063 * 0.063;
const A_R: f64 = A_H - 0.25 * std::f64::consts::PI * 0.036 * 0.036;

fn pushes(p_h: f64, p_r: f64) -> f64 {
    A_H * p_h - A_R * p_r - (A_H - A_R) * 101_325.0
}

#[test]
fn the_chamber_that_has_to_rise_carries_the_load() {
    let folder = Folder::new();
    let phi = 20.0_f64.to_radians();
    for (sets, kept) in [("lift.P0_h=5bar", "lift.x_r"), ("lift.P0_h=60bar", "lift.x_h")] {
        folder.write("boom.toml", boom("", ""));
        let text = folder.good(&["balance", "boom.toml", "--hold", "hinge.phi", "--all", "--set", sets]);
        let [p_h, p_r] = ["lift.p_h", "lift.p_r"].map(|p| value(&text, p, 2));
        let off = pushes(p_h, p_r) / force(phi) - 1.0;
        assert!(off.abs() < 1e-6, "{off} {text}");
        assert!(
            text.contains(&format!("as at the start, for nothing at rest changes it: `{kept}`")),
            "{text}"
        );
        // Nothing is let go downwards.
        assert!(p_h >= value(&text, "lift.p_h", 1) && p_r >= value(&text, "lift.p_r", 1), "{text}");
    }
    let sets = ["--all", "--set", "lift.P0_h=60bar"];
    let text =
        folder.good(&[&["balance", "boom.toml", "--hold", "hinge.phi,lift.p_h"][..], &sets[..]].concat());
    assert_eq!(value(&text, "lift.p_h", 2), 6e6);
}

#[test]
fn held_pressures_find_the_pose() {
    let folder = Folder::new();
    folder.write("boom.toml", boom("", ""));
    let sets = ["--set", "lift.P0_h=31bar", "--set", "lift.P0_r=8bar"];
    let hold = ["balance", "boom.toml", "--hold", "lift.p_h,lift.p_r"];
    let text = folder.good(&[&hold[..], &sets[..]].concat());
    let phi = value(&text, "hinge.phi", 2);
    assert!((force(phi) / pushes(31e5, 8e5) - 1.0).abs() < 1e-6, "{text}");
}

#[test]
fn trapped_oil_rests_where_a_run_comes_to_rest() {
    let folder = Folder::new();
    folder.write("boom.toml", boom("", ""));
    let text = folder.good(&["balance", "boom.toml"]);
    let found = value(&text, "hinge.phi", 2);
    folder.good(&["run", "boom.toml", "-o", "boom.csv", "--rtol", "1e-10"]);
    let table = folder.read("boom.csv");
    let rows: Vec<&str> = table.lines().filter(|l| !l.starts_with('#')).collect();
    let names: Vec<&str> = rows[0].split(',').collect();
    let place = names.iter().position(|n| n.starts_with("hinge.phi")).unwrap();
    let last: f64 = rows[rows.len() - 1].split(',').nth(place).unwrap().parse().unwrap();
    let sunk = 20.0_f64.to_radians() - last;
    assert!(sunk > 1e-4 && (found - last).abs() < 1e-4 * sunk, "{found} {last}");
}

#[test]
fn a_rest_beyond_the_stroke_is_refused_and_not_written() {
    let folder = Folder::new();
    folder.write("boom.toml", boom("", "").replace("0.6 m\", l_min", "0.2 m\", l_min"));
    let before = folder.read("boom.toml");
    let refused = ["the equilibrium is refused", "leaves its stroke"];
    folder.bad(&["balance", "boom.toml", "--hold", "hinge.phi", "--write"], 3, &refused);
    assert_eq!(folder.read("boom.toml"), before);
    // Pressures that hold no pose: a cylinder that pulls cannot carry the boom.
    let pulls = boom("", "").replace("P0_h = \"5 bar\"", "P0_h = \"1 bar\"");
    folder.write("pulls.toml", &pulls);
    folder.bad(&["balance", "pulls.toml", "--hold", "lift.p_h,lift.p_r", "--write"], 3, &["equilibrium"]);
    assert_eq!(folder.read("pulls.toml"), pulls);
}

#[test]
fn an_unstable_rest_is_named() {
    let folder = Folder::new();
    folder.write(
        "pole.toml",
        "[model]\nname = \"pole\"\n[mechanism]\nplane = \"xy\"\n[bodies]\npole = { m = 2, rod = 1 }\n[joints]\n\
         pin = { type = \"revolute\", parent = \"world\", child = \"pole\", phi0 = \"90 deg\" }\n\
         [start]\nbalance = \"rest\"\n",
    );
    let text = folder.good(&["balance", "pole.toml"]);
    assert!(text.contains("unstable: `pin."), "{text}");
    let text = told(&folder, &["check", "pole.toml"]);
    assert!(text.contains("M0317") && text.contains("unstable"), "{text}");
}

#[test]
fn a_start_at_rest_names_what_it_cannot_hold() {
    let folder = Folder::new();
    let rest = |hold: &str| boom("", &format!("[start]\nbalance = \"rest\"\nhold = [{hold}]\n"));
    folder.write("boom.toml", rest("\"hinge.fi\""));
    folder.bad(&["check", "boom.toml"], 1, &["M0318", "`hinge.fi`", "did you mean `hinge.phi`?"]);
    folder.write("boom.toml", rest("\"hinge.phi\", \"lift.p_h\", \"lift.p_r\""));
    let text = told(&folder, &["check", "boom.toml"]);
    assert!(text.contains("M0317") && text.contains("nothing carries it"), "{text}");
    folder.write("boom.toml", rest("\"hinge.phi\""));
    let text = folder.good(&["energy", "boom.toml"]);
    assert!(text.contains("stored + lost"), "{text}");
}

#[test]
fn oil_that_leaks_slowly_carries_a_pose_and_is_told() {
    let folder = Folder::new();
    let seeps = boom("", "").replace("[connect]", "seep = { type = \"restrictor\", regime = \"laminar\", R_l = \"1e13 Pa s/m^3\" }\n[connect]\n\"seep.b\" = \"tank\"");
    folder.write(
        "boom.toml",
        seeps.replace("\"valve.a\" = \"lift.head\"", "\"valve.a\" = [\"lift.head\", \"seep.a\"]"),
    );
    let text = folder.good(&["balance", "boom.toml", "--hold", "hinge.phi", "--all"]);
    let [p_h, p_r] = ["lift.p_h", "lift.p_r"].map(|p| value(&text, p, 2));
    assert!((pushes(p_h, p_r) / force(20.0_f64.to_radians()) - 1.0).abs() < 1e-6, "{text}");
    assert!(text.contains("`lift.x_h` is left moving"), "{text}");
    // Whoever makes it linear there is told as well.
    let point = ["--balance", "--hold", "hinge.phi"];
    for command in [
        &["modes", "boom.toml"][..],
        &["linearize", "boom.toml"],
        &["lqr", "boom.toml", "-i", "tank.P", "-w", "hinge.phi=1", "-w", "hinge.w=1", "-e", "1e-12"],
        &["response", "boom.toml", "-i", "tank.P", "--output", "hinge.phi", "--method", "linear"],
    ] {
        let text = folder.good(&[command, &point].concat());
        assert!(text.contains("at rest, but for 1 state"), "{text}");
        assert!(text.contains("note: `lift.x_h` is left moving"), "{text}");
        assert!(!text.contains("--balance finds one"), "{text}");
    }
}

/// A pump with a relief valve feeds an axis whose valve is shut; `more` stands beside the pressure at which the supply starts.
fn axis(supply: &str, relief: bool, gain: &str) -> String {
    let relieved = if relief { "\"tank\" = [\"relief.b\", \"valve.t\"]" } else { "\"tank\" = \"valve.t\"" };
    let at_pump = if relief { ", \"relief.a\"" } else { "" };
    let valve = if relief {
        "relief = { type = \"relief_valve\", P_max = \"150 bar\", dp_open = \"5 bar\" }"
    } else {
        ""
    };
    format!(
        r#"
        [components]
        pid    = {{ type = "pid_controller", Kp = "10 1/m", Ki = "{gain} 1/(m s)", ref = "0.1 m", y = "load.x" }}
        valve  = {{ type = "valve_4_3", q_rated = "60 l/min", u = "pid.u" }}
        cyl    = {{ type = "cylinder", stroke = "0.5 m", s0 = "0.1 m", seal = "smooth", P0_h = "30 bar", P0_r = "44.054 bar" }}
        load   = {{ type = "mass", m = "1000 kg", x0 = "0.1 m" }}
        pump   = {{ type = "pump", Q = "60 l/min" }}
        supply = {{ type = "volume", V0 = "2 l", P0 = "{supply}" }}
        {valve}
        tank   = {{ type = "reservoir", P = "1 bar" }}
        ground = {{ type = "ground" }}
        [connect]
        "pump.outlet" = ["supply", "valve.p"{at_pump}]
        {relieved}
        "valve.a"  = "cyl.head"
        "valve.b"  = "cyl.annulus"
        "cyl.rod"  = "load"
        "cyl.case" = "ground"
        [run]
        t_end = "1 s"
        "#
    )
}

/// The pressure at which the relief valve passes all of the pump's flow, Q = R (p − P_max)/dp_open √(p − P_tank), by bisection.
fn relieved_pressure() -> f64 {
    let flow = |p: f64| 1e-3 / 1e6_f64.sqrt() * (p - 150e5) / 5e5 * (p - 1e5).sqrt();
    let (mut low, mut high) = (150e5, 155e5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if flow(middle) < 1e-3 { &mut low } else { &mut high }) = middle;
    }
    low
}

#[test]
fn a_supply_below_its_relief_valve_rests_where_that_is_open() {
    let folder = Folder::new();
    for supply in ["20 bar", "150 bar", "153 bar"] {
        for (gain, hold) in
            [("0", &[][..]), ("0", &["--hold", "load.x"]), ("2", &[]), ("2", &["--hold", "load.x"])]
        {
            folder.write("axis.toml", axis(supply, true, gain));
            let text = folder.good(&[&["balance", "axis.toml", "--all"], hold].concat());
            let off = value(&text, "supply.p", 2) / relieved_pressure() - 1.0;
            assert!(off.abs() < 1e-6, "{supply} {gain} {hold:?}: {off}\n{text}");
            assert!(!text.contains("left moving"), "{text}");
        }
    }
}

#[test]
fn what_fills_for_ever_is_named() {
    let folder = Folder::new();
    folder.write("axis.toml", axis("100 bar", false, "0"));
    let says = ["`supply.V_i` cannot rest", "grows by 1.000e-3", "--hold supply.V_i"];
    folder.bad(&["balance", "axis.toml", "--hold", "load.x"], 3, &says);
    let text = folder.good(&["balance", "axis.toml", "--hold", "load.x,supply.V_i"]);
    assert!(text.contains("`supply.V_i` is held"), "{text}");
}

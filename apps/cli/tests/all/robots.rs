//! Robots of models: the arm that a mechanism is, programs in runs and live, what is refused, servo design.

use std::collections::HashMap;
use std::path::PathBuf;

use trunnion_engine::project::Project;
use trunnion_engine::robots::robots;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

use crate::program::{Folder, json};

/// Joints of every kind, some from child to parent, frames that are turned, a weld and a base that is not the world.
const MIXED: &str = r#"
    [parameters]
    l = "0.4 m"
    [bodies]
    world  = { frames = { stand = { at = ["0.1 m", "-0.2 m", "0.3 m"], rotate = ["20 deg", "-30 deg", "50 deg"] } } }
    base   = { m = "5 kg", inertia = ["0.1 kg m^2", "0.2 kg m^2", "0.15 kg m^2"], frames = { top = { at = [0, "0.1 m", "0.2 m"], rotate = [0, "40 deg", 0] } } }
    slide  = { m = "3 kg", inertia = ["0.1 kg m^2", "0.1 kg m^2", "0.1 kg m^2"], frames = { far = ["l", 0, "0.05 m"] } }
    plate  = { m = "1 kg", center = ["0.1 m", 0, 0], inertia = ["0.01 kg m^2", "0.02 kg m^2", "0.02 kg m^2"], frames = { seat = { at = ["0.2 m", "0.1 m", 0], rotate = ["90 deg", 0, "15 deg"] } } }
    nut    = { m = "2 kg", inertia = ["0.02 kg m^2", "0.03 kg m^2", "0.02 kg m^2"], frames = { back = [0, "-0.1 m", 0] } }
    hand   = { m = "1.5 kg", center = [0, 0, "0.1 m"], inertia = ["0.01 kg m^2", "0.01 kg m^2", "0.005 kg m^2", "0.001 kg m^2", 0, 0], frames = { tip = { at = ["0.1 m", 0, "0.3 m"], rotate = ["10 deg", "20 deg", "30 deg"] }, root = ["0.05 m", 0, 0] } }
    [joints]
    a = { type = "revolute", parent = "base", child = "world.stand", axis = "z", phi0 = "30 deg" }
    b = { type = "prismatic", parent = "base.top", child = "slide", axis = [1, 2, 2], x0 = "0.15 m" }
    w = { type = "weld", parent = "plate", child = "slide.far" }
    c = { type = "screw", parent = "plate.seat", child = "nut", axis = "y", pitch = "30 mm", phi0 = "-70 deg" }
    d = { type = "revolute", parent = "hand.root", child = "nut.back", axis = [1, 1, 0], phi0 = "55 deg", lower = "-100 deg", upper = "100 deg" }
    [sensors]
    tip = { of = "hand.tip", from = "BASE" }
    [robots.r]
    script = "wait 1 s"
    period = "10 ms"
    base   = "BASE"
    tool   = "hand.tip"
    axes   = ["a", "b", "c", "d"]
    speed  = ["1 rad/s", "0.5 m/s", "2 rad/s", "1 rad/s"]
    [run]
    t_end = "10 ms"
"#;

#[test]
fn the_arm_of_a_mechanism_has_the_pose_of_the_mechanism() {
    for (base, axes) in [("world", vec!["a", "b", "c", "d"]), ("base.top", vec!["b", "c", "d"])] {
        let folder = Folder::new();
        let mut text = MIXED.replace("BASE", base);
        if axes.len() == 3 {
            let speed = r#"speed  = ["1 rad/s", "0.5 m/s", "2 rad/s", "1 rad/s"]"#;
            text = text.replace(r#"["a", "b", "c", "d"]"#, r#"["b", "c", "d"]"#);
            text = text.replace(speed, r#"speed  = ["0.5 m/s", "2 rad/s", "1 rad/s"]"#);
        }
        folder.write("m.toml", text);
        let path = folder.path("m.toml");
        for (l, phi) in [(0.4, -70.0), (0.7, 40.0), (0.25, 200.0)] {
            let sets = [format!("l={l} m"), format!("c.phi0={phi} deg")];
            let project = Project::open(&path.to_string_lossy(), &sets).unwrap_or_else(|f| panic!("{f}"));
            let robot = robots(&project.prepared.system).pop().unwrap();
            let mut at = point(&project, &Overrides::default(), None, &Monitor::default())
                .unwrap_or_else(|f| panic!("{f}"));
            let mut row = vec![0.0; project.prepared.columns.len()];
            at.record(&mut row).unwrap_or_else(|f| panic!("{f}"));
            let value = |name: &str| row[project.prepared.column(name).unwrap()];
            let start: Vec<f64> =
                axes.iter().map(|a| value(&format!("{a}.{}", if *a == "b" { "x" } else { "phi" }))).collect();
            assert_eq!(robot.start, start);
            let found = robot.arm.forward(&robot.start).p;
            for (k, name) in ["tip.x", "tip.y", "tip.z"].into_iter().enumerate() {
                let wanted = value(name);
                assert!(
                    (found[k] - wanted).abs() < 1e-13,
                    "{base} {l} {phi} {name}: {} and {wanted}",
                    found[k]
                );
            }
            let d = robot.arm.axis(axes.len() - 1).limits;
            assert!((d.low + 100_f64.to_radians()).abs() < 1e-15 && (d.speed - 1.0).abs() < 1e-15);
            // What was left out: reached within ¼ s and 1/10 s.
            assert!((d.acceleration - 4.0).abs() < 1e-14 && (d.jerk - 40.0).abs() < 1e-13);
        }
    }
}

fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/machines/robot_arm/robot_arm.toml")
}

/// Two axes that follow their references at once, a switch, a lamp.
const SMALL: &str = r#"
    [bodies]
    upper = { m = "2 kg", rod = "0.5 m" }
    fore  = { m = "1 kg", rod = "0.4 m" }
    [joints]
    j1 = { type = "revolute", parent = "world", child = "upper", axis = "-y" }
    j2 = { type = "revolute", parent = "upper.end", child = "fore", axis = "-y", phi0 = "60 deg" }
    [inputs]
    switch = { start = 0 }
    [components]
    m1 = { type = "moment_source", on = "j1", drive = "4000 N m/rad*(r.j1.x_ref - j1.phi) + 80 N m s/rad*(r.j1.v_ref - j1.w)" }
    m2 = { type = "moment_source", on = "j2", drive = "2000 N m/rad*(r.j2.x_ref - j2.phi) + 40 N m s/rad*(r.j2.v_ref - j2.w)" }
    [robots.r]
    program = "p.robot"
    period  = "5 ms"
    tool    = "fore.end"
    axes    = ["j1", "j2"]
    speed   = "2 rad/s"
    inputs  = { part = "switch" }
    outputs = { lamp = "1" }
    [run]
    t_end = "2 s"
"#;

const SMALL_PROGRAM: &str = "input part\noutput lamp\nmove joint joints(0.3 rad, 0.8 rad)\nset lamp = on\n\
    wait until part\nmove joint joints(0, 1 rad) blend 5 deg\nmove joint joints(-0.2 rad, 0.6 rad)\nset lamp = off\n";

fn small(program: &str) -> Folder {
    let folder = Folder::new();
    folder
        .write("m.toml", SMALL)
        .write("p.robot", program)
        .write("in.csv", "time,input,value\n0.9,switch,1\n");
    folder
}

fn rows(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read(name);
    text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).map(String::from).collect()
}

#[test]
fn a_live_run_with_a_program_resumes_with_the_same_bits() {
    let folder = small(SMALL_PROGRAM);
    let live =
        |more: &[&str]| folder.good(&[&["live", "m.toml", "--no-pace", "--replay", "in.csv"], more].concat());
    live(&["--duration", "1.6", "--record", "whole.csv"]);
    let whole = rows(&folder, "whole.csv");
    assert_eq!(whole.len(), 1601);
    // While it waits for its input, while the axes move, and when it is over.
    for at in [0.2, 0.85, 1.1, 1.55] {
        let (first, second) = (format!("{at}"), format!("{}", 1.6 - at));
        live(&["--duration", &first, "--record", "a.csv", "--snapshot", "at"]);
        live(&["--duration", &second, "--record", "b.csv", "--resume", "at"]);
        let n = (at * 1000.0_f64).round() as usize;
        assert_eq!(whole[..=n], rows(&folder, "a.csv")[..], "{at}");
        assert_eq!(whole[n..], rows(&folder, "b.csv")[..], "{at}");
    }
}

#[test]
fn references_and_signals_follow_the_program() {
    let folder = small(&SMALL_PROGRAM.replace("wait until part\n", "wait until part timeout 0.1 s\n"));
    folder.good(&["run", "m.toml", "--out", "r.csv"]);
    let text = folder.read("r.csv");
    let head: Vec<&str> = text.lines().find(|l| l.starts_with("time")).unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|h| h.split(' ').next() == Some(name)).unwrap();
    let last: Vec<f64> =
        rows(&folder, "r.csv").last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    assert_eq!(last[place("r.j1.x_ref")], -0.2);
    assert_eq!(last[place("r.j2.v_ref")], 0.0);
    assert_eq!((last[place("r.lamp")], last[place("r.done")], last[place("r.line")]), (0.0, 1.0, 8.0));
    // PD without an integral: gravity over stiffness is left.
    assert!((last[place("j1.phi")] + 0.2).abs() < 5e-3);
}

#[test]
fn faults_of_programs_are_told_with_their_place() {
    let check = |program: &str, code: i32, words: &[&str]| {
        let folder = small(program);
        folder.bad(&["run", "m.toml"], code, words);
    };
    let signals = "input part\noutput lamp\n";
    // Text: all errors, with line, caret and hint.
    let text = format!("{signals}point pick = pose(0.5 m, 0, 0)\nmove linear pik\nrepaet 3 times\nend\n");
    check(
        &text,
        1,
        &[
            "error[R04]: `pik` is not known",
            "p.robot:4:13",
            "move linear pik",
            "^^^",
            "did you mean `pick`?",
            "p.robot:5:1",
        ],
    );
    // Before the run, as no input decides.
    let far = format!("{signals}wait 0.5 s\nmove joint joints(0, 1 rad)\nmove joint joints(0, 9 m)\n");
    check(&far, 1, &["error[R06]", "p.robot:5:22"]);
    let far = format!("{signals}wait 0.5 s\nmove joint pose(2 m, 0, 0)\n");
    check(&far, 1, &["error[R24]", "`r` would stop at t = 0.5 s", "cannot be reached", "p.robot:4:1"]);
    let endless = format!("{signals}var n = 0\nwhile n < 1\n  n = n * 2\nend\n");
    check(&endless, 1, &["error[R21]", "p.robot:5:3", "put a `wait` into the loop"]);
    // In the run, where it depends on an input: with time and line.
    let later = format!("{signals}wait 0.3 s\nif part\n  stop\nend\nmove joint pose(2 m, 0, 0)\n");
    check(
        &later,
        3,
        &["error[M0414]", "fails at t = 0.3 s", "cannot be reached", "p.robot:7:1", "move joint pose"],
    );
    // Signals that only one side has.
    check("input part\n", 1, &["error[M0556]", "has no output `lamp`", "output lamp"]);
    check(
        &format!("{signals}input stop_now\n"),
        1,
        &["error[M0556]", "an input `stop_now`", "inputs = { stop_now"],
    );
}

#[test]
fn faults_of_robots_are_told_with_their_place() {
    let check = |old: &str, new: &str, words: &[&str]| {
        let folder = small(SMALL_PROGRAM);
        assert!(SMALL.contains(old), "{old}");
        folder.write("m.toml", SMALL.replace(old, new));
        folder.bad(&["check", "m.toml"], 1, words);
    };
    let axes = r#"axes    = ["j1", "j2"]"#;
    check(axes, r#"axes = ["j1", "j3"]"#, &["error[M0551]", "no joint `j3`", "did you mean"]);
    check(axes, r#"axes = ["j2", "j1"]"#, &["error[M0553]", r#"write axes = ["j1", "j2"]"#]);
    check(
        axes,
        r#"axes = ["j1", "j2"]
    hold = ["j9"]"#,
        &["error[M0551]", "`j9`", "not among `axes`"],
    );
    check(
        axes,
        r#"axes = ["j1", "j2"]
    drives = ["m1"]"#,
        &["error[M0554]", "1 drives for 2 axes"],
    );
    check(
        axes,
        r#"axes = ["j1", "j2"]
    drives = ["m1", "m3"]"#,
        &["error[M0551]", "no component `m3`"],
    );
    check(axes, "", &["error[M0106]", "needs `axes`"]);
    check(
        r#"tool    = "fore.end""#,
        r#"tool = "fore.ent""#,
        &["error[M0505]", "`fore.ent`", "did you mean `fore.end`?"],
    );
    check(
        r#"speed   = "2 rad/s""#,
        r#"speed = ["1 rad/s", "2 rad/s", "3 rad/s"]"#,
        &["error[M0554]", "3 values for 2 axes"],
    );
    check(r#"speed   = "2 rad/s""#, r#"speed = "0 rad/s""#, &["error[M0108]", "above 0"]);
    check(r#"speed   = "2 rad/s""#, r#"speed = "2 m/s""#, &["error[M0107]"]);
    check(r#"program = "p.robot""#, r#"program = "p.txt""#, &["error[M0002]", "no robot program", ".robot"]);
    check(r#"program = "p.robot""#, "", &["error[M0106]", "needs `program`"]);
    check(r#"period  = "5 ms""#, r#"perod = "5 ms""#, &["error[M0101]", "did you mean `period`?"]);
    let weld =
        r#"j2 = { type = "revolute", parent = "upper.end", child = "fore", axis = "-y", phi0 = "60 deg" }"#;
    let ball = r#"j2 = { type = "universal", parent = "upper.end", child = "fore", axes = ["x", "y"] }"#;
    check(weld, ball, &["error[M0551]", "`j2` cannot be an axis", "universal"]);
}

#[test]
fn axes_that_are_missing_are_named() {
    let folder = small(SMALL_PROGRAM);
    let text = SMALL.replace(r#"axes    = ["j1", "j2"]"#, r#"axes = ["j1"]"#);
    let text = text.lines().filter(|l| !l.contains("m2 =")).collect::<Vec<_>>().join("\n");
    folder.write("m.toml", text);
    folder.bad(&["check", "m.toml"], 1, &["error[M0552]", "`j2` is between them"]);
}

#[test]
fn inertias_by_virtual_work_are_those_of_the_mass_matrix() {
    let folder = Folder::new();
    folder.write("m.toml", MIXED.replace("BASE", "world"));
    let path = example();
    let example = path.to_string_lossy();
    let poses: [(&str, &[&str]); 4] = [
        ("m.toml", &[]),
        ("m.toml", &["--pose", "a=-1.2", "--pose", "b=0.3 m", "--pose", "c=400 deg", "--pose", "d=-20 deg"]),
        (&example, &[]),
        (&example, &["--pose", "j2=50 deg", "--pose", "j3=-35 deg", "--pose", "j4=70 deg", "--pose", "j6=1"]),
    ];
    for (model, pose) in poses {
        let answer = folder.good(&[&["servo", model, "--format", "json"], pose].concat());
        let answer = json(&answer);
        let axes = answer["result"]["axes"].as_array().unwrap().clone();
        assert!(axes.len() >= 4);
        for axis in axes {
            let [m, w] = ["inertia_si", "inertia_by_virtual_work_si"].map(|k| axis[k].as_f64().unwrap());
            assert!(m > 0.0 && (m - w).abs() <= 1e-9 * m, "{model} {pose:?} {}: {m} and {w}", axis["axis"]);
        }
    }
}

#[test]
fn gains_are_written_into_the_drives() {
    let folder = Folder::new();
    let here = example();
    let from = here.parent().unwrap();
    std::fs::create_dir(folder.path("parts")).unwrap();
    for name in ["robot_arm.toml", "pick_and_place.robot", "parts/servo_drive.toml"] {
        folder.write(name, std::fs::read(from.join(name)).unwrap());
    }
    let design = ["servo", "robot_arm.toml", "--bandwidth", "25", "--damping", "0.8", "--integral", "0.3"];
    let answer = json(&folder.good(&[&design[..], &["--format", "json"]].concat()));
    folder.good(&[&design[..], &["--write"]].concat());
    let project = Project::open(&folder.path("robot_arm.toml").to_string_lossy(), &[])
        .unwrap_or_else(|f| panic!("{f}"));
    let system = &project.prepared.system;
    let values = system.image.start_values(&HashMap::new());
    let value = |name: String| values[system.find(&name).unwrap().index()];
    for k in 0..6 {
        let axis = &answer["result"]["axes"][k];
        let (n, rotor) = (value(format!("drive{}.n", k + 1)), value(format!("drive{}.J_m", k + 1)));
        // (3) of the servo study, and PID of the poles (s² + 2 ζ ω s + ω²)(s + α ω).
        let j = rotor + axis["inertia_si"].as_f64().unwrap() / (n * n);
        let wanted = [
            ("Kp", (1.0 + 2.0 * 0.8 * 0.3) * 625.0 * j * n),
            ("Ki", 0.3 * 25_f64.powi(3) * j * n),
            ("Kv", 1.9 * 25.0 * j),
        ];
        for (key, wanted) in wanted {
            let found = value(format!("drive{}.{key}", k + 1));
            assert!((found / wanted - 1.0).abs() < 1e-8, "drive{} {key}: {found} and {wanted}", k + 1);
        }
    }
}

#[test]
fn gains_over_a_grid_keep_the_damping() {
    let folder = Folder::new();
    let path = example();
    let example = path.to_string_lossy();
    let grid = [
        "servo",
        &example,
        "--bandwidth",
        "20",
        "--grid",
        "j2=-60 deg:90 deg:7",
        "--grid",
        "j3=-90 deg:60 deg:7",
    ];
    let answer = json(&folder.good(&[&grid[..], &["--format", "json", "--out", "gains.csv"]].concat()));
    let schedule = &answer["result"]["schedule"];
    assert_eq!(schedule["points"].as_array().unwrap().len(), 49);
    for range in schedule["damping_between"].as_array().unwrap() {
        for zeta in range.as_array().unwrap() {
            // Critically damped to some percent between poses 25 deg apart.
            assert!((zeta.as_f64().unwrap() - 1.0).abs() < 0.05, "{zeta}");
        }
    }
    assert_eq!(folder.read("gains.csv").lines().count(), 50);
    folder.bad(&["servo", &example, "--grid", "j2=5"], 2, &["is no grid", "j2="]);
    folder.bad(&["servo", &example, "--pose", "j9=1"], 2, &["no axis `j9`", "j1, j2"]);
    folder.bad(&["servo", &example, "--pose", "j2=1 kg"], 2, &["gives no place"]);
    folder.bad(&["servo", &example, "--bandwidth", "0"], 2, &["above 0"]);
}

/// The crane with a shorter run.
fn crane(folder: &Folder, sets: &[&str], out: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/machines/forestry/crane.toml");
    let path = path.to_string_lossy().into_owned();
    let mut arguments = vec!["run", &path, "--t-end", "10 s", "--out", out];
    sets.iter().for_each(|set| arguments.extend(["--set", set]));
    folder.good(&arguments);
}

/// Values of a column over the rows.
fn column(folder: &Folder, file: &str, name: &str) -> Vec<f64> {
    let text = folder.read(file);
    let head: Vec<&str> = text.lines().find(|l| l.starts_with("time")).unwrap().split(',').collect();
    let place = head.iter().position(|h| h.split(' ').next() == Some(name)).unwrap();
    rows(folder, file).iter().map(|row| row.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn levers_move_the_tip_of_the_crane_as_its_closed_form_does() {
    let folder = Folder::new();
    let path = ["A_r=-0.6 m", "A_z=0.2 m"];
    crane(&folder, &[&["motion=tip"][..], &path].concat(), "formula.csv");
    crane(&folder, &[&["motion=levers"][..], &path].concat(), "levers.csv");
    // A sampled speed lags by half of its period of 10 ms: at most 0.19 m/s times 5 ms.
    for name in ["r_tip", "z_tip"] {
        let [a, b] = ["formula.csv", "levers.csv"].map(|file| column(&folder, file, name));
        let times = column(&folder, "levers.csv", "time");
        let at: HashMap<u64, f64> = times.iter().map(|t| t.to_bits()).zip(b).collect();
        let times = column(&folder, "formula.csv", "time");
        // Rows of events aside.
        let both: Vec<f64> =
            times.iter().zip(&a).filter_map(|(t, a)| Some((a - at.get(&t.to_bits())?).abs())).collect();
        let apart = both.iter().fold(0.0_f64, |m, x| m.max(*x));
        assert!(both.len() > 1900 && apart < 1.5e-3, "{name}: {apart}");
        let moved = a.iter().fold(0.0_f64, |m, x| m.max((x - a[0]).abs()));
        assert!(moved > 0.1, "{name}: {moved}");
    }
    assert!(column(&folder, "levers.csv", "tip.share").iter().skip(1).all(|share| *share == 1.0));
}

#[test]
fn a_lever_that_asks_too_much_is_slowed_within_the_limits_of_the_joints() {
    let folder = Folder::new();
    crane(&folder, &["motion=levers", "A_r=1 m", "T=10 s"], "r.csv");
    let share = column(&folder, "r.csv", "tip.share");
    assert!(share.iter().any(|s| *s < 0.9), "nothing is limited");
    // Outwards into the stretched pose, a_1 + L_2 + L_3 from the swing axis, and back.
    assert!(column(&folder, "r.csv", "tip.singular").contains(&1.0));
    let reach = column(&folder, "r.csv", "r_tip").iter().fold(0.0_f64, |m, r| m.max(*r));
    assert!(reach > 7.5 && reach <= 7.6, "{reach}");
    for (name, limit) in [("tip.lift.v_ref", 0.3), ("tip.fold.v_ref", 0.4)] {
        let most = column(&folder, "r.csv", name).iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // Differences of positions over 10 ms.
        assert!(most <= limit * (1.0 + 1e-9), "{name}: {most}");
    }
}

#[test]
fn levers_that_make_no_sense_are_refused() {
    let check = |keys: &str, words: &[&str]| {
        let folder = Folder::new();
        let text = SMALL
            .replace("outputs = { lamp = \"1\" }\n", "")
            .replace("inputs  = { part = \"switch\" }\n", "");
        folder.write("m.toml", text.replace("program = \"p.robot\"", keys));
        folder.bad(&["check", "m.toml"], 1, words);
    };
    check("levers = [\"1 m/s\"]", &["error[M0507]", "two speeds"]);
    check("levers = [\"1 m/s\", \"1 m\"]", &["error[M0107]", "a lever"]);
    check(
        "levers = [\"1 m/s\", \"0 m/s\"]\n    plane = [\"x\", \"-x\"]",
        &["error[M0508]", "two different axes"],
    );
    check("levers = [\"1 m/s\", \"0 m/s\"]\n    program = \"p.robot\"", &["error[M0111]", "levers"]);
}

#[test]
fn a_live_run_with_levers_resumes_with_the_same_bits() {
    let folder = Folder::new();
    let text =
        SMALL.replace("outputs = { lamp = \"1\" }\n", "").replace("inputs  = { part = \"switch\" }\n", "");
    let levers = "levers = [\"0.1 m/s*switch\", \"-0.2 m/s*sin(3 rad/s*time)\"]";
    folder.write("m.toml", text.replace("program = \"p.robot\"", levers));
    folder.write("in.csv", "time,input,value\n0.2,switch,1\n0.5,switch,-1\n");
    let live =
        |more: &[&str]| folder.good(&[&["live", "m.toml", "--no-pace", "--replay", "in.csv"], more].concat());
    live(&["--duration", "0.8", "--record", "whole.csv"]);
    live(&["--duration", "0.303", "--record", "a.csv", "--snapshot", "at"]);
    live(&["--duration", "0.497", "--record", "b.csv", "--resume", "at"]);
    let whole = rows(&folder, "whole.csv");
    assert_eq!(whole[..304], rows(&folder, "a.csv")[..]);
    assert_eq!(whole[303..], rows(&folder, "b.csv")[..]);
}

/// A steel strip of 2 m that a hinge swings.
const STRIP: &str = r#"
    [mechanism]
    gravity = 0
    [bodies.strip]
    model    = "elastic"
    material = { E = "210 GPa", nu = 0.3, rho = "7850 kg/m^3" }
    beams    = [{ from = [0, 0, 0], to = ["2 m", 0, 0], section = { rectangle = ["60 mm", "20 mm"] }, elements = 10 }]
    modes    = 4
    damping  = "1 %"
    frames   = { tip = ["2 m", 0, 0] }
    [joints]
    hinge = { type = "revolute", parent = "world", child = "strip", axis = "z" }
    [robots.r]
    script = "wait 1 s"
    period = "10 ms"
    tool   = "strip.tip"
    axes   = ["hinge"]
    speed  = "1 rad/s"
"#;

#[test]
fn the_lowest_mode_limits_the_bandwidth() {
    let folder = Folder::new();
    folder.write("m.toml", STRIP);
    // Clamped strip in its weak direction: ω₁ = 3.516 √(E I/(ρ A L⁴)).
    let mode = 3.516015 * (210e9 * 0.06 * 0.02_f64.powi(3) / 12.0 / (7850.0 * 0.06 * 0.02 * 16.0)).sqrt();
    let design = |bandwidth: &str| {
        json(&folder.good(&["servo", "m.toml", "--bandwidth", bandwidth, "--format", "json"]))["result"]
            .clone()
    };
    let found = design("40");
    let number = |key: &str| found[key].as_f64().unwrap();
    assert!((number("lowest_mode_rad_s") / mode - 1.0).abs() < 1e-3, "{found:#} {mode}");
    assert_eq!(number("bandwidth_rad_s"), 0.5 * number("lowest_mode_rad_s"));
    let inertia = found["axes"][0]["inertia_si"].as_f64().unwrap();
    // ρ A L³/3 and the rotary inertia of the sections, ρ I L.
    let wanted = 7850.0 * (0.06 * 0.02 * 8.0 / 3.0 + 0.02 * 0.06_f64.powi(3) / 12.0 * 2.0);
    assert!((inertia / wanted - 1.0).abs() < 1e-6, "{inertia} {wanted}");
    assert_eq!(design("5")["bandwidth_rad_s"], 5.0);
    let text = folder.good(&["servo", "m.toml", "--bandwidth", "40"]);
    assert!(text.contains("would excite the lowest mode") && text.contains("bodies deform"), "{text}");
}

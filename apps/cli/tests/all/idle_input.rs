//! Input that has no effect, or another one than meant, is told of.

use crate::program::Folder;

/// What `check` says of a model, which has no errors.
fn checked(folder: &Folder, text: &str) -> String {
    folder.write("m.toml", text);
    let answer = folder.run(&["check", "m.toml"]);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer.err
}

/// A boom that a cylinder moves; `cylinder`, `valve` and `pid` stand in their tables.
fn boom(cylinder: &str, valve: &str, pid: &str) -> String {
    format!(
        r#"
        [mechanism]
        plane   = "xy"
        gravity = "9.81 m/s^2"
        [bodies]
        world = {{ frames = {{ foot = [0, "-0.8 m"] }} }}
        boom  = {{ m = "400 kg", rod = "2 m", frames = {{ pin = ["0.6 m", 0] }} }}
        [joints]
        hinge = {{ type = "revolute", parent = "world", child = "boom", phi0 = "20 deg", c = "2 kN m s/rad" }}
        [components]
        lift  = {{ type = "cylinder", from = "world.foot", to = "boom.pin", stroke = "0.6 m", l_min = "0.7 m", P0_h = "30 bar", P0_r = "8 bar"{cylinder} }}
        valve = {{ type = "valve_4_3", lap = 0.05{valve} }}
        pid   = {{ type = "pid_controller", ref = "0.3", y = "hinge.phi"{pid} }}
        pump  = {{ type = "reservoir", P = "200 bar" }}
        tank  = {{ type = "reservoir", P = "2 bar" }}
        [connect]
        "valve.p" = "pump"
        "valve.t" = "tank"
        "valve.a" = "lift.head"
        "valve.b" = "lift.annulus"
        [run]
        t_end = "0.2 s"
        "#
    )
}

#[test]
fn values_that_nothing_depends_on_are_named() {
    let folder = Folder::new();
    let told = checked(&folder, &boom("", ", u = \"pid.u\"", ", Kp = 2"));
    assert!(!told.contains("M0311") && !told.contains("M033"), "{told}");
    // The extension of a mounted cylinder follows from the pose.
    let told = checked(&folder, &boom(", s0 = \"0.1 m\"", ", u = \"pid.u\"", ""));
    assert!(told.contains("M0332") && told.contains("the start value of `lift.s` has no effect"), "{told}");
    let run = folder.run(&["run", "m.toml"]);
    assert!(run.code == 0 && run.err.contains("M0332"), "{}", run.err);
    // R would follow from q_rated.
    let told =
        checked(&folder, &boom("", ", q_rated = \"40 l/min\", R = \"1e-7 (m^7/kg)^0.5\", u = \"pid.u\"", ""));
    let says = ["M0332", "`q_rated` of `valve` has no effect", "`R` would follow from it, but is given"];
    assert!(says.iter().all(|s| told.contains(s)), "{told}");
    // Nothing commands the valve, and nothing takes what the controller says.
    let told = checked(&folder, &boom("", "", ""));
    let says = ["M0333", "nothing commands `valve.u`", "M0311", "nothing takes the signal of `pid`"];
    assert!(says.iter().all(|s| told.contains(s)), "{told}");
    let told = checked(&folder, &boom("", ", u = 0", ", Kp = 2"));
    assert!(!told.contains("M0333"), "{told}");
}

#[test]
fn an_input_that_nothing_sets_is_named() {
    let folder = Folder::new();
    let text = |live: &str| {
        format!(
            "[inputs]\npush = {{ unit = \"N\" }}\nidle = {{ unit = \"N\" }}\n[variables]\nv = {{ unit = \"m/s\" }}\n\
             [equations]\ne = \"der(v) = push/3 kg\"\n[run]\nt_end = 1\n{live}"
        )
    };
    let told = checked(&folder, &text(""));
    assert!(told.contains("nothing sets the input `push`") && !told.contains("`idle`"), "{told}");
    let told = checked(&folder, &text("[live.keys]\nright = { input = \"push\", hold = \"20 N\" }\n"));
    assert!(!told.contains("M0333"), "{told}");
}

#[test]
fn a_gain_in_the_unit_of_another_input_is_found() {
    let folder = Folder::new();
    let fed = ", u = \"pid.u\"";
    // 8 1/mm on an angle would be 8000.
    let told = checked(&folder, &boom("", fed, ", Kp = \"8 1/mm\""));
    let says = ["M0334", "`valve.u` takes a plain number", "1/m", "`Kp` is in 1/m"];
    assert!(says.iter().all(|s| told.contains(s)), "{told}");
    for good in ["8", "\"8 1/rad\"", "\"8 1/deg\""] {
        let told = checked(&folder, &boom("", fed, &format!(", Kp = {good}")));
        assert!(!told.contains("M0334"), "{good}: {told}");
    }
    // The integral part does not fit the proportional one: 1/(m s) by an angle by a second is 1/m.
    let told = checked(&folder, &boom("", fed, ", Kp = 8, Ki = \"2 1/(m s)\""));
    assert!(told.contains("M0334"), "{told}");
    // Sampled, the output comes from a task.
    let told = checked(&folder, &boom("", fed, ", sampled = true, period = \"1 ms\", Kp = \"8 1/mm\""));
    assert!(told.contains("M0334"), "{told}");
    // On a length the same gain is right.
    let axis = |kp: &str| {
        format!(
            "[components]\npid = {{ type = \"pid_controller\", Kp = \"{kp}\", u_min = \"-1 kN\", u_max = \"1 kN\", ref = \"0.1 m\", y = \"load.x\" }}\n\
             load = {{ type = \"mass\", m = \"3 kg\" }}\npush = {{ type = \"force_source\", drive = \"pid.u\" }}\n\
             [connect]\n\"push\" = \"load\"\n[run]\nt_end = \"1 s\"\n"
        )
    };
    assert!(!checked(&folder, &axis("8 N/mm")).contains("M0334"));
    assert!(checked(&folder, &axis("8 1/mm")).contains("M0334"));
}

#[test]
fn a_relief_valve_with_an_open_port_relieves_nothing() {
    let folder = Folder::new();
    let text = |tank: &str| {
        format!(
            "[components]\npump = {{ type = \"pump\", Q = \"1 l/min\" }}\nsupply = {{ type = \"volume\", V0 = \"2 l\" }}\n\
             relief = {{ type = \"relief_valve\" }}\ntank = {{ type = \"reservoir\" }}\nleak = {{ type = \"restrictor\" }}\n\
             [connect]\n\"pump.outlet\" = [\"supply\", \"relief.a\", \"leak.a\"]\n\"tank\" = [{tank}]\n[run]\nt_end = \"1 ms\"\n"
        )
    };
    assert!(checked(&folder, &text("\"leak.b\"")).contains("N0102"));
    assert!(!checked(&folder, &text("\"leak.b\", \"relief.b\"")).contains("N0102"));
}

#[test]
fn numbers_without_unit_in_frames_and_runs_without_end_are_told() {
    let folder = Folder::new();
    let text = "[mechanism]\nplane = \"xy\"\n[bodies]\nworld = { frames = { foot = [0, -0.8] } }\narm = { m = \"2 kg\", rod = \"1 m\" }\n\
                [joints]\npin = { type = \"revolute\", parent = \"world.foot\", child = \"arm\" }\n";
    let told = checked(&folder, text);
    assert!(told.contains("M0312") && told.contains("world.foot = -0.8 m"), "{told}");
    assert!(told.contains("M0415") && told.contains("ends at 1 s"), "{told}");
    assert!(folder.run(&["run", "m.toml"]).err.contains("M0415"));
    assert!(!folder.run(&["run", "m.toml", "--t-end", "2 s"]).err.contains("M0415"));
    assert!(!checked(&folder, &format!("{text}[run]\nt_end = \"1 s\"\n")).contains("M0415"));
}

#[test]
fn start_values_have_two_forms_of_name() {
    let folder = Folder::new();
    let text = |mass: &str, integral: &str| {
        format!(
            "[components]\nbody = {{ type = \"mass\", m = \"2 kg\", {mass} = \"3 m/s\" }}\nlag = {{ type = \"first_order\", tau = \"1 s\", {integral} = 5, u1 = 0 }}\n\
             [run]\nt_end = \"1 s\"\nplot = [\"lag.y\"]\n"
        )
    };
    let rows = |mass: &str, integral: &str| {
        folder.write("m.toml", text(mass, integral));
        folder.good(&["run", "m.toml", "-o", "m.csv"]);
        let rows: Vec<String> =
            folder.read("m.csv").lines().filter(|l| !l.starts_with('#')).map(String::from).collect();
        rows
    };
    assert_eq!(rows("v0", "y_0"), rows("v_0", "y0"));
    folder.write("m.toml", text("v0", "y_0").replace("y_0 = 5", "y_0 = 5, y0 = 5"));
    folder.bad(&["check", "m.toml"], 1, &["M0105", "given twice"]);
    folder.write("m.toml", text("v0", "y_0"));
    let [own, other] = ["lag.y_0=7", "lag.y0=7"].map(|set| {
        folder.good(&["run", "m.toml", "-o", "m.csv", "--set", set]);
        folder.read("m.csv").lines().filter(|l| !l.starts_with('#')).map(String::from).collect::<Vec<_>>()
    });
    assert_eq!(own, other);
}

#[test]
fn hints_name_the_option_and_the_place_of_the_number() {
    let folder = Folder::new();
    let hinge = "[mechanism]\nplane = \"xy\"\n[bodies]\narm = { m = \"2 kg\", rod = \"1 m\" }\n\
                 [joints]\npin = { type = \"revolute\", parent = \"world\", child = \"arm\", damping = 5 }\n";
    folder.write("m.toml", hinge);
    folder.bad(&["check", "m.toml"], 1, &["M0103", "the number is `c`"]);
    folder.write("m.toml", boom("", ", u = \"pid.u\"", ""));
    folder.bad(
        &["check", "m.toml", "--set", "valve.tau=1ms"],
        1,
        &["M0204", "it belongs to the option `spool`"],
    );
    folder.write("m.toml", "[parameters]\nm = 10\n[components]\nbody = { type = \"mass\", m = \"m\" }\n");
    folder.bad(&["check", "m.toml"], 1, &["M0107", "m.toml:2:1", "`m` is given without a unit"]);
    folder.write("m.toml", "[components]\nbody = { type = \"mass\", m = \nspring = { type = \"spring\" }\n");
    folder.bad(&["check", "m.toml"], 1, &["m.toml:2:27", "a value is missing", "write `m = value`"]);
    folder.write(
        "m.toml",
        "[components]\nbody = { type = \"mass\", m = \"3 kg\"\nspring = { type = \"spring\" }\n",
    );
    folder.bad(&["check", "m.toml"], 1, &["write `}` behind `\"mass\", m = \"3 kg\"`"]);
}

/// A damper of equations whose second force has the sign `sign`.
fn damper(sign: &str) -> String {
    format!(
        r#"title = "Damper of equations"
doc   = """
Damper.

    f = c (v_a − v_b)                                                     (1)

Sign:    f > 0 pushes the ends together.
Assumes: no mass.
Limits:  none.
"""

[ports]
a = {{ domain = "translational", doc = "One end" }}
b = {{ domain = "translational", doc = "Other end" }}

[parameters]
c = {{ unit = "N s/m", default = 10, above = 0, doc = "Damping" }}

[variables]
dv = {{ unit = "m/s", doc = "Difference of speeds" }}

[equations]
speeds   = "dv = a.v - b.v"
force    = "a.f = c*dv"
reaction = "b.f = {sign}c*dv"
"#
    )
}

#[test]
fn a_force_without_reaction_is_found() {
    let folder = Folder::new();
    folder.write("eq_damper.toml", damper("-"));
    folder.good(&["check", "eq_damper.toml"]);
    folder.write("eq_damper.toml", damper(""));
    folder.bad(&["check", "eq_damper.toml"], 1, &["C0007", "`a`, `b`", "has no reaction"]);
    // A lever rests on its pivot: the forces differ, but it sees more than differences.
    let lever =
        damper("-").replace("dv = a.v - b.v", "dv = a.v - 2*b.v").replace("b.f = -c*dv", "b.f = -2*c*dv");
    folder.write("eq_damper.toml", lever);
    folder.good(&["check", "eq_damper.toml"]);
}

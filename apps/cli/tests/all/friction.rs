//! Friction that sticks: in closed loops, several at once, and where nothing can stick.

use crate::program::Folder;

/// Two hanging rods and a bar between them, turned aside by 30°; friction in both bearings.
fn parallelogram(friction: &str) -> String {
    format!(
        r#"
[model]
name = "parallelogram"
[mechanism]
plane = "xy"
[bodies]
world = {{ frames = {{ right = ["1 m", 0] }} }}
left  = {{ m = "1 kg", rod = "0.5 m" }}
bar   = {{ m = "2 kg", rod = "1 m" }}
right = {{ m = "1 kg", rod = "0.5 m" }}
[joints]
a = {{ type = "revolute", parent = "world", child = "left", phi0 = "-60 deg", friction = "{friction}" }}
b = {{ type = "revolute", parent = "left.end", child = "bar", phi0 = "60 deg" }}
c = {{ type = "revolute", parent = "world.right", child = "right", phi0 = "-60 deg", friction = "{friction}" }}
d = {{ type = "revolute", parent = "right.end", child = "bar.end", cut = true }}
[run]
t_end = "10 s"
"#
    )
}

#[test]
fn stuck_bearings_hold_a_closed_loop() {
    let folder = Folder::new();
    // The weight turns with (1 + 1)/2 + 2 = 3 kg at 0.5 m: 3 · 9.81 · 0.5 · cos 60° = 7.36 N m, shared by two bearings.
    let held = parallelogram("3.8 N m")
        + "[[expect]]\nsignal = \"a.phi\"\nvalue = \"-60 deg\"\ntol = \"1e-9 rad\"\n\
           [[expect]]\nsignal = \"a.tau_rub + c.tau_rub\"\nvalue = \"-3*9.81*0.25 N m\"\ntol = \"1e-6 N m\"\n";
    folder.write("held.toml", held);
    folder.good(&["verify", "held.toml"]);
    // Below half of it the loop swings, and comes to rest where friction can hold it.
    let slips = parallelogram("0.5 N m")
        + "[[expect]]\nsignal = \"a.w\"\nvalue = 0\ntol = \"1e-12 rad/s\"\n\
           [[expect]]\nsignal = \"abs(cos(a.phi))*3*9.81*0.5 N m\"\nmin = \"0 N m\"\ntol = \"1 N m\"\n";
    folder.write("slips.toml", slips);
    folder.good(&["verify", "slips.toml"]);
    let account = folder.good(&["energy", "slips.toml"]);
    assert!(account.contains("stored + lost"), "{account}");
}

/// A wedge: friction of half the spring's force, whichever its sign, holds against 0.4 of it from the first instant, and slides under 0.6 of it.
#[test]
fn a_limit_with_branches_holds_from_the_start() {
    let folder = Folder::new();
    let wedge = |push: f64, squeeze: f64| {
        format!(
            "[parameters]\nsqueeze = \"{squeeze} N\"\n[variables]\nx = \"m\"\nv = \"m/s\"\nn = {{ unit = \"N\", start = \"squeeze\" }}\n\
             [equations]\nway = \"der(x) = v\"\nhold = \"der(n) = 0 N/s\"\n\
             motion = \"2 kg*der(v) = {push} N - dry(v, 0.5*abs(n), 0.5*abs(n))\"\n[run]\nt_end = \"1 s\"\n"
        )
    };
    for squeeze in [10.0, -10.0] {
        folder.write(
            "held.toml",
            wedge(4.0, squeeze) + "[[expect]]\nsignal = \"abs(x)\"\nmax = \"0 m\"\ntol = \"1e-15 m\"\n",
        );
        folder.good(&["verify", "held.toml"]);
        // (6 N − 5 N)/2 kg for a second.
        folder.write(
            "slides.toml",
            wedge(6.0, squeeze) + "[[expect]]\nsignal = \"x\"\nvalue = \"0.25 m\"\ntol = \"1e-6 m\"\n",
        );
        folder.good(&["verify", "slides.toml"]);
    }
}

#[test]
fn nothing_sticks_where_nothing_has_inertia() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        "[components]\npush = { type = \"force_source\", F = \"3 N\" }\ndamper = \"damper\"\nrub = \"friction\"\nground = \"ground\"\n\
         [connect]\n\"push\" = \"damper.a\"\n\"damper.b\" = \"rub.a\"\n\"rub.b\" = \"ground\"\n",
    );
    let answer = folder.run(&["check", "m.toml"]);
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert!(answer.err.contains("S0008") && answer.err.contains("at_rest"), "{}", answer.err);
}

#[test]
fn a_lock_needs_a_mode() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        "[variables]\nv = { unit = \"m/s\", start = \"1 m/s\" }\n\
         [equations]\nlaw = \"1 kg*der(v) = -hold(v > 0.5 m/s, v, 0 m/s^2)\"\n",
    );
    let answer = folder.run(&["check", "m.toml"]);
    assert!(answer.err.contains("S0009"), "{}", answer.err);
}

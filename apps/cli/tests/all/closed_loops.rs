//! Loops closed on joints with quaternions, from start values that have to turn: closed, rigid and lossless, at rest and in motion.

use crate::program::Folder;

/// Tilted hinge: a free body held on it, turned into place by closing the loop.
const HINGED: &str = r#"
[bodies]
world = { frames = { a = { at = [0, 0, 0], rotate = ["40 deg", 0, "30 deg"] } } }
b = { m = "1 kg", center = ["0.5 m", 0, 0], inertia = ["0.01 kg m^2", "0.1 kg m^2", "0.1 kg m^2"], frames = { tip = ["1 m", 0, 0] } }
[joints]
j = { type = "free", parent = "world", child = "b", guess = true }
h = { type = "revolute", parent = "world.a", child = "b", axis = "y", cut = true }
[sensors]
tip = { of = "b.tip", from = "b", shows = ["distance"] }
"#;

const RSSR: &str = r#"
[bodies]
world = { frames = { g = ["0.4 m", "0.3 m", 0] } }
crank  = { m = "1 kg", center = ["0.05 m",0,0], inertia = ["0.001 kg m^2", "0.01 kg m^2", "0.01 kg m^2"], frames = { end = ["0.1 m", 0, 0] } }
coupler = { m = "1 kg", center = ["0.2 m", 0, 0], inertia = ["0.001 kg m^2", "0.02 kg m^2", "0.02 kg m^2"], frames = { end = ["0.45 m", 0, 0] } }
rocker = { m = "1 kg", center = [0, "0.1 m", 0], inertia = ["0.01 kg m^2", "0.001 kg m^2", "0.01 kg m^2"], frames = { end = [0, "0.25 m", 0] } }
[joints]
a = { type = "revolute", parent = "world", child = "crank", axis = "z", phi0 = "30 deg", w0 = "9 rad/s" }
s1 = { type = "spherical", parent = "crank.end", child = "coupler", guess = true }
r = { type = "revolute", parent = "world.g", child = "rocker", axis = "x", phi0 = "0 deg", guess = true }
s2 = { type = "spherical", parent = "rocker.end", child = "coupler.end", cut = true }
[sensors]
gap  = { of = "coupler.end", from = "rocker.end", shows = ["distance"] }
link = { of = "coupler.end", from = "crank.end", shows = ["distance"] }
"#;

/// Rows of a run of two seconds, by column.
fn course(text: &str, solver: &str) -> impl Fn(&str) -> Vec<f64> + use<> {
    let folder = Folder::new();
    folder.write("m.toml", format!("{text}\n[run]\nt_end = \"2 s\"\nrtol = 1e-9\nsolver = \"{solver}\"\n"));
    let done = folder.run(&["run", "m.toml", "-o", "m.csv"]);
    assert!(done.err.is_empty(), "{}", done.err);
    let csv = std::fs::read_to_string(folder.path("m.csv")).unwrap();
    let lines: Vec<String> = csv.lines().filter(|l| !l.starts_with('#')).map(String::from).collect();
    move |name: &str| {
        let is = |c: &str| c.split(" [").next() == Some(name);
        let k = lines[0].split(',').position(is).unwrap_or_else(|| panic!("no {name} in {}", lines[0]));
        lines[1..].iter().map(|l| l.split(',').nth(k).unwrap().parse().unwrap()).collect()
    }
}

fn assert_all(values: &[f64], expected: f64, tolerance: f64, what: &str) {
    let worst = values.iter().map(|v| (v - expected).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "{what} is off by {worst}");
}

/// T + V and |q| stay.
fn assert_kept(of: &impl Fn(&str) -> Vec<f64>, joint: &str) {
    let (kinetic, potential) = (of("mechanism.kinetic"), of("mechanism.potential"));
    let sum: Vec<f64> = kinetic.iter().zip(&potential).map(|(t, v)| t + v).collect();
    let moved = kinetic.iter().fold(0.0, |m: f64, x| m.max(*x));
    assert_all(&sum, sum[0], 1e-6 * moved, "energy");
    let q = ["qw", "qx", "qy", "qz"].map(|k| of(&format!("{joint}.{k}")));
    let length: Vec<f64> = (0..sum.len()).map(|i| q.iter().map(|q| q[i] * q[i]).sum::<f64>()).collect();
    assert_all(&length, 1.0, 1e-7, "quaternion");
}

#[test]
fn a_free_body_held_by_a_tilted_hinge_is_a_pendulum() {
    for solver in ["auto", "rodas5p", "bdf"] {
        let of = course(HINGED, solver);
        assert_kept(&of, "j");
        // Pulled along the hinge as little as along any axis: the body stays on its plane.
        assert_all(&of("tip.distance"), 1.0, 1e-9, "length");
        for k in ["j.x", "j.y", "j.z"] {
            assert_all(&of(k), 0.0, 1e-7, k);
        }
        // ½ J w² = T about the hinge, J = 0.1 + m c².
        let (w, t) = (of("j.wy"), of("mechanism.kinetic"));
        let rest: Vec<f64> = w.iter().zip(&t).map(|(w, t)| t - 0.5 * 0.35 * w * w).collect();
        assert_all(&rest, 0.0, 1e-6, "energy of other turns");
    }
}

#[test]
fn a_linkage_with_two_ball_joints_is_assembled_and_stays_closed() {
    for solver in ["auto", "rodas5p", "esdirk34"] {
        let of = course(RSSR, solver);
        assert_kept(&of, "s1");
        assert_all(&of("gap.distance"), 0.0, 1e-7, "gap");
        assert_all(&of("link.distance"), 0.45, 1e-7, "link");
        assert!((of("a.w")[0] - 9.0).abs() < 1e-9, "the speed given is kept");
    }
}

/// Frames that face opposite ways: closed only by turning the body over, or not at all.
#[test]
fn joints_are_not_mounted_the_wrong_way_round() {
    // From 170° off the axis is found the right way round, not reversed by the 10° that are nearer.
    let of = course(&HINGED.replace(r#"["40 deg", 0, "30 deg"]"#, r#"["170 deg", 0, 0]"#), "auto");
    let [w, x, y, z] = ["j.qw", "j.qx", "j.qy", "j.qz"].map(|k| of(k)[0]);
    // The hinge axis of the body, y, in the world.
    let axis = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
    let angle = 170.0_f64.to_radians();
    let expected = [0.0, angle.cos(), angle.sin()];
    for (a, e) in axis.iter().zip(expected) {
        assert!((a - e).abs() < 1e-9, "{axis:?} for {expected:?}");
    }
    // A planar loop whose last hinge looks the other way, which nothing can change.
    let planar = r#"
        [bodies]
        world = { frames = { far = { at = ["1.5 m", 0, 0], rotate = ["180 deg", 0, 0] } } }
        arm = { m = "1 kg", rod = "1 m" }
        fore = { m = "1 kg", rod = "1 m" }
        [joints]
        pin = { type = "revolute", parent = "world", child = "arm", axis = "y" }
        elbow = { type = "revolute", parent = "arm.end", child = "fore", axis = "y" }
        close = { type = "revolute", parent = "world.far", child = "fore.end", axis = "y", cut = true }"#;
    let folder = Folder::new();
    folder.write("m.toml", planar);
    let said = folder.run(&["check", "m.toml"]).err;
    assert!(said.contains("B0007") && said.contains("face opposite ways"), "{said}");
}

#[test]
fn prescribed_motions_are_watched() {
    let model = |motion: &str, more: &str| {
        format!(
            "[bodies]\na = {{ m = \"1 kg\", rod = \"1 m\" }}\nb = {{ m = \"1 kg\", rod = \"1 m\" }}\n[joints]\n\
             j = {{ type = \"revolute\", parent = \"world\", child = \"a\", axis = \"y\", motion = \"{motion}\" }}\n\
             k = {{ type = \"revolute\", parent = \"a.end\", child = \"b\", axis = \"y\"{more} }}\n[run]\nt_end = \"1 s\"\n"
        )
    };
    let check = |motion: &str, more: &str, expected: &[&str]| {
        let folder = Folder::new();
        folder.write("m.toml", model(motion, more));
        let said = folder.run(&["check", "m.toml"]).err;
        assert!(expected.iter().all(|e| said.contains(e)), "{motion}: {said}");
        assert!(!expected.is_empty() || said.is_empty(), "{motion}: {said}");
    };
    let fixed = r#", motion = "0.1 rad""#;
    check("1 rad*exp(1000*time/(1 s))", "", &["error[B0012]", "`j.phi`", "acceleration from t = 0.6959"]);
    check("1 rad/(time/(1 s) - 0.3)", "", &["error[B00", "`j.phi`", "t = 0.3"]);
    check("1 rad*sqrt(0.25 - time/(1 s))", "", &["error[B0012]", "t = 0.25"]);
    check("if(time < 0.3 s, 0 rad, 1 rad)", fixed, &["error[B0013]", "jumps by 1 rad at t = 0.3"]);
    check("1 rad*abs(time/(1 s) - 0.3)", "", &["error[B0013]", "`j.w` jumps by 2 rad/s at t = 0.3"]);
    check("1 rad*abs(time/(1 s) - 0.3)", fixed, &["warning[B0013]"]);
    check("0.2 rad*tanh((time - 0.3 s)/(1e-5 s))", "", &[]);
    check("1 rad*sin(500 rad/s*time)", "", &[]);
    check("0.1 rad*max(time/(1 s) - 0.3, 0)^2", "", &[]);
}

//! Mechanisms: what the sections become, and what is said when they are wrong.

use insta::assert_snapshot;
use trunnion_equations::flat::QuantityRole;
use trunnion_equations::print::{PrintStyle, print};
use trunnion_equations::{Expr, Flat};
use trunnion_model::mechanism::{BodyGeometry, CouplingForm, JointKind, SensedQuantity};
use trunnion_model::{Diagnostic, Files, Model, load};

use crate::{Memory, built_in, shown};

fn text(flat: &Flat, e: Expr) -> String {
    print(&flat.graph, e, PrintStyle::Text, &|s| flat.quantity(s).name.clone())
}

fn texts<const N: usize>(flat: &Flat, list: &[Expr; N]) -> String {
    list.iter().map(|e| text(flat, *e)).collect::<Vec<_>>().join(", ")
}

fn model(text: &str) -> Model {
    let files = Memory::new(&[("model.toml", text)]);
    load(&files, "model.toml", &[], &built_in()).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

const CRANK: &str = r#"
[parameters]
r = "20 mm"

[bodies]
world = { frames = { wall = ["2 m", 0, "r"] } }
arm   = { m = "12 kg", center = ["0.4 m", 0, 0], inertia = ["0.1 kg m^2", "0.9 kg m^2", "0.9 kg m^2"], frames = { tip = { at = ["0.8 m", 0, 0], rotate = [0, "90 deg", 0] } } }
rod   = { m = "1 kg", rod = "0.5 m" }

[joints]
shoulder = { type = "revolute", parent = "world", child = "arm", axis = "-y", phi0 = "30 deg", c = "0.5 N m s/rad", upper = "90 deg" }
elbow    = { type = "revolute", parent = "arm.tip", child = "rod", axis = [0, 3, 4], w0 = "1 rad/s", guess = true }

[lines]
spring = { from = "world.wall", to = "rod.end", k = "200 N/m", l0 = "0.5 m" }

[loads]
wind = { at = "rod.end", force = ["2 N/(rad/s)*shoulder.w", 0, 0], along = "body" }

[sensors]
tip = { of = "arm.tip", shows = ["position", "distance"] }

[components]
motor = { type = "moment_source" }

[connect]
motor = "shoulder"

[run]
plot = ["arm.x", "tip.*"]

[[expect]]
signal = "arm.qw"
value  = 1
tol    = 1
"#;

#[test]
fn bodies_and_joints_become_a_mechanism() {
    let model = model(CRANK);
    let (flat, m) = (&model.flat, &model.mechanism);
    assert_eq!(texts(flat, &m.gravity.unwrap()), "0, 0, -mechanism.gravity");
    assert_eq!(m.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["world", "arm", "rod"]);
    let arm = &m.bodies[1];
    let rigid = arm.inertia.rigid().unwrap();
    assert_eq!(text(flat, rigid.mass), "arm.m");
    assert_eq!(texts(flat, &rigid.center), "arm.center.x, 0, 0");
    assert_eq!(texts(flat, &rigid.inertia), "arm.inertia.xx, arm.inertia.yy, arm.inertia.zz, 0, 0, 0");
    assert!(matches!(m.bodies[2].shapes[0].form, BodyGeometry::Rod(_)));
    let [shoulder, elbow] = m.joints.as_slice() else { panic!() };
    assert_eq!((shoulder.kind, shoulder.axes.as_slice()), (JointKind::REVOLUTE, &[[0.0, -1.0, 0.0]][..]));
    assert_eq!((shoulder.freedoms[0].holds, elbow.freedoms[0].holds), ((true, false), (false, false)));
    assert_eq!(elbow.axes, [[0.0, 0.6, 0.8]]);
    assert_eq!(elbow.parent.r.map(|row| texts(flat, &row)), ["0, 0, 1", "0, 1, 0", "-1, 0, 0"]);
    assert_eq!(texts(flat, &m.lines[0].from.p), "2, 0, r");
    assert_eq!(texts(flat, &m.lines[0].to.p), "rod.rod, 0, 0");
    assert!(m.loads[0].turns_along);
    assert_eq!(text(flat, m.loads[0].force[0]), "2*shoulder.w");
    let shows: Vec<_> =
        m.sensors[0].shows.iter().map(|(what, s)| (*what, flat.quantity(*s).name.as_str())).collect();
    assert_eq!(shows[0], (SensedQuantity::Position(0), "tip.x"));
    assert_eq!(shows[3], (SensedQuantity::Distance, "tip.distance"));
    let QuantityRole::Unknown { start } = &flat.quantity(shoulder.freedoms[0].position).kind else {
        panic!()
    };
    assert_eq!(text(flat, *start), "shoulder.phi0");
}

/// What is not given costs nothing: neither quantities nor terms.
#[test]
fn a_joint_has_the_terms_it_is_given() {
    let model = model(CRANK);
    let flat = &model.flat;
    let force = |name: &str| {
        let equation = flat.equations.iter().find(|e| e.name == name).unwrap();
        format!("{} = {}", text(flat, equation.lhs), text(flat, equation.rhs))
    };
    assert_eq!(force("elbow.force"), "elbow.tau = elbow.flange.tau");
    assert_snapshot!(force("shoulder.force"), @"shoulder.tau = shoulder.flange.tau - shoulder.c*shoulder.w + if(shoulder.upper < shoulder.phi, -shoulder.k_stop*(shoulder.phi - shoulder.upper) - min(max(shoulder.c_stop*shoulder.w, -shoulder.k_stop*(shoulder.phi - shoulder.upper)), shoulder.k_stop*(shoulder.phi - shoulder.upper)), 0)");
    assert_eq!(force("spring.force"), "spring.f = spring.flange.f - spring.k*(spring.l - spring.l0)");
    assert!(flat.find("elbow.c").is_none() && flat.find("shoulder.lower").is_none());
}

fn set(text: &str, sets: &[(&str, &str)]) -> Result<Model, Vec<Diagnostic>> {
    let sets: Vec<_> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    load(&Memory::new(&[("model.toml", text)]), "model.toml", &sets, &built_in())
}

#[test]
fn values_of_bodies_and_joints_can_be_set() {
    let model =
        set(CRANK, &[("arm.m", "3 kg"), ("elbow.k", "2 N m/rad"), ("mechanism.gravity", "1.62 m/s^2")]);
    let model = model.unwrap_or_else(|errors| panic!("{}", shown(&errors)));
    let flat = &model.flat;
    let value = |name: &str| match &flat.quantity(flat.find(name).unwrap()).kind {
        QuantityRole::Parameter { value } => text(flat, *value),
        _ => panic!("{name}"),
    };
    assert_eq!((value("arm.m"), value("mechanism.gravity")), ("3".into(), "1.62".into()));
    let force = flat.equations.iter().find(|e| e.name == "elbow.force").unwrap();
    assert_eq!(text(flat, force.rhs), "elbow.flange.tau - elbow.k*(elbow.phi - elbow.rest)");
}

const MANY: &str = r##"
[mechanism]
plane   = "xy"
gravity = 0

[bodies]
cart    = { m = "1 kg", inertia = "2 kg m^2", frames = { up = { at = ["1 m", 0], rotate = "180 deg" } } }
"link#" = { count = 3, m = "#*2 kg", rod = "0.1 m" }

[joints]
base   = { type = "planar", parent = "world", child = "cart", motion = { x = "0.1 m*sin(2 rad/s*time)" }, reactions = true }
"pin#" = { count = 3, type = "revolute", parent = "link#-1.end", child = "link#", phi0 = "0.1 rad*#" }
pin1   = { type = "revolute", parent = "cart.up", child = "link1" }
slide  = { type = "prismatic", parent = "world", child = "link3", axis = [3, 4], cut = true }

[couplings]
gear = { type = "gear", a = "pin1", b = "pin2.phi", ratio = -3 }
rack = { type = "rack", slides = "base.x", turns = "pin3", radius = "20 mm" }
diff = { type = "differential", a = "pin1", b = "pin2", carrier = "pin3" }
any  = { type = "linear", terms = { pin1 = 1, "base.y" = "-50 rad/m" } }
link = { type = "rod", from = "link1.end", to = "world", length = "2 m" }

[loads]
push = { at = "link2", force = [0, "3 N"], torque = "1 N m" }

[sensors]
eye = { of = "link3.end", from = "cart", shows = ["position", "velocity", "acceleration", "angular_velocity", "angle"] }
"##;

#[test]
fn families_couplings_and_planes() {
    let model = model(MANY);
    let (flat, m) = (&model.flat, &model.mechanism);
    assert!(m.planar);
    assert_eq!(texts(flat, &m.gravity.unwrap()), "0, 0, 0");
    assert_eq!(m.bodies.len(), 5);
    assert_eq!(texts(flat, &m.bodies[1].inertia.rigid().unwrap().inertia), "0, 0, cart.inertia.zz, 0, 0, 0");
    let names: Vec<&str> = m.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["base", "pin2", "pin3", "pin1", "slide"]);
    assert_eq!(m.joints[1].parent.name, "link1.end");
    assert_eq!(m.joints[3].parent.r.map(|row| texts(flat, &row)), ["-1, 0, 0", "0, -1, 0", "0, 0, 1"]);
    assert_eq!((m.joints[1].axes[0], m.joints[4].axes[0]), ([0.0, 0.0, 1.0], [0.6, 0.8, 0.0]));
    assert!(m.joints[4].cut && m.joints[0].reactions.is_some());
    let base = &m.joints[0].freedoms;
    assert_eq!(text(flat, base[0].motion.as_ref().unwrap().position), "0.1*sin(2*time)");
    assert!(base[1].motion.is_none() && !base[0].turns && base[2].turns);
    let ties: Vec<String> = m
        .couplings
        .iter()
        .map(|c| match &c.form {
            CouplingForm::Linear(terms) => {
                let part = |(j, k, e): &(usize, usize, Expr)| format!("{}.{k} {}", names[*j], text(flat, *e));
                terms.iter().map(part).collect::<Vec<_>>().join(", ")
            }
            CouplingForm::Rod { from, length, .. } => {
                format!("{} {}", from.name, text(flat, length.unwrap()))
            }
        })
        .collect();
    assert_eq!(
        ties,
        [
            "pin1.0 1, pin2.0 -gear.ratio",
            "base.0 1, pin3.0 -rack.radius",
            "pin1.0 1, pin2.0 1, pin3.0 -2",
            "pin1.0 1, base.1 -50",
            "link1.end link.length",
        ]
    );
    assert_eq!(texts(flat, &m.loads[0].torque), "0, 0, 1");
    let shows: Vec<&str> = m.sensors[0].shows.iter().map(|(_, s)| flat.quantity(*s).name.as_str()).collect();
    assert_eq!(shows, ["eye.x", "eye.y", "eye.vx", "eye.vy", "eye.ax", "eye.ay", "eye.wz", "eye.angle"]);
}

/// One file and a mesh beside it: a tetrahedron of volume 1/6 with its corner at the origin.
struct Meshed(Memory);

impl Files for Meshed {
    fn read(&self, path: &str) -> Result<String, String> {
        self.0.read(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.0.list(folder)
    }

    fn triangles(&self, path: &str) -> Result<Vec<[[f64; 3]; 3]>, String> {
        let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut all = vec![[o, y, x], [o, x, z], [o, z, y], [x, y, z]];
        match path {
            "corner.stl" => {}
            "open.stl" => drop(all.pop()),
            _ => return Err("there is no such file".into()),
        }
        Ok(all)
    }
}

fn with_meshes(text: &str) -> Result<Model, Vec<Diagnostic>> {
    load(&Meshed(Memory::new(&[("model.toml", text)])), "model.toml", &[], &built_in())
}

/// The numbers of expressions of constants.
fn numbers<const N: usize>(flat: &Flat, list: &[Expr; N]) -> [f64; N] {
    list.map(|e| flat.graph.at(e).value().unwrap_or_else(|| panic!("{}", text(flat, e))))
}

#[test]
fn shapes_weigh_what_their_density_says() {
    let of = |shapes: &str| {
        let text = format!("[bodies]\na = {{ shapes = [{shapes}] }}\n");
        let model = with_meshes(&text).unwrap_or_else(|errors| panic!("{}", shown(&errors)));
        let a = model.mechanism.bodies[1].inertia.rigid().unwrap();
        let flat = &model.flat;
        let [m] = numbers(flat, &[a.mass]);
        (m, numbers(flat, &a.center), numbers(flat, &a.inertia))
    };
    let near = |found: &[f64], expected: &[f64]| {
        let far = found.iter().zip(expected).find(|(f, e)| (*f - *e).abs() > 1e-12 * (1.0 + e.abs()));
        assert!(found.len() == expected.len() && far.is_none(), "{found:?} {expected:?}");
    };
    // A box on its side: z of the shape is y of the body.
    let (m, c, i) = of(r#"{ box = [1, 2, 3], density = 2, at = [0, 0, 5], rotate = ["-90 deg", 0, 0] }"#);
    near(&[m], &[12.0]);
    near(&c, &[0.0, 0.0, 5.0]);
    near(&i, &[13.0, 5.0, 10.0, 0.0, 0.0, 0.0]);
    // Two halves of a cylinder are the cylinder.
    let half = |z: f64| format!("{{ cylinder = [0.5, 2], density = 3, at = [1, 0, {z}] }}");
    let (whole, halves) =
        (of("{ cylinder = [0.5, 4], density = 3, at = [1, 0, 7] }"), of(&[half(6.0), half(8.0)].join(",")));
    near(&[halves.0], &[whole.0]);
    near(&halves.1, &whole.1);
    near(&halves.2, &whole.2);
    // Two points of 2 kg on a line at 45°: products of inertia.
    let (m, c, i) =
        of("{ sphere = 1, density = 3, at = [1, 1, 0] }, { sphere = 1, density = 3, at = [-1, -1, 0] }");
    let own = 0.4 * m;
    near(&c, &[0.0; 3]);
    near(&i, &[m + own, m + own, 2.0 * m + own, -m, 0.0, 0.0]);
    let (m, c, _) = of(r#"{ mesh = "corner.stl", scale = 2, density = 3 }"#);
    near(&[m], &[4.0]);
    near(&c, &[0.5; 3]);
}

fn said(text: &str) -> String {
    match with_meshes(text) {
        Ok(model) => shown(&model.warnings),
        Err(errors) => shown(&errors),
    }
}

#[test]
fn bodies_that_cannot_be() {
    assert_snapshot!(said(
        r##"[mechanism]
gravity = ["1 m/s^2", 0]
plan = "xy"
[bodies]
world = { m = "3 kg" }
a = { m = "-3 kg", center = ["1 m", 0], frames = { tip = ["1 m", 0, 0], toe = ["1 s", 0, 0] } }
b = { m = "1 kg", inertia = ["1 kg m^2", "1 kg m^2", "3 kg m^2"] }
c = { m = "1 kg", inertia = ["1 kg m^2", "1 kg m^2", "1 kg m^2", "2 kg m^2", 0, 0], rod = "1 m" }
d = { shapes = [{ mesh = "none.stl" }, { mesh = "open.stl", density = "1 kg/m^3" }, { box = [1, 2] }, {}] }
"e#" = { m = "1 kg" }
f = { count = 3, m = "1 m" }
"##
    ));
}

#[test]
fn joints_that_join_nothing() {
    assert_snapshot!(said(
        r#"[bodies]
a = { m = "1 kg", frames = { tip = ["1 m", 0, 0] } }
b = { m = "1 kg" }
[joints]
j1 = { type = "revolute", child = "a", axis = "y" }
j2 = { type = "revolut", parent = "world", child = "a" }
j3 = { type = "revolute", parent = "wrld", child = "a.tpi", axis = [0, 0, 0] }
j4 = { type = "prismatic", parent = "a", child = "a.tip" }
j5 = { type = "revolute", parent = "world", child = "b", axis = "z", lower = "2 rad", upper = "1 rad", phi0 = "3 m" }
j6 = { type = "universal", parent = "world", child = "b", axes = ["x", "-x"], motion = "time" }
j7 = { type = "spherical", parent = "world", child = "b", rotate0 = [1, 2], axis = "x" }
j8 = { type = "prismatic", parent = "world", child = "b", axis = "up", motion = "j5.phi*1 m", rest = 3, cut = 3 }
[components]
x = { type = "revolute" }
"#
    ));
}

#[test]
fn acting_on_nothing() {
    assert_snapshot!(said(
        r#"[mechanism]
plane = "xy"
[bodies]
a = { m = "1 kg", inertia = [1, 2, 3], frames = { tip = ["1 m", 0, 0] } }
b = { m = "1 kg" }
[joints]
j1 = { type = "revolute", parent = "world", child = "a" }
j2 = { type = "prismatic", parent = "world", child = "b", axis = "x" }
j3 = { type = "planar", parent = "world", child = "b" }
j4 = { type = "free", parent = "world", child = "b" }
[lines]
l1 = { from = "a", to = "a" }
l2 = { from = "b" }
[couplings]
c1 = { type = "gear", a = "j1", b = "j99" }
c2 = { type = "rack", slides = "j1", turns = "j2" }
c3 = { type = "linear", terms = { "j1.phi" = 1, "j2.x" = "2 kg" } }
c4 = { type = "linear", terms = { "j3" = 1, "j1.psi" = 2 } }
c5 = { type = "gears" }
[loads]
w1 = { at = "a", force = "3 N" }
w2 = { at = "world", force = [1, 2] }
w3 = { at = "a", torque = "3 N", along = "bdy" }
[sensors]
s1 = { of = "a", shows = ["positon"] }
s2 = { of = "a" }
"#
    ));
}

#[test]
fn a_component_has_no_mechanism() {
    let files = [
        ("model.toml", "[model]\nlibraries = [\"own/\"]\n[components]\nx = \"leg\"\n"),
        ("own/leg.toml", "[ports]\na = \"electric\"\n[bodies]\nb = { m = \"1 kg\" }\n"),
    ];
    let errors = load(&Memory::new(&files), "model.toml", &[], &built_in()).unwrap_err();
    assert_snapshot!(shown(&errors));
}

#[test]
fn mounts_that_do_not_hold() {
    let errors = said(
        r#"
[bodies]
base = { m = "1 kg", frames = { foot = [0, 0, 0] } }
boom = { m = "1 kg", frames = { pin = [1, 0, 0] } }

[joints]
swing = { type = "revolute", parent = "world", child = "base", axis = "z" }
hinge = { type = "cylindrical", parent = "base", child = "boom", axis = "y" }

[components]
a = { type = "resistor", on = "swing" }
b = { type = "cylinder_double", from = "base.foot" }
c = { type = "cylinder_double", from = "base.foot", to = "boom.pin", on = "swing" }
d = { type = "cylinder_double", on = "swing" }
e = { type = "hydraulic_motor", from = "base.foot", to = "boom.pin" }
f = { type = "hydraulic_motor", on = "swim" }
g = { type = "hydraulic_motor", on = "hinge" }
h = { type = "hydraulic_motor", on = "hinge.x" }
i = { type = "spring", from = "base.foot", to = "boom.pen" }
j = { type = "spring", from = "base.foot", to = "base" }
k = { type = "spring", from = 3, to = "boom.pin" }
l = { type = "dc_motor", on = 3 }
"#,
    );
    assert_snapshot!(errors);
}

#[test]
fn mount_sections_that_do_not_fit() {
    let part = |mount: &str| {
        format!(
            "[ports]\na = {{ domain = \"translational\" }}\nb = {{ domain = \"rotational\" }}\n\
             c = {{ domain = \"hydraulic\" }}\nline = {{ domain = \"hydraulic\", optional = true }}\n[mount]\n{mount}\n"
        )
    };
    let mut all = String::new();
    for mount in [
        "from = \"a\"",
        "to = \"c\"",
        "to = \"q\"",
        "from = \"a\"\nto = \"b\"",
        "to = \"a\"\nlength = \"l\"",
        "to = \"a\"",
        "to = \"a\"\nby = 3",
    ] {
        let files = Memory::new(&[
            ("model.toml", "[model]\nlibraries = [\"parts\"]"),
            ("parts/x.toml", &part(mount)),
        ]);
        let errors = load(&files, "model.toml", &[], &built_in()).unwrap_err();
        all += &shown(&errors);
        all += "\n";
    }
    assert_snapshot!(all);
}

#[test]
fn components_are_mounted_in_models_only() {
    let files = Memory::new(&[
        ("model.toml", "[model]\nlibraries = [\"parts\"]\n[components]\nx = \"x\""),
        ("parts/x.toml", "[components]\ns = { type = \"spring\", on = \"joint\" }"),
    ]);
    assert_snapshot!(shown(&load(&files, "model.toml", &[], &built_in()).unwrap_err()));
}

/// What is mounted, and where, may depend on an option.
#[test]
fn options_choose_where_a_component_is_mounted() {
    let text = r#"
[options]
place = { choices = ["near", "far"], default = "near" }

[mechanism]
plane = "xy"

[bodies]
world = { frames = { near = [0, -1], far = [0, -2] } }
boom  = { m = "1 kg", rod = "1 m" }

[joints]
hinge = { type = "revolute", parent = "world", child = "boom" }

[[when]]
option = "place"
is     = "near"
[when.components]
strut = { type = "spring", from = "world.near", to = "boom.end" }

[[when]]
option = "place"
is     = "far"
[when.components]
strut = { type = "spring", from = "world.far", to = "boom.end" }
"#;
    for place in ["near", "far"] {
        let files = Memory::new(&[("model.toml", text)]);
        let sets = [("place".to_string(), place.to_string())];
        let model =
            load(&files, "model.toml", &sets, &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
        let [line] = model.mechanism.lines.as_slice() else { panic!("one line") };
        assert_eq!(
            (line.name.as_str(), line.from.name.as_str()),
            ("strut.line", format!("world.{place}").as_str())
        );
    }
}

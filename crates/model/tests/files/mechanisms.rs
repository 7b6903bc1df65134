//! Mechanisms: what the sections become, and what is said when they are wrong.

use insta::assert_snapshot;
use trunnion_equations::flat::Kind;
use trunnion_equations::print::{Style, print};
use trunnion_equations::{Expr, Flat};
use trunnion_model::mechanism::{Form, JointKind, Measured};
use trunnion_model::{Model, load};

use crate::{Memory, built_in, shown};

fn text(flat: &Flat, e: Expr) -> String {
    print(&flat.graph, e, Style::Text, &|s| flat.quantity(s).name.clone())
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
    assert_eq!(text(flat, arm.mass), "arm.m");
    assert_eq!(texts(flat, &arm.center), "arm.center.x, 0, 0");
    assert_eq!(texts(flat, &arm.inertia), "arm.inertia.xx, arm.inertia.yy, arm.inertia.zz, 0, 0, 0");
    assert!(matches!(m.bodies[2].shapes[0].form, Form::Rod(_)));
    let [shoulder, elbow] = m.joints.as_slice() else { panic!() };
    assert_eq!((shoulder.kind, shoulder.axes.as_slice()), (JointKind::Revolute, &[[0.0, -1.0, 0.0]][..]));
    assert_eq!((shoulder.freedoms[0].holds, elbow.freedoms[0].holds), ((true, false), (false, false)));
    assert_eq!(elbow.axes, [[0.0, 0.6, 0.8]]);
    assert_eq!(elbow.parent.r.map(|row| texts(flat, &row)), ["0, 0, 1", "0, 1, 0", "-1, 0, 0"]);
    assert_eq!(texts(flat, &m.lines[0].from.p), "2, 0, r");
    assert_eq!(texts(flat, &m.lines[0].to.p), "rod.rod, 0, 0");
    assert!(m.loads[0].turns_along);
    assert_eq!(text(flat, m.loads[0].force[0]), "2*shoulder.w");
    let shows: Vec<_> =
        m.sensors[0].shows.iter().map(|(what, s)| (*what, flat.quantity(*s).name.as_str())).collect();
    assert_eq!(shows[0], (Measured::Position(0), "tip.x"));
    assert_eq!(shows[3], (Measured::Distance, "tip.distance"));
    let Kind::Unknown { start } = &flat.quantity(shoulder.freedoms[0].position).kind else { panic!() };
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

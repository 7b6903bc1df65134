//! Components that act in all directions between two frames: what their mount becomes, and what is said when it is wrong.

use insta::assert_snapshot;
use trunnion_model::load;
use trunnion_model::mechanism::JointKind;

use crate::{Memory, built_in, shown};

fn said(text: &str) -> String {
    let files = Memory::new(&[("model.toml", text)]);
    shown(&load(&files, "model.toml", &[], &built_in()).unwrap_err())
}

#[test]
fn contacts_that_are_mounted_wrong() {
    assert_snapshot!(said(
        r#"
[bodies]
block = { m = "1 kg", inertia = [1, 1, 1] }

[joints]
fly = { type = "free", parent = "world", child = "block" }

[components]
a = { type = "ground_contact", on = "fly" }
b = { type = "ground_contact", from = "world" }
c = { type = "ground_contact", from = "world", to = "blck" }
d = { type = "ground_contact", from = "block", to = "block" }
e = { type = "ground_contact", from = "world", to = "block", mu = 0.5, mu_s = 0.4 }
"#
    ));
}

#[test]
fn mount_sections_that_do_not_fit() {
    let part = |mount: &str| {
        format!(
            "[ports]\na = {{ domain = \"translational\" }}\nz = {{ domain = \"signal\", direction = \"in\" }}\n\
             [equations]\nlaw = \"a.f = 0\"\n[mount]\n{mount}\n"
        )
    };
    let mut all = String::new();
    for mount in [
        "space = { slide_x = \"b\" }",
        "space = { slide_x = \"z\" }",
        "space = { slide_w = \"a\" }",
        "plane = { slide_z = \"a\" }",
        "space = { z = \"height\" }",
        "space = { z = 3 }",
        "plane = { slide_x = \"a\" }\nto = \"a\"",
        "plane = { slide_x = \"a\" }",
    ] {
        let files = Memory::new(&[
            (
                "model.toml",
                "[model]\nlibraries = [\"parts\"]\n[bodies]\nblock = { m = 1 }\n[joints]\nj = { type = \"free\", parent = \
                 \"world\", child = \"block\" }\n[components]\nx = { type = \"x\", from = \"world\", to = \"block\" }",
            ),
            ("parts/x.toml", &part(mount)),
        ]);
        all += &shown(&load(&files, "model.toml", &[], &built_in()).unwrap_err());
        all += "\n";
    }
    assert_snapshot!(all);
}

/// Space or plane, and which of two options: there is one joint that fits, and it closes nothing.
#[test]
fn a_pose_is_measured_by_a_joint_that_fits_the_mechanism() {
    let text = |plane: &str, zero: &str| {
        format!(
            r#"
[options]
place = {{ choices = ["near", "far"], default = "near" }}

[mechanism]
{plane}

[bodies]
world = {{ frames = {{ near = [0, -1{zero}], far = [0, -2{zero}] }} }}
boom  = {{ m = "1 kg", rod = "1 m" }}

[joints]
hinge = {{ type = "revolute", parent = "world", child = "boom", axis = "z" }}

[[when]]
option = "place"
is     = "near"
[when.components]
foot = {{ type = "ground_contact", from = "world.near", to = "boom.end" }}

[[when]]
option = "place"
is     = "far"
[when.components]
foot = {{ type = "ground_contact", from = "world.far", to = "boom.end" }}
"#
        )
    };
    for (plane, zero, kind) in [("plane = \"xy\"", "", JointKind::PLANAR), ("", ", 0", JointKind::FREE)] {
        for place in ["near", "far"] {
            let files = Memory::new(&[("model.toml", &text(plane, zero))]);
            let sets = [("place".to_string(), place.to_string())];
            let model =
                load(&files, "model.toml", &sets, &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
            let [_, joint] = model.mechanism.joints.as_slice() else { panic!("two joints") };
            assert_eq!((joint.name.as_str(), joint.kind, joint.cut), ("foot.joint", kind, true));
            assert_eq!(
                (joint.parent.name.as_str(), joint.child.name.as_str()),
                (&*format!("world.{place}"), "boom.end")
            );
        }
    }
}

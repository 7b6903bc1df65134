//! Small robots, right and wrong.

use std::path::Path;

use trunnion_model::Severity;

use super::*;

fn imported(text: &str) -> Result<Imported, Vec<Diagnostic>> {
    model_of(&Source::new("robot.urdf", text.into()), Path::new(""))
}

/// "I0004 2:13 message", one a line.
fn told(list: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let span = &d.labels[0].span;
        let (line, column) = span.source.position(span.range.start);
        assert!(d.hint.is_some() || d.severity == Severity::Note, "{d}");
        format!("{} {line}:{column} {}", d.code, d.message)
    };
    list.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The lines of the model between its head and the settings of the run.
fn model(text: &str) -> String {
    let found = imported(text).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let start = found.text.find("\n[bodies").unwrap();
    found.text[start..found.text.find("\n[run]").unwrap()].trim().to_string()
}

#[test]
fn links_become_bodies_and_joints_frames() {
    let found = model(
        r#"<robot name="r">
  <link name="base"><visual><geometry><sphere radius="0.2"/></geometry><material name="m"><color rgba="1 0.5 0 1"/></material></visual></link>
  <link name="arm">
    <inertial><origin xyz="0.4 0 0" rpy="0 0 1.5707963267948966"/><mass value="12"/><inertia ixx="0.1" iyy="0.9" izz="0.95"/></inertial>
    <visual><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></visual>
  </link>
  <link name="slide"><inertial><mass value="1e-3"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6"/></inertial></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 -2 0"/>
    <limit lower="-0.5" upper="1.5707963267948966" effort="1" velocity="1"/><dynamics damping="0.25" friction="2"/>
  </joint>
  <joint name="out" type="prismatic">
    <origin xyz="0.8 0 0" rpy="0 0.1 0"/><parent link="arm"/><child link="slide"/><axis xyz="0.6 0 0.8"/>
    <mimic joint="turn" multiplier="0.05" offset="0.01"/>
  </joint>
</robot>"#,
    );
    // Turned by 90° about z, xx and yy change places.
    let (arm, rest) = found.split_once("inertia = [\"").unwrap();
    let (xx, rest) = rest.split_once(" kg").unwrap();
    assert!((xx.parse::<f64>().unwrap() - 0.9).abs() < 1e-15, "{xx}");
    assert!(arm.ends_with("[bodies.arm]\nm = \"12 kg\"\ncenter = [\"0.4 m\", 0, 0]\n"), "{arm}");
    assert!(arm.contains("shapes = [\n    { sphere = \"0.2 m\", color = \"#ff8000\" },\n]"), "{arm}");
    for line in [
        "frames = { out = { at = [\"0.8 m\", 0, 0], rotate = [0, \"0.1 rad\", 0] } }",
        "    { box = [\"0.8 m\", \"0.1 m\", \"0.1 m\"], at = [\"0.4 m\", 0, 0] },",
        "m = \"0.001 kg\"\ninertia = [\"1e-6 kg m^2\", \"1e-6 kg m^2\", \"1e-6 kg m^2\"]",
        "anchor = { type = \"weld\", parent = \"world\", child = \"base\" }",
        "turn = { type = \"revolute\", parent = \"base\", child = \"arm\", axis = \"-y\", lower = \"-0.5 rad\", \
         upper = \"90 deg\", c = \"0.25 N m s/rad\", friction = \"2 N m\" }",
        "out = { type = \"prismatic\", parent = \"arm.out\", child = \"slide\", axis = [0.6, 0, 0.8], x0 = \"0.01 m\" }",
        "out_follows = { type = \"linear\", terms = { \"out.x\" = 1, \"turn.phi\" = \"-0.05 m/rad\" } }",
    ] {
        assert!(rest.lines().collect::<Vec<_>>().join("\n").contains(line), "{line}\nis not in\n{rest}");
    }
}

#[test]
fn a_root_called_world_is_the_world() {
    let text = r#"<robot name="r"><link name="world"/><link name="a"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
        <joint name="j" type="planar"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint></robot>"#;
    let found = model(text);
    assert!(
        found.ends_with(
            r#"[joints]
j = { type = "planar", parent = "world", child = "a", axes = ["x", "y"] }"#
        ),
        "{found}"
    );
}

#[test]
fn names_are_made_fit_and_told() {
    let heavy = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;
    let text = format!(
        "<robot name=\"a &quot;b&quot;\"><link name=\"2-base\"/>\n<link name=\"arm\">{heavy}</link>\n\
         <joint name=\"arm\" type=\"floating\"><parent link=\"2-base\"/><child link=\"arm\"/></joint>\n\
         <gazebo/><gazebo/></robot>"
    );
    let found = imported(&text).unwrap();
    assert_eq!(
        told(&found.notes),
        "I0011 4:1 `gazebo` is left out\nI0014 1:43 2 names changed, to be used in expressions"
    );
    let labels: Vec<&str> = found.notes[1].labels.iter().map(|l| l.text.as_str()).collect();
    assert_eq!(labels, ["is now `link_2_base`", "is now `arm_joint`"]);
    assert!(found.text.starts_with("[model]\nname = \"a \\\"b\\\"\"\n"), "{}", found.text);
    assert!(
        found.text.contains("arm_joint = { type = \"free\", parent = \"link_2_base\", child = \"arm\" }")
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let whole = |text: &str, expected: &str| {
        assert_eq!(told(&imported(text).unwrap_err()), expected, "{text}");
    };
    let check =
        |inside: &str, expected: &str| whole(&format!("<robot name=\"r\">\n{inside}\n</robot>"), expected);
    let two = "<link name=\"a\"/><link name=\"b\"/>\n";
    let joint = |rest: &str| format!("{two}<joint name=\"j\" type=\"revolute\">{rest}</joint>");
    let ends = "<parent link=\"a\"/><child link=\"b\"/>";
    whole(
        "<robot><link name=\"a\"></robot>",
        "I0001 1:23 the XML is wrong: expected 'link' tag, not 'robot'",
    );
    whole("", "I0001 1:1 the XML is wrong: the document does not have a root node");
    whole("<xml/>", "I0002 1:1 `xml` is not a URDF robot");
    whole(
        "<robot xmlns:xacro=\"http://ros.org/wiki/xacro\">\n<xacro:arm/></robot>",
        "I0002 2:1 these are macros, not yet a robot",
    );
    whole("<robot name=\"r\"/>", "I0003 1:1 the robot has no links");
    check("<link/>", "I0003 2:1 `link` has no `name`\nI0003 1:1 the robot has no links");
    check(
        "<link name=\"a\"><inertial><mass value=\"1\"/></inertial></link>",
        "I0003 2:16 `inertial` has no `inertia`",
    );
    check("<link name=\"a\"/><link name=\"a\"/>", "I0009 2:29 there are two links `a`");
    check(&joint("<parent link=\"a\"/>"), "I0003 3:1 `joint` has no `child`");
    check(&joint("<parent link=\"A\"/><child link=\"b\"/>"), "I0006 3:47 there is no link `A`");
    check(&joint(&format!("{ends}<axis xyz=\"0 1\"/>")), "I0004 3:79 `xyz` is not 3 numbers");
    check(&joint(&format!("{ends}<axis xyz=\"0 0 0\"/>")), "I0010 3:79 `xyz` is no direction");
    check(&joint(&format!("{ends}<limit lower=\"1\"/>")), "I0010 3:82 `lower` is above `upper`");
    check(&joint(&format!("{ends}<dynamics damping=\"high\"/>")), "I0004 3:87 `damping` is not a number");
    check(&joint(&format!("{ends}<mimic joint=\"j\"/>")), "I0010 3:14 `j` cannot follow this joint");
    check(&joint(&format!("{ends}<mimic joint=\"k\"/>")), "I0006 3:82 there is no joint `k`");
    check(
        &format!("{two}<joint name=\"j\" type=\"ball\">{ends}</joint>"),
        "I0005 3:23 `ball` is no type of joint",
    );
    check(two, "I0013 2:29 neither `a` nor `b` hangs on a joint");
    let circle = "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>";
    check(&(joint(ends) + circle), "I0013 2:13 joints form a circle");
    let again = "\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>";
    check(&(joint(ends) + again), "I0013 4:14 `b` hangs on two joints");
}

#[test]
fn doubtful_things_are_warned_of() {
    let text = r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial>
<visual><geometry><mesh filename="package://none/a.stl"/></geometry></visual>
<visual><geometry><mesh filename="a.dae"/></geometry></visual></link><link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
    let found = imported(text).unwrap();
    assert_eq!(
        told(&found.notes),
        "I0007 1:59 no body has this inertia\n\
         I0008 2:35 the mesh `package://none/a.stl` is left out\n\
         I0008 3:35 the mesh `a.dae` is left out\n\
         I0012 3:82 `j` moves nothing that has a mass"
    );
    assert!(!found.text.contains("shapes"));
}

#[test]
fn no_text_brings_it_down() {
    let whole = include_str!("../../tests/data/six_axis.urdf");
    let mut noise = trunnion_num::noise::Noise::new(5);
    let mut below = |n: usize| ((noise.next().abs() * 1e6) as usize) % n;
    for _ in 0..300 {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..1 + below(3) {
            let at = below(bytes.len());
            bytes[at] = 32 + below(95) as u8;
        }
        let _ = imported(&String::from_utf8_lossy(&bytes));
    }
    (0..whole.len())
        .step_by(37)
        .filter(|k| whole.is_char_boundary(*k))
        .for_each(|k| drop(imported(&whole[..k])));
    let deep = format!("<robot name=\"r\">{}", "<link name=\"a\">".repeat(100_000));
    assert!(imported(&deep).is_err());
}

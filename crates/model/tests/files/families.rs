//! Ports and parameters that are as many as are used.

use trunnion_equations::flat::QuantityRole;
use trunnion_equations::print::{PrintStyle, print};
use trunnion_model::{Model, load};

use crate::{Memory, built_in, shown, whole};

const SUM: &str = r##"
[ports]
"u#" = { domain = "signal", direction = "in" }
y    = { domain = "signal", direction = "out" }
[parameters]
"s#" = { unit = "1", default = 1 }
[equations]
law = "y = sum(s#*u#)/count(u#)"
"##;

const BODY: &str = r##"
[ports]
"at#" = { domain = "translational" }
[parameters]
m    = { unit = "kg", default = 1 }
"a#" = { unit = "m", default = 0 }
[bond_graph]
structure   = ["at# -> 0.at# -> 1.bounce", "1.roll -> TF.arm# -> 0.at#", "1.bounce -> I.mass", "1.roll -> I.inertia"]
laws."arm#"  = { ratio = "-a#" }
laws.mass    = { flow = "p/m" }
laws.inertia = { flow = "p/(m*(1 m)^2)" }
domains      = { roll = "rotational" }
[outputs]
lift   = "sum(at#.f)"
"w#"   = "arm#.f2"
"##;

const LINE: &str = r##"
[options]
points = { count = 3, doc = "Samples held" }
[ports]
u = { domain = "signal", direction = "in" }
[modes]
"x#" = { start = "#" }
[tasks.shift]
period = "1 s"
set    = { "x#" = "previous(x#, u)" }
[outputs]
y      = "last(x#)"
"d#"   = "next(x#) - x#"
"##;

const MATRIX: &str = r##"
[ports]
"u#" = { domain = "signal", direction = "in", default = 0 }
[parameters]
"A#_#" = { unit = "1", default = 0 }
"b#"   = { unit = "1", default = "if # == 1 then 1 else 0", list = true }
[variables]
"x#" = "1"
[equations]
"state#" = "der(x#)*1 s = sum(A#_#*x#) + b#*u#"
"##;

const LADDER: &str = r##"
[options]
cells = { count = 2 }
[ports]
p = { domain = "electric" }
n = { domain = "electric" }
[parameters]
R = { unit = "Ohm", default = 6 }
[components]
"cell#" = { type = "resistor", R = "R*#" }
[connect]
"p"       = "cell1.p"
"cell#.n" = "cell#+1.p"
"n"       = "cell#last.n"
"##;

fn files(model: &str) -> Memory {
    let model = format!("[model]\nlibraries = \"own/\"\n{model}");
    let own = [("adder", SUM), ("body", BODY), ("line", LINE), ("matrix", MATRIX), ("ladder", LADDER)];
    let mut files = Memory::new(&[("m.toml", &model)]);
    files.0.extend(own.map(|(name, text)| (format!("own/{name}.toml"), text.to_string())));
    files
}

fn good(model: &str) -> Model {
    load(&files(model), "m.toml", &[], &built_in()).map(whole).unwrap_or_else(|e| panic!("{}", shown(&e)))
}

fn said(model: &str) -> String {
    load(&files(model), "m.toml", &[], &built_in()).map_or_else(|e| shown(&e), |m| shown(&m.warnings))
}

fn equation(model: &Model, name: &str) -> String {
    let flat = &model.flat;
    let e = flat.equations.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("no `{name}`"));
    let text = |e| print(&flat.graph, e, PrintStyle::Text, &|s| flat.quantity(s).name.clone());
    format!("{} = {}", text(e.lhs), text(e.rhs))
}

/// Parameters and start values, printed.
fn value(model: &Model, name: &str) -> String {
    let flat = &model.flat;
    let q = flat.quantity(flat.find(name).unwrap_or_else(|| panic!("no `{name}`")));
    let (QuantityRole::Parameter { value: e }
    | QuantityRole::Unknown { start: e }
    | QuantityRole::Input { start: e }
    | QuantityRole::Mode { start: e }) = q.kind
    else {
        panic!("`{}` has no value", q.name)
    };
    print(&flat.graph, e, PrintStyle::Text, &|s| flat.quantity(s).name.clone())
}

#[test]
fn a_sum_has_as_many_inputs_as_connections() {
    let model = good(
        r#"
        [components]
        a = { type = "adder", u1 = "time/1 s" }
        b = { type = "adder", s = [1, -1, 2], u = ["3", "4"] }
        c = { type = "adder", s = 7, s2 = 8 }
        [connect]
        "a.y" = ["b.u3", "c.u"]
        "b.y" = "c.u"
        "#,
    );
    assert_eq!(equation(&model, "a.law"), "a.y = a.s1*a.u1");
    assert_eq!(equation(&model, "b.law"), "b.y = (b.s1*b.u1 + b.s2*b.u2 + b.s3*b.u3)/3");
    assert_eq!(equation(&model, "c.u1 = a.y"), "c.u1 = a.y");
    assert_eq!(equation(&model, "c.u2 = b.y"), "c.u2 = b.y");
    assert_eq!(equation(&model, "b.u2 given"), "b.u2 = 4");
    assert_eq!(
        (value(&model, "b.s2"), value(&model, "c.s1"), value(&model, "c.s2")),
        ("-1".into(), "7".into(), "8".into())
    );
}

#[test]
fn texts_are_repeated_for_each_port() {
    let model = good(
        r#"
        [components]
        body  = { type = "body", a = ["-575 mm", "575 mm"] }
        left  = "ground"
        third = "spring"
        [connect]
        "left" = ["third.b", "body.at1"]
        "body" = "third.a"
        "#,
    );
    assert_eq!(equation(&model, "body.arm2: body.arm2.f2"), "body.arm2.f2 = -body.a2*body.arm2.f1");
    assert_eq!(equation(&model, "body.at2: body.at2.v"), "body.at2.v = body.bounce.f - body.arm2.f2");
    let lift = print(&model.flat.graph, model.flat.outputs[0].value, PrintStyle::Text, &|s| {
        model.flat.quantity(s).name.clone()
    });
    assert_eq!(lift, "body.at1.f + body.at2.f");
    assert_eq!(value(&model, "body.a1"), "-0.575");
    assert!(model.flat.find("body.at3.v").is_none());
}

#[test]
fn neighbours_and_counts() {
    let model = good(
        "[components]\na = { type = \"line\", u = 0 }\nb = { type = \"line\", u = 0, points = 5, start.x = 2 }\n",
    );
    let outputs: Vec<&str> = model.flat.outputs.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(outputs, ["a.y", "a.d1", "a.d2", "b.y", "b.d1", "b.d2", "b.d3", "b.d4"]);
    assert_eq!((value(&model, "a.x3"), value(&model, "b.x5")), ("3".into(), "2".into()));
}

#[test]
fn matrices_take_lists_of_lists() {
    let model = good("[components]\na = { type = \"matrix\", A = [[1, 2], [3, 4]], b = 5 }\n");
    assert_eq!(equation(&model, "a.state2"), "der(a.x2) = a.A2_1*a.x1 + a.A2_2*a.x2 + a.b2*a.u2");
    assert_eq!((value(&model, "a.A2_1"), value(&model, "a.b1")), ("3".into(), "5".into()));
    // A single value of a list is its first one; the others keep their default.
    assert_eq!(value(&model, "a.b2"), "0");
}

#[test]
fn components_can_be_repeated_too() {
    let model =
        good("[components]\na = \"ladder\"\ng = \"electric_ground\"\n[connect]\ng = [\"a.p\", \"a.n\"]\n");
    assert_eq!(equation(&model, "a.cell1.n: a.cell1.n.u"), "a.cell1.n.u = a.cell2.p.u");
    assert_eq!(value(&model, "a.cell2.R"), "2*a.R");
    assert!(model.flat.equations.iter().any(|e| equation(&model, &e.name).contains("a.cell2.n.u")));
}

#[test]
fn wrong_numbers_are_explained() {
    insta::assert_snapshot!(said(
        r##"[components]
a = { type = "adder", s = ["1", "2 m"], u = ["1", "nothing"] }
b = { type = "adder" }
c = { type = "line", points = 0, u = 1 }
[variables]
"x#" = "m"
[equations]
"x#" = "x# = 3 m"
[connect]
"a.y" = "b.v"
"##
    ));
}

#[test]
fn too_many_members_are_refused() {
    insta::assert_snapshot!(said("[components]\na = { type = \"adder\", s99999999 = 1 }\n"));
    insta::assert_snapshot!(said("[components]\na = { type = \"matrix\", A9000_1 = 1 }\n"));
}

#[test]
fn a_component_can_run_alone() {
    let files = files("");
    let model = load(&files, "own/line.toml", &[], &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_eq!(value(&model, "x3"), "3");
}

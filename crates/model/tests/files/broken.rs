//! Files that are wrong, and what the user reads then. Read each aloud: would you know what to do?

use insta::assert_snapshot;
use trunnion_model::{Diagnostic, load};

use crate::{Memory, built_in, read, shown};

/// Everything that is said about a file.
fn said(text: &str) -> String {
    said_of(&[("model.toml", text)], &[])
}

fn said_of(files: &[(&str, &str)], sets: &[(&str, &str)]) -> String {
    let sets: Vec<_> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    match load(&Memory::new(files), files[0].0, &sets, &built_in()) {
        Ok(model) => shown(&model.warnings),
        Err(errors) => shown(&errors),
    }
}

#[test]
fn broken_toml() {
    assert_snapshot!(said("[parameters]\nk = \"200 N/m\nm = 2 kg\n[run\nt_end = 5\n"));
}

#[test]
fn tables_that_do_not_fit() {
    let spring = "[tables]\nforce = { x = [\"0 m\", \"1 m\"], y = [\"0 N\", \"1 N\"] }\n[outputs]\nf = \"force(0.5 m)\"\n";
    assert_snapshot!(said_of(
        &[
            (
                "model.toml",
                r#"[model]
libraries = "own/"
[tables]
good = { x = ["0 mm", "9 mm"], y = ["0 N", "9 N"] }
[components]
a = { type = "bent", force = "good" }
b = { type = "bent", force = { x = ["0 mm", "9 mm"], y = ["0 bar", "9 bar"] } }
c = { type = "bent", force = "godo" }
d = { type = "bent", force = { x = [0, 1], y = [0, 1], z = [[0, 1], [2, 3]] } }
e = { type = "bent", force = { x = ["0 mm", "9 mm", "2 mm"], y = ["0 N", "9 N", "1 N"] } }
"#
            ),
            ("own/bent.toml", spring)
        ],
        &[]
    ));
}

#[test]
fn misspelt_keys_and_sections() {
    assert_snapshot!(said(
        r#"[model]
nmae = "swing"
[paramters]
k = "200 N/m"
[variables]
x = { unti = "m", start = "0.1 m" }
[equations]
rest = "x = 0"
[flexible]
structure = []
"#
    ));
}

#[test]
fn misspelt_keys_of_runs() {
    assert_snapshot!(said("[outputs]\ny = \"1\"\n[run]\ntend = \"5 s\"\nsolver = 3\n"));
}

#[test]
fn wrong_units() {
    assert_snapshot!(said(
        r#"[parameters]
k = "200 N/m"
half = "k/2 + 3 kg"
[variables]
x = { unit = "metre", start = "1 bar" }
v = { unit = "m/s", start = "2" }
[components]
r1 = { type = "resistor", R = "210 bar" }
[equations]
fall = "der(v) = -9.81 m/s^2 + k*1 m"
[[expect]]
signal = "v"
max    = "3 N"
tol    = "1 %"
"#
    ));
}

#[test]
fn values_out_of_range() {
    assert_snapshot!(said(
        r#"[parameters]
d = { value = "120 mm", max = "10 cm", doc = "Bore" }
n = { value = "1/0" }
inf = inf
[components]
r = { type = "resistor", R = -5 }
c = { type = "capacitor", C = "0 uF" }
[run]
t_end = -1
rtol = 0
"#
    ));
}

#[test]
fn names_that_do_not_exist() {
    assert_snapshot!(said(
        r#"[parameters]
stiffness = "200 N/m"
[variables]
x = "m"
v = "m/s"
[components]
r1 = { type = "resitor", R = "1 kOhm" }
c1 = { type = "capacitor", c = "1 uF", u = "3 V" }
d1 = { type = "damper", f_c = "3 N" }
[equations]
motion = "der(x) = v"
newton = "2 kg*der(v) = -stifness*x + r1.u"
[run]
plot = ["c1.uu", "r1.i"]
"#
    ));
}

#[test]
fn connections_that_do_not_fit() {
    assert_snapshot!(said(
        r#"[components]
r1 = "resistor"
m1 = "mass"
s1 = "spring"
g  = "electric_ground"
w1 = "sine"
w2 = "sine"
k  = "gain"
q  = "gain"
[connect]
"r1.p" = "m1"
"r1.x" = "g"
"s1"   = "m1"
"s2.a" = "m1"
"w1.y" = ["k.u", "w2.y"]
"g.p"  = "g"
"#
    ));
}

#[test]
fn unconnected_ports_are_warned_about() {
    assert_snapshot!(said("[components]\nm = \"mass\"\ns = \"spring\"\n[connect]\n\"m\" = \"s.a\"\n"));
}

#[test]
fn twice_the_same_name() {
    assert_snapshot!(said(
        r#"[parameters]
x = "1 m"
[variables]
x = "m"
[components]
r1 = "resistor"
r1 = "capacitor"
der = "resistor"
if = "resistor"
"2nd" = "resistor"
"#
    ));
}

#[test]
fn circles() {
    assert_snapshot!(said_of(
        &[
            (
                "model.toml",
                "[model]\ninclude = [\"a.toml\"]\nlibraries = [\"lib/\"]\n[parameters]\na = \"b + 1\"\nb = \"2*c\"\nc = \"a\"\nself = \"2*self\"\n[components]\nx = \"outer\"\n",
            ),
            ("a.toml", "[model]\ninclude = \"model.toml\"\n"),
            ("lib/outer.toml", "[components]\ninner = \"inner\"\n"),
            ("lib/inner.toml", "[components]\nback = { type = \"outer\" }\n"),
        ],
        &[]
    ));
}

#[test]
fn equations_with_errors_inside() {
    assert_snapshot!(said(
        r#"[variables]
x = "m"
y = "m"
[equations]
no_equals = "der(x) + 3"
open      = "der(x) = (y + 1 m"
arity     = "y = max(x)*atan2(1)"
escaped   = "y = \"x\" + \u0394p"
long      = """
y = x
  + 3 m
  + 2 s
"""
number    = 5
"#
    ));
}

#[test]
fn a_component_file_with_an_error() {
    assert_snapshot!(said_of(
        &[
            (
                "model.toml",
                "[model]\nlibraries = [\"lib\"]\n[components]\na = \"valve\"\nb = { type = \"valve\", k = 1 }\n[connect]\n\"a.out\" = \"b.out\"\n"
            ),
            (
                "lib/valve.toml",
                r#"title = "Valve"
[ports]
out = { domain = "hydralic" }
in  = { domain = "signal" }
[parameters]
k = { unit = "m^3/s", doc = "Flow" }
[options]
kind = { choices = ["a", "b"], default = "c" }
[variables]
q = "m^3/s"
[equations]
flow = "q = k*opening"
[[when]]
option = "knd"
is = "a"
"#,
            ),
        ],
        &[]
    ));
}

#[test]
fn missing_things() {
    assert_snapshot!(said_of(
        &[
            (
                "model.toml",
                "[model]\nlibraries = [\"lib\"]\n[components]\nt = \"tank\"\nu = {}\ng = \"gain\"\n[events.full]\nset = { x = 1 }\n[controllers.pid]\nperiod = \"1 ms\"\n[tables]\nt1 = { x = [0, 1] }\nt2 = { x = [0, 2, 1], y = [1, 2, 3] }\n[[expect]]\nsignal = \"t.V\"\n"
            ),
            ("lib/tank.toml", "[parameters]\nV = { unit = \"l\", doc = \"Volume\" }\n"),
        ],
        &[]
    ));
    assert_snapshot!(said_of(
        &[("model.toml", "[model]\ninclude = \"none.toml\"\nlibraries = \"nowhere\"\n")],
        &[]
    ));
}

#[test]
fn things_that_cannot_be_set() {
    assert_snapshot!(said_of(
        &[(
            "model.toml",
            r#"[parameters]
k = "1 N/m"
late = "2*x"
[variables]
x = { unit = "m", start = "y" }
y = { unit = "m", start = "time*1 m/s" }
[equations]
a = "der(x) = 1 m/s"
b = "y = 2*x"
[events.hit]
when = "x > 1 m"
set = { x = "3 s", y = "0 m", k = 3, z = 1 }
[tasks.clock]
period = "0 s"
set = { x = "0 m" }
"#
        )],
        &[("k", "3 bar"), ("kk", "2"), ("run.t_end", "soon")]
    ));
}

#[test]
fn expectations_with_errors() {
    assert_snapshot!(said(
        r#"[variables]
x = "m"
[equations]
a = "der(x) = 1 m/s"
[[expect]]
signal = "z"
max = 3
tol = "1 %"
[[expect]]
signal = "x"
max = "3 m"
min = "0 m"
tol = "1 s"
[[expect]]
event = "bounce"
count = 3
[[expect]]
value = 3
"#
    ));
}

#[test]
fn one_error_is_reported_once_for_many_uses() {
    let mut text = "[components]\n".to_string();
    for i in 0..50 {
        text += &format!("r{i} = {{ type = \"resistor\", R = \"x\" }}\n");
    }
    assert_eq!(read(&text).unwrap_err().iter().filter(|d| d.code == "L09").count(), 50);
    let files = [
        ("m.toml", "[model]\nlibraries = \"lib\"\n[components]\na = \"bad\"\nb = \"bad\"\n"),
        ("lib/bad.toml", "[variables]\nx = \"m\"\n[equations]\ne = \"x = nowhere\"\n"),
    ];
    let errors = load(&Memory::new(&files), "m.toml", &[], &built_in()).unwrap_err();
    assert_eq!(errors.len(), 1, "{}", shown(&errors));
}

#[test]
fn findings_about_the_equations_point_into_the_file() {
    let model =
        read("[variables]\nx = \"m\"\ny = \"m\"\nlost = \"N\"\n[equations]\na = \"x + y = 3 m\"\n").unwrap();
    let errors = trunnion_equations::analyse(model.flat).unwrap_err();
    let errors: Vec<Diagnostic> =
        errors.iter().map(|e| Diagnostic::from_structure(&model.sources, e)).collect();
    assert_snapshot!(shown(&errors));
}

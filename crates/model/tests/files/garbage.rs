//! Garbage in: messages out, no panic, no hang.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use trunnion_model::edit::Edit;
use trunnion_model::{Library, load};

use crate::{Memory, built_in, shown};

/// Everything a user's file goes through, the messages included.
fn feed(library: &Library, text: &str) {
    let files = Memory::new(&[("m.toml", text), ("a.toml", text), ("lib/part.toml", text)]);
    match load(&files, "m.toml", &[("k".into(), "1".into())], library) {
        Ok(model) => drop(shown(&model.warnings)),
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in &errors {
                assert!(!error.render(true).is_empty());
            }
        }
    }
    let _ = Library::load(&files, "lib/");
    if let Ok(mut edit) = Edit::new(text) {
        let _ = edit.set_parameter("k", "2");
        let _ = edit.set_argument("r1", "R", "3");
        let _ = edit.remove_component("r1");
        let _ = edit.connect("a", "b");
        let _ = edit.text();
    }
}

/// Same cases on every run.
fn run<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new_with_rng(config, rng).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
}

const VALID: &str = r##"
[model]
name = "all of it"
include = ["a.toml"]
libraries = ["lib/"]
[parameters]
k = { value = "200 N/m", doc = "Stiffness", above = 0, max = "1 MN/m" }
m = "2 kg"
w = "sqrt(k/m)"
[variables]
x = { unit = "m", start = "10 cm", nominal = "1 mm" }
v = "m/s"
[modes]
on = 1
[inputs]
u = { unit = "V", start = 0 }
[tables]
lift = { x = ["0 mm", "1 mm"], y = { unit = "N", values = [0, 3] }, shape = "monotone", outside = "extend" }
[components]
r1 = { type = "resistor", R = "1 kOhm" }
c1 = { type = "capacitor", C = "1 uF", start.u = "3 V" }
d1 = { type = "damper", friction = "coulomb" }
g = "electric_ground"
[connect]
"r1.p" = "c1.p"
"g" = ["r1.n", "c1.n"]
[equations]
motion = "der(x) = v"
newton = """m*der(v) = \
  -k*x + lift(x)"""
[outputs]
energy = { value = "0.5*m*v^2", unit = "J" }
[events.hit]
when = "x > 1 m"
set = { v = "-v", on = 0 }
[tasks.t]
period = "1 ms"
set = { on = "1 - on" }
[controllers.c]
period = "1 ms"
script = "function step() {}"
inputs = { y = "x" }
outputs = { u = "V" }
[mechanism]
gravity = "9 m/s^2"
[bodies]
world = { frames = { wall = ["2 m", 0, "1 mm"] } }
arm = { m = "2 kg", center = ["1 m", 0, 0], inertia = [1, 1, 1], frames = { tip = { at = [1, 0, 0], rotate = [0, 1, 0] } } }
"rod#" = { count = 3, m = "1 kg", rod = "0.1 m", shapes = [{ box = [1, 2, 3], density = 2, at = [0, 0, 1] }] }
[joints]
pin = { type = "revolute", parent = "world", child = "arm", axis = "y", phi0 = "30 deg", c = 1, lower = -1, upper = 1 }
"p#" = { type = "free", count = 3, parent = "arm.tip", child = "rod#", rotate0 = [0, 1, 0], wx0 = 1 }
rail = { type = "planar", parent = "world", child = "rod1", axes = ["x", "y"], motion = { x = "1 m*sin(time/1 s)" } }
[lines]
spring = { from = "world.wall", to = "arm.tip", k = "200 N/m" }
[couplings]
gear = { type = "gear", a = "pin", b = "rail.phi", ratio = -3 }
any = { type = "linear", terms = { "pin.phi" = 1, "rail.x" = "-50 rad/m" } }
[loads]
wind = { at = "arm.tip", force = ["200 N", 0, "1 N s/m*v"], along = "body" }
[sensors]
tip = { of = "arm.tip", from = "rod1", shows = ["position", "distance"] }
[run]
t_end = "5 s"
plot = ["x"]
[[expect]]
signal = "x"
max = "10 cm"
tol = "1 %"
"##;

#[test]
fn random_text() {
    let library = built_in();
    run(300, "\\PC{0,200}", |text| feed(&library, &text));
    run(300, proptest::collection::vec(any::<u8>(), 0..300), |bytes| {
        feed(&library, &String::from_utf8_lossy(&bytes));
    });
    let word = r#"\[|\]|\n|=|"|'|\{|\}|,|\.|x|k|r1|\[parameters\]\n|\[components\]\n|\[connect\]\n|type|der\(x\)|3 m|#|\\u00e9|"""|[0-9]{1,3}"#;
    run(500, format!("({word}){{0,60}}").as_str(), |text| feed(&library, &text));
}

#[test]
fn random_edits_of_a_valid_file() {
    let library = built_in();
    let edit = (0..VALID.len(), 0..40usize, "\\PC{0,12}|[\\[\\]{}=\"\n.,0-9a-z ]{0,6}");
    run(600, edit, |(at, cut, put)| {
        let bytes =
            [&VALID.as_bytes()[..at], put.as_bytes(), &VALID.as_bytes()[(at + cut).min(VALID.len())..]]
                .concat();
        feed(&library, &String::from_utf8_lossy(&bytes));
    });
}

#[test]
fn random_swaps_of_lines() {
    let library = built_in();
    let lines: Vec<&str> = VALID.lines().collect();
    run(200, (0..lines.len(), 0..lines.len()), |(a, b)| {
        let mut swapped = lines.clone();
        swapped.swap(a, b);
        feed(&library, &swapped.join("\n"));
        swapped.remove(a);
        feed(&library, &swapped.join("\n"));
    });
}

#[test]
fn deep_nesting_is_refused() {
    let library = built_in();
    let deep = 20_000;
    feed(&library, &format!("x = {}", "[".repeat(deep)));
    feed(&library, &format!("x = {}1{}", "[".repeat(deep), "]".repeat(deep)));
    feed(&library, &format!("x = {}", "{a=".repeat(deep)));
    feed(&library, &format!("[{}]", vec!["a"; deep].join(".")));
    feed(&library, &format!("[connect]\n{} = \"b\"", vec!["a"; deep].join(".")));
    feed(&library, &format!("[parameters]\nk = \"{}1{}\"", "(".repeat(deep), ")".repeat(deep)));
    feed(&library, &format!("[parameters]\nk = \"{}1\"", "-".repeat(deep)));
    feed(&library, &format!("[parameters]\nk = \"1{}\"", "+1".repeat(deep)));
    feed(&library, &format!("[parameters]\nk = \"1{}\"", "^1".repeat(deep)));
    feed(&library, &format!("[parameters]\nk = \"{}\"", "if 1 then 1 else ".repeat(deep)));
}

#[test]
fn components_that_multiply_are_refused() {
    let mut files = Memory::default();
    for level in 0..40 {
        let inside: String = (0..10).map(|i| format!("c{i} = \"level{}\"\n", level + 1)).collect();
        files.0.insert(format!("lib/level{level}.toml"), format!("[components]\n{inside}"));
    }
    files.0.insert("m.toml".into(), "[model]\nlibraries = \"lib\"\n[components]\na = \"level0\"\n".into());
    let errors = load(&files, "m.toml", &[], &Library::default()).unwrap_err();
    assert!(errors.iter().any(|e| e.code == "M0004"), "{}", shown(&errors));
}

#[test]
fn large_files_are_read() {
    let mut text = String::from("[components]\ng = \"electric_ground\"\n");
    let count = 3000;
    for i in 0..count {
        text += &format!("r{i} = {{ type = \"resistor\", R = \"{} Ohm\" }}\n", i + 1);
    }
    text += "[connect]\n\"g\" = \"r0.p\"\n";
    for i in 1..count {
        text += &format!("\"r{}.n\" = \"r{i}.p\"\n", i - 1);
    }
    let model = load(&Memory::new(&[("m.toml", &text)]), "m.toml", &[], &built_in()).unwrap();
    assert_eq!(model.warnings.len(), 1);
}

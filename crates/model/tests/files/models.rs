//! Files that are right, and the equations they become.

use trunnion_equations::ExprNode;
use trunnion_equations::flat::{Action, Direction, Nominal, QuantityRole};
use trunnion_equations::print::{PrintStyle, print};
use trunnion_equations::{Flat, analyse};
use trunnion_model::expect::{Demand, ExpectTolerance, Measure, Subject};
use trunnion_model::run::OutputGrid;
use trunnion_model::{Model, load};

use crate::{Memory, built_in, good, shown, whole};

fn text(flat: &Flat, e: trunnion_equations::Expr) -> String {
    print(&flat.graph, e, PrintStyle::Text, &|s| flat.quantity(s).name.clone())
}

fn equations(model: &Model) -> String {
    let flat = &model.flat;
    let line = |e: &trunnion_equations::flat::Equation| {
        format!("{}: {} = {}\n", e.name, text(flat, e.lhs), text(flat, e.rhs))
    };
    flat.equations.iter().map(line).collect()
}

fn value(model: &Model, name: &str) -> f64 {
    let q = model.flat.quantity(model.flat.find(name).unwrap_or_else(|| panic!("no `{name}`")));
    let (QuantityRole::Parameter { value: e }
    | QuantityRole::Unknown { start: e }
    | QuantityRole::Input { start: e }
    | QuantityRole::Mode { start: e }) = q.kind
    else {
        panic!("`{}` has no value", q.name)
    };
    model.flat.graph.at(e).value().unwrap_or_else(|| panic!("`{name}` is not constant"))
}

const RC: &str = r#"
[model]
name = "low-pass"
doc  = "A step through a resistor into a capacitor."

[parameters]
tau = { value = "1 ms", above = 0, doc = "Time constant" }
R   = "1 kOhm"

[components]
source = { type = "voltage_source", U = "5 V" }
r1     = { type = "resistor", R = "R" }
c1     = { type = "capacitor", C = "tau/R", u0 = "3 V" }
gnd    = { type = "electric_ground" }

[connect]
"source.p" = "r1.p"
"r1.n"     = "c1.p"
"gnd"      = ["source.n", "c1.n"]

[outputs]
energy = { value = "0.5*c1.C*c1.u^2", unit = "mJ", doc = "In the capacitor" }

[run]
t_end = "5*tau"
plot  = ["c1.u"]

[[expect]]
signal = "c1.u"
value  = "5 V - 2 V*exp(-5)"
tol    = "0.1 %"

[[expect]]
signal = "energy"
at     = "1 ms"
value  = 4
tol    = "1 uJ"
"#;

#[test]
fn a_circuit_of_components_becomes_equations() {
    let model = good(RC);
    assert!(model.warnings.is_empty(), "{}", shown(&model.warnings));
    insta::assert_snapshot!(equations(&model));
    assert_eq!(model.name, "low-pass");
    assert_eq!(value(&model, "c1.u0"), 3.0);
    assert_eq!(model.run.t_end, 5e-3);
    assert_eq!(model.run.plot, ["c1.u"]);
    let tau = model.flat.quantity(model.flat.find("tau").unwrap());
    assert_eq!(
        (tau.unit.text.as_str(), tau.unit.shown(1e-3), tau.doc.as_str()),
        ("ms", 1.0, "Time constant")
    );
    assert!(tau.range.0 > 0.0);
    let r = model.flat.quantity(model.flat.find("r1.u").unwrap());
    assert_eq!((r.origin.component.as_str(), &*r.origin.file), ("r1", "library/electric/resistor.toml"));
    let Subject::Signal { measure: Measure::At(t), .. } = &model.expect[1].subject else { panic!() };
    let Demand::Near(value, ExpectTolerance::Absolute(1e-6)) = model.expect[1].demand else { panic!() };
    assert!((value - 4e-3).abs() < 1e-15 && (t - 1e-3).abs() < 1e-15);
    assert!(matches!(model.expect[0].demand, Demand::Near(_, ExpectTolerance::Relative(1e-3))));
}

#[test]
fn the_circuit_has_as_many_equations_as_unknowns() {
    let system = analyse(good(RC).flat).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(system.n_states, 1);
    assert_eq!(system.n(), 1, "all else is solved in symbols");
}

#[test]
fn equations_need_no_components() {
    let model = good(
        r#"
        [parameters]
        m = "2 kg"
        k = "200 N/m"
        w = "sqrt(k/m)"
        [variables]
        x = { unit = "m", start = "10 cm", nominal = "1 mm" }
        v = "m/s"
        [equations]
        motion = "der(x) = v"
        newton = "m*der(v) = -k*x"
        [outputs]
        energy = "0.5*m*v^2 + 0.5*k*x^2"
        [run]
        t_end = "2*pi/w"
        dt    = "10 ms"
        [[expect]]
        signal = "x - 0.1 m*cos(w*time)"
        max    = 0
        tol    = "1 um"
        "#,
    );
    assert_eq!(analyse(model.flat.clone()).unwrap().n_states, 2);
    assert_eq!(value(&model, "x"), 0.1);
    assert!((model.run.t_end - 0.628318).abs() < 1e-5);
    assert_eq!(model.run.grid, OutputGrid::Step(0.01));
    assert_eq!(model.flat.quantity(model.flat.find("x").unwrap()).nominal, Some(Nominal::given(1e-3)));
    let energy = &model.flat.outputs[0];
    assert_eq!((energy.name.as_str(), energy.unit.text.as_str()), ("energy", "N·m"));
    assert_eq!(model.flat.outputs[1].name, "x - 0.1 m*cos(w*time)");
}

const DIVIDER: &str = r#"
title = "Voltage divider"
[ports]
a = { domain = "electric" }
b = { domain = "electric" }
tap = { domain = "electric", optional = true }
[parameters]
R     = { unit = "Ohm", default = 100, above = 0, doc = "Whole resistance" }
share = { unit = "%", default = 50, above = 0, below = 100, doc = "Between b and tap" }
[components]
upper = { type = "resistor", R = "R*(1 - share)" }
lower = { type = "resistor", R = "R*share" }
[connect]
"a"       = "upper.p"
"upper.n" = ["lower.p", "tap"]
"lower.n" = "b"
"#;

#[test]
fn components_are_made_of_components() {
    let files = Memory::new(&[
        ("lib/divider.toml", DIVIDER),
        (
            "models/m.toml",
            r#"
            [model]
            libraries = ["../lib"]
            [components]
            s = { type = "voltage_source", U = "10 V" }
            d = { type = "divider", share = 25 }
            g = "electric_ground"
            [connect]
            s.p = "d.a"
            g = ["s.n", "d.b"]
            [[expect]]
            signal = "d.lower.u"
            value = "2.5 V"
            tol = "1 nV"
            "#,
        ),
    ]);
    let model = load(&files, "models/m.toml", &[], &built_in())
        .map(whole)
        .unwrap_or_else(|e| panic!("{}", shown(&e)));
    let warned = model.warnings.iter().any(|d| d.severity != trunnion_model::Severity::Note);
    assert!(!warned, "{}", shown(&model.warnings));
    let system = analyse(model.flat.clone()).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(system.n_states, 0);
    insta::assert_snapshot!(equations(&model));
    let set = [("d.share".to_string(), "40 %".to_string()), ("d.upper.R".into(), "7".into())];
    let other = load(&files, "models/m.toml", &set, &built_in())
        .map(whole)
        .unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_eq!(value(&other, "d.upper.R"), 7.0);
    assert_eq!(value(&other, "d.share"), 0.4);
    assert_ne!(model.hash, other.hash);
}

#[test]
fn options_choose_equations_and_parameters() {
    let file = |damper: &str| {
        format!(
            "[components]\nm = \"mass\"\nd = {{ type = \"damper\", {damper} }}\nwall = \"ground\"\n\
             [connect]\n\"m\" = \"d.a\"\n\"d.b\" = \"wall\"\n"
        )
    };
    let plain = good(&file("c = 5"));
    assert!(plain.flat.find("d.f_c").is_none());
    let dry = good(&file("friction = \"coulomb\", f_c = \"3 N\""));
    assert_eq!(value(&dry, "d.f_c"), 3.0);
    assert!(equations(&dry).contains("tanh"));
    for model in [plain, dry] {
        assert_eq!(analyse(model.flat).unwrap_or_else(|e| panic!("{e:?}")).n_states, 2);
    }
}

#[test]
fn events_tasks_controllers_and_tables_find_their_place() {
    let model = good(
        r#"
        [parameters]
        e = 0.8
        g = "9.81 m/s^2"
        [variables]
        h = { unit = "m", start = "1 m" }
        v = "m/s"
        lift = "N"
        [modes]
        bounces = 0
        held = { unit = "mm", start = 5 }
        [inputs]
        wind = { unit = "m/s", start = "2 km/h" }
        [tables]
        force = { x = ["0 mm", "500 mm", "1 m"], y = { unit = "kN", values = [0, 1, 4] }, shape = "monotone" }
        map = { x = [0, 1], y = ["0 s", "1 s"], z = [["0 N", "1 N"], ["2 N", "3 N"]], outside = "extend" }
        [equations]
        fall = "der(h) = v"
        gravity = "der(v) = -g + pid.u*1 m/s^2/(1 V)"
        curve = "lift = force(h) + map(bounces, time)"
        [events.bounce]
        when = "h < 0"
        set = { v = "-e*v", bounces = "bounces + 1" }
        [events.low]
        when = "v < 0.1 m/s and h < 1 mm"
        terminate = "at rest"
        [tasks.sampler]
        period = "10 ms"
        set = { held = "h", wind = 3 }
        [controllers.pid]
        period = "1 ms"
        offset = "0.5 ms"
        script = """
        function step(t, inputs) { return { u: -inputs.y } }
        """
        inputs = { y = "h" }
        outputs = { u = { unit = "V", start = "1 V" }, state = "1" }
        [[expect]]
        event = "bounce"
        nth   = 2
        time  = "1.174 s"
        tol   = "1 ms"
        [[expect]]
        event = "bounce"
        count = 6
        "#,
    );
    let flat = &model.flat;
    assert_eq!(flat.events[0].direction, Direction::Falling);
    assert_eq!(flat.events[0].set.len(), 2);
    assert_eq!(text(flat, flat.events[0].set[0].value), "-e*v");
    assert_eq!(flat.events[1].terminate.as_deref(), Some("at rest"));
    assert_eq!(value(&model, "held"), 5e-3);
    assert!((value(&model, "wind") - 2.0 / 3.6).abs() < 1e-15);
    assert_eq!(value(&model, "pid.u"), 1.0);
    let Action::Set(set) = &flat.tasks[0].action else { panic!() };
    assert_eq!(flat.graph.at(set[1].value).value(), Some(3.0));
    let Action::Script { source, inputs, outputs, .. } = &flat.tasks[1].action else { panic!() };
    assert!(source.contains("function step"));
    assert_eq!((inputs[0].0.as_str(), outputs[0].0.as_str(), outputs[1].0.as_str()), ("y", "u", "state"));
    assert_eq!(flat.graph.at(flat.tasks[1].offset).value(), Some(5e-4));
    assert_eq!(model.expect[0].subject, Subject::Time { event: "bounce".into(), nth: 2 });
    assert!(matches!(model.expect[0].demand, Demand::Near(1.174, _)));
    assert_eq!(analyse(flat.clone()).unwrap().n_states, 2);
}

#[test]
fn components_take_tables_and_any_unit() {
    let model = good(
        r#"
        [tables]
        lift = { x = ["0 mm", "5 mm"], y = ["0 N", "20 N"] }
        [components]
        own   = { type = "lookup", u = "time/1 s" }
        given = { type = "lookup", u = "time*1 mm/s", table = "lift" }
        here  = { type = "lookup", u = "time*1 mm/s", table = { x = [0, 1], y = ["1 bar", "2 bar"] } }
        gain  = { type = "gain", k = "3 V/m", u = 0 }
        "#,
    );
    let tables: Vec<String> = ["own", "given", "here"].map(|n| format!("{n}.table")).to_vec();
    let all = equations(&model);
    assert!(tables.iter().all(|t| all.contains(&format!("{t}("))), "{all}");
    let k = model.flat.quantity(model.flat.find("gain.k").unwrap());
    assert_eq!(k.unit.text, "V/m");
}

#[test]
fn signals_go_from_one_output_to_many_inputs() {
    let model = good(
        r#"
        [variables]
        x = { unit = "V" }
        [equations]
        clock = "x = time*2 V/s"
        [components]
        wave  = { type = "sine", f = "50 Hz" }
        twice = { type = "gain", k = 2 }
        sum   = { type = "sum" }
        e     = { type = "voltage_source", U = 0, drive = "x" }
        r     = "resistor"
        g     = "electric_ground"
        [connect]
        "wave.y"  = ["twice.u", "sum.u"]
        "twice.y" = "sum.u"
        "e.p"     = "r.p"
        "g"       = ["e.n", "r.n"]
        "#,
    );
    let all = equations(&model);
    for line in [
        "twice.u1 = wave.y: twice.u1 = wave.y",
        "sum.u2 = twice.y: sum.u2 = twice.y",
        "e.drive given: e.drive = x",
    ] {
        assert!(all.contains(line), "{line}\n{all}");
    }
    analyse(model.flat).unwrap_or_else(|e| panic!("{e:?}"));
}

#[test]
fn including_files_override_parameters_and_runs() {
    let files = Memory::new(&[
        (
            "base.toml",
            "[parameters]\nk = { value = \"1 N/m\", doc = \"Stiffness\", above = 0 }\n[run]\nt_end = 3\npoints = 11\n[[expect]]\nsignal = \"nonsense\"\n",
        ),
        (
            "m.toml",
            "[model]\ninclude = [\"base.toml\"]\n[parameters]\nk = \"2 N/m\"\nc = \"k*1 s\"\n[run]\nt_end = 4\n",
        ),
    ]);
    let model =
        load(&files, "m.toml", &[], &built_in()).map(whole).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_eq!(value(&model, "k"), 2.0);
    assert_eq!(model.flat.quantity(model.flat.find("k").unwrap()).doc, "Stiffness");
    assert_eq!((model.run.t_end, model.run.grid), (4.0, OutputGrid::Points(11)));
    assert!(model.expect.is_empty());
    let sets = [("run.t_end", "9 s"), ("k", "5")].map(|(a, b)| (a.to_string(), b.to_string()));
    let model =
        load(&files, "m.toml", &sets, &built_in()).map(whole).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_eq!((model.run.t_end, value(&model, "k")), (9.0, 5.0));
}

#[test]
fn parameters_are_sorted_by_use() {
    let model = good("[parameters]\nc = \"a + b\"\nb = \"2*a\"\na = \"3 m\"\n");
    let names: Vec<&str> = model.flat.quantities.iter().map(|q| q.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let shown: Vec<&str> = model.flat.quantities.iter().map(|q| q.unit.text.as_str()).collect();
    assert_eq!(shown, ["m", "m", "m"]);
}

#[test]
fn a_long_chain_of_parameters_is_no_trouble() {
    let mut file = "[parameters]\np0 = 1\n".to_string();
    for i in 1..20_000 {
        file += &format!("p{i} = \"p{} + 1\"\n", i - 1);
    }
    assert_eq!(good(&file).flat.quantities.len(), 20_000);
}

#[test]
fn the_first_model_of_the_documents_runs() {
    let page = std::fs::read_to_string(crate::root().join("docs/reference/model-files.md")).unwrap();
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let model = good(text);
    assert!(model.warnings.is_empty(), "{}", shown(&model.warnings));
    assert_eq!(analyse(model.flat).unwrap().n_states, 1);
}

#[test]
fn whole_numbers_can_be_set_from_outside() {
    let sets = [("run.points".to_string(), "7".to_string())];
    let model = load(&Memory::new(&[("m.toml", "")]), "m.toml", &sets, &built_in()).unwrap();
    assert_eq!(model.run.grid, OutputGrid::Points(7));
}

#[test]
fn a_bare_number_from_outside_counts_in_the_unit_of_the_value_it_replaces() {
    let files = Memory::new(&[("m.toml", "[parameters]\nd = \"4 mm\"\n")]);
    let sets = [("d".to_string(), "6".to_string())];
    let model =
        load(&files, "m.toml", &sets, &built_in()).map(whole).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_eq!(value(&model, "d"), 0.006);
    let wrong = [("d".to_string(), "6 bar".to_string())];
    assert!(load(&files, "m.toml", &wrong, &built_in()).is_err());
}

const DEFERRED: &str = r#"
[model]
defaults = "gains.toml"
[parameters]
k = { unit = "N/m", ask = true, default = 200, above = 0, doc = "Stiffness" }
c = { unit = "N s/m", doc = "Damping" }
m = "2 kg"
[variables]
x = { unit = "mm", start = "10 mm" }
v = "m/s"
[equations]
a = "der(x) = v"
b = "m*der(v) = -c*v - k*x"
"#;

/// Names of what is left open, and whether the model can be run as it is.
fn open(defaults: &str, sets: &[(&str, &str)]) -> (Vec<String>, bool) {
    let files = Memory::new(&[("m.toml", DEFERRED), ("gains.toml", defaults), ("other.toml", "c = 7")]);
    let sets: Vec<(String, String)> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let (model, deferred) = trunnion_model::load_asking(&files, "m.toml", &sets, &built_in());
    (deferred.into_iter().map(|d| d.name).collect(), model.is_ok())
}

#[test]
fn parameters_are_left_open_until_somebody_gives_them() {
    assert_eq!(open("", &[]), (vec!["k".into(), "c".into()], false));
    assert_eq!(open("c = 3", &[]), (vec!["k".into()], true));
    assert_eq!(open("c = '3 N s/m'\nk = 1\n[start]\nx = '3 mm'", &[]), (vec![], true));
    assert_eq!(open("", &[("c", "3")]), (vec!["k".into()], true));
    assert_eq!(open("k = 5", &[("model.defaults", "other.toml")]), (vec![], true));
    for wrong in ["c = '3 m'", "k = -1", "stiffness = 3", "c ="] {
        assert!(!open(wrong, &[("c", "1")]).1 || wrong == "c = '3 m'", "{wrong}");
    }
    assert!(!open("", &[("model.defaults", "none.toml")]).1);
}

#[test]
fn values_from_outside_win_over_a_file_of_defaults() {
    let files = Memory::new(&[("m.toml", DEFERRED), ("gains.toml", "c = 3\nk = 5")]);
    let sets = [("k".to_string(), "7".to_string()), ("outputs.reach".to_string(), "x + v*2 s".to_string())];
    let model = load(&files, "m.toml", &sets, &built_in()).unwrap();
    let value = |name: &str| {
        let found = model.flat.quantities.iter().find(|q| q.name == name).unwrap();
        let QuantityRole::Parameter { value } = found.kind else { panic!() };
        match model.flat.graph.node(value) {
            ExprNode::Const(v) => Some(v),
            _ => None,
        }
    };
    assert_eq!((value("c"), value("k")), (Some(3.0), Some(7.0)));
    assert_eq!(model.flat.outputs[0].name, "reach");
    let twice = [("outputs.x".to_string(), "v".to_string())];
    assert!(load(&files, "m.toml", &twice, &built_in()).is_err());
}

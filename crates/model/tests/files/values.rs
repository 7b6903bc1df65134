//! Numbers as users write them: temperatures, differences, truth values, driven sources.

use trunnion_model::expect::{Demand, ExpectTolerance, Measure, Subject};
use trunnion_model::{Diagnostic, Model, load};

use crate::{Memory, built_in, good, shown};

/// The value of a parameter, in SI.
fn value(model: &Model, name: &str) -> f64 {
    let symbol = model.flat.find(name).unwrap_or_else(|| panic!("{name}"));
    let mut values = trunnion_model::instantiate::Values::default();
    let trunnion_equations::flat::QuantityRole::Parameter { value } = model.flat.quantity(symbol).kind else {
        panic!("{name} is no parameter")
    };
    values.of(&model.flat.graph, value).unwrap_or_else(|| panic!("{name} has no value"))
}

fn refused(text: &str, sets: &[(&str, &str)]) -> Vec<Diagnostic> {
    let sets: Vec<_> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    match load(&Memory::new(&[("m.toml", text)]), "m.toml", &sets, &built_in()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => errors,
    }
}

const RUNS: &str = "[variables]\nx = { start = 0 }\n[equations]\ng = \"der(x) = 1/1 s\"\n";

#[test]
fn temperatures_and_gauge_pressures_are_read_with_their_sign() {
    let model = good(&format!(
        r#"
        [parameters]
        a = "-5 °C"
        b = {{ value = "-5 °C", unit = "K" }}
        c = "-0.5 barg"
        d = {{ unit = "°C", value = -5 }}
        e = "20 °C - 15 °C"
        h = "20 °C + 10 K"
        low = {{ unit = "°C", value = "-5 °C", min = "-10 °C", max = -1 }}
        rate = "0.03 1/s"
        slow = "6/min"
        per  = {{ unit = "/s", value = 2 }}
        width = {{ unit = "°C", value = 2, difference = true }}
        band  = {{ unit = "K", value = "2 °C", difference = true, min = "1 °C" }}
        {RUNS}"#
    ));
    for (name, expected) in [
        ("a", 268.15),
        ("b", 268.15),
        ("c", 51_325.0),
        ("d", 268.15),
        ("e", 5.0),
        ("h", 303.15),
        ("low", 268.15),
        ("rate", 0.03),
        ("slow", 0.1),
        ("per", 2.0),
        ("width", 2.0),
        ("band", 2.0),
    ] {
        let found = value(&model, name);
        assert!((found - expected).abs() < 1e-9 * expected, "{name}: {found} is not {expected}");
    }
}

#[test]
fn sums_and_differences_of_temperatures_keep_their_meaning() {
    for (text, words) in [
        ("a = \"20 °C\"\nb = \"10 °C\"\ns = \"a + b\"", "absolute temperatures do not add up"),
        (
            "s = { unit = \"°C\", value = \"20 °C - 15 °C\" }",
            "a difference of temperatures is no temperature",
        ),
        ("a = \"20 °C\"\nw = { unit = \"K\", value = \"a\", difference = true }", "expected a difference"),
        (
            "a = { unit = \"K\", value = \"20 °C\" }\nb = { unit = \"K\", value = \"10 °C\" }\ns = \"a + b\"",
            "do not add up",
        ),
    ] {
        let errors = refused(&format!("[parameters]\n{text}\n{RUNS}"), &[]);
        assert!(errors[0].code == "L17" && shown(&errors).contains(words), "{text}: {}", shown(&errors));
    }
    // A thermostat whose band is written in degrees.
    let relay = |band: &str| {
        format!(
            r#"
            [parameters]
            set = "20 °C"
            [variables]
            temp = {{ unit = "°C", start = 15 }}
            [modes]
            on = true
            [equations]
            room = "100 s*der(temp) = 10 °C - temp + 20 K*on"
            [events]
            cold = {{ when = "temp < set - {band}", set = {{ on = true }} }}
            warm = {{ when = "temp > set + {band}", set = {{ on = false }} }}
            "#
        )
    };
    good(&relay("1 K"));
    let errors = refused(&relay("1 °C"), &[]);
    assert_eq!(errors.iter().filter(|e| e.code == "L17").count(), 2, "{}", shown(&errors));
}

#[test]
fn true_and_false_are_no_numbers() {
    for text in [
        "[components]\nm = { type = \"mass\", m = true }\n",
        "[parameters]\nn = true\n",
        "[parameters]\nn = { unit = \"1\", value = 2, max = true }\n",
        "[run]\nt_end = true\n",
        "[components]\nm = { type = \"mass\", v0 = true }\n",
        "[components]\nf = { type = \"force_source\", drive = true }\nm = \"mass\"\n[connect]\nf = \"m\"\n",
        "[bodies]\nb = { m = true }\n[joints]\nj = { type = \"prismatic\", child = \"b\" }\n",
        "[variables]\ny = { start = true }\n",
        "[tables]\nt = { x = [0, true], y = [0, 1] }\n",
    ] {
        let both = if text.starts_with("[variables]") { text.to_string() } else { format!("{text}{RUNS}") };
        let errors = refused(&both, &[]);
        assert!(errors.iter().any(|e| e.code == "M0103"), "{text}: {}", shown(&errors));
    }
    let text = format!("[components]\nm = {{ type = \"mass\" }}\n{RUNS}");
    assert_eq!(refused(&text, &[("m.m", "true")])[0].code, "M0103");
    // Switches may be.
    good(&format!("[modes]\non = true\n[inputs]\nbutton = {{ start = false }}\n{RUNS}"));
}

#[test]
fn what_drives_a_source_is_all_it_gives() {
    for (kind, parameter) in [
        ("force_source", "F"),
        ("moment_source", "M"),
        ("voltage_source", "U"),
        ("current_source", "I"),
        ("heat_source", "Q"),
        ("speed_source", "W"),
        ("motion_source", "V"),
        ("temperature_source", "T_0"),
        ("reservoir", "P"),
        ("pump", "Q"),
        ("air_supply", "P"),
        ("SE", "E"),
        ("SF", "F"),
    ] {
        let load_of = |entry: &str| {
            let text = format!("[components]\ns = {{ type = \"{kind}\"{entry} }}\n{RUNS}");
            let files = Memory::new(&[("m.toml", &text)]);
            load(&files, "m.toml", &[], &built_in()).unwrap_or_else(|e| panic!("{kind}: {}", shown(&e)))
        };
        let name = format!("s.{parameter}");
        assert_eq!(value(&load_of(", drive = \"0\""), &name), 0.0, "{kind}");
        assert_eq!(value(&load_of(&format!(", drive = \"0\", {parameter} = 3")), &name), 3.0, "{kind}");
    }
    // A connection drives as well; what is driven by nothing keeps its default.
    let model = good(&format!(
        "[components]\ns = \"reservoir\"\nt = \"reservoir\"\nc = {{ type = \"constant\", value = \"5 bar\" }}\n\
         [connect]\n\"c.y\" = \"t.drive\"\n{RUNS}"
    ));
    assert_eq!((value(&model, "s.P"), value(&model, "t.P")), (101_325.0, 0.0));
}

#[test]
fn bounds_take_the_place_of_a_value_and_its_tolerance() {
    let expect = |keys: &str| {
        let text = format!("{RUNS}[events]\nhalf = {{ when = \"x > 0.5\" }}\n[[expect]]\n{keys}\n");
        load(&Memory::new(&[("m.toml", &text)]), "m.toml", &[], &built_in())
    };
    let signal = |keys: &str| {
        let model = expect(keys).unwrap_or_else(|e| panic!("{keys}: {}", shown(&e)));
        let Subject::Signal { measure, .. } = model.expect[0].subject else { panic!("{keys}") };
        (measure, model.expect[0].demand)
    };
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    for (keys, measure, low, high) in [
        ("signal = \"x\"\nat_most = 2", Measure::Max, least, 2.0),
        ("signal = \"x\"\nat_least = -1", Measure::Min, -1.0, most),
        ("signal = \"x\"\nat_least = 1\nmeasure = \"final\"", Measure::Final, 1.0, most),
        ("signal = \"x\"\nat_least = 1\nat_most = \"200 %\"\nat = \"1 s\"", Measure::At(1.0), 1.0, 2.0),
        ("signal = \"x\"\nat_least = 1\nat_most = 2\nmeasure = \"max\"", Measure::Max, 1.0, 2.0),
    ] {
        assert_eq!(signal(keys), (measure, Demand::Within(low, high)), "{keys}");
    }
    for (keys, code) in [
        ("signal = \"x\"\nat_least = 1\nat_most = 2", "M0106"),
        ("signal = \"x\"\nat_least = 3\nat_most = 2\nat = 1", "M0108"),
        ("signal = \"x\"\nat_least = 3\ntol = 1", "M0111"),
        ("signal = \"x\"\nat_least = 3\nvalue = 1", "M0111"),
        ("signal = \"x\"\nat_least = \"3 m\"", "M0107"),
        ("signal = \"x\"\nvalue = 1\ntol = -1", "M0108"),
        ("signal = \"x\"\nvalue = 1\ntol = 1e-3\nmeasure = \"max\"", "M0101"),
    ] {
        let errors = expect(keys).err().unwrap_or_default();
        assert!(errors.iter().any(|e| e.code == code), "{keys}: {}", shown(&errors));
    }
    let count = expect("event = \"half\"\nat_most = 1").unwrap();
    assert_eq!(count.expect[0].demand, Demand::Within(least, 1.0));
    let time = expect("event = \"half\"\nnth = 1\nat_most = \"600 ms\"").unwrap();
    assert_eq!(time.expect[0].subject, Subject::Time { event: "half".into(), nth: 1 });
    assert_eq!(time.expect[0].demand, Demand::Within(least, 0.6));
}

#[test]
fn a_wide_tolerance_needs_a_reason() {
    let noted = |keys: &str| {
        let text = format!("{RUNS}[[expect]]\nsignal = \"x\"\n{keys}\n");
        let model = load(&Memory::new(&[("m.toml", &text)]), "m.toml", &[], &built_in()).unwrap();
        model.warnings.iter().any(|d| d.code == "M0430")
    };
    for (keys, expected) in [
        ("value = 1\ntol = \"5 %\"", false),
        ("value = 1\ntol = \"6 %\"", true),
        ("value = 0.75\ntol = 0.75", true),
        ("value = 0.75\ntol = 0.75\nreason = \"read off a curve\"", false),
        ("value = 0\ntol = 0.75", false),
        ("at_most = 1.5", false),
    ] {
        assert_eq!(noted(keys), expected, "{keys}");
    }
}

#[test]
fn a_tolerance_in_degrees_is_a_difference() {
    let tolerance = |tol: &str| {
        let text = format!(
            "[variables]\ntemp = {{ unit = \"°C\", start = 20, nominal = 10 }}\n\
             [equations]\ncool = \"100 s*der(temp) = 30 °C - temp\"\n\
             [[expect]]\nsignal = \"temp\"\nvalue = \"90 °C\"\ntol = {tol}\n"
        );
        let model = load(&Memory::new(&[("m.toml", &text)]), "m.toml", &[], &built_in());
        let model = model.unwrap_or_else(|e| panic!("{}", shown(&e)));
        let temp = model.flat.find("temp").unwrap();
        assert_eq!(model.flat.quantity(temp).nominal, Some(trunnion_equations::flat::Nominal::given(10.0)));
        model.expect[0].demand
    };
    for tol in ["\"1 °C\"", "\"1 K\"", "1", "\"1.8 °F\""] {
        let Demand::Near(value, ExpectTolerance::Absolute(allowed)) = tolerance(tol) else { panic!("{tol}") };
        assert!((value - 363.15).abs() < 1e-9 && (allowed - 1.0).abs() < 1e-9, "{tol}: {allowed}");
    }
    assert_eq!(tolerance("\"1 %\""), Demand::Near(363.15, ExpectTolerance::Relative(0.01)));
}

#[test]
fn assumed_units_are_told() {
    let text = format!("[components]\nm = {{ type = \"mass\", m = 5 }}\n{RUNS}");
    let told = |sets: &[(&str, &str)]| {
        let sets: Vec<_> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let model = load(&Memory::new(&[("m.toml", &text)]), "m.toml", &sets, &built_in()).unwrap();
        let notes = model.warnings.into_iter().filter(|d| d.code == "M0312");
        notes.map(|d| d.message + "; " + &d.hint.unwrap_or_default()).collect::<Vec<_>>()
    };
    let hint = "write the unit with it:";
    assert_eq!(told(&[]), [format!("read as m.m = 5 kg; {hint} m = \"5 kg\"")]);
    assert_eq!(told(&[("m.m", "7")]), [format!("read as m.m = 7 kg; {hint} m.m=\"7 kg\"")]);
    let v0 = format!("read as m.v0 = 3 m/s; {hint} m.v0=\"3 m/s\"");
    assert_eq!(told(&[("m.m", "7 kg"), ("m.v0", "3")]), [v0]);
    assert_eq!(told(&[("m.m", "7 kg")]), [""; 0]);
}

#[test]
fn former_names_are_read_with_a_note() {
    let read = |entry: &str, sets: &[(&str, &str)]| {
        let sets: Vec<_> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let text = format!("[parameters]\nV = \"10 ml\"\n[components]\nc = {{ {entry} }}\n{RUNS}");
        load(&Memory::new(&[("m.toml", &text)]), "m.toml", &sets, &built_in())
    };
    let noted = |model: &Model| model.warnings.iter().filter(|d| d.code == "M0330").count();
    let model =
        read("type = \"valve_cylinder\", A_1 = \"30 cm^2\"", &[]).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert!((value(&model, "c.A_h") - 30e-4).abs() < 1e-15);
    assert_eq!(noted(&model), 1);
    let model = read("type = \"valve_cylinder\", A_h = \"30 cm^2\"", &[("c.A_1", "40 cm^2")]);
    let model = model.unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert!((value(&model, "c.A_h") - 40e-4).abs() < 1e-15);
    // A volume of a revolution, however it is written.
    let per_radian = 10e-6 / std::f64::consts::TAU;
    for given in ["V_g = \"10 ml\"", "V_g = 1e-5", "V_g = \"10 cm^3/rev\"", "D = \"10 cm^3/rev\"", "D = 10"] {
        let model = read(&format!("type = \"hydraulic_motor\", {given}"), &[]);
        let model = model.unwrap_or_else(|e| panic!("{given}: {}", shown(&e)));
        let found = value(&model, "c.D");
        assert!((found / per_radian - 1.0).abs() < 1e-12, "{given}: {found} is not {per_radian}");
    }
    for (given, code) in [
        ("type = \"hydraulic_motor\", D = \"10 ml\"", "M0331"),
        ("type = \"hydraulic_motor\", V_g = \"V\"", "M0331"),
        ("type = \"piston_pump\", w_rated = \"25 Hz\"", "M0331"),
        ("type = \"valve_4_3\", spool = \"second_order\", f_n = \"300 rad/s\"", "M0331"),
        ("type = \"valve_cylinder\", A_1 = \"30 cm^2\", A_h = \"30 cm^2\"", "M0105"),
    ] {
        let errors = read(given, &[]).err().unwrap_or_default();
        assert!(errors.iter().any(|e| e.code == code), "{given}: {}", shown(&errors));
    }
}

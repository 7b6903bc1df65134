//! Answers as JSON have the shape that the manual gives them, errors included.

use serde_json::{Value, json};

use crate::program::{Answer, Folder, json};

const STRUT: &str = r#"
[components]
body   = { type = "mass", m = "2 kg", v0 = "1 m/s" }
spring = { type = "spring", k = "200 N/m" }
damper = { type = "damper", c = "4 N s/m" }
ground = { type = "ground" }
[connect]
"body"     = ["spring.a", "damper.a"]
"ground"   = ["spring.b", "damper.b"]
[run]
t_end = "2 s"
[[expect]]
signal  = "body.x"
at_most = "0.1 m"
source  = "v/ω, less by damping"
"#;

/// The one document on standard output; nothing else is said.
fn document(answer: &Answer) -> Value {
    let document = json(&answer.out);
    assert_eq!(document["exit_code"], answer.code, "{document:#}");
    assert_eq!(answer.err, "");
    let keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["command", "errors", "exit_code", "result", "warnings"]);
    document
}

fn answered(folder: &Folder, arguments: &[&str]) -> Value {
    let document = document(&folder.run(&[arguments, &["--format", "json"]].concat()));
    assert_eq!(document["command"], arguments[0]);
    assert_eq!((&document["exit_code"], &document["errors"]), (&json!(0), &json!([])), "{document:#}");
    document["result"].clone()
}

/// Two numbers that agree.
fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found}, expected {expected}");
}

#[test]
fn answers_have_the_documented_shape() {
    let folder = Folder::new();
    folder.write("strut.toml", STRUT);
    let checked = answered(&folder, &["check", "strut.toml"]);
    // The place of the mass is recorded, and the spring has a length of its own.
    assert_eq!(checked["models"][0]["states"], 3);
    assert_eq!((&checked["models"][0]["good"], &checked["components"]), (&json!(true), &json!([])));

    // ω = √(k/m) = 10 rad/s, ζ = c/(2√(k m)) = 0.1.
    let modes = answered(&folder, &["modes", "strut.toml"]);
    let all = modes["modes"].as_array().unwrap();
    let mode = all.iter().find(|m| m["kind"] == "oscillation").unwrap();
    near(&mode["natural_frequency_hz"], 10.0 / std::f64::consts::TAU);
    near(&mode["damping_ratio"], 0.1);
    near(&mode["re"], -1.0);
    assert_eq!(mode["count"], 1);
    let shares: f64 = mode["states"].as_array().unwrap().iter().map(|s| s["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);

    let linear = answered(&folder, &["linearize", "strut.toml"]);
    let poles = linear["poles"].as_array().unwrap();
    near(
        &poles.iter().find(|p| p["im"].as_f64() > Some(1.0)).unwrap()["natural_frequency_hz"],
        10.0 / std::f64::consts::TAU,
    );

    let rest = answered(&folder, &["balance", "strut.toml"]);
    let values = rest["values"].as_array().unwrap();
    let momentum = values.iter().find(|v| v["name"] == "body.p").unwrap();
    near(&momentum["start"], 2.0);
    assert!(momentum["at_rest"].as_f64().unwrap().abs() < 1e-9, "{momentum}");
    assert!(rest["unstable"].is_null() && rest["largest_residual"]["size_si"].as_f64().unwrap() < 1e-9);

    // ½ m v² = 1 J at the start: all of it that is no longer stored is lost.
    let energy = answered(&folder, &["energy", "strut.toml"]);
    let [lost, stored] = ["lost_j", "stored_j"].map(|k| energy[k].as_f64().unwrap());
    assert!(lost > 0.9 && lost < 1.0 && (lost + stored).abs() < 1e-6, "{energy:#}");

    let verified = answered(&folder, &["verify", "strut.toml"]);
    assert_eq!((&verified["passed"], &verified["failed"]), (&json!(1), &json!(0)));
    let check = &verified["models"][0]["checks"][0];
    assert_eq!((&check["passed"], &check["expected"]), (&json!(true), &Value::Null));
    near(&check["at_most"], 0.1);

    let measure = ["--measure", "max(body.x)"];
    let sweep =
        answered(&folder, &[&["sweep", "strut.toml", "--param", "spring.k=100,200"], &measure[..]].concat());
    assert_eq!(sweep["columns"].as_array().unwrap().len(), 2);
    near(&sweep["rows"][1][0], 200.0);
    // The first maximum, x = v/ω exp(−ζ arccos ζ/√(1 − ζ²)).
    let largest = 0.1 * (-0.1 * 0.1_f64.acos() / 0.99_f64.sqrt()).exp();
    let found = sweep["rows"][1][1].as_f64().unwrap();
    assert!((found / largest - 1.0).abs() < 1e-4, "{found}, expected {largest}");
}

#[test]
fn errors_have_code_place_message_and_hint() {
    let folder = Folder::new();
    folder.write("wrong.toml", STRUT.replace("\"damper\", c", "\"dampr\", c"));
    for command in ["check", "modes", "balance", "energy", "linearize", "equations"] {
        let document = document(&folder.run(&[command, "wrong.toml", "--format", "json"]));
        assert_eq!((&document["exit_code"], &document["command"]), (&json!(1), &json!(command)));
        let error = &document["errors"][0];
        let place = &error["place"];
        assert_eq!((&place["file"], &place["line"]), (&json!("wrong.toml"), &json!(5)), "{document:#}");
        assert!(place["column"].as_u64().unwrap() > 1 && error["code"].as_str().unwrap().starts_with('M'));
        assert!(error["message"].as_str().unwrap().contains("dampr"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("damper"), "{error}");
    }
    // Of `verify` the errors stand beside the model they are of.
    let verified = document(&folder.run(&["verify", "wrong.toml", "--format", "json"]));
    assert_eq!(verified["result"]["models"][0]["failures"][0]["errors"][0]["place"]["line"], 5);
}

#[test]
fn what_is_no_fault_of_a_model_is_told_by_its_kind() {
    let folder = Folder::new();
    folder.write("strut.toml", STRUT);
    for (arguments, exit_code, kind, word) in [
        (&["modes", "absent.toml"][..], 4, "M0002", "absent.toml"),
        (&["energy", "strut.toml", "--solver", "rodas"], 2, "usage", "there is no solver"),
        (&["energy", "strut.toml", "--t-end", "3 bar"], 2, "usage", "it is a pressure"),
        (&["modes", "strut.toml", "--at", "soon"], 2, "usage", "soon"),
        (&["sweep", "strut.toml", "--param", "spring.k=1,x", "--measure", "max(body.x)"], 2, "usage", "x"),
    ] {
        let document = document(&folder.run(&[arguments, &["--format", "json"]].concat()));
        let error = &document["errors"][0];
        assert_eq!(
            (&document["exit_code"], &error["code"]),
            (&json!(exit_code), &json!(kind)),
            "{document:#}"
        );
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
}

#[test]
fn compare_answers_in_json_and_draws_with_o() {
    let folder = Folder::new();
    folder.write("strut.toml", STRUT);
    let compared =
        answered(&folder, &["compare", "strut.toml", "--set-b", "damper.c=\"8 N s/m\"", "-o", "both.svg"]);
    assert!(folder.read("both.svg").contains("<svg"));
    let signals = compared["signals"].as_array().unwrap();
    let x = signals.iter().find(|s| s["name"] == "body.x").unwrap();
    assert!(
        x["unit"] == "m" && x["largest"].as_f64().unwrap() > 0.01 && x["of_range"].as_f64().unwrap() > 0.1,
        "{x:#}"
    );
    assert_eq!((&compared["only_in_a"], &compared["beyond_tolerance"]), (&json!([]), &Value::Null));
    let equal = folder.run(&["compare", "strut.toml", "strut.toml", "--tol", "0.01", "--format", "json"]);
    assert_eq!(document(&equal)["result"]["beyond_tolerance"], 0);
}

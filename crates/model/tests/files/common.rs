//! Values that all components of a domain share.

use insta::assert_snapshot;
use trunnion_equations::flat::QuantityRole;
use trunnion_equations::print::{PrintStyle, print};
use trunnion_model::{Model, load};

use crate::{Memory, built_in, shown};

fn model(files: &[(&str, &str)], sets: &[(&str, &str)]) -> Model {
    let sets: Vec<(String, String)> = sets.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    load(&Memory::new(files), "model.toml", &sets, &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)))
}

/// The expression that is a parameter's value.
fn value(model: &Model, name: &str) -> String {
    let quantity = model.flat.quantity(model.flat.find(name).unwrap_or_else(|| panic!("no {name}")));
    let QuantityRole::Parameter { value } = quantity.kind else { panic!("{name} is no parameter") };
    print(&model.flat.graph, value, PrintStyle::Text, &|s| model.flat.quantity(s).name.clone())
}

const MODEL: &str = r#"
[parameters]
oil = "900 MPa"

[common.hydraulic]
beta = "2*oil"

[components]
a = { type = "volume" }
b = { type = "volume", beta = "1 GPa" }
"#;

#[test]
fn components_without_a_value_of_their_own_take_the_common_one() {
    let found = model(&[("model.toml", MODEL)], &[]);
    assert_eq!((value(&found, "a.beta"), value(&found, "b.beta")), ("2*oil".into(), "1e9".into()));
    let found = model(&[("model.toml", MODEL)], &[("a.beta", "3")]);
    assert_eq!(value(&found, "a.beta"), "3");
    assert!(found.warnings.iter().all(|w| w.code != "M0314"));
}

#[test]
fn an_including_file_changes_common_values() {
    let outer = "[model]\ninclude = \"base.toml\"\n[common.hydraulic]\nbeta = \"oil\"";
    let found = model(&[("base.toml", MODEL), ("model.toml", outer)], &[]);
    assert_eq!(value(&found, "a.beta"), "oil");
}

#[test]
fn common_values_reach_into_components_where_these_say_nothing() {
    let pair = r#"
[ports]
port = { domain = "hydraulic" }
[parameters]
stiff = { unit = "Pa", default = 1e9 }
[common.hydraulic]
beta = "stiff"
[components]
near = "volume"
far  = { type = "volume", beta = 7 }
[connect]
port = ["near", "far"]
"#;
    let text = format!("[model]\nlibraries = \"parts\"\n{MODEL}c = \"pair\"\nd = \"plain\"");
    let plain =
        "[ports]\nport = { domain = \"hydraulic\" }\n[components]\nv = \"volume\"\n[connect]\nport = \"v\"";
    let found = model(&[("model.toml", &text), ("parts/pair.toml", pair), ("parts/plain.toml", plain)], &[]);
    assert_eq!(value(&found, "c.near.beta"), "c.stiff");
    assert_eq!(value(&found, "c.far.beta"), "7");
    assert_eq!(value(&found, "d.v.beta"), "2*oil");
}

#[test]
fn common_values_that_nothing_takes_or_that_do_not_fit() {
    let text = |common: &str| format!("[common]\n{common}\n[components]\na = \"volume\"\nr = \"resistor\"");
    let mut all = String::new();
    for common in [
        "hydraulic.betta = 1",
        "hydraulic.R = 3",
        "hydrolic.beta = 3",
        "hydraulic.beta = \"3 kg\"",
        "hydraulic = 3",
    ] {
        let files = Memory::new(&[("model.toml", &text(common))]);
        let said = load(&files, "model.toml", &[], &built_in());
        let mut said = said.map_or_else(|e| e, |m| m.warnings);
        said.retain(|d| !["M0306", "M0312"].contains(&d.code));
        all += &(shown(&said) + "\n");
    }
    assert_snapshot!(all);
}

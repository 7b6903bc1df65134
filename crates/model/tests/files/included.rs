//! Sections that components share, and components named by their domain.

use trunnion_model::{Library, load};

use crate::{Memory, built_in, shown};

const LEAK: &str = r#"include = ["_line.toml"]

[parameters]
R = { unit = "Pa s/m^3", default = 1e9, above = 0 }

[equations]
law = "R*a.q = a.p - b.p"
"#;

const LINE: &str = r#"[ports]
a = { domain = "hydraulic" }
b = { domain = "hydraulic" }

[options]
warm = { default = false }

[parameters]
R = { unit = "Pa s/m^3", default = 5 }
L = { unit = "m", default = 2, above = 0 }

[equations]
kept = "a.q + b.q = 0"

[[when]]
option = "warm"
is     = true

[when.outputs]
length = "L"
"#;

const MODEL: &str = r#"[model]
libraries = "own/"
[components]
leak = { type = "leak", warm = true }
[run]
"#;

fn files(leak: &str, line: &str) -> Memory {
    Memory::new(&[("m.toml", MODEL), ("own/leak.toml", leak), ("own/_line.toml", line)])
}

fn said(leak: &str, line: &str) -> String {
    match load(&files(leak, line), "m.toml", &[], &built_in()) {
        Ok(model) => shown(&model.warnings),
        Err(errors) => shown(&errors),
    }
}

#[test]
fn a_component_has_the_sections_of_the_files_it_includes() {
    let model =
        load(&files(LEAK, LINE), "m.toml", &[], &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
    // The file's own entries come first, and count where both say one name.
    let parameters: Vec<&str> = model.flat.quantities.iter().map(|q| q.name.as_str()).collect();
    let place = |name: &str| parameters.iter().position(|p| *p == name).unwrap();
    assert!(place("leak.R") < place("leak.L"));
    let r = model.flat.quantity(model.flat.find("leak.R").unwrap());
    assert_eq!(&*r.origin.file, "own/leak.toml");
    assert!(model.flat.outputs.iter().any(|o| o.name == "leak.length"));
    assert!(model.sources.get("own/_line.toml").is_some());
    let changed = LINE.replace("default = 2", "default = 3");
    let other =
        load(&files(LEAK, &changed), "m.toml", &[], &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
    assert_ne!(model.hash, other.hash, "what is included belongs to the model");
}

/// A message about what is shared points into the shared file, and says who uses it.
#[test]
fn errors_point_into_the_file_that_has_them() {
    let text = said(LEAK, &LINE.replace("a.q + b.q", "a.q + b.qq"));
    assert!(text.contains("--> own/_line.toml:13:") && text.contains("used for `leak`"), "{text}");
    let text = said(LEAK, &LINE.replace("[options]", "[optoins]"));
    assert!(text.contains("--> own/_line.toml:5:2") && text.contains("did you mean `options`?"), "{text}");
    let text = said(&LEAK.replace("_line", "_lime"), LINE);
    assert!(
        text.contains("cannot read `own/_lime.toml`") && text.contains("--> own/leak.toml:1:12"),
        "{text}"
    );
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    let text = said(LEAK, &format!("include = \"_line.toml\"\n{LINE}"));
    assert!(text.contains("M0003") && text.contains("`own/_line.toml` includes itself"), "{text}");
    let text = said(LEAK, &format!("include = 3\n{LINE}"));
    assert!(text.contains("M0103") && text.contains("--> own/_line.toml:1:11"), "{text}");
}

#[test]
fn a_file_that_is_only_included_is_no_component() {
    let library = Library::load(&files(LEAK, LINE), "own").unwrap_or_else(|e| panic!("{}", shown(&e)));
    let names: Vec<&str> = library.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["leak"]);
}

#[test]
fn components_have_their_domain_before_their_name() {
    let library = built_in();
    let name = |wanted: &str| library.find(wanted).map(|d| d.name.clone()).unwrap_or_default();
    assert_eq!(name("valve_3_2"), "valve_3_2");
    assert_eq!(name("hydraulic.valve_3_2"), "valve_3_2");
    assert_eq!(name("pneumatic.valve_3_2"), "air_valve_3_2");
    assert_eq!(name("pneumatic.air_valve_3_2"), "air_valve_3_2");
    assert_eq!(
        (name("electric.ground"), name("rotational.ground")),
        ("electric_ground".into(), "rotational_ground".into())
    );
    assert_eq!(name("translational.ground"), "ground");
    assert_eq!(name("hydraulic.air_valve_3_2"), "");
}

/// A component of the user has the short name; that of the library is still there under its domain.
#[test]
fn own_components_come_first() {
    let own = "[ports]\na = { domain = \"hydraulic\" }\n[equations]\nlaw = \"a.q = 0\"\n";
    let model = "[model]\nlibraries = \"own/\"\n[components]\nx = \"restrictor\"\ny = \"hydraulic.restrictor\"\nz = \"own.restrictor\"\n";
    let files = Memory::new(&[("m.toml", model), ("own/restrictor.toml", own)]);
    let model = load(&files, "m.toml", &[], &built_in()).unwrap_or_else(|e| panic!("{}", shown(&e)));
    let has = |name: &str| model.flat.find(name).is_some();
    assert!(!has("x.R") && has("y.R") && !has("z.R"));
    let wrong = Memory::new(&[("m.toml", "[components]\nx = \"hydraulic.restricter\"\n")]);
    let errors = load(&wrong, "m.toml", &[], &built_in()).unwrap_err();
    assert!(shown(&errors).contains("did you mean `hydraulic.restrictor`?"), "{}", shown(&errors));
}

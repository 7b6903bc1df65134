//! Common checks of every built-in component.

use trunnion_equations::analyse;
use trunnion_model::component::SignalDirection;
use trunnion_model::{Files, load};

use crate::{Disk, Memory, built_in, shown, whole};

#[test]
fn every_component_says_what_it_is() {
    for component in built_in().iter() {
        let name = &component.name;
        assert!(component.title != *name && component.doc.len() > 20, "{name}: title and doc");
        let folder = component.source.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let drawn = component.icon.as_ref().is_none_or(|icon| Disk.read(&format!("{folder}/{icon}")).is_ok());
        assert!(drawn, "{name}: there is no icon {:?}", component.icon);
        let bodies = std::iter::once(&component.body).chain(component.when.iter().map(|w| &w.body));
        for body in bodies {
            for p in &body.parameters {
                let whose = format!("{name}.{}", p.key.name);
                assert!(
                    !p.doc.is_empty() && (p.unit.is_some() || p.any) && p.value.is_some(),
                    "{whose}: doc, unit, default"
                );
                let b = &p.bounds;
                assert!([&b.min, &b.max, &b.above, &b.below].iter().any(|x| x.is_some()), "{whose}: range");
            }
            for port in &body.ports {
                assert!(!port.doc.is_empty(), "{name}.{}: doc", port.key.name);
            }
            for v in &body.variables {
                assert!(!v.doc.is_empty(), "{name}.{}: doc", v.key.name);
            }
        }
    }
}

/// A component alone in a model, its ports open but for those that need a mass, has as many equations as unknowns for every choice of options.
/// What fixes a potential or a velocity takes no load then, so it is left out.
#[test]
fn every_component_has_as_many_equations_as_unknowns() {
    let library = built_in();
    // The other equations of a joint are those of the mechanism it is in.
    for component in library.iter().filter(|c| c.section.is_none()) {
        let choices = component
            .options
            .iter()
            .flat_map(|o| o.choices.iter().map(|c| format!(", {} = \"{c}\"", o.key.name)));
        for option in choices.chain([String::new()]) {
            let inputs: String = component
                .body
                .ports
                .iter()
                .filter(|p| p.causality == Some(SignalDirection::In))
                .map(|p| format!(", {} = \"0\"", p.key.name.trim_end_matches('#')))
                .collect();
            let needy = component.body.ports.iter().find(|p| !p.takes.is_empty());
            let mass = needy.map(|p| format!("m = \"mass\"\n[connect]\nm = \"x.{}\"\n", p.key.name));
            let text = format!(
                "[components]\nx = {{ type = \"{}\"{option}{inputs} }}\n{}",
                component.name,
                mass.unwrap_or_default()
            );
            let files = Memory::new(&[("m.toml", &text)]);
            let model =
                load(&files, "m.toml", &[], &library).map(whole).unwrap_or_else(|e| panic!("{}", shown(&e)));
            let unknowns = model.flat.quantities.iter();
            let unknowns = unknowns
                .filter(|q| matches!(q.kind, trunnion_equations::flat::QuantityRole::Unknown { .. }))
                .count();
            assert_eq!(model.flat.equations.len(), unknowns, "{}{option}", component.name);
        }
    }
}

#[test]
fn files_stand_in_the_folder_of_their_domain() {
    for path in Disk.list("library").unwrap() {
        assert_eq!(path.split('/').count(), 3, "{path}");
    }
}

#[test]
fn a_spring_and_a_mass_swing() {
    let text = r#"
        [components]
        m = { type = "mass", m = "2 kg", v0 = "1 m/s" }
        k = { type = "spring", k = "8 N/m" }
        d = { type = "damper", c = 0.1 }
        p = { type = "force_source", F = 0 }
        w = "ground"
        [connect]
        "m" = ["k.a", "d.a", "p"]
        "w" = ["k.b", "d.b"]
    "#;
    let system = analyse(crate::good(text).flat).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(system.n_states, 3);
    assert_eq!(system.n(), 3);
}

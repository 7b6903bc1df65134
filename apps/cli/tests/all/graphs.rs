//! `trunnion graph`: pictures and lists of bond graphs.

use crate::program::{Folder, json};

/// Two masses joined by a gear: one of them follows the other.
const GEARED: &str = r#"
[bond_graph]
structure = ["SE.motor -> 1.shaft -> TF.gear -> 1.drum", "1.shaft -> I.rotor", "1.drum -> I.load", "1.drum -> R.drag"]
[bond_graph.laws]
motor = { effort = "sin(time/1 s)" }
gear = { ratio = "3" }
rotor = { flow = "p/2" }
load = { flow = "p/5" }
drag = { effort = "0.1*f" }
[run]
t_end = "1 s"
"#;

#[test]
fn graphs_come_in_all_formats() {
    let folder = Folder::new();
    folder.write("m.toml", GEARED);
    let text = folder.good(&["graph", "m.toml"]);
    assert!(
        text.starts_with("m: 5 elements, 2 junctions, 1 state, 1 more in derivative causality\n"),
        "{text}"
    );
    assert!(text.contains("note[N0002]: the flow of `load` is that of `rotor` through `gear`"), "{text}");
    let graph = json(&folder.good(&["graph", "m.toml", "--format", "json"]));
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 7);
    let load = graph["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "load").unwrap();
    assert_eq!(graph["nodes"][load]["derivative"], true);
    let bond = graph["bonds"].as_array().unwrap().iter().find(|b| b["to"] == load).unwrap();
    assert_eq!(bond["effort_from"], load);
    assert_eq!(bond["effort"], "load.e");
    let dot = folder.good(&["graph", "m.toml", "--format", "dot"]);
    assert!(dot.starts_with("digraph") && dot.contains("label=\"TF: gear\""));
    let said = folder.good(&["graph", "m.toml", "-o", "m.svg", "--full"]);
    assert!(said.starts_with("m.svg: 5 elements"), "{said}");
    let svg = folder.read("m.svg");
    assert!(svg.starts_with("<svg") && svg.contains("no state of its own"));
    folder.good(&["graph", "m.toml", "-o", "m.png"]);
}

#[test]
fn a_graph_shows_what_keeps_a_model_from_running() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        "[bond_graph]\nstructure = [\"SF.a -> 1.j -> I.m\", \"SF.b -> 1.j\"]\n[bond_graph.laws]\n\
         a = { flow = \"1\" }\nb = { flow = \"2\" }\nm = { flow = \"p\" }\n",
    );
    let text = folder.good(&["graph", "m.toml"]);
    assert!(text.contains("error[N0001]: both `a` and `b` impose the flow of `j`"), "{text}");
    assert!(folder.good(&["graph", "m.toml", "-o", "m.svg"]).contains("1 conflict"));
    folder.bad(&["check", "m.toml"], 1, &["N0001"]);
    folder.bad(&["graph", "m.toml", "-o", "m.doc"], 2, &["--format"]);
    folder.bad(&["graph", "m.toml", "--format", "png"], 2, &["-o"]);
}

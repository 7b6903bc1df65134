//! What is said of networks that cannot work, or hardly: both ends, the reason, a hint.

use crate::program::Folder;

/// `trunnion check` on a model of these components and connections; what has to be said.
fn refused(text: &str, words: &[&str]) {
    let folder = Folder::new();
    folder.write("m.toml", text);
    let words: Vec<&str> = words.iter().copied().chain(["= hint:"]).collect();
    folder.bad(&["check", "m.toml"], 1, &words);
}

/// The same of a model that works.
fn noted(text: &str, words: &[&str]) {
    let folder = Folder::new();
    folder.write("m.toml", text);
    let answer = folder.run(&["check", "m.toml"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for word in words.iter().chain(&["= hint:"]) {
        assert!(answer.err.contains(word), "`{word}` is not in\n{}", answer.err);
    }
    folder.good(&["run", "m.toml"]);
}

#[test]
fn a_mechanical_port_on_a_hydraulic_one() {
    refused(
        "[components]\nbody = \"mass\"\ngas = \"accumulator\"\n[connect]\n\"body\" = \"gas\"\n",
        &["error[M0305]", "translational", "hydraulic", "`body.flange`", "`gas.port`"],
    );
}

#[test]
fn a_flow_source_into_a_flow_source() {
    refused(
        "[components]\na = \"pump\"\nb = \"pump\"\n[connect]\n\"a.outlet\" = \"b.outlet\"\n",
        &["error[N0001]", "`a", "`b"],
    );
}

#[test]
fn parallel_accumulators_are_one_store() {
    noted(
        "[components]\none = { type = \"accumulator\" }\ntwo = { type = \"accumulator\" }\n\
         supply = { type = \"reservoir\", P = \"40 bar\" }\nvalve = \"restrictor\"\n\
         [connect]\n\"valve.b\" = [\"one\", \"two\"]\n\"supply\" = \"valve.a\"\n",
        &["note[N0002]", "one", "two"],
    );
}

#[test]
fn a_missing_parameter_and_a_wrong_unit() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("lib")).unwrap();
    folder.write(
        "lib/leak.toml",
        "[ports]\na = { domain = \"hydraulic\" }\n[parameters]\nG = { unit = \"m^3/(s Pa)\" }\n\
        [bond_graph]\nstructure = [\"a -> R.gap\"]\nlaws.gap = { flow = \"G*e\" }\n",
    );
    folder.write("m.toml", "[model]\nlibraries = [\"lib\"]\n[components]\nl = \"leak\"\ns = \"reservoir\"\n[connect]\n\"l\" = \"s\"\n");
    folder.bad(&["run", "m.toml"], 1, &["error[M0302]", "`l` needs a value for `G`", "= hint:"]);
    folder.write(
        "lib/leak.toml",
        "[ports]\na = { domain = \"hydraulic\" }\n[parameters]\nG = { unit = \"m^3/s\", default = 1 }\n\
        [bond_graph]\nstructure = [\"a -> R.gap\"]\nlaws.gap = { flow = \"G*e\" }\n",
    );
    folder.bad(&["check", "m.toml"], 1, &["error[M0107]", "lib/leak.toml:7", "expected a volume flow"]);
}

#[test]
fn bond_graphs_that_do_not_hold_together() {
    refused(
        "[bond_graph]\nstructure = [\"SE.a -> 1.j -> Q.b\"]\n[bond_graph.laws]\na = { effort = \"1\" }\n",
        &["error[M0116]", "there is no element `Q`"],
    );
    refused(
        "[bond_graph]\nstructure = [\"SE.a -> R.b\"]\n[bond_graph.laws]\na = { effort = \"1\" }\n",
        &["error[M0116]", "`b` has no law"],
    );
}

#[test]
fn a_law_that_divides_by_zero() {
    let folder = Folder::new();
    let model = |resistance: &str| {
        format!(
            "[variables]\nx = {{ unit = \"1\" }}\n[equations]\nslope = \"der(x) = a.f/1 s\"\n[bond_graph]\n\
             structure = [\"SE.a -> R.b\"]\n[bond_graph.laws]\na = {{ effort = \"1\" }}\nb = {{ flow = \"e/({resistance})\" }}\n"
        )
    };
    folder.write("m.toml", model("x"));
    folder.bad(&["run", "m.toml"], 3, &["t = 0 s"]);
    folder.write("m.toml", model("0.5 - time/1 s"));
    folder.bad(&["run", "m.toml"], 3, &["= hint:"]);
}

//! [linear_graph] with nodes of several domains: what it becomes, and what is said of wrong ones.

use trunnion_model::network::BondNodeKind;

use crate::{good, read, shown};

/// A motor between electric and rotational nodes, with what is to be tried in place of its coupling.
fn graph(coupling: &str) -> String {
    format!(
        r#"
[linear_graph]
domain    = "electric"
reference = ["ground", "frame"]

[linear_graph.elements]
battery = {{ type = "across_source", between = ["a", "ground"], across = "12 V" }}
{coupling}
load    = {{ type = "loss", domain = "rotational", between = ["shaft", "frame"], through = "0.1 N m s/rad*w" }}
"#
    )
}

fn kind_of_coupling(coupling: &str) -> BondNodeKind {
    let model = good(&graph(&format!(
        "motor = {{ {coupling}, between = [\"a\", \"ground\"], and = [\"shaft\", \"frame\"] }}"
    )));
    let found = model.network.nodes.iter().find(|n| n.name == "motor");
    found.unwrap_or_else(|| panic!("no node of the name")).kind
}

/// u = k w is a gyrator of efforts and flows, i = k w a transformer.
#[test]
fn the_kind_of_a_coupling_depends_on_what_across_is() {
    let domains = "domain = [\"electric\", \"rotational\"]";
    assert_eq!(
        kind_of_coupling(&format!("type = \"transformer\", {domains}, ratio = \"0.2 V s/rad\"")),
        BondNodeKind::Gy
    );
    assert_eq!(
        kind_of_coupling(&format!("type = \"gyrator\", {domains}, ratio = \"0.2 V/(N m)\"")),
        BondNodeKind::Tf
    );
}

fn wrong(coupling: &str, wanted: &[&str]) {
    let Err(errors) = read(&graph(coupling)) else { panic!("`{coupling}` is taken") };
    let said = shown(&errors);
    wanted.iter().for_each(|w| assert!(said.contains(w), "`{w}` is missing in\n{said}"));
}

#[test]
fn wrong_domains_are_told() {
    let at = "between = [\"a\", \"ground\"], and = [\"shaft\", \"frame\"]";
    // Both pairs electric: the load finds its node taken.
    wrong(
        &format!("motor = {{ type = \"transformer\", {at}, ratio = 2 }}"),
        &["error[M0116]: node `shaft` is in two domains", "rotational here, electric before", "= hint:"],
    );
    wrong(
        &format!(
            "motor = {{ type = \"transformer\", domain = [\"electric\", \"thermal\"], {at}, ratio = 2 }}"
        ),
        &[
            "error[M0116]: `motor` cannot couple electric and thermal",
            "across times through is not the power here",
        ],
    );
    wrong(
        &format!(
            "motor = {{ type = \"transformer\", domain = [\"electric\", \"rotary\"], {at}, ratio = 2 }}"
        ),
        &["error[M0112]: `motor` needs a `domain`", "rotational"],
    );
    wrong(
        "r = { type = \"loss\", domain = [\"electric\", \"rotational\"], between = [\"a\", \"ground\"], through = \"u/(1 Ohm)\" }",
        &["error[M0116]: `r` has 2 domains"],
    );
    wrong(
        "r = { type = \"loss\", domain = \"hydraulic\", between = [\"a\", \"ground\"], through = \"p/(1 Pa s/m^3)\" }",
        &["node `a` is in two domains", "hydraulic here, electric before"],
    );
}

#[test]
fn ratios_have_the_units_of_both_domains() {
    let at = "domain = [\"electric\", \"rotational\"], between = [\"a\", \"ground\"], and = [\"shaft\", \"frame\"]";
    wrong(&format!("motor = {{ type = \"transformer\", {at}, ratio = \"0.2 V/(N m)\" }}"), &["ratio"]);
    wrong(&format!("motor = {{ type = \"gyrator\", {at}, ratio = \"0.2 V s/rad\" }}"), &["ratio"]);
}

#[test]
fn without_a_common_domain_every_element_names_its_own() {
    let text = "[linear_graph]\nreference = \"g\"\n[linear_graph.elements]\n\
        s = { type = \"across_source\", domain = \"electric\", between = [\"a\", \"g\"], across = \"1 V\" }\n";
    good(&format!(
        "{text}r = {{ type = \"loss\", domain = \"electric\", between = [\"a\", \"g\"], through = \"u/(1 Ohm)\" }}\n"
    ));
    let said = shown(
        &read(&format!(
            "{text}r = {{ type = \"loss\", between = [\"a\", \"g\"], through = \"u/(1 Ohm)\" }}\n"
        ))
        .err()
        .unwrap_or_default(),
    );
    assert!(said.contains("error[M0112]: `r` needs a `domain`"), "{said}");
    let said =
        shown(&read(&text.replace("reference = \"g\"", "reference = \"h\"")).err().unwrap_or_default());
    assert!(said.contains("no element is at the reference `h`"), "{said}");
}

//! Components that are nothing but files in a folder of the user's.

use crate::program::Folder;

const ICON: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M4 16h24"/></svg>"#;

/// f = k x + h x |x| and its inverse.
const SPRING: &str = r#"title   = "Progressive spring"
aliases = ["PSP"]
icon    = "icon.svg"
doc     = """
Spring that hardens towards both sides.

    f = k x + h x |x|                                                        (1)

Sign:    x > 0 and f > 0 are compression.
Assumes: no mass, no damping.
Limits:  none.
"""

[ports]
a = { domain = "translational", doc = "One end" }
b = { domain = "translational", doc = "Other end" }

[parameters]
k  = { unit = "N/m", default = 100, above = 0, doc = "Stiffness at rest" }
h  = { unit = "N/m^2", default = 600, above = 0, doc = "Hardening" }
x0 = { unit = "m", default = 0, min = -1, max = 1, doc = "Compression at the start" }

[bond_graph]
structure   = ["a -> 0.force -> b", "0.force -> C.spring"]

[bond_graph.laws.spring]
effort       = "k*q + h*signed_square(q)"
displacement = "2*e/(k + sqrt(k^2 + 4*h*abs(e)))"
state        = "x"
start        = "x0"
"#;

const CYLINDER: &str = r#"title = "Leaky cylinder"
icon  = "icon.svg"
doc   = """
Cylinder whose piston leaks.

    f = A Δp,   q = A v + G Δp                                            (1)

Sign:    v > 0 fills the side of `left`.
Assumes: rigid oil, no friction.
Limits:  the stroke has no end.
"""

[ports]
left  = { domain = "hydraulic", doc = "Oil of one side" }
right = { domain = "hydraulic", doc = "Oil of the other side" }
rod   = { domain = "translational", doc = "Rod" }

[options]
leak = { default = true, doc = "Whether the piston leaks" }

[parameters]
A = { unit = "m^2", default = "10 cm^2", above = 0, doc = "Area of the piston" }

[bond_graph]
structure   = ["left -> 1.across -> right", "1.across -> 0.piston -> TF.area -> rod"]
laws.area   = { ratio = "1/A" }

[[when]]
option = "leak"
is     = true

[when.parameters]
G = { unit = "m^3/(s Pa)", default = 1e-11, above = 0, doc = "Leakage per pressure" }

[when.bond_graph]
structure = ["0.piston -> R.gap"]
laws.gap  = { flow = "G*e", effort = "f/G" }
"#;

const MODEL: &str = r#"[model]
libraries = ["parts"]

[components]
s = { type = "progressive_spring", x0 = "0.1 m" }
m = { type = "mass", m = "2 kg" }
g = "ground"
c = { type = "leaky_cylinder" }
p = { type = "reservoir", P = "2 bar" }
t = { type = "reservoir", P = "1 bar" }

[connect]
"s.a"     = ["m", "c.rod"]
"s.b"     = "g"
"p"       = "c.left"
"t"       = "c.right"

[run]
t_end = "1 s"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("parts/deep")).unwrap();
    folder.write("parts/progressive_spring.toml", SPRING).write("parts/icon.svg", ICON);
    folder.write("parts/deep/leaky_cylinder.toml", CYLINDER).write("parts/deep/icon.svg", ICON);
    folder.write("model.toml", MODEL);
    folder
}

#[test]
fn they_work_in_every_command() {
    let folder = folder();
    let said = folder.good(&["check", "model.toml", "parts"]);
    assert!(said.contains("model.toml: no errors"), "{said}");
    assert!(said.contains("2 components: no errors"), "{said}");
    folder.good(&["run", "model.toml", "-o", "out.csv"]);
    assert!(folder.read("out.csv").contains("s.x"));
    let equations = folder.good(&["equations", "model.toml"]);
    assert!(equations.contains("s.k*s.x") && equations.contains("der(s.x)"), "{equations}");
    assert!(folder.good(&["graph", "model.toml"]).contains("s.spring"));
    folder.good(&["graph", "model.toml", "-o", "graph.svg"]);
    let energy = folder.good(&["energy", "model.toml"]);
    assert!(energy.contains("c.gap") && energy.contains("s.spring"), "{energy}");
}

#[test]
fn the_progressive_spring_swings_as_it_should() {
    // ½ m v² + ½ k x² + ⅓ h |x|³ is kept.
    let folder = folder();
    let lines: Vec<&str> =
        MODEL.lines().filter(|l| !l.contains("leaky") && !l.contains("reservoir")).collect();
    let alone = lines.join("\n").replace("[\"m\", \"c.rod\"]", "\"m\"");
    let alone = alone.replace("\"p\"       = \"c.left\"\n\"t\"       = \"c.right\"\n", "");
    let kept = "[outputs]\ne = { value = \"m.m*m.v^2/2 + s.k*s.x^2/2 + s.h*abs(s.x)^3/3\", unit = \"J\" }\n";
    let model = format!("{alone}\n{kept}");
    folder.write("alone.toml", model);
    folder.good(&["run", "alone.toml", "--rtol", "1e-9", "-o", "alone.csv"]);
    let table = folder.read("alone.csv");
    let mut rows = table.lines().filter(|l| !l.starts_with('#'));
    let column =
        rows.next().unwrap().split(',').position(|name| name.trim_matches('"').starts_with('e')).unwrap();
    let energies: Vec<f64> = rows.filter_map(|l| l.split(',').nth(column)?.parse().ok()).collect();
    // ½·100·0.1² + ⅓·600·0.1³ = 0.7 J.
    assert!(energies.len() > 100);
    assert!(energies.iter().all(|e| (e - 0.7).abs() < 1e-6), "{energies:?}");
}

#[test]
fn pages_are_made_from_their_files() {
    let folder = folder();
    let page = folder.good(&["page", "parts/progressive_spring.toml"]);
    for words in [
        "# Progressive spring",
        "![Progressive spring](icon.svg)",
        "`progressive_spring`, also `PSP`",
        "f = k x + h x |x|",
        "| `a` | translational | One end |",
        "| `k` | N/m | 100 | > 0 | Stiffness at rest |",
        "| `x0` | m | 0 | ≥ -1, ≤ 1 | Compression at the start |",
        "| `x` | m | State: displacement of spring |",
        "a -> 0.force -> b",
        "`e = k*q + h*signed_square(q)`",
        "`q = 2*e/(k + sqrt(k^2 + 4*h*abs(e)))`",
        "x = { type = \"progressive_spring\", k = 100, h = 600, x0 = 0 }",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    folder.good(&["page", "parts/deep/leaky_cylinder.toml", "-o", "page.html"]);
    let html = folder.read("page.html");
    for words in [
        "<title>Leaky cylinder</title>",
        "<svg",
        "With <code>leak</code> = <code>true</code>",
        "<code>f = G*e</code>",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    folder.good(&["page", "accumulator", "-o", "acc.md"]);
    assert!(folder.read("acc.md").contains("V0*(1 - (P0/e)^(1/n))"));
    assert!(folder.read("accumulator.svg").contains("<svg"));
    folder.bad(&["page", "acumulator"], 2, &["no component `acumulator`", "did you mean `accumulator`?"]);
    folder.bad(&["page", "model.toml"], 2, &["`model.toml` is no component", "= hint:"]);
    folder.bad(&["page", "missing.toml"], 4, &["no such file"]);
    folder.bad(&["page", "pump", "-o", "pump.pdf"], 2, &["neither .md nor .html"]);
}

const WRONG: &str = r#"error[L13]: expected a force, found a stiffness
  --> parts/progressive_spring.toml:27:23
27 | effort       = "k*q + h*q"
   |                       ^^^ in N/m, but `k * q` is in N
  --> model.toml:5:1
 5 | s = { type = "progressive_spring", x0 = "0.1 m" }
   | ^ used for `s`

1 error
"#;

#[test]
fn an_error_is_shown_once_in_the_component_and_names_who_uses_it() {
    let folder = folder();
    let twice = MODEL.replace("g = \"ground\"", "g = \"ground\"\nz = { type = \"progressive_spring\" }");
    let twice = twice.replace("\"s.b\"     = \"g\"", "\"s.b\"     = [\"g\", \"z.a\", \"z.b\"]");
    folder.write("model.toml", twice);
    folder.write("parts/progressive_spring.toml", SPRING.replace("k*q + h*signed_square(q)", "k*q + h*q"));
    for command in ["check", "run", "equations"] {
        assert_eq!(folder.bad(&[command, "model.toml"], 1, &[]).err, WRONG);
    }
}

#[test]
fn the_index_of_the_library_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/library.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        page == trunnion::commands::components::index(),
        "trunnion components --markdown > docs/reference/library.md"
    );
}

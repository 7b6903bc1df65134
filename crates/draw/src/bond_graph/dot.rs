//! For Graphviz: half arrows in the direction of power, a tee at the end that receives the effort.

use std::fmt::Write;

use trunnion_model::network::BondNodeKind;

use super::BondGraphView;

pub fn render(view: &BondGraphView) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out =
        format!("digraph {} {{\n  rankdir=LR;\n  node [shape=plaintext];\n", quoted(&view.model.name));
    for (k, node) in view.graph.nodes.iter().enumerate() {
        let label = match node.kind {
            BondNodeKind::Zero | BondNodeKind::One => node.symbol(),
            _ => format!("{}: {}", node.symbol(), node.name),
        };
        let colour = if node.conflict {
            ", fontcolor=red"
        } else if node.derivative {
            ", fontcolor=orange"
        } else if node.looped {
            ", fontcolor=purple"
        } else {
            ""
        };
        // Writing to memory cannot fail.
        let _ = writeln!(out, "  n{k} [label={}, tooltip={}{colour}];", quoted(&label), quoted(&node.name));
    }
    for bond in &view.graph.bonds {
        let (head, tail) = if bond.from_gives_effort { ("teelvee", "none") } else { ("lvee", "tee") };
        let _ =
            writeln!(out, "  n{} -> n{} [dir=both, arrowhead={head}, arrowtail={tail}];", bond.from, bond.to);
    }
    out + "}\n"
}

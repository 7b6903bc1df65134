//! The bonds as a table, and what was found.

use std::collections::HashSet;

use trunnion_model::network::BondNodeKind;

use super::BondGraphView;
use crate::listing::{Align, Listing};
use trunnion_num::text::count;

pub fn render(view: &BondGraphView) -> String {
    let graph = &view.graph;
    let head = ["bond", "from", "to", "domain", "effort from", "effort", "flow"];
    let mut listing = Listing::new(head.map(|h| (h, if h == "bond" { Align::Right } else { Align::Left })));
    let shown = |n: usize| format!("{}: {}", graph.nodes[n].symbol(), graph.nodes[n].name);
    for (k, bond) in graph.bonds.iter().enumerate() {
        let giver = if bond.from_gives_effort { bond.from } else { bond.to };
        let (effort, flow) = view.variables(bond.of);
        let domain = bond.domain.map_or("", |d| d.name).to_string();
        listing.push([
            (k + 1).to_string(),
            shown(bond.from),
            shown(bond.to),
            domain,
            shown(giver),
            effort,
            flow,
        ]);
    }
    let mut text = format!("{}: {}\n\n", view.model.name, summary(view));
    for line in listing.lines() {
        text += &line;
        text.push('\n');
    }
    if !graph.dropped.is_empty() {
        text += &format!("\nleft out, as they give zero: {}\n", graph.dropped.join(", "));
    }
    for finding in &view.findings {
        text += &format!("\n{finding}");
    }
    text
}

/// "7 elements, 3 junctions, 2 states, 1 store without a state of its own".
pub fn summary(view: &BondGraphView) -> String {
    let nodes = &view.graph.nodes;
    let junctions = nodes.iter().filter(|n| matches!(n.kind, BondNodeKind::Zero | BondNodeKind::One)).count();
    // A tank drawn several times is one.
    let all: HashSet<usize> = nodes.iter().map(|n| n.of).collect();
    let stores: Vec<usize> =
        (0..nodes.len()).filter(|&n| matches!(nodes[n].kind, BondNodeKind::C | BondNodeKind::I)).collect();
    let bonds = view.graph.bonds.iter().flat_map(|b| [b.from, b.to]).filter(|n| stores.contains(n)).count();
    let found = &view.causality;
    let mut parts = vec![
        count(all.len() - junctions, "element"),
        count(junctions, "junction"),
        count(bonds - found.derivative.len().min(bonds), "state"),
    ];
    let tied = found.derivative.len();
    if tied > 0 {
        parts.push(format!("{tied} more in derivative causality"));
    }
    for (n, what) in [(found.loops.len(), "algebraic loop"), (found.conflicts.len(), "conflict")] {
        if n > 0 {
            parts.push(count(n, what));
        }
    }
    parts.join(", ")
}

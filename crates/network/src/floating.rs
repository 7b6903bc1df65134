//! Parts of a network in which only differences of the across variable are known: a circuit without ground.
//!
//! Nodes are the junctions with a common across variable (0, in mechanics 1); the other junctions pass on differences of two of them. A part
//! floats where every such junction has as many bonds towards it as away from it, and nothing else than sources of the through variable
//! is joined to a node: the same number could be added to all its potentials.

use trunnion_model::domain::{Connector, Domain};
use trunnion_model::network::{BondNodeKind, Network};
use trunnion_model::{Diagnostic, Sources};

/// Components named in a message.
const NAMED: usize = 6;

/// A message for each part that floats.
pub fn floating(network: &Network, sources: &Sources) -> Vec<Diagnostic> {
    let incident = network.incident();
    let mut seen = vec![false; network.nodes.len()];
    let mut found = vec![];
    for start in 0..network.nodes.len() {
        let domain = incident[start].iter().find_map(|&b| network.bonds[b].domain);
        let Some((domain, kinds)) = domain.and_then(|d| Some((d, Kinds::of(d)?))) else { continue };
        if seen[start] || network.nodes[start].kind != kinds.node {
            continue;
        }
        let mut part = vec![start];
        let mut floats = true;
        seen[start] = true;
        let mut at = 0;
        while let Some(&node) = part.get(at) {
            let mut balance = 0;
            for &b in &incident[node] {
                let bond = &network.bonds[b];
                let other = if bond.from == node { bond.to } else { bond.from };
                let (here, there) = (network.nodes[node].kind, network.nodes[other].kind);
                floats &= bond.domain == Some(domain) || here != kinds.node;
                if there == kinds.node || here == kinds.node && there == kinds.difference {
                    balance += if bond.from == node { 1 } else { -1 };
                    if !std::mem::replace(&mut seen[other], true) {
                        part.push(other);
                    }
                } else if here == kinds.node {
                    floats &= there == kinds.source;
                } else {
                    // Two junctions of differences in a row: nothing is said of them.
                    floats &= there != kinds.difference;
                }
            }
            floats &= network.nodes[node].kind == kinds.node || balance == 0;
            at += 1;
        }
        if floats && part.len() > 1 {
            found.push(message(network, sources, domain, &part));
        }
    }
    found
}

/// What the kinds of a bond graph are in a domain.
struct Kinds {
    node: BondNodeKind,
    difference: BondNodeKind,
    /// Source of the through variable.
    source: BondNodeKind,
}

impl Kinds {
    fn of(domain: &Domain) -> Option<Kinds> {
        match domain.connector {
            Connector::Power { across_is_effort: true, .. } => Some(Kinds {
                node: BondNodeKind::Zero,
                difference: BondNodeKind::One,
                source: BondNodeKind::Sf,
            }),
            Connector::Power { .. } => Some(Kinds {
                node: BondNodeKind::One,
                difference: BondNodeKind::Zero,
                source: BondNodeKind::Se,
            }),
            Connector::Signal => None,
        }
    }
}

fn message(network: &Network, sources: &Sources, domain: &Domain, part: &[usize]) -> Diagnostic {
    let mut names: Vec<String> = vec![];
    for &node in part {
        let component = &network.nodes[node].origin.component;
        let name = format!("`{component}`");
        if !component.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let whose = match names.split_last() {
        None => "this part".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    };
    let Connector::Power { across, .. } = domain.connector else {
        return Diagnostic::error("N0006", format!("nothing fixes {whose}"));
    };
    let across = across.doc.to_lowercase();
    let hint = match domain.ground {
        "" => "connect a source that fixes it".to_string(),
        ground => format!("add `ground = {{ type = \"{ground}\" }}` and connect it to one of their ports"),
    };
    let error = Diagnostic::error("N0006", format!("nothing fixes the {across} of {whose}"));
    let place =
        part.iter().find(|&&n| network.nodes[n].connection && network.nodes[n].origin.component.is_empty());
    let place = &network.nodes[*place.unwrap_or(&part[0])].origin;
    error.at_origin(sources, place, "only differences are known").hint(hint)
}

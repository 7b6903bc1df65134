//! Bond graphs for tests, from texts such as "SE.a -> 1.j -> R.r".

use std::collections::HashMap;

use trunnion_equations::flat::Origin;
use trunnion_equations::{Expr, Graph};
use trunnion_model::domain::domain;
use trunnion_model::network::{Bond, Kind, Law, Network, Node};

const KINDS: [Kind; 10] = [
    Kind::Se,
    Kind::Sf,
    Kind::I,
    Kind::C,
    Kind::R,
    Kind::Tf,
    Kind::Gy,
    Kind::Zero,
    Kind::One,
    Kind::Equations,
];

/// Some expression: causality looks only at which forms there are.
pub fn some_law() -> Expr {
    Graph::new().constant(1.0).id
}

/// A name is "component.element"; all bonds are of the domain named.
pub fn network_of(domain_name: &str, chains: &[&str]) -> Network {
    let mut network = Network::default();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for chain in chains {
        let nodes: Vec<usize> = chain
            .split("->")
            .map(|text| {
                let text = text.trim();
                *known.entry(text).or_insert_with(|| {
                    network.nodes.push(node(text));
                    network.nodes.len() - 1
                })
            })
            .collect();
        for ends in nodes.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            network.bonds.push(Bond { from, to, pairs: vec![], domain: domain(domain_name) });
        }
    }
    network
}

fn node(text: &str) -> Node {
    let (word, name) = text.split_once('.').unwrap();
    let kind = *KINDS.iter().find(|k| k.word() == word).unwrap();
    let mut law = Law::default();
    let both = kind == Kind::R;
    if both || matches!(kind, Kind::Se | Kind::C) {
        law.effort.push(some_law());
    }
    if both || matches!(kind, Kind::Sf | Kind::I) {
        law.flow.push(some_law());
    }
    let component = name.split_once('.').map_or("", |c| c.0).to_string();
    let origin = Origin { component, ..Origin::default() };
    Node { kind, name: name.into(), component: String::new(), origin, law, connection: false }
}

/// Index of the node with this name.
pub fn at(network: &Network, name: &str) -> usize {
    network.nodes.iter().position(|n| n.name == name).unwrap()
}

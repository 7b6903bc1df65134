//! Bond graphs for tests, from texts such as "SE.a -> 1.j -> R.r".

use std::collections::HashMap;

use trunnion_equations::flat::Origin;
use trunnion_equations::{Expr, Graph};
use trunnion_model::domain::domain;
use trunnion_model::network::{Bond, BondNode, BondNodeKind, Law, Network};

const KINDS: [BondNodeKind; 11] = [
    BondNodeKind::Se,
    BondNodeKind::Sf,
    BondNodeKind::I,
    BondNodeKind::C,
    BondNodeKind::R,
    BondNodeKind::Tf,
    BondNodeKind::Gy,
    BondNodeKind::Zero,
    BondNodeKind::One,
    BondNodeKind::Equations,
    BondNodeKind::Motion,
];

/// The graph of all laws in tests: one, and zero for what is called ground.
pub fn laws() -> (Graph, [Expr; 2]) {
    let graph = Graph::new();
    let constants = [1.0, 0.0].map(|x| graph.constant(x).id);
    (graph, constants)
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

fn node(text: &str) -> BondNode {
    let (word, name) = text.split_once('.').unwrap();
    let kind = *KINDS.iter().find(|k| k.word() == word).unwrap();
    let mut law = Law { modulated: name.contains("signal"), ..Law::default() };
    let some = laws().1[usize::from(name.contains("ground"))];
    let both = kind == BondNodeKind::R;
    if both || matches!(kind, BondNodeKind::Se | BondNodeKind::C) {
        law.effort.push(some);
    }
    if both || matches!(kind, BondNodeKind::Sf | BondNodeKind::I) {
        law.flow.push(some);
    }
    let component = name.split_once('.').map_or("", |c| c.0).to_string();
    let origin = Origin { component, ..Origin::default() };
    BondNode { kind, name: name.into(), component: String::new(), origin, law, connection: false }
}

/// Index of the node with this name.
pub fn at(network: &Network, name: &str) -> usize {
    network.nodes.iter().position(|n| n.name == name).unwrap()
}

/// Rules (1) to (5) of causality at every node.
pub fn rules_hold(network: &Network, from_gives_effort: &[bool]) -> Result<(), String> {
    for (node, n) in network.nodes.iter().enumerate() {
        let bonds = &network.incident()[node];
        let giving =
            bonds.iter().filter(|&&b| from_gives_effort[b] == (network.bonds[b].from == node)).count();
        let holds = match n.kind {
            BondNodeKind::Se => giving == bonds.len(),
            BondNodeKind::Sf => giving == 0,
            BondNodeKind::Zero => bonds.is_empty() || bonds.len() - giving == 1,
            BondNodeKind::One => bonds.is_empty() || giving == 1,
            BondNodeKind::Tf => giving == 1,
            BondNodeKind::Gy => giving != 1,
            _ => true,
        };
        if !holds {
            return Err(format!(
                "{} {}: gives {giving} efforts on {} bonds",
                n.kind.word(),
                n.name,
                bonds.len()
            ));
        }
    }
    Ok(())
}

pub struct RandomGraphNoise(pub u64);

impl RandomGraphNoise {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// A tree: junctions, some behind a transformer or gyrator, and elements at them; every leaf is an element.
pub fn random_tree(noise: &mut RandomGraphNoise, size: usize) -> Network {
    const ENDS: [&str; 5] = ["I", "C", "R", "EQ", "R"];
    let mut texts: Vec<String> = vec![];
    let mut junctions: Vec<String> = vec![format!("{}.j0", noise.below(2))];
    for k in 1..size {
        let from = junctions[noise.below(junctions.len())].clone();
        match noise.below(4) {
            0 => {
                let to = format!("{}.j{k}", noise.below(2));
                match noise.below(3) {
                    0 => texts.push(format!("{from} -> TF.t{k} -> {to}")),
                    1 => texts.push(format!("{from} -> GY.g{k} -> {to}")),
                    _ => texts.push(format!("{from} -> {to}")),
                }
                // No open ends.
                texts.push(format!("{to} -> R.r{k}"));
                junctions.push(to);
            }
            _ => texts.push(format!("{from} -> {}.x{k}", ENDS[noise.below(ENDS.len())])),
        }
    }
    texts.push(format!("{} -> R.last", junctions[0]));
    texts.push(format!("{}.source -> {}", ["SE", "SF"][noise.below(2)], junctions[0]));
    network_of("", &texts.iter().map(String::as_str).collect::<Vec<_>>())
}

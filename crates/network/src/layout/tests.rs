use super::pixels::{meets, overlap};
use super::*;
use crate::build::{laws, network_of};
use crate::{BondGraph, assign};

fn drawn(chains: &[&str]) -> BondGraph {
    let network = network_of("hydraulic", chains);
    BondGraph::simplified(&network, &assign(&network), &laws().0)
}

/// Widths as common fonts have them.
fn sizes(graph: &BondGraph) -> Vec<Size> {
    let size = |n: &crate::DrawnNode| Size {
        symbol: 11.0 * n.symbol().len() as f64,
        name: if n.connection { 0.0 } else { 6.5 * n.name.len() as f64 },
    };
    graph.nodes.iter().map(size).collect()
}

fn is_clean(graph: &BondGraph) {
    let picture = layout(graph, &sizes(graph));
    for (a, one) in picture.nodes.iter().enumerate() {
        let inside = one.area[0] >= -0.01 && one.area[2] <= picture.width + 0.01;
        assert!(inside && one.area[3] <= picture.height + 0.01);
        for (b, two) in picture.nodes.iter().enumerate().skip(a + 1) {
            let (a, b) = (&graph.nodes[a].name, &graph.nodes[b].name);
            assert!(!overlap(&one.area, &two.area), "{a} and {b}");
        }
    }
    for (bond, line) in graph.bonds.iter().zip(&picture.bonds) {
        let length = (line.to.0 - line.from.0).hypot(line.to.1 - line.from.1);
        assert!(length > 14.0, "{} to {}", graph.nodes[bond.from].name, graph.nodes[bond.to].name);
        for (n, node) in picture.nodes.iter().enumerate().filter(|(n, _)| *n != bond.from && *n != bond.to) {
            assert!(!meets(line, &node.area), "a bond over {}", graph.nodes[n].name);
        }
    }
}

/// Ten elements: a motor with a gear and a load.
const MOTOR: &[&str] = &[
    "SE.supply.u -> 1.motor.i -> GY.motor.k -> 1.motor.w",
    "1.motor.i -> I.motor.inductance",
    "1.motor.i -> R.motor.resistance",
    "1.motor.w -> I.motor.rotor",
    "1.motor.w -> R.motor.friction",
    "1.motor.w -> 0.shaft.torque -> TF.gear.ratio -> 1.load.w",
    "0.shaft.torque -> C.shaft.twist",
    "1.load.w -> I.load.inertia",
    "1.load.w -> R.load.drag",
    "SE.load.signal -> 1.load.w",
];

/// A chain of so many volumes and lines with elements at each.
fn chain(sections: usize) -> Vec<String> {
    let mut texts = vec!["SF.pump.flow -> 0.v0.p".to_string()];
    for k in 0..sections {
        texts.push(format!("0.v{k}.p -> C.v{k}.oil"));
        texts.push(format!("0.v{k}.p -> 1.line{k}.q -> 0.v{}.p", k + 1));
        texts.push(format!("1.line{k}.q -> R.line{k}.loss"));
        texts.push(format!("1.line{k}.q -> I.line{k}.inertia"));
        if k % 3 == 1 {
            texts.push(format!("0.v{k}.p -> 1.valve{k}.q -> SE.tank{k}.p"));
            texts.push(format!("1.valve{k}.q -> R.valve{k}.signal"));
        }
        if k % 4 == 2 {
            texts.push(format!("0.v{k}.p -> TF.cyl{k}.area -> 1.mass{k}.v"));
            texts.push(format!("1.mass{k}.v -> I.mass{k}.m"));
            texts.push(format!("SE.mass{k}.weight -> 1.mass{k}.v"));
        }
    }
    texts.push(format!("0.v{sections}.p -> C.v{sections}.oil"));
    texts
}

fn of(texts: &[String]) -> BondGraph {
    drawn(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn pictures_are_clean() {
    let motor = drawn(MOTOR);
    is_clean(&motor);
    let again = || layout(&motor, &sizes(&motor));
    assert_eq!(again(), again());
    for (sections, elements) in [(5, 25), (9, 40)] {
        let graph = of(&chain(sections));
        let count =
            graph.nodes.iter().filter(|n| !matches!(n.kind, BondNodeKind::Zero | BondNodeKind::One)).count();
        assert!(count.abs_diff(elements) <= 3, "{count}");
        is_clean(&graph);
    }
}

#[test]
fn parts_that_are_not_joined_stand_apart() {
    is_clean(&drawn(&["SE.a -> 1.j", "1.j -> R.b", "1.j -> I.c", "SF.d -> 0.k", "0.k -> C.e", "0.k -> R.f"]));
}

#[test]
fn small_and_odd_graphs() {
    assert_eq!(layout(&BondGraph::default(), &[]), GraphLayout::default());
    is_clean(&drawn(&["SE.a -> R.b"]));
    // Two bonds between the same nodes lie side by side.
    let graph = drawn(&["EQ.box -> 0.j", "EQ.box -> 0.j", "0.j -> C.c"]);
    let picture = layout(&graph, &sizes(&graph));
    assert_ne!(picture.bonds[0].from, picture.bonds[1].from);
}

//! Where the nodes and bonds of a picture go.
//!
//! Nodes sit on a grid. A cost counts what a reader dislikes: long and slanted bonds, crossings, bonds that run over
//! nodes; from a spanning tree as a start it is lowered by random moves that become ever stricter
//! [Davidson1996]. Then rows and columns get the sizes that labels need. The same graph gives the same picture: the
//! random numbers have a fixed seed, and all arithmetic is exact or correctly rounded.

mod anneal;
mod pixels;
mod start;
#[cfg(test)]
mod tests;

use trunnion_model::network::BondNodeKind;

use crate::simplify::BondGraph;

/// Widths of what is written at a node, in px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// "MTF".
    pub symbol: f64,
    /// The name, in the font of names; 0: none.
    pub name: f64,
}

/// Left, top, right, bottom.
pub type Area = [f64; 4];

/// How symbol and name stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelSide {
    /// "C: gas" from the node's point to the right, or up to the point from the left.
    Right,
    Left,
    /// The symbol on the point, the name below or above.
    Below,
    Above,
    /// The symbol on the point, no name beside it.
    Alone,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlacedNode {
    /// Centre of the symbol; the end of the text where it stands to the left.
    pub at: (f64, f64),
    pub side: LabelSide,
    /// Half the width of the symbol.
    pub half: f64,
    /// Symbol, and name where it is part of the node.
    pub area: Area,
    /// Where the name of a junction begins its line, if there is room for it.
    pub name_at: Option<Area>,
    /// Where the signal of a modulated element comes from.
    pub signal_from: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondLine {
    pub from: (f64, f64),
    pub to: (f64, f64),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    pub width: f64,
    pub height: f64,
    pub nodes: Vec<PlacedNode>,
    pub bonds: Vec<BondLine>,
}

/// Heights of symbols and names.
const SYMBOL: f64 = 18.0;
const NAME: f64 = 13.0;

/// Parts that are not connected stand side by side up to this width, then below each other.
const WIDE: f64 = 1200.0;
const BETWEEN: f64 = 48.0;
/// Placements tried, but for graphs that are too large to be read anyway.
const ATTEMPTS: u64 = 4;
const LARGE: usize = 300;

pub fn layout(graph: &BondGraph, sizes: &[Size]) -> GraphLayout {
    let mut whole = GraphLayout {
        nodes: vec![pixels::unplaced(); graph.nodes.len()],
        bonds: vec![BondLine { from: (0.0, 0.0), to: (0.0, 0.0) }; graph.bonds.len()],
        ..GraphLayout::default()
    };
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    for part in parts(graph) {
        let picture = best(&part, sizes);
        if x > 0.0 && x + picture.width > WIDE {
            (x, y, row_height) = (0.0, y + row_height + BETWEEN, 0.0);
        }
        for (node, placed) in part.nodes.iter().zip(picture.nodes) {
            whole.nodes[*node] = pixels::moved(placed, x, y);
        }
        for (bond, line) in part.bonds.iter().zip(picture.bonds) {
            let by = |p: (f64, f64)| (p.0 + x, p.1 + y);
            whole.bonds[bond.index] = BondLine { from: by(line.from), to: by(line.to) };
        }
        whole.width = whole.width.max(x + picture.width);
        whole.height = whole.height.max(y + picture.height);
        x += picture.width + BETWEEN;
        row_height = row_height.max(picture.height);
    }
    whole
}

/// A connected part, with its own numbering.
struct PartGraph<'a> {
    graph: &'a BondGraph,
    /// Nodes of the whole.
    nodes: Vec<usize>,
    bonds: Vec<Join>,
    /// Bonds of each node.
    incident: Vec<Vec<usize>>,
}

#[derive(Clone, Copy)]
struct Join {
    /// Nodes of the part.
    from: usize,
    to: usize,
    /// Bond of the whole.
    index: usize,
}

impl PlacedNode {
    /// Centre of the symbol.
    pub fn symbol_at(&self) -> (f64, f64) {
        pixels::symbol_at(self)
    }
}

impl PartGraph<'_> {
    fn kind(&self, node: usize) -> BondNodeKind {
        self.graph.nodes[self.nodes[node]].kind
    }

    fn far(&self, bond: usize, node: usize) -> usize {
        let b = self.bonds[bond];
        if b.from == node { b.to } else { b.from }
    }

    fn is_junction(&self, node: usize) -> bool {
        matches!(self.kind(node), BondNodeKind::Zero | BondNodeKind::One)
    }

    /// An element with one bond.
    fn is_leaf(&self, node: usize) -> bool {
        self.incident[node].len() <= 1 && !self.is_junction(node)
    }
}

fn parts(graph: &BondGraph) -> Vec<PartGraph<'_>> {
    let incident = graph.incident();
    let mut number = vec![usize::MAX; graph.nodes.len()];
    let mut parts = vec![];
    for root in 0..graph.nodes.len() {
        if number[root] != usize::MAX {
            continue;
        }
        let mut nodes = vec![root];
        let mut bonds = vec![];
        number[root] = 0;
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            for &b in &incident[node] {
                let bond = &graph.bonds[b];
                for end in [bond.from, bond.to] {
                    if number[end] == usize::MAX {
                        number[end] = nodes.len();
                        nodes.push(end);
                    }
                }
                bonds.push(b);
            }
            at += 1;
        }
        bonds.sort_unstable();
        bonds.dedup();
        let join = |&index: &usize| {
            let b = &graph.bonds[index];
            Join { from: number[b.from], to: number[b.to], index }
        };
        let bonds: Vec<Join> = bonds.iter().map(join).collect();
        let mut own = vec![vec![]; nodes.len()];
        for (k, b) in bonds.iter().enumerate() {
            own[b.from].push(k);
            if b.to != b.from {
                own[b.to].push(k);
            }
        }
        parts.push(PartGraph { graph, nodes, bonds, incident: own });
    }
    parts
}

/// The best of a few placements: no labels disturbed, few crossings, little cost.
fn best(part: &PartGraph, sizes: &[Size]) -> GraphLayout {
    let sizes: Vec<Size> = part.nodes.iter().map(|&n| sizes[n]).collect();
    let start = start::place(part);
    let attempts = if part.nodes.len() > LARGE { 1 } else { ATTEMPTS };
    let mut best: Option<((usize, usize), i64, GraphLayout)> = None;
    for seed in 0..attempts {
        let (grid, cost) = anneal::improve(part, start.clone(), seed);
        let picture = pixels::picture(part, &grid, &sizes);
        let faults = pixels::faults(part, &picture);
        if best.as_ref().is_none_or(|b| (faults, cost) < (b.0, b.1)) {
            best = Some((faults, cost, picture));
        }
        // Hardly a bond is longer than it must be.
        if faults == (0, 0) && cost <= 2 * part.bonds.len() as i64 {
            break;
        }
    }
    best.map(|b| b.2).unwrap_or_default()
}

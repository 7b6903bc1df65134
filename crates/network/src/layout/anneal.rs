//! Random moves on the grid, accepted while they do not raise the cost by more than a threshold that sinks to zero.
//!
//!   cost = Σ bonds (length + slant + direction) + 6 · crossings + 9 · bonds over nodes                    (1)

use trunnion_model::network::BondNodeKind;

use super::PartGraph;
use super::start::GridCell;

const CROSSING: i64 = 60;
const OVER: i64 = 90;
/// Moves tried per node, while the whole stays below so many looks at bonds and nodes.
const MOVES: usize = 2000;
const WORK: usize = 60_000_000;
/// First threshold, in tenths as all costs: a crossing and a bond two cells too long.
const HOT: f64 = 80.0;
/// Free cells around the first placement.
const ROOM: i32 = 6;
const NO_NODE: usize = usize::MAX;

struct AnnealingNoise(u64);

impl AnnealingNoise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }

    /// From −r to r.
    fn step(&mut self, r: i32) -> i32 {
        self.below(2 * r as usize + 1) as i32 - r
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }
}

/// The best placement found, and its cost.
pub(crate) fn improve(part: &PartGraph, start: Vec<GridCell>, seed: u64) -> (Vec<GridCell>, i64) {
    let n = part.nodes.len();
    let mut board = Board::new(part, start);
    let mut noise = AnnealingNoise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let looks = 4 * (n + part.bonds.len());
    let moves = if n < 3 { 0 } else { (MOVES * n).min(WORK / looks).max(n) };
    let all: Vec<(usize, GridCell)> = board.at.iter().copied().enumerate().collect();
    let mut cost = board.around(&all);
    let (mut least, mut best) = (cost, board.at.clone());
    for k in 0..moves {
        let cool = 1.0 - k as f64 / moves as f64;
        if !board.propose(&mut noise, cool) {
            continue;
        }
        let group = std::mem::take(&mut board.group);
        let old = board.around(&group);
        let before: Vec<(usize, GridCell)> = group.iter().map(|&(n, _)| (n, board.at[n])).collect();
        board.put(&group);
        let delta = board.around(&group) - old;
        let u = noise.share();
        if delta as f64 <= HOT * cool * cool * u * u * u {
            cost += delta;
            if cost < least {
                least = cost;
                best.clone_from(&board.at);
            }
        } else {
            board.put(&before);
        }
        board.group = group;
    }
    (best, least)
}

struct Board<'a> {
    part: &'a PartGraph<'a>,
    at: Vec<GridCell>,
    /// Who is where, row by row, from `low` on.
    on: Vec<usize>,
    low: GridCell,
    size: GridCell,
    /// Each node with all that hangs on it in a spanning tree, unless that is too much, and what carries it.
    families: Vec<Vec<usize>>,
    parent: Vec<usize>,
    /// The move proposed: nodes and where they go.
    group: Vec<(usize, GridCell)>,
    /// What each bond spans.
    boxes: Vec<CellSpan>,
    /// The bonds that a move concerns, and the round in which each was one of them.
    mine: Vec<usize>,
    seen: Vec<u64>,
    round: u64,
}

impl<'a> Board<'a> {
    fn new(part: &'a PartGraph<'a>, at: Vec<GridCell>) -> Self {
        let range = |pick: fn(&GridCell) -> i32| {
            let low = at.iter().map(pick).min().unwrap_or(0) - ROOM;
            (low, at.iter().map(pick).max().unwrap_or(0) + ROOM - low + 1)
        };
        let ((x, w), (y, h)) = (range(|c| c.0), range(|c| c.1));
        let (parent, families) = branches(part);
        let mut board = Board {
            part,
            on: vec![NO_NODE; w as usize * h as usize],
            low: (x, y),
            size: (w, h),
            families,
            parent,
            group: vec![],
            boxes: part.bonds.iter().map(|b| boxed(at[b.from], at[b.to])).collect(),
            mine: vec![],
            seen: vec![0; part.bonds.len()],
            round: 0,
            at,
        };
        for n in 0..board.at.len() {
            let place = board.place(board.at[n]).unwrap_or(0);
            board.on[place] = n;
        }
        board
    }

    fn place(&self, (x, y): GridCell) -> Option<usize> {
        let (x, y) = (x - self.low.0, y - self.low.1);
        let inside = (0..self.size.0).contains(&x) && (0..self.size.1).contains(&y);
        inside.then(|| y as usize * self.size.0 as usize + x as usize)
    }

    /// Chooses a move; false if it leads nowhere.
    fn propose(&mut self, noise: &mut AnnealingNoise, cool: f64) -> bool {
        self.group.clear();
        let node = noise.below(self.at.len());
        let reach = 1 + (3.0 * cool) as i32;
        let family = &self.families[node];
        if noise.below(5) < 2 && family.len() > 1 {
            // The whole branch moves, or turns about the node that carries it.
            let by = (noise.step(reach), noise.step(reach));
            let (px, py) = self.at[self.parent[node]];
            let turn = noise.below(6);
            let moved = family.iter().map(|&m| {
                let (x, y) = (self.at[m].0 - px, self.at[m].1 - py);
                let (x, y) = match turn {
                    0 => (-x, y),
                    1 => (x, -y),
                    2 => (y, x),
                    _ => (x + by.0, y + by.1),
                };
                (m, (x + px, y + py))
            });
            self.group.extend(moved);
        } else {
            // Near a neighbour, or near where it is.
            let bonds = &self.part.incident[node];
            let near_neighbour = noise.below(3) > 0 && !bonds.is_empty();
            let home =
                if near_neighbour { self.part.far(bonds[noise.below(bonds.len())], node) } else { node };
            let cell = (self.at[home].0 + noise.step(reach), self.at[home].1 + noise.step(reach));
            self.group.push((node, cell));
            let there = self.place(cell).map_or(NO_NODE, |p| self.on[p]);
            if there != NO_NODE && there != node {
                self.group.push((there, self.at[node]));
            }
        }
        let free = |cell: GridCell| {
            let there = self.place(cell).map(|p| self.on[p]);
            there.is_some_and(|n| n == NO_NODE || self.group.iter().any(|g| g.0 == n))
        };
        self.group.iter().any(|&(n, c)| self.at[n] != c) && self.group.iter().all(|&(_, c)| free(c))
    }

    fn put(&mut self, group: &[(usize, GridCell)]) {
        for &(n, _) in group {
            let place = self.place(self.at[n]).unwrap_or(0);
            self.on[place] = NO_NODE;
        }
        for &(n, cell) in group {
            let place = self.place(cell).unwrap_or(0);
            self.at[n] = cell;
            self.on[place] = n;
        }
        for &b in group.iter().flat_map(|g| &self.part.incident[g.0]) {
            let (from, to) = self.ends(b);
            self.boxes[b] = boxed(from, to);
        }
    }

    /// The part of (1) that depends on these nodes.
    fn around(&mut self, group: &[(usize, GridCell)]) -> i64 {
        let part = self.part;
        self.round += 1;
        self.mine.clear();
        let mut near = [i32::MAX, i32::MAX, i32::MIN, i32::MIN];
        for &(n, _) in group {
            near = union(near, boxed(self.at[n], self.at[n]));
            for &b in &part.incident[n] {
                if self.seen[b] != self.round {
                    self.seen[b] = self.round;
                    self.mine.push(b);
                    near = union(near, self.boxes[b]);
                }
            }
        }
        let mut cost = 0;
        for (k, &b) in self.mine.iter().enumerate() {
            cost += self.shape(b) + OVER * self.nodes_under(b);
            cost += CROSSING * self.mine[..k].iter().filter(|&&other| self.cross(b, other)).count() as i64;
        }
        for other in 0..self.boxes.len() {
            if self.seen[other] == self.round || apart(&self.boxes[other], &near) {
                continue;
            }
            cost += OVER * group.iter().filter(|g| self.over(other, g.0)).count() as i64;
            cost += CROSSING * self.mine.iter().filter(|&&b| self.cross(b, other)).count() as i64;
        }
        cost
    }

    fn nodes_under(&self, bond: usize) -> i64 {
        let [left, top, right, bottom] = self.boxes[bond];
        let cells = (top..=bottom).flat_map(|y| (left..=right).map(move |x| (x, y)));
        let nodes = cells.filter_map(|c| self.place(c)).map(|p| self.on[p]).filter(|&n| n != NO_NODE);
        nodes.filter(|&n| self.over(bond, n)).count() as i64
    }

    fn ends(&self, bond: usize) -> (GridCell, GridCell) {
        let b = self.part.bonds[bond];
        (self.at[b.from], self.at[b.to])
    }

    /// Length beyond one cell, slant, and direction: power goes right, I stands above and C below.
    fn shape(&self, bond: usize) -> i64 {
        let (a, b) = self.ends(bond);
        let (dx, dy) = (i64::from(b.0 - a.0), i64::from(b.1 - a.1));
        let (w, h) = (dx.abs(), dy.abs());
        let mut cost = 10 * (w + h - 1);
        if dx != 0 && dy != 0 {
            cost += 15 + 10 * w.min(h);
        }
        if dx < 0 {
            cost += 4;
        }
        let join = self.part.bonds[bond];
        match (self.part.kind(join.from), self.part.kind(join.to)) {
            (_, BondNodeKind::I) if dy > 0 && self.part.is_leaf(join.to) => cost += 2,
            (_, BondNodeKind::C) if dy < 0 && self.part.is_leaf(join.to) => cost += 2,
            (BondNodeKind::Se | BondNodeKind::Sf, _) if dx == 0 => cost += 1,
            _ => {}
        }
        cost
    }

    fn cross(&self, one: usize, two: usize) -> bool {
        if apart(&self.boxes[one], &self.boxes[two]) {
            return false;
        }
        let (p, q) = (self.part.bonds[one], self.part.bonds[two]);
        if p.from == q.from || p.from == q.to || p.to == q.from || p.to == q.to {
            return false;
        }
        let ((a, b), (c, d)) = (self.ends(one), self.ends(two));
        let side = |a: GridCell, b: GridCell, p: GridCell| {
            ((b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0)).signum()
        };
        side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0
    }

    /// Whether a bond runs over a foreign node: nearer than half a cell, since labels are wide.
    fn over(&self, bond: usize, node: usize) -> bool {
        let at = self.at[node];
        let join = self.part.bonds[bond];
        if apart(&self.boxes[bond], &boxed(at, at)) || node == join.from || node == join.to {
            return false;
        }
        let (a, b) = self.ends(bond);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let cross = dx * (at.1 - a.1) - dy * (at.0 - a.0);
        2 * cross.abs() <= dx.abs().max(dy.abs())
    }
}

/// Larger branches are moved by their parts.
const BRANCH: usize = 24;

fn branches(part: &PartGraph) -> (Vec<usize>, Vec<Vec<usize>>) {
    let n = part.nodes.len();
    let mut parent = vec![usize::MAX; n];
    let root = (0..n).max_by_key(|&k| (part.incident[k].len(), n - k)).unwrap_or(0);
    let mut order = vec![root];
    parent[root] = root;
    let mut k = 0;
    while let Some(&node) = order.get(k) {
        for &b in &part.incident[node] {
            let other = part.far(b, node);
            if parent[other] == usize::MAX {
                parent[other] = node;
                order.push(other);
            }
        }
        k += 1;
    }
    let mut families: Vec<Vec<usize>> = (0..n).map(|k| vec![k]).collect();
    for &node in order.iter().rev() {
        let up = parent[node];
        // A branch that was too large stays alone, and what carries it too.
        let whole = families[node].len() > 1 || part.is_leaf(node);
        if up != node
            && (whole || part.incident[node].len() == 1)
            && families[up].len() + families[node].len() <= BRANCH
        {
            let branch = families[node].clone();
            families[up].extend(branch);
        }
    }
    (parent, families)
}

/// Left, top, right, bottom.
type CellSpan = [i32; 4];

fn boxed(a: GridCell, b: GridCell) -> CellSpan {
    [a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1)]
}

fn union(a: CellSpan, b: CellSpan) -> CellSpan {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

fn apart(a: &CellSpan, b: &CellSpan) -> bool {
    a[0] > b[2] || b[0] > a[2] || a[1] > b[3] || b[1] > a[3]
}

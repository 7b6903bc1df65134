//! From cells to pixels: columns as wide as labels need, bonds that end at the edges of their nodes.

use super::start::GridCell;
use super::{Area, BondLine, GraphLayout, Join, LabelSide, NAME, PartGraph, PlacedNode, SYMBOL, Size};

/// Height of a row, and least width of a column.
const ROW: f64 = 62.0;
const COLUMN: f64 = 58.0;
/// Between labels, between a label and a bond that passes, and for a bond itself.
const GAP: f64 = 14.0;
const BOND: f64 = 40.0;
/// From the edge of a node to the end of its bond.
const CLEAR: f64 = 6.0;
/// Between the lines of bonds that join the same nodes.
const PARALLEL: f64 = 14.0;
/// ": ".
const COLON: f64 = 8.0;

pub(crate) fn unplaced() -> PlacedNode {
    PlacedNode {
        at: (0.0, 0.0),
        side: LabelSide::Alone,
        area: [0.0; 4],
        half: 0.0,
        name_at: None,
        signal_from: None,
    }
}

pub fn moved(p: PlacedNode, x: f64, y: f64) -> PlacedNode {
    let area = |[l, t, r, b]: Area| [l + x, t + y, r + x, b + y];
    let point = |(a, b): (f64, f64)| (a + x, b + y);
    PlacedNode {
        at: point(p.at),
        area: area(p.area),
        name_at: p.name_at.map(area),
        signal_from: p.signal_from.map(point),
        ..p
    }
}

pub fn picture(part: &PartGraph, grid: &[GridCell], sizes: &[Size]) -> GraphLayout {
    let grid = closed_up(grid);
    let sides: Vec<LabelSide> = (0..grid.len()).map(|n| side(part, &grid, n)).collect();
    // What a node covers around its point.
    let around: Vec<Area> = (0..grid.len()).map(|n| extent(sides[n], sizes[n])).collect();
    let axes = columns(part, &grid, &around);
    let mut nodes: Vec<PlacedNode> = (0..grid.len())
        .map(|n| {
            let at = (axes[grid[n].0 as usize], f64::from(grid[n].1) * ROW);
            let [l, t, r, b] = around[n];
            let area = [at.0 + l, at.1 + t, at.0 + r, at.1 + b];
            PlacedNode { at, side: sides[n], area, half: sizes[n].symbol / 2.0, ..unplaced() }
        })
        .collect();
    let bonds: Vec<BondLine> = (0..part.bonds.len()).map(|b| line(part, &nodes, b)).collect();
    for n in 0..nodes.len() {
        let drawn = &part.graph.nodes[part.nodes[n]];
        if part.is_junction(n) && !drawn.connection && sizes[n].name > 0.0 {
            nodes[n].name_at = corner(&nodes, &bonds, n, (sizes[n].name, NAME), 10.0, 8.0);
        }
        if drawn.modulated {
            let free = corner(&nodes, &bonds, n, (20.0, 14.0), sizes[n].symbol / 2.0, SYMBOL / 2.0 - 2.0);
            nodes[n].signal_from =
                Some(free.map_or((nodes[n].at.0 - 24.0, nodes[n].at.1 - 22.0), |a| outer(a, nodes[n].at)));
        }
    }
    framed(nodes, bonds)
}

/// The grid without empty rows and columns, from (0, 0) on.
fn closed_up(grid: &[GridCell]) -> Vec<GridCell> {
    let numbers = |pick: fn(&GridCell) -> i32| {
        let mut used: Vec<i32> = grid.iter().map(pick).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let (xs, ys) = (numbers(|c| c.0), numbers(|c| c.1));
    let place = |list: &[i32], x: i32| list.binary_search(&x).unwrap_or(0) as i32;
    grid.iter().map(|&(x, y)| (place(&xs, x), place(&ys, y))).collect()
}

fn side(part: &PartGraph, grid: &[GridCell], node: usize) -> LabelSide {
    if part.is_junction(node) {
        return LabelSide::Alone;
    }
    let toward = |&b: &usize| {
        let far = grid[part.far(b, node)];
        ((far.0 - grid[node].0).signum(), (far.1 - grid[node].1).signum())
    };
    let ways: Vec<(i32, i32)> = part.incident[node].iter().map(toward).collect();
    let none = |blocks: fn(&(i32, i32)) -> bool| !ways.iter().any(blocks);
    match ways.as_slice() {
        [(1, _)] => LabelSide::Left,
        [_] => LabelSide::Right,
        _ if none(|w| w.1 > 0) => LabelSide::Below,
        _ if none(|w| w.1 < 0) => LabelSide::Above,
        _ if none(|w| w.0 > 0) => LabelSide::Right,
        _ if none(|w| *w == (0, 1)) => LabelSide::Below,
        _ if none(|w| *w == (0, -1)) => LabelSide::Above,
        _ => LabelSide::Right,
    }
}

fn extent(side: LabelSide, size: Size) -> Area {
    let (half, up) = (size.symbol / 2.0, SYMBOL / 2.0);
    let line = if size.name > 0.0 { COLON + size.name } else { 0.0 };
    let wide = half.max(size.name / 2.0);
    match side {
        LabelSide::Alone => [-half, -up, half, up],
        LabelSide::Right => [-half, -up, half + line, up],
        LabelSide::Left => [-half - line, -up, half, up],
        LabelSide::Below => [-wide, -up, wide, up + NAME],
        LabelSide::Above => [-wide, -up - NAME, wide, up],
    }
}

/// Left to right, each column as near to those before as rows and passing bonds allow.
fn columns(part: &PartGraph, grid: &[GridCell], around: &[Area]) -> Vec<f64> {
    let count = grid.iter().map(|c| c.0 + 1).max().unwrap_or(0) as usize;
    // (column, column to the right of it, distance)
    let mut apart: Vec<(usize, usize, f64)> = (1..count).map(|c| (c - 1, c, COLUMN)).collect();
    let mut rows: Vec<usize> = (0..grid.len()).collect();
    rows.sort_by_key(|&n| (grid[n].1, grid[n].0));
    for pair in rows.windows(2).filter(|p| grid[p[0]].1 == grid[p[1]].1) {
        let (a, b) = (pair[0], pair[1]);
        let joined = part.incident[a].iter().any(|&x| part.far(x, a) == b);
        let gap = if joined { BOND } else { GAP };
        apart.push((grid[a].0 as usize, grid[b].0 as usize, around[a][2] + gap - around[b][0]));
    }
    for bond in &part.bonds {
        let (p, q) = (grid[bond.from], grid[bond.to]);
        if p.1 == q.1 {
            continue;
        }
        for (n, &(x, y)) in grid.iter().enumerate() {
            // Slanted bonds count as passing in every column they touch.
            let passes = y > p.1.min(q.1) && y < p.1.max(q.1) || p.0 != q.0 && (y == p.1 || y == q.1);
            if !passes || n == bond.from || n == bond.to {
                continue;
            }
            let (left, right) = (p.0.min(q.0), p.0.max(q.0));
            if x < left {
                apart.push((x as usize, left as usize, around[n][2] + GAP / 2.0));
            } else if x > right {
                apart.push((right as usize, x as usize, GAP / 2.0 - around[n][0]));
            }
        }
    }
    apart.sort_by_key(|a| a.1);
    let mut axes = vec![0.0_f64; count];
    for (left, right, distance) in apart {
        axes[right] = axes[right].max(axes[left] + distance);
    }
    axes
}

/// From edge to edge, beside others that join the same nodes.
fn line(part: &PartGraph, nodes: &[PlacedNode], bond: usize) -> BondLine {
    let Join { from, to, .. } = part.bonds[bond];
    let same = |b: &Join| (b.from, b.to) == (from, to) || (b.from, b.to) == (to, from);
    let all: Vec<usize> = (0..part.bonds.len()).filter(|&b| same(&part.bonds[b])).collect();
    let place = all.iter().position(|&b| b == bond).unwrap_or(0);
    let (a, b) = (nodes[from].at, nodes[to].at);
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
    let shift = (place as f64 - (all.len() - 1) as f64 / 2.0) * PARALLEL;
    // Always on the same side, whatever the direction of the bond.
    let sign = if from < to { 1.0 } else { -1.0 };
    let (sx, sy) = (-(b.1 - a.1) / length * shift * sign, (b.0 - a.0) / length * shift * sign);
    let (a, b) = ((a.0 + sx, a.1 + sy), (b.0 + sx, b.1 + sy));
    BondLine { from: edge(a, b, body(&nodes[from], b)), to: edge(b, a, body(&nodes[to], a)) }
}

/// What bonds end at: a name below or above is out of the way of those that come from elsewhere.
fn body(node: &PlacedNode, toward: (f64, f64)) -> Area {
    let (x, y) = node.at;
    let symbol = [x - node.half, y - SYMBOL / 2.0, x + node.half, y + SYMBOL / 2.0];
    match node.side {
        LabelSide::Below if toward.1 <= y => symbol,
        LabelSide::Above if toward.1 >= y => symbol,
        _ => node.area,
    }
}

/// Where the line from `a` inside an area to `b` leaves it, and a little further.
fn edge(a: (f64, f64), b: (f64, f64), area: Area) -> (f64, f64) {
    let [l, t, r, bottom] = area;
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let share = |d: f64, low: f64, high: f64| match d {
        d if d > 0.0 => high / d,
        d if d < 0.0 => low / d,
        _ => f64::INFINITY,
    };
    let out =
        share(dx, l - CLEAR - a.0, r + CLEAR - a.0).min(share(dy, t - CLEAR - a.1, bottom + CLEAR - a.1));
    let out = out.clamp(0.0, 1.0);
    (a.0 + out * dx, a.1 + out * dy)
}

/// Where the letters stand.
pub fn symbol_at(node: &PlacedNode) -> (f64, f64) {
    let (x, y) = node.at;
    (if node.side == LabelSide::Left { node.area[0] + node.half } else { x }, y)
}

/// A place of this size beside a corner of the node that nothing covers.
fn corner(
    nodes: &[PlacedNode],
    bonds: &[BondLine],
    node: usize,
    (width, height): (f64, f64),
    dx: f64,
    dy: f64,
) -> Option<Area> {
    let (x, y) = symbol_at(&nodes[node]);
    let right = |up: f64| [x + dx, y - up, x + dx + width, y - up + height];
    let left = |up: f64| [x - dx - width, y - up, x - dx, y - up + height];
    let (above, below) = (dy + height, -dy);
    // A signal keeps away from the name to the right.
    let spots = if nodes[node].side == LabelSide::Alone {
        [right(below), left(below), right(above), left(above)]
    } else {
        [left(above), left(below), right(above), right(below)]
    };
    let free = |spot: &&Area| {
        let covered = nodes.iter().any(|n| {
            overlap(&n.area, spot) && n.at != nodes[node].at || n.name_at.is_some_and(|a| overlap(&a, spot))
        });
        let own = |spot: &Area| overlap(&nodes[node].area, &inset(*spot, 4.0));
        !covered && !own(spot) && !bonds.iter().any(|b| meets(b, &inset(**spot, -2.0)))
    };
    spots.iter().find(free).copied()
}

/// The corner of an area that is farthest from a point.
fn outer(area: Area, from: (f64, f64)) -> (f64, f64) {
    let far = |low: f64, high: f64, x: f64| if (low - x).abs() > (high - x).abs() { low } else { high };
    (far(area[0], area[2], from.0), far(area[1], area[3], from.1))
}

/// Smaller by so much on every side.
pub(crate) fn inset([l, t, r, b]: Area, by: f64) -> Area {
    [l + by, t + by, r - by, b - by]
}

pub fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Whether a line has a point inside an area.
pub fn meets(line: &BondLine, area: &Area) -> bool {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let (dx, dy) = (line.to.0 - line.from.0, line.to.1 - line.from.1);
    for (start, d, least, most) in [(line.from.0, dx, area[0], area[2]), (line.from.1, dy, area[1], area[3])]
    {
        if d == 0.0 {
            if start <= least || start >= most {
                return false;
            }
            continue;
        }
        let (p, q) = ((least - start) / d, (most - start) / d);
        low = low.max(p.min(q));
        high = high.min(p.max(q));
    }
    low < high
}

/// Labels that overlap and bonds over foreign labels; crossings of bonds.
pub fn faults(part: &PartGraph, picture: &GraphLayout) -> (usize, usize) {
    let nodes = &picture.nodes;
    let mut covered = 0;
    for a in 0..nodes.len() {
        covered += (0..a).filter(|&b| overlap(&nodes[a].area, &nodes[b].area)).count();
    }
    let mut crossings = 0;
    for (k, (bond, line)) in part.bonds.iter().zip(&picture.bonds).enumerate() {
        let foreign = |n: &usize| *n != bond.from && *n != bond.to;
        covered += (0..nodes.len()).filter(foreign).filter(|&n| meets(line, &nodes[n].area)).count();
        crossings += picture.bonds[..k].iter().filter(|other| cross(line, other)).count();
    }
    (covered, crossings)
}

fn cross(one: &BondLine, two: &BondLine) -> bool {
    let side = |l: &BondLine, p: (f64, f64)| {
        (l.to.0 - l.from.0) * (p.1 - l.from.1) - (l.to.1 - l.from.1) * (p.0 - l.from.0)
    };
    side(one, two.from) * side(one, two.to) < 0.0 && side(two, one.from) * side(two, one.to) < 0.0
}

/// Moved so that everything lies right of and below (0, 0).
fn framed(nodes: Vec<PlacedNode>, bonds: Vec<BondLine>) -> GraphLayout {
    let mut frame = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let areas = nodes.iter().flat_map(|n| {
        let signal = n.signal_from.map(|(x, y)| [x, y, x, y]);
        [Some(n.area), n.name_at, signal].into_iter().flatten()
    });
    for a in areas {
        frame = [frame[0].min(a[0]), frame[1].min(a[1]), frame[2].max(a[2]), frame[3].max(a[3])];
    }
    let (x, y) = (-frame[0], -frame[1]);
    let by = |p: (f64, f64)| (p.0 + x, p.1 + y);
    GraphLayout {
        width: frame[2] - frame[0],
        height: frame[3] - frame[1],
        nodes: nodes.into_iter().map(|n| moved(n, x, y)).collect(),
        bonds: bonds.iter().map(|l| BondLine { from: by(l.from), to: by(l.to) }).collect(),
    }
}

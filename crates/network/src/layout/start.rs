//! A first placement: the longest chain in a row, or to and fro in several if it is very long; everything else at
//! the nearest free cell, leaves last.

use std::collections::{HashSet, VecDeque};

use super::PartGraph;

pub type GridCell = (i32, i32);

pub fn place(part: &PartGraph) -> Vec<GridCell> {
    let n = part.nodes.len();
    let mut at: Vec<Option<GridCell>> = vec![None; n];
    let chain = longest_chain(part);
    let across = columns(chain.len());
    let mut queue = VecDeque::new();
    for (k, &node) in chain.iter().enumerate() {
        let (row, column) = (k / across, k % across);
        let column = if row % 2 == 0 { column } else { across - 1 - column };
        at[node] = Some((column as i32, LINE * row as i32));
        queue.push_back(node);
    }
    let mut used: HashSet<GridCell> = at.iter().flatten().copied().collect();
    let mut leaves = vec![];
    while let Some(node) = queue.pop_front() {
        let Some(home) = at[node] else { continue };
        for &b in &part.incident[node] {
            let other = part.far(b, node);
            if at[other].is_some() {
                continue;
            }
            if part.is_leaf(other) {
                leaves.push((other, home));
                continue;
            }
            let cell = nearest_free(&used, home);
            used.insert(cell);
            at[other] = Some(cell);
            queue.push_back(other);
        }
    }
    for (leaf, home) in leaves {
        let cell = nearest_free(&used, home);
        used.insert(cell);
        at[leaf] = Some(cell);
    }
    // What is left has no bonds.
    at.into_iter().map(|cell| cell.unwrap_or((0, 0))).collect()
}

/// Rows from one line of a folded chain to the next: leaves above and below each.
const LINE: i32 = 4;
/// A chain up to this length is not folded.
const STRAIGHT: usize = 14;

/// As many columns as make the picture about twice as wide as high.
fn columns(length: usize) -> usize {
    let mut across = STRAIGHT.min(length).max(1);
    while across < length && across * across < 5 * length {
        across += 1;
    }
    // The last line is not much shorter than the others.
    let lines = length.div_ceil(across);
    length.div_ceil(lines.max(1)).max(1)
}

/// Up and down before the sides, near before far.
fn nearest_free(used: &HashSet<GridCell>, (x, y): GridCell) -> GridCell {
    for r in 1.. {
        let ring = (0..=r).flat_map(|dx| {
            let dy = r - dx;
            [(dx, -dy), (dx, dy), (-dx, -dy), (-dx, dy)]
        });
        for (dx, dy) in ring {
            let cell = (x + dx, y + dy);
            if !used.contains(&cell) {
                return cell;
            }
        }
    }
    (x, y)
}

/// Through inner nodes, from end to end of a tree that spans them; pointing with the power where that is clear.
fn longest_chain(part: &PartGraph) -> Vec<usize> {
    let inner = |n: usize| !part.is_leaf(n);
    let Some(any) = (0..part.nodes.len()).find(|&n| inner(n)) else { return vec![0] };
    let far_end = |from: usize| -> Vec<usize> {
        let mut before = vec![usize::MAX; part.nodes.len()];
        let mut list = vec![from];
        before[from] = from;
        let mut k = 0;
        while let Some(&node) = list.get(k) {
            for &b in &part.incident[node] {
                let other = part.far(b, node);
                if before[other] == usize::MAX && inner(other) {
                    before[other] = node;
                    list.push(other);
                }
            }
            k += 1;
        }
        let mut chain = vec![list[list.len() - 1]];
        while before[chain[chain.len() - 1]] != chain[chain.len() - 1] {
            chain.push(before[chain[chain.len() - 1]]);
        }
        chain
    };
    let end = far_end(any)[0];
    let mut chain = far_end(end);
    let forward = |pair: &[usize]| part.bonds.iter().any(|b| (b.from, b.to) == (pair[0], pair[1]));
    if chain.windows(2).filter(|p| forward(p)).count() * 2 < chain.len().saturating_sub(1) {
        chain.reverse();
    }
    chain
}

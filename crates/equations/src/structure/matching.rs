//! Which equation determines which unknown, and in which order.
//!
//! A maximum matching by augmenting paths; what cannot be matched splits off the over- and underdetermined
//! parts (Dulmage and Mendelsohn); the rest is sorted into blocks, the strongly connected components of "needs".
//! [Pothen1990], [Tarjan1972]

/// Unknowns of each equation, and the matching both ways.
pub struct Matching {
    pub unknown_of: Vec<Option<usize>>,
    pub equation_of: Vec<Option<usize>>,
}

/// Equations from number `first` on take what they prefer before all others.
pub(crate) fn maximum(
    incidence: &[Vec<usize>],
    n_unknowns: usize,
    preferred: &[Option<usize>],
    first: usize,
) -> Matching {
    let mut m = Matching { unknown_of: vec![None; incidence.len()], equation_of: vec![None; n_unknowns] };
    for i in first..incidence.len() {
        if let Some(u) = preferred[i].filter(|u| m.equation_of[*u].is_none()) {
            m.unknown_of[i] = Some(u);
            m.equation_of[u] = Some(i);
        }
    }
    // A good start: what the user wrote as `unknown = …`, then whatever is free.
    for (i, unknowns) in incidence.iter().enumerate() {
        if m.unknown_of[i].is_some() {
            continue;
        }
        let free = |u: &usize| m.equation_of[*u].is_none();
        let choice = preferred[i].filter(|u| free(u)).or_else(|| unknowns.iter().copied().find(|u| free(u)));
        if let Some(u) = choice {
            m.unknown_of[i] = Some(u);
            m.equation_of[u] = Some(i);
        }
    }
    let mut seen = vec![usize::MAX; n_unknowns];
    for i in 0..incidence.len() {
        if m.unknown_of[i].is_none() {
            augment(incidence, &mut m, i, i, &mut seen);
        }
    }
    m
}

/// Depth-first search for an augmenting path from equation `start`, without recursion.
fn augment(
    incidence: &[Vec<usize>],
    m: &mut Matching,
    start: usize,
    round: usize,
    seen: &mut [usize],
) -> bool {
    // Path of (equation, next unknown to try).
    let mut path: Vec<(usize, usize)> = vec![(start, 0)];
    while let Some((equation, next)) = path.pop() {
        let Some(&u) = incidence[equation].get(next) else { continue };
        path.push((equation, next + 1));
        if seen[u] == round {
            continue;
        }
        seen[u] = round;
        match m.equation_of[u] {
            Some(other) => path.push((other, 0)),
            None => {
                // Shift every equation on the path to the unknown it was trying.
                for &(e, n) in &path {
                    let u = incidence[e][n - 1];
                    m.unknown_of[e] = Some(u);
                    m.equation_of[u] = Some(e);
                }
                return true;
            }
        }
    }
    false
}

/// Equations and unknowns reachable from an unmatched equation: more equations than unknowns.
pub(crate) fn overdetermined(
    incidence: &[Vec<usize>],
    m: &Matching,
    start: usize,
) -> (Vec<usize>, Vec<usize>) {
    let mut equations = vec![start];
    let mut unknowns = Vec::new();
    let mut seen = vec![false; m.equation_of.len()];
    let mut next = 0;
    while next < equations.len() {
        for &u in &incidence[equations[next]] {
            if !std::mem::replace(&mut seen[u], true) {
                unknowns.push(u);
                // An equation is reached through its own unknown only.
                equations.extend(m.equation_of[u]);
            }
        }
        next += 1;
    }
    equations.sort_unstable();
    unknowns.sort_unstable();
    (equations, unknowns)
}

/// Unknowns and equations reachable from an unmatched unknown: more unknowns than equations.
pub(crate) fn underdetermined(
    incidence: &[Vec<usize>],
    m: &Matching,
    start: usize,
) -> (Vec<usize>, Vec<usize>) {
    let mut unknowns = vec![start];
    let mut equations = Vec::new();
    let mut holding: Vec<Vec<usize>> = vec![vec![]; m.equation_of.len()];
    for (e, list) in incidence.iter().enumerate() {
        list.iter().for_each(|&u| holding[u].push(e));
    }
    let mut seen = vec![false; incidence.len()];
    let mut next = 0;
    while next < unknowns.len() {
        for &e in &holding[unknowns[next]] {
            if !std::mem::replace(&mut seen[e], true) {
                equations.push(e);
                unknowns.extend(m.unknown_of[e]);
            }
        }
        next += 1;
    }
    equations.sort_unstable();
    unknowns.sort_unstable();
    (equations, unknowns)
}

/// Blocks of the equations that `roots` need, and of these themselves, in the order they can be solved.
pub fn blocks(
    incidence: &[Vec<usize>],
    m: &Matching,
    roots: impl IntoIterator<Item = usize>,
) -> Vec<Vec<usize>> {
    let n = incidence.len();
    let needs = |e: usize| incidence[e].iter().filter_map(|&u| m.equation_of[u]);
    let mut index = vec![usize::MAX; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let (mut stack, mut blocks, mut counter) = (Vec::new(), Vec::new(), 0);
    for root in roots {
        if index[root] != usize::MAX {
            continue;
        }
        // (equation, equations it needs, position among them)
        let mut work: Vec<(usize, Vec<usize>, usize)> = vec![(root, needs(root).collect(), 0)];
        while let Some((e, list, position)) = work.pop() {
            if position == 0 {
                index[e] = counter;
                low[e] = counter;
                counter += 1;
                stack.push(e);
                on_stack[e] = true;
            } else {
                low[e] = low[e].min(low[list[position - 1]]);
            }
            let mut at = position;
            let mut deeper = None;
            while at < list.len() {
                let w = list[at];
                at += 1;
                if index[w] == usize::MAX {
                    deeper = Some(w);
                    break;
                }
                if on_stack[w] {
                    low[e] = low[e].min(index[w]);
                }
            }
            if let Some(w) = deeper {
                work.push((e, list, at));
                work.push((w, needs(w).collect(), 0));
                continue;
            }
            if low[e] == index[e] {
                let mut block = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w] = false;
                    block.push(w);
                    if w == e {
                        break;
                    }
                }
                block.sort_unstable();
                blocks.push(block);
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangular_system_sorts_into_single_equations() {
        // e0: u1, u2   e1: u1   e2: u0, u2
        let incidence = vec![vec![1, 2], vec![1], vec![0, 2]];
        let m = maximum(&incidence, 3, &[None; 3], 3);
        assert_eq!(m.unknown_of, [Some(2), Some(1), Some(0)]);
        assert_eq!(blocks(&incidence, &m, 0..3), [vec![1], vec![0], vec![2]]);
    }

    #[test]
    fn a_loop_stays_one_block() {
        let incidence = vec![vec![0, 1], vec![1, 2], vec![2, 0], vec![3, 0]];
        let m = maximum(&incidence, 4, &[None; 4], 4);
        assert_eq!(blocks(&incidence, &m, 0..4), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn surplus_and_missing_equations_are_found() {
        // Three equations for u0, u1; u2 in none.
        let incidence = vec![vec![0], vec![0, 1], vec![1]];
        let m = maximum(&incidence, 3, &[None; 3], 3);
        let lone = m.unknown_of.iter().position(|u| u.is_none()).unwrap();
        assert_eq!(overdetermined(&incidence, &m, lone), (vec![0, 1, 2], vec![0, 1]));
        assert_eq!(underdetermined(&incidence, &m, 2), (vec![], vec![2]));
    }
}

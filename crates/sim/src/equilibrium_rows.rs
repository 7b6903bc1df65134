//! Which equations determine an equilibrium where f(t, y) = 0 alone does not: amounts that nothing can change, and what the user holds.
//!
//! Oil trapped behind closed valves leaves rows of ∂f/∂y that follow from others,
//!
//!   J_i = Σ_j c_j J_j,   so that   y_i − Σ_j c_j y_j = const                                           (1)
//!
//! along every motion. The equilibrium is found with (1) in place of such rows. A held output gives the row h(y) = h(y_0). A held unknown leaves its column out;
//! its own row, of a position that of its velocity, is kept if amounts can be found that fulfil it (the pressures that carry a load) and given
//! up otherwise (a pin carries it). As many amounts (1) are released as rows are gained by this, first those that have to grow: the chamber whose pressure rises takes
//! the load, the other one stays as it was. A state that nothing determines even so, and that is no position, stays where it is (the integral of a controller
//! whose error is held); so does one that nothing depends on (an account, a clock), whatever its rate.
//!
//! An amount (1) is trapped only if its rate is zero too:
//!
//!   r = f_i − Σ_j c_j f_j                                                                              (2)
//!
//! With r ≠ 0 it fills or drains at this rate whatever the values (a pump into a volume whose relief valve is closed): there is no rest in this mode.
//!
//! Rows are picked by class, in each class the longest remainder next (Gram and Schmidt, twice), rows and columns scaled to one. [Parlett1980, §6.9]

use crate::problem::{Layout, Problem};

/// What is left of a row of length one that follows from others: rounding of the elimination.
const FOLLOWS: f64 = 1e-11;
/// Coefficients of (1) below this are rounding.
const NOTHING: f64 = 1e-9;

/// How much easier an unknown that stores nothing is changed. Enough for the sign of what is wanted, and far from rounding.
const CHEAP: f64 = 1e3;

/// A rate (2) below this share of its terms is their rounding.
const CANCELLED: f64 = 1e-6;
/// An amount that changes by less than this share of its size in a second is trapped.
const TRAPPED: f64 = 1e-9;

/// A linear row over y: (unknown, coefficient).
pub type LinearRow = Vec<(usize, f64)>;

#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// The held output of this number keeps its value.
    Output(usize),
    /// (1): the row times (y − y_0) is zero.
    Amount(LinearRow),
}

/// A square set of equations for the equilibrium.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Selection {
    /// Rows left out, one for each held unknown.
    pub left_out: Vec<usize>,
    /// Rows in whose place another one stands.
    pub replaced: Vec<(usize, Replacement)>,
    /// States whose amount (1) is kept, and those whose amount is free to change.
    pub kept: Vec<usize>,
    pub released: Vec<usize>,
    /// States that nothing depends on.
    pub watching: Vec<usize>,
    /// States whose amount changes at a rate (2) that no value stops.
    pub filling: Vec<(usize, f64)>,
}

/// What the selection is made from, at one point.
pub struct SelectionPoint<'a> {
    pub layout: &'a Layout,
    /// Values of the Jacobian in the order of the pattern, and f.
    pub jacobian: &'a [f64],
    pub f: &'a [f64],
    /// Unknowns that keep their value, and the row that each may give up.
    pub hold: &'a [usize],
    pub own_rows: &'a [usize],
    /// Gradients of held outputs.
    pub outputs: &'a [Vec<f64>],
    /// Quaternions, lengths and angles, which are positions too, and the speeds that turn quaternions.
    pub turns: &'a [usize],
    pub spins: &'a [usize],
    /// Rows of what is held come before those of the stores that act on them: pressures carry a load though oil leaks.
    pub carry: bool,
}

/// Classes of rows, the first ones picked first.
const OUTPUT: usize = 0;
const ALGEBRAIC: usize = 1;
const POSITION: usize = 2;
const VELOCITY: usize = 3;
const OTHER: usize = 4;
const OWN: usize = 5;
const KEPT: usize = 6;
const RELEASED: usize = 7;
const STAY: usize = 8;

/// None if the rows do not determine all unknowns even so.
pub fn select(at: &SelectionPoint) -> Option<Selection> {
    let n = at.layout.n();
    let rows = dense(at.layout, at.jacobian);
    let amounts = amounts(at, &rows);
    let columns: Vec<usize> = (0..n).filter(|j| !at.hold.contains(j)).collect();
    let mut table = Candidates::new(at, &rows, &columns);
    for (i, row) in &amounts {
        // A length that follows another one is geometry, no amount.
        if at.is_position(*i) {
            table.add(RowSource::Amount(*i), ALGEBRAIC, over(row, &columns));
        }
    }
    let stored: Vec<&(usize, LinearRow)> = amounts.iter().filter(|a| !at.is_position(a.0)).collect();
    let scaled = table.scaled(&columns);
    let first = Basis::pick(&scaled.rows, &table.classes, columns.len());
    if first.order.len() < columns.len() {
        let is_stored = |j: &usize| stored.iter().any(|a| a.0 == *j) || at.carries(&rows, *j);
        let is_stored: Vec<bool> = columns.iter().map(is_stored).collect();
        let wanted = wanted(&table, &scaled, &is_stored, at.f);
        for i in (0..n).filter(|&i| at.carries(&rows, i)) {
            let grows = columns.iter().position(|j| *j == i).is_some_and(|j| wanted[j] > 0.0);
            let row = columns.iter().map(|&j| rows[i][j]).collect();
            table.add(RowSource::Row(i), if grows { RELEASED } else { KEPT }, row);
        }
        for (i, row) in &stored {
            let place = columns.iter().position(|j| j == i);
            let read = at.outputs.iter().any(|g| g[*i] != 0.0);
            let grows = !at.hold.is_empty() && place.is_some_and(|j| wanted[j] > 0.0);
            let class = if read || grows { RELEASED } else { KEPT };
            table.add(RowSource::Amount(*i), class, over(row, &columns));
        }
        let other =
            |i: &usize| at.class(*i) == OTHER && stored.iter().all(|a| a.0 != *i) && !at.only_watches(*i);
        for i in (0..n).filter(other) {
            table.add(RowSource::Stay(i), STAY, over(&vec![(i, 1.0)], &columns));
        }
    }
    let scaled = table.scaled(&columns);
    let basis = Basis::pick(&scaled.rows, &table.classes, columns.len());
    (basis.order.len() == columns.len()).then(|| table.selection(at, &basis, &amounts))
}

/// The change of all unknowns that leads to rest with the smallest change of what is stored, to first order: others cost little.
fn wanted(table: &Candidates, scaled: &Scaled, is_stored: &[bool], f: &[f64]) -> Vec<f64> {
    let cheap = |row: &Vec<f64>| {
        row.iter()
            .zip(is_stored)
            .map(|(x, stored)| if *stored { *x } else { x * CHEAP })
            .collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = scaled.rows.iter().map(cheap).collect();
    let basis = Basis::pick(&rows, &table.classes, is_stored.len());
    basis.least(|k| table.residual(k, f) * scaled.row_scale[k])
}

impl SelectionPoint<'_> {
    fn class(&self, i: usize) -> usize {
        if !self.layout.differential[i] {
            ALGEBRAIC
        } else if self.is_position(i) {
            POSITION
        } else if self.layout.second_order.iter().any(|pair| pair.1 == i) || self.spins.contains(&i) {
            VELOCITY
        } else {
            OTHER
        }
    }

    /// A store that acts on what is held.
    fn carries(&self, rows: &[Vec<f64>], i: usize) -> bool {
        let acts = || self.own_rows.iter().any(|&row| rows[row][i] != 0.0);
        self.carry && self.class(i) == OTHER && !self.hold.contains(&i) && acts()
    }

    /// A state that nothing depends on, itself included.
    fn only_watches(&self, i: usize) -> bool {
        self.class(i) == OTHER && !self.hold.contains(&i) && self.layout.pattern.entries().all(|e| e.1 != i)
    }

    /// The rate (2) of an amount that is not trapped.
    fn filling(&self, i: usize, row: &LinearRow) -> Option<f64> {
        let terms = row.iter().map(|&(j, a)| a * self.f[j]);
        let (rate, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
        (rate.abs() > CANCELLED * size + TRAPPED * self.layout.nominal[i]).then_some(rate)
    }

    fn is_position(&self, i: usize) -> bool {
        self.layout.second_order.iter().any(|pair| pair.0 == i) || self.turns.contains(&i)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum RowSource {
    Row(usize),
    Output(usize),
    Amount(usize),
    Stay(usize),
}

/// Rows that may be picked, over the free columns.
struct Candidates {
    sources: Vec<RowSource>,
    classes: Vec<usize>,
    rows: Vec<Vec<f64>>,
}

struct Scaled {
    rows: Vec<Vec<f64>>,
    row_scale: Vec<f64>,
}

impl Candidates {
    fn new(at: &SelectionPoint, rows: &[Vec<f64>], columns: &[usize]) -> Self {
        let mut table = Candidates { sources: vec![], classes: vec![], rows: vec![] };
        let reduced = |row: &Vec<f64>| columns.iter().map(|&j| row[j]).collect::<Vec<f64>>();
        for (k, gradient) in at.outputs.iter().enumerate() {
            table.add(RowSource::Output(k), OUTPUT, reduced(gradient));
        }
        for (i, row) in rows.iter().enumerate() {
            let class = if at.own_rows.contains(&i) { OWN } else { at.class(i) };
            if at.only_watches(i) {
                table.add(RowSource::Stay(i), ALGEBRAIC, over(&vec![(i, 1.0)], columns));
            } else if !at.carries(rows, i) {
                table.add(RowSource::Row(i), class, reduced(row));
            }
        }
        table
    }

    fn add(&mut self, source: RowSource, class: usize, row: Vec<f64>) {
        self.sources.push(source);
        self.classes.push(class);
        self.rows.push(row);
    }

    /// Rows of length one, columns alike where they appear.
    fn scaled(&self, columns: &[usize]) -> Scaled {
        let (mut rows, mut row_scale) = (self.rows.clone(), vec![1.0; self.rows.len()]);
        for _ in 0..3 {
            for (row, scale) in rows.iter_mut().zip(&mut row_scale) {
                let one_over = inverse(row.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
                row.iter_mut().for_each(|x| *x *= one_over);
                *scale *= one_over;
            }
            for j in 0..columns.len() {
                let one_over = inverse(rows.iter().fold(0.0, |m: f64, row| m.max(row[j].abs())));
                rows.iter_mut().for_each(|row| row[j] *= one_over);
            }
        }
        for (row, scale) in rows.iter_mut().zip(&mut row_scale) {
            let one_over = inverse(length(row));
            row.iter_mut().for_each(|x| *x *= one_over);
            *scale *= one_over;
        }
        Scaled { rows, row_scale }
    }

    /// What the row lacks: −f; held outputs and amounts are as they are to be.
    fn residual(&self, k: usize, f: &[f64]) -> f64 {
        match self.sources[k] {
            RowSource::Row(i) => -f[i],
            _ => 0.0,
        }
    }

    fn selection(&self, at: &SelectionPoint, basis: &Basis, amounts: &[(usize, LinearRow)]) -> Selection {
        let picked = |source: RowSource| basis.order.iter().any(|&k| self.sources[k] == source);
        let mut free: Vec<usize> = (0..at.layout.n()).filter(|&i| !picked(RowSource::Row(i))).collect();
        // Rows of what is held first, then any that follow from others.
        free.sort_by_key(|i| !at.own_rows.contains(i));
        let left_out: Vec<usize> = free.drain(..at.hold.len()).collect();
        let mut selection = Selection { left_out, ..Selection::default() };
        let mut slots = free.into_iter();
        for &k in &basis.order {
            let replacement = match self.sources[k] {
                RowSource::Row(_) => continue,
                RowSource::Output(number) => Replacement::Output(number),
                RowSource::Amount(i) => {
                    let row = amounts.iter().find(|a| a.0 == i).map(|a| a.1.clone()).unwrap_or_default();
                    if !at.is_position(i) {
                        selection.kept.push(i);
                    }
                    Replacement::Amount(row)
                }
                RowSource::Stay(i) => {
                    let watches = self.classes[k] == ALGEBRAIC;
                    let list = if watches { &mut selection.watching } else { &mut selection.kept };
                    list.push(i);
                    Replacement::Amount(vec![(i, 1.0)])
                }
            };
            if let Some(slot) = slots.next() {
                selection.replaced.push((slot, replacement));
            }
        }
        let stored = amounts.iter().filter(|a| !at.is_position(a.0));
        let free = stored.clone().map(|a| a.0);
        selection.released = free.filter(|i| !selection.kept.contains(i) && !at.hold.contains(i)).collect();
        selection.filling = stored.filter_map(|(i, row)| Some((*i, at.filling(*i, row)?))).collect();
        selection
    }
}

/// The amounts (1): the state each belongs to, and its row over y.
fn amounts(at: &SelectionPoint, rows: &[Vec<f64>]) -> Vec<(usize, LinearRow)> {
    let (layout, n) = (at.layout, at.layout.n());
    let mut table = Candidates { sources: vec![], classes: vec![], rows: vec![] };
    let all: Vec<usize> = (0..n).collect();
    for (i, row) in rows.iter().enumerate() {
        // A row that is left out follows from nothing.
        let row = if at.only_watches(i) { over(&vec![(i, 1.0)], &all) } else { row.clone() };
        table.add(RowSource::Row(i), at.class(i), row);
    }
    let columns: Vec<usize> = (0..n).collect();
    let scaled = table.scaled(&columns);
    let basis = Basis::pick(&scaled.rows, &table.classes, n);
    let mut amounts = vec![];
    for i in (0..n).filter(|&i| layout.differential[i] && !basis.order.contains(&i)) {
        let combination = basis.combination(i);
        let mut row: LinearRow = vec![(i, 1.0)];
        let mut geometric = true;
        for (&j, c) in basis.order.iter().zip(combination) {
            if c.abs() > NOTHING && layout.differential[j] {
                row.push((j, -c * scaled.row_scale[j] / scaled.row_scale[i]));
                geometric &= at.is_position(j);
            }
        }
        if at.class(i) != VELOCITY && (geometric || !at.is_position(i)) {
            amounts.push((i, row));
        }
    }
    amounts
}

fn dense(layout: &Layout, values: &[f64]) -> Vec<Vec<f64>> {
    let n = layout.n();
    let mut rows = vec![vec![0.0; n]; n];
    for (i, j, place) in layout.pattern.entries() {
        rows[i][j] = values[place];
    }
    rows
}

fn over(row: &LinearRow, columns: &[usize]) -> Vec<f64> {
    columns.iter().map(|j| row.iter().filter(|e| e.0 == *j).map(|e| e.1).sum()).collect()
}

fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 1.0 }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Independent rows in the order they were picked; row = Σ part_j q_j with orthogonal q of length one.
struct Basis {
    order: Vec<usize>,
    q: Vec<Vec<f64>>,
    /// Of every row: its components along the q so far.
    parts: Vec<Vec<f64>>,
}

impl Basis {
    fn pick(rows: &[Vec<f64>], classes: &[usize], most: usize) -> Self {
        let mut rests = rows.to_vec();
        let mut open: Vec<usize> = (0..rows.len()).collect();
        let mut basis = Basis { order: vec![], q: vec![], parts: vec![vec![]; rows.len()] };
        let last = classes.iter().copied().max().unwrap_or(0);
        for class in 0..=last {
            while basis.order.len() < most {
                let longest = open.iter().filter(|&&k| classes[k] == class).map(|&k| (k, length(&rests[k])));
                let Some((k, size)) = longest.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
                if size <= FOLLOWS || size.is_nan() {
                    break;
                }
                let q: Vec<f64> = rests[k].iter().map(|x| x / size).collect();
                basis.parts[k].push(size);
                open.retain(|&other| other != k);
                for &other in &open {
                    let mut part = 0.0;
                    for _ in 0..2 {
                        let along: f64 = q.iter().zip(&rests[other]).map(|(q, x)| q * x).sum();
                        rests[other].iter_mut().zip(&q).for_each(|(x, q)| *x -= along * q);
                        part += along;
                    }
                    basis.parts[other].push(part);
                }
                basis.order.push(k);
                basis.q.push(q);
            }
        }
        basis
    }

    /// The c of row = Σ c_j (picked row j), for a row that follows from them: back substitution.
    fn combination(&self, row: usize) -> Vec<f64> {
        let m = self.order.len();
        let mut c: Vec<f64> = (0..m).map(|j| self.parts[row].get(j).copied().unwrap_or(0.0)).collect();
        for j in (0..m).rev() {
            let own = &self.parts[self.order[j]];
            c[j] /= own[j];
            for k in 0..j {
                c[k] -= c[j] * own[k];
            }
        }
        c
    }

    /// The shortest x with picked row · x = b: forward substitution.
    fn least(&self, b: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut z: Vec<f64> = vec![];
        let mut x = vec![0.0; self.q.first().map_or(0, Vec::len)];
        for (j, &k) in self.order.iter().enumerate() {
            let known: f64 = z.iter().zip(&self.parts[k]).map(|(z, p)| z * p).sum();
            z.push((b(k) - known) / self.parts[k][j]);
            x.iter_mut().zip(&self.q[j]).for_each(|(x, q)| *x += z[j] * q);
        }
        x
    }
}

/// f and ∂f/∂y of a problem at a point.
pub(crate) fn linearised(problem: &mut dyn Problem, t: f64, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut f = vec![0.0; y.len()];
    problem.residual(t, y, &mut f);
    let mut values = vec![0.0; problem.layout().pattern.nnz()];
    problem.jacobian(t, y, &mut values);
    (f, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Scene;

    fn point<'a>(layout: &'a Layout, jacobian: &'a [f64], f: &'a [f64]) -> SelectionPoint<'a> {
        let (hold, own_rows, outputs, turns, spins) = (&[], &[], &[], &[], &[]);
        SelectionPoint { layout, jacobian, f, hold, own_rows, outputs, turns, spins, carry: false }
    }

    /// A mass under a constant load on trapped oil: a' = −2 v, v' = a − 3.
    fn selected(hold: &[usize]) -> Selection {
        let mut scene = Scene::new(&["x", "v", "a"], |_, y, _, f| {
            f[0] = y[1];
            f[1] = y[2] - 3.0;
            f[2] = -2.0 * y[1];
        })
        .second_order(&[(0, 1)]);
        let (f, jacobian) = linearised(&mut scene, 0.0, &[0.0, 0.0, 1.0]);
        let own: Vec<usize> = hold.iter().map(|i| i + 1).collect();
        let at = SelectionPoint { hold, own_rows: &own, ..point(scene.layout(), &jacobian, &f) };
        select(&at).unwrap()
    }

    #[test]
    fn an_amount_that_a_pump_fills_is_not_trapped() {
        // Two volumes joined by an orifice, q = a − b, and 0.5 flows in: a + b grows by 0.5 in every second.
        let mut scene = Scene::new(&["a", "b"], |_, y, _, f| {
            f[0] = 0.5 - (y[0] - y[1]);
            f[1] = y[0] - y[1];
        });
        let (f, jacobian) = linearised(&mut scene, 0.0, &[7.0, 2.0]);
        for inflow in [true, false] {
            let f = if inflow { f.clone() } else { vec![f[0] - 0.5, f[1]] };
            let found = select(&point(scene.layout(), &jacobian, &f)).unwrap();
            assert_eq!(found.kept.len(), 1);
            assert_eq!(found.filling.len(), usize::from(inflow));
            assert!(found.filling.iter().all(|a| (a.1 - 0.5).abs() < 1e-12), "{:?}", found.filling);
        }
    }

    #[test]
    fn trapped_oil_moves_with_its_mass_unless_that_is_held() {
        let free = selected(&[]);
        assert_eq!((free.kept, free.released), (vec![2], vec![]));
        let [(2, Replacement::Amount(row))] = &free.replaced[..] else { panic!("{:?}", free.replaced) };
        // a + 2 x stays.
        assert!(row.iter().any(|&(j, c)| j == 0 && (c - 2.0).abs() < 1e-12), "{row:?}");
        assert!(row.iter().all(|&(j, _)| j != 1), "{row:?}");
        let held = selected(&[0]);
        assert_eq!((held.kept, held.released), (vec![], vec![2]));
        assert_eq!((held.left_out, held.replaced.len()), (vec![2], 0));
    }
}

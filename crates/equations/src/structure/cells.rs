//! Tables of continuous quantities: no step passes their corners unseen.
//!
//! A linear table of one variable with few corners p_1 < … < p_m is frozen as a kink. A mode c counts the corners that the argument a has
//! passed, with the guards a − p_c ≥ 0 and p_{c+1} − a > 0; on cell c
//!
//!   y = y_c + k_c (a − p_c)                                                                           (1)
//!
//! y_c and k_c are tables of c, found anew when c changes, so that a step is smooth up to the corner and ends there. Where the table jumps this is
//! a switch, no kink.
//!
//! Other tables stay as they are: those with many corners, smooth ones, those of two variables; and those where the branch taken may have no
//! value a little beyond its corner (under a root, in a divisor) or where an unknown that is found by iteration is the argument. Their
//! arguments are watched while a run goes on: a step that passes what the table does between its ends is made again. The jumps of such a table
//! are taken out of it, as a staircase that is frozen.

use std::sync::Arc;

use trunnion_num::{Breakpoint, Outside, Table1, TableShape};

use crate::graph::{Graph, GraphTable};
use crate::node::{Expr, TableId};

/// Corners up to which a table is frozen: passing one costs a step.
const MOST_CORNERS: usize = 32;
/// Of the largest slope: what rounding makes of a straight line.
const STRAIGHT: f64 = 1e-9;

/// How a table is frozen.
pub struct Cells {
    pub corners: Arc<[f64]>,
    /// Tables of y_c and k_c by c.
    value: [TableId; 2],
    /// Tables of p_c and p_{c+1}.
    pub ends: [TableId; 2],
    pub jumps: bool,
}

/// Bends that are no rounding of a straight line.
fn corners(of: &Table1) -> Vec<Breakpoint> {
    let mut bends = of.bends();
    let largest = bends.iter().fold(0.0, |most: f64, b| most.max(b.before.abs()).max(b.after.abs()));
    bends.retain(|b| b.jump != 0.0 || (b.after - b.before).abs() > STRAIGHT * largest);
    bends
}

/// A straight line, of which there is nothing to miss.
pub fn is_straight(graph: &Graph, table: TableId) -> bool {
    matches!(graph.table(table), GraphTable::One(of) if of.is_linear() && corners(&of).is_empty())
}

/// Whether a table jumps somewhere.
pub fn jumps(graph: &Graph, table: TableId) -> bool {
    matches!(graph.table(table), GraphTable::One(of) if of.jumps().next().is_some())
}

/// A table without its jumps, and these alone.
pub(crate) fn divide(graph: &Graph, table: TableId) -> Option<[TableId; 2]> {
    let GraphTable::One(of) = graph.table(table) else { return None };
    let (smooth, stairs) = of.divided()?;
    let add = |what: &str, of: Table1| {
        graph.add_table(&format!("{what} of {}", graph.table_name(table)), GraphTable::One(Arc::new(of)))
    };
    Some([add("course", smooth), add("jumps", stairs)])
}

/// None: it stays as it is.
pub(crate) fn freeze(graph: &Graph, table: TableId) -> Option<Cells> {
    let GraphTable::One(of) = graph.table(table) else { return None };
    let corners = corners(&of);
    let m = corners.len();
    // A jump has to end a step.
    let few = m <= MOST_CORNERS || corners.iter().all(|b| b.jump != 0.0);
    if !of.is_linear() || m == 0 || !few {
        return None;
    }
    let x: Vec<f64> = (0..=m).map(|c| c as f64).collect();
    let by_cell =
        |what: &str, y: Vec<f64>| {
            let made = Table1::new(&x, &y, TableShape::Linear, Outside::Hold).ok()?;
            Some(graph.add_table(
                &format!("{what} of {}", graph.table_name(table)),
                GraphTable::One(Arc::new(made)),
            ))
        };
    let points: Vec<f64> = corners.iter().map(|b| b.x).collect();
    // Beyond the first and the last corner there is no end; the value there is not used.
    let below: Vec<f64> = (0..=m).map(|c| points[c.saturating_sub(1)]).collect();
    let above = (0..=m).map(|c| points[c.min(m - 1)]).collect();
    let mut y: Vec<f64> = below.iter().map(|&p| of.eval(p, 0)).collect();
    y[0] -= corners[0].jump;
    let slope = |c: usize| match c {
        0 => corners[0].before,
        c => corners[c - 1].after,
    };
    let value = [by_cell("value", y)?, by_cell("slope", (0..=m).map(slope).collect())?];
    let ends = [by_cell("lower end", below)?, by_cell("upper end", above)?];
    let jumps = corners.iter().any(|b| b.jump != 0.0);
    Some(Cells { corners: points.into(), value, ends, jumps })
}

impl Cells {
    /// (1), or a derivative of it.
    pub(crate) fn frozen(&self, graph: &Graph, a: Expr, c: Expr, order: u8) -> Expr {
        let (a, c) = (graph.at(a), graph.at(c));
        let by_cell = |table: TableId| graph.table1(table, c, 0);
        let ([y, k], [p, _]) = (self.value, self.ends);
        match order {
            0 => (by_cell(y) + by_cell(k) * (a - by_cell(p))).id,
            1 => by_cell(k).id,
            _ => graph.constant(0.0).id,
        }
    }
}

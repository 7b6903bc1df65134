//! Tables of continuous quantities: no step passes their corners unseen.
//!
//! A mode c counts the points p_1 < … < p_m of a table that its argument a has passed, with the guards a − p_c ≥ 0 and p_{c+1} − a > 0. A linear table with few
//! corners is frozen as a kink, on cell c
//!
//!   y = y_c + k_c (a − p_c)                                                                           (1)
//!
//! y_c and k_c are tables of c, found anew when c changes, so that a step is smooth up to the corner and ends there. Where the branch taken may have no
//! value a little beyond its corner (under a root, in a divisor), where an unknown that is found by iteration is the argument, or where a
//! table is smooth or long, it stays as it is and is watched: a step ends where a has passed points between which the slope changes by
//! a `SHARE` of the largest.

use std::sync::Arc;

use trunnion_num::{Outside, Shape, Table1};

use crate::graph::{Graph, Table};
use crate::node::{Expr, TableId};

/// Corners up to which a table is frozen: passing one costs a step.
const MOST_CORNERS: usize = 32;
/// Of the largest slope: a change that a step does not pass unseen.
const SHARE: f64 = 0.25;
/// Of the largest slope: what rounding makes of a straight line.
const STRAIGHT: f64 = 1e-9;

/// How a table is divided.
pub struct Division {
    /// Points that count, ascending.
    pub points: Arc<[f64]>,
    /// Tables of y_c, k_c and p_c by c, where it can be frozen.
    pub frozen: Option<[TableId; 3]>,
    /// Tables of p_c and p_{c+1}.
    pub ends: [TableId; 2],
}

/// None: it is one straight line.
pub fn divide(graph: &Graph, table: TableId, may_freeze: bool) -> Option<Division> {
    let Table::One(of) = graph.table(table) else { return None };
    let name = graph.table_name(table);
    let bends = of.bends();
    let largest = bends.iter().fold(0.0, |most: f64, b| most.max(b.before.abs()).max(b.after.abs()));
    let change = |b: &&trunnion_num::Bend| (b.after - b.before).abs() > STRAIGHT * largest;
    let corners: Vec<_> = bends.iter().filter(change).collect();
    let freezes = may_freeze && of.is_linear() && corners.len() <= MOST_CORNERS;
    let mut points = vec![];
    let mut gathered = 0.0;
    for bend in &corners {
        gathered += (bend.after - bend.before).abs();
        if freezes || gathered >= SHARE * largest {
            points.push(bend.x);
            gathered = 0.0;
        }
    }
    if points.is_empty() {
        return None;
    }
    let m = points.len();
    let by_cell = |what: &str, y: Vec<f64>| {
        let x: Vec<f64> = (0..=m).map(|c| c as f64).collect();
        let made = Table1::new(&x, &y, Shape::Linear, Outside::Hold).ok()?;
        Some(graph.add_table(&format!("{what} of {name}"), Table::One(Arc::new(made))))
    };
    // Beyond the first and the last point there is no end; what stands there is not asked for.
    let below: Vec<f64> = (0..=m).map(|c| points[c.saturating_sub(1)]).collect();
    let above: Vec<f64> = (0..=m).map(|c| points[c.min(m - 1)]).collect();
    let ends = [by_cell("lower end", below.clone())?, by_cell("upper end", above)?];
    let frozen = match freezes {
        true => {
            let y = below.iter().map(|&p| of.eval(p, 0)).collect();
            let k = (0..=m).map(|c| if c == 0 { corners[0].before } else { corners[c - 1].after }).collect();
            Some([by_cell("value", y)?, by_cell("slope", k)?, ends[0]])
        }
        false => None,
    };
    Some(Division { points: points.into(), frozen, ends })
}

/// (1), or a derivative of it.
pub fn frozen_value(graph: &Graph, [y, k, p]: [TableId; 3], a: Expr, c: Expr, order: u8) -> Expr {
    let (a, c) = (graph.at(a), graph.at(c));
    let by_cell = |table: TableId| graph.table1(table, c, 0);
    match order {
        0 => (by_cell(y) + by_cell(k) * (a - by_cell(p))).id,
        1 => by_cell(k).id,
        _ => graph.constant(0.0).id,
    }
}

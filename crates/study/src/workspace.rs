//! Where a mechanism gets to, over a grid of joint values.
//!
//! Closed loops are assembled at every point, the grid's joints held. Along the last joint each pose begins where the neighbour
//! ended, from the value nearest to the start outwards, so that a loop keeps its way of being assembled.

use std::collections::HashMap;

use trunnion_engine::{Failure, Project};
use trunnion_equations::Symbol;
use trunnion_model::units::Unit;
use trunnion_results::{Column, Table, nearest};
use trunnion_sim::machine::Machine;
use trunnion_sim::newton::ConsistentValues;

use crate::linear::outputs;
use crate::range::{self, Range};
use crate::request_error::{GridError, UnknownCoordinate};

/// Rounding of a coordinate that an assembly was to keep.
const KEPT: f64 = 1e-9;

/// A coordinate and the values it takes.
pub struct GridAxis {
    name: String,
    symbol: Symbol,
    unit: Unit,
    doc: String,
    values: Vec<f64>,
}

pub struct PoseGrid<'a> {
    project: &'a Project,
    pub joints: Vec<GridAxis>,
    /// Columns that are shown.
    shown: Vec<usize>,
}

impl<'a> PoseGrid<'a> {
    /// `joints` as "shoulder.phi=-90 deg:90 deg:20", `points` are sensors, bodies or signals.
    pub fn new(project: &'a Project, joints_wanted: &[String], points: &[String]) -> Result<Self, Failure> {
        let mut joints: Vec<GridAxis> = vec![];
        for text in joints_wanted {
            let axis = axis(project, text)?;
            if joints.iter().any(|j| j.symbol == axis.symbol) {
                return Err(GridError::CoordinateTwice { name: axis.name }.into());
            }
            joints.push(axis);
        }
        let known = |name: &str| project.prepared.column(name).is_some();
        let places = |point: &String| {
            let places = ["x", "y", "z"].map(|axis| format!("{point}.{axis}"));
            let found: Vec<String> = places.into_iter().filter(|name| known(name)).collect();
            if found.is_empty() || known(point) { vec![point.clone()] } else { found }
        };
        let signals: Vec<String> = points.iter().flat_map(places).collect();
        Ok(PoseGrid { project, joints, shown: outputs(project, &signals)? })
    }

    /// Rows, and values of the last joint in each.
    pub fn shape(&self) -> Result<(usize, usize), Failure> {
        let sizes: Vec<usize> = self.joints.iter().map(|j| j.values.len()).collect();
        let all = sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
        let length = sizes.last().copied().unwrap_or(1);
        let all = all.filter(|n| *n <= range::MOST);
        let all = all.ok_or(GridError::TooManyPoses { most: range::MOST })?;
        Ok((all / length, length))
    }

    pub fn header(&self) -> Table {
        let prepared = &self.project.prepared;
        let joints = self.joints.iter().map(|j| Column::new(&j.name, &j.unit.text, &j.doc));
        let shown = self.shown.iter().map(|&c| &prepared.columns[c]);
        let shown = shown.map(|c| Column::new(&c.name, &c.unit.text, &c.doc));
        let assembled = Column::new("assembled", "", "1 where the loops close, else 0");
        Table { columns: joints.chain([assembled]).chain(shown).collect(), ..Table::default() }
    }

    /// All poses of row k; the last joint changes fastest.
    pub fn row(&self, mut k: usize) -> Vec<Vec<f64>> {
        let Some((last, others)) = self.joints.split_last() else { return vec![] };
        let mut fixed: Vec<f64> = vec![];
        for joint in others.iter().rev() {
            fixed.push(joint.values[k % joint.values.len()]);
            k /= joint.values.len();
        }
        fixed.reverse();
        let start = self.project.prepared.system.start(&HashMap::new()).y();
        let place = self.project.prepared.system.y_place(last.symbol).unwrap_or(0);
        let distance = |i: usize| (last.unit.to_si(last.values[i]) - start[place]).abs();
        let mut order: Vec<usize> = (0..last.values.len()).collect();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let mut rows = vec![vec![]; last.values.len()];
        let mut known: Vec<(usize, Vec<f64>)> = vec![];
        for i in order {
            let mut row = fixed.clone();
            row.push(last.values[i]);
            let near = known.iter().min_by_key(|(other, _)| other.abs_diff(i)).map(|(_, y)| y.as_slice());
            let pose = self.pose(&row, near.unwrap_or(&start)).or_else(|| self.pose(&row, &start));
            row.push(if pose.is_some() { 1.0 } else { 0.0 });
            match pose {
                Some((y, values)) => {
                    known.push((i, y));
                    row.extend(values);
                }
                None => row.extend(self.shown.iter().map(|_| f64::NAN)),
            }
            rows[i] = row;
        }
        rows
    }

    /// The pose with these joint values nearest to `near`, and what is shown there; None if there is none.
    fn pose(&self, values: &[f64], near: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let prepared = &self.project.prepared;
        let system = &prepared.system;
        let mut given: HashMap<Symbol, f64> =
            system.unknowns.iter().copied().zip(near.iter().copied()).collect();
        given.extend(self.joints.iter().zip(values).map(|(j, &v)| (j.symbol, j.unit.to_si(v))));
        let held: Vec<Symbol> = self.joints.iter().map(|j| j.symbol).collect();
        let t = self.project.run.t_start;
        let (mut machine, mut y) = Machine::start_holding(prepared.clone(), &given, t, &held).ok()?;
        let stays = |s: &Symbol| {
            let (found, wanted) = (system.y_place(*s).map_or(f64::NAN, |i| y[i]), given[s]);
            (found - wanted).abs() <= KEPT * wanted.abs().max(1.0)
        };
        if !held.iter().all(stays) {
            return None;
        }
        ConsistentValues::new(&prepared.layout).solve(&mut machine, t, &mut y).ok()?;
        let mut all = vec![0.0; prepared.columns.len()];
        machine.record(t, &y, &mut all).ok()?;
        Some((y, self.shown.iter().map(|&c| all[c]).collect()))
    }
}

/// `shoulder.phi=…`, or `shoulder=…` where it has one coordinate.
fn axis(project: &Project, text: &str) -> Result<GridAxis, Failure> {
    let system = &project.prepared.system;
    let (name, values) = range::split(text)?;
    let coordinates = || project.mechanism.joints.iter().flat_map(|j| j.freedoms.iter().map(move |f| (j, f)));
    let full = |s: Symbol| system.quantity(s).name.as_str();
    let alone = |joint: &str| coordinates().filter(|(j, _)| j.name == joint).count() == 1;
    let found = coordinates().find(|(j, f)| full(f.position) == name || j.name == name && alone(name));
    let Some((joint, freedom)) = found else {
        let near = nearest(name, coordinates().map(|(_, f)| full(f.position)));
        let near = near.iter().map(|n| n.to_string()).collect();
        return Err(UnknownCoordinate { name: name.into(), near }.into());
    };
    let (symbol, quantity) = (freedom.position, system.quantity(freedom.position));
    if system.y_place(symbol).is_none_or(|i| i >= system.n_states) {
        let (coordinate, joint) = (quantity.name.clone(), joint.name.clone());
        return Err(match freedom.motion {
            Some(_) => GridError::Prescribed { coordinate, joint },
            None => GridError::Dependent { coordinate, joint },
        }
        .into());
    }
    let unit = range::unit(&quantity.unit);
    let Range { values, .. } = Range::read(text, &quantity.name, values, &unit, false)?;
    Ok(GridAxis { name: quantity.name.clone(), symbol, unit, doc: quantity.doc.clone(), values })
}

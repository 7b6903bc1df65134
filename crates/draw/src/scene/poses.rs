//! Where every body is over time, from the columns of results.
//!
//! Between rows places go straight and turns along the shortest arc: q = (1 − s) q₁ ± s q₂, normalised.

use trunnion_model::units::parse_unit;

use super::Scene;
use trunnion_engine::Failure;

use crate::DrawingError;
use trunnion_num::space::{Point, Quaternion, between, normalised};
use trunnion_results::{Column, Table};

#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Not decreasing.
    pub times: Vec<f64>,
    /// For every body but the world, for every time.
    moves: Vec<Vec<(Point, Quaternion)>>,
    /// For every elastic body of the scene, for every time: its elastic coordinates.
    pub(crate) shapes: Vec<Vec<Vec<f64>>>,
}

impl Poses {
    pub fn of(scene: &Scene, table: &Table) -> Result<Poses, Failure> {
        let times = in_si(&table.columns[0]);
        let ordered = times.windows(2).all(|pair| pair[0] <= pair[1]);
        if times.is_empty() || !ordered {
            return Err(DrawingError::NoRows.into());
        }
        let moves = scene.bodies[1..].iter().map(|body| {
            let column = |key: &str| table.column(&format!("{}.{key}", body.name)).map(in_si);
            let (x, y) = (column("x")?, column("y")?);
            let rows = 0..times.len();
            Ok(match scene.planar {
                true => {
                    let phi = column("phi")?;
                    let turn = |k: usize| [(0.5 * phi[k]).cos(), 0.0, 0.0, (0.5 * phi[k]).sin()];
                    rows.map(|k| ([x[k], y[k], 0.0], turn(k))).collect()
                }
                false => {
                    let z = column("z")?;
                    let q = [column("qw")?, column("qx")?, column("qy")?, column("qz")?];
                    let turn = |k: usize| normalised([q[0][k], q[1][k], q[2][k], q[3][k]]);
                    rows.map(|k| ([x[k], y[k], z[k]], turn(k))).collect()
                }
            })
        });
        let moves = moves.collect::<Result<Vec<Vec<_>>, Failure>>()?;
        let broken = |k: usize| moves.iter().any(|m| m[k].0.iter().chain(&m[k].1).any(|x| !x.is_finite()));
        match (0..times.len()).find(|&k| broken(k)) {
            Some(k) => Err(DrawingError::NoPose { t: times[k] }.into()),
            None => Ok(Poses { times, moves, shapes: vec![] }),
        }
    }

    pub fn first(&self) -> f64 {
        self.times[0]
    }

    pub fn last(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// The rows before and after a time, and where it lies between them.
    fn rows_at(&self, t: f64) -> (usize, usize, f64) {
        // The last row of those at the same time: what holds after an event.
        let after = self.times.partition_point(|&row| row <= t);
        let Some(k) = after.checked_sub(1) else { return (0, 0, 0.0) };
        let Some(&next) = self.times.get(after) else { return (k, k, 0.0) };
        (k, after, (t - self.times[k]) / (next - self.times[k]))
    }

    /// Place and turn of a body that is not the world.
    pub(crate) fn of_body(&self, body: usize, t: f64) -> (Point, Quaternion) {
        let moves = &self.moves[body - 1];
        let (k, next, share) = self.rows_at(t);
        if next == k {
            return moves[k];
        }
        let ((p, q), (p_next, q_next)) = (moves[k], moves[next]);
        (between(p, p_next, share), turned(q, q_next, share))
    }

    /// Elastic coordinates of one of the elastic bodies.
    pub(crate) fn shape_at(&self, elastic: usize, t: f64) -> Vec<f64> {
        let Some(rows) = self.shapes.get(elastic) else { return vec![] };
        let (k, next, share) = self.rows_at(t);
        rows[k].iter().zip(&rows[next]).map(|(a, b)| a + share * (b - a)).collect()
    }
}

/// The same turn, seen from the side of `q`.
pub fn nearer(q: Quaternion, other: Quaternion) -> Quaternion {
    let along: f64 = (0..4).map(|i| q[i] * other[i]).sum();
    if along < 0.0 { other.map(|x| -x) } else { other }
}

fn turned(q: Quaternion, next: Quaternion, share: f64) -> Quaternion {
    let next = nearer(q, next);
    normalised([0, 1, 2, 3].map(|i| (1.0 - share) * q[i] + share * next[i]))
}

fn in_si(column: &Column) -> Vec<f64> {
    match parse_unit(&column.unit) {
        Ok(unit) => column.values.iter().map(|&x| unit.to_si(x)).collect(),
        Err(_) => column.values.clone(),
    }
}

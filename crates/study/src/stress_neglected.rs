//! What the kept modes of an elastic body leave out of its stress, as far as poses tell: by weight and by rotation.
//!
//!   σ = S_r p,   p = (ω_i ω_j, −g)                      S_r: stress of `load_residuals`                            (1)
//!
//! ω from the turns between rows: q̇ = ½ q ⊗ (0, ω). Accelerations are not known from poses, and left out: this is an estimate, for a warning.

use std::collections::HashMap;

use trunnion_elastic::{RATE_PAIRS, body_skin, load_residuals, von_mises};
use trunnion_engine::part_shapes::PartShapes;
use trunnion_engine::{Failure, Project};
use trunnion_num::space::{Point, Quaternion, apply, from_quaternion, normalised, times, transposed};
use trunnion_results::Table;

/// Rows that are looked at.
const LOOKS: usize = 100;

/// The highest von Mises stress (1) of any point, in Pa.
pub(crate) fn neglected_stress(project: &Project, part: &PartShapes, table: &Table) -> Result<f64, Failure> {
    let body = &project.mechanism.bodies[part.body].name;
    let failed = |error: trunnion_elastic::FeError| Failure::Run {
        message: format!("the stress of `{body}` cannot be found: {error}"),
        hint: None,
    };
    let residuals = load_residuals(&part.model, &part.shapes, part.reference).map_err(failed)?;
    let skin = body_skin(&part.model, &residuals, &part.outlines).map_err(failed)?;
    let start = project.prepared.system.start(&HashMap::new());
    let gravity = project.mechanism.gravity.map_or([0.0; 3], |g| g.map(|e| start.evaluate(e)));
    let turn = turns(body, table)?;
    let time = &table.columns[0].values;
    let mut highest = 0.0_f64;
    for k in (1..turn.len()).step_by((turn.len() / LOOKS).max(1)) {
        let omega = rate(turn[k - 1], turn[k], time[k] - time[k - 1]);
        let fall = apply(transposed(from_quaternion(turn[k])), times(-1.0, gravity));
        let rates = RATE_PAIRS.map(|(i, j)| omega[i] * omega[j]);
        let loads: Vec<f64> = rates.into_iter().chain(fall).collect();
        for rows in skin.points.iter().flat_map(|p| &p.stress) {
            let at = |i: usize| rows.row(i).iter().zip(&loads).map(|(s, p)| s * p).sum::<f64>();
            highest = highest.max(von_mises(std::array::from_fn(at)));
        }
    }
    Ok(highest)
}

/// Quaternions of a body, for every row.
fn turns(body: &str, table: &Table) -> Result<Vec<Quaternion>, Failure> {
    let mut columns = vec![];
    for key in ["qw", "qx", "qy", "qz"] {
        columns.push(&table.column(&format!("{body}.{key}"))?.values);
    }
    Ok((0..table.rows()).map(|k| normalised([0, 1, 2, 3].map(|i| columns[i][k]))).collect())
}

/// ω in the axes of the body between two rows; none across an event, where time stands.
fn rate([a, b, c, d]: Quaternion, next: Quaternion, dt: f64) -> Point {
    if dt <= 0.0 {
        return [0.0; 3];
    }
    // q⁻¹ ⊗ q_next, its shorter turn.
    let [w, x, y, z] = next;
    let real = a * w + b * x + c * y + d * z;
    let vector =
        [a * x - b * w - c * z + d * y, a * y + b * z - c * w - d * x, a * z - b * y + c * x - d * w];
    times(2.0 * real.signum() / dt, vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_turn() {
        let about =
            |angle: f64| [(0.5 * angle).cos(), 0.0, 0.6 * (0.5 * angle).sin(), 0.8 * (0.5 * angle).sin()];
        for (sign, from) in [(1.0, 0.3), (-1.0, 3.0)] {
            let next = about(from + 1e-4).map(|x| sign * x);
            let found = rate(about(from), next, 1e-4);
            assert!(found[0].abs() < 1e-8 && (found[1] - 0.6).abs() < 1e-8 && (found[2] - 0.8).abs() < 1e-8);
        }
        assert_eq!(rate(about(0.0), about(1.0), 0.0), [0.0; 3]);
    }
}

//! Static equilibrium: f(t, y) = 0 for all unknowns, the differential ones too.
//!
//! Damped Newton first; from poor guesses, and where it leaps far, pseudo-transient continuation, implicit Euler with a growing step that need
//! not be accurate, only reach the end:
//!
//!   (M/τ − J) Δ = f(y),   y ← y + Δ,   τ ← τ · min(2, ‖f_old‖/‖f_new‖ · 2)           (1)  [Kelley1998, eq. 2.3]
//!
//! Assumes an equilibrium that attracts when started from far off. An unknown that no row determines (a free position)
//! is reported; it may be held: then its own row, for a position the row of its velocity, is given up (something holds
//! it: a pin, a brake, a large reservoir).
//!
//! `equilibrium.rs` does the same for a machine, with its switches, loops, trapped oil and held outputs.

use crate::newton::{ConsistentValues, NewtonBlock, NewtonFailure, largest};
use crate::problem::{Layout, Problem};
use crate::stepper::{SolverWork, StepFailure};
use trunnion_num::{Lu, Pattern};

/// Steps of (1) before giving up, and how often Newton's method is tried in between.
const STEPS: usize = 600;
const TRY_EVERY: usize = 20;
/// A step that makes f this much larger is taken back.
const WORSE: f64 = 100.0;

/// A position further from its start than so many of its sizes is not the equilibrium sought: of an angle, a full turn.
const FARTHEST: f64 = std::f64::consts::TAU;

/// Why there is no equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub enum EquilibriumFailure {
    Solver(StepFailure),
    /// The only rest found has this position far from its start.
    Far {
        unknown: usize,
        value: f64,
    },
    /// What this state stores grows or shrinks at this rate (SI), whatever the values: no relation that changes its side stops it.
    Filling {
        unknown: usize,
        rate: f64,
    },
    /// The model itself warns there: the event of this number.
    Refused {
        event: usize,
    },
}

impl From<StepFailure> for EquilibriumFailure {
    fn from(failure: StepFailure) -> Self {
        EquilibriumFailure::Solver(failure)
    }
}

/// Find the equilibrium `y` at time `t`, keeping the unknowns `hold`. On failure `y` is as before.
pub fn balance(
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
    hold: &[usize],
) -> Result<SolverWork, EquilibriumFailure> {
    let given_up: Vec<usize> = hold.iter().map(|&held| partner(problem.layout(), held)).collect();
    let positions: Vec<usize> = problem.layout().second_order.iter().map(|pair| pair.0).collect();
    search(problem, t, y, hold, &given_up, &|i| !positions.contains(&i))
}

/// Equilibrium with the rows `given_up` left out for the unknowns `hold`. Of unknowns that nothing determines there, those that `may_stay` are left where the
/// transient has brought them: a volume that a valve has just shut off.
pub(crate) fn search(
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
    hold: &[usize],
    given_up: &[usize],
    may_stay: &dyn Fn(usize) -> bool,
) -> Result<SolverWork, EquilibriumFailure> {
    let layout = problem.layout().clone();
    let mut part = equilibrium_block(&layout, hold, given_up);
    part.reach = 1.0;
    let start = y.to_vec();
    let first = match part.newton(problem, t, y) {
        Ok(()) if near(&layout, &start, y) => return Ok(part.work),
        Ok(()) => None,
        Err(why) => Some(why),
    };
    let reached = y.to_vec();
    y.copy_from_slice(&start);
    let _ = ConsistentValues::new(&layout).solve(problem, t, y);
    match relax(&layout, &mut part, problem, t, y) {
        Ok(()) => Ok(part.work),
        Err(_) => {
            let Some(first) = first else {
                let far = furthest(&layout, &start, &reached);
                y.copy_from_slice(if far.is_none() { &reached } else { &start });
                return far.map_or(Ok(part.work), |unknown| {
                    Err(EquilibriumFailure::Far { unknown, value: reached[unknown] })
                });
            };
            let failure = match part.undetermined(problem, t, y) {
                Some(unknown) if may_stay(unknown) && part.fulfilled(problem, t, y) => return Ok(part.work),
                Some(unknown) => StepFailure::Singular { t, unknown },
                None => part.failure(problem, t, &reached, first),
            };
            y.copy_from_slice(&start);
            Err(failure.into())
        }
    }
}

/// The velocity of a position; any other unknown itself.
pub(crate) fn partner(layout: &Layout, held: usize) -> usize {
    layout.second_order.iter().find(|pair| pair.0 == held).map_or(held, |pair| pair.1)
}

/// Whether no position has moved by more than its size. Newton's method may leap from one pose to rest in quite another, where things
/// stand on their heads; the transient leads to where they fall.
fn near(layout: &Layout, a: &[f64], b: &[f64]) -> bool {
    layout.second_order.iter().all(|&(i, _)| (a[i] - b[i]).abs() <= layout.nominal[i])
}

/// The position that has moved furthest, if that is far.
pub(crate) fn furthest(layout: &Layout, from: &[f64], to: &[f64]) -> Option<usize> {
    let moved = |i: usize| (to[i] - from[i]).abs() / layout.nominal[i];
    let positions = layout.second_order.iter().map(|pair| pair.0);
    positions
        .max_by(|&i, &j| moved(i).total_cmp(&moved(j)))
        .filter(|&i| moved(i) > FARTHEST || moved(i).is_nan())
}

/// All unknowns but the held ones, all rows but those given up for them.
fn equilibrium_block(layout: &Layout, hold: &[usize], given_up: &[usize]) -> NewtonBlock {
    let rows = (0..layout.n()).filter(|i| !given_up.contains(i)).collect();
    let columns = (0..layout.n()).filter(|i| !hold.contains(i)).collect();
    NewtonBlock::new(layout, rows, columns)
}

/// Pseudo-transient continuation (1), with Newton's method tried in between.
fn relax(
    layout: &Layout,
    part: &mut NewtonBlock,
    problem: &mut dyn Problem,
    t: f64,
    y: &mut [f64],
) -> Result<(), NewtonFailure> {
    let m = part.m();
    // Where M = 1: local column of the unknown whose row this is; none if that unknown is held.
    let rate: Vec<Option<usize>> = (part.rows.iter())
        .map(|&i| if layout.differential[i] { part.columns.iter().position(|&j| j == i) } else { None })
        .collect();
    let diagonal = (0..m).filter_map(|i| rate[i].map(|j| (i, j)));
    let pattern = Pattern::from_entries(m, part.scaled_entries().map(|(i, j, _)| (i, j)).chain(diagonal));
    let mut values = vec![0.0; pattern.nnz()];
    let mut lu = Lu::new(&pattern);
    let mut step = vec![0.0; m];
    let mut trial = y.to_vec();
    part.evaluate(problem, t, y)?;
    let _ = part.linearise(problem, t, y);
    let mut norm = part.residual_norm();
    // The first step moves no unknown by more than a tenth of its size.
    let fastest = (0..m).filter_map(|k| rate[k].map(|j| part.f[part.rows[k]].abs() / part.size()[j]));
    let mut tau = (0.1 / fastest.fold(0.1, f64::max)).max(1e-12);
    for k in 1..=STEPS {
        let _ = part.linearise(problem, t, y);
        let before = part.residual_norm();
        values.fill(0.0);
        let mut add = |i, j, value: f64| {
            if let Some(place) = pattern.find(i, j) {
                values[place] += value;
            }
        };
        for (i, j, value) in part.scaled_entries() {
            add(i, j, -value);
        }
        for i in 0..m {
            if let Some(j) = rate[i] {
                add(i, j, part.size()[j] / tau);
            }
            step[i] = part.f[part.rows[i]];
        }
        let solved = lu.refactor(&values).is_ok();
        if solved {
            lu.solve(&mut step); // (1)
        }
        trial.copy_from_slice(y);
        for j in 0..m {
            trial[part.columns[j]] += step[j] * part.size()[j];
        }
        let moved = largest(&step);
        let finite = solved && moved.is_finite() && part.evaluate(problem, t, &trial).is_ok();
        let after = if finite { part.residual_norm() } else { f64::INFINITY };
        if after <= WORSE * before.max(f64::MIN_POSITIVE) || finite && moved < 0.1 {
            y.copy_from_slice(&trial);
            tau *= (2.0 * norm / after.max(f64::MIN_POSITIVE)).clamp(0.5, 4.0);
            norm = after;
        } else {
            tau /= 8.0;
            part.evaluate(problem, t, y)?;
            if tau < 1e-14 {
                return Err(NewtonFailure::NoConvergence);
            }
            continue;
        }
        if moved < 1e-3 && tau > 1.0 || k % TRY_EVERY == 0 {
            trial.copy_from_slice(y);
            match part.newton(problem, t, &mut trial) {
                Ok(()) if near(layout, y, &trial) => {
                    y.copy_from_slice(&trial);
                    return Ok(());
                }
                // At rest, yet not determined.
                Err(NewtonFailure::Singular) if moved < 1e-12 => return Err(NewtonFailure::Singular),
                _ => part.evaluate(problem, t, y)?,
            }
        }
    }
    Err(NewtonFailure::NoConvergence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Scene;

    /// A mass on a spring under weight, with a linear damper.
    fn hanging(k: f64) -> Scene {
        Scene::new(&["x", "v"], move |_, y, _, f| {
            f[0] = y[1];
            f[1] = -9.81 - k * y[0] - 0.5 * y[1];
        })
        .second_order(&[(0, 1)])
    }

    #[test]
    fn a_mass_hangs_where_spring_and_weight_agree() {
        let mut y = [3.0, -7.0];
        balance(&mut hanging(20.0), 0.0, &mut y, &[]).unwrap();
        assert!((y[0] + 9.81 / 20.0).abs() < 1e-14 && y[1].abs() < 1e-14, "{y:?}");
    }

    #[test]
    fn a_free_position_is_named_or_held() {
        let free = |weight: f64| {
            Scene::new(&["x", "v"], move |_, y, _, f| {
                f[0] = y[1];
                f[1] = -weight - y[1];
            })
            .second_order(&[(0, 1)])
        };
        let mut y = [3.0, 1.0];
        let failure = balance(&mut free(0.0), 0.0, &mut y, &[]).unwrap_err();
        assert_eq!(failure, StepFailure::Singular { t: 0.0, unknown: 0 }.into());
        assert_eq!(y, [3.0, 1.0]);
        // Falling without end: there is no equilibrium, and the position remains undetermined.
        let failure = balance(&mut free(9.81), 0.0, &mut y, &[]).unwrap_err();
        assert_eq!(failure, StepFailure::Singular { t: 0.0, unknown: 0 }.into());
        balance(&mut free(9.81), 0.0, &mut y, &[0]).unwrap();
        assert!(y[0] == 3.0 && y[1].abs() < 1e-14, "{y:?}");
    }

    #[test]
    fn the_transient_leads_where_newton_does_not() {
        // A pendulum started near the horizontal, where the Jacobian is almost singular.
        let mut pendulum = Scene::new(&["phi", "w"], |_, y, _, f| {
            f[0] = y[1];
            f[1] = -y[0].sin() - y[1];
        })
        .second_order(&[(0, 1)]);
        let mut y = [std::f64::consts::FRAC_PI_2 - 1e-4, 0.0];
        balance(&mut pendulum, 0.0, &mut y, &[]).unwrap();
        assert!(y[0].sin().abs() < 1e-12 && y[0].abs() < 7.0, "{y:?}");
        // A Newton step from 0 leads to 1, from 1 to 0; at rest x = −1.769…
        let mut cubic = Scene::new(&["x"], |_, y, _, f| f[0] = -(y[0].powi(3) - 2.0 * y[0] + 2.0));
        for start in [0.0, 1.0, 0.816, 40.0] {
            let mut y = [start];
            balance(&mut cubic, 0.0, &mut y, &[]).unwrap();
            assert!((y[0] + 1.7692923542386314).abs() < 1e-12, "{y:?}");
        }
    }

    #[test]
    fn algebraic_rows_hold_at_rest() {
        // A tank filled through an orifice from 2, drained through another: the pressures settle in proportion.
        let mut tank = Scene::new(&["p", "q"], |_, y, _, f| {
            f[0] = y[1] - y[0].max(0.0).sqrt();
            f[1] = y[1] * y[1].abs() - 4.0 * (2.0 - y[0]);
        })
        .algebraic(&[1]);
        let mut y = [1e-3, 0.1];
        balance(&mut tank, 0.0, &mut y, &[]).unwrap();
        assert!((y[0] - 1.6).abs() < 1e-12 && (y[1] - 1.6_f64.sqrt()).abs() < 1e-12, "{y:?}");
    }
}

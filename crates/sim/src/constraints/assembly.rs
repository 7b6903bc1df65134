//! A pose and speeds to begin with: g = 0, joints not turned over, ġ = 0.
//!
//! Levenberg's and Marquardt's search on the rows of (3) and (4), `constraints.rs`: each step keeps to unit quaternions to first order and is
//! scaled back to them before gaps are looked at. Rows b · R a = 0 across an axis hold as well when the axis is reversed. Where
//! the search ends so, it goes on from beside that pose with
//!
//!   a · R a − 1 = 0                                                                                 (5)
//!
//! as further rows: with them the sum of squares is |R a − a|², which falls all the way from the reverse.

use trunnion_equations::{Image, Symbol};

use super::projection::{Projection, normalise};
use super::{ClosedLoops, lengths};
use crate::dependent_states::DependentStateRows;

/// Smallest and largest damping of the search for a pose, and iterations from one start.
const DAMPING: (f64, f64) = (1e-12, 1e4);
const STEPS: usize = 200;
/// Gaps below this, in the size of states, are closed; `restore` does the rest.
const CLOSED: f64 = 1e-11;
/// What may be left of a gap, and of its rate relative to the speeds that make it up: rounding of a search that is as good as done.
const LEFT: f64 = 1e-9;
/// Starts tried when the first one leads nowhere, each farther off.
const TRIES: usize = 16;
/// How far from a pose that is turned over the search goes on, in the size of states.
const FLIPPED_DISTANCE: f64 = 0.1;

/// Why a loop stays open: the constraint that is worst off, and its gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenLoop {
    pub constraint: usize,
    pub gap: f64,
    pub wrong: AssemblyError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssemblyError {
    Gap,
    Rate,
    /// Closed, but a joint is mounted the wrong way round.
    TurnedOver,
}

/// The search of one machine, with its buffers.
pub struct Assembly<'a, R: FnMut(&[f64], &mut [f64])> {
    loops: &'a mut ClosedLoops,
    image: &'a Image,
    slow: &'a [f64],
    t: f64,
    /// Gaps of y, as `ProgramKind::Gaps` lays them out.
    run: R,
    /// Constraints that have (5), and its values.
    turning: Vec<usize>,
    facings: DependentStateRows,
    /// Gaps, (4), (5).
    rows: Projection,
    random: u64,
}

impl<'a, R: FnMut(&[f64], &mut [f64])> Assembly<'a, R> {
    pub fn new(loops: &'a mut ClosedLoops, image: &'a Image, slow: &'a [f64], t: f64, run: R) -> Self {
        let (turning, facings) = (image.facings.constraints.clone(), DependentStateRows::of(&image.facings));
        let above = loops.position.gap.len();
        let mut entries = image.constraint_layout.by_position.clone();
        entries.extend(lengths(&loops.quaternions, loops.m));
        entries.extend(facings.entries.iter().map(|&(i, j)| (above + i, j)));
        let size: Vec<f64> = loops.position.weight.iter().map(|w| w.sqrt()).collect();
        let rows = Projection::new(above + turning.len(), &entries, &size);
        Assembly { loops, image, slow, t, run, turning, facings, rows, random: 1 }
    }

    /// A pose near `y` that closes all loops, and velocities that keep them closed. States in `held` stay if that is possible: those
    /// that had to move, with the value they were given.
    pub fn assemble(mut self, held: &[Symbol], y: &mut [f64]) -> Result<Vec<(Symbol, f64)>, OpenLoop> {
        let held: Vec<(usize, Symbol)> =
            held.iter().filter_map(|&s| self.image.y_place(s).map(|i| (i, s))).collect();
        let start = y.to_vec();
        let free = self.loops.position.weight.clone();
        let mut weight = free.clone();
        held.iter().for_each(|&(i, _)| weight[i] = 0.0);
        self.weigh(weight);
        let mut done = self.fit(y);
        self.weigh(free);
        if done.is_err() && !held.is_empty() {
            y.copy_from_slice(&start);
            done = self.fit(y);
        }
        done?;
        let moved = held.iter().filter(|&&(i, _)| (y[i] - start[i]).abs() > 1e-9 * start[i].abs().max(1e-3));
        Ok(moved.map(|&(i, s)| (s, start[i])).collect())
    }

    fn weigh(&mut self, weight: Vec<f64>) {
        self.rows.weight.clone_from(&weight);
        self.loops.velocity.weight.clone_from(&weight);
        self.loops.position.weight = weight;
    }

    /// g = 0 and ġ = 0 to rounding, and seen to be so.
    fn fit(&mut self, y: &mut [f64]) -> Result<(), OpenLoop> {
        self.search(y)?;
        self.solve_velocities(y)?;
        self.loops.restore(y, &mut self.run);
        self.read(y, false);
        self.closed()?;
        self.rates_vanish(y)
    }

    /// g = 0 from `y`, then from starts around it. Err: what was wrong with the first.
    fn search(&mut self, y: &mut [f64]) -> Result<(), OpenLoop> {
        let start = y.to_vec();
        let mut first = None;
        for attempt in 0..=TRIES {
            let mut trial = start.clone();
            self.perturb(&mut trial, attempt as f64 / TRIES as f64);
            match self.close(&mut trial) {
                Ok(()) => {
                    y.copy_from_slice(&trial);
                    return Ok(());
                }
                Err(open) => first = first.or(Some(open)),
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn close(&mut self, y: &mut [f64]) -> Result<(), OpenLoop> {
        self.descend(y, false)?;
        if self.no_joint_is_flipped(y).is_ok() {
            return Ok(());
        }
        self.perturb(y, FLIPPED_DISTANCE);
        // Where (5) ends short of its aim, the rows that count may still lead on.
        let _ = self.descend(y, true);
        self.descend(y, false)?;
        self.no_joint_is_flipped(y)
    }

    /// Move all states that gaps depend on by up to `reach` times their size.
    fn perturb(&mut self, y: &mut [f64], reach: f64) {
        if reach == 0.0 {
            return;
        }
        let mut movable: Vec<usize> = self.rows.entries.iter().map(|e| e.1).collect();
        movable.sort_unstable();
        movable.dedup();
        for j in movable.into_iter().filter(|&j| self.rows.weight[j] > 0.0) {
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let x = (self.random >> 11) as f64 / (1_u64 << 53) as f64;
            y[j] += reach * (2.0 * x - 1.0) * self.rows.weight[j].sqrt();
        }
        self.loops.quaternions.iter().for_each(|q| _ = normalise(q, y));
    }

    /// Gaps, rates and slopes at `y`; (5) too if `faced`, else its rows are nothing.
    fn read(&mut self, y: &[f64], faced: bool) {
        self.loops.read(y, &mut self.run);
        let Projection { gap, slopes, .. } = &self.loops.position;
        let (own_gap, facing_gap) = self.rows.gap.split_at_mut(gap.len());
        let (own_slopes, facing_slopes) = self.rows.slopes.split_at_mut(slopes.len());
        own_gap.copy_from_slice(gap);
        own_slopes.copy_from_slice(slopes);
        if faced {
            self.facings.evaluate(self.slow, self.t, y);
            facing_gap.copy_from_slice(self.facings.values());
            facing_slopes.copy_from_slice(self.facings.slopes());
        } else {
            facing_gap.fill(0.0);
            facing_slopes.fill(0.0);
        }
    }

    /// Levenberg and Marquardt: (3) with damping that follows success.
    fn descend(&mut self, y: &mut [f64], faced: bool) -> Result<(), OpenLoop> {
        let mut damping = 1e-3;
        let mut trial = y.to_vec();
        self.read(y, faced);
        let mut norm = length(&self.rows.gap);
        for _ in 0..STEPS {
            if norm <= CLOSED || !self.rows.direction(Some(damping)) {
                break;
            }
            trial.copy_from_slice(y);
            self.rows.advance(&mut trial);
            self.loops.quaternions.iter().for_each(|q| _ = normalise(q, &mut trial));
            self.read(&trial, faced);
            let reached = length(&self.rows.gap);
            if reached < norm {
                y.copy_from_slice(&trial);
                let stalled = reached > (1.0 - 1e-10) * norm;
                norm = reached;
                damping = (0.2 * damping).max(DAMPING.0);
                if stalled {
                    break;
                }
            } else {
                if damping >= DAMPING.1 {
                    break;
                }
                damping *= 8.0;
                self.read(y, faced);
            }
        }
        self.read(y, faced);
        self.closed()
    }

    /// ġ = 0, which is linear.
    fn solve_velocities(&mut self, y: &mut [f64]) -> Result<(), OpenLoop> {
        for _ in 0..3 {
            self.loops.read(y, &mut self.run);
            self.loops.velocity.correct(y, true);
        }
        self.loops.read(y, &mut self.run);
        self.rates_vanish(y)
    }

    /// Whether the gaps last read are closed.
    fn closed(&self) -> Result<(), OpenLoop> {
        let g = &self.loops.position.gap[..self.loops.m];
        worst(g.iter().map(|g| (*g, LEFT)), AssemblyError::Gap)
    }

    /// Whether their rates are.
    fn rates_vanish(&self, y: &[f64]) -> Result<(), OpenLoop> {
        let velocity = &self.loops.velocity;
        let mut most = vec![LEFT; self.loops.m];
        for (&(i, j), slope) in velocity.entries.iter().zip(&velocity.slopes) {
            most[i] += LEFT * (slope * y[j]).abs();
        }
        worst(velocity.gap.iter().copied().zip(most), AssemblyError::Rate)
    }

    /// Whether no joint is turned over: (5) is 0 or, in a closed pose, −1 or −2.
    fn no_joint_is_flipped(&mut self, y: &[f64]) -> Result<(), OpenLoop> {
        self.facings.evaluate(self.slow, self.t, y);
        let over = self.facings.values().iter().position(|f| *f < -0.5);
        let wrong = AssemblyError::TurnedOver;
        over.map_or(Ok(()), |k| {
            Err(OpenLoop { constraint: self.turning[k], gap: self.facings.values()[k], wrong })
        })
    }
}

/// The gap that is furthest beyond what may be left of it.
fn worst(gaps: impl Iterator<Item = (f64, f64)>, wrong: AssemblyError) -> Result<(), OpenLoop> {
    let share = |&(_, (gap, most)): &(usize, (f64, f64))| {
        if gap.is_finite() { gap.abs() / most } else { f64::INFINITY }
    };
    let worst = gaps.enumerate().max_by(|a, b| share(a).total_cmp(&share(b)));
    match worst {
        Some(gap) if share(&gap) > 1.0 => Err(OpenLoop { constraint: gap.0, gap: gap.1.0, wrong }),
        _ => Ok(()),
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

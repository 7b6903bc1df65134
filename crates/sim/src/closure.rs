//! Closed loops as numbers: multipliers at every evaluation, states brought back after every step, a pose to begin with.
//!
//!   0 = g̈(t, y, 0) + S λ,   f = f(t, y, 0) + B λ                                                    (1)
//!   ∂f/∂y with λ eliminated = f_y − B S⁻¹ g̈_y                                                      (2)
//!   Δy = −W Gᵀ (G W Gᵀ)⁻¹ g,   G = ∂g/∂y,   W = diag(size²);   for ġ alike                          (3)
//!
//! S and G W Gᵀ may be singular: constraints may repeat each other, or lose rank in a pose. `Semidefinite` then gives the multipliers of least
//! norm, and the smallest correction.
//!
//! (1), (2) [Featherstone2008, ch. 8]; (3) after each accepted step is the projection of [Eich1993]: drift does not add up.

use trunnion_equations::{Closure, Entries, Symbol, System};
use trunnion_num::{Archive, Matrix, Pattern, Semidefinite};

/// Newton's iterations of nonlinear multipliers.
const ITERATIONS: usize = 20;
/// A correction below this, relative to the size of its state, is the last: the next would be a thousandth of it (`HELD_BACK`).
const LAST: f64 = 1e-7;
/// Passes of (3) after a step; more are needed only where a step left the constraints far behind.
const PASSES: usize = 4;
/// Shift of (3) after a step. Near a pose where constraints lose rank they say little about one direction, and what they say is mostly
/// the error of the step, enlarged: a correction there would kick the machine. With this shift it is held back where the constraint
/// is worth less than a thirtieth of what it is elsewhere.
const HELD_BACK: f64 = 1e-3;

/// The closed loops of one run. Buffers are named after the program that fills them.
pub struct Loops {
    n: usize,
    m: usize,
    linear: bool,
    s: Semidefinite,
    b: Entries,
    /// y, then λ.
    pub extended: Vec<f64>,
    /// Of `Part::Closure`.
    pub forces: Vec<f64>,
    /// Derivatives of f and g̈ by y and λ, and (row, column) of each.
    pub jacobian: Vec<f64>,
    entries: Entries,
    /// Place of each entry of ∂f/∂y in the pattern of (2).
    direct: Vec<Option<usize>>,
    pattern: Pattern,
    /// Columns of y that g̈ depends on, and S⁻¹ g̈_y by them.
    columns: Vec<usize>,
    eliminated: Vec<f64>,
    /// Of `Part::TimeGradient`.
    pub f_t: Vec<f64>,
    /// Of `Part::Gaps`.
    pub gaps: Vec<f64>,
    pub position: Projection,
    pub velocity: Projection,
    right: Vec<f64>,
}

impl Loops {
    pub fn new(system: &System) -> Option<Self> {
        let (n, closure) = (system.n(), &system.closure);
        let Closure { m, linear, s, b, .. } = closure;
        if *m == 0 {
            return None;
        }
        let size: Vec<f64> =
            system.unknowns.iter().map(|&s| system.quantity(s).nominal.unwrap_or(1.0)).collect();
        let entries: Entries = system.joined.entries().map(|(i, j, _)| (i, j)).collect();
        let mut columns: Vec<usize> = entries.iter().filter(|e| e.0 >= n && e.1 < n).map(|e| e.1).collect();
        columns.sort_unstable();
        columns.dedup();
        let direct =
            entries.iter().map(|&(i, j)| (i < n && j < n).then(|| system.pattern.find(i, j)).flatten());
        Some(Loops {
            n,
            m: *m,
            linear: *linear,
            s: Semidefinite::new(*m, s),
            b: b.clone(),
            extended: vec![0.0; n + m],
            forces: vec![0.0; n + m + s.len() + b.len()],
            jacobian: vec![0.0; entries.len()],
            direct: direct.collect(),
            pattern: system.pattern.clone(),
            eliminated: vec![0.0; m * columns.len()],
            columns,
            entries,
            f_t: vec![0.0; n + m],
            gaps: vec![0.0; 2 * m + closure.by_position.len() + closure.by_velocity.len()],
            position: Projection::new(*m, &closure.by_position, &size),
            velocity: Projection::new(*m, &closure.by_velocity, &size),
            right: vec![0.0; *m],
        })
    }

    /// Multipliers at `y`, and f there into `forces[..n]`. `run` fills `forces` from `extended`.
    pub fn close(&mut self, y: &[f64], mut run: impl FnMut(&[f64], &mut [f64])) {
        let (n, m) = (self.n, self.m);
        self.extended[..n].copy_from_slice(y);
        self.extended[n..].fill(0.0);
        for _ in 0..if self.linear { 1 } else { ITERATIONS } {
            run(&self.extended, &mut self.forces);
            let (values, slopes) = self.forces.split_at_mut(n + m);
            let (s, b) = slopes.split_at(slopes.len() - self.b.len());
            if self.s.factor(s.iter().copied()).is_err() {
                values[..n].fill(f64::NAN);
                return;
            }
            let (f, g) = values.split_at_mut(n);
            self.right.iter_mut().zip(g).for_each(|(r, g)| *r = -*g);
            self.s.solve(&mut self.right); // (1)
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (lambda, d) in self.extended[n..].iter_mut().zip(&self.right) {
                *lambda += d;
                change = change.max(d.abs());
                size = size.max(lambda.abs());
            }
            for (&(i, k), b) in self.b.iter().zip(b) {
                f[i] += b * self.right[k]; // (1)
            }
            if change <= 1e-13 * size {
                break;
            }
        }
    }

    /// (2) into `values`, from `jacobian`, with S of the last `close`.
    pub fn eliminate(&mut self, values: &mut [f64]) {
        let (n, m) = (self.n, self.m);
        values.fill(0.0);
        self.eliminated.fill(0.0);
        for ((&(i, j), value), place) in self.entries.iter().zip(&self.jacobian).zip(&self.direct) {
            if let Some(place) = place {
                values[*place] = *value;
            } else if i >= n && j < n {
                let column = self.columns.binary_search(&j).expect("listed when the loops were made");
                self.eliminated[column * m + (i - n)] = *value;
            }
        }
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for (column, x) in self.columns.iter().zip(self.eliminated.chunks_exact_mut(m)) {
            self.s.solve(x);
            for (&(i, k), b) in self.b.iter().zip(b) {
                if let Some(place) = self.pattern.find(i, *column) {
                    values[place] -= b * x[k];
                }
            }
        }
    }

    /// ∂λ/∂y after `eliminate`, m × n.
    pub fn multipliers_by_y(&self) -> Matrix {
        let mut all = Matrix::zeros(self.m, self.n);
        for (&j, x) in self.columns.iter().zip(self.eliminated.chunks_exact(self.m)) {
            x.iter().enumerate().for_each(|(k, x)| all[(k, j)] = -x);
        }
        all
    }

    /// Of ∂(f, g̈)/∂u, which loses its last rows, ∂f/∂u with λ eliminated; and ∂λ/∂u. As `eliminate`.
    pub fn eliminate_inputs(&mut self, by_input: &Matrix) -> (Matrix, Matrix) {
        let (n, n_u) = (self.n, by_input.columns());
        let mut f = by_input.block((0, 0), n, n_u);
        let mut multipliers = Matrix::zeros(self.m, n_u);
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for j in 0..n_u {
            let mut x: Vec<f64> = (0..self.m).map(|k| -by_input[(n + k, j)]).collect();
            self.s.solve(&mut x);
            x.iter().enumerate().for_each(|(k, x)| multipliers[(k, j)] = *x);
            self.b.iter().zip(b).for_each(|(&(i, k), b)| f[(i, j)] += b * x[k]);
        }
        (f, multipliers)
    }

    /// ∂f/∂t with λ eliminated, in place of `f_t[..n]`; as `eliminate`.
    pub fn eliminate_time(&mut self) {
        let (f, g) = self.f_t.split_at_mut(self.n);
        self.s.solve(g);
        let b = &self.forces[self.forces.len() - self.b.len()..];
        for (&(i, k), b) in self.b.iter().zip(b) {
            f[i] -= b * g[k];
        }
    }

    /// Bring `y` back to g = 0 and ġ = 0. `run` fills `gaps` from y. True if anything moved.
    pub fn project(&mut self, y: &mut [f64], run: impl FnMut(&[f64], &mut [f64])) -> bool {
        self.bring_back(y, run, false)
    }

    /// The same to rounding, also where constraints say little: for a pose that no step has led to.
    pub fn restore(&mut self, y: &mut [f64], run: impl FnMut(&[f64], &mut [f64])) -> bool {
        self.bring_back(y, run, true)
    }

    fn bring_back(&mut self, y: &mut [f64], mut run: impl FnMut(&[f64], &mut [f64]), exact: bool) -> bool {
        let mut moved = false;
        for _ in 0..PASSES {
            run(y, &mut self.gaps);
            let (g, slopes) = self.gaps.split_at(2 * self.m);
            let (by_position, by_velocity) = slopes.split_at(self.position.entries.len());
            let a = self.position.correct(&g[..self.m], by_position, y, exact);
            let b = self.velocity.correct(&g[self.m..], by_velocity, y, exact);
            moved |= a > 0.0 || b > 0.0;
            let again = a > LAST || b > LAST;
            if !again {
                break;
            }
        }
        moved
    }

    /// As `Lu::reserve`.
    pub fn reserve(&mut self) {
        [&mut self.s, &mut self.position.gram, &mut self.velocity.gram]
            .into_iter()
            .for_each(Semidefinite::reserve);
    }

    /// What the next evaluation takes over from those before.
    pub fn remember(&mut self, archive: &mut Archive) {
        for matrix in [&mut self.s, &mut self.position.gram, &mut self.velocity.gram] {
            matrix.remember(archive);
        }
    }

    /// Constraints that follow from others in the pose of the last `close`.
    pub fn dependent(&self) -> Vec<usize> {
        // Rounding of S, which has squares of J.
        self.s.dependent_rows(1e-10)
    }
}

/// (3) for gaps or for their rates.
pub struct Projection {
    pub entries: Entries,
    /// size² of each state; 0 where it may not move.
    pub weight: Vec<f64>,
    gram: Semidefinite,
    /// Pairs of entries in one column, in the order of the entries of `gram`.
    pairs: Vec<(usize, usize, usize)>,
    values: Vec<f64>,
    right: Vec<f64>,
    /// Δy of the last `direction`.
    step: Vec<f64>,
}

impl Projection {
    fn new(m: usize, entries: &Entries, size: &[f64]) -> Self {
        let mut by_column: Vec<Vec<usize>> = vec![vec![]; size.len()];
        entries.iter().enumerate().for_each(|(k, &(_, j))| by_column[j].push(k));
        let mut pairs = vec![];
        for (j, list) in by_column.iter().enumerate() {
            pairs.extend(list.iter().flat_map(|&a| list.iter().map(move |&b| (a, b, j))));
        }
        let places: Entries = pairs.iter().map(|&(a, b, _)| (entries[a].0, entries[b].0)).collect();
        Projection {
            entries: entries.clone(),
            weight: size.iter().map(|s| s * s).collect(),
            gram: Semidefinite::new(m, &places),
            values: vec![0.0; pairs.len()],
            pairs,
            right: vec![0.0; m],
            step: vec![0.0; size.len()],
        }
    }

    fn gram(&mut self, slopes: &[f64]) {
        for (value, &(a, b, j)) in self.values.iter_mut().zip(&self.pairs) {
            *value = slopes[a] * self.weight[j] * slopes[b];
        }
    }

    /// −W Gᵀ x into `step`, x in `right`.
    fn pull_back(&mut self, slopes: &[f64]) {
        self.step.fill(0.0);
        for (&(i, j), g) in self.entries.iter().zip(slopes) {
            self.step[j] -= self.weight[j] * g * self.right[i];
        }
    }

    /// (3), exact or held back; the largest correction relative to the size of its state. NaN if there is none.
    fn correct(&mut self, g: &[f64], slopes: &[f64], y: &mut [f64], exact: bool) -> f64 {
        if g.iter().all(|g| *g == 0.0) {
            return 0.0;
        }
        let shift = if exact { None } else { Some(HELD_BACK) };
        if self.direction(g, slopes, shift) { self.advance(y) } else { f64::NAN }
    }

    /// y ← y + step; the largest change relative to the size of its state.
    fn advance(&self, y: &mut [f64]) -> f64 {
        let mut largest = 0.0_f64;
        for (j, step) in self.step.iter().enumerate().filter(|(_, s)| **s != 0.0) {
            let size = self.weight[j].sqrt().max(y[j].abs());
            y[j] += step;
            largest = largest.max((step / size).abs());
        }
        largest
    }

    /// Δy of (3) into `step`; with a shift that of Levenberg and Marquardt. False if the matrix has no finite value.
    fn direction(&mut self, g: &[f64], slopes: &[f64], shift: Option<f64>) -> bool {
        self.gram(slopes);
        self.right.copy_from_slice(g);
        let values = self.values.iter().copied();
        let solved = match shift {
            None => self.gram.factor(values).map(|()| self.gram.solve(&mut self.right)),
            Some(shift) => {
                self.gram.factor_shifted(values, shift).map(|()| self.gram.solve_once(&mut self.right))
            }
        };
        self.pull_back(slopes);
        solved.is_ok()
    }
}

/// What became of the values at the start.
#[derive(Clone, Debug, Default)]
pub struct Assembled {
    /// Held states that had to move, with the value they were given.
    pub moved: Vec<(Symbol, f64)>,
}

/// A loop that stays open: the constraint with the widest gap, and the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open {
    pub constraint: usize,
    pub gap: f64,
    /// Its rate, not itself.
    pub rate: bool,
}

/// Smallest and largest damping of the search for a pose, and iterations from one start.
const DAMPING: (f64, f64) = (1e-12, 1e4);
const STEPS: usize = 200;
/// Gaps below this, in the size of states, are closed; `project` does the rest.
const CLOSED: f64 = 1e-11;
/// Starts tried when the first one leads nowhere, each farther off.
const TRIES: usize = 8;

impl Loops {
    /// A pose near `y` that closes all loops, and velocities that keep them closed. States in `held` stay if that is possible.
    pub fn assemble(
        &mut self,
        system: &System,
        held: &[Symbol],
        y: &mut [f64],
        mut run: impl FnMut(&[f64], &mut [f64]),
    ) -> Result<Assembled, Open> {
        let held: Vec<(usize, Symbol)> =
            held.iter().filter_map(|&s| system.y_place(s).map(|i| (i, s))).collect();
        let start = y.to_vec();
        let free = [self.position.weight.clone(), self.velocity.weight.clone()];
        for &(i, _) in &held {
            (self.position.weight[i], self.velocity.weight[i]) = (0.0, 0.0);
        }
        let mut open = self.fit(y, &mut run);
        let [position, velocity] = free;
        (self.position.weight, self.velocity.weight) = (position, velocity);
        if open.is_err() {
            y.copy_from_slice(&start);
            open = self.fit(y, &mut run);
        }
        open?;
        let moved = held.iter().filter(|&&(i, _)| (y[i] - start[i]).abs() > 1e-9 * start[i].abs().max(1e-3));
        Ok(Assembled { moved: moved.map(|&(i, s)| (s, start[i])).collect() })
    }

    /// g = 0 and ġ = 0 to rounding.
    fn fit(&mut self, y: &mut [f64], run: &mut impl FnMut(&[f64], &mut [f64])) -> Result<(), Open> {
        self.search(y, run)?;
        self.steady(y, run)?;
        self.restore(y, run);
        Ok(())
    }

    /// g = 0 from `y`, then from starts around it.
    fn search(&mut self, y: &mut [f64], run: &mut impl FnMut(&[f64], &mut [f64])) -> Result<(), Open> {
        let start = y.to_vec();
        let mut best = self.descend(y, run);
        let mut random = 1_u64;
        for attempt in 1..=TRIES {
            if best.is_ok() {
                break;
            }
            let reach = attempt as f64 / TRIES as f64;
            let mut trial = start.clone();
            for j in self.movable() {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let x = (random >> 11) as f64 / (1_u64 << 53) as f64;
                trial[j] += reach * (2.0 * x - 1.0) * self.position.weight[j].sqrt();
            }
            if self.descend(&mut trial, run).is_ok() {
                y.copy_from_slice(&trial);
                best = Ok(());
            }
        }
        best
    }

    /// States that gaps depend on and that may move.
    fn movable(&self) -> Vec<usize> {
        let mut list: Vec<usize> = self.position.entries.iter().map(|e| e.1).collect();
        list.sort_unstable();
        list.dedup();
        list.retain(|&j| self.position.weight[j] > 0.0);
        list
    }

    /// Levenberg and Marquardt: (3) with damping that follows success.
    fn descend(&mut self, y: &mut [f64], run: &mut impl FnMut(&[f64], &mut [f64])) -> Result<(), Open> {
        let m = self.m;
        let mut damping = 1e-3;
        let mut trial = y.to_vec();
        let mut gaps = vec![0.0; self.gaps.len()];
        run(y, &mut self.gaps);
        for _ in 0..STEPS {
            let norm = length(&self.gaps[..m]);
            if norm <= CLOSED {
                return Ok(());
            }
            let slopes = 2 * m..2 * m + self.position.entries.len();
            if !self.position.direction(&self.gaps[..m], &self.gaps[slopes], Some(damping)) {
                break;
            }
            trial.copy_from_slice(y);
            self.position.advance(&mut trial);
            run(&trial, &mut gaps);
            let reached = length(&gaps[..m]);
            if reached < norm {
                y.copy_from_slice(&trial);
                std::mem::swap(&mut self.gaps, &mut gaps);
                damping = (0.2 * damping).max(DAMPING.0);
                if reached > (1.0 - 1e-10) * norm {
                    break;
                }
            } else if damping >= DAMPING.1 {
                break;
            } else {
                damping *= 8.0;
            }
        }
        self.widest(false)
    }

    /// ġ = 0, which is linear.
    fn steady(&mut self, y: &mut [f64], run: &mut impl FnMut(&[f64], &mut [f64])) -> Result<(), Open> {
        for _ in 0..3 {
            run(y, &mut self.gaps);
            let (g, slopes) = self.gaps.split_at(2 * self.m);
            self.velocity.correct(&g[self.m..], &slopes[self.position.entries.len()..], y, true);
        }
        run(y, &mut self.gaps);
        self.widest(true)
    }

    fn widest(&self, rate: bool) -> Result<(), Open> {
        let g = if rate { &self.gaps[self.m..2 * self.m] } else { &self.gaps[..self.m] };
        let worst = (0..self.m).max_by(|&a, &b| g[a].abs().total_cmp(&g[b].abs())).unwrap_or(0);
        // Rounding of a search that is as good as done.
        if g[worst].abs() <= 1e-9 { Ok(()) } else { Err(Open { constraint: worst, gap: g[worst], rate }) }
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;

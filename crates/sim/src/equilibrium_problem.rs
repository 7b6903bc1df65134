//! The equilibrium equations of a machine as a problem: rows of tied states, trapped amounts and held outputs in place of rows that say nothing there.
//!
//! Where loops or quaternions tie states together, those that follow from others (`dependent_states.rs`) are found from
//!
//!   0 = g,  0 = ½ (|q|² − 1),  0 = ġ                                                                (1)
//!
//! in place of their own rows: these say nothing more at rest. What `equilibrium_rows.rs` selects takes the place of others:
//!
//!   0 = a · (y − y_0),   0 = h(y) − h(y_0)                                                          (2)

use trunnion_equations::{Compiled, EvaluationEngine};
use trunnion_num::Pattern;

use crate::dependent_states::{DependentStateRows, DependentStates, choose};
use crate::equilibrium_rows::Replacement;
use crate::machine::Machine;
use crate::problem::{Hybrid, Layout, Problem};

/// The continuous part of a machine with (1) and (2), its relations on the side of the values at which it is evaluated where it `follows`.
pub(crate) struct EquilibriumProblem<'a> {
    pub machine: &'a mut Machine,
    pub g: Vec<f64>,
    pub follows: bool,
    pub tied: Option<ConstrainedRows>,
    pub replaced: Option<ReplacedRows>,
}

impl EquilibriumProblem<'_> {
    fn follow(&mut self, t: f64, y: &[f64]) {
        if self.follows {
            self.machine.guards(t, y, &mut self.g);
            self.machine.settle(t, y, &self.g);
        }
    }

    fn tied_layout(&self) -> &Layout {
        self.tied.as_ref().map_or(self.machine.layout(), |tied| &tied.layout)
    }

    /// Without (2).
    fn tied_jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        match &mut self.tied {
            None => self.machine.jacobian(t, y, values),
            Some(tied) => tied.jacobian(self.machine, t, y, values),
        }
    }

    /// Put other rows in the places that `rows` names; `start` is y_0.
    pub fn replace(&mut self, rows: &[(usize, Replacement)], outputs: &Outputs, t: f64, start: &[f64]) {
        let base = self.tied_layout().clone();
        let held = outputs.values(self.machine, t, start);
        self.replaced = Some(ReplacedRows::new(base, rows, outputs.clone(), held, start));
    }
}

impl Problem for EquilibriumProblem<'_> {
    fn layout(&self) -> &Layout {
        self.replaced.as_ref().map_or_else(|| self.tied_layout(), |replaced| &replaced.layout)
    }

    fn residual(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.follow(t, y);
        match &mut self.tied {
            None => self.machine.residual(t, y, f),
            Some(tied) => tied.residual(self.machine, t, y, f),
        }
        if let Some(replaced) = &mut self.replaced {
            replaced.residual(self.machine, t, y, f);
        }
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.follow(t, y);
        let Some(mut replaced) = self.replaced.take() else { return self.tied_jacobian(t, y, values) };
        let mut base = std::mem::take(&mut replaced.values);
        self.tied_jacobian(t, y, &mut base);
        replaced.values = base;
        replaced.jacobian(self.machine, t, y, values);
        self.replaced = Some(replaced);
    }

    fn time_gradient(&mut self, t: f64, y: &[f64], f_t: &mut [f64]) {
        self.machine.time_gradient(t, y, f_t);
    }
}

/// Rows (1) for the states that follow from others.
pub(crate) struct ConstrainedRows {
    ties: DependentStateRows,
    pub choice: DependentStates,
    layout: Layout,
    /// Values of the machine's Jacobian, and where each belongs here.
    values: Vec<f64>,
    kept: Vec<Option<usize>>,
    /// For each entry of the ties: its place here.
    added: Vec<Option<usize>>,
    closed: Vec<f64>,
}

impl ConstrainedRows {
    pub fn new(machine: &Machine, t: f64, y: &[f64], hold: &[usize], left_out: &[usize]) -> Option<Self> {
        let mut ties = DependentStateRows::new(machine)?;
        let choice = choose(machine, &mut ties, t, y, &[hold, left_out].concat());
        let mut layout = machine.layout().clone();
        choice.dependent.iter().for_each(|&j| layout.differential[j] = false);
        let of_tie = |i: usize| choice.ties.iter().position(|&k| k == i).map(|k| choice.dependent[k]);
        let old: Vec<(usize, usize)> = layout.pattern.entries().map(|(i, j, _)| (i, j)).collect();
        let stays = |i: usize| !choice.dependent.contains(&i);
        let new = ties.entries.iter().filter_map(|&(i, j)| of_tie(i).map(|row| (row, j)));
        let all = old.iter().copied().filter(|e| stays(e.0)).chain(new);
        layout.pattern = Pattern::from_entries(layout.n(), all);
        let place = |i: usize, j: usize| layout.pattern.find(i, j);
        let kept = old.iter().map(|&(i, j)| stays(i).then(|| place(i, j)).flatten()).collect();
        let added = ties.entries.iter().map(|&(i, j)| of_tie(i).and_then(|row| place(row, j))).collect();
        Some(ConstrainedRows {
            values: vec![0.0; old.len()],
            closed: y.to_vec(),
            kept,
            added,
            ties,
            choice,
            layout,
        })
    }

    /// Forces are those of the pose nearby that closes the loops: with gaps, constraints that repeat each other say different things.
    fn close(&mut self, machine: &mut Machine, t: f64, y: &[f64]) {
        self.closed.copy_from_slice(y);
        machine.restore(t, &mut self.closed);
    }

    fn residual(&mut self, machine: &mut Machine, t: f64, y: &[f64], f: &mut [f64]) {
        self.close(machine, t, y);
        machine.residual(t, &self.closed, f);
        self.ties.evaluate(machine.slow_values(), t, y);
        let DependentStates { ties, dependent, .. } = &self.choice;
        ties.iter().zip(dependent).for_each(|(&tie, &row)| f[row] = self.ties.values()[tie]); // (1)
    }

    fn jacobian(&mut self, machine: &mut Machine, t: f64, y: &[f64], values: &mut [f64]) {
        self.close(machine, t, y);
        machine.jacobian(t, &self.closed, &mut self.values);
        self.ties.evaluate(machine.slow_values(), t, y);
        let old = self.values.iter().zip(&self.kept);
        for (value, place) in old.chain(self.ties.slopes().iter().zip(&self.added)) {
            if let Some(place) = place {
                values[*place] = *value;
            }
        }
    }
}

/// Rows (2).
pub(crate) struct ReplacedRows {
    layout: Layout,
    rows: Vec<(usize, Replacement)>,
    outputs: Outputs,
    /// h(y_0) and y_0.
    held: Vec<f64>,
    start: Vec<f64>,
    /// Values of the Jacobian without (2), and where each belongs here.
    values: Vec<f64>,
    kept: Vec<Option<usize>>,
}

impl ReplacedRows {
    fn new(
        mut layout: Layout,
        rows: &[(usize, Replacement)],
        outputs: Outputs,
        held: Vec<f64>,
        start: &[f64],
    ) -> Self {
        let n = layout.n();
        rows.iter().for_each(|r| layout.differential[r.0] = false);
        let old: Vec<(usize, usize)> = layout.pattern.entries().map(|(i, j, _)| (i, j)).collect();
        let stays = |i: usize| rows.iter().all(|r| r.0 != i);
        let mut all: Vec<(usize, usize)> = old.iter().copied().filter(|e| stays(e.0)).collect();
        for (i, row) in rows {
            match row {
                Replacement::Output(_) => all.extend((0..n).map(|j| (*i, j))),
                Replacement::Amount(row) => all.extend(row.iter().map(|e| (*i, e.0))),
            }
        }
        layout.pattern = Pattern::from_entries(n, all);
        let kept = old.iter().map(|&(i, j)| stays(i).then(|| layout.pattern.find(i, j)).flatten()).collect();
        let values = vec![0.0; old.len()];
        ReplacedRows { layout, rows: rows.to_vec(), outputs, held, start: start.to_vec(), values, kept }
    }

    fn residual(&mut self, machine: &mut Machine, t: f64, y: &[f64], f: &mut [f64]) {
        let values = self.outputs.values(machine, t, y);
        for (i, row) in &self.rows {
            f[*i] = match row {
                Replacement::Output(k) => values[*k] - self.held[*k],
                Replacement::Amount(row) => row.iter().map(|&(j, a)| a * (y[j] - self.start[j])).sum(),
            }; // (2)
        }
    }

    fn jacobian(&mut self, machine: &mut Machine, t: f64, y: &[f64], values: &mut [f64]) {
        let gradients = self.outputs.gradients(machine, t, y);
        values.fill(0.0);
        for (value, place) in self.values.iter().zip(&self.kept) {
            if let Some(place) = place {
                values[*place] = *value;
            }
        }
        let mut put = |i: usize, j: usize, value: f64| {
            if let Some(place) = self.layout.pattern.find(i, j) {
                values[place] += value;
            }
        };
        for (i, row) in &self.rows {
            match row {
                Replacement::Output(k) => {
                    gradients[*k].iter().enumerate().for_each(|(j, &g)| put(*i, j, g));
                }
                Replacement::Amount(row) => row.iter().for_each(|&(j, a)| put(*i, j, a)),
            }
        }
    }
}

/// Recorded signals that are to keep their values.
#[derive(Clone)]
pub(crate) struct Outputs {
    columns: Vec<usize>,
    /// ∂h/∂(y, λ), by rows.
    compiled: Option<std::sync::Arc<Compiled>>,
}

impl Outputs {
    pub fn new(machine: &Machine, columns: &[usize]) -> Self {
        let known = machine.loaded().rest.as_ref().is_some_and(|hold| hold.outputs == columns);
        let compiled = match machine.prepared() {
            _ if columns.is_empty() => None,
            _ if known => machine.rest_outputs(),
            Some(prepared) => {
                let programs = prepared.output_gradients(columns);
                Some(std::sync::Arc::new(Compiled::new(programs, EvaluationEngine::Interpreter)))
            }
            None => None,
        };
        Outputs { columns: columns.to_vec(), compiled }
    }

    /// h(y), in SI.
    pub fn values(&self, machine: &mut Machine, t: f64, y: &[f64]) -> Vec<f64> {
        if self.columns.is_empty() {
            return vec![];
        }
        let mut row = vec![0.0; machine.loaded().columns.len()];
        if machine.record(t, y, &mut row).is_err() {
            // The search sees that there is no value, and turns back.
            return vec![f64::NAN; self.columns.len()];
        }
        let columns = &machine.loaded().columns;
        let si = |&c: &usize| row[c] * columns[c].unit.factor + columns[c].unit.offset;
        self.columns.iter().map(si).collect()
    }

    /// ∂h/∂y, multipliers of closed loops following y.
    pub fn gradients(&self, machine: &mut Machine, t: f64, y: &[f64]) -> Vec<Vec<f64>> {
        let Some(compiled) = &self.compiled else { return vec![] };
        let (n, rows) = (y.len(), self.columns.len());
        // Multipliers and their derivatives come with the Jacobian.
        let mut values = vec![0.0; machine.layout().pattern.nnz()];
        machine.jacobian(t, y, &mut values);
        let mut scratch = vec![0.0; compiled.scratch()];
        let mut k = vec![0.0; compiled.n_slow()];
        compiled.prepare(machine.slow_values(), &mut scratch, &mut k);
        let m = machine.loaded().image.constraints.len();
        let mut out = vec![0.0; rows * (n + m)];
        let extended = machine.loops().map_or(y.to_vec(), |loops| loops.extended.clone());
        compiled.run(1, t, &extended, &k, &mut scratch, &mut out);
        let through = machine.loops().map(|loops| loops.multipliers_by_y());
        let gradient = |row: &[f64]| {
            let mut g = row[..n].to_vec();
            if let Some(by_y) = &through {
                for (j, g) in g.iter_mut().enumerate() {
                    *g += (0..m).map(|i| row[n + i] * by_y[(i, j)]).sum::<f64>();
                }
            }
            g
        };
        out.chunks_exact(n + m).map(gradient).collect()
    }
}

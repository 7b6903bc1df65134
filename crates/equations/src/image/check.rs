//! Whether an image that was read fits together: every index lies within what it counts, so that no run reaches beyond its arrays.

use super::{ColumnSource, Image, ImageAction, ImageError, QuantityKind, StartValue};
use crate::flat::{RobotOutline, ScriptLanguage};
use crate::graph::GraphTable;
use crate::node::Symbol;
use crate::program::{Op, Program, Programs};
use crate::system::{ProgramKind, TieProgram};
use trunnion_num::Pattern;

/// Programs of a system.
const PARTS: usize = ProgramKind::OutputFunctions as usize + 1;

/// What a program may read.
#[derive(Clone, Copy)]
struct Reach {
    unknowns: usize,
    slow: usize,
}

/// Numbers and signals of a robot.
fn robot_fits(language: &ScriptLanguage, setup: usize, inputs: usize, outputs: usize) -> bool {
    let ScriptLanguage::Robot(robot) = language else { return setup == 0 };
    let (joints, axes) = (robot.joints.len(), robot.axes());
    setup == RobotOutline::OF_TOOL + joints * RobotOutline::OF_JOINT
        && inputs >= axes + if robot.levers.is_some() { 2 } else { 0 }
        && outputs >= 3 * axes + RobotOutline::OF_STATE
}

fn program_fits(program: &Program, tables: &[GraphTable], reach: Reach) -> bool {
    let fits = |(i, op): (usize, &Op)| {
        let earlier = op.operands().all(|a| (a as usize) < i && !stores(program.ops[a as usize]));
        earlier
            && match *op {
                Op::Unknown(j) => (j as usize) < reach.unknowns,
                Op::Slow(j) => (j as usize) < reach.slow,
                Op::Store(j, _) => (j as usize) < program.n_out,
                Op::Table1(t, ..) => matches!(tables.get(t as usize), Some(GraphTable::One(_))),
                Op::Table2(t, ..) => matches!(tables.get(t as usize), Some(GraphTable::Two(_))),
                _ => true,
            }
    };
    // Every output is stored, so there are no more of them than operations.
    let stored = program.ops.iter().filter(|op| stores(**op)).count();
    stored == program.n_out && program.ops.iter().enumerate().all(fits)
}

fn stores(op: Op) -> bool {
    matches!(op, Op::Store(..))
}

fn programs_fit(programs: &Programs, slow_inputs: usize, unknowns: impl Fn(usize) -> usize) -> bool {
    let Programs { slow, fast, tables } = programs;
    let k = slow.n_out;
    let fits = |(i, p): (usize, &Program)| program_fits(p, tables, Reach { unknowns: unknowns(i), slow: k });
    program_fits(slow, tables, Reach { unknowns: 0, slow: slow_inputs }) && fast.iter().enumerate().all(fits)
}

fn pattern_fits(pattern: &Pattern, n: usize) -> bool {
    let Pattern { start, row } = pattern;
    let ascends = |w: &[usize]| w[0] <= w[1] && w[1] <= row.len();
    let column = |w: &[usize]| row[w[0]..w[1]].windows(2).all(|r| r[0] < r[1]);
    start.len() == n + 1
        && start[0] == 0
        && start[n] == row.len()
        && start.windows(2).all(ascends)
        && row.iter().all(|&i| i < n)
        && start.windows(2).all(column)
}

impl Image {
    /// Itself with the places of all quantities, if it fits together.
    pub(super) fn checked(mut self) -> Result<Self, ImageError> {
        let wrong = |part| Err(ImageError::Content(part));
        if !self.quantities_fit() {
            return wrong("quantities");
        }
        self.find_places();
        if self.programs.fast.len() != PARTS || !self.main_programs_fit() {
            return wrong("programs");
        }
        if !self.matrices_fit() {
            return wrong("matrices");
        }
        if !self.events_fit() {
            return wrong("events");
        }
        if !self.tasks_fit() {
            return wrong("tasks");
        }
        if !self.columns_fit() {
            return wrong("columns");
        }
        if !self.watches_fit() {
            return wrong("functions of time and states");
        }
        if !self.start_fits() {
            return wrong("start");
        }
        Ok(self)
    }

    fn known(&self, s: Symbol) -> bool {
        s.index() < self.quantities.len()
    }

    fn start_value_fits(&self, value: &StartValue) -> bool {
        let reach = Reach { unknowns: self.quantities.len(), slow: 0 };
        match value {
            StartValue::Number(_) => true,
            StartValue::Computed(p) => p.n_out == 1 && program_fits(p, &self.programs.tables, reach),
        }
    }

    fn quantities_fit(&self) -> bool {
        let mut seen = vec![false; self.quantities.len()];
        let once = |s: &Symbol| seen.get_mut(s.index()).is_some_and(|seen| !std::mem::replace(seen, true));
        self.unknowns.iter().chain(&self.slow).all(once)
            && self.n_states <= self.n()
            && self.rows.len() == self.n()
            && self.quantities.iter().all(|q| self.start_value_fits(&q.start))
            && self.quantities.iter().all(|q| q.nominal.is_none_or(|n| n.size > 0.0 && n.size.is_finite()))
    }

    /// Multipliers stand behind y; functions of waves, states and shown bases read those in place of it.
    fn main_programs_fit(&self) -> bool {
        let wide = self.n() + self.constraints.len();
        let time = &self.of_time;
        let reads = |part: usize| match part {
            p if p == ProgramKind::OfTime as usize || p == ProgramKind::Rates as usize => 0,
            p if p == ProgramKind::OfWaves as usize => time.n_waves,
            p if p == ProgramKind::OfStates as usize => self.of_states.n_bases,
            p if p == ProgramKind::OutputFunctions as usize => self.out(ProgramKind::OutputBases),
            p if p == ProgramKind::StateBases as usize || p == ProgramKind::OutputBases as usize => self.n(),
            _ => wide,
        };
        let (n, m) = (self.n(), self.constraints.len());
        let lengths = [
            (ProgramKind::Residual, n),
            (ProgramKind::TimeGradient, n + m),
            (ProgramKind::Jacobian, self.extended.nnz()),
            (ProgramKind::Guards, self.guards.len()),
            (ProgramKind::Frictions, 3 * self.frictions.len()),
        ];
        programs_fit(&self.programs, self.slow.len(), reads)
            && lengths.into_iter().all(|(part, length)| self.out(part) == length)
    }

    fn out(&self, part: ProgramKind) -> usize {
        self.programs.fast.get(part as usize).map_or(0, |p| p.n_out)
    }

    fn matrices_fit(&self) -> bool {
        let (n, m) = (self.n(), self.constraints.len());
        let wide = n.saturating_add(m);
        let within = |entries: &[(usize, usize)], rows: usize, columns: usize| {
            entries.iter().all(|e| e.0 < rows && e.1 < columns)
        };
        let c = &self.constraint_layout;
        let gaps = 2 * m + c.by_position.len() + c.by_velocity.len();
        let n_constraint = wide + c.s.len() + c.b.len();
        let pair = |&(position, velocity): &(usize, usize)| {
            position < self.n_states && velocity < self.n_states && position != velocity
        };
        let tie = |t: &TieProgram, constraints: usize| {
            let outputs = t.n.checked_add(t.entries.len());
            t.n_positions <= t.n
                && within(&t.entries, t.n, self.n_states)
                && t.programs.fast.len() == 1
                && outputs == Some(t.programs.fast[0].n_out)
                && t.constraints.len() == constraints
                && t.constraints.iter().all(|&k| k < m)
                && programs_fit(&t.programs, self.slow.len(), |_| wide)
        };
        self.n_cut <= self.extended.row.len() + 1
            && pattern_fits(&self.pattern, n)
            && pattern_fits(&self.joined, wide)
            && pattern_fits(&self.extended, wide.saturating_add(self.n_cut))
            && (self.n_cut > 0 || self.extended == self.joined)
            && self.cuts_fit(wide)
            && self.second_order.iter().all(pair)
            && c.m == m
            && within(&c.s, m, m)
            && within(&c.b, n, m)
            && within(&c.by_position, m, self.n_states)
            && within(&c.by_velocity, m, n)
            && (m == 0
                || (self.out(ProgramKind::Gaps) == gaps
                    && self.out(ProgramKind::Constraints) == n_constraint))
            && (m == 0 || self.eliminated_fits())
            && (m > 0 || self.pattern == self.joined)
            && tie(&self.ties, 0)
            && tie(&self.facings, self.facings.n)
            && self.quaternions.iter().flatten().all(|&i| i < self.n_states)
            && self.constraints.iter().all(|k| self.known(k.multiplier))
    }

    /// Each expression that was cut out follows from those before it, and what they depend on has a place in the joined matrix.
    fn cuts_fit(&self, wide: usize) -> bool {
        let rows_below = |(i, j, _): (usize, usize, usize)| i < wide || j < i;
        self.extended.entries().all(rows_below)
    }

    /// What eliminating the multipliers writes has a place.
    fn eliminated_fits(&self) -> bool {
        let n = self.n();
        self.joined
            .entries()
            .filter(|e| e.0 < n && e.1 < n)
            .all(|(i, j, _)| self.pattern.find(i, j).is_some())
    }

    fn events_fit(&self) -> bool {
        let count = self.events.len() + self.relations.len() + self.frictions.len();
        let guard = |&g: &usize| g < self.guards.len();
        let is_slow = |s: Symbol| self.slow_place(s).is_some();
        let is_state = |s: &Symbol| self.y_place(*s).is_some();
        self.guards.len() == count
            && self.events.iter().all(|e| e.targets.iter().all(|&s| self.known(s)))
            && self.events.iter().all(|e| e.touches.iter().all(guard))
            && self.events.iter().all(|e| !e.may_hold || e.targets.iter().all(is_state))
            && (self.constraints.is_empty() || !self.events.iter().any(|e| e.may_hold))
            && self.relations.iter().all(|r| self.known(r.mode))
            && self.relations.iter().all(|r| r.table.is_none_or(|t| t < self.programs.tables.len()))
            && self.tables_have_arguments()
            && self.frictions.iter().all(|&s| is_slow(s))
    }

    /// A table of two variables has a second argument after the first.
    fn tables_have_arguments(&self) -> bool {
        let two = |t: usize| matches!(self.programs.tables[t], GraphTable::Two(_));
        let last = self.relations.last().and_then(|r| r.table);
        !last.is_some_and(two)
    }

    fn tasks_fit(&self) -> bool {
        let guard = |&g: &usize| g < self.guards.len();
        let mut values: usize = self.events.iter().map(|e| e.targets.len()).sum();
        for task in &self.tasks {
            let fits = match &task.action {
                ImageAction::Set(targets) => {
                    values += targets.len();
                    targets.iter().all(|&s| self.known(s))
                }
                ImageAction::Script { language, setup, inputs, outputs, parameters, .. } => {
                    values += inputs.len();
                    let told = |p: &(String, Option<Symbol>)| p.1.is_none_or(|s| self.known(s));
                    outputs.iter().all(|o| self.known(o.1))
                        && parameters.iter().all(told)
                        && setup.iter().all(|v| self.start_value_fits(v))
                        && robot_fits(language, setup.len(), inputs.len(), outputs.len())
                }
            };
            let times = self.start_value_fits(&task.period) && self.start_value_fits(&task.offset);
            if !(fits && times && task.touches.iter().all(guard)) {
                return false;
            }
        }
        self.out(ProgramKind::Actions) == values
    }

    fn columns_fit(&self) -> bool {
        let fits = |source: ColumnSource| match source {
            ColumnSource::Unknown(i) => i < self.n(),
            ColumnSource::Multiplier(i) => i < self.constraints.len(),
            ColumnSource::Output(i) => i < self.out(ProgramKind::Outputs),
            ColumnSource::Slow(i) => i < self.slow.len(),
        };
        self.columns.iter().all(|c| fits(c.source))
    }

    fn watches_fit(&self) -> bool {
        let (time, states) = (&self.of_time, &self.of_states);
        let of_time = [time.guards.len(), time.corners.len(), time.n_jumps, time.n_inputs, time.n_waves];
        let of_states = states.functions.len() + states.n_guards;
        of_time.iter().try_fold(0_usize, |sum, &k| sum.checked_add(k)) == Some(self.out(ProgramKind::OfTime))
            && self.out(ProgramKind::Rates) == time.n_inputs
            && self.out(ProgramKind::OfWaves) == time.functions.len()
            && time.functions.iter().all(|&wave| wave < time.n_waves)
            && time.guards.iter().all(|&g| g < self.guards.len())
            && states.n_bases <= self.out(ProgramKind::StateBases)
            && states.functions.iter().all(|&b| b < states.n_bases)
            && self.out(ProgramKind::OfStates) == of_states
    }

    fn start_fits(&self) -> bool {
        let wide = self.n() + self.constraints.len();
        let rest = self.rest.as_ref().is_none_or(|rest| {
            let outputs = rest.outputs.len().checked_mul(wide);
            let gradient = |k: usize| rest.programs.fast.get(k).map(|p| p.n_out);
            let there = rest.outputs.is_empty() || (gradient(1) == outputs && rest.programs.fast.len() == 3);
            rest.unknowns.iter().all(|&i| i < self.n())
                && rest.outputs.iter().all(|&c| c < self.columns.len())
                && there
                && programs_fit(&rest.programs, self.slow.len(), |_| wide)
        });
        let multiplier = |s: Symbol| self.quantity(s).kind == QuantityKind::Multiplier;
        rest && self.held.iter().all(|&s| self.known(s))
            && (self.atol.is_empty() || self.atol.len() == self.n())
            && self.constraints.iter().all(|c| multiplier(c.multiplier))
    }
}

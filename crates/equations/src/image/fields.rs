//! The fields of every part of an image, in the order in which they are written.

use std::sync::Arc;

use trunnion_num::{Outside, Pattern, Table1, Table2};

use super::bytes::{Codec, Coded};
use super::{
    ColumnSource, ConstraintLayout, Image, ImageAction, ImageColumn, ImageConstraint, ImageEvent, ImageGuard,
    ImageQuantity, ImageRelation, ImageTask, QuantityKind, RestStart, StartValue, StateLayout, TimeLayout,
};
use crate::flat::{
    Direction, DisplayUnit, Nominal, RobotJointMotion, RobotJointOutline, RobotOutline, ScriptLanguage,
};
use crate::graph::GraphTable;
use crate::node::{Binary, Symbol, Unary};
use crate::program::{Op, Program, Programs};
use crate::structure::GuardRole;
use crate::system::TieProgram;

impl Coded for Image {
    fn code(&mut self, codec: &mut Codec) {
        self.quantities.code(codec);
        self.unknowns.code(codec);
        self.n_states.code(codec);
        self.slow.code(codec);
        self.programs.code(codec);
        self.pattern.code(codec);
        self.extended.code(codec);
        self.joined.code(codec);
        self.n_cut.code(codec);
        self.second_order.code(codec);
        self.constraint_layout.code(codec);
        self.constraints.code(codec);
        self.ties.code(codec);
        self.facings.code(codec);
        self.held.code(codec);
        self.quaternions.code(codec);
        self.rows.code(codec);
        self.columns.code(codec);
        self.guards.code(codec);
        self.events.code(codec);
        self.relations.code(codec);
        self.frictions.code(codec);
        self.guards_read.code(codec);
        self.tasks.code(codec);
        self.of_time.code(codec);
        self.of_states.code(codec);
        self.atol.code(codec);
        self.rest.code(codec);
    }
}

/// A kind without fields, by its number in a list of all.
fn choice<T: Copy + PartialEq>(value: &mut T, all: &[T], codec: &mut Codec) {
    let number = all.iter().position(|kind| kind == value).unwrap_or(0);
    *value = all[codec.kind(number, all.len())];
}

impl Coded for Symbol {
    fn code(&mut self, codec: &mut Codec) {
        codec.index(&mut self.0);
    }
}

impl Coded for ImageQuantity {
    fn code(&mut self, codec: &mut Codec) {
        use QuantityKind::{Input, Mode, Multiplier, Parameter, Unknown};
        self.name.code(codec);
        self.unit.code(codec);
        choice(&mut self.kind, &[Unknown, Parameter, Input, Mode, Multiplier], codec);
        let mut nominal = self.nominal.map(|n| (n.size, n.given));
        nominal.code(codec);
        self.nominal = nominal.map(|(size, given)| Nominal { size, given });
        self.range.code(codec);
        self.start.code(codec);
    }
}

impl Coded for DisplayUnit {
    fn code(&mut self, codec: &mut Codec) {
        self.text.code(codec);
        self.factor.code(codec);
        self.offset.code(codec);
    }
}

impl Coded for StartValue {
    fn code(&mut self, codec: &mut Codec) {
        let kind = codec.kind(usize::from(matches!(self, StartValue::Computed(_))), 2);
        if codec.reads() {
            *self =
                if kind == 0 { StartValue::Number(0.0) } else { StartValue::Computed(Program::default()) };
        }
        match self {
            StartValue::Number(number) => number.code(codec),
            StartValue::Computed(program) => program.code(codec),
        }
    }
}

impl Coded for ImageColumn {
    fn code(&mut self, codec: &mut Codec) {
        use ColumnSource::{Multiplier, Output, Slow, Unknown};
        self.name.code(codec);
        self.unit.code(codec);
        self.doc.code(codec);
        self.measured.code(codec);
        let (Unknown(mut place) | Multiplier(mut place) | Output(mut place) | Slow(mut place)) = self.source;
        let kind = match self.source {
            Unknown(_) => 0,
            Multiplier(_) => 1,
            Output(_) => 2,
            Slow(_) => 3,
        };
        let kind = codec.kind(kind, 4);
        place.code(codec);
        self.source = [Unknown, Multiplier, Output, Slow][kind](place);
    }
}

impl Coded for ConstraintLayout {
    fn code(&mut self, codec: &mut Codec) {
        self.m.code(codec);
        self.linear.code(codec);
        self.s.code(codec);
        self.b.code(codec);
        self.by_position.code(codec);
        self.by_velocity.code(codec);
    }
}

impl Coded for ImageConstraint {
    fn code(&mut self, codec: &mut Codec) {
        self.name.code(codec);
        self.multiplier.code(codec);
        self.switched.code(codec);
    }
}

impl Coded for TieProgram {
    fn code(&mut self, codec: &mut Codec) {
        self.constraints.code(codec);
        self.n_positions.code(codec);
        self.n.code(codec);
        self.entries.code(codec);
        self.programs.code(codec);
    }
}

impl Coded for [usize; 4] {
    fn code(&mut self, codec: &mut Codec) {
        self.iter_mut().for_each(|place| place.code(codec));
    }
}

const ROLES: [GuardRole; 4] = [GuardRole::Argument, GuardRole::Watched, GuardRole::Kink, GuardRole::Switch];

impl Coded for ImageGuard {
    fn code(&mut self, codec: &mut Codec) {
        self.name.code(codec);
        choice(&mut self.direction, &[Direction::Rising, Direction::Falling, Direction::Both], codec);
        choice(&mut self.role, &ROLES, codec);
        self.algebraic.code(codec);
    }
}

impl Coded for ImageEvent {
    fn code(&mut self, codec: &mut Codec) {
        self.name.code(codec);
        self.targets.code(codec);
        self.terminate.code(codec);
        self.warn.code(codec);
        self.at_start.code(codec);
        self.plain.code(codec);
        self.may_hold.code(codec);
        self.touches.code(codec);
    }
}

impl Coded for ImageRelation {
    fn code(&mut self, codec: &mut Codec) {
        choice(&mut self.role, &ROLES, codec);
        self.mode.code(codec);
        self.closed.code(codec);
        self.step.code(codec);
        let mut points = self.points.as_ref().map(|p| p.to_vec());
        points.code(codec);
        self.points = points.map(Arc::from);
        self.table.code(codec);
    }
}

impl Coded for ImageTask {
    fn code(&mut self, codec: &mut Codec) {
        self.name.code(codec);
        self.period.code(codec);
        self.offset.code(codec);
        self.after.code(codec);
        self.action.code(codec);
        self.touches.code(codec);
    }
}

impl Coded for ImageAction {
    fn code(&mut self, codec: &mut Codec) {
        let kind = codec.kind(usize::from(matches!(self, ImageAction::Script { .. })), 2);
        if codec.reads() && kind == 1 {
            *self = ImageAction::Script {
                language: ScriptLanguage::default(),
                source: Arc::from(""),
                setup: vec![],
                inputs: vec![],
                outputs: vec![],
                parameters: vec![],
            };
        }
        match self {
            ImageAction::Set(targets) => targets.code(codec),
            ImageAction::Script { language, source, setup, inputs, outputs, parameters } => {
                language.code(codec);
                setup.code(codec);
                let mut text = source.to_string();
                text.code(codec);
                *source = Arc::from(text);
                inputs.code(codec);
                outputs.code(codec);
                parameters.code(codec);
            }
        }
    }
}

impl Coded for ScriptLanguage {
    fn code(&mut self, codec: &mut Codec) {
        let kind = codec.kind(usize::from(matches!(self, ScriptLanguage::Robot(_))), 2);
        if codec.reads() && kind == 1 {
            *self = ScriptLanguage::Robot(RobotOutline::default());
        }
        if let ScriptLanguage::Robot(robot) = self {
            robot.joints.code(codec);
            let mut has_levers = robot.levers.is_some();
            has_levers.code(codec);
            if codec.reads() {
                robot.levers = has_levers.then_some([[0.0; 3]; 2]);
            }
            robot.levers.iter_mut().flatten().flatten().for_each(|x| x.code(codec));
        }
    }
}

impl Coded for RobotJointOutline {
    fn code(&mut self, codec: &mut Codec) {
        self.name.code(codec);
        let motions = [
            RobotJointMotion::Fixed,
            RobotJointMotion::Turn,
            RobotJointMotion::Slide,
            RobotJointMotion::Screw,
        ];
        let place = motions.iter().position(|m| *m == self.motion).unwrap_or(0);
        self.motion = motions[codec.kind(place, motions.len())];
        self.axis.iter_mut().for_each(|x| x.code(codec));
        self.held.code(codec);
        self.drive.code(codec);
    }
}

impl Coded for TimeLayout {
    fn code(&mut self, codec: &mut Codec) {
        self.guards.code(codec);
        self.corners.code(codec);
        self.n_jumps.code(codec);
        self.n_inputs.code(codec);
        self.n_waves.code(codec);
        self.functions.code(codec);
    }
}

impl Coded for StateLayout {
    fn code(&mut self, codec: &mut Codec) {
        self.n_bases.code(codec);
        self.functions.code(codec);
        self.n_guards.code(codec);
    }
}

impl Coded for RestStart {
    fn code(&mut self, codec: &mut Codec) {
        self.unknowns.code(codec);
        self.outputs.code(codec);
        self.programs.code(codec);
    }
}

impl Coded for Pattern {
    fn code(&mut self, codec: &mut Codec) {
        self.start.code(codec);
        self.row.code(codec);
    }
}

impl Coded for Programs {
    fn code(&mut self, codec: &mut Codec) {
        self.slow.code(codec);
        self.fast.code(codec);
        self.tables.code(codec);
    }
}

impl Coded for Program {
    fn code(&mut self, codec: &mut Codec) {
        self.ops.code(codec);
        self.n_out.code(codec);
    }
}

impl Coded for Op {
    fn code(&mut self, codec: &mut Codec) {
        const KINDS: [Op; 10] = [
            Op::Const(0.0),
            Op::Time,
            Op::Unknown(0),
            Op::Slow(0),
            Op::Unary(Unary::Neg, 0),
            Op::Binary(Binary::Add, 0, 0),
            Op::Select(0, 0, 0),
            Op::Table1(0, 0, 0),
            Op::Table2(0, 0, 0, 0, 0),
            Op::Store(0, 0),
        ];
        let same = |kind: &Op| std::mem::discriminant(kind) == std::mem::discriminant(self);
        let kind = codec.kind(KINDS.iter().position(same).unwrap_or(0), KINDS.len());
        if codec.reads() {
            *self = KINDS[kind];
        }
        match self {
            Op::Const(number) => codec.number(number),
            Op::Time => {}
            Op::Unknown(i) | Op::Slow(i) => codec.index(i),
            Op::Unary(op, a) => {
                choice(op, &Unary::ALL, codec);
                codec.index(a);
            }
            Op::Binary(op, a, b) => {
                choice(op, &Binary::ALL, codec);
                [a, b].into_iter().for_each(|i| codec.index(i));
            }
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(|i| codec.index(i)),
            Op::Table1(table, a, order) => {
                [table, a].into_iter().for_each(|i| codec.index(i));
                codec.byte(order);
            }
            Op::Table2(table, a, b, dx, dy) => {
                [table, a, b].into_iter().for_each(|i| codec.index(i));
                codec.byte(dx);
                codec.byte(dy);
            }
            Op::Store(i, a) => [i, a].into_iter().for_each(|i| codec.index(i)),
        }
    }
}

impl Default for GraphTable {
    fn default() -> Self {
        GraphTable::One(Arc::new(Table1::default()))
    }
}

impl Coded for GraphTable {
    fn code(&mut self, codec: &mut Codec) {
        let kind = codec.kind(usize::from(matches!(self, GraphTable::Two(_))), 2);
        if codec.reads() {
            let one = || GraphTable::One(Arc::new(Table1::default()));
            *self = if kind == 0 { one() } else { GraphTable::Two(Arc::new(Table2::default())) };
        }
        let fits = match self {
            GraphTable::One(table) => {
                let (mut x, mut cells, mut jumps, mut seams) = table.parts();
                x.code(codec);
                cells.code(codec);
                jumps.code(codec);
                seams.code(codec);
                let made = Table1::from_parts(x, cells, jumps, seams);
                made.map(|made| *table = Arc::new(made))
            }
            GraphTable::Two(table) => {
                let (mut x, mut y, mut cells, mut outside) = table.parts();
                x.code(codec);
                y.code(codec);
                cells.code(codec);
                choice(&mut outside, &[Outside::Hold, Outside::Extend], codec);
                let made = Table2::from_parts(x, y, cells, outside);
                made.map(|made| *table = Arc::new(made))
            }
        };
        if fits.is_none() {
            codec.refuse();
        }
    }
}

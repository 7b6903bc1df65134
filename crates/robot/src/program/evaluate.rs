//! Values of numbers and places while a program runs.

use trunnion_num::space::{Pose, apply, from_rpy, plus};

use super::code::{BuiltIn, NumberCode, PlaceBase, PlaceCode, ValueSlot};
use super::message::{RobotMessage, TextSpan};
use super::syntax::BinarySign;
use super::task::RobotTask;
use crate::rotation::inverse;

/// A place as it is kept: joints, or a pose seen from the work frame that is in use when the robot goes there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum KeptPlace {
    Joints(Vec<f64>),
    Pose(Pose),
}

fn truth(x: f64) -> bool {
    x > 0.5
}

impl RobotTask {
    /// A finite number, or the reason why not.
    pub(crate) fn value(&self, code: &NumberCode, span: TextSpan) -> Result<f64, RobotMessage> {
        let value = self.number(code);
        if value.is_finite() {
            return Ok(value);
        }
        let error = RobotMessage::new("R26", span, "a value is not a finite number", "computed here");
        Err(error.hint("a division by zero, a root or angle that does not exist, or a variable before its `var` was passed"))
    }

    pub(crate) fn holds(&self, code: &NumberCode, span: TextSpan) -> Result<bool, RobotMessage> {
        self.value(code, span).map(truth)
    }

    fn number(&self, code: &NumberCode) -> f64 {
        match code {
            NumberCode::Constant(value) => *value,
            NumberCode::Variable(ValueSlot::Global(i)) => self.globals.numbers[*i],
            NumberCode::Variable(ValueSlot::Local(i)) => self.locals().map_or(f64::NAN, |l| l.numbers[*i]),
            NumberCode::Input(i) => self.inputs[*i],
            NumberCode::Output(i) => self.outputs[*i],
            NumberCode::TimedOut => f64::from(self.timed_out),
            NumberCode::Function(function, all) => {
                let x = self.number(&all[0]);
                let y = all.get(1).map_or(f64::NAN, |y| self.number(y));
                apply_function(*function, x, y)
            }
            NumberCode::Negative(inner) => -self.number(inner),
            NumberCode::Not(inner) => {
                let x = self.number(inner);
                if x.is_nan() { x } else { f64::from(!truth(x)) }
            }
            NumberCode::Binary(sign, a, b) => apply_sign(*sign, self.number(a), self.number(b)),
        }
    }

    /// A place in terms of joints or of a pose in the work frame.
    pub(crate) fn place(&self, code: &PlaceCode, span: TextSpan) -> Result<KeptPlace, RobotMessage> {
        let numbers =
            |all: &[NumberCode]| all.iter().map(|n| self.value(n, span)).collect::<Result<Vec<f64>, _>>();
        let mut place = match &code.base {
            PlaceBase::Here => KeptPlace::Joints(self.reference.q.clone()),
            PlaceBase::Joints(all) => KeptPlace::Joints(numbers(all)?),
            PlaceBase::Pose(all) => {
                let v = numbers(all)?;
                KeptPlace::Pose(Pose { p: [v[0], v[1], v[2]], r: from_rpy([v[3], v[4], v[5]]) })
            }
            PlaceBase::Point(slot) => self.point(*slot).ok_or_else(|| {
                let error = RobotMessage::new("R26", span, "a point has no value yet", "used here");
                error.hint("its `point` statement has not been passed")
            })?,
        };
        for (tool, by) in &code.shifts {
            let mut pose = match place {
                KeptPlace::Pose(pose) => pose,
                KeptPlace::Joints(q) => inverse(self.work).then(self.arm.forward(&q)),
            };
            let by = numbers(by)?;
            let by = [by[0], by[1], by[2]];
            pose.p = plus(pose.p, if *tool { apply(pose.r, by) } else { by });
            place = KeptPlace::Pose(pose);
        }
        Ok(place)
    }

    fn point(&self, slot: ValueSlot) -> Option<KeptPlace> {
        match slot {
            ValueSlot::Global(i) => self.globals.points[i].clone(),
            ValueSlot::Local(i) => self.locals()?.points[i].clone(),
        }
    }
}

fn apply_function(function: BuiltIn, x: f64, y: f64) -> f64 {
    match function {
        BuiltIn::Sin => x.sin(),
        BuiltIn::Cos => x.cos(),
        BuiltIn::Tan => x.tan(),
        BuiltIn::Asin => x.asin(),
        BuiltIn::Acos => x.acos(),
        BuiltIn::Atan => x.atan(),
        BuiltIn::Atan2 => x.atan2(y),
        BuiltIn::Sqrt => x.sqrt(),
        BuiltIn::Abs => x.abs(),
        // Comparisons would lose a NaN.
        BuiltIn::Min | BuiltIn::Max if x.is_nan() || y.is_nan() => f64::NAN,
        BuiltIn::Min => x.min(y),
        BuiltIn::Max => x.max(y),
        BuiltIn::Round => x.round(),
        BuiltIn::Floor => x.floor(),
    }
}

fn apply_sign(sign: BinarySign, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    match sign {
        BinarySign::Add => a + b,
        BinarySign::Subtract => a - b,
        BinarySign::Multiply => a * b,
        BinarySign::Divide => a / b,
        BinarySign::Modulo => a.rem_euclid(b),
        BinarySign::Less => f64::from(a < b),
        BinarySign::LessEqual => f64::from(a <= b),
        BinarySign::Greater => f64::from(a > b),
        BinarySign::GreaterEqual => f64::from(a >= b),
        BinarySign::Equal => f64::from(a == b),
        BinarySign::Unequal => f64::from(a != b),
        BinarySign::And => f64::from(truth(a) && truth(b)),
        BinarySign::Or => f64::from(truth(a) || truth(b)),
    }
}

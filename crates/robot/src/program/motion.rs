//! Motions of a program: gathered while they blend, planned together, walked before they run.

use trunnion_num::space::Pose;

use super::code::{LimitTarget, MoveCode, NumberCode};
use super::evaluate::KeptPlace;
use super::message::{RobotMessage, TextSpan};
use super::syntax::SettingName;
use super::task::{RobotTask, TaskActivity};
use crate::inverse::{InverseRequest, ToolGoal, solve};
use crate::joint_path::{JointMove, JointPath, JointPathError};
use crate::path_check::{PathCause, PathCheck};
use crate::time_law::{LawError, LawKind, MotionLimits};
use crate::tool_path::{ToolLimits, ToolMove, ToolPath, ToolPathError};

/// Motions that blend into each other at most; the last one stops at its point.
pub(crate) const LONGEST_CHAIN: usize = 16;

/// Samples of a tool motion that are walked before it runs, and how many of them in one step.
const SAMPLES: usize = 100;
const SAMPLES_IN_A_STEP: usize = 200;

/// Speed, acceleration and jerk in force.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskLimits {
    /// Of the joints, as a share of what they can do.
    pub joints: MotionLimits,
    pub tool: ToolLimits,
    pub law: LawKind,
}

/// Motions to be planned together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MotionChain {
    Joints(Vec<(JointMove, TextSpan)>),
    Tool(Vec<(ToolMove, TextSpan)>),
}

impl MotionChain {
    fn is_joint(&self) -> bool {
        matches!(self, MotionChain::Joints(_))
    }

    fn len(&self) -> usize {
        match self {
            MotionChain::Joints(all) => all.len(),
            MotionChain::Tool(all) => all.len(),
        }
    }
}

impl RobotTask {
    pub(crate) fn set_limit(
        &mut self,
        setting: SettingName,
        target: LimitTarget,
        value: f64,
        span: TextSpan,
    ) -> Result<(), RobotMessage> {
        let share = target == LimitTarget::Joints;
        let most = if share { 1.0 } else { f64::MAX };
        if value <= 0.0 || value > most {
            let wanted = if share { "above 0 % and at most 100 %" } else { "above 0" };
            return Err(RobotMessage::new("R27", span, format!("this must be {wanted}"), "out of range"));
        }
        let limits = match target {
            LimitTarget::Joints => &mut self.limits.joints,
            LimitTarget::Tool => &mut self.limits.tool.linear,
            LimitTarget::Turn => &mut self.limits.tool.angular,
        };
        match setting {
            SettingName::Speed => limits.speed = value,
            SettingName::Acceleration => limits.acceleration = value,
            SettingName::Jerk => limits.jerk = value,
        }
        Ok(())
    }

    fn at_least_zero(
        &self,
        code: Option<&NumberCode>,
        what: &str,
        span: TextSpan,
    ) -> Result<f64, RobotMessage> {
        let Some(code) = code else { return Ok(0.0) };
        let value = self.value(code, span)?;
        match value >= 0.0 {
            true => Ok(value),
            false => {
                Err(RobotMessage::new("R27", span, format!("{what} must not be below 0"), "out of range"))
            }
        }
    }

    /// One more motion; true if the chain is complete with it. False and unchanged: the chain before must run first.
    pub(crate) fn add_motion(&mut self, m: &MoveCode, span: TextSpan) -> Result<Option<bool>, RobotMessage> {
        if self.chain.as_ref().is_some_and(|c| c.is_joint() != m.joint) {
            return Ok(None);
        }
        let blend = self.at_least_zero(m.blend.as_ref(), "a blend", span)?;
        let time = self.at_least_zero(m.time.as_ref(), "a time", span)?;
        let duration = (time > 0.0).then_some(time);
        let before = self.limits.clone();
        if let Some((room, speed)) = &m.speed {
            let value = self.value(speed, span)?;
            self.set_limit(SettingName::Speed, *room, value, span)?;
        }
        let added = match m.joint {
            true => self.add_joint_motion(m, blend, duration, span),
            false => self.add_tool_motion(m, blend, duration, span),
        };
        self.limits = before;
        added?;
        let full = self.chain.as_ref().is_some_and(|c| c.len() >= LONGEST_CHAIN);
        Ok(Some(blend == 0.0 || full))
    }

    fn add_joint_motion(
        &mut self,
        m: &MoveCode,
        blend: f64,
        duration: Option<f64>,
        span: TextSpan,
    ) -> Result<(), RobotMessage> {
        let near = match &self.chain {
            Some(MotionChain::Joints(all)) => all.last().map_or(&self.reference.q, |(m, _)| &m.q),
            _ => &self.reference.q,
        };
        let q = match self.place(&m.to, span)? {
            KeptPlace::Joints(q) => q,
            KeptPlace::Pose(pose) => {
                let goal = ToolGoal::Pose(self.work.then(pose));
                let mut request = InverseRequest::near(near);
                request.given =
                    self.follower.held.iter().zip(near).map(|(held, q)| held.then_some(*q)).collect();
                let found = solve(&self.arm, &goal, &request);
                found
                    .map_err(|e| {
                        RobotMessage::new(
                            "R24",
                            span,
                            format!("the pose cannot be reached: {e}"),
                            "this motion",
                        )
                    })?
                    .q
            }
        };
        let limits = (0..self.arm.n()).map(|k| self.joint_limits(k)).collect();
        let motion = JointMove { q, limits, law: self.limits.law, blend, duration };
        match &mut self.chain {
            Some(MotionChain::Joints(all)) => all.push((motion, span)),
            _ => self.chain = Some(MotionChain::Joints(vec![(motion, span)])),
        }
        Ok(())
    }

    /// What an axis can do, or the default where it says nothing, times the share in force.
    fn joint_limits(&self, k: usize) -> MotionLimits {
        let own = self.arm.axis(k).limits;
        let or = |own: f64, default: f64| if own.is_finite() { own } else { default };
        let (default, share) = (&self.defaults.joint, &self.limits.joints);
        MotionLimits {
            speed: share.speed * or(own.speed, default.speed),
            acceleration: share.acceleration * or(own.acceleration, default.acceleration),
            jerk: share.jerk * or(own.jerk, default.jerk),
        }
    }

    fn tool_pose(&self, place: KeptPlace) -> Pose {
        match place {
            KeptPlace::Joints(q) => self.arm.forward(&q),
            KeptPlace::Pose(pose) => self.work.then(pose),
        }
    }

    fn add_tool_motion(
        &mut self,
        m: &MoveCode,
        blend: f64,
        duration: Option<f64>,
        span: TextSpan,
    ) -> Result<(), RobotMessage> {
        let end = self.tool_pose(self.place(&m.to, span)?);
        let via = match &m.via {
            None => None,
            Some(via) => Some(self.tool_pose(self.place(via, span)?).p),
        };
        let motion = ToolMove { end, via, limits: self.limits.tool, law: self.limits.law, blend, duration };
        match &mut self.chain {
            Some(MotionChain::Tool(all)) => all.push((motion, span)),
            _ => self.chain = Some(MotionChain::Tool(vec![(motion, span)])),
        }
        Ok(())
    }

    /// Plan what has been gathered and begin with it.
    pub(crate) fn start_chain(&mut self) -> Result<(), RobotMessage> {
        let Some(chain) = self.chain.take() else { return Ok(()) };
        self.planned = Some((Some(chain.clone()), self.reference.q.clone()));
        self.activity = self.planned_from(chain, &self.reference.q)?;
        Ok(())
    }

    /// The motions of a chain as a path that begins now, from the joints where the robot stands.
    pub(crate) fn planned_from(
        &self,
        chain: MotionChain,
        from: &[f64],
    ) -> Result<TaskActivity, RobotMessage> {
        Ok(match chain {
            MotionChain::Joints(all) => {
                let (moves, spans): (Vec<_>, Vec<_>) = all.into_iter().unzip();
                let path = JointPath::plan(&self.arm, from, &moves).map_err(|e| {
                    let (JointPathError::AtLimit { index, .. }
                    | JointPathError::Law { index, .. }
                    | JointPathError::WrongSize { index }) = e;
                    RobotMessage::new(
                        "R23",
                        spans[index],
                        format!("the joints cannot move there: {e}"),
                        "this motion",
                    )
                })?;
                TaskActivity::MovingJoints { path, start: self.now, spans }
            }
            MotionChain::Tool(all) => {
                let (moves, spans): (Vec<_>, Vec<_>) = all.into_iter().unzip();
                let path =
                    ToolPath::plan(self.arm.forward(from), &moves).map_err(|e| unplanned(&e, &spans))?;
                let check = PathCheck::new(from, SAMPLES * moves.len());
                TaskActivity::Checking { path, check, spans }
            }
        })
    }

    /// Some more samples of the walk along a path; true when it is over.
    pub(crate) fn walk(&mut self) -> Result<bool, RobotMessage> {
        let TaskActivity::Checking { path, check, spans } = &mut self.activity else { return Ok(true) };
        let over = check.advance(&self.arm, &self.follower, path, SAMPLES_IN_A_STEP).map_err(|fault| {
            let message =
                RobotMessage::new("R25", spans[fault.index], fault.to_string(), "on the way of this motion");
            match fault.cause {
                PathCause::TooFast { factor, .. } | PathCause::TooMuchAcceleration { factor, .. } => {
                    let factor = trunnion_num::text::number(1.005 * factor, 3);
                    message.hint(format!("lower the speed: the motion must take {factor} times as long"))
                }
                PathCause::Pose(_) => {
                    message.hint("`move joint` needs no straight way; or move the part nearer")
                }
                _ => message.hint("go there by `move joint`, or choose another orientation of the tool"),
            }
        })?;
        if over && let TaskActivity::Checking { path, spans, .. } = &self.activity {
            let (path, spans) = (path.clone(), spans.clone());
            self.activity = TaskActivity::MovingTool { path, start: self.now, spans };
        }
        Ok(over)
    }
}

fn unplanned(error: &ToolPathError, spans: &[TextSpan]) -> RobotMessage {
    let (ToolPathError::NoArc { index }
    | ToolPathError::Law { index, .. }
    | ToolPathError::NotFinite { index }) = *error;
    let message =
        RobotMessage::new("R23", spans[index], format!("the tool cannot move there: {error}"), "this motion");
    match error {
        ToolPathError::NoArc { .. } => message.hint("choose a via point beside the line, or `move linear`"),
        ToolPathError::Law { error: LawError::Unlimited, .. } => {
            message.hint("give `speed`, `acceleration` and `jerk`")
        }
        _ => message,
    }
}

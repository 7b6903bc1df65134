//! The state of a task in an archive, for snapshots of a run.
//!
//! Paths are not kept but planned again from what they were planned from: planning gives the same bits for the same numbers.

use trunnion_num::Archive;
use trunnion_num::space::{Point, Pose};

use super::evaluate::KeptPlace;
use super::message::TextSpan;
use super::motion::MotionChain;
use super::task::{CallEntry, RobotTask, TaskActivity, ValueStore};
use crate::joint_path::JointMove;
use crate::time_law::{LawKind, MotionLimits};
use crate::tool_path::{ToolLimits, ToolMove};

impl RobotTask {
    /// Writes or reads all that the steps to come depend on. A task that reads has the same program, robot and limits.
    pub fn remember(&mut self, archive: &mut Archive) {
        pose(&mut self.arm.tool, archive);
        limits(&mut self.limits.joints, archive);
        tool_limits(&mut self.limits.tool, archive);
        law(&mut self.limits.law, archive);
        pose(&mut self.work, archive);
        self.frames.iter_mut().for_each(|frame| pose(frame, archive));
        self.globals.remember(archive);
        let entry = CallEntry { back: 0, values: ValueStore::new(0, 0) };
        list(
            &mut self.calls,
            archive,
            || entry.clone(),
            |entry, archive| {
                archive.count(&mut entry.back);
                entry.values.remember(archive);
            },
        );
        archive.numbers(&mut self.inputs);
        archive.numbers(&mut self.outputs);
        archive.flag(&mut self.timed_out);
        archive.count(&mut self.line);
        archive.count(&mut self.at_this_instant);
        archive.number(&mut self.now);
        archive.number(&mut self.last);
        archive.flag(&mut self.started);
        [&mut self.reference.q, &mut self.reference.v, &mut self.reference.a]
            .into_iter()
            .for_each(|x| archive.numbers(x));
        let axes = self.arm.n();
        chain(&mut self.chain, axes, archive);
        let mut planned = self.planned.take().unwrap_or((None, vec![0.0; axes]));
        chain(&mut planned.0, axes, archive);
        archive.numbers(&mut planned.1);
        self.planned = Some(planned);
        self.remember_activity(archive);
        let lines = self.program.code.lines.len();
        if archive.reads() && (self.line >= lines || self.calls.iter().any(|c| c.back >= lines)) {
            archive.refuse();
        }
    }

    fn remember_activity(&mut self, archive: &mut Archive) {
        let (mut kind, mut time, mut walked) = match &self.activity {
            TaskActivity::Idle => (0, 0.0, 0),
            TaskActivity::Waiting { until } => (1, *until, 0),
            TaskActivity::WaitingFor { deadline } => (2, *deadline, 0),
            TaskActivity::Checking { check, .. } => (3, 0.0, check.walked()),
            TaskActivity::MovingJoints { start, .. } | TaskActivity::MovingTool { start, .. } => {
                (4, *start, 0)
            }
            TaskActivity::Done => (5, 0.0, 0),
            TaskActivity::Failed => (6, 0.0, 0),
        };
        archive.count(&mut kind);
        archive.number(&mut time);
        archive.count(&mut walked);
        if !archive.reads() {
            return;
        }
        let activity = match kind {
            0 => Some(TaskActivity::Idle),
            1 => Some(TaskActivity::Waiting { until: time }),
            2 => Some(TaskActivity::WaitingFor { deadline: time }),
            3 | 4 => self.planned_again(kind == 3, time, walked),
            5 => Some(TaskActivity::Done),
            6 => Some(TaskActivity::Failed),
            _ => None,
        };
        match activity {
            Some(activity) => self.activity = activity,
            None => archive.refuse(),
        }
    }

    /// The path of the motions under way, with as many samples walked; None: they do not belong to this task.
    fn planned_again(&self, checking: bool, start: f64, walked: usize) -> Option<TaskActivity> {
        let (chain, from) = self.planned.as_ref()?;
        let fresh = self.planned_from(chain.clone()?, from).ok()?;
        match fresh {
            TaskActivity::MovingJoints { path, spans, .. } if !checking => {
                Some(TaskActivity::MovingJoints { path, start, spans })
            }
            TaskActivity::Checking { path, spans, .. } if !checking => {
                Some(TaskActivity::MovingTool { path, start, spans })
            }
            TaskActivity::Checking { path, mut check, spans } => {
                check.advance(&self.arm, &self.follower, &path, walked).ok()?;
                Some(TaskActivity::Checking { path, check, spans })
            }
            _ => None,
        }
    }
}

impl ValueStore {
    fn remember(&mut self, archive: &mut Archive) {
        list(&mut self.numbers, archive, || 0.0, |x, archive| archive.number(x));
        list(&mut self.points, archive, || None, place);
    }
}

/// A list of any length; one that is read grows as long as there is something to read.
fn list<T>(
    items: &mut Vec<T>,
    archive: &mut Archive,
    blank: impl Fn() -> T,
    item: impl Fn(&mut T, &mut Archive),
) {
    let mut n = items.len();
    archive.count(&mut n);
    if archive.reads() {
        items.clear();
    }
    for k in 0..n {
        if items.len() <= k {
            items.push(blank());
        }
        item(&mut items[k], archive);
        if items.len() < n && !archive.reads() {
            // The archive ended early, and says so itself.
            return;
        }
    }
}

fn point(p: &mut Point, archive: &mut Archive) {
    p.iter_mut().for_each(|x| archive.number(x));
}

fn pose(pose: &mut Pose, archive: &mut Archive) {
    point(&mut pose.p, archive);
    pose.r.iter_mut().for_each(|row| point(row, archive));
}

fn place(kept: &mut Option<KeptPlace>, archive: &mut Archive) {
    let mut kind = match kept {
        None => 0,
        Some(KeptPlace::Joints(_)) => 1,
        Some(KeptPlace::Pose(_)) => 2,
    };
    archive.count(&mut kind);
    if archive.reads() {
        *kept = match kind {
            0 => None,
            1 => Some(KeptPlace::Joints(vec![])),
            _ => Some(KeptPlace::Pose(Pose::HOME)),
        };
    }
    match kept {
        None => {}
        Some(KeptPlace::Joints(q)) => list(q, archive, || 0.0, |x, archive| archive.number(x)),
        Some(KeptPlace::Pose(p)) => pose(p, archive),
    }
}

fn limits(limits: &mut MotionLimits, archive: &mut Archive) {
    [&mut limits.speed, &mut limits.acceleration, &mut limits.jerk]
        .into_iter()
        .for_each(|x| archive.number(x));
}

fn tool_limits(tool: &mut ToolLimits, archive: &mut Archive) {
    limits(&mut tool.linear, archive);
    limits(&mut tool.angular, archive);
}

fn law(kind: &mut LawKind, archive: &mut Archive) {
    let all = [LawKind::Trapezoid, LawKind::SCurve, LawKind::Quintic];
    let mut place = all.iter().position(|k| k == kind).unwrap_or(0);
    archive.count(&mut place);
    match all.get(place) {
        Some(read) => *kind = *read,
        None => archive.refuse(),
    }
}

/// A number that may be absent, as NaN.
fn optional(value: &mut Option<f64>, archive: &mut Archive) {
    let mut number = value.unwrap_or(f64::NAN);
    archive.number(&mut number);
    *value = (!number.is_nan()).then_some(number);
}

fn span(span: &mut TextSpan, archive: &mut Archive) {
    archive.count(&mut span.start);
    archive.count(&mut span.end);
}

const NO_LIMITS: MotionLimits = MotionLimits { speed: 1.0, acceleration: 1.0, jerk: 1.0 };

fn chain(chain: &mut Option<MotionChain>, axes: usize, archive: &mut Archive) {
    let mut kind = match chain {
        None => 0,
        Some(MotionChain::Joints(_)) => 1,
        Some(MotionChain::Tool(_)) => 2,
    };
    archive.count(&mut kind);
    if archive.reads() {
        *chain = match kind {
            0 => None,
            1 => Some(MotionChain::Joints(vec![])),
            _ => Some(MotionChain::Tool(vec![])),
        };
    }
    match chain {
        None => {}
        Some(MotionChain::Joints(moves)) => {
            let blank = || {
                let (q, limits) = (vec![0.0; axes], vec![NO_LIMITS; axes]);
                (
                    JointMove { q, limits, law: LawKind::SCurve, blend: 0.0, duration: None },
                    TextSpan::default(),
                )
            };
            list(moves, archive, blank, |(m, place), archive| {
                archive.numbers(&mut m.q);
                m.limits.iter_mut().for_each(|l| limits(l, archive));
                law(&mut m.law, archive);
                archive.number(&mut m.blend);
                optional(&mut m.duration, archive);
                span(place, archive);
            });
        }
        Some(MotionChain::Tool(moves)) => {
            let tool = ToolLimits { linear: NO_LIMITS, angular: NO_LIMITS };
            let (end, law_kind) = (Pose::HOME, LawKind::SCurve);
            let blank = ToolMove { end, via: None, limits: tool, law: law_kind, blend: 0.0, duration: None };
            list(
                moves,
                archive,
                || (blank, TextSpan::default()),
                |(m, place), archive| {
                    pose(&mut m.end, archive);
                    let mut via = m.via.unwrap_or([f64::NAN; 3]);
                    point(&mut via, archive);
                    m.via = (!via[0].is_nan()).then_some(via);
                    tool_limits(&mut m.limits, archive);
                    law(&mut m.law, archive);
                    archive.number(&mut m.blend);
                    optional(&mut m.duration, archive);
                    span(place, archive);
                },
            );
        }
    }
}

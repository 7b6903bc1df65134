//! Robots: references of the axes as quantities, and the task that gives them.
//!
//! A robot is the chain of joints between two frames, base and tool. F_i is the frame of joint i on the side of the base, M_i the one on the side of
//! the tool, both on named bodies; where the coordinate is 0 they coincide:
//!
//!   X_i = X_BM,i−1⁻¹ X_BF,i,   both seen from the body B between joint i − 1 and joint i                       (1)
//!
//! A joint that leads from its child to its parent moves the other way: about −a.

use std::collections::VecDeque;

use trunnion_equations::flat::{
    Action, RobotJointMotion, RobotJointOutline, RobotOutline, ScriptLanguage, Task,
};
use trunnion_equations::{Ex, Expr, Symbol};

use super::quantities::New;
use super::{ModelBuilder, NameRole};
use crate::component::{Controller, RobotDefinition, Scalar, ScalarForm, TOOL_LIMITS};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::file::{Span, TomlText};
use crate::mechanism::{Frame, Joint, JointKind, PrimitiveJoint};
use crate::units::parse_unit;

const NO_AXIS: &str = "M0551";
const NO_CHAIN: &str = "M0552";
const ORDER: &str = "M0553";
const COUNT: &str = "M0554";

/// References of one axis: position, speed, acceleration.
const REFERENCES: [&str; 3] = ["x_ref", "v_ref", "a_ref"];
const OF_TURN: [&str; 3] = ["rad", "rad/s", "rad/s^2"];
const OF_SLIDE: [&str; 3] = ["m", "m/s", "m/s^2"];

/// Where acceleration or jerk of an axis is left out: reached within ¼ s and 1/10 s.
const PER_SECOND: [f64; 2] = [4.0, 10.0];

/// A joint of the chain; reversed: from its child to its parent.
#[derive(Clone, Copy)]
struct ChainJoint {
    joint: usize,
    reversed: bool,
}

/// Without joints, by a program or by levers.
fn moved_by(robot: &RobotDefinition) -> RobotOutline {
    RobotOutline { joints: vec![], levers: robot.plane.filter(|_| !robot.levers.is_empty()) }
}

fn motion_of(kind: &JointKind) -> Option<RobotJointMotion> {
    match kind.primitives {
        [PrimitiveJoint::Fixed] => Some(RobotJointMotion::Fixed),
        [PrimitiveJoint::Turn(_)] => Some(RobotJointMotion::Turn),
        [PrimitiveJoint::Slide(_)] => Some(RobotJointMotion::Slide),
        [PrimitiveJoint::Screw(_)] => Some(RobotJointMotion::Screw),
        _ => None,
    }
}

impl<'a> ModelBuilder<'a> {
    /// The references of all robots, which start where their axes do.
    pub(super) fn add_robot_quantities(&mut self) {
        let controllers: Vec<&'a Controller> = self.tree.instances[0].each(|b| &b.controllers).collect();
        for controller in controllers {
            let Some(robot) = &controller.robot else { continue };
            for axis in &robot.axes {
                self.add_axis(controller, axis);
            }
            let docs = match robot.levers.is_empty() {
                true => ["Line under way", "1 when the program is over"],
                false => ["What limits leave of the speed that the levers ask", "1 near a singular pose"],
            };
            for (name, doc) in moved_by(robot).state().into_iter().zip(docs) {
                let name = format!("{}.{name}", controller.key.name);
                let unit = parse_unit("1").ok();
                let new = New { name, unit, doc, nominal: None, span: &controller.key.span };
                let zero = self.graph().constant(0.0).id;
                self.add_quantity(0, new, NameRole::Mode, zero);
            }
        }
    }

    fn add_axis(&mut self, controller: &'a Controller, axis: &TomlText) {
        let whole = format!("{}.{}", controller.key.name, axis.text);
        let kind = self.axis_kind(axis);
        let kind = kind.map_err(|error| self.problems.add(*error)).ok();
        let Some(kind) = kind else {
            self.names.broken.insert(whole);
            return;
        };
        let (names, units) =
            (&kind.coordinates[0], if kind.coordinates[0].turns { OF_TURN } else { OF_SLIDE });
        let start = self.names.map.get(&format!("{}.{}", axis.text, names.position)).map(|n| n.expr);
        let start = start.and_then(|e| self.start_of(e));
        let zero = self.graph().constant(0.0).id;
        let docs = ["Reference of the position", "Reference of the speed", "Reference of the acceleration"];
        for k in 0..3 {
            let (name, unit) = (format!("{whole}.{}", REFERENCES[k]), parse_unit(units[k]).ok());
            let new = New { name, unit, doc: docs[k], nominal: None, span: &axis.span };
            self.add_quantity(0, new, NameRole::Mode, if k == 0 { start.unwrap_or(zero) } else { zero });
        }
    }

    /// The start value of a variable.
    fn start_of(&self, e: Expr) -> Option<Expr> {
        use trunnion_equations::ExprNode;
        use trunnion_equations::flat::QuantityRole;
        let ExprNode::Symbol(s) = self.graph().node(e) else { return None };
        match self.flat.quantity(s).kind {
            QuantityRole::Unknown { start } => Some(start),
            _ => None,
        }
    }

    fn axis_kind(&self, axis: &TomlText) -> Result<&'static JointKind, Box<Diagnostic>> {
        let instances = &self.tree.instances;
        let found = instances[0].children.get(&axis.text).map(|&i| instances[i].definition);
        let kind = found.and_then(|definition| JointKind::find(&definition.name));
        let Some(kind) = kind else {
            let joints = instances[0].children.iter();
            let joints = joints.filter(|(_, i)| JointKind::find(&instances[**i].definition.name).is_some());
            let names: Vec<&str> = joints.map(|(name, _)| name.as_str()).collect();
            return Err(Box::new(
                Diagnostic::error(NO_AXIS, format!("there is no joint `{}`", axis.text))
                    .at(&axis.span, "not among [joints]")
                    .hint_if(did_you_mean(&axis.text, names)),
            ));
        };
        match motion_of(kind) {
            Some(RobotJointMotion::Turn | RobotJointMotion::Slide | RobotJointMotion::Screw) => Ok(kind),
            _ => Err(Box::new(
                Diagnostic::error(NO_AXIS, format!("`{}` cannot be an axis of a robot", axis.text))
                    .at(&axis.span, format!("it is a {} joint", kind.word))
                    .hint("an axis is revolute, prismatic or a screw; of more freedoms make joints with light bodies between them"),
            )),
        }
    }

    /// The task of a robot.
    pub(super) fn add_robot(&mut self, controller: &'a Controller, robot: &'a RobotDefinition) {
        let name = controller.key.name.clone();
        let mut signals = vec![];
        for (key, formula) in &controller.inputs {
            let typed = self.formula(formula, &self.view(0));
            signals.extend(typed.map(|typed| (key.name.clone(), typed.expr)));
        }
        for (k, formula) in robot.levers.iter().enumerate() {
            let form = ScalarForm::Formula(formula.clone());
            let scalar = Scalar { form, span: formula.text.span.clone() };
            let typed = self.scalar(&scalar, &self.view(0), parse_unit("m/s").ok().as_ref(), "a lever");
            signals.extend(typed.map(|typed| (format!("lever{}", k + 1), typed.expr)));
        }
        if !robot.levers.is_empty() && (robot.plane.is_none() || signals.len() != 2 + controller.inputs.len())
        {
            return;
        }
        let limits = self.robot_limits(&name, robot);
        let chain = self.robot_chain(robot).map_err(|error| self.problems.add(*error)).ok();
        let (Some(clock), Some(script)) = (&controller.clock, &controller.script) else { return };
        let clock = self.clock(0, clock, &name);
        let (Some((period, offset)), Some((tool, chain)), Some(limits)) = (clock, chain, limits) else {
            return;
        };
        let Some((outline, setup)) = self.robot_setup(robot, &chain, &tool, limits) else { return };
        let moving = chain.iter().map(|c| &self.mechanism.joints[c.joint]).filter(|j| !j.freedoms.is_empty());
        let moving: Vec<(String, Symbol)> =
            moving.map(|j| (j.name.clone(), j.freedoms[0].position)).collect();
        let mut inputs: Vec<(String, Expr)> =
            moving.iter().map(|(axis, s)| (axis.clone(), self.flat.ex(*s).id)).collect();
        inputs.extend(signals);
        let axes = moving.iter().flat_map(|(axis, _)| REFERENCES.map(|r| format!("{axis}.{r}")));
        let state = outline.state().map(String::from);
        let own = controller.outputs.iter().map(|o| o.key.name.clone());
        let symbol = |key: String| {
            let found = self.names.map.get(&format!("{name}.{key}"))?.symbol?;
            Some((key, found))
        };
        let outputs: Vec<(String, Symbol)> = axes.chain(state).chain(own).filter_map(symbol).collect();
        if outputs.len() != 3 * moving.len() + RobotOutline::OF_STATE + controller.outputs.len() {
            // A name that stands twice, which has been reported.
            return;
        }
        let origin = self.origin(0, &script.span);
        let (language, source) = (ScriptLanguage::Robot(outline), script.text.as_str().into());
        let action = Action::Script { language, source, setup, inputs, outputs };
        self.flat.tasks.push(Task { name, origin, period, offset, after: false, action });
    }

    /// Speed, acceleration and jerk of every axis in the order of `axes`, then the six of the tool.
    fn robot_limits(&mut self, name: &str, robot: &RobotDefinition) -> Option<(Vec<[Expr; 3]>, [Expr; 6])> {
        let mut axes = vec![];
        for (k, axis) in robot.axes.iter().enumerate() {
            let kind = self.axis_kind(axis).ok()?;
            let units = if kind.coordinates[0].turns {
                ["rad/s", "rad/s^2", "rad/s^3"]
            } else {
                ["m/s", "m/s^2", "m/s^3"]
            };
            let mut made: Vec<Expr> = vec![];
            for (order, unit) in units.into_iter().enumerate() {
                let given = &robot.limits[order];
                self.limits_fit(name, given, robot.axes.len(), order)?;
                let expr = match given.get(if given.len() == 1 { 0 } else { k }) {
                    Some(scalar) => self.above_zero(scalar, unit, &format!("a limit of `{}`", axis.text))?,
                    None if order == 0 => return None,
                    None => (self.graph().at(made[order - 1]) * PER_SECOND[order - 1]).id,
                };
                made.push(expr);
            }
            axes.push([made[0], made[1], made[2]]);
        }
        let mut tool = [self.graph().constant(0.0).id; 6];
        for (place, (given, (key, unit, default))) in
            tool.iter_mut().zip(robot.tool_limits.iter().zip(TOOL_LIMITS))
        {
            *place = match given {
                Some(scalar) => self.above_zero(scalar, unit, &format!("`{key}` of `{name}`"))?,
                None => self.graph().constant(default).id,
            };
        }
        Some((axes, tool))
    }

    fn limits_fit(&self, name: &str, given: &[Scalar], axes: usize, order: usize) -> Option<()> {
        if given.len() <= 1 || given.len() == axes {
            return Some(());
        }
        let key = ["speed", "acceleration", "jerk"][order];
        self.problems.add(
            Diagnostic::error(
                COUNT,
                format!("`{key}` of `{name}` has {} values for {axes} axes", given.len()),
            )
            .at(&given[0].span, "one for all axes, or one for each"),
        );
        None
    }

    fn above_zero(&mut self, scalar: &Scalar, unit: &str, whose: &str) -> Option<Expr> {
        let (typed, value) = self.constant(scalar, 0, parse_unit(unit).ok().as_ref(), whose)?;
        if value > 0.0 {
            return Some(typed.expr);
        }
        self.problems.add(
            Diagnostic::error("M0108", format!("{whose} has to be above 0"))
                .at(&scalar.span, format!("this is {value} {unit}")),
        );
        None
    }

    fn robot_frame(&self, text: &TomlText) -> Result<Frame, Box<Diagnostic>> {
        let frames = &self.mechanism.frames;
        frames.iter().find(|f| f.name == text.text).cloned().ok_or_else(|| {
            Box::new(
                Diagnostic::error("M0505", format!("there is no body or frame `{}`", text.text))
                    .at(&text.span, "unknown frame")
                    .hint("a frame is named by its body: \"arm.tip\"")
                    .hint_if(did_you_mean(&text.text, frames.iter().map(|f| f.name.as_str()))),
            )
        })
    }

    /// Base and tool, and the joints between them.
    fn robot_chain(&self, robot: &RobotDefinition) -> Result<([Frame; 2], Vec<ChainJoint>), Box<Diagnostic>> {
        let Some(named) = &robot.tool else { return Err(Box::new(unnamed(robot))) };
        let tool = self.robot_frame(named)?;
        let base = match &robot.base {
            Some(base) => self.robot_frame(base)?,
            None => match self.mechanism.frames.first() {
                Some(world) => world.clone(),
                None => return Err(Box::new(unnamed(robot))),
            },
        };
        let axis = |j: &Joint| robot.axes.iter().any(|a| a.text == j.name);
        let stiff = |j: &Joint| motion_of(j.kind) == Some(RobotJointMotion::Fixed);
        let Some(chain) = self.path(base.body, tool.body, |j| axis(j) || stiff(j)) else {
            return Err(Box::new(self.no_chain(robot, named, (base.body, tool.body))));
        };
        let moving: Vec<&str> = chain
            .iter()
            .map(|c| &self.mechanism.joints[c.joint])
            .filter(|j| !stiff(j))
            .map(|j| j.name.as_str())
            .collect();
        if !robot.axes.iter().map(|a| a.text.as_str()).eq(moving.iter().copied()) {
            let place = robot.axes.first().map_or(&named.span, |a| &a.span);
            return Err(Box::new(
                Diagnostic::error(
                    ORDER,
                    format!("the axes do not lead from the base to `{}` in this order", named.text),
                )
                .at(place, "each axis once, the one nearest to the base first")
                .hint(format!("write axes = [\"{}\"]", moving.join("\", \""))),
            ));
        }
        if let Some(axis) = robot.hold.iter().find(|axis| !moving.contains(&axis.text.as_str())) {
            let error = Diagnostic::error(NO_AXIS, format!("`{}` cannot be held by the robot", axis.text));
            return Err(Box::new(error.at(&axis.span, "it is not among `axes`")));
        }
        self.check_drives(robot)?;
        Ok(([base, tool], chain))
    }

    /// One component for each axis, or none.
    fn check_drives(&self, robot: &RobotDefinition) -> Result<(), Box<Diagnostic>> {
        let (drives, axes) = (&robot.drives, robot.axes.len());
        let children = &self.tree.instances[0].children;
        if let Some(unknown) = drives.iter().find(|d| !children.contains_key(&d.text)) {
            return Err(Box::new(
                Diagnostic::error(NO_AXIS, format!("there is no component `{}`", unknown.text))
                    .at(&unknown.span, "not among [components]")
                    .hint_if(did_you_mean(&unknown.text, children.keys().map(String::as_str))),
            ));
        }
        if !drives.is_empty() && drives.len() != axes {
            let error =
                Diagnostic::error(COUNT, format!("there are {} drives for {axes} axes", drives.len()));
            return Err(Box::new(error.at(&drives[0].span, "one for each axis")));
        }
        Ok(())
    }

    /// The joints that lead from one body to another, fewest first.
    fn path(&self, from: usize, to: usize, usable: impl Fn(&Joint) -> bool) -> Option<Vec<ChainJoint>> {
        let mut reached: Vec<Option<ChainJoint>> = vec![None; self.mechanism.bodies.len()];
        let mut open = VecDeque::from([from]);
        while let Some(body) = open.pop_front() {
            for (joint, j) in self.mechanism.joints.iter().enumerate().filter(|(_, j)| usable(j)) {
                for (near, far, reversed) in
                    [(j.parent.body, j.child.body, false), (j.child.body, j.parent.body, true)]
                {
                    if near == body && far != from && reached[far].is_none() {
                        reached[far] = Some(ChainJoint { joint, reversed });
                        open.push_back(far);
                    }
                }
            }
        }
        let (mut chain, mut at) = (vec![], to);
        while at != from {
            let step = reached[at]?;
            let joint = &self.mechanism.joints[step.joint];
            at = if step.reversed { joint.child.body } else { joint.parent.body };
            chain.push(step);
        }
        chain.reverse();
        (!chain.is_empty()).then_some(chain)
    }

    fn no_chain(&self, robot: &RobotDefinition, tool: &TomlText, (from, to): (usize, usize)) -> Diagnostic {
        let joints = &self.mechanism.joints;
        let error =
            Diagnostic::error(NO_CHAIN, format!("no chain of axes leads from the base to `{}`", tool.text));
        let error = error.at(&tool.span, "not reached by the axes and welds");
        let any = self.path(from, to, |j| !j.cut);
        let missing = any.into_iter().flatten().map(|c| &joints[c.joint]).find(|j| {
            motion_of(j.kind) != Some(RobotJointMotion::Fixed) && !robot.axes.iter().any(|a| a.text == j.name)
        });
        error.hint_if(missing.map(|j| format!("`{}` is between them: name it in `axes`, or weld it", j.name)))
    }

    /// The numbers of a robot, in the order of [`RobotOutline`].
    fn robot_setup(
        &self,
        robot: &RobotDefinition,
        chain: &[ChainJoint],
        [base, tool]: &[Frame; 2],
        (of_axes, of_tool): (Vec<[Expr; 3]>, [Expr; 6]),
    ) -> Option<(RobotOutline, Vec<Expr>)> {
        let number = |x: f64| self.graph().constant(x).id;
        let mut outline = moved_by(robot);
        let (mut of_joints, mut seat) = (vec![], base);
        for step in chain {
            let joint = &self.mechanism.joints[step.joint];
            let (near, far) =
                if step.reversed { (&joint.child, &joint.parent) } else { (&joint.parent, &joint.child) };
            of_joints.extend(self.relative(seat, near)); // (1)
            seat = far;
            let motion = motion_of(joint.kind)?;
            let sign = if step.reversed { -1.0 } else { 1.0 };
            let axis = joint.axes.first().map_or([0.0; 3], |a| a.map(|x| sign * x));
            let held = robot.hold.iter().any(|a| a.text == joint.name);
            let place = robot.axes.iter().position(|a| a.text == joint.name);
            let drive = place.and_then(|k| robot.drives.get(k)).map(|d| d.text.clone()).unwrap_or_default();
            outline.joints.push(RobotJointOutline { name: joint.name.clone(), motion, axis, held, drive });
            let limit = |name: &str, otherwise: f64| {
                let given = self.names.map.get(&format!("{}.{name}", joint.name));
                given.map_or(number(otherwise), |n| n.expr)
            };
            of_joints.push(joint.pitch.unwrap_or(number(0.0)));
            of_joints.push(limit("lower", f64::NEG_INFINITY));
            of_joints.push(limit("upper", f64::INFINITY));
            of_joints.extend(place.map_or([number(1.0); 3], |k| of_axes[k]));
        }
        let mut setup = of_tool.to_vec();
        setup.extend(self.relative(seat, tool));
        setup.extend(of_joints);
        Some((outline, setup))
    }

    /// X_BM⁻¹ X_BF: place, then rows of the rotation. (1)
    fn relative(&self, m: &Frame, f: &Frame) -> Vec<Expr> {
        let graph = self.graph();
        let at = |e: Expr| graph.at(e);
        let sum = |terms: [Ex<'_>; 3]| (terms[0] + terms[1] + terms[2]).id;
        let mut numbers = vec![];
        for i in 0..3 {
            numbers.push(sum([0, 1, 2].map(|k| at(m.r[k][i]) * (at(f.p[k]) - at(m.p[k])))));
        }
        for i in 0..3 {
            for j in 0..3 {
                numbers.push(sum([0, 1, 2].map(|k| at(m.r[k][i]) * at(f.r[k][j]))));
            }
        }
        numbers
    }
}

fn unnamed(robot: &RobotDefinition) -> Diagnostic {
    let error = Diagnostic::error(NO_CHAIN, "a robot needs a mechanism with the frame that it moves");
    let place: Option<&Span> = robot.tool.as_ref().or(robot.axes.first()).map(|t| &t.span);
    match place {
        Some(span) => error.at(span, "no such frame"),
        None => error,
    }
}

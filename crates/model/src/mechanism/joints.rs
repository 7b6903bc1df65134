//! Joints: which frames they join, along which axes, and the quantities of their coordinates.

use std::f64::consts::TAU;

use trunnion_equations::{Expr, ExprNode, Symbol};

use super::places::Places;
use super::sections::{MechanismPart, Sections, joint_kind};
use super::{Freedom, Joint, JointAxes, JointKind, Motion, Orientation, wrong_length};
use crate::component::{Section, read_scalar};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::file::{Data, Fields, TomlValue};
use crate::instantiate::ModelBuilder;
use crate::units::parse_unit;

impl<'a> ModelBuilder<'a> {
    pub(crate) fn read_joints(&mut self, sections: &'a Sections, places: &Places) {
        // What is mounted may depend on options: a joint that another one of its name replaces is not read.
        let is_there = |b: &Self, part: &MechanismPart| {
            let child = b.tree.instances[0].children.get(&part.key.name);
            child.is_some_and(|&i| b.tree.instances[i].place == part.key.span)
        };
        let mounted: Vec<_> = sections.mounted_joints.iter().filter(|part| is_there(self, part)).collect();
        for part in sections.of(Section::Joints).iter().chain(mounted) {
            let joint = joint_kind(part).and_then(|kind| self.read_joint(part, kind, places));
            self.mechanism.joints.extend(joint);
        }
    }

    /// The quantity of a part's component.
    pub(crate) fn symbol_of(&self, part: &MechanismPart, name: &str) -> Option<Symbol> {
        self.names.map.get(&format!("{}.{name}", part.key.name))?.symbol
    }

    /// The value given for a key of a part, at the start.
    fn is_given(&self, part: &MechanismPart, name: &str) -> bool {
        let child = self.tree.instances[0].children.get(&part.key.name);
        child.is_some_and(|&i| self.tree.instances[i].arguments.contains_key(name))
    }

    fn read_joint(
        &mut self,
        part: &'a MechanismPart,
        kind: &'static JointKind,
        places: &Places,
    ) -> Option<Joint> {
        let f = part.fields("joint", self.problems);
        let (parent, child) = (places.frame(&f, "parent"), places.frame(&f, "child"));
        let cut = f.boolean("cut").unwrap_or(false);
        let guess = f.boolean("guess").unwrap_or(false);
        let axes = self.read_axes(&f, kind, places.planar);
        if places.planar {
            self.check_in_plane(&f, kind, axes.as_deref().unwrap_or_default());
        }
        let motions = self.read_motions(&f, part, kind);
        self.check_limits(part);
        if places.planar && !kind.is_plane {
            let place = f.value("type").map_or_else(|| f.place().clone(), |v| v.span.clone());
            self.problems.add(
                Diagnostic::error("M0514", format!("`{}` leads out of the plane", part.key.name))
                    .at(&place, "not in a plane")
                    .hint("in a plane a joint is weld, revolute, prismatic or planar, which leaves all three freedoms"),
            );
        }
        let (parent, child) = (parent?, child?);
        if parent.body == child.body {
            let label = format!("both are on `{}`", places.origin(child.body).name);
            let place = f.value("child").map_or_else(|| f.place().clone(), |v| v.span.clone());
            self.problems.add(
                Diagnostic::error("M0506", format!("joint `{}` joins a body with itself", part.key.name))
                    .at(&place, label)
                    .hint("`parent` and `child` are different bodies, or frames on them"),
            );
            return None;
        }
        let mut freedoms = vec![];
        for (k, c) in kind.coordinates.iter().enumerate() {
            let given = |name: &str| !guess && self.is_given(part, &format!("{name}0"));
            freedoms.push(Freedom {
                turns: c.turns,
                position: self.symbol_of(part, c.position)?,
                velocity: self.symbol_of(part, c.velocity)?,
                force: self.symbol_of(part, c.force)?,
                motion: motions.get(k).cloned().flatten(),
                holds: (given(c.position), given(c.velocity)),
            });
        }
        let reactions = ["fx", "fy", "fz", "mx", "my", "mz"].map(|name| self.symbol_of(part, name));
        let mut origin = self.origin(0, &part.key.span);
        origin.component = part.key.name.clone();
        Some(Joint {
            name: part.key.name.clone(),
            origin,
            kind,
            parent,
            child,
            axes: axes?,
            // Per radian.
            pitch: self.symbol_of(part, "pitch").map(|s| (self.flat.ex(s) / TAU).id),
            freedoms,
            orientation: if kind.has_orientation() { Some(self.orientation(part, guess)?) } else { None },
            cut,
            reactions: all(reactions),
        })
    }

    fn orientation(&self, part: &MechanismPart, guess: bool) -> Option<Orientation> {
        let given = |names: [&str; 3]| !guess && names.iter().any(|name| self.is_given(part, name));
        Some(Orientation {
            quaternion: all(["qw", "qx", "qy", "qz"].map(|n| self.symbol_of(part, n)))?,
            velocity: all(["wx", "wy", "wz"].map(|n| self.symbol_of(part, n)))?,
            torque: all(["tau_x", "tau_y", "tau_z"].map(|n| self.symbol_of(part, n)))?,
            holds: (given(["roll0", "pitch0", "yaw0"]), given(["wx0", "wy0", "wz0"])),
        })
    }

    fn check_limits(&mut self, part: &MechanismPart) {
        let of = |b: &mut Self, name: &str| {
            let symbol = b.symbol_of(part, name)?;
            let e = b.flat.ex(symbol).id;
            b.values.of(&b.flat.graph, e)
        };
        let (Some(lower), Some(upper)) = (of(self, "lower"), of(self, "upper")) else { return };
        if lower > upper {
            let place = part.table.get("lower").map_or(&part.key.span, |e| &e.value.span);
            self.problems.add(
                Diagnostic::error(
                    "M0510",
                    format!("the limits of `{}` leave nothing between them", part.key.name),
                )
                .at(place, "`lower` is above `upper`")
                .hint("exchange them"),
            );
        }
    }

    fn read_axes(&mut self, f: &Fields<'_>, kind: &'static JointKind, planar: bool) -> Option<Vec<[f64; 3]>> {
        let (key, other) = if kind.axes.count() == 2 { ("axes", "axis") } else { ("axis", "axes") };
        if let Some(entry) = f.entry(other) {
            self.problems.add(
                Diagnostic::error("M0101", format!("{} has no key `{other}`", f.what()))
                    .at(&entry.key.span, "unknown key")
                    .hint_if((kind.axes.count() > 0).then(|| format!("this type has `{key}`"))),
            );
        }
        match (kind.axes.count(), f.value(key)) {
            (0, None) => Some(vec![]),
            (0, Some(value)) => {
                let error = Diagnostic::error("M0101", format!("{} has no key `axis`", f.what()));
                self.problems.add(error.at(&value.span, "joints of this type have no axis"));
                Some(vec![])
            }
            (1, None) if planar && kind == JointKind::REVOLUTE => Some(vec![[0.0, 0.0, 1.0]]),
            (1, None) => {
                f.missing("axis", "\"x\", \"y\", \"z\", \"-x\" … or three numbers, in the parent's frame");
                None
            }
            (1, Some(value)) => Some(vec![self.read_axis(value, planar)?]),
            (_, None) => Some(vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
            (_, Some(value)) => {
                let Data::List(list) = &value.data else {
                    self.problems.add(wrong_length(value, key, "two axes, as in [\"x\", \"y\"]"));
                    return None;
                };
                let [a, b] = list.as_slice() else {
                    self.problems.add(wrong_length(value, key, "two axes, as in [\"x\", \"y\"]"));
                    return None;
                };
                let (a, b) = (self.read_axis(a, planar), self.read_axis(b, planar));
                let axes = [a?, b?];
                self.check_pair(axes, kind, value).then(|| axes.to_vec())
            }
        }
    }

    /// Two axes that make a joint of two turns, or a plane with coordinates of its own.
    fn check_pair(&self, [a, b]: [[f64; 3]; 2], kind: &'static JointKind, value: &TomlValue) -> bool {
        let dot: f64 = (0..3).map(|k| a[k] * b[k]).sum();
        let (wrong, reason) = match kind.axes {
            JointAxes::Orthogonal => (dot.abs() > 1e-9, "they have to be at right angles"),
            _ => (dot.abs() > 1.0 - 1e-9, "they are parallel"),
        };
        if wrong {
            let error = Diagnostic::error("M0508", "these axes do not make a joint");
            self.problems.add(error.at(&value.span, reason).hint("as in axes = [\"x\", \"y\"]"));
        }
        !wrong
    }

    /// In a plane turns are about z, slides across it.
    fn check_in_plane(&self, f: &Fields<'_>, kind: &'static JointKind, axes: &[[f64; 3]]) {
        let turns = kind == JointKind::REVOLUTE;
        let out = |a: &[f64; 3]| if turns { a[0].hypot(a[1]) } else { a[2] };
        let Some(value) = f.value("axis").or(f.value("axes")) else { return };
        if kind.is_plane && axes.iter().any(|a| out(a).abs() > 1e-9) {
            let (label, hint) = match turns {
                true => ("not along z", "leave `axis` out: in a plane all joints turn about z"),
                false => ("not along the plane", "slides are along \"x\", \"y\" or two numbers"),
            };
            let error = Diagnostic::error("M0514", format!("{} leads out of the plane", f.what()));
            self.problems.add(error.at(&value.span, label).hint(hint));
        }
    }

    /// A unit vector.
    fn read_axis(&mut self, value: &TomlValue, planar: bool) -> Option<[f64; 3]> {
        let words = ["x", "y", "z", "-x", "-y", "-z"];
        if let Some(text) = value.as_text() {
            let Some(k) = words.iter().position(|w| *w == text.text) else {
                self.problems.add(
                    Diagnostic::error("M0508", format!("`{}` is no direction", text.text))
                        .at(&text.span, "has to be x, y, z, -x, -y, -z or three numbers")
                        .hint("it is said in the parent's frame: axis = \"y\" or axis = [0, 1, 1]"),
                );
                return None;
            };
            let mut axis = [0.0; 3];
            axis[k % 3] = if k < 3 { 1.0 } else { -1.0 };
            return Some(axis);
        }
        let Data::List(list) = &value.data else {
            self.problems.add(wrong_length(value, "axis", "\"x\", \"y\", \"z\" or three numbers"));
            return None;
        };
        if list.len() != 3 && !(planar && list.len() == 2) {
            self.problems.add(wrong_length(
                value,
                "axis",
                if planar { "two or three numbers" } else { "three numbers" },
            ));
            return None;
        }
        let mut axis = [0.0; 3];
        for (place, value) in axis.iter_mut().zip(list) {
            let scalar = read_scalar(value, "axis", self.problems);
            *place = self.constant(&scalar, 0, parse_unit("1").ok().as_ref(), "`axis`")?.1;
        }
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(length > 1e-12 && length.is_finite()) {
            let error = Diagnostic::error("M0508", "this axis has no direction");
            self.problems.add(
                error.at(&value.span, "its length is 0").hint("write \"x\", \"y\", \"z\" or three numbers"),
            );
            return None;
        }
        Some(axis.map(|x| x / length))
    }

    /// What is prescribed, in the order of the coordinates.
    fn read_motions(
        &mut self,
        f: &Fields<'_>,
        part: &MechanismPart,
        kind: &'static JointKind,
    ) -> Vec<Option<Motion>> {
        let coordinates = kind.coordinates;
        let mut motions = vec![None; coordinates.len()];
        let Some(entry) = f.entry("motion") else { return motions };
        let names = || coordinates.iter().map(|c| c.position);
        let listed = || match coordinates.len() {
            0 => "joints of this type have no coordinate that can be moved".to_string(),
            1 => "write motion = \"0.5 rad*sin(2 rad/s*time)\"".to_string(),
            _ => format!("name the coordinate: motion = {{ {} = \"…\" }}", coordinates[0].position),
        };
        let refuse = |b: &Self, message: String, span: &crate::file::Span| {
            b.problems
                .add(Diagnostic::error("M0515", message).at(span, "cannot be prescribed").hint(listed()));
        };
        match &entry.value.data {
            Data::Table(table) => {
                for entry in &table.entries {
                    let Some(k) = names().position(|q| q == entry.key.name) else {
                        let message = format!("`{}` has no coordinate `{}`", part.key.name, entry.key.name);
                        self.problems.add(
                            Diagnostic::error("M0515", message)
                                .at(&entry.key.span, "cannot be prescribed")
                                .hint(listed())
                                .hint_if(did_you_mean(&entry.key.name, names())),
                        );
                        continue;
                    };
                    let effort = self.symbol_of(part, &format!("effort_{}", entry.key.name));
                    let effort = effort.or_else(|| self.symbol_of(part, "effort"));
                    motions[k] = self.read_motion(&entry.value, part, coordinates[k].turns, effort);
                }
            }
            _ if coordinates.len() == 1 => {
                let effort = self.symbol_of(part, "effort");
                motions[0] = self.read_motion(&entry.value, part, coordinates[0].turns, effort);
            }
            _ => refuse(
                self,
                format!("`motion` of `{}` does not say what moves", part.key.name),
                &entry.key.span,
            ),
        }
        motions
    }

    fn read_motion(
        &mut self,
        value: &TomlValue,
        part: &MechanismPart,
        turns: bool,
        effort: Option<Symbol>,
    ) -> Option<Motion> {
        let scalar = read_scalar(value, "motion", self.problems);
        let whose = format!("`motion` of `{}`", part.key.name);
        let unit = parse_unit(if turns { "rad" } else { "m" }).ok();
        let typed = self.scalar(&scalar, &self.view(0), unit.as_ref(), &whose)?;
        if self.changes_otherwise(typed.expr) {
            self.problems.add(
                Diagnostic::error("M0203", format!("{whose} may use parameters and the time only"))
                    .at(&scalar.span, "depends on what the run finds")
                    .hint("connect a source or a controlled drive to the joint instead"),
            );
            return None;
        }
        Some(Motion { position: typed.expr, effort: effort? })
    }

    /// Whether it depends on more than parameters and time.
    fn changes_otherwise(&self, e: Expr) -> bool {
        let graph = self.graph();
        graph.reachable([e]).into_iter().any(|e| match graph.node(e) {
            ExprNode::Derivative(_) => true,
            ExprNode::Symbol(s) => !matches!(
                self.flat.quantities.get(s.index()).map(|q| &q.kind),
                Some(trunnion_equations::flat::QuantityRole::Parameter { .. })
            ),
            _ => false,
        })
    }
}

/// All of them or nothing.
fn all<const N: usize>(list: [Option<Symbol>; N]) -> Option<[Symbol; N]> {
    let found: Vec<Symbol> = list.into_iter().flatten().collect();
    found.try_into().ok()
}

//! Bodies: the parameters they have, and what they become.

use trunnion_equations::Expr;

use super::sections::{MechanismPart, Sections, own_component};
use super::{
    Body, BodyGeometry, BodyInertia, BodyShape, Frame, Mechanism, RigidInertia, Vector, wrong_length,
};
use crate::component::{
    Bounds, Child, Parameter, Scalar, ScalarForm as Given, Section, VariableDefinition, read_scalar,
};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Data, Fields, Source, Span, TomlKey, TomlTable, TomlText, TomlValue};
use crate::instantiate::ModelBuilder;
use crate::units::{Unit, parse_unit, parse_value};

use super::elastic_part::{KEYS, described, is_described};
use super::places::Places;
use super::shapes::{MassProperties, combined, rotation};

const AXES: [&str; 3] = ["x", "y", "z"];
/// In the order of `Body::inertia`.
const PRODUCTS: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

/// The parameters of a component as they are found.
#[derive(Default)]
pub(super) struct BodyParameters {
    parameters: Vec<Parameter>,
    variables: Vec<VariableDefinition>,
    arguments: Vec<(TomlKey, TomlValue)>,
}

impl BodyParameters {
    /// A parameter for a number that is not plainly 0: what is 0 then vanishes from all equations.
    fn add(&mut self, name: &str, value: &TomlValue, unit: &str, doc: String, min: Option<f64>) {
        if is_zero(value) {
            return;
        }
        let key = TomlKey { name: name.to_string(), span: value.span.clone() };
        // A limit that stands in no file.
        let nowhere = Span::new(&Source::new("", String::new()), 0..0);
        let limit = |form| Some(Scalar { form: Given::Number(form), span: nowhere });
        self.parameters.push(Parameter {
            key: key.clone(),
            unit: parse_unit(unit).ok(),
            value: None,
            ask: false,
            bounds: Bounds { min: min.and_then(limit), ..Bounds::default() },
            doc,
            any: false,
            difference: false,
            aliases: vec![],
            unless: None,
            list: false,
            broken: false,
        });
        self.arguments.push((key, value.clone()));
    }

    /// Something that `multibody` gives a value.
    pub(super) fn show(&mut self, name: &str, unit: &str, doc: &str, span: &Span) {
        self.variable(name, unit, doc, span, None);
    }

    pub(super) fn variable(&mut self, name: &str, unit: &str, doc: &str, span: &Span, start: Option<Scalar>) {
        let key = TomlKey { name: name.to_string(), span: span.clone() };
        let unit = parse_unit(unit).ok();
        self.variables.push(VariableDefinition { key, unit, start, nominal: None, doc: doc.to_string() });
    }

    fn child(self, key: &TomlKey, kind: &str) -> Child {
        Child {
            key: key.clone(),
            kind: Some(TomlText { text: kind.to_string(), span: key.span.clone() }),
            arguments: self.arguments,
            definition: Some(own_component(kind, self.parameters, self.variables)),
            section: Some(Section::Bodies),
        }
    }
}

fn is_zero(value: &TomlValue) -> bool {
    match &value.data {
        Data::Integer(0) => true,
        Data::Number(v) => *v == 0.0,
        Data::Text(text) => parse_value(text).is_ok_and(|v| v.si == 0.0),
        _ => false,
    }
}

/// What is shown of a body, in a plane and in space, with its unit.
const IN_PLANE: [(&str, &str); 3] = [("x", "m"), ("y", "m"), ("phi", "rad")];
const IN_SPACE: [(&str, &str); 7] =
    [("x", "m"), ("y", "m"), ("z", "m"), ("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")];
const ENERGY: [&str; 2] = ["kinetic", "potential"];

fn shown(planar: bool) -> &'static [(&'static str, &'static str)] {
    if planar { &IN_PLANE } else { &IN_SPACE }
}

/// Free fall of the earth.
const GRAVITY: &str = "9.81 m/s^2";

/// `mechanism.gravity`, or its components.
pub(crate) fn gravity_component(settings: &TomlTable, planar: bool, problems: &Problems) -> Child {
    let f = Fields::new(settings, "[mechanism]", &settings.span, problems);
    f.choice("plane", &[("xy", ())]);
    let mut own = BodyParameters::default();
    let doc = "Acceleration of free fall";
    match f.value("gravity") {
        Some(TomlValue { data: Data::List(list), .. }) if list.len() == if planar { 2 } else { 3 } => {
            for (axis, value) in AXES.iter().zip(list) {
                own.add(&format!("gravity.{axis}"), value, "m/s^2", format!("{doc}, {axis}"), None);
            }
        }
        Some(value @ TomlValue { data: Data::List(_), .. }) => problems.add(wrong_length(
            value,
            "gravity",
            if planar { "two accelerations" } else { "three accelerations" },
        )),
        Some(value) => own.add("gravity", value, "m/s^2", doc.to_string(), None),
        None => {
            let value = TomlValue { data: Data::Text(GRAVITY.into()), span: settings.span.clone() };
            own.add("gravity", &value, "m/s^2", doc.to_string(), None);
        }
    }
    f.finish();
    own.show(ENERGY[0], "J", "Kinetic energy of all bodies", &settings.span);
    own.show(
        ENERGY[1],
        "J",
        "Energy in the field of gravity, zero at the origin of the world",
        &settings.span,
    );
    own.child(&TomlKey { name: "mechanism".into(), span: settings.span.clone() }, "mechanism")
}

/// `arm.m`, `arm.center.x`, `arm.inertia.xx`, `arm.rod`.
pub(crate) fn body_component(
    part: &MechanismPart,
    planar: bool,
    sections: &Sections,
    problems: &Problems,
) -> Child {
    let f = part.fields("body", problems);
    let mut own = BodyParameters::default();
    if part.key.name == "world" {
        for key in ["m", "center", "inertia", "rod"] {
            if let Some(entry) = f.entry(key) {
                problems.add(
                    Diagnostic::error("M0504", format!("`world` has no `{key}`"))
                        .at(&entry.key.span, "it never moves")
                        .hint("it may have `frames` and `shapes`; make a body of its own for a mass"),
                );
            }
        }
    } else {
        if let Some(value) = f.value("m") {
            own.add("m", value, "kg", "Mass".into(), Some(0.0));
        }
        f.exclude("rod", "center", "a rod has its centre in the middle");
        f.exclude("rod", "inertia", "a rod has its inertia from its mass and length");
        if let Some(value) = f.value("rod") {
            own.add("rod", value, "m", "Length of the rod".into(), Some(0.0));
        }
        center(&f, &mut own, planar);
        inertia(&f, &mut own, planar);
        for (name, unit) in shown(planar) {
            let doc = match *unit {
                "m" => "Place in the world",
                "rad" => "Angle in the world",
                _ => "Orientation in the world, a quaternion",
            };
            own.show(name, unit, doc, &part.key.span);
        }
        if let Some(frame) = described(part, planar, sections, problems) {
            own.add_shapes(&frame, part, problems);
        }
        if is_described(part) {
            f.ask(&KEYS);
        }
    }
    f.ask(&["shapes", "frames", "doc"]);
    f.finish();
    own.child(&part.key, "body")
}

fn center(f: &Fields<'_>, own: &mut BodyParameters, planar: bool) {
    let Some(value) = f.value("center") else { return };
    match &value.data {
        Data::List(list) if list.len() == if planar { 2 } else { 3 } => {
            for (axis, value) in AXES.iter().zip(list) {
                own.add(&format!("center.{axis}"), value, "m", format!("Centre of mass, {axis}"), None);
            }
        }
        _ => f.problems.add(wrong_length(
            value,
            "center",
            if planar { "two lengths, as everything in a plane" } else { "three lengths" },
        )),
    }
}

fn inertia(f: &Fields<'_>, own: &mut BodyParameters, planar: bool) {
    let Some(value) = f.value("inertia") else { return };
    let mut add = |k: usize, value: &TomlValue| {
        let (doc, min) = match k {
            0..3 => (format!("Moment of inertia about {}", AXES[k]), Some(0.0)),
            _ => (format!("Product of inertia {}", PRODUCTS[k]), None),
        };
        own.add(&format!("inertia.{}", PRODUCTS[k]), value, "kg m^2", doc, min);
    };
    match &value.data {
        Data::List(list) if !planar && (list.len() == 3 || list.len() == 6) => {
            list.iter().enumerate().for_each(|(k, value)| add(k, value));
        }
        Data::Text(_) | Data::Integer(_) | Data::Number(_) if planar => add(2, value),
        _ => f.problems.add(wrong_length(
            value,
            "inertia",
            if planar {
                "one moment of inertia, about z"
            } else {
                "three moments of inertia (xx, yy, zz), or six with xy, xz, yz"
            },
        )),
    }
}

impl<'a> ModelBuilder<'a> {
    /// The value of a parameter that may not be there: 0 then.
    fn own(&self, body: &str, name: &str) -> Expr {
        let named = self.names.map.get(&format!("{body}.{name}"));
        named.map_or_else(|| self.graph().constant(0.0).id, |n| n.expr)
    }

    pub(crate) fn read_gravity(&mut self, planar: bool) {
        let down = usize::from(!planar) + 1;
        let mut gravity = AXES.map(|axis| self.own("mechanism", &format!("gravity.{axis}")));
        if self.names.map.contains_key("mechanism.gravity") {
            gravity[down] = (-self.graph().at(self.own("mechanism", "gravity"))).id;
        }
        self.mechanism.gravity = Some(gravity);
        let energy = ENERGY.map(|name| self.names.map.get(&format!("mechanism.{name}"))?.symbol);
        if let [Some(kinetic), Some(potential)] = energy {
            self.mechanism.energy = Some([kinetic, potential]);
        }
    }

    /// All bodies, the world first, and the frames on them.
    pub(crate) fn read_bodies(&mut self, sections: &'a Sections) -> Places {
        let planar = sections.planar();
        let mut places = Places::new(planar);
        let parts = sections.of(Section::Bodies);
        let world = parts.iter().filter(|p| p.key.name == "world");
        let bodies = parts.iter().filter(|p| p.key.name != "world");
        let origin = |b: &Self, part: Option<&MechanismPart>| {
            part.map_or_else(Default::default, |p| {
                let mut origin = b.origin(0, &p.key.span);
                origin.component = p.key.name.clone();
                origin
            })
        };
        let worlds: Vec<&MechanismPart> = world.collect();
        let none = RigidInertia::none(self.graph());
        let blank = |name: &str, origin| Body {
            name: name.to_string(),
            origin,
            inertia: BodyInertia::Rigid(none.clone()),
            shapes: vec![],
            pose: vec![],
        };
        self.mechanism.bodies.push(blank("world", origin(self, worlds.first().copied())));
        for part in bodies.clone() {
            self.mechanism.bodies.push(blank(&part.key.name, origin(self, Some(part))));
        }
        for body in &self.mechanism.bodies {
            places.enter(self.graph(), &body.name);
        }
        for part in worlds {
            self.read_body(Mechanism::WORLD, part, &mut places, sections);
        }
        for (k, part) in bodies.enumerate() {
            self.read_body(k + 1, part, &mut places, sections);
            let pose = shown(planar).iter().filter_map(|(name, _)| self.symbol_of(part, name));
            self.mechanism.bodies[k + 1].pose = pose.collect();
        }
        self.mechanism.frames = places.all().cloned().collect();
        sections.moved_frames.iter().for_each(|moved| places.also(moved));
        places
    }

    fn read_body(
        &mut self,
        index: usize,
        part: &'a MechanismPart,
        places: &mut Places,
        sections: &'a Sections,
    ) {
        let name = &part.key.name;
        let f = part.fields("body", self.problems);
        let mut inertials = vec![];
        if index != Mechanism::WORLD {
            inertials.extend(self.given_inertial(&f, index, places));
        }
        // What is wrong with it was said with its component.
        let elastic = described(part, places.planar, sections, &Problems::default());
        for entry in f.entries("frames") {
            let node = f.value("mesh").map(|_| elastic.as_ref()?.place_of(&entry.key.name));
            if let Some(mut frame) = self.read_frame(entry, index, name, places, node) {
                frame.interface = elastic.as_ref().and_then(|e| e.interface_of(&entry.key.name));
                places.add(index, &entry.key.name, frame);
            }
        }
        for value in f.list("shapes").unwrap_or(&[]) {
            self.read_shape(value, index, places, sections, &mut inertials);
        }
        if let Some(frame) = elastic {
            return self.describe_body(index, part, frame, &inertials);
        }
        let (mass, center, inertia) = combined(self.graph(), &inertials);
        let rigid = RigidInertia { mass, center, inertia };
        self.mechanism.bodies[index].inertia = BodyInertia::Rigid(rigid);
        self.check_inertia(index, &f, places.planar);
    }

    /// What `m`, `center`, `inertia` and `rod` say.
    fn given_inertial(
        &mut self,
        f: &Fields<'_>,
        index: usize,
        places: &mut Places,
    ) -> Option<MassProperties> {
        let name = self.mechanism.bodies[index].name.clone();
        let mass = self.own(&name, "m");
        let mut given = MassProperties {
            mass,
            center: AXES.map(|axis| self.own(&name, &format!("center.{axis}"))),
            inertia: PRODUCTS.map(|p| self.own(&name, &format!("inertia.{p}"))),
        };
        if f.value("rod").is_some() {
            let zero = self.graph().constant(0.0).id;
            let length = self.own(&name, "rod");
            let (m, l) = (self.graph().at(mass), self.graph().at(length));
            let across = (m * l * l / 12.0).id;
            given.center[0] = (0.5 * l).id;
            given.inertia = [zero, across, across, zero, zero, zero];
            let p = [length, zero, zero];
            let r = rotation(self.graph(), [self.graph().constant(0.0); 3]);
            places.add(
                index,
                "end",
                Frame { body: index, interface: None, name: format!("{name}.end"), p, r },
            );
            let frame = places.origin(index);
            self.mechanism.bodies[index].shapes.push(BodyShape {
                form: BodyGeometry::Rod(length),
                frame,
                color: None,
            });
        }
        let says = ["m", "center", "inertia", "rod"].into_iter().any(|key| f.value(key).is_some());
        says.then_some(given)
    }

    /// `at` and `rotate`.
    pub(crate) fn read_pose(
        &mut self,
        f: &Fields<'_>,
        whose: &str,
        planar: bool,
    ) -> Option<(Vector, super::Rotation)> {
        let zero = self.graph().constant(0.0).id;
        let p = match f.value("at") {
            Some(value) => self.read_vector(value, "at", "m", whose, planar)?,
            None => [zero; 3],
        };
        let angles = match f.value("rotate") {
            None => [zero; 3],
            Some(value) if planar && !matches!(value.data, Data::List(_)) => {
                [zero, zero, self.read_number(value, "rotate", "rad", whose)?]
            }
            Some(value @ TomlValue { data: Data::List(_), .. }) if !planar => {
                self.read_vector(value, "rotate", "rad", whose, false)?
            }
            Some(value) => {
                let wanted = if planar { "one angle, about z" } else { "three angles, [roll, pitch, yaw]" };
                self.problems.add(wrong_length(value, "rotate", wanted));
                return None;
            }
        };
        let g = self.graph();
        Some((p, rotation(g, angles.map(|a| g.at(a)))))
    }

    /// A number or expression of parameters.
    pub(crate) fn read_number(
        &mut self,
        value: &TomlValue,
        key: &str,
        unit: &str,
        whose: &str,
    ) -> Option<Expr> {
        let scalar = read_scalar(value, key, self.problems);
        if let (Given::Number(number), false) = (&scalar.form, unit == "1")
            && *number != 0.0
        {
            self.bare_numbers.push((
                format!("{whose}.{key}"),
                format!("{number} {unit}"),
                scalar.span.clone(),
            ));
        }
        let unit: Option<Unit> = parse_unit(unit).ok();
        let (typed, _) = self.constant(&scalar, 0, unit.as_ref(), &format!("`{key}` of `{whose}`"))?;
        Some(typed.expr)
    }

    /// Three of them, two in a plane.
    pub(crate) fn read_vector(
        &mut self,
        value: &TomlValue,
        key: &str,
        unit: &str,
        whose: &str,
        planar: bool,
    ) -> Option<Vector> {
        let wanted = if planar { 2 } else { 3 };
        let Data::List(list) = &value.data else {
            self.problems.add(wrong_length(value, key, &format!("a list of {wanted} numbers")));
            return None;
        };
        if list.len() != wanted {
            let plane = if planar { "two numbers, as everything in a plane" } else { "three numbers" };
            self.problems.add(wrong_length(value, key, plane));
            return None;
        }
        let mut vector = [self.graph().constant(0.0).id; 3];
        let mut good = true;
        for (place, value) in vector.iter_mut().zip(list) {
            match self.read_number(value, key, unit, whose) {
                Some(expr) => *place = expr,
                None => good = false,
            }
        }
        good.then_some(vector)
    }

    /// No body can have an inertia whose matrix ½ tr I − I of second moments is not positive semidefinite: that is the
    /// triangle inequality of the principal moments.
    fn check_inertia(&mut self, index: usize, f: &Fields<'_>, planar: bool) {
        let body = self.mechanism.bodies[index].clone();
        let Some(rigid) = body.inertia.rigid() else { return };
        if self.values.of(&self.flat.graph, rigid.mass).is_some_and(|m| m < 0.0) {
            // Told of its mass.
            return;
        }
        let mut values = [0.0; 6];
        for (value, e) in values.iter_mut().zip(rigid.inertia) {
            match self.values.of(&self.flat.graph, e) {
                Some(v) if v.is_finite() => *value = v,
                _ => return,
            }
        }
        let [xx, yy, zz, xy, xz, yz] = values;
        let half = 0.5 * (xx + yy + zz);
        let (a, b, c) = (half - xx, half - yy, half - zz);
        // Numbers of files are rounded.
        let slack = 1e-6 * half.abs();
        let minor = |p: f64, q: f64, r: f64| p * q - r * r >= -slack * half;
        let det = a * b * c - a * yz * yz - b * xz * xz - c * xy * xy - 2.0 * xy * yz * xz;
        let moments = [a, b, c].iter().all(|m| *m >= -slack);
        let good = moments && minor(a, b, xy) && minor(a, c, xz) && minor(b, c, yz);
        if planar || good && det >= -slack * half * half {
            return;
        }
        let place = f.entry("inertia").map_or_else(|| f.place().clone(), |e| e.value.span.clone());
        self.problems.add(
            Diagnostic::error("M0509", format!("no body has the inertia of `{}`", body.name))
                .at(&place, "each principal moment is at most the sum of the other two")
                .hint("it is about the centre of mass: xx, yy, zz, then xy, xz, yz with I_xy = −∫xy dm"),
        );
    }
}

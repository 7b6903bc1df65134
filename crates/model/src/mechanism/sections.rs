//! The sections of a mechanism as files write them, and what they have of ordinary components.
//!
//! A joint, a line, a coupling or a sensor is an instance of a component in `library/mechanism`; what says where it is
//! (parent, axis, …) stays here, the rest are its arguments. A body is an instance of a component that is made for it: one
//! parameter for each number that is given and not 0.

use std::collections::HashMap;
use std::sync::Arc;

use super::bodies::body_component;
use super::elastic_part::is_described;
use super::pieces::MovedFrame;
use super::{FeMesh, JointKind, Triangle};
use crate::component::{
    Child, ComponentDefinition, Parameter, Reading, Section, VariableDefinition, check_name, entry_at,
    fields_of, table_of,
};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, Source, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue, relative};
use crate::instantiate::Sets;
use crate::language::{Allowance, FamilyNumber};

/// Members that all families of one file may have together, each with what its table holds.
const MOST: usize = 2_000_000;
/// Members of one family.
const LARGEST: usize = 10_000;

/// One body, joint, line, …
#[derive(Clone, Debug)]
pub struct MechanismPart {
    pub key: TomlKey,
    pub table: TomlTable,
}

impl MechanismPart {
    pub fn fields<'p>(&'p self, kind: &str, problems: &'p Problems) -> Fields<'p> {
        fields_of(&self.table, kind, &self.key, problems)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The keys of [mechanism].
    settings: Vec<TomlEntry>,
    pub(super) parts: [Vec<MechanismPart>; Section::ALL.len()],
    /// Lines of mounted components; [`super::mount`] has made their components already.
    pub mounted: Vec<MechanismPart>,
    /// Joints between the frames of components that act in all directions.
    pub mounted_joints: Vec<MechanismPart>,
    /// Frames of bodies in pieces.
    pub(crate) moved_frames: Vec<MovedFrame>,
    /// Triangles by the path of their file; None: could not be read, which has been reported.
    pub meshes: HashMap<String, Option<Arc<Vec<Triangle>>>>,
    /// Finite elements by the path of their file, in the same manner.
    pub fe_meshes: HashMap<String, Option<Arc<FeMesh>>>,
}

/// What stays here of a joint; the rest are values for its component.
const OF_JOINTS: [&str; 8] = ["type", "parent", "child", "axis", "axes", "cut", "guess", "motion"];

impl Sections {
    /// Takes the sections out of a model file.
    pub fn read(fields: &Fields<'_>, reading: &Reading<'_>) -> Self {
        let mut sections = Sections { settings: fields.entries("mechanism").to_vec(), ..Self::default() };
        let allowance = Allowance::new(MOST);
        for (word, section) in Section::ALL {
            for entry in fields.entries(word).iter().filter(|e| check_name(&e.key, reading.problems)) {
                for member in members(entry, &allowance, reading.problems) {
                    let Some(table) = table_of(&member, "a table", reading.problems) else { continue };
                    let mut table = table.clone();
                    if section == Section::Bodies {
                        sections.read_meshes(&table, reading);
                        sections.read_finite_elements(&table, reading);
                        number_frames(&mut table, &allowance, reading.problems);
                    }
                    sections.parts[section as usize].push(MechanismPart { key: member.key.clone(), table });
                }
            }
        }
        sections
    }

    /// Motions that are given from outside: `joint.motion`, of several coordinates `joint.motion.x`.
    /// Also `body.model`, `body.modes`, `body.damping` and `body.pieces` of a body of finite elements.
    pub fn drive(&mut self, sets: &Sets) {
        let bodies = self.parts[Section::Bodies as usize].iter_mut();
        for part in bodies.filter(|part| is_described(part)) {
            for name in ["model", "modes", "damping", "pieces"] {
                if let Some(value) = sets.take(&format!("{}.{name}", part.key.name)).cloned() {
                    let key = TomlKey { name: name.into(), span: value.span.clone() };
                    part.table.entries.retain(|e| e.key.name != name);
                    part.table.entries.push(TomlEntry { key, value });
                }
            }
        }
        for part in &mut self.parts[Section::Joints as usize] {
            if let Some(value) = motion(part, sets) {
                let key = TomlKey { name: "motion".into(), span: value.span.clone() };
                part.table.entries.retain(|e| e.key.name != "motion");
                part.table.entries.push(TomlEntry { key, value });
            }
        }
    }

    /// Adds what another file says; its settings win.
    pub fn extend(&mut self, other: Sections) {
        for entry in other.settings {
            self.settings.retain(|e| e.key.name != entry.key.name);
            self.settings.push(entry);
        }
        for (mine, more) in self.parts.iter_mut().zip(other.parts) {
            mine.extend(more);
        }
        self.meshes.extend(other.meshes);
        self.fe_meshes.extend(other.fe_meshes);
    }

    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(Vec::is_empty) && self.mounted.is_empty()
    }

    pub fn of(&self, section: Section) -> &[MechanismPart] {
        &self.parts[section as usize]
    }

    pub fn settings(&self) -> TomlTable {
        let source = self
            .settings
            .first()
            .map_or_else(|| Source::new("", String::new()), |e| e.key.span.source.clone());
        let span = self
            .settings
            .first()
            .map_or_else(|| crate::file::Span::new(&source, 0..0), |e| e.key.span.clone());
        TomlTable { entries: self.settings.clone(), span }
    }

    /// Everything moves in W's xy plane.
    pub fn planar(&self) -> bool {
        self.settings.iter().any(|e| e.key.name == "plane")
    }

    fn read_meshes(&mut self, body: &TomlTable, reading: &Reading<'_>) {
        let Some(Data::List(shapes)) = body.get("shapes").map(|e| &e.value.data) else { return };
        for shape in shapes {
            let Data::Table(shape) = &shape.data else { continue };
            let Some(file) = shape.get("mesh").and_then(|e| e.value.as_text()) else { continue };
            let path = relative(&file.span.source.name, &file.text);
            if self.meshes.contains_key(&path) {
                continue;
            }
            let read = reading.files.triangles(&path).map(Arc::new).map_err(|reason| {
                reading.problems.add(
                    Diagnostic::error("M0511", format!("cannot read the mesh `{path}`: {reason}"))
                        .at(&file.span, "named here")
                        .hint("paths are relative to the file that names them; STL, OBJ and glTF can be read")
                        .hint_if(reading.files.hint(&path)),
                );
            });
            self.meshes.insert(path, read.ok());
        }
    }

    fn read_finite_elements(&mut self, body: &TomlTable, reading: &Reading<'_>) {
        let Some(file) = body.get("mesh").and_then(|e| e.value.as_text()) else { return };
        let path = relative(&file.span.source.name, &file.text);
        if self.fe_meshes.contains_key(&path) {
            return;
        }
        let read = reading.files.finite_elements(&path).map(Arc::new);
        if let Ok(mesh) = &read {
            // A model with another mesh is another model; its text may be large, and need not stay.
            reading.sources.borrow_mut().add(&Source::new(&path, mesh.content().to_string()));
        }
        let read = read.map_err(|errors| {
            for error in errors {
                reading.problems.add(error.at(&file.span, "named here").hint_if(reading.files.hint(&path)));
            }
        });
        self.fe_meshes.insert(path, read.ok());
    }

    /// Bodies, joints, lines, couplings and sensors as components of the model.
    pub fn children(&self, problems: &Problems) -> Vec<Child> {
        let mut children = vec![];
        if self.is_empty() {
            return children;
        }
        let planar = self.planar();
        children.push(super::bodies::gravity_component(&self.settings(), planar, problems));
        let bodies = self.of(Section::Bodies).iter();
        children.extend(bodies.map(|part| body_component(part, planar, self, problems)));
        children.extend(self.of(Section::Joints).iter().map(|part| joint(part, problems)));
        for part in self.of(Section::Lines) {
            children.push(plain(part, "line", "point_line", &["from", "to"], Section::Lines, problems));
        }
        children.extend(self.of(Section::Couplings).iter().map(|part| coupling(part, problems)));
        children.extend(self.of(Section::Sensors).iter().map(|part| sensor(part, planar, problems)));
        children
    }
}

/// The members of a family, or the entry itself.
fn members(entry: &TomlEntry, allowance: &Allowance, problems: &Problems) -> Vec<TomlEntry> {
    let has_number = entry.key.name.contains('#');
    let count = match &entry.value.data {
        Data::Table(table) => table.get("count"),
        _ => None,
    };
    let number = match count.map(|c| &c.value.data) {
        None if !has_number => return vec![entry.clone()],
        Some(Data::Integer(n)) if has_number => {
            usize::try_from(*n).ok().filter(|n| (1..=LARGEST).contains(n))
        }
        _ => None,
    };
    let Some(number) = number else {
        let (message, place) = match count {
            None => (format!("`{}` does not say how many", entry.key.name), &entry.key.span),
            Some(c) if has_number => {
                (format!("`count` has to be a whole number from 1 to {LARGEST}"), &c.value.span)
            }
            Some(c) => (format!("`{}` is a single one", entry.key.name), &c.key.span),
        };
        let hint = "many alike are written with both: \"link#\" = { count = 40, … }";
        problems.add(Diagnostic::error("M0512", message).at(place, "here").hint(hint));
        return vec![];
    };
    let number = FamilyNumber::open(number, allowance);
    let mut made: Vec<TomlEntry> = number.members().filter_map(|n| entry_at(entry, &n)).collect();
    for member in &mut made {
        if let Data::Table(table) = &mut member.value.data {
            table.entries.retain(|e| e.key.name != "count");
        }
    }
    made
}

/// Families of frames of one body, written out.
fn number_frames(body: &mut TomlTable, allowance: &Allowance, problems: &Problems) {
    let frames = body.entries.iter_mut().filter(|e| e.key.name == "frames");
    for entry in frames {
        if let Data::Table(frames) = &mut entry.value.data {
            frames.entries = frames.entries.iter().flat_map(|e| members(e, allowance, problems)).collect();
        }
    }
}

/// A component whose structural keys stay here.
fn plain(
    part: &MechanismPart,
    kind: &str,
    component: &str,
    structural: &[&'static str],
    section: Section,
    problems: &Problems,
) -> Child {
    let f = part.fields(kind, problems);
    f.ask(structural);
    let text = TomlText { text: component.to_string(), span: part.key.span.clone() };
    child(part, Some(text), arguments(&f), section)
}

fn child(
    part: &MechanismPart,
    kind: Option<TomlText>,
    arguments: Vec<(TomlKey, TomlValue)>,
    section: Section,
) -> Child {
    Child { key: part.key.clone(), kind, arguments, definition: None, section: Some(section) }
}

/// The entries that were not read.
fn arguments(f: &Fields<'_>) -> Vec<(TomlKey, TomlValue)> {
    f.rest().map(|e| (e.key.clone(), e.value.clone())).collect()
}

/// `name = "data"`, said where `at` stands.
fn said(name: &str, data: Data, at: &TomlEntry) -> (TomlKey, TomlValue) {
    let key = TomlKey { name: name.to_string(), span: at.key.span.clone() };
    (key, TomlValue { data, span: at.value.span.clone() })
}

/// The type that is named, checked against the known ones.
fn known_type<T: Copy>(f: &Fields<'_>, what: &str, known: &[(&'static str, T)]) -> Option<(TomlText, T)> {
    let words = || known.iter().map(|(word, _)| *word);
    if f.value("type").is_none() {
        f.missing("type", &format!("one of {}", one_of(words())));
    }
    let text = f.text("type")?;
    let found = known.iter().find(|(word, _)| *word == text.text).map(|(_, kind)| *kind);
    if found.is_none() {
        f.problems.add(
            Diagnostic::error("M0503", format!("there is no {what} of type `{}`", text.text))
                .at(&text.span, "unknown type")
                .hint(format!("it can be {}", one_of(words())))
                .hint_if(did_you_mean(&text.text, words())),
        );
    }
    Some((text, found?))
}

/// What is given from outside as the motion of a joint, beside what its file says of other coordinates.
fn motion(part: &MechanismPart, sets: &Sets) -> Option<TomlValue> {
    let path = format!("{}.motion", part.key.name);
    let given = sets.under(&format!("{path}."));
    if let Some(whole) = sets.take(&path) {
        return Some(whole.clone());
    }
    let coordinates = joint_kind(part).map_or(&[][..], |kind| kind.coordinates);
    if let ([one], Some(last)) = (coordinates, given.last())
        && given.iter().all(|e| e.key.name == one.position)
    {
        return Some(last.value.clone());
    }
    let span = given.first()?.value.span.clone();
    let mut entries = match part.table.get("motion").map(|e| &e.value.data) {
        Some(Data::Table(table)) => table.entries.clone(),
        _ => vec![],
    };
    for new in given {
        entries.retain(|e| e.key.name != new.key.name);
        entries.push(new);
    }
    Some(TomlValue { data: Data::Table(TomlTable { entries, span: span.clone() }), span })
}

/// The kind of a joint; says nothing.
pub(crate) fn joint_kind(part: &MechanismPart) -> Option<&'static JointKind> {
    let text = part.table.get("type")?.value.as_text()?;
    JointKind::find(&text.text)
}

pub fn joint(part: &MechanismPart, problems: &Problems) -> Child {
    let f = part.fields("joint", problems);
    let known: Vec<_> = JointKind::ALL.iter().map(|kind| (kind.word, *kind)).collect();
    let Some((text, kind)) = known_type(&f, "joint", &known) else {
        return child(part, None, vec![], Section::Joints);
    };
    f.ask(&OF_JOINTS);
    if kind.has_orientation() {
        f.ask(&["rotate0"]);
    }
    let mut given = arguments(&f);
    if let Some(motion) = f.entry("motion") {
        let names = kind.coordinates.iter().map(|c| c.position);
        match (&motion.value.data, kind.coordinates.len()) {
            (Data::Table(table), _) => given.extend(
                names.filter_map(|q| Some(said(&format!("driven_{q}"), Data::Boolean(true), table.get(q)?))),
            ),
            (_, 1) => given.push(said("driven", Data::Boolean(true), motion)),
            _ => {}
        }
    }
    if let Some(rotate) = f.entry("rotate0").filter(|_| kind.has_orientation()) {
        match &rotate.value.data {
            Data::List(list) if list.len() == 3 => {
                for (name, value) in ["roll0", "pitch0", "yaw0"].into_iter().zip(list) {
                    let key = TomlKey { name: name.into(), span: rotate.key.span.clone() };
                    given.push((key, value.clone()));
                }
            }
            _ => problems.add(super::wrong_length(
                &rotate.value,
                "rotate0",
                "three angles, [roll, pitch, yaw]",
            )),
        }
    }
    child(part, Some(text), given, Section::Joints)
}

/// Kinds of couplings with their component and the keys that name joints or points.
type CouplingType = (&'static str, &'static [&'static str]);
pub(crate) const COUPLINGS: [(&str, CouplingType); 5] = [
    ("gear", ("coupling_gear", &["type", "a", "b"])),
    ("rack", ("coupling_rack", &["type", "turns", "slides"])),
    ("differential", ("coupling_differential", &["type", "a", "b", "carrier"])),
    ("linear", ("coupling_linear", &["type", "terms"])),
    ("rod", ("coupling_rod", &["type", "from", "to"])),
];

fn coupling(part: &MechanismPart, problems: &Problems) -> Child {
    let f = part.fields("coupling", problems);
    let Some((_, (component, keys))) = known_type(&f, "coupling", &COUPLINGS) else {
        return child(part, None, vec![], Section::Couplings);
    };
    plain(part, "coupling", component, keys, Section::Couplings, problems)
}

/// What a sensor can show.
pub const SHOWN: [&str; 6] =
    ["position", "velocity", "acceleration", "angular_velocity", "angle", "distance"];

fn sensor(part: &MechanismPart, planar: bool, problems: &Problems) -> Child {
    let mut made =
        plain(part, "sensor", "frame_sensor", &["of", "from", "shows"], Section::Sensors, problems);
    let f = part.fields("sensor", problems);
    let space = || Data::Text(if planar { "plane" } else { "space" }.into());
    let Some(entry) = f.entry("shows") else {
        let key = TomlKey { name: "shows_position".into(), span: part.key.span.clone() };
        made.arguments.push((key, TomlValue { data: space(), span: part.key.span.clone() }));
        return made;
    };
    for text in f.texts("shows") {
        if !SHOWN.contains(&text.text.as_str()) {
            problems.add(
                Diagnostic::error("M0112", format!("a sensor cannot show `{}`", text.text))
                    .at(&text.span, format!("has to be {}", one_of(SHOWN)))
                    .hint_if(did_you_mean(&text.text, SHOWN)),
            );
            continue;
        }
        let data = match text.text.as_str() {
            "angle" | "distance" => Data::Boolean(true),
            _ => space(),
        };
        made.arguments.push(said(&format!("shows_{}", text.text), data, entry));
    }
    made
}

/// A component that exists only in this model.
pub(crate) fn own_component(
    name: &str,
    parameters: Vec<Parameter>,
    variables: Vec<VariableDefinition>,
) -> Arc<ComponentDefinition> {
    Arc::new(ComponentDefinition {
        name: name.to_string(),
        title: name.to_string(),
        aliases: vec![],
        icon: None,
        doc: String::new(),
        section: Some(Section::Bodies),
        mount: None,
        pose: None,
        options: vec![],
        body: crate::component::ComponentSections { parameters, variables, ..Default::default() },
        when: vec![],
        included: vec![],
        source: Source::new("", String::new()),
    })
}

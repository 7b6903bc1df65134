//! Reads the description of a body by beams, with everything that is wrong with it.

use super::beam_frame::{BeamFrame, BeamMaterial, BeamProfile, BodyDamping};
use super::sections::MechanismPart;
use super::wrong_length;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlValue};
use crate::units::{parse_unit, parse_value};

const NOT_PLAIN: &str = "M0521";
const IMPOSSIBLE: &str = "M0522";
pub(super) const GEOMETRY: &str = "M0523";
pub(super) const NO_NODE: &str = "M0524";
const TOO_MANY_MODES: &str = "M0525";
const OWN_MASS: &str = "M0526";

/// Elements of a beam that does not say how many.
const ELEMENTS: usize = 8;
/// Modes of a body that does not say how many.
const MODES: usize = 6;
/// Nodes of one body.
pub(super) const LARGEST: usize = 5000;
/// Points that are closer than this share of the size of the body are one node.
pub(super) const SAME: f64 = 1e-9;

/// E, ν and ρ in SI at room temperature, as handbooks round them.
const MATERIALS: [(&str, [f64; 3]); 4] = [
    ("steel", [210e9, 0.3, 7850.0]),
    ("stainless_steel", [200e9, 0.3, 7900.0]),
    ("aluminium", [70e9, 0.33, 2700.0]),
    ("titanium", [114e9, 0.34, 4430.0]),
];

pub(super) struct FrameReader<'p> {
    pub part: &'p MechanismPart,
    pub f: Fields<'p>,
    pub problems: &'p Problems,
}

pub(super) struct ReadBeam {
    pub ends: [[f64; 3]; 2],
    pub elements: usize,
    pub profile: BeamProfile,
    pub up: Option<[f64; 3]>,
    pub shear: bool,
    pub span: Span,
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(super) fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

impl<'p> FrameReader<'p> {
    pub fn new(part: &'p MechanismPart, problems: &'p Problems) -> Self {
        FrameReader { part, f: part.fields("body", problems), problems }
    }

    pub fn read(&self, planar: bool) -> Option<BeamFrame> {
        let f = &self.f;
        let span = f.entry("beams")?.key.span.clone();
        if planar {
            self.problems.add(
                Diagnostic::error(GEOMETRY, "a body of beams moves in space")
                    .at(&span, "`plane` is set in [mechanism]")
                    .hint("leave out `plane` and give joints their axis"),
            );
            return None;
        }
        self.refuse_masses();
        let elastic = match f.entry("model") {
            Some(_) => f.choice("model", &[("elastic", true), ("rigid", false)]),
            None => Some(true),
        };
        let material = self.material();
        let damping = self.damping();
        let beams: Vec<Option<ReadBeam>> =
            f.list("beams")?.iter().enumerate().map(|(k, value)| self.beam(k, value)).collect();
        let places: Vec<Option<(&TomlKey, [f64; 3])>> =
            f.entries("frames").iter().map(|entry| self.frame(entry)).collect();
        let beams = beams.into_iter().collect::<Option<Vec<ReadBeam>>>()?;
        let places = places.into_iter().collect::<Option<Vec<_>>>()?;
        if beams.is_empty() {
            self.problems.add(Diagnostic::error(GEOMETRY, "there are no beams").at(&span, "an empty list"));
            return None;
        }
        let (nodes, beams) = self.mesh(beams)?;
        let (interfaces, named) = self.interfaces(&nodes, &places)?;
        let modes =
            self.modes(6 * (nodes.len() - interfaces.len()), interfaces.len() == 1 && elastic == Some(true))?;
        let (elastic, material, damping) = (elastic?, material?, damping?);
        Some(BeamFrame { elastic, material, nodes, beams, interfaces, named, modes, damping, span })
    }

    fn refuse_masses(&self) {
        for key in ["m", "center", "inertia", "rod"] {
            if let Some(entry) = self.f.entry(key) {
                self.problems.add(
                    Diagnostic::error(OWN_MASS, format!("`{key}` beside `beams`"))
                        .at(&entry.key.span, "beams have their mass from section and density")
                        .hint("weld a body of its own to a frame for a further mass"),
                );
            }
        }
    }

    /// A number with its unit.
    fn number(&self, value: &TomlValue, key: &str, unit: &str) -> Option<f64> {
        let wanted = parse_unit(unit).ok()?;
        let wrong = |label: String, hint: String| {
            let error = Diagnostic::error(
                NOT_PLAIN,
                format!("`{key}` of `{}` is no plain number", self.part.key.name),
            );
            self.problems.add(error.at(&value.span, label).hint(hint));
            None
        };
        let example = if unit.is_empty() { "0.3".to_string() } else { format!("\"1.5 {unit}\"") };
        match &value.data {
            Data::Integer(_) | Data::Number(_) => match value.as_number() {
                Some(x) if x.is_finite() && (x == 0.0 || unit.is_empty()) => Some(x),
                Some(x) if x.is_finite() => {
                    wrong("without a unit".into(), format!("with its unit, such as {example}"))
                }
                _ => wrong("not finite".into(), format!("a number such as {example}")),
            },
            Data::Text(text) => match parse_value(text) {
                Ok(read) if read.unit.dimension == wanted.dimension => Some(read.si),
                Ok(read) if read.si == 0.0 => Some(0.0),
                Ok(_) => {
                    wrong(format!("has to be in {}", shown(unit)), format!("a number such as {example}"))
                }
                Err(_) => wrong(
                    "an expression, or no number".into(),
                    format!(
                        "finite elements are built before parameters have values: a number such as {example}"
                    ),
                ),
            },
            _ => wrong(format!("this is {}", value.kind()), format!("a number such as {example}")),
        }
    }

    pub(super) fn positive(&self, value: &TomlValue, key: &str, unit: &str) -> Option<f64> {
        let x = self.number(value, key, unit)?;
        if x > 0.0 {
            return Some(x);
        }
        self.impossible(
            &value.span,
            format!("`{key}` of `{}` is not positive", self.part.key.name),
            "has to be above 0",
        );
        None
    }

    fn impossible(&self, span: &Span, message: String, label: &str) {
        self.problems.add(Diagnostic::error(IMPOSSIBLE, message).at(span, label));
    }

    pub(super) fn vector(&self, value: &TomlValue, key: &str, unit: &str) -> Option<[f64; 3]> {
        let Data::List(list) = &value.data else {
            self.problems.add(wrong_length(value, key, "a list of 3 numbers"));
            return None;
        };
        let [x, y, z] = list.as_slice() else {
            self.problems.add(wrong_length(value, key, "three numbers"));
            return None;
        };
        let [x, y, z] = [x, y, z].map(|v| self.number(v, key, unit));
        Some([x?, y?, z?])
    }

    fn material(&self) -> Option<BeamMaterial> {
        let Some(value) = self.f.value("material") else {
            self.f.missing("material", "\"steel\", or { E = \"210 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }");
            return None;
        };
        let Data::Table(table) = &value.data else { return self.named_material(value) };
        let f =
            Fields::new(table, format!("material of `{}`", self.part.key.name), &value.span, self.problems);
        let get = |key: &'static str, unit: &str, hint: &str| {
            if f.value(key).is_none() {
                f.missing(key, hint);
            }
            self.positive(f.value(key)?, key, unit)
        };
        let e = get("E", "Pa", "Young's modulus, \"210 GPa\"");
        let rho = get("rho", "kg/m^3", "density, \"7850 kg/m^3\"");
        let nu = match f.value("nu") {
            Some(value) => self.number(value, "nu", "").filter(|nu| {
                let good = *nu > -1.0 && *nu < 0.5;
                if !good {
                    self.impossible(
                        &value.span,
                        "no material has this ratio of Poisson".into(),
                        "has to be above -1 and below 0.5",
                    );
                }
                good
            }),
            None => {
                f.missing("nu", "Poisson's ratio, 0.3");
                None
            }
        };
        f.finish();
        Some(BeamMaterial { youngs_modulus: e?, poissons_ratio: nu?, density: rho? })
    }

    fn named_material(&self, value: &TomlValue) -> Option<BeamMaterial> {
        let names = || MATERIALS.iter().map(|(name, _)| *name);
        let text = value.as_text().map(|t| t.text).unwrap_or_default();
        let found = MATERIALS.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            self.problems.add(
                Diagnostic::error(IMPOSSIBLE, format!("there is no material `{text}`"))
                    .at(&value.span, format!("has to be {}", one_of(names())))
                    .hint("or { E = \"210 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }")
                    .hint_if(did_you_mean(&text, names())),
            );
        }
        let &[youngs_modulus, poissons_ratio, density] = &found?.1;
        Some(BeamMaterial { youngs_modulus, poissons_ratio, density })
    }

    fn damping(&self) -> Option<BodyDamping> {
        let Some(value) = self.f.value("damping") else { return Some(BodyDamping::Ratio(0.0)) };
        let at_least_0 = |x: Option<f64>, span: &Span| {
            x.filter(|x| {
                if *x < 0.0 {
                    self.impossible(span, "`damping` is negative".into(), "it would feed the vibration");
                }
                *x >= 0.0
            })
        };
        let Data::Table(table) = &value.data else {
            return at_least_0(self.number(value, "damping", ""), &value.span).map(BodyDamping::Ratio);
        };
        let f =
            Fields::new(table, format!("damping of `{}`", self.part.key.name), &value.span, self.problems);
        let get = |key: &'static str, unit: &str| match f.value(key) {
            Some(value) => at_least_0(self.number(value, key, unit), &value.span),
            None => Some(0.0),
        };
        let (mass, stiffness) = (get("mass", "1/s"), get("stiffness", "s"));
        f.finish();
        Some(BodyDamping::Rayleigh { mass: mass?, stiffness: stiffness? })
    }

    fn beam(&self, k: usize, value: &TomlValue) -> Option<ReadBeam> {
        let Data::Table(table) = &value.data else {
            self.problems.add(wrong_length(value, "beams", "tables { from = …, to = …, section = … }"));
            return None;
        };
        let what = format!("beam {} of `{}`", k + 1, self.part.key.name);
        let f = Fields::new(table, what, &value.span, self.problems);
        let end = |key: &'static str| {
            if f.value(key).is_none() {
                f.missing(key, "a point, [\"2 m\", 0, 0]");
            }
            self.vector(f.value(key)?, key, "m")
        };
        let ends = [end("from"), end("to")];
        let up = f.value("up").map(|v| self.vector(v, "up", ""));
        let shear = if f.entry("shear").is_some() { f.boolean("shear") } else { Some(true) };
        let elements = if f.entry("elements").is_some() { f.count("elements") } else { Some(ELEMENTS) };
        let profile = self.profile(&f);
        f.finish();
        let [Some(from), Some(to)] = ends else { return None };
        let elements = elements?;
        if !(1..=LARGEST).contains(&elements) {
            let message = format!("a beam has 1 to {LARGEST} elements");
            self.problems
                .add(Diagnostic::error(GEOMETRY, message).at(&value.span, format!("{elements} here")));
            return None;
        }
        let up = match up {
            Some(up) => Some(up?),
            None => None,
        };
        let beam = ReadBeam {
            ends: [from, to],
            elements,
            profile: profile?,
            up,
            shear: shear?,
            span: value.span.clone(),
        };
        self.check_direction(&beam).then_some(beam)
    }

    fn check_direction(&self, beam: &ReadBeam) -> bool {
        let axis = minus(beam.ends[1], beam.ends[0]);
        let size = norm(beam.ends[0]).max(norm(beam.ends[1]));
        if norm(axis) <= SAME * size {
            let label = if size.is_finite() { "`from` and `to` are the same point" } else { "too far away" };
            self.problems.add(
                Diagnostic::error(
                    GEOMETRY,
                    if size.is_finite() { "a beam without length" } else { "a beam of infinite length" },
                )
                .at(&beam.span, label),
            );
            return false;
        }
        let along = beam.up.is_some_and(|up| norm(cross(up, axis)) <= 1e-6 * norm(up) * norm(axis));
        if along {
            self.problems.add(
                Diagnostic::error(GEOMETRY, "`up` lies along the beam")
                    .at(&beam.span, "it gives the section no direction")
                    .hint("`up` points along the height of the section, across the beam"),
            );
        }
        !along
    }

    fn profile(&self, f: &Fields<'_>) -> Option<BeamProfile> {
        const KINDS: [(&str, usize, &str); 6] = [
            ("circle", 1, "diameter"),
            ("tube", 2, "[diameter, wall]"),
            ("rectangle", 2, "[width, height]"),
            ("box", 3, "[width, height, wall]"),
            ("i", 4, "[width, height, web, flange]"),
            ("l", 3, "[width, height, thickness]"),
        ];
        if f.value("section").is_none() {
            f.missing("section", "such as { box = [\"80 mm\", \"60 mm\", \"4 mm\"] }");
        }
        let value = f.value("section")?;
        let entry = f.table("section")?.entries.as_slice();
        let names = || KINDS.iter().map(|(name, ..)| *name);
        let known = |entry: &TomlEntry| KINDS.iter().find(|(name, ..)| *name == entry.key.name);
        let ([entry], Some(&(name, count, wanted))) = (entry, entry.first().and_then(known)) else {
            let found = entry.first().map_or("", |e| e.key.name.as_str());
            self.problems.add(
                Diagnostic::error(IMPOSSIBLE, format!("there is no section `{found}`"))
                    .at(&value.span, format!("has to be {}", one_of(names())))
                    .hint_if(did_you_mean(found, names())),
            );
            return None;
        };
        let list = match &entry.value.data {
            Data::List(list) => list.as_slice(),
            _ => std::slice::from_ref(&entry.value),
        };
        if list.len() != count {
            self.problems.add(wrong_length(&entry.value, name, wanted));
            return None;
        }
        let sizes: Vec<Option<f64>> = list.iter().map(|v| self.positive(v, name, "m")).collect();
        let sizes = sizes.into_iter().collect::<Option<Vec<f64>>>()?;
        let (profile, fits) = profile_of(name, &sizes)?;
        if !fits {
            self.impossible(
                &entry.value.span,
                format!("the walls of this `{name}` do not fit into its outline"),
                wanted,
            );
        }
        fits.then_some(profile)
    }

    fn frame(&self, entry: &'p TomlEntry) -> Option<(&'p TomlKey, [f64; 3])> {
        let place = match &entry.value.data {
            Data::Table(table) => match table.get("at") {
                Some(at) => self.vector(&at.value, "at", "m")?,
                None => [0.0; 3],
            },
            _ => self.vector(&entry.value, &entry.key.name, "m")?,
        };
        Some((&entry.key, place))
    }

    fn modes(&self, most: usize, needed: bool) -> Option<usize> {
        let Some(entry) = self.f.entry("modes") else { return Some(MODES.min(most)) };
        let modes = self.f.count("modes")?;
        if modes > most {
            self.problems.add(
                Diagnostic::error(
                    TOO_MANY_MODES,
                    format!("`{}` does not have {modes} modes", self.part.key.name),
                )
                .at(&entry.value.span, format!("at most {most}: 6 for each node that is no interface"))
                .hint("ask for fewer, or divide the beams into more `elements`"),
            );
        }
        let none = needed && modes == 0;
        if none {
            self.problems.add(
                Diagnostic::error(TOO_MANY_MODES, format!("`{}` has no shapes", self.part.key.name))
                    .at(&entry.value.span, "and no interface but the one that its frame is fixed to")
                    .hint("keep some modes, give it `frames`, or say model = \"rigid\""),
            );
        }
        (modes <= most && !none).then_some(modes)
    }
}

fn shown(unit: &str) -> &str {
    if unit.is_empty() { "plain numbers" } else { unit }
}

/// The section of this name, and whether its walls fit into its outline.
fn profile_of(name: &str, sizes: &[f64]) -> Option<(BeamProfile, bool)> {
    Some(match (name, sizes) {
        ("circle", &[diameter]) => (BeamProfile::Circle { diameter }, true),
        ("tube", &[diameter, wall]) => (BeamProfile::Tube { diameter, wall }, 2.0 * wall < diameter),
        ("rectangle", &[width, height]) => (BeamProfile::Rectangle { width, height }, true),
        ("box", &[width, height, wall]) => {
            (BeamProfile::Box { width, height, wall }, 2.0 * wall < width.min(height))
        }
        ("i", &[width, height, web, flange]) => {
            (BeamProfile::I { width, height, web, flange }, web <= width && 2.0 * flange < height)
        }
        ("l", &[width, height, thickness]) => {
            (BeamProfile::L { width, height, thickness }, thickness < width.min(height))
        }
        _ => return None,
    })
}

/// A body of beams whose shapes have a mass of their own.
pub(super) fn shape_with_mass(body: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(OWN_MASS, format!("a shape of `{body}` has a mass"))
        .at(span, "beams have their mass from section and density")
        .hint(
            "shapes of a body of beams are drawn only; weld a body of its own to a frame for a further mass",
        )
}

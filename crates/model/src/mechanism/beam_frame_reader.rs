//! Reads the description of a body by beams, with everything that is wrong with it.

use super::beam_frame::{BeamFrame, BeamMaterial, BeamProfile, BodyDamping, FrameBeam};
use super::sections::MechanismPart;
use super::wrong_length;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlValue};
use crate::units::{parse_unit, parse_value};

const NOT_PLAIN: &str = "M0521";
const IMPOSSIBLE: &str = "M0522";
const GEOMETRY: &str = "M0523";
const NO_NODE: &str = "M0524";
const TOO_MANY_MODES: &str = "M0525";
const OWN_MASS: &str = "M0526";

/// Elements of a beam that does not say how many.
const ELEMENTS: usize = 8;
/// Modes of a body that does not say how many.
const MODES: usize = 6;
/// Nodes of one body.
const LARGEST: usize = 5000;
/// Points that are closer than this share of the size of the body are one node.
const SAME: f64 = 1e-9;

/// E, ν and ρ in SI at room temperature, as handbooks round them.
const MATERIALS: [(&str, [f64; 3]); 4] = [
    ("steel", [210e9, 0.3, 7850.0]),
    ("stainless_steel", [200e9, 0.3, 7900.0]),
    ("aluminium", [70e9, 0.33, 2700.0]),
    ("titanium", [114e9, 0.34, 4430.0]),
];

pub(super) struct FrameReader<'p> {
    part: &'p MechanismPart,
    f: Fields<'p>,
    problems: &'p Problems,
}

struct ReadBeam {
    ends: [[f64; 3]; 2],
    elements: usize,
    profile: BeamProfile,
    up: Option<[f64; 3]>,
    shear: bool,
    span: Span,
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
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
        let modes = self.modes(6 * (nodes.len() - interfaces.len()))?;
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

    fn positive(&self, value: &TomlValue, key: &str, unit: &str) -> Option<f64> {
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

    fn vector(&self, value: &TomlValue, key: &str, unit: &str) -> Option<[f64; 3]> {
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
            let error = Diagnostic::error(GEOMETRY, "a beam without length");
            self.problems.add(error.at(&beam.span, "`from` and `to` are the same point"));
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

    /// Nodes along all beams; ends and nodes at the same place are one.
    fn mesh(&self, beams: Vec<ReadBeam>) -> Option<(Vec<[f64; 3]>, Vec<FrameBeam>)> {
        let total: usize = beams.iter().map(|b| b.elements + 1).sum();
        if total > LARGEST {
            let place = &self.f.entry("beams")?.key.span;
            let message = format!("a body of beams has at most {LARGEST} nodes");
            self.problems.add(Diagnostic::error(GEOMETRY, message).at(place, format!("{total} here")));
            return None;
        }
        let mut nodes: Vec<[f64; 3]> = vec![];
        let mut made: Vec<FrameBeam> = vec![];
        let near = SAME * size_of(&beams);
        for beam in beams {
            let [from, to] = beam.ends;
            let axis = minus(to, from);
            let along = |i: usize| {
                let share = i as f64 / beam.elements as f64;
                std::array::from_fn(|k| if i == beam.elements { to[k] } else { from[k] + share * axis[k] })
            };
            let mut node = |at: [f64; 3]| {
                nodes.iter().position(|n| norm(minus(*n, at)) <= near).unwrap_or_else(|| {
                    nodes.push(at);
                    nodes.len() - 1
                })
            };
            let places = (0..=beam.elements).map(|i| node(along(i))).collect();
            let (profile, shear, span) = (beam.profile, beam.shear, beam.span);
            // The height of a section is vertical; of an upright beam it is along x.
            let upright = norm(cross([0.0, 0.0, 1.0], axis)) <= 1e-6 * norm(axis);
            let up = beam.up.unwrap_or(if upright { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
            made.push(FrameBeam { nodes: places, profile, up, shear, span });
        }
        self.check_connected(nodes.len(), &made).then_some((nodes, made))
    }

    fn check_connected(&self, nodes: usize, beams: &[FrameBeam]) -> bool {
        let mut reached = vec![false; nodes];
        reached[beams[0].nodes[0]] = true;
        loop {
            let next = beams
                .iter()
                .find(|b| b.nodes.iter().any(|&n| reached[n]) && b.nodes.iter().any(|&n| !reached[n]));
            let Some(beam) = next else { break };
            beam.nodes.iter().for_each(|&n| reached[n] = true);
        }
        let loose = beams.iter().find(|b| !reached[b.nodes[0]]);
        if let Some(beam) = loose {
            self.problems.add(
                Diagnostic::error(
                    GEOMETRY,
                    format!("the beams of `{}` are not connected", self.part.key.name),
                )
                .at(&beam.span, "no chain of beams leads from the first beam to this one")
                .hint("beams meet at their ends, or at nodes between elements"),
            );
        }
        loose.is_none()
    }

    /// Nodes of the interfaces, the reference first, and those of the named frames.
    fn interfaces(
        &self,
        nodes: &[[f64; 3]],
        frames: &[(&TomlKey, [f64; 3])],
    ) -> Option<(Vec<usize>, Vec<(String, usize)>)> {
        let size = nodes.iter().map(|n| norm(*n)).fold(0.0, f64::max);
        let find = |at: [f64; 3]| nodes.iter().position(|n| norm(minus(*n, at)) <= 10.0 * SAME * size);
        let mut named = vec![];
        let mut good = true;
        for (key, at) in frames {
            match find(*at) {
                Some(node) => named.push((key.name.clone(), node)),
                None => {
                    good = false;
                    self.no_node(key, *at, nodes);
                }
            }
        }
        let mut interfaces: Vec<usize> = find([0.0; 3]).into_iter().collect();
        for (_, node) in &named {
            if !interfaces.contains(node) {
                interfaces.push(*node);
            }
        }
        if good && interfaces.is_empty() {
            self.problems.add(
                Diagnostic::error(NO_NODE, format!("`{}` has nothing to be held at", self.part.key.name))
                    .at(&self.part.key.span, "its origin is no node of its beams, and it has no frames")
                    .hint("let a beam begin at [0, 0, 0], or give `frames` at ends of beams"),
            );
        }
        (good && !interfaces.is_empty()).then_some((interfaces, named))
    }

    fn no_node(&self, key: &TomlKey, at: [f64; 3], nodes: &[[f64; 3]]) {
        let distance = |n: &[f64; 3]| norm(minus(*n, at));
        let nearest = nodes.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let hint = nearest.map(|n| {
            let [x, y, z] =
                n.map(|v| format!("{v:.6}").trim_end_matches('0').trim_end_matches('.').to_string());
            format!(
                "the nearest node is at [\"{x} m\", \"{y} m\", \"{z} m\"]; more `elements` make more nodes"
            )
        });
        self.problems.add(
            Diagnostic::error(NO_NODE, format!("frame `{}.{}` is at no node", self.part.key.name, key.name))
                .at(&key.span, "neither an end of a beam nor a node between its elements")
                .hint_if(hint),
        );
    }

    fn modes(&self, most: usize) -> Option<usize> {
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
        (modes <= most).then_some(modes)
    }
}

fn size_of(beams: &[ReadBeam]) -> f64 {
    beams.iter().flat_map(|b| b.ends).map(norm).fold(0.0, f64::max)
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

//! Beams of the description of an elastic body.

use super::elastic_nodes::{SAME, cross, minus, norm};
use super::elastic_reader::{ElasticReader, GEOMETRY, IMPOSSIBLE, LARGEST};
use super::fe_mesh::BeamProfile;
use super::wrong_length;
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlEntry, TomlValue};

/// Elements of a beam that does not say how many.
const ELEMENTS: usize = 8;

pub(super) struct ReadBeam {
    pub ends: [[f64; 3]; 2],
    pub elements: usize,
    /// At both ends.
    pub profiles: [BeamProfile; 2],
    pub up: Option<[f64; 3]>,
    pub shear: bool,
    /// Components in the axes of the beam that its ends do not transmit.
    pub releases: [[bool; 6]; 2],
    pub span: Span,
}

impl ElasticReader<'_> {
    pub(super) fn beam(&self, k: usize, value: &TomlValue) -> Option<ReadBeam> {
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
        let profile = self.profile(&f, "section");
        let far =
            if f.entry("section_to").is_some() { self.profile(&f, "section_to") } else { profile.clone() };
        let releases = self.releases(&f);
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
            profiles: self.taper(profile?, far?, &value.span)?,
            up,
            shear: shear?,
            releases: releases?,
            span: value.span.clone(),
        };
        self.check_direction(&beam).then_some(beam)
    }

    /// Sections at both ends, which are of one kind.
    fn taper(&self, near: BeamProfile, far: BeamProfile, span: &Span) -> Option<[BeamProfile; 2]> {
        let alike = std::mem::discriminant(&near) == std::mem::discriminant(&far);
        if !alike {
            self.impossible(
                span,
                "a beam changes the kind of its section".into(),
                "`section_to` is of the kind of `section`",
            );
        }
        alike.then_some([near, far])
    }

    /// `release = { to = ["ry"] }`.
    fn releases(&self, f: &Fields<'_>) -> Option<[[bool; 6]; 2]> {
        const NAMES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
        let mut found = [[false; 6]; 2];
        let Some(value) = f.value("release") else { return Some(found) };
        let table = f.table("release")?;
        let ends = Fields::new(table, "a release", &value.span, self.problems);
        let mut good = true;
        for (end, key) in [(0, "from"), (1, "to")] {
            for text in ends.texts(key) {
                match NAMES.iter().position(|name| *name == text.text) {
                    Some(component) => found[end][component] = true,
                    None => {
                        good = false;
                        self.problems.add(
                            Diagnostic::error(IMPOSSIBLE, format!("there is no component `{}`", text.text))
                                .at(&text.span, format!("has to be {}", one_of(NAMES)))
                                .hint("x along the beam, z along the height of its section; rx, ry, rz: rotations about them"),
                        );
                    }
                }
            }
        }
        ends.finish();
        good.then_some(found)
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

    pub(super) fn profile(&self, f: &Fields<'_>, key: &'static str) -> Option<BeamProfile> {
        const KINDS: [(&str, usize, &str); 6] = [
            ("circle", 1, "diameter"),
            ("tube", 2, "[diameter, wall]"),
            ("rectangle", 2, "[width, height]"),
            ("box", 3, "[width, height, wall]"),
            ("i", 4, "[width, height, web, flange]"),
            ("l", 3, "[width, height, thickness]"),
        ];
        if f.value(key).is_none() {
            f.missing(key, "such as { box = [\"80 mm\", \"60 mm\", \"4 mm\"] }");
        }
        let value = f.value(key)?;
        let entry = f.table(key)?.entries.as_slice();
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
}

/// The section of this name, and whether its walls fit into its outline.
fn profile_of(name: &str, sizes: &[f64]) -> Option<(BeamProfile, bool)> {
    Some(match (name, sizes) {
        ("circle", &[diameter]) => (BeamProfile::Circle { diameter }, true),
        ("tube", &[diameter, wall]) => (BeamProfile::Tube { diameter, wall }, 2.0 * wall < diameter),
        ("rectangle", &[width, height]) => (BeamProfile::Rectangle { width, height }, true),
        ("box", &[width, height, wall]) => {
            (BeamProfile::Box { width, height, side: wall, cover: wall }, 2.0 * wall < width.min(height))
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

//! Reads the description of an elastic body, with everything that is wrong with it.

use std::sync::Arc;

use super::beam_reader::ReadBeam;
use super::elastic_part::{ElasticPart, FORMS};
use super::fe_mesh::{FeMesh, MeshNode};
use super::plate_reader::ReadPlate;
use super::sections::{MechanismPart, Sections};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey};

pub(super) const NOT_PLAIN: &str = "M0521";
pub(super) const IMPOSSIBLE: &str = "M0522";
pub(super) const GEOMETRY: &str = "M0523";
pub(super) const NO_NODE: &str = "M0524";
pub(super) const TOO_MANY_MODES: &str = "M0525";
const OWN_MASS: &str = "M0526";
/// What a mesh file leaves open is not said, or said twice.
pub(super) const OPEN_MESH: &str = "M0545";

/// Nodes of one body that is described in a model file.
pub(super) const LARGEST: usize = 5000;

pub(super) struct ElasticReader<'p> {
    pub part: &'p MechanismPart,
    pub f: Fields<'p>,
    pub sections: &'p Sections,
    pub problems: &'p Problems,
}

/// A beam as it is drawn.
#[derive(Clone, Debug)]
pub(super) struct DrawnLine {
    pub from: [f64; 3],
    pub to: [f64; 3],
    pub up: [f64; 3],
    /// Numbers of its elements.
    pub elements: std::ops::Range<u32>,
}

/// Finite elements with their interfaces.
pub(super) struct BuiltPart {
    pub mesh: FeMesh,
    /// The reference first.
    pub interfaces: Vec<usize>,
    pub named: Vec<(String, usize)>,
    pub lines: Vec<DrawnLine>,
}

impl BuiltPart {
    /// A further node; its index.
    pub fn node(mesh: &mut FeMesh, at: [f64; 3]) -> usize {
        let number = mesh.nodes.iter().map(|n| n.number).max().map_or(1, |n| n.saturating_add(1));
        mesh.nodes.push(MeshNode { number, at });
        mesh.nodes.len() - 1
    }
}

impl<'p> ElasticReader<'p> {
    pub fn new(part: &'p MechanismPart, sections: &'p Sections, problems: &'p Problems) -> Self {
        ElasticReader { part, f: part.fields("body", problems), sections, problems }
    }

    pub fn read(&self, planar: bool) -> Option<ElasticPart> {
        let f = &self.f;
        let form = FORMS.iter().find_map(|key| f.entry(key))?;
        let span = form.key.span.clone();
        if planar {
            self.problems.add(
                Diagnostic::error(GEOMETRY, "a body of finite elements moves in space")
                    .at(&span, "`plane` is set in [mechanism]")
                    .hint("leave out `plane` and give joints their axis"),
            );
            return None;
        }
        self.refuse_masses(&form.key.name);
        let elastic = match f.entry("model") {
            Some(_) => f.choice("model", &[("elastic", true), ("rigid", false)]),
            None => Some(true),
        };
        let damping = self.damping();
        let of_file = f.entry("mesh").is_some();
        let built = if of_file { self.part_of_file() } else { self.part_of_description() };
        let BuiltPart { mut mesh, mut interfaces, mut named, lines } = built?;
        let masses = self.point_masses(&mesh, &named)?;
        mesh.masses.extend(masses);
        if of_file {
            self.drop_loose_nodes(&mut mesh, &mut interfaces, &mut named);
        }
        let most = 6 * (mesh.nodes.len() - interfaces.len());
        let modes = self.modes(most, interfaces.len() == 1 && elastic == Some(true))?;
        let (elastic, damping) = (elastic?, damping?);
        Some(ElasticPart { elastic, mesh: Arc::new(mesh), interfaces, named, modes, damping, span, lines })
    }

    /// Beams and plates.
    fn part_of_description(&self) -> Option<BuiltPart> {
        let f = &self.f;
        for key in ["scale", "thickness", "groups"] {
            self.refuse_beside(key, "it belongs to a mesh file");
        }
        let material = self.material();
        let beams: Vec<Option<ReadBeam>> =
            f.list("beams").unwrap_or(&[]).iter().enumerate().map(|(k, value)| self.beam(k, value)).collect();
        let plates: Vec<Option<ReadPlate>> = f
            .list("plates")
            .unwrap_or(&[])
            .iter()
            .enumerate()
            .map(|(k, value)| self.plate(k, value))
            .collect();
        let places: Vec<Option<(&TomlKey, [f64; 3])>> =
            f.entries("frames").iter().map(|entry| self.frame(entry)).collect();
        let beams = beams.into_iter().collect::<Option<Vec<ReadBeam>>>()?;
        let plates = plates.into_iter().collect::<Option<Vec<ReadPlate>>>()?;
        let places = places.into_iter().collect::<Option<Vec<_>>>()?;
        if beams.is_empty() && plates.is_empty() {
            let place = &FORMS.iter().find_map(|key| f.entry(key))?.key.span;
            self.problems
                .add(Diagnostic::error(GEOMETRY, "there are no beams or plates").at(place, "an empty list"));
            return None;
        }
        let (mut mesh, lines) = self.mesh_of(beams, plates)?;
        let (interfaces, named) = self.interfaces(&mesh.nodes, &places)?;
        mesh.materials.push(material?);
        Some(BuiltPart { mesh, interfaces, named, lines })
    }

    fn refuse_masses(&self, form: &str) {
        for key in ["m", "center", "inertia", "rod"] {
            if let Some(entry) = self.f.entry(key) {
                self.problems.add(
                    Diagnostic::error(OWN_MASS, format!("`{key}` beside `{form}`"))
                        .at(&entry.key.span, "finite elements have their mass from size and density")
                        .hint("use `point_masses`, or weld a body of its own to a frame, for a further mass"),
                );
            }
        }
    }

    /// A key that has no meaning here.
    pub(crate) fn refuse_beside(&self, key: &'static str, why: &str) {
        if let Some(entry) = self.f.entry(key) {
            self.problems.add(
                Diagnostic::error(OPEN_MESH, format!("`{key}` of `{}` has no effect", self.part.key.name))
                    .at(&entry.key.span, why)
                    .hint("leave it out"),
            );
        }
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
}

/// A body of finite elements whose shapes have a mass of their own.
pub(super) fn shape_with_mass(body: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(OWN_MASS, format!("a shape of `{body}` has a mass"))
        .at(span, "finite elements have their mass from size and density")
        .hint(
            "shapes of such a body are drawn only; use `point_masses`, or weld a body of its own to a frame",
        )
}

//! An elastic body of a mesh file: unit of length, and what the file leaves open.
//!
//! A mesh of Gmsh has shapes only: elements of the highest dimension get the material (and thickness) of the body, those in `groups` their own.
//! Bulk data of Nastran have all of it.

use super::elastic_nodes::{cross, minus, norm};
use super::elastic_reader::{BuiltPart, ElasticReader, OPEN_MESH};
use super::fe_mesh::{
    ElasticMaterial, FeMesh, MeshBeamPlacement, MeshElementKind, MeshLink, MeshProperty, MeshPropertyForm,
    MeshSection,
};
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlEntry, relative};

/// What a body or one of its groups says of elements.
struct GroupProperty {
    material: Option<ElasticMaterial>,
    thickness: Option<f64>,
    section: Option<MeshSection>,
    up: Option<[f64; 3]>,
}

impl ElasticReader<'_> {
    pub(super) fn part_of_file(&self) -> Option<BuiltPart> {
        for key in ["beams", "plates"] {
            self.refuse_beside(key, "the body is that of a mesh file");
        }
        let file = self.f.text("mesh")?;
        let path = relative(&file.span.source.name, &file.text);
        let scale = self.scale();
        // What could not be read has been reported.
        let read = self.sections.fe_meshes.get(&path)?.as_ref()?;
        let (length, force) = scale?;
        let mut mesh = FeMesh::clone(read).in_si(length, force);
        let complete = mesh.elements.iter().all(|e| e.property.is_some());
        if complete {
            for key in ["material", "thickness", "groups"] {
                self.refuse_beside(key, "the mesh file says it");
            }
        } else {
            self.complete(&mut mesh, &file.span)?;
        }
        self.mesh_frames(mesh)
    }

    /// Metres and newtons of the units of the file.
    fn scale(&self) -> Option<(f64, f64)> {
        let Some(value) = self.f.value("scale") else {
            let name = &self.part.key.name;
            self.problems.add(
                Diagnostic::error(OPEN_MESH, format!("the mesh of `{name}` has no unit of length"))
                    .at(&self.f.entry("mesh")?.key.span, "mesh files do not say their units")
                    .hint("scale = \"1 mm\" for a mesh in mm"),
            );
            return None;
        };
        let Data::Table(table) = &value.data else {
            return Some((self.positive(value, "scale", "m")?, 1.0));
        };
        let f = Fields::new(table, "scale", &value.span, self.problems);
        if f.entry("length").is_none() {
            f.missing("length", "{ length = \"1 mm\", force = \"1 N\" }");
        }
        let length = f.value("length").and_then(|v| self.positive(v, "length", "m"));
        let force = f.value("force").map_or(Some(1.0), |v| self.positive(v, "force", "N"));
        f.finish();
        Some((length?, force?))
    }

    /// Gives elements without properties theirs, and leaves out those that only tell what belongs to a group.
    fn complete(&self, mesh: &mut FeMesh, span: &Span) -> Option<()> {
        let mut given: Vec<Option<usize>> = vec![None; mesh.elements.len()];
        let mut good = true;
        for entry in self.f.entries("groups") {
            let Some((elements, property)) = self.group(mesh, entry) else {
                good = false;
                continue;
            };
            for element in elements {
                given[element] = self.property_of(mesh, element, &property, &entry.key.span);
                good &= given[element].is_some();
            }
        }
        if !good {
            return None;
        }
        let top = mesh.elements.iter().map(|e| e.kind.dimension()).max()?;
        let open = (0..given.len()).any(|k| given[k].is_none() && mesh.elements[k].kind.dimension() == top);
        let thickness = match self.f.value("thickness") {
            Some(value) => Some(self.positive(value, "thickness", "m")?),
            None => None,
        };
        let material = if open || self.f.value("material").is_some() { Some(self.material()?) } else { None };
        let body = GroupProperty { material, thickness, section: None, up: None };
        for k in 0..given.len() {
            if given[k].is_none() && mesh.elements[k].kind.dimension() == top {
                given[k] = Some(self.property_of(mesh, k, &body, span)?);
            }
        }
        for (element, property) in mesh.elements.iter_mut().zip(&given) {
            element.property = *property;
        }
        mesh.elements.retain(|e| e.property.is_some());
        mesh.groups.iter_mut().for_each(|g| g.elements.clear());
        Some(())
    }

    /// The elements of a group, and what they are made of.
    fn group(&self, mesh: &FeMesh, entry: &TomlEntry) -> Option<(Vec<usize>, GroupProperty)> {
        let name = &entry.key.name;
        let elements: Vec<usize> =
            mesh.groups.iter().filter(|g| g.name == *name).flat_map(|g| g.elements.clone()).collect();
        if elements.is_empty() {
            self.no_group(mesh, name, &entry.key.span);
            return None;
        }
        let Data::Table(table) = &entry.value.data else {
            self.problems.add(super::wrong_length(
                &entry.value,
                name,
                "a table { material = …, thickness = … }",
            ));
            return None;
        };
        let f = Fields::new(table, format!("group `{name}`"), &entry.key.span, self.problems);
        let material = match f.value("material") {
            Some(value) => Some(self.material_of(value)?),
            None => Some(self.material()?),
        };
        let thickness = match f.value("thickness") {
            Some(value) => Some(self.positive(value, "thickness", "m")?),
            None => None,
        };
        let section = match f.value("section") {
            Some(_) => Some(MeshSection::Profile {
                profile: self.profile(&f, "section")?,
                turned: false,
                shear: true,
            }),
            None => None,
        };
        let up = match f.value("up") {
            Some(value) => Some(self.vector(value, "up", "")?),
            None => None,
        };
        f.finish();
        Some((elements, GroupProperty { material, thickness, section, up }))
    }

    pub(super) fn no_group(&self, mesh: &FeMesh, name: &str, span: &Span) {
        let names = || mesh.groups.iter().map(|g| g.name.as_str());
        let known = if mesh.groups.is_empty() {
            "the mesh has no physical groups; `nodes = [1, 2, 3]` names nodes by number".to_string()
        } else {
            format!("the mesh has {}", one_of(names()))
        };
        self.problems.add(
            Diagnostic::error(
                OPEN_MESH,
                format!("the mesh of `{}` has no group `{name}`", self.part.key.name),
            )
            .at(span, "or none of its elements can carry load")
            .hint(known)
            .hint_if(did_you_mean(name, names())),
        );
    }

    /// The property of an element: a new one, or that of the element before it.
    fn property_of(
        &self,
        mesh: &mut FeMesh,
        element: usize,
        from: &GroupProperty,
        span: &Span,
    ) -> Option<usize> {
        let kind = mesh.elements[element].kind;
        let missing = |key: &str, what: &str, hint: &str| {
            self.problems.add(
                Diagnostic::error(
                    OPEN_MESH,
                    format!("{what} of the mesh of `{}` have no {key}", self.part.key.name),
                )
                .at(span, format!("`{key}` is missing"))
                .hint(hint),
            );
        };
        let form = match kind.dimension() {
            3 => MeshPropertyForm::Solid,
            2 => match from.thickness {
                Some(thickness) => MeshPropertyForm::Shell { thickness },
                None => {
                    missing(
                        "thickness",
                        "shells",
                        "thickness = \"4 mm\", of the body or of their group in `groups`",
                    );
                    return None;
                }
            },
            _ => match &from.section {
                Some(section) => MeshPropertyForm::Beam(vec![(0.0, section.clone())]),
                None => {
                    missing("section", "lines", "groups = { name = { section = { circle = \"8 mm\" } } }");
                    return None;
                }
            },
        };
        if kind == MeshElementKind::Beam {
            self.orient(mesh, element, from.up, span)?;
        }
        let material = from.material.clone()?;
        let index = mesh.materials.iter().position(|m| *m == material).unwrap_or_else(|| {
            mesh.materials.push(material);
            mesh.materials.len() - 1
        });
        let property = MeshProperty { form, material: Some(index), added_mass: 0.0 };
        // Elements in order have few properties, the last ones first.
        let known = mesh.properties.iter().rposition(|p| *p == property);
        Some(known.unwrap_or_else(|| {
            mesh.properties.push(property);
            mesh.properties.len() - 1
        }))
    }

    fn orient(&self, mesh: &mut FeMesh, element: usize, up: Option<[f64; 3]>, span: &Span) -> Option<()> {
        let [a, b] = [0, 1].map(|k| mesh.nodes[mesh.elements[element].nodes[k]].at);
        let axis = minus(b, a);
        let upright = norm(cross([0.0, 0.0, 1.0], axis)) <= 1e-6 * norm(axis);
        let default = if upright { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let up = up.unwrap_or(default);
        if norm(cross(up, axis)) <= 1e-6 * norm(up) * norm(axis) {
            let number = mesh.elements[element].number;
            self.problems.add(
                Diagnostic::error(
                    OPEN_MESH,
                    format!("`up` lies along element {number}, or it has no length"),
                )
                .at(span, "its section has no direction")
                .hint("`up` points along the height of the section, across the beam"),
            );
            return None;
        }
        let placement = MeshBeamPlacement {
            orientation: cross(up, axis),
            offsets: [[0.0; 3]; 2],
            releases: [[false; 6]; 2],
        };
        mesh.elements[element].placement = Some(placement);
        Some(())
    }

    /// Leaves out nodes that nothing is connected to: ends of construction lines, grids that show a direction.
    pub(super) fn drop_loose_nodes(
        &self,
        mesh: &mut FeMesh,
        interfaces: &mut [usize],
        named: &mut [(String, usize)],
    ) {
        let used = used_nodes(mesh);
        let mut place = vec![usize::MAX; mesh.nodes.len()];
        let kept = place.iter_mut().zip(&used).filter(|(_, used)| **used);
        kept.enumerate().for_each(|(new, (place, _))| *place = new);
        let mut index = 0..;
        mesh.nodes.retain(|_| index.next().is_some_and(|k| used[k]));
        mesh.elements.iter_mut().flat_map(|e| &mut e.nodes).for_each(|n| *n = place[*n]);
        mesh.masses.iter_mut().for_each(|m| m.node = place[m.node]);
        for link in &mut mesh.links {
            match link {
                MeshLink::Rigid { reference, nodes, .. } => {
                    *reference = place[*reference];
                    nodes.iter_mut().for_each(|n| *n = place[*n]);
                }
                MeshLink::Averaging { reference, nodes, .. } => {
                    *reference = place[*reference];
                    nodes.iter_mut().for_each(|n| n.0 = place[n.0]);
                }
            }
        }
        mesh.groups.clear();
        interfaces.iter_mut().for_each(|n| *n = place[*n]);
        named.iter_mut().for_each(|n| n.1 = place[n.1]);
    }
}

/// Whether an element, a mass or a link knows each node.
pub(super) fn used_nodes(mesh: &FeMesh) -> Vec<bool> {
    let mut used = vec![false; mesh.nodes.len()];
    mesh.elements.iter().flat_map(|e| &e.nodes).for_each(|&n| used[n] = true);
    mesh.masses.iter().for_each(|m| used[m.node] = true);
    for link in &mesh.links {
        match link {
            MeshLink::Rigid { reference, nodes, .. } => {
                used[*reference] = true;
                nodes.iter().for_each(|&n| used[n] = true);
            }
            MeshLink::Averaging { reference, nodes, .. } => {
                used[*reference] = true;
                nodes.iter().for_each(|n| used[n.0] = true);
            }
        }
    }
    used
}

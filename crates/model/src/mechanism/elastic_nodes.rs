//! Nodes of a body that is described in the model file: where beams and plates meet, which of them frames are at.

use super::beam_reader::ReadBeam;
use super::elastic_reader::{DrawnLine, ElasticReader, GEOMETRY, LARGEST, NO_NODE};
use super::fe_mesh::{
    FeMesh, MeshBeamPlacement, MeshElement, MeshElementKind, MeshNode, MeshPlace, MeshProperty,
    MeshPropertyForm, MeshSection,
};
use super::plate_reader::ReadPlate;
use crate::diagnostic::Diagnostic;
use crate::file::{Span, TomlKey};

/// Points that are closer than this share of the size of the body are one node.
pub(super) const SAME: f64 = 1e-9;
/// Stations of an element of a tapered beam.
const STATIONS: usize = 4;

/// Frames of the file with their nodes.
pub(super) type NamedNodes = Vec<(String, usize)>;

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(super) fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// A beam or plate, by its nodes.
struct PartMember {
    nodes: Vec<usize>,
    span: Span,
}

/// Nodes as they are found; those at the same place are one.
struct NodeSearch {
    near: f64,
    nodes: Vec<[f64; 3]>,
}

impl NodeSearch {
    fn at(&mut self, at: [f64; 3]) -> usize {
        self.nodes.iter().position(|n| norm(minus(*n, at)) <= self.near).unwrap_or_else(|| {
            self.nodes.push(at);
            self.nodes.len() - 1
        })
    }
}

impl ElasticReader<'_> {
    /// Elements of all beams and plates.
    pub(super) fn mesh_of(
        &self,
        beams: Vec<ReadBeam>,
        plates: Vec<ReadPlate>,
    ) -> Option<(FeMesh, Vec<DrawnLine>)> {
        let of_plates = plates.iter().map(|p| (p.elements[0] + 1) * (p.elements[1] + 1));
        let total = beams.iter().map(|b| b.elements + 1).chain(of_plates).fold(0, usize::saturating_add);
        if total > LARGEST {
            let message = format!("a body of beams and plates has at most {LARGEST} nodes");
            let place = &self.part.key.span;
            self.problems.add(Diagnostic::error(GEOMETRY, message).at(place, format!("{total} here")));
            return None;
        }
        let corners = beams.iter().flat_map(|b| b.ends).chain(plates.iter().flat_map(|p| p.corners));
        let near = SAME * corners.map(norm).fold(0.0, f64::max);
        let mut search = NodeSearch { near, nodes: vec![] };
        let (mut mesh, mut members, mut lines) = (FeMesh::default(), vec![], vec![]);
        for beam in &beams {
            let nodes = add_beam(&mut mesh, &mut search, beam, &mut lines);
            members.push(PartMember { nodes, span: beam.span.clone() });
        }
        for plate in &plates {
            let nodes = add_plate(&mut mesh, &mut search, plate);
            members.push(PartMember { nodes, span: plate.span.clone() });
        }
        let numbered = search.nodes.into_iter().enumerate();
        mesh.nodes = numbered.map(|(k, at)| MeshNode { number: k as u32 + 1, at }).collect();
        self.check_connected(mesh.nodes.len(), &members).then_some((mesh, lines))
    }

    fn check_connected(&self, nodes: usize, members: &[PartMember]) -> bool {
        let mut reached = vec![false; nodes];
        reached[members[0].nodes[0]] = true;
        loop {
            let next = members
                .iter()
                .find(|b| b.nodes.iter().any(|&n| reached[n]) && b.nodes.iter().any(|&n| !reached[n]));
            let Some(member) = next else { break };
            member.nodes.iter().for_each(|&n| reached[n] = true);
        }
        let loose = members.iter().find(|b| !reached[b.nodes[0]]);
        if let Some(member) = loose {
            self.problems.add(
                Diagnostic::error(
                    GEOMETRY,
                    format!("the beams and plates of `{}` are not connected", self.part.key.name),
                )
                .at(&member.span, "no chain of them leads from the first one to this one")
                .hint("they meet at their ends and corners, or at nodes between elements"),
            );
        }
        loose.is_none()
    }

    /// Nodes of the interfaces, the reference first, and those of the named frames.
    pub(super) fn interfaces(
        &self,
        nodes: &[MeshNode],
        frames: &[(&TomlKey, [f64; 3])],
    ) -> Option<(Vec<usize>, NamedNodes)> {
        let size = nodes.iter().map(|n| norm(n.at)).fold(0.0, f64::max);
        let find = |at: [f64; 3]| nodes.iter().position(|n| norm(minus(n.at, at)) <= 10.0 * SAME * size);
        let mut named = vec![];
        let mut good = true;
        for (key, at) in frames {
            match find(*at) {
                Some(node) => named.push((key.name.clone(), node)),
                None => {
                    good = false;
                    self.no_node(key, *at, nodes.iter().map(|n| n.at), "; more `elements` make more nodes");
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
                    .at(&self.part.key.span, "its origin is no node, and it has no frames")
                    .hint("let a beam begin at [0, 0, 0], or give `frames` at ends of beams or corners of plates"),
            );
        }
        (good && !interfaces.is_empty()).then_some((interfaces, named))
    }

    pub(super) fn no_node(
        &self,
        key: &TomlKey,
        at: [f64; 3],
        nodes: impl Iterator<Item = [f64; 3]>,
        more: &str,
    ) {
        let distance = |n: &[f64; 3]| norm(minus(*n, at));
        let nearest = nodes.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let hint = nearest.map(|n| {
            let [x, y, z] =
                n.map(|v| format!("{v:.6}").trim_end_matches('0').trim_end_matches('.').to_string());
            format!("the nearest node is at [\"{x} m\", \"{y} m\", \"{z} m\"]{more}")
        });
        self.problems.add(
            Diagnostic::error(NO_NODE, format!("frame `{}.{}` is at no node", self.part.key.name, key.name))
                .at(&key.span, "neither an end or corner nor a node between elements")
                .hint_if(hint),
        );
    }
}

/// Elements of a beam; its nodes.
fn add_beam(
    mesh: &mut FeMesh,
    search: &mut NodeSearch,
    beam: &ReadBeam,
    lines: &mut Vec<DrawnLine>,
) -> Vec<usize> {
    let [from, to] = beam.ends;
    let axis = minus(to, from);
    let share = |i: usize| i as f64 / beam.elements as f64;
    let along = |i: usize| {
        std::array::from_fn(|k| if i == beam.elements { to[k] } else { from[k] + share(i) * axis[k] })
    };
    let nodes: Vec<usize> = (0..=beam.elements).map(|i| search.at(along(i))).collect();
    // The height of a section is vertical; of an upright beam it is along x.
    let upright = norm(cross([0.0, 0.0, 1.0], axis)) <= 1e-6 * norm(axis);
    let up = beam.up.unwrap_or(if upright { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
    let before = mesh.elements.len() as u32;
    let tapered = beam.profiles[0] != beam.profiles[1];
    for (i, pair) in nodes.windows(2).enumerate() {
        if i == 0 || tapered {
            let section = |at: f64| MeshSection::Profile {
                profile: beam.profiles[0].between(&beam.profiles[1], at),
                turned: false,
                shear: beam.shear,
            };
            let station = |k: usize| {
                let inside = k as f64 / STATIONS as f64;
                (inside, section(share(i) + inside / beam.elements as f64))
            };
            let stations =
                if tapered { (0..=STATIONS).map(station).collect() } else { vec![(0.0, section(0.0))] };
            let form = MeshPropertyForm::Beam(stations);
            mesh.properties.push(MeshProperty { form, material: Some(0), added_mass: 0.0 });
        }
        let axis = minus(search.nodes[pair[1]], search.nodes[pair[0]]);
        let mut releases = [[false; 6]; 2];
        if i == 0 {
            releases[0] = beam.releases[0];
        }
        if i + 1 == beam.elements {
            releases[1] = beam.releases[1];
        }
        // Height along z of the section, so its y is across it and the axis.
        let placement = MeshBeamPlacement { orientation: cross(up, axis), offsets: [[0.0; 3]; 2], releases };
        add_element(mesh, MeshElementKind::Beam, pair.to_vec(), Some(placement));
    }
    let [first, last] = [nodes[0], nodes[nodes.len() - 1]].map(|n| search.nodes[n]);
    lines.push(DrawnLine { from: first, to: last, up, elements: before + 1..mesh.elements.len() as u32 + 1 });
    nodes
}

/// An element of the last property.
fn add_element(
    mesh: &mut FeMesh,
    kind: MeshElementKind,
    nodes: Vec<usize>,
    placement: Option<MeshBeamPlacement>,
) {
    mesh.elements.push(MeshElement {
        number: mesh.elements.len() as u32 + 1,
        kind,
        nodes,
        property: Some(mesh.properties.len() - 1),
        placement,
        place: MeshPlace::default(),
    });
}

/// Elements of a plate, its corners interpolated bilinearly; its nodes.
fn add_plate(mesh: &mut FeMesh, search: &mut NodeSearch, plate: &ReadPlate) -> Vec<usize> {
    let [n, m] = plate.elements;
    let [a, b, c, d] = plate.corners;
    let at = |i: usize, j: usize| {
        let (x, y) = (i as f64 / n as f64, j as f64 / m as f64);
        std::array::from_fn(|k| (1.0 - y) * ((1.0 - x) * a[k] + x * b[k]) + y * ((1.0 - x) * d[k] + x * c[k]))
    };
    let form = MeshPropertyForm::Shell { thickness: plate.thickness };
    mesh.properties.push(MeshProperty { form, material: Some(0), added_mass: 0.0 });
    let nodes: Vec<usize> = (0..(n + 1) * (m + 1)).map(|k| search.at(at(k % (n + 1), k / (n + 1)))).collect();
    let node = |i: usize, j: usize| nodes[j * (n + 1) + i];
    for j in 0..m {
        for i in 0..n {
            let corners = vec![node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            add_element(mesh, MeshElementKind::Quad4, corners, None);
        }
    }
    nodes
}

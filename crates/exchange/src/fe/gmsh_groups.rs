//! What carries load in a mesh of Gmsh, and its physical groups.
//!
//! Elements of the highest dimension are the part; those below it, of faces and edges, tell which nodes a group has, and become beams or shells
//! where the model says so of their group.

use std::collections::HashMap;

use trunnion_model::mechanism::{FeMesh, MeshElement, MeshElementKind, MeshGroup, MeshPlace};
use trunnion_num::space::{Point, cross, dot, minus};

use super::gmsh::{GmshElement, GmshReader};
use super::{MeshResult, UNSUPPORTED, fault};

fn size(v: Point) -> f64 {
    dot(v, v).sqrt()
}

/// Length or area of a line or surface, by its corners; 1 of others.
fn extent(mesh: &FeMesh, element: &GmshElement) -> f64 {
    let at = |k: usize| mesh.nodes[element.nodes[k]].at;
    let triangle = |a: Point, b: Point, c: Point| 0.5 * size(cross(minus(b, a), minus(c, a)));
    match (element.kind.dimension, element.kind.corners) {
        (1, _) => size(minus(at(1), at(0))),
        (2, 3) => triangle(at(0), at(1), at(2)),
        (2, _) => triangle(at(0), at(1), at(2)) + triangle(at(0), at(2), at(3)),
        _ => 1.0,
    }
}

/// Nodes of a group in the order they are met, with their shares.
#[derive(Default)]
struct GatheredGroup {
    place: HashMap<usize, usize>,
    nodes: Vec<(usize, f64)>,
    elements: Vec<usize>,
}

impl GatheredGroup {
    fn add(&mut self, mesh: &FeMesh, element: &GmshElement) {
        let share = extent(mesh, element) / element.nodes.len() as f64;
        for &node in &element.nodes {
            let next = self.nodes.len();
            let at = *self.place.entry(node).or_insert(next);
            if at == next {
                self.nodes.push((node, 0.0));
            }
            self.nodes[at].1 += share;
        }
    }
}

impl GmshReader<'_> {
    /// The mesh, once everything is read.
    pub fn assembled(mut self) -> MeshResult<FeMesh> {
        let top = self.elements.iter().map(|e| e.kind.dimension).max().unwrap_or(0);
        let odd = self.elements.iter().find(|e| e.kind.dimension == top && e.kind.kind.is_none());
        if let Some(odd) = odd {
            let message =
                format!("element {} is a {}, which cannot carry load here", odd.number, odd.kind.name);
            return Err(fault(self.source, odd.range.clone(), UNSUPPORTED, message, "here", odd.kind.hint()));
        }
        // An element that is in several groups is there several times in format 2.2.
        let mut known: HashMap<(MeshElementKind, Vec<usize>), usize> = HashMap::new();
        let mut groups: HashMap<(usize, i64), GatheredGroup> = HashMap::new();
        let mut order: Vec<(usize, i64)> = vec![];
        for element in std::mem::take(&mut self.elements) {
            let index = element.kind.kind.map(|kind| self.carrying(&element, kind, &mut known));
            for &tag in &element.physical {
                let key = (element.kind.dimension, tag);
                let group = groups.entry(key).or_insert_with(|| {
                    order.push(key);
                    GatheredGroup::default()
                });
                group.add(&self.mesh, &element);
                group.elements.extend(index);
            }
        }
        for key in order {
            let Some(group) = groups.remove(&key) else { continue };
            let name = self.names.get(&key).cloned().unwrap_or_else(|| key.1.to_string());
            let GatheredGroup { nodes, elements, .. } = group;
            self.mesh.groups.push(MeshGroup { name, dimension: key.0, nodes, elements });
        }
        Ok(self.mesh)
    }

    fn carrying(
        &mut self,
        element: &GmshElement,
        kind: MeshElementKind,
        known: &mut HashMap<(MeshElementKind, Vec<usize>), usize>,
    ) -> usize {
        let next = self.mesh.elements.len();
        let index = *known.entry((kind, element.nodes.clone())).or_insert(next);
        if index == next {
            self.mesh.elements.push(MeshElement {
                number: element.number,
                kind,
                nodes: element.kind.ordered(&element.nodes),
                property: None,
                placement: None,
                place: MeshPlace { file: 0, line: element.line },
            });
        }
        index
    }
}

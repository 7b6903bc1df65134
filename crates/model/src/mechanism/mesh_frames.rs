//! Frames of a body of a mesh file: at a node, or at a reference that a group of nodes follows or moves.
//!
//!   reference of a group at   Σ w x / Σ w,  w: share of the node in the length or area of the group                   (1)

use std::collections::HashMap;

use super::elastic_nodes::{NamedNodes, minus, norm};
use super::elastic_reader::{BuiltPart, ElasticReader, NO_NODE, OPEN_MESH};
use super::fe_mesh::{FeMesh, MeshLink};
use super::mesh_part::used_nodes;
use crate::diagnostic::Diagnostic;
use crate::file::{Data, Fields, TomlEntry, TomlTable, TomlValue};

/// A place in a model file meets a node of a mesh within this share of the size of the part.
const NEAR: f64 = 1e-6;

/// Nodes with their weights.
type WeightedNodes = Vec<(usize, f64)>;

impl ElasticReader<'_> {
    /// Interfaces of all frames; the first is the reference.
    pub(super) fn mesh_frames(&self, mut mesh: FeMesh) -> Option<BuiltPart> {
        let used = used_nodes(&mesh);
        let mut named: NamedNodes = vec![];
        let mut good = true;
        for entry in self.f.entries("frames") {
            match self.mesh_frame(&mut mesh, &used, entry) {
                Some(node) => named.push((entry.key.name.clone(), node)),
                None => good = false,
            }
        }
        if good && named.is_empty() {
            self.problems.add(
                Diagnostic::error(NO_NODE, format!("`{}` has nothing to be held at", self.part.key.name))
                    .at(&self.part.key.span, "it has no frames")
                    .hint("frames = { hub = { group = \"hub face\" } }; its own frame is fixed to the first of them"),
            );
            return None;
        }
        let mut interfaces: Vec<usize> = vec![];
        for (_, node) in &named {
            if !interfaces.contains(node) {
                interfaces.push(*node);
            }
        }
        good.then_some(BuiltPart { mesh, interfaces, named, lines: vec![] })
    }

    fn mesh_frame(&self, mesh: &mut FeMesh, used: &[bool], entry: &TomlEntry) -> Option<usize> {
        let Data::Table(table) = &entry.value.data else {
            let at = self.vector(&entry.value, &entry.key.name, "m")?;
            return self.node_at(mesh, used, entry, at);
        };
        let what = format!("frame `{}.{}`", self.part.key.name, entry.key.name);
        let f = Fields::new(table, what, &entry.key.span, self.problems);
        let given: Vec<&str> =
            ["group", "nodes", "node"].into_iter().filter(|key| table.get(key).is_some()).collect();
        let at = match f.value("at") {
            Some(value) => Some(self.vector(value, "at", "m")?),
            None => None,
        };
        match given.as_slice() {
            [] => self.node_at(mesh, used, entry, at.unwrap_or([0.0; 3])),
            ["node"] => self.numbered(mesh, used, f.value("node")?),
            ["group"] => {
                let name = f.text("group")?;
                let groups = mesh.groups.iter().filter(|g| g.name == name.text);
                let nodes = groups.flat_map(|g| g.nodes.clone()).filter(|n| used[n.0]);
                let nodes = merged(nodes);
                if nodes.is_empty() {
                    self.no_group(mesh, &name.text, &name.span);
                    return None;
                }
                self.reference(mesh, &f, nodes, at, table)
            }
            ["nodes"] => {
                let list = f.list("nodes")?;
                let found: Vec<Option<usize>> = list.iter().map(|v| self.numbered(mesh, used, v)).collect();
                let found = found.into_iter().collect::<Option<Vec<usize>>>()?;
                self.reference(mesh, &f, merged(found.into_iter().map(|n| (n, 1.0))), at, table)
            }
            _ => {
                f.exclude("group", "nodes", "a frame has one of them");
                f.exclude("group", "node", "a frame has one of them");
                f.exclude("nodes", "node", "a frame has one of them");
                None
            }
        }
    }

    fn node_at(&self, mesh: &FeMesh, used: &[bool], entry: &TomlEntry, at: [f64; 3]) -> Option<usize> {
        let places = || mesh.nodes.iter().enumerate().filter(|(k, _)| used.get(*k) == Some(&true));
        let size = places().map(|(_, n)| norm(n.at)).fold(0.0, f64::max);
        let distance = |n: [f64; 3]| norm(minus(n, at));
        let nearest = places().min_by(|a, b| distance(a.1.at).total_cmp(&distance(b.1.at)));
        let found = nearest.filter(|(_, n)| distance(n.at) <= NEAR * size).map(|(k, _)| k);
        if found.is_none() {
            self.no_node(&entry.key, at, places().map(|(_, n)| n.at), "; or name a `group` of nodes");
        }
        found
    }

    /// The node of this number.
    pub(super) fn numbered(&self, mesh: &FeMesh, used: &[bool], value: &TomlValue) -> Option<usize> {
        let number = match value.data {
            Data::Integer(i) => u32::try_from(i).ok(),
            _ => None,
        };
        let found = number.and_then(|n| mesh.nodes.iter().position(|node| node.number == n));
        let found = found.filter(|&k| used.get(k) == Some(&true));
        if found.is_none() {
            self.problems.add(
                Diagnostic::error(NO_NODE, format!("the mesh of `{}` has no such node", self.part.key.name))
                    .at(&value.span, "no element, mass or link has a node of this number")
                    .hint("the number of a node (grid) of the mesh file"),
            );
        }
        found
    }

    /// A node that is linked with others; of a single one, itself.
    fn reference(
        &self,
        mesh: &mut FeMesh,
        f: &Fields<'_>,
        nodes: WeightedNodes,
        at: Option<[f64; 3]>,
        table: &TomlTable,
    ) -> Option<usize> {
        let averaging = match table.get("kind") {
            Some(_) => f.choice("kind", &[("rigid", false), ("averaging", true)])?,
            None => false,
        };
        if let ([(node, _)], None) = (nodes.as_slice(), at) {
            return Some(*node);
        }
        let sum: f64 = nodes.iter().map(|n| n.1).sum();
        // A group of elements without extent.
        if nodes.is_empty() || sum.is_nan() || sum <= 0.0 {
            self.problems.add(
                Diagnostic::error(
                    OPEN_MESH,
                    format!("{} has no nodes, or they are all at one place", f.what()),
                )
                .at(f.place(), "here")
                .hint("name a group of faces, or several nodes"),
            );
            return None;
        }
        let mean = |k: usize| nodes.iter().map(|&(n, w)| w * mesh.nodes[n].at[k]).sum::<f64>() / sum; // (1)
        let reference = BuiltPart::node(mesh, at.unwrap_or([mean(0), mean(1), mean(2)]));
        let number = mesh.nodes[reference].number;
        mesh.links.push(match averaging {
            true => MeshLink::Averaging { number, reference, nodes },
            false => {
                let nodes = nodes.iter().map(|n| n.0).collect();
                MeshLink::Rigid { number, reference, nodes, components: [true; 6] }
            }
        });
        Some(reference)
    }
}

/// Each node once, with the sum of its weights.
fn merged(nodes: impl Iterator<Item = (usize, f64)>) -> WeightedNodes {
    let mut place: HashMap<usize, usize> = HashMap::new();
    let mut all: WeightedNodes = vec![];
    for (node, weight) in nodes {
        let next = all.len();
        let at = *place.entry(node).or_insert(next);
        if at == next {
            all.push((node, 0.0));
        }
        all[at].1 += weight;
    }
    all
}

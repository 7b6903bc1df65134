//! Masses at nodes of an elastic body: `point_masses = [{ frame = "tip", m = "2 kg" }]`.

use super::elastic_nodes::{minus, norm};
use super::elastic_reader::{ElasticReader, NO_NODE};
use super::fe_mesh::{FeMesh, MeshMass};
use super::mesh_part::used_nodes;
use super::wrong_length;
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, TomlValue};

/// A place of the model file meets a node within this share of the size of the part.
const NEAR: f64 = 1e-6;

impl ElasticReader<'_> {
    /// All of them; none if one is wrong.
    pub(super) fn point_masses(&self, mesh: &FeMesh, named: &[(String, usize)]) -> Option<Vec<MeshMass>> {
        if self.f.entry("point_masses").is_none() {
            return Some(vec![]);
        }
        let list = self.f.list("point_masses")?;
        list.iter().map(|value| self.point_mass(mesh, named, value)).collect()
    }

    fn point_mass(&self, mesh: &FeMesh, named: &[(String, usize)], value: &TomlValue) -> Option<MeshMass> {
        let Data::Table(table) = &value.data else {
            self.problems.add(wrong_length(value, "point_masses", "tables { frame = …, m = … }"));
            return None;
        };
        let f = Fields::new(
            table,
            format!("a point mass of `{}`", self.part.key.name),
            &value.span,
            self.problems,
        );
        if f.value("m").is_none() {
            f.missing("m", "\"2 kg\"");
        }
        let mass = f.value("m").and_then(|v| self.positive(v, "m", "kg"));
        let node = self.mass_node(mesh, named, &f);
        let offset = f.value("center").map_or(Some([0.0; 3]), |v| self.vector(v, "center", "m"));
        let inertia = f.value("inertia").map_or(Some([[0.0; 3]; 3]), |v| self.mass_inertia(v));
        f.finish();
        Some(MeshMass { node: node?, mass: mass?, offset: offset?, inertia: inertia? })
    }

    /// xx, yy, zz, then xy, xz, yz.
    fn mass_inertia(&self, value: &TomlValue) -> Option<[[f64; 3]; 3]> {
        let list = match &value.data {
            Data::List(list) if list.len() == 3 || list.len() == 6 => list,
            _ => {
                let wanted = "three moments of inertia (xx, yy, zz), or six with xy, xz, yz";
                self.problems.add(wrong_length(value, "inertia", wanted));
                return None;
            }
        };
        let found: Vec<Option<f64>> = list.iter().map(|v| self.number(v, "inertia", "kg m^2")).collect();
        let i = found.into_iter().collect::<Option<Vec<f64>>>()?;
        let [xy, xz, yz] = [3, 4, 5].map(|k| i.get(k).copied().unwrap_or(0.0));
        Some([[i[0], xy, xz], [xy, i[1], yz], [xz, yz, i[2]]])
    }

    /// By frame, number or place.
    fn mass_node(&self, mesh: &FeMesh, named: &[(String, usize)], f: &Fields<'_>) -> Option<usize> {
        let used = used_nodes(mesh);
        if let Some(entry) = f.entry("frame") {
            let name = f.text("frame")?;
            let found = named.iter().find(|(frame, _)| *frame == name.text);
            if found.is_none() {
                let names = || named.iter().map(|(frame, _)| frame.as_str());
                self.problems.add(
                    Diagnostic::error(
                        NO_NODE,
                        format!("`{}` has no frame `{}`", self.part.key.name, name.text),
                    )
                    .at(&entry.value.span, "a mass sits at one of its `frames`")
                    .hint(format!("it has {}", one_of(names())))
                    .hint_if(did_you_mean(&name.text, names())),
                );
            }
            return found.map(|(_, node)| *node);
        }
        if let Some(value) = f.value("node") {
            return self.numbered(mesh, &used, value);
        }
        let Some(value) = f.value("at") else {
            f.missing("at", "`frame`, `node` or `at`, the place of a node");
            return None;
        };
        let at = self.vector(value, "at", "m")?;
        let places = || mesh.nodes.iter().enumerate().filter(|(k, _)| used[*k]);
        let size = places().map(|(_, n)| norm(n.at)).fold(0.0, f64::max);
        let distance = |k: usize| norm(minus(mesh.nodes[k].at, at));
        let nearest = places().map(|(k, _)| k).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let found = nearest.filter(|&k| distance(k) <= NEAR * size);
        if found.is_none() {
            self.problems.add(
                Diagnostic::error(NO_NODE, format!("a point mass of `{}` is at no node", self.part.key.name))
                    .at(&value.span, "no node is there")
                    .hint("give a frame, a number or the place of a node"),
            );
        }
        found
    }
}

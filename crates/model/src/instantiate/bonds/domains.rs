//! The domain of every bond of a component: told by ports and by `domains`, passed on by all nodes but two-ports.

use super::{ModelBuilder, OPEN};
use crate::component::ComponentSections;
use crate::diagnostic::Diagnostic;
use crate::domain::Domain;
use crate::network::BondNodeKind;

impl<'a> ModelBuilder<'a> {
    pub(super) fn find_domains(&mut self, index: usize, first: (usize, usize)) {
        let nodes = self.network.nodes.len() - first.0;
        let mut of_node: Vec<Option<&'static Domain>> = vec![None; nodes];
        let bodies: Vec<&'a ComponentSections> = self.tree.instances[index].bodies.clone();
        for (key, domain) in bodies.iter().flat_map(|b| &b.bond_graph.domains) {
            let full = self.tree.instances[index].full(&key.name);
            match self.bonds.node_of.get(&full) {
                Some(&node) => of_node[node - first.0] = Some(domain),
                None => self.problems.add(
                    Diagnostic::error("M0116", format!("there is no node `{}`", key.name))
                        .at(&key.span, "not in `structure`"),
                ),
            }
        }
        // Work list of bonds whose domain is known.
        let mut open: Vec<usize> = (first.1..self.network.bonds.len()).collect();
        loop {
            let before = open.len();
            open.retain(|&b| !self.settle(b, first.0, &mut of_node));
            if open.len() == before {
                break;
            }
        }
    }

    /// Takes the domain of a bond from its ends and hands it on; true when the bond has one.
    fn settle(&mut self, b: usize, first: usize, of_node: &mut [Option<&'static Domain>]) -> bool {
        let bond = &self.network.bonds[b];
        let passes = |n: &usize| {
            *n != OPEN && !matches!(self.network.nodes[*n].kind, BondNodeKind::Tf | BondNodeKind::Gy)
        };
        let ends: Vec<usize> = [bond.from, bond.to].into_iter().filter(passes).collect();
        let known = bond.domain.or_else(|| ends.iter().find_map(|&n| of_node[n - first]));
        let Some(domain) = known else { return false };
        let mut clash = None;
        for n in ends {
            match of_node[n - first] {
                None => of_node[n - first] = Some(domain),
                Some(other) if other.name != domain.name && !other.is_raw() && !domain.is_raw() => {
                    clash = Some((n, other));
                }
                Some(_) => {}
            }
        }
        if let Some((n, other)) = clash {
            let node = &self.network.nodes[n];
            let error = Diagnostic::error(
                "M0305",
                format!("`{}` joins {} and {} bonds", node.name, other.name, domain.name),
            )
            .hint("a transformer or gyrator stands between domains");
            self.problems.add(error.at(&self.bonds.spans[n], "both meet here"));
        }
        self.network.bonds[b].domain = Some(domain);
        true
    }
}

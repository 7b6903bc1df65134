//! Ports: what is inside a component is joined to what is outside.

use trunnion_equations::flat::Equation;

use super::{ModelBuilder, OPEN, junction_kind};
use crate::component::Port;
use crate::diagnostic::Diagnostic;
use crate::domain::Connector;
use crate::network::{BondNodeKind, PowerPair, Signed};

/// Where a port is met: the junction of its connection, and the bonds inside that end at it.
#[derive(Clone, Debug, Default)]
pub struct Meeting {
    pub outside: Option<usize>,
    pub inside: Vec<usize>,
}

impl<'a> ModelBuilder<'a> {
    /// Joins the two sides of every port. What is connected to nothing has no flow, in mechanics and at a
    /// 1-junction of raw bonds no effort: an open end never holds anything fast.
    pub(crate) fn close_ports(&mut self) {
        for index in 0..self.tree.instances.len() {
            let ports: Vec<&'a Port> = self.tree.instances[index].each(|b| &b.ports).collect();
            let mut equations = None;
            for port in ports {
                self.close_port(index, port, &mut equations);
            }
        }
        self.name_bare_bonds();
    }

    fn close_port(&mut self, index: usize, port: &'a Port, equations: &mut Option<usize>) {
        let Some(domain) = port.domain else { return };
        let Connector::Power { across_is_effort, .. } = domain.connector else { return };
        let name = self.tree.instances[index].full(&port.key.name);
        let Some(pair) = self.port_pair(&name, port) else { return };
        let Meeting { outside, inside } = self.bonds.ports.remove(&name).unwrap_or_default();
        let outside = outside.unwrap_or_else(|| {
            let no_flow = across_is_effort && !(domain.is_raw() && self.ends_at_one(&inside));
            let kind = if no_flow { BondNodeKind::Sf } else { BondNodeKind::Se };
            let node = self.add_node(index, kind, name.clone(), &port.key.span, true);
            let zero = vec![self.graph().constant(0.0).id];
            let law = &mut self.network.nodes[node].law;
            if no_flow {
                law.flow = zero;
            } else {
                law.effort = zero;
            }
            node
        });
        if let &[bond] = inside.as_slice() {
            self.join(bond, outside, pair, across_is_effort);
            return;
        }
        let node = if inside.is_empty() {
            *equations.get_or_insert_with(|| {
                let instance = &self.tree.instances[index];
                let path = instance.path.clone();
                let kind = if instance.definition.section.is_some() {
                    BondNodeKind::Motion
                } else {
                    BondNodeKind::Equations
                };
                self.add_node(index, kind, path, &port.key.span, false)
            })
        } else {
            let node = self.add_node(index, junction_kind(Some(domain)), name, &port.key.span, true);
            for bond in inside {
                let bond = &mut self.network.bonds[bond];
                if bond.from == OPEN {
                    bond.from = node;
                } else {
                    bond.to = node;
                }
            }
            node
        };
        let bond = self.add_bond(outside, node, Some(domain));
        self.network.bonds[bond].pairs.push(pair);
    }

    fn ends_at_one(&self, inside: &[usize]) -> bool {
        let [bond] = inside else { return false };
        let bond = &self.network.bonds[*bond];
        let node = if bond.from == OPEN { bond.to } else { bond.from };
        self.network.nodes.get(node).is_some_and(|n| n.kind == BondNodeKind::One)
    }

    /// Puts what is outside at the open end of a bond; the port's variables count power into the component.
    fn join(&mut self, bond: usize, outside: usize, pair: PowerPair, across_is_effort: bool) {
        let bond = &mut self.network.bonds[bond];
        if bond.from == OPEN {
            bond.from = outside;
            bond.pairs.push(pair);
            return;
        }
        bond.to = outside;
        let turned = |s: Signed| Signed { negative: !s.negative, ..s };
        bond.pairs.push(if across_is_effort {
            PowerPair { flow: turned(pair.flow), ..pair }
        } else {
            PowerPair { effort: turned(pair.effort), ..pair }
        });
    }

    fn port_pair(&self, name: &str, port: &Port) -> Option<PowerPair> {
        let (effort, flow) = port.domain?.effort_and_flow()?;
        let of = |part: &str| {
            let symbol = self.names.map.get(&format!("{name}.{part}"))?.symbol?;
            Some(Signed { symbol, negative: false })
        };
        Some(PowerPair { effort: of(effort.name)?, flow: of(flow.name)? })
    }

    /// A value that ports take is the sum of what the others of the connection give.
    pub fn hand_over(&mut self, index: usize, ends: &[(usize, &'a Port, String)]) {
        for (owner, port, name) in ends {
            for taken in &port.takes {
                let key = &taken.key.name;
                let mut sum = None;
                for (giver, other, _) in ends.iter().filter(|(_, _, n)| n != name) {
                    let Some((_, value)) = other.gives.iter().find(|(k, _)| k.name == *key) else { continue };
                    let whose = self.tree.instances[*giver].phrase(key);
                    let Some(value) = self.scalar(value, &self.view(*giver), taken.unit.as_ref(), &whose)
                    else {
                        return;
                    };
                    sum = Some(match sum {
                        None => value.expr,
                        Some(s) => (self.graph().at(s) + self.graph().at(value.expr)).id,
                    });
                }
                let place = self.tree.instances[*owner].place.clone();
                let Some(rhs) = sum else {
                    // It may be a broken component that gives it.
                    if self.problems.has_errors() {
                        continue;
                    }
                    self.problems.add(
                        Diagnostic::error("M0310", format!("nothing gives `{key}` to `{name}`"))
                            .at(
                                &place,
                                format!(
                                    "takes {} from what it is connected to",
                                    if taken.doc.is_empty() { key } else { &taken.doc }
                                ),
                            )
                            .hint(format!(
                                "connect it to a component whose port gives `{key}`, as a mass does"
                            )),
                    );
                    continue;
                };
                let full = format!("{name}.{key}");
                let Some(lhs) = self.names.map.get(&full).map(|n| n.expr) else { continue };
                let origin = self.origin(index, &place);
                self.flat.equations.push(Equation { name: full, origin, lhs, rhs });
            }
        }
    }
}

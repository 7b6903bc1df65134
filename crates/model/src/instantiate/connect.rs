//! Connections: power ports that meet form a junction of the bond graph, signals go from one output to many
//! inputs. Inside a component its own ports are met from within.

use std::collections::{HashMap, HashSet};

use trunnion_equations::flat::Equation;

use super::bonds::{OPEN, junction_kind};
use super::unused_values::NO_COMMAND;
use super::{Instance, ModelBuilder};
use crate::component::{Connection, Port, SignalDirection};
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::domain::{Connector, Domain};
use crate::file::{Span, TomlKey};

/// A port that takes part in a connection.
#[derive(Clone)]
struct ConnectedPort<'a> {
    /// Component the port belongs to.
    owner: usize,
    port: &'a Port,
    /// Full name: "r1.p".
    name: String,
    /// The port of the component itself, seen from inside.
    own: bool,
    /// Where it is named.
    span: Span,
}

impl ConnectedPort<'_> {
    /// Gives a signal to the connection, rather than taking it.
    fn gives(&self) -> bool {
        (self.port.causality == Some(SignalDirection::Out)) != self.own
    }
}

impl<'a> ModelBuilder<'a> {
    pub(crate) fn add_connections(&mut self) {
        for index in 0..self.tree.instances.len() {
            let mut connected = HashSet::new();
            for set in self.sets_of(index, &mut connected) {
                self.add_set(index, &set);
            }
            self.add_loose_ends(index, &connected);
        }
        self.close_outer_ports();
    }

    /// The sets of ports that meet inside a component. Every port named goes into `connected`, also one whose
    /// connection is wrong.
    fn sets_of(&self, index: usize, connected: &mut HashSet<String>) -> Vec<Vec<ConnectedPort<'a>>> {
        let connections: Vec<&'a Connection> = self.tree.instances[index].each(|b| &b.connections).collect();
        let mut sets: Vec<Vec<ConnectedPort<'a>>> = vec![];
        let mut set_of: HashMap<String, usize> = HashMap::new();
        for connection in connections {
            let ends: Vec<ConnectedPort<'a>> =
                connection.ends.iter().filter_map(|key| self.end(index, key)).collect();
            connected.extend(ends.iter().map(|e| e.name.clone()));
            if connection.ends.len() < 2 {
                let Some(end) = connection.ends.first() else { continue };
                self.problems.add(
                    Diagnostic::error("M0304", format!("`{}` is connected to nothing", end.name))
                        .at(&end.span, "the list is empty"),
                );
            }
            let Some((first, rest)) = ends.split_first() else { continue };
            let mut target = enter(&mut sets, &mut set_of, first.clone());
            for end in rest {
                if end.name == first.name {
                    self.problems.add(
                        Diagnostic::error("M0304", format!("`{}` is connected to itself", end.name))
                            .at(&end.span, "the same port"),
                    );
                    continue;
                }
                if !self.compatible(first, end) {
                    continue;
                }
                let other = enter(&mut sets, &mut set_of, end.clone());
                target = merge(&mut sets, &mut set_of, target, other);
            }
        }
        sets.retain(|s| s.len() > 1);
        sets
    }

    /// The port that a path in a connection names.
    fn end(&self, index: usize, key: &'a TomlKey) -> Option<ConnectedPort<'a>> {
        let here = &self.tree.instances[index];
        let found = |owner: usize, port: &'a Port| {
            let name = self.tree.instances[owner].full(&port.key.name);
            port.domain.map(|_| ConnectedPort {
                owner,
                port,
                name,
                own: owner == index,
                span: key.span.clone(),
            })
        };
        let bad = |message: String, label: String, hint: Option<String>| {
            self.problems.add(Diagnostic::error("M0304", message).at(&key.span, label).hint_if(hint));
            None
        };
        // A mounted component has others beside it that share its name: "lift.line".
        let dots = key.name.rmatch_indices('.').map(|(dot, _)| dot);
        let beside = dots.filter(|&dot| here.children.contains_key(&key.name[..dot])).max();
        let (first, rest) = match beside.or_else(|| key.name.find('.')) {
            Some(dot) => (&key.name[..dot], Some(&key.name[dot + 1..])),
            None => (key.name.as_str(), None),
        };
        if self.names.is_broken(&here.full(first)) {
            return None;
        }
        if let (Some(port), None) = (port_of(here, first), rest) {
            return found(index, port);
        }
        let Some(&child) = here.children.get(first) else {
            let own = here.each(|b| &b.ports).map(|p| p.key.name.as_str());
            let mut names: Vec<&str> = here.children.keys().map(String::as_str).chain(own).collect();
            names.sort_unstable();
            let kind = if self.tree.library.find(first).is_some() { first } else { "…" };
            let near = did_you_mean(first, names)
                .unwrap_or_else(|| format!("add `{first} = {{ type = \"{kind}\" }}` to [components]"));
            return bad(format!("there is no component `{first}`"), "unknown".into(), Some(near));
        };
        let component = &self.tree.instances[child];
        let kind = &component.definition.name;
        let ports: Vec<&'a Port> = component.each(|b| &b.ports).collect();
        let names = || ports.iter().map(|p| p.key.name.as_str());
        let listed = match ports.len() {
            0 => format!("`{kind}` has no ports"),
            _ => format!("`{kind}` has {}", one_of(names()).replace(" or ", " and ")),
        };
        let Some(rest) = rest else {
            // A component stands for its only port, or its only one that is no signal.
            let main: Vec<&'a Port> = ports.iter().copied().filter(|p| p.causality.is_none()).collect();
            return match (ports.as_slice(), main.as_slice()) {
                ([only], _) | (_, [only]) => found(child, only),
                _ => {
                    let one =
                        ports.first().map(|p| format!("write \"{first}.{}\" for one of them", p.key.name));
                    bad(format!("which port of `{first}`?"), listed, one)
                }
            };
        };
        match port_of(component, rest) {
            Some(port) => found(child, port),
            None if rest.contains('.') => bad(
                format!("`{}` is inside `{first}`", key.name),
                listed,
                Some(format!("connect to a port of `{first}` itself")),
            ),
            None => bad(format!("`{first}` has no port `{rest}`"), listed, did_you_mean(rest, names())),
        }
    }

    /// Whether two ends may meet; says why if not.
    fn compatible(&self, a: &ConnectedPort<'a>, b: &ConnectedPort<'a>) -> bool {
        let (Some(da), Some(db)) = (a.port.domain, b.port.domain) else { return false };
        if da.name != db.name && !(da.is_power() && db.is_raw() || da.is_raw() && db.is_power()) {
            let hint = self.what_fits(a, da, b).or_else(|| self.what_fits(b, db, a));
            let hint = hint.or_else(|| self.other_ground(da, b, db)).or_else(|| self.other_ground(db, a, da));
            self.problems.add(
                Diagnostic::error(
                    "M0305",
                    format!("{} {} port cannot meet {} {} one", da.article, da.name, db.article, db.name),
                )
                .at(&b.span, format!("`{}` is {}", b.name, db.name))
                .at(&a.span, format!("`{}` is {}", a.name, da.name))
                .hint_if(hint.or_else(|| {
                    Some(format!("a component with ports of both kinds joins {} and {}", da.name, db.name))
                })),
            );
            return false;
        }
        if let (Some(ua), Some(ub)) = (a.port.unit.as_ref(), b.port.unit.as_ref())
            && ua.dimension != ub.dimension
        {
            let (given, taken) = (ua.dimension.quantity(), ub.dimension.quantity());
            self.problems.add(
                Diagnostic::error("M0107", format!("{given} cannot be passed on as {taken}"))
                    .at(&b.span, format!("`{}` is in {}", b.name, ub.text))
                    .at(&a.span, format!("`{}` is in {}", a.name, ua.text)),
            );
            return false;
        }
        true
    }

    /// The ground of another domain is there, where that of `wanted` is meant.
    fn other_ground(&self, wanted: &Domain, end: &ConnectedPort<'a>, domain: &Domain) -> Option<String> {
        let kind = &self.tree.instances[end.owner].definition.name;
        let mistaken = *kind == domain.ground && !wanted.ground.is_empty();
        mistaken.then(|| format!("for {} ports it is `{}`", wanted.name, wanted.ground))
    }

    /// Ports of the component at `other` that could meet the port at `end`.
    fn what_fits(
        &self,
        end: &ConnectedPort<'a>,
        domain: &Domain,
        other: &ConnectedPort<'a>,
    ) -> Option<String> {
        let component = &self.tree.instances[other.owner];
        let fits = |p: &&'a Port| p.domain.is_some_and(|d| d.name == domain.name);
        let names: Vec<String> =
            component.each(|b| &b.ports).filter(fits).map(|p| component.full(&p.key.name)).collect();
        let listed = one_of(names.iter().map(String::as_str));
        (!names.is_empty()).then(|| format!("{listed} would fit `{}`", end.name))
    }

    fn add_set(&mut self, index: usize, set: &[ConnectedPort<'a>]) {
        let Some(domain) = set[0].port.domain else { return };
        if domain.connector == Connector::Signal {
            self.add_signal(index, set);
            return;
        }
        let concrete = set.iter().filter_map(|e| e.port.domain).find(|d| !d.is_raw()).unwrap_or(domain);
        let kind = junction_kind(Some(concrete));
        let node = self.add_node(index, kind, set[0].name.clone(), &set[0].span, true);
        for end in set {
            if end.own {
                let bond = self.add_bond(OPEN, node, end.port.domain);
                self.bonds.ports.entry(end.name.clone()).or_default().inside.push(bond);
            } else {
                self.bonds.ports.entry(end.name.clone()).or_default().outside = Some(node);
            }
        }
        let ends: Vec<_> = set.iter().map(|e| (e.owner, e.port, e.name.clone())).collect();
        self.hand_over(index, &ends);
    }

    fn add_signal(&mut self, index: usize, set: &[ConnectedPort<'a>]) {
        let givers: Vec<&ConnectedPort<'a>> = set.iter().filter(|e| e.gives()).collect();
        let giver = match givers.as_slice() {
            [one] => *one,
            [] => {
                let error = Diagnostic::error("M0308", "inputs are connected, but no output drives them");
                let error = set
                    .iter()
                    .take(4)
                    .fold(error, |e, end| e.at(&end.span, format!("`{}` takes a signal", end.name)));
                self.problems.add(error.hint("connect the output of a component to them"));
                return;
            }
            [..] => {
                let error = Diagnostic::error("M0308", "two outputs drive the same signal");
                let error = givers
                    .iter()
                    .take(4)
                    .fold(error, |e, end| e.at(&end.span, format!("`{}` gives a signal", end.name)));
                self.problems.add(error.hint("join them with a sum, or connect only one"));
                return;
            }
        };
        for taker in set.iter().filter(|e| !e.gives()) {
            let argument = self.tree.instances[taker.owner].arguments.get(&taker.port.key.name);
            if let (Some(argument), false) = (argument, taker.own) {
                self.problems.add(
                    Diagnostic::error(
                        "M0308",
                        format!("`{}` is both connected and given a value", taker.name),
                    )
                    .at(&taker.span, "connected here")
                    .at(&argument.scalar.span, "given a value here"),
                );
                continue;
            }
            let of = |name: &str| self.names.map.get(name).map(|n| n.expr);
            let (Some(lhs), Some(rhs)) = (of(&taker.name), of(&giver.name)) else { continue };
            let (name, origin) =
                (format!("{} = {}", taker.name, giver.name), self.origin(index, &taker.span));
            self.flat.equations.push(Equation { name, origin, lhs, rhs });
        }
    }

    /// Ports of the components inside `index` that nothing is connected to.
    fn add_loose_ends(&mut self, index: usize, connected: &HashSet<String>) {
        let mut children: Vec<usize> = self.tree.instances[index].children.values().copied().collect();
        children.sort_unstable();
        for child in children {
            let ports: Vec<&'a Port> = self.tree.instances[child].each(|b| &b.ports).collect();
            for port in ports {
                let name = self.tree.instances[child].full(&port.key.name);
                if !connected.contains(&name) && port.domain.is_some() {
                    self.close(child, port, &name, true);
                }
            }
        }
    }

    /// A component run on its own: nothing flows through its ports, its inputs have their defaults.
    fn close_outer_ports(&mut self) {
        let ports: Vec<&'a Port> = self.tree.instances[0].each(|b| &b.ports).collect();
        for port in ports {
            self.close(0, port, &port.key.name, false);
        }
    }

    fn close(&mut self, owner: usize, port: &'a Port, name: &str, warn: bool) {
        let Some(domain) = port.domain else { return };
        let place = self.tree.instances[owner].place.clone();
        match domain.connector {
            Connector::Power { through, .. } => {
                if warn && !port.optional {
                    self.problems.add(
                        Diagnostic::warning("M0306", format!("nothing is connected to `{name}`"))
                            .at(&place, format!("its {} stays 0", through.doc.to_lowercase()))
                            .hint("connect it in [connect]"),
                    );
                }
                self.hand_over(owner, &[(owner, port, name.to_string())]);
            }
            Connector::Signal if port.causality == Some(SignalDirection::In) => {
                self.drive(owner, port, name, warn)
            }
            Connector::Signal => {}
        }
    }

    /// A signal input that is given a value or has a default.
    fn drive(&mut self, owner: usize, port: &'a Port, name: &str, warn: bool) {
        let instance = &self.tree.instances[owner];
        let whose = instance.phrase(&port.key.name);
        let place = instance.place.clone();
        let given = instance.arguments.get(&port.key.name).cloned();
        let value = match (&given, &port.default) {
            (Some(argument), _) => {
                self.scalar(&argument.scalar, &self.view(argument.scope), port.unit.as_ref(), &whose)
            }
            (None, Some(default)) => {
                if port.command && instance.parent == Some(0) {
                    self.problems.add(
                        Diagnostic::note(NO_COMMAND, format!("nothing commands `{name}`"))
                            .at(&place, format!("its `{}` keeps its default", port.key.name))
                            .hint(format!(
                                "give it a signal, {0} = \"…\", or the value it is to keep",
                                port.key.name
                            )),
                    );
                }
                self.scalar(default, &self.view(owner), port.unit.as_ref(), &whose)
            }
            (None, None) if !warn || port.optional => {
                Some(crate::language::Typed { expr: self.graph().constant(0.0).id, dimension: None })
            }
            (None, None) => {
                self.problems.add(
                    Diagnostic::error("M0307", format!("no signal reaches `{name}`"))
                        .at(&place, format!("its input `{}` is open", port.key.name))
                        .hint(format!(
                            "connect an output to it, or give it a value: {} = \"…\"",
                            port.key.name
                        )),
                );
                None
            }
        };
        let lhs = self.names.map.get(name).map(|n| n.expr);
        let (Some(lhs), Some(value)) = (lhs, value) else { return };
        let span = given.map_or(place, |a| a.scalar.span);
        let origin = self.origin(owner, &span);
        self.flat.equations.push(Equation { name: format!("{name} given"), origin, lhs, rhs: value.expr });
    }
}

fn port_of<'a>(instance: &Instance<'a>, name: &str) -> Option<&'a Port> {
    instance.each(|b| &b.ports).find(|p| p.key.name == name)
}

/// The set of an end, made if it has none.
fn enter<'a>(
    sets: &mut Vec<Vec<ConnectedPort<'a>>>,
    set_of: &mut HashMap<String, usize>,
    end: ConnectedPort<'a>,
) -> usize {
    *set_of.entry(end.name.clone()).or_insert_with(|| {
        sets.push(vec![end]);
        sets.len() - 1
    })
}

/// Puts two sets together; the smaller one moves.
fn merge<'a>(
    sets: &mut [Vec<ConnectedPort<'a>>],
    set_of: &mut HashMap<String, usize>,
    a: usize,
    b: usize,
) -> usize {
    if a == b {
        return a;
    }
    let (keep, give) = if sets[a].len() >= sets[b].len() { (a, b) } else { (b, a) };
    for end in std::mem::take(&mut sets[give]) {
        set_of.insert(end.name.clone(), keep);
        sets[keep].push(end);
    }
    keep
}

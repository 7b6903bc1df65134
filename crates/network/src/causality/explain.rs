//! Findings in the words of the domain: what shares a pressure, moves together, imposes the same flow.

use trunnion_equations::Graph;
use trunnion_model::diagnostic::Severity;
use trunnion_model::domain::remedy::{self, BondVariable};
use trunnion_model::network::{BondNodeKind, Network};
use trunnion_model::{Diagnostic, Sources};

use super::{Causality, Conflict, Derivative, Loop};
use crate::simplify::is_nothing;

/// More of one kind is no help.
const MOST: usize = 100;

/// Something to tell about a bond graph.
#[derive(Clone, Debug, PartialEq)]
pub struct CausalityFinding {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub hint: String,
    /// Where to look, and how each is concerned.
    pub places: Vec<(usize, String)>,
}

impl CausalityFinding {
    pub fn diagnostic(&self, network: &Network, sources: &Sources) -> Diagnostic {
        let mut found = Diagnostic { severity: self.severity, ..Diagnostic::error(self.code, &self.message) };
        for (k, (node, text)) in self.places.iter().enumerate() {
            let origin = &network.nodes[*node].origin;
            // Two resistors are one place in the library.
            let told = |(other, same): &(usize, String)| {
                let other = &network.nodes[*other].origin;
                same == text && (&other.file, other.span) == (&origin.file, origin.span)
            };
            if !self.places[..k].iter().any(told) {
                found = found.at_origin(sources, origin, text);
            }
        }
        found.hint(&self.hint)
    }
}

impl Causality {
    /// Conflicts first; the rest is no obstacle.
    pub fn findings(&self, network: &Network, graph: &Graph) -> Vec<CausalityFinding> {
        let say = Wording { network, causality: self, graph };
        let mut all: Vec<CausalityFinding> = vec![];
        all.extend(self.conflicts.iter().take(MOST).map(|c| say.conflict(c)));
        all.extend(self.derivative.iter().take(MOST).map(|d| say.derivative(d)));
        all.extend(self.loops.iter().take(MOST).map(|l| say.algebraic_loop(l)));
        all.extend(self.reversed.iter().take(MOST).map(|&node| say.reversed(node)));
        let conflicting = |node: &&usize| self.conflicts.iter().any(|c| c.node == **node);
        all.extend(self.unmet.iter().filter(|n| !conflicting(n)).take(MOST).map(|&node| say.circle(&[node])));
        all
    }
}

struct Wording<'a> {
    network: &'a Network,
    causality: &'a Causality,
    graph: &'a Graph,
}

impl Wording<'_> {
    fn kind(&self, node: usize) -> BondNodeKind {
        self.network.nodes[node].kind
    }

    fn name(&self, node: usize) -> String {
        format!("`{}`", self.network.nodes[node].name)
    }

    /// A port that is not connected, or a junction of one bond.
    fn is_open_end(&self, node: usize) -> bool {
        let n = &self.network.nodes[node];
        match n.kind {
            BondNodeKind::Zero | BondNodeKind::One => true,
            BondNodeKind::Se | BondNodeKind::Sf => n.connection,
            _ => false,
        }
    }

    /// A source by its component, which is what the user placed.
    fn called(&self, node: usize) -> String {
        let n = &self.network.nodes[node];
        match n.kind {
            _ if self.is_open_end(node) => format!("the open end `{}`", n.name),
            BondNodeKind::Se | BondNodeKind::Sf | BondNodeKind::Tf | BondNodeKind::Gy
                if !n.origin.component.is_empty() =>
            {
                format!("`{}`", n.origin.component)
            }
            _ => self.name(node),
        }
    }

    /// "a, b and c", each once.
    fn list(&self, nodes: &[usize]) -> String {
        let mut names: Vec<String> = nodes.iter().map(|&n| self.called(n)).collect();
        if names.iter().enumerate().any(|(k, name)| names[..k].contains(name)) {
            names = nodes.iter().map(|&n| self.name(n)).collect();
        }
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((last, _)) => last.clone(),
            None => String::new(),
        }
    }

    fn path(&self, chain: &[usize]) -> String {
        chain.iter().map(|&n| self.name(n)).collect::<Vec<_>>().join(" → ")
    }

    fn domain(&self, bond: usize) -> &'static str {
        self.network.bonds[bond].domain.map_or("", |d| d.name)
    }

    fn conflict(&self, conflict: &Conflict) -> CausalityFinding {
        let Conflict { node, bonds } = conflict;
        let mut chains: Vec<Vec<usize>> =
            bonds.iter().flat_map(|&b| self.causality.chains(self.network, b)).collect();
        let is_end = self.network.incident()[*node].len() == 1;
        if matches!(self.kind(*node), BondNodeKind::Se | BondNodeKind::Sf) || is_end {
            chains.push(vec![*node]);
        }
        let mut roots: Vec<usize> = chains.iter().map(|c| c[0]).collect();
        roots.sort_unstable();
        roots.dedup();
        let part = self.contested(conflict);
        let domain = bonds.iter().map(|&b| self.domain(b)).find(|d| !d.is_empty()).unwrap_or("");
        let what = variable(domain, part);
        let open = roots.iter().position(|&n| self.is_open_end(n));
        let (message, hint) = match (open.map(|k| roots.remove(k)), roots.as_slice()) {
            (Some(end), []) => {
                (format!("nothing determines the {what} at {}", self.name(end)), "connect it".to_string())
            }
            (Some(end), rest) => {
                let name = self.name(end);
                let verb = if rest.len() == 1 { "imposes" } else { "impose" };
                let message = format!("{} {verb} the {what} at {name}, which is open", self.list(rest));
                (message, format!("connect {name} to something that takes the {what}"))
            }
            (None, [one]) => {
                let place = self.name(*node);
                let message = format!("{} imposes the {what} of {place} along two paths", self.called(*one));
                (message, remedy::two_impose(domain, part).replace("them", "the two paths"))
            }
            (None, [_, _]) => {
                let place =
                    if roots.contains(node) { String::new() } else { format!(" of {}", self.name(*node)) };
                let message = format!("both {} impose the {what}{place}", self.list(&roots));
                (message, remedy::two_impose(domain, part).to_string())
            }
            (None, _) => {
                let message =
                    format!("{} together impose the {what} of {}", self.list(&roots), self.name(*node));
                (message, remedy::two_impose(domain, part).to_string())
            }
        };
        let places = chains.iter().map(|c| (c[0], format!("imposes the {what}: {}", self.path(c)))).collect();
        CausalityFinding { code: "N0001", severity: Severity::Error, message, hint, places }
    }

    /// What is imposed too often.
    fn contested(&self, conflict: &Conflict) -> BondVariable {
        let efforts_in =
            conflict.bonds.iter().any(|&b| !self.causality.gives_effort(self.network, b, conflict.node));
        match self.kind(conflict.node) {
            BondNodeKind::Se => BondVariable::Effort,
            BondNodeKind::Sf => BondVariable::Flow,
            _ if efforts_in => BondVariable::Effort,
            _ => BondVariable::Flow,
        }
    }

    fn derivative(&self, found: &Derivative) -> CausalityFinding {
        let chains = self.causality.chains(self.network, found.bond);
        let mut roots: Vec<usize> = chains.iter().map(|c| c[0]).filter(|&n| n != found.node).collect();
        roots.sort_unstable();
        roots.dedup();
        // Ground is part of every circuit and decides only what nothing else does.
        if roots.iter().any(|&n| !is_nothing(&self.network.nodes[n], self.graph)) {
            roots.retain(|&n| !is_nothing(&self.network.nodes[n], self.graph));
        }
        let domain = self.domain(found.bond);
        let part =
            if self.kind(found.node) == BondNodeKind::C { BondVariable::Effort } else { BondVariable::Flow };
        let (message, hint) = match roots.as_slice() {
            [one] => {
                let chain = chains.iter().find(|c| c[0] == *one).map_or(&[][..], Vec::as_slice);
                self.tied(found.node, *one, chain, domain, part)
            }
            _ => {
                let others = self.list(&roots);
                let message =
                    format!("{} is determined by {others}: no state of its own", self.name(found.node));
                (message, remedy::one_follows(domain, part).to_string())
            }
        };
        let mut places = vec![(found.node, "has no state of its own".to_string())];
        let told = chains.iter().filter(|c| roots.contains(&c[0]));
        places.extend(told.map(|c| (c[0], format!("determines it: {}", self.path(c)))));
        CausalityFinding { code: "N0002", severity: Severity::Note, message, hint, places }
    }

    /// A store that follows one other element.
    fn tied(
        &self,
        store: usize,
        root: usize,
        chain: &[usize],
        domain: &str,
        part: BondVariable,
    ) -> (String, String) {
        let (name, other) = (self.name(store), self.called(root));
        let between: Vec<usize> = chain
            .iter()
            .copied()
            .filter(|&n| matches!(self.kind(n), BondNodeKind::Tf | BondNodeKind::Gy))
            .collect();
        let through =
            if between.is_empty() { String::new() } else { format!(" through {}", self.list(&between)) };
        let what = variable(domain, part);
        let mechanical = is_mechanical(domain);
        let alike = self.kind(root) == self.kind(store);
        let message = match part {
            BondVariable::Flow if mechanical && alike => {
                format!("{name} moves with {other}{through}: the two act as one inertia")
            }
            BondVariable::Flow if mechanical => format!("{name} moves as {other} imposes{through}"),
            _ if alike && between.is_empty() => {
                format!("{name} and {other} share one {what}: only one of them is independent")
            }
            _ => format!("the {what} of {name} is that of {other}{through}"),
        };
        let hydraulic = |node: usize| {
            let mut bonds = self.network.bonds.iter().filter(|b| b.from == node || b.to == node);
            bonds.any(|b| b.domain.is_some_and(|d| d.name == "hydraulic"))
        };
        let hint = match between.iter().find(|&&n| hydraulic(n)) {
            Some(&cylinder) => {
                let wet =
                    [store, root].into_iter().find(|&n| hydraulic(n) && self.kind(n) == BondNodeKind::I);
                let or = wet.map(|n| format!(", or remove {}", self.name(n))).unwrap_or_default();
                format!(
                    "nothing needs to be done; oil compliance at {}{or} makes them independent",
                    self.called(cylinder)
                )
            }
            None => remedy::one_follows(domain, part).to_string(),
        };
        (message, hint)
    }

    fn algebraic_loop(&self, found: &Loop) -> CausalityFinding {
        let of = |kinds: &[BondNodeKind]| -> Vec<usize> {
            found.nodes.iter().copied().filter(|&n| kinds.contains(&self.kind(n))).collect()
        };
        let members = match of(&[BondNodeKind::R]) {
            losses if losses.is_empty() => of(&[BondNodeKind::Tf, BondNodeKind::Gy]),
            losses => losses,
        };
        if members.is_empty() {
            return self.circle(&found.nodes);
        }
        let bond =
            self.network.bonds.iter().position(|b| members.contains(&b.from) || members.contains(&b.to));
        let domain = bond.map_or("", |b| self.domain(b));
        let each = if members.len() == 1 { "depends on itself" } else { "determine each other" };
        CausalityFinding {
            code: "N0003",
            severity: Severity::Note,
            message: format!("{} {each} at every instant: an algebraic loop", self.list(&members)),
            hint: format!("nothing needs to be done; {} breaks the loop", remedy::ends_loop(domain)),
            places: members.iter().map(|&n| (n, "in the loop".to_string())).collect(),
        }
    }

    fn reversed(&self, node: usize) -> CausalityFinding {
        let n = &self.network.nodes[node];
        let bond = self.network.bonds.iter().position(|b| b.from == node || b.to == node);
        let domain = bond.map_or("", |b| self.domain(b));
        let (has, needed) = match super::only_form(&n.law) {
            Some(true) => (BondVariable::Effort, BondVariable::Flow),
            _ => (BondVariable::Flow, BondVariable::Effort),
        };
        let (has, needed) = (variable(domain, has), variable(domain, needed));
        let message =
            format!("the law of {} gives its {has}, but here its {needed} is needed", self.name(node));
        CausalityFinding {
            code: "N0004",
            severity: Severity::Note,
            message,
            hint: format!(
                "it is solved numerically; give the law its other form, or add {}",
                remedy::ends_loop(domain)
            ),
            places: vec![(node, format!("solved for the {needed}"))],
        }
    }

    /// Junctions that pass efforts and flows around without anything that decides them.
    fn circle(&self, nodes: &[usize]) -> CausalityFinding {
        let names: Vec<String> = nodes.iter().map(|&n| self.name(n)).collect();
        CausalityFinding {
            code: "N0005",
            severity: Severity::Warning,
            message: format!("a circle of connections leaves open what flows around: {}", names.join(", ")),
            hint: "put a loss or a store into one of the parallel paths, or remove one".into(),
            places: nodes.iter().map(|&n| (n, "in the circle".to_string())).collect(),
        }
    }
}

fn is_mechanical(domain: &str) -> bool {
    matches!(domain, "translational" | "rotational")
}

fn variable(domain: &str, part: BondVariable) -> String {
    if (domain, part) == ("electric", BondVariable::Effort) {
        return "voltage".into();
    }
    let named = trunnion_model::domain::domain(domain).and_then(|d| d.effort_and_flow());
    match (part, named) {
        (BondVariable::Effort, Some((effort, _))) => effort.doc.to_lowercase(),
        (BondVariable::Flow, Some((_, flow))) => flow.doc.to_lowercase(),
        (BondVariable::Effort, None) => "effort".into(),
        (BondVariable::Flow, None) => "flow".into(),
    }
}

//! The laws of elements, as expressions; of a linear law the missing direction.
//!
//!   y = a x + b   gives   x = (y − b)/a                                                               (1)

use std::collections::HashSet;
use std::ops::Range;

use trunnion_equations::derivative::derivative;
use trunnion_equations::flat::{Nominal, QuantityRole as QuantityKind};
use trunnion_equations::{Expr, ExprNode as Term, Symbol};

use super::{ModelBuilder, OPEN};
use crate::component::{ElementLaw, Scalar};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::network::{BondNodeKind, Law, PowerPair};
use crate::units::Unit;

/// What of an element one side of its law is.
#[derive(Clone, Copy, PartialEq)]
enum LawSide {
    Effort,
    Flow,
    State,
}

impl<'a> ModelBuilder<'a> {
    pub(crate) fn add_laws(&mut self) {
        for index in 0..self.tree.instances.len() {
            let instance = &self.tree.instances[index];
            let nodes = self.bonds.written[index].clone();
            let written: Vec<&'a ElementLaw> =
                instance.bodies.iter().flat_map(|b| &b.bond_graph.laws).collect();
            for law in &written {
                self.check_law(index, law, nodes.clone());
            }
            for n in nodes {
                self.add_law(index, n);
            }
        }
    }

    fn check_law(&self, index: usize, law: &ElementLaw, nodes: Range<usize>) {
        let instance = &self.tree.instances[index];
        let path = instance.full("");
        let short = |n: usize| self.network.nodes[n].name.strip_prefix(&path).unwrap_or_default();
        let mut names: Vec<&str> = nodes.map(short).collect();
        names.sort_unstable();
        if names.binary_search(&law.key.name.as_str()).is_err() {
            self.problems.add(
                Diagnostic::error("M0116", format!("there is no element `{}`", law.key.name))
                    .at(&law.key.span, "not in `structure`")
                    .hint_if(did_you_mean(&law.key.name, names)),
            );
        }
    }

    fn add_law(&mut self, index: usize, n: usize) {
        let kind = self.network.nodes[n].kind;
        if matches!(kind, BondNodeKind::Zero | BondNodeKind::One) {
            return;
        }
        let Some(written) = self.law_of(index, n) else {
            let node = &self.network.nodes[n];
            let error = Diagnostic::error("M0116", format!("`{}` has no law", node.name));
            let hint = format!("add laws.{} = {{ … }}", node.name.rsplit('.').next().unwrap_or_default());
            self.problems.add(error.at(&self.bonds.spans[n], "what does it do?").hint(hint));
            return;
        };
        if !self.fits(kind, written) {
            return;
        }
        let pairs = self.bonds.pairs.get(&n).cloned().unwrap_or_default();
        let states = self.network.nodes[n].law.states.clone();
        let view = self.law_view(index, n, &pairs, &states);
        let mut law = Law { states, ..Law::default() };
        let unit = |part: LawSide, k: usize| self.part_unit(n, part, k);
        let all = |list: &[Scalar], part: LawSide| -> Vec<Expr> {
            let one = |(k, s): (usize, &Scalar)| {
                let whose = format!("the law of `{}`", self.network.nodes[n].name);
                self.scalar(s, &view, unit(part, k).as_ref(), &whose).map(|t| t.expr)
            };
            list.iter().enumerate().filter_map(one).collect()
        };
        law.effort = all(&written.effort, LawSide::Effort);
        law.flow = all(&written.flow, LawSide::Flow);
        law.stored = all(&written.stored, LawSide::State);
        law.ratio = written.ratio.as_ref().and_then(|r| {
            let whose = format!("the ratio of `{}`", self.network.nodes[n].name);
            let written_as = self.scalar(r, &view, written.ratio_unit.as_ref(), &whose)?.expr;
            let graph = self.graph();
            Some(if written.is_reciprocal {
                (graph.constant(1.0) / graph.at(written_as)).id
            } else {
                written_as
            })
        });
        let count = self.bonds.bonds.get(&n).map_or(0, Vec::len);
        for list in [&law.effort, &law.flow, &law.stored] {
            if !list.is_empty() && list.len() != count && !self.problems.has_errors() {
                self.problems.add(
                    Diagnostic::error(
                        "M0116",
                        format!("`{}` has {count} bonds and {} laws", written.key.name, list.len()),
                    )
                    .at(&written.key.span, "one for each bond")
                    .hint("a field has lists: effort = [\"…\", \"…\"]"),
                );
            }
        }
        if count == 1 {
            self.complete(kind, &mut law, &pairs);
        }
        self.size_states(kind, &law, &pairs);
        law.modulated = self.modulated(&law, &pairs);
        self.network.nodes[n].law = law;
    }

    /// Whether the law says what its kind of element needs, and nothing else.
    fn fits(&self, kind: BondNodeKind, law: &ElementLaw) -> bool {
        let [effort, flow, stored] = [&law.effort, &law.flow, &law.stored].map(|l| !l.is_empty());
        let (good, needs) = match kind {
            BondNodeKind::Se => (effort && !flow && !stored, "an `effort`"),
            BondNodeKind::Sf => (flow && !effort && !stored, "a `flow`"),
            BondNodeKind::C => (effort && !flow, "an `effort` of q, and perhaps a `displacement` of e"),
            BondNodeKind::I => (flow && !effort, "a `flow` of p, and perhaps a `momentum` of f"),
            BondNodeKind::R => ((effort || flow) && !stored, "an `effort` of f, a `flow` of e, or both"),
            _ => (law.ratio.is_some() && !effort && !flow && !stored, "a `ratio`"),
        };
        if !good {
            self.problems.add(
                Diagnostic::error("M0116", format!("the law of `{}` does not fit", law.key.name))
                    .at(&law.key.span, format!("{} needs {needs}", kind.word())),
            );
        }
        good
    }

    /// Names a law uses for the variables of its own element.
    fn law_view(
        &self,
        index: usize,
        n: usize,
        pairs: &[PowerPair],
        states: &[Symbol],
    ) -> super::super::NameView<'_> {
        let mut view = self.view(index);
        let kind = self.network.nodes[n].kind;
        for (k, pair) in pairs.iter().enumerate() {
            let number = if pairs.len() > 1 { (k + 1).to_string() } else { String::new() };
            let mut own = |letter: &str, symbol: Symbol| {
                let name = self.flat.quantity(symbol).name.clone();
                view.own.push((format!("{letter}{number}"), name));
            };
            own("e", pair.effort.symbol);
            own("f", pair.flow.symbol);
            match (kind, states.get(k)) {
                (BondNodeKind::C, Some(&state)) => own("q", state),
                (BondNodeKind::I, Some(&state)) => own("p", state),
                _ => {}
            }
        }
        let words = self.law_of(index, n).map_or(&[][..], |l| &l.words);
        for (word, letter) in words {
            let full = view.own.iter().find(|(short, _)| short == letter).map(|(_, full)| full.clone());
            view.own.extend(full.map(|full| (word.clone(), full)));
        }
        view
    }

    fn part_unit(&self, n: usize, part: LawSide, k: usize) -> Option<Unit> {
        let name = match part {
            LawSide::State => self.network.nodes[n].law.states.get(k).copied(),
            _ => self.bonds.pairs.get(&n).and_then(|p| p.get(k)).map(|p| match part {
                LawSide::Effort => p.effort.symbol,
                _ => p.flow.symbol,
            }),
        };
        let name = &self.flat.quantity(name?).name;
        self.names.map.get(name).and_then(|n| n.unit.clone())
    }

    /// The other direction of a linear law. (1)
    fn complete(&self, kind: BondNodeKind, law: &mut Law, pairs: &[PowerPair]) {
        let Some(&pair) = pairs.first() else { return };
        let (e, f) = (pair.effort.symbol, pair.flow.symbol);
        let state = law.states.first().copied();
        let inverse = |value: Option<&Expr>, of: Option<Symbol>, result: Symbol| {
            self.inverse(*value?, of?, result).into_iter().next()
        };
        match kind {
            BondNodeKind::R if law.flow.is_empty() => {
                law.flow.extend(inverse(law.effort.first(), Some(f), e))
            }
            BondNodeKind::R if law.effort.is_empty() => {
                law.effort.extend(inverse(law.flow.first(), Some(e), f))
            }
            BondNodeKind::C if law.stored.is_empty() => {
                law.stored.extend(inverse(law.effort.first(), state, e))
            }
            BondNodeKind::I if law.stored.is_empty() => {
                law.stored.extend(inverse(law.flow.first(), state, f))
            }
            _ => {}
        }
    }

    /// x from y = value(x), if value is linear in x. A slope that changes during a run may be 0 at times.
    fn inverse(&self, value: Expr, x: Symbol, y: Symbol) -> Option<Expr> {
        let g = self.graph();
        let slope = derivative(g.at(value), Term::Symbol(x));
        let changes = |&e: &Expr| match g.node(e) {
            Term::Symbol(s) => !matches!(self.flat.quantity(s).kind, QuantityKind::Parameter { .. }),
            Term::Time | Term::Derivative(_) => true,
            _ => false,
        };
        if slope.value() == Some(0.0) || g.reachable([slope.id]).iter().any(changes) {
            return None;
        }
        let zero = g.constant(0.0).id;
        let at_zero = g.rewrite(&[value], |node| (node == Term::Symbol(x)).then_some(zero))[0];
        Some(((g.symbol(y) - g.at(at_zero)) / slope).id)
    }

    /// The typical size of a state: what changes the answer of the store by its typical size, at the start.
    ///
    ///   |q| = |e| / |∂e/∂q|                                                                           (2)
    fn size_states(&mut self, kind: BondNodeKind, law: &Law, pairs: &[PowerPair]) {
        let answers = if kind == BondNodeKind::C { &law.effort } else { &law.flow };
        for ((&state, &answer), pair) in law.states.iter().zip(answers).zip(pairs) {
            let result = if kind == BondNodeKind::C { pair.effort } else { pair.flow };
            let QuantityKind::Unknown { start } = self.flat.quantity(state).kind else { continue };
            let g = &self.flat.graph;
            let slope = derivative(g.at(answer), Term::Symbol(state)).id;
            let slope = g.rewrite(&[slope], |node| (node == Term::Symbol(state)).then_some(start))[0];
            let slope = self.values.of(g, slope).map(f64::abs).filter(|s| s.is_normal());
            let size = self.flat.quantity(result.symbol).nominal.zip(slope).map(|(e, s)| e.size / s); // (2)
            let quantity = &mut self.flat.quantities[state.index()];
            // A soft store may still move little: its own size is an upper limit.
            if let Some(size) = size {
                let own = quantity.nominal.unwrap_or(Nominal::by_unit(size));
                quantity.nominal = Some(Nominal { size: own.size.min(size), ..own });
            }
        }
    }

    fn modulated(&self, law: &Law, pairs: &[PowerPair]) -> bool {
        let mut own: HashSet<Symbol> = pairs.iter().flat_map(|p| [p.effort.symbol, p.flow.symbol]).collect();
        own.extend(&law.states);
        let roots = law.effort.iter().chain(&law.flow).chain(&law.stored).chain(&law.ratio).copied();
        self.graph().reachable(roots).iter().any(|&e| match self.graph().node(e) {
            Term::Time => true,
            Term::Symbol(s) => {
                !own.contains(&s) && !matches!(self.flat.quantity(s).kind, QuantityKind::Parameter { .. })
            }
            _ => false,
        })
    }

    /// Bonds whose two ends are like junctions, or nothing that has names, get names of their own.
    pub(super) fn name_bare_bonds(&mut self) {
        for b in 0..self.network.bonds.len() {
            let bond = &self.network.bonds[b];
            if !bond.pairs.is_empty() || bond.from == OPEN || bond.to == OPEN {
                continue;
            }
            if self.network.nodes[bond.from].kind != self.network.nodes[bond.to].kind {
                continue;
            }
            let (from, to) = (&self.network.nodes[bond.from], &self.network.nodes[bond.to]);
            let short = to.name.rsplit('.').next().unwrap_or_default();
            let (name, domain, n) = (format!("to_{short}"), bond.domain, bond.from);
            let index = self.tree.instances.iter().position(|i| i.path == from.origin.component).unwrap_or(0);
            let number = format!("_{name}");
            let pair = (
                self.add_part(index, n, &number, true, domain),
                self.add_part(index, n, &number, false, domain),
            );
            if let (Some(effort), Some(flow)) = pair {
                let plain = |symbol| crate::network::Signed { symbol, negative: false };
                self.network.bonds[b].pairs.push(PowerPair { effort: plain(effort), flow: plain(flow) });
            }
        }
    }
}

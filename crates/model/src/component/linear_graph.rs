//! [linear_graph]: nodes joined by elements with an across and a through variable; becomes a bond graph.
//!
//! With x a node's across variable and the element between nodes a and b,
//!
//!   across = x_a − x_b,   through flows from a to b,                                                   (1)
//!
//! nodes are 0-junctions and elements hang on 1-junctions where across is the effort; in mechanics, where across is the
//! velocity, it is the other way round.
//!
//! Transformers and gyrators may couple two domains (Rowell, Wormley, System Dynamics, 1997, chapter 6). With through₂ as what the
//! second pair delivers,
//!
//!   transformer:  across₁ = r · across₂,    through₂ = r · through₁,                                   (2)
//!   gyrator:      across₁ = r · through₂,   across₂ = r · through₁.                                    (3)
//!
//! Where across is an effort on one side and a flow on the other, (2) is a gyrator of the bond graph and (3) a transformer.

use std::collections::BTreeMap;

use super::bond_graph::{BondGraphSection, Chain, ChainMember, ElementLaw};
use super::read::{check_name, formula};
use super::sections::{fields_of, table_of};
use super::{Scalar, ScalarForm, read_scalar};
use crate::diagnostic::{Diagnostic, Problems, one_of};
use crate::domain::{Connector, DOMAINS, Domain, domain, unit_of};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlText};
use crate::network::BondNodeKind;
use crate::units::Unit;

#[derive(Clone, Copy, PartialEq)]
enum Type {
    AcrossSource,
    ThroughSource,
    AcrossStore,
    ThroughStore,
    Loss,
    Transformer,
    Gyrator,
}

const TYPES: [(&str, Type); 7] = [
    ("across_source", Type::AcrossSource),
    ("through_source", Type::ThroughSource),
    ("across_store", Type::AcrossStore),
    ("through_store", Type::ThroughStore),
    ("loss", Type::Loss),
    ("transformer", Type::Transformer),
    ("gyrator", Type::Gyrator),
];

pub(crate) fn read_linear_graph(fields: &Fields<'_>, problems: &Problems) -> BondGraphSection {
    let mut made = BondGraphSection::default();
    let Some(entry) = fields.entry("linear_graph") else { return made };
    let Some(table) = table_of(entry, "a table with `domain` and `elements`", problems) else { return made };
    let f = Fields::new(table, "[linear_graph]", &entry.key.span, problems);
    let elements = f.entries("elements");
    let named = |e: &TomlEntry| matches!(&e.value.data, Data::Table(t) if t.get("domain").is_some());
    let common = match f.text("domain") {
        Some(word) => match known(&word, "a linear graph", problems) {
            Some(domain) => Some(domain),
            None => return made,
        },
        None if elements.iter().any(named) => None,
        None => {
            problems.add(needs_domain("a linear graph", &entry.key.span));
            return made;
        }
    };
    let mut graph = Drawing { common, nodes: BTreeMap::new(), made: &mut made, problems };
    let references = f.texts("reference");
    let read: Vec<GraphElement> = elements.iter().filter_map(|e| graph.read(e)).collect();
    for node in &references {
        let name =
            if references.len() == 1 { "reference".into() } else { format!("{}_reference", node.text) };
        graph.reference(node, name);
    }
    for element in read {
        graph.draw(element);
    }
    f.finish();
    made
}

fn needs_domain(what: &str, place: &Span) -> Diagnostic {
    let names = DOMAINS.iter().filter(|d| d.is_power() && !d.is_raw()).map(|d| d.name);
    Diagnostic::error("M0112", format!("{what} needs a `domain`"))
        .at(place, format!("has to be {}", one_of(names)))
}

/// A domain with across and through variables of its own.
fn known(word: &TomlText, what: &str, problems: &Problems) -> Option<&'static Domain> {
    let found = domain(&word.text).filter(|d| d.is_power() && !d.is_raw());
    if found.is_none() {
        problems.add(needs_domain(what, &word.span));
    }
    found
}

fn across_is_effort(domain: &Domain) -> bool {
    matches!(domain.connector, Connector::Power { across_is_effort: true, .. })
}

/// Kinds of nodes and of the junctions that elements hang on.
fn junctions(domain: &Domain) -> (BondNodeKind, BondNodeKind) {
    if across_is_effort(domain) {
        (BondNodeKind::Zero, BondNodeKind::One)
    } else {
        (BondNodeKind::One, BondNodeKind::Zero)
    }
}

/// The element of the bond graph that an element with one pair of nodes is.
fn kind(of: Type, domain: &Domain) -> BondNodeKind {
    match (of, across_is_effort(domain)) {
        (Type::AcrossSource, true) | (Type::ThroughSource, false) => BondNodeKind::Se,
        (Type::AcrossSource, false) | (Type::ThroughSource, true) => BondNodeKind::Sf,
        (Type::AcrossStore, true) | (Type::ThroughStore, false) => BondNodeKind::C,
        (Type::AcrossStore, false) | (Type::ThroughStore, true) => BondNodeKind::I,
        (Type::Loss, _) => BondNodeKind::R,
        (Type::Transformer, _) => BondNodeKind::Tf,
        (Type::Gyrator, _) => BondNodeKind::Gy,
    }
}

/// across₁/across₂ of a transformer, across₁/through₂ of a gyrator, in SI.
fn ratio_unit(of: Type, first: &Domain, second: &Domain) -> Option<Unit> {
    let (Connector::Power { across: x_1, .. }, Connector::Power { across: x_2, through: t_2, .. }) =
        (first.connector, second.connector)
    else {
        return None;
    };
    let (above, below) = (unit_of(x_1.unit)?, unit_of(if of == Type::Transformer { x_2 } else { t_2 }.unit)?);
    let text = format!("{}/({})", above.text, below.text);
    Some(Unit { dimension: above.dimension / below.dimension, factor: 1.0, offset: 0.0, text })
}

/// Two nodes and the domain they belong to.
struct NodePair {
    a: TomlText,
    b: TomlText,
    domain: &'static Domain,
}

/// An element as it is written.
enum GraphElement {
    OnePort { of: Type, nodes: NodePair, law: Box<ElementLaw> },
    TwoPort { of: Type, key: TomlKey, pairs: [NodePair; 2], ratio: TomlText },
}

struct Drawing<'a> {
    /// The domain of elements that name none.
    common: Option<&'static Domain>,
    /// The domain of each node, from the first element at it.
    nodes: BTreeMap<String, &'static Domain>,
    made: &'a mut BondGraphSection,
    problems: &'a Problems,
}

impl Drawing<'_> {
    fn chain(&mut self, stops: &[(BondNodeKind, &str)], span: &Span) {
        let stop = |&(kind, name): &(BondNodeKind, &str)| ChainMember {
            kind: Some(kind),
            name: name.into(),
            span: span.clone(),
        };
        self.made.chains.push(Chain { stops: stops.iter().map(stop).collect() });
    }

    fn declare(&mut self, name: &str, span: &Span, domain: &'static Domain) {
        self.made.domains.push((TomlKey { name: name.into(), span: span.clone() }, domain));
    }

    /// The node whose across variable is zero.
    fn reference(&mut self, node: &TomlText, name: String) {
        let Some(domain) = self.nodes.get(&node.text).copied().or(self.common) else {
            self.problems.add(
                Diagnostic::error("M0116", format!("no element is at the reference `{}`", node.text))
                    .at(&node.span, "its domain is not known"),
            );
            return;
        };
        let source = kind(Type::AcrossSource, domain);
        self.chain(&[(source, &name), (junctions(domain).0, &node.text)], &node.span);
        self.declare(&node.text, &node.span, domain);
        let zero = vec![Scalar { form: ScalarForm::Number(0.0), span: node.span.clone() }];
        let (effort, flow) = if source == BondNodeKind::Se { (zero, vec![]) } else { (vec![], zero) };
        let key = TomlKey { name, span: node.span.clone() };
        self.made.laws.push(ElementLaw { effort, flow, ..ElementLaw::new(key) });
    }

    fn read(&mut self, entry: &TomlEntry) -> Option<GraphElement> {
        let problems = self.problems;
        let key = entry.key.clone();
        if !check_name(&key, problems) {
            return None;
        }
        let table =
            table_of(entry, "a table, as in { type = \"loss\", between = [\"a\", \"b\"] }", problems)?;
        let f = fields_of(table, "element", &key, problems);
        let of = f.choice("type", &TYPES);
        if f.value("type").is_none() {
            f.missing("type", &one_of(TYPES.iter().map(|t| t.0)));
        }
        let is_two_port = matches!(of, Some(Type::Transformer | Type::Gyrator));
        let domains = self.domains(&f, &key, is_two_port);
        let first = self.two_nodes(&f, "between");
        let of = of?;
        if is_two_port {
            let second = self.two_nodes(&f, "and");
            let ratio = f.text("ratio");
            if f.value("ratio").is_none() {
                f.missing(
                    "ratio",
                    "across of the first pair = ratio · across (gyrator: through) of the second",
                );
            }
            f.finish();
            let [one, two] = domains?;
            let pairs = [self.pair(first?, one)?, self.pair(second?, two)?];
            return Some(GraphElement::TwoPort { of, key, pairs, ratio: ratio? });
        }
        let law = domains.map(|[domain, _]| self.law(of, domain, &key, &f));
        f.finish();
        let nodes = self.pair(first?, domains?[0])?;
        Some(GraphElement::OnePort { of, nodes, law: Box::new(law?) })
    }

    /// The domain of an element, or those of both pairs of a transformer or gyrator: one word or two.
    fn domains(&self, f: &Fields<'_>, key: &TomlKey, two: bool) -> Option<[&'static Domain; 2]> {
        let problems = self.problems;
        let what = format!("`{}`", key.name);
        let words = f.texts("domain");
        if words.len() > 1 + usize::from(two) {
            problems.add(
                Diagnostic::error("M0116", format!("{what} has {} domains", words.len()))
                    .at(&words[words.len() - 1].span, "one too many")
                    .hint("a transformer or gyrator couples two domains, other elements have one"),
            );
            return None;
        }
        if words.is_empty() {
            if self.common.is_none() {
                problems.add(needs_domain(&what, &key.span));
            }
            return self.common.map(|d| [d, d]);
        }
        let found: Vec<_> = words.iter().map(|w| known(w, &what, problems)).collect();
        let pair = [found[0]?, (*found.last()?)?];
        // p · q_m and temp · q_heat are no power: a coupling of them with another domain would make energy of nothing.
        let odd = |d: &Domain| ["pneumatic", "thermal"].contains(&d.name);
        if pair[0] != pair[1] && pair.iter().any(|d| odd(d)) {
            let word = &words[usize::from(odd(pair[1]))];
            problems.add(
                Diagnostic::error(
                    "M0116",
                    format!("{what} cannot couple {} and {}", pair[0].name, pair[1].name),
                )
                .at(&word.span, "across times through is not the power here")
                .hint("write a component with equations"),
            );
            return None;
        }
        Some(pair)
    }

    /// Nodes of one domain: a node that an element of another domain has already is an error.
    fn pair(&mut self, (a, b): (TomlText, TomlText), domain: &'static Domain) -> Option<NodePair> {
        for node in [&a, &b] {
            let first = *self.nodes.entry(node.text.clone()).or_insert(domain);
            if first != domain {
                self.problems.add(
                    Diagnostic::error("M0116", format!("node `{}` is in two domains", node.text))
                        .at(&node.span, format!("{} here, {} before", domain.name, first.name))
                        .hint("a transformer or gyrator with `domain = [\"…\", \"…\"]` couples nodes of two domains"),
                );
                return None;
            }
        }
        Some(NodePair { a, b, domain })
    }

    fn draw(&mut self, element: GraphElement) {
        match element {
            GraphElement::OnePort { of, nodes: NodePair { a, b, domain }, law } => {
                let (name, span) = (law.key.name.clone(), law.key.span.clone());
                let (node, at) = junctions(domain);
                let hang = format!("{name}_at");
                self.chain(&[(node, &a.text), (at, &hang), (node, &b.text)], &span);
                self.chain(&[(at, &hang), (kind(of, domain), &name)], &span);
                self.declare(&hang, &span, domain);
                self.made.laws.push(*law);
            }
            GraphElement::TwoPort { of, key, pairs, ratio } => self.two_port(of, key, pairs, ratio),
        }
    }

    fn two_nodes(&self, f: &Fields<'_>, key: &'static str) -> Option<(TomlText, TomlText)> {
        let mut nodes = f.texts(key).into_iter();
        let good =
            |t: &TomlText| check_name(&TomlKey { name: t.text.clone(), span: t.span.clone() }, self.problems);
        match (nodes.next(), nodes.next(), nodes.next()) {
            (Some(a), Some(b), None) => (good(&a) && good(&b)).then_some((a, b)),
            _ => {
                f.missing(key, "two nodes, as in between = [\"a\", \"b\"]");
                None
            }
        }
    }

    /// Laws in the words of the domain: `u`, `i` or `v`, `f`, and `x` for what is stored.
    fn law(&self, of: Type, domain: &Domain, key: &TomlKey, f: &Fields<'_>) -> ElementLaw {
        let read = |name: &'static str| -> Vec<Scalar> {
            f.value(name).map(|v| read_scalar(v, name, self.problems)).into_iter().collect()
        };
        let (across, through) = (read("across"), read("through"));
        let (effort, flow) = if across_is_effort(domain) { (across, through) } else { (through, across) };
        let stored = if matches!(of, Type::AcrossStore | Type::ThroughStore) { "x" } else { "" };
        let letter = if kind(of, domain) == BondNodeKind::C { "q" } else { "p" };
        let mut words: Vec<(String, String)> = vec![];
        if let Some((e, f)) = domain.effort_and_flow() {
            words.push((e.name.into(), "e".into()));
            words.push((f.name.into(), "f".into()));
        }
        if !stored.is_empty() {
            words.push((stored.into(), letter.into()));
        }
        let start = read("start");
        ElementLaw { effort, flow, start, words, doc: f.doc(), ..ElementLaw::new(key.clone()) }
    }

    /// (2), (3). The first pair takes power from a to b, the second gives it from its second node to its first.
    fn two_port(&mut self, of: Type, key: TomlKey, [first, second]: [NodePair; 2], ratio: TomlText) {
        let [one, two] = ["1", "2"].map(|n| format!("{}_at{n}", key.name));
        let span = &key.span;
        let efforts = [first.domain, second.domain].map(across_is_effort);
        let kind = match (of == Type::Transformer, efforts[0] == efforts[1]) {
            (true, true) | (false, false) => BondNodeKind::Tf,
            (true, false) | (false, true) => BondNodeKind::Gy,
        };
        // The ratio of a transformer of the bond graph is that of flows from its first side to its second, f₂ = A f₁: between flows the pairs
        // change places. Otherwise, where across₁ is a flow, f₁ = r e₂ or f₁ = r f₂ has 1/r for A.
        let exchanged = of == Type::Transformer && efforts == [false, false];
        let inverse = !efforts[0] && !exchanged;
        self.declare(&one, span, first.domain);
        self.declare(&two, span, second.domain);
        let (taking, giving) =
            if exchanged { ((&second, &two), (&first, &one)) } else { ((&first, &one), (&second, &two)) };
        let ends = |(pair, at): (&NodePair, &String), reversed: bool| {
            let (node, hang) = junctions(pair.domain);
            let (from, to) = if reversed { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
            [(node, from.text.clone()), (hang, at.clone()), (node, to.text.clone())]
        };
        for stops in [ends(taking, false), ends(giving, true)] {
            self.chain(&stops.each_ref().map(|(kind, name)| (*kind, name.as_str())), span);
        }
        let at = |side: (&NodePair, &String)| junctions(side.0.domain).1;
        self.chain(&[(at(taking), taking.1), (kind, &key.name), (at(giving), giving.1)], span);
        let form = formula(ratio.clone(), self.problems).map_or(ScalarForm::Broken, ScalarForm::Formula);
        self.made.laws.push(ElementLaw {
            ratio: Some(Scalar { form, span: ratio.span }),
            ratio_unit: ratio_unit(of, first.domain, second.domain),
            is_reciprocal: inverse,
            ..ElementLaw::new(key.clone())
        });
    }
}

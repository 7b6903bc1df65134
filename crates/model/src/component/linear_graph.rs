//! [linear_graph]: nodes joined by elements with an across and a through variable; becomes a bond graph.
//!
//! With x a node's across variable and the element between nodes a and b,
//!
//!   across = x_a − x_b,   through flows from a to b,                                                   (1)
//!
//! nodes are 0-junctions and elements hang on 1-junctions where across is the effort; in mechanics, where across is the
//! velocity, it is the other way round.

use super::bond_graph::{BondGraph, Chain, ElementLaw, Stop};
use super::read::{check_name, formula};
use super::sections::{fields_of, table_of};
use super::{Form, Scalar, read_scalar};
use crate::diagnostic::{Diagnostic, Problems, one_of};
use crate::domain::{Connector, DOMAINS, Domain, domain};
use crate::file::{Entry, Fields, Key, Span, Text};
use crate::network::Kind;

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

pub fn read_linear_graph(fields: &Fields<'_>, problems: &Problems) -> BondGraph {
    let mut made = BondGraph::default();
    let Some(entry) = fields.entry("linear_graph") else { return made };
    let Some(table) = table_of(entry, "a table with `domain` and `elements`", problems) else { return made };
    let f = Fields::new(table, "[linear_graph]", &entry.key.span, problems);
    let word = f.text("domain");
    let known = word.as_ref().and_then(|t| domain(&t.text)).filter(|d| d.is_power() && !d.is_raw());
    let Some(domain) = known else {
        let names = DOMAINS.iter().filter(|d| d.is_power() && !d.is_raw()).map(|d| d.name);
        let place = word.map_or(entry.key.span.clone(), |t| t.span);
        problems.add(
            Diagnostic::error("M0112", "a linear graph needs a `domain`")
                .at(&place, format!("has to be {}", one_of(names))),
        );
        return made;
    };
    let mut graph = Drawing { domain, made: &mut made, problems };
    if let Some(reference) = f.text("reference") {
        graph.reference(&reference);
    }
    for entry in f.entries("elements") {
        graph.element(entry);
    }
    f.finish();
    made
}

struct Drawing<'a> {
    domain: &'static Domain,
    made: &'a mut BondGraph,
    problems: &'a Problems,
}

impl Drawing<'_> {
    fn across_is_effort(&self) -> bool {
        matches!(self.domain.connector, Connector::Power { across_is_effort: true, .. })
    }

    /// Kinds of nodes and of the junctions that elements hang on.
    fn junctions(&self) -> (Kind, Kind) {
        if self.across_is_effort() { (Kind::Zero, Kind::One) } else { (Kind::One, Kind::Zero) }
    }

    fn kind(&self, of: Type) -> Kind {
        match (of, self.across_is_effort()) {
            (Type::AcrossSource, true) | (Type::ThroughSource, false) => Kind::Se,
            (Type::AcrossSource, false) | (Type::ThroughSource, true) => Kind::Sf,
            (Type::AcrossStore, true) | (Type::ThroughStore, false) => Kind::C,
            (Type::AcrossStore, false) | (Type::ThroughStore, true) => Kind::I,
            (Type::Loss, _) => Kind::R,
            (Type::Transformer, _) => Kind::Tf,
            (Type::Gyrator, _) => Kind::Gy,
        }
    }

    fn chain(&mut self, stops: &[(Kind, &str)], span: &Span) {
        let stop =
            |&(kind, name): &(Kind, &str)| Stop { kind: Some(kind), name: name.into(), span: span.clone() };
        self.made.chains.push(Chain { stops: stops.iter().map(stop).collect() });
    }

    fn declare(&mut self, name: &str, span: &Span) {
        self.made.domains.push((Key { name: name.into(), span: span.clone() }, self.domain));
    }

    /// The node whose across variable is zero.
    fn reference(&mut self, node: &Text) {
        let source = self.kind(Type::AcrossSource);
        self.chain(&[(source, "reference"), (self.junctions().0, &node.text)], &node.span);
        self.declare(&node.text, &node.span);
        let zero = vec![Scalar { form: Form::Number(0.0), span: node.span.clone() }];
        let (effort, flow) = if source == Kind::Se { (zero, vec![]) } else { (vec![], zero) };
        let key = Key { name: "reference".into(), span: node.span.clone() };
        self.made.laws.push(ElementLaw { effort, flow, ..ElementLaw::new(key) });
    }

    fn element(&mut self, entry: &Entry) -> Option<()> {
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
        let first = self.two_nodes(&f, "between");
        let (hang, span) = (format!("{}_at", key.name), key.span.clone());
        match of {
            Some(of @ (Type::Transformer | Type::Gyrator)) => {
                let second = self.two_nodes(&f, "and");
                let ratio = f.text("ratio");
                if f.value("ratio").is_none() {
                    f.missing(
                        "ratio",
                        "across of the first pair = ratio · across (gyrator: through) of the second",
                    );
                }
                f.finish();
                self.two_port(of, &key, (first?, second?), ratio?)
            }
            Some(of) => {
                let law = self.law(of, &key, &f);
                f.finish();
                let (node, at) = self.junctions();
                let (a, b) = first?;
                self.chain(&[(node, &a.text), (at, &hang), (node, &b.text)], &span);
                self.chain(&[(at, &hang), (self.kind(of), &key.name)], &span);
                self.declare(&hang, &span);
                self.made.laws.push(law);
                Some(())
            }
            None => None,
        }
    }

    fn two_nodes(&self, f: &Fields<'_>, key: &'static str) -> Option<(Text, Text)> {
        let mut nodes = f.texts(key).into_iter();
        let good = |t: &Text| check_name(&Key { name: t.text.clone(), span: t.span.clone() }, self.problems);
        match (nodes.next(), nodes.next(), nodes.next()) {
            (Some(a), Some(b), None) => (good(&a) && good(&b)).then_some((a, b)),
            _ => {
                f.missing(key, "two nodes, as in between = [\"a\", \"b\"]");
                None
            }
        }
    }

    /// Laws in the words of the domain: `u`, `i` or `v`, `f`, and `x` for what is stored.
    fn law(&self, of: Type, key: &Key, f: &Fields<'_>) -> ElementLaw {
        let read = |name: &'static str| -> Vec<Scalar> {
            f.value(name).map(|v| read_scalar(v, name, self.problems)).into_iter().collect()
        };
        let (across, through) = (read("across"), read("through"));
        let (effort, flow) = if self.across_is_effort() { (across, through) } else { (through, across) };
        let stored = if matches!(of, Type::AcrossStore | Type::ThroughStore) { "x" } else { "" };
        let letter = if self.kind(of) == Kind::C { "q" } else { "p" };
        let mut words: Vec<(String, String)> = vec![];
        if let Some((e, f)) = self.domain.effort_and_flow() {
            words.push((e.name.into(), "e".into()));
            words.push((f.name.into(), "f".into()));
        }
        if !stored.is_empty() {
            words.push((stored.into(), letter.into()));
        }
        let start = read("start");
        ElementLaw { effort, flow, start, words, doc: f.doc(), ..ElementLaw::new(key.clone()) }
    }

    /// across₁ = ratio · across₂ (transformer), across₁ = ratio · through₂ (gyrator).
    fn two_port(
        &mut self,
        of: Type,
        key: &Key,
        nodes: ((Text, Text), (Text, Text)),
        ratio: Text,
    ) -> Option<()> {
        let (node, at) = self.junctions();
        let [one, two] = ["1", "2"].map(|n| format!("{}_at{n}", key.name));
        let ((a, b), (c, d)) = nodes;
        let kind = self.kind(of);
        let span = &key.span;
        // Side 1 takes power from a to b, side 2 gives it from d to c; in mechanics sides change places, since
        // the ratio of a transformer is that of flows from its second side to its first.
        let (taking, giving, first, second) = if self.across_is_effort() || of == Type::Gyrator {
            (&one, &two, (&a, &b), (&d, &c))
        } else {
            (&two, &one, (&c, &d), (&b, &a))
        };
        self.chain(&[(node, &first.0.text), (at, taking), (node, &first.1.text)], span);
        self.chain(&[(node, &second.0.text), (at, giving), (node, &second.1.text)], span);
        self.chain(&[(at, taking), (kind, &key.name), (at, giving)], span);
        self.declare(&one, span);
        self.declare(&two, span);
        // e₂ = A f₁ reads through₂ = A across₁ in mechanics.
        let inverse = of == Type::Gyrator && !self.across_is_effort();
        let text =
            Text { text: if inverse { format!("1/({})", ratio.text) } else { ratio.text }, span: ratio.span };
        let form = formula(text.clone(), self.problems).map_or(Form::Broken, Form::Formula);
        let ratio = Some(Scalar { form, span: text.span });
        self.made.laws.push(ElementLaw { ratio, ..ElementLaw::new(key.clone()) });
        Some(())
    }
}

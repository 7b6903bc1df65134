//! [bond_graph]: chains of bonds, and the laws of the elements in them.

use super::read::check_name;
use super::sections::{fields_of, table_of};
use super::{Scalar, read_scalar};
use crate::diagnostic::{Diagnostic, Problems, one_of};
use crate::domain::{Connector, DOMAINS, Domain, domain};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlText, TomlValue};
use crate::language::LAST;
use crate::network::BondNodeKind;
use crate::units::Unit;

/// What a chain passes through: a port, or an element or junction of its kind.
#[derive(Clone, Debug)]
pub struct ChainMember {
    /// None: a port.
    pub kind: Option<BondNodeKind>,
    pub name: String,
    pub span: Span,
}

/// "a -> 1.flow -> b".
#[derive(Clone, Debug)]
pub struct Chain {
    pub stops: Vec<ChainMember>,
}

/// The law of one element; lists have one entry per bond.
#[derive(Clone, Debug)]
pub struct ElementLaw {
    /// The element's name.
    pub key: TomlKey,
    pub effort: Vec<Scalar>,
    pub flow: Vec<Scalar>,
    /// Keys: displacement of a C, momentum of an I.
    pub stored: Vec<Scalar>,
    pub ratio: Option<Scalar>,
    /// The unit of the ratio; None: not checked.
    pub ratio_unit: Option<Unit>,
    /// The ratio of the bond graph is the reciprocal of what is written.
    pub is_reciprocal: bool,
    pub start: Vec<Scalar>,
    /// Names of the states.
    pub states: Vec<TomlText>,
    /// Words a law uses beside e, f, q and p, and which of these they stand for.
    pub words: Vec<(String, String)>,
    pub doc: String,
}

impl ElementLaw {
    /// Nothing said yet.
    pub fn new(key: TomlKey) -> Self {
        ElementLaw {
            key,
            effort: vec![],
            flow: vec![],
            stored: vec![],
            ratio: None,
            ratio_unit: None,
            is_reciprocal: false,
            start: vec![],
            states: vec![],
            words: vec![],
            doc: String::new(),
        }
    }
}

/// What [bond_graph] and [linear_graph] say.
#[derive(Clone, Debug, Default)]
pub struct BondGraphSection {
    pub chains: Vec<Chain>,
    pub laws: Vec<ElementLaw>,
    /// The domain of a node that no port tells.
    pub domains: Vec<(TomlKey, &'static Domain)>,
}

impl BondGraphSection {
    pub fn extend(&mut self, other: BondGraphSection) {
        self.chains.extend(other.chains);
        self.laws.extend(other.laws);
        self.domains.extend(other.domains);
    }
}

const KINDS: [(&str, BondNodeKind); 12] = [
    ("SE", BondNodeKind::Se),
    ("SF", BondNodeKind::Sf),
    ("MSE", BondNodeKind::Se),
    ("MSF", BondNodeKind::Sf),
    ("I", BondNodeKind::I),
    ("C", BondNodeKind::C),
    ("R", BondNodeKind::R),
    ("TF", BondNodeKind::Tf),
    ("MTF", BondNodeKind::Tf),
    ("GY", BondNodeKind::Gy),
    ("MGY", BondNodeKind::Gy),
    ("0", BondNodeKind::Zero),
];

pub(crate) fn read_bond_graph(fields: &Fields<'_>, problems: &Problems) -> BondGraphSection {
    let Some(entry) = fields.entry("bond_graph") else { return BondGraphSection::default() };
    let Some(table) = table_of(entry, "a table with `structure` and `laws`", problems) else {
        return BondGraphSection::default();
    };
    let f = Fields::new(table, "[bond_graph]", &entry.key.span, problems);
    let chains = f.texts("structure").iter().filter_map(|t| read_chain(t, problems)).collect();
    let laws = f.entries("laws").iter().filter_map(|e| read_law(e, problems)).collect();
    let domains = f.entries("domains").iter().filter_map(|e| read_domain(e, problems)).collect();
    // An option may give laws to elements that stand in the structure anyway.
    if f.value("structure").is_none() && f.value("laws").is_none() {
        f.missing("structure", "as in structure = [\"a -> 1.flow -> b\", \"1.flow -> R.loss\"]");
    }
    f.finish();
    BondGraphSection { chains, laws, domains }
}

fn kind_of(word: &str) -> Option<BondNodeKind> {
    if word == "1" {
        return Some(BondNodeKind::One);
    }
    KINDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
}

fn read_chain(text: &TomlText, problems: &Problems) -> Option<Chain> {
    let mut stops = vec![];
    let mut start = 0;
    let parts: Vec<&str> = text.text.split("->").collect();
    if parts.len() < 2 {
        problems.add(
            Diagnostic::error("M0116", format!("`{}` has no bond", text.text))
                .at(&text.span, "a bond is written `->`")
                .hint("as in \"a -> 1.flow -> b\""),
        );
        return None;
    }
    for part in parts {
        let word = part.trim();
        let from = start + (part.len() - part.trim_start().len());
        let span = text.at(&(from..from + word.len()));
        start += part.len() + 2;
        stops.push(read_stop(word, span, problems)?);
    }
    Some(Chain { stops })
}

fn read_stop(word: &str, span: Span, problems: &Problems) -> Option<ChainMember> {
    let bad = |message: String, label: &str| {
        problems.add(
            Diagnostic::error("M0116", message)
                .at(&span, label)
                .hint("a node is a port, or a kind and a name: SE.drive, C.spring, 1.flow"),
        );
        None
    };
    let Some((kind, name)) = word.split_once('.') else {
        let plain = without_neighbour(word).chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '#'))
            && !word.is_empty();
        if !plain || kind_of(word).is_some() {
            return bad(format!("`{word}` is no node of a bond graph"), "a name is missing");
        }
        return Some(ChainMember { kind: None, name: word.to_string(), span });
    };
    let Some(kind) = kind_of(kind) else {
        let kinds = KINDS.iter().map(|(k, _)| *k).chain(["1"]);
        return bad(format!("there is no element `{kind}`"), &format!("has to be {}", one_of(kinds)));
    };
    let key = TomlKey { name: without_neighbour(name), span: span.clone() };
    check_name(&key, problems).then(|| ChainMember { kind: Some(kind), name: name.to_string(), span })
}

/// `v#+1` and `v#-1` are neighbours of `v#`, `v#last` is the last one.
fn without_neighbour(name: &str) -> String {
    name.replace("#+1", "#").replace("#-1", "#").replace(LAST, "#")
}

fn read_domain(entry: &TomlEntry, problems: &Problems) -> Option<(TomlKey, &'static Domain)> {
    let text = entry.value.as_text();
    let found = text.as_ref().and_then(|t| domain(&t.text)).filter(|d| d.connector != Connector::Signal);
    if found.is_none() {
        let names = DOMAINS.iter().filter(|d| d.connector != Connector::Signal).map(|d| d.name);
        problems.add(
            Diagnostic::error("M0112", format!("`{}` needs a domain", entry.key.name))
                .at(&entry.value.span, format!("has to be {}", one_of(names))),
        );
    }
    Some((entry.key.clone(), found?))
}

fn read_law(entry: &TomlEntry, problems: &Problems) -> Option<ElementLaw> {
    let key = entry.key.clone();
    if !check_name(&key, problems) {
        return None;
    }
    let table = table_of(entry, "a table, as in { effort = \"R*f\" }", problems)?;
    let f = fields_of(table, "law", &key, problems);
    let scalars = |name: &'static str| -> Vec<Scalar> {
        let read = |v: &TomlValue| read_scalar(v, name, problems);
        match f.value(name) {
            Some(TomlValue { data: Data::List(list), .. }) => list.iter().map(read).collect(),
            Some(value) => vec![read(value)],
            None => vec![],
        }
    };
    let mut stored = scalars("displacement");
    stored.extend(scalars("momentum"));
    let law = ElementLaw {
        effort: scalars("effort"),
        flow: scalars("flow"),
        stored,
        ratio: scalars("ratio").into_iter().next(),
        start: scalars("start"),
        states: f.texts("state"),
        doc: f.doc(),
        ..ElementLaw::new(key.clone())
    };
    f.finish();
    law.states
        .iter()
        .all(|s| check_name(&TomlKey { name: s.text.clone(), span: s.span.clone() }, problems))
        .then_some(law)
}

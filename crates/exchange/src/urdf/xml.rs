//! Elements and attributes with their places, and what is wrong with them.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use roxmltree::Node;
use trunnion_model::{Diagnostic, Source, Span};

use super::Findings;

pub struct XmlReader<'a> {
    pub source: &'a Arc<Source>,
    pub findings: &'a Findings,
    /// Tags that were told to be left out.
    told: RefCell<HashSet<String>>,
}

impl<'a> XmlReader<'a> {
    pub fn new(source: &'a Arc<Source>, findings: &'a Findings) -> Self {
        XmlReader { source, findings, told: RefCell::default() }
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    pub fn error(&self, code: &'static str, message: String, range: Range<usize>, label: &str, hint: &str) {
        self.findings.add(Diagnostic::error(code, message).at(&self.span(range), label).hint(hint));
    }

    pub fn warn(&self, code: &'static str, message: String, range: Range<usize>, label: &str, hint: &str) {
        self.findings.add(Diagnostic::warning(code, message).at(&self.span(range), label).hint(hint));
    }

    /// A tag that has no meaning here, told once.
    pub fn left_out(&self, node: Node, why: &str) {
        let tag = node.tag_name().name().to_string();
        if self.told.borrow_mut().insert(tag.clone()) {
            let note = Diagnostic::note("I0011", format!("`{tag}` is left out"));
            self.findings.add(note.at(&self.span(head(node)), why));
        }
    }

    /// Elements inside one, with unknown ones reported.
    pub fn children<'n>(&self, node: Node<'n, 'n>, known: &[&str]) -> Vec<Node<'n, 'n>> {
        let elements = node.children().filter(Node::is_element);
        let (known, others): (Vec<_>, Vec<_>) = elements
            .partition(|n| known.contains(&n.tag_name().name()) && n.tag_name().namespace().is_none());
        others.iter().for_each(|n| self.left_out(*n, "has no counterpart in a mechanism"));
        known
    }

    /// Text of an attribute that has to be there.
    pub fn text<'n>(&self, node: Node<'n, 'n>, name: &str) -> Option<&'n str> {
        let found = node.attribute(name).map(str::trim).filter(|text| !text.is_empty());
        if found.is_none() {
            let tag = node.tag_name().name();
            self.error(
                "I0003",
                format!("`{tag}` has no `{name}`"),
                head(node),
                "is incomplete",
                &format!("write <{tag} {name}=\"…\">"),
            );
        }
        found
    }

    /// An element that has to be there.
    pub fn child<'n>(&self, node: Node<'n, 'n>, tag: &str) -> Option<Node<'n, 'n>> {
        let found = element(node, tag);
        if found.is_none() {
            let message = format!("`{}` has no `{tag}`", node.tag_name().name());
            self.error(
                "I0003",
                message,
                head(node),
                "is incomplete",
                &format!("write <{tag} …> inside of it"),
            );
        }
        found
    }

    /// So many numbers of an attribute; None if it is not there, or wrong and said so.
    pub fn numbers<const N: usize>(&self, node: Node, name: &str) -> Option<[f64; N]> {
        let attribute = node.attribute_node(name)?;
        let words: Vec<&str> = attribute.value().split_ascii_whitespace().collect();
        let numbers = words.iter().map(|w| w.parse::<f64>().ok().filter(|x| x.is_finite()));
        let numbers: Option<Vec<f64>> = numbers.collect();
        let found = numbers.and_then(|list| <[f64; N]>::try_from(list).ok());
        if found.is_none() {
            let wanted = if N == 1 { "a number".to_string() } else { format!("{N} numbers") };
            let message = format!("`{name}` is not {wanted}");
            let hint =
                if N == 1 { "such as 0.25 or 1e-3" } else { "separated by blanks, such as \"0 0.25 1e-3\"" };
            self.error("I0004", message, attribute.range_value(), &format!("expected {wanted}"), hint);
        }
        found
    }

    pub fn number(&self, node: Node, name: &str) -> Option<f64> {
        self.numbers::<1>(node, name).map(|[x]| x)
    }

    /// A number that has to be there.
    pub fn needed(&self, node: Node, name: &str) -> Option<f64> {
        self.text(node, name).and_then(|_| self.number(node, name))
    }

    /// A size, which is more than nothing.
    pub fn size(&self, node: Node, name: &str) -> Option<f64> {
        let size = self.needed(node, name)?;
        if size <= 0.0 {
            self.beyond(node, name, "has to be above 0");
        }
        Some(size)
    }

    /// A value that makes no sense.
    pub fn beyond(&self, node: Node, name: &str, rule: &str) {
        let range = node.attribute_node(name).map_or(head(node), |a| a.range_value());
        self.error(
            "I0010",
            format!("`{name}` {rule}"),
            range,
            "is out of range",
            "lengths are in m, masses in kg",
        );
    }
}

/// The first element of this name inside.
pub fn element<'n>(node: Node<'n, 'n>, tag: &str) -> Option<Node<'n, 'n>> {
    node.children().find(|n| n.is_element() && n.tag_name().name() == tag)
}

/// `<link` of an element: where it begins, without all that is in it.
pub fn head(node: Node) -> Range<usize> {
    let start = node.range().start;
    start..start + 1 + node.tag_name().name().len()
}

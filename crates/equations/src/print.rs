//! Expressions for people: plain text and LaTeX.
//!
//! Text reads back through the expression language. LaTeX keeps the user's names: `boom.p_a` becomes
//! p_{a} with the component in the index.

use crate::graph::Graph;
use crate::hash::Map;
use crate::node::{Binary, Expr, ExprNode, Symbol, TableId, Unary};

/// Binding strength, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Power,
    Atom,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PrintStyle {
    Text,
    Latex,
}

/// `name` gives a symbol's name in the wanted style.
pub fn print(graph: &Graph, e: Expr, style: PrintStyle, name: &dyn Fn(Symbol) -> String) -> String {
    Printer { graph, style, name }.show(e, Precedence::Or, 0)
}

/// Deeper than this, a term is abbreviated: it cannot be read, and the stack is finite.
const DEEPEST: usize = 200;

struct Printer<'a> {
    graph: &'a Graph,
    style: PrintStyle,
    name: &'a dyn Fn(Symbol) -> String,
}

impl Printer<'_> {
    fn show(&self, e: Expr, least: Precedence, depth: usize) -> String {
        if depth > DEEPEST {
            return "…".into();
        }
        let (text, level) = self.term(e, depth + 1);
        if level >= least { text } else { self.bracketed(&text) }
    }

    fn bracketed(&self, text: &str) -> String {
        match self.style {
            PrintStyle::Latex => format!(r"\left({text}\right)"),
            PrintStyle::Text => format!("({text})"),
        }
    }

    fn term(&self, e: Expr, depth: usize) -> (String, Precedence) {
        let latex = self.style == PrintStyle::Latex;
        match self.graph.node(e) {
            ExprNode::Const(v) => (self.number(v), if v < 0.0 { Precedence::Sum } else { Precedence::Atom }),
            ExprNode::Time => (if latex { "t".into() } else { "time".into() }, Precedence::Atom),
            ExprNode::Symbol(s) => ((self.name)(s), Precedence::Atom),
            ExprNode::Derivative(s) if latex => (format!(r"\dot{{{}}}", (self.name)(s)), Precedence::Atom),
            ExprNode::Derivative(s) => (format!("der({})", (self.name)(s)), Precedence::Atom),
            ExprNode::Unary(Unary::Neg, a) => {
                (format!("-{}", self.show(a, Precedence::Product, depth)), Precedence::Sum)
            }
            ExprNode::Unary(Unary::Not, a) => {
                let sign = if latex { r"\neg " } else { "not " };
                (format!("{sign}{}", self.show(a, Precedence::Unary, depth)), Precedence::Unary)
            }
            ExprNode::Unary(op, a) => self.function(op, a, depth),
            ExprNode::Binary(op, a, b) => self.binary(op, a, b, depth),
            ExprNode::Select(c, a, b) => {
                let (c, a, b) = (self.all(c, depth), self.all(a, depth), self.all(b, depth));
                if latex {
                    let text = format!(
                        r"\begin{{cases}} {a} & \text{{if }} {c} \\ {b} & \text{{otherwise}} \end{{cases}}"
                    );
                    (text, Precedence::Sum)
                } else {
                    (format!("if({c}, {a}, {b})"), Precedence::Atom)
                }
            }
            ExprNode::Holding(kind, a, b, c) => {
                let name = kind.name();
                let list = [a, b, c].map(|e| self.all(e, depth)).join(", ");
                let name = if latex { format!(r"\operatorname{{{name}}}") } else { name.to_string() };
                (format!("{name}({list})"), Precedence::Atom)
            }
            ExprNode::Table1(t, x, d) => {
                let name = self.table_name(t);
                (format!("{name}{}({})", "'".repeat(d as usize), self.all(x, depth)), Precedence::Atom)
            }
            ExprNode::Table2(t, x, y, dx, dy) => {
                let name = self.table_name(t);
                let d = if dx + dy > 0 { format!("_{dx}{dy}") } else { String::new() };
                (format!("{name}{d}({}, {})", self.all(x, depth), self.all(y, depth)), Precedence::Atom)
            }
        }
    }

    fn table_name(&self, id: TableId) -> String {
        let name = self.graph.table_name(id);
        if self.style == PrintStyle::Latex { latex_name(&name) } else { name }
    }

    fn all(&self, e: Expr, depth: usize) -> String {
        self.show(e, Precedence::Or, depth)
    }

    fn function(&self, op: Unary, a: Expr, depth: usize) -> (String, Precedence) {
        let inner = self.all(a, depth);
        let name = op.name().unwrap_or("?");
        let text = match (self.style, op) {
            (PrintStyle::Text, _) => format!("{name}({inner})"),
            (PrintStyle::Latex, Unary::Sqrt) => format!(r"\sqrt{{{inner}}}"),
            (PrintStyle::Latex, Unary::Abs) => format!(r"\left|{inner}\right|"),
            (PrintStyle::Latex, Unary::Floor) => format!(r"\lfloor {inner} \rfloor"),
            (PrintStyle::Latex, Unary::Ceil) => format!(r"\lceil {inner} \rceil"),
            (PrintStyle::Latex, Unary::Asin | Unary::Acos | Unary::Atan) => {
                format!(r"\arc{}\left({inner}\right)", &name[1..])
            }
            (PrintStyle::Latex, Unary::Sign) => format!(r"\operatorname{{sgn}}\left({inner}\right)"),
            (PrintStyle::Latex, Unary::Log10) => format!(r"\log_{{10}}\left({inner}\right)"),
            (PrintStyle::Latex, _) => format!(r"\{name}\left({inner}\right)"),
        };
        (text, Precedence::Atom)
    }

    fn binary(&self, op: Binary, a: Expr, b: Expr, depth: usize) -> (String, Precedence) {
        let latex = self.style == PrintStyle::Latex;
        let infix = |sign: &str, left: Precedence, right: Precedence, own: Precedence| {
            (format!("{}{sign}{}", self.show(a, left, depth), self.show(b, right, depth)), own)
        };
        let named = |name: &str| {
            (format!("{name}({}, {})", self.all(a, depth), self.all(b, depth)), Precedence::Atom)
        };
        match op {
            // Numbers stand last in a sum, with their own sign.
            Binary::Add if self.is_number(a) && !self.is_number(b) => self.binary(op, b, a, depth),
            Binary::Add
                if let ExprNode::Const(v) = self.graph.node(b)
                    && v < 0.0 =>
            {
                (format!("{} - {}", self.show(a, Precedence::Sum, depth), self.number(-v)), Precedence::Sum)
            }
            // A sum of sums needs no brackets, unless two signs would meet.
            Binary::Add => {
                let (left, right) =
                    (self.show(a, Precedence::Sum, depth), self.show(b, Precedence::Sum, depth));
                let right = if right.starts_with('-') { self.bracketed(&right) } else { right };
                (format!("{left} + {right}"), Precedence::Sum)
            }
            Binary::Sub => infix(" - ", Precedence::Sum, Precedence::Product, Precedence::Sum),
            Binary::Mul if self.powers(a).0 == self.powers(b).0 => {
                let (base, n) = self.powers(a);
                self.power(base, n + self.powers(b).1, depth)
            }
            // Numbers stand first in a product.
            Binary::Mul if self.is_number(b) && !self.is_number(a) => self.binary(op, b, a, depth),
            Binary::Mul if let ExprNode::Const(v) = self.graph.node(a) => {
                let sign = if latex { r"\," } else { "*" };
                let own = if v < 0.0 { Precedence::Sum } else { Precedence::Product };
                (format!("{}{sign}{}", self.number(v), self.show(b, Precedence::Product, depth)), own)
            }
            Binary::Mul if let Some(divisors) = self.divisors(b) => self.divided(a, &divisors, depth),
            Binary::Mul if let Some(divisors) = self.divisors(a) => self.divided(b, &divisors, depth),
            Binary::Mul => infix(
                if latex { r"\," } else { "*" },
                Precedence::Product,
                Precedence::Unary,
                Precedence::Product,
            ),
            Binary::Div if latex => {
                (format!(r"\frac{{{}}}{{{}}}", self.all(a, depth), self.all(b, depth)), Precedence::Product)
            }
            Binary::Div => infix("/", Precedence::Product, Precedence::Unary, Precedence::Product),
            Binary::Pow if latex => (
                format!("{{{}}}^{{{}}}", self.show(a, Precedence::Atom, depth), self.all(b, depth)),
                Precedence::Power,
            ),
            Binary::Pow => infix("^", Precedence::Atom, Precedence::Atom, Precedence::Power),
            // x > 1 rather than 1 < x.
            Binary::Lt if self.is_number(a) => (
                format!("{} > {}", self.show(b, Precedence::Sum, depth), self.all(a, depth)),
                Precedence::Relation,
            ),
            Binary::Le if self.is_number(a) => {
                let sign = if latex { r" \ge " } else { " >= " };
                (
                    format!("{}{sign}{}", self.show(b, Precedence::Sum, depth), self.all(a, depth)),
                    Precedence::Relation,
                )
            }
            Binary::Lt => infix(" < ", Precedence::Sum, Precedence::Sum, Precedence::Relation),
            Binary::Le => infix(
                if latex { r" \le " } else { " <= " },
                Precedence::Sum,
                Precedence::Sum,
                Precedence::Relation,
            ),
            Binary::Eq => infix(
                if latex { " = " } else { " == " },
                Precedence::Sum,
                Precedence::Sum,
                Precedence::Relation,
            ),
            Binary::Ne => infix(
                if latex { r" \ne " } else { " != " },
                Precedence::Sum,
                Precedence::Sum,
                Precedence::Relation,
            ),
            Binary::And => infix(
                if latex { r" \wedge " } else { " and " },
                Precedence::And,
                Precedence::Relation,
                Precedence::And,
            ),
            Binary::Or => {
                infix(if latex { r" \vee " } else { " or " }, Precedence::Or, Precedence::And, Precedence::Or)
            }
            Binary::Atan2 if latex => named(r"\operatorname{atan2}"),
            Binary::Atan2 => named("atan2"),
            Binary::Min => named(if latex { r"\min" } else { "min" }),
            Binary::Max => named(if latex { r"\max" } else { "max" }),
            Binary::Mod if latex => named(r"\operatorname{mod}"),
            Binary::Mod => named("mod"),
        }
    }

    fn is_number(&self, e: Expr) -> bool {
        matches!(self.graph.node(e), ExprNode::Const(_))
    }

    /// Base and exponent of a product of equal factors; anything else is its own first power.
    fn powers(&self, e: Expr) -> (Expr, usize) {
        match self.graph.node(e) {
            ExprNode::Binary(Binary::Mul, a, b) => {
                let (base, n) = self.powers(a);
                let (other, m) = if a == b { (base, n) } else { self.powers(b) };
                if base == other { (base, n + m) } else { (e, 1) }
            }
            _ => (e, 1),
        }
    }

    /// y, z of 1/y/z.
    fn divisors(&self, e: Expr) -> Option<Vec<Expr>> {
        let ExprNode::Binary(Binary::Div, a, b) = self.graph.node(e) else { return None };
        if self.graph.node(a) == ExprNode::Const(1.0) {
            return Some(vec![b]);
        }
        let mut inner = self.divisors(a)?;
        inner.push(b);
        Some(inner)
    }

    /// x · (1/y/z) reads x/y/z.
    fn divided(&self, x: Expr, divisors: &[Expr], depth: usize) -> (String, Precedence) {
        let below: Vec<String> = divisors.iter().map(|&d| self.show(d, Precedence::Unary, depth)).collect();
        let text = match self.style {
            PrintStyle::Latex => format!(r"\frac{{{}}}{{{}}}", self.all(x, depth), below.join(r"\,")),
            PrintStyle::Text => format!("{}/{}", self.show(x, Precedence::Product, depth), below.join("/")),
        };
        (text, Precedence::Product)
    }

    fn power(&self, base: Expr, n: usize, depth: usize) -> (String, Precedence) {
        let base = self.show(base, Precedence::Atom, depth);
        let text = if self.style == PrintStyle::Latex {
            format!("{{{base}}}^{{{n}}}")
        } else {
            format!("{base}^{n}")
        };
        (text, Precedence::Power)
    }

    fn number(&self, v: f64) -> String {
        let text = number(v);
        match (self.style, text.split_once('e')) {
            (PrintStyle::Latex, Some((mantissa, exponent))) => format!(r"{mantissa} \cdot 10^{{{exponent}}}"),
            _ => text,
        }
    }
}

/// Shortest text that reads back as the same number.
pub fn number(v: f64) -> String {
    let size = v.abs();
    if v == 0.0 || (1e-3..1e6).contains(&size) || !v.is_finite() { format!("{v}") } else { format!("{v:e}") }
}

/// A name for LaTeX: the last part is the symbol, what is before it goes into the index.
pub fn latex_name(name: &str) -> String {
    let (component, local) = name.rsplit_once('.').unwrap_or(("", name));
    let (letter, index) = local.split_once('_').unwrap_or((local, ""));
    let escape = |s: &str| s.replace('_', r"\_");
    let letter = match letter {
        "alpha" | "beta" | "gamma" | "delta" | "epsilon" | "theta" | "phi" | "psi" | "omega" | "rho"
        | "tau" | "mu" | "nu" | "lambda" | "sigma" | "eta" | "xi" | "zeta" => format!(r"\{letter}"),
        one if one.chars().count() == 1 => one.to_string(),
        word => format!(r"\mathit{{{word}}}"),
    };
    match (component, index) {
        ("", "") => letter,
        ("", index) => format!(r"{letter}_{{\mathrm{{{}}}}}", escape(index)),
        (component, "") => format!(r"{letter}_{{\mathrm{{{}}}}}", escape(component)),
        (component, index) => format!(r"{letter}_{{\mathrm{{{},{}}}}}", escape(index), escape(component)),
    }
}

/// Number of terms a reader would see: what is shared in the graph counts wherever it appears.
pub fn terms(graph: &Graph, e: Expr) -> u64 {
    let mut count: Map<Expr, u64> = Map::default();
    for x in graph.reachable([e]) {
        let inner = graph.node(x).children().fold(0_u64, |n, c| n.saturating_add(count[&c]));
        count.insert(x, inner.saturating_add(1));
    }
    count[&e]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(build: impl Fn(&Graph) -> Expr, text: &str, latex: &str) {
        let g = Graph::new();
        let e = build(&g);
        let names = ["x", "cyl.p_a", "m"];
        let plain = |s: Symbol| names[s.index()].to_string();
        assert_eq!(print(&g, e, PrintStyle::Text, &plain), text);
        assert_eq!(print(&g, e, PrintStyle::Latex, &|s| latex_name(&plain(s))), latex);
    }

    #[test]
    fn expressions_read_as_on_paper() {
        let s = |g: &Graph, i: u32| g.symbol(Symbol(i)).id;
        check(
            |g| {
                let (x, p, m) = (g.at(s(g, 0)), g.at(s(g, 1)), g.at(s(g, 2)));
                ((x - p) / m - (x - (p - m)) * x).id
            },
            "(x - cyl.p_a)/m - x*(x - (cyl.p_a - m))",
            r"\frac{x - p_{\mathrm{a,cyl}}}{m} - x\,\left(x - \left(p_{\mathrm{a,cyl}} - m\right)\right)",
        );
        check(|g| (g.at(s(g, 0)) * g.at(s(g, 0)) * 2.5e-9).id, "2.5e-9*x^2", r"2.5 \cdot 10^{-9}\,{x}^{2}");
        check(
            |g| (g.at(s(g, 0)) * g.at(s(g, 0)) * g.at(s(g, 0))).lt(g.at(s(g, 2))).id,
            "x^3 < m",
            "{x}^{3} < m",
        );
        check(|g| (-1.5 + g.at(s(g, 0))).id, "x - 1.5", "x - 1.5");
        check(
            |g| (g.at(s(g, 2)) * (-8.0 * g.at(s(g, 0)))).exp().id,
            "exp(-8*m*x)",
            r"\exp\left(-8\,m\,x\right)",
        );
        check(
            |g| (g.at(s(g, 0)) * (1.0 / g.at(s(g, 1)) / g.at(s(g, 2)))).id,
            "x/cyl.p_a/m",
            r"\frac{x}{p_{\mathrm{a,cyl}}\,m}",
        );
        check(
            |g| (g.at(s(g, 0)) + (g.at(s(g, 1)) - g.at(s(g, 2)))).id,
            "x + cyl.p_a - m",
            r"x + p_{\mathrm{a,cyl}} - m",
        );
        check(|g| g.constant(1.0).le(g.at(s(g, 0))).id, "x >= 1", r"x \ge 1");
    }

    #[test]
    fn terms_count_what_is_shared_again() {
        let g = Graph::new();
        let mut e = g.symbol(Symbol(0)).sin();
        for _ in 0..100 {
            e = (e + 1.0) * e;
        }
        assert_eq!(terms(&g, g.symbol(Symbol(0)).sin().id), 2);
        assert_eq!(terms(&g, e.id), u64::MAX);
    }
}

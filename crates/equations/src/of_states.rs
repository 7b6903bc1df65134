//! Functions of one continuous quantity that a long step may pass over.
//!
//! A shaft that turns evenly needs no short steps, a peak of sin(φ) does. They are recognised by their form:
//!
//!   angles      arguments of sin, cos and tan: a step is not to turn one by much
//!   functions   of one linear combination b of unknowns, f(b), that may have a peak between two values of b
//!   guards      that may cross zero and come back between two looks: f(b), and what min, max and |…| make of several of them, as
//!               "x > a and v < b"
//!
//! No peak is hidden where f is a polynomial or a root of one, a wave by itself (its angle is watched), or monotone: these are left out of the functions. Functions
//! of several quantities are looked at in their parts of one. Linear and monotone guards are left out: the ends of a step tell.

use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Symbol, Unary};

/// What only shows: functions as above that no equation and no guard reads, of time too.
#[derive(Clone, Debug, Default)]
pub struct OutputFunctions {
    /// Linear combinations of unknowns and time.
    pub bases: Vec<Expr>,
    /// Stand for the bases in `functions`.
    pub symbols: Vec<Symbol>,
    /// Number of b, f, and f as it stands in the outputs.
    pub functions: Vec<(usize, Expr, Expr)>,
}

impl OutputFunctions {
    /// All in `outputs`; `known` are nodes that are watched already.
    pub fn find(
        graph: &Graph,
        outputs: &[Expr],
        known: &[Expr],
        free: u32,
        leaf: impl Fn(ExprNode) -> Leaf,
    ) -> Self {
        let mut finder = FunctionFinder::new(graph, true);
        finder.look(outputs, &leaf);
        outputs.iter().for_each(|&e| finder.take(e));
        let mut found = finder.found;
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return OutputFunctions::default();
        }
        let by_time = |e: Expr| graph.node(e) == ExprNode::Time;
        let known: Set<Expr> = graph.reachable(known.iter().copied()).into_iter().collect();
        found.retain(|(base, f)| by_time(*base) || !known.contains(f));
        let mut of = OfStates::default();
        let mut functions = vec![];
        for (base, f) in found {
            let number = of.base(base, free);
            functions.push((number, of.put_in(graph, [number], f), f));
        }
        OutputFunctions { bases: of.bases, symbols: of.symbols, functions }
    }
}

#[derive(Clone, Debug, Default)]
pub struct OfStates {
    pub angles: Vec<Expr>,
    /// Linear combinations b.
    pub bases: Vec<Expr>,
    /// Stand for the bases in `functions`.
    pub symbols: Vec<Symbol>,
    /// Number of b, and f.
    pub functions: Vec<(usize, Expr)>,
    /// Number of the guard, and its value.
    pub guards: Vec<(usize, Expr)>,
}

/// A leaf of an expression.
pub enum Leaf {
    Constant,
    Time,
    /// Continuous along the curve of a step.
    Unknown,
    Other,
}

#[derive(Clone, Copy, PartialEq)]
enum FunctionShape {
    Constant,
    OfTime,
    /// A linear combination; of this unknown alone.
    Straight(Option<Expr>),
    Of(Expr, Smoothness),
    /// Of several quantities.
    Many,
}

#[derive(Clone, Copy, PartialEq)]
enum Smoothness {
    /// Polynomials, their roots, and waves.
    Smooth,
    Monotone,
    Narrow,
}

impl OfStates {
    /// All in `rows` and `guards`; symbols from `free` on are not used elsewhere.
    pub fn find(
        graph: &Graph,
        rows: &[Expr],
        guards: &[Expr],
        free: u32,
        leaf: impl Fn(ExprNode) -> Leaf,
    ) -> Self {
        let roots: Vec<Expr> = rows.iter().chain(guards).copied().collect();
        let mut finder = FunctionFinder::new(graph, false);
        finder.look(&roots, &leaf);
        rows.iter().for_each(|&e| finder.take(e));
        let mut bundles = vec![];
        for (number, &guard) in guards.iter().enumerate() {
            let mut parts = Set::default();
            let plain = matches!(
                finder.shapes[&guard],
                FunctionShape::Straight(_) | FunctionShape::Of(_, Smoothness::Monotone)
            );
            if !plain && finder.gather(guard, &mut parts) {
                bundles.push((number, guard, parts));
            }
        }
        let FunctionFinder { mut found, angles, .. } = finder;
        found.sort_unstable();
        found.dedup();
        let mut angles: Vec<Expr> = angles.into_iter().collect();
        angles.sort_unstable();
        let mut of = OfStates { angles, ..OfStates::default() };
        for (base, f) in found {
            let number = of.base(base, free);
            let f = of.put_in(graph, [number], f);
            of.functions.push((number, f));
        }
        for (guard, e, parts) in bundles {
            let mut parts: Vec<Expr> = parts.into_iter().collect();
            parts.sort_unstable();
            let numbers: Vec<usize> = parts.into_iter().map(|part| of.base(part, free)).collect();
            let e = of.put_in(graph, numbers, e);
            of.guards.push((guard, e));
        }
        of
    }

    /// Number of a base.
    fn base(&mut self, e: Expr, free: u32) -> usize {
        self.bases.iter().position(|&b| b == e).unwrap_or_else(|| {
            self.symbols.push(Symbol(free + self.bases.len() as u32));
            self.bases.push(e);
            self.bases.len() - 1
        })
    }

    /// Symbols instead of bases in e.
    fn put_in(&self, graph: &Graph, bases: impl IntoIterator<Item = usize>, e: Expr) -> Expr {
        let symbol = |b: usize| (self.bases[b], graph.symbol(self.symbols[b]).id);
        graph.replace(&[e], &mut bases.into_iter().map(symbol).collect())[0]
    }
}

struct FunctionFinder<'g> {
    graph: &'g Graph,
    shapes: Map<Expr, FunctionShape>,
    /// Base and function.
    found: Vec<(Expr, Expr)>,
    angles: Set<Expr>,
    /// Waves and kinks count as narrow: nothing else watches them.
    shows: bool,
}

impl<'g> FunctionFinder<'g> {
    fn new(graph: &'g Graph, shows: bool) -> Self {
        FunctionFinder { graph, shapes: Map::default(), found: vec![], angles: Set::default(), shows }
    }

    fn look(&mut self, roots: &[Expr], leaf: &impl Fn(ExprNode) -> Leaf) {
        for e in self.graph.reachable(roots.iter().copied()) {
            let shape = self.shape(e, leaf);
            self.shapes.insert(e, shape);
        }
    }

    /// What a function of several quantities reads.
    fn take(&mut self, e: Expr) {
        if let FunctionShape::Of(base, Smoothness::Narrow) = self.shapes[&e] {
            self.found.push((base, e));
        }
    }

    /// The quantities that a guard consists of; false: it is none of those looked at.
    fn gather(&self, e: Expr, parts: &mut Set<Expr>) -> bool {
        let node = self.graph.node(e);
        match (self.shapes[&e], node) {
            (FunctionShape::Constant, _) => true,
            (FunctionShape::OfTime, _) => {
                parts.insert(e);
                true
            }
            (FunctionShape::Straight(of), _) => {
                parts.insert(of.unwrap_or(e));
                true
            }
            (FunctionShape::Of(base, _), _) => {
                parts.insert(base);
                true
            }
            (FunctionShape::Many, ExprNode::Unary(Unary::Neg | Unary::Abs, _)) => {
                self.gather_all(node, parts)
            }
            (FunctionShape::Many, ExprNode::Binary(op, ..)) => {
                let joins = matches!(op, Binary::Min | Binary::Max | Binary::Add | Binary::Sub | Binary::Mul);
                joins && self.gather_all(node, parts)
            }
            (FunctionShape::Many, ExprNode::Select(c, ..)) if self.shapes[&c] == FunctionShape::Constant => {
                self.gather_all(node, parts)
            }
            _ => false,
        }
    }

    fn gather_all(&self, node: ExprNode, parts: &mut Set<Expr>) -> bool {
        node.children().all(|c| self.gather(c, parts))
    }

    /// The quantity that it is a function of, and its form; a constant has none.
    fn of(&self, e: Expr) -> Option<(Expr, Option<Smoothness>)> {
        match self.shapes[&e] {
            FunctionShape::Straight(Some(unknown)) => Some((unknown, None)),
            FunctionShape::Straight(None) => Some((e, None)),
            FunctionShape::Of(base, form) => Some((base, Some(form))),
            _ => None,
        }
    }

    fn shape(&mut self, e: Expr, leaf: &impl Fn(ExprNode) -> Leaf) -> FunctionShape {
        let node = self.graph.node(e);
        let children: Vec<Expr> = node.children().collect();
        if children.is_empty() {
            return match (node, leaf(node)) {
                (ExprNode::Const(_), _) | (_, Leaf::Constant) => FunctionShape::Constant,
                (_, Leaf::Time) => FunctionShape::OfTime,
                (_, Leaf::Unknown) => FunctionShape::Straight(Some(e)),
                (_, Leaf::Other) => FunctionShape::Many,
            };
        }
        let shapes: Vec<FunctionShape> = children.iter().map(|c| self.shapes[c]).collect();
        let all = |of: &[FunctionShape]| shapes.iter().all(|s| of.contains(s));
        if all(&[FunctionShape::Constant]) {
            return FunctionShape::Constant;
        }
        if all(&[FunctionShape::Constant, FunctionShape::OfTime]) {
            return FunctionShape::OfTime;
        }
        if let ExprNode::Unary(Unary::Sin | Unary::Cos | Unary::Tan, a) = node {
            self.angles.insert(a);
        }
        if let Some(straight) = self.straight(node) {
            return straight;
        }
        let constant = |c: &Expr| self.shapes[c] == FunctionShape::Constant;
        let of: Vec<_> = children.iter().filter(|c| !constant(c)).map(|&c| self.of(c)).collect();
        let base = of.first().and_then(|of| Some(of.as_ref()?.0));
        let one = base.filter(|b| of.iter().all(|of| of.is_some_and(|of| of.0 == *b)));
        let Some(base) = one else {
            children.into_iter().for_each(|c| self.take(c));
            return FunctionShape::Many;
        };
        let forms: Vec<Option<Smoothness>> = of.iter().flatten().map(|of| of.1).collect();
        FunctionShape::Of(base, self.form(node, &forms, children.len() - forms.len()))
    }

    /// A linear combination of linear combinations.
    fn straight(&self, node: ExprNode) -> Option<FunctionShape> {
        let straight = |e: Expr| match self.shapes[&e] {
            FunctionShape::Straight(of) => Some(of),
            _ => None,
        };
        let constant = |e: Expr| self.shapes[&e] == FunctionShape::Constant;
        let of = match node {
            ExprNode::Unary(Unary::Neg, a) => straight(a)?,
            ExprNode::Binary(Binary::Add | Binary::Sub | Binary::Mul, a, b) if constant(a) => straight(b)?,
            ExprNode::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, a, b) if constant(b) => {
                straight(a)?
            }
            ExprNode::Binary(Binary::Add | Binary::Sub, a, b) => {
                let (a, b) = (straight(a)?, straight(b)?);
                a.filter(|_| a == b)
            }
            _ => return None,
        };
        Some(FunctionShape::Straight(of))
    }

    fn is_straight(&self, e: Expr) -> bool {
        matches!(self.shapes[&e], FunctionShape::Straight(_))
    }

    fn is_root(&self, e: Expr) -> bool {
        match self.graph.node(e) {
            ExprNode::Unary(Unary::Sqrt, _) => true,
            ExprNode::Binary(Binary::Pow, _, p) => {
                self.graph.at(p).value().is_some_and(|p| p > 0.0 && p <= 0.5)
            }
            _ => false,
        }
    }

    /// Of a node whose operands are all of one quantity; None: linear. `constants` of them are constant.
    fn form(&self, node: ExprNode, forms: &[Option<Smoothness>], constants: usize) -> Smoothness {
        let smooth = forms.iter().all(|f| matches!(f, None | Some(Smoothness::Smooth)));
        let monotone = forms.len() == 1 && matches!(forms[0], None | Some(Smoothness::Monotone));
        let bends = |safe: bool| if safe { Smoothness::Monotone } else { Smoothness::Narrow };
        match node {
            ExprNode::Unary(Unary::Neg, _) => forms[0].unwrap_or(Smoothness::Smooth),
            ExprNode::Unary(Unary::Sin | Unary::Cos | Unary::Tan | Unary::Abs, _)
                if forms[0].is_none() && !self.shows =>
            {
                Smoothness::Smooth
            }
            ExprNode::Unary(Unary::Sin | Unary::Cos | Unary::Tan | Unary::Abs | Unary::Cosh, _) => {
                Smoothness::Narrow
            }
            ExprNode::Unary(Unary::Sqrt, _) if smooth && !monotone => Smoothness::Smooth,
            ExprNode::Unary(..) => bends(monotone),
            ExprNode::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => match forms {
                [Some(form)] => *form,
                _ if smooth => Smoothness::Smooth,
                _ => Smoothness::Narrow,
            },
            ExprNode::Binary(Binary::Div, _, b) if self.shapes[&b] == FunctionShape::Constant => {
                forms[0].unwrap_or(Smoothness::Smooth)
            }
            ExprNode::Binary(Binary::Pow, _, p) => match self.graph.at(p).value() {
                Some(p) if (0.0..=1.0).contains(&p) && smooth && !monotone => Smoothness::Smooth,
                Some(p) if p.fract() == 0.0 && (0.0..=4.0).contains(&p) && smooth => Smoothness::Smooth,
                _ => bends(monotone),
            },
            // A rounded sign, an odd power.
            ExprNode::Binary(Binary::Div, a, b) if self.is_straight(a) && smooth && self.is_root(b) => {
                Smoothness::Monotone
            }
            ExprNode::Binary(Binary::Div | Binary::Min | Binary::Max, ..) => bends(monotone),
            // By a mode.
            ExprNode::Select(c, ..) if self.shapes[&c] == FunctionShape::Constant => match forms {
                [form] if constants == 2 => form.unwrap_or(Smoothness::Smooth),
                _ if smooth => Smoothness::Smooth,
                _ => Smoothness::Narrow,
            },
            _ => Smoothness::Narrow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_told_by_form() {
        let g = Graph::new();
        let (x, y, c) = (g.symbol(Symbol(0)), g.symbol(Symbol(1)), g.symbol(Symbol(2)));
        let leaf = |node: ExprNode| match node {
            ExprNode::Symbol(Symbol(2)) => Leaf::Constant,
            ExprNode::Symbol(_) => Leaf::Unknown,
            ExprNode::Time => Leaf::Time,
            _ => Leaf::Other,
        };
        let bell = (-(x - 5.0) * (x - 5.0)).exp();
        let cases = [
            (x * x * c + x, 0, 0),
            ((8.0 * x - 1.0).sin() * c, 1, 0),
            ((c * x).exp(), 0, 0),
            (bell, 0, 1),
            (bell * y, 0, 1),
            (bell * y.tanh() + (x - y).sin(), 1, 1),
            (x / (1.0 + x * x), 0, 1),
            (x * (-x).exp(), 0, 1),
            ((1000.0 * (x.sin() - 1.0)).exp(), 1, 1),
            ((x - y).sin() * (x + c * y).cos(), 2, 0),
            (g.time().sin() * x, 0, 0),
        ];
        for (k, (e, angles, functions)) in cases.into_iter().enumerate() {
            let found = OfStates::find(&g, &[e.id], &[], 10, leaf);
            assert_eq!((found.angles.len(), found.functions.len()), (angles, functions), "case {k}");
        }
        let shown = [
            ((x - 4.0) * x, 0),
            ((x - 4.0).abs() * y, 1),
            (bell * g.time().sin(), 2),
            ((x * y).sin() + c.sin(), 0),
            ((g.time() - x).abs(), 1),
        ];
        for (k, (e, functions)) in shown.into_iter().enumerate() {
            let time_too = |node: ExprNode| if node == ExprNode::Time { Leaf::Unknown } else { leaf(node) };
            let found = OutputFunctions::find(&g, &[e.id], &[], 10, time_too);
            assert_eq!(found.functions.len(), functions, "shown {k}");
            assert!(
                OutputFunctions::find(&g, &[e.id], &[bell.id, (x - 4.0).abs().id], 10, time_too)
                    .functions
                    .len()
                    <= functions
            );
        }
        let guards = [
            (x - 4.0, 0),
            (x - y, 0),
            ((x - 4.0).min(c - x), 1),
            ((x - 4.0).min(c - y), 2),
            (bell - 0.5, 1),
            ((x - y).abs() - c, 1),
            (x * y - 1.0, 2),
            ((x * y).sin(), 0),
            (g.time().min(x), 2),
        ];
        for (k, (e, bases)) in guards.into_iter().enumerate() {
            let found = OfStates::find(&g, &[], &[e.id], 10, leaf);
            assert_eq!((found.guards.len(), found.bases.len()), (usize::from(bases > 0), bases), "guard {k}");
        }
    }
}

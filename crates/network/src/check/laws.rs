//! What the laws of elements say, at sampled values.
//!
//!   R:  Σ e_k f_k ≥ 0                           whatever else its law depends on                          (1)
//!   R:  f(e(f)) = f,   C:  q(e(q)) = q,   I:  p(f(p)) = p,   and the other way round                      (2)
//!
//! (2) holds to 1e-9 of the value, plus what rounding makes of it: 64 ε |y| / |dy/dx|.

use std::collections::HashMap;

use trunnion_equations::derivative::derivative;
use trunnion_equations::flat::{Flat, QuantityRole as QuantityKind};
use trunnion_equations::start::{evaluate, start_values};
use trunnion_equations::{Expr, ExprNode as Term, Symbol};
use trunnion_model::network::{BondNode, BondNodeKind};
use trunnion_model::{Diagnostic, Model};

use super::IT;

/// What was found, and whether there was anything to look at.
#[derive(Debug, Default)]
pub struct Laws {
    pub causality: Option<Vec<Diagnostic>>,
    pub losses: Option<Vec<Diagnostic>>,
}

/// Checks the elements of the component on the bench; those of components inside it have their own file.
pub fn laws(model: &Model) -> Laws {
    let sampler = Sampler::new(&model.flat);
    let mut found = Laws::default();
    for node in model.network.nodes.iter().filter(|n| n.origin.component == IT && !n.connection) {
        let letters = match node.kind {
            BondNodeKind::C => ["q", "e"],
            BondNodeKind::I => ["p", "f"],
            BondNodeKind::R => ["f", "e"],
            _ => continue,
        };
        let law = &node.law;
        let [x, y] = if node.kind == BondNodeKind::R {
            letters.map(|letter| sampler.own(node, letter))
        } else {
            [law.states.clone(), sampler.own(node, letters[1])]
        };
        let (forward, back) = match node.kind {
            BondNodeKind::C => (&law.effort, &law.stored),
            BondNodeKind::I => (&law.flow, &law.stored),
            _ => (&law.effort, &law.flow),
        };
        let sides = [LawForm { from: &x, to: &y, law: forward }, LawForm { from: &y, to: &x, law: back }];
        let place = |error: Diagnostic, label: &str| error.at_origin(&model.sources, &node.origin, label);
        if node.kind == BondNodeKind::R {
            let wrong = sides.iter().find_map(|side| sampler.gain(side));
            let losses = found.losses.get_or_insert_default();
            losses.extend(wrong.map(|w| place(w.gains(node), "this loss").hint(GAINS)));
        }
        if !forward.is_empty() && !back.is_empty() {
            let wrong = sampler.disagreement(&sides).or_else(|| sampler.disagreement(&[sides[1], sides[0]]));
            let causality = found.causality.get_or_insert_default();
            causality.extend(wrong.map(|w| place(w.disagrees(node), "these laws").hint(DISAGREES)));
        }
    }
    found
}

const GAINS: &str =
    "a loss has e·f ≥ 0 whatever its signals are: limit them with max(…, 0), or take a source, SE or SF";
const DISAGREES: &str = "make one the inverse of the other, or leave one out: it is then solved numerically";

/// One form of a law.
#[derive(Clone, Copy)]
struct LawForm<'a> {
    from: &'a [Symbol],
    to: &'a [Symbol],
    law: &'a [Expr],
}

/// Values at which a law is wrong: names with values, in SI.
struct LawViolation {
    at: Vec<(String, f64)>,
    result: f64,
}

impl LawViolation {
    fn list(&self) -> String {
        let each = self.at.iter().map(|(name, value)| format!("{name} = {value:.4e}"));
        each.collect::<Vec<_>>().join(", ")
    }

    fn gains(&self, node: &BondNode) -> Diagnostic {
        let name = short(&node.name);
        let message = format!("the loss `{name}` gives {:.3e} W with {}", -self.result, self.list());
        Diagnostic::error("C0003", message)
    }

    fn disagrees(&self, node: &BondNode) -> Diagnostic {
        let name = short(&node.name);
        let message = format!(
            "the laws of `{name}` disagree: from {} there and back gives {:.6e}",
            self.list(),
            self.result
        );
        Diagnostic::error("C0004", message)
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix(IT).and_then(|n| n.strip_prefix('.')).unwrap_or(name)
}

/// Nothing is sampled nearer to zero than this part of the typical size, or further than its inverse root.
const SMALLEST: i32 = -6;
const LARGEST: i32 = 2;
/// Draws of what else a law depends on, for each value of its own.
const DRAWS: usize = 12;
/// Energy that may be rounding: this part of typical effort times typical flow.
const ROUNDING: f64 = 1e-9;
/// How far a definition may lead through others.
const DEEPEST: usize = 16;

struct Sampler<'a> {
    flat: &'a Flat,
    /// Parameters, and start values of the rest.
    start: Vec<f64>,
    /// Variables of the component that an equation gives.
    definitions: HashMap<Symbol, Expr>,
}

impl<'a> Sampler<'a> {
    fn new(flat: &'a Flat) -> Self {
        let start = start_values(&flat.graph, &flat.quantities, &HashMap::new());
        let inside = |s: Symbol| {
            let q = flat.quantity(s);
            q.name.starts_with("it.")
                && q.origin.component == IT
                && matches!(q.kind, QuantityKind::Unknown { .. })
        };
        let mut definitions = HashMap::new();
        for equation in flat.equations.iter().filter(|e| e.origin.component == IT) {
            if let Term::Symbol(s) = flat.graph.node(equation.lhs)
                && inside(s)
            {
                definitions.entry(s).or_insert(equation.rhs);
            }
        }
        Sampler { flat, start, definitions }
    }

    /// The variables of an element: `e` of a one-port, `e1`, `e2`, … of a field.
    fn own(&self, node: &BondNode, letter: &str) -> Vec<Symbol> {
        let find = |number: &str| self.flat.find(&format!("{}.{letter}{number}", node.name));
        match find("") {
            Some(one) => vec![one],
            None => (1..).map_while(|k: usize| find(&k.to_string())).collect(),
        }
    }

    fn size(&self, s: Symbol) -> f64 {
        self.flat.quantity(s).nominal.map(|n| n.size).filter(|n| n.is_normal()).unwrap_or(1.0)
    }

    /// The law in terms of its own variables and of what nothing in the component defines.
    fn resolved(&self, side: &LawForm<'_>) -> Vec<Expr> {
        let g = &self.flat.graph;
        let mut law = side.law.to_vec();
        for _ in 0..DEEPEST {
            let next = g.rewrite(&law, |term| match term {
                Term::Symbol(s) if !side.from.contains(&s) && !side.to.contains(&s) => {
                    self.definitions.get(&s).copied()
                }
                // Some instant.
                Term::Time => Some(g.constant(0.3).id),
                _ => None,
            });
            if next == law {
                break;
            }
            law = next;
        }
        law
    }

    /// What else the law depends on, other than parameters.
    fn others(&self, law: &[Expr], own: &[Symbol]) -> Vec<Symbol> {
        let g = &self.flat.graph;
        let changing = |e: &Expr| match g.node(*e) {
            Term::Symbol(s) if !own.contains(&s) => Some(s),
            _ => None,
        };
        let all = g.reachable(law.iter().copied());
        let is_parameter = |s: &Symbol| matches!(self.flat.quantity(*s).kind, QuantityKind::Parameter { .. });
        all.iter().filter_map(changing).filter(|s| !is_parameter(s)).collect()
    }

    /// Value number k of something not the law's own: a mode is 0 or 1, the rest spreads over signs and sizes.
    fn draw(&self, s: Symbol, k: usize) -> f64 {
        // Fractions of the golden ratio cover the interval evenly.
        let spread = ((k + 7 * s.index()) as f64 * 0.618_033_988_749_895).fract();
        match self.flat.quantity(s).kind {
            QuantityKind::Mode { .. } => (k % 2) as f64,
            _ => {
                let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
                sign * self.size(s) * 10f64.powf(-3.0 + 6.0 * spread)
            }
        }
    }

    /// Every point at which a form is looked at: values of its own variables and of the others.
    fn points(&self, side: &LawForm<'_>, law: &[Expr]) -> Vec<HashMap<Symbol, f64>> {
        let own: Vec<Symbol> = side.from.iter().chain(side.to).copied().collect();
        let others = self.others(law, &own);
        let draws = if others.is_empty() && side.from.len() == 1 { 1 } else { DRAWS };
        let mut factors = vec![0.0];
        for k in SMALLEST * 2..=LARGEST * 2 {
            let size = 10f64.powf(f64::from(k) / 2.0);
            factors.extend([size, -size]);
        }
        let mut points = vec![];
        for (i, factor) in factors.iter().enumerate() {
            for k in 0..draws {
                let mut point: HashMap<Symbol, f64> =
                    others.iter().map(|&s| (s, self.draw(s, i * draws + k))).collect();
                for (n, &s) in side.from.iter().enumerate() {
                    let value = if n == 0 { factor * self.size(s) } else { self.draw(s, i * draws + k + n) };
                    point.insert(s, self.start_of(s) + value);
                }
                points.push(point);
            }
        }
        points
    }

    /// Stores are looked at around their start, losses around zero.
    fn start_of(&self, s: Symbol) -> f64 {
        let value = self.start[s.index()];
        let own = &self.flat.quantity(s).name;
        let is_state = !own.ends_with(".e") && !own.ends_with(".f");
        if value.is_finite() && is_state { value } else { 0.0 }
    }

    fn value(&self, e: Expr, point: &HashMap<Symbol, f64>) -> f64 {
        evaluate(&self.flat.graph, e, |s| point.get(&s).copied().unwrap_or(self.start[s.index()]))
    }

    /// Where a loss gives energy. (1)
    fn gain(&self, side: &LawForm<'_>) -> Option<LawViolation> {
        let law = self.resolved(side);
        let limit: f64 = side.from.iter().zip(side.to).map(|(&x, &y)| self.size(x) * self.size(y)).sum();
        for point in self.points(side, &law) {
            let part = |(&e, s): (&Expr, &Symbol)| point[s] * self.value(e, &point);
            let power: f64 = law.iter().zip(side.from).map(part).sum();
            if power < -ROUNDING * limit {
                return Some(LawViolation { at: self.named(&point), result: power });
            }
        }
        None
    }

    fn named(&self, point: &HashMap<Symbol, f64>) -> Vec<(String, f64)> {
        let name = |s: Symbol| format!("`{}`", short(&self.flat.quantity(s).name));
        let mut list: Vec<(String, f64)> = point.iter().map(|(&s, &v)| (name(s), v)).collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    }

    /// Where going there and back does not lead to the same place. (2)
    fn disagreement(&self, sides: &[LawForm<'_>; 2]) -> Option<LawViolation> {
        let [there, back] = sides;
        let (law, inverse) = (self.resolved(there), self.resolved(back));
        let all: Vec<Expr> = law.iter().chain(&inverse).copied().collect();
        for point in self.points(there, &all) {
            let results: Vec<f64> = law.iter().map(|&e| self.value(e, &point)).collect();
            if results.iter().any(|y| !y.is_finite()) {
                continue;
            }
            // What else both forms depend on keeps its value.
            let mut answer = point.clone();
            answer.extend(there.to.iter().copied().zip(results.iter().copied()));
            for (k, (&e, s)) in inverse.iter().zip(there.from).enumerate() {
                let (x, again) = (point[s], self.value(e, &answer));
                let slope = self.slope(law[k], *s, &point).abs();
                let rounding = if slope > 0.0 { 64.0 * f64::EPSILON * results[k].abs() / slope } else { 0.0 };
                let near = (again - x).abs() <= 1e-9 * (x.abs() + 1e-6 * self.size(*s)) + rounding;
                // Outside what the other form can give there is nothing to compare.
                let outside = !again.is_finite() && there.law.len() > 1;
                if !near && !outside {
                    return Some(LawViolation { at: self.named(&point), result: again });
                }
            }
        }
        None
    }

    fn slope(&self, e: Expr, by: Symbol, point: &HashMap<Symbol, f64>) -> f64 {
        let g = &self.flat.graph;
        self.value(derivative(g.at(e), Term::Symbol(by)).id, point)
    }
}

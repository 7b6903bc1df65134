//! Expressions of families: `#` in a name stands for the numbers 1 … n.
//!
//!   sum(k#*u#)        k1 u1 + … + kn un; `product`, `min` and `max` alike                        (1)
//!   count(u#)         n                                                                          (2)
//!   last(x#)          xn                                                                         (3)
//!   next(x#, e)       x(k+1), at k = n the expression e; without e the text ends before n        (4)
//!   previous(x#, e)   x(k−1), at k = 1 the expression e; without e the text begins after 1       (5)
//!   #                 k itself
//!
//! Inside (1) `#` is the number of the member. A name with two `#`, as `A#_#` in a matrix, takes the number of the
//! text around it first.

use std::cell::Cell;
use std::rc::Rc;

use super::ast::{Ast, AstKind, ChainOperator};

/// How many names and nodes may still be made. Sums inside sums would otherwise grow without end.
#[derive(Clone, Debug)]
pub struct Allowance(Rc<Cell<usize>>);

impl Allowance {
    pub fn new(most: usize) -> Self {
        Allowance(Rc::new(Cell::new(most)))
    }

    pub(crate) fn exhaust(&self) {
        self.0.set(0);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    fn spend(&self, cost: usize) -> Option<()> {
        self.0.set(self.0.get().saturating_sub(cost));
        (!self.is_spent()).then_some(())
    }
}

/// The number of members, and the number of the text and of the sums around a place, innermost last.
#[derive(Clone, Debug)]
pub struct FamilyNumber {
    pub count: usize,
    at: Vec<usize>,
    allowance: Allowance,
    /// `#+1` may name a member of a longer family.
    open: bool,
}

/// In a path the last member, at whatever number: `cell#last`.
pub const LAST: &str = "#last";

/// What joins the members of a family in one expression.
fn folds(function: &str) -> bool {
    matches!(function, "sum" | "product" | "min" | "max" | "count" | "last")
}

/// Whether the text of an expression is repeated for each number: some `#` is not inside a sum or the like.
pub fn repeats(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Number(..) => false,
        AstKind::Name(name) => name.contains('#'),
        AstKind::Negate(a) | AstKind::Not(a) => repeats(a),
        AstKind::Power(a, b) => repeats(a) || repeats(b),
        AstKind::If(a, b, c) => repeats(a) || repeats(b) || repeats(c),
        AstKind::Call(name, _, arguments) => {
            name.contains('#') || !folds(name) && arguments.iter().any(repeats)
        }
        AstKind::Chain(first, rest) => repeats(first) || rest.iter().any(|(_, a)| repeats(a)),
    }
}

impl FamilyNumber {
    /// Outside any repeated text.
    pub fn none(count: usize, allowance: &Allowance) -> Self {
        FamilyNumber { count, at: vec![], allowance: allowance.clone(), open: false }
    }

    /// The same where a neighbour need not be of the same family.
    pub fn open(count: usize, allowance: &Allowance) -> Self {
        FamilyNumber { open: true, ..Self::none(count, allowance) }
    }

    /// Inside the text or sum number `k`.
    pub fn inside(&self, k: usize) -> Self {
        let mut inner = self.clone();
        inner.at.push(k);
        inner
    }

    /// 1 … n, each inside this one.
    pub fn members(&self) -> impl Iterator<Item = FamilyNumber> + '_ {
        (1..=self.count).take_while(|_| !self.allowance.is_spent()).map(|k| self.inside(k))
    }

    /// Whether a text with `#` is inside a repetition already.
    pub(crate) fn is_set(&self) -> bool {
        !self.at.is_empty()
    }

    /// The same with another number in the innermost place.
    fn moved(&self, by: isize) -> Option<Self> {
        let (last, outer) = self.at.split_last()?;
        let k = last.checked_add_signed(by).filter(|k| (1..=self.count).contains(k))?;
        Some(FamilyNumber { at: [outer, &[k]].concat(), ..self.clone() })
    }

    /// A name with its numbers; None if `#+1` or `#-1` leads out of the family.
    pub fn name(&self, name: &str) -> Option<String> {
        // Names are of ports and parameters, which are larger than a node.
        self.allowance.spend(10)?;
        let name = name.replace(LAST, &self.count.to_string());
        let holes = name.matches('#').count();
        if holes == 0 || self.at.is_empty() {
            return Some(name);
        }
        let mut parts = name.split('#');
        let mut made = parts.next().unwrap_or("").to_string();
        for (hole, part) in parts.enumerate() {
            // With fewer numbers than `#`, the first ones are the same.
            let level = (self.at.len() + hole).saturating_sub(holes);
            let (by, part) = match (part.strip_prefix("+1"), part.strip_prefix("-1")) {
                (Some(rest), _) => (1, rest),
                (_, Some(rest)) => (-1, rest),
                _ => (0, part),
            };
            let k = self.at[level].checked_add_signed(by);
            let k = k.filter(|&k| k >= 1 && (self.open || k <= self.count))?;
            made += &format!("{k}{part}");
        }
        Some(made)
    }

    /// An expression with its numbers; None if it is left out at this number.
    pub fn expression(&self, ast: &Ast) -> Option<Ast> {
        self.allowance.spend(1)?;
        let inner = |a: &Ast| self.expression(a).map(Box::new);
        let kind = match &ast.kind {
            AstKind::Number(number, unit) => AstKind::Number(*number, unit.clone()),
            AstKind::Name(name) if name == "#" => match self.at.last() {
                Some(&k) => AstKind::Number(k as f64, None),
                None => AstKind::Name(name.clone()),
            },
            // `#+1` is for paths; in a name of an expression no sign can follow.
            AstKind::Name(name) => AstKind::Name(self.name(name)?),
            AstKind::Negate(a) => AstKind::Negate(inner(a)?),
            AstKind::Not(a) => AstKind::Not(inner(a)?),
            AstKind::Power(a, b) => AstKind::Power(inner(a)?, inner(b)?),
            AstKind::If(a, b, c) => AstKind::If(inner(a)?, inner(b)?, inner(c)?),
            AstKind::Chain(first, rest) => {
                let rest: Option<Vec<_>> =
                    rest.iter().map(|(operator, a)| Some((*operator, self.expression(a)?))).collect();
                AstKind::Chain(inner(first)?, rest?)
            }
            AstKind::Call(name, place, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("next" | "previous", [member, end @ ..]) if end.len() < 2 && repeats(member) => {
                    let by = if name == "next" { 1 } else { -1 };
                    return match (self.moved(by), end) {
                        (Some(moved), _) => moved.expression(member), // (4), (5)
                        (None, [end]) => self.expression(end),
                        (None, _) => None,
                    };
                }
                (fold, members) if folds(fold) && members.iter().any(repeats) => {
                    return self.fold(fold, ast, members);
                }
                _ => {
                    let arguments: Option<Vec<Ast>> = arguments.iter().map(|a| self.expression(a)).collect();
                    AstKind::Call(self.name(name)?, place.clone(), arguments?)
                }
            },
        };
        Some(Ast { kind, span: ast.span.clone() })
    }

    /// A function of all members.
    fn fold(&self, function: &str, ast: &Ast, arguments: &[Ast]) -> Option<Ast> {
        let at = |kind| Some(Ast { kind, span: ast.span.clone() });
        if function == "count" {
            return at(AstKind::Number(self.count as f64, None)); // (2)
        }
        if function == "last" {
            return self.inside(self.count).expression(&arguments[0]); // (3)
        }
        let mut members = vec![];
        for argument in arguments {
            if repeats(argument) {
                members.extend(self.members().filter_map(|number| number.expression(argument)));
            } else {
                members.push(self.expression(argument)?);
            }
        }
        let operator = match function {
            "sum" => ChainOperator::Add,
            "product" => ChainOperator::Multiply,
            _ => {
                let AstKind::Call(_, place, _) = &ast.kind else { return None };
                return at(AstKind::Call(function.into(), place.clone(), members));
            }
        };
        self.allowance.spend(1)?;
        let mut members = members.into_iter();
        let first = members.next()?;
        let rest: Vec<_> = members.map(|member| (operator, member)).collect();
        if rest.is_empty() { Some(first) } else { at(AstKind::Chain(Box::new(first), rest)) } // (1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::parse_expression;

    /// The expression at number `k` of three.
    fn check(text: &str, k: usize, expected: Option<&str>) {
        let ast = parse_expression(text).unwrap();
        let found =
            FamilyNumber::none(3, &Allowance::new(1000)).inside(k).expression(&ast).map(|a| a.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn names_take_numbers() {
        check("k#*u#.v + x", 2, Some("k2 * u2.v + x"));
        check("A#_#*#", 2, Some("A2_2 * 2"));
        check("sum(s#*u#)", 1, Some("s1 * u1 + s2 * u2 + s3 * u3"));
        check("2^sum(u#)", 1, Some("2^(u1 + u2 + u3)"));
        check("x/product(u# + 1)", 1, Some("x / ((u1 + 1) * (u2 + 1) * (u3 + 1))"));
        check("min(u#, 4)", 1, Some("min(u1, u2, u3, 4)"));
        check("max(u#)/count(u#)", 1, Some("max(u1, u2, u3) / 3"));
        check("sum(A#_#*x#)", 2, Some("A2_1 * x1 + A2_2 * x2 + A2_3 * x3"));
        check("last(x#) - #", 2, Some("x3 - 2"));
    }

    #[test]
    fn neighbours_end_with_the_family() {
        check("der(x#) - next(x#)", 2, Some("der(x2) - x3"));
        check("der(x#) - next(x#)", 3, None);
        check("previous(x#, u)", 1, Some("u"));
        check("previous(x#, u)", 3, Some("x2"));
        check("sum(next(x#) - x#)", 1, Some("(x2 - x1) + (x3 - x2)"));
    }

    #[test]
    fn paths_reach_their_neighbours() {
        let two = FamilyNumber::none(2, &Allowance::new(1000));
        assert_eq!(two.inside(1).name("cell#.b").as_deref(), Some("cell1.b"));
        assert_eq!(two.inside(1).name("cell#+1.a").as_deref(), Some("cell2.a"));
        assert_eq!(two.inside(2).name("cell#+1.a"), None);
        assert_eq!(two.name("u#").as_deref(), Some("u#"));
    }

    #[test]
    fn sums_inside_sums_come_to_an_end() {
        let text = "sum(u#*sum(u#*sum(u#*sum(u#*sum(u#)))))";
        let allowance = Allowance::new(10_000);
        let made = FamilyNumber::none(1000, &allowance).expression(&parse_expression(text).unwrap());
        assert!(made.is_none() && allowance.is_spent());
    }

    #[test]
    fn a_sum_does_not_repeat_its_text() {
        let check = |text: &str, expected| assert_eq!(repeats(&parse_expression(text).unwrap()), expected);
        check("sum(u#)", false);
        check("sum(u#)*k#", true);
        check("if x > 0 then -y# else 0", true);
        check("f(x) + min(u#, 3)", false);
    }
}

//! The faults that are planted in one expression, each a small mistake somebody could make:
//!
//!   t → 1.05 t,   t → −t,   … + t + … → … + …                                          (1)
//!
//! for every term t: the expression itself, each member of each sum in it, however deep, and each argument of a function.
//! A factor of a product is no term of its own: scaling it is scaling the product.

use trunnion_model::language::{Ast, AstKind, ChainOperator};

/// The factor of (1).
pub(crate) const FACTOR: f64 = 1.05;

/// An expression with one fault, and which one.
#[derive(Clone, Debug)]
pub struct PlantedFault {
    pub ast: Ast,
    pub change: String,
}

/// Functions f(x) = f(−x), in each of their arguments.
const EVEN: [&str; 5] = ["abs", "cos", "cosh", "hypot", "smooth_abs"];
/// Functions whose last argument is the width of a smoothing; its sign does not count.
const WITH_WIDTH: [&str; 4] = ["signed_root", "smooth_max", "smooth_min", "smooth_sign"];
/// Functions that see only the sign of their first argument: of `dry` the direction of the speed.
const OF_SIGN: [&str; 2] = ["sign", "dry"];
/// A constraint: its force is found, whatever factor stands before it, and its condition is true or false.
const HOLD: &str = "hold";

/// Functions that name a family by their first argument.
const OF_FAMILY: [&str; 5] = ["count", "previous", "next", "first", "last"];
/// Functions of one argument with f(1.05 x) = 1.05 f(x): scaling or turning the argument is doing so outside.
const LINEAR: [&str; 1] = ["sum"];

/// All faults of a right side, a law or a default.
pub fn faults(ast: &Ast) -> Vec<PlantedFault> {
    term(ast, true, true)
}

/// All faults of an equation, of its right side first. A left side that only names the unknown has none.
pub(crate) fn equation_faults(left: &Ast, right: &Ast) -> Vec<(PlantedFault, bool)> {
    let of_right = faults(right).into_iter().map(|f| (f, false));
    // Scaling all of the left side is scaling the right side.
    of_right.chain(inside(left).into_iter().map(|f| (f, true))).collect()
}

/// Faults of something that stands alone, as a side or an argument does.
fn term(ast: &Ast, scales: bool, turns: bool) -> Vec<PlantedFault> {
    if is_sum(ast) {
        return inside(ast);
    }
    let mut found = vec![];
    let is_constraint = matches!(&ast.kind, AstKind::Call(name, ..) if name == HOLD);
    if !is_zero(ast) && !is_truth(ast) && !is_constraint {
        if scales {
            found.push(PlantedFault { ast: scaled(ast), change: format!("{ast} × {FACTOR}") });
        }
        if turns {
            found.push(PlantedFault { ast: turned(ast), change: format!("sign of {ast}") });
        }
    }
    found.extend(inside(ast));
    found
}

/// Faults of what is inside.
fn inside(ast: &Ast) -> Vec<PlantedFault> {
    match &ast.kind {
        AstKind::Number(..) | AstKind::Name(_) => vec![],
        AstKind::Negate(a) => wrap(inside(a), AstKind::Negate),
        AstKind::Not(a) => wrap(term(a, false, false), AstKind::Not),
        AstKind::Chain(..) if is_sum(ast) => sum(ast),
        AstKind::Chain(first, rest) => chain(first, rest),
        AstKind::Power(base, exponent) => {
            let in_base = wrap(inside(base), |b| AstKind::Power(b, exponent.clone()));
            let in_exponent = wrap(term(exponent, true, false), |e| AstKind::Power(base.clone(), e));
            in_base.into_iter().chain(in_exponent).collect()
        }
        AstKind::Call(name, span, arguments) => {
            call(name, arguments, |list| AstKind::Call(name.clone(), span.clone(), list))
        }
        AstKind::If(c, a, b) => {
            let of_c = wrap(term(c, false, false), |c| AstKind::If(c, a.clone(), b.clone()));
            let of_a = wrap(term(a, true, true), |a| AstKind::If(c.clone(), a, b.clone()));
            let of_b = wrap(term(b, true, true), |b| AstKind::If(c.clone(), a.clone(), b));
            of_c.into_iter().chain(of_a).chain(of_b).collect()
        }
    }
}

fn call(name: &str, arguments: &[Ast], make: impl Fn(Vec<Ast>) -> AstKind) -> Vec<PlantedFault> {
    // The derivative of an unknown, nothing else.
    if matches!(name, "der" | "crosses") {
        return vec![];
    }
    let put_back = |faults: Vec<PlantedFault>, k: usize| {
        let put = |fault: PlantedFault| {
            let mut list = arguments.to_vec();
            list[k] = fault.ast;
            PlantedFault { ast: plain(make(list)), change: fault.change }
        };
        faults.into_iter().map(put).collect::<Vec<_>>()
    };
    let mut found = vec![];
    for (k, argument) in arguments.iter().enumerate() {
        if OF_FAMILY.contains(&name) && k == 0 {
            continue;
        }
        if LINEAR.contains(&name) {
            found.extend(put_back(inside(argument), k));
            continue;
        }
        if name == HOLD && k == 0 {
            found.extend(put_back(inside(argument), k));
            continue;
        }
        let scales = !(OF_SIGN.contains(&name) && k == 0);
        let is_width = WITH_WIDTH.contains(&name) && k + 1 == arguments.len();
        found.extend(put_back(term(argument, scales, !EVEN.contains(&name) && !is_width), k));
    }
    found
}

/// Products, comparisons and what joins conditions.
fn chain(first: &Ast, rest: &[(ChainOperator, Ast)]) -> Vec<PlantedFault> {
    let compares = rest.iter().all(|(o, _)| is_comparison(*o));
    let members: Vec<&Ast> = std::iter::once(first).chain(rest.iter().map(|(_, a)| a)).collect();
    let mut found = vec![];
    for (k, member) in members.iter().enumerate() {
        // x > 0 and 1.05 x > 0 are the same.
        let with_zero = members.iter().any(|m| is_zero(m));
        let list = if compares { term(member, !with_zero, true) } else { inside(member) };
        for fault in list {
            let (mut first, mut rest) = (first.clone(), rest.to_vec());
            match k {
                0 => first = fault.ast,
                _ => rest[k - 1].1 = fault.ast,
            }
            found.push(PlantedFault {
                ast: plain(AstKind::Chain(Box::new(first), rest)),
                change: fault.change,
            });
        }
    }
    found
}

/// Every member of a sum is scaled, turned and dropped.
fn sum(ast: &Ast) -> Vec<PlantedFault> {
    let AstKind::Chain(first, rest) = &ast.kind else { return vec![] };
    let mut members = vec![(ChainOperator::Add, (**first).clone())];
    members.extend(rest.iter().cloned());
    let mut found = vec![];
    for k in 0..members.len() {
        let (operator, member) = &members[k];
        let with = |new: Option<(ChainOperator, Ast)>| {
            let mut list = members.clone();
            match new {
                Some(new) => list[k] = new,
                None => drop(list.remove(k)),
            }
            of_members(list)
        };
        let whole = format!("{}{member}", if *operator == ChainOperator::Subtract { "−" } else { "" });
        if !is_zero(member) {
            let other =
                if *operator == ChainOperator::Add { ChainOperator::Subtract } else { ChainOperator::Add };
            found.push(PlantedFault {
                ast: with(Some((*operator, scaled(member)))),
                change: format!("{whole} × {FACTOR}"),
            });
            found.push(PlantedFault {
                ast: with(Some((other, member.clone()))),
                change: format!("sign of {whole}"),
            });
            found.push(PlantedFault { ast: with(None), change: format!("without {whole}") });
        }
        for fault in inside(member) {
            found.push(PlantedFault { ast: with(Some((*operator, fault.ast))), change: fault.change });
        }
    }
    found
}

/// A sum of these; a member that is subtracted first is turned.
fn of_members(list: Vec<(ChainOperator, Ast)>) -> Ast {
    let mut list = list.into_iter();
    let first = match list.next() {
        Some((ChainOperator::Subtract, a)) => turned(&a),
        Some((_, a)) => a,
        None => plain(AstKind::Number(0.0, None)),
    };
    let rest: Vec<(ChainOperator, Ast)> = list.collect();
    if rest.is_empty() { first } else { plain(AstKind::Chain(Box::new(first), rest)) }
}

fn wrap(list: Vec<PlantedFault>, make: impl Fn(Box<Ast>) -> AstKind) -> Vec<PlantedFault> {
    list.into_iter().map(|f| PlantedFault { ast: plain(make(Box::new(f.ast))), change: f.change }).collect()
}

/// A node that stands nowhere.
fn plain(kind: AstKind) -> Ast {
    Ast { kind, span: 0..0 }
}

fn scaled(ast: &Ast) -> Ast {
    let factor = plain(AstKind::Number(FACTOR, None));
    plain(AstKind::Chain(Box::new(factor), vec![(ChainOperator::Multiply, ast.clone())]))
}

fn turned(ast: &Ast) -> Ast {
    match &ast.kind {
        AstKind::Negate(a) => (**a).clone(),
        _ => plain(AstKind::Negate(Box::new(ast.clone()))),
    }
}

fn is_sum(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Chain(_, rest) => {
            rest.iter().all(|(o, _)| matches!(o, ChainOperator::Add | ChainOperator::Subtract))
        }
        _ => false,
    }
}

fn is_comparison(operator: ChainOperator) -> bool {
    use ChainOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(operator, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
}

/// A condition has no size.
fn is_truth(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Not(_) => true,
        AstKind::Chain(_, rest) => {
            rest.iter().all(|(o, _)| is_comparison(*o) || matches!(o, ChainOperator::And | ChainOperator::Or))
        }
        AstKind::Name(name) => matches!(name.as_str(), "true" | "false"),
        _ => false,
    }
}

pub fn is_zero(ast: &Ast) -> bool {
    matches!(ast.kind, AstKind::Number(0.0, _))
}

/// A number with or without a unit, as written.
pub(crate) fn is_literal(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Number(..) => true,
        AstKind::Negate(a) => is_literal(a),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_model::language::parse_expression;

    fn changed(text: &str) -> Vec<String> {
        faults(&parse_expression(text).unwrap()).iter().map(|f| f.ast.to_string()).collect()
    }

    #[test]
    fn every_term_is_scaled_turned_and_dropped() {
        assert_eq!(changed("k*x"), ["1.05 * (k * x)", "-(k * x)"]);
        let expected = ["1.05 * a - b", "-a - b", "-b", "a - 1.05 * b", "a + b", "a"];
        assert_eq!(changed("a - b"), expected);
        // The sum inside a product, and no more.
        assert!(changed("k*(a - b)").contains(&"k * (a + b)".to_string()));
        assert_eq!(changed("k*(a - b)").len(), 2 + 6);
        assert_eq!(changed("0"), [""; 0]);
    }

    #[test]
    fn faults_that_change_nothing_are_not_planted() {
        assert_eq!(changed("abs(x)"), ["1.05 * abs(x)", "-abs(x)", "abs(1.05 * x)"]);
        assert_eq!(changed("sign(x)"), ["1.05 * sign(x)", "-sign(x)", "sign(-x)"]);
        // 1.05 x > 0 is x > 0.
        assert_eq!(changed("x > 0"), ["-x > 0"]);
        assert_eq!(changed("der(x)"), ["1.05 * der(x)", "-der(x)"]);
    }

    #[test]
    fn families_are_left_whole() {
        assert_eq!(changed("sum(u#)"), ["1.05 * sum(u#)", "-sum(u#)"]);
        assert_eq!(changed("count(x#)"), ["1.05 * count(x#)", "-count(x#)"]);
        assert_eq!(changed("abs(sum(u#))").len(), 3);
        assert_eq!(changed("hold(lock, v, 0)"), ["hold(lock, 1.05 * v, 0)", "hold(lock, -v, 0)"]);
    }

    #[test]
    fn what_is_printed_reads_back() {
        for text in ["a - (b - c)/d^2", "if u >= 0 then -open else 0", "-(2 bar)^2 + min(x, 3 m*y)"] {
            for fault in changed(text) {
                assert_eq!(parse_expression(&fault).unwrap().to_string(), fault, "{text}");
            }
        }
    }
}

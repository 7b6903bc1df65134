//! Conditions of events as functions that cross zero.
//!
//!   a < b  ⇔  f < 0 with f = a − b;   p and q  ⇔  max(f_p, f_q) < 0;   p or q  ⇔  min(f_p, f_q) < 0      (1)

use trunnion_equations::flat::{Comparison, Direction};
use trunnion_equations::{Ex, Expr, Graph};

use super::Scope;
use super::absolute::check_condition;
use super::ast::{AND, Ast, AstKind, COMPARISON, ChainOperator, OR};
use super::error::{self, LangError};
use super::lower::Lowering;

/// An event's condition: it fires when `expr` crosses zero in `direction`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventGuard {
    pub expr: Expr,
    pub direction: Direction,
    pub compared: Vec<Comparison>,
}

/// The guard of an event's `when`: `h < 0` falls, `x > x_max` rises, `crosses(a, b)` goes either way.
pub fn condition(graph: &Graph, ast: &Ast, scope: &dyn Scope) -> Result<EventGuard, Vec<LangError>> {
    let mut lowering = Lowering::new(graph, scope);
    let mut compared = vec![];
    let (ex, direction) = match &ast.kind {
        AstKind::Call(function, _, arguments) if function == "crosses" => {
            let ex = match &arguments[..] {
                [a, b] => difference(&mut lowering, a, b),
                _ => {
                    let message = format!("`crosses` takes 2 arguments, found {}", arguments.len());
                    let error = LangError::new(error::ARGUMENTS, &ast.span, message);
                    lowering.fail(error.hint("write `crosses(a, b)`")).0
                }
            };
            (ex, Direction::Both)
        }
        // One relation keeps its own sides, so that the guard reads as it was written.
        AstKind::Chain(a, rest)
            if matches!(rest[..], [(ChainOperator::Greater | ChainOperator::GreaterEqual, _)]) =>
        {
            let ex = difference(&mut lowering, a, &rest[0].1);
            let zero_is_above = rest[0].0 == ChainOperator::GreaterEqual;
            compared.push(Comparison { difference: ex.id, zero_is_above });
            (ex, Direction::Rising)
        }
        _ => (falling(&mut lowering, ast, &mut compared), Direction::Falling),
    };
    lowering.note(check_condition(ast, scope));
    lowering.finish(EventGuard { expr: ex.id, direction, compared })
}

fn difference<'g>(lowering: &mut Lowering<'g, '_>, a: &Ast, b: &Ast) -> Ex<'g> {
    let (left, right) = (lowering.term(a), lowering.term(b));
    lowering.agree(&[(a, left.1), (b, right.1)]);
    left.0 - right.0
}

/// A function that is negative where the condition holds.
fn falling<'g>(lowering: &mut Lowering<'g, '_>, ast: &Ast, compared: &mut Vec<Comparison>) -> Ex<'g> {
    match &ast.kind {
        AstKind::Not(a) => -falling(lowering, a, compared),
        AstKind::Chain(first, rest) => match (ast.chain_rank(), &rest[..]) {
            (Some(COMPARISON), [(operator, b)])
                if !matches!(operator, ChainOperator::Equal | ChainOperator::NotEqual) =>
            {
                let turned = matches!(operator, ChainOperator::Greater | ChainOperator::GreaterEqual);
                let (below, above) = if turned { (b, first.as_ref()) } else { (first.as_ref(), b) };
                let ex = difference(lowering, below, above);
                let zero_is_above = matches!(operator, ChainOperator::Less | ChainOperator::Greater);
                compared.push(Comparison { difference: ex.id, zero_is_above });
                ex
            }
            (Some(COMPARISON), _) => {
                let message =
                    "an event happens where a relation turns true, and equality never does so exactly";
                let error = LangError::new(error::CONDITION, &ast.span, message);
                lowering.fail(error.hint("write `crosses(a, b)`, or a relation with `<` or `>`")).0
            }
            (Some(OR | AND), _) => {
                let mut total = falling(lowering, first, compared);
                for (operator, a) in rest {
                    let next = falling(lowering, a, compared);
                    total = if *operator == ChainOperator::And { total.max(next) } else { total.min(next) }; // (1)
                }
                total
            }
            _ => not_a_relation(lowering, ast),
        },
        _ => not_a_relation(lowering, ast),
    }
}

fn not_a_relation<'g>(lowering: &mut Lowering<'g, '_>, ast: &Ast) -> Ex<'g> {
    let hint = match &ast.kind {
        AstKind::Call(function, ..) if function == "crosses" => "`crosses(a, b)` stands alone",
        _ => "write a relation such as `x > x_max`, or `crosses(a, b)`",
    };
    lowering.fail(LangError::new(error::CONDITION, &ast.span, "an event needs a relation").hint(hint)).0
}

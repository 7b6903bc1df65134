//! Loops that can neither wait nor be left.

use std::collections::BTreeMap;

use super::syntax::{Statement, StatementKind};

/// Whether nothing in a body can pause the program or leave the loop.
pub(crate) fn is_endless(body: &[Statement], procedures: &BTreeMap<String, &[Statement]>) -> bool {
    let mut visited = vec![];
    !pauses(body, procedures, &mut visited, [true, true])
}

/// Whether `break` and `return` leave the loop: not a `break` of a loop inside, and neither of them in a procedure that is called.
fn pauses<'a>(
    body: &'a [Statement],
    procedures: &BTreeMap<String, &'a [Statement]>,
    visited: &mut Vec<&'a str>,
    [own, same]: [bool; 2],
) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Wait(_)
        | StatementKind::WaitUntil(..)
        | StatementKind::Move { .. }
        | StatementKind::Stop => true,
        StatementKind::Break => own,
        StatementKind::Return => same,
        StatementKind::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| pauses(body, procedures, visited, [own, same]))
                || pauses(otherwise, procedures, visited, [own, same])
        }
        StatementKind::Repeat(_, body) | StatementKind::While(_, body) => {
            pauses(body, procedures, visited, [false, same])
        }
        StatementKind::Call(name, _) => match procedures.get(&name.name) {
            Some(body) if !visited.contains(&name.name.as_str()) => {
                visited.push(&name.name);
                pauses(body, procedures, visited, [false, false])
            }
            _ => false,
        },
        _ => false,
    })
}

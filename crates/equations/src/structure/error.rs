//! Missing and surplus equations, in the user's names.

use crate::flat::{Flat, Origin, QuantityRole};
use crate::node::{ExprNode, Symbol};
use crate::print::{PrintStyle, print, terms};
use crate::structure::index::ReductionFailure;
use crate::structure::matching::{overdetermined, underdetermined};
use crate::structure::sorted::Sorted;

#[derive(Clone, Debug, PartialEq)]
pub enum StructureFinding {
    /// The unknown stands in no equation.
    Unmentioned { unknown: String },
    /// More unknowns than equations.
    Missing { unknowns: Vec<String>, equations: Vec<String> },
    /// More equations than unknowns.
    Surplus { equations: Vec<String>, unknowns: Vec<String> },
    /// An equation between states and known values only.
    OnlyStates { equation: String, states: Vec<String> },
    /// An equation between states, none of which is sure to follow from the others at all times.
    Undecided { equation: String, states: Vec<String> },
    /// An equation without anything to solve for.
    NoUnknown { equation: String },
    /// An equation whose unknowns cancel: what is left is not 0, or is 0 and says nothing.
    Cancelling { equation: String, unknowns: Vec<String>, left: Option<String> },
    /// The speed that friction or a lock acts against does not follow from states.
    NoInertia { quantity: String },
    /// A lock that a continuous quantity opens and closes.
    LockVaries { quantity: String },
    /// Linear equations that determine only combinations of their unknowns.
    Dependent { equations: Vec<String>, unknowns: Vec<String> },
    /// A coefficient that is zero with the parameters as they are, or a group of equations that is singular with them.
    Vanishing { equation: String, unknown: String, coefficient: Option<String> },
    /// Differentiating equations again and again made too many terms.
    TooLarge { equation: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct StructureError {
    pub finding: StructureFinding,
    /// Where to point: the first is the main place.
    pub origins: Vec<Origin>,
}

/// (a), (b) and (c)
fn list(names: &[String], open: &str, close: &str) -> String {
    const MOST: usize = 8;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|n| format!("{open}{n}{close}")).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    match shown.len() {
        0 => "nothing".into(),
        1 => shown.remove(0),
        n => format!("{} and {}", shown[..n - 1].join(", "), shown[n - 1]),
    }
}

fn count(n: usize, singular: &str) -> String {
    const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let word = WORDS.get(n).map_or_else(|| n.to_string(), |w| w.to_string());
    format!("{word} {singular}{}", if n == 1 { "" } else { "s" })
}

impl StructureError {
    pub fn code(&self) -> &'static str {
        match self.finding {
            StructureFinding::Unmentioned { .. } => "S0001",
            StructureFinding::Missing { .. } => "S0002",
            StructureFinding::Surplus { .. } => "S0003",
            StructureFinding::OnlyStates { .. } | StructureFinding::Undecided { .. } => "S0004",
            StructureFinding::NoUnknown { .. } => "S0005",
            StructureFinding::Dependent { .. } => "S0006",
            StructureFinding::NoInertia { .. } => "S0008",
            StructureFinding::LockVaries { .. } => "S0009",
            StructureFinding::Vanishing { .. } => "S0010",
            StructureFinding::TooLarge { .. } => "S0011",
            StructureFinding::Cancelling { .. } => "S0012",
        }
    }

    pub fn message(&self) -> String {
        match &self.finding {
            StructureFinding::Unmentioned { unknown } => format!("`{unknown}` appears in no equation"),
            StructureFinding::Missing { unknowns, equations } if equations.is_empty() => {
                format!("no equation determines {}", list(unknowns, "`", "`"))
            }
            StructureFinding::Missing { unknowns, equations } => format!(
                "{} must determine {}: {}",
                count(equations.len(), "equation"),
                count(unknowns.len(), "unknown"),
                list(unknowns, "`", "`")
            ),
            StructureFinding::Surplus { equations, unknowns } => {
                format!(
                    "equations {} determine only {}",
                    list(equations, "(", ")"),
                    count(unknowns.len(), "unknown")
                )
            }
            StructureFinding::OnlyStates { equation, states } if states.len() == 1 => {
                format!("equation ({equation}) fixes `{}`, which is integrated already", states[0])
            }
            StructureFinding::OnlyStates { equation, states } => {
                format!(
                    "equation ({equation}) ties {} together, which are already integrated",
                    list(states, "`", "`")
                )
            }
            StructureFinding::Undecided { equation, states } => format!(
                "equation ({equation}) ties {} together, but none of them is sure to follow from the others at all times",
                list(states, "`", "`")
            ),
            StructureFinding::NoUnknown { equation } => format!("equation ({equation}) contains no unknown"),
            StructureFinding::Cancelling { equation, unknowns, left: Some(left) } => format!(
                "equation ({equation}) has no solution: {} cancel{} out, and 0 = {left} is left",
                list(unknowns, "`", "`"),
                if unknowns.len() == 1 { "s" } else { "" }
            ),
            StructureFinding::Cancelling { equation, unknowns, left: None } => format!(
                "equation ({equation}) says nothing: {} cancel{} out, and 0 = 0 is left",
                list(unknowns, "`", "`"),
                if unknowns.len() == 1 { "s" } else { "" }
            ),
            StructureFinding::NoInertia { quantity } => {
                format!(
                    "nothing that moves can stick here: the speed depends on `{quantity}`, which is not integrated"
                )
            }
            StructureFinding::LockVaries { quantity } => {
                format!("the first argument of `hold` depends on `{quantity}`, which changes continuously")
            }
            StructureFinding::Dependent { equations, unknowns } => format!(
                "equations {} determine only combinations of {}, not each of them",
                list(equations, "(", ")"),
                list(unknowns, "`", "`")
            ),
            StructureFinding::Vanishing { equation, unknown, coefficient: Some(coefficient) } => format!(
                "equation ({equation}) does not determine `{unknown}`: its coefficient {coefficient} is zero with these parameters"
            ),
            StructureFinding::TooLarge { equation } => {
                format!("equation ({equation}) has to be differentiated, but its terms have become too many")
            }
            StructureFinding::Vanishing { equation, unknown, coefficient: None } => format!(
                "equation ({equation}) and those it is solved with do not determine `{unknown}` with these parameters"
            ),
        }
    }

    pub fn hint(&self) -> String {
        match &self.finding {
            StructureFinding::Unmentioned { unknown } => {
                format!("write an equation for `{unknown}`, or remove it from the variables")
            }
            StructureFinding::Missing { equations, unknowns } => {
                let missing = unknowns.len() - equations.len().min(unknowns.len());
                format!(
                    "{} missing; add {}",
                    count(missing, "equation"),
                    if missing == 1 { "it" } else { "them" }
                )
            }
            StructureFinding::Surplus { equations, unknowns } => {
                let surplus = equations.len() - unknowns.len();
                let of = if unknowns.is_empty() {
                    String::new()
                } else {
                    format!(" or add unknowns beside {}", list(unknowns, "`", "`"))
                };
                format!("remove {}{of}", count(surplus, "equation"))
            }
            StructureFinding::OnlyStates { equation, states } if states.len() == 1 => format!(
                "remove ({equation}) or an equation it is computed with, or the equation for der({})",
                states[0]
            ),
            StructureFinding::OnlyStates { states, .. } => format!(
                "keep only one of {} as a state, or put an elastic element between them",
                list(states, "`", "`")
            ),
            StructureFinding::Undecided { states, .. } => format!(
                "describe {} by one variable less, such as an angle instead of two coordinates, or put an elastic element between them",
                list(states, "`", "`")
            ),
            StructureFinding::Dependent { unknowns, .. } if unknowns.iter().any(|u| u.starts_with("der(")) => {
                "make the combination a variable of its own, as in `u = a - b`, and use der(u)".into()
            }
            StructureFinding::Dependent { .. } => {
                "one of the equations follows from the others or contradicts them: replace it, or fix one unknown as a ground fixes a potential".into()
            }
            StructureFinding::NoUnknown { .. } => {
                "declare one of its names under [variables], or remove the equation".into()
            }
            StructureFinding::Cancelling { unknowns, .. } => {
                format!(
                    "an equation is no assignment: write what {} is equal to, or der(…) for a rate",
                    list(unknowns, "`", "`")
                )
            }
            StructureFinding::NoInertia { .. } => {
                "connect a mass or an inertia to it, or choose friction with at_rest = \"creeps\"".into()
            }
            StructureFinding::LockVaries { .. } => "let an event set a mode, and use the mode".into(),
            StructureFinding::TooLarge { .. } => {
                "use fewer derivatives of derivatives, or filter the signal: der(y) = (u - y)/tau, and use der(y)".into()
            }
            StructureFinding::Vanishing { unknown, .. } => {
                format!("give the parameters in it other values, or write another equation for `{unknown}`")
            }
        }
    }
}

pub fn findings(flat: &Flat, sorted: &Sorted, failure: &ReductionFailure) -> Vec<StructureError> {
    let Sorted { leaves, incidence, matching, .. } = sorted;
    let symbol = |u: usize| match leaves[u] {
        ExprNode::Derivative(s) | ExprNode::Symbol(s) => s,
        _ => Symbol(0),
    };
    let name = |u: &usize| leaf_name(flat, leaves[*u]);
    let equation = |e: &usize| flat.equations[*e].name.clone();
    let mut errors = Vec::new();
    if let Some(e) = failure.too_large {
        let (equation, _) = failure.source.get(&e).cloned().unwrap_or((e, vec![]));
        let origins = vec![flat.equations[equation].origin.clone()];
        let finding = StructureFinding::TooLarge { equation: flat.equations[equation].name.clone() };
        return vec![StructureError { finding, origins }];
    }
    // One report for each connected over- or underdetermined part.
    let mut reported = vec![false; incidence.len()];
    for start in (0..incidence.len()).filter(|&e| matching.unknown_of[e].is_none()) {
        if reported[start] {
            continue;
        }
        if let Some(states) = failure.undecided.get(&start) {
            errors.push(tied(flat, start, states, |equation, states| StructureFinding::Undecided {
                equation,
                states,
            }));
            continue;
        }
        if incidence[start].is_empty() {
            errors.push(no_unknown(flat, sorted, start));
            continue;
        }
        let (equations, unknowns) = overdetermined(incidence, matching, start);
        for &e in &equations {
            reported[e] = true;
        }
        if let Some((equation, states)) = equations.iter().find_map(|e| failure.source.get(e)) {
            errors.push(tied(flat, *equation, states, |equation, states| StructureFinding::OnlyStates {
                equation,
                states,
            }));
            continue;
        }
        errors.push(StructureError {
            origins: equations.iter().map(|&e| flat.equations[e].origin.clone()).collect(),
            finding: StructureFinding::Surplus {
                equations: equations.iter().map(equation).collect(),
                unknowns: unknowns.iter().map(name).collect(),
            },
        });
    }
    // What such an equation should have determined is missing because of it.
    if errors.iter().any(|e| matches!(e.code(), "S0004" | "S0005" | "S0012")) {
        return errors;
    }
    let mut reported = vec![false; leaves.len()];
    for start in (0..leaves.len()).filter(|&u| matching.equation_of[u].is_none()) {
        if reported[start] {
            continue;
        }
        let (equations, unknowns) = underdetermined(incidence, matching, start);
        for &u in &unknowns {
            reported[u] = true;
        }
        let origins = std::iter::once(flat.quantity(symbol(start)).origin.clone())
            .chain(equations.iter().map(|&e| flat.equations[e].origin.clone()))
            .collect();
        let finding = if equations.is_empty() {
            StructureFinding::Unmentioned { unknown: name(&start) }
        } else {
            StructureFinding::Missing {
                unknowns: unknowns.iter().map(name).collect(),
                equations: equations.iter().map(equation).collect(),
            }
        };
        errors.push(StructureError { finding, origins });
    }
    errors
}

/// A linear block whose equations depend on each other.
pub fn dependent(
    flat: &Flat,
    leaves: &[ExprNode],
    equations: &[usize],
    unknowns: &[usize],
) -> StructureError {
    StructureError {
        origins: equations.iter().map(|&e| flat.equations[e].origin.clone()).collect(),
        finding: StructureFinding::Dependent {
            equations: equations.iter().map(|&e| flat.equations[e].name.clone()).collect(),
            unknowns: unknowns.iter().map(|&u| leaf_name(flat, leaves[u])).collect(),
        },
    }
}

/// A coefficient, or a block of equations, that vanishes with the parameters as they are.
pub fn vanishing(
    flat: &Flat,
    sorted: &Sorted,
    equation: usize,
    unknown: usize,
    alone: bool,
) -> StructureError {
    let slope = sorted.gradients[equation].iter().find(|(u, _)| *u as usize == unknown).map(|&(_, e)| e);
    let name = |s: Symbol| flat.quantity(s).name.clone();
    let coefficient = slope
        .filter(|&e| alone && terms(&flat.graph, e) <= LONGEST)
        .map(|e| print(&flat.graph, e, PrintStyle::Text, &name));
    let of = &flat.equations[equation];
    StructureError {
        finding: StructureFinding::Vanishing {
            equation: of.name.clone(),
            unknown: leaf_name(flat, sorted.leaves[unknown]),
            coefficient,
        },
        origins: vec![of.origin.clone()],
    }
}

/// Terms of a coefficient that is shown.
const LONGEST: u64 = 40;

fn leaf_name(flat: &Flat, leaf: ExprNode) -> String {
    match leaf {
        ExprNode::Derivative(s) => format!("der({})", flat.quantity(s).name),
        ExprNode::Symbol(s) => flat.quantity(s).name.clone(),
        _ => String::new(),
    }
}

/// A constraint between states.
fn tied(
    flat: &Flat,
    equation: usize,
    states: &[Symbol],
    finding: fn(String, Vec<String>) -> StructureFinding,
) -> StructureError {
    let names = states.iter().map(|&s| flat.quantity(s).name.clone()).collect();
    let equation = &flat.equations[equation];
    StructureError { finding: finding(equation.name.clone(), names), origins: vec![equation.origin.clone()] }
}

fn no_unknown(flat: &Flat, sorted: &Sorted, e: usize) -> StructureError {
    let equation = &flat.equations[e];
    let nodes = flat.graph.reachable([equation.lhs, equation.rhs]);
    let mut cancelling: Vec<usize> = sorted
        .leaves
        .iter()
        .enumerate()
        .filter(|(_, leaf)| nodes.iter().any(|&x| flat.graph.node(x) == **leaf))
        .map(|(u, _)| u)
        .collect();
    cancelling.sort_unstable();
    let name = equation.name.clone();
    let finding = if cancelling.is_empty() {
        let is_unknown = |s: Symbol| matches!(flat.quantity(s).kind, QuantityRole::Unknown { .. });
        let states = nodes.iter().filter_map(|&x| match flat.graph.node(x) {
            ExprNode::Symbol(s) if is_unknown(s) => Some(flat.quantity(s).name.clone()),
            _ => None,
        });
        let states: Vec<String> = states.collect();
        if states.is_empty() {
            StructureFinding::NoUnknown { equation: name }
        } else {
            StructureFinding::OnlyStates { equation: name, states }
        }
    } else {
        let left = (flat.graph.at(sorted.sides[e].1) - flat.graph.at(sorted.sides[e].0)).id;
        let named = |s: Symbol| flat.quantity(s).name.clone();
        let is_nothing = flat.graph.at(left).value() == Some(0.0);
        StructureFinding::Cancelling {
            equation: name,
            unknowns: cancelling.iter().map(|&u| leaf_name(flat, sorted.leaves[u])).collect(),
            left: (!is_nothing).then(|| print(&flat.graph, left, PrintStyle::Text, &named)),
        }
    };
    StructureError { finding, origins: vec![equation.origin.clone()] }
}

//! Accounts of energy: signals beside the model's own that say where it goes.

use trunnion_equations::Expr;
use trunnion_equations::flat::{
    DisplayUnit, Equation, Flat, Nominal, Origin, Quantity, QuantityRole as QuantityKind,
};

use crate::network::BondNodeKind;

/// What an account counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccountKind {
    Supplied,
    Lost,
    Stored,
}

impl AccountKind {
    pub const WORDS: [(&'static str, AccountKind); 3] =
        [("supplied", AccountKind::Supplied), ("lost", AccountKind::Lost), ("stored", AccountKind::Stored)];

    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// An output of a component that says itself where its energy goes.
#[derive(Clone, Debug)]
pub struct OwnAccount {
    /// Path of the component, "cylinder.head".
    pub component: String,
    /// "cylinder.head.heat".
    pub name: String,
    pub side: AccountKind,
    pub value: Expr,
    /// The value is a power, not an energy.
    pub is_power: bool,
    pub origin: Origin,
}

/// The energy of one element: a signal of the run.
#[derive(Clone, Debug)]
pub struct Account {
    /// The element: "strut.gas".
    pub name: String,
    pub kind: BondNodeKind,
    pub side: AccountKind,
    /// The signal that holds it, in J.
    pub signal: String,
}

/// A state E with E' = power, 0 at the start.
pub fn integrate(flat: &mut Flat, signal: &str, origin: Origin, power: Expr) {
    let state = flat.add(Quantity {
        name: signal.to_string(),
        unit: DisplayUnit::si("J"),
        doc: "Energy since the start".into(),
        origin: origin.clone(),
        kind: QuantityKind::Unknown { start: flat.graph.constant(0.0).id },
        nominal: Some(Nominal::given(1.0)),
        range: (f64::NEG_INFINITY, f64::INFINITY),
    });
    let lhs = flat.graph.derivative(state).id;
    flat.equations.push(Equation { name: format!("der({signal})"), origin, lhs, rhs: power });
}

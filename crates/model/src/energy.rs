//! Accounts of energy: signals beside the model's own that say where it goes.

use trunnion_equations::Expr;
use trunnion_equations::flat::{Equation, Flat, Kind as QuantityKind, Nominal, Origin, Quantity, Unit};

use crate::network::Kind;

/// What an account counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Supplied,
    Lost,
    Stored,
}

impl Side {
    pub const WORDS: [(&'static str, Side); 3] =
        [("supplied", Side::Supplied), ("lost", Side::Lost), ("stored", Side::Stored)];

    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// An output of a component that says itself where its energy goes.
#[derive(Clone, Debug)]
pub struct Own {
    /// Path of the component, "cylinder.head".
    pub component: String,
    /// "cylinder.head.heat".
    pub name: String,
    pub side: Side,
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
    pub kind: Kind,
    pub side: Side,
    /// The signal that holds it, in J.
    pub signal: String,
}

/// A state E with E' = power, 0 at the start.
pub fn integrate(flat: &mut Flat, signal: &str, origin: Origin, power: Expr) {
    let state = flat.add(Quantity {
        name: signal.to_string(),
        unit: Unit::si("J"),
        doc: "Energy since the start".into(),
        origin: origin.clone(),
        kind: QuantityKind::Unknown { start: flat.graph.constant(0.0).id },
        nominal: Some(Nominal::given(1.0)),
        range: (f64::NEG_INFINITY, f64::INFINITY),
    });
    let lhs = flat.graph.derivative(state).id;
    flat.equations.push(Equation { name: format!("der({signal})"), origin, lhs, rhs: power });
}

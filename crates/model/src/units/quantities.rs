//! Quantities an engineer has a word for: SI unit, name, typical size.
//!
//! The size is what error control holds a state against when its own value is near zero: what one would read
//! as "something happens" on an instrument of a machine with hydraulic drives, not the largest value it sees.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Dimension, parse_unit};

pub(super) struct UnitQuantity {
    pub unit: &'static str,
    pub name: &'static str,
    pub size: f64,
}

const fn quantity(unit: &'static str, name: &'static str, size: f64) -> UnitQuantity {
    UnitQuantity { unit, name, size }
}

/// Several quantities may share a dimension; it is then named by all that matter.
pub(super) const QUANTITIES: &[UnitQuantity] = &[
    quantity("1", "plain number", 1.0),
    // Motion.
    quantity("m", "length", 1e-2),
    quantity("m²", "area", 1e-4),
    quantity("m³", "volume", 1e-4),
    quantity("m⁴", "second moment of area", 1e-8),
    quantity("1/m", "curvature", 1.0),
    quantity("s", "time", 1.0),
    quantity("1/s", "frequency or angular speed", 1.0),
    quantity("1/s²", "angular acceleration", 10.0),
    quantity("m/s", "speed", 1e-1),
    quantity("m/s²", "acceleration", 1.0),
    quantity("m/s³", "jerk", 10.0),
    // Mechanics.
    quantity("kg", "mass", 1.0),
    quantity("kg/m", "mass per length", 1.0),
    quantity("kg/m²", "mass per area", 1.0),
    quantity("kg/m³", "density", 1.0),
    quantity("kg·m²", "moment of inertia", 1e-2),
    quantity("N·s", "momentum", 1.0),
    quantity("N·m·s", "angular momentum or rotational damping", 1e-1),
    quantity("N", "force", 1e2),
    quantity("N·m", "torque or energy", 10.0),
    quantity("W", "power", 1e2),
    quantity("N/m", "stiffness", 1e4),
    quantity("N·m²", "bending stiffness", 1e2),
    // Fluids.
    quantity("Pa", "pressure", 1e5),
    quantity("Pa/s", "pressure rate", 1e6),
    quantity("Pa/m", "pressure gradient", 1e4),
    quantity("1/Pa", "compressibility", 1e-9),
    quantity("Pa·s", "dynamic viscosity", 1e-2),
    quantity("m²/s", "kinematic viscosity", 1e-5),
    quantity("m³/s", "volume flow", 1e-4),
    quantity("m³/s²", "rate of volume flow", 1e-3),
    quantity("kg/s", "mass flow or damping", 1e-2),
    quantity("m³/Pa", "hydraulic capacity", 1e-12),
    quantity("Pa/m³", "hydraulic stiffness", 1e11),
    quantity("Pa·s/m³", "hydraulic resistance", 1e9),
    quantity("Pa·s²/m³", "hydraulic inertance", 1e6),
    quantity("m³/(s·Pa)", "hydraulic conductance", 1e-12),
    quantity("(m^7/kg)^0.5", "flow coefficient", 1e-6),
    // Heat.
    quantity("K", "temperature", 1e2),
    quantity("K/s", "temperature rate", 1.0),
    quantity("1/K", "thermal expansion coefficient", 1e-4),
    quantity("J/K", "heat capacity", 1e2),
    quantity("J/kg", "specific energy", 1e3),
    quantity("J/(kg·K)", "specific heat", 1e3),
    quantity("W/K", "thermal conductance", 10.0),
    quantity("K/W", "thermal resistance", 1e-1),
    quantity("W/(m·K)", "thermal conductivity", 1e-1),
    quantity("W/(m²·K)", "heat transfer coefficient", 1e2),
    quantity("W/m²", "heat flux", 1e3),
    quantity("mol", "amount of substance", 1.0),
    quantity("mol/m³", "concentration", 1.0),
    quantity("kg/mol", "molar mass", 1e-2),
    quantity("J/(mol·K)", "molar heat capacity", 10.0),
    // Electricity.
    quantity("A", "current", 1.0),
    quantity("C", "electric charge", 1e-3),
    quantity("V", "voltage", 1.0),
    quantity("Ω", "resistance", 1.0),
    quantity("S", "electric conductance", 1.0),
    quantity("F", "capacitance", 1e-6),
    quantity("H", "inductance", 1e-3),
    quantity("V·s", "magnetic flux or motor constant", 1e-2),
    quantity("T", "magnetic flux density", 1e-1),
    quantity("V/m", "electric field", 1e3),
    quantity("cd", "luminous intensity", 1.0),
];

static BY_DIMENSION: LazyLock<HashMap<Dimension, &'static UnitQuantity>> = LazyLock::new(|| {
    let read = |q: &'static UnitQuantity| Some((parse_unit(q.unit).ok()?.dimension, q));
    QUANTITIES.iter().filter_map(read).collect()
});

pub(super) fn find(dimension: Dimension) -> Option<&'static UnitQuantity> {
    BY_DIMENSION.get(&dimension).copied()
}

/// The typical size of a quantity, for error control where the user gives none; docs/reference/units.md has the table.
///
/// A dimension without a name gets the product of base sizes that agree with the named ones: with 1 cm, 10 kg
/// and 0.1 s a speed is 0.1 m/s and a pressure 1 bar.
pub fn nominal(dimension: Dimension) -> f64 {
    if let Some(known) = find(dimension) {
        return known.size;
    }
    const BASE_SIZES: [f64; 7] = [1e-2, 10.0, 0.1, 1.0, 1e2, 1.0, 1.0];
    let size: f64 = dimension.exponents().iter().zip(BASE_SIZES).map(|(&n, base)| base.powf(n)).product();
    // Absurd exponents over- or underflow; a size must stay usable as a divisor.
    if size.is_normal() { size } else { 1.0 }
}

//! Connectors: one per domain for the whole project.
//!
//! At a connection the across variables are equal and the through variables sum to zero; a through variable
//! counts positive into the component. Power into a component = across · through, save for heat and gas,
//! whose through variables are a power and a mass flow. A signal is directed: one output, many inputs.

pub mod remedy;

use crate::units::{Unit, parse_unit};

/// One of the two variables of a power connector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerVariable {
    pub name: &'static str,
    pub unit: &'static str,
    pub doc: &'static str,
    /// Guess in SI before any equation is solved.
    pub start: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Connector {
    Power {
        across: PowerVariable,
        through: PowerVariable,
        /// The across variable is the effort of a bond; in mechanics it is the flow.
        across_is_effort: bool,
        stored: Stored,
    },
    /// The port itself is the variable.
    Signal,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    pub name: &'static str,
    /// "an electric port".
    pub article: &'static str,
    pub connector: Connector,
    /// Component of the library that fixes the across variable; empty if there is none.
    pub ground: &'static str,
}

/// What a domain's stores keep: displacement ∫f and momentum ∫e, as units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    pub displacement: &'static str,
    pub momentum: &'static str,
}

const fn power(
    name: &'static str,
    article: &'static str,
    across: PowerVariable,
    through: PowerVariable,
    across_is_effort: bool,
    stored: (&'static str, &'static str),
    ground: &'static str,
) -> Domain {
    let stored = Stored { displacement: stored.0, momentum: stored.1 };
    Domain {
        name,
        article,
        connector: Connector::Power { across, through, across_is_effort, stored },
        ground,
    }
}

const fn variable(name: &'static str, unit: &'static str, doc: &'static str, start: f64) -> PowerVariable {
    PowerVariable { name, unit, doc, start }
}

/// Pressures are absolute: an idle line is at one atmosphere, an idle body at 20 °C.
const ATMOSPHERE: f64 = 101_325.0;
const ROOM: f64 = 293.15;

/// p/ρ = R T₀ of the reference air of ISO 8778, 1 bar and 1.185 kg/m³, in J/kg.
pub const FLOW_WORK: f64 = 1e5 / 1.185;

pub(crate) static DOMAINS: [Domain; 8] = [
    power(
        "translational",
        "a",
        variable("v", "m/s", "Velocity", 0.0),
        variable("f", "N", "Force", 0.0),
        false,
        ("m", "kg m/s"),
        "ground",
    ),
    power(
        "rotational",
        "a",
        variable("w", "rad/s", "Angular velocity", 0.0),
        variable("tau", "N m", "Torque", 0.0),
        false,
        ("rad", "kg m^2/s"),
        "rotational_ground",
    ),
    power(
        "hydraulic",
        "a",
        variable("p", "Pa", "Pressure", ATMOSPHERE),
        variable("q", "m^3/s", "Volume flow", 0.0),
        true,
        ("m^3", "Pa s"),
        "tank",
    ),
    power(
        "pneumatic",
        "a",
        variable("p", "Pa", "Pressure", ATMOSPHERE),
        variable("q_m", "kg/s", "Mass flow", 0.0),
        true,
        ("kg", "Pa s"),
        "atmosphere",
    ),
    power(
        "electric",
        "an",
        variable("u", "V", "Potential", 0.0),
        variable("i", "A", "Current", 0.0),
        true,
        ("A s", "V s"),
        "electric_ground",
    ),
    power(
        "thermal",
        "a",
        variable("temp", "K", "Temperature", ROOM),
        variable("q_heat", "W", "Heat flow", 0.0),
        true,
        ("J", "K s"),
        "temperature_source",
    ),
    power("bond", "a", variable("e", "", "Effort", 0.0), variable("f", "", "Flow", 0.0), true, ("", ""), ""),
    Domain { name: "signal", article: "a", connector: Connector::Signal, ground: "" },
];

impl Domain {
    /// A raw bond: fits every power port, has no units.
    pub fn is_raw(&self) -> bool {
        self.name == "bond"
    }

    pub fn is_power(&self) -> bool {
        self.connector != Connector::Signal
    }

    /// Names of effort and flow; None for signals.
    pub fn effort_and_flow(&self) -> Option<(PowerVariable, PowerVariable)> {
        match self.connector {
            Connector::Power { across, through, across_is_effort: true, .. } => Some((across, through)),
            Connector::Power { across, through, .. } => Some((through, across)),
            Connector::Signal => None,
        }
    }
}

/// A unit of this table; None where it is open.
pub(crate) fn unit_of(text: &str) -> Option<Unit> {
    (!text.is_empty()).then(|| parse_unit(text).expect("a unit of the table"))
}

pub fn domain(name: &str) -> Option<&'static Domain> {
    DOMAINS.iter().find(|d| d.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_si_and_across_times_through_is_power() {
        let watt = parse_unit("W").unwrap().dimension;
        for d in &DOMAINS {
            let Connector::Power { across, through, stored, .. } = d.connector else { continue };
            let (Some(a), Some(t)) = (unit_of(across.unit), unit_of(through.unit)) else { continue };
            assert_eq!((a.factor, a.offset, t.factor, t.offset), (1.0, 0.0, 1.0, 0.0), "{}", d.name);
            if !["pneumatic", "thermal"].contains(&d.name) {
                assert_eq!(a.dimension * t.dimension, watt, "{}", d.name);
            }
            let (effort, flow) = d.effort_and_flow().unwrap();
            let second = unit_of("s").unwrap().dimension;
            let times = |v: PowerVariable| unit_of(v.unit).unwrap().dimension * second;
            assert_eq!(times(flow), unit_of(stored.displacement).unwrap().dimension, "{}", d.name);
            assert_eq!(times(effort), unit_of(stored.momentum).unwrap().dimension, "{}", d.name);
        }
    }
}

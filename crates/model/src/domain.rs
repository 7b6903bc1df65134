//! Connectors: one per domain for the whole project.
//!
//! At a connection the across variables are equal and the through variables sum to zero; a through variable
//! counts positive into the component. Power into a component = across · through, save for heat and gas,
//! whose through variables are a power and a mass flow. A signal is directed: one output, many inputs.

/// One of the two variables of a power connector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    pub name: &'static str,
    pub unit: &'static str,
    pub doc: &'static str,
    /// Guess in SI before any equation is solved.
    pub start: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Connector {
    Power {
        across: Variable,
        through: Variable,
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
}

const fn power(name: &'static str, article: &'static str, across: Variable, through: Variable) -> Domain {
    Domain { name, article, connector: Connector::Power { across, through } }
}

const fn variable(name: &'static str, unit: &'static str, doc: &'static str, start: f64) -> Variable {
    Variable { name, unit, doc, start }
}

/// Pressures are absolute: an idle line is at one atmosphere, an idle body at 20 °C.
const ATMOSPHERE: f64 = 101_325.0;
const ROOM: f64 = 293.15;

pub static DOMAINS: [Domain; 7] = [
    power("translational", "a", variable("v", "m/s", "Velocity", 0.0), variable("f", "N", "Force", 0.0)),
    power(
        "rotational",
        "a",
        variable("w", "rad/s", "Angular velocity", 0.0),
        variable("tau", "N m", "Torque", 0.0),
    ),
    power(
        "hydraulic",
        "a",
        variable("p", "Pa", "Pressure", ATMOSPHERE),
        variable("q", "m^3/s", "Volume flow", 0.0),
    ),
    power(
        "pneumatic",
        "a",
        variable("p", "Pa", "Pressure", ATMOSPHERE),
        variable("q_m", "kg/s", "Mass flow", 0.0),
    ),
    power("electric", "an", variable("u", "V", "Potential", 0.0), variable("i", "A", "Current", 0.0)),
    power(
        "thermal",
        "a",
        variable("temp", "K", "Temperature", ROOM),
        variable("q_heat", "W", "Heat flow", 0.0),
    ),
    Domain { name: "signal", article: "a", connector: Connector::Signal },
];

pub fn domain(name: &str) -> Option<&'static Domain> {
    DOMAINS.iter().find(|d| d.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::parse_unit;

    #[test]
    fn every_unit_is_si_and_across_times_through_is_power() {
        let watt = parse_unit("W").unwrap().dimension;
        for d in &DOMAINS {
            let Connector::Power { across, through } = d.connector else { continue };
            let (a, t) = (parse_unit(across.unit).unwrap(), parse_unit(through.unit).unwrap());
            assert_eq!((a.factor, a.offset, t.factor, t.offset), (1.0, 0.0, 1.0, 0.0), "{}", d.name);
            if !["pneumatic", "thermal"].contains(&d.name) {
                assert_eq!(a.dimension * t.dimension, watt, "{}", d.name);
            }
        }
    }
}

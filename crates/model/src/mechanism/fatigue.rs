//! The S–N line of a body: how many cycles of a range of stress it bears.
//!
//!   N(S) = N_k (S_k/S)^m                                    m above the knee (S_k, N_k), m_2 below it               (1)

use super::elastic_reader::ElasticReader;
use super::sections::{MechanismPart, Sections};
use crate::diagnostic::Problems;
use crate::file::{Data, Fields};

/// (1), in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FatigueLine {
    pub knee_range: f64,
    pub knee_cycles: f64,
    pub slope: f64,
    /// Below the knee.
    pub slope_below: f64,
    /// Ranges below it do no damage.
    pub cut_off: f64,
}

/// What `fatigue` of a body says; what is wrong is said.
pub(super) fn read_fatigue(part: &MechanismPart, problems: &Problems) -> Option<FatigueLine> {
    let sections = Sections::default();
    let reader = ElasticReader::new(part, &sections, problems);
    let entry = reader.f.entry("fatigue")?;
    let Data::Table(table) = &entry.value.data else {
        let wanted = "a table { range = \"71 MPa\", cycles = 2e6, slope = 3 }";
        problems.add(super::wrong_length(&entry.value, "fatigue", wanted));
        return None;
    };
    let whose = format!("`fatigue` of `{}`", part.key.name);
    let f = Fields::new(table, whose, &entry.key.span, problems);
    let needed = |key: &'static str, unit: &str, hint: &str| {
        if f.value(key).is_none() {
            f.missing(key, hint);
        }
        reader.positive(f.value(key)?, key, unit)
    };
    let range = needed("range", "Pa", "range of stress at the knee, \"71 MPa\"");
    let cycles = needed("cycles", "", "cycles at the knee, 2e6");
    let slope = needed("slope", "", "exponent of the line, 3");
    let below = f.value("slope_below").map(|value| reader.positive(value, "slope_below", ""));
    let cut_off = f.value("cut_off").map(|value| reader.positive(value, "cut_off", "Pa"));
    f.finish();
    Some(FatigueLine {
        knee_range: range?,
        knee_cycles: cycles?,
        slope: slope?,
        slope_below: match below {
            Some(given) => given?,
            None => slope?,
        },
        cut_off: match cut_off {
            Some(given) => given?,
            None => 0.0,
        },
    })
}

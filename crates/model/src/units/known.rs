//! Unit names and prefixes.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

use super::Dimension;
use super::scan::UnitScale;
use trunnion_equations::nearest::nearest;

/// Names of a unit; size in SI as num / den, so that most factors are quotients of whole numbers and correctly
/// rounded; offset; prefixes it takes.
struct UnitEntry {
    names: &'static [&'static str],
    exponents: [i32; 7],
    num: f64,
    den: f64,
    offset: f64,
    prefixes: &'static [&'static str],
}

/// Longest first: `da` before `d`.
const PREFIXES: &[(&str, f64, f64)] = &[
    ("da", 10.0, 1.0),
    ("Q", 1e30, 1.0),
    ("R", 1e27, 1.0),
    ("Y", 1e24, 1.0),
    ("Z", 1e21, 1.0),
    ("E", 1e18, 1.0),
    ("P", 1e15, 1.0),
    ("T", 1e12, 1.0),
    ("G", 1e9, 1.0),
    ("M", 1e6, 1.0),
    ("k", 1e3, 1.0),
    ("h", 1e2, 1.0),
    ("d", 1.0, 10.0),
    ("c", 1.0, 1e2),
    ("m", 1.0, 1e3),
    ("µ", 1.0, 1e6),
    ("μ", 1.0, 1e6),
    ("u", 1.0, 1e6),
    ("n", 1.0, 1e9),
    ("p", 1.0, 1e12),
    ("f", 1.0, 1e15),
    ("a", 1.0, 1e18),
];

const ALL: &[&str] = &[
    "da", "Q", "R", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "µ", "μ", "u", "n", "p", "f",
    "a",
];
const NONE: &[&str] = &[];
const SMALL: &[&str] = &["c", "m", "µ", "μ", "u", "n"];
const LARGE: &[&str] = &["k", "M", "G", "T"];
const COMMON: &[&str] = &["k", "M", "G", "h", "d", "c", "m", "µ", "μ", "u", "n"];

const fn unit(
    names: &'static [&'static str],
    exponents: [i32; 7],
    num: f64,
    den: f64,
    prefixes: &'static [&'static str],
) -> UnitEntry {
    UnitEntry { names, exponents, num, den, offset: 0.0, prefixes }
}

const fn shifted(
    names: &'static [&'static str],
    exponents: [i32; 7],
    num: f64,
    den: f64,
    offset: f64,
) -> UnitEntry {
    UnitEntry { names, exponents, num, den, offset, prefixes: NONE }
}

/// Exponents of m, kg, s, A, K, mol, cd.
const NUMBER: [i32; 7] = [0; 7];
const LENGTH: [i32; 7] = [1, 0, 0, 0, 0, 0, 0];
const VOLUME: [i32; 7] = [3, 0, 0, 0, 0, 0, 0];
const MASS: [i32; 7] = [0, 1, 0, 0, 0, 0, 0];
const TIME: [i32; 7] = [0, 0, 1, 0, 0, 0, 0];
const RATE: [i32; 7] = [0, 0, -1, 0, 0, 0, 0];
const SPEED: [i32; 7] = [1, 0, -1, 0, 0, 0, 0];
const FLOW: [i32; 7] = [3, 0, -1, 0, 0, 0, 0];
const FORCE: [i32; 7] = [1, 1, -2, 0, 0, 0, 0];
const ENERGY: [i32; 7] = [2, 1, -2, 0, 0, 0, 0];
const POWER: [i32; 7] = [2, 1, -3, 0, 0, 0, 0];
const PRESSURE: [i32; 7] = [-1, 1, -2, 0, 0, 0, 0];
const VISCOSITY: [i32; 7] = [-1, 1, -1, 0, 0, 0, 0];
const KELVIN: [i32; 7] = [0, 0, 0, 0, 1, 0, 0];

/// Pound-force in newtons (0.453 592 37 kg · 9.806 65 m/s²) and square inch in m²: both exact.
const LBF: f64 = 4.4482216152605;
const IN2: f64 = 0.00064516;

/// Definitions after the SI brochure (9th edition) and NIST SP 811, appendix B.
const UNITS: &[UnitEntry] = &[
    unit(&["m"], LENGTH, 1.0, 1.0, ALL),
    unit(&["g"], MASS, 1.0, 1e3, ALL),
    unit(&["s"], TIME, 1.0, 1.0, ALL),
    unit(&["A"], [0, 0, 0, 1, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["K"], KELVIN, 1.0, 1.0, ALL),
    unit(&["mol"], [0, 0, 0, 0, 0, 1, 0], 1.0, 1.0, ALL),
    unit(&["cd"], [0, 0, 0, 0, 0, 0, 1], 1.0, 1.0, ALL),
    // Numbers and angles.
    unit(&["%"], NUMBER, 1.0, 1e2, NONE),
    unit(&["‰"], NUMBER, 1.0, 1e3, NONE),
    unit(&["ppm"], NUMBER, 1.0, 1e6, NONE),
    unit(&["rad"], NUMBER, 1.0, 1.0, SMALL),
    unit(&["sr"], NUMBER, 1.0, 1.0, NONE),
    unit(&["deg", "°"], NUMBER, PI, 180.0, NONE),
    unit(&["arcmin"], NUMBER, PI, 10_800.0, NONE),
    unit(&["arcsec"], NUMBER, PI, 648_000.0, NONE),
    unit(&["rev"], NUMBER, TAU, 1.0, NONE),
    unit(&["rpm"], RATE, TAU, 60.0, NONE),
    unit(&["Hz"], RATE, 1.0, 1.0, ALL),
    // Time and speed.
    unit(&["min"], TIME, 60.0, 1.0, NONE),
    unit(&["h"], TIME, 3600.0, 1.0, NONE),
    unit(&["d"], TIME, 86_400.0, 1.0, NONE),
    unit(&["mph"], SPEED, 1609.344, 3600.0, NONE),
    unit(&["kph"], SPEED, 1e3, 3600.0, NONE),
    unit(&["knot"], SPEED, 1852.0, 3600.0, NONE),
    unit(&["gn"], [1, 0, -2, 0, 0, 0, 0], 9.80665, 1.0, NONE),
    // Length, area, volume.
    unit(&["in"], LENGTH, 254.0, 1e4, NONE),
    unit(&["thou"], LENGTH, 254.0, 1e7, NONE),
    unit(&["ft"], LENGTH, 3048.0, 1e4, NONE),
    unit(&["yd"], LENGTH, 9144.0, 1e4, NONE),
    unit(&["mi"], LENGTH, 1609.344, 1.0, NONE),
    unit(&["nmi"], LENGTH, 1852.0, 1.0, NONE),
    unit(&["ha"], [2, 0, 0, 0, 0, 0, 0], 1e4, 1.0, NONE),
    unit(&["l", "L"], VOLUME, 1.0, 1e3, COMMON),
    unit(&["cc"], VOLUME, 1.0, 1e6, NONE),
    unit(&["gal"], VOLUME, 3_785_411_784.0, 1e12, NONE),
    unit(&["gal_uk"], VOLUME, 454_609.0, 1e8, NONE),
    unit(&["lpm"], FLOW, 1.0, 60_000.0, NONE),
    unit(&["gpm"], FLOW, 3_785_411_784.0, 60e12, NONE),
    unit(&["cfm"], FLOW, 28_316_846_592.0, 60e12, NONE),
    // Mass and force.
    unit(&["t"], MASS, 1e3, 1.0, LARGE),
    unit(&["lb", "lbm"], MASS, 45_359_237.0, 1e8, NONE),
    unit(&["oz"], MASS, 45_359_237.0, 16e8, NONE),
    unit(&["slug"], MASS, 45_359_237.0 * 9.80665, 0.3048e8, NONE),
    unit(&["N"], FORCE, 1.0, 1.0, ALL),
    unit(&["kgf", "kp"], FORCE, 9.80665, 1.0, NONE),
    unit(&["lbf"], FORCE, LBF, 1.0, NONE),
    unit(&["kip"], FORCE, LBF * 1e3, 1.0, NONE),
    // Torque, energy, power.
    unit(&["Nm"], ENERGY, 1.0, 1.0, COMMON),
    unit(&["Ncm"], ENERGY, 1.0, 1e2, NONE),
    unit(&["Nmm"], ENERGY, 1.0, 1e3, NONE),
    unit(&["Nms"], [2, 1, -1, 0, 0, 0, 0], 1.0, 1.0, COMMON),
    unit(&["J", "Ws"], ENERGY, 1.0, 1.0, ALL),
    unit(&["Wh"], ENERGY, 3600.0, 1.0, LARGE),
    unit(&["cal"], ENERGY, 4.184, 1.0, LARGE),
    unit(&["BTU", "Btu"], ENERGY, 1055.05585262, 1.0, NONE),
    unit(&["eV"], ENERGY, 1.602176634e-19, 1.0, ALL),
    unit(&["W", "VA"], POWER, 1.0, 1.0, ALL),
    unit(&["hp"], POWER, LBF * 550.0 * 0.3048, 1.0, NONE),
    unit(&["PS"], POWER, 735.49875, 1.0, NONE),
    // Pressure and viscosity.
    unit(&["Pa"], PRESSURE, 1.0, 1.0, ALL),
    unit(&["bar", "bara"], PRESSURE, 1e5, 1.0, COMMON),
    unit(&["atm"], PRESSURE, 101_325.0, 1.0, NONE),
    unit(&["at"], PRESSURE, 98_066.5, 1.0, NONE),
    unit(&["Torr"], PRESSURE, 101_325.0, 760.0, NONE),
    unit(&["mmHg"], PRESSURE, 133.322387415, 1.0, NONE),
    unit(&["inHg"], PRESSURE, 133.322387415 * 25.4, 1.0, NONE),
    unit(&["mmH2O"], PRESSURE, 9.80665, 1.0, NONE),
    unit(&["inH2O"], PRESSURE, 9.80665 * 25.4, 1.0, NONE),
    unit(&["psi", "psia"], PRESSURE, LBF, IN2, NONE),
    unit(&["ksi"], PRESSURE, LBF * 1e3, IN2, NONE),
    shifted(&["barg"], PRESSURE, 1e5, 1.0, 101_325.0),
    shifted(&["psig"], PRESSURE, LBF, IN2, 101_325.0),
    unit(&["Pas"], VISCOSITY, 1.0, 1.0, SMALL),
    unit(&["P"], VISCOSITY, 1.0, 10.0, &["c", "m"]),
    unit(&["St"], [2, 0, -1, 0, 0, 0, 0], 1.0, 1e4, &["c", "m"]),
    // Temperature.
    shifted(&["°C", "degC"], KELVIN, 1.0, 1.0, 273.15),
    shifted(&["°F", "degF"], KELVIN, 5.0, 9.0, 459.67 * 5.0 / 9.0),
    unit(&["degR"], KELVIN, 5.0, 9.0, NONE),
    // Electricity.
    unit(&["C"], [0, 0, 1, 1, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["Ah"], [0, 0, 1, 1, 0, 0, 0], 3600.0, 1.0, COMMON),
    unit(&["V"], [2, 1, -3, -1, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["Ω", "\u{2126}", "ohm", "Ohm"], [2, 1, -3, -2, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["S"], [-2, -1, 3, 2, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["F"], [-2, -1, 4, 2, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["H"], [2, 1, -2, -2, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["Wb"], [2, 1, -2, -1, 0, 0, 0], 1.0, 1.0, ALL),
    unit(&["T"], [0, 1, -2, -1, 0, 0, 0], 1.0, 1.0, ALL),
];

/// What people write that is not a unit name, and what they mean.
const HABITS: &[(&str, &str)] = &[
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("meter", "m"),
    ("metre", "m"),
    ("lit", "l"),
    ("ltr", "l"),
    ("liter", "l"),
    ("litre", "l"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("inch", "in"),
    ("feet", "ft"),
    ("foot", "ft"),
    ("newton", "N"),
    ("pascal", "Pa"),
    ("volt", "V"),
    ("amp", "A"),
    ("kn", "knot"),
    ("NM", "Nm"),
    ("PA", "Pa"),
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static UnitEntry>> = LazyLock::new(|| {
    UNITS.iter().flat_map(|entry| entry.names.iter().map(move |&name| (name, entry))).collect()
});

/// The size of a named unit; a whole name wins over prefix and name: `min` is a minute, `ft` a foot.
pub(super) fn find(name: &str) -> Option<UnitScale> {
    let scale = |entry: &UnitEntry, num: f64, den: f64| UnitScale {
        dimension: Dimension::whole(entry.exponents),
        num: entry.num * num,
        den: entry.den * den,
        offset: entry.offset,
    };
    if let Some(entry) = BY_NAME.get(name) {
        return Some(scale(entry, 1.0, 1.0));
    }
    PREFIXES.iter().find_map(|&(prefix, num, den)| {
        let entry = BY_NAME.get(name.strip_prefix(prefix)?)?;
        entry.prefixes.contains(&prefix).then(|| scale(entry, num, den))
    })
}

/// The unit that people mean by `name`.
pub(crate) fn habit(name: &str) -> Option<&'static str> {
    HABITS.iter().find(|(habit, _)| *habit == name).map(|(_, meant)| *meant)
}

/// How to write what `name` probably means.
pub(super) fn suggestion(name: &str) -> Option<String> {
    if let Some(meant) = habit(name) {
        return Some(format!("write `{meant}`"));
    }
    let small = name.to_lowercase();
    if find(&small).is_some() {
        return Some(format!("did you mean `{small}`?"));
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() < name.len() && find(stem).is_some() {
        return Some(format!("write `{stem}^{}`", &name[stem.len()..]));
    }
    let with_prefix = |entry: &'static UnitEntry| {
        let prefixes = entry.prefixes.iter().filter(|p| COMMON.contains(p) && **p != "u");
        prefixes.flat_map(|p| entry.names.iter().map(move |n| format!("{p}{n}")))
    };
    let mut names: Vec<String> =
        UNITS.iter().flat_map(|entry| entry.names.iter().map(|n| n.to_string())).collect();
    names.extend(UNITS.iter().flat_map(with_prefix));
    nearest(name, names.iter().map(String::as_str)).map(|meant| format!("did you mean `{meant}`?"))
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    UNITS.iter().flat_map(|entry| entry.names.iter().copied())
}

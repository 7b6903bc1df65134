use std::collections::HashSet;
use std::f64::consts::{PI, TAU};

use proptest::prelude::*;

use super::quantities::QUANTITIES;
use super::*;

/// Text, size in SI, SI unit.
const SIZES: &[(&str, f64, &str)] = &[
    ("m", 1.0, "m"),
    ("mm", 1e-3, "m"),
    ("µm", 1e-6, "m"),
    ("μm", 1e-6, "m"),
    ("um", 1e-6, "m"),
    ("nm", 1e-9, "m"),
    ("cm", 1e-2, "m"),
    ("km", 1e3, "m"),
    ("in", 0.0254, "m"),
    ("ft", 0.3048, "m"),
    ("yd", 0.9144, "m"),
    ("mi", 1609.344, "m"),
    ("mm²", 1e-6, "m²"),
    ("mm^2", 1e-6, "m²"),
    ("49.05 cm^2", 49.05e-4, "m²"),
    ("cm³", 1e-6, "m³"),
    ("l", 1e-3, "m³"),
    ("L", 1e-3, "m³"),
    ("ml", 1e-6, "m³"),
    ("cc", 1e-6, "m³"),
    ("gal", 3.785411784e-3, "m³"),
    ("cm^3/rev", 1e-6 / TAU, "m³"),
    ("in³", 16.387064e-6, "m³"),
    ("s", 1.0, "s"),
    ("ms", 1e-3, "s"),
    ("min", 60.0, "s"),
    ("h", 3600.0, "s"),
    ("d", 86400.0, "s"),
    ("1/s", 1.0, "1/s"),
    ("s^-1", 1.0, "1/s"),
    ("s⁻¹", 1.0, "1/s"),
    ("Hz", 1.0, "1/s"),
    ("kHz", 1e3, "1/s"),
    ("rpm", TAU / 60.0, "1/s"),
    ("rev/min", TAU / 60.0, "1/s"),
    ("rad/s", 1.0, "1/s"),
    ("deg/s", PI / 180.0, "1/s"),
    ("km/h", 1.0 / 3.6, "m/s"),
    ("mph", 0.44704, "m/s"),
    ("m/s^2", 1.0, "m/s²"),
    ("m/s/s", 1.0, "m/s²"),
    ("gn", 9.80665, "m/s²"),
    ("kg", 1.0, "kg"),
    ("g", 1e-3, "kg"),
    ("t", 1e3, "kg"),
    ("lb", 0.45359237, "kg"),
    ("slug", 14.593902937206364, "kg"),
    ("kg m^2", 1.0, "kg·m²"),
    ("kg·m²", 1.0, "kg·m²"),
    ("kg*m^2", 1.0, "kg·m²"),
    ("g cm²", 1e-7, "kg·m²"),
    ("kg/m^3", 1.0, "kg/m³"),
    ("N", 1.0, "N"),
    ("kN", 1e3, "N"),
    ("lbf", 4.4482216152605, "N"),
    ("kgf", 9.80665, "N"),
    ("Nm", 1.0, "N·m"),
    ("N m", 1.0, "N·m"),
    ("N·m", 1.0, "N·m"),
    ("kNm", 1e3, "N·m"),
    ("mNm", 1e-3, "N·m"),
    ("J", 1.0, "N·m"),
    ("kWh", 3.6e6, "N·m"),
    ("N m s/rad", 1.0, "N·m·s"),
    ("Nm/rad", 1.0, "N·m"),
    ("N/mm", 1e3, "N/m"),
    ("W", 1.0, "W"),
    ("MW", 1e6, "W"),
    ("hp", 745.6998715822702, "W"),
    ("PS", 735.49875, "W"),
    ("Pa", 1.0, "Pa"),
    ("hPa", 1e2, "Pa"),
    ("MPa", 1e6, "Pa"),
    ("bar", 1e5, "Pa"),
    ("mbar", 1e2, "Pa"),
    ("psi", 6894.757293168361, "Pa"),
    ("atm", 101325.0, "Pa"),
    ("N/mm²", 1e6, "Pa"),
    ("l/min", 1e-3 / 60.0, "m³/s"),
    ("L/min", 1e-3 / 60.0, "m³/s"),
    ("gal/min", 3.785411784e-3 / 60.0, "m³/s"),
    ("gpm", 3.785411784e-3 / 60.0, "m³/s"),
    ("m³/h", 1.0 / 3600.0, "m³/s"),
    ("Pa s", 1.0, "Pa·s"),
    ("mPas", 1e-3, "Pa·s"),
    ("cP", 1e-3, "Pa·s"),
    ("cSt", 1e-6, "m²/s"),
    ("(m^7/kg)^0.5", 1.0, "(m^7/kg)^0.5"),
    ("l/min/bar^0.5", 1e-3 / 60.0 / 316.22776601683796, "(m^7/kg)^0.5"),
    ("K", 1.0, "K"),
    ("W/(m² K)", 1.0, "W/(m²·K)"),
    ("J/(kg·°C)", 1.0, "J/(kg·K)"),
    ("mA", 1e-3, "A"),
    ("V", 1.0, "V"),
    ("kΩ", 1e3, "Ω"),
    ("ohm", 1.0, "Ω"),
    ("µF", 1e-6, "F"),
    ("mH", 1e-3, "H"),
    ("Ah", 3600.0, "C"),
    ("V s/rad", 1.0, "V·s"),
    ("Nm/A", 1.0, "V·s"),
    ("-40 °F", 233.15, "K"),
    ("1 barg", 201_325.0, "Pa"),
    ("%", 1e-2, "1"),
    ("deg", PI / 180.0, "1"),
    ("°", PI / 180.0, "1"),
    ("mrad", 1e-3, "1"),
    ("rev", TAU, "1"),
    ("m^(1/3)", 1.0, "m^(1/3)"),
    ("m/(kg s)", 1.0, "m/(kg·s)"),
];

#[test]
fn units_have_their_exact_size() {
    for &(text, size, si) in SIZES {
        let value = if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && text != "1/s" {
            parse_value(text)
        } else {
            parse_value(&format!("1 {text}"))
        };
        let value = value.unwrap_or_else(|e| panic!("{text}: {}", e.message));
        assert!((value.si / size - 1.0).abs() < 4.0 * f64::EPSILON, "{text}: {} is not {size}", value.si);
        assert_eq!(value.unit.dimension.to_string(), si, "{text}");
    }
}

#[test]
fn values_are_correctly_rounded() {
    let check = |text: &str, si: f64| assert_eq!(parse_value(text).map(|v| v.si), Ok(si), "{text}");
    check("3 bar", 3e5);
    check("150bar", 1.5e7);
    check("19 mm", 0.019);
    check("29.919 mm", 0.029919);
    check("350 l/min", 350.0 / 60_000.0);
    check("3 Nm", 3.0);
    check("49.05 cm^2", 0.004905);
    check("1e-3", 1e-3);
    check("-2.5e6 Pa", -2.5e6);
    check("−4 N", -4.0);
    check("+4 N", 4.0);
    check(".5 m", 0.5);
    check("20 %", 0.2);
    check("0.2 %", 0.002);
    check("1_000 N", 1000.0);
    check("  7 kg  ", 7.0);
    check("7\u{a0}kg", 7.0);
    check("50 1/s", 50.0);
    check("50 /s", 50.0);
    check("6 /min/m", 0.1);
    check("-5 °C", 268.15);
    check("-0.5 barg", 51_325.0);
    check("3e3mm", 3.0);
    check("20 °C", 293.15);
    check("0 barg", 101_325.0);
    check("5 K/min", 5.0 / 60.0);
}

#[test]
fn wrong_units_and_values_are_explained() {
    let check = |text: &str, message: &str, span: Range<usize>, hint: Option<&str>| {
        let expected = UnitError { message: message.into(), span, hint: hint.map(String::from) };
        assert_eq!(parse_value(text), Err(expected), "{text}");
    };
    check("3 Bar", "unknown unit `Bar`", 2..5, Some("did you mean `bar`?"));
    check("100 MM", "unknown unit `MM`", 4..6, Some("did you mean `mm`?"));
    check("3 l/sec", "unknown unit `sec`", 4..7, Some("write `s`"));
    check("3 mm2", "unknown unit `mm2`", 2..5, Some("write `mm^2`"));
    check("3 newtno", "unknown unit `newtno`", 2..8, None);
    check("3 barr", "unknown unit `barr`", 2..6, Some("did you mean `bar`?"));
    check("", "expected a number, found nothing", 0..0, None);
    check("bar", "expected a number, found `bar`", 0..3, None);
    check("nan", "`nan` is not a finite number", 0..3, None);
    check("-inf Pa", "`inf` is not a finite number", 1..4, None);
    check("1e999", "`1e999` is too large a number", 0..5, None);
    check("1e-999 m", "`1e-999` is too small a number", 0..6, None);
    check("1e308 km", "`1e308 km` is too large a number", 0..8, None);
    check("2,5 bar", "expected a unit, found `,`", 1..2, Some("write a decimal point instead of the comma"));
    check("3 m/", "expected a unit, found nothing", 4..4, None);
    check("3 (m", "expected `)`", 4..4, None);
    check("3 m)", "expected a unit, found `)`", 3..4, None);
    check("3 m^x", "expected a number as exponent", 4..4, None);
    check("3 m^99999", "the exponent 99999 is too large or too fine for a unit", 2..9, None);
    check("3 km^200", "`km^200` is too large or too small to convert to SI", 1..8, None);
    let hint = "put what is divided by in parentheses, as in `J/(kg·K)`";
    let message = "a unit multiplied after a division can be read in two ways";
    check("3 J/kg K", message, 7..7, Some(hint));
    check("3 J/kg·K", message, 8..8, Some(hint));
    check("3 /", "expected a unit, found nothing", 3..3, None);
    check("3 //s", "expected a unit, found `/`", 3..4, None);
}

#[test]
fn dimensions_multiply_and_take_powers() {
    let d = |text: &str| parse_unit(text).unwrap().dimension;
    assert_eq!(d("N"), d("kg m/s^2"));
    assert_eq!(d("N m"), d("J"));
    assert_eq!(d("Pa") * d("m^3/s"), d("W"));
    assert_eq!(d("V") / d("A"), d("ohm"));
    assert_eq!(d("(m^7/kg)^0.5") * d("Pa").powf(0.5).unwrap(), d("m³/s"));
    assert_eq!(d("m").powf(1.0 / 3.0).and_then(|d| d.powf(3.0)), Some(d("m")));
    assert_eq!(d("m").powf(0.123456789), None);
    assert_eq!(d("m").powf(f64::NAN), None);
    assert_eq!(Dimension::ONE.powf(1e300), Some(Dimension::ONE));
    assert_eq!(d("m/kg^12").to_string(), "m/kg^12");
    assert_eq!(d("m^0.5/(s A)").to_string(), "m^0.5/(s·A)");
    assert_eq!(d("1/(m kg)").to_string(), "1/(kg·m)");
}

#[test]
fn quantities_are_named() {
    let check = |text: &str, name: &str| assert_eq!(parse_unit(text).unwrap().dimension.quantity(), name);
    check("bar", "a pressure");
    check("l/min", "a volume flow");
    check("mm²", "an area");
    check("deg", "a plain number");
    check("N s/m", "a mass flow or damping");
    check("m kg", "a quantity in kg·m");
}

#[test]
fn every_quantity_has_its_own_dimension_and_reads_back() {
    let mut seen = HashSet::new();
    for q in QUANTITIES {
        let unit = parse_unit(q.unit).unwrap();
        assert!(seen.insert(unit.dimension), "{} is listed twice", q.unit);
        assert_eq!((unit.factor, unit.offset), (1.0, 0.0), "{}", q.unit);
        assert_eq!(unit.dimension.to_string(), q.unit);
        assert_eq!(nominal(unit.dimension), q.size);
    }
}

#[test]
fn unnamed_dimensions_have_a_size() {
    let size = |text: &str| nominal(parse_unit(text).unwrap().dimension);
    assert!((size("kg m") / 0.1 - 1.0).abs() < 1e-12);
    assert_eq!(size("m^900"), 1.0);
}

#[test]
fn the_page_lists_every_unit_and_quantity() {
    let page = include_str!("../../../../docs/reference/units.md");
    for name in known::names() {
        assert!(page.contains(&format!("`{name}`")), "docs/reference/units.md does not mention `{name}`");
    }
    for q in QUANTITIES {
        let row = format!("| {} | {} | {:e} |", q.name, q.unit, q.size);
        assert!(page.contains(&row), "docs/reference/units.md lacks the row {row}");
    }
}

#[test]
fn a_literal_takes_the_longest_unit() {
    let check = |text: &str, len: usize| assert_eq!(unit_prefix(text).map(|(_, len)| len), Ok(len), "{text}");
    check("bar", 3);
    check("l/min", 5);
    check("m / s", 1);
    check("m /s", 1);
    check("m/ s", 1);
    check("m/p0", 1);
    check("m/s^2 * t", 5);
    check("m/s*t", 3);
    check("N m s/rad", 9);
    check("N x", 1);
    check("N m(", 1);
    check("m/s t", 3);
    check("J/(kg K)", 8);
    check("J/(kg*K)", 1);
    check("J/(x+1)", 1);
    check("m^n", 1);
    check("m^2+1", 3);
    check("m²·s", "m²·s".len());
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC*", near in "[0-9eE_.,+−()/^*·² %°a-zA-Zµ-]{0,24}") {
        for text in [text, near] {
            for span in [parse_unit(&text).err(), parse_value(&text).err()].into_iter().flatten().map(|e| e.span) {
                prop_assert!(text.get(span).is_some());
            }
            if let Ok((unit, len)) = unit_prefix(&text) {
                prop_assert_eq!(&unit.text, &text[..len]);
            }
        }
    }

    #[test]
    fn dimensions_print_and_read_back(exponents in proptest::array::uniform7(-9i32..9), root in 1i32..8) {
        let dimension = Dimension::whole(exponents).powf(1.0 / root as f64).unwrap();
        prop_assert_eq!(parse_unit(&dimension.to_string()).map(|u| (u.dimension, u.factor)), Ok((dimension, 1.0)));
    }
}

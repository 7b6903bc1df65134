mod absolute;
mod messages;
mod text;

use std::ops::Range;
use std::sync::Arc;

use trunnion_equations::{Ex, Graph, GraphTable, Symbol};
use trunnion_num::{Outside, Table1, TableShape};

use super::error::LangError;
use super::*;
use crate::units::{Dimension, parse_unit};

const NAMES: &[(&str, &str)] = &[
    ("x", "m"),
    ("x_max", "m"),
    ("v", "m/s"),
    ("p", "Pa"),
    ("q", "m^3/s"),
    ("R", "(m^7/kg)^0.5"),
    ("k", "N/m"),
    ("n", "1"),
    ("pump.q", "m^3/s"),
    ("anything", ""),
    ("theta", "Pa"),
    ("theta2", "Pa"),
];

/// `k` and `n` are parameters, the others unknowns; `anything` has no known dimension. Tables: `area` of a length,
/// `map` of a pressure and a length.
struct Fixture {
    graph: Graph,
    area: TableId,
}

impl Fixture {
    fn new() -> Fixture {
        let graph = Graph::new();
        let table = Table1::new(&[0.0, 1.0], &[0.0, 2.0], TableShape::Linear, Outside::Hold).unwrap();
        let area = graph.add_table("area", GraphTable::One(Arc::new(table)));
        Fixture { graph, area }
    }

    fn symbol(&self, name: &str) -> Ex<'_> {
        let index = NAMES.iter().position(|(known, _)| *known == name).unwrap();
        self.graph.symbol(Symbol(index as u32))
    }

    fn lower(&self, text: &str) -> Result<Typed, Vec<LangError>> {
        lower(&self.graph, &parse_expression(text)?, self)
    }
}

impl Scope for Fixture {
    fn resolve(&self, path: &str) -> Option<Binding> {
        let index = NAMES.iter().position(|(known, _)| *known == path)?;
        let (name, unit) = NAMES[index];
        let symbol = Symbol(index as u32);
        Some(Binding {
            expr: self.graph.symbol(symbol).id,
            dimension: (!unit.is_empty()).then(|| dimension(unit)),
            derivative: (!["k", "n"].contains(&name)).then_some(symbol),
        })
    }

    /// `theta` and `theta2` are declared in barg.
    fn absolute(&self, path: &str) -> Option<Dimension> {
        path.starts_with("theta").then(|| dimension("Pa"))
    }

    fn names(&self) -> Vec<String> {
        NAMES.iter().map(|(name, _)| name.to_string()).collect()
    }

    fn table(&self, name: &str) -> Option<TableFn> {
        let (arguments, result) = match name {
            "area" => (vec!["m"], "m^2"),
            "map" => (vec!["Pa", "m"], "m^3/s"),
            _ => return None,
        };
        let arguments = arguments.into_iter().map(|unit| Some(dimension(unit))).collect();
        Some(TableFn { id: self.area, arguments, result: Some(dimension(result)) })
    }
}

fn dimension(unit: &str) -> Dimension {
    parse_unit(unit).unwrap().dimension
}

#[test]
fn a_unit_in_parentheses_follows_its_number() {
    let value = parse_expression("4e-6 (m^7/kg)^0.5").map(|ast| ast.to_string());
    assert_eq!(value.ok().as_deref(), Some("4e-6 (m^7/kg)^0.5"));
    for wrong in ["3 (m)", "3 (m/2)", "3 (a + b)", "2 (x/y)"] {
        assert!(parse_expression(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn constants_fold_to_their_value() {
    let check = |text: &str, value: f64, unit: &str| {
        let fixture = Fixture::new();
        let typed = fixture.lower(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let found = fixture.graph.at(typed.expr).value().unwrap();
        assert!((found - value).abs() <= 1e-14 * value.abs(), "{text}: {found} is not {value}");
        assert_eq!(typed.dimension, Some(dimension(unit)), "{text}");
    };
    // Operators.
    check("1 + 2*3", 7.0, "1");
    check("8 - 2 - 1", 5.0, "1");
    check("8 / 2 / 2", 2.0, "1");
    check("2^3^2", 512.0, "1");
    check("-2^2", -4.0, "1");
    check("2^-1", 0.5, "1");
    check("--2 + +1", 3.0, "1");
    check("2 − 5", -3.0, "1");
    check("(1 + 2)*3", 9.0, "1");
    check("2*-3", -6.0, "1");
    check("1 < 2 and not 2 < 1", 1.0, "1");
    check("1 > 2 or 2 >= 2", 1.0, "1");
    check("not 1 == 2", 1.0, "1");
    check("1 != 1 or false", 0.0, "1");
    check("true and 1 <= 1", 1.0, "1");
    check("if(1 < 2, 3, 4)", 3.0, "1");
    check("if 1 > 2 then 3 else 4 + 1", 5.0, "1");
    check("if (1) + 1 > 2 then 3 else if 2 > 1 then 4 else 5", 4.0, "1");
    check("if (2)^2 == 4 then 1 else 2", 1.0, "1");
    check("if(1 > 2, 3, 4)^2 + 1", 17.0, "1");
    // Units.
    check("3 bar", 3e5, "Pa");
    check("150bar + 2 MPa", 1.7e7, "Pa");
    check("350 l/min", 350.0 / 60_000.0, "m^3/s");
    check("3 Nm", 3.0, "N m");
    check("3 N m s/rad", 3.0, "N m s");
    check("2 m/s^2 * 3 s", 6.0, "m/s");
    check("2 m/s^2*3s", 6.0, "m/s");
    check("10 m / 2 s", 5.0, "m/s");
    check("2 m^2", 2.0, "m^2");
    check("(2 m)^2", 4.0, "m^2");
    check("2 m ^ 2", 4.0, "m^2");
    check("4186 J/(kg K)", 4186.0, "J/(kg K)");
    check("20 % * 10", 2.0, "1");
    check("20 °C - 10 °C", 10.0, "K");
    check("0 + 3 m", 3.0, "m");
    check("2e3 mm", 2.0, "m");
    check("1_000 N", 1e3, "N");
    // Functions.
    check("max(1 m, 30 mm, 2 m)", 2.0, "m");
    check("min(3, 2, 4)", 2.0, "1");
    check("sqrt(9 m^2)", 3.0, "m");
    check("sin(30 deg)", 0.5, "1");
    check("cos(pi)", -1.0, "1");
    check("atan2(1 m, 1 m)", std::f64::consts::FRAC_PI_4, "1");
    check("mod(-1, 3)", 2.0, "1");
    check("clip(5 m, 0, 2 m)", 2.0, "m");
    check("sign(-3 bar)", -1.0, "1");
    check("pow(2 m, 3)", 8.0, "m^3");
    check("log10(1000) + ln(exp(2))", 5.0, "1");
    check("floor(1.5) + ceil(1.5)", 3.0, "1");
    check("signed_square(-3 m)", -9.0, "m^2");
    check("signed_root(-4 Pa, 0)", -2.0, "Pa^0.5");
    check("smooth_abs(3, 4)", 5.0, "1");
    check("smooth_max(1, 4, 4)", 5.0, "1");
    check("smooth_min(1, 4, 4)", 0.0, "1");
    check("smooth_sign(3 m, 4 m)", 0.6, "1");
    check("hypot(3 m, 4 m)", 5.0, "m");
    check("area(0.5 m)", 1.0, "m^2");
}

#[test]
fn names_become_symbols() {
    let f = Fixture::new();
    let at = |name: &str| f.symbol(name);
    let check = |text: &str, expected: Ex, unit: &str| {
        let typed = f.lower(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(f.graph.at(typed.expr), expected, "{text}");
        assert_eq!(typed.dimension, Some(dimension(unit)), "{text}");
    };
    check("k*x", at("k") * at("x"), "N");
    check("pump.q - q", at("pump.q") - at("q"), "m^3/s");
    check("der(x) - v", f.graph.derivative(Symbol(0)) - at("v"), "m/s");
    check("time", f.graph.time(), "s");
    check("R*signed_root(p, 1e4 Pa)", at("R") * at("p").signed_root(f.graph.constant(1e4)), "m^3/s");
    check(
        "if(x > x_max, k, 0)",
        f.graph.select(at("x_max").lt(at("x")), at("k"), f.graph.constant(0.0)),
        "N/m",
    );
    check("area(x)", f.graph.table1(f.area, at("x"), 0), "m^2");
    check("x + anything", at("x") + at("anything"), "m");
    check("x^1.4/x^0.4", at("x").pow(f.graph.constant(1.4)) / at("x").pow(f.graph.constant(0.4)), "m");
    assert_eq!(f.lower("x*anything").unwrap().dimension, None);
    assert_eq!(f.lower("0").unwrap().dimension, None);
}

#[test]
fn references_are_found_in_order() {
    let check = |text: &str, expected: &[(&str, Range<usize>)]| {
        let expected: Vec<_> = expected.iter().map(|(name, span)| (name.to_string(), span.clone())).collect();
        assert_eq!(references(&parse_expression(text).unwrap()), expected, "{text}");
    };
    check("b + sin(a.c) - der( x )/b", &[("b", 0..1), ("a.c", 8..11), ("x", 20..21), ("b", 24..25)]);
    check("if(not n, -φ^y, time*pi)", &[("n", 7..8), ("φ", 11..13), ("y", 14..15)]);
    check("2 bar", &[]);
}

#[test]
fn equations_are_checked_across_the_sign() {
    let f = Fixture::new();
    let lowered = |text: &str| lower_equation(&f.graph, &parse_equation(text)?, &f);
    let x = f.symbol("x");
    assert_eq!(lowered("v = der(x)").map(|sides| sides.1), Ok(f.graph.derivative(Symbol(0)).id));
    assert_eq!(lowered("0 = x - x_max").map(|sides| sides.1), Ok((x - f.symbol("x_max")).id));
    assert_eq!(lowered("x - x_max = 0").map(|sides| sides.0), Ok((x - f.symbol("x_max")).id));
    let place = |text: &str| {
        let errors = lowered(text).unwrap_err();
        errors.iter().map(|e| text[e.span.clone()].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(place("x = v"), ["v"]);
    assert_eq!(place("x = v + v"), ["v + v"]);
    assert_eq!(place("x = v + x_max - p"), ["v", "p"]);
    assert_eq!(place("x = x_max + 1"), ["1"]);
    assert_eq!(place("1 = x"), ["1"]);
    assert_eq!(place("x + p = x_max"), ["p"]);
    assert_eq!(place("x = y + sin(x)"), ["y", "x", "sin(x)"]);
}

#[test]
fn conditions_become_guards() {
    let f = Fixture::new();
    let guard = |text: &str| condition(&f.graph, &parse_expression(text)?, &f);
    let (x, x_max, v) = (f.symbol("x"), f.symbol("x_max"), f.symbol("v"));
    let check = |text: &str, ex: Ex, direction: Direction| {
        let found = guard(text).map(|g| (g.expr, g.direction));
        assert_eq!(found, Ok((ex.id, direction)), "{text}");
    };
    check("x < 0", x, Direction::Falling);
    check("x <= 3 mm", x - 0.003, Direction::Falling);
    check("x > x_max", x - x_max, Direction::Rising);
    check("x >= x_max", x - x_max, Direction::Rising);
    check("crosses(x, x_max)", x - x_max, Direction::Both);
    check("time > 2 s", f.graph.time() - 2.0, Direction::Rising);
    check("x < 0 and v < 0", x.max(v), Direction::Falling);
    check("x > x_max or v < 0", (x_max - x).min(v), Direction::Falling);
    check("not x > x_max", x - x_max, Direction::Falling);
    let message = |text: &str| guard(text).unwrap_err().into_iter().map(|e| e.message).collect::<Vec<_>>();
    let equal = "an event happens where a relation turns true, and equality never does so exactly";
    assert_eq!(message("x == x_max"), [equal]);
    assert_eq!(message("x"), ["an event needs a relation"]);
    assert_eq!(message("x < 0 and crosses(x, v)"), ["an event needs a relation"]);
    assert_eq!(message("x < v"), ["expected a length, found a speed"]);
    assert_eq!(message("crosses(x)"), ["`crosses` takes 2 arguments, found 1"]);
}

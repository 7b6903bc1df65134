//! Temperatures and gauge pressures: signs, sums, differences.

use super::Fixture;
use crate::language::{lower_equation, parse_equation, parse_expression};

fn value(text: &str) -> Result<f64, String> {
    let fixture = Fixture::new();
    let told = |errors: Vec<crate::language::LangError>| {
        assert!(errors.iter().all(|e| text.get(e.span.clone()).is_some()), "{text}");
        errors.iter().map(|e| format!("{}: {}", e.code, e.message)).collect::<Vec<_>>().join("; ")
    };
    let typed = fixture.lower(text).map_err(told)?;
    Ok(fixture.graph.at(typed.expr).value().unwrap_or(f64::NAN))
}

#[test]
fn what_has_a_meaning_has_its_value() {
    let check = |text: &str, expected: f64| {
        let found = value(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(
            (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
            "{text}: {found} is not {expected}"
        );
    };
    check("-5 °C", 268.15);
    check("- 5 °C", 268.15);
    check("−5 °C", 268.15);
    check("+5 °C", 278.15);
    check("-0.5 barg", 51_325.0);
    check("-40 °F", 233.15);
    check("20 °C - 15 °C", 5.0);
    check("20 °C - -15 °C", 35.0);
    check("20 °C + 10 K", 303.15);
    check("10 K + 20 °C", 303.15);
    check("20 °C - 10 K", 283.15);
    check("10 barg - 2 barg", 8e5);
    // Means and other weights that add up to one.
    check("(20 °C + 30 °C)/2", 298.15);
    check("0.5*(20 °C + 30 °C)", 298.15);
    check("0.25*20 °C + 0.75*40 °C", 308.15);
    check("20 °C/3 + 2/3*20 °C", 293.15);
    check("20 °C + 0.5*(40 °C - 20 °C)", 303.15);
    check("2*20 °C - 10 °C", 303.15);
    check("max(-5 °C, 10 °C)", 283.15);
    check("if 1 > 0 then -5 °C else 300 K", 268.15);
    check("3*(30 °C - 20 °C)", 30.0);
    check("2 W/K*(30 °C - 20 °C)", 20.0);
    check("smooth_max(20 °C, 20 °C, 2 °C)", 294.15);
    // An exponent belongs to the unit, and then it is a difference.
    check("2 °C^2", 2.0);
    check("0.03 1/s", 0.03);
    check("6 1/min", 0.1);
    check("2*0.03 1/s", 0.06);
}

#[test]
fn what_has_none_is_refused() {
    for text in [
        "20 °C + 10 °C",
        "20 °C + -5 °C",
        "2*20 °C",
        "20 °C/2",
        "20 °C*2",
        "-(5 °C)",
        "--5 °C",
        "(20 °C + 30 °C)/3",
        "3 barg + 4 barg",
        "2 W/K*20 °C",
        "1 J/20 °C",
        "(20 °C)^2",
        "sqrt(20 °C)",
        "20 °C > 30 °C - 10 °C",
        "max(20 °C, 30 °C - 10 °C)",
        "if 1 > 0 then 20 °C else 30 °C - 10 °C",
        "smooth_max(20 °C, 30 °C, 20 °C + 1 K)",
        "p + 3 barg + 4 barg",
        "p*3 barg",
    ] {
        let told = value(text).err().unwrap_or_default();
        assert!(told.starts_with("L17: "), "{text}: {told}");
    }
}

#[test]
fn equations_in_variables_are_free() {
    let fixture = Fixture::new();
    let check = |text: &str| {
        parse_equation(text)
            .and_then(|sides| lower_equation(&fixture.graph, &sides, &fixture))
            .map_err(|errors| errors.into_iter().map(|e| e.message).collect::<Vec<_>>())
    };
    for text in [
        "p = theta",
        "theta = p + p",
        "theta + theta = 2*p",
        "theta + theta2 = 2*p",
        "0 = theta + theta2 - 2*p",
        "p*theta = theta2*p",
        "theta = 2*theta2",
        "theta = 0.3*theta + 0.7*theta2",
        "n*theta + (1 - n)*theta2 = p",
        "der(theta) = (theta2 - theta)/1 s",
        "p = 0.5*(theta + 3 barg)",
        "theta2 = theta + 2 bar",
        "p = theta - 3 barg",
    ] {
        assert_eq!(check(text), Ok(check(text).unwrap()), "{text}");
    }
    for text in [
        "theta2 = theta + 2 barg",
        "theta = theta2 - 3 barg",
        "p = theta + theta2",
        "p = theta + 2 barg",
        "theta = 2*3 barg",
    ] {
        let told = check(text).unwrap_err();
        assert!(told[0].contains("pressure"), "{text}: {told:?}");
    }
}

#[test]
fn the_sign_of_a_printed_number_stays() {
    for text in ["-5 °C", "-(5 °C)", "x - -5 °C", "(-5 °C)^2", "-5 bar"] {
        assert_eq!(parse_expression(text).unwrap().to_string(), text);
    }
}

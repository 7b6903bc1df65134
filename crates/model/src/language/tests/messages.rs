//! What wrong expressions are told.

use std::ops::Range;

use super::Fixture;
use crate::language::{LangError, lower_equation, parse_equation};

/// Code, message, span, label, hint.
type Told = (&'static str, &'static str, Range<usize>, &'static str, &'static str);

fn compare(text: &str, found: Vec<LangError>, expected: &[Told]) {
    let hint = |e: &LangError| e.hint.clone().unwrap_or_default();
    let found: Vec<_> =
        found.iter().map(|e| (e.code, &*e.message, e.span.clone(), &*e.label, hint(e))).collect();
    let expected: Vec<_> =
        expected.iter().cloned().map(|(c, m, s, l, h)| (c, m, s, l, h.to_string())).collect();
    assert_eq!(found, expected, "{text}");
}

fn check(text: &str, expected: &[Told]) {
    compare(text, Fixture::new().lower(text).err().unwrap_or_default(), expected);
}

fn check_equation(text: &str, expected: &[Told]) {
    let fixture = Fixture::new();
    let lowered = parse_equation(text).and_then(|sides| lower_equation(&fixture.graph, &sides, &fixture));
    compare(text, lowered.err().unwrap_or_default(), expected);
}

#[test]
#[rustfmt::skip] // One case, one line.
fn wrong_expressions_are_explained() {
    check("x + 1", &[("L13", "expected a length, found a plain number", 4..5, "a plain number, but `x` is in m", "write `1 m`")]);
    check("1 + x", &[("L13", "expected a length, found a plain number", 0..1, "a plain number, but `x` is in m", "write `1 m`")]);
    check("x + p*v", &[("L13", "expected a length, found a heat flux", 4..7, "in W/m², but `x` is in m", "")]);
    check("x - -2", &[("L13", "expected a length, found a plain number", 4..6, "a plain number, but `x` is in m", "write `-2 m`")]);
    check("p + q", &[("L13", "expected a pressure, found a volume flow", 4..5, "in m³/s, but `p` is in Pa", "")]);
    check("sin(x)", &[("L13", "expected a plain number, found a length", 4..5, "in m, but the argument of `sin` is a plain number", "")]);
    check("x^n", &[("L14", "the exponent of a length must be a number", 2..3, "`x` is in m", "divide by a reference first, as in `(x/x_0)^n`")]);
    check("x^1.23456789", &[("L14", "a length to the power 1.23456789 has no unit", 2..12, "", "")]);
    check("2 x", &[("L03", "unknown unit `x`", 2..3, "", "to multiply, write `2*x`")]);
    check("3 bars", &[("L03", "unknown unit `bars`", 2..6, "", "did you mean `bar`? To multiply, write `3*bars`")]);
    check("3 m2", &[("L03", "unknown unit `m2`", 2..4, "", "write `m^2`; to multiply, write `3*m2`")]);
    check("2(x)", &[("L05", "an operator is missing before `(`", 1..2, "", "to multiply, write `*`")]);
    check("3 min(1, 2)", &[("L05", "an operator is missing before `min`", 2..5, "", "to multiply, write `*`")]);
    check("y", &[("L09", "unknown name `y`", 0..1, "", "declare `y` under [parameters] or [variables]")]);
    check("kg", &[("L09", "unknown name `kg`", 0..2, "", "`kg` is a unit: it follows a number, as in `1 kg`, and joins other units by `/`, `·` or a space")]);
    check("20 °C + 10 °C", &[("L17", "absolute temperatures do not add up to a temperature", 0..15, "", "write what is a difference in K; a mean is (a + b)/2")]);
    check("1 W/K*20 °C", &[("L17", "an absolute temperature in a product can be read in two ways", 6..12, "", "write 293.15 K for the temperature, 20 K for a difference")]);
    check("sin", &[("L09", "unknown name `sin`", 0..3, "", "to call the function, write `sin(…)`")]);
    check("sinn(1)", &[("L10", "unknown function `sinn`", 0..4, "", "did you mean `sin`?")]);
    check("log(2)", &[("L10", "unknown function `log`", 0..3, "", "write `ln` or `log10`")]);
    check("x(2)", &[("L10", "`x` is not a function", 0..1, "", "to multiply, write `*`")]);
    check("min()", &[("L11", "`min` takes 1 or more arguments, found 0", 0..5, "", "write `min(a, b, …)`")]);
    check("clip(1, 2)", &[("L11", "`clip` takes 3 arguments, found 2", 0..10, "", "write `clip(x, lo, hi)`")]);
    check("area(p)", &[("L13", "expected a length, found a pressure", 5..6, "in Pa, but the argument of `area` is in m", "")]);
    check("area(2)", &[("L13", "expected a length, found a plain number", 5..6, "a plain number, but the argument of `area` is in m", "write `2 m`")]);
    check("area(1, 2)", &[("L11", "`area` takes 1 argument, found 2", 0..10, "", "write `area(x)`")]);
    check("der(k)", &[("L12", "`der` needs an unknown, and `k` is none", 4..5, "", "")]);
    check("der(x + v)", &[("L12", "`der` takes the name of an unknown", 4..9, "", "give the expression a name by an equation of its own")]);
    check("der(1, 2)", &[("L11", "`der` takes 1 argument, found 2", 0..9, "", "write `der(x)`")]);
    check("der(zz)", &[("L09", "unknown name `zz`", 4..6, "", "declare `zz` under [parameters] or [variables]")]);
    check("1 < 2 < 3", &[("L08", "comparisons cannot be chained", 6..7, "", "write `a < b and b < c`")]);
    check("x = 3", &[("L07", "an expression has no `=`", 2..3, "", "to compare, write `==`")]);
    check("x ** 2", &[("L01", "`**` is not part of the language", 2..4, "", "write `^`")]);
    check("x²", &[("L01", "`²` is not part of the language", 1..3, "", "write `^2`")]);
    check("1 +", &[("L04", "expected a number, a name or `(`, found the end", 3..3, "", "")]);
    check("(1 + 2", &[("L04", "expected an operator or `)`, found the end", 6..6, "", "close the parenthesis with `)`")]);
    check("sin(1", &[("L04", "expected an operator, `,` or `)`, found the end", 5..5, "", "")]);
    check("sin(1 2)", &[("L05", "an operator is missing before `2`", 6..7, "", "to multiply, write `*`")]);
    check(")", &[("L04", "expected a number, a name or `(`, found `)`", 0..1, "", "")]);
    check("", &[("L04", "expected a number, a name or `(`, found the end", 0..0, "", "")]);
    check("if x then 1 else 2", &[("L15", "expected a condition, found a length", 3..4, "", "compare it, as in `x > 0`")]);
    check("if(x > 0 m, 1)", &[("L04", "expected an operator or `,`, found `)`", 13..14, "", "an `if` needs a value for both cases")]);
    check("if x > 0 then 1", &[("L04", "expected an operator or `else`, found the end", 15..15, "", "an `if` needs a value for both cases")]);
    check("if(x>0, x, v)", &[("L13", "expected a length, found a speed", 11..12, "in m/s, but `x` is in m", "")]);
    check("x and v > 0", &[("L15", "expected a condition, found a length", 0..1, "", "compare it, as in `x > 0`")]);
    check("1/0", &[("L16", "division by zero", 2..3, "", "")]);
    check("sqrt(-1)", &[("L16", "this is not a number: it has no real value", 0..8, "", "")]);
    check("1e999", &[("L02", "`1e999` is too large a number", 0..5, "", "")]);
    check("1e300*1e300", &[("L16", "this is not a finite number", 0..11, "", "")]);
    check("x/0", &[("L16", "division by zero", 2..3, "", "")]);
    check("crosses(x, 1)", &[("L15", "`crosses` stands only in the condition of an event", 0..13, "", "compare with `<` or `>`")]);
    check("2,5", &[("L04", "expected an operator or the end, found `,`", 1..2, "", "decimals are written with a point")]);
    check("x + \"a\"", &[("L01", "`\"` is not part of the language", 4..5, "", ""), ("L01", "`\"` is not part of the language", 6..7, "", "")]);
    check("x > 1", &[("L13", "expected a length, found a plain number", 4..5, "a plain number, but `x` is in m", "write `1 m`")]);
    check("min(x, v, 1)", &[("L13", "expected a length, found a speed", 7..8, "in m/s, but `x` is in m", ""), ("L13", "expected a length, found a plain number", 10..11, "a plain number, but `x` is in m", "write `1 m`")]);
    check("atan2(x, p)", &[("L13", "expected a length, found a pressure", 9..10, "in Pa, but `x` is in m", "")]);
    check("10 m/sec", &[("L09", "unknown name `sec`", 5..8, "", "the unit is `s`")]);
    check("10 m/(kg*s)", &[("L09", "unknown name `kg`", 6..8, "", "`kg` is a unit: it follows a number, as in `1 kg`, and joins other units by `/`, `·` or a space"), ("L09", "unknown name `s`", 9..10, "", "`s` is a unit: it follows a number, as in `1 s`, and joins other units by `/`, `·` or a space")]);
    check("3 bar/p0", &[("L09", "unknown name `p0`", 6..8, "", "declare `p0` under [parameters] or [variables]")]);
    check("10 m/s t", &[("L05", "an operator is missing before `t`", 7..8, "", "to multiply, write `*`")]);
    check("t", &[("L09", "unknown name `t`", 0..1, "", "simulated time is called `time`")]);
    check("Q", &[("L09", "unknown name `Q`", 0..1, "", "did you mean `q`?")]);
}

#[test]
#[rustfmt::skip]
fn wrong_equations_are_explained() {
    check_equation("x", &[("L07", "an equation needs a `=`", 0..1, "", "write `left = right`")]);
    check_equation("x == v", &[("L07", "an equation needs a `=`", 0..6, "", "write `=` instead of `==`")]);
    check_equation("x = v = q", &[("L07", "an equation has only one `=`", 6..7, "", "")]);
    check_equation("x =", &[("L04", "expected a number, a name or `(`, found the end", 3..3, "", "")]);
    check_equation("q = p", &[("L13", "expected a volume flow, found a pressure", 4..5, "in Pa, but `q` is in m³/s", "")]);
    check_equation("x = x_max + 3", &[("L13", "expected a length, found a plain number", 12..13, "a plain number, but `x` is in m", "write `3 m`")]);
}

#[test]
fn every_code_and_function_is_on_the_page() {
    let page = include_str!("../../../../../docs/reference/expressions.md");
    let codes =
        include_str!("../error.rs").split('"').filter(|word| word.len() == 3 && word.starts_with('L'));
    let mut count = 0;
    for code in codes {
        count += 1;
        assert!(
            page.contains(&format!("| {code} |")),
            "docs/reference/expressions.md does not explain {code}"
        );
    }
    assert_eq!(count, 17);
    for function in crate::language::functions::FUNCTIONS {
        assert!(
            page.contains(&format!("`{}`", function.form)),
            "docs/reference/expressions.md lacks `{}`",
            function.form
        );
    }
}

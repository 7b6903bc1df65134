//! Hostile corpus: units with a shifted zero, signs, tolerances that are differences.

use crate::hostile::Corpus;
use crate::hybrid::check;
use crate::program::Folder;

/// Parameters and states that keep them.
fn kept(values: &[(&str, &str)]) -> String {
    let lines = |line: &dyn Fn(usize, &str, &str) -> String| -> String {
        values.iter().enumerate().map(|(k, (value, si))| line(k, value, si)).collect()
    };
    format!(
        "[parameters]\n{}[variables]\n{}[equations]\n{}[run]\npoints = 2\n",
        lines(&|k, value, _| format!("p{k} = {{ {value} }}\n")),
        lines(&|k, _, si| format!("x{k} = {{ start = \"p{k}/(1 {si})\" }}\n")),
        lines(&|k, _, _| format!("e{k} = \"der(x{k})*1 s = 0\"\n")),
    )
}

#[test]
fn numbers_in_shifted_units_are_read_with_their_sign() {
    let cases = [
        ("value = \"-5 °C\"", "K", 268.15),
        ("value = \"-5 °C\", unit = \"K\"", "K", 268.15),
        ("value = -5, unit = \"°C\"", "K", 268.15),
        ("value = \"-40 °F\"", "K", 233.15),
        ("value = \"-40 degC\", unit = \"°F\"", "K", 233.15),
        ("value = \"+20 °C\"", "K", 293.15),
        ("value = \"20 °C - 15 °C\"", "K", 5.0),
        ("value = \"20 °C + 10 K\"", "K", 303.15),
        ("value = \"-20 °C - 10 K\"", "K", 243.15),
        ("value = \"(20 °C + 30 °C)/2\"", "K", 298.15),
        ("value = \"max(-5 °C, -10 °C)\"", "K", 268.15),
        ("value = \"-0.5 barg\"", "Pa", 51325.0),
        ("value = \"-5 psig\"", "Pa", 101325.0 - 5.0 * 6894.757293168),
        ("value = \"3 barg - 1 barg\"", "Pa", 2e5),
        ("value = \"-0.5 barg\", unit = \"bar\"", "Pa", 51325.0),
        ("value = \"1 °C\", unit = \"K\", difference = true", "K", 1.0),
        ("value = \"-9 °F\", unit = \"K\", difference = true", "K", -5.0),
        ("value = \"0.03 1/s\"", "1/s", 0.03),
        ("value = \"0.03/s\"", "1/s", 0.03),
        ("value = \"60 rpm\"", "rad/s", std::f64::consts::TAU),
    ];
    let names: Vec<String> = (0..cases.len()).map(|k| format!("x{k}")).collect();
    let expected: Vec<_> = names.iter().zip(cases).map(|(x, c)| (&**x, c.2, 1e-9 * f64::abs(c.2))).collect();
    check(&kept(&cases.map(|(value, si, _)| (value, si))), &expected);
}

#[test]
fn sums_and_products_of_temperatures_without_a_meaning_are_refused() {
    let mut corpus = Corpus::new();
    for value in [
        "20 °C + 10 °C",
        "2*20 °C",
        "-(5 °C)",
        "20 °C*20 °C",
        "1 W/K*20 °C/(1 W)*(1 K)",
        "(20 °C)^4",
        "20 °C - 10 barg",
        "5 °C + 5 °C + 5 °C",
        "-1 barg - 1 barg - 1 barg",
        "3*(20 °C + 30 °C)",
    ] {
        corpus.refused(value, &kept(&[(&format!("value = \"{value}\""), "K")]), 1, &["error[L1"]);
    }
    corpus.refused("boolean", &kept(&[("value = true", "K")]), 1, &["error"]);
    corpus.finish();
}

/// 100 s T' = 30 °C − T from 20 °C: 30 °C less 10 K e^−10 after 1000 s.
#[test]
fn a_tolerance_in_degrees_is_a_difference() {
    let folder = Folder::new();
    let check = |value: &str, tol: &str, code: i32| {
        folder.write(
            "m.toml",
            format!(
                "[parameters]\nT_out = {{ unit = \"°C\", value = 30 }}\n[variables]\ntemp = {{ unit = \"°C\", start = 20, nominal = 10 }}\n\
                 [equations]\ncool = \"100 s*der(temp) = T_out - temp\"\n[run]\nt_end = \"1000 s\"\n\
                 [[expect]]\nsignal = \"temp\"\nvalue = \"{value}\"\ntol = \"{tol}\"\nreason = \"tried\"\n"
            ),
        );
        let answer = folder.run(&["verify", "m.toml"]);
        assert_eq!(answer.code, code, "{value} ± {tol}: {}{}", answer.out, answer.err);
    };
    for (value, tol) in [
        ("90 °C", "1 °C"),
        ("90 °C", "1 %"),
        ("90 °C", "1 K"),
        ("31.5 °C", "1 °C"),
        ("28 °C", "2 °F"),
        ("33 °C", "2 K"),
    ] {
        check(value, tol, 1);
    }
    for (value, tol) in [
        ("30 °C", "1 mK"),
        ("30.5 °C", "1 °C"),
        ("86 °F", "1 °F"),
        ("303.15 K", "0.01 °C"),
        ("31 °C", "2 °F"),
        ("31 °C", "1 %"),
    ] {
        check(value, tol, 0);
    }
}

//! Numbers as short as they can be read.

/// A number with so many digits, trailing zeros left off; a power of ten where plain digits get long.
pub fn number(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    let scientific = format!("{:.*e}", digits.max(1) - 1, value);
    let rounded: f64 = scientific.parse().unwrap_or(value);
    let exponent: i32 = scientific.rsplit_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-4..digits.max(6) as i32).contains(&exponent) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// A number with its unit.
pub fn with_unit(value: f64, unit: &str, digits: usize) -> String {
    let text = number(value, digits);
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}

/// "1 row", "2 rows".
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A share as "1.5 %".
pub fn percent(share: f64) -> String {
    if share.is_infinite() { "∞".into() } else { format!("{} %", number(100.0 * share, 3)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, digits, text) in [
            (0.0, 6, "0"),
            (-0.0, 6, "0"),
            (0.30000000000000004, 6, "0.3"),
            (29.91912, 5, "29.919"),
            (123456.7, 6, "123457"),
            (1234567.0, 6, "1.23457e6"),
            (1.5e-5, 3, "1.5e-5"),
            (0.00015, 3, "0.00015"),
            (999999.7, 6, "1e6"),
            (f64::NAN, 6, "NaN"),
            (f64::NEG_INFINITY, 6, "-inf"),
        ] {
            assert_eq!(number(value, digits), text);
        }
    }
}

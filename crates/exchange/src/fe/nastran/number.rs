//! Numbers as Nastran writes them: 7., .5, 1.5+3, 1.5-3, 1.5E+3, 1.5D3.

/// A real number; None: it is none.
pub(super) fn real(text: &str) -> Option<f64> {
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E' | 'd' | 'D');
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))
        || !text.chars().all(allowed)
    {
        return None;
    }
    let plain = text.replace(['d', 'D', 'E'], "e");
    let exponent = plain.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-'));
    let plain = match exponent {
        Some((at, _)) if !plain.contains('e') => format!("{}e{}", &plain[..at], &plain[at..]),
        _ => plain,
    };
    plain.parse::<f64>().ok().filter(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::real;

    #[test]
    fn exponents_may_lack_their_letter() {
        let cases = [
            ("7.", 7.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("1.5+3", 1500.0),
            ("1.5-3", 0.0015),
            ("-1.5-3", -0.0015),
            ("1.5E+3", 1500.0),
            ("1.5D3", 1500.0),
            ("+2.d-2", 0.02),
            ("70", 70.0),
        ];
        for (text, expected) in cases {
            assert_eq!(real(text), Some(expected), "{text}");
        }
        for text in ["", ".", "inf", "nan", "1.5+", "e5", "1.5e", "1..5", "1.0+999", "--1", "1-2-3"] {
            assert_eq!(real(text), None, "{text}");
        }
    }
}

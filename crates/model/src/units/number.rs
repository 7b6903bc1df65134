//! Reads numbers from text: `3`, `.5`, `2.5e-6`, `1_000`.

use super::UnitError;

/// The number that `text` starts with and its length; `None` if it starts with none. A number that is out of range
/// gives the reason.
pub(crate) fn scan_number(text: &str) -> Option<(Result<f64, String>, usize)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // Digits with single underscores between them.
    let digits = |from: usize| {
        let mut at = from;
        while is_digit(at) || (at > from && bytes.get(at) == Some(&b'_') && is_digit(at + 1)) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
        end = digits(end + 1);
    }
    if end == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if is_digit(end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    let written = &text[..end];
    let number: f64 = written.replace('_', "").parse().ok()?;
    let mantissa = written.split(['e', 'E']).next().unwrap_or(written);
    let checked = if !number.is_finite() {
        Err(format!("`{}` is too large a number", shortened(written)))
    } else if number == 0.0 && mantissa.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        Err(format!("`{}` is too small a number", shortened(written)))
    } else {
        Ok(number)
    };
    Some((checked, end))
}

pub(super) fn not_a_number(text: &str, at: usize) -> UnitError {
    let word = text.split_whitespace().next().unwrap_or("");
    let lower = word.to_lowercase();
    let message = match lower.as_str() {
        "" => "expected a number, found nothing".into(),
        "nan" | "inf" | "infinity" => format!("`{word}` is not a finite number"),
        _ => format!("expected a number, found `{}`", shortened(word)),
    };
    UnitError { message, span: at..at + word.len(), hint: None }
}

/// After a number, a comma and a digit are a decimal comma.
pub(super) fn comma_hint(rest: &str) -> Option<String> {
    let fraction = rest.strip_prefix(',')?;
    fraction
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| "write a decimal point instead of the comma".into())
}

/// The start of a text, for a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

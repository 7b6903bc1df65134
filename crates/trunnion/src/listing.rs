//! Text for the terminal: aligned columns, and numbers as short as they can be read.

use crate::output::say;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells under a head, each column as wide as its widest cell.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Listing {
    pub fn new<'a>(head: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        Listing {
            head: head.into_iter().map(|(text, align)| (text.to_string(), align)).collect(),
            rows: vec![],
        }
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Head and rows, a line each.
    pub fn lines(&self) -> Vec<String> {
        let head: Vec<String> = self.head.iter().map(|(text, _)| text.clone()).collect();
        let all = || std::iter::once(&head).chain(&self.rows);
        let cell_width = |row: &Vec<String>, k: usize| row.get(k).map_or(0, |cell| cell.chars().count());
        let widths: Vec<usize> =
            (0..head.len()).map(|k| all().map(|row| cell_width(row, k)).max().unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().enumerate().map(|(k, cell)| {
                // Formatting knows no widths beyond 65 535.
                let width = widths.get(k).copied().unwrap_or(0);
                let space = " ".repeat(width.saturating_sub(cell.chars().count()));
                match self.head.get(k).map(|h| h.1) {
                    Some(Align::Right) => format!("{space}{cell}"),
                    _ => format!("{cell}{space}"),
                }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        all().map(line).collect()
    }

    pub fn print(&self) {
        for line in self.lines() {
            say(line);
        }
    }
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

    #[test]
    fn columns_are_aligned() {
        let mut listing = Listing::new([("name", Align::Left), ("value", Align::Right), ("", Align::Left)]);
        listing.push(["a".into(), "1".into(), "ok".into()]);
        listing.push(["Δp_valve".into(), "10.25".into()]);
        assert_eq!(listing.lines(), ["name      value", "a             1  ok", "Δp_valve  10.25"]);
    }
}

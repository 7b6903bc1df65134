//! Tables as text: aligned columns.

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut listing = Listing::new([("name", Align::Left), ("value", Align::Right), ("", Align::Left)]);
        listing.push(["a".into(), "1".into(), "ok".into()]);
        listing.push(["Δp_valve".into(), "10.25".into()]);
        assert_eq!(listing.lines(), ["name      value", "a             1  ok", "Δp_valve  10.25"]);
    }
}

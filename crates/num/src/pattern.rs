//! Where a sparse matrix may be non-zero: compressed columns, rows ascending within a column.

/// The fixed sparsity pattern of an n × n matrix. Values live elsewhere, in the same order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Entries of column j are `start[j]..start[j + 1]`; length n + 1.
    pub start: Vec<usize>,
    /// Row of each entry.
    pub row: Vec<usize>,
}

impl Pattern {
    /// From (row, column) pairs in any order; repeated pairs count once.
    pub fn from_entries(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut columns = vec![Vec::new(); n];
        for (i, j) in entries {
            columns[j].push(i);
        }
        let mut pattern = Pattern { start: vec![0], row: Vec::new() };
        for mut rows in columns {
            rows.sort_unstable();
            rows.dedup();
            pattern.row.extend(rows);
            pattern.start.push(pattern.row.len());
        }
        pattern
    }

    /// Every entry present: a dense matrix stored by columns.
    pub fn dense(n: usize) -> Self {
        Self::from_entries(n, (0..n).flat_map(|j| (0..n).map(move |i| (i, j))))
    }

    /// Number of rows, and of columns.
    pub fn n(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.row.len()
    }

    /// The place of entry (i, j) among the values, if it exists.
    pub fn find(&self, i: usize, j: usize) -> Option<usize> {
        let rows = &self.row[self.start[j]..self.start[j + 1]];
        rows.binary_search(&i).ok().map(|k| self.start[j] + k)
    }

    /// (row, column, place) of every entry, column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        (0..self.n()).flat_map(move |j| (self.start[j]..self.start[j + 1]).map(move |k| (self.row[k], j, k)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_sorted_and_once() {
        let p = Pattern::from_entries(3, [(2, 0), (0, 0), (2, 0), (1, 2)]);
        assert_eq!(p.entries().collect::<Vec<_>>(), [(0, 0, 0), (2, 0, 1), (1, 2, 2)]);
        assert_eq!((p.find(2, 0), p.find(1, 1)), (Some(1), None));
        assert_eq!(Pattern::dense(3).nnz(), 9);
    }
}

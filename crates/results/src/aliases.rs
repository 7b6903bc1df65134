//! Further names of a column: a file stores its values once.

use std::collections::HashMap;

use super::{Column, Table};

/// Gives every further name the values of its column.
pub(crate) fn unfold(table: &mut Table) {
    let stored: HashMap<String, usize> =
        table.columns.iter().enumerate().map(|(k, column)| (column.name.clone(), k)).collect();
    for k in 0..table.columns.len() {
        let of = table.columns[k].same_as.as_ref().and_then(|of| stored.get(of));
        if let Some(&of) = of {
            let (values, extremes) = (table.columns[of].values.clone(), table.columns[of].extremes);
            (table.columns[k].values, table.columns[k].extremes) = (values, extremes);
        }
    }
}

/// What a table to be written calls the same column, as far as it is: a name whose unit or values were changed since is a column of its own.
pub fn checked(table: &Table) -> Vec<Option<String>> {
    let stored: HashMap<&str, &Column> =
        table.stored().map(|column| (column.name.as_str(), column)).collect();
    let same = |column: &Column| {
        let other = stored.get(column.same_as.as_deref()?)?;
        let equal = column.unit == other.unit
            && column.values.len() == other.values.len()
            && column.values.iter().zip(&other.values).all(|(a, b)| is_same(*a, *b));
        equal.then(|| other.name.clone())
    };
    table.columns.iter().map(same).collect()
}

/// To the bit; a NaN is a NaN.
pub(crate) fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

//! Plates of the description of an elastic body.

use super::elastic_nodes::{cross, minus, norm};
use super::elastic_reader::{ElasticReader, GEOMETRY};
use super::wrong_length;
use crate::diagnostic::Diagnostic;
use crate::file::{Data, Fields, Span, TomlValue};

/// Elements along each side of a plate that does not say how many.
const ELEMENTS: usize = 8;

pub(super) struct ReadPlate {
    /// Around it.
    pub corners: [[f64; 3]; 4],
    pub thickness: f64,
    /// From the first corner to the second, and from the second to the third.
    pub elements: [usize; 2],
    pub span: Span,
}

impl ElasticReader<'_> {
    pub(super) fn plate(&self, k: usize, value: &TomlValue) -> Option<ReadPlate> {
        let Data::Table(table) = &value.data else {
            self.problems.add(wrong_length(value, "plates", "tables { corners = …, thickness = … }"));
            return None;
        };
        let what = format!("plate {} of `{}`", k + 1, self.part.key.name);
        let f = Fields::new(table, what, &value.span, self.problems);
        for (key, hint) in [("corners", "four points, in order around the plate"), ("thickness", "\"4 mm\"")]
        {
            if f.entry(key).is_none() {
                f.missing(key, hint);
            }
        }
        let corners = f.list("corners").and_then(|list| {
            let found: Vec<_> = list.iter().filter_map(|v| self.vector(v, "corners", "m")).collect();
            let four = <[[f64; 3]; 4]>::try_from(found).ok();
            if four.is_none() && list.len() != 4 {
                self.problems.add(wrong_length(f.value("corners")?, "corners", "four points"));
            }
            four
        });
        let thickness = f.value("thickness").and_then(|v| self.positive(v, "thickness", "m"));
        let elements = self.plate_elements(&f);
        f.finish();
        let plate = ReadPlate {
            corners: corners?,
            thickness: thickness?,
            elements: elements?,
            span: value.span.clone(),
        };
        let [a, b, c, d] = plate.corners;
        let area = norm(cross(minus(c, a), minus(d, b)));
        let size = norm(minus(c, a)).max(norm(minus(d, b)));
        // Also of a plate whose corners are not in order around it.
        if area.is_nan() || area <= 1e-6 * size * size {
            self.problems.add(
                Diagnostic::error(GEOMETRY, "a plate without area")
                    .at(&value.span, "its diagonals are parallel")
                    .hint("give the four corners in order around the plate"),
            );
            return None;
        }
        Some(plate)
    }

    fn plate_elements(&self, f: &Fields<'_>) -> Option<[usize; 2]> {
        let Some(value) = f.value("elements") else { return Some([ELEMENTS; 2]) };
        let whole = |v: &TomlValue| match v.data {
            Data::Integer(i) => usize::try_from(i).ok().filter(|n| (1..=1000).contains(n)),
            _ => None,
        };
        let found = match &value.data {
            Data::List(list) => match list.as_slice() {
                [a, b] => whole(a).zip(whole(b)),
                _ => None,
            },
            _ => whole(value).map(|n| (n, n)),
        };
        if found.is_none() {
            self.problems.add(wrong_length(
                value,
                "elements",
                "[along the first side, along the second], each 1 to 1000",
            ));
        }
        found.map(|(a, b)| [a, b])
    }
}

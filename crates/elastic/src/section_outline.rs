//! Outlines of sections, for drawing them and for the stress at their extreme fibres.

use std::f64::consts::TAU;

use crate::beam_section::SectionShape;

/// Points of a round outline: the highest bending stress is found to 1 − cos(π/24), 0.9 %.
const ROUND: usize = 24;

/// Corners of a section from its centroid.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionOutline {
    /// (y, z), counter-clockwise seen from +x; the outer edge of hollow ones.
    pub points: Vec<[f64; 2]>,
    /// Convex pieces that fill the outline, by the indices of points.
    pub caps: Vec<Vec<usize>>,
}

impl SectionShape {
    pub fn outline(self) -> SectionOutline {
        let convex =
            |points: Vec<[f64; 2]>| SectionOutline { caps: vec![(0..points.len()).collect()], points };
        match self {
            SectionShape::Circle { radius } => convex(circle(radius)),
            SectionShape::Tube { outer_radius, .. } => convex(circle(outer_radius)),
            SectionShape::Rectangle { width, height } | SectionShape::Box { width, height, .. } => {
                let (y, z) = (width / 2.0, height / 2.0);
                convex(vec![[-y, -z], [y, -z], [y, z], [-y, z]])
            }
            SectionShape::I { width, height, web, flange } => {
                let (y, z, w, f) = (width / 2.0, height / 2.0, web / 2.0, height / 2.0 - flange);
                let right = [[y, -z], [y, -f], [w, -f], [w, f], [y, f], [y, z]];
                let left = right.map(|[y, z]| [-y, -z]);
                let points = right.into_iter().chain(left).collect();
                // Pieces share whole edges.
                let caps = vec![vec![0, 1, 2, 9, 10, 11], vec![2, 3, 8, 9], vec![3, 4, 5, 6, 7, 8]];
                SectionOutline { points, caps }
            }
            SectionShape::L { width, height, thickness: t } => {
                // The outer corner, from the centroid.
                let [y, z] = self.constants().stress_points[0];
                let corners = [[0.0, 0.0], [width, 0.0], [width, t], [t, t], [t, height], [0.0, height]];
                let points = corners.map(|[a, b]| [y + a, z + b]).to_vec();
                SectionOutline { points, caps: vec![vec![0, 1, 2, 3], vec![0, 3, 4, 5]] }
            }
        }
    }
}

fn circle(radius: f64) -> Vec<[f64; 2]> {
    let angle = |k: usize| TAU * k as f64 / ROUND as f64;
    (0..ROUND).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces fill the outline: their areas add up to that of the polygon, and to that of the section where it is not hollow.
    #[test]
    fn caps_fill_the_outline() {
        let area = |points: &[[f64; 2]]| -> f64 {
            let n = points.len();
            let one = |i: usize| {
                let ([a, b], [c, d]) = (points[i], points[(i + 1) % n]);
                0.5 * (a * d - b * c)
            };
            (0..n).map(one).sum()
        };
        for shape in [
            SectionShape::Circle { radius: 0.02 },
            SectionShape::Rectangle { width: 0.06, height: 0.02 },
            SectionShape::I { width: 0.08, height: 0.12, web: 0.01, flange: 0.015 },
            SectionShape::L { width: 0.08, height: 0.06, thickness: 0.01 },
        ] {
            let outline = shape.outline();
            let whole = area(&outline.points);
            let pieces: f64 = outline
                .caps
                .iter()
                .map(|cap| area(&cap.iter().map(|&i| outline.points[i]).collect::<Vec<_>>()))
                .sum();
            assert!((pieces / whole - 1.0).abs() < 1e-12, "{shape:?}");
            // 24 corners hold 1.14 % less than their circle.
            assert!((whole / shape.constants().area - 1.0).abs() < 0.012, "{shape:?} {whole}");
        }
    }
}

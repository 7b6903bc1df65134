//! Faces whose colour changes across them, in pieces of one colour each.

use super::skin::stress_colour;
use trunnion_num::space::{Point, between};

/// A piece has one colour where its corners differ by less than this share of the scale.
const ONE_COLOUR: f64 = 0.06;
/// Divisions in half.
const DEEPEST: usize = 6;

pub(super) struct ColouredFace {
    pub points: Vec<Point>,
    /// Whether the edge after each point is drawn.
    pub edges: Vec<bool>,
    /// Of the highest stress, at the corners; None: a face of one colour.
    pub shares: Option<Vec<f64>>,
}

impl ColouredFace {
    /// Pieces in which the stress hardly changes; other faces than quadrilaterals stay whole.
    pub fn divided(self) -> Vec<ColouredFace> {
        let (mut open, mut done) = (vec![(self, 0)], vec![]);
        while let Some((face, depth)) = open.pop() {
            let along = face.steepest().filter(|_| depth < DEEPEST);
            match along {
                Some(side) => open.extend(face.halves(side).map(|half| (half, depth + 1))),
                None => done.push(face),
            }
        }
        done
    }

    pub fn colour(&self) -> Option<[u8; 3]> {
        let shares = self.shares.as_ref()?;
        Some(stress_colour(shares.iter().sum::<f64>() / shares.len() as f64))
    }

    /// The side (0 or 1, with the one opposite) along which the stress changes most; None where it hardly does.
    fn steepest(&self) -> Option<usize> {
        let &[a, b, c, d] = self.shares.as_deref()? else { return None };
        let change = [(a - b).abs().max((c - d).abs()), (b - c).abs().max((d - a).abs())];
        let side = usize::from(change[1] > change[0]);
        (change[side] > ONE_COLOUR).then_some(side)
    }

    /// Cut across a side and the one opposite.
    fn halves(&self, side: usize) -> [ColouredFace; 2] {
        let at = |i: usize| (side + i) % 4;
        let p = |i: usize| self.points[at(i)];
        let share = |i: usize| self.shares.as_ref().map_or(0.0, |all| all[at(i)]);
        let e = |i: usize| self.edges[at(i)];
        let middle = [between(p(0), p(1), 0.5), between(p(2), p(3), 0.5)];
        let mean = [0.5 * (share(0) + share(1)), 0.5 * (share(2) + share(3))];
        [
            ColouredFace {
                points: vec![p(0), middle[0], middle[1], p(3)],
                edges: vec![e(0), false, e(2), e(3)],
                shares: Some(vec![share(0), mean[0], mean[1], share(3)]),
            },
            ColouredFace {
                points: vec![middle[0], p(1), p(2), middle[1]],
                edges: vec![e(0), e(1), e(2), false],
                shares: Some(vec![mean[0], share(1), share(2), mean[1]]),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of a square whose stress rises along x: the areas add up, and each has the colour of its middle.
    #[test]
    fn a_face_is_divided_where_its_stress_changes() {
        let face = |shares: [f64; 4]| ColouredFace {
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            edges: vec![true, true, true, false],
            shares: Some(shares.to_vec()),
        };
        let parts = face([0.0, 1.0, 1.0, 0.0]).divided();
        assert_eq!(parts.len(), 32);
        let area: f64 = parts.iter().map(|p| (p.points[1][0] - p.points[0][0]).abs()).sum();
        assert!((area - 1.0).abs() < 1e-12);
        for part in &parts {
            let middle = part.points.iter().map(|p| p[0]).sum::<f64>() / 4.0;
            assert_eq!(part.colour(), Some(stress_colour(middle)));
        }
        // Edges of the square are drawn, cuts are not: two along the sides, one at the end that has one.
        assert_eq!(parts.iter().flat_map(|p| &p.edges).filter(|e| **e).count(), 2 * 32 + 1);
        assert_eq!(face([0.5, 0.52, 0.51, 0.5]).divided().len(), 1);
    }
}

//! From where a mechanism is looked at: parallel light, no perspective, so that lengths can be compared.

use trunnion_num::space::{Point, RotationMatrix, apply};

/// Axes to the right, up and towards the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewDirection {
    /// x to the right, z up
    Side,
    /// y to the right, z up
    Front,
    /// x to the right, y up
    Top,
    /// From above, x and y to the right
    Iso,
    /// y up, z to the left: a mechanism of the xy plane from its front
    PlaneFront,
    /// The same from above, x and −z to the right
    PlaneIso,
}

impl ViewDirection {
    /// The view of a mechanism of the xy plane, where y is up.
    pub(crate) fn of_plane(self) -> ViewDirection {
        match self {
            ViewDirection::Side => ViewDirection::Top,
            ViewDirection::Front => ViewDirection::PlaneFront,
            ViewDirection::Iso => ViewDirection::PlaneIso,
            other => other,
        }
    }

    /// Rows: right, up, towards the viewer.
    pub fn turn(self) -> RotationMatrix {
        // √½, √⅓ and √⅙.
        let (h, t, s) = (0.5_f64.sqrt(), (1.0_f64 / 3.0).sqrt(), (1.0_f64 / 6.0).sqrt());
        match self {
            ViewDirection::Side => [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
            ViewDirection::Front => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
            ViewDirection::Top => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            ViewDirection::Iso => [[h, h, 0.0], [-s, s, 2.0 * s], [t, -t, t]],
            // (x, y, z) ↦ (x, −z, y) first.
            ViewDirection::PlaneFront => [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            ViewDirection::PlaneIso => [[h, 0.0, -h], [-s, 2.0 * s, -s], [t, t, t]],
        }
    }

    pub fn of(self, p: Point) -> Point {
        apply(self.turn(), p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_num::space::{cross, dot, minus, norm};

    #[test]
    fn views_are_right_handed() {
        for view in [
            ViewDirection::Side,
            ViewDirection::Front,
            ViewDirection::Top,
            ViewDirection::Iso,
            ViewDirection::PlaneFront,
            ViewDirection::PlaneIso,
        ] {
            let [right, up, near] = view.turn();
            assert!(norm(minus(cross(right, up), near)) < 1e-15, "{view:?}");
            assert!((dot(right, right) - 1.0).abs() < 1e-15 && (dot(up, up) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_plane_stands_upright() {
        for view in [ViewDirection::Side, ViewDirection::Front, ViewDirection::Top, ViewDirection::Iso]
            .map(ViewDirection::of_plane)
        {
            let [_, up, _] = view.of([0.0, 1.0, 0.0]);
            assert!(up > 0.8, "{view:?}");
        }
    }
}

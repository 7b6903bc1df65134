//! From where a mechanism is looked at: parallel light, no perspective, so that lengths can be compared.

use trunnion_num::space::{Point, Turn, apply};

/// Axes to the right, up and towards the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// x to the right, z up
    Side,
    /// y to the right, z up
    Front,
    /// x to the right, y up
    Top,
    /// From above, x and y to the right
    Iso,
}

impl View {
    /// Rows: right, up, towards the viewer.
    pub fn turn(self) -> Turn {
        // √½, √⅓ and √⅙.
        let (h, t, s) = (0.5_f64.sqrt(), (1.0_f64 / 3.0).sqrt(), (1.0_f64 / 6.0).sqrt());
        match self {
            View::Side => [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
            View::Front => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
            View::Top => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            View::Iso => [[h, h, 0.0], [-s, s, 2.0 * s], [t, -t, t]],
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
        for view in [View::Side, View::Front, View::Top, View::Iso] {
            let [right, up, near] = view.turn();
            assert!(norm(minus(cross(right, up), near)) < 1e-15, "{view:?}");
            assert!((dot(right, right) - 1.0).abs() < 1e-15 && (dot(up, up) - 1.0).abs() < 1e-15);
        }
    }
}

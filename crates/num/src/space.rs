//! Points, turns and poses in space, for what is drawn, imported and exported.
//!
//!   rpy: R = R_z(yaw) R_y(pitch) R_x(roll)                                                              (1)
//!   quaternion (w, x, y, z): R = 1 + 2 w [q]× + 2 [q]×²                                                 (2)

pub type Point = [f64; 3];
/// Rows.
pub type RotationMatrix = [[f64; 3]; 3];
/// w, x, y, z.
pub type Quaternion = [f64; 4];

pub const UNTURNED: RotationMatrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn times(s: f64, a: Point) -> Point {
    a.map(|x| s * x)
}

pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The same direction with length 1; None for a point at the origin.
pub fn unit(a: Point) -> Option<Point> {
    let length = norm(a);
    (length > 0.0 && length.is_finite()).then(|| times(1.0 / length, a))
}

/// Between a (0) and b (1).
pub fn between(a: Point, b: Point, share: f64) -> Point {
    plus(times(1.0 - share, a), times(share, b))
}

pub fn transposed(r: RotationMatrix) -> RotationMatrix {
    [0, 1, 2].map(|i| [r[0][i], r[1][i], r[2][i]])
}

pub fn apply(r: RotationMatrix, a: Point) -> Point {
    r.map(|row| dot(row, a))
}

pub fn product(a: RotationMatrix, b: RotationMatrix) -> RotationMatrix {
    let columns = transposed(b);
    a.map(|row| columns.map(|column| dot(row, column)))
}

/// (1)
pub fn from_rpy([roll, pitch, yaw]: Point) -> RotationMatrix {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
}

/// (1) backwards; where z comes to lie in x, roll is 0.
pub fn to_rpy(r: RotationMatrix) -> Point {
    let across = r[0][0].hypot(r[1][0]);
    let pitch = (-r[2][0]).atan2(across);
    // Rounding of entries that are 0.
    match across > 1e-12 {
        true => [r[2][1].atan2(r[2][2]), pitch, r[1][0].atan2(r[0][0])],
        false => [0.0, pitch, (-r[0][1]).atan2(r[1][1])],
    }
}

/// (2), for a quaternion of any length but 0.
pub fn from_quaternion(q: Quaternion) -> RotationMatrix {
    let [w, x, y, z] = normalised(q);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Of length 1; what has no direction stands for no turn.
pub fn normalised(q: Quaternion) -> Quaternion {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() { q.map(|x| x / length) } else { [1.0, 0.0, 0.0, 0.0] }
}

/// The shortest turn that brings z to the direction of `a`.
pub fn turn_of_z(a: Point) -> Quaternion {
    let Some([x, y, z]) = unit(a) else { return [1.0, 0.0, 0.0, 0.0] };
    // Opposite to z any axis across will do.
    if z < -1.0 + 1e-12 { [0.0, 1.0, 0.0, 0.0] } else { normalised([1.0 + z, -y, x, 0.0]) }
}

/// The place and orientation of a frame: x ↦ p + R x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub p: Point,
    pub r: RotationMatrix,
}

impl Pose {
    pub const HOME: Pose = Pose { p: [0.0; 3], r: UNTURNED };

    pub fn of(self, a: Point) -> Point {
        plus(self.p, apply(self.r, a))
    }

    /// This pose, then another one seen from it.
    pub fn then(self, inner: Pose) -> Pose {
        Pose { p: self.of(inner.p), r: product(self.r, inner.r) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: RotationMatrix, b: RotationMatrix) {
        for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((x - y).abs() < 1e-14, "{a:?} is not {b:?}");
        }
    }

    #[test]
    fn turns_about_the_axes_are_the_same_in_both_ways() {
        let angle: f64 = 0.7;
        let (s, c) = (0.5 * angle).sin_cos();
        for axis in 0..3 {
            let (mut rpy, mut q) = ([0.0; 3], [c, 0.0, 0.0, 0.0]);
            (rpy[axis], q[axis + 1]) = (angle, s);
            near(from_rpy(rpy), from_quaternion(q));
        }
        let [x, y, z] = [[0.3, 0.0, 0.0], [0.0, -1.1, 0.0], [0.0, 0.0, 2.0]].map(from_rpy);
        near(from_rpy([0.3, -1.1, 2.0]), product(z, product(y, x)));
        let upright = std::f64::consts::FRAC_PI_2;
        for rpy in [[0.3, -1.1, 2.0], [-3.0, 1.5, -2.0], [0.0; 3], [0.4, upright, 0.9], [0.4, -upright, 0.9]]
        {
            near(from_rpy(to_rpy(from_rpy(rpy))), from_rpy(rpy));
        }
    }

    #[test]
    fn z_is_turned_to_any_direction() {
        for a in [[0.0, 0.0, 2.0], [0.0, 0.0, -3.0], [1.0, -2.0, 0.5], [1e-9, 0.0, -1.0]] {
            let reached = apply(from_quaternion(turn_of_z(a)), [0.0, 0.0, norm(a)]);
            assert!(norm(minus(reached, a)) < 1e-8 * norm(a), "{a:?}: {reached:?}");
        }
    }
}

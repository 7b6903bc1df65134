//! Rotations by axis and angle, their logarithm, and poses backwards.
//!
//!   R(a, φ) = 1 + sin φ [a]× + (1 − cos φ) [a]×²                            (1)  [Murray1994, eq. 2.14]
//!   log R = φ a,   0 ≤ φ ≤ π                                                (2)  [Murray1994, prop. 2.9]
//!   X⁻¹ = (Rᵀ, −Rᵀ p)                                                       (3)

use trunnion_num::space::{
    Point, Pose, Quaternion, RotationMatrix, apply, cross, dot, norm, normalised, times, transposed, unit,
};

/// (1); `axis` has length 1.
pub fn about(axis: Point, angle: f64) -> RotationMatrix {
    let (s, c) = angle.sin_cos();
    let [x, y, z] = axis;
    let d = 1.0 - c;
    [
        [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
        [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
        [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
    ]
}

/// exp of a rotation vector φ a.
pub fn exponential(vector: Point) -> RotationMatrix {
    match unit(vector) {
        Some(axis) => about(axis, norm(vector)),
        None => trunnion_num::space::UNTURNED,
    }
}

/// The quaternion of a rotation, w ≥ 0. The largest of the four is found first, so that nothing cancels. [Shepperd1978]
pub fn quaternion(r: RotationMatrix) -> Quaternion {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, r[0][0], r[1][1], r[2][2]];
    let largest = (1..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let mut q = [0.0; 4];
    if largest == 0 {
        q = [1.0 + trace, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    } else {
        let (i, j, k) = (largest - 1, largest % 3, (largest + 1) % 3);
        q[0] = r[k][j] - r[j][k];
        q[1 + i] = 1.0 + r[i][i] - r[j][j] - r[k][k];
        q[1 + j] = r[j][i] + r[i][j];
        q[1 + k] = r[k][i] + r[i][k];
    }
    let q = normalised(q);
    if q[0] < 0.0 { q.map(|x| -x) } else { q }
}

/// (2), through the quaternion: φ = 2 atan2(|v|, w) is exact near 0 and near π.
pub fn logarithm(r: RotationMatrix) -> Point {
    let [w, x, y, z] = quaternion(r);
    let v = [x, y, z];
    match unit(v) {
        Some(axis) => times(2.0 * norm(v).atan2(w), axis),
        None => [0.0; 3],
    }
}

/// (3)
pub fn inverse(x: Pose) -> Pose {
    let r = transposed(x.r);
    Pose { p: times(-1.0, apply(r, x.p)), r }
}

/// From `a` to `b` by the rotation about `axis`, all seen along the axis; vectors on the axis give 0.
pub(crate) fn angle_about(axis: Point, a: Point, b: Point) -> f64 {
    let across = |v: Point| trunnion_num::space::minus(v, times(dot(axis, v), axis));
    let (a, b) = (across(a), across(b));
    let (s, c) = (dot(axis, cross(a, b)), dot(a, b));
    if s == 0.0 && c == 0.0 { 0.0 } else { s.atan2(c) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use trunnion_num::noise::Noise;
    use trunnion_num::space::{UNTURNED, from_quaternion, from_rpy};

    fn far(a: RotationMatrix, b: RotationMatrix) -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn exponential_and_logarithm_undo_each_other_up_to_half_a_turn() {
        let mut noise = Noise::new(3);
        for k in 0..2000 {
            let axis = unit([noise.next(), noise.next(), noise.next()]).unwrap();
            let angle = match k % 4 {
                0 => 1e-9 * noise.next().abs(),
                1 => PI - 1e-9 * noise.next().abs(),
                2 => PI,
                _ => noise.next().abs() * PI / 3.0_f64.sqrt(),
            };
            let r = about(axis, angle);
            let v = logarithm(r);
            assert!((norm(v) - angle).abs() < 1e-14 * 20.0, "{angle} {v:?}");
            assert!(far(exponential(v), r) < 1e-14);
            assert!(far(from_quaternion(quaternion(r)), r) < 1e-14);
        }
        assert_eq!(logarithm(UNTURNED), [0.0; 3]);
    }

    #[test]
    fn a_pose_times_its_inverse_is_home() {
        let x = Pose { p: [1.0, -2.0, 0.3], r: from_rpy([0.3, -0.4, 1.0]) };
        let home = x.then(inverse(x));
        assert!(norm(home.p) < 1e-15 && far(home.r, UNTURNED) < 1e-15);
    }
}

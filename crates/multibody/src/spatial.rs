//! Vectors, rotations and 6 × 6 inertias of expressions. Zeros and ones fold, so sparse quantities stay sparse.
//!
//!   v_E = R_EF v_F                                                                                    (1)
//!   I' = X I Xᵀ,  X turns both halves, or shifts: n' = n + r × f                                      (2)  [Featherstone2008, eq. 2.66]
//!
//! Spatial vectors are (angular, linear): acceleration (α, a), wrench (moment n, force f).

use std::ops::{Add, Index, Mul, Neg, Sub};

use trunnion_equations::{Ex, Expr, Graph};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<'g>(pub [Ex<'g>; 3]);

impl<'g> Vec3<'g> {
    pub fn zero(graph: &'g Graph) -> Self {
        Vec3([graph.constant(0.0); 3])
    }

    pub fn numbers(graph: &'g Graph, v: [f64; 3]) -> Self {
        Vec3(v.map(|x| graph.constant(x)))
    }

    pub fn of(graph: &'g Graph, v: &[Expr; 3]) -> Self {
        Vec3(v.map(|e| graph.at(e)))
    }

    /// `x` along axis k.
    pub fn along(k: usize, x: Ex<'g>) -> Self {
        let mut v = Self::zero(x.graph());
        v.0[k] = x;
        v
    }

    pub fn dot(self, other: Self) -> Ex<'g> {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Vec3([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub fn is_zero(self) -> bool {
        self.0.iter().all(|x| x.value() == Some(0.0))
    }

    /// The components, if all of them are numbers.
    pub fn values(self) -> Option<[f64; 3]> {
        let [a, b, c] = self.0.map(|x| x.value());
        Some([a?, b?, c?])
    }
}

impl<'g> Index<usize> for Vec3<'g> {
    type Output = Ex<'g>;
    fn index(&self, i: usize) -> &Ex<'g> {
        &self.0[i]
    }
}

impl Add for Vec3<'_> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Vec3([self[0] + o[0], self[1] + o[1], self[2] + o[2]])
    }
}

impl Sub for Vec3<'_> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Vec3([self[0] - o[0], self[1] - o[1], self[2] - o[2]])
    }
}

impl Neg for Vec3<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        Vec3(self.0.map(|x| -x))
    }
}

impl<'g> Mul<Ex<'g>> for Vec3<'g> {
    type Output = Self;
    fn mul(self, s: Ex<'g>) -> Self {
        Vec3(self.0.map(|x| x * s))
    }
}

/// Rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat3<'g>(pub [[Ex<'g>; 3]; 3]);

impl<'g> Mat3<'g> {
    pub fn identity(graph: &'g Graph) -> Self {
        Self::build(|i, j| graph.constant(if i == j { 1.0 } else { 0.0 }))
    }

    pub fn build(entry: impl Fn(usize, usize) -> Ex<'g>) -> Self {
        Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
    }

    pub fn of(graph: &'g Graph, rows: &[[Expr; 3]; 3]) -> Self {
        Self::build(|i, j| graph.at(rows[i][j])).snapped()
    }

    pub fn row(self, i: usize) -> Vec3<'g> {
        Vec3(self.0[i])
    }

    pub fn column(self, j: usize) -> Vec3<'g> {
        Vec3([self.0[0][j], self.0[1][j], self.0[2][j]])
    }

    pub fn transpose(self) -> Self {
        Self::build(|i, j| self.0[j][i])
    }

    /// Entries that rounding moved off 0 and ±1 go back: a rotation about an axis keeps its zeros.
    pub fn snapped(self) -> Self {
        // A few roundings of products of sines and cosines.
        const CLOSE: f64 = 1e-15;
        let snap = |x: Ex<'g>| match x.value() {
            Some(v) if (v - v.round()).abs() < CLOSE => x.graph().constant(v.round()),
            _ => x,
        };
        Mat3(self.0.map(|row| row.map(snap)))
    }

    /// The product of two rotations.
    pub fn then(self, o: Self) -> Self {
        (self * o).snapped()
    }

    /// The cross product with `v` as a matrix.
    pub fn cross(v: Vec3<'g>) -> Self {
        let zero = v[0].graph().constant(0.0);
        Mat3([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])
    }

    /// Right-handed turn by `angle` about coordinate axis k.
    pub fn turn(graph: &'g Graph, k: usize, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        PlaneRotation::About(k, graph.constant(c), graph.constant(s)).matrix().snapped()
    }

    /// Of a unit quaternion (w, x, y, z).
    pub(crate) fn of_quaternion([w, x, y, z]: [Ex<'g>; 4]) -> Self {
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (y * x2, z * x2, z * y2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Mat3([
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ])
    }
}

impl<'g> Mul for Mat3<'g> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::build(|i, j| self.row(i).dot(o.column(j)))
    }
}

impl<'g> Mul<Vec3<'g>> for Mat3<'g> {
    type Output = Vec3<'g>;
    fn mul(self, v: Vec3<'g>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|i| self.row(i).dot(v)))
    }
}

/// One rotation, (1).
#[derive(Clone, Copy, Debug)]
pub enum PlaneRotation<'g> {
    /// About coordinate axis k: its cosine and sine.
    About(usize, Ex<'g>, Ex<'g>),
    Matrix(Mat3<'g>),
}

impl<'g> PlaneRotation<'g> {
    pub fn apply(self, v: Vec3<'g>) -> Vec3<'g> {
        match self {
            PlaneRotation::Matrix(r) => r * v,
            PlaneRotation::About(k, c, s) => {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let mut out = v;
                out.0[i] = c * v[i] - s * v[j];
                out.0[j] = s * v[i] + c * v[j];
                out
            }
        }
    }

    pub fn inverse(self) -> Self {
        match self {
            PlaneRotation::Matrix(r) => PlaneRotation::Matrix(r.transpose()),
            PlaneRotation::About(k, c, s) => PlaneRotation::About(k, c, -s),
        }
    }

    pub fn matrix(self) -> Mat3<'g> {
        match self {
            PlaneRotation::Matrix(r) => r,
            PlaneRotation::About(_, c, _) => {
                let unit = |k| Vec3::along(k, c.graph().constant(1.0));
                let columns = [0, 1, 2].map(|k| self.apply(unit(k)));
                Mat3::build(|i, j| columns[j][i])
            }
        }
    }

    /// R N Rᵀ; `symmetric` if N is.
    ///
    /// In the plane of the turn, with t = a − d and y = s t + c (b₁ + b₂):
    /// a' = a − s y, d' = d + s y, b₁' = c y − b₂, b₂' = c y − b₁. Eleven operations instead of 24.
    fn conjugate(self, n: Mat3<'g>, symmetric: bool) -> Mat3<'g> {
        let PlaneRotation::About(k, c, s) = self else {
            return dense_conjugate(self.matrix(), n, symmetric);
        };
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let mut out = n.0;
        let (a, d, b1, b2) = (n.0[i][i], n.0[j][j], n.0[i][j], n.0[j][i]);
        let sum = if symmetric { (c + c) * b1 } else { c * (b1 + b2) };
        let y = s * (a - d) + sum;
        (out[i][i], out[j][j]) = (a - s * y, d + s * y);
        (out[i][j], out[j][i]) = (c * y - b2, c * y - b1);
        (out[i][k], out[j][k]) = (c * n.0[i][k] - s * n.0[j][k], s * n.0[i][k] + c * n.0[j][k]);
        (out[k][i], out[k][j]) = (c * n.0[k][i] - s * n.0[k][j], s * n.0[k][i] + c * n.0[k][j]);
        Mat3(out)
    }
}

fn dense_conjugate<'g>(r: Mat3<'g>, n: Mat3<'g>, symmetric: bool) -> Mat3<'g> {
    let half = Mat3::build(|i, j| n.row(i).dot(r.row(j)));
    let entry = |i: usize, j: usize| r.row(i).dot(half.column(j));
    Mat3::build(|i, j| if symmetric { entry(i.min(j), i.max(j)) } else { entry(i, j) })
}

#[derive(Clone, Copy, Debug)]
pub struct Spatial<'g> {
    pub angular: Vec3<'g>,
    pub linear: Vec3<'g>,
}

impl<'g> Spatial<'g> {
    pub fn zero(graph: &'g Graph) -> Self {
        Spatial { angular: Vec3::zero(graph), linear: Vec3::zero(graph) }
    }

    pub fn is_zero(self) -> bool {
        self.angular.is_zero() && self.linear.is_zero()
    }

    /// Power of a wrench at a velocity.
    pub fn dot(self, o: Self) -> Ex<'g> {
        self.angular.dot(o.angular) + self.linear.dot(o.linear)
    }

    pub fn get(self, i: usize) -> Ex<'g> {
        if i < 3 { self.angular[i] } else { self.linear[i - 3] }
    }

    pub fn set(&mut self, i: usize, x: Ex<'g>) {
        if i < 3 { self.angular.0[i] = x } else { self.linear.0[i - 3] = x }
    }
}

impl Add for Spatial<'_> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Spatial { angular: self.angular + o.angular, linear: self.linear + o.linear }
    }
}

impl<'g> Mul<Ex<'g>> for Spatial<'g> {
    type Output = Self;
    fn mul(self, s: Ex<'g>) -> Self {
        Spatial { angular: self.angular * s, linear: self.linear * s }
    }
}

impl Sub for Spatial<'_> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Spatial { angular: self.angular - o.angular, linear: self.linear - o.linear }
    }
}

/// Wrench = inertia · acceleration, symmetric; rows 0 to 2 angular.
#[derive(Clone, Debug)]
pub struct Inertia<'g>(pub [[Ex<'g>; 6]; 6]);

impl<'g> Inertia<'g> {
    /// From the blocks of [A H; Hᵀ M].
    fn blocks(a: Mat3<'g>, h: Mat3<'g>, m: Mat3<'g>) -> Self {
        let entry = |i: usize, j: usize| match (i < 3, j < 3) {
            (true, true) => a.0[i.min(j)][i.max(j)],
            (true, false) => h.0[i][j - 3],
            (false, true) => h.0[j][i - 3],
            (false, false) => m.0[i.min(j) - 3][i.max(j) - 3],
        };
        Inertia([0, 1, 2, 3, 4, 5].map(|i| [0, 1, 2, 3, 4, 5].map(|j| entry(i, j))))
    }

    fn split(&self) -> (Mat3<'g>, Mat3<'g>, Mat3<'g>) {
        let block = |i0: usize, j0: usize| Mat3::build(|i, j| self.0[i0 + i][j0 + j]);
        (block(0, 0), block(0, 3), block(3, 3))
    }

    /// A rigid body of mass m, h = m c and second moments J = ∫ x xᵀ dm about the origin.
    pub fn rigid(m: Ex<'g>, h: Vec3<'g>, j: Mat3<'g>) -> Self {
        let zero = m.graph().constant(0.0);
        let other = |i: usize| j.0[(i + 1) % 3][(i + 1) % 3] + j.0[(i + 2) % 3][(i + 2) % 3];
        let a = Mat3::build(|r, c| if r == c { other(r) } else { -j.0[r][c] });
        Self::blocks(a, Mat3::cross(h), Mat3::build(|r, c| if r == c { m } else { zero }))
    }

    pub fn plus(&self, o: &Self) -> Self {
        let upper = |i: usize, j: usize| self.0[i.min(j)][i.max(j)] + o.0[i.min(j)][i.max(j)];
        Inertia([0, 1, 2, 3, 4, 5].map(|i| [0, 1, 2, 3, 4, 5].map(|j| upper(i, j))))
    }

    /// (2): seen from axes that `turn` leads to.
    pub fn turned(&self, turn: PlaneRotation<'g>) -> Self {
        let (a, h, m) = self.split();
        Self::blocks(turn.conjugate(a, true), turn.conjugate(h, false), turn.conjugate(m, true))
    }

    /// (2): seen from a point from which the old one is at `r`: H' = H + [r] M, A' = A + [r] Hᵀ − H' [r].
    pub fn shifted(&self, r: Vec3<'g>) -> Self {
        if r.is_zero() {
            return self.clone();
        }
        let (a, h, m) = self.split();
        let columns = [0, 1, 2].map(|j| h.column(j) + r.cross(m.column(j)));
        let h_new = Mat3::build(|i, j| columns[j][i]);
        let entry = |i: usize, j: usize| {
            if i == j {
                a.0[i][i] + r.cross(h.row(i) + h_new.row(i))[i]
            } else {
                a.0[i][j] + (r.cross(h.row(j))[i] + r.cross(h_new.row(i))[j])
            }
        };
        Self::blocks(Mat3::build(|i, j| entry(i.min(j), i.max(j))), h_new, m)
    }

    pub fn times(&self, v: Spatial<'g>) -> Spatial<'g> {
        let row = |i: usize| {
            Vec3([0, 1, 2].map(|j| self.0[i][j])).dot(v.angular)
                + Vec3([3, 4, 5].map(|j| self.0[i][j])).dot(v.linear)
        };
        Spatial { angular: Vec3([0, 1, 2].map(row)), linear: Vec3([3, 4, 5].map(row)) }
    }
}

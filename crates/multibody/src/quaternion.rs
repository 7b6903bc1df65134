//! Unit quaternions (w, x, y, z) of expressions, to show orientations.

use trunnion_equations::{Ex, Graph};

use crate::spatial::Mat3;

#[derive(Clone, Copy, Debug)]
pub struct SymbolicQuaternion<'g>(pub [Ex<'g>; 4]);

impl<'g> SymbolicQuaternion<'g> {
    pub fn identity(graph: &'g Graph) -> Self {
        SymbolicQuaternion([1.0, 0.0, 0.0, 0.0].map(|x| graph.constant(x)))
    }

    /// A turn by `angle` about coordinate axis k.
    pub fn about(k: usize, angle: Ex<'g>) -> Self {
        let mut q = Self::identity(angle.graph());
        let half = 0.5 * angle;
        q.0[0] = half.cos();
        q.0[k + 1] = half.sin();
        q
    }

    /// Of a rotation that does not move, by the largest component so that nothing cancels. [Shepperd1978]
    pub fn of(r: Mat3<'g>) -> Self {
        let m = r.0;
        let graph = m[0][0].graph();
        let trace = m[0][0] + m[1][1] + m[2][2];
        // 4 q_i q_j for all j, i chosen below.
        let row = |i: usize| -> [Ex<'g>; 4] {
            let differ = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
            if i == 0 {
                return [1.0 + trace, differ[0], differ[1], differ[2]];
            }
            let k = i - 1;
            let entry = |j: usize| if j == k { 1.0 + 2.0 * m[k][k] - trace } else { m[k][j] + m[j][k] };
            [differ[k], entry(0), entry(1), entry(2)]
        };
        let scaled = |i: usize| row(i).map(|x| x / (2.0 * row(i)[i].sqrt()));
        let larger = |a: usize, b: usize| row(b)[b].le(row(a)[a]);
        let choose =
            |c: Ex<'g>, a: [Ex<'g>; 4], b: [Ex<'g>; 4]| [0, 1, 2, 3].map(|j| graph.select(c, a[j], b[j]));
        // The larger of the first two, of the last two, then of these.
        let first = choose(larger(0, 1), scaled(0), scaled(1));
        let last = choose(larger(2, 3), scaled(2), scaled(3));
        let best = row(0)[0].max(row(1)[1]);
        let rest = row(2)[2].max(row(3)[3]);
        SymbolicQuaternion(choose(rest.le(best), first, last))
    }

    pub fn conjugate(self) -> Self {
        let [w, x, y, z] = self.0;
        SymbolicQuaternion([w, -x, -y, -z])
    }

    /// This turn followed, in the turned axes, by the other.
    pub fn times(self, o: Self) -> Self {
        let ([a, b, c, d], [w, x, y, z]) = (self.0, o.0);
        SymbolicQuaternion([
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ])
    }
}

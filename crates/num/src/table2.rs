//! Interpolation tables of two variables, by the cells of one (`table.rs`).

use crate::table::{Outside, TableError, TableShape, cell, check_values, locate, power_sum, slopes};

/// z(x, y), bilinear or bicubic with monotone slopes along both axes and no twist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table2 {
    x: Vec<f64>,
    y: Vec<f64>,
    /// c_kl of s^k r^l, sixteen for each cell (i, j) at i · (ny − 1) + j.
    cells: Vec<[f64; 16]>,
    outside: Outside,
}

impl Table2 {
    /// `z[i * y.len() + j]` belongs to (x[i], y[j]).
    pub fn new(
        x: &[f64],
        y: &[f64],
        z: &[f64],
        shape: TableShape,
        outside: Outside,
    ) -> Result<Self, TableError> {
        check_axis(x)?;
        check_axis(y)?;
        let (nx, ny) = (x.len(), y.len());
        if z.len() != nx * ny {
            return Err(TableError::Size { expected: nx * ny, found: z.len() });
        }
        if let Some(index) = z.iter().position(|v| !v.is_finite()) {
            return Err(TableError::NotFinite { index });
        }
        let at = |i: usize, j: usize| z[i * ny + j];
        // Slopes along x for every j, along y for every i.
        let zx: Vec<Vec<f64>> =
            (0..ny).map(|j| slopes(x, &(0..nx).map(|i| at(i, j)).collect::<Vec<_>>(), shape)).collect();
        let zy: Vec<Vec<f64>> = (0..nx).map(|i| slopes(y, &z[i * ny..(i + 1) * ny], shape)).collect();
        let mut cells = Vec::with_capacity((nx - 1) * (ny - 1));
        for i in 0..nx - 1 {
            for j in 0..ny - 1 {
                let (hx, hy) = (x[i + 1] - x[i], y[j + 1] - y[j]);
                // Value and ∂/∂y at both x ends are interpolated along x, giving the Hermite data in y.
                let along = |f: &dyn Fn(usize) -> (f64, f64)| {
                    let ((a, da), (b, db)) = (f(i), f(i + 1));
                    cell(hx, a, b, da, db, shape)
                };
                let low = along(&|i| (at(i, j), zx[j][i]));
                let high = along(&|i| (at(i, j + 1), zx[j + 1][i]));
                let low_y = along(&|i| (zy[i][j], 0.0));
                let high_y = along(&|i| (zy[i][j + 1], 0.0));
                let mut c = [0.0; 16];
                for k in 0..4 {
                    let r = cell(hy, low[k], high[k], low_y[k], high_y[k], shape);
                    c[4 * k..4 * k + 4].copy_from_slice(&r);
                }
                cells.push(c);
            }
        }
        Ok(Table2 { x: x.to_vec(), y: y.to_vec(), cells, outside })
    }

    /// Breakpoints of both axes, cells, and how it goes on outside: all it consists of.
    pub fn parts(&self) -> (Vec<f64>, Vec<f64>, Vec<[f64; 16]>, Outside) {
        (self.x.clone(), self.y.clone(), self.cells.clone(), self.outside)
    }

    /// A table from its parts; None if they do not fit together.
    pub fn from_parts(x: Vec<f64>, y: Vec<f64>, cells: Vec<[f64; 16]>, outside: Outside) -> Option<Self> {
        let axes = check_axis(&x).is_ok() && check_axis(&y).is_ok() && x.len() >= 2 && y.len() >= 2;
        let fits = axes && (x.len() - 1).checked_mul(y.len() - 1) == Some(cells.len());
        fits.then_some(Table2 { x, y, cells, outside })
    }

    /// ∂^(dx+dy) z / ∂x^dx ∂y^dy.
    pub fn eval(&self, x: f64, y: f64, dx: u8, dy: u8) -> f64 {
        if x.is_nan() || y.is_nan() {
            return f64::NAN;
        }
        let (cx, inside_x) = clamp(&self.x, x);
        let (cy, inside_y) = clamp(&self.y, y);
        if self.outside == Outside::Hold {
            let flat = (!inside_x && dx > 0) || (!inside_y && dy > 0);
            return if flat { 0.0 } else { self.inside(cx, cy, dx, dy) };
        }
        // Each axis continues by its tangent: z(c) + z_x Δx + z_y Δy + z_xy Δx Δy, c the nearest point inside.
        let mut sum = 0.0;
        for (kx, fx) in tangent(dx, x - cx, inside_x).into_iter().flatten() {
            for (ky, fy) in tangent(dy, y - cy, inside_y).into_iter().flatten() {
                sum += fx * fy * self.inside(cx, cy, kx, ky);
            }
        }
        sum
    }

    /// Of x and of y.
    pub fn points(&self) -> [&[f64]; 2] {
        [&self.x, &self.y]
    }

    fn inside(&self, x: f64, y: f64, dx: u8, dy: u8) -> f64 {
        let (i, s) = locate(&self.x, x);
        let (j, r) = locate(&self.y, y);
        let (i, s) =
            if i == self.x.len() { (i - 2, x - self.x[i - 2]) } else { (i.min(self.x.len() - 2), s) };
        let (j, r) =
            if j == self.y.len() { (j - 2, y - self.y[j - 2]) } else { (j.min(self.y.len() - 2), r) };
        let c = &self.cells[i * (self.y.len() - 1) + j];
        let mut along_x = [0.0; 4];
        for k in 0..4 {
            along_x[k] = power_sum(&[c[4 * k], c[4 * k + 1], c[4 * k + 2], c[4 * k + 3]], r, dy);
        }
        power_sum(&along_x, s, dx)
    }
}

fn check_axis(x: &[f64]) -> Result<(), TableError> {
    check_values(x)?;
    match x.windows(2).position(|w| w[1] <= w[0]) {
        Some(i) => Err(TableError::NotAscending { index: i + 1 }),
        None => Ok(()),
    }
}

fn clamp(x: &[f64], v: f64) -> (f64, bool) {
    let (low, high) = (x[0], x[x.len() - 1]);
    (v.clamp(low, high), v >= low && v <= high)
}

/// Terms (derivative order, factor) of the tangent continuation along one axis.
fn tangent(order: u8, offset: f64, inside: bool) -> [Option<(u8, f64)>; 2] {
    match (inside, order) {
        (true, _) | (false, 1) => [Some((order, 1.0)), None],
        (false, 0) => [Some((0, 1.0)), Some((1, offset))],
        (false, _) => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let x: [f64; 4] = [0.0, 0.5, 2.0, 3.0];
        let y: [f64; 3] = [0.0, 1.0, 2.5];
        let z: Vec<f64> =
            x.iter().flat_map(|a| y.iter().map(move |b| a * a + a * b + (b * 2.0).sin())).collect();
        for shape in [TableShape::Linear, TableShape::Monotone] {
            for outside in [Outside::Hold, Outside::Extend] {
                let t = Table2::new(&x, &y, &z, shape, outside).unwrap();
                for (a, b) in [(0.2, 0.4), (1.1, 2.0), (2.7, 0.9), (4.0, 1.5), (1.0, -1.0), (-1.0, 3.0)] {
                    let h = 1e-6;
                    let dx = (t.eval(a + h, b, 0, 0) - t.eval(a - h, b, 0, 0)) / (2.0 * h);
                    let dy = (t.eval(a, b + h, 0, 0) - t.eval(a, b - h, 0, 0)) / (2.0 * h);
                    assert!((dx - t.eval(a, b, 1, 0)).abs() < 1e-6, "{shape:?} {outside:?} x at {a},{b}");
                    assert!((dy - t.eval(a, b, 0, 1)).abs() < 1e-6, "{shape:?} {outside:?} y at {a},{b}");
                }
            }
        }
    }

    #[test]
    fn bilinear_tables_are_exact_on_bilinear_data_and_points() {
        let (x, y) = ([0.0, 1.0, 4.0], [0.0, 2.0]);
        let f = |a: f64, b: f64| 1.0 + 2.0 * a - b + 0.5 * a * b;
        let z: Vec<f64> = x.iter().flat_map(|&a| y.iter().map(move |&b| f(a, b))).collect();
        let t = Table2::new(&x, &y, &z, TableShape::Linear, Outside::Hold).unwrap();
        for (a, b) in [(0.5, 0.5), (3.0, 1.9), (4.0, 2.0), (1.0, 0.0)] {
            assert!((t.eval(a, b, 0, 0) - f(a, b)).abs() < 1e-13);
        }
        assert_eq!(t.eval(9.0, 1.0, 0, 0), t.eval(4.0, 1.0, 0, 0));
    }
}

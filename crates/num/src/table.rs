//! Interpolation tables: piecewise polynomials of one variable.
//!
//! On cell i with s = x − x_i:   y = Σ_k c_k s^k                                                    (1)
//!
//! Linear tables have c = (y_i, Δ_i). Monotone cubics take the slopes of Fritsch and Carlson in the
//! harmonic form (d_i = 0 at an extremum of the data, else the weighted harmonic mean of neighbouring
//! secants), so the curve never overshoots its points. [Fritsch1984, eq. 5]
//! Outside its range a table continues with its end value (`Hold`) or its end slope (`Extend`).
//!
//! A table of one variable jumps where a breakpoint stands twice: from the value of the first to that of the last, which counts at the
//! breakpoint itself. Slopes on one side know nothing of the other.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableShape {
    Linear,
    Monotone,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outside {
    #[default]
    Hold,
    Extend,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableError {
    TooFew,
    NotAscending { index: usize },
    NotFinite { index: usize },
    Size { expected: usize, found: usize },
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TableError::TooFew => {
                write!(f, "a table needs at least two points in each direction, at different places")
            }
            TableError::NotAscending { index } => {
                write!(f, "breakpoints must ascend, but point {} is not above the one before", index + 1)
            }
            TableError::NotFinite { index } => write!(f, "value {} is not a finite number", index + 1),
            TableError::Size { expected, found } => write!(f, "expected {expected} values, found {found}"),
        }
    }
}

/// y(x).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table1 {
    x: Vec<f64>,
    /// c_0..c_3 of each cell, then of the regions left and right of the range.
    cells: Vec<[f64; 4]>,
    /// Points at which it jumps, and those at which it bends because a jump was taken out.
    jumps: Vec<usize>,
    seams: Vec<f64>,
}

/// Roundings of the largest value: less is no jump.
const JUMP: f64 = 8.0 * f64::EPSILON;

impl Table1 {
    pub fn new(x: &[f64], y: &[f64], shape: TableShape, outside: Outside) -> Result<Self, TableError> {
        check_values(x)?;
        if y.len() != x.len() {
            return Err(TableError::Size { expected: x.len(), found: y.len() });
        }
        check_values(y)?;
        if let Some(i) = x.windows(2).position(|w| w[1] < w[0]) {
            return Err(TableError::NotAscending { index: i + 1 });
        }
        let (x, ends) = join_equal(x, y);
        let n = x.len();
        if n < 2 {
            return Err(TableError::TooFew);
        }
        let jumps: Vec<usize> = (0..n).filter(|&i| ends[i][0] != ends[i][1]).collect();
        let mut cells: Vec<[f64; 4]> = Vec::with_capacity(n + 1);
        // From jump to jump, each stretch by itself: slopes at both ends of every cell.
        let mut slopes_at: Vec<[f64; 2]> = Vec::with_capacity(n - 1);
        let mut from = 0;
        for to in jumps.iter().copied().filter(|&i| i > 0 && i < n - 1).chain([n - 1]) {
            let mut y: Vec<f64> = (from..=to).map(|i| ends[i][1]).collect();
            y[to - from] = ends[to][0];
            let d = slopes(&x[from..=to], &y, shape);
            slopes_at.extend(d.windows(2).map(|d| [d[0], d[1]]));
            from = to;
        }
        for (i, d) in slopes_at.iter().enumerate() {
            cells.push(cell(x[i + 1] - x[i], ends[i][1], ends[i + 1][0], d[0], d[1], shape));
        }
        let (left, right) = match (outside, shape) {
            (Outside::Hold, _) => (0.0, 0.0),
            (Outside::Extend, TableShape::Monotone) => (slopes_at[0][0], slopes_at[n - 2][1]),
            (Outside::Extend, TableShape::Linear) => (cells[0][1], cells[n - 2][1]),
        };
        cells.push([ends[0][0], left, 0.0, 0.0]);
        cells.push([ends[n - 1][1], right, 0.0, 0.0]);
        Ok(Table1 { x, cells, jumps, seams: vec![] })
    }

    /// Breakpoints, cells, numbers of the points at which it jumps, and seams: all it consists of.
    pub fn parts(&self) -> (Vec<f64>, Vec<[f64; 4]>, Vec<usize>, Vec<f64>) {
        (self.x.clone(), self.cells.clone(), self.jumps.clone(), self.seams.clone())
    }

    /// A table from its parts; None if they do not fit together.
    pub fn from_parts(x: Vec<f64>, cells: Vec<[f64; 4]>, jumps: Vec<usize>, seams: Vec<f64>) -> Option<Self> {
        let finite = x.iter().all(|v| v.is_finite());
        let ascends = x.windows(2).all(|w| w[0] < w[1]);
        let places = jumps.windows(2).all(|w| w[0] < w[1]) && jumps.last().is_none_or(|&i| i < x.len());
        let sorted = seams.windows(2).all(|w| w[0].total_cmp(&w[1]).is_le());
        let fits = x.len() >= 2 && cells.len() == x.len() + 1 && finite && ascends && places && sorted;
        fits.then_some(Table1 { x, cells, jumps, seams })
    }

    /// Where it jumps.
    pub fn jumps(&self) -> impl Iterator<Item = f64> + '_ {
        self.jumps.iter().map(|&i| self.x[i])
    }

    /// Itself without its jumps, and its jumps alone: a staircase. Their sum is the table.
    pub fn divided(&self) -> Option<(Table1, Table1)> {
        let n = self.x.len();
        if self.jumps.is_empty() {
            return None;
        }
        let level = |y: f64| [y, 0.0, 0.0, 0.0];
        let heights = (0..n).scan(0.0, |height, i| {
            *height += self.jump(i);
            Some(*height)
        });
        let mut stairs: Vec<[f64; 4]> = heights.map(level).collect();
        // The last is that right of the range; the one left of it comes before.
        stairs.insert(n - 1, level(0.0));
        let mut smooth = self.cells.clone();
        smooth.iter_mut().zip(&stairs).for_each(|(c, stair)| c[0] -= stair[0]);
        let stairs = Table1 { cells: stairs, ..self.clone() };
        let seams = self.jumps().collect();
        Some((Table1 { x: self.x.clone(), cells: smooth, jumps: vec![], seams }, stairs))
    }

    /// Whether a jump was taken out at a point.
    pub fn has_seam(&self, point: f64) -> bool {
        self.seams.binary_search_by(|s| s.total_cmp(&point)).is_ok()
    }

    /// By how much it jumps at point i.
    fn jump(&self, i: usize) -> f64 {
        self.cells[self.after(i)][0] - self.before(i)
    }

    /// Number of the cell right of point i.
    fn after(&self, i: usize) -> usize {
        if i + 1 < self.x.len() { i } else { self.x.len() }
    }

    /// The value just left of point i.
    fn before(&self, i: usize) -> f64 {
        match i.checked_sub(1) {
            _ if self.jumps.binary_search(&i).is_err() => self.cells[self.after(i)][0],
            None => self.cells[self.x.len() - 1][0],
            Some(cell) => power_sum(&self.cells[cell], self.x[i] - self.x[cell], 0),
        }
    }

    /// The value (`derivative` = 0) or a derivative of it.
    pub fn eval(&self, x: f64, derivative: u8) -> f64 {
        if x.is_nan() {
            return f64::NAN;
        }
        let (cell, s) = locate(&self.x, x);
        let c = &self.cells[cell];
        power_sum(c, s, derivative)
    }
}

impl Table1 {
    /// Smallest and largest value, or derivative, for x in [a, b].
    pub fn range(&self, a: f64, b: f64, derivative: u8) -> (f64, f64) {
        if !(a.is_finite() && b.is_finite()) {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let (at_a, at_b) = (self.eval(a, derivative), self.eval(b, derivative));
        let (mut low, mut high) = (at_a.min(at_b), at_a.max(at_b));
        let mut include = |y: f64| (low, high) = (low.min(y), high.max(y));
        let number = |v: f64| self.x.partition_point(|&x| x <= v);
        let (first, last, n) = (number(a), number(b), self.x.len());
        // Left of the range, the n − 1 cells, right of it.
        let cell =
            |piece: usize| &self.cells[if piece == 0 { n - 1 } else { piece - usize::from(piece < n) }];
        // Values are monotone from point to point.
        (first + 1..=last).for_each(|piece| include(power_sum(cell(piece), 0.0, derivative)));
        let passed = |&&i: &&usize| i >= first && i < last;
        self.jumps.iter().filter(passed).filter(|_| derivative == 0).for_each(|&i| include(self.before(i)));
        if derivative > 0 {
            for piece in first..=last {
                // A slope is a parabola with this vertex, and jumps at the points.
                let (c, origin) = (cell(piece), self.x[piece.saturating_sub(1)]);
                let end = if piece < last { self.x[piece] - origin } else { b - origin };
                let from = if piece > first { 0.0 } else { a - origin };
                let vertex = -c[2] / (3.0 * c[3]);
                include(power_sum(c, end, derivative));
                if derivative == 1 && vertex > from && vertex < end {
                    include(power_sum(c, vertex, derivative));
                }
            }
        }
        (low, high)
    }

    /// Where its pieces meet with a corner: the points of a linear table.
    pub fn corners(&self) -> &[f64] {
        if self.is_linear() { &self.x } else { &[] }
    }
}

/// A point of a table, and the mean slopes of the pieces before and after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakpoint {
    pub x: f64,
    pub before: f64,
    pub after: f64,
    /// By how much it jumps there.
    pub jump: f64,
}

impl Table1 {
    pub fn is_linear(&self) -> bool {
        self.cells.iter().all(|c| c[2] == 0.0 && c[3] == 0.0)
    }

    pub fn bends(&self) -> Vec<Breakpoint> {
        let n = self.x.len();
        // Of piece i, which ends at point i.
        let slope = |i: usize| match i {
            0 => self.cells[n - 1][1],
            i if i == n => self.cells[n][1],
            i => (self.before(i) - self.cells[i - 1][0]) / (self.x[i] - self.x[i - 1]),
        };
        let bend =
            |i: usize| Breakpoint { x: self.x[i], before: slope(i), after: slope(i + 1), jump: self.jump(i) };
        (0..n).map(bend).collect()
    }

    pub fn points(&self) -> &[f64] {
        &self.x
    }
}

pub(crate) fn check_values(x: &[f64]) -> Result<(), TableError> {
    if x.len() < 2 {
        return Err(TableError::TooFew);
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(TableError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Breakpoints, each once, with the first and the last value that belongs to it. What differs by rounding is no jump.
fn join_equal(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<[f64; 2]>) {
    let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let (mut places, mut ends): (Vec<f64>, Vec<[f64; 2]>) = (vec![], vec![]);
    for (&x, &y) in x.iter().zip(y) {
        match ends.last_mut().filter(|_| places.last() == Some(&x)) {
            Some(ends) => ends[1] = y,
            None => {
                places.push(x);
                ends.push([y, y]);
            }
        }
    }
    for [before, after] in &mut ends {
        if (*before - *after).abs() <= JUMP * largest {
            *before = *after;
        }
    }
    (places, ends)
}

/// Cell of `v` and its offset; n − 1 is left of the range, n right of it.
pub(crate) fn locate(x: &[f64], v: f64) -> (usize, f64) {
    let n = x.len();
    if v < x[0] {
        return (n - 1, v - x[0]);
    }
    if v >= x[n - 1] {
        return (n, v - x[n - 1]);
    }
    let i = x.partition_point(|&b| b <= v) - 1;
    (i, v - x[i])
}

/// Σ c_k s^k or its derivative. (1)
pub(crate) fn power_sum(c: &[f64; 4], s: f64, derivative: u8) -> f64 {
    match derivative {
        0 => c[0] + s * (c[1] + s * (c[2] + s * c[3])),
        1 => c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]),
        2 => 2.0 * c[2] + s * 6.0 * c[3],
        3 => 6.0 * c[3],
        _ => 0.0,
    }
}

pub(crate) fn cell(h: f64, a: f64, b: f64, da: f64, db: f64, shape: TableShape) -> [f64; 4] {
    let secant = (b - a) / h;
    match shape {
        TableShape::Linear => [a, secant, 0.0, 0.0],
        TableShape::Monotone => {
            [a, da, (3.0 * secant - 2.0 * da - db) / h, (da + db - 2.0 * secant) / (h * h)]
        }
    }
}

pub(crate) fn slopes(x: &[f64], y: &[f64], shape: TableShape) -> Vec<f64> {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let secant: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    if shape == TableShape::Linear || n == 2 {
        return (0..n).map(|i| secant[i.min(n - 2)]).collect();
    }
    let mut d = vec![0.0; n];
    for i in 1..n - 1 {
        let (a, b) = (secant[i - 1], secant[i]);
        if a * b > 0.0 {
            let (w1, w2) = (2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]);
            d[i] = (w1 + w2) / (w1 / a + w2 / b);
        }
    }
    d[0] = end_slope(h[0], h[1], secant[0], secant[1]);
    d[n - 1] = end_slope(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]);
    d
}

/// Three-point slope at an end, limited so that the curve stays monotone.
fn end_slope(h0: f64, h1: f64, s0: f64, s1: f64) -> f64 {
    let d = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if d * s0 <= 0.0 {
        0.0
    } else if s0 * s1 <= 0.0 && d.abs() > 3.0 * s0.abs() {
        3.0 * s0
    } else {
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_pass_through_their_points_and_follow_lines_exactly() {
        let x = [0.0, 1.0, 3.0, 4.0];
        let y = [1.0, 3.0, 7.0, 9.0];
        for shape in [TableShape::Linear, TableShape::Monotone] {
            let t = Table1::new(&x, &y, shape, Outside::Extend).unwrap();
            for v in [-2.0, 0.0, 0.3, 1.0, 2.2, 4.0, 9.0] {
                assert!((t.eval(v, 0) - (1.0 + 2.0 * v)).abs() < 1e-13, "{shape:?} at {v}");
                assert!((t.eval(v, 1) - 2.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_monotone_table_never_overshoots() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let y = [0.0, 0.0, 0.1, 5.0, 5.0, 6.0];
        let t = Table1::new(&x, &y, TableShape::Monotone, Outside::Hold).unwrap();
        let mut last = t.eval(-1.0, 0);
        for k in 0..=700 {
            let v = t.eval(-1.0 + 0.01 * k as f64, 0);
            assert!(v >= last - 1e-14 && v <= 6.0);
            last = v;
        }
    }

    #[test]
    fn ranges_hold_every_value_and_no_more() {
        let (x, y) = ([0.0, 0.5, 2.0, 3.0], [1.0, 3.0, -1.0, 4.0]);
        for shape in [TableShape::Linear, TableShape::Monotone] {
            for outside in [Outside::Hold, Outside::Extend] {
                let t = Table1::new(&x, &y, shape, outside).unwrap();
                for (a, b) in
                    [(-1.0, -0.5), (-1.0, 4.0), (0.1, 0.4), (0.4, 2.5), (0.5, 0.6), (2.9, 3.5), (4.0, 5.0)]
                {
                    for derivative in 0..4 {
                        let at = |k: u32| t.eval(a + (b - a) * f64::from(k) / 1e4, derivative);
                        let seen = (0..=10_000)
                            .map(at)
                            .fold((f64::INFINITY, f64::NEG_INFINITY), |r, y| (r.0.min(y), r.1.max(y)));
                        let range = t.range(a, b, derivative);
                        let near = |a: f64, b: f64| (a - b).abs() < 1e-2 * (1.0 + b.abs());
                        assert!(
                            range.0 <= seen.0 + 1e-12 && range.1 >= seen.1 - 1e-12,
                            "{shape:?} {derivative}: {range:?} without {seen:?}"
                        );
                        assert!(
                            near(range.0, seen.0) && near(range.1, seen.1),
                            "{derivative}: {range:?} for {seen:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_breakpoint_that_stands_twice_is_a_jump() {
        let (x, y) = ([0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0], [0.0, 1.0, 9.0, 5.0, 6.0, 7.0, -1.0]);
        for shape in [TableShape::Linear, TableShape::Monotone] {
            let t = Table1::new(&x, &y, shape, Outside::Hold).unwrap();
            assert_eq!(t.jumps().collect::<Vec<_>>(), [1.0, 3.0]);
            let (smooth, stairs) = t.divided().unwrap();
            for (v, expected) in
                [(-1.0, 0.0), (0.5, 0.5), (1.0, 5.0), (1.5, 5.5), (2.5, 6.5), (3.0, -1.0), (4.0, -1.0)]
            {
                assert!((t.eval(v, 0) - expected).abs() < 1e-14, "{shape:?} at {v}");
                assert!((smooth.eval(v, 0) + stairs.eval(v, 0) - expected).abs() < 1e-14, "{shape:?} at {v}");
            }
            assert!((t.eval(1.0 - 1e-9, 0) - 1.0).abs() < 1e-8);
            assert!((smooth.eval(1.0 - 1e-9, 0) - smooth.eval(1.0, 0)).abs() < 1e-8);
            assert_eq!(t.range(0.5, 1.5, 0), (0.5, 5.5));
            assert_eq!(t.range(2.5, 3.5, 0), (-1.0, 7.0));
            assert_eq!(t.range(2.0, 2.5, 0), (6.0, 6.5));
        }
    }

    #[test]
    fn bad_tables_say_why() {
        let new = |x: &[f64], y: &[f64]| Table1::new(x, y, TableShape::Linear, Outside::Hold);
        assert_eq!(new(&[1.0], &[1.0]), Err(TableError::TooFew));
        assert_eq!(new(&[1.0, 1.0], &[1.0, 2.0]), Err(TableError::TooFew));
        assert_eq!(new(&[1.0, 0.0], &[1.0, 2.0]), Err(TableError::NotAscending { index: 1 }));
        assert_eq!(new(&[0.0, 1.0], &[1.0]), Err(TableError::Size { expected: 2, found: 1 }));
        assert_eq!(new(&[0.0, 1.0], &[1.0, f64::NAN]), Err(TableError::NotFinite { index: 1 }));
    }
}

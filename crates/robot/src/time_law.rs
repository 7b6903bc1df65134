//! How a distance is travelled from rest to rest: trapezoid of speed, S-curve, quintic.
//!
//! All are polynomials of time piece by piece, so that position, speed, acceleration and jerk are exact.
//!
//!   trapezoid   T = L/v + v/a                 if L ≥ v²/a,   else  T = 2 √(L/a)                              (1)
//!   S-curve     T = L/v + v/a + a/j           if v and a are reached,                                       (2)
//!               T = a/j + √((a/j)² + 4 L/a)   if a is reached and v is not,
//!               T = L/v + 2 √(v/j)            if v is reached and a is not,   else  T = 4 ∛(L/(2 j))
//!   quintic     x = L (10 s³ − 15 s⁴ + 6 s⁵), s = t/T:                                                      (3)
//!               |ẋ| ≤ 15/8 L/T,   |ẍ| ≤ 10/√3 L/T²,   |x⃛| ≤ 60 L/T³
//!
//! [Biagiotti2008, §2.1.7, §3.2, §3.4]. (1) and (2) are the shortest times that the limits allow; (3) is smoother and longer.

/// Speed, acceleration and jerk that must not be exceeded; all above 0, infinite where nothing limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimits {
    pub speed: f64,
    pub acceleration: f64,
    pub jerk: f64,
}

impl MotionLimits {
    /// The stricter of both.
    pub fn and(self, other: MotionLimits) -> MotionLimits {
        MotionLimits {
            speed: self.speed.min(other.speed),
            acceleration: self.acceleration.min(other.acceleration),
            jerk: self.jerk.min(other.jerk),
        }
    }

    /// For a coordinate that is so many times smaller.
    pub(crate) fn per(self, size: f64) -> MotionLimits {
        MotionLimits {
            speed: self.speed / size,
            acceleration: self.acceleration / size,
            jerk: self.jerk / size,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LawKind {
    /// Acceleration jumps.
    Trapezoid,
    /// Jerk jumps.
    #[default]
    SCurve,
    /// Jerk jumps at the ends only.
    Quintic,
}

/// Position along a path with its derivatives by time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawPoint {
    pub x: f64,
    pub v: f64,
    pub a: f64,
    pub jerk: f64,
}

/// A polynomial from its own start on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LawPiece {
    start: f64,
    c: [f64; 6],
}

/// From 0 to `length` in `duration`.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLaw {
    pub length: f64,
    pub duration: f64,
    pieces: Vec<LawPiece>,
}

/// Why there is no law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawError {
    /// The limits that the law needs are not all above 0 and finite.
    Unlimited,
    /// The length is below 0 or not finite.
    Length,
}

impl std::fmt::Display for LawError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LawError::Unlimited => {
                write!(f, "speed, acceleration and jerk need limits that are above 0 and finite")
            }
            LawError::Length => write!(f, "the length of a path is below 0 or not finite"),
        }
    }
}

impl std::error::Error for LawError {}

impl TimeLaw {
    /// The law of a kind that needs the least time.
    pub fn new(kind: LawKind, length: f64, limits: MotionLimits) -> Result<TimeLaw, LawError> {
        if !(length >= 0.0 && length.is_finite()) {
            return Err(LawError::Length);
        }
        let MotionLimits { speed: v, acceleration: a, jerk: j } = limits;
        let usable = |x: f64| x > 0.0 && x.is_finite();
        let jerk_counts = kind != LawKind::Trapezoid;
        if !(usable(v) && usable(a) && (usable(j) || (!jerk_counts && j > 0.0))) {
            return Err(LawError::Unlimited);
        }
        if length == 0.0 {
            return Ok(TimeLaw { length, duration: 0.0, pieces: vec![] });
        }
        Ok(match kind {
            LawKind::Trapezoid => trapezoid(length, v, a),
            LawKind::SCurve => s_curve(length, v, a, j),
            LawKind::Quintic => TimeLaw::quintic(length, quintic_duration(length, limits)),
        })
    }

    /// (3) in a given time, which is above 0.
    pub fn quintic(length: f64, duration: f64) -> TimeLaw {
        let c = |k: i32, factor: f64| factor * length / duration.powi(k);
        let piece = LawPiece { start: 0.0, c: [0.0, 0.0, 0.0, c(3, 10.0), c(4, -15.0), c(5, 6.0)] };
        TimeLaw { length, duration, pieces: vec![piece] }
    }

    /// The same course in a longer time: speed falls with the factor, acceleration with its square.
    pub fn stretched(&self, duration: f64) -> TimeLaw {
        if self.pieces.is_empty() {
            return TimeLaw { duration, ..self.clone() };
        }
        let factor = duration / self.duration;
        let slower = |piece: &LawPiece| {
            let mut c = piece.c;
            (0..6).for_each(|k| c[k] /= factor.powi(k as i32));
            LawPiece { start: factor * piece.start, c }
        };
        TimeLaw { length: self.length, duration, pieces: self.pieces.iter().map(slower).collect() }
    }

    /// Stretched to this time if it is longer.
    pub(crate) fn at_least(self, duration: f64) -> TimeLaw {
        if duration > self.duration { self.stretched(duration) } else { self }
    }

    /// At rest before 0 and after `duration`.
    pub fn at(&self, t: f64) -> LawPoint {
        if t.is_nan() || t <= 0.0 || self.pieces.is_empty() {
            return LawPoint::default();
        }
        if t >= self.duration {
            return LawPoint { x: self.length, ..LawPoint::default() };
        }
        let index = self.pieces.partition_point(|p| p.start <= t).max(1) - 1;
        let LawPiece { start, c } = self.pieces[index];
        let s = t - start;
        LawPoint {
            x: c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))),
            v: c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5]))),
            a: 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5])),
            jerk: 6.0 * c[3] + s * (24.0 * c[4] + s * 60.0 * c[5]),
        }
    }

    /// When a position is passed, by bisection: x grows with t.
    pub fn time_at(&self, x: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.duration);
        // 60 halvings leave the rounding of t.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.at(middle).x < x { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Instants where pieces begin, and the end.
    pub fn knots(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().map(|p| p.start).chain([self.duration])
    }
}

/// (3) backwards.
fn quintic_duration(length: f64, limits: MotionLimits) -> f64 {
    let by_speed = 15.0 / 8.0 * length / limits.speed;
    let by_acceleration = (10.0 / 3.0_f64.sqrt() * length / limits.acceleration).sqrt();
    let by_jerk = (60.0 * length / limits.jerk).cbrt();
    by_speed.max(by_acceleration).max(by_jerk)
}

/// (1)
fn trapezoid(length: f64, v: f64, a: f64) -> TimeLaw {
    let reached = v.min((length * a).sqrt());
    let ramp = reached / a;
    let cruise = (length / reached - ramp).max(0.0);
    joined(length, &[(ramp, a, 0.0), (cruise, 0.0, 0.0), (ramp, -a, 0.0)])
}

/// (2): jerk j for `t_jerk`, 0 for `t_hold`, and so on: seven phases.
fn s_curve(length: f64, v: f64, a: f64, j: f64) -> TimeLaw {
    // With full acceleration where the speed allows it.
    let (t_jerk, t_hold) = if v * j >= a * a { (a / j, v / a - a / j) } else { ((v / j).sqrt(), 0.0) };
    let ramp_length = v * (2.0 * t_jerk + t_hold);
    let (t_jerk, t_hold, cruise) = if length >= ramp_length {
        (t_jerk, t_hold, (length - ramp_length) / v)
    } else if length >= 2.0 * a.powi(3) / (j * j) {
        let t_jerk = a / j;
        // Total time from (2); a ramp takes half of it and has two phases of jerk.
        let total = t_jerk + (t_jerk * t_jerk + 4.0 * length / a).sqrt();
        (t_jerk, (0.5 * total - 2.0 * t_jerk).max(0.0), 0.0)
    } else {
        ((length / (2.0 * j)).cbrt(), 0.0, 0.0)
    };
    let top = j * t_jerk;
    let up = [(t_jerk, 0.0, j), (t_hold, top, 0.0), (t_jerk, top, -j)];
    let down = [(t_jerk, 0.0, -j), (t_hold, -top, 0.0), (t_jerk, -top, j)];
    let phases: Vec<_> = up.into_iter().chain([(cruise, 0.0, 0.0)]).chain(down).collect();
    joined(length, &phases)
}

/// Phases of (duration, acceleration at the start, jerk) one after the other.
fn joined(length: f64, phases: &[(f64, f64, f64)]) -> TimeLaw {
    let (mut x, mut v, mut start) = (0.0, 0.0, 0.0);
    let mut pieces = vec![];
    for &(t, a, j) in phases.iter().filter(|(t, ..)| *t > 0.0) {
        pieces.push(LawPiece { start, c: [x, v, 0.5 * a, j / 6.0, 0.0, 0.0] });
        x += t * (v + t * (0.5 * a + t * j / 6.0));
        v += t * (a + 0.5 * t * j);
        start += t;
    }
    TimeLaw { length, duration: start, pieces }
}

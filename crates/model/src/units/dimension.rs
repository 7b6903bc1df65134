//! Exponents of the base units.

use std::fmt;
use std::ops::{Div, Mul};

use super::quantities;

/// Exponents are stored in parts of this: halves to tenths, hundredths and thousandths are exact.
const PARTS: i32 = 126_000;

const BASE: [&str; 7] = ["m", "kg", "s", "A", "K", "mol", "cd"];

/// Order in which base units are written: kg·m²/s.
const WRITTEN: [usize; 7] = [1, 0, 2, 3, 4, 5, 6];

/// Product of powers of m, kg, s, A, K, mol, cd. Angles have no dimension: rad = 1, and N·m = J.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension([i32; 7]);

impl Dimension {
    /// The dimension of plain numbers.
    pub const ONE: Dimension = Dimension([0; 7]);
    pub const LENGTH: Dimension = Dimension::whole([1, 0, 0, 0, 0, 0, 0]);
    pub const MASS: Dimension = Dimension::whole([0, 1, 0, 0, 0, 0, 0]);
    pub const TIME: Dimension = Dimension::whole([0, 0, 1, 0, 0, 0, 0]);
    pub(crate) const TEMPERATURE: Dimension = Dimension::whole([0, 0, 0, 0, 1, 0, 0]);
    pub(crate) const POWER: Dimension = Dimension::whole([2, 1, -3, 0, 0, 0, 0]);
    pub const LIGHT: Dimension = Dimension::whole([0, 0, 0, 0, 0, 0, 1]);

    /// Whole exponents of m, kg, s, A, K, mol, cd.
    pub(super) const fn whole(exponents: [i32; 7]) -> Dimension {
        let mut parts = [0; 7];
        let mut i = 0;
        while i < 7 {
            parts[i] = exponents[i] * PARTS;
            i += 1;
        }
        Dimension(parts)
    }

    /// What it measures, with its article: "a pressure", "a volume flow", "a quantity in kg·m³".
    pub fn quantity(self) -> String {
        match quantities::find(self) {
            Some(known) if known.name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {}", known.name),
            Some(known) => format!("a {}", known.name),
            None => format!("a quantity in {self}"),
        }
    }

    /// This dimension to a power, if the exponents stay representable.
    pub fn powf(self, exponent: f64) -> Option<Dimension> {
        let mut parts = [0; 7];
        for (part, &own) in parts.iter_mut().zip(&self.0) {
            let exact = own as f64 * exponent;
            // An exponent such as 1/3 is rounded at the 17th digit; 1e-6 of a part is far above that.
            let near = (exact - exact.round()).abs() < 1e-6;
            if !near || exact.abs() > (i32::MAX / 4) as f64 {
                return None;
            }
            *part = exact.round() as i32;
        }
        Some(Dimension(parts))
    }

    /// Exponents of m, kg, s, A, K, mol, cd.
    pub fn exponents(self) -> [f64; 7] {
        self.0.map(|parts| parts as f64 / PARTS as f64)
    }
}

impl Mul for Dimension {
    type Output = Dimension;
    fn mul(self, other: Dimension) -> Dimension {
        Dimension(std::array::from_fn(|i| self.0[i].saturating_add(other.0[i])))
    }
}

impl Div for Dimension {
    type Output = Dimension;
    fn div(self, other: Dimension) -> Dimension {
        Dimension(std::array::from_fn(|i| self.0[i].saturating_sub(other.0[i])))
    }
}

/// In SI units, in a form that `parse_unit` reads back: `Pa`, `m³/s`, `N·m`, `1`.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(known) = quantities::find(*self) {
            return f.pad(known.unit);
        }
        let side = |sign: i32| -> Vec<String> {
            let present = WRITTEN.iter().filter(|&&i| self.0[i].signum() == sign);
            present.map(|&i| format!("{}{}", BASE[i], exponent_text(self.0[i].unsigned_abs()))).collect()
        };
        let (over, under) = (side(1), side(-1));
        let over = if over.is_empty() { "1".into() } else { over.join("·") };
        let text = match under.len() {
            0 => over,
            1 => format!("{over}/{}", under[0]),
            _ => format!("{over}/({})", under.join("·")),
        };
        f.pad(&text)
    }
}

/// `²`, `^0.5`, `^(1/3)`; nothing for 1.
fn exponent_text(parts: u32) -> String {
    const SUPERSCRIPTS: [&str; 10] = ["", "", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
    let whole = PARTS as u32;
    match (parts / whole, parts % whole) {
        (n @ 0..10, 0) => SUPERSCRIPTS[n as usize].into(),
        (n, 0) => format!("^{n}"),
        // A decimal where three digits say it exactly, else a fraction.
        _ if (parts as u64 * 1000).is_multiple_of(whole as u64) => {
            format!("^{}", parts as f64 / whole as f64)
        }
        _ => {
            let (mut a, mut b) = (parts, whole);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            format!("^({}/{})", parts / a, whole / a)
        }
    }
}

//! Exponents of the base units.

use std::fmt;
use std::ops::{Div, Mul};

/// Exponents are stored in parts of this: halves to tenths, hundredths and thousandths are exact.
const PARTS: i32 = 126_000;

/// Product of powers of m, kg, s, A, K, mol, cd. Angles have no dimension: rad = 1, and N·m = J.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension([i32; 7]);

impl Dimension {
    /// The dimension of plain numbers.
    pub const ONE: Dimension = Dimension([0; 7]);
    pub const LENGTH: Dimension = Dimension::base(0);
    pub const MASS: Dimension = Dimension::base(1);
    pub const TIME: Dimension = Dimension::base(2);
    pub const CURRENT: Dimension = Dimension::base(3);
    pub const TEMPERATURE: Dimension = Dimension::base(4);
    pub const AMOUNT: Dimension = Dimension::base(5);
    pub const LIGHT: Dimension = Dimension::base(6);

    const fn base(index: usize) -> Dimension {
        let mut exponents = [0; 7];
        exponents[index] = PARTS;
        Dimension(exponents)
    }

    /// What it measures, with its article: "a pressure", "a volume flow", "a quantity in kg·m".
    pub fn quantity(self) -> String {
        todo!()
    }

    /// This dimension to a power, if the exponents stay representable.
    pub fn powf(self, exponent: f64) -> Option<Dimension> {
        let _ = exponent;
        todo!()
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

/// In SI units: `Pa`, `m³/s`, `N·m`, `1`.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = f;
        todo!()
    }
}

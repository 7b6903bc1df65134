//! White noise that is the same on every run.

/// Uniform with mean zero and standard deviation one, from a 64-bit generator. [Steele2014, SplitMix]
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Noise(seed)
    }

    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // −√3 to √3 has a mean square of one.
        12.0_f64.sqrt() * ((z >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_are_as_promised() {
        let mut noise = Noise::new(7);
        let n = 100_000;
        let values: Vec<f64> = (0..n).map(|_| noise.next()).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let square = values.iter().map(|v| v * v).sum::<f64>() / f64::from(n);
        // 4 standard deviations: 4/√n, and 4 √(1.8 − 1)/√n for the square.
        assert!(mean.abs() < 0.0127 && (square - 1.0).abs() < 0.0114, "{mean} {square}");
        assert_eq!(Noise::new(7).next().to_bits(), values[0].to_bits());
    }
}

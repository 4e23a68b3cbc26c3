//! Numbers in no particular order, the same each time: for points in general position.

/// A generator of numbers (xorshift64*: S. Vigna, ACM Trans. Math. Software 42 (2016) 30). A seed gives the same numbers
/// on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The seed of everything that needs no other: the same model gives the same report.
    pub const SEED: u64 = 0x5EED_C07A;

    /// From a seed other than 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }
}

impl Default for Random {
    fn default() -> Random {
        Random::new(Random::SEED)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_fill_the_interval_and_are_not_repeated() {
        let mut random = Random::default();
        let numbers: Vec<f64> = (0..10_000).map(|_| random.uniform()).collect();
        let mean = |f: &dyn Fn(f64) -> f64| numbers.iter().map(|&x| f(x)).sum::<f64>() / numbers.len() as f64;
        // Mean 1/2 and variance 1/12, within four standard deviations; no two neighbours are correlated.
        assert!((mean(&|x| x) - 0.5).abs() < 4.0 / (12.0f64 * 1e4).sqrt());
        assert!((mean(&|x| (x - 0.5).powi(2)) - 1.0 / 12.0).abs() < 4.0 * 0.0745 / 100.0);
        let pairs: f64 = numbers.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / 1e4;
        assert!(pairs.abs() < 4.0 / 12.0 / 100.0);
        assert!(numbers.iter().all(|x| (0.0..1.0).contains(x)));
        let mut other = Random::default();
        assert!((0..100).all(|k| other.signed() == 2.0 * numbers[k] - 1.0));
    }
}

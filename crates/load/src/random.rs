//! Randomness that does not depend on how users are spread over cores: every stream is made
//! of the run's seed and a number of its own (a user's, a schedule's).

/// A stream of random numbers; not for secrets.
#[derive(Debug, Clone)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The stream with this number of the run with this seed.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        // SplitMix64's finaliser (Steele et al. 2014): neighbouring streams do not resemble
        // each other.
        let mut mixed = seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(fastrand::Rng::with_seed(mixed ^ (mixed >> 31)))
    }

    /// Evenly in 0.0..1.0.
    pub fn unit(&mut self) -> f64 {
        self.0.f64()
    }

    /// Evenly in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high < low {
            low
        } else {
            self.0.i64(low..=high)
        }
    }

    /// Evenly in `0..count`; 0 for a count of 0.
    pub fn below(&mut self, count: usize) -> usize {
        if count == 0 { 0 } else { self.0.usize(..count) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Normally distributed, mean 0, standard deviation 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Poisson-distributed with this mean (Knuth, TAOCP 3.4.1; by the normal distribution
    /// above a mean of 500, where the two are alike).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 500.0 {
            return mean.sqrt().mul_add(self.normal(), mean).round().max(0.0) as u64;
        }
        let limit = (-mean).exp();
        let mut product = self.unit();
        let mut count = 0;
        while product > limit {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

#[cfg(test)]
#[allow(clippy::cast_precision_loss)]
mod tests {
    use super::Random;

    const DRAWS: usize = 20_000;

    /// Mean and standard deviation of many draws.
    fn moments(mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut random = Random::new(42, 7);
        let draws: Vec<f64> = (0..DRAWS).map(|_| draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / DRAWS as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        (mean, variance.sqrt())
    }

    /// The seed is fixed; 5 standard errors would be passed by chance once in a million seeds.
    fn near(seen: f64, wanted: f64, deviation: f64) {
        let error = 5.0 * deviation / (DRAWS as f64).sqrt();
        assert!(
            (seen - wanted).abs() < error,
            "{seen} is not {wanted} ± {error}"
        );
    }

    #[test]
    fn distributions_have_their_moments() {
        let (mean, deviation) = moments(Random::unit);
        near(mean, 0.5, deviation);
        near(deviation, 1.0 / 12_f64.sqrt(), deviation);
        let (mean, deviation) = moments(Random::exponential);
        near(mean, 1.0, deviation);
        near(deviation, 1.0, 2.0);
        let (mean, deviation) = moments(Random::normal);
        near(mean, 0.0, deviation);
        near(deviation, 1.0, 1.0);
        for wanted in [3.0, 900.0] {
            let (mean, deviation) = moments(|random| random.poisson(wanted) as f64);
            near(mean, wanted, deviation);
            near(deviation, wanted.sqrt(), deviation);
        }
    }

    #[test]
    fn bounds_are_kept_and_reached() {
        let mut random = Random::new(1, 1);
        let drawn: std::collections::BTreeSet<i64> =
            (0..1_000).map(|_| random.between(-2, 3)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
        assert_eq!(random.between(5, 5), 5);
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn neighbouring_streams_are_unlike() {
        let first: Vec<u64> = (0..100)
            .map(|stream| Random::new(9, stream).bits())
            .collect();
        let distinct: std::collections::HashSet<_> = first.iter().collect();
        assert_eq!(distinct.len(), first.len());
        let ones: u32 = first.iter().map(|bits| bits.count_ones()).sum();
        assert!((2_900..3_500).contains(&ones), "{ones} of 6400 bits");
    }
}

//! Pairs of runs, and what they say so far.

use super::t_needed;

/// What is known of the noise of a difference from elsewhere: other pairs of the same study.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Noise {
    /// Sum of squares around the means of their pairs.
    pub squares: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl Noise {
    /// The standard deviation of a difference; none without any.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        (self.freedom > 0.0).then(|| (self.squares / self.freedom).sqrt())
    }

    /// The same with no more degrees of freedom than some.
    #[must_use]
    pub fn at_most(self, freedom: f64) -> Self {
        let share = if self.freedom > freedom {
            freedom / self.freedom
        } else {
            1.0
        };
        Self {
            squares: self.squares * share,
            freedom: self.freedom * share,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            freedom: self.freedom + other.freedom,
        }
    }
}

/// The noise of other pairs counts for so many degrees of freedom at most where it only helps.
const HELP: f64 = 4.0;

/// What of the noise of other pairs counts beside that of pairs themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KnownNoise {
    /// Nothing.
    None,
    /// All of it, as if these were as many pairs more.
    All(Noise),
    /// It helps few pairs, and decides nothing that they show by themselves: half of the error rate is theirs alone. So
    /// what came and went with other pairs takes nothing away.
    Helps(Noise),
}

/// Differences of pairs: the challenger's less the incumbent's, positive where the challenger is better.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs(pub Vec<f64>);

/// What pairs say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The challenger is better.
    Better,
    /// It is worse.
    Worse,
    /// It is not better by more than what matters, nor worse.
    NoDifference,
    /// It is not known so far.
    Open,
}

impl Pairs {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The mean difference.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / (self.0.len().max(1)) as f64
    }

    /// What they say of the noise.
    #[must_use]
    pub fn noise(&self) -> Noise {
        let mean = self.mean();
        let squares = self.0.iter().map(|it| (it - mean).powi(2)).sum();
        Noise {
            squares,
            freedom: self.0.len().saturating_sub(1) as f64,
        }
    }

    /// The interval of the true difference at 1 - `alpha`, valid however often one has looked.
    #[must_use]
    pub fn interval(&self, alpha: f64, known: KnownNoise) -> (f64, f64) {
        match known {
            KnownNoise::None => self.interval_with(alpha, Noise::default()),
            KnownNoise::All(known) => self.interval_with(alpha, known),
            KnownNoise::Helps(known) => {
                let (low, high) = self.interval_with(alpha / 2.0, Noise::default());
                let helped = self.interval_with(alpha / 2.0, known.at_most(HELP));
                (low.max(helped.0), high.min(helped.1))
            }
        }
    }

    fn interval_with(&self, alpha: f64, known: Noise) -> (f64, f64) {
        let n = self.0.len() as f64;
        let noise = self.noise().and(known);
        let Some(deviation) = noise.deviation().filter(|_| n > 0.0) else {
            return (f64::NEG_INFINITY, f64::INFINITY);
        };
        let t = t_needed(alpha, n, noise.freedom);
        // Without any scatter the difference is exact, even where t is not finite.
        let half = match deviation == 0.0 && noise.freedom > 1.0 {
            true => 0.0,
            false => t * deviation / n.sqrt(),
        };
        (self.mean() - half, self.mean() + half)
    }

    /// What they say. Differences below `matters` are none.
    #[must_use]
    pub fn verdict(&self, alpha: f64, known: KnownNoise, matters: f64) -> Verdict {
        let (low, high) = self.interval(alpha, known);
        match () {
            () if low > 0.0 => Verdict::Better,
            () if high < 0.0 => Verdict::Worse,
            () if high < matters && low > -matters => Verdict::NoDifference,
            () => Verdict::Open,
        }
    }

    /// How likely it is that the challenger is better, by what is seen so far: for deciding what is worth a further
    /// run, never for what is said at the end.
    #[must_use]
    pub fn hope(&self, known: KnownNoise) -> f64 {
        let noise = self.noise().and(match known {
            KnownNoise::None => Noise::default(),
            KnownNoise::All(known) => known,
            KnownNoise::Helps(known) => known.at_most(HELP),
        });
        let n = self.0.len() as f64;
        match noise.deviation() {
            Some(deviation) if n > 0.0 => {
                let error = (deviation / n.sqrt()).max(1e-9);
                normal(self.mean() / error)
            }
            _ => 0.5,
        }
    }
}

/// The normal distribution function, by its tail's rational approximation (W. J. Cody's form is more than is
/// needed: Abramowitz and Stegun 26.2.17, error below 8e-8).
#[must_use]
pub fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let poly = t
        * (0.319_381_530
            + t * (-0.356_563_782
                + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = density(z) * poly;
    if z >= 0.0 { 1.0 - tail } else { tail }
}

/// The normal density.
#[must_use]
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal numbers, by Box and Muller.
    struct Draw(fastrand::Rng);

    impl Draw {
        fn normal(&mut self) -> f64 {
            let (u, v) = (1.0 - self.0.f64(), self.0.f64());
            (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
        }
    }

    /// How often a test that is looked at after each pair says so within a number of pairs, and after how many.
    fn power(effect: f64, noise: f64, most: usize, drift: f64) -> (f64, f64) {
        let mut draw = Draw(fastrand::Rng::with_seed(7));
        let studies = 2000;
        let (mut found, mut used) = (0, 0);
        for _ in 0..studies {
            let mut pairs = Pairs::default();
            for at in 0..most {
                // A drift within the pair: its sign alternates with the order.
                let drift = if at % 2 == 0 { drift } else { -drift };
                let difference = effect + drift + noise * (draw.normal() - draw.normal());
                pairs.0.push(difference);
                if pairs.count() >= 5
                    && pairs.verdict(0.05, KnownNoise::None, 0.03) == Verdict::Better
                {
                    found += 1;
                    used += pairs.count();
                    break;
                }
            }
        }
        let share = f64::from(found) / f64::from(studies);
        (share, used as f64 / f64::from(found.max(1)))
    }

    #[test]
    fn a_look_after_each_pair_does_not_raise_the_error_rate() {
        for (most, drift) in [(12, 0.0), (60, 0.0), (60, 0.02)] {
            let (share, _) = power(0.0, 0.05, most, drift);
            // "Better" is one side of a test at 5 %.
            assert!(share <= 0.035, "{most} {drift}: {share}");
        }
    }

    #[test]
    fn ten_percent_are_found_at_the_noise_of_the_field() {
        let (share, pairs) = power(0.1_f64.ln_1p(), 0.03, 12, 0.0);
        assert!(share > 0.95 && pairs < 8.0, "{share} {pairs}");
        let (share, pairs) = power(0.1_f64.ln_1p(), 0.05, 12, 0.01);
        assert!(share > 0.8, "{share} {pairs}");
    }

    #[test]
    fn what_is_known_of_the_noise_saves_pairs() {
        let pairs = Pairs(vec![0.31, 0.29]);
        assert_eq!(pairs.verdict(0.05, KnownNoise::None, 0.03), Verdict::Open);
        let known = Noise {
            squares: 0.01,
            freedom: 10.0,
        };
        let all = KnownNoise::All(known);
        assert_eq!(pairs.verdict(0.05, all, 0.03), Verdict::Better);
        let none = Pairs(vec![0.002, -0.001, 0.0, 0.001, 0.001, -0.002]);
        assert_eq!(
            none.verdict(0.05, KnownNoise::All(known.and(none.noise())), 0.08),
            Verdict::NoDifference
        );
        assert!(Pairs(vec![-0.2, -0.25]).hope(all) < 0.01);
    }

    #[test]
    fn noise_of_other_pairs_helps_few_and_takes_nothing_from_what_pairs_show() {
        let clean = [1.226_f64, 1.237, 1.231, 1.229, 1.234];
        let clean = Pairs(clean.map(f64::ln).to_vec());
        let noisy = Noise {
            squares: 0.24 * 0.24 * 12.0,
            freedom: 12.0,
        };
        let alpha = 0.05 / 4.0;
        let all = clean.interval(alpha, KnownNoise::All(noisy));
        assert!(all.0 < 0.0, "{all:?}");
        let (low, high) = clean.interval(alpha, KnownNoise::Helps(noisy));
        assert!(low > 1.18_f64.ln() && high < 1.29_f64.ln(), "{low} {high}");
        // Quiet ones help few pairs …
        let quiet = Noise {
            squares: 0.01 * 0.01 * 12.0,
            freedom: 12.0,
        };
        let few = Pairs(vec![0.31, 0.29, 0.3]);
        let verdict = |known| few.verdict(alpha, known, 0.03);
        assert_eq!(verdict(KnownNoise::None), Verdict::Open);
        assert_eq!(verdict(KnownNoise::Helps(quiet)), Verdict::Better);
        // … and do not make sure what scatters.
        let scattered = Pairs(vec![0.3, -0.1, 0.25, 0.02, 0.2]);
        let verdict = scattered.verdict(alpha, KnownNoise::Helps(quiet), 0.03);
        assert_eq!(verdict, Verdict::Open);
    }

    #[test]
    fn a_look_with_help_does_not_raise_the_error_rate_either() {
        let mut draw = Draw(fastrand::Rng::with_seed(11));
        let (studies, mut found) = (2000, 0);
        for _ in 0..studies {
            let others: Vec<f64> = (0..7).map(|_| 0.07 * draw.normal()).collect();
            let known = KnownNoise::Helps(Pairs(others).noise());
            let mut pairs = Pairs::default();
            let better = (0..12).any(|_| {
                pairs.0.push(0.07 * draw.normal());
                pairs.count() > 1 && pairs.verdict(0.05, known, 0.03) == Verdict::Better
            });
            found += u32::from(better);
        }
        assert!(f64::from(found) <= 0.035 * f64::from(studies), "{found}");
    }

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (z, wanted) in [
            (0.0, 0.5),
            (1.0, 0.841_345),
            (-1.96, 0.024_998),
            (3.0, 0.998_650),
        ] {
            assert!((normal(z) - wanted).abs() < 1e-5, "{z}");
        }
    }
}

//! Whether one configuration is better than another, from pairs of runs.
//!
//! The run is the unit. Each run of a challenger stands beside one of the incumbent, made next to it and with
//! the same restart and warm-up; the order in the pair alternates. What is looked at is the difference of the
//! logarithms, so what drifts slowly meets both sides alike and goes out.
//!
//! The test may be looked at after each pair and ended whenever that is convenient ("anytime-valid"): the
//! evidence against "no difference" is the ratio of the likelihoods of the t statistic under a normal mixture
//! of effects and under none, a martingale under the latter whatever the variance is (T. L. Lai, "On confidence
//! sequences", Annals of Statistics 4(2), 1976; R. D. Gönen et al., "The Bayesian two-sample t test", The
//! American Statistician 59(3), 2005, for its form; M. Lindon et al., "Anytime-valid linear models and regression
//! adjusted causal inference", arXiv 2210.08589, for validity with degrees of freedom from elsewhere; R. Johari et
//! al., "Peeking at A/B tests", KDD 2017, for why it must be so). By Ville's inequality it ever exceeds 1/α with a
//! probability of at most α. The effects that it does not reject make a confidence sequence (S. R. Howard et
//! al., "Time-uniform, nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49(2), 2021).

mod pairs;

pub use pairs::{KnownNoise, Noise, Pairs, Verdict, density, normal};

/// Variance of effects in the mixture, in variances of a difference: effects of two standard deviations are
/// those that a study looks for and can find in few pairs.
const EFFECTS: f64 = 4.0;

/// How strong the evidence is that the mean of `n` differences is not `mean` away from 0 by chance, with the
/// square of the t statistic and its degrees of freedom. Under no difference it exceeds `1 / α` with a
/// probability of at most α, however often one looks.
#[must_use]
pub fn evidence(t_squared: f64, n: f64, freedom: f64) -> f64 {
    let spread = 1.0 + n * EFFECTS;
    let with = 1.0 + t_squared / freedom;
    let within = 1.0 + t_squared / (freedom * spread);
    let log = 0.5 * (freedom + 1.0) * (with / within).ln() - 0.5 * spread.ln();
    log.exp()
}

/// The t statistic that evidence of `1 / alpha` needs; infinite while none is enough.
#[must_use]
pub fn t_needed(alpha: f64, n: f64, freedom: f64) -> f64 {
    let spread = 1.0 + n * EFFECTS;
    let ratio = (spread.sqrt() / alpha).powf(2.0 / (freedom + 1.0));
    if ratio >= spread {
        return f64::INFINITY;
    }
    (freedom * (ratio - 1.0) / (1.0 - ratio / spread)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_where_the_evidence_says_so() {
        for (n, freedom) in [(5.0, 4.0), (8.0, 7.0), (12.0, 11.0), (3.0, 20.0)] {
            for alpha in [0.05, 0.01] {
                let t = t_needed(alpha, n, freedom);
                if t.is_finite() {
                    let found = evidence(t * t, n, freedom) * alpha;
                    assert!((found - 1.0).abs() < 1e-9, "{n} {freedom}: {found}");
                }
            }
        }
        assert!(t_needed(0.05, 2.0, 1.0).is_infinite());
        assert!(t_needed(0.05, 5.0, 4.0).is_finite());
    }

    #[test]
    fn no_evidence_without_an_effect() {
        assert!(evidence(0.0, 10.0, 9.0) < 1.0);
        assert!(evidence(400.0, 10.0, 9.0) > 1e3);
    }
}

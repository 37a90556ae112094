//! Stages that count for themselves: each has exactly as many arrivals as its rate makes in its
//! time, whether they lie evenly or at random (JMeter 5.6.3, `EvenArrivalsRamp` and
//! `PoissonArrivalsRamp`: with the same seed the same moments).

use plimsoll_elements::JavaRandom;
use plimsoll_plan::model::{ArrivalLoad, RateStage, Spacing};

use crate::clock::{Nanos, nanos};

/// The arrivals of an open load whose stages count for themselves, in order, as nanoseconds
/// from the load's start.
#[derive(Debug)]
pub struct ExactArrivals {
    /// The stages to come, each with how its arrivals lie.
    stages: std::vec::IntoIter<(RateStage, Spacing)>,
    random: JavaRandom,
    start_ns: Nanos,
    end_ns: Nanos,
    drawn: Drawn,
}

/// The arrivals of a stage, as seconds from its start.
#[derive(Debug)]
enum Drawn {
    Even { next: u64, count: u64, ramp: Ramp },
    Random(std::vec::IntoIter<f64>),
}

/// A stage in arrivals a second and seconds, computed as JMeter computes it.
#[derive(Debug, Clone, Copy)]
struct Ramp {
    from: f64,
    to: f64,
    lasts_s: f64,
}

impl ExactArrivals {
    /// The arrivals of a load.
    #[must_use]
    pub fn new(load: &ArrivalLoad, seed: i64) -> Self {
        let stages = load.stages.iter();
        let stages: Vec<_> = stages
            .map(|stage| (*stage, stage.spacing.unwrap_or(load.spacing)))
            .collect();
        Self {
            stages: stages.into_iter(),
            random: JavaRandom::new(seed),
            start_ns: 0,
            end_ns: 0,
            drawn: Drawn::Random(Vec::new().into_iter()),
        }
    }
}

impl Iterator for ExactArrivals {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        loop {
            if let Some(due_s) = self.drawn.next() {
                return Some(self.start_ns + in_ns(due_s));
            }
            let (stage, spacing) = self.stages.next()?;
            self.start_ns = self.end_ns;
            self.end_ns += nanos(stage.lasts);
            self.drawn = Ramp::of(&stage).arrivals(spacing, &mut self.random);
        }
    }
}

impl Iterator for Drawn {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        match self {
            Self::Random(due) => due.next(),
            Self::Even { next, count, ramp } => (*next < *count).then(|| {
                *next += 1;
                ramp.even(*next - 1)
            }),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)] // Float casts saturate, and counts are far below 2^53.
impl Ramp {
    fn of(stage: &RateStage) -> Self {
        Self {
            from: stage.from.as_per_second(),
            to: stage.to.as_per_second(),
            lasts_s: stage.lasts.as_secs_f64(),
        }
    }

    fn arrivals(self, spacing: Spacing, random: &mut JavaRandom) -> Drawn {
        let count = ((self.from + self.to) / 2.0 * self.lasts_s) as u64;
        match spacing {
            Spacing::Constant => Drawn::Even {
                next: 0,
                count,
                ramp: self,
            },
            Spacing::Poisson => Drawn::Random(self.random(count, random).into_iter()),
        }
    }

    /// When so many have come: the first is due at once.
    fn even(self, before: u64) -> f64 {
        let (count, mean) = (before as f64, (self.from + self.to) / 2.0);
        let change = self.to - self.from;
        if before == 0 {
            0.0
        } else if change.abs() < 0.0001 * mean {
            count / mean
        } else {
            // The root of from·t + slope·t²/2 = count.
            let slope = change / self.lasts_s;
            ((self.from * self.from + 2.0 * slope * count).sqrt() - self.from) / slope
        }
    }

    /// Those of the lower rate lie anywhere, the rest along the slope.
    fn random(self, count: u64, random: &mut JavaRandom) -> Vec<f64> {
        let flat = ((self.from.min(self.to) * self.lasts_s) as u64).min(count);
        let mut due = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        due.extend((0..flat).map(|_| random.unit() * self.lasts_s));
        if self.from != self.to {
            due.extend((flat..count).map(|_| {
                let rising = random.unit().sqrt();
                let at = if self.from > self.to {
                    1.0 - rising
                } else {
                    rising
                };
                at * self.lasts_s
            }));
        }
        due.sort_by(f64::total_cmp);
        due
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Float casts saturate.
fn in_ns(seconds: f64) -> Nanos {
    (seconds * 1e9) as Nanos
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use plimsoll_plan::model::Rate;

    use super::*;

    const S: u64 = 1_000_000_000;

    fn stage(from: u64, to: u64, lasts_ms: u64, spacing: Spacing) -> RateStage {
        // Rates are said for ten seconds, so that there are fractions.
        let rate = |arrivals| Rate {
            arrivals,
            per_ns: 10 * S,
        };
        RateStage {
            from: rate(from),
            to: rate(to),
            lasts: Duration::from_millis(lasts_ms),
            spacing: Some(spacing),
        }
    }

    fn due(stages: &[RateStage], seed: i64) -> Vec<u64> {
        let load = ArrivalLoad {
            stages: stages.to_vec(),
            spacing: Spacing::Constant,
            ready_users: 0,
            max_in_flight: 1,
            arrivals_total: None,
            exact_counts: true,
            seed: None,
            new_users: true,
        };
        ExactArrivals::new(&load, seed).collect()
    }

    #[test]
    fn each_stage_counts_from_its_start_and_rounds_down() {
        let even = Spacing::Constant;
        let found = due(
            &[
                stage(80, 80, 1000, even),
                stage(0, 0, 300, even),
                stage(19, 19, 1000, even),
                stage(9, 9, 1000, even),
                stage(9, 9, 1000, even),
            ],
            1,
        );
        assert_eq!(found.len(), 8 + 1);
        assert_eq!(found[..3], [0, S / 8, S / 4]);
        assert_eq!(found[8], 1_300_000_000);
    }

    #[test]
    fn an_even_ramp_has_the_area_under_its_line() {
        let up = due(&[stage(0, 200, 2000, Spacing::Constant)], 1);
        assert_eq!(up.len(), 20);
        // The integral of 10·t is 5·t²: arrival k at the root of k/5.
        assert_eq!((up[0], up[5]), (0, S));
        let down = due(&[stage(200, 0, 2000, Spacing::Constant)], 1);
        assert_eq!(down.len(), 20);
        assert!(down.windows(2).all(|pair| pair[0] < pair[1]) && down[19] < 2 * S);
    }

    #[test]
    fn random_arrivals_are_an_exact_count_within_their_stage() {
        let random = Spacing::Poisson;
        for seed in 1..50 {
            let found = due(
                &[stage(0, 100, 1000, random), stage(100, 50, 2000, random)],
                seed,
            );
            assert_eq!(found.len(), 5 + 15, "{seed}");
            assert!(found[4] < S && (S..3 * S).contains(&found[5]));
            assert!(found.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }

    /// `new java.util.Random(7)` begins with 0.7307, 0.7492 and 0.3483.
    #[test]
    fn a_seed_gives_the_moments_that_jmeter_draws() {
        let found = due(&[stage(30, 30, 1000, Spacing::Poisson)], 7);
        let found: Vec<_> = found.iter().map(|at| at / 1_000_000).collect();
        assert_eq!(found, [348, 730, 749]);
    }
}

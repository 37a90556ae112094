//! Bounds on throughput and response time that follow from service demands.
//!
//! Asymptotic bounds hold for every closed system; balanced job bounds are tighter and hold
//! for networks that have a product form (J. Zahorjan, K. C. Sevcik, D. L. Eager and
//! B. Galler, "Balanced job bound analysis of queueing networks", CACM 25(2), 1982;
//! E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System
//! Performance", 1984, chapter 5).

use serde::{Deserialize, Serialize};

/// What one request needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Demands {
    /// Demand at the resource that is busiest: D_max = U / X.
    pub d_max_s: f64,
    /// Sum of all demands: the response time without queueing.
    pub d_s: f64,
    /// Time a user spends between requests, for each request.
    pub z_s: f64,
}

/// A range of throughput, requests per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThroughputRange {
    /// At least.
    pub low_per_s: f64,
    /// At most.
    pub high_per_s: f64,
}

impl Demands {
    /// N / (N D + Z) ≤ X(N) ≤ min(1 / D_max, N / (D + Z)).
    #[must_use]
    pub fn asymptotic(&self, n: f64) -> ThroughputRange {
        ThroughputRange {
            low_per_s: n / (n * self.d_s + self.z_s),
            high_per_s: (1.0 / self.d_max_s).min(n / (self.d_s + self.z_s)),
        }
    }

    /// Balanced job bounds. The upper one needs the number of `centres` that requests queue
    /// at; without it the asymptotic one stands.
    #[must_use]
    pub fn balanced(&self, n: f64, centres: Option<u32>) -> ThroughputRange {
        let Self { d_max_s, d_s, z_s } = *self;
        let others = n - 1.0;
        let low = n / (d_s + z_s + others * d_max_s / (1.0 + z_s / (n * d_s)));
        let asymptotic = self.asymptotic(n).high_per_s;
        let high = centres.map_or(asymptotic, |centres| {
            let mean = d_s / f64::from(centres.max(1));
            asymptotic.min(n / (d_s + z_s + others * mean / (1.0 + z_s / d_s)))
        });
        ThroughputRange {
            low_per_s: low,
            high_per_s: high,
        }
    }

    /// The response time that goes with a throughput: R = N / X − Z (the response time law).
    #[must_use]
    pub fn response_s(&self, n: f64, throughput_per_s: f64) -> f64 {
        response_time_s(n, throughput_per_s, self.z_s)
    }

    /// N*, where the asymptotes cross: from there on requests must queue.
    #[must_use]
    pub fn n_star(&self) -> f64 {
        (self.d_s + self.z_s) / self.d_max_s
    }
}

/// The response time law: R = N / X − Z.
#[must_use]
pub fn response_time_s(n: f64, throughput_per_s: f64, z_s: f64) -> f64 {
    (n / throughput_per_s - z_s).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Exact throughput by mean value analysis (M. Reiser and S. S. Lavenberg, JACM 27(2),
    /// 1980).
    fn exact(demands: &[f64], z_s: f64, users: u32) -> f64 {
        let mut queues = vec![0.0; demands.len()];
        let mut x = 0.0;
        for n in 1..=users {
            let times: Vec<f64> = demands
                .iter()
                .zip(&queues)
                .map(|(d, q)| d * (1.0 + q))
                .collect();
            x = f64::from(n) / (z_s + times.iter().sum::<f64>());
            queues = times.iter().map(|time| x * time).collect();
        }
        x
    }

    proptest! {
        #[test]
        fn the_exact_throughput_lies_within_the_bounds(
            parts in vec(0.001..0.5_f64, 1..6),
            z_s in prop_oneof![Just(0.0), 0.0..5.0_f64],
            users in 1..80_u32,
        ) {
            let demands = Demands {
                d_max_s: parts.iter().copied().fold(0.0, f64::max),
                d_s: parts.iter().sum(),
                z_s,
            };
            let (n, x) = (f64::from(users), exact(&parts, z_s, users));
            let centres = u32::try_from(parts.len()).unwrap_or(1);
            let (wide, tight) = (demands.asymptotic(n), demands.balanced(n, Some(centres)));
            let slack = 1e-9 * x;
            prop_assert!(wide.low_per_s <= tight.low_per_s + slack);
            prop_assert!(tight.low_per_s <= x + slack, "{} > {x}", tight.low_per_s);
            prop_assert!(x <= tight.high_per_s + slack, "{x} > {}", tight.high_per_s);
            prop_assert!(tight.high_per_s <= wide.high_per_s + slack);
            let response = demands.response_s(n, x);
            prop_assert!((n / (response + z_s) / x - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_asymptotes_cross_at_n_star() {
        let demands = Demands {
            d_max_s: 0.02,
            d_s: 0.05,
            z_s: 0.95,
        };
        assert!((demands.n_star() - 50.0).abs() < 1e-9);
        let at = demands.asymptotic(demands.n_star()).high_per_s;
        assert!((at - 50.0).abs() < 1e-9);
    }
}

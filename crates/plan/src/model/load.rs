//! How much load, when.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Span;

/// The load of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub enum Load {
    /// Closed model: a number of users, each starting its next iteration after the last.
    Users(UserLoad),
    /// Open model: iterations arrive, whatever became of those before.
    Arrivals(ArrivalLoad),
}

impl Load {
    /// The most users it has at once.
    #[must_use]
    pub fn most_users(&self) -> u64 {
        match self {
            Self::Users(load) => {
                let users = load.stages.iter().map(|stage| u64::from(stage.users));
                users.max().unwrap_or(0)
            }
            Self::Arrivals(load) => u64::from(load.max_in_flight),
        }
    }

    /// The closed load; none of an open one.
    #[must_use]
    pub fn users(&self) -> Option<&UserLoad> {
        match self {
            Self::Users(load) => Some(load),
            Self::Arrivals(_) => None,
        }
    }

    /// The open load; none of a closed one.
    #[must_use]
    pub fn arrivals(&self) -> Option<&ArrivalLoad> {
        match self {
            Self::Arrivals(load) => Some(load),
            Self::Users(_) => None,
        }
    }
}

/// A closed load: the number of users over time, piecewise linear.
#[derive(Debug, Clone, PartialEq)]
pub struct UserLoad {
    /// The stages in order. Users that are already there are kept.
    pub stages: Vec<UserStage>,
    /// Each user ends after so many iterations; `None`: until the stages end.
    pub iterations_per_user: Option<u64>,
    /// All users together end after so many iterations (needs the `Shared` seam).
    pub iterations_total: Option<u64>,
    /// The end of the stages ends the load; `false`: only the iterations do.
    pub ends_with_stages: bool,
    /// A user that ends before its time is followed by a new one, so that the stages keep their users.
    pub new_users: bool,
}

impl UserLoad {
    /// Whether the number of iterations ends the load, or a part of it.
    #[must_use]
    pub const fn ends_by_iterations(&self) -> bool {
        self.iterations_total.is_some() || (self.iterations_per_user.is_some() && !self.new_users)
    }
}

/// A stage of a closed load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserStage {
    /// Users at the end of the ramp.
    pub users: u32,
    /// Time to get there from the stage before, evenly.
    pub ramp: Duration,
    /// Time to stay there.
    pub hold: Duration,
}

/// An open load: the arrival rate over time, piecewise linear.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArrivalLoad {
    /// The stages in order.
    pub stages: Vec<RateStage>,
    /// How arrivals lie within the rate.
    pub spacing: Spacing,
    /// Users made ready (and connected, when asked) before the first arrival.
    pub ready_users: u32,
    /// An arrival that finds so many users busy counts as not started.
    pub max_in_flight: u32,
    /// The load ends after so many arrivals.
    pub arrivals_total: Option<u64>,
    /// Each stage counts for itself: it has exactly as many arrivals as its rate makes in its
    /// time, rounded down, also when they lie at random.
    pub exact_counts: bool,
    /// What random arrivals are drawn from; none or 0: the run's seed.
    pub seed: Option<i64>,
    /// Each arrival is a new user; else users that are done with one take the next.
    pub new_users: bool,
}

/// A stage of an open load: the rate goes evenly from `from` to `to` in `lasts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateStage {
    /// Rate at the start.
    pub from: Rate,
    /// Rate at the end.
    pub to: Rate,
    /// How long.
    pub lasts: Duration,
    /// How arrivals lie within the rate; none: as the load says.
    pub spacing: Option<Spacing>,
}

/// Arrivals in a time, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Arrivals …
    pub arrivals: u64,
    /// … in so many nanoseconds.
    pub per_ns: u64,
}

impl Rate {
    /// Whole arrivals a second.
    #[must_use]
    pub const fn per_second(arrivals: u64) -> Self {
        Self {
            arrivals,
            per_ns: 1_000_000_000,
        }
    }

    /// As a floating-point number a second, for showing.
    #[must_use]
    #[expect(clippy::cast_precision_loss)]
    pub fn as_per_second(self) -> f64 {
        self.arrivals as f64 * 1e9 / self.per_ns.max(1) as f64
    }
}

/// How arrivals lie within a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Spacing {
    /// Evenly.
    #[default]
    Constant,
    /// A Poisson process: exponential gaps.
    Poisson,
}

/// A pause; also a pacing interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PauseTime {
    /// Always the same.
    Fixed(Duration),
    /// Evenly between two bounds.
    Uniform(Duration, Duration),
    /// Normally distributed (mean, standard deviation), never below zero.
    Normal(Duration, Duration),
    /// Exponentially distributed with this mean.
    Exponential(Duration),
    /// Poisson-distributed milliseconds around lambda, plus a constant (JMeter's timer).
    Poisson {
        /// Mean of the random part.
        lambda: Duration,
        /// Constant part.
        offset: Duration,
    },
}

/// A pause with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// How long; fixed at check time.
    pub time: PauseTime,
    /// A template giving milliseconds, when the length depends on variables; wins over `time`.
    pub template_ms: Option<super::Text>,
    /// Where it is written.
    pub at: Span,
}

//! A change of a load while it runs, and why one cannot be.

use std::time::Duration;

use plimsoll_plan::limits::{RATE_PER_S, USERS};
use plimsoll_plan::model::Rate;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::clock::Nanos;

/// What a load is from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewLoad {
    /// A closed load has so many users at once, up to its end; 0: none.
    Users(u32),
    /// An open load has this rate up to its end; it may be 0.
    Rate(Rate),
    /// The rates of an open load, those of later stages too, are so many thousandths of what they were; 0
    /// to 1,000,000.
    RateTimes(u32),
    /// The load ends so much later; 0: it stays. What it holds last (users or a rate that do not change)
    /// it holds longer, and what follows that comes later. Where that is over already, or there is none,
    /// what is now is held. Requests that are in flight then keep their own time.
    Longer(Duration),
}

impl NewLoad {
    /// The most of [`NewLoad::RateTimes`].
    pub const MOST_THOUSANDTHS: u32 = 1_000_000;

    /// What a plan may not have, a change may not ask for.
    ///
    /// # Errors
    /// More users, or a higher rate, than is allowed.
    #[expect(clippy::cast_precision_loss, reason = "a round number")]
    pub(super) fn check(self) -> Result<(), ChangeError> {
        match self {
            Self::Users(users) if users > USERS => Err(ChangeError::Users(users)),
            Self::Rate(rate) if rate.as_per_second() > RATE_PER_S as f64 => Err(ChangeError::Rate),
            _ => Ok(()),
        }
    }

    /// The rates of an open load times this, to a thousandth.
    ///
    /// ```
    /// use plimsoll_load::schedule::NewLoad;
    ///
    /// assert_eq!(NewLoad::rate_times(1.5), Ok(NewLoad::RateTimes(1_500)));
    /// assert_eq!(NewLoad::rate_times(0.0), Ok(NewLoad::RateTimes(0)));
    /// assert!(NewLoad::rate_times(-0.1).is_err());
    /// ```
    ///
    /// # Errors
    /// What is not between 0 and 1,000.
    pub fn rate_times(factor: f64) -> Result<Self, ChangeError> {
        let thousandths = (factor * 1_000.0).round();
        if !(0.0..=f64::from(Self::MOST_THOUSANDTHS)).contains(&thousandths) {
            return Err(ChangeError::Factor(factor));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(Self::RateTimes(thousandths as u32))
    }
}

/// A change of the load of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadChange {
    /// The scenario by its name; none: the only one whose load is of that kind, or for
    /// [`NewLoad::RateTimes`] and [`NewLoad::Longer`] all of them.
    pub scenario: Option<String>,
    /// What its load is then.
    pub to: NewLoad,
}

/// A change with the moment from which it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedChange {
    /// On the run's clock.
    pub at_ns: Nanos,
    /// The change.
    pub change: LoadChange,
}

/// Why a load cannot be changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChangeError {
    /// Its clock has not begun.
    #[error("the load has not begun")]
    NotBegun,
    /// It is over, or so near its end that nobody could be told in time.
    #[error("the load is over")]
    Over,
    /// There is no scenario of that name.
    #[error("no scenario \"{0}\"")]
    NoScenario(String),
    /// Several scenarios could be meant.
    #[error("several scenarios: name one")]
    WhichScenario,
    /// Users of an open load, or the rate of a closed one.
    #[error("the load of scenario \"{0}\" is counted in something else")]
    OtherModel(String),
    /// Something else than time ends the load.
    #[error("the load of scenario \"{0}\" is not ended by time")]
    NotByTime(String),
    /// When a scenario begins is not known before.
    #[error("the scenarios run one after the other")]
    InOrder,
    /// More users than a plan may have.
    #[error("{0} users; allowed: 0 to {USERS}")]
    Users(u32),
    /// More arrivals than a plan may have.
    #[error("a rate of more than {RATE_PER_S} a second")]
    Rate,
    /// A factor that is none.
    #[error("a factor of {0}; allowed: 0 to 1000")]
    Factor(f64),
    /// Some workers have no users, and so no numbers of their own.
    #[error("fewer users than workers")]
    FewUsers,
}

impl ChangeError {
    /// What a person is told.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::NotBegun => Message::new("change-not-begun"),
            Self::Over => Message::new("change-over"),
            Self::NoScenario(name) => named("change-no-scenario", name),
            Self::WhichScenario => Message::new("change-which-scenario"),
            Self::OtherModel(name) => named("change-other-model", name),
            Self::NotByTime(name) => named("change-not-by-time", name),
            Self::InOrder => Message::new("change-in-order"),
            Self::Factor(factor) => {
                Message::new("change-factor").with("factor", factor.to_string())
            }
            Self::Users(users) => Message::new("change-users")
                .with("users", users.to_string())
                .with("most", USERS.to_string()),
            Self::Rate => Message::new("change-rate").with("most", RATE_PER_S.to_string()),
            Self::FewUsers => Message::new("change-few-users"),
        }
    }
}

fn named(id: &str, name: &str) -> Message {
    Message::new(id).with("name", name)
}

//! The load that options of the command line ask for.

use std::time::Duration;

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::error::Problem;
use crate::model::{
    ArrivalLoad, Load, Rate, RateStage, Spacing, Span, UserLoad, UserStage, defaults,
};
use crate::units::time_for;

/// A load as options give it; what is `None` is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadOptions {
    /// Users of a closed load; with a rate: users made ready, and the limit in flight.
    pub users: Option<u32>,
    /// Arrivals of an open load.
    pub rate: Option<Rate>,
    /// Time to go from nothing to the full load.
    pub ramp_up: Option<Duration>,
    /// Time of the whole load, ramp included.
    pub duration: Option<Duration>,
    /// Iterations of each user (closed loads only).
    pub iterations_per_user: Option<u64>,
    /// Iterations, or arrivals, of all users together.
    pub iterations_total: Option<u64>,
    /// Users in flight over which an arrival counts as not started (open loads only).
    pub max_in_flight: Option<u32>,
}

/// Users of a URL run that names none.
pub const URL_USERS: u32 = 10;

/// Duration of a URL run that names neither a duration nor iterations.
pub const URL_DURATION: Duration = Duration::from_secs(10);

impl LoadOptions {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The load these options ask for, with the defaults of a URL run.
    ///
    /// # Errors
    /// What cannot be combined, and a rate without end.
    pub fn load(&self) -> Result<Load, Vec<Problem>> {
        match self.rate {
            Some(rate) => self.arrivals(rate).map(Load::Arrivals),
            None => Ok(Load::Users(self.user_load())),
        }
    }

    /// Changes a plan's load: what is given here replaces what the plan says, the rest stays.
    /// A load of several levels becomes one of the level given. A time replaces the plan's
    /// iterations as its end.
    ///
    /// # Errors
    /// What cannot be combined, and a rate without end.
    pub fn apply(&self, load: &mut Load) -> Result<(), Vec<Problem>> {
        if self.is_empty() {
            return Ok(());
        }
        match load {
            Load::Users(users) if self.rate.is_none() && self.max_in_flight.is_none() => {
                self.apply_to_users(users);
                return Ok(());
            }
            Load::Arrivals(arrivals) if self.users.is_none() || self.rate.is_some() => {
                return self.apply_to_arrivals(arrivals);
            }
            // The other model: the plan's time is kept, and nothing else.
            Load::Users(users) => {
                let whole = users
                    .stages
                    .iter()
                    .map(|stage| stage.ramp + stage.hold)
                    .sum();
                *load = self.lasting(whole).load()?;
            }
            Load::Arrivals(arrivals) => {
                let whole = arrivals.stages.iter().map(|stage| stage.lasts).sum();
                *load = self.lasting(whole).load()?;
            }
        }
        Ok(())
    }

    /// These options, with a time if they have no end of their own.
    fn lasting(&self, whole: Duration) -> Self {
        let endless = self.duration.is_none()
            && self.iterations_per_user.is_none()
            && self.iterations_total.is_none();
        let given = endless && !whole.is_zero();
        Self {
            duration: if given { Some(whole) } else { self.duration },
            ..self.clone()
        }
    }

    fn apply_to_users(&self, load: &mut UserLoad) {
        let most = load
            .stages
            .iter()
            .map(|stage| stage.users)
            .max()
            .unwrap_or(1);
        let even = load
            .stages
            .iter()
            .all(|stage| stage.users == most || stage.users == 0);
        let whole: Duration = load
            .stages
            .iter()
            .map(|stage| stage.ramp + stage.hold)
            .sum();
        let users = self.users.unwrap_or(most);
        let one_level = self.users.is_none() || even;
        if self.ramp_up.is_some() || self.duration.is_some() || !one_level {
            let ramp = load
                .stages
                .first()
                .map(|stage| stage.ramp)
                .unwrap_or_default();
            let ramp = self.ramp_up.unwrap_or(ramp);
            let whole = self.duration.unwrap_or(whole.max(ramp));
            let ramp = ramp.min(whole);
            load.stages = vec![UserStage {
                users,
                ramp,
                hold: whole - ramp,
            }];
        } else {
            let levels = load.stages.iter_mut().filter(|stage| stage.users > 0);
            levels.for_each(|stage| {
                if self.users.is_some() {
                    stage.users = users;
                }
            });
        }
        if self.duration.is_some() {
            load.ends_with_stages = true;
            load.iterations_total = None;
            if !load.new_users {
                load.iterations_per_user = None;
            }
        }
        load.iterations_per_user = self.iterations_per_user.or(load.iterations_per_user);
        load.iterations_total = self.iterations_total.or(load.iterations_total);
    }

    fn apply_to_arrivals(&self, load: &mut ArrivalLoad) -> Result<(), Vec<Problem>> {
        let whole: Duration = load.stages.iter().map(|stage| stage.lasts).sum();
        if self.rate.is_some() || self.ramp_up.is_some() || self.duration.is_some() {
            let highest = load
                .stages
                .iter()
                .map(|stage| stage.to)
                .max_by(|a, b| a.as_per_second().total_cmp(&b.as_per_second()));
            let rate = self.rate.or(highest).unwrap_or(Rate::per_second(1));
            let options = Self {
                rate: Some(rate),
                ..self.lasting(whole)
            };
            load.stages = options.arrivals(rate)?.stages;
        } else if self.iterations_per_user.is_some() {
            return Err(mistake("plan-iterations-per-user-with-rate"));
        }
        if self.duration.is_some() {
            load.arrivals_total = None;
        }
        load.arrivals_total = self.iterations_total.or(load.arrivals_total);
        load.max_in_flight = self
            .max_in_flight
            .or(self.users)
            .unwrap_or(load.max_in_flight);
        load.ready_users = self
            .users
            .unwrap_or(load.ready_users)
            .min(load.max_in_flight);
        Ok(())
    }

    fn user_load(&self) -> UserLoad {
        let by_iterations = self.iterations_per_user.is_some() || self.iterations_total.is_some();
        let ramp = self.ramp_up.unwrap_or_default();
        let duration = match self.duration {
            Some(duration) => duration,
            None if by_iterations => ramp,
            None => URL_DURATION.max(ramp),
        };
        let users = self.users.unwrap_or(URL_USERS);
        let ramp = ramp.min(duration);
        UserLoad {
            stages: vec![UserStage {
                users,
                ramp,
                hold: duration.saturating_sub(ramp),
            }],
            iterations_per_user: self.iterations_per_user,
            iterations_total: self.iterations_total,
            ends_with_stages: self.duration.is_some() || !by_iterations,
            new_users: false,
        }
    }

    fn arrivals(&self, rate: Rate) -> Result<ArrivalLoad, Vec<Problem>> {
        if self.iterations_per_user.is_some() {
            return Err(mistake("plan-iterations-per-user-with-rate"));
        }
        if rate.arrivals == 0 {
            return Err(mistake("plan-rate-zero"));
        }
        let ramp = self.ramp_up.unwrap_or_default();
        let duration = match (self.duration, self.iterations_total) {
            (Some(duration), _) => duration,
            // Half of the ramp brings nothing; the total ends the load before the time does.
            (None, Some(total)) => match time_for(rate, total) {
                Some(time) => time
                    .saturating_add(ramp)
                    .saturating_add(Duration::from_secs(1)),
                None => return Err(mistake("plan-rate-too-slow")),
            },
            (None, None) => URL_DURATION.max(ramp),
        };
        let stages = rate_stages(rate, ramp.min(duration), duration);
        let limit = self
            .max_in_flight
            .or(self.users)
            .unwrap_or(defaults::MAX_IN_FLIGHT);
        Ok(ArrivalLoad {
            stages,
            spacing: Spacing::Constant,
            ready_users: self.users.unwrap_or(0).min(limit),
            max_in_flight: limit,
            arrivals_total: self.iterations_total,
            exact_counts: false,
            seed: None,
            new_users: false,
        })
    }
}

/// A rate after an even ramp from nothing.
fn rate_stages(rate: Rate, ramp: Duration, whole: Duration) -> Vec<RateStage> {
    let mut stages = Vec::new();
    if !ramp.is_zero() {
        let from = Rate {
            arrivals: 0,
            per_ns: rate.per_ns,
        };
        stages.push(RateStage {
            from,
            to: rate,
            lasts: ramp,
            spacing: None,
        });
    }
    let lasts = whole.saturating_sub(ramp);
    stages.push(RateStage {
        from: rate,
        to: rate,
        lasts,
        spacing: None,
    });
    stages
}

/// A mistake of the options, with the remedy of the same name.
fn mistake(id: &str) -> Vec<Problem> {
    vec![Problem::mistake(Span::default(), Message::new(id))]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn stepped() -> Load {
        let stage = |users| UserStage {
            users,
            ramp: Duration::ZERO,
            hold: MINUTE,
        };
        Load::Users(UserLoad {
            stages: vec![stage(10), stage(20)],
            iterations_per_user: None,
            iterations_total: None,
            ends_with_stages: true,
            new_users: false,
        })
    }

    #[test]
    fn nothing_asked_changes_nothing() {
        let mut load = stepped();
        LoadOptions::default().apply(&mut load).unwrap();
        assert_eq!(load, stepped());
    }

    #[test]
    fn users_replace_the_users_of_a_plan() {
        let options = LoadOptions {
            users: Some(5),
            ..LoadOptions::default()
        };
        let mut load = stepped();
        options.apply(&mut load).unwrap();
        let expected = UserStage {
            users: 5,
            ramp: Duration::ZERO,
            hold: 2 * MINUTE,
        };
        assert_eq!(load.users().unwrap().stages, [expected]);
        // One level, with its ramps: these stay.
        let down = UserStage {
            users: 0,
            ramp: MINUTE,
            hold: Duration::ZERO,
        };
        let up = UserStage {
            users: 9,
            ramp: MINUTE,
            hold: MINUTE,
        };
        let mut load = Load::Users(UserLoad {
            stages: vec![up, down],
            ..load.users().unwrap().clone()
        });
        options.apply(&mut load).unwrap();
        assert_eq!(
            load.users().unwrap().stages,
            [UserStage { users: 5, ..up }, down]
        );
    }

    #[test]
    fn iterations_leave_the_stages_alone_and_a_time_ends_iterations() {
        let mut load = stepped();
        let options = LoadOptions {
            iterations_total: Some(7),
            ..LoadOptions::default()
        };
        options.apply(&mut load).unwrap();
        assert_eq!(
            load.users().unwrap().stages,
            stepped().users().unwrap().stages
        );
        assert_eq!(load.users().unwrap().iterations_total, Some(7));
        let options = LoadOptions {
            duration: Some(MINUTE),
            ..LoadOptions::default()
        };
        options.apply(&mut load).unwrap();
        assert_eq!(load.users().unwrap().iterations_total, None);
        assert_eq!(load.users().unwrap().stages[0].hold, MINUTE);
    }

    #[test]
    fn a_rate_keeps_how_arrivals_lie() {
        let poisson = ArrivalLoad {
            stages: rate_stages(Rate::per_second(5), Duration::ZERO, MINUTE),
            spacing: Spacing::Poisson,
            ready_users: 3,
            max_in_flight: 50,
            arrivals_total: None,
            exact_counts: false,
            seed: None,
            new_users: false,
        };
        let mut load = Load::Arrivals(poisson.clone());
        let rate = Some(Rate::per_second(9));
        LoadOptions {
            rate,
            ..LoadOptions::default()
        }
        .apply(&mut load)
        .unwrap();
        let stages = rate_stages(Rate::per_second(9), Duration::ZERO, MINUTE);
        assert_eq!(
            *load.arrivals().unwrap(),
            ArrivalLoad {
                stages,
                ..poisson.clone()
            }
        );
        let limit = LoadOptions {
            max_in_flight: Some(2),
            ..LoadOptions::default()
        };
        limit.apply(&mut load).unwrap();
        assert_eq!(
            (
                load.arrivals().unwrap().max_in_flight,
                load.arrivals().unwrap().ready_users
            ),
            (2, 2)
        );
        let wrong = LoadOptions {
            iterations_per_user: Some(2),
            ..LoadOptions::default()
        };
        assert!(wrong.apply(&mut load).is_err());
    }

    #[test]
    fn the_other_model_keeps_the_plans_time() {
        let mut load = stepped();
        let rate = Some(Rate::per_second(9));
        LoadOptions {
            rate,
            ..LoadOptions::default()
        }
        .apply(&mut load)
        .unwrap();
        assert_eq!(load.arrivals().unwrap().stages[0].lasts, 2 * MINUTE);
        LoadOptions {
            users: Some(4),
            ..LoadOptions::default()
        }
        .apply(&mut load)
        .unwrap();
        assert_eq!(load.users().unwrap().stages[0].hold, 2 * MINUTE);
    }
}

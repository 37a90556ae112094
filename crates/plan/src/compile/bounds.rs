//! Loads that no machine could make: told before memory is taken for them.

use std::time::Duration;

use plimsoll_text::Message;

use super::compiler::Compiler;
use crate::limits::{RATE_PER_S, USERS};
use crate::model::{Load, Order, Rate, Scenario, Span};

impl Compiler<'_> {
    /// Checks the loads of scenarios that run together.
    pub(super) fn check_loads(&mut self, scenarios: &[Scenario]) {
        let mut users = 0_u64;
        for scenario in scenarios {
            match &scenario.load {
                Load::Users(_) => {
                    users += scenario.load.most_users();
                    self.check_users(users, scenario.at);
                }
                Load::Arrivals(load) => {
                    let most = load.max_in_flight.max(load.ready_users);
                    self.check_users(u64::from(most), scenario.at);
                    let rates = load.stages.iter().flat_map(|stage| [stage.from, stage.to]);
                    if let Some(rate) = rates.map(per_second).find(|rate| *rate > RATE_PER_S) {
                        let message = Message::new("compile-too-high-rate")
                            .with("rate", rate)
                            .with("limit", RATE_PER_S);
                        self.mistake(scenario.at, message);
                    }
                }
            }
        }
    }

    /// A warm-up that lasts as long as the load leaves nothing to measure.
    pub(super) fn check_warm_up(&mut self) {
        let plan = self.plan;
        let lengths: Option<Vec<Duration>> = plan.scenarios.iter().map(length).collect();
        let Some(lengths) = lengths else { return };
        let length: Duration = match plan.order {
            Order::Together => lengths.iter().max().copied().unwrap_or_default(),
            Order::InOrder => lengths.iter().sum(),
        };
        if plan.warm_up.is_zero() || plan.warm_up < length {
            return;
        }
        let seconds = |time: Duration| time.as_secs_f64();
        let message = Message::new("compile-warm-up-too-long")
            .with("warm_up", seconds(plan.warm_up))
            .with("load", seconds(length));
        let at = plan
            .scenarios
            .first()
            .map_or(Span::default(), |first| first.at);
        self.mistake(at, message);
    }

    fn check_users(&mut self, users: u64, at: Span) {
        if users <= u64::from(USERS) {
            return;
        }
        let message = Message::new("compile-too-many-users")
            .with("users", users)
            .with("limit", USERS);
        self.mistake(at, message);
    }
}

/// From the run's start to the scenario's end, if only time ends it.
fn length(scenario: &Scenario) -> Option<Duration> {
    let load: Duration = match &scenario.load {
        Load::Users(load)
            if load.ends_with_stages && (load.iterations_per_user.is_none() || load.new_users) =>
        {
            load.stages
                .iter()
                .map(|stage| stage.ramp + stage.hold)
                .sum()
        }
        Load::Users(_) => return None,
        Load::Arrivals(load) => load.stages.iter().map(|stage| stage.lasts).sum(),
    };
    let load = scenario.end_after.map_or(load, |end| end.min(load));
    Some(load.saturating_add(scenario.start_delay))
}

/// Arrivals in a second, rounded up.
fn per_second(rate: Rate) -> u64 {
    let arrivals = u128::from(rate.arrivals) * 1_000_000_000;
    let per_second = arrivals.div_ceil(u128::from(rate.per_ns).max(1));
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use crate::{CompileOptions, compile, parse_yaml};

    /// What is wrong with a plan of this load.
    fn wrong(load: &str) -> Vec<String> {
        let plan = format!("{load}\nduration: 1s\nsteps: [{{get: \"http://127.0.0.1:1/\"}}]\n");
        let (plan, _) = parse_yaml(&plan, "plan.yaml").unwrap();
        let problems = compile(&plan, &CompileOptions::default()).err();
        let ids = problems.unwrap_or_default().into_iter();
        ids.map(|problem| problem.message.id.to_string()).collect()
    }

    #[test]
    fn loads_beyond_all_machines_are_refused() {
        for (load, id) in [
            ("users: 1000000", None),
            ("users: 1000001", Some("compile-too-many-users")),
            ("users: 4000000000", Some("compile-too-many-users")),
            ("rate: 10000000/s", None),
            ("rate: 10000001/s", Some("compile-too-high-rate")),
            ("rate: 100000/1us", Some("compile-too-high-rate")),
            (
                "rate: 1/s\nmax-in-flight: 4000000000",
                Some("compile-too-many-users"),
            ),
            (
                "rate: 1/s\nmax-in-flight: 1000000\nready-users: 1000000",
                None,
            ),
        ] {
            assert_eq!(wrong(load), Vec::from_iter(id.map(str::to_owned)), "{load}");
        }
    }
}

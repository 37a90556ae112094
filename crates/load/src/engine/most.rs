//! How many requests a share of a load can have begun by some moment, at most: by the plan alone.

use plimsoll_plan::model::{ArrivalLoad, Load, Order};
use plimsoll_plan::program::{Op, Pc, Program, ScenarioProgram};
use plimsoll_plan::share::Share;
use serde::{Deserialize, Serialize};

use super::wave::planned_end;
use crate::clock::{Nanos, nanos};
use crate::schedule;

/// Arrivals up to this number are counted one by one, which takes a few hundredths of a second;
/// more of them are reckoned from the rate.
const COUNTED: u64 = 1_000_000;

/// What bounds the requests of a plan. It can be kept, for whoever takes a run up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MostRequests(Vec<OfScenario>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OfScenario {
    /// Its number among setup, scenarios and teardown.
    number: u32,
    start_ns: Nanos,
    end_ns: Nanos,
    /// Requests of one iteration at most.
    requests: u64,
    iterations: Iterations,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Iterations {
    Arrivals(ArrivalLoad),
    /// Of all users together.
    Total {
        total: u64,
        users: u64,
    },
    /// Of each user.
    Each {
        each: u64,
        users: u64,
    },
}

impl MostRequests {
    /// The bound of a program; none where the plan does not say how many requests there are:
    /// users that go on until their time is over, steps that are repeated, scenarios in order.
    #[must_use]
    pub fn of(program: &Program) -> Option<Self> {
        if program.order != Order::Together {
            return None;
        }
        let of = |(at, scenario): (usize, &ScenarioProgram)| {
            let start_ns = nanos(scenario.start_delay);
            Some(OfScenario {
                number: u32::try_from(program.setup.len() + at).ok()?,
                start_ns,
                end_ns: planned_end(scenario, start_ns),
                requests: requests_of_one(&scenario.ops)?,
                iterations: Iterations::of(&scenario.load)?,
            })
        };
        let all: Option<Vec<OfScenario>> = program.scenarios.iter().enumerate().map(of).collect();
        all.map(Self)
    }

    /// The most that a share begins from the one moment of the run's clock to the other.
    #[must_use]
    pub fn begun(&self, share: Share, seed: u64, from_ns: Nanos, until_ns: Nanos) -> u64 {
        let of = |scenario: &OfScenario| {
            let iterations = scenario.iterations(share, seed, from_ns, until_ns);
            iterations.saturating_mul(scenario.requests)
        };
        self.0.iter().map(of).fold(0, u64::saturating_add)
    }
}

impl Iterations {
    fn of(load: &Load) -> Option<Self> {
        match load {
            Load::Arrivals(load) => Some(Self::Arrivals(load.clone())),
            Load::Users(users) => {
                let most_users = load.most_users();
                match (users.iterations_total, users.iterations_per_user) {
                    (Some(total), _) => Some(Self::Total {
                        total,
                        users: most_users,
                    }),
                    // In later stages new users come in the place of those that have ended.
                    (None, Some(each)) if users.stages.len() == 1 && !users.new_users => {
                        Some(Self::Each {
                            each,
                            users: most_users,
                        })
                    }
                    _ => None,
                }
            }
        }
    }
}

impl OfScenario {
    fn iterations(&self, share: Share, seed: u64, from_ns: Nanos, until_ns: Nanos) -> u64 {
        match &self.iterations {
            Iterations::Total { total, users } => {
                let at_work = share.among(*users);
                at_work.map_or(0, |share| share.of(*total))
            }
            Iterations::Each { each, users } => share.of(*users).saturating_mul(*each),
            Iterations::Arrivals(load) => {
                // What is due at the end itself does not begin any more.
                let until_ns = until_ns.saturating_add(1).min(self.end_ns);
                let since = |at_ns: Nanos| at_ns.saturating_sub(self.start_ns);
                let (from_ns, until_ns) = (since(from_ns), since(until_ns));
                let most = load.arrivals_total.unwrap_or(u64::MAX);
                let expected = expected(load, until_ns);
                #[expect(clippy::cast_precision_loss)]
                if expected.min(most as f64) > COUNTED as f64 {
                    return reckoned(load, share, from_ns, until_ns).min(share.of(most));
                }
                let seed = seed ^ u64::from(self.number);
                let due = (0..most).zip(schedule::arrivals(load, seed));
                let due = due.skip_while(|(_, due_ns)| *due_ns < from_ns);
                let due = due.take_while(|(_, due_ns)| *due_ns < until_ns);
                due.map(|(number, _)| u64::from(share.has(number))).sum()
            }
        }
    }
}

/// Arrivals until then by the rate.
#[expect(clippy::cast_precision_loss)]
fn expected(load: &ArrivalLoad, until_ns: Nanos) -> f64 {
    let mut arrivals = 0.0;
    let mut begin_ns: Nanos = 0;
    for stage in &load.stages {
        let lasts_ns = nanos(stage.lasts);
        let part_ns = until_ns.saturating_sub(begin_ns).min(lasts_ns);
        if part_ns == 0 {
            continue;
        }
        let (from, to) = (stage.from.as_per_second(), stage.to.as_per_second());
        let part = part_ns as f64 / lasts_ns as f64;
        let at_end = from + (to - from) * part;
        arrivals += (from + at_end) / 2.0 * part_ns as f64 / 1e9;
        begin_ns = begin_ns.saturating_add(lasts_ns);
    }
    arrivals
}

/// So many arrivals of a share by the rate, and what random ones exceed it by: of a billion loads
/// less than one exceeds it by six standard deviations.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn reckoned(load: &ArrivalLoad, share: Share, from_ns: Nanos, until_ns: Nanos) -> u64 {
    let all = (expected(load, until_ns) - expected(load, from_ns)).max(0.0);
    let most = all + 6.0 * all.sqrt() + 10.0;
    // A float to integer cast saturates.
    (most as u64).div_ceil(u64::from(share.count())) + 1
}

/// How many requests an iteration sends at most: each of its operations once, if none jumps back.
fn requests_of_one(ops: &[Op]) -> Option<u64> {
    let mut requests = 0;
    for (at, op) in (Pc::MIN..).zip(ops) {
        match op {
            // A sampler may do more than one thing.
            Op::Sample(_) | Op::Exchange(_) | Op::Resume { .. } | Op::Yield { .. } => return None,
            Op::Request(_) => requests += 1,
            _ => {}
        }
        let mut op = op.clone();
        if op.targets_mut().into_iter().any(|to| *to <= at) {
            return None;
        }
    }
    Some(requests)
}

#[cfg(test)]
#[path = "most_tests.rs"]
mod tests;

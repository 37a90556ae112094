//! Whether requests take longer the more of them are under way together.

use std::collections::BTreeMap;

use crate::in_flight::FlightSteps;
use crate::report::TimesByNumber;

/// Below it each number is told by itself, from it on in sixteenths of a power of two.
const SINGLE: u64 = 32;

/// How long requests (each from when to when, Unix nanoseconds) took, by how many there were when they came.
pub(crate) fn times_by_number(came: FlightSteps, stays: &[(u64, u64)]) -> Vec<TimesByNumber> {
    let mut arrivals: Vec<&(u64, u64)> = stays.iter().collect();
    arrivals.sort_unstable();
    let mut steps = came.sorted().into_iter().peekable();
    let mut number = 0_i64;
    let mut sums: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (asked_ns, done_ns) in arrivals {
        while let Some((_, step)) = steps.next_if(|(at_ns, _)| at_ns <= asked_ns) {
            number += i64::from(step);
        }
        let group = group(u64::try_from(number).unwrap_or(0).max(1));
        let (requests, sum_ns) = sums.entry(group).or_default();
        *requests += 1;
        *sum_ns += done_ns - asked_ns;
    }
    let told = sums
        .into_iter()
        .map(|(in_flight, (requests, sum_ns))| TimesByNumber {
            in_flight,
            requests,
            mean_ms: sum_ns as f64 / requests as f64 / 1e6,
        });
    told.collect()
}

/// The smallest number of those that are told together.
fn group(number: u64) -> u64 {
    if number < SINGLE {
        return number;
    }
    let width = number.ilog2().saturating_sub(4);
    number >> width << width
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::exchanges::{HowSeen, WireExchange};

    const MS: u64 = 1_000_000;

    /// Bursts of requests at places for `servers` at a time, first come first served, 10 ms each.
    fn bursts(servers: usize, sizes: &[u64]) -> Vec<TimesByNumber> {
        let mut stays = Vec::new();
        for (burst, size) in sizes.iter().enumerate() {
            let from_ns = (burst as u64 + 1) * 100_000 * MS;
            let mut free = vec![from_ns; servers];
            for place in 0..*size {
                let asked_ns = from_ns + place;
                let first = free.iter_mut().min().unwrap();
                *first = (*first).max(asked_ns) + 10 * MS;
                stays.push((asked_ns, *first));
            }
        }
        let mut steps = FlightSteps::new(0, u64::MAX);
        for (asked_ns, done_ns) in &stays {
            steps.add(&WireExchange {
                seen: HowSeen::Whole,
                asked_ns: *asked_ns,
                began_ns: None,
                done_ns: *done_ns,
                failed: false,
                mark: None,
            });
        }
        times_by_number(steps, &stays)
    }

    #[test]
    fn where_there_is_room_all_take_as_long_as_one_and_else_they_wait_for_each_other() {
        for size in [1, 2, 7, 32, 33, 500] {
            let sizes = [size, size / 2 + 1, 1];
            let all: u64 = sizes.iter().sum();
            let roomy = bursts(1_000, &sizes);
            assert_eq!(roomy.iter().map(|one| one.requests).sum::<u64>(), all);
            assert!(roomy.iter().all(|one| (one.mean_ms - 10.0).abs() < 1e-3));
            for servers in [1, 4] {
                for one in bursts(servers, &sizes)
                    .iter()
                    .filter(|one| one.in_flight < SINGLE)
                {
                    let rounds = one.in_flight.div_ceil(servers as u64);
                    assert!((one.mean_ms - 10.0 * rounds as f64).abs() < 0.01, "{one:?}");
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_told_in_groups() {
        assert_eq!(
            [1, 32, 33, 34, 63, 64, 67, 68].map(group),
            [1, 32, 32, 34, 62, 64, 64, 68]
        );
        assert_eq!(group(u64::MAX), 31 << 59);
    }
}

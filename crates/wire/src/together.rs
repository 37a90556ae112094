//! Whether requests take longer the more of them are under way together, and how many are done at once.

use std::collections::BTreeMap;

use crate::in_flight::FlightSteps;
use crate::report::{DoneTogether, TimesByNumber};

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

/// So short a part of the mean time counts as at once.
const AT_ONCE: f64 = 0.05;
/// It must have been seen so often: one that held all others up may let them all go once.
const TIMES_SEEN: usize = 5;
/// Nine of ten requests take so much of the mean time at least: where some are quick, those may only have waited for a
/// slow one that let them go.
const ALIKE: f64 = 0.8;
/// Requests that are done at once say no more than chance where they are fewer.
const LEAST_DONE: u64 = 4;

/// How many requests (each from when to when, Unix nanoseconds) are done at once, time and again.
pub(crate) fn done_together(stays: &[(u64, u64)]) -> Option<DoneTogether> {
    let sum_ns: u64 = stays
        .iter()
        .map(|(asked_ns, done_ns)| done_ns - asked_ns)
        .sum();
    let mean_ns = sum_ns as f64 / stays.len().max(1) as f64;
    let quick = stays
        .iter()
        .filter(|(asked_ns, done_ns)| ((done_ns - asked_ns) as f64) < ALIKE * mean_ns);
    if quick.count() * 10 > stays.len() {
        return None;
    }
    let within_ns = (mean_ns * AT_ONCE) as u64;
    let mut ends: Vec<u64> = stays.iter().map(|(_, done_ns)| *done_ns).collect();
    ends.sort_unstable();
    let mut counts = Vec::new();
    let mut rest = ends.as_slice();
    while let Some(first) = rest.first() {
        let count = rest.partition_point(|done_ns| *done_ns <= first + within_ns);
        counts.push(count as u64);
        rest = &rest[count..];
    }
    counts.sort_unstable();
    let requests = *counts.iter().rev().nth(TIMES_SEEN - 1)?;
    (requests >= LEAST_DONE).then_some(DoneTogether {
        requests,
        within_ms: within_ns as f64 / 1e6,
    })
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

    /// Users without think time in a closed loop before so many places, 250 ms each; all begin within `spread_ns`.
    fn loops(users: usize, places: usize, spread_ns: u64) -> Vec<(u64, u64)> {
        let took_ns = 250 * MS;
        let mut free = vec![0; places];
        let step_ns = spread_ns / users as u64;
        let mut next: Vec<u64> = (0..users as u64).map(|user| user * step_ns).collect();
        let mut stays = Vec::new();
        while stays.len() < users * 40 {
            let asked_ns = next.iter_mut().min().unwrap();
            let place = free.iter_mut().min().unwrap();
            *place = (*place).max(*asked_ns) + took_ns;
            stays.push((*asked_ns, *place));
            *asked_ns = *place + 1;
        }
        stays
    }

    #[test]
    fn as_many_are_done_at_once_as_are_worked_on() {
        for users in [6, 24, 300] {
            let done = done_together(&loops(users, users, MS)).unwrap();
            assert_eq!(done.requests, users as u64);
            for places in [1, users / 3, users / 2] {
                let done = done_together(&loops(users, places, MS));
                // Less those that a place has done after another one.
                let at_once = |done: DoneTogether| {
                    done.requests as f64 - done.within_ms / 250.0 * places as f64
                };
                let most = done.map_or(0.0, at_once);
                assert!(most <= places as f64, "{users} {places}: {most}");
            }
            // Who begins at any time ends at any time.
            let spread = done_together(&loops(users, users, 250 * MS));
            let most = spread.map_or(0, |done| done.requests);
            assert!(most <= 2 + users as u64 / 10, "{users}: {most}");
        }
        assert!(done_together(&[]).is_none());
        // One at a time, of which one in twelve takes long: it lets all others go at once.
        let mut now_ns = 0;
        let behind = |_| {
            let asked_ns = now_ns;
            let line = (0..12_u64).map(move |place| {
                (
                    asked_ns,
                    asked_ns
                        + if place < 6 {
                            place + 1
                        } else {
                            200 * MS + place
                        },
                )
            });
            now_ns += 200 * MS + 20;
            line.collect::<Vec<_>>()
        };
        let stays: Vec<(u64, u64)> = (0..40).flat_map(behind).collect();
        assert!(done_together(&stays).is_none());
        assert!(done_together(&loops(6, 6, MS)[..20]).is_none());
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

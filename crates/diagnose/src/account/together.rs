//! Whether requests wait for each other: if they do, they take longer the more of them are under way, and they are not
//! done at once.

use std::collections::BTreeMap;

use plimsoll_stats::summary::{ProbeLevel, ProbeSummary};

use super::model::{TimesTogether, Together, WorkedAtOnce};
use super::seen::{SeenHop, SeenProcess, TimesByNumber, Whose, Wire};
use crate::scene::Scene;

/// Of the requests that found the fewest, and of those that found the most, this share is compared.
const QUARTER: f64 = 0.25;
/// So many of each at least.
const LEAST: f64 = 5.0;
/// Many are so many times as many as few, and more by that. Where they are fewer times as many, only what is clear
/// counts.
const TIMES: f64 = 2.0;
const LEAST_TIMES: f64 = 1.3;
const MORE: f64 = 2.0;
/// A load that was changed by less says nothing, nor do fewer requests of it.
const CHANGED: f64 = 1.3;
const PROBED: f64 = 20.0;
/// Nor does one of which so much more fails.
const FAIL_MORE: f64 = 0.01;
/// Whoever has so much of the load's requests counts.
const A_PART: f64 = 0.1;

/// Of the requests in flight, so many have to be worked on at the same time.
const NEARLY_ALL: f64 = 0.7;
/// And so many at least.
const LEAST_AT_ONCE: f64 = 4.0;

/// What a load that was raised or lowered says, else what packets do of the processes that the load comes to.
pub(super) fn of(scene: &Scene<'_>, wire: Option<&Wire>, doors: &[(&SeenHop, f64)]) -> Together {
    let probe = scene.load().probe.as_ref();
    let probed = probe.and_then(|probe| changed(scene, probe));
    let seen = servers(wire, doors);
    let times = seen
        .iter()
        .map(|seen| compare(&seen.as_ref()?.times_by_number));
    let at_once = seen.iter().map(|seen| at_once(seen.as_ref()?));
    Together {
        times: probed.or_else(|| of_all(times.collect(), TimesTogether::is_apart)),
        at_once: of_all(at_once.collect(), |_| true),
    }
}

/// What packets say of the processes that a part of the load comes to, the largest first; none of those of which they say
/// nothing.
fn servers<'w>(wire: Option<&'w Wire>, doors: &[(&SeenHop, f64)]) -> Vec<Option<&'w SeenProcess>> {
    let mut held: BTreeMap<&Whose, f64> = BTreeMap::new();
    for (door, number) in doors {
        *held.entry(&door.server).or_default() += number;
    }
    let all: f64 = held.values().sum();
    let mut found: Vec<(&Whose, f64)> = held.into_iter().collect();
    found.retain(|(_, number)| *number >= A_PART * all);
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
        .into_iter()
        .map(|(server, _)| wire?.process(server))
        .collect()
}

/// What holds of all that the load comes to: where requests of one wait for each other they do; where of one nothing is
/// known, nothing is.
fn of_all<T>(each: Vec<Option<T>>, is_apart: fn(&T) -> bool) -> Option<T> {
    let mut apart = None;
    let mut all = true;
    for one in each {
        match one {
            Some(one) if is_apart(&one) => apart = apart.or(Some(one)),
            Some(one) => return Some(one),
            None => all = false,
        }
    }
    apart.filter(|_| all)
}

/// Whether nearly all requests in flight were worked on at the same time: where so many are done within a moment, there
/// were as many places, less those that had done another one within it.
fn at_once(seen: &SeenProcess) -> Option<WorkedAtOnce> {
    let done = seen.done_together?;
    let again = done.within_ms / 1e3 * seen.requests_per_s;
    let places = done.requests - again;
    let enough = (NEARLY_ALL * seen.in_flight.mean).max(LEAST_AT_ONCE);
    (places >= enough).then_some(WorkedAtOnce {
        requests: done.requests,
        within_ms: done.within_ms,
        in_flight: seen.in_flight.mean,
    })
}

/// The load as it was, and as it was changed to: the lighter first.
#[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
fn changed(scene: &Scene<'_>, probe: &ProbeSummary) -> Option<TimesTogether> {
    let (before, last) = (probe.levels.first()?, probe.levels.last()?);
    let (light, heavy) = match before.load <= last.load {
        true => (before, last),
        false => (last, before),
    };
    let requests = |level: &ProbeLevel| {
        level.throughput_per_s * level.to_s.saturating_sub(level.from_s) as f64
    };
    let few_requests = [light, heavy].iter().any(|level| requests(level) < PROBED);
    // Those that are refused take no time, and none of others.
    let fail_more = failed(scene, heavy) > failed(scene, light) + FAIL_MORE;
    if few_requests || fail_more || heavy.load < CHANGED * light.load {
        return None;
    }
    let in_flight = |level: &ProbeLevel| level.throughput_per_s * level.response_ms / 1e3;
    Some(TimesTogether {
        few: in_flight(light),
        few_ms: light.response_ms,
        many: in_flight(heavy),
        many_ms: heavy.response_ms,
    })
}

/// The share of a load's requests that failed.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn failed(scene: &Scene<'_>, level: &ProbeLevel) -> f64 {
    let seconds = scene.load().seconds.iter();
    let own = seconds.filter(|second| (level.from_s..level.to_s).contains(&second.second.into()));
    let (errors, all) = own.fold((0, 0), |(errors, all), second| {
        (errors + second.errors, all + second.samples)
    });
    errors as f64 / all.max(1) as f64
}

/// By packets; none if as many were always under way.
fn compare(times: &[TimesByNumber]) -> Option<TimesTogether> {
    let all: f64 = times.iter().map(|one| one.requests).sum();
    let wanted = (all * QUARTER).max(LEAST);
    let (few, few_ms) = mean(times.iter(), wanted)?;
    let (many, many_ms) = mean(times.iter().rev(), wanted)?;
    let differ = all >= 2.0 * wanted && many >= LEAST_TIMES * few && many >= few + MORE;
    let times = TimesTogether {
        few,
        few_ms,
        many,
        many_ms,
    };
    let is_clear = many >= TIMES * few || times.is_apart() || times.is_queue();
    (differ && is_clear).then_some(times)
}

/// How long requests take that find the fewest others, ms.
pub(super) fn alone_ms(times: &[TimesByNumber]) -> Option<f64> {
    mean(times.iter(), LEAST).map(|(_, ms)| ms)
}

/// The mean number and time of the first so many requests.
fn mean<'t>(times: impl Iterator<Item = &'t TimesByNumber>, wanted: f64) -> Option<(f64, f64)> {
    let (mut requests, mut number, mut ms) = (0.0, 0.0, 0.0);
    for one in times {
        let taken = one.requests.min(wanted - requests);
        requests += taken;
        number += taken * one.in_flight;
        ms += taken * one.mean_ms;
        if requests >= wanted {
            return Some((number / requests, ms / requests));
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::seen::DoneTogether;
    use super::*;

    #[test]
    fn hardly_more_requests_say_nothing() {
        let times = |many: f64, many_ms: f64| TimesTogether {
            few: 10.0,
            few_ms: 100.0,
            many,
            many_ms,
        };
        assert!(!times(9.0, 140.0).is_queue() && !times(10.5, 140.0).is_queue());
        assert!(times(15.0, 140.0).is_queue() && !times(15.0, 140.0).is_at_limit());
        assert!(times(15.0, 150.0).is_at_limit());
    }

    fn times(of: impl Fn(f64) -> f64, up_to: u32) -> Vec<TimesByNumber> {
        let numbers = (1..=up_to).map(f64::from);
        let told = numbers.map(|in_flight| TimesByNumber {
            in_flight,
            requests: 5.0,
            mean_ms: of(in_flight),
        });
        told.collect()
    }

    #[test]
    fn requests_with_room_are_apart_and_those_that_queue_are_not() {
        assert!(compare(&times(|_| 40.0, 16)).unwrap().is_apart());
        assert!(compare(&times(|_| 40.0, 500)).unwrap().is_apart());
        for places in [1.0, 4.0, 8.0] {
            let queue = |number: f64| 40.0 * (number / places).max(1.0);
            assert!(!compare(&times(queue, 16)).unwrap().is_apart(), "{places}");
        }
    }

    #[test]
    fn of_several_that_the_load_comes_to_all_must_be_apart() {
        let times = |many_ms: f64| TimesTogether {
            few: 4.0,
            few_ms: 100.0,
            many: 16.0,
            many_ms,
        };
        let (apart, queue) = (times(100.0), times(400.0));
        for (each, wanted) in [
            (vec![Some(apart), Some(apart)], Some(apart)),
            (vec![Some(apart), Some(queue)], Some(queue)),
            (vec![Some(queue), Some(apart)], Some(queue)),
            (vec![None, Some(queue)], Some(queue)),
            (vec![Some(apart), None], None),
            (vec![], None),
        ] {
            let case = format!("{each:?}");
            assert_eq!(of_all(each, TimesTogether::is_apart), wanted, "{case}");
        }
    }

    #[test]
    fn a_raised_load_of_which_more_fails_says_nothing() {
        // 80 requests a second, of which so many fail while the load is raised, and at once.
        for (failed, wanted) in [(0, true), (40, false), (79, false)] {
            let made = crate::testing::Made::load(80.0, 250.0).raised_by_half(200.0);
            let seconds: Vec<u32> = (0..20).collect();
            let mut made = made.fails_in(&seconds[15..], failed);
            made = made.probed_at((10, 15), (15, 20));
            let scene = made.scene();
            let probe = scene.load().probe.as_ref().unwrap();
            assert_eq!(changed(&scene, probe).is_some(), wanted, "{failed}");
        }
    }

    #[test]
    fn requests_that_are_done_at_once_have_a_place_each() {
        let seen = |requests, within_ms, in_flight: f64| SeenProcess {
            whose: Default::default(),
            requests_per_s: 93.0,
            in_flight: crate::account::seen::Level {
                mean: in_flight,
                ..Default::default()
            },
            waiting_for_others: 0.0,
            times_by_number: Vec::new(),
            done_together: Some(DoneTogether {
                requests,
                within_ms,
            }),
            calls_undecided: false,
        };
        assert!(at_once(&seen(24.0, 13.0, 24.0)).is_some());
        // Half of them are the places' number, or were done by places that had done others.
        assert!(at_once(&seen(12.0, 13.0, 24.0)).is_none());
        assert!(at_once(&seen(24.0, 130.0, 24.0)).is_none());
        assert!(at_once(&seen(4.0, 13.0, 4.0)).is_none());
    }

    #[test]
    fn users_that_begin_together_say_it_by_the_few_that_are_gone() {
        let from_six = |of: &dyn Fn(f64) -> f64| compare(&times(of, 10)[5..]);
        assert!(from_six(&|_| 40.0).unwrap().is_apart());
        for places in [1.0, 4.0, 7.0, 8.0] {
            let queue = |number: f64| 40.0 * (number / places).max(1.0);
            let seen = from_six(&queue);
            assert!(seen.is_none_or(|times| !times.is_apart()), "{places}");
        }
    }

    #[test]
    fn what_was_always_as_many_says_nothing() {
        let same = TimesByNumber {
            in_flight: 12.0,
            requests: 900.0,
            mean_ms: 40.0,
        };
        assert_eq!(compare(&[]), None);
        assert_eq!(compare(std::slice::from_ref(&same)), None);
        let nearly = TimesByNumber {
            in_flight: 11.0,
            ..same.clone()
        };
        assert_eq!(compare(&[nearly, same]), None);
        assert_eq!(compare(&times(|_| 40.0, 1)), None);
    }
}

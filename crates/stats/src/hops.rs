//! A chain of services of which each hop was loaded alone, with the same requests: what each of
//! them adds to the response time.
//!
//! A hop's time holds the time of all that is behind it, so what a hop adds itself is its time
//! less that of the next one: means of sums are sums of means, whatever the distributions. Every
//! hop is loaded once a round and differences are taken within a round, so that what changes
//! slowly (compilers that warm up, a busy neighbour) falls out of them; the intervals are
//! Student's t over the rounds. A plan's requests come in the same proportions to every hop: the
//! mean of a hop is that of its labels, weighted by how often the outermost hop was asked for
//! each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Histogram;
use crate::batch_means::{CONFIDENCE, Estimate};
use crate::t_test::{mean, mean_interval};

/// Version of the JSON form; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;
/// The times of a hop of which a larger share fails say little: failing is often quick.
const MOST_ERRORS: f64 = 0.1;

/// What one round showed of one hop.
#[derive(Debug, Clone, Default)]
pub struct HopRound {
    /// Requests that ended well, by label: how many, and their mean time in ms.
    pub labels: BTreeMap<String, (u64, f64)>,
    /// Times of the requests that ended well.
    pub times: Histogram,
    /// Requests that failed.
    pub errors: u64,
}

/// All rounds of one hop.
#[derive(Debug, Clone, Default)]
pub struct HopRounds {
    /// What the chain's owner calls it.
    pub name: String,
    /// Where it was loaded.
    pub address: String,
    /// The rounds; that of the same place is the same round for all hops.
    pub rounds: Vec<HopRound>,
}

/// A hop's times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredHop {
    /// What the chain's owner calls it.
    pub name: String,
    /// Where it was loaded.
    pub address: String,
    /// Requests that ended, failed ones included.
    pub samples: u64,
    /// Of these, failed ones.
    pub errors: u64,
    /// Mean time of a request, with all that is behind the hop, in ms. Null where over a tenth
    /// of the requests failed, or none ended.
    pub time_ms: Option<Estimate>,
    /// What the hop adds itself: its time less that of the next hop, in ms. Null where one of
    /// the two is. Below zero where what is behind it was slower.
    pub own_ms: Option<Estimate>,
    /// Median, in ms.
    pub p50_ms: f64,
    /// 90th percentile, in ms.
    pub p90_ms: f64,
}

/// The hops of a chain, each loaded alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HopTimes {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When they were measured (RFC 3339).
    pub measured_at: String,
    /// Users of each scenario, the same for all hops.
    pub users: u32,
    /// Rounds that count.
    pub rounds: u32,
    /// Seconds that a hop was loaded in a round.
    pub round_s: f64,
    /// The hops, the outermost first.
    pub hops: Vec<MeasuredHop>,
}

/// The hop that adds most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowest<'a> {
    /// The hop.
    pub hop: &'a MeasuredHop,
    /// Its place in the chain.
    pub place: usize,
    /// What it adds itself, in ms.
    pub own_ms: f64,
    /// That as a share of the outermost hop's time, at most 1.
    pub share: f64,
    /// Whether its interval lies above what any other adds.
    pub clear: bool,
}

impl HopTimes {
    /// What rounds showed; `measured_at` and `users` are told.
    #[must_use]
    pub fn of(hops: &[HopRounds], users: u32, round_s: f64, measured_at: String) -> Self {
        let means = round_means(hops);
        let rounds = hops.iter().map(|hop| hop.rounds.len()).max().unwrap_or(0);
        let told = hops.iter().enumerate().map(|(place, hop)| {
            let next = means.get(place + 1);
            of_hop(hop, &means[place], next.map(Vec::as_slice))
        });
        Self {
            schema_version: SCHEMA_VERSION,
            measured_at,
            users,
            rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
            round_s,
            hops: told.collect(),
        }
    }

    /// The hop that adds most beyond doubt; none where all that is known may be nothing.
    #[must_use]
    pub fn slowest(&self) -> Option<Slowest<'_>> {
        let own = |hop: &MeasuredHop| hop.own_ms.map(|own| own.value);
        let known = self.hops.iter().enumerate();
        let known = known.filter_map(|(place, hop)| Some((place, hop, hop.own_ms?)));
        let (place, hop, most) = known.max_by(|a, b| a.2.value.total_cmp(&b.2.value))?;
        let low = most.low.unwrap_or(most.value);
        let whole = self.hops.iter().find_map(|hop| hop.time_ms)?.value;
        if low <= 0.0 || whole <= 0.0 {
            return None;
        }
        let mut others = self.hops.iter().enumerate();
        Some(Slowest {
            hop,
            place,
            own_ms: most.value,
            share: (most.value / whole).min(1.0),
            clear: most.low.is_some()
                && others.all(|(at, other)| at == place || own(other).is_none_or(|own| own < low)),
        })
    }

    /// Hops that were quicker beyond doubt than what is behind them: the chain is not as it was
    /// told, or the hop responds without those behind it.
    pub fn not_nested(&self) -> impl Iterator<Item = &MeasuredHop> {
        let below = |hop: &&MeasuredHop| {
            let high = hop.own_ms.and_then(|own| own.high);
            high.is_some_and(|high| high < 0.0)
        };
        self.hops.iter().filter(below)
    }
}

fn of_hop(hop: &HopRounds, means: &[Option<f64>], next: Option<&[Option<f64>]>) -> MeasuredHop {
    let mut times = Histogram::new();
    hop.rounds
        .iter()
        .for_each(|round| times.merge(&round.times));
    let errors: u64 = hop.rounds.iter().map(|round| round.errors).sum();
    let samples = times.count() + errors;
    let fails = is_failing(hop);
    let known: Vec<f64> = means.iter().copied().flatten().collect();
    let own: Vec<f64> = match next {
        None => known.clone(),
        Some(next) => {
            let pairs = means.iter().zip(next);
            let less = |(own, next): (&Option<f64>, &Option<f64>)| Some((*own)? - (*next)?);
            pairs.filter_map(less).collect()
        }
    };
    MeasuredHop {
        name: hop.name.clone(),
        address: hop.address.clone(),
        samples,
        errors,
        time_ms: estimate(&known).filter(|_| !fails),
        own_ms: estimate(&own).filter(|_| !fails),
        p50_ms: times.percentile_ns(0.5) as f64 / 1e6,
        p90_ms: times.percentile_ns(0.9) as f64 / 1e6,
    }
}

fn is_failing(hop: &HopRounds) -> bool {
    let errors: u64 = hop.rounds.iter().map(|round| round.errors).sum();
    let ok: u64 = hop.rounds.iter().map(|round| round.times.count()).sum();
    errors as f64 > MOST_ERRORS * (ok + errors) as f64
}

/// The mean of values of several rounds with its interval, which may reach below zero.
fn estimate(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let value = mean(values);
    let half = mean_interval(values, CONFIDENCE);
    Some(Estimate {
        value,
        low: half.map(|half| value - half),
        high: half.map(|half| value + half),
    })
}

/// Each hop's mean in each round; none where nothing ended well, and for a hop that fails.
fn round_means(hops: &[HopRounds]) -> Vec<Vec<Option<f64>>> {
    let weights = weights(hops);
    let of = |hop: &HopRounds| {
        let fails = is_failing(hop);
        let rounds = hop.rounds.iter();
        let means = rounds.map(|round| round_mean(round, &weights).filter(|_| !fails));
        means.collect()
    };
    hops.iter().map(of).collect()
}

/// How often the outermost hop was asked for each label that all rounds know of all hops which
/// get its requests.
fn weights(hops: &[HopRounds]) -> BTreeMap<&str, f64> {
    let Some(first) = hops.first() else {
        return BTreeMap::new();
    };
    let labels = |hop: &HopRounds| -> BTreeSet<String> {
        let all = hop.rounds.iter().flat_map(|round| round.labels.keys());
        all.cloned().collect()
    };
    let wanted = labels(first);
    let same = |hop: &&HopRounds| !labels(hop).is_disjoint(&wanted);
    let rounds: Vec<&HopRound> = hops
        .iter()
        .filter(same)
        .flat_map(|hop| &hop.rounds)
        .filter(|round| !round.labels.is_empty())
        .collect();
    let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
    for (label, (count, _)) in first.rounds.iter().flat_map(|round| &round.labels) {
        if rounds.iter().all(|round| round.labels.contains_key(label)) {
            *weights.entry(label.as_str()).or_default() += *count as f64;
        }
    }
    weights
}

/// The mean of a round by those weights; of one that knows none of the labels, as it is.
fn round_mean(round: &HopRound, weights: &BTreeMap<&str, f64>) -> Option<f64> {
    let weighted = round.labels.iter().filter_map(|(label, (_, mean))| {
        let weight = weights.get(label.as_str())?;
        Some((*weight, *mean))
    });
    let plain = round.labels.values();
    let plain = plain.map(|(count, mean)| (*count as f64, *mean));
    weighted_mean(weighted).or_else(|| weighted_mean(plain))
}

fn weighted_mean(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let add = |(weights, sum), (weight, value)| (weights + weight, sum + weight * value);
    let (weights, sum): (f64, f64) = values.fold((0.0, 0.0), add);
    (weights > 0.0).then(|| sum / weights)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A round in which these labels were asked for so often and took so long.
    fn round(labels: &[(&str, u64, f64)]) -> HopRound {
        let mut round = HopRound::default();
        for (label, count, ms) in labels {
            round.labels.insert((*label).to_owned(), (*count, *ms));
            round.times.record_n((ms * 1e6) as u64, *count);
        }
        round
    }

    fn hop(name: &str, rounds: Vec<HopRound>) -> HopRounds {
        HopRounds {
            name: name.to_owned(),
            address: format!("http://{name}"),
            rounds,
        }
    }

    /// A hop with one label, by its time in each round.
    fn simple(name: &str, times_ms: &[f64]) -> HopRounds {
        let rounds = times_ms.iter().map(|ms| round(&[("GET /", 20, *ms)]));
        hop(name, rounds.collect())
    }

    fn times(hops: &[HopRounds]) -> HopTimes {
        HopTimes::of(hops, 1, 3.0, String::new())
    }

    #[test]
    fn each_hop_is_its_time_less_that_of_the_next() {
        let found = times(&[
            simple("front", &[31.0, 30.0, 32.0]),
            simple("middle", &[29.0, 28.0, 30.0]),
            simple("back", &[5.0, 4.0, 6.0]),
        ]);
        let own: Vec<f64> = found.hops.iter().map(|h| h.own_ms.unwrap().value).collect();
        assert_eq!(own, [2.0, 24.0, 5.0]);
        // What all rounds share is no scatter of the difference.
        let middle = found.hops[1].own_ms.unwrap();
        assert!(middle.high.unwrap() - middle.low.unwrap() < 1e-6);
        let slowest = found.slowest().unwrap();
        assert_eq!((slowest.hop.name.as_str(), slowest.place), ("middle", 1));
        assert!((slowest.share - 24.0 / 31.0).abs() < 1e-9);
        assert!(slowest.clear);
        assert_eq!(found.not_nested().count(), 0);
        assert_eq!((found.rounds, found.hops[0].samples), (3, 60));
    }

    #[test]
    fn the_mix_of_requests_is_that_of_the_outermost_hop() {
        // A closed load asks a hop more often for what it responds quickly.
        let front = round(&[("quick", 10, 10.0), ("slow", 10, 50.0)]);
        let back = round(&[("quick", 90, 8.0), ("slow", 10, 40.0)]);
        let found = times(&[hop("front", vec![front]), hop("back", vec![back])]);
        assert_eq!(found.hops[0].own_ms.unwrap().value, 6.0);
        assert_eq!(found.hops[1].time_ms.unwrap().value, 24.0);
        // A request of its own is taken as it is.
        let own = round(&[("GET /b", 10, 7.0)]);
        let front = round(&[("quick", 10, 10.0)]);
        let found = times(&[hop("front", vec![front]), hop("back", vec![own])]);
        assert_eq!(found.hops[0].own_ms.unwrap().value, 3.0);
    }

    #[test]
    fn a_hop_that_fails_says_nothing_and_hides_what_is_before_it() {
        let mut failing = simple("middle", &[1.0, 1.0]);
        failing.rounds[0].errors = 30;
        let found = times(&[
            simple("front", &[9.0, 9.0]),
            failing,
            simple("back", &[4.0, 4.0]),
        ]);
        let known: Vec<_> = found.hops.iter().map(|hop| hop.own_ms.is_some()).collect();
        assert_eq!(known, [false, false, true]);
        assert_eq!(found.hops[1].time_ms, None);
        assert_eq!((found.hops[1].samples, found.hops[1].errors), (70, 30));
        let silent = hop("back", vec![HopRound::default()]);
        let found = times(&[simple("front", &[9.0]), silent]);
        assert_eq!(found.hops[1].time_ms, None);
        assert_eq!(found.slowest(), None);
    }

    #[test]
    fn chains_that_are_none_and_differences_that_may_be_nothing_are_told() {
        let found = times(&[
            simple("front", &[3.0, 3.1, 2.9]),
            simple("back", &[9.0, 9.2, 9.1]),
        ]);
        let names: Vec<_> = found.not_nested().map(|hop| hop.name.as_str()).collect();
        assert_eq!(names, ["front"]);
        let noise = times(&[
            simple("front", &[30.0, 5.0, 10.0]),
            simple("back", &[1.0, 29.0, 14.0]),
        ]);
        assert!(noise.slowest().is_none_or(|slowest| !slowest.clear));
        assert_eq!(times(&[]).slowest(), None);
    }

    #[test]
    fn they_are_kept_as_json() {
        let found = times(&[simple("front", &[3.0, 3.0]), simple("back", &[1.0, 1.0])]);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<HopTimes>(&text).unwrap(), found);
    }
}

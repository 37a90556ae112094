//! The capacity search on simulated queues: within 3 % of the truth with at most 12
//! measurements.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod queues;

use plimsoll_stats::curve::LoadModel;
use plimsoll_stats::search::{LoadOutcome, Search, SearchEnd, SearchOptions, SearchResult};
use queues::{Noise, Source, Station, simulate};

const SECONDS: u32 = 30;
const CUT: usize = 8;

fn p95(responses: &mut [f64]) -> f64 {
    responses.sort_by(f64::total_cmp);
    match responses.len() {
        0 => 0.0,
        n => responses[(n * 95).div_ceil(100) - 1],
    }
}

/// A measurement of half a minute against a limit of the 95th percentile.
fn measure(station: Station, source: Source, limit_s: f64, noise: &mut Noise) -> LoadOutcome {
    let seconds = simulate(station, source, SECONDS, noise);
    let used = &seconds[CUT..];
    let mut all: Vec<f64> = used.iter().flat_map(|s| s.responses_s.clone()).collect();
    let batches: Vec<f64> = used
        .chunks(4)
        .map(|batch| {
            let mut all: Vec<f64> = batch.iter().flat_map(|s| s.responses_s.clone()).collect();
            p95(&mut all)
        })
        .collect();
    let (value, n) = (p95(&mut all), batches.len() as f64);
    let mean = batches.iter().sum::<f64>() / n;
    let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let completed = all.len() as f64 / used.len() as f64;
    let capacity = match source {
        Source::Rate(rate) if completed < rate * 0.97 => Some(completed),
        _ => None,
    };
    LoadOutcome {
        ratio: value / limit_s,
        error: (variance / n).sqrt() / value,
        capacity,
        concurrency: Some(all.iter().sum::<f64>() / used.len() as f64),
    }
}

fn search(options: SearchOptions, mut outcome: impl FnMut(f64) -> LoadOutcome) -> SearchResult {
    let mut search = Search::new(options);
    while let Some((load, _)) = search.next() {
        let outcome = outcome(load);
        search.report(load, outcome);
    }
    search.result()
}

/// How many of some searches end within 3 % of the truth; all must keep to 12 measurements.
fn share_within(searches: u64, truth: f64, of: impl Fn(u64) -> SearchResult) -> f64 {
    let near = (0..searches).filter(|seed| {
        let result = of(*seed);
        assert!(result.measurements <= 12, "{result:?}");
        let near = result
            .load
            .is_some_and(|load| (load / truth - 1.0).abs() <= 0.03);
        if !near {
            eprintln!("seed {seed}: {result:?}, truth {truth}");
        }
        near
    });
    near.count() as f64 / searches as f64
}

#[test]
fn an_open_load_on_one_server() {
    // M/M/1: p95 = ln 20 / (mu - lambda). mu = 1,000/s, limit 30 ms: 1,000 - 99.9 = 900.1/s.
    let (mu, limit_s) = (1_000.0, 0.03);
    let truth = mu - 20.0_f64.ln() / limit_s;
    let share = share_within(10, truth, |seed| {
        let mut noise = Noise(seed);
        let options = SearchOptions::new(LoadModel::Rate, 10.0, 100_000.0);
        search(options, |rate| {
            measure(
                Station::Servers(1, 1.0 / mu),
                Source::Rate(rate),
                limit_s,
                &mut noise,
            )
        })
    });
    assert!(share >= 0.9, "{share}");
}

#[test]
fn users_of_a_pool_of_servers() {
    // 20 servers of 50 ms, 1 s of thinking: 400/s. The truth by a long simulation.
    let (station, think_s, limit_s) = (Station::Servers(20, 0.05), 1.0, 0.3);
    let meets = |users: u32| {
        let seconds = simulate(station, Source::Users(users, think_s), 600, &mut Noise(99));
        let mut all: Vec<f64> = seconds[60..]
            .iter()
            .flat_map(|s| s.responses_s.clone())
            .collect();
        p95(&mut all) <= limit_s
    };
    let truth = f64::from(
        (400..520)
            .rfind(|users| users % 2 == 0 && meets(*users))
            .unwrap(),
    );
    let share = share_within(10, truth, |seed| {
        let mut noise = Noise(1_000 + seed);
        let options = SearchOptions::new(LoadModel::Users, 1.0, 10_000.0);
        search(options, |users| {
            let source = Source::Users(users as u32, think_s);
            measure(station, source, limit_s, &mut noise)
        })
    });
    assert!(share >= 0.9, "{share}");
}

#[test]
fn users_of_a_system_that_falls_back() {
    // Without think time X(N) is the law itself and R = N / X; the largest N with a mean of
    // 40 ms solves N / X(N) = 0.04. Quantiles of the random order of service are not known in
    // closed form, so the goal here is the mean.
    let (lambda, sigma, kappa) = (400.0, 0.03, 0.0004);
    let station = Station::Retrograde(lambda, sigma, kappa);
    let truth = f64::from(
        (1..500)
            .rfind(|n| f64::from(*n) / station.rate(*n) <= 0.04)
            .unwrap(),
    );
    let share = share_within(10, truth, |seed| {
        let mut noise = Noise(2_000 + seed);
        let options = SearchOptions::new(LoadModel::Users, 1.0, 10_000.0);
        search(options, |users| {
            let users = users as u32;
            // The mean by Little's law, from the throughput that was simulated.
            let seconds = simulate(station, Source::Users(users, 0.0), 10, &mut noise);
            let done: u64 = seconds.iter().map(|s| s.sums.ok).sum();
            let mean_s = f64::from(users) * 10.0 / done as f64;
            LoadOutcome {
                ratio: mean_s / 0.04,
                error: 1.0 / (done as f64).sqrt(),
                capacity: None,
                concurrency: Some(f64::from(users)),
            }
        })
    });
    assert!(share >= 0.9, "{share}");
}

#[test]
fn the_interval_holds_the_truth() {
    let (mu, limit_s) = (500.0, 0.05);
    let truth = mu - 20.0_f64.ln() / limit_s;
    // Of 60 intervals that hold the truth at 95 %, fewer than 52 come once in 400 times.
    let held = (0..60).filter(|seed| {
        let mut noise = Noise(3_000 + seed);
        let options = SearchOptions::new(LoadModel::Rate, 20.0, 10_000.0);
        let result = search(options, |rate| {
            measure(
                Station::Servers(1, 1.0 / mu),
                Source::Rate(rate),
                limit_s,
                &mut noise,
            )
        });
        assert_ne!(result.end, SearchEnd::MissedAtSmallest);
        result.low.unwrap() <= truth && truth <= result.high.unwrap()
    });
    let held = held.count();
    assert!(held >= 52, "{held}");
}

/// Where the target simply stops keeping up, both ends are told apart at once: the interval is
/// that of the loads that were measured, and holds the truth.
#[test]
fn a_cliff_is_known_as_nearly_as_it_was_measured() {
    for seed in 0..200 {
        let mut noise = Noise(5_000 + seed);
        let truth = 20.0 * 1.05_f64.powf(100.0 * noise.uniform());
        let options = SearchOptions::new(LoadModel::Rate, 10.0, 100_000.0);
        let mut tried = Vec::new();
        let result = search(options, |rate| {
            let kept_up = rate <= truth;
            tried.push((rate, kept_up));
            LoadOutcome {
                ratio: match kept_up {
                    true => 0.3 + 0.2 * noise.uniform(),
                    false => 1.5 + noise.uniform(),
                },
                error: 0.1,
                capacity: (!kept_up).then(|| truth * (1.0 + 0.004 * noise.uniform())),
                concurrency: None,
            }
        });
        let (low, high) = (result.low.unwrap(), result.high.unwrap());
        assert!(low <= truth && truth <= high, "{truth}: {result:?}");
        let met = tried.iter().filter(|(_, met)| *met).map(|(rate, _)| *rate);
        let missed = tried.iter().filter(|(_, met)| !*met).map(|(rate, _)| *rate);
        let measured = (met.fold(0.0, f64::max), missed.fold(f64::MAX, f64::min));
        assert_eq!((low, high), measured, "{result:?}");
        assert_eq!(result.end, SearchEnd::Found, "{result:?}");
        let precision = result.precision.unwrap();
        assert!((precision - (high / low - 1.0)).abs() < 1e-9);
        assert!(precision <= result.precision_asked * 1.001, "{result:?}");
    }
}

/// What is doubtful is not called precise: near the limit each measurement says now this, now that.
#[test]
fn doubt_makes_the_interval_wider_than_the_bracket() {
    let truth = 400.0;
    let mut held = 0;
    for seed in 0..100 {
        let mut noise = Noise(9_000 + seed);
        let options = SearchOptions::new(LoadModel::Rate, 10.0, 100_000.0);
        let result = search(options, |rate| {
            let error = 0.08;
            // Twelve uniform numbers have the variance of one normal.
            let normal = (0..12).map(|_| noise.uniform());
            LoadOutcome {
                ratio: (rate / truth) * (1.0 + error * (normal.sum::<f64>() - 6.0)),
                error,
                ..LoadOutcome::default()
            }
        });
        let (low, high) = (result.low.unwrap(), result.high.unwrap());
        held += usize::from(low <= truth && truth <= high);
        assert!(result.precision.unwrap() >= high / low - 1.0 - 1e-9);
    }
    assert!(held >= 90, "{held}");
}

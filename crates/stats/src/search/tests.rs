use proptest::prelude::*;

use super::*;

/// Searches where the ratio is a function of the load.
fn run(options: SearchOptions, outcome: impl Fn(f64) -> LoadOutcome) -> (SearchResult, Vec<f64>) {
    let mut search = Search::new(options);
    let mut loads = Vec::new();
    while let Some((load, _)) = search.next() {
        search.report(load, outcome(load));
        loads.push(load);
    }
    (search.result(), loads)
}

fn exact(ratio: f64) -> LoadOutcome {
    LoadOutcome {
        ratio,
        ..LoadOutcome::default()
    }
}

#[test]
fn a_target_that_never_fails_is_met_at_the_largest() {
    let options = SearchOptions::new(LoadModel::Users, 1.0, 100.0);
    let (result, loads) = run(options, |_| exact(0.1));
    assert_eq!(loads, [1.0, 4.0, 16.0, 64.0, 100.0]);
    assert_eq!(result.end, SearchEnd::MetAtLargest);
    assert_eq!((result.load, result.high), (Some(100.0), None));
}

#[test]
fn a_target_that_always_fails_has_no_load() {
    let options = SearchOptions::new(LoadModel::Users, 8.0, 100.0);
    let (result, loads) = run(options, |_| exact(3.0));
    assert_eq!(loads.last(), Some(&1.0));
    assert_eq!(result.end, SearchEnd::MissedAtSmallest);
    assert_eq!((result.load, result.high), (None, Some(1.0)));
}

#[test]
fn few_measurements_give_a_wide_result() {
    let mut options = SearchOptions::new(LoadModel::Users, 1.0, 10_000.0);
    options.most_measurements = 5;
    let (result, loads) = run(options, |load| exact(load / 100.0));
    assert_eq!(loads.len(), 5);
    assert_eq!(result.end, SearchEnd::MeasurementsEnded);
    assert!(result.low.unwrap() <= 100.0 && 100.0 <= result.high.unwrap());
}

#[test]
fn one_user_more_is_the_nearest_there_is() {
    let options = SearchOptions::new(LoadModel::Users, 1.0, 50.0);
    let (result, _) = run(options, |load| exact(if load <= 6.0 { 0.4 } else { 4.0 }));
    assert_eq!(result.end, SearchEnd::Found);
    assert_eq!(result.load, Some(6.0));
    assert!(result.high.unwrap() >= 7.0);
}

#[test]
fn a_repeat_that_says_otherwise_opens_the_bracket_again() {
    let options = SearchOptions::new(LoadModel::Rate, 10.0, 1_000.0);
    let mut search = Search::new(options);
    let mut lied = false;
    while let Some((load, phase)) = search.next() {
        // The limit is 100/s; the first time above it looks well by chance.
        let lie = !lied && phase == SearchPhase::Narrow && load > 100.0;
        lied |= lie;
        let ratio = if lie { 0.95 } else { (load / 100.0).powi(3) };
        search.report(
            load,
            LoadOutcome {
                ratio,
                error: 0.05,
                ..LoadOutcome::default()
            },
        );
    }
    let result = search.result();
    assert!(
        result.low.unwrap() <= 100.0 && 100.0 <= result.high.unwrap(),
        "{result:?}"
    );
    assert!(
        (result.load.unwrap() / 100.0 - 1.0).abs() < 0.05,
        "{result:?}"
    );
}

#[test]
fn nothing_above_the_capacity_is_tried_again() {
    let options = SearchOptions::new(LoadModel::Rate, 10.0, 100_000.0);
    let outcome = |load: f64| LoadOutcome {
        ratio: if load < 700.0 {
            0.02 / (1.0 - load / 700.0)
        } else {
            50.0
        },
        error: 0.0,
        capacity: (load >= 700.0).then_some(700.0),
        concurrency: None,
    };
    let (result, loads) = run(options, outcome);
    assert_eq!(result.end, SearchEnd::Found, "{loads:?}");
    assert!(
        loads.iter().filter(|load| **load > 730.0).count() == 1,
        "{loads:?}"
    );
    assert!(
        (result.load.unwrap() / 686.0 - 1.0).abs() < 0.03,
        "{result:?}"
    );
}

proptest! {
    #[test]
    fn every_rising_ratio_is_found(
        limit in 2.0..5_000.0_f64,
        power in 0.3..12.0_f64,
        users in any::<bool>(),
    ) {
        let model = if users { LoadModel::Users } else { LoadModel::Rate };
        let mut options = SearchOptions::new(model, 1.0, 20_000.0);
        options.most_measurements = 40;
        let (result, loads) = run(options, |load| exact((load / limit).powf(power)));
        prop_assert_eq!(result.end, SearchEnd::Found);
        let (low, high) = (result.low.unwrap(), result.high.unwrap());
        prop_assert!(low <= limit && limit <= high * (1.0 + 1e-9), "{:?} {:?}", result, loads);
        let load = result.load.unwrap();
        let near = (load / limit - 1.0).abs() <= 0.03 || (users && (load - limit).abs() <= 1.0);
        prop_assert!(near, "{:?} {:?}", result, loads);
        prop_assert!(loads.len() <= 20, "{:?}", loads);
    }
}

/// Between 0 and 1, the same for the same load and seed.
fn drawn(load: f64, seed: u64) -> f64 {
    let mixed = (load.to_bits() ^ seed.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64
        / (1_u64 << 53) as f64
}

proptest! {
    #[test]
    fn a_search_is_ended_early_only_where_the_whole_would_have_said_less(
        truth in 1.0_f64..3_000.0,
        noise in 0.0_f64..1.0,
        reach in 0.2_f64..3.0,
        from in 0.1_f64..2.0,
        of_users in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let model = if of_users { LoadModel::Users } else { LoadModel::Rate };
        let outcome = |load: f64| exact(load / truth * (noise * (drawn(load, seed) - 0.5)).exp());
        let whole = SearchOptions {
            repeats: 1,
            ..SearchOptions::new(model, from * truth, 100_000.0)
        };
        let reach = reach * truth;
        let (all, loads) = run(whole, outcome);
        let (early, first) = run(SearchOptions { reach: Some(reach), ..whole }, outcome);
        prop_assert!(loads.starts_with(&first), "{loads:?} {first:?}");
        if early.end == SearchEnd::OutOfReach {
            prop_assert!(all.load.is_some_and(|load| load < reach), "{all:?} {reach}");
            prop_assert!(early.load.is_some_and(|load| load < reach), "{early:?} {reach}");
            prop_assert!(first.len() <= loads.len());
        } else {
            prop_assert_eq!(early, all);
        }
    }
}

#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::{CompileOptions, compile, parse_yaml};
use proptest::prelude::*;

use super::*;

const S: u64 = 1_000_000_000;

fn bound(load: &str, steps: &str) -> Option<MostRequests> {
    let text = format!("target: http://127.0.0.1:1\n{load}\nsteps:\n{steps}\n");
    let (plan, _) = parse_yaml(&text, "plan").unwrap();
    MostRequests::of(&compile(&plan, &CompileOptions::default()).unwrap())
}

fn shares(count: u32) -> impl Iterator<Item = Share> {
    (0..count).map(move |index| Share::new(index, count).unwrap())
}

#[test]
fn an_even_load_begins_what_its_schedule_says() {
    let most = bound("rate: 30/s\nduration: 8s", "  - get: /").unwrap();
    assert_eq!(most.begun(Share::WHOLE, 1, 0, 100 * S), 240);
    // What is due at that moment may have begun.
    assert_eq!(most.begun(Share::WHOLE, 1, 0, S), 31);
    assert_eq!(most.begun(Share::WHOLE, 1, 6 * S, 100 * S), 60);
    let parts: Vec<u64> = shares(3)
        .map(|share| most.begun(share, 1, 0, 8 * S))
        .collect();
    assert_eq!(parts, [80; 3]);
    let two = bound("rate: 30/s\nduration: 8s", "  - get: /\n  - get: /b").unwrap();
    assert_eq!(two.begun(Share::WHOLE, 1, 0, 100 * S), 480);
    // It can be kept.
    let kept = serde_json::to_string(&two).unwrap();
    assert_eq!(serde_json::from_str::<MostRequests>(&kept).unwrap(), two);
}

#[test]
fn counted_iterations_are_a_bound_and_time_alone_is_none() {
    let total = bound("users: 4\ntotal-iterations: 10", "  - get: /").unwrap();
    let each = bound("users: 4\niterations: 5", "  - get: /").unwrap();
    assert_eq!(each.begun(Share::WHOLE, 1, 0, S), 20);
    assert_eq!(each.begun(Share::new(1, 3).unwrap(), 1, 0, S), 5);
    assert_eq!(total.begun(Share::WHOLE, 1, 0, S), 10);
    assert_eq!(bound("users: 4\nduration: 5s", "  - get: /"), None);
    let again = "  - repeat: 3\n    steps:\n      - get: /";
    assert_eq!(bound("rate: 5/s\nduration: 5s", again), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However arrivals lie: no share exceeds its bound, all shares together have the load, and what
    /// is reckoned is never less than what is counted.
    #[test]
    fn no_share_exceeds_its_bound(
        rate in 1_u64..400,
        lasts in 1_u64..40,
        until in 0_u64..50,
        poisson: bool,
        count in 1_u32..7,
        seed: u64,
    ) {
        let spacing = if poisson { "poisson" } else { "even" };
        let load = format!("rate: {rate}/s\nduration: {lasts}s\narrivals: {spacing}");
        let most = bound(&load, "  - get: /").unwrap();
        let OfScenario { iterations: Iterations::Arrivals(arrivals), end_ns, .. } = &most.0[0] else {
            panic!("an open load");
        };
        let due = schedule::arrivals(arrivals, seed);
        let until_ns = until * S;
        let due = due.take_while(|due_ns| *due_ns <= until_ns && due_ns < end_ns).count() as u64;
        let bounds: Vec<u64> = shares(count).map(|share| most.begun(share, seed, 0, until_ns)).collect();
        prop_assert_eq!(bounds.iter().sum::<u64>(), due);
        for (share, bound) in shares(count).zip(bounds) {
            prop_assert!(bound <= reckoned(arrivals, share, 0, (until_ns + 1).min(*end_ns)));
        }
    }
}

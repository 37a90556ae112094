#![allow(clippy::unwrap_used)]
use std::time::Duration;

use plimsoll_plan::model::{ArrivalLoad, Load, Rate, RateStage, Spacing};
use plimsoll_plan::share::Share;
use proptest::prelude::*;

use super::*;
use crate::schedule::NewLoad;

fn load(stages: &[(u64, u64, u64)], spacing: Spacing) -> Course {
    let stage = |(from, to, lasts_ms): &(u64, u64, u64)| RateStage {
        from: Rate::per_second(*from),
        to: Rate::per_second(*to),
        lasts: Duration::from_millis(*lasts_ms),
        spacing: None,
    };
    let load = ArrivalLoad {
        stages: stages.iter().map(stage).collect(),
        spacing,
        ready_users: 0,
        max_in_flight: 1_000,
        arrivals_total: None,
        exact_counts: false,
        seed: None,
        new_users: false,
    };
    Course::new(&Load::Arrivals(load), None)
}

fn all_of(share: Share, threads: usize, thread: usize) -> OwnNumbers {
    let (first, step) = share.numbers_of_thread(thread, threads);
    OwnNumbers {
        first,
        step,
        most: u64::MAX,
    }
}

#[test]
fn a_change_that_comes_too_late_holds_from_what_was_given() {
    let mut course = load(&[(10, 10, 10_000)], Spacing::Constant);
    let mut own = OwnArrivals::new(course.clone(), 1, all_of(Share::WHOLE, 1, 0), 0);
    while own.look().unwrap() < 5_000_000_000 {
        own.give();
    }
    let rate = NewLoad::Rate(Rate::per_second(100));
    course.change(3_000_000_000, rate, "s").unwrap();
    assert!(own.change(&course));
    let mut due = Vec::new();
    while let Some(at) = own.look().filter(|at| *at < 10_000_000_000) {
        due.push(at);
        own.give();
    }
    assert!(
        due[0] > 4_900_000_000 && due[1] - due[0] == 10_000_000,
        "{due:?}"
    );
    assert!((505..=515).contains(&due.len()), "{}", due.len());
}

proptest! {
    /// Threads hear of changes when they have given what was due before them, be it long before: together
    /// they give what the changed load has.
    #[test]
    fn threads_give_the_changed_load_together(
        stages in proptest::collection::vec((0_u64..300, 0_u64..300, 100_u64..2_000), 1..4),
        poisson in any::<bool>(),
        changes in proptest::collection::vec((0.0..1.0, 0.0..1.0, 0_u64..400), 1..4),
        count in 1_u32..4, threads in 1_usize..4, from_ms in 0_u64..500,
    ) {
        let spacing = if poisson { Spacing::Poisson } else { Spacing::Constant };
        let planned = load(&stages, spacing);
        let from_ns = from_ms * 1_000_000;
        let mut together = Vec::new();
        let mut whole = Vec::new();
        for share in (0..count).filter_map(|index| Share::new(index, count)) {
            for thread in 0..threads {
                let mut course = planned.clone();
                let numbers = all_of(share, threads, thread);
                let mut own = OwnArrivals::new(course.clone(), 7, numbers, from_ns);
                let mut at_ns = 0;
                for (at, heard, rate) in &changes {
                    let left_ns = course.end_ns() - at_ns;
                    let ahead_ns = (left_ns as f64 * at) as u64;
                    let heard_ns = at_ns + (ahead_ns as f64 * heard) as u64;
                    at_ns += ahead_ns;
                    // It looks at the next before it hears of the change.
                    while let Some(due_ns) = own.look().filter(|due_ns| *due_ns < heard_ns) {
                        together.push(due_ns);
                        own.give();
                    }
                    let to = match rate % 3 {
                        0 => NewLoad::Longer(Duration::from_millis(*rate)),
                        _ => NewLoad::Rate(Rate::per_second(*rate)),
                    };
                    course.change(at_ns, to, "s").unwrap();
                    prop_assert!(!own.change(&course));
                }
                while let Some(due_ns) = own.look() {
                    together.push(due_ns);
                    own.give();
                }
                whole = course.arrivals(7).filter(|due_ns| *due_ns >= from_ns).collect();
            }
        }
        together.sort_unstable();
        prop_assert_eq!(together, whole);
    }
}

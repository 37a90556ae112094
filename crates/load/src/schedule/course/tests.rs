use std::time::Duration;

use plimsoll_plan::model::{ArrivalLoad, Rate, RateStage, Spacing, UserLoad, UserStage};
use plimsoll_plan::share::Share;
use proptest::prelude::*;

use super::*;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn open(stages: &[(u64, u64, u64)], spacing: Spacing) -> Load {
    let stage = |(from, to, lasts_ms): &(u64, u64, u64)| RateStage {
        from: Rate::per_second(*from),
        to: Rate::per_second(*to),
        lasts: Duration::from_millis(*lasts_ms),
        spacing: None,
    };
    Load::Arrivals(ArrivalLoad {
        stages: stages.iter().map(stage).collect(),
        spacing,
        ready_users: 0,
        max_in_flight: 1_000,
        arrivals_total: None,
        exact_counts: false,
        seed: None,
        new_users: false,
    })
}

fn closed(stages: &[(u32, u64, u64)]) -> Load {
    let stage = |(users, ramp_ms, hold_ms): &(u32, u64, u64)| UserStage {
        users: *users,
        ramp: Duration::from_millis(*ramp_ms),
        hold: Duration::from_millis(*hold_ms),
    };
    Load::Users(UserLoad {
        stages: stages.iter().map(stage).collect(),
        iterations_per_user: None,
        iterations_total: None,
        ends_with_stages: true,
        new_users: false,
    })
}

fn course(load: &Load) -> Course {
    Course::new(load, None)
}

fn changed(load: &Load, changes: &[(u64, NewLoad)]) -> Course {
    let mut course = course(load);
    for (at_ns, to) in changes {
        course.change(*at_ns, *to, "s").unwrap();
    }
    course
}

fn due(course: &Course) -> Vec<u64> {
    course.arrivals(7).collect()
}

fn users_at(course: &Course, at_ns: u64) -> usize {
    let is_there = |window: &UserWindow| {
        window.start_ns <= at_ns && window.stop_ns.is_none_or(|stop_ns| at_ns < stop_ns)
    };
    let numbers = 0..course.peak();
    numbers
        .filter(|number| course.windows(*number).iter().any(is_there))
        .count()
}

const LONGER: NewLoad = NewLoad::Longer(Duration::from_secs(5));

fn rate(per_s: u64) -> NewLoad {
    NewLoad::Rate(Rate::per_second(per_s))
}

#[test]
fn what_was_counted_towards_the_next_arrival_goes_on_to_count() {
    // 10/s until 0.55 s: 5.5 arrivals; the other half of the seventh takes 5 ms at 100/s.
    let course = changed(
        &open(&[(10, 10, 1_000)], Spacing::Constant),
        &[(550 * MS, rate(100))],
    );
    let due = due(&course);
    assert_eq!(
        due[..6],
        [0, 100 * MS, 200 * MS, 300 * MS, 400 * MS, 500 * MS]
    );
    assert_eq!(due[6..9], [555 * MS, 565 * MS, 575 * MS]);
    assert_eq!(due.len(), 6 + 45);
}

#[test]
fn a_rate_of_zero_is_a_rest() {
    let load = open(&[(100, 100, 4_000)], Spacing::Constant);
    let course = changed(&load, &[(S, rate(0)), (3 * S, rate(100))]);
    let due = due(&course);
    assert_eq!(due.len(), 200);
    assert!(due.iter().all(|at| !(S..3 * S).contains(at)));
}

#[test]
fn a_factor_meets_the_stages_to_come() {
    let load = open(&[(10, 10, 1_000), (0, 100, 2_000)], Spacing::Constant);
    let course = changed(&load, &[(500 * MS, NewLoad::rate_times(2.5).unwrap())]);
    let due = due(&course);
    // 5, then 12.5 in half a second, then 250 in the ramp.
    assert_eq!(due.len(), 268);
    assert_eq!(course.end_ns(), 3 * S);
    assert!(NewLoad::rate_times(-1.0).is_err() && NewLoad::rate_times(f64::NAN).is_err());
}

#[test]
fn what_is_held_last_is_held_longer() {
    let rise_hold_fall = [(0, 100, 1_000), (100, 100, 2_000), (100, 0, 1_000)];
    let load = open(&rise_hold_fall, Spacing::Constant);
    for (at_ns, when) in [(500 * MS, "in the rise"), (2 * S, "in the hold")] {
        let course = changed(&load, &[(at_ns, LONGER)]);
        assert_eq!(course.end_ns(), 9 * S, "{when}");
        let due = due(&course);
        let in_second = |second: u64| due.iter().filter(|at| *at / S == second).count();
        assert_eq!(
            (in_second(0), in_second(7), in_second(8)),
            (50, 100, 50),
            "{when}"
        );
    }
    // In the fall it is what is now that is held: half of it.
    let falling = due(&changed(&load, &[(3_500 * MS, LONGER)]));
    let held = falling
        .iter()
        .filter(|at| (3_500 * MS..8_500 * MS).contains(at))
        .count();
    assert!((249..=251).contains(&held), "{held}");
}

#[test]
fn users_are_held_longer_too_and_leave_later() {
    let load = closed(&[(4, 0, 1_000), (0, 400, 0)]);
    let course = changed(&load, &[(500 * MS, LONGER)]);
    assert_eq!(course.end_ns(), 6_400 * MS);
    assert_eq!(
        [0, 5_900, 6_150, 6_399].map(|at| users_at(&course, at * MS)),
        [4, 4, 3, 1]
    );
    // Twice is as good as once.
    let twice = changed(&load, &[(500 * MS, LONGER), (5_950 * MS, LONGER)]);
    assert_eq!(twice.end_ns(), 11_400 * MS);
    assert_eq!([10_900, 11_150].map(|at| users_at(&twice, at * MS)), [4, 3]);
}

#[test]
fn a_line_says_what_the_load_is_changed_to() {
    let levels = |course: &Course| -> Vec<(u64, f64, f64)> {
        let line = course.line().unwrap().into_iter();
        line.map(|part| (part.lasts_ns / MS, part.from, part.to))
            .collect()
    };
    let load = closed(&[(4, 1_000, 1_000), (0, 1_000, 0)]);
    assert_eq!(
        levels(&changed(&load, &[(500 * MS, LONGER)])),
        [
            (1_000, 0.0, 4.0),
            (1_000, 4.0, 4.0),
            (5_000, 4.0, 4.0),
            (1_000, 4.0, 0.0)
        ]
    );
    assert_eq!(
        levels(&changed(
            &load,
            &[(500 * MS, NewLoad::Users(9)), (S, NewLoad::Users(1))]
        )),
        [(500, 0.0, 2.0), (500, 9.0, 9.0), (2_000, 1.0, 1.0)]
    );
}

#[test]
fn a_limit_is_moved_with_the_load() {
    let limit = Some(Duration::from_secs(2));
    let mut course = Course::new(&closed(&[(4, 0, 10_000)]), limit);
    course.change(S, LONGER, "s").unwrap();
    assert_eq!((course.end_ns(), users_at(&course, 6 * S)), (7 * S, 4));
}

#[test]
fn users_who_stay_are_not_begun_again() {
    let load = closed(&[(10, 0, 10_000)]);
    let course = changed(
        &load,
        &[(2 * S, NewLoad::Users(3)), (4 * S, NewLoad::Users(12))],
    );
    let window = |start_s: u64, stop_s: u64| UserWindow {
        start_ns: start_s * S,
        stop_ns: Some(stop_s * S),
    };
    assert_eq!(course.windows(2), [window(0, 10)]);
    assert_eq!(course.windows(3), [window(0, 2), window(4, 10)]);
    assert_eq!(course.windows(11), [window(4, 10)]);
    assert!(course.windows(12).is_empty());
}

#[test]
fn what_cannot_be_is_refused() {
    let rates = open(&[(10, 10, 1_000)], Spacing::Constant);
    let mut of_rates = course(&rates);
    let other = ChangeError::OtherModel("s".to_owned());
    assert_eq!(
        of_rates.change(0, NewLoad::Users(1), "s"),
        Err(other.clone())
    );
    assert_eq!(of_rates.change(S, rate(1), "s"), Err(ChangeError::Over));
    let mut of_users = course(&closed(&[(1, 0, 1_000)]));
    assert_eq!(of_users.change(0, rate(1), "s"), Err(other));
    let mut endless = Course::new(
        &Load::Users(UserLoad {
            stages: vec![UserStage {
                users: 1,
                ramp: Duration::ZERO,
                hold: Duration::ZERO,
            }],
            iterations_per_user: Some(100),
            iterations_total: None,
            ends_with_stages: false,
            new_users: false,
        }),
        None,
    );
    assert_eq!(
        endless.change(0, LONGER, "s"),
        Err(ChangeError::NotByTime("s".to_owned()))
    );
    endless.change(5 * S, NewLoad::Users(2), "s").unwrap();
    assert_eq!(
        endless.windows(1),
        [UserWindow {
            start_ns: 5 * S,
            stop_ns: None
        }]
    );
}

#[test]
fn stages_that_count_for_themselves_do_so_up_to_the_change() {
    let mut load = open(&[(100, 100, 2_000)], Spacing::Poisson);
    if let Load::Arrivals(load) = &mut load {
        load.exact_counts = true;
    }
    let (old, new) = (
        due(&course(&load)),
        due(&changed(&load, &[(S, rate(1_000))])),
    );
    let before = |all: &[u64]| all.iter().copied().filter(|at| *at < S).collect::<Vec<_>>();
    assert_eq!(before(&old), before(&new));
    assert!((800..1_200).contains(&new.iter().filter(|at| **at >= S).count()));
}

fn any_open() -> impl Strategy<Value = Load> {
    let stage = (0_u64..400, 0_u64..400, 100_u64..3_000);
    let stage = (stage, any::<bool>()).prop_map(|((from, to, ms), held)| match held {
        true => (from, from, ms),
        false => (from, to, ms),
    });
    (proptest::collection::vec(stage, 1..4), any::<bool>()).prop_map(|(stages, poisson)| {
        let spacing = match poisson {
            true => Spacing::Poisson,
            false => Spacing::Constant,
        };
        open(&stages, spacing)
    })
}

fn any_change() -> impl Strategy<Value = NewLoad> {
    prop_oneof![
        (0_u64..500).prop_map(rate),
        (0_u32..4_000).prop_map(NewLoad::RateTimes),
        (0_u64..3_000).prop_map(|ms| NewLoad::Longer(Duration::from_millis(ms))),
    ]
}

/// Changes one after the other, each as a share of the time that is left then.
fn any_changes() -> impl Strategy<Value = Vec<(f64, NewLoad)>> {
    proptest::collection::vec((0.0..1.0, any_change()), 1..4)
}

/// The course after each of the changes, and when they are.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn steps(load: &Load, changes: &[(f64, NewLoad)]) -> Vec<(u64, Course)> {
    let mut course = course(load);
    let mut at_ns = 0;
    let mut steps = vec![(0, course.clone())];
    for (share, to) in changes {
        at_ns += ((course.end_ns() - at_ns) as f64 * share) as u64;
        course.change(at_ns, *to, "s").unwrap();
        steps.push((at_ns, course.clone()));
    }
    steps
}

/// Arrivals that a rate makes in a time.
#[expect(clippy::cast_precision_loss)]
fn made(line: &[LinePart], from_ns: u64, to_ns: u64) -> f64 {
    let mut begin_ns = 0;
    let mut sum = 0.0;
    for part in line {
        let rate = |at: u64| part.from + (part.to - part.from) * (at as f64 / part.lasts_ns as f64);
        let (a, b) = (from_ns.max(begin_ns), to_ns.min(begin_ns + part.lasts_ns));
        if a < b {
            sum += (rate(a - begin_ns) + rate(b - begin_ns)) / 2.0 * ((b - a) as f64 / 1e9);
        }
        begin_ns += part.lasts_ns;
    }
    sum
}

proptest! {
    #[test]
    fn arrivals_before_a_change_are_those_of_before(load in any_open(), changes in any_changes()) {
        let steps = steps(&load, &changes);
        for pair in steps.windows(2) {
            let ((_, old), (at_ns, new)) = (&pair[0], &pair[1]);
            let before = |course: &Course| {
                course.arrivals(7).take_while(|due| due < at_ns).collect::<Vec<_>>()
            };
            prop_assert_eq!(before(old), before(new));
            let all = due(new);
            prop_assert!(all.is_sorted());
            prop_assert!(all.iter().all(|at| *at < new.end_ns()));
        }
    }

    /// Between one arrival and the next the rate always makes one: at a seam too none is lost, and
    /// none comes twice.
    #[test]
    fn even_arrivals_stay_one_apart(load in any_open(), changes in any_changes()) {
        let load = match load {
            Load::Arrivals(load) => Load::Arrivals(ArrivalLoad { spacing: Spacing::Constant, ..load }),
            users => users,
        };
        let steps = steps(&load, &changes);
        let (_, last) = &steps[steps.len() - 1];
        let line = last.line().unwrap();
        let all = due(last);
        for (at, pair) in all.windows(2).enumerate() {
            let apart = made(&line, pair[0], pair[1]);
            prop_assert!((apart - 1.0).abs() < 1e-3, "{at}: {apart} in {pair:?}");
        }
        let sum = made(&line, 0, last.end_ns());
        prop_assert!((sum.ceil() - all.len() as f64).abs() <= 1.0, "{sum} {}", all.len());
    }

    #[test]
    fn shares_have_the_arrivals_of_the_whole_after_a_change_too(
        load in any_open(), changes in any_changes(), count in 1_u32..6, threads in 1_usize..4,
    ) {
        let steps = steps(&load, &changes);
        let (_, last) = &steps[steps.len() - 1];
        let mut together = Vec::new();
        for share in (0..count).filter_map(|index| Share::new(index, count)) {
            for thread in 0..threads {
                let (first, step) = share.numbers_of_thread(thread, threads);
                together.extend(last.arrivals(7).skip(first).step_by(step));
            }
        }
        together.sort_unstable();
        prop_assert_eq!(together, due(last));
    }

    #[test]
    fn users_are_those_of_before_and_then_as_many_as_asked_for(
        stages in proptest::collection::vec((0_u32..30, 0_u64..2_000, 100_u64..2_000), 1..4),
        share in 0.0..1.0, users in 0_u32..50, longer_ms in 0_u64..2_000,
    ) {
        let load = closed(&stages);
        let old = course(&load);
        let at_ns = steps(&load, &[(share, NewLoad::Users(users))])[1].0;
        let mut new = changed(&load, &[(at_ns, NewLoad::Users(users))]);
        for at in (0..old.end_ns()).step_by(usize::try_from(37 * MS).unwrap()) {
            let wanted = match at < at_ns {
                true => users_at(&old, at),
                false => users as usize,
            };
            prop_assert_eq!(users_at(&new, at), wanted, "at {} ms", at / MS);
        }
        let end_ns = new.end_ns();
        new.change(at_ns, NewLoad::Longer(Duration::from_millis(longer_ms)), "s").unwrap();
        prop_assert_eq!(new.end_ns(), end_ns + longer_ms * MS);
        prop_assert_eq!(users_at(&new, new.end_ns() - 1), users as usize);
        prop_assert_eq!(users_at(&new, new.end_ns()), 0);
    }
}

#[test]
fn a_change_may_not_ask_for_more_than_a_plan_may() {
    let mut users = course(&closed(&[(2, 0, 10_000)]));
    let most = plimsoll_plan::limits::USERS;
    for too_many in [most + 1, u32::MAX] {
        let refused = users.change(S, NewLoad::Users(too_many), "s");
        assert_eq!(refused, Err(ChangeError::Users(too_many)));
    }
    assert_eq!(users.peak(), 2);
    let mut rates = course(&open(&[(5, 5, 10_000)], Spacing::Constant));
    let most = plimsoll_plan::limits::RATE_PER_S;
    assert_eq!(rates.change(S, rate(most + 1), "s"), Err(ChangeError::Rate));
    assert_eq!(rates.change(S, rate(most), "s"), Ok(()));
}

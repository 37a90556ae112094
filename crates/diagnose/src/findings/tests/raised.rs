//! More load that brings no more throughput shows a limit, also where few wait before it.

use plimsoll_stats::series::EntityKind;
use serde_json::json;

use super::principles::{FRONT, hop, serves};
use crate::account::FullPlace;
use crate::testing::{Made, thing};

/// Ten requests of 250 ms, all of them in a process that hardly computes; the quickest of the first second was alone
/// and took so long, and those after it 180 ms.
fn waits(alone_ms: f64) -> Made {
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 40.0, 9.9)],
        "processes": [serves(FRONT, 40.0, 9.9, 0.0)],
    });
    let host = thing(EntityKind::Host, "");
    Made::load(40.0, 250.0)
        .users(10)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, 0.1, 2.0)
        .fastest(180.0)
        .completes(&[], alone_ms)
        .capture(&host, "wire", "steady", &wire.to_string())
}

#[test]
fn a_load_that_is_raised_in_vain_shows_a_limit() {
    let made = waits(150.0).raised_by_half(375.0);
    let account = made.scene().account().cloned().unwrap();
    let place = &account.plateaus[0];
    assert_eq!(
        (place.place, place.process.as_str()),
        (FullPlace::Inside, FRONT)
    );
    // As many as pass in the time of one that is alone.
    assert!((place.number - 6.0).abs() < 0.1, "{place:?}");
    assert_eq!(made.all()[0].id, "concurrency_limit");
}

#[test]
fn without_that_few_that_wait_are_no_limit() {
    let has_none = |made: Made| made.scene().account().unwrap().plateaus.is_empty();
    assert!(has_none(waits(150.0)));
    // The throughput rises by a fifth; requests take as long.
    assert!(has_none(waits(150.0).raised_by_half(310.0)));
    assert!(has_none(waits(100.0).raised_by_half(255.0)));
    // Nearly all of them are worked on.
    assert!(has_none(waits(175.0).raised_by_half(375.0)));
}

#[test]
fn the_quickest_of_all_found_the_fewest_before_it() {
    // Others are nearly as quick at times.
    let quick = |made: Made| made.fastest(102.0).completes(&[], 100.0);
    let made = quick(waits(100.0)).raised_by_half(375.0);
    let account = made.scene().account().cloned().unwrap();
    assert!(
        (account.plateaus[0].number - 4.0).abs() < 0.1,
        "{account:?}"
    );
    // Not known to queue; another kind of request may be the quick one.
    assert!(
        quick(waits(100.0))
            .scene()
            .account()
            .unwrap()
            .plateaus
            .is_empty()
    );
    let mixed = made.label("a", 0.5, 102.0).label("b", 0.5, 398.0);
    assert!(mixed.scene().account().unwrap().plateaus.is_empty());
}

//! A measurement that was not warm: alone, and beside a cause that warmth does not lift.

use plimsoll_stats::series::EntityKind;

use super::{COMPUTES, HOLDS_LOCK_IN_CALL, JVM, WAITS_FOR_LOCK, limits, with};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

/// Throughput rises to three times what it was while the JIT compiles.
fn cold() -> Made {
    let process = thing(EntityKind::Process, JVM);
    let compiler = [("thread.group", "C2 CompilerThre")];
    Made::load(200.0, 100.0)
        .falls_to(3.0)
        .process(JVM, 0.9, 2.0)
        .counter(&process, "process.thread_group.cpu.time", &compiler, 0.3)
}

const LOCKED: &[(usize, (&str, &str))] =
    &[(18, WAITS_FOR_LOCK), (1, HOLDS_LOCK_IN_CALL), (1, COMPUTES)];
const FREE: &[(usize, (&str, &str))] = &[(20, COMPUTES)];

/// Three dumps, a second apart, of each of these.
fn in_turn(groups: &[&[(usize, (&str, &str))]]) -> Vec<Finding> {
    groups
        .iter()
        .fold(cold(), |made, groups| with(made, groups))
        .all()
}

#[test]
fn a_cold_start_comes_before_what_cannot_be_trusted() {
    let found = cold().all();
    assert_eq!(
        (found[0].id, found[0].layer),
        ("cold_start", Layer::Measurement)
    );
    // The lock was there while it was cold, and is gone at the end.
    let early = in_turn(&[LOCKED, LOCKED, LOCKED, FREE, FREE, FREE]);
    assert_eq!(early[0].id, "cold_start", "{early:?}");
    assert!(limits(&early).contains(&"lock"), "{early:?}");
    // Nobody looked at the end.
    let unseen = in_turn(&[LOCKED]);
    assert_eq!(unseen[0].id, "cold_start", "{unseen:?}");
}

#[test]
fn what_still_holds_most_of_it_when_warm_limits() {
    let found = in_turn(&[LOCKED; 6]);
    assert_eq!(found[0].id, "lock", "{found:?}");
    let cold = found.iter().find(|finding| finding.id == "cold_start");
    assert_eq!(cold.unwrap().layer, Layer::Hint);
}

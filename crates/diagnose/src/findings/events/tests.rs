//! Errors and events on made-up evidence: tied by time, and merely both there.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::{EntityKind, SeriesKind};

use crate::model::{Finding, Layer, ShareOf};
use crate::testing::{Made, SECONDS, thing};

const JVM: &str = "java[8080]";
const ID: &str = "errors_with_event";

/// A load whose errors fall into those seconds.
fn failing(seconds: &[u32]) -> Made {
    let failed = u64::try_from(seconds.len()).unwrap() * 50;
    Made::load(100.0, 20.0)
        .process(JVM, 0.4, 2.0)
        .errors(ErrorKind::ConnectionRefused, failed)
        .fails_in(seconds, 50)
}

fn restart_at(made: Made, at: f64) -> Made {
    let process = thing(EntityKind::Process, JVM);
    made.track(
        &process,
        "process.uptime",
        &[],
        SeriesKind::Gauge,
        |second| {
            if second < at {
                1_000.0 + second
            } else {
                second - at
            }
        },
    )
}

fn full_gc_at(made: Made, at: &[f64]) -> Made {
    let jvm = thing(EntityKind::Jvm, JVM);
    let action = [("jvm.gc.action", "end of major GC")];
    made.track(
        &jvm,
        "jvm.gc.pause.count",
        &action,
        SeriesKind::Counter,
        |second| at.iter().map(|at| f64::from(u8::from(second >= *at))).sum(),
    )
}

fn found(made: &Made) -> Option<Finding> {
    made.find(ID)
}

#[test]
fn errors_of_a_restart_are_tied_to_it() {
    let finding = found(&restart_at(failing(&[10, 11]), 11.0)).expect("a restart");
    assert_eq!(
        (finding.layer, finding.explains.of),
        (Layer::Cause, ShareOf::Errors)
    );
    assert_eq!(
        (finding.object.kind, finding.object.name.as_str()),
        ("restart", JVM)
    );
    assert!((finding.explains.share - 1.0).abs() < 1e-9);
}

#[test]
fn errors_at_other_times_are_not() {
    assert_eq!(found(&restart_at(failing(&[2, 3]), 11.0)), None);
    assert_eq!(found(&restart_at(failing(&[2, 3, 10, 16]), 11.0)), None);
    // All the time, also then.
    let all: Vec<u32> = (0..SECONDS).collect();
    assert_eq!(found(&restart_at(failing(&all), 11.0)), None);
    // Nothing failed, nothing happened.
    assert_eq!(found(&restart_at(failing(&[]), 11.0)), None);
    assert_eq!(found(&failing(&[10, 11])), None);
}

#[test]
fn errors_of_full_collections_are_tied_to_them() {
    let finding =
        found(&full_gc_at(failing(&[3, 4, 11, 12]), &[3.5, 11.5])).expect("full collections");
    assert_eq!(finding.object.kind, "full_gc");
    // Collections all the time are tied to nothing.
    let often: Vec<f64> = (0..SECONDS).map(f64::from).collect();
    assert_eq!(found(&full_gc_at(failing(&[3, 4, 11, 12]), &often)), None);
}

#[test]
fn what_other_rules_name_is_only_timed() {
    let host = thing(EntityKind::Host, "");
    let made = failing(&[10, 11]).track(
        &host,
        "system.tcp.listen.overflows",
        &[],
        SeriesKind::Counter,
        |second| if second > 10.0 { 40.0 } else { 0.0 },
    );
    let finding = found(&made).expect("overflows");
    assert_eq!(
        (finding.layer, finding.object.name.as_str()),
        (Layer::Hint, "web")
    );
    let pool = thing(EntityKind::Pool, JVM);
    let made = failing(&[10, 11]).track(
        &pool,
        "db.client.connection.timeouts",
        &[("db.client.connection.pool.name", "main")],
        SeriesKind::Counter,
        |second| if second > 10.0 { 50.0 } else { 0.0 },
    );
    assert_eq!(found(&made).unwrap().object.kind, "pool_timeout");
}

#[test]
fn few_errors_limit_nothing() {
    let few = Made::load(1_000.0, 20.0)
        .process(JVM, 0.4, 2.0)
        .errors(ErrorKind::ConnectionRefused, 50)
        .fails_in(&[10, 11], 25);
    assert_eq!(found(&restart_at(few, 11.0)).unwrap().layer, Layer::Hint);
}

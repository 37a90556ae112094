//! "Nothing limits" is said only where the time is shown to be the target's own work; a pause is named as what
//! takes the time. And what a process does whose requests packets cannot tell apart.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::principles::{BACK, FRONT, calls, hop, level};
use super::{JVM, with};
use crate::DiagnosisOutcome;
use crate::account::PartKind;
use crate::model::Layer;
use crate::testing::{Made, thing};

/// 10 requests in flight of which 8 are inside, with so many calls a second to another process, and response
/// times by the number in flight.
fn pausing(calls_per_s: f64, many_ms: f64) -> Made {
    let times = |in_flight: u32, mean_ms: f64| json!({"in_flight": in_flight, "requests": 60, "mean_ms": mean_ms});
    let by_number = json!([times(4, 100.0), times(12, many_ms)]);
    pausing_by(calls_per_s, &json!({"times_by_number": by_number}))
}

/// The same with what else was seen of the process.
fn pausing_by(calls_per_s: f64, more: &Value) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:8001", calls_per_s, 1.9);
    let shares = json!([[0, 0.3], [2, 0.5], [4, 0.1], [6, 0.1]]);
    back["in_flight"] = json!({"mean": 1.9, "max": 6, "shares": shares});
    let mut wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [
            hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 100.0, 9.9),
            back,
        ],
        "processes": [{
            "process": FRONT, "requests_per_s": 100.0, "in_flight": level(9.9),
            "waiting_for_others": 1.9, "inside": level(8.0),
        }, {
            "process": BACK, "requests_per_s": calls_per_s, "in_flight": level(1.9),
            "waiting_for_others": 0.0, "inside": level(1.9),
        }],
    });
    for (name, value) in more.as_object().unwrap() {
        wire["processes"][0][name] = value.clone();
    }
    Made::load(100.0, 100.0)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, 0.2, 2.0)
        .process(BACK, 0.1, 2.0)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        )
}

#[test]
fn requests_that_pause_are_not_nothing() {
    // A third of the calls is made again after a while, on an event loop that hardly works.
    let diagnosis = pausing(140.0, 101.0).users(10).diagnose();
    assert_eq!(diagnosis.outcome, DiagnosisOutcome::Healthy);
    assert!(diagnosis.is_pause());
    let first = &diagnosis.findings[0];
    assert_eq!((first.id, first.object.name.as_str()), ("own_wait", FRONT));
    assert!((first.explains.share - 0.75).abs() < 0.05, "{first:?}");
    let again = format!("{:?}", first.evidence);
    assert!(
        again.contains("exhibit-calls-each") && again.contains("1.4"),
        "{again}"
    );
    // One call for each request is none made again.
    let once = pausing(100.0, 101.0).users(10).diagnose();
    assert!(!format!("{:?}", once.findings[0].evidence).contains("exhibit-calls-each"));
    // Requests that wait for each other do not pause.
    let queue = pausing(140.0, 300.0).users(10).diagnose();
    assert_eq!(queue.findings.iter().find(|one| one.id == "own_wait"), None);
    assert_ne!(queue.outcome, DiagnosisOutcome::Nothing);
    // Users that think for nine times as long are what the throughput comes from.
    let thinks = pausing(140.0, 101.0).users(100).diagnose();
    assert_eq!(thinks.outcome, DiagnosisOutcome::Nothing);
    assert_eq!(thinks.findings[0].layer, Layer::Hint);
}

#[test]
fn who_cannot_write_waits_and_tries_again() {
    let state = |state| {
        [
            ("system.filesystem.mountpoint", "/var/log"),
            ("system.filesystem.state", state),
        ]
    };
    let usage = "system.filesystem.usage";
    let full = |by: &str, free: f64, many_ms: f64| {
        let writer = thing(EntityKind::Process, by);
        let made = pausing(100.0, many_ms).users(10);
        let made = made.gauge(&writer, usage, &state("used"), 1e6);
        made.gauge(&writer, usage, &state("free"), free).diagnose()
    };
    let diagnosis = full(FRONT, 0.0, 101.0);
    let first = &diagnosis.findings[0];
    assert_eq!(
        (first.id, first.object.name.as_str()),
        ("disk_full", "/var/log")
    );
    assert_eq!((first.layer, first.healthy), (Layer::Cause, false));
    assert!((first.explains.share - 0.8).abs() < 0.05, "{first:?}");
    // There is room; or another process writes there; or requests wait for each other.
    for other in [
        full(FRONT, 9e9, 101.0),
        full(BACK, 0.0, 101.0),
        full(FRONT, 0.0, 300.0),
    ] {
        let causes = other
            .findings
            .iter()
            .filter(|one| one.layer == Layer::Cause);
        assert!(causes.clone().all(|one| one.id != "disk_full"), "{other:?}");
    }
}

#[test]
fn requests_that_are_done_at_once_pause_and_do_not_queue() {
    let done = |requests: u32| {
        let times = json!([{"in_flight": 10, "requests": 60, "mean_ms": 100.0}]);
        let together = json!({"requests": requests, "within_ms": 5.0});
        let more = json!({"times_by_number": times, "done_together": together});
        pausing_by(140.0, &more).users(10).diagnose()
    };
    let first = &done(10).findings[0];
    assert_eq!((first.id, first.object.name.as_str()), ("own_wait", FRONT));
    let told = format!("{:?}", first.evidence);
    assert!(told.contains("account-at-once"), "{told}");
    // Half of them may be all that is let in.
    let half = done(5);
    let names_pause = half.findings.iter().any(|one| one.id == "own_wait");
    assert!(!names_pause && half.outcome != DiagnosisOutcome::Nothing);
}

#[test]
fn what_waits_for_nobody_knows_what_is_not_nothing() {
    let waits = "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\tat java.util.concurrent.CountDownLatch.await(C.java:1)\n\tat shop.Page.show(Page.java:4)\n";
    let made = Made::load(100.0, 100.0).users(10).process(JVM, 0.2, 2.0);
    let made = with(made, &[(10, ("WAITING (parking)", waits))]);
    let diagnosis = made.diagnose();
    assert_eq!(
        diagnosis.outcome,
        DiagnosisOutcome::Insufficient,
        "{diagnosis:?}"
    );
    assert!(
        diagnosis
            .missing
            .iter()
            .any(|text| text.id == "diagnosis-missing-waits")
    );
}

#[test]
fn calls_that_cannot_be_told_apart_are_where_threads_work() {
    let made = |asleep: f64| {
        let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 5.0);
        back["decided"] = json!(false);
        back["bytes_sent"] = json!(30_000);
        let threads = json!({"classes": [
            {"name": "price", "threads": 20, "running": 0.1, "sleep": asleep, "accept": 19.9 - asleep},
        ]});
        let mut made = calls(&[back], 0.0, Value::Null);
        made = made.capture(
            &thing(EntityKind::Process, BACK),
            "thread_states",
            "steady",
            &threads.to_string(),
        );
        made.diagnose().account.unwrap()
    };
    let there = |asleep: f64| made(asleep).share(|part| part.process == BACK);
    assert!((there(5.0) - 0.51).abs() < 0.03, "{}", there(5.0));
    assert!(there(0.0) < 0.03);
    // Never more than there is.
    assert!(there(19.0) <= 1.0);
    let all: f64 = made(19.0).parts.iter().map(|part| part.ms).sum();
    assert!((all - 100.0).abs() < 0.1, "{all}");
}

#[test]
fn a_queue_for_the_cpu_is_as_long_as_a_quota_stops_the_process() {
    let process = thing(EntityKind::Process, FRONT);
    let share = |stopped: f64| {
        let made = calls(&[], 0.0, Value::Null).without_process(FRONT);
        let made = made
            .process(FRONT, 0.49, 0.5)
            .counter(&process, "cgroup.cpu.throttled.time", &[], stopped)
            .fastest(20.0);
        let account = made.diagnose().account.unwrap();
        account.share(|part| part.kind == PartKind::CpuWait)
    };
    assert!(share(1.4) > 0.7, "{}", share(1.4));
    assert!((share(0.1) - 0.1).abs() < 0.03, "{}", share(0.1));
    assert!(share(0.0) < 0.01);
}

#[test]
fn calls_that_are_given_up_and_made_again_are_retries() {
    let made = |unfinished: u32| {
        // 100 a second succeed; those without a response in time were given up.
        let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 4.0);
        back["failed"] = json!(0);
        back["unfinished"] = json!(unfinished);
        calls(&[back], 4.0, Value::Null).find("retries")
    };
    let finding = made(124).unwrap();
    assert_eq!(finding.object.name, format!("{FRONT} → {BACK}"));
    let shown = format!("{:?}", finding.evidence);
    assert!(shown.contains("exhibit-given-up"), "{shown}");
    // What was under way when the looking ended, and a few.
    assert_eq!(made(4), None);
    assert_eq!(made(6), None);
}

#[test]
fn a_neighbour_that_nobody_watches_is_named() {
    let host = thing(EntityKind::Host, "");
    let process = thing(EntityKind::Process, FRONT);
    let states = json!({
        "classes": [{"name": "shop", "threads": 40, "running": 2.0, "runnable": 15.0, "poll": 23.0}],
        "neighbours": [
            {"process": "backup[77]", "pid": 77, "cpu": 5.2},
            {"process": FRONT, "pid": 7, "cpu": 2.0},
        ],
    });
    let found = Made::load(100.0, 200.0)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, 2.0, 8.0)
        .counter(&host, "system.cpu.time", &[("cpu.mode", "user")], 7.9)
        .counter(&host, "system.cpu.time", &[("cpu.mode", "idle")], 0.1)
        .counter(&process, "process.cpu.wait_time", &[], 15.0)
        .capture(&process, "thread_states", "steady", &states.to_string())
        .find("cpu_taken")
        .unwrap();
    let shown = format!("{:?}", found.evidence);
    assert!(
        shown.contains("backup[77]") && shown.contains("exhibit-cpu-of-unwatched"),
        "{shown}"
    );
    let is_told = |one: &&crate::model::Exhibit| one.text.id == "exhibit-cpu-of-unwatched";
    assert_eq!(
        found.evidence.iter().filter(is_told).count(),
        1,
        "the watched one is told by its series"
    );
}

#[test]
fn connections_that_are_as_many_as_work_at_a_time_are_the_pool() {
    let made = |connections: u32, opened: u32| {
        let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 4.0);
        back["connections"] = json!(connections);
        back["opened"] = json!(opened);
        let found = calls(&[back], 4.0, Value::Null)
            .find("concurrency_limit")
            .unwrap();
        let shown = format!("{:?}{:?}", found.evidence, found.advice);
        shown.contains("exhibit-all-connections") && shown.contains("advice-pool-setting")
    };
    assert!(made(4, 0));
    // More than work at a time are not the limit, and those that come and go are no pool.
    assert!(!made(12, 0));
    assert!(!made(4, 4));
}

#[test]
fn backends_that_wait_for_a_lock_are_known_by_their_titles() {
    let made = |title: &str, waiting: f64| {
        let server = "postgres[5432]";
        let states = json!({
            "classes": [{"name": "postgres", "threads": 10, "running": 0.1, "poll": 9.9}],
            "titles": {title: waiting, "idle in transaction": 1.0, "idle": 2.0},
        });
        calls(
            &[hop(FRONT, server, "127.0.0.1:5432", 300.0, 7.0)],
            7.0,
            Value::Null,
        )
        .process(server, 0.1, 2.0)
        .capture(
            &thing(EntityKind::Process, server),
            "thread_states",
            "steady",
            &states.to_string(),
        )
    };
    let diagnosis = made("UPDATE waiting", 6.0).diagnose();
    let first = &diagnosis.findings[0];
    assert_eq!(
        (first.id, first.layer),
        ("row_locks", Layer::Cause),
        "{diagnosis:?}"
    );
    assert!((first.explains.share - 0.6).abs() < 0.02, "{first:?}");
    assert!(
        made("ALTER TABLE waiting", 6.0)
            .find("table_locks")
            .is_some()
    );
    let inserts = made("INSERT waiting", 6.0).find("row_locks").unwrap();
    assert_eq!(inserts.object.kind, "database");
    assert_eq!(inserts.advice[0].why.id, "advice-row-locks-insert");
    assert_eq!(made("UPDATE waiting", 0.3).find("row_locks"), None);
    assert_eq!(made("UPDATE", 6.0).find("row_locks"), None);
}

#[test]
fn threads_of_any_runtime_that_wait_for_a_name_server_are_told() {
    let made = |function: &str| {
        let frame = |function: &str, library: Option<&str>| json!({"function": function, "file": "/srv/shop.py", "line": 3, "library": library, "kind": "native"});
        let told = json!({
            "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
            "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0, "looks": 50, "lost": 0,
            "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
            "frames": [frame(function, Some("libc.so.6")), frame("ask", None)],
            "stacks": [{"state": "poll", "thread": "shop", "count": 400, "calls": [0, 1]}],
        });
        let process = thing(EntityKind::Process, FRONT);
        calls(&[], 0.0, Value::Null).capture(&process, "stacks", "steady", &told.to_string())
    };
    let found = made("getaddrinfo").find("slow_dependency").unwrap();
    assert_eq!(
        (found.object.name.as_str(), found.layer),
        ("DNS", Layer::Cause)
    );
    assert!((found.explains.share - 0.8).abs() < 0.02, "{found:?}");
    assert_eq!(made("poll").find("slow_dependency"), None);
}

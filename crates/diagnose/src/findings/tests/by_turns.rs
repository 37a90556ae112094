//! What waits for its turn: calls one after the other, the clock, a lock whose holder waits for the disk.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::principles::{BACK, FRONT, calls, hop, level};
use crate::account::PartKind;
use crate::model::{Finding, Layer};
use crate::testing::{Chance, Made, SECONDS, thing};

/// A page that asks three services for each request, whose calls last so long, ms; `beyond`: more calls than
/// requests at some moments, so many on average.
fn page(ms: [f64; 3], beyond: f64) -> Made {
    let called = ["price[8001]", "stock[8002]", "text[8003]"];
    let hops = called.iter().zip(ms).zip(8001..);
    let hops: Vec<Value> = hops
        .map(|((server, ms), port)| {
            hop(
                FRONT,
                server,
                &format!("127.0.0.1:{port}"),
                100.0,
                ms / 10.0,
            )
        })
        .collect();
    let all: f64 = ms.iter().sum::<f64>() / 10.0;
    calls(&hops, all.min(9.9) - beyond, Value::Null)
}

#[test]
fn calls_one_after_the_other_are_named_with_the_longest_first() {
    let finding = page([40.0, 25.0, 30.0], 0.0)
        .find("calls_in_series")
        .unwrap();
    assert_eq!(
        (finding.object.name.as_str(), finding.layer),
        (FRONT, Layer::Cause)
    );
    assert!(finding.healthy && page([40.0, 25.0, 30.0], 0.0).diagnose().is_pause());
    // 95 ms become 40.
    assert!((finding.explains.share - 0.55).abs() < 0.02, "{finding:?}");
    let told = format!("{finding:?}");
    assert!(
        told.contains("price[8001]: 40 ms (1×), text[8003]: 30 ms (1×), stock[8002]: 25 ms"),
        "{told}"
    );
}

#[test]
fn calls_that_overlap_and_one_slow_system_are_none_in_series() {
    let found = |ms, beyond| page(ms, beyond).find("calls_in_series");
    // At the same time: more calls than requests. The page's own work. One that is slow beside quick ones.
    assert_eq!(found([95.0, 90.0, 90.0], 0.0), None);
    assert_eq!(found([40.0, 25.0, 30.0], 1.0), None);
    assert_eq!(found([20.0, 15.0, 20.0], 0.0), None);
    assert_eq!(found([85.0, 5.0, 6.0], 0.0), None);
}

/// The single server, and limits by the clock.
#[derive(Debug, Clone, Copy)]
enum Passes {
    /// One at a time, for a time that is drawn.
    Exponential,
    /// One at a time, for always the same time.
    Constant,
    /// A token each so often; so many are kept.
    Bucket(u64),
    /// Each so long after the one before it.
    Leaky,
}

/// Responses of each second, of users without pauses: when one comes, the next request is sent. In microseconds.
fn seconds(passes: Passes, per_s: i64, chance: &mut Chance) -> Vec<u64> {
    let gap = 1_000_000 / per_s;
    let mut counts = vec![0_u64; SECONDS as usize + 1];
    let (mut now, mut passed) = (0_i64, 0_i64);
    loop {
        // There is always one that waits.
        match passes {
            Passes::Exponential => {
                #[expect(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    reason = "microseconds"
                )]
                let drawn = {
                    let even = (chance.below(1_000_000) + 1) as f64 / 1e6;
                    (-even.ln() * gap as f64) as i64
                };
                now += drawn;
            }
            Passes::Constant | Passes::Leaky => now += gap,
            // Refilled so many at once.
            Passes::Bucket(kept) => {
                let kept = i64::try_from(kept).unwrap();
                now = passed / kept * kept * gap;
            }
        }
        passed += 1;
        let second = usize::try_from(now / 1_000_000).unwrap();
        match counts.get_mut(second) {
            Some(count) => *count += 1,
            None => return counts,
        }
    }
}

/// So many requests a second that wait at a process; it uses so many CPUs, and so many calls are under way. Who
/// finds nobody is let through at once.
fn queued(passes: Passes, per_s: i64, chance: &mut Chance, work: (f64, f64)) -> Made {
    queued_after(passes, per_s, chance, work, 0.2)
}

/// The same where who finds nobody takes that share of the time from one request to the next.
fn queued_after(
    passes: Passes,
    per_s: i64,
    chance: &mut Chance,
    (cpu, called): (f64, f64),
    alone: f64,
) -> Made {
    let rate = f64::from(i32::try_from(per_s).unwrap());
    let ms = 16.0 / rate * 1e3;
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [
            hop("plimsoll[7]", FRONT, "127.0.0.1:8000", rate, 15.9),
            hop(FRONT, BACK, "127.0.0.1:8001", rate, called),
        ],
        "processes": [{
            "process": FRONT, "requests_per_s": rate, "in_flight": level(15.9),
            "waiting_for_others": called, "inside": level(15.9 - called),
        }],
    });
    let counts = seconds(passes, per_s, chance);
    Made::load(rate, ms)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, cpu, 2.0)
        .process(BACK, 0.02, 2.0)
        .fastest(ms * 0.9)
        .completes(&counts, 1e3 / rate * alone)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        )
}

fn limited(made: &Made) -> Option<Finding> {
    made.find("rate_limit_delay")
}

#[test]
fn a_rate_limit_is_told_from_a_server_that_works_on_one_at_a_time() {
    let mut chance = Chance(19);
    for _ in 0..60 {
        let per_s = chance.below(400) + 10;
        let buckets = [1, 2, u64::try_from(per_s / 40).unwrap().max(1)];
        let bucket = buckets[usize::try_from(chance.below(3)).unwrap()];
        for passes in [Passes::Leaky, Passes::Bucket(bucket)] {
            let made = queued(passes, per_s, &mut chance, (0.03, 0.02));
            let finding = limited(&made).unwrap_or_else(|| panic!("{passes:?} {per_s}"));
            assert_eq!(finding.object.name, FRONT);
            let first = made.all().into_iter().next().unwrap();
            assert_eq!(first.id, "rate_limit_delay", "{passes:?} {per_s}");
        }
        // By chance; or as evenly, and the CPU or a call fills the time.
        for (passes, work) in [
            (Passes::Exponential, (0.03, 0.02)),
            (Passes::Exponential, (0.95, 0.02)),
            (Passes::Constant, (0.95, 0.02)),
            (Passes::Constant, (0.03, 0.95)),
        ] {
            // Few responses are even by chance.
            let made = queued(passes, per_s.max(40), &mut chance, work);
            assert_eq!(limited(&made), None, "{passes:?} {per_s} {work:?}");
        }
    }
}

#[test]
fn what_threads_do_one_at_a_time_is_no_rate_limit() {
    let mut chance = Chance(3);
    let mut made = |class: Value| {
        let threads = json!({"classes": [class]});
        let made = queued(Passes::Leaky, 90, &mut chance, (0.03, 0.02));
        made.capture(
            &thing(EntityKind::Process, FRONT),
            "thread_states",
            "steady",
            &threads.to_string(),
        )
    };
    let class = |state: &str, number: f64| json!({"name": "shop", "threads": 16, "running": 0.03, "futex": 15.0, state: number});
    // Who finds nobody takes as long as from one to the next: somebody is always there.
    let busy = queued_after(Passes::Constant, 90, &mut Chance(3), (0.03, 0.02), 1.0);
    assert_eq!(limited(&busy), None);
    for state in ["sleep", "fsync", "lock_file", "write"] {
        assert_eq!(limited(&made(class(state, 0.95))), None, "{state}");
    }
    assert!(limited(&made(class("poll", 0.95))).is_some());
}

#[test]
fn the_configuration_names_the_limit() {
    let mut chance = Chance(5);
    let proxy = thing(EntityKind::Proxy, "nginx");
    let made = |zone: &str, chance: &mut Chance| {
        let made = queued(Passes::Leaky, 110, chance, (0.03, 0.02));
        made.fact(&proxy, "nginx.http.limit_req_zone", zone)
    };
    let told = |made: &Made| format!("{:?}", limited(made).unwrap().evidence);
    // Another process than nginx is not limited by its zones.
    let zone = "$server_name zone=partners:1m rate=110r/s";
    assert!(!told(&made(zone, &mut chance)).contains("partners"));
}

/// Stacks of a program without lines: threads at a mutex, and one past it, seen so often.
fn entries(at_mutex: u64, in_sync: u64, call: &str) -> Made {
    let frame = |function: &str, library: Option<&str>| json!({"function": function, "library": library, "kind": "native"});
    let stack = |state: &str, count: u64, calls: &[usize]| json!({"state": state, "thread": "shop", "count": count, "calls": calls});
    let stacks = [
        stack("futex", at_mutex, &[0, 1, 2, 3]),
        stack("fsync", in_sync, &[4, 3]),
        stack("cpu", 20, &[4, 3]),
        stack("cpu", 200, &[5, 3]),
        stack("cpu", 250, &[3]),
        stack("futex", 600, &[0, 7, 6]),
    ];
    let seen = stacks.iter().filter(|stack| stack["count"] != 0);
    let told = json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 0, "looks": 50, "lost": 0,
        "whole": 0, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
        "frames": [
            frame("libc.so.6+0x86100", Some("libc.so.6")), frame(call, Some("libc.so.6")),
            frame("std::lock_guard<std::mutex>::lock_guard(std::mutex&)", None),
            frame("Journal::append(Line const&)", None), frame("fdatasync", Some("libc.so.6")),
            frame("asm_common_interrupt", Some("kernel")), frame("Pool::work()", None),
            frame("pthread_cond_wait", Some("libc.so.6")),
        ],
        "stacks": seen.collect::<Vec<_>>(),
    });
    let threads = json!({
        "classes": [{"name": "shop", "threads": 24, "running": 0.2, "futex": 20.0}],
        "files": [{"path": "/var/lib/shop/entries.log", "waits": 14}],
    });
    let process = thing(EntityKind::Process, FRONT);
    calls(&[], 0.0, Value::Null)
        .capture(&process, "stacks", "steady", &told.to_string())
        .capture(&process, "thread_states", "steady", &threads.to_string())
}

#[test]
fn a_lock_whose_holder_waits_for_the_disk_is_named_without_lines_of_the_code() {
    let finding = entries(300, 12, "__pthread_mutex_lock")
        .find("blocked_place")
        .unwrap();
    assert_eq!(finding.object.name, "Journal::append(Line const&)");
    assert_eq!(finding.layer, Layer::Cause);
    let told = format!("{finding:?}");
    assert!(
        told.contains("fdatasync") && told.contains("/var/lib/shop/entries.log (14)"),
        "{told}"
    );
    // What the holder does was not seen: still a lock that threads wait for.
    let unseen = entries(300, 0, "__pthread_mutex_lock")
        .find("blocked_place")
        .unwrap();
    assert!(!format!("{unseen:?}").contains("fdatasync"));
    // No lock: those who wait for work, and those who wait too seldom.
    assert_eq!(
        entries(300, 0, "pthread_cond_wait").find("blocked_place"),
        None
    );
    assert_eq!(
        entries(60, 12, "__pthread_mutex_lock").find("blocked_place"),
        None
    );
}

/// A shop whose requests wait at a store until a worker puts the result there, which has work on so many of
/// its connections.
fn jobs(takers: f64, at_work: f64, by: &str) -> Made {
    let mut waits = hop(FRONT, "redis-server[6379]", "127.0.0.1:6379", 200.0, 9.8);
    waits["waits"] = json!({
        "connections": 10, "requests": 300, "in_flight": 9.7,
        "released_by": [{"process": by, "requests": 300, "in_flight": 9.7}],
    });
    let mut takes = hop(
        "worker",
        "redis-server[6379]",
        "127.0.0.1:6379",
        300.0,
        takers - at_work + 0.1,
    );
    takes["waits"] = json!({
        "connections": takers, "requests": 300, "in_flight": takers - at_work,
        "released_by": [{"process": FRONT, "requests": 300, "in_flight": takers - at_work}],
    });
    let made = calls(&[waits, takes], 9.8, Value::Null);
    made.process("redis-server[6379]", 0.1, 2.0)
}

#[test]
fn who_waits_in_a_queue_waits_for_the_worker_and_not_for_the_store() {
    let made = jobs(1.0, 0.95, "worker");
    let first = made.all().into_iter().next().unwrap();
    assert_eq!(
        (first.id, first.object.name.as_str()),
        ("queue_workers", "worker")
    );
    let account = made.diagnose().account.unwrap();
    let at = |process: &str| account.share(|part| part.process == process || part.peer == process);
    assert!(at("worker") > 0.9, "{account:?}");
    assert!(at("redis-server[6379]") < 0.05, "{account:?}");
    let untold = account.share(|part| part.kind == PartKind::Unaccounted);
    assert!(untold < 0.05, "{account:?}");
    let sum: f64 = account.parts.iter().map(|part| part.ms).sum();
    assert!(
        (sum / account.response_ms - 1.0).abs() < 1e-3,
        "{account:?}"
    );
    // Workers with room are no limit, nor who lets its own requests go on.
    assert_eq!(jobs(8.0, 3.0, "worker").find("queue_workers"), None);
    assert_eq!(jobs(1.0, 0.95, FRONT).find("queue_workers"), None);
}

/// Transactions of a shop, so many of whose first writes are under way; one at a time has the row, while the
/// shop asks somebody. The database uses so many CPUs.
fn transactions(waiting: f64, held: f64, cpu: f64) -> Made {
    let database = "mariadbd[3306]";
    let mut sql = hop(FRONT, database, "127.0.0.1:3306", 300.0, waiting + 0.1);
    sql["transactions"] = json!({
        "transactions": 300, "waiting": waiting, "held": held, "held_outside": held * 0.9, "table": "stock",
    });
    let asks = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 0.9);
    let made = calls(&[sql, asks], (waiting + 1.0).min(9.8), Value::Null);
    made.process(database, cpu, 8.0)
}

#[test]
fn transactions_that_wait_for_a_row_are_told_with_whom_its_holder_asks() {
    let made = transactions(8.5, 0.97, 0.1);
    let first = made.all().into_iter().next().unwrap();
    assert_eq!(
        (first.id, first.object.name.as_str()),
        ("held_row_locks", "stock")
    );
    let told = format!("{first:?}");
    assert!(
        told.contains(BACK) && told.contains("mariadbd[3306]"),
        "{told}"
    );
    // Writes that the database works on; too few that wait; nobody who has a lock.
    for other in [
        transactions(8.5, 0.97, 7.0),
        transactions(1.0, 0.97, 0.1),
        transactions(8.5, 0.1, 0.1),
    ] {
        assert_eq!(other.find("held_row_locks"), None);
    }
}

#[test]
fn where_all_is_accounted_for_it_is_the_cause_that_is_not_known() {
    let threads =
        json!({"classes": [{"name": "shop", "threads": 10, "running": 0.2, "poll": 9.8}]});
    let made = calls(&[], 0.0, Value::Null).capture(
        &thing(EntityKind::Process, FRONT),
        "thread_states",
        "steady",
        &threads.to_string(),
    );
    let diagnosis = made.diagnose();
    assert_eq!(diagnosis.outcome, crate::DiagnosisOutcome::Insufficient);
    let missing: Vec<_> = diagnosis.missing.iter().map(|one| &*one.id).collect();
    assert!(missing.contains(&"diagnosis-missing-cause"), "{missing:?}");
}

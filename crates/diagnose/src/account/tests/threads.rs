//! Threads that serve nobody, calls that are seen twice, and processes that are not on the way.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::{adds_up, level, ms};
use crate::account::{Account, PartKind, Shown};
use crate::testing::{Made, thing};

const OWN: &str = "shop[8000]";
const OTHER: &str = "store[5432]";
/// What a request in flight is of the response time, ms: 80 requests a second.
const UNIT_MS: f64 = 12.5;

fn hop(client: &str, server: &str, address: &str, number: f64) -> Value {
    json!({
        "client": {"process": client, "address": "127.0.0.1", "is_generator": client == "plimsoll[7]"},
        "server": {"process": server, "address": address},
        "decided": true, "requests_per_s": 80.0, "in_flight": level(number),
    })
}

/// So many requests in a process, of which some wait for calls as packets show it, with what its threads do.
fn served(number: f64, calls: &[Value], waiting: f64, class: &Value) -> Made {
    let mut hops = vec![hop("plimsoll[7]", OWN, "127.0.0.1:8000", number)];
    hops.extend(calls.iter().cloned());
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0, "hops": hops,
        "processes": [{
            "process": OWN, "requests_per_s": 80.0, "in_flight": level(number),
            "waiting_for_others": waiting, "calls_undecided": calls.iter().any(|call| call["decided"] == false),
        }],
    });
    let threads = json!({"lasts_ms": 3000.0, "classes": [class]});
    Made::load(80.0, number * UNIT_MS)
        .at("http://127.0.0.1:8000/")
        .process(OWN, 0.1, 4.0)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        )
        .capture(
            &thing(EntityKind::Process, OWN),
            "thread_states",
            "steady",
            &threads.to_string(),
        )
}

fn account(made: &Made) -> Account {
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    account
}

/// How many requests a thread of that state has, by the account.
fn asleep(account: &Account) -> f64 {
    account.share(|part| part.state == "sleep") * account.response_ms / UNIT_MS
}

fn waited_for(account: &Account, peer: &str) -> f64 {
    account.share(|part| part.peer == peer) * account.response_ms / UNIT_MS
}

#[test]
fn threads_that_serve_nobody_have_no_requests() {
    for requests in [4.0, 6.0, 12.0] {
        for others in [1.0, 4.0, 6.0] {
            // At a lock all requests, and beside them threads that pause, or wait for jobs, all the time.
            let sleeps = json!({
                "name": "python3", "threads": requests + others + 1.0, "running": 0.1, "poll": 1.0,
                "futex": requests - 0.1, "sleep": others, "still": {"sleep": others, "poll": 1.0},
            });
            let seen = account(&served(requests, &[], 0.0, &sleeps));
            assert!(asleep(&seen) < 0.2, "{requests} {others}: {seen:?}");
            let reads = json!({
                "name": "python3", "threads": requests + others, "running": 0.1, "futex": requests - 0.1,
                "read": [{"peer": "10.0.0.9:5672", "number": others, "still": others}], "still": {},
            });
            let seen = account(&served(requests, &[], 0.0, &reads));
            let read = waited_for(&seen, "10.0.0.9:5672");
            assert!(read < 0.2, "{requests} {others}: {seen:?}");
        }
    }
}

#[test]
fn threads_that_have_requests_are_not_left_out() {
    for requests in [4.0, 8.0, 16.0] {
        let pauses = |threads: f64, still: f64| {
            json!({
                "name": "python3", "threads": threads, "running": 0.1, "poll": 1.0, "sleep": requests - 0.1,
                "futex": threads - requests - 1.0, "still": {"sleep": still},
            })
        };
        for (threads, still) in [
            // Nobody else can have them; some were seen to come and go; nobody looked whether they were still.
            (requests + 1.0, requests - 0.1),
            (requests + 9.0, 0.8 * requests),
            (requests + 9.0, 0.0),
        ] {
            let seen = account(&served(requests, &[], 0.0, &pauses(threads, still)));
            let told = asleep(&seen);
            assert!((told - requests).abs() < 0.2, "{threads} {still}: {seen:?}");
        }
    }
}

#[test]
fn requests_that_take_as_long_as_the_look_may_be_still() {
    let threads = json!({"lasts_ms": 3000.0, "classes": [{
        "name": "shop", "threads": 30.0, "futex": 20.0, "sleep": 10.0, "still": {"sleep": 10.0},
    }]});
    for (response_ms, asleep) in [
        (20.0, 0.0),
        (1_400.0, 0.0),
        (1_600.0, 10.0),
        (60_000.0, 10.0),
    ] {
        let process = thing(EntityKind::Process, OWN);
        let made = Made::load(1e4 / response_ms, response_ms);
        let made = made.capture(&process, "thread_states", "steady", &threads.to_string());
        let states = crate::account::thread_states(&made.scene(), &process).unwrap();
        let told = states.classes[0].sleep;
        assert!((told - asleep).abs() < 1e-6, "{response_ms}: {told}");
    }
}

#[test]
fn a_thread_that_does_nothing_but_sleep_is_no_full_place() {
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [hop("plimsoll[7]", OWN, "127.0.0.1:8000", 8.0)],
        "processes": [{"process": OWN, "requests_per_s": 80.0, "in_flight": level(8.0)}],
    });
    let threads = json!({"lasts_ms": 3000.0, "classes": [
        {"name": "worker", "threads": 16.0, "running": 0.0004, "futex": 15.9996, "still": {}},
        {"name": "ticker", "threads": 1.0, "running": 0.0002, "sleep": 0.9998, "still": {"sleep": 0.9998}},
    ]});
    let made = Made::load(80.0, 8.0 * UNIT_MS).at("http://127.0.0.1:8000/");
    let made = made.process(OWN, 0.001, 4.0);
    let made = made.capture(
        &thing(EntityKind::Host, ""),
        "wire",
        "steady",
        &wire.to_string(),
    );
    let process = thing(EntityKind::Process, OWN);
    let made = made.capture(&process, "thread_states", "steady", &threads.to_string());
    assert_eq!(account(&made).plateaus, []);
}

#[test]
fn calls_that_are_not_told_apart_are_no_more_than_who_waits_for_them_or_works_on_them() {
    for (reads, works) in [(4.0, 4.0), (6.0, 2.0), (2.0, 5.0), (0.0, 3.0)] {
        let mut call = hop(OWN, OTHER, "127.0.0.1:5432", 0.0);
        call["decided"] = json!(false);
        call["bytes_sent"] = json!(9_000);
        let class = json!({
            "name": "shop", "threads": 12.0, "running": 0.1, "futex": 11.9 - reads,
            "read": [{"peer": "127.0.0.1:5432", "process": OTHER, "number": reads}],
        });
        let there = json!({"classes": [{"name": "store", "threads": 9.0, "running": works, "poll": 9.0 - works}]});
        let made = served(10.0, &[call], 0.0, &class).process(OTHER, works, 8.0);
        let other = thing(EntityKind::Process, OTHER);
        let made = made.capture(&other, "thread_states", "steady", &there.to_string());
        let seen = account(&made);
        let told = seen.share(|part| part.process == OTHER || part.peer == OTHER);
        let number = told * seen.response_ms / UNIT_MS;
        assert!(
            (number - f64::max(reads, works)).abs() < 0.2,
            "{reads} {works}: {seen:?}"
        );
    }
}

#[test]
fn a_call_whose_address_is_another_to_the_thread_is_the_same_call() {
    for address in ["127.0.0.1:15432", "10.96.0.7:5432", "", "172.17.0.2:5432"] {
        for (reads, beyond) in [(6.0, 0.0), (5.0, 0.0), (8.0, 2.0)] {
            let call = hop(OWN, "", "172.17.0.2:5432", 6.0);
            let class = json!({
                "name": "shop", "threads": 12.0, "running": 0.1, "futex": 11.9 - reads,
                "read": [{"peer": address, "number": reads}],
            });
            let seen = account(&served(10.0, &[call], 6.0, &class));
            // At the address itself all of them are those that packets tell of.
            let beyond = if address == "172.17.0.2:5432" {
                0.0
            } else {
                beyond
            };
            let waits = seen.share(|part| part.kind == PartKind::WaitingFor);
            let number = waits * seen.response_ms / UNIT_MS;
            assert!(
                (number - 6.0 - beyond).abs() < 0.1,
                "{address} {reads}: {seen:?}"
            );
        }
    }
}

#[test]
fn what_two_call_waits_for_its_own_calls_once() {
    let (left, right, both, end) = ("left[8001]", "right[8002]", "both[8003]", "end[8004]");
    let mut hops = vec![
        hop("plimsoll[7]", OWN, "127.0.0.1:8000", 10.0),
        hop(OWN, left, "127.0.0.1:8001", 5.0),
        hop(OWN, right, "127.0.0.1:8002", 5.0),
        hop(left, both, "127.0.0.1:8003", 5.0),
        hop(right, both, "127.0.0.1:8003", 5.0),
        hop(both, end, "127.0.0.1:8004", 4.0),
    ];
    for (hop, decided) in hops.iter_mut().zip([true, true, true, false, false, true]) {
        hop["decided"] = json!(decided);
        hop["bytes_sent"] = json!(3_000);
    }
    let serves = |process: &str, number: f64, waiting: f64| json!({"process": process, "requests_per_s": 80.0, "in_flight": level(number), "waiting_for_others": waiting});
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0, "hops": hops,
        "processes": [serves(OWN, 10.0, 10.0), serves(left, 5.0, 0.0), serves(right, 5.0, 0.0)],
    });
    let works =
        json!({"classes": [{"name": "both", "threads": 20.0, "running": 9.0, "poll": 11.0}]});
    let mut made = Made::load(80.0, 10.0 * UNIT_MS).at("http://127.0.0.1:8000/");
    for process in [OWN, left, right, both, end] {
        made = made.process(process, 0.01, 4.0);
    }
    let made = made
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        )
        .capture(
            &thing(EntityKind::Process, both),
            "thread_states",
            "steady",
            &works.to_string(),
        );
    let seen = account(&made);
    let at_end = seen.share(|part| part.process == end || part.peer == end) * seen.response_ms;
    assert!((at_end - 4.0 * UNIT_MS).abs() < 1.0, "{seen:?}");
}

#[test]
fn dumps_say_what_threads_do_where_the_kernel_does_not() {
    let jvm = "java[8080]";
    let sleeps = ["java.lang.Thread.sleep", "shop.Page.show"];
    let made = || {
        let made = Made::load(100.0, 200.0).at("http://127.0.0.1:8080/");
        made.process(jvm, 0.2, 2.0).threads(&[(20, &sleeps)])
    };
    let states = json!({"denied": ["syscall"], "classes": [{"name": "java", "threads": 30.0, "running": 0.2, "other": 29.8}]});
    let denied = made().capture(
        &thing(EntityKind::Process, jvm),
        "thread_states",
        "steady",
        &states.to_string(),
    );
    for made in [made(), denied] {
        let seen = account(&made);
        let asleep = seen.share(|part| part.state == "sleep");
        assert!(asleep > 0.9, "{seen:?}");
        assert_eq!(made.diagnose().outcome, crate::DiagnosisOutcome::Healthy);
    }
}

/// Five requests at a lock that nobody sees into, beside a process that uses so many CPUs, with so many connections to it.
fn beside(cpus: f64, connections: f64) -> Made {
    let host = thing(EntityKind::Host, "");
    let open = [
        ("client.address", "127.0.0.1"),
        ("network.connection.state", "established"),
        ("server.port", "5432"),
    ];
    Made::load(50.0, 100.0)
        .at("http://127.0.0.1:8000/")
        .process(OWN, 0.1, 16.0)
        .process(OTHER, cpus, 16.0)
        .gauge(
            &host,
            "system.network.peer.connection.count",
            &open,
            connections,
        )
}

#[test]
fn a_process_that_nobody_calls_has_none_of_the_requests() {
    for cpus in [0.5, 3.0, 5.0, 12.0] {
        for connections in [0.0, 4.0] {
            let diagnosis = beside(cpus, connections).diagnose();
            let seen = diagnosis.account.unwrap();
            adds_up(&seen);
            let there = ms(&seen, PartKind::Running, OTHER) / 20.0;
            let truth = if connections > 0.0 {
                cpus.min(4.9)
            } else {
                0.0
            };
            assert!(
                (there - truth).abs() < 0.1,
                "{cpus} {connections}: {seen:?}"
            );
            let is_shown = diagnosis.outcome == crate::DiagnosisOutcome::Nothing;
            assert!(
                !is_shown || connections > 0.0,
                "{cpus}: {:?}",
                diagnosis.outcome
            );
        }
    }
}

#[test]
fn calls_that_wait_for_work_are_no_full_place() {
    for takers in [1.0, 4.0, 9.0] {
        for works in [0.0, 4.0] {
            // It takes jobs on so many connections, none of which has any, beside calls that are never more.
            let mut call = hop(OWN, "redis-server[6379]", "127.0.0.1:6379", takers + works);
            call["waits"] = json!({"connections": takers, "requests": 0, "in_flight": takers});
            let class = json!({"name": "shop", "threads": 40.0, "running": 0.1, "futex": 39.9});
            let seen = account(&served(20.0, &[call], works, &class));
            let full: Vec<f64> = seen.plateaus.iter().map(|place| place.number).collect();
            let wanted: &[f64] = if works > 0.0 { &[4.0] } else { &[] };
            assert_eq!(full, wanted, "{takers} {works}: {seen:?}");
        }
    }
}

#[test]
fn a_full_place_limits_though_throughput_rose_until_now() {
    for places in [2.0, 4.0, 8.0] {
        let call = hop(OWN, "redis-server[6379]", "127.0.0.1:6379", places);
        let class = json!({"name": "shop", "threads": 40.0, "running": 0.1, "futex": 39.9});
        let made = served(20.0, &[call], places, &class);
        let made = made.steps(&[(20.0, 20.0), (40.0, 40.0), (80.0, 80.0)]);
        let scene = made.scene();
        assert!(crate::plateau::rises(&scene), "{places}");
        let shown = crate::account::shown(&scene, &[]);
        assert!(matches!(shown, Shown::Unknown(_)), "{places}: {shown:?}");
    }
}

#[test]
fn workers_of_which_each_is_idle_for_a_while_are_not_all_taken() {
    for (workers, leads) in [(4.0, true), (4.0, false), (8.0, true), (8.0, false)] {
        let still = if leads {
            json!({"poll": 1.0})
        } else {
            json!({})
        };
        let class = json!({
            "name": "worker", "threads": workers, "running": workers - 1.0, "poll": 1.0, "still": still,
        });
        let made = served(3.0 * workers, &[], 0.0, &class);
        let process = thing(EntityKind::Process, OWN);
        let made = made.gauge(&process, "process.worker.count", &[], workers);
        let seen = account(&made);
        let full: Vec<f64> = seen.plateaus.iter().map(|place| place.number).collect();
        let wanted: &[f64] = if leads { &[workers - 1.0] } else { &[] };
        assert_eq!(full, wanted, "{workers} {leads}: {seen:?}");
    }
}

/// A process that uses all CPUs that it may, with 20 requests of so many kinds.
fn full_of(kinds: &[(&str, f64, f64)], fails: bool, alone_ms: Option<f64>) -> Account {
    let mut seen = json!({"process": OWN, "requests_per_s": 80.0, "in_flight": level(20.0)});
    if let Some(alone_ms) = alone_ms {
        seen["times_by_number"] = json!([
            {"in_flight": 1, "requests": 5, "mean_ms": alone_ms},
            {"in_flight": 20, "requests": 200, "mean_ms": 250.0},
        ]);
    }
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [hop("plimsoll[7]", OWN, "127.0.0.1:8000", 20.0)], "processes": [seen],
    });
    let mut made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .fastest(5.0);
    for (name, share, ms) in kinds {
        made = made.label(name, *share, *ms);
    }
    if fails {
        made = made.fails_in(&(0..20).collect::<Vec<u32>>(), 3);
    }
    let made = made.process(OWN, 2.0, 2.0);
    account(&made.capture(
        &thing(EntityKind::Host, ""),
        "wire",
        "steady",
        &wire.to_string(),
    ))
}

#[test]
fn how_long_a_request_takes_alone_is_not_what_another_kind_takes_or_a_failure() {
    let (one, two) = (
        [("/report", 1.0, 250.0)],
        [("/ping", 0.5, 5.0), ("/report", 0.5, 495.0)],
    );
    let queued = |account: &Account| ms(account, PartKind::CpuWait, OWN);
    assert!((queued(&full_of(&one, false, None)) - 220.0).abs() < 6.0);
    for (kinds, fails) in [(&two[..], false), (&one[..], true), (&two[..], true)] {
        let seen = full_of(kinds, fails, None);
        assert_eq!(queued(&seen), 0.0, "{kinds:?} {fails}: {seen:?}");
        for alone_ms in [50.0, 100.0, 249.0] {
            let seen = full_of(kinds, fails, Some(alone_ms));
            let truth = (250.0 - alone_ms).min(225.0);
            assert!(
                (queued(&seen) - truth).abs() < 6.0,
                "{kinds:?} {alone_ms}: {seen:?}"
            );
        }
    }
}

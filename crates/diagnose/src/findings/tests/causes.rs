//! Causes that packets show by counting: lookups of names, calls, connections and commits for each request; and
//! CPUs that others are on.

use plimsoll_stats::series::EntityKind;
use serde_json::{Value, json};

use super::principles::{BACK, FRONT, calls, calls_using, hop};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

fn first(made: &Made) -> Finding {
    let mut all = made.all();
    assert!(!all.is_empty());
    all.remove(0)
}

/// 100 requests a second of 100 ms; lookups a second, how many are under way, and of what.
fn looks_up(per_s: f64, in_flight: f64, lookups: &Value) -> Made {
    let mut names = hop(FRONT, "", "127.0.0.1:5354", per_s, in_flight);
    names["protocol"] = json!("dns");
    names["lookups"] = lookups.clone();
    calls(&[names], in_flight, Value::Null)
}

#[test]
fn names_that_are_looked_up_for_each_request_are_told_with_who_is_asked() {
    let known = json!([{"name": "offers.shop", "record": "A", "outcome": "NOERROR", "count": 300, "mean_ms": 80.0}]);
    let made = looks_up(100.0, 8.0, &known);
    let found = first(&made);
    assert_eq!((found.id, found.layer), ("name_lookups", Layer::Cause));
    assert_eq!(found.object.name, format!("{FRONT} → 127.0.0.1:5354"));
    assert!(
        (found.explains.share - 0.8).abs() < 0.05,
        "{:?}",
        found.explains
    );
    assert!(format!("{found:?}").contains("offers.shop"));
    // A cache that renews itself, and lookups that take next to no time.
    assert!(looks_up(2.0, 0.2, &known).find("name_lookups").is_none());
    assert!(looks_up(100.0, 0.1, &known).find("name_lookups").is_none());
}

#[test]
fn requests_that_share_a_lookup_wait_for_it_all_the_same() {
    let known = json!([{"name": "offers.shop", "record": "A", "outcome": "NOERROR", "count": 60, "mean_ms": 36.0}]);
    let shared = |per_s: f64, busy: f64| {
        let mut names = hop(FRONT, "", "127.0.0.1:5354", per_s, busy);
        names["protocol"] = json!("dns");
        names["lookups"] = known.clone();
        names["in_flight"] =
            json!({"mean": busy, "max": 1, "shares": [[1, busy], [0, 1.0 - busy]]});
        calls(&[names], busy, Value::Null)
    };
    let made = shared(8.0, 0.8);
    let found = first(&made);
    assert_eq!((found.id, found.layer), ("name_lookups", Layer::Cause));
    assert!(format!("{:?}", found.args).contains("shared"));
    assert!(found.explains.share > 0.4, "{:?}", found.explains);
    // Now and then; and rarely.
    assert!(shared(8.0, 0.1).find("name_lookups").is_none());
    assert!(shared(0.5, 0.8).find("name_lookups").is_none());
}

#[test]
fn names_that_there_are_not_and_lookups_without_a_response_have_advice_of_their_own() {
    let how = |lookups: Value| {
        let found = looks_up(300.0, 6.0, &lookups).find("name_lookups").unwrap();
        format!("{:?}", found.advice)
    };
    let one = |outcome: Option<&str>, count: u32| json!({"name": "a.b", "record": "A", "outcome": outcome, "count": count, "mean_ms": outcome.map(|_| 1.0)});
    assert!(
        how(json!([
            one(Some("NOERROR"), 300),
            one(Some("NXDOMAIN"), 600)
        ]))
        .contains("searched")
    );
    assert!(how(json!([one(Some("NOERROR"), 800), one(None, 100)])).contains("lost"));
    assert!(how(json!([one(Some("NOERROR"), 900)])).contains("slow"));
}

/// So many calls for each of 100 requests a second, half of which take no more than that.
fn many(protocol: &str, each: f64, median_ms: f64, in_flight: f64) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:3306", each * 100.0, in_flight);
    back["protocol"] = json!(protocol);
    back["response_ms"]["p50"] = json!(median_ms);
    calls(&[back], in_flight, Value::Null)
}

#[test]
fn many_calls_for_each_request_are_told_of_any_protocol() {
    for protocol in ["mysql", "postgres", "redis", "http1", "unknown"] {
        let made = many(protocol, 61.0, 0.9, 6.0);
        let found = first(&made);
        assert_eq!(
            (found.id, found.layer),
            ("many_calls", Layer::Cause),
            "{protocol}"
        );
        assert!(
            format!("{:?}", found.args).contains("61"),
            "{:?}",
            found.args
        );
    }
    assert!(
        many("mysql", 8.0, 6.0, 6.0).find("many_calls").is_none(),
        "few"
    );
    // One slow call among many quick ones: their number is not what takes long.
    assert!(many("mysql", 30.0, 0.1, 6.0).find("many_calls").is_none());
}

#[test]
fn what_serves_others_beside_the_target_says_nothing_of_its_requests() {
    // Another workbench on the host: a browser asks it for a page now and then, and it loads a service.
    let beside = |asked_by: &str| {
        let mut asked = hop(asked_by, "bench[31089]", "127.0.0.1:31089", 1.0, 1.0);
        asked["client"]["is_generator"] = json!(false);
        let mut loads = hop("bench[31089]", "java[31011]", "127.0.0.1:31011", 80.0, 8.0);
        loads["response_ms"]["p50"] = json!(90.0);
        let own = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 2.0);
        calls(&[asked, loads, own], 2.0, Value::Null)
    };
    let served = |made: Made| {
        let with = |text: &str| {
            made.all()
                .iter()
                .any(|one| format!("{one:?}").contains(text))
        };
        with("bench[31089]") || with("java[31011]")
    };
    assert!(!served(beside("chromium[9]")));
    // Who is on the way is not left out.
    let all = |made: Made| {
        let calls = crate::account::calls_by_kind(&made.scene());
        calls
            .iter()
            .filter(|one| one.process == "bench[31089]" || one.server == "java[31011]")
            .count()
    };
    assert_eq!(all(beside(FRONT)), 1);
    assert_eq!(all(beside("chromium[9]")), 0);
}

#[test]
fn where_the_cpu_is_full_many_quick_calls_are_what_takes_it() {
    let host = thing(EntityKind::Host, "");
    let on_host = |used: [f64; 2], busy: f64| {
        let mut back = hop(FRONT, BACK, "127.0.0.1:5432", 15_000.0, 3.0);
        back["response_ms"]["p50"] = json!(0.1);
        let modes = [("user", busy), ("idle", 1.0 - busy)];
        let made = calls_using(&[back], 3.0, Value::Null, used);
        modes.iter().fold(made, |made, (mode, share)| {
            made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], 8.0 * share)
        })
    };
    let made = |used: f64, busy: f64| on_host([1.0, used], busy).find("many_calls");
    let found = made(1.6, 0.97).unwrap();
    assert!(format!("{:?}", found.evidence).contains("exhibit-many-calls-cpu"));
    // What the caller's library computes for the calls counts, too, and then is not told apart.
    let client = |library: &str| {
        let frame = |function: &str, library: Option<&str>| json!({"function": function, "file": "/srv/shop.py", "line": 1, "library": library, "kind": "interpreted"});
        let told = json!({
            "schema": "plimsoll.stacks/1", "from_unix_ns": 1, "lasted_s": 3.0, "pid": 7, "processes": 1,
            "runtime": "Python 3.11", "cpus": 2, "samples_per_cpu_and_second": 97, "samples": 120, "looks": 0,
            "lost": 0, "whole": 120, "unnamed_places": 0, "cost_s": 0.01, "others": 0,
            "frames": [frame("do_execute", Some(library)), frame("orders", None)],
            "stacks": [{"state": "cpu", "thread": "shop", "count": 120, "calls": [0, 1]}],
        });
        let made = on_host([1.9, 0.1], 0.97);
        made.capture(
            &thing(EntityKind::Process, FRONT),
            "stacks",
            "steady",
            &told.to_string(),
        )
    };
    let by_library = client("sqlalchemy");
    assert_eq!(first(&by_library).id, "many_calls");
    assert!(by_library.find("hot_code").is_none());
    let other = client("numpy");
    assert!(other.find("many_calls").is_none() && other.find("hot_code").is_some());
    // A CPU that has room, and a server that takes next to nothing of a full one.
    assert!(made(1.6, 0.5).is_none());
    assert!(made(0.1, 0.97).is_none());
}

/// 200 calls a second, in so many of which a piece was held back for 40 ms, in requests or in responses.
fn held(what: &str, per_s: f64) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:9000", 200.0, 8.0);
    back[what] = json!({"pieces": per_s * 3.0, "mean_ms": 40.0});
    calls(&[back], 8.0, Value::Null)
}

#[test]
fn pieces_that_wait_for_an_acknowledgement_are_told_with_who_sends_them() {
    for (what, sender) in [("requests_held", FRONT), ("responses_held", BACK)] {
        let found = first(&held(what, 200.0));
        assert_eq!((found.id, found.layer), ("held_pieces", Layer::Cause));
        let mut args = found.args.iter();
        let told = args
            .find(|(name, _)| *name == "sender")
            .map(|(_, told)| told);
        assert_eq!(told, Some(&sender.into()));
        // 200 a second for 40 ms each are 8 of the 10 requests in flight, and 1.7 wait before 8 calls.
        assert!((found.explains.share - 0.97).abs() < 0.01, "{found:?}");
        assert_eq!(found.evidence[1].text.id, "account-full-hop");
    }
    assert!(held("requests_held", 10.0).find("held_pieces").is_none());
    // Calls that mostly wait for something else are no queue before the pieces.
    let some = held("requests_held", 60.0).find("held_pieces").unwrap();
    assert!((some.explains.share - 0.24).abs() < 0.01, "{some:?}");
}

#[test]
fn as_many_calls_as_there_are_threads_are_limited_by_the_threads() {
    let made = |threads: f64| {
        let states = json!({"classes": [
            {"name": "worker", "threads": threads, "running": 0.4,
                "read": [{"peer": "127.0.0.1:9000", "process": BACK, "number": threads - 0.4}]},
        ]});
        let hops = [hop(FRONT, BACK, "127.0.0.1:9000", 200.0, 8.0)];
        let process = thing(EntityKind::Process, FRONT);
        let made = calls(&hops, 8.0, Value::Null);
        first(&made.capture(&process, "thread_states", "steady", &states.to_string()))
    };
    let place = |found: Finding| {
        assert_eq!(found.id, "concurrency_limit");
        found.evidence[0].text.id.clone()
    };
    assert_eq!(place(made(8.0)), "account-full-threads");
    assert_eq!(place(made(9.0)), "account-full-hop");
}

#[test]
fn a_worker_that_sleeps_blocks_no_event_loop() {
    let states = |call: &str| {
        json!({
            "classes": [{"name": "loop", "threads": 1, "running": 0.02, call: 0.98}],
            "event_loops": [{"thread": "loop", "running": 0.02, "runnable": 0.0, "polling": 0.0,
                "blocked": 0.98, "blocked_in": call}],
        })
    };
    let made = |call: &str| {
        let process = thing(EntityKind::Process, FRONT);
        let made = calls(&[], 0.0, Value::Null);
        let found = first(&made.capture(
            &process,
            "thread_states",
            "steady",
            &states(call).to_string(),
        ));
        assert_eq!(found.id, "event_loop_blocked");
        format!("{:?}", found.args)
    };
    assert!(made("sleep").contains("asleep"));
    assert!(made("child").contains("blocked"));
}

#[test]
fn a_loop_that_one_look_told_of_is_one_in_the_next() {
    let look = |loops: Value| {
        let class =
            json!({"name": "node", "threads": 7, "running": 0.05, "futex": 5.95, "poll": 1.0});
        json!({"classes": [class], "event_loops": loops}).to_string()
    };
    let told = json!([{"thread": "node", "running": 0.05, "blocked": 0.94, "blocked_in": "futex"}]);
    let process = thing(EntityKind::Process, FRONT);
    let made = |first: Value| {
        calls(&[], 0.0, Value::Null)
            .capture(&process, "thread_states", "steady", &look(first))
            .capture(&process, "thread_states", "steady", &look(json!([])))
    };
    assert_eq!(first(&made(told)).id, "event_loop_blocked");
    assert!(made(json!([])).find("event_loop_blocked").is_none());
}

/// 100 requests a second, and connections that were opened in 3 s.
fn opens(opened: u32, tls: Value, opening_ms: f64, decided: bool) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:8443", 100.0, 5.0);
    back["protocol"] = json!(if tls.is_null() { "http1" } else { "tls" });
    back["connections"] = json!(opened.max(10));
    back["opened"] = json!(opened);
    back["opening_ms"] = json!({"mean": opening_ms});
    back["tls"] = tls;
    if !decided {
        back["decided"] = json!(false);
        for key in ["requests_per_s", "in_flight", "response_ms"] {
            back.as_object_mut().unwrap().remove(key);
        }
    }
    calls(&[back], if decided { 5.0 } else { 0.0 }, Value::Null)
}

#[test]
fn a_process_for_each_connection_takes_the_cpu_and_is_no_stranger() {
    let (host, back) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, BACK),
    );
    // Of the CPU in use nearly all is of backends that have ended.
    let made = |busy: f64, ended: f64| {
        let modes = [("user", busy), ("idle", 1.0 - busy)];
        let made = opens(300, Value::Null, 0.1, true);
        let made = modes.iter().fold(made, |made, (mode, share)| {
            made.counter(&host, "system.cpu.time", &[("cpu.mode", mode)], 8.0 * share)
        });
        made.counter(&back, "process.child.cpu.time", &[], ended)
    };
    let found = made(0.99, 7.0).find("call_connections").unwrap();
    assert!(found.explains.share > 0.9, "{:?}", found.explains);
    // A CPU with room, and backends that take nothing of it.
    assert!(made(0.4, 2.0).find("call_connections").is_none());
    assert!(made(0.99, 0.01).find("call_connections").is_none());
}

#[test]
fn a_connection_for_each_call_is_told_with_its_handshakes() {
    let full = json!({"handshakes": 300, "resumed": 0});
    for decided in [true, false] {
        let made = opens(300, full.clone(), 40.0, decided);
        let found = made.find("call_connections").unwrap();
        assert_eq!(found.layer, Layer::Cause);
        assert!(
            (found.explains.share - 0.4).abs() < 0.05,
            "{:?}",
            found.explains
        );
        assert!(format!("{:?}", found.args).contains("tls"));
    }
    let resumed = json!({"handshakes": 300, "resumed": 300});
    let found = opens(300, resumed, 10.0, true)
        .find("call_connections")
        .unwrap();
    assert!(format!("{:?}", found.args).contains("resumed"));
    // Kept connections; those of a few calls; and where opening one costs nothing.
    assert!(
        opens(0, Value::Null, 40.0, true)
            .find("call_connections")
            .is_none()
    );
    assert!(
        opens(30, Value::Null, 40.0, true)
            .find("call_connections")
            .is_none()
    );
    assert!(
        opens(300, Value::Null, 0.05, true)
            .find("call_connections")
            .is_none()
    );
}

/// A process of one thread that others are beside of on its CPU.
fn beside(running: f64, wanting: f64, neighbours: &Value) -> Made {
    let host = thing(EntityKind::Host, "");
    let process = thing(EntityKind::Process, FRONT);
    let states = json!({
        "classes": [{"name": "loop", "threads": 1, "running": running, "runnable": wanting,
            "poll": 1.0 - running - wanting}],
        "event_loops": [{"thread": "loop", "running": running, "runnable": wanting,
            "polling": 1.0 - running - wanting}],
        "neighbours": neighbours,
    });
    calls(&[], 0.0, Value::Null)
        .without_process(FRONT)
        .process(FRONT, running, 1.0)
        .counter(&host, "system.cpu.time", &[("cpu.mode", "user")], 1.0)
        .counter(&host, "system.cpu.time", &[("cpu.mode", "idle")], 1.0)
        .counter(&process, "process.cpu.wait_time", &[], wanting)
        .capture(&process, "thread_states", "steady", &states.to_string())
}

#[test]
fn a_loop_that_is_ready_and_has_no_cpu_does_not_run_and_who_is_on_it_comes_first() {
    let builders = json!([
        {"process": "builder[41]", "pid": 41, "cpu": 0.26},
        {"process": "builder[42]", "pid": 42, "cpu": 0.25},
        {"process": "builder[43]", "pid": 43, "cpu": 0.24},
    ]);
    let made = beside(0.25, 0.75, &builders);
    let found = first(&made);
    assert_eq!((found.id, found.layer), ("cpu_shared", Layer::Cause));
    assert!(format!("{found:?}").contains("builder[41]"));
    assert!((found.explains.share - 0.75).abs() < 0.01);
    let below = made.find("event_loop_blocked").unwrap();
    assert_eq!(below.layer, Layer::Hint);
    assert!(
        format!("{:?}", below.args).contains("wanting"),
        "{:?}",
        below.args
    );
    // It runs itself; the others take little.
    assert!(beside(0.9, 0.1, &builders).find("cpu_shared").is_none());
    let little = json!([{"process": "cron[9]", "pid": 9, "cpu": 0.1}]);
    assert!(beside(0.25, 0.75, &little).find("cpu_shared").is_none());
    // A worker of who serves the same requests.
    let own = json!([{"process": "shop worker[8000]", "pid": 9, "cpu": 0.75}]);
    assert!(beside(0.25, 0.75, &own).find("cpu_shared").is_none());
}

#[test]
fn threads_without_a_cpu_are_not_to_be_more() {
    let advice = |running: f64, wanting: f64, state: &str| {
        let host = thing(EntityKind::Host, "");
        let process = thing(EntityKind::Process, FRONT);
        let states = json!({
            "classes": [{"name": "worker", "threads": 2, "running": running, "runnable": wanting, state: 2.0 - running - wanting}],
        });
        let found = calls(&[], 0.0, Value::Null)
            .without_process(FRONT)
            .process(FRONT, running, 2.0)
            .counter(&host, "system.cpu.time", &[("cpu.mode", "user")], 1.95)
            .counter(&host, "system.cpu.time", &[("cpu.mode", "idle")], 0.05)
            .capture(&process, "thread_states", "steady", &states.to_string())
            .find("concurrency_limit")
            .unwrap();
        found.advice[0].why.id.clone()
    };
    assert_eq!(advice(1.2, 0.8, "sleep"), "advice-concurrency-cpu");
    assert_eq!(advice(0.2, 0.0, "sleep"), "advice-concurrency-limit");
    // What all of them share keeps more of them, too.
    assert_eq!(advice(0.2, 0.0, "lock_file"), "advice-concurrency-held-up");
}

/// 100 requests a second with statements and commits; what backends do and wait for.
fn commits(statements: f64, counted: Option<f64>, titles: &Value, file: &str) -> Made {
    let store = "postgres[5432]";
    let mut back = hop(FRONT, store, "127.0.0.1:5432", statements * 100.0, 6.0);
    back["protocol"] = json!("postgres");
    if let Some(each) = counted {
        back["commits"] = json!(each * 300.0);
    }
    let process = thing(EntityKind::Process, store);
    let states = json!({
        "classes": [{"name": "postgres", "threads": 12, "running": 1.0, "runnable": 0.5, "fsync": 0.5,
            "futex": 3.5, "poll": 6.5}],
        "files": [{"path": file, "waits": 20}],
        "titles": titles,
    });
    calls(&[back], 6.0, Value::Null)
        .process(store, 1.0, 8.0)
        .capture(&process, "thread_states", "steady", &states.to_string())
}

#[test]
fn several_commits_for_each_request_that_wait_for_the_log() {
    let log = "/var/lib/postgresql/15/main/pg_wal/000000010000000000000001";
    let found = first(&commits(6.0, Some(5.0), &json!({}), log));
    assert_eq!((found.id, found.layer), ("many_commits", Layer::Cause));
    assert!(
        (found.explains.share - 0.4).abs() < 0.05,
        "{:?}",
        found.explains
    );
    // Where nobody counted them: by what backends say of themselves.
    let alone = json!({"INSERT": 4.5, "BIND": 0.1, "idle": 6.0});
    assert!(
        commits(5.0, None, &alone, log)
            .find("many_commits")
            .is_some()
    );
    let together = json!({"INSERT": 3.0, "COMMIT": 1.0, "idle in transaction": 2.0});
    assert!(
        commits(5.0, None, &together, log)
            .find("many_commits")
            .is_none()
    );
    assert!(
        commits(6.0, Some(1.0), &alone, log)
            .find("many_commits")
            .is_none()
    );
    // A disk that is not the log's: no more than a remark.
    let other = commits(
        6.0,
        Some(5.0),
        &json!({}),
        "/var/lib/postgresql/15/main/base/5/16384",
    );
    assert_eq!(other.find("many_commits").unwrap().layer, Layer::Hint);
}

#[test]
fn waiting_for_the_log_has_its_own_part_of_the_account() {
    let log = "/data/pg_wal/000000010000000000000001";
    let made = commits(6.0, Some(5.0), &json!({}), log);
    let account = made.scene();
    let account = account.account().unwrap();
    let held = account.share(|part| part.state == "log");
    assert!(held > 0.3, "{:?}", account.parts);
}

/// Requests of a front that go on when a worker has sent a message through a broker.
fn relayed(in_flight: f64) -> Made {
    let mut broker = hop(FRONT, "broker[4222]", "127.0.0.1:4222", 0.0, 0.0);
    broker["protocol"] = json!("nats");
    broker["decided"] = json!(false);
    broker["in_flight"] = Value::Null;
    broker["waits"] = json!({
        "connections": 1, "requests": 300, "in_flight": in_flight,
        "released_by": [{"process": "pricing[77]", "requests": 300, "in_flight": in_flight}],
    });
    calls(&[broker], in_flight, Value::Null)
}

#[test]
fn who_sends_the_message_that_lets_requests_go_on_is_named() {
    let found = relayed(9.0).all();
    let first = &found[0];
    assert_eq!((first.id, first.layer), ("queue_workers", Layer::Cause));
    assert_eq!(first.object.name, "pricing[77]");
    assert!((first.explains.share - 0.9).abs() < 0.02, "{first:?}");
    let args = format!("{:?}", first.args);
    assert!(
        args.contains("relays") && args.contains("broker[4222]"),
        "{args}"
    );
    assert!(relayed(1.0).find("queue_workers").is_none());
}

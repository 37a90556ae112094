//! Accounts of made-up evidence whose truth is known.

mod chains;
mod doors;
mod simulated;
mod threads;
mod two_hosts;

use serde_json::{Value, json};

use super::{Account, AccountBasis, PartKind};
use crate::testing::{Made, thing};
use plimsoll_stats::series::EntityKind;

fn ms(account: &Account, kind: PartKind, process: &str) -> f64 {
    let parts = account.parts.iter();
    parts
        .filter(|part| part.kind == kind && part.process == process)
        .map(|part| part.ms)
        .sum()
}

fn adds_up(account: &Account) {
    let sum: f64 = account.parts.iter().map(|part| part.ms).sum();
    assert!(
        (sum / account.response_ms - 1.0).abs() < 1e-3,
        "{account:?}"
    );
}

fn level(mean: f64) -> Value {
    json!({"mean": mean, "max": mean, "shares": [[mean, 1.0]]})
}

/// One server that has all 20 requests of the load, 0.4 of them on a CPU.
fn one_server(made: Made) -> Made {
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": "java[8000]", "address": "127.0.0.1:8000"},
            "decided": true, "requests_per_s": 80.0, "in_flight": level(19.6),
        }],
        "processes": [{
            "process": "java[8000]", "requests_per_s": 80.0,
            "in_flight": level(19.6), "waiting_for_others": 0.0, "inside": level(19.6),
        }],
    });
    let host = thing(EntityKind::Host, "");
    made.process("java[8000]", 0.4, 2.0)
        .capture(&host, "wire", "steady", &wire.to_string())
}

#[test]
fn one_server_by_packets_and_series() {
    let made = one_server(Made::load(80.0, 250.0).at("http://127.0.0.1:8000/"));
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    let of = |kind| ms(&account, kind, "java[8000]");
    assert!((ms(&account, PartKind::Generator, "") - 5.0).abs() < 0.1);
    assert!((of(PartKind::Running) - 5.0).abs() < 0.1);
    assert!(
        (of(PartKind::WaitingInside) - 240.0).abs() < 0.5,
        "{account:?}"
    );
    assert!((account.in_flight - 20.0).abs() < 1e-6);
    assert!(account.measured_share() > 0.99);
}

#[test]
fn a_stop_of_the_world_holds_up_those_that_would_work() {
    for (stopped, collecting_ms) in [
        (0.0, 0.0),
        (0.1, 0.1 / 0.9),
        (0.5, 1.0),
        (0.9, 9.0),
        (1.0, 49.0),
    ] {
        let minor = [("jvm.gc.action", "end of minor GC")];
        let jvm = thing(EntityKind::Jvm, "java[8000]");
        let made = one_server(Made::load(80.0, 250.0).at("http://127.0.0.1:8000/"));
        let made = made.counter(&jvm, "jvm.gc.pause.time", &minor, stopped);
        let account = made.diagnose().account.unwrap();
        adds_up(&account);
        let of = |kind| ms(&account, kind, "java[8000]");
        // 0.4 requests run, which take 5 ms: between stops they are more.
        let truth = (collecting_ms * 5.0_f64).min(245.0);
        assert!(
            (of(PartKind::GarbageCollection) - truth).abs() < 0.5,
            "{stopped}: {account:?}"
        );
        let rest = 245.0 - truth;
        let told = of(PartKind::Running) + of(PartKind::WaitingInside);
        assert!((told - rest).abs() < 0.5, "{stopped}: {account:?}");
    }
}

/// The same server with other figures of its packets: requests a second, how many are there; the load's rate and response time.
fn seen(per_s: f64, there: f64, load: (f64, f64)) -> Account {
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": "java[8000]", "address": "127.0.0.1:8000"},
            "decided": true, "requests_per_s": per_s, "in_flight": level(there),
        }],
        "processes": [{
            "process": "java[8000]", "requests_per_s": per_s,
            "in_flight": level(there), "waiting_for_others": 0.0, "inside": level(there),
        }],
    });
    let made = Made::load(load.0, load.1).at("http://127.0.0.1:8000/");
    let made = made.process("java[8000]", 0.4, 2.0);
    let host = thing(EntityKind::Host, "");
    let made = made.capture(&host, "wire", "steady", &wire.to_string());
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    account
}

#[test]
fn a_request_that_is_redirected_is_no_time_of_the_generator() {
    // Each of the 80 requests a second is two at the door, and somebody asks for figures there, too.
    for per_s in [80.0, 160.0, 163.0, 400.0] {
        let account = seen(per_s, 19.6, (80.0, 250.0));
        let generator = ms(&account, PartKind::Generator, "");
        assert!((generator - 5.0).abs() < 0.1, "{per_s}: {account:?}");
    }
    // Where a part of the load is seen, its own requests count.
    let account = seen(40.0, 9.8, (80.0, 250.0));
    assert!((ms(&account, PartKind::Generator, "") - 5.0).abs() < 0.1);
}

#[test]
fn requests_longer_than_the_looking_are_in_the_target() {
    // Of so long requests those under way all the time are not seen: rate times 3 s are.
    for response_ms in [3_000.0, 6_000.0, 10_000.0, 60_000.0] {
        let account = seen(50.0, 150.0, (50.0, response_ms));
        let generator = ms(&account, PartKind::Generator, "");
        assert!(generator < 0.01 * response_ms, "{response_ms}: {account:?}");
        let inside = ms(&account, PartKind::WaitingInside, "java[8000]");
        assert!(inside > 0.95 * response_ms, "{response_ms}: {account:?}");
    }
}

#[test]
fn a_mesh_in_which_everybody_calls_everybody_is_gone_through() {
    let name = |at: usize| format!("node[{at}]");
    let address = |at: usize| format!("127.0.0.1:{}", 8_000 + at);
    let mut hops = vec![json!({
        "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
        "server": {"process": name(0), "address": address(0)},
        "decided": true, "requests_per_s": 80.0, "in_flight": level(19.6),
    })];
    let mut processes = Vec::new();
    let mut made = Made::load(80.0, 250.0).at("http://127.0.0.1:8000/");
    for at in 0..24 {
        made = made.process(&name(at), 0.1, 2.0);
        processes.push(json!({
            "process": name(at), "requests_per_s": 80.0,
            "in_flight": level(19.6), "waiting_for_others": 15.0, "inside": level(4.6),
        }));
        for other in (0..24).filter(|other| *other != at) {
            hops.push(json!({
                "client": {"process": name(at), "address": "127.0.0.1"},
                "server": {"process": name(other), "address": address(other)},
                "decided": true, "requests_per_s": 80.0, "in_flight": level(1.0),
            }));
        }
    }
    let wire = json!({"version": 1, "lasts_ms": 3000.0, "hops": hops, "processes": processes});
    let host = thing(EntityKind::Host, "");
    let made = made.capture(&host, "wire", "steady", &wire.to_string());
    adds_up(&made.diagnose().account.unwrap());
}

#[test]
fn the_accept_queue_of_another_network_namespace_is_none_of_this_process() {
    let made = one_server(Made::load(80.0, 250.0).at("http://127.0.0.1:8000/"));
    let (own, other) = (
        thing(EntityKind::Process, "java[8000]"),
        thing(EntityKind::Process, "nginx[8000]"),
    );
    let queue = "system.tcp.listen.queue.length";
    let port = [("server.port", "8000")];
    let both = made.gauge(&other, queue, &port, 16.0);
    let both = both.gauge(&own, queue, &port, 4.0);
    let account = both.diagnose().account.unwrap();
    let queued = ms(&account, PartKind::AcceptQueue, "java[8000]");
    assert!((queued - 50.0).abs() < 0.5, "{account:?}");
}

#[test]
fn without_packets_more_is_not_accounted_for() {
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .process("java[8000]", 0.4, 2.0);
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    assert!(
        (account.measured_share() - 0.02).abs() < 1e-3,
        "{account:?}"
    );
    let part = &account.parts[0];
    assert_eq!(part.kind, PartKind::Running);
    assert_eq!(part.basis, AccountBasis::Series);
}

/// How calls by a socket of the file system were looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SeenBy {
    Nobody,
    Samples,
    Calls,
}

/// A proxy before workers behind a socket of the file system: 4 of 20 requests are in work, and the
/// rest is not accepted yet.
fn behind_a_socket(by: SeenBy) -> Made {
    let address = "unix:/run/php.sock";
    let mut wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": "nginx[80]", "address": "127.0.0.1:80"},
            "decided": true, "requests_per_s": 80.0, "in_flight": level(19.8),
        }],
        "processes": [{
            "process": "nginx[80]", "requests_per_s": 80.0,
            "in_flight": level(19.8), "waiting_for_others": 0.0, "inside": level(19.8),
        }],
    });
    if by != SeenBy::Nobody {
        wire["processes"][0]["waiting_for_others"] = json!(19.6);
        let counted = f64::from(u8::from(by == SeenBy::Calls));
        let hop = json!({
            "client": {"process": "nginx[80]", "address": "", "is_generator": false},
            "server": {"process": "php-fpm[9]", "address": address},
            "protocol": "unix", "sampled": by == SeenBy::Samples, "decided": true,
            "requests_per_s": 80.0 * counted,
            "in_flight": level(19.6), "accept_queue": 15.6,
        });
        wire["hops"].as_array_mut().unwrap().push(hop);
        let process = json!({
            "process": "php-fpm[9]", "requests_per_s": 80.0 * counted,
            "in_flight": level(19.6), "waiting_for_others": 0.0, "inside": level(19.6),
        });
        wire["processes"].as_array_mut().unwrap().push(process);
    }
    let threads = json!({"classes": [{
        "name": "php-fpm", "threads": 5, "running": 0.1, "sleep": 3.9, "poll": 1.0,
    }]});
    let (host, php) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, "php-fpm[9]"),
    );
    Made::load(80.0, 250.0)
        .at("http://127.0.0.1:80/")
        .process("nginx[80]", 0.05, 2.0)
        .process("php-fpm[9]", 0.1, 2.0)
        .gauge(&php, "process.worker.count", &[], 5.0)
        .capture(&host, "wire", "steady", &wire.to_string())
        .capture(&php, "thread_states", "steady", &threads.to_string())
}

#[test]
fn a_hop_by_a_socket_of_the_file_system() {
    for by in [SeenBy::Samples, SeenBy::Calls] {
        php_fpm_behind_a_socket(by);
    }
    // Without a look at the sockets all of it is in who has the requests last.
    let account = behind_a_socket(SeenBy::Nobody).diagnose().account.unwrap();
    let nginx = |kind| ms(&account, kind, "nginx[80]");
    assert!(nginx(PartKind::WaitingInside) > 200.0, "{account:?}");
}

fn php_fpm_behind_a_socket(by: SeenBy) {
    let account = behind_a_socket(by).diagnose().account.unwrap();
    adds_up(&account);
    let php = |kind| ms(&account, kind, "php-fpm[9]");
    assert!(
        (php(PartKind::AcceptQueue) - 195.0).abs() < 2.5,
        "{account:?}"
    );
    assert!(
        (php(PartKind::WaitingInside) - 48.75).abs() < 1.0,
        "{account:?}"
    );
    assert!((php(PartKind::Running) - 1.25).abs() < 0.1, "{account:?}");
    let nginx = |kind| ms(&account, kind, "nginx[80]");
    assert!(nginx(PartKind::WaitingInside) < 3.0, "{account:?}");
    let queue = account
        .parts
        .iter()
        .find(|part| part.kind == PartKind::AcceptQueue);
    assert_eq!(queue.unwrap().basis, AccountBasis::Sockets);
    let full = account.plateaus.first().unwrap();
    assert_eq!(
        (full.process.as_str(), full.place),
        ("php-fpm[9]", super::FullPlace::Children)
    );
    assert_eq!((full.number, full.deepest), (4.0, true));
    assert!((full.waiting - 15.6).abs() < 0.1, "{full:?}");
}

#[test]
fn a_calm_moment_does_not_stand_for_a_stretch_in_which_all_was_still() {
    let calm = |at| if (1..4).contains(&at) { 4.0 } else { 300.0 };
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": "node[8000]", "address": "127.0.0.1:8000"},
            "decided": true, "requests_per_s": 80.0, "in_flight": level(0.16),
        }],
        "processes": [{
            "process": "node[8000]", "requests_per_s": 80.0,
            "in_flight": level(0.16), "waiting_for_others": 0.0,
        }],
        "slowest": {
            "percentile": 95, "from_ms": 4.1, "requests": 9, "mean_ms": 7.3,
            "processes": [{"process": "node[8000]", "stay_ms": 7.3, "inside_ms": 7.3}],
        },
    });
    let host = thing(EntityKind::Host, "");
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .spread(4.0, 1_600.0);
    let made = made.process("node[8000]", 0.1, 2.0).responds(calm);
    let made = made.capture(&host, "wire", "steady", &wire.to_string());
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    // 2 of 4 ms were not at the target then: nobody knows that of the 300 of other seconds.
    assert!(ms(&account, PartKind::Generator, "") <= 4.1, "{account:?}");
    assert!(account.measured_share() < 0.05, "{account:?}");
    assert_eq!(account.slowest, None);
}

#[test]
fn what_watches_and_asks_is_no_load() {
    // So slow a load that a query or ten a second are a part of it.
    let ask = |per_s: f64, address: &str, held: f64| {
        json!({
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": "server", "address": address},
            "decided": true, "requests_per_s": per_s, "in_flight": level(held),
        })
    };
    let account = |target: &str| {
        let wire = json!({
            "version": 1, "lasts_ms": 3000.0,
            "hops": [ask(40.0, "127.0.0.1:8000", 9.9), ask(10.0, "127.0.0.1:3306", 0.01)],
            "processes": [],
        });
        let made = Made::load(40.0, 250.0).at(target);
        let host = thing(EntityKind::Host, "");
        let made = made.capture(&host, "wire", "steady", &wire.to_string());
        made.diagnose().account.unwrap()
    };
    let generator = |account: &Account| ms(account, PartKind::Generator, "");
    assert!((generator(&account("http://127.0.0.1:8000/")) - 2.5).abs() < 0.1);
    // By way of a proxy nobody knows which of them are the load's: as many as it has.
    assert!((generator(&account("http://shop.example/")) - 2.5).abs() < 0.5);
}

/// One server of the load as [`one_server`] has it, and so many times as many requests to an address where nobody
/// watches, which take so long.
fn with_another(times: f64, other_ms: f64, by_packets: bool) -> Account {
    let mean_ms = (250.0 + times * other_ms) / (1.0 + times);
    let made = Made::load(80.0 * (1.0 + times), mean_ms)
        .at("http://127.0.0.1:8000/")
        .elsewhere("http://127.0.0.1:8001", times / (1.0 + times), other_ms);
    let made = match by_packets {
        true => one_server(made),
        false => made.process("java[8000]", 0.4, 2.0),
    };
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    account
}

#[test]
fn time_where_nobody_watches_is_none_of_the_target() {
    for by_packets in [true, false] {
        for times in [0.01, 0.3, 1.0, 20.0] {
            for other_ms in [1.0, 250.0, 4_000.0] {
                let account = with_another(times, other_ms, by_packets);
                let case = format!("{by_packets} {times} {other_ms} {account:?}");
                let near = |ms: f64, wanted: f64| {
                    let wanted = wanted / (1.0 + times);
                    assert!(
                        (ms - wanted).abs() < 0.01 * wanted + 3e-3 * account.response_ms,
                        "{ms} {wanted} {case}"
                    );
                };
                let parts = account.parts.iter();
                let away = parts.filter(|part| part.peer == "http://127.0.0.1:8001");
                near(away.map(|part| part.ms).sum(), times * other_ms);
                let of = |kind| ms(&account, kind, "java[8000]");
                near(of(PartKind::Running), 5.0);
                if by_packets {
                    near(of(PartKind::WaitingInside), 240.0);
                    near(ms(&account, PartKind::Generator, ""), 5.0);
                }
            }
        }
    }
}

#[test]
fn another_address_that_is_watched_is_the_target_too() {
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .elsewhere("http://127.0.0.1:8001", 0.5, 400.0)
        .process("java[8000]", 0.4, 2.0)
        .process("python3[8001]", 0.4, 2.0);
    let account = made.diagnose().account.unwrap();
    assert!(
        account.parts.iter().all(|part| part.peer.is_empty()),
        "{account:?}"
    );
}

#[test]
fn where_most_time_passes_unwatched_that_is_said() {
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .elsewhere("http://127.0.0.1:8001", 0.5, 400.0)
        .process("java[8000]", 0.4, 2.0);
    let diagnosis = made.diagnose();
    assert_eq!(diagnosis.findings[0].id, "waits_elsewhere", "{diagnosis:?}");
}

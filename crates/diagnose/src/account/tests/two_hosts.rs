//! The same calls, seen by agents on both hosts.

use plimsoll_stats::series::{Entity, EntityKind};
use serde_json::{Value, json};

use super::{adds_up, level, ms};
use crate::account::{Account, PartKind};
use crate::testing::{Made, thing};

const APP: &str = "php-fpm[9000]";
const STORE: &str = "mysqld[3306]";
const ADDRESS: &str = "10.0.0.9:3306";

/// Calls of which the caller sees 20 ms each and the server 8, 100 a second.
struct Calls {
    ends_there: Value,
    per_s_there: f64,
}

fn account(calls: &Calls) -> Account {
    let times = |mean: f64| json!({"mean": mean, "p50": mean});
    let web = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "plimsoll[7]", "address": "127.0.0.1", "is_generator": true},
            "server": {"process": APP, "address": "127.0.0.1:9000"},
            "decided": true, "requests_per_s": 100.0, "in_flight": level(3.0),
        }, {
            "client": {"process": APP, "address": "10.0.0.5"},
            "server": {"process": "", "address": ADDRESS}, "ends": [3, 11, 19],
            "decided": true, "requests_per_s": 100.0, "response_ms": times(20.0), "in_flight": level(2.0),
        }],
        "processes": [{
            "process": APP, "requests_per_s": 100.0,
            "in_flight": level(3.0), "waiting_for_others": 2.0, "inside": level(1.0),
        }],
    });
    let store = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [{
            "client": {"process": "", "address": "10.0.0.5"},
            "server": {"process": STORE, "address": ADDRESS}, "ends": calls.ends_there,
            "decided": true, "requests_per_s": calls.per_s_there, "response_ms": times(8.0),
            "in_flight": level(calls.per_s_there * 0.008),
        }],
        "processes": [{
            "process": STORE, "requests_per_s": calls.per_s_there,
            "in_flight": level(calls.per_s_there * 0.008), "waiting_for_others": 0.0, "inside": level(0.8),
        }],
    });
    let there = Entity::new(EntityKind::Host, "", "db");
    let made = Made::load(100.0, 30.0)
        .at("http://127.0.0.1:9000/")
        .process(APP, 0.1, 2.0)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &web.to_string(),
        )
        .capture(&there, "wire", "steady", &store.to_string())
        .counter(
            &Entity::new(EntityKind::Process, STORE, "db"),
            "process.cpu.time",
            &[("cpu.mode", "user")],
            0.1,
        );
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    account
}

#[test]
fn what_the_caller_sees_longer_is_the_way() {
    let account = account(&Calls {
        ends_there: json!([3, 11, 19]),
        per_s_there: 100.0,
    });
    let way = account.share(|part| part.kind == PartKind::Network && part.peer == STORE);
    assert!((way - 0.4).abs() < 0.01, "{account:?}");
    let there = account.share(|part| part.process == STORE);
    assert!((there - 8.0 / 30.0).abs() < 0.01, "{account:?}");
    assert!(
        (ms(&account, PartKind::WaitingInside, APP) - 9.0).abs() < 1.1,
        "{account:?}"
    );
}

#[test]
fn other_connections_say_nothing_of_the_way() {
    for (ends_there, per_s_there) in [
        // Others call from there, too: by their address it is known who serves, and no more.
        (json!([3, 4, 11]), 400.0),
        // None of them is the caller's.
        (json!([4, 5]), 100.0),
        (json!([]), 100.0),
    ] {
        let account = account(&Calls {
            ends_there,
            per_s_there,
        });
        let way = account.share(|part| part.kind == PartKind::Network && part.peer == STORE);
        assert!(way < 1e-9, "{account:?}");
        let there = account.share(|part| part.process == STORE);
        assert!((there - 20.0 / 30.0).abs() < 0.01, "{account:?}");
    }
}

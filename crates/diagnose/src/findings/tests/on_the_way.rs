//! Packets that are long on their way between two processes.

use plimsoll_stats::series::EntityKind;
use serde_json::json;

use super::below::ASKS;
use super::principles::{BACK, FRONT, calls, hop, serves};
use super::with_of;
use crate::account::{Account, PartKind};
use crate::model::Layer;
use crate::testing::{Made, thing};

/// A service that asks another one 100 times a second: so long there and back on average, half of the requests no
/// longer than the median; so many packets are sent again.
fn asked(there_ms: f64, back_ms: f64, median_ms: f64, again_per_s: f64, work_ms: f64) -> Made {
    let in_flight = (there_ms + back_ms + work_ms) / 10.0;
    let mut back = hop(FRONT, BACK, "10.0.0.2:9000", 100.0, in_flight);
    back["requests"] = json!(300.0);
    back["retransmissions"] = json!(again_per_s * 3.0);
    let times = |mean: f64| json!({"mean": mean, "p50": median_ms / 2.0});
    back["transit"] = json!({"to_server_ms": times(there_ms), "to_client_ms": times(back_ms)});
    let door = hop("plimsoll[7]", FRONT, "127.0.0.1:8000", 100.0, 10.0);
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0, "hops": [door, back],
        "processes": [serves(FRONT, 100.0, 10.0, in_flight), serves(BACK, 100.0, work_ms / 10.0, 0.0)],
    });
    Made::load(100.0, 100.0)
        .at("http://127.0.0.1:8000/")
        .process(FRONT, 0.01, 2.0)
        .process(BACK, 0.01, 2.0)
        .capture(
            &thing(EntityKind::Host, ""),
            "wire",
            "steady",
            &wire.to_string(),
        )
}

fn account(made: &Made) -> Account {
    made.scene().account().unwrap().clone()
}

#[test]
fn late_and_lost_packets_lead_with_both_sides() {
    let late = asked(40.0, 40.0, 80.0, 0.0, 15.0);
    let account = account(&late);
    let network = account.share(|part| part.kind == PartKind::Network && part.peer == BACK);
    assert!((network - 0.8).abs() < 0.02, "{:?}", account.parts);
    let found = late.all().remove(0);
    assert_eq!((found.id, found.layer), ("network_delay", Layer::Cause));
    assert_eq!(found.object.name, format!("{FRONT} → {BACK}"));
    assert_eq!(found.advice[0].why.id, "advice-network-late");
    let lost = asked(10.0, 20.0, 0.4, 7.0, 65.0);
    let found = lost.find("network_delay").unwrap();
    assert_eq!(found.advice[0].why.id, "advice-network-lost");
    // Packets that were sent again and cost nothing are no reason for what is always late.
    let both = asked(40.0, 40.0, 80.0, 7.0, 15.0);
    let found = both.find("network_delay").unwrap();
    assert_eq!(found.advice[0].why.id, "advice-network-late");
}

#[test]
fn what_is_on_the_way_is_neither_sides() {
    for there in [0.0, 0.4, 3.0, 9.0, 40.0] {
        for back in [0.0, 0.7, 4.0, 25.0] {
            for work in [1.0, 15.0] {
                let made = asked(there, back, there + back, 0.0, work);
                let account = account(&made);
                let network =
                    account.share(|part| part.kind == PartKind::Network && part.peer == BACK);
                let parts = &account.parts;
                assert!((network - (there + back) / 100.0).abs() < 0.01, "{parts:?}");
                let own = account.share(|part| part.process == BACK);
                assert!((own - work / 100.0).abs() < 0.01, "{parts:?}");
                assert_eq!(made.find("network_delay").is_some(), network >= 0.1);
            }
        }
    }
}

#[test]
fn calls_that_packets_follow_into_a_watched_process_are_no_other_system() {
    let waits = |made: Made| {
        let found = with_of(made, FRONT, &[(9, ASKS)]).all();
        let dependency = found.iter().find(|one| one.id == "slow_dependency");
        dependency.map(|one| one.layer)
    };
    // 9 of 10 requests are in the other process: what it does with them is to be told …
    let full = json!({"classes": [{"name": "pool", "threads": 9, "running": 0.1, "futex": 8.9}]});
    let back = thing(EntityKind::Process, BACK);
    let told = asked(0.0, 0.0, 0.0, 0.0, 90.0).raised_by_half(150.0);
    let told = told.fastest(20.0).completes(&[], 20.0);
    let told = told.capture(&back, "thread_states", "steady", &full.to_string());
    assert_eq!(waits(told), Some(Layer::Hint));
    // … and where nobody knows what that is, it is the system that is waited for.
    assert_eq!(waits(asked(0.0, 0.0, 0.0, 0.0, 90.0)), Some(Layer::Cause));
    let unseen = hop(FRONT, "", "10.0.0.2:9000", 100.0, 9.0);
    let made = calls(&[unseen], 9.0, serde_json::Value::Null);
    assert_eq!(waits(made), Some(Layer::Cause));
}

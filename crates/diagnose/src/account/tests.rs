//! Accounts of made-up evidence whose truth is known.

mod chains;
mod simulated;

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
            "server": {"process": "python3[8000]", "address": "127.0.0.1:8000"},
            "decided": true, "requests_per_s": 80.0, "in_flight": level(19.6),
        }],
        "processes": [{
            "process": "python3[8000]", "requests_per_s": 80.0,
            "in_flight": level(19.6), "waiting_for_others": 0.0, "inside": level(19.6),
        }],
    });
    let host = thing(EntityKind::Host, "");
    made.process("python3[8000]", 0.4, 2.0)
        .capture(&host, "wire", "steady", &wire.to_string())
}

#[test]
fn one_server_by_packets_and_series() {
    let made = one_server(Made::load(80.0, 250.0).at("http://127.0.0.1:8000/"));
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    let of = |kind| ms(&account, kind, "python3[8000]");
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
fn without_packets_more_is_not_accounted_for() {
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:8000/")
        .process("python3[8000]", 0.4, 2.0);
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

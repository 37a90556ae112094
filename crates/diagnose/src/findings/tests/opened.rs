//! Connections and descriptors that are made for each request.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};
use serde_json::{Value, json};

use super::principles::{BACK, FRONT, calls, hop};
use crate::model::{Finding, Layer, ShareOf};
use crate::testing::{Chance, Made, thing};

/// 100 calls a second from the front to the back, over so many connections opened in three seconds, each made in
/// so long.
fn opened(opened: u32, set_up_ms: f64, tls: u32) -> Made {
    let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 2.0);
    back["connections"] = json!(opened + 4);
    back["opened"] = json!(opened);
    back["tls_handshakes"] = json!(tls);
    back["set_up_ms"] = json!({"mean": set_up_ms});
    calls(&[back], 2.0, Value::Null)
}

fn found(made: &Made) -> Option<Finding> {
    made.find("opened_each_time")
}

#[test]
fn a_connection_for_each_request_is_found_by_packets_whatever_the_runtime() {
    let finding = found(&opened(300, 30.0, 300)).unwrap();
    assert_eq!(finding.layer, Layer::Cause);
    assert_eq!(finding.object.name, format!("{FRONT} → {BACK}"));
    // 100 a second that take 30 ms each: 3 of the 10 requests in flight are at it.
    assert!((finding.explains.share - 0.3).abs() < 0.01, "{finding:?}");
    let shown = render(Lang::En, &finding.evidence[0].text);
    for part in [
        "100 connections",
        "1 for each request",
        "100 TLS handshakes",
        "30 ms",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    // Cheap ones are a remark, and only where they are many.
    assert_eq!(found(&opened(300, 0.05, 0)).unwrap().layer, Layer::Hint);
    assert_eq!(found(&opened(210, 0.05, 0)), None);
}

#[test]
fn connections_that_are_kept_or_that_take_longer_than_there_is_are_not_told() {
    for kept in [0, 3, 30, 200] {
        assert_eq!(found(&opened(kept, 30.0, 0)), None, "{kept}");
    }
    // A pool that fills before it is wanted: nobody waits for it.
    assert_eq!(found(&opened(300, 900.0, 0)).unwrap().layer, Layer::Hint);
}

#[test]
fn how_many_for_each_request_is_not_told_where_requests_are_not_known() {
    let mut back = hop(FRONT, BACK, "127.0.0.1:8001", 100.0, 2.0);
    back["opened"] = json!(300);
    back["set_up_ms"] = json!({"mean": 30.0});
    let mut unread = hop("nginx[80]", FRONT, "127.0.0.1:9000", 0.0, 0.0);
    unread["decided"] = json!(false);
    let finding = found(&calls(&[back, unread], 2.0, Value::Null)).unwrap();
    let shown = render(Lang::En, &finding.evidence[0].text);
    assert!(!shown.contains("for each request"), "{shown}");
}

/// Whatever the numbers: what is told is no more than all of the time, and a cause only with its share.
#[test]
fn what_is_told_of_connections_fits_the_requests_in_flight() {
    let mut chance = Chance(11);
    for _ in 0..200 {
        let number = |chance: &mut Chance, end| u32::try_from(chance.below(end)).unwrap();
        let count = number(&mut chance, 1_000);
        let ms = f64::from(number(&mut chance, 100_000)) / 100.0;
        let Some(finding) = found(&opened(count, ms, 0)) else {
            continue;
        };
        assert!((0.0..=1.0).contains(&finding.explains.share), "{finding:?}");
        assert!(finding.layer != Layer::Cause || finding.explains.share >= 0.2);
        assert!(count >= 210);
    }
}

/// A server whose open files grow from one number to the other, of which it may have so many.
fn files(from: f64, to: f64, limit: f64) -> Made {
    let process = thing(EntityKind::Process, "python3[8000]");
    let kind = |kind| [("file_descriptor.kind", kind)];
    let (files, by_kind) = (
        "process.unix.file_descriptor.count",
        "process.unix.file_descriptor.kind.count",
    );
    Made::load(100.0, 20.0)
        .process("python3[8000]", 0.2, 2.0)
        .level(&process, files, &[], (from, to))
        .level(&process, by_kind, &kind("socket"), (10.0, 12.0))
        .level(&process, by_kind, &kind("file"), (from - 10.0, to - 12.0))
        .gauge(&process, "process.unix.file_descriptor.limit", &[], limit)
}

#[test]
fn descriptors_that_are_never_closed_are_found_before_the_limit_and_explain_it() {
    let finding = files(20.0, 1_020.0, 100_000.0)
        .find("descriptors_left_open")
        .unwrap();
    assert_eq!(
        (finding.layer, finding.object.name.as_str()),
        (Layer::Hint, "python3[8000]")
    );
    let shown: Vec<String> = finding
        .evidence
        .iter()
        .map(|exhibit| render(Lang::En, &exhibit.text))
        .collect();
    let all = shown.join(" ");
    assert!(
        all.contains("950 more files") && all.contains("0.5 for each request"),
        "{all}"
    );
    assert!(all.contains("33 min"), "{all}");
    let full = files(20.0, 1_024.0, 1_024.0).errors(ErrorKind::CheckFailed, 400);
    let first = &full.all()[0];
    assert_eq!(
        (first.id, first.layer),
        ("descriptors_left_open", Layer::Cause)
    );
    assert_eq!(first.explains.of, ShareOf::Errors);
    assert_eq!(full.find("file_descriptors"), None);
}

#[test]
fn descriptors_that_fill_up_fall_again_or_belong_to_more_users_are_not_left_open() {
    let process = thing(EntityKind::Process, "python3[8000]");
    let files_name = "process.unix.file_descriptor.count";
    let made = |value: fn(f64) -> f64| {
        let kind = plimsoll_stats::series::SeriesKind::Gauge;
        Made::load(100.0, 20.0)
            .process("python3[8000]", 0.2, 2.0)
            .track(&process, files_name, &[], kind, value)
            .find("descriptors_left_open")
    };
    // A pool that is full in the middle; a collector of garbage that closes them; chance.
    assert_eq!(made(|second| 20.0 + 50.0 * second.min(10.0)), None);
    assert_eq!(made(|second| 20.0 + 50.0 * (second % 7.0)), None);
    assert_eq!(made(|second| 300.0 + 3.0 * (second % 5.0)), None);
    assert!(made(|second| 20.0 + 50.0 * second).is_some());
    let more_users = files(20.0, 1_020.0, 100_000.0).users_grow();
    assert_eq!(more_users.find("descriptors_left_open"), None);
}

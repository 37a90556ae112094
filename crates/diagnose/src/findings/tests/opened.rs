//! Descriptors that are opened for requests and not closed.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::{Lang, render};

use crate::model::{Layer, ShareOf};
use crate::testing::{Made, thing};

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

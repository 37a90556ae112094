//! Runs over several load hosts: each report counts once, also when a run is taken up again.

#![allow(clippy::unwrap_used)]

mod common;

use plimsoll_stats::{LabelId, LabelInterval};
use plimsoll_store::{Applied, Contains, Run, RunWriter, StoreErrorKind};

/// One label's interval with so many arrivals that did not start: easy to count.
fn interval(not_started: u64) -> LabelInterval {
    LabelInterval {
        not_started,
        ..LabelInterval::default()
    }
}

fn put(writer: &mut RunWriter, second: u32, reports: &[(u32, u64)]) -> bool {
    let interval = interval(1);
    let contains = Contains {
        reports,
        notes: &[("labels.0", b"[0]")],
    };
    let generator = common::generator(second);
    let labels = [(LabelId(0), &interval)];
    writer
        .write_part(second, false, &labels, &generator, &contains)
        .is_ok()
}

#[test]
fn a_run_is_taken_up_where_it_was() {
    let root = tempfile::tempdir().unwrap();
    let meta = common::meta("plan");
    let writer = RunWriter::create(root.path(), &meta).unwrap();
    let mut writer = writer.over_workers().unwrap();
    let dir = writer.dir().to_owned();
    writer.add_label(&common::label(0, "first")).unwrap();
    assert!(put(&mut writer, 0, &[(0, 1), (1, 1)]));
    assert!(put(&mut writer, 1, &[(0, 2)]));
    // What comes late of a second does not take the number back.
    assert!(put(&mut writer, 0, &[(1, 2)]));
    let alive = RunWriter::reopen(&dir).unwrap_err();
    assert_eq!(alive.kind, StoreErrorKind::StillWritten);
    drop(writer);

    let run = Run::open(&dir).unwrap();
    let applied = run.applied().unwrap();
    let of = |number, next_second| Applied {
        number,
        next_second,
    };
    assert_eq!((applied[&0], applied[&1]), (of(2, 2), of(2, 1)));
    assert_eq!(run.notes().unwrap()["labels.0"], b"[0]");
    let mut writer = RunWriter::reopen(&dir).unwrap();
    assert!(put(&mut writer, 2, &[(0, 3)]));
    drop(writer);
    let run = Run::open(&dir).unwrap();
    assert_eq!(run.applied().unwrap()[&0], of(3, 3));
    assert_eq!(run.aggregate(0.0, 10.0).unwrap().total().not_started, 4);
}

#[test]
fn a_full_disk_takes_all_of_a_second_or_nothing() {
    let root = tempfile::tempdir().unwrap();
    let writer = RunWriter::create(root.path(), &common::meta("plan")).unwrap();
    let mut writer = writer.over_workers().unwrap();
    let dir = writer.dir().to_owned();
    writer.limit_pages_for_test(1);
    // Small rows still fit into pages that are there.
    let mut kept = 0;
    while put(&mut writer, kept, &[(0, u64::from(kept) + 1)]) {
        kept += 1;
        assert!(kept < 10_000, "the disk never became full");
    }
    // Whether it fails or not: it must not be lost.
    let _ = writer.add_label(&common::label(7, "late"));
    assert!(!writer.is_in_memory(), "nothing goes elsewhere");
    let run = Run::open(&dir).unwrap();
    let applied = run.applied().unwrap();
    assert_eq!(
        applied.get(&0).map_or(0, |applied| applied.number),
        u64::from(kept)
    );
    drop(run);
    // There is room again: the same second, and the label with it.
    writer.limit_pages_for_test(1_000_000);
    assert!(put(&mut writer, kept, &[(0, u64::from(kept) + 1)]));
    drop(writer);
    let run = Run::open(&dir).unwrap();
    assert!(run.labels().iter().any(|known| known.id == LabelId(7)));
    let total = run.aggregate(0.0, 1e9).unwrap().total().not_started;
    assert_eq!(total, u64::from(kept) + 1);
}

#[test]
fn what_was_made_on_one_machine_or_is_finished_is_not_taken_up() {
    let root = tempfile::tempdir().unwrap();
    let writer = RunWriter::create(root.path(), &common::meta("plan")).unwrap();
    let dir = writer.dir().to_owned();
    drop(writer);
    let refused = RunWriter::reopen(&dir).unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::OneMachine);
}

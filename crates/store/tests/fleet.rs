//! Runs over several load hosts: each report counts once, also when a run is taken up again.

#![allow(clippy::unwrap_used)]

mod common;

use std::borrow::Cow;
use std::path::PathBuf;

use plimsoll_stats::series::{Entity, EntityKind, SeriesId, SeriesKey, SeriesKind};
use plimsoll_stats::{LabelId, LabelInterval};
use plimsoll_store::{Applied, Contains, Run, RunWriter, StoreErrorKind};

/// One label's interval with so many arrivals that did not start: easy to count.
fn interval(dropped_iterations: u64) -> LabelInterval {
    LabelInterval {
        dropped_iterations,
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
    // A run of the version before is read; written on, it is one that the version before refuses.
    let db = rusqlite::Connection::open(dir.join("run.sqlite")).unwrap();
    let version = |db: &rusqlite::Connection| -> i64 {
        db.pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    };
    db.pragma_update(None, "user_version", 2).unwrap();
    Run::open(&dir).unwrap();
    assert_eq!(version(&db), 2, "reading changes nothing");
    let mut writer = RunWriter::reopen(&dir).unwrap();
    assert_eq!(version(&db), plimsoll_store::SCHEMA_VERSION);
    drop(db);
    assert!(put(&mut writer, 2, &[(0, 3)]));
    drop(writer);
    let run = Run::open(&dir).unwrap();
    assert_eq!(run.applied().unwrap()[&0], of(3, 3));
    assert_eq!(
        run.aggregate(0.0, 10.0).unwrap().total().dropped_iterations,
        4
    );
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
    let total = run.aggregate(0.0, 1e9).unwrap().total().dropped_iterations;
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

const ZERO_NS: u64 = 1_790_000_000_000_000_000;

fn at(second: u64) -> u64 {
    ZERO_NS + second * 1_000_000_000
}

fn key(number: u64) -> SeriesKey {
    SeriesKey {
        entity: Entity::new(EntityKind::Host, "", "web1"),
        name: Cow::Owned(format!("test.series.{number}")),
        attributes: Vec::new(),
        unit: Cow::Borrowed("s"),
        kind: SeriesKind::Counter,
    }
}

/// A run over workers whose target was seen in these seconds, as two series.
fn watched(root: &tempfile::TempDir, seconds: u64) -> PathBuf {
    let writer = RunWriter::create(root.path(), &common::meta("plan")).unwrap();
    let mut writer = writer.over_workers().unwrap();
    writer.set_zero(ZERO_NS).unwrap();
    see(&mut writer, 0..seconds, &[0, 1]);
    writer.dir().to_owned()
}

fn see(writer: &mut RunWriter, seconds: std::ops::Range<u64>, series: &[u64]) {
    for second in seconds {
        let points = series.iter().map(|number| (key(*number), second as f64));
        let seen = vec![(at(second), points.collect())];
        writer.write_target(seen).unwrap();
    }
}

/// Takes a run up again whose target was seen until a second, and looks at all that was seen.
fn seen_again(until: u64, again: std::ops::Range<u64>) {
    let root = tempfile::tempdir().unwrap();
    let dir = watched(&root, until);
    let mut writer = RunWriter::reopen(&dir).unwrap();
    assert_eq!(writer.take_gap(), None, "nothing was seen yet");
    // In another order, and one more.
    see(&mut writer, again.clone(), &[2, 1, 0]);
    assert_eq!(writer.take_gap(), Some((at(until - 1), at(again.start))));
    assert_eq!(writer.take_gap(), None, "it is told once");
    drop(writer);

    let run = Run::open(&dir).unwrap();
    let series = run.series().unwrap();
    let ids: Vec<SeriesId> = series.iter().map(|(id, _)| *id).collect();
    let keys: Vec<SeriesKey> = series.into_iter().map(|(_, key)| key).collect();
    assert_eq!(keys, [key(0), key(1), key(2)]);
    let columns = run.target(&ids).unwrap();
    let seconds: Vec<i64> = (0..until).chain(again.clone()).map(|s| s as i64).collect();
    for column in &columns[..2] {
        let at_ms: Vec<i64> = seconds.iter().map(|second| second * 1_000).collect();
        assert_eq!(column.at_ms, at_ms);
        let values: Vec<f64> = seconds.iter().map(|second| *second as f64).collect();
        assert_eq!(column.values, values);
        assert_eq!(column.breaks, [until as usize]);
    }
    assert_eq!(columns[2].len() as u64, again.end - again.start);
    assert!(columns[2].breaks.is_empty(), "it is new");
}

#[test]
fn what_was_seen_goes_on_and_the_gap_is_known() {
    // The rows of the killed writer, and what had become columns by then.
    seen_again(5, 9..12);
    seen_again(70, 75..150);
    seen_again(61, 64..66);
}

#[test]
fn a_run_that_was_not_watched_has_no_gap() {
    let root = tempfile::tempdir().unwrap();
    let dir = watched(&root, 0);
    let mut writer = RunWriter::reopen(&dir).unwrap();
    see(&mut writer, 3..5, &[0]);
    assert_eq!(writer.take_gap(), None);
    drop(writer);
    let run = Run::open(&dir).unwrap();
    assert!(run.target(&[SeriesId(0)]).unwrap()[0].breaks.is_empty());
}

#[test]
fn a_full_disk_loses_nothing_of_the_target() {
    let root = tempfile::tempdir().unwrap();
    let dir = watched(&root, 20);
    let mut writer = RunWriter::reopen(&dir).unwrap();
    writer.limit_pages_for_test(1);
    let mut failed = 0;
    for second in 20..200 {
        // A new series each second: the file must grow.
        let points = vec![(key(0), second as f64), (key(second), 0.5)];
        failed += u32::from(writer.write_target(vec![(at(second), points)]).is_err());
    }
    assert!(failed > 0, "the disk never became full");
    writer.limit_pages_for_test(1_000_000);
    see(&mut writer, 200..201, &[0]);
    let summary = Run::open(&dir).unwrap().rebuild_summary().unwrap();
    writer.finish(&summary).unwrap();
    let run = Run::open(&dir).unwrap();
    assert_eq!(run.series().unwrap().len(), 2 + 180);
    assert_eq!(run.target(&[SeriesId(0)]).unwrap()[0].len(), 201);
}

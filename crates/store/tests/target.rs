//! The target's side of a run on disk: written, read while it goes on, killed, small.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::borrow::Cow;

use common::Random;
use plimsoll_stats::series::{Entity, EntityKind, Fact, SeriesId, SeriesKey, SeriesKind};
use plimsoll_store::{CaptureRecord, Run, RunMeta, RunWriter};

const ZERO_NS: u64 = 1_790_000_000_000_000_000;

fn key(host: &str, number: u32) -> SeriesKey {
    SeriesKey {
        entity: Entity::new(EntityKind::Host, "", host),
        name: Cow::Owned(format!("test.series.{number}")),
        attributes: vec![(Cow::Borrowed("cpu.mode"), "user".to_owned())],
        unit: Cow::Borrowed("s"),
        kind: SeriesKind::Counter,
    }
}

fn writer(root: &std::path::Path) -> RunWriter {
    let mut writer = RunWriter::create(root, &RunMeta::default()).unwrap();
    writer.set_zero(ZERO_NS).unwrap();
    writer
}

fn at(second: u64) -> u64 {
    ZERO_NS + second * 1_000_000_000
}

/// Writes `seconds` of two series; the second one has a gap.
fn write(writer: &mut RunWriter, seconds: u64) {
    for second in 0..seconds {
        let mut points = vec![(key("web1", 0), second as f64)];
        if second % 10 != 3 {
            points.push((key("web1", 1), 0.1 * second as f64));
        }
        writer.write_target(vec![(at(second), points)]).unwrap();
    }
}

fn check(run: &Run, seconds: usize) {
    let series = run.series().unwrap();
    assert_eq!(series.len(), 2);
    assert_eq!(series[1].1, key("web1", 1));
    let ids: Vec<SeriesId> = series.iter().map(|(id, _)| *id).collect();
    let columns = run.target(&ids).unwrap();
    assert_eq!(columns[0].len(), seconds);
    assert_eq!(columns[0].at_ms[7], 7_000);
    assert!(!columns[1].at_ms.contains(&3_000), "a gap stays a gap");
    assert_eq!(columns[1].values[7], 0.1 * 8.0);
}

#[test]
fn what_was_seen_comes_back_while_it_is_written_and_after_a_kill() {
    let root = tempfile::tempdir().unwrap();
    let mut run = writer(root.path());
    write(&mut run, 130);
    // Two minutes are columns by now, the rest are rows.
    check(&Run::open(run.dir()).unwrap(), 130);
    let dir = run.dir().to_owned();
    drop(run);
    check(&Run::open(&dir).unwrap(), 130);
}

#[test]
fn a_full_disk_loses_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut run = writer(root.path());
    write(&mut run, 20);
    run.limit_pages_for_test(1);
    let mut failed = 0;
    for second in 20..200 {
        // A new series each second: the file must grow.
        let new = key("web1", second as u32);
        let points = vec![(key("web1", 0), second as f64), (new, 0.5)];
        failed += u32::from(run.write_target(vec![(at(second), points)]).is_err());
    }
    assert_eq!(failed, 1);
    let run = run.into_run().unwrap();
    assert_eq!(run.target(&[SeriesId(0)]).unwrap()[0].len(), 200);
    assert_eq!(run.series().unwrap().len(), 2 + 180);
}

#[test]
fn facts_and_captures_come_back() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let entity = Entity::new(EntityKind::WebServer, "java[8080]", "web1");
    let fact = Fact {
        entity: entity.clone(),
        name: "server.tomcat.threads.max".to_owned(),
        value: "200".to_owned(),
    };
    writer.write_fact(ZERO_NS - 5, &fact).unwrap();
    let record = CaptureRecord {
        entity: (*entity).clone(),
        kind: "thread_dump".to_owned(),
        moment: "knee".to_owned(),
        media_type: "text/plain".to_owned(),
        took_ns: 7,
    };
    let bytes = b"\"http-nio-1\" BLOCKED\n".repeat(50);
    writer.write_capture(at(9), &record, &bytes).unwrap();
    let run = writer.into_run().unwrap();
    let facts = run.facts().unwrap();
    assert_eq!((facts[0].at_ns, &facts[0].fact), (-5, &fact));
    let captures = run.captures().unwrap();
    assert_eq!(captures[0].at_ns, 9_000_000_000);
    assert_eq!(captures[0].length, bytes.len() as u64);
    assert_eq!(captures[0].record.entity, *entity);
    assert_eq!(run.capture_bytes(captures[0].number).unwrap(), Some(bytes));
    assert_eq!(run.capture_bytes(99).unwrap(), None);
    assert!(!run.is_watched());
}

/// The budget of a run is 150 MB for an hour with three hosts. Three minutes of three hosts
/// with 700 series each, a third of them noise that nothing can pack, must stay below a
/// twentieth of that.
#[test]
fn an_hour_of_three_hosts_keeps_to_the_budget() {
    let root = tempfile::tempdir().unwrap();
    let mut run = writer(root.path());
    let mut random = Random(2026);
    let mut noise = move || random.unit();
    let mut sums = vec![0.0; 2_100];
    for second in 0..180 {
        for (host, sums) in ["web1", "web2", "db1"].iter().zip(sums.chunks_mut(700)) {
            let points = sums.iter_mut().enumerate().map(|(number, sum)| {
                *sum += (noise() * 1_000.0).trunc();
                let value = match number % 3 {
                    0 => noise(),
                    1 => *sum,
                    _ => (*sum / 100_000.0).trunc(),
                };
                (key(host, number as u32), value)
            });
            let points: Vec<_> = points.collect();
            run.write_target(vec![(at(second), points)]).unwrap();
        }
    }
    let database = run.dir().join("run.sqlite");
    let summary = Run::open(run.dir()).unwrap().rebuild_summary().unwrap();
    run.finish(&summary).unwrap();
    let bytes = std::fs::metadata(database).unwrap().len();
    assert!(bytes < 150_000_000 / 20, "{bytes} bytes");
}

#[test]
fn a_run_of_the_version_before_has_no_target() {
    let root = tempfile::tempdir().unwrap();
    let run = RunWriter::create(root.path(), &RunMeta::default()).unwrap();
    let dir = run.dir().to_owned();
    drop(run);
    let db = rusqlite::Connection::open(dir.join("run.sqlite")).unwrap();
    db.execute_batch(
        "DROP TABLE clock; DROP TABLE series; DROP TABLE target_rows; DROP TABLE target_columns;
         DROP TABLE facts; DROP TABLE captures; PRAGMA user_version = 1;",
    )
    .unwrap();
    drop(db);
    let run = Run::open(&dir).unwrap();
    assert!(!run.is_watched());
    assert!(run.facts().unwrap().is_empty() && run.captures().unwrap().is_empty());
    assert_eq!(run.capture_bytes(1).unwrap(), None);
}

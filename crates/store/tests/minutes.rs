//! Sums by the minute are those of the seconds, whatever happened to either.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::{LabelId, LabelInterval, LabelKind};
use plimsoll_store::{LabelDef, Run, RunWriter, SecondFigures};
use rusqlite::Connection;

const LABELS: u32 = 4;

/// A run of so many seconds with a transaction among its labels, late parts of some seconds, and a tail; finished or
/// as if killed.
fn written(root: &Path, seconds: u32, is_finished: bool) -> PathBuf {
    let mut writer = RunWriter::create(root, &meta("minutes")).unwrap();
    for id in 0..LABELS {
        let kind = match id {
            0 => LabelKind::Transaction,
            _ => LabelKind::Request,
        };
        let label = LabelDef {
            kind,
            ..label(id, &format!("GET /{id}"))
        };
        writer.add_label(&label).unwrap();
    }
    let mut random = Random(u64::from(seconds));
    let did = |random: &mut Random| -> Vec<(LabelId, LabelInterval)> {
        let all = (0..LABELS).map(LabelId);
        all.map(|id| (id, interval(random, id, 3 + u64::from(id.0), true)))
            .collect()
    };
    for second in 0..seconds {
        let did = did(&mut random);
        let rows: Vec<_> = did.iter().map(|(id, did)| (*id, did)).collect();
        writer
            .write_second(second, &rows, &generator(second))
            .unwrap();
        // Another load host's part comes 20 s later, one of them 100 s later.
        for late in [
            (second % 7 == 0).then_some(20),
            (second == 170).then_some(100),
        ] {
            if let Some(late) = late.and_then(|late| second.checked_sub(late)) {
                writer
                    .write_second(late, &rows[..2], &generator(late))
                    .unwrap();
            }
        }
        if second + 3 > seconds {
            writer
                .write_tail(second + 5, &rows, &generator(second + 5))
                .unwrap();
        }
    }
    let dir = writer.dir().to_owned();
    if is_finished {
        let summary = Run::open(&dir).unwrap().rebuild_summary().unwrap();
        writer.finish(&summary).unwrap();
    }
    dir
}

/// What all minutes of a run say: figures, tens, labels, as sums by their keys.
#[derive(Debug, Default, PartialEq)]
struct Summed {
    figures: Vec<SecondFigures>,
    tens: Vec<(u32, bool, LabelInterval)>,
    labels: Vec<(u32, LabelId, bool, LabelInterval)>,
}

fn decoded(bytes: &[u8]) -> Result<LabelInterval, String> {
    let mut interval = LabelInterval::default();
    interval
        .merge_encoded(bytes)
        .map_err(|error| error.to_string())?;
    Ok(interval)
}

fn summed(run: &Run) -> Summed {
    let minutes = run.span_s().unwrap().1.div_ceil(60);
    let mut all = Summed::default();
    run.for_each_minute(0, minutes, |sums| {
        all.figures.extend(&sums.seconds);
        let tens = &mut all.tens;
        sums.for_each_ten(|from_s, late, bytes| {
            tens.push((from_s, late, decoded(bytes)?));
            Ok(())
        })
        .unwrap();
        let labels = &mut all.labels;
        sums.for_each_label(|id, late, bytes| {
            labels.push((sums.minute, id, late, decoded(bytes)?));
            Ok(())
        })
        .unwrap();
    })
    .unwrap();
    assert_eq!(run.figures(minutes * 60).unwrap(), all.figures);
    all
}

/// The same from the seconds alone, without this crate's sums.
fn from_seconds(run: &Run) -> Summed {
    let seconds = run.span_s().unwrap().1.div_ceil(60) * 60;
    let mut all = Summed {
        figures: vec![SecondFigures::default(); seconds as usize],
        ..Summed::default()
    };
    for own in run.generator().unwrap() {
        let figures = &mut all.figures[own.second as usize];
        figures.parts += 1;
        figures.users += own.users_active;
        figures.in_flight += own.in_flight;
        let shares = own.threads.iter().map(|thread| thread.cpu_share);
        figures.busiest = shares.fold(figures.busiest, f64::max);
    }
    let mut tens = std::collections::BTreeMap::<_, LabelInterval>::new();
    let mut labels = std::collections::BTreeMap::<_, LabelInterval>::new();
    run.for_each_second(0, seconds, |part| {
        let late = part.after_load;
        if part.label.kind == LabelKind::Request {
            let figures = &mut all.figures[part.second as usize];
            match late {
                true => figures.after_load += part.interval.samples(),
                false => figures.samples += part.interval.samples(),
            }
            let key = (part.second / 10 * 10, late);
            tens.entry(key).or_default().merge(part.interval);
        }
        let key = (part.second / 60, late, part.label.id);
        labels.entry(key).or_default().merge(part.interval);
    })
    .unwrap();
    all.tens = tens
        .into_iter()
        .map(|((at, late), sum)| (at, late, sum))
        .collect();
    all.labels = labels
        .into_iter()
        .map(|((minute, late, id), sum)| (minute, id, late, sum))
        .collect();
    all
}

/// Does something to a run's database.
fn change(dir: &Path, sql: &str) {
    let db = Connection::open(dir.join("run.sqlite")).unwrap();
    db.execute_batch(sql).unwrap();
}

fn stored(dir: &Path) -> u32 {
    let db = Connection::open(dir.join("run.sqlite")).unwrap();
    let count = db.query_row("SELECT count(*) FROM minutes", [], |row| row.get(0));
    count.unwrap()
}

#[test]
fn minutes_are_the_sums_of_their_seconds() {
    let root = tempfile::tempdir().unwrap();
    // Of a short run none are kept.
    for (seconds, is_finished, kept) in
        [(1, true, 0), (70, true, 0), (230, true, 4), (230, false, 3)]
    {
        let dir = written(root.path(), seconds, is_finished);
        let run = Run::open(&dir).unwrap();
        assert_eq!(summed(&run), from_seconds(&run), "{seconds}");
        assert_eq!(stored(&dir), kept, "{seconds} {is_finished}");
    }
}

#[test]
fn what_is_stored_is_read_in_place_of_the_seconds() {
    let root = tempfile::tempdir().unwrap();
    let dir = written(root.path(), 230, true);
    let before = summed(&Run::open(&dir).unwrap());
    // Minute 1 has a part that came too late for it: it is added up from its seconds.
    change(
        &dir,
        "UPDATE seconds SET intervals = x'63' WHERE second NOT BETWEEN 60 AND 119",
    );
    assert_eq!(summed(&Run::open(&dir).unwrap()), before);
}

#[test]
fn minutes_that_do_not_fit_their_seconds_are_not_believed() {
    for sql in [
        "UPDATE minutes SET tens = labels",
        "UPDATE minutes SET labels = x''",
        "UPDATE minutes SET figures = substr(figures, 2)",
        "UPDATE minutes SET figures = x'00', crc = 'x'",
        "UPDATE minutes SET parts = -1",
        "UPDATE minutes SET last = last + 1",
        "UPDATE minutes SET minute = minute + 1000",
        "UPDATE minutes SET tens = 5",
        "DELETE FROM minutes WHERE minute = 2",
        "DELETE FROM seconds WHERE second = 130",
        "INSERT INTO seconds (second, after_load, intervals, generator) \
         SELECT second, after_load, intervals, generator FROM seconds WHERE second = 3",
        "DROP TABLE minutes",
    ] {
        let root = tempfile::tempdir().unwrap();
        let dir = written(root.path(), 230, true);
        change(&dir, sql);
        let run = Run::open(&dir).unwrap();
        assert_eq!(summed(&run), from_seconds(&run), "{sql}");
    }
}

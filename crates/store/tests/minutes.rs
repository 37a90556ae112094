//! Sums by the minute are those of the seconds, whatever happened to either.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::{Aggregate, LabelId, LabelInterval, LabelKind, Window};
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
                false => {
                    let times = part.interval.all_response();
                    figures.samples += part.interval.samples();
                    figures.errors += part.interval.errors();
                    figures.response_ns += u64::try_from(times.sum_ns()).unwrap();
                    figures.fastest_ns = match figures.fastest_ns {
                        0 => times.min_ns(),
                        known => known.min(times.min_ns()),
                    };
                }
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

/// What labels did in a stretch, as JSON, by the store; and by the seconds alone.
fn both_aggregates(run: &Run, from_s: f64, to_s: f64, with_tail: bool) -> [String; 2] {
    let window = Window::new(from_s, to_s);
    let (stored, mut sum) = match with_tail {
        true => (
            run.aggregate_with_tail(from_s, to_s),
            Aggregate::with_tail(window),
        ),
        false => (run.aggregate(from_s, to_s), Aggregate::new(window)),
    };
    run.labels().iter().for_each(|label| sum.add_label(label));
    let probe_from_s = run.meta().probe_from_s.unwrap_or(u32::MAX);
    run.for_each_second(window.from_s() as u32, probe_from_s, |part| {
        let second = u64::from(part.second);
        match part.after_load || !window.contains(second) {
            true if with_tail => sum.add_tail(part.label, part.interval),
            true => {}
            false => sum.add(second, part.label, part.interval),
        }
    })
    .unwrap();
    [stored.unwrap(), sum].map(|sum| {
        let all: Vec<_> = sum.label_summaries();
        let failed = plimsoll_stats::failures::groups(&sum);
        serde_json::to_string(&(all, sum.total_summary(), failed)).unwrap()
    })
}

const STRETCHES: [(f64, f64); 9] = [
    (0.0, 230.0),
    (0.0, 1.0),
    (1.0, 229.5),
    (59.0, 121.0),
    (60.0, 120.0),
    (60.0, 179.5),
    (61.0, 61.0),
    (130.5, 1e9),
    (500.0, 600.0),
];

fn assert_stretches_hold(run: &Run, stretches: &[(f64, f64)], what: &str) {
    for (from_s, to_s) in stretches.iter().copied() {
        for with_tail in [true, false] {
            let [stored, summed] = both_aggregates(run, from_s, to_s, with_tail);
            assert_eq!(stored, summed, "{what}: {from_s} to {to_s}, {with_tail}");
        }
    }
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
        assert_stretches_hold(&run, &STRETCHES, &format!("{seconds} s"));
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
    let run = Run::open(&dir).unwrap();
    assert_eq!(summed(&run), before);
    let all = run.aggregate_with_tail(0.0, 240.0).unwrap();
    assert!(all.total_summary().samples > 0);
    // Of a part of a minute the seconds are needed.
    assert!(run.aggregate(1.0, 60.0).is_err());
}

#[test]
fn a_load_that_was_raised_at_its_end_is_left_out() {
    let root = tempfile::tempdir().unwrap();
    for probe_from_s in [0, 45, 120, 121, 400] {
        let dir = written(root.path(), 230, true);
        let set = "UPDATE meta SET json = json_set(json, '$.probe_from_s', {})";
        change(&dir, &set.replace("{}", &probe_from_s.to_string()));
        let run = Run::open(&dir).unwrap();
        assert_eq!(run.meta().probe_from_s, Some(probe_from_s));
        assert_stretches_hold(&run, &STRETCHES, &format!("raised at {probe_from_s} s"));
    }
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
        assert_stretches_hold(&run, &STRETCHES[2..3], sql);
    }
}

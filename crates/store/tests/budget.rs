//! 1 h at 5,000/s with 50 labels must stay under 100 MB.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::LabelId;
use plimsoll_store::{Run, RunWriter};

const LABELS: u32 = 50;
const RATE_PER_S: u64 = 5_000;
const HOUR_S: u32 = 3_600;
const BUDGET_BYTES: u64 = 100_000_000;

/// Bytes on disk of a run of that length, response times differing from service times.
fn bytes_of(seconds: u32) -> u64 {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &meta("budget")).unwrap();
    let ids: Vec<LabelId> = (0..LABELS).map(LabelId).collect();
    for id in &ids {
        writer
            .add_label(&label(id.0, &format!("GET /endpoint/{}", id.0)))
            .unwrap();
    }
    let mut random = Random(2026);
    for second in 0..seconds {
        let intervals: Vec<_> = ids
            .iter()
            .map(|id| interval(&mut random, *id, RATE_PER_S / u64::from(LABELS), true))
            .collect();
        let rows: Vec<_> = ids.iter().copied().zip(&intervals).collect();
        writer
            .write_second(second, &rows, &generator(second))
            .unwrap();
    }
    let summary = Run::open(writer.dir()).unwrap().rebuild_summary().unwrap();
    writer.finish(&summary).unwrap();
    let files = std::fs::read_dir(writer.dir()).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[test]
fn a_twentieth_of_an_hour_keeps_within_a_twentieth_of_the_budget() {
    let seconds = HOUR_S / 20;
    let bytes = bytes_of(seconds);
    let label_seconds = u64::from(seconds * LABELS);
    eprintln!(
        "{bytes} bytes, {} for a label's second",
        bytes / label_seconds
    );
    assert!(bytes <= BUDGET_BYTES / 20, "{bytes}");
}

#[test]
#[ignore = "18 million samples"]
fn an_hour_keeps_within_the_budget() {
    let bytes = bytes_of(HOUR_S);
    eprintln!("{bytes} bytes");
    assert!(bytes <= BUDGET_BYTES, "{bytes}");
}

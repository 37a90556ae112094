//! The times of a chain's hops are kept with a run that is over.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::hops::{HopTimes, MeasuredHop};
use plimsoll_store::{Run, RunWriter, StoreErrorKind};

fn times(users: u32) -> HopTimes {
    let hop = MeasuredHop {
        name: "gateway".to_owned(),
        address: "http://127.0.0.1:8080".to_owned(),
        samples: 30,
        ..MeasuredHop::default()
    };
    HopTimes {
        users,
        hops: vec![hop],
        ..HopTimes::default()
    }
}

fn write_a_second(writer: &mut RunWriter) {
    let label = label(0, "GET /");
    writer.add_label(&label).unwrap();
    let row = interval(&mut Random(1), label.id, 10, false);
    writer
        .write_second(0, &[(label.id, &row)], &generator(0))
        .unwrap();
}

#[test]
fn times_are_kept_replaced_and_read_by_others() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &meta("chain")).unwrap();
    write_a_second(&mut writer);
    let going_on = Run::open(writer.dir()).unwrap();
    let refused = going_on.keep_hops(&times(1)).unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::StillWritten);
    let summary = going_on.rebuild_summary().unwrap();
    drop(going_on);
    writer.finish(&summary).unwrap();
    let run = writer.into_run().unwrap();
    assert_eq!(run.hops().unwrap(), None);
    run.keep_hops(&times(1)).unwrap();
    assert_eq!(run.hops().unwrap(), Some(times(1)));
    run.keep_hops(&times(8)).unwrap();
    let dir = run.dir().to_owned();
    drop(run);
    let again = Run::open(&dir).unwrap();
    assert_eq!(again.hops().unwrap(), Some(times(8)));
    assert_eq!(again.summary().unwrap(), Some(summary));
    // One file, as a run that is over has.
    let files: Vec<String> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("run.sqlite"))
        .collect();
    assert_eq!(files, ["run.sqlite"]);
}

#[test]
fn a_run_in_memory_keeps_them_too() {
    let mut writer = RunWriter::in_memory(&meta("chain")).unwrap();
    write_a_second(&mut writer);
    let run = writer.into_run().unwrap();
    run.keep_hops(&times(2)).unwrap();
    assert_eq!(run.hops().unwrap(), Some(times(2)));
}

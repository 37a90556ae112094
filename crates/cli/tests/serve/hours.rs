//! A run of eight hours with 50 labels and 200 series of the target, written by the store's own writer: how long it
//! takes to open. It takes minutes to write, so it is asked for by name:
//!
//!     cargo test -p plimsoll-cli --test serve -- --ignored --nocapture eight_hours
//!
//! `PLIMSOLL_PROGRAM=../../target/release/plimsoll` (seen from `crates/cli`, or a whole path) measures another binary.

use std::time::Instant;

use plimsoll_stats::series::{Entity, EntityKind, SeriesKey, SeriesKind};
use plimsoll_stats::{GeneratorSecond, LabelId, LabelInfo, LabelInterval, LabelKind, ThreadSecond};
use plimsoll_store::{Run, RunWriter};

use crate::client::Served;
use crate::common::folder;
use crate::recorded::{BEGAN, begun};

const HOURS: u32 = 8;
const LABELS: u32 = 50;
const SERIES: u32 = 200;

/// Some requests of a label in a second; several such differ.
fn did(variant: u64) -> LabelInterval {
    let mut did = LabelInterval::default();
    for request in 0..20 {
        let ns = 1_000_000 * (1 + (request * 7 + variant * 13) % 90) + request * 1_009;
        did.ok.record(ns, ns);
    }
    did
}

fn keys() -> Vec<SeriesKey> {
    let key = |number: u32| SeriesKey {
        entity: Entity::new(
            EntityKind::Process,
            format!("worker[{}]", number / 10),
            "web",
        ),
        name: format!("process.figure.{}", number % 10).into(),
        attributes: Vec::new(),
        unit: "1".into(),
        kind: match number % 2 {
            0 => SeriesKind::Gauge,
            _ => SeriesKind::Counter,
        },
    };
    (0..SERIES).map(key).collect()
}

fn put_second(writer: &mut RunWriter, second: u32, variants: &[LabelInterval], keys: &[SeriesKey]) {
    let at = |label: u32| &variants[((second * 31 + label * 17) % 97) as usize];
    let labels: Vec<_> = (0..LABELS)
        .map(|label| (LabelId(label), at(label)))
        .collect();
    let generator = GeneratorSecond {
        second: second.into(),
        threads: vec![ThreadSecond::default(); 2],
        users_active: 200,
        in_flight: 50,
        ..GeneratorSecond::default()
    };
    writer.write_second(second, &labels, &generator).unwrap();
    let points = keys.iter().zip(0_u32..).map(|(key, number)| {
        let value = match key.kind {
            SeriesKind::Gauge => f64::from((second * 7 + number) % 1_000),
            SeriesKind::Counter => f64::from(second) * f64::from(number),
        };
        (key.clone(), value)
    });
    let at_unix_ns = BEGAN + u64::from(second) * 1_000_000_000;
    writer
        .write_target(vec![(at_unix_ns, points.collect())])
        .unwrap();
}

#[test]
#[ignore = "takes minutes"]
fn a_run_of_eight_hours_opens_at_once() {
    let dir = folder();
    let mut writer = begun(dir.path());
    for label in 0..LABELS {
        let label = LabelInfo {
            id: LabelId(label),
            name: format!("GET /page/{label}"),
            kind: LabelKind::Request,
            parent: None,
        };
        writer.add_label(&label).unwrap();
    }
    let variants: Vec<LabelInterval> = (0..97).map(did).collect();
    let keys = keys();
    let mut summary = None;
    for second in 0..HOURS * 3_600 {
        put_second(&mut writer, second, &variants, &keys);
        if second == 60 {
            summary = Some(Run::open(writer.dir()).unwrap().rebuild_summary().unwrap());
        }
    }
    let mut summary = summary.unwrap();
    summary.duration_s = f64::from(HOURS * 3_600);
    let id = writer
        .dir()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    writer.finish(&summary).unwrap();
    drop(writer);
    let size = std::fs::metadata(
        dir.path()
            .join("plimsoll-runs")
            .join(&id)
            .join("run.sqlite"),
    );
    println!("database: {} MB", size.unwrap().len() >> 20);
    for round in ["first server", "second server"] {
        let served = Served::start(dir.path());
        for again in ["at first", "again"] {
            for path in [
                "/runs".to_owned(),
                format!("/runs/{id}"),
                format!("/runs/{id}/series?points=1000"),
                format!("/runs/{id}/series?points=1000&names=throughput,process.figure.1"),
                format!("/runs/{id}/series?points=1000&label=GET%20/page/7"),
                format!("/runs/{id}/labels"),
                format!("/runs/{id}/labels?from_s=100&to_s=20000"),
                format!("/runs/{id}/heatmap"),
                format!("/runs/{id}/distribution"),
                format!("/runs/{id}/curve"),
                format!("/runs/{id}/findings"),
                format!("/runs/{id}/evidence/findings"),
            ] {
                let (began, read) = (Instant::now(), served.read_bytes());
                let value = served.get(&path);
                assert!(value.is_object() || path.ends_with("/curve"));
                println!(
                    "{round}, {again}: {path}: {:.3} s, {} kB read",
                    began.elapsed().as_secs_f64(),
                    (served.read_bytes() - read) >> 10
                );
            }
        }
    }
}

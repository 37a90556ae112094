//! A stored run made of recorded evidence: real thread dumps, histograms, statements, series, of services with a
//! known fault. Written by the store's own writer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plimsoll_diagnose::Evidence;
use plimsoll_stats::series::SeriesKey;
use plimsoll_stats::{GeneratorSecond, LabelId, LabelInfo, LabelInterval, LabelKind};
use plimsoll_store::{CaptureRecord, Run, RunMeta, RunWriter};
use serde_json::{Value, json};

/// A run that began then.
pub const BEGAN: u64 = 1_772_593_445_000_000_000;

/// The recorded evidence of that name.
pub fn recording(name: &str) -> Evidence {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/diagnose")
        .join(format!("{name}.evidence.gz"));
    Evidence::load(std::fs::File::open(path).unwrap()).unwrap()
}

/// A run that is being written, so that more can be put to it.
pub fn begun(root: &Path) -> RunWriter {
    let meta = RunMeta {
        name: "recorded".to_owned(),
        plan_name: "recorded".to_owned(),
        plan_source: "http://127.0.0.1:1/".to_owned(),
        started_at_unix_ns: BEGAN,
        target: "http://127.0.0.1:1/".to_owned(),
        ..RunMeta::default()
    };
    let mut writer = RunWriter::create(&root.join("plimsoll-runs"), &meta).unwrap();
    writer.set_zero(BEGAN).unwrap();
    writer
}

/// A capture that was taken so long after the begin.
pub fn put_capture(writer: &mut RunWriter, at_ms: i64, record: &CaptureRecord, bytes: &[u8]) {
    let at_unix_ns = BEGAN.saturating_add_signed(at_ms * 1_000_000);
    writer.write_capture(at_unix_ns, record, bytes).unwrap();
}

/// Ends it with the summary that its seconds make.
pub fn finish(mut writer: RunWriter) {
    let run = Run::open(writer.dir()).unwrap();
    let summary = run.rebuild_summary().unwrap();
    drop(run);
    writer.finish(&summary).unwrap();
}

/// All that was recorded; gives the run's folder.
pub fn stored(root: &Path, evidence: &Evidence) -> PathBuf {
    let mut writer = begun(root);
    let dir = writer.dir().to_owned();
    seconds(&mut writer, evidence);
    let mut moments: BTreeMap<i64, Vec<(SeriesKey, f64)>> = BTreeMap::new();
    for series in &evidence.series {
        for (at_ms, value) in series.at_ms.iter().zip(&series.values) {
            moments
                .entry(*at_ms)
                .or_default()
                .push((series.key.clone(), *value));
        }
    }
    let moments = moments.into_iter();
    let moments =
        moments.map(|(at_ms, points)| (BEGAN.saturating_add_signed(at_ms * 1_000_000), points));
    writer.write_target(moments.collect()).unwrap();
    for fact in &evidence.facts {
        writer.write_fact(BEGAN, fact).unwrap();
    }
    for capture in &evidence.captures {
        let record = CaptureRecord {
            entity: capture.entity.clone(),
            kind: capture.kind.clone(),
            moment: capture.moment.clone(),
            media_type: "text/plain".to_owned(),
            took_ns: 1_000_000,
        };
        put_capture(&mut writer, capture.at_ms, &record, capture.text.as_bytes());
    }
    finish(writer);
    dir
}

/// Goroutines of a Go program, as the watcher tells them: 100 wait for a connection and one runs, in each of ten looks.
pub fn goroutines() -> Value {
    json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 0, "lasted_s": 2.5, "pid": 0, "processes": 1,
        "runtime": "Go", "cpus": 0, "samples_per_cpu_and_second": 0, "samples": 0, "looks": 10,
        "lost": 0, "whole": 1_010, "unnamed_places": 0, "cost_s": 0.0, "others": 0,
        "frames": [
            {"function": "database/sql.(*DB).conn", "kind": "native"},
            {"function": "main.<b>buy</b>", "kind": "native"},
            {"function": "main.spin", "kind": "native"},
        ],
        "stacks": [
            {"state": "futex", "thread": "", "count": 1_000, "calls": [0, 1, 99]},
            {"state": "running", "thread": "", "count": 10, "calls": [2]},
        ],
    })
}

/// The load: as many requests in each second as there were, each as long as they took on average.
fn seconds(writer: &mut RunWriter, evidence: &Evidence) {
    let label = LabelInfo {
        id: LabelId(0),
        name: "GET /".to_owned(),
        kind: LabelKind::Request,
        parent: None,
    };
    writer.add_label(&label).unwrap();
    for second in &evidence.load.seconds {
        let mut did = LabelInterval::default();
        for _ in 0..second.samples {
            let response_ns = (second.response_ms * 1e6) as u64;
            did.ok.record(response_ns, response_ns);
        }
        let generator = GeneratorSecond {
            second: second.second.into(),
            users_active: second.users,
            in_flight: second.in_flight,
            ..GeneratorSecond::default()
        };
        let did = [(label.id, &did)];
        writer
            .write_second(second.second, &did, &generator)
            .unwrap();
    }
}

/// Leaves a recorded run for the browser's tests, which look at it on a server of their own
/// (web/tests/browser/evidence.test.ts, studied.test.ts).
#[test]
#[ignore = "writes the recording that PLIMSOLL_RECORDING names as a run into the folder that PLIMSOLL_RECORDED names"]
fn a_recorded_run_for_the_browser() {
    let root = std::env::var_os("PLIMSOLL_RECORDED").expect("PLIMSOLL_RECORDED names a folder");
    let name = std::env::var("PLIMSOLL_RECORDING").expect("PLIMSOLL_RECORDING names a recording");
    let mut evidence = recording(&name);
    let mut capture = evidence.captures[0].clone();
    capture.kind = "goroutines".to_owned();
    capture.text = goroutines().to_string();
    evidence.captures.push(capture);
    stored(Path::new(&root), &evidence);
}

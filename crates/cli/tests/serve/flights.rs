//! Flight recordings of a real JVM, held against what the JDK's own `jfr` prints of them.

use std::process::Command;

use serde_json::json;

use crate::client::Served;
use crate::common::folder;
use crate::evidence::{described, name_of, record, total_of};
use crate::recorded::{begun, finish, put_capture};
use crate::recording::flight_recording;

/// What the JDK's own `jfr` prints of the events of a kind.
fn printed(file: &std::path::Path, event: &str) -> String {
    let mut jfr = Command::new("jfr");
    let done = jfr.args(["print", "--events", event]).arg(file).output();
    let done = done.expect("a JDK has jfr");
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_flight_recording_is_what_the_jdk_prints_of_it() {
    let dir = folder();
    let Some(file) = flight_recording(dir.path()) else {
        return;
    };
    let mut writer = begun(dir.path());
    let bytes = std::fs::read(&file).unwrap();
    put_capture(
        &mut writer,
        1_000,
        &record("jfr", "application/x-jfr"),
        &bytes,
    );
    let id = name_of(writer.dir());
    finish(writer);
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let flame = |query: &str| described(&served, &api, &id, 1, "/flame", query)["graph"].clone();

    let cpu = flame("");
    let samples = printed(&file, "jdk.ExecutionSample");
    let count = samples.matches("jdk.ExecutionSample {").count();
    assert!(count > 5, "{samples}");
    assert_eq!(
        (&cpu["total"], &cpu["unit"]),
        (&json!(count as f64), &json!("samples"))
    );

    let locks = flame("?of=locks");
    let waits = printed(&file, "jdk.JavaMonitorEnter");
    let lasted_ms: f64 = waits.lines().filter_map(duration_ms).sum();
    let total_ms = locks["total"].as_f64().unwrap();
    // Each is printed to three digits.
    assert!(lasted_ms > 0.0, "{waits}");
    assert!(
        (total_ms / lasted_ms - 1.0).abs() < 0.01,
        "{total_ms} {lasted_ms}"
    );
    let of_desk: f64 = waits
        .split("jdk.JavaMonitorEnter {")
        .filter(|event| event.contains("monitorClass = Busy$Desk "))
        .filter_map(|event| event.lines().find_map(duration_ms))
        .sum();
    assert!(of_desk > 0.0, "{waits}");
    let told = total_of(&locks, "Busy$Desk");
    assert!((told / of_desk - 1.0).abs() < 0.01, "{told} {of_desk}");
}

/// The milliseconds of a line such as `duration = 20.2 ms`.
fn duration_ms(line: &str) -> Option<f64> {
    let (number, unit) = line.trim().strip_prefix("duration = ")?.split_once(' ')?;
    let number: f64 = number.parse().unwrap();
    Some(match unit {
        "ns" => number / 1e6,
        "us" => number / 1e3,
        "ms" => number,
        "s" => number * 1e3,
        _ => panic!("{line}"),
    })
}

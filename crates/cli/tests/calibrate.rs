//! `plimsoll calibrate` as a user calls it: what it measures, keeps and says, and what it refuses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod support;

use std::path::Path;

use common::json::{assert_valid, json};
use common::{Told, folder, plimsoll_with, refusing_url};
use plimsoll_stats::Ceiling;
use plimsoll_store::Run;
use serde_json::Value;
use support::http::{HttpServer, Response};
use tempfile::TempDir;

/// Calls it with few users and short steps, state in `dir/state`.
fn calibrate(dir: &TempDir, more: &[&str]) -> Told {
    let usual = ["calibrate", "--users", "4", "--step-seconds", "2"];
    called(dir, &[&usual[..], more].concat())
}

fn called(dir: &TempDir, args: &[&str]) -> Told {
    let state = dir.path().join("state");
    let env = [
        ("XDG_STATE_HOME", state.to_str().unwrap()),
        ("STATE_DIRECTORY", ""),
    ];
    plimsoll_with(dir, args, &env)
}

fn kept(dir: &TempDir) -> Value {
    let path = dir.path().join("state/plimsoll/calibration.json");
    json(&std::fs::read_to_string(path).unwrap())
}

#[test]
fn the_ceiling_is_measured_kept_and_told_in_both_languages() {
    let dir = folder();
    let told = calibrate(&dir, &["--json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let document = json(&told.out);
    assert_valid(&dir, "calibration", &document);
    let ceiling = &document["ceiling"];
    let number = |name: &str| ceiling[name].as_f64().unwrap();
    // What belongs together agrees: D = U / X, and every figure from it.
    let per_core = number("per_core_per_s");
    assert!(
        (number("cpu_us_per_request") * per_core / 1e6 - 1.0).abs() < 1e-6,
        "{ceiling:#}"
    );
    let cpus = ceiling["machine"]["cpus"].as_f64().unwrap();
    assert!((number("all_cores_per_s") / per_core - cpus).abs() < 1e-6);
    let steps = document["steps"].as_array().unwrap();
    let users: Vec<u64> = steps.iter().map(|s| s["users"].as_u64().unwrap()).collect();
    assert!([1, 2, 4].starts_with(&users), "{users:?}");
    let rates = steps
        .iter()
        .map(|s| s["throughput_per_s"].as_f64().unwrap());
    assert_eq!(rates.fold(0.0, f64::max), number("measured_per_s"));
    let page_share = number("page_share");
    assert!(0.0 < page_share && page_share < 1.0, "{ceiling:#}");
    assert_eq!(kept(&dir)["ceilings"][0], *ceiling);

    // The runs were only for this.
    assert!(!dir.path().join("plimsoll-runs").exists());
    let chinese = calibrate(&dir, &["--no-keep-alive", "--lang", "zh"]);
    assert!(
        chinese.code == 0 && chinese.out.contains("压力机") && !chinese.out.contains("calibrate-"),
        "{chinese:?}"
    );
    let all = kept(&dir);
    let modes: Vec<&Value> = all["ceilings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ceiling| &ceiling["keep_alive"])
        .collect();
    assert_eq!(modes, [false, true], "each kind once: {all:#}");
}

#[test]
fn a_page_of_somebody_elses_is_loaded_as_asked() {
    let dir = folder();
    let server = HttpServer::hello();
    let args = [
        &server.url(),
        "--no-keep-alive",
        "--no-save",
        "-o",
        "a.json",
    ];
    let told = calibrate(&dir, &args);
    assert_eq!(told.code, 0, "{told:?}");
    let document = json(&std::fs::read_to_string(dir.path().join("a.json")).unwrap());
    assert_valid(&dir, "calibration", &document);
    assert_eq!(document["ceiling"]["page"], server.url().as_str());
    assert_eq!(document["ceiling"]["page_share"], Value::Null);
    assert_eq!(document["kept"], Value::Null);
    assert!(!dir.path().join("state").exists());
    // A connection for each request.
    let seen = server.seen();
    let last = seen.last().unwrap();
    assert_eq!(last.header("connection"), Some("close"), "{last:?}");
    assert!(seen.len() > 1 && last.connection > 0);
}

/// Keeps a ceiling that is measured nowhere.
fn set_ceiling(path: &Path, per_core_per_s: f64) {
    let mut file = json(&std::fs::read_to_string(path).unwrap());
    file["ceilings"][0]["per_core_per_s"] = per_core_per_s.into();
    std::fs::write(path, file.to_string()).unwrap();
}

/// The ids of what `diagnose last` finds of the generator, and whether each calls the measurement in question.
fn of_generator(dir: &TempDir) -> Vec<(String, bool)> {
    let told = called(dir, &["diagnose", "last", "--json"]);
    let found = json(&told.out);
    let findings = found["findings"].as_array().unwrap().iter();
    let generator = findings.filter(|finding| finding["object"]["kind"] == "generator");
    generator
        .map(|finding| {
            let id = finding["id"].as_str().unwrap().to_owned();
            (id, finding["layer"] == "measurement")
        })
        .collect()
}

#[test]
fn a_run_is_compared_with_the_ceiling_of_its_machine() {
    let dir = folder();
    let server = HttpServer::start(|_| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        Response::ok("hello")
    });
    let url = server.url();
    let run = || {
        let told = called(
            &dir,
            &[
                "run",
                &url,
                "-c",
                "1",
                "--threads",
                "1",
                "--duration",
                "3s",
                "--quiet",
            ],
        );
        assert!(matches!(told.code, 0 | 4), "{told:?}");
    };
    let says_near =
        |found: &[(String, bool)]| found.iter().any(|(id, _)| id == "generator_near_limit");
    // A busy machine may give other reasons, which say more, and then stand in its place.
    let is_near = || {
        let found = of_generator(&dir);
        let others = found
            .iter()
            .filter(|(id, questions)| *questions && id != "generator_near_limit");
        says_near(&found) != (others.count() > 0)
    };
    run();
    assert!(!says_near(&of_generator(&dir)), "nobody calibrated");
    assert_eq!(calibrate(&dir, &["--quiet"]).code, 0);
    let path = dir.path().join("state/plimsoll/calibration.json");
    // Whatever this machine is, it does more than one request a second.
    set_ceiling(&path, 1.0);
    assert!(is_near(), "a run made before the calibration");
    run();
    std::fs::remove_file(&path).unwrap();
    assert!(is_near(), "the run carries what was known when it was made");
    let folder = support::runs_in(dir.path()).pop().unwrap();
    let known: Vec<Ceiling> = Run::open(&folder).unwrap().meta().ceilings.clone();
    assert_eq!(known.len(), 1);
    assert_eq!(known[0].per_core_per_s, 1.0);
    assert_eq!(calibrate(&dir, &["--quiet"]).code, 0);
    set_ceiling(&path, 1e9);
    run();
    assert!(!says_near(&of_generator(&dir)), "far below it");
}

#[test]
fn what_cannot_be_calibrated_is_said() {
    let dir = folder();
    let failing = HttpServer::start(|_| Response::new(500, "no"));
    let refusing = refusing_url();
    for (args, code, part) in [
        (vec!["plan.yaml"], 2, "http://"),
        (vec!["http://"], 2, "http://"),
        (vec!["--users", "0"], 2, "--users"),
        (vec!["--step-seconds", "1"], 2, "--step-seconds"),
        (vec!["--threads", "none"], 2, "--threads"),
        (vec![refusing.as_str(), "--users", "1"], 3, "reached"),
        (vec![&failing.url(), "--step-seconds", "2"], 1, "100 %"),
    ] {
        let told = called(&dir, &[&["calibrate"], &args[..]].concat());
        assert!(
            told.code == code && told.err.contains(part),
            "{args:?} {told:?}"
        );
        assert!(!told.err.contains("calibrate-"), "{told:?}");
    }
    assert!(!dir.path().join("state").exists(), "nothing was stored");
    // Where the response cannot be kept it is told all the same.
    std::fs::write(dir.path().join("state"), "a file").unwrap();
    let told = called(
        &dir,
        &["calibrate", "--users", "1", "--step-seconds", "2", "--json"],
    );
    assert!(
        told.code == 0 && told.err.contains("calibration.json"),
        "{told:?}"
    );
    assert_eq!(json(&told.out)["kept"], Value::Null);
}

//! `plimsoll capacity` and `plimsoll size` as a user calls them, against a real server whose
//! limit is known: it refuses requests beyond a number under way.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use common::java::Java;
use common::json::{assert_valid, json};
use common::{Told, folder, jmeter_plan, plimsoll, plimsoll_started, refusing_url, told, write};
use plimsoll_store::Run;
use serde_json::Value;
use tempfile::TempDir;

/// Serves so many requests at once and responds with 503 to all others.
fn server(most: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let under_way = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let under_way = Arc::clone(&under_way);
            std::thread::spawn(move || serve(&stream, &under_way, most));
        }
    });
    url
}

fn serve(stream: &TcpStream, under_way: &AtomicUsize, most: usize) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
        }
        let fits = under_way.fetch_add(1, Ordering::SeqCst) < most;
        // Long enough that all users are there at once.
        std::thread::sleep(Duration::from_millis(if fits { 20 } else { 2 }));
        under_way.fetch_sub(1, Ordering::SeqCst);
        let status = if fits { "200 OK" } else { "503 Busy" };
        let result = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok");
        (&*stream).write_all(result.as_bytes()).ok()?;
    }
}

fn search(dir: &TempDir, plan: &str, more: &[&str]) -> Told {
    let usual = [
        "capacity",
        plan,
        "--goal",
        "errors < 1 %",
        "--step-seconds",
        "5",
        "--cool-down",
        "100ms",
        "--repeats",
        "1",
    ];
    plimsoll(dir, &[&usual[..], more].concat())
}

#[test]
fn the_most_users_that_a_server_takes_are_found() {
    let dir = folder();
    let told = search(&dir, &server(6), &["--to", "16"]);
    // 4: a busy machine may limit the generator, which is not what is tested here.
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let runs = dir.path().join("plimsoll-runs");
    let document = json(&std::fs::read_to_string(runs.join("capacity.json")).unwrap());
    assert_valid(&dir, "capacity", &document);
    let result = &document["result"];
    assert_eq!(result["end"], "found", "{document:#}");
    assert_eq!(result["load"], 6.0, "{document:#}");
    assert!(result["high"].as_f64().unwrap() >= 7.0, "{document:#}");
    assert_eq!(document["beyond"]["load"], 7.0);
    assert_eq!(document["beyond"]["goal"]["goal"], "errors < 1 %");
    let diagnosed = document["beyond"]["diagnosis"]["outcome"].as_str();
    assert!(diagnosed.is_some(), "{document:#}");
    let measurements = document["measurements"].as_array().unwrap();
    assert!(measurements.len() <= 12);
    assert_curve(&dir, &document);
    assert!(told.out.contains("E, more than half"), "{told:?}");
    for measurement in measurements {
        let load = measurement["load"].as_f64().unwrap();
        assert_eq!(measurement["met"], load <= 6.0, "{measurement:#}");
        // Far beyond the limit the target is not hurt for longer than need be.
        if load >= 16.0 {
            assert_eq!(measurement["stopped_early"], true, "{measurement:#}");
        }
        let run = Run::open(&runs.join(measurement["run"].as_str().unwrap())).unwrap();
        assert!(run.meta().load_profile.is_some());
    }
    assert!(
        told.out.contains("6 users") && told.out.contains("errors < 1 %"),
        "{told:?}"
    );
}

/// The curve of a search has the form of a run's, a point for each load, and its marks are where the measurements say.
fn assert_curve(dir: &TempDir, document: &Value) {
    let curve = &document["curve"];
    assert_valid(dir, "curve", curve);
    let number = |value: &Value| value.as_f64().unwrap();
    let measured = document["measurements"].as_array().unwrap();
    let mut loads: Vec<f64> = measured.iter().map(|m| number(&m["load"])).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    let points = curve["points"].as_array().unwrap().iter();
    let points: Vec<f64> = points.map(|point| number(&point["load"])).collect();
    assert_eq!(points, loads, "{curve:#}");
    let fails = |m: &&Value| number(&m["error_rate"]) > 0.5;
    let failing = measured.iter().filter(fails).map(|m| number(&m["load"]));
    let first = failing.min_by(f64::total_cmp).unwrap();
    assert_eq!(curve["marks"]["e"]["load"], first, "{curve:#}");
    assert!(curve["marks"]["a"]["load"].is_number(), "{curve:#}");
    assert!(curve["marks"]["n_star"]["load"].is_number(), "{curve:#}");
}

#[test]
fn a_target_that_takes_nothing_has_no_capacity() {
    let dir = folder();
    let plan = format!(
        "name: none\ntarget: {}\nusers: 3\nsteps:\n  - get: /\n",
        server(0)
    );
    write(&dir, "plan.yaml", &plan);
    let told = search(
        &dir,
        "plan.yaml",
        &["--to", "4", "-o", "result.json", "--lang", "zh"],
    );
    assert!(matches!(told.code, 1 | 4), "{told:?}");
    let document = json(&std::fs::read_to_string(dir.path().join("result.json")).unwrap());
    assert_eq!(document["result"]["end"], "missed_at_smallest");
    assert_eq!(document["result"]["load"], Value::Null);
    assert!(told.out.contains("没有负载能满足性能目标"), "{told:?}");
}

#[test]
fn a_jmeter_plan_is_searched_by_its_users() {
    let dir = folder();
    write(&dir, "plan.jmx", &jmeter_plan(&server(2)));
    let told = search(&dir, "plan.jmx", &["--to", "4", "--quiet"]);
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let document =
        json(&std::fs::read_to_string(dir.path().join("plimsoll-runs/capacity.json")).unwrap());
    assert_valid(&dir, "capacity", &document);
    assert_eq!(document["model"], "users");
    assert_eq!(document["result"]["load"], 2.0, "{document:#}");
    assert_eq!(document["beyond"]["load"], 3.0, "{document:#}");
}

/// Serves so many requests at once, each in 50 ms, and lets all others wait.
fn queueing_server(most: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let places = Arc::new((Mutex::new(most), Condvar::new()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let places = Arc::clone(&places);
            std::thread::spawn(move || queue(&stream, &places));
        }
    });
    url
}

fn queue(stream: &TcpStream, (places, freed): &(Mutex<usize>, Condvar)) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
        }
        let free = places.lock().unwrap();
        *freed.wait_while(free, |free| *free == 0).unwrap() -= 1;
        std::thread::sleep(Duration::from_millis(50));
        *places.lock().unwrap() += 1;
        freed.notify_one();
        (&*stream)
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            .ok()?;
    }
}

#[test]
fn the_highest_rate_that_a_server_keeps_up_with_is_found() {
    // Four at once in 50 ms or a little more: at most 80 a second, and at 160 it falls behind.
    let dir = folder();
    let told = plimsoll(
        &dir,
        &[
            "capacity",
            &queueing_server(4),
            "--goal",
            "p95 < 500 ms",
            "--from",
            "20/s",
            "--to",
            "160/s",
            "--step-seconds",
            "6",
            "--cool-down",
            "2s",
            "--repeats",
            "1",
            "--precision",
            "20",
            "--max-in-flight",
            "200",
            "--quiet",
        ],
    );
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let document =
        json(&std::fs::read_to_string(dir.path().join("plimsoll-runs/capacity.json")).unwrap());
    assert_valid(&dir, "capacity", &document);
    assert_eq!(document["model"], "rate");
    let result = &document["result"];
    assert_eq!(result["end"], "found", "{document:#}");
    // A short measurement may meet the goal a little beyond 80; a slow machine does less.
    let load = result["load"].as_f64().unwrap();
    assert!((20.0..115.0).contains(&load), "{document:#}");
    let beyond = document["beyond"]["load"].as_f64().unwrap();
    assert!(beyond > load, "{document:#}");
}

#[test]
fn what_limits_just_beyond_the_limit_is_named() {
    // Two workers with 50 ms each: 25 ms more for each user beyond two.
    let Some(server) = Java::few_workers() else {
        return;
    };
    let dir = folder();
    let told = plimsoll(
        &dir,
        &[
            "capacity",
            &server.url(),
            "--goal",
            "p95 < 180 ms",
            "--from",
            "2",
            "--to",
            "16",
            "--step-seconds",
            "8",
            "--cool-down",
            "100ms",
            "--max-measurements",
            "4",
            "--repeats",
            "1",
            "--watch",
            "auto",
            "--watch-allow-capture",
            "--lang",
            "en",
        ],
    );
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    let document =
        json(&std::fs::read_to_string(dir.path().join("plimsoll-runs/capacity.json")).unwrap());
    assert_valid(&dir, "capacity", &document);
    let beyond = &document["beyond"];
    assert!(beyond["load"].as_f64().unwrap() > 2.0, "{document:#}");
    let diagnosis = &beyond["diagnosis"];
    // A generator without CPU is told first, and is not what is tested here.
    let mut findings = diagnosis["findings"].as_array().unwrap().iter();
    let first = findings.find(|finding| finding["layer"] != "measurement");
    let first = first.unwrap_or_else(|| panic!("{diagnosis:#}"));
    assert_eq!(
        (&first["id"], &first["layer"]),
        (&"worker_threads".into(), &"cause".into()),
        "{diagnosis:#}"
    );
    assert_eq!(first["advice"][0]["current"], "2", "{first:#}");
    // The same for people.
    assert!(told.out.contains("All 2 worker threads"), "{told:?}");
}

#[test]
fn an_interrupted_search_tells_what_it_knows_and_leaves_the_target_alone() {
    let dir = folder();
    let url = server(64);
    let mut child = plimsoll_started(
        &dir,
        &[
            "capacity",
            &url,
            "--goal",
            "errors < 1 %",
            "--from",
            "1",
            "--to",
            "64",
            "--step-seconds",
            "5",
            "--cool-down",
            "100ms",
            "--lang",
            "en",
        ],
    );
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    while !seen.contains("Measurement 3 ") {
        let begin = seen.len();
        assert!(err.read_line(&mut seen).unwrap() > 0, "{seen}");
        assert!(seen.len() > begin);
    }
    let pid = child.id().to_string();
    let interrupted = Command::new("kill").args(["-INT", &pid]).status();
    assert!(interrupted.unwrap().success());
    err.read_to_string(&mut seen).unwrap();
    let told = told(child);
    assert_eq!(told.code, 130, "{told:?} {seen}");
    assert!(!seen.contains("Measurement 4 "), "{seen}");
    let document =
        json(&std::fs::read_to_string(dir.path().join("plimsoll-runs/capacity.json")).unwrap());
    assert_valid(&dir, "capacity", &document);
    assert_eq!(document["result"]["end"], "interrupted", "{document:#}");
    // Two were whole; the third was cut short and says nothing.
    assert_eq!(document["measurements"].as_array().unwrap().len(), 2);
    let load = document["result"]["load"].as_f64().unwrap();
    assert_eq!(document["measurements"][1]["load"], load, "{document:#}");
    assert!(
        told.out.contains("Interrupted after 2 measurements"),
        "{told:?}"
    );
}

#[test]
fn what_cannot_be_searched_is_said() {
    let dir = folder();
    let url = refusing_url();
    let mixed = format!(
        "target: {url}\nscenarios:\n  a:\n    users: 1\n    steps: [{{get: /}}]\n  b:\n    \
         rate: 5/s\n    duration: 5s\n    steps: [{{get: /}}]\n"
    );
    write(&dir, "mixed.yaml", &mixed);
    let goal = ["--goal", "p95 < 1 s"];
    for (args, part) in [
        (vec![url.as_str()], "--goal"),
        (
            vec![url.as_str(), "--goal", "throughput > 5 /s"],
            "throughput",
        ),
        (vec![url.as_str(), "--from", "10", "--to", "5/s"], "--from"),
        (vec![url.as_str(), "--from", "10", "--to", "5"], "--from"),
        (vec![url.as_str(), "--from", "ten"], "100/s"),
        (vec!["mixed.yaml"], "scenarios"),
    ] {
        let mut all = vec!["capacity"];
        all.extend(args);
        if part != "--goal" && part != "throughput" {
            all.extend(goal);
        }
        let told = plimsoll(&dir, &all);
        assert!(
            told.code == 2 && told.err.contains(part),
            "{all:?} {told:?}"
        );
    }
    let told = plimsoll(
        &dir,
        &[&["capacity", &url, "--step-seconds", "5"][..], &goal].concat(),
    );
    assert_eq!(told.code, 3, "{told:?}");
}

#[test]
fn sizes_come_with_their_formulas_in_both_languages() {
    let dir = folder();
    let args = [
        "size",
        "--visits-per-day",
        "4,320,000",
        "--response-time",
        "200ms",
        "--think-time",
        "2800ms",
        "--cores",
        "4",
        "--memory",
        "1GB",
    ];
    let english = plimsoll(&dir, &args);
    assert_eq!(english.code, 0, "{english:?}");
    for part in [
        "100 requests/s",
        "86,400",
        "N = X · (R + Z)",
        "300",
        "800",
        "Little",
        "half",
    ] {
        assert!(english.out.contains(part), "{part}: {}", english.out);
    }
    let chinese = plimsoll(&dir, &[&args[..], &["--lang", "zh"]].concat());
    assert!(
        chinese.out.contains("利特尔定律") && !chinese.out.contains("size-"),
        "{chinese:?}"
    );
    let told = plimsoll(&dir, &[&args[..], &["--json"]].concat());
    let sizes = json(&told.out);
    assert_valid(&dir, "size", &sizes);
    assert_eq!(
        (sizes["threads"].as_u64(), sizes["pool"].as_u64()),
        (Some(20), Some(10))
    );
    let few = json(&plimsoll(&dir, &["size", "--cores", "2", "--json"]).out);
    assert_valid(&dir, "size", &few);
    assert_eq!(
        (&few["users"], &few["host_web_threads"]),
        (&Value::Null, &400.into())
    );
}

#[test]
fn sizes_of_nothing_are_refused() {
    let dir = folder();
    for (args, part) in [
        (&["size"][..], "--visits-per-day"),
        (&["size", "--users", "5"], "--response-time"),
        (&["size", "--visits-per-day=-3"], "visits"),
        (
            &["size", "--tps", "5/s", "--response-time", "0s"],
            "--response-time",
        ),
        (
            &["size", "--visits-per-day", "5", "--busy-day", "0"],
            "percent",
        ),
        (&["size", "--cores", "0"], "cores"),
    ] {
        let told = plimsoll(&dir, args);
        assert!(
            told.code == 2 && told.err.contains(part),
            "{args:?} {told:?}"
        );
    }
}

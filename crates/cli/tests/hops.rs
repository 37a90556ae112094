//! `plimsoll hops` as a user calls it: real servers on loopback that stand before each other,
//! each with a delay of its own.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::json::{assert_valid, json};
use common::{Told, folder, jmeter_plan, plimsoll, refusing_url, write};
use plimsoll_store::Run;
use serde_json::Value;
use tempfile::TempDir;

/// A hop: waits, asks the one behind it, responds with its status. It remembers the paths.
struct Server {
    port: u16,
    status: Arc<AtomicU16>,
    paths: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(delay_ms: u64, behind: Option<&Self>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let status = Arc::new(AtomicU16::new(200));
        let paths = Arc::<Mutex<Vec<String>>>::default();
        let behind = behind.map(|server| server.port);
        let (own_status, own_paths) = (Arc::clone(&status), Arc::clone(&paths));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (status, paths) = (Arc::clone(&own_status), Arc::clone(&own_paths));
                let delay = Duration::from_millis(delay_ms);
                std::thread::spawn(move || serve(&stream, delay, behind, &status, &paths));
            }
        });
        Self {
            port,
            status,
            paths,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn asked(&self) -> Vec<String> {
        let mut paths = self.paths.lock().unwrap().clone();
        paths.sort();
        paths.dedup();
        paths
    }
}

fn serve(
    stream: &TcpStream,
    delay: Duration,
    behind: Option<u16>,
    status: &AtomicU16,
    paths: &Mutex<Vec<String>>,
) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    let behind = behind.map(|port| TcpStream::connect(("127.0.0.1", port)).unwrap());
    loop {
        let first = head(&mut reader)?;
        let path = first.split(' ').nth(1)?.to_owned();
        std::thread::sleep(delay);
        if let Some(mut behind) = behind.as_ref() {
            let ask = format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n");
            behind.write_all(ask.as_bytes()).ok()?;
            let mut reader = BufReader::new(behind);
            head(&mut reader)?;
            reader.read_exact(&mut [0; 2]).ok()?;
        }
        paths.lock().unwrap().push(path);
        let status = status.load(Ordering::SeqCst);
        let response = format!("HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\nok");
        (&*stream).write_all(response.as_bytes()).ok()?;
    }
}

/// The first line of a head, once the whole of it was read.
fn head(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return Some(first);
        }
        if first.is_empty() {
            first.clone_from(&line);
        }
    }
}

/// Front, middle and back; the middle one is slow. What each adds is far more than what a busy
/// machine may add to a request.
fn chain() -> [Server; 3] {
    let back = Server::start(40, None);
    let middle = Server::start(200, Some(&back));
    let front = Server::start(40, Some(&middle));
    [front, middle, back]
}

fn hops(dir: &TempDir, source: &str, more: &[&str]) -> Told {
    let usual = ["--rounds", "4", "--round-seconds", "1"];
    plimsoll(dir, &[&["hops", source][..], &usual, more].concat())
}

#[test]
fn the_slow_hop_of_a_chain_is_named() {
    let dir = folder();
    let [front, middle, back] = chain();
    let told = hops(
        &dir,
        &front.url("/orders?n=1"),
        &[
            "--hop",
            &format!("front={}", front.url("")),
            "--hop",
            &format!("middle={}", middle.url("/")),
            "--hop",
            &format!("back={}", back.url("/stock")),
            "--json",
        ],
    );
    assert_eq!(told.code, 0, "{told:?}");
    let document = json(&told.out);
    assert_valid(&dir, "hops", &document);
    assert_eq!(document["slowest"]["name"], "middle", "{document:#}");
    let of = |place: usize, key: &str| document["hops"][place][key]["value"].as_f64().unwrap();
    let (outer, inner) = (of(0, "time_ms"), of(1, "time_ms"));
    assert!(outer > inner && inner > of(2, "time_ms"), "{document:#}");
    assert!(of(1, "own_ms") > of(0, "own_ms") + of(2, "own_ms"));
    // The plan's own request, or that of the address.
    assert_eq!(front.asked(), ["/orders?n=1"]);
    assert_eq!(middle.asked(), ["/orders?n=1"]);
    assert_eq!(back.asked(), ["/orders?n=1", "/stock"]);
    // Equal load: as many rounds of one user each, warming up left out.
    assert_eq!(
        (&document["users"], &document["rounds"]),
        (&1.into(), &4.into())
    );
    assert!(
        told.err.contains("Loading middle alone, round 4 of 4"),
        "{told:?}"
    );
    assert!(!dir.path().join("plimsoll-runs").exists());
}

#[test]
fn times_are_kept_in_a_run_for_its_diagnosis_and_reports() {
    let dir = folder();
    let [front, middle, _back] = chain();
    let plan = format!(
        "name: chain\ntarget: {}\nhops:\n  front: {}\n  middle: {}\nsteps:\n  - get: /orders\n",
        front.url(""),
        front.url(""),
        middle.url("")
    );
    write(&dir, "plan.yaml", &plan);
    // Once by the run itself, with what the plan names …
    let told = plimsoll(
        &dir,
        &["run", "plan.yaml", "--users", "2", "--duration", "3s"],
    );
    assert!(matches!(told.code, 0 | 4), "{told:?}");
    assert!(told.out.contains("Hops, each loaded alone"), "{told:?}");
    let runs = dir.path().join("plimsoll-runs");
    let run = || Run::open(&plimsoll_store::resolve(&runs, "last").unwrap()).unwrap();
    let first = run().hops().unwrap().unwrap();
    let names: Vec<_> = first.hops.iter().map(|hop| hop.name.as_str()).collect();
    assert_eq!(names, ["front", "middle"]);
    // On a busy machine not beyond doubt.
    let own = first
        .hops
        .iter()
        .map(|hop| hop.own_ms.map_or(0.0, |own| own.value));
    let own: Vec<f64> = own.collect();
    assert!(own[1] > own[0], "{first:#?}");
    // … and again by hand, in its place.
    let told = hops(&dir, "plan.yaml", &["--keep-in", "--lang", "zh"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.out.contains("各跳单独加压") && !told.out.contains("hops-"),
        "{told:?}"
    );
    assert_ne!(run().hops().unwrap().unwrap(), first);
    let said = json(&plimsoll(&dir, &["diagnose", "last", "--json"]).out);
    // A busy machine may limit the generator, which is told first.
    let mut findings = said["findings"].as_array().unwrap().iter();
    let finding = findings.find(|finding| finding["id"] == "hop_latency");
    let finding = finding.unwrap_or_else(|| panic!("{said:#}"));
    assert_eq!(finding["object"]["name"], "middle", "{finding:#}");
    for format in ["html", "markdown"] {
        let told = plimsoll(&dir, &["report", "last", "--format", format, "-o", "-"]);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(
            told.out.contains("middle adds most"),
            "{format}: {}",
            told.out
        );
    }
}

#[test]
fn a_hop_that_fails_is_told_and_says_nothing() {
    let dir = folder();
    let [front, middle, back] = chain();
    middle.status.store(503, Ordering::SeqCst);
    let told = hops(
        &dir,
        &front.url("/orders"),
        &[
            "--hop",
            &format!("middle={}", middle.url("")),
            "--hop",
            &format!("back={}", back.url("")),
            "--quiet",
            "-o",
            "hops.json",
        ],
    );
    assert_eq!(told.code, 1, "{told:?}");
    let document = json(&std::fs::read_to_string(dir.path().join("hops.json")).unwrap());
    assert_eq!(document["hops"][0]["time_ms"], Value::Null, "{document:#}");
    assert!(document["hops"][1]["time_ms"]["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn chains_that_cannot_be_measured_are_refused() {
    let dir = folder();
    let back = Server::start(1, None);
    let (url, refusing) = (back.url("/"), refusing_url());
    let second = format!("b={}", back.url(""));
    let unreachable = format!("a={refusing}");
    let url = url.as_str();
    write(&dir, "plan.jmx", &jmeter_plan(url));
    for (source, more, code, part) in [
        (url, vec![], 2, "--hop"),
        (url, vec!["--hop", "a=http://127.0.0.1"], 2, "2 hops"),
        (
            url,
            vec!["--hop", "a=stock.yaml", "--hop", &second],
            2,
            "stock.yaml",
        ),
        (
            url,
            vec!["--hop", "a=http://u:hunter2@h", "--hop", &second],
            2,
            "password",
        ),
        (url, vec!["--hop", &second, "--hop", &second], 2, "“b”"),
        (url, vec!["--hop", "a", "--hop", &second], 2, "NAME=VALUE"),
        (url, vec!["--hop", &second, "--hop", &unreachable], 3, "“a”"),
        (
            "plan.jmx",
            vec!["--hop", &second, "--hop", "a=http://127.0.0.1"],
            2,
            "path",
        ),
        (
            url,
            vec!["--hop", &second, "--hop", "a=http://127.0.0.1", "--keep-in"],
            2,
            "",
        ),
    ] {
        let told = hops(&dir, source, &more);
        assert_eq!(told.code, code, "{more:?} {told:?}");
        assert!(told.err.contains(part), "{more:?} {told:?}");
        assert!(!told.err.contains("hunter2"), "{told:?}");
    }
}

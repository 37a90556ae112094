//! What limits real servers that were made for no rule, watched from outside; of one with too few
//! workers it is said while the run goes on.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use common::java::Java;
use common::{folder, plimsoll, plimsoll_started, told};
use serde_json::Value;

/// One load at a time: servers that start beside it take the CPU from its generator, and the
/// diagnosis says so first.
static QUIET: Mutex<()> = Mutex::new(());

fn quiet() -> MutexGuard<'static, ()> {
    QUIET.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn too_few_workers_are_named_while_the_run_goes_on() {
    let _quiet = quiet();
    let Some(server) = Java::few_workers() else {
        return;
    };
    let dir = folder();
    let url = server.url();
    let mut child = plimsoll_started(
        &dir,
        &[
            "run",
            &url,
            "-c",
            "12",
            "--warm-up",
            "2s",
            "--duration",
            "5m",
            "--watch",
            "auto",
            "--watch-allow-capture",
            "--lang",
            "en",
        ],
    );
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    let named = "So far: All 2 worker threads";
    while !seen.contains(named) {
        assert!(err.read_line(&mut seen).unwrap() > 0, "not said: {seen}");
    }
    // It goes on.
    assert!(child.try_wait().unwrap().is_none(), "{seen}");
    let during = plimsoll(&dir, &["diagnose", "last", "--json"]);
    let pid = child.id().to_string();
    let interrupted = Command::new("kill").args(["-INT", &pid]).status();
    assert!(interrupted.unwrap().success());
    err.read_to_string(&mut seen).unwrap();
    assert_eq!(told(child).code, 130, "{seen}");
    let said: Value = serde_json::from_str(&during.out).unwrap();
    let first = &said["findings"][0];
    assert_eq!(
        (&first["id"], &first["layer"]),
        (&"worker_threads".into(), &"cause".into()),
        "{said:#}"
    );
    // The pool, its size, and more than it has.
    let advice = &first["advice"][0];
    assert_eq!(advice["current"], "2", "{first:#}");
    let proposed: f64 = advice["proposed"].as_str().unwrap().parse().unwrap();
    assert!(proposed >= 4.0, "{first:#}");
}

/// Twelve users at a server that is limited in that way: outcome and first finding.
/// A load that was disturbed, as the diagnosis says itself, tells nothing of the server: up to
/// twice it is made again.
fn first_finding(how: &[&str]) -> Option<(String, Value)> {
    first_of(how, |_| vec!["auto".to_owned()])
}

/// The same with those sources for the server of that port.
fn first_of(how: &[&str], sources: fn(&str) -> Vec<String>) -> Option<(String, Value)> {
    let disturbed = |found: &(String, Value)| found.1["layer"] == "measurement";
    let mut found = once(how, sources)?;
    for _ in 0..2 {
        if disturbed(&found) {
            found = once(how, sources)?;
        }
    }
    Some(found)
}

fn once(how: &[&str], sources: fn(&str) -> Vec<String>) -> Option<(String, Value)> {
    let _quiet = quiet();
    let server = Java::limited(how)?;
    let dir = folder();
    let url = server.url();
    let port = url.rsplit(':').next().unwrap().trim_end_matches('/');
    let sources = sources(port);
    let load = [
        "run",
        &url,
        "-c",
        "12",
        "--warm-up",
        "4s",
        "--duration",
        "10s",
    ];
    let watch: Vec<&str> = sources.iter().flat_map(|of| ["--watch", of]).collect();
    let quietly = ["--watch-allow-capture", "--quiet"];
    let run = plimsoll(&dir, &[&load[..], &watch, &quietly].concat());
    let told = plimsoll(&dir, &["diagnose", "last", "--json"]);
    let said: Value = serde_json::from_str(&told.out)
        .unwrap_or_else(|error| panic!("{error}: {}{}{}", run.err, told.out, told.err));
    let outcome = said["outcome"].as_str().unwrap().to_owned();
    Some((outcome, said["findings"][0].clone()))
}

/// A system with a protocol of its own, which responds to each byte with a byte, 50 ms later; its port.
fn ledger() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for asker in listener.incoming().flatten() {
            thread::spawn(move || response(asker));
        }
    });
    port
}

fn response(mut asker: TcpStream) {
    let mut asked = [0];
    while asker.read_exact(&mut asked).is_ok() {
        thread::sleep(Duration::from_millis(50));
        if asker.write_all(&asked).is_err() {
            return;
        }
    }
}

#[test]
fn permits_tasks_queues_and_refusals_are_named() {
    for (how, id, object) in [
        (&["permits"][..], "semaphore", "Limited"),
        (&["tasks"], "task_threads", "pool-1-thread"),
        (&["queue"], "full_queue", "Limited.status"),
        (&["refuses"], "rate_limit", "http://127.0.0.1"),
    ] {
        let Some((outcome, first)) = first_finding(how) else {
            return;
        };
        assert_eq!(
            (outcome.as_str(), &first["id"]),
            ("found", &id.into()),
            "{first:#}"
        );
        let name = first["object"]["name"].as_str().unwrap();
        assert!(name.starts_with(object), "{first:#}");
    }
}

#[test]
fn another_system_is_named_and_one_that_is_watched_itself() {
    let port = ledger().to_string();
    let asks = ["asks", &port];
    let alone = |port: &str| vec![format!("process={port}"), format!("jvm={port}")];
    let Some((outcome, first)) = first_of(&asks, alone) else {
        return;
    };
    assert_eq!(
        (outcome.as_str(), &first["id"]),
        ("found", &"slow_dependency".into()),
        "{first:#}"
    );
    // Nobody looked at packets: known is where it is asked.
    assert_eq!(first["object"]["name"], "Limited.status", "{first:#}");
    // The other system is this test.
    let Some((outcome, first)) = first_finding(&asks) else {
        return;
    };
    assert_eq!(
        (outcome.as_str(), &first["id"]),
        ("healthy", &"own_wait".into()),
        "{first:#}"
    );
    let name = first["object"]["name"].as_str().unwrap();
    assert!(name.starts_with("live_diagnosis"), "{first:#}");
}

#[test]
fn a_slow_server_that_nothing_limits_pauses() {
    let Some((outcome, first)) = first_finding(&["sleeps"]) else {
        return;
    };
    assert_eq!(outcome, "healthy", "{first:#}");
    assert_eq!(first["id"], "own_wait", "{first:#}");
}

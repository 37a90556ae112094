//! What limits is said while a run goes on: a real server with too few workers, watched from
//! outside.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Command;

use common::java::Java;
use common::{folder, plimsoll, plimsoll_started, told};
use serde_json::Value;

#[test]
fn too_few_workers_are_named_while_the_run_goes_on() {
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

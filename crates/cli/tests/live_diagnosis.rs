//! What limits is said while a run goes on: a real server with too few workers, watched from
//! outside.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdin, Command, Stdio};

use common::{folder, plimsoll, plimsoll_started, told};
use serde_json::Value;

/// A server with two workers.
struct FewWorkers {
    child: Child,
    stdin: Option<ChildStdin>,
    port: u16,
}

impl FewWorkers {
    /// Starts it; none on a machine without Java, which CI must have.
    fn start() -> Option<Self> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/FewWorkers.java");
        let child = Command::new("java")
            .args(["-XX:TieredStopAtLevel=1", source])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            assert!(std::env::var_os("CI").is_none(), "CI must have java");
            eprintln!("skipped: java is not installed (tools/setup.sh lab)");
            return None;
        };
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("port ").unwrap().parse().unwrap();
        let stdin = child.stdin.take();
        Some(Self { child, stdin, port })
    }
}

impl Drop for FewWorkers {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn too_few_workers_are_named_while_the_run_goes_on() {
    let Some(server) = FewWorkers::start() else {
        return;
    };
    let dir = folder();
    let url = format!("http://127.0.0.1:{}/", server.port);
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

//! Captures that are asked for while a run goes on, and captures that an agent takes of a real
//! JVM during a run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::java::Java;
use common::{Agent, Server, Told, folder, plimsoll, plimsoll_started, told};
use tempfile::TempDir;

/// A run that goes on until the test ends it.
struct Going {
    child: Option<Child>,
}

impl Going {
    fn start(dir: &TempDir, server: &Server, watch: &[&str]) -> Self {
        let url = server.url("/hello");
        let mut args = vec!["run", &url, "-c", "1", "--duration", "10m", "--quiet"];
        args.extend(watch);
        let child = plimsoll_started(dir, &args);
        let mut going = Self { child: Some(child) };
        let began = Instant::now();
        while server.requests().is_empty() {
            let child = going.child.as_mut().unwrap();
            if child.try_wait().unwrap().is_some() {
                panic!("{:?}", told(going.child.take().unwrap()));
            }
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
        going
    }

    fn end(mut self) -> Told {
        let mut child = self.child.take().unwrap();
        // Once: a second time would not wait for the captures of the end.
        let pid = child.id().to_string();
        let interrupted = Command::new("kill").args(["-INT", &pid]).status();
        assert!(interrupted.unwrap().success());
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(20));
        }
        told(child)
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn captures_are_taken_on_request_while_a_run_goes_on() {
    let (dir, server) = (folder(), Server::start());
    let going = Going::start(&dir, &server, &["--watch", "host"]);
    let taken = plimsoll(&dir, &["captures", "last", "--take", "sockets"]);
    assert_eq!(taken.code, 0, "{taken:?}");
    assert!(taken.out.contains("sockets of host"), "{taken:?}");

    let number = taken.out.split(':').next().unwrap();
    let port = server.url("").rsplit(':').next().unwrap().to_owned();
    let shown = plimsoll(&dir, &["captures", "last", "-n", number]);
    assert!(shown.out.contains(&port), "{port} in {shown:?}");

    // Nothing here is a JVM.
    let nothing = plimsoll(&dir, &["captures", "--take=class_histogram"]);
    assert_eq!(nothing.code, 3, "{nothing:?}");
    assert!(nothing.err.contains("--watch-allow-capture"), "{nothing:?}");
    let unknown = plimsoll(&dir, &["captures", "last", "--take", "heap_dump"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.err.contains("class_histogram"), "{unknown:?}");

    let ended = going.end();
    let all = plimsoll(&dir, &["captures", "last"]);
    assert!(all.out.contains("request"), "{all:?} {ended:?}");
    let report = plimsoll(&dir, &["report", "last", "--format", "html", "-o", "-"]);
    assert!(
        report
            .out
            .contains("Captures asked for (sockets): 1 taken."),
        "{report:?}"
    );
    let late = plimsoll(&dir, &["captures", "last", "--take"]);
    assert_eq!(late.code, 2, "{late:?}");
    assert!(late.err.contains("has ended"), "{late:?}");
}

#[test]
fn a_run_that_watches_nothing_takes_no_requests() {
    let (dir, server) = (folder(), Server::start());
    let _going = Going::start(&dir, &server, &[]);
    let unheard = plimsoll(&dir, &["captures", "last", "--take"]);
    assert_eq!(unheard.code, 2, "{unheard:?}");
    assert!(unheard.err.contains("--watch"), "{unheard:?}");
    let runs = std::fs::read_dir(dir.path().join("plimsoll-runs")).unwrap();
    let run = runs.flatten().next().unwrap().path();
    assert!(!run.join("capture.request").exists());
}

#[test]
fn an_agent_that_allows_it_takes_captures_of_a_jvm() {
    let Some(jvm) = Java::subject() else { return };
    let source = format!("jvm=pid:{}", jvm.id());
    let agent = Agent::start(&["--allow", "capture", "--watch", &source]);
    let (dir, server) = (folder(), Server::start());
    let watch = format!("agent={},allow=capture", agent.address);
    let going = Going::start(&dir, &server, &["--watch", &watch]);
    let taken = plimsoll(&dir, &["captures", "last", "--take", "thread_dump"]);
    assert_eq!(taken.code, 0, "{taken:?}");
    let lines: Vec<_> = taken.out.lines().collect();
    assert_eq!(lines.len(), 3, "three dumps and nothing else: {taken:?}");
    let number = lines[0].split(':').next().unwrap();
    let dump = plimsoll(&dir, &["captures", "last", "-n", number]).out;
    assert!(dump.contains("\"main\""), "{dump}");
    assert!(dump.contains("Subject.main"), "{dump}");
    let counted = plimsoll(&dir, &["captures", "last", "--take", "class_histogram"]);
    assert_eq!(counted.code, 0, "{counted:?}");
    going.end();
    let all = plimsoll(&dir, &["captures", "last"]).out;
    for moment in ["start", "request", "end"] {
        let of = |line: &&str| line.contains("thread_dump") && line.contains(moment);
        assert!(all.lines().any(|line| of(&line)), "{moment}: {all}");
    }
}

#[test]
fn an_agent_that_only_observes_takes_none_whoever_asks() {
    let Some(jvm) = Java::subject() else { return };
    let source = format!("jvm=pid:{}", jvm.id());
    let agent = Agent::start(&["--watch", &source]);
    let (dir, server) = (folder(), Server::start());
    let watch = format!("agent={},allow=capture", agent.address);
    let going = Going::start(&dir, &server, &["--watch", &watch]);
    let nothing = plimsoll(&dir, &["captures", "last", "--take", "thread_dump"]);
    assert_eq!(nothing.code, 3, "{nothing:?}");
    let ended = going.end();
    assert!(ended.err.contains("--allow capture"), "{ended:?}");
    let all = plimsoll(&dir, &["captures", "last"]).out;
    assert!(!all.contains("thread_dump"), "{all}");
}

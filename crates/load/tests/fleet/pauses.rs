//! A process that is stopped and continued: what was due meanwhile is not sent.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use plimsoll_load::Lease;
use plimsoll_load::clock::boottime_ns;
use plimsoll_load::engine::{Begin, Options};

use crate::http::HttpServer;
use crate::support::{program, run_with, share, until};

const MS: u64 = 1_000_000;
/// Tells the process of the load where the server is and how long its lease lasts.
const TARGET: &str = "PLIMSOLL_TEST_TARGET";
const LEASE_MS: &str = "PLIMSOLL_TEST_LEASE_MS";

/// The load, in a process of its own that can be stopped; it writes what it withheld.
#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn load_of_a_process() {
    let (Ok(target), Ok(lease_ms)) = (std::env::var(TARGET), std::env::var(LEASE_MS)) else {
        return;
    };
    let yaml = format!("target: {target}\nrate: 100/s\nduration: 6s\nsteps:\n  - get: /\n");
    let options = Options {
        begin: Some(Begin::at(boottime_ns() + 100 * MS)),
        lease: Lease::until(lease_ms.parse::<u64>().unwrap() * MS),
        skip_late: Some(Duration::from_secs(1)),
        ..share(0, 1)
    };
    let (seen, ended) = run_with(&program(&yaml), &options);
    assert!(!ended.stopped);
    println!("withheld={}", seen.withheld + seen.dropped_iterations);
}

fn start(server: &HttpServer, lease_ms: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "pauses::load_of_a_process",
            "--ignored",
            "--nocapture",
        ])
        .env(TARGET, server.url())
        .env(LEASE_MS, lease_ms.to_string())
        .stdout(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(status.success());
}

/// Stops the process for a time once it is at work; gives how many requests had come when it
/// was continued, and what it withheld.
fn stopped_for(server: &HttpServer, lease_ms: u64, stop: Duration) -> (usize, usize) {
    let child = start(server, lease_ms);
    until("requests come", || server.seen().len() >= 50);
    signal(&child, "-STOP");
    // What was sent before may still be on its way.
    std::thread::sleep(stop);
    let before = server.seen().len();
    signal(&child, "-CONT");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text.split("withheld=").nth(1).unwrap();
    let digits: String = found.chars().take_while(char::is_ascii_digit).collect();
    (before, digits.parse().unwrap())
}

#[test]
fn a_process_that_stood_still_does_not_catch_up() {
    let server = HttpServer::hello();
    let (_, withheld) = stopped_for(&server, 3_600_000, Duration::from_secs(3));
    assert_eq!(server.seen().len() + withheld, 600);
    // Nothing of the 3 s at which it stood still is sent at once when it goes on.
    assert!(withheld >= 280, "{withheld}");
}

#[test]
fn a_process_whose_lease_ended_while_it_stood_still_sends_nothing_any_more() {
    let server = HttpServer::hello();
    let (before, withheld) = stopped_for(&server, 2_000, Duration::from_secs(3));
    let after = server.seen().len() - before;
    // One of each load thread may have been between the look at the lease and the send.
    assert!(after <= 2, "{after} without a lease");
    assert_eq!(server.seen().len() + withheld, 600);
}

//! Nothing starts without a lease, and what was due meanwhile is withheld.

use std::time::Duration;

use plimsoll_load::Lease;
use plimsoll_load::clock::{Clock, boottime_ns};
use plimsoll_load::engine::{Begin, Ended, Options, run};

use crate::http::HttpServer;
use crate::support::{Seen, Told, program, share, until};

const MS: u64 = 1_000_000;

/// Runs a plan with a lease that is over from `over_ms` until what is given was done, and then
/// renewed for good.
fn with_gap(yaml: &str, over_ms: u64, meanwhile: impl FnOnce(Clock)) -> (Seen, Ended) {
    let program = program(yaml);
    let lease = Lease::until(over_ms * MS);
    let options = Options {
        lease: lease.clone(),
        skip_late: Some(Duration::from_secs(1)),
        begin: Some(Begin::at(boottime_ns() + 200 * MS)),
        ..share(0, 1)
    };
    let (mut seen, told) = Seen::told();
    let run = std::thread::spawn(move || {
        let ended = run(&program, &options, &mut seen).unwrap();
        (seen, ended)
    });
    assert!(matches!(told.recv().unwrap(), Told::Ready));
    let Told::Started(clock) = told.recv().unwrap() else {
        panic!("ready twice");
    };
    meanwhile(clock);
    lease.renew(clock.now_ns(), u64::MAX);
    run.join().unwrap()
}

/// Waits until the lease is over and what was in flight then has come, and then for a time in
/// which nothing may come; gives how much had come.
fn nothing_comes(server: &HttpServer, clock: Clock, over_ms: u64, for_ms: u64) -> usize {
    until("the lease is over", || {
        clock.now_ns() > (over_ms + 100) * MS
    });
    let before = server.seen().len();
    let from_ns = clock.now_ns();
    until("time passes", || clock.now_ns() > from_ns + for_ms * MS);
    assert_eq!(server.seen().len(), before, "a request without a lease");
    before
}

#[test]
fn arrivals_without_a_lease_are_withheld_and_counted() {
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nrate: 200/s\nduration: 3s\nsteps:\n  - get: /\n",
        server.url()
    );
    let (seen, ended) = with_gap(&yaml, 500, |clock| {
        let before = nothing_comes(&server, clock, 500, 700);
        assert!((1..=100).contains(&before), "{before}");
    });
    assert!(!ended.stopped);
    let started = server.seen().len() as u64;
    assert_eq!(started + seen.withheld + seen.dropped_iterations, 600);
    assert!(seen.withheld >= 140, "{}", seen.withheld);
    let events = seen.events();
    assert_eq!(events["event-lease-over"], 500 * MS);
    assert!(events["event-lease-back"] > 1_200 * MS);
}

#[test]
fn users_without_a_lease_stay_where_they_are() {
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nusers: 3\nduration: 3s\npace: 50ms\nsteps:\n  - get: /u${{user()}}/${{iteration()}}\n",
        server.url()
    );
    let mut before = 0;
    let mut left_ns = 0;
    let (seen, ended) = with_gap(&yaml, 500, |clock| {
        before = nothing_comes(&server, clock, 500, 1_000);
        left_ns = 3_000 * MS - clock.now_ns().min(3_000 * MS);
    });
    assert!(!ended.stopped);
    let targets = server.targets();
    let after = targets.len() - before;
    assert!(after > 0, "they go on");
    // Ticks that were missed are not made up for: no more than one a user each 50 ms, and one.
    let most = 3 * (usize::try_from(left_ns / (50 * MS)).unwrap() + 2);
    assert!(after <= most, "{after} > {most}");
    // No iteration is left out or done twice.
    let mut of_one: Vec<&str> = targets
        .iter()
        .filter_map(|t| t.strip_prefix("/u1/"))
        .collect();
    let all = of_one.len();
    of_one.dedup();
    assert_eq!(of_one.len(), all);
    assert_eq!(seen.withheld, 0);
}

#[test]
fn a_run_without_a_lease_ends_at_its_time() {
    let server = HttpServer::hello();
    for load in ["users: 2", "rate: 50/s"] {
        let yaml = format!(
            "target: {}\n{load}\nduration: 1s\nsteps:\n  - get: /\n",
            server.url()
        );
        let options = Options {
            lease: Lease::until(0),
            ..share(0, 1)
        };
        let mut seen = Seen::default();
        let ended = run(&program(&yaml), &options, &mut seen).unwrap();
        assert!(!ended.stopped);
        assert_eq!(seen.withheld, if load == "users: 2" { 0 } else { 50 });
        assert!(seen.events().contains_key("event-lease-over"));
    }
    assert!(server.seen().is_empty());
}

#[test]
fn what_is_overdue_after_a_pause_is_withheld() {
    // A clock that began 3 s ago stands for a process that stood still for these 3 s.
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nrate: 100/s\nduration: 4s\nsteps:\n  - get: /\n",
        server.url()
    );
    let options = Options {
        begin: Some(Begin::at(boottime_ns() - 3_000 * MS)),
        skip_late: Some(Duration::from_secs(1)),
        ..share(0, 1)
    };
    let mut seen = Seen::default();
    run(&program(&yaml), &options, &mut seen).unwrap();
    let started = server.seen().len() as u64;
    assert_eq!(started + seen.withheld, 400);
    assert!((200..400).contains(&seen.withheld), "{}", seen.withheld);
}

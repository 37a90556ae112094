//! An end is an end: with a NATS that is gone for good, with all workers dead, by Ctrl-C. What may
//! be lost then is never more than the plan had left to send.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fleet::{Fleet, Servers};
use crate::support::http::{HttpServer, Response};
use crate::support::{Told, count, eventually};

/// Far more than the seconds that an end may take on a busy machine, and far less than a minute's
/// patience with each of those that are gone.
const SOON: Duration = Duration::from_secs(45);

/// 30 arrivals a second for 8 s.
const OPEN: &str = "rate: 30/s\nduration: 8s";
const PLANNED: u64 = 240;

/// A load that only an interruption ends while the test waits.
const LONG: &str = "rate: 30/s\nduration: 1h";

fn kill_nats(fleet: &mut Fleet) {
    match &mut fleet.servers {
        Servers::One(server) => server.kill(),
        Servers::Three(_) => unreachable!("these tests have one server"),
    }
}

fn end_workers(fleet: Fleet) {
    for (worker, _) in fleet.workers {
        worker.signal("KILL");
        worker.end();
    }
}

/// What reached the target is what was counted and what may be lost, and that is never more than
/// was planned.
fn assert_bounded(told: &Told, fleet: &Fleet, planned: u64) {
    let summary = told.summary();
    let lost = summary["fleet"]["lost"].as_array().unwrap();
    let bound: u64 = lost.iter().map(|lost| count(lost, "at_most")).sum();
    let merged = told.total("samples");
    let reached = fleet.target.seen().len() as u64;
    assert!(
        merged <= reached && reached <= merged + bound && merged + bound <= planned,
        "{merged} counted, at most {bound} lost, {reached} reached: {summary}"
    );
}

fn assert_no_share_moved(told: &Told) {
    let summary = told.summary();
    let workers = summary["fleet"]["workers"].as_array().unwrap();
    let shares: Vec<&Value> = workers.iter().map(|worker| &worker["shares"]).collect();
    let own: Vec<Value> = (1..=workers.len())
        .map(|share| Value::from(vec![share]))
        .collect();
    assert_eq!(shares, own.iter().collect::<Vec<_>>(), "{told:?}");
}

#[test]
fn a_nats_that_is_gone_for_good_does_not_hold_the_runs_end() {
    let mut fleet = Fleet::start(&["w1", "w2"]);
    let run = fleet.begin(&fleet.plan(OPEN), &["--workers", "2"]);
    eventually("load", || fleet.target.seen().len() > 60);
    kill_nats(&mut fleet);
    let killed = Instant::now();
    let told = run.end();
    assert!(killed.elapsed() < SOON, "{:?} {told:?}", killed.elapsed());
    assert_no_share_moved(&told);
    // Workers have their leases until after the load's end.
    assert_bounded(&told, &fleet, PLANNED);
    end_workers(fleet);
}

#[test]
fn one_interruption_ends_a_run_whose_nats_is_gone() {
    let mut fleet = Fleet::start(&["w1", "w2"]);
    let run = fleet.begin(&fleet.plan(LONG), &["--workers", "2"]);
    eventually("load", || fleet.target.seen().len() > 60);
    kill_nats(&mut fleet);
    run.signal("INT");
    let interrupted = Instant::now();
    let told = run.end();
    assert!(interrupted.elapsed() < SOON, "{told:?}");
    assert!(told.summary()["total"]["samples"].as_u64() > Some(0));
    end_workers(fleet);
}

#[test]
fn two_interruptions_end_it_sooner_than_workers_may_take() {
    let mut fleet = Fleet::start(&["w1", "w2"]);
    let run = fleet.begin(&fleet.plan(LONG), &["--workers", "2"]);
    eventually("load", || fleet.target.seen().len() > 60);
    // They neither speak nor go away.
    fleet
        .workers
        .iter()
        .for_each(|(worker, _)| worker.signal("STOP"));
    kill_nats(&mut fleet);
    run.signal("INT");
    std::thread::sleep(Duration::from_millis(300));
    run.signal("INT");
    let interrupted = Instant::now();
    let told = run.end();
    assert!(interrupted.elapsed() < SOON / 3, "{told:?}");
    assert!(told.summary()["total"]["samples"].as_u64() > Some(0));
    end_workers(fleet);
}

#[test]
fn a_run_whose_workers_are_all_dead_ends_with_its_load() {
    let mut fleet = Fleet::start(&["w1", "w2"]);
    let plan = fleet.plan("rate: 30/s\nduration: 12s");
    let run = fleet.begin(&plan, &["--workers", "2"]);
    eventually("load", || fleet.target.seen().len() > 60);
    let killed = Instant::now();
    for (worker, _) in std::mem::take(&mut fleet.workers) {
        worker.signal("KILL");
        worker.end();
    }
    let told = run.end();
    assert!(killed.elapsed() < SOON, "{told:?}");
    assert_no_share_moved(&told);
    assert_bounded(&told, &fleet, 360);
    let summary = told.summary();
    let missing = summary["fleet"]["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 2, "{summary}");
}

#[test]
fn an_interruption_ends_what_has_not_begun_and_its_workers_are_free() {
    let held = Arc::new(AtomicBool::new(true));
    let holds = Arc::clone(&held);
    let target = HttpServer::start(move |request| {
        while request.path() == "/setup" && holds.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Response::ok("hello")
    });
    let mut fleet = Fleet::before(&["w1"], target);
    let url = fleet.target.url();
    let plan = format!(
        "target: {url}\nusers: 1\niterations: 1\nsetup:\n  - get: /setup\nsteps:\n  - get: /hello\n"
    );
    let interrupted = |fleet: &mut Fleet, nats_goes: bool| {
        let before = fleet.target.seen().len();
        let run = fleet.begin(&plan, &["--workers", "1"]);
        eventually("setup", || fleet.target.seen().len() > before);
        if nats_goes {
            kill_nats(fleet);
        }
        run.signal("INT");
        let begun = Instant::now();
        let told = run.end();
        assert!(begun.elapsed() < SOON, "{told:?}");
        assert_eq!(told.code, Some(130), "{told:?}");
        assert!(told.err.contains("before the load began"), "{told:?}");
    };
    interrupted(&mut fleet, false);
    held.store(false, Ordering::Relaxed);
    let run = fleet.begin(&plan, &["--workers", "1", "--workers-within", "60s"]);
    run.end().assert_code(0);
    held.store(true, Ordering::Relaxed);
    interrupted(&mut fleet, true);
    held.store(false, Ordering::Relaxed);
    end_workers(fleet);
}

//! Runs over workers, and what becomes of them when workers and controllers end.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fleet::{Fleet, assert_fits};
use crate::nats;
use crate::support::http::{HttpServer, Response};
use crate::support::{Bench, count, eventually};

#[test]
fn a_load_over_three_workers_is_the_load() {
    let fleet = Fleet::start(&["w1", "w2", "w3"]);
    let rows: String = (0..200).map(|n| format!("r{n}\n")).collect();
    fleet.bench.write("rows.csv", format!("row\n{rows}"));
    let url = fleet.target.url();
    let plan = format!(
        "target: {url}\nrate: 31/s\nduration: 4s\ndata: rows.csv\nsteps:\n  - get: /hello?${{row}}\n"
    );
    let told = fleet.begin(&plan, &["--workers", "3"]).end();
    told.assert_code(0).assert_all_ok(124).assert_readable();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for target in fleet.target.targets() {
        *seen.entry(target).or_default() += 1;
    }
    assert_eq!(seen.len(), 124, "each row once");
    let summary = told.summary();
    assert_fits(
        include_str!("../../../../../schema/summary.schema.json"),
        &summary,
    );
    let workers = summary["fleet"]["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 3);
    let shares: Vec<&Value> = workers.iter().map(|worker| &worker["shares"][0]).collect();
    assert_eq!(shares, [1, 2, 3]);
    for fact in ["missing", "lost"] {
        assert_eq!(
            summary["fleet"][fact].as_array().unwrap().len(),
            0,
            "{summary}"
        );
    }
    fleet.end();
}

#[test]
fn one_user_is_one_user_and_each_is_each() {
    let fleet = Fleet::start(&["w1", "w2", "w3"]);
    let plan = fleet.plan("users: 1\niterations: 10");
    let told = fleet.begin(&plan, &["--workers", "3"]).end();
    told.assert_code(0).assert_all_ok(10);
    let plan = fleet.plan("users: 2\niterations: 5");
    let told = fleet.begin(&plan, &["--workers", "3", "--each"]).end();
    told.assert_code(0).assert_all_ok(30);
    fleet.end();
}

#[test]
fn setup_and_teardown_run_once_and_all_know_what_setup_found() {
    let target = HttpServer::start(|request| match request.path() {
        "/setup" => Response::ok("{\"token\": \"t-42\"}"),
        _ => Response::ok("hello"),
    });
    let fleet = Fleet::before(&["w1", "w2"], target);
    let url = fleet.target.url();
    let plan = format!(
        "target: {url}\nusers: 4\niterations: 2\n\
         setup:\n  - {{get: /setup, save: {{token: $.token}}}}\n\
         teardown:\n  - get: /down/${{token}}\nsteps:\n  - get: /load/${{token}}\n"
    );
    let told = fleet.begin(&plan, &["--workers", "2"]).end();
    told.assert_code(0).assert_all_ok(8);
    let mut seen = fleet.target.targets();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["/down/t-42", "/load/t-42", "/setup"]);
    assert_eq!(fleet.target.seen().len(), 10);
    fleet.end();
}

#[test]
fn a_goal_that_aborts_ends_the_run_of_all_workers() {
    let fleet = Fleet::before(&["w1", "w2"], HttpServer::start(|_| Response::new(500, "")));
    let plan = fleet
        .plan("rate: 20/s\nduration: 60s\ngoals:\n  - {goal: \"errors < 1 %\", abort-after: 2s}");
    let told = fleet.begin(&plan, &["--workers", "2"]).end();
    told.assert_code(5);
    let reached = fleet.target.seen().len() as u64;
    assert_eq!(told.total("samples"), reached);
    assert!(reached < 400, "it ended early: {reached}");
    fleet.end();
}

#[test]
fn a_killed_worker_loses_no_more_than_is_told() {
    let mut fleet = Fleet::start(&["w1", "w2", "w3"]);
    let plan = fleet.plan("rate: 60/s\nduration: 20s");
    let run = fleet.begin(&plan, &["--workers", "3"]);
    eventually("load", || fleet.target.seen().len() > 150);
    let (worker, _) = fleet.workers.remove(1);
    worker.signal("KILL");
    let told = run.end();
    let summary = told.summary();
    let reached = fleet.target.seen().len() as u64;
    let merged = told.total("samples");
    let lost = summary["fleet"]["lost"].as_array().unwrap();
    let bound: u64 = lost.iter().map(|lost| count(lost, "at_most")).sum();
    assert!(merged <= reached, "{merged} ≤ {reached}");
    assert!(reached <= merged + bound, "{reached} ≤ {merged} + {bound}");
    assert!(bound <= 60, "three seconds of its share: {bound}");
    // On a busy machine the share of another may have been missing, too.
    let mut missing = summary["fleet"]["missing"].as_array().unwrap().iter();
    assert!(
        missing.any(|missing| missing["worker"] == "w2"),
        "{summary}"
    );
    assert!(reached < 1_200, "never more than planned: {reached}");
    worker.end();
    fleet.end();
}

#[test]
fn a_worker_that_is_ended_gives_its_share_back_and_loses_nothing() {
    let mut fleet = Fleet::start(&["w1", "w2", "w3"]);
    let plan = fleet.plan("rate: 60/s\nduration: 12s");
    let run = fleet.begin(&plan, &["--workers", "3"]);
    eventually("load", || fleet.target.seen().len() > 150);
    let (worker, _) = fleet.workers.remove(1);
    worker.signal("INT");
    assert_eq!(worker.end().code, Some(0));
    let told = run.end();
    let summary = told.summary();
    assert_eq!(told.total("samples"), fleet.target.seen().len() as u64);
    let facts = &summary["fleet"];
    assert_eq!(facts["lost"].as_array().unwrap().len(), 0, "{summary}");
    assert_eq!(facts["missing"][0]["worker"], "w2", "{summary}");
    fleet.end();
}

#[test]
fn a_worker_that_stood_still_makes_nothing_up_and_loses_nothing() {
    let fleet = Fleet::start(&["w1", "w2", "w3"]);
    let plan = fleet.plan("rate: 60/s\nduration: 16s");
    let run = fleet.begin(&plan, &["--workers", "3"]);
    eventually("load", || fleet.target.seen().len() > 150);
    fleet.workers[0].0.signal("STOP");
    std::thread::sleep(std::time::Duration::from_secs(5));
    fleet.workers[0].0.signal("CONT");
    let told = run.end();
    let summary = told.summary();
    let reached = fleet.target.seen().len() as u64;
    assert_eq!(told.total("samples"), reached, "{summary}");
    let withheld = count(&summary["fleet"], "withheld");
    assert!(
        withheld > 0 && reached + withheld <= 960,
        "{withheld} {reached}"
    );
    assert_eq!(summary["fleet"]["missing"][0]["worker"], "w1", "{summary}");
    fleet.end();
}

#[test]
fn a_run_whose_controller_was_killed_is_taken_up_again() {
    let fleet = Fleet::start(&["w1", "w2"]);
    let plan = fleet.plan("rate: 40/s\nduration: 14s");
    let run = fleet.begin(&plan, &["--workers", "2"]);
    eventually("load", || fleet.target.seen().len() > 120);
    run.signal("KILL");
    run.end();
    let told = fleet.resume(&[]);
    let reached = fleet.target.seen().len() as u64;
    assert_eq!(told.total("samples"), reached, "{told:?}");
    assert!(reached > 400, "it went on: {reached}");
    fleet.end();
}

#[test]
fn what_a_worker_that_died_with_its_controller_lost_is_told_by_the_next_one() {
    let mut fleet = Fleet::start(&["w1", "w2", "w3"]);
    let plan = fleet.plan("rate: 60/s\nduration: 16s");
    let run = fleet.begin(&plan, &["--workers", "3"]);
    eventually("load", || fleet.target.seen().len() > 350);
    let (worker, _) = fleet.workers.remove(1);
    worker.signal("KILL");
    run.signal("KILL");
    run.end();
    worker.end();
    let told = fleet.resume(&[]);
    let (summary, merged) = (told.summary(), told.total("samples"));
    let reached = fleet.target.seen().len() as u64;
    let lost = summary["fleet"]["lost"].as_array().unwrap();
    let bound: u64 = lost.iter().map(|lost| count(lost, "at_most")).sum();
    assert!(
        merged < reached && reached <= merged + bound,
        "{merged} {reached} {bound} {summary}"
    );
    assert!(lost.iter().all(|lost| lost["worker"] == "w2"), "{summary}");
    assert!(reached <= 960, "never more than planned: {reached}");
    fleet.end();
}

#[test]
fn the_permissions_that_the_documentation_gives_are_enough() {
    let text = include_str!("../../../../../docs/fleet.md");
    let block: String = text
        .lines()
        .skip_while(|line| !line.starts_with("    authorization {"))
        .take_while(|line| line.starts_with("    "))
        .map(|line| format!("{line}\n"))
        .collect();
    let block = block
        .replace("$CONTROLLER_PASSWORD", "\"c-word\"")
        .replace("$W1_PASSWORD", "\"w-word\"");
    let nats = nats::Server::with(&nats::binaries().remove(0), &block);
    let (bench, target) = (Bench::new(), HttpServer::hello());
    let start = |user: &str, word: &str, args: &[&str]| {
        let mut command = bench.command(args);
        command
            .env("PLIMSOLL_NATS", nats.url())
            .env("PLIMSOLL_NATS_USER", user)
            .env("PLIMSOLL_NATS_PASSWORD", word);
        bench.start(command)
    };
    let controller = |args: &[&str]| start("controller", "c-word", args).end();
    let worker = start("w1", "w-word", &["worker", "--name", "w1"]);
    eventually("the worker answers", || {
        controller(&["workers", "--json"])
            .out
            .contains("\"name\": \"w1\"")
    });
    // A worker cannot take another's name.
    let other = start("w1", "w-word", &["worker", "--name", "w2"]).end();
    assert_eq!(other.code, Some(2), "{other:?}");
    let url = format!("{}/hello", target.url());
    let run = [
        "run",
        &url,
        "--users",
        "1",
        "--iterations",
        "7",
        "--workers",
        "1",
        "--quiet",
    ];
    let told = controller(&run);
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
    assert_eq!(target.seen().len(), 7, "{told:?}");
    worker.signal("INT");
    assert_eq!(worker.end().code, Some(0));
}

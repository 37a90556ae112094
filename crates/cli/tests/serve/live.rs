//! Runs while they go on.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Heard, Served};
use crate::common::{Server, folder, plimsoll, plimsoll_started, told};
use crate::{a_run, assert_made, only_run};

fn samples(heard: &[Heard]) -> u64 {
    let intervals = heard.iter().filter(|event| event.name == "interval");
    intervals
        .map(|event| event.data["total"]["count"].as_u64().unwrap())
        .sum()
}

/// A plan of users who pause.
fn plan(target: &Server, name: &str, users: u32, duration: &str) -> String {
    let url = target.url("/hello");
    format!(
        "name: {name}\nusers: {users}\nduration: {duration}\nsteps:\n  - get: {url}\n  - think: 20ms\n"
    )
}

/// Asks for a run; gives its name.
fn begin(served: &Served, order: &Value) -> String {
    let created = served.post("/runs", order);
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.json()["state"], "running", "{created:?}");
    created.json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_is_steered_and_a_watcher_who_comes_again_misses_nothing() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({"plan": plan(&target, "steered", 1, "60s"), "tags": ["nightly"]});
    let id = begin(&served, &order);
    let mut heard = Vec::new();
    for event in served.watch(&id, "", None) {
        let is_enough = samples(&heard) > 0 && event.name == "interval";
        heard.push(event);
        if is_enough {
            break;
        }
    }
    let changed = served.post(&format!("/runs/{id}/load"), &json!({"users": 3}));
    assert_eq!(changed.status, 200, "{changed:?}");
    let longer = served.post(&format!("/runs/{id}/extend"), &json!({"by_s": 5}));
    assert_eq!(longer.status, 200, "{longer:?}");
    let refused = served.post(&format!("/runs/{id}/load"), &json!({"rate": "5/s"}));
    assert_eq!(refused.status, 409, "no open load: {refused:?}");
    let last = heard.last().unwrap().id.clone();
    let mut is_stopped = false;
    for event in served.watch(&id, "", Some(&last)) {
        let is_changed = event.data["users_active"] == 3;
        heard.push(event);
        if is_changed && !std::mem::replace(&mut is_stopped, true) {
            let stopped = served.post(&format!("/runs/{id}/stop"), &json!({"how": "graceful"}));
            assert_eq!(stopped.status, 200, "{stopped:?}");
        }
    }
    let changes = heard
        .iter()
        .filter(|event| event.data["kind"] == "load-changed");
    assert_eq!(changes.count(), 2, "{heard:?}");
    let end = heard.last().unwrap();
    assert_eq!(
        (end.name.as_str(), &end.data["state"]),
        ("end", &json!("interrupted"))
    );
    let run = served.get(&format!("/runs/{id}"));
    assert_eq!(run["total"]["samples"], samples(&heard), "each second once");
    assert_eq!(run["total"]["samples"], target.requests().len() as u64);
    assert_eq!(run["tags"], json!(["nightly"]));
    let late = served.post(&format!("/runs/{id}/stop"), &json!({}));
    assert_eq!(late.status, 409, "{late:?}");
    // Who comes when all is over hears the same.
    let again: Vec<Heard> = served.watch(&id, "", None).collect();
    let shown = |heard: &[Heard]| -> Vec<Heard> {
        let kept = heard
            .iter()
            .filter(|event| event.name == "interval" || event.name == "event");
        kept.cloned()
            .map(|event| Heard {
                id: String::new(),
                ..event
            })
            .collect()
    };
    assert_eq!(shown(&again).len(), shown(&heard).len());
    for event in shown(&heard) {
        assert!(shown(&again).contains(&event), "{event:?}");
    }
}

#[test]
fn a_run_of_the_command_line_appears_by_itself_and_all_watchers_hear_the_same() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let url = target.url("/hello");
    let child = plimsoll_started(&dir, &["run", &url, "--rate", "40/s", "--duration", "4s"]);
    let id = loop {
        let runs = served.get("/runs");
        // Its folder is there a moment before what is in it.
        if runs["items"][0]["state"] == "running" {
            break runs["items"][0]["id"].as_str().unwrap().to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let watchers: Vec<Vec<Heard>> = std::thread::scope(|scope| {
        let watch = || served.watch(&id, "", None).collect::<Vec<Heard>>();
        let threads: Vec<_> = (0..10).map(|_| scope.spawn(watch)).collect();
        let refused = served.post(&format!("/runs/{id}/stop"), &json!({}));
        assert_eq!(refused.status, 409, "another process makes it: {refused:?}");
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_made(told(child).code);
    for heard in &watchers {
        assert_eq!(samples(heard), target.requests().len() as u64);
        assert_eq!(heard.last().unwrap().data["state"], "finished");
    }
}

#[test]
fn runs_wait_for_each_other() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({"plan": plan(&target, "long", 1, "60s")});
    let first = begin(&served, &order);
    let short = json!({"plan": plan(&target, "second", 1, "1s")});
    let second = served.post("/runs", &short);
    assert_eq!(
        (second.status, &second.json()["state"]),
        (201, &json!("queued")),
        "{second:?}"
    );
    let third = served.post("/runs", &order).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let queued = served.get("/runs")["queued"].as_array().unwrap().len();
    assert_eq!(queued, 2);
    assert_eq!(
        served
            .post(&format!("/runs/{third}/stop"), &json!({}))
            .status,
        200
    );
    assert_eq!(
        served
            .post(&format!("/runs/{first}/stop"), &json!({"how": "at_once"}))
            .status,
        200
    );
    let ticket = second.json()["id"].as_str().unwrap().to_owned();
    // By its ticket the run is found once it has begun.
    let finished = loop {
        let run = served.call("GET", &format!("/api/v1/runs/{ticket}"), "", "");
        if run.status == 200 && run.json()["state"] == "finished" {
            break run.json();
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(finished["plan"], "second", "{finished}");
    let name = finished["id"].as_str().unwrap();
    assert_ne!(name, ticket, "its own name, which outlives the ticket");
    assert_eq!(served.get(&format!("/runs/{name}"))["plan"], "second");
    assert_eq!(never_made(&served, &third), "taken back");
    // After another start of the server each ticket still means what it meant.
    begin(&served, &order);
    let lost = served.post("/runs", &short).json()["id"].clone();
    drop(served);
    let served = Served::start(dir.path());
    assert_eq!(served.get(&format!("/runs/{ticket}"))["id"], name);
    assert_eq!(never_made(&served, &third), "taken back");
    assert_eq!(
        never_made(&served, lost.as_str().unwrap()),
        "when the server ended"
    );
    begin(&served, &order);
    let next = served.post("/runs", &short).json()["id"].clone();
    assert!(
        ![&json!(ticket), &json!(third), &lost].contains(&&next),
        "{next}"
    );
}

/// What is said of a run that was asked for and never made.
fn never_made(served: &Served, ticket: &str) -> &'static str {
    let told = served.call("GET", &format!("/api/v1/runs/{ticket}"), "", "");
    let problem = told.json();
    assert_eq!(problem["type"], "/problems/not-made", "{told:?}");
    let detail = problem["detail"].as_str().unwrap();
    let mut known = ["taken back", "when the server ended"].into_iter();
    known.find(|words| detail.contains(words)).expect(detail)
}

#[test]
fn a_killed_server_comes_back_with_each_second_and_says_what_was_cut_short() {
    let (dir, target) = (folder(), Server::start());
    let mut served = Served::start(dir.path());
    let order = json!({"plan": plan(&target, "long", 1, "60s")});
    let id = begin(&served, &order);
    let seen: Vec<Heard> = served
        .watch(&id, "", None)
        .filter(|event| event.name == "interval")
        .take(3)
        .collect();
    served.kill();
    let served = Served::start(dir.path());
    assert!(served.said.contains(&id), "{}", served.said);
    assert_eq!(served.get("/meta")["cut_short"], json!([id]));
    let run = served.get(&format!("/runs/{id}"));
    assert_eq!(run["state"], "incomplete", "{run}");
    let again: Vec<Heard> = served.watch(&id, "", None).collect();
    for event in &seen {
        assert!(again.contains(event), "{event:?}");
    }
    assert_eq!(again.last().unwrap().data["state"], "incomplete");
    // The folder is this server's again: another run can be made.
    let next = begin(&served, &json!({"plan": plan(&target, "next", 1, "1s")}));
    assert_eq!(
        served.watch(&next, "", None).last().unwrap().data["state"],
        "finished"
    );
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let (dir, target) = (folder(), Server::start());
    a_run(&dir, &target);
    let served = Served::start(dir.path());
    let second = plimsoll(&dir, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.err.contains(&served.host), "{second:?}");
    assert!(!only_run(&served).is_empty());
}

/// What the service was asked in some seconds of a run, by its own count.
fn asked_in(target: &Server, from: std::time::Duration, seconds: u64) -> usize {
    std::thread::sleep(from);
    let before = target.requests().len();
    std::thread::sleep(std::time::Duration::from_secs(seconds));
    target.requests().len() - before
}

#[test]
fn a_rate_that_is_changed_is_what_the_service_is_asked() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({"url": target.url("/hello"), "rate": "20/s", "duration": "60s"});
    let begun = served.post("/runs", &order).json();
    let id = begun["id"].as_str().unwrap();
    // A run is there before its load is.
    let until = std::time::Instant::now() + Duration::from_secs(60);
    let mut load = served.get(&format!("/runs/{id}/load"));
    while load["scenarios"].is_null() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        load = served.get(&format!("/runs/{id}/load"));
    }
    let scenario = &load["scenarios"][0];
    assert_eq!(
        (&scenario["model"], &scenario["amount"]),
        (&json!("rate"), &json!(20.0))
    );
    assert_eq!(load["end_s"], 60.0, "{load}");
    let settles = std::time::Duration::from_secs(1);
    let slow = asked_in(&target, settles, 3);
    let changed = served.post(&format!("/runs/{id}/load"), &json!({"rate": "200/s"}));
    assert_eq!(changed.status, 200, "{changed:?}");
    let at_s = changed.json()["at_s"].as_f64().unwrap();
    let quick = asked_in(&target, settles, 3);
    let load = served.get(&format!("/runs/{id}/load"));
    assert_eq!(load["scenarios"][0]["amount"], 200.0, "{load}");
    assert!(slow > 0, "nothing was asked");
    // Ten times as much; on a busy machine a second more or less.
    assert!(quick > 4 * slow, "{slow} and then {quick}");
    let back = served.post(&format!("/runs/{id}/load"), &json!({"rate": "20/s"}));
    assert_eq!(back.status, 200, "{back:?}");
    let again = asked_in(&target, settles, 3);
    assert!(quick > 4 * again, "{quick} and then {again}");
    for rate in ["-1/s", "x", "", "1e99/s"] {
        let refused = served.post(&format!("/runs/{id}/load"), &json!({"rate": rate}));
        assert!([400, 409].contains(&refused.status), "{rate}: {refused:?}");
    }
    served.post(&format!("/runs/{id}/stop"), &json!({}));
    let heard: Vec<Heard> = served.watch(id, "", None).collect();
    let changes: Vec<&Heard> = heard
        .iter()
        .filter(|event| event.data["kind"] == "load-changed")
        .collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
    let told_s = changes[0].data["at_s"].as_f64().unwrap();
    assert!((told_s - at_s).abs() < 1.0, "{told_s} and {at_s}");
    let run = served.get(&format!("/runs/{id}"));
    assert_eq!(run["total"]["samples"], target.requests().len(), "{run}");
}

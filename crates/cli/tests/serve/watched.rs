//! A run of a real service with a known fault, watched while it goes on.

use serde_json::{Value, json};

use crate::client::{Heard, Served};
use crate::common::folder;
use crate::common::java::Java;

/// What was heard of a kind.
fn of_kind<'a>(heard: &'a [Heard], name: &str) -> Vec<&'a Heard> {
    heard.iter().filter(|event| event.name == name).collect()
}

#[test]
fn a_fault_is_seen_as_it_appears_and_looked_at() {
    let Some(server) = Java::few_workers() else {
        return;
    };
    let dir = folder();
    let served = Served::start(dir.path());
    let order = json!({
        "url": server.url(), "users": 12, "duration": "5m", "warm_up": "2s", "watch": "auto",
        "watch_allow_capture": true,
    });
    let created = served.post("/runs", &order);
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let mut heard: Vec<Heard> = Vec::new();
    for event in served.watch(&id, "", None) {
        let is_named = event.name == "finding"
            && event.data["texts"]["en"]
                .as_str()
                .unwrap()
                .contains("All 2 worker threads");
        heard.push(event);
        if is_named {
            break;
        }
    }
    let named = heard.last().unwrap();
    assert_eq!(named.name, "finding", "the run ended before: {named:?}");
    assert!(
        !named.data["texts"]["zh"].as_str().unwrap().is_empty(),
        "{named:?}"
    );
    // The target's series on the same time line.
    let names = served.get(&format!("/runs/{id}/series/names"));
    let known: Vec<&Value> = names["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    let series = of_kind(&heard, "series");
    assert!(!series.is_empty());
    for moment in series {
        for name in moment.data["values"].as_object().unwrap().keys() {
            assert!(known.contains(&&json!(name)), "{name}");
        }
    }
    for event in of_kind(&heard, "generator") {
        let reasons = event.data["reasons"].as_array().unwrap();
        let texts = event.data["texts"]["zh"].as_array().unwrap();
        assert_eq!(texts.len(), reasons.len(), "{event:?}");
    }
    // A dump is taken now, and shows what the threads of the pool do.
    let taken = served.post(
        &format!("/runs/{id}/capture"),
        &json!({"kind": "thread_dump"}),
    );
    assert_eq!(taken.status, 200, "{taken:?}");
    let captures = taken.json();
    let number = captures["items"][0]["number"].as_i64().unwrap();
    assert_eq!(captures["items"][0]["moment"], "request", "{captures}");
    let dump = served.get(&format!("/runs/{id}/evidence/captures/{number}/threads"));
    assert!(dump["threads"].as_u64().unwrap() > 5, "{dump}");
    let heap = served.post(&format!("/runs/{id}/capture"), &json!({"kind": "heap"}));
    assert_eq!(heap.status, 400, "{heap:?}");
    let shown = served.get(&format!("/runs/{id}/evidence/findings"));
    let first = &shown["items"][0];
    assert_eq!(first["id"], "worker_threads", "{shown:#}");
    assert!(
        first["to_s"].as_f64() > first["from_s"].as_f64(),
        "{first:#}"
    );
    let stopped = served.post(&format!("/runs/{id}/stop"), &json!({"how": "at_once"}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    let end = served.watch(&id, "?after=now", None).last().unwrap();
    assert_eq!(end.name, "end", "{end:?}");
    let late = served.post(&format!("/runs/{id}/capture"), &json!({}));
    assert_eq!(late.status, 409, "{late:?}");
}

#[test]
fn what_a_run_may_not_take_is_refused_with_the_reason() {
    let (dir, target) = (folder(), crate::common::Server::start());
    let served = Served::start(dir.path());
    let order = json!({"url": target.url("/hello"), "users": 1, "duration": "5m", "watch": "host"});
    let id = served.post("/runs", &order).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = served.post(
        &format!("/runs/{id}/capture"),
        &json!({"kind": "class_histogram"}),
    );
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(
        refused.json()["detail"]
            .as_str()
            .unwrap()
            .contains("--watch-allow-capture"),
        "{refused:?}"
    );
    let sockets = served.post(&format!("/runs/{id}/capture"), &json!({"kind": "sockets"}));
    assert_eq!(sockets.status, 200, "{sockets:?}");
    let number = sockets.json()["items"][0]["number"].as_i64().unwrap();
    let text = served.get(&format!("/runs/{id}/evidence/captures/{number}"));
    let port = target.url("").rsplit(':').next().unwrap().to_owned();
    assert!(text["text"].as_str().unwrap().contains(&port), "{text}");
    assert_eq!(
        served.post(&format!("/runs/{id}/stop"), &json!({})).status,
        200
    );
}

//! Several runs as one undertaking, begun by the API.

use std::time::Duration;

use serde_json::{Value, json};

use crate::assert_as_described;
use crate::client::Served;
use crate::common::json::assert_fits;
use crate::common::{Server, folder};

const ONE: &str = "/api/v1/measurements/{measurement}";

/// Asks for one and waits for its end; gives what is known of it.
fn measured(served: &Served, order: &Value) -> Value {
    let created = served.post("/measurements", order);
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.json()["id"].as_str().unwrap().to_owned();
    ended(served, &id)
}

fn ended(served: &Served, id: &str) -> Value {
    loop {
        let known = served.get(&format!("/measurements/{id}"));
        if !known["end"].is_null() {
            assert_as_described(&served.get("/openapi.json"), ONE, &known);
            return known;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The result holds against a schema that the command line's is held against.
fn assert_by(schema: &str, result: &Value) {
    let path = format!("{}/../../schema/{schema}", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_fits(&schema, result);
}

#[test]
fn repeated_runs_and_pairs_are_kept_as_runs() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({"url": target.url("/hello"), "rate": "20/s", "duration": "1s"});
    let repeated = measured(
        &served,
        &json!({"kind": "repeat", "order": order, "times": 2}),
    );
    assert_eq!(repeated["state"], "finished", "{repeated}");
    assert_eq!(repeated["runs"].as_array().unwrap().len(), 2, "{repeated}");
    for (run, summary) in repeated["runs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(repeated["result"]["runs"].as_array().unwrap())
    {
        assert_by("summary.schema.json", summary);
        assert_eq!(summary["run"], *run, "{repeated}");
        assert_eq!(
            served.get(&format!("/runs/{}", run.as_str().unwrap()))["total"],
            summary["total"]
        );
    }
    let pairs = json!({"kind": "interleave", "order": order, "b": order, "pairs": 2});
    let compared = measured(&served, &pairs);
    assert_eq!(compared["state"], "finished", "{compared}");
    assert_eq!(compared["runs"].as_array().unwrap().len(), 4, "{compared}");
    assert_by("comparison.schema.json", &compared["result"]);
    let listed = served.get("/measurements?limit=1");
    assert_eq!(listed["items"][0]["id"], compared["id"], "{listed}");
    let next = served.get(&format!(
        "/measurements?cursor={}",
        listed["next"].as_str().unwrap()
    ));
    assert_eq!(next["items"][0]["id"], repeated["id"], "{next}");
}

#[test]
fn hops_of_a_chain_are_told_as_on_the_command_line() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let url = target.url("/hello");
    let order = json!({
        "kind": "hops",
        "order": {"url": url},
        "hops": [format!("front={url}"), format!("back={url}")],
        "rounds": 1,
        "round_s": 1,
    });
    let told = measured(&served, &order);
    assert_eq!(told["state"], "finished", "{told}");
    assert_by("hops.schema.json", &told["result"]);
    assert!(
        served.get("/runs")["items"].as_array().unwrap().is_empty(),
        "hops are not kept"
    );
    assert!(told["progress"].as_array().unwrap().len() >= 4, "{told}");
    assert!(told["progress"][0]["zh"].is_string(), "{told}");
}

/// A step of a search says so, and is in no trend; a run that has a name of its own is in that of its plan.
fn trends_leave_it_out(served: &Served, url: &str, step: &Value) {
    let run = json!({"url": url, "users": 1, "duration": "1s", "name": "of its own"});
    let asked = served.post("/runs", &run).json();
    let id = asked["id"].as_str().unwrap();
    assert!(served.watch(id, "", None).any(|event| event.name == "end"));
    let listed = served.get("/runs?search=hello");
    let row = |id: &Value| {
        let mut rows = listed["items"].as_array().unwrap().iter();
        rows.find(|row| row["id"] == *id).unwrap().clone()
    };
    let (named, step) = (row(&asked["id"]), row(step));
    assert_eq!(
        (&named["name"], &named["step_of"]),
        (&json!("of its own"), &Value::Null)
    );
    assert!(id.ends_with("of-its-own"), "{id}");
    assert_eq!(step["step_of"], "capacity", "{step}");
    assert_eq!(step["trend_key"], named["trend_key"], "{listed}");
    let key = step["trend_key"].as_str().unwrap().replace(' ', "%20");
    let trend = served.get(&format!("/trend?key={key}"));
    let runs: Vec<&Value> = trend["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["run"]["id"])
        .collect();
    assert_eq!(runs, [&asked["id"]], "{trend}");
}

#[test]
fn a_search_for_the_most_load_is_followed_and_ended() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({
        "kind": "capacity",
        "order": {"url": target.url("/hello"), "goals": ["p95 < 5 s"]},
        "from": "20/s", "to": "21/s", "step_s": 5, "max_measurements": 1, "cool_down": "0s",
    });
    let found = measured(&served, &order);
    assert_eq!(found["state"], "finished", "{found}");
    assert_by("capacity.schema.json", &found["result"]);
    assert_eq!(found["runs"].as_array().unwrap().len(), 1, "{found}");
    trends_leave_it_out(&served, &target.url("/hello"), &found["runs"][0]);
    let found = found["result"].as_object().unwrap();
    assert!(found["curve"].is_null(), "one load is no curve: {found:?}");
    let long = json!({
        "kind": "capacity",
        "order": {"url": target.url("/hello"), "goals": ["p95 < 5 s"]},
        "from": "20/s", "to": "2000/s", "step_s": 600,
    });
    let created = served.post("/measurements", &long).json();
    let id = created["id"].as_str().unwrap();
    let waits = served.post(
        "/runs",
        &json!({"url": target.url("/hello"), "users": 1, "duration": "1s"}),
    );
    assert_eq!(
        waits.json()["state"],
        "queued",
        "a run waits for it: {waits:?}"
    );
    let stopped = served.post(&format!("/measurements/{id}/stop"), &json!({}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    assert_eq!(ended(&served, id)["state"], "stopped");
    let again = served.post(&format!("/measurements/{id}/stop"), &json!({}));
    assert_eq!(again.status, 409, "{again:?}");
}

#[test]
fn what_cannot_be_measured_is_refused_at_once() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    let order = json!({"url": target.url("/hello")});
    for (what, wrong) in [
        ("no goal", json!({"kind": "capacity", "order": order})),
        (
            "two units",
            json!({"kind": "capacity", "order": {"url": "http://127.0.0.1/", "goals": ["p95 < 1s"]}, "from": "1", "to": "5/s"}),
        ),
        ("no side B", json!({"kind": "interleave", "order": order})),
        ("no hops", json!({"kind": "hops", "order": order})),
        (
            "too often",
            json!({"kind": "repeat", "order": order, "times": 101}),
        ),
        ("no such kind", json!({"kind": "x", "order": order})),
    ] {
        let refused = served.post("/measurements", &wrong);
        assert!([400, 422].contains(&refused.status), "{what}: {refused:?}");
    }
    assert!(target.requests().is_empty());
}

//! `plimsoll serve`: the binary, a real service, and a client without any library.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bundle;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod connections;
mod evidence;
mod flights;
mod hostile;
mod hours;
mod live;
mod measured;
mod monitor;
mod recorded;
#[path = "../../../diagnose/tests/java/recording.rs"]
mod recording;
mod remote;
mod rights;
mod schedules;
mod shared;
mod studies;
mod tuned;
mod viewers;
mod watched;
mod watchers;
#[allow(dead_code)] // Studies of the command line have more of it.
#[path = "../tune/world.rs"]
mod world;
mod wrong;

use client::Served;
use common::json::{assert_fits, json};
use common::{Server, folder, plimsoll};
use serde_json::Value;

/// A run of 40 requests a second for three seconds, made by the command line.
pub fn a_run(dir: &tempfile::TempDir, target: &Server) {
    let url = target.url("/hello");
    let told = plimsoll(dir, &["run", &url, "--rate", "40/s", "--duration", "3s"]);
    assert_made(told.code);
}

/// The run was made; on a busy machine its generator may be the limit.
pub fn assert_made(code: i32) {
    assert!([0, 4].contains(&code), "{code}");
}

/// The only run there is.
pub fn only_run(served: &Served) -> String {
    let runs = served.get("/runs");
    assert_eq!(runs["items"].as_array().unwrap().len(), 1, "{runs}");
    runs["items"][0]["id"].as_str().unwrap().to_owned()
}

/// A server over a folder with one run, and the run's id. The service and the folder go with them.
pub fn one_run() -> (tempfile::TempDir, Server, Served, String) {
    let (dir, target) = (folder(), Server::start());
    a_run(&dir, &target);
    let served = Served::start(dir.path());
    let id = only_run(&served);
    (dir, target, served, id)
}

/// What is looked at by a test of its own, since it is about runs that are named.
const NAMED: [&str; 5] = [
    "/api/v1/webhooks/{webhook}/deliveries",
    "/api/v1/schedules/{schedule}",
    "/api/v1/compare",
    "/api/v1/measurements/{measurement}",
    "/api/v1/studies/{study}",
];

/// What is looked at by tests of its own, since it is about captures of certain kinds (`evidence.rs`).
const CAPTURED: &str = "{number}";

/// It is what the OpenAPI document says of that operation.
pub fn assert_as_described(api: &Value, path: &str, value: &Value) {
    let content = &api["paths"][path]["get"]["responses"]["200"]["content"]["application/json"];
    let mut schema = content["schema"].clone();
    assert!(schema.is_object(), "{path} is not described");
    schema["components"] = api["components"].clone();
    assert_fits(&schema, value);
}

/// The result of a study is what its schema says.
fn assert_valid(result: &Value) {
    let schema = include_str!("../../../../schema/tune.schema.json");
    assert_fits(&json(schema), result);
}

#[test]
fn every_route_tells_of_a_run_as_it_is_described() {
    let (_dir, _target, served, id) = one_run();
    let api = served.get("/openapi.json");
    let paths = api["paths"].as_object().unwrap();
    let mut seen = 0;
    for (path, item) in paths.iter().filter(|(_, item)| item["get"].is_object()) {
        let json = &item["get"]["responses"]["200"]["content"]["application/json"];
        if json.is_object() && !NAMED.contains(&path.as_str()) && !path.contains(CAPTURED) {
            let real = path.replace("{id}", &id);
            let response = served.call("GET", &real, "", "");
            assert_eq!(response.status, 200, "{path}: {response:?}");
            assert_as_described(&api, path, &response.json());
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn figures_of_a_stretch_are_those_of_the_service() {
    let (_dir, target, served, id) = one_run();
    let made = target.requests().len() as u64;
    let run = served.get(&format!("/runs/{id}"));
    assert_eq!(run["total"]["samples"], made, "{run}");
    let labels = served.get(&format!("/runs/{id}/labels?from_s=0"));
    assert_eq!(labels["total"]["samples"], made, "{labels}");
    assert_eq!(
        labels["total"]["response_time_ms"], run["total"]["response_time_ms"],
        "the whole stretch has the percentiles of the run"
    );
    let distribution = served.get(&format!("/runs/{id}/distribution"));
    assert_eq!(distribution["count"], made);
    let heat = served.get(&format!("/runs/{id}/heatmap"));
    let cells = heat["counts"].as_array().unwrap().iter();
    let cells = cells.flat_map(|column| column.as_array().unwrap());
    assert_eq!(
        cells.map(|cell| cell.as_u64().unwrap()).sum::<u64>(),
        made,
        "{heat}"
    );
    // Second by second, and then the seconds together.
    let mut by_second = 0;
    for second in 0..run["seconds"].as_u64().unwrap() {
        let query = format!("/runs/{id}/labels?from_s={second}&to_s={}", second + 1);
        by_second += served.get(&query)["total"]["samples"].as_u64().unwrap();
    }
    assert_eq!(by_second, made);
    let series = served.get(&format!("/runs/{id}/series?points=1"));
    assert_eq!(series["times_s"].as_array().unwrap().len(), 1, "{series}");
}

#[test]
fn notes_and_tags_stay_with_the_run() {
    let (_dir, _target, served, id) = one_run();
    let note = "<script>alert(1)</script> 发布前";
    let change = serde_json::json!({"note": note, "tags": ["b", "a", "b"]});
    let headers = "Content-Type: application/json\r\n";
    let path = format!("/api/v1/runs/{id}");
    let patched = served.call("PATCH", &path, headers, &change.to_string());
    assert_eq!(patched.status, 200, "{patched:?}");
    for wrong in [
        serde_json::json!({"note": "turned \u{202e}round"}),
        serde_json::json!({"tags": ["a\u{1b}[31m"]}),
    ] {
        let refused = served.call("PATCH", &path, headers, &wrong.to_string());
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    let listed = served.get("/runs?tag=a&search=SCRIPT");
    assert_eq!(listed["items"][0]["note"], note, "{listed}");
    assert_eq!(listed["items"][0]["tags"], serde_json::json!(["a", "b"]));
    assert!(
        served.get("/runs?tag=c")["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_run_is_thrown_away_and_comes_back() {
    let (_dir, _target, served, id) = one_run();
    let run = served.get(&format!("/runs/{id}"));
    let path = format!("/api/v1/runs/{id}");
    assert_eq!(served.call("DELETE", &path, "", "").status, 200);
    assert_eq!(served.call("GET", &path, "", "").status, 404);
    assert_eq!(served.call("DELETE", &path, "", "").status, 404);
    assert_eq!(served.get("/trash")["items"][0]["id"], id.as_str());
    let restore = format!("{path}/restore");
    assert_eq!(served.call("POST", &restore, "", "").status, 200);
    assert_eq!(served.get(&format!("/runs/{id}")), run);
    assert_eq!(served.call("POST", &restore, "", "").status, 404);
}

/// The first label of a run.
fn a_label(served: &Served, run: &str) -> Value {
    served.get(&format!("/runs/{run}"))["labels"][0]["label"].clone()
}

#[test]
fn runs_are_compared_and_their_trend_says_what_changed() {
    let (dir, target) = (folder(), Server::start());
    a_run(&dir, &target);
    let url = target.url("/hello");
    let told = plimsoll(&dir, &["run", &url, "--rate", "80/s", "--duration", "3s"]);
    assert_made(told.code);
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let runs = served.get("/runs");
    let (b, a) = (&runs["items"][0], &runs["items"][1]);
    let name = |run: &Value| run["id"].as_str().unwrap().to_owned();
    let compared = served.get(&format!("/compare?a={}&b={}", name(a), name(b)));
    assert_as_described(&api, "/api/v1/compare", &compared);
    // One run a side tells nothing; the loads differ, which is said in both languages.
    assert_eq!(
        compared["total"][0]["verdict"], "repeat_needed",
        "{compared}"
    );
    assert_eq!(
        compared["labels"][0]["label"],
        a_label(&served, &name(a)),
        "{compared}"
    );
    let doubts = compared["doubts"].as_array().unwrap();
    // On a busy machine the generator is told of, too.
    assert!(
        doubts[0]["en"].as_str().unwrap().contains("80/s"),
        "{compared}"
    );
    assert!(
        doubts[0]["zh"].as_str().unwrap().contains("负载"),
        "{compared}"
    );
    assert_eq!(compared["changed"][0]["name"], "load", "{compared}");
    let same = served.get(&format!("/compare?a={}&b={}", name(a), name(a)));
    assert_eq!(same["changed"], serde_json::json!([]), "{same}");
    assert!(!same["doubts"].to_string().contains("loaded"), "{same}");
    let key = a["trend_key"].as_str().unwrap().replace(' ', "%20");
    let trend = served.get(&format!("/trend?key={key}"));
    assert_as_described(&api, "/api/v1/trend", &trend);
    assert_eq!(trend["items"][1]["run"]["id"], name(b).as_str(), "{trend}");
    let changed = trend["items"][1]["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 1, "{trend}");
    assert_eq!(changed[0]["name"], "load", "{trend}");
    let none = served.call(
        "GET",
        "/api/v1/runs?verdict=good",
        "Accept-Language: zh\r\n",
        "",
    );
    assert_eq!(none.status, 400, "{none:?}");
    let says = none.json()["detail"].as_str().unwrap().to_owned();
    assert!(
        says.contains("不能是“good”") && says.contains("no_success"),
        "{says}"
    );
    let page = served.get("/runs?limit=1");
    let next = page["next"].as_str().unwrap();
    assert_eq!(
        served.get(&format!("/runs?limit=1&cursor={next}"))["items"][0]["id"],
        name(a).as_str()
    );
}

#[test]
fn pages_come_with_a_strict_policy() {
    let dir = folder();
    let served = Served::start(dir.path());
    let page = served.call("GET", "/", "Accept: text/html\r\n", "");
    assert_eq!(page.status, 200);
    let head = page.head.to_ascii_lowercase();
    assert!(
        head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{head}"
    );
    assert!(!head.contains("unsafe"), "{head}");
    assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    let chinese = served.call(
        "GET",
        "/api/v1/runs/x",
        "Accept-Language: zh-CN,en;q=0.5\r\n",
        "",
    );
    assert_eq!(chinese.json()["title"], "未找到");
}

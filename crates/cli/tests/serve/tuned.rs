//! Studies of the command line in the folder that is served: they appear by themselves, and are their own process's.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Served;
use crate::world::{Told, World, signal};
use crate::{assert_as_described, assert_valid};

const ONE: &str = "/api/v1/studies/{study}";
const LIST: &str = "/api/v1/studies";

/// Waits until the study `shop` is so, while its process goes on.
fn until(
    served: &Served,
    study: &mut std::process::Child,
    is_so: impl Fn(&Value) -> bool,
) -> Value {
    loop {
        let is_over = study.try_wait().unwrap().is_some();
        let known = served.call("GET", "/api/v1/studies/shop", "", "");
        if known.status == 200 && is_so(&known.json()) {
            return known.json();
        }
        assert!(!is_over, "{known:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_study_of_the_command_line_appears_by_itself() {
    let world = World::new();
    world.study(&format!(
        "name: shop\nknobs:\n{}search: random\ntrials: 40\nseed: 3\n",
        world.workers("range: 2..8")
    ));
    let served = Served::start(world.dir.path());
    assert_eq!(served.get("/studies")["items"], json!([]));
    let before = world.state();
    let mut study = world.start(&["tune", "study.yaml"]);
    let known = until(&served, &mut study, |known| {
        !known["trials"].as_array().unwrap().is_empty()
    });
    let api = served.get("/openapi.json");
    assert_as_described(&api, ONE, &known);
    assert_eq!(known["command_line"], true, "{known:#}");
    assert_eq!(known["state"], "running", "{known:#}");
    assert_eq!(known["most_trials"], 40, "{known:#}");
    assert!(known["text"].as_str().unwrap().contains("search: random"));
    let listed = served.get("/studies");
    assert_as_described(&api, LIST, &listed);
    assert_eq!(listed["items"][0]["study"], "shop", "{listed}");
    assert_eq!(listed["items"][0]["state"], "running", "{listed}");
    // It is not this server's to end, nor to bring back.
    for what in ["stop", "restore"] {
        let refused = served.post(&format!("/studies/shop/{what}"), &json!({}));
        assert!([403, 409].contains(&refused.status), "{what}: {refused:?}");
    }
    let stopped = served.post("/studies/shop/stop", &json!({}));
    assert!(stopped.body.contains("plimsoll tune"), "{stopped:?}");
    let heard: Vec<_> = served.watch_at("/studies/shop/live", "").collect();
    Told::of(study.wait_with_output().unwrap()).assert_code(0);
    assert_eq!(world.state(), before);
    let known = served.get("/studies/shop");
    assert_as_described(&api, ONE, &known);
    assert_eq!(known["state"], "finished", "{known:#}");
    assert_eq!(known["needs_restore"], false, "{known:#}");
    assert_eq!(known["brought_back"]["as_before"], true, "{known:#}");
    assert_eq!(
        known["result"],
        world.result(),
        "what the command line has written"
    );
    assert_valid(&known["result"]);
    assert_eq!(known["trials"], known["result"]["trials"]);
    let trials: Vec<&Value> = heard
        .iter()
        .filter(|event| event.name == "trial")
        .map(|event| &event.data)
        .collect();
    assert_eq!(json!(trials), known["trials"], "each trial was told");
    assert_eq!(heard.last().unwrap().data["state"], "finished");
    assert!(!known.to_string().contains("hunter2"), "{known:#}");
    world.assert_clean("at the end");
}

#[test]
fn a_killed_study_of_the_command_line_says_so() {
    let world = World::new();
    world.study(&format!(
        "name: shop\nknobs:\n{}search: random\ntrials: 200\nseed: 1\n",
        world.workers("range: 2..8")
    ));
    let served = Served::start_with(world.dir.path(), &["--allow", "tune"]);
    let before = world.state();
    let mut study = world.start(&["tune", "study.yaml"]);
    until(&served, &mut study, |known| {
        known["trials"].as_array().unwrap().len() > 1
    });
    while world.state() == before {
        assert!(study.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(study.id(), "KILL");
    study.wait().unwrap();
    let known = served.get("/studies/shop");
    assert_as_described(&served.get("/openapi.json"), ONE, &known);
    assert_eq!(known["state"], "interrupted", "{known:#}");
    assert!(known["error"]["en"].as_str().unwrap().contains("killed"));
    assert!(!known["end"].is_null(), "{known:#}");
    assert!(known["trials"].as_array().unwrap().len() > 1, "{known:#}");
    assert_eq!(known["needs_restore"], true, "{known:#}");
    assert_eq!(known["brought_back"]["as_before"], false, "{known:#}");
    assert_ne!(world.state(), before);
    let restored = served.post("/studies/shop/restore", &json!({}));
    assert_eq!(restored.status, 200, "{restored:?}");
    let restored = restored.json();
    assert_eq!(restored["brought_back"]["as_before"], true, "{restored:#}");
    assert_eq!(restored["needs_restore"], false, "{restored:#}");
    assert_eq!(world.state(), before);
    assert_eq!(served.get("/studies/shop")["state"], "interrupted");
    world.assert_clean("after it was brought back");
}

#[test]
fn what_is_no_study_is_none() {
    let world = World::new();
    let served = Served::start(world.dir.path());
    let state = world.path("plimsoll-runs/.tune");
    for (name, text) in [
        ("garbage", "{".to_owned()),
        ("newer", json!({"version": 2}).to_string()),
        ("long", "[".repeat(1 << 20)),
    ] {
        std::fs::create_dir_all(state.join(name)).unwrap();
        std::fs::write(state.join(name).join("shown.json"), text).unwrap();
        let missing = served.call("GET", &format!("/api/v1/studies/{name}"), "", "");
        assert_eq!(missing.status, 404, "{name}: {missing:?}");
    }
    assert_eq!(served.get("/studies")["items"], json!([]));
    for name in ["..", "%2e%2e", "..%2f..", "%00", "a%2fb", "."] {
        let missing = served.call("GET", &format!("/api/v1/studies/{name}"), "", "");
        assert!([400, 404].contains(&missing.status), "{name}: {missing:?}");
    }
}

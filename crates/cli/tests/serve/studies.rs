//! Studies, begun by the API: made, followed, ended, brought back.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Served;
use crate::common::{Server, folder};
use crate::shared::{log_in, with_users_in};
use crate::world::World;
use crate::{assert_as_described, assert_valid};

const ONE: &str = "/api/v1/studies/{study}";

/// A workbench in a study's world, which may begin studies.
fn serving(world: &World) -> Served {
    Served::start_with(world.dir.path(), &["--allow", "tune"])
}

/// The study that the world has written.
fn text(world: &World) -> String {
    std::fs::read_to_string(world.path("study.yaml")).unwrap()
}

/// Begins the study that the world has written; gives its name.
fn begun(world: &World, served: &Served) -> String {
    let created = served.post("/studies", &json!({"study": text(world)}));
    assert_eq!(created.status, 201, "{created:?}");
    let name = created.json()["study"].as_str().unwrap().to_owned();
    assert!(
        created.head.contains(&format!("/api/v1/studies/{name}")),
        "{created:?}"
    );
    name
}

fn until(served: &Served, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let known = served.get(&format!("/studies/{name}"));
        if is_so(&known) {
            assert_as_described(&served.get("/openapi.json"), ONE, &known);
            return known;
        }
        assert!(known["end"].is_null(), "{known:#}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ended(served: &Served, name: &str) -> Value {
    until(served, name, |known| !known["end"].is_null())
}

/// What `sha256sum` says of the settings.
fn sha256(world: &World) -> String {
    let told = Command::new("sha256sum").arg(world.settings()).output();
    let told = String::from_utf8(told.unwrap().stdout).unwrap();
    told.split(' ').next().unwrap().to_owned()
}

/// All is as it was, by the study's own words and by what lies there.
fn assert_brought_back(world: &World, known: &Value, what: &str) {
    assert_eq!(
        known["brought_back"]["as_before"], true,
        "{what}: {known:#}"
    );
    assert_eq!(
        known["brought_back"]["trouble"],
        json!([]),
        "{what}: {known:#}"
    );
    assert_eq!(known["needs_restore"], false, "{what}: {known:#}");
    let files = known["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{what}: {known:#}");
    assert_eq!(files[0]["as_before"], true, "{what}: {known:#}");
    assert_eq!(files[0]["sha256"], sha256(world).as_str(), "{what}");
    world.assert_clean(what);
}

#[test]
fn a_study_is_made_followed_and_brought_back() {
    let world = World::new();
    // With 99 the service does not start, and says a password.
    world.study(&format!(
        "name: shop\nknobs:\n{}search: one-at-a-time\ntrials: 16\nseed: 3\n",
        world.workers("values: [4, 99]")
    ));
    let served = serving(&world);
    let before = world.state();
    let name = begun(&world, &served);
    assert_eq!(name, "shop");
    // A run waits for it.
    let url = format!("http://127.0.0.1:{}/work", world.port);
    let run = json!({"url": url, "users": 1, "duration": "1s"});
    let waits = served.post("/runs", &run).json();
    assert_eq!(waits["state"], "queued", "{waits}");
    let ticket = waits["id"].as_str().unwrap();
    let heard: Vec<_> = served.watch_at("/studies/shop/live", "").collect();
    let known = ended(&served, &name);
    assert_eq!(world.state(), before);
    assert_eq!(known["state"], "finished", "{known:#}");
    assert_brought_back(&world, &known, "after a study");
    let result = &known["result"];
    assert_valid(result);
    assert_eq!(result["trials"], known["trials"]);
    let trials: Vec<&Value> = heard
        .iter()
        .filter(|event| event.name == "trial")
        .map(|event| &event.data)
        .collect();
    assert_eq!(json!(trials), known["trials"], "each trial was told");
    assert!(heard.iter().any(|event| event.name == "progress"));
    let end = heard.last().unwrap();
    assert_eq!(
        (end.name.as_str(), &end.data["state"]),
        ("end", &json!("finished"))
    );
    let measured = trials.iter().find(|it| it["values"]["workers"] == "4");
    let seen = &measured.unwrap()["result"]["read_back"][0];
    assert_eq!(
        (&seen["knob"], &seen["has"]),
        (&json!("workers"), &json!("4"))
    );
    let broken = trials.iter().find(|it| it["values"]["workers"] == "99");
    assert_eq!(
        broken.unwrap()["result"]["what"],
        "does_not_start",
        "{known:#}"
    );
    assert!(!known.to_string().contains("hunter2"), "{known:#}");
    // The run that waited is made now, against nobody.
    let _ = served.call("POST", &format!("/api/v1/runs/{ticket}/stop"), "", "");
    // A second one of the same name has a name of its own.
    let second = begun(&world, &served);
    assert_eq!(second, "shop-2");
    served.post("/studies/shop-2/stop", &json!({}));
    ended(&served, "shop-2");
    let listed = served.get("/studies?limit=1");
    assert_as_described(&served.get("/openapi.json"), "/api/v1/studies", &listed);
    assert_eq!(listed["items"][0]["study"], "shop-2", "{listed}");
    let next = listed["next"].as_str().unwrap();
    let listed = served.get(&format!("/studies?cursor={next}"));
    assert_eq!(listed["items"][0]["study"], "shop", "{listed}");
    assert_eq!(listed["items"][0]["trials"], trials.len(), "{listed}");
    assert_eq!(listed["next"], Value::Null);
}

#[test]
fn a_study_is_ended_and_all_is_as_it_was() {
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}trials: 200\nseed: 5\n",
        world.workers("range: 2..8")
    ));
    let served = serving(&world);
    let before = world.state();
    let name = begun(&world, &served);
    assert_eq!(name, "study", "one without a name");
    until(&served, &name, |known| {
        known["trials"].as_array().unwrap().len() > 1
    });
    let stop = format!("/studies/{name}/stop");
    assert_eq!(served.post(&stop, &json!({})).status, 200);
    let known = ended(&served, &name);
    assert_eq!(known["state"], "interrupted", "{known:#}");
    assert_eq!(known["result"]["end"], "interrupted", "{known:#}");
    assert_brought_back(&world, &known, "after it was ended");
    assert_eq!(world.state(), before);
    assert_eq!(served.post(&stop, &json!({})).status, 409);
    // One that waits is taken back before it begins.
    let (first, second) = (begun(&world, &served), begun(&world, &served));
    let stopped = served.post(&format!("/studies/{second}/stop"), &json!({}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    let known = ended(&served, &second);
    assert_eq!(known["state"], "interrupted", "{known:#}");
    assert_eq!(known["trials"], json!([]), "{known:#}");
    served.post(&format!("/studies/{first}/stop"), &json!({}));
    ended(&served, &first);
    world.assert_clean("at the end");
}

#[test]
fn what_a_killed_server_has_left_is_brought_back() {
    let world = World::new();
    world.study(&format!(
        "name: 商店\nknobs:\n{}search: random\ntrials: 200\nseed: 1\n",
        world.workers("range: 2..8")
    ));
    let mut served = serving(&world);
    let before = world.state();
    let created = served.post("/studies", &json!({"study": text(&world)}));
    assert_eq!(created.status, 201, "{created:?}");
    while world.state() == before {
        std::thread::sleep(Duration::from_millis(5));
    }
    served.kill();
    // One that may begin none shows it, and brings nothing back.
    let path = "/studies/%E5%95%86%E5%BA%97";
    let mut other = Served::start(world.dir.path());
    let known = other.get(path);
    assert_eq!(known["state"], "interrupted", "{known:#}");
    assert_eq!(known["needs_restore"], true, "{known:#}");
    assert_eq!(other.get("/studies")["items"][0]["needs_restore"], true);
    let refused = other.post(&format!("{path}/restore"), &json!({}));
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_ne!(world.state(), before);
    other.kill();
    let served = serving(&world);
    let restored = served.post(&format!("{path}/restore"), &json!({}));
    assert_eq!(restored.status, 200, "{restored:?}");
    assert_brought_back(&world, &restored.json(), "after it was brought back");
    assert_eq!(world.state(), before);
    assert_eq!(served.get(path)["needs_restore"], false);
    let again = served.post(&format!("{path}/restore"), &json!({}));
    assert_eq!(again.status, 200, "it is harmless: {again:?}");
    assert_eq!(world.state(), before);
}

#[test]
fn studies_are_begun_where_the_command_line_says_so() {
    let world = World::new();
    world.study(&format!("knobs:\n{}", world.workers("range: 1..8")));
    let served = Served::start(world.dir.path());
    let refused = served.post("/studies", &json!({"study": text(&world)}));
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(refused.json()["type"], "/problems/not-allowed");
    assert_eq!(served.get("/studies")["items"], json!([]));
    for (method, path) in [("GET", "/studies/none"), ("POST", "/studies/none/stop")] {
        let missing = served.call(method, &format!("/api/v1{path}"), "", "");
        assert_eq!(missing.status, 404, "{method} {path}: {missing:?}");
    }
    world.assert_clean("after a refusal");
}

#[test]
fn mistakes_of_a_study_are_told_with_their_places() {
    let world = World::new();
    let served = serving(&world);
    for (what, study) in [
        ("not YAML", "knobs: [".to_owned()),
        (
            "a key that there is none of",
            "plan: http://127.0.0.1:1/\nknobz: 1\n".to_owned(),
        ),
        ("a file that is not there", {
            world.study(
                "knobs:\n  a:\n    file: conf/none.properties\n    key: x\n    range: 1..8\n",
            );
            text(&world)
        }),
        ("no plan there", {
            world.study(&format!("knobs:\n{}", world.workers("range: 1..8")));
            text(&world).replace("http://", "none/")
        }),
    ] {
        let refused = served.post("/studies", &json!({"study": study}));
        assert_eq!(refused.status, 422, "{what}: {refused:?}");
        let problem = refused.json();
        let mistakes = problem["errors"].as_array().unwrap();
        assert!(!mistakes.is_empty(), "{what}: {problem}");
        assert!(!refused.body.contains(".workbench"), "{what}: {problem}");
    }
    let long = "#".repeat(20 << 20);
    let refused = served.post("/studies", &json!({"study": long}));
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    assert_eq!(served.get("/studies")["items"], json!([]));
    world.assert_clean("after mistakes");
}

#[test]
fn a_study_loads_only_hosts_of_the_list() {
    let (dir, other) = (folder(), Server::start());
    let served = with_users_in(&dir, &["--allow", "tune", "--allow-host", "shop.test"]);
    let url = other.url("/hello");
    let ready = other.url("/");
    let ready = ready.trim_start_matches("http://").trim_end_matches('/');
    let study = format!(
        "plan: {url}
users: 2
measure: 1s
warm-up: 1s
components:
  app:
    running: true
    reload: /bin/true
    ready: {ready}
knobs:
  x:
    command: /bin/true {{}}
    default: a
    values: [b]
    read-back:
      command: /bin/echo a
trials: 2
"
    );
    let order = json!({"study": study}).to_string();
    // Its commands can do what its makers could not.
    for role in ["look", "run"] {
        let refused = log_in(&served, role).call("POST", "/studies", &order);
        assert_eq!(refused.status, 403, "{role}: {refused:?}");
    }
    let administrator = log_in(&served, "administer");
    let created = administrator.call("POST", "/studies", &order);
    assert_eq!(created.status, 201, "{created:?}");
    let name = created.json()["study"].as_str().unwrap().to_owned();
    let known = loop {
        let known = administrator.call("GET", &format!("/studies/{name}"), "");
        let known = known.json();
        if !known["end"].is_null() {
            break known;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(known["result"]["end"], "no_baseline", "{known:#}");
    assert_eq!(known["by"], "administer");
    let asked = other.requests();
    assert!(
        asked
            .iter()
            .all(|request| !format!("{request:?}").contains("/hello")),
        "{asked:?}"
    );
    let audit = administrator.call("GET", "/audit", "");
    assert!(audit.body.contains(&format!("study {name}")), "{audit:?}");
}

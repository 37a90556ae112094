//! Evidence of a run, held against what was recorded and counted by itself.

use std::collections::BTreeMap;

use plimsoll_diagnose::Evidence;
use plimsoll_stats::series::{Entity, EntityKind, Fact};
use plimsoll_store::CaptureRecord;
use serde_json::{Value, json};

use crate::assert_as_described;
use crate::client::Served;
use crate::common::folder;
use crate::recorded::{begun, finish, goroutines, put_capture, recording, stored};

/// What the document has at the path of a capture.
pub(crate) fn described(
    served: &Served,
    api: &Value,
    id: &str,
    number: i64,
    below: &str,
    query: &str,
) -> Value {
    let value = served.get(&format!(
        "/runs/{id}/evidence/captures/{number}{below}{query}"
    ));
    let path = format!("/api/v1/runs/{{id}}/evidence/captures/{{number}}{below}");
    assert_as_described(api, &path, &value);
    value
}

pub(crate) fn name_of(dir: &std::path::Path) -> String {
    dir.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A recorded run of a missing index in a folder that is served: what was recorded, its name, and the API's document.
fn recorded_fault() -> (tempfile::TempDir, Evidence, String, Served, Value) {
    let dir = folder();
    let evidence = recording("F17-index-101-faulty");
    let id = name_of(&stored(dir.path(), &evidence));
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    (dir, evidence, id, served, api)
}

#[test]
fn each_capture_is_told_as_what_it_is() {
    let (_dir, evidence, id, served, api) = recorded_fault();
    let page = served.get(&format!("/runs/{id}/evidence/captures?limit=1000"));
    assert_as_described(&api, "/api/v1/runs/{id}/evidence/captures", &page);
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.len(), evidence.captures.len());
    for (item, recorded) in items.iter().zip(&evidence.captures) {
        let number = item["number"].as_i64().unwrap();
        let at_s = recorded.at_ms as f64 / 1e3;
        assert!(
            (item["at_s"].as_f64().unwrap() - at_s).abs() < 1e-6,
            "{item}"
        );
        assert_eq!(item["kind"], recorded.kind.as_str());
        for view in item["views"].as_array().unwrap() {
            let below = match view.as_str().unwrap() {
                "text" => String::new(),
                view => format!("/{view}"),
            };
            let told = described(&served, &api, &id, number, &below, "");
            match view.as_str().unwrap() {
                "threads" => assert_threads(&told, &recorded.text),
                "classes" => assert_classes(&told, &recorded.text),
                "statements" => assert_statements(&told, &recorded.text),
                "flame" => assert_eq!(told["graph"]["unit"], "threads", "{told}"),
                _ => assert!(recorded.text.starts_with(told["text"].as_str().unwrap())),
            }
        }
    }
    let dumps = served.get(&format!(
        "/runs/{id}/evidence/captures?kind=thread_dump&limit=2"
    ));
    assert_eq!(
        (dumps["items"].as_array().unwrap().len(), &dumps["next"]),
        (2, &json!("2"))
    );
}

/// Threads as their headings say, and those that wait as `jstack` marks them.
fn assert_threads(told: &Value, text: &str) {
    // As the JVM writes them, and as Spring Boot's Actuator does.
    let is_head = |line: &&str| {
        let is_java = line.contains(" #") && line.contains(" os_prio=");
        line.starts_with('"') && (is_java || line.contains(" - Thread t@"))
    };
    let headed = text.lines().filter(is_head).count() as u64;
    let threads = told["threads"].as_u64().unwrap();
    assert!(threads >= headed && headed > 5, "{threads} {headed}");
    let mut waiting: BTreeMap<&str, u64> = BTreeMap::new();
    for line in text.lines() {
        let marks = ["- waiting to lock <", "- parking to wait for  <"];
        let lock = marks.iter().find_map(|mark| line.trim().strip_prefix(mark));
        if let Some((lock, _)) = lock.and_then(|rest| rest.split_once('>')) {
            *waiting.entry(lock).or_default() += 1;
        }
    }
    for lock in told["locks"].as_array().unwrap() {
        let id = lock["id"].as_str().unwrap();
        if let Some(count) = waiting.get(id) {
            assert_eq!(lock["waiting"]["count"], *count, "{lock}");
        }
    }
    let mut all = 0;
    for group in told["items"].as_array().unwrap() {
        all += group["threads"]["count"].as_u64().unwrap();
    }
    assert!(
        told["next"].is_string() || all == threads,
        "{all} {threads}"
    );
}

/// The bytes that `jmap` counts, line by line.
fn assert_classes(told: &Value, text: &str) {
    let number = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().is_some_and(|word| word.ends_with(':'));
        first.then(|| words.get(2)?.parse::<f64>().ok()).flatten()
    };
    let bytes: f64 = text.lines().filter_map(number).sum();
    let told_bytes = told["bytes"].as_f64().unwrap();
    // Classes of the same name from several loaders are one.
    assert!(
        told_bytes <= bytes && told_bytes > bytes * 0.9,
        "{told_bytes} {bytes}"
    );
    let items = told["items"].as_array().unwrap();
    assert!(!items.is_empty());
    if told["before"].is_null() {
        assert_eq!(told["more_bytes"], 0.0);
    } else {
        let grown = items[0]["more_bytes"].as_f64().unwrap();
        assert!(
            items
                .iter()
                .all(|row| row["more_bytes"].as_f64().unwrap() <= grown)
        );
    }
}

fn assert_statements(told: &Value, text: &str) {
    let recorded: Value = serde_json::from_str(text).unwrap();
    let statements = recorded["statements"].as_array().map_or(0, Vec::len);
    assert_eq!(told["statements"].as_array().unwrap().len(), statements);
    assert_eq!(told["left_out"], 0, "{told}");
    for (told, recorded) in told["statements"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(recorded["statements"].as_array().into_iter().flatten())
    {
        assert_eq!(told["text"], recorded["text"]);
        assert_eq!(told["plan"], recorded["plan"]);
        assert_eq!(told["time_s"].as_f64(), recorded["time_s"].as_f64());
    }
}

#[test]
fn a_finding_leads_to_its_series_captures_and_facts() {
    let (_dir, _, id, served, api) = recorded_fault();
    let findings = served.get(&format!("/runs/{id}/findings"));
    let shown = served.get(&format!("/runs/{id}/evidence/findings"));
    assert_as_described(&api, "/api/v1/runs/{id}/evidence/findings", &shown);
    let (findings, shown) = (&findings["findings"], shown["items"].as_array().unwrap());
    assert_eq!(findings.as_array().unwrap().len(), shown.len());
    assert!(!shown.is_empty());
    let names = served.get(&format!("/runs/{id}/series/names"));
    let (mut series, mut captures) = (0, 0);
    for (finding, shown) in findings.as_array().unwrap().iter().zip(shown) {
        assert_eq!(
            (&finding["id"], &finding["title"]),
            (&shown["id"], &shown["title"])
        );
        let exhibits = finding["evidence"].as_array().unwrap();
        let wanted: Vec<&Value> = exhibits
            .iter()
            .map(|one| &one["capture"])
            .filter(|one| !one.is_null())
            .collect();
        let told: Vec<&Value> = shown["captures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["number"])
            .collect();
        assert_eq!(told, wanted);
        captures += told.len();
        for exhibit in exhibits.iter().filter(|one| one["series"].is_string()) {
            let of_name = |one: &&Value| one["name"] == exhibit["series"];
            let mut all = shown["series"].as_array().unwrap().iter();
            let found = all
                .find(of_name)
                .unwrap_or_else(|| panic!("{exhibit} {shown}"));
            let mut known = names["items"].as_array().unwrap().iter();
            assert!(known.any(|one| one["id"] == found["id"]), "{found}");
            let at_s = found["at_s"].as_f64();
            let stretch = shown["from_s"].as_f64().unwrap()..=shown["to_s"].as_f64().unwrap();
            assert!(at_s.is_none_or(|at_s| stretch.contains(&at_s)), "{found}");
            series += 1;
        }
    }
    assert!(series > 0 && captures > 0, "{series} {captures}");
}

#[test]
fn facts_say_what_changed() {
    let dir = folder();
    let entity = Entity::new(EntityKind::Proxy, "nginx", "web");
    let fact = |name: &str, value: &str| Fact {
        entity: entity.clone(),
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let mut ids = Vec::new();
    for workers in ["1", "4"] {
        let mut writer = begun(dir.path());
        let at = 1_772_593_445_000_000_000;
        writer
            .write_fact(at, &fact("nginx.worker_processes", workers))
            .unwrap();
        writer
            .write_fact(at, &fact("nginx.version", "<b>1.22</b>"))
            .unwrap();
        writer
            .write_fact(at + 2_000_000_000, &fact("nginx.version", "<b>1.22</b>"))
            .unwrap();
        writer
            .write_fact(at + 3_000_000_000, &fact("nginx.http.gzip", "on"))
            .unwrap();
        writer
            .write_fact(at + 5_000_000_000, &fact("nginx.http.gzip", "off"))
            .unwrap();
        ids.push(name_of(writer.dir()));
        finish(writer);
    }
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let (before, after) = (&ids[0], &ids[1]);
    let all = served.get(&format!("/runs/{after}/evidence/facts?since={before}"));
    assert_as_described(&api, "/api/v1/runs/{id}/evidence/facts", &all);
    let told: Vec<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| {
            (
                fact["name"].as_str().unwrap(),
                fact["values"].as_array().unwrap().len(),
                &fact["is_changed"],
            )
        })
        .collect();
    let (yes, no) = (json!(true), json!(false));
    let expected = [
        ("nginx.http.gzip", 2, &yes),
        ("nginx.version", 1, &no),
        ("nginx.worker_processes", 1, &yes),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        all["items"][0]["values"][1],
        json!({"at_s": 5.0, "value": "off"})
    );
    assert_eq!(all["items"][2]["before"], "1");
    let changed = served.get(&format!("/runs/{after}/evidence/facts?changed=true"));
    assert_eq!(changed["items"].as_array().unwrap().len(), 1, "{changed}");
    let found = served.get(&format!("/runs/{after}/evidence/facts?search=WORKER"));
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
}

pub(crate) fn record(kind: &str, media_type: &str) -> CaptureRecord {
    CaptureRecord {
        entity: (*Entity::new(EntityKind::Jvm, "java[1]\u{202e}<script>", "web")).clone(),
        kind: kind.to_owned(),
        moment: "worst".to_owned(),
        media_type: media_type.to_owned(),
        took_ns: 1,
    }
}

/// Profiles of a real JVM, by async-profiler.
const CPU: &str = include_str!("../../../diagnose/tests/profiles/cpu.txt");
const LOCKS: &str = include_str!("../../../diagnose/tests/profiles/locks.txt");

/// Counts of collapsed stacks, and of those that have a call on them.
fn counted(text: &str, call: &str) -> (f64, f64) {
    let (mut all, mut of_call) = (0.0, 0.0);
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        let count: f64 = count.parse().unwrap();
        all += count;
        if stack
            .split(';')
            .any(|frame| frame.trim_end_matches("_[j]").trim_end_matches("_[i]") == call)
        {
            of_call += count;
        }
    }
    (all, of_call)
}

/// What the boxes of a call have together, each thread once.
pub(crate) fn total_of(graph: &Value, call: &str) -> f64 {
    let boxes = graph["boxes"].as_array().unwrap();
    let name = |each: &Value| {
        graph["names"][each["name"].as_u64().unwrap() as usize]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let outermost = |each: &&Value| {
        let mut parent = each["parent"].as_u64();
        while let Some(at) = parent {
            if name(&boxes[at as usize]) == call {
                return false;
            }
            parent = boxes[at as usize]["parent"].as_u64();
        }
        name(each) == call
    };
    boxes
        .iter()
        .filter(outermost)
        .map(|each| each["total"].as_f64().unwrap())
        .sum()
}

#[test]
fn flame_graphs_have_all_samples() {
    let dir = folder();
    let mut writer = begun(dir.path());
    let deep = format!("{} 5\n<b>x</b>;locks 2\n", vec!["f"; 20_000].join(";"));
    let stacks = json!({
        "schema": "plimsoll.stacks/1", "from_unix_ns": 0, "lasted_s": 3.0, "pid": 1, "processes": 1,
        "runtime": null, "cpus": 2, "samples_per_cpu_and_second": 99, "samples": 7, "looks": 10,
        "lost": 0, "whole": 7, "unnamed_places": 0, "cost_s": 0.0, "others": 0,
        "frames": [{"function": "work", "kind": "native"}, {"function": "main", "kind": "native"}],
        "stacks": [
            {"state": "cpu", "thread": "w", "count": 7, "calls": [0, 1]},
            {"state": "futex", "thread": "w", "count": 40, "calls": [1]},
        ],
    });
    let all = [
        ("cpu_profile", "text/plain", CPU.to_owned()),
        ("lock_profile", "text/plain", LOCKS.to_owned()),
        ("cpu_samples", "text/plain", deep),
        ("stacks", "application/json", stacks.to_string()),
        ("jfr", "application/x-jfr", "no recording".to_owned()),
        ("stacks", "application/json", "[1]".to_owned()),
        ("goroutines", "application/json", goroutines().to_string()),
        ("goroutines", "application/json", "{}".to_owned()),
    ];
    for (kind, form, text) in &all {
        put_capture(&mut writer, 1_000, &record(kind, form), text.as_bytes());
    }
    let id = name_of(writer.dir());
    finish(writer);
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let flame = |number, query: &str| {
        described(&served, &api, &id, number, "/flame", query)["graph"].clone()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() <= b.abs() * 1e-9, "{a} {b}");
    let cpu = flame(1, "");
    let (samples, of_run) = counted(CPU, "java/lang/Thread.run");
    near(cpu["total"].as_f64().unwrap(), samples);
    assert!(of_run > 0.0);
    near(total_of(&cpu, "java/lang/Thread.run"), of_run);
    let own: f64 = cpu["boxes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["self"].as_f64().unwrap())
        .sum();
    assert!(cpu["left_out"] != 0 || (own - samples).abs() < 0.5, "{own}");
    let locks = flame(2, "?of=locks");
    near(locks["total"].as_f64().unwrap(), counted(LOCKS, "").0 / 1e6);
    let deep = flame(3, "");
    assert_eq!(
        (&deep["total"], deep["boxes"].as_array().unwrap().len()),
        (&json!(7.0), 256 + 3)
    );
    assert_eq!(flame(4, "?of=cpu")["total"], 7.0);
    let waits = flame(4, "?of=waits");
    assert_eq!(
        (&waits["total"], &waits["unit"]),
        (&json!(4.0), &json!("threads"))
    );
    // Those that run too, each look counted once, below what they wait for.
    let told = flame(7, "");
    assert_eq!(
        (&told["total"], &told["unit"]),
        (&json!(101.0), &json!("goroutines"))
    );
    for (call, count) in [
        ("futex", 100.0),
        ("main.<b>buy</b>", 100.0),
        ("running", 1.0),
        ("main.spin", 1.0),
    ] {
        near(total_of(&told, call), count);
    }
    for (path, status) in [
        ("7/flame?of=cpu", 400),
        ("8/flame", 422),
        ("1/flame?of=locks", 400),
        ("1/threads", 404),
        ("5/flame", 422),
        ("6/flame", 422),
        ("9/flame", 404),
        ("5", 404),
    ] {
        let path = format!("/api/v1/runs/{id}/evidence/captures/{path}");
        let refused = served.call("GET", &path, "", "");
        assert_eq!(refused.status, status, "{path}: {refused:?}");
        assert!(!refused.json()["detail"].as_str().unwrap().is_empty());
    }
    let file = served.call(
        "GET",
        &format!("/api/v1/runs/{id}/evidence/captures/5/file"),
        "",
        "",
    );
    assert_eq!((file.status, file.body.as_str()), (200, "no recording"));
    assert!(
        file.head.contains("attachment; filename=\"jfr-5\""),
        "{file:?}"
    );
}

#[test]
fn a_finding_becomes_a_study_of_the_setting_that_it_advises() {
    let dir = folder();
    let id = name_of(&stored(dir.path(), &recording("F01-101-faulty")));
    let served = Served::start(dir.path());
    let api = served.get("/openapi.json");
    let diagnosis = served.get(&format!("/runs/{id}/findings"));
    let findings = diagnosis["findings"].as_array().unwrap();
    let mut studies = 0;
    for (finding, rank) in findings.iter().zip(1..) {
        let path = format!("/api/v1/runs/{id}/findings/{rank}/study");
        let told = served.call("GET", &path, "", "");
        let mut advice = finding["advice"].as_array().unwrap().iter();
        let Some(knob) = advice.find_map(|it| it["knob"].as_str()) else {
            assert_eq!(told.status, 404, "{finding:#}: {told:?}");
            continue;
        };
        assert_eq!(told.status, 200, "{finding:#}: {told:?}");
        let study = told.json();
        assert_as_described(&api, "/api/v1/runs/{id}/findings/{number}/study", &study);
        let text = study["study"].as_str().unwrap();
        assert!(text.contains(&format!("  {knob}:")), "{text}");
        assert!(study["files"].is_null(), "its plan is a URL: {study:#}");
        studies += 1;
    }
    assert!(studies > 0, "{diagnosis:#}");
    for number in ["0", "99", "x", "-1"] {
        let path = format!("/api/v1/runs/{id}/findings/{number}/study");
        let none = served.call("GET", &path, "", "");
        assert!((400..=404).contains(&none.status), "{number}: {none:?}");
    }
}

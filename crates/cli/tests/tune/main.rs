//! `plimsoll tune` on a real service: its settings are changed, read back, measured and brought back.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attacked;
#[path = "../common/mod.rs"]
mod common;
mod earlier;
mod elsewhere;
mod faults;
mod kills;
mod mariadb;
mod named;
mod ways;
mod world;

use std::time::Duration;

use common::json::{assert_fits, json};
use serde_json::Value;
use world::World;

/// The result is what the schema says.
fn assert_valid(result: &Value) {
    let schema = include_str!("../../../../schema/tune.schema.json");
    assert_fits(&json(schema), result);
}

#[test]
fn a_setting_that_helps_is_found_read_back_and_brought_back() {
    let world = World::new();
    let knobs = world.workers("range: 1..8\n    by-ratio: true");
    world.study(&format!(
        "knobs:
{knobs}  delay:
    argument: --delay {{}}
    values: [40, 41]
  unused:
    env: UNUSED
    values: [a, b]
trials: 20
seed: 3
"
    ));
    let before = world.state();
    let (told, result) = world.tuned(&[]);
    assert_eq!(world.state(), before);
    world.assert_clean("after a study");
    assert_eq!(result["end"], "done", "{}", told.err);
    let workers: u32 = result["kept"]["workers"].as_str().unwrap().parse().unwrap();
    assert!(workers >= 3, "{}", told.out);
    assert!(
        result["effect"]["low"].as_f64().unwrap() > 0.5,
        "{}",
        told.out
    );
    let changes = result["changes"].to_string();
    assert!(changes.contains("-workers = 1") && changes.contains(&format!("+workers = {workers}")));
    assert!(told.out.contains("workers="), "{}", told.out);
    // Nothing that anybody keeps has the service's secrets.
    for text in [&told.out, &told.err, &result.to_string()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_dry_run_does_nothing() {
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}reset: touch was-reset\n",
        world.workers("range: 1..8")
    ));
    let before = world.state();
    let told = world.call(&["tune", "study.yaml", "--dry-run"]);
    told.assert_code(0);
    for line in [
        "python3 -u service.py",
        "-workers = 1",
        "+workers = 8",
        "touch was-reset",
    ] {
        assert!(told.out.contains(line), "{line}: {}", told.out);
    }
    let added = "not written there yet";
    assert!(!told.out.contains(added), "{}", told.out);
    assert_eq!(world.state(), before);
    world.edit_study("key: workers", "key: wrokers");
    let told = world.call(&["tune", "study.yaml", "--dry-run"]);
    told.assert_code(0);
    assert!(told.out.contains(added), "{}", told.out);
    assert_eq!(world.state(), before);
    assert!(!world.path("plimsoll-runs").exists() && !world.path("was-reset").exists());
    world.assert_clean("after a dry run");
}

#[test]
fn what_a_start_command_has_left_is_known_by_its_plan() {
    let world = World::new();
    let told = world.call(&["tune", "--restore", "plan.yaml"]);
    assert!(!told.out.contains("plan-start"), "{}", told.out);
    std::fs::remove_dir_all(world.path("plimsoll-runs")).unwrap();
    std::fs::create_dir_all(world.path("plimsoll-runs/.tune/plan-start")).unwrap();
    let told = world.call(&["tune", "--restore", "plan.yaml"]);
    told.assert_code(0);
    assert!(told.out.contains("plan-start"), "{}{}", told.out, told.err);
}

#[test]
fn mistakes_of_a_study_are_told_with_their_places() {
    let world = World::new();
    world.study(
        "knobs:
  a:
    file: conf/none.properties
    key: x
    range: 1..8
  b:
    argument: --b
    range: 8..1
  c:
    env: C
    values: [1, 2, '1']
    of: nobody
objective: minimise p75
relations:
  - a <= d )
",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in ["nobody", "--b", "“1”", "study.yaml:21:20", "p75"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    world.study(
        "knobs:
  a:
    file: conf/none.properties
    key: x
    range: 1..8
  b:
    env: B
    range: 8..1
  c:
    file: conf/service.properties
    key: workers
    range: 1..8
relations:
  - b <= c )
never: [conf]
",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in ["none.properties", "8..1", "study.yaml:24", "never"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    world.assert_clean("after mistakes");
}

#[test]
fn places_that_cannot_be_meant_are_refused() {
    let world = World::new();
    std::fs::write(world.path("conf/extra.conf"), "size = 512m\nfsync = on\n").unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(world.path("conf/pipe.ini"))
        .status();
    assert!(pipe.unwrap().success());
    world.study(
        "knobs:
  a: { file: conf/service.properties, key: workers, range: 1..8 }
  b: { file: conf/../conf/service.properties, key: workers, values: ['1', '2'] }
  c: { file: conf/extra.conf, format: pattern, key: '^size = (.+)$', range: 1..8 }
  d: { file: conf/extra.conf, format: pattern, key: '^f.+ = (on|off)$', values: ['on', 'off'] }
  e: { argument: '--appendfsync {}', values: [always, 'no'] }
  f: { file: conf/pipe.ini, key: '[x] y', range: 1..8 }
  g: { file: conf/extra.conf, format: pattern, key: '(nothing', values: ['1', '2'] }
",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in [
        "the knobs “a” and “b” are written at the same place",
        "“512m” stands in line 1",
        "the knob “d” gives something up for speed: durability",
        "the knob “e” gives something up for speed: durability",
        "pipe.ini cannot be used: it is a device or a pipe",
        "study.yaml:18:53: conf/extra.conf: (nothing names no place",
    ] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    for name in ["conf/extra.conf", "conf/pipe.ini"] {
        std::fs::remove_file(world.path(name)).unwrap();
    }
    world.assert_clean("after mistakes");
}

#[test]
fn what_is_ready_before_it_was_started_is_not_taken_for_it() {
    let world = World::new();
    world.study(&format!("knobs:\n{}", world.workers("range: 1..8")));
    let port = world.port.to_string();
    let mut other = std::process::Command::new("python3")
        .args([
            "service.py",
            "--port",
            &port,
            "--file",
            "conf/service.properties",
        ])
        .current_dir(world.dir.path())
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(("127.0.0.1", world.port)).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let told = world.call(&["tune", "study.yaml"]);
    let url = format!("http://127.0.0.1:{port}/work");
    let start = format!("python3 service.py --port {port} --file conf/service.properties");
    let without = world.call(&["tune", &url, "--start", &start]);
    let pid = other.id();
    other.kill().unwrap();
    other.wait().unwrap();
    let process = format!("(process {pid}: ");
    let command = format!("python3 service.py --port {port} --file");
    let in_study = [
        "before it was started",
        "Stop it, or replace “start” by “running: true”",
    ];
    // There is no file in which that could be said.
    let by_start = [
        "stop what is there and call this again",
        "write a study instead",
    ];
    for (told, parts) in [(told, in_study), (without, by_start)] {
        told.assert_code(2);
        for part in parts
            .into_iter()
            .chain([process.as_str(), command.as_str()])
        {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
    }
    world.assert_clean("after a refusal");
}

#[test]
fn an_interrupted_study_is_brought_back_and_goes_on() {
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}trials: 14\nseed: 5\n",
        world.workers("range: 1..8")
    ));
    let before = world.state();
    let child = world.start(&["tune", "study.yaml"]);
    let told = world.interrupted(child, 3);
    told.assert_code(130);
    assert_eq!(world.state(), before);
    world.assert_clean("after an interruption");
    let first = world.result();
    assert_valid(&first);
    assert_eq!(first["end"], "interrupted");
    let told = world.call(&["tune", "study.yaml", "--resume"]);
    told.assert_code(0);
    let second = world.result();
    // What was measured is taken as it was.
    for at in 0..3 {
        assert_eq!(first["trials"][at], second["trials"][at]);
    }
    assert_eq!(second["trials"].as_array().unwrap().len(), 14);
    let other = world.call(&["tune", "study.yaml", "--resume", "--seed", "6"]);
    other.assert_code(2);
    world.assert_clean("after it went on");
}

#[test]
fn a_study_goes_on_with_the_same_data_alone() {
    let world = World::new();
    let plan = format!(
        "target: http://127.0.0.1:{}\nusers: 2\ndata: names.csv\nsteps:\n- get: /work?name=${{name}}\n",
        world.port
    );
    let names = world.path("names.csv");
    std::fs::write(world.path("plan.yaml"), plan).unwrap();
    std::fs::write(&names, "name\nanna\n").unwrap();
    world.study(&format!(
        "knobs:\n{}trials: 2\n",
        world.workers("range: 1..8")
    ));
    let url = format!("plan: http://127.0.0.1:{}/work", world.port);
    world.edit_study(&url, "plan: plan.yaml");
    world.call(&["tune", "study.yaml"]).assert_code(5);
    let again = ["tune", "study.yaml", "--resume"];
    world.call(&again).assert_code(5);
    std::fs::write(&names, "name\nberta\n").unwrap();
    let told = world.call(&again);
    told.assert_code(2);
    assert!(told.err.contains("plan"), "{}", told.err);
}

#[test]
fn a_budget_that_is_too_short_is_told_and_so_is_what_had_no_test_alone() {
    let world = World::new();
    world.study(&format!(
        "knobs:\n{}trials: 4\nsearch: random\nseed: 1\n",
        world.workers("range: 1..8")
    ));
    let before = world.state();
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(5);
    assert_eq!(world.state(), before);
    let mut result = world.result();
    assert_valid(&result);
    assert_eq!(result["end"], "not_judged");
    let needs = &result["needs"];
    let trials = needs["trials"].as_u64().unwrap();
    assert!(
        trials > 4 && needs["seconds"].as_f64().unwrap() > 4.0,
        "{needs}"
    );
    for part in ["Nothing could be judged", &format!("about {trials} trials")] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    assert!(!told.out.contains("Nothing better"), "{}", told.out);

    // A result with two changes, of which one had a test of its own.
    let effect = serde_json::json!(
        {"share": 0.5, "low": 0.4, "high": 0.6, "pairs": 5, "verdict": "better"}
    );
    result["end"] = "done".into();
    result["needs"] = Value::Null;
    result["effect"] = effect.clone();
    result["kept"] = serde_json::json!({"delay": "41", "workers": "8"});
    result["not_tested_alone"] = serde_json::json!(["delay"]);
    let each = serde_json::json!({"knob": "workers", "value": "8", "effect": effect, "kept": true});
    result["each"] = serde_json::json!([each]);
    assert_valid(&result);
    std::fs::write(world.path("shown.json"), result.to_string()).unwrap();
    let wanted = [
        (
            "en",
            "○ kept, not tested alone",
            "delay=41 is kept, not tested alone",
        ),
        ("zh", "○ 保留，未单独检验", "delay=41 保留，未单独检验"),
    ];
    for (lang, in_story, in_text) in wanted {
        let shown = ["tune", "--show", "shown.json", "--lang", lang];
        let story = [
            &shown[..],
            &["--report", "story.md", "--report", "story.html"],
        ]
        .concat();
        let told = world.call(&story);
        told.assert_code(0);
        assert!(told.out.contains(in_text), "{}", told.out);
        for file in ["story.md", "story.html"] {
            let text = std::fs::read_to_string(world.path(file)).unwrap();
            assert!(text.contains(in_story), "{file}: {text}");
            let tested = text.matches('✓').count();
            // A page marks its verdict, too.
            assert_eq!(tested, if file == "story.md" { 1 } else { 2 }, "{file}");
        }
    }
}

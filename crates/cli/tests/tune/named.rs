//! Knobs by name, on real JVMs: written into the start command, read back from the running process, and only as far
//! as the study allows it.

use std::fs;

use serde_json::Value;

use crate::common::json::{assert_fits, json};
use crate::world::{Told, World, processes_with};

/// The folder of a study of a small JVM server; none on a machine without Java, which CI must have.
fn java_world() -> Option<World> {
    let java = std::process::Command::new("java").arg("-version").output();
    if java.is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI must have java");
        eprintln!("skipped: java is not installed (tools/setup.sh lab)");
        return None;
    }
    let world = World::new();
    // Compiled once, and not by each start.
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/Small.java");
    let made = std::process::Command::new("javac")
        .arg("-d")
        .arg(world.dir.path())
        .arg(program)
        .status();
    assert!(made.unwrap().success());
    Some(world)
}

fn java_study(world: &World, more: &str) {
    let port = world.port;
    let text = format!(
        "plan: http://127.0.0.1:{port}/
users: 8
measure: 1s
warm-up: 1s
components:
  app:
    start: nice -n 1 java -XX:TieredStopAtLevel=1 -cp . Small {port}
    ready: 127.0.0.1:{port}
{more}"
    );
    fs::write(world.path("study.yaml"), text).unwrap();
}

fn assert_nothing_left(world: &World) {
    let left = processes_with(&["Small", &world.port.to_string()]);
    assert_eq!(left, Vec::<i32>::new(), "a server is left");
}

#[test]
fn knobs_by_name_are_written_and_read_back() {
    let Some(world) = java_world() else { return };
    java_study(
        &world,
        "search: random
trials: 16
seed: 2
knobs:
  jvm.fork-join.parallelism: { range: 1..8, default: 1 }
  heap: { knob: jvm.heap.max, values: [64m, 128m] }
",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(0);
    assert_nothing_left(&world);
    let result = world.result();
    crate::assert_valid(&result);
    let trials = result["trials"].as_array().unwrap();
    // The first trial says what the target has of its own.
    let read: Vec<&Value> = trials
        .iter()
        .skip(1)
        .filter_map(|trial| trial["result"]["read_back"].as_array())
        .flatten()
        .collect();
    // The heap as the JVM itself has it, in bytes; the property as it stands among its arguments.
    let heap = |it: &&&Value| it["knob"] == "heap";
    let sizes = ["67108864", "134217728"];
    let says = |seen: &Value, all: &[&str]| all.contains(&seen["has"].as_str().unwrap());
    let mut heaps = read.iter().filter(heap);
    assert!(heaps.any(|seen| says(seen, &sizes)), "{}", told.err);
    for seen in read.iter().filter(heap) {
        // A JVM that does not respond in time on a busy machine shows its arguments.
        let is_right = says(seen, &sizes) || says(seen, &["64m", "128m"]);
        assert!(is_right, "{seen}");
    }
    assert!(
        read.iter()
            .any(|it| it["knob"] == "jvm.fork-join.parallelism"),
        "{}",
        told.err
    );
    assert!(
        trials.iter().all(|it| it["result"]["end"] != "void"),
        "{}",
        told.err
    );
}

#[test]
fn mistakes_of_knobs_by_name_are_told_with_their_places() {
    let world = World::new();
    fs::write(world.path("conf/my.cnf"), "[mysqld]\n").unwrap();
    fs::write(world.path("conf/redis.conf"), "appendonly yes\n").unwrap();
    world.study(
        "knobs:
  tomcat.thread.max: { range: 1..8 }
  mysql.sync-binlog: { file: conf/my.cnf }
  redis.appendfsync: { file: conf/redis.conf }
  jvm.heap.max: { range: 64m..128m }
  heap: { knob: redis.maxmemory, file: conf/redis.conf, range: 1..8 }
  flush:
    file: conf/my.cnf
    key: '[mysqld] innodb_flush_log_at_trx_commit'
    values: [1, 2]
allow: [redis.appendfsync, redis.appendfsnc]
",
    );
    let told = world.call(&["tune", "study.yaml"]);
    told.assert_code(2);
    for part in [
        "study.yaml:12:3: no knob is called “tomcat.thread.max”",
        "tomcat.threads.max",
        "“mysql.sync-binlog” gives something up for speed: durability",
        "allow: [mysql.sync-binlog]",
        "jvm.heap.max has no place in the start command",
        "1 is outside of the range in which redis.maxmemory is searched",
        "“flush” gives something up for speed: durability",
        "redis.appendfsnc",
    ] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert!(
        !told.err.contains("“redis.appendfsync” gives"),
        "{}",
        told.err
    );
}

#[test]
fn knobs_are_listed() {
    let world = World::new();
    let list =
        |arguments: &[&str]| -> Told { world.call(&[&["tune", "--knobs"], arguments].concat()) };
    let all = list(&[]);
    all.assert_code(0);
    assert!(all.out.contains("mysql.buffer-pool-size") && all.out.contains("durability"));
    let family = list(&["tomcat"]);
    family.assert_code(0);
    for part in [
        "tomcat.threads.max: ",
        "1 … 2000",
        "spring: server.tomcat.threads.max",
        "meter of the actuator: tomcat.threads.config.max",
        "https://tomcat.apache.org/",
    ] {
        assert!(family.out.contains(part), "{part}: {}", family.out);
    }
    assert!(!family.out.contains("jvm.heap.max"));
    let schema = json(include_str!("../../../../schema/knobs.schema.json"));
    for (arguments, families) in [(vec!["--json"], 17), (vec!["redis", "--json"], 1)] {
        let listed = json(&list(&arguments).out);
        assert_fits(&schema, &listed);
        assert_eq!(listed["families"].as_array().unwrap().len(), families);
    }
    let one = list(&["php-fpm.start-servers"]);
    one.assert_code(0);
    assert!(
        one.out.contains("Only while php-fpm.pm is: dynamic"),
        "{}",
        one.out
    );
    assert!(!one.out.contains("php-fpm.max-children: "), "{}", one.out);
    let unknown = list(&["tomcatt"]);
    unknown.assert_code(2);
    assert!(unknown.err.contains("tomcatt") && unknown.err.contains("hikari"));
}

#[test]
fn a_start_command_is_tuned_without_a_study() {
    let Some(world) = java_world() else { return };
    let start = format!("java -XX:TieredStopAtLevel=1 -cp . Small {}", world.port);
    let url = format!("http://127.0.0.1:{}/", world.port);
    let arguments = [
        "tune",
        &url,
        "--start",
        &start,
        "--measure",
        "3s",
        "--warm-up",
        "3s",
    ];
    let told = world.call(&arguments);
    told.assert_code(0);
    assert_nothing_left(&world);
    let result = world.result();
    crate::assert_valid(&result);
    // What findings advise, if they advise anything, is tried.
    let ends = ["done", "nothing_tried"];
    assert!(
        ends.contains(&result["end"].as_str().unwrap()),
        "{}",
        told.err
    );
    // Whatever is advised here, nothing but the command's own arguments and environment changes.
    for change in result["changes"].as_array().unwrap() {
        let of = change["of"].as_str().unwrap();
        assert!(
            ["target: start", "target: environment"].contains(&of),
            "{change}"
        );
    }
    for trial in result["trials"].as_array().unwrap() {
        assert_ne!(trial["why"]["reason"], "search", "{trial}");
    }
    let none = world.call(&["tune", &url, "--start", "java 'x"]);
    none.assert_code(2);
    assert!(none.err.contains("this is no command"), "{}", none.err);
}

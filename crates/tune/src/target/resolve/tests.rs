#![allow(clippy::unwrap_used)]

use plimsoll_plan::Problem;

use super::prepare;
use crate::target::Prepared;

/// A study of one component, as far as it is right.
fn prepared(component: &str, knobs: &str, more: &str) -> Result<Prepared, Vec<Problem>> {
    let study = format!(
        "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\ncomponents:\n  app:\n{component}\
         knobs:\n{knobs}{more}"
    );
    let (study, _) = plimsoll_plan::parse_study(&study, "study.yaml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("app.properties"),
        "server.tomcat.threads.max=20\n",
    )
    .unwrap();
    prepare(study, &folder.path().join("study.yaml"), None)
}

fn ids(made: Result<Prepared, Vec<Problem>>) -> Vec<String> {
    let problems = made.err().unwrap_or_default();
    problems
        .iter()
        .map(|it| it.message.id.to_string())
        .collect()
}

const APP: &str = "    start: ./app\n    ready: 127.0.0.1:1\n";
const KNOB: &str = "  a: { env: A, values: [1, 2] }\n";

#[test]
fn a_command_whose_quotes_are_open_is_refused_wherever_it_stands() {
    assert_eq!(ids(prepared(APP, KNOB, "")), Vec::<String>::new());
    let by_command = |command: &str, values: &str| {
        format!("  a:\n    command: {command}\n    default: '1'\n    values: {values}\n")
    };
    let told = |component: &str, knobs: &str, more: &str| ids(prepared(component, knobs, more));
    let ready = "    start: ./app\n    ready: grep 'x\n";
    let read_back = "  a: { env: A, values: [1, 2], read-back: { command: cat 'x } }\n";
    for ids in [
        told(ready, KNOB, ""),
        told(&format!("{APP}    stop: kill 'x\n"), KNOB, ""),
        told(APP, KNOB, "reset: load 'x\n"),
        told(APP, read_back, ""),
        told(APP, &by_command("put 'x {}", "[1, 2]"), ""),
        told(APP, &by_command("put {}", "['1', \"it's\"]"), ""),
    ] {
        assert_eq!(ids, ["tune-bad-command"]);
    }
    // A value may be what closes them.
    assert_eq!(
        told(APP, &by_command("put \"{}\"", "['1', \"it's\"]"), ""),
        Vec::<String>::new()
    );
}

#[test]
fn what_is_never_touched_is_known_by_each_of_its_names() {
    let by_key = "  t: { file: app.properties, key: server.tomcat.threads.max, range: 8..40 }\n";
    let by_id = "  t: { knob: tomcat.threads.max, file: app.properties, range: 8..40 }\n";
    let by_argument = "  t: { argument: '--server.tomcat.threads.max={}', range: 8..40 }\n";
    for knobs in [by_key, by_id, by_argument] {
        for never in ["tomcat.threads.max", "server.tomcat.threads.max"] {
            let told = ids(prepared(APP, knobs, &format!("never: [{never}]\n")));
            assert_eq!(told, ["tune-never"], "{never}: {knobs}");
        }
        let other = ids(prepared(APP, knobs, "never: [tomcat.accept-count]\n"));
        assert_eq!(other, Vec::<String>::new(), "{knobs}");
    }
}

#[test]
fn what_gives_something_up_is_known_behind_every_form() {
    let redis = "    start: redis-server --appendfsync always\n    ready: 127.0.0.1:1\n";
    let with_database = "    start: ./app\n    ready: 127.0.0.1:1\n    database: 'mysql://127.0.0.1:1,user=a,password-env=PATH'\n";
    for (component, knob) in [
        (
            APP,
            "env: PGOPTIONS, values: ['-c synchronous_commit=on', '-c synchronous_commit=off']",
        ),
        (redis, "argument: '{}', values: [always, 'no']"),
        (
            with_database,
            "sql: 'SET GLOBAL {} = 0', values: [x, sync_binlog], default: x",
        ),
        (
            with_database,
            "sql: 'ALTER TABLE t SET {}', values: [LOGGED, UNLOGGED], default: LOGGED",
        ),
        (
            APP,
            "file: app.properties, key: db.synchronous_commit, values: ['on', 'off']",
        ),
        (
            APP,
            "file: app.properties, key: logging.level.org.example, values: [INFO, 'OFF']",
        ),
    ] {
        let knobs = format!("  a: {{ {knob} }}\n");
        assert_eq!(
            ids(prepared(component, &knobs, "")),
            ["tune-not-allowed"],
            "{knob}"
        );
        let allowed = ids(prepared(component, &knobs, "allow: [a]\n"));
        assert_eq!(allowed, Vec::<String>::new(), "{knob}");
    }
    let plain =
        "  a: { file: app.properties, key: logging.level.org.example, values: [DEBUG, INFO] }\n";
    assert_eq!(ids(prepared(APP, plain, "")), Vec::<String>::new());
}

#[test]
fn a_relation_names_knobs_alone() {
    let knobs = "  a: { env: A, range: 1..8 }\n  b: { env: B, values: [g1, z] }\n";
    for relation in ["a <= aa", "a < c - 1", "aa <= 4", "c = g1", "a-1 <= 4"] {
        let told = ids(prepared(
            APP,
            knobs,
            &format!("relations: ['{relation}']\n"),
        ));
        assert_eq!(told, ["tune-relation-of-nothing"], "{relation}");
    }
    for relation in ["a <= 4", "b = g1", "b != z", "a * 2 <= 10"] {
        let told = ids(prepared(
            APP,
            knobs,
            &format!("relations: ['{relation}']\n"),
        ));
        assert_eq!(told, Vec::<String>::new(), "{relation}");
    }
}

#[test]
fn a_knob_of_another_program_is_refused() {
    let nginx = "    start: nginx -g 'daemon off;'\n    ready: 127.0.0.1:1\n";
    let knob = "  tomcat.threads.max: { file: app.properties, range: 8..40 }\n";
    assert_eq!(
        ids(prepared(nginx, knob, "")),
        ["tune-knob-of-another-program"]
    );
    assert_eq!(ids(prepared(APP, knob, "")), Vec::<String>::new());
}

#[test]
fn what_protects_nothing_is_told() {
    let knob = "  t: { knob: tomcat.threads.max, file: app.properties, range: 8..40 }\n";
    let strange = |never: &str| {
        let made = prepared(APP, knob, &format!("never: ['{never}']\n")).unwrap();
        super::never_of_nothing(&made).len()
    };
    for never in [
        "conf/none.cnf",
        "mysql.bufer-pool-size",
        "tomcat.accept-cont",
        "app*.properties",
        "aplication.yml",
    ] {
        assert_eq!(strange(never), 1, "{never}");
    }
    for never in [
        "/etc",
        "mysql.buffer-pool-size",
        "some.key.of.mine",
        "secret",
    ] {
        assert_eq!(strange(never), 0, "{never}");
    }
}

#[test]
fn what_only_a_shell_understands_is_refused() {
    let shell = "    start: cd /tmp && ./app\n    ready: 127.0.0.1:1\n";
    assert_eq!(ids(prepared(shell, KNOB, "")), ["tune-not-by-shell"]);
    let by_shell = "    start: sh -c 'cd /tmp && ./app'\n    ready: 127.0.0.1:1\n";
    assert_eq!(ids(prepared(by_shell, KNOB, "")), Vec::<String>::new());
}

#[test]
fn a_knob_by_name_may_say_its_place_and_keeps_its_range() {
    let key = "file: app.properties, key: server.tomcat.threads.max, format: spring-properties";
    let named = prepared(APP, &format!("  tomcat.threads.max: {{ {key} }}\n"), "").unwrap();
    assert!(named.knobs[0].setting.is_some());
    let own = format!("components:\n  app:\n{APP}knobs:\n  threads: {{ {key} }}\n");
    let problems = plimsoll_plan::parse_study(&own, "study.yaml").unwrap_err();
    let told = problems
        .iter()
        .any(|it| it.message.id == "study-knob-without-values");
    assert!(told, "{problems:?}");
}

#[test]
fn a_file_that_holds_one_value_needs_no_key() {
    let knob = |of: &str| format!("  mine: {{ file: app.properties, format: value{of} }}\n");
    let found = prepared(APP, &knob(", values: ['1', '2']"), "").unwrap();
    let stands = found.space.knobs[0].found.as_deref();
    assert_eq!(stands, Some("server.tomcat.threads.max=20"));
    assert_eq!(
        ids(prepared(APP, &knob(""), "")),
        ["study-knob-without-values"]
    );
    // Without the format a name that is none is one.
    let plain = "  mine: { file: app.properties, range: 1..3 }\n";
    assert_eq!(ids(prepared(APP, plain, "")), ["tune-unknown-knob"]);
}

#[test]
fn a_condition_that_is_none_is_told_as_such() {
    let knob = "  a: { env: A, values: [1, 2], only-if: when b }\n";
    assert_eq!(ids(prepared(APP, knob, "")), ["tune-bad-only-if"]);
}

#[test]
fn two_patterns_whose_places_lie_within_each_other_are_refused() {
    let knob = |name: &str, key: &str| {
        format!(
            "  {name}: {{ file: app.properties, format: pattern, key: '{key}', values: [7, 8] }}\n"
        )
    };
    let inner = knob("inner", r"max=\d(\d)");
    for (outer, is_refused) in [
        (knob("outer", r"max=(\d+)"), true),
        (knob("outer", r"(\S+)"), true),
        (knob("outer", r"max=(\d)"), false),
        (knob("outer", r"server[.](\w+)"), false),
    ] {
        for knobs in [format!("{inner}{outer}"), format!("{outer}{inner}")] {
            let wanted: &[&str] = if is_refused {
                &["tune-same-place"]
            } else {
                &[]
            };
            assert_eq!(ids(prepared(APP, &knobs, "")), wanted, "{knobs}");
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_with_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(8 << 20).unwrap();
    assert!(crate::target::originals::read(&path).is_ok());
    file.set_len((8 << 20) + 1).unwrap();
    let error = crate::target::originals::read(&path).unwrap_err();
    let told = crate::target::named::unreadable(&path, &error);
    let told = plimsoll_text::render(plimsoll_text::Lang::En, &told);
    assert!(told.contains("9 MiB"), "{told}");
}

//! `plimsoll once` as a user calls it, against a small real HTTP server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Server, folder, plimsoll, plimsoll_with, write};

#[test]
fn once_shows_what_was_sent_and_what_came() {
    let dir = folder();
    let server = Server::start();
    let plan = format!(
        r#"
name: session
target: {}
variables:
  password: {{env: TEST_PASSWORD, secret: true}}
users: 50
duration: 1m
steps:
  - post: /login
    json: {{user: joe, key: "${{password}}"}}
    save: {{token: $.token}}
  - get: /redirect
    query: {{key: "${{password}}"}}
    headers: {{Authorization: "Bearer ${{token}}"}}
  - rendezvous: {{name: gate, users: 40}}
  - js: "log('the end')"
"#,
        server.url("")
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll_with(
        &dir,
        &["once", "plan.yaml"],
        &[("TEST_PASSWORD", "hunter 2&")],
    );
    assert_eq!(told.code, 0, "{told:?}");
    for line in [
        "> POST /login HTTP/1.1",
        "> Content-Type: application/json",
        ">   \"user\": \"joe\",",
        ">   \"key\": \"***\"",
        "< HTTP/1.1 200 OK",
        "< Set-Cookie: sid=***; Path=/",
        "<   \"token\": \"***\",",
        "  saved token = ***",
        "> GET /redirect?key=*** HTTP/1.1",
        "> Authorization: Bearer ***",
        "> Cookie: sid=***",
        "< Location: /hello",
        "> GET /hello HTTP/1.1",
        "< hello",
        "  log: the end",
        "Requests: 2, failed: 0.",
    ] {
        assert!(
            told.out.lines().any(|shown| shown == line),
            "{line} is missing: {}",
            told.out
        );
    }
    assert!(
        !told.out.contains("hunter") && !told.out.contains("SESSION9"),
        "{}",
        told.out
    );
    let sent = server.requests();
    let first_lines: Vec<&str> = sent.iter().filter_map(|sent| sent.lines().next()).collect();
    let redirected = "GET /redirect?key=hunter+2%26 HTTP/1.1";
    let wanted = ["POST /login HTTP/1.1", redirected, "GET /hello HTTP/1.1"];
    assert_eq!(first_lines, wanted);
    assert!(
        sent[0].contains("hunter 2&") && sent[2].contains("sid=SESSION9"),
        "{sent:?}"
    );
    assert!(
        !dir.path().join("plimsoll-runs").exists(),
        "once stores nothing"
    );
}

#[test]
fn once_shows_plain_requests_too() {
    let dir = folder();
    let server = Server::start();
    let told = plimsoll(
        &dir,
        &["once", &server.url("/hello"), "-H", "X-Api-Key: k3y"],
    );
    assert_eq!(told.code, 0, "{told:?}");
    for line in [
        "> GET /hello HTTP/1.1",
        "> X-Api-Key: ***",
        "< HTTP/1.1 200 OK",
        "< hello",
    ] {
        assert!(
            told.out.lines().any(|shown| shown == line),
            "{line} is missing: {}",
            told.out
        );
    }
    assert!(!told.out.contains("k3y"));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn once_tells_of_failures_in_both_languages() {
    let dir = folder();
    let server = Server::start();
    let plan = format!(
        "target: {}\nusers: 1\niterations: 1\nsteps:\n  - get: /fail\n  - get: /hello\n    \
         check: {{text: goodbye}}\n",
        server.url("")
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["once", "plan.yaml"]);
    assert_eq!(told.code, 1, "{told:?}");
    for (kind, count) in [("✗ Check failed", 1), ("✗ HTTP error status", 1)] {
        assert_eq!(told.out.matches(kind).count(), count, "{told:?}");
    }
    assert!(
        told.out.contains("HTTP 500") && told.out.contains("goodbye"),
        "{told:?}"
    );
    assert!(
        told.out
            .contains("The response came, but a check of the plan did not hold.")
    );
    assert!(told.out.contains("Requests: 2, failed: 2."), "{told:?}");
    let chinese = plimsoll_with(&dir, &["once", "plan.yaml"], &[("LC_ALL", "zh_CN.UTF-8")]);
    assert!(chinese.out.contains("请求：2，失败：2。"), "{chinese:?}");
}

#[test]
fn once_shows_bodies_that_are_long_binary_or_gbk() {
    let dir = folder();
    let server = Server::start();
    let long = plimsoll(&dir, &["once", &server.url("/big"), "--body-bytes", "100"]);
    assert!(long.out.contains(&"x".repeat(100)) && !long.out.contains(&"x".repeat(101)));
    assert!(
        long.out
            .contains("truncated after 100 bytes; the body has 5000"),
        "{long:?}"
    );
    let whole = plimsoll(&dir, &["once", &server.url("/big"), "--body-bytes", "0"]);
    assert!(whole.out.contains(&"x".repeat(5000)));
    let binary = plimsoll(&dir, &["once", &server.url("/binary")]);
    assert!(
        binary.out.contains("(64 bytes that are not text)"),
        "{binary:?}"
    );
    let gbk = plimsoll(&dir, &["once", &server.url("/gbk")]);
    assert!(gbk.out.contains("< 登录"), "{gbk:?}");
}

#[test]
fn once_knows_a_target_that_is_not_there() {
    let dir = folder();
    let told = plimsoll(&dir, &["once", &common::refusing_url()]);
    assert_eq!(told.code, 3, "{told:?}");
    assert!(told.out.contains("✗ Connection refused"), "{told:?}");
    let bad = plimsoll(&dir, &["once", "nowhere.yaml"]);
    assert_eq!((bad.code, bad.out.as_str()), (2, ""));
}

#[test]
fn once_runs_open_loads_setup_and_teardown_once_each() {
    let dir = folder();
    let server = Server::start();
    let plan = format!(
        "target: {}\norder: in-order\nsetup:\n  - get: /prepare\nteardown:\n  - get: /clean\n\
         scenarios:\n  open:\n    rate: 500/s\n    duration: 1h\n    start-delay: 30m\n    \
         steps: [{{get: /open}}]\n  closed:\n    users: 70\n    iterations: 9\n    \
         steps: [{{get: /closed}}]\n",
        server.url("")
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["once", "plan.yaml"]);
    assert_eq!(told.code, 0, "{told:?}");
    let requests = server.requests();
    let paths: Vec<&str> = requests
        .iter()
        .filter_map(|sent| sent.split(' ').nth(1))
        .collect();
    assert_eq!(paths, ["/prepare", "/open", "/closed", "/clean"]);
    assert!(told.out.contains("Requests: 4, failed: 0."), "{told:?}");
}

#[test]
fn once_shows_each_scenario_of_a_mix() {
    let dir = folder();
    let server = Server::start();
    for (load, more) in [
        ("users: 3", ""),
        ("rate: 50/s", ""),
        ("users: 3", "users-keep-scenario: true\n"),
    ] {
        let plan = format!(
            "target: {}\n{load}\nduration: 1h\n{more}headers: {{X-All: \"1\"}}\nscenarios:\n  \
             look: {{weight: 7, steps: [{{get: /look}}]}}\n  buy: {{weight: 2, steps: [{{get: /buy}}, {{get: /pay}}]}}\n  \
             leave: {{steps: [{{get: /leave}}]}}\n",
            server.url("")
        );
        write(&dir, "plan.yaml", &plan);
        let before = server.requests().len();
        let told = plimsoll(&dir, &["once", "plan.yaml"]);
        assert_eq!(told.code, 0, "{told:?}");
        let requests = server.requests();
        let paths: Vec<&str> = requests[before..]
            .iter()
            .filter_map(|sent| sent.split(' ').nth(1))
            .collect();
        assert_eq!(paths, ["/look", "/buy", "/pay", "/leave"], "{load} {more}");
        assert_eq!(told.out.matches("> X-All: 1").count(), 4, "{told:?}");
    }
}

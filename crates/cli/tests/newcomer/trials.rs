//! What people who knew nothing of the program found wrong with it.

use crate::common::{Told, folder, plimsoll, write};
use crate::http::{HttpServer, Response};

/// The text as if no line had been broken.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn both(told: &Told) -> String {
    flat(&format!("{}\n{}", told.out, told.err))
}

#[test]
fn values_in_json_bodies_are_escaped() {
    // What a variable holds, and what a response brought.
    let value = "p\"w\\1\n\u{1}李 ${x}";
    let brought = serde_json::json!({ "token": value }).to_string();
    let server = HttpServer::start(move |_| Response::ok(brought.clone()));
    let dir = folder();
    let written = serde_json::to_string(value).unwrap();
    let plan = format!(
        "target: {}\nvariables: {{pw: {}}}\nsteps:\n  - get: /token\n    save: {{token: $.token}}\n  - post: /login\n    json: {{a: \"${{pw}}\", b: 'x\"${{token}}', n: !raw \"${{random(3, 3)}}\", \"${{pw}}\": 1}}\n",
        server.url(),
        // `$${` stands for the text `${`.
        written.replace("${", "$${"),
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["run", "plan.yaml"]);
    // 4: two requests on a busy machine.
    assert!([0, 4].contains(&told.code), "{told:?}");
    let seen = server.seen().pop().unwrap();
    let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
    let expected = serde_json::json!({ "a": value, "b": format!("x\"{value}"), "n": 3, value: 1 });
    assert_eq!(body, expected, "{}", seen.text());
}

#[test]
fn a_sample_log_has_transactions_as_jmeter_writes_them() {
    let server = HttpServer::start(|request| match request.path() {
        "/b" => Response::new(503, ""),
        _ => Response::ok(""),
    });
    let dir = folder();
    let plan = format!(
        "target: {}\nusers: 1\niterations: 2\nsteps:\n  - transaction: T\n    steps: [{{get: /a, label: a}}, {{get: /b, label: b}}]\n  - transaction: P\n    as-parent: true\n    steps: [{{get: /a, label: c}}]\n",
        server.url()
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["run", "plan.yaml", "-l", "log.jtl"]);
    let log = std::fs::read_to_string(dir.path().join("log.jtl")).unwrap();
    let mut rows = csv::Reader::from_reader(log.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let labels: Vec<&str> = rows.iter().map(|row| &row[2]).collect();
    assert_eq!(labels, ["a", "b", "T", "P", "a", "b", "T", "P"], "{told:?}");
    let message = "Number of samples in transaction : 2, number of failing samples : 1";
    assert_eq!((&rows[2][4], &rows[2][7]), (message, "false"), "{log}");
    assert_eq!((&rows[3][3], &rows[3][7]), ("200", "true"), "{log}");
}

#[test]
fn users_without_a_row_of_their_own_are_told() {
    let server = HttpServer::hello();
    let dir = folder();
    write(&dir, "two.csv", "name\na\nb\n");
    let plan = format!(
        "target: {}\ndata: {{csv: two.csv, order: unique}}\nusers: 5\nduration: 1s\npace: 100ms\nsteps: [{{get: \"/${{name}}\"}}]\n",
        server.url()
    );
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["run", "plan.yaml"]);
    let words = "each needs a row of its own (order: unique), and the file has 2";
    assert!(both(&told).contains(words), "{told:?}");
    let mut targets = server.targets();
    targets.sort();
    targets.dedup();
    assert_eq!(targets, ["/a", "/b"]);
}

#[test]
fn a_status_without_a_check_is_no_check_that_failed() {
    let server = HttpServer::start(|_| Response::new(500, "broken"));
    let dir = folder();
    let plan = format!("target: {}\nsteps: [{{get: /}}]\n", server.url());
    write(&dir, "plan.yaml", &plan);
    let told = plimsoll(&dir, &["run", "plan.yaml", "--summary-json", "s.json"]);
    let summary = std::fs::read_to_string(dir.path().join("s.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(
        summary["errors_by_kind"],
        serde_json::json!({"http_status": 1}),
        "{told:?}"
    );
    assert!(!both(&told).contains("Check failed"), "{told:?}");
}

#[test]
fn mistakes_of_plans_name_what_to_write() {
    let cases = [
        (
            "steps:\n  - if: ${s} = a\n    then: [{get: /}]\nvariables: {s: a}\n",
            "no comparison that is known",
        ),
        (
            "variables: {p: {env: PLIMSOLL_NO_PASSWORD}}\nsteps: [{get: \"/${p}\"}]\n",
            "Set PLIMSOLL_NO_PASSWORD, give --set p=",
        ),
        (
            "users: 2\nduration: 3s\nwarm-up: 5s\nsteps: [{get: /}]\n",
            "nothing is left to measure",
        ),
    ];
    for (plan, words) in cases {
        let dir = folder();
        write(
            &dir,
            "plan.yaml",
            &format!("target: http://127.0.0.1:1\n{plan}"),
        );
        let told = plimsoll(&dir, &["run", "plan.yaml"]);
        assert!(
            told.code != 0 && both(&told).contains(words),
            "{words}: {told:?}"
        );
    }
}

#[test]
fn options_may_follow_a_curl_command_in_one_word() {
    let dir = folder();
    let curl = "curl -H 'A: b' http://127.0.0.1:1/x";
    let told = plimsoll(&dir, &["convert", curl, "-o", "plan.yaml"]);
    assert_eq!(told.code, 0, "{told:?}");
    let plan = std::fs::read_to_string(dir.path().join("plan.yaml")).unwrap();
    assert!(plan.contains("/x"), "{plan}");
}

#[test]
fn a_plan_without_a_name_is_called_by_its_file() {
    let server = HttpServer::hello();
    let dir = folder();
    write(
        &dir,
        "shop.yaml",
        &format!("target: {}\nsteps: [{{get: /}}]\n", server.url()),
    );
    plimsoll(&dir, &["run", "shop.yaml"]);
    let told = plimsoll(&dir, &["report", "last"]);
    assert!(told.out.contains("shop"), "{told:?}");
}

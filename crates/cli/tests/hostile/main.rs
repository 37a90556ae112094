//! Input that would take all memory, all time or the stack: each ends with an error that says
//! why, in a process that has 2 GB of address space and a minute of CPU time.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod jmx;

use std::path::Path;
use std::process::Command;

use common::{Told, folder, write};
use support::http::{HttpServer, Response};
use tempfile::TempDir;

/// Calls the binary with little memory and little time.
fn starved(dir: &TempDir, args: &[&str]) -> Told {
    let limits = "ulimit -v 2000000 && ulimit -t 60 && exec \"$0\" \"$@\"";
    let done = Command::new("sh")
        .args(["-c", limits, env!("CARGO_BIN_EXE_plimsoll")])
        .args(args)
        .current_dir(dir.path())
        .env("LANG", "C")
        .output()
        .unwrap();
    Told {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}{}", open.repeat(depth), close.repeat(depth))
}

fn hostile_server() -> HttpServer {
    HttpServer::start(|request| {
        let (kind, body) = match request.path() {
            "/json" => ("application/json", nested("[", "]", 200_000)),
            "/object" => (
                "application/json",
                format!("{}1{}", "{\"a\":".repeat(200_000), "}".repeat(200_000)),
            ),
            "/html" => ("text/html", "<div>".repeat(200_000)),
            "/formats" => {
                let formats: String = (0..400).map(|n| format!("<b a={n}>")).collect();
                (
                    "text/html",
                    format!("<p>{formats}{}", "<p>x".repeat(100_000)),
                )
            }
            "/xml" => ("text/xml", nested("<x>", "</x>", 200_000)),
            _ => ("text/plain", "hello".to_owned()),
        };
        Response::ok(body).with("Content-Type", kind)
    })
}

/// What `once` shows of a plan with these steps; a last request is made whatever became of them.
fn once(steps: &str) -> Told {
    let dir = folder();
    let server = hostile_server();
    let plan = format!(
        "target: {}\nundefined: keep-literal\non-error: continue\nsteps:\n{steps}\n  - get: /last\n",
        server.url()
    );
    write(&dir, "plan.yaml", &plan);
    starved(&dir, &["once", "plan.yaml", "--body-bytes", "1000"])
}

#[test]
fn responses_that_nest_deep_are_shown_and_refused() {
    let told = once(
        r#"  - {get: /json, save: {v: {json: "$[0][0]"}}}
  - {get: /object, save: {v: {json: "$..a"}}}
  - {get: /html, save: {v: {css: "div span"}}}
  - {get: /html, save: {v: {xpath: "//div"}}}
  - {get: /xml, save: {v: {xpath: "//b"}}}
  - {get: /formats, save: {v: {css: "p b"}}}"#,
    );
    assert_eq!(told.code, 1, "{} {}", told.out, told.err);
    assert!(
        told.out.contains("Requests: 7, failed: 6.")
            || told.err.contains("Requests: 7, failed: 6."),
        "{told:?}"
    );
    let deep = told.out.matches("more than 512 levels deep").count();
    assert!(deep >= 3, "{}", told.out);
    assert!(told.out.contains("recursion limit"), "{}", told.out);
    assert!(told.out.len() < 200_000, "{} bytes", told.out.len());
}

#[test]
fn texts_that_hold_themselves_or_double_are_stopped() {
    let told = once(
        r#"  - js: "vars.u = '$' + '{__evalVar(u)}'; vars.w = '$' + '{__evalVar(w)}$' + '{__evalVar(w)}'"
  - get: "/a?${__evalVar(u)}"
  - get: "/b?${__evalVar(w)}"
  - get: "/c?${__eval(${u})}"
  - get: "/d?${__RandomString(2000000000,ab)}"
  - js: "vars.x = 'x'.repeat(20000000)"
  - get: "/e?${x}${x}${x}${x}"
  - get: "/f?${__jexl3(var s = 'x'; while (true) { s = s + s } s)}""#,
    );
    assert!(told.code == 0 || told.code == 1, "{told:?}");
    let all = format!("{}{}", told.out, told.err);
    for part in [
        "evaluated more than 32 times",
        "64 MiB",
        "GET /last HTTP/1.1",
    ] {
        assert!(all.contains(part), "{part} is missing: {all:.4000}");
    }
}

/// A plan that is refused; gives what is said of it.
fn refused(name: &str, make: impl FnOnce(&Path)) -> String {
    let dir = folder();
    make(&dir.path().join(name));
    let told = starved(&dir, &["check", name]);
    assert_eq!(told.code, 2, "{name}: {:.2000}", told.err);
    assert!(told.err.len() < 200_000, "{name}: {} bytes", told.err.len());
    told.err
}

fn refused_text(text: &str) -> String {
    refused("plan.yaml", |path| std::fs::write(path, text).unwrap())
}

#[test]
fn plans_without_an_end_are_read_no_further_than_the_limit() {
    let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    assert!(refused("plan.yaml", zero).contains("longer than 8 MiB"));
    assert!(refused("plan.jmx", zero).contains("longer than 128 MiB"));
    let mut writer = None;
    let told = refused("plan.yaml", |path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
        // It writes until nobody reads any more.
        let script = format!("exec cat /dev/zero > '{}' 2> /dev/null", path.display());
        writer = Command::new("sh").args(["-c", &script]).spawn().ok();
    });
    assert!(told.contains("longer than 8 MiB"), "{told}");
    assert!(!writer.unwrap().wait().unwrap().success());
}

#[test]
fn plans_that_are_wrong_in_many_places_or_on_long_lines_are_told_of_briefly() {
    let keys: String = (0..20_000).map(|n| format!("key-{n}: 1\n")).collect();
    let told = refused_text(&keys);
    assert!(
        told.contains("key-99") && !told.contains("key-101"),
        "{told:.2000}"
    );
    assert!(told.contains("more problems are not shown"), "{told}");
    let long = format!(
        "steps: [{{get: \"http://127.0.0.1:1/\", bad: {}, worse: 1}}]\n",
        "x".repeat(1_000_000)
    );
    let told = refused_text(&long);
    assert!(told.contains("worse") && told.len() < 5_000, "{told:.2000}");
    assert!(refused_text(&format!("a: {}", "[".repeat(100_000))).len() < 5_000);
    let laughs: String = ('b'..='k')
        .map(|c| {
            let before = char::from_u32(u32::from(c) - 1).unwrap();
            format!(
                "x-{c}: &{c} [{}]\n",
                vec![format!("*{before}"); 10].join(", ")
            )
        })
        .collect();
    let told = refused_text(&format!("x-a: &a [1, 2]\n{laughs}"));
    assert!(told.contains("more than 500"), "{told}");
    let users = "target: http://127.0.0.1:1\nusers: 4000000000\nduration: 1s\nsteps: [get: /]\n";
    let told = refused_text(users);
    assert!(told.contains("at most 1"), "{told}");
}

//! What is told of errors: counts by a server's own log, samples, and nothing that is secret.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::support::http::{HttpServer, Response};
use crate::support::raw::{RawServer, read_head, read_to_end, reset};
use crate::support::{Bench, Told, count};

/// What the server does in turn.
const TURNS: [&str; 7] = ["ok", "404", "401", "503", "text", "reset", "slow"];

type Log = Arc<Mutex<BTreeMap<&'static str, u64>>>;

fn respond(stream: &mut impl Write, status: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nSet-Cookie: sid=topsecret1; Path=/\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// One request a connection, each treated as the next turn says.
fn mixed() -> (RawServer, Log) {
    let log = Log::default();
    let written = Arc::clone(&log);
    let server = RawServer::start(move |mut stream| {
        if !read_head(&mut stream)?.starts_with("POST") {
            return Ok(());
        }
        let turn = {
            let mut log = written.lock().unwrap();
            let turn = TURNS[log.values().sum::<u64>() as usize % TURNS.len()];
            *log.entry(turn).or_default() += 1;
            turn
        };
        match turn {
            "ok" => respond(&mut stream, "200 OK", "Welcome home"),
            "404" => respond(&mut stream, "404 Not Found", "no such page"),
            "401" => respond(
                &mut stream,
                "401 Unauthorized",
                "{\"password\":\"hunter22\"}",
            ),
            "503" => respond(
                &mut stream,
                "503 Service Unavailable",
                &"busy ".repeat(9_000),
            ),
            "text" => respond(&mut stream, "200 OK", "An error page"),
            "reset" => {
                reset(stream);
                Ok(())
            }
            _ => {
                read_to_end(&mut stream);
                Ok(())
            }
        }
    });
    (server, log)
}

fn plan(url: &str, users: u32, iterations: u32) -> String {
    format!(
        "target: {url}\nusers: {users}\niterations: {iterations}\ntimeout: 300ms\nsteps:\n  \
         - post: /home?token=abcdef1234567\n    label: home\n    \
         headers: {{Authorization: Bearer verysecrettoken123}}\n    body: hello\n    \
         check: {{text: Welcome}}\n"
    )
}

fn group<'t>(errors: &'t [Value], kind: &str, code: &str) -> &'t Value {
    let is_it = |group: &&Value| group["kind"] == kind && group["code"] == code;
    let found: Vec<&Value> = errors.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{kind} {code} in {errors:#?}");
    found[0]
}

fn assert_by_log(told: &Told, log: &Log) {
    let summary = told.summary();
    let errors = summary["errors"].as_array().unwrap();
    let log = log.lock().unwrap();
    for (turn, kind, code, message) in [
        ("404", "http_status", "404", ""),
        ("401", "http_status", "401", ""),
        ("503", "http_status", "503", ""),
        (
            "text",
            "check_failed",
            "200",
            "the body must contain \"Welcome\"",
        ),
        ("slow", "read_timeout", "", "no complete response in time"),
    ] {
        let group = group(errors, kind, code);
        assert_eq!(count(group, "count"), log[turn], "{turn}");
        assert_eq!(group["message"], message);
        assert_eq!(group["label"], "home");
        let samples = group["samples"].as_array().unwrap();
        assert_eq!(samples.len() as u64, log[turn].min(5), "{turn}");
        assert!(group["first_s"].as_f64() <= group["last_s"].as_f64());
        assert_eq!(samples[0]["at_s"], group["first_s"]);
        let request = samples[0]["request"].as_str().unwrap();
        assert!(
            request.starts_with("POST /home?token=*** HTTP/1.1\n"),
            "{request}"
        );
        assert!(request.ends_with("\n\nhello"), "{request}");
    }
    let all: u64 = errors.iter().map(|group| count(group, "count")).sum();
    assert_eq!(all, told.total("errors"));
    assert_eq!(all, log.values().sum::<u64>() - log["ok"]);
}

#[test]
fn errors_are_told_by_kind_code_and_check_with_samples() {
    let (server, log) = mixed();
    let bench = Bench::new();
    let told = bench.plan(&plan(&server.url(), 4, 20), &["--report", "r.html"]);
    assert_by_log(&told, &log);
    let summary = told.summary();
    let errors = summary["errors"].as_array().unwrap();
    let busy = &group(errors, "http_status", "503")["samples"][0]["response"];
    let busy = busy.as_str().unwrap();
    assert!(
        busy.starts_with("HTTP/1.1 503 Service Unavailable\n"),
        "{busy}"
    );
    assert!(busy.contains("busy busy") && busy.ends_with('…') && busy.len() < 5_000);
    let text = &group(errors, "check_failed", "200")["samples"][0];
    assert!(
        text["detail"]
            .as_str()
            .unwrap()
            .ends_with("but is: An error page")
    );
    let text = bench.call(&["report", "last", "--errors"]).out;
    let page = bench.read("r.html");
    for words in [
        "503 Service Unavailable",
        "404 Not Found",
        "the body must contain",
        "An error page",
    ] {
        assert!(text.contains(words), "{words} in {text}");
        assert!(page.contains(words), "{words}");
    }
    let short = bench
        .call(&["report", "last", "--format", "text", "-o", "-"])
        .out;
    assert!(short.contains("401 Unauthorized"), "{short}");
    assert!(
        short.contains("plimsoll report") && short.contains("--errors"),
        "{short}"
    );
    let chinese = bench
        .call(&["--lang", "zh", "report", "last", "--errors"])
        .out;
    assert!(chinese.contains("首次"), "{chinese}");
    for secret in [
        "abcdef1234567",
        "verysecrettoken123",
        "topsecret1",
        "hunter22",
    ] {
        for place in [&text, &page, &short, &summary.to_string()] {
            assert!(!place.contains(secret), "{secret}");
        }
    }
}

#[test]
fn a_message_for_each_response_is_folded_and_counted() {
    let log = Arc::new(Mutex::new(0_u64));
    let counted = Arc::clone(&log);
    let server = RawServer::start(move |mut stream| {
        read_head(&mut stream)?;
        let mut n = counted.lock().unwrap();
        *n += 1;
        respond(&mut stream, "200 OK", &format!("{n}"))
    });
    let plan = format!(
        "target: {}\nusers: 1\niterations: 60\nsteps:\n  - get: /x\n    label: x\n    check:\n      \
         - js: fail('number ' + response.body)\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    let summary = told.summary();
    let errors = summary["errors"].as_array().unwrap();
    let other = errors.iter().find(|group| group["other"] == true).unwrap();
    assert_eq!((errors.len(), count(other, "count")), (21, 40));
    assert_eq!(told.total("errors"), 60);
}

#[test]
fn a_secret_in_a_message_of_a_chain_is_told_to_nobody() {
    let server = HttpServer::start(|request| match request.path() {
        "/a" => Response::redirect(302, "/b"),
        _ => Response::redirect(302, "http://[zebra-crossing-9"),
    });
    let plan = format!(
        "target: {}\nusers: 1\niterations: 3\nvariables: {{pw: {{env: OF_TEST, secret: true}}}}\n\
         steps:\n  - post: /a\n    label: x\n    form: {{say: '${{pw}}'}}\n",
        server.url()
    );
    let bench = Bench::new();
    bench.write("plan.yaml", plan);
    let mut command = bench.command(&[
        "run",
        "plan.yaml",
        "--quiet",
        "--summary-json",
        "summary.json",
    ]);
    command.env("OF_TEST", "zebra-crossing-9");
    let summary = bench.start(command).end().summary();
    let errors = summary["errors"].as_array().unwrap();
    let kinds: Vec<&Value> = errors.iter().map(|group| &group["label_kind"]).collect();
    assert_eq!(kinds, ["request", "sub_request"], "{errors:#?}");
    for group in errors {
        let message = group["message"].as_str().unwrap();
        assert!(message.contains("Location \"http://[***\""), "{message}");
    }
    assert!(!summary.to_string().contains("zebra"), "{summary}");
}

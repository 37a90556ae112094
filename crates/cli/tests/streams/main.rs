//! WebSocket and server-sent events against a server that is not ours (uvicorn with the Python
//! library websockets), directly and through nginx with TLS: what the run says is what the server
//! counted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod server;
#[path = "../support/mod.rs"]
mod support;

use server::StreamServer;
use support::nginx::{Nginx, free_port};
use support::{Bench, Told, count, eventually};

/// One user, one iteration of these steps.
fn once(server: &StreamServer, steps: &str) -> Told {
    let plan = format!(
        "target: {}\nvariables: {{h: zz, z: ''}}\nusers: 1\niterations: 1\nsteps:\n- set: {{h: zz}}\n{steps}",
        server.url
    );
    Bench::new().plan(&plan, &[])
}

/// What a label's failures say.
fn failure(told: &Told, label: &str) -> String {
    let found = told.label(label);
    assert_eq!(count(&found, "errors"), 1, "{found} {told:?}");
    let run = told.runs().pop().unwrap();
    let shown = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("show")
        .arg(run)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    // Lines are broken to fit.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn both_sides_count_the_same_messages() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    let plan = format!(
        "target: {}\nusers: 3\niterations: 5\nsteps:\n\
         - once:\n  - ws-connect: /echo\n    as: room\n    subprotocols: [a, b]\n    deflate: true\n    \
         check: {{header: {{Sec-WebSocket-Protocol: b, Sec-WebSocket-Extensions: {{contains: permessage-deflate}}}}}}\n\
         - ws-send: noise 5\n  on: room\n  label: ask\n  until: {{json: {{$.kind: result}}}}\n  save: {{value: $.value}}\n\
         - ws-send: 'got ${{value}}'\n  on: room\n  label: echo\n  until: {{text: got 42}}\n  check: {{text: got 42}}\n\
         - {{ws-send: ticks 4 5, on: room, label: subscribe}}\n\
         - {{ws-wait: 4, on: room, label: ticks, until: {{text: tick}}}}\n\
         - {{ws-ping: are you there, on: room, label: ping}}\n\
         - {{ws-send: AQID, encoding: base64, on: room, label: bytes, until: {{text: 3 039058c6f2c0cb49}}}}\n\
         - {{ws-send: '01 02 ff', encoding: hex, on: room, label: bytes, until: {{text: '3 '}}}}\n",
        server.url
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_all_ok(3 + 15 * 7).assert_readable();
    let books = server.books();
    assert_eq!(count(&books["counts"], "connections"), 3);
    assert_eq!(count(&books["counts"], "messages"), 15 * 5, "{books}");
    assert_eq!(count(&told.label("ask"), "samples"), 15);
    assert_eq!(count(&told.label("ticks: message gap"), "samples"), 15 * 4);
    // Users that end say so.
    eventually("the server saw all connections close", || {
        let books = server.books();
        count(&books["counts"], "open") == 0 && count(&books["counts"], "closed 1001") == 3
    });
}

#[test]
fn messages_of_any_size_survive_tls_and_a_proxy() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    let port = free_port();
    let nginx = Nginx::start_with(|dir| {
        let made = support::tls::make(&["127.0.0.1"], rustls::ALL_VERSIONS);
        let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| dir.join(name));
        std::fs::write(&certificate, made.certificate).unwrap();
        std::fs::write(&key, made.key).unwrap();
        let (certificate, key) = (certificate.display(), key.display());
        format!(
            "server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};\n\
             location / {{ proxy_pass {}; proxy_http_version 1.1; proxy_buffering off;\n\
             proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade; }} }}\n\
             map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}\n",
            server.url
        )
    });
    let Some(_nginx) = nginx else { return };
    for deflate in [true, false] {
        let sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000, 3_000_000];
        let big: String = sizes
            .iter()
            .map(|size| {
                format!(
                    "- {{ws-send: big {size}, label: big, until: {{size: '== {size}'}}}}\n\
                     - js: vars.text = 'y'.repeat({size});\n\
                     - {{ws-send: '${{text}}', label: sent, until: {{size: '== {size}'}}}}\n"
                )
            })
            .collect();
        let plan = format!(
            "target: https://127.0.0.1:{port}\ntls: {{insecure: true}}\nvariables: {{text: ''}}\nusers: 2\niterations: 1\nsteps:\n\
             - get: /login\n\
             - ws-connect: wss://127.0.0.1:{port}/echo?room=1\n  deflate: {deflate}\n  headers: {{X-Token: t}}\n\
             {big}- {{sse: /events?n=4, events: 4}}\n- {{ws-close: 1000, reason: done}}\n"
        );
        let bench = Bench::new();
        let told = bench.plan(&plan, &[]);
        told.assert_all_ok(2 * (4 + 2 * sizes.len() as u64));
        let books = server.books();
        let seen = books["seen"].as_array().unwrap();
        let asked = seen
            .iter()
            .rfind(|it| it["upgrade"] == "websocket")
            .unwrap();
        assert_eq!(asked["cookie"], "session=abc123", "{asked}");
        assert_eq!(asked["x-token"], "t");
        assert_eq!(
            asked.get("sec-websocket-extensions").is_some(),
            deflate,
            "{asked}"
        );
        assert!(count(&books["counts"], "closed 1000") >= 2, "{books}");
    }
}

#[test]
fn a_stream_of_messages_does_not_wait_for_responses() {
    let Some(server) = StreamServer::start(false) else {
        return;
    };
    // Each response takes 400 ms, and the server works on one at a time.
    let told = once(
        &server,
        "- ws-connect: /echo\n\
         - {ws-messages: after 40 pong, rate: 50/s, for: 1s, label: message, until: {text: pong}}\n\
         - {ws-messages: silence, rate: 100/s, for: 500ms, label: silent}\n",
    );
    told.assert_all_ok(1 + 50 + 50);
    assert_eq!(count(&server.books()["counts"], "messages"), 100);
    let message = told.label("message");
    // 50 a second are due and 25 are made: the last waits for about a second.
    let longest = message["service_time_ms"]["max"]
        .as_f64()
        .unwrap_or_else(|| panic!("{message}"));
    assert!(longest > 600.0, "{message}");
}

#[test]
fn an_open_load_keeps_its_connections() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    let plan = format!(
        "target: {}\nrate: 50/s\nduration: 2s\nmax-in-flight: 8\nsteps:\n\
         - once: [{{ws-connect: /echo}}]\n- {{ws-send: hello, until: {{text: hello}}}}\n",
        server.url
    );
    // Each load thread keeps the users of its own arrivals.
    let told = Bench::new().plan(&plan, &["--threads", "1"]);
    let sent = count(&told.label("ws-send"), "samples");
    assert_eq!(told.total("errors"), 0, "{told:?}");
    assert_eq!(count(&server.books()["counts"], "messages"), sent);
    assert!(count(&server.books()["counts"], "connections") <= 8);
    assert!(sent > 50, "{told:?}");
}

#[test]
fn what_goes_wrong_on_a_websocket_is_named() {
    let Some(server) = StreamServer::start(false) else {
        return;
    };
    for (steps, label, kind, says) in [
        (
            "- {ws-connect: /nowhere, label: x}\n",
            "x",
            "http_status",
            "",
        ),
        (
            "- {ws-connect: /books, label: x}\n",
            "x",
            "http_status",
            "Forbidden",
        ),
        (
            "- {ws-send: hello, label: x}\n",
            "x",
            "other",
            "(ws-connect",
        ),
        (
            "- ws-connect: /echo\n- {ws-send: close 4001, label: x, until: {text: y}}\n",
            "x",
            "connection_closed",
            "(4001:",
        ),
        (
            "- ws-connect: /echo\n- {ws-send: silence, label: x, until: {text: y}, timeout: 300ms}\n",
            "x",
            "read_timeout",
            "message",
        ),
        (
            "- {ws-connect: /echo, max-body: 1KB}\n- {ws-send: big 2000, label: x, until: {text: y}}\n",
            "x",
            "body_limit",
            "(max-body)",
        ),
        (
            "- ws-connect: /echo\n- {ws-send: '${h}', encoding: hex, label: x}\n",
            "x",
            "other",
            "hexadecimal",
        ),
        (
            "- ws-connect: /echo\n- ws-send: bye\n- think: 400ms\n- {ws-send: hello, label: x, until: {text: hello}}\n",
            "x",
            "connection_closed",
            "(1000:",
        ),
        (
            "- ws-connect: /echo\n- ws-send: bye\n- think: 400ms\n- {ws-send: hello, label: x}\n",
            "x",
            "connection_closed",
            "(1000:",
        ),
        (
            "- ws-connect: /echo\n- {ws-send: flood 4, label: x, until: {text: y}, timeout: 500ms}\n",
            "x",
            "read_timeout",
            "message",
        ),
        (
            "- ws-connect: /echo\n- {ws-send: hello, label: x, until: {text: hello}, check: {text: bye}}\n",
            "x",
            "check_failed",
            "",
        ),
    ] {
        let told = once(&server, steps);
        told.assert_all_errors_are(kind);
        let shown = failure(&told, label);
        assert!(shown.contains(says), "{says}: {shown}");
    }
    let plain = support::http::HttpServer::hello();
    let told = Bench::new().steps(&plain.url(), "- {ws-connect: /, label: x}\n");
    assert!(failure(&told, "x").contains("switch"), "{told:?}");
    // A step after a failure that left the connection whole goes on with it.
    let told = once(
        &server,
        "- ws-connect: /echo\n- {ws-send: silence, label: x, until: {text: y}, timeout: 200ms}\n\
         - {ws-send: hello, until: {text: hello}}\n",
    );
    assert_eq!(told.total("errors"), 1, "{told:?}");
}

#[test]
fn a_response_that_is_late_belongs_to_no_other_message() {
    let Some(server) = StreamServer::start(false) else {
        return;
    };
    // Each response takes longer than is waited for.
    let told = once(
        &server,
        "- ws-connect: /echo\n\
         - {ws-messages: after 200 pong, rate: 20/s, for: 500ms, label: x, until: {text: pong}, timeout: 100ms}\n",
    );
    let messages = told.label("x");
    assert_eq!(count(&messages, "samples"), 10, "{messages}");
    assert_eq!(count(&messages, "errors"), 10, "{messages}");
    // What was due on a connection that was lost did not start.
    let told = once(
        &server,
        "- ws-connect: /echo\n- {ws-messages: drop, rate: 50/s, for: 1s, label: x, until: {text: pong}}\n",
    );
    let messages = told.label("x");
    let all = count(&messages, "samples") + told.total("dropped_iterations");
    assert_eq!(all, 50, "{messages} {:?}", told.summary()["total"]);
}

#[test]
fn what_can_never_be_is_said_before_the_run() {
    for (step, says) in [
        (
            "{ws-send: a, check: {status: 200}}",
            "neither status nor headers",
        ),
        (
            "{ws-send: a, until: {header: {a: b}}}",
            "neither status nor headers",
        ),
        ("{ws-send: zz, encoding: hex}", "hexadecimal"),
        ("{ws-send: 'zz!', encoding: base64}", "cannot be sent"),
        ("{ws-close: 1005}", "allowed: 1000"),
        ("{ws-close: 99999}", "allowed: 1000"),
        ("{ws-messages: a, rate: 0/s, for: 1s}", "rate of 0"),
    ] {
        let bench = Bench::new();
        bench.write(
            "plan.yaml",
            format!("target: http://127.0.0.1:9\nsteps:\n- ws-connect: /\n- {step}\n"),
        );
        let told = bench.call(&["check", "plan.yaml"]);
        let text = format!("{told:?}");
        assert!(text.contains("code: Some(2)"), "{text}");
        assert!(text.contains(says), "{step}: {text}");
    }
}

#[test]
fn no_compression_is_told() {
    let Some(server) = StreamServer::start(false) else {
        return;
    };
    let told = once(
        &server,
        "- {ws-connect: /echo, deflate: true}\n- {ws-send: a, until: {text: a}}\n",
    );
    told.assert_all_ok(2);
    assert!(
        format!("{told:?}").contains("did not agree to compress"),
        "{told:?}"
    );
}

#[test]
fn both_sides_count_the_same_events() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    let plan = format!(
        "target: {}\nusers: 2\niterations: 3\nsteps:\n\
         - {{sse: /events?n=6, label: all}}\n\
         - {{sse: /events?n=6, label: four, events: 4, check: {{json: {{$.number: 3}}}}}}\n\
         - sse: /events?n=6\n  label: ask\n  method: post\n  json: {{question: why}}\n  until: {{text: '[DONE]'}}\n\
         - {{sse: /events?n=100000, label: some time, for: 300ms}}\n",
        server.url
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_all_ok(6 * 4);
    assert_eq!(count(&told.label("all: first event"), "samples"), 6);
    assert_eq!(count(&told.label("all: event gap"), "samples"), 6 * 6);
    assert_eq!(count(&told.label("four: event gap"), "samples"), 6 * 3);
    assert_eq!(count(&told.label("ask: event gap"), "samples"), 6 * 6);
    let books = server.books();
    let seen = books["seen"].as_array().unwrap();
    let asked: Vec<_> = seen.iter().filter(|it| it["method"] == "POST").collect();
    assert_eq!(asked.len(), 6);
    assert!(asked.iter().all(|it| it["body"] == "{\"question\":\"why\"}" && it["accept"] == "text/event-stream"));
}

#[test]
fn what_goes_wrong_on_a_stream_of_events_is_named() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    for (steps, kind, says) in [
        ("- {sse: /nowhere, label: x}\n", "http_status", ""),
        (
            "- {sse: /books, label: x}\n",
            "malformed_response",
            "text/event-stream",
        ),
        ("- {sse: /zipped, label: x}\n", "decoding", "gzip:"),
        ("- {sse: /nothing, label: x}\n", "closed_in_body", "ended"),
        (
            "- {sse: /events?n=2, label: x, events: 9}\n",
            "closed_in_body",
            "ended",
        ),
        (
            "- {sse: /events?n=2&ms=2000, label: x, timeout: 300ms}\n",
            "read_timeout",
            "",
        ),
        (
            "- {sse: /huge?n=3000, label: x, max-body: 1KB}\n",
            "body_limit",
            "(max-body)",
        ),
    ] {
        let told = once(&server, steps);
        told.assert_all_errors_are(kind);
        let shown = failure(&told, "x");
        assert!(shown.contains(says), "{says}: {shown}");
    }
}

#[test]
fn a_server_that_dies_ends_no_run() {
    let Some(server) = StreamServer::start(true) else {
        return;
    };
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 4\nduration: 4s\nsteps:\n\
         - {{ws-connect: /echo}}\n- {{ws-send: hello, until: {{text: hello}}}}\n\
         - {{sse: /events?n=3, events: 2}}\n- {{ws-send: silence}}\n- think: 50ms\n",
        server.url
    );
    let run = bench.start_plan(&plan, &[]);
    eventually("messages came", || {
        server.books()["counts"]["messages"].as_u64() > Some(20)
    });
    drop(server);
    let told = run.end();
    assert!(told.total("errors") > 0, "{told:?}");
    told.assert_readable();
}

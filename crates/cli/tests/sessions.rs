//! Users over several steps: cookies, values, transactions, setup, and the log of their samples.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use support::http::{HttpServer, Request, Response};
use support::{Bench, Told, count};

fn steps(server: &HttpServer, steps: &str) -> Told {
    Bench::new().steps(&server.url(), steps)
}

/// A plan of one user and one iteration with more settings.
fn settings(server: &HttpServer, settings: &str, steps: &str) -> Told {
    Bench::new().plan(&one(&server.url(), settings, steps), &[])
}

fn one(target: &str, settings: &str, steps: &str) -> String {
    format!("target: {target}\nusers: 1\niterations: 1\n{settings}\nsteps:\n{steps}")
}

fn shop(request: &Request) -> Response {
    let cookie = request.header("cookie").unwrap_or_default();
    let token = request.header("authorization").unwrap_or_default();
    match request.path() {
        "/login" => {
            let user = request
                .text()
                .split(['=', '&'])
                .nth(1)
                .unwrap_or_default()
                .to_owned();
            Response::ok(format!("{{\"token\": \"t-{user}\", \"items\": [7, 8, 9]}}"))
                .with("Set-Cookie", format!("sid={user}; Path=/; HttpOnly"))
                .with("Set-Cookie", "theme=dark; Path=/cart")
        }
        "/cart" if cookie.contains("sid=") && cookie.contains("theme=dark") => {
            Response::ok("in the cart")
        }
        "/order" if token == format!("Bearer t-{}", cookie.trim_start_matches("sid=")) => {
            Response::new(201, "ordered")
        }
        "/logout" => Response::ok("").with("Set-Cookie", "sid=; Path=/; Max-Age=0"),
        _ => Response::new(403, format!("cookie {cookie:?}, authorization {token:?}")),
    }
}

const SESSION: &str = "  - post: /login
    form: {user: \"${user}\", password: \"${password}\"}
    save: {token: $.token, last: {json: '$.items[*]', which: 3}}
    check: {status: 200, json: {'$.items[*]': {count: 3}}}
  - transaction: buy
    steps:
      - post: /cart
        json: {item: !raw \"${last}\", note: \"a \\\"quoted\\\" note\"}
        check: {text: in the cart}
      - think: 10ms
      - get: /order
        auth: {bearer: \"${token}\"}
        check: {status: 201, text: ordered}
  - get: /logout
  - {get: /order, any-status: true, check: {status: 403}}
";

#[test]
fn a_session_keeps_cookies_and_tokens() {
    let server = HttpServer::start(shop);
    let bench = Bench::new();
    bench.write("users.csv", "user,password\nanna,a&b\nbert,c=d\ncleo,e f\n");
    let plan = format!(
        "target: {}\nusers: 3\niterations: 4\ndata: users.csv\nsteps:\n{SESSION}",
        server.url()
    );
    let told = bench.plan(&plan, &["--threads", "2"]);
    told.assert_code(0).assert_all_ok(3 * 4 * 5);
    assert_eq!(count(&told.label("buy"), "samples"), 12);
    let bodies: BTreeSet<String> = server
        .seen()
        .iter()
        .filter(|r| r.target == "/login")
        .map(Request::text)
        .collect();
    let wanted = [
        "user=anna&password=a%26b",
        "user=bert&password=c%3Dd",
        "user=cleo&password=e+f",
    ];
    assert!(bodies.iter().eq(wanted), "{bodies:?}");
    let cart = server
        .seen()
        .into_iter()
        .find(|r| r.target == "/cart")
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&cart.body).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"item": 9, "note": "a \"quoted\" note"})
    );
    assert!(
        cart.header("content-type")
            .unwrap()
            .starts_with("application/json")
    );
}

#[test]
fn users_do_not_share_cookies_and_new_users_have_none() {
    let server = HttpServer::start(|request| match request.header("cookie") {
        None => {
            Response::ok("first").with("Set-Cookie", format!("n={}; Path=/", request.connection))
        }
        Some(_) => Response::ok("again"),
    });
    let firsts = |more: &str| {
        let begin = server.seen().len();
        let plan = format!(
            "target: {}\nusers: 3\niterations: 4\n{more}\nsteps: [{{get: /}}]\n",
            server.url()
        );
        Bench::new()
            .plan(&plan, &[])
            .assert_code(0)
            .assert_all_ok(12);
        server.seen()[begin..]
            .iter()
            .filter(|request| request.header("cookie").is_none())
            .count()
    };
    assert_eq!(firsts(""), 3);
    assert_eq!(firsts("same-user: false"), 12);
    assert_eq!(firsts("cookies: off"), 12);
    assert_eq!(firsts("cookies: clear-each-iteration"), 12);
}

#[test]
fn transactions_hold_their_requests() {
    let server = HttpServer::start(|request| match request.path() {
        "/bad" => Response::new(500, ""),
        _ => {
            std::thread::sleep(Duration::from_millis(20));
            Response::ok("")
        }
    });
    let told = steps(
        &server,
        "  - transaction: good\n    steps: [{get: /a}, {think: 1s}, {get: /b}]\n\
         \x20 - transaction: with pauses\n    include-pauses: true\n    steps: [{get: /a}, {think: 1s}]\n\
         \x20 - transaction: broken\n    steps: [{get: /a}, {get: /bad}]\n\
         \x20 - transaction: parent\n    as-parent: true\n    steps: [{get: /c}, {get: /d}]\n",
    );
    told.assert_code(0);
    // Two requests each of the first three but one, and the parent itself.
    assert_eq!((told.total("samples"), told.total("errors")), (6, 1));
    let max = |label: &str| {
        told.label(label)["service_time_ms"]["max"]
            .as_f64()
            .unwrap()
    };
    assert!(max("good") >= 40.0 * 0.999 && max("with pauses") >= 1020.0 * 0.999);
    assert!(max("parent") >= 40.0 * 0.999);
    assert!(max("good") < max("with pauses"), "the pause does not count");
    assert_eq!(count(&told.label("broken"), "errors"), 1);
    assert_eq!(count(&told.label("parent"), "samples"), 1);
}

#[test]
fn the_sample_log_is_jmeters() {
    let server = HttpServer::start(|request| match request.path() {
        "/bad" => Response::new(503, "down"),
        "/page" => Response::ok("a, \"page\"").with("Content-Type", "text/html"),
        _ => Response::redirect(302, "/page"),
    });
    let bench = Bench::new();
    let plan = format!(
        "name: log\ntarget: {}\nscenarios:\n  shop: {{users: 1, iterations: 2, steps: [{{get: /page, label: \"a, b\"}}, {{get: /go}}, {{get: /bad}}, {{get: /page, label: checked, check: {{text: nothing}}}}]}}\n",
        server.url()
    );
    bench.plan(&plan, &["--jtl", "log.jtl"]).assert_code(0);
    let text = bench.read("log.jtl");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let names = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";
    assert_eq!(text.lines().next(), Some(names));
    let headers = rows.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    let labels: Vec<&str> = rows.iter().map(|row| &row[at("label")]).collect();
    assert_eq!(labels[..4], ["a, b", "GET /go", "GET /bad", "checked"]);
    let codes: Vec<&str> = rows.iter().map(|row| &row[at("responseCode")]).collect();
    assert_eq!(codes[..4], ["200", "200", "503", "200"]);
    let success: Vec<&str> = rows.iter().map(|row| &row[at("success")]).collect();
    assert_eq!(success[..4], ["true", "true", "false", "false"]);
    assert!(
        rows[3][at("failureMessage")].contains("nothing"),
        "{:?}",
        rows[3]
    );
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    for row in &rows {
        let stamp: u128 = row[at("timeStamp")].parse().unwrap();
        assert!(stamp <= now && stamp + 120_000 > now);
        let number = |name: &str| row[at(name)].parse::<u64>().unwrap();
        assert!(
            number("Latency") <= number("elapsed")
                && number("bytes") > 0
                && number("sentBytes") > 0
        );
        assert_eq!((number("grpThreads"), number("allThreads")), (1, 1));
        assert_eq!(&row[at("threadName")], "shop 1-1");
        assert!(row[at("URL")].starts_with("http://127.0.0.1:"));
    }
}

#[test]
fn setup_and_teardown_run_once_and_setup_hands_on_what_it_saved() {
    let server = HttpServer::start(|request| match request.path() {
        "/setup" => Response::ok("{\"token\": \"T1\"}"),
        _ => Response::ok(""),
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nvariables: {{mine: \"${{uuid()}}\"}}\nusers: 4\niterations: 2\n\
         setup:\n  - {{get: /setup, save: {{token: $.token}}}}\nteardown:\n  - get: /down/${{token}}\n\
         steps:\n  - get: /${{token}}/${{mine}}\n",
        server.url()
    );
    let told = bench.plan(&plan, &["--threads", "2"]);
    told.assert_code(0).assert_all_ok(8);
    let targets = server.targets();
    assert_eq!(targets.len(), 10);
    assert_eq!(
        (targets[0].as_str(), targets[9].as_str()),
        ("/setup", "/down/T1")
    );
    let own: BTreeSet<&str> = targets[1..9]
        .iter()
        .map(|t| t.strip_prefix("/T1/").unwrap())
        .collect();
    assert_eq!(own.len(), 4, "each user has its own value: {own:?}");
}

#[test]
fn a_setup_that_fails_ends_the_run_before_the_load() {
    let server = HttpServer::start(|_| Response::new(500, ""));
    let plan = format!(
        "target: {}\nusers: 1\niterations: 1\nsetup: [{{get: /setup}}]\nsteps: [{{get: /load}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    assert_eq!(server.targets(), ["/setup"]);
    assert_ne!(told.code, Some(0));
    assert_eq!(told.total("samples"), 0);
    assert!(!told.err.is_empty());
    told.assert_readable();
}

#[test]
fn loops_over_values_of_a_response() {
    let server = HttpServer::start(|request| match request.path() {
        "/list" => Response::ok("<a href='/1'>x</a><a href='/2'>y</a><a href='/3'>z</a>"),
        "/json" => Response::ok("{\"ids\": [4, 5]}"),
        _ => Response::ok(""),
    });
    settings(
        &server,
        "variables: {n: \"\"}",
        "  - {get: /list, save: {link: {css: a, attribute: href, which: all}}}\n\
         \x20 - {for-each: to, in-matches: link, steps: [{get: \"${to}\"}]}\n\
         \x20 - {get: /json, save: {ids: $.ids}}\n\
         \x20 - {for-each: id, in-json: \"${ids}\", steps: [{get: \"/${id}\"}]}\n\
         \x20 - {js: \"vars.n = 6\"}\n  - {get: \"/${= vars.n * 2 }\"}\n\
         \x20 - {while: \"${n} < 8\", steps: [{get: \"/w${n}\"}, {js: \"vars.n = Number(vars.n) + 1\"}]}\n",
    )
    .assert_code(0);
    assert_eq!(
        server.targets(),
        [
            "/list", "/1", "/2", "/3", "/json", "/4", "/5", "/12", "/w6", "/w7"
        ]
    );
}

#[test]
fn teardown_runs_however_the_load_ended() {
    let server = HttpServer::hello();
    let plan = |steps: &str| {
        format!(
            "target: {}\nusers: 1\nduration: 1h\nteardown: [{{get: /down}}]\nsteps:\n{steps}",
            server.url()
        )
    };
    let downs = || {
        server
            .targets()
            .iter()
            .filter(|target| *target == "/down")
            .count()
    };
    Bench::new()
        .plan(&plan("  - get: /x\n  - action: stop-run\n"), &[])
        .assert_code(0);
    assert_eq!(downs(), 1);
    let bench = Bench::new();
    let process = bench.start_plan(&plan("  - get: /y\n  - think: 1h\n"), &[]);
    support::eventually("a request", || server.targets().contains(&"/y".to_owned()));
    process.signal("INT");
    process.end().assert_code(130);
    assert_eq!(downs(), 2);
}

#[test]
fn an_interrupt_within_setup_ends_the_run() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 1\niterations: 1\nsetup: [{{get: /setup}}, {{think: 1h}}]\nsteps: [{{get: /load}}]\n",
        server.url()
    );
    let bench = Bench::new();
    let process = bench.start_plan(&plan, &[]);
    support::eventually("the setup", || !server.targets().is_empty());
    process.signal("TERM");
    let told = process.end();
    told.assert_code(130).assert_readable();
    assert_eq!(server.targets(), ["/setup"]);
}

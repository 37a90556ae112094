//! Failure does not pass: what a run says of itself in its exit code and in every format.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::http::{HttpServer, Response};
use crate::support::raw::{RawServer, read_head};
use crate::support::{Bench, Told, tls};

/// Runs a plan; on a busy machine again, until the generator was not the limit.
fn ran(plan: &str, args: &[&str]) -> (Bench, Told) {
    for _ in 0..30 {
        let bench = Bench::new();
        let told = bench.plan(plan, args);
        if told.code != Some(4) {
            return (bench, told);
        }
    }
    panic!("the generator was always the limit");
}

/// Runs a plan with all reports; what each says must be this verdict.
fn told_by_all(plan: &str, verdict: &str, words: &str) -> Told {
    let reports = ["r.html", "r.md", "r.txt", "r.xml"];
    let wanted = reports.iter().flat_map(|file| ["--report", file]);
    let (bench, told) = ran(plan, &wanted.collect::<Vec<_>>());
    assert_eq!(told.summary()["verdict"], verdict, "{told:?}");
    for file in &reports[..3] {
        let text = bench.read(file);
        // Texts fit 80 columns.
        let unfolded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unfolded.contains(words), "{file}: {words:?} in {text}");
        assert!(!text.contains("Passed"), "{file}: {text}");
    }
    let xml = bench.read("r.xml");
    assert!(xml.contains("<skipped"), "no goals: {xml}");
    assert_eq!(xml.contains("<failure"), verdict == "no_success", "{xml}");
    let list = bench.call(&["list"]).out;
    let word = match verdict {
        "no_success" => "Failed",
        _ => "Not judged",
    };
    assert!(list.contains(word), "{list}");
    let acceptance = bench.call(&[
        "report",
        "last",
        "--form",
        "acceptance",
        "--format",
        "markdown",
    ]);
    let word = match verdict {
        "no_success" => "FAIL: no request succeeded",
        _ => "NOT JUDGED",
    };
    assert_eq!(acceptance.code, Some(0), "{acceptance:?}");
    let runs = told.runs();
    let text = std::fs::read_to_string(runs[0].join("acceptance.md")).unwrap();
    assert!(text.contains(word), "{text}");
    told
}

/// Longer than a generator on a busy machine is late, so that this is a small share of a response time.
const RESPONSE_TIME: Duration = Duration::from_millis(20);

/// A server whose responses take a while.
fn unhurried(respond: impl Fn() -> Response + Send + Sync + 'static) -> HttpServer {
    HttpServer::start(move |_| {
        std::thread::sleep(RESPONSE_TIME);
        respond()
    })
}

/// One iteration after the other of one user.
fn plan(target: &str, iterations: u32) -> String {
    format!("target: {target}\nusers: 1\niterations: {iterations}\nsteps:\n  - get: /x\n")
}

#[test]
fn where_all_fail_the_run_has_failed() {
    let unavailable = unhurried(|| Response::new(503, ""));
    let none = "Failed: None of 20 requests succeeded.";
    // HTML has the verdict's name and its meaning apart.
    let none = none.strip_prefix("Failed: ").unwrap();
    told_by_all(&plan(&unavailable.url(), 20), "no_success", none).assert_code(6);
    // Quick failures meet a goal on times and are no success for that.
    let goal = format!("{}goals:\n  - p95 < 10s\n", plan(&unavailable.url(), 20));
    let (_, told) = ran(&goal, &[]);
    assert_eq!(told.assert_code(6).summary()["goals"][0]["met"], true);
}

#[test]
fn http_to_a_tls_port_has_failed() {
    let config = tls::config(&["localhost"]);
    let server = RawServer::start(tls::serve(config));
    let told = Bench::new().plan(&plan(&server.url(), 5), &[]);
    told.assert_code(6);
    assert_eq!(told.total("errors"), 5);
}

#[test]
fn a_run_without_a_request_has_failed() {
    let server = HttpServer::hello();
    let nothing = "No request was measured.";
    let idle = format!(
        "target: {}\nusers: 1\niterations: 3\nsteps:\n  - think: 1ms\n",
        server.url()
    );
    told_by_all(&idle, "no_success", nothing).assert_code(6);
    assert_eq!(server.seen().len(), 0);
    // Setup is no load.
    let setup = format!("{idle}setup:\n  - get: /x\n");
    let told = Bench::new().plan(&setup, &[]);
    told.assert_code(6);
    assert_eq!(server.seen().len(), 1);
    // No users at all.
    let bench = Bench::new();
    let args = ["--quiet", "--summary-json", "summary.json"];
    let told = bench.call(
        &[
            &["run", &server.url(), "-c", "0", "--duration", "1s"],
            &args[..],
        ]
        .concat(),
    );
    assert!(matches!(told.code, Some(2 | 6)), "{told:?}");
    // The only user allowed never comes back: every other arrival is dropped.
    let silent = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        crate::support::raw::read_to_end(&mut stream);
        Ok(())
    });
    let open = format!(
        "target: {}\nrate: 50/s\nduration: 1s\nmax-in-flight: 1\ngrace: 0s\nsteps:\n  - get: /x\n",
        silent.url()
    );
    let told = Bench::new().plan(&open, &[]);
    told.assert_code(6);
    assert_eq!(told.total("samples"), 0);
    assert!(told.total("dropped_iterations") > 0, "{told:?}");
}

#[test]
fn without_goals_nothing_is_passed_and_the_errors_come_first() {
    let count = AtomicU64::new(0);
    let server = unhurried(move || match count.fetch_add(1, Ordering::SeqCst) % 50 {
        0..37 => Response::new(500, ""),
        _ => Response::ok("fine"),
    });
    let words = "74.00 % of 50 requests failed. The run had no goals to judge it by.";
    let told = told_by_all(&plan(&server.url(), 50), "not_judged", words);
    told.assert_code(0);
    let judged = format!("{}goals:\n  - errors < 80 %\n", plan(&server.url(), 50));
    let (_, told) = ran(&judged, &[]);
    assert_eq!(told.assert_code(0).summary()["verdict"], "passed");
}

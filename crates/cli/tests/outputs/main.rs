//! Who hears a run while it goes on hears what the run's own result says; one that is slow, away or
//! refuses costs the load nothing.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod servers;
#[path = "../support/mod.rs"]
mod support;

use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use servers::Database;
use support::http::{HttpServer, Response};
use support::raw::{RawServer, refusing_url};
use support::{Bench, Told, eventually};

/// Requests that each run makes: two seconds of 40 arrivals.
const SAMPLES: u64 = 80;

fn run(bench: &Bench, output: &str) -> Told {
    run_with(bench, "", &["--output", output])
}

/// The same with more keys in the plan and other options.
fn run_with(bench: &Bench, keys: &str, options: &[&str]) -> Told {
    let target = HttpServer::hello();
    let plan = format!(
        "target: {}\nrate: 40/s\nduration: 2s\nmax-in-flight: 80\nsteps:\n  - get: /a b,c\n    label: 'GET =, \"x\"'\n{keys}",
        target.url()
    );
    let told = bench.plan(&plan, options);
    assert_eq!(told.total("samples"), SAMPLES, "{told:?}");
    told
}

#[test]
fn an_influxdb_knows_what_the_summary_says() {
    let Some(database) = Database::influxdb() else {
        return;
    };
    let output = format!("influxdb={}/write?db=load,tag.env=prod test", database.url);
    let told = run(&Bench::new(), &output);
    let of = "FROM plimsoll_samples WHERE env = 'prod test'";
    let count = database.influx_number(&format!("SELECT SUM(\"count\") {of}"));
    assert_eq!(count, told.total("samples"));
    let named = format!("SELECT SUM(\"count\") {of} AND label = 'GET =, \"x\"'");
    assert_eq!(database.influx_number(&named), SAMPLES);
    let received = database.influx_number(&format!("SELECT SUM(received_bytes) {of}"));
    assert_eq!(received, told.total("received_bytes"));
    let seconds =
        database.influx_number("SELECT SUM(seconds) FROM plimsoll_load WHERE part = 'measured'");
    assert_eq!(seconds, 2);
    let ends = "SELECT COUNT(text) FROM plimsoll_events WHERE event = 'end'";
    assert_eq!(database.influx_number(ends), 1);
}

#[test]
fn a_file_of_json_lines_says_what_the_summary_says() {
    let bench = Bench::new();
    let path = bench.path("lines.jsonl");
    let output = format!("jsonl={},tag.env=prod", path.display());
    let told = run_with(&bench, "", &["--output", &output, "--watch", "host"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let schema = include_str!("../../../../schema/output-line.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for line in &lines {
        let wrong: Vec<String> = schema
            .iter_errors(line)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{line}: {wrong:?}");
    }
    let of_kind = |kind: &'static str| lines.iter().filter(move |line| line["kind"] == kind);
    let labels = of_kind("interval").flat_map(|line| line["labels"].as_array().unwrap());
    let count: u64 = labels.map(|label| label["count"].as_u64().unwrap()).sum();
    assert_eq!(count, told.total("samples"));
    let points = of_kind("target").flat_map(|line| line["points"].as_array().unwrap());
    let cpu = points.filter(|point| point["name"] == "system.cpu.time");
    assert!(cpu.count() > 1, "{text}");
    assert_eq!(lines[0]["kind"], "begin");
    assert_eq!(lines[0]["tags"]["env"], "prod");
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["kind"], last["samples"].as_u64()),
        (&"end".into(), Some(SAMPLES))
    );
}

#[test]
fn a_receiver_that_is_away_costs_no_load_and_is_told() {
    let told = run(&Bench::new(), &format!("influxdb={}/write", refusing_url()));
    assert!(told.err.contains("did not take everything: "), "{told:?}");
    // A busy machine may have been the limit.
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
}

#[test]
fn a_receiver_that_refuses_costs_no_load_and_its_words_are_told() {
    let server = HttpServer::start(|_| Response::new(400, "field type conflict"));
    let told = run(&Bench::new(), &format!("influxdb={}/write", server.url()));
    assert!(told.err.contains("field type conflict"), "{told:?}");
    // A busy machine may have been the limit.
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
}

#[test]
fn a_slow_receiver_gets_everything() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(700));
        Response::new(204, "")
    });
    let told = run(&Bench::new(), &format!("influxdb={}/write", server.url()));
    assert!(!told.err.contains("did not take"), "{told:?}");
    let lines: String = server.seen().iter().map(|seen| seen.text()).collect();
    let counts = lines
        .lines()
        .filter(|line| line.starts_with("plimsoll_samples"));
    let count = counts.map(|line| {
        let (_, rest) = line.split_once(" count=").unwrap();
        rest.split_once('i').unwrap().0.parse::<u64>().unwrap()
    });
    assert_eq!(count.sum::<u64>(), SAMPLES);
}

#[test]
fn what_cannot_be_an_output_is_told_before_the_load() {
    let target = HttpServer::hello();
    let bench = Bench::new();
    for (output, said) in [
        (
            "graphite=h:1",
            "allowed are: influxdb, jsonl, otlp, prometheus",
        ),
        ("influxdb", "needs an address"),
        ("influxdb=ftp://h", "not an address"),
        ("influxdb=http://h,colour=red", "no setting colour"),
        (
            "influxdb=http://h,token-env=PLIMSOLL_NOT_SET",
            "PLIMSOLL_NOT_SET",
        ),
        ("jsonl=/nowhere/x", "/nowhere/x"),
        ("otlp=https://h,ca-file=/nowhere.pem", "/nowhere.pem"),
        (
            "prometheus=https://h,ca-file=/dev/null",
            "has no certificate",
        ),
    ] {
        let told = bench.call(&["run", &target.url(), "--output", output]);
        assert_eq!(told.code, Some(2), "{output}: {told:?}");
        assert!(told.err.contains(said), "{output}: {told:?}");
    }
    let told = bench.call(&["run", "--resume", "last", "--output", "jsonl=x"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.err.contains("--resume"), "{told:?}");
    assert!(target.seen().is_empty());
}

#[test]
fn a_token_reaches_the_receiver_and_nothing_else() {
    let server = HttpServer::start(|_| Response::new(204, ""));
    let target = HttpServer::hello();
    let bench = Bench::new();
    let output = format!("influxdb={}/write,token-env=TOKEN_OF_TEST", server.url());
    let mut command = bench.command(&["run", &target.url(), "-c", "1", "--iterations", "3"]);
    command
        .args(["--output", &output])
        .env("TOKEN_OF_TEST", "hunter2hunter2");
    let told = bench.start(command).end();
    // A busy machine may have been the limit.
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
    let seen = server.seen();
    assert!(!seen.is_empty());
    for request in &seen {
        assert_eq!(
            request.header("authorization"),
            Some("Token hunter2hunter2")
        );
    }
    for run in told.runs() {
        for file in std::fs::read_dir(run).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
        }
    }
}

#[test]
fn prometheus_knows_what_the_summary_says() {
    for native in [true, false] {
        let Some(server) = Database::prometheus(native) else {
            return;
        };
        let bench = Bench::new();
        // By the plan alone, and the target's series too.
        let keys = format!(
            "outputs:\n  prometheus: {}\n  tags: {{ env: prod test }}\nwatch: host\n",
            server.url
        );
        let told = run_with(&bench, &keys, &[]);
        assert!(!told.err.contains("did not take"), "{told:?}");
        let of = "{env=\"prod test\",label=\"GET =, \\\"x\\\"\",part!=\"warm_up\"}";
        server.prom_gives(&format!("sum(plimsoll_requests_total{of})"), SAMPLES);
        let received = format!("sum(plimsoll_received_bytes_total{of})");
        server.prom_gives(&received, told.total("received_bytes"));
        server.prom_gives(
            &format!("sum(plimsoll_response_time_seconds_count{of})"),
            SAMPLES,
        );
        let histograms = format!("histogram_count(sum(plimsoll_response_time_seconds{of}))");
        if native {
            server.prom_gives(&histograms, SAMPLES);
        } else {
            assert_eq!(server.prom_number(&histograms), None);
        }
        // States end with the run, sums do not.
        eventually("the users have gone", || {
            server.prom_number("count(plimsoll_users_active)").is_none()
        });
        let seen = "count(max_over_time(plimsoll_in_flight[1h]))";
        assert!(server.prom_number(seen).is_some());
        let cpu = "count(system_cpu_time_seconds_total{entity_kind=\"host\"}) > bool 1";
        server.prom_gives(cpu, 1);
    }
}

#[test]
fn victoria_metrics_knows_what_the_summary_says_by_either_protocol() {
    let Some(server) = Database::victoria_metrics() else {
        return;
    };
    let bench = Bench::new();
    let outputs = [
        format!(
            "influxdb={}/api/v2/write?org=o&bucket=b,tag.env=lines",
            server.url
        ),
        format!("prometheus={},tag.env=remote", server.url),
    ];
    let told = run_with(
        &bench,
        "",
        &["--output", &outputs[0], "--output", &outputs[1]],
    );
    assert!(!told.err.contains("did not take"), "{told:?}");
    server.prom_gives("sum(plimsoll_requests_total{env=\"remote\"})", SAMPLES);
    let lines = "sum(sum_over_time(plimsoll_samples_count{env=\"lines\"}[1h]))";
    server.prom_gives(lines, SAMPLES);
}

#[test]
fn a_receiver_whose_certificate_an_authority_of_ones_own_signed_is_believed() {
    let (config, pem) = support::tls::config_with_pem(&["localhost"]);
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&bodies);
    let server = RawServer::start(support::tls::serve_as(config, move |request, tls| {
        let length = request.header("content-length").unwrap_or_default();
        let mut body = vec![0; length.parse().unwrap_or(0)];
        tls.read_exact(&mut body)?;
        taken
            .lock()
            .unwrap()
            .push(String::from_utf8_lossy(&body).into_owned());
        tls.get_mut()
            .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
        Ok(true)
    }));
    let bench = Bench::new();
    bench.write("ca.pem", pem);
    let output = format!("influxdb=https://localhost:{}/write", server.port());
    let told = run(&bench, &output);
    assert!(told.err.contains("did not take"), "{told:?}");
    assert!(bodies.lock().unwrap().is_empty());
    let known = format!("{output},ca-file={}", bench.path("ca.pem").display());
    let told = run(&bench, &known);
    assert!(!told.err.contains("did not take"), "{told:?}");
    assert!(bodies.lock().unwrap().concat().contains("plimsoll_samples"));
}

//! Who hears a run while it goes on hears what the run's own result says; one that is slow, away or
//! refuses costs the load nothing.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/mod.rs"]
mod support;

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use support::http::{HttpServer, Response};
use support::nginx::free_port;
use support::raw::refusing_url;
use support::{Bench, Told, eventually};
use tempfile::TempDir;

/// Requests that each run makes: two seconds of 40 arrivals.
const SAMPLES: u64 = 80;

fn run(bench: &Bench, output: &str) -> Told {
    let target = HttpServer::hello();
    let plan = format!(
        "target: {}\nrate: 40/s\nduration: 2s\nmax-in-flight: 80\nsteps:\n  - get: /a b,c\n    label: 'GET =, \"x\"'\n",
        target.url()
    );
    let told = bench.plan(&plan, &["--output", output]);
    assert_eq!(told.total("samples"), SAMPLES, "{told:?}");
    told
}

/// A real InfluxDB of version 1 with a database.
struct InfluxDb {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl InfluxDb {
    /// None where the system has no such package.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let (port, rpc) = (free_port(), free_port());
        let at = |name: &str| folder.path().join(name).display().to_string();
        let config = format!(
            "reporting-disabled = true\nbind-address = \"127.0.0.1:{rpc}\"\n\
             [meta]\ndir = {:?}\n[data]\ndir = {:?}\nwal-dir = {:?}\n\
             [monitor]\nstore-enabled = false\n[http]\nbind-address = \"127.0.0.1:{port}\"\n",
            at("meta"),
            at("data"),
            at("wal"),
        );
        std::fs::write(folder.path().join("influxdb.conf"), config).unwrap();
        let child = Command::new("influxd")
            .args(["run", "-config", &at("influxdb.conf")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            eprintln!("influxd is not installed: left out");
            return None;
        };
        let server = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
            _folder: folder,
        };
        eventually("InfluxDB listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        server.query("CREATE DATABASE load");
        Some(server)
    }

    /// What it responds to a query, asked by another program.
    fn query(&self, query: &str) -> Value {
        let told = Command::new("curl")
            .args(["-sS", "-XPOST", &format!("{}/query?db=load", self.url)])
            .args(["--data-urlencode", &format!("q={query}")])
            .output()
            .unwrap();
        serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told:?}"))
    }

    /// The one number of a query.
    fn number(&self, query: &str) -> u64 {
        let response = self.query(query);
        let value = &response["results"][0]["series"][0]["values"][0][1];
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{query}: {response}"))
    }
}

impl Drop for InfluxDb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_influxdb_knows_what_the_summary_says() {
    let Some(database) = InfluxDb::start() else {
        return;
    };
    let output = format!("influxdb={}/write?db=load,tag.env=prod test", database.url);
    let told = run(&Bench::new(), &output);
    let of = "FROM plimsoll_samples WHERE env = 'prod test'";
    let count = database.number(&format!("SELECT SUM(\"count\") {of}"));
    assert_eq!(count, told.total("samples"));
    let named = format!("SELECT SUM(\"count\") {of} AND label = 'GET =, \"x\"'");
    assert_eq!(database.number(&named), SAMPLES);
    let received = database.number(&format!("SELECT SUM(received_bytes) {of}"));
    assert_eq!(received, told.total("received_bytes"));
    let seconds = database.number("SELECT SUM(seconds) FROM plimsoll_load WHERE part = 'measured'");
    assert_eq!(seconds, 2);
    let ends = "SELECT COUNT(text) FROM plimsoll_events WHERE event = 'end'";
    assert_eq!(database.number(ends), 1);
}

#[test]
fn a_file_of_json_lines_says_what_the_summary_says() {
    let bench = Bench::new();
    let path = bench.path("lines.jsonl");
    let told = run(&bench, &format!("jsonl={},tag.env=prod", path.display()));
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let schema = include_str!("../../../schema/output-line.schema.json");
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
        ("graphite=h:1", "allowed are: influxdb, jsonl"),
        ("influxdb", "needs an address"),
        ("influxdb=ftp://h", "not an address"),
        ("influxdb=http://h,colour=red", "no setting colour"),
        (
            "influxdb=http://h,token-env=PLIMSOLL_NOT_SET",
            "PLIMSOLL_NOT_SET",
        ),
        ("jsonl=/nowhere/x", "/nowhere/x"),
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

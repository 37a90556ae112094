//! The wire, beside what real servers and their clients count themselves. Needs `CAP_NET_RAW`, and says
//! so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::mariadb::{MariaDb, as_nobody, own_folder};
use support::proxied::{Nginx, http, slow_service};
use support::wire::{during, hop, number};
use support::{Process, free_port, program};

/// Little's law holds, and so do the shares. Who is known and opens a connection waits for it.
fn check_law(report: &Value, hop: &Value) {
    assert_eq!(hop["unfinished"], 0, "{hop:#}");
    let mean = number(hop, "/in_flight/mean");
    let client = &hop["client"];
    let waits = client["is_generator"] == false && client["process"] != "";
    let opens_ms = match waits && hop["opening_ms"].is_object() {
        true => number(hop, "/opened") * number(hop, "/opening_ms/mean"),
        false => 0.0,
    };
    let requests = number(hop, "/requests_per_s") * number(hop, "/response_ms/mean") / 1e3;
    let law = requests + opens_ms / number(report, "/lasts_ms");
    assert!((mean - law).abs() < 1e-6 * law.max(1.0), "{law} in {hop:#}");
    let shares = hop["in_flight"]["shares"].as_array().unwrap();
    let sum: f64 = shares
        .iter()
        .map(|share| share[0].as_f64().unwrap() * share[1].as_f64().unwrap())
        .sum();
    assert!((mean - sum).abs() < 1e-6 * mean.max(1.0), "{hop:#}");
}

#[test]
fn a_proxy_and_what_is_behind_it() {
    let service = slow_service(free_port());
    let nginx = Nginx::before(service.port);
    let seen = during(|| {
        let before = nginx.logged(nginx.port);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn({
                    let port = nginx.port;
                    move || http(port, 15)
                })
            })
            .collect();
        let done: Vec<_> = threads.into_iter().map(|one| one.join().unwrap()).collect();
        (
            nginx.logged_at_least(nginx.port, before + 60) - before,
            done,
        )
    });
    let Some((report, (logged, done))) = seen else {
        return;
    };
    let front = hop(&report, nginx.port);
    assert_eq!((logged, &front["requests"]), (60, &Value::from(60)));
    assert_eq!(
        (&front["protocol"], &front["opened"]),
        (&Value::from("http1"), &Value::from(4))
    );
    assert_eq!(front["client"]["is_generator"], true);
    let name = front["server"]["process"].as_str().unwrap();
    assert!(
        name.starts_with("nginx[") && !name.contains(&nginx.process.id().to_string()),
        "{name}"
    );
    let took: Vec<f64> = done.iter().flat_map(|(took, _)| took).copied().collect();
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    // What the client needs itself before and after is its own.
    let seen = number(front, "/response_ms/mean");
    assert!(seen <= mean && mean - seen < 0.2 * mean, "{seen} {mean}");
    assert!(
        seen >= 20.0 && number(front, "/in_flight/max") <= 4.0,
        "{front:#}"
    );
    check_law(&report, front);

    let back = hop(&report, service.port);
    assert_eq!(
        (&back["requests"], &back["client"]["process"]),
        (&Value::from(60), &Value::from(name))
    );
    assert_eq!(back["client"]["is_generator"], false);
    let service_name = back["server"]["process"].as_str().unwrap();
    assert!(service_name.starts_with("python3"), "{service_name}");
    check_law(&report, back);
    let log = std::fs::read_to_string(nginx.folder.path().join("access.log")).unwrap();
    let upstream = log
        .lines()
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    let upstream: Vec<f64> = upstream.map(|seconds| seconds * 1e3).collect();
    let mean = upstream.iter().sum::<f64>() / upstream.len() as f64;
    // nginx tells milliseconds, and includes the connecting.
    let seen = number(back, "/response_ms/mean");
    assert!((seen - mean).abs() < 2.0 + 0.1 * mean, "{seen} {mean}");

    let processes = report["processes"].as_array().unwrap();
    let of = |name: &str| processes.iter().find(|one| one["process"] == name).unwrap();
    let (proxy, service) = (of(name), of(service_name));
    // All of the service's work is inside it, and nearly all of the proxy's is waiting.
    assert_eq!(number(service, "/waiting_for_others"), 0.0);
    assert_eq!(
        number(service, "/inside/mean"),
        number(service, "/in_flight/mean")
    );
    assert!(
        number(proxy, "/waiting_for_others") > 0.7 * number(proxy, "/in_flight/mean"),
        "{proxy:#}"
    );
}

/// Sends 20 requests at once on one connection.
const HTTP2_CLIENT: &str = "
const session = require('http2').connect(process.argv[1]);
let left = 20;
for (let n = 0; n < 20; n++) {
  const request = session.request({':path': '/' + n});
  request.on('data', () => {});
  request.on('end', () => { if (--left === 0) session.close(); });
  request.end();
}
";

#[test]
fn requests_that_share_a_connection_of_http2() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: node is not installed");
        return;
    }
    let service = slow_service(free_port());
    let nginx = Nginx::before(service.port);
    let url = format!("http://127.0.0.1:{}", nginx.http2);
    let seen = during(|| {
        let before = nginx.logged(nginx.http2);
        let done = Command::new("node")
            .args(["-e", HTTP2_CLIENT, &url])
            .status();
        assert!(done.unwrap().success());
        nginx.logged_at_least(nginx.http2, before + 20) - before
    });
    let Some((report, logged)) = seen else { return };
    let front = hop(&report, nginx.http2);
    assert_eq!(
        (logged, &front["requests"], &front["protocol"]),
        (20, &Value::from(20), &Value::from("http2"))
    );
    assert_eq!(front["connections"], 1);
    assert!(number(front, "/in_flight/max") > 1.0, "{front:#}");
    check_law(&report, front);
    assert_eq!(hop(&report, service.port)["requests"], 20);
}

/// Sends so many commands at once, so often, and reads the responses (`+PONG` or `+OK`).
fn pipelines(stream: &mut TcpStream, at_once: usize, times: usize) {
    let commands: Vec<u8> = (0..at_once)
        .flat_map(|n| match n % 2 {
            0 => b"*1\r\n$4\r\nPING\r\n".to_vec(),
            _ => b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\n".to_vec(),
        })
        .collect();
    let mut responses = vec![0; at_once.div_ceil(2) * 7 + at_once / 2 * 5];
    for _ in 0..times {
        stream.write_all(&commands).unwrap();
        stream.read_exact(&mut responses).unwrap();
    }
}

#[test]
fn commands_that_are_sent_at_once_to_redis() {
    let redis = Process::redis(free_port());
    let processed = || {
        let mut stream = TcpStream::connect(redis.address()).unwrap();
        stream
            .write_all(b"*2\r\n$4\r\nINFO\r\n$5\r\nstats\r\n*1\r\n$4\r\nQUIT\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, rest) = text.split_once("total_commands_processed:").unwrap();
        rest.lines().next().unwrap().parse::<u64>().unwrap()
    };
    // One connection was there before the look begins.
    let mut known = TcpStream::connect(redis.address()).unwrap();
    pipelines(&mut known, 2, 1);
    let seen = during(|| {
        let before = processed();
        pipelines(&mut known, 100, 20);
        pipelines(&mut TcpStream::connect(redis.address()).unwrap(), 31, 10);
        processed() - before
    });
    let Some((report, processed)) = seen else {
        return;
    };
    let hop = hop(&report, redis.port);
    // Those two that asked for the count, but for what the first had counted before itself.
    let own = 2310;
    assert!(processed == own + 2, "{processed}");
    assert_eq!(
        (&hop["requests"], &hop["protocol"]),
        (&Value::from(own + 4), &Value::from("redis"))
    );
    assert!(number(hop, "/in_flight/max") >= 100.0, "{hop:#}");
    check_law(&report, hop);
}

#[test]
fn queries_of_mariadb() {
    let mut mariadb = MariaDb::start();
    mariadb.wait_until_up();
    mariadb.sql("create user t@127.0.0.1");
    let selected = || {
        let told = mariadb.sql("show global status like 'Com_select'");
        told.split_whitespace()
            .last()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let port = mariadb.port.to_string();
    let queries = "select sleep(0.005);\n".repeat(40)
        + "with recursive r as (select 1 as n union all select n + 1 from r where n < 900) select n from r;\n";
    let seen = during(|| {
        let before = selected();
        let mut client = Command::new(program("mysql"))
            .args([
                "--no-defaults",
                "-h127.0.0.1",
                "-P",
                &port,
                "-ut",
                "--skip-ssl",
                "-N",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        client
            .stdin
            .take()
            .unwrap()
            .write_all(queries.as_bytes())
            .unwrap();
        assert!(client.wait().unwrap().success());
        selected() - before
    });
    if let Some((report, asked)) = seen {
        let hop = hop(&report, mariadb.port);
        assert_eq!(
            (&hop["requests"], &hop["protocol"]),
            (&Value::from(asked), &Value::from("mysql"))
        );
        assert!(
            asked >= 41 && number(hop, "/in_flight/max") == 1.0,
            "{hop:#}"
        );
        assert!(number(hop, "/response_ms/p50") >= 5.0, "{hop:#}");
        let name = hop["server"]["process"].as_str().unwrap();
        assert!(name.starts_with("mariadbd["), "{name}");
        check_law(&report, hop);
    }
    mariadb.stop();
}

/// A PostgreSQL that writes down each statement, ended with the test.
struct Postgres {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Postgres {
    fn start() -> Self {
        let (folder, port) = (own_folder(), free_port());
        let data = folder.path().join("data").display().to_string();
        let made = as_nobody("initdb")
            .args(["-D", &data, "-A", "trust", "-U", "t"])
            .status();
        assert!(made.unwrap().success());
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = as_nobody("postgres")
            .args([
                "-D",
                &data,
                "-p",
                &port.to_string(),
                "-k",
                &folder.path().display().to_string(),
            ])
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "log_statement=all",
            ])
            .stderr(log)
            .spawn()
            .unwrap();
        let mut started = Self {
            process,
            port,
            folder,
        };
        let began = Instant::now();
        while !started.log().contains("ready to accept") {
            assert!(
                started.process.try_wait().unwrap().is_none(),
                "{}",
                started.log()
            );
            assert!(began.elapsed() < Duration::from_secs(120), "not up");
            std::thread::sleep(Duration::from_millis(50));
        }
        started
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn statements(&self) -> usize {
        let log = self.log();
        log.matches("LOG:  statement:").count() + log.matches("LOG:  execute ").count()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status();
        let _ = self.process.wait();
    }
}

#[test]
fn queries_of_postgresql_simple_and_extended() {
    let postgres = Postgres::start();
    let script = postgres.folder.path().join("script");
    std::fs::write(&script, "select pg_sleep(0.005);\n").unwrap();
    for mode in ["simple", "extended"] {
        let seen = during(|| {
            let before = postgres.statements();
            let done = Command::new(program("pgbench"))
                .args([
                    "-h",
                    "127.0.0.1",
                    "-U",
                    "t",
                    "-n",
                    "-c",
                    "3",
                    "-t",
                    "20",
                    "-M",
                    mode,
                ])
                .args(["-p", &postgres.port.to_string(), "-f"])
                .args([script.as_os_str(), "postgres".as_ref()])
                .env("PGSSLMODE", "disable")
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
            let told = String::from_utf8(done.stdout).unwrap();
            let (_, latency) = told.split_once("latency average = ").unwrap();
            let latency: f64 = latency.split(' ').next().unwrap().parse().unwrap();
            (postgres.statements() - before, latency)
        });
        let Some((report, (statements, latency))) = seen else {
            return;
        };
        let hop = hop(&report, postgres.port);
        assert_eq!(
            (&hop["requests"], &hop["protocol"]),
            (&Value::from(statements), &Value::from("postgres")),
            "{mode}"
        );
        assert!(
            statements >= 60 && number(hop, "/in_flight/max") <= 3.0,
            "{hop:#}"
        );
        let seen = number(hop, "/response_ms/p50");
        assert!((5.0..=latency).contains(&seen), "{seen} {latency}");
        let name = hop["server"]["process"].as_str().unwrap();
        assert_eq!(name, format!("postgres[{}]", postgres.port));
        check_law(&report, hop);
    }
}

//! Little's law: the number of requests that a server itself says it has at work is the throughput times the
//! response time that the wire tells. On a busy machine both are looked at at other moments than they
//! happen, so that they agree within a fifth here; `bench/run.py --only watch-account` holds them to a twentieth.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use support::free_port;
use support::postgres::Postgres;
use support::proxied::{Nginx, http, slow_service};
use support::wire::{now_ns, number, report, take};

const WITHIN: f64 = 0.2;

/// The server's number, look by look.
type Looks = Vec<(u64, f64)>;

/// The server's mean number, what the wire makes of it, and the report.
type Both = (f64, f64, Value);

/// Both numbers of a stretch; none without the right.
fn both(
    port: u16,
    load: impl Fn(&AtomicBool) + Sync,
    look: impl Fn(&AtomicBool) -> Looks + Sync,
) -> Option<Both> {
    // Beside others' load only a part of the connections may be followed.
    for _ in 0..10 {
        let goes_on = AtomicBool::new(true);
        let (taken, looks) = std::thread::scope(|scope| {
            scope.spawn(|| load(&goes_on));
            let looking = scope.spawn(|| look(&goes_on));
            std::thread::sleep(Duration::from_millis(500));
            let taken = take();
            goes_on.store(false, Ordering::Relaxed);
            (taken, looking.join().unwrap())
        });
        let report = report(&taken)?;
        if report["connections_share"] == 1.0 && report["packets_dropped"] == 0 {
            return Some(of_stretch(port, report, &looks));
        }
    }
    panic!("the machine is too busy to look at anything whole");
}

fn of_stretch(port: u16, report: Value, looks: &Looks) -> Both {
    let from_ns = report["from_unix_ns"].as_u64().unwrap();
    let until_ns = from_ns + (report["lasts_ms"].as_f64().unwrap() * 1e6) as u64;
    let inside = looks
        .iter()
        .filter(|(at, _)| (from_ns..until_ns).contains(at));
    let numbers: Vec<f64> = inside.map(|(_, number)| *number).collect();
    assert!(numbers.len() >= 20, "{} looks", numbers.len());
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let suffix = format!(":{port}");
    let hops = report["hops"].as_array().unwrap().iter();
    // One for each client's process.
    let to_port = hops.filter(|hop| {
        hop["server"]["address"]
            .as_str()
            .unwrap()
            .ends_with(&suffix)
    });
    let law: f64 = to_port
        .filter(|hop| !hop["response_ms"].is_null())
        .map(|hop| number(hop, "/requests_per_s") * number(hop, "/response_ms/mean") / 1e3)
        .sum();
    (mean, law, report)
}

fn check((mean, law, report): Both) {
    assert!(mean > 1.0, "{mean} {report:#}");
    let apart = (mean - law).abs();
    assert!(
        apart < WITHIN * mean,
        "{mean} by itself, {law} by the wire: {report:#}"
    );
}

/// Requests that nginx has at work, without the one that asks.
fn writing(port: u16) -> f64 {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text.lines().find(|line| line.starts_with("Reading:"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name).unwrap();
        words[at + 1].parse::<f64>().unwrap()
    };
    after("Writing:") - 1.0
}

#[test]
fn what_nginx_counts_is_what_the_wire_tells() {
    let service = slow_service(free_port());
    let nginx = Nginx::before(service.port);
    let port = nginx.port;
    let load = |goes_on: &AtomicBool| {
        std::thread::scope(|scope| {
            for number in 0..6_u64 {
                scope.spawn(move || {
                    while goes_on.load(Ordering::Relaxed) {
                        let (_, connection) = http(port, 3);
                        drop(connection);
                        std::thread::sleep(Duration::from_millis(17 + 9 * number));
                    }
                });
            }
        });
    };
    let look = |goes_on: &AtomicBool| {
        let mut looks = Vec::new();
        for pause in [11, 13, 17, 7].iter().cycle() {
            if !goes_on.load(Ordering::Relaxed) {
                break;
            }
            looks.push((now_ns(), writing(nginx.status)));
            std::thread::sleep(Duration::from_millis(*pause));
        }
        looks
    };
    if let Some(seen) = both(port, load, look) {
        check(seen);
    }
}

#[test]
fn what_postgresql_counts_is_what_the_wire_tells() {
    let postgres = Postgres::start();
    let script = postgres.folder.path().join("load");
    let text = "select pg_sleep(0.02 + 0.02 * random());\n\\! sleep 0.02\n".repeat(400);
    std::fs::write(&script, text).unwrap();
    let load = |goes_on: &AtomicBool| {
        let mut clients: Vec<_> = (0..5)
            .map(|_| {
                let mut psql = postgres.psql();
                psql.env("PGSSLMODE", "disable").arg("-f").arg(&script);
                psql.stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        while goes_on.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        for client in &mut clients {
            client.kill().unwrap();
            client.wait().unwrap();
        }
    };
    let look = |goes_on: &AtomicBool| {
        // Over the socket of the file system: no packet is of this.
        let ask = "select (extract(epoch from clock_timestamp()) * 1e9)::bigint, count(*) from pg_stat_activity \
            where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid();\n\
            select '' from pg_sleep(0.01 + 0.01 * random());\n";
        let file = postgres.folder.path().join("looks");
        std::fs::write(&file, ask.repeat(2_000)).unwrap();
        let mut psql = postgres.psql();
        psql.arg("-h")
            .arg(postgres.folder.path())
            .arg("-f")
            .arg(&file);
        let mut psql = psql
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut looks = Vec::new();
        for line in BufReader::new(psql.stdout.take().unwrap()).lines() {
            if !goes_on.load(Ordering::Relaxed) {
                break;
            }
            let line = line.unwrap();
            if let Some((at, number)) = line.split_once('|') {
                looks.push((at.parse().unwrap(), number.parse().unwrap()));
            }
        }
        psql.kill().unwrap();
        psql.wait().unwrap();
        looks
    };
    if let Some(seen) = both(postgres.port, load, look) {
        check(seen);
    }
}

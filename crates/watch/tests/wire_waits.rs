//! Who waits behind a server for whom, on the wire, beside what a real Redis and a real MariaDB count themselves.
//! Needs `CAP_NET_RAW`, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::mariadb::MariaDb;
use support::wire::{during, number};
use support::{Process, free_port, program};

/// A client program that does what is written to it.
struct Told {
    child: Child,
    to: Option<ChildStdin>,
}

impl Told {
    fn start(name: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program(name))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take();
        Self { child, to }
    }

    fn say(&mut self, text: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(text.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    fn end(mut self) {
        drop(self.to.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn redis() -> Process {
    let port = free_port();
    let at = port.to_string();
    let arguments = ["--port", &at, "--bind", "127.0.0.1", "--save", ""];
    Process::start("redis-server", port, &arguments)
}

/// What hops to a port tell under a name; others may use the same programs on this host.
fn told<'r>(report: &'r Value, port: u16, name: &str) -> Vec<&'r Value> {
    let at = format!(":{port}");
    let hops = report["hops"].as_array().unwrap().iter();
    let own = hops.filter(|hop| hop["server"]["address"].as_str().unwrap().ends_with(&at));
    own.map(|hop| &hop[name])
        .filter(|told| !told.is_null())
        .collect()
}

#[test]
fn what_waits_in_redis_waits_for_whoever_puts_the_value_there() {
    let redis = redis();
    let port = redis.port;
    let seen = during(|| {
        let mut puts = Told::start("redis-cli", &["-p", &port.to_string()]);
        let mut waits = TcpStream::connect(("127.0.0.1", port)).unwrap();
        puts.say("PING\n");
        waits
            .write_all(b"*3\r\n$5\r\nBLPOP\r\n$4\r\ndone\r\n$1\r\n0\r\n")
            .unwrap();
        let began = Instant::now();
        // How long it takes is the value that is measured.
        std::thread::sleep(Duration::from_millis(300));
        puts.say("SET done:other 1\nLPUSH done 1\n");
        let mut line = String::new();
        BufReader::new(&waits).read_line(&mut line).unwrap();
        let waited = began.elapsed();
        assert_eq!(line, "*2\r\n");
        // Whose a connection is is looked at while it is open.
        (waited, puts, waits)
    });
    let Some((report, (waited, puts, _waits))) = seen else {
        return;
    };
    puts.end();
    let own = told(&report, port, "waits");
    assert_eq!(own.len(), 1, "{report:#}");
    let waits = own[0];
    assert_eq!(
        (&waits["connections"], &waits["requests"]),
        (&1.into(), &1.into())
    );
    let told_ms = number(waits, "/in_flight") * number(&report, "/lasts_ms");
    let own_ms = waited.as_secs_f64() * 1e3;
    // What the client needs itself is its own.
    assert!(
        told_ms <= own_ms && told_ms >= 0.8 * own_ms,
        "{told_ms} {own_ms}"
    );
    let by = waits["released_by"].as_array().unwrap();
    let name = by[0]["process"].as_str().unwrap();
    assert!(by.len() == 1 && name.starts_with("redis-cli"), "{waits:#}");
    // Keys and values are nowhere.
    assert!(!waits.to_string().contains("done"));
}

#[test]
fn what_waits_for_a_row_is_as_long_as_innodb_says() {
    let mut mariadb = MariaDb::start();
    mariadb.wait_until_up();
    mariadb
        .sql("create user t@127.0.0.1; create database shop; grant all on shop.* to t@127.0.0.1");
    mariadb.sql("create table shop.stock (id int primary key, n int); insert into shop.stock values (7, 100)");
    let port = mariadb.port.to_string();
    let arguments = [
        "--no-defaults",
        "-h127.0.0.1",
        "-P",
        &port,
        "-ut",
        "--skip-ssl",
        "-n",
        "shop",
    ];
    let locked_ms = || {
        let told = mariadb.sql("show global status like 'Innodb_row_lock_time'");
        told.split_whitespace()
            .last()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let count = || {
        mariadb
            .sql("select n from shop.stock")
            .trim()
            .parse::<i64>()
            .unwrap()
    };
    let waiting = || {
        mariadb
            .sql("select count(*) from information_schema.innodb_lock_waits")
            .trim()
            != "0"
    };
    let until = |holds: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(60), "never");
            // InnoDB makes these tables anew only if nobody has read them for 100 ms (CACHE_MIN_IDLE_TIME_NS).
            std::thread::sleep(Duration::from_millis(150));
        }
    };
    let seen = during(|| {
        let (before_ms, had) = (locked_ms(), count());
        let (mut first, mut second) = (
            Told::start("mysql", &arguments),
            Told::start("mysql", &arguments),
        );
        first.say("start transaction;\nupdate stock set n = n - 1 where id = 7;\n");
        until(&|| {
            mariadb
                .sql("select count(*) from information_schema.innodb_trx where trx_rows_locked > 0")
                .trim()
                != "0"
        });
        second.say("start transaction;\nupdate stock set n = n - 1 where id = 7;\ncommit;\n");
        until(&waiting);
        std::thread::sleep(Duration::from_millis(300));
        first.say("commit;\n");
        first.end();
        second.end();
        assert_eq!(count(), had - 2);
        locked_ms() - before_ms
    });
    mariadb.stop();
    let Some((report, innodb_ms)) = seen else {
        return;
    };
    // Whose a short-lived client is may not be known: both may be hops of their own.
    let own = told(&report, mariadb.port, "transactions");
    let sum = |path: &str| own.iter().map(|told| number(told, path)).sum::<f64>();
    assert!((sum("/transactions") - 2.0).abs() < 1e-9, "{report:#}");
    assert!(own.iter().all(|told| told["table"] == "stock"), "{own:#?}");
    let ms = |path: &str| sum(path) * number(&report, "/lasts_ms");
    // Both first writes are in it; only one waited.
    assert!(ms("/waiting") >= 0.95 * innodb_ms, "{own:#?} {innodb_ms}");
    assert!(
        ms("/waiting") <= 1.3 * innodb_ms + 20.0,
        "{own:#?} {innodb_ms}"
    );
    assert!(
        ms("/held") >= 0.95 * innodb_ms && ms("/held_outside") <= ms("/held"),
        "{own:#?}"
    );
}

//! A real PostgreSQL, started on a port of its own, beside what psql says of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Look, Moment, Opened};
use support::postgres::{PASSWORD, Postgres, run};
use support::{Served, free_port, look, look_err, open, try_open, value};

fn opened(server: &Postgres, user: &str, password: &str, more: &[(&str, &str)]) -> Opened {
    let file = server.folder.path().join(format!("pw-{user}"));
    std::fs::write(&file, format!("{password}\n")).unwrap();
    let path = file.to_str().unwrap();
    let mut options = vec![("user", user), ("password-file", path)];
    options.extend(more);
    open("postgresql", &server.address(), &options)
}

fn fact<'a>(look: &'a Look, name: &str) -> &'a str {
    let mut facts = look.facts().iter();
    let found = facts.find(|fact| fact.name.starts_with(name));
    &found.unwrap_or_else(|| panic!("no {name}")).value
}

/// A session that holds or wants what its first statements say, until it is ended.
struct PsqlSession(Child);

impl PsqlSession {
    fn begin(server: &Postgres, sql: &str) -> Self {
        let session = server
            .psql()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut session = Self(session.unwrap());
        writeln!(session.0.stdin.as_mut().unwrap(), "{sql}").unwrap();
        session
    }
}

impl Drop for PsqlSession {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks until it holds.
async fn look_until(source: &mut Opened, at: usize, holds: impl Fn(&Look) -> bool) -> Look {
    let began = Instant::now();
    loop {
        let seen = look(&mut source.collectors[at]).await;
        if holds(&seen) {
            return seen;
        }
        let points: Vec<_> = seen.points().collect();
        assert!(began.elapsed() < Duration::from_secs(60), "{points:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_real_postgresql() {
    let mut server = Postgres::start();
    server.sql(
        "create extension pg_stat_statements; create table orders (id int primary key, note text);
         insert into orders select n, 'topsecret' from generate_series(1, 20000) n;
         create user poor password 'pw'",
    );
    server.sql("select count(*) from orders where note = 'topsecret' and id < 4711");
    server.sql("select count(*) from (select note from orders order by note || id) x");
    let mut source = opened(&server, "app", PASSWORD, &[]);
    sums(&server, &mut source).await;
    details(&mut source).await;
    held_up(&server, &mut source).await;
    logins(&server).await;
    full(&server).await;

    server.stop();
    let id = look_err(&mut source.collectors[0]).await;
    assert_eq!(id, "watch-server-unreachable");
    server.process = run(&server.folder, server.port);
    server.wait_until_up();
    look(&mut source.collectors[0]).await;
}

/// What has not changed since is what psql says.
async fn sums(server: &Postgres, source: &mut Opened) {
    let before = look(&mut source.collectors[0]).await;
    let commits = value(&before, "postgresql.commits", &[]).unwrap();
    let inserted = [("postgresql.row.operation", "inserted")];
    let temp = server.number("select sum(temp_files) from pg_stat_database");
    assert!(temp >= 1.0);
    let seen = look_until(source, 0, |seen| {
        let rows = value(seen, "postgresql.rows", &inserted).unwrap_or(0.0);
        rows >= 20_000.0 && value(seen, "postgresql.temp_files", &[]) == Some(temp)
    })
    .await;
    assert_eq!(value(&seen, "postgresql.connection.max", &[]), Some(37.0));
    assert_eq!(value(&seen, "postgresql.deadlocks", &[]), Some(0.0));
    assert!(value(&seen, "postgresql.commits", &[]).unwrap() >= commits);
    let hit = [("postgresql.block.source", "hit")];
    assert!(value(&seen, "postgresql.blocks", &hit).unwrap() > 1_000.0);

    let session = PsqlSession::begin(server, "select pg_sleep(300);");
    let sleeping = [
        ("postgresql.state", "active"),
        ("postgresql.wait_event", "PgSleep"),
        ("postgresql.wait_event_type", "Timeout"),
    ];
    let sleeps = |seen: &Look| value(seen, "postgresql.backends", &sleeping);
    let seen = look_until(source, 0, |seen| sleeps(seen) == Some(1.0)).await;
    assert!(value(&seen, "postgresql.connection.count", &[]).unwrap() >= 1.0);
    server
        .sql("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
    drop(session);
    look_until(source, 0, |seen| sleeps(seen) == Some(0.0)).await;
}

async fn details(source: &mut Opened) {
    let seen = look(&mut source.collectors[1]).await;
    assert!(seen.notes().is_empty(), "{:?}", seen.notes());
    assert_eq!(fact(&seen, "postgresql.max_connections"), "37");
    assert_eq!(fact(&seen, "postgresql.shared_buffers"), "16MB");
    assert_eq!(fact(&seen, "postgresql.work_mem"), "64kB");
    assert_eq!(fact(&seen, "postgresql.synchronous_commit"), "on");
    assert!(!fact(&seen, "postgresql.server_version").is_empty());
    let of = |end: &str| {
        let mut facts = seen.facts().iter();
        let found = facts.find(|fact| fact.value.contains(end));
        let name = &found.unwrap_or_else(|| panic!("no {end}")).name;
        name.rsplit('.').next().unwrap().to_owned()
    };
    let counted = of("from orders where note");
    let own = [("postgresql.query_id", counted.as_str())];
    assert_eq!(value(&seen, "postgresql.statement.count", &own), Some(1.0));
    assert_eq!(value(&seen, "postgresql.statement.rows", &own), Some(1.0));
    assert!(value(&seen, "postgresql.statement.time", &own).unwrap() > 0.0);
    let sorted = of("order by note");
    let own = [("postgresql.query_id", sorted.as_str())];
    assert!(value(&seen, "postgresql.statement.temp_blocks", &own).unwrap() > 0.0);
    let scheduled = [("postgresql.checkpoint.cause", "scheduled")];
    assert!(value(&seen, "postgresql.bgwriter.checkpoint.count", &scheduled).is_some());
    assert!(value(&seen, "postgresql.wal.written", &[]).unwrap() > 1e6);
    let shown: String = seen
        .facts()
        .iter()
        .map(|fact| fact.value.as_str())
        .collect();
    assert!(
        !shown.contains("topsecret") && !shown.contains("4711"),
        "{shown}"
    );
}

/// One session holds a row, two want it.
async fn held_up(server: &Postgres, source: &mut Opened) {
    let update = "update orders set note = 'topsecret2' where id = 7;";
    let holder = PsqlSession::begin(server, &format!("begin; {update}"));
    let query = "select count(*) from pg_stat_activity where state = 'idle in transaction'";
    let began = Instant::now();
    while server.number(query) < 1.0 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    let waiting = [0, 1].map(|_| PsqlSession::begin(server, update));
    let holders = |seen: &Look| -> f64 {
        let held = seen.points();
        let held = held.filter(|(key, _)| key.name == "postgresql.locks.held_up");
        held.map(|(_, value)| value).sum()
    };
    // The second waits for the first that waits, too.
    let seen = look_until(source, 1, |seen| holders(seen) >= 2.0).await;
    let text = fact(&seen, "postgresql.holder.");
    assert!(
        text.contains("update orders set note = ? where id = ?"),
        "{text}"
    );
    let transaction = [
        ("postgresql.lock.state", "waiting"),
        ("postgresql.lock.type", "transactionid"),
    ];
    assert!(value(&seen, "postgresql.locks", &transaction).unwrap() >= 1.0);

    let taken = source.captures[0].take(Moment::Worst.into()).await.unwrap();
    assert_eq!(taken[0].kind, "slow_queries");
    let report: serde_json::Value = serde_json::from_slice(&taken[0].bytes).unwrap();
    let running = report["running"].as_array().unwrap();
    let of = |state: &str, wait: &str| {
        let mut all = running.iter();
        let found = all.find(|one| one["state"] == state && one["wait_event_type"] == wait);
        found.unwrap_or_else(|| panic!("no {state} {wait} in {report}"))
    };
    let first = of("idle in transaction", "Client");
    let mut blocked = running
        .iter()
        .flat_map(|one| one["blocked_by"].as_array().unwrap());
    assert!(
        blocked.any(|pid| pid.as_f64() == first["pid"].as_f64()),
        "{report}"
    );
    assert!(of("active", "Lock")["seconds"].as_f64().unwrap() >= 0.0);
    assert!(report["statements"].as_array().unwrap().len() > 1);
    assert!(!report.to_string().contains("topsecret"), "{report}");

    drop(holder);
    drop(waiting);
    look_until(source, 1, |seen| holders(seen) == 0.0).await;
}

async fn logins(server: &Postgres) {
    let mut wrong = opened(server, "poor", "wrong", &[]);
    let mut seen = Look::at(1);
    let denied = wrong.collectors[0].collect(&mut seen).await.unwrap_err();
    assert_eq!(denied.message.id, "watch-postgresql-denied");
    assert!(!denied.to_string().contains("wrong"), "{denied}");
    // Who may see little says so, and sees the rest; over TLS.
    let certificate = server.folder.path().join("cert");
    let certificate = certificate.to_str().unwrap();
    let mut poor = opened(server, "poor", "pw", &[("ca-file", certificate)]);
    assert!(look(&mut poor.collectors[0]).await.points().count() > 10);
    let seen = look(&mut poor.collectors[1]).await;
    let hidden = |note: &plimsoll_watch::LookNote| note.message.id == "watch-postgresql-hidden";
    assert!(seen.notes().iter().any(hidden));
    let tls = "select count(*) from pg_stat_ssl s join pg_stat_activity a using (pid) \
               where s.ssl and a.usename = 'poor'";
    assert_eq!(server.number(tls), 2.0);
    // The same by the socket and by a URL, with another database.
    let socket = format!(
        "{}/.s.PGSQL.{}",
        server.folder.path().display(),
        server.port
    );
    let file = server.folder.path().join("pw-app");
    let options = [("user", "app"), ("password-file", file.to_str().unwrap())];
    look(&mut open("postgresql", &socket, &options).collectors[0]).await;
    let url = format!("postgresql://app@{}/template1", server.address());
    let mut other = open("postgresql", &url, &options[1..]);
    let seen = look(&mut other.collectors[1]).await;
    let none =
        |note: &plimsoll_watch::LookNote| note.message.id == "watch-postgresql-no-statements";
    assert!(seen.notes().iter().any(none));
}

/// Who comes when all places are taken hears that; what one role may have is no limit of the server.
async fn full(server: &Postgres) {
    server.sql("alter role poor connection limit 0");
    let mut poor = opened(server, "poor", "pw", &[]);
    assert_eq!(
        look_err(&mut poor.collectors[0]).await,
        "watch-server-error"
    );
    server.sql("alter role poor connection limit -1");
    let sessions: Vec<PsqlSession> = (0..40)
        .map(|_| PsqlSession::begin(server, "select 1;"))
        .collect();
    let began = Instant::now();
    loop {
        let mut late = opened(server, "poor", "pw", &[]);
        let looked = late.collectors[0].collect(&mut Look::at(1)).await;
        if looked.is_err_and(|trouble| trouble.message.id == "watch-server-full") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "not full");
    }
    drop(sessions);
    server.wait_until_up();
}

/// A server that says the same to everybody, for ever if `endless`.
fn hostile(says: &'static [u8], endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            while stream.write_all(says).is_ok() && endless {}
        }
    });
    address
}

#[tokio::test]
async fn what_is_no_server() {
    let web = Served::new(&[]);
    for (address, expected) in [
        (web.address.clone(), "watch-server-slow"),
        (format!("127.0.0.1:{}", free_port()), "watch-server-unreachable"),
        ("unix:/nowhere/s".to_owned(), "watch-server-unreachable"),
        // Longer than any message.
        (hostile(b"D\xff\xff\xff\xff", false), "watch-server-unreachable"),
        (hostile(b"HTTP/1.1 400 Bad Request\r\n\r\n", false), "watch-server-unreachable"),
        // A login that never ends, and notices without end.
        (hostile(b"R\0\0\0\x08\0\0\0\x03", true), "watch-server-unreachable"),
        (hostile(b"N\0\0\x04\0Mxxxxxxx", true), "watch-server-unreachable"),
        // Rounds of hashing without end.
        (
            hostile(b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0R\0\0\0\x23\0\0\0\x0br=x,s=eA==,i=4000000000....", false),
            "watch-server-unreachable",
        ),
    ] {
        let mut source = open("postgresql", &address, &[]);
        let began = Instant::now();
        let id = look_err(&mut source.collectors[0]).await;
        assert!(
            id == expected || id == "watch-server-slow",
            "{address}: {id} instead of {expected}"
        );
        assert!(began.elapsed() < Duration::from_secs(60));
    }
    let wrong = try_open("postgresql", "postgresql://", &[]).err().unwrap();
    assert_eq!(wrong, "watch-server-address-wrong");
    let unknown = try_open("postgresql", "h:1", &[("sslmode", "x")])
        .err()
        .unwrap();
    assert_eq!(unknown, "watch-unknown-option");
}

#[test]
fn it_is_found_behind_who_calls_it() {
    let server = Postgres::start();
    // It listens, as a service does, and has a session by TCP.
    let text = "import socket, sys, os
s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
user = b'user\\0app\\0database\\0postgres\\0\\0'
s.sendall((len(user) + 8).to_bytes(4, 'big') + (196608).to_bytes(4, 'big') + user)
s.recv(1)
l = socket.create_server(('127.0.0.1', 0))
print(l.getsockname()[1], flush=True)
sys.stdin.read()";
    let mut service = std::process::Command::new("python3")
        .args(["-c", text, &server.port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut port = String::new();
    let mut out = std::io::BufReader::new(service.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut port).unwrap();
    let found = plimsoll_watch::around(
        &format!("127.0.0.1:{}", port.trim()),
        plimsoll_watch::Level::Observe,
    );
    service.kill().unwrap();
    service.wait().unwrap();
    let sources = found.specs.iter().map(|spec| spec.source.as_str());
    assert!(
        sources.clone().any(|source| source == "postgresql"),
        "{:?}",
        sources.collect::<Vec<_>>()
    );
}

//! A real MariaDB, started on a port of its own, beside what mysqladmin says of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Look, Moment};
use support::mariadb::{MariaDb, run};
use support::statements::sees_two_scans;
use support::{Served, free_port, look, look_err, open, program, try_open, value};

fn admin(server: &MariaDb, variable: &str) -> f64 {
    let text = server.client("mysqladmin", &["extended-status"]);
    let line = text
        .lines()
        .find(|line| line.split('|').nth(1).map(str::trim) == Some(variable));
    let line = line.unwrap_or_else(|| panic!("no {variable}"));
    line.split('|').nth(2).unwrap().trim().parse().unwrap()
}

fn load(server: &MariaDb) {
    server.sql(
        "create database shop; use shop;
         create table orders (id int primary key auto_increment, status int, note varchar(20));
         insert into orders (status, note) select seq % 7, 'topsecret' from seq_1_to_5000;
         create user 'poor'@'%' identified by 'pw';
         select count(*) from orders where status <> 4 and note = 'topsecret';
         select count(*) from orders where status <> 5 and note = 'topsecret';",
    );
}

#[tokio::test]
async fn a_real_mariadb() {
    let mut server = MariaDb::start();
    server.wait_until_up();
    load(&server);
    let address = server.socket();
    let mut source = open("mysql", &address, &[("user", "root")]);

    let before = look(&mut source.collectors[0]).await;
    let scanned = [("mysql.handler", "read_rnd_next")];
    let rnd_next = value(&before, "mysql.handlers", &scanned).unwrap();
    assert!(rnd_next >= 10_000.0);
    // MariaDB counts rows of all engines here; InnoDB's own counters only MySQL has.
    let written = value(&before, "mysql.handlers", &[("mysql.handler", "write")]);
    assert_eq!(written, Some(admin(&server, "Handler_write")));
    let pages = [("mysql.page.state", "total")];
    let total = admin(&server, "Innodb_buffer_pool_pages_total");
    assert_eq!(
        value(&before, "mysql.buffer_pool.pages", &pages),
        Some(total)
    );
    let connected = [("mysql.thread.kind", "connected")];
    // mysqladmin's own connection counts there and not here; one before may still be closing.
    let began = Instant::now();
    let now = loop {
        let now = look(&mut source.collectors[0]).await;
        let theirs = admin(&server, "Threads_connected");
        if value(&now, "mysql.threads", &connected).unwrap() + 1.0 == theirs {
            break now;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{theirs}");
    };
    let first = value(&before, "mysql.query.count", &[]).unwrap();
    assert!(value(&now, "mysql.query.count", &[]).unwrap() > first);

    let seen = look(&mut source.collectors[1]).await;
    let fact = |name: &str| {
        let found = seen.facts().iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.clone()).unwrap_or_default()
    };
    assert_eq!(
        fact("mysql.innodb_buffer_pool_size"),
        (32 << 20).to_string()
    );
    assert!(
        fact("mysql.version").contains("MariaDB"),
        "{}",
        fact("mysql.version")
    );
    assert!(sees_two_scans(&seen).starts_with("shop."));

    captures(&server).await;
    denied(&server).await;
    full(&server).await;

    server.stop();
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-server-unreachable"
    );
    server.process = run(&server.folder, server.port);
    server.wait_until_up();
    let back = look(&mut source.collectors[0]).await;
    let after = value(&back, "mysql.query.count", &[]).unwrap();
    assert!(after < first, "begins again: {after} {first}");
}

async fn captures(server: &MariaDb) {
    let address = format!("127.0.0.1:{}", server.port);
    let mut source = open("mysql", &address, &[("user", "root")]);
    // A statement that runs while the capture is taken.
    let busy = Command::new(program("mysql"))
        .args([
            "--no-defaults",
            "-uroot",
            "-S",
            &server.socket(),
            "shop",
            "-e",
        ])
        .arg(
            "select count(*) from orders where status <> 3 and note = 'topsecret';
             select sum(a.id * b.id * c.id) from orders a, orders b, orders c where a.note = 'topsecret'",
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut busy = busy.unwrap();
    let began = Instant::now();
    let report = loop {
        let taken = source.captures[1].take(Moment::Worst.into()).await.unwrap();
        assert_eq!(taken[0].kind, "slow_queries");
        let report: serde_json::Value = serde_json::from_slice(&taken[0].bytes).unwrap();
        if report["running"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("sum("))
        {
            break report;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{report}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let status = source.captures[0].take(Moment::Worst.into()).await.unwrap();
    let status = String::from_utf8_lossy(&status[0].bytes).into_owned();
    assert!(status.contains("BUFFER POOL AND MEMORY") && !status.contains("topsecret"));
    let running = "select id from information_schema.processlist where info like 'select sum%'";
    for id in server.sql(running).lines() {
        server.sql(&format!("kill {id}"));
    }
    let _ = busy.wait();
    assert!(!report.to_string().contains("topsecret"), "{report}");
    assert_eq!(report["running"][0]["plan"][0]["table"], "a", "{report}");
    let statements = report["statements"].as_array().unwrap();
    let counted = |one: &&serde_json::Value| {
        one["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("SELECT COUNT"))
    };
    let worst = statements
        .iter()
        .find(counted)
        .unwrap_or_else(|| panic!("{report}"));
    assert_eq!(worst["plan"][0]["type"], "ALL", "{report}");
    assert!(worst["no_index_count"].as_f64().unwrap() >= 2.0);
}

/// Who comes when all places are taken hears that; what one user may have is no limit of the server.
async fn full(server: &MariaDb) {
    let address = format!("127.0.0.1:{}", server.port);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "pw\n").unwrap();
    let options = [
        ("user", "poor"),
        ("password-file", file.path().to_str().unwrap()),
    ];
    server.sql("SET GLOBAL max_connections = 10");
    // Who has not logged in yet has a place, too.
    let held: Vec<std::net::TcpStream> = (0..20)
        .map(|_| std::net::TcpStream::connect(&address).unwrap())
        .collect();
    let began = Instant::now();
    loop {
        let mut late = open("mysql", &address, &options);
        let looked = late.collectors[0].collect(&mut Look::at(1)).await;
        if looked.is_err_and(|trouble| trouble.message.id == "watch-server-full") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "not full");
    }
    drop(held);
    let began = Instant::now();
    loop {
        let mut again = open("mysql", &address, &options);
        if again.collectors[0].collect(&mut Look::at(1)).await.is_ok() {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "still full");
    }
    server.sql("SET GLOBAL max_connections = 151; ALTER USER poor WITH MAX_USER_CONNECTIONS 1");
    let mut first = open("mysql", &address, &options);
    look(&mut first.collectors[0]).await;
    let mut second = open("mysql", &address, &options);
    assert_eq!(
        look_err(&mut second.collectors[0]).await,
        "watch-server-error"
    );
    server.sql("ALTER USER poor WITH MAX_USER_CONNECTIONS 0");
}

async fn denied(server: &MariaDb) {
    let address = format!("127.0.0.1:{}", server.port);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "wrong\n").unwrap();
    let path = file.path().to_str().unwrap();
    let options = [("user", "poor"), ("password-file", path)];
    let mut source = open("mysql", &address, &options);
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-mysql-denied"
    );
    std::fs::write(file.path(), "pw\n").unwrap();
    let mut source = open("mysql", &address, &options);
    assert!(look(&mut source.collectors[0]).await.points().count() > 50);
    let seen = look(&mut source.collectors[1]).await;
    assert!(
        seen.notes()
            .iter()
            .any(|note| note.message.id == "watch-mysql-digests-denied")
    );
    let refused = source.captures[0]
        .take(Moment::End.into())
        .await
        .unwrap_err();
    assert_eq!(refused.message.id, "watch-mysql-denied");
    assert!(!refused.to_string().contains("pw"));
}

#[tokio::test]
async fn what_is_no_server() {
    let web = Served::new(&[]);
    let mut source = open("mysql", &web.address, &[("user", "root")]);
    let id = look_err(&mut source.collectors[0]).await;
    assert!(
        ["watch-server-slow", "watch-server-unreachable"].contains(&id.as_str()),
        "{id}"
    );
    let mut gone = open("mysql", &format!("127.0.0.1:{}", free_port()), &[]);
    assert_eq!(
        look_err(&mut gone.collectors[0]).await,
        "watch-server-unreachable"
    );
    let wrong = try_open("mysql", "mysql://", &[]).err().unwrap();
    assert_eq!(wrong, "watch-server-address-wrong");
    assert!(!Path::new("/nowhere").exists());
    let mut socket = open("mysql", "unix:/nowhere/s", &[]);
    assert_eq!(
        look_err(&mut socket.collectors[0]).await,
        "watch-server-unreachable"
    );
}

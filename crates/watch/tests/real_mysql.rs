//! A real MySQL, where there is one: `PLIMSOLL_TEST_MYSQL=PORT` names the port on loopback of a
//! server with an empty data directory, whose root has no password. No package of Debian 12 has
//! MySQL, so it runs on demand only: `cargo test -p plimsoll-watch --test real_mysql -- --ignored`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Look, Moment};
use support::statements::sees_two_scans;
use support::{look, look_err, open, program, value};

struct MySql(String);

impl MySql {
    fn client(&self, name: &str, arguments: &[&str]) -> String {
        let output = self.command(name).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name));
        command.args(["--no-defaults", "-uroot", "-h127.0.0.1", "-P", &self.0]);
        command
    }

    fn sql(&self, sql: &str) -> String {
        self.client("mysql", &["-N", "-B", "-e", sql])
    }

    fn status(&self, variable: &str) -> f64 {
        let text = self.client("mysqladmin", &["extended-status"]);
        let name = |line: &&str| line.split('|').nth(1).map(str::trim) == Some(variable);
        let line = text.lines().find(name).unwrap();
        line.split('|').nth(2).unwrap().trim().parse().unwrap()
    }
}

fn fact(look: &Look, name: &str) -> String {
    let found = look.facts().iter().find(|fact| fact.name == name);
    found.map(|fact| fact.value.clone()).unwrap_or_default()
}

#[tokio::test]
#[ignore = "needs a MySQL, which Debian 12 has not: PLIMSOLL_TEST_MYSQL=PORT"]
async fn a_real_mysql() {
    let port = std::env::var("PLIMSOLL_TEST_MYSQL").expect("the port of a MySQL");
    let server = MySql(port);
    server.sql(
        "drop database if exists shop; create database shop; use shop;
         create table orders (id int primary key auto_increment, status int, note varchar(20));
         set session cte_max_recursion_depth = 10000;
         insert into orders (status, note)
           with recursive seq as (select 1 n union all select n + 1 from seq where n < 5000)
           select n % 7, 'topsecret' from seq;
         drop user if exists 'watch'@'%', 'poor'@'%';
         create user 'watch'@'%' identified by 'geheim'; grant all on *.* to 'watch'@'%';
         create user 'poor'@'%' identified by 'pw';
         truncate performance_schema.events_statements_summary_by_digest;
         select count(*) from orders where status <> 4 and note = 'topsecret';
         select count(*) from orders where status <> 5 and note = 'topsecret';",
    );
    let folder = tempfile::tempdir().unwrap();
    let password = |text: &str| {
        let path = folder.path().join(text);
        std::fs::write(&path, format!("{text}\n")).unwrap();
        path.display().to_string()
    };
    let address = format!("127.0.0.1:{}", server.0);
    let with = |user: &str, text: &str| {
        let file = password(text);
        open(
            "mysql",
            &address,
            &[("user", user), ("password-file", &file)],
        )
    };
    let denied = look_err(&mut with("watch", "wrong").collectors[0]).await;
    assert_eq!(denied, "watch-mysql-denied");
    // Its default way to prove a password (caching_sha2_password), without TLS.
    let mut source = with("watch", "geheim");
    let seen = look(&mut source.collectors[0]).await;
    let handler = |name| value(&seen, "mysql.handlers", &[("mysql.handler", name)]);
    assert!(handler("read_rnd_next").unwrap() >= 10_000.0);
    assert_eq!(handler("delete"), Some(server.status("Handler_delete")));
    let pages = [("mysql.page.state", "total")];
    assert_eq!(
        value(&seen, "mysql.buffer_pool.pages", &pages),
        Some(server.status("Innodb_buffer_pool_pages_total"))
    );
    let rows = seen
        .points()
        .filter(|(key, _)| key.name.starts_with("mysql.row"));
    assert!(
        rows.count() > 0,
        "InnoDB's own counters, which only MySQL has"
    );

    let seen = look(&mut source.collectors[1]).await;
    let version = server.sql("select version()");
    assert_eq!(fact(&seen, "mysql.version"), version.trim());
    let size = server.sql("select @@innodb_buffer_pool_size");
    assert_eq!(fact(&seen, "mysql.innodb_buffer_pool_size"), size.trim());
    sees_two_scans(&seen);

    captures(&server, &mut source).await;

    let seen = look(&mut with("poor", "pw").collectors[1]).await;
    assert!(!seen.notes().is_empty(), "what it may not see is said");
}

async fn captures(server: &MySql, source: &mut plimsoll_watch::Opened) {
    // A statement that runs while the capture is taken.
    let busy = server
        .command("mysql")
        .args(["shop", "-e"])
        .arg("select sum(a.id * b.id * c.id) from orders a, orders b, orders c where a.note = 'topsecret'")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut busy = busy.unwrap();
    let began = Instant::now();
    let report = loop {
        let taken = source.captures[1].take(Moment::Worst.into()).await.unwrap();
        let report: serde_json::Value = serde_json::from_slice(&taken[0].bytes).unwrap();
        let text = report["running"][0]["text"].as_str();
        if text.is_some_and(|text| text.contains("sum(")) {
            break report;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{report}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let status = source.captures[0].take(Moment::Worst.into()).await.unwrap();
    let running = "select id from performance_schema.processlist where info like 'select sum%'";
    for id in server.sql(running).lines() {
        server.sql(&format!("kill {id}"));
    }
    let _ = busy.wait();
    let status = String::from_utf8_lossy(&status[0].bytes).into_owned();
    assert!(status.contains("BUFFER POOL AND MEMORY") && !status.contains("topsecret"));
    assert!(!report.to_string().contains("topsecret"), "{report}");
    assert_eq!(report["running"][0]["plan"][0]["table"], "a", "{report}");
    let statements = report["statements"].as_array().unwrap().iter();
    let counted = |one: &serde_json::Value| {
        let text = one["text"].as_str();
        text.is_some_and(|text| text.starts_with("SELECT COUNT"))
    };
    let worst = statements.clone().find(|one| counted(one));
    let worst = worst.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(worst["plan"][0]["type"], "ALL", "{report}");
}

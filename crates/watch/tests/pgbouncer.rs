//! A real PgBouncer in front of a real PostgreSQL, beside what its console says to psql.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Level, Look, around};
use support::postgres::{PASSWORD, Postgres, as_nobody, program as pg_program};
use support::{Served, free_port, look, look_err, open, program_if_there, value};

/// A pool of two connections, ended with the test.
struct PgBouncer {
    process: Child,
    port: u16,
    server: Postgres,
}

impl PgBouncer {
    /// None: it is not installed.
    fn start() -> Option<Self> {
        let program = program_if_there("pgbouncer")?;
        let server = Postgres::start();
        let home = server.folder.path().display().to_string();
        let port = free_port();
        let settings = format!(
            "[databases]\nshop = host=127.0.0.1 port={} dbname=postgres user=app password={PASSWORD}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = scram-sha-256\nauth_file = {home}/users\nstats_users = watch\n\
             pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 41\n",
            server.port
        );
        std::fs::write(server.folder.path().join("bouncer.ini"), settings).unwrap();
        let users = format!("\"watch\" \"pw\"\n\"poor\" \"pw\"\n\"app\" \"{PASSWORD}\"\n");
        std::fs::write(server.folder.path().join("users"), users).unwrap();
        let process = as_nobody(&program)
            .arg(format!("{home}/bouncer.ini"))
            .spawn()
            .unwrap();
        let bouncer = Self {
            process,
            port,
            server,
        };
        let began = Instant::now();
        while bouncer.psql("shop", "app", PASSWORD, "select 1").is_none() {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(bouncer)
    }

    fn command(&self, database: &str, user: &str, password: &str) -> Command {
        let mut command = Command::new(pg_program("psql"));
        let port = self.port.to_string();
        command.env("PGPASSWORD", password);
        command.args([
            "-X",
            "-At",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            user,
            database,
        ]);
        command.stdin(Stdio::null());
        command
    }

    /// What psql prints; none: it fails.
    fn psql(&self, database: &str, user: &str, password: &str, sql: &str) -> Option<String> {
        let mut command = self.command(database, user, password);
        let output = command.args(["-c", sql]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        output.status.success().then_some(text)
    }

    fn open(&self, user: &str, password: &str) -> plimsoll_watch::Opened {
        let file = self.server.folder.path().join(format!("b-{user}"));
        std::fs::write(&file, password).unwrap();
        let options = [("user", user), ("password-file", file.to_str().unwrap())];
        open("pgbouncer", &format!("127.0.0.1:{}", self.port), &options)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

fn of_pool(look: &Look, name: &str, state: Option<(&str, &str)>) -> Option<f64> {
    let own = ("db.client.connection.pool.name", "shop/app");
    let attributes: Vec<_> = std::iter::once(own).chain(state).collect();
    value(look, name, &attributes)
}

#[tokio::test]
async fn a_real_pgbouncer() {
    let Some(bouncer) = PgBouncer::start() else {
        return;
    };
    let mut source = bouncer.open("watch", "pw");
    let seen = look(&mut source.collectors[0]).await;
    let fact = |name: &str| {
        let found = seen.facts().iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.clone()).unwrap_or_default()
    };
    assert_eq!(fact("pgbouncer.pool_mode"), "transaction");
    assert_eq!(fact("pgbouncer.pool_mode.shop/app"), "transaction");
    assert!(fact("pgbouncer.version").contains("PgBouncer"));
    assert_eq!(value(&seen, "pgbouncer.client.limit", &[]), Some(41.0));
    assert_eq!(of_pool(&seen, "db.client.connection.max", None), Some(2.0));
    let queries = [("db.namespace", "shop")];
    assert!(value(&seen, "pgbouncer.query.count", &queries).is_some());

    // Five clients of two connections.
    let clients = [0; 5].map(|_| {
        let mut command = bouncer.command("shop", "app", PASSWORD);
        command.args(["-c", "select pg_sleep(300)"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    });
    let began = Instant::now();
    let seen = loop {
        let seen = look(&mut source.collectors[0]).await;
        let waiting = of_pool(&seen, "db.client.connection.pending_requests", None);
        let longest = of_pool(&seen, "pgbouncer.client.wait.max", None);
        if waiting == Some(3.0) && longest > Some(0.0) {
            break seen;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{seen:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let used = Some(("db.client.connection.state", "used"));
    assert_eq!(
        of_pool(&seen, "db.client.connection.count", used),
        Some(2.0)
    );
    let state = |state| Some(("pgbouncer.state", state));
    assert_eq!(
        of_pool(&seen, "pgbouncer.client.count", state("active")),
        Some(2.0)
    );
    assert_eq!(
        of_pool(&seen, "pgbouncer.client.count", state("waiting")),
        Some(3.0)
    );
    assert_eq!(
        of_pool(&seen, "pgbouncer.server.count", state("active")),
        Some(2.0)
    );
    let theirs = bouncer
        .psql("pgbouncer", "watch", "pw", "show pools")
        .unwrap();
    assert!(
        theirs.lines().any(|line| line.starts_with("shop|app|2|3|")),
        "{theirs}"
    );
    for mut client in clients {
        let _ = client.kill();
        let _ = client.wait();
    }

    let found = around(&format!("127.0.0.1:{}", bouncer.port), Level::Observe).specs;
    let spec = found
        .iter()
        .find(|spec| spec.source == "pgbouncer")
        .unwrap();
    assert_eq!(spec.address, format!("127.0.0.1:{}", bouncer.port));
}

#[tokio::test]
async fn who_may_not_look_is_told_what_to_do() {
    let Some(bouncer) = PgBouncer::start() else {
        return;
    };
    let web = Served::new(&[]);
    for (user, password) in [("poor", "pw"), ("watch", "wrong")] {
        let mut source = bouncer.open(user, password);
        let id = look_err(&mut source.collectors[0]).await;
        assert_eq!(id, "watch-pgbouncer-denied", "{user}");
    }
    let mut other = open("pgbouncer", &web.address, &[]);
    let id = look_err(&mut other.collectors[0]).await;
    assert!(
        ["watch-server-slow", "watch-server-unreachable"].contains(&id.as_str()),
        "{id}"
    );
}

//! A real Redis, started on a port of its own, beside what redis-cli says of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::Moment;
use support::{Served, free_port, look, look_err, open, program, try_open, value};

struct Redis {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Redis {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let process = run(&folder, port);
        let redis = Self {
            process,
            port,
            folder,
        };
        redis.wait_until_up();
        redis
    }

    fn wait_until_up(&self) {
        let began = Instant::now();
        while !self.try_cli(&["PING"]).contains("PONG") {
            assert!(began.elapsed() < Duration::from_secs(60), "not up");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn try_cli(&self, words: &[&str]) -> String {
        let output = Command::new(program("redis-cli"))
            .args([
                "-p",
                &self.port.to_string(),
                "--user",
                "default",
                "--pass",
                "geheim",
            ])
            .arg("--no-auth-warning")
            .args(words)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A number that `INFO` has.
    fn info(&self, field: &str) -> f64 {
        let text = self.try_cli(&["INFO", "all"]);
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.unwrap_or_else(|| panic!("no {field} in {text}"))
            .trim()
            .parse()
            .unwrap()
    }

    fn stop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(folder: &tempfile::TempDir, port: u16) -> Child {
    let home = folder.path().display();
    let config = format!(
        "port {port}\nbind 127.0.0.1\nunixsocket {home}/s\nsave \"\"\nrequirepass geheim\n\
         slowlog-log-slower-than 0\nmaxmemory 64mb\nuser poor on >pw +ping +info ~*\n"
    );
    std::fs::write(folder.path().join("redis.conf"), config).unwrap();
    Command::new(program("redis-server"))
        .arg(folder.path().join("redis.conf"))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn password(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{text}\n")).unwrap();
    file
}

#[tokio::test]
async fn a_real_redis() {
    let mut redis = Redis::start();
    let file = password("geheim");
    let path = file.path().to_str().unwrap();
    let address = format!("127.0.0.1:{}", redis.port);
    let mut source = open("redis", &address, &[("password-file", path)]);
    for key in ["user:17:name", "user:18:name"] {
        redis.try_cli(&["SET", key, "topsecret"]);
        redis.try_cli(&["GET", key]);
    }
    redis.try_cli(&["GET", "nobody"]);
    redis.try_cli(&["LPUSH", "user:17:name", "x"]);

    let seen = look(&mut source.collectors[0]).await;
    assert_eq!(
        value(&seen, "redis.keyspace.hits", &[]),
        Some(redis.info("keyspace_hits"))
    );
    assert_eq!(value(&seen, "redis.keyspace.misses", &[]), Some(1.0));
    assert_eq!(
        value(&seen, "redis.cmd.calls", &[("redis.cmd", "get")]),
        Some(3.0)
    );
    assert_eq!(
        value(&seen, "redis.errors", &[("redis.error", "WRONGTYPE")]),
        Some(1.0)
    );
    assert_eq!(
        value(&seen, "redis.db.keys", &[("redis.db", "0")]),
        Some(2.0)
    );
    assert_eq!(
        value(&seen, "redis.memory.limit", &[]),
        Some(f64::from(64 << 20))
    );
    let latency = [("quantile", "0.99"), ("redis.cmd", "get")];
    assert!(value(&seen, "redis.cmd.latency", &latency).unwrap() > 0.0);
    let main = [("cpu.mode", "user")];
    assert!(value(&seen, "redis.cpu.main_thread.time", &main).is_some());
    let connections = value(&seen, "redis.connections.received", &[]);
    let again = look(&mut source.collectors[0]).await;
    assert_eq!(
        value(&again, "redis.connections.received", &[]).unwrap(),
        connections.unwrap() + 1.0
    );

    let seen = look(&mut source.collectors[1]).await;
    let slow = value(&seen, "redis.slowlog.count", &[]).unwrap();
    let length: f64 = redis.try_cli(&["SLOWLOG", "LEN"]).trim().parse().unwrap();
    assert!(slow >= 6.0 && length >= slow.min(128.0), "{slow} {length}");
    assert_eq!(
        value(&seen, "redis.clients.max_output_buffer", &[]),
        Some(0.0)
    );
    let fact = |name: &str| {
        seen.facts()
            .iter()
            .find(|fact| fact.name == name)
            .map(|f| &f.value)
    };
    assert_eq!(fact("redis.maxmemory").unwrap(), &(64 << 20).to_string());
    assert_eq!(fact("redis.maxmemory-policy").unwrap(), "noeviction");

    let taken = source.captures[0].take(Moment::Worst.into()).await.unwrap();
    let log = String::from_utf8(taken[0].bytes.clone()).unwrap();
    assert!(
        log.contains("\"user:*:name\"") && log.contains("\"GET\""),
        "{log}"
    );
    for secret in ["topsecret", "geheim", "17"] {
        assert!(
            !log.contains(&format!("{secret}:")) && !log.contains("topsecret"),
            "{log}"
        );
    }

    denied(&redis).await;
    full(&redis).await;
    let commands = value(&again, "redis.commands.processed", &[]).unwrap();
    redis.stop();
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-server-unreachable"
    );
    redis.process = run(&redis.folder, redis.port);
    redis.wait_until_up();
    let back = look(&mut source.collectors[0]).await;
    assert!(value(&back, "redis.commands.processed", &[]).unwrap() < commands);
}

/// Who comes when all places are taken hears that.
async fn full(redis: &Redis) {
    let address = format!("127.0.0.1:{}", redis.port);
    let file = password("pw");
    let options = [
        ("user", "poor"),
        ("password-file", file.path().to_str().unwrap()),
    ];
    // Beside those that are connected, and a few more.
    let most = (redis.info("connected_clients") + 2.0).to_string();
    redis.try_cli(&["CONFIG", "SET", "maxclients", &most]);
    let held: Vec<std::net::TcpStream> = (0..12)
        .map(|_| std::net::TcpStream::connect(&address).unwrap())
        .collect();
    // Whether the reason comes before what is sent fails is a matter of chance.
    for _ in 0..20 {
        let mut late = open("redis", &address, &options);
        assert_eq!(look_err(&mut late.collectors[0]).await, "watch-server-full");
    }
    drop(held);
    redis.wait_until_up();
    redis.try_cli(&["CONFIG", "SET", "maxclients", "100"]);
}

async fn denied(redis: &Redis) {
    let socket = redis.folder.path().join("s").display().to_string();
    let mut nobody = open("redis", &socket, &[]);
    assert_eq!(
        look_err(&mut nobody.collectors[0]).await,
        "watch-redis-denied"
    );
    let file = password("falsch");
    let options = [
        ("user", "poor"),
        ("password-file", file.path().to_str().unwrap()),
    ];
    let mut wrong = open("redis", &socket, &options);
    assert_eq!(
        look_err(&mut wrong.collectors[0]).await,
        "watch-redis-denied"
    );
    std::fs::write(file.path(), "pw\n").unwrap();
    let mut poor = open("redis", &socket, &options);
    assert!(look(&mut poor.collectors[0]).await.points().count() > 20);
    let seen = look(&mut poor.collectors[1]).await;
    let refused = seen
        .notes()
        .iter()
        .filter(|note| note.message.id == "watch-redis-refused");
    assert!(refused.count() >= 2, "{:?}", seen.notes());
}

#[tokio::test]
async fn what_is_no_redis() {
    let web = Served::new(&[]);
    let mut source = open("redis", &web.address, &[]);
    let id = look_err(&mut source.collectors[0]).await;
    assert!(
        ["watch-server-slow", "watch-server-unreachable"].contains(&id.as_str()),
        "{id}"
    );
    let mut gone = open("redis", &format!("127.0.0.1:{}", free_port()), &[]);
    assert_eq!(
        look_err(&mut gone.collectors[0]).await,
        "watch-server-unreachable"
    );
    assert_eq!(
        try_open("redis", "redis://", &[]).err().unwrap(),
        "watch-server-address-wrong"
    );
}

//! A real HAProxy in front of a small server, beside what its load is known to be.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Level, Look, Opened, around};
use support::mariadb::own_folder;
use support::postgres::as_nobody;
use support::{Served, free_port, look, look_err, open, program_if_there, value};

/// One server may have one request at a time, the other is down.
struct Haproxy {
    process: Child,
    port: u16,
    page: u16,
    folder: tempfile::TempDir,
}

/// A server that takes connections and responds to none.
fn silent() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let kept: Vec<_> = listener.incoming().collect();
        drop(kept);
    });
    port
}

impl Haproxy {
    /// None: it is not installed.
    fn start() -> Option<Self> {
        let program = program_if_there("haproxy")?;
        let folder = own_folder();
        let home = folder.path().display();
        let (port, page) = (free_port(), free_port());
        let settings = format!(
            "global\n  stats socket {home}/admin.sock mode 600 level user\n  maxconn 97\n\
             defaults\n  mode http\n  timeout connect 5s\n  timeout client 300s\n\
             \x20 timeout server 300s\n  timeout queue 300s\n\
             frontend web\n  bind 127.0.0.1:{port}\n  maxconn 55\n  default_backend app\n\
             \x20 http-request deny if {{ path /denied }}\n\
             backend app\n  server one 127.0.0.1:{} maxconn 1\n\
             \x20 server two 127.0.0.1:{} check inter 100 fall 1\n\
             frontend page\n  bind 127.0.0.1:{page}\n  stats enable\n  stats uri /stats\n",
            silent(),
            free_port()
        );
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, settings).unwrap();
        let process = as_nobody(&program).arg("-f").arg(&file).spawn().unwrap();
        let mut started = Self {
            process,
            port,
            page,
            folder,
        };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.process.try_wait().unwrap().is_none(), "it ended");
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(started)
    }

    fn get(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        stream
    }
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn of(look: &Look, name: &str, proxy: &str, service: &str) -> Option<f64> {
    let own = [
        ("haproxy.proxy_name", proxy),
        ("haproxy.service_name", service),
    ];
    value(look, name, &own)
}

async fn look_until(source: &mut Opened, holds: impl Fn(&Look) -> bool) -> Look {
    let began = Instant::now();
    loop {
        let seen = look(&mut source.collectors[0]).await;
        if holds(&seen) {
            return seen;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{seen:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_real_haproxy() {
    let Some(server) = Haproxy::start() else {
        return;
    };
    let target = format!("127.0.0.1:{}", server.port);
    let found = around(&target, Level::Observe);
    let mut specs = found.specs.iter();
    let spec = specs.find(|spec| spec.source == "haproxy");
    let spec = spec.unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(spec.address, format!("pid:{}", server.process.id()));
    let mut process = open("haproxy", &spec.address, &[("name", "front")]);
    let seen = look(&mut process.collectors[0]).await;
    assert!(seen.notes().is_empty(), "{:?}", seen.notes());
    let fact = |name: &str| {
        let found = seen.facts().iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    };
    assert_eq!(fact("haproxy.global.maxconn"), Some("97"));
    assert_eq!(fact("haproxy.web.maxconn"), Some("55"));
    assert_eq!(fact("haproxy.defaults.timeout queue"), Some("300s"));

    let mut status = process.collectors[0].found();
    let mut denied = String::new();
    server.get("/denied").read_to_string(&mut denied).unwrap();
    assert!(denied.starts_with("HTTP/1.1 403"), "{denied}");
    // Until its first check the other server is taken for one that is up.
    look_until(&mut status, |seen| {
        of(seen, "haproxy.health", "app", "two") == Some(0.0)
    })
    .await;
    // One is served, three wait.
    let _waiting = [0; 4].map(|_| server.get("/"));
    let seen = look_until(&mut status, |seen| {
        of(seen, "haproxy.requests.queued", "app", "BACKEND") == Some(3.0)
    })
    .await;
    assert_eq!(value(&seen, "haproxy.connections.limit", &[]), Some(97.0));
    assert_eq!(
        of(&seen, "haproxy.sessions.limit", "web", "FRONTEND"),
        Some(55.0)
    );
    assert_eq!(of(&seen, "haproxy.sessions.limit", "app", "one"), Some(1.0));
    assert_eq!(of(&seen, "haproxy.sessions.count", "app", "one"), Some(1.0));
    assert_eq!(
        of(&seen, "haproxy.sessions.count", "web", "FRONTEND"),
        Some(4.0)
    );
    assert_eq!(of(&seen, "haproxy.health", "app", "BACKEND"), Some(1.0));
    let refused = [
        ("haproxy.direction", "request"),
        ("haproxy.proxy_name", "web"),
        ("haproxy.service_name", "FRONTEND"),
    ];
    assert_eq!(value(&seen, "haproxy.requests.denied", &refused), Some(1.0));
    assert!(seen.points().all(|(key, _)| key.entity.name == "front"));

    // By its page and by the socket's path the same.
    let page = format!("http://127.0.0.1:{}/stats;csv", server.page);
    let socket = server
        .folder
        .path()
        .join("admin.sock")
        .display()
        .to_string();
    for address in [page, socket] {
        let mut named = open("haproxy", &address, &[]);
        let seen = look(&mut named.collectors[0]).await;
        let queued = of(&seen, "haproxy.requests.queued", "app", "BACKEND");
        assert_eq!(queued, Some(3.0), "{address}");
    }
}

#[tokio::test]
async fn what_is_no_server() {
    let endless = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                while stream.write_all(&[b'x'; 4096]).is_ok() {}
            }
        });
        address
    };
    let page = Served::new(&[("/stats;csv", "<html>")]);
    for (address, expected) in [
        (endless, "watch-server-unreachable"),
        (
            format!("127.0.0.1:{}", free_port()),
            "watch-server-unreachable",
        ),
        ("/nowhere/s".to_owned(), "watch-server-unreachable"),
        (
            format!("http://{}", page.address),
            "watch-haproxy-no-status",
        ),
    ] {
        let mut source = open("haproxy", &address, &[]);
        assert_eq!(
            look_err(&mut source.collectors[0]).await,
            expected,
            "{address}"
        );
    }
    // Another process names no files.
    let mut other = Command::new("sleep")
        .arg("60")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut source = open("haproxy", &format!("pid:{}", other.id()), &[]);
    let seen = look(&mut source.collectors[0]).await;
    assert_eq!(seen.notes()[0].message.id, "watch-haproxy-no-socket");
    let _ = other.kill();
    let _ = other.wait();
}

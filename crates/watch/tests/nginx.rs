//! A real nginx, started on a port of its own, beside what curl says of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use plimsoll_watch::{Level, NoteKind, Opened, Spec};
use support::{Served, curl, free_port, look, look_err, open, program, try_open, value};

struct Nginx {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Nginx {
    fn start(upstream: &str, dead: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let home = folder.path().display();
        let config = format!(
            "worker_processes 2; daemon off; pid {home}/pid; error_log {home}/error.log warn;
             events {{ worker_connections 64; }}
             http {{
                 client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f;
                 uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
                 log_format timed '$remote_addr [$time_local] \"$request\" $status $body_bytes_sent '
                     '$request_time $upstream_addr|$upstream_response_time|$upstream_connect_time';
                 access_log {home}/access.log timed;
                 upstream app {{ server {upstream}; keepalive 4; }}
                 server {{
                     listen 127.0.0.1:{port};
                     location = /stub_status {{ stub_status; access_log off; }}
                     location = /hello {{ return 200 hello; }}
                     location /up/ {{ proxy_pass http://app/; proxy_http_version 1.1;
                         proxy_set_header Authorization \"Basic c2VjcmV0\"; }}
                     location /dead/ {{ proxy_pass http://127.0.0.1:{dead}; }}
                 }}
             }}"
        );
        std::fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let process = run(&folder, port);
        Self {
            process,
            port,
            folder,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn stop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(folder: &tempfile::TempDir, port: u16) -> Child {
    let mut process = Command::new(program("nginx"))
        .arg("-p")
        .arg(folder.path())
        .arg("-c")
        .arg(folder.path().join("nginx.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(process.try_wait().unwrap().is_none(), "nginx ended");
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "nginx does not listen"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    process
}

/// A port that refuses connections and that nothing else can take: bound, but not listening.
fn refusing() -> tokio::net::TcpSocket {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    socket
}

fn status_of(url: &str) -> String {
    let asked = Command::new("curl")
        .args([
            "-sS",
            "--noproxy",
            "*",
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            url,
        ])
        .output()
        .unwrap();
    String::from_utf8(asked.stdout).unwrap()
}

/// Workers appear a moment after the master listens.
async fn workers(source: &mut Opened) -> plimsoll_watch::Look {
    let began = Instant::now();
    loop {
        let seen = look(&mut source.collectors[1]).await;
        if value(&seen, "nginx.worker.count", &[]) == Some(2.0) {
            return seen;
        }
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_real_nginx() {
    let upstream = Served::new(&[("/x", "answer")]);
    let dead = refusing();
    let mut nginx = Nginx::start(&upstream.address, dead.local_addr().unwrap().port());
    let mut source = open("nginx", &format!("127.0.0.1:{}", nginx.port), &[]);

    let page = curl(&nginx.url("/stub_status"));
    let requests: f64 = page
        .lines()
        .nth(2)
        .unwrap()
        .split(' ')
        .nth(3)
        .unwrap()
        .parse()
        .unwrap();
    let seen = look(&mut source.collectors[0]).await;
    assert_eq!(value(&seen, "nginx.requests", &[]), Some(requests + 1.0));
    let seen = look(&mut source.collectors[0]).await;
    assert_eq!(
        value(&seen, "nginx.requests", &[]),
        Some(requests + 2.0),
        "one connection"
    );
    // nginx notices a moment later that the connections of curl and of the start have ended.
    let active = [("nginx.connection.state", "active")];
    let (mut seen, began) = (seen, Instant::now());
    while value(&seen, "nginx.connections_current", &active) != Some(1.0) {
        assert!(began.elapsed() < Duration::from_secs(60), "one connection");
        tokio::time::sleep(Duration::from_millis(10)).await;
        seen = look(&mut source.collectors[0]).await;
    }
    assert!(
        seen.facts()[0].value.starts_with("nginx"),
        "{:?}",
        seen.facts()
    );

    let seen = look_at_config(&mut source).await;
    assert!(!seen.contains("c2VjcmV0"), "{seen}");

    let mut now_at = plimsoll_watch::Look::at(now());
    source.collectors[2].collect(&mut now_at).await.unwrap();
    assert_eq!(
        value(&now_at, "nginx.access_log.body_bytes_sent", &[]),
        Some(0.0)
    );
    for _ in 0..3 {
        assert_eq!(curl(&nginx.url("/hello")), "hello");
    }
    assert_eq!(curl(&nginx.url("/up/x")), "answer");
    assert_eq!(curl(&nginx.url("/up/x")), "answer");
    assert_eq!(status_of(&nginx.url("/dead/x")), "502");
    let at = now();
    let mut seen = plimsoll_watch::Look::at(at);
    source.collectors[2].collect(&mut seen).await.unwrap();
    let status = |code| {
        value(
            &seen,
            "nginx.access_log.requests",
            &[("http.response.status_code", code)],
        )
    };
    assert_eq!((status("200"), status("502")), (Some(5.0), Some(1.0)));
    let of = [("server.address", upstream.address.as_str())];
    assert_eq!(
        value(&seen, "nginx.upstream.duration.count", &of),
        Some(2.0)
    );
    assert_eq!(
        value(&seen, "nginx.upstream.connect_time.count", &of),
        Some(2.0)
    );
    assert_eq!(value(&seen, "nginx.request.duration.count", &[]), Some(6.0));
    let refused = [("log.level", "error"), ("nginx.error", "upstream_refused")];
    assert_eq!(value(&seen, "nginx.error_log.events", &refused), Some(1.0));
    let event = seen
        .notes()
        .iter()
        .find(|note| note.kind == NoteKind::Event)
        .unwrap();
    assert_eq!(event.message.id, "watch-nginx-error");
    let off = event.at_unix_ns.unwrap().abs_diff(at);
    assert!(off < 400_000_000_000, "{off}");

    nginx.stop();
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-http-unreachable"
    );
    let gone = look(&mut source.collectors[1]).await;
    assert_eq!(gone.notes()[0].message.id, "watch-nginx-no-process");
    nginx.process = run(&nginx.folder, nginx.port);
    let back = look(&mut source.collectors[0]).await;
    assert!(value(&back, "nginx.requests", &[]).unwrap() < requests + 2.0 + 6.0);
    workers(&mut source).await;
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_nanos()).unwrap()
}

/// All facts of the configuration as one text.
async fn look_at_config(source: &mut Opened) -> String {
    let seen = workers(source).await;
    let facts: Vec<_> = seen
        .facts()
        .iter()
        .map(|fact| format!("{}={}", fact.name, fact.value))
        .collect();
    for wanted in [
        "nginx.events.worker_connections=64",
        "nginx.http.upstream.app.keepalive=4",
        "nginx.worker_processes=2",
    ] {
        assert!(
            facts.iter().any(|fact| fact == wanted),
            "{wanted} in {facts:?}"
        );
    }
    facts.join("\n")
}

#[tokio::test]
async fn without_the_right_to_capture_logs_are_found_and_guessed() {
    let upstream = Served::new(&[]);
    let dead = refusing();
    let nginx = Nginx::start(&upstream.address, dead.local_addr().unwrap().port());
    let spec = Spec {
        source: "nginx".to_owned(),
        address: nginx.url("/stub_status"),
        level: Level::Observe,
        ..Spec::default()
    };
    let mut source = spec.open().unwrap();
    let seen = workers(&mut source).await;
    assert!(seen.facts().iter().all(|fact| fact.name == "process.pid"));
    look(&mut source.collectors[2]).await;
    assert_eq!(status_of(&nginx.url("/dead/x")), "502");
    let seen = look(&mut source.collectors[2]).await;
    let refused = [("log.level", "error"), ("nginx.error", "upstream_refused")];
    assert_eq!(value(&seen, "nginx.error_log.events", &refused), Some(1.0));
    // The log's own format is not the usual one: that is said, and nothing is made up.
    assert!(
        seen.notes()
            .iter()
            .any(|note| note.message.id == "watch-nginx-strange-log")
    );
    assert_eq!(value(&seen, "nginx.request.duration.count", &[]), None);
}

#[tokio::test]
async fn wrong_addresses_and_logs_that_cannot_be_read() {
    let page = Served::new(&[("/stub_status", "<html>")]);
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.log").display().to_string();
    let mut source = open("nginx", &page.address, &[("error-log", &missing)]);
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-nginx-no-status"
    );
    let seen = look(&mut source.collectors[2]).await;
    assert_eq!(seen.notes()[0].message.id, "watch-log-unreadable");
    let mut source = open("nginx", &format!("{}/other", page.address), &[]);
    assert_eq!(
        look_err(&mut source.collectors[0]).await,
        "watch-http-not-found"
    );
    let wrong = try_open("nginx", "http://", &[]).err().unwrap();
    assert_eq!(wrong, "watch-url-wrong");
    let unknown = try_open("nginx", "", &[("max", "1")]).err().unwrap();
    assert_eq!(unknown, "watch-unknown-option");
}

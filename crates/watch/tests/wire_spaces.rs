//! Packets between network namespaces and within them, as containers have them: each counted once, and
//! each process with its container. Needs root, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use support::wire::{during, number};

fn run(program: &str, arguments: &str) {
    let done = Command::new(program)
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert!(done.status.success(), "{program} {arguments}: {done:?}");
}

/// Namespaces with a Python process in them that does what it is told; they end with it.
struct Container {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

const PYTHON: &str = r#"
import http.client, http.server, os, socketserver, subprocess, sys, threading, time
class Serves(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        self.server.work(self)
        self.send_response(200); self.send_header('Content-Length', '5'); self.end_headers()
        self.wfile.write(b'hello')
    def log_message(self, *_): pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64
def serve(at, work):
    s = Server(at, Serves); s.work = work; threading.Thread(target=s.serve_forever, daemon=True).start()
def asks(at):
    c = http.client.HTTPConnection(*at); c.connect(); return c
def ask(c):
    c.request('GET', '/'); r = c.getresponse(); assert r.read() == b'hello'
for line in sys.stdin:
    word, *rest = line.split()
    if word == 'network':
        for text in ('ip link set lo up', 'ip link set eth0 up', 'ip addr add %s/24 dev eth0' % rest[0]):
            subprocess.run(text.split(), check=True)
    elif word == 'name':
        subprocess.run(['hostname', rest[0]], check=True)
    elif word == 'sidecar':
        if os.fork() == 0:
            serve(('127.0.0.1', 9000), lambda _: time.sleep(0.02))
            while os.getppid() != 1: time.sleep(0.1)
            os._exit(0)
    elif word == 'service':
        kept = threading.local()
        def work(_):
            if not hasattr(kept, 'c'): kept.c = asks(('127.0.0.1', 9000))
            ask(kept.c)
        serve(('0.0.0.0', 8000), work)
    elif word == 'ask':
        def many():
            c = asks((rest[0], 8000))
            for _ in range(int(rest[2])): ask(c)
        threads = [threading.Thread(target=many) for _ in range(int(rest[1]))]
        [t.start() for t in threads]; [t.join() for t in threads]
    print('done', flush=True)
"#;

impl Container {
    fn new() -> Self {
        let mut child = Command::new("unshare")
            .args(["--net", "--uts", "python3", "-c", PYTHON])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn does(&mut self, what: &str) {
        writeln!(self.stdin, "{what}").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "done", "{what}");
    }

    /// Joins it to a bridge of our own namespace.
    fn join(&mut self, number: u32, bridge: &str, address: &str) {
        let (pid, end) = (
            self.child.id(),
            format!("plv{number}-{}", std::process::id() % 10_000),
        );
        // Its namespace is there once it responds.
        self.does("nothing");
        run(
            "ip",
            &format!("link add {end} type veth peer name eth0 netns {pid}"),
        );
        run("ip", &format!("link set {end} master {bridge} up"));
        self.does(&format!("network {address}"));
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A bridge that goes with the test.
struct Bridge(String);

impl Bridge {
    fn new() -> Self {
        let name = format!("plb{}", std::process::id() % 10_000);
        run("ip", &format!("link add {name} type bridge"));
        run("ip", &format!("link set {name} up"));
        Self(name)
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["link", "del", &self.0]).output();
    }
}

/// The hops to an address, whoever calls.
fn hops<'a>(report: &'a Value, address: &str) -> Vec<&'a Value> {
    let all = report["hops"].as_array().unwrap().iter();
    all.filter(|hop| hop["server"]["address"] == address)
        .collect()
}

#[test]
fn containers_on_a_bridge_and_a_sidecar_behind_one() {
    let id = Command::new("id").arg("-u").output().unwrap();
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        eprintln!("skipped: namespaces need root");
        return;
    }
    let bridge = Bridge::new();
    let net = format!("10.251.{}", std::process::id() % 250 + 1);
    let (mut caller, mut pod) = (Container::new(), Container::new());
    caller.join(1, &bridge.0, &format!("{net}.1"));
    pod.join(2, &bridge.0, &format!("{net}.2"));
    pod.does("name shop-api");
    pod.does("sidecar");
    pod.does("service");
    // Whose a socket is is looked at now and then: on a busy machine a short load may be over before.
    let is_named = |report: &Value| {
        let mut front = hops(report, &format!("{net}.2:8000")).into_iter();
        front.all(|hop| {
            ["server", "client"]
                .iter()
                .all(|end| hop[end]["process"] != "")
        })
    };
    let mut last = None;
    for _ in 0..5 {
        let Some((report, ())) = during(|| caller.does(&format!("ask {net}.2 4 15"))) else {
            return;
        };
        if is_named(last.insert(report)) {
            break;
        }
    }
    let report = last.unwrap();
    let spaces = &report["spaces"];
    assert_eq!(spaces["refused"], 0, "{spaces}");
    // The caller's has no socket yet; what it sends crosses ours.
    assert!(spaces["entered"].as_u64().unwrap() >= 1, "{spaces}");
    // Of the bridge, its two ends and the namespaces each has every packet.
    let front = hops(&report, &format!("{net}.2:8000"));
    assert_eq!(front.len(), 1, "{report:#}");
    let front = front[0];
    assert_eq!(
        (&front["requests"], &front["connections"]),
        (&60.into(), &4.into()),
        "{front:#}"
    );
    assert_eq!(front["retransmissions"], 0);
    let name = front["server"]["process"].as_str().unwrap();
    assert!(
        name.starts_with("python3") && name.ends_with(" (shop-api)"),
        "{name}"
    );
    let client = front["client"]["process"].as_str().unwrap();
    assert!(client.starts_with("python3["), "{client}");
    // The sidecar's loopback is crossed in its own namespace alone.
    let back: Vec<_> = hops(&report, "127.0.0.1:9000")
        .into_iter()
        .filter(|hop| hop["client"]["process"] == name)
        .collect();
    assert_eq!(back.len(), 1, "{report:#}");
    assert_eq!(back[0]["requests"], 60, "{:#}", back[0]);
    assert!(number(back[0], "/response_ms/mean") >= 20.0);
    assert!(number(front, "/response_ms/mean") >= number(back[0], "/response_ms/mean"));
    let processes = report["processes"].as_array().unwrap();
    let service = processes.iter().find(|one| one["process"] == name).unwrap();
    // What it waits for is what its sidecar has at work.
    let (waits, works) = (
        number(service, "/waiting_for_others"),
        number(back[0], "/in_flight/mean"),
    );
    // Packets that are on their way, as on a busy machine, are in neither.
    let way = |way: &str| {
        let mean = front.pointer(&format!("/transit/{way}/mean"));
        mean.and_then(Value::as_f64).unwrap_or(0.0)
    };
    let on_their_way = (way("to_server_ms") + way("to_client_ms")) / 1e3;
    let near = 1e-6 + on_their_way * number(front, "/requests_per_s");
    assert!((waits - works).abs() < near, "{report:#} {works}");
}

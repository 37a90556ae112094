//! What can be seen with which rights: the same servers are watched by processes that differ in nothing
//! else. What is told is right, and what is not told is said to be missing. Needs root, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use plimsoll_watch::{Level, Look, Moment, Spec};
use serde_json::{Value, json};
use support::mariadb::own_folder;

/// What the watching process is told by.
const TARGET: &str = "PLIMSOLL_RIGHTS_TARGET";
/// Another user than that of the servers.
const STRANGER: &str = "54321";
const NOBODY: &str = "65534";
/// Of the system: whoever is not root can start it.
const PYTHON: &str = "/usr/bin/python3";

/// A server on a port and a socket of the file system, with a file that it writes: as nobody.
const SERVER: &str = "
import os, socket, sys, threading, time
log = open(sys.argv[1] + '/log', 'w')
def serve(listener):
    while True:
        c, _ = listener.accept()
        threading.Thread(target=talk, args=(c,), daemon=True).start()
def talk(c):
    f = c.makefile('rwb')
    for line in f:
        time.sleep(0.05); f.write(line); f.flush()
tcp = socket.socket(); tcp.bind(('127.0.0.1', 0)); tcp.listen(77)
path = socket.socket(socket.AF_UNIX); path.bind(sys.argv[1] + '/socket'); path.listen(50)
os.chmod(sys.argv[1] + '/socket', 0o777)
for l in (tcp, path): threading.Thread(target=serve, args=(l,), daemon=True).start()
print(tcp.getsockname()[1], flush=True)
sys.stdin.read()
";

struct Served {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Self {
        let folder = own_folder();
        let mut child = Command::new("setpriv")
            .args([
                "--reuid",
                NOBODY,
                "--regid",
                NOBODY,
                "--clear-groups",
                PYTHON,
                "-c",
                SERVER,
            ])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap();
        Self {
            child,
            port,
            folder,
        }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps three connections of each kind at work; a fourth at the port is never used.
fn under_load<T>(served: &Served, work: impl FnOnce() -> T) -> T {
    let goes_on = AtomicBool::new(true);
    fn asks(stream: impl std::io::Read + Write, goes_on: &AtomicBool) {
        let mut both = BufReader::new(stream);
        while goes_on.load(Ordering::Relaxed) {
            both.get_mut().write_all(b"x\n").unwrap();
            both.read_line(&mut String::new()).unwrap();
        }
    }
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| asks(UnixStream::connect(served.socket()).unwrap(), &goes_on));
            scope.spawn(|| {
                let stream = std::net::TcpStream::connect(("127.0.0.1", served.port)).unwrap();
                asks(stream, &goes_on);
            });
        }
        // Also where it fails.
        struct Ends<'a>(&'a AtomicBool);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Relaxed);
            }
        }
        let _ends = Ends(&goes_on);
        work()
    })
}

/// What one source tells: values, and ids of what is missing or wrong.
fn told(source: &str) -> Value {
    let mut spec = Spec::parse(source).unwrap();
    spec.level = Level::Capture;
    let mut opened = match spec.open() {
        Ok(opened) => opened,
        Err(trouble) => return json!({ "missing": [trouble.0.id] }),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut look = Look::at(1);
    let mut missing = Vec::new();
    for collector in &mut opened.collectors {
        if let Err(trouble) = runtime.block_on(collector.collect(&mut look)) {
            missing.push(trouble.message.id);
        }
    }
    let mut captures = BTreeMap::new();
    for capture in &mut opened.captures {
        if !["wire", "thread_states"].contains(&capture.kind()) {
            continue;
        }
        match runtime.block_on(capture.take(Moment::Request.into())) {
            Ok(artifacts) => {
                let read = artifacts
                    .iter()
                    .map(|one| serde_json::from_slice::<Value>(&one.bytes).unwrap());
                captures.insert(capture.kind(), read.collect::<Vec<_>>());
            }
            Err(trouble) => missing.push(trouble.message.id),
        }
        missing.extend(capture.lacking().map(|trouble| trouble.message.id));
    }
    missing.extend(look.notes().iter().map(|note| note.message.id.clone()));
    let values: BTreeMap<String, f64> = look
        .points()
        .map(|(key, value)| {
            let attributes: Vec<_> = key
                .attributes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            (format!("{}{{{}}}", key.name, attributes.join(",")), *value)
        })
        .collect();
    json!({ "values": values, "missing": missing, "captures": captures })
}

/// What a process of other rights does; the tests start it so.
#[test]
fn watches() {
    let Ok(target) = std::env::var(TARGET) else {
        return;
    };
    let (pid, port) = target.split_once(' ').unwrap();
    let all = json!({
        "host": told("host"),
        "by_pid": told(&format!("process=pid:{pid}")),
        "by_port": told(&format!("process={port}")),
    });
    println!("\n{all}");
}

/// What is told with such rights.
fn watched(served: &Served, rights: &[&str]) -> Value {
    // Where everybody may go.
    let own = tempfile::tempdir().unwrap();
    let program = own.path().join("watches");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(own.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = match rights {
        [] => Command::new(program),
        rights => {
            let mut command = Command::new("setpriv");
            command.args(rights).arg(program);
            command
        }
    };
    let output = command
        .args(["--exact", "watches", "--nocapture", "--test-threads=1"])
        .env(TARGET, format!("{} {}", served.child.id(), served.port))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with('{'));
    let line = line.unwrap_or_else(|| panic!("{output:?}"));
    serde_json::from_str(line).unwrap()
}

/// A value of a source; none: it is not told.
fn value(all: &Value, source: &str, name: &str) -> Option<f64> {
    all[source]["values"].get(name)?.as_f64()
}

fn misses(all: &Value, source: &str, id: &str) -> bool {
    let missing = all[source]["missing"].as_array().unwrap();
    missing.iter().any(|known| known == id)
}

/// The hops to the server, over its port or its socket.
fn hops<'a>(all: &'a Value, address: &str) -> Vec<&'a Value> {
    let wires = all["host"]["captures"]["wire"].as_array();
    let hops = wires
        .into_iter()
        .flatten()
        .flat_map(|wire| wire["hops"].as_array().unwrap());
    hops.filter(|hop| hop["server"]["address"] == address)
        .collect()
}

/// The mean number of requests in flight of the only hop there.
fn in_flight(all: &Value, address: &str) -> Option<f64> {
    let hops = hops(all, address);
    assert!(hops.len() <= 1, "{hops:#?}");
    hops.first()?["in_flight"]["mean"].as_f64()
}

struct Expected {
    name: &'static str,
    rights: &'static [&'static str],
    /// Packets are looked at.
    packets: bool,
    /// The kernel takes a program that tells of calls.
    calls: bool,
    /// The server's descriptors, states of threads, and who has which socket.
    inside: bool,
}

const NOT: &str = "--bounding-set=-net_raw";
const EACH: &[Expected] = &[
    Expected {
        name: "root",
        rights: &[],
        packets: true,
        calls: true,
        inside: true,
    },
    Expected {
        name: "root without CAP_NET_RAW",
        rights: &[NOT, "--inh-caps=-net_raw"],
        packets: false,
        calls: true,
        inside: true,
    },
    Expected {
        name: "root without CAP_BPF and CAP_SYS_ADMIN",
        rights: &[
            "--bounding-set=-bpf,-sys_admin",
            "--inh-caps=-bpf,-sys_admin",
        ],
        packets: true,
        calls: false,
        inside: true,
    },
    Expected {
        name: "root without CAP_SYS_PTRACE",
        rights: &["--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"],
        packets: true,
        calls: true,
        inside: false,
    },
    Expected {
        name: "the server's own user",
        rights: &["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"],
        packets: false,
        calls: false,
        inside: true,
    },
    Expected {
        name: "another user with CAP_BPF and CAP_PERFMON",
        rights: &[
            "--reuid",
            STRANGER,
            "--regid",
            STRANGER,
            "--clear-groups",
            "--inh-caps=+bpf,+perfmon",
            "--ambient-caps=+bpf,+perfmon",
        ],
        packets: false,
        calls: true,
        inside: false,
    },
    Expected {
        name: "another user",
        rights: &["--reuid", STRANGER, "--regid", STRANGER, "--clear-groups"],
        packets: false,
        calls: false,
        inside: false,
    },
];

/// Whether this kernel has what tells of calls, and this was built with the program.
fn may_be_exact() -> bool {
    use plimsoll_wire::{ProbeRefusal, SocketProbe};
    !matches!(
        SocketProbe::open().err(),
        Some(ProbeRefusal::NotBuilt | ProbeRefusal::NoTypes | ProbeRefusal::NoPoints)
    )
}

fn check(expected: &Expected, all: &Value, served: &Served) {
    let name = expected.name;
    let port = served.port;
    // What the kernel tells everybody.
    let limit = format!("system.tcp.listen.queue.limit{{server.port={port}}}");
    assert_eq!(value(all, "host", &limit), Some(77.0), "{name}");
    assert!(
        value(all, "host", "system.tcp.opens{tcp.open=passive}").is_some(),
        "{name}"
    );
    assert_eq!(
        value(all, "by_pid", "process.worker.count{}"),
        Some(1.0),
        "{name}"
    );
    let threads = value(all, "by_pid", "process.thread.count{}").unwrap();
    assert!((9.0..=10.0).contains(&threads), "{name}: {threads}");
    // What takes the right to look into the process.
    let own = "process.network.connection.count{network.connection.state=established}";
    let (connections, found) = (
        value(all, "by_pid", own),
        value(all, "by_port", "process.worker.count{}"),
    );
    let states = all["by_pid"]["captures"]["thread_states"].as_array();
    match expected.inside {
        true => {
            assert_eq!(
                (connections, found),
                (Some(3.0), Some(1.0)),
                "{name}: {all:#}"
            );
            assert!(states.is_some_and(|states| !states.is_empty()), "{name}");
        }
        false => {
            assert_eq!((connections, found), (None, None), "{name}");
            let files = value(all, "by_pid", "process.unix.file_descriptor.count{}");
            assert_eq!(files, None, "{name}: none is not known");
            assert!(
                misses(all, "by_pid", "watch-process-no-files"),
                "{name}: {all:#}"
            );
            assert!(
                misses(all, "by_port", "watch-process-hidden"),
                "{name}: {all:#}"
            );
        }
    }
    // Requests over TCP take packets.
    let at_port = in_flight(all, &format!("127.0.0.1:{port}"));
    assert_eq!(at_port.is_some(), expected.packets, "{name}");
    assert_eq!(
        misses(all, "host", "watch-wire-refused"),
        !expected.packets,
        "{name}: {all:#}"
    );
    if let Some(mean) = at_port {
        assert!((2.0..=3.01).contains(&mean), "{name}: {mean}");
    }
    // Those over sockets of the file system are sampled where calls may not be looked at; whose they are, and whether
    // they are at work, is then known to whom may look into the processes.
    let address = format!("unix:{}", served.socket().display());
    let by_socket = hops(all, &address);
    let exact = may_be_exact() && expected.calls;
    if expected.inside || exact {
        assert_eq!(by_socket.len(), 1, "{name}: {all:#}");
    }
    for hop in &by_socket {
        assert_eq!(hop["sampled"] == true, !exact, "{name}: {hop:#}");
        assert_eq!(hop["requests"].is_u64(), exact, "{name}: {hop:#}");
    }
    // One lack is told at a time.
    let told = misses(all, "host", "watch-unix-sampled");
    let lacks = expected.packets && !exact && !by_socket.is_empty();
    assert_eq!(told, lacks, "{name}: {all:#}");
    if let Some(mean) = in_flight(all, &address) {
        assert!((2.0..=3.01).contains(&mean), "{name}: {mean}");
    }
    for hop in hops(all, &address)
        .iter()
        .chain(&hops(all, &format!("127.0.0.1:{port}")))
    {
        let server = hop["server"]["process"].as_str().unwrap();
        let wanted = format!("python3[{port}]");
        // Calls tell who called, though not where that listens.
        let by_pid = format!("python3[{}]", served.child.id());
        let is_known = server == wanted || !expected.inside && exact && server == by_pid;
        assert!(
            is_known || server.is_empty() && !expected.inside,
            "{name}: {hop:#}"
        );
    }
}

#[test]
fn what_is_told_is_right_with_whatever_rights() {
    let id = Command::new("id").arg("-u").output().unwrap();
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        eprintln!("skipped: other rights need root");
        return;
    }
    if !std::path::Path::new(PYTHON).exists() {
        eprintln!("skipped: {PYTHON} is not installed");
        return;
    }
    let served = Served::start();
    under_load(&served, || {
        for expected in EACH {
            let all = watched(&served, expected.rights);
            check(expected, &all, &served);
        }
    });
}

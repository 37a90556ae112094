//! Limits of the kernel that real processes come up against, in namespaces, groups and file systems that
//! the tests make: what the sources say of them, beside the kernel's own files.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Source, get, run};

/// A Python process that has done something once it has written a line; it ends with the test.
struct Started {
    child: Child,
    line: String,
}

impl Started {
    /// In namespaces that `unshare` makes by those flags; it becomes Python, so that the number stays.
    fn new(flags: &[&str], text: &str, arguments: &[&str]) -> Self {
        let text = format!("import os, socket, subprocess, sys, time\n{text}\nsys.stdin.read()");
        let mut command = match flags {
            [] => Command::new("python3"),
            flags => {
                let mut command = Command::new("unshare");
                command.args(flags).arg("python3");
                command
            }
        };
        let mut child = command
            .args(["-c", &text])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let line = line.trim().to_owned();
        assert!(!line.is_empty(), "it failed");
        Self { child, line }
    }

    fn source(&self) -> Source {
        Source::open(&format!("process=pid:{}", self.child.id()))
    }

    /// What is said of it.
    fn look(&self) -> HashMap<String, f64> {
        self.source().look()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether this test may make namespaces, mounts and groups; it says so if not.
fn is_root() -> bool {
    let root = run("id", &["-u"]).trim() == "0";
    if !root {
        eprintln!("not root: namespaces, mounts and groups are not tried");
    }
    root
}

/// A group of version 1 that goes with the test.
struct Group(PathBuf);

impl Group {
    fn new(controller: &str) -> Option<Self> {
        let top = Path::new("/sys/fs/cgroup").join(controller);
        if !is_root() || !top.join("cgroup.procs").exists() {
            eprintln!("no group of {controller} can be made here: recorded texts must do");
            return None;
        }
        let folder = top.join(format!("plimsoll-limits-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        Some(Self(folder))
    }

    fn set(&self, file: &str, value: &str) {
        std::fs::write(self.0.join(file), value).unwrap();
    }

    fn get(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap()
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

const JOIN: &str = "open(sys.argv[1] + '/cgroup.procs', 'w').write(str(os.getpid()))";

/// Space or inodes of a file system in memory, by its state.
fn of_mount(look: &HashMap<String, f64>, what: &str, mount: &str, state: &str) -> Option<f64> {
    let name = format!(
        "system.filesystem.{what}{{system.device=tmpfs,system.filesystem.mountpoint={mount},system.filesystem.state={state},system.filesystem.type=tmpfs}}"
    );
    look.get(&name).copied()
}

#[test]
fn a_full_file_system_of_a_container_is_seen_with_the_eyes_of_its_process() {
    if !is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let text = "at = sys.argv[1]\n\
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k,nr_inodes=3', 'tmpfs', at], check=True)\n\
        f = open(at + '/log', 'wb', buffering=0)\n\
        try:\n    while True: f.write(b'x' * 4096)\n\
        except OSError as e: assert e.errno == 28, e\n\
        try:\n    for n in range(9): open(at + '/n%d' % n, 'w').close()\n\
        except OSError as e: assert e.errno == 28, e\n\
        f.close(); print('full', flush=True)";
    let process = Started::new(&["--mount"], text, &[at]);
    let look = process.look();
    assert_eq!(of_mount(&look, "usage", at, "used"), Some(65_536.0));
    assert_eq!(of_mount(&look, "usage", at, "free"), Some(0.0));
    assert_eq!(of_mount(&look, "inodes.usage", at, "free"), Some(0.0));
    assert_eq!(of_mount(&look, "inodes.usage", at, "used"), Some(3.0));
    // This program's own mounts do not have it.
    assert_eq!(
        of_mount(&Source::open("host").look(), "usage", at, "used"),
        None
    );
}

#[test]
fn of_the_hosts_file_systems_a_process_has_those_that_it_writes_to() {
    if !is_root() {
        return;
    }
    // A namespace of the test's own, in which both processes and the watcher would be: the mount is
    // made where all see it, and taken away.
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap().to_owned();
    run("mount", &["-t", "tmpfs", "-o", "size=64k", "tmpfs", &at]);
    let writes = "f = open(sys.argv[1] + '/log', 'wb', buffering=0); f.write(b'x' * 8192)\nprint(1, flush=True)";
    let reads = "f = os.open(sys.argv[1], os.O_RDONLY)\nprint(1, flush=True)";
    let writer = Started::new(&[], writes, &[&at]);
    let reader = Started::new(&[], reads, &[&at]);
    let (written, read) = (writer.look(), reader.look());
    let host = Source::open("host").look();
    drop((writer, reader));
    run("umount", &[&at]);
    assert_eq!(of_mount(&written, "usage", &at, "used"), Some(8192.0));
    assert_eq!(of_mount(&read, "usage", &at, "used"), None);
    assert_eq!(of_mount(&host, "usage", &at, "used"), Some(8192.0));
    assert_eq!(of_mount(&host, "usage", &at, "free"), Some(57_344.0));
}

#[test]
fn tasks_that_a_group_may_not_have_are_counted() {
    let Some(group) = Group::new("pids") else {
        return;
    };
    group.set("pids.max", "3");
    let text = format!(
        "{JOIN}\nrefused = 0\nfor _ in range(6):\n    try:\n        if os.fork() == 0: time.sleep(60); os._exit(0)\n    \
         except BlockingIOError: refused += 1\nprint(refused, flush=True)"
    );
    let process = Started::new(&[], &text, &[group.path()]);
    let look = process.look();
    let events = group.get("pids.events");
    for pid in group.get("cgroup.procs").lines() {
        run("kill", &["-9", pid]);
    }
    let refused: f64 = process.line.parse().unwrap();
    drop(process);
    while !group.get("cgroup.procs").is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(refused, 4.0);
    assert_eq!(events.trim(), "max 4");
    assert_eq!(get(&look, "cgroup.tasks.limited{}"), refused);
    assert_eq!(get(&look, "cgroup.tasks.limit{}"), 3.0);
    assert_eq!(get(&look, "cgroup.tasks{}"), 3.0);
}

#[test]
fn memory_that_a_group_may_not_have_is_counted() {
    let Some(group) = Group::new("memory") else {
        return;
    };
    group.set("memory.limit_in_bytes", "16777216");
    let folder = tempfile::tempdir().unwrap();
    // Cached pages are given back, so that nobody is killed.
    let text = format!(
        "{JOIN}\nf = open(sys.argv[2], 'wb', buffering=0)\nfor _ in range(64): f.write(b'x' * (1 << 20)); os.fsync(f.fileno())\n\
         f.close(); print(1, flush=True)"
    );
    let file = folder.path().join("pages");
    let process = Started::new(&[], &text, &[group.path(), file.to_str().unwrap()]);
    let look = process.look();
    let theirs: f64 = group.get("memory.failcnt").trim().parse().unwrap();
    drop(process);
    assert!(theirs > 0.0);
    assert_eq!(get(&look, "cgroup.memory.limited{}"), theirs);
    assert_eq!(get(&look, "cgroup.memory.limit{}"), 16_777_216.0);
    assert!(
        !look.contains_key("cgroup.memory.high{}"),
        "version 1 has none"
    );
}

#[test]
fn connections_that_a_firewall_tracks_are_counted_in_its_namespace() {
    if !is_root() || !Path::new("/proc/sys/net/netfilter/nf_conntrack_max").exists() {
        eprintln!("no connections are tracked here: recorded texts must do");
        return;
    }
    let text = "def run(text): subprocess.run(text.split(), check=True)\n\
        run('ip link set lo up')\n\
        run('nft add table ip t')\n\
        run('nft add chain ip t c { type filter hook input priority 0 ; }')\n\
        run('nft add rule ip t c ct state new accept')\n\
        s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(33)\n\
        c = [socket.create_connection(s.getsockname()) for _ in range(7)]\n\
        print(open('/proc/sys/net/netfilter/nf_conntrack_count').read().strip(), flush=True)";
    let process = Started::new(&["--net"], text, &[]);
    let look = process.look();
    let theirs: f64 = process.line.parse().unwrap();
    assert_eq!(theirs, 7.0);
    assert_eq!(get(&look, "system.network.conntrack.count{}"), theirs);
    let max = std::fs::read_to_string("/proc/sys/net/netfilter/nf_conntrack_max").unwrap();
    let limit = get(&look, "system.network.conntrack.max{}");
    assert_eq!(limit, max.trim().parse::<f64>().unwrap());
    let dropped = "system.network.conntrack.dropped{conntrack.drop=packet}";
    assert_eq!(get(&look, dropped), 0.0);
}

#[test]
fn syns_that_a_full_queue_drops_are_counted_at_its_port_and_sent_again() {
    if !is_root() {
        return;
    }
    let text = "subprocess.run('ip link set lo up'.split(), check=True)\n\
        s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(1); c = []\n\
        for _ in range(12):\n    o = socket.socket(); o.setblocking(False); o.connect_ex(s.getsockname()); c.append(o)\n\
        print(s.getsockname()[1], flush=True)";
    let process = Started::new(&["--net"], text, &[]);
    let port: u16 = process.line.parse().unwrap();
    let mut source = process.source();
    // Sent again after a second, by the kernel's clock; the test waits for it, however long.
    let look = loop {
        let look = source.look();
        if get(&look, "system.tcp.syn.retransmits{}") > 0.0 {
            break look;
        }
        std::thread::yield_now();
    };
    let at_port = |name: &str| {
        get(
            &look,
            &format!("system.tcp.listen.{name}{{server.port={port}}}"),
        )
    };
    let drops = at_port("socket.drops");
    assert!(drops >= 1.0);
    assert_eq!(
        get(&look, "system.tcp.listen.drops{}"),
        drops,
        "nobody else listens there"
    );
    assert!(get(&look, "system.tcp.listen.overflows{}") >= 1.0);
    assert!(at_port("queue.length") > at_port("queue.limit"));
}

#[test]
fn the_limit_of_descriptors_is_compared_with_the_process_that_has_most() {
    let text = "import resource\nos.closerange(3, 4096)\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\nkept = []\n\
        if os.fork() == 0:\n    time.sleep(60); os._exit(0)\n\
        try:\n    while True: kept.append(open('/dev/null'))\n\
        except OSError as e: assert e.errno == 24, e\n\
        print(1, flush=True)";
    let process = Started::new(&[], text, &[]);
    let look = process.look();
    let children = format!("/proc/{0}/task/{0}/children", process.child.id());
    let children = std::fs::read_to_string(children).unwrap();
    children
        .split_whitespace()
        .for_each(|pid| drop(run("kill", &["-9", pid])));
    assert_eq!(get(&look, "process.unix.file_descriptor.limit{}"), 64.0);
    assert_eq!(get(&look, "process.unix.file_descriptor.peak{}"), 64.0);
    assert!(
        get(&look, "process.unix.file_descriptor.count{}") > 64.0,
        "both of them"
    );
}

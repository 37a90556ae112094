//! What real programs do, as the capture of thread states sees them, beside what they were made to do.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod threads;

use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use plimsoll_watch::{Moment, Seen, Spec, Watcher, WatcherOptions};
use threads::{Program, Taken, near};

/// Threads that wait, each in one way, and say so in their names.
const WAITERS: &str = r#"
import sys, os, socket, threading, time, fcntl, select, subprocess
port, folder = int(sys.argv[1]), sys.argv[2]
def connect():
    s = socket.create_connection(('127.0.0.1', port)); s.recv(1); return s
lock = threading.Lock(); lock.acquire()
listener = socket.socket(); listener.bind(('127.0.0.1', 0)); listener.listen()
reader, writer = os.pipe()
path = os.path.join(folder, 'lock')
held = open(path, 'w'); fcntl.flock(held, fcntl.LOCK_EX)
def locked():
    fcntl.flock(open(path, 'w'), fcntl.LOCK_EX)
def sync():
    with open(os.path.join(folder, 'data'), 'wb', buffering=0) as file:
        while True: file.write(b'x' * 4096); os.fsync(file.fileno())
def child():
    subprocess.Popen(['sleep', '600']).wait()
def timed():
    s = connect(); s.settimeout(500); s.recv(1)
def full():
    s = connect()
    while True: s.send(b'x' * 65536)
def selected():
    s = connect(); select.select([s], [], [], 500)
ways = {
    'lock': lock.acquire, 'nap': lambda: time.sleep(600), 'read': lambda: connect().recv(1),
    'timed': timed, 'select': selected, 'pause': lambda: select.select([], [], [], 600),
    'pipe': lambda: os.read(reader, 1), 'child': child, 'accept': listener.accept,
    'flock': locked, 'full': full, 'sync': sync,
}
def run(name, way):
    with open('/proc/self/task/%d/comm' % threading.get_native_id(), 'w') as f: f.write(name)
    way()
for name, way in ways.items():
    for n in range(3):
        threading.Thread(target=run, args=('%s-%d' % (name, n), way), daemon=True).start()
time.sleep(1)
print('ready', flush=True)
time.sleep(600)
"#;

#[test]
fn threads_wait_where_they_were_made_to() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    // It takes connections, says one byte, and no more.
    let accepting = std::thread::spawn(move || {
        let accept = |_| {
            let (mut connection, _) = server.accept().unwrap();
            connection.write_all(b"x").unwrap();
            connection
        };
        ((0..12).map(accept).collect::<Vec<_>>(), server)
    });
    // fsync does nothing in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = Program::python(
        WAITERS,
        &[&port.to_string(), folder.path().to_str().unwrap()],
    );
    let connections = accepting.join().unwrap();
    let taken = Taken::of(&program);
    drop(connections);
    let own = format!("[{port}]");
    for (class, kind) in [
        ("lock-*", "futex"),
        ("nap-*", "sleep"),
        ("pause-*", "sleep"),
        ("pipe-*", "pipe"),
        ("child-*", "child"),
        ("accept-*", "accept"),
        ("flock-*", "lock_file"),
        ("full-*", "write"),
    ] {
        near(&taken, class, kind, 3.0, 0.1);
        // They were in no other wait all the while.
        let still = taken.class(class)["still"][kind].as_f64().unwrap();
        assert!((still - 3.0).abs() < 0.1, "{class} {still}");
    }
    for class in ["read-*", "timed-*", "select-*"] {
        let read = &taken.class(class)["read"][0];
        assert!(
            (read["number"].as_f64().unwrap() - 3.0).abs() < 0.1,
            "{read}"
        );
        assert_eq!(read["peer"], format!("127.0.0.1:{port}"), "{read}");
        assert!(read["process"].as_str().unwrap().ends_with(&own), "{read}");
        assert!(read.get("is_client").is_none());
        assert_eq!(read["still"], read["number"], "{read}");
    }
    let synced = taken.of_class("sync-*", "fsync") + taken.of_class("sync-*", "disk");
    assert!(synced > 1.0, "{}", taken.text());
    assert!(taken.denied().is_empty());
    assert_eq!(taken.value["threads_looked_at"], taken.value["threads"]);
    taken.sums();
}

/// Reads what the kernel has counted of all threads of a process: s ran, s ready.
fn counted(pid: u32) -> (f64, f64) {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let mut sum = (0.0, 0.0);
    for thread in threads {
        let text = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
        let mut numbers = text
            .split(' ')
            .map(|word| word.trim().parse::<f64>().unwrap());
        sum.0 += numbers.next().unwrap() / 1e9;
        sum.1 += numbers.next().unwrap() / 1e9;
    }
    sum
}

/// More threads than CPUs, all computing; each says what it has used.
const BUSY: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/prctl.h>
static void *burn(void *name) {
    volatile unsigned long n = 0;
    prctl(PR_SET_NAME, name, 0, 0, 0);
    for (;;) n++;
}
static void *idle(void *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
    pause();
    return 0;
}
int main(int count, char **words) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int n = 0; n < atoi(words[1]); n++) pthread_create(&thread, &small, burn, words[3]);
    for (int n = 0; n < atoi(words[2]); n++)
        if (pthread_create(&thread, &small, idle, words[4])) return 1;
    sleep(1);
    puts("ready");
    fflush(stdout);
    pause();
}
"#;

#[test]
fn who_computes_is_counted_by_the_kernel() {
    let program = Program::c(BUSY, &["6", "4", "burn-7", "idle-8"]);
    let (pid, began) = (program.child.id(), Instant::now());
    let before = counted(pid);
    let taken = Taken::of(&program);
    let passed = began.elapsed().as_secs_f64();
    let after = counted(pid);
    let (ran, ready) = ((after.0 - before.0) / passed, (after.1 - before.1) / passed);
    let (running, runnable) = (taken.number("running"), taken.number("runnable"));
    assert!((running - ran).abs() < 0.15 * ran + 0.05, "{running} {ran}");
    assert!(
        (runnable - ready).abs() < 0.3 * ready + 0.2,
        "{runnable} {ready}"
    );
    // All of them want a CPU all the time.
    let wanted = taken.of_class("burn-*", "running") + taken.of_class("burn-*", "runnable");
    assert!((wanted - 6.0).abs() < 0.3, "{}", taken.text());
    near(&taken, "idle-*", "other", 4.0, 0.05);
    taken.sums();
}

#[test]
fn of_ten_thousand_threads_a_part_stands_for_all() {
    let program = Program::c(BUSY, &["1", "9000", "burn-1", "idle-1"]);
    let taken = Taken::of(&program);
    let text = taken.text();
    assert_eq!(taken.value["threads"], 9002);
    let looked_at = taken.number("threads_looked_at");
    assert!((500.0..3000.0).contains(&looked_at), "{text}");
    near(&taken, "idle-*", "threads", 9000.0, 500.0);
    // The process's own count has what the part may not.
    assert!(taken.number("running") > 0.0, "{text}");
    assert!(taken.number("cost_cpu_s") < 1.5, "{text}");
}

/// Threads that come and go: at each moment about four, each for 5 ms.
const SHORT: &str = r"
import threading, time
def short(): time.sleep(0.005)
print('ready', flush=True)
while True:
    threads = [threading.Thread(target=short) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
";

#[test]
fn threads_that_come_and_go_are_seen_by_their_time() {
    let program = Program::python(SHORT, &[]);
    let taken = Taken::of(&program);
    let threads = taken.value["classes"].as_array().unwrap().iter();
    let threads: f64 = threads
        .map(|class| class["threads"].as_f64().unwrap())
        .sum();
    assert!((1.5..8.0).contains(&threads), "{}", taken.text());
    taken.sums();
}

#[test]
fn a_process_that_ends_meanwhile_is_told_of_up_to_its_end() {
    let program = Program::python(
        "import time; print('ready', flush=True); time.sleep(1.2)",
        &[],
    );
    let taken = Taken::of(&program);
    let slept: f64 = taken.value["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| class["sleep"].as_f64().unwrap())
        .sum();
    assert!(slept < 0.9, "{}", taken.text());
    assert_eq!(taken.value["threads"], 0);
    taken.sums();
}

#[test]
fn names_of_threads_are_only_names() {
    let names = [
        ") R 1 (",
        "a\\\"},{",
        "\\xff\\xfe",
        "x y) S 2",
        "\\n1 2 3",
        "{}",
        "<script>",
    ];
    let text = r#"
import threading, time
def run(name):
    with open('/proc/self/task/%d/comm' % threading.get_native_id(), 'wb') as f: f.write(name)
    time.sleep(600)
for name in [NAMES]: threading.Thread(target=run, args=(name,), daemon=True).start()
time.sleep(0.5)
print('ready', flush=True)
time.sleep(600)
"#;
    let listed = names.map(|name| format!("b\"{name}\"")).join(",");
    let program = Program::python(&text.replace("NAMES", &listed), &[]);
    let taken = Taken::of(&program);
    let classes = taken.value["classes"].as_array().unwrap();
    let sleeping: f64 = classes
        .iter()
        .map(|class| class["sleep"].as_f64().unwrap())
        .sum();
    assert!((sleeping - 8.0).abs() < 0.1, "{}", taken.text());
    taken.class(") R * (");
    taken.class("<script>");
    taken.sums();
}

/// Of another user's process `stat` and the kernel's count of times are left.
#[test]
fn without_rights_what_everybody_may_see_is_told() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let program = Program::c(BUSY, &["1", "3", "burn-1", "idle-1"]);
    let address = format!("pid:{}", program.child.id());
    let taken = std::thread::spawn(move || {
        let nobody = rustix::process::Uid::from_raw(65_534);
        rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        Taken::of_process(&address)
    });
    let taken = taken.join().unwrap();
    assert_eq!(taken.denied().as_slice(), ["syscall", "wchan"]);
    let wanted = taken.of_class("burn-*", "running") + taken.of_class("burn-*", "runnable");
    assert!((wanted - 1.0).abs() < 0.1, "{}", taken.text());
    near(&taken, "idle-*", "other", 3.0, 0.05);
    taken.sums();
}

/// What `--watch auto` opens: the server and what it calls, looked at in the same seconds.
#[test]
fn processes_of_a_chain_are_looked_at_together() {
    let back = Program::python(BACK, &[]);
    let front = Program::python(FRONT, &[&back.said]);
    let address = format!("auto=127.0.0.1:{}", front.said);
    let open = move || Spec::parse(&address).unwrap().open().unwrap();
    let mut watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
    let (mut found, began) = (0, Instant::now());
    while found < 2 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
        let is_process =
            |seen: &Seen| matches!(seen, Seen::Fact(_, fact) if fact.name == "process.pid");
        found += watcher
            .drain()
            .iter()
            .filter(|seen| is_process(seen))
            .count();
    }
    watcher.capture(Moment::Knee);
    let taken = watcher.finish().into_iter().filter_map(|seen| match seen {
        Seen::Captured(captured) => Some(captured.artifact),
        _ => None,
    });
    let taken: Vec<_> = taken
        .filter(|artifact| artifact.kind == "thread_states")
        .collect();
    let [one, other] = taken.as_slice() else {
        panic!("{taken:?}");
    };
    let apart = Duration::from_nanos(one.at_unix_ns.abs_diff(other.at_unix_ns));
    assert!(apart < Duration::from_secs(2), "{apart:?}");
    let of_front = [one, other]
        .into_iter()
        .find(|artifact| artifact.entity.name == format!("python3[{}]", front.said));
    let value: serde_json::Value = serde_json::from_slice(&of_front.unwrap().bytes).unwrap();
    let read = &value["classes"][0]["read"][0];
    assert_eq!(
        read["process"],
        format!("python3[{}]", back.said),
        "{value:#}"
    );
}

const BACK: &str = r"
import socket, time
s = socket.create_server(('127.0.0.1', 0)); print('ready', s.getsockname()[1], flush=True)
kept = s.accept(); time.sleep(600)
";
const FRONT: &str = r"
import socket, sys
s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
print('ready', s.getsockname()[1], flush=True); c.recv(1)
";

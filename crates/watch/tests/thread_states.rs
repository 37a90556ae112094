//! What real programs do, as the capture of thread states sees them, beside what they were made to do.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod threads;

use std::io::Write;
use std::net::TcpListener;

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
    }
    let synced = taken.of_class("sync-*", "fsync") + taken.of_class("sync-*", "disk");
    assert!(synced > 1.0, "{}", taken.text());
    assert!(taken.denied().is_empty());
    assert_eq!(taken.value["threads_looked_at"], taken.value["threads"]);
    taken.sums();
}

//! Real servers, as the capture of thread states sees them: a process or a thread for each request,
//! and event loops.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod threads;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use threads::{Program, Taken};

/// A server that takes connections and stays silent.
struct Silent {
    address: SocketAddr,
    taken: Arc<Mutex<Vec<TcpStream>>>,
}

impl Silent {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&taken);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                keep.lock().unwrap().push(connection.unwrap());
            }
        });
        Self { address, taken }
    }

    fn wait_for(&self, connections: usize) {
        let began = Instant::now();
        while self.taken.lock().unwrap().len() < connections {
            assert!(began.elapsed() < Duration::from_secs(60), "nobody came");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn connect_soon(port: u16) -> TcpStream {
    let began = Instant::now();
    loop {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
            return stream;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "nobody listens");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn request(port: u16, path: &str) -> TcpStream {
    let mut stream = connect_soon(port);
    let text = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// Waits until a master has made its workers.
fn has_children(master: &Program, count: usize) {
    let pid = master.child.id();
    let began = Instant::now();
    loop {
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        if children.unwrap().split_ascii_whitespace().count() == count {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no workers");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How many threads of all classes wait for that peer.
fn reading(taken: &Taken, peer: &str) -> f64 {
    let classes = taken.value["classes"].as_array().unwrap().iter();
    let reads = classes.flat_map(|class| class["read"].as_array().unwrap());
    let of = reads.filter(|read| read["peer"] == peer);
    of.map(|read| read["number"].as_f64().unwrap()).sum()
}

const WSGI: &str = r#"
import socket
def app(environ, start):
    s = socket.create_connection(('127.0.0.1', PORT), timeout=500)
    s.recv(1)
    start('200 OK', [])
    return [b'x']
"#;

#[test]
fn workers_of_gunicorn_wait_for_what_their_requests_wait_for() {
    if Command::new("gunicorn").arg("--version").output().is_err() {
        eprintln!("skipped: no gunicorn");
        return;
    }
    let (silent, port) = (Silent::start(), free_port());
    let folder = tempfile::tempdir().unwrap();
    let text = WSGI.replace("PORT", &silent.address.port().to_string());
    std::fs::write(folder.path().join("slow.py"), text).unwrap();
    let mut command = Command::new("gunicorn");
    command
        .args(["-w", "4", "--timeout", "0", "-b"])
        .arg(format!("127.0.0.1:{port}"))
        .arg("slow:app")
        .current_dir(folder.path());
    let server = Program::quiet(command);
    has_children(&server, 4);
    // Three are at work, one is idle, and their master waits.
    let requests: Vec<TcpStream> = (0..3).map(|_| request(port, "/")).collect();
    silent.wait_for(3);
    let taken = Taken::of_process(&port.to_string());
    drop(requests);
    let peer = silent.address.to_string();
    assert!(
        (reading(&taken, &peer) - 3.0).abs() < 0.1,
        "{}",
        taken.text()
    );
    assert_eq!(taken.value["processes"], 5);
    let master = taken.value["classes"].as_array().unwrap().iter();
    let master = master.filter(|class| class["name"].as_str().unwrap().ends_with("(master)"));
    assert_eq!(
        master
            .map(|class| class["threads"].as_f64().unwrap())
            .sum::<f64>(),
        1.0
    );
    assert!(
        taken.entity.ends_with(&format!("[{port}]")),
        "{}",
        taken.entity
    );
    taken.sums();
}

#[test]
fn children_of_php_fpm_wait_for_what_their_requests_wait_for() {
    let program = "/usr/sbin/php-fpm8.2";
    if !std::path::Path::new(program).exists() {
        eprintln!("skipped: no {program}");
        return;
    }
    let (silent, port) = (Silent::start(), free_port());
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let script = format!(
        "<?php $s = stream_socket_client('tcp://{}'); fread($s, 1);",
        silent.address
    );
    std::fs::write(at("slow.php"), script).unwrap();
    let config = format!(
        "[global]\nerror_log = {}\ndaemonize = no\n[www]\nlisten = 127.0.0.1:{port}\n\
         user = root\ngroup = root\npm = static\npm.max_children = 4\n",
        at("log")
    );
    std::fs::write(at("fpm.conf"), config).unwrap();
    let mut command = Command::new(program);
    command.args(["-R", "-n", "-y", &at("fpm.conf")]);
    let server = Program::quiet(command);
    has_children(&server, 4);
    let requests: Vec<TcpStream> = (0..3).map(|_| fast_cgi(port, &at("slow.php"))).collect();
    silent.wait_for(3);
    let taken = Taken::of_process(&port.to_string());
    drop(requests);
    let peer = silent.address.to_string();
    assert!(
        (reading(&taken, &peer) - 3.0).abs() < 0.1,
        "{}",
        taken.text()
    );
    assert_eq!(taken.value["processes"], 5);
    let accepting = taken.of_class("php-fpm*.*", "accept");
    assert!((accepting - 1.0).abs() < 0.1, "{}", taken.text());
    taken.sums();
}

/// A request of FastCGI for a script.
fn fast_cgi(port: u16, script: &str) -> TcpStream {
    fn record(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).unwrap().to_be_bytes();
        let mut bytes = vec![1, kind, 0, 1, length[0], length[1], 0, 0];
        bytes.extend(body);
        bytes
    }
    let mut parameters = Vec::new();
    for (name, value) in [("SCRIPT_FILENAME", script), ("REQUEST_METHOD", "GET")] {
        parameters.extend([name.len() as u8, value.len() as u8]);
        parameters.extend(name.bytes().chain(value.bytes()));
    }
    let mut stream = connect_soon(port);
    let mut bytes = record(1, &[0, 1, 0, 0, 0, 0, 0, 0]);
    bytes.extend(record(4, &parameters));
    bytes.extend([record(4, &[]), record(5, &[])].concat());
    stream.write_all(&bytes).unwrap();
    stream
}

/// A server of one loop, which computes 20 ms for each request.
const NODE: &str = r"
const http = require('http'), fs = require('fs');
http.createServer((request, response) => {
  const end = process.cpuUsage().user + 20000;
  while (process.cpuUsage().user < end);
  response.end('x');
}).listen(0, '127.0.0.1', function () { console.log('ready ' + this.address().port); });
";

const ASYNCIO: &str = r"
import asyncio, time
async def serve(reader, writer):
    while await reader.read(1000):
        end = time.thread_time() + 0.02
        while time.thread_time() < end: pass
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx')
async def main():
    server = await asyncio.start_server(serve, '127.0.0.1', 0)
    print('ready', server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
";

/// Sends a request every 60 ms over each of two connections until it is dropped.
struct Load(Arc<AtomicUsize>);

impl Load {
    fn on(port: u16) -> Self {
        let going = Arc::new(AtomicUsize::new(1));
        for _ in 0..2 {
            let going = Arc::clone(&going);
            let mut stream = request(port, "/");
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while going.load(Ordering::SeqCst) == 1 {
                    let _ = stream.read(&mut bytes);
                    std::thread::sleep(Duration::from_millis(60));
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
                }
            });
        }
        Self(going)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

fn only_loop(program: &Program) -> (Value, Taken) {
    let _load = Load::on(program.said.parse().unwrap());
    std::thread::sleep(Duration::from_millis(300));
    let taken = Taken::of(program);
    let loops = taken.loops();
    assert_eq!(loops.len(), 1, "{}", taken.text());
    (loops[0].clone(), taken)
}

#[test]
fn the_loop_of_node_is_told_of() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: no node");
        return;
    }
    let mut command = Command::new("node");
    command.args(["-e", NODE]);
    let program = Program::start(command);
    let (found, taken) = only_loop(&program);
    let share = |name: &str| found[name].as_f64().unwrap();
    assert_eq!(found["tid"], program.child.id(), "{found}");
    assert!(share("running") + share("runnable") > 0.1, "{found}");
    let sum = share("running") + share("runnable") + share("polling") + share("blocked");
    assert!((sum - 1.0).abs() < 0.01, "{found}");
    taken.sums();
}

#[test]
fn a_loop_of_no_known_name_is_what_alone_polls_and_works() {
    let program = Program::python(ASYNCIO, &[]);
    let (found, _) = only_loop(&program);
    let share = |name: &str| found[name].as_f64().unwrap();
    assert!(share("running") + share("runnable") > 0.1, "{found}");
    assert!(share("blocked") < 0.1, "{found}");
}

/// Ten threads wait for bytes of a silent server, with a time limit, as drivers of databases do.
const JAVA: &str = r#"
import java.net.*;
public class Waits {
    public static void main(String[] args) throws Exception {
        for (int n = 0; n < 10; n++) {
            Thread thread = new Thread(() -> {
                try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(args[0]))) {
                    socket.setSoTimeout(600_000);
                    socket.getInputStream().read();
                } catch (Exception e) { throw new RuntimeException(e); }
            }, "db-" + n);
            thread.start();
        }
        Thread.sleep(2000);
        System.out.println("ready");
        Thread.sleep(600_000);
    }
}
"#;

#[test]
fn reads_with_a_time_limit_of_java_are_reads() {
    let silent = Silent::start();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Waits.java");
    std::fs::write(&source, JAVA).unwrap();
    let mut command = Command::new("java");
    command.args(["-Xshare:auto", "-Xmx64m"]).arg(&source);
    command.arg(silent.address.port().to_string());
    if Command::new("java").arg("-version").output().is_err() {
        eprintln!("skipped: no java");
        return;
    }
    let program = Program::start(command);
    silent.wait_for(10);
    let taken = Taken::of(&program);
    let read = &taken.class("db-*")["read"][0];
    assert_eq!(read["peer"], silent.address.to_string(), "{read}");
    assert!(
        (read["number"].as_f64().unwrap() - 10.0).abs() < 0.2,
        "{read}"
    );
    taken.sums();
}

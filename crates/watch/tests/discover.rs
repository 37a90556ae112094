//! Discovery around a real chain: nginx in front of a JVM, Redis behind it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::{Discovered, Level, Spec, around};

/// A process that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // nginx' master takes its workers with it on SIGTERM only.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const APP: &str = r#"
import com.sun.net.httpserver.HttpServer;
import java.net.*;
public class App {
    public static void main(String[] args) throws Exception {
        Socket cache = new Socket("127.0.0.1", Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
        server.createContext("/", exchange -> {
            boolean actuator = exchange.getRequestURI().getPath().equals("/actuator");
            byte[] body = (actuator ? "{\"_links\":{\"self\":{}}}" : "hello").getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        System.out.println(server.getAddress().getPort());
        System.out.flush();
        System.in.read();
        cache.close();
    }
}
"#;

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn wait_for(port: u16) {
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "nobody at {port}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn redis(folder: &Path, port: u16) -> Server {
    let child = Command::new("redis-server")
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
        ])
        .arg("--dir")
        .arg(folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server(child);
    wait_for(port);
    server
}

fn app(folder: &Path, cache: u16) -> (Server, u16) {
    let file = folder.join("App.java");
    std::fs::write(&file, APP).unwrap();
    let child = Command::new("java")
        .args(["-Xmx64m", "-XX:TieredStopAtLevel=1"])
        .arg(&file)
        .arg(cache.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Server(child);
    let mut line = String::new();
    let stdout = server.0.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    (server, line.trim().parse().unwrap())
}

fn nginx(folder: &Path, port: u16, app: u16) -> Server {
    let own = folder.display();
    let settings = format!(
        "daemon off; worker_processes 1; pid {own}/nginx.pid; error_log {own}/error.log;\n\
         events {{ worker_connections 64; }}\n\
         http {{ access_log off; client_body_temp_path {own}/a; proxy_temp_path {own}/b;\n\
         fastcgi_temp_path {own}/c; uwsgi_temp_path {own}/d; scgi_temp_path {own}/e;\n\
         upstream app {{ server 127.0.0.1:{app}; keepalive 4; }}\n\
         server {{ listen 127.0.0.1:{port}; location = /nginx_status {{ stub_status; }}\n\
         location / {{ proxy_pass http://app; proxy_http_version 1.1;\n\
         proxy_set_header Connection \"\"; }} }} }}\n"
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, settings).unwrap();
    let nginx = Command::new("nginx")
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .arg("-c")
        .arg(&file)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server(nginx);
    wait_for(port);
    server
}

fn call(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET / HTTP/1.0\r\nHost: x\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.ends_with("hello"), "{text}");
}

fn addresses(found: &Discovered, source: &str) -> Vec<String> {
    let specs = found.specs.iter().filter(|spec| spec.source == source);
    let mut all: Vec<_> = specs.map(|spec| spec.address.clone()).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_chain_is_found_from_each_of_its_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (cache_port, front_port) = (free_port(), free_port());
    let _cache = redis(folder.path(), cache_port);
    let (app, app_port) = app(folder.path(), cache_port);
    let _front = nginx(folder.path(), front_port, app_port);
    // Its connection to the application stays.
    call(front_port);
    let mut ports = vec![cache_port, app_port, front_port]
        .into_iter()
        .map(|port| port.to_string())
        .collect::<Vec<_>>();
    ports.sort_unstable();
    for target in [app_port, front_port] {
        let found = around(&format!("localhost:{target}"), Level::Observe);
        let of = |source: &str| addresses(&found, source);
        assert_eq!(of("host"), [""], "{found:#?}");
        assert_eq!(of("process"), ports, "{found:#?}");
        assert_eq!(of("jvm"), [app_port.to_string()]);
        assert_eq!(of("redis"), [format!("127.0.0.1:{cache_port}")]);
        assert_eq!(
            of("nginx"),
            [format!("http://127.0.0.1:{front_port}/nginx_status")]
        );
        let actuator = format!("http://127.0.0.1:{app_port}/actuator");
        assert_eq!(of("actuator"), [actuator.as_str()]);
        let spec = found
            .specs
            .iter()
            .find(|spec| spec.address == actuator)
            .unwrap();
        assert_eq!(spec.options["name"], format!("java[{app_port}]"));
        // Host and processes can be looked at as they were found.
        for spec in found.specs.iter().filter(|spec| spec.source == "process") {
            assert!(
                common::Source::of(spec)
                    .look()
                    .contains_key("process.thread.count{}")
            );
        }
        let ids: Vec<_> = found.notes.iter().map(|note| note.id.as_str()).collect();
        assert_eq!(
            ids.iter().filter(|id| **id == "watch-auto-found").count(),
            3,
            "{ids:?}"
        );
    }
    drop(app);
    let found = around(&format!("127.0.0.1:{app_port}"), Level::Observe);
    assert_eq!(found.specs.len(), 1);
    assert_eq!(found.notes[0].id, "watch-auto-nobody");
}

#[test]
fn workers_of_a_queue_are_found_and_callers_of_the_target_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (queue_port, port) = (free_port(), free_port());
    let _queue = redis(folder.path(), queue_port);
    let calls = "
import socket, sys, time
behind = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
if len(sys.argv) > 2:
    front = socket.create_server(('127.0.0.1', int(sys.argv[2])))
print('ready', flush=True)
time.sleep(600)
";
    let python = |ports: &[u16]| {
        let mut command = Command::new("python3");
        command.args(["-c", calls]);
        command.args(ports.iter().map(u16::to_string));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout)
            .read_line(&mut String::new())
            .unwrap();
        Server(child)
    };
    let _target = python(&[queue_port, port]);
    let worker = python(&[queue_port]);
    let _caller = python(&[port]);
    let found = around(&format!("127.0.0.1:{port}"), Level::Observe);
    let mut wanted = vec![
        queue_port.to_string(),
        port.to_string(),
        format!("pid:{}", worker.0.id()),
    ];
    wanted.sort_unstable();
    assert_eq!(addresses(&found, "process"), wanted, "{found:#?}");
}

#[test]
fn what_is_elsewhere_is_said() {
    // Of a range that is kept for documentation.
    let found = around("192.0.2.1:80", Level::Observe);
    assert_eq!(found.specs, Vec::<Spec>::new());
    assert_eq!(found.notes[0].id, "watch-auto-elsewhere");
    let found = around("no-port", Level::Observe);
    assert_eq!(found.notes[0].id, "watch-auto-no-address");
}

#[test]
fn who_is_called_by_a_socket_of_the_file_system_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, port) = (folder.path().join("app.sock"), free_port());
    // It accepts nobody.
    let serves = "
import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(5)
time.sleep(600)
";
    let calls = "
import socket, sys, time
behind = socket.socket(socket.AF_UNIX)
behind.connect(sys.argv[1])
front = socket.socket()
front.bind(('127.0.0.1', int(sys.argv[2])))
front.listen(5)
time.sleep(600)
";
    let python = |program: &str| {
        let mut command = Command::new("python3");
        command.args(["-c", program]).arg(&socket);
        command
    };
    let behind = Server(python(serves).spawn().unwrap());
    let began = Instant::now();
    while std::os::unix::net::UnixStream::connect(&socket).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut front = python(calls);
    let _front = Server(front.arg(port.to_string()).spawn().unwrap());
    wait_for(port);
    let found = around(&format!("127.0.0.1:{port}"), Level::Observe);
    let wanted = [port.to_string(), format!("pid:{}", behind.0.id())];
    assert_eq!(addresses(&found, "process"), wanted);
}

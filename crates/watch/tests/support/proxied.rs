//! nginx before a service.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Process, free_port, program};

/// A service that takes its time for each request, in a process of its own.
pub fn slow_service(port: u16) -> Process {
    let program = "
import http.server, socketserver, sys, time
class Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        time.sleep(0.02)
        self.send_response(200)
        self.send_header('Content-Length', '5')
        self.end_headers()
        self.wfile.write(b'hello')
    def log_message(self, *_): pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128
Server(('127.0.0.1', int(sys.argv[1])), Slow).serve_forever()
";
    Process::start("python3", port, &["-c", program, &port.to_string()])
}

pub struct Nginx {
    pub process: Child,
    pub port: u16,
    pub http2: u16,
    /// Where it tells how many connections it has.
    pub status: u16,
    pub folder: tempfile::TempDir,
}

impl Nginx {
    pub fn before(upstream: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [port, http2, status] = [(); 3].map(|()| free_port());
        let home = folder.path().display();
        let config = format!(
            "worker_processes 2; daemon off; pid {home}/pid; error_log {home}/error.log warn;
             events {{ worker_connections 64; }}
             http {{
                 client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f;
                 uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
                 log_format timed '$server_port $request_time $upstream_response_time';
                 access_log {home}/access.log timed;
                 upstream app {{ server 127.0.0.1:{upstream}; keepalive 8; }}
                 server {{
                     listen 127.0.0.1:{port};
                     listen 127.0.0.1:{http2} http2;
                     location / {{ proxy_pass http://app; proxy_http_version 1.1;
                         proxy_set_header Connection ''; }}
                 }}
                 server {{ listen 127.0.0.1:{status}; location / {{ stub_status; access_log off; }} }}
             }}"
        );
        std::fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let process = Command::new(program("nginx"))
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
            assert!(began.elapsed() < Duration::from_secs(60), "nginx is not up");
            std::thread::sleep(Duration::from_millis(10));
        }
        Self {
            process,
            port,
            http2,
            status,
            folder,
        }
    }

    /// Requests that came in at a port, by its own log.
    pub fn logged(&self, port: u16) -> usize {
        let log = std::fs::read_to_string(self.folder.path().join("access.log")).unwrap();
        let begin = format!("{port} ");
        log.lines().filter(|line| line.starts_with(&begin)).count()
    }

    /// The log is written after the response.
    pub fn logged_at_least(&self, port: u16, count: usize) -> usize {
        let began = Instant::now();
        while self.logged(port) < count && began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.logged(port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

/// Asks so often on one connection; how long each took, milliseconds, and the connection, which is
/// seen to be this program's while it is there.
pub fn http(port: u16, count: usize) -> (Vec<f64>, TcpStream) {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut asks, mut responses) = (stream.try_clone().unwrap(), BufReader::new(stream));
    let mut took = Vec::new();
    for _ in 0..count {
        let began = Instant::now();
        asks.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        loop {
            let mut line = String::new();
            responses.read_line(&mut line).unwrap();
            if line == "\r\n" {
                break;
            }
        }
        responses.read_exact(&mut [0; 5]).unwrap();
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    (took, asks)
}

//! Hops by sockets of the file system, beside what is known of real servers and their clients. Needs
//! `CAP_NET_RAW` as the wire does, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::mariadb::own_folder;
use support::postgres::as_nobody;
use support::wire::{number, report, take};
use support::{free_port, program};

/// A process that ends with the test.
struct Runs(Child);

impl Runs {
    /// Starts it; it is up as soon as something is there.
    fn start(command: &mut Command, is_up: impl Fn() -> bool) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut own = Self(command.spawn().unwrap());
        let began = Instant::now();
        while !is_up() {
            assert!(own.0.try_wait().unwrap().is_none(), "it ended");
            assert!(began.elapsed() < Duration::from_secs(60), "it is not up");
            std::thread::sleep(Duration::from_millis(20));
        }
        own
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.0.wait();
    }
}

/// The capture, while so many threads do something again and again; none without the right.
fn under(threads: usize, work: impl Fn(usize, &AtomicBool) + Sync) -> Option<Value> {
    let goes_on = AtomicBool::new(true);
    let taken = std::thread::scope(|scope| {
        for number in 0..threads {
            let (work, goes_on) = (&work, &goes_on);
            scope.spawn(move || work(number, goes_on));
        }
        std::thread::sleep(Duration::from_millis(500));
        let taken = take();
        goes_on.store(false, Ordering::Relaxed);
        taken
    });
    report(&taken)
}

/// The only hop to a socket.
fn hop<'a>(report: &'a Value, path: &Path) -> &'a Value {
    let address = format!("unix:{}", path.display());
    let all = report["hops"].as_array().unwrap().iter();
    let found: Vec<_> = all
        .filter(|hop| hop["server"]["address"] == address.as_str())
        .collect();
    assert_eq!(found.len(), 1, "{report:#}");
    assert_eq!(
        (&found[0]["protocol"], &found[0]["sampled"]),
        (&"unix".into(), &true.into())
    );
    assert!(found[0]["requests"].is_null() && found[0]["response_ms"].is_null());
    assert!(
        report["sampling"]["looks"].as_u64().unwrap() >= 10,
        "{:#}",
        report["sampling"]
    );
    assert!(report["sampling"]["cost_cpu_s"].as_f64().unwrap() > 0.0);
    found[0]
}

/// Asks again and again on one connection.
fn ask(port: u16, goes_on: &AtomicBool) {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (mut asks, mut responses) = (stream.try_clone().unwrap(), BufReader::new(stream));
    while goes_on.load(Ordering::Relaxed) {
        asks.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            responses.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        responses.read_exact(&mut vec![0; length]).unwrap();
    }
}

/// nginx on a port, with what one location does.
fn nginx(folder: &Path, location: &str) -> (Runs, u16) {
    let (home, port) = (folder.display(), free_port());
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary.map(|name| format!("{name}_temp_path {home}/{name};"));
    let config = format!(
        "daemon off; pid {home}/pid; error_log {home}/nginx.log; events {{}}
         http {{ access_log off; {} server {{ listen 127.0.0.1:{port}; location / {{ {location} }} }} }}",
        temporary.concat()
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, config).unwrap();
    let mut command = Command::new(program("nginx"));
    let up = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    (Runs::start(command.arg("-c").arg(file), up), port)
}

/// PHP-FPM with two children that listens there, and what a proxy's location must say of it.
fn php_fpm(folder: &Path, listens: &str, is_up: impl Fn() -> bool) -> (Runs, String) {
    let (home, script) = (folder.display(), folder.join("slow.php"));
    let pool = format!(
        "[global]\nerror_log = {home}/fpm.log\n[web]\nlisten = {listens}\nlisten.mode = 0666\n\
         pm = static\npm.max_children = 2\n"
    );
    let body = "<?php usleep(50000); header('Content-Length: 5'); echo 'hello';";
    std::fs::write(folder.join("pool"), pool).unwrap();
    std::fs::write(&script, body).unwrap();
    let programs = std::fs::read_dir("/usr/sbin").unwrap();
    let programs = programs.map(|entry| entry.unwrap().path().display().to_string());
    let fpm = programs
        .filter(|path| path.starts_with("/usr/sbin/php-fpm"))
        .max();
    let fpm = fpm.expect("PHP-FPM is not installed: run tools/setup.sh test");
    let mut command = as_nobody(&fpm);
    let command = command.args(["-n", "-F", "-y", &format!("{home}/pool")]);
    let location = format!(
        "fastcgi_param SCRIPT_FILENAME {}; fastcgi_param REQUEST_METHOD GET; fastcgi_pass ",
        script.display()
    );
    (Runs::start(command, is_up), location)
}

#[test]
fn a_proxy_before_php_fpm() {
    let folder = own_folder();
    let socket = folder.path().join("php.sock");
    let up = || UnixStream::connect(&socket).is_ok();
    let (_fpm, location) = php_fpm(folder.path(), &socket.display().to_string(), up);
    let own = tempfile::tempdir().unwrap();
    let location = format!("{location} unix:{};", socket.display());
    let (_nginx, port) = nginx(own.path(), &location);
    let Some(report) = under(8, |_, goes_on| ask(port, goes_on)) else {
        return;
    };
    let hop = hop(&report, &socket);
    let name = |end: &str| hop[end]["process"].as_str().unwrap();
    assert!(
        name("client").starts_with(&format!("nginx[{port}")),
        "{hop:#}"
    );
    assert!(name("server").starts_with("php-fpm"), "{hop:#}");
    assert_eq!(
        (&hop["decided"], &hop["client"]["is_generator"]),
        (&true.into(), &false.into())
    );
    assert!(number(hop, "/opened") > 10.0 && number(hop, "/closed") > 10.0);
    // Two of eight work at a time, and six wait: where the machine is busy, some are elsewhere.
    let (mean, queued) = (number(hop, "/in_flight/mean"), number(hop, "/accept_queue"));
    assert!(
        (6.0..=8.01).contains(&mean) && number(hop, "/in_flight/max") <= 8.0,
        "{hop:#}"
    );
    assert!((1.5..=2.5).contains(&(mean - queued)), "{hop:#}");
    let processes = report["processes"].as_array().unwrap();
    let of = |name: &str| processes.iter().find(|one| one["process"] == name).unwrap();
    let (proxy, php) = (of(name("client")), of(name("server")));
    assert!((number(php, "/in_flight/mean") - mean).abs() < 1e-9);
    let all = number(proxy, "/in_flight/mean");
    assert!(
        number(proxy, "/waiting_for_others") > 0.8 * all,
        "{proxy:#}"
    );
    assert!(number(proxy, "/inside/mean") < 0.2 * all, "{proxy:#}");
}

#[test]
fn php_fpm_behind_a_port_has_its_requests_counted() {
    let folder = own_folder();
    let address = format!("127.0.0.1:{}", free_port());
    let up = || TcpStream::connect(&address).is_ok();
    let (_fpm, location) = php_fpm(folder.path(), &address, up);
    let own = tempfile::tempdir().unwrap();
    let (_nginx, port) = nginx(own.path(), &format!("{location} {address};"));
    let Some(report) = under(8, |_, goes_on| ask(port, goes_on)) else {
        return;
    };
    let hops = report["hops"].as_array().unwrap().iter();
    let mut fastcgi = hops.filter(|hop| hop["server"]["address"] == address.as_str());
    let hop = fastcgi.find(|hop| hop["protocol"] == "fastcgi").unwrap();
    let name = |end: &str| hop[end]["process"].as_str().unwrap();
    assert!(name("client").starts_with("nginx["), "{hop:#}");
    assert!(name("server").starts_with("php-fpm"), "{hop:#}");
    let processes = report["processes"].as_array().unwrap();
    let mut came = processes
        .iter()
        .filter(|one| one["process"] == name("client"));
    let proxy = came.next().unwrap();
    // Each request has a connection of its own; those at the edges are in one of the two.
    let requests = number(hop, "/requests");
    let by_proxy = number(proxy, "/requests_per_s") * number(&report, "/lasts_ms") / 1e3;
    assert!(
        (requests - by_proxy).abs() <= 10.0,
        "{requests} of {by_proxy}"
    );
    let waiting = number(proxy, "/waiting_for_others");
    assert!(
        waiting > 0.8 * number(proxy, "/in_flight/mean"),
        "{proxy:#}"
    );
}

#[test]
fn keep_alive_connections_are_at_work_for_a_part_of_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("app.sock");
    let server = "
import socketserver, sys, time
class Slow(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            time.sleep(0.06)
            self.wfile.write(line)
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 50
Server(sys.argv[1], Slow).serve_forever()
";
    let mut command = Command::new("python3");
    let command = command.args(["-c", server]).arg(&socket);
    let _server = Runs::start(command, || UnixStream::connect(&socket).is_ok());
    let asks = |number: usize, goes_on: &AtomicBool| {
        let stream = UnixStream::connect(&socket).unwrap();
        let (mut asks, mut responses) = (stream.try_clone().unwrap(), BufReader::new(stream));
        std::thread::sleep(Duration::from_millis(17 * number as u64));
        while goes_on.load(Ordering::Relaxed) {
            // One is never asked anything.
            if number > 0 {
                asks.write_all(b"x\n").unwrap();
                responses.read_line(&mut String::new()).unwrap();
            }
            std::thread::sleep(Duration::from_millis(60));
        }
    };
    let Some(report) = under(9, asks) else { return };
    let hop = hop(&report, &socket);
    assert_eq!(
        (&hop["decided"], &hop["client"]["is_generator"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        (number(hop, "/connections"), number(hop, "/opened")),
        (9.0, 0.0)
    );
    let name = hop["server"]["process"].as_str().unwrap();
    assert!(name.starts_with("python3["), "{name}");
    // Half of the time of eight.
    let mean = number(hop, "/in_flight/mean");
    assert!(
        (2.8..=5.2).contains(&mean) && number(hop, "/in_flight/max") <= 8.0,
        "{hop:#}"
    );
    assert_eq!(number(hop, "/accept_queue"), 0.0);
}

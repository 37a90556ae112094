//! Hops by sockets of the file system, beside what is known of real servers and their clients. Needs
//! `CAP_NET_RAW` as the wire does, and says so without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::mariadb::{MariaDb, own_folder};
use support::postgres::{Postgres, as_nobody};
use support::wire::{during, number, report, take};
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
    assert_eq!(found[0]["protocol"], "unix");
    found[0]
}

/// Whether calls were looked at; without the right hops are sampled, and it is said why.
fn is_exact(report: &Value, hop: &Value) -> bool {
    if let Some(reason) = report["calls_refused"].as_str() {
        eprintln!("sampled: {reason}");
        assert_eq!(hop["sampled"], true);
        assert!(hop["requests"].is_null() && hop["response_ms"].is_null());
        assert!(report["calls"].is_null());
        assert!(report["sampling"]["looks"].as_u64().unwrap() >= 10);
        assert!(number(report, "/sampling/cost_cpu_s") > 0.0);
        return false;
    }
    assert!(hop["sampled"].is_null() && report["sampling"].is_null());
    assert_eq!(number(report, "/calls/lost"), 0.0);
    assert!(number(report, "/calls/cost_cpu_s") > 0.0, "{report:#}");
    eprintln!("{}", report["calls"]);
    true
}

/// Asks again and again on one connection.
fn ask(port: u16, goes_on: &AtomicBool) {
    ask_while(port, || goes_on.load(Ordering::Relaxed));
}

fn ask_while(port: u16, mut goes_on: impl FnMut() -> bool) {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (mut asks, mut responses) = (stream.try_clone().unwrap(), BufReader::new(stream));
    while goes_on() {
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
         http {{ log_format times '$upstream_response_time'; access_log {home}/times times; {} server {{ listen 127.0.0.1:{port}; location / {{ {location} }} }} }}",
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
    if is_exact(&report, hop) {
        let (requests, took) = (number(hop, "/requests"), number(hop, "/response_ms/mean"));
        let per_s = number(hop, "/requests_per_s") / 1e3;
        // By Little's law, but for those at the edges.
        let mean = number(hop, "/in_flight/mean");
        assert!((per_s * took - mean).abs() < 0.15 * mean, "{hop:#}");
        assert!((requests - number(hop, "/closed")).abs() <= 10.0, "{hop:#}");
    }
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
    // At one nothing ever happens: looks at the sockets see it all the same.
    let connections = if is_exact(&report, hop) { 8.0 } else { 9.0 };
    assert_eq!(
        (number(hop, "/connections"), number(hop, "/opened")),
        (connections, 0.0)
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

/// Times that a server wrote down, one a line, as milliseconds.
fn logged(file: &Path, unit_ms: f64) -> Vec<f64> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines();
    lines
        .map(|line| line.parse::<f64>().unwrap() * unit_ms)
        .collect()
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

#[test]
fn each_request_to_php_fpm_is_counted_and_timed_as_nginx_does() {
    let folder = own_folder();
    let socket = folder.path().join("php.sock");
    let up = || UnixStream::connect(&socket).is_ok();
    let (_fpm, location) = php_fpm(folder.path(), &socket.display().to_string(), up);
    let own = tempfile::tempdir().unwrap();
    let location = format!("{location} unix:{};", socket.display());
    let (_nginx, port) = nginx(own.path(), &location);
    let times = own.path().join("times");
    let work = || {
        std::fs::write(&times, "").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut left = 0..6;
                    ask_while(port, || left.next().is_some());
                });
            }
        });
    };
    let Some((report, ())) = during(work) else {
        return;
    };
    let hop = hop(&report, &socket);
    if !is_exact(&report, hop) {
        return;
    }
    let logged = logged(&times, 1e3);
    assert_eq!((number(hop, "/requests"), logged.len()), (24.0, 24));
    assert_eq!(number(hop, "/unfinished"), 0.0);
    assert_eq!(
        (number(hop, "/opened"), number(hop, "/closed")),
        (24.0, 24.0)
    );
    // nginx counts whole milliseconds, connecting, and until it has a CPU to take the response.
    let (took, by_nginx) = (number(hop, "/response_ms/mean"), mean(&logged));
    let within = 0.75 * by_nginx..by_nginx + 1.0;
    assert!(within.contains(&took), "{took} {by_nginx}");
    // The time of a request at the proxy is hardly more than of what it waits for.
    let processes = report["processes"].as_array().unwrap();
    let client = &hop["client"]["process"];
    let proxy = processes.iter().find(|one| one["process"] == *client);
    let waiting = number(proxy.unwrap(), "/waiting_for_others");
    assert!(waiting > 0.8 * number(proxy.unwrap(), "/in_flight/mean"));
}

#[test]
fn each_request_on_keep_alive_connections_is_counted_and_timed_as_both_sides_do() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, times) = (folder.path().join("app.sock"), folder.path().join("times"));
    let server = "
import socketserver, sys, time
log = open(sys.argv[2], 'a')
class Timed(socketserver.StreamRequestHandler):
    def handle(self):
        while size := self.rfile.readline():
            came = time.monotonic_ns()
            self.rfile.read(int(size))
            time.sleep(0.004)
            self.wfile.write(b'r' * 70000)
            self.wfile.write(b'\\n')
            log.write(f'{time.monotonic_ns() - came}\\n')
            log.flush()
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 50
Server(sys.argv[1], Timed).serve_forever()
";
    let mut command = Command::new("python3");
    let command = command.args(["-c", server]).arg(&socket).arg(&times);
    let _server = Runs::start(command, || UnixStream::connect(&socket).is_ok());
    let (threads, each) = (6_usize, 40_usize);
    let asks = || {
        let stream = UnixStream::connect(&socket).unwrap();
        let (mut asks, mut responses) = (stream.try_clone().unwrap(), BufReader::new(stream));
        let mut took_ms = 0.0;
        for round in 0..each {
            let began = Instant::now();
            let size = round * 977;
            asks.write_all(format!("{size}\n").as_bytes()).unwrap();
            asks.write_all(&vec![b'x'; size]).unwrap();
            responses.read_until(b'\n', &mut Vec::new()).unwrap();
            took_ms += began.elapsed().as_secs_f64() * 1e3;
        }
        took_ms
    };
    let work = || {
        std::fs::write(&times, "").unwrap();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(asks)).collect();
            let took = all.into_iter().map(|one| one.join().unwrap());
            took.sum::<f64>() / (threads * each) as f64
        })
    };
    let Some((report, by_clients)) = during(work) else {
        return;
    };
    let hop = hop(&report, &socket);
    if !is_exact(&report, hop) {
        return;
    }
    let all = (threads * each) as f64;
    assert_eq!(number(hop, "/requests"), all, "{hop:#}");
    assert_eq!(number(hop, "/unfinished"), 0.0);
    assert_eq!(number(hop, "/connections"), threads as f64);
    let logged = logged(&times, 1e-6);
    assert_eq!(logged.len() as f64, all);
    let took = number(hop, "/response_ms/mean");
    // What is between both sides lies between what they see, but for a moment when a call is told.
    let by_server = mean(&logged);
    let moment = 0.02 * by_server;
    assert!(
        by_server - moment <= took && took <= by_clients + moment,
        "{by_server} {took} {by_clients}"
    );
    let sent: usize = (0..each)
        .map(|round| (round * 977) + format!("{}\n", round * 977).len())
        .sum();
    assert_eq!(number(hop, "/bytes_sent"), (threads * sent) as f64);
    assert_eq!(number(hop, "/bytes_received"), all * 70_001.0);
}

/// Redis at a socket of the file system alone.
fn redis(folder: &Path) -> (Runs, PathBuf) {
    let socket = folder.join("redis.sock");
    let mut command = Command::new(program("redis-server"));
    let command = command.args(["--port", "0", "--save", "", "--unixsocket"]);
    let command = command.arg(&socket).current_dir(folder);
    let up = || UnixStream::connect(&socket).is_ok();
    (Runs::start(command, up), socket)
}

#[test]
fn each_command_of_redis_is_counted_as_it_does_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (_redis, socket) = redis(folder.path());
    let (threads, each) = (3, 500);
    let work = || {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let stream = UnixStream::connect(&socket).unwrap();
                    let mut responses = BufReader::new(stream.try_clone().unwrap());
                    for _ in 0..each {
                        (&stream).write_all(b"PING\r\n").unwrap();
                        responses.read_line(&mut String::new()).unwrap();
                    }
                });
            }
        });
    };
    let Some((report, ())) = during(work) else {
        return;
    };
    let hop = hop(&report, &socket);
    if !is_exact(&report, hop) {
        return;
    }
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(b"INFO commandstats\r\nQUIT\r\n").unwrap();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    let line = told
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_ping:calls="));
    let calls: f64 = line.unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(calls, f64::from(threads * each));
    assert_eq!(number(hop, "/requests"), calls);
    let name = hop["server"]["process"].as_str().unwrap();
    assert!(name.starts_with("redis-server"), "{name}");
}

#[test]
fn clients_that_are_gone_at_once_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (_redis, socket) = redis(folder.path());
    let clients = 30;
    let work = || {
        for _ in 0..clients {
            let mut client = Command::new(program("redis-cli"));
            let done = client.arg("-s").arg(&socket).arg("PING").output().unwrap();
            assert!(done.status.success(), "{done:?}");
        }
    };
    let Some((report, ())) = during(work) else {
        return;
    };
    let address = format!("unix:{}", socket.display());
    let all = report["hops"].as_array().unwrap().iter();
    let hops: Vec<_> = all
        .filter(|hop| hop["server"]["address"] == address.as_str())
        .collect();
    if hops.first().is_some_and(|hop| !is_exact(&report, hop)) {
        return;
    }
    assert_eq!(hops.len(), clients, "{report:#}");
    for hop in hops {
        let name = hop["client"]["process"].as_str().unwrap();
        assert!(name.starts_with("redis-cli["), "{name}");
    }
}

/// Statements of several sessions at a database's socket are counted; a login is a request or a few, too.
fn statements_are_counted(socket: &Path, sessions: u32, each: u32, session: impl Fn() + Sync) {
    let work = || {
        std::thread::scope(|scope| {
            (0..sessions).for_each(|_| drop(scope.spawn(&session)));
        });
    };
    let Some((report, ())) = during(work) else {
        return;
    };
    let address = format!("unix:{}", socket.display());
    let all = report["hops"].as_array().unwrap().iter();
    // Each client is a process of its own.
    let hops: Vec<_> = all
        .filter(|hop| hop["server"]["address"] == address.as_str())
        .collect();
    if hops.first().is_some_and(|hop| !is_exact(&report, hop)) {
        return;
    }
    assert_eq!(hops.len(), sessions as usize, "{report:#}");
    for hop in hops {
        let logins = number(hop, "/requests") - f64::from(each);
        assert!((1.0..=4.0).contains(&logins), "{hop:#}");
        assert_eq!(number(hop, "/opened"), 1.0);
        // That they end is no request.
        assert_eq!(number(hop, "/unfinished"), 0.0, "{hop:#}");
    }
}

#[test]
fn statements_of_postgresql_are_counted() {
    let server = Postgres::start();
    server.wait_until_up();
    let folder = server.folder.path();
    let socket = folder.join(format!(".s.PGSQL.{}", server.port));
    let statements = "SELECT 1;\n".repeat(80);
    let file = folder.join("statements.sql");
    std::fs::write(&file, statements).unwrap();
    statements_are_counted(&socket, 3, 80, || {
        let mut psql = server.psql();
        let done = psql.arg("-h").arg(folder).arg("-f").arg(&file).output();
        assert!(done.unwrap().status.success());
    });
}

#[test]
fn statements_of_mariadb_are_counted() {
    let server = MariaDb::start();
    server.wait_until_up();
    let socket = PathBuf::from(server.socket());
    let statements = "SELECT 1;".repeat(80);
    statements_are_counted(&socket, 3, 80, || {
        server.sql(&statements);
    });
}

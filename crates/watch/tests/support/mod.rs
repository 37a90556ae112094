//! What the tests of sources share.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod java;
pub mod mariadb;
pub mod postgres;
pub mod proxied;
pub mod statements;
pub mod wire;

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plimsoll_watch::{Collector, Level, Look, Opened, Spec};

/// Opens a source with everything allowed.
pub fn open(source: &str, address: &str, options: &[(&str, &str)]) -> Opened {
    try_open(source, address, options).unwrap()
}

/// Opens a source; the id of what is wrong with it.
pub fn try_open(source: &str, address: &str, options: &[(&str, &str)]) -> Result<Opened, String> {
    let options = options
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
    let spec = Spec {
        source: source.to_owned(),
        address: address.to_owned(),
        host: Some("target".to_owned()),
        options: options.collect::<BTreeMap<_, _>>(),
        level: Level::Capture,
        reach: None,
    };
    spec.open().map_err(|error| error.0.id)
}

/// One look that succeeds.
pub async fn look(collector: &mut Box<dyn Collector>) -> Look {
    let mut look = Look::at(1);
    collector.collect(&mut look).await.unwrap();
    look
}

/// Looks until it succeeds: what was just started may respond slowly at first.
pub async fn look_soon(collector: &mut Box<dyn Collector>) -> Look {
    let began = Instant::now();
    loop {
        let mut look = Look::at(1);
        match collector.collect(&mut look).await {
            Ok(()) => return look,
            Err(error) => assert!(began.elapsed() < Duration::from_secs(300), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// One look that fails: the id of why.
pub async fn look_err(collector: &mut Box<dyn Collector>) -> String {
    let mut look = Look::at(1);
    collector.collect(&mut look).await.unwrap_err().message.id
}

/// The last value of a series by name and all its attributes.
pub fn value(look: &Look, name: &str, attributes: &[(&str, &str)]) -> Option<f64> {
    let same = |key: &plimsoll_stats::series::SeriesKey| {
        key.name == name
            && key.attributes.len() == attributes.len()
            && attributes
                .iter()
                .all(|(name, value)| key.attribute(name) == Some(value))
    };
    let found = look.points().filter(|(key, _)| same(key));
    found.map(|(_, value)| *value).last()
}

/// What curl gets.
pub fn curl(url: &str) -> String {
    let output = Command::new("curl")
        .args(["-fsS", "--noproxy", "*", url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{url}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A small server with fixed responses by path; everything else is 404.
pub struct Served {
    /// `host:port`.
    pub address: String,
    responses: Arc<Mutex<HashMap<String, String>>>,
    body: Arc<Mutex<String>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub fn new(responses: &[(&str, &str)]) -> Self {
        Self::at("127.0.0.1:0", responses)
    }

    pub fn at(address: &str, responses: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let owned = responses
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        let responses = Arc::new(Mutex::new(owned.collect::<HashMap<_, _>>()));
        let stopped = Arc::new(AtomicBool::new(false));
        let body = Arc::new(Mutex::new(String::new()));
        let thread = {
            let (responses, stopped) = (Arc::clone(&responses), Arc::clone(&stopped));
            let body = Arc::clone(&body);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    let stream = stream.unwrap();
                    let (responses, stopped) = (Arc::clone(&responses), Arc::clone(&stopped));
                    let body = Arc::clone(&body);
                    std::thread::spawn(move || serve(stream, &responses, &body, &stopped));
                }
            })
        };
        Self {
            address,
            responses,
            body,
            stopped,
            thread: Some(thread),
        }
    }

    /// The last body that was sent.
    pub fn last_body(&self) -> String {
        self.body.lock().unwrap().clone()
    }

    /// Changes a response.
    pub fn set(&self, path: &str, response: &str) {
        let mut responses = self.responses.lock().unwrap();
        responses.insert(path.to_owned(), response.to_owned());
    }

    /// Ends it; its address is free again.
    pub fn stop(mut self) -> String {
        self.end();
        self.address.clone()
    }

    fn end(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(&self.address));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

fn serve(
    mut stream: TcpStream,
    responses: &Mutex<HashMap<String, String>>,
    body: &Mutex<String>,
    stopped: &AtomicBool,
) {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => read.extend_from_slice(&buffer[..count]),
        }
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        if stopped.load(Ordering::SeqCst) {
            return;
        }
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().unwrap())
        });
        let length = length.unwrap_or(0);
        if read.len() < end + 4 + length {
            continue;
        }
        let sent: Vec<u8> = read.drain(..end + 4 + length).collect();
        if length > 0 {
            *body.lock().unwrap() = String::from_utf8(sent[end + 4..].to_vec()).unwrap();
        }
        let path = head.split(' ').nth(1).unwrap_or_default();
        let response = responses.lock().unwrap().get(path).cloned();
        let status = response.as_ref().map_or("404 Not Found", |_| "200 OK");
        let body = response.unwrap_or_default();
        let response = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

/// A program that listens on a port, ended with the test.
pub struct Process {
    process: Child,
    pub port: u16,
}

impl Process {
    /// Starts it and waits until it listens.
    pub fn start(name: &str, port: u16, arguments: &[&str]) -> Self {
        let process = Command::new(program(name))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut started = Self { process, port };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                started.process.try_wait().unwrap().is_none(),
                "{name} ended"
            );
            assert!(
                began.elapsed() < Duration::from_secs(180),
                "{name} is not up"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        started
    }

    /// A Redis without a password.
    pub fn redis(port: u16) -> Self {
        let port_text = port.to_string();
        let arguments = ["--port", &port_text, "--bind", "127.0.0.1", "--save", ""];
        Self::start("redis-server", port, &arguments)
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

/// The lab's Spring Boot service, ended with the test.
pub struct Lab {
    pub url: String,
    pub management: String,
    pub pid: u32,
    name: String,
    state: tempfile::TempDir,
}

impl Lab {
    pub fn start(name: &str, arguments: &[&str]) -> Self {
        Self::with_server(name, "tomcat", arguments)
    }

    /// The same on another web server: `undertow`, `jetty`.
    pub fn with_server(name: &str, server: &str, arguments: &[&str]) -> Self {
        Self::with_options(name, server, "-Xmx512m -XX:TieredStopAtLevel=1", arguments)
    }

    /// The same with options of the JVM, blanks between.
    pub fn with_options(name: &str, server: &str, options: &str, arguments: &[&str]) -> Self {
        let state = tempfile::tempdir().unwrap();
        let output = script("start.sh", state.path())
            .env("PLIMSOLL_LAB_JAVA_OPTS", options)
            .args(["--name", name, "--server", server, "--"])
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output:?}");
        let told = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.strip_prefix('='))
                .unwrap()
                .to_owned()
        };
        Self {
            url: told("URL"),
            management: told("MANAGEMENT_URL"),
            pid: told("PID").parse().unwrap(),
            name: name.to_owned(),
            state,
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = script("stop.sh", self.state.path())
            .arg(&self.name)
            .status();
    }
}

fn script(name: &str, state: &std::path::Path) -> Command {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab/");
    let mut command = Command::new(format!("{path}{name}"));
    command.env("PLIMSOLL_LAB_STATE", state);
    command.env("PLIMSOLL_LAB_START_TIMEOUT_S", "300");
    command
}

/// A port that is free now.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The path of a program that the tests need.
pub fn program(name: &str) -> String {
    let found = installed(name);
    found.unwrap_or_else(|| panic!("{name} is not installed: run tools/setup.sh test"))
}

/// The same of a program that not every system has a package of: none, and said so.
pub fn program_if_there(name: &str) -> Option<String> {
    let found = installed(name);
    if found.is_none() {
        eprintln!("skipped: {name} is not installed");
    }
    found
}

fn installed(name: &str) -> Option<String> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let mut paths = folders.iter().map(|folder| format!("{folder}/{name}"));
    paths.find(|path| std::path::Path::new(path).exists())
}

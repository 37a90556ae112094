//! A small HTTP/1.1 server, and calls of the binary.

#![allow(dead_code)] // Each test binary uses a part of it.

pub mod java;
pub mod json;
pub mod proxy;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

/// An empty folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a file into it.
pub fn write(dir: &TempDir, name: &str, text: &str) {
    std::fs::write(dir.path().join(name), text).unwrap();
}

/// What a call of the binary told.
#[derive(Debug)]
pub struct Told {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Calls the binary in a folder.
pub fn plimsoll(dir: &TempDir, args: &[&str]) -> Told {
    call(dir, args, &[], "")
}

/// The same with variables of the environment.
pub fn plimsoll_with(dir: &TempDir, args: &[&str], env: &[(&str, &str)]) -> Told {
    call(dir, args, env, "")
}

/// The same with something on standard input.
pub fn plimsoll_reading(dir: &TempDir, args: &[&str], input: &str) -> Told {
    call(dir, args, &[], input)
}

/// Calls the binary and interrupts it, once the server was asked something, until it ends.
pub fn plimsoll_interrupted(dir: &TempDir, args: &[&str], server: &Server) -> Told {
    let mut child = spawn(dir, args, &[]);
    while server.requests().is_empty() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    while child.try_wait().unwrap().is_none() {
        let pid = child.id().to_string();
        // It may have ended just now.
        let _ = Command::new("kill")
            .args(["-INT", &pid])
            .stderr(Stdio::null())
            .status();
        std::thread::sleep(Duration::from_millis(50));
    }
    told(child)
}

fn call(dir: &TempDir, args: &[&str], env: &[(&str, &str)], input: &str) -> Told {
    let mut child = spawn(dir, args, env);
    // It may not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    told(child)
}

/// Calls the binary and does not wait for its end.
pub fn plimsoll_started(dir: &TempDir, args: &[&str]) -> Child {
    spawn(dir, args, &[])
}

/// The binary under test: the one that `PLIMSOLL_PROGRAM` names (what is measured is measured as it is released), else
/// the one that was built with the test.
pub fn program() -> PathBuf {
    let given = std::env::var_os("PLIMSOLL_PROGRAM");
    let given =
        given.map(|path| std::fs::canonicalize(&path).unwrap_or_else(|e| panic!("{path:?}: {e}")));
    given.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_plimsoll")))
}

fn spawn(dir: &TempDir, args: &[&str], env: &[(&str, &str)]) -> Child {
    Command::new(program())
        .args(args)
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a call told, once it ended.
pub fn told(child: Child) -> Told {
    let output = child.wait_with_output().unwrap();
    Told {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The address of a port that nobody listens on.
pub fn refusing_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

/// A plan of JMeter's with three threads on that address.
pub fn jmeter_plan(url: &str) -> String {
    let (host, port) = url
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .split_once(':')
        .unwrap();
    let text =
        |name: &str, value: &str| format!("<stringProp name=\"{name}\">{value}</stringProp>");
    let sampler = [
        text("HTTPSampler.domain", host),
        text("HTTPSampler.port", port),
        text("HTTPSampler.path", "/"),
        text("HTTPSampler.method", "GET"),
        "<boolProp name=\"HTTPSampler.use_keepalive\">true</boolProp>".to_owned(),
    ];
    let group = [
        "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">",
        "<boolProp name=\"LoopController.continue_forever\">false</boolProp>",
        "<stringProp name=\"LoopController.loops\">1</stringProp></elementProp>",
        &text("ThreadGroup.num_threads", "3"),
        &text("ThreadGroup.ramp_time", "0"),
    ]
    .concat();
    let element = |class: &str, inside: &str, below: &str| {
        format!(
            "<{class} guiclass=\"x\" testclass=\"{class}\" testname=\"{class}\">{inside}</{class}>\n\
             <hashTree>{below}</hashTree>\n"
        )
    };
    let request = element("HTTPSamplerProxy", &sampler.concat(), "");
    let users = element("ThreadGroup", &group, &request);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\" \
         properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>\n{}</hashTree></jmeterTestPlan>\n",
        element("TestPlan", "", &users)
    )
}

/// Leaves a run as a killed process does: without its summary.
pub fn forget_summary(run: &Path) {
    let db = rusqlite::Connection::open(run.join("run.sqlite")).unwrap();
    assert_eq!(db.execute("DELETE FROM summary", []).unwrap(), 1);
}

/// A server that keeps connections alive and remembers what it was asked.
pub struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Listens on a free port until the test process ends.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = Arc::clone(&seen);
                // A connection that breaks is the client's business.
                std::thread::spawn(move || serve(stream.unwrap(), &seen).ok());
            }
        });
        Self { address, requests }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, in their order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<String>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut request = String::new();
        let mut length = 0;
        loop {
            let begin = request.len();
            if reader.read_line(&mut request)? == 0 {
                return Ok(());
            }
            let line = request[begin..].to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        request.push_str(&String::from_utf8_lossy(&body));
        let path = request.split(' ').nth(1).unwrap().to_owned();
        let never = path == "/never";
        seen.lock().unwrap().push(request);
        if never {
            continue;
        }
        stream.write_all(&response(path.split('?').next().unwrap()))?;
    }
}

fn response(path: &str) -> Vec<u8> {
    let (status, headers, body): (&str, &str, &[u8]) = match path {
        "/login" => (
            "200 OK",
            "Content-Type: application/json\r\nSet-Cookie: sid=SESSION9; Path=/\r\n",
            br#"{"token":"tok-123","items":[1,2]}"#,
        ),
        "/redirect" => ("302 Found", "Location: /hello\r\n", b""),
        "/fail" => ("500 Internal Server Error", "", b"oops"),
        "/big" => ("200 OK", "Content-Type: text/plain\r\n", &[b'x'; 5000]),
        "/binary" => ("200 OK", "Content-Type: image/png\r\n", &[0xff; 64]),
        "/gbk" => (
            "200 OK",
            "Content-Type: text/plain; charset=GBK\r\n",
            b"\xb5\xc7\xc2\xbc",
        ),
        _ => ("200 OK", "Content-Type: text/plain\r\n", b"hello"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// An agent on a port of the kernel's choice; dropped, it is killed.
pub struct Agent {
    child: Child,
    pub address: SocketAddr,
    _out: BufReader<ChildStdout>,
}

impl Agent {
    /// Starts it with these arguments beside its address.
    pub fn start(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            .args(["agent", "--listen", "127.0.0.1:0"])
            .args(args);
        Self::of(command)
    }

    /// The same by a command that starts it.
    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .env("LC_ALL", "C.UTF-8")
            .env_remove("PLIMSOLL_AGENT_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let words = line
            .split_whitespace()
            .map(|word| word.trim_end_matches('.'));
        let address = words.filter_map(|word| word.parse().ok()).next();
        Self {
            child,
            address: address.unwrap_or_else(|| panic!("{line}")),
            _out: out,
        }
    }

    /// As `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! A workbench that was started, and a client of it without any library.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A workbench on a port of the kernel's choice; dropped, it is killed.
pub struct Served {
    child: Child,
    pub host: String,
    /// What it said before it listened.
    pub said: String,
    _out: BufReader<ChildStdout>,
}

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    fn of(head: String, body: &[u8]) -> Self {
        let status = head.split(' ').nth(1);
        let status = status.and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_else(|| panic!("{head:?}")),
            head,
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Served {
    /// Starts one in a folder and waits until it listens.
    pub fn start(dir: &Path) -> Self {
        Self::start_with(dir, &[])
    }

    /// The same with further options.
    pub fn start_with(dir: &Path, more: &[&str]) -> Self {
        Self::start_in(dir, more, &[])
    }

    /// The same with variables of the environment.
    pub fn start_in(dir: &Path, more: &[&str], environment: &[(&str, &str)]) -> Self {
        let listen = match more.contains(&"--listen") {
            true => &[][..],
            false => &["--listen", "127.0.0.1:0"],
        };
        let mut child = Command::new(crate::common::program())
            .arg("serve")
            .args(listen)
            .args(more)
            .current_dir(dir)
            .env("LC_ALL", "C.UTF-8")
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        while !said.contains("://") {
            assert!(out.read_line(&mut said).unwrap() > 0, "it ended: {said}");
        }
        let (_, url) = said.split_once("://").unwrap();
        let (host, _) = url.split_once('/').unwrap();
        Self {
            host: host.to_owned(),
            child,
            said: said.clone(),
            _out: out,
        }
    }

    /// CPU seconds that its process has taken so far, by the kernel: fields 14 and 15 of `/proc/PID/stat`, in ticks of
    /// 10 ms (proc(5)).
    pub fn cpu_s(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let (_, behind_name) = text.rsplit_once(") ").unwrap();
        let fields: Vec<&str> = behind_name.split(' ').collect();
        let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
        (ticks(11) + ticks(12)) / 100.0
    }

    /// Bytes that its process has read so far, from files and sockets, by the kernel (`rchar` of proc(5)).
    pub fn read_bytes(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("rchar: "));
        line.unwrap().parse().unwrap()
    }

    /// As `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A request with headers and a body as they are; gives the connection.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        self.send_bytes(method, path, headers, body.as_bytes())
    }

    /// The same with any bytes. A length among the headers counts.
    pub fn send_bytes(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let names = headers.to_ascii_lowercase();
        let host = match names.contains("host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.host),
        };
        let length = match names.contains("content-length:") {
            true => String::new(),
            false => format!("Content-Length: {}\r\n", body.len()),
        };
        // HTTP/1.0: the body ends with the connection.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\n{host}{headers}{length}\r\n"
        )
        .unwrap();
        // A server that refuses a body may close before it has read it.
        let _ = stream.write_all(body);
        stream
    }

    /// Head and body of a response.
    pub fn bytes(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (String, Vec<u8>) {
        let mut stream = BufReader::new(self.send_bytes(method, path, headers, body));
        let mut bytes = Vec::new();
        // See above.
        while let Ok(read) = stream.read_until(b'\n', &mut bytes)
            && read > 0
            && !bytes.ends_with(b"\r\n\r\n")
        {}
        // Events may never end.
        if !String::from_utf8_lossy(&bytes).contains("text/event-stream") {
            let _ = stream.read_to_end(&mut bytes);
        }
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        (head, bytes.split_off((end + 4).min(bytes.len())))
    }

    /// Sends a run's file.
    pub fn import(&self, bundle: &[u8], query: &str, headers: &str) -> Response {
        let path = format!("/api/v1/runs/import{query}");
        let (head, body) = self.bytes("POST", &path, headers, bundle);
        Response::of(head, &body)
    }

    pub fn call(&self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        let (head, body) = self.bytes(method, path, headers, body.as_bytes());
        Response::of(head, &body)
    }

    /// What is at a path below the API.
    pub fn get(&self, path: &str) -> Value {
        let response = self.call("GET", &format!("/api/v1{path}"), "", "");
        assert_eq!(response.status, 200, "{path}: {response:?}");
        response.json()
    }

    /// Posts JSON below the API.
    pub fn post(&self, path: &str, body: &Value) -> Response {
        let headers = "Content-Type: application/json\r\n";
        self.call(
            "POST",
            &format!("/api/v1{path}"),
            headers,
            &body.to_string(),
        )
    }

    /// Watches a run.
    pub fn watch(&self, id: &str, query: &str, last: Option<&str>) -> Events {
        let headers = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        self.watch_at(&format!("/runs/{id}/live{query}"), &headers)
    }

    /// Watches what is at a path below the API.
    pub fn watch_at(&self, path: &str, headers: &str) -> Events {
        let stream = self.send("GET", &format!("/api/v1{path}"), headers, "");
        let mut reader = BufReader::new(stream);
        let (mut line, mut head) = (String::new(), String::new());
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "{head}");
            head += &line;
        }
        assert!(head.contains("text/event-stream"), "{head}");
        Events(reader)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    pub id: String,
    pub name: String,
    pub data: Value,
}

/// Events as they come.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Hears the rest; whether the server ended it, rather than that nothing came for long.
    pub fn ends(mut self) -> bool {
        self.0.read_to_end(&mut Vec::new()).is_ok()
    }
}

impl Iterator for Events {
    type Item = Heard;

    fn next(&mut self) -> Option<Heard> {
        let (mut id, mut name, mut data) = (String::new(), String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = value.to_owned(),
                Some(("event", value)) => name = value.to_owned(),
                Some(("data", value)) => data = value.to_owned(),
                _ if line == "\n" && !name.is_empty() => {
                    let data = serde_json::from_str(&data).unwrap();
                    return Some(Heard { id, name, data });
                }
                _ => {}
            }
        }
    }
}

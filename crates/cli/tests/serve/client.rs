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
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Served {
    /// Starts one in a folder and waits until it listens.
    pub fn start(dir: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(dir)
            .env("LC_ALL", "C.UTF-8")
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        while !said.contains("http://") {
            assert!(out.read_line(&mut said).unwrap() > 0, "it ended: {said}");
        }
        let (_, url) = said.split_once("http://").unwrap();
        let (host, _) = url.split_once('/').unwrap();
        Self {
            host: host.to_owned(),
            child,
            said: said.clone(),
            _out: out,
        }
    }

    /// As `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A request with headers and a body as they are; gives the connection.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let host = match headers.to_ascii_lowercase().contains("host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.host),
        };
        // HTTP/1.0: the body ends with the connection.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\n{host}{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        stream
    }

    pub fn call(&self, method: &str, path: &str, headers: &str, body: &str) -> Response {
        let mut text = Vec::new();
        // A server that refuses a body may close before it has read it.
        let _ = self
            .send(method, path, headers, body)
            .read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Response {
            status: status.unwrap_or_else(|| panic!("{method} {path}: {text}")),
            head: head.to_owned(),
            body: body.to_owned(),
        }
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
        let stream = self.send(
            "GET",
            &format!("/api/v1/runs/{id}/live{query}"),
            &headers,
            "",
        );
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0);
        }
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

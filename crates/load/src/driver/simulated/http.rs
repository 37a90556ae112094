//! A peer that speaks HTTP/1.1.

use super::script::{Act, Peer};
use crate::clock::Nanos;

/// A request that a peer heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Its head, with the empty line.
    pub head: String,
    /// Its body.
    pub body: Vec<u8>,
    /// When the last of it came, since the world began.
    pub at_ns: Nanos,
    /// How many came before it on the connection.
    pub number: u64,
}

impl HttpRequest {
    /// Method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// What was asked for.
    #[must_use]
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.split("\r\n").skip(1);
        let mut pairs = lines.filter_map(|line| line.split_once(": "));
        let found = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

/// A response with a length.
#[must_use]
pub fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// Hears requests, and does what it is told about each.
pub struct HttpPeer<F> {
    heard: Vec<u8>,
    /// Bytes from which on a request may be there.
    enough: usize,
    number: u64,
    respond: F,
}

impl<F: FnMut(&HttpRequest) -> Vec<Act>> HttpPeer<F> {
    /// A peer that does this about a request.
    pub fn new(respond: F) -> Self {
        Self {
            heard: Vec::new(),
            enough: 0,
            number: 0,
            respond,
        }
    }

    /// The next request, once all of it came.
    fn next(&mut self, at_ns: Nanos) -> Option<HttpRequest> {
        if self.heard.len() < self.enough {
            return None;
        }
        let text = String::from_utf8_lossy(&self.heard).into_owned();
        let head_bytes = text.find("\r\n\r\n")? + 4;
        let mut request = HttpRequest {
            head: text[..head_bytes].to_owned(),
            body: Vec::new(),
            at_ns,
            number: self.number,
        };
        let length = request.header("Content-Length").map(str::parse::<usize>);
        let end = head_bytes + length.and_then(Result::ok).unwrap_or(0);
        if self.heard.len() < end {
            self.enough = end;
            return None;
        }
        self.enough = 0;
        request.body = self.heard[head_bytes..end].to_vec();
        self.heard.drain(..end);
        self.number += 1;
        Some(request)
    }
}

impl<F: FnMut(&HttpRequest) -> Vec<Act>> Peer for HttpPeer<F> {
    fn hear(&mut self, bytes: &[u8], at_ns: Nanos) -> Vec<Act> {
        self.heard.extend_from_slice(bytes);
        let mut acts = Vec::new();
        while let Some(request) = self.next(at_ns) {
            acts.extend((self.respond)(&request));
        }
        acts
    }
}

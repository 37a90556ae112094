//! The head of a request: its headers in the order in which HttpClient 4.5 writes them for
//! JMeter.

use std::io::Write as _;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Fault, Fields};

use super::body::HttpEntity;
use super::charset::put_head_text;
use super::failure::HttpProblem;
use super::settings::Eval;
use super::url::JavaUrl;

/// What JMeter 5.6.3 on Java 17 calls itself, unless the plan says something else.
pub const USER_AGENT: &str = "Apache-HttpClient/4.5.14 (Java/17.0.15)";

/// The headers of a sampler's header managers.
#[derive(Debug, Default)]
pub struct SamplerHeaders {
    headers: Vec<Header>,
    /// All of them written, when they never change and none is special.
    fixed: Option<WrittenHead>,
}

#[derive(Debug)]
struct Header {
    /// The manager's distance: those of farther ones only count when no nearer one has the
    /// name.
    rank: usize,
    name: Field,
    value: Field,
}

/// Headers of the plan, written, and what they hold.
#[derive(Debug, Clone, Default)]
pub struct WrittenHead {
    /// The lines.
    pub bytes: Vec<u8>,
    /// `Content-Type` is among them, if with an empty value.
    pub names_type: bool,
    /// The first `Content-Type` has a value.
    pub has_type: bool,
    /// `User-Agent` is.
    pub has_agent: bool,
    /// `Host` is.
    pub has_host: bool,
    /// `Authorization` is.
    pub has_authorization: bool,
    /// `Connection: close` is.
    pub closes: bool,
    /// `Expect: 100-continue` is.
    pub expects: bool,
    /// The value of `Cookie`, if it is.
    pub cookie: Option<String>,
    /// Headers as names and values, for those who compare them.
    pub pairs: Vec<(String, String)>,
}

/// Headers that say who asks: they are for one host alone.
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// Whether a header says who asks.
pub(super) fn is_credential(name: &[u8]) -> bool {
    let names = CREDENTIALS.iter();
    names
        .map(|known| known.as_bytes())
        .any(|known| name.trim_ascii().eq_ignore_ascii_case(known))
}

impl WrittenHead {
    /// The same for another host, to which a redirect leads: without what says who asks.
    #[must_use]
    pub fn without_credentials(mut self) -> Self {
        self.drop_lines(is_credential);
        self.has_authorization = false;
        self.cookie = None;
        self
    }

    /// The same for a body that says itself what it is: a multipart body replaces every
    /// `Content-Type` of the plan.
    #[must_use]
    pub fn without_type(mut self) -> Self {
        self.drop_lines(is_type);
        (self.names_type, self.has_type) = (false, false);
        self
    }

    /// The same with this value in the first `Content-Type`, which is empty.
    #[must_use]
    pub fn with_type(mut self, value: &str) -> Self {
        let Some((name, own)) = self
            .pairs
            .iter_mut()
            .find(|(name, _)| is_type(name.as_bytes()))
        else {
            return self;
        };
        value.clone_into(own);
        let mut line = Vec::new();
        put_line("Content-Type", value, &mut line);
        "Content-Type".clone_into(name);
        let mut line = Some(line);
        let lines = self.bytes.split_inclusive(|byte| *byte == b'\n');
        let lines = lines.flat_map(|old| match is_type(name_of(old)) {
            true => line.take().unwrap_or_else(|| old.to_vec()),
            false => old.to_vec(),
        });
        self.bytes = lines.collect();
        self.has_type = true;
        self
    }

    fn drop_lines(&mut self, drop: impl Fn(&[u8]) -> bool) {
        let lines = self.bytes.split_inclusive(|byte| *byte == b'\n');
        let kept = lines.filter(|line| !drop(name_of(line)));
        self.bytes = kept.collect::<Vec<_>>().concat();
        self.pairs.retain(|(name, _)| !drop(name.as_bytes()));
    }
}

/// The name of a header line.
fn name_of(line: &[u8]) -> &[u8] {
    line.split(|byte| *byte == b':').next().unwrap_or_default()
}

fn is_type(name: &[u8]) -> bool {
    name.trim_ascii().eq_ignore_ascii_case(b"content-type")
}

impl SamplerHeaders {
    /// The headers of these managers, the nearest first.
    #[must_use]
    pub fn bind(managers: &[Fields<'_>]) -> Self {
        let mut headers = Vec::new();
        for (rank, manager) in managers.iter().enumerate() {
            for header in manager.elements("HeaderManager.headers") {
                headers.push(Header {
                    rank,
                    name: header.field("Header.name"),
                    value: header.field("Header.value"),
                });
            }
        }
        let mut bound = Self {
            headers,
            fixed: None,
        };
        let special = |header: &Header| {
            let name = header.name.fixed().unwrap_or("host");
            name.eq_ignore_ascii_case("host") || name.eq_ignore_ascii_case("cookie")
        };
        if !bound.headers.iter().any(special) {
            let nowhere = JavaUrl::default();
            bound.fixed = bound.write(&mut Eval(None), &nowhere, None).ok();
        }
        bound
    }

    /// Names and values for a request, as the plan has them.
    ///
    /// # Errors
    /// A text without a value.
    pub fn pairs(&self, by: &mut Eval<'_>) -> Result<Vec<(String, String)>, Fault> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for header in &self.headers {
            let name = by.text(&header.name)?;
            let known = |(other, _): &(String, String)| other.eq_ignore_ascii_case(&name);
            if header.rank == 0 || !pairs.iter().any(known) {
                pairs.push((name.into_owned(), by.text(&header.value)?.into_owned()));
            }
        }
        Ok(pairs)
    }

    /// Whether all are written already.
    #[must_use]
    pub fn fixed(&self) -> Option<&WrittenHead> {
        self.fixed.as_ref()
    }

    /// Writes them for a request to this address; `cookies` takes the place of a cookie
    /// header of the plan's.
    ///
    /// # Errors
    /// A text without a value.
    pub fn write(
        &self,
        by: &mut Eval<'_>,
        url: &JavaUrl,
        cookies: Option<&str>,
    ) -> Result<WrittenHead, HttpProblem> {
        let mut written = WrittenHead::default();
        for (name, value) in self.pairs(by)? {
            written.add(&name, &value, url, cookies);
        }
        Ok(written)
    }
}

impl WrittenHead {
    fn add(&mut self, name: &str, value: &str, url: &JavaUrl, cookies: Option<&str>) {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        let own;
        let mut value = value;
        match name.len() {
            // The length follows from the body alone.
            14 if is("content-length") => return,
            4 if is("host") => {
                self.has_host = true;
                own = host_with_port(value, url);
                value = &own;
            }
            6 if is("cookie") => {
                if let (Some(cookies), None) = (cookies, &self.cookie) {
                    own = cookies.to_owned();
                    value = &own;
                }
                let known = self.cookie.get_or_insert_default();
                if !known.is_empty() {
                    known.push_str("\nCookie: ");
                }
                known.push_str(value);
            }
            12 if is("content-type") => {
                self.has_type |= !self.names_type && !value.is_empty();
                self.names_type = true;
            }
            10 if is("user-agent") => self.has_agent = true,
            13 if is("authorization") => self.has_authorization = true,
            10 if is("connection") => {
                let mut tokens = value.split(',').map(str::trim);
                self.closes |= tokens.any(|token| token.eq_ignore_ascii_case("close"));
            }
            6 if is("expect") => self.expects |= value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
        put_line(name, value, &mut self.bytes);
        self.pairs.push((name.to_owned(), value.to_owned()));
    }
}

/// The value of `Host` as JMeter changes it: the port of the request's address if it has none
/// of its own, and none if it is the scheme's.
fn host_with_port(value: &str, url: &JavaUrl) -> String {
    let (host, own) = match value.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (host, port.parse().ok())
        }
        _ => (value, url.port),
    };
    let usual = if url.scheme == "https" { 443 } else { 80 };
    match own {
        Some(port) if port != usual => format!("{host}:{port}"),
        _ => host.to_owned(),
    }
}

/// Appends a header line.
pub fn put_line(name: &str, value: &str, out: &mut Vec<u8>) {
    put_head_text(name, out);
    out.extend_from_slice(b": ");
    put_head_text(value, out);
    out.extend_from_slice(b"\r\n");
}

/// What a head is made of.
pub struct HttpClientHead<'a> {
    /// Method.
    pub method: &'a str,
    /// The request target.
    pub target: &'a [u8],
    /// The value of `Host`.
    pub host: &'a str,
    /// The connection is to be kept.
    pub keep_alive: bool,
    /// Headers of the plan.
    pub headers: &'a WrittenHead,
    /// Headers that other managers add behind them.
    pub more: &'a [(&'a str, String)],
    /// The cookies of the cookie manager, unless `headers` has them.
    pub cookies: Option<&'a str>,
    /// The body.
    pub entity: Option<&'a HttpEntity>,
    /// `Content-Type` that stands before the length, unless the plan names one.
    pub set_type: Option<&'a str>,
    /// The request goes to a proxy.
    pub proxied: bool,
    /// Headers at the end: credentials.
    pub last: &'a [(&'a str, String)],
    /// No `User-Agent` unless the plan has one.
    pub no_agent: bool,
}

impl HttpClientHead<'_> {
    /// Writes it.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_head_text(self.method, out);
        out.push(b' ');
        out.extend_from_slice(self.target);
        out.extend_from_slice(if self.keep_alive {
            b" HTTP/1.1\r\nConnection: keep-alive\r\n"
        } else {
            b" HTTP/1.1\r\nConnection: close\r\n"
        });
        out.extend_from_slice(&self.headers.bytes);
        for (name, value) in self.more {
            put_line(name, value, out);
        }
        if let (Some(cookies), None) = (self.cookies, &self.headers.cookie) {
            put_line("Cookie", cookies, out);
        }
        if let Some(entity) = self.entity {
            let mut typed = self.headers.names_type;
            if let (false, Some(set)) = (typed, self.set_type) {
                put_line("Content-Type", set, out);
                typed = true;
            }
            // Writing to a Vec does not fail.
            let _ = write!(out, "Content-Length: {}\r\n", entity.bytes.len());
            if let (false, Some(own)) = (typed, &entity.own_type) {
                put_line("Content-Type", own, out);
            }
        }
        if !self.headers.has_host {
            put_line("Host", self.host, out);
        }
        if self.proxied {
            out.extend_from_slice(b"Proxy-Connection: Keep-Alive\r\n");
        }
        if !self.headers.has_agent && !self.no_agent {
            out.extend_from_slice(b"User-Agent: ");
            out.extend_from_slice(USER_AGENT.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        for (name, value) in self.last {
            put_line(name, value, out);
        }
        out.extend_from_slice(b"\r\n");
    }
}

/// A text with a character for each byte, as JMeter's clients read heads.
pub(crate) fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The header lines of a written head as JMeter shows them: all but cookies.
#[must_use]
pub fn shown(head: &[u8]) -> String {
    let text = latin(head);
    let mut shown = String::with_capacity(text.len());
    for line in text.split("\r\n").skip(1) {
        let is_cookie = line
            .split_once(':')
            .is_some_and(|(name, _)| name.eq_ignore_ascii_case("cookie"));
        if !line.is_empty() && !is_cookie {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    shown
}

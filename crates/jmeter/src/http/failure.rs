//! Failures as JMeter tells of them: the exception that its HTTP client would throw.

use std::io;

use plimsoll_access::Refused;
use plimsoll_elements::{DataType, Fault, SampleResult};
use plimsoll_stats::{ErrorKind, java_exception};

use super::legal::BadUrl;
use super::url::JavaUrl;
use plimsoll_load::kit::failure::Failure;

/// What failed when a handshake took too long.
pub const READ: &str = "Read timed out";

/// A failure: the Java exception and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpProblem {
    /// The exception's class.
    pub class: String,
    /// Its message; none is written `null`.
    pub message: Option<String>,
    /// What it is to the engine.
    pub kind: ErrorKind,
    /// It left JMeter's client altogether: the result does not even name the request.
    pub bare: bool,
}

impl HttpProblem {
    /// A failure of the plan, not of the network.
    #[must_use]
    pub fn new(class: &str, message: impl Into<String>) -> Self {
        Self {
            class: class.to_owned(),
            message: Some(message.into()),
            kind: ErrorKind::Other,
            bare: false,
        }
    }

    /// The same, of which the result only says that it was.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { bare: true, ..self }
    }

    /// What became of a connection to this address; `addresses` are those that were tried.
    #[must_use]
    pub fn of_failure(failure: &Failure, url: &JavaUrl) -> Self {
        let place = format!("{}:{}", url.host, url.port_or_default());
        let (class, usual) = java_exception(failure.kind).unwrap_or(("java.io.IOException", ""));
        if let Some((class, message)) = handshake(failure) {
            return Self {
                kind: failure.kind,
                ..Self::new(class, message)
            };
        }
        let message = match failure.kind {
            ErrorKind::ConnectionRefused | ErrorKind::ConnectTimeout => {
                let why = match failure.kind {
                    ErrorKind::ConnectionRefused => "Connection refused",
                    _ if failure.detail == READ => READ,
                    _ => "Connect timed out",
                };
                let tried = tried(&failure.detail, url);
                Some(format!("Connect to {place} {tried}failed: {why}"))
            }
            ErrorKind::ConnectionClosed => Some(format!("{place} failed to respond")),
            ErrorKind::UnknownHost => Some(format!("{}: {usual}", url.host)),
            ErrorKind::ClosedInBody => Some(cut_short(&failure.detail)),
            ErrorKind::HostNotAllowed => Some(format!("Host not allowed: {place}")),
            ErrorKind::MalformedResponse => None,
            ErrorKind::ReadTimeout | ErrorKind::ConnectionReset => Some(usual.to_owned()),
            _ if failure.detail.is_empty() => Some(usual.to_owned()),
            _ => Some(failure.detail.clone()),
        };
        Self {
            class: class.to_owned(),
            message,
            kind: failure.kind,
            bare: false,
        }
    }

    /// Writes the failure into a result (JMeter 5.6.3, `HTTPSamplerBase.errorResult`). The
    /// body, in JMeter the whole stack, is its first line.
    pub fn put(&self, result: &mut SampleResult) {
        let message = self.message.as_deref();
        result.data_type = DataType::Text;
        result.body = match message {
            Some(message) => format!("{}: {message}\n", self.class),
            None => format!("{}\n", self.class),
        }
        .into_bytes();
        result.code = format!("Non HTTP response code: {}", self.class);
        let message = message.unwrap_or("null");
        result.message = format!("Non HTTP response message: {message}");
        result.success = false;
    }
}

/// The usual failures of TLS in Java's words.
pub(crate) fn handshake(failure: &Failure) -> Option<(&'static str, String)> {
    let no_key = ["No PrivateKey found for alias", "No var called"];
    if no_key.iter().any(|it| failure.detail.starts_with(it)) {
        return Some(("javax.net.ssl.SSLException", failure.detail.clone()));
    }
    if failure.kind != ErrorKind::TlsHandshake {
        return None;
    }
    if let Some(alert) = failure.detail.strip_prefix("received fatal alert: ") {
        let class = "javax.net.ssl.SSLHandshakeException";
        return Some((class, format!("Received fatal alert: {}", snake(alert))));
    }
    if failure.detail.contains("closed the connection") {
        let class = "javax.net.ssl.SSLHandshakeException";
        return Some((class, "Remote host terminated the handshake".to_owned()));
    }
    let class = "javax.net.ssl.SSLException";
    let no_tls = failure.detail.contains("InvalidContentType");
    no_tls.then(|| (class, "Unsupported or unrecognized SSL message".to_owned()))
}

/// `BadCertificate` as `bad_certificate`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The addresses in the failure's own text, as Java shows them.
fn tried(detail: &str, url: &JavaUrl) -> String {
    let address = detail.split(": ").next().unwrap_or_default();
    let Ok(address) = address.parse::<std::net::SocketAddr>() else {
        return match url.host.parse::<std::net::IpAddr>() {
            Ok(address) => format!("[/{address}] "),
            Err(_) => String::new(),
        };
    };
    let bare = url.host.trim_matches(['[', ']']);
    let name = match bare.parse::<std::net::IpAddr>() {
        Ok(_) => "",
        Err(_) => bare,
    };
    let ip = match address.ip() {
        std::net::IpAddr::V4(ip) => ip.to_string(),
        // Java writes all groups.
        std::net::IpAddr::V6(ip) => {
            let groups: Vec<String> = ip.segments().iter().map(|g| format!("{g:x}")).collect();
            groups.join(":")
        }
    };
    format!("[{name}/{ip}] ")
}

/// What the reader says of a body that ended too early, in HttpCore's words.
fn cut_short(detail: &str) -> String {
    let numbers: Vec<u64> = detail
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect();
    match numbers.as_slice() {
        [received, expected] => format!(
            "Premature end of Content-Length delimited message body (expected: {}; received: {})",
            grouped(*expected),
            grouped(*received)
        ),
        _ => "Premature end of chunk coded message body: closing chunk expected".to_owned(),
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl From<BadUrl> for HttpProblem {
    fn from(bad: BadUrl) -> Self {
        Self::new(bad.class, bad.message)
    }
}

impl From<Fault> for HttpProblem {
    fn from(fault: Fault) -> Self {
        // Functions say which exception Java's would throw.
        let text = fault.to_string();
        let class = text.split_once(": ").filter(|(class, _)| {
            class.contains('.') && class.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        });
        match class {
            Some((class, message)) => Self::new(class, message),
            None => Self::new("java.lang.IllegalArgumentException", text),
        }
    }
}

/// Java's words for a file that cannot be opened.
pub fn not_found(path: &str, error: &io::Error) -> HttpProblem {
    HttpProblem::new("java.io.FileNotFoundException", unopened(path, error))
}

/// The same without the exception's class.
pub fn unopened(path: &str, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied if Refused::of(error).is_none() => {
            "Permission denied".to_owned()
        }
        _ => error.to_string(),
    };
    format!("{path} ({why})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_as_jmeter_has_them() {
        let url = JavaUrl {
            scheme: "http".to_owned(),
            host: "127.0.0.1".to_owned(),
            port: Some(1),
            ..JavaUrl::default()
        };
        let told = |kind, detail: &str| {
            let problem = HttpProblem::of_failure(&Failure::new(kind, detail), &url);
            let mut result = SampleResult::new("x");
            problem.put(&mut result);
            (result.code, result.message)
        };
        let (code, message) = told(
            ErrorKind::ConnectionRefused,
            "127.0.0.1:1: Connection refused (os error 111)",
        );
        assert_eq!(
            code,
            "Non HTTP response code: org.apache.http.conn.HttpHostConnectException"
        );
        assert_eq!(
            message,
            "Non HTTP response message: Connect to 127.0.0.1:1 [/127.0.0.1] failed: Connection \
             refused"
        );
        let (_, message) = told(
            ErrorKind::ClosedInBody,
            "connection closed by the server within the body, after 3 bytes of 1000",
        );
        assert!(
            message.ends_with("(expected: 1,000; received: 3)"),
            "{message}"
        );
        let (_, message) = told(ErrorKind::MalformedResponse, "x");
        assert!(message.ends_with(": null"));
    }
}

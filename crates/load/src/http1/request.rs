//! The head of a request: its parts, and how HTTP/1.1 writes them.
//!
//! Whatever a plan puts into a request, it cannot become a second one: control
//! characters are refused in every part of the head (request splitting), and
//! the headers that say where the body ends are written here only.

use std::borrow::Cow;
use std::io::Write;

/// What a request is for, in the four forms of RFC 9112, 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestTarget<'a> {
    /// Path and query, `/a?b=c`: to the server itself.
    Origin(&'a str),
    /// A whole URL, `http://host/a?b=c`: to a proxy.
    Absolute(&'a str),
    /// `host:port`: for CONNECT.
    Authority(&'a str),
    /// `*`: for OPTIONS on the server as a whole.
    Asterisk,
}

/// How the body that follows the head is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFraming {
    /// No body and no header about it (GET, HEAD, DELETE, …).
    None,
    /// `Content-Length`, in bytes; also for an empty POST or PUT.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

/// Why a request head cannot be written. Values are never quoted: they may be
/// secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is empty or has a character that is not allowed in a token.
    #[error("the method \"{method}\" is not an HTTP token (letters, digits and !#$%&'*+-.^_`|~)")]
    Method {
        /// The method, escaped.
        method: String,
    },
    /// The request target does not have the form it should have.
    #[error("the request target must be {expected}")]
    TargetForm {
        /// What was expected, as a short English phrase.
        expected: &'static str,
    },
    /// A character that may not stand in a request target.
    #[error("the request target has {character} at byte {at}: percent-encode it")]
    Target {
        /// The character, described.
        character: String,
        /// Place in the target, in bytes from 0.
        at: usize,
    },
    /// The header name is empty or not a token.
    #[error(
        "the header name \"{name}\" is not an HTTP token (letters, digits and !#$%&'*+-.^_`|~)"
    )]
    HeaderName {
        /// The name, escaped.
        name: String,
    },
    /// A control character in a header value.
    #[error("the value of the header {name} has {character} at byte {at}: remove it")]
    HeaderValue {
        /// The header.
        name: String,
        /// The character, described.
        character: String,
        /// Place in the value, in bytes from 0.
        at: usize,
    },
    /// A header that is written from other settings.
    #[error("the header {name} follows from the request's {source_of}: do not set it as a header")]
    Reserved {
        /// The header.
        name: String,
        /// Where it comes from.
        source_of: &'static str,
    },
}

/// A header that may stand in the head of a request. Values are bytes: not every server is asked in
/// UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, [u8]>,
}

impl<'a> HeaderField<'a> {
    /// A header with that name and value.
    ///
    /// # Errors
    /// If the name is not a token, the value has control characters, or the
    /// header is one that follows from the rest of the request (`Host`,
    /// `Content-Length`, `Transfer-Encoding`).
    pub fn new(
        name: impl Into<Cow<'a, str>>,
        value: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self, RequestError> {
        let (name, value) = (name.into(), value.into());
        if let Some(source_of) = reserved_for(&name) {
            return Err(RequestError::Reserved {
                name: name.into_owned(),
                source_of,
            });
        }
        if !is_token(&name) {
            return Err(RequestError::HeaderName {
                name: name.escape_default().to_string(),
            });
        }
        check_value(&name, &value)?;
        Ok(Self { name, value })
    }

    /// Whether [`HeaderField::new`] refuses this header because it follows
    /// from another part of the request.
    #[must_use]
    pub fn is_reserved(name: &str) -> bool {
        reserved_for(name).is_some()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        &self.value
    }
}

/// The head of a request in its parts, each of which may stand there.
///
/// ```
/// use plimsoll_load::kit::http1::{BodyFraming, HeaderField, RequestHead, RequestTarget};
///
/// let fields = [HeaderField::new("Accept", &b"*/*"[..])?];
/// let target = RequestTarget::Origin("/a?b=c");
/// let head = RequestHead::new("POST", target, "example.org", &fields, BodyFraming::Length(2))?;
/// let mut out = Vec::new();
/// head.write(&mut out);
/// assert_eq!(out, b"POST /a?b=c HTTP/1.1\r\nHost: example.org\r\n\
///                   Accept: */*\r\nContent-Length: 2\r\n\r\n");
/// # Ok::<(), plimsoll_load::kit::http1::RequestError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    method: &'a str,
    target: &'a str,
    host: &'a str,
    fields: &'a [HeaderField<'a>],
    framing: BodyFraming,
}

impl<'a> RequestHead<'a> {
    /// A head of these parts. `host` is a name or address with the port if it
    /// is not the scheme's own; IPv6 in brackets.
    ///
    /// # Errors
    /// If a part has characters that are not allowed there.
    pub fn new(
        method: &'a str,
        target: RequestTarget<'a>,
        host: &'a str,
        fields: &'a [HeaderField<'a>],
        framing: BodyFraming,
    ) -> Result<Self, RequestError> {
        if !is_token(method) {
            return Err(RequestError::Method {
                method: method.escape_default().to_string(),
            });
        }
        let target = checked_target(target)?;
        check_value("Host", host.as_bytes())?;
        Ok(Self {
            method,
            target,
            host,
            fields,
            framing,
        })
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'a str {
        self.method
    }

    /// Appends it as HTTP/1.1 has it: the request line, `Host`, the headers,
    /// and what delimits the body.
    pub fn write(&self, out: &mut Vec<u8>) {
        let line = [
            self.method,
            " ",
            self.target,
            " HTTP/1.1\r\nHost: ",
            self.host,
        ];
        for piece in line {
            out.extend_from_slice(piece.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        for field in self.fields {
            for piece in [field.name.as_bytes(), b": ", &field.value, b"\r\n"] {
                out.extend_from_slice(piece);
            }
        }
        match self.framing {
            BodyFraming::None => {}
            // Writing to a Vec does not fail.
            BodyFraming::Length(bytes) => {
                let _ = write!(out, "Content-Length: {bytes}\r\n");
            }
            BodyFraming::Chunked => out.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
        }
        out.extend_from_slice(b"\r\n");
    }
}

fn reserved_for(name: &str) -> Option<&'static str> {
    match name.len() {
        4 if name.eq_ignore_ascii_case("host") => Some("host"),
        14 if name.eq_ignore_ascii_case("content-length") => Some("body"),
        17 if name.eq_ignore_ascii_case("transfer-encoding") => Some("body"),
        _ => None,
    }
}

/// RFC 9110, 5.6.2.
fn is_token(text: &str) -> bool {
    let is_tchar = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_tchar)
}

fn checked_target(target: RequestTarget<'_>) -> Result<&str, RequestError> {
    let form = |right: bool, expected| match right {
        true => Ok(()),
        false => Err(RequestError::TargetForm { expected }),
    };
    let text = match target {
        RequestTarget::Origin(path) => {
            form(path.starts_with('/'), "a path that begins with /")?;
            path
        }
        RequestTarget::Absolute(url) => {
            form(url.contains("://"), "a whole URL with its scheme")?;
            url
        }
        RequestTarget::Authority(authority) => {
            let port = authority.rsplit_once(':').map(|(_, port)| port);
            let right = port.is_some_and(|p| p.parse::<u16>().is_ok());
            form(right && !authority.contains('/'), "host:port")?;
            authority
        }
        RequestTarget::Asterisk => "*",
    };
    match text.bytes().position(|b| !b.is_ascii_graphic()) {
        None => Ok(text),
        Some(at) => Err(RequestError::Target {
            character: describe(text.as_bytes()[at]),
            at,
        }),
    }
}

fn check_value(name: &str, value: &[u8]) -> Result<(), RequestError> {
    match value
        .iter()
        .position(|&b| b.is_ascii_control() && b != b'\t')
    {
        None => Ok(()),
        Some(at) => Err(RequestError::HeaderValue {
            name: name.to_owned(),
            character: describe(value[at]),
            at,
        }),
    }
}

fn describe(byte: u8) -> String {
    match byte {
        b'\r' => "a carriage return".to_owned(),
        b'\n' => "a line feed".to_owned(),
        0 => "a NUL character".to_owned(),
        b' ' => "a blank".to_owned(),
        128.. => "a character outside ASCII".to_owned(),
        _ => format!("the control character 0x{byte:02x}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn refused(method: &str, target: RequestTarget<'_>, host: &str) -> String {
        let head = RequestHead::new(method, target, host, &[], BodyFraming::None);
        head.unwrap_err().to_string()
    }

    #[test]
    fn all_forms_of_target_and_framing() {
        let write = |method, target, host, framing| {
            let mut out = Vec::new();
            let head = RequestHead::new(method, target, host, &[], framing);
            head.unwrap().write(&mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            write(
                "GET",
                RequestTarget::Origin("/?q=1"),
                "[::1]:8080",
                BodyFraming::None
            ),
            "GET /?q=1 HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"
        );
        assert_eq!(
            write(
                "PUT",
                RequestTarget::Absolute("http://a/b"),
                "a",
                BodyFraming::Chunked
            ),
            "PUT http://a/b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        assert_eq!(
            write(
                "CONNECT",
                RequestTarget::Authority("a:443"),
                "a:443",
                BodyFraming::None
            ),
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"
        );
        assert_eq!(
            write(
                "OPTIONS",
                RequestTarget::Asterisk,
                "a",
                BodyFraming::Length(0)
            ),
            "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
        );
    }

    #[test]
    fn nothing_in_the_request_line_can_split_it() {
        let root = RequestTarget::Origin("/");
        assert!(refused("GET / HTTP/1.1\r\nX: ", root, "a").contains("not an HTTP token"));
        assert!(refused("", root, "a").contains("not an HTTP token"));
        let split = RequestTarget::Origin("/ HTTP/1.1\r\nX: y");
        assert!(refused("GET", split, "a").contains("a blank at byte 1"));
        assert!(
            refused("GET", RequestTarget::Origin("/\n"), "a").contains("a line feed at byte 1")
        );
        assert!(refused("GET", RequestTarget::Origin("/\0"), "a").contains("a NUL"));
        assert!(refused("GET", RequestTarget::Origin("/中"), "a").contains("outside ASCII"));
        assert!(refused("GET", RequestTarget::Origin("a"), "a").contains("begins with /"));
        assert!(refused("GET", RequestTarget::Absolute("/a"), "a").contains("whole URL"));
        for authority in ["a", "a:", "a:x", "a:70000", "a/b:1"] {
            assert!(
                refused("CONNECT", RequestTarget::Authority(authority), "a").contains("host:port")
            );
        }
        assert!(refused("GET", root, "a\r\nX: y").contains("header Host has a carriage return"));
    }

    #[test]
    fn headers_cannot_split_the_head_or_contradict_its_framing() {
        for name in ["", "a b", "a:", "a\r\nb", "a\0", "ä"] {
            let error = HeaderField::new(name, &b"x"[..]).unwrap_err();
            assert!(matches!(error, RequestError::HeaderName { .. }), "{name:?}");
        }
        for (value, at) in [
            (&b"x\r\ny: z"[..], 1),
            (b"\n", 0),
            (b"xy\0", 2),
            (b"\x7f", 0),
        ] {
            match HeaderField::new("Cookie", value).unwrap_err() {
                RequestError::HeaderValue {
                    name, at: found, ..
                } => {
                    assert_eq!((name.as_str(), found), ("Cookie", at));
                }
                other => panic!("{other}"),
            }
        }
        for name in ["HOST", "content-length", "Transfer-Encoding"] {
            assert!(HeaderField::is_reserved(name));
            let error = HeaderField::new(name, &b"1"[..]).unwrap_err();
            assert!(matches!(error, RequestError::Reserved { .. }));
        }
        let fields = [HeaderField::new("X", "tab\tand ä".as_bytes()).unwrap()];
        let root = RequestTarget::Origin("/");
        let mut out = Vec::new();
        let head = RequestHead::new("GET", root, "a", &fields, BodyFraming::None);
        head.unwrap().write(&mut out);
        let expected = "GET / HTTP/1.1\r\nHost: a\r\nX: tab\tand ä\r\n\r\n";
        assert_eq!(out, expected.as_bytes());
    }

    #[test]
    fn a_secret_value_is_not_quoted() {
        let value = &b"Bearer hunter2\n"[..];
        let error = HeaderField::new("Authorization", value).unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}

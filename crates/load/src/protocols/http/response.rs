//! What is kept of a response: what the plan asks for, and what the engine itself needs.

use plimsoll_stats::{Code, LabelId};

use crate::clock::Nanos;
use crate::failed::FailedResponse;
use crate::http1::{Head, Sink};
use crate::recorder::Recorder;

/// A response. Its buffers are empty unless somebody asked for them.
#[derive(Debug, Default)]
pub struct Response {
    /// Status; 0: none came.
    pub status: u16,
    /// What stands for the status where another protocol has none.
    pub code: Code,
    /// Reason phrase, when samples are logged.
    pub reason: String,
    /// Header section, when asked for.
    pub head: Vec<u8>,
    /// Body as sent, when asked for.
    pub body: Vec<u8>,
    /// `Location` of a redirect.
    pub location: Option<String>,
    /// `Set-Cookie` values, when cookies are kept.
    pub set_cookies: Vec<Vec<u8>>,
    /// `Content-Encoding`, when the body is kept.
    pub content_encoding: Option<String>,
    /// `WWW-Authenticate` values of a 401.
    pub challenges: Vec<String>,
    /// A `100 Continue` came.
    pub continues: bool,
    /// `Content-Type` says text, when samples are logged.
    pub text: bool,
    /// `Content-Type`, when asked for.
    pub content_type: Option<String>,
    /// Bytes of the header section.
    pub head_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// When the request began: no response to it can have come before.
    pub start_ns: Nanos,
    /// First byte; 0: none.
    pub first_byte_ns: Nanos,
    /// Last byte, or the failure.
    pub end_ns: Nanos,
    /// How long its last bytes lay in the kernel before they were noticed, if that is known.
    pub lag_ns: Option<u64>,
    /// The connection may be used again.
    pub keep_alive: bool,
    /// What a sample of the failure shows, when one is wanted.
    pub failed: Option<Box<FailedResponse>>,
}

impl Response {
    /// A piece came then, the last one so far.
    pub fn came(&mut self, at_ns: Nanos) {
        self.end_ns = at_ns;
        if self.first_byte_ns == 0 {
            self.first_byte_ns = at_ns;
        }
    }
}

/// What is wanted of a response.
#[derive(Debug, Clone, Copy, Default)]
pub struct Want {
    /// The header section.
    pub head: bool,
    /// The body.
    pub body: bool,
    /// Cookies.
    pub cookies: bool,
    /// The reason phrase and the kind of content.
    pub reason: bool,
    /// The type of the content.
    pub content_type: bool,
    /// The place of a redirect with a character for each byte, as JMeter's clients read heads.
    pub location_bytes: bool,
}

/// Which responses fail by their status, so that a sample of them may be wanted.
#[derive(Clone, Copy)]
pub struct Failing<'a> {
    /// The label.
    pub label: LabelId,
    /// Whether a response with that status fails.
    pub fails: &'a dyn Fn(u16) -> bool,
}

/// Fills a response from the reader's events.
pub struct Taker<'a> {
    /// The response.
    pub response: &'a mut Response,
    /// What is wanted.
    pub want: Want,
    /// Which responses fail, and who knows whether a sample is wanted.
    pub failing: Option<(Failing<'a>, &'a Recorder)>,
}

impl Taker<'_> {
    /// Keeps what a sample of a response that fails shows.
    #[inline]
    fn keep_failed(&mut self, head: &Head<'_>) {
        if let Some((failing, recorder)) = self.failing
            && (failing.fails)(head.status)
            && recorder.lacks(failing.label, Code::Http(head.status))
        {
            let mut failed = FailedResponse::default();
            write_head(head, &mut failed.head);
            self.response.failed = Some(Box::new(failed));
        }
    }

    fn special_headers(&mut self, head: &Head<'_>) {
        let redirect = (300..400).contains(&head.status);
        let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
        // The status line, a line for each header, the blank line.
        let mut head_bytes = b"HTTP/1.1 200 \r\n\r\n".len() + head.reason.len();
        for (name, value) in head.iter() {
            head_bytes += name.len() + value.len() + b": \r\n".len();
            match name.len() {
                8 if redirect && name.eq_ignore_ascii_case("location") => {
                    self.response.location = Some(match self.want.location_bytes {
                        true => latin(value).trim().to_owned(),
                        false => text(value),
                    });
                }
                10 if self.want.cookies && name.eq_ignore_ascii_case("set-cookie") => {
                    self.response.set_cookies.push(value.to_vec());
                }
                12 if self.want.reason && name.eq_ignore_ascii_case("content-type") => {
                    self.response.text = !value.starts_with(b"image/");
                    if self.want.content_type {
                        self.response.content_type = Some(text(value));
                    }
                }
                16 if self.want.body && name.eq_ignore_ascii_case("content-encoding") => {
                    self.response.content_encoding = Some(text(value));
                }
                16 if head.status == 401 && name.eq_ignore_ascii_case("www-authenticate") => {
                    self.response.challenges.push(text(value));
                }
                _ => {}
            }
        }
        self.response.head_bytes = head_bytes as u64;
    }
}

/// A text with a character for each byte.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Writes a header section as it came.
fn write_head(head: &Head<'_>, into: &mut Vec<u8>) {
    let version = if head.version_minor == 0 {
        "HTTP/1.0 "
    } else {
        "HTTP/1.1 "
    };
    into.extend_from_slice(version.as_bytes());
    into.extend_from_slice(head.status.to_string().as_bytes());
    into.push(b' ');
    into.extend_from_slice(head.reason);
    into.extend_from_slice(b"\r\n");
    for (name, value) in head.iter() {
        for piece in [
            name.as_bytes(),
            b": ",
            &crate::http1::unfold(value),
            b"\r\n",
        ] {
            into.extend_from_slice(piece);
        }
    }
    into.extend_from_slice(b"\r\n");
}

impl Sink for Taker<'_> {
    fn informational(&mut self, head: &Head<'_>) {
        self.response.continues |= head.status == 100;
    }

    #[inline]
    fn head(&mut self, head: &Head<'_>) {
        self.response.status = head.status;
        if self.want.head {
            self.response.head.clear();
            write_head(head, &mut self.response.head);
        }
        self.keep_failed(head);
        if self.want.reason {
            self.response.reason = String::from_utf8_lossy(head.reason).into_owned();
        }
        self.special_headers(head);
    }

    #[inline]
    fn body(&mut self, piece: &[u8]) {
        if self.want.body {
            self.response.body.extend_from_slice(piece);
        }
        if let Some(failed) = &mut self.response.failed {
            failed.add(piece);
        }
    }
}

//! What is kept of a sample that failed: the request and the response as a person reads them,
//! without secrets, cut. Nothing here runs for samples that succeed, nor for failures of which
//! enough samples are kept.

use plimsoll_secrets::Known;
use plimsoll_stats::KeptSample;
use plimsoll_stats::failures::cut;

use crate::clock::Nanos;

/// As much of a body is looked at, bytes.
const READ_BYTES: usize = 16 << 10;
/// What is cut off may have torn a secret in two: this much before it is not shown, bytes.
const TORN_BYTES: usize = 4 << 10;
/// Longest request that is kept, bytes.
const REQUEST_BYTES: usize = 2 << 10;
/// Longest response that is kept, bytes.
const RESPONSE_BYTES: usize = 4 << 10;
/// Longest reason, bytes.
const DETAIL_BYTES: usize = 600;

/// What is kept of a response that fails by its status, until its sample is made.
#[derive(Debug, Default, Clone)]
pub struct FailedResponse {
    /// Status line and headers.
    pub head: Vec<u8>,
    /// The beginning of the body, as sent.
    pub body: Vec<u8>,
    /// All of the body, bytes.
    pub body_bytes: usize,
}

impl FailedResponse {
    /// Takes a piece of the body.
    pub fn add(&mut self, piece: &[u8]) {
        self.body_bytes += piece.len();
        let room = READ_BYTES.saturating_sub(self.body.len());
        self.body.extend_from_slice(&piece[..piece.len().min(room)]);
    }
}

/// A message as it went over the wire, or what is known of it.
#[derive(Debug, Default, Clone, Copy)]
pub struct ShownMessage<'a> {
    /// First line and headers.
    pub head: &'a [u8],
    /// The body, or its beginning.
    pub body: &'a [u8],
    /// All of the body, bytes.
    pub body_bytes: usize,
    /// The body is still in the coding that the headers name.
    pub coded: bool,
}

impl<'a> ShownMessage<'a> {
    /// A whole message.
    #[must_use]
    pub fn whole(bytes: &'a [u8]) -> Self {
        let end = memchr::memmem::find(bytes, b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let (head, body) = bytes.split_at(end);
        Self {
            head,
            body,
            body_bytes: body.len(),
            coded: true,
        }
    }

    /// The text without secrets, at most `limit` bytes and a mark of what is left out.
    fn text(self, known: &Known, limit: usize) -> String {
        let head = String::from_utf8_lossy(self.head).replace("\r\n", "\n");
        let mut text = known.text(head.trim_end()).into_owned();
        let body = self.body_text(known);
        if !body.is_empty() {
            text.push_str("\n\n");
            text.push_str(&body);
        }
        if text.len() > limit {
            text = format!("{}…", cut(&text, limit));
        }
        text
    }

    fn body_text(self, known: &Known) -> String {
        let bytes = self.body_bytes;
        if bytes == 0 {
            return String::new();
        }
        let coding = self.header("content-encoding");
        if self.coded && coding.is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
            return format!("(compressed, {bytes} bytes)");
        }
        let read = &self.body[..self.body.len().min(READ_BYTES)];
        let is_cut = read.len() < bytes;
        let Some(text) = decoded(read, self.header("content-type"), is_cut) else {
            return format!("(binary, {bytes} bytes)");
        };
        let masked = known.text(&text);
        if !is_cut {
            return masked.into_owned();
        }
        let shown = cut(&masked, masked.len().saturating_sub(TORN_BYTES));
        format!("{shown}…")
    }

    fn header(self, name: &str) -> Option<&'a str> {
        let head = std::str::from_utf8(self.head).ok()?;
        head.lines().skip(1).find_map(|line| {
            let (of, value) = line.split_once(':')?;
            of.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Bytes as text, if they are one.
fn decoded(bytes: &[u8], content_type: Option<&str>, is_cut: bool) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // The last character may be torn.
        Err(error) if is_cut && error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => {
            let (_, charset) = content_type?.split_once("charset=")?;
            let charset = charset.split(';').next()?.trim().trim_matches('"');
            let coding = encoding_rs::Encoding::for_label(charset.as_bytes())?;
            coding.decode(bytes).0.into_owned()
        }
    };
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    (!text.contains(steers)).then_some(text)
}

/// The sample that is kept.
#[must_use]
pub fn kept(
    known: &Known,
    end_ns: Nanos,
    detail: &str,
    request: ShownMessage<'_>,
    response: ShownMessage<'_>,
) -> KeptSample {
    KeptSample {
        at_ms: end_ns / 1_000_000,
        detail: cut(&known.text(detail), DETAIL_BYTES).to_owned(),
        request: request.text(known, REQUEST_BYTES),
        response: response.text(known, RESPONSE_BYTES),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn kept_of(request: &[u8], response: &[u8]) -> KeptSample {
        let known = Known::new(["opensesame99"]);
        let shown = ShownMessage::whole;
        kept(
            &known,
            1_500_000,
            "why opensesame99",
            shown(request),
            shown(response),
        )
    }

    #[test]
    fn a_sample_shows_both_messages_without_secrets() {
        let kept = kept_of(
            b"POST /in?token=abcdef123456 HTTP/1.1\r\nAuthorization: Bearer abcdef\r\n\r\n{\"password\":\"hunter22\",\"a\":1}",
            b"HTTP/1.1 401 Unauthorized\r\nSet-Cookie: sid=secret77; Path=/\r\n\r\nno opensesame99 here",
        );
        assert_eq!(kept.at_ms, 1);
        assert_eq!(kept.detail, "why ***");
        for secret in ["abcdef", "hunter22", "secret77", "opensesame99"] {
            let all = format!("{kept:?}");
            assert!(!all.contains(secret), "{secret} in {all}");
        }
        assert!(
            kept.request.starts_with("POST /in?token=***"),
            "{}",
            kept.request
        );
        assert!(kept.request.ends_with("\"a\":1}"), "{}", kept.request);
        assert!(
            kept.response.ends_with("\n\nno *** here"),
            "{}",
            kept.response
        );
    }

    #[test]
    fn bodies_that_nobody_can_read_are_named() {
        let zipped = b"HTTP/1.1 500 X\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8babc";
        let binary = b"HTTP/1.1 500 X\r\nContent-Type: image/png\r\n\r\n\x89PNG\0\xff";
        let gbk = b"HTTP/1.1 500 X\r\nContent-Type: text/html; charset=GBK\r\n\r\n\xb4\xed\xce\xf3";
        assert!(
            kept_of(b"", zipped)
                .response
                .ends_with("(compressed, 5 bytes)")
        );
        assert!(kept_of(b"", binary).response.ends_with("(binary, 6 bytes)"));
        assert!(kept_of(b"", gbk).response.ends_with("错误"));
        let empty = kept_of(b"", b"HTTP/1.1 503 X\r\n\r\n");
        assert_eq!((&*empty.request, &*empty.response), ("", "HTTP/1.1 503 X"));
    }

    #[test]
    fn long_messages_are_cut_and_no_torn_secret_is_shown() {
        // What is read ends within the last secret, and masks before it would make that shown.
        let secret = "opensesame".repeat(6);
        let body = secret.repeat(READ_BYTES / secret.len() + 1);
        let mut begin = FailedResponse::default();
        body.as_bytes()
            .chunks(1_000)
            .for_each(|piece| begin.add(piece));
        assert_eq!(
            (begin.body.len(), begin.body_bytes),
            (READ_BYTES, body.len())
        );
        let response = ShownMessage {
            head: b"HTTP/1.1 500 X",
            body: &begin.body,
            body_bytes: begin.body_bytes,
            coded: true,
        };
        let known = Known::new([&secret]);
        let kept = kept(&known, 0, "", ShownMessage::default(), response);
        assert!(!kept.response.contains("open"), "{}", kept.response);
        let long = vec![b'x'; 1 << 20];
        let kept = kept_of(&long, &long);
        assert!(kept.request.len() <= REQUEST_BYTES + 3);
        assert!(kept.response.len() <= RESPONSE_BYTES + 3);
        assert!(kept.request.ends_with('…'));
    }
}

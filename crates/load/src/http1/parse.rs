//! Help around the parser of heads: its settings, what it leaves unsaid about
//! a mistake, and when it is worth running on a head that is not complete.

use std::mem::MaybeUninit;

use super::error::ReadError;

/// Headers that are parsed without allocating.
pub(super) const USUAL_HEADERS: usize = 64;

/// Place of the status code in `HTTP/1.1 200 OK`.
pub(super) const STATUS_AT: usize = "HTTP/1.1 ".len();

/// Obsolete line folds are still sent (RFC 9112, 5.2).
pub(super) fn parser() -> httparse::ParserConfig {
    let mut parser = httparse::ParserConfig::default();
    parser.allow_obsolete_multiline_headers_in_responses(true);
    parser
}

/// What is wrong with a head that may be incomplete, if anything is.
pub(super) fn mistake(bytes: &[u8], headers: usize) -> Option<httparse::Error> {
    let mut slots = vec![MaybeUninit::uninit(); headers];
    let mut response = httparse::Response::new(&mut []);
    parser()
        .parse_response_with_uninit_headers(&mut response, bytes, &mut slots)
        .err()
}

/// Says what and where: `bytes` begins at `offset` in the response.
#[cold]
pub(super) fn explain(
    error: httparse::Error,
    bytes: &[u8],
    offset: u64,
    headers: usize,
) -> ReadError {
    if error == httparse::Error::TooManyHeaders {
        return ReadError::HeaderLimit {
            limit: headers as u64,
            unit: "headers",
        };
    }
    // The parser does not say where; the shortest prefix it rejects does.
    let (mut good, mut bad) = (0, bytes.len());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match mistake(&bytes[..middle], headers) {
            Some(_) => bad = middle,
            None => good = middle,
        }
    }
    let what = match error {
        httparse::Error::Version | httparse::Error::Token if good < STATUS_AT - 1 => {
            "not an HTTP/1 response"
        }
        httparse::Error::Version => "invalid HTTP version",
        httparse::Error::Status => "invalid status code or reason phrase",
        httparse::Error::HeaderName => "invalid character in a header name",
        httparse::Error::HeaderValue => "invalid character in a header value",
        httparse::Error::NewLine => "line feed expected after a carriage return",
        _ => "invalid character",
    };
    let line = bytes[..good]
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let near = &bytes[line.max(good.saturating_sub(30))..];
    let near = near.split(|&b| b == b'\n').next().unwrap_or(near);
    ReadError::malformed(what, offset + good as u64, near.trim_ascii_end())
}

/// The length of a saved head at which to parse it again: at any new byte while
/// it is short, so that mistakes are seen at once; then whenever it has doubled,
/// so that a head in small pieces does not cost its length squared.
pub(super) fn parse_again_at(length: usize) -> usize {
    const SHORT_BYTES: usize = 4096;
    if length < SHORT_BYTES {
        length + 1
    } else {
        length.saturating_mul(2)
    }
}

/// Where in `new`, which follows `saved`, the first empty line ends.
pub(super) fn head_end(saved: &[u8], new: &[u8]) -> Option<usize> {
    let before = |i: usize, back: usize| match i.checked_sub(back) {
        Some(i) => Some(new[i]),
        None => saved.len().checked_sub(back - i).map(|i| saved[i]),
    };
    memchr::memchr_iter(b'\n', new)
        .find(|&i| match before(i, 1) {
            Some(b'\n') => true,
            Some(b'\r') => before(i, 2) == Some(b'\n'),
            _ => false,
        })
        .map(|i| i + 1)
}

/// The reason phrase as sent: the parser withholds one with bytes above 127.
pub(super) fn raw_reason(head: &[u8]) -> &[u8] {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    let reason = line.get(STATUS_AT + 3..).unwrap_or_default();
    reason.trim_ascii()
}

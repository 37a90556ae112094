//! The head of a response, and what it says about the body's end.

use std::borrow::Cow;

use super::error::ReadError;

/// The head of one response, borrowed from the bytes it was read from.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// `0` for HTTP/1.0, `1` for HTTP/1.1.
    pub version_minor: u8,
    /// The status code, 100 to 999.
    pub status: u16,
    /// The reason phrase as sent; often empty, not always UTF-8.
    pub reason: &'a [u8],
    pub(super) headers: &'a [httparse::Header<'a>],
}

impl<'a> Head<'a> {
    /// All headers in the order sent. A value may contain an obsolete line
    /// fold as it was sent; see [`unfold`].
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        self.headers.iter().map(|h| (h.name, h.value))
    }

    /// The first header of that name, compared without regard to case.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// A header value with obsolete line folds (RFC 9112, 5.2) replaced by one
/// space each. Borrows when there is none.
pub fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\n') {
        return Cow::Borrowed(value);
    }
    let lines = value.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    Cow::Owned(lines.collect::<Vec<_>>().join(&b' '))
}

/// How the end of a body is found (RFC 9112, 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// What the headers say about the body and the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadFacts {
    pub framing: Framing,
    pub keep_alive: bool,
}

/// Content-Length as found. A bad one matters only if it is needed.
#[derive(Clone, Copy)]
enum ContentLength<'a> {
    Absent,
    Known(u64),
    Bad(&'static str, &'a [u8]),
}

/// Reads framing and connection headers in one pass. `bytes` is what the head
/// was parsed from and starts at `offset` in the response. A wrong length is an
/// error only if the response has a body.
pub(super) fn facts(
    head: &Head<'_>,
    bytes: &[u8],
    offset: u64,
    has_body: bool,
) -> Result<HeadFacts, ReadError> {
    let mut length = ContentLength::Absent;
    let mut coding = None;
    let mut close = false;
    let mut keep = head.version_minor != 0;
    for header in head.headers {
        match header.name.len() {
            10 if is(header.name, "Connection") => match header.value {
                b"keep-alive" => keep = true,
                b"close" => close = true,
                list => {
                    close |= has_token(list, b"close");
                    keep |= has_token(list, b"keep-alive");
                }
            },
            14 if is(header.name, "Content-Length") => {
                length = add_length(length, header.value);
            }
            17 if is(header.name, "Transfer-Encoding") => {
                coding = Some(header.value);
            }
            _ => {}
        }
    }
    let framing = match (coding, length) {
        (Some(coding), _) => coded_framing(coding),
        (None, ContentLength::Absent) if !has_body => Framing::Length(0),
        (None, ContentLength::Absent) => Framing::UntilClose,
        (None, ContentLength::Known(length)) => Framing::Length(length),
        (None, ContentLength::Bad(..)) if !has_body => Framing::Length(0),
        (None, ContentLength::Bad(what, value)) => {
            // The value is a part of `bytes`, so the difference is its place.
            let at = value.as_ptr() as usize - bytes.as_ptr() as usize;
            return Err(ReadError::malformed(what, offset + at as u64, value));
        }
    };
    // Both length and coding, or a coding in HTTP/1.0, mean that somebody on
    // the way is confused about where responses end (RFC 9112, 6.1 and 6.3). So does a 204 with either: a
    // body that it must not have may follow (RFC 9110, 8.6).
    let announces_none =
        coding.is_none() && matches!(length, ContentLength::Absent | ContentLength::Known(0));
    let confused = coding.is_some()
        && (head.version_minor == 0 || !matches!(length, ContentLength::Absent))
        || head.status == 204 && !announces_none;
    Ok(HeadFacts {
        framing,
        keep_alive: keep && !close && !confused && framing != Framing::UntilClose,
    })
}

/// Compares a name without regard to case; cheapest if it is as usual.
#[inline]
fn is(name: &str, usual: &str) -> bool {
    name == usual || name.eq_ignore_ascii_case(usual)
}

/// Whether a comma-separated list holds the token, without regard to case.
fn has_token(list: &[u8], token: &[u8]) -> bool {
    list.split(|&b| b == b',')
        .any(|item| item.trim_ascii().eq_ignore_ascii_case(token))
}

/// Only a final `chunked` tells where the body ends (RFC 9112, 6.3).
fn coded_framing(codings: &[u8]) -> Framing {
    let last = codings.rsplit(|&b| b == b',').next().unwrap_or_default();
    if last.trim_ascii().eq_ignore_ascii_case(b"chunked") {
        Framing::Chunked
    } else {
        Framing::UntilClose
    }
}

#[inline]
fn add_length<'a>(so_far: ContentLength<'a>, value: &'a [u8]) -> ContentLength<'a> {
    match (so_far, decimal(value)) {
        (ContentLength::Absent, Ok(length)) => ContentLength::Known(length),
        _ => add_lengths(so_far, value),
    }
}

/// Several equal values, in one header or more, count as one (RFC 9110, 8.6).
#[cold]
fn add_lengths<'a>(so_far: ContentLength<'a>, value: &'a [u8]) -> ContentLength<'a> {
    value.split(|&b| b == b',').fold(so_far, |so_far, item| {
        match (so_far, decimal(item.trim_ascii())) {
            (ContentLength::Bad(..), _) => so_far,
            (_, Err(what)) => ContentLength::Bad(what, value),
            (ContentLength::Known(a), Ok(b)) if a != b => {
                ContentLength::Bad("different Content-Length values", value)
            }
            (_, Ok(length)) => ContentLength::Known(length),
        }
    })
}

#[inline]
fn decimal(digits: &[u8]) -> Result<u64, &'static str> {
    const WRONG: &str = "Content-Length is not a number";
    if digits.is_empty() {
        return Err(WRONG);
    }
    digits.iter().try_fold(0u64, |n, &digit| {
        if !digit.is_ascii_digit() {
            return Err(WRONG);
        }
        n.checked_mul(10)
            .and_then(|n| n.checked_add(u64::from(digit - b'0')))
            .ok_or("Content-Length is too large")
    })
}

//! Values of headers: of credentials only the scheme is left, of cookies the names.

use crate::names::is_one_of;
use crate::shapes::behind_scheme;
use crate::spans::{Bare, SpanSink};

/// What a cookie says of itself.
const ATTRIBUTES: &[&str] = &[
    "path",
    "domain",
    "expires",
    "max-age",
    "samesite",
    "secure",
    "httponly",
    "priority",
    "partitioned",
    "version",
];

/// Whether a header's value goes to the end of its line whatever is in it.
pub(crate) fn is_header(name: &str) -> bool {
    let name = name
        .trim_start_matches(['-', '$', ' '])
        .to_ascii_lowercase();
    ["authorization", "cookie", "x-auth"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Masks a value that is secret by its name.
pub(crate) fn hide(name: &str, bytes: &[u8], from: usize, to: usize, sink: &mut SpanSink<'_>) {
    hide_scalar(name, bytes, from, to, Bare::No, sink);
}

/// The same for one that may need quotes.
pub(crate) fn hide_scalar(
    name: &str,
    bytes: &[u8],
    from: usize,
    to: usize,
    bare: Bare,
    sink: &mut SpanSink<'_>,
) {
    let value = &bytes[from..to];
    if is_open(value) {
        return;
    }
    let lower = name.to_ascii_lowercase();
    if lower.ends_with("cookie") || lower.ends_with("cookies") {
        return cookies(bytes, from, to, bare, sink);
    }
    match behind_scheme(value) {
        Some(behind) if is_open(&value[behind..]) => {}
        Some(behind) => sink.hide(from + behind, to),
        None => sink.hide_scalar(from, to, bare),
    }
}

fn cookies(bytes: &[u8], from: usize, to: usize, bare: Bare, sink: &mut SpanSink<'_>) {
    let mut at = from;
    for piece in bytes[from..to].split(|c| *c == b';') {
        let begin = at + piece.iter().take_while(|c| c.is_ascii_whitespace()).count();
        let end = at + piece.len();
        at = end + 1;
        let piece = &bytes[begin.min(end)..end];
        let equals = piece.iter().position(|c| *c == b'=');
        let name = &piece[..equals.unwrap_or(piece.len())];
        if is_one_of(ATTRIBUTES, name) {
            continue;
        }
        match equals {
            Some(equals) if !is_open(&piece[equals + 1..]) => sink.hide(begin + equals + 1, end),
            Some(_) => {}
            None if is_open(piece) => {}
            None => sink.hide_scalar(begin, end, bare),
        }
    }
}

/// Whether a value says nothing: none, a truth, or a reference to where the secret is.
pub(crate) fn is_open(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    const WORDS: &[&str] = &[
        "",
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "~",
        "yes",
        "no",
    ];
    is_one_of(WORDS, value) || is_reference(value) || is_json_path(value)
}

/// The same of a value that may say how it is used before: `Bearer ${token}`.
pub(crate) fn is_open_behind_scheme(value: &[u8]) -> bool {
    is_open(value) || behind_scheme(value).is_some_and(|behind| is_open(&value[behind..]))
}

/// `$.token`, `$.data[0].token`: where in a response a value is found. Words and numbers alone, so that nothing is
/// taken for a path that is none.
fn is_json_path(value: &[u8]) -> bool {
    let Some(rest) = value.strip_prefix(b"$.") else {
        return false;
    };
    let fits = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'[' | b']' | b'*');
    let words = rest.split(|c| matches!(c, b'.' | b'[' | b']' | b'*'));
    let mut words = words.filter(|word| !word.is_empty());
    // `$.Xk29-…` may be a password; names of fields are words.
    let is_word = |word: &[u8]| {
        word.len() <= 32
            && (word.iter().all(u8::is_ascii_digit)
                || word.iter().all(|c| c.is_ascii_alphabetic() || *c == b'_'))
    };
    rest.iter().all(fits) && words.clone().next().is_some() && words.all(is_word)
}

/// `${name}`, `{{name}}`, `$NAME`, `%(name)s`, `${a}${b}`.
fn is_reference(mut value: &[u8]) -> bool {
    let name = |text: &[u8]| {
        let fits = |c: &&u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.' | b' ');
        text.iter().take_while(fits).count()
    };
    let mut any = false;
    while !value.is_empty() {
        let (open, close): (&[u8], &[u8]) = match value {
            [b'$', b'{', b'{', ..] => (b"${{", b"}}"),
            [b'$', b'{', ..] => (b"${", b"}"),
            [b'{', b'{', ..] => (b"{{", b"}}"),
            [b'%', b'(', ..] => (b"%(", b")s"),
            [b'$', first, ..] if first.is_ascii_alphabetic() || *first == b'_' => (b"$", b""),
            _ => return false,
        };
        let inside = &value[open.len()..];
        let length = name(inside);
        let Some(rest) = inside[length..].strip_prefix(close) else {
            return false;
        };
        // `$Secret1` might be a password.
        if close.is_empty() && (!rest.is_empty() || inside.iter().any(u8::is_ascii_lowercase)) {
            return false;
        }
        if length == 0 {
            return false;
        }
        value = rest;
        any = true;
    }
    any
}

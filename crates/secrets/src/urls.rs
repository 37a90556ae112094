//! Passwords in addresses: `scheme://user:password@host`, `user:password@host:port`,
//! `jdbc:oracle:thin:user/password@host`.

use memchr::{memchr, memmem};

use crate::names::is_one_of;
use crate::shapes::is_random;
use crate::spans::SpanSink;

/// Longest login that is looked for without a scheme.
const MAX_LOGIN: usize = 256;

/// What stands before `:` without being a user.
const NO_USERS: &[&str] = &[
    "mailto",
    "sip",
    "sips",
    "xmpp",
    "acct",
    "npm",
    "workspace",
    "git",
    "file",
    "im",
    "skype",
];

/// Masks the passwords of addresses.
pub(crate) fn find(bytes: &[u8], sink: &mut SpanSink<'_>) {
    let mut at = 0;
    while let Some(found) = memmem::find(&bytes[at..], b"://") {
        let scheme_end = at + found;
        at = scheme_end + 3;
        let rest = &bytes[at..];
        // An address in an address is looked at by itself.
        let next = memmem::find(rest, b"://").unwrap_or(rest.len());
        let end = rest[..next]
            .iter()
            .position(|c| ends_address(*c))
            .unwrap_or(next);
        if let Some((from, to)) = login(&rest[..end], is_token_scheme(&bytes[..scheme_end])) {
            sink.hide(at + from, at + to);
        }
        if let Some(from) = hook(&rest[..end]) {
            sink.hide(at + from, at + end);
        }
        at += end;
    }
    without_scheme(bytes, sink);
}

/// Addresses that are secrets themselves, by what they begin with.
const HOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "api.telegram.org/bot",
];

/// Where the secret begins in an address that is one itself.
fn hook(address: &[u8]) -> Option<usize> {
    let found = HOOKS
        .iter()
        .find(|hook| address.starts_with(hook.as_bytes()))?;
    (found.len() < address.len()).then_some(found.len())
}

fn ends_address(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`')
}

/// Whether a user alone is a token in addresses of that scheme.
fn is_token_scheme(before: &[u8]) -> bool {
    before.ends_with(b"nats") || before.ends_with(b"tls")
}

/// The stretch of an address behind its scheme that is a password, or a token in a user's place.
fn login(address: &[u8], token_scheme: bool) -> Option<(usize, usize)> {
    let authority = address.iter().position(|c| matches!(c, b'/' | b'?' | b'#'));
    let authority = &address[..authority.unwrap_or(address.len())];
    let at = memchr::memrchr(b'@', authority);
    let colon = memchr(b':', authority);
    let Some(at) = at else {
        // `redis://:s3/cret@cache`; but `http://host:80/mail?to=a@b` names no user.
        let colon = colon.filter(|_| !authority.starts_with(b"["))?;
        let at = memchr::memrchr(b'@', address)?;
        let digits = address[colon + 1..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .count();
        let after = address.get(colon + 1 + digits);
        let is_port = matches!(after, Some(b'/' | b'?' | b'#' | b','));
        return (!is_port && colon + 1 < at).then_some((colon + 1, at));
    };
    match colon.filter(|colon| *colon < at) {
        // A token and no password, or one that is the same for all.
        Some(colon)
            if colon > 0 && matches!(&authority[colon + 1..at], b"" | b"x-oauth-basic" | b"X") =>
        {
            Some((0, colon))
        }
        Some(colon) if is_random(&authority[..colon]) => Some((0, at)),
        Some(colon) => (colon + 1 < at).then_some((colon + 1, at)),
        None => (token_scheme || is_random(&authority[..at])).then_some((0, at)),
    }
}

/// `root:password@db:3306`, `joe:password@example.org`, `thin:scott/tiger@db:1521`.
fn without_scheme(bytes: &[u8], sink: &mut SpanSink<'_>) {
    for at in memchr::memchr_iter(b'@', bytes) {
        let start = at.saturating_sub(MAX_LOGIN);
        let before = &bytes[start..at];
        let begins = before.iter().rposition(|c| {
            ends_address(*c) || matches!(c, b'@' | b'=' | b',' | b'(' | b'&' | b'?')
        });
        let from = begins.map_or(start, |place| start + place + 1);
        let word = &bytes[from..at];
        if let Some(oracle) = oracle(word) {
            sink.hide(from + oracle, at);
            continue;
        }
        let Some(colon) = memchr(b':', word).filter(|colon| *colon > 0 && colon + 1 < word.len())
        else {
            continue;
        };
        let user = &word[..colon];
        let is_user = user
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || b"._%+-$".contains(c))
            && !is_one_of(NO_USERS, user);
        if is_user && !word[colon..].contains(&b'/') && is_host(&bytes[at + 1..]) {
            sink.hide(from + colon + 1, at);
        }
    }
}

/// Where the password begins in `jdbc:oracle:thin:user/password`.
fn oracle(word: &[u8]) -> Option<usize> {
    let place = memmem::find(word, b"oracle:")?;
    let slash = memchr(b'/', &word[place..])?;
    Some(place + slash + 1).filter(|from| *from < word.len())
}

/// Whether a text begins with a host, by its dots or its port.
fn is_host(text: &[u8]) -> bool {
    let name = text
        .iter()
        .take(MAX_LOGIN)
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'_' | b'[' | b']'))
        .count();
    let host = &text[..name];
    let port = text.get(name) == Some(&b':') && text.get(name + 1).is_some_and(u8::is_ascii_digit);
    let dotted = host.contains(&b'.') && host.iter().any(u8::is_ascii_alphabetic);
    let address = host.split(|c| *c == b'.').count() == 4;
    let checksum = host.starts_with(b"sha256") || host.starts_with(b"sha512");
    !host.is_empty()
        && !checksum
        && (port || dotted || address || host.eq_ignore_ascii_case(b"localhost"))
}

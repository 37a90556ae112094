//! Secrets that are known by their own shape: tokens of well-known services, JSON Web Tokens,
//! private keys, credentials behind the name of a scheme.

use memchr::memmem;

use crate::names::is_one_of;
use crate::spans::SpanSink;

/// A kind of token: what it begins with, the least number of letters behind it, and which.
struct TokenKind(&'static str, usize, Letters);

#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Capital letters and digits.
    Capital,
    /// Also `-`, `_` and `.`.
    Wide,
}

use Letters::{Capital, Plain, Wide};

const KINDS: &[TokenKind] = &[
    TokenKind("AKIA", 16, Capital),
    TokenKind("ASIA", 16, Capital),
    TokenKind("ABIA", 16, Capital),
    TokenKind("AROA", 16, Capital),
    TokenKind("AIza", 30, Wide),
    TokenKind("ghp_", 16, Plain),
    TokenKind("gho_", 16, Plain),
    TokenKind("ghu_", 16, Plain),
    TokenKind("ghs_", 16, Plain),
    TokenKind("ghr_", 16, Plain),
    TokenKind("github_pat_", 16, Wide),
    TokenKind("glpat-", 12, Wide),
    TokenKind("glptt-", 12, Wide),
    TokenKind("gldt-", 12, Wide),
    TokenKind("glrt-", 12, Wide),
    TokenKind("xoxa-", 8, Wide),
    TokenKind("xoxb-", 8, Wide),
    TokenKind("xoxe-", 8, Wide),
    TokenKind("xoxe.", 8, Wide),
    TokenKind("xoxp-", 8, Wide),
    TokenKind("xoxr-", 8, Wide),
    TokenKind("xoxs-", 8, Wide),
    TokenKind("xapp-", 8, Wide),
    TokenKind("sk-", 16, Wide),
    TokenKind("sk_live_", 10, Plain),
    TokenKind("sk_test_", 10, Plain),
    TokenKind("rk_live_", 10, Plain),
    TokenKind("rk_test_", 10, Plain),
    TokenKind("whsec_", 16, Plain),
    TokenKind("ya29.", 16, Wide),
    TokenKind("GOCSPX-", 16, Wide),
    TokenKind("npm_", 24, Plain),
    TokenKind("pypi-", 24, Wide),
    TokenKind("dop_v1_", 24, Plain),
    TokenKind("doo_v1_", 24, Plain),
    TokenKind("shpat_", 24, Plain),
    TokenKind("shpss_", 24, Plain),
    TokenKind("shpca_", 24, Plain),
    TokenKind("SG.", 24, Wide),
    TokenKind("hvs.", 16, Wide),
    TokenKind("hvb.", 16, Wide),
    TokenKind("dckr_pat_", 16, Wide),
    TokenKind("tskey-", 16, Wide),
    TokenKind("lin_api_", 16, Plain),
    TokenKind("nvapi-", 16, Wide),
    TokenKind("hf_", 20, Plain),
    TokenKind("gsk_", 24, Plain),
    TokenKind("r8_", 24, Plain),
    TokenKind("figd_", 16, Wide),
    TokenKind("PMAK-", 24, Wide),
    TokenKind("NRAK-", 20, Capital),
    TokenKind("dapi", 32, Plain),
    TokenKind("sq0atp-", 16, Wide),
    TokenKind("sq0csp-", 16, Wide),
    TokenKind("xkeysib-", 24, Wide),
    TokenKind("rubygems_", 24, Plain),
    TokenKind("CFPAT-", 16, Wide),
    TokenKind("AGE-SECRET-KEY-", 16, Capital),
    TokenKind("ATATT", 24, Wide),
    TokenKind("EAACEdEose0cBA", 8, Plain),
    TokenKind("secret_", 32, Plain),
    TokenKind("phc_", 24, Plain),
    TokenKind("sntrys_", 24, Wide),
    TokenKind("glsa_", 24, Wide),
    TokenKind("pul-", 32, Plain),
    TokenKind("ops_", 32, Wide),
    // Seeds of NATS: of users, accounts, operators, servers, clusters, and for sealing.
    TokenKind("SU", 56, Capital),
    TokenKind("SA", 56, Capital),
    TokenKind("SO", 56, Capital),
    TokenKind("SN", 56, Capital),
    TokenKind("SC", 56, Capital),
    TokenKind("SX", 56, Capital),
];

/// Schemes of the header `Authorization`.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "digest",
    "negotiate",
    "ntlm",
    "token",
    "apikey",
    "api-key",
    "hawk",
    "hmac",
    "signature",
    "mac",
    "dpop",
    "sharedkey",
    "sharedkeylite",
    "oauth",
    "ssws",
    "splunk",
    "jwt",
    "aws4-hmac-sha256",
    "googlelogin",
    "privatetoken",
    "genie",
    "genieKey",
    "scram-sha-256",
    "key",
    "sharedaccesssignature",
    "user",
    "bot",
    "client",
];

/// Words that follow `bearer` in plain sentences.
const PROSE: &[&str] = &[
    "token",
    "tokens",
    "authentication",
    "authorization",
    "scheme",
    "schemes",
    "header",
    "headers",
    "realm",
    "error",
    "format",
    "credential",
    "credentials",
    "method",
    "value",
    "values",
];

/// How a scheme and what is behind it are told apart: where the credentials begin.
pub(crate) fn behind_scheme(value: &[u8]) -> Option<usize> {
    let word = value
        .iter()
        .take_while(|c| !c.is_ascii_whitespace())
        .count();
    let known = is_one_of(SCHEMES, &value[..word]);
    let spaces = value[word..]
        .iter()
        .take_while(|c| c.is_ascii_whitespace())
        .count();
    (known && spaces > 0 && word + spaces < value.len()).then_some(word + spaces)
}

/// Masks every secret that is known by its shape.
pub(crate) fn find(bytes: &[u8], sink: &mut SpanSink<'_>) {
    private_keys(bytes, sink);
    let mut at = 0;
    let mut scheme = None;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            // A scheme and its credentials stand in one line.
            if !matches!(bytes[at], b' ' | b'\t') {
                scheme = None;
            }
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|c| is_word(**c)).count();
        let word = &bytes[at..at + length];
        if is_token(word) {
            sink.hide(at, at + length);
        } else if let Some(part) = token_inside(word) {
            sink.hide(at + part, at + length);
        } else if let Some(kind) = scheme
            && is_credential(kind, bytes, at, length)
        {
            let end = at
                + bytes[at..]
                    .iter()
                    .take_while(|c| is_credential_byte(**c))
                    .count();
            sink.hide(at, end);
        }
        scheme = scheme_of(word);
        at += length;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    Basic,
    Bearer,
    Other,
}

fn scheme_of(word: &[u8]) -> Option<Scheme> {
    let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    if is("basic") {
        Some(Scheme::Basic)
    } else if is("bearer") {
        Some(Scheme::Bearer)
    } else if is("token") || is("apikey") || is("digest") || is("negotiate") {
        Some(Scheme::Other)
    } else {
        None
    }
}

fn is_credential(scheme: Scheme, bytes: &[u8], at: usize, length: usize) -> bool {
    let word = &bytes[at..at + length];
    let whole = bytes[at..]
        .iter()
        .take_while(|c| is_credential_byte(**c))
        .count();
    match scheme {
        Scheme::Bearer => whole >= 6 && !is_one_of(PROSE, word),
        Scheme::Basic => is_login(&bytes[at..at + whole]),
        Scheme::Other => is_random(word),
    }
}

/// Whether a text looks made by chance: long, with digits and letters.
pub(crate) fn is_random(word: &[u8]) -> bool {
    word.len() >= 16
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a text is the base64 of `user:password`.
fn is_login(word: &[u8]) -> bool {
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in word.iter().filter(|c| **c != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            if (bits >> count & 0xff) as u8 == b':' {
                return true;
            }
        }
    }
    false
}

fn is_token(word: &[u8]) -> bool {
    is_jwt(word) || KINDS.iter().any(|kind| is_of_kind(kind, word))
}

/// A token behind something that is written in one with it: `key_AKIA…` is none, `x=…` is another
/// word; what is left are `.` and `-` before it.
fn token_inside(word: &[u8]) -> Option<usize> {
    let starts = word.iter().enumerate().take(512);
    starts
        .filter(|(_, byte)| matches!(byte, b'.' | b'-' | b'_'))
        .map(|(at, _)| at + 1)
        .find(|at| {
            matches!(word.get(*at), Some(b'e' | b'A' | b'g' | b'x' | b'n'))
                && is_token(&word[*at..])
        })
}

fn is_jwt(word: &[u8]) -> bool {
    word.starts_with(b"eyJ")
        && word.len() >= 16
        && word
            .split(|c| *c == b'.')
            .take(3)
            .filter(|part| part.len() >= 4)
            .count()
            >= 2
}

fn is_of_kind(TokenKind(prefix, least, letters): &TokenKind, word: &[u8]) -> bool {
    let Some(rest) = word.strip_prefix(prefix.as_bytes()) else {
        return false;
    };
    let fits = |byte: &u8| match letters {
        Plain => byte.is_ascii_alphanumeric(),
        Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Wide => true,
    };
    let fitting = rest.iter().take_while(|byte| fits(byte)).count();
    let long = fitting >= 30 && !matches!(letters, Wide);
    fitting >= *least && (long || rest.iter().any(u8::is_ascii_digit))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_credential_byte(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~')
}

fn private_keys(bytes: &[u8], sink: &mut SpanSink<'_>) {
    let mut at = 0;
    while let Some(found) = memmem::find(&bytes[at..], b"-----BEGIN ") {
        let begin = at + found;
        let line = &bytes[begin..bytes.len().min(begin + 80)];
        if memmem::find(line, b"PRIVATE KEY").is_none() {
            at = begin + 11;
            continue;
        }
        let body = begin + 11;
        let Some(end) = memmem::find(&bytes[body..], b"-----END ") else {
            sink.hide(begin, bytes.len());
            return;
        };
        let end = body + end + 9;
        let rest = &bytes[end..bytes.len().min(end + 80)];
        let close = memmem::find(rest, b"-----").map_or(rest.len(), |close| close + 5);
        at = end + close;
        sink.hide(begin, at);
    }
}

//! Secrets that are known by their own shape: tokens of well-known services, JSON Web Tokens,
//! private keys, credentials behind the name of a scheme.

use memchr::memmem;

use crate::names::is_one_of;
use crate::spans::Sink;

/// A kind of token: what it begins with, the least number of letters behind it, and which.
struct Kind(&'static str, usize, Letters);

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

const KINDS: &[Kind] = &[
    Kind("AKIA", 16, Capital),
    Kind("ASIA", 16, Capital),
    Kind("ABIA", 16, Capital),
    Kind("AROA", 16, Capital),
    Kind("AIza", 30, Wide),
    Kind("ghp_", 16, Plain),
    Kind("gho_", 16, Plain),
    Kind("ghu_", 16, Plain),
    Kind("ghs_", 16, Plain),
    Kind("ghr_", 16, Plain),
    Kind("github_pat_", 16, Wide),
    Kind("glpat-", 12, Wide),
    Kind("glptt-", 12, Wide),
    Kind("gldt-", 12, Wide),
    Kind("glrt-", 12, Wide),
    Kind("xoxa-", 8, Wide),
    Kind("xoxb-", 8, Wide),
    Kind("xoxe-", 8, Wide),
    Kind("xoxe.", 8, Wide),
    Kind("xoxp-", 8, Wide),
    Kind("xoxr-", 8, Wide),
    Kind("xoxs-", 8, Wide),
    Kind("xapp-", 8, Wide),
    Kind("sk-", 16, Wide),
    Kind("sk_live_", 10, Plain),
    Kind("sk_test_", 10, Plain),
    Kind("rk_live_", 10, Plain),
    Kind("rk_test_", 10, Plain),
    Kind("whsec_", 16, Plain),
    Kind("ya29.", 16, Wide),
    Kind("GOCSPX-", 16, Wide),
    Kind("npm_", 24, Plain),
    Kind("pypi-", 24, Wide),
    Kind("dop_v1_", 24, Plain),
    Kind("doo_v1_", 24, Plain),
    Kind("shpat_", 24, Plain),
    Kind("shpss_", 24, Plain),
    Kind("shpca_", 24, Plain),
    Kind("SG.", 24, Wide),
    Kind("hvs.", 16, Wide),
    Kind("hvb.", 16, Wide),
    Kind("dckr_pat_", 16, Wide),
    Kind("tskey-", 16, Wide),
    Kind("lin_api_", 16, Plain),
    Kind("nvapi-", 16, Wide),
    Kind("hf_", 20, Plain),
    Kind("gsk_", 24, Plain),
    Kind("r8_", 24, Plain),
    Kind("figd_", 16, Wide),
    Kind("PMAK-", 24, Wide),
    Kind("NRAK-", 20, Capital),
    Kind("dapi", 32, Plain),
    Kind("sq0atp-", 16, Wide),
    Kind("sq0csp-", 16, Wide),
    Kind("xkeysib-", 24, Wide),
    Kind("rubygems_", 24, Plain),
    Kind("CFPAT-", 16, Wide),
    Kind("AGE-SECRET-KEY-", 16, Capital),
    Kind("ATATT", 24, Wide),
    Kind("EAACEdEose0cBA", 8, Plain),
    Kind("secret_", 32, Plain),
    Kind("phc_", 24, Plain),
    Kind("sntrys_", 24, Wide),
    Kind("glsa_", 24, Wide),
    Kind("pul-", 32, Plain),
    Kind("ops_", 32, Wide),
    // Seeds of NATS: of users, accounts, operators, servers, clusters, and for sealing.
    Kind("SU", 56, Capital),
    Kind("SA", 56, Capital),
    Kind("SO", 56, Capital),
    Kind("SN", 56, Capital),
    Kind("SC", 56, Capital),
    Kind("SX", 56, Capital),
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
pub(crate) fn find(bytes: &[u8], sink: &mut Sink<'_>) {
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

fn is_of_kind(Kind(prefix, least, letters): &Kind, word: &[u8]) -> bool {
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

fn private_keys(bytes: &[u8], sink: &mut Sink<'_>) {
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

//! The addresses of a command line.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use plimsoll_text::Message;
use url::Url;

use super::glob::{self, BadGlob};
use super::mistake::mistake;
use super::request::Curl;
use super::words::Word;
use crate::error::Problem;

/// Ends of files that somebody may name in the place of an address.
const FILES: &[&str] = &[
    "yaml", "yml", "json", "har", "jmx", "jtl", "xml", "csv", "txt", "sh", "bat", "html", "log",
    "zip", "pem",
];

/// The addresses, each with its text.
pub(super) fn addresses(curl: &Curl, problems: &mut Vec<Problem>) -> Vec<(Url, String)> {
    let mut addresses = Vec::new();
    for word in &curl.urls {
        let texts = match curl.glob_off {
            true => Ok(vec![word.text.clone()]),
            false => glob::expand(&word.text),
        };
        let found = match texts {
            Ok(texts) => (texts.iter())
                .map(|text| {
                    address(text, word).map(|found| uploaded(found, curl.upload.as_deref()))
                })
                .collect(),
            Err(BadGlob::TooMany) => {
                let message =
                    Message::new("plan-curl-glob-many").with("most", glob::MOST_ADDRESSES);
                Err(Box::new(Problem::mistake(word.at, message)))
            }
            Err(BadGlob::Form) => Err(Box::new(mistake(word.at, "plan-curl-glob"))),
        };
        match found {
            Ok(mut found) => addresses.append(&mut found),
            Err(problem) => problems.push(*problem),
        }
    }
    let keeps_dots = curl.path_as_is.filter(|_| addresses.iter().any(has_dots));
    problems.extend(keeps_dots.map(|at| mistake(at, "plan-curl-path-as-is")));
    addresses
}

/// Whether a path has parts that the URL standard takes out.
fn has_dots((url, text): &(Url, String)) -> bool {
    let path = path_of(url, text);
    let path = path.split('?').next().unwrap_or_default();
    path.split('/').any(|part| part == "." || part == "..")
}

/// The address of a word, and its text with the scheme.
fn address(text: &str, word: &Word) -> Result<(Url, String), Box<Problem>> {
    let refused = |id: &str| {
        let message = Message::new(id).with("url", text);
        Err(Box::new(Problem::mistake(word.at, message)))
    };
    // Dashes and quotes of a word processor.
    if text.starts_with([
        '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
    ]) || text.contains(['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'])
    {
        return refused("plan-curl-typographic");
    }
    // As curl does: http when no scheme is written.
    let whole = match text.contains("://") {
        true => text.to_owned(),
        false if is_host(text) => format!("http://{text}"),
        false => return refused("plan-curl-no-host"),
    };
    let has_host = whole
        .split_once("://")
        .is_some_and(|(_, rest)| !rest.starts_with('/'));
    match Url::parse(&whole) {
        Ok(url)
            if matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && has_host
                && !whole.contains(|c: char| c.is_ascii_control() || c == ' ') =>
        {
            Ok((url, whole))
        }
        _ => refused("plan-bad-url"),
    }
}

/// Bytes of a file's name that curl writes into an address as they are: RFC 3986's unreserved ones.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The address that a file is uploaded to: curl gives it the file's name where its path ends with a slash
/// and no query follows; curl 7.88 does so before a query, too, which is left as it is written here. Standard input
/// has no name.
fn uploaded((url, text): (Url, String), file: Option<&str>) -> (Url, String) {
    let path = path_of(&url, &text);
    let takes_name = path.ends_with('/') && !path.contains('?');
    let Some(file) = file.filter(|file| takes_name && !matches!(*file, "-" | ".")) else {
        return (url, text);
    };
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = percent_encoding::utf8_percent_encode(name, UNRESERVED);
    let address = text.split('#').next().unwrap_or_default();
    let slash = if address.ends_with('/') { "" } else { "/" };
    let named = format!("{address}{slash}{name}");
    match Url::parse(&named) {
        Ok(url) => (url, named),
        Err(_) => (url, text),
    }
}

/// Whether an address without a scheme begins with a host: a name with a dot in it, `localhost`, an
/// address, or any name with a port. Files and words are none.
fn is_host(text: &str) -> bool {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with('[') {
        return true;
    }
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let names = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '{' | '}');
    if name.starts_with(['.', '-', '~']) || name.is_empty() || !name.chars().all(names) {
        return false;
    }
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_file = authority.len() == text.len() && FILES.contains(&&*ending.to_ascii_lowercase());
    let is_name = name.contains('.') && !is_file;
    is_port || is_name || name.eq_ignore_ascii_case("localhost")
}

/// Scheme, host and port.
pub(super) fn origin(url: &Url) -> String {
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    format!(
        "{}://{}{port}",
        url.scheme(),
        url.host_str().unwrap_or_default()
    )
}

/// The path and query as they were written, not as the URL standard would write them.
pub(super) fn path_of(url: &Url, text: &str) -> String {
    let after_scheme = text.find("://").map_or(0, |at| at + 3);
    let rest = &text[after_scheme..];
    let start = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let path = rest[start..].split('#').next().unwrap_or_default();
    match path.is_empty() {
        true => url.path().to_owned(),
        false if path.starts_with('?') => format!("/{path}"),
        false => path.to_owned(),
    }
}

/// The user of an address, and the password: as they are, not as an address has them.
pub(super) fn login(url: &Url) -> Option<String> {
    let (user, password) = (url.username(), url.password());
    let plain = |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    let is_there = !user.is_empty() || password.is_some();
    is_there.then(|| format!("{}:{}", plain(user), plain(password.unwrap_or_default())))
}

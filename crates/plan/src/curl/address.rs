//! The addresses of a command line.

use plimsoll_text::Message;
use url::Url;

use super::request::Curl;
use crate::error::Problem;

/// The addresses, each with its text.
pub(super) fn addresses(curl: &Curl, problems: &mut Vec<Problem>) -> Vec<(Url, String)> {
    let mut addresses = Vec::new();
    for word in &curl.urls {
        let scheme = word.text.contains("://");
        // As curl does: http when no scheme is written.
        let text = if scheme {
            word.text.clone()
        } else {
            format!("http://{}", word.text)
        };
        match Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                addresses.push((url, text));
            }
            _ => {
                let message = Message::new("plan-bad-url").with("url", word.text.as_str());
                problems.push(Problem::mistake(word.at, message));
            }
        }
    }
    addresses
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

pub(super) fn strip_user(url: &Url) -> String {
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    format!("{}{}{query}", origin(url), url.path())
}

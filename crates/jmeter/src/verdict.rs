//! What a result says of itself: whether and why it failed, what was sent, what came.

use plimsoll_elements::{AssertionResult, SampleResult};
use plimsoll_stats::ErrorKind;

use super::sampled::SampleTimes;

/// The assertion that failed, if one did.
pub(super) fn failure_of(result: &SampleResult) -> Option<&AssertionResult> {
    result.assertions.iter().find(|it| it.failure || it.error)
}

/// What failures of an assertion are counted under: its message, but for what was measured.
pub(super) fn group_of(found: &AssertionResult) -> &str {
    let text = found.text();
    let measured = [": It took ", ": It was "];
    let end = measured.iter().find_map(|words| text.find(words));
    &text[..end.unwrap_or(text.len())]
}

/// Why a sample failed, in words: those of its assertion, or those of the response.
pub(super) fn detail_of(result: &SampleResult) -> String {
    match failure_of(result) {
        Some(found) => format!("{}: {}", found.name, found.text()),
        None => format!("{} {}", result.code, result.message),
    }
}

/// Whether a response came: what JMeter gives as the body of a failure is its own words.
pub(super) fn came(result: &SampleResult) -> bool {
    !result.code.starts_with("Non HTTP response code")
}

/// Why a result counts as failed.
pub(super) fn error_of(result: &SampleResult, times: &SampleTimes) -> Option<ErrorKind> {
    if result.success {
        return None;
    }
    let found = result.assertions.iter().any(|it| it.failure || it.error);
    match times.error {
        Some(error) if !found || error != ErrorKind::Other => Some(error),
        _ if !found && is_error_status(&result.code) => Some(ErrorKind::HttpStatus),
        _ => Some(ErrorKind::CheckFailed),
    }
}

fn is_error_status(code: &str) -> bool {
    code.parse()
        .is_ok_and(|status: u16| (400..600).contains(&status))
}

/// The request; empty if it never left.
pub(super) fn request(result: &SampleResult, times: &SampleTimes) -> Vec<u8> {
    if !result.http {
        return result.sent().as_bytes().to_vec();
    }
    if times.error.is_some_and(never_left) {
        return Vec::new();
    }
    let url = result.url.as_deref().unwrap_or_default();
    let (_, place) = url.split_once("://").unwrap_or(("", url));
    let target = place.find('/').map_or("/", |at| &place[at..]);
    let mut lines = vec![format!("{} {target} HTTP/1.1", result.method)];
    lines.extend(result.request_headers.lines().map(str::to_owned));
    if !result.cookies.is_empty() {
        lines.push(format!("Cookie: {}", result.cookies));
    }
    let in_target = target
        .split_once('?')
        .is_some_and(|(_, query)| query == result.query);
    let query = if in_target { "" } else { &result.query };
    format!("{}\r\n\r\n{query}", lines.join("\r\n")).into_bytes()
}

/// Whether such a failure comes before a request leaves.
fn never_left(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::UnknownHost
            | ErrorKind::HostNotAllowed
            | ErrorKind::TlsHandshake
            | ErrorKind::TlsCertificate
            | ErrorKind::Proxy
            | ErrorKind::NoLocalPort
            | ErrorKind::OutOfFileDescriptors
    )
}

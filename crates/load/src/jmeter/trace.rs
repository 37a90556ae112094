//! Samples in full, for who looks on (`plimsoll once`).

use plimsoll_elements::SampleResult;
use plimsoll_stats::ErrorKind;

use super::record::{error_of, times_of};
use super::sampled::Times;
use crate::trace::{Piece, Traced};
use crate::user::User;
use crate::user::conclude::without_credentials;
use crate::user::tracing::Values;

/// Variables that JMeter and its engine keep for themselves.
const OWN: [&str; 4] = ["JMeterThread.", "__jm", "START.", "TESTSTART."];

impl User {
    /// The variables before a package, if somebody looks on.
    pub(crate) fn values_to_trace(&self) -> Option<Values> {
        self.thread.tracer.as_ref().map(|_| self.values_now())
    }

    /// Tells of a sample with its parts, and of the variables that its package set.
    pub(crate) fn trace_sampled(&self, result: &SampleResult, times: &Times, before: &Values) {
        let whole = Traced {
            saved: self.changed_since(before, |name| OWN.iter().any(|own| name.starts_with(own))),
            ..self.traced_sample(result, times)
        };
        if !result.http || result.parts.is_empty() {
            self.tell(whole);
            return;
        }
        self.trace_parts(result, times);
        self.tell(Traced {
            request: Vec::new(),
            head: Vec::new(),
            body: Vec::new(),
            piece: Piece::Sum,
            ..whole
        });
    }

    fn trace_parts(&self, result: &SampleResult, times: &Times) {
        let own = times.parts.iter().map(Some).chain(std::iter::repeat(None));
        for (part, own) in result.parts.iter().zip(own) {
            let made = own.cloned();
            let times = made.unwrap_or_else(|| times_of(part, self.thread.clock));
            if !part.parts.is_empty() {
                self.trace_parts(part, &times);
                continue;
            }
            let piece = match super::http::is_redirect(part) {
                true => Piece::Hop,
                false => Piece::Part,
            };
            self.tell(Traced {
                piece,
                ..self.traced_sample(part, &times)
            });
        }
    }

    fn traced_sample(&self, result: &SampleResult, times: &Times) -> Traced {
        let known = self.vars.known();
        let hide = |bytes: &[u8]| known.bytes(bytes).into_owned();
        let url = result.url.as_deref().unwrap_or_default();
        let failed = result.assertions.iter().find(|it| it.failure || it.error);
        let detail = match failed {
            Some(found) => format!("{}: {}", found.name, found.text()),
            None => format!("{} {}", result.code, result.message),
        };
        // What JMeter gives as the body of a failure is its own words.
        let responded = !(result.http && result.code.starts_with("Non HTTP response code"));
        let body = if responded { &result.body[..] } else { &[] };
        Traced {
            label: self.vars.redact(&result.label),
            url: self.vars.redact(&without_credentials(url)),
            request: hide(&request(result, times)),
            head: hide(result.response_headers.replace('\n', "\r\n").as_bytes()),
            body: hide(body),
            error: error_of(result, times).map(|kind| (kind, self.vars.redact(&detail))),
            service_ns: times.end_ns.saturating_sub(times.start_ns),
            ..Traced::default()
        }
    }
}

/// The request; empty if it never left.
pub(super) fn request(result: &SampleResult, times: &Times) -> Vec<u8> {
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

//! Samples in full, for who looks on (`plimsoll once`).

use plimsoll_elements::SampleResult;

use super::sampled::SampleTimes;
use super::verdict::{came, detail_of, error_of, request};
use crate::element_user::ElementUser;
use plimsoll_load::kit::http::without_credentials;
use plimsoll_load::kit::user::Values;
use plimsoll_load::trace::{Piece, Traced};

/// Variables that JMeter and its engine keep for themselves.
const OWN: [&str; 4] = ["JMeterThread.", "__jm", "START.", "TESTSTART."];

impl ElementUser<'_> {
    /// The variables before a package, if somebody looks on.
    pub(crate) fn values_to_trace(&self) -> Option<Values> {
        self.thread.tracer.as_ref().map(|_| self.values_now())
    }

    /// Tells of a sample with its parts, and of the variables that its package set.
    pub(crate) fn trace_sampled(
        &self,
        result: &SampleResult,
        times: &SampleTimes,
        before: &Values,
    ) {
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

    fn trace_parts(&self, result: &SampleResult, times: &SampleTimes) {
        for (part, times) in times.with_parts(result, self.thread.clock) {
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

    fn traced_sample(&self, result: &SampleResult, times: &SampleTimes) -> Traced {
        let known = self.vars.known();
        let hide = |bytes: &[u8]| known.bytes(bytes).into_owned();
        let url = result.url.as_deref().unwrap_or_default();
        let responded = !result.http || came(result);
        let body = if responded { &result.body[..] } else { &[] };
        Traced {
            label: self.vars.redact(&result.label),
            url: self.vars.redact(&without_credentials(url)),
            request: hide(&request(result, times)),
            head: hide(result.response_headers.replace('\n', "\r\n").as_bytes()),
            body: hide(body),
            error: error_of(result, times).map(|kind| (kind, self.vars.redact(&detail_of(result)))),
            service_ns: times.end_ns.saturating_sub(times.start_ns),
            ..Traced::default()
        }
    }
}

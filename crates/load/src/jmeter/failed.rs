//! Samples of failures of JMeter plans.

use plimsoll_elements::{AssertionResult, SampleResult};
use plimsoll_stats::Sample;
use plimsoll_stats::failures::Note;

use super::sampled::{FailedExchange, Times};
use super::trace::request;
use crate::failed::{Shown, kept};
use crate::user::User;

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

impl User {
    /// Keeps a failure that was just recorded.
    pub(super) fn keep_failed_result(
        &self,
        note: Note,
        sample: &Sample<'_>,
        result: &SampleResult,
        times: &Times,
        failed: Option<&FailedExchange>,
    ) {
        let sent;
        let head;
        let (request, response) = match failed {
            Some(failed) => {
                let response = Shown {
                    head: &failed.response.head,
                    body: &failed.response.body,
                    body_bytes: failed.response.body_bytes,
                    coded: true,
                };
                (&failed.request[..], response)
            }
            None => {
                sent = request(result, times);
                head = match result.response_headers.as_str() {
                    "" => format!("{} {}", result.code, result.message),
                    headers => headers.to_owned(),
                };
                // What JMeter gives as the body of a failure is its own words.
                let came = !result.code.starts_with("Non HTTP response code");
                let body = if came { &result.body[..] } else { &[] };
                let response = Shown {
                    head: if came { head.as_bytes() } else { &[] },
                    body,
                    body_bytes: body.len(),
                    coded: false,
                };
                (&sent[..], response)
            }
        };
        let detail = match failure_of(result) {
            Some(found) => format!("{}: {}", found.name, found.text()),
            None => format!("{} {}", result.code, result.message),
        };
        let known = self.vars.known();
        let kept = kept(
            &known,
            sample.end_ns,
            &detail,
            Shown::whole(request),
            response,
        );
        self.thread.recorder.keep_failed(sample.label, note, kept);
    }
}

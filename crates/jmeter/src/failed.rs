//! Samples of failures of JMeter plans.

use plimsoll_elements::SampleResult;
use plimsoll_stats::Sample;
use plimsoll_stats::failures::Note;

use super::sampled::{FailedExchange, SampleTimes};
use super::verdict::{came, detail_of, request};
use crate::element_user::ElementUser;
use plimsoll_load::kit::failed::{ShownMessage, kept};

impl ElementUser<'_> {
    /// Keeps a failure that was just recorded.
    pub(super) fn keep_failed_result(
        &self,
        note: Note,
        sample: &Sample<'_>,
        result: &SampleResult,
        times: &SampleTimes,
        failed: Option<&FailedExchange>,
    ) {
        let sent;
        let head;
        let (request, response) = match failed {
            Some(failed) => {
                let response = ShownMessage {
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
                let came = came(result);
                let body = if came { &result.body[..] } else { &[] };
                let response = ShownMessage {
                    head: if came { head.as_bytes() } else { &[] },
                    body,
                    body_bytes: body.len(),
                    coded: false,
                };
                (&sent[..], response)
            }
        };
        let detail = detail_of(result);
        let known = self.vars.known();
        let kept = kept(
            &known,
            sample.end_ns,
            &detail,
            ShownMessage::whole(request),
            response,
        );
        self.thread.recorder.keep_failed(sample.label, note, kept);
    }
}

//! Samples of failures: what a user keeps of them.

use plimsoll_plan::program::{CheckOfProgram, CheckProgram, Request, TestProgram};
use plimsoll_stats::failures::Note;
use plimsoll_stats::{ErrorKind, LabelId};

use super::hop::Hop;
use crate::failed::{ShownMessage, kept};
use crate::user::User;

/// Whether a response with that status fails, whatever else is in it.
pub(crate) fn fails_by_status(request: &Request, status: u16) -> bool {
    let refuses = |check: &CheckProgram| {
        matches!(check.of, CheckOfProgram::Status)
            && matches!(&check.test, TestProgram::StatusIn(ranges)
                if !ranges.iter().any(|(from, to)| (*from..=*to).contains(&status)))
    };
    request.status_below_400 && status >= 400 || request.checks.iter().any(refuses)
}

impl User {
    /// Keeps a failure that was just recorded, with the request that was sent last.
    pub(crate) fn keep_failed(&self, label: LabelId, note: Note, hop: &Hop, sent: &[u8]) {
        let response = &hop.response;
        let failure = hop.failure.as_ref();
        let status_line;
        let undecoded = failure.is_some_and(|it| it.kind == ErrorKind::Decoding);
        // A body that the plan keeps is decoded.
        let has_better = !response.body.is_empty() && !undecoded;
        let shown = match &response.failed {
            Some(failed) if has_better => ShownMessage {
                head: &failed.head,
                body: &response.body,
                body_bytes: response.body.len(),
                coded: false,
            },
            Some(failed) => ShownMessage {
                head: &failed.head,
                body: &failed.body,
                body_bytes: failed.body_bytes,
                coded: true,
            },
            None => {
                let head: &[u8] = match (response.status, &response.head[..]) {
                    (0, _) => &[],
                    (status, []) => {
                        status_line = format!("HTTP/1.1 {status}");
                        status_line.as_bytes()
                    }
                    (_, head) => head,
                };
                ShownMessage {
                    head,
                    body: &response.body,
                    body_bytes: response.body.len(),
                    coded: undecoded,
                }
            }
        };
        let detail = match failure {
            Some(failure) if !failure.detail.is_empty() => &*failure.detail,
            _ => &format!("HTTP {}", response.status),
        };
        let known = self.vars.known();
        let kept = kept(
            &known,
            response.end_ns,
            detail,
            ShownMessage::whole(sent),
            shown,
        );
        self.thread.recorder.keep_failed(label, note, kept);
    }
}

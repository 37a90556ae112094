//! What a protocol is to the engine, and what its exchanges are made of.

use std::pin::Pin;

use plimsoll_plan::program::{Request, RequestId};
use plimsoll_stats::{Code, ErrorKind, LabelId, LabelKind, Sample};
use url::Url;

use crate::check::{BoundCheck, run_checks};
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline, within};
use crate::extract::ResponseView;
use crate::failure::Failure;
use crate::protocols::http::hop::{DoneRequest, Hop};
use crate::user::User;
use crate::user::step::Cut;

/// A bound step, as what makes its exchange.
pub(super) trait ProtocolExchange {
    /// Makes the exchange for a user. None when it has recorded its samples itself; [`Cut`] when
    /// the run's end cut it off.
    async fn exchange(
        &self,
        user: &mut User,
        call: &ExchangeCall<'_>,
    ) -> Result<Option<MadeExchange>, Cut>;
}

/// An exchange that is to be made.
pub(super) struct ExchangeCall<'a> {
    pub id: RequestId,
    pub request: &'a Request,
    pub label: LabelId,
    pub start_ns: Nanos,
    /// How long it may take, or one of its waits.
    pub timeout_ns: Nanos,
    /// Until when all of it may take.
    pub deadline: Deadline,
}

impl ExchangeCall<'_> {
    /// The label, unless the sample is left out of the result.
    pub fn recorded_label(&self) -> Option<LabelId> {
        (!self.request.discard).then_some(self.label)
    }
}

/// An exchange that was made: its sample is to be concluded.
pub(super) struct MadeExchange {
    pub done: DoneRequest,
    /// What was sent, for showing.
    pub sent: Vec<u8>,
}

impl MadeExchange {
    pub fn new(hop: Hop, url: Url, sent: Vec<u8>) -> Self {
        Self {
            done: DoneRequest {
                hops: vec![hop],
                url,
            },
            sent,
        }
    }

    /// An exchange that could not begin.
    pub fn never_sent(user: &User, call: &ExchangeCall<'_>, failure: Failure) -> Self {
        Self {
            done: user.never_begun(call.start_ns, failure),
            sent: Vec::new(),
        }
    }
}

/// A part of an exchange that is timed by itself.
pub(super) struct TimedPart {
    /// What it is called behind the label.
    pub what: &'static str,
    pub start_ns: Nanos,
    pub end_ns: Nanos,
    pub received_bytes: u64,
}

impl User {
    /// Bounds a wait for what comes. Where something always comes the watch is never looked at, so
    /// that the time is looked at before.
    pub(super) async fn receive_within<T>(
        &self,
        deadline: Deadline,
        late: &str,
        waiting: Pin<&mut impl Future<Output = Result<T, Failure>>>,
    ) -> Result<T, Broken> {
        let kind = ErrorKind::ReadTimeout;
        if self.thread.clock.now_ns() >= deadline.nearest_ns() {
            return Err(deadline.passed(&self.watch, kind, late));
        }
        within(&self.watch, deadline, kind, late, waiting).await
    }

    /// Records a part of an exchange as a sample of its own, under the exchange's label.
    pub(super) fn record_part(&self, call: &ExchangeCall<'_>, part: &TimedPart) {
        if call.request.discard {
            return;
        }
        let labels = &self.thread.labels;
        let sample = Sample {
            label: labels.part(call.label, part.what),
            kind: LabelKind::SubRequest,
            parent: Some(call.label),
            user: self.number,
            iteration: self.iteration,
            code: Code::None,
            message: "",
            error: None,
            sent_bytes: 0,
            received_bytes: part.received_bytes,
            intended_ns: part.start_ns,
            ready_ns: part.start_ns,
            start_ns: part.start_ns,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: part.end_ns,
            end_ns: part.end_ns,
            lag_ns: 0,
        };
        self.thread.recorder.record(&sample);
    }

    /// Whether what came fulfils all checks.
    pub(super) fn fulfils(
        &mut self,
        checks: &[BoundCheck],
        data: &[u8],
        url: &Url,
        time_ns: u64,
    ) -> Result<bool, Failure> {
        if checks.is_empty() {
            return Ok(true);
        }
        let view = ResponseView::new(0, &[], data, url.as_str(), time_ns);
        let checked = self.evaluate_on(Some(&view), |ctx| run_checks(checks, &view, ctx));
        match checked {
            Ok(()) => Ok(true),
            Err(error) if error.kind == ErrorKind::CheckFailed => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

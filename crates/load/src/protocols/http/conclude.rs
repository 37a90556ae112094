//! What is done with a response: cookies and values are taken, checks are made, samples are
//! recorded and logged.

use std::borrow::Cow;
use std::rc::Rc;

use plimsoll_plan::program::RequestId;
use plimsoll_stats::{ErrorKind, LabelId, LabelKind, Sample};

use super::hop::{DoneRequest, Hop};
use crate::bound::{BoundAfter, BoundRequest};
use crate::check::run_checks;
use crate::content_coding;
use crate::extract::ResponseView;
use crate::failure::Failure;
use crate::functions::{EvalContext, eval_value};
use crate::recorder::LoggedSample;
use crate::user::User;
use crate::user::due::Due;

/// Whether a response came whole, and what is in it is why it failed.
fn is_judged(failure: &Failure) -> bool {
    matches!(failure.kind, ErrorKind::CheckFailed | ErrorKind::HttpStatus)
}

impl User {
    /// Concludes a request: processors, checks, samples.
    pub(crate) fn conclude(
        &mut self,
        id: RequestId,
        label: LabelId,
        due: Due,
        mut done: DoneRequest,
        sent: &[u8],
    ) {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let bound = &thread.bound[id.0 as usize];
        let Some(mut last) = done.hops.pop() else {
            return;
        };
        let before = thread.tracer.is_some().then(|| self.values_now());
        self.last.ok_before_checks = last.failure.is_none();
        if last.failure.is_none() {
            last.failure = self.judge(bound, request, &mut last, &done.url);
        }
        let chained = !done.hops.is_empty();
        if chained && !request.discard {
            self.record_hops(label, &done.hops, &last);
        }
        let whole = whole(&done.hops, last);
        let sample = self.sample_of(label, due, &whole);
        if thread.recorder.logs() && !request.discard {
            self.log(&sample, &whole, done.url.as_str());
        }
        if let Some(note) = self.record(request, &sample) {
            self.keep_failed(label, note, &whole, sent);
        }
        if let Some(before) = before {
            let saved = self.saved_since(&before, bound);
            self.trace(label, &whole, &done.url, sent, saved);
        }
    }

    /// Decodes the body, runs the processors and the checks; gives the failure, if any.
    fn judge(
        &mut self,
        bound: &BoundRequest,
        request: &plimsoll_plan::program::Request,
        hop: &mut Hop,
        url: &url::Url,
    ) -> Option<Failure> {
        let response = &mut hop.response;
        if let Some(coding) = response.content_encoding.take()
            && !response.body.is_empty()
        {
            match content_coding::decode(&coding, &response.body, request.max_body_bytes) {
                Ok(body) => response.body = body,
                Err(error) => {
                    self.last.ok_before_checks = false;
                    return Some(Failure::new(ErrorKind::Decoding, error.to_string()));
                }
            }
        }
        let service_ns = response.end_ns.saturating_sub(hop.start_ns);
        let view = ResponseView::new(
            response.status,
            &response.head,
            &response.body,
            url.as_str(),
            service_ns,
        );
        let bad_status = request.status_below_400 && response.status >= 400;
        self.last.ok_before_checks = !bad_status;
        let by_processors = self.evaluate_on(Some(&view), |ctx| process(bound, &view, ctx));
        self.last.ok_before_checks &= by_processors.is_none();
        if bad_status {
            return Some(Failure::of_status(response.status));
        }
        if by_processors.is_some() {
            return by_processors;
        }
        let checked = self.evaluate_on(Some(&view), |ctx| run_checks(&bound.checks, &view, ctx));
        checked.err().map(Failure::from)
    }

    /// Records the hops of a chain as sub-requests.
    fn record_hops(&mut self, label: LabelId, hops: &[Hop], last: &Hop) {
        let thread = Rc::clone(&self.thread);
        for (number, hop) in (0..).zip(hops.iter().chain([last])) {
            let id = thread
                .labels
                .hop(label, || thread.labels.name(label), number);
            let mut sample = self.sample_of(id, Due::of(None, hop.start_ns, hop.start_ns), hop);
            sample.kind = LabelKind::SubRequest;
            sample.parent = Some(label);
            let recorder = &thread.recorder;
            recorder.record_masked(&sample, |text| self.vars.redact(text));
        }
    }

    fn log(&self, sample: &Sample<'_>, hop: &Hop, url: &str) {
        let reason = &hop.response.reason;
        let (message, judged) = match &hop.failure {
            Some(found) if is_judged(found) => (reason.clone(), self.vars.redact(&found.detail)),
            Some(found) => (self.vars.redact(&found.detail), String::new()),
            None => (reason.clone(), String::new()),
        };
        self.log_sample(sample, message, judged, url, hop.response.text);
    }

    /// Keeps a sample for the log.
    pub fn log_sample(
        &self,
        sample: &Sample<'_>,
        message: String,
        failure: String,
        url: &str,
        text: bool,
    ) {
        let recorder = &self.thread.recorder;
        recorder.log(LoggedSample {
            label: sample.label,
            kind: sample.kind,
            code: sample.code,
            message,
            failure,
            error: sample.error,
            scenario: self.scenario.index,
            user: self.number,
            iteration: self.iteration,
            url: self.vars.redact(&without_credentials(url)),
            sent_bytes: sample.sent_bytes,
            received_bytes: sample.received_bytes,
            start_unix_ns: self.thread.clock.unix_ns(sample.start_ns),
            service_ns: sample.service_ns(),
            response_ns: sample.response_ns(),
            latency_ns: sample.first_byte_ns.saturating_sub(sample.start_ns),
            connect_ns: sample.dns_ns + sample.connect_ns + sample.tls_ns,
            group_users: self.scenario.users.get(),
            all_users: recorder.users.get(),
            text,
        });
    }
}

/// Runs the processors in order; the first failure counts, the others still run.
fn process(
    bound: &BoundRequest,
    view: &ResponseView<'_>,
    ctx: &mut EvalContext<'_>,
) -> Option<Failure> {
    let mut failure = None;
    for after in &bound.after {
        let result = match after {
            BoundAfter::Extract(extract) => extract.run(view, ctx),
            BoundAfter::Script(script) => {
                let scripts = ctx.scripts;
                scripts.run(*script, ctx)
            }
            BoundAfter::Set(slot, value) => {
                eval_value(value, ctx).map(|value| ctx.vars.set(*slot, value))
            }
        };
        failure = failure.or(result.err());
    }
    failure.map(Failure::from)
}

/// The hops of a chain as one: from the first one's start to the last one's end.
fn whole(before: &[Hop], mut last: Hop) -> Hop {
    let Some(first) = before.first() else {
        return last;
    };
    last.start_ns = first.start_ns;
    let mut lag_ns = last.response.lag_ns.unwrap_or(0);
    for hop in before {
        lag_ns += hop.response.lag_ns.unwrap_or(0);
        last.sent_bytes += hop.sent_bytes;
        last.response.received_bytes += hop.response.received_bytes;
        last.times.dns_ns += hop.times.dns_ns;
        last.times.connect_ns += hop.times.connect_ns;
        last.times.tls_ns += hop.times.tls_ns;
    }
    last.response.lag_ns = last
        .response
        .lag_ns
        .map_or((lag_ns > 0).then_some(lag_ns), |_| Some(lag_ns));
    last
}

/// A URL without user and password.
pub fn without_credentials(url: &str) -> Cow<'_, str> {
    let Ok(mut parsed) = url::Url::parse(url) else {
        return Cow::Borrowed(url);
    };
    if parsed.username().is_empty() && parsed.password().is_none() {
        return Cow::Borrowed(url);
    }
    // Only URLs without a host refuse, and they hold no credentials.
    let _ = parsed.set_username("");
    let _ = parsed.set_password(None);
    Cow::Owned(parsed.into())
}

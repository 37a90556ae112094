//! A request of the plan: its connection, its redirects, what is done with its response.

use std::rc::Rc;

use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{Label, Request, RequestId};
use plimsoll_stats::failures::Note;
use plimsoll_stats::{Code, ErrorKind, LabelId, Sample};
use url::Url;

use super::connections::{OutgoingRequest, UserWay};
use super::exchange::ExchangeOrder;
use super::failed::fails_by_status;
use super::fixed::FixedRequest;
use super::follow::fixed_draft;
use super::hop::{DoneRequest, Hop, make_hop};
use super::response::{Failing, Response, Want};
use crate::clock::{Nanos, nanos};
use crate::deadline::Deadline;
use crate::driver::EndpointId;
use crate::failure::Failure;
use crate::http1::ResponseLimits;
use crate::user::User;
use crate::user::due::Due;
use crate::user::step::Cut;

impl User {
    /// Makes a request and records its sample.
    pub(crate) async fn request(&mut self, id: RequestId, start_ns: Nanos) -> Result<(), Cut> {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let label = self.label(request);
        let fixed = thread.prepared.fixed[id.0 as usize].as_ref();
        let due = Due::of(self.intended_ns.take(), self.previous_end_ns, start_ns);
        let deadline = Deadline {
            timeout_ns: start_ns.saturating_add(nanos(request.timeout)),
            cut_ns: self.scenario.cut_ns.get(),
        };
        if let Some(fixed) = fixed
            && self.is_plain(request)
        {
            let hop = self.plain_hop(id, fixed, label, start_ns, deadline).await?;
            if hop.response.location.is_none() || request.redirects == 0 {
                self.conclude_plain(id, label, due, hop, fixed);
                return Ok(());
            }
            let first = Some((hop, fixed.bytes.to_vec()));
            let chain = self.follow(request, label, fixed_draft(fixed), first, deadline);
            let (done, sent) = Box::pin(chain).await?;
            self.conclude(id, label, due, done, &sent);
            return Ok(());
        }
        let draft = self.draft(request);
        let (done, sent) = match draft {
            Ok(draft) => Box::pin(self.follow(request, label, draft, None, deadline)).await?,
            Err(failure) => {
                let done = self.never_begun(start_ns, failure);
                (done, Vec::new())
            }
        };
        self.conclude(id, label, due, done, &sent);
        Ok(())
    }

    /// What became of a request that could not begin.
    pub(crate) fn never_begun(&self, start_ns: Nanos, failure: Failure) -> DoneRequest {
        DoneRequest {
            hops: vec![self.never_sent(start_ns, failure)],
            url: Url::parse("invalid:").unwrap_or_else(|_| unreachable!("a fixed URL")),
        }
    }

    pub(crate) fn never_sent(&self, start_ns: Nanos, failure: Failure) -> Hop {
        let mut hop = Hop::new(start_ns, Box::default());
        hop.response.end_ns = self.thread.clock.now_ns();
        hop.failure = Some(failure);
        hop
    }

    pub(crate) fn label(&mut self, request: &Request) -> LabelId {
        match &request.label {
            Label::Fixed(id) => *id,
            Label::Made(template) => {
                // The sample itself tells what is wrong.
                let name = self.text(template).unwrap_or_else(|_| as_written(template));
                self.thread.labels.made(&name, self.request_kind())
            }
        }
    }

    /// Whether the request's bytes are exactly those made before the run.
    fn is_plain(&self, request: &Request) -> bool {
        self.cookies.is_empty() || request.cookies == CookieMode::Off
    }

    fn want(&self, request: &Request) -> Want {
        let traced = self.thread.tracer.is_some();
        Want {
            head: request.keep.head || request.keep.body || traced,
            body: request.keep.body || traced,
            cookies: request.cookies != CookieMode::Off,
            reason: self.thread.recorder.logs(),
            content_type: false,
            location_bytes: false,
        }
    }

    fn limits(request: &Request) -> ResponseLimits {
        ResponseLimits {
            head_bytes: request.max_head_bytes,
            body_bytes: request.max_body_bytes,
            ..ResponseLimits::default()
        }
    }

    /// One hop whose bytes are known.
    async fn plain_hop(
        &mut self,
        id: RequestId,
        fixed: &FixedRequest,
        label: LabelId,
        start_ns: Nanos,
        deadline: Deadline,
    ) -> Result<Hop, Cut> {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let known = &thread.fixed_endpoints[id.0 as usize];
        let endpoint = match known.get() {
            Some(endpoint) => endpoint,
            None => match self.allowed_endpoint(request, &fixed.url) {
                Ok(endpoint) => endpoint,
                Err(failure) => return Ok(self.never_sent(start_ns, failure)),
            },
        };
        known.set(Some(endpoint));
        let outgoing = OutgoingRequest {
            endpoint,
            request: fixed.request(),
        };
        let nothing = &mut Vec::new();
        self.hop(request, outgoing, label, start_ns, deadline, nothing)
            .await
    }

    pub(crate) fn allowed_endpoint(
        &self,
        request: &Request,
        url: &Url,
    ) -> Result<EndpointId, Failure> {
        if !self.thread.hosts.allows(url) {
            let host = super::fixed::authority(url);
            return Err(Failure::new(ErrorKind::HostNotAllowed, host));
        }
        let endpoint = self.thread.endpoint(request.profile, url);
        endpoint.map_err(|reason| Failure::new(ErrorKind::Other, reason))
    }

    /// Sends a request and reads the response.
    pub(super) async fn hop(
        &mut self,
        request: &Request,
        outgoing: OutgoingRequest<'_>,
        label: LabelId,
        start_ns: Nanos,
        deadline: Deadline,
        sent: &mut Vec<u8>,
    ) -> Result<Hop, Cut> {
        let thread = Rc::clone(&self.thread);
        let fails = |status| fails_by_status(request, status);
        let failing = (!request.discard).then_some(Failing {
            label,
            fails: &fails,
        });
        let order = ExchangeOrder {
            request: outgoing.request,
            limits: Self::limits(request),
            want: self.want(request),
            failing,
            deadline,
            read_timeout_ns: None,
            bytes_per_s: 0,
        };
        let response = self.spare.take().unwrap_or_default();
        let mut way = UserWay {
            user: self,
            request,
            outgoing,
            start_ns,
            deadline,
        };
        make_hop(&thread, &mut way, &order, start_ns, response, sent).await
    }

    /// Concludes a request of one hop whose bytes never change.
    fn conclude_plain(
        &mut self,
        id: RequestId,
        label: LabelId,
        due: Due,
        mut hop: Hop,
        fixed: &FixedRequest,
    ) {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let bound = &thread.bound[id.0 as usize];
        if !hop.response.set_cookies.is_empty() {
            self.keep_cookies(request, &fixed.url, &mut hop.response);
        }
        let simple = bound.after.is_empty()
            && bound.checks.is_empty()
            && !thread.recorder.logs()
            && thread.tracer.is_none();
        if !simple {
            let done = DoneRequest {
                hops: vec![hop],
                url: fixed.url.clone(),
            };
            return self.conclude(id, label, due, done, &fixed.bytes);
        }
        if hop.failure.is_none() && request.status_below_400 && hop.response.status >= 400 {
            // The code says all; this is the way of requests that cost the least.
            hop.failure = Some(Failure::new(ErrorKind::HttpStatus, ""));
        }
        let sample = self.sample_of(label, due, &hop);
        if let Some(note) = self.record(request, &sample) {
            self.keep_failed(label, note, &hop, &fixed.bytes);
        }
        self.last.ok_before_checks = self.last.ok;
        *hop.response = Response::default();
        self.spare = Some(hop.response);
    }

    /// The sample of one hop.
    pub(crate) fn sample_of<'h>(&self, label: LabelId, due: Due, hop: &'h Hop) -> Sample<'h> {
        Sample {
            label,
            kind: self.request_kind(),
            parent: self.transactions.last().map(crate::user::open::Open::label),
            user: self.number,
            iteration: self.iteration,
            code: if hop.response.status == 0 {
                hop.response.code
            } else {
                Code::Http(hop.response.status)
            },
            message: hop
                .failure
                .as_ref()
                .map_or(&hop.response.reason, |failure| failure.group()),
            error: hop.failure.as_ref().map(|failure| failure.kind),
            sent_bytes: hop.sent_bytes,
            received_bytes: hop.response.received_bytes,
            intended_ns: due.intended_ns,
            ready_ns: due.ready_ns,
            start_ns: hop.start_ns,
            dns_ns: hop.times.dns_ns,
            connect_ns: hop.times.connect_ns,
            tls_ns: hop.times.tls_ns,
            first_byte_ns: hop.response.first_byte_ns,
            end_ns: hop.response.end_ns,
            lag_ns: self.lag_of(hop),
        }
    }

    /// How much of a hop's time was the generator's, from its start on.
    fn lag_of(&self, hop: &Hop) -> u64 {
        let times = &hop.times;
        let connected_ns = hop.start_ns + times.dns_ns + times.connect_ns + times.tls_ns;
        let turns = &self.thread.turns;
        turns.lag_ns(
            hop.start_ns,
            connected_ns,
            hop.response.end_ns,
            hop.response.lag_ns,
        )
    }

    /// Records a request's sample; says if it failed and is wanted in full.
    pub(crate) fn record(&mut self, request: &Request, sample: &Sample<'_>) -> Option<Note> {
        self.last.ok = sample.error.is_none();
        self.previous_end_ns = sample.end_ns;
        if request.discard {
            self.thread.recorder.discard();
            return None;
        }
        let recorder = &self.thread.recorder;
        let note = recorder.record_masked(sample, |text| self.vars.redact(text));
        if !self.transactions.is_empty() {
            self.add_to_transactions(sample);
        }
        note
    }
}

/// A label whose variables have no value: as the plan has it.
fn as_written(template: &plimsoll_plan::program::Template) -> String {
    use plimsoll_plan::program::Part;
    let part = |part: &Part| match part {
        Part::Text(text) => text.to_string(),
        Part::Slot { literal, .. } => literal.to_string(),
        Part::Call(_) | Part::Script(_) => "${…}".to_owned(),
    };
    template.parts.iter().map(part).collect()
}

//! A request of the plan: its connection, its redirects, what is done with its answer.

use std::rc::Rc;

use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{Label, Request, RequestId};
use plimsoll_stats::{Code, ErrorKind, LabelId, Sample};
use url::Url;

use super::User;
use super::answer::{Answer, Want};
use super::exchange::{Broken, Deadline, InFlight, Order, exchange};
use super::follow::fixed_draft;
use crate::clock::{Nanos, nanos};
use crate::driver::ConnectTimes;
use crate::engine::prepared::{FixedRequest, reader_method};
use crate::engine::thread::EndpointId;
use crate::failure::Failure;
use crate::http1::Limits;

/// What became of one hop.
pub(crate) struct Hop {
    pub start_ns: Nanos,
    pub times: ConnectTimes,
    pub sent_bytes: u64,
    pub answer: Box<Answer>,
    pub failure: Option<Failure>,
}

/// What became of the request as a whole.
pub(crate) struct Done {
    pub hops: Vec<Hop>,
    pub url: Url,
    pub sent: Vec<u8>,
}

/// The request's end without a sample.
pub(crate) struct Cut;

impl User {
    /// Makes a request and records its sample.
    pub(crate) async fn request(&mut self, id: RequestId, start_ns: Nanos) -> Result<(), Cut> {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let label = self.label(request);
        let fixed = thread.prepared.fixed[id.0 as usize].as_ref();
        let intended_ns = self
            .intended_ns
            .take()
            .unwrap_or(self.previous_end_ns)
            .min(start_ns);
        let deadline = Deadline {
            timeout_ns: start_ns.saturating_add(nanos(request.timeout)),
            cut_ns: self.scenario.cut_ns,
        };
        if let Some(fixed) = fixed
            && self.is_plain(request)
        {
            let hop = self.plain_hop(id, fixed, label, start_ns, deadline).await?;
            if hop.answer.location.is_none() || request.redirects == 0 {
                self.conclude_plain(id, label, intended_ns, hop, fixed);
                return Ok(());
            }
            let sent = if thread.tracer.is_some() {
                fixed.bytes.to_vec()
            } else {
                Vec::new()
            };
            let first = Some((hop, sent));
            let chain = self.follow(request, label, fixed_draft(fixed), first, deadline);
            let done = Box::pin(chain).await?;
            self.conclude(id, label, intended_ns, done);
            return Ok(());
        }
        let draft = self.draft(request);
        let done = match draft {
            Ok(draft) => Box::pin(self.follow(request, label, draft, None, deadline)).await?,
            Err(failure) => Done {
                hops: vec![self.never_sent(start_ns, failure)],
                url: Url::parse("invalid:").unwrap_or_else(|_| unreachable!("a fixed URL")),
                sent: Vec::new(),
            },
        };
        self.conclude(id, label, intended_ns, done);
        Ok(())
    }

    pub(crate) fn never_sent(&self, start_ns: Nanos, failure: Failure) -> Hop {
        let answer = Box::new(Answer {
            end_ns: self.thread.clock.now_ns(),
            ..Answer::default()
        });
        Hop {
            start_ns,
            times: ConnectTimes::default(),
            sent_bytes: 0,
            answer,
            failure: Some(failure),
        }
    }

    fn label(&mut self, request: &Request) -> LabelId {
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
        }
    }

    fn limits(request: &Request) -> Limits {
        Limits {
            head_bytes: request.max_head_bytes,
            body_bytes: request.max_body_bytes,
            ..Limits::default()
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
        self.hop(
            request,
            endpoint,
            &fixed.bytes,
            None,
            label,
            start_ns,
            deadline,
        )
        .await
    }

    pub(crate) fn allowed_endpoint(
        &self,
        request: &Request,
        url: &Url,
    ) -> Result<EndpointId, Failure> {
        if !self.thread.hosts.allows(url) {
            let host = crate::engine::prepared::authority(url);
            return Err(Failure::new(ErrorKind::HostNotAllowed, host));
        }
        let endpoint = self.thread.endpoint(request.profile, url);
        endpoint.map_err(|reason| Failure::new(ErrorKind::Other, reason))
    }

    /// Sends bytes to an endpoint and reads the answer.
    #[expect(clippy::too_many_arguments)]
    pub(crate) async fn hop(
        &mut self,
        request: &Request,
        endpoint: EndpointId,
        bytes: &[u8],
        wait_after: Option<usize>,
        label: LabelId,
        start_ns: Nanos,
        deadline: Deadline,
    ) -> Result<Hop, Cut> {
        let thread = Rc::clone(&self.thread);
        let mut times = ConnectTimes::default();
        let mut answer = self.spare.take().unwrap_or_default();
        answer.start_ns = start_ns;
        let mut sent_bytes = 0;
        let connection = match self.take_connection(request, endpoint) {
            Some(connection) => Ok(connection),
            None => Box::pin(self.connect_in_time(endpoint, &mut times, deadline)).await,
        };
        let result = match connection {
            Err(broken) => Err(broken),
            Ok(mut connection) => {
                let mut in_flight = InFlight::new(&thread, request_label(request, label));
                let order = Order {
                    bytes,
                    wait_after,
                    method: if wait_after.is_some() || bytes.starts_with(b"HEAD ") {
                        reader_method(first_word(bytes))
                    } else {
                        crate::http1::RequestMethod::Other
                    },
                    limits: Self::limits(request),
                    want: self.want(request),
                    deadline,
                    read_timeout_ns: None,
                };
                let result = exchange(
                    &thread,
                    &self.watch,
                    &mut connection,
                    order,
                    &mut answer,
                    &mut in_flight,
                )
                .await;
                if matches!(result, Err(Broken::CutOff)) {
                    return Err(Cut);
                }
                in_flight.done();
                sent_bytes = bytes.len() as u64;
                if result.is_ok() && answer.keep_alive && request.keep_alive {
                    self.keep_connection(request, endpoint, connection);
                }
                result
            }
        };
        let failure = match result {
            Ok(()) => None,
            Err(Broken::Failed(failure)) => Some(failure),
            Err(Broken::CutOff) => return Err(Cut),
        };
        if failure.is_some() {
            answer.end_ns = thread.clock.now_ns();
        }
        Ok(Hop {
            start_ns,
            times,
            sent_bytes,
            answer,
            failure,
        })
    }

    /// Concludes a request of one hop whose bytes never change.
    fn conclude_plain(
        &mut self,
        id: RequestId,
        label: LabelId,
        intended_ns: Nanos,
        mut hop: Hop,
        fixed: &FixedRequest,
    ) {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let bound = &thread.bound[id.0 as usize];
        if !hop.answer.set_cookies.is_empty() {
            self.keep_cookies(request, &fixed.url, &mut hop.answer);
        }
        let simple = bound.after.is_empty()
            && bound.checks.is_empty()
            && !thread.recorder.logs()
            && thread.tracer.is_none();
        if !simple {
            let sent = if thread.tracer.is_some() {
                fixed.bytes.to_vec()
            } else {
                Vec::new()
            };
            let done = Done {
                hops: vec![hop],
                url: fixed.url.clone(),
                sent,
            };
            return self.conclude(id, label, intended_ns, done);
        }
        if hop.failure.is_none() && request.status_below_400 && hop.answer.status >= 400 {
            hop.failure = Some(Failure {
                kind: ErrorKind::CheckFailed,
                detail: String::new(),
            });
        }
        let sample = self.sample_of(label, intended_ns, &hop);
        self.record(request, &sample);
        self.last.ok_before_checks = self.last.ok;
        *hop.answer = Answer::default();
        self.spare = Some(hop.answer);
    }

    /// The sample of one hop.
    pub(crate) fn sample_of<'h>(
        &self,
        label: LabelId,
        intended_ns: Nanos,
        hop: &'h Hop,
    ) -> Sample<'h> {
        Sample {
            label,
            kind: self.request_kind(),
            parent: self
                .transactions
                .last()
                .map(super::transaction::Open::label),
            user: self.number,
            iteration: self.iteration,
            code: if hop.answer.status == 0 {
                Code::None
            } else {
                Code::Http(hop.answer.status)
            },
            message: &hop.answer.reason,
            error: hop.failure.as_ref().map(|failure| failure.kind),
            sent_bytes: hop.sent_bytes,
            received_bytes: hop.answer.received_bytes,
            intended_ns,
            start_ns: hop.start_ns,
            dns_ns: hop.times.dns_ns,
            connect_ns: hop.times.connect_ns,
            tls_ns: hop.times.tls_ns,
            first_byte_ns: hop.answer.first_byte_ns,
            end_ns: hop.answer.end_ns,
        }
    }

    /// Records a request's sample.
    pub(crate) fn record(&mut self, request: &Request, sample: &Sample<'_>) {
        self.last.ok = sample.error.is_none();
        self.previous_end_ns = sample.end_ns;
        if request.discard {
            self.thread.recorder.discard();
            return;
        }
        self.thread.recorder.record(sample);
        if !self.transactions.is_empty() {
            self.add_to_transactions(sample);
        }
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

fn request_label(request: &Request, label: LabelId) -> Option<LabelId> {
    (!request.discard).then_some(label)
}

fn first_word(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|byte| *byte == b' ').unwrap_or(0);
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}

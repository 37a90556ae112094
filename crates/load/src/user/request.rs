//! A request of the plan: its connection, its redirects, what is done with its answer.

use std::rc::Rc;

use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{AuthTemplate, Label, Request, RequestId};
use plimsoll_stats::{Code, ErrorKind, LabelId, Sample};
use url::Url;

use super::User;
use super::answer::{Answer, Want};
use super::build::Draft;
use super::exchange::{Broken, Deadline, InFlight, Order, exchange, within};
use crate::clock::{Nanos, nanos};
use crate::driver::connect::connect;
use crate::driver::{ConnectTimes, Connection};
use crate::engine::prepared::{FixedRequest, reader_method};
use crate::engine::thread::EndpointId;
use crate::failure::Failure;
use crate::http1::Limits;

/// What became of one hop.
pub(super) struct Hop {
    pub start_ns: Nanos,
    pub times: ConnectTimes,
    pub sent_bytes: u64,
    pub answer: Box<Answer>,
    pub failure: Option<Failure>,
}

/// What became of the request as a whole.
pub(super) struct Done {
    pub hops: Vec<Hop>,
    pub url: Url,
    pub sent: Vec<u8>,
}

/// The request's end without a sample.
pub(super) struct Cut;

impl User {
    /// Makes a request and records its sample.
    pub(super) async fn request(&mut self, id: RequestId, start_ns: Nanos) -> Result<(), Cut> {
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
            let hop = self
                .plain_hop(request, fixed, label, start_ns, deadline)
                .await?;
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

    fn never_sent(&self, start_ns: Nanos, failure: Failure) -> Hop {
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
        request: &Request,
        fixed: &FixedRequest,
        label: LabelId,
        start_ns: Nanos,
        deadline: Deadline,
    ) -> Result<Hop, Cut> {
        let endpoint = match self.allowed_endpoint(request, &fixed.url) {
            Ok(endpoint) => endpoint,
            Err(failure) => return Ok(self.never_sent(start_ns, failure)),
        };
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

    fn allowed_endpoint(&self, request: &Request, url: &Url) -> Result<EndpointId, Failure> {
        if !self.thread.hosts.allows(url) {
            let host = crate::engine::prepared::authority(url);
            return Err(Failure::new(ErrorKind::HostNotAllowed, host));
        }
        let endpoint = self.thread.endpoint(request.profile, url);
        endpoint.map_err(|reason| Failure::new(ErrorKind::Other, reason))
    }

    /// Sends bytes to an endpoint and reads the answer.
    #[expect(clippy::too_many_arguments)]
    async fn hop(
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

    fn take_connection(
        &mut self,
        request: &Request,
        endpoint: EndpointId,
    ) -> Option<Box<Connection>> {
        let shared = self.thread.program.profiles[request.profile as usize].share_connections;
        loop {
            let connection = if shared {
                self.thread.pool.borrow_mut().get_mut(&endpoint)?.pop()?
            } else {
                let at = self
                    .connections
                    .iter()
                    .position(|(id, _)| *id == endpoint)?;
                self.connections.swap_remove(at).1
            };
            if !connection.is_stale() {
                return Some(connection);
            }
        }
    }

    fn keep_connection(
        &mut self,
        request: &Request,
        endpoint: EndpointId,
        connection: Box<Connection>,
    ) {
        if self.thread.program.profiles[request.profile as usize].share_connections {
            self.thread
                .pool
                .borrow_mut()
                .entry(endpoint)
                .or_default()
                .push(connection);
        } else {
            self.connections.push((endpoint, connection));
        }
    }

    /// Makes a connection within the profile's time.
    pub(super) async fn connect(
        &mut self,
        endpoint: EndpointId,
        times: &mut ConnectTimes,
    ) -> Result<Box<Connection>, Broken> {
        let deadline = Deadline {
            timeout_ns: Nanos::MAX,
            cut_ns: self.scenario.cut_ns,
        };
        self.connect_in_time(endpoint, times, deadline).await
    }

    async fn connect_in_time(
        &mut self,
        id: EndpointId,
        times: &mut ConnectTimes,
        deadline: Deadline,
    ) -> Result<Box<Connection>, Broken> {
        let thread = Rc::clone(&self.thread);
        let endpoint = thread.endpoint_of(id);
        let longest = thread.program.profiles[endpoint.profile as usize].connect_timeout;
        let start_ns = thread.clock.now_ns();
        let timeout_ns = deadline
            .timeout_ns
            .min(start_ns.saturating_add(nanos(longest)));
        let deadline = Deadline {
            timeout_ns,
            ..deadline
        };
        let timed = thread.times_receives();
        let turn = self.number as usize;
        let connecting = connect(&endpoint, thread.clock, timed, turn, times);
        let detail = "no connection in time";
        let result = within(
            &self.watch,
            deadline,
            ErrorKind::ConnectTimeout,
            detail,
            connecting,
        )
        .await;
        if result.is_err() && times.connect_ns == 0 && times.dns_ns == 0 {
            times.connect_ns = thread.clock.now_ns() - start_ns;
        }
        result
    }

    /// Sends a drafted request and follows its redirects and its challenge.
    async fn follow(
        &mut self,
        request: &Request,
        label: LabelId,
        mut draft: Draft,
        first: Option<(Hop, Vec<u8>)>,
        deadline: Deadline,
    ) -> Result<Done, Cut> {
        let mut hops = Vec::new();
        let (mut next, mut sent) =
            first.map_or((None, Vec::new()), |(hop, sent)| (Some(hop), sent));
        let mut challenged = false;
        let mut redirected = 0;
        loop {
            let mut hop = match next.take() {
                Some(hop) => hop,
                None => {
                    self.drafted_hop(request, &draft, label, deadline, &mut sent)
                        .await?
                }
            };
            self.keep_cookies(request, &draft.url, &mut hop.answer);
            let answer = &hop.answer;
            let again = hop.failure.is_none()
                && answer.status == 401
                && !challenged
                && self.take_challenge(request, answer);
            let onward = hop.failure.is_none()
                && answer.location.is_some()
                && matches!(answer.status, 301 | 302 | 303 | 307 | 308)
                && request.redirects > 0;
            if onward && redirected == request.redirects {
                let what = format!("more than {} redirects", request.redirects);
                hop.failure = Some(Failure::new(ErrorKind::RedirectLoop, what));
            } else if onward {
                redirected += 1;
                let location = hop.answer.location.clone().unwrap_or_default();
                let from = draft.url.clone();
                match redirect(&mut draft, hop.answer.status, &location) {
                    Ok(()) => {
                        self.trace_hop(label, &hop, &from, &sent);
                        hops.push(hop);
                        continue;
                    }
                    Err(failure) => hop.failure = Some(failure),
                }
            } else if again {
                challenged = true;
                self.trace_hop(label, &hop, &draft.url, &sent);
                hops.push(hop);
                continue;
            }
            hops.push(hop);
            return Ok(Done {
                hops,
                url: draft.url,
                sent,
            });
        }
    }

    async fn drafted_hop(
        &mut self,
        request: &Request,
        draft: &Draft,
        label: LabelId,
        deadline: Deadline,
        sent: &mut Vec<u8>,
    ) -> Result<Hop, Cut> {
        let start_ns = self.thread.clock.now_ns();
        sent.clear();
        let written = self
            .allowed_endpoint(request, &draft.url)
            .and_then(|endpoint| {
                let to = self.thread.endpoint_of(endpoint);
                let proxy = to.proxy.as_ref().filter(|_| to.absolute_form());
                Ok((endpoint, self.write(request, draft, proxy, sent)?))
            });
        let (endpoint, head_bytes) = match written {
            Ok(written) => written,
            Err(failure) => return Ok(self.never_sent(start_ns, failure)),
        };
        let expects = super::build::header_of(draft, "expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
        let wait_after = (expects && draft.body.is_some()).then_some(head_bytes);
        self.hop(
            request, endpoint, sent, wait_after, label, start_ns, deadline,
        )
        .await
    }

    fn keep_cookies(&mut self, request: &Request, url: &Url, answer: &mut Answer) {
        if request.cookies == CookieMode::Off || answer.set_cookies.is_empty() {
            return;
        }
        self.cookies
            .store(answer.set_cookies.iter().map(Vec::as_slice), url);
    }

    /// Takes a digest challenge; whether to try again.
    fn take_challenge(&mut self, request: &Request, answer: &Answer) -> bool {
        if !matches!(request.auth, Some(AuthTemplate::Digest(..))) {
            return false;
        }
        self.digest
            .challenged(answer.challenges.iter().map(String::as_str))
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
    pub(super) fn sample_of<'h>(
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
    pub(super) fn record(&mut self, request: &Request, sample: &Sample<'_>) {
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

/// The draft that a fixed request would have been.
fn fixed_draft(fixed: &FixedRequest) -> Draft {
    let head = String::from_utf8_lossy(&fixed.bytes[..fixed.cookie_at]);
    let mut lines = head.split("\r\n");
    let method = lines
        .next()
        .unwrap_or_default()
        .split(' ')
        .next()
        .unwrap_or_default()
        .to_owned();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !crate::http1::RequestHead::is_reserved(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let body = fixed.bytes[fixed.cookie_at + 2..].to_vec();
    let body = (!body.is_empty()).then_some(body);
    Draft {
        method,
        url: fixed.url.clone(),
        headers,
        body,
        content_type: None,
        credentials: true,
    }
}

/// Changes a draft as a redirect asks (RFC 9110, 15.4, and the Fetch standard: 301 and 302
/// turn POST into GET, 303 anything but HEAD; credentials do not follow to another origin).
fn redirect(draft: &mut Draft, status: u16, location: &str) -> Result<(), Failure> {
    let from = draft.url.clone();
    let url = from.join(location).map_err(|error| {
        Failure::new(
            ErrorKind::MalformedAnswer,
            format!("Location \"{location}\": {error}"),
        )
    })?;
    if url.origin() != from.origin() {
        let secret = |name: &str| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        };
        draft.headers.retain(|(name, _)| !secret(name));
        draft.credentials = false;
    }
    let to_get = match status {
        301 | 302 => draft.method == "POST",
        303 => draft.method != "HEAD" && draft.method != "GET",
        _ => false,
    };
    if to_get {
        "GET".clone_into(&mut draft.method);
        draft.body = None;
        draft.content_type = None;
        draft
            .headers
            .retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
    }
    draft.url = url;
    draft.url.set_fragment(None);
    Ok(())
}

//! Server-sent events: a response of HTTP that does not end, read event by event.

mod events;
pub(super) mod steps;

use plimsoll_stats::ErrorKind;

use super::carrier::{Carrier, Read};
use super::seam::{ExchangeCall, MadeExchange, ProtocolExchange, TimedPart};
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline};
use crate::failure::Failure;
use crate::http1::{Head, Sink};
use crate::in_flight::InFlight;
use crate::protocols::http::draft::header_of;
use crate::protocols::http::hop::Hop;
use crate::protocols::http::response::{Taker, Want};
use crate::user::User;
use crate::user::step::Cut;
use events::{StreamEvent, StreamEvents};
use steps::StreamStep;

const EVENT_STREAM: &str = "text/event-stream";

/// Most of a body that is no stream of events is not kept.
const KEPT_BYTES: usize = 16 << 10;

impl ProtocolExchange for StreamStep {
    async fn exchange(
        &self,
        user: &mut User,
        call: &ExchangeCall<'_>,
    ) -> Result<Option<MadeExchange>, Cut> {
        let mut draft = match user.draft(call.request) {
            Ok(draft) => draft,
            Err(failure) => return Ok(Some(MadeExchange::never_sent(user, call, failure))),
        };
        for (name, value) in [("Accept", EVENT_STREAM), ("Cache-Control", "no-store")] {
            if header_of(&draft, name).is_none() {
                draft.headers.push((name.to_owned(), value.to_owned()));
            }
        }
        let thread = std::rc::Rc::clone(&user.thread);
        let (mut hop, mut sent) = (Hop::new(call.start_ns, Box::default()), Vec::new());
        let mut in_flight = InFlight::new(&thread, call.recorded_label());
        let sending = Carrier::send(user, call, &draft, &mut hop, &mut sent, &mut in_flight);
        let failure = match sending.await {
            Ok(carrier) => {
                Reading::new(call, self)
                    .read(user, carrier, &mut hop, &draft.url)
                    .await
            }
            Err(broken) => Err(broken),
        };
        match failure {
            Ok(()) => {}
            Err(Broken::Failed(failure)) => hop.failure = Some(failure),
            Err(Broken::CutOff) => return Err(Cut),
        }
        in_flight.done();
        if hop.response.end_ns == 0 || hop.failure.is_some() {
            hop.response.end_ns = thread.clock.now_ns();
        }
        user.keep_cookies(call.request, &draft.url, &mut hop.response);
        Ok(Some(MadeExchange::new(hop, draft.url, sent)))
    }
}

/// A stream that is read.
struct Reading<'a> {
    call: &'a ExchangeCall<'a>,
    step: &'a StreamStep,
    /// Events so far.
    count: u64,
    /// When the last came.
    last_ns: Nanos,
    /// Bytes that parts were told of.
    told_bytes: u64,
}

/// What was heard of the response.
struct HeardStream {
    events: StreamEvents,
    /// Events that came with the last piece.
    arrived: Vec<StreamEvent>,
    /// Whether it is a stream of events, once its head has come.
    is_stream: Option<bool>,
    coding: Option<String>,
    too_long: bool,
}

/// Hears the response.
struct EventSink<'a> {
    taker: Taker<'a>,
    heard: &'a mut HeardStream,
}

impl Sink for EventSink<'_> {
    fn head(&mut self, head: &Head<'_>) {
        self.taker.head(head);
        let value_of = |name: &'static str| {
            let mut named = head
                .iter()
                .filter(move |(known, _)| known.eq_ignore_ascii_case(name));
            named.next().map(|(_, value)| value.trim_ascii())
        };
        let kind = value_of("content-type").unwrap_or_default();
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
        let is_events = kind
            .trim_ascii()
            .eq_ignore_ascii_case(EVENT_STREAM.as_bytes());
        self.heard.is_stream = Some(head.status == 200 && is_events);
        let coding = value_of("content-encoding");
        let coding = coding.filter(|coding| !coding.eq_ignore_ascii_case(b"identity"));
        self.heard.coding = coding.map(|coding| String::from_utf8_lossy(coding).into_owned());
    }

    fn body(&mut self, piece: &[u8]) {
        let heard = &mut *self.heard;
        if heard.is_stream == Some(true) {
            let arrived = &mut heard.arrived;
            let fed = heard.events.feed(piece, &mut |event| arrived.push(event));
            heard.too_long |= fed.is_err();
        } else {
            let body = &mut self.taker.response.body;
            let room = KEPT_BYTES.saturating_sub(body.len());
            body.extend_from_slice(&piece[..piece.len().min(room)]);
        }
    }
}

impl<'a> Reading<'a> {
    fn new(call: &'a ExchangeCall<'a>, step: &'a StreamStep) -> Self {
        Self {
            call,
            step,
            count: 0,
            last_ns: call.start_ns,
            told_bytes: 0,
        }
    }

    /// Reads until enough has come.
    async fn read(
        &mut self,
        user: &mut User,
        mut carrier: Carrier,
        hop: &mut Hop,
        url: &url::Url,
    ) -> Result<(), Broken> {
        let most = self.call.request.max_body_bytes;
        let mut heard = HeardStream {
            events: StreamEvents::new(most),
            arrived: Vec::new(),
            is_stream: None,
            coding: None,
            too_long: false,
        };
        let mut bytes = 0;
        loop {
            let mut sink = EventSink {
                taker: Taker {
                    response: &mut hop.response,
                    want: WANT,
                    failing: None,
                },
                heard: &mut heard,
            };
            let reading = carrier.read(user, self.deadline(), &mut sink, &mut bytes);
            let read = reading.await;
            hop.response.received_bytes = bytes;
            let is_over = matches!(&read, Err(Broken::Failed(failure)) if self.is_over(user, failure, heard.is_stream));
            if is_over {
                hop.response.end_ns = user.thread.clock.now_ns();
                return Ok(());
            }
            let (at_ns, is_whole) = match read? {
                Read::More(at_ns) => (at_ns, false),
                Read::Whole(at_ns) | Read::Upgraded(at_ns) => (at_ns, true),
            };
            if let (Some(true), Some(coding)) = (heard.is_stream, &heard.coding) {
                let what = format!(
                    "Content-Encoding: {coding}: a compressed stream of events is not read"
                );
                return Err(Failure::new(ErrorKind::Decoding, what).into());
            }
            hop.response.came(at_ns);
            for event in std::mem::take(&mut heard.arrived) {
                if self.take(user, event, at_ns, hop, url)? {
                    return Ok(());
                }
            }
            if heard.too_long {
                let what = format!("an event of more than {most} bytes (max-body)");
                return Err(Failure::new(ErrorKind::BodyLimit, what).into());
            }
            if is_whole {
                return self.whole(hop, heard.is_stream).map_err(Broken::Failed);
            }
        }
    }

    /// Until when the next piece is waited for.
    fn deadline(&self) -> Deadline {
        let call = self.call;
        let next_ns = self.last_ns.saturating_add(call.timeout_ns);
        let lasts_ns = self.step.lasts_ns;
        let ends_ns = lasts_ns.map(|lasts| call.start_ns.saturating_add(lasts));
        Deadline {
            timeout_ns: ends_ns.unwrap_or(next_ns),
            cut_ns: call.deadline.cut_ns,
        }
    }

    /// Whether the time was over that the stream was to be read for.
    fn is_over(&self, user: &User, failure: &Failure, is_stream: Option<bool>) -> bool {
        let Some(lasts_ns) = self.step.lasts_ns else {
            return false;
        };
        let passed = user.thread.clock.now_ns() >= self.call.start_ns.saturating_add(lasts_ns);
        failure.kind == ErrorKind::ReadTimeout && passed && is_stream == Some(true)
    }

    /// Takes an event; whether it is the last that was waited for.
    fn take(
        &mut self,
        user: &mut User,
        event: StreamEvent,
        at_ns: Nanos,
        hop: &mut Hop,
        url: &url::Url,
    ) -> Result<bool, Failure> {
        let what = match self.count {
            0 => "first event",
            _ => "event gap",
        };
        let all_bytes = hop.response.received_bytes;
        let part = TimedPart {
            what,
            start_ns: self.last_ns,
            end_ns: at_ns,
            received_bytes: all_bytes - std::mem::replace(&mut self.told_bytes, all_bytes),
        };
        user.record_part(self.call, &part);
        self.count += 1;
        self.last_ns = at_ns;
        let waits = !self.step.until.is_empty();
        let time_ns = at_ns.saturating_sub(self.call.start_ns);
        let data = event.data.into_bytes();
        let found = waits && user.fulfils(&self.step.until, &data, url, time_ns)?;
        hop.response.body = data;
        Ok(found || self.step.events.is_some_and(|most| self.count >= most))
    }

    /// The server ended the response.
    fn whole(&self, hop: &Hop, is_stream: Option<bool>) -> Result<(), Failure> {
        let response = &hop.response;
        if response.status >= 400 || response.status == 204 {
            // The status is judged as that of any request; 204 says that there are no more events.
            return Ok(());
        }
        if is_stream != Some(true) {
            let onward = match response.status {
                300..400 => " (redirects are not followed here)",
                _ => "",
            };
            let what = format!("HTTP {} without {EVENT_STREAM}{onward}", response.status);
            return Err(Failure::new(ErrorKind::MalformedResponse, what));
        }
        let waits = !self.step.until.is_empty() || self.step.events.is_some();
        if waits || self.step.lasts_ns.is_some() || self.count == 0 {
            let what = format!("the stream ended after {} events", self.count);
            return Err(Failure::new(ErrorKind::ClosedInBody, what));
        }
        Ok(())
    }
}

/// What is kept of the response beside its events.
const WANT: Want = Want {
    head: true,
    body: false,
    cookies: true,
    reason: true,
    content_type: false,
    location_bytes: false,
};

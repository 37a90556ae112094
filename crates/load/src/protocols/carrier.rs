//! A request of HTTP whose response its protocol reads piece by piece.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use plimsoll_stats::ErrorKind;

use super::http::HttpConnection;
use super::http::connection::ResponseState;
use super::seam::ExchangeCall;
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline, within};
use crate::driver::Connection;
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::http1::{ResponseLimits, Sink};
use crate::in_flight::InFlight;
use crate::protocols::http::draft::Draft;
use crate::protocols::http::exchange::poll_send;
use crate::protocols::http::fixed::reader_method;
use crate::protocols::http::hop::Hop;
use crate::user::User;

/// A connection on which a request was sent.
pub(super) struct Carrier {
    connection: Box<HttpConnection>,
}

/// How far a response has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Another piece came, then.
    More(Nanos),
    /// It is whole.
    Whole(Nanos),
    /// It is whole, and the connection belongs to another protocol now.
    Upgraded(Nanos),
}

impl Carrier {
    /// Connects and sends; fills in what the sample says of it.
    pub async fn send(
        user: &mut User,
        call: &ExchangeCall<'_>,
        draft: &Draft,
        hop: &mut Hop,
        sent: &mut Vec<u8>,
        in_flight: &mut InFlight<'_>,
    ) -> Result<Self, Broken> {
        let request = call.request;
        let id = user.allowed_endpoint(request, &draft.url)?;
        let endpoint = user.thread.endpoint_of(id);
        let proxy = endpoint.proxy.as_ref();
        let proxy = proxy.filter(|_| endpoint.absolute_form());
        let parts = user.parts(request, draft, proxy)?;
        let written = parts.request()?.http1(sent);
        let connecting = user.connect_in_time(id, &mut hop.times, call.deadline);
        let mut connection = Box::pin(connecting).await?;
        let limits = ResponseLimits {
            head_bytes: request.max_head_bytes,
            // A stream has no end: its events are limited.
            body_bytes: u64::MAX,
            ..ResponseLimits::default()
        };
        connection.start(reader_method(&draft.method), &limits);
        let what = "the server did not take the request in time";
        let mut done = 0;
        let sending = pin!(poll_fn(|cx| {
            let sent = poll_send(&mut connection.wire, cx, written.bytes, &mut done);
            sent.map_err(|error: io::Error| Failure::talking(&error))
        }));
        let kind = ErrorKind::ReadTimeout;
        within(&user.watch, call.deadline, kind, what, sending).await?;
        in_flight.written();
        hop.sent_bytes = written.bytes.len() as u64;
        Ok(Self { connection })
    }

    /// Waits for the next piece of the response.
    pub async fn read(
        &mut self,
        user: &User,
        deadline: Deadline,
        sink: &mut impl Sink,
        bytes: &mut u64,
    ) -> Result<Read, Broken> {
        let what = "no complete response in time";
        let thread = Rc::clone(&user.thread);
        let reading = pin!(poll_fn(|cx| self.poll_read(cx, &thread, sink, bytes)));
        user.receive_within(deadline, what, reading).await
    }

    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        thread: &Thread,
        sink: &mut impl Sink,
        bytes: &mut u64,
    ) -> Poll<Result<Read, Failure>> {
        let mut inbox = thread.inbox.borrow_mut();
        let (received, now_ns) =
            ready!(thread.poll_receive(cx, &mut self.connection.wire, &mut inbox))?;
        let part = self.connection.take(&inbox, received, sink);
        *bytes += part.bytes;
        Poll::Ready(part.state.map(|state| match state {
            ResponseState::Partial => Read::More(now_ns),
            ResponseState::Whole { .. } => Read::Whole(now_ns),
            ResponseState::Upgraded => Read::Upgraded(now_ns),
        }))
    }

    /// The connection for another protocol, and what came of that behind the response.
    pub fn into_upgraded(self) -> (Connection, Vec<u8>) {
        self.connection.into_upgraded()
    }
}

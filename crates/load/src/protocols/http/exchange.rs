//! One request on one connection, and its response.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use plimsoll_stats::ErrorKind;

use super::HttpConnection;
use super::connection::ResponseState;
use super::fixed::reader_method;
use super::message::{HttpRequest, WrittenRequest};
use super::response::{Failing, Response, Taker, Want};
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline};
use crate::driver::{Ask, Connection};
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::http1::ResponseLimits;
use crate::in_flight::InFlight;
use crate::timer::Watch;

/// What is to be sent and how the response is read.
#[derive(Clone, Copy)]
pub struct ExchangeOrder<'a> {
    /// The request.
    pub request: HttpRequest<'a>,
    /// Limits of the response.
    pub limits: ResponseLimits,
    /// What is wanted of the response.
    pub want: Want,
    /// Which responses fail by their status.
    pub failing: Option<Failing<'a>>,
    /// Until when.
    pub deadline: Deadline,
    /// Longest wait for the next bytes of the response, ns, when each is bounded.
    pub read_timeout_ns: Option<Nanos>,
    /// Most bytes a second in each direction; 0: as many as there are.
    pub bytes_per_s: u64,
}

/// Longest wait for `100 Continue` before the body is sent anyway (RFC 9110, 10.1.1 leaves
/// it open; curl's default).
const CONTINUE_WAIT_NS: Nanos = 1_000_000_000;

/// What a slow line takes in one piece: the buffer of JMeter's HTTP client.
const SLOW_BLOCK: usize = 8192;

/// Sends a request, as it was written, and reads its response.
///
/// # Errors
/// What broke it.
pub async fn exchange(
    thread: &Thread,
    watch: &Watch,
    connection: &mut HttpConnection,
    order: &ExchangeOrder<'_>,
    written: WrittenRequest<'_>,
    response: &mut Response,
    in_flight: &mut InFlight<'_>,
) -> Result<(), Broken> {
    connection.start(reader_method(order.request.method), &order.limits);
    watch.set(order.deadline.nearest_ns());
    let mut talk = HttpTalk {
        thread,
        watch,
        connection,
        response,
        want: order.want,
        failing: order.failing,
        deadline: order.deadline,
        bytes_per_s: order.bytes_per_s,
    };
    let mut bytes = written.bytes;
    if let Some(head_bytes) = written.wait_after {
        let head;
        (head, bytes) = bytes.split_at(head_bytes);
        let now_ns = thread.clock.now_ns();
        if talk.send(head).await? || Box::pin(talk.receive_continue(now_ns)).await? {
            watch.clear();
            return Ok(());
        }
    }
    if !talk.send(bytes).await? {
        in_flight.written();
        talk.receive(order.read_timeout_ns, Until::End).await?;
    }
    watch.clear();
    Ok(())
}

/// What ends a receive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The end of the response.
    End,
    /// A `100 Continue`, or the end of the response.
    Continue,
}

/// An exchange under way. What it waits for seldom is boxed: each user keeps the room for the rest all the time.
struct HttpTalk<'a> {
    thread: &'a Thread,
    watch: &'a Watch,
    connection: &'a mut HttpConnection,
    response: &'a mut Response,
    want: Want,
    failing: Option<Failing<'a>>,
    deadline: Deadline,
    bytes_per_s: u64,
}

impl HttpTalk<'_> {
    /// Sends all of the bytes; `true` when the whole response came before, so that the server
    /// wants no more of them.
    async fn send(&mut self, bytes: &[u8]) -> Result<bool, Broken> {
        if self.bytes_per_s > 0 {
            Box::pin(self.pause(bytes.len() as u64)).await?;
        }
        let sent = match self.connection.wire.try_write(bytes) {
            Ok(sent) => sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Box::pin(self.last_words(&error)).await,
        };
        if sent == bytes.len() && !self.connection.wire.wants_flush() {
            return Ok(false);
        }
        match self.send_rest(&bytes[sent..]).await? {
            SendEnd::All(Ok(())) => Ok(false),
            SendEnd::All(Err(error)) => Box::pin(self.last_words(&error)).await,
            SendEnd::Responded => {
                self.response.keep_alive = false;
                Ok(true)
            }
        }
    }

    /// Sends, and takes meanwhile what the server says: it may wait for that, as one that gives
    /// back what it gets, or may want no more.
    async fn send_rest(&mut self, bytes: &[u8]) -> Result<SendEnd, Broken> {
        let mut sent = 0;
        poll_fn(|cx| {
            loop {
                if let Poll::Ready(result) =
                    poll_send(&mut self.connection.wire, cx, bytes, &mut sent)
                {
                    return Poll::Ready(Ok(SendEnd::All(result)));
                }
                match self.poll_piece(cx) {
                    Poll::Ready(Ok(true)) => return Poll::Ready(Ok(SendEnd::Responded)),
                    Poll::Ready(Ok(false)) => {}
                    Poll::Ready(Err(failure)) => return Poll::Ready(Err(failure.into())),
                    Poll::Pending => break,
                }
            }
            self.poll_over(cx, "the server did not take the request in time")
        })
        .await
    }

    /// What the server said before it took no more: its response, or else why nothing more could
    /// be written.
    async fn last_words(&mut self, error: &io::Error) -> Result<bool, Broken> {
        match self.receive(None, Until::End).await {
            Ok(whole) => {
                self.response.keep_alive = false;
                Ok(whole)
            }
            Err(Broken::Failed(_)) => Err(Failure::talking(error).into()),
            Err(Broken::CutOff) => Err(Broken::CutOff),
        }
    }

    /// Waits for `100 Continue`, but not for long; `true` when the whole response came instead.
    async fn receive_continue(&mut self, now_ns: Nanos) -> Result<bool, Broken> {
        let whole = self.deadline;
        self.deadline.timeout_ns = (now_ns + CONTINUE_WAIT_NS).min(whole.timeout_ns);
        self.watch.set(self.deadline.nearest_ns());
        let received = self.receive(None, Until::Continue).await;
        self.deadline = whole;
        self.watch.set(whole.nearest_ns());
        match received {
            Err(Broken::Failed(failure)) if failure.kind == ErrorKind::ReadTimeout => Ok(false),
            received => received,
        }
    }

    /// Receives; `true` when the response is complete.
    async fn receive(
        &mut self,
        read_timeout_ns: Option<Nanos>,
        until: Until,
    ) -> Result<bool, Broken> {
        let most_ns = self.deadline.timeout_ns;
        if self.bytes_per_s > 0 {
            let slowly = self.receive_slowly(read_timeout_ns, until, most_ns);
            return Box::pin(slowly).await;
        }
        self.wait_from(self.thread.clock.now_ns(), read_timeout_ns, most_ns);
        poll_fn(|cx| {
            loop {
                match self.poll_piece(cx) {
                    Poll::Ready(Ok(true)) => return Poll::Ready(Ok(true)),
                    Poll::Ready(Ok(false))
                        if until == Until::Continue && self.response.continues =>
                    {
                        return Poll::Ready(Ok(false));
                    }
                    Poll::Ready(Ok(false)) => {
                        self.wait_from(self.response.end_ns, read_timeout_ns, most_ns);
                    }
                    Poll::Ready(Err(failure)) => return Poll::Ready(Err(failure.into())),
                    Poll::Pending => break,
                }
            }
            self.poll_over(cx, "no complete response in time")
        })
        .await
    }

    /// Receives as over a slow line: before each read it takes the time of a whole block, as
    /// JMeter 5.6.3 does (`SlowInputStream`).
    async fn receive_slowly(
        &mut self,
        read_timeout_ns: Option<Nanos>,
        until: Until,
        most_ns: Nanos,
    ) -> Result<bool, Broken> {
        loop {
            self.deadline.timeout_ns = most_ns;
            self.pause(SLOW_BLOCK as u64).await?;
            self.wait_from(self.thread.clock.now_ns(), read_timeout_ns, most_ns);
            let whole = poll_fn(|cx| match self.poll_piece(cx) {
                Poll::Ready(piece) => Poll::Ready(piece.map_err(Broken::from)),
                Poll::Pending => self.poll_over(cx, "no complete response in time"),
            });
            let whole = whole.await?;
            if whole || until == Until::Continue && self.response.continues {
                return Ok(whole);
            }
        }
    }

    /// Waits as long as so many bytes take on a slow line.
    async fn pause(&mut self, bytes: u64) -> Result<(), Broken> {
        let takes_ns = bytes.saturating_mul(1_000_000_000) / self.bytes_per_s.max(1);
        let until_ns = self.thread.clock.now_ns().saturating_add(takes_ns);
        let over_ns = self.deadline.nearest_ns();
        self.watch.set(until_ns.min(over_ns));
        self.watch.expired().await;
        if self.watch.is_cut() || until_ns >= over_ns {
            let detail = "no complete response in time";
            let kind = ErrorKind::ReadTimeout;
            return Err(self.deadline.passed(self.watch, kind, detail));
        }
        self.watch.set(over_ns);
        Ok(())
    }

    /// Where each wait for bytes is bounded: this one begins then.
    #[inline]
    fn wait_from(&mut self, from_ns: Nanos, longest_ns: Option<Nanos>, most_ns: Nanos) {
        if let Some(longest_ns) = longest_ns {
            self.deadline.timeout_ns = from_ns.saturating_add(longest_ns).min(most_ns);
            self.watch.set(self.deadline.nearest_ns());
        }
    }

    /// Pending, unless the time is over.
    fn poll_over<T>(&self, cx: &mut Context<'_>, detail: &str) -> Poll<Result<T, Broken>> {
        if self.watch.is_over() {
            let broken = self
                .deadline
                .passed(self.watch, ErrorKind::ReadTimeout, detail);
            return Poll::Ready(Err(broken));
        }
        self.watch.register(cx.waker());
        Poll::Pending
    }

    /// Reads one piece; `true` when the response is complete.
    #[inline]
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Failure>> {
        let (thread, response) = (self.thread, &mut *self.response);
        let is_slow = self.bytes_per_s > 0;
        // What waits because it is to be slow does not lag.
        let timed = thread.next_receive_is_timed() && !is_slow;
        let mut inbox = thread.inbox.borrow_mut();
        let most = if is_slow { SLOW_BLOCK } else { usize::MAX };
        let ask = Ask { most, timed };
        let received = ready!(self.connection.wire.poll_receive(cx, &mut inbox, ask));
        let mut now = thread.clock.now_ns();
        response.end_ns = now;
        let received = match received {
            Ok(received) => received,
            Err(error) => return Poll::Ready(Err(Failure::talking(&error))),
        };
        // Receive times are on the wall clock; one that was set meanwhile gives itself away.
        let possible = |lag_ns: &u64| now.saturating_sub(*lag_ns) > response.start_ns;
        let lag_ns = received.kernel_lag_ns.filter(possible);
        let elapsed_ns = now.saturating_sub(response.start_ns);
        thread.turns.read(now, lag_ns, elapsed_ns);
        response.lag_ns = lag_ns;
        if let Some(lag_ns) = lag_ns {
            thread.recorder.receive_lag(lag_ns);
            let noticed_ns = now;
            now = thread.nap.true_time(now, lag_ns);
            response.end_ns = now;
            // What was slept through is not in its time.
            response.lag_ns = Some(lag_ns.saturating_sub(noticed_ns - now));
        }
        let taker = &mut Taker {
            response,
            want: self.want,
            failing: self.failing.map(|failing| (failing, &thread.recorder)),
        };
        let part = self.connection.take(&inbox, received, taker);
        if part.bytes > 0 && response.first_byte_ns == 0 {
            response.first_byte_ns = now;
        }
        response.received_bytes += part.bytes;
        Poll::Ready(part.state.map(|state| match state {
            ResponseState::Partial => false,
            ResponseState::Whole { keep_alive } => {
                response.keep_alive = keep_alive;
                true
            }
            ResponseState::Upgraded => {
                response.keep_alive = false;
                true
            }
        }))
    }
}

/// How sending ended.
enum SendEnd {
    /// All was sent, or no more can be.
    All(io::Result<()>),
    /// The whole response came first.
    Responded,
}

/// Sends what the kernel takes of the bytes, from `sent` on; ready when it has them all.
pub(crate) fn poll_send(
    connection: &mut Connection,
    cx: &mut Context<'_>,
    bytes: &[u8],
    sent: &mut usize,
) -> Poll<io::Result<()>> {
    loop {
        ready!(connection.poll_flush(cx))?;
        if *sent == bytes.len() {
            return Poll::Ready(Ok(()));
        }
        // Not only when nothing fits: a long body must let other users have their turn.
        ready!(connection.poll_write_ready(cx))?;
        match connection.try_write(&bytes[*sent..]) {
            Ok(more) => *sent += more,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

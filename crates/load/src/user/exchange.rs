//! One request on one connection, and its answer.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use plimsoll_stats::{ErrorKind, LabelId};

use super::answer::{Answer, Taker, Want};
use crate::clock::Nanos;
use crate::driver::Connection;
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::http1::{Limits, Progress, RequestMethod};
use crate::timer::Watch;

/// How an exchange ended without an answer.
#[derive(Debug)]
pub enum Broken {
    /// A failure; a sample.
    Failed(Failure),
    /// The run's end cut it off; no sample.
    CutOff,
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Until when something may take.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When the request has had its time.
    pub timeout_ns: Nanos,
    /// When the run's end cuts it off.
    pub cut_ns: Nanos,
}

impl Deadline {
    /// The nearer of the two.
    #[must_use]
    pub fn nearest_ns(self) -> Nanos {
        self.timeout_ns.min(self.cut_ns)
    }

    fn passed(self, watch: &Watch, kind: ErrorKind, detail: &str) -> Broken {
        let by_end = self.cut_ns <= self.timeout_ns;
        if watch.is_cut() || by_end && watch.is_cuttable() {
            return Broken::Failed(Failure::new(ErrorKind::CutOff, ""));
        }
        if by_end {
            return Broken::CutOff;
        }
        Broken::Failed(Failure::new(kind, detail))
    }
}

/// Bounds a future by a deadline.
pub async fn within<T>(
    watch: &Watch,
    deadline: Deadline,
    kind: ErrorKind,
    detail: &str,
    future: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Broken> {
    let mut future = pin!(future);
    watch.set(deadline.nearest_ns());
    let result = poll_fn(|cx| {
        if let Poll::Ready(result) = future.as_mut().poll(cx) {
            return Poll::Ready(result.map_err(Broken::Failed));
        }
        if watch.is_over() {
            return Poll::Ready(Err(deadline.passed(watch, kind, detail)));
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await;
    watch.clear();
    result
}

/// Counts a request whose last byte was written but whose sample was never recorded: the
/// run's end dropped it.
pub struct InFlight<'a> {
    thread: &'a Thread,
    label: Option<LabelId>,
    written: bool,
}

impl<'a> InFlight<'a> {
    /// A request that is about to be written; discarded ones have no label.
    pub fn new(thread: &'a Thread, label: Option<LabelId>) -> Self {
        thread
            .recorder
            .in_flight
            .set(thread.recorder.in_flight.get() + 1);
        Self {
            thread,
            label,
            written: false,
        }
    }

    /// The last byte was written.
    pub fn written(&mut self) {
        self.written = true;
    }

    /// A sample will tell of it.
    pub fn done(mut self) {
        self.written = false;
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let in_flight = &self.thread.recorder.in_flight;
        in_flight.set(in_flight.get().saturating_sub(1));
        if let (true, Some(label)) = (self.written, self.label) {
            self.thread.recorder.cut_off(label);
        }
    }
}

/// What is to be sent and how the answer is read.
pub struct Order<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Length of the head, when the body waits for `100 Continue`.
    pub wait_after: Option<usize>,
    /// What the reader must know of the method.
    pub method: RequestMethod,
    /// Limits of the answer.
    pub limits: Limits,
    /// What is wanted of the answer.
    pub want: Want,
    /// Until when.
    pub deadline: Deadline,
    /// Longest wait for the next bytes of the answer, ns, when each is bounded.
    pub read_timeout_ns: Option<Nanos>,
}

/// Longest wait for `100 Continue` before the body is sent anyway (RFC 9110, 10.1.1 leaves
/// it open; curl's default).
const CONTINUE_WAIT_NS: Nanos = 1_000_000_000;

/// Sends a request and reads its answer. `order.bytes` may be gone after the first wait, so
/// what is not sent at once is copied.
///
/// # Errors
/// What broke it.
pub async fn exchange(
    thread: &Thread,
    watch: &Watch,
    connection: &mut Connection,
    order: Order<'_>,
    answer: &mut Answer,
    in_flight: &mut InFlight<'_>,
) -> Result<(), Broken> {
    let Order {
        bytes,
        wait_after,
        method,
        limits,
        want,
        deadline,
        read_timeout_ns,
    } = order;
    connection.reader.start(method, &limits);
    watch.set(deadline.nearest_ns());
    let mut rest = Vec::new();
    if let Some(head_bytes) = wait_after {
        rest = bytes[head_bytes..].to_vec();
        send_all(watch, connection, &bytes[..head_bytes], deadline).await?;
        let now = thread.clock.now_ns();
        let wait = Deadline {
            timeout_ns: (now + CONTINUE_WAIT_NS).min(deadline.timeout_ns),
            ..deadline
        };
        watch.set(wait.nearest_ns());
        let until = Until::Continue;
        match receive(thread, watch, connection, answer, want, wait, None, until).await {
            Ok(true) => {
                watch.clear();
                return Ok(());
            }
            Ok(false) => {}
            Err(Broken::Failed(failure)) if failure.kind == ErrorKind::ReadTimeout => {}
            Err(broken) => return Err(broken),
        }
        watch.set(deadline.nearest_ns());
    }
    let bytes = if wait_after.is_some() {
        &rest[..]
    } else {
        bytes
    };
    let sent = match connection.try_write(bytes) {
        Ok(sent) => sent,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
        Err(error) => return Err(Failure::talking(&error).into()),
    };
    if sent < bytes.len() || connection.wants_flush() {
        let left = bytes[sent..].to_vec();
        send_all(watch, connection, &left, deadline).await?;
    }
    in_flight.written();
    receive(
        thread,
        watch,
        connection,
        answer,
        want,
        deadline,
        read_timeout_ns,
        Until::End,
    )
    .await?;
    watch.clear();
    Ok(())
}

async fn send_all(
    watch: &Watch,
    connection: &mut Connection,
    bytes: &[u8],
    deadline: Deadline,
) -> Result<(), Broken> {
    let mut sent = 0;
    poll_fn(|cx| {
        let result = poll_send(connection, cx, bytes, &mut sent);
        if let Poll::Ready(result) = result {
            return Poll::Ready(result.map_err(|error| Failure::talking(&error).into()));
        }
        if watch.is_over() {
            let detail = "the server did not take the request in time";
            return Poll::Ready(Err(deadline.passed(watch, ErrorKind::ReadTimeout, detail)));
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await
}

fn poll_send(
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
        match connection.try_write(&bytes[*sent..]) {
            Ok(more) => *sent += more,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                ready!(connection.poll_write_ready(cx))?;
            }
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

/// What ends a receive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The end of the answer.
    End,
    /// A `100 Continue`, or the end of the answer.
    Continue,
}

/// Receives; `true` when the answer is complete.
#[expect(clippy::too_many_arguments)]
async fn receive(
    thread: &Thread,
    watch: &Watch,
    connection: &mut Connection,
    answer: &mut Answer,
    want: Want,
    mut deadline: Deadline,
    read_timeout_ns: Option<Nanos>,
    until: Until,
) -> Result<bool, Broken> {
    let timed = thread.next_receive_is_timed();
    let most_ns = deadline.timeout_ns;
    let bounded = |from_ns: Nanos, deadline: &mut Deadline| {
        if let Some(longest_ns) = read_timeout_ns {
            deadline.timeout_ns = from_ns.saturating_add(longest_ns).min(most_ns);
            watch.set(deadline.nearest_ns());
        }
    };
    if read_timeout_ns.is_some() {
        bounded(thread.clock.now_ns(), &mut deadline);
    }
    poll_fn(|cx| {
        loop {
            let result = poll_piece(thread, connection, cx, answer, want, timed);
            match result {
                Poll::Ready(Ok(true)) => return Poll::Ready(Ok(true)),
                Poll::Ready(Ok(false)) if until == Until::Continue && answer.continues => {
                    return Poll::Ready(Ok(false));
                }
                Poll::Ready(Ok(false)) => bounded(answer.end_ns, &mut deadline),
                Poll::Ready(Err(failure)) => return Poll::Ready(Err(failure.into())),
                Poll::Pending => break,
            }
        }
        if watch.is_over() {
            let detail = "no whole answer in time";
            return Poll::Ready(Err(deadline.passed(watch, ErrorKind::ReadTimeout, detail)));
        }
        watch.register(cx.waker());
        Poll::Pending
    })
    .await
}

/// Reads one piece; `true` when the answer is complete.
#[inline]
fn poll_piece(
    thread: &Thread,
    connection: &mut Connection,
    cx: &mut Context<'_>,
    answer: &mut Answer,
    want: Want,
    timed: bool,
) -> Poll<Result<bool, Failure>> {
    let mut buffer = thread.read_buffer.borrow_mut();
    let received = ready!(connection.poll_receive(cx, &mut buffer, timed));
    let mut now = thread.clock.now_ns();
    answer.end_ns = now;
    let received = match received {
        Ok(received) => received,
        Err(error) => return Poll::Ready(Err(Failure::talking(&error))),
    };
    // Receive times are on the wall clock; one that was set meanwhile gives itself away.
    let possible = |lag_ns: &u64| now.saturating_sub(*lag_ns) > answer.start_ns;
    if let Some(lag_ns) = received.kernel_lag_ns.filter(possible) {
        thread.recorder.receive_lag(lag_ns);
        now = thread.nap.true_time(now, lag_ns);
        answer.end_ns = now;
    }
    let taker = &mut Taker { answer, want };
    let progress = if received.bytes == 0 {
        connection.reader.end_of_stream(taker)
    } else {
        if taker.answer.first_byte_ns == 0 {
            taker.answer.first_byte_ns = now;
        }
        taker.answer.received_bytes += received.bytes as u64;
        connection.reader.feed(&buffer[..received.bytes], taker)
    };
    match progress {
        Ok(Progress::NeedMore) => Poll::Ready(Ok(false)),
        Ok(Progress::Done {
            consumed,
            keep_alive,
        }) => {
            // Bytes beyond the answer were not asked for: what follows cannot be trusted.
            answer.keep_alive = keep_alive && consumed == received.bytes;
            Poll::Ready(Ok(true))
        }
        Ok(Progress::Upgraded { .. }) => {
            answer.keep_alive = false;
            Poll::Ready(Ok(true))
        }
        Err(error) => Poll::Ready(Err(Failure::new(error.kind(), error.to_string()))),
    }
}

//! Messages at a rate, whether or not responses come.

use std::collections::VecDeque;
use std::rc::Rc;

use plimsoll_stats::ErrorKind;

use super::super::seam::{ExchangeCall, MadeExchange};
use super::connection::{Arrived, NamedSocket, closed};
use super::frames::Incoming;
use super::messages::{NO_MESSAGE, bytes_of, code_of, next, put, take};
use super::steps::{MessageStream, Outgoing};
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline};
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::in_flight::InFlight;
use crate::protocols::http::hop::Hop;
use crate::user::User;
use crate::user::due::Due;
use crate::user::step::Cut;

/// A message of a stream that waits for its response.
struct Waiting<'t> {
    due_ns: Nanos,
    hop: Hop,
    sent: Vec<u8>,
    in_flight: InFlight<'t>,
}

/// A stream that is being sent.
struct Sending<'t, 'n> {
    thread: &'t Thread,
    call: &'t ExchangeCall<'t>,
    stream: &'t MessageStream,
    named: &'n NamedSocket,
    /// Messages whose responses have not come, in their order; none: it was told of, but its
    /// response is still owed and belongs to no later one.
    waiting: VecDeque<Option<Waiting<'t>>>,
    /// Bytes that came since the last response.
    received_bytes: u64,
    /// Messages sent so far.
    number: u64,
}

/// Sends messages at a rate, whether or not responses come: each is a sample from when it is due.
/// Responses belong to the messages in their order.
pub(super) async fn stream(
    user: &mut User,
    call: &ExchangeCall<'_>,
    stream: &MessageStream,
) -> Result<Option<MadeExchange>, Cut> {
    let thread = Rc::clone(&user.thread);
    let named = match take(user, &stream.message.on) {
        Ok(named) => named,
        Err(failure) => return Ok(Some(MadeExchange::never_sent(user, call, failure))),
    };
    named.socket.forget_arrived();
    let mut sending = Sending {
        thread: &thread,
        call,
        stream,
        named: &named,
        waiting: VecDeque::new(),
        received_bytes: 0,
        number: 0,
    };
    let ended = sending.run(user).await;
    if matches!(ended, Err(Broken::Failed(_))) {
        sending.drop_the_rest(user);
    }
    let waiting = sending.waiting;
    match ended {
        Ok(()) => user.protocols.websocket.push(named),
        Err(Broken::CutOff) => return Err(Cut),
        // The connection is lost, and with it all that waits.
        Err(Broken::Failed(failure)) => {
            for one in waiting.into_iter().flatten() {
                conclude(user, call, &named, one, Some(failure.clone()));
            }
        }
    }
    Ok(None)
}

impl Sending<'_, '_> {
    async fn run(&mut self, user: &mut User) -> Result<(), Broken> {
        loop {
            let due_ns = self.next_due_ns(user);
            if let Some(due_ns) = due_ns
                && due_ns <= self.thread.clock.now_ns()
            {
                self.send(user, due_ns).await?;
                continue;
            }
            let late_ns = self.waiting.iter().flatten().next().map(|one| {
                let sent_ns = one.hop.start_ns;
                sent_ns.saturating_add(self.call.timeout_ns)
            });
            let Some(wake_ns) = due_ns.into_iter().chain(late_ns).min() else {
                return Ok(());
            };
            let deadline = Deadline {
                timeout_ns: wake_ns,
                ..self.call.deadline
            };
            match next(user, deadline, self.named, "").await {
                Ok(arrived) => self.take(user, arrived)?,
                Err(Broken::Failed(failure)) if failure.kind == ErrorKind::ReadTimeout => {
                    if late_ns.is_some_and(|at| at <= self.thread.clock.now_ns()) {
                        let failure = Failure::new(ErrorKind::ReadTimeout, NO_MESSAGE);
                        self.give_up_first(user, failure);
                    }
                }
                Err(broken) => return Err(broken),
            }
        }
    }

    /// When the next message is due; none when no more are sent.
    fn next_due_ns(&self, user: &User) -> Option<Nanos> {
        let (start_ns, stream) = (self.call.start_ns, self.stream);
        let due_ns = due(start_ns, stream, self.number)?;
        let is_over = due_ns >= start_ns.saturating_add(stream.lasts_ns) || user.is_over(due_ns);
        (!is_over).then_some(due_ns)
    }

    async fn send(&mut self, user: &mut User, due_ns: Nanos) -> Result<(), Broken> {
        let message = &self.stream.message;
        self.number += 1;
        let mut one = Waiting {
            due_ns,
            hop: Hop::new(self.thread.clock.now_ns(), Box::default()),
            sent: Vec::new(),
            in_flight: InFlight::new(self.thread, self.call.recorded_label()),
        };
        let sent = send_one(user, self.call, self.named, message, &mut one).await;
        match message.until.is_empty() && sent.is_ok() {
            true => conclude(user, self.call, self.named, one, None),
            false => self.waiting.push_back(Some(one)),
        }
        sent
    }

    /// Takes a message: if it is a response, it belongs to the first that is owed one.
    fn take(&mut self, user: &mut User, arrived: Arrived) -> Result<(), Failure> {
        self.received_bytes += arrived.wire_bytes;
        let (is_text, data) = match arrived.incoming {
            Incoming::Message { is_text, data } => (is_text, data),
            Incoming::Close { code, reason } => return Err(closed(code, &reason)),
            _ => return Ok(()),
        };
        let first = self.waiting.front().and_then(Option::as_ref);
        let sent_ns = first.map_or(self.call.start_ns, |one| one.hop.start_ns);
        let time_ns = arrived.at_ns.saturating_sub(sent_ns);
        let until = &self.stream.message.until;
        if self.waiting.is_empty() || !user.fulfils(until, &data, &self.named.url, time_ns)? {
            return Ok(());
        }
        let received_bytes = std::mem::take(&mut self.received_bytes);
        if let Some(Some(mut one)) = self.waiting.pop_front() {
            let response = &mut one.hop.response;
            response.received_bytes = received_bytes;
            response.body = data;
            response.code = code_of(is_text);
            response.end_ns = arrived.at_ns;
            response.first_byte_ns = arrived.at_ns;
            conclude(user, self.call, self.named, one, None);
        }
        Ok(())
    }

    /// The first that waits has waited too long. Its response may still come.
    fn give_up_first(&mut self, user: &mut User, failure: Failure) {
        let first = self.waiting.iter_mut().find_map(Option::take);
        if let Some(one) = first {
            conclude(user, self.call, self.named, one, Some(failure));
        }
    }

    /// Messages that were still due on a connection that was lost did not start.
    fn drop_the_rest(&mut self, user: &User) {
        while let Some(due_ns) = self.next_due_ns(user) {
            self.number += 1;
            if let Some(label) = self.call.recorded_label() {
                self.thread.recorder.dropped(label, due_ns);
            }
        }
    }
}

/// When a message of a stream is due; none when the rate is 0.
fn due(start_ns: Nanos, stream: &MessageStream, number: u64) -> Option<Nanos> {
    let after_ns = u128::from(number) * u128::from(stream.per_ns);
    let after_ns = after_ns.checked_div(u128::from(stream.arrivals))?;
    Some(start_ns.saturating_add(u64::try_from(after_ns).unwrap_or(Nanos::MAX)))
}

async fn send_one(
    user: &mut User,
    call: &ExchangeCall<'_>,
    named: &NamedSocket,
    message: &Outgoing,
    one: &mut Waiting<'_>,
) -> Result<(), Broken> {
    one.sent = bytes_of(user, message)?;
    let deadline = Deadline {
        timeout_ns: one.hop.start_ns.saturating_add(call.timeout_ns),
        ..call.deadline
    };
    put(
        user,
        deadline,
        named,
        message.encoding,
        &one.sent,
        &mut one.hop,
    )
    .await?;
    one.in_flight.written();
    Ok(())
}

/// Records a message of a stream.
fn conclude(
    user: &mut User,
    call: &ExchangeCall<'_>,
    named: &NamedSocket,
    one: Waiting<'_>,
    failure: Option<Failure>,
) {
    let Waiting {
        due_ns,
        mut hop,
        sent,
        in_flight,
    } = one;
    in_flight.done();
    if failure.is_some() {
        hop.response.end_ns = user.thread.clock.now_ns();
        hop.failure = failure;
    }
    let due = Due::of(Some(due_ns), due_ns, hop.start_ns);
    let done = MadeExchange::new(hop, named.url.clone(), Vec::new()).done;
    user.conclude(call.id, call.label, due, done, &sent);
}

//! Messages on a connection that is open.

use std::pin::pin;
use std::rc::Rc;

use plimsoll_plan::program::Template;
use plimsoll_stats::{Code, ErrorKind};

use super::super::seam::{ExchangeCall, MadeExchange, TimedPart};
use super::connection::{Arrived, NamedSocket, closed};
use super::frames::{self, Incoming, MAX_CONTROL_BYTES};
use super::payload::{MessageEncoding, bytes_of_text};
use super::steps::{AwaitedMessages, Outgoing};
use crate::check::BoundCheck;
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline, within};
use crate::failure::Failure;
use crate::in_flight::InFlight;
use crate::protocols::http::hop::Hop;
use crate::user::User;
use crate::user::step::Cut;

/// Sends a message, and waits for the response to it if one is described.
pub(super) async fn send(
    user: &mut User,
    call: &ExchangeCall<'_>,
    message: &Outgoing,
) -> Result<MadeExchange, Cut> {
    on_connection(user, call, &message.on, async |user, named, hop, sent| {
        *sent = bytes_of(user, message)?;
        if !message.until.is_empty() {
            // What came before it cannot be the response to it.
            named.socket.forget_arrived();
        }
        put(user, call.deadline, named, message.encoding, sent, hop).await?;
        if !message.until.is_empty() {
            let response = find(
                user,
                call.deadline,
                named,
                &message.until,
                call.start_ns,
                hop,
            );
            response.await?;
        }
        Ok(())
    })
    .await
}

/// Waits for messages.
pub(super) async fn wait(
    user: &mut User,
    call: &ExchangeCall<'_>,
    wait: &AwaitedMessages,
) -> Result<MadeExchange, Cut> {
    on_connection(user, call, &wait.on, async |user, named, hop, _| {
        let mut last_ns = call.start_ns;
        for _ in 0..wait.count {
            let before = hop.response.received_bytes;
            find(user, call.deadline, named, &wait.until, call.start_ns, hop).await?;
            // One that was there already came before the step began.
            let at_ns = hop.response.end_ns.max(last_ns);
            hop.response.end_ns = at_ns;
            let part = TimedPart {
                what: "message gap",
                start_ns: std::mem::replace(&mut last_ns, at_ns),
                end_ns: at_ns,
                received_bytes: hop.response.received_bytes - before,
            };
            user.record_part(call, &part);
        }
        Ok(())
    })
    .await
}

/// Sends a ping and waits for its pong.
pub(super) async fn ping(
    user: &mut User,
    call: &ExchangeCall<'_>,
    on: &str,
    text: &Template,
) -> Result<MadeExchange, Cut> {
    on_connection(user, call, on, async |user, named, hop, sent| {
        *sent = user.text(text).map_err(Failure::from)?.into_bytes();
        if sent.len() > MAX_CONTROL_BYTES {
            let what = format!(
                "a ping of {} bytes (allowed: {MAX_CONTROL_BYTES})",
                sent.len()
            );
            return Err(Failure::new(ErrorKind::Other, what).into());
        }
        let payload = &sent[..];
        hop.sent_bytes = named
            .socket
            .send(|_, mask, out| frames::ping(payload, mask, out));
        sent_in_time(user, call.deadline, named).await?;
        loop {
            let arrived = next(user, call.deadline, named, "no pong in time").await?;
            hop.response.received_bytes += arrived.wire_bytes;
            hop.response.end_ns = arrived.at_ns;
            match arrived.incoming {
                Incoming::Pong(back) if back == *sent => {
                    hop.response.code = Code::Text("pong");
                    return Ok(());
                }
                Incoming::Close { code, reason } => return Err(closed(code, &reason).into()),
                _ => {}
            }
        }
    })
    .await
}

/// Closes the connection, and waits until the server has closed its side.
pub(super) async fn close(
    user: &mut User,
    call: &ExchangeCall<'_>,
    on: &str,
    code: u16,
    reason: Option<&Template>,
) -> Result<MadeExchange, Cut> {
    let made = on_connection(user, call, on, async |user, named, hop, sent| {
        let reason = match reason {
            Some(reason) => user.text(reason).map_err(Failure::from)?,
            None => String::new(),
        };
        if reason.len() > MAX_CONTROL_BYTES - 2 {
            let what = format!("a reason of {} bytes (allowed: 123)", reason.len());
            return Err(Failure::new(ErrorKind::Other, what).into());
        }
        *sent = reason.clone().into_bytes();
        hop.sent_bytes = named.socket.close(code, &reason);
        loop {
            let waited = next(
                user,
                call.deadline,
                named,
                "the server did not close in time",
            );
            match waited.await {
                Ok(arrived) => {
                    hop.response.received_bytes += arrived.wire_bytes;
                    hop.response.end_ns = arrived.at_ns;
                    if let Incoming::Close { code, .. } = arrived.incoming {
                        let code = code.map(|code| code.to_string());
                        hop.response.code = Code::from_text(code.as_deref().unwrap_or("closed"));
                        return Ok(());
                    }
                }
                // It closed the connection without a word, which ends it as well.
                Err(Broken::Failed(failure)) if failure.is_lost_connection() => return Ok(()),
                Err(broken) => return Err(broken),
            }
        }
    });
    let made = made.await;
    user.protocols.websocket.retain(|named| &*named.name != on);
    made
}

/// What is said of a message that did not come.
pub(super) const NO_MESSAGE: &str = "no such message in time";

/// Takes a connection from the user, which gets it back if it is still open after the step.
pub(super) fn take(user: &mut User, name: &str) -> Result<NamedSocket, Failure> {
    let all = &mut user.protocols.websocket;
    let at = all.iter().position(|named| &*named.name == name);
    at.map(|at| all.swap_remove(at)).ok_or_else(|| {
        let what = format!("no WebSocket connection \"{name}\" is open (ws-connect opens one)");
        Failure::new(ErrorKind::Other, what)
    })
}

/// Does something on a connection, and makes its sample. A connection that failed is closed.
async fn on_connection(
    user: &mut User,
    call: &ExchangeCall<'_>,
    name: &str,
    work: impl AsyncFnOnce(&mut User, &NamedSocket, &mut Hop, &mut Vec<u8>) -> Result<(), Broken>,
) -> Result<MadeExchange, Cut> {
    let named = match take(user, name) {
        Ok(named) => named,
        Err(failure) => return Ok(MadeExchange::never_sent(user, call, failure)),
    };
    let thread = Rc::clone(&user.thread);
    let mut in_flight = InFlight::new(&thread, call.recorded_label());
    in_flight.written();
    let (mut hop, mut sent) = (Hop::new(call.start_ns, Box::default()), Vec::new());
    let worked = work(user, &named, &mut hop, &mut sent).await;
    let url = named.url.clone();
    let is_late = |failure: &Failure| failure.kind == ErrorKind::ReadTimeout;
    match worked {
        Ok(()) => user.protocols.websocket.push(named),
        Err(Broken::CutOff) => return Err(Cut),
        Err(Broken::Failed(failure)) => {
            if named.socket.is_open().is_ok()
                && (is_late(&failure) || !failure.is_lost_connection())
            {
                user.protocols.websocket.push(named);
            }
            hop.failure = Some(failure);
        }
    }
    in_flight.done();
    if hop.response.end_ns == 0 || hop.failure.is_some() {
        hop.response.end_ns = thread.clock.now_ns();
    }
    Ok(MadeExchange::new(hop, url, sent))
}

/// The bytes of a message.
pub(super) fn bytes_of(user: &mut User, message: &Outgoing) -> Result<Vec<u8>, Failure> {
    let text = user.text(&message.text)?;
    let wrong = |reason: String| Failure::new(ErrorKind::Other, format!("ws-send: {reason}"));
    bytes_of_text(&text, message.encoding).map_err(wrong)
}

/// Sends a message and waits until the kernel has all of it.
pub(super) async fn put(
    user: &User,
    deadline: Deadline,
    named: &NamedSocket,
    encoding: MessageEncoding,
    data: &[u8],
    hop: &mut Hop,
) -> Result<(), Broken> {
    let is_text = encoding == MessageEncoding::Text;
    let send = |frames: &mut frames::Frames, mask, out: &mut Vec<u8>| {
        frames.message(is_text, data, mask, out);
    };
    named.socket.is_open()?;
    hop.sent_bytes = named.socket.send(send);
    sent_in_time(user, deadline, named).await?;
    hop.response.end_ns = user.thread.clock.now_ns();
    hop.response.code = Code::Text("sent");
    Ok(())
}

async fn sent_in_time(user: &User, deadline: Deadline, named: &NamedSocket) -> Result<(), Broken> {
    let what = "the server did not take the message in time";
    let sending = pin!(named.socket.sent());
    within(&user.watch, deadline, ErrorKind::ReadTimeout, what, sending).await
}

/// What comes next.
pub(super) async fn next(
    user: &User,
    deadline: Deadline,
    named: &NamedSocket,
    late: &str,
) -> Result<Arrived, Broken> {
    let waiting = pin!(named.socket.next());
    user.receive_within(deadline, late, waiting).await
}

/// Waits for a message that fulfils the checks; it becomes the sample's body.
async fn find(
    user: &mut User,
    deadline: Deadline,
    named: &NamedSocket,
    until: &[BoundCheck],
    start_ns: Nanos,
    hop: &mut Hop,
) -> Result<(), Broken> {
    loop {
        let arrived = next(user, deadline, named, NO_MESSAGE).await?;
        let response = &mut hop.response;
        response.received_bytes += arrived.wire_bytes;
        let (is_text, data) = match arrived.incoming {
            Incoming::Message { is_text, data } => (is_text, data),
            Incoming::Close { code, reason } => return Err(closed(code, &reason).into()),
            _ => continue,
        };
        let time_ns = arrived.at_ns.saturating_sub(start_ns);
        if user.fulfils(until, &data, &named.url, time_ns)? {
            response.body = data;
            response.end_ns = arrived.at_ns;
            response.first_byte_ns = arrived.at_ns;
            response.code = code_of(is_text);
            return Ok(());
        }
    }
}

/// What a sample says in place of a status.
pub(super) const fn code_of(is_text: bool) -> Code {
    match is_text {
        true => Code::Text("text"),
        false => Code::Text("binary"),
    }
}

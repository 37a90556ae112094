//! One request and its response: on a connection that was kept, or on a new one.

use url::Url;

use super::HttpConnection;
use super::exchange::{ExchangeOrder, exchange};
use super::response::Response;
use crate::clock::Nanos;
use crate::deadline::Broken;
use crate::driver::ConnectTimes;
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::in_flight::InFlight;
use crate::timer::Watch;
use crate::user::step::Cut;

/// What became of one hop.
pub struct Hop {
    /// When it began.
    pub start_ns: Nanos,
    /// How long connecting took, if it was.
    pub times: ConnectTimes,
    /// Bytes that were sent.
    pub sent_bytes: u64,
    /// The response, as far as it came.
    pub response: Box<Response>,
    /// Why there is none, or none that is good.
    pub failure: Option<Failure>,
}

impl Hop {
    /// One that begins then, with a response to be filled.
    #[must_use]
    pub fn new(start_ns: Nanos, mut response: Box<Response>) -> Self {
        response.start_ns = start_ns;
        Self {
            start_ns,
            times: ConnectTimes::default(),
            sent_bytes: 0,
            response,
            failure: None,
        }
    }
}

/// What became of the request as a whole.
pub(crate) struct DoneRequest {
    pub hops: Vec<Hop>,
    pub url: Url,
}

/// Where a request goes: its connections, by the rules of whoever makes it.
pub trait Way {
    /// What wakes the user.
    fn watch(&self) -> &Watch;

    /// A connection that was kept; `tries`: how often the request was made already.
    fn take(&mut self, tries: u32) -> Option<Box<HttpConnection>>;

    /// Makes a connection.
    fn connect(
        &mut self,
        times: &mut ConnectTimes,
    ) -> impl Future<Output = Result<Box<HttpConnection>, Broken>>;

    /// Keeps a connection on which another request may be sent, since then.
    fn keep(&mut self, connection: Box<HttpConnection>, now_ns: Nanos);

    /// Whether the request is made again after its connection ended before any byte of a response.
    fn makes_again(&self, lost: LostRequest) -> bool;
}

/// A request whose connection ended before any byte of a response.
#[derive(Debug, Clone, Copy)]
pub struct LostRequest {
    /// The connection had been kept.
    pub was_kept: bool,
    /// All of the request was written.
    pub written: bool,
    /// How often it was made before.
    pub tries: u32,
}

/// A connection to send it on, and whether it was kept.
async fn connection_of(
    way: &mut impl Way,
    tries: u32,
    times: &mut ConnectTimes,
) -> Result<(Box<HttpConnection>, bool), Broken> {
    Ok(match way.take(tries) {
        Some(kept) => (kept, true),
        None => (Box::pin(way.connect(times)).await?, false),
    })
}

/// Sends a request and reads the response. `sent` gets what HTTP/1.1 writes of the request, unless it
/// was written before.
///
/// # Errors
/// The run's end cut it off.
pub async fn make_hop(
    thread: &Thread,
    way: &mut impl Way,
    order: &ExchangeOrder<'_>,
    start_ns: Nanos,
    response: Box<Response>,
    sent: &mut Vec<u8>,
) -> Result<Hop, Cut> {
    let mut hop = Hop::new(start_ns, response);
    let wire = order.request.http1(sent);
    let mut tries = 0;
    let failure = loop {
        let (mut connection, was_kept) = match connection_of(way, tries, &mut hop.times).await {
            Ok(found) => found,
            Err(Broken::Failed(failure)) => break failure,
            Err(Broken::CutOff) => return Err(Cut),
        };
        let label = order.failing.map(|failing| failing.label);
        let mut in_flight = InFlight::new(thread, label);
        let (watch, told) = (way.watch(), &mut *hop.response);
        let talk = exchange(
            thread,
            watch,
            &mut connection,
            order,
            wire,
            told,
            &mut in_flight,
        );
        let result = talk.await;
        if let Err(Broken::CutOff) = result {
            return Err(Cut);
        }
        let written = in_flight.is_written();
        in_flight.done();
        hop.sent_bytes = wire.bytes.len() as u64;
        let Err(Broken::Failed(failure)) = result else {
            if hop.response.keep_alive {
                way.keep(connection, hop.response.end_ns);
            }
            return Ok(hop);
        };
        let lost = LostRequest {
            was_kept,
            written,
            tries,
        };
        let is_lost = failure.is_lost_connection() && hop.response.received_bytes == 0;
        if !is_lost || !way.makes_again(lost) {
            break failure;
        }
        if let Some(label) = label {
            thread.recorder.resent(label);
        }
        tries += 1;
    };
    hop.response.end_ns = thread.clock.now_ns();
    hop.failure = Some(failure);
    Ok(hop)
}

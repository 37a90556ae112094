//! Making a connection within its time.

use std::pin::pin;

use plimsoll_stats::ErrorKind;

use super::HttpConnection;
use crate::clock::Nanos;
use crate::deadline::{Broken, Deadline, within};
use crate::driver::{ConnectTimes, Endpoint};
use crate::engine::thread::Thread;
use crate::timer::Watch;

/// How a connection is made.
#[derive(Clone, Copy)]
pub struct Connecting<'a> {
    /// Which of the endpoint's addresses are tried first.
    pub turn: usize,
    /// From when on.
    pub start_ns: Nanos,
    /// Until when.
    pub deadline: Deadline,
    /// What is said of one that took too long.
    pub late: &'a str,
}

/// Makes a connection; `times` say how long each part of it took, also of one that failed.
///
/// # Errors
/// Why there is none.
pub async fn connect(
    thread: &Thread,
    watch: &Watch,
    endpoint: &Endpoint,
    by: Connecting<'_>,
    times: &mut ConnectTimes,
) -> Result<Box<HttpConnection>, Broken> {
    *times = ConnectTimes::default();
    let kind = ErrorKind::ConnectTimeout;
    let result = {
        let connecting = pin!(thread.dialer.connect(endpoint, by.turn, times));
        within(watch, by.deadline, kind, by.late, connecting).await
    };
    if result.is_err() && times.connect_ns == 0 && times.dns_ns == 0 {
        times.connect_ns = thread.clock.now_ns() - by.start_ns;
    }
    result.map(|wire| Box::new(HttpConnection::new(wire, by.start_ns)))
}

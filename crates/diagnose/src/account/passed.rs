//! A process on the way of requests, and a place in it before which enough of them wait.

use super::model::{AccountPlateau, FullPlace};
use super::seen::Whose;

/// So many requests wait before a place that limits, and this share of those in it.
const LEAST_WAITING: f64 = 1.0;
const SHARE_WAITING: f64 = 0.1;

/// A process on the way.
pub(super) struct Passed<'a> {
    pub whose: &'a Whose,
    /// How many processes lie before it.
    pub depth: usize,
    /// Requests that are in it, those included that wait for others.
    pub in_flight: f64,
    /// Those of them that wait in it, nobody knows for what.
    pub waiting: f64,
}

/// The place if enough requests wait before it.
pub(super) fn place(
    passed: &Passed<'_>,
    (place, peer): (FullPlace, &str),
    (number, share_of_time): (f64, f64),
    waiting: f64,
) -> Option<AccountPlateau> {
    let waits = waiting >= LEAST_WAITING.max(SHARE_WAITING * number);
    (number >= 1.0 && waits).then(|| AccountPlateau {
        process: passed.whose.process.clone(),
        host: passed.whose.host.clone(),
        place,
        peer: peer.to_owned(),
        number,
        share_of_time: share_of_time.clamp(0.0, 1.0),
        waiting,
        deepest: false,
    })
}

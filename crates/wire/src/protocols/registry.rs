//! All protocols that are known.

use super::fastcgi::FASTCGI;
use super::http1::HTTP1;
use super::http2::HTTP2;
use super::memcached::MEMCACHED;
use super::multiplexed::MULTIPLEXED;
use super::mysql::MYSQL;
use super::postgres::POSTGRES;
use super::redis::REDIS;
use super::tls::TLS;
use crate::protocol::{Guess, Protocol};

/// In the order in which they are asked.
pub(crate) static PROTOCOLS: &[&Protocol] = &[
    &HTTP1, &REDIS, &TLS, &HTTP2, &POSTGRES, &MYSQL, &FASTCGI, &MEMCACHED,
];

/// What messages of MongoDB ask for ("Wire Protocol"), behind their length, a number, and one that is 0 of requests.
const MONGO_CODES: std::ops::RangeInclusive<u32> = 2_001..=2_013;

/// Whether bytes begin as a request of MongoDB does. Those of other protocols begin with a length and a number, too, and
/// sooner or later a number fits one of them.
fn is_mongo(bytes: &[u8]) -> bool {
    let number = |at: usize| {
        let number = bytes.get(at..).and_then(<[u8]>::first_chunk);
        number.map(|number| u32::from_le_bytes(*number))
    };
    number(8) == Some(0) && number(12).is_some_and(|code| MONGO_CODES.contains(&code))
}

/// The protocol of a client that begins with these bytes; no protocol: `Ok(None)`.
///
/// # Errors
/// More bytes are needed.
pub(crate) fn guess(bytes: &[u8]) -> Result<Option<&'static Protocol>, ()> {
    if is_mongo(bytes) {
        return Ok(None);
    }
    let all = || PROTOCOLS.iter().copied().chain(&MULTIPLEXED);
    match all().find(|protocol| (protocol.guess)(bytes) == Guess::Yes) {
        Some(protocol) => Ok(Some(protocol)),
        None if all().any(|protocol| (protocol.guess)(bytes) == Guess::More) => Err(()),
        None => Ok(None),
    }
}

/// The protocol of a server that speaks first with these bytes.
pub(crate) fn greeted(bytes: &[u8]) -> Option<&'static Protocol> {
    PROTOCOLS
        .iter()
        .copied()
        .find(|protocol| (protocol.greets)(bytes))
}

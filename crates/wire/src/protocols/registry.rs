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

/// The protocol of a client that begins with these bytes; no protocol: `Ok(None)`.
///
/// # Errors
/// More bytes are needed.
pub(crate) fn guess(bytes: &[u8]) -> Result<Option<&'static Protocol>, ()> {
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

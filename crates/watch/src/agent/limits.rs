//! Limits of both ends, so that neither a fault nor ill will makes the other grow or wait.

use std::time::Duration;

/// Longest frame before a peer has said who it is, bytes.
pub(super) const HELLO_BYTES: u32 = 4 << 10;
/// Longest request, bytes.
pub(super) const REQUEST_BYTES: u32 = 64 << 10;
/// Longest response, bytes: the captures of a whole run and their head.
pub(super) const RESPONSE_BYTES: u32 = 40 << 20;
/// A response to `look` is closed once it is longer, bytes; the rest comes with the next.
pub(super) const LOOK_BYTES: usize = 2 << 20;
/// Most series of one session; further ones are left out, and told of.
pub(super) const SERIES: usize = 50_000;
/// What a session keeps for a controller that does not fetch it, bytes.
pub(super) const KEPT_BYTES: usize = 32 << 20;
/// How long it keeps it.
pub(super) const KEPT: Duration = Duration::from_secs(60);
/// A session that nobody asks ends after this long: what it kept first is lost then anyway.
pub(super) const SESSION_IDLE: Duration = Duration::from_secs(90);
/// A session whose controller has closed its last connection ends after this long: one that
/// comes back does so sooner, and until then all is looked at for nobody.
pub(super) const SESSION_LEFT: Duration = Duration::from_secs(20);
/// When there are too many, one that nobody asked for this long makes room.
pub(super) const SESSION_STALE: Duration = Duration::from_secs(10);
/// Sessions at a time.
pub(super) const SESSIONS: usize = 8;
/// Connections at a time that have said who they are.
pub(super) const CONNECTIONS: usize = 16;
/// Connections at a time that have not.
pub(super) const STRANGERS: usize = 128;
/// Of these, from one network.
pub(super) const STRANGERS_OF_ONE: usize = 32;
/// A connection that asks nothing is closed after this long.
pub(super) const CONNECTION_IDLE: Duration = Duration::from_secs(90);
/// Time for the TLS handshake, for `hello`, and for the rest of a frame that has begun.
pub(super) const FRAME_TIME: Duration = Duration::from_secs(5);
/// A peer that takes nothing for this long is cut off.
pub(super) const WRITE_TIME: Duration = Duration::from_secs(10);
/// Wait for the captures of a moment before what is there is sent.
pub(super) const CAPTURE_TIME: Duration = Duration::from_secs(150);

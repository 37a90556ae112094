//! HTTP/1.1 as a client speaks it, without any input or output of its own.
//!
//! Bytes go in, events come out: [`ResponseReader`] is fed what a socket
//! delivered, in pieces of any size, and calls a [`Sink`]. That makes it
//! testable at every split of the bytes, fuzzable, and independent of how the
//! bytes are moved. The other direction
//! is written into a `Vec<u8>`.
//!
//! Must not know: sockets, time, users, samples, plans.

mod chunked;
mod error;
mod head;
mod reader;

pub use error::ReadError;
pub use head::{Head, unfold};
pub use reader::{Limits, Progress, RequestMethod, ResponseReader, Sink};

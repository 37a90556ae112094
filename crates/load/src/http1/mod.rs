//! HTTP/1.1 as a client speaks it, without any input or output of its own.
//!
//! Bytes go in, events come out: [`ResponseReader`] is fed what a socket
//! delivered, in pieces of any size, and calls a [`Sink`]. That makes it
//! testable at every split of the bytes, fuzzable, and independent of how the
//! bytes are moved. [`RequestHead`], [`FormBody`] and
//! [`Multipart`] write the other direction into a `Vec<u8>`.
//!
//! Must not know: sockets, time, users, samples, plans.

mod chunked;
mod error;
mod form;
mod head;
mod multipart;
mod parse;
mod reader;
mod request;
mod response;

pub use error::ReadError;
pub use form::FormBody;
pub use head::{Head, unfold};
pub use multipart::{FormPart, Multipart};
pub use reader::ResponseReader;
pub use request::{BodyFraming, HeaderField, RequestError, RequestHead, RequestTarget};
pub use response::{Progress, RequestMethod, ResponseLimits, Sink};

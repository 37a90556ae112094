//! What goes over the link: control messages as JSON, reports as bytes ([`report`]).
//!
//! Everything that comes in is checked here: size, version, form. What is wrong is an error that
//! names it, never a panic; whoever hears one goes on.

pub mod control;
pub mod report;

mod bytes;
mod message;

pub use control::{
    Announce, AssignmentLife, Change, ClockResponse, Discover, Life, Prepare, Start, WorkerFound,
    WorkerOrder, WorkerResponse, WorkerState,
};
pub use message::Said;
pub use report::{Report, ReportEnd, ReportSecond};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Version of all messages; a controller and a worker of different versions refuse each other.
pub const VERSION: u32 = 2;

/// The most bytes of a control message.
pub const MAX_CONTROL_BYTES: usize = 768 * 1024;

/// The most bytes of a report: what a server takes in one message by default.
pub const MAX_REPORT_BYTES: usize = 1024 * 1024 - 4096;

/// A message that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Longer than any message may be.
    #[error("a message of {bytes} bytes; at most {most} are allowed")]
    TooBig {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// Of another version.
    #[error("a message of version {found}; this program speaks version {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// Not a message, or a damaged one.
    #[error("a damaged message: {reason}")]
    Damaged {
        /// What is wrong.
        reason: String,
    },
}

impl WireError {
    fn damaged(reason: impl ToString) -> Self {
        Self::Damaged {
            reason: reason.to_string(),
        }
    }
}

/// A message with its version.
#[derive(Serialize)]
struct Envelope<'a, T> {
    plimsoll: u32,
    body: &'a T,
}

#[derive(serde::Deserialize)]
struct WireHead {
    plimsoll: u32,
}

#[derive(serde::Deserialize)]
struct OpenedMessage<T> {
    body: T,
}

/// A control message as bytes.
///
/// # Errors
/// One that is too long to be sent.
pub fn encode<T: Serialize>(body: &T) -> Result<::bytes::Bytes, WireError> {
    let envelope = Envelope {
        plimsoll: VERSION,
        body,
    };
    let bytes = serde_json::to_vec(&envelope).map_err(WireError::damaged)?;
    check_length(&bytes, MAX_CONTROL_BYTES)?;
    Ok(bytes.into())
}

/// The control message in these bytes.
///
/// # Errors
/// What is too long, of another version or damaged.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    check_length(bytes, MAX_CONTROL_BYTES)?;
    let head: WireHead = serde_json::from_slice(bytes).map_err(WireError::damaged)?;
    if head.plimsoll != VERSION {
        return Err(WireError::Version {
            found: head.plimsoll,
        });
    }
    let opened: OpenedMessage<T> = serde_json::from_slice(bytes).map_err(WireError::damaged)?;
    Ok(opened.body)
}

fn check_length(bytes: &[u8], most: usize) -> Result<(), WireError> {
    match bytes.len() {
        length if length > most => Err(WireError::TooBig {
            bytes: length,
            most,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

//! What can be wrong with a response.

use plimsoll_stats::ErrorKind;

/// Why a response could not be read. The connection is of no further use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not an HTTP/1.x response.
    #[error("malformed response: {what} at byte {offset}, near \"{near}\"")]
    Malformed {
        /// The rule that is broken, as a short English phrase.
        what: &'static str,
        /// Where, counted from the response's first byte. It does not depend on
        /// how the bytes were split.
        offset: u64,
        /// The bytes around it, escaped, as far as they had arrived.
        near: Box<str>,
    },
    /// The header section (informational responses and trailers included) is
    /// larger than allowed.
    #[error("the header section exceeds the limit of {limit} {unit}")]
    HeaderLimit {
        /// The limit that was passed.
        limit: u64,
        /// What is counted: `bytes` or `headers`.
        unit: &'static str,
    },
    /// The body is larger than allowed.
    #[error("the body exceeds the limit of {limit} bytes")]
    BodyLimit {
        /// The limit that was passed, in bytes.
        limit: u64,
    },
    /// The server closed the connection without a single byte of a response.
    #[error("connection closed by the server before any response")]
    ClosedBeforeResponse,
    /// The server closed the connection before the head was complete.
    #[error("connection closed by the server within the header section")]
    ClosedInHead,
    /// The server closed the connection before the body was complete.
    #[error("connection closed by the server within the body, after {received} bytes{}",
            .expected.map(|n| format!(" of {n}")).unwrap_or_default())]
    ClosedInBody {
        /// Body bytes that had arrived.
        received: u64,
        /// The length the head announced, if it did.
        expected: Option<u64>,
    },
}

impl ReadError {
    /// The kind under which the sample is counted.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Malformed { .. } => ErrorKind::MalformedResponse,
            Self::HeaderLimit { .. } => ErrorKind::HeaderLimit,
            Self::BodyLimit { .. } => ErrorKind::BodyLimit,
            Self::ClosedBeforeResponse => ErrorKind::ConnectionClosed,
            Self::ClosedInHead | Self::ClosedInBody { .. } => ErrorKind::ClosedInBody,
        }
    }

    /// A [`ReadError::Malformed`] that quotes the beginning of `near`.
    #[cold]
    pub(super) fn malformed(what: &'static str, offset: u64, near: &[u8]) -> Self {
        const QUOTED_BYTES: usize = 40;
        let cut = near.len().min(QUOTED_BYTES);
        let mut near_text = near[..cut].escape_ascii().to_string();
        if cut < near.len() {
            near_text.push('…');
        }
        Self::Malformed {
            what,
            offset,
            near: near_text.into(),
        }
    }
}

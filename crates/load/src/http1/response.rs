//! What is told to a reader of responses, and what it tells.

use super::head::Head;

/// What the reader must know of the request the response belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestMethod {
    /// `HEAD`: the response has no body, whatever its headers say.
    Head,
    /// `CONNECT`: a 2xx response turns the connection into a tunnel.
    Connect,
    /// Any other method.
    Other,
}

/// How much of a response is read at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseLimits {
    /// Bytes of all header sections of one response together: informational
    /// responses, the final head, trailers.
    pub head_bytes: usize,
    /// Headers of one head.
    pub headers: usize,
    /// Bytes of the body as sent, before any content coding is undone.
    pub body_bytes: u64,
}

impl Default for ResponseLimits {
    fn default() -> Self {
        Self {
            head_bytes: 256 * 1024,
            headers: 512,
            body_bytes: 1 << 30,
        }
    }
}

/// Takes the events of a response, in order: informational heads, the head,
/// body pieces. All slices are valid during the call only.
pub trait Sink {
    /// An informational response (1xx other than 101) precedes the final one.
    fn informational(&mut self, head: &Head<'_>) {
        let _ = head;
    }
    /// The final head.
    fn head(&mut self, head: &Head<'_>);
    /// A non-empty piece of the body as sent, without chunk framing.
    fn body(&mut self, piece: &[u8]);
}

/// What [`super::ResponseReader::feed`] achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All input was taken and the response is not complete.
    NeedMore,
    /// The response is complete.
    Done {
        /// Bytes of the last input that belong to the response. What follows was
        /// not asked for, unless requests were pipelined.
        consumed: usize,
        /// Whether another request may be sent on this connection.
        keep_alive: bool,
    },
    /// The response is a 101, or a 2xx to CONNECT: from here on the connection
    /// speaks another protocol.
    Upgraded {
        /// Bytes of the last input that belong to the response; what follows
        /// belongs to the other protocol.
        consumed: usize,
    },
}

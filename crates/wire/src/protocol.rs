//! The seam of the protocols: how requests and responses are told apart.

use crate::exchanges::Exchanges;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// Who opened the connection.
    Client,
    /// Whom it called.
    Server,
}

/// Bytes of one direction in their order.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WirePiece<'a> {
    /// These.
    Seen(&'a [u8]),
    /// So many that were not kept.
    Unseen(u64),
}

/// Why a reader cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadStop {
    /// It does not know where in a message it is. It may be begun anew where a request begins.
    Lost,
    /// The connection speaks something else from here on, of that name, whose requests cannot be told
    /// apart.
    Undecided(&'static str),
    /// Nothing but whose turn it is can be seen from here on.
    ByTurns,
}

/// What the first bytes of a request tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    /// They are of this protocol.
    Yes,
    /// They are not.
    No,
    /// More are needed.
    More,
}

/// A handshake of TLS that was seen from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeenTls {
    /// The client's first message.
    pub(crate) began_ns: u64,
    /// The last message before data, as far as it was seen.
    pub(crate) secured_ns: Option<u64>,
    /// An earlier session went on, without the cost of a new key.
    pub(crate) resumed: bool,
}

/// Reads one connection.
pub(crate) trait WireReader {
    /// What comes from one side. It says to the exchanges what begins and what ends.
    ///
    /// # Errors
    /// The reader cannot go on.
    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop>;

    /// The handshake of TLS, if the connection began with one.
    fn tls(&self) -> Option<SeenTls> {
        None
    }

    /// Whether both sides may still speak out of turn, since the connection is being agreed upon.
    fn is_agreeing(&self) -> bool {
        false
    }

    /// The server's side ends: what had no other end is complete.
    fn ended(&mut self, _exchanges: &mut Exchanges) {}
}

/// A protocol.
pub(crate) struct Protocol {
    /// Its name in reports.
    pub(crate) name: &'static str,
    /// Whether a client's first bytes, or its first after a response, are of it.
    pub(crate) guess: fn(bytes: &[u8]) -> Guess,
    /// Whether a server that speaks first speaks it.
    pub(crate) greets: fn(bytes: &[u8]) -> bool,
    /// Begins to read; `whole`: from the connection's own beginning.
    pub(crate) open: fn(whole: bool) -> Box<dyn WireReader>,
    /// Requests are sent before earlier ones have their response.
    pub(crate) overlaps: bool,
    /// Only whose turn it is tells requests apart: who speaks out of turn shows that this is wrong.
    pub(crate) by_turns: bool,
}

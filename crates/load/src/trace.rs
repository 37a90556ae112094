//! Requests and responses in full, for the debugging view.

use std::sync::mpsc::Sender;

use plimsoll_stats::ErrorKind;

/// One request with its response.
#[derive(Debug, Clone, Default)]
pub struct Traced {
    /// The label.
    pub label: String,
    /// The URL; empty for what has none.
    pub url: String,
    /// The request as sent.
    pub request: Vec<u8>,
    /// Header section of the response.
    pub head: Vec<u8>,
    /// Body of the response, decoded.
    pub body: Vec<u8>,
    /// What went wrong, if anything.
    pub error: Option<(ErrorKind, String)>,
    /// Service time, ns.
    pub service_ns: u64,
    /// Values saved from the response, by variable; secret ones blotted out.
    pub saved: Vec<(String, String)>,
    /// What of a request it is.
    pub piece: Piece,
    /// Lines scripts logged since the request before.
    pub log: Vec<String>,
}

/// What of a request is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Piece {
    /// All of it.
    #[default]
    Whole,
    /// A request whose response leads to another: a redirect, or a challenge.
    Hop,
    /// A request that belongs to another, as that for a page's resource.
    Part,
    /// What became of a request whose parts were told before.
    Sum,
    /// Only lines that scripts logged, after an iteration's last request.
    Log,
}

impl Traced {
    /// Whether it counts as a request.
    #[must_use]
    pub fn counts(&self) -> bool {
        matches!(self.piece, Piece::Whole | Piece::Sum)
    }
}

/// Takes what is traced.
#[derive(Debug, Clone)]
pub struct Tracer(pub Sender<Traced>);

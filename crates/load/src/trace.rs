//! Requests and answers in full, for the debugging view.

use std::sync::mpsc::Sender;

use plimsoll_stats::ErrorKind;

/// One request with its answer.
#[derive(Debug, Clone, Default)]
pub struct Traced {
    /// The label.
    pub label: String,
    /// The URL; empty when only [`log`](Self::log) is told, after an iteration's last request.
    pub url: String,
    /// The request as sent.
    pub request: Vec<u8>,
    /// Header section of the answer.
    pub head: Vec<u8>,
    /// Body of the answer, decoded.
    pub body: Vec<u8>,
    /// What went wrong, if anything.
    pub error: Option<(ErrorKind, String)>,
    /// Service time, ns.
    pub service_ns: u64,
    /// Values saved from the answer, by variable; secret ones blotted out.
    pub saved: Vec<(String, String)>,
    /// Another request follows because of this answer: a redirect, or a challenge.
    pub followed: bool,
    /// Lines scripts logged since the request before.
    pub log: Vec<String>,
}

/// Takes what is traced.
#[derive(Debug, Clone)]
pub struct Tracer(pub Sender<Traced>);

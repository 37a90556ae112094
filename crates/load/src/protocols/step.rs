//! What a step of a protocol is before a run.

use plimsoll_plan::model::Span;
use plimsoll_plan::program::ExchangeProgram;

use crate::extract::BindError;

/// The steps of a protocol as a thread has them.
pub(super) trait ProtocolStep: Sized {
    /// The keys that begin them.
    const KEYS: &'static [&'static str];

    /// Makes a step ready.
    fn bind(exchange: &ExchangeProgram, at: Span) -> Result<Self, BindError>;
}

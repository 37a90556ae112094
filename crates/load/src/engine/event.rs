//! What happens in a run beside its samples.

use plimsoll_text::Message;

use crate::clock::Nanos;

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// When.
    pub at_ns: Nanos,
    /// What.
    pub message: Message,
    /// It spoils the result or the plan's intent.
    pub is_error: bool,
}

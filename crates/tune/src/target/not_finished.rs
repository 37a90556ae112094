//! Why a study did not end on a host as it was asked for.

use plimsoll_text::Message;

/// Why a study did not end on a host as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct NotFinished {
    /// All that is to be said of it.
    pub message: Message,
    /// What was to stay there stays.
    pub is_left: bool,
    /// All is as it was.
    pub is_back: bool,
}

//! What is wrong with a command line.

use plimsoll_text::Message;

use crate::error::Problem;
use crate::model::Span;

/// A mistake with a remedy under the same id.
pub(super) fn mistake(at: Span, id: &str) -> Problem {
    Problem::mistake(at, Message::new(id))
}

//! What all ways to find values have in common.

use std::ops::ControlFlow;

use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use crate::functions::EvalError;

/// Gets the matches one by one; says whether it wants more.
pub(super) type Each<'e> = &'e mut dyn FnMut(&str) -> ControlFlow<()>;

/// The error of a response that cannot be looked at in some way.
pub(super) fn unreadable(message: Message) -> EvalError {
    EvalError {
        message: Box::new(message),
        kind: ErrorKind::CheckFailed,
    }
}

/// A pattern that is wrong.
pub(super) fn bad_pattern(id: &'static str, pattern: &str, reason: &str) -> Message {
    Message::new(id)
        .with("pattern", pattern)
        .with("reason", reason)
}

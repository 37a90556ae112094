//! What is wrong with a program that is made ready.

use plimsoll_plan::model::Span;
use plimsoll_text::Message;

/// Something of the program that cannot be made ready: a wrong pattern, a script that is not
/// JavaScript, a file that is not there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .message))]
pub struct BindError {
    /// Where it is written in the plan.
    pub at: Span,
    /// What is wrong, for people.
    pub message: Message,
}

//! Why a command of several measurements ended without a result.

use plimsoll_run::RejectedPlan;
use plimsoll_run::measure::MeasureError;
use plimsoll_text::{Lang, Message};

use crate::problems;
use crate::tell::{BAD_USE, fail};

/// The target mostly fails.
const FAILED: u8 = 1;
/// The target cannot be reached.
const UNREACHABLE: u8 = 3;
/// The user interrupted.
const INTERRUPTED: u8 = 130;

/// Why it ended.
pub enum EndedBy {
    /// A person must be told; the exit code.
    Say(Message, u8),
    /// The plan is not valid.
    Rejected(RejectedPlan),
    /// A person was told; the exit code.
    Said(u8),
}

impl EndedBy {
    /// Tells what is to be told; gives the exit code on.
    #[must_use]
    pub fn exit(&self, lang: Lang) -> u8 {
        match self {
            Self::Said(code) => *code,
            Self::Rejected(rejected) => {
                problems::print(&rejected.problems, &rejected.text, lang);
                BAD_USE
            }
            Self::Say(message, code) => fail(message, lang, *code),
        }
    }
}

impl From<Message> for EndedBy {
    fn from(message: Message) -> Self {
        Self::Say(message, BAD_USE)
    }
}

impl From<MeasureError> for EndedBy {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Plan(rejected) => Self::Rejected(rejected),
            MeasureError::Unusable(message) => Self::Say(message, BAD_USE),
            MeasureError::Unreachable(message) => Self::Say(message, UNREACHABLE),
            MeasureError::Failing(message) => Self::Say(message, FAILED),
            MeasureError::Interrupted(message) => Self::Say(message, INTERRUPTED),
        }
    }
}

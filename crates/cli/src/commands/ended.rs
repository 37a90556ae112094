//! Why a command of several measurements ended without a result.

use plimsoll_text::{Lang, Message};

use super::{BAD_USE, fail};

/// Why it ended.
pub enum Ended {
    /// A person must be told; the exit code.
    Say(Message, u8),
    /// A person was told; the exit code.
    Said(u8),
}

impl Ended {
    /// Tells what is to be told; gives the exit code on.
    #[must_use]
    pub fn exit(&self, lang: Lang) -> u8 {
        match self {
            Self::Said(code) => *code,
            Self::Say(message, code) => fail(message, lang, *code),
        }
    }
}

impl From<Message> for Ended {
    fn from(message: Message) -> Self {
        Self::Say(message, BAD_USE)
    }
}

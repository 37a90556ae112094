//! What was found.

use plimsoll_text::Message;

use super::ask::AskedDoors;
use crate::source::Spec;

/// What was found around a target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discovered {
    /// What to watch.
    pub specs: Vec<Spec>,
    /// What was found, what was not, and what would help: for a person.
    pub notes: Vec<Message>,
    /// What services were asked, and what they are.
    pub(crate) asked: AskedDoors,
}

impl Discovered {
    /// Notes something, once.
    pub(super) fn note(&mut self, message: Message) {
        if !self.notes.contains(&message) {
            self.notes.push(message);
        }
    }
}

//! The run on disk, or in memory where the disk fails.

use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_store::{RunWriter, StoreError, message_args};
use plimsoll_text::Message;

use super::hearer::{HeardSecond, Hearer, Lost};

/// Keeps a run.
pub(crate) struct StoreHearer {
    /// The run; facts and captures of the target go there alone.
    pub writer: RunWriter,
    /// Nothing more is told of a disk that fails: it was told, or others tell.
    pub is_quiet: bool,
}

impl StoreHearer {
    pub fn new(writer: RunWriter) -> Self {
        Self {
            writer,
            is_quiet: false,
        }
    }

    /// What is to be told of a disk that failed, once; the writer has gone over to memory, or tries again.
    pub fn check(&mut self, result: Result<(), StoreError>) -> Result<(), Lost> {
        match result {
            Err(error) if !std::mem::replace(&mut self.is_quiet, true) => {
                let message = Message::new("event-store-failed").with("reason", error.message());
                Err(Lost::OfStore(message))
            }
            _ => Ok(()),
        }
    }
}

impl Hearer for StoreHearer {
    fn labels(&mut self, labels: &[LabelInfo]) -> Result<(), Lost> {
        let mut result = Ok(());
        for label in labels {
            let stored = self.writer.add_label(label);
            result = result.and(self.check(stored));
        }
        result
    }

    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        if heard.is_stored {
            return Ok(());
        }
        let second = heard.second;
        let number = u32::try_from(second.second).unwrap_or(u32::MAX);
        let labels: Vec<_> = second.labels.iter().collect();
        let stored = if second.after_load {
            self.writer.write_tail(number, &labels, second.generator)
        } else {
            self.writer.write_second(number, &labels, second.generator)
        };
        self.check(stored)
    }

    fn event(&mut self, at_ns: u64, message: &Message) -> Result<(), Lost> {
        let kind = message.id.strip_prefix("event-").unwrap_or(&message.id);
        let stored = self.writer.event(at_ns, kind, &message_args(message));
        self.check(stored)
    }

    fn end(&mut self, summary: &Summary) -> Result<(), Lost> {
        let stored = self.writer.finish(summary);
        self.check(stored)
    }
}

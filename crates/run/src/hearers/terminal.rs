//! Who looks at a run while it goes on.

use plimsoll_text::Message;

use super::hearer::{HeardSecond, Hearer, Lost};
use crate::Listener;

/// Tells the listener of the run.
pub(super) struct Terminal(pub Box<dyn Listener>);

impl Hearer for Terminal {
    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        if !heard.is_late {
            self.0.second(heard.second, heard.labels);
        }
        Ok(())
    }

    fn event(&mut self, _: u64, message: &Message) -> Result<(), Lost> {
        self.0.event(message);
        Ok(())
    }

    fn aside(&mut self, message: &Message) {
        self.0.event(message);
    }

    fn load_over(&mut self) -> Result<(), Lost> {
        self.0.end();
        Ok(())
    }
}

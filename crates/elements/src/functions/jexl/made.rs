//! What a script makes: counted, and taken apart at its end.

use plimsoll_plan::limits::JEXL_BYTES;

use super::value::{JexlValue, bounded};

/// What was made so far.
#[derive(Default)]
pub(super) struct MadeValues {
    bytes: usize,
    /// All lists and the like: what holds others must not be the last to hold them, since
    /// dropping a long chain would use up the stack, and a circle is never dropped.
    values: Vec<JexlValue>,
}

impl MadeValues {
    /// Counts a value, and keeps it if it holds others.
    pub(super) fn keep(&mut self, value: &JexlValue) -> Result<(), String> {
        let bytes = value.bytes();
        if matches!(value, JexlValue::Text(_)) {
            bounded(bytes)?;
        }
        self.spend(bytes)?;
        if matches!(
            value,
            JexlValue::List(_)
                | JexlValue::Set(_)
                | JexlValue::Map(_)
                | JexlValue::Entry(_)
                | JexlValue::Function(..)
        ) {
            self.values.push(value.clone());
        }
        Ok(())
    }

    /// Counts bytes.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > JEXL_BYTES {
            true => Err(format!(
                "texts and lists of more than {} MiB",
                JEXL_BYTES >> 20
            )),
            false => Ok(()),
        }
    }

    /// Drops all piece by piece: first what changed after it was made lets go of what it holds;
    /// all else holds only what is older.
    pub(super) fn take_down(&mut self) {
        for value in &self.values {
            match value {
                JexlValue::List(values) => drop(std::mem::take(&mut *values.borrow_mut())),
                JexlValue::Map(entries) => drop(std::mem::take(&mut *entries.borrow_mut())),
                _ => {}
            }
        }
        while self.values.pop().is_some() {}
    }
}

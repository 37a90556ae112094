//! Names of tables that the statements of a connection write to, each once.

use std::sync::Arc;

/// So many are kept of a connection.
const MAX_NAMES: usize = 256;
/// No database allows a longer name.
const MAX_LENGTH: usize = 64;

/// The names, by number.
#[derive(Default)]
pub(crate) struct TableNames(Vec<Arc<str>>);

impl TableNames {
    /// The number of a name; none if it is none, or there are too many.
    pub(crate) fn number(&mut self, name: &str) -> Option<u16> {
        if name.is_empty() || name.len() > MAX_LENGTH {
            return None;
        }
        let known = self.0.iter().position(|known| **known == *name);
        let at = known.or_else(|| {
            let has_room = self.0.len() < MAX_NAMES;
            has_room.then(|| {
                self.0.push(Arc::from(name));
                self.0.len() - 1
            })
        })?;
        u16::try_from(at).ok()
    }

    pub(crate) fn name(&self, number: u16) -> Option<Arc<str>> {
        self.0.get(usize::from(number)).cloned()
    }
}

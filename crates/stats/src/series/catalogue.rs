//! Keys and their numbers.

use std::collections::HashMap;

use super::{SeriesId, SeriesKey};

/// Gives each key a number, from 0, in the order in which keys come.
#[derive(Debug, Clone, Default)]
pub struct KeyCatalogue {
    ids: HashMap<SeriesKey, SeriesId>,
    keys: Vec<SeriesKey>,
}

impl KeyCatalogue {
    /// The number of a key, and whether it is new.
    pub fn intern(&mut self, key: SeriesKey) -> (SeriesId, bool) {
        if let Some(id) = self.ids.get(&key) {
            return (*id, false);
        }
        // Four thousand million series do not fit into memory.
        let id = SeriesId(u32::try_from(self.keys.len()).unwrap_or(u32::MAX));
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        (id, true)
    }

    /// The key of a number.
    #[must_use]
    pub fn key(&self, id: SeriesId) -> Option<&SeriesKey> {
        self.keys.get(id.0 as usize)
    }

    /// The number of a key that is known.
    #[must_use]
    pub fn id(&self, key: &SeriesKey) -> Option<SeriesId> {
        self.ids.get(key).copied()
    }

    /// All keys in the order of their numbers.
    #[must_use]
    pub fn keys(&self) -> &[SeriesKey] {
        &self.keys
    }
}

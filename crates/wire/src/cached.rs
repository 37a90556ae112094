//! What a cache says to those who look for keys in it, and to those who put something there.

use serde::{Deserialize, Serialize};

/// Why a cache does not take what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheRefusal {
    /// The item is larger than it takes.
    TooLarge,
    /// Its memory is full, and it may not throw anything out.
    OutOfMemory,
    /// It may only be read.
    ReadOnly,
    /// Another reason.
    Other,
}

/// What one response says of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CacheSaid {
    /// Values that are there.
    pub(crate) values: u16,
    /// What was given was taken.
    pub(crate) taken: bool,
    /// A number says of how many that is, and it is none.
    pub(crate) none: bool,
    /// It was not.
    pub(crate) refused: Option<CacheRefusal>,
}

impl CacheSaid {
    /// A value.
    pub(crate) const VALUE: Self = Self {
        values: 1,
        taken: false,
        none: false,
        refused: None,
    };
    /// Taken.
    pub(crate) const TAKEN: Self = Self {
        values: 0,
        taken: true,
        none: false,
        refused: None,
    };
    /// The number of what was taken, which is none.
    pub(crate) const NONE: Self = Self {
        none: true,
        ..Self::TAKEN
    };

    /// It was not taken.
    pub(crate) const fn refused(why: CacheRefusal) -> Self {
        Self {
            values: 0,
            taken: false,
            none: false,
            refused: Some(why),
        }
    }

    /// More of the same response.
    pub(crate) fn add(&mut self, more: Self) {
        self.values = self.values.saturating_add(more.values);
        self.taken |= more.taken;
        self.none |= more.none;
        self.refused = self.refused.or(more.refused);
    }

    /// Whether what was to be there only if nothing was is there now.
    pub(crate) fn is_new(self) -> bool {
        self.taken && !self.none
    }
}

/// The sums of a connection, in keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CacheTally {
    found: u64,
    missed: u64,
    taken: u64,
    refused: u64,
    why: Option<CacheRefusal>,
}

impl CacheTally {
    /// So many keys were looked for, and what the response said.
    pub(crate) fn looked(&mut self, keys: u16, said: CacheSaid) {
        if said.refused.is_some() {
            return;
        }
        // A response may tell of what is not there by leaving it out.
        let found = said.values.min(keys);
        self.found += u64::from(found);
        self.missed += u64::from(keys - found);
    }

    /// Something was put there, and what the response said.
    pub(crate) fn stored(&mut self, said: CacheSaid) {
        self.taken += u64::from(said.taken);
        self.refused += u64::from(said.refused.is_some());
        self.why = self.why.or(said.refused);
    }

    /// Those of another connection.
    pub(crate) fn join(&mut self, other: Self) {
        self.found += other.found;
        self.missed += other.missed;
        self.taken += other.taken;
        self.refused += other.refused;
        self.why = self.why.or(other.why);
    }

    /// What is told of it, where only such a share of the connections was followed; none: it was used as no cache.
    pub(crate) fn told(self, share: f64) -> Option<HopCache> {
        let of_all = |count: u64| (count as f64 / share).round() as u64;
        let is_any = self.found + self.missed + self.taken + self.refused > 0;
        is_any.then(|| HopCache {
            found: of_all(self.found),
            missed: of_all(self.missed),
            taken: of_all(self.taken),
            refused: of_all(self.refused),
            why: self.why,
        })
    }
}

/// What a cache said, in keys; of requests whose response was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HopCache {
    /// Keys that were looked for, and are there.
    pub found: u64,
    /// Keys that were looked for, and are not.
    pub missed: u64,
    /// Items that were put there.
    pub taken: u64,
    /// Items that were to be put there, and were not taken.
    pub refused: u64,
    /// Why the first of them was not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<CacheRefusal>,
}

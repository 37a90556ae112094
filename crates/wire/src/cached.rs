//! What a cache says to those who look for keys in it, and to those who put something there.

use std::collections::HashMap;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CacheSaid {
    /// Values that are there.
    pub(crate) values: u16,
    /// What was given was taken.
    pub(crate) taken: bool,
    /// A number says of how many that is, and it is none.
    pub(crate) none: bool,
    /// It was not.
    pub(crate) refused: Option<CacheRefusal>,
    /// The response says nothing of keys: the command waits for others, or failed for a reason of its own.
    pub(crate) nothing: bool,
}

impl CacheSaid {
    /// No value, and none taken.
    pub(crate) const NO_VALUE: Self = Self {
        values: 0,
        taken: false,
        none: false,
        refused: None,
        nothing: false,
    };
    /// A value.
    pub(crate) const VALUE: Self = Self {
        values: 1,
        ..Self::NO_VALUE
    };
    /// Taken.
    pub(crate) const TAKEN: Self = Self {
        taken: true,
        ..Self::NO_VALUE
    };
    /// Nothing is said of keys.
    pub(crate) const NOTHING: Self = Self {
        nothing: true,
        ..Self::NO_VALUE
    };
    /// The number of what was taken, which is none.
    pub(crate) const NONE: Self = Self {
        none: true,
        ..Self::TAKEN
    };

    /// It was not taken.
    pub(crate) const fn refused(why: CacheRefusal) -> Self {
        Self {
            refused: Some(why),
            ..Self::NO_VALUE
        }
    }

    /// More of the same response.
    pub(crate) fn add(&mut self, more: Self) {
        self.values = self.values.saturating_add(more.values);
        self.taken |= more.taken;
        self.none |= more.none;
        self.refused = self.refused.or(more.refused);
        self.nothing |= more.nothing;
    }

    /// Whether what was to be there only if nothing was is there now.
    pub(crate) fn is_new(self) -> bool {
        self.taken && !self.none
    }
}

/// Moments of a connection that are kept, and those of all.
const MAX_MOMENTS: usize = 4_000;
const MAX_ALL_MOMENTS: usize = 200_000;

/// A key was put there, or was looked for and is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KeyMoment {
    at_ns: u64,
    key: u64,
    is_taken: bool,
}

/// The sums of a connection, in keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CacheTally {
    found: u64,
    missed: u64,
    taken: u64,
    refused: u64,
    why: Option<CacheRefusal>,
    moments: Vec<KeyMoment>,
}

impl CacheTally {
    /// So many keys were looked for, and what the response said then.
    pub(crate) fn looked(&mut self, at_ns: u64, keys: u16, key: u64, said: CacheSaid) {
        if said.refused.is_some() {
            return;
        }
        // A response may tell of what is not there by leaving it out.
        let found = said.values.min(keys);
        self.found += u64::from(found);
        self.missed += u64::from(keys - found);
        if found < keys {
            self.keep(at_ns, key, false);
        }
    }

    /// Something was put there, and what the response said then.
    pub(crate) fn stored(&mut self, at_ns: u64, key: u64, said: CacheSaid) {
        self.taken += u64::from(said.taken);
        self.refused += u64::from(said.refused.is_some());
        self.why = self.why.or(said.refused);
        if said.taken {
            self.keep(at_ns, key, true);
        }
    }

    fn keep(&mut self, at_ns: u64, key: u64, is_taken: bool) {
        if key != 0 && self.moments.len() < MAX_MOMENTS {
            self.moments.push(KeyMoment {
                at_ns,
                key,
                is_taken,
            });
        }
    }

    /// Those of another connection.
    pub(crate) fn join(&mut self, other: Self) {
        self.found += other.found;
        self.missed += other.missed;
        self.taken += other.taken;
        self.refused += other.refused;
        self.why = self.why.or(other.why);
        let room = MAX_ALL_MOMENTS.saturating_sub(self.moments.len());
        self.moments.extend(other.moments.into_iter().take(room));
    }

    /// How long ago each key had been put there that was looked for and is gone, from short to long, ns.
    fn lost_after_ns(mut moments: Vec<KeyMoment>) -> Vec<u64> {
        // Those of a connection stay in their order.
        moments.sort_by_key(|moment| moment.at_ns);
        let mut there: HashMap<u64, u64> = HashMap::new();
        let mut after_ns = Vec::new();
        for moment in moments {
            match moment.is_taken {
                true => {
                    there.insert(moment.key, moment.at_ns);
                }
                false => {
                    let put_ns = there.get(&moment.key);
                    after_ns.extend(put_ns.map(|put_ns| moment.at_ns - put_ns));
                }
            }
        }
        after_ns.sort_unstable();
        after_ns
    }

    /// What is told of it, where only such a share of the connections was followed; none: it was used as no cache.
    pub(crate) fn told(self, share: f64) -> Option<HopCache> {
        let of_all = |count: u64| (count as f64 / share).round() as u64;
        let is_any = self.found + self.missed + self.taken + self.refused > 0;
        let lost = Self::lost_after_ns(self.moments);
        is_any.then(|| HopCache {
            found: of_all(self.found),
            missed: of_all(self.missed),
            taken: of_all(self.taken),
            refused: of_all(self.refused),
            why: self.why,
            lost: of_all(lost.len() as u64),
            lost_after_ms: lost.get(lost.len() / 2).map(|ns| *ns as f64 / 1e6),
        })
    }
}

/// What a cache said, in keys; of requests whose response was seen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
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
    /// Of those that were missed, what had been put there while this was looked at, at least.
    #[serde(default)]
    pub lost: u64,
    /// Half of these had been put there no longer ago, ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lost_after_ms: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_and_is_gone_is_counted_over_all_connections() {
        let (mut one, mut other) = (CacheTally::default(), CacheTally::default());
        let missed = CacheSaid::NO_VALUE;
        one.looked(1, 1, 7, missed);
        one.stored(1_000_000, 7, CacheSaid::TAKEN);
        other.looked(5_000_000, 1, 7, missed);
        // Who asks for the same meanwhile does so in vain, too; nobody had put these there.
        other.looked(6_000_000, 1, 7, missed);
        other.looked(6_000_000, 1, 8, missed);
        other.looked(6_000_000, 2, 0, missed);
        // What is found is not lost.
        other.stored(7_000_000, 9, CacheSaid::TAKEN);
        one.looked(8_000_000, 1, 9, CacheSaid::VALUE);
        one.join(other);
        let told = one.told(1.0).unwrap_or_default();
        assert_eq!((told.missed, told.taken, told.lost), (6, 2, 2));
        assert_eq!(told.lost_after_ms, Some(5.0));
    }
}

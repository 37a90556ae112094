//! Keys that clients take only if nobody has them, as locks between processes are made: how often they try in vain.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Keys that are told apart.
const MAX_KEYS: usize = 1_000;

/// The sums of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TryTally {
    tries: u64,
    refused: u64,
    /// Hashes of the keys that somebody else had.
    keys: BTreeSet<u64>,
}

impl TryTally {
    /// A key was to be taken, and it was, or somebody has it.
    pub(crate) fn tried(&mut self, key: u64, taken: bool) {
        self.tries += 1;
        if !taken {
            self.refused += 1;
            self.keep(key);
        }
    }

    fn keep(&mut self, key: u64) {
        if self.keys.len() < MAX_KEYS {
            self.keys.insert(key);
        }
    }

    /// Those of another connection.
    pub(crate) fn join(&mut self, other: Self) {
        self.tries += other.tries;
        self.refused += other.refused;
        other.keys.into_iter().for_each(|key| self.keep(key));
    }

    /// What is told of it, where only such a share of the connections was followed; none: nobody tried.
    pub(crate) fn told(&self, share: f64) -> Option<HopTries> {
        let of_all = |count: u64| (count as f64 / share).round() as u64;
        (self.tries > 0).then(|| HopTries {
            tries: of_all(self.tries),
            refused: of_all(self.refused),
            keys: self.keys.len() as u64,
        })
    }
}

/// Tries to take keys that nobody has; of requests whose response was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HopTries {
    /// How many.
    pub tries: u64,
    /// Those that were in vain: somebody had the key.
    pub refused: u64,
    /// How many keys these were about, at most 1,000.
    pub keys: u64,
}

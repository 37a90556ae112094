//! Keys, of which only a hash is kept.

use crate::fnv::Fnv;

/// A hash without difference of upper and lower case.
pub(super) struct PartHash(Fnv);

impl PartHash {
    pub(super) fn new() -> Self {
        Self(Fnv::new())
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.add(bytes.iter().map(u8::to_ascii_lowercase));
    }

    pub(super) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Self::new();
        hash.add(bytes);
        hash.value()
    }

    pub(super) fn value(&self) -> u64 {
        self.0.value()
    }
}

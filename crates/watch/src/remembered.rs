//! What an earlier look saw and this one may not.

use std::collections::BTreeSet;

/// The first so many things of a kind that were seen: where there is one no more, that is said, too.
#[derive(Debug)]
pub(crate) struct Remembered<K> {
    known: BTreeSet<K>,
    most: usize,
}

impl<K: Ord + Clone> Remembered<K> {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            known: BTreeSet::new(),
            most,
        }
    }

    /// Things of a look that are told of, each with what was seen of it; after them those that are gone.
    pub(crate) fn told<V>(
        &mut self,
        seen: impl IntoIterator<Item = (K, V)>,
    ) -> Vec<(K, Option<V>)> {
        let mut gone = self.known.clone();
        let mut told = Vec::new();
        for (thing, value) in seen {
            gone.remove(&thing);
            if self.known.len() < self.most || self.known.contains(&thing) {
                self.known.insert(thing.clone());
                told.push((thing, Some(value)));
            }
        }
        told.extend(gone.into_iter().map(|thing| (thing, None)));
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_is_said_and_no_more_is_remembered_than_may_be() {
        let mut remembered = Remembered::new(2);
        assert_eq!(
            remembered.told([("a", 1), ("b", 2), ("c", 3)]),
            [("a", Some(1)), ("b", Some(2))]
        );
        assert_eq!(
            remembered.told([("c", 4), ("b", 5)]),
            [("b", Some(5)), ("a", None)]
        );
        assert_eq!(remembered.told::<u8>([]), [("a", None), ("b", None)]);
    }
}

//! Sums over members that come and go.

use std::collections::HashMap;
use std::hash::Hash;

/// Counters of several members (workers, threads) as one that never falls when one ends.
#[derive(Debug)]
pub(super) struct MemberTotals<K, const N: usize> {
    gone: [f64; N],
    /// Of these, what ended in the last look.
    ended: [f64; N],
    members: HashMap<K, ([f64; N], u64)>,
    look: u64,
}

impl<K: Eq + Hash + Clone, const N: usize> MemberTotals<K, N> {
    pub(super) fn new() -> Self {
        Self {
            gone: [0.0; N],
            ended: [0.0; N],
            members: HashMap::new(),
            look: 0,
        }
    }

    /// What a member's counters are in this look. One that fell is another's of the same
    /// name.
    pub(super) fn set(&mut self, member: &K, values: [f64; N]) {
        if let Some((known, look)) = self.members.get_mut(member) {
            if values.iter().zip(&*known).any(|(now, before)| now < before) {
                add(&mut self.gone, known);
            }
            (*known, *look) = (values, self.look);
        } else {
            self.members.insert(member.clone(), (values, self.look));
        }
    }

    /// Ends a look: who was not set has gone. Gives the sums.
    pub(super) fn finish(&mut self) -> [f64; N] {
        let (look, mut ended) = (self.look, [0.0; N]);
        self.members.retain(|_, (values, seen)| {
            let stays = *seen == look;
            if !stays {
                add(&mut ended, values);
            }
            stays
        });
        add(&mut self.gone, &ended);
        (self.ended, self.look) = (ended, look + 1);
        let mut sums = self.gone;
        for (values, _) in self.members.values() {
            add(&mut sums, values);
        }
        sums
    }

    /// The counters of the members that went with the last look.
    pub(super) const fn ended(&self) -> &[f64; N] {
        &self.ended
    }
}

fn add<const N: usize>(to: &mut [f64; N], values: &[f64; N]) {
    for (sum, value) in to.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_does_not_fall_when_a_member_ends() {
        let mut totals = MemberTotals::new();
        totals.set(&1, [10.0, 1.0]);
        totals.set(&2, [20.0, 2.0]);
        assert_eq!(totals.finish(), [30.0, 3.0]);
        totals.set(&1, [11.0, 1.0]);
        assert_eq!(totals.finish(), [31.0, 3.0]);
        assert_eq!(*totals.ended(), [20.0, 2.0]);
        // Another with the number of the first.
        totals.set(&1, [0.5, 0.0]);
        assert_eq!(totals.finish(), [31.5, 3.0]);
        assert_eq!(*totals.ended(), [0.0, 0.0]);
        assert_eq!(totals.finish(), [31.5, 3.0]);
        assert!(totals.members.is_empty());
    }
}

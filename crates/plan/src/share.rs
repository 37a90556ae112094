//! A share of a run's load: which users, arrivals and numbers belong to it.
//!
//! A load that is shared is computed as a whole everywhere and each share takes its own part,
//! so that nobody has to be asked: number *n* of anything that is numbered (users, arrivals,
//! rows, values of counters, iterations of a total) belongs to share *n* mod `count`, and
//! within it to load thread (*n* div `count`) mod `threads`.

/// One of the equal shares that a run's load is divided into; the whole load by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share {
    index: u32,
    count: u32,
}

impl Default for Share {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Share {
    /// All of the load.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Share `index` (from 0) of `count`; none when there is no such share.
    #[must_use]
    pub const fn new(index: u32, count: u32) -> Option<Self> {
        if index < count {
            Some(Self { index, count })
        } else {
            None
        }
    }

    /// Its number, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many shares there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Whether it is all of the load.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.count == 1
    }

    /// The same share among those that have any of `total` things: with fewer things than
    /// shares only the first shares have some. None when this one has none.
    #[must_use]
    pub fn among(self, total: u64) -> Option<Self> {
        let count = u32::try_from(total).map_or(self.count, |total| self.count.min(total));
        Self::new(self.index, count)
    }

    /// Whether the thing with this number belongs to it.
    #[must_use]
    pub fn has(self, number: u64) -> bool {
        number % u64::from(self.count) == u64::from(self.index)
    }

    /// How many of the things numbered from 0 up to `total` (exclusive) belong to it.
    #[must_use]
    pub fn of(self, total: u64) -> u64 {
        let rest = total.saturating_sub(u64::from(self.index));
        rest.div_ceil(u64::from(self.count))
    }

    /// Its `n`-th number, from 0.
    #[must_use]
    pub fn number(self, n: u64) -> u64 {
        n.saturating_mul(u64::from(self.count))
            .saturating_add(u64::from(self.index))
    }

    /// The numbers of one of its load threads: the first, and from each to the next.
    #[must_use]
    pub fn numbers_of_thread(self, thread: usize, threads: usize) -> (usize, usize) {
        let (index, count) = (self.index as usize, self.count as usize);
        (
            index.saturating_add(count.saturating_mul(thread)),
            count.saturating_mul(threads.max(1)),
        )
    }

    /// How many numbers of other shares lie before its next one, when it has taken so many.
    #[must_use]
    pub fn skipped_before(self, taken: u64) -> u32 {
        match taken {
            0 => self.index,
            _ => self.count - 1,
        }
    }

    /// How often one of its passes has been gone through before this one, if the passes of all
    /// shares have the numbers that [`Share::number`] gives.
    #[must_use]
    pub fn own_pass(self, number: u64) -> u64 {
        number / u64::from(self.count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn shares(count: u32) -> impl Iterator<Item = Share> {
        (0..count).map(move |index| Share::new(index, count).unwrap())
    }

    #[test]
    fn one_user_over_three_shares_is_one_user() {
        let users: Vec<u64> = shares(3).map(|share| share.of(1)).collect();
        assert_eq!(users, [1, 0, 0]);
        let rates: Vec<u64> = shares(7).map(|share| share.of(1000)).collect();
        assert_eq!(rates, [143, 143, 143, 143, 143, 143, 142]);
        assert_eq!(Share::new(3, 3), None);
        assert_eq!(Share::new(0, 0), None);
        assert!(Share::default().is_whole());
    }

    #[test]
    fn numbers_are_dealt_out_in_turn() {
        let share = Share::new(1, 3).unwrap();
        assert_eq!([0, 1, 2].map(|n| share.number(n)), [1, 4, 7]);
        assert_eq!([0, 1, 2].map(|n| share.skipped_before(n)), [1, 2, 2]);
        assert_eq!([0, 1].map(|n| Share::WHOLE.skipped_before(n)), [0, 0]);
    }

    #[test]
    fn with_fewer_things_than_shares_only_the_first_have_some() {
        let last = Share::new(2, 3).unwrap();
        assert_eq!(last.among(2), None);
        assert_eq!(last.among(3), Some(last));
        assert_eq!(last.among(u64::MAX), Some(last));
        assert_eq!(Share::new(1, 3).unwrap().among(2), Share::new(1, 2));
        assert_eq!(Share::WHOLE.among(0), None);
    }

    proptest! {
        #[test]
        fn each_number_belongs_to_one_share_and_one_thread(
            count in 1_u32..20, threads in 1_usize..9, total in 0_usize..500,
        ) {
            let mut owners = vec![0; total];
            for share in shares(count) {
                let mut own = 0;
                for thread in 0..threads {
                    let (first, step) = share.numbers_of_thread(thread, threads);
                    for number in (0..total).skip(first).step_by(step) {
                        owners[number] += 1;
                        own += 1;
                        let number = number as u64;
                        prop_assert!(share.has(number));
                        prop_assert_eq!(share.number(share.own_pass(number)), number);
                    }
                }
                prop_assert_eq!(share.of(total as u64), own);
            }
            prop_assert!(owners.iter().all(|times| *times == 1));
        }

        #[test]
        fn parts_make_the_whole(count in 1_u32..1000, total in 0_u64..u64::MAX) {
            let parts: u128 = shares(count).map(|share| u128::from(share.of(total))).sum();
            prop_assert_eq!(parts, u128::from(total));
        }

        #[test]
        fn what_few_have_is_divided_among_them(
            count in 1_u32..50, users in 1_u64..60, total in 0_u64..10_000,
        ) {
            let among = shares(count).filter_map(|share| share.among(users));
            let parts: u64 = among.map(|share| share.of(total)).sum();
            prop_assert_eq!(parts, total);
            prop_assert!(shares(count).all(|share| share.among(users).is_some() == (share.of(users) > 0)));
        }
    }
}

//! Rows in random order, each once: a permutation that is computed place by place, so that users, threads and
//! machines share nothing but the number of the next place.

/// The row at this place of a shuffled order of so many rows; each number below `rows` comes out once for
/// those below `rows`. A Feistel network over the next even power of two, walked until it is back within
/// the rows (Black & Rogaway 2002, "cycle walking").
pub(super) fn shuffled(place: usize, rows: usize, key: u64) -> usize {
    if place >= rows || rows < 2 {
        return place;
    }
    let bits = usize::BITS - (rows - 1).leading_zeros();
    let half = bits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut at = place as u64;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for round in 0..6 {
            (left, right) = (right, left ^ (mixed(key, round << 32 | right) & mask));
        }
        at = left << half | right;
        if let Some(row) = usize::try_from(at).ok().filter(|row| *row < rows) {
            return row;
        }
    }
}

/// The key of another order: the next time that the rows come.
pub(super) fn key_of(seed: u64, time: u64) -> u64 {
    mixed(seed, time)
}

/// `SplitMix64`'s finaliser (Steele et al. 2014).
fn mixed(key: u64, number: u64) -> u64 {
    let mut mixed = key ^ number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_row_comes_once(rows in 0_usize..3_000, seed: u64, time: u64) {
            let key = key_of(seed, time);
            let mut seen: Vec<usize> = (0..rows).map(|place| shuffled(place, rows, key)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..rows).collect::<Vec<_>>());
        }

        #[test]
        fn the_largest_files_are_walked_too(place: usize, seed: u64) {
            let rows = usize::MAX;
            prop_assert!(shuffled(place.min(rows - 1), rows, seed) < rows);
        }
    }

    #[test]
    fn first_rows_are_evenly_spread() {
        // Chi-square over 8 rows, 8000 orders: 99.99 % of fair shuffles stay below 30 (7 degrees of freedom).
        for place in [0, 3, 7] {
            let mut counts = [0_i64; 8];
            for time in 0..8_000 {
                counts[shuffled(place, 8, key_of(42, time))] += 1;
            }
            let chi: i64 = counts.iter().map(|count| (count - 1_000).pow(2)).sum();
            assert!(chi < 30_000, "{place}: {counts:?}");
        }
    }
}

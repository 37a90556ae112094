//! Whether what was counted falls into certain seconds more than chance would have it.
//!
//! Errors come in bursts and events last for several seconds, so that seconds are not
//! independent and a hypergeometric test of requests or seconds would find too much. The test
//! here keeps both as they are and shifts one against the other around a circle: under the null
//! hypothesis each shift is as good as any other (a permutation test with restricted
//! permutations; Besag and Clifford, "Generalized Monte Carlo significance tests", Biometrika
//! 76(4), 1989). With T seconds its p value is at least 1 / T.

/// Seconds with something counted, times shifts, that are looked at for one test.
const MOST_STEPS: usize = 4_000_000;

/// How much of what was counted falls into the seconds in question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coincidence {
    /// The share of the counts that lies inside, 0 to 1.
    pub share: f64,
    /// The share of the seconds that is inside: what chance would give.
    pub expected: f64,
    /// The share of all shifts under which at least as much lies inside, the one that was seen
    /// included.
    pub p: f64,
}

impl Coincidence {
    /// Tests counts of consecutive seconds against the seconds in question. `None` if nothing
    /// was counted, or if all or none of the seconds are in question. What is longer is cut to the other.
    ///
    /// ```
    /// use plimsoll_stats::coincidence::Coincidence;
    ///
    /// let errors = [0, 0, 9, 8, 0, 0, 0, 0, 0, 1];
    /// let pauses = [2_usize, 3];
    /// let inside: Vec<bool> = (0..10).map(|second| pauses.contains(&second)).collect();
    /// let found = Coincidence::of(&errors, &inside).unwrap();
    /// assert!(found.share > 0.9 && found.p <= 0.1);
    /// ```
    #[must_use]
    pub fn of(counts: &[u64], inside: &[bool]) -> Option<Self> {
        let seconds = counts.len().min(inside.len());
        let (counts, inside) = (&counts[..seconds], &inside[..seconds]);
        let total: u64 = counts.iter().sum();
        let marked = inside.iter().filter(|inside| **inside).count();
        if total == 0 || marked == 0 || marked == seconds {
            return None;
        }
        let counted: Vec<(usize, u64)> = counts
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .collect();
        let shifted = |by: usize| -> u64 {
            let turned = counted.iter();
            let both = turned.filter(|(at, _)| inside[(at + seconds - by) % seconds]);
            both.map(|(_, count)| count).sum()
        };
        let seen = shifted(0);
        // Of very many shifts some stand for all.
        let step = (seconds * counted.len() / MOST_STEPS).max(1);
        let shifts = (0..seconds).step_by(step);
        let tried = shifts.len();
        let as_much = shifts.filter(|by| shifted(*by) >= seen).count();
        Some(Self {
            share: seen as f64 / total as f64,
            expected: marked as f64 / seconds as f64,
            p: as_much as f64 / tried as f64,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    /// Counts with a burst of so many in these seconds, and a few elsewhere.
    fn counts(seconds: usize, bursts: &[usize]) -> Vec<u64> {
        (0..seconds)
            .map(|second| {
                if bursts.contains(&second) {
                    40
                } else {
                    u64::from(second % 7 == 0)
                }
            })
            .collect()
    }

    fn marked(seconds: usize, of: &[std::ops::Range<usize>]) -> Vec<bool> {
        (0..seconds)
            .map(|second| of.iter().any(|range| range.contains(&second)))
            .collect()
    }

    #[test]
    fn bursts_within_events_are_no_chance() {
        let found = Coincidence::of(&counts(60, &[20, 21, 22]), &marked(60, &[19..24])).unwrap();
        assert!(found.share > 0.9, "{found:?}");
        assert!((found.expected - 5.0 / 60.0).abs() < 1e-9);
        // The burst of three fits into five seconds in three ways.
        assert!(found.p <= 3.0 / 60.0, "{found:?}");
        let twice = Coincidence::of(
            &counts(60, &[10, 11, 47, 48]),
            &marked(60, &[9..13, 46..50]),
        );
        assert!(twice.unwrap().p <= 3.0 / 60.0);
    }

    #[test]
    fn bursts_elsewhere_and_even_errors_are_chance() {
        let elsewhere = Coincidence::of(&counts(60, &[40, 41]), &marked(60, &[19..24])).unwrap();
        assert!(elsewhere.share < 0.2 && elsewhere.p > 0.1, "{elsewhere:?}");
        let even = Coincidence::of(&[5; 60], &marked(60, &[19..24])).unwrap();
        assert!((even.share - even.expected).abs() < 1e-9);
        assert_eq!(even.p, 1.0);
        // One long burst and one long event say little.
        let long: Vec<u64> = (0..60).map(|second| u64::from(second < 30)).collect();
        let found = Coincidence::of(&long, &marked(60, &[0..40])).unwrap();
        assert!(found.p > 0.15, "{found:?}");
    }

    #[test]
    fn what_cannot_be_tested_is_not() {
        assert_eq!(Coincidence::of(&[0; 20], &[true; 20]), None);
        assert_eq!(Coincidence::of(&[1; 20], &[true; 20]), None);
        assert_eq!(Coincidence::of(&[1; 20], &[false; 20]), None);
        assert_eq!(Coincidence::of(&[], &[]), None);
    }
}

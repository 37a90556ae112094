//! How far another host's clock is from this one's, by exchanges over the link.
//!
//! One exchange is four time stamps, as in NTP (RFC 5905, section 8): sent here, received there,
//! responded to there, back here. The offset lies within half of the time that the messages were
//! under way, however unequal the two ways are. So the exchange that was under way for the
//! shortest time says most; with its age its error grows by what clocks drift.

use std::collections::VecDeque;
use std::time::Duration;

/// How much two clocks may drift apart: twice what RFC 5905 takes for one (PHI, 15 ppm) would be
/// 30 ppm; crystals without compensation in warm hosts do worse.
pub const DRIFT_PPM: f64 = 100.0;

/// How many exchanges are kept.
const KEPT: usize = 64;

/// One exchange; each pair in nanoseconds of one clock, since any moment of that clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockExchange {
    /// When the question was sent, here.
    pub sent_ns: i64,
    /// When the question arrived, there.
    pub received_ns: i64,
    /// When the response was sent, there.
    pub responded_ns: i64,
    /// When the response arrived, here.
    pub back_ns: i64,
}

/// What the other clock shows more than this one, at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// The best guess: there minus here, in nanoseconds.
    pub offset_ns: i64,
    /// How far the truth may be from it, in nanoseconds.
    pub error_ns: u64,
    /// When the exchange it rests on was back, here.
    pub measured_ns: i64,
}

impl ClockExchange {
    /// How long the messages were under way, both together; none if the stamps make no sense.
    #[must_use]
    pub fn round_trip_ns(&self) -> Option<u64> {
        let whole = self.back_ns.checked_sub(self.sent_ns)?;
        let there = self.responded_ns.checked_sub(self.received_ns)?;
        if there < 0 {
            return None;
        }
        u64::try_from(whole.checked_sub(there)?).ok()
    }

    /// The offset that this exchange says: ((T2 − T1) + (T3 − T4)) / 2.
    fn offset_ns(&self) -> i64 {
        let out = i128::from(self.received_ns) - i128::from(self.sent_ns);
        let home = i128::from(self.responded_ns) - i128::from(self.back_ns);
        i64::try_from(i128::midpoint(out, home)).unwrap_or(i64::MAX)
    }
}

/// Estimates the offset of one other clock. It reads no clock itself.
#[derive(Debug, Clone)]
pub struct Estimator {
    exchanges: VecDeque<(ClockExchange, u64)>,
    drift_ppm: f64,
}

impl Default for Estimator {
    fn default() -> Self {
        Self::new(DRIFT_PPM)
    }
}

impl Estimator {
    /// An estimator without exchanges; clocks drift apart by at most so many parts in a million.
    #[must_use]
    pub fn new(drift_ppm: f64) -> Self {
        Self {
            exchanges: VecDeque::new(),
            drift_ppm: drift_ppm.max(0.0),
        }
    }

    /// Adds an exchange; whether its stamps make sense. A clock that was set in between makes all
    /// earlier ones worthless: they are forgotten if the new one contradicts them.
    pub fn add(&mut self, exchange: ClockExchange) -> bool {
        let Some(round_trip_ns) = exchange.round_trip_ns() else {
            return false;
        };
        if let Some(known) = self.offset_at(exchange.back_ns) {
            let new = self.said_by(&exchange, round_trip_ns, exchange.back_ns);
            let apart = new.offset_ns.abs_diff(known.offset_ns);
            if apart > known.error_ns.saturating_add(new.error_ns) {
                self.exchanges.clear();
            }
        }
        if self.exchanges.len() == KEPT {
            self.exchanges.pop_front();
        }
        self.exchanges.push_back((exchange, round_trip_ns));
        true
    }

    /// The offset at a moment of this clock, by the exchange whose error is the least then.
    #[must_use]
    pub fn offset_at(&self, now_ns: i64) -> Option<Offset> {
        self.exchanges
            .iter()
            .map(|(exchange, round_trip_ns)| self.said_by(exchange, *round_trip_ns, now_ns))
            .min_by_key(|offset| offset.error_ns)
    }

    fn said_by(&self, exchange: &ClockExchange, round_trip_ns: u64, now_ns: i64) -> Offset {
        let drift_ns = self.drift_ns(now_ns.abs_diff(exchange.sent_ns));
        Offset {
            offset_ns: exchange.offset_ns(),
            error_ns: half_up(round_trip_ns).saturating_add(drift_ns),
            measured_ns: exchange.back_ns,
        }
    }

    /// How many exchanges are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there is no exchange yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    fn drift_ns(&self, since_ns: u64) -> u64 {
        // The factor is not negative; a float that is too large becomes the largest integer.
        (since_ns as f64 * self.drift_ppm / 1e6).ceil() as u64
    }
}

impl Offset {
    /// A moment of this clock, as the other clock shows it.
    #[must_use]
    pub fn there_ns(&self, here_ns: i64) -> i64 {
        here_ns.saturating_add(self.offset_ns)
    }

    /// The error as a duration.
    #[must_use]
    pub fn error(&self) -> Duration {
        Duration::from_nanos(self.error_ns)
    }
}

/// Half, rounded up, and one more for the rounding of the offset itself.
fn half_up(ns: u64) -> u64 {
    ns.div_ceil(2).saturating_add(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    /// Two hosts and the way between them.
    struct Simulated {
        offset_ns: i64,
        drift_ppm: f64,
    }

    impl Simulated {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        fn there(&self, here_ns: i64) -> i64 {
            here_ns + self.offset_ns + (here_ns as f64 * self.drift_ppm / 1e6) as i64
        }

        fn exchange(&self, at_ns: i64, out_ns: i64, work_ns: i64, home_ns: i64) -> ClockExchange {
            ClockExchange {
                sent_ns: at_ns,
                received_ns: self.there(at_ns + out_ns),
                responded_ns: self.there(at_ns + out_ns + work_ns),
                back_ns: at_ns + out_ns + work_ns + home_ns,
            }
        }
    }

    proptest! {
        #[test]
        fn the_truth_is_within_the_bound(
            offset_ns in -1_000_000_000_000_i64..1_000_000_000_000,
            drift_ppm in -90.0..90.0_f64,
            trips in prop::collection::vec(
                // Out and home differ as they like: up to 2 s one way and nothing the other.
                (0_i64..2_000_000_000, 0_i64..50_000_000, 0_i64..2_000_000_000), 1..100),
            later_ns in 0_i64..600_000_000_000,
        ) {
            let hosts = Simulated { offset_ns, drift_ppm };
            let mut estimator = Estimator::default();
            let mut now_ns = 0;
            for (out_ns, work_ns, home_ns) in trips {
                let exchange = hosts.exchange(now_ns, out_ns, work_ns, home_ns);
                // While the response was prepared its clock ran at its own rate, too.
                prop_assert!(estimator.add(exchange) || out_ns + home_ns < work_ns / 1000);
                now_ns = exchange.back_ns + 100_000_000;
                if let Some(known) = estimator.offset_at(now_ns) {
                    let truth = hosts.there(now_ns) - now_ns;
                    prop_assert!(
                        truth.abs_diff(known.offset_ns) <= known.error_ns,
                        "{truth} {known:?}"
                    );
                }
            }
            now_ns += later_ns;
            if let Some(known) = estimator.offset_at(now_ns) {
                let truth = hosts.there(now_ns) - now_ns;
                prop_assert!(truth.abs_diff(known.offset_ns) <= known.error_ns);
            }
        }
    }

    #[test]
    fn the_shortest_way_counts_until_it_is_old() {
        let hosts = Simulated {
            offset_ns: 5_000_000,
            drift_ppm: 0.0,
        };
        let mut estimator = Estimator::default();
        assert_eq!(estimator.offset_at(0), None);
        assert!(estimator.add(hosts.exchange(0, 100_000, 0, 100_000)));
        assert!(estimator.add(hosts.exchange(1_000_000_000, 30_000_000, 0, 0)));
        let soon = estimator.offset_at(2_000_000_000).unwrap();
        assert_eq!((soon.offset_ns, soon.measured_ns), (5_000_000, 200_000));
        assert_eq!(soon.error_ns, 100_001 + 200_000);
        // 100 ppm of 1,000 s are 100 ms: worse than a fresh exchange of 30 ms.
        assert!(estimator.add(hosts.exchange(1_000_000_000_000, 30_000_000, 0, 0)));
        let late = estimator.offset_at(1_001_000_000_000).unwrap();
        assert_eq!(late.measured_ns, 1_000_030_000_000);
        assert_eq!(late.there_ns(7), 7 + late.offset_ns);
    }

    #[test]
    fn a_clock_that_was_set_is_measured_anew() {
        let mut estimator = Estimator::default();
        let before = Simulated {
            offset_ns: 0,
            drift_ppm: 0.0,
        };
        for second in 0..10 {
            estimator.add(before.exchange(second * 1_000_000_000, 50_000, 0, 50_000));
        }
        let after = Simulated {
            offset_ns: 3_000_000_000,
            drift_ppm: 0.0,
        };
        estimator.add(after.exchange(10_000_000_000, 900_000, 0, 900_000));
        assert_eq!(estimator.len(), 1);
        let known = estimator.offset_at(10_001_800_000).unwrap();
        assert!(
            known.offset_ns.abs_diff(3_000_000_000) <= known.error_ns,
            "{known:?}"
        );
    }

    #[test]
    fn stamps_that_make_no_sense_are_refused() {
        let mut estimator = Estimator::default();
        for stamps in [
            // Back before it was sent.
            [10, 0, 0, 9],
            // Responded before it was received.
            [0, 5, 4, 10],
            // Longer there than it took in all.
            [0, 0, 11, 10],
            [i64::MIN, 0, 0, i64::MAX],
            [0, i64::MIN, i64::MAX, 0],
        ] {
            let [sent_ns, received_ns, responded_ns, back_ns] = stamps;
            let exchange = ClockExchange {
                sent_ns,
                received_ns,
                responded_ns,
                back_ns,
            };
            assert!(!estimator.add(exchange), "{stamps:?}");
        }
        assert!(estimator.is_empty());
    }
}

//! How far an agent's clock is from the controller's.
//!
//! Each exchange gives four readings (NTP, RFC 5905 section 8): `t0` the controller asks,
//! `t1` the agent has the request, `t2` the agent responds, `t3` the controller has the response.
//! The offset is ((t1 − t0) + (t2 − t3)) / 2, wrong by at most half the round trip
//! δ = (t3 − t0) − (t2 − t1), however unequal the two ways are. So the exchange with the
//! shortest round trip counts; that of long ago counts less, since clocks drift apart.

use std::collections::VecDeque;

/// How fast two clocks may drift apart: 100 µs a second covers quartz without discipline.
const DRIFT_PPM: i64 = 100;
/// Exchanges that are looked back at.
const KEPT: usize = 128;

/// The readings of one exchange, Unix nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReadings {
    /// The controller asks, its clock.
    pub t0: u64,
    /// The agent has the request, its clock.
    pub t1: u64,
    /// The agent responds, its clock.
    pub t2: u64,
    /// The controller has the response, its clock.
    pub t3: u64,
}

/// The agent's clock less the controller's, and how wrong that may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentOffset {
    /// The agent's clock less the controller's, nanoseconds.
    pub offset_ns: i64,
    /// At most so wrong, nanoseconds.
    pub error_ns: i64,
}

impl AgentOffset {
    /// A time of the agent's on the controller's clock.
    #[must_use]
    pub fn correct(&self, agent_unix_ns: u64) -> u64 {
        agent_unix_ns.saturating_add_signed(self.offset_ns.saturating_neg())
    }
}

/// Follows an agent's clock.
#[derive(Debug, Clone, Default)]
pub struct ClockFilter {
    seen: VecDeque<(u64, AgentOffset)>,
}

impl ClockFilter {
    /// Takes an exchange in. One whose readings contradict each other is left out.
    pub fn add(&mut self, exchange: ClockReadings) {
        let ClockReadings { t0, t1, t2, t3 } = exchange;
        let (Some(whole), Some(inside)) = (t3.checked_sub(t0), t2.checked_sub(t1)) else {
            return;
        };
        let Some(round_trip) = whole.checked_sub(inside) else {
            return;
        };
        let twice = i128::from(t1) - i128::from(t0) + i128::from(t2) - i128::from(t3);
        let Ok(offset_ns) = i64::try_from(twice / 2) else {
            return;
        };
        // Half of it, rounded up.
        let error_ns = i64::try_from(round_trip.div_ceil(2)).unwrap_or(i64::MAX);
        if self.seen.len() == KEPT {
            self.seen.pop_front();
        }
        let offset = AgentOffset {
            offset_ns,
            error_ns,
        };
        self.seen.push_back((t3, offset));
    }

    /// The offset at that moment of the controller's clock; none before the first exchange.
    #[must_use]
    pub fn at(&self, unix_ns: u64) -> Option<AgentOffset> {
        let aged = self.seen.iter().map(|(seen_at, offset)| {
            let age = i64::try_from(unix_ns.saturating_sub(*seen_at)).unwrap_or(i64::MAX);
            AgentOffset {
                offset_ns: offset.offset_ns,
                error_ns: offset.error_ns.saturating_add(age / 1_000_000 * DRIFT_PPM),
            }
        });
        aged.min_by_key(|offset| offset.error_ns)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const BEGIN: u64 = 1_790_000_000 * SECOND;

    /// An exchange over ways of those lengths with an agent whose clock is ahead so far.
    fn exchange(at: u64, ahead: i64, there: u64, work: u64, back: u64) -> ClockReadings {
        ClockReadings {
            t0: at,
            t1: (at + there).saturating_add_signed(ahead),
            t2: (at + there + work).saturating_add_signed(ahead),
            t3: at + there + work + back,
        }
    }

    proptest! {
        #[test]
        fn the_true_offset_is_within_the_error(
            ahead in -3_600_000_000_000_i64..3_600_000_000_000,
            ways in prop::collection::vec((0_u64..200_000_000, 0_u64..50_000_000, 0_u64..200_000_000), 1..50),
        ) {
            let mut filter = ClockFilter::default();
            let mut shortest = u64::MAX;
            for (n, (there, work, back)) in ways.iter().enumerate() {
                let at = BEGIN + n as u64 * SECOND;
                filter.add(exchange(at, ahead, *there, *work, *back));
                shortest = shortest.min(there + back);
                let now = at + there + work + back;
                let found = filter.at(now).unwrap();
                prop_assert!((found.offset_ns - ahead).abs() <= found.error_ns, "{:?} {}", found, ahead);
                let drift = (n as i64 + 1) * 1_000 * DRIFT_PPM;
                prop_assert!(found.error_ns <= (shortest as i64 + 1) / 2 + drift + 1);
                let corrected = found.correct(now.saturating_add_signed(ahead));
                prop_assert!(corrected.abs_diff(now) <= found.error_ns.unsigned_abs());
            }
        }

        #[test]
        fn any_readings_are_taken(readings in prop::array::uniform4(any::<u64>()), at in any::<u64>()) {
            let [t0, t1, t2, t3] = readings;
            let mut filter = ClockFilter::default();
            filter.add(ClockReadings { t0, t1, t2, t3 });
            if let Some(offset) = filter.at(at) {
                prop_assert!(offset.error_ns >= 0);
                let _ = offset.correct(at);
            }
        }
    }

    #[test]
    fn a_clock_that_drifts_is_followed() {
        let mut filter = ClockFilter::default();
        // 50 µs a second; the first exchange has by far the shortest way.
        filter.add(exchange(BEGIN, 0, 10_000, 0, 10_000));
        for n in 1..600_u64 {
            let ahead = (n * 50_000) as i64;
            filter.add(exchange(BEGIN + n * SECOND, ahead, 400_000, 0, 300_000));
            let found = filter.at(BEGIN + n * SECOND).unwrap();
            assert!(
                (found.offset_ns - ahead).abs() <= found.error_ns,
                "{n} {found:?}"
            );
        }
    }

    #[test]
    fn readings_that_contradict_each_other_are_left_out() {
        let mut filter = ClockFilter::default();
        let whole = exchange(BEGIN, 5, 10, 10, 10);
        filter.add(ClockReadings {
            t3: BEGIN - 1,
            ..whole
        });
        filter.add(ClockReadings {
            t2: whole.t1 + 1_000,
            ..whole
        });
        assert_eq!(filter.at(BEGIN), None);
    }
}

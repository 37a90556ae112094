//! How many samples a worker that was killed can have taken with it, at most.
//!
//! Each sign of life says how many requests an assignment had started; each report says how many
//! of them are counted. What was started and not counted when the worker spoke last can be lost,
//! and what it started after that:
//!
//! - A worker whose connection was closed ended: the kernel closes what a killed process had open.
//!   It spoke twice a second, so it was killed within the next half second; for the time a sign
//!   of life can be on its way another half second is added.
//! - Any other may have lost its link only, and have gone on until its lease was over.
//!
//! In each second of that it starts no more than twice what was ever started in one; of one that
//! ended, all that is lost is no more than three seconds of its share at its most, unless more than
//! that was under way.

use serde::{Deserialize, Serialize};

/// A worker is taken to have been at work for so long after its last sign of life.
pub const AFTER_LIFE_NS: u64 = 1_000_000_000;

/// What one assignment started and reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pulse {
    /// Controller's clock at the last sign of life.
    pub heard_ns: u64,
    /// Requests started until then.
    pub started: u64,
    /// The most that were started in a second, by two signs of life.
    pub peak_per_s: f64,
    /// The most that a report of one second has counted.
    pub most_in_second: u64,
    /// Requests that reports have counted.
    pub counted: u64,
    /// End of the last second that was reported, on the run's clock.
    pub reported_ns: u64,
    /// Whether its end was reported: nothing of it can be lost then.
    pub complete: bool,
    mark: Option<(u64, u64)>,
}

impl Pulse {
    /// Work that begins at this moment of the controller's clock and of the run's.
    #[must_use]
    pub fn begun(heard_ns: u64, from_ns: u64) -> Self {
        Self {
            heard_ns,
            reported_ns: from_ns,
            ..Self::default()
        }
    }

    /// A sign of life.
    pub fn heard(&mut self, now_ns: u64, worker_ns: u64, started: u64) {
        // By the worker's own clock: signs of life may have waited on their way.
        match self.mark {
            Some((before_ns, before)) if worker_ns >= before_ns + 400_000_000 => {
                #[expect(clippy::cast_precision_loss)]
                let per_s =
                    started.saturating_sub(before) as f64 * 1e9 / (worker_ns - before_ns) as f64;
                self.peak_per_s = self.peak_per_s.max(per_s);
                self.mark = Some((worker_ns, started));
            }
            None => self.mark = Some((worker_ns, started)),
            Some(_) => {}
        }
        self.heard_ns = now_ns;
        self.started = self.started.max(started);
    }

    /// A second was reported with so many requests in it.
    pub fn reported(&mut self, second: u64, requests: u64) {
        self.counted += requests;
        self.most_in_second = self.most_in_second.max(requests);
        self.reported_ns = self.reported_ns.max((second + 1) * 1_000_000_000);
        #[expect(clippy::cast_precision_loss)]
        let per_s = requests as f64;
        self.peak_per_s = self.peak_per_s.max(per_s);
    }

    /// What is lost if the worker never comes back: from, to, both on the run's clock, and how many
    /// requests at most. It can have been at work until `until_ns`, and started as many as `per_s`
    /// each second; `zero_ns` is the zero of the run's clock; both moments are the controller's
    /// clock's. None when everything was reported or nothing was begun.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    pub fn loss(&self, zero_ns: u64, until_ns: u64, per_s: f64) -> Option<(u64, u64, u64)> {
        if self.complete {
            return None;
        }
        let to_ns = until_ns.saturating_sub(zero_ns).max(self.reported_ns);
        let in_all = |per_s: f64| {
            let after_ns = until_ns.saturating_sub(self.heard_ns);
            let after = (per_s * after_ns as f64 / 1e9).ceil() as u64;
            self.started.saturating_sub(self.counted) + after
        };
        let most = in_all(2.0 * per_s);
        let ended = until_ns <= self.heard_ns + AFTER_LIFE_NS && self.most_in_second > 0;
        let most = match ended {
            true => most.min((3 * self.most_in_second).max(in_all(self.most_in_second as f64))),
            false => most,
        };
        (most > 0).then_some((self.reported_ns, to_ns, most))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    /// 100/s, half a second between signs of life, not heard after 4 s; 3 s were reported.
    fn pulse() -> Pulse {
        let mut pulse = Pulse::default();
        for half in 1..=8 {
            pulse.heard(100 * S + half * S / 2, 7 * S + half * S / 2, half * 50);
        }
        for second in 0..3 {
            pulse.reported(second, 100);
        }
        pulse
    }

    #[test]
    fn a_killed_worker_loses_at_most_what_it_started() {
        let pulse = pulse();
        // Killed at 4.4 s: 440 were started.
        let until_ns = pulse.heard_ns + AFTER_LIFE_NS;
        let lost = pulse.loss(100 * S, until_ns, pulse.peak_per_s).unwrap();
        let (from_ns, to_ns, most) = lost;
        assert_eq!((from_ns, to_ns), (3 * S, 5 * S));
        assert!(most >= 140, "{most}");
        assert!(most <= 300, "no more than 3 s of its share: {most}");
    }

    #[test]
    fn what_looked_quicker_for_a_moment_makes_the_bound_no_longer() {
        let mut pulse = pulse();
        // Half a second late, and then all at once.
        pulse.heard(105 * S, 12 * S, 500);
        pulse.reported(3, 100);
        let until_ns = pulse.heard_ns + AFTER_LIFE_NS;
        let (_, _, most) = pulse.loss(100 * S, until_ns, 250.0).unwrap();
        assert_eq!(most, 300);
        // More than that is under way.
        pulse.started = 700;
        let (_, _, most) = pulse.loss(100 * S, until_ns, 250.0).unwrap();
        assert_eq!(most, 400);
    }

    #[test]
    fn who_was_cut_off_first_may_have_gone_on_until_its_lease_was_over() {
        let pulse = pulse();
        // Its link was cut at 4.0 s; it was killed at 13.9 s, when 1,390 were started.
        let (from_ns, to_ns, most) = pulse.loss(100 * S, 114 * S, 100.0).unwrap();
        assert_eq!((from_ns, to_ns), (3 * S, 14 * S));
        assert!(most >= 1_090, "{most}");
    }

    #[test]
    fn who_reported_its_end_lost_nothing() {
        let mut pulse = Pulse::default();
        pulse.heard(S, S, 10);
        pulse.complete = true;
        assert_eq!(pulse.loss(0, 10 * S, 100.0), None);
        assert_eq!(Pulse::default().loss(0, 10 * S, 0.0), None);
    }
}

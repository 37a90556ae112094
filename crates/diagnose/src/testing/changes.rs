//! A load that changes, and sources that refuse the watcher.

use plimsoll_stats::summary::{ProbeLevel, ProbeSummary};
use serde_json::json;

use super::Made;
use crate::evidence::UnseenSource;

impl Made {
    /// How long a response takes in each second, ms.
    pub fn responds(mut self, ms: impl Fn(u32) -> f64) -> Self {
        for second in &mut self.evidence.load.seconds {
            second.response_ms = ms(second.second);
        }
        self
    }

    /// At its end the load was raised by half, after which a response took so long, ms.
    pub fn raised_by_half(mut self, ms: f64) -> Self {
        let total = self
            .evidence
            .load
            .total
            .as_ref()
            .expect("each load has one");
        let (throughput_per_s, response_ms) = (total.throughput_per_s, total.response_time_ms.mean);
        let level = |load, throughput_per_s, response_ms| ProbeLevel {
            load,
            from_s: 20,
            to_s: 23,
            throughput_per_s,
            response_ms,
        };
        let raised_per_s = 1.5 * throughput_per_s * response_ms / ms;
        self.evidence.load.probe = Some(ProbeSummary {
            from_s: 20.0,
            levels: vec![
                level(1.0, throughput_per_s, response_ms),
                level(1.5, raised_per_s, ms),
            ],
        });
        self
    }

    /// The load was as it was in the first of those seconds, and raised in the last.
    pub fn probed_at(mut self, before: (u64, u64), raised: (u64, u64)) -> Self {
        let probe = self.evidence.load.probe.as_mut().expect("it was raised");
        for (level, (from_s, to_s)) in probe.levels.iter_mut().zip([before, raised]) {
            (level.from_s, level.to_s) = (from_s, to_s);
        }
        self
    }

    /// Nothing ends in those seconds, while so many wait.
    pub fn stands_still(mut self, seconds: std::ops::Range<u32>, waiting: u64) -> Self {
        for second in &mut self.evidence.load.seconds {
            if seconds.contains(&second.second) {
                (second.samples, second.in_flight) = (0, waiting);
            }
        }
        self
    }

    /// A user more each second.
    pub fn users_grow(mut self) -> Self {
        for second in &mut self.evidence.load.seconds {
            second.users = u64::from(second.second) + 1;
        }
        self
    }

    /// A source that could not be looked into from one second to the other, or to the end, and the text of why.
    pub fn unseen(mut self, source: &str, seconds: (i64, Option<i64>), reason: &str) -> Self {
        let address = source.rsplit(' ').next().unwrap_or_default();
        self.evidence.unseen.push(UnseenSource {
            source: source.to_owned(),
            from_ms: seconds.0 * 1_000,
            until_ms: seconds.1.map(|until| until * 1_000),
            reason: reason.to_owned(),
            args: json!({"address": address, "reason": "Too many connections", "seconds": 4}),
        });
        self
    }
}

//! The last seconds of a generator, by which it is judged, added up as they come: who reads a run of hours from its
//! beginning has it judged at each second, and not thirty seconds anew at each.

use std::collections::VecDeque;

use plimsoll_stats::{
    GeneratorSecond, GeneratorSummary, LabelInterval, OwnTime, judge_generator_with,
};

/// Seconds by which the generator is judged.
pub(super) const JUDGED: usize = 30;

/// What is added up of a second, or of several.
#[derive(Clone, Default)]
struct JudgedSum {
    did: LabelInterval,
    own: OwnTime,
}

impl JudgedSum {
    fn add(&mut self, other: &Self) {
        self.did.merge_measured(&other.did);
        self.own.merge(&other.own);
    }
}

/// The last seconds. What is added can be taken away again: a queue of two stacks, of which the older one holds
/// the sums of what is behind each of its seconds.
#[derive(Default)]
pub(super) struct JudgedSeconds {
    seconds: VecDeque<GeneratorSecond>,
    older: Vec<JudgedSum>,
    newer: Vec<JudgedSum>,
    newer_sum: JudgedSum,
}

impl JudgedSeconds {
    /// A second, and what all requests did in it. The oldest goes.
    pub fn push(&mut self, mut second: GeneratorSecond, did: LabelInterval) {
        let mut own = OwnTime::default();
        own.merge_kept(&std::mem::take(&mut second.own));
        let sum = JudgedSum { did, own };
        self.newer_sum.add(&sum);
        self.newer.push(sum);
        self.seconds.push_back(second);
        if self.seconds.len() > JUDGED {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if self.older.is_empty() {
            let mut sum = JudgedSum::default();
            for second in self.newer.drain(..).rev() {
                sum.add(&second);
                self.older.push(sum.clone());
            }
            self.newer_sum = JudgedSum::default();
        }
        self.older.pop();
        self.seconds.pop_front();
    }

    /// The last second.
    pub fn last(&self) -> Option<&GeneratorSecond> {
        self.seconds.back()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.seconds.len()
    }

    /// How the generator did in these seconds; none without any.
    pub fn summary(&mut self) -> Option<GeneratorSummary> {
        let mut sum = self.older.last().cloned().unwrap_or_default();
        sum.add(&self.newer_sum);
        let seconds = &*self.seconds.make_contiguous();
        let verdict = judge_generator_with(seconds, sum.own, &sum.did);
        (!seconds.is_empty()).then(|| GeneratorSummary::new(verdict, seconds))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::{ErrorKind, KeptOwnTime, ThreadSecond, judge_generator};
    use proptest::prelude::*;

    use super::*;

    /// A second with a load thread that was so busy, requests that were so late, and failures.
    fn second(
        number: u64,
        busy: f64,
        late_ns: u64,
        failed: u64,
    ) -> (GeneratorSecond, LabelInterval) {
        let mut did = LabelInterval::default();
        for _ in 0..20 {
            did.ok.record(2_000_000, 2_000_000 + late_ns);
        }
        for _ in 0..failed {
            did.err.record(1, 1);
        }
        did.errors_by_kind.add(ErrorKind::NoLocalPort, failed);
        let own = serde_json::json!({ "late_ns": late_ns * 20 });
        let own: KeptOwnTime = serde_json::from_value(own).unwrap_or_default();
        let thread = ThreadSecond {
            cpu_share: busy,
            ..ThreadSecond::default()
        };
        let generator = GeneratorSecond {
            second: number,
            threads: vec![thread],
            send_lateness_p99_ns: late_ns,
            own,
            ..GeneratorSecond::default()
        };
        (generator, did)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn it_is_judged_as_if_anew(
            seconds in proptest::collection::vec((0.0..1.0_f64, 0_u64..5_000_000, 0_u64..3), 1..120),
        ) {
            let mut judged = JudgedSeconds::default();
            let all: Vec<_> = seconds
                .iter()
                .zip(0..)
                .map(|((busy, late_ns, failed), number)| second(number, *busy, *late_ns, *failed))
                .collect();
            for at in 0..all.len() {
                let (generator, did) = all[at].clone();
                judged.push(generator, did);
                let window = &all[(at + 1).saturating_sub(JUDGED)..=at];
                let seconds: Vec<GeneratorSecond> = window.iter().map(|(second, _)| second.clone()).collect();
                let mut did = LabelInterval::default();
                window.iter().for_each(|(_, other)| did.merge(other));
                let anew = GeneratorSummary::new(judge_generator(&seconds, &did), &seconds);
                prop_assert_eq!(judged.summary().unwrap(), anew);
                prop_assert_eq!(judged.last().unwrap().second, at as u64);
            }
        }
    }
}

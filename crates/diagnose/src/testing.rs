//! Made-up evidence for tests of rules: an even load of 20 s, and what the target would show.
#![allow(clippy::expect_used)]

mod changes;
mod wording;

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind, Fact, SeriesKey, SeriesKind};
use plimsoll_stats::{
    ErrorKind, GeneratorReason, LabelKind, LabelPhases, LabelSummary, ReasonKind, Times, Touched,
};

use crate::evidence::{
    CapturedText, Evidence, EvidenceStep, LoadElsewhere, LoadEvidence, SecondOfLoad, Series,
};
use crate::model::Finding;
use crate::scene::Scene;

/// Seconds of the load.
pub const SECONDS: u32 = 20;
/// Seconds of each of three loads.
const STEP_S: u32 = 6;

/// A thing on the host `web`.
pub fn thing(kind: EntityKind, name: &str) -> Arc<Entity> {
    Entity::new(kind, name, "web")
}

/// Numbers by chance, the same each time (SplitMix64).
pub struct Chance(pub u64);

impl Chance {
    /// From 0 to below that.
    pub fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = (z ^ (z >> 31)) % u64::try_from(end.max(1)).expect("above 0");
        i64::try_from(number).expect("below end")
    }
}

/// Evidence that is being made up.
pub struct Made {
    evidence: Evidence,
}

impl Made {
    /// So many requests a second, each taking so long.
    pub fn load(throughput_per_s: f64, response_ms: f64) -> Self {
        let times = Times {
            mean: response_ms,
            p50: response_ms,
            ..Times::default()
        };
        let samples = count(throughput_per_s * f64::from(SECONDS));
        let total = LabelSummary {
            label: "total".to_owned(),
            kind: LabelKind::Request,
            parent: None,
            samples,
            errors: 0,
            error_rate: 0.0,
            dropped_iterations: 0,
            cut_off: 0,
            resent: 0,
            throughput_per_s,
            ended_after_load: 0,
            received_bytes: 0,
            sent_bytes: 0,
            response_time_ms: times,
            service_time_ms: times,
            ok_response_time_ms: times,
            phases: LabelPhases::default(),
            errors_by_kind: [].into(),
            status_codes: [].into(),
        };
        let second = |second| SecondOfLoad {
            second,
            samples: count(throughput_per_s),
            response_ms,
            users: 20,
            ..SecondOfLoad::default()
        };
        Self {
            evidence: Evidence::of_load(LoadEvidence {
                watched: true,
                total: Some(total),
                window_s: (0, SECONDS),
                seconds: (0..SECONDS).map(second).collect(),
                ..LoadEvidence::default()
            }),
        }
    }

    /// Such a share of the requests goes to another address, and takes so long.
    pub fn elsewhere(mut self, origin: &str, share: f64, mean_ms: f64) -> Self {
        let total = self.evidence.load.total.as_ref().expect("load() made it");
        #[expect(clippy::cast_precision_loss, reason = "a test's numbers")]
        let requests = count(total.samples as f64 * share);
        self.evidence.load.elsewhere.push(LoadElsewhere {
            origin: origin.to_owned(),
            requests,
            mean_ms,
        });
        self
    }

    /// So many of the requests failed in that way.
    pub fn errors(mut self, kind: ErrorKind, failed: u64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        *total.errors_by_kind.entry(kind).or_default() += failed;
        total.errors += failed;
        #[expect(clippy::cast_precision_loss, reason = "a test's numbers")]
        let share = total.errors as f64 / total.samples.max(1) as f64;
        total.error_rate = share;
        self
    }

    /// So many of the requests got that status, and failed of it.
    pub fn responded(self, code: &str, count: u64) -> Self {
        let made = self.expected(code, count);
        made.errors(ErrorKind::CheckFailed, count)
    }

    /// So many responses have that status, which the plan's checks expect.
    pub fn expected(mut self, code: &str, count: u64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        total.status_codes.insert(code.to_owned(), count);
        self
    }

    /// So much of the requests made a connection, which took so long.
    pub fn connects(mut self, share: f64, mean_ms: f64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        #[expect(clippy::cast_precision_loss, reason = "a test's numbers")]
        let made = total.samples as f64 * share;
        total.phases.connect.count = count(made);
        total.phases.connect.mean_ms = mean_ms;
        self
    }

    /// The rest of each response comes so long after its first byte.
    pub fn receives(mut self, mean_ms: f64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        total.phases.receive.count = total.samples;
        total.phases.receive.mean_ms = mean_ms;
        self
    }

    /// Three loads of even length, with their requests a second, in place of one.
    pub fn steps(mut self, steps: &[(f64, f64); 3]) -> Self {
        let load = &mut self.evidence.load;
        load.steps = steps
            .iter()
            .zip(0..)
            .map(|((load, _), at)| EvidenceStep {
                load: *load,
                from_s: at * STEP_S,
                to_s: (at + 1) * STEP_S,
            })
            .collect();
        for (second, number) in load.seconds.iter_mut().zip(0..) {
            let (_, rate) = steps[usize::min(number / STEP_S as usize, 2)];
            second.samples = count(rate);
        }
        load.window_s = (2 * STEP_S, 3 * STEP_S);
        self
    }

    /// A process that uses so many CPUs in each of the three loads.
    pub fn process_in_steps(self, name: &str, used: [f64; 3], limit: f64) -> Self {
        let process = thing(EntityKind::Process, name);
        let sum = move |second: f64| {
            let whole = count(second);
            (0..whole)
                .map(|at| used[usize::min(at as usize / STEP_S as usize, 2)])
                .sum::<f64>()
        };
        self.process(name, 0.0, limit)
            .without(&process, "process.cpu.time")
            .track(
                &process,
                "process.cpu.time",
                &[("cpu.mode", "user")],
                SeriesKind::Counter,
                sum,
            )
    }

    /// Without a series again.
    fn without(mut self, of: &Arc<Entity>, name: &str) -> Self {
        let series = &mut self.evidence.series;
        series.retain(|series| series.key.entity != *of || series.key.name != name);
        self
    }

    /// So many requests failed in each of those seconds.
    pub fn fails_in(mut self, seconds: &[u32], failed: u64) -> Self {
        let all = self.evidence.load.seconds.iter_mut();
        for second in all.filter(|second| seconds.contains(&second.second)) {
            second.errors = failed;
        }
        self
    }

    /// The hops of the chain, each loaded alone.
    pub fn hops(mut self, times: plimsoll_stats::HopTimes) -> Self {
        self.evidence.load.hops = Some(times);
        self
    }

    /// One load thread of the generator can do so many requests a second.
    pub fn ceiling(mut self, per_core_per_s: f64) -> Self {
        self.evidence.load.threads = 1;
        self.evidence.load.ceiling = Some(plimsoll_stats::Ceiling {
            per_core_per_s,
            measured_at: "2026-01-01T00:00:00Z".to_owned(),
            machine: plimsoll_stats::ceiling::Machine {
                cpus: 2.0,
                ..Default::default()
            },
            ..Default::default()
        });
        self
    }

    /// The stretch that is judged begins there.
    pub fn judged_from(mut self, second: u32) -> Self {
        self.evidence.load.window_s.0 = second;
        self
    }

    /// Throughput goes from what it is at the beginning to that share of it at the end.
    pub fn falls_to(mut self, share: f64) -> Self {
        for second in &mut self.evidence.load.seconds {
            let done = f64::from(second.second) / f64::from(SECONDS - 1);
            #[expect(clippy::cast_precision_loss, reason = "a test's numbers")]
            let samples = second.samples as f64 * (1.0 - done * (1.0 - share));
            second.samples = count(samples);
        }
        self
    }

    /// The response as the client saw its parts: bytes a response.
    pub fn received(mut self, bytes_per_response: u64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        total.received_bytes = total.samples * bytes_per_response;
        self
    }

    /// A level that stays.
    pub fn gauge(self, of: &Arc<Entity>, name: &str, with: &[(&str, &str)], value: f64) -> Self {
        self.track(of, name, with, SeriesKind::Gauge, |_| value)
    }

    /// A level that goes evenly from one value to the other.
    pub fn level(
        self,
        of: &Arc<Entity>,
        name: &str,
        with: &[(&str, &str)],
        (from, to): (f64, f64),
    ) -> Self {
        let step = (to - from) / f64::from(SECONDS);
        self.track(of, name, with, SeriesKind::Gauge, move |second| {
            from + step * second
        })
    }

    /// A sum that grows by so much each second.
    pub fn counter(self, of: &Arc<Entity>, name: &str, with: &[(&str, &str)], rate: f64) -> Self {
        self.track(of, name, with, SeriesKind::Counter, |second| rate * second)
    }

    /// A value for each second from the start on; where it is not a number nothing was seen.
    pub fn track(
        mut self,
        of: &Arc<Entity>,
        name: &str,
        with: &[(&str, &str)],
        kind: SeriesKind,
        value: impl Fn(f64) -> f64,
    ) -> Self {
        let looks: Vec<(i64, f64)> = (0..=SECONDS)
            .map(|second| (i64::from(second) * 1_000, value(f64::from(second))))
            .filter(|(_, value)| !value.is_nan())
            .collect();
        self.push(of, (name, kind), with, &looks);
        self
    }

    /// A counter as it was at those moments, in ms.
    pub fn looked_at(
        mut self,
        of: &Arc<Entity>,
        name: &str,
        with: &[(&str, &str)],
        looks: &[(i64, f64)],
    ) -> Self {
        self.push(of, (name, SeriesKind::Counter), with, looks);
        self
    }

    /// The judged stretch is so long, with as many requests a second.
    pub fn lasts(mut self, seconds: u32) -> Self {
        let load = &mut self.evidence.load;
        load.window_s = (0, seconds);
        let total = load.total.as_mut().expect("load() made it");
        total.samples = count(total.throughput_per_s * f64::from(seconds));
        self
    }

    fn push(
        &mut self,
        of: &Arc<Entity>,
        (name, kind): (&str, SeriesKind),
        with: &[(&str, &str)],
        looks: &[(i64, f64)],
    ) {
        let mut attributes: Vec<_> = with
            .iter()
            .map(|(name, value)| ((*name).to_owned().into(), (*value).to_owned()))
            .collect();
        attributes.sort();
        self.evidence.series.push(Series {
            key: SeriesKey {
                entity: Arc::clone(of),
                name: name.to_owned().into(),
                attributes,
                unit: "1".into(),
                kind,
            },
            at_ms: looks.iter().map(|(at_ms, _)| *at_ms).collect(),
            values: looks.iter().map(|(_, value)| *value).collect(),
            breaks: Vec::new(),
        });
    }

    /// A process with so many CPUs in use, of those it may use, on a host of 8.
    pub fn process(self, name: &str, used: f64, limit: f64) -> Self {
        let process = thing(EntityKind::Process, name);
        let host = thing(EntityKind::Host, "");
        self.gauge(&host, "system.cpu.logical.count", &[], 8.0)
            .counter(&process, "process.cpu.time", &[("cpu.mode", "user")], used)
            .gauge(&process, "cgroup.cpu.limit", &[], limit)
    }

    /// So many users.
    pub fn users(mut self, users: u64) -> Self {
        let seconds = self.evidence.load.seconds.iter_mut();
        seconds.for_each(|second| second.users = users);
        self
    }

    /// So many requests without a response at the end of each second.
    pub fn outstanding(mut self, requests: u64) -> Self {
        let seconds = self.evidence.load.seconds.iter_mut();
        seconds.for_each(|second| second.in_flight = requests);
        self
    }

    /// A load of that address.
    pub fn at(mut self, target: &str) -> Self {
        target.clone_into(&mut self.evidence.load.target);
        self
    }

    /// What is known of a thing.
    pub fn fact(mut self, of: &Arc<Entity>, name: &str, value: &str) -> Self {
        self.evidence.facts.push(Fact {
            entity: Arc::clone(of),
            name: name.to_owned(),
            value: value.to_owned(),
        });
        self
    }

    /// A text that was captured under load, or at that moment.
    pub fn capture(mut self, of: &Entity, kind: &str, moment: &str, text: &str) -> Self {
        let number = i64::try_from(self.evidence.captures.len()).expect("a few captures") + 1;
        self.evidence.captures.push(CapturedText {
            number,
            kind: kind.to_owned(),
            moment: moment.to_owned(),
            at_ms: if moment == "end" {
                20_500
            } else {
                number * 1_000
            },
            entity: of.clone(),
            text: text.to_owned(),
        });
        self
    }

    /// Thread dumps of the JVM `java[8080]` in which so many threads each are in those calls,
    /// innermost first; all serve requests.
    pub fn threads(mut self, groups: &[(usize, &[&str])]) -> Self {
        let jvm = thing(EntityKind::Jvm, "java[8080]");
        self = self.gauge(&jvm, "jvm.thread.count", &[], 30.0);
        for _ in 0..3 {
            self = self.capture(&jvm, "thread_dump", "steady", &dump(groups));
        }
        self
    }

    /// What the rule that gives this id finds of it, if anything.
    pub fn find(&self, id: &str) -> Option<Finding> {
        self.all().into_iter().find(|finding| finding.id == id)
    }

    /// The whole diagnosis.
    pub fn diagnose(&self) -> crate::Diagnosis {
        crate::diagnose(&self.evidence)
    }

    /// What all rules find, in order.
    pub fn all(&self) -> Vec<Finding> {
        let found = crate::findings::of(&self.scene());
        found.iter().for_each(wording::check);
        found
    }

    /// Half of the requests take at most so long, and five of a hundred so long or longer.
    pub fn spread(mut self, p50: f64, p95: f64) -> Self {
        let total = self.evidence.load.total.as_mut().expect("load() made it");
        (total.response_time_ms.p50, total.response_time_ms.p95) = (p50, p95);
        self
    }

    /// Requests of a kind, with their share and how long each takes.
    pub fn label(mut self, name: &str, share: f64, ms: f64) -> Self {
        let mut label = self.evidence.load.total.clone().expect("load() made it");
        let times = Times {
            mean: ms,
            p50: ms,
            ..Times::default()
        };
        #[expect(clippy::cast_precision_loss, reason = "a test's numbers")]
        let samples = label.samples as f64 * share;
        (label.samples, label.response_time_ms) = (count(samples), times);
        name.clone_into(&mut label.label);
        self.evidence.load.labels.push(label);
        self
    }

    /// The quickest response of each second took so long.
    pub fn fastest(mut self, ms: f64) -> Self {
        let seconds = self.evidence.load.seconds.iter_mut();
        seconds.for_each(|second| second.fastest_ms = ms);
        self
    }

    /// Responses of each second, and how long the quickest of the first second took, ms.
    pub fn completes(mut self, counts: &[u64], first_ms: f64) -> Self {
        let seconds = &mut self.evidence.load.seconds;
        for (second, count) in seconds.iter_mut().zip(counts) {
            second.samples = *count;
        }
        seconds[0].fastest_ms = first_ms;
        self
    }

    /// The generator had no CPU left.
    pub fn generator_busy(self) -> Self {
        self.generator_limited(ReasonKind::Cpu)
    }

    /// A figure is the generator's by half, as it noticed responses late.
    pub fn generator_touches(mut self, figure: &str) -> Self {
        self.evidence.load.generator.touched.push(Touched {
            figure: figure.to_owned(),
            measured_ms: 4.0,
            corrected_ms: 2.0,
        });
        self.generator_limited(ReasonKind::ReceiveLag)
    }

    fn generator_limited(mut self, kind: ReasonKind) -> Self {
        let reason = GeneratorReason {
            kind,
            seconds: 20,
            seconds_share: 1.0,
            worst: 1.0,
            limit: 0.9,
            competitor: None,
        };
        self.evidence.load.generator.limited = true;
        self.evidence.load.generator.reasons.push(reason);
        self
    }

    /// Without the series of a process again.
    pub fn without_process(self, name: &str) -> Self {
        let process = thing(EntityKind::Process, name);
        self.without(&process, "process.cpu.time")
            .without(&process, "cgroup.cpu.limit")
    }

    /// What rules look at.
    pub fn scene(&self) -> Scene<'_> {
        Scene::new(&self.evidence).expect("load() made a total")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test's numbers"
)]
fn count(value: f64) -> u64 {
    value as u64
}

fn dump(groups: &[(usize, &[&str])]) -> String {
    let mut text = String::from("Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n");
    let mut number = 0;
    for (threads, calls) in groups {
        for _ in 0..*threads {
            number += 1;
            text += &format!(
                "\"http-nio-8080-exec-{number}\" #{number} daemon prio=5 os_prio=0 cpu=1.00ms \
                 elapsed=9.00s tid=0x{number:016x} nid=0x{number:x} runnable  \
                 [0x{number:016x}]\n   java.lang.Thread.State: RUNNABLE\n"
            );
            for call in *calls {
                text += &format!("\tat {call}(Source.java:1)\n");
            }
            text += "\tat org.apache.catalina.core.StandardWrapperValve.invoke(S.java:1)\n\n";
        }
    }
    text
}

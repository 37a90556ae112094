//! Synthetic runs, from a seed.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use plimsoll_stats::{
    Code, ErrorKind, GeneratorSecond, LabelId, LabelInterval, LabelKind, Sample, ThreadSecond,
};
use plimsoll_store::{LabelDef, RunMeta};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly in 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Log-normal latency in ns around `median_ms`.
    pub fn latency_ns(&mut self, median_ms: f64, sigma: f64) -> u64 {
        let normal =
            (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        (median_ms * 1e6 * (sigma * normal).exp()) as u64
    }
}

pub fn meta(plan_name: &str) -> RunMeta {
    RunMeta {
        name: plan_name.to_owned(),
        plan_name: plan_name.to_owned(),
        plan_source: "target: http://127.0.0.1:8080\n".to_owned(),
        command_line: vec!["plimsoll".to_owned(), "run".to_owned()],
        started_at_unix_ns: 1_772_593_445_678_000_000,
        seed: 7,
        warm_up_s: 1,
        goals: vec!["p95 < 300 ms".to_owned()],
        ..RunMeta::default()
    }
}

pub fn label(id: u32, name: &str) -> LabelDef {
    LabelDef {
        id: LabelId(id),
        name: name.to_owned(),
        kind: LabelKind::Request,
        parent: None,
    }
}

/// What a label did in one second: `n` samples, 1 in 50 failed; response times differ from
/// service times by the lateness.
pub fn interval(random: &mut Random, label: LabelId, n: u64, late: bool) -> LabelInterval {
    let mut interval = LabelInterval::default();
    let median_ms = 5.0 + f64::from(label.0 % 17) * 4.0;
    for i in 0..n {
        let service_ns = random.latency_ns(median_ms, 0.6);
        let late_ns = if late { random.next() % 400_000 } else { 0 };
        let failed = random.next().is_multiple_of(50);
        interval.record(&Sample {
            label,
            kind: LabelKind::Request,
            parent: None,
            user: 1,
            iteration: i,
            code: Code::Http(if failed { 503 } else { 200 }),
            message: "",
            error: failed.then_some(ErrorKind::CheckFailed),
            sent_bytes: 180,
            received_bytes: 900 + random.next() % 200,
            intended_ns: 1_000_000_000,
            ready_ns: 0,
            start_ns: 1_000_000_000 + late_ns,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: 1_000_000_000 + late_ns + service_ns * 9 / 10,
            end_ns: 1_000_000_000 + late_ns + service_ns,
            lag_ns: 0,
        });
    }
    interval
}

pub fn generator(second: u32) -> GeneratorSecond {
    GeneratorSecond {
        second: u64::from(second),
        threads: vec![
            ThreadSecond {
                cpu_share: 0.31,
                runqueue_wait_share: 0.004,
            };
            2
        ],
        send_lateness_p99_ns: 310_221,
        users_active: 200,
        in_flight: 180 + u64::from(second % 20),
        fds_used: 230,
        fds_limit: 1_048_576,
        rss_bytes: 31_232_000 + u64::from(second) * 4_096,
        ..GeneratorSecond::default()
    }
}

//! Synthetic runs, from a seed: a shop with a login, a cart and a slow search.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::path::Path;

use plimsoll_stats::curve::LoadProfile;
use plimsoll_stats::summary::ms;
use plimsoll_stats::{
    Code, ErrorKind, GeneratorReason, GeneratorSecond, KeptSample, LabelId, LabelInterval,
    LabelKind, ReasonKind, Sample, Summary, ThreadSecond, Times, Verdict,
};
use plimsoll_store::{Environment, LabelDef, Run, RunMeta, RunWriter, ScenarioMeta};

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

    /// Log-normal latency in ns.
    pub fn latency_ns(&mut self, median_ms: f64, sigma: f64) -> u64 {
        let normal =
            (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        (median_ms * 1e6 * (sigma * normal).exp()) as u64
    }
}

/// What a synthetic run is like.
pub struct Shape {
    pub seconds: u32,
    /// Something happens every so many seconds.
    pub every_s: usize,
    pub warm_up_s: u32,
    pub labels: Vec<LabelDef>,
    pub plan_name: String,
    /// Requests of all labels in a second.
    pub rate_per_s: u64,
    pub limited: bool,
    pub goals: Vec<String>,
    pub started_at_unix_ns: u64,
    /// The load over time.
    pub profile: Option<LoadProfile>,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            seconds: 30,
            every_s: 1,
            warm_up_s: 4,
            labels: shop(),
            plan_name: "Shop: browse and buy".into(),
            rate_per_s: 400,
            limited: false,
            goals: vec![
                "p95 < 300 ms".into(),
                "errors < 5 %".into(),
                "POST /login:p99 < 90 ms".into(),
            ],
            started_at_unix_ns: 1_772_593_445_678_000_000,
            profile: None,
        }
    }
}

pub fn label(id: u32, name: &str, kind: LabelKind, parent: Option<u32>) -> LabelDef {
    LabelDef {
        id: LabelId(id),
        name: name.to_owned(),
        kind,
        parent: parent.map(LabelId),
    }
}

pub fn shop() -> Vec<LabelDef> {
    use LabelKind::{Request, SubRequest, Transaction};
    vec![
        label(0, "GET /", Request, None),
        label(1, "POST /login", Request, None),
        label(2, "搜索商品 GET /search?q={keyword}", Request, None),
        label(3, "POST /cart", Request, None),
        label(
            4,
            "</script><img src=x onerror=alert(1)> & \"co\" | `x`",
            Request,
            None,
        ),
        label(5, "Checkout", Transaction, None),
        label(6, "GET /style.css", SubRequest, Some(0)),
    ]
}

/// What a label did in one second.
pub fn interval(
    random: &mut Random,
    label: &LabelDef,
    second: u32,
    n: u64,
    late: bool,
) -> LabelInterval {
    let mut interval = LabelInterval::default();
    let wave = 1.0 + 0.3 * (f64::from(second) / 9.0).sin();
    let median_ms = (8.0 + f64::from(label.id.0 % 5) * 22.0) * wave;
    for i in 0..n {
        let start_ns = u64::from(second) * 1_000_000_000 + i * 1_000;
        let service_ns = random.latency_ns(median_ms, 0.45);
        let late_ns = if late { random.next() % 9_000_000 } else { 0 };
        let connect_ns = if i % 10 == 0 { 400_000 } else { 0 };
        let roll = random.next() % 400;
        let (error, code) = match roll {
            0 => (Some(ErrorKind::ReadTimeout), Code::None),
            1 | 2 => (Some(ErrorKind::CheckFailed), Code::Http(503)),
            3 => (Some(ErrorKind::ConnectionReset), Code::None),
            _ => (None, Code::Http(200)),
        };
        interval.record(&Sample {
            label: label.id,
            kind: label.kind,
            parent: label.parent,
            user: 1,
            iteration: i,
            code,
            message: "",
            error,
            sent_bytes: 180,
            received_bytes: 2_400,
            intended_ns: start_ns,
            ready_ns: 0,
            start_ns: start_ns + late_ns,
            dns_ns: 0,
            connect_ns,
            tls_ns: connect_ns * 2,
            first_byte_ns: start_ns + late_ns + connect_ns * 3 + service_ns * 9 / 10,
            end_ns: start_ns + late_ns + connect_ns * 3 + service_ns,
            lag_ns: 0,
        });
        if let Some(kind) = error {
            let kept = KeptSample {
                at_ms: u64::from(second) * 1_000 + service_ns / 1_000_000,
                detail: "HTTP 503".into(),
                request: "GET / HTTP/1.1\nHost: x".into(),
                response: "HTTP/1.1 503 Busy\n\n</pre><img src=x onerror=alert(1)>\u{1b}[2J".into(),
            };
            interval.failures.keep((kind, code, Some("")), kept);
        }
    }
    interval
}

/// A response that a check refused.
pub fn failed(message: &str) -> Sample<'_> {
    Sample {
        label: LabelId(0),
        kind: LabelKind::Request,
        parent: None,
        user: 1,
        iteration: 0,
        code: Code::Http(200),
        message,
        error: Some(ErrorKind::CheckFailed),
        sent_bytes: 1,
        received_bytes: 1,
        intended_ns: 0,
        ready_ns: 0,
        start_ns: 0,
        dns_ns: 0,
        connect_ns: 0,
        tls_ns: 0,
        first_byte_ns: 1,
        end_ns: 1_000,
        lag_ns: 0,
    }
}

fn meta(shape: &Shape) -> RunMeta {
    RunMeta {
        name: "shop".into(),
        plan_name: shape.plan_name.clone(),
        plan_source:
            "name: Shop\ntarget: http://127.0.0.1:8080\n# </script> & co\nsteps:\n  - get: /\n"
                .into(),
        command_line: ["plimsoll", "run", "shop.yaml", "--users", "200"]
            .map(String::from)
            .to_vec(),
        plimsoll_version: "0.1.0".into(),
        started_at_unix_ns: shape.started_at_unix_ns,
        seed: 42,
        warm_up_s: shape.warm_up_s,
        environment: Environment {
            host_name: "loadgen-1".into(),
            os: "Debian GNU/Linux 12".into(),
            kernel: "6.1.0".into(),
            cpu_model: "Example CPU 3.0 GHz".into(),
            cpus: 4,
            allowed_cpus: 1.5,
            memory_bytes: 8_000_000_000,
        },
        other_origins: Vec::new(),
        target: "http://127.0.0.1:8080".into(),
        goals: shape.goals.clone(),
        scenarios: vec![ScenarioMeta {
            name: "shoppers".into(),
            load: "closed, 200 users, ramp-up 10 s, hold 60 s".into(),
        }],
        load_profile: shape.profile.clone(),
        load_changes: Vec::new(),
        probe_from_s: None,
        step_of: None,
        ceilings: Vec::new(),
    }
}

fn generator(shape: &Shape, random: &mut Random, second: u32) -> GeneratorSecond {
    let busy = if shape.limited { 0.95 } else { 0.35 };
    let ramp = (f64::from(second + 1) / 8.0).min(1.0);
    GeneratorSecond {
        second: u64::from(second),
        threads: vec![
            ThreadSecond {
                cpu_share: busy * (0.9 + 0.1 * random.unit()),
                runqueue_wait_share: 0.03 * random.unit()
            };
            2
        ],
        send_lateness_p99_ns: 300_000 + random.next() % 200_000,
        users_active: (200.0 * ramp) as u64,
        in_flight: (170.0 * ramp) as u64 + random.next() % 30,
        ..GeneratorSecond::default()
    }
}

/// Writes a run without its end, as a killed process leaves it.
pub fn cut_short(root: &Path, shape: &Shape) -> RunWriter {
    let mut random = Random(2026);
    let mut writer = RunWriter::create(root, &meta(shape)).unwrap();
    for label in &shape.labels {
        writer.add_label(label).unwrap();
    }
    let share = shape.rate_per_s / shape.labels.len() as u64;
    for second in (0..shape.seconds).step_by(shape.every_s) {
        let late = second % 10 > 6;
        let mut intervals: Vec<_> = shape
            .labels
            .iter()
            .map(|label| {
                interval(
                    &mut random,
                    label,
                    second,
                    share + random_extra(label),
                    late,
                )
            })
            .collect();
        if second == shape.seconds - 1 {
            intervals[0].cut_off = 7;
            intervals[0].resent = 5;
            intervals[0].dropped_iterations = 1_234;
        }
        let rows: Vec<_> = shape.labels.iter().map(|l| l.id).zip(&intervals).collect();
        let generator = generator(shape, &mut random, second);
        writer.write_second(second, &rows, &generator).unwrap();
    }
    writer
        .event(2_500_000_000, "step", &serde_json::json!({"users": 200}))
        .unwrap();
    writer
}

fn random_extra(label: &LabelDef) -> u64 {
    u64::from(label.id.0 % 3) * 7
}

/// A finished run, its summary as the engine would write it.
pub fn finished(root: &Path, shape: &Shape) -> Run {
    let mut writer = cut_short(root, shape);
    let summary = end(&Run::open(writer.dir()).unwrap(), shape);
    writer.finish(&summary).unwrap();
    writer.into_run().unwrap()
}

fn end(run: &Run, shape: &Shape) -> Summary {
    let mut summary = run.rebuild_summary().unwrap();
    summary.generator.send_lateness_ms = Times {
        p50: 0.021,
        p99: ms(410_000.0),
        max: 1.25,
        ..Times::default()
    };
    summary.generator.receive_lag_ms = Some(Times {
        p50: 0.008,
        p99: 0.09,
        max: 0.7,
        ..Times::default()
    });
    let missed = summary.goals.iter().any(|goal| !goal.met);
    (summary.verdict, summary.exit_code) = match (shape.limited, missed) {
        (true, _) => (Verdict::Limited, 4),
        (false, true) => (Verdict::Failed, 1),
        (false, false) if summary.goals.is_empty() => (Verdict::NotJudged, 0),
        (false, false) => (Verdict::Passed, 0),
    };
    if shape.limited {
        summary.generator.limited = true;
        summary.generator.reasons.push(ReasonKind::Starved);
        summary.generator.reason_details.push(GeneratorReason {
            kind: ReasonKind::Starved,
            seconds: 9,
            seconds_share: 0.35,
            worst: 0.42,
            limit: 0.1,
            competitor: Some("java <1234>".into()),
        });
    }
    summary
}

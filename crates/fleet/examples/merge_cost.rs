//! What merging and keeping the reports of many workers costs: `WORKERS LABELS SECONDS` (1,000, 50
//! and 10 by default). Prints CPU seconds for each second of the run, and resident memory.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Duration;

use plimsoll_fleet::merge::{Merger, Taken};
use plimsoll_fleet::wire::{Report, ReportSecond};
use plimsoll_stats::{
    Code, GeneratorSecond, Histogram, IntervalSet, LabelId, LabelInfo, LabelKind, Sample,
    ThreadSecond,
};

/// Samples of each label in a second of a worker.
const SAMPLES: u64 = 20;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse().unwrap());
    let workers: u32 = args.next().unwrap_or(1_000);
    let labels: u32 = args.next().unwrap_or(50);
    let seconds = u64::from(args.next().unwrap_or(10));
    let mut merger = Merger::default();
    for worker in 0..workers {
        merger.begin(worker, &format!("worker-{worker}"), 0, 0);
    }
    let dir = tempfile::tempdir().unwrap();
    let mut kept = std::fs::File::create(dir.path().join("kept")).unwrap();
    let (mut used, mut bytes, mut stored) = (Duration::ZERO, 0, 0);
    for second in 0..seconds {
        let reports: Vec<Vec<u8>> = (0..workers)
            .map(|worker| report(second, worker, labels))
            .collect();
        bytes += reports.iter().map(Vec::len).sum::<usize>();
        let begin = cpu();
        for (worker, report) in (0..).zip(&reports) {
            let Report::Second(report) = Report::decode(report).unwrap() else {
                unreachable!("only seconds are made here");
            };
            let taken = merger.second(worker, second + 1, 0, &report);
            assert!(matches!(taken, Taken::Kept { .. }));
        }
        let merged = merger.take_next().unwrap();
        stored += store(&merged, &mut kept);
        used += cpu() - begin;
    }
    #[expect(clippy::cast_precision_loss)]
    let per_second = used.as_secs_f64() / seconds as f64;
    println!(
        "{workers} workers, {labels} labels: {per_second:.3} CPU s a second, {} kB in, {} kB kept \
         a second, {} MB resident at most",
        bytes as u64 / seconds / 1000,
        stored / seconds / 1000,
        peak_mb()
    );
}

/// Encodes and writes a merged second, as the store does before it packs it.
fn store(merged: &plimsoll_fleet::merge::Merged, to: &mut std::fs::File) -> u64 {
    use std::io::Write as _;
    let mut out = Vec::new();
    for (_, interval) in merged.labels.iter() {
        interval.encode(&mut out);
    }
    out.extend(serde_json::to_vec(&merged.generator).unwrap());
    to.write_all(&out).unwrap();
    out.len() as u64
}

fn report(second: u64, worker: u32, labels: u32) -> Vec<u8> {
    let mut set = IntervalSet::default();
    let mut lateness = Histogram::new();
    for label in 0..labels {
        for n in 0..SAMPLES {
            let spread = u64::from(worker % 17) * 90_000 + u64::from(label) * 40_000;
            let service_ns = 800_000 + spread + (n * n * 130_000) % 9_000_000;
            set.record(&sample(label, service_ns));
            lateness.record(20_000 + n * 900);
        }
    }
    let names = (0..labels).filter(|_| second == 0).map(|id| LabelInfo {
        id: LabelId(id),
        name: format!("request {id}"),
        kind: LabelKind::Request,
        parent: None,
    });
    let thread = ThreadSecond {
        cpu_share: 0.31,
        runqueue_wait_share: 0.01,
    };
    let mut report = ReportSecond {
        second,
        labels: names.collect(),
        generator: GeneratorSecond {
            second,
            threads: vec![thread; 8],
            ..GeneratorSecond::default()
        },
        ..ReportSecond::default()
    };
    report.measured(&set, &lateness, &Histogram::new());
    Report::Second(Box::new(report)).encode().unwrap()
}

fn sample(label: u32, service_ns: u64) -> Sample<'static> {
    Sample {
        label: LabelId(label),
        kind: LabelKind::Request,
        parent: None,
        user: 0,
        iteration: 0,
        code: Code::Http(200),
        message: "",
        error: None,
        sent_bytes: 100,
        received_bytes: 2_000,
        intended_ns: 0,
        start_ns: 0,
        dns_ns: 0,
        connect_ns: 0,
        tls_ns: 0,
        first_byte_ns: service_ns - 1_000,
        end_ns: service_ns,
    }
}

/// CPU of this process so far, by the scheduler's own account.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

fn peak_mb() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM"));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kb.unwrap_or(0) / 1024
}

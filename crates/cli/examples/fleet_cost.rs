//! What merging and keeping the reports of many workers costs: `WORKERS LABELS SECONDS SAMPLES`
//! (1,000, 50, 20 and 20 by default; samples are those of a label in a second of a worker). Decodes,
//! merges, and writes with the store that runs are kept in, without a network. Prints a line of JSON:
//! CPU seconds for each second of the run, bytes, and resident memory in MB of 1,000 kB.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Duration;

use plimsoll_fleet::merge::{Merged, Merger, ReportTaken};
use plimsoll_fleet::wire::{Report, ReportSecond};
use plimsoll_stats::{
    Code, GeneratorSecond, Histogram, IntervalSet, LabelId, LabelInfo, LabelKind, Sample,
    ThreadSecond,
};
use plimsoll_store::{Contains, RunMeta, RunWriter};

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse().unwrap());
    let workers: u32 = args.next().unwrap_or(1_000);
    let labels: u32 = args.next().unwrap_or(50);
    let seconds = u64::from(args.next().unwrap_or(20));
    let samples = u64::from(args.next().unwrap_or(20));
    let mut merger = Merger::default();
    for worker in 0..workers {
        merger.begin(worker, &format!("worker-{worker}"), 0, 0);
    }
    let dir = tempfile::tempdir().unwrap();
    let mut store = RunWriter::create(dir.path(), &RunMeta::default())
        .and_then(RunWriter::over_workers)
        .unwrap();
    let (mut used, mut bytes) = (Duration::ZERO, 0);
    let at_rest_mb = memory_mb("VmRSS");
    for second in 0..seconds {
        let reports: Vec<Vec<u8>> = (0..workers)
            .map(|worker| report(second, worker, labels, samples))
            .collect();
        bytes += reports.iter().map(Vec::len).sum::<usize>();
        let begin = cpu();
        for (worker, report) in (0..).zip(&reports) {
            let Report::Second(report) = Report::decode(report).unwrap() else {
                unreachable!("only seconds are made here");
            };
            let taken = merger.second(worker, second + 1, 0, &report);
            assert!(matches!(taken, ReportTaken::Kept { .. }));
        }
        keep(&mut store, &merger.take_next().unwrap());
        used += cpu() - begin;
    }
    let stored: u64 = store
        .dir()
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    #[expect(clippy::cast_precision_loss)]
    let cpu_share = used.as_secs_f64() / seconds as f64;
    let line = serde_json::json!({
        "workers": workers,
        "labels": labels,
        "samples": samples,
        "seconds": seconds,
        "cpu_share": cpu_share,
        "in_bytes_per_s": bytes as u64 / seconds,
        "kept_bytes_per_s": stored / seconds,
        "at_rest_mb": at_rest_mb,
        "peak_mb": memory_mb("VmHWM"),
    });
    println!("{line}");
}

/// As a session does it: a second and the reports that it is made of in one transaction.
fn keep(store: &mut RunWriter, merged: &Merged) {
    let labels: Vec<_> = merged.labels.iter().collect();
    let contains = Contains {
        reports: &merged.contains,
        notes: &[],
    };
    let second = u32::try_from(merged.second).unwrap();
    store
        .write_part(
            second,
            merged.after_load,
            &labels,
            &merged.generator,
            &contains,
        )
        .unwrap();
}

fn report(second: u64, worker: u32, labels: u32, samples: u64) -> Vec<u8> {
    let mut set = IntervalSet::default();
    let mut lateness = Histogram::new();
    for label in 0..labels {
        for n in 0..samples {
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
        ready_ns: 0,
        start_ns: 0,
        dns_ns: 0,
        connect_ns: 0,
        tls_ns: 0,
        first_byte_ns: service_ns - 1_000,
        end_ns: service_ns,
        lag_ns: 0,
    }
}

/// CPU of this process so far, by the scheduler's own account.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

/// A line of /proc/self/status that is in kB of 1,024 bytes.
fn memory_mb(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kb.unwrap_or(0) * 1024 / 1_000_000
}

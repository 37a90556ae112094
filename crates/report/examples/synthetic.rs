//! Writes the reports of synthetic runs and a sample log into a directory, to look at:
//! `cargo run -p plimsoll-report --example synthetic -- DIR [SECONDS] [LABELS]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use common::{Random, Shape, finished, label, shop};
use plimsoll_report::jtl::{JtlContext, JtlWriter};
use plimsoll_report::{ReportOptions, exporters};
use plimsoll_stats::{Code, ErrorKind, LabelKind, Sample};
use plimsoll_text::Lang;

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().expect("a directory"));
    let seconds = args.next().map_or(90, |n| n.parse().expect("seconds"));
    let labels: u32 = args.next().map_or(0, |n| n.parse().expect("labels"));
    std::fs::create_dir_all(&dir).unwrap();
    write_jtl(&dir);
    for limited in [false, true] {
        let mut shape = Shape {
            seconds,
            warm_up_s: seconds / 8,
            limited,
            ..Shape::default()
        };
        for id in 0..labels {
            let name = format!("GET /endpoint/{id}");
            shape.labels.push(label(
                shop().len() as u32 + id,
                &name,
                LabelKind::Request,
                None,
            ));
        }
        let run = finished(&dir.join("runs"), &shape);
        for lang in Lang::ALL {
            for exporter in exporters() {
                let name = format!("limited-{limited}-{}.{}", lang.code(), exporter.extension());
                let mut out = BufWriter::new(File::create(dir.join(name)).unwrap());
                exporter
                    .export(&run, &ReportOptions { lang }, &mut out)
                    .unwrap();
            }
        }
    }
}

/// 2,000 samples over 40 s, with awkward labels, failures and a transaction.
fn write_jtl(dir: &Path) {
    let file = BufWriter::new(File::create(dir.join("samples.jtl")).unwrap());
    let mut jtl = JtlWriter::new(file, 1_772_593_445_678_000_000).unwrap();
    let mut random = Random(7);
    for n in 0..2_000_u64 {
        let label = &shop()[(n % 6) as usize];
        let start_ns = n * 20_000_000;
        let service_ns = random.latency_ns(30.0, 0.5);
        let error = match n % 50 {
            7 => Some(ErrorKind::CheckFailed),
            31 => Some(ErrorKind::ALL[(n / 50) as usize % ErrorKind::ALL.len()]),
            _ => None,
        };
        let sample = Sample {
            label: label.id,
            kind: label.kind,
            parent: None,
            user: 1,
            iteration: n,
            code: Code::Http(200),
            message: "OK",
            error,
            sent_bytes: 120,
            received_bytes: 900,
            intended_ns: start_ns,
            ready_ns: 0,
            start_ns,
            dns_ns: 0,
            connect_ns: 2_000_000,
            tls_ns: 0,
            first_byte_ns: start_ns + service_ns / 2,
            end_ns: start_ns + service_ns,
            lag_ns: 0,
        };
        let context = JtlContext {
            label: &label.name,
            thread_name: "shoppers 1-1",
            data_type: "text",
            failure_message: if error.is_some() {
                "expected \"a, b\"\nbut got c"
            } else {
                ""
            },
            group_threads: 20,
            all_threads: 20,
            url: "http://127.0.0.1:8080/",
        };
        jtl.write(&sample, &context).unwrap();
    }
    jtl.finish().unwrap();
}

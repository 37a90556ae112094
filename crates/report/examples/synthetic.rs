//! Writes the reports of synthetic runs into a directory, to look at:
//! `cargo run -p plimsoll-report --example synthetic -- DIR [SECONDS] [LABELS]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use common::{Shape, finished, label, shop};
use plimsoll_report::{Options, exporters};
use plimsoll_stats::LabelKind;
use plimsoll_text::Lang;

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().expect("a directory"));
    let seconds = args.next().map_or(90, |n| n.parse().expect("seconds"));
    let labels: u32 = args.next().map_or(0, |n| n.parse().expect("labels"));
    std::fs::create_dir_all(&dir).unwrap();
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
                exporter.export(&run, &Options { lang }, &mut out).unwrap();
            }
        }
    }
}

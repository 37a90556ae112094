//! The aggregate report in CSV, with the column names of JMeter's. Never localised.

use std::io::Write;

use plimsoll_stats::{LabelKind, LabelSummary};
use plimsoll_store::Run;

use crate::data::summary_of;
use crate::number::kilobytes;
use crate::{Exporter, Options, ReportError};

/// JMeter's columns in its order, then ours.
const HEADS: [&str; 15] = [
    "Label",
    "# Samples",
    "Average",
    "Median",
    "90% Line",
    "95% Line",
    "99% Line",
    "Min",
    "Max",
    "Error %",
    "Throughput",
    "Received KB/sec",
    "Sent KB/sec",
    "99.9% Line",
    "Kind",
];

/// The aggregate report in CSV.
#[derive(Debug, Clone, Copy)]
pub struct Csv;

impl Exporter for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn export(&self, run: &Run, _: &Options, out: &mut dyn Write) -> Result<(), ReportError> {
        let (summary, _) = summary_of(run)?;
        let mut csv = csv::Writer::from_writer(out);
        let write = |csv: &mut csv::Writer<&mut dyn Write>, row: &[String]| {
            csv.write_record(row).map_err(std::io::Error::from)
        };
        write(&mut csv, &HEADS.map(str::to_owned))?;
        let seconds = summary.duration_s;
        for kind in [
            LabelKind::Request,
            LabelKind::Transaction,
            LabelKind::SubRequest,
        ] {
            for label in summary.labels.iter().filter(|label| label.kind == kind) {
                write(&mut csv, &row(&label.label, kind.name(), label, seconds))?;
            }
        }
        write(&mut csv, &row("TOTAL", "total", &summary.total, seconds))?;
        csv.flush()?;
        Ok(())
    }
}

fn row(name: &str, kind: &str, label: &LabelSummary, seconds: f64) -> [String; 15] {
    let times = &label.response_time_ms;
    [
        name.to_owned(),
        label.samples.to_string(),
        times.mean.to_string(),
        times.p50.to_string(),
        times.p90.to_string(),
        times.p95.to_string(),
        times.p99.to_string(),
        times.min.to_string(),
        times.max.to_string(),
        format!("{:.3}%", label.error_share * 100.0),
        format!("{:.5}", label.throughput_per_s),
        format!("{:.2}", kilobytes(label.received_bytes, seconds)),
        format!("{:.2}", kilobytes(label.sent_bytes, seconds)),
        times.p99_9.to_string(),
        kind.to_owned(),
    ]
}

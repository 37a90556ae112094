//! The aggregate report in CSV, with the column names of JMeter's. Never localised.

use std::borrow::Cow;
use std::io::Write;

use plimsoll_stats::{LabelKind, LabelSummary};
use plimsoll_store::Run;

use crate::data::summary_of;
use crate::number::kilobytes;
use crate::{ReportError, ReportOptions};

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
pub(crate) fn export(run: &Run, _: &ReportOptions, out: &mut dyn Write) -> Result<(), ReportError> {
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

/// Text that a spreadsheet shows as it is: what it would take for a formula gets an apostrophe. People open
/// these files in spreadsheets; those that only programs read (JTL) do without.
pub(crate) fn inert(text: &str) -> Cow<'_, str> {
    match text
        .trim_start_matches([' ', '\u{a0}', '\u{3000}'])
        .chars()
        .next()
    {
        Some(
            '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\u{ff1d}' | '\u{ff0b}' | '\u{ff0d}'
            | '\u{ff20}',
        ) => Cow::Owned(format!("'{text}")),
        _ => Cow::Borrowed(text),
    }
}

fn row(name: &str, kind: &str, label: &LabelSummary, seconds: f64) -> [String; 15] {
    let times = &label.response_time_ms;
    [
        inert(name).into_owned(),
        label.samples.to_string(),
        times.mean.to_string(),
        times.p50.to_string(),
        times.p90.to_string(),
        times.p95.to_string(),
        times.p99.to_string(),
        times.min.to_string(),
        times.max.to_string(),
        format!("{:.3}%", label.error_rate * 100.0),
        format!("{:.5}", label.throughput_per_s),
        format!("{:.2}", kilobytes(label.received_bytes, seconds)),
        format!("{:.2}", kilobytes(label.sent_bytes, seconds)),
        times.p99_9.to_string(),
        kind.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_gets_an_apostrophe_or_stays(text in "[=+@\\-\\t\\r\\n＝＋－＠'a-z0-9 ]{0,8}") {
            let begins = text.trim_start_matches(' ').starts_with(|c| "=+-@\t\r\n＝＋－＠".contains(c));
            let apostrophe = if begins { "'" } else { "" };
            prop_assert_eq!(inert(&text), format!("{apostrophe}{text}"));
        }
    }
}

//! The aggregate report: JMeter's columns and p99.9.

use plimsoll_stats::{LabelKind, LabelSummary, Times};

use crate::data::RunData;
use crate::document::{ReportGrid, Say};
use crate::number::{count, figure, kilobytes, percent, rate};

/// The aggregate report of the labels of one kind; requests come with their total.
pub(crate) fn aggregate(data: &RunData<'_>, kind: LabelKind) -> ReportGrid {
    let say = data.say;
    let mut grid = ReportGrid::new(
        say,
        &[
            ("report-column-label", false),
            ("report-column-samples", true),
            ("report-column-average", true),
            ("report-column-median", true),
            ("report-column-p90", true),
            ("report-column-p95", true),
            ("report-column-p99", true),
            ("report-column-p999", true),
            ("report-column-min", true),
            ("report-column-max", true),
            ("report-column-error", true),
            ("report-column-throughput", true),
            ("report-column-received", true),
            ("report-column-sent", true),
        ],
    );
    for label in data.labels(kind) {
        grid.row(row(data, display_name(label), label));
    }
    if kind == LabelKind::Request {
        let total = &data.summary.total;
        grid.total_row(row(data, say.text("report-total"), total));
    }
    grid
}

/// A part of a request is shown with what it is part of.
fn display_name(label: &LabelSummary) -> String {
    match (&label.parent, label.kind) {
        (Some(parent), LabelKind::SubRequest) if *parent != label.label => {
            format!("{parent} › {}", label.label)
        }
        _ => label.label.clone(),
    }
}

fn row(data: &RunData<'_>, name: String, label: &LabelSummary) -> Vec<String> {
    let seconds = data.summary.duration_s;
    let mut cells = vec![name, count(label.samples)];
    cells.extend(times(&label.response_time_ms, label.samples));
    cells.push(percent(label.error_rate));
    cells.push(per_second(data.say, label.throughput_per_s));
    cells.push(figure(kilobytes(label.received_bytes, seconds)));
    cells.push(figure(kilobytes(label.sent_bytes, seconds)));
    cells
}

/// Average, median, 90, 95, 99, 99.9 %, min, max; dashes without samples.
fn times(times: &Times, samples: u64) -> [String; 8] {
    let values = [
        times.mean,
        times.p50,
        times.p90,
        times.p95,
        times.p99,
        times.p99_9,
        times.min,
        times.max,
    ];
    match samples {
        0 => values.map(|_| "–".to_owned()),
        _ => values.map(figure),
    }
}

pub(crate) fn per_second(say: Say, value: f64) -> String {
    format!("{}{}", rate(value), say.text("report-per-second"))
}

/// Service times of the labels where they differ from the response times; empty if all
/// requests started when they were intended to.
pub(crate) fn service_times(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let mut grid = ReportGrid::new(
        say,
        &[
            ("report-column-label", false),
            ("report-column-average", true),
            ("report-column-median", true),
            ("report-column-p90", true),
            ("report-column-p95", true),
            ("report-column-p99", true),
            ("report-column-p999", true),
            ("report-column-min", true),
            ("report-column-max", true),
        ],
    );
    let line = |name: String, label: &LabelSummary| {
        let mut cells = vec![name];
        cells.extend(times(&label.service_time_ms, label.samples));
        cells
    };
    let requests = data.labels(LabelKind::Request);
    for label in requests.filter(|label| visibly_differs(label)) {
        grid.row(line(display_name(label), label));
    }
    let total = &data.summary.total;
    if !grid.is_empty() || visibly_differs(total) {
        grid.total_row(line(say.text("report-total"), total));
    }
    grid
}

/// Whether service and response time differ by more than 1 % and 0.05 ms anywhere; less is
/// the time it takes to begin.
pub(crate) fn visibly_differs(label: &LabelSummary) -> bool {
    let (service, response) = (&label.service_time_ms, &label.response_time_ms);
    let pairs = [
        (service.mean, response.mean),
        (service.p50, response.p50),
        (service.p90, response.p90),
        (service.p95, response.p95),
        (service.p99, response.p99),
        (service.p99_9, response.p99_9),
        (service.max, response.max),
    ];
    pairs
        .iter()
        .any(|(a, b)| (a - b).abs() > 0.05 && (a - b).abs() > 0.01 * b.abs())
}

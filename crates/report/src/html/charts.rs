//! The charts' data as JSON, short.

use plimsoll_stats::heat::{HeatColumn, HeatGrid};
use serde_json::{Value, json};

use crate::data::RunData;
use crate::series::{LabelSeries, RunCharts, Values};
use crate::target::{TargetChart, TargetLine};

/// Everything the script draws.
pub(crate) fn json(data: &RunData<'_>, series: &RunCharts, target: &[TargetChart]) -> Value {
    let say = data.say;
    let text = |id: &str| say.text(id);
    let generator = &series.generator;
    let detailed = series.step_s > 1;
    json!({
        "step_s": series.step_s,
        "end_s": series.time_s.last().map_or(0, |last| last + series.step_s),
        "warm_up_s": data.summary.warm_up_s,
        "time": series.time_s,
        "labels": series.labels.iter().map(|l| label(l, detailed)).collect::<Vec<_>>(),
        "generator": {
            "users": values(&generator.users),
            "in_flight": values(&generator.in_flight),
            "in_flight_max": if detailed { values(&generator.in_flight_max) } else { Value::Null },
            "cpu": values(&generator.cpu),
            "wait": values(&generator.wait),
            "lateness_ms": values(&generator.lateness_ms),
        },
        "heat": heat(series),
        "target": target.iter().map(target_chart).collect::<Vec<_>>(),
        "text": {
            "per_second": text("report-per-second"),
            "warm_up": text("report-axis-warm-up"),
            "throughput": text("report-series-throughput"),
            "errors": text("report-series-errors"),
            "users": text("report-series-users"),
            "in_flight": text("report-series-in-flight"),
            "cpu": text("report-series-cpu"),
            "wait": text("report-series-wait"),
            "lateness": text("report-series-lateness"),
            "response": text("report-series-response"),
            "service": text("report-series-service"),
            "samples": text("report-samples"),
            "transaction": text("report-transactions"),
            "sub_request": text("report-sub-requests"),
        },
    })
}

/// Columns of the heat map at most.
const HEAT_COLUMNS: usize = 120;

/// The total's heat map, in few columns: each as its first row, then its counts up to the last that is not 0.
fn heat(series: &RunCharts) -> Value {
    let points: &[HeatColumn] = series.labels.first().map_or(&[], |total| &total.heat);
    let together = points.len().div_ceil(HEAT_COLUMNS).max(1);
    let columns: Vec<HeatColumn> = points.chunks(together).map(<[_]>::concat).collect();
    let grid = HeatGrid::of(&columns);
    let packed = grid.counts.iter().map(|column| {
        let first = column.iter().position(|count| *count > 0).unwrap_or(0);
        let end = column
            .iter()
            .rposition(|count| *count > 0)
            .map_or(first, |last| last + 1);
        let counts = column[first..end].iter().map(|count| json!(count));
        std::iter::once(json!(first))
            .chain(counts)
            .collect::<Vec<_>>()
    });
    json!({
        "step_s": series.step_s as usize * together,
        "counts": packed.collect::<Vec<_>>(),
        "bounds_ms": grid.bounds_ms.into_iter().map(short).collect::<Vec<_>>(),
    })
}

fn target_chart(chart: &TargetChart) -> Value {
    let line = |line: &TargetLine| json!({"name": line.name, "values": values(&line.values)});
    json!({
        "unit": if chart.unit.is_empty() { String::new() } else { format!(" {}", chart.unit) },
        "lines": chart.lines.iter().map(line).collect::<Vec<_>>(),
    })
}

fn label(label: &LabelSeries, detailed: bool) -> Value {
    let range = |series: &Values| {
        if detailed {
            values(series)
        } else {
            Value::Null
        }
    };
    let point = |(x, response, service): &(f64, f64, f64)| {
        json!([short(*x), short(*response), short(*service)])
    };
    json!({
        "name": label.name,
        "kind": label.kind.name(),
        "rate": values(&label.rate),
        "rate_min": range(&label.rate_min),
        "rate_max": range(&label.rate_max),
        "errors": values(&label.errors),
        "min": values(&label.min),
        "p50": values(&label.p50),
        "p95": values(&label.p95),
        "p99": values(&label.p99),
        "max": values(&label.max),
        "distribution": label.distribution.iter().map(point).collect::<Vec<_>>(),
    })
}

fn values(series: &Values) -> Value {
    let value = |value: &Option<f64>| value.map_or(Value::Null, short);
    Value::Array(series.iter().map(value).collect())
}

/// Four significant digits: more than a chart can show.
fn short(value: f64) -> Value {
    if value == 0.0 || !value.is_finite() {
        return json!(0);
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let rounded = match digits {
        ..=0 => {
            let unit = 10_f64.powi(-digits);
            (value / unit).round() * unit
        }
        _ => {
            let unit = 10_f64.powi(digits);
            (value * unit).round() / unit
        }
    };
    match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        true => json!(rounded as i64),
        false => json!(rounded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_kept() {
        let shown = [
            0.0,
            0.000_123_456,
            1.234_56,
            999.96,
            123_456.0,
            200.0,
            f64::NAN,
        ]
        .map(short);
        let texts = shown.map(|value| value.to_string());
        assert_eq!(
            texts,
            ["0", "0.0001235", "1.235", "1000", "123500", "200", "0"]
        );
    }
}

//! What a run did since its start, for receivers that want sums.

use std::collections::BTreeMap;

use plimsoll_stats::series::SeriesKind;
use plimsoll_stats::{LabelId, LabelInterval};

use crate::output::{LabelPart, LoadInterval, RunPart};

/// A sum over a label's requests.
pub(crate) struct CounterMetric {
    /// Its name, as OpenTelemetry writes names.
    pub(crate) name: &'static str,
    /// Its unit, by UCUM.
    pub(crate) unit: &'static str,
    pub(crate) read: fn(&LabelInterval) -> u64,
}

/// All of them.
pub(crate) const COUNTERS: [CounterMetric; 5] = [
    CounterMetric {
        name: "plimsoll.requests",
        unit: "{request}",
        read: LabelInterval::samples,
    },
    CounterMetric {
        name: "plimsoll.errors",
        unit: "{request}",
        read: LabelInterval::errors,
    },
    CounterMetric {
        name: "plimsoll.sent",
        unit: "By",
        read: |did| did.sent_bytes,
    },
    CounterMetric {
        name: "plimsoll.received",
        unit: "By",
        read: |did| did.received_bytes,
    },
    CounterMetric {
        name: "plimsoll.dropped_iterations",
        unit: "{iteration}",
        read: |did| did.dropped_iterations,
    },
];
/// The response times of a label, in seconds.
pub(crate) const RESPONSE_TIME: &str = "plimsoll.response_time";

/// A state of the load at a moment.
pub(crate) struct GaugeMetric {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) read: fn(&LoadInterval) -> u64,
}

/// All of them.
pub(crate) const GAUGES: [GaugeMetric; 2] = [
    GaugeMetric {
        name: "plimsoll.users_active",
        unit: "{user}",
        read: |interval| interval.users_active,
    },
    GaugeMetric {
        name: "plimsoll.in_flight",
        unit: "{request}",
        read: |interval| interval.in_flight,
    },
];

/// A label in a part of the run.
pub(crate) type LabelKey = (RunPart, LabelId);

/// What each label did since the run's start.
#[derive(Default)]
pub(crate) struct RunTotals(BTreeMap<LabelKey, LabelPart>);

impl RunTotals {
    /// The totals of those labels that an interval has, with it. They are kept by [`keep`](Self::keep)
    /// only once they were sent: what may be taken later is asked for again.
    pub(crate) fn with(&self, interval: &LoadInterval) -> Vec<(LabelKey, LabelPart)> {
        let label = |part: &LabelPart| {
            let key = (interval.part, part.label.id);
            let mut sum = part.clone();
            if let Some(before) = self.0.get(&key) {
                sum.did.merge(&before.did);
            }
            (key, sum)
        };
        interval.labels.iter().map(label).collect()
    }

    pub(crate) fn keep(&mut self, totals: Vec<(LabelKey, LabelPart)>) {
        self.0.extend(totals);
    }
}

/// The name of a metric as Prometheus writes names: with its unit, and `_total` for a sum
/// (<https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/>).
pub(crate) fn prometheus_name(name: &str, unit: &str, kind: SeriesKind) -> String {
    let mut written = prometheus_word(name);
    let suffix = match unit {
        "s" => "seconds",
        "ms" => "milliseconds",
        "By" => "bytes",
        "1" if kind == SeriesKind::Gauge => "ratio",
        _ => "",
    };
    if !suffix.is_empty() && !written.ends_with(suffix) {
        written = format!("{written}_{suffix}");
    }
    if kind == SeriesKind::Counter && !written.ends_with("_total") {
        written.push_str("_total");
    }
    written
}

/// A name of letters, digits and underscores that begins with no digit.
pub(crate) fn prometheus_word(text: &str) -> String {
    let begins_badly = text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty();
    let first = begins_badly.then_some('_');
    let rest = text.chars().map(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => c,
        _ => '_',
    });
    first.into_iter().chain(rest).collect()
}

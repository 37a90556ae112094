//! Prometheus' remote write, which VictoriaMetrics, Mimir, Thanos and others take too.

use std::collections::BTreeSet;

use plimsoll_stats::series::{SeriesKey, SeriesKind};
use plimsoll_stats::{Histogram, LabelInterval};
use plimsoll_text::Message;
use prost::Message as _;

use crate::exponential::ExponentialBuckets;
use crate::http::{Receiver, ReceiverKind};
use crate::metrics::{
    COUNTERS, GAUGES, LabelKey, RESPONSE_TIME, RunTotals, prometheus_name, prometheus_word,
};
use crate::output::{
    LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, RunPart, TargetMoment,
};
use crate::remote_write::{
    BucketSpan, NativeHistogram, PointSample, TimeSeries, WriteLabel, WriteRequest,
};
use crate::spec::OutputSpec;

const KIND: ReceiverKind = ReceiverKind {
    path: "/api/v1/write",
    token: "Bearer",
    headers: &[
        ("Content-Type", "application/x-protobuf"),
        ("Content-Encoding", "snappy"),
        ("X-Prometheus-Remote-Write-Version", "0.1.0"),
    ],
};
/// Upper bounds of the classic histogram's buckets, ms.
const CLASSIC_MS: [u64; 15] = [
    1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
];
/// The value that says that a series has ended, by its bits.
const STALE: u64 = 0x7ff0_0000_0000_0002;
/// What a receiver responds that takes no native histograms.
const NO_NATIVE: &str = "native histograms are disabled";

/// Writes to a receiver.
struct Prometheus {
    receiver: Receiver,
    tags: Vec<(String, String)>,
    run: RunBegin,
    totals: RunTotals,
    /// Native histograms are taken, as far as is known.
    native: bool,
    /// Gauges that were sent, and when the last of them was: they end with the run.
    gauges: BTreeSet<Vec<(String, String)>>,
    last_ms: i64,
}

/// An output to the address where remote write is taken; an address without a path means
/// `/api/v1/write`.
///
/// # Errors
/// See [`Receiver::open`].
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    Ok(Box::new(Prometheus {
        receiver: Receiver::open(spec, &KIND)?,
        tags: spec.tags.clone(),
        run: RunBegin::default(),
        totals: RunTotals::default(),
        native: true,
        gauges: BTreeSet::new(),
        last_ms: 0,
    }))
}

impl Output for Prometheus {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.run = run.clone();
        Ok(())
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        let totals = self.totals.with(interval);
        let mut taken = self.write_interval(interval, &totals);
        if self.native && wants_no_native(&taken) {
            self.native = false;
            taken = self.write_interval(interval, &totals);
        }
        if !matches!(taken, Err(OutputError::Later(_))) {
            // Sums make up for what was refused.
            self.totals.keep(totals);
        }
        taken
    }

    /// It has no place for events.
    fn event(&mut self, _: &RunEvent) -> Result<(), OutputError> {
        Ok(())
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        let at_ms = self.unix_ms(moment.at_unix_ns);
        let series = moment.points.iter().map(|(key, value)| {
            let point = PointSample {
                value: *value,
                timestamp: at_ms,
            };
            let name = prometheus_name(&key.name, &key.unit, key.kind);
            let labels = entity_labels(key);
            let labels: Vec<(&str, &str)> = labels.iter().map(|(n, v)| (&**n, &**v)).collect();
            match key.kind {
                SeriesKind::Gauge => self.gauge(&name, &labels, point),
                SeriesKind::Counter => self.sample(&name, &labels, point),
            }
        });
        let series = series.collect();
        self.write(series)
    }

    /// The states of the load and of the target end; sums stay as they are.
    fn end(&mut self, _: &RunEnd) -> Result<(), OutputError> {
        let stale = PointSample {
            value: f64::from_bits(STALE),
            timestamp: self.last_ms + 1,
        };
        let ended = self.gauges.iter().map(|labels| TimeSeries {
            labels: labels.iter().map(label).collect(),
            samples: vec![stale],
            histograms: Vec::new(),
        });
        self.write(ended.collect())
    }
}

impl Prometheus {
    fn write_interval(
        &mut self,
        interval: &LoadInterval,
        totals: &[(LabelKey, LabelPart)],
    ) -> Result<(), OutputError> {
        let at_ms = self.unix_ms(self.run.unix_ns(interval.to_s * 1_000_000_000));
        let part = [("part", interval.part.name())];
        let mut series = Vec::new();
        for gauge in GAUGES {
            let name = prometheus_name(gauge.name, gauge.unit, SeriesKind::Gauge);
            series.push(self.gauge(&name, &part, number((gauge.read)(interval), at_ms)));
        }
        for ((part, _), total) in totals {
            self.add_label(&mut series, *part, total, at_ms);
        }
        self.write(series)
    }

    /// As Unix milliseconds; the latest is kept.
    fn unix_ms(&mut self, unix_ns: u64) -> i64 {
        let at_ms = i64::try_from(unix_ns / 1_000_000).unwrap_or(i64::MAX);
        self.last_ms = self.last_ms.max(at_ms);
        at_ms
    }

    /// Everything of one label in a part of the run.
    fn add_label(
        &self,
        series: &mut Vec<TimeSeries>,
        part: RunPart,
        total: &LabelPart,
        at_ms: i64,
    ) {
        let labels = [
            ("part", part.name()),
            ("label", total.label.name.as_str()),
            ("kind", total.label.kind.name()),
        ];
        for counter in COUNTERS {
            let name = prometheus_name(counter.name, counter.unit, SeriesKind::Counter);
            series.push(self.sample(&name, &labels, number((counter.read)(&total.did), at_ms)));
        }
        self.add_times(series, &labels, &total.did, at_ms);
    }

    fn add_times(
        &self,
        series: &mut Vec<TimeSeries>,
        labels: &[(&str, &str)],
        did: &LabelInterval,
        at_ms: i64,
    ) {
        let name = prometheus_name(RESPONSE_TIME, "s", SeriesKind::Gauge);
        let times = did.all_response();
        if self.native {
            series.push(TimeSeries {
                labels: self.labels(&name, labels).iter().map(label).collect(),
                samples: Vec::new(),
                histograms: vec![native(&times, at_ms)],
            });
        }
        let bucket = format!("{name}_bucket");
        let bounds = CLASSIC_MS.map(|ms| (seconds(ms), times.count_above_ns(ms * 1_000_000)));
        for (bound, above) in bounds.into_iter().chain([("+Inf".to_owned(), 0)]) {
            let labels: Vec<_> = labels.iter().copied().chain([("le", &*bound)]).collect();
            let point = number(times.count() - above, at_ms);
            series.push(self.sample(&bucket, &labels, point));
        }
        let sum = PointSample {
            value: sum_s(&times),
            timestamp: at_ms,
        };
        series.push(self.sample(&format!("{name}_sum"), labels, sum));
        let count = number(times.count(), at_ms);
        series.push(self.sample(&format!("{name}_count"), labels, count));
    }

    fn gauge(&mut self, name: &str, labels: &[(&str, &str)], point: PointSample) -> TimeSeries {
        self.gauges.insert(self.labels(name, labels));
        self.sample(name, labels, point)
    }

    fn sample(&self, name: &str, labels: &[(&str, &str)], point: PointSample) -> TimeSeries {
        TimeSeries {
            labels: self.labels(name, labels).iter().map(label).collect(),
            samples: vec![point],
            histograms: Vec::new(),
        }
    }

    /// The labels of a series, sorted and each once; empty ones are none.
    fn labels(&self, name: &str, more: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = [
            ("job", "plimsoll"),
            ("run", self.run.run.as_str()),
            ("plan", self.run.plan.as_str()),
        ];
        let given = self.tags.iter().map(|(name, value)| (&**name, &**value));
        let all = own.into_iter().chain(given).chain(more.iter().copied());
        let mut labels: Vec<(String, String)> = all
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (prometheus_word(name), value.to_owned()))
            .collect();
        labels.push(("__name__".to_owned(), name.to_owned()));
        // The last of a name holds: what is ours stands behind the tags.
        labels.reverse();
        labels.sort_by(|one, other| one.0.cmp(&other.0));
        labels.dedup_by(|later, first| later.0 == first.0);
        labels
    }

    fn write(&self, timeseries: Vec<TimeSeries>) -> Result<(), OutputError> {
        if timeseries.is_empty() {
            return Ok(());
        }
        let request = WriteRequest { timeseries };
        let packed = snap::raw::Encoder::new().compress_vec(&request.encode_to_vec());
        let packed = packed.map_err(|error| OutputError::Refused(error.to_string()))?;
        self.receiver.post(&packed).map(|_| ())
    }
}

/// Whether a receiver said that it takes no native histograms.
fn wants_no_native(taken: &Result<(), OutputError>) -> bool {
    match taken {
        Err(OutputError::Later(reason) | OutputError::Refused(reason)) => {
            reason.contains(NO_NATIVE)
        }
        Ok(()) => false,
    }
}

/// What a target's series is known by beside its name.
fn entity_labels(key: &SeriesKey) -> Vec<(String, String)> {
    let entity = &key.entity;
    let own = [
        ("entity_kind", entity.kind.name()),
        ("entity", entity.name.as_str()),
        ("host", entity.host.as_str()),
    ];
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let attributes = key.attributes.iter();
    let attributes = attributes.map(|(name, value)| (name.to_string(), value.clone()));
    own.into_iter().chain(attributes).collect()
}

fn label((name, value): &(String, String)) -> WriteLabel {
    WriteLabel {
        name: name.clone(),
        value: value.clone(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn number(value: u64, timestamp: i64) -> PointSample {
    PointSample {
        value: value as f64,
        timestamp,
    }
}

/// Milliseconds as seconds, as people write them.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[expect(clippy::cast_precision_loss, reason = "a sum of times")]
fn sum_s(times: &Histogram) -> f64 {
    times.sum_ns() as f64 / 1e9
}

fn native(times: &Histogram, timestamp: i64) -> NativeHistogram {
    let buckets = ExponentialBuckets::of(times);
    let (spans, deltas) = spans(&buckets);
    NativeHistogram {
        count_int: times.count(),
        sum: sum_s(times),
        schema: buckets.scale,
        zero_width: 0.0,
        zero_count_int: buckets.zeros,
        positive_spans: spans,
        positive_deltas: deltas,
        timestamp,
    }
}

/// The buckets that hold anything, as runs of neighbours, and how their counts differ.
fn spans(buckets: &ExponentialBuckets) -> (Vec<BucketSpan>, Vec<i64>) {
    let (mut spans, mut deltas): (Vec<BucketSpan>, Vec<i64>) = (Vec::new(), Vec::new());
    // Prometheus numbers a bucket by its upper bound.
    let mut offset = buckets.first + 1;
    let mut before = 0;
    for count in &buckets.counts {
        if *count == 0 {
            offset += 1;
            continue;
        }
        match spans.last_mut().filter(|_| offset == 0) {
            Some(span) => span.length += 1,
            None => spans.push(BucketSpan { offset, length: 1 }),
        }
        offset = 0;
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        deltas.push(count - before);
        before = count;
    }
    (spans, deltas)
}

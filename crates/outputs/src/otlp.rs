//! OpenTelemetry's protocol: metrics as protobuf over HTTP
//! (<https://opentelemetry.io/docs/specs/otlp/>).

use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, InstrumentationScope, KeyValue, any_value::Value,
};
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, ExponentialHistogram, ExponentialHistogramDataPoint, Gauge, Metric,
    NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum, exponential_histogram_data_point::Buckets,
    metric::Data, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use plimsoll_stats::Histogram;
use plimsoll_stats::series::{SeriesKey, SeriesKind};
use plimsoll_text::Message;
use prost::Message as _;

use crate::exponential::ExponentialBuckets;
use crate::http::{Receiver, ReceiverKind};
use crate::metrics::{COUNTERS, GAUGES, RESPONSE_TIME, RunTotals};
use crate::output::{
    LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, RunPart, TargetMoment,
};
use crate::spec::OutputSpec;

const KIND: ReceiverKind = ReceiverKind {
    path: "/v1/metrics",
    token: "Bearer",
    headers: &[("Content-Type", "application/x-protobuf")],
};
const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

/// Sends to a collector.
struct Otlp {
    receiver: Receiver,
    tags: Vec<(String, String)>,
    run: RunBegin,
    totals: RunTotals,
}

/// An output to the address where metrics are taken; an address without a path means `/v1/metrics`.
///
/// # Errors
/// See [`Receiver::open`].
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    Ok(Box::new(Otlp {
        receiver: Receiver::open(spec, &KIND)?,
        tags: spec.tags.clone(),
        run: RunBegin::default(),
        totals: RunTotals::default(),
    }))
}

impl Output for Otlp {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.run = run.clone();
        Ok(())
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        let at = self.run.unix_ns(interval.to_s * 1_000_000_000);
        let totals = self.totals.with(interval);
        let part = vec![attribute("part", interval.part.name())];
        let mut metrics: Vec<Metric> = Vec::new();
        for gauge in GAUGES {
            let value = number_data_point::Value::AsInt(signed((gauge.read)(interval)));
            let point = self.point(value, part.clone(), at);
            metrics.push(metric(gauge.name, gauge.unit, gauge_of(vec![point])));
        }
        for counter in COUNTERS {
            let point = |((part, _), total): &((RunPart, _), LabelPart)| {
                let value = number_data_point::Value::AsInt(signed((counter.read)(&total.did)));
                self.point(value, label_attributes(*part, total), at)
            };
            let points = totals.iter().map(point).collect();
            metrics.push(metric(counter.name, counter.unit, sum_of(points)));
        }
        let times = totals.iter().map(|((part, _), total)| {
            self.times(
                &total.did.all_response(),
                label_attributes(*part, total),
                at,
            )
        });
        let times = Data::ExponentialHistogram(ExponentialHistogram {
            data_points: times.collect(),
            aggregation_temporality: CUMULATIVE,
        });
        metrics.push(metric(RESPONSE_TIME, "s", times));
        let taken = self.send(metrics);
        if !matches!(taken, Err(OutputError::Later(_))) {
            // Sums make up for what was refused.
            self.totals.keep(totals);
        }
        taken
    }

    /// Metrics have no place for events.
    fn event(&mut self, _: &RunEvent) -> Result<(), OutputError> {
        Ok(())
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        let metrics = moment.points.iter().map(|(key, value)| {
            let value = number_data_point::Value::AsDouble(*value);
            let point = self.point(value, entity_attributes(key), moment.at_unix_ns);
            let data = match key.kind {
                SeriesKind::Gauge => gauge_of(vec![point]),
                SeriesKind::Counter => sum_of(vec![point]),
            };
            metric(&key.name, &key.unit, data)
        });
        self.send(metrics.collect())
    }

    fn end(&mut self, _: &RunEnd) -> Result<(), OutputError> {
        Ok(())
    }
}

impl Otlp {
    fn point(
        &self,
        value: number_data_point::Value,
        attributes: Vec<KeyValue>,
        at_unix_ns: u64,
    ) -> NumberDataPoint {
        NumberDataPoint {
            attributes,
            start_time_unix_nano: self.run.zero_unix_ns,
            time_unix_nano: at_unix_ns,
            value: Some(value),
            ..NumberDataPoint::default()
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "times in seconds")]
    fn times(
        &self,
        times: &Histogram,
        attributes: Vec<KeyValue>,
        at_unix_ns: u64,
    ) -> ExponentialHistogramDataPoint {
        let buckets = ExponentialBuckets::of(times);
        let limit = |ns: u64| (!times.is_empty()).then_some(ns as f64 / 1e9);
        ExponentialHistogramDataPoint {
            attributes,
            start_time_unix_nano: self.run.zero_unix_ns,
            time_unix_nano: at_unix_ns,
            count: times.count(),
            sum: Some(times.sum_ns() as f64 / 1e9),
            scale: buckets.scale,
            zero_count: buckets.zeros,
            positive: Some(Buckets {
                offset: buckets.first,
                bucket_counts: buckets.counts,
            }),
            min: limit(times.min_ns()),
            max: limit(times.max_ns()),
            ..ExponentialHistogramDataPoint::default()
        }
    }

    fn send(&self, metrics: Vec<Metric>) -> Result<(), OutputError> {
        let given = self.tags.iter().map(|(name, value)| (&**name, &**value));
        let own = [
            ("service.name", "plimsoll"),
            ("plimsoll.run", self.run.run.as_str()),
            ("plimsoll.plan", self.run.plan.as_str()),
        ];
        // A tag takes the place of what is ours: each name stands once.
        let is_given = |name: &str| self.tags.iter().any(|(tag, _)| tag == name);
        let own = own.into_iter().filter(|(name, _)| !is_given(name));
        let attributes = own.chain(given);
        let request = ExportMetricsServiceRequest {
            resource_metrics: vec![ResourceMetrics {
                resource: Some(Resource {
                    attributes: attributes
                        .map(|(name, value)| attribute(name, value))
                        .collect(),
                    ..Resource::default()
                }),
                scope_metrics: vec![ScopeMetrics {
                    scope: Some(InstrumentationScope {
                        name: "plimsoll".to_owned(),
                        version: env!("CARGO_PKG_VERSION").to_owned(),
                        ..InstrumentationScope::default()
                    }),
                    metrics,
                    ..ScopeMetrics::default()
                }],
                ..ResourceMetrics::default()
            }],
        };
        let response = self.receiver.post(&request.encode_to_vec())?;
        // Some receivers respond with nothing, or with JSON.
        let response = ExportMetricsServiceResponse::decode(&*response).unwrap_or_default();
        match response.partial_success {
            Some(partial) if partial.rejected_data_points > 0 => {
                let said = plimsoll_secrets::text(&partial.error_message).into_owned();
                Err(OutputError::Refused(said))
            }
            _ => Ok(()),
        }
    }
}

fn metric(name: &str, unit: &str, data: Data) -> Metric {
    Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        data: Some(data),
        ..Metric::default()
    }
}

fn gauge_of(data_points: Vec<NumberDataPoint>) -> Data {
    Data::Gauge(Gauge { data_points })
}

fn sum_of(data_points: Vec<NumberDataPoint>) -> Data {
    Data::Sum(Sum {
        data_points,
        aggregation_temporality: CUMULATIVE,
        is_monotonic: true,
    })
}

fn label_attributes(part: RunPart, total: &LabelPart) -> Vec<KeyValue> {
    vec![
        attribute("part", part.name()),
        attribute("label", &total.label.name),
        attribute("kind", total.label.kind.name()),
    ]
}

/// What a target's series is known by beside its name.
fn entity_attributes(key: &SeriesKey) -> Vec<KeyValue> {
    let own = [
        attribute("plimsoll.entity.kind", key.entity.kind.name()),
        attribute("plimsoll.entity.name", &key.entity.name),
        attribute("host.name", &key.entity.host),
    ];
    let attributes = key.attributes.iter();
    own.into_iter()
        .chain(attributes.map(|(name, value)| attribute(name, value)))
        .collect()
}

fn attribute(name: &str, value: &str) -> KeyValue {
    KeyValue {
        key: name.to_owned(),
        value: Some(AnyValue {
            value: Some(Value::StringValue(value.to_owned())),
        }),
        ..KeyValue::default()
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

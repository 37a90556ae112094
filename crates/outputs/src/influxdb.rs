//! InfluxDB 1 and 2, and what speaks their protocol: lines over HTTP.

use plimsoll_stats::Histogram;
use plimsoll_stats::series::SeriesKey;
use plimsoll_text::line_protocol::{LineField, ProtocolLines};
use plimsoll_text::{Lang, Message, render};

use crate::http::{Receiver, ReceiverKind};
use crate::output::{
    LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, TargetMoment,
};
use crate::spec::OutputSpec;

const KIND: ReceiverKind = ReceiverKind {
    path: "/write?db=plimsoll",
    token: "Token",
    headers: &[("Content-Type", "text/plain; charset=utf-8")],
};
/// Percentiles of the response time, by their fields.
const PERCENTILES: [(&str, f64); 4] = [
    ("response_p50_ms", 0.5),
    ("response_p90_ms", 0.9),
    ("response_p95_ms", 0.95),
    ("response_p99_ms", 0.99),
];

/// Writes to a database.
struct InfluxDb {
    receiver: Receiver,
    tags: Vec<(String, String)>,
    run: RunBegin,
}

/// An output to the address where lines are written: `http://host:8086/write?db=NAME` (1),
/// `http://host:8086/api/v2/write?org=ORG&bucket=NAME` (2); an address without a path means the
/// database `plimsoll` of version 1.
///
/// # Errors
/// See [`Receiver::open`].
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    Ok(Box::new(InfluxDb {
        receiver: Receiver::open(spec, &KIND)?,
        tags: spec.tags.clone(),
        run: RunBegin::default(),
    }))
}

impl Output for InfluxDb {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.run = run.clone();
        self.write_event(0, "begin", &run.target)
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        let mut lines = ProtocolLines::default();
        let at_ns = self.run.unix_ns(interval.to_s * 1_000_000_000);
        let part = ("part", interval.part.name());
        for label in &interval.labels {
            let more = [
                part,
                ("label", label.label.name.as_str()),
                ("kind", label.label.kind.name()),
            ];
            lines.line("plimsoll_samples", &self.tags(&more), &fields(label), at_ns);
        }
        let load = [
            ("users_active", LineField::Integer(interval.users_active)),
            ("in_flight", LineField::Integer(interval.in_flight)),
            (
                "seconds",
                LineField::Integer(interval.to_s - interval.from_s),
            ),
        ];
        lines.line("plimsoll_load", &self.tags(&[part]), &load, at_ns);
        self.post(lines.as_str())
    }

    fn event(&mut self, event: &RunEvent) -> Result<(), OutputError> {
        let text = render(Lang::En, &event.message);
        self.write_event(event.at_ns, &event.message.id, &text)
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        let mut lines = ProtocolLines::default();
        for (key, value) in &moment.points {
            let tags = self.tags(&entity_tags(key));
            let fields = [("value", LineField::Float(*value))];
            lines.line("plimsoll_target", &tags, &fields, moment.at_unix_ns);
        }
        self.post(lines.as_str())
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), OutputError> {
        let verdict = serde_json::to_value(end.verdict).unwrap_or_default();
        let verdict = verdict.as_str().unwrap_or_default();
        // A float to integer cast saturates.
        self.write_event((end.end_s * 1e9) as u64, "end", verdict)
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of a second")]
fn fields(label: &LabelPart) -> Vec<(&'static str, LineField<'static>)> {
    let did = &label.did;
    let times: Histogram = did.all_response();
    let mut fields = vec![
        ("count", LineField::Integer(did.samples())),
        ("errors", LineField::Integer(did.errors())),
        ("sent_bytes", LineField::Integer(did.sent_bytes)),
        ("received_bytes", LineField::Integer(did.received_bytes)),
        ("dropped", LineField::Integer(did.dropped_iterations)),
    ];
    if !times.is_empty() {
        fields.push(("response_mean_ms", LineField::Float(times.mean_ns() / 1e6)));
        for (name, share) in PERCENTILES {
            let ms = times.percentile_ns(share) as f64 / 1e6;
            fields.push((name, LineField::Float(ms)));
        }
    }
    fields
}

impl InfluxDb {
    /// The tags of each line, and more.
    fn tags<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [
            ("run", self.run.run.as_str()),
            ("plan", self.run.plan.as_str()),
        ];
        let given = self
            .tags
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        own.into_iter()
            .chain(given)
            .chain(more.iter().copied())
            .collect()
    }

    fn write_event(&self, at_ns: u64, kind: &str, text: &str) -> Result<(), OutputError> {
        let mut lines = ProtocolLines::default();
        let tags = self.tags(&[("event", kind)]);
        let fields = [("text", LineField::Text(text))];
        lines.line("plimsoll_events", &tags, &fields, self.run.unix_ns(at_ns));
        self.post(lines.as_str())
    }

    fn post(&self, lines: &str) -> Result<(), OutputError> {
        self.receiver.post(lines.as_bytes()).map(|_| ())
    }
}

/// What a target's series is known by.
fn entity_tags(key: &SeriesKey) -> Vec<(&str, &str)> {
    let own = [
        ("metric", &*key.name),
        ("unit", &*key.unit),
        ("entity_kind", key.entity.kind.name()),
        ("entity", &*key.entity.name),
        ("host", &*key.entity.host),
    ];
    let attributes = key
        .attributes
        .iter()
        .map(|(name, value)| (&**name, &**value));
    own.into_iter().chain(attributes).collect()
}

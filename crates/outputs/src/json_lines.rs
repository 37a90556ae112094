//! A line of JSON for each interval and event, at the end of a file (`schema/output-line.schema.json`).

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use plimsoll_stats::series::SeriesKey;
use plimsoll_stats::{LabelInterval, LabelKind};
use plimsoll_text::{Lang, Message, render};
use serde_json::{Value, json};

use crate::output::{
    LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, TargetMoment,
};
use crate::spec::OutputSpec;

/// Version of the lines; rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

struct JsonLines {
    file: BufWriter<File>,
    tags: Value,
}

/// An output to the end of a file.
///
/// # Errors
/// A file that cannot be written.
pub fn open(spec: &OutputSpec) -> Result<Box<dyn Output>, Message> {
    let path = Path::new(&spec.address);
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let file = opened.map_err(|error| {
        Message::new("run-file-failed")
            .with("path", spec.address.as_str())
            .with("reason", error.to_string())
    })?;
    Ok(Box::new(JsonLines {
        file: BufWriter::new(file),
        tags: spec
            .tags
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect(),
    }))
}

impl Output for JsonLines {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.write(&json!({
            "kind": "begin",
            "schema_version": SCHEMA_VERSION,
            "run": run.run,
            "plan": run.plan,
            "target": run.target,
            "zero_unix_ns": run.zero_unix_ns,
            "tags": self.tags,
        }))
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        self.write(&json!({
            "kind": "interval",
            "from_s": interval.from_s,
            "to_s": interval.to_s,
            "part": interval.part.name(),
            "users_active": interval.users_active,
            "in_flight": interval.in_flight,
            "labels": interval.labels.iter().map(label).collect::<Vec<_>>(),
        }))
    }

    fn event(&mut self, event: &RunEvent) -> Result<(), OutputError> {
        self.write(&json!({
            "kind": "event",
            "at_ns": event.at_ns,
            "id": event.message.id,
            "text": render(Lang::En, &event.message),
        }))
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        self.write(&json!({
            "kind": "target",
            "at_unix_ns": moment.at_unix_ns,
            "points": moment.points.iter().map(point).collect::<Vec<_>>(),
        }))
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), OutputError> {
        self.write(&json!({
            "kind": "end",
            "verdict": end.verdict,
            "exit_code": end.exit_code,
            "samples": end.samples,
            "errors": end.errors,
        }))
    }
}

fn label(part: &LabelPart) -> Value {
    label_json(&part.label.name, part.label.kind, &part.did)
}

/// What a label did in an interval, by the names of `schema/output-line.schema.json`; `response_ms` is null
/// where nothing was timed.
#[expect(clippy::cast_precision_loss, reason = "times of a second")]
#[must_use]
pub fn label_json(name: &str, kind: LabelKind, did: &LabelInterval) -> Value {
    let times = did.all_response();
    let ms = |share: f64| times.percentile_ns(share) as f64 / 1e6;
    let response = (!times.is_empty()).then(|| {
        json!({
            "mean": times.mean_ns() / 1e6,
            "p50": ms(0.5),
            "p90": ms(0.9),
            "p95": ms(0.95),
            "p99": ms(0.99),
        })
    });
    json!({
        "label": name,
        "kind": kind.name(),
        "count": did.samples(),
        "errors": did.errors(),
        "sent_bytes": did.sent_bytes,
        "received_bytes": did.received_bytes,
        "dropped": did.dropped_iterations,
        "response_ms": response,
    })
}

/// A value of the target. A number that is not finite is null.
fn point((key, value): &(SeriesKey, f64)) -> Value {
    let attributes = key.attributes.iter();
    let attributes: Value = attributes
        .map(|(name, value)| (name.to_string(), Value::from(value.as_str())))
        .collect();
    json!({
        "entity": {
            "kind": key.entity.kind.name(),
            "name": key.entity.name,
            "host": key.entity.host,
        },
        "name": key.name,
        "attributes": attributes,
        "unit": key.unit,
        "series_kind": key.kind,
        "value": value,
    })
}

impl JsonLines {
    /// Each line is on its way to the disk when it was written: whoever reads along sees whole lines.
    fn write(&mut self, line: &Value) -> Result<(), OutputError> {
        let written = writeln!(self.file, "{line}").and_then(|()| self.file.flush());
        written.map_err(|error| OutputError::Refused(error.to_string()))
    }
}

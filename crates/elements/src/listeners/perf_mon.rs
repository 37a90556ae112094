//! `kg.apc.jmeter.perfmon.PerfMonCollector` (jmeter-plugins-perfmon 2.1) as a writer: each value that an agent sends for one
//! of its metrics is a sample of a thousand times as many milliseconds. The values themselves are asked for by whoever
//! watches the target.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use plimsoll_text::Message;
use plimsoll_text::perf_mon::PerfMonMetric;

use super::readings::TargetReading;
use super::{Listener, SampleEvent, Surroundings, collector};
use crate::evaluated::{Evaluated, EvaluatedValue};
use crate::result::SampleResult;

/// The group of its samples.
const GROUP: &str = "PerfMon";

struct PerfMonWriter {
    file: Box<dyn Listener>,
    labels: HashSet<String>,
    readings: Receiver<TargetReading>,
}

/// Makes one from its element.
///
/// # Errors
/// When the file cannot be opened.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let Some(file) = collector::make(element, surroundings)? else {
        return Ok(None);
    };
    Ok(Some(Box::new(PerfMonWriter {
        file,
        labels: labels(element),
        readings: surroundings.readings.subscribe(),
    })))
}

/// What its metrics are called.
fn labels(element: &Evaluated) -> HashSet<String> {
    let Some(EvaluatedValue::List(rows)) = element.get("metricConnections") else {
        return HashSet::new();
    };
    let rows = rows.iter().filter_map(|row| {
        let EvaluatedValue::List(cells) = row else {
            return None;
        };
        let cell = |at: usize| match cells.get(at) {
            Some(EvaluatedValue::Text(text)) => text.as_str(),
            _ => "",
        };
        let metric = format!("{}:{}", cell(2), cell(3));
        Some(PerfMonMetric::new(&metric, cell(0)).label)
    });
    rows.collect()
}

impl PerfMonWriter {
    fn write(&mut self) {
        while let Ok(reading) = self.readings.try_recv() {
            if self.labels.contains(&*reading.label) {
                self.file.sample(&sample(&reading));
            }
        }
    }
}

/// A value as a sample: its milliseconds are thousandths.
fn sample(reading: &TargetReading) -> SampleEvent {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as Java's cast does: what is below 0 is 0 here, since no time is"
    )]
    let elapsed_ms = (reading.value * 1_000.0) as u64;
    SampleEvent {
        result: Arc::new(SampleResult {
            success: true,
            start_unix_ms: reading.unix_ms,
            end_unix_ms: reading.unix_ms + elapsed_ms,
            elapsed_ms,
            ..SampleResult::new(&*reading.label)
        }),
        group: GROUP.into(),
        variables: Arc::new([]),
        transaction: false,
        told_before: None,
    }
}

impl Listener for PerfMonWriter {
    fn sample(&mut self, _: &SampleEvent) {}

    fn tick(&mut self, _: u64) {
        self.write();
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        self.write();
        self.file.end()
    }
}

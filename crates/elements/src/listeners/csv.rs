//! Results as CSV: JMeter 5.6.3's columns, in its order, with its quoting
//! (`CSVSaveService`).

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use plimsoll_text::jtl;

use crate::result::SampleResult;

use super::SampleEvent;
use super::save_config::{SaveConfig, Stamp};

/// The header line.
pub(super) fn header(config: &SaveConfig, variables: &[String]) -> String {
    let is_saved = [
        config.timestamp,
        config.time,
        config.label,
        config.code,
        config.message,
        config.thread_name,
        config.data_type,
        config.success,
        config.failure_message,
        config.bytes,
        config.sent_bytes,
        config.thread_counts,
        config.thread_counts,
        config.url,
        config.file_name,
        config.latency,
        config.encoding,
        config.sample_count,
        config.sample_count,
        config.hostname,
        config.idle_time,
        config.connect_time,
    ];
    let columns = jtl::COLUMNS.iter().zip(is_saved);
    let saved = columns.filter(|(_, is_saved)| *is_saved);
    let mut names: Vec<String> = saved.map(|((name, _), _)| (*name).to_owned()).collect();
    names.extend(variables.iter().map(|name| format!("\"{name}\"")));
    names.join(&config.delimiter.to_string()) + "\n"
}

/// A row being written.
struct CsvRow<'o> {
    out: &'o mut String,
    delimiter: char,
    is_first: bool,
}

impl CsvRow<'_> {
    fn next(&mut self) {
        if self.is_first {
            self.is_first = false;
        } else {
            self.out.push(self.delimiter);
        }
    }

    fn text(&mut self, text: &str) {
        self.next();
        self.out.push_str(&jtl::field(text, self.delimiter));
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        self.next();
        let _ = write!(self.out, "{number}");
    }
}

/// What rows need to know beside the event.
pub(super) struct RowContext<'c> {
    pub config: &'c SaveConfig,
    pub zone: &'c TimeZone,
    pub host: &'c str,
    pub default_encoding: &'c str,
    pub stamps_start: bool,
}

/// How deep sub-results are written.
const DEEPEST: usize = 10;

/// The rows of a sample: its own, then those of its parts.
pub(super) fn rows(out: &mut String, cx: &RowContext<'_>, event: &SampleEvent) {
    row(out, cx, event, &event.result);
    if cx.config.subresults {
        part_rows(out, cx, event, &event.result, 0);
    }
}

fn part_rows(
    out: &mut String,
    cx: &RowContext<'_>,
    event: &SampleEvent,
    result: &SampleResult,
    depth: usize,
) {
    if depth > DEEPEST {
        return;
    }
    for part in &result.parts {
        row(out, cx, event, part);
        part_rows(out, cx, event, part, depth + 1);
    }
}

fn row(out: &mut String, cx: &RowContext<'_>, event: &SampleEvent, result: &SampleResult) {
    let config = cx.config;
    let mut row = CsvRow {
        out,
        delimiter: config.delimiter,
        is_first: true,
    };
    if config.timestamp {
        stamp(&mut row, cx, result);
    }
    what(&mut row, config, result);
    sizes(&mut row, cx, result);
    if config.hostname {
        row.text(cx.host);
    }
    if config.idle_time {
        row.number(result.idle_ms);
    }
    if config.connect_time {
        row.number(result.connect_ms);
    }
    for value in event.variables.iter() {
        row.text(value.as_deref().unwrap_or("null"));
    }
    row.out.push('\n');
}

fn stamp(row: &mut CsvRow<'_>, cx: &RowContext<'_>, result: &SampleResult) {
    let unix_ms = match cx.stamps_start {
        true => result.start_unix_ms,
        false => result.end_unix_ms,
    };
    match &cx.config.stamp {
        Stamp::Milliseconds => row.number(unix_ms),
        Stamp::Pattern(pattern) => {
            let mut text = String::new();
            pattern.write(&mut text, unix_ms, cx.zone);
            row.text(&text);
        }
        // JMeter leaves the column out.
        Stamp::Invalid => {}
    }
}

fn what(row: &mut CsvRow<'_>, config: &SaveConfig, result: &SampleResult) {
    if config.time {
        row.number(result.elapsed_ms);
    }
    if config.label {
        row.text(&result.label);
    }
    if config.code {
        row.text(&result.code);
    }
    if config.message {
        row.text(&result.message);
    }
    if config.thread_name {
        row.text(&result.thread_name);
    }
    if config.data_type {
        row.text(result.data_type.word());
    }
    if config.success {
        row.number(result.success);
    }
    if config.failure_message {
        row.text(result.first_assertion_message().unwrap_or_default());
    }
}

fn sizes(row: &mut CsvRow<'_>, cx: &RowContext<'_>, result: &SampleResult) {
    let config = cx.config;
    if config.bytes {
        row.number(result.received_bytes);
    }
    if config.sent_bytes {
        row.number(result.sent_bytes);
    }
    if config.thread_counts {
        row.number(result.group_threads);
        row.number(result.all_threads);
    }
    if config.url {
        row.text(result.url.as_deref().unwrap_or("null"));
    }
    if config.file_name {
        row.text(&result.file_name);
    }
    if config.latency {
        row.number(result.latency_ms);
    }
    if config.encoding {
        let named = result.encoding.as_deref().filter(|name| !name.is_empty());
        row.text(named.unwrap_or(cx.default_encoding));
    }
    if config.sample_count {
        row.number(result.samples);
        row.number(result.error_count());
    }
}

//! `kg.apc.jmeter.reporters.FlexibleFileWriter` (jpgc-ffw 2.0): a text for each sample, made of fields and of what
//! stands between them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use plimsoll_access::reason;
use plimsoll_text::Message;

use super::{Listener, SampleEvent, Surroundings, Wants};
use crate::evaluated::Evaluated;
use crate::result::SampleResult;

/// A field of a sample; the names are the plugin's, misspelt as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampleField {
    Success,
    Start,
    End,
    SentBytes,
    ReceivedBytes,
    Elapsed,
    Latency,
    Code,
    Message,
    Failed,
    Thread,
    Label,
    StartSeconds,
    EndSeconds,
    ElapsedMicros,
    LatencyMicros,
    Request,
    Response,
    ResponseHeaders,
    Threads,
    RequestHeaders,
    Connect,
    GroupThreads,
    Samples,
    Errors,
    HeaderBytes,
    BodyBytes,
    Url,
}

const FIELDS: &[(&str, SampleField)] = &[
    ("isSuccsessful", SampleField::Success),
    ("startTime", SampleField::Start),
    ("endTime", SampleField::End),
    ("sentBytes", SampleField::SentBytes),
    ("receivedBytes", SampleField::ReceivedBytes),
    ("responseTime", SampleField::Elapsed),
    ("latency", SampleField::Latency),
    ("responseCode", SampleField::Code),
    ("responseMessage", SampleField::Message),
    ("isFailed", SampleField::Failed),
    ("threadName", SampleField::Thread),
    ("sampleLabel", SampleField::Label),
    ("startTimeMillis", SampleField::StartSeconds),
    ("endTimeMillis", SampleField::EndSeconds),
    ("responseTimeMicros", SampleField::ElapsedMicros),
    ("latencyMicros", SampleField::LatencyMicros),
    ("requestData", SampleField::Request),
    ("responseData", SampleField::Response),
    ("responseHeaders", SampleField::ResponseHeaders),
    ("threadsCount", SampleField::Threads),
    ("requestHeaders", SampleField::RequestHeaders),
    ("connectTime", SampleField::Connect),
    ("grpThreads", SampleField::GroupThreads),
    ("sampleCount", SampleField::Samples),
    ("errorCount", SampleField::Errors),
    ("responseHeaderSize", SampleField::HeaderBytes),
    ("responseSize", SampleField::BodyBytes),
    ("URL", SampleField::Url),
];

/// What stands before the number of a variable of `sample_variables`, from 0.
const VARIABLE: &str = "variable#";

/// A column.
#[derive(Debug, PartialEq)]
enum FlexibleColumn {
    Field(SampleField),
    Variable(usize),
    Text(String),
}

struct FlexibleWriter {
    columns: Vec<FlexibleColumn>,
    footer: String,
    /// Names in `sample_variables`.
    variables: usize,
    path: PathBuf,
    writer: BufWriter<File>,
    failed: Option<io::Error>,
}

/// Makes one from its element.
///
/// # Errors
/// When the file cannot be opened.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let path = surroundings.path(element.text("filename"));
    let opened = match element.truth("overwrite", false) {
        true => surroundings.access.create(&path),
        false => surroundings.access.append(&path),
    };
    let file = opened.map_err(|error| {
        Message::new("jmeter-listener-file")
            .with("path", path.display().to_string())
            .with("reason", reason(&error))
    })?;
    let mut writer = FlexibleWriter {
        columns: columns(&unescaped(element.text("columns"))),
        footer: unescaped(element.text("footer")),
        variables: surroundings.sample_variables().len(),
        path,
        writer: BufWriter::with_capacity(64 * 1024, file),
        failed: None,
    };
    writer.write(unescaped(element.text("header")).as_bytes());
    Ok(Some(Box::new(writer)))
}

/// `\t`, `\n` and `\r` as written in a field of a form.
fn unescaped(text: &str) -> String {
    text.replace("\\t", "\t")
        .replace("\\n", "\n")
        .replace("\\r", "\r")
}

/// The columns between bars, as Java's `split("\\|")` gives them; an empty one is a bar itself.
fn columns(text: &str) -> Vec<FlexibleColumn> {
    let mut chunks: Vec<&str> = text.split('|').collect();
    while chunks.len() > 1 && chunks.last() == Some(&"") {
        chunks.pop();
    }
    let column = |chunk: &str| {
        if let Some((_, field)) = FIELDS.iter().find(|(name, _)| *name == chunk) {
            return FlexibleColumn::Field(*field);
        }
        if let Some(number) = chunk.strip_prefix(VARIABLE)
            && let Ok(number) = number.parse()
        {
            return FlexibleColumn::Variable(number);
        }
        FlexibleColumn::Text(if chunk.is_empty() { "|" } else { chunk }.to_owned())
    };
    chunks.into_iter().map(column).collect()
}

impl FlexibleWriter {
    /// Writes; the first failure is remembered and told at the end.
    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.writer.write_all(bytes).err();
        }
    }
}

impl Listener for FlexibleWriter {
    fn sample(&mut self, event: &SampleEvent) {
        if event.told_before.is_some() {
            return;
        }
        let mut row = Vec::new();
        for column in &self.columns {
            match column {
                FlexibleColumn::Text(text) => row.extend_from_slice(text.as_bytes()),
                FlexibleColumn::Field(field) => put(&mut row, *field, &event.result),
                FlexibleColumn::Variable(number) if *number >= self.variables => {
                    row.extend_from_slice(format!("UNDEFINED_{VARIABLE}{number}").as_bytes());
                }
                FlexibleColumn::Variable(number) => {
                    let value = event.variables.get(*number).and_then(Option::as_deref);
                    row.extend_from_slice(value.unwrap_or_default().as_bytes());
                }
            }
        }
        self.write(&row);
    }

    fn tick(&mut self, _unix_ms: u64) {
        if self.failed.is_none() {
            self.failed = self.writer.flush().err();
        }
    }

    fn end(mut self: Box<Self>) -> Vec<Message> {
        let footer = std::mem::take(&mut self.footer);
        self.write(footer.as_bytes());
        self.tick(0);
        let broken = |error: io::Error| {
            Message::new("jmeter-listener-file-broken")
                .with("path", self.path.display().to_string())
                .with("reason", error.to_string())
        };
        self.failed.take().map(broken).into_iter().collect()
    }

    fn wants(&self) -> Wants {
        let any = |wanted: &[SampleField]| {
            self.columns.iter().any(|column| match column {
                FlexibleColumn::Field(field) => wanted.contains(field),
                _ => false,
            })
        };
        Wants {
            body: any(&[SampleField::Response, SampleField::ReceivedBytes]),
            response_headers: any(&[SampleField::ResponseHeaders]),
            request: any(&[
                SampleField::Request,
                SampleField::RequestHeaders,
                SampleField::SentBytes,
            ]),
            parts: false,
        }
    }
}

fn put(row: &mut Vec<u8>, field: SampleField, result: &SampleResult) {
    let flag = |truth: bool| if truth { "1" } else { "0" };
    let has_request = result.http || result.sampler_data.is_some();
    let number = match field {
        SampleField::Start => result.start_unix_ms,
        SampleField::End => result.end_unix_ms,
        SampleField::SentBytes if has_request => {
            result.request_text().encode_utf16().count() as u64
        }
        SampleField::SentBytes => 0,
        SampleField::ReceivedBytes => result.body.len() as u64,
        SampleField::Elapsed => result.elapsed_ms,
        SampleField::Latency => result.latency_ms,
        SampleField::ElapsedMicros => result.elapsed_ms * 1000,
        SampleField::LatencyMicros => result.latency_ms * 1000,
        SampleField::Threads => result.all_threads.into(),
        SampleField::GroupThreads => result.group_threads.into(),
        SampleField::Connect => result.connect_ms,
        SampleField::Samples => result.samples.into(),
        SampleField::Errors => result.error_count().into(),
        SampleField::HeaderBytes => result.header_bytes,
        SampleField::BodyBytes => result.body_bytes,
        SampleField::Response => return row.extend_from_slice(&result.body),
        _ => {
            let text = match field {
                SampleField::Success => flag(result.success),
                SampleField::Failed => flag(!result.success),
                SampleField::Code => &result.code,
                SampleField::Message => &result.message,
                SampleField::Thread => &result.thread_name,
                SampleField::Label => &result.label,
                SampleField::ResponseHeaders => &result.response_headers,
                SampleField::RequestHeaders => &result.request_headers,
                SampleField::Url => result.url.as_deref().unwrap_or_default(),
                SampleField::StartSeconds => &seconds(result.start_unix_ms),
                SampleField::EndSeconds => &seconds(result.end_unix_ms),
                SampleField::Request if has_request => &result.request_text(),
                _ => "0",
            };
            return row.extend_from_slice(text.as_bytes());
        }
    };
    row.extend_from_slice(number.to_string().as_bytes());
}

/// Milliseconds as seconds with a point.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use plimsoll_access::Access;

    use super::*;
    use crate::context::Properties;
    use crate::evaluated::EvaluatedValue;

    fn element(properties: &[(&str, &str)]) -> Evaluated {
        let text = |(name, value): &(&str, &str)| {
            ((*name).into(), EvaluatedValue::Text((*value).to_owned()))
        };
        Evaluated {
            properties: properties.iter().map(text).collect(),
            ..Evaluated::default()
        }
    }

    fn event() -> SampleEvent {
        let mut result = SampleResult::new("a|b");
        result.ok();
        result.start_unix_ms = 1_800_000_000_007;
        result.end_unix_ms = 1_800_000_000_020;
        result.elapsed_ms = 13;
        result.latency_ms = 5;
        result.body = "é".as_bytes().to_vec();
        result.sampler_data = Some("é?".to_owned());
        SampleEvent {
            result: Arc::new(result),
            group: "g".into(),
            variables: [Some("v".to_owned()), None].into(),
            transaction: false,
            told_before: None,
        }
    }

    #[test]
    fn columns_are_fields_variables_and_what_is_between() {
        let text = |text: &str| FlexibleColumn::Text(text.to_owned());
        assert_eq!(
            columns("startTime|\t|||URL|variable#1|variable#x|end||"),
            [
                FlexibleColumn::Field(SampleField::Start),
                text("\t"),
                text("|"),
                text("|"),
                FlexibleColumn::Field(SampleField::Url),
                FlexibleColumn::Variable(1),
                text("variable#x"),
                text("end"),
            ]
        );
        assert_eq!(columns(""), [text("|")]);
        let names: std::collections::HashSet<_> = FIELDS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 28);
    }

    #[test]
    fn a_file_is_continued_or_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let surroundings = Surroundings {
            access: Access::of_user(),
            folder: folder.path().to_owned(),
            properties: Properties::new([("sample_variables".to_owned(), "x,y".to_owned())]),
            ..Surroundings::default()
        };
        let columns = "startTimeMillis| |responseTimeMicros| |sentBytes|/|receivedBytes| |requestData| |variable#0|variable#1|variable#2| |isFailed|\\r\\n";
        for (overwrite, times) in [("false", 1), ("false", 2), ("true", 1)] {
            let given = [
                ("filename", "f.txt"),
                ("columns", columns),
                ("header", "H\\t1\\n"),
                ("footer", "F\\n"),
                ("overwrite", overwrite),
            ];
            let mut writer = make(&element(&given), &surroundings).unwrap().unwrap();
            writer.sample(&event());
            assert!(writer.wants().body && writer.wants().request);
            assert!(writer.end().is_empty());
            let once = "H\t1\n1800000000.007 13000 2/2 é? vUNDEFINED_variable#2 0\r\nF\n";
            let text = std::fs::read_to_string(folder.path().join("f.txt")).unwrap();
            assert_eq!(text, once.repeat(times));
        }
        let missing = make(&element(&[("filename", "no/where/f")]), &surroundings);
        assert!(missing.is_err());
    }
}

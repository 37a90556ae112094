//! What the frames hold: elements and results, as `companion/PROTOCOL.md` says.

use plimsoll_elements::result::DataType;
use plimsoll_elements::{AssertionResult, Evaluated, EvaluatedValue, SampleResult};
use plimsoll_plan::model::Action;

use crate::wire::{FrameReader, FrameWriter, MalformedFrame};

/// The protocol's version; the companion says its own when it connects.
pub const VERSION: u32 = 2;

/// Frames to the companion.
pub mod ask {
    pub const SETUP: u8 = 1;
    pub const PROPERTIES: u8 = 2;
    pub const BEGIN: u8 = 3;
    pub const CALL: u8 = 4;
    pub const USER_ENDS: u8 = 5;
    pub const END: u8 = 6;
}

/// Frames from the companion.
pub mod response {
    pub const HELLO: u8 = 1;
    pub const READY: u8 = 2;
    pub const RESULT: u8 = 3;
    pub const PROPERTIES: u8 = 4;
}

/// Writes an element.
pub fn write_element(to: &mut FrameWriter, element: &Evaluated) {
    to.text(&element.class);
    to.text(&element.name);
    to.count(element.properties.len());
    for (name, value) in &element.properties {
        to.text(name);
        write_value(to, value);
    }
}

fn write_value(to: &mut FrameWriter, value: &EvaluatedValue) {
    match value {
        EvaluatedValue::Text(text) => {
            to.u8(1);
            to.text(text);
        }
        EvaluatedValue::List(values) => {
            to.u8(2);
            to.count(values.len());
            for value in values {
                write_value(to, value);
            }
        }
        EvaluatedValue::Element(element) => {
            to.u8(3);
            write_element(to, element);
        }
    }
}

/// How deep elements may lie in each other, and results.
const DEEPEST: u32 = 100;

/// Reads an element.
pub fn read_element(from: &mut FrameReader<'_>, depth: u32) -> Result<Evaluated, MalformedFrame> {
    if depth > DEEPEST {
        return Err(MalformedFrame("elements too deep"));
    }
    let class = from.text()?;
    let name = from.text()?;
    let properties = from.list(|from| Ok((from.text()?, read_value(from, depth)?)))?;
    Ok(Evaluated {
        class,
        name,
        properties,
    })
}

fn read_value(from: &mut FrameReader<'_>, depth: u32) -> Result<EvaluatedValue, MalformedFrame> {
    if depth > DEEPEST {
        return Err(MalformedFrame("elements too deep"));
    }
    match from.u8()? {
        1 => from.text().map(EvaluatedValue::Text),
        2 => from
            .list(|from| read_value(from, depth + 1))
            .map(EvaluatedValue::List),
        3 => read_element(from, depth + 1).map(EvaluatedValue::Element),
        _ => Err(MalformedFrame("unknown kind of value")),
    }
}

/// Writes a result with its parts.
pub fn write_result(to: &mut FrameWriter, result: &SampleResult) {
    write_outcome(to, result);
    write_times(to, result);
    to.u8(match result.data_type {
        DataType::Unknown => 0,
        DataType::Text => 1,
        DataType::Binary => 2,
    });
    to.bytes(&result.body);
    to.maybe_text(result.encoding.as_deref());
    to.maybe_text(result.url.as_deref());
    to.maybe_text(result.sampler_data.as_deref());
    for text in texts_of(result) {
        to.text(text);
    }
    to.count(result.assertions.len());
    for assertion in &result.assertions {
        to.text(&assertion.name);
        to.flag(assertion.failure);
        to.flag(assertion.error);
        to.maybe_text(assertion.message.as_deref());
    }
    to.count(result.parts.len());
    for part in &result.parts {
        write_result(to, part);
    }
}

fn write_outcome(to: &mut FrameWriter, result: &SampleResult) {
    to.flag(result.http);
    to.flag(result.success);
    to.flag(result.ignored);
    to.text(&result.label);
    to.text(&result.code);
    to.text(&result.message);
    to.text(&result.thread_name);
}

fn write_times(to: &mut FrameWriter, result: &SampleResult) {
    for number in [
        result.start_unix_ms,
        result.end_unix_ms,
        result.elapsed_ms,
        result.idle_ms,
        result.latency_ms,
        result.connect_ms,
        result.received_bytes,
        result.header_bytes,
        result.body_bytes,
        result.sent_bytes,
    ] {
        to.u64(number);
    }
    for number in [
        result.group_threads,
        result.all_threads,
        result.samples,
        result.errors,
    ] {
        to.u32(number);
    }
}

fn texts_of(result: &SampleResult) -> [&str; 8] {
    [
        &result.content_type,
        &result.request_headers,
        &result.response_headers,
        &result.method,
        &result.query,
        &result.cookies,
        &result.redirect_location,
        &result.file_name,
    ]
}

/// A result as the companion sends it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultNode {
    /// The result it was made from: its number in the engine's tree, in pre-order.
    pub origin: Option<u32>,
    /// The body is the same as that of its origin (and empty here).
    pub same_body: bool,
    /// The result, without its parts.
    pub result: SampleResult,
    /// Its parts.
    pub parts: Vec<ResultNode>,
}

/// Reads a result with its parts.
pub fn read_result(from: &mut FrameReader<'_>, depth: u32) -> Result<ResultNode, MalformedFrame> {
    if depth > DEEPEST {
        return Err(MalformedFrame("results too deep"));
    }
    let origin = from.u32()?;
    let mut result = SampleResult::new("");
    read_outcome(from, &mut result)?;
    read_times(from, &mut result)?;
    result.data_type = match from.u8()? {
        1 => DataType::Text,
        2 => DataType::Binary,
        _ => DataType::Unknown,
    };
    let same_body = from.flag()?;
    if !same_body {
        result.body = from.bytes()?.to_vec();
    }
    result.encoding = from.maybe_text()?;
    result.url = from.maybe_text()?;
    result.sampler_data = from.maybe_text()?;
    read_texts(from, &mut result)?;
    result.assertions = from.list(read_assertion)?;
    let parts = from.list(|from| read_result(from, depth + 1))?;
    Ok(ResultNode {
        origin: (origin != u32::MAX).then_some(origin),
        same_body,
        result,
        parts,
    })
}

fn read_outcome(
    from: &mut FrameReader<'_>,
    result: &mut SampleResult,
) -> Result<(), MalformedFrame> {
    result.http = from.flag()?;
    result.success = from.flag()?;
    result.ignored = from.flag()?;
    result.label = from.text()?;
    result.code = from.text()?;
    result.message = from.text()?;
    result.thread_name = from.text()?;
    Ok(())
}

fn read_times(from: &mut FrameReader<'_>, result: &mut SampleResult) -> Result<(), MalformedFrame> {
    result.start_unix_ms = from.u64()?;
    result.end_unix_ms = from.u64()?;
    result.elapsed_ms = from.u64()?;
    result.idle_ms = from.u64()?;
    result.latency_ms = from.u64()?;
    result.connect_ms = from.u64()?;
    result.received_bytes = from.u64()?;
    result.header_bytes = from.u64()?;
    result.body_bytes = from.u64()?;
    result.sent_bytes = from.u64()?;
    result.group_threads = from.u32()?;
    result.all_threads = from.u32()?;
    result.samples = from.u32()?;
    result.errors = from.u32()?;
    Ok(())
}

fn read_texts(from: &mut FrameReader<'_>, result: &mut SampleResult) -> Result<(), MalformedFrame> {
    for place in [
        &mut result.content_type,
        &mut result.request_headers,
        &mut result.response_headers,
        &mut result.method,
        &mut result.query,
        &mut result.cookies,
        &mut result.redirect_location,
        &mut result.file_name,
    ] {
        *place = from.text()?;
    }
    Ok(())
}

fn read_assertion(from: &mut FrameReader<'_>) -> Result<AssertionResult, MalformedFrame> {
    Ok(AssertionResult {
        name: from.text()?,
        failure: from.flag()?,
        error: from.flag()?,
        message: from.maybe_text()?,
    })
}

/// Reads a change of flow.
pub fn read_action(from: &mut FrameReader<'_>) -> Result<Action, MalformedFrame> {
    Ok(match from.u8()? {
        1 => Action::Continue,
        2 => Action::Break,
        3 => Action::NextIteration,
        4 => Action::StopUser,
        5 => Action::StopRun,
        6 => Action::StopRunNow,
        _ => return Err(MalformedFrame("unknown action")),
    })
}

/// Reads changes of texts by name.
pub fn read_changes(
    from: &mut FrameReader<'_>,
) -> Result<Vec<(String, Option<String>)>, MalformedFrame> {
    from.list(|from| Ok((from.text()?, from.maybe_text()?)))
}

//! JSONPath (RFC 9535) over JSON bodies.

use std::borrow::Cow;

use plimsoll_plan::limits::JSON_VISITS;
use plimsoll_text::Message;
use serde_json::Value;

use super::json_cost::PathCost;
use super::json_scan::{JsonPathStep, plain_steps, scan};
use super::matching::{Each, bad_pattern, unreadable};
use super::response::ResponseView;
use crate::functions::EvalError;

/// A path, parsed.
pub(crate) struct JsonPath {
    path: serde_json_path::JsonPath,
    /// The steps of a path that needs no tree of the body.
    plain: Option<Vec<JsonPathStep>>,
    cost: PathCost,
    written: String,
}

impl JsonPath {
    pub(super) fn new(path: &str) -> Result<Self, Message> {
        match serde_json_path::JsonPath::parse(path) {
            Ok(parsed) => Ok(Self {
                path: parsed,
                plain: plain_steps(path),
                cost: PathCost::of(path),
                written: path.to_owned(),
            }),
            Err(error) => {
                let column = error.position() + 1;
                let message = bad_pattern("extract-bad-json-path", path, error.message());
                Err(message.with("column", column))
            }
        }
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// How many elements the one array has that a path of names and indices leads to; none if it
    /// leads to something else.
    pub(super) fn elements(&self, response: &ResponseView<'_>) -> Result<Option<u64>, EvalError> {
        if self.plain.is_none() {
            return Ok(None);
        }
        let json = response.json().map_err(not_json)?;
        let found = self.path.query(json).at_most_one().ok().flatten();
        Ok(found.and_then(Value::as_array).map(|all| all.len() as u64))
    }

    pub(super) fn find(
        &self,
        response: &ResponseView<'_>,
        each: Each<'_>,
    ) -> Result<(), EvalError> {
        if let Some(steps) = &self.plain
            && response.may_scan_json()
        {
            let found = scan(response.text(), steps);
            if let Some(value) = found.map_err(|error| not_json(&error.to_string()))? {
                let _ = each(&text(&value));
            }
            return Ok(());
        }
        let json = response.json().map_err(not_json)?;
        if self.cost.is_too_much(json) {
            let message = Message::new("extract-json-path-too-much").with("limit", JSON_VISITS);
            return Err(unreadable(message));
        }
        for value in self.path.query(json).iter() {
            if each(&text(value)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn not_json(reason: &str) -> EvalError {
    unreadable(Message::new("extract-not-json").with("reason", reason))
}

/// A value as a variable holds it: strings without quotation marks, all else as JSON.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

//! What a client is told: its parameters and JMeter's properties.

use plimsoll_text::Message;

use crate::evaluated::{Evaluated, EvaluatedValue};
use crate::pattern::{Dialect, Pattern};

use super::super::Surroundings;

/// The client's parameters.
pub(super) struct BackendArguments(pub(super) Vec<(String, String)>);

impl BackendArguments {
    pub(super) fn of(element: &Evaluated) -> Self {
        let list = element.element("arguments");
        let list = list.and_then(|arguments| arguments.get("Arguments.arguments"));
        let Some(EvaluatedValue::List(values)) = list else {
            return Self(Vec::new());
        };
        let argument = |value: &EvaluatedValue| match value {
            EvaluatedValue::Element(argument) => Some((
                argument.text("Argument.name").to_owned(),
                argument.text("Argument.value").to_owned(),
            )),
            _ => None,
        };
        Self(values.iter().filter_map(argument).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn truth(&self, name: &str, default: bool) -> bool {
        self.get(name)
            .map_or(default, |text| text.eq_ignore_ascii_case("true"))
    }
}

/// A filter of labels: a regular expression of Java's.
pub(super) fn filter(pattern: &str) -> Result<Pattern, Message> {
    Pattern::new(pattern, Dialect::Java).map_err(|reason| {
        Message::new("jmeter-backend-filter")
            .with("pattern", pattern)
            .with("reason", reason)
    })
}

/// Seconds between two sendings.
pub(super) fn interval_ms(surroundings: &Surroundings, property: &str, default_s: u64) -> u64 {
    let text = surroundings.properties.get(property);
    let seconds = text.and_then(|text| text.trim().parse().ok());
    seconds.filter(|seconds| *seconds > 0).unwrap_or(default_s) * 1000
}

//! `BackendListener`: sends numbers to InfluxDB or Graphite while the run goes on, with the
//! names that JMeter 5.6.3 gives them. What another server cannot take is lost and told of at
//! the end; the run goes on.

mod graphite;
mod influx;
mod metric;
mod send;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

use plimsoll_text::Message;

use crate::evaluated::{Evaluated, EvaluatedValue};
use crate::pattern::{Dialect, Pattern};

use super::{Listener, Surroundings};

/// The clients that are native, by their class.
pub const CLIENTS: &[&str] = &[
    "org.apache.jmeter.visualizers.backend.graphite.GraphiteBackendListenerClient",
    "org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient",
    "org.apache.jmeter.visualizers.backend.influxdb.InfluxDBRawBackendListenerClient",
];

/// Senders of metrics that are native, by their simple names.
const SENDERS: &[&str] = &[
    "",
    "TextGraphiteMetricsSender",
    "HttpMetricsSender",
    "UdpMetricsSender",
];

/// Arguments that name a sender.
pub const SENDER_ARGUMENTS: &[&str] = &["graphiteMetricsSender", "influxdbMetricsSender"];

/// Whether a client is native with the senders that its arguments name; others are JMeter's own
/// in the companion.
#[must_use]
pub fn is_native<'s>(client: &str, senders: impl IntoIterator<Item = &'s str>) -> bool {
    let simple = |class: &'s str| class.trim().rsplit('.').next().unwrap_or_default();
    CLIENTS.contains(&client.trim())
        && senders
            .into_iter()
            .all(|sender| SENDERS.contains(&simple(sender)))
}

/// Makes a backend listener from its element.
///
/// # Errors
/// When its client or sender is unknown, its address is none or its host is not allowed.
pub fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    let class = element.text("classname").trim();
    let arguments = Arguments::of(element);
    let listener: Box<dyn Listener> = match class.rsplit('.').next().unwrap_or(class) {
        "GraphiteBackendListenerClient" => Box::new(graphite::make(&arguments, surroundings)?),
        "InfluxdbBackendListenerClient" => Box::new(influx::make(&arguments, surroundings)?),
        "InfluxDBRawBackendListenerClient" => Box::new(influx::make_raw(&arguments, surroundings)?),
        _ => return Err(Message::new("jmeter-backend-class").with("class", class)),
    };
    Ok(Some(listener))
}

/// The client's parameters.
struct Arguments(Vec<(String, String)>);

impl Arguments {
    fn of(element: &Evaluated) -> Self {
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

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn truth(&self, name: &str, default: bool) -> bool {
        self.get(name)
            .map_or(default, |text| text.eq_ignore_ascii_case("true"))
    }
}

/// A filter of labels: a regular expression of Java's.
fn filter(pattern: &str) -> Result<Pattern, Message> {
    Pattern::new(pattern, Dialect::Java).map_err(|reason| {
        Message::new("jmeter-backend-filter")
            .with("pattern", pattern)
            .with("reason", reason)
    })
}

/// Seconds between two sendings.
fn interval_ms(surroundings: &Surroundings, property: &str, default_s: u64) -> u64 {
    let text = surroundings.properties.get(property);
    let seconds = text.and_then(|text| text.trim().parse().ok());
    seconds.filter(|seconds| *seconds > 0).unwrap_or(default_s) * 1000
}

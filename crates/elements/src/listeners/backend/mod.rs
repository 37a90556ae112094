//! `BackendListener`: sends numbers to InfluxDB or Graphite while the run goes on, with the
//! names that JMeter 5.6.3 gives them. What another server cannot take is lost and told of at
//! the end; the run goes on.

mod arguments;
mod graphite;
mod influx;
mod metric;
mod send;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

use plimsoll_text::Message;

use crate::evaluated::Evaluated;

use super::{Listener, Surroundings};
use arguments::BackendArguments;

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
    let arguments = BackendArguments::of(element);
    let listener: Box<dyn Listener> = match class.rsplit('.').next().unwrap_or(class) {
        "GraphiteBackendListenerClient" => Box::new(graphite::make(&arguments, surroundings)?),
        "InfluxdbBackendListenerClient" => Box::new(influx::make(&arguments, surroundings)?),
        "InfluxDBRawBackendListenerClient" => Box::new(influx::make_raw(&arguments, surroundings)?),
        _ => return Err(Message::new("jmeter-backend-class").with("class", class)),
    };
    Ok(Some(listener))
}

//! The plugins' PerfMon Metrics Collector (2.1): the agents that it asks are watched as parts of the target; what its file
//! gets is the listener's affair.

use plimsoll_plan::model::{ElementValue, WatchSource};
use plimsoll_text::Message;

use super::translator::Translator;
use crate::read::JmxNode;

/// The plugin's class.
pub(super) const CLASS: &str = "kg.apc.jmeter.perfmon.PerfMonCollector";

impl Translator<'_> {
    /// The agents that a collector asks, each with all of its metrics.
    pub(super) fn agents(&mut self, node: &JmxNode) {
        let Some(ElementValue::List(rows)) = node.element.get("metricConnections") else {
            return;
        };
        let mut agents: Vec<(String, Vec<String>)> = Vec::new();
        for row in rows {
            let ElementValue::List(cells) = row else {
                continue;
            };
            let cell = |at: usize| match cells.get(at) {
                Some(ElementValue::Text(text)) => self.fixed_or_raw(text),
                _ => String::new(),
            };
            let (host, port, kind, parameters) = (cell(0), cell(1), cell(2), cell(3));
            if host.trim().is_empty() || port.trim().parse::<u16>().is_err() {
                let message = Message::new("jmeter-perfmon-address")
                    .with("name", node.element.name.raw.as_str())
                    .with("address", format!("{host}:{port}"));
                self.warn(node.at, message);
                continue;
            }
            // A line is a metric; the protocol has no place for one with several.
            let metric = format!("{kind}:{parameters}").replace(['\n', '\t'], " ");
            let address = match host.contains(':') {
                true => format!("[{host}]:{port}"),
                false => format!("{host}:{port}"),
            };
            match agents.iter_mut().find(|(known, _)| *known == address) {
                Some((_, metrics)) => metrics.push(metric),
                None => agents.push((address, vec![metric])),
            }
        }
        let property = |name: &str| flat_property(self, name);
        let interval = property("jmeterPlugin.perfmon.interval").and_then(|ms| ms.parse().ok());
        let interval_s = interval.map_or(1, |ms: u64| (ms / 1_000).clamp(1, 3_600));
        let udp = property("jmeterPlugin.perfmon.useUDP");
        let udp = udp.is_some_and(|udp| udp.eq_ignore_ascii_case("true"));
        self.watched
            .extend(agents.into_iter().map(|(address, metrics)| {
                WatchSource {
                    source: "server-agent".to_owned(),
                    address,
                    options: [
                        ("metrics", metrics.join("\n")),
                        ("interval", interval_s.to_string()),
                        ("udp", udp.to_string()),
                    ]
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect(),
                    at: node.at,
                }
            }));
    }
}

fn flat_property(translator: &Translator<'_>, name: &str) -> Option<String> {
    let properties = translator.known.properties?;
    properties.get(name).map(|value| value.trim().to_owned())
}

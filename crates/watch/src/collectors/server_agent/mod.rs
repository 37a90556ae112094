//! ServerAgent, the agent of JMeter's PerfMon plugin: each metric that it is asked for is a series of its own, under the
//! label that the plugin gives it.

mod link;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::{Entity, EntityKind, SeriesKey, SeriesKind};
use plimsoll_text::Message;
use plimsoll_text::perf_mon::PerfMonMetric;

use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::collectors::server::{ServerAddress, ServerPlace};
use crate::source::{Opened, Spec};
use link::{AgentLink, AskedMetrics};

/// Options of ServerAgent.
pub(crate) const OPTIONS: &[&str] = &["name", "metrics", "interval", "udp"];

/// The agent's own port.
const USUAL_PORT: u16 = 4444;
/// Beyond its interval an agent may take so long.
const PATIENCE: Duration = Duration::from_secs(4);
/// What is asked for where nobody says it: the agent's first metric of each kind.
const USUAL_METRICS: &str = "CPU\nMemory";

/// Opens an agent.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = ServerAddress::of(spec, USUAL_PORT, None)?;
    let ServerPlace::Tcp(host, port) = address.place else {
        let message = Message::new("watch-server-address-wrong");
        let message = message.with("source", spec.source.as_str());
        return Err(Trouble::new(message.with("address", address.shown)));
    };
    let option = |name: &str| spec.options.get(name).map(String::as_str);
    let interval_s = match option("interval") {
        None => 1,
        Some(text) => text
            .parse()
            .ok()
            .filter(|s| (1..=3600).contains(s))
            .ok_or_else(|| {
                let message = Message::new("watch-option-no-number");
                let message = message.with("source", spec.source.as_str());
                Trouble::new(message.with("option", "interval").with("value", text))
            })?,
    };
    let metrics = PerfMonMetric::all(option("metrics").unwrap_or(USUAL_METRICS), &host);
    let mut entities = Entities::of(spec, &address.authority);
    let entity = entities.get(EntityKind::Exporter);
    let collector = ServerAgentCollector {
        port,
        udp: option("udp") == Some("true"),
        asked: AskedMetrics {
            interval_s,
            metrics: metrics.iter().map(|metric| metric.asked.clone()).collect(),
        },
        keys: metrics.iter().map(|metric| key(metric, &entity)).collect(),
        labels: metrics.into_iter().map(|metric| metric.label).collect(),
        entity,
        host,
        shown: address.shown,
        link: None,
    };
    Ok(Opened {
        collectors: vec![Box::new(collector)],
        captures: Vec::new(),
    })
}

fn key(metric: &PerfMonMetric, entity: &Arc<Entity>) -> SeriesKey {
    let kind = metric.kind.chars();
    let kind: String = kind.filter(char::is_ascii_alphanumeric).collect();
    SeriesKey {
        entity: Arc::clone(entity),
        name: Cow::Owned(format!("perfmon.{kind}")),
        attributes: vec![(Cow::Borrowed("perfmon.label"), metric.label.clone())],
        unit: Cow::Borrowed(unit(metric)),
        kind: SeriesKind::Gauge,
    }
}

/// The unit of what the agent tells, where it is beyond doubt.
fn unit(metric: &PerfMonMetric) -> &'static str {
    let pieces = metric.pieces();
    let converted = pieces.iter().find_map(|piece| piece.strip_prefix("unit="));
    let is_share = pieces.is_empty() || pieces.iter().any(|piece| piece.ends_with("perc"));
    match (metric.kind.as_str(), converted) {
        (_, Some("kb")) => "KiBy",
        (_, Some("mb")) => "MiBy",
        ("cpu", _) => "%",
        ("memory" | "swap", _) if is_share => "%",
        _ => "1",
    }
}

struct ServerAgentCollector {
    host: String,
    port: u16,
    udp: bool,
    asked: AskedMetrics,
    keys: Vec<SeriesKey>,
    labels: Vec<String>,
    entity: Arc<Entity>,
    shown: String,
    link: Option<AgentLink>,
}

impl ServerAgentCollector {
    /// The lines that came: at least one, however long the agent's interval is.
    async fn lines(&mut self) -> std::io::Result<Vec<String>> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => AgentLink::begin(&self.host, self.port, self.udp, &self.asked).await?,
        };
        let mut lines = vec![link.line().await?];
        while let Some(line) = link.whole_line() {
            lines.push(line);
        }
        self.link = Some(link);
        Ok(lines)
    }

    fn tell(&self, line: &str, look: &mut Look) {
        let values = line.trim_end_matches(['\r', '\t']).split('\t');
        for ((value, key), label) in values.zip(&self.keys).zip(&self.labels) {
            let value = value.trim();
            match value.parse() {
                Ok(value) => look.point(key.clone(), value),
                // The agent leaves out what it does not know yet.
                Err(_) if value.is_empty() => {}
                Err(_) => {
                    let value: String = value.chars().take(80).collect();
                    let message = Message::new("watch-server-agent-value");
                    let message = message.with("label", label.as_str()).with("value", value);
                    look.missing(&self.entity, message);
                }
            }
        }
    }
}

impl Collector for ServerAgentCollector {
    fn about(&self) -> String {
        format!("server-agent {}", self.shown)
    }

    fn nearness(&self) -> Nearness {
        Nearness::Exporter
    }

    fn period(&self) -> Duration {
        Duration::from_secs(self.asked.interval_s)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let limit = Duration::from_secs(self.asked.interval_s) + PATIENCE;
            let trouble =
                |message: Message, shown: &str| Err(Trouble::new(message.with("address", shown)));
            match tokio::time::timeout(limit, self.lines()).await {
                Ok(Ok(lines)) => {
                    for line in lines {
                        self.tell(&line, look);
                    }
                    Ok(())
                }
                Ok(Err(error)) => {
                    let message = Message::new("watch-server-unreachable");
                    trouble(message.with("reason", error.to_string()), &self.shown)
                }
                Err(_) => {
                    let message = Message::new("watch-server-slow");
                    trouble(message.with("seconds", limit.as_secs()), &self.shown)
                }
            }
        })
    }

    fn leave(&mut self) -> Pending<'_, ()> {
        Box::pin(async {
            if let Some(mut link) = self.link.take() {
                // An agent that is gone has nothing to leave off.
                let _ = link.leave().await;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_the_agents_metrics() {
        for (text, expected) in [
            ("CPU:combined", "%"),
            ("Memory", "%"),
            ("Memory:usedperc", "%"),
            ("Memory:used", "1"),
            ("Memory:unit=mb:used", "MiBy"),
            ("Network I/O:unit=kb:bytesrecv", "KiBy"),
            ("TCP:estab", "1"),
        ] {
            assert_eq!(unit(&PerfMonMetric::new(text, "h")), expected, "{text}");
        }
        let entity = Entity::new(EntityKind::Exporter, "h:4444", "h");
        let key = key(&PerfMonMetric::new("Disks I/O:reads", "h"), &entity);
        assert_eq!(key.name, "perfmon.disksio");
        assert_eq!(key.attributes[0].1, "h Disks I/O reads");
    }
}

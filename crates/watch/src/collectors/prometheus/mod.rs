//! Any Prometheus endpoint: known exporters under our names, the rest under its own.

mod facts;
mod map;
mod rule;
mod tables;
mod text;

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::collectors::entities::Entities;
use crate::http::{EndpointAccess, EndpointResponse, OriginClient};
use crate::source::{Opened, Spec};

pub(crate) use map::{Mapper, labels_of};
pub(crate) use text::Exposition;

/// What a scrape asks for: any version of the text formats.
pub(crate) const ACCEPT: &str =
    "text/plain;version=0.0.4;q=1,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1";
/// Series without a table that are kept, unless the option `max-series` says otherwise.
const MAX_SERIES: usize = 1_000;

/// Opens an exporter.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let client = OriginClient::new(EndpointAccess::of(spec, "/metrics")?);
    let entities = Entities::of(spec, &client.authority());
    let mapper = Mapper::new(entities, EntityKind::Exporter, max_series(spec)?);
    Ok(Opened {
        collectors: vec![Box::new(PrometheusCollector { client, mapper })],
        captures: Vec::new(),
    })
}

/// The option `max-series`.
pub(crate) fn max_series(spec: &Spec) -> Result<usize, Trouble> {
    let Some(text) = spec.options.get("max-series") else {
        return Ok(MAX_SERIES);
    };
    text.parse().map_err(|_| {
        Trouble::new(
            Message::new("watch-option-no-number")
                .with("source", spec.source.as_str())
                .with("option", "max-series")
                .with("value", text.as_str()),
        )
    })
}

struct PrometheusCollector {
    client: OriginClient,
    mapper: Mapper,
}

impl Collector for PrometheusCollector {
    fn nearness(&self) -> Nearness {
        Nearness::Exporter
    }

    fn about(&self) -> String {
        format!("prometheus {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let response = self.client.get("", ACCEPT).await?;
            tell(&response, self.client.shown(), &mut self.mapper, look)
        })
    }
}

/// Says what an exposition holds.
///
/// # Errors
/// A text that holds no sample at all.
pub(crate) fn tell(
    response: &EndpointResponse,
    url: &str,
    mapper: &mut Mapper,
    look: &mut Look,
) -> Result<(), Trouble> {
    let text = response.text();
    let read = Exposition::parse(&text);
    if let Some(line) = read.wrong {
        let line: String = plimsoll_secrets::text(line).chars().take(80).collect();
        let message = Message::new("watch-prometheus-line")
            .with("url", url)
            .with("line", line);
        if read.samples.is_empty() {
            return Err(Trouble::new(message));
        }
        let entity = mapper.entities().get(EntityKind::Exporter);
        look.missing(&entity, message);
    }
    mapper.tell(&read, look);
    Ok(())
}

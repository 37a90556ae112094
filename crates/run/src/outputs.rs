//! The outputs of one run.

use plimsoll_load::engine::Second;
use plimsoll_outputs::{
    Feed, LabelPart, LoadInterval, OutputSpec, Pace, Part, RunBegin, RunEnd, RunEvent, open,
};
use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_text::Message;

/// Hands on what a run does to all that hear it.
#[derive(Default)]
pub struct Outputs(Vec<Feed>);

impl Outputs {
    /// Opens what is asked for.
    ///
    /// # Errors
    /// The first that cannot be opened.
    pub(crate) fn open(specs: &[OutputSpec]) -> Result<Self, Message> {
        let feed = |spec: &OutputSpec| {
            let feed = Feed::start(spec.shown(), open(spec)?, Pace::default());
            feed.map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))
        };
        specs.iter().map(feed).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn begin(&self, run: &RunBegin) {
        self.0.iter().for_each(|feed| feed.begin(run.clone()));
    }

    pub(crate) fn event(&self, at_ns: u64, message: &Message) {
        for feed in &self.0 {
            feed.event(RunEvent {
                at_ns,
                message: message.clone(),
            });
        }
    }

    pub(crate) fn second(&self, second: &Second<'_>, labels: &[LabelInfo], part: Part) {
        for feed in &self.0 {
            let labels = second.labels.iter().filter_map(|(id, did)| {
                Some(LabelPart {
                    label: labels.get(id.index())?.clone(),
                    did: did.clone(),
                })
            });
            feed.interval(LoadInterval {
                from_s: second.second,
                to_s: second.second + 1,
                part,
                labels: labels.collect(),
                users_active: second.generator.users_active,
                in_flight: second.generator.in_flight,
            });
        }
    }

    /// Ends all of them; gives what is to be told of those that did not hear everything.
    pub(crate) fn finish(self, summary: &Summary) -> Vec<Message> {
        for feed in &self.0 {
            feed.end(RunEnd::from(summary));
            feed.close();
        }
        let told = self.0.into_iter().filter_map(|feed| {
            let name = feed.name().to_owned();
            let delivery = feed.finish();
            (!delivery.is_whole()).then(|| {
                Message::new("event-output-lost")
                    .with("output", name)
                    .with("seconds", delivery.lost_seconds)
                    .with("events", delivery.lost_events)
                    .with("reason", delivery.reason.unwrap_or_else(|| "–".to_owned()))
            })
        });
        told.collect()
    }
}

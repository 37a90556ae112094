//! The outputs of one run.

use plimsoll_load::engine::Second;
use plimsoll_outputs::{
    Feed, LabelPart, LoadInterval, OutputSpec, Pace, Part, RunBegin, RunEnd, RunEvent,
    TargetMoment, open,
};
use plimsoll_plan::model::Plan;
use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_store::TargetPoints;
use plimsoll_text::Message;

use crate::LoadSettings;

/// What the plan and the options name.
pub(crate) fn specs(plan: &Plan, load: &LoadSettings) -> Vec<OutputSpec> {
    let from_plan = plan.outputs.iter().map(|output| OutputSpec {
        name: output.output.clone(),
        address: output.address.clone(),
        settings: output.settings.clone().into_iter().collect(),
        tags: output.tags.clone().into_iter().collect(),
    });
    let from_options = load.outputs.iter().map(|text| OutputSpec::parse(text));
    from_plan.chain(from_options).collect()
}

/// Hands on what a run does to all that hear it.
#[derive(Default)]
pub struct Outputs {
    asked_for: Vec<Feed>,
    /// Those who joined while it went on.
    joined: Vec<Feed>,
    begun: Option<RunBegin>,
}

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
        let asked_for = specs.iter().map(feed).collect::<Result<_, _>>()?;
        Ok(Self {
            asked_for,
            ..Self::default()
        })
    }

    fn all(&self) -> impl Iterator<Item = &Feed> {
        self.asked_for.iter().chain(&self.joined)
    }

    /// Takes in those who want to hear of the run from now on.
    pub(crate) fn take_in(&mut self, fresh: Vec<Feed>) {
        for feed in fresh {
            if let Some(run) = &self.begun {
                feed.begin(run.clone());
            }
            self.joined.push(feed);
        }
    }

    pub(crate) fn begin(&mut self, run: &RunBegin) {
        self.all().for_each(|feed| feed.begin(run.clone()));
        self.begun = Some(run.clone());
    }

    pub(crate) fn event(&self, at_ns: u64, message: &Message) {
        for feed in self.all() {
            feed.event(RunEvent {
                at_ns,
                message: message.clone(),
            });
        }
    }

    /// What was seen of the target, by moment.
    pub(crate) fn target(&self, moments: &[TargetPoints]) {
        for feed in self.all() {
            for (at_unix_ns, points) in moments {
                feed.target(TargetMoment {
                    at_unix_ns: *at_unix_ns,
                    points: points.clone(),
                });
            }
        }
    }

    pub(crate) fn second(&self, second: &Second<'_>, labels: &[LabelInfo], part: Part) {
        for feed in self.all() {
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
        for feed in self.all() {
            feed.end(RunEnd::from(summary));
            feed.close();
        }
        for feed in self.joined {
            // Who joined knows what it has not taken.
            let _ = feed.finish();
        }
        let told = self.asked_for.into_iter().filter_map(|feed| {
            let name = feed.name().to_owned();
            let delivery = feed.finish();
            (!delivery.is_whole()).then(|| {
                Message::new("event-output-lost")
                    .with("output", name)
                    .with("seconds", delivery.lost_seconds)
                    .with("events", delivery.lost_events)
                    .with("moments", delivery.lost_moments)
                    .with("reason", delivery.reason.unwrap_or_else(|| "–".to_owned()))
            })
        });
        told.collect()
    }
}

//! Outputs and subscriptions: each behind a queue of its own.

use plimsoll_outputs::{Feed, LabelPart, LoadInterval, RunBegin, RunEnd, RunEvent, TargetMoment};
use plimsoll_stats::Summary;
use plimsoll_store::TargetPoints;
use plimsoll_text::Message;

use super::hearer::{HeardSecond, Hearer, Lost};

/// Hands a run on to a feed.
pub(super) struct FeedHearer {
    /// None: nothing comes any more.
    feed: Option<Feed>,
    /// What it did not take is told; who joined knows it.
    is_asked_for: bool,
}

impl FeedHearer {
    /// An output of the plan or the command line.
    pub fn asked_for(feed: Feed) -> Self {
        Self {
            feed: Some(feed),
            is_asked_for: true,
        }
    }

    /// Somebody who joined while the run went on.
    pub fn joined(feed: Feed) -> Self {
        Self {
            feed: Some(feed),
            is_asked_for: false,
        }
    }
}

impl Hearer for FeedHearer {
    fn begin(&mut self, run: &RunBegin) {
        if let Some(feed) = &self.feed {
            feed.begin(run.clone());
        }
    }

    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        let Some(feed) = &self.feed else {
            return Ok(());
        };
        let second = heard.second;
        let labels = second.labels.iter().filter_map(|(id, did)| {
            Some(LabelPart {
                label: heard.labels.get(id.index())?.clone(),
                did: did.clone(),
            })
        });
        feed.interval(LoadInterval {
            from_s: second.second,
            to_s: second.second + 1,
            part: heard.part,
            labels: labels.collect(),
            users_active: second.generator.users_active,
            in_flight: second.generator.in_flight,
        });
        Ok(())
    }

    fn event(&mut self, at_ns: u64, message: &Message) -> Result<(), Lost> {
        if let Some(feed) = &self.feed {
            feed.event(RunEvent {
                at_ns,
                message: message.clone(),
            });
        }
        Ok(())
    }

    fn target(&mut self, moments: &[TargetPoints]) {
        for (at_unix_ns, points) in moments {
            if let Some(feed) = &self.feed {
                feed.target(TargetMoment {
                    at_unix_ns: *at_unix_ns,
                    points: points.clone(),
                });
            }
        }
    }

    fn end(&mut self, summary: &Summary) -> Result<(), Lost> {
        if let Some(feed) = &self.feed {
            feed.end(RunEnd::from(summary));
            // The time that all have left begins for all at once.
            feed.close();
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Lost> {
        let Some(feed) = self.feed.take() else {
            return Ok(());
        };
        let name = feed.name().to_owned();
        let delivery = feed.finish();
        if delivery.is_whole() || !self.is_asked_for {
            return Ok(());
        }
        let message = Message::new("event-output-lost")
            .with("output", name)
            .with("seconds", delivery.lost_seconds)
            .with("events", delivery.lost_events)
            .with("moments", delivery.lost_moments)
            .with("reason", delivery.reason.unwrap_or_else(|| "–".to_owned()));
        Err(Lost::Elsewhere(message))
    }
}

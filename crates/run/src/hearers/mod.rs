//! Who hears a run: the store, the sums that become its summary, the terminal, outputs and subscriptions,
//! the sample log. They are one list, and are told on the session's thread, one after the other.
//!
//! What may wait stands behind a queue (`plimsoll_outputs::Feed`), which merges what it cannot take. What
//! loses nothing has no queue: its call is the time it takes, and what it could not take it says at once
//! ([`Lost`]).

mod feed;
mod hearer;
mod readings;
mod sample_log;
mod store;
mod sums;
mod terminal;

use plimsoll_elements::listeners::TargetReadings;
use plimsoll_outputs::{Feed, RunBegin};
use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_store::{RunWriter, TargetPoints};
use plimsoll_text::Message;

use crate::Listener;
use crate::session::SampleLog;
use feed::FeedHearer;
pub(crate) use hearer::{HeardSecond, Hearer, Lost};
use readings::ReadingsHearer;
pub(crate) use store::StoreHearer;
pub(crate) use sums::Sums;
use terminal::Terminal;

/// All who hear a run. The store comes first: what was told is kept.
pub(crate) struct Hearers {
    pub store: StoreHearer,
    pub sums: Sums,
    others: Vec<Box<dyn Hearer>>,
    begun: Option<RunBegin>,
}

impl Hearers {
    /// The store and the sums of a run that warms up for so long, and those who were asked for.
    pub fn new(
        writer: RunWriter,
        warm_up_s: f64,
        listener: Box<dyn Listener>,
        outputs: Vec<Feed>,
        log: Option<SampleLog>,
        readings: Option<TargetReadings>,
    ) -> Self {
        let mut others: Vec<Box<dyn Hearer>> = vec![Box::new(Terminal(listener))];
        let outputs = outputs.into_iter().map(FeedHearer::asked_for);
        others.extend(outputs.map(|output| Box::new(output) as Box<dyn Hearer>));
        others.extend(log.map(|log| Box::new(log) as Box<dyn Hearer>));
        let readings = readings.map(ReadingsHearer);
        others.extend(readings.map(|readings| Box::new(readings) as Box<dyn Hearer>));
        Self {
            store: StoreHearer::new(writer),
            sums: Sums::new(warm_up_s),
            others,
            begun: None,
        }
    }

    /// Takes in those who want to hear of the run from now on.
    pub fn take_in(&mut self, fresh: Vec<Feed>) {
        for feed in fresh {
            let mut joined = FeedHearer::joined(feed);
            if let Some(run) = &self.begun {
                joined.begin(run);
            }
            self.others.push(Box::new(joined));
        }
    }

    /// Tells all of them; gives what they could not take.
    fn each(&mut self, mut tell: impl FnMut(&mut dyn Hearer) -> Result<(), Lost>) -> Vec<Lost> {
        let mut lost = Vec::new();
        lost.extend(tell(&mut self.store).err());
        lost.extend(tell(&mut self.sums).err());
        for other in &mut self.others {
            lost.extend(tell(&mut **other).err());
        }
        lost
    }

    pub fn begin(&mut self, run: RunBegin) {
        self.others.iter_mut().for_each(|other| other.begin(&run));
        self.begun = Some(run);
    }

    pub fn labels(&mut self, labels: &[LabelInfo]) -> Vec<Lost> {
        self.each(|hearer| hearer.labels(labels))
    }

    pub fn second(&mut self, heard: &HeardSecond<'_>) -> Vec<Lost> {
        self.each(|hearer| hearer.second(heard))
    }

    pub fn event(&mut self, at_ns: u64, message: &Message) -> Vec<Lost> {
        self.each(|hearer| hearer.event(at_ns, message))
    }

    pub fn aside(&mut self, message: &Message) {
        self.others
            .iter_mut()
            .for_each(|other| other.aside(message));
    }

    pub fn target(&mut self, moments: &[TargetPoints]) {
        self.others
            .iter_mut()
            .for_each(|other| other.target(moments));
    }

    pub fn load_over(&mut self) -> Vec<Lost> {
        self.each(|hearer| hearer.load_over())
    }

    /// The run is judged: all but the store hear it, and nothing more; what they have lost is still to be
    /// kept.
    pub fn end(&mut self, summary: &Summary) -> Vec<Lost> {
        let mut lost = Vec::new();
        for other in &mut self.others {
            lost.extend(other.end(summary).err());
        }
        for other in &mut self.others {
            lost.extend(other.close().err());
        }
        lost
    }
}

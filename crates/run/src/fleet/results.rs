//! The one result of a run over workers goes where that of a run on one machine goes.

use std::time::Duration;

use plimsoll_fleet::controller::{Note, Results, Stop};
use plimsoll_fleet::merge::Merged;
use plimsoll_load::clock::Clock;
use plimsoll_load::engine::control::{self, Stopper};
use plimsoll_load::engine::{Event, Observer as _};
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

use crate::session::Session;

/// Feeds a session.
pub struct SessionResults<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// Ends the run.
    pub stopper: Stopper,
    /// The run began earlier: it is taken up again.
    pub goes_on: bool,
}

impl Results for SessionResults<'_> {
    fn begins_in(&mut self, lead: Duration) {
        if !self.goes_on {
            self.session.started(Clock::start_in(lead));
        }
    }

    fn labels(&mut self, labels: &[LabelInfo]) {
        self.session.labels(labels);
    }

    fn second(&mut self, merged: &Merged, notes: &[Note]) -> Result<(), String> {
        let kept = self.session.part(merged, notes);
        kept.map_err(|error| error.to_string())
    }

    fn note(&mut self, notes: &[Note]) -> Result<(), String> {
        let kept = self.session.note(notes);
        kept.map_err(|error| error.to_string())
    }

    fn event(&mut self, at_ns: u64, message: &Message, is_error: bool) {
        self.session.event(&Event {
            at_ns,
            message: message.clone(),
            is_error,
        });
    }

    fn stop(&self) -> Stop {
        match self.stopper.state() {
            control::Stop::Running => Stop::Running,
            control::Stop::NoNewWork => Stop::NoNewWork,
            control::Stop::CutOff => Stop::CutOff,
        }
    }
}

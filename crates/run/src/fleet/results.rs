//! The one result of a run over workers goes where that of a run on one machine goes.

use std::time::Duration;

use plimsoll_fleet::controller::{Note, Results, Stop};
use plimsoll_fleet::merge::Merged;
use plimsoll_fleet::wire::Change;
use plimsoll_load::clock::Clock;
use plimsoll_load::engine::control::{self, Stopper};
use plimsoll_load::engine::steer::Steer;
use plimsoll_load::engine::{Event, Observer as _};
use plimsoll_load::schedule::TimedChange;
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

use crate::session::Session;

/// Feeds a session.
pub struct SessionResults<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// Ends the run.
    pub stopper: Stopper,
    /// Changes its load.
    pub steer: Steer,
    /// So many changes were passed on.
    pub passed_on: usize,
    /// The load is divided into so many.
    pub shares: u32,
    /// The run began earlier: it is taken up again.
    pub goes_on: bool,
}

/// A change holds so much later than it was asked for: all workers have heard of it by then, also one
/// that had to be told twice.
const CHANGE_LEAD: Duration = Duration::from_secs(2);

impl Results for SessionResults<'_> {
    fn begins_in(&mut self, lead: Duration) {
        if !self.goes_on {
            let clock = Clock::start_in(lead);
            let program = self.session.program();
            self.steer.begins(program, clock, CHANGE_LEAD, self.shares);
            self.session.started(clock);
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

    fn changes(&mut self) -> (Vec<Change>, Option<u64>) {
        let fresh = self.steer.changes_from(self.passed_on);
        self.passed_on += fresh.len();
        let change = |timed: &TimedChange| Change {
            at_ns: timed.at_ns,
            what: serde_json::to_string(&timed.change).unwrap_or_default(),
        };
        (fresh.iter().map(change).collect(), self.steer.end_ns())
    }
}

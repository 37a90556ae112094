//! What is told of a run's workers while it goes on.

use plimsoll_text::Message;

use super::fleet::FleetAction;
use super::prepare::milliseconds;
use super::stored::{StoredRun, StoredWorker};
use crate::wire::report::ReportEnd;

/// What the controller did, and whether it spoils the result.
pub(super) fn action(action: &FleetAction, run: &StoredRun) -> (Message, bool) {
    let count = i64::from(run.count);
    match action {
        FleetAction::Silent { worker, since_ns } => {
            let message = Message::new("event-fleet-silent")
                .with("name", name_of(run, *worker))
                .with("since", seconds(*since_ns));
            (message, true)
        }
        FleetAction::Back { worker, .. } => {
            let message = Message::new("event-fleet-back").with("name", name_of(run, *worker));
            (message, false)
        }
        FleetAction::Give { to, from } => {
            let message = Message::new("event-fleet-moved")
                .with("share", i64::from(to.share) + 1)
                .with("count", count)
                .with("from", name_of(run, *from))
                .with("to", name_of(run, to.worker))
                .with("at", seconds(to.from_ns));
            (message, false)
        }
        FleetAction::Unserved { share, since_ns } => {
            let id = match run.may_move {
                true => "event-fleet-unserved",
                false => "event-fleet-stays",
            };
            let message = Message::new(id)
                .with("share", i64::from(*share) + 1)
                .with("count", count)
                .with("since", seconds(*since_ns));
            (message, true)
        }
    }
}

/// Tells of a clock that became worse known than a run may begin with.
pub(super) fn clock(worker: &StoredWorker) -> Message {
    Message::new("event-fleet-clock")
        .with("name", worker.worker.name.clone())
        .with("error_ms", milliseconds(worker.worst_error_ns))
}

/// Seconds with one decimal.
fn seconds(ns: u64) -> String {
    format!("{}.{}", ns / 1_000_000_000, ns / 100_000_000 % 10)
}

/// A worker's name.
pub(super) fn name_of(run: &StoredRun, worker: usize) -> String {
    let worker = run.workers.get(worker);
    worker.map_or_else(String::new, |worker| worker.worker.name.clone())
}

/// Adds one assignment's end to those before.
pub(super) fn add_end(all: &mut ReportEnd, one: &ReportEnd, any: bool) {
    all.load_end_ns = all.load_end_ns.max(one.load_end_ns);
    all.end_ns = all.end_ns.max(one.end_ns);
    all.stopped = one.stopped && (all.stopped || !any);
    all.discarded += one.discarded;
    all.threads += one.threads;
    all.lost_threads += one.lost_threads;
}

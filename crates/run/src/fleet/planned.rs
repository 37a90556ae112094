//! What a run's plan lets its shares begin, at most: nothing else can be lost.

use plimsoll_fleet::controller::{Planned, StoredRun};
use plimsoll_load::engine::steer::Steer;
use plimsoll_load::engine::{MostRequests, Share};
use plimsoll_store::Run;

/// The note that holds the bound, for a controller that takes the run up again.
const NOTE: &str = "most-requests";

/// The bound as a note.
#[must_use]
pub fn note(most: Option<&MostRequests>) -> (String, String) {
    let json = serde_json::to_string(&most).unwrap_or_default();
    (NOTE.to_owned(), json)
}

/// The bound that a run's note holds.
#[must_use]
pub fn noted(run: &Run) -> Option<MostRequests> {
    let notes = run.notes().ok()?;
    serde_json::from_slice(notes.get(NOTE)?).ok()?
}

/// Bounds the assignments of a run.
#[must_use]
pub fn of(most: Option<MostRequests>, run: &StoredRun, steer: Steer) -> Box<Planned> {
    let was_changed = !run.changes.is_empty();
    let (seed, each, count) = (run.seed, run.each, run.count);
    Box::new(move |of, until_ns| {
        // What is made then is not what the plan says.
        let is_planned = !was_changed && steer.count() == 0;
        let most = most.as_ref().filter(|_| is_planned)?;
        // Each worker works on the whole plan, with a seed of its own, or on a share of it.
        let (share, seed) = match each {
            true => (Share::WHOLE, seed.wrapping_add(u64::from(of.share))),
            false => (Share::new(of.share, count)?, seed),
        };
        Some(most.begun(share, seed, of.from_ns, until_ns))
    })
}

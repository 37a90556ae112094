//! What a change of the load is called where it is kept and told.

use plimsoll_load::schedule::{NewLoad, TimedChange};
use plimsoll_stats::summary::{LoadChanged, ms};
use plimsoll_text::Message;

/// What the summary says of a change.
#[expect(clippy::cast_precision_loss, reason = "moments of a run")]
pub(crate) fn summary_of(timed: &TimedChange) -> LoadChanged {
    let mut changed = LoadChanged {
        at_s: ms(timed.at_ns as f64 / 1e3),
        scenario: timed.change.scenario.clone(),
        ..LoadChanged::default()
    };
    match timed.change.to {
        NewLoad::Users(users) => changed.users = Some(users),
        NewLoad::Rate(rate) => changed.rate_per_s = Some(rate.as_per_second()),
        NewLoad::RateTimes(thousandths) => {
            changed.rate_times = Some(f64::from(thousandths) / 1_000.0);
        }
        NewLoad::Longer(by) => changed.longer_s = Some(by.as_secs_f64()),
    }
    changed
}

/// What is told of it.
pub(crate) fn event_of(timed: &TimedChange) -> Message {
    let changed = summary_of(timed);
    let (id, value) = match (changed.users, changed.rate_per_s, changed.rate_times) {
        (Some(users), ..) => ("load-changed-users", f64::from(users)),
        (_, Some(rate), _) => ("load-changed-rate", rate),
        (_, _, Some(times)) => ("load-changed-rate-times", times),
        _ => ("load-changed-longer", changed.longer_s.unwrap_or_default()),
    };
    let scenario = timed.change.scenario.as_deref().unwrap_or("*");
    let what = Message::new(id)
        .with("scenario", scenario)
        .with("value", value);
    Message::new("event-load-changed").with("what", what)
}

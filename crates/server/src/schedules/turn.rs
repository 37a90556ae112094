//! Begins the runs that are due.

use plimsoll_text::Message;

use super::book::{ScheduleDue, ScheduleKept, ScheduleLast, utc};
use crate::app::App;
use crate::desk::{BothTexts, OrderFate};
use crate::problem::ApiError;
use crate::shared::{Person, UserRole};

/// Looks at all schedules at a moment, Unix seconds, and begins what is due.
pub(crate) fn turn(app: &App, now_s: i64) {
    // What cannot be kept is not begun: it is tried again the next second.
    for ScheduleDue { kept, at_s } in app.schedules.due(now_s).unwrap_or_default() {
        let begun = begin(app, &kept);
        keep(app, &kept, at_s, begun);
    }
}

/// Begins a schedule's run now, whenever it is due.
///
/// # Errors
/// What keeps it from being begun.
pub(crate) fn begin_now(app: &App, schedule: &str, now_s: i64) -> Result<String, ApiError> {
    let kept = app.schedules.find(schedule)?;
    let begun = begin(app, &kept);
    keep(app, &kept, now_s, begun.clone());
    begun
}

fn keep(app: &App, kept: &ScheduleKept, at_s: i64, begun: Result<String, ApiError>) {
    let error = begun.as_ref().err();
    let last = ScheduleLast {
        at: utc(at_s),
        error: error.map(|error| BothTexts::of(&error.message())),
        run: begun.ok(),
    };
    // The run is there; that it came from a schedule is not told then.
    let _ = app.schedules.done(&kept.schedule, last);
}

fn begin(app: &App, kept: &ScheduleKept) -> Result<String, ApiError> {
    may(app, kept)?;
    let bounds = app.policy.bounds();
    let (root, journal) = (app.library.root(), app.desk.journal());
    let ready = kept.order.request(root, journal, &bounds)?;
    let asked = app.desk.ask(&kept.order, ready, bounds.limits.queue);
    let (ticket, fate) = asked.map_err(ApiError::conflict)?;
    match fate {
        OrderFate::Begun(name) => Ok(name),
        OrderFate::Waits => Ok(ticket),
        OrderFate::Failed(message) => Err(ApiError::conflict(message)),
    }
}

/// Whoever made it must still be somebody who may.
fn may(app: &App, kept: &ScheduleKept) -> Result<(), ApiError> {
    if !app.policy.login {
        return Ok(());
    }
    let user = kept.by.clone().unwrap_or_default();
    let person = app.policy.people.person(&user)?;
    let may = |person: Person| {
        let is_he = kept
            .by_since_s
            .is_none_or(|since_s| since_s == person.added_s);
        is_he && person.role >= UserRole::Run
    };
    match person.is_some_and(may) {
        true => Ok(()),
        false => Err(ApiError::forbidden(
            Message::new("server-schedule-no-right").with("user", user),
        )),
    }
}

//! What a reader must know of a load that was changed while the run went on.

use plimsoll_stats::summary::LoadChanged;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::{NoticeLevel, Say};
use crate::number::figure;

/// That the load was changed, and to what.
pub(crate) fn notice(data: &RunData<'_>) -> Option<(NoticeLevel, String)> {
    Some((
        NoticeLevel::Warn,
        words(data.say, &data.summary.load_changes)?,
    ))
}

/// The same in words; none where nothing was changed.
pub(crate) fn words(say: Say, changes: &[LoadChanged]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    let lines = changes.iter().map(|change| say.message(&line(change)));
    let head = say.text("report-load-changed");
    let text: Vec<String> = std::iter::once(head).chain(lines).collect();
    Some(text.join("\n"))
}

fn line(change: &LoadChanged) -> Message {
    let (id, value) = match change {
        LoadChanged {
            users: Some(users), ..
        } => ("report-load-users", f64::from(*users)),
        LoadChanged {
            rate_per_s: Some(rate),
            ..
        } => ("report-load-rate", *rate),
        LoadChanged {
            rate_times: Some(times),
            ..
        } => ("report-load-rate-times", *times),
        LoadChanged { longer_s, .. } => ("report-load-longer", longer_s.unwrap_or_default()),
    };
    Message::new(id)
        .with("at", figure(change.at_s))
        .with("scenario", change.scenario.as_deref().unwrap_or("*"))
        .with("value", figure(value))
}

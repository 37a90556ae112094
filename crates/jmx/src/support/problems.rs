//! What a row of the table means for the plan.

use plimsoll_plan::Problem;
use plimsoll_text::Message;

use super::{LOST_LISTENER, Row, RunsIn, SupportKind};
use crate::classes::{Category, category};
use crate::xml::problem;

/// What a row means for the plan: an enabled element or function that nothing runs forbids
/// it, unless that is allowed; a listener is left out with a warning.
#[must_use]
pub fn problem_of(row: &Row, allowed: bool) -> Option<Problem> {
    if !row.enabled {
        return None;
    }
    let lost = row.lost.clone()?;
    // What is told of results does not change them: it is left out, and said.
    let allowed = allowed || lost.id == LOST_LISTENER;
    let mut found = match (row.place, row.kind) {
        (RunsIn::Unsupported, SupportKind::Element) => {
            let message = Message::new("jmeter-unsupported-element")
                .with("class", row.class.as_str())
                .with("name", row.name.as_str())
                .with("lost", lost);
            Problem::error(row.at, message)
        }
        (RunsIn::Unsupported, SupportKind::Function) => {
            let message = Message::new("jmeter-unsupported-function")
                .with("name", row.class.as_str())
                .with("lost", lost);
            Problem::error(row.at, message)
        }
        _ if category(&row.class) == Some(Category::Dropped) => {
            let message = Message::new("jmeter-dropped-element")
                .with("class", row.class.as_str())
                .with("name", row.name.as_str());
            let mut warning = *problem(row.at, message);
            warning.severity = plimsoll_plan::Severity::Warning;
            return Some(warning.in_file(&row.file));
        }
        _ => return None,
    };
    if let Some(instead) = &row.instead {
        let remedy = Message::new("jmeter-unsupported.remedy").with("instead", instead.clone());
        found = found.remedy(remedy);
    }
    if allowed {
        found.severity = plimsoll_plan::Severity::Warning;
    }
    Some(found.in_file(&row.file))
}

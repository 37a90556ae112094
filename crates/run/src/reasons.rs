//! Errors of libraries that know no texts, as messages.

use std::path::Path;

use plimsoll_load::engine::RunError;
use plimsoll_stats::GoalError;
use plimsoll_text::Message;

/// What is wrong with a goal's text.
#[must_use]
pub fn of_goal(error: &GoalError) -> Message {
    let at = |id: &'static str, position: &usize| Message::new(id).with("position", *position);
    match error {
        GoalError::NoComparison { .. } => Message::new("goal-no-comparison"),
        GoalError::UnknownMetric { position, found } => {
            at("goal-unknown-metric", position).with("found", found.as_str())
        }
        GoalError::PercentileRange { position, found } => {
            at("goal-percentile-range", position).with("found", found.as_str())
        }
        GoalError::EmptyLabel { position } => at("goal-empty-label", position),
        GoalError::BadValue { position, found } => {
            at("goal-bad-value", position).with("found", found.as_str())
        }
        GoalError::BadUnit {
            position,
            found,
            metric,
            allowed,
        } => at("goal-bad-unit", position)
            .with("found", found.as_str())
            .with("metric", metric.as_str())
            .with("allowed", allowed.as_str()),
    }
}

/// Why a run cannot start.
#[must_use]
pub fn of_run(error: &RunError) -> Message {
    let reason = match error {
        RunError::System(error) => {
            Message::new("event-thread-failed").with("reason", error.to_string())
        }
        RunError::Bind(mistakes) => mistakes
            .iter()
            .map(|mistake| mistake.message.clone())
            .reduce(|first, next| {
                Message::new("run-reasons")
                    .with("first", first)
                    .with("next", next)
            })
            .unwrap_or_else(|| Message::new("usage-value-unusable")),
    };
    Message::new("run-cannot-start").with("reason", reason)
}

/// A file that cannot be written.
#[must_use]
pub fn file_failed(path: &Path, error: &dyn std::fmt::Display) -> Message {
    Message::new("run-file-failed")
        .with("path", path.display().to_string())
        .with("reason", error.to_string())
}

#[cfg(test)]
mod tests {
    use plimsoll_stats::Goal;
    use plimsoll_text::{Lang, render};

    use super::*;

    #[test]
    fn what_is_wrong_with_a_goal_is_said_in_both_languages() {
        for text in [
            "p95",
            "p99,9 < 1",
            "p101 < 1 s",
            ": p95 < 1 s",
            "p95 < x",
            "p95 < 3 %",
            "p95 < 3",
        ] {
            let Err(error) = Goal::parse(text) else {
                panic!("{text} is a goal");
            };
            let message = of_goal(&error);
            let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| render(lang, &message));
            assert!(!english.starts_with("goal-"), "{english}");
            assert!(!chinese.contains("character"), "{chinese}");
        }
    }
}

//! Files that somebody names for a study.

use std::path::Path;

use plimsoll_plan::Problem;
use plimsoll_plan::model::Span;
use plimsoll_run::RejectedPlan;
use plimsoll_text::{Arg, Message};

/// What `<(…)` of a shell and `/dev/stdin` lead to.
const OPENED: [&str; 3] = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"];

/// Why a path is none of a file whose bytes come to an end. What is not there is told by whoever opens it.
#[must_use]
pub fn why_no_file(path: &Path) -> Option<Message> {
    let meta = std::fs::metadata(path).ok()?;
    let text = path.to_string_lossy();
    // A shell has opened the other end.
    if meta.is_file() || OPENED.iter().any(|opened| text.starts_with(opened)) {
        return None;
    }
    Some(Message::new(match meta.is_dir() {
        true => "tune-why-folder",
        false => "tune-why-no-file",
    }))
}

/// A file that cannot be read.
#[must_use]
pub fn file_unread(path: &Path, reason: impl Into<Arg>) -> Message {
    Message::new("tune-file-unread")
        .with("path", path.display().to_string())
        .with("reason", reason)
}

/// Refuses a plan whose reading might never end.
///
/// # Errors
/// If it is no file.
pub fn plan_is_file(plan: &Path) -> Result<(), RejectedPlan> {
    let Some(reason) = why_no_file(plan) else {
        return Ok(());
    };
    let message = Message::new("run-read-plan-failed")
        .with("path", plan.display().to_string())
        .with("reason", reason);
    Err(RejectedPlan {
        text: String::new(),
        problems: vec![
            Problem::error(Span::default(), message)
                .remedy(Message::new("run-read-plan-failed.remedy")),
        ],
    })
}

//! A plan that cannot be run.

use plimsoll_plan::Problem;
use plimsoll_plan::limits::InputError;
use plimsoll_plan::model::Span;
use plimsoll_text::{Lang, Message, render};

/// What is wrong with a plan, with the source it was found in.
pub struct RejectedPlan {
    /// The source; empty when it could not be read.
    pub text: String,
    /// Its mistakes.
    pub problems: Vec<Problem>,
}

impl RejectedPlan {
    /// All that is wrong, a line each.
    #[must_use]
    pub fn in_words(&self, lang: Lang) -> String {
        let lines = self.problems.iter().map(|problem| {
            let text = render(lang, &problem.message);
            match (problem.file.is_empty(), problem.at.line) {
                (false, line) if line > 0 => format!("{}:{line}: {text}", problem.file),
                _ => text,
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A file that was not read: one that is too long, a device among them, gets a remedy of its own.
pub fn not_read(path: &str, error: &InputError) -> Problem {
    match error {
        InputError::Io(error) => unreadable(path, &error.to_string()),
        InputError::TooLong { limit } => {
            let message = Message::new("plan-too-long").with("limit_mib", limit >> 20);
            let problem = Problem::error(Span { line: 1, column: 1 }, message);
            problem
                .remedy(Message::new("plan-too-long.remedy"))
                .in_file(path)
        }
    }
}

/// A plan that cannot be read.
pub fn unreadable(path: &str, reason: &str) -> Problem {
    let message = Message::new("run-read-plan-failed")
        .with("path", path)
        .with("reason", reason);
    Problem::error(Span::default(), message).remedy(Message::new("run-read-plan-failed.remedy"))
}

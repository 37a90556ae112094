//! Mistakes in a plan: what is wrong, where, and what to do about it.

use plimsoll_text::Message;

use crate::model::Span;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The plan runs, perhaps not as meant.
    Warning,
    /// The plan cannot run.
    Error,
}

/// A mistake in a plan. All of a plan's mistakes are collected, not only the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Where; line 0 when it is in no file (an option of the command line).
    pub at: Span,
    /// The file, as it was named; empty when there is none.
    pub file: String,
    /// What is wrong.
    pub message: Message,
    /// What to do about it: the allowed values, the nearest known name.
    pub remedy: Option<Message>,
}

impl Problem {
    /// A problem that forbids the plan to run.
    #[must_use]
    pub fn error(at: Span, message: Message) -> Self {
        Self {
            severity: Severity::Error,
            at,
            file: String::new(),
            message,
            remedy: None,
        }
    }

    /// A problem that the plan runs with.
    #[must_use]
    pub fn warning(at: Span, message: Message) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(at, message)
        }
    }

    /// A problem that forbids the plan to run, with the remedy of the same name and arguments.
    #[must_use]
    pub fn mistake(at: Span, message: Message) -> Self {
        let remedy = Message {
            id: format!("{}.remedy", message.id),
            args: message.args.clone(),
        };
        Self::error(at, message).remedy(remedy)
    }

    /// A problem that the plan runs with, with the remedy of the same name and arguments.
    #[must_use]
    pub fn caution(at: Span, message: Message) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::mistake(at, message)
        }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: Message) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// Says which file it is in.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

/// Sorts problems as a reader meets them: by line and column, errors first at one place.
pub fn sort_problems(problems: &mut [Problem]) {
    problems.sort_by_key(|p| (p.at.line, p.at.column, std::cmp::Reverse(p.severity)));
}

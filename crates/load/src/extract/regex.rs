//! Regular expressions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use plimsoll_elements::work::{CpuPatience, DocumentRefused};
use plimsoll_text::Message;

use super::matching::{Each, bad_pattern, unreadable};
use super::response::ResponseView;
use crate::functions::EvalError;

/// Most steps back of a pattern with look-around: such patterns can take exponential time.
const BACKTRACK_LIMIT: usize = 1_000_000;
/// Patterns kept compiled for each thread that are only known while the plan runs.
const KEPT_PATTERNS: usize = 256;

/// A regular expression: linear in time unless it needs look-around or back-references.
pub enum RegexPattern {
    /// By `regex`.
    Linear(regex::Regex),
    /// By `fancy-regex`.
    Backtracking(Box<fancy_regex::Regex>),
}

impl RegexPattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, Message> {
        let linear = match regex::Regex::new(pattern) {
            Ok(regex) => return Ok(Self::Linear(regex)),
            // What is too large stays so.
            Err(error @ regex::Error::CompiledTooBig(_)) => {
                let reason = error.to_string();
                return Err(bad_pattern("extract-bad-regex", pattern, &reason));
            }
            Err(error) => error,
        };
        let mut builder = fancy_regex::RegexBuilder::new(pattern);
        match builder.backtrack_limit(BACKTRACK_LIMIT).build() {
            Ok(regex) => Ok(Self::Backtracking(Box::new(regex))),
            Err(fancy) => {
                // A wrong pattern is explained better by `regex`, unless it only says that
                // it does not know look-around.
                let unsupported = linear.to_string().contains("not supported");
                let reason = if unsupported {
                    fancy.to_string()
                } else {
                    linear.to_string()
                };
                Err(bad_pattern("extract-bad-regex", pattern, &reason))
            }
        }
    }

    /// Whether the text holds a match.
    ///
    /// # Errors
    /// When a pattern with look-around takes too long.
    pub fn is_match(&self, text: &str) -> Result<bool, Message> {
        match self {
            Self::Linear(regex) => Ok(regex.is_match(text)),
            Self::Backtracking(regex) => regex.is_match(text).map_err(|error| too_long(&error)),
        }
    }

    /// Groups, the whole match among them.
    fn groups(&self) -> usize {
        match self {
            Self::Linear(regex) => regex.captures_len(),
            Self::Backtracking(regex) => regex.captures_len(),
        }
    }
}

fn slow(refused: DocumentRefused) -> EvalError {
    unreadable(Message::new("extract-regex-gave-up").with("reason", refused.to_string()))
}

fn too_long(error: &fancy_regex::Error) -> Message {
    Message::new("extract-regex-gave-up").with("reason", error.to_string())
}

/// Whether the text holds a match of a pattern that is only known now.
///
/// # Errors
/// When the pattern is wrong or takes too long.
pub(crate) fn matches(pattern: &str, text: &str) -> Result<bool, Message> {
    thread_local! {
        static KEPT: RefCell<HashMap<String, Rc<RegexPattern>>> = RefCell::default();
    }
    let kept = KEPT.with_borrow(|kept| kept.get(pattern).cloned());
    let compiled = match kept {
        Some(compiled) => compiled,
        None => {
            let compiled = Rc::new(RegexPattern::new(pattern)?);
            KEPT.with_borrow_mut(|kept| {
                if kept.len() >= KEPT_PATTERNS {
                    kept.clear();
                }
                kept.insert(pattern.to_owned(), Rc::clone(&compiled));
            });
            compiled
        }
    };
    compiled.is_match(text)
}

/// A pattern with the group that is wanted.
pub(crate) struct RegexFinder {
    pattern: RegexPattern,
    written: String,
    group: usize,
    in_headers: bool,
}

impl RegexFinder {
    pub(super) fn new(pattern: &str, group: u32, in_headers: bool) -> Result<Self, Message> {
        let compiled = RegexPattern::new(pattern)?;
        let (group, groups) = (group as usize, compiled.groups());
        if group >= groups {
            return Err(Message::new("extract-regex-no-group")
                .with("pattern", pattern)
                .with("group", group)
                .with("groups", groups - 1));
        }
        Ok(Self {
            pattern: compiled,
            written: pattern.to_owned(),
            group,
            in_headers,
        })
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    pub(super) fn find(
        &self,
        response: &ResponseView<'_>,
        each: Each<'_>,
    ) -> Result<(), EvalError> {
        if self.in_headers {
            self.find_in(&String::from_utf8_lossy(response.head()), each)
        } else {
            self.find_in(response.text(), each)
        }
    }

    fn find_in(&self, text: &str, each: Each<'_>) -> Result<(), EvalError> {
        match &self.pattern {
            RegexPattern::Linear(regex) if self.group == 0 => {
                let _ = regex
                    .find_iter(text)
                    .try_for_each(|found| each(found.as_str()));
            }
            RegexPattern::Linear(regex) => {
                // A group that took no part in the match is empty.
                let group = |found: regex::Captures<'_>| {
                    each(found.get(self.group).map_or("", |group| group.as_str()))
                };
                let _ = regex.captures_iter(text).try_for_each(group);
            }
            RegexPattern::Backtracking(regex) => {
                let patience = CpuPatience::new();
                for found in regex.captures_iter(text) {
                    patience.check().map_err(slow)?;
                    let found = found.map_err(|error| unreadable(too_long(&error)))?;
                    let group = found.get(self.group).map_or("", |group| group.as_str());
                    if each(group) == ControlFlow::Break(()) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

//! Regular expressions as JMeter understands them: Perl 5 as of Jakarta ORO, or Java's when
//! the property `jmeter.regex.engine` says so.
//!
//! A pattern is rewritten for the crate `regex` (linear in time); what that cannot do
//! (look-around, back-references, `$` before a final newline) goes to `fancy-regex`.

mod class;
mod end;
mod java;
mod perl;
mod reader;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::context::Context;
use crate::work::CpuPatience;
use end::{LINE_ENDS, PatternEnd};

/// Most steps back of a pattern that `regex` cannot do: such patterns can take exponential
/// time. A pattern that gives up matches nothing.
const BACKTRACK_LIMIT: usize = 10_000_000;
/// Largest compiled program, bytes.
const SIZE_LIMIT: usize = 64 << 20;

/// Whose regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Perl 5, as Jakarta ORO 2.0.8 has it: JMeter's default.
    #[default]
    Perl5,
    /// `java.util.regex`.
    Java,
}

impl Dialect {
    /// The dialect that the property `jmeter.regex.engine` asks for.
    #[must_use]
    pub fn of(cx: &dyn Context) -> Self {
        match cx.properties().get("jmeter.regex.engine") {
            Some(engine) if !engine.eq_ignore_ascii_case("oro") => Self::Java,
            _ => Self::Perl5,
        }
    }

    fn rewrite(self, pattern: &str, end: PatternEnd) -> Result<String, String> {
        match self {
            Self::Perl5 => perl::rewrite(pattern, end),
            Self::Java => java::rewrite(pattern, end),
        }
    }
}

/// A compiled pattern.
pub struct Pattern {
    dialect: Dialect,
    source: Box<str>,
    /// Found anywhere; then at the beginning, for [`Pattern::matches`]. Each for texts without
    /// and with a line's end at their end.
    machines: [OnceLock<Option<PatternMachine>>; 4],
}

enum PatternMachine {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// The groups of a match; group 0 is all of it.
pub enum Groups<'t> {
    /// By `regex`.
    Linear(regex::Captures<'t>),
    /// By `fancy-regex`.
    Backtracking(fancy_regex::Captures<'t, str>),
}

impl<'t> Groups<'t> {
    /// A group's text; none when it took no part in the match or is not there.
    #[must_use]
    pub fn get(&self, group: usize) -> Option<&'t str> {
        match self {
            Self::Linear(groups) => groups.get(group).map(|group| group.as_str()),
            Self::Backtracking(groups) => groups.get(group).map(|group| group.as_str()),
        }
    }

    /// A named group's text; none when it took no part in the match or is not there.
    #[must_use]
    pub fn named(&self, group: &str) -> Option<&'t str> {
        match self {
            Self::Linear(groups) => groups.name(group).map(|group| group.as_str()),
            Self::Backtracking(groups) => groups.name(group).map(|group| group.as_str()),
        }
    }

    /// How many groups the pattern has, group 0 among them.
    #[must_use]
    #[expect(clippy::len_without_is_empty)] // There is always group 0.
    pub fn len(&self) -> usize {
        match self {
            Self::Linear(groups) => groups.len(),
            Self::Backtracking(groups) => groups.len(),
        }
    }

    /// Where the match is: byte offsets.
    #[must_use]
    pub fn span(&self) -> std::ops::Range<usize> {
        match self {
            Self::Linear(groups) => groups.get(0).map_or(0..0, |all| all.range()),
            Self::Backtracking(groups) => groups.get(0).map_or(0..0, |all| all.range()),
        }
    }
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in the words of JMeter's engine where they are known.
    pub fn new(pattern: &str, dialect: Dialect) -> Result<Self, String> {
        let rewritten = dialect.rewrite(pattern, PatternEnd::Plain)?;
        let found = PatternMachine::new(&rewritten)?;
        Ok(Self {
            dialect,
            source: pattern.into(),
            machines: [
                OnceLock::from(Some(found)),
                OnceLock::new(),
                OnceLock::new(),
                OnceLock::new(),
            ],
        })
    }

    /// Whether it has a group of this name.
    #[must_use]
    pub fn has_group(&self, name: &str) -> bool {
        let mut names = match self.machine("", false) {
            Some(PatternMachine::Linear(regex)) => regex.capture_names(),
            Some(PatternMachine::Backtracking(regex)) => {
                return regex.capture_names().flatten().any(|known| known == name);
            }
            None => return false,
        };
        names.any(|known| known == Some(name))
    }

    /// Whether the text holds a match.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        match self.machine(text, false) {
            Some(PatternMachine::Linear(regex)) => regex.is_match(text),
            Some(PatternMachine::Backtracking(regex)) => regex.is_match(text).unwrap_or(false),
            None => false,
        }
    }

    /// Whether the pattern stands for all of the text. As in ORO, the first match from the
    /// beginning must reach the end: `foo|foot` does not match `foot`.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let end = match self.machine(text, true) {
            Some(PatternMachine::Linear(regex)) => regex.find(text).map(|found| found.end()),
            Some(PatternMachine::Backtracking(regex)) => {
                let found = regex.find(text).unwrap_or(None);
                found.map(|found| found.end())
            }
            None => None,
        };
        end == Some(text.len())
    }

    /// Gives each match to `each`, until it breaks.
    pub fn each<'t>(&self, text: &'t str, each: &mut dyn FnMut(Groups<'t>) -> ControlFlow<()>) {
        let patience = CpuPatience::new();
        let _ = match self.machine(text, false) {
            Some(PatternMachine::Linear(regex)) => regex
                .captures_iter(text)
                .try_for_each(|groups| each(Groups::Linear(groups))),
            Some(PatternMachine::Backtracking(regex)) => regex
                .captures_iter(text)
                .map_while(Result::ok)
                .take_while(|_| patience.check().is_ok())
                .try_for_each(|groups| each(Groups::Backtracking(groups))),
            None => ControlFlow::Continue(()),
        };
    }

    /// The text with another one in the place of each match.
    #[must_use]
    pub fn replaced(&self, text: &str, by: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        self.each(text, &mut |groups| {
            let span = groups.span();
            out.push_str(&text[end..span.start]);
            out.push_str(by);
            end = span.end;
            ControlFlow::Continue(())
        });
        out.push_str(&text[end..]);
        out
    }

    fn machine(&self, text: &str, whole: bool) -> Option<&PatternMachine> {
        let newline = match self.dialect {
            Dialect::Perl5 => text.ends_with('\n'),
            Dialect::Java => text.ends_with(LINE_ENDS),
        };
        let end = if newline {
            PatternEnd::BeforeNewline
        } else {
            PatternEnd::Plain
        };
        let slot = &self.machines[usize::from(newline) + 2 * usize::from(whole)];
        slot.get_or_init(|| {
            let rewritten = self.dialect.rewrite(&self.source, end).ok()?;
            let rewritten = match (whole, self.dialect) {
                (false, _) => rewritten,
                (true, Dialect::Perl5) => format!(r"\A(?:{rewritten})"),
                (true, Dialect::Java) => format!(r"\A(?:{rewritten})\z"),
            };
            PatternMachine::new(&rewritten).ok()
        })
        .as_ref()
    }
}

impl PatternMachine {
    fn new(pattern: &str) -> Result<Self, String> {
        let linear = regex::RegexBuilder::new(pattern)
            .size_limit(SIZE_LIMIT)
            .build();
        match linear {
            Ok(regex) => return Ok(Self::Linear(regex)),
            // What is too large stays so.
            Err(error @ regex::Error::CompiledTooBig(_)) => return Err(error.to_string()),
            Err(_) => {}
        }
        fancy_regex::RegexBuilder::new(pattern)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(SIZE_LIMIT)
            .build()
            .map(|regex| Self::Backtracking(Box::new(regex)))
            .map_err(|error| error.to_string())
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/{}/", self.source)
    }
}

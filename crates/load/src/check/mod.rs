//! Checks of responses, with a readable reason when one fails.

use std::borrow::Cow;
use std::ops::ControlFlow;

use plimsoll_plan::model::Comparison;
use plimsoll_plan::program::{CheckOfProgram, CheckProgram, ScriptId, Template, TestProgram};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use crate::condition::compare;
use crate::extract::{BindError, Finder, RegexPattern, ResponseView};
use crate::functions::{EvalContext, EvalError, beginning, eval_text};

/// Longest part of a response in a reason, characters.
const SHOWN_CHARS: usize = 200;
/// As much of a response is searched for secrets before it is shortened, bytes.
const REDACTED_BYTES: usize = 16 << 10;

/// A check, made ready.
pub struct BoundCheck {
    of: BoundCheckOf,
    test: BoundTest,
}

/// What is looked at.
enum BoundCheckOf {
    Status,
    Value(Finder),
    Count(Finder),
    SizeBytes,
    TimeMs,
    Script(ScriptId),
}

enum BoundTest {
    StatusIn(Vec<(u16, u16)>),
    Compare(Comparison, Template),
    /// A pattern that is known before the run.
    Matches(RegexPattern, String),
    Exists,
    Truthy,
    Not(Box<BoundTest>),
}

/// A test whose templates are filled in.
enum Filled<'t> {
    StatusIn(&'t [(u16, u16)]),
    Compare(Comparison, Cow<'t, str>),
    Matches(&'t RegexPattern, &'t str),
    Exists,
    Truthy,
    Not(Box<Filled<'t>>),
}

/// Makes a check ready.
///
/// # Errors
/// A pattern that is wrong, with what is wrong in it.
pub fn bind_check(program: &CheckProgram) -> Result<BoundCheck, BindError> {
    let at = program.at;
    let of = match &program.of {
        CheckOfProgram::Status => BoundCheckOf::Status,
        CheckOfProgram::Value(how) => BoundCheckOf::Value(Finder::bind(how, at)?),
        CheckOfProgram::Count(how) => BoundCheckOf::Count(Finder::bind(how, at)?),
        CheckOfProgram::SizeBytes => BoundCheckOf::SizeBytes,
        CheckOfProgram::TimeMs => BoundCheckOf::TimeMs,
        CheckOfProgram::Script(script) => BoundCheckOf::Script(*script),
    };
    let test = bind_test(&program.test).map_err(|message| BindError { at, message })?;
    Ok(BoundCheck { of, test })
}

fn bind_test(program: &TestProgram) -> Result<BoundTest, Message> {
    Ok(match program {
        TestProgram::StatusIn(ranges) => BoundTest::StatusIn(ranges.clone()),
        TestProgram::Compare(Comparison::Matches, with) if with.as_text().is_some() => {
            let pattern = with.as_text().unwrap_or_default();
            BoundTest::Matches(RegexPattern::new(pattern)?, pattern.to_owned())
        }
        TestProgram::Compare(op, with) => BoundTest::Compare(*op, with.clone()),
        TestProgram::Exists => BoundTest::Exists,
        TestProgram::Truthy => BoundTest::Truthy,
        TestProgram::Not(inner) => BoundTest::Not(Box::new(bind_test(inner)?)),
    })
}

/// Runs checks in their order; gives the first that fails.
///
/// # Errors
/// The reason, with [`ErrorKind::CheckFailed`], or [`ErrorKind::ScriptFailed`] when a script
/// of a check or of a template failed.
pub fn run_checks(
    checks: &[BoundCheck],
    response: &ResponseView<'_>,
    ctx: &mut EvalContext<'_>,
) -> Result<(), EvalError> {
    checks.iter().try_for_each(|check| check.run(response, ctx))
}

impl BoundCheck {
    /// Runs the check. Scripts see the response of `ctx`.
    ///
    /// # Errors
    /// As [`run_checks`].
    pub fn run(
        &self,
        response: &ResponseView<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<(), EvalError> {
        let test = self.test.fill(ctx)?;
        let verdict = match &self.of {
            BoundCheckOf::Status => test.judge(Some(response.status().to_string().as_str())),
            BoundCheckOf::SizeBytes => test.judge(Some(response.body().len().to_string().as_str())),
            BoundCheckOf::TimeMs => test.judge(Some(milliseconds(response.time_ns()).as_str())),
            BoundCheckOf::Script(script) => {
                let scripts = ctx.scripts;
                test.judge(Some(if scripts.truthy(*script, ctx)? {
                    "true"
                } else {
                    "false"
                }))
            }
            BoundCheckOf::Value(finder) => {
                let mut verdict = None;
                let found = finder.find(response, ctx, &mut |value| {
                    verdict = Some(test.judge(Some(value)));
                    ControlFlow::Break(())
                });
                self.explain_unreadable(found)?;
                verdict.unwrap_or_else(|| test.judge(None))
            }
            BoundCheckOf::Count(finder) => {
                let mut count = 0;
                let found = finder.count(response, ctx);
                self.explain_unreadable(found.map(|found| count = found))?;
                test.judge(Some(count.to_string().as_str()))
            }
        };
        let failed = |message| EvalError {
            message: Box::new(message),
            kind: ErrorKind::CheckFailed,
        };
        match verdict? {
            CheckVerdict::Holds => Ok(()),
            CheckVerdict::Fails(None) => {
                let test = test.describe(&|text| ctx.vars.redact(text));
                Err(failed(
                    Message::new("check-nothing")
                        .with("of", self.describe())
                        .with("test", test),
                ))
            }
            CheckVerdict::Fails(Some(found)) => {
                let show = |text: &str| ctx.vars.redact(text);
                let (test, found) = (test.describe(&show), shorten(&show(&found)));
                let message = Message::new("check-failed").with("of", self.describe());
                Err(failed(message.with("test", test).with("found", found)))
            }
        }
    }

    fn explain_unreadable(&self, found: Result<(), EvalError>) -> Result<(), EvalError> {
        found.map_err(|error| match error.kind {
            ErrorKind::CheckFailed => EvalError {
                message: Box::new(
                    Message::new("check-impossible")
                        .with("of", self.describe())
                        .with("why", *error.message),
                ),
                kind: error.kind,
            },
            _ => error,
        })
    }

    fn describe(&self) -> Message {
        match &self.of {
            BoundCheckOf::Status => Message::new("extract-status"),
            BoundCheckOf::Value(finder) => finder.describe(),
            BoundCheckOf::Count(finder) => {
                Message::new("check-of-count").with("what", finder.describe())
            }
            BoundCheckOf::SizeBytes => Message::new("check-of-size"),
            BoundCheckOf::TimeMs => Message::new("check-of-time"),
            BoundCheckOf::Script(_) => Message::new("check-of-script"),
        }
    }
}

/// Milliseconds with three decimals, which is more than anybody checks for.
fn milliseconds(ns: u64) -> String {
    let us = ns / 1_000;
    format!("{}.{:03}", us / 1_000, us % 1_000)
}

/// At most [`SHOWN_CHARS`], in one line.
fn shorten(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short = chars.by_ref().take(SHOWN_CHARS).collect::<String>();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

enum CheckVerdict {
    Holds,
    /// With what was found, if anything was.
    Fails(Option<String>),
}

impl BoundTest {
    fn fill<'t>(&'t self, ctx: &mut EvalContext<'_>) -> Result<Filled<'t>, EvalError> {
        Ok(match self {
            Self::StatusIn(ranges) => Filled::StatusIn(ranges),
            Self::Compare(op, with) => Filled::Compare(*op, eval_text(with, ctx)?),
            Self::Matches(pattern, written) => Filled::Matches(pattern, written),
            Self::Exists => Filled::Exists,
            Self::Truthy => Filled::Truthy,
            Self::Not(inner) => Filled::Not(Box::new(inner.fill(ctx)?)),
        })
    }
}

impl Filled<'_> {
    fn judge(&self, found: Option<&str>) -> Result<CheckVerdict, Message> {
        if self.holds(found)? {
            return Ok(CheckVerdict::Holds);
        }
        Ok(CheckVerdict::Fails(
            found.map(|found| beginning(found, REDACTED_BYTES).to_owned()),
        ))
    }

    fn holds(&self, found: Option<&str>) -> Result<bool, Message> {
        let Some(found) = found else {
            // What is not there is nothing, and so it is not anything in particular.
            return Ok(matches!(self, Self::Not(inner) if !inner.holds(None)?));
        };
        Ok(match self {
            Self::StatusIn(ranges) => {
                let status = found.parse::<u16>().ok();
                status.is_some_and(|s| ranges.iter().any(|(from, to)| (*from..=*to).contains(&s)))
            }
            Self::Compare(op, with) => compare(found, *op, with)?,
            Self::Matches(pattern, _) => pattern.is_match(found)?,
            Self::Exists => true,
            Self::Truthy => !matches!(found.trim(), "" | "0" | "false"),
            Self::Not(inner) => !inner.holds(Some(found))?,
        })
    }

    /// What was expected, as in "must be 200 to 299".
    fn describe(&self, show: &dyn Fn(&str) -> String) -> Message {
        match self {
            Self::StatusIn(ranges) => {
                let range = |(from, to): &(u16, u16)| match from == to {
                    true => from.to_string(),
                    false => format!("{from}–{to}"),
                };
                let ranges = ranges.iter().map(range).collect::<Vec<_>>();
                Message::new("test-status-in").with("ranges", ranges.join(", "))
            }
            Self::Compare(op, with) => {
                Message::new(comparison_id(*op)).with("with", shorten(&show(with)))
            }
            Self::Matches(_, written) => {
                Message::new(comparison_id(Comparison::Matches)).with("with", shorten(written))
            }
            Self::Exists => Message::new("test-exists"),
            Self::Truthy => Message::new("test-truthy"),
            Self::Not(inner) => Message::new("test-not").with("test", inner.describe(show)),
        }
    }
}

const fn comparison_id(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "test-equal",
        Comparison::NotEqual => "test-not-equal",
        Comparison::Less => "test-less",
        Comparison::AtMost => "test-at-most",
        Comparison::Greater => "test-greater",
        Comparison::AtLeast => "test-at-least",
        Comparison::Contains => "test-contains",
        Comparison::Matches => "test-matches",
    }
}

#[cfg(test)]
mod tests;
